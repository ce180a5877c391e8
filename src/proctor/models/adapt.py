"""Whatever a user holds that can answer a prompt, as a `ChatModel`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from proctor.errors import (
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
    OptionError,
    ProctorError,
    ReplyError,
)
from proctor.messages import ToolCall, read_tool_call
from proctor.models.chat import ChatModel, Reply, Request
from proctor.models.openai import OpenAIModel, Options
from proctor.models.payloads import with_instruction
from proctor.records.grades import Missing
from proctor.records.traces import Usage

__all__ = ["CallableModel", "LangChainModel", "as_chat_model"]

_TAKEN = (
    "a model's name ('openai/gpt-4o-mini'), a ChatModel, a client of the openai package with the model's name "
    "((client, 'gpt-4o-mini')), "
    "a LangChain chat model, one of ragas's wrappers around any of these, "
    "or a function (async or not) from a prompt's text to the reply's text"
)
_NO_COST = Missing("the model did not say what it cost")


def as_chat_model(
    thing: Any, *, model: str | None = None, url: str | None = None, options: Options | None = None
) -> ChatModel:
    """Make a `ChatModel` of what a user holds.

    `model` names the model that an `openai` client is to ask; `url` and `options` belong to a model that is given by
    its name.
    """
    if isinstance(thing, str):
        return OpenAIModel(thing, url=url, options=options)
    found = None if isinstance(thing, type) else _recognised(thing, model, options)
    if found is None:
        what = f"the class {thing.__name__}; make one first" if isinstance(thing, type) else type(thing).__name__
        raise OptionError(f"this cannot be asked for replies: {what}. A model may be {_TAKEN}.")
    return found


class CallableModel:
    """A function from a prompt's text to a reply, async or not; one that is not async runs in a thread.

    It may return text, a dictionary (taken for its JSON text), or a `Reply`. Several messages become one text, each
    under its role; a wanted shape is described in the prompt. Temperature and the like cannot be handed to it, and
    tools are refused.
    """

    endpoint = "callable"

    def __init__(self, function: Callable[[str], Any], *, name: str | None = None) -> None:
        self.name = name or _name_of(function)
        self._function = function

    async def reply(self, request: Request) -> Reply:
        """Call the function."""
        if request.tools:
            raise ModelRequestError("a function from text to text cannot be given tools.", model=self.name)
        said = await _called(self.name, self._function, as_prompt(request))
        if isinstance(said, Mapping):
            said = msgspec.json.encode(said).decode()
        if isinstance(said, Reply):
            return said
        if not isinstance(said, str):
            said = getattr(said, "text", None) or getattr(said, "content", said)
        if not isinstance(said, str):
            raise OptionError(f"{self.name} must return text, a dictionary or a Reply, not {type(said).__name__}.")
        return Reply(said, usage=Usage(requests=1, cost=_NO_COST), model=self.name, output_form=_form(request))

    async def aclose(self) -> None:
        """Nothing is held."""

    def __repr__(self) -> str:
        return f"CallableModel({self.name!r})"


class LangChainModel:
    """A LangChain chat model, by its `ainvoke` or `invoke`.

    Messages and tools (`bind_tools`) are handed over; a wanted shape is described in the prompt. Temperature and the
    like are the model's own settings, and stay as they are.
    """

    endpoint = "langchain"

    def __init__(self, model: Any) -> None:
        self._model = model
        said = getattr(model, "model_name", None) or getattr(model, "model", None)
        self.name = said if isinstance(said, str) else type(model).__name__

    async def reply(self, request: Request) -> Reply:
        """Invoke the model."""
        model = self._model.bind_tools(list(request.tools)) if request.tools else self._model
        messages = list(request.messages)
        if request.output is not None:
            messages = with_instruction(request.messages, request.output)
        said = await _called(self.name, getattr(model, "ainvoke", None) or model.invoke, messages)
        if isinstance(said, str):
            return Reply(said, usage=Usage(requests=1, cost=_NO_COST), model=self.name, output_form=_form(request))
        try:
            return self._read(said, request)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ReplyError(f"the reply is not readable: {error}", model=self.name, raw=repr(said)[:20_000]) from None

    def _read(self, said: Any, request: Request) -> Reply:
        told = getattr(said, "response_metadata", None) or {}
        return Reply(
            text=_text(getattr(said, "content", "")),
            tool_calls=_langchain_calls(said),
            finish=str(told.get("finish_reason") or "stop"),
            usage=_langchain_usage(said),
            model=str(told.get("model_name") or self.name),
            output_form=_form(request),
        )

    async def aclose(self) -> None:
        """It stays its owner's to close."""

    def __repr__(self) -> str:
        return f"LangChainModel({self.name!r})"


