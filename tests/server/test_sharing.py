"""A gateway that is shared: who asks it over HTTP is told what everybody is told."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import ProctorError, StorageError
from proctor.gateway.canned import CannedSource
from proctor.gateway.gateway import Gateway
from proctor.gateway.remote import RemoteGateway
from proctor.gateway.source import Call
from proctor.records.answers import Answer, Source
from proctor.records.entries import Entry
from proctor.records.queries import ApiId
from proctor.server.listening import shared
from proctor.store.responses import open_responses

PORTS = ApiId("Weather", "Sky Report", "List Ports")


async def numbered(call: Call) -> Any:
    """Never says the same twice."""
    numbered.said = getattr(numbered, "said", 0) + 1  # type: ignore[attr-defined]
    await asyncio.sleep(0.05)
    return {"said": numbered.said, "asked": call.arguments}  # type: ignore[attr-defined]


async def test_all_who_ask_are_told_the_same_with_where_it_came_from(tmp_path: Path) -> None:
    store = open_responses(tmp_path / "answers.db")
    store.put(Entry.of(PORTS, {"sea": "North"}, Answer(["Hull"])))
    gateway = Gateway(store=store, simulators=CannedSource(numbered))
    async with shared(gateway, "127.0.0.1") as door:
        workers = [RemoteGateway(*door) for _ in range(3)]
        calls = [worker.call_api(PORTS, {"sea": "Baltic", "name": "Åland"}) for worker in workers for _ in range(5)]
        answers = await asyncio.gather(*calls)
        again = await workers[0].call_api(PORTS, {"sea": "North"})
        here = await gateway.call_api(PORTS, {"sea": "North"})
        for worker in workers:
            await worker.aclose()
    store.close()
    assert len({str(answer.response) for answer in answers}) == 1
    assert answers[0].response["asked"] == {"sea": "Baltic", "name": "Åland"}
    assert again == here
    assert again.provenance is not None
    assert again.provenance.source is Source.RECORDED


async def test_a_gateway_that_is_gone_is_nobodys_answer() -> None:
    async with shared(Gateway(simulators=CannedSource(numbered)), "127.0.0.1") as (url, token):
        worker = RemoteGateway(url, token)
        await worker.call_api(PORTS, {})
    answer = await worker.call_api(PORTS, {})
    assert answer.provenance is not None
    assert answer.provenance.source is Source.MISSED
    assert "gateway: could not be reached" in answer.provenance.attempts[0]


async def test_a_stranger_is_told_nothing() -> None:
    async with shared(Gateway(simulators=CannedSource(numbered)), "127.0.0.1") as (url, _):
        for token in (None, "guessed"):
            async with contextlib.aclosing(RemoteGateway(url, token)) as worker:
                with pytest.raises(ProctorError, match="answered with status 401"):
                    await worker.call_api(PORTS, {})


async def test_a_store_that_cannot_be_written_stops_whoever_asks(tmp_path: Path) -> None:
    store = open_responses(tmp_path / "nowhere" / "answers.db")
    gateway = Gateway(store=store, simulators=CannedSource(numbered))
    async with shared(gateway, "127.0.0.1") as door, contextlib.aclosing(RemoteGateway(*door)) as worker:
        with pytest.raises(StorageError, match=r"answers\.db"):
            await worker.call_api(PORTS, {})
    store.close()
