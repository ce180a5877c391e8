"""SoWR between two runs: a judge says of each query whose answer is better, in both orders.

What the judge said in one order is journalled at once, under what it was shown. So nothing is asked twice: not after
Ctrl-C or a kill, and not when the two runs change places.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import msgspec

from proctor.errors import MODEL_FAULTS, OptionError
from proctor.formats.stabletoolbench.pass_rates import step_lines
from proctor.formats.stabletoolbench.preferences import Comparison, comparison_table, counted, written_counts
from proctor.formats.stabletoolbench.traced import answer_of
from proctor.judges.attempts import Attempt
from proctor.judges.preference import (
    RULED_FIRST,
    Ordered,
    Preference,
    PreferenceJudge,
    both_orders,
    verdict_first,
)
from proctor.metrics._win_rate import solvable_win_rate
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.keys import content_hash
from proctor.records.runs import RunRecord, Trial, TrialKey
from proctor.records.traces import Fault, Usage
from proctor.runs.comparing import in_common
from proctor.runs.engines.local import carry_out
from proctor.runs.metering import Meter, Metered
from proctor.runs.schedule import Outcome, Patience
from proctor.stats.preferences import Preferred, WinRate
from proctor.store.artifacts import artifact
from proctor.store.journal import Journal, Key

__all__ = ["Pair", "Preferences", "journal_path", "pairs_of", "prefer", "write_preferences"]

_KIND = "order"
_PASSING = {MODEL_FAULTS[kind] for kind in ("unavailable", "server_error", "busy", "timeout", "not_recorded")}
"""Why nothing came of a question that may be asked again; whatever else the judge said stands."""
_BROKEN = Missing("the trial failed through no fault of the agent")


class Pair(msgspec.Struct, frozen=True):
    """Two trials of one query, one of each run, to be compared once."""

    key: TrialKey
    """The query; the epoch numbers the comparisons of it, over epochs and rounds."""
    reference: Trial
    candidate: Trial

    @property
    def settled(self) -> Preference | None:
        """What needs no judge: one of two broke, or the verdicts say enough."""
        if any(_broken(trial) for trial in (self.reference, self.candidate)):
            return Preference((_BROKEN, _BROKEN), "nobody", repeat=self.key.epoch)
        ruled = verdict_first(_status(self.reference), _status(self.candidate))
        if ruled is not None:
            return Preference((ruled, ruled), RULED_FIRST, repeat=self.key.epoch)
        one, other = self.attempts
        return (
            Preference((Preferred.TIE, Preferred.TIE), "same attempt", repeat=self.key.epoch) if one == other else None
        )

    @property
    def attempts(self) -> tuple[Attempt, Attempt]:
        """What a judge is shown of the two."""
        one, other = self.reference, self.candidate
        return Attempt.of(one.query, one.trace), Attempt.of(other.query, other.trace)


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is journalled of one question."""

    said: Ordered
    usage: Usage = Usage()


class Preferences(msgspec.Struct, frozen=True):
    """Whose answers a judge preferred."""

    reference: str
    candidate: str
    judge: str
    rate: WinRate | Missing
    """The candidate's win rate, with the share of flips beside it."""
    compared: tuple[tuple[Pair, Preference], ...]
    """Each comparison."""
    owed: int = 0
    """Comparisons that are still to be made: somebody stopped it, or the judge could not be reached."""
    usage: Usage = Usage()
    """What all that was asked for it has cost, now and before."""
    stopped: bool = False
    """Whether somebody stopped it."""


def journal_path(results: str | Path, one: RunRecord, other: RunRecord) -> Path:
    """Where the comparisons of two runs are kept, whichever comes first."""
    return Path(results) / "comparisons" / f"{'--'.join(sorted((one.name, other.name)))}.jsonl"


def pairs_of(
    reference: RunRecord, candidate: RunRecord, *, rounds: int = 1, test_sets: Collection[str] | None = None
) -> list[Pair]:
    """The comparisons that there are to make: every trial that both runs have, so many rounds each."""
    if rounds < 1:
        raise OptionError(f"there is at least 1 round, not {rounds}.")
    names = in_common(reference, candidate, test_sets)
    theirs = {trial.key: trial for trial in candidate.trials}
    return [
        Pair(TrialKey(key.test_set, key.query_id, key.epoch * rounds + number), trial, theirs[key])
        for trial in reference.trials
        if (key := trial.key) in theirs and key.test_set in names
        for number in range(rounds)
    ]


async def prefer(
    runs: tuple[RunRecord, RunRecord],
    pairs: Collection[Pair],
    judge: PreferenceJudge,
    journal: Journal,
    *,
    concurrency: int = 8,
    advance: Callable[[int], object] = lambda _: None,
) -> Preferences:
    """Ask the judge about every pair that is not settled and not in the journal, and count what it said.

    Ctrl-C finishes what is being asked; the rest is owed.
    """
    asking = _Asking(judge, journal, {pair.key: pair for pair in pairs if pair.settled is None})

    async def work(key: TrialKey) -> Outcome:
        outcome = await asking.ask(key)
        advance(1)
        return outcome

    owed = [key for key in asking.pairs if not asking.known(key)]
    advance(len(asking.pairs) - len(owed))
    state = await carry_out(owed, work, concurrency=concurrency, patience=Patience(2, 1.0))
    compared = tuple((pair, found) for pair in pairs if (found := pair.settled or asking.preference(pair)) is not None)
    rounds: dict[str, list[Preference]] = {}
    for pair, found in compared:
        rounds.setdefault(f"{pair.key.test_set}/{pair.key.query_id}", []).append(found)
    return Preferences(
        reference=runs[0].name,
        candidate=runs[1].name,
        judge=judge.name,
        rate=solvable_win_rate(rounds),
        compared=compared,
        owed=state.left,
        usage=asking.usage(),
        stopped=state.stopped,
    )


