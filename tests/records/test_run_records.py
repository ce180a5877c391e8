"""What a run is, as plain data and back."""

import msgspec

from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import Expected, Fact, Query
from proctor.records.runs import Manifest, RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import Finish, StopReason, Trace


def test_a_run_is_written_and_read_without_loss() -> None:
    query = Query("7", "How?", calls=({"name": "x"},), facts=(Fact("so", ("so",)),), expected=Expected.REFUSAL)
    trace = Trace("7", StopReason.FINISHED, "so", (Finish("so"),))
    verdicts = (Verdict(Status.SOLVED, "so it is", "rubric"), Missing("nobody knows"))
    trial = Trial(TrialKey("set", "7"), query, trace, verdicts)
    record = RunRecord("run", Manifest(RunSpec("starter", ("set",), "null"), "1.0", 5.0), (trial,), 1, "rubric")
    assert msgspec.json.decode(msgspec.json.encode(record), type=RunRecord) == record


def test_a_field_that_keeps_its_default_does_not_change_a_runs_identity() -> None:
    plain = RunSpec("starter", ("set",), "null")
    assert plain.key == RunSpec("starter", ("set",), "null", limits={}, faults={}, data=None).key
    assert plain.key != RunSpec("starter", ("set",), "null", limits={"steps": 5}).key
