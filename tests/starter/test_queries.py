"""The starter's queries are of one piece with its tools."""

from proctor.records.queries import Expected, Query
from proctor.starter import functions
from proctor.starter.checking import check


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
        assert bool(query.facts) == answered, query.id
        assert bool(query.calls) >= answered, query.id


def test_gold_really_yields_the_facts(queries: list[Query]) -> None:
    assert check(queries, functions()) == []
