"""The command in process, and files for it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from proctor.cli import proctor

Run = Callable[..., Result]
Write = Callable[[str, Sequence[Any]], str]


@pytest.fixture
def run() -> Run:
    """Run the command with these words, and give what it printed and its exit code."""

    def call(*words: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(proctor, list(words), input=stdin, prog_name="proctor")

    return call


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a JSONL file of these values, and give its path."""

    def put(name: str, values: Sequence[Any]) -> str:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
        return str(path)

    return put


def sample(made: str = "weather", wanted: str | None = "weather", **more: Any) -> dict[str, Any]:
    """A conversation in which one tool was called and one was wanted."""
    conversation = [
        {"type": "human", "content": "Is it raining?"},
        {"type": "ai", "content": "", "tool_calls": [{"name": made, "args": {"city": "Paris"}}]},
    ]
    calls = {} if wanted is None else {"reference_tool_calls": [{"name": wanted, "args": {"city": "Paris"}}]}
    return {**more, "user_input": conversation, **calls}


@pytest.fixture
def right() -> dict[str, Any]:
    return sample()


@pytest.fixture
def wrong() -> dict[str, Any]:
    return sample(made="time")


@pytest.fixture
def unknown() -> dict[str, Any]:
    """A sample of which nobody knows what was wanted."""
    return sample(wanted=None)
