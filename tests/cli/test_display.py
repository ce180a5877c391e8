"""What a run shows while it is at work."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.style import Style

from proctor import report
from proctor.cli.display import displayed, duration, so_far, standing_line
from proctor.cli.drawing import ACCENT, picture
from proctor.cli.running import Standing
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import ApiId
from proctor.records.runs import TrialKey
from proctor.records.traces import CallStep, Failure, Fault, Resolution, StopReason, Trace, Usage
from proctor.runs.watching import Again, Began, Event, Interrupted, Judged, Planned, Tried

NOTHING = Usage()
KEYS = [TrialKey("single", str(number)) for number in range(10)]


def call(source: Source | None) -> CallStep:
    answer = None if source is None else Answer({"ok": 1}, provenance=Provenance(source))
    return CallStep("weather", {}, Resolution.RESOLVED, "{}", api=ApiId("c", "t", "a"), answer=answer)


def trace(*sources: Source | None, usage: Usage = NOTHING) -> Trace:
    return Trace("q", StopReason.FINISHED, steps=tuple(call(source) for source in sources), usage=usage)


def solved(status: Status = Status.SOLVED) -> Verdict:
    return Verdict(status, "", "judge")


EVENTS: list[Event] = [
    Planned(10, 2, "baseline_default"),
    Began(KEYS[2]),
    Began(KEYS[3]),
    Began(KEYS[4]),
    Tried(KEYS[2], trace(Source.RECORDED, Source.SIMULATED, None, usage=Usage(1, 90, 10, 0.5))),
    Judged(KEYS[2], solved(), Usage(1, 400, 0, 0.25)),
    Judged(KEYS[2], Missing("the reply was cut")),
    Again(KEYS[3], Failure("SourceDown", "nobody answers", Fault.ENVIRONMENT)),
    Tried(KEYS[4], trace(Source.RECORDED)),
    Judged(KEYS[4], solved(Status.UNSURE)),
]


def standing_after(events: list[Event], every: float = 1.0) -> Standing:
    standing = Standing()
    for number, event in enumerate(events):
        standing.take(event, 100 + number * every)
    return standing


def ticking(step: float) -> Callable[[], float]:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += step
        return now

    return clock


def watched(kind: str, events: list[Event], step: float = 1.0) -> list[str]:
    out = io.StringIO()
    with displayed(kind, stream=out, clock=ticking(step)) as watcher:
        for event in events:
            watcher(event)
    return out.getvalue().splitlines()


def test_everything_that_happens_is_counted() -> None:
    standing = standing_after(EVENTS)
    assert (standing.planned, standing.done, standing.broken) == (10, 4, 1)
    assert standing.sources == {"recorded": 2, "simulated": 1, "unanswered": 1}
    assert standing.verdicts == {"Solved": 1, "Unsure": 1, "unmeasured": 1}
    assert (standing.tokens, standing.sopr) == (500, 0.75)
    assert not standing.at_work


def test_the_rate_counts_what_was_done_since_the_run_was_taken_up() -> None:
    standing = standing_after(EVENTS)
    assert standing.rate(104.0) == 0.5
    assert standing.left(104.0) == 12.0


def test_before_anything_is_done_there_is_no_rate_and_no_score() -> None:
    standing = standing_after(EVENTS[:3])
    assert (standing.rate(200.0), standing.left(200.0), standing.sopr) == (None, None, None)


def test_one_line_says_where_a_run_stands() -> None:
    assert standing_line(standing_after(EVENTS), 104.0) == (
        "4 of 10 (40 %); 0.5/s; 12 s left; SoPR so far 75.0 %; 1 Solved, 1 Unsure, 1 unmeasured; "
        "calls: 2 recorded, 1 simulated, 1 unanswered; 500 tokens, 0.7500 US$"
    )


def test_a_pass_rate_that_no_model_judged_says_so_while_the_run_is_at_work() -> None:
    judged = [Judged(KEYS[0], Verdict(Status.SOLVED, "", "heuristic"))]
    assert so_far(standing_after([Planned(1, 0, "run", "heuristic"), *judged])) == "SoPR so far 100.0 % (heuristic)"
    assert so_far(standing_after([Planned(1, 0, "run", "official"), *judged])) == "SoPR so far 100.0 %"


def test_an_unknown_price_is_never_no_cost() -> None:
    usage = Usage(1, 5, 5, Missing("the price is not known"))
    standing = standing_after([Planned(1, 0, "run"), Tried(KEYS[0], trace(usage=usage))])
    assert standing_line(standing, 104.0).endswith("10 tokens, unmeasured (the price is not known)")


def test_plain_lines_are_few_and_tell_what_is_odd() -> None:
    lines = watched("plain", [*EVENTS, Interrupted(3)])
    assert lines[0] == "baseline_default: 10 trials, 2 of them done before"
    assert "single/3#0 failed through the environment, to be tried again: SourceDown: nobody answers" in lines
    assert lines[-1] == "stopping: 3 trials at work are finished; Ctrl-C again leaves them"


def test_a_failure_that_comes_again_is_told_once_and_counted_at_the_end() -> None:
    down = Failure("SourceDown", "nobody answers", Fault.ENVIRONMENT)
    busy = Failure("ModelBusyError", "too many requests", Fault.ENVIRONMENT)
    lines = watched("plain", [Planned(10, 0, "run"), *(Again(one, down) for one in KEYS), Again(KEYS[0], busy)])
    assert lines == [
        "run: 10 trials",
        "single/0#0 failed through the environment, to be tried again: SourceDown: nobody answers",
        "single/0#0 failed through the environment, to be tried again: ModelBusyError: too many requests",
        "failed through the environment 10 times: SourceDown: nobody answers",
    ]


def test_of_many_different_failures_the_first_are_told_and_the_rest_counted() -> None:
    failures = [Failure("Odd", str(number), Fault.ENVIRONMENT) for number in range(10)]
    lines = watched("plain", [Planned(10, 0, "run"), *(Again(KEYS[0], one) for one in failures)])
    assert len(lines) == 1 + 5 + 1
    assert lines[-1] == "failed through the environment in other ways: 5 times"


@pytest.mark.parametrize(("trials", "step", "most"), [(1000, 0.001, 12), (1000, 0.1, 22), (5, 0.001, 7)])
def test_plain_lines_do_not_grow_with_the_run(trials: int, step: float, most: int) -> None:
    events: list[Event] = [Planned(trials, 0, "run")]
    events += [Tried(TrialKey("s", str(number)), trace()) for number in range(trials)]
    lines = watched("plain", events, step)
    assert 3 <= len(lines) <= most
    assert lines[-1].startswith(f"{trials:,} of {trials:,} (100 %)")


def test_the_last_plain_line_counts_every_verdict_and_no_line_says_that_no_second_is_left() -> None:
    events: list[Event] = [Planned(40, 0, "run", "rubric")]
    for number in range(40):
        key = TrialKey("s", str(number))
        events += [Tried(key, trace()), Judged(key, solved(Status.SOLVED if number % 4 else Status.UNSOLVED))]
    lines = watched("plain", events, 0.01)
    assert lines[-1].startswith("40 of 40 (100 %)")
    assert lines[-1].endswith("SoPR so far 75.0 % (rubric); 30 Solved, 10 Unsolved")
    assert sum(line.startswith("40 of 40") for line in lines) == 1
    assert not any(re.search(r"\b0 s left", line) for line in lines)
    assert all("SoPR so far" in line for line in lines[1:])


def test_verdicts_that_come_long_after_the_trials_are_told_meanwhile() -> None:
    events: list[Event] = [Planned(3, 0, "run", "official")]
    events += [Tried(TrialKey("s", str(number)), trace()) for number in range(3)]
    events += [Judged(TrialKey("s", str(number)), solved()) for number in range(3)]
    lines = watched("plain", events, 6.0)
    assert lines[-2:] == [line for line in lines if line.startswith("3 of 3")][-2:]
    assert lines[-1].endswith("3 Solved")


def test_nothing_to_do_is_one_line() -> None:
    assert watched("plain", [Planned(5, 5, "run")]) == ["run: 5 trials, 5 of them done before"]


def test_json_has_a_line_for_every_event() -> None:
    told = [json.loads(line) for line in watched("json", EVENTS)]
    assert [one["event"] for one in told] == [type(event).__name__.lower() for event in EVENTS]
    assert told[4] | {"at": 0} == {
        "event": "tried",
        "at": 0,
        "trial": "single/2#0",
        "stop": "finished",
        "steps": 3,
        "seconds": 0.0,
        "usage": {"requests": 1, "prompt_tokens": 90, "completion_tokens": 10, "cost": 0.5},
    }


def test_none_shows_nothing() -> None:
    assert watched("none", EVENTS) == []


def test_without_a_terminal_lines_are_plain() -> None:
    out = io.StringIO()
    with displayed(stream=out) as watcher:
        watcher(EVENTS[0])
    assert out.getvalue() == "baseline_default: 10 trials, 2 of them done before\n"


@pytest.mark.parametrize("kind", ["plain", "json"])
def test_a_display_that_nobody_reads_on_stops_no_run(kind: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    taken = 0
    with contextlib.suppress(BrokenPipeError), os.fdopen(writing, "w") as out, displayed(kind, stream=out) as watcher:
        for event in EVENTS:
            watcher(event)
            taken += 1
    assert taken == len(EVENTS)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_picture_fits_its_terminal_and_80_columns(width: int) -> None:
    out = io.StringIO()
    Console(file=out, width=width).print(picture(standing_after(EVENTS), 104.0))
    lines = out.getvalue().splitlines()
    assert all(len(line.rstrip()) <= min(width, 80) for line in lines)
    told = " ".join(" ".join(lines).split())
    assert "4/10" in told
    assert "2 recorded" in told


def drawn_with(**how: Any) -> str:
    Style.parse.cache_clear()  # a style keeps the codes of the first terminal that it was drawn on
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system="truecolor", **how)
    console.print(picture(standing_after(EVENTS), 104.0))
    return out.getvalue()


def test_verdicts_have_colours_and_words_and_the_bar_is_of_the_blue_of_the_page() -> None:
    written = drawn_with(no_color=False)
    assert "\x1b[32m1 Solved\x1b[0m" in written
    assert "\x1b[33m1 Unsure\x1b[0m" in written
    red, green, blue = (int(ACCENT[at : at + 2], 16) for at in (1, 3, 5))
    assert f"\x1b[38;2;{red};{green};{blue}m━" in written
    style = (Path(report.__file__).parent / "assets" / "page.css").read_text("utf-8")
    light, dark = (
        [int(said[at : at + 2], 16) for at in (0, 2, 4)] for said in re.findall(r"--accent: #(\w+)", style)[:2]
    )
    for mine, ends in zip((red, green, blue), zip(light, dark, strict=True), strict=True):
        assert min(ends) <= mine <= max(ends), "the bar has left the blues of the page"
    plain = drawn_with(no_color=True)
    assert not re.search(r"\x1b\[[\d;]*3[0-8][\d;]*m", plain)
    assert "1 Solved, 1 Unsure, 1 unmeasured" in plain


def test_what_a_run_is_called_is_never_taken_for_markup() -> None:
    out = io.StringIO()
    Console(file=out, width=80).print(picture(standing_after([Planned(1, 0, "[bold]x[/bold][red]")]), 104.0))
    assert "[bold]x[/bold][red]" in out.getvalue()


def read_all(main: int, written: list[bytes]) -> None:
    with contextlib.suppress(OSError):  # what a terminal says when nobody writes to it any more
        while more := os.read(main, 65536):
            written.append(more)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """Runs the events on a real terminal, and hands over what was written to it."""
    monkeypatch.setenv("TERM", "xterm-256color")

    def run() -> str:
        main, follower = pty.openpty()
        written: list[bytes] = []
        reader = threading.Thread(target=read_all, args=(main, written))
        reader.start()
        with os.fdopen(follower, "w") as out, displayed(stream=out) as watcher:
            for event in EVENTS:
                watcher(event)
        reader.join()
        os.close(main)
        return b"".join(written).decode()

    return run


def test_on_a_terminal_the_run_is_drawn(terminal: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    written = terminal()
    assert "baseline_default" in written
    assert "4/10" in written
    assert re.search(r"\x1b\[[\d;]*m", written)


def test_no_color_is_heeded(terminal: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    written = terminal()
    assert "4/10" in written
    assert not re.search(r"\x1b\[[\d;]*3[0-8][\d;]*m", written)


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59.6, "1 min"), (60, "1 min"), (3599.9, "1 h 0 min"), (7260, "2 h 1 min")]
)
def test_times_are_said_as_people_say_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said
