"""Whether a query can be solved at all with the tools that stand beside it."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from proctor.errors import OptionError
from proctor.judges.judge import AsksModel
from proctor.judges.shapes import bare
from proctor.judges.templates import Template
from proctor.records.grades import Missing
from proctor.records.queries import Query

__all__ = ["Solvability", "SolvabilityJudge", "SolvabilityVerdict"]


class Solvability(enum.Enum):
    """Whether a query can be solved, by a judge's opinion."""

    SOLVABLE = "Solvable"
    UNSURE = "Unsure"
    UNSOLVABLE = "Unsolvable"


class SolvabilityVerdict(msgspec.Struct, frozen=True, tag="solvability verdict", omit_defaults=True):
    """A judge's opinion of one query, written down."""

    status: Solvability
    reason: str
    judge: str
    repeat: int = 0
    raw: str | None = None


class SolvabilityJudge(AsksModel):
    """Whether somebody with the query's tools could solve it."""

    noun = "solvability"

    def __init__(self, model: Any, template: Template | None = None) -> None:
        super().__init__(model, template)
        self._prompt = self.template.prompt("check_task_solvable")
        self._prompt.check_places("task")
        field = self._prompt.shape.only("choice")
        if field is None or not {bare(word) for word in field.choices} <= {bare(one.value) for one in Solvability}:
            raise OptionError(
                "the reply of 'check_task_solvable' must have one field that is a choice (enum) of Solvable, "
                "Unsolvable and Unsure."
            )
        self._field = field.name

    async def judge(self, query: Query, repeat: int = 0) -> SolvabilityVerdict | Missing:
        """The verdict on a query with the APIs that its file documents."""
        said = await self._ask(self._prompt, repeat, task=_task(query))
        if isinstance(said, Missing):
            return said
        status = next(one for one in Solvability if bare(one.value) == bare(said[self._field]))
        return SolvabilityVerdict(status, said.reason, self.name, repeat, said.raw)


def _task(query: Query) -> str:
    tools = [{"tool": api.id.tool, "api": api.id.api, "description": api.description} for api in query.apis]
    return msgspec.json.format(msgspec.json.encode({"query": query.text, "available_tools": tools})).decode()
