"""Query files and id files as records."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.catalog.toolfiles import UnreadableError
from proctor.errors import FileError
from proctor.formats.stabletoolbench.queries import read_queries, read_query, read_query_ids
from proctor.records.queries import ApiId, ApiSpec, Expected, Fact, GoldApi, Query

FORECAST = {"category_name": "Weather", "tool_name": "Sky Report", "api_name": "Get Forecast"}
WORD = {"category_name": "Data", "tool_name": "Words", "api_name": "Any"}
NEWS_WORD = {**WORD, "category_name": "News"}
ITEM = {
    "query_id": 7,
    "query": "Will it blow?",
    "api_list": [FORECAST, WORD],
    "relevant APIs": [["Sky Report", "Get Forecast"]],
}


@pytest.fixture
def file(tmp_path: Path) -> Callable[[Any], Path]:
    def written(content: Any) -> Path:
        path = tmp_path / "G1_instruction.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return written


def test_a_query_with_its_gold_and_its_apis(file: Callable[[Any], Path]) -> None:
    assert read_queries(file([ITEM])) == [
        Query(
            id="7",
            text="Will it blow?",
            gold=(GoldApi("Sky Report", "Get Forecast", "Weather"),),
            apis=(ApiSpec(ApiId("Weather", "Sky Report", "Get Forecast")), ApiSpec(ApiId("Data", "Words", "Any"))),
            test_set="G1_instruction",
        )
    ]


def test_identity_is_text_and_else_the_position(file: Callable[[Any], Path]) -> None:
    items = [{"query": "a"}, {"query": "b", "query_id": "x"}, {"query": "c", "query_id": 0}, {"query": "d"}]
    with pytest.raises(FileError, match="query 2: the query_id '0' is also that of query 0; ids must differ"):
        read_queries(file(items))
    assert [query.id for query in read_queries(file([items[0], items[1], items[3]]))] == ["0", "x", "2"]


def test_a_folder_is_one_set_of_all_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "multi"
    folder.mkdir()
    with pytest.raises(FileError, match="there is no query file in this folder"):
        read_queries(folder)
    (folder / "b.json").write_text(json.dumps([{"query": "b", "query_id": 2}]))
    (folder / "a.json").write_text(json.dumps([{"query": "a", "query_id": 1}]))
    assert [(query.id, query.test_set) for query in read_queries(folder)] == [("1", "multi"), ("2", "multi")]
    assert [query.id for query in read_queries(folder, ids=["2"])] == ["2"]
    (folder / "c.json").write_text(json.dumps([{"query": "c", "query_id": 1}]))
    with pytest.raises(FileError, match="the query_id '1' is also that"):
        read_queries(folder)


def test_gold_is_a_set_in_the_file_s_order_and_may_be_missing() -> None:
    pairs = [["b", "2"], ["a", "1"], ["b", "2"]]
    gold = (GoldApi("b", "2"), GoldApi("a", "1"))
    assert read_query({"query": "q", "relevant APIs": pairs}).gold == gold
    assert read_query({"query": "q", "relevant_apis": pairs}).gold == gold
    assert read_query({"query": "q"}).gold == ()


def test_the_category_of_gold_is_left_open_where_two_fit() -> None:
    query = {"query": "q", "api_list": [WORD, NEWS_WORD], "relevant APIs": [["Words", "Any"]]}
    assert read_query(query).gold == (GoldApi("Words", "Any"),)


def test_of_a_list_of_texts_the_first_is_taken() -> None:
    assert read_query({"query": ["first", "second"]}).text == "first"


@pytest.mark.parametrize("ids", [{"7": 0, "x": 1}, ["7", "x"], [7, "x", 7]])
def test_ids_are_compared_as_text(tmp_path: Path, ids: Any) -> None:
    path = tmp_path / "ids.json"
    path.write_text(json.dumps(ids), "utf-8")
    assert read_query_ids(path) == ("7", "x")


def test_only_the_queries_of_an_id_file_are_read(file: Callable[[Any], Path]) -> None:
    path = file([ITEM, {**ITEM, "query_id": "8"}])
    assert [query.id for query in read_queries(path, ids=("8",))] == ["8"]
    with pytest.raises(FileError, match=r"has no query with the id 9; is the id file of another set\?"):
        read_queries(path, ids=("8", "9"))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the file is empty"),
        (b'[{"query": "q"', "the JSON is cut off"),
        (b"[" * 100_000, "is nested too deeply"),
        ({"query": "q"}, "a query file is a list of queries, not an object"),
        ([7], "query 0: a query must be an object, not a number"),
        ([{"query_id": 5}], r"query 0 \(query_id 5\): its 'query' must be text that is not empty"),
        ([{"query": " "}], "its 'query' must be text"),
        ([{"query": "q", "query_id": 1.5}], "query_id must be text or a whole number, not a number"),
        ([{"query": "q", "query_id": True}], "query_id must be text or a whole number, not true or false"),
        ([{"query": "q", "api_list": {}}], "its api_list must be a list, not an object"),
        ([{"query": "q", "api_list": [{"api_name": "x"}]}], r"api_list\[0\]: the API 'x' belongs to no tool"),
        ([{"query": "q", "relevant APIs": "x"}], "must be a list of"),
        ([{"query": "q", "relevant APIs": [["x"]]}], r"relevant APIs\[0\] must be a pair of texts"),
    ],
)
def test_what_is_no_query_file_is_an_error_that_says_where(
    file: Callable[[Any], Path], content: Any, complaint: str
) -> None:
    with pytest.raises(FileError, match=complaint) as caught:
        read_queries(file(content))
    assert caught.value.path is not None


@pytest.mark.parametrize(
    ("ids", "complaint"), [("7", "not text"), ([1.5], "not a number"), ([True], "not true or false")]
)
def test_what_is_no_id_file_is_an_error(tmp_path: Path, ids: Any, complaint: str) -> None:
    path = tmp_path / "ids.json"
    path.write_text(json.dumps(ids), "utf-8")
    with pytest.raises(FileError, match=complaint):
        read_query_ids(path)


def test_what_a_right_answer_does_and_tells_may_stand_beside_a_query() -> None:
    item = {
        "query": "How warm is it in Harn?",
        "gold_calls": [{"name": "now_for_sky", "args": {"town": "Harn"}, "optional": True}],
        "facts": [{"says": "It is 12 degrees.", "accept": ["12 °C", "12 degrees"]}],
        "expected": "unsolvable",
    }
    query = read_query(item)
    assert query.calls == ({"name": "now_for_sky", "args": {"town": "Harn"}, "optional": True},)
    assert query.facts == (Fact("It is 12 degrees.", ("12 °C", "12 degrees")),)
    assert query.expected is Expected.UNSOLVABLE


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("gold_calls", [{"nam": "x"}], "gold_calls: gold[0]: "),
        ("facts", [{"says": "x"}], "facts: object missing required field `accept`"),
        ("expected", "perhaps", "expected: invalid enum value 'perhaps'"),
    ],
)
def test_what_stands_beside_a_query_and_cannot_be_read_names_its_field(field: str, value: object, said: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_query({"query": "x", field: value})
    assert str(caught.value).startswith(said)
