import json
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.answers import answer_files, answer_of, read_answer


def test_an_answer_of_a_chain_is_read_with_every_field(chain: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "588_CoT@1.json"
    path.write_text(json.dumps(chain))
    answer = read_answer(path)
    assert (answer.query_id, answer.method) == ("588", "CoT@1")
    assert (answer.valid, answer.query, answer.requests, answer.tokens) == (True, "May I sail from Kiel?", 3, 210)
    assert json.loads(answer.final_answer)["final_answer"] == "Yes, the wind is fair."
    assert [node.kind for node in answer.tries[0]] == ["Thought", "Action", "Action Input", "Action", "Action Input"]
    assert answer.tries[0][2].observation == '{"error": "", "response": {"wind": 5}}'
    assert (answer.tries[0][4].code, answer.tree, answer.finish_type) == (3, None, None)
    assert len(answer.conversation) == 6
    assert answer.arguments["single_chain_max_step"] == 12
    assert answer.document == chain


def test_an_answer_of_a_search_is_read_with_its_tree(tree: dict[str, Any]) -> None:
    answer = answer_of(tree, "7", "DFS_woFilter_w2")
    assert answer.tree is not None
    (thought,) = answer.tree.children
    assert [child.text for child in thought.children] == ["list_ports_for_sky_report", "get_forecast_for_sky_report"]
    assert thought.children[0].children[0].pruned
    assert (answer.valid, answer.finish_type, answer.conversation) == (False, "give_up", ())


def test_a_search_may_be_deeper_than_functions_can_call_each_other(tree: dict[str, Any]) -> None:
    root: dict[str, Any] = {"node_type": "Thought", "description": "the end", "children": []}
    for _ in range(5000):
        root = {"node_type": "Thought", "description": "on", "children": [root]}
    tree["tree"]["tree"] = root
    node = answer_of(tree, "7", "DFS").tree
    depth = 0
    while node is not None and node.children:
        node, depth = node.children[0], depth + 1
    assert depth == 5000


@pytest.mark.parametrize(
    ("name", "query_id", "method"),
    [
        ("588_CoT@1", "588", "CoT@1"),
        ("588_DFS_woFilter_w2", "588", "DFS_woFilter_w2"),
        ("my_own_query_CoT@3", "my_own_query", "CoT@3"),
        ("12_react", "12", "react"),
    ],
)
def test_the_files_name_says_query_and_method(
    chain: dict[str, Any], tmp_path: Path, name: str, query_id: str, method: str
) -> None:
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(chain))
    answer = read_answer(path)
    assert (answer.query_id, answer.method) == (query_id, method)


def test_a_file_with_another_name_is_refused(chain: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(chain))
    with pytest.raises(FileError, match=r"answer\.json: a raw answer is named <query_id>_<method>\.json"):
        read_answer(path)


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ([], "an object with 'answer_generation'"),
        ({"answer_generation": {"function": {}}}, "function must be a list, not an object"),
        ({"answer_generation": {"query_count": "3"}}, "query_count must be a whole number, not text"),
        ({"answer_generation": {"train_messages": [[3]]}}, "message 0 of the last conversation must be an object"),
        (
            {"answer_generation": {"train_messages": [[{"role": "assistant", "tool_calls": [3]}]]}},
            "message 0 of the last conversation has a call that is no object",
        ),
        ({"answer_generation": {}, "trys": [3]}, r"trys\[0\] must be an object with a chain"),
        ({"answer_generation": {}, "trys": [{"chain": [{}]}]}, "a node must be an object with a node_type"),
        ({"answer_generation": {}, "tree": {"tree": 3}}, "a node must be an object with a node_type"),
    ],
)
def test_what_is_no_answer_is_a_sentence(document: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        answer_of(document, "7", "CoT@1")


def test_an_error_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "7_CoT@1.json"
    path.write_text("[]")
    with pytest.raises(FileError, match=r"7_CoT@1\.json: a raw answer is an object"):
        read_answer(path)
    path.write_text('{"answer_generation": ')
    with pytest.raises(FileError, match=r"7_CoT@1\.json: the JSON is cut off"):
        read_answer(path)


def test_files_are_found_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("9_CoT@1.json", "10_CoT@1.json", "notes.txt", ".7_CoT@1.json"):
        (tmp_path / name).write_text("{}")
    assert [path.name for path in answer_files(tmp_path)] == ["10_CoT@1.json", "9_CoT@1.json"]
    with pytest.raises(FileError, match="no such file"):
        answer_files(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="the folder has no file"):
        answer_files(tmp_path / "empty")
