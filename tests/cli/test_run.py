"""`proctor run`: a run folder, a result file, and a table."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted_server import HttpReply, ScriptedServer
from proctor.records.answers import Answer, Source
from proctor.records.entries import Entry
from proctor.records.queries import ApiId
from proctor.records.traces import CallStep
from proctor.report.summary import summarise
from proctor.runs.folders import list_runs, read_run
from proctor.stats.intervals import Estimate
from proctor.store.responses import open_responses

REX = {
    "category_name": "Animals",
    "tool_name": "Pets",
    "api_name": "Find Dog",
    "api_description": "Finds a dog by its name.",
    "required_parameters": [{"name": "name", "type": "STRING", "description": "", "default": "Rex"}],
    "optional_parameters": [],
    "method": "GET",
    "template_response": {"dog": "Rex", "age": 4},
}


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    """A benchmark of one's own: a folder with one set of three queries."""
    folder = tmp_path / "animals"
    folder.mkdir()
    queries = [
        {
            "query_id": number,
            "query": f"How old is dog {number}?",
            "relevant APIs": [["Pets", "Find Dog"]],
            "api_list": [REX],
        }
        for number in (1, 2, 3)
    ]
    (folder / "pets.json").write_text(json.dumps(queries))
    return folder


@pytest.fixture
def words(pets: Path, tmp_path: Path) -> list[str]:
    return ["run", "--benchmark", str(pets), "--simulator", "template", "--output", str(tmp_path / "results")]


