"""FAC's judge: whether a final answer is complete, true or not."""

from __future__ import annotations

from typing import Any

from proctor.judges.attempts import Attempt
from proctor.judges.judge import AsksModel, status_field
from proctor.judges.templates import Template
from proctor.records.grades import Missing, Status, Verdict

__all__ = ["CompletenessJudge"]


class CompletenessJudge(AsksModel):
    """Whether the final answer has something for every part of the query. It sees the query and the answer alone."""

    noun = "completeness"
    method = "completeness"

    def __init__(self, model: Any, template: Template | None = None) -> None:
        super().__init__(model, template)
        self._prompt = self.template.prompt("check_answer_completeness", "check_answer_status")
        self._prompt.check_places("answer", others=("query",))
        self._field = status_field(self._prompt)

    async def judge(self, attempt: Attempt, repeat: int = 0) -> Verdict | Missing:
        """The verdict. An empty answer is unsolved, and nobody is asked."""
        if not attempt.final_answer.strip():
            return Verdict(Status.UNSOLVED, "the final answer is empty", "empty rule", repeat)
        said = await self._ask(self._prompt, repeat, query=attempt.query, answer=attempt.final_answer)
        return said if isinstance(said, Missing) else self._verdict(said, self._field, repeat)
