import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import Result

from proctor.formats.stabletoolbench.pass_rates import read_pass_rates
from proctor.models.scripted_server import ScriptedServer
from proctor.records.grades import Status, Verdict
from proctor.stats.calibration import calibrate
from proctor.store.journal import Journal

Run = Callable[..., Result]
POINTS = {"AnswerStatus.Solved": 1.0, "AnswerStatus.Unsure": 0.5, "AnswerStatus.Unsolved": 0.0}
OPINIONS = {"1": ["Solved"], "2": ["Unsure", "Unsure"], "3": ["Unsolved"]}
"""What the judge says of the answers to these queries; of an unsure one it says so twice. 4 ends without Finish, and
nobody answered 5."""


def api(name: str) -> dict[str, Any]:
    return {
        "category_name": "Weather",
        "tool_name": "Sky Report",
        "api_name": name,
        "api_description": "",
        "required_parameters": [],
        "optional_parameters": [],
        "method": "GET",
    }


def query(number: int) -> dict[str, Any]:
    gold = [["Sky Report", "Get Forecast"], ["Sky Report", "List Ports"]]
    apis = [api("Get Forecast"), api("List Ports")]
    return {"query_id": number, "query": f"Question {number}?", "relevant APIs": gold, "api_list": apis}


def answer(number: int) -> dict[str, Any]:
    finish = json.dumps({"return_type": "give_answer", "final_answer": f"Answer {number}."})
    messages = [{"name": "get_forecast_for_sky_report", "arguments": "{}", "response": '{"error": "", "response": 5}'}]
    if number % 2:
        messages.append({"name": "list_ports_for_sky_report", "arguments": "{}", "response": "ports"})
    if number != 4:
        messages.append({"name": "Finish", "arguments": finish, "response": ""})
    details: list[Any] = []
    for message in reversed(messages):
        details = [{"role": "tool", "message": message, "next": details}]
    tools = [{"name": name} for name in ("get_forecast_for_sky_report", "list_ports_for_sky_report", "Finish")]
    body = {"method": "CoT@1", "total_steps": 1 + len(messages), "final_answer": finish if number != 4 else ""}
    whole = [{"role": "system", "message": "", "next": details}]
    return {"query": f"Question {number}?", "available_tools": tools, "answer": {**body, "answer_details": whole}}


@pytest.fixture
def exam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark of five queries, a model's answers to four of them, and an empty folder to be in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "G1.json").write_text(json.dumps([query(number) for number in range(1, 6)]))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "G2.json").write_text(json.dumps([query(77)]))
    (tmp_path / "gpt").mkdir()
    (tmp_path / "gpt" / "G1.json").write_text(json.dumps({str(number): answer(number) for number in range(1, 5)}))
    return tmp_path


@pytest.fixture
def judge() -> Iterator[ScriptedServer]:
    """A judge at an address, whose opinion of an answer is always the same."""

    def says(body: dict[str, Any]) -> dict[str, str]:
        text = json.dumps(body["messages"])
        number = next(number for number in OPINIONS if f"Question {number}?" in text)
        return {"reason": f"I have read it: {number}", "answer_status": OPINIONS[number][0]}

    with ScriptedServer(says, latency=0.01) as server:
        yield server


def graded(run: Run, *words: str, exit_code: int = 0) -> Any:
    done = run("grade", *words, "--json")
    assert done.exit_code == exit_code, done.stderr
    (one,) = json.loads(done.stdout)["runs"]
    return one


def by_model(judge: ScriptedServer) -> tuple[str, ...]:
    return "--judge", "openai/scripted", "--judge-url", judge.url


FIRST = ("gpt/G1.json", "--benchmark", "queries")
FOLDER = Path("results/runs/gpt_queries-recorded")


def test_recorded_answers_are_judged_and_the_result_file_says_all(run: Run, exam: Path, judge: ScriptedServer) -> None:
    told = graded(run, *FIRST, *by_model(judge), "--judge-repeats", "3")
    document = json.loads((exam / told["result"]).read_text())
    assert set(document) == {"metadata", "summary", "results"}
    assert {"framework", "config", "overall_time", "timestamp"} <= set(document["metadata"])
    config = document["metadata"]["config"]
    assert {"test_set", "num_queries", "evaluator_model", "evaluation_method"} <= set(config)
    assert (config["test_set"], config["num_queries"], config["evaluation_method"]) == ("G1", 5, "official")
    assert config["evaluator_model"].startswith("solving (openai/scripted")
    assert [one["query_id"] for one in document["results"]] == ["1", "2", "3", "4", "5"]
    for number, result in enumerate(document["results"], 1):
        check_result(number, result)
    check_summary(document["summary"], document["results"])


