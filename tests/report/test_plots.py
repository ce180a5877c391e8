"""Plots: which there are, and that marks stand where their numbers say."""

from __future__ import annotations

import itertools

import pytest

from proctor.records.grades import Missing
from proctor.report.exhibit import Neighbour
from proctor.report.plots import HALF, LEFT, RIGHT, cost_plot, robustness_plot
from proctor.stats.intervals import Estimate


def run(name: str, score: float | None, cost: float | None = 0.0, faults: float = 0.0, like: str = "a") -> Neighbour:
    sopr = (
        Missing("nobody has judged") if score is None else Estimate(score, 10, max(score - 0.1, 0), min(score + 0.1, 1))
    )
    price = Missing("the price is not known") if cost is None else cost
    return Neighbour(name, "react", None, "rubric", "rubric", 10, sopr, price, faults, like)


def test_cost_is_drawn_where_two_runs_have_cost_something_known() -> None:
    assert cost_plot([run("a", 0.5, 0.01)]) is None
    assert cost_plot([run("a", 0.5, 0.01), run("b", 0.5, 0.0), run("c", 0.4, None), run("d", None, 0.2)]) is None
    plot = cost_plot([run("a", 0.5, 0.01), run("b", 0.7, 0.02)])
    assert plot is not None
    assert {mark.label for mark in plot.marks} == {"a", "b"}


def test_better_stands_higher_and_dearer_stands_further_right() -> None:
    plot = cost_plot([run("cheap", 0.2, 0.01), run("dear", 0.9, 0.03)])
    assert plot is not None
    marks = {mark.label: mark for mark in plot.marks}
    assert marks["dear"].x > marks["cheap"].x
    assert marks["dear"].y < marks["cheap"].y
    for mark in plot.marks:
        assert mark.top is not None
        assert mark.bottom is not None
        assert mark.top < mark.y < mark.bottom


@pytest.mark.parametrize("dearest", [0.00017, 0.02, 0.5, 3.0, 47.0, 12_000.0])
def test_no_mark_stands_outside_its_plot(dearest: float) -> None:
    for cheapest in (dearest * 0.9, dearest / 20, dearest / 5_000):
        plot = cost_plot([run("a", 0.0, cheapest), run("b", 1.0, dearest)])
        assert plot is not None
        for mark in plot.marks:
            assert LEFT - 0.01 <= mark.x <= HALF - RIGHT + 0.01
            assert plot.top - 0.01 <= mark.y <= plot.bottom + 0.01
        assert 2 <= len(plot.x_ticks) <= 8
        assert len({tick.text for tick in plot.x_ticks}) == len(plot.x_ticks)


def test_labels_of_runs_that_scored_the_same_do_not_lie_on_each_other() -> None:
    plot = cost_plot([run(name, 0.5, 0.01) for name in "abcd"])
    assert plot is not None
    heights = sorted(mark.label_y for mark in plot.marks)
    assert all(below - above >= 14 for above, below in itertools.pairwise(heights))


def test_robustness_joins_runs_that_differ_in_nothing_but_the_share_of_spoilt_answers() -> None:
    assert robustness_plot([run("a", 0.5), run("b", 0.4)]) is None
    plot = robustness_plot(
        [run("a5", 0.2, faults=0.5), run("a", 0.6), run("a1", 0.5, faults=0.1), run("other", 0.3, faults=0.3, like="b")]
    )
    assert plot is not None
    assert len(plot.marks) == 3
    (line,) = plot.lines
    places = [tuple(map(float, point.split(","))) for point in line.split()]
    assert places == sorted(places)


def test_the_label_of_a_line_stands_above_its_end_and_not_on_it() -> None:
    plot = robustness_plot([run("a5", 0.2, faults=0.5), run("a", 0.6), run("a1", 0.5, faults=0.1)])
    assert plot is not None
    (label,) = [mark for mark in plot.marks if mark.label]
    assert label.top is not None
    assert label.label_y < label.top
    assert label.label_x - 7 * len(label.label) > plot.left


def test_a_plot_is_as_broad_as_it_is_asked_to_be() -> None:
    for width in (340.0, HALF, 960.0):
        plot = cost_plot([run("a", 0.5, 0.01), run("b", 0.7, 0.02)], width)
        assert plot is not None
        assert plot.width == width
        assert max(mark.x for mark in plot.marks) > width * 0.7
