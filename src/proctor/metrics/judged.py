"""What the metrics share that ask a judge about a conversation: their model, and their prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from proctor.errors import OptionError
from proctor.judges.templates import Template, built_in, load_template
from proctor.metrics.base import SHARE, MetricWithLLM, MultiTurnMetric
from proctor.models.adapt import as_chat_model
from proctor.models.chat import ChatModel


@dataclass(eq=False)
class JudgedMetric(MetricWithLLM, MultiTurnMetric):
    """A metric of a whole conversation that asks a model.

    `llm` is the model, or whatever `as_chat_model` takes. `prompts` is a folder with prompts of your own, in the
    layout of Proctor's.
    """

    prompts: str | None = None

    bounds = SHARE
    binary: ClassVar[bool] = False
    """Whether each sample is 1 or 0, so that the judge's known errors can be taken out of the rate."""
    own_prompts: ClassVar[str] = ""
    """Proctor's prompts for it."""

    @property
    def template(self) -> Template:
        """The prompts that it asks by."""
        return built_in(self.own_prompts) if self.prompts is None else load_template(self.prompts)

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