def check_result(number: int, result: dict[str, Any]) -> None:
    """A result against what was answered and what the judge says, key by key."""
    finished = number < 4
    status = OPINIONS[str(number)][0] if finished else "Unsolved"
    calls = (
        [] if number == 5 else [["Sky Report", "Get Forecast"], *([["Sky Report", "List Ports"]] if number % 2 else [])]
    )
    assert result["query_text"] == f"Question {number}?"
    assert result["gold_answer"] == {
        "relevant_apis": [["Sky Report", "Get Forecast"], ["Sky Report", "List Ports"]],
        "available_tools": [
            {
                "category": "Weather",
                "tool_name": "Sky Report",
                "apis": [
                    {"api_name": "Get Forecast", "api_description": ""},
                    {"api_name": "List Ports", "api_description": ""},
                ],
            }
        ],
    }
    assert set(result["system_answer"]) == {"final_answer", "answer_details"}
    assert result["system_answer"]["final_answer"] == (f"Answer {number}." if finished else "")
    assert result["scores"]["sopr_score"] == POINTS[f"AnswerStatus.{status}"]
    assert result["scores"]["api_call_score"] == len(calls) / 2
    assert result["evaluation"]["answer_status"] == status
    assert result["evaluation"]["has_finish"] is finished
    assert result["evaluation"]["evaluation_method"] == "official"
    reason = f"I have read it: {number}" if finished else "the agent did not end with Finish"
    assert result["evaluation"]["reason"] == reason
    assert result["timing"]["evaluation_time"] >= 0
    assert result["called_apis"] == calls


def check_summary(summary: dict[str, Any], results: list[dict[str, Any]]) -> None:
    """The summary, each figure counted again over the results."""
    statuses = [one["evaluation"]["answer_status"] for one in results]
    finished = [one["evaluation"]["has_finish"] for one in results]
    times = [one["timing"]["evaluation_time"] for one in results]
    expected = {
        "total_queries": len({one["query_id"] for one in results}),
        "total_evaluations": len(results),
        "solved_count": statuses.count("Solved"),
        "solved_percentage": 100 * statuses.count("Solved") / len(results),
        "unsure_count": statuses.count("Unsure"),
        "unsolved_count": statuses.count("Unsolved"),
        "unmeasured_count": 0,
        "finish_count": sum(finished),
        "finish_percentage": 100 * sum(finished) / len(results),
        "average_sopr_score": statistics.fmean(one["scores"]["sopr_score"] for one in results),
        "average_api_call_score": statistics.fmean(one["scores"]["api_call_score"] for one in results),
        "total_evaluation_time": math.fsum(times),
        "average_evaluation_time": statistics.fmean(times),
    }
    assert {name: summary[name] for name in expected} == pytest.approx(expected)
    assert summary["denominator"] == "all queries; one without an answer is unsolved"
    assert summary["sopr"]["value"] == pytest.approx(0.3)
    assert summary["selection"] == {"needed": 8, "offered": 8, "chosen": 6, "called": 6, "unknown": 2}
    assert summary["denominators"]["answered"] == 5
    assert summary["denominators"]["failed_by_agent"] == 1
    assert summary["calls"]["sources"] == {"unknown": 6}


def test_every_figure_stands_by_set_and_as_the_unweighted_mean_of_sets(run: Run, exam: Path) -> None:
    (exam / "queries" / "G2.json").write_text(json.dumps([query(number) for number in (11, 12)]))
    (exam / "gpt" / "G2.json").write_text(json.dumps({str(number): answer(number) for number in (11, 12)}))
    told = graded(run, "gpt", "--benchmark", "queries", "--judge", "heuristic", "--judge-repeats", "3")
    summary = json.loads((exam / told["result"]).read_text())["summary"]
    first, second = summary["sets"]["G1"], summary["sets"]["G2"]
    assert set(first) == set(second) == set(summary["sets"]["G1"])
    for name, values in {"sopr": (0.6, 1.0), "api_call_score": (0.6, 0.75), "finish": (0.6, 1.0)}.items():
        assert (first[name]["value"], second[name]["value"]) == pytest.approx(values)
        assert first[name]["low"] < first[name]["value"] < first[name]["high"]
    assert first["pass_rate"]["repeats"] == [0.6] * 3
    assert second["selection"] == {"needed": 4, "offered": 4, "chosen": 3, "called": 3}
    assert second["calls"]["sources"] == {"unknown": 3}
    assert (first["denominators"]["planned"], second["denominators"]["planned"]) == (5, 2)
    assert summary["mean_of_sets"]["value"] == pytest.approx(0.8)
    assert summary["mean_of_sets_published"] == pytest.approx(0.8)
    means = summary["means_of_sets"]
    assert means["api_call_score"]["value"] == pytest.approx(statistics.fmean([0.6, 0.75]))
    assert means["finish"]["value"] == pytest.approx(0.8)
    assert (means["offered"], means["chosen"]) == pytest.approx((1.0, 0.75))
    assert means["sources"] == {"unknown": 1.0}
    shown = run("grade", str(FOLDER)).stdout
    assert "set           APIs needed  offered %  chosen %  called %" in shown
    assert "set           calls  unknown %" in shown


