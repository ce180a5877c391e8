"""The names of functions: what an API is called when it is offered to a language model.

An API is identified by three free texts (category, tool, API); a function's name is at most 64 characters out of
`a-z A-Z 0-9 _ -`. So names lose something, and two APIs can come out alike. `canonical_name` therefore ends in five
characters of the identity's hash: it is unique in a catalogue of any size, and stays what it is when tools are added
(docs/decisions/function-names.md). `offered_names` leaves the ending out where the list that is offered, such as a
query's own, is known and nothing in it comes out alike.

The rules of spelling are those of the ToolBench family, so that recorded conversations can be read.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from proctor.records.keys import canonical_json
from proctor.records.queries import ApiId

MAX_NAME = 64
"""The longest name of a function that every provider takes."""

_ENDING = 5
_RESERVED = frozenset({"from", "class", "return", "false", "true", "id", "and"})
_FOREIGN = re.compile(r"[^\u4e00-\u9fa5^a-zA-Z0-9_]")
_NOT_ASCII_WORD = re.compile(r"[^a-zA-Z0-9_]")
_NOT_ALPHANUMERIC = re.compile(r"[^a-zA-Z0-9]")
_NOT_IN_A_FUNCTION_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_CATEGORY_BREAKS = re.compile(r"[ ,/]")
_UNDERSCORES = re.compile(r"_+")


def standardise_category(category: str) -> str:
    """A category as it stands in paths: blanks, commas and slashes are `_`, and no two of those follow each other.

    >>> standardise_category("Video, Images")
    'Video_Images'
    """
    return _UNDERSCORES.sub("_", _CATEGORY_BREAKS.sub("_", category))


def standardise(text: str) -> str:
    """A tool's, API's or parameter's name as the ToolBench family spells it; empty when nothing of it is left.

    >>> standardise("7-Day Forecast!")
    'get_7_day_forecast'
    """
    spelled = _UNDERSCORES.sub("_", _FOREIGN.sub("_", text)).lower().strip("_")
    return f"get_{spelled}" if spelled[:1].isdigit() else spelled


def unreserved(name: str) -> str:
    """The name, with `is_` before it when it is one of seven words that programs keep for themselves."""
    return f"is_{name}" if name in _RESERVED else name


def plain_name(api: ApiId) -> str:
    """`<api>_for_<tool>`, standardised, its first 64 characters: readable, but two APIs may share it.

    >>> plain_name(ApiId("Data", "Random Word API", "Get Word"))
    'get_word_for_random_word_api'
    """
    return _readable(api)[:MAX_NAME].rstrip("_")


def canonical_name(api: ApiId, ending: int = _ENDING) -> str:
    """The one name by which an API is offered to a model: the plain one with an ending that no other API has.

    >>> canonical_name(ApiId("Data", "Random Word API", "Get Word"))
    'get_word_for_random_word_api_5evb6'
    """
    room = MAX_NAME - ending - 1
    return f"{_readable(api)[:room].rstrip('_')}_{_digest(api)[:ending]}"


def canonical_names(apis: Iterable[ApiId]) -> dict[ApiId, str]:
    """The canonical name of each API, all different.

    Should two have the same hash at their end (once in some ten thousand catalogues), theirs become longer.
    """
    names: dict[ApiId, str] = {}
    owed = list(dict.fromkeys(apis))
    ending = _ENDING
    while owed:
        by_name: dict[str, list[ApiId]] = defaultdict(list)
        for api in owed:
            by_name[canonical_name(api, ending)].append(api)
        names.update((sharing[0], name) for name, sharing in by_name.items() if len(sharing) == 1)
        owed = [api for sharing in by_name.values() if len(sharing) > 1 for api in sharing]
        ending += _ENDING
    return names


def offered_names(apis: Iterable[ApiId]) -> dict[ApiId, str]:
    """Names for a list of APIs that is offered as a whole: plain where no other in it has the same, else canonical.

    These are the names of recorded ToolBench conversations, wherever those were not ambiguous themselves.
    """
    names = canonical_names(apis)
    by_plain: dict[str, list[ApiId]] = defaultdict(list)
    for api in names:
        by_plain[plain_name(api)].append(api)
    taken = set(names.values())
    return {
        api: plain if len(by_plain[plain]) == 1 and plain not in taken else name
        for api, name in names.items()
        for plain in (plain_name(api),)
    }


def spellings(api: ApiId) -> Iterator[str]:
    """Every spelling under which harnesses are known to offer an API, beside the canonical name."""
    for name in standard_spellings(api.api):
        for tool in standard_spellings(api.tool):
            yield from _cut(f"{name}_for_{tool}")
    yield plain_name(api)
    for tool, name in _with_stripped(api.tool, api.api):
        for joint in "_./":
            yield f"{tool}{joint}{name}"
        yield f"{name}_for_{tool}"
    for joined in (f"{api.tool}_{api.api}", f"{api.api}_for_{api.tool}"):
        yield from _cut(_NOT_ALPHANUMERIC.sub("_", joined))
        yield from _cut(_NOT_IN_A_FUNCTION_NAME.sub("_", joined))
    yield from _cut(f"{standardise(api.tool)}_{standardise(api.api)}")
    yield str(api)


def standard_spellings(text: str) -> tuple[str, ...]:
    """The standardised spellings of a name, today's first: older data lack the prefix `get_`, some the prefix `is_`."""
    today = standardise(text)
    older = today[4:] if today[:5].removeprefix("get_")[:1].isdigit() else today
    return tuple(dict.fromkeys((unreserved(today), today, unreserved(older), older)))


