import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.answers import answer_of
from proctor.formats.stabletoolbench.converted import ConvertedAnswer, converted, written_converted
from proctor.formats.stabletoolbench.converting import File, Form, Writing, answers_of, entries_of, files_of
from proctor.formats.stabletoolbench.decided import decided
from proctor.formats.stabletoolbench.pass_rates import RECORDED, PassRateEntry, pass_rate_entry, step_lines
from proctor.formats.stabletoolbench.rebuilt import raw_of
from proctor.formats.stabletoolbench.recordings import Kind, Recording, find_recordings
from proctor.formats.stabletoolbench.samples import answer_of_sample, sample_of
from proctor.formats.stabletoolbench.steps import turns_of_steps
from proctor.formats.stabletoolbench.turns import Called, Encoding, Said, Turn, read_call
from proctor.messages import AIMessage
from proctor.records.finishing import FINISH, written_finish
from proctor.records.gold import GoldCall
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import Query

text = st.text(max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)
arguments = text | st.dictionaries(text, values, max_size=3).map(json.dumps)
calls = st.builds(Called, name=text, arguments=arguments, response=text)
finishes = st.builds(written_finish, text, gave_up=st.booleans()).map(lambda said: Called(FINISH, said))
turns = st.lists(st.builds(Said, text) | calls, max_size=5).map(tuple)
QUICK = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def answer(*said: Turn, query_id: str = "7", **more: Any) -> ConvertedAnswer:
    last = next((turn for turn in reversed(said) if isinstance(turn, Called)), None)
    final = last.written_arguments if last is not None and last.name == FINISH else ""
    known = {"functions": ({"name": "forecast"}, {"name": FINISH}), "method": "CoT@1", "final_answer": final}
    return ConvertedAnswer(**{"query_id": query_id, "query": "May I sail?", "turns": said, **known, **more})


def entry(query_id: str, *statuses: Status | None) -> PassRateEntry:
    verdicts: list[Verdict | Missing] = [
        Missing("the reply was cut") if status is None else Verdict(status, "", RECORDED, repeat)
        for repeat, status in enumerate(statuses)
    ]
    return pass_rate_entry(answer(query_id=query_id), verdicts)


@QUICK
@given(turns)
def test_steps_that_were_written_are_read_as_they_were(said: tuple[Turn, ...]) -> None:
    assert turns_of_steps("\n".join(step_lines(said))) == tuple(
        Called(turn.name, turn.arguments, turn.response, Encoding.OBJECT) if isinstance(turn, Called) else turn
        for turn in said
    )


def test_steps_of_others_are_read_as_far_as_they_go() -> None:
    told = "Step 1: I think.\nStep 9: no step\nStep 2: {'name': 'a', 'arguments': {'n': 1}, 'response': 'x'}\n"
    assert turns_of_steps(told) == (
        Said("I think.\nStep 9: no step"),
        Called("a", {"n": 1}, "x"),
    )
    assert turns_of_steps("") == ()


@QUICK
@given(turns, st.none() | finishes)
def test_a_raw_answer_that_is_rebuilt_is_the_same_answer(said: tuple[Turn, ...], finish: Called | None) -> None:
    was = answer(*said, *([] if finish is None else [finish]))
    document, lost = raw_of(was)
    again = converted(answer_of(json.loads(json.dumps(document)), "7", "CoT@1"), compat=True).value
    if was.has_finish and was.final_answer:
        # upstream reads no text beside a call, and ours stands in messages of its own, so nothing of it is lost
        assert again == was
    else:
        assert again.turns == was.turns
    assert lost[0].startswith("what only a raw answer tells")


@QUICK
@given(turns, st.none() | finishes)
def test_a_sample_says_what_was_done(said: tuple[Turn, ...], finish: Called | None) -> None:
    was = answer(*said, *([] if finish is None else [finish]))
    again = answer_of_sample(sample_of(was).value, "other").value
    assert again == was


def test_of_a_cut_call_the_sample_counts_as_wrong() -> None:
    cut = read_call(str({"name": "forecast", "arguments": "x" * 200})[:100])
    sample, lost = sample_of(answer(cut))
    message = sample.user_input[1]
    assert isinstance(message, AIMessage)
    (call,) = message.tool_calls or []
    assert (call.name, call.args, call.malformed) == ("forecast", {}, cut.text)
    assert "the arguments of calls whose message was cut: they count as wrong" in lost


def test_the_sample_wants_the_calls_of_the_query(sailing: Query) -> None:
    said = answer(functions=({"name": "get_forecast_for_sky_report"}, {"name": "list_ports_for_sky_report"}))
    gold = sample_of(said, sailing).value.gold
    assert gold == [GoldCall("get_forecast_for_sky_report", args_mode="ignore")]


