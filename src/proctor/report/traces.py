"""One trial as text: what was asked, every step of the agent, what should have been called, and the verdicts. Pure."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from proctor.metrics._trials import points
from proctor.records.answers import Answer
from proctor.records.grades import Missing, Score, Verdict
from proctor.records.queries import Expected, Query
from proctor.records.runs import Trial
from proctor.records.traces import CallStep, Finish, Resolution, Step, Thought
from proctor.report.tables import WIDTH
from proctor.report.terminal import amount, money

__all__ = ["trial_lines", "trial_row"]

_LONGEST = 1200
"""Characters of one answer that are shown; `--full` shows all."""
_HALF_KEY = 15
_LONGEST_KEY = 2 * _HALF_KEY + 1


def trial_row(trial: Trial, *, full: bool = False) -> tuple[str, ...]:
    """A trial in a line of a table: its key, what it is worth, how it ended, its calls, and the query's beginning.

    A long key loses its middle, unless all is wanted in `full`.
    """
    key = str(trial.key)
    worth = points(trial)
    calls = sum(isinstance(step, CallStep) for step in trial.trace.steps)
    return (
        key if full or len(key) <= _LONGEST_KEY else f"{key[:_HALF_KEY]}…{key[-_HALF_KEY:]}",
        "-" if isinstance(worth, Missing) else f"{worth.value:.2f}",
        trial.trace.stop.value.replace("_", " "),
        amount(calls),
        textwrap.shorten(_printable(trial.query.text), 10_000 if full else 60, placeholder="…"),
    )


def trial_lines(trial: Trial, *, full: bool = False, width: int = WIDTH) -> list[str]:
    """All that is known of a trial, from the query to the verdicts, in lines that fit a terminal."""
    page = _Page(width, None if full else _LONGEST)
    page.heading(str(trial.key))
    page.say("query", trial.query.text)
    _show_wanted(page, trial.query)
    page.heading("steps")
    for number, step in enumerate(trial.trace.steps, 1):
        _show_step(page, f"{number}", step)
    if not trial.trace.steps:
        page.say("", "none")
    _show_end(page, trial)
    page.heading("verdicts")
    for verdict in _all_verdicts(trial):
        page.say(*verdict)
    return page.lines


class _Page:
    """Lines in the making."""

    def __init__(self, width: int, longest: int | None) -> None:
        self.width = width
        self.longest = longest
        self.lines: list[str] = []

    def heading(self, text: str) -> None:
        if self.lines:
            self.lines.append("")
        self.lines += [text, "-" * min(len(text), self.width)]

    def say(self, head: str, text: str) -> None:
        """A word, and behind it what belongs to it."""
        begin = f"{head:<9} "
        cut = self._cut(_printable(text))
        for number, line in enumerate(cut.splitlines() or [""]):
            first = begin if number == 0 else " " * len(begin)
            self.lines += textwrap.wrap(
                line,
                self.width,
                initial_indent=first,
                subsequent_indent=" " * len(begin),
                break_on_hyphens=False,
                replace_whitespace=False,
            ) or [first.rstrip()]

    def _cut(self, text: str) -> str:
        if self.longest is None or len(text) <= self.longest:
            return text
        return f"{text[: self.longest]}… ({amount(len(text) - self.longest)} more characters; --full shows them)"


def _show_wanted(page: _Page, query: Query) -> None:
    if query.expected is not Expected.ANSWER:
        page.say("wanted", f"a right answer is of the kind {query.expected.value!r}")
    for call in query.calls:
        page.say("gold", _json(call))
    if not query.calls:
        for gold in query.gold:
            page.say("gold", f"{gold.tool} / {gold.api}")
    for fact in query.facts:
        page.say("fact", fact.says)


def _show_step(page: _Page, number: str, step: Step) -> None:
    if isinstance(step, Thought):
        page.say(f"{number} says", step.text)
    elif isinstance(step, Finish):
        page.say(f"{number} ends", "gives up" if step.gave_up else step.answer)
    else:
        _show_call(page, number, step)


def _show_call(page: _Page, number: str, step: CallStep) -> None:
    said = _json(step.arguments) if step.malformed is None else f"{step.malformed} (cannot be read)"
    named = "" if step.resolution is Resolution.RESOLVED else f" [{step.resolution.value}]"
    meant = f" = {step.api}" if step.api is not None and step.resolution is not Resolution.RESOLVED else ""
    page.say(f"{number} calls", f"{step.name}{named}{meant} {said}")
    page.say("", f"{_origin(step.answer)}: {step.observation}")


def _origin(answer: Answer | None) -> str:
    """Where an answer came from, in a word or two."""
    if answer is None:
        return "reached no API"
    made = answer.provenance
    if made is None:
        return "of unknown origin"
    told = made.source.value + (f" by {made.model}" if made.model else "")
    return f"{told}, spoilt ({made.fault})" if made.fault else told


def _show_end(page: _Page, trial: Trial) -> None:
    trace = trial.trace
    page.heading("end")
    page.say("stopped", trace.stop.value.replace("_", " "))
    if trace.failure is not None:
        page.say("failure", f"{trace.failure.kind}, the {trace.failure.fault.value}'s: {trace.failure.message}")
    offered = len(trace.offered) if isinstance(trace.offered, tuple) else trace.offered
    page.say("offered", "unknown" if offered is None else f"{amount(offered)} APIs")
    if trace.usage.requests:
        tokens = f"{amount(trace.usage.prompt_tokens)} + {amount(trace.usage.completion_tokens)} tokens"
        page.say("model", f"asked {trace.usage.requests} times, {tokens}, {money(trace.usage.cost)}")
    page.say("seconds", f"{trace.seconds:.2f}")
    page.say("answer", trace.final_answer or "none")


def _all_verdicts(trial: Trial) -> Iterator[tuple[str, str]]:
    worth = points(trial)
    if isinstance(worth, Score):
        yield "worth", f"{worth.value:.2f}"
    else:
        yield "worth", f"unmeasured: {worth.reason}"
    for verdict in trial.verdicts:
        yield _verdict(verdict)
        for ballot in verdict.ballots if isinstance(verdict, Verdict) else ():
            head, text = _verdict(ballot)
            yield "  ballot", f"{head}: {text}"


def _verdict(verdict: Verdict | Missing) -> tuple[str, str]:
    if isinstance(verdict, Missing):
        detail = f" ({verdict.detail})" if verdict.detail else ""
        return "Missing", f"{verdict.reason}{detail}"
    return verdict.status.value, f"{verdict.reason} [{verdict.judge}]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _printable(text: str) -> str:
    """Text without what would move a terminal's cursor or change its colours."""
    return "".join(letter if letter.isprintable() or letter == "\n" else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    return "    " if letter == "\t" else "" if letter == "\r" else letter.encode("unicode_escape").decode()
