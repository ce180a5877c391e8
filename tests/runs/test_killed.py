"""A run that is killed fifty times: the same result, and nothing that was written down is asked for again."""

import asyncio
import json
import random
import re
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.runs import played
from tests.runs.forking import Forked, forking

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
MORE = 4
"""So many questions are answered after the one at which a kill was decided on."""


class Playing:
    """The played exam, with a kill at a moment that nobody foresees: so many questions from now, and a little later.

    What is asked when that moment has nearly come waits for it, so that no round does much more than its share.
    """

    def __init__(self, dice: random.Random) -> None:
        self.questions = list[tuple[str, str]]()
        """Who was asked in this round, and about what: the query's number, or the dog's name."""
        self._dice = dice
        self._target = 0
        self._process: Forked | None = None
        self._ended = threading.Event()

    def begin(self, *, kills: bool) -> None:
        """A round begins, in which the process is killed or comes to its end."""
        self.questions.clear()
        self._process = None
        self._ended = threading.Event()
        self._target = self._dice.randint(1, 9) if kills else 0

    def goes(self, process: Forked) -> None:
        """This is the process of the round."""
        self._process = process

    def ended(self) -> None:
        """That process is over."""
        self._ended.set()

    async def __call__(self, body: dict[str, Any]) -> Reply:
        said = json.dumps(body["messages"])
        about = re.findall(r"dog-\d+" if body["model"] == "simulator" else r"How old is dog (\d+)", said)[-1]
        self.questions.append((body["model"], about))
        if self._target and len(self.questions) == self._target:
            asyncio.get_running_loop().call_later(self._dice.uniform(0, 0.03), self._kill, self._ended)
        if self._target and len(self.questions) > self._target + MORE:
            await asyncio.to_thread(self._ended.wait)
        return played.play(body)

    def _kill(self, ended: threading.Event) -> None:
        while self._process is None and not ended.is_set():
            time.sleep(0.001)
        if self._process is not None and not ended.is_set():
            self._process.kill()


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
    with ScriptedServer(playing) as server, forking() as forks:
        playing.begin(kills=False)
        asked = played.words(played.settings(benchmark, server.url, whole))
        assert forks.begin(asked, tmp_path / "log").wait() == 0, (tmp_path / "log").read_text()
        words = [*played.words(played.settings(benchmark, server.url, killed)), "--concurrency", "3"]
        kills = 0
        for _ in range(KILLS * 2):
            known, dogs = written_down(run)
            playing.begin(kills=kills < KILLS)
            process = forks.begin(words, tmp_path / "log")
            playing.goes(process)
            if kills < KILLS and dice.random() < 0.2:  # while it reads its files, too
                threading.Timer(dice.uniform(0, 0.3), process.kill).start()
            code = process.wait()
            playing.ended()
            for (model, about), times in Counter(playing.questions).items():
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
