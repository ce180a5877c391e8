import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def cache(tmp_path: Path) -> str:
    folder = tmp_path / "cache" / "Data" / "words_for_Data"
    folder.mkdir(parents=True)
    answers = {
        "{'n': 1}": {"error": "", "response": "rain"},
        "{'n': 2}": {"error": "", "response": ""},
        "{'n'": {"error": "", "response": "sun"},
    }
    (folder / "get_word.json").write_text(json.dumps(answers))
    (folder / "cut.json").write_text("{")
    return str(tmp_path / "cache")


@pytest.fixture
def store(run: Run, cache: str, tmp_path: Path) -> str:
    path = str(tmp_path / "answers.db")
    assert run("cache", "import", cache, path).exit_code == 0
    return path


def test_a_cache_is_imported_and_what_is_odd_is_said(run: Run, cache: str, tmp_path: Path) -> None:
    done = run("cache", "import", cache, str(tmp_path / "answers.db"))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "3 entries in 1 file: 3 new, 0 known",
        "suspicious among the new: 1 empty, 1 unreadable-key",
        "could not be read (1):",
    ]
    assert lines[3].strip().endswith("cut.json: the JSON is cut off: it ends before it is complete")
    assert (tmp_path / "cache" / "Data" / "words_for_Data" / "cut.json").read_text() == "{"


def test_names_come_from_the_tools(run: Run, cache: str, tmp_path: Path) -> None:
    tools = tmp_path / "tools" / "Data"
    tools.mkdir(parents=True)
    (tools / "words.json").write_text(json.dumps({"tool_name": "Words!", "api_list": [{"name": "Get Word"}]}))
    path = str(tmp_path / "answers.db")
    done = run("cache", "import", cache, path, "--tools", str(tmp_path / "tools"), "--json")
    assert json.loads(done.stdout)["undocumented"] == 0
    database = sqlite3.connect(path)
    assert database.execute("SELECT DISTINCT api FROM answers").fetchall() == [('["Data","Words!","Get Word"]',)]
    database.close()


def test_a_store_is_exported_as_it_was_imported(run: Run, cache: str, store: str, tmp_path: Path) -> None:
    done = run("cache", "export", store, str(tmp_path / "out"))
    assert done.stdout == f"3 entries in 1 file written to {tmp_path / 'out'}\n"
    name = "Data/words_for_Data/get_word.json"
    assert json.loads((tmp_path / "out" / name).read_text()) == json.loads((Path(cache) / name).read_text())
    assert run("cache", "export", store, str(tmp_path / "plain"), "--layout", "plain").exit_code == 0
    assert (tmp_path / "plain" / "Data" / "words" / "get_word.json").is_file()
    again = run("cache", "export", store, str(tmp_path / "out"))
    assert again.exit_code == 1
    assert "the folder is not empty" in again.stderr


def test_a_store_is_counted(run: Run, store: str) -> None:
    figures = json.loads(run("cache", "stats", store, "--json").stdout)
    assert (figures["entries"], figures["apis"], figures["frozen"]) == (3, 1, None)
    assert figures["marks"] == {"empty": 1, "unreadable-key": 1}
    shown = run("cache", "stats", store).stdout
    assert "answered by: recorded" in shown
    assert "suspicious: empty" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_store_is_frozen_and_says_so(run: Run, cache: str, store: str) -> None:
    content = json.loads(run("cache", "verify", store, "--json").stdout)["content_id"]
    assert run("cache", "freeze", store).stdout == f"frozen as {content}\n"
    assert f"content id {content} (frozen)" in run("cache", "verify", store).stdout
    assert f"content id {content}" in run("cache", "stats", store).stdout
    (Path(cache) / "Data" / "words_for_Data" / "new.json").write_text('{"{}": {"error": "", "response": 1}}')
    refused = run("cache", "import", cache, store)
    assert refused.exit_code == 1
    assert "the store is frozen and takes no more answers" in refused.stderr


def test_damage_is_found(run: Run, store: str) -> None:
    assert "3 entries, all sound" in run("cache", "verify", store).stdout
    database = sqlite3.connect(store)
    database.execute("UPDATE answers SET answer = 'nonsense' WHERE mark IS NULL")
    database.commit()
    database.close()
    done = run("cache", "verify", store)
    assert done.exit_code == 1
    assert "cannot be read" in done.stdout
    assert "1 thing broken; restore the store from a copy" in done.stderr


def test_a_frozen_store_that_was_changed_is_found(run: Run, store: str) -> None:
    run("cache", "freeze", store)
    database = sqlite3.connect(store)
    database.execute("DROP TRIGGER frozen_DELETE")
    database.execute("DELETE FROM answers WHERE mark IS NULL")
    database.commit()
    database.close()
    done = run("cache", "verify", store)
    assert done.exit_code == 1
    assert "it was changed since" in done.stdout


@pytest.mark.parametrize("verb", ["stats", "verify", "freeze"])
def test_a_store_that_is_not_there_is_named_and_not_made(run: Run, tmp_path: Path, verb: str) -> None:
    done = run("cache", verb, str(tmp_path / "none.db"))
    assert done.exit_code == 1
    assert "check the path" in done.stderr
    assert not (tmp_path / "none.db").exists()


def test_help_names_the_verbs(run: Run) -> None:
    shown = run("cache", "--help").stdout
    assert all(verb in shown for verb in ("import", "export", "stats", "verify", "freeze"))


def test_a_simulator_is_held_against_a_store(run: Run, store: str, tmp_path: Path) -> None:
    tools = tmp_path / "tools" / "Data"
    tools.mkdir(parents=True)
    api = {"name": "Get Word", "template_response": "snow"}
    (tools / "words.json").write_text(json.dumps({"tool_name": "Words", "api_list": [api]}))
    words = ("cache", "fidelity", store, "--tools", str(tmp_path / "tools"), "--simulator")
    done = run(*words, "template")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "template: 1 answer of 1 API compared"
    assert [line.split()[:2] for line in lines[3:8]] == [
        ["answered", "1.000"],
        ["error", "agreement"],
        ["structure", "1.000"],
        ["BLEU", "0.000"],
        ["similarity", "0.000"],
    ]
    assert "left out of the recorded answers: 2" in lines
    assert max(map(len, lines)) <= 80
    found = json.loads(run(*words, "template", "--limit", "0", "--json").stdout)
    assert (found["compared"], found["figures"]["structure"]["n"]) == (1, 1)
    assert found["left_out"] == {"marked as suspicious: empty": 1, "marked as suspicious: unreadable-key": 1}


def test_what_cannot_be_compared_is_said(run: Run, store: str, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "other.json").write_text(json.dumps({"tool_name": "Other", "api_list": [{"name": "Get Other"}]}))
    none = run("cache", "fidelity", store, "--tools", str(tools), "--simulator", "template")
    assert (none.exit_code, "no recorded answer is there to compare with" in none.stderr) == (1, True)
    assert "the tools lack the API (1)" in none.stderr
    wrong = run("cache", "fidelity", store, "--tools", str(tools), "--simulator", "gpt-4o")
    assert (wrong.exit_code, "expected template, model:NAME or mirror:NAME" in wrong.stderr) == (1, True)
