"""The catalogue over the files of StableToolBench, where somebody has them."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from proctor.catalog.index import Catalog
from proctor.catalog.loader import load_catalog
from proctor.catalog.names import offered_names, plain_name, standardise, unreserved
from proctor.catalog.resolver import Resolver
from proctor.catalog.search import ToolSearch
from proctor.formats.stabletoolbench.queries import read_queries, read_query_ids
from proctor.records.queries import ApiId, Query
from proctor.records.traces import Resolution


@pytest.fixture(scope="module")
def catalog(benchmark_data: Path) -> Catalog:
    return load_catalog(benchmark_data / "test_instruction")


@pytest.fixture(scope="module")
def queries(benchmark_data: Path) -> list[Query]:
    return [
        query
        for file in sorted((benchmark_data / "test_instruction").glob("*.json"))
        for query in read_queries(file, ids=read_query_ids(benchmark_data / "test_query_ids" / file.name))
    ]


def gold_of(query: Query) -> list[ApiId]:
    return [ApiId(gold.category or "", gold.tool, gold.api) for gold in query.gold]


def test_all_apis_are_loaded(catalog: Catalog, queries: list[Query]) -> None:
    assert (len(catalog), len(catalog.tools), catalog.report.broken) == (2231, 647, ())
    assert len(queries) == 580
    assert {api.id for query in queries for api in query.apis} == {api.id for api in catalog}


def test_every_gold_api_is_reached_by_its_canonical_name(catalog: Catalog, queries: list[Query]) -> None:
    gold = [api for query in queries for api in gold_of(query)]
    assert len(gold) == 1316
    assert all(catalog.resolver.resolve(catalog.names[api]).api == api for api in gold)
    outcomes = [catalog.resolver.resolve(plain_name(api)) for api in gold]
    assert {match.outcome for match in outcomes} == {Resolution.REPAIRED, Resolution.AMBIGUOUS}
    assert all(api in match.candidates for api, match in zip(gold, outcomes, strict=True))


def test_no_two_functions_of_a_query_have_one_name(catalog: Catalog, queries: list[Query]) -> None:
    for query in queries:
        apis = {api.id for api in query.apis}
        offered = offered_names(apis)
        assert len(set(offered.values())) == len({catalog.names[api] for api in apis}) == len(apis)
        resolver = Resolver(apis, offered)
        for api in gold_of(query):
            assert resolver.resolve(offered[api]).outcome is Resolution.RESOLVED
            assert resolver.resolve(offered[api]).api == api


def test_documented_names_of_parameters_are_restored(catalog: Catalog) -> None:
    differing = count = 0
    for api in catalog:
        names = catalog.arguments(api.id)
        for parameter in api.parameters:
            upstream = unreserved(standardise(parameter.name))
            differing += upstream != parameter.name
            count += 1
            assert names.restore({upstream: 1}).arguments == {parameter.name: 1}
            assert names.restore({names.shown[parameter.name]: 1}).arguments == {parameter.name: 1}
    assert (count, differing) == (4051, 906)


def test_requests_in_upstream_s_own_words_find_their_api(catalog: Catalog) -> None:
    for api in (spec.id for spec in catalog):
        tool, name = f"{standardise(api.tool)}_for_{api.category}", unreserved(standardise(api.api))
        assert api in catalog.resolver.locate(api.category, tool, name).candidates
        assert catalog.resolver.locate(api.category, api.tool, api.api).api == api


def test_every_function_has_a_valid_schema(catalog: Catalog) -> None:
    for api in catalog:
        schema = catalog.schema(api.id, "anthropic")
        Draft202012Validator.check_schema(schema["input_schema"])
        assert len(schema["description"]) <= 1024
        assert "" not in schema["input_schema"]["properties"]


def test_a_real_tool_s_file(benchmark_data: Path) -> None:
    catalog = load_catalog(benchmark_data / "tools")
    assert str(catalog.apis[0].id) == "Social/Olato Quotes/Love Quote"
    assert (len(catalog), catalog.report.broken) == (3, ())


def test_search_finds_what_queries_need(catalog: Catalog, queries: list[Query]) -> None:
    search = ToolSearch(catalog)
    found = gold = 0
    for query in queries:
        wanted = set(gold_of(query))
        found += len(wanted & {hit.api for hit in search.search(query.text, 5)})
        gold += len(wanted)
    assert found / gold >= 0.85