def _readable(api: ApiId) -> str:
    name, tool = (_ascii_standardise(text) for text in (api.api, api.tool))
    return f"{unreserved(name) or 'api'}_for_{tool or 'tool'}"


def _ascii_standardise(text: str) -> str:
    return standardise(_NOT_ASCII_WORD.sub("_", text))


def _digest(api: ApiId) -> str:
    """The hash of an API's identity in 32 letters and digits that are not mistaken for each other."""
    identity = canonical_json([api.category, api.tool, api.api])
    return base64.b32encode(hashlib.sha256(identity).digest()).decode().rstrip("=").lower()


def _cut(name: str) -> tuple[str, str, str]:
    return name, name[:MAX_NAME], name[-MAX_NAME:]


def _with_stripped(tool: str, api: str) -> set[tuple[str, str]]:
    return {(tool, api), (tool.strip(), api.strip())}


PARAMETER_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""The names of parameters that every provider takes as they are."""


def shown_parameters(documented: Iterable[str]) -> dict[str, str]:
    """The name under which each documented parameter is shown to a model, all different.

    It is the documented one wherever providers take that; else its foreign characters are `_`, and it is numbered if
    another parameter has that name. A name without any text cannot be called and is left out.

    >>> shown_parameters(["userId", "array[]", "array()"])
    {'userId': 'userId', 'array[]': 'array', 'array()': 'array_2'}
    """
    names = [name for name in dict.fromkeys(documented) if name.strip()]
    shown = {name: name for name in names if PARAMETER_NAME.fullmatch(name)}
    taken = set(shown.values())
    for name in names:
        if name not in shown:
            shown[name] = _free(_sanitised_parameter(name), taken.__contains__)
            taken.add(shown[name])
    return {name: shown[name] for name in names}


def _sanitised_parameter(name: str) -> str:
    spelled = _UNDERSCORES.sub("_", _NOT_ASCII_WORD.sub("_", name)).strip("_")
    return spelled[:MAX_NAME].rstrip("_") or "parameter"


def _free(name: str, taken: Callable[[str], bool]) -> str:
    """The name, or the first of `name_2`, `name_3` … that is not taken."""
    free, number = name, 1
    while taken(free):
        number += 1
        free = f"{name[: MAX_NAME - len(str(number)) - 1]}_{number}"
    return free
