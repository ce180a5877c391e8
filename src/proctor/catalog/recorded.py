"""Under which keys the answer to a call may be recorded.

Recordings name APIs as their harness spelled them: standardised, and their parameters with them. An imported entry has
its documented identity where the catalogue was at hand, else the names of its file's path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proctor.catalog.names import standard_spellings, standardise, standardise_category, unreserved
from proctor.records.keys import call_key
from proctor.records.queries import ApiId


def standard_id(api: ApiId) -> ApiId:
    """The API under the names by which the ToolBench family keeps its files.

    >>> standard_id(ApiId("Video, Images", "7-Day Sky!", "from"))
    ApiId(category='Video_Images', tool='get_7_day_sky', api='is_from')
    """
    return ApiId(standardise_category(api.category), standardise(api.tool), unreserved(standardise(api.api)))


def recorded_ids(api: ApiId) -> Iterator[ApiId]:
    """The names under which recordings may have an API: as documented, standardised, and as older files spell it."""
    yield from dict.fromkeys((api, standard_id(api), *_older_ids(api)))


def answer_keys(api: ApiId, arguments: dict[str, Any]) -> Iterator[str]:
    """The keys under which a call's answer may be stored, the most likely first.

    The first is the identity of the call, under which new answers are stored. It comes alone as long as nobody asks for
    more: what is behind it costs nothing where the first one is found.
    """
    yield call_key(api.category, api.tool, api.api, arguments)
    standardised = standard_arguments(arguments)
    for one in recorded_ids(api):
        if one != api:
            yield call_key(one.category, one.tool, one.api, arguments)
        if standardised != arguments:
            yield call_key(one.category, one.tool, one.api, standardised)


def standard_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments under standardised names; as they are, where two of them would come out alike or one without a name.

    >>> standard_arguments({"userId": 7, "from": "here"})
    {'userid': 7, 'is_from': 'here'}
    """
    standardised = {unreserved(standardise(name)): value for name, value in arguments.items()}
    return standardised if len(standardised) == len(arguments) and "" not in standardised else arguments


def _older_ids(api: ApiId) -> Iterator[ApiId]:
    category = standardise_category(api.category)
    for tool in standard_spellings(api.tool):
        for name in standard_spellings(api.api):
            yield ApiId(category, tool, name)
