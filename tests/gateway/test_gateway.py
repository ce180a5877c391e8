"""The gateway over real stores: who is asked, what is stored, and that everybody gets the same answer."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from proctor.catalog.index import Catalog
from proctor.errors import OptionError, SampleError
from proctor.gateway.canned import CannedSource, FunctionSource
from proctor.gateway.gateway import Gateway, GatewayOptions
from proctor.gateway.policy import POLICIES
from proctor.gateway.simulators import ModelSource
from proctor.gateway.source import Call, Unanswered
from proctor.models.chat import Reply
from proctor.models.scripted import ScriptedModel
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry, Mark
from proctor.records.queries import ApiId, ApiSpec
from proctor.records.usage import Usage
from proctor.store.responses import ResponseStore, open_responses

NAMES = ("Weather, Sea", "Sky Report", "Get Forecast")
KIEL = {"portName": "Kiel"}


def source_of(answer: Answer) -> Source:
    assert answer.provenance is not None
    return answer.provenance.source


def attempts_of(answer: Answer) -> tuple[str, ...]:
    assert answer.provenance is not None
    return answer.provenance.attempts


async def test_a_call_that_was_answered_once_has_that_answer_for_ever(make_gateway: Any) -> None:
    simulator = CannedSource([{"wind": 5}, {"wind": 9}])
    gateway = make_gateway(simulators=simulator)
    first = await gateway.call(*NAMES, KIEL)
    again = await gateway.call(*NAMES, KIEL)
    assert first.response == again.response == {"wind": 5}
    assert (source_of(first), source_of(again)) == (Source.CANNED, Source.RECORDED)
    assert len(simulator.calls) == 1


async def test_another_gateway_finds_the_answer_in_the_store(make_gateway: Any) -> None:
    first = await make_gateway(simulators=CannedSource([{"wind": 5}])).call(*NAMES, KIEL)
    other = await make_gateway(simulators=CannedSource([{"wind": 9}])).call(*NAMES, KIEL)
    assert other.response == first.response
    assert source_of(other) is Source.RECORDED


@pytest.mark.parametrize(
    ("run", "said", "cost"),
    [("one", Source.CANNED, Usage(1, 9, 1)), ("other", Source.RECORDED, None), (None, Source.RECORDED, None)],
)
async def test_what_a_run_made_itself_is_not_recorded_and_what_others_made_meanwhile_is(
    make_gateway: Any, run: str | None, said: Source, cost: Usage | None
) -> None:
    made = Answer({"wind": 5}, provenance=Provenance(Source.CANNED, usage=Usage(1, 9, 1)))
    first = make_gateway(simulators=CannedSource([made]), options=GatewayOptions(run="one", clock=lambda: 12.0))
    assert source_of(await first.call(*NAMES, KIEL)) is Source.CANNED
    later = make_gateway(options=GatewayOptions(run=run))
    from_the_store, from_memory = [await later.call(*NAMES, KIEL) for _ in range(2)]
    assert (source_of(from_the_store), source_of(from_memory)) == (said, said)
    assert later.totals[said] == 2
    assert (from_memory.provenance.at, from_memory.response) == (12.0, {"wind": 5})
    assert (from_memory.provenance.usage, from_memory.provenance.run) == (cost, None)


async def test_what_was_paid_for_nothing_is_told_with_the_answer_that_came_in_the_end(make_gateway: Any) -> None:
    first = ModelSource(ScriptedModel([Reply(text="no JSON at all", usage=Usage(1, 5, 1))]))
    second = ModelSource(ScriptedModel([Reply(text='{"error": "", "response": 5}', usage=Usage(1, 20, 2))]))
    answer = await make_gateway(simulators=[first, second]).call(*NAMES, KIEL)
    assert (answer.response, answer.provenance.usage) == (5, Usage(2, 25, 3))
    third = ModelSource(ScriptedModel([Reply(text="no JSON at all", usage=Usage(1, 5, 1))]))
    missed = await make_gateway(simulators=[third]).call(*NAMES, {**KIEL, "days": 2})
    assert (source_of(missed), missed.provenance.usage) == (Source.MISSED, Usage(1, 5, 1))


async def test_provenance_says_who_made_the_answer_when_and_where_it_is_stored(
    make_gateway: Any, store: ResponseStore, forecast: ApiSpec
) -> None:
    simulator = CannedSource([Answer({"wind": 5}, provenance=Provenance(Source.LIVE, model="mirror"))], name="sim")
    gateway = make_gateway(
        simulators=simulator, live=CannedSource([Unanswered("timeout")], name="live"), policy="live-first"
    )
    key = Entry.of(forecast.id, KIEL, Answer(None)).key
    answer = await gateway.call(*NAMES, KIEL)
    tried = ("recorded: holds no answer", "live: did not answer in time")
    assert answer.provenance == Provenance(Source.CANNED, "mirror", 12.0, key, tried)
    assert store.answer(key) == answer
    again = await gateway.call(*NAMES, KIEL)
    assert again.provenance == Provenance(Source.RECORDED, "mirror", 12.0, key)


@pytest.mark.parametrize(
    ("tool", "api", "arguments"),
    [
        ("sky_report", "get_forecast", {"portname": "Kiel"}),
        ("sky_report_for_Weather_Sea", "get_forecast_for_sky_report", {"portName": "Kiel"}),
        ("Sky Report", "Get Forecast", {"portName": "Kiel"}),
    ],
)
async def test_every_spelling_of_a_call_has_the_same_answer(
    make_gateway: Any, tool: str, api: str, arguments: dict[str, Any]
) -> None:
    gateway = make_gateway(simulators=CannedSource([{"wind": 5}]))
    await gateway.call(*NAMES, KIEL)
    assert (await gateway.call("Weather_Sea", tool, api, arguments)).response == {"wind": 5}


@pytest.mark.parametrize("tool", ["Tickets_for_Trains", "tickets_for_trains", "tickets_for_trains_for_Travel"])
async def test_names_that_hold_for_themselves_work(make_gateway: Any, tool: str) -> None:
    gateway = make_gateway(simulators=CannedSource([["ICE 1"]]))
    answer = await gateway.call("Travel", tool, "find_for_day_for_tickets_for_trains", {})
    assert answer.response == ["ICE 1"]


async def test_the_order_of_arguments_and_the_writing_of_numbers_do_not_matter(make_gateway: Any) -> None:
    gateway = make_gateway(simulators=CannedSource([{"wind": 5}]))
    await gateway.call(*NAMES, {"portName": "Kiel", "days": 1})
    assert (await gateway.call(*NAMES, {"days": 1.0, "portName": "Kiel"})).response == {"wind": 5}


async def test_text_that_looks_like_an_object_is_another_argument(make_gateway: Any) -> None:
    gateway = make_gateway(simulators=CannedSource(["text", "object"]))
    assert (await gateway.call(*NAMES, {"portName": "{'a': 1}"})).response == "text"
    assert (await gateway.call(*NAMES, {"portName": {"a": 1}})).response == "object"


async def test_an_api_that_is_not_there_is_a_miss_that_names_the_nearest(make_gateway: Any) -> None:
    simulator = CannedSource([])
    answer = await make_gateway(simulators=simulator).call("Weather, Sea", "Sky Report", "Get Forcast", {})
    assert source_of(answer) is Source.MISSED
    assert "did you mean 'Get Forecast'?" in answer.error
    assert simulator.calls == []


async def test_a_name_of_several_apis_is_a_miss_that_names_them() -> None:
    apis = [ApiSpec(ApiId(category, "Sky", "Get")) for category in ("Data", "Weather")]
    answer = await Gateway(Catalog.of_apis(apis), simulators=CannedSource([])).call("", "Sky", "Get", {})
    assert "Data/Sky/Get, Weather/Sky/Get; name the category as well." in answer.error


async def test_a_dead_backend_falls_through_to_the_next_source(make_gateway: Any) -> None:
    live = CannedSource([Unanswered("unavailable", "connection refused")], name="live")
    gateway = make_gateway(policy="live-first", live=live, simulators=CannedSource([{"wind": 5}]))
    answer = await gateway.call(*NAMES, KIEL)
    assert answer.response == {"wind": 5}
    assert "live: could not be reached: connection refused" in attempts_of(answer)


async def test_a_miss_is_an_answer_that_says_what_was_tried_and_is_not_stored(
    make_gateway: Any, store: ResponseStore
) -> None:
    simulator = CannedSource([Unanswered("timeout"), {"wind": 5}], name="sim")
    gateway = make_gateway(simulators=simulator)
    missed = await gateway.call(*NAMES, KIEL)
    assert source_of(missed) is Source.MISSED
    assert missed.error == f"no source had an answer to {'/'.join(NAMES)} with these arguments."
    assert attempts_of(missed) == ("recorded: holds no answer", "sim: did not answer in time")
    assert store.count() == 0
    assert (await gateway.call(*NAMES, KIEL)).response == {"wind": 5}


FAILED: list[tuple[Any, str]] = [
    (Answer("", "API not working error..."), "failed"),
    (Answer("", "Rate limit error: 429 Too Many Requests."), "failed"),
    ({"status": 500, "message": "Internal Server Error"}, "failed"),
    ({"message": "You are not subscribed to this API."}, "failed"),
    ("502 Bad Gateway", "failed"),
    (None, "said nothing"),
    ("  ", "said nothing"),
]


def of_kind(kind: str, said: Any) -> dict[str, Any]:
    """A source of that kind that says this, as the gateway takes it."""
    if kind == "function":
        return {"simulators": FunctionSource({ApiId(*NAMES): lambda **_: said})}
    if kind == "model":
        answer = said if isinstance(said, Answer) else Answer(said)
        reply = {"error": answer.error, "response": answer.response}
        return {"simulators": ModelSource(ScriptedModel([json.dumps(reply)] * 2))}
    if kind == "live":
        return {"live": CannedSource([said, said], source=Source.LIVE), "policy": "live-first"}
    return {"simulators": CannedSource([said, said])}


@pytest.mark.parametrize("kind", ["function", "model", "live", "custom"])
@pytest.mark.parametrize(("said", "problem"), FAILED)
async def test_a_failure_is_never_stored_whoever_says_it(
    make_gateway: Any, store: ResponseStore, kind: str, said: Any, problem: str
) -> None:
    gateway = make_gateway(**of_kind(kind, said))
    for _ in range(2):
        missed = await gateway.call(*NAMES, KIEL)
        assert source_of(missed) is Source.MISSED
        tried = attempts_of(missed)[-1]
        assert problem in tried or (kind == "model" and "that can be read" in tried)
    assert store.count() == 0


@pytest.mark.parametrize("kind", ["function", "model", "live", "custom"])
@pytest.mark.parametrize(
    "said",
    [
        Answer("", "404 Not Found: there is no user 1"),
        Answer("", "Not Found: there is no user 1"),
        Answer("", "400 Bad Request: days must be below 10"),
        {"code": 484, "title": "Mexican Peso"},
        {"title": "Not Found", "author": "X"},
        [],
        {},
        0,
    ],
)
async def test_what_an_api_says_is_stored_whoever_says_it(
    make_gateway: Any, store: ResponseStore, kind: str, said: Any
) -> None:
    gateway = make_gateway(**of_kind(kind, said))
    first, again = [await gateway.call(*NAMES, KIEL) for _ in range(2)]
    expected = said if isinstance(said, Answer) else Answer(said)
    assert (first.response, first.error) == (again.response, again.error) == (expected.response, expected.error)
    assert [entry.mark for entry in store.entries()] == [None]


async def test_a_source_that_raises_has_failed_and_the_next_one_is_asked(make_gateway: Any) -> None:
    gateway = make_gateway(simulators=[CannedSource([ValueError("oops")], name="mine"), CannedSource([{"wind": 5}])])
    answer = await gateway.call(*NAMES, KIEL)
    assert answer.response == {"wind": 5}
    assert attempts_of(answer) == ("recorded: holds no answer", "mine: failed: ValueError: oops")


async def test_a_reply_that_was_cut_off_is_marked_and_a_whole_one_takes_its_place(
    make_gateway: Any, store: ResponseStore
) -> None:
    cut, longer = '{"error": "", "response": "wind from the', '{"error": "", "response": "wind from the north'
    one = make_gateway(simulators=ModelSource(ScriptedModel([cut])))
    for _ in range(2):
        assert (await one.call(*NAMES, KIEL)).response == "wind from the"
    assert [entry.mark for entry in store.entries()] == [Mark.CUT]
    again = await make_gateway(simulators=ModelSource(ScriptedModel([longer]))).call(*NAMES, KIEL)
    assert again.response == "wind from the"
    whole = '{"error": "", "response": "wind from the north"}'
    last = await make_gateway(simulators=ModelSource(ScriptedModel([whole]))).call(*NAMES, KIEL)
    assert last.response == "wind from the north"
    assert [(entry.mark, entry.answer.response) for entry in store.entries()] == [(None, "wind from the north")]


async def test_what_is_left_of_a_reply_takes_the_place_of_a_recorded_failure_and_of_no_sound_answer(
    make_gateway: Any, store: ResponseStore, forecast: ApiSpec
) -> None:
    cut = '{"error": "", "response": "wind from the'
    store.put(Entry.of(forecast.id, KIEL, Answer("", "Gateway error..."), mark=Mark.FAILURE))
    store.put(Entry.of(forecast.id, {"portName": "Riga"}, Answer("calm")))
    gateway = make_gateway(policy="refresh", simulators=ModelSource(ScriptedModel([cut, cut])))
    assert (await gateway.call(*NAMES, KIEL)).response == "wind from the"
    assert (await gateway.call(*NAMES, {"portName": "Riga"})).response == "calm"


async def test_under_frozen_nobody_is_asked(make_gateway: Any) -> None:
    simulator = CannedSource([])
    gateway = make_gateway(policy="frozen", simulators=simulator, live=simulator)
    assert source_of(await gateway.call(*NAMES, KIEL)) is Source.MISSED
    assert simulator.calls == []


async def test_under_live_nothing_is_read_from_the_store_and_nothing_is_stored(
    make_gateway: Any, store: ResponseStore, forecast: ApiSpec
) -> None:
    store.put(Entry.of(forecast.id, KIEL, Answer({"wind": 1})))
    gateway = make_gateway(policy="live", live=CannedSource([{"wind": 5}, {"wind": 6}]))
    assert (await gateway.call(*NAMES, KIEL)).response == {"wind": 5}
    assert (await gateway.call(*NAMES, KIEL)).response == {"wind": 6}
    assert store.count() == 1


async def test_refresh_replaces_the_stored_answer_and_keeps_it_in_the_history(
    make_gateway: Any, store: ResponseStore, forecast: ApiSpec
) -> None:
    entry = store.put(Entry.of(forecast.id, KIEL, Answer({"wind": 1})))
    gateway = make_gateway(policy="refresh", live=CannedSource([{"wind": 5}, Unanswered("timeout")], name="live"))
    assert (await gateway.call(*NAMES, KIEL)).response == {"wind": 5}
    assert [old.response for old in store.history(entry.key)] == [{"wind": 1}]
    kept = await gateway.call(*NAMES, KIEL)
    assert (kept.response, source_of(kept)) == ({"wind": 5}, Source.RECORDED)
    assert attempts_of(kept) == ("live: did not answer in time",)


@pytest.mark.parametrize("mark", [Mark.FAILURE, Mark.EMPTY])
async def test_a_recorded_failure_gives_way_to_an_answer_but_counts_under_frozen(
    make_gateway: Any, store: ResponseStore, forecast: ApiSpec, mark: Mark
) -> None:
    store.put(Entry.of(forecast.id, KIEL, Answer("", error="Rate limit error..."), mark=mark))
    frozen = await make_gateway(policy="frozen").call(*NAMES, KIEL)
    assert frozen.error == "Rate limit error..."
    missed = await make_gateway().call(*NAMES, KIEL)
    assert attempts_of(missed) == ("recorded: holds only a suspicious answer",)
    answered = await make_gateway(simulators=CannedSource([{"wind": 5}])).call(*NAMES, KIEL)
    assert answered.response == {"wind": 5}
    assert (await make_gateway().call(*NAMES, KIEL)).response == {"wind": 5}


async def test_answers_under_standardised_names_are_found(make_gateway: Any, store: ResponseStore) -> None:
    recorded = ApiId("Weather_Sea", "sky_report", "get_forecast")
    store.put(Entry.of(recorded, {"portname": "Kiel"}, Answer({"wind": 3})))
    assert (await make_gateway().call(*NAMES, KIEL)).response == {"wind": 3}


async def test_answers_of_apis_that_no_catalogue_has_are_found(make_gateway: Any, store: ResponseStore) -> None:
    store.put(Entry.of(ApiId("Data", "Old Words", "Get"), {"n": 1}, Answer("word")))
    for catalog in (Catalog([]), None):
        answer = await make_gateway(catalog=catalog).call("Data", "old_words", "get_for_old_words", {"n": 1})
        assert answer.response == "word"


async def test_without_a_catalogue_every_api_can_be_called() -> None:
    source = CannedSource([1])
    gateway = Gateway(simulators=source)
    assert (await gateway.call("a", "b", "c", {})).response == 1
    assert (await gateway.call("a", "b", "c", {})).response == 1
    assert source.calls[0].api == ApiId("a", "b", "c")


async def test_concurrent_identical_misses_ask_once(make_gateway: Any) -> None:
    async def slow(_: Call) -> Any:
        await asyncio.sleep(0.05)
        return {"wind": 5}

    simulator = CannedSource(slow)
    gateway = make_gateway(simulators=simulator)
    answers = await asyncio.gather(*(gateway.call(*NAMES, KIEL) for _ in range(50)))
    assert len(simulator.calls) == 1
    assert {answer.response["wind"] for answer in answers} == {5}


async def test_who_leaves_does_not_take_the_answer_from_the_others(make_gateway: Any, store: ResponseStore) -> None:
    async def slow(_: Call) -> Any:
        await asyncio.sleep(0.05)
        return {"wind": 5}

    gateway = make_gateway(simulators=CannedSource(slow))
    leaving = asyncio.create_task(gateway.call(*NAMES, KIEL))
    staying = asyncio.create_task(gateway.call(*NAMES, KIEL))
    await asyncio.sleep(0.01)
    leaving.cancel()
    assert (await staying).response == {"wind": 5}
    assert store.count() == 1


async def test_two_gateways_at_one_store_ask_once(make_gateway: Any, store_path: Path) -> None:
    async def slow(_: Call) -> Any:
        await asyncio.sleep(0.1)
        return {"wind": len(simulator.calls)}

    simulator = CannedSource(slow)
    store = open_responses(store_path)
    gateways = [make_gateway(simulators=simulator), make_gateway(simulators=simulator, store=store)]
    answers = await asyncio.gather(*(gateway.call(*NAMES, KIEL) for gateway in gateways))
    assert [answer.response for answer in answers] == [{"wind": 1}, {"wind": 1}]
    assert len(simulator.calls) == 1
    store.close()


async def test_a_claim_is_renewed_as_long_as_the_question_lasts(make_gateway: Any, store: ResponseStore) -> None:
    async def slow(call: Call) -> Any:
        await asyncio.sleep(0.5)
        return {"claimed by another": store.claim(call.key, "another", 1.0)}

    gateway = make_gateway(simulators=CannedSource(slow), options=GatewayOptions(claim=0.15))
    answer = await gateway.call(*NAMES, KIEL)
    assert answer.response == {"claimed by another": False}
    assert store.claim(Entry.of(ApiId(*NAMES), KIEL, answer).key, "another", 1.0), "the claim was given back"


async def test_the_claim_of_one_that_died_ends_by_itself(make_gateway: Any, store: ResponseStore) -> None:
    store.claim(Entry.of(ApiId(*NAMES), KIEL, Answer(None)).key, "dead", 0.2)
    gateway = make_gateway(simulators=CannedSource([{"wind": 5}]))
    assert (await gateway.call(*NAMES, KIEL)).response == {"wind": 5}


async def test_where_another_answer_was_stored_first_that_one_is_given(
    make_gateway: Any, store: ResponseStore, forecast: ApiSpec
) -> None:
    def overtaken(_: Call) -> Any:
        store.put(Entry.of(forecast.id, KIEL, Answer({"wind": 1})))
        return {"wind": 2}

    answer = await make_gateway(simulators=CannedSource(overtaken)).call(*NAMES, KIEL)
    assert (answer.response, source_of(answer)) == ({"wind": 1}, Source.RECORDED)
    assert "another answer was stored first" in attempts_of(answer)[-1]


async def test_an_answer_that_only_memory_keeps_is_one_answer_however_often_it_is_given(
    make_gateway: Any, store: ResponseStore
) -> None:
    store.freeze()
    gateway = make_gateway(simulators=CannedSource([{"wind": 5}]), options=GatewayOptions(run="mine"))
    first, again = [(await gateway.call(*NAMES, KIEL)).provenance for _ in range(2)]
    assert (first.entry, first.at, first.source) == (again.entry, again.at, again.source)
    assert first.entry is not None


async def test_a_frozen_store_is_read_and_not_written(make_gateway: Any, store: ResponseStore) -> None:
    store.put(Entry.of(ApiId(*NAMES), {"portName": "Riga"}, Answer("calm")))
    store.freeze()
    simulator = CannedSource([{"wind": 5}])
    gateway = make_gateway(simulators=simulator)
    assert (await gateway.call(*NAMES, {"portName": "Riga"})).response == "calm"
    answer = await gateway.call(*NAMES, KIEL)
    assert answer.response == (await gateway.call(*NAMES, KIEL)).response == {"wind": 5}
    assert attempts_of(answer)[-1].endswith("takes no answers")
    assert store.count() == 1


async def test_totals_say_where_the_answers_came_from(make_gateway: Any) -> None:
    gateway = make_gateway(simulators=CannedSource([{"wind": 5}, Unanswered("timeout")]))
    for arguments in (KIEL, KIEL, KIEL, {}):
        await gateway.call(*NAMES, arguments)
    totals = {source.value: count for source, count in gateway.totals.items() if count}
    assert totals == {"recorded": 2, "canned": 1, "missed": 1}


async def test_arguments_that_json_does_not_have_are_refused(make_gateway: Any) -> None:
    with pytest.raises(SampleError):
        await make_gateway().call(*NAMES, {"portName": float("nan")})


def test_what_is_no_source_is_refused() -> None:
    with pytest.raises(OptionError, match="str has not"):
        Gateway(simulators=["gpt-4o"])  # type: ignore[list-item]


async def test_a_gateway_that_closes_finishes_what_is_being_asked(make_gateway: Any, store: ResponseStore) -> None:
    async def slow(_: Call) -> Any:
        await asyncio.sleep(0.05)
        return {"wind": 5}

    gateway = make_gateway(simulators=CannedSource(slow))
    asked = asyncio.create_task(gateway.call(*NAMES, KIEL))
    await asyncio.sleep(0.01)
    await gateway.aclose()
    assert store.count() == 1
    await asked


def test_loops_of_several_threads_share_a_gateway(make_gateway: Any) -> None:
    async def slow(_: Call) -> Any:
        await asyncio.sleep(0.05)
        return {"wind": 5}

    simulator = CannedSource(slow)
    gateway = make_gateway(simulators=simulator)
    said: list[Any] = []
    threads = [
        threading.Thread(target=lambda: said.append(asyncio.run(gateway.call(*NAMES, KIEL)).response)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == [{"wind": 5}] * 4
    assert len(simulator.calls) == 1


@pytest.mark.parametrize("name", POLICIES)
async def test_an_answer_is_stored_only_by_policies_that_store(
    make_gateway: Any, store: ResponseStore, name: str
) -> None:
    gateway = make_gateway(policy=name, simulators=CannedSource([1]), live=CannedSource([2]))
    await gateway.call(*NAMES, KIEL)
    assert (store.count() == 1) is POLICIES[name].stores
