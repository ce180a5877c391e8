"""What a judge really said stands where a user looks for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from proctor.models.scripted_server import ScriptedServer

Run = Callable[..., Result]
Scored = Callable[[str], tuple[int, dict[str, Any]]]
GOAL = "agent_goal_accuracy_with_reference"
TALK = {
    "user_input": [{"type": "human", "content": "Fly to NYC."}, {"type": "ai", "content": "Done."}],
    "reference": "A flight to NYC is booked.",
}


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    path.write_text(json.dumps(TALK) + "\n", "utf-8")
    return path


@pytest.fixture
def scored(run: Run, talks: Path) -> Callable[[str], tuple[int, dict[str, Any]]]:
    """The exit code of a score by a judge at an address, and the one row that it wrote."""

    def score(url: str) -> tuple[int, dict[str, Any]]:
        rows = talks.with_name("rows.jsonl")
        judge = ["--judge", "llamacpp/scripted", "--model-url", url]
        said = run("score", str(talks), "-m", GOAL, *judge, "-o", str(rows))
        return said.exit_code, json.loads(rows.read_text("utf-8"))

    return score


def test_a_reply_that_could_not_be_read_stands_in_the_samples_row(scored: Scored) -> None:
    with ScriptedServer(lambda _: "I would rather not say.") as server:
        code, row = scored(server.url)
    assert code == 1
    assert row["unmeasured"] == {GOAL: "the judge's reply could not be read"}
    assert row["unmeasured_details"] == {GOAL: "it holds no JSON object.\nI would rather not say."}


def test_half_of_a_surrogate_pair_in_a_judges_words_ends_nothing(scored: Scored) -> None:
    said = json.dumps(
        {"user_goal": "to fly", "end_state": "booked \\ud800", "verdict": 1, "reason": "as \\udfff wanted"}
    )
    with ScriptedServer(lambda _: said.replace("\\\\u", "\\u")) as server:
        code, row = scored(server.url)
    assert code == 0
    assert row["reasons"] == {GOAL: "as \\udfff wanted"}
