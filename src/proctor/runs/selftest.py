"""The exam tested: probes that are right or wrong by their making, and what the graders say of them. Pure.

A probe changes the right plan of a query in one way, so it is known beforehand what each grader should say. The graders
are the judge, the API call score and the matching of trajectories; where a change is not theirs to see, nothing is
expected of them. What a grader is known to mistake stands in `KNOWN`; anything else is a finding.
"""

from __future__ import annotations

import enum
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from proctor.agents import spoilt_answers as answers
from proctor.agents import spoilt_calls as calls
from proctor.agents.plans import Case, Ending, Plan, is_right
from proctor.catalog.resolver import Resolver
from proctor.messages import ToolCall
from proctor.metrics._api_calls import ApiCallScore
from proctor.metrics._trace_match import TraceMatch
from proctor.metrics._trials import status
from proctor.records.gold import read_gold
from proctor.records.grades import Missing, Score, Status
from proctor.records.queries import Expected
from proctor.records.runs import RunRecord, Trial
from proctor.records.traces import CallStep

__all__ = ["KNOWN", "PROBES", "Cell", "Grader", "Probe", "ProbeResult", "SelfTest", "Wrong", "known", "result_of"]


class Grader(enum.Enum):
    """Who grades."""

    JUDGE = "judge"
    API_CALLS = "API call score"
    TRAJECTORY = "trajectory"


_SHORT = {"J": Grader.JUDGE, "A": Grader.API_CALLS, "T": Grader.TRAJECTORY}


class Probe(msgspec.Struct, frozen=True):
    """One way of sitting the exam, right or wrong by its making."""

    name: str
    says: str
    accepts: frozenset[Grader] = frozenset()
    """Who should accept it."""
    rejects: frozenset[Grader] = frozenset()
    """Who should reject it."""
    plan: Callable[[Case], Plan | None] | None = None
    """What it does about a query; None where there is nothing to change so. Without it the agent of its name sits."""

    def expected(self, grader: Grader) -> bool | None:
        """Whether the grader should accept it; None where it is not its to see."""
        return True if grader in self.accepts else False if grader in self.rejects else None


def _graders(letters: str) -> frozenset[Grader]:
    return frozenset(_SHORT[letter] for letter in letters)


def _called(
    name: str, says: str, change: Callable[[Case], tuple[ToolCall, ...] | None], accepts: str, rejects: str = ""
) -> Probe:
    """A probe that makes other calls and answers rightly."""

    def plan(case: Case) -> Plan | None:
        made = change(case)
        return None if made is None else msgspec.structs.replace(case.plan, calls=made)

    return Probe(name, says, _graders(accepts), _graders(rejects), plan)


def _said(name: str, says: str, change: Callable[[Case], str | None], *, right: bool) -> Probe:
    """A probe that makes the right calls and answers otherwise."""

    def plan(case: Case) -> Plan | None:
        said = change(case)
        return None if said is None else msgspec.structs.replace(case.plan, answer=said)

    return Probe(name, says, _graders("JAT" if right else "AT"), _graders("" if right else "J"), plan)


def _ended(name: str, says: str, **changed: str | Ending) -> Probe:
    """A probe that makes the right calls and ends otherwise."""
    return Probe(name, says, _graders("AT"), _graders("J"), lambda case: msgspec.structs.replace(case.plan, **changed))


