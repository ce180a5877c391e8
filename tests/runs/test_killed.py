"""A run that is killed fifty times: the same result, and nothing that was written down is asked for again."""

import json
import random
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.runs import played

from proctor.models.chat import Reply
from proctor.models.scripted_server import ScriptedServer
from proctor.records.traces import Usage
from proctor.runs.folders import read_run
from proctor.runs.ledger import Ledger
from proctor.runs.underway import UNDERWAY
from proctor.store.journal import Journal
from proctor.store.responses import open_responses

KILLS = 50
QUERIES = 160
REPEATS = 2
NEEDED = {"agent": 2, "judge": REPEATS}
"""So many questions each trial takes."""


class Playing:
    """The played exam, with a kill at a moment that nobody foresees: so many questions from now, and a little later."""

    def __init__(self, dice: random.Random) -> None:
        self.questions = list[tuple[str, str]]()
        """Who was asked in this round, and about what: the query's number, or the dog's name."""
        self._dice = dice
        self._target = 0
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, process: subprocess.Popen[bytes], *, kills: bool) -> None:
        self.questions.clear()
        self._process = process
        self._target = self._dice.randint(1, 9) if kills else 0

    def __call__(self, body: dict[str, Any]) -> Reply:
        said = json.dumps(body["messages"])
        about = re.findall(r"dog-\d+" if body["model"] == "simulator" else r"How old is dog (\d+)", said)[-1]
        self.questions.append((body["model"], about))
        if self._target and len(self.questions) == self._target:
            assert self._process is not None
            threading.Timer(self._dice.uniform(0, 0.03), self._process.kill).start()
        return played.play(body)


def started(words: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as out:
        return subprocess.Popen([sys.executable, "-m", "proctor", *words], stdout=out, stderr=out)  # noqa: S603 - ourselves


def written_down(folder: Path) -> tuple[dict[str, Counter[str]], set[str]]:
    """How many questions of each trial need not be put again, by the model, and the dogs that the store knows."""
    known = {"agent": Counter[str](), "judge": Counter[str]()}
    if not (folder / "journal.jsonl").exists():
        return known, set()
    if (folder / UNDERWAY).exists():
        with Journal(folder / UNDERWAY, read_only=True) as kept:
            for kind, counts in known.items():
                counts.update(str(place[1]) for place in kept.keys(kind))
    with Ledger(folder / "journal.jsonl", read_only=True) as ledger:
        for trial in ledger.traced:
            known["agent"][trial.query_id] = NEEDED["agent"]
        verdicts = Counter(str(key[1]) for key in ledger.journal.keys("verdict"))
        known["judge"] |= verdicts
    if not (folder / "answers.db").exists():
        return known, set()
    store = open_responses(folder / "answers.db", read_only=True)
    dogs = {str(entry.answer.response["name"]) for entry in store.entries()}
    store.close()
    return known, dogs


def lines(folder: Path) -> Counter[tuple[str, str]]:
    """How often each record stands in the journal's file, whether it counts or not."""
    found = [json.loads(line) for line in (folder / "journal.jsonl").read_bytes().splitlines()]
    return Counter((kind, json.dumps(key)) for _, kind, key, _, _ in found)


def spent(folder: Path) -> tuple[Usage, Usage]:
    """What the agent and the judge have cost, as the journal has it."""
    record = read_run(folder)
    return sum((trial.trace.usage for trial in record.trials), Usage()), record.judge_usage


@pytest.mark.slow
def test_fifty_kills_change_nothing_and_nothing_is_asked_for_that_was_written_down(tmp_path: Path) -> None:
    dice = random.Random(5)  # noqa: S311 - no secret
    benchmark = played.benchmark(tmp_path / "animals", QUERIES)
    playing = Playing(dice)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run = killed / "runs" / "react_animals-agent"
    with ScriptedServer(playing) as server:
        ended = started(played.words(played.settings(benchmark, server.url, whole)), tmp_path / "log")
        playing.begin(ended, kills=False)
        assert ended.wait(120) == 0, (tmp_path / "log").read_text()
        words = [*played.words(played.settings(benchmark, server.url, killed)), "--concurrency", "3"]
        kills = 0
        for _ in range(KILLS * 2):
            known, dogs = written_down(run)
            process = started(words, tmp_path / "log")
            playing.begin(process, kills=kills < KILLS)
            if kills < KILLS and dice.random() < 0.2:  # while it reads its files, too
                threading.Timer(dice.uniform(0.1, 1.5), process.kill).start()
            code = process.wait(120)
            asked = Counter(playing.questions)
            for (model, about), times in asked.items():
                if model == "simulator":
                    assert about not in dogs, about
                else:
                    assert times <= NEEDED[model] - known[model][about], (model, about)
            if code == 0:
                break
            assert code == -signal.SIGKILL, (tmp_path / "log").read_text()
            kills += 1
    assert kills == KILLS
    assert result(killed) == result(whole)
    assert spent(run) == spent(whole / "runs" / run.name)
    assert [usage.requests for usage in spent(run)] == [NEEDED["agent"] * QUERIES, NEEDED["judge"] * QUERIES]
    assert set(lines(run).values()) == {1}
    assert lines(run) == lines(whole / "runs" / run.name)
    assert not (run / UNDERWAY).exists()


def result(output: Path) -> dict[str, Any]:
    return played.timeless(json.loads((output / "tools" / "react_animals-agent.json").read_text()))