def as_prompt(request: Request) -> str:
    """The messages of a request as one text: a single one as it is, several each under its role."""
    messages = list(request.messages)
    if request.output is not None:
        messages = with_instruction(request.messages, request.output)
    texts = [(str(message["role"]), _text(message.get("content"))) for message in messages]
    if all(role in ("user", "system") for role, _ in texts):
        return "\n\n".join(text for _, text in texts)
    return "\n\n".join(f"{role.capitalize()}: {text}" for role, text in texts)


async def _called(name: str, function: Callable[[Any], Any], argument: Any) -> Any:
    """Call a stranger's function; what it raises becomes the branch of ModelError that it stands for."""
    try:
        if inspect.iscoroutinefunction(function):
            return await function(argument)
        said = await asyncio.to_thread(function, argument)
        return await said if inspect.isawaitable(said) else said
    except ProctorError:
        raise
    except Exception as error:
        raise _translated(name, error) from error


def _translated(name: str, error: Exception) -> ModelError:
    status = getattr(error, "status_code", None)
    sentence = f"{type(error).__name__}: {error}"
    known: dict[str, Any] = {"model": name, "status": status if type(status) is int else None}
    if status in (401, 403):
        return ModelRefusedError(sentence, kind="refused_key", **known)
    if status == 404:
        return ModelRefusedError(sentence, kind="unknown_model", **known)
    if status == 429:
        return ModelBusyError(sentence, **known)
    if status in (400, 413, 422):
        return ModelRequestError(sentence, **known)
    return ModelUnavailableError(sentence, **known)


def _is_openai_client(thing: Any) -> bool:
    return type(thing).__module__.split(".")[0] == "openai" and hasattr(thing, "chat") and hasattr(thing, "post")


def _recognised(thing: Any, model: str | None, options: Options | None) -> ChatModel | None:
    if isinstance(thing, ChatModel):
        return thing
    if isinstance(thing, tuple) and len(thing) == 2 and _is_openai_client(thing[0]) and isinstance(thing[1], str):
        return OpenAIModel.around(thing[0], thing[1], options=options)
    if _is_openai_client(thing):
        if model is None:
            raise OptionError(
                "an openai client does not say which model to ask; hand over both: (client, 'gpt-4o-mini')."
            )
        return OpenAIModel.around(thing, model, options=options)
    if (wrapped := _from_ragas(thing, options)) is not None:
        return wrapped
    if callable(getattr(thing, "ainvoke", None)) or callable(getattr(thing, "invoke", None)):
        return LangChainModel(thing)
    return CallableModel(thing, name=model) if callable(thing) else None


def _from_ragas(thing: Any, options: Options | None) -> ChatModel | None:
    """The model inside one of ragas's wrappers: around LangChain, around an instructor client, around LlamaIndex."""
    if (inner := getattr(thing, "langchain_llm", None)) is not None:
        return LangChainModel(inner)
    if isinstance(getattr(thing, "model", None), str) and hasattr(thing, "agenerate") and hasattr(thing, "client"):
        return _from_instructor(thing, options)
    if callable(getattr(getattr(thing, "llm", None), "acomplete", None)):
        return CallableModel(thing.llm.acomplete, name=_name_of(thing.llm))
    return None


def _from_instructor(wrapper: Any, options: Options | None) -> OpenAIModel:
    """The client and the model's name out of ragas's wrapper around an instructor client."""
    client = wrapper.client
    for candidate in (client, getattr(client, "client", None)):
        if candidate is not None and _is_openai_client(candidate):
            return OpenAIModel.around(candidate, wrapper.model, options=options)
    raise OptionError(
        f"a {type(wrapper).__name__} is taken when it holds a client of the openai package, "
        f"and this one holds a {type(client).__name__}; hand over a function from prompt to text in its place."
    )


def _langchain_calls(said: Any) -> tuple[ToolCall, ...]:
    calls = [ToolCall(call["name"], dict(call["args"]), id=call.get("id")) for call in getattr(said, "tool_calls", ())]
    calls += [
        ToolCall(call.get("name") or "", {}, id=call.get("id"), malformed=str(call.get("args")))
        for call in getattr(said, "invalid_tool_calls", ())
    ]
    older = getattr(said, "additional_kwargs", {}).get("tool_calls") or ()
    return tuple(calls or (read_tool_call(call) for call in older))


def _langchain_usage(said: Any) -> Usage:
    told = getattr(said, "usage_metadata", None) or {}
    return Usage(1, int(told.get("input_tokens") or 0), int(told.get("output_tokens") or 0), _NO_COST)


def _text(content: Any) -> str:
    if isinstance(content, list):
        parts = [part.get("text", "") if isinstance(part, dict) else part for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _form(request: Request) -> str | None:
    return None if request.output is None else "prompt"


def _name_of(thing: Any) -> str:
    said = getattr(thing, "__name__", None) or getattr(thing, "model", None)
    return said if isinstance(said, str) else type(thing).__name__
