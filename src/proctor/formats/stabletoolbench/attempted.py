"""What a judge is shown of a recorded answer, and what is settled about it without one."""

from __future__ import annotations

from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.pass_rates import step_lines
from proctor.formats.stabletoolbench.turns import read_finish
from proctor.judges.attempts import GIVE_UP, Attempt
from proctor.judges.judge import by_rule
from proctor.records.grades import Missing, Verdict

_UNJUDGED = Missing("nobody has judged it")


def attempt_of(answer: ConvertedAnswer) -> Attempt:
    """A converted answer as a judge is shown it."""
    said = read_finish(answer.final_answer) if answer.final_answer else None
    final = answer.final_answer if said is None else GIVE_UP if said.gave_up else said.answer
    return Attempt(answer.query, final, "\n".join(step_lines(answer.turns)), has_finish=answer.has_finish)


def ruled(answer: ConvertedAnswer) -> Verdict | Missing:
    """What the finish rule says of an answer; unmeasured where a judge has to."""
    verdict = by_rule(attempt_of(answer), 0)
    return _UNJUDGED if verdict is None else verdict
