"""Recorded answers that we made up, in the shapes of real ones."""

import json
from typing import Any

import pytest

from proctor.formats.stabletoolbench.queries import read_query
from proctor.records.queries import Query


@pytest.fixture
def sailing() -> Query:
    """A query that needs one of the two APIs that it documents."""
    port = [{"name": "portName", "type": "STRING", "description": "", "default": "Kiel"}]
    apis = [
        {
            "category_name": "Weather",
            "tool_name": "Sky Report",
            "api_name": name,
            "api_description": "",
            "required_parameters": port,
            "optional_parameters": [],
            "method": "GET",
        }
        for name in ("Get Forecast", "List Ports")
    ]
    item = {
        "query_id": 7,
        "query": "May I sail from Kiel?",
        "relevant APIs": [["Sky Report", "Get Forecast"]],
        "api_list": apis,
    }
    return read_query(item, test_set="G1_instruction")


def finish(answer: str = "Yes, the wind is fair.", way: str = "give_answer") -> dict[str, str]:
    return {"name": "Finish", "arguments": json.dumps({"return_type": way, "final_answer": answer})}


FORECAST = {"name": "get_forecast_for_sky_report", "arguments": '{"portname": "Kiel"}'}
WIND = '{"error": "", "response": {"wind": 5}}'


def node(kind: str, text: str, **more: Any) -> dict[str, Any]:
    said = {"observation": "", "observation_code": 0} if kind == "Action Input" else {}
    return {"node_type": kind, "description": text, "is_terminal": False, "pruned": False, "depth": 1, **said, **more}


def conversation(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "You may use functions."},
        {"role": "user", "content": "May I sail from Kiel?"},
        *messages,
    ]


def generation(messages: list[dict[str, Any]] | None, **more: Any) -> dict[str, Any]:
    valid = messages is not None
    made = {
        "valid_data": valid,
        "final_answer": finish()["arguments"] if valid else "",
        "function": [{"name": FORECAST["name"], "description": "", "parameters": {}}, {"name": "Finish"}],
        "query_count": 3,
        "total_tokens": 210,
        "train_messages": [] if messages is None else [messages],
        "query": "May I sail from Kiel?",
    }
    return made | more


@pytest.fixture
def chain() -> dict[str, Any]:
    """A valid answer of CoT@1."""
    nodes = [
        node("Thought", "I look at the wind."),
        node("Action", FORECAST["name"]),
        node("Action Input", FORECAST["arguments"], observation=WIND),
        node("Action", "Finish"),
        node("Action Input", finish()["arguments"], observation_code=3),
    ]
    messages = conversation(
        {"role": "assistant", "content": "I look at the wind."},
        {"role": "assistant", "function_call": FORECAST},
        {"role": "function", "name": FORECAST["name"], "content": WIND},
        {"role": "assistant", "function_call": finish()},
    )
    return {
        "win": True,
        "try_count": 1,
        "trys": [{"chain": nodes, "win": False}],
        "forward_args": {"single_chain_max_step": 12, "pass_at": 1},
        "answer_generation": generation(messages),
    }


@pytest.fixture
def tree() -> dict[str, Any]:
    """An answer of depth-first search that never came to an end: two branches below the root's only child."""
    first = node("Action", "list_ports_for_sky_report", children=[node("Action Input", "{}", children=[], pruned=True)])
    second = node(
        "Action",
        FORECAST["name"],
        children=[node("Action Input", FORECAST["arguments"], observation=WIND, children=[])],
    )
    thought = node("Thought", "Which port?", children=[first, second])
    root = node("Action Input", "", children=[thought], depth=0)
    return {
        "win": False,
        "tree": {"size": 6, "max_length": 3, "tree": root},
        "forward_args": {"single_chain_max_step": 12},
        "answer_generation": generation(None, finish_type="give_up"),
    }