def test_nothing_is_asked_twice_and_no_verdict_is_lost(run: Run, exam: Path, judge: ScriptedServer) -> None:
    asks = 4  # one of the answers 1 and 3, two of 2, which is unsure; 4 and 5 are settled without a judge
    first = graded(run, *FIRST, *by_model(judge))
    assert len(judge.bodies) == asks
    assert graded(run, *FIRST, *by_model(judge))["summary"] == first["summary"]
    assert len(judge.bodies) == asks
    more = graded(run, str(FOLDER), *by_model(judge), "--judge-repeats", "3")
    assert len(judge.bodies) == 3 * asks
    assert more["summary"]["overall"]["pass_rate"]["repeats"] == [0.3, 0.3, 0.3]
    assert more["summary"]["spent"]["judge"]["requests"] == 3 * asks
    other = graded(run, first["result"], "--judge", "heuristic")
    assert (other["summary"]["method"], other["summary"]["overall"]["sopr"]["value"]) == ("heuristic", 0.6)
    again = graded(run, str(FOLDER), *by_model(judge), "--judge-repeats", "3")
    assert again["summary"]["overall"] == more["summary"]["overall"]
    assert len(judge.bodies) == 3 * asks
    with Journal(exam / FOLDER / "journal.jsonl", read_only=True) as journal:
        assert len(journal.notes("verdict")) == 5 * 3 + 5
        assert len(journal.notes("trace")) == 5
    assert graded(run, str(FOLDER))["summary"]["overall"] == more["summary"]["overall"]


@pytest.mark.usefixtures("exam")
def test_a_grading_is_repeated_from_its_recording_and_what_that_lacks_is_owed(run: Run, judge: ScriptedServer) -> None:
    first = graded(run, *FIRST, *by_model(judge), "--replies", "replies.db")
    asks = len(judge.bodies)
    words = (*FIRST, *by_model(judge), "--name", "again", "--replies", "replies.db", "--replay")
    again = graded(run, *words)
    assert again["summary"]["overall"]["sopr"] == first["summary"]["overall"]["sopr"]
    lacking = run("grade", *words, "--judge-repeats", "2", "--tries", "1")
    assert "3 answers are still to be judged" in lacking.stderr
    assert len(judge.bodies) == asks
    assert "there is no recording here" in run("grade", *words, "--replies", "nowhere.db").stderr
    assert "--replay asks no model and needs the recording" in run("grade", *FIRST, *by_model(judge), "--replay").stderr


def test_both_denominators_are_what_their_files_come_to(run: Run, exam: Path) -> None:
    """What upstream computes of a file of pass rates: per repeat, the points over the entries of the file."""
    told = {}
    for words in ((), ("--compat", "stabletoolbench")):
        one = graded(
            run, *FIRST, "--judge", "heuristic", "--judge-repeats", "2", *words, "--pass-rate-json", "rates.json"
        )
        entries = json.loads((exam / "rates.json").read_text()).values()
        rates = [statistics.fmean(POINTS[entry["is_solved"][repeat]] for entry in entries) for repeat in ("0", "1")]
        rate = one["summary"]["overall"]["pass_rate"]
        assert rate["repeats"] == pytest.approx(rates)
        assert rate["mean"] == pytest.approx(statistics.fmean(rates))
        assert rate["sd"] == pytest.approx(statistics.pstdev(rates))
        told[words] = (rate["mean"], rate["queries"], one["denominator"])
    assert told[()] == (0.6, 5, "all queries; one without an answer is unsolved")
    assert told["--compat", "stabletoolbench"] == (0.75, 4, "queries with an answer, as StableToolBench counts")
    document = json.loads((exam / "results/tools/gpt_queries-recorded.json").read_text())
    assert document["summary"]["denominator"] == "queries with an answer, as StableToolBench counts"
    assert document["summary"]["pass_rate_by_other_denominator"]["mean"] == 0.6
    assert document["summary"]["pass_rate"]["denominator"] == "queries with an answer (as StableToolBench counts)"


