import sys
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pytest

from proctor.dataset_schema import EvaluationDataset, MultiTurnSample, SingleTurnSample
from proctor.errors import FileError, NeedsExtraError, SampleError, StorageError
from proctor.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from proctor.records.gold import AnyOf, Anything, GoldCall, OneOf

SINGLES = [SingleTurnSample(user_input="q", response="a"), SingleTurnSample(user_input="r", reference="")]
TALK = MultiTurnSample(
    user_input=[
        HumanMessage("Paris?"),
        AIMessage("", tool_calls=[ToolCall("weather", {"city": "Paris", "x": None}, id="c1")]),
        ToolMessage("20", tool_call_id="c1"),
    ],
    reference_tool_calls=[ToolCall("weather", {"city": "Paris"})],
)


def refusal(function: Any, *args: Any, **more: Any) -> str:
    with pytest.raises(SampleError) as caught:
        function(*args, **more)
    return str(caught.value)


def file_refusal(function: Any, path: Path) -> str:
    with pytest.raises(FileError) as caught:
        function(path)
    assert caught.value.path == str(path)
    return str(caught.value).removeprefix(f"{path}")


def test_a_dataset_is_a_sequence_of_its_samples() -> None:
    dataset = EvaluationDataset(SINGLES)
    assert len(dataset) == 2
    assert list(dataset) == SINGLES
    assert dataset[1] == SINGLES[1]
    assert dataset[-1] == SINGLES[1]
    assert dataset[:1] == EvaluationDataset(SINGLES[:1])
    assert isinstance(dataset[5:], EvaluationDataset)
    assert dataset.features() == ["user_input", "response", "reference"]
    assert dataset.get_sample_type() is SingleTurnSample
    assert not dataset.is_multi_turn()
    assert EvaluationDataset([TALK]).is_multi_turn()
    assert repr(dataset) == "EvaluationDataset(features=['user_input', 'response', 'reference'], len=2)"
    with pytest.raises(IndexError):
        dataset[2]


def test_datasets_are_equal_when_their_samples_are() -> None:
    assert EvaluationDataset(SINGLES) == EvaluationDataset(tuple(SINGLES))
    assert EvaluationDataset(SINGLES) != EvaluationDataset(SINGLES[::-1])
    assert EvaluationDataset(SINGLES) != SINGLES


def test_the_list_that_was_handed_in_is_not_shared() -> None:
    samples: list[Any] = list(SINGLES)
    dataset = EvaluationDataset(samples)
    samples.clear()
    assert len(dataset) == 2


def test_an_empty_dataset_is_fine_everywhere(tmp_path: Path) -> None:
    empty = EvaluationDataset([])
    assert (len(empty), list(empty), empty.features(), empty.get_sample_type()) == (0, [], [], None)
    assert not empty.is_multi_turn()
    empty.to_jsonl(tmp_path / "e.jsonl")
    empty.to_csv(tmp_path / "e.csv")
    assert EvaluationDataset.from_jsonl(tmp_path / "e.jsonl") == empty
    assert EvaluationDataset.from_csv(tmp_path / "e.csv") == empty
    assert EvaluationDataset.from_pandas(empty.to_pandas()) == empty
    assert EvaluationDataset.from_hf_dataset(empty.to_hf_dataset()) == empty
    (tmp_path / "none.csv").write_bytes(b"")
    assert EvaluationDataset.from_csv(tmp_path / "none.csv") == empty
    assert EvaluationDataset.from_dict({}) == empty


def test_samples_of_two_kinds_are_refused() -> None:
    mixed: list[Any] = [SINGLES[0], TALK]
    sentence = (
        "Sample at index 1 is of type MultiTurnSample, expected SingleTurnSample: a dataset has samples of one kind."
    )
    assert refusal(EvaluationDataset, mixed) == sentence
    assert refusal(EvaluationDataset.from_list, [sample.to_dict() for sample in mixed]) == sentence
    with pytest.raises(ValueError, match="Sample at index 1 is of type SingleTurnSample, expected MultiTurnSample"):
        EvaluationDataset(mixed[::-1])


