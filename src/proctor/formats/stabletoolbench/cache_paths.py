"""Where cache files lie: from a path to the API that it is about, and back.

StableToolBench has `<category>/<tool>_for_<category>/<api>.json` with standardised names; the plain layout has
`<category>/<tool>/<api>.json` with names as they are.
"""

from __future__ import annotations

import enum
import hashlib
import re
from pathlib import PurePosixPath

from proctor.catalog.names import standard_spellings, standardise_category
from proctor.catalog.recorded import standard_id
from proctor.records.keys import canonical_json
from proctor.records.queries import ApiId

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]|[\ud800-\udfff]|^\.|[. ]$')
"""What no part of a path may hold on one system or another, and what would hide a file or leave the folder."""
_LONGEST = 200
"""So many bytes of a name are kept; file systems take 255."""


class Layout(enum.Enum):
    """How cache files are laid out below their folder."""

    STABLETOOLBENCH = "stabletoolbench"
    """`<category>/<tool>_for_<category>/<api>.json`, names standardised."""
    PLAIN = "plain"
    """`<category>/<tool>/<api>.json`, names as they are."""


def api_at(category: str, folder: str, stem: str) -> ApiId:
    """The API that a path is about, under the names of the path."""
    return ApiId(category, folder.removesuffix(f"_for_{category}") or folder, stem)


def path_of(api: ApiId, layout: Layout) -> PurePosixPath:
    """Where the file of an API lies. No name can lead out of the folder, and none is longer than systems take."""
    if layout is Layout.PLAIN:
        category, tool, name = (_part(text) for text in (api.category, api.tool, api.api))
    else:
        standard = standard_id(api)
        category = _part(standardise_category(api.category))
        tool = f"{_part(_as_recorded(api.tool, standard.tool))}_for_{category}"
        name = _part(_as_recorded(api.api, standard.api))
    return PurePosixPath(category, _short(tool), f"{name}.json")


def path_beside(path: PurePosixPath, api: ApiId) -> PurePosixPath:
    """The path for an API whose own is taken by another that cannot share it."""
    return path.with_name(f"{path.stem}_{_digest(canonical_json([api.category, api.tool, api.api]))}.json")


def _as_recorded(name: str, standard: str) -> str:
    """The standardised name; one that older files spell without `get_` stays as it is."""
    return name if name[:1].isdigit() and name in standard_spellings(name) else standard


def _part(name: str) -> str:
    """A name as one part of a path; where that changes it, it ends in a hash, so that no two come out alike."""
    safe = _UNSAFE.sub("_", name)
    return _short(safe if safe == name and name else f"{safe}_{_digest(name.encode('utf-8', 'surrogatepass'))}")


def _short(name: str) -> str:
    text = name.encode()
    if len(text) <= _LONGEST:
        return name
    return f"{text[:_LONGEST].decode('utf-8', 'ignore')}_{_digest(text)}"


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:8]
