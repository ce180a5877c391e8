"""The starter's conversations: what tools say in them is true, and they show what they say that they show."""

import json
from collections import Counter
from typing import Any

import pytest

from proctor import EvaluationDataset, MultiTurnSample
from proctor.catalog.names import plain_name
from proctor.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from proctor.metrics import ToolCallF1, TrajectoryMatch
from proctor.records.answers import Answer
from proctor.starter import conversations, functions

TALKS = [talk for talk in EvaluationDataset.from_jsonl(conversations()) if isinstance(talk, MultiTurnSample)]
RIGHT_CALLS = {"right", "declined", "refused", "kept to the topic", "off-topic drift", "right calls, wrong answer"}
WRONG_CALLS = {"wrong argument", "missing call", "wrong tool", "refused wrongly"}
MORE_CALLS = {"extra call", "told what should be refused", "unknown tool"}
OTHERS = {"wrong order", "malformed call", "made up"}


def shows(talk: Any) -> str:
    return str(talk.user_input[0].metadata["shows"])


def goal(talk: Any) -> str:
    return str(talk.user_input[0].metadata["goal"])


def parametrised(*kinds: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("talk", [talk for talk in TALKS if shows(talk) in kinds], ids=shows)


def match(talk: MultiTurnSample, mode: Any) -> Any:
    return TrajectoryMatch(mode=mode).multi_turn_score(talk)


def test_there_are_many_of_several_turns_and_of_every_kind() -> None:
    kinds = Counter(map(shows, TALKS))
    assert set(kinds) == RIGHT_CALLS | WRONG_CALLS | MORE_CALLS | OTHERS
    assert len(TALKS) >= 60
    goals = Counter(map(goal, TALKS))
    assert set(goals) == {"reached", "missed"}
    assert min(goals.values()) >= 20
    for talk in TALKS:
        assert sum(isinstance(message, HumanMessage) for message in talk.user_input) >= 2
        assert isinstance(talk.user_input[-1], AIMessage)
        assert talk.reference
        assert talk.reference_topics
        assert talk.reference_tool_calls is not None


@pytest.mark.parametrize("talk", TALKS, ids=shows)
def test_tools_say_what_the_starter_answers(talk: MultiTurnSample) -> None:
    made: dict[str | None, ToolCall] = {}
    for message in talk.user_input:
        if isinstance(message, AIMessage):
            made |= {call.id: call for call in message.tool_calls or ()}
        elif isinstance(message, ToolMessage):
            call = made.pop(message.tool_call_id)
            assert (message.name, message.content, message.status) == (call.name, *answer(call))
    assert made == {}


def answer(call: ToolCall) -> tuple[str, str | None]:
    """What a tool says to a call, and whether that is an error."""
    known = {plain_name(api): function for api, function in functions().items()}
    if call.malformed is not None:
        return "400 Bad Request: the arguments are no JSON object.", "error"
    if call.name not in known:
        return f"404 Not Found: there is no API {call.name!r}.", "error"
    said = known[call.name](**call.args)
    return (said.error, "error") if isinstance(said, Answer) else (json.dumps(said, ensure_ascii=False), None)


@parametrised(*RIGHT_CALLS)
def test_right_calls_match(talk: MultiTurnSample) -> None:
    assert match(talk, "strict") == 1.0


@parametrised(*WRONG_CALLS)
def test_wrong_and_missing_calls_match_in_no_mode(talk: MultiTurnSample) -> None:
    assert {match(talk, mode) for mode in ("strict", "in_order", "unordered", "superset")} == {0.0}


@parametrised(*MORE_CALLS)
def test_one_call_too_many_matches_where_more_are_allowed(talk: MultiTurnSample) -> None:
    assert (match(talk, "strict"), match(talk, "superset")) == (0.0, 1.0)


@parametrised("wrong order")
def test_calls_in_the_wrong_order_are_the_same_calls(talk: MultiTurnSample) -> None:
    assert (match(talk, "strict"), match(talk, "in_order")) == (0.0, 0.0)
    assert ToolCallF1().multi_turn_score(talk) == 1.0


@parametrised("malformed call")
def test_malformed_arguments_are_a_wrong_call(talk: MultiTurnSample) -> None:
    assert match(talk, "strict") == 0.0
    assert ToolCallF1().multi_turn_score(talk) < 1.0


def test_a_malformed_call_is_kept_as_it_was_written() -> None:
    messages = [message for talk in TALKS for message in talk.user_input if isinstance(message, AIMessage)]
    calls = [call for message in messages for call in message.tool_calls or ()]
    assert {call.malformed for call in calls} == {None, '{"title": "Bread Without Hurry"', "name=Hallow"}
