import json

from proctor.formats.stabletoolbench.of_runs import converted_parts, pass_rate_parts
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import Query
from proctor.records.runs import Manifest, RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import Failure, Fault, Finish, StopReason, Trace

SOLVED = Verdict(Status.SOLVED, "", "judge")
UNSOLVED = Verdict(Status.UNSOLVED, "", "finish rule")
CRASHED = Failure("ValueError", "oh", Fault.AGENT)
DOWN = Failure("SourceDown", "no line", Fault.ENVIRONMENT)


def trial(
    query_id: str, *verdicts: Verdict | Missing, failure: Failure | None = None, test_set: str = "G1", epoch: int = 0
) -> Trial:
    done = (Finish("Yes."),) if failure is None else ()
    stop = StopReason.FINISHED if failure is None else StopReason.FAILED
    trace = Trace(query_id, stop, "Yes." if done else "", done, failure=failure)
    return Trial(TrialKey(test_set, query_id, epoch), Query(query_id, "May I sail?"), trace, verdicts)


def run(*trials: Trial) -> RunRecord:
    spec = RunSpec("sailing", ("G1",), "react", "gpt")
    return RunRecord("react_gpt", Manifest(spec, "1", 0.0, "react", "gpt"), trials)


def test_the_file_of_a_run_has_every_trial_that_says_something_of_the_agent() -> None:
    record = run(trial("1", SOLVED), trial("2", UNSOLVED, failure=CRASHED), trial("3", failure=DOWN))
    (part,), lost = pass_rate_parts(record)
    document = json.loads(part.data)
    assert {query_id: item["is_solved"] for query_id, item in document.items()} == {
        "1": {"0": "AnswerStatus.Solved"},
        "2": {"0": "AnswerStatus.Unsolved"},
    }
    assert (part.name, part.answers) == ("", 2)
    assert lost == ("left out: a trial that broke through no fault of the agent's",)


def test_with_compat_a_query_without_an_answer_is_left_out() -> None:
    record = run(trial("1", SOLVED), trial("2", UNSOLVED, failure=CRASHED))
    (part,), lost = pass_rate_parts(record, compat=True)
    assert list(json.loads(part.data)) == ["1"]
    assert lost == ("left out: a query that has no answer",)
    (part,), lost = converted_parts(record, compat=True)
    assert list(json.loads(part.data)) == ["1"]
    assert json.loads(part.data)["1"]["answer"]["method"] == "react (gpt)"


def test_every_set_and_every_epoch_is_a_part() -> None:
    record = run(trial("1"), trial("1", epoch=1), trial("1", test_set="G2"))
    assert [part.name for part in converted_parts(record).value] == ["G1.epoch0", "G1.epoch1", "G2.epoch0"]
    assert [part.name for part in converted_parts(run(trial("1"), trial("1", test_set="G2"))).value] == ["G1", "G2"]


def test_a_table_names_the_agent_and_what_it_cannot_say_is_named() -> None:
    (part,), lost = pass_rate_parts(run(trial("1", SOLVED, Missing("the reply was cut"))), table=True)
    assert part.data.decode().splitlines()[1].endswith("react\t1\t{0: 'AnswerStatus.Solved'}")
    assert lost == ("left out: a verdict that was not measured: the reply was cut",)
