import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.errors import FileError
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.json_files import json_bytes
from proctor.formats.stabletoolbench.pass_rates import (
    RECORDED,
    PassRateEntry,
    pass_rate_entry,
    pass_rate_table,
    read_pass_rates,
    written_pass_rates,
)
from proctor.formats.stabletoolbench.turns import Called, Said
from proctor.metrics._pass_rate import PassRate, pass_rate
from proctor.records.grades import Missing, Status, Verdict

SOLVED = Verdict(Status.SOLVED, "", RECORDED)
UNSURE = Verdict(Status.UNSURE, "", RECORDED, repeat=1)
ITEM = {
    "query": "May I sail?",
    "tool_names": ["forecast", "Finish"],
    "answer_steps": "Step 1: a\nStep 2: b",
    "final_step": "Step 2: b",
    "is_solved": {"0": "AnswerStatus.Solved", "1": "AnswerStatus.Unsure"},
}


def test_a_file_is_read_and_written_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "G1.json"
    path.write_text(json.dumps({"7": ITEM}))
    entries = read_pass_rates(path)
    assert entries["7"].verdicts == (SOLVED, UNSURE)
    assert written_pass_rates(entries.values(), compat=True) == ({"7": ITEM}, ())


def test_a_table_is_read_and_written_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "G1.csv"
    text = (
        "query\tavailable_tools\tmodel_intermediate_steps\tmodel_final_step\tmodel\tquery_id\tis_solved\r\n"
        "May I sail?\t['forecast', 'Finish']\t\"Step 1: a\nStep 2: b\"\tStep 2: b\tgpt\t7\t"
        "{0: 'AnswerStatus.Solved', 1: 'AnswerStatus.Unsure'}\r\n"
    )
    path.write_bytes(text.encode())
    entries = read_pass_rates(path)
    assert (entries["7"].model, entries["7"].verdicts) == ("gpt", (SOLVED, UNSURE))
    assert pass_rate_table(entries.values()) == (text.encode(), ())


def test_what_was_not_measured_is_said_beside_and_never_scored(tmp_path: Path) -> None:
    entry = PassRateEntry("7", "?", (), "", "", (SOLVED, Missing("the model's reply was cut off")))
    document, lost = written_pass_rates([entry])
    assert document["7"]["is_solved"] == {"0": "AnswerStatus.Solved"}
    assert document["7"]["unmeasured"] == {"1": "the model's reply was cut off"}
    assert lost == ()
    path = tmp_path / "G1.json"
    path.write_text(json.dumps(document))
    assert read_pass_rates(path)["7"] == entry
    theirs, left_out = written_pass_rates([entry], compat=True)
    assert "unmeasured" not in theirs["7"]
    assert left_out == ("left out: a verdict that was not measured: the model's reply was cut off",)
    assert pass_rate_table([entry]).lost == left_out


def test_verdicts_that_no_model_gave_say_so_and_go_on_saying_so(tmp_path: Path) -> None:
    verdict = Verdict(Status.SOLVED, "", "heuristic")
    answer = ConvertedAnswer("1", "Q?", (), "CoT@1", "", ())
    entry = pass_rate_entry(answer, [verdict], "gpt", "heuristic")
    document, lost = written_pass_rates([entry], compat=True)
    assert (document["1"]["evaluation_method"], lost) == ("heuristic", ())
    (tmp_path / "rates.json").write_text(json.dumps(document))
    assert read_pass_rates(tmp_path / "rates.json")["1"].verdicts == (verdict,)
    assert pass_rate_table([entry]).lost == ("a table cannot say that its verdicts are by heuristic",)
    for method in ("official", "recorded", ""):
        assert "evaluation_method" not in written_pass_rates([pass_rate_entry(answer, [], "", method)]).value["1"]


def test_the_verdicts_of_a_file_make_a_pass_rate(tmp_path: Path) -> None:
    path = tmp_path / "G1.json"
    path.write_text(json.dumps({"7": ITEM, "8": ITEM | {"is_solved": {"1": "Unsolved"}}}))
    entries = read_pass_rates(path)
    assert isinstance(entries["8"].verdicts[0], Missing)
    rate = pass_rate({one.query_id: one.verdicts for one in entries.values()}, ["7", "8"])
    assert isinstance(rate, PassRate)
    assert (rate.repeats, rate.unmeasured) == ((1.0, 0.25), {"the file has no verdict of this repeat": 1})


def test_an_answers_steps_are_a_line_each() -> None:
    turns = (Said("two\nlines"), Called("Finish", '{"return_type": "give_answer"}'))
    answer = ConvertedAnswer("7", "?", ({"name": "forecast"},), "CoT@1", "", turns)
    entry = pass_rate_entry(answer, [SOLVED], "gpt")
    lines = entry.answer_steps.split("\n")
    assert lines[0] == 'Step 1: {"role":"assistant","message":"two\\nlines"}'
    assert lines[1].startswith('Step 2: {"role":"tool","message":{"name":"Finish"')
    assert (entry.final_step, entry.tool_names, entry.model) == (lines[1], ("forecast",), "gpt")


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=15)
verdicts = st.lists(st.sampled_from(Status), max_size=3).map(
    lambda found: tuple(Verdict(status, "", RECORDED, repeat) for repeat, status in enumerate(found))
)
entries = st.builds(PassRateEntry, text, text, st.lists(text, max_size=3).map(tuple), text, text, verdicts, text)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(entries)
def test_every_entry_comes_back_from_both_files(tmp_path: Path, entry: PassRateEntry) -> None:
    table, document = tmp_path / "a.csv", tmp_path / "a.json"
    table.write_bytes(pass_rate_table([entry]).value)
    document.write_bytes(json_bytes(written_pass_rates([entry]).value))
    assert list(read_pass_rates(table).values()) == [entry]
    (read,) = read_pass_rates(document).values()
    assert read.verdicts == entry.verdicts
    assert read.answer_steps == entry.answer_steps


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.json", "[]", "pass-rate results are an object with ids as keys"),
        ("a.json", {"7": {}}, "query '7': a result is an object with 'is_solved'"),
        ("a.json", {"7": {"is_solved": {"0": "Great"}}}, "a status is one of Solved, Unsure, Unsolved"),
        ("a.json", {"7": {"is_solved": {"0": {}}}}, "a status is one of Solved, Unsure, Unsolved"),
        ("a.json", {"7": {"is_solved": {"first": "Solved"}}}, "a repeat is a whole number from 0, not 'first'"),
        ("a.csv", "query,model\n", "the first row lacks query, available_tools"),
        ("a.csv", "", "the first row lacks query"),
    ],
)
def test_what_is_no_result_is_a_sentence(tmp_path: Path, name: str, content: Any, complaint: str) -> None:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(FileError, match=complaint):
        read_pass_rates(path)


def test_a_row_that_is_too_short_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(pass_rate_table([]).value + b"only one cell\r\n")
    with pytest.raises(FileError, match="row 2 has 1 cells, and the first row 7"):
        read_pass_rates(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="byte 0 is not valid UTF-8"):
        read_pass_rates(path)
