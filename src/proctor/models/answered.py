"""What an endpoint answered, as a value, and the reply in it. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from proctor.errors import ModelUnavailableError, ReplyError, SampleError
from proctor.messages import ToolCall, read_tool_call
from proctor.models.chat import Reply
from proctor.models.payloads import Form
from proctor.models.prices import Price
from proctor.records.grades import Missing
from proctor.records.traces import Usage

__all__ = ["Answered", "read_answer"]

_KEPT = 20_000
"""So many characters of a reply that is no use are kept with the error."""


class Answered(msgspec.Struct, frozen=True):
    """What came back over the line."""

    status: int | None
    """The HTTP status; None when nothing came."""
    body: bytes = b""
    headers: Mapping[str, str] = {}
    """With lower-case names."""
    timed_out: bool = False
    broke: str = ""
    """What the line said when it broke."""

    @property
    def fine(self) -> bool:
        """Whether the endpoint took the request."""
        return self.status is not None and self.status < 400

    def text(self) -> str:
        """The body as text, for an error to keep."""
        return self.body.decode("utf-8", "replace")[:_KEPT]


def decoded(answered: Answered, model: str) -> dict[str, Any]:
    """The JSON object in the body. ModelUnavailableError when there is none: it came from no model."""
    try:
        data = msgspec.json.decode(answered.body)
    except UnicodeDecodeError:
        raise _garbled("the answer is not UTF-8.", answered, model) from None
    except (msgspec.DecodeError, RecursionError) as error:
        if not answered.body.strip() or "truncated" in str(error):
            raise _garbled("the answer's JSON is cut off.", answered, model) from None
        raise _garbled("the answer is not JSON.", answered, model) from None
    if not isinstance(data, dict):
        raise _garbled("the answer is not a JSON object.", answered, model)
    return data


def read_answer(
    answered: Answered, model: str, form: Form | None, price: Price | Missing, function: str | None = None
) -> Reply:
    """The reply in an answer that is `fine`. ReplyError names what is wrong with it.

    `function` is what a shape that was asked for in the form of a function is called. ModelUnavailableError where it
    is no model's reply at all, such as the page of a proxy.
    """
    data = decoded(answered, model)
    usage = _usage(data.get("usage"), price)
    try:
        message, finish = _first_choice(data, answered, model)
        reply = _reply(message, finish, usage, data.get("model"))
        if form == "function" and reply.tool_calls:
            reply = msgspec.structs.replace(reply, text=_arguments(message, function), tool_calls=())
        return msgspec.structs.replace(reply, output_form=form)
    except ReplyError as error:
        error.usage = usage
        raise
    except (AttributeError, KeyError, TypeError, SampleError) as error:
        problem = f"the reply's message is not readable: {error}"
        unreadable = _useless(problem, "wrong_shape", answered, model)
        unreadable.usage = usage
        raise unreadable from None


def _first_choice(data: dict[str, Any], answered: Answered, model: str) -> tuple[dict[str, Any], str]:
    choices = data.get("choices")
    if not isinstance(choices, list) or (choices and not isinstance(choices[0], dict)):
        raise _garbled("the answer has no list of choices.", answered, model)
    choice = choices[0] if choices else {}
    finish = choice.get("finish_reason") or "stop"
    if finish == "content_filter":
        raise _useless("the endpoint's content filter withheld the reply.", "filtered", answered, model)
    message = choice.get("message")
    if not message:
        raise _useless("the reply has no choice with a message in it.", "empty_reply", answered, model)
    return message, str(finish)


def _reply(message: dict[str, Any], finish: str, usage: Usage, said_model: Any) -> Reply:
    text = _content(message.get("content"))
    refusal = message.get("refusal")
    if not text and isinstance(refusal, str) and refusal:
        text, finish = refusal, "refusal"
    return Reply(
        text=text,
        tool_calls=_calls(message),
        finish=finish,
        usage=usage,
        model=said_model if isinstance(said_model, str) else None,
        reasoning=_content(message.get("reasoning_content") or message.get("reasoning")),
    )


def _calls(message: dict[str, Any]) -> tuple[ToolCall, ...]:
    calls = message.get("tool_calls") or ()
    legacy = message.get("function_call")
    return tuple(read_tool_call(call) for call in (*calls, *([{"function": legacy}] if legacy else ())))


def _arguments(message: dict[str, Any], function: str | None) -> str:
    """The text of the arguments as the model wrote it: of the call of that name, or of the first."""
    called = [call["function"] for call in message.get("tool_calls") or ()] or [message["function_call"]]
    said = next((one for one in called if one.get("name") == function), called[0]).get("arguments")
    return said if isinstance(said, str) else msgspec.json.encode(said).decode()


def _content(content: Any) -> str:
    """Text, or the texts of a list of parts."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TypeError(f"its content is a {type(content).__name__}.")
    return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))


def _usage(told: Any, price: Price | Missing) -> Usage:
    told = told if isinstance(told, dict) else {}
    prompt, completion, cost = told.get("prompt_tokens"), told.get("completion_tokens"), told.get("cost")
    if type(prompt) is not int or type(completion) is not int or min(prompt, completion) < 0:
        return Usage(requests=1, cost=Missing("the endpoint did not say how many tokens were used"))
    details = told.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    billed: float | Missing
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < math.inf:
        billed = float(cost)
    elif isinstance(price, Missing):
        billed = price
    else:
        billed = price.cost(prompt, completion, cached if type(cached) is int else 0)
    return Usage(requests=1, prompt_tokens=prompt, completion_tokens=completion, cost=billed)


def _garbled(problem: str, answered: Answered, model: str) -> ModelUnavailableError:
    return ModelUnavailableError(problem, model=model, kind="garbled", status=answered.status, raw=answered.text())


def _useless(problem: str, kind: str, answered: Answered, model: str) -> ReplyError:
    return ReplyError(problem, model=model, kind=kind, status=answered.status, raw=answered.text())
