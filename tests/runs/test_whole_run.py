"""A whole set through agent, gateway, simulator and judge over HTTP, and every number of the result counted again."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.runs import fickle, recount

import proctor
from proctor.models.scripted_server import ScriptedServer
from proctor.runs.folders import JOURNAL, MANIFEST
from proctor.wiring.exams import Ended

QUERIES = 163
NAME = "G1_instruction"


def sat(folder: Path, queries: list[dict[str, Any]], player: fickle.Player) -> Ended:
    """The run over these queries."""
    (folder / "data").mkdir()
    (folder / "data" / f"{NAME}.json").write_text(json.dumps(queries))
    (folder / "prices.json").write_text(json.dumps(fickle.PRICES))
    with ScriptedServer(player) as server:
        return proctor.run(
            benchmark=folder / "data",
            agent="react",
            model="vllm/agent",
            model_url=server.url,
            simulator="model:vllm/simulator",
            simulator_url=server.url,
            judge="vllm/judge",
            judge_url=server.url,
            judge_repeats=3,
            tools="query",
            max_steps=12,
            concurrency=16,
            prices=folder / "prices.json",
            output=folder / "results",
        )


def shown(item: dict[str, Any]) -> dict[str, Any]:
    """The numbers of one result, as the file has them."""
    return {
        "query_id": item["query_id"],
        "gold": sorted(item["gold_answer"]["relevant_apis"]),
        "final_answer": item["system_answer"]["final_answer"],
        **{name: item["scores"][name] for name in ("sopr_score", "sopr_repeats", "api_call_score")},
        **{name: item["evaluation"][name] for name in ("answer_status", "has_finish")},
        "evaluation_time": item["timing"]["evaluation_time"],
        "called_apis": sorted(item["called_apis"]),
        **{name: item[name] for name in ("stop_reason", "seconds")},
        "calls_shown": tools_in(item["system_answer"]["answer_details"]),
    }


def tools_in(nodes: list[dict[str, Any]]) -> int:
    """How many nodes of an answer are calls."""
    return sum((node["role"] == "tool") + tools_in(node["next"]) for node in nodes)


def differences(found: Any, wanted: Any) -> list[tuple[str, Any, Any]]:
    """Where two documents differ: a place that only one has, other words, a number that is not the same."""
    ours, theirs = leaves(found), leaves(wanted)
    places = [(place, ours.get(place, "nothing"), theirs.get(place, "nothing")) for place in ours | theirs]
    return [(place, one, other) for place, one, other in places if not same(one, other)]


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same, a number up to its last digits."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


def leaves(value: Any, place: str = "") -> dict[str, Any]:
    """Every value of a document by its place; an empty object is a value."""
    inner = dict(enumerate(value)) if isinstance(value, list) else value
    if not isinstance(inner, dict) or not inner:
        return {place: value}
    return {name: leaf for key, one in inner.items() for name, leaf in leaves(one, f"{place}/{key}").items()}


@pytest.mark.slow
@pytest.mark.parametrize("real", [False, True], ids=["made up", "StableToolBench's own"])
def test_every_number_of_a_result_is_counted_again_from_the_journal(
    tmp_path: Path, real: bool, request: pytest.FixtureRequest
) -> None:
    queries = fickle.queries(QUERIES)
    if real:
        data: Path = request.getfixturevalue("benchmark_data")
        queries = json.loads((data / "test_instruction" / f"{NAME}.json").read_text())
    player = fickle.Player()
    ended = sat(tmp_path, queries, player)
    assert len(queries) == QUERIES == len(ended.record.trials)

    document = json.loads(ended.result.read_text())
    trials, at_work = recount.read(ended.folder / JOURNAL)
    wanted = recount.summary(trials, at_work, NAME)
    assert differences(document["summary"], wanted) == []
    assert len(document["results"]) == len(trials)
    for found, trial in zip(document["results"], trials, strict=True):
        assert differences(shown(found), recount.result(trial)) == []
    manifest = json.loads((ended.folder / MANIFEST).read_text())
    metadata = document["metadata"]
    assert (metadata["overall_time"], metadata["config"]["num_queries"]) == (at_work, QUERIES)
    documented = {json.dumps(api["id"], sort_keys=True) for trial in trials for api in trial.query["apis"]}
    assert metadata["config"]["apis"] == manifest["apis"] == len(documented)

    # What was paid for is what was asked; and every habit has left its mark.
    spent = wanted["spent"]
    answered = {name: player.asked[name] - player.refused[name] for name in ("judge", "simulator")}
    assert {name: spent[name]["requests"] for name in answered} == answered
    assert player.asked["agent"] - player.refused["agent"] <= spent["agent"]["requests"] <= player.asked["agent"]
    for stop in ("finished", "gave_up", "step_limit", "no_answer", "failed"):
        assert wanted["stops"][stop] > 0, stop
    assert set(wanted["calls"]["sources"]) == {"simulated", "missed"}
    assert {"resolved", "hallucinated"} <= set(wanted["calls"]["resolutions"])
    assert min(wanted["calls"][kind] for kind in ("malformed", "errors", "unanswered")) > 0
    assert min(wanted[f"{kind}_count"] for kind in ("solved", "unsure", "unsolved", "majority_solved")) > 0
    assert wanted["solved_count"] < wanted["majority_solved_count"]
    assert wanted["pass_rate"]["unmeasured"]
