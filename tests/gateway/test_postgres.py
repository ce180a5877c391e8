"""The gateway over a PostgreSQL that lets it wait."""

import asyncio
import time

import psycopg

from proctor.gateway.canned import FunctionSource
from proctor.gateway.gateway import Gateway
from proctor.records.queries import ApiId
from proctor.store.responses import open_responses

API = ApiId("Weather", "Sky", "Wind")


async def test_a_database_that_has_to_be_waited_for_holds_up_nothing_else(postgres_schema: str) -> None:
    store = open_responses(postgres_schema)
    gateway = Gateway(store=store, simulators=FunctionSource({API: lambda n=0: n}))
    await gateway.call_api(API, {"n": 1})
    gaps: list[float] = []

    async def tick() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - began)

    ticking = asyncio.create_task(tick())
    with psycopg.connect(postgres_schema) as other:
        other.execute("LOCK TABLE proctor_answers IN ACCESS EXCLUSIVE MODE")
        waiting = asyncio.create_task(gateway.call_api(API, {"n": 2}))
        await asyncio.sleep(1.0)
        assert not waiting.done()
        assert (await gateway.call_api(API, {"n": 1})).response == 1  # from memory
        other.rollback()
    assert (await waiting).response == 2
    ticking.cancel()
    assert max(gaps) < 0.8
    assert store.count() == 2
    await gateway.aclose()
    store.close()
