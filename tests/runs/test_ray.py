"""The Ray engine: the same result as in this process, from a cluster that loses a node in the middle."""

import asyncio
import json
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.runs import played

from proctor.config import settings_of
from proctor.errors import NeedsExtraError, OptionError
from proctor.models.chat import Reply
from proctor.models.scripted_server import ScriptedServer
from proctor.runs.engines.ray import connected
from proctor.runs.ledger import Ledger
from proctor.runs.watching import Again, Event
from proctor.wiring.exams import Ended, prepare, sit
from proctor.wiring.halls import Given

ray = pytest.importorskip("ray", reason="Ray is not installed")
QUERIES = 12


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without processors, and two nodes with one each."""
    from ray.cluster_utils import Cluster

    small: Any = {"object_store_memory": 80_000_000, "include_dashboard": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")
        made: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **small})
        made.add_node(num_cpus=1, **small)
        yield made
        made.shutdown()


class Gate:
    """The played exam, in which the agent's second questions wait until so many of them are there and it is opened."""

    def __init__(self, many: int) -> None:
        self.full = threading.Event()
        self._many = many
        self._open = threading.Event()

    async def __call__(self, body: dict[str, Any]) -> Reply:
        if body["model"] == "agent" and any(message["role"] == "tool" for message in body["messages"]):
            self._many -= 1
            if self._many <= 0:
                self.full.set()
            await asyncio.to_thread(self._open.wait)
        return played.play(body)

    def open(self) -> None:
        self._open.set()


async def sat(options: dict[str, Any], watch: Callable[[Event], object] = lambda _: None, **given: Any) -> Ended:
    return await sit(prepare(settings_of(options), Given(**given)), watch=watch)


@pytest.mark.slow
async def test_a_node_that_is_lost_in_the_middle_changes_nothing_in_the_result(tmp_path: Path, cluster: Any) -> None:
    folder = played.benchmark(tmp_path / "animals", QUERIES)
    with ScriptedServer(played.play) as server:
        local = await sat(played.settings(folder, server.url, tmp_path / "local"))
        wanted = played.asked(server)
    lost = cluster.add_node(num_cpus=1, object_store_memory=80_000_000)
    gate, again = Gate(4), list[Again]()

    def removal() -> None:
        gate.full.wait(120)  # two trials wait on each of the two nodes
        cluster.remove_node(lost, allow_graceful=False)

    def watch(event: Event) -> None:
        if isinstance(event, Again):
            again.append(event)
            gate.open()

    remover = threading.Thread(target=removal)
    with ScriptedServer(gate) as server:
        remover.start()
        here = {"engine": "ray", "ray_address": cluster.address, "concurrency": 4}
        far = await sat({**played.settings(folder, server.url, tmp_path / "ray"), **here}, watch)
        remover.join()
        asked = played.asked(server)
    assert not ray.is_initialized()
    assert {event.failure.kind for event in again} == {"WorkerLost"}
    with Ledger(far.folder / "journal.jsonl", read_only=True) as ledger:
        assert sum(ledger.failed.values()) == len(again) == 2
    assert results(far) == results(local)
    # What was on its way when the node was lost is asked again, and nothing else: no first question, no API's answer.
    assert Counter(model for model, _ in asked.elements())["simulator"] == played.NAMES
    of_two = [{one: n for one, n in each.items() if one[0] != "simulator"} for each in (asked, wanted)]
    more = Counter(of_two[0]) - Counter(of_two[1])
    assert Counter(of_two[1]) - Counter(of_two[0]) == Counter()
    assert sum(more.values()) <= 2
    assert all(model == "agent" and '"tool"' in question for model, question in more)


@pytest.mark.slow
async def test_workers_ask_the_database_themselves_where_there_is_one(
    tmp_path: Path, cluster: Any, postgres_schema: str
) -> None:
    folder = played.benchmark(tmp_path / "animals", QUERIES)
    here = {"engine": "ray", "ray_address": cluster.address, "concurrency": 4, "cache": postgres_schema}
    with ScriptedServer(played.play) as server:
        options = {**played.settings(folder, server.url, tmp_path / "ray"), **here}
        ended = await sit(prepare(settings_of(options)))
        asked = Counter(body["model"] for body in server.bodies)
    assert (ended.state.left, asked) == (0, {"agent": 2 * QUERIES, "judge": 2 * QUERIES, "simulator": played.NAMES})


@pytest.mark.slow
async def test_what_cannot_be_sent_to_workers_is_said_in_a_sentence(tmp_path: Path, cluster: Any) -> None:
    class Held:
        name = "held"
        lock = threading.Lock()

        def __init__(self) -> None:
            self.lock = threading.Lock()

        async def attempt(self, *_: Any) -> Any:
            raise AssertionError

    folder = played.benchmark(tmp_path / "animals", 1)
    options = {"benchmark": str(folder), "simulator": "template", "judge": ["heuristic"], "output": str(tmp_path)}
    options |= {"engine": "ray", "ray_address": cluster.address}
    with pytest.raises(OptionError, match=r"cannot be sent to the workers of a Ray cluster .*; name the agent as"):
        await sat(options, agent=Held())


@pytest.mark.slow
async def test_an_error_that_makes_every_trial_senseless_comes_back_as_it_is(tmp_path: Path, cluster: Any) -> None:
    folder = played.benchmark(tmp_path / "animals", 3)
    with ScriptedServer(lambda _: played_refusal()) as server:
        options = played.settings(folder, server.url, tmp_path / "out")
        with pytest.raises(Exception, match="refuses the key") as caught:
            await sat({**options, "engine": "ray", "ray_address": cluster.address})
    assert type(caught.value).__name__ == "ModelRefusedError"


def played_refusal() -> Any:
    from proctor.models.scripted_server import HttpReply

    return HttpReply(401, {"error": {"message": "no such key"}})


def results(ended: Ended) -> dict[str, Any]:
    """The result file without the clock, and without the port on which its models happened to be."""
    return played.timeless(json.loads(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1", ended.result.read_text())))


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("127.0.0.1:1", r"there is no Ray cluster at '127.0.0.1:1' \(.*refused\); start one \(ray start --head\)"),
        ("nowhere", "there is no Ray cluster at 'nowhere'"),
        ("ray://127.0.0.1:10001", r"is that of Ray's client, .*; start the run on a node of the cluster"),
    ],
)
def test_a_cluster_that_is_not_there_is_said_in_a_sentence(address: str, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence), connected(address):
        pass


def test_where_ray_is_not_installed_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NeedsExtraError, match=r"pip install 'proctor\[ray\]'"), connected():
        pass