def test_what_is_no_sample_is_refused() -> None:
    plain: list[Any] = [{"response": "a"}]
    assert refusal(EvaluationDataset, plain) == (
        "Sample at index 0 is of type dict, expected SingleTurnSample or MultiTurnSample; "
        "plain data is read by from_list."
    )
    assert refusal(EvaluationDataset.from_list, [{}, {"respons": ""}]) == (
        "sample 1: a SingleTurnSample has the unknown field 'respons'; did you mean 'response'?"
    )


def test_from_dict_takes_rows_and_columns() -> None:
    rows = [{"user_input": "q", "response": "a"}, {"user_input": "r", "reference": ""}]
    assert EvaluationDataset.from_dict(rows) == EvaluationDataset(SINGLES)
    columns = {"user_input": ["q", "r"], "response": ["a", None], "reference": [None, ""]}
    assert EvaluationDataset.from_dict(columns) == EvaluationDataset(SINGLES)
    talks = {"user_input": [TALK.to_messages()], "reference_tool_calls": [TALK.to_dict()["reference_tool_calls"]]}
    assert EvaluationDataset.from_dict(talks) == EvaluationDataset([TALK])


def test_columns_that_do_not_fit_are_refused() -> None:
    assert refusal(EvaluationDataset.from_dict, {"user_input": ["q"], "response": []}) == (
        "the columns must be of one length: 'user_input' has 1, 'response' has 0."
    )
    assert refusal(EvaluationDataset.from_dict, {"user_input": "q"}) == (
        "the column 'user_input' must be a list with a value for each sample, not str."
    )


