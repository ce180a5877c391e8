"""SoPR's judge: whether an answer solves its query, in one pass, or in two where the first is unsure."""

from __future__ import annotations

from typing import Any

from proctor.judges.attempts import Attempt
from proctor.judges.judge import AsksModel, by_rule, status_field
from proctor.judges.templates import Template
from proctor.records.grades import Missing, Status, Verdict

__all__ = ["SolvingJudge"]


class SolvingJudge(AsksModel):
    """Whether an attempt solves its query.

    Nobody is asked about an attempt that does not end with Finish, is empty, or gives up: it is unsolved. Otherwise the
    judge sees the query and the final answer; where that leaves it unsure, all that the agent did, and this second
    verdict stands.
    """

    noun = "solving"

    def __init__(self, model: Any, template: Template | None = None) -> None:
        super().__init__(model, template)
        self._first = self.template.prompt("check_answer_status")
        self._second = self.template.prompt("parse_answer_status", "check_answer_status")
        for prompt in (self._first, self._second):
            prompt.check_places("answer", others=("query",))
        self._fields = status_field(self._first), status_field(self._second)

    async def judge(self, attempt: Attempt, repeat: int = 0) -> Verdict | Missing:
        """The verdict."""
        if (ruled := by_rule(attempt, repeat)) is not None:
            return ruled
        said = await self._ask(self._first, repeat, query=attempt.query, answer=attempt.final_answer)
        if isinstance(said, Missing):
            return said
        first = self._verdict(said, self._fields[0], repeat)
        if first.status is not Status.UNSURE:
            return first
        said = await self._ask(self._second, repeat, query=attempt.query, answer=attempt.shown)
        return said if isinstance(said, Missing) else self._verdict(said, self._fields[1], repeat)
