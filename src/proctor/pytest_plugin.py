"""A door for test suites: scores in tests, their figures below the tests' own, and gates.

Switched on by `pytest_plugins = ["proctor.pytest_plugin"]` in a conftest.py, or by `-p proctor.pytest_plugin`. It
does not load itself into suites that have no use for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proctor.dataset_schema import EvaluationDataset, Sample
from proctor.errors import InputError, OptionError
from proctor.metrics import registry
from proctor.metrics.base import Metric
from proctor.records.grades import Missing
from proctor.report.tables import table
from proctor.runs.evaluate import evaluate
from proctor.runs.gates import Verdict, decide, read_gate
from proctor.stats.intervals import Estimate
from proctor.stats.tally import Tally

__all__ = ["score"]

_Noted = tuple[str, float | None, str]
"""A metric's name, what a sample scored by it, and else why it could not be measured."""


class _Book:
    """What a session scored, kept by the process that reports."""

    def __init__(self, gates: list[str]) -> None:
        self.noted: list[_Noted] = []
        self.gates = gates

    @property
    def tallies(self) -> dict[str, Tally]:
        """By metric, all that was scored."""
        tallies: dict[str, Tally] = {}
        for name, value, reason in self.noted:
            tally = tallies.setdefault(name, Tally())
            if value is None:
                tally.add_missing(reason)
            else:
                tally.add(value)
        return tallies

    def verdicts(self) -> list[Verdict]:
        """What the gates say. OptionError where one cannot be read, or is of a metric that no test asked for."""
        tallies = self.tallies
        gates = [read_gate(said, tallies, option=_OPTION) for said in self.gates]
        return [decide(gate, tallies[gate.metric].estimate(), "mean") for gate in gates]


_BOOK = pytest.StashKey[_Book]()
_WORKER_OUTPUT = "workeroutput"
_NOTED = "proctor_noted"
_OPTION = "--proctor-fail-under"


def _measured(sample: Sample, metric: Metric) -> tuple[str, float | Missing]:
    try:
        result = evaluate(EvaluationDataset([sample]), metrics=[metric], show_progress=False)
    except InputError as error:  # the one sample has not what the metric needs
        return metric.name, Missing(str(error))
    return next(iter(result.scores[0].items()))


@pytest.fixture
def score(request: pytest.FixtureRequest) -> Callable[[Sample, Metric | str], float]:
    """Score a sample by a metric, or by a metric's name; the test fails where it cannot be measured."""
    book = request.config.stash[_BOOK]

    def scored(sample: Sample, metric: Metric | str) -> float:
        made = registry.make(metric) if isinstance(metric, str) else metric
        name, value = _measured(sample, made)
        if isinstance(value, Missing):
            book.noted.append((name, None, value.reason))
            pytest.fail(f"unmeasured: {name}: {value.reason}", pytrace=False)
        book.noted.append((name, float(value), ""))
        return float(value)

    return scored


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option."""
    parser.getgroup("proctor").addoption(
        _OPTION,
        dest="proctor_fail_under",
        action="append",
        default=[],
        metavar="METRIC=NUMBER",
        help="fail when the mean of a metric over all tests is below this; may be said for several metrics.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Open the book."""
    config.stash[_BOOK] = _Book(config.getoption("proctor_fail_under"))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker of pytest-xdist is done: what it noted is ours."""
    noted = getattr(node, _WORKER_OUTPUT, {}).get(_NOTED, [])
    node.config.stash[_BOOK].noted += [tuple(row) for row in noted]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Hand the book to the process that reports, or fail the session where a gate says so."""
    book = session.config.stash[_BOOK]
    if hasattr(session.config, _WORKER_OUTPUT):
        getattr(session.config, _WORKER_OUTPUT)[_NOTED] = book.noted
        return
    try:
        failed = not all(one.passed for one in book.verdicts())
    except OptionError:
        failed = True
    if failed and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The figures below the tests' own."""
    book = config.stash[_BOOK]
    if not book.noted and not book.gates:
        return
    terminalreporter.section("proctor")
    if book.noted:
        rows = [_row(name, tally) for name, tally in book.tallies.items()]
        terminalreporter.write_line("\n".join(table(["metric", "mean", "95 % interval", "n", "unmeasured"], rows)))
    try:
        for one in book.verdicts():
            terminalreporter.write_line(f"{'passed' if one.passed else 'FAILED'}  {one.sentence}")
    except OptionError as error:
        terminalreporter.write_line(f"FAILED  {error}")


def _row(name: str, tally: Tally) -> list[str]:
    estimate = tally.estimate()
    missing = str(tally.unmeasured.total())
    if not isinstance(estimate, Estimate):
        return [name, "-", "", "0", missing]
    interval = "none" if estimate.low is None else f"{estimate.low:.4f} to {estimate.high:.4f}"
    return [name, f"{estimate.value:.4f}", interval, str(estimate.n), missing]