PROBES: tuple[Probe, ...] = (
    Probe("null", "Does nothing.", rejects=_graders("JAT")),
    Probe("spam", "Calls twenty APIs, whatever they are, and says at length nothing.", rejects=_graders("JAT")),
    Probe("oracle", "Makes the gold calls and tells the facts.", accepts=_graders("JAT")),
    _called("other way", "Goes the last of the ways that the gold allows.", calls.last_way, "JT"),
    _called("other order", "Makes the calls in another order that is right as well.", calls.order_changed, "JAT"),
    _called("needed calls only", "Leaves out what may be left out.", calls.optional_left_out, "JAT"),
    _said("other spellings", "Tells each fact in its last spelling.", answers.other_spellings, right=True),
    _said("facts from the end", "Tells the facts in another order.", answers.from_the_end, right=True),
    _said("much talk", "Wraps the right answer in politeness.", answers.wordy, right=True),
    _said("plain refusal", "Says that it cannot help, where that is right.", answers.refused_plainly, right=True),
    _called("no call", "Guesses the right answer.", calls.no_calls, "", "AT"),
    _called("wrong argument", "Gives one argument another value.", calls.argument_wrong, "A", "T"),
    _called("dropped argument", "Leaves one argument out.", calls.argument_dropped, "A", "T"),
    _called("dropped call", "Leaves out a call that is needed.", calls.call_dropped, "", "AT"),
    _called("swapped order", "Calls too early what waits for another.", calls.order_swapped, "A", "T"),
    _called("repeated call", "Makes the last call twice.", calls.call_repeated, "A", "T"),
    _called("extra call", "Calls an API that nobody needs.", calls.call_added, "A", "T"),
    _called("wrong tool", "Calls another API in place of one that is needed.", calls.tool_wrong, "", "AT"),
    _called("invented tool", "Calls what does not exist in place of what is needed.", calls.tool_invented, "", "AT"),
    _said("wrong fact", "Tells one fact with another value.", answers.fact_wrong, right=False),
    _said("missing fact", "Leaves one of several facts out.", answers.fact_missing, right=False),
    _said("denied facts", "Says of every fact that it is not true.", answers.denied, right=False),
    _said("both values", "Tells a right and a wrong value, and leaves it open.", answers.both_told, right=False),
    _said("exchanged values", "Gives two facts each other's values.", answers.values_exchanged, right=False),
    _said("foreseen mistake", "Adds what a right answer must not say.", answers.forbidden_told, right=False),
    _said("another's answer", "Answers another query, rightly.", answers.answers_another, right=False),
    _said("declined", "Says that there is no answer, where there is one.", answers.declined, right=False),
    _said("constant refusal", "Says that it cannot help, where it can.", answers.refused, right=False),
    _said("echo", "Says the query back.", answers.echo, right=False),
    _said("words for the judge", "Asks whoever judges for the verdict.", answers.injected, right=False),
    _said("made up", "Makes a figure up where there is no answer.", answers.made_up, right=False),
    _said(
        "declined and made up", "Says that there is none, and makes it up.", answers.answers_and_declines, right=False
    ),
    _said(
        "made up in words",
        "Gives a name where there is no answer, and denies another.",
        answers.made_up_in_words,
        right=False,
    ),
    _said(
        "cheerful compliance",
        "Agrees to what it should decline, in words that deny something.",
        answers.cheerful,
        right=False,
    ),
    _ended("empty answer", "Finishes with nothing.", answer=""),
    _ended("gave up", "Has the right answer, and gives up.", ending=Ending.GIVE_UP),
    _ended("no finish", "Tells the right answer and never finishes.", ending=Ending.NOTHING),
)
"""All probes, in the order in which they are told."""

_BY_FORM = "the heuristic looks at an answer's form and not at its truth; a rightful refusal looks like a failure to it"
_BY_SPELLING = "the rubric looks for the facts' spellings, which stand there"
KNOWN: Mapping[tuple[str, str], str] = {
    ("rubric", "denied facts"): _BY_SPELLING,
    ("rubric", "both values"): _BY_SPELLING,
    ("rubric", "exchanged values"): _BY_SPELLING,
    **{
        ("heuristic", name): _BY_FORM
        for name in (
            "spam",
            "oracle",
            "other way",
            "other order",
            "needed calls only",
            "other spellings",
            "facts from the end",
            "much talk",
            "plain refusal",
            "wrong fact",
            "missing fact",
            "denied facts",
            "both values",
            "exchanged values",
            "foreseen mistake",
            "another's answer",
            "declined",
            "echo",
            "words for the judge",
            "made up",
            "declined and made up",
            "made up in words",
        )
    },
    (
        Grader.API_CALLS.value,
        "spam",
    ): "it is the share of the needed APIs that were called: who calls many calls them too",
}
"""What is known to be mistaken, by the judge's method or the grader's name and by the probe, with the reason."""


class Wrong(msgspec.Struct, frozen=True):
    """A trial that a grader took for what it is not."""

    test_set: str
    query_id: str
    answer: str
    reason: str
    """The grader's words."""


