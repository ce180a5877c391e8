"""What every store of answers does; the same on each database."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.errors import InputError, StorageError
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry, Mark
from proctor.records.queries import ApiId
from proctor.store.responses import ResponseStore

FORECAST = ApiId("Weather", "Sky Report", "Get Forecast")
WORDS = ApiId("Data", "Random Words", "Get Word")

OpenStore = Callable[[], ResponseStore]
MakeEntry = Callable[..., Entry]


def test_what_was_put_is_got_whole(store: ResponseStore) -> None:
    answer = Answer(
        {"sky": [1, 1.5, None, "grün\u0000"]}, "", Provenance(Source.LIVE, at=3.0, attempts=("simulated: no",))
    )
    put = Entry.of(FORECAST, {"day": 1, "where": {"lat": 1.0}}, answer, mark=Mark.FAILURE, raw="{'day': 1}\u0000")
    assert store.put(put) == put
    assert store.get(put.key) == put
    assert store.answer(put.key) == answer
    assert list(store.entries()) == [put]


def test_an_unknown_key_has_no_answer(store: ResponseStore, entry: MakeEntry) -> None:
    assert store.get("none") is None
    assert store.answer("none") is None
    store.put(entry())
    assert store.get("none") is None
    assert store.answer("none") is None


def test_a_store_with_nothing_in_it_answers_every_question(store: ResponseStore) -> None:
    assert list(store.entries()) == []
    assert store.apis() == {}
    assert store.count() == 0
    assert store.stats().entries == 0
    assert store.examples(FORECAST) == []
    assert store.history("none") == []
    assert store.frozen is None
    assert store.damage() == []
    assert len(store.content_id()) == 64


def test_the_first_write_wins_and_the_second_is_told(store: ResponseStore, entry: MakeEntry) -> None:
    first, second = entry(1, "sunny"), entry(1, "rainy")
    assert store.put(first) == first
    assert store.put(second) == first
    assert store.put_many([second, entry(2, "rainy")]) == [first, entry(2, "rainy")]
    assert store.answer(first.key) == first.answer
    assert store.history(first.key) == []


def test_two_entries_of_one_key_in_one_go_are_one(store: ResponseStore, entry: MakeEntry) -> None:
    first, second = entry(1, "sunny"), entry(1, "rainy")
    assert store.put_many([first, second]) == [first, first]
    assert store.put_many([]) == []


def test_a_superseded_answer_is_kept(store: ResponseStore, entry: MakeEntry) -> None:
    said = ["sunny", "rainy", "snowy"]
    for words in said:
        assert store.supersede(entry(1, words)).answer.response == words
    key = entry(1).key
    assert [answer.response for answer in store.history(key)] == said[:-1]
    assert store.get(key) == entry(1, "snowy")
    assert store.count() == 1
    assert store.stats().superseded == 2


def test_a_suspicious_answer_gives_way_when_asked_to_and_then_no_more(store: ResponseStore, entry: MakeEntry) -> None:
    bad = entry(1, None, mark=Mark.EMPTY)
    store.put(bad)
    assert store.put(entry(1, "sunny")) == bad
    assert store.put(entry(1, "rainy"), over_suspicious=True) == entry(1, "rainy")
    assert store.put(entry(1, "snowy"), over_suspicious=True) == entry(1, "rainy")
    assert store.history(bad.key) == [bad.answer]


def test_suspicious_answers_can_be_passed_over(store: ResponseStore, entry: MakeEntry) -> None:
    bad = store.put(entry(1, None, mark=Mark.EMPTY))
    good = store.put(entry(2))
    assert store.answer(bad.key) == bad.answer
    assert store.answer(bad.key, suspicious=False) is None
    assert store.answer(good.key, suspicious=False) == good.answer


def test_entries_come_by_api_and_key_however_they_went_in(store: ResponseStore, entry: MakeEntry) -> None:
    made = [entry(number, api=api) for number in range(600) for api in (WORDS, FORECAST)]
    store.put_many(made)
    expected = sorted(made, key=lambda one: (one.api, one.key))
    assert list(store.entries()) == expected
    assert list(store.entries(FORECAST)) == [one for one in expected if one.api == FORECAST]
    assert store.apis() == {WORDS: 600, FORECAST: 600}
    assert list(store.apis()) == [WORDS, FORECAST]


def test_entries_may_be_written_while_they_are_read(store: ResponseStore, entry: MakeEntry) -> None:
    store.put_many([entry(number) for number in range(600)])
    reading = store.entries()
    first = next(reading)
    store.put(entry(1000))
    assert len({first.key, *(one.key for one in reading)}) in {600, 601}


def test_examples_are_sound_few_and_always_the_same(store: ResponseStore, entry: MakeEntry) -> None:
    store.put_many([entry(number, mark=None if number % 2 else Mark.FAILURE) for number in range(20)])
    store.put(entry(1, api=WORDS))
    shown = store.examples(FORECAST, 3)
    assert len(shown) == 3
    assert all(one.mark is None and one.api == FORECAST for one in shown)
    assert store.examples(FORECAST, 3) == shown
    assert len(store.examples(FORECAST, 50)) == 10
    assert store.examples(FORECAST, 0) == []


def test_the_figures_count_marks_and_sources(store: ResponseStore, entry: MakeEntry) -> None:
    store.put_many([entry(1), entry(2, mark=Mark.EMPTY), entry(3, api=WORDS, mark=Mark.EMPTY)])
    store.put(Entry.of(WORDS, {}, Answer("who knows")))
    stats = store.stats()
    assert (stats.entries, stats.apis) == (4, 2)
    assert stats.marks == {"empty": 2}
    assert stats.sources == {"simulated": 3, "unknown": 1}
    assert stats.bytes > 0


def test_the_content_id_is_about_answers_and_not_about_where_they_came_from(
    store: ResponseStore, entry: MakeEntry
) -> None:
    empty = store.content_id()
    store.put(entry(1))
    one = store.content_id()
    store.supersede(Entry.of(FORECAST, {"day": 1}, Answer("sunny", provenance=Provenance(Source.LIVE))))
    assert store.content_id() == one
    store.supersede(entry(1, "rainy"))
    assert len({empty, one, store.content_id()}) == 3


def test_a_frozen_store_takes_no_more_answers_from_anybody(open_store: OpenStore, entry: MakeEntry) -> None:
    store, other = open_store(), open_store()
    first = other.put(entry(1))
    assert store.frozen is None
    content = store.freeze()
    assert content == store.content_id()
    assert store.freeze() == content
    for one in (store, other):
        assert one.frozen == content
        assert one.put(entry(1, "rainy")) == first, "what is there is answered"
        with pytest.raises(StorageError, match="the store is frozen and takes no more answers"):
            one.put(entry(2))
        with pytest.raises(StorageError, match="frozen"):
            one.supersede(entry(1, "rainy"))
    assert list(store.entries()) == [first]
    assert store.stats().frozen == content


def test_one_owner_asks_and_the_others_wait(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    assert store.claim("key", "a", 60)
    assert not other.claim("key", "b", 60)
    assert other.claim("another", "b", 60)
    assert store.claim("key", "a", 60), "the owner itself may claim again"
    other.release("key", "b")
    assert not other.claim("key", "b", 60), "nobody gives up what is another's"
    store.release("key", "a")
    assert other.claim("key", "b", 60)
    assert not store.renew("key", "a", 60)
    assert other.renew("key", "b", 60)


def test_a_claim_ends_with_its_time(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    assert store.claim("key", "a", 0.05)
    time.sleep(0.1)
    assert other.claim("key", "b", 60)
    assert not store.renew("key", "a", 60)
    store.release("key", "a")
    assert not store.claim("key", "a", 60)


def test_a_renewed_claim_lasts(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    assert store.claim("key", "a", 0.05)
    assert store.renew("key", "a", 60)
    time.sleep(0.1)
    assert not other.claim("key", "b", 60)


def test_only_one_of_many_threads_wins_a_claim(open_store: OpenStore) -> None:
    stores = [open_store() for _ in range(4)]
    start = threading.Barrier(8)
    won: list[str] = []

    def ask(name: str, store: ResponseStore) -> None:
        start.wait()
        if store.claim("key", name, 60):
            won.append(name)

    threads = [threading.Thread(target=ask, args=(str(n), stores[n % 4])) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


def test_threads_that_write_the_same_keys_see_the_same_answers(open_store: OpenStore, entry: MakeEntry) -> None:
    stores = [open_store(), open_store()]
    seen: list[list[Any]] = []

    def write(name: str, store: ResponseStore) -> None:
        seen.append([store.put(entry(number, name)).answer.response for number in range(50)])

    threads = [threading.Thread(target=write, args=(str(n), stores[n % 2])) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4
    assert all(answers == seen[0] for answers in seen)


def test_a_closed_store_opens_again(store: ResponseStore, entry: MakeEntry) -> None:
    store.put(entry())
    store.close()
    store.close()
    assert store.answer(entry().key) == entry().answer
    assert store.put(entry(2)) == entry(2)


def test_arguments_with_nan_are_kept_and_found(store: ResponseStore) -> None:
    put = Entry.of(FORECAST, {"lat": float("nan"), "lon": float("-inf"), "day": 1.0}, Answer("lost"))
    store.put(put)
    found = store.get(put.key)
    assert found is not None
    assert repr(found.arguments) == "{'lat': nan, 'lon': -inf, 'day': 1.0}"
    assert found.expected_key == put.key
    assert store.damage() == []


@pytest.mark.parametrize("response", [float("nan"), {1: 2}, "\ud800", object()])
def test_an_answer_that_json_cannot_hold_is_refused(store: ResponseStore, response: object) -> None:
    with pytest.raises(InputError):
        store.put(Entry.of(FORECAST, {}, Answer(response)))
    assert store.count() == 0


def test_an_entry_under_a_wrong_key_is_found(store: ResponseStore, entry: MakeEntry) -> None:
    good = entry(1)
    store.put_many([good, Entry("f" * 64, FORECAST, {"day": 2}, Answer("rainy"))])
    damage = store.damage()
    assert len(damage) == 1
    assert "stands under a wrong key" in damage[0]
    assert "f" * 64 in damage[0]


def test_entries_that_answer_no_call_have_keys_of_their_own(store: ResponseStore) -> None:
    spellings = [Entry.kept_for_export(FORECAST, raw, Answer(raw), Mark.UNREADABLE_KEY) for raw in ("{", "{'a'", "")]
    store.put_many(spellings)
    assert store.count() == 3
    assert store.damage() == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    arguments=st.dictionaries(st.text(), JSON, max_size=3),
    response=JSON,
    error=st.text(),
    names=st.tuples(*[st.text()] * 3),
)
def test_any_answer_comes_back_as_it_was(
    store: ResponseStore, arguments: dict[str, Any], response: Any, error: str, names: tuple[str, str, str]
) -> None:
    put = Entry.of(ApiId(*names), arguments, Answer(response, error))
    store.supersede(put)
    found = store.get(put.key)
    assert found == put
    assert found is not None
    assert repr(found.answer.response) == repr(response)
    assert put.key in {one.key for one in store.entries(put.api)}
    assert store.damage() == []