def result(tmp_path: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((tmp_path / "results" / "tools" / f"{name}.json").read_text())
    return document


def test_a_run_leaves_a_folder_a_result_file_and_a_table(run: Run, words: list[str], tmp_path: Path) -> None:
    done = run(*words, "--agent", "oracle", "--judge", "heuristic")
    assert done.exit_code == 0, done.output
    assert "judged by heuristic" in done.stdout
    record = read_run(tmp_path / "results" / "runs" / "oracle_animals")
    assert [str(trial.key) for trial in record.trials] == ["pets/1#0", "pets/2#0", "pets/3#0"]
    document = result(tmp_path, "oracle_animals")
    assert document["metadata"]["framework"] == "oracle"
    assert document["metadata"]["config"]["evaluation_method"] == "heuristic"
    assert document["summary"]["average_api_call_score"] == 1.0
    assert [one["scores"]["sopr_score"] for one in document["results"]] == [1.0] * 3


def test_a_share_of_the_tools_is_spoilt_and_the_run_says_so(run: Run, words: list[str], tmp_path: Path) -> None:
    done = run(*words, "--agent", "oracle", "--judge", "heuristic", "--faults", "1", "--faults-by", "tool")
    assert done.exit_code == 0, done.output
    record = read_run(tmp_path / "results" / "runs" / "oracle_animals")
    assert record.manifest.spec.faults == {"share": 1.0, "kinds": [], "by": "tool"}
    calls = [step.answer for trial in record.trials for step in trial.trace.steps if isinstance(step, CallStep)]
    assert calls
    assert all(answer and answer.provenance and answer.provenance.fault for answer in calls)


def test_the_rate_is_corrected_and_the_judges_disagreement_counted(run: Run, words: list[str], tmp_path: Path) -> None:
    labels = [*["1,1"] * 90, *["1,0"] * 10, *["0,0"] * 80, *["0,1"] * 20]
    (tmp_path / "labels.csv").write_text("\n".join(["human,judge", *labels]))
    kept = str(tmp_path / "calibration.json")
    assert run("judge", "calibrate", str(tmp_path / "labels.csv"), "--judge-name", "rules", "-o", kept).exit_code == 0
    judges = ["--judge", "heuristic", "--judge", "rubric", "--judge", "heuristic"]
    done = run(*words, "--agent", "oracle", *judges, "--calibration", kept)
    assert done.exit_code == 0, done.output
    told = " ".join(done.stdout.split())
    assert "errors taken out, by 200 labels of the judge 'rules'" in told
    assert "flips the judges disagree about 0.0 % of the answers" in told
    document = result(tmp_path, "oracle_animals")
    assert document["metadata"]["config"]["evaluation_method"] == "heuristic and rubric"
    assert document["summary"]["sopr_corrected"]["method"] == "corrected for the judge (Rogan-Gladen)"
    assert document["summary"]["flips"]["n"] == 3


def test_a_calibration_that_cannot_be_read_is_said_before_anything_is_asked(
    run: Run, words: list[str], tmp_path: Path
) -> None:
    done = run(*words, "--agent", "oracle", "--judge", "heuristic", "--calibration", "nowhere.json")
    assert done.exit_code == 1
    assert "nowhere.json: cannot be read" in done.stderr
    assert not (tmp_path / "results").exists()


def test_the_starter_s_calibration_stands_beside_the_raw_rate(run: Run, tmp_path: Path) -> None:
    words = ("--limit", "3", "--calibration", "starter", "--output", str(tmp_path / "results"))
    done = run("run", *words)
    assert done.exit_code == 0, done.stderr
    assert "with the judge's known" in " ".join(done.stdout.split())
    assert "of the judge 'rubric'" in " ".join(done.stdout.split())


def test_without_a_word_the_baseline_sits_the_starter_and_the_rubric_judges(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "proctor", "run"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "baseline_starter: baseline on starter, judged by rubric"
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("set ") for line in lines[-23:]), "the table has left a screen of 24 lines"
    document = result(tmp_path, "baseline_starter")
    assert document["metadata"]["config"]["evaluation_method"] == "rubric"
    assert document["summary"]["total_queries"] >= 3
    record = read_run(tmp_path / "results" / "runs" / "baseline_starter")
    answers = [step.answer for trial in record.trials for step in trial.trace.steps if isinstance(step, CallStep)]
    made = [answer.provenance for answer in answers if answer is not None]
    assert {one.model for one in made if one is not None} == {"starter"}
    assert {one.source for one in made if one is not None} == {Source.COMPUTED}
    what_next = done.stdout.rpartition("\nnext, proctor run with\n")[2]
    assert [line.partition(" --")[0].strip() for line in what_next.splitlines()] == [
        "your own agent",
        "your own model",
        "StableToolBench",
    ]


def test_on_the_starter_the_oracle_is_given_everything_and_null_nothing(run: Run, tmp_path: Path) -> None:
    for agent, wanted in (("oracle", 1.0), ("null", 0.0)):
        assert run("run", "--agent", agent, "--output", str(tmp_path / "results")).exit_code == 0
        figures = summarise(read_run(tmp_path / "results" / "runs" / f"{agent}_starter")).overall
        for figure in (figures.sopr, figures.errors_as_failures, figures.solved_rate, figures.api_call_score):
            assert isinstance(figure, Estimate)
            assert figure.value == wanted


def test_a_folder_may_hold_its_sets_in_folders_of_their_own(run: Run, pets: Path, tmp_path: Path) -> None:
    (pets / "queries" / "dogs").mkdir(parents=True)
    (pets / "pets.json").rename(pets / "queries" / "dogs" / "rex.json")
    words = ("run", "--benchmark", str(pets), "--simulator", "template", "--output", str(tmp_path / "results"))
    assert run(*words, "--test-set", "dogs").exit_code == 0
    assert result(tmp_path, "baseline_animals-dogs")["summary"]["total_queries"] == 3


def test_null_is_given_nothing(run: Run, words: list[str], tmp_path: Path) -> None:
    assert run(*words, "--agent", "null").exit_code == 0
    summary = result(tmp_path, "null_animals")["summary"]
    assert (summary["average_sopr_score"], summary["average_api_call_score"], summary["finish_count"]) == (0, 0, 0)


def test_the_same_command_again_does_nothing_twice(run: Run, words: list[str], tmp_path: Path) -> None:
    run(*words)
    before = result(tmp_path, "baseline_animals")
    done = run(*words)
    assert "3 trials, 3 of them done before" in done.stderr
    assert result(tmp_path, "baseline_animals") == before


def test_another_run_in_the_same_place_is_refused(run: Run, words: list[str], tmp_path: Path) -> None:
    run(*words)
    done = run(*words, "--seed", "7")
    assert done.exit_code == 1
    assert "is another run's: its seed is 0, not 7. Say --name NAME to keep both" in done.stderr
    assert run(*words, "--seed", "7", "--name", "seventh").exit_code == 0
    assert [row.name for row in list_runs(tmp_path / "results")] == ["baseline_seventh", "baseline_animals"]


def test_a_run_that_could_not_begin_leaves_nothing_behind(run: Run, words: list[str], tmp_path: Path) -> None:
    assert run(*words, "--tools", "some").exit_code == 1
    assert list((tmp_path / "results" / "runs").iterdir()) == []
    assert run(*words, "--tools", "query").exit_code == 0


@pytest.fixture
def no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key in the environment, and no file that holds one."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(
    "more",
    [
        ["--agent", "react", "--model", "gpt-4o-mini"],
        ["--agent", "oracle", "--judge", "openai/gpt-4o"],
        ["--agent", "oracle", "--simulator", "model:openai/gpt-4o"],
    ],
)
def test_a_key_that_is_lacking_is_said_before_the_first_trial(
    run: Run, words: list[str], more: list[str], tmp_path: Path
) -> None:
    done = run(*words, *more, "--display", "json")
    assert done.exit_code == 1
    assert "there is no key for https://api.openai.com/v1; set OPENAI_API_KEY" in done.stderr
    assert "planned" not in done.stderr
    assert list((tmp_path / "results" / "runs").iterdir()) == []


