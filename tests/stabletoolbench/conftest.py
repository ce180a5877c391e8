"""A small StableToolBench on the disk: tools, queries, ids."""

import json
from pathlib import Path
from typing import Any

import pytest


def api(name: str, parameter: str, response: Any) -> dict[str, Any]:
    """An API as a query's own list has it."""
    return {
        "category_name": "Data",
        "tool_name": "TheClique",
        "api_name": name,
        "api_description": f"{name}.",
        "required_parameters": [{"name": parameter, "type": "STRING", "description": "", "default": "messi"}],
        "optional_parameters": [],
        "method": "GET",
        "template_response": response,
    }


DETAILS = api("Transfermarkt details", "player_id", {"name": "Lionel Messi", "clubs": 3})
CONCERT = api("Songkick concert", "artist", {"venue": "Camp Nou"})
QUERIES: list[dict[str, Any]] = [
    {
        "query_id": 588,
        "query": "I'm a football enthusiast: tell me about Lionel Messi's career, and a concert near his stadium.",
        "relevant APIs": [["TheClique", "Transfermarkt details"], ["TheClique", "Songkick concert"]],
        "api_list": [DETAILS, CONCERT],
    },
    {
        "query_id": "608",
        "query": "What do you know of Messi?",
        "relevant APIs": [["TheClique", "Transfermarkt details"]],
        "api_list": [DETAILS],
    },
    {"query": "Where can I hear music?", "relevant_apis": [["TheClique", "Songkick concert"]], "api_list": [CONCERT]},
]


@pytest.fixture
def benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`solvable_queries` and `tools` in the working folder."""
    monkeypatch.chdir(tmp_path)
    queries = tmp_path / "solvable_queries"
    for folder in ("test_instruction", "test_query_ids"):
        (queries / folder).mkdir(parents=True)
    (queries / "test_instruction" / "G1_instruction.json").write_text(json.dumps(QUERIES))
    (queries / "test_query_ids" / "G1_instruction.json").write_text('{"588": {}, "2": 0}')
    tool = tmp_path / "tools" / "Data" / "theclique.json"
    tool.parent.mkdir(parents=True)
    apis = [
        {**{key: one[key] for key in ("required_parameters", "optional_parameters", "method")}, "name": one["api_name"]}
        | {"description": one["api_description"], "template_response": one["template_response"]}
        for one in (DETAILS, CONCERT, api("Odds", "game", {"odds": 2}))
    ]
    tool.write_text(json.dumps({"tool_name": "TheClique", "tool_description": "Facts.", "api_list": apis}))
    return tmp_path


def node(role: str, message: Any, *following: Any) -> dict[str, Any]:
    return {"role": role, "message": message, "next": list(following)}


def called(name: str, arguments: Any, response: str, *following: Any) -> dict[str, Any]:
    return node("tool", json.dumps({"name": name, "arguments": arguments, "response": response}), *following)


def answer(*, finishes: bool = True) -> dict[str, Any]:
    """An answer in StableToolBench's form: one of two gold APIs is called."""
    final = {"return_type": "give_answer", "final_answer": "He played for three clubs."}
    last = [called("Finish", final, "")] if finishes else []
    tree = called("TheClique_Transfermarkt details", {"player_id": "messi"}, '{"clubs": 3}', *last)
    details = [node("system", "", node("user", "", tree))]
    return {"answer": {"final_answer": final["final_answer"], "answer_details": details}}
