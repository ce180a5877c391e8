"""The starter's queries are of one piece with its tools."""

import collections
import itertools

from proctor.catalog.names import plain_name
from proctor.records.gold import read_gold
from proctor.records.queries import Expected, Query
from proctor.records.ways import ways
from proctor.starter import functions, sets, tools
from proctor.starter.checking import check


def test_there_are_at_least_a_hundred(queries: list[Query]) -> None:
    assert len(queries) >= 100


def test_every_category_is_needed(queries: list[Query]) -> None:
    needed = {gold.category for query in queries for gold in query.gold}
    assert needed == {tool.category for tool in tools()}


def test_ids_differ(queries: list[Query]) -> None:
    assert len({query.id for query in queries}) == len(queries)


def test_every_api_that_a_query_offers_or_needs_exists(queries: list[Query]) -> None:
    known = functions()
    for query in queries:
        assert [str(api.id) for api in query.apis if api.id not in known] == [], query.id
        offered = {(api.id.tool, api.id.api) for api in query.apis}
        assert {(gold.tool, gold.api) for gold in query.gold} <= offered, query.id


def test_what_can_be_answered_has_facts_and_gold(queries: list[Query]) -> None:
    for query in queries:
        answered = query.expected is Expected.ANSWER
        assert any(fact.accept for fact in query.facts) == answered, query.id
        assert bool(query.calls) >= answered, query.id


def test_gold_really_yields_the_facts(queries: list[Query]) -> None:
    assert check(queries, functions()) == []


def test_queries_want_from_one_call_to_six(queries: list[Query]) -> None:
    lengths = collections.Counter(
        min(sum(not call.optional for call in way) for way in ways(read_gold(list(query.calls))))
        for query in queries
        if query.expected is Expected.ANSWER
    )
    assert set(lengths) == {1, 2, 3, 4, 5, 6}
    assert sum(count for length, count in lengths.items() if length > 2) > 20


def test_every_set_has_queries_of_its_kind(queries: list[Query]) -> None:
    by_set = {name: list(of) for name, of in itertools.groupby(queries, key=lambda query: query.test_set)}
    assert set(by_set) == set(sets()) == {"single", "multi", "mixed", "unsolvable", "off-topic", "refusal"}
    for name, of in by_set.items():
        wanted = Expected(name) if name in {one.value for one in Expected} else Expected.ANSWER
        assert {query.expected for query in of} == {wanted}, name
    apis = {plain_name(api): api for api in functions()}
    for query in queries:
        called = {apis[call.name] for way in ways(read_gold(list(query.calls))) for call in way}
        tools, categories = {(api.category, api.tool) for api in called}, {api.category for api in called}
        assert (len(tools) == 1) >= (query.test_set == "single"), query.id
        assert (len(tools) > 1 and len(categories) == 1) >= (query.test_set == "multi"), query.id
        assert (len(categories) > 1) >= (query.test_set == "mixed"), query.id


def test_needed_are_the_apis_without_which_there_is_no_way(queries: list[Query]) -> None:
    apis = {plain_name(api): (api.tool, api.api) for api in functions()}
    for query in queries:
        each = [{apis[call.name] for call in way if not call.optional} for way in ways(read_gold(list(query.calls)))]
        assert {(gold.tool, gold.api) for gold in query.gold} == set.intersection(*each), query.id


def test_no_refusal_tells_what_it_must_not_by_its_own_query(queries: list[Query]) -> None:
    for query in queries:
        for fact in query.facts:
            assert not [word for word in fact.reject if word.casefold() in query.text.casefold()], query.id