def test_conversations_may_be_in_the_shape_of_openai_in_any_file(tmp_path: Path) -> None:
    messages = (
        '[{"role": "user", "content": "Paris?"}, {"role": "assistant", "content": null, "tool_calls": '
        '[{"id": "c1", "function": {"name": "weather", "arguments": "{\\"city\\": \\"Paris\\", \\"x\\": null}"}}]},'
        '{"role": "tool", "tool_call_id": "c1", "content": "20"}]'
    )
    calls = '[{"name": "weather", "args": {"city": "Paris"}}]'
    (tmp_path / "a.jsonl").write_text(f'{{"user_input": {messages}, "reference_tool_calls": {calls}}}\n\n')
    frame = pd.DataFrame({"user_input": [messages], "reference_tool_calls": [calls]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    expected = EvaluationDataset([TALK])
    assert EvaluationDataset.from_jsonl(tmp_path / "a.jsonl") == expected
    assert EvaluationDataset.from_csv(tmp_path / "a.csv") == expected
    assert EvaluationDataset.from_pandas(frame) == expected
    assert EvaluationDataset.from_hf_dataset(datasets.Dataset.from_pandas(frame)) == expected


def test_iter_jsonl_reads_a_sample_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    line = b'{"user_input":"%s"}\n' % (b"x" * 10_000)
    path.write_bytes(line * 3000)
    tracemalloc.start()
    try:
        assert sum(len(sample.user_input or "") for sample in EvaluationDataset.iter_jsonl(path)) == 30_000_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"response": "a"}\n\n{"response": 1}\n', ":3: 'response' of a SingleTurnSample must be text, not int: 1."),
        (b'{"response": "a"}\n{"response": "', ":2: the JSON is cut off: it ends before it is complete."),
        (
            b'{"response": "a"}\n{"user_input": []}\n',
            (
                ":2: Sample at index 1 is of type MultiTurnSample, expected SingleTurnSample: "
                "a dataset has samples of one kind."
            ),
        ),
        (b'"' + b"x" * (33 * 1024 * 1024) + b'"', ":1: the line is longer than 32 MiB; is this JSONL?"),
    ],
)
def test_a_line_that_is_no_sample_is_named(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    assert file_refusal(EvaluationDataset.from_jsonl, path) == sentence


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    for read in (EvaluationDataset.from_jsonl, EvaluationDataset.from_csv):
        assert file_refusal(read, tmp_path / "none") == ": no such file; check the path."
        assert file_refusal(read, tmp_path) == ": this is a folder; name a file in it."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"user_input,respons\nq,a\n", ":1: the column 'respons' is no field of a sample; did you mean 'response'?"),
        (b"response,response\na,b\n", ":1: the column 'response' stands twice in the head of the table."),
        (b"user_input,response\n\nq,a,b\n", ":3: the row has 3 cells, the head of the table 2."),
        (b'user_input,response\n"two\nlines",a\nq\n', ":4: the row has 1 cells, the head of the table 2."),
        (b'response\n"a', ":2: the row is not CSV: unexpected end of data."),
        (b'response\na\n"a"b\n', ":3: the row is not CSV: ',' expected after '\"'."),
        (b"response\n\xff\n", ":1: here or soon after is a byte that is not valid UTF-8 (0xff)."),
        (
            b"user_input,rubrics\nq,\"{'a': 'b'}\"\n",
            (
                ":2: column 'rubrics', which holds JSON: this is not JSON: expecting property name enclosed in double "
                "quotes at character 1, near \"{'a': 'b'}\"."
            ),
        ),
        (
            b"user_input,retrieved_contexts\nq,text\n",
            (
                ":2: column 'retrieved_contexts', which holds JSON: "
                "this is not JSON: expecting value at character 0, near 'text'."
            ),
        ),
        (
            b"user_input,rubrics\nq,5\n",
            ":2: 'rubrics' of a SingleTurnSample must be a dictionary from text to text, not int: 5.",
        ),
        (
            b"user_input,reference_topics,response\n[],,x\n",
            (
                ":2: a MultiTurnSample has the unknown field 'response'; known are gold, reference, "
                "reference_tool_calls, reference_topics, rubrics, user_input."
            ),
        ),
        (
            b'reference_topics\n"[""a""]"\n',
            ":2: a MultiTurnSample cannot be made: missing required argument 'user_input'.",
        ),
    ],
)
def test_a_row_of_csv_that_is_no_sample_is_named(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert file_refusal(EvaluationDataset.from_csv, path) == sentence


def test_csv_is_written_so_that_a_person_can_read_it(tmp_path: Path) -> None:
    EvaluationDataset(SINGLES).to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == b'user_input,response,reference\r\nq,a,\r\nr,,""""""\r\n'
    EvaluationDataset([MultiTurnSample(user_input=[HumanMessage("a")])]).to_csv(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == (
        b'user_input,reference_tool_calls\r\n"[{""type"":""human"",""content"":""a""}]",\r\n'
    )
    EvaluationDataset([SingleTurnSample(response='""'), SingleTurnSample(response="x")]).to_csv(tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_bytes() == b'response:json\r\n"""\\""\\"""""\r\n"""x"""\r\n'


def test_the_kind_of_a_csv_row_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfuser_input\n[]\n")
    assert EvaluationDataset.from_csv(path) == EvaluationDataset([SingleTurnSample(user_input="[]")])
    assert EvaluationDataset.from_csv(path, MultiTurnSample) == EvaluationDataset([MultiTurnSample(user_input=[])])


def test_a_csv_cell_may_be_long(tmp_path: Path) -> None:
    dataset = EvaluationDataset([SingleTurnSample(response="x" * 1_000_000)])
    dataset.to_csv(tmp_path / "a.csv")
    assert EvaluationDataset.from_csv(tmp_path / "a.csv") == dataset


def with_args(value: Any) -> EvaluationDataset:
    return EvaluationDataset([TALK, MultiTurnSample(user_input=[], reference_tool_calls=[ToolCall("a", {"x": value})])])


DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
NOT_JSON = [
    (float("nan"), "JSON has no number nan"),
    (float("inf"), "JSON has no number inf"),
    (datetime(2026, 1, 1, tzinfo=UTC), "a value of type datetime has no JSON form"),
    ({1, 2}, "a value of type set has no JSON form"),
    (b"x", "a value of type bytes has no JSON form"),
    ({1: 2}, "a key of a JSON object must be text, not int: 1."),
    ("\ud800", "half of a surrogate pair"),
    (DEEP, "nested too deeply"),
]


@pytest.mark.parametrize(("value", "sentence"), NOT_JSON, ids=lambda value: str(value)[:20])
def test_what_a_file_cannot_hold_is_refused_and_no_file_is_made(tmp_path: Path, value: Any, sentence: str) -> None:
    dataset = with_args(value)
    for write, name in ((dataset.to_jsonl, "a.jsonl"), (dataset.to_csv, "a.csv")):
        found = refusal(write, tmp_path / name)
        assert found.startswith("sample 1 cannot be written: ")
        assert sentence in found
    assert list(tmp_path.iterdir()) == []
    assert sentence in refusal(dataset.to_hf_dataset)


@pytest.mark.parametrize(("value", "sentence"), NOT_JSON[:-1], ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("wrap", [lambda call: call, lambda call: AnyOf([call, GoldCall("b", {"y": Anything()})])])
def test_nothing_in_gold_is_changed_in_silence(tmp_path: Path, value: Any, sentence: str, wrap: Any) -> None:
    gold = [wrap(GoldCall("a", {"x": [value]}))]
    found = refusal(EvaluationDataset([MultiTurnSample(user_input=[], gold=gold)]).to_jsonl, tmp_path / "a.jsonl")
    assert found.startswith("sample 0 cannot be written: ")
    assert sentence in found


def test_text_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    dataset = EvaluationDataset([SingleTurnSample(response="\ud800")])
    for write in (dataset.to_jsonl, dataset.to_csv):
        assert "half of a surrogate pair" in refusal(write, tmp_path / "a")
    assert "half of a surrogate pair" in refusal(dataset.to_hf_dataset)
    assert list(tmp_path.iterdir()) == []


def test_numbers_and_arrays_of_numpy_are_written_as_what_they_say(tmp_path: Path) -> None:
    dataset = with_args([np.float64(1.5), np.int64(3), np.bool_(True), np.array([1, 2]), np.str_("a"), (1, 2)])
    dataset.to_jsonl(tmp_path / "a.jsonl")
    back = EvaluationDataset.from_jsonl(tmp_path / "a.jsonl")[1].reference_tool_calls  # type: ignore[union-attr]
    assert repr(back) == repr([ToolCall("a", {"x": [1.5, 3, True, [1, 2], "a", [1, 2]]})])


def test_a_place_where_no_file_can_be_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="its folder does not exist"):
        EvaluationDataset(SINGLES).to_jsonl(tmp_path / "no" / "a.jsonl")


def test_a_table_of_pandas_holds_what_the_samples_hold() -> None:
    frame = EvaluationDataset([TALK]).to_pandas()
    assert list(frame.columns) == ["user_input", "reference_tool_calls"]
    assert frame["user_input"][0] == TALK.to_messages()
    singles = EvaluationDataset(SINGLES).to_pandas()
    assert singles["response"].tolist() == ["a", None]


def test_a_cell_that_pandas_leaves_empty_is_a_field_that_is_not_there() -> None:
    frame = pd.DataFrame({"user_input": ["q", np.nan, pd.NA, None, pd.NaT], "response": ["a", "b", "c", "d", "e"]})
    assert [sample.to_dict() for sample in EvaluationDataset.from_pandas(frame)][1:] == [
        {"response": answer} for answer in "bcde"
    ]


def test_nested_data_that_went_through_arrow_is_read_without_what_arrow_filled_in(tmp_path: Path) -> None:
    other = ToolCall("find", {"metadata": "not json", "args": "[", "n": {"deep": [1]}})
    talks = [
        MultiTurnSample(user_input=[HumanMessage("a"), AIMessage("", tool_calls=[call])])
        for call in (ToolCall("weather", {"city": "Paris"}), other)
    ]
    plain = EvaluationDataset(talks)
    table = datasets.Dataset.from_list(plain.to_list())
    assert table[0]["user_input"][1]["tool_calls"][0]["args"]["n"] is None
    assert EvaluationDataset.from_hf_dataset(table) == plain
    plain.to_pandas().to_parquet(tmp_path / "a.parquet")
    assert EvaluationDataset.from_pandas(pd.read_parquet(tmp_path / "a.parquet")) == plain


def test_what_is_no_table_is_refused() -> None:
    table = EvaluationDataset(SINGLES).to_hf_dataset()
    assert refusal(EvaluationDataset.from_hf_dataset, datasets.DatasetDict({"train": table, "test": table})) == (
        "from_hf_dataset reads one split; this has 'train', 'test': hand over dataset[…]."
    )
    assert refusal(EvaluationDataset.from_hf_dataset, []) == "from_hf_dataset reads a Dataset, not list."
    assert refusal(EvaluationDataset.from_pandas, []) == "from_pandas reads a DataFrame, not list."
    twice = pd.DataFrame([["a", "b"]], columns=["response", "response"])
    assert refusal(EvaluationDataset.from_pandas, twice) == "the column 'response' stands twice in the DataFrame."
    assert refusal(EvaluationDataset.from_pandas, pd.DataFrame({"rubrics": ["{"]})) == (
        "column 'rubrics', which holds JSON: the JSON is cut off: it ends before it is complete."
    )


def test_a_table_of_datasets_has_columns_that_can_be_used() -> None:
    table = EvaluationDataset([TALK]).to_hf_dataset()
    message = table[0]["user_input"][1]
    assert (message["type"], message["tool_calls"][0]["args"]) == ("ai", '{"city":"Paris","x":null}')
    listed = EvaluationDataset([SingleTurnSample(retrieved_contexts=["a"], retrieved_context_ids=[1])]).to_hf_dataset()
    assert listed[0] == {"retrieved_contexts": ["a"], "retrieved_context_ids": [1]}


@pytest.mark.parametrize("package", ["pandas", "datasets"])
def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    dataset = EvaluationDataset(SINGLES)
    write = dataset.to_pandas if package == "pandas" else dataset.to_hf_dataset
    with pytest.raises(NeedsExtraError, match=rf"pip install 'proctor\[{package}\]'"):
        write()


def test_reading_a_dataset_does_not_disturb_another_readers_limit_on_cells(tmp_path: Path) -> None:
    import csv

    before = csv.field_size_limit()
    EvaluationDataset(SINGLES).to_csv(tmp_path / "a.csv")
    EvaluationDataset.from_csv(tmp_path / "a.csv")
    assert csv.field_size_limit() == before


def test_gold_goes_through_every_format_as_it_is(tmp_path: Path) -> None:
    plain = [{"name": "f", "args": {"x": {"$one_of": [1, "a"]}}}, {"any_of": [{"name": "g"}, [{"name": "h"}]]}]
    sample = MultiTurnSample(user_input=[HumanMessage("a")], gold=plain)
    dataset = EvaluationDataset([TALK, sample])
    assert sample.gold == [GoldCall("f", {"x": OneOf((1, "a"))}), AnyOf([GoldCall("g"), [GoldCall("h")]])]
    dataset.to_jsonl(tmp_path / "gold.jsonl")
    dataset.to_csv(tmp_path / "gold.csv")
    assert EvaluationDataset.from_jsonl(tmp_path / "gold.jsonl") == dataset
    assert EvaluationDataset.from_csv(tmp_path / "gold.csv") == dataset
    assert EvaluationDataset.from_list(dataset.to_list()) == dataset
    assert EvaluationDataset.from_pandas(dataset.to_pandas()) == dataset
    assert EvaluationDataset.from_hf_dataset(dataset.to_hf_dataset()) == dataset
