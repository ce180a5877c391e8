"""Whether two texts mean the same."""

from __future__ import annotations

from proctor.judges.asking import Question, Said, ask
from proctor.judges.templates import Template, built_in
from proctor.models.chat import ChatModel
from proctor.records.grades import Missing

__all__ = ["judge_meaning"]


async def judge_meaning(
    model: ChatModel, response: str, reference: str, template: Template | None = None
) -> Said | Missing:
    """What a judge says of a response and a reference: `verdict` (true or false) and `reason`."""
    template = template or built_in("meaning")
    return await ask(model, Question.by(template, "compare_meaning", response=response, reference=reference))
