"""What the metrics share that ask a judge: their model, and their prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from proctor.errors import OptionError
from proctor.judges.templates import Template, built_in, load_template
from proctor.metrics.base import SHARE, MetricWithLLM, MultiTurnMetric
from proctor.models.adapt import as_chat_model
from proctor.models.chat import ChatModel


@dataclass(eq=False)
class Judged(MetricWithLLM):
    """A metric that asks a judge.

    `llm` is the model, or whatever `as_chat_model` takes. `prompts` is a folder with prompts of your own, in the
    layout of Proctor's.
    """

    prompts: str | None = None

    bounds = SHARE
    binary: ClassVar[bool] = False
    """Whether each sample is 1 or 0, so that the judge's known errors can be taken out of the rate."""
    own_prompts: ClassVar[str] = ""
    """Proctor's prompts for it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prompts is not None:
            _ = self.template  # prompts that cannot be used are an error now, not at the first sample

    @property
    def template(self) -> Template:
        """The prompts that it asks by. A folder of one's own is read once."""
        if self.prompts is None:
            return built_in(self.own_prompts)
        read: tuple[str, Template] | None = self.__dict__.get("_read")
        if read is None or read[0] != self.prompts:
            template = load_template(self.prompts)
            template.check_like(built_in(self.own_prompts))
            read = self.__dict__["_read"] = (self.prompts, template)
        return read[1]

    def model(self) -> ChatModel:
        """The model that it asks."""
        if self.llm is None:
            raise OptionError(
                f"the metric {self.name!r} asks a model and has none; set it first: metric.llm = 'openai/gpt-4o-mini', "
                "or any other model that you hold."
            )
        held: tuple[Any, ChatModel] | None = self.__dict__.get("_held")
        if held is None or held[0] is not self.llm:
            held = self.__dict__["_held"] = (self.llm, as_chat_model(self.llm))
        return held[1]


class JudgedMetric(Judged, MultiTurnMetric):
    """A metric of a whole conversation that asks a judge."""
