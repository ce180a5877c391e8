import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted_server import HttpReply, ScriptedServer, completion


def post(url: str, asked: dict[str, Any]) -> Any:
    request = urllib.request.Request(url, json.dumps(asked).encode(), {"content-type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - loopback
        return json.load(answer)


def test_a_server_says_its_script_to_any_client() -> None:
    with ScriptedServer(["Paris", {"verdict": 1}]) as server:
        url = f"{server.url}/chat/completions"
        said = [post(url, {"model": "m", "messages": []})["choices"][0]["message"]["content"] for _ in range(2)]
    assert said == ["Paris", '{"verdict":1}']
    assert server.bodies == [{"model": "m", "messages": []}] * 2


def test_a_script_that_is_used_up_is_a_400_that_says_so() -> None:
    with ScriptedServer([]) as server, pytest.raises(urllib.error.HTTPError) as caught:
        post(f"{server.url}/chat/completions", {})
    assert caught.value.code == 400
    assert b"the script has 0 replies" in caught.value.read()


def test_another_path_is_not_there() -> None:
    with ScriptedServer(["x"]) as server, pytest.raises(urllib.error.HTTPError) as caught:
        post(f"{server.url}/embeddings", {})
    assert caught.value.code == 404
    caught.value.close()


def test_a_function_answers_by_the_body_and_may_be_async() -> None:
    async def script(asked: dict[str, Any]) -> HttpReply:
        return HttpReply(200, {"echo": asked["model"]})

    with ScriptedServer(script) as server:
        assert post(f"{server.url}/chat/completions", {"model": "m"}) == {"echo": "m"}


def test_a_completion_is_written_as_an_endpoint_writes_it() -> None:
    reply = Reply(text="hm", tool_calls=(ToolCall("f", {"a": 1}),), finish="tool_calls")
    assert completion(reply, "m") == {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": "hm",
                    "tool_calls": [
                        {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
                    ],
                },
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11},
    }
