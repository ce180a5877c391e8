"""What a judge is shown of a recorded answer, and what is settled about it without one."""

from __future__ import annotations

from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.pass_rates import step_lines
from proctor.judges.attempts import Attempt
from proctor.judges.judge import by_rule
from proctor.records.finishing import GIVE_UP, finish_of
from proctor.records.grades import Missing, Verdict
from proctor.records.traces import Finish

_UNJUDGED = Missing("nobody has judged it")


def attempt_of(answer: ConvertedAnswer) -> Attempt:
    """A converted answer as a judge is shown it."""
    said = finish_of(answer.final_answer)
    final = (GIVE_UP if said.gave_up else said.answer) if isinstance(said, Finish) else answer.final_answer
    return Attempt(answer.query, final, "\n".join(step_lines(answer.turns)), has_finish=answer.has_finish)


def ruled(answer: ConvertedAnswer) -> Verdict | Missing:
    """What the finish rule says of an answer; unmeasured where a judge has to."""
    verdict = by_rule(attempt_of(answer), 0)
    return _UNJUDGED if verdict is None else verdict
