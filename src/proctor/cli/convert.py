"""`proctor convert`: recorded answers from one form to another, and what was lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from proctor.cli import finishing
from proctor.errors import FileError, OptionError, StorageError
from proctor.formats.stabletoolbench.converting import File, Form, Writing, files_of
from proctor.formats.stabletoolbench.query_folders import queries_by_id
from proctor.formats.stabletoolbench.recordings import find_recordings
from proctor.store.artifacts import write_whole

_SHOWN = 20
_TABLES = frozenset({".csv", ".tsv"})


class Wish(msgspec.Struct, frozen=True):
    """What the command was asked for."""

    sources: tuple[str, ...]
    to: str
    output: str | None
    table: bool
    compat: str | None
    queries: str | None
    on_error: str
    json: bool


class Report(msgspec.Struct):
    """What came of it."""

    sources: int
    """Files that were read."""
    answers: int
    """Answers or comparisons that were written."""
    written: list[str]
    lost: dict[str, int]
    """What the new form does not say, each with how often."""
    skipped: list[str]
    """Files that could not be read."""


@click.command(context_settings={"show_default": True})
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=finishing.files)
@click.option(
    "--to",
    required=True,
    type=click.Choice([form.value for form in Form]),
    help="The form that is wanted.",
)
@click.option("--output", "-o", metavar="PATH", help="Write to this file, or below this folder as <model>/<set>.json.")
@click.option("--table", is_flag=True, help="Write pass rates and preferences as tables (CSV parted by tabs).")
@click.option(
    "--compat",
    type=click.Choice(["stabletoolbench"]),
    help="Write what StableToolBench writes, with nothing of Proctor's own beside.",
)
@click.option("--queries", metavar="PATH", help="Take the calls that are wanted from these queries (to samples).")
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    help="What to do about a file that cannot be read: stop, or skip and count it.",
)
@click.option("--json", is_flag=True, help="Print what was done as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **said: Any) -> None:
    """Convert recorded answers from one form to another.

    SOURCE is a file, or a folder with files, of StableToolBench: raw answers, converted answers, pass rates,
    preferences; or a result file, or samples. What a file is, it says itself. Preferences come of two models' pass
    rates, the reference first. Without --output, what is one file goes to standard output.

    What the new form does not say is told on standard error, each kind with its count.
    """
    ctx.exit(_convert(Wish(**said)))


def _convert(wish: Wish) -> int:
    skipped: list[str] = []

    def unreadable(error: FileError) -> None:
        if wish.on_error == "stop":
            raise error
        skipped.append(str(error))

    recordings = find_recordings(wish.sources, compat=wish.compat is not None, skip=unreadable)
    if not recordings:
        raise FileError(f"there is nothing here that can be read; the first: {skipped[0]}", path=wish.sources[0])
    files, lost = files_of(recordings, _writing(wish))
    written = _write(files, wish)
    report = Report(
        sources=sum(len(one.paths) for one in recordings),
        answers=sum(file.answers for file in files),
        written=written,
        lost=dict(sorted(Counter(lost).items(), key=lambda item: (-item[1], item[0]))),
        skipped=skipped,
    )
    for line in _losses(report):
        click.echo(line, err=True)
    if wish.json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    elif written:
        click.echo(f"{_many(report.answers, 'answer')} of {_many(report.sources, 'file')} written to {wish.output}")
    return 0


def _writing(wish: Wish) -> Writing:
    form = Form(wish.to)
    table = wish.table or (wish.output is not None and Path(wish.output).suffix.lower() in _TABLES)
    if table and form not in {Form.PASS_RATES, Form.PREFERENCES}:
        raise OptionError(f"--to {wish.to} is never a table; pass-rates and preferences can be.")
    if wish.json and wish.output is None:
        raise OptionError("--json prints what was done, so the files need a place of their own: --output PATH.")
    queries = {} if wish.queries is None else queries_by_id(wish.queries)
    return Writing(form, wish.compat is not None, table, queries)


def _write(files: list[File], wish: Wish) -> list[str]:
    """Write the files, and say where: one to the file of that name or to standard output, several below a folder."""
    single = wish.output is None or Path(wish.output).suffix.lower() in {".json", ".jsonl", *_TABLES}
    if single and len(files) != 1:
        where = "standard output" if wish.output is None else wish.output
        raise OptionError(f"{len(files)} files come of this, which {where} cannot hold; name a folder: --output DIR.")
    if wish.output is None:
        click.echo(files[0].data, nl=False)
        return []
    if single:
        write_whole(wish.output, files[0].data)
        return [wish.output]
    paths = [Path(wish.output) / file.name for file in files]
    for path, file in zip(paths, files, strict=True):
        _folder(path.parent)
        write_whole(path, file.data)
    return [str(path) for path in paths]


def _folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{path}: the folder cannot be made: {error.strerror}.") from None


def _losses(report: Report) -> Iterator[str]:
    for what, named in (("lost", report.lost), ("could not be read", dict.fromkeys(report.skipped, 1))):
        if named:
            yield f"{what} ({sum(named.values())}):"
            for sentence in list(named)[:_SHOWN]:
                yield f"  {named[sentence]} times: {sentence}" if what == "lost" else f"  {sentence}"
            if len(named) > _SHOWN:
                yield f"  … and {len(named) - _SHOWN} kinds more (--json has all)"


def _many(count: int, what: str) -> str:
    return f"{count} {what if count == 1 else what + 's'}"
