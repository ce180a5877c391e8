"""The proof of the gold: every way of making a query's gold calls is gone, and has to yield every fact.

A complaint is a sentence. There are none where, for every query, in every way that its gold allows,

- the calls are answered, and not by errors (calls that may be left out may fail),
- what looks like an id in their arguments stands in the query or in the answer of a call that they come after,
- every fact stands in the answers in one of its spellings, or follows from them by its rule, and is said by its words
  (a fact without spellings only says what must not be told),
- an answer is short enough to be shown to an agent whole,

where every query offers an API that it does not need, unless it needs none, and where every query that cannot be
answered names calls that show it, and those come back with the error or without the thing that it says they do.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from proctor.records.answers import Answer
from proctor.records.gold import GoldCall, read_gold
from proctor.records.queries import ApiId, Decline, Expected, Fact, Query, Shown
from proctor.records.ways import ways
from proctor.starter.deriving import Underivable, derived
from proctor.starter.documents import slug

__all__ = ["LONGEST", "check"]

LONGEST = 1_000
"""So many characters of an answer are sure to be shown to an agent."""
_ID = re.compile(r"[A-Z]{1,4}-[A-Z\d-]*\d[A-Z\d-]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def check(queries: Iterable[Query], functions: Mapping[ApiId, Callable[..., Any]]) -> list[str]:
    """What is wrong with the gold of these queries, a sentence each; nothing where it is proven."""
    named = {f"{slug(api.api)}_for_{slug(api.tool)}": function for api, function in functions.items()}
    return [f"{query.id}: {complaint}" for query in queries for complaint in _complaints(query, named)]


class _Made(msgspec.Struct, frozen=True):
    """A gold call that was made."""

    call: GoldCall
    response: Any
    text: str


def _complaints(query: Query, functions: Mapping[str, Callable[..., Any]]) -> Iterator[str]:
    needed = {(gold.tool, gold.api) for gold in query.gold}
    if needed and not {(api.id.tool, api.id.api) for api in query.apis} - needed:
        yield "it offers nothing that it does not need"
    if query.expected is Expected.ANSWER and not any(fact.accept for fact in query.facts):
        yield "it states no facts"
    if query.expected is not Expected.ANSWER:
        yield from _unproven(query, functions)
    seen: set[str] = set()
    for way in ways(read_gold(list(query.calls))):
        made: list[_Made] = []
        for complaint in [*_made(query, way, functions, made), *_untold(query.facts, made)]:
            if complaint not in seen:
                seen.add(complaint)
                yield complaint


def _unproven(query: Query, functions: Mapping[str, Callable[..., Any]]) -> Iterator[str]:
    """What is wrong with the proof that a query is rightly declined."""
    decline = query.decline or Decline()
    if not decline.about or not decline.doing:
        yield "it does not say what a decline of it is about and what doing it looks like"
    if query.expected is Expected.UNSOLVABLE and not decline.shown_by:
        yield "no call shows that it cannot be answered"
    offered = {f"{slug(api.id.api)}_for_{slug(api.id.tool)}" for api in query.apis}
    for shown in decline.shown_by:
        if shown.name not in offered:
            yield f"it does not offer {shown.name}, which should show that it cannot be answered"
        if shown.name not in functions:
            yield f"there is no API {shown.name!r}"
            continue
        try:
            said = functions[shown.name](**shown.args)
        except TypeError as error:
            yield f"{shown.name} does not take {shown.args}: {error}"
            continue
        yield from _unshown(shown, said)
    for name, function in functions.items():
        about = f"{name.replace('_', ' ')}. {(inspect.getdoc(function) or '').partition(chr(10) * 2)[0]}"
        for word in decline.no_api:
            if word.casefold() in about.casefold():
                yield f"{name} is about {word!r}, which no API should be"


def _unshown(shown: Shown, said: Any) -> Iterator[str]:
    """In what an answer is not the one that should show that a query cannot be answered."""
    call = f"{shown.name}({shown.args})"
    error = said.error if isinstance(said, Answer) else ""
    if error != shown.error:
        yield f"{call} should come back with {shown.error or 'no error'!r}, not with {error or 'an answer'!r}"
        return
    text = msgspec.json.encode(said).decode().casefold()
    if not error and not (shown.holds or shown.lacks):
        yield f"{call} is answered, and it is not said what the answer has to hold or to lack"
    yield from (f"the answer of {call} does not hold {word!r}" for word in shown.holds if word.casefold() not in text)
    yield from (f"the answer of {call} holds {word!r}" for word in shown.lacks if word.casefold() in text)


def _made(
    query: Query, way: Sequence[GoldCall], functions: Mapping[str, Callable[..., Any]], made: list[_Made]
) -> Iterator[str]:
    """Make the calls of one way, and say what is wrong with them."""
    for call in way:
        if call.name not in functions:
            yield f"there is no API {call.name!r}"
            continue
        yield from _unchained(query, call, made)
        try:
            said = functions[call.name](**call.args)
        except TypeError as error:
            yield f"{call.name} does not take {call.args}: {error}"
            continue
        failed = isinstance(said, Answer)
        if failed and not call.optional:
            yield f"{call.name}({call.args}) is answered by an error: {said.error}"
        if not failed:
            text = msgspec.json.encode(said).decode()
            if len(text) > LONGEST:
                yield f"the answer of {call.name}({call.args}) has {len(text)} characters; {LONGEST} are shown"
            made.append(_Made(call, said, text))


def _unchained(query: Query, call: GoldCall, made: Sequence[_Made]) -> Iterator[str]:
    """The ids among the arguments of a call that the agent could not know by then."""
    for value in call.args.values():
        if not isinstance(value, str) or not _ID.fullmatch(value) or value in query.text:
            continue
        givers = [one for one in made if f'"{value}"' in one.text]
        if not givers:
            yield f"{call.name}: nobody gives the id {value}"
        elif not any(one.call.label in call.after for one in givers):
            yield f"{call.name} has the id {value} from {givers[0].call.name} and is not said to come after it"


def _untold(facts: Sequence[Fact], made: Sequence[_Made]) -> Iterator[str]:
    text = "\n".join(one.text for one in made)
    labelled = {one.call.label: one.response for one in made if one.call.label is not None}
    for fact in facts:
        if any(_stands(word, fact.says) for word in fact.reject):
            yield f"the words {fact.says!r} hold what the fact rejects"
        if not fact.accept:
            if not fact.reject:
                yield f"the fact {fact.says!r} neither accepts nor rejects anything"
            continue
        if not any(_stands(spelling, fact.says) for spelling in fact.accept):
            yield f"the words {fact.says!r} hold none of the fact's spellings"
        if fact.derived is None:
            if not any(_stands(spelling, text) for spelling in fact.accept):
                yield f"no answer holds {fact.accept[0]!r}"
            continue
        try:
            value = derived(fact.derived, labelled)
        except Underivable as error:
            yield f"{fact.accept[0]!r} does not follow: {error}"
            continue
        if not any(_means(spelling, value) for spelling in fact.accept):
            yield f"by its rule the fact is {value!r}, which is none of {', '.join(fact.accept)}"


def _stands(spelling: str, text: str) -> bool:
    """Whether a spelling stands in a text as a word of its own."""
    before, after = (r"(?<![\w.])", r"(?!\w|\.\d)")
    return re.search(f"{before}{re.escape(spelling)}{after}", text, re.IGNORECASE) is not None


def _means(spelling: str, value: Any) -> bool:
    """Whether a spelling is that of a value; numbers to two places."""
    if isinstance(value, str):
        return spelling.casefold() == value.casefold()
    number = _NUMBER.search(spelling.replace(",", ""))
    return number is not None and abs(float(number[0]) - value) < 0.005 + 1e-9