@pytest.mark.usefixtures("no_keys")
def test_a_model_is_the_same_with_its_provider_and_without(
    run: Run, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = {"return_type": "give_answer", "final_answer": "It is four."}
    with ScriptedServer(lambda _: Reply(tool_calls=(ToolCall("Finish", answer, id="1"),))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        react = ("--agent", "react", "--judge", "heuristic", "--model")
        first, *others = (
            run(*words, *react, name) for name in ("gpt-4o-mini", "openai/gpt-4o-mini", "openai:gpt-4o-mini")
        )
    assert first.exit_code == 0, first.stderr
    assert ["3 trials, 3 of them done before" in other.stderr for other in others] == [True, True]
    assert [row.name for row in list_runs(tmp_path / "results")] == ["react_animals-gpt-4o-mini"]
    unknown = run(*words, "--agent", "react", "--judge", "heuristic", "--model", "openia/gpt-4o-mini")
    assert "'openia/gpt-4o-mini' begins with no provider that is known" in unknown.stderr


@pytest.mark.usefixtures("no_keys")
def test_a_run_with_all_its_trials_needs_no_key(run: Run, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"return_type": "give_answer", "final_answer": "It is four."}
    with ScriptedServer(lambda _: Reply(tool_calls=(ToolCall("Finish", answer, id="1"),))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = ["--agent", "react", "--model", "openai/m", "--judge", "heuristic"]
        assert run(*words, *model).exit_code == 0
    monkeypatch.delenv("OPENAI_BASE_URL")
    again = run(*words, *model)
    assert again.exit_code == 0, again.stderr
    assert "3 trials, 3 of them done before" in again.stderr


def test_a_frozen_cache_stands_in_the_result_and_another_does_not_go_on_with_it(
    run: Run, pets: Path, tmp_path: Path
) -> None:
    for name in ("Rex", "Max"):
        store = open_responses(tmp_path / name)
        store.put(Entry.of(ApiId("Animals", "Pets", "Find Dog"), {"name": name}, Answer({"dog": name})))
        store.freeze()
        store.close()
    words = ("run", "--benchmark", str(pets), "--output", str(tmp_path / "results"), "--policy", "frozen")
    assert run(*words, "--cache", str(tmp_path / "Rex")).exit_code == 0
    content = json.loads(run("cache", "stats", str(tmp_path / "Rex"), "--json").stdout)["frozen"]
    assert result(tmp_path, "baseline_animals")["metadata"]["config"]["cache_id"] == content
    refused = run(*words, "--cache", str(tmp_path / "Max"), "--epochs", "2", "--resume")
    assert refused.exit_code == 1
    assert f"was answered by the frozen cache {content}, and --cache is" in refused.stderr


def test_a_cache_that_is_only_an_empty_file_yet_is_filled(run: Run, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "new.db").touch()
    done = run(*words, "--agent", "oracle", "--cache", str(tmp_path / "new.db"))
    assert done.exit_code == 0, done.output
    assert (tmp_path / "new.db").stat().st_size > 0


def test_a_larger_run_goes_on(run: Run, words: list[str], tmp_path: Path) -> None:
    run(*words, "--limit", "1")
    done = run(*words, "--limit", "3", "--resume")
    assert "3 trials, 1 of them done before" in done.stderr
    assert result(tmp_path, "baseline_animals")["summary"]["total_queries"] == 3


def test_settings_come_from_the_file_and_the_command_line_goes_before_it(
    run: Run, words: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "exam.toml"
    file.write_text('[agent]\nname = "oracle"\n[benchmark]\nlimit = 1\n')
    assert run(*words, "--config", str(file), "--limit", "2").exit_code == 0
    assert result(tmp_path, "oracle_animals")["summary"]["total_queries"] == 2


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--agent", "reakt"], "there is no agent 'reakt'; did you mean 'react'?"),
        (["--agent", "react"], "the agent 'react' asks a model; say which: --model"),
        (["--agent", "baseline", "-A", "tries=3"], "the agent 'baseline' has no option 'tries'"),
        (["--agent", "baseline", "-A", "k"], "-A 'k' must be of the form key=value"),
        (["--agent", "baseline", "-A", "k=many"], "the option 'k' of the agent 'baseline' is of type int"),
        (["--judge", "solving"], "the judge 'solving' asks a model; say which"),
        (["--judge", "none", "--judge", "rubric"], "--judge none is nobody"),
        (["--test-set", "cats"], "the benchmark has no test set 'cats'"),
        (["--tools", "some"], "the tools at hand are all, query or retrieved:K"),
        (["--policy", "frozen"], "nobody answers the calls under the policy 'frozen'"),
        (["--benchmark", "nowhere"], "there is no benchmark 'nowhere'"),
        (["--benchmark", "stabletoolbench"], "say where it lies: --data DIR"),
        (["--engine", "steam"], "there is no engine 'steam'"),
        (["--resume"], "there is no run to go on with"),
        (["--name", "///"], "cannot be the name of a run"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(run: Run, words: list[str], more: list[str], sentence: str) -> None:
    done = run(*words, *more)
    assert done.exit_code == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_of_equal_commands_at_once_one_makes_the_run_and_the_others_say_so(words: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "proctor", *words, "--agent", "oracle", "--judge", "heuristic"]
    begun = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: S603 - ourselves
        for _ in range(3)
    ]
    ended = [(process.communicate(timeout=120)[1], process.returncode) for process in begun]
    refused = [said for said, code in ended if code]
    assert len(refused) < 3, refused
    for said in refused:
        assert "this run is being made by another process" in said
        assert "Traceback" not in said
    assert result(tmp_path, "oracle_animals")["summary"]["total_evaluations"] == 3
    assert len(read_run(tmp_path / "results" / "runs" / "oracle_animals").trials) == 3


def test_damaged_lines_are_told_with_their_count_and_done_again(run: Run, words: list[str], tmp_path: Path) -> None:
    words = [*words, "--agent", "oracle", "--judge", "heuristic"]
    whole = run(*words)
    journal = tmp_path / "results" / "runs" / "oracle_animals" / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    spoilt = [line.replace("Rex", "Max") if '"trace",["pets","2"' in line else line for line in lines]
    journal.write_text("".join(spoilt))
    again = run(*words)
    assert "journal.jsonl: 1 line cannot be read" in again.stderr
    assert "3 trials, 2 of them done before" in again.stderr
    assert again.stdout.splitlines()[:3] == whole.stdout.splitlines()[:3]
    assert result(tmp_path, "oracle_animals")["metadata"]["config"]["damaged_lines"] == 1
    assert "1 line cannot be read" in run("grade", str(journal.parent)).stderr


def test_where_no_trial_could_be_done_the_exit_code_says_so(run: Run, words: list[str]) -> None:
    nobody = [*words, "--agent", "http://127.0.0.1:1/agent", "--tries", "1"]
    done = run(*nobody)
    assert done.exit_code == 1
    assert "proctor: none of 3 trials could be done: AgentUnavailableError: the agent " in done.stderr
    assert "could not be reached" in done.stderr
    assert done.stderr.rstrip().endswith("The same command tries them again.")
    assert done.output.rstrip().endswith("The same command tries them again."), "what went wrong stands last"


def test_where_nothing_could_be_done_nothing_is_said_to_come_next_and_a_failure_is_told_once(
    run: Run, tmp_path: Path
) -> None:
    agent = ("--agent", "http://127.0.0.1:1/agent", "--limit", "1", "--output", str(tmp_path / "results"))
    done = run("run", *agent, "--tries", "1", "--display", "plain")
    assert done.exit_code == 1
    assert "next " not in done.stdout
    assert (
        sum("failed through the environment, to be tried again: AgentUn" in line for line in done.stderr.splitlines())
        == 1
    )
    planned = read_run(next((tmp_path / "results" / "runs").iterdir())).planned
    assert f"failed through the environment {planned} times: AgentUnavailableError" in done.stderr


def test_where_some_trials_are_owed_there_is_a_result_all_the_same(run: Run, words: list[str], tmp_path: Path) -> None:
    def says(body: dict[str, Any]) -> Any:
        if "dog 1" not in json.dumps(body):
            return HttpReply(400, {"error": {"message": "not today"}})
        answer = {"return_type": "give_answer", "final_answer": "It is four."}
        return Reply(tool_calls=(ToolCall("Finish", answer, id="1"),))

    with ScriptedServer(says) as server:
        model = ("--agent", "react", "--model", "vllm/m", "--model-url", server.url)
        done = run(*words, *model, "--tries", "1", "--judge", "heuristic")
    assert done.exit_code == 0, done.output
    assert "failed through the environment and are owed" in done.stderr
    assert result(tmp_path, "react_animals-m")["summary"]["denominators"]["failed_by_environment"] == 2


def test_who_is_to_be_named_hangs_on_the_policy(run: Run, pets: Path, tmp_path: Path) -> None:
    words = ["run", "--benchmark", str(pets), "--output", str(tmp_path / "results"), "--agent", "oracle"]
    refused = run(*words, "--policy", "live")
    named = "name --live KIND (rapidapi, or the URL of a ToolBench backend)."
    assert refused.stderr.strip().endswith(f"nobody answers the calls under the policy 'live'; {named}")
