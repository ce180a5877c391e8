"""A simulator held against what the real APIs said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.catalog.index import Catalog
from proctor.errors import FileError, OptionError
from proctor.gateway.canned import CannedSource
from proctor.gateway.simulators import ModelSource, TemplateSource
from proctor.gateway.source import Call, Unanswered
from proctor.models.scripted import ScriptedModel
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry, Mark
from proctor.records.grades import Missing
from proctor.records.queries import ApiId, ApiSpec, Parameter
from proctor.runs.fidelity import MEASURES, FidelityOptions, compared, measure_fidelity, structure
from proctor.stats.intervals import Estimate
from proctor.store.responses import ResponseStore, open_responses

FORECAST = ApiSpec(
    ApiId("Weather, Sea", "Sky Report", "Get Forecast"),
    "Wind at a port.",
    (Parameter("portName"),),
    template_response={"port": "Kiel", "wind": 5},
)
WORDS = ApiSpec(ApiId("Data", "Words", "Get Word"), "A word.", template_response={"word": "rain"})
CATALOG = Catalog.of_apis([FORECAST, WORDS])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    opened = open_responses(tmp_path / "answers.db")
    yield opened
    opened.close()


def recorded(store: ResponseStore, api: ApiSpec, count: int, **more: Any) -> None:
    for number in range(count):
        answer = Answer({"port": f"port {number}", "wind": number})
        store.put(Entry.of(api.id, {"portName": f"port {number}"}, answer, **more))


def figure(found: Any, name: str) -> tuple[float, int]:
    estimate = found.figures[name]
    assert isinstance(estimate, Estimate)
    return round(estimate.value, 3), estimate.n


async def test_a_simulator_that_says_what_was_recorded_is_perfect(store: ResponseStore) -> None:
    recorded(store, FORECAST, 5)
    recorded(store, WORDS, 5)

    def knows(call: Call) -> Any:
        number = int(call.arguments["portName"].split()[1])
        return {"wind": number, "port": f"port {number}"}

    found = await measure_fidelity(store, CATALOG, CannedSource(knows))
    assert (found.compared, found.apis, found.left_out) == (10, 2, {})
    assert {name: figure(found, name) for name in ("answered", "error agreement", "structure")} == dict.fromkeys(
        ("answered", "error agreement", "structure"), (1.0, 10)
    )
    assert figure(found, "BLEU")[0] < 1, "the order of fields is another one"
    assert set(found.figures) == set(MEASURES) == set(found.unmeasured)


async def test_what_differs_is_measured_and_what_cannot_be_is_said(store: ResponseStore) -> None:
    store.put(Entry.of(WORDS.id, {"n": 1}, Answer({"word": "sun"})))
    store.put(Entry.of(WORDS.id, {"n": 2}, Answer("", "n is too large")))
    store.put(Entry.of(WORDS.id, {"n": 3}, Answer({"word": "wind"})))
    store.put(Entry.of(FORECAST.id, {"portName": "Kiel"}, Answer({"port": "Kiel", "wind": 9})))

    def plays(call: Call) -> Any:
        said = {1: {"word": 5}, 2: Answer("", "n has to be smaller"), 3: Unanswered("timeout")}
        return said.get(call.arguments.get("n"), {"port": "Kiel", "wind": 9})  # type: ignore[arg-type]

    found = await measure_fidelity(store, CATALOG, CannedSource(plays))
    assert figure(found, "answered") == (0.75, 4)
    assert figure(found, "error agreement") == (1.0, 3)
    assert figure(found, "structure") == (0.75, 2)
    assert found.unmeasured["structure"] == {
        "the simulator gave no answer (did not answer in time)": 1,
        "the recorded answer is an error": 1,
    }
    interval = found.figures["answered"]
    assert isinstance(interval, Estimate)
    assert (interval.groups, interval.method) == (2, "clustered t")


async def test_only_real_answers_are_compared_with(store: ResponseStore) -> None:
    recorded(store, FORECAST, 1)
    store.put(Entry.of(WORDS.id, {"n": 1}, Answer("Unauthorized error..."), mark=Mark.FAILURE))
    made = Provenance(Source.SIMULATED, "tiny")
    store.put(Entry.of(WORDS.id, {"n": 2}, Answer("rain", provenance=made)))
    store.put(Entry.of(WORDS.id, {"n": 3}, Answer("rain", provenance=Provenance(Source.COMPUTED, "mine"))))
    store.put(Entry.of(WORDS.id, {"n": float("nan")}, Answer("rain")))
    store.put(Entry.of(ApiId("no", "such", "API"), {}, Answer("rain")))
    found = await measure_fidelity(store, CATALOG, TemplateSource())
    assert found.compared == 1
    assert found.left_out == {
        "marked as suspicious: failure": 1,
        "no real answer, but a simulated one": 1,
        "no real answer, but a computed one": 1,
        "its arguments are not JSON": 1,
        "the tools lack the API": 1,
    }


async def test_recordings_under_standardised_names_are_found_and_asked_by_documented_ones(store: ResponseStore) -> None:
    standard = ApiId("Weather_Sea", "sky_report", "get_forecast")
    store.put(Entry.of(standard, {"portname": "Kiel"}, Answer({"port": "Kiel", "wind": 1})))
    source = CannedSource([{"port": "Kiel", "wind": 2}])
    found = await measure_fidelity(store, CATALOG, source)
    assert figure(found, "structure") == (1.0, 1)
    assert (source.calls[0].api, source.calls[0].arguments) == (FORECAST.id, {"portName": "Kiel"})


async def test_a_model_is_not_shown_the_answer_that_it_is_asked_for(store: ResponseStore) -> None:
    recorded(store, FORECAST, 7)
    model = ScriptedModel(lambda _: '{"error": "", "response": {"port": "x", "wind": 0}}')
    await measure_fidelity(store, CATALOG, ModelSource(model, examples=store.examples))
    assert len(model.requests) == 7
    for request in model.requests:
        text = str(request)
        asked = next(
            number for number in range(7) if f'The call:\\n{{"arguments": {{"portName": "port {number}"' in text
        )
        assert f'"wind": {asked}}}' not in text
        assert text.count('{"error": "", "response": {"port"') == 5


async def test_the_seed_and_the_limit_say_which_answers_are_asked_for(store: ResponseStore) -> None:
    recorded(store, FORECAST, 30)

    async def asked(**options: Any) -> list[Any]:
        source = CannedSource(lambda _: 1)
        await measure_fidelity(store, CATALOG, source, FidelityOptions(**options))
        return sorted(call.arguments["portName"] for call in source.calls)

    assert len(await asked(limit=10)) == 10
    assert await asked(limit=10) == await asked(limit=10) != await asked(limit=10, seed=1)
    assert len(await asked(limit=None)) == 30
    with pytest.raises(OptionError, match="limit must be at least 1"):
        await asked(limit=0)


async def test_a_store_with_nothing_to_compare_with_is_said(store: ResponseStore) -> None:
    recorded(store, FORECAST, 3, mark=Mark.EMPTY)
    with pytest.raises(FileError, match=r"no recorded answer .*; marked as suspicious: empty \(3\)\."):
        await measure_fidelity(store, CATALOG, TemplateSource())


@pytest.mark.parametrize(
    ("real", "said", "expected"),
    [
        ({"a": 1}, {"a": 2.5}, 1.0),
        ({"a": 1}, {"a": "1"}, 0.5),
        ({"a": 1}, {"b": 1}, 0.5),
        ([{"a": 1}], [{"a": 2}, {"a": 3}], 1.0),
        ([], [1], 2 / 3),
        ("text", "other", 1.0),
        ("text", 1, 0.0),
        (None, True, 0.0),
        ({}, {}, 1.0),
    ],
)
def test_structure_by_a_table(real: Any, said: Any, expected: float) -> None:
    assert structure(real, said) == pytest.approx(expected)


@given(values, values)
def test_structure_is_the_same_both_ways_and_one_for_the_same(one: Any, two: Any) -> None:
    assert structure(one, two) == structure(two, one)
    assert 0 <= structure(one, two) <= structure(one, one) == 1


def test_json_text_and_json_are_the_same_response() -> None:
    cells = compared(Answer('{"a": 1,  "b": "x"}'), Answer({"a": 1, "b": "x"}))
    assert cells == dict.fromkeys(MEASURES, pytest.approx(1.0))


def test_an_error_on_one_side_is_a_disagreement_and_nothing_else() -> None:
    cells = compared(Answer({"a": 1}), Answer("", "no such port"))
    assert cells["error agreement"] == 0
    assert cells["structure"] == Missing("the simulator's answer is an error")
