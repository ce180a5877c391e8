"""`proctor cache`: recorded answers in, out, counted, checked and frozen."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from proctor.cli import finishing
from proctor.errors import FileError, StorageError
from proctor.formats.stabletoolbench.cache import Exported, Imported, export_cache, import_cache
from proctor.formats.stabletoolbench.cache_paths import Layout
from proctor.records.grades import Missing
from proctor.report.tables import table
from proctor.store.responses import ResponseStore, StoreStats, open_responses
from proctor.store.verifying import Verification, verify

if TYPE_CHECKING:
    from proctor.runs.fidelity import Fidelity

_SHOWN = 20
"""So many of a list are named; the rest is counted."""

_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
_STORE = click.argument("store", metavar="STORE", shell_complete=finishing.files)


@click.group()
def command() -> None:
    """Keep recorded answers: import, export, verify, freeze, compare.

    STORE is a file (made by import where there is none) or an address such as postgresql://user@host/database.
    """


@command.command("import")
@click.argument("folder", metavar="DIR", shell_complete=finishing.files)
@_STORE
@click.option("--tools", metavar="DIR", help="Take the documented names of APIs and parameters from these tools.")
@_AS_JSON
def import_(folder: str, store: str, tools: str | None, as_json: bool) -> None:
    """Import cache files into a store.

    DIR holds <category>/<tool>_for_<category>/<api>.json, as StableToolBench has it, or <category>/<tool>/<api>.json.
    What is in the store already stays as it is.
    """
    catalog = None
    if tools is not None:
        from proctor.catalog.loader import load_catalog

        catalog = load_catalog(tools)
    with _opened(store) as opened:
        imported = import_cache(folder, opened, catalog)
    click.echo(_json(imported) if as_json else "\n".join(_imported(imported)))


@command.command()
@_STORE
@click.argument("folder", metavar="DIR", shell_complete=finishing.files)
@click.option(
    "--layout",
    type=click.Choice([layout.value for layout in Layout]),
    default=Layout.STABLETOOLBENCH.value,
    show_default=True,
    help="Standardised names in folders <tool>_for_<category>, or plain names in folders <tool>.",
)
@_AS_JSON
def export(store: str, folder: str, layout: str, as_json: bool) -> None:
    """Export a store as cache files into a new folder."""
    with _opened(store, read_only=True) as opened:
        exported = export_cache(opened, folder, Layout(layout))
    click.echo(_json(exported) if as_json else "\n".join(_exported(exported, folder)))


@command.command()
@_STORE
@_AS_JSON
def stats(store: str, as_json: bool) -> None:
    """Say how much a store holds, and what of it is suspicious."""
    with _opened(store, read_only=True) as opened:
        figures = opened.stats()
    click.echo(_json(figures) if as_json else "\n".join(_stats(figures)))


@command.command("verify")
@_STORE
@_AS_JSON
def verify_(store: str, as_json: bool) -> None:
    """Look through a whole store: the database, each entry, each key.

    Exits with 1 where anything is broken.
    """
    with _opened(store, read_only=True) as opened:
        found = verify(opened)
    click.echo(_json(found) if as_json else "\n".join(_verified(found)))
    if not found.sound:
        raise StorageError(f"{store}: {_many(len(found.damage), 'thing')} broken; restore the store from a copy.")


@command.command()
@_STORE
@_AS_JSON
def freeze(store: str, as_json: bool) -> None:
    """Refuse every later write to a store, for good, and say its content id."""
    with _opened(store) as opened:
        if not opened.count():
            raise FileError("there is no answer here to freeze; check the path.", path=store)
        content = opened.freeze()
    click.echo(_json({"content_id": content}) if as_json else f"frozen as {content}")


@command.command(context_settings={"show_default": True})
@_STORE
@click.option("--tools", metavar="DIR", required=True, help="The tools whose answers are recorded.")
@click.option(
    "--simulator",
    "kind",
    metavar="KIND",
    required=True,
    help="Who plays the APIs: template, model:NAME for any model, or mirror:NAME for a MirrorAPI.",
)
@click.option("--model-url", metavar="URL", help="Where the simulator's model is; needed for one of your own.")
@click.option("--limit", type=click.IntRange(min=0), default=200, help="Ask for so many of the answers; 0 for all.")
@click.option("--seed", default=0, help="Which of the answers are asked for.")
@click.option("--concurrency", type=click.IntRange(min=1), default=8, help="How many are asked for at once.")
@_AS_JSON
def fidelity(store: str, tools: str, as_json: bool, **more: Any) -> None:
    """Compare a simulator with the recorded answers of the real APIs.

    It is asked for what was recorded. Measured is how often it answers, whether both or neither say an error, which
    fields and types both have, and how like the texts are (BLEU, and 1 less the share of characters to change).
    """
    from proctor.catalog.loader import load_catalog
    from proctor.runs.fidelity import FidelityOptions, measure_fidelity
    from proctor.runs.progress import progress
    from proctor.wiring.gateways import simulators_of

    catalog = load_catalog(tools)
    options = FidelityOptions(limit=more["limit"] or None, seed=more["seed"], concurrency=more["concurrency"])
    with _opened(store, read_only=True) as opened, progress("asking", total=options.limit) as advance:
        (source,) = simulators_of(more["kind"], more["model_url"], opened)

        async def measured() -> Fidelity:
            try:
                return await measure_fidelity(opened, catalog, source, options, advance)
            finally:
                await source.aclose()

        found = asyncio.run(measured())
    click.echo(_json(found) if as_json else "\n".join(_compared(found)))


@contextlib.contextmanager
def _opened(where: str, *, read_only: bool = False) -> Iterator[ResponseStore]:
    store = open_responses(where, read_only=read_only)
    try:
        yield store
    finally:
        store.close()


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value)).decode()


def _imported(report: Imported) -> Iterator[str]:
    read = f"{_many(report.entries, 'entry')} in {_many(report.files, 'file')}"
    replaced = f", {report.replaced} in the place of suspicious ones" if report.replaced else ""
    yield f"{read}: {report.stored} new{replaced}, {report.known} known"
    yield from _marks(report.marks)
    if report.undocumented:
        yield f"the tools lack the APIs of {_many(report.undocumented, 'file')}, which keep the names of their path"
    yield from _named("left out, because the store has another answer, which stands", report.kept_out)
    yield from _named("could not be read", [str(one) for one in report.broken])


def _exported(report: Exported, folder: str) -> Iterator[str]:
    yield f"{_many(report.entries, 'entry')} in {_many(report.files, 'file')} written to {folder}"
    yield from _named("files beside those of their name, where another API answers differently", report.beside)


def _stats(figures: StoreStats) -> Iterator[str]:
    rows = [("entries", str(figures.entries)), ("APIs", str(figures.apis)), ("superseded", str(figures.superseded))]
    rows += [(f"answered by: {name}", str(count)) for name, count in figures.sources.items()]
    rows += [(f"suspicious: {name}", str(count)) for name, count in figures.marks.items()]
    rows += [("MiB", f"{figures.bytes / 1024**2:.1f}"), ("frozen", "yes" if figures.frozen else "no")]
    yield from table(("of the store", ""), rows)
    if figures.frozen:
        yield f"content id {figures.frozen}"


def _compared(found: Fidelity) -> Iterator[str]:
    yield f"{found.simulator}: {_many(found.compared, 'answer')} of {_many(found.apis, 'API')} compared"
    yield ""
    rows = []
    for name, figure in found.figures.items():
        missing = str(sum(found.unmeasured[name].values()))
        if isinstance(figure, Missing):
            rows.append((name, "-", "", "0", missing))
        else:
            interval = "none" if figure.low is None else f"{figure.low:.3f} to {figure.high:.3f}"
            rows.append((name, f"{figure.value:.3f}", interval, str(figure.n), missing))
    yield from table(("measure", "mean", "95 % interval", "n", "unmeasured"), rows)
    for name, reasons in found.unmeasured.items():
        yield from _counted(f"unmeasured: {name}", reasons)
    yield from _counted("left out of the recorded answers", found.left_out)


def _counted(what: str, reasons: dict[str, int]) -> Iterator[str]:
    if reasons:
        ordered = sorted(reasons.items(), key=lambda item: -item[1])
        yield ""
        yield f"{what}: {sum(reasons.values())}"
        yield from _some([f"{count}  {reason}" for reason, count in ordered])


def _verified(found: Verification) -> Iterator[str]:
    if found.sound:
        yield f"{_many(found.entries, 'entry')}, all sound"
    if found.content_id:
        yield f"content id {found.content_id}{' (frozen)' if found.frozen == found.content_id else ''}"
    yield from _some(found.damage)


def _marks(marks: dict[str, int]) -> Iterator[str]:
    if marks:
        yield "suspicious among the new: " + ", ".join(f"{count} {name}" for name, count in sorted(marks.items()))


def _named(what: str, names: list[str]) -> Iterator[str]:
    if names:
        yield f"{what} ({len(names)}):"
        yield from _some(names)


def _some(names: list[str] | tuple[str, ...]) -> Iterator[str]:
    yield from (f"  {name}" for name in names[:_SHOWN])
    if len(names) > _SHOWN:
        yield f"  … and {len(names) - _SHOWN} more (--json has all)"


def _many(count: int, what: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count} {what if count == 1 else plural}"
