"""A run of one's own in StableToolBench's forms, and back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import proctor
from proctor.agents.scripted import ScriptedAgent
from proctor.catalog.names import canonical_name
from proctor.judges.attempts import Attempt
from proctor.messages import ToolCall
from proctor.metrics._api_calls import called
from proctor.models.chat import Reply
from proctor.models.scripted import ScriptedModel
from proctor.records.queries import ApiId
from proctor.records.runs import Trial
from proctor.records.traces import CallStep, Trace
from proctor.runs.folders import read_run
from proctor.wiring.exams import Ended

Run = Callable[..., Result]
GIVE_UP = Reply(tool_calls=(ToolCall(name="Finish", args={"return_type": "give_up_and_restart"}),))
DONE = Reply(tool_calls=(ToolCall(name="Finish", args={"return_type": "give_answer", "final_answer": "He is 4."}),))


def api(name: str) -> dict[str, Any]:
    return {
        "category_name": "Animals",
        "tool_name": "Pets",
        "api_name": name,
        "required_parameters": [{"name": "name", "type": "STRING", "description": "", "default": "Rex"}],
        "optional_parameters": [],
        "template_response": {"found": name},
    }


@pytest.fixture(autouse=True)
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark of two queries: one needs one of its two APIs, the other both, in another order than their list."""
    monkeypatch.chdir(tmp_path)
    queries = [
        {
            "query_id": n,
            "query": f"How old is {names[0]}?",
            "relevant APIs": [["Pets", name] for name in names],
            "api_list": [api("Dog"), api("Cat")],
        }
        for n, names in ((1, ["Dog"]), (2, ["Cat", "Dog"]))
    ]
    Path("zoo.json").write_text(json.dumps(queries))


def sat(**said: Any) -> Ended:
    return proctor.run(
        **{"benchmark": "zoo.json", "simulator": "template", "judge": "heuristic", "tools": "query"} | said
    )


def looking(name: str, at: str = "Rex", text: str = "") -> Reply:
    called = canonical_name(ApiId("Animals", "Pets", name))
    return Reply(text=text, tool_calls=(ToolCall(name=called, args={"name": at}, id=f"call-{at}"),))


def asked(trace: Trace) -> list[str]:
    """The APIs that were called, in order."""
    return [step.api.api for step in trace.steps if isinstance(step, CallStep) and step.api is not None]


def kept(place: str) -> Trial:
    """The trial of the first query in the only run of a folder of results."""
    (folder,) = Path(f"{place}/runs").iterdir()
    return next(trial for trial in read_run(folder).trials if trial.key.query_id == "1")


@pytest.mark.parametrize(
    ("agent", "options", "lines"),
    [
        ("dfs", {"width": 2}, [looking("Cat", text="A cat?"), GIVE_UP, GIVE_UP, looking("Dog", text="A dog?"), DONE]),
        ("react", {"tries": 3}, [looking("Cat", text="A cat?"), GIVE_UP, looking("Dog", text="A dog?"), DONE]),
    ],
)
def test_an_answer_that_was_searched_for_is_one_path_in_every_form(
    run: Run, agent: str, options: dict[str, Any], lines: list[Reply]
) -> None:
    ended = sat(agent=agent, agent_options=options, model=ScriptedModel(lines), limit=1, name="live")
    trace = ended.record.trials[0].trace
    assert (asked(trace), called(trace)) == (["Cat", "Dog"], {("Pets", "Dog")})
    result = json.loads(ended.result.read_text())["results"][0]
    assert result["called_apis"] == [["Pets", "Dog"]]
    assert "cat_for_pets" not in json.dumps(result["system_answer"])

    assert written(run, f"results/runs/{agent}_live", agent).exit_code == 0
    answer = json.loads(Path(f"{agent}/zoo.json").read_text())["1"]
    node, names = answer["answer"]["answer_details"][0], []
    while node["next"]:
        (node,) = node["next"]
        names += [node["message"]["name"]] if node["role"] == "tool" else []
    assert names == [canonical_name(ApiId("Animals", "Pets", "Dog")), "Finish"]
    assert set(names) <= {function["name"] for function in answer["available_tools"]}

    assert run("convert", agent, "--to", "raw", "-o", "raw").exit_code == 0
    (path,) = Path(f"raw/{agent}/zoo").glob("1_*.json")
    raw = json.loads(path.read_text())
    assert raw["answer_generation"]["valid_data"] is True
    if agent == "dfs":
        assert path.name == "1_DFS.json"
        assert [child["description"] for child in raw["tree"]["tree"]["children"]] == ["A cat?", "A dog?"]
        assert (raw["tree"]["size"], raw["tree"]["max_length"]) == (13, 5)
    else:
        assert path.name == "1_CoT@2.json"
        assert (raw["try_count"], [one["win"] for one in raw["trys"]]) == (2, [False, True])
        assert [one["chain"][0]["description"] for one in raw["trys"]] == ["A cat?", "A dog?"]
    for form in ("raw", agent):
        words = ("--benchmark", "zoo.json", "--judge", "heuristic", "--output", f"again/{form}")
        assert run("grade", form, *words).exit_code == 0
        again = kept(f"again/{form}")
        assert called(again.trace) == called(trace)
        assert Attempt.of(again.query, again.trace) == Attempt.of(again.query, trace)
        if form == agent:
            assert (again.trace.steps, again.trace.back) == (trace.steps, trace.back)


