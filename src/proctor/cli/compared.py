"""What `proctor compare` tells: the paired comparison, whose answers a judge prefers, and the published table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from proctor.judges.preference import Preference
from proctor.records.grades import Missing
from proctor.records.runs import RunRecord
from proctor.report.published import Beside, Percent, published
from proctor.report.tables import table, without_empty
from proctor.report.terminal import amount, percent, wrapped
from proctor.runs.comparing import Flip, RunComparison
from proctor.runs.preferring import Pair, Preferences
from proctor.stats.comparisons import Comparison
from proctor.stats.intervals import Estimate
from proctor.stats.preferences import Preferred, WinRate

_HEAD = ("set", "n", "A", "B", "B - A", "interval", "p", "verdict")
_FLIP_HEAD = ("query", "A", "B", "what was asked")
_PUBLISHED_HEAD = ("server", "judge", "model", "CoT", "DFS")


class Side(msgspec.Struct, frozen=True):
    """One of the runs."""

    run: RunRecord
    beside: tuple[Beside, ...] = ()
    """It beside the published tables, where that was asked for."""


class Told(msgspec.Struct, frozen=True):
    """What there is to tell."""

    sides: tuple[Side, ...]
    found: RunComparison | None
    preferred: Preferences | None
    flips: int
    code: int | None
    """What the command ends with, where the verdict decides."""


def as_text(told: Told) -> str:
    """All of it for people. It fits 80 columns."""
    lines = [line for name, side in zip("AB", told.sides, strict=False) for line in wrapped(name, _who(side.run))]
    if told.found is not None:
        lines += ["", *_compared(told.found), *_flips(told.found.flips, told.flips)]
    if told.preferred is not None:
        lines += ["", *_preferred(told.preferred)]
    if any(side.beside for side in told.sides):
        lines += ["", *_published(told.sides)]
    if told.found is not None:
        gate = "" if told.code is None else f" Exit code {told.code}."
        lines += ["", *wrapped("verdict", f"{told.found.sentence}{gate}")]
    return "\n".join(lines)


def as_json(told: Told) -> str:
    """The same as JSON."""
    found, preferred = told.found, told.preferred
    plain = {
        "runs": [_plain(side.run) for side in told.sides],
        "comparison": found,
        "verdict": None if found is None or found.outcome is None else found.outcome.value,
        "sentence": None if found is None else found.sentence,
        "exit_code": told.code,
        "preferences": None if preferred is None else _plain_preferences(preferred),
        "published": None
        if not any(side.beside for side in told.sides)
        else {"figures": published(), "runs": {side.run.name: side.beside for side in told.sides}},
    }
    return msgspec.json.format(msgspec.json.encode(plain)).decode()


def _who(run: RunRecord) -> str:
    spec = run.manifest.spec
    model = f" ({spec.agent_model})" if spec.agent_model else ""
    judge = f"judged by {run.judge}" if run.judge else "nobody has judged it"
    return f"{run.name}: {spec.agent}{model} on {spec.benchmark}, {amount(len(run.trials))} trials, {judge}"


def _compared(found: RunComparison) -> list[str]:
    rows = [_row(name, one) for name, one in found.sets.items()]
    if len(found.sets) > 1:
        rows += [_row("all queries", found.overall), ("mean of sets", "", "", "", *_difference(found.average), "", "")]
    lines = table(*without_empty(_HEAD, rows))
    return [*lines, "", *_notes(found)]


def _row(name: str, one: Comparison | Missing) -> tuple[str, ...]:
    if isinstance(one, Missing):
        return (name, "0", "-", "-", "-", "", "-", "not measured")
    p = one.p if one.adjusted_p is None else one.adjusted_p
    verdict = one.outcome.value
    means = (_points(one.other_mean), _points(one.mean))
    return (name, amount(one.difference.n), *means, *_difference(one.difference), f"{p:.2g}", verdict)


def _difference(one: Estimate | Missing) -> tuple[str, str]:
    if isinstance(one, Missing):
        return "-", ""
    if one.low is None or one.high is None:
        return f"{one.value * 100:+.1f}", "none"
    return f"{one.value * 100:+.1f}", f"{one.low * 100:+.1f} to {one.high * 100:+.1f}"


def _points(share: float) -> str:
    return f"{share * 100:.1f}"


def _notes(found: RunComparison) -> Iterator[str]:
    overall = found.overall
    if isinstance(overall, Comparison):
        level = f"{overall.difference.level * 100:g} % interval"
        yield from wrapped("test", f"{overall.test}; {level} ({overall.difference.method})")
        yield from wrapped("reach", _reach(overall))
        changed = f"{amount(overall.better)} better, {amount(overall.worse)} worse, {amount(overall.equal)} as before"
        yield from wrapped("changed", changed)
    compared = max((one.comparisons for one in found.sets.values() if isinstance(one, Comparison)), default=1)
    if compared > 1:
        yield from wrapped("sets", f"the sets' p and verdicts hold for all {compared} at once (Holm)")
    yield from wrapped("left out", _left_out(found))
    for field, (one, other) in found.differs.items():
        yield from wrapped("differs", f"{field}: {one!r:.100} in A, {other!r:.100} in B")


def _reach(overall: Comparison) -> str:
    if isinstance(overall.detectable, Missing):
        detail = f" ({overall.detectable.detail})" if overall.detectable.detail else ""
        return f"unknown: {overall.detectable.reason}{detail}"
    return (
        f"{overall.detectable * 100:.1f} points is the smallest difference that {amount(overall.difference.n)} queries "
        "could have shown, four times in five"
    )


def _left_out(found: RunComparison) -> str:
    parts = [
        f"{amount(len(trials))} trials that only {name} has"
        for name, trials in (("A", found.only_baseline), ("B", found.only_candidate))
        if trials
    ]
    parts += [f"{amount(count)} trials unmeasured: {reason}" for reason, count in found.unmeasured.items()]
    return "; ".join(parts)


def _flips(flips: Sequence[Flip], most: int) -> Iterator[str]:
    shown = flips[:most]
    if not shown:
        return
    yield ""
    rows = [
        (f"{flip.test_set}/{flip.query_id}", f"{flip.before:.2f}", f"{flip.after:.2f}", " ".join(flip.text.split()))
        for flip in shown
    ]
    yield from table(_FLIP_HEAD, rows, left=4, cut=3)
    if len(flips) > len(shown):
        yield f"and {amount(len(flips) - len(shown))} more (--flips {len(flips)})"


def _preferred(found: Preferences) -> Iterator[str]:
    rate = found.rate
    if isinstance(rate, Missing):
        yield from wrapped("SoWR", f"unmeasured: {rate.reason}{f' ({rate.detail})' if rate.detail else ''}")
        return
    yield from wrapped("SoWR", f"{_share(rate.rate)}: B won {rate.wins}, tied {rate.ties}, lost {rate.losses}")
    yield from wrapped("", f"{percent(rate.wins_only.value)} by wins alone, as StableToolBench counts")
    yield from wrapped("judge", found.judge)
    yield from wrapped("orders", _orders(found, rate))
    unmeasured = "; ".join(f"{reason} ({count})" for reason, count in rate.unmeasured.items())
    yield from wrapped("unjudged", unmeasured)


def _share(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return f"{percent(one.value)} of {amount(one.n)} queries (no interval: {one.note})"
    return f"{percent(one.value)} ({one.low * 100:.1f} to {one.high * 100:.1f}) of {amount(one.n)} queries"


def _orders(found: Preferences, rate: WinRate) -> str:
    asked = sum(bool(one.reasons) for _, one in found.compared)
    pairs = amount(len(found.compared))
    rest = "the verdicts settled the rest, or both attempts were the same"
    if not asked:
        return f"none of {pairs} pairs had to be judged: the verdicts settled them, or both attempts were the same"
    if isinstance(rate.flips, Missing):
        told = f"a judge was asked about {amount(asked)} of {pairs} pairs and could be read on none in both orders"
    else:
        told = f"{amount(rate.flips.n)} of {pairs} pairs were judged in both orders, which disagreed on"
        told = f"{told} {percent(rate.flips.value)}"
        unread = asked - rate.flips.n
        told = f"{told}; on {amount(unread)} more the judge could not be read" if unread else told
    return told if asked == len(found.compared) else f"{told}; {rest}"


def _published(sides: Sequence[Side]) -> Iterator[str]:
    rows = []
    for place, one in enumerate(published().tables):
        rows += [(one.server, one.judge, row.model, _cell(row.chain), _cell(row.tree)) for row in one.rows]
        for name, side in zip("AB", sides, strict=False):
            found = side.beside[place]
            told = "comparable" if not found.differs else "not comparable"
            cells = ("", _run_cell(found)) if side.run.manifest.spec.agent == "dfs" else (_run_cell(found), "")
            rows.append((f"run {name}", f"({told})", side.run.name, *cells))
    yield "published SoPR in percent, means over the six sets, and the runs beside it"
    yield from table(_PUBLISHED_HEAD, rows, left=3, cut=2)
    for name, side in zip("AB", sides, strict=False):
        yield from _not_comparable(name, side.beside)
    judges = "; ".join(
        f"{one.model} {one.solving:g} % on solving, {one.comparison:g} % on comparison" for one in published().judges
    )
    yield from wrapped("judges", f"agreement with people, as published: {judges}")


def _not_comparable(name: str, tables: Sequence[Beside]) -> Iterator[str]:
    """Why a run is not comparable: what holds for every table first, then what does for one."""
    common = [said for said in tables[0].differs if all(said in one.differs for one in tables)]
    for said in common:
        yield from wrapped(f"run {name}", said)
    for one in tables:
        for said in one.differs:
            if said not in common:
                yield from wrapped(f"run {name}", f"beside {one.table.server}: {said}")


def _cell(one: Percent) -> str:
    mean, sd = one
    return f"{mean:.1f}" if sd is None else f"{mean:.1f}±{sd:.1f}"


def _run_cell(one: Beside) -> str:
    return "-" if isinstance(one.rate, Missing) else _cell((one.rate, one.sd))


def _plain(run: RunRecord) -> dict[str, Any]:
    return {"name": run.name, "spec": run.manifest.spec, "judge": run.judge, "method": run.method}


def _plain_preferences(found: Preferences) -> dict[str, Any]:
    return {
        "judge": found.judge,
        "rate": found.rate,
        "owed": found.owed,
        "usage": found.usage,
        "compared": [_plain_pair(pair, said) for pair, said in found.compared],
    }


def _plain_pair(pair: Pair, said: Preference) -> dict[str, Any]:
    preferred = said.preferred
    return {
        "test_set": pair.key.test_set,
        "query_id": pair.key.query_id,
        "preferred": preferred.value if isinstance(preferred, Preferred) else None,
        "unmeasured": preferred if isinstance(preferred, Missing) else None,
        "by": said.judge,
        "flipped": said.flipped,
        "reasons": said.reasons,
    }
