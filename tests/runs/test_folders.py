"""The folders of runs: begun, gone on with, refused, found, listed and read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.runs.pets import broken, damage, key, manifest, query, trace

from proctor.errors import FileError, OptionError, StorageError
from proctor.records.grades import Status, Verdict
from proctor.records.runs import Manifest
from proctor.records.traces import Usage
from proctor.runs.folders import JOURNAL, begun_folder, find_run, list_runs, read_run, result_path, run_name, run_path
from proctor.runs.ledger import Judging, Ledger, Opinion
from proctor.runs.underway import UNDERWAY

RUBRIC = Judging("rubric", "rubric")


def begin_folder(folder: Path, label: Manifest, **said: bool) -> Manifest:
    with begun_folder(folder, label, **said) as (kept, _):
        return kept


def begun(output: Path, name: str = "scripted_pets", label: Manifest | None = None) -> Path:
    folder = run_path(output, name)
    begin_folder(folder, label or manifest())
    return folder


def written(folder: Path, numbers: Sequence[int]) -> None:
    with Ledger(folder / JOURNAL) as ledger:
        ledger.keep_queries([query(1), query(2), query(3)], "pets")
        ledger.keep_judging(RUBRIC)
        for number in numbers:
            ledger.keep_trace(key(number), trace(number))
            good = Verdict(Status.SOLVED, "all told", "rubric")
            ledger.keep_opinion(key(number), RUBRIC, 0, Opinion(good, Usage(1, 10, 1, 0.25), 0.5))


def test_a_name_is_what_file_systems_take() -> None:
    assert run_name("react", "G1 instruction/gpt 4o") == "react_G1-instruction-gpt-4o"
    with pytest.raises(OptionError, match="cannot be the name of a run"):
        run_name("react", "///")


def test_the_same_run_goes_on(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    again = begin_folder(folder, Manifest(manifest().spec, "0.2.0", 2_000.0, query_ids=manifest().query_ids))
    assert again == manifest(), "what the run met when it began stays"


def test_a_folder_of_another_run_is_refused_with_the_ways_on(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    written(folder, [1])
    with pytest.raises(OptionError) as refused:
        begin_folder(folder, manifest(seed=7))
    assert str(refused.value) == (
        f"{folder} is another run's: its seed is 0, not 7. Say --name NAME to keep both, or --fresh to throw the old "
        "one away."
    )


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ({"limit": 2}, {}, "its limit is 2, not none. Say --resume"),
        ({}, {"agent_model": "openai/gpt-4o"}, "its agent_model is none, not 'openai/gpt-4o'. Say --name"),
        (
            {"agent_options": {"tries": 3, "k": 1}},
            {"agent_options": {"k": 1}},
            "its agent_options has tries 3, not none.",
        ),
        (
            {"agent_options": {"recorded": "a"}},
            {"agent_options": {"recorded": "b"}},
            "its recorded answers are others.",
        ),
    ],
)
def test_how_another_run_differs_is_said_in_words(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any], told: str
) -> None:
    folder = begun(tmp_path, label=manifest(**before))
    written(folder, [1])
    with pytest.raises(OptionError) as refused:
        begin_folder(folder, manifest(**now))
    assert told in str(refused.value)
    assert not set("{}").intersection(str(refused.value))


def test_a_larger_run_goes_on_when_that_is_said(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    written(folder, [1])
    larger = manifest(epochs=2)
    with pytest.raises(OptionError, match=r"its epochs is 1, not 2. Say --resume to go on with it, --name"):
        begin_folder(folder, larger)
    assert begin_folder(folder, larger, resume=True) == larger
    assert read_run(folder).planned == 6


def test_resume_needs_something_to_go_on_with(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there is no run to go on with"):
        begin_folder(run_path(tmp_path, "scripted_pets"), manifest(), resume=True)


def test_fresh_throws_the_old_run_away(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    written(folder, [1])
    begin_folder(folder, manifest(seed=7), fresh=True)
    record = read_run(folder)
    assert (record.manifest.spec.seed, record.trials) == (7, ())


def test_fresh_waits_for_nobody_who_writes(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    with Ledger(folder / JOURNAL), pytest.raises(Exception, match="this run is being made by another process"):
        begin_folder(folder, manifest(), fresh=True)


def test_who_is_not_alone_is_told_so_and_touches_nothing(tmp_path: Path) -> None:
    folder = run_path(tmp_path, "scripted_pets")
    with begun_folder(folder, manifest()):
        for said in ({}, {"resume": True}, {"fresh": True}):
            with pytest.raises(StorageError, match=r"this run is being made by another process \(\d+\); wait for its"):
                begin_folder(folder, manifest(), **said)
        assert read_run(folder).manifest == manifest()


def test_a_run_that_could_not_begin_leaves_no_folder_and_one_that_has_begun_stays(tmp_path: Path) -> None:
    folder = run_path(tmp_path, "scripted_pets")
    with pytest.raises(OptionError), begun_folder(folder, manifest()):
        raise OptionError("no such model.")
    assert not folder.exists()
    written(begun(tmp_path), [1])
    with pytest.raises(OptionError), begun_folder(folder, manifest()):
        raise OptionError("no such model.")
    with Ledger(folder / JOURNAL) as ledger:
        assert ledger.traced == {key(1)}


def test_a_run_that_has_done_nothing_makes_room_for_another(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    written(folder, [])
    assert begin_folder(folder, manifest(seed=7)) == manifest(seed=7)
    assert read_run(folder).manifest.spec.seed == 7


def test_what_somebody_put_beside_a_run_that_has_done_nothing_stays(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    (folder / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(OptionError), begun_folder(folder, manifest(seed=7)):
        raise OptionError("it could not begin.")
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_a_run_that_failed_or_is_underway_makes_no_room(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    (folder / UNDERWAY).write_text("what a trial was told so far")
    with pytest.raises(OptionError, match="is another run's: its seed is 0, not 7"):
        begin_folder(folder, manifest(seed=7))
    (folder / UNDERWAY).unlink()
    with Ledger(folder / JOURNAL) as ledger:
        ledger.keep_failure(key(1), broken(1))
    with pytest.raises(OptionError, match="is another run's: its seed is 0, not 7"):
        begin_folder(folder, manifest(seed=7))


def test_a_run_that_broke_off_before_anything_was_done_leaves_no_folder(tmp_path: Path) -> None:
    folder = run_path(tmp_path, "scripted_pets")

    def breaks_off() -> None:
        with begun_folder(folder, manifest()) as (_, ledger):
            ledger.keep_queries([query(1)], "pets")
            raise OptionError("the key was refused.")

    with pytest.raises(OptionError, match="the key was refused"):
        breaks_off()
    assert not folder.exists()


def test_a_run_that_was_killed_before_it_had_a_label_is_begun(tmp_path: Path) -> None:
    folder = run_path(tmp_path, "scripted_pets")
    folder.mkdir(parents=True)
    Ledger(folder / JOURNAL).close()
    assert begin_folder(folder, manifest()) == manifest()


def test_where_results_would_stand_below_a_file_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    with pytest.raises(OptionError, match=r"results: results are kept in a folder, and this is a file; name another"):
        begun(tmp_path / "results")


def test_a_damaged_line_is_counted_and_what_it_told_of_lacks(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    written(folder, [1, 2, 3])
    damage(folder, "trace", 2)
    record = read_run(folder)
    assert (record.damaged, [trial.key for trial in record.trials]) == (1, [key(1), key(3)])


def test_files_of_somebody_else_are_left_alone(tmp_path: Path) -> None:
    folder = run_path(tmp_path, "scripted_pets")
    folder.mkdir(parents=True)
    (folder / "thesis.txt").write_text("ten years of work")
    with pytest.raises(OptionError, match="there are files here and no run"):
        begin_folder(folder, manifest(), fresh=True)


def test_a_run_is_read_in_the_order_of_its_plan(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    written(folder, [3, 1])
    with Ledger(folder / JOURNAL) as ledger:
        ledger.keep_failure(key(2), broken(2))
    record = read_run(folder)
    assert [trial.key for trial in record.trials] == [key(1), key(2), key(3)]
    assert [len(trial.verdicts) for trial in record.trials] == [1, 0, 1]
    assert (record.planned, record.judge, record.method) == (3, "rubric", "rubric")
    assert record.judge_usage == Usage(2, 20, 2, 0.5)


def test_a_run_that_was_stopped_before_its_first_line_is_read(tmp_path: Path) -> None:
    record = read_run(begun(tmp_path))
    assert (record.trials, record.planned) == ((), 3)


@pytest.mark.parametrize("where", ["runs/scripted_pets", "tools/scripted_pets.json", "scripted_pets", "."])
def test_a_run_is_found_by_any_of_its_names(tmp_path: Path, where: str) -> None:
    folder = begun(tmp_path)
    assert find_run(tmp_path / where) == folder
    assert result_path(folder) == tmp_path / "tools" / "scripted_pets.json"


def test_a_bare_name_is_looked_for_among_the_results_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    assert find_run("scripted_pets") == Path("results/runs/scripted_pets")


def test_of_several_runs_one_has_to_be_named(tmp_path: Path) -> None:
    begun(tmp_path)
    begun(tmp_path, "null_pets")
    with pytest.raises(FileError, match="there are 2 runs here; name one of them: null_pets, scripted_pets"):
        find_run(tmp_path)
    with pytest.raises(FileError, match="there is no run here"):
        find_run(tmp_path / "spam_pets")


def test_runs_are_listed_the_latest_first_and_what_is_no_run_is_passed_over(tmp_path: Path) -> None:
    older = begun(tmp_path)
    written(older, [1, 2])
    begun(tmp_path, "null_pets", Manifest(manifest().spec, "0.1.0", 2_000.0, query_ids=("pets/1",)))
    begun(tmp_path, "torn_pets")
    (run_path(tmp_path, "torn_pets") / "manifest.json").write_text("{")
    rows = [(row.name, row.traced, row.planned, row.method) for row in list_runs(tmp_path)]
    assert rows == [("null_pets", 0, 1, ""), ("scripted_pets", 2, 3, "rubric")]
