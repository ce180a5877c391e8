"""A run as one HTML file that needs nothing else: records in, page out.

The page asks no other machine for anything, and its policy says so: scripts and styles are named by their hashes, and
what is not named does not run. All that agents, judges and APIs wrote is text, on the page and in its script.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from typing import TYPE_CHECKING, Any

from proctor.records.grades import Missing
from proctor.report import telling
from proctor.report.exhibit import Exhibit, Listing, Neighbour
from proctor.report.packed import packed
from proctor.report.plots import HALF, Plot, cost_plot, robustness_plot
from proctor.report.ruler import ruler
from proctor.report.shares import called_so_far, who_answered
from proctor.report.terminal import amount, money, percent
from proctor.report.trials import chunks, rows

if TYPE_CHECKING:
    import jinja2

__all__ = ["page", "shelf"]

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What would be dropped, would turn the text around it, or cannot be written to a file."""

_JOINT = re.compile(r"(?<=[_\-/.:])(?=[^_\-/.:])")
_BROAD, _NARROW = 960.0, 340.0
"""How wide a drawing is that takes the whole column, and how wide on a phone."""


def page(exhibit: Exhibit) -> str:
    """The page of a run, as one HTML document."""
    runs = [exhibit.run.record] + ([exhibit.other.record] if exhibit.other is not None else [])
    neighbours = sorted(exhibit.neighbours, key=_by_score)
    return _rendered(
        "page.html",
        scripts=("live.js", "page.js"),
        live=exhibit.live is not None,
        exhibit=exhibit,
        run=exhibit.run.summary,
        neighbours=neighbours,
        rulers=[drawn for width in (_BROAD, _NARROW) if (drawn := ruler(exhibit, width)) is not None],
        **_plots(neighbours),
        selected=called_so_far(exhibit.run.record.trials),
        answered=who_answered(exhibit.run.record.trials, exhibit.run.summary.calls.sources),
        rows=packed(rows(runs)),
        chunks=[packed(chunk) for chunk in chunks(runs)],
    )


def _plots(neighbours: list[Neighbour]) -> dict[str, list[Plot]]:
    """Each plot there is: a single one broad, and once more as phones have room; two side by side."""
    makers = {"cost": cost_plot, "robustness": robustness_plot}
    there = [name for name, make in makers.items() if make(neighbours, HALF) is not None]
    widths = [HALF] if len(there) == 2 else [_BROAD, _NARROW]
    return {name: [plot for width in widths if (plot := make(neighbours, width))] for name, make in makers.items()}


def shelf(title: str, runs: list[Listing], live: str) -> str:
    """The list of the runs in a folder, as an HTML document."""
    return _rendered("shelf.html", scripts=("live.js",), live=True, title=title, runs=runs, stamp=live)


def _by_score(run: Neighbour) -> tuple[float, str]:
    return (1.0 if isinstance(run.sopr, Missing) else -run.sopr.value, run.name)


def _rendered(template: str, *, scripts: tuple[str, ...], live: bool, **more: Any) -> str:
    environment = _environment()
    css, js = _asset("page.css"), "".join(map(_asset, scripts))
    return environment.get_template(template).render(css=css, js=js, policy=_policy(css, js, live=live), **more)


def _policy(css: str, js: str, *, live: bool) -> str:
    """What the page may do: run this script, use these styles, and nothing else."""
    parts = [
        "default-src 'none'",
        f"script-src '{_hash(js)}'",
        f"style-src '{_hash(css)}'",
        "img-src data:",
        *(["connect-src 'self'"] if live else []),
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    return "; ".join(parts)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@functools.cache
def _asset(name: str) -> str:
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]


@functools.cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("proctor.report", "assets"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        {
            "amount": amount,
            "ends": telling.ends,
            "money": money,
            "noted": telling.noted,
            "percent": percent,
            "seen": _seen,
            "sentence": telling.sentence,
            "signed": telling.signed,
            "signed_ends": telling.signed_ends,
        }
    )
    environment.globals.update({"telling": telling, "pieces": _pieces, "joints": _JOINT.split})
    environment.tests["missing"] = lambda value: isinstance(value, Missing)
    return environment


def _seen(text: object) -> str:
    """Text from outside where no markup can stand: in attributes and in drawings."""
    return "".join(part for _, part in _pieces(text))


def _pieces(text: object) -> list[tuple[bool, str]]:
    """Text from outside in pieces: what can be seen as it is, and what cannot as an escape, told apart by the flag."""
    parts, last, said = [], 0, str(text)
    for found in _UNSEEN.finditer(said):
        parts += [(False, said[last : found.start()]), (True, f"\\u{ord(found[0]):04x}")]
        last = found.end()
    return [part for part in [*parts, (False, said[last:])] if part[1]]
