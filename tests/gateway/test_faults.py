from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import OptionError
from proctor.gateway.canned import CannedSource
from proctor.gateway.faults import FAULTS, Faults
from proctor.gateway.gateway import GatewayOptions
from proctor.gateway.source import Call
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry, Mark
from proctor.records.queries import ApiId, ApiSpec
from proctor.store.responses import ResponseStore

NAMES = ("Weather, Sea", "Sky Report", "Get Forecast")
CALLS = [Call.of(ApiId("Data", f"Tool {number % 20}", "Get"), {"n": number}) for number in range(1000)]


def test_the_same_seed_hits_the_same_calls_in_any_order() -> None:
    faults = Faults(0.3, seed=5)
    assert [faults.of(call) for call in CALLS] == [Faults(0.3, seed=5).of(call) for call in CALLS]
    assert [faults.of(call) for call in CALLS] != [Faults(0.3, seed=6).of(call) for call in CALLS]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_hit_and_every_fault_about_as_often(share: float) -> None:
    hits = [fault for call in CALLS if (fault := Faults(share).of(call)) is not None]
    assert abs(len(hits) / len(CALLS) - share) < 0.05
    assert min(hits.count(kind) for kind in Faults(share).kinds) > len(hits) / 4 * 0.6


@settings(deadline=None, max_examples=50)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10))
def test_a_larger_share_hits_the_same_calls_and_more(one: float, other: float, seed: int) -> None:
    smaller, larger = (
        {call.key for call in CALLS[:100] if Faults(share, seed=seed).of(call)} for share in sorted((one, other))
    )
    assert smaller <= larger


def test_none_and_all() -> None:
    assert not any(Faults(0).of(call) for call in CALLS)
    assert all(Faults(1).of(call) for call in CALLS)


def test_by_tool_all_calls_of_a_tool_are_hit_or_none() -> None:
    faults = Faults(0.5, by="tool")
    hit = {call.api.tool for call in CALLS if faults.of(call)}
    spared = {call.api.tool for call in CALLS if not faults.of(call)}
    assert hit
    assert spared
    assert not hit & spared


@pytest.mark.parametrize("options", [{"share": 1.5}, {"share": 0.5, "kinds": ("x",)}, {"share": 0.5, "kinds": ()}])
def test_a_dial_that_cannot_be_set_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Faults(**options)
    with pytest.raises(OptionError, match="by 'call' or by 'tool'"):
        Faults(0.5, by="day")


@pytest.mark.parametrize("kind", [kind for kind in FAULTS if kind != "stale"])
async def test_a_fault_says_so_asks_nobody_and_is_not_stored(
    make_gateway: Any, store: ResponseStore, kind: str
) -> None:
    source = CannedSource([])
    options = GatewayOptions(clock=lambda: 12.0, faults=Faults(1, (kind,)))
    gateway = make_gateway(simulators=source, options=options)
    answer = await gateway.call(*NAMES, {})
    assert (answer.response, answer.error) == (FAULTS[kind].response, FAULTS[kind].error)
    assert answer.provenance == Provenance(Source.CANNED, "faults", 12.0, fault=kind)
    assert source.calls == []
    assert store.count() == 0


async def test_stale_data_is_the_answer_of_another_call(
    make_gateway: Any, store: ResponseStore, forecast: ApiSpec
) -> None:
    other = store.put(Entry.of(forecast.id, {"portName": "Riga"}, Answer("old")))
    options = GatewayOptions(faults=Faults(1, ("stale",)))
    gateway = make_gateway(simulators=CannedSource(["new"]), options=options)
    answer = await gateway.call(*NAMES, {"portName": "Kiel"})
    assert answer.response == "old"
    assert answer.provenance is not None
    assert (answer.provenance.fault, answer.provenance.entry) == ("stale", other.key)


async def test_stale_data_is_drawn_from_all_recorded_answers_of_the_api(
    make_gateway: Any, store: ResponseStore, forecast: ApiSpec
) -> None:
    store.put_many(Entry.of(forecast.id, {"days": n}, Answer(n)) for n in range(60))
    store.put(Entry.of(forecast.id, {"days": "x"}, Answer("", "Gateway error..."), mark=Mark.FAILURE))

    async def told(seed: int) -> list[Any]:
        gateway = make_gateway(options=GatewayOptions(faults=Faults(1, ("stale",), seed)))
        return [(await gateway.call(*NAMES, {"days": n})).response for n in range(60)]

    first = await told(1)
    assert first == await told(1) != await told(2)
    assert len(set(first)) > 20
    assert all(isinstance(said, int) and said != n for n, said in enumerate(first))


async def test_without_an_older_answer_there_is_nothing_stale(make_gateway: Any) -> None:
    gateway = make_gateway(simulators=CannedSource(["new"]), options=GatewayOptions(faults=Faults(1, ("stale",))))
    assert (await gateway.call(*NAMES, {})).response == "new"