def written(run: Run, folder: str, name: str) -> Result:
    """Write the converted answers of a run into a folder of that name."""
    Path(name).mkdir()
    return run("grade", folder, "--converted", f"{name}/zoo.json")


def test_gold_of_one_s_own_run_is_what_its_calls_are_held_against(run: Run) -> None:
    sat(agent="oracle", name="live")
    assert written(run, "results/runs/oracle_live", "oracle").exit_code == 0
    for source in ("oracle/zoo.json", "results/tools/oracle_live.json"):
        done = run("convert", source, "--to", "samples", "--queries", "zoo.json", "-o", "talks.jsonl")
        assert done.exit_code == 0, done.output
        scored = run("score", "talks.jsonl", "--metric", "trajectory_match", "--json")
        (found,) = json.loads(scored.stdout)["metrics"].values()
        assert found["mean"] == 1.0


def test_what_was_not_offered_is_wanted_all_the_same(run: Run) -> None:
    sat(agent="null", name="live")
    assert written(run, "results/runs/null_live", "null").exit_code == 0
    document = json.loads(Path("null/zoo.json").read_text())
    document["1"]["available_tools"] = []
    document["3"] = document["2"]
    Path("null/zoo.json").write_text(json.dumps(document))
    done = run("convert", "null", "--to", "samples", "--queries", "zoo.json", "-o", "talks.jsonl")
    samples = [json.loads(line) for line in Path("talks.jsonl").read_text().splitlines()]
    assert [[call["name"] for call in one.get("gold") or []] for one in samples] == [
        ["dog_for_pets"],
        [canonical_name(ApiId("Animals", "Pets", name)) for name in ("Cat", "Dog")],
        [],
    ]
    assert "1 times: the calls that were wanted: none of the queries has the answer's id" in done.stderr


def test_two_runs_of_one_agent_are_compared_by_their_whole_names(run: Run) -> None:
    for name, agent in (("first", "oracle"), ("second", "oracle")):
        sat(agent=agent, name=name)
    done = run(
        "convert",
        "results/tools/oracle_first.json",
        "results/tools/oracle_second.json",
        "--to",
        "preferences",
        "-o",
        "preferences",
    )
    assert done.exit_code == 0, done.output
    (path,) = Path("preferences").glob("*/*.json")
    assert str(path) == "preferences/oracle_first_vs_oracle_second/zoo.json"


def test_a_trace_of_two_thousand_steps_goes_everywhere_and_back(run: Run) -> None:
    calls = [looking("Dog", str(number)).tool_calls[0] for number in range(2000)]
    ended = sat(agent=ScriptedAgent({"1": [*calls, {"finish": "He is 4."}]}), limit=1, max_steps=3000, name="long")
    trace = ended.record.trials[0].trace
    assert len(trace.steps) == 2001
    assert ended.result.stat().st_size < 20_000_000
    assert run("report", "results/runs/scripted_long").exit_code == 0
    assert run("show", "results/runs/scripted_long", "1").exit_code == 0
    done = run("grade", "results/runs/scripted_long", "--judge", "rubric")
    assert done.exit_code == 1
    assert "scripted_long: not one answer could be judged" in done.stderr
    assert written(run, "results/runs/scripted_long", "long").exit_code == 0
    for form in ("raw", "samples", "pass-rates", "converted"):
        done = run("convert", "long", "--to", form, "-o", f"as/{form}")
        assert (done.exit_code, done.exception) == (0, None)
        done = run("convert", "results/tools/scripted_long.json", "--to", form, "-o", f"from/{form}")
        assert (done.exit_code, done.exception) == (0, None)
    assert run("convert", "as/raw", "--to", "converted", "-o", "back").exit_code == 0
    for source in ("long", "back"):
        words = ("--benchmark", "zoo.json", "--judge", "heuristic", "--output", f"again/{source}")
        assert run("grade", source, *words).exit_code == 0
        steps = kept(f"again/{source}").trace.steps
        assert [getattr(step, "observation", None) for step in steps] == [
            getattr(step, "observation", None) for step in trace.steps
        ]


def test_a_recorded_answer_longer_than_the_limit_is_replayed_whole(run: Run) -> None:
    lines = [*(looking("Dog", str(number)) for number in range(80)), DONE]
    sat(agent="react", model=ScriptedModel(lines), limit=1, max_steps=100, name="long")
    assert written(run, "results/runs/react_long", "long").exit_code == 0
    trace = sat(agent="recorded", agent_options={"answers": "long"}, limit=1, name="again").record.trials[0].trace
    assert (trace.stop.value, len(trace.steps)) == ("finished", 81)


def test_sets_that_share_an_id_are_kept_apart(run: Run) -> None:
    Path("zoos").mkdir()
    queries = json.loads(Path("zoo.json").read_text())
    for name, asked_ in (("near", queries), ("far", queries[:1]), ("other", [queries[1] | {"query_id": 3}])):
        Path(f"zoos/{name}.json").write_text(json.dumps(asked_))
    for sets, names in ((("near", "far"), ["far", "near"]), (("near", "other"), ["zoos"]), (("far",), ["far"])):
        sat(benchmark="zoos", agent="oracle", test_set=sets, name="-".join(sets))
        place = f"results/tools/oracle_{'-'.join(sets)}.json"
        assert run("convert", place, "--to", "pass-rates", "-o", "out").exit_code == 0
        assert sorted(path.stem for path in Path(f"out/oracle_{'-'.join(sets)}").iterdir()) == names
