"""One sample: what a metric looks at.

`SingleTurnSample` holds a question and an answer, `MultiTurnSample` a whole conversation. Both can be made in Python
or read from plain data by `read_sample`, which refuses a field that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from proctor.errors import SampleError, nearest
from proctor.messages import AIMessage, AnyMessage, ToolCall, ToolMessage, read_messages, read_tool_call
from proctor.messages.checked import Checked, shown
from proctor.records.gold import read_gold, taken_apart


class BaseSample(Checked, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What all samples can do."""

    def get_features(self) -> list[str]:
        """The names of the fields that are not None."""
        return [name for name in self.__struct_fields__ if getattr(self, name) is not None]

    def to_string(self) -> str:
        """The sample as text, one line a field."""
        return "".join(f"\n{name}:\n\t{value}\n" for name, value in self.to_dict().items())


class SingleTurnSample(BaseSample):
    """A question, an answer, and what is known about both. Every field is optional; a metric names those it needs."""

    user_input: str | None = None
    """What the user asked."""
    retrieved_contexts: list[str] | None = None
    """The texts that were found for the answer."""
    reference_contexts: list[str] | None = None
    """The texts that should have been found."""
    retrieved_context_ids: list[str | int] | None = None
    """The identifiers of the texts that were found."""
    reference_context_ids: list[str | int] | None = None
    """The identifiers of the texts that should have been found."""
    response: str | None = None
    """What was answered."""
    multi_responses: list[str] | None = None
    """Several answers to the same question."""
    reference: str | None = None
    """What should have been answered."""
    rubrics: dict[str, str] | None = None
    """Descriptions of the grades that an answer can get, by grade."""
    persona_name: str | None = None
    """Whose question it is."""
    query_style: str | None = None
    """How the question is put."""
    query_length: str | None = None
    """How long the question is."""

    def _check(self) -> None:
        for field in ("user_input", "response", "reference", "persona_name", "query_style", "query_length"):
            self._expect(field, str, "text")
        for field in ("retrieved_contexts", "reference_contexts", "multi_responses"):
            self._expect(field, list, "a list of texts")
            _check_items(self, field, _is_text, "text")
        for field in ("retrieved_context_ids", "reference_context_ids"):
            self._expect(field, list, "a list of texts or whole numbers")
            _check_items(self, field, _is_identifier, "text or a whole number")
        _check_rubrics(self)


