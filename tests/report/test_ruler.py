"""The ruler of a run's score: what stands on it, where, and that labels do not lie on each other."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from tests.report.exhibits import exhibit, full_exhibit

from proctor.records.grades import Missing
from proctor.records.runs import RunRecord
from proctor.report.ruler import ruler

MakeRun = Callable[..., RunRecord]


def test_the_run_stands_at_its_score_within_its_interval(make_run: MakeRun) -> None:
    shown = exhibit(make_run())
    drawn, sopr = ruler(shown, 960.0), shown.run.summary.overall.sopr
    assert drawn is not None
    assert not isinstance(sopr, Missing)
    assert (drawn.at - drawn.left) / drawn.length == pytest.approx(sopr.value)
    assert drawn.low is not None
    assert drawn.high is not None
    assert drawn.low < drawn.at < drawn.high
    assert drawn.told.startswith(f"SoPR {sopr.value * 100:.1f} %, interval ")


def test_floor_ceiling_baseline_and_published_rates_stand_beside_it_and_other_runs_do_not(make_run: MakeRun) -> None:
    drawn = ruler(full_exhibit(make_run), 960.0)
    assert drawn is not None
    names = [flag.name for flag in drawn.flags]
    assert sorted(names) == [
        "baseline_seed0",
        "null, the floor",
        "oracle, the ceiling",
        "published, GPT-simulated",
        "published, MirrorAPI-Cache",
    ]
    for flag in drawn.flags:
        assert flag.value in drawn.told
        assert (flag.to > flag.x) == flag.name.startswith("published")


@pytest.mark.parametrize("width", [340.0, 960.0])
def test_labels_stand_within_the_drawing_and_apart(make_run: MakeRun, width: float) -> None:
    drawn = ruler(full_exhibit(make_run), width)
    assert drawn is not None
    boxes: list[tuple[float, float, float]] = []
    for flag in drawn.flags:
        long = 6.5 * (len(flag.name) + len(flag.value) + 1)
        begin = {"start": flag.label_x, "middle": flag.label_x - long / 2, "end": flag.label_x - long}[flag.anchor]
        assert begin >= -0.1
        assert begin + long <= width + 0.1
        assert flag.label_y <= drawn.height
        assert all(y != flag.label_y or begin > end or begin + long < other for other, end, y in boxes)
        boxes.append((begin, begin + long, flag.label_y))


def test_an_unmeasured_run_has_no_ruler(make_run: MakeRun) -> None:
    assert ruler(exhibit(make_run(judged=False)), 960.0) is None


def test_a_baseline_that_is_a_reference_is_named_once(make_run: MakeRun) -> None:
    run, null = make_run(), make_run(agent="null", skill=-1.0)
    shown = exhibit(run, null, make_run(agent="oracle", skill=1.1), compared=True)
    again = msgspec.structs.replace(shown, neighbours=(*shown.neighbours, shown.neighbours[1]))
    drawn = ruler(again, 960.0)
    assert drawn is not None
    assert [flag.name for flag in drawn.flags] == ["null, the floor", "oracle, the ceiling"]
