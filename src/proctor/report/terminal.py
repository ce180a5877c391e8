"""A run's figures in a terminal: what it scored, how sure that is, and what the run did. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from proctor.metrics._selection import Selection
from proctor.records.grades import Missing
from proctor.records.traces import StopReason
from proctor.report.summary import Figures, RunSummary, Spent, tokens_of
from proctor.report.tables import WIDTH, table, without_empty
from proctor.stats.calibration import is_of
from proctor.stats.intervals import Estimate

__all__ = ["Line", "amount", "money", "overview", "percent", "plain", "rate", "wrapped"]

_NOBODY = "nobody has judged yet"
_HEAD = ("set", "queries", "SoPR", "interval", "solved", "API calls", "finish", "unmeas.")
_GAP = 2
_BEWARE = "the heuristic looks at an answer's form, not whether it is true: its rate is no pass rate"


class Line(msgspec.Struct, frozen=True):
    """A line of text, and what it is: whoever prints it on a terminal may show that."""

    text: str
    kind: Literal["title", "head", "row", "total", "note"] = "row"


def plain(lines: Sequence[Line]) -> str:
    """The lines as text."""
    return "\n".join(line.text for line in lines)


def overview(run: RunSummary, *, full: bool = False) -> list[Line]:
    """The lines that say how good the agent of a run is, and what that rests on. They fit 80 columns.

    There are few of them, so that they stay on the screen; with `full` they tell by set what the agent did, and all
    that the run came to.
    """
    rows = [_row(one) for one in run.sets]
    several = len(run.sets) > 1
    if several:
        means = run.sets_means
        shared = ("", _value(means.api_call_score), _value(means.finish), "")
        rows += [_row(run.overall), ("mean of sets", "", *rate(run.sets_mean), *shared)]
    scores = _as_lines(table(*without_empty(_HEAD, rows)), several)
    doings = [line for one in _doings(run) for line in (Line(""), *_as_lines(one, several))] if full and several else []
    notes = _notes(run) if full else _few_notes(run)
    return [*_titles(run), Line(""), *scores, *doings, Line(""), *(Line(note, "note") for note in notes)]


def _titles(run: RunSummary) -> list[Line]:
    """What the run is and who judged it, in one line where it fits."""
    title, judged = _title(run), f"judged by {_judge(run)}" if run.judge else _NOBODY
    if len(title) + 2 + len(judged) <= WIDTH:
        return [Line(f"{title}, {judged}", "title")]
    return [Line(title, "title"), *(Line(text, "note") for text in wrapped("judged by", _judge(run)))]


def _as_lines(lines: Sequence[str], several: bool) -> list[Line]:
    """A table's lines; of several sets the last but one is the row of all."""
    kinds: dict[int, Literal["head", "total"]] = {0: "head", **({len(lines) - 2: "total"} if several else {})}
    return [Line(line, kinds.get(place, "row")) for place, line in enumerate(lines)]


def _doings(run: RunSummary) -> list[list[str]]:
    """By set, how far the APIs came that were needed, and who answered the calls: a table of each."""
    means, every = run.sets_means, (*run.sets, run.overall)
    shares = (
        "-" if isinstance(one, Missing) else _in_percent(one) for one in (means.offered, means.chosen, means.called)
    )
    chosen = [_chosen(one) for one in every] + [("mean of sets", "", *shares)]
    tables = [table(("set", "APIs needed", "offered %", "chosen %", "called %"), chosen)]
    kinds = sorted(run.calls.sources)
    if kinds:
        sources = [_in_percent(means.sources.get(kind, 0.0)) for kind in kinds]
        answered = [_answered(one, kinds) for one in every] + [("mean of sets", "", *sources)]
        tables.append(table(("set", "calls", *(f"{kind} %" for kind in kinds)), answered))
    return tables


def _chosen(one: Figures) -> tuple[str, ...]:
    found = one.selection
    stages = (found.offered, found.chosen, found.called)
    shares = [_in_percent(stage / found.needed) if found.needed else "-" for stage in stages]
    return (one.name, amount(found.needed), *shares)


def _answered(one: Figures, kinds: Sequence[str]) -> tuple[str, ...]:
    total = sum(one.calls.sources.values())
    sources = [_in_percent(one.calls.sources.get(kind, 0) / total) if total else "-" for kind in kinds]
    return (one.name, amount(one.calls.total), *sources)


def _in_percent(share: float) -> str:
    return f"{share * 100:.1f}"


def percent(share: float) -> str:
    """A share as people read it.

    >>> percent(0.4567)
    '45.7 %'
    """
    return f"{share * 100:.1f} %"


