"""Asking a judge: the question, one chance to mend a reply that cannot be read, and then nothing but `Missing`."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import msgspec

from proctor.errors import ModelError, ModelRefusedError
from proctor.judges.replies import Unread, read_reply
from proctor.judges.shapes import Shape
from proctor.judges.templates import Filled, Template
from proctor.models.chat import ChatModel, Reply, Request, missing
from proctor.records.grades import Missing

__all__ = ["UNREADABLE", "Question", "Said", "ask"]

UNREADABLE = "the judge's reply could not be read"
"""The reason under which all such replies are counted; the detail holds what was wrong and the reply itself."""

_SHOWN_AGAIN = 4_000
_SOON_READ = 20_000
"""A reply and its material of so many characters are read at once; longer ones beside the event loop."""
_HALVES = re.compile("[\ud800-\udfff]")


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a judge is asked, and how."""

    prompt: Filled
    shape: Shape
    lists: int | None = None
    """How long the lists in the reply have to be, where that is known."""
    temperature: float | None = 0.0
    max_tokens: int | None = None
    repeat: int = 0

    @classmethod
    def by(
        cls, template: Template, *names: str, lists: int | None = None, repeat: int = 0, **material: str
    ) -> Question:
        """The question of that name in a template (the first of several that there is), filled in."""
        prompt = template.prompt(*names)
        longest = template.max_tokens
        return cls(prompt.fill(**material), prompt.shape, lists, template.temperature, longest, repeat)

    def request(self) -> Request:
        """The question as a model takes it."""
        return Request.of(
            self.prompt.text,
            output=self.shape.output,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            repeat=self.repeat,
        )

    def read(self, reply: Reply) -> dict[str, Any] | Unread:
        """The fields of a reply, or what is wrong with it."""
        fields = read_reply(reply, self.shape, self.prompt.material, self.prompt.seal)
        if isinstance(fields, Unread):
            return Unread("it was cut off before its end.") if reply.finish == "length" else fields
        for field in self.shape.fields if self.lists is not None else ():
            if field.kind in ("flags", "texts") and len(fields[field.name]) != self.lists:
                return Unread(
                    f"its list {field.name!r} has {len(fields[field.name])} items; it must have {self.lists}, in order."
                )
        return fields


class Said(msgspec.Struct, frozen=True):
    """What a judge said, read."""

    fields: dict[str, Any]
    raw: str
    """The reply that they were read from."""

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    @property
    def reason(self) -> str:
        """The judge's words; empty when it gave none."""
        said = self.fields.get("reason", self.fields.get("content", ""))
        return said if isinstance(said, str) else ""


async def ask(model: ChatModel, question: Question) -> Said | Missing:
    """Ask, and ask once more where the reply cannot be read, saying what was wrong.

    What goes wrong on the way is `Missing` by its kind, except what no later question can mend: a refused key and an
    unknown model are raised.
    """
    request = question.request()
    reply, read = Reply(), None
    try:
        reply = await model.reply(request)
        read = await _read(question, reply)
        if isinstance(read, Unread):
            reply = await model.reply(_again(request, reply, read))
            read = await _read(question, reply)
    except ModelRefusedError:
        raise
    except ModelError as error:
        gone = missing(error)
        gone = Missing(gone.reason, _escaped(gone.detail))
        if isinstance(read, Unread):
            return Missing(gone.reason, f"{gone.detail}\nThe reply before: {read.problem}\n{_raw(reply)}")
        return gone
    raw = _raw(reply)
    if isinstance(read, Unread):
        return Missing(UNREADABLE, f"{read.problem}\n{raw}")
    return Said(_escaped(read), raw)


async def _read(question: Question, reply: Reply) -> dict[str, Any] | Unread:
    length = len(_raw(reply)) + sum(map(len, question.prompt.material))
    return question.read(reply) if length <= _SOON_READ else await asyncio.to_thread(question.read, reply)


def _escaped(value: Any) -> Any:
    """The value with each half of a surrogate pair in its texts written as its escape."""
    if isinstance(value, str):
        return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", value)
    if isinstance(value, dict):
        return {_escaped(name): _escaped(item) for name, item in value.items()}
    return [_escaped(item) for item in value] if isinstance(value, list) else value


def _again(request: Request, reply: Reply, unread: Unread) -> Request:
    """The question with the reply that could not be read, and what was wrong with it."""
    words = (
        f"Your reply could not be used: {unread.problem} Reply again with one JSON object that holds the wanted "
        "fields, and nothing else."
    )
    said = [
        {"role": "assistant", "content": _raw(reply)[:_SHOWN_AGAIN] or "(nothing)"},
        {"role": "user", "content": words},
    ]
    again: Request = msgspec.structs.replace(request, messages=(*request.messages, *said))
    return again


def _raw(reply: Reply) -> str:
    """A reply as it came: its text, or the functions that it calls."""
    calls = [f"{call.name}({call.args if call.malformed is None else call.malformed})" for call in reply.tool_calls]
    return str(_escaped("\n".join([*([reply.text] if reply.text else []), *calls])))