class MultiTurnSample(BaseSample):
    """A conversation, and what it should have come to."""

    user_input: list[AnyMessage]
    """The messages, in order. Dictionaries are read (`proctor.messages.read_messages`)."""
    reference: str | None = None
    """What the conversation should have come to, in words."""
    reference_tool_calls: list[ToolCall] | None = None
    """The calls that should have been made."""
    gold: list[Any] | None = None
    """The calls that should have been made, where a plain list does not say enough (`proctor.records.gold`)."""
    rubrics: dict[str, str] | None = None
    """Descriptions of the grades that the conversation can get, by grade."""
    reference_topics: list[str] | None = None
    """The topics that the agent is to keep to."""

    @classmethod
    def _given(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """The arguments with messages and calls read from dictionaries."""
        messages = fields.get("user_input", ())
        if type(messages) is not list and "user_input" in fields:
            msg = f"'user_input' of a MultiTurnSample must be a list of messages, not {shown(messages)}."
            raise SampleError(msg)
        given = {**fields, **({"user_input": _flat("user_input", messages)} if messages else {})}
        calls = fields.get("reference_tool_calls")
        if isinstance(calls, list):
            given["reference_tool_calls"] = _read_all("reference_tool_calls", calls, read_tool_call)
        return given

    def __post_init__(self) -> None:
        if self.gold is not None:
            self.gold = [*read_gold(self.gold)]
        before: AnyMessage | None = None
        for message in self.user_input:
            if isinstance(message, ToolMessage):
                _check_place(before, self.user_input)
            before = message

    def _check(self) -> None:
        self._expect("reference", str, "text")
        self._expect("reference_tool_calls", list, "a list of tool calls")
        self._expect("gold", list, "a list of gold calls")
        self._expect("reference_topics", list, "a list of texts")
        _check_items(self, "reference_topics", _is_text, "text")
        _check_rubrics(self)

    def to_messages(self) -> list[dict[str, Any]]:
        """The conversation as plain dictionaries."""
        return [message.to_dict() for message in self.user_input]

    def pretty_repr(self) -> str:
        """The conversation as a person reads it."""
        return "\n".join(message.pretty_repr() for message in self.user_input)


Sample = SingleTurnSample | MultiTurnSample
_Item = TypeVar("_Item")


def read_sample(data: Any) -> Sample:
    """Read a sample from plain data: a `MultiTurnSample` where `user_input` is a list, else a `SingleTurnSample`."""
    if isinstance(data, Sample):
        return data
    if not isinstance(data, dict):
        msg = f"a sample must be a dictionary, not {shown(data)}."
        raise SampleError(msg)
    kind = MultiTurnSample if isinstance(data.get("user_input"), list) else SingleTurnSample
    for field in data:
        if field not in kind.__struct_fields__:
            raise SampleError(_unknown_field(field, kind))
    sample: Sample = kind(**data)
    return sample


def free_values(sample: Sample) -> Iterator[tuple[Any, int]]:
    """The values that a tool or a user makes up, each with the number of lists and dictionaries around it.

    They can be of any type and depth; all else in a sample is of the type of its field.
    """
    if isinstance(sample, SingleTurnSample):
        return
    for message in sample.user_input:
        yield message.metadata, 3
        if isinstance(message, AIMessage):
            for call in message.tool_calls or ():
                yield call.args, 5
    for call in sample.reference_tool_calls or ():
        yield call.args, 3
    for item in sample.gold or ():
        yield taken_apart(item), 2


def _unknown_field(field: Any, kind: type[Sample]) -> str:
    other = SingleTurnSample if kind is MultiTurnSample else MultiTurnSample
    if field in other.__struct_fields__:
        wanted = "a list of messages" if other is MultiTurnSample else "text"
        return f"a {kind.__name__} has no field {field!r}; a {other.__name__} has: is its 'user_input' {wanted}?"
    return f"a {kind.__name__} has the unknown field {field!r}; {nearest(str(field), kind.__struct_fields__)}"


def _read_all(field: str, items: list[Any], read: Callable[[Any], _Item]) -> list[_Item]:
    """Each item read, and an error that says which."""
    done: list[_Item] = []
    for index, item in enumerate(items):
        try:
            done.append(read(item))
        except SampleError as error:
            raise SampleError(f"{field}[{index}]: {error}") from None
    return done


def _flat(field: str, items: list[Any]) -> list[AnyMessage]:
    """The messages in dictionaries, some of which may be several."""
    return [message for some in _read_all(field, items, read_messages) for message in some]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_identifier(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _check_items(sample: BaseSample, field: str, fits: Callable[[Any], bool], wanted: str) -> None:
    for index, item in enumerate(getattr(sample, field) or ()):
        if not fits(item):
            msg = f"'{field}[{index}]' of a {type(sample).__name__} must be {wanted}, not {shown(item)}."
            raise SampleError(msg)


def _check_rubrics(sample: SingleTurnSample | MultiTurnSample) -> None:
    rubrics: Any = sample.rubrics
    if rubrics is None:
        return
    pairs = rubrics.items() if isinstance(rubrics, dict) else [(None, rubrics)]
    for grade, description in pairs:
        if not isinstance(grade, str) or not isinstance(description, str):
            found = shown({grade: description} if isinstance(rubrics, dict) else rubrics)
            msg = f"'rubrics' of a {type(sample).__name__} must be a dictionary from text to text, not {found}."
            raise SampleError(msg)


def _check_place(before: AnyMessage | None, messages: list[AnyMessage]) -> None:
    """A tool's answer follows the agent's call, or another tool's answer."""
    if isinstance(before, ToolMessage):
        return
    if isinstance(before, AIMessage):
        if not before.tool_calls:
            raise SampleError("ToolMessage must follow an AIMessage where tools were called.")
        return
    first_answer = next(index for index, message in enumerate(messages) if isinstance(message, ToolMessage))
    if any(isinstance(message, AIMessage) for message in messages[:first_answer]):
        raise SampleError("ToolMessage must follow an AIMessage or another ToolMessage.")
    raise SampleError("ToolMessage must be preceded by an AIMessage somewhere in the conversation.")