def test_one_verdict_decides_and_a_round_that_needs_a_judge_is_owed() -> None:
    solved, unsure, unsolved = Status.SOLVED, Status.UNSURE, Status.UNSOLVED
    ours = [entry("1", solved, unsure), entry("2", unsolved), entry("3", solved), entry("4", None)]
    theirs = [entry("1", unsolved, solved), entry("2", unsure), entry("3", solved), entry("4", solved), entry("5")]
    found, lost = decided(ours, theirs, ("a", "b"))
    counts = {one.query_id: (one.for_reference, one.for_candidate, list(one.rounds)) for one in found.counts}
    assert counts == {
        "1": (1, 1, ["round_0", "round_1"]),
        "2": (0, 1, ["round_0"]),
        "3": (0, 0, []),
        "4": (0, 0, []),
    }
    assert lost == (
        "left out: a round that a judge has to decide",
        "left out: a round that a judge has to decide",
        "left out: a query that only b has answered",
    )
    with pytest.raises(InputError, match="both sides are called a"):
        decided(ours, theirs, ("a", "a"))


@pytest.fixture
def folder(tmp_path: Path, chain: dict[str, Any], tree: dict[str, Any]) -> Path:
    """An answer folder of one model, with a file that is cut."""
    place = tmp_path / "answer" / "gpt" / "G1"
    place.mkdir(parents=True)
    (place / "7_CoT@1.json").write_text(json.dumps(chain))
    (place / "8_DFS_woFilter_w2.json").write_text(json.dumps(tree))
    (place / "9_CoT@1.json").write_text(json.dumps(chain)[:200])
    return tmp_path / "answer"


def test_a_folder_is_read_and_a_broken_file_stops_or_is_skipped(folder: Path) -> None:
    with pytest.raises(FileError, match=r"9_CoT@1\.json: the JSON is cut off"):
        find_recordings([folder])
    skipped: list[FileError] = []
    (recording,) = find_recordings([folder], skip=skipped.append)
    assert (recording.kind, recording.name, len(recording.answers)) == (Kind.RAW, "gpt/G1", 2)
    assert len(skipped) == 1


def test_every_form_is_told_from_what_stands_in_it(folder: Path, tmp_path: Path) -> None:
    recordings = find_recordings([folder], skip=lambda _: None)
    out = tmp_path / "out"
    writings = [Writing(form) for form in Form if form is not Form.PREFERENCES] + [Writing(Form.PASS_RATES, table=True)]
    for writing in writings:
        for file in files_of(recordings, writing).value:
            path = out / f"{writing.form.value}{'-table' if writing.table else ''}" / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
    found = {one.paths[0].removeprefix(f"{out}/").split("/")[0]: one for one in find_recordings([out])}
    assert {name: one.kind.value for name, one in found.items()} == {
        "converted": "converted",
        "pass-rates": "pass-rates",
        "pass-rates-table": "pass-rates",
        "raw": "raw",
        "samples": "samples",
    }
    turns = {name: [one.turns for one in answers_of(recording).value] for name, recording in found.items()}
    assert all(each == turns["converted"] for each in turns.values())
    assert {one.name for one in found.values()} == {"gpt/G1"}


def test_the_same_answers_give_the_same_bytes(folder: Path) -> None:
    def written() -> list[File]:
        recordings = find_recordings([folder], skip=lambda _: None)
        return [
            file for form in Form if form is not Form.PREFERENCES for file in files_of(recordings, Writing(form)).value
        ]

    assert written() == written()


def test_without_a_verdict_the_finish_rule_says_what_it_can() -> None:
    sailed = answer(Called(FINISH, written_finish("Yes.")))
    recording = Recording(Kind.CONVERTED, "gpt", "G1", ("x",), answers=(answer(), sailed))
    entries, _ = entries_of(recording)
    assert entries[0].verdicts == (Verdict(Status.UNSOLVED, "the agent did not end with Finish", "finish rule"),)
    assert entries[1].verdicts == (Missing("nobody has judged it"),)


def test_a_name_that_leads_out_of_the_folder_is_refused() -> None:
    recording = Recording(Kind.CONVERTED, "..", "G1", ("evil.json",), answers=(answer(),))
    with pytest.raises(InputError, match=r"evil\.json: '\.\.' cannot be the name of a file"):
        files_of([recording], Writing(Form.CONVERTED))
    recording = Recording(Kind.CONVERTED, "gpt", "G1", ("evil.json",), answers=(answer(query_id="../../7"),))
    with pytest.raises(InputError, match="cannot be the name of a file"):
        files_of([recording], Writing(Form.RAW))


def test_what_is_known_beside_goes_with_compat_and_is_counted() -> None:
    recording = Recording(Kind.CONVERTED, "gpt", "G1", ("x",), answers=(answer(facts={"path": "a try"}),))
    files, lost = files_of([recording], Writing(Form.CONVERTED, compat=True))
    assert json.loads(files[0].data) == written_converted([answer()])
    assert lost == ("what Proctor knows beside",)
