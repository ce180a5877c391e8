"""The judge: an attempt in, a verdict with its words out."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import msgspec

from proctor.errors import OptionError
from proctor.judges.asking import Question, Said, ask
from proctor.judges.attempts import RULED, Attempt, settled
from proctor.judges.shapes import Field, bare
from proctor.judges.templates import Prompt, Template, built_in
from proctor.models.adapt import as_chat_model
from proctor.models.chat import ChatModel
from proctor.records.grades import Missing, Status, Verdict

__all__ = ["BY_RULE", "AsksModel", "Judge", "by_rule", "status_field"]


@runtime_checkable
class Judge(Protocol):
    """Whatever has an opinion of an attempt."""

    @property
    def name(self) -> str:
        """Who judges: the judge with its model and the version of its prompts, or the name of its rules."""
        ...

    @property
    def method(self) -> str:
        """How it judges, which stands wherever the number stands.

        `judge` where a model is asked whether the query is solved, `completeness` where it is asked whether the answer
        is complete, `rubric` where facts are looked for, `heuristic` where rules decide.
        """
        ...

    async def judge(self, attempt: Attempt, repeat: int = 0) -> Verdict | Missing:
        """An opinion of the attempt. `repeat` numbers repetitions, so that recordings keep them apart."""
        ...


class AsksModel:
    """What all judges share that ask a model: the model, the prompts, and the name that says which."""

    noun = "judge"
    method = "judge"

    def __init__(self, model: Any, template: Template | None = None) -> None:
        self.model: ChatModel = as_chat_model(model)
        self.template = template if template is not None else built_in(self.noun)

    @property
    def name(self) -> str:
        """The judge with its model and the version of its prompts."""
        return f"{self.noun} ({self.model.name}, prompts {self.template})"

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def _ask(self, prompt: Prompt, repeat: int, **material: str) -> Said | Missing:
        template = self.template
        return await ask(
            self.model,
            Question(
                prompt.fill(**material),
                prompt.shape,
                temperature=template.temperature,
                max_tokens=template.max_tokens,
                repeat=repeat,
            ),
        )

    def _verdict(self, said: Said, field: Field, repeat: int) -> Verdict:
        return Verdict(status_of(said[field.name]), said.reason, self.name, repeat, said.raw)


BY_RULE = "finish rule"
"""Who judged where nobody was asked."""


def by_rule(attempt: Attempt, repeat: int) -> Verdict | None:
    """The verdict on an attempt that is unsolved whatever anybody thinks of it; nobody is asked then."""
    reason = settled(attempt)
    return None if reason is None else Verdict(RULED, reason, BY_RULE, repeat)


def status_field(prompt: Prompt) -> Field:
    """The field of a prompt's reply that holds the status. OptionError when its words are no statuses."""
    field = prompt.shape.only("choice")
    words = [bare(choice) for choice in field.choices] if field is not None else []
    if field is None or not set(words) <= {bare(status.value) for status in Status}:
        raise OptionError(
            f"the reply of {prompt.name!r} must have one field that is a choice (enum) of Solved, Unsolved and Unsure."
        )
    return field


def status_of(word: str) -> Status:
    """The status that a choice names."""
    return next(status for status in Status if bare(status.value) == bare(word))


def only_numbers(prompt: Prompt, *allowed: int) -> tuple[Prompt, str]:
    """The prompt with its one number held to these, and the name of that field."""
    field = prompt.shape.only("index", "flag")
    if field is None:
        raise OptionError(f"the reply of {prompt.name!r} must have one field that is a number.")
    held = Field(field.name, "index", tuple(str(number) for number in allowed))
    fields = tuple(held if one is field else one for one in prompt.shape.fields)
    shape = msgspec.structs.replace(prompt.shape, fields=fields)
    return msgspec.structs.replace(prompt, shape=shape), field.name
