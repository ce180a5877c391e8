"""Runs that share a store: whose answers are whose, and who has paid for them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.runs import played

import proctor
from proctor.models.chat import Reply
from proctor.models.scripted_server import ScriptedServer
from proctor.records.traces import Usage
from proctor.runs.folders import JOURNAL
from proctor.wiring.exams import Ended

QUERIES = 8
EACH = Usage(1, 100, 10)


def play(body: dict[str, Any]) -> Reply:
    """The played exam, in which every reply costs the same."""
    return msgspec.structs.replace(played.play(body), usage=EACH)


@pytest.fixture
def options(tmp_path: Path) -> Any:
    """The options of a run that keeps its results in a folder of that name."""

    def of(server: ScriptedServer, name: str, **more: Any) -> Any:
        folder = played.benchmark(tmp_path / "animals", QUERIES)
        return {**played.settings(folder, server.url, tmp_path / name), "cache": tmp_path / "answers.db", **more}

    return of


def sources(ended: Ended) -> dict[str, int]:
    return json.loads(ended.result.read_text())["summary"]["calls"]["sources"]  # type: ignore[no-any-return]


def asked(server: ScriptedServer) -> int:
    return Counter(body["model"] for body in server.bodies)["simulator"]


def test_what_others_put_into_a_shared_store_meanwhile_is_recorded(options: Any) -> None:
    with ScriptedServer(play) as server:
        first = proctor.run(**options(server, "one"), limit=1)
        assert (sources(first), asked(server)) == ({"simulated": 1}, 1)
        other = proctor.run(**options(server, "other"))
        # Eight queries about five dogs; the first dog, of two of them, was asked for before.
        assert (sources(other), asked(server)) == ({"recorded": 2, "simulated": 6}, 5)
        first = proctor.run(**options(server, "one"), limit=QUERIES, resume=True)
        assert (sources(first), asked(server)) == ({"recorded": 6, "simulated": 2}, 5)
    assert [one.figures.spent.simulator.requests for one in (first, other)] == [1, 4]


def test_the_simulators_bill_is_what_was_asked_and_a_repetition_changes_nothing(options: Any) -> None:
    with ScriptedServer(play) as server:
        ended = proctor.run(**options(server, "one"))
        counts = Counter(body["model"] for body in server.bodies)
        spent = ended.figures.spent
        requests = {"agent": spent.agent.requests, "judge": spent.judge.requests, "simulator": spent.simulator.requests}
        assert requests == counts == {"agent": 16, "judge": 16, "simulator": played.NAMES}
        assert spent.tokens == 110 * counts.total()
        assert f"(agent {110 * 16:,}, judge {110 * 16:,}, simulator {110 * played.NAMES})" in str(ended)
        journal = ended.folder / JOURNAL
        lost = [line for line in journal.read_bytes().splitlines(keepends=True) if b'"trace"' not in line]
        journal.write_bytes(b"".join(lost))
        again = proctor.run(**options(server, "one"))
        assert again.figures.spent.simulator == spent.simulator == sum([EACH] * played.NAMES, Usage(cost=spent.cost))
        assert sources(again) == sources(ended) == {"simulated": QUERIES}
