"""What a user wanted, how things stood at the end, and whether the one meets the other."""

from __future__ import annotations

import msgspec

from proctor.judges.asking import Question, ask
from proctor.judges.templates import Template, built_in
from proctor.models.chat import ChatModel
from proctor.records.grades import Missing

__all__ = ["JudgedGoal", "judge_goal"]


class JudgedGoal(msgspec.Struct, frozen=True):
    """Whether a goal was reached."""

    user_goal: str
    """What the user wanted, as the judge understood it."""
    end_state: str
    """How things stood at the end."""
    reached: bool
    reason: str
    """The judge's words."""


async def judge_goal(
    model: ChatModel, conversation: str, reference: str | None = None, template: Template | None = None
) -> JudgedGoal | Missing:
    """Whether a conversation ended as it should: as the reference says, or as the user wanted where there is none."""
    template = template or built_in("goals")
    inferred = await ask(model, Question.by(template, "infer_goal", conversation=conversation))
    if isinstance(inferred, Missing):
        return inferred
    goal, end = inferred["user_goal"], inferred["end_state"]
    desired = goal if reference is None else reference
    compared = await ask(
        model, Question.by(template, "compare_goal", user_goal=goal, desired_outcome=desired, end_state=end)
    )
    if isinstance(compared, Missing):
        return compared
    return JudgedGoal(goal, end, compared["verdict"], compared.reason)
