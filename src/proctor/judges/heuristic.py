"""Rules that stand in where no model can be asked. Pure.

They look at the form of an answer, and know nothing of its truth.
"""

from __future__ import annotations

import re

from proctor.judges.attempts import Attempt, settled
from proctor.records.grades import Status, Verdict

__all__ = ["HeuristicJudge", "by_form"]

_REFUSALS = re.compile(
    r"\b(?:i(?:'m| am)? (?:sorry|afraid|unable|not able)|i (?:can ?no|could no|can|could)['\u2019]?t\b|i cannot"
    r"|unfortunately|apologi[sz]e|not able to|unable to|was not able|could ?n['\u2019]t|failed to"
    r"|no (?:data|results?|information) (?:was|were|is|are|could be)?\s*(?:found|available))",
    re.IGNORECASE,
)
_ERRORS = re.compile(
    r"""^\W*(?:error\b(?!["']\s*:\s*(?:""|''|null|none|false))|exception\b|traceback\b|\w+error\b)""", re.IGNORECASE
)
"""An API's answer that says that there is no error is none."""
_SHORT = 400
"""An answer of fewer characters has no room for anything beside a refusal."""


class HeuristicJudge:
    """A stand-in for a judge: an answer that has the form of one counts as solved.

    Its number is no pass rate, and bounds none: it says how often an answer has the form of one. That it is a heuristic
    stands in its name, in every verdict, and as the evaluation method wherever the number is shown.
    """

    name = "heuristic"
    method = "heuristic"

    async def judge(self, attempt: Attempt, repeat: int = 0) -> Verdict:
        """What the rules say. It is always the same."""
        status, reason = by_form(attempt)
        return Verdict(status, f"heuristic: {reason}", self.name, repeat)


def by_form(attempt: Attempt) -> tuple[Status, str]:
    """The status that an attempt's form speaks for, and the rule that said so."""
    answer = attempt.final_answer.strip()
    if (reason := settled(attempt)) is not None:
        return Status.UNSOLVED, reason
    if _ERRORS.match(answer):
        return Status.UNSOLVED, "the answer is an error"
    if refusal := _REFUSALS.search(answer):
        short = len(answer) < _SHORT or refusal.start() < 20
        return (Status.UNSOLVED if short else Status.UNSURE), "the answer refuses or reports a failure"
    if len(answer.split()) < 2 or (answer.endswith("?") and len(answer) < _SHORT):
        return Status.UNSURE, "the answer is one word or asks back"
    return Status.SOLVED, "the answer has the form of one; whether it is true was not looked at"