def test_the_answers_are_written_in_upstreams_forms(run: Run, exam: Path) -> None:
    words = ("--compat", "stabletoolbench", "--converted", "again.json", "--pass-rate-csv", "rates.csv")
    assert (
        "a table cannot say that its verdicts are by heuristic"
        in run("grade", *FIRST, "--judge", "heuristic", *words).stderr
    )
    written = json.loads((exam / "again.json").read_text())
    recorded = json.loads((exam / "gpt" / "G1.json").read_text())
    assert list(written) == list(recorded)
    for query_id, item in recorded.items():
        final = item["answer"]["final_answer"]
        assert written[query_id]["query"] == item["query"]
        assert json.loads(written[query_id]["answer"]["final_answer"] or "{}") == json.loads(final or "{}")
    rates = read_pass_rates(exam / "rates.csv")
    assert list(rates) == ["1", "2", "3", "4"]
    assert (rates["1"].model, rates["1"].verdicts[0]) == ("gpt", Verdict(Status.SOLVED, "", "recorded"))


def test_a_panel_judges_and_a_known_error_is_taken_out(run: Run, exam: Path) -> None:
    human = [True] * 40 + [False] * 40
    said = [True] * 36 + [False] * 4 + [True] * 8 + [False] * 32
    calibration = calibrate(said, human, judge="panel", labels="labels.csv", labels_hash="0", made=0.0)
    (exam / "calibration.json").write_bytes(msgspec.json.encode(calibration))
    one = graded(run, *FIRST, "--judge", "heuristic", "--judge", "heuristic", "--calibration", "calibration.json")
    overall = one["summary"]["overall"]
    assert one["summary"]["judge"].startswith("panel of 2")
    assert overall["solved_rate"]["value"] == 0.6
    assert overall["corrected"]["value"] == pytest.approx((0.6 + 0.8 - 1) / (0.9 + 0.8 - 1))


def test_pass_rates_are_read_with_their_verdicts(run: Run, exam: Path) -> None:
    graded(run, *FIRST, "--judge", "heuristic", "--pass-rate-json", "gpt/rates.json")
    (exam / "gpt" / "rates.json").rename(exam / "gpt" / "G1.json")
    one = graded(run, *FIRST, "--name", "from-rates")
    assert (one["summary"]["method"], one["summary"]["overall"]["sopr"]["value"]) == ("heuristic", 0.6)
    assert one["summary"]["judge"] == "recorded (heuristic)"
    rates = json.loads((exam / "gpt" / "G1.json").read_text())
    for entry in rates.values():
        del entry["evaluation_method"]
    (exam / "gpt" / "G1.json").write_text(json.dumps(rates))
    plain = graded(run, *FIRST, "--name", "from-plain-rates")
    assert (plain["summary"]["method"], plain["summary"]["judge"]) == ("recorded", "recorded")


@pytest.mark.usefixtures("exam")
def test_a_gate_fails_the_command(run: Run) -> None:
    words = (*FIRST, "--judge", "heuristic", "--fail-under")
    assert run("grade", *words, "sopr=0.5").exit_code == 0
    done = run("grade", *words, "sopr=0.7", "--fail-under", "finish=0.1")
    assert done.exit_code == 100
    assert "FAILED  gpt_queries-recorded: sopr at least 0.7: the mean is 0.6000" in done.stdout
    assert "passed  gpt_queries-recorded: finish at least 0.1" in done.stdout
    assert run("grade", *words, "sopr=0.7", "--gate", "interval").exit_code == 0


@pytest.mark.usefixtures("exam")
def test_of_several_judges_a_gate_wants_one_named(run: Run, judge: ScriptedServer) -> None:
    graded(run, *FIRST, "--judge", "heuristic")
    gate = (str(FOLDER), "--fail-under")
    assert run("grade", *gate, "sopr=0.6").exit_code == 0, "one judge is meant without a word"
    graded(run, *FIRST, *by_model(judge))
    refused = run("grade", *gate, "sopr=0.6")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "there are verdicts of 2 judges ('heuristic', '" in refused.stderr
    assert "say whose: --judge NAME." in refused.stderr
    assert run("grade", *gate, "sopr=0.6", "--judge", "heuristic").exit_code == 0
    assert run("grade", *gate, "finish=0.1").exit_code == 0, "who judges has no say in how many answers there are"
    assert run("grade", str(FOLDER)).exit_code == 0


