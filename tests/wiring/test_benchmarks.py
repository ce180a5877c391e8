"""Benchmarks by name: which queries are asked, and which APIs there are."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor.config import Benchmark
from proctor.records.queries import Query
from proctor.records.traces import CallStep
from proctor.stats.intervals import Estimate
from proctor.store.journal import Journal
from proctor.wiring.benchmarks import Opened, open_benchmark


def documented(tool: str, name: str = "Look", **more: Any) -> dict[str, Any]:
    return {
        "category_name": "Town, Harbour",
        "tool_name": tool,
        "api_name": name,
        "api_description": "from a query",
        "required_parameters": [],
        "optional_parameters": [],
        "template_response": {"seen": tool},
        **more,
    }


def query(number: int, *tools: str, **more: Any) -> dict[str, Any]:
    return {
        "query_id": number,
        "query": f"What is at {tools[0]}?",
        "relevant APIs": [[tools[0], "Look"]],
        "api_list": [documented(tool) for tool in tools],
        **more,
    }


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sets of queries, and a folder of tools that has one of the five APIs."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "town"
    (folder / "test_instruction").mkdir(parents=True)
    near = [query(1, "Pier", "Quay"), query(2, "Quay")]
    (folder / "test_instruction/near.json").write_text(json.dumps(near))
    (folder / "test_instruction/far.json").write_text(json.dumps([query(1, "Buoy", "Rock"), query(3, "Pier")]))
    (folder / "tools/Town_Harbour").mkdir(parents=True)
    pier = {"tool_name": "Pier", "api_list": [{"name": "Look", "description": "from a file"}, {"name": "Jump"}]}
    (folder / "tools/Town_Harbour/pier.json").write_text(json.dumps(pier))
    return folder


def opened(town: Path, **said: Any) -> Opened:
    return open_benchmark(Benchmark(str(town), **said))


def test_what_the_tool_files_lack_comes_from_the_queries(town: Path) -> None:
    found = opened(town)
    assert [str(api.id) for api in found.catalog] == [
        "Town, Harbour/Pier/Look",
        "Town, Harbour/Pier/Jump",
        "Town, Harbour/Buoy/Look",
        "Town, Harbour/Rock/Look",
        "Town, Harbour/Quay/Look",
    ]
    assert {api.id.tool: api.description for api in found.catalog if api.id.api == "Look"} == {
        "Pier": "from a file",
        "Buoy": "from a query",
        "Rock": "from a query",
        "Quay": "from a query",
    }
    assert (found.of_queries, found.warning) == (3, None)


def test_asking_less_leaves_no_api_out(town: Path) -> None:
    Path("one.json").write_text("[1]")
    whole = opened(town).catalog
    for said in ({"test_set": ("near",)}, {"test_set": ("near",), "ids": "one.json"}, {"limit": 1}):
        assert opened(town, **said).catalog.content_id == whole.content_id


def test_what_is_asked_and_what_there_is_decide_which_exam_it_is(town: Path) -> None:
    Path("one.json").write_text("[1]")
    hashes = [opened(town, test_set=("near",)).hash, opened(town).hash]
    hashes.append(opened(town, test_set=("near",), ids="one.json").hash)
    assert hashes[0] == opened(town, test_set=("near",)).hash
    more = [query(1, "Buoy", "Rock"), query(3, "Pier", "Wreck")]
    (town / "test_instruction/far.json").write_text(json.dumps(more))
    hashes.append(opened(town, test_set=("near",)).hash)
    assert len(set(hashes)) == 4


def test_apis_that_nobody_has_documented_are_counted(town: Path) -> None:
    lost = query(4, "Pier") | {"relevant APIs": [["Pier", "Look"], ["Wreck", "Dive"], ["Pier", "Finish"]]}
    (town / "test_instruction/deep.json").write_text(json.dumps([lost]))
    assert opened(town, test_set=("deep",)).warning == (
        "of the 2 APIs that the queries need 1 stands in nobody's catalogue, and no call can reach them "
        "(such as Wreck/Dive); name their documents: --tool-dir DIR."
    )
    assert opened(town, test_set=("near",)).warning is None


def test_a_set_that_is_not_asked_and_cannot_be_read_is_told(town: Path) -> None:
    (town / "test_instruction/far.json").write_text("[{]")
    found = opened(town, test_set=("near",))
    assert len(found.catalog) == 3
    assert found.warning is not None
    assert "far.json" in found.warning
    assert "The APIs that only it documents are not in the catalogue." in found.warning


def test_tool_files_that_are_named_go_before_those_of_the_benchmark(town: Path) -> None:
    folder = town.parent / "others/Town_Harbour"
    folder.mkdir(parents=True)
    (folder / "quay.json").write_text(json.dumps({"tool_name": "Quay", "api_list": [{"name": "Look"}]}))
    found = opened(town, tool_dir=str(folder.parent))
    assert (len(found.catalog), found.of_queries) == (4, 3)
    assert next(api for api in found.catalog if api.id.tool == "Quay").description == ""


def test_a_run_reaches_every_api_and_says_where_they_come_from(town: Path) -> None:
    ended = proctor.run(
        benchmark=str(town), test_set="near", limit=1, agent="oracle", simulator="template", judge="none"
    )
    assert [trial.trace.offered for trial in ended.record.trials] == [5]
    calls = [step for trial in ended.record.trials for step in trial.trace.steps if isinstance(step, CallStep)]
    assert '"seen":"Pier"' not in calls[0].observation  # the document of the file goes first, and shows no answer
    assert calls[0].api is not None
    config = json.loads(ended.result.read_text())["metadata"]["config"]
    assert (config["apis"], config["apis_of_queries"]) == (5, 3)
    with Journal(ended.folder / "journal.jsonl", read_only=True) as journal:
        assert [kept.id for _, kept in journal.bodies("query", Query)] == ["1"]


def test_all_queries_of_the_benchmark_are_opened_fast(benchmark_data: Path) -> None:
    began = time.perf_counter()
    found = open_benchmark(Benchmark("stabletoolbench", data=str(benchmark_data), test_set=("G1_instruction",)))
    assert time.perf_counter() - began < 5
    needed = {(gold.tool, gold.api) for one in found.sets["G1_instruction"] for gold in one.gold}
    assert {(api.id.tool, api.id.api) for api in found.catalog} > needed
    assert len(found.catalog) - found.of_queries == 3
    assert found.warning is None


@pytest.mark.usefixtures("town")
def test_the_exam_on_the_published_queries_is_sound(benchmark_data: Path) -> None:
    ended = proctor.run(
        benchmark="stabletoolbench",
        data=benchmark_data,
        test_set="G1_instruction",
        limit=20,
        agent="oracle",
        simulator="template",
        judge="heuristic",
    )
    made = [step for trial in ended.record.trials for step in trial.trace.steps if isinstance(step, CallStep)]
    assert len(made) == 46
    assert not [step.observation for step in made if "there is no API" in step.observation]
    sources = [one.source.value for step in made if step.answer is not None and (one := step.answer.provenance)]
    assert (sources.count("simulated"), len(sources)) == (33, 46)  # the others have no template to be made from
    score = ended.figures.overall.api_call_score
    assert isinstance(score, Estimate)
    assert score.value == 1.0
