"""The `openai` SDK with our function schemas: a scripted model calls functions, and the gateway answers."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from openai import OpenAI

from proctor.gateway.simulators import TemplateSource
from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted_server import ScriptedServer

Serve = Callable[..., Any]


def plays(asked: dict[str, Any]) -> Reply | str:
    """The model: it lists the ports, asks for the forecast of each, and sums up what it was told."""
    functions = {tool["function"]["name"].split("_for_")[0]: tool["function"] for tool in asked["tools"]}
    told = [json.loads(message["content"]) for message in asked["messages"] if message["role"] == "tool"]
    if not told:
        return Reply(tool_calls=(ToolCall(functions["list_ports"]["name"], {}, id="1"),), finish="tool_calls")
    if len(told) == 1:
        forecast = functions["get_forecast"]
        name = next(iter(forecast["parameters"]["required"]))
        calls = [ToolCall(forecast["name"], {name: port}, id=port) for port in told[0]["response"]]
        return Reply(tool_calls=tuple(calls), finish="tool_calls")
    return f"The winds are {[one['response']['wind'] for one in told[1:]]}."


@pytest.mark.parametrize("form", ["openai", "json"])
def test_the_sdk_completes_a_task_of_several_calls(serve: Serve, form: str) -> None:
    served = serve(simulators=TemplateSource())
    apis = {api["name"]: api for api in served.json("/tools")["apis"]}
    schemas = [served.json(f"/tools/schema?name={name}&form={form}") for name in apis]
    functions = [one if form == "openai" else {"type": "function", "function": one} for one in schemas]
    messages: list[Any] = [{"role": "user", "content": "How strong is the wind at each port?"}]
    with ScriptedServer(plays) as model, OpenAI(base_url=model.url, api_key="none", max_retries=0) as client:
        for _ in range(3):
            completion = client.chat.completions.create(model="tiny", messages=messages, tools=functions)  # type: ignore[arg-type]
            said = completion.choices[0].message
            messages.append(said.model_dump(exclude_none=True))
            for call in said.tool_calls or ():
                assert call.type == "function"
                meant = apis[call.function.name]
                answer = served.call(meant["tool"], meant["api"], call.function.arguments, category=meant["category"])
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(answer)})
    assert messages[-1]["content"] == "The winds are [5, 5]."
    assert [message["role"] for message in messages].count("tool") == 3