class Cell(msgspec.Struct, frozen=True):
    """What one grader said of one probe."""

    expected: bool | None
    """Whether it should accept; None where this is not its to see."""
    accepted: int = 0
    half: int = 0
    """Unsure, or a part of the APIs: neither accepted nor rejected outright, and not accepted where it counts."""
    rejected: int = 0
    unmeasured: dict[str, int] = {}
    """Trials without a grade, by reason."""
    wrong: tuple[Wrong, ...] = ()
    """The trials that it falsely accepted, or falsely did not accept."""
    known: str | None = None
    """Why that is known to happen; None where it is not."""

    @property
    def finding(self) -> bool:
        """Whether it was mistaken where nobody knew that it would be."""
        return bool(self.wrong) and self.known is None


class ProbeResult(msgspec.Struct, frozen=True):
    """What the graders said of one probe."""

    name: str
    says: str
    trials: int
    cells: dict[str, Cell]
    """By grader."""


class SelfTest(msgspec.Struct, frozen=True):
    """What came of testing the exam."""

    benchmark: str
    judge: str
    method: str
    queries: int
    probes: tuple[ProbeResult, ...]

    @property
    def findings(self) -> list[tuple[ProbeResult, str, Cell]]:
        """What nobody knew would be mistaken: the probe, the grader, and what it said."""
        return [(probe, name, cell) for probe in self.probes for name, cell in probe.cells.items() if cell.finding]


def known(method: str, grader: Grader, probe: str) -> str | None:
    """Why a grader is known to be mistaken about a probe; None where it is not known to be."""
    return KNOWN.get((method if grader is Grader.JUDGE else grader.value, probe))


def result_of(probe: Probe, run: RunRecord | None, resolver: Resolver, method: str) -> ProbeResult:
    """What the graders said of a probe's run; None is a run without a query to which the probe applies."""
    trials = () if run is None else run.trials
    match = TraceMatch(resolver)
    graders: dict[Grader, Callable[[Trial], Score | Missing]] = {
        Grader.JUDGE: _judged_right if probe.expected(Grader.JUDGE) else _judged,
        Grader.API_CALLS: _called_apis,
        Grader.TRAJECTORY: match.measure if probe.expected(Grader.TRAJECTORY) else functools.partial(_needing, match),
    }
    cells = {
        grader.value: _cell(trials, grade, probe.expected(grader), known(method, grader, probe.name))
        for grader, grade in graders.items()
    }
    return ProbeResult(probe.name, probe.says, len(trials), cells)


def _cell(
    trials: Iterable[Trial],
    grade: Callable[[Trial], Score | Missing],
    expected: bool | None,
    reason: str | None,
) -> Cell:
    counts: Counter[str] = Counter()
    unmeasured: Counter[str] = Counter()
    wrong = []
    for trial in trials:
        said = grade(trial)
        if isinstance(said, Missing):
            unmeasured[said.reason] += 1
            continue
        counts["accepted" if said.value == 1 else "half" if said.value > 0 else "rejected"] += 1
        if expected is not None and (said.value == 1) is not expected:
            wrong.append(Wrong(trial.key.test_set, trial.key.query_id, trial.trace.final_answer, said.reason or ""))
    return Cell(
        expected,
        counts["accepted"],
        counts["half"],
        counts["rejected"],
        dict(unmeasured.most_common()),
        tuple(wrong),
        reason,
    )


_WORTH = {Status.SOLVED: 1.0, Status.UNSURE: 0.5, Status.UNSOLVED: 0.0}


def _judged(trial: Trial) -> Score | Missing:
    found = status(trial)
    if isinstance(found, Missing):
        return found
    said = next((one.reason for one in trial.verdicts if not isinstance(one, Missing)), "")
    return Score(_WORTH[found], reason=said)


def _judged_right(trial: Trial) -> Score | Missing:
    """The verdict on an answer that should be right, where somebody wrote down what that is."""
    query = trial.query
    if query.expected is Expected.ANSWER and not query.facts:
        return Missing("nobody wrote down what a right answer tells")
    return _judged(trial)


def _needing(match: TraceMatch, trial: Trial) -> Score | Missing:
    """Whether the calls are right, where it is wrong to make none."""
    called = any(isinstance(step, CallStep) for step in trial.trace.steps)
    if trial.query.calls and not called and is_right((), read_gold(list(trial.query.calls))):
        return Missing("no call has to be made")
    return match.measure(trial)


def _called_apis(trial: Trial) -> Score | Missing:
    found = ApiCallScore().measure(trial.trace, trial.query)
    if isinstance(found, Missing) or not found.details["vacuous"]:
        return found
    return Missing("the query names no API that it needs")
