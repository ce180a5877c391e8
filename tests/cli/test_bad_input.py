"""Bad input is one sentence with file and line, exit code 1 and no traceback; or it is skipped and counted."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.cli import proctor

Run = Callable[..., Result]
F1 = ("--metric", "tool_call_f1")

MADE = {"name": "weather", "args": {"city": "Paris", "days": [1, 2.5, None, True]}}
SAMPLE: dict[str, Any] = {
    "user_input": [
        {"type": "human", "content": "Is it raining? ☂"},
        {"type": "ai", "content": "", "tool_calls": [MADE]},
        {"type": "tool", "content": '{"rain": "no"}'},
    ],
    "reference_tool_calls": [MADE],
}
OPENAI = [
    {"role": "user", "content": "q"},
    {
        "role": "assistant",
        "tool_calls": [{"id": "1", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "no"},
]
GOOD = json.dumps(SAMPLE)
DEEP = '{"user_input": [{"type": "ai", "content": "", "tool_calls": [{"name": "w", "args": {"x": %s}}]}]}' % (
    "[" * 5000 + "]" * 5000
)
TWICE = '{"user_input": [], "reference_tool_calls": [], "user_input": []}'


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (GOOD[:70].encode(), "the JSON is cut off: it ends before it is complete."),
        (b"user,assistant,tool", "this is not JSON"),
        (b'{"user_input": [{"type": "human", "content": 3}]}', "'content' of a HumanMessage must be text"),
        (b'{"user_input": 7}', "'user_input' of a SingleTurnSample must be text"),
        (b"true", "a record must be a sample, a list of messages or a pair of outputs, not bool."),
        (b'{"messages": [{"role": "user", "content": NaN}]}', "JSON has no number NaN"),
        (b'{"user_input": [], "reference": Infinity}', "JSON has no number Infinity"),
        (b'{"user_input": [{"type": "human", "content": "\xff"}]}', "byte 46 is not valid UTF-8 (0xff)"),
        (b'{"response": "\\ud800"}', "half of a surrogate pair"),
        (b'{"response": 1e999}', "the number 1e999 is too large for a float."),
        (TWICE.encode(), "the key 'user_input' stands twice in one object"),
        (DEEP.encode(), "the JSON is nested too deeply"),
        (b"[" * 100_000, "the JSON is nested too deeply"),
        (b'{"response": "Paris", "reference": "Paris"}', "this sample is of another kind (SingleTurnSample)"),
        (b'{"user_input": [], "refrence": "x"}', "unknown field 'refrence'; did you mean 'reference'?"),
        (b'{"user_input": [{"type": "tool", "content": "x"}]}', "ToolMessage must be preceded by an AIMessage"),
        (b'{"user_input": [{"type": "robot", "content": "x"}]}', "'robot'"),
        (b"\x00\x01\x02", "this is not JSON"),
        (b'{"user_input": []} {}', "this is not JSON"),
    ],
    ids=lambda value: value[:20].decode(errors="replace") if isinstance(value, bytes) else "",
)
def test_a_bad_line_is_a_sentence_or_is_skipped(run: Run, tmp_path: Path, line: bytes, sentence: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join([GOOD.encode(), b"", line, GOOD.encode()]))
    stopped = run("score", str(path), *F1)
    assert (stopped.exit_code, stopped.stdout) == (1, "")
    assert stopped.stderr.startswith(f"proctor: {path}:3: ")
    assert sentence in stopped.stderr
    assert stopped.stderr.count("\n") == 1
    skipped = run("score", str(path), *F1, "--on-error", "skip", "--json")
    plain = json.loads(skipped.stdout)
    assert skipped.exit_code == 0
    assert plain["samples"] == 2
    assert plain["skipped"]["count"] == 1
    assert next(iter(plain["skipped"]["first"].values())).startswith(f"{path}:3: ")


def test_a_line_of_fifty_megabytes_is_refused_and_can_be_let_pass(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    long = '{"user_input": [{"type": "human", "content": "%s"}], "reference_tool_calls": []}' % ("x" * 50_000_000)
    path.write_text(f"{GOOD}\n{long}\n{GOOD}\n")
    stopped = run("score", str(path), *F1)
    assert stopped.exit_code == 1
    assert stopped.stderr == f"proctor: {path}:2: the line is longer than 32 MiB; is this JSONL?\n"
    skipped = run("score", str(path), *F1, "--on-error", "skip", "--json")
    assert json.loads(skipped.stdout)["skipped"]["reasons"] == {"the line is longer than N MiB": 1}
    passed = run("score", str(path), *F1, "--max-line-mb", "64", "--json")
    assert json.loads(passed.stdout)["samples"] == 3


def test_a_column_that_is_missing_everywhere_is_a_sentence(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"response": "a"}\n' * 3)
    said = run("score", str(path), "--metric", "exact_match")
    assert said.exit_code == 1
    assert said.stderr == (
        "proctor: exact_match could not be measured on any of 3 samples: the sample has no reference.\n"
    )


def test_all_lines_bad_is_an_error_however_much_is_skipped(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("x\ny\n")
    said = run("score", str(path), *F1, "--on-error", "skip")
    assert said.exit_code == 1
    assert f"there is no sample in {path} that can be read: 2 skipped, the first: {path}:1: this is not" in said.stderr


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "a.jsonl/inside.jsonl"])
def test_a_file_that_cannot_be_opened_is_a_sentence(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD)
    said = run("score", str(tmp_path / name), *F1)
    assert said.exit_code == 1
    assert said.stderr.startswith(f"proctor: {tmp_path / name}: ")
    assert said.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="this system has no file that opens and does not read")
def test_a_file_that_opens_and_does_not_read_is_a_sentence(run: Run) -> None:
    said = run("score", "/proc/self/mem", *F1)
    assert (said.exit_code, said.stdout) == (1, "")
    assert said.stderr == "proctor: /proc/self/mem: cannot be read: Input/output error.\n"


def test_a_name_that_is_no_text_is_printed(tmp_path: Path) -> None:
    path = Path(str(tmp_path), "caf\udce9.jsonl")
    path.write_text(f"{GOOD}\nbad\n")
    out = tmp_path / "out.jsonl"
    for words in (["--on-error", "skip", "--json", "-o", str(out)], []):
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "proctor", "score", str(path), *F1, *words],
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == (0 if words else 1)
        assert b"Traceback" not in done.stderr
        said = done.stdout if words else done.stderr
        assert b"caf\\udce9.jsonl:2: this is not JSON" in said.replace(b"\\\\", b"\\")
    assert [json.loads(row)["line"] for row in out.read_bytes().splitlines()] == [1, 2]


FORMS: dict[str, Callable[[list[Any]], str]] = {
    "lines": lambda values: "".join(f"{json.dumps(value)}\n" for value in values),
    "array": json.dumps,
    "array over lines": lambda values: json.dumps(values, indent=1, ensure_ascii=False),
    "one over lines": lambda values: json.dumps(values[0], indent=1),
}
PIECES = st.sampled_from(
    [
        b"",
        b"\n",
        b"\r",
        b'"',
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\xff",
        b"\x00",
        b"\xed\xa0\x80",
        b"\\ud800",
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"null",
        b"true",
        b"7",
        b"[" * 300,
        b'{"a":' * 300,
        b"\xef\xbb\xbf",
        b'"id": [],',
        b'"user_input": 1, ',
        b'"type": "robot"',
        b'"args": 3',
        b'"name": null',
        b"9" * 400,
    ]
)
MUTATIONS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 40), PIECES), min_size=1, max_size=6)
RECORDS = st.lists(
    st.sampled_from(
        [
            SAMPLE,
            {"id": 7, **SAMPLE},
            OPENAI,
            {"messages": OPENAI, "reference_tool_calls": [MADE]},
            {"outputs": OPENAI, "reference_outputs": OPENAI},
        ]
    ),
    min_size=1,
    max_size=5,
)


def mutated(data: bytes, mutations: list[tuple[int, int, bytes]]) -> bytes:
    for place, length, piece in mutations:
        at = place % (len(data) + 1)
        data = data[:at] + piece + data[at + length :]
    return data


@settings(deadline=None, max_examples=300)
@given(
    records=RECORDS,
    form=st.sampled_from(sorted(FORMS)),
    mutations=MUTATIONS,
    name=st.sampled_from(["a.jsonl", "a.json", "a"]),
    words=st.sampled_from([(), ("--on-error", "skip"), ("--on-error", "skip", "--fail-under", "tool_call_f1=0.5")]),
)
def test_whatever_is_done_to_a_file_there_is_never_a_traceback(
    records: list[Any], form: str, mutations: list[tuple[int, int, bytes]], name: str, words: tuple[str, ...]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(mutated(FORMS[form](records).encode(), mutations))
        out = Path(folder, "out.jsonl")
        options = ["score", str(path), *F1, "--metric", "tool_call_accuracy", "-o", str(out), "--json", *words]
        said = CliRunner().invoke(proctor, options)
        assert said.exception is None or isinstance(said.exception, SystemExit)
        assert said.exit_code in (0, 1, 100)
        assert "Traceback" not in said.output
        if said.exit_code == 1:
            assert_one_sentence(said.stderr, str(path))
        if said.stdout:
            plain = json.loads(said.stdout)
            rows = [json.loads(row) for row in out.read_bytes().splitlines()]
            assert len(rows) == plain["samples"] + plain["skipped"]["count"]
            assert all(type(row["line"]) is int for row in rows)


def assert_one_sentence(said: str, path: str) -> None:
    """It names the file with a line, or says that nothing there could be scored."""
    assert said.startswith("proctor: ")
    assert said.endswith((".\n", "?\n"))
    assert said.count("\n") == 1
    where = re.match(rf"proctor: {re.escape(path)}:\d+: ", said)
    nothing = f"there is no sample in {path}" in said or "could not be measured on any of" in said
    assert where or nothing or "is for single-turn samples" in said or "is for conversations" in said, said


@pytest.mark.parametrize("seed", range(3))
def test_the_real_command_takes_rubbish_through_a_pipe(seed: int) -> None:
    rubbish = mutated(FORMS["lines"]([SAMPLE, OPENAI, SAMPLE]).encode(), [(seed * 97, 5, b'\xff"'), (0, seed, b"[")])
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "proctor", "score", "-", *F1],
        input=rubbish,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert re.match(rb"proctor: <stdin>:\d+: [^\n]+\n\Z", done.stderr)