@pytest.mark.usefixtures("exam")
def test_the_table_shows_both_denominators(run: Run) -> None:
    done = run("grade", *FIRST, "--judge", "heuristic")
    assert "SoPR by heuristic  all queries  of  answered only  of" in done.stdout
    assert "G1                    60.0±0.0   5       75.0±0.0   4" in done.stdout
    assert "heuristic" in done.stdout


@pytest.mark.slow
def test_a_grading_that_was_killed_goes_on(run: Run, exam: Path) -> None:
    numbers = range(10, 40)
    (exam / "queries" / "G1.json").write_text(json.dumps([query(number) for number in numbers]))
    (exam / "gpt" / "G1.json").write_text(json.dumps({str(number): answer(number) for number in numbers}))
    says = {"reason": "yes", "answer_status": "Solved"}
    with ScriptedServer(lambda _: says, latency=0.05) as judge:
        words = [*FIRST, *by_model(judge), "--concurrency", "2"]
        said = b""
        for end in (signal.SIGKILL, signal.SIGINT):
            begun = len(judge.bodies)
            grading = subprocess.Popen(  # noqa: S603 - our own command
                [sys.executable, "-m", "proctor", "grade", *words],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**os.environ, "OPENAI_API_KEY": "none"},
            )
            deadline = time.monotonic() + 30
            while len(judge.bodies) < begun + 5 and time.monotonic() < deadline:
                time.sleep(0.01)
            grading.send_signal(end)
            _, said = grading.communicate(timeout=30)
            assert grading.returncode == (-signal.SIGKILL if end is signal.SIGKILL else 130)
        assert b"the same command goes on where it was" in said
        one = graded(run, *words)
        assert one["summary"]["overall"]["solved"] == 30
        assert 30 <= len(judge.bodies) <= 32  # what was on its way when it was killed is asked again, and nothing else
        assert one["summary"]["spent"]["judge"]["requests"] == 30


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("gpt/G1.json", "--benchmark", "queries"), "nobody has judged this run yet; say who is to: --judge"),
        (("nowhere",), "nowhere: no such file; check the path"),
        (("gpt/G1.json", "--benchmark", "other", "--judge", "heuristic"), "belong to no one set of the benchmark"),
        ((*FIRST, "--judge", "solving"), "the judge 'solving' asks a model; say which"),
        ((*FIRST, "--judge", "none"), "--judge none grades nothing"),
        ((*FIRST, "--fail-under", "beauty=1"), "--fail-under names 'beauty'"),
        (("gpt/G1.json", "--benchmark", "nowhere", "--judge", "heuristic"), "there is no benchmark 'nowhere'"),
        ((*FIRST, "--judge", "heuristic", "--level", "2"), "level"),
    ],
)
@pytest.mark.usefixtures("exam")
def test_what_cannot_be_graded_is_a_sentence(run: Run, words: tuple[str, ...], complaint: str) -> None:
    done = run("grade", *words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert complaint in done.stderr.replace("\n", " ")


def test_other_answers_under_the_same_name_are_refused(run: Run, exam: Path) -> None:
    graded(run, *FIRST, "--judge", "heuristic")
    (exam / "gpt" / "G1.json").write_text(json.dumps({"1": answer(1)}))
    done = run("grade", *FIRST, "--judge", "heuristic")
    assert done.exit_code == 1
    assert "is another run's: its recorded answers are others. Say --name NAME to keep both" in done.stderr
    assert "{" not in done.stderr


@pytest.mark.usefixtures("exam")
def test_the_recorded_answers_of_the_benchmark_are_graded(run: Run, benchmark_data: Path) -> None:
    place = str(benchmark_data / "answer")
    words = ("--benchmark", "stabletoolbench", "--data", str(benchmark_data), "--test-set", "G1_instruction")
    one = graded(run, place, *words, "--judge", "heuristic", "--compat", "stabletoolbench", "--converted", "again.json")
    overall = one["summary"]["overall"]
    assert (overall["trials"], overall["finish"]["value"]) == (3, pytest.approx(2 / 3))
    assert one["summary"]["calls"]["resolutions"] == {"resolved": 10}
    assert one["by_other_denominator"]["G1_instruction"]["queries"] == 163