def write_preferences(path: str | Path, found: Preferences) -> None:
    """Write them as StableToolBench does: `.json` counts by query, `.csv` has a row for each comparison."""
    ending = Path(path).suffix.lower()
    if ending not in {".json", ".csv", ".tsv"}:
        raise OptionError(f"{path}: preferences are written as .json or .csv; end the name in one of them.")
    if found.reference == found.candidate:
        raise OptionError(f"both runs are called {found.reference!r}, so a file of preferences cannot tell them apart.")
    _refuse_twins(found)
    rows = list(_rows(found))
    with artifact(path) as file:
        if ending == ".json":
            file.write(msgspec.json.format(msgspec.json.encode(written_counts(counted(rows).value))))
        else:
            file.write(comparison_table(rows))


class _Asking:
    """The questions about pairs, with what the journal knows of them."""

    def __init__(self, judge: PreferenceJudge, journal: Journal, pairs: dict[TrialKey, Pair]) -> None:
        self.pairs = pairs
        self._judge = judge
        self._journal = journal
        self._questions = {key: self._both(pair) for key, pair in pairs.items()}

    def known(self, key: TrialKey) -> bool:
        """Whether both orders of a pair have been said."""
        return all(self._said(question) is not None for question in self._questions[key])

    async def ask(self, key: TrialKey) -> Outcome:
        """Ask in the orders that nobody has said."""
        outcome = Outcome.DONE
        reference, candidate = self.pairs[key].attempts
        for question, shown in zip(self._questions[key], ((reference, candidate), (candidate, reference)), strict=True):
            if self._said(question) is not None:
                continue
            meter = Meter()
            judge = copy.copy(self._judge)
            judge.model = Metered(judge.model, meter)
            said = await judge.order(*shown, key.epoch)
            if isinstance(said.first_is_better, Missing) and said.first_is_better.reason in _PASSING:
                outcome = Outcome.ENVIRONMENT
            else:
                self._journal.append(_KIND, question, Asked(said, meter.usage))
        return outcome

    def preference(self, pair: Pair) -> Preference | None:
        """What was said in both orders; None where it has not been."""
        ahead, behind = map(self._said, self._questions[pair.key])
        if ahead is None or behind is None:
            return None
        return both_orders(ahead.said, behind.said, self._judge.name, pair.key.epoch)

    def usage(self) -> Usage:
        """What the questions about these pairs have cost."""
        questions = (question for both in self._questions.values() for question in both)
        return sum((said.usage for question in questions if (said := self._said(question)) is not None), Usage())

    def _said(self, question: Key) -> Asked | None:
        return self._journal.body(_KIND, question, Asked)

    def _both(self, pair: Pair) -> tuple[Key, Key]:
        """Each order under what is shown first and second, so that it does not matter which run is which."""
        one, other = map(content_hash, pair.attempts)
        about = (pair.key.test_set, pair.key.query_id, pair.key.epoch, self._judge.name)
        return (*about, one, other), (*about, other, one)


def _refuse_twins(found: Preferences) -> None:
    """A file knows queries by their id alone."""
    sets: dict[str, str] = {}
    for pair, _ in found.compared:
        name = sets.setdefault(pair.key.query_id, pair.key.test_set)
        if name != pair.key.test_set:
            raise OptionError(
                f"both {name} and {pair.key.test_set} have a query {pair.key.query_id!r}, which a file of preferences "
                f"cannot tell apart; write one set at a time: --test-set {name}."
            )


def _rows(found: Preferences) -> Iterator[Comparison]:
    for pair, preference in found.compared:
        preferred = preference.preferred
        if not isinstance(preferred, Preferred):
            continue
        ours = answer_of(pair.reference.trace, pair.reference.query, compat=True).value
        theirs = answer_of(pair.candidate.trace, pair.candidate.query, compat=True).value
        steps, other_steps = step_lines(ours.turns), step_lines(theirs.turns)
        yield Comparison(
            query_id=pair.key.query_id,
            query=pair.reference.query.text,
            reference=found.reference,
            candidate=found.candidate,
            preferred=preferred,
            tool_names=tuple(ours.function_names),
            reference_steps="\n".join(steps),
            reference_final=steps[-1] if steps else "",
            candidate_steps="\n".join(other_steps),
            candidate_final=other_steps[-1] if other_steps else "",
        )


def _broken(trial: Trial) -> bool:
    failure = trial.trace.failure
    return failure is not None and failure.fault is not Fault.AGENT


def _status(trial: Trial) -> Status | None:
    """What most of the repeats say; None where there is none, or as many say one thing as another."""
    votes = Counter(verdict.status for verdict in trial.verdicts if isinstance(verdict, Verdict)).most_common(2)
    if not votes or (len(votes) == 2 and votes[0][1] == votes[1][1]):
        return None
    return votes[0][0]
