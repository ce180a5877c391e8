"""Which calibration corrects a run's rate: the named one, the rubric's own over the starter, or none."""

from pathlib import Path

import msgspec
import pytest

from proctor.config import settings_of
from proctor.errors import FileError
from proctor.records.runs import Manifest, RunRecord, RunSpec
from proctor.runs.calibrating import read_calibration
from proctor.starter import calibration
from proctor.stats.calibration import Calibration
from proctor.wiring.calibrations import NONE, calibration_for, calibration_named
from proctor.wiring.exams import prepare, sit
from proctor.wiring.pages import Wish, exhibit_of

OWN = read_calibration(calibration())


def run(benchmark: str = "starter", judge: str = "rubric") -> RunRecord:
    return RunRecord("a_b", Manifest(RunSpec(benchmark, ("s",), "a"), "1", 0.0), (), judge=judge)


def test_the_rubrics_own_is_used_unasked_where_the_rubric_judged_the_starter() -> None:
    assert calibration_for(None, run()) == OWN
    assert calibration_for("starter", run()) == OWN


@pytest.mark.parametrize(
    "other", [run(judge="heuristic"), run(judge=""), run(judge="panel of 2: rubric; gpt"), run("mine")]
)
def test_unasked_it_corrects_no_other_judge_and_no_other_benchmark(other: RunRecord) -> None:
    assert calibration_for(None, other) is None
    assert calibration_for("starter", other) == OWN


def test_none_corrects_nothing_and_a_file_goes_first(tmp_path: Path) -> None:
    assert calibration_for(NONE, run()) is None
    mine = tmp_path / "mine.json"
    mine.write_bytes(msgspec.json.encode(msgspec.structs.replace(OWN, judge="another")))
    found = calibration_for(str(mine), run())
    assert isinstance(found, Calibration)
    assert found.judge == "another"
    with pytest.raises(FileError):
        calibration_named(str(tmp_path / "nothing.json"))


@pytest.mark.parametrize(("said", "corrected"), [(None, True), (NONE, False)])
async def test_a_run_of_the_starter_and_its_page_are_corrected_unless_it_is_switched_off(
    said: str | None, corrected: bool, tmp_path: Path
) -> None:
    words = {"output": str(tmp_path), "agent": "oracle", "test_set": ["refusal"], "limit": 2, "calibration": said}
    ended = await sit(prepare(settings_of(words)))
    assert (ended.figures.overall.corrected is not None) is corrected
    assert (b'"sopr_corrected":{' in ended.result.read_bytes().replace(b" ", b"")) is corrected
    exhibit = exhibit_of(ended.folder, ended.record, None, Wish(calibration=said))
    assert (exhibit.calibration is not None) is corrected
