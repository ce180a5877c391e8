"""What is asked of an agent, and which APIs there are to answer it with."""

from __future__ import annotations

import enum
from typing import Any

import msgspec


class ApiId(msgspec.Struct, frozen=True, order=True):
    """Which API is meant. Two tools of different categories may share a name, so the category belongs to it."""

    category: str
    tool: str
    api: str

    def __str__(self) -> str:
        return f"{self.category}/{self.tool}/{self.api}"


class Parameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """One parameter of an API, as its documentation has it."""

    name: str
    type: str = "STRING"
    """As the documentation has it: STRING, NUMBER, BOOLEAN, `DATE (YYYY-MM-DD)` and whatever else occurs."""
    description: str = ""
    default: Any = None
    schema: dict[str, Any] | None = None
    """The JSON Schema of the value, where the documentation has one (OpenAPI, MCP)."""
    place: str = ""
    """Where it stands in an HTTP request: path, query, header, cookie or body; empty where nobody said."""


class ApiSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """One API, as its documentation has it."""

    id: ApiId
    description: str = ""
    required: tuple[Parameter, ...] = ()
    optional: tuple[Parameter, ...] = ()
    method: str = "GET"
    template_response: Any = None
    """What an answer looks like, where the documentation shows one."""
    url: str | None = None
    """Where the live API is, where the documentation says."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters, required ones first. A name that is documented twice counts where it stands first."""
        first: dict[str, Parameter] = {}
        for parameter in self.required + self.optional:
            first.setdefault(parameter.name, parameter)
        return tuple(first.values())


class ToolSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool: a name under which APIs stand."""

    category: str
    name: str
    description: str = ""
    apis: tuple[ApiSpec, ...] = ()


class GoldApi(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """An API that a query needs. Query files name the tool and the API, not the category."""

    tool: str
    api: str
    category: str | None = None


class Derived(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a fact follows from the answers of the gold calls, where it does not stand in them."""

    rule: str
    """One of those that `starter.deriving` knows: sum, difference, largest, minutes …"""
    of: tuple[str | int | float, ...]
    """What the rule is about: numbers, and paths such as `fare.results.*.price`: a gold call's label, then keys."""
    names: tuple[str, ...] = ()
    """For largest and smallest, what each of the values belongs to, a path or a plain word: the fact is that name."""


class Fact(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that a right answer tells."""

    says: str
    """The fact in words, for people and for judges that read."""
    accept: tuple[str, ...]
    """Its spellings: an answer tells the fact when one of them stands in it."""
    reject: tuple[str, ...] = ()
    """What a right answer does not say: with one of these in it, an answer is wrong about the fact."""
    derived: Derived | None = None
    """How it follows from the answers, where it does not stand in them; for the proof of the gold, not for judges."""


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that shows that a query cannot be answered, and what it has to come back with."""

    name: str
    """The call's name, as gold calls have it."""
    args: dict[str, Any] = {}
    """Its arguments."""
    error: str = ""
    """The error with which it has to be answered; empty where it is answered, and the answer is not enough."""
    holds: tuple[str, ...] = ()
    """What stands in its answer."""
    lacks: tuple[str, ...] = ()
    """What does not stand in it: the thing that was asked for."""


class Decline(msgspec.Struct, frozen=True, omit_defaults=True):
    """What tells an answer that rightly declines a query from one that does what it asks."""

    about: tuple[str, ...] = ()
    """Beginnings of the words for what is asked for. Where one stands, a denial in the same clause is about it."""
    says: tuple[str, ...] = ()
    """Spellings that decline it without a word of denial, such as "sold out"."""
    doing: tuple[str, ...] = ()
    """Spellings of doing it: where one stands and is not denied, the answer does what it should not."""
    shown_by: tuple[Shown, ...] = ()
    """The calls that show that it cannot be done; for the proof of the gold, not for judges."""
    no_api: tuple[str, ...] = ()
    """Words that the name or the description of no API holds, where nothing is there that could do it."""


class Expected(enum.Enum):
    """What a right answer does."""

    ANSWER = "answer"
    """It answers the query."""
    UNSOLVABLE = "unsolvable"
    """It says that the tools do not have what was asked for."""
    OFF_TOPIC = "off-topic"
    """It needs no tool, and says that this is not what it is there for."""
    REFUSAL = "refusal"
    """It refuses what must not be done."""


class Query(msgspec.Struct, frozen=True, omit_defaults=True):
    """One task of a benchmark."""

    id: str
    """Identity is text, whatever the file had."""
    text: str
    """What the agent is asked."""
    gold: tuple[GoldApi, ...] = ()
    """The APIs that are needed, each once, in the file's order."""
    apis: tuple[ApiSpec, ...] = ()
    """The APIs that the query's file documents: gold and distractors."""
    test_set: str = ""
    """The set that the query belongs to."""
    calls: tuple[dict[str, Any], ...] = ()
    """The calls that should be made, as plain data that `records.gold.read_gold` reads; empty where nobody said."""
    facts: tuple[Fact, ...] = ()
    """What a right answer tells; empty where nobody said."""
    expected: Expected = Expected.ANSWER
    """What a right answer does."""
    decline: Decline | None = None
    """Of a query that is rightly declined: what tells a right answer; None where nobody said."""
