"""Whose answers a judge prefers: in both orders, asked once, and never again."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import ModelTimeoutError, OptionError
from proctor.formats.stabletoolbench.preferences import read_comparisons, read_counts
from proctor.judges.preference import PreferenceJudge
from proctor.models.chat import Request
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing
from proctor.records.runs import RunRecord
from proctor.runs.preferring import Preferences, journal_path, pairs_of, prefer, write_preferences
from proctor.stats.intervals import Estimate
from proctor.stats.preferences import Preferred, WinRate
from proctor.store.journal import Journal

MakeRun = Callable[..., RunRecord]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "comparisons.jsonl") as opened:
        yield opened


def likes(word: str) -> ScriptedModel:
    """A model that prefers the answer with this word, wherever it stands."""

    def said(request: Request) -> dict[str, Any]:
        return {"reason": word, "index": 0 if request.text.index(word) < request.text.index("<<<answer_1") else 1}

    return ScriptedModel(said)


def runs_of(make_run: MakeRun, before: list[str], after: list[str]) -> tuple[RunRecord, RunRecord]:
    """Two runs whose answers are signed by ann and by bob."""
    return make_run("old", {"G1": before}, judge="ann"), make_run("new", {"G1": after}, judge="bob")


async def preferred(
    runs: tuple[RunRecord, RunRecord], model: ScriptedModel, journal: Journal, rounds: int = 1
) -> Preferences:
    return await prefer(runs, pairs_of(*runs, rounds=rounds), PreferenceJudge(model), journal, concurrency=2)


def rate(found: Preferences) -> WinRate:
    assert isinstance(found.rate, WinRate)
    return found.rate


async def test_verdicts_come_first_and_a_judge_decides_the_rest(make_run: MakeRun, journal: Journal) -> None:
    model = likes("says bob")
    found = await preferred(runs_of(make_run, ["S", "N", "S", "N"], ["N", "S", "S", "N"]), model, journal)
    assert (rate(found).wins, rate(found).losses, rate(found).ties) == (3, 1, 0)
    assert len(model.requests) == 4
    assert (found.usage, found.owed) == (model.spent, 0)


async def test_a_judge_that_looks_at_the_position_is_seen(make_run: MakeRun, journal: Journal) -> None:
    found = await preferred(runs_of(make_run, ["S", "S"], ["S", "S"]), ScriptedModel(lambda _: {"index": 0}), journal)
    flips = rate(found).flips
    assert isinstance(flips, Estimate)
    assert (rate(found).ties, flips.value) == (2, 1.0)


async def test_nothing_is_asked_twice_whichever_run_comes_first(make_run: MakeRun, journal: Journal) -> None:
    runs = runs_of(make_run, ["S", "S", "S"], ["S", "S", "S"])
    model = likes("says bob")
    first = await preferred(runs, model, journal)
    again = await preferred(runs, model, journal)
    back = await preferred((runs[1], runs[0]), model, journal)
    assert len(model.requests) == 6
    assert (again.rate, again.usage) == (first.rate, first.usage)
    assert (rate(first).wins, rate(back).losses) == (3, 3)


async def test_another_judge_another_answer_and_another_round_are_asked(make_run: MakeRun, journal: Journal) -> None:
    runs = runs_of(make_run, ["S"], ["S"])
    await preferred(runs, likes("says bob"), journal)
    other = ScriptedModel(lambda _: {"index": 0}, name="another")
    await preferred(runs, other, journal)
    assert len(other.requests) == 2
    changed = make_run("new", {"G1": ["S"]}, judge="cecil")
    model = likes("says cecil")
    await prefer((runs[0], changed), pairs_of(runs[0], changed), PreferenceJudge(model), journal)
    assert len(model.requests) == 2
    rounds = likes("says bob")
    await preferred(runs, rounds, journal, rounds=3)
    assert len(rounds.requests) == 4


async def test_the_same_answer_twice_is_a_tie_that_nobody_is_asked_about(make_run: MakeRun, journal: Journal) -> None:
    run = make_run("old", {"G1": ["S"]})
    model = ScriptedModel([])
    assert rate(await preferred((run, run), model, journal)).ties == 1


async def test_a_judge_that_cannot_be_reached_is_asked_again_the_next_time(make_run: MakeRun, journal: Journal) -> None:
    runs = runs_of(make_run, ["S", "S"], ["S", "S"])
    gone = ScriptedModel(lambda _: ModelTimeoutError("gone", model="m"))
    found = await preferred(runs, gone, journal)
    assert isinstance(found.rate, Missing)
    assert found.owed == 2
    assert (await preferred(runs, likes("says bob"), journal)).owed == 0


async def test_a_reply_that_cannot_be_read_stands(make_run: MakeRun, journal: Journal) -> None:
    runs = runs_of(make_run, ["S"], ["S"])
    model = ScriptedModel(lambda _: "Well …")
    found = await preferred(runs, model, journal)
    assert isinstance(found.rate, Missing)
    asked = len(model.requests)
    assert (await preferred(runs, model, journal)).usage == found.usage
    assert len(model.requests) == asked


async def test_ctrl_c_keeps_what_was_said_and_the_rest_is_owed(make_run: MakeRun, journal: Journal) -> None:
    runs = runs_of(make_run, ["S"] * 5, ["S"] * 5)

    def stopped(_: Request) -> dict[str, Any]:
        if len(model.requests) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return {"index": 0}

    model = ScriptedModel(stopped, delay=0.01)
    found = await preferred(runs, model, journal)
    assert 0 < found.owed < 5
    said = len(model.requests)
    await preferred(runs, model, journal)
    assert len(model.requests) == 10
    assert said < 10


async def test_what_the_environment_broke_is_unmeasured(make_run: MakeRun, journal: Journal) -> None:
    found = await preferred(runs_of(make_run, ["!", "S"], ["S", "N"]), ScriptedModel([]), journal)
    assert rate(found).unmeasured == {"the trial failed through no fault of the agent": 1}
    assert rate(found).losses == 1


async def test_preferences_are_written_as_upstream_has_them(
    make_run: MakeRun, journal: Journal, tmp_path: Path
) -> None:
    runs = runs_of(make_run, ["S", "N", "S"], ["S", "S", "N"])
    found = await preferred(runs, likes("says bob"), journal, rounds=2)
    write_preferences(tmp_path / "a.json", found)
    write_preferences(tmp_path / "a.csv", found)
    counts = read_counts(tmp_path / "a.json")
    assert {key: (one.for_reference, one.for_candidate) for key, one in counts.items()} == {
        "0": (0, 2),
        "1": (0, 2),
        "2": (2, 0),
    }
    assert json.loads((tmp_path / "a.json").read_text())["0"] == {
        "old": 0,
        "new": 2,
        "round_0": "complete",
        "round_1": "complete",
    }
    rows = read_comparisons(tmp_path / "a.csv")
    assert [row.preferred for row in rows] == [Preferred.CANDIDATE] * 4 + [Preferred.REFERENCE] * 2
    assert "Finish" in rows[0].reference_final


async def test_a_file_that_could_not_tell_queries_or_runs_apart_is_refused(
    make_run: MakeRun, journal: Journal, tmp_path: Path
) -> None:
    sets = {"G1": ["S"], "G2": ["S"]}
    runs = make_run("old", sets, judge="ann"), make_run("new", sets, judge="bob")
    found = await preferred(runs, likes("says bob"), journal)
    with pytest.raises(OptionError, match="both G1 and G2 have a query '0'"):
        write_preferences(tmp_path / "a.json", found)
    with pytest.raises(OptionError, match=r"written as \.json or \.csv"):
        write_preferences(tmp_path / "a.txt", found)
    alone = await preferred((runs[0], runs[0]), ScriptedModel([]), journal)
    with pytest.raises(OptionError, match="both runs are called 'old'"):
        write_preferences(tmp_path / "a.json", alone)


def test_the_place_of_the_journal_is_the_same_both_ways(make_run: MakeRun) -> None:
    one, other = make_run("old", {"G1": ["S"]}), make_run("new", {"G1": ["S"]})
    assert journal_path("results", one, other) == journal_path("results", other, one)
    assert str(journal_path("results", one, other)) == "results/comparisons/new--old.jsonl"


def test_there_is_at_least_one_round(make_run: MakeRun) -> None:
    run = make_run("old", {"G1": ["S"]})
    with pytest.raises(OptionError, match="at least 1 round"):
        pairs_of(run, run, rounds=0)
