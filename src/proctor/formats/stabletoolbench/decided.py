"""Preferences that the verdicts on both answers settle: exactly one solved wins, else exactly one unsure.

Where the verdicts are the same a judge has to compare (`proctor compare`). Such a round is left out, so that what reads
the counts still owes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from proctor.errors import InputError
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.pass_rates import PassRateEntry
from proctor.formats.stabletoolbench.preferences import Comparison, PreferenceCount
from proctor.judges.preference import verdict_first
from proctor.records.grades import Status, Verdict
from proctor.stats.preferences import Preferred


class Decided(msgspec.Struct, frozen=True):
    """What could be decided, round by round and counted by query."""

    comparisons: list[Comparison]
    counts: list[PreferenceCount]


def decided(
    reference: Sequence[PassRateEntry], candidate: Sequence[PassRateEntry], names: tuple[str, str]
) -> Conversion[Decided]:
    """The preferences between two models' answers to the same queries, as far as the verdicts decide them."""
    if names[0] == names[1]:
        raise InputError(f"both sides are called {names[0]}; preferences need two names.")
    others = {entry.query_id: entry for entry in candidate}
    found = Decided([], [])
    lost: list[str] = []
    for ours in reference:
        theirs = others.pop(ours.query_id, None)
        if theirs is None:
            lost.append(f"left out: a query that only {names[0]} has answered")
            continue
        rounds = list(_rounds(ours, theirs))
        settled = {number: preferred for number, preferred in enumerate(rounds) if preferred is not None}
        lost += ["left out: a round that a judge has to decide"] * (len(rounds) - len(settled))
        found.comparisons.extend(_comparison(ours, theirs, names, preferred) for preferred in settled.values())
        won = list(settled.values())
        count = PreferenceCount(
            ours.query_id,
            *names,
            for_reference=won.count(Preferred.REFERENCE),
            for_candidate=won.count(Preferred.CANDIDATE),
            rounds={f"round_{number}": "complete" for number in settled},
        )
        found.counts.append(count)
    lost += [f"left out: a query that only {names[1]} has answered"] * len(others)
    return Conversion(found, tuple(lost))


def _rounds(ours: PassRateEntry, theirs: PassRateEntry) -> Iterator[Preferred | None]:
    for one, other in zip(ours.verdicts, theirs.verdicts, strict=False):
        yield verdict_first(_status(one), _status(other))


def _status(verdict: object) -> Status | None:
    return verdict.status if isinstance(verdict, Verdict) else None


def _comparison(ours: PassRateEntry, theirs: PassRateEntry, names: tuple[str, str], preferred: Preferred) -> Comparison:
    return Comparison(
        query_id=ours.query_id,
        query=ours.query,
        reference=names[0],
        candidate=names[1],
        preferred=preferred,
        tool_names=ours.tool_names,
        reference_steps=ours.answer_steps,
        reference_final=ours.final_step,
        candidate_steps=theirs.answer_steps,
        candidate_final=theirs.final_step,
    )