def amount(number: int) -> str:
    """A count with its thousands set apart.

    >>> amount(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def money(cost: float | Missing) -> str:
    """US dollars, or why nobody knows.

    >>> money(Missing("the price of 'my-model' is not known"))
    "unmeasured (the price of 'my-model' is not known)"
    """
    if isinstance(cost, Missing):
        return f"unmeasured ({cost.reason})"
    return f"{cost:.2f} US$" if cost >= 1 or cost == 0 else f"{cost:.4f} US$"


def _title(run: RunSummary) -> str:
    model = f" ({run.model})" if run.model else ""
    told = f"{run.name}: {run.agent}{model} on {run.benchmark}"
    return textwrap.shorten(told, WIDTH, placeholder=" …") or run.name


def _judge(run: RunSummary) -> str:
    if not run.judge:
        return _NOBODY
    return run.judge if run.method in ("", "official") or run.method in run.judge else f"{run.judge} ({run.method})"


def _row(one: Figures) -> tuple[str, ...]:
    measured = one.solved + one.unsure + one.unsolved
    broken = one.denominators.unscored + one.denominators.failed_by_environment
    return (
        one.name,
        amount(one.queries),
        *rate(one.sopr),
        f"{amount(one.solved)}/{amount(measured)}" if measured else "-",
        _value(one.api_call_score),
        _value(one.finish),
        amount(broken) if broken else "",
    )


def rate(estimate: Estimate | Missing) -> tuple[str, str]:
    """A rate and its interval, as they stand in a table.

    >>> rate(Missing("nobody has judged yet"))
    ('-', '')
    """
    if isinstance(estimate, Missing):
        return "-", ""
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value), "none"
    return percent(estimate.value), _ends(estimate.low, estimate.high)


def _ends(low: float, high: float) -> str:
    return f"{low * 100:.1f} to {high * 100:.1f}"


def _value(estimate: Estimate | Missing) -> str:
    return "-" if isinstance(estimate, Missing) else percent(estimate.value)


def _notes(run: RunSummary) -> list[str]:
    overall = run.overall
    return [
        *wrapped("SoPR", _how_sure(overall)),
        *wrapped("beware", _BEWARE if "heuristic" in run.method else ""),
        *_corrected(run, by_set=len(run.sets) > 1),
        *wrapped("flips", _flips(run.flips)),
        *wrapped("selection", _selected(run.selection)),
        *wrapped("calls", _calls(run)),
        *wrapped("stopped", _stopped(run)),
        *wrapped("trouble", _trouble(run)),
        *wrapped("spent", spent(run.spent)),
        *wrapped("unmeasured", _unmeasured(overall)),
    ]


def _few_notes(run: RunSummary) -> list[str]:
    """The notes without what goes without saying: that all went as it should, and cost nothing."""
    overall, found = run.overall, run.selection
    paid = run.spent.agent.requests + run.spent.judge.requests + run.spent.simulator.requests
    ended_well = {name for name, count in run.troubles.stops.items() if count} <= {StopReason.FINISHED.value}
    called = f"{percent(found.called / found.needed)} of {amount(found.needed)} needed" if found.needed else ""
    return [
        *wrapped("SoPR", _how_sure(overall)),
        *wrapped("beware", _BEWARE if "heuristic" in run.method else ""),
        *_corrected(run),
        *wrapped("flips", _flips(run.flips)),
        *wrapped("APIs", f"{called} were called" if called else ""),
        *wrapped("calls", _calls(run)),
        *wrapped("stopped", "" if ended_well else _stopped(run)),
        *wrapped("trouble", _trouble(run)),
        *wrapped("spent", spent(run.spent) if paid else ""),
        *wrapped("unmeasured", _unmeasured(overall)),
    ]


def _how_sure(overall: Figures) -> str:
    if isinstance(overall.sopr, Missing):
        return f"unmeasured: {overall.sopr.reason}" + (f" ({overall.sopr.detail})" if overall.sopr.detail else "")
    told = f"Solved 1, Unsure ½, Unsolved 0, over {_queries(overall.sopr.n)}"
    if not isinstance(overall.pass_rate, Missing) and len(overall.pass_rate.repeats) > 1:
        told += f"; {overall.pass_rate.percent} over {len(overall.pass_rate.repeats)} repeats of the judge"
    if overall.sopr.low is not None:
        told += f"; {overall.sopr.level * 100:g} % interval ({overall.sopr.method})"
    both = overall.errors_as_failures
    if isinstance(both, Estimate) and abs(both.value - overall.sopr.value) > 5e-4:
        told += f"; {percent(both.value)} when what broke counts as failed"
    return told


def _queries(number: int) -> str:
    return "1 query" if number == 1 else f"{amount(number)} queries"


def _corrected(run: RunSummary, *, by_set: bool = False) -> list[str]:
    overall, calibration = run.overall, run.calibration
    found = overall.corrected
    if found is None or calibration is None:
        return []
    if isinstance(found, Missing):
        return wrapped("corrected", f"unmeasured: {found.reason}" + (f" ({found.detail})" if found.detail else ""))
    ends = "" if found.low is None or found.high is None else f" ({_ends(found.low, found.high)})"
    raw = _value(overall.solved_rate)
    told = f"solved {raw} as judged; {percent(found.value)}{ends} with the judge's known errors taken out"
    told += f", by {amount(calibration.m0 + calibration.m1)} labels"
    told += f" of the judge {calibration.judge!r}" if calibration.judge else ""
    lines = wrapped("corrected", f"{told}; {found.note}" if found.note else told)
    if by_set:
        lines += wrapped("by set", "; ".join(f"{one.name} {_corrected_rate(one.corrected)}" for one in run.sets))
    if calibration.judge and not is_of(calibration, run.judge):
        lines += wrapped("careful", f"the calibration is of {calibration.judge!r}, and {run.judge!r} judged here")
    return lines


def _corrected_rate(found: Estimate | Missing | None) -> str:
    if not isinstance(found, Estimate):
        return "-"
    ends = "" if found.low is None or found.high is None else f" ({_ends(found.low, found.high)})"
    return f"{percent(found.value)}{ends}"


def _flips(found: Estimate | Missing) -> str:
    if isinstance(found, Missing):
        return ""
    over = f"over {_queries(found.n)}"
    told = over if found.low is None or found.high is None else f"{_ends(found.low, found.high)}, {over}"
    return f"the judges disagree about {percent(found.value)} of the answers ({told})"


def _selected(found: Selection) -> str:
    beside = f"{amount(found.unknown)} more are needed by answers of which nobody knows what was at hand"
    if not found.needed:
        return beside if found.unknown else "no query says which APIs it needs"
    stages = (("offered", found.offered), ("chosen", found.chosen), ("called", found.called))
    told = ", ".join(f"{amount(count)} {name} ({percent(count / found.needed)})" for name, count in stages)
    return f"{amount(found.needed)} APIs needed: {told}" + (f"; {beside}" if found.unknown else "")


def _calls(run: RunSummary) -> str:
    calls = run.calls
    if not calls.total:
        return "none"
    told = f"{amount(calls.total)}: {_counted(calls.sources)}"
    wrong = {"without an answer": calls.unanswered, "malformed": calls.malformed, "answered by an error": calls.errors}
    rest = _counted(wrong | {f"spoilt ({name})": count for name, count in calls.spoilt.items()})
    return f"{told}; {rest}" if rest else told


def _stopped(run: RunSummary) -> str:
    return _counted({name.replace("_", " "): count for name, count in run.troubles.stops.items()})


def _trouble(run: RunSummary) -> str:
    faults = _counted({f"the {name}'s": count for name, count in run.troubles.faults.items()})
    kinds = _counted(run.troubles.kinds)
    return f"{faults} ({kinds})" if faults else ""


def spent(cost: Spent) -> str:
    """What a run has cost, in one line."""
    parts = {"agent": cost.agent, "judge": cost.judge, "simulator": cost.simulator}
    asked = {name: amount(tokens_of(usage)) for name, usage in parts.items() if usage.requests}
    each = f" ({', '.join(f'{name} {tokens}' for name, tokens in asked.items())})" if len(asked) > 1 else ""
    tokens = f"{amount(cost.tokens)} tokens{each}, {money(cost.cost)}" if asked else ""
    return "; ".join(part for part in (tokens, f"{cost.seconds:.1f} s") if part)


def _unmeasured(overall: Figures) -> str:
    counts = overall.denominators
    told = dict(counts.unmeasured)
    if counts.failed_by_environment:
        told["failed through no fault of the agent"] = counts.failed_by_environment
    if counts.owed:
        told["still owed"] = counts.owed
    return "; ".join(f"{reason} ({amount(count)})" for reason, count in told.items())


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{amount(count)} {name}" for name, count in counts.items() if count)


def wrapped(head: str, text: str) -> list[str]:
    """A note under its head, in as many lines as it needs; none where there is nothing to say."""
    if not text:
        return []
    begin = f"{head:<10}{' ' * _GAP}"
    return textwrap.wrap(text, WIDTH, initial_indent=begin, subsequent_indent=" " * len(begin), break_on_hyphens=False)
