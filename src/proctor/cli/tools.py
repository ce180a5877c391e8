"""`proctor tools`: which tools there are, what they say of themselves, and which a task needs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from proctor.catalog.index import Catalog
from proctor.catalog.loader import load_catalog
from proctor.catalog.names import plain_name
from proctor.catalog.schemas import FORMS
from proctor.catalog.search import Hit, ToolSearch
from proctor.cli import finishing
from proctor.cli.group import ERROR
from proctor.errors import OptionError, close_to
from proctor.records.queries import ApiId, ApiSpec, Parameter
from proctor.report.tables import WIDTH
from proctor.wiring.shipped import TOOLS, shipped

_index = click.option(
    "--index",
    metavar="FILE",
    help="Keep an index in this file, and another beside it for search: a later start is fast.",
)
_category = click.option("--category", metavar="NAME", help="Only tools of this category.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_folder = click.argument("tools", metavar="DIR", shell_complete=finishing.tools)
_SUMMARY = 160


@click.group()
def command() -> None:
    """List, show, check and search the tools that there are.

    DIR is a folder of tool files, or one file: a tool's, queries, an OpenAPI 3 document, or the tools of an MCP server;
    `starter` are the tools that come with Proctor.
    NAME is an API in any spelling: its function's name, or category/tool/API.
    """


@command.command()
@click.argument("query")
@click.option(
    "--tools", metavar="DIR", shell_complete=finishing.tools, help="Where the tools are, or starter; it is needed."
)
@click.option("-k", "number", type=click.IntRange(min=1), default=5, show_default=True, help="How many APIs to find.")
@_category
@_index
@_json
def search(query: str, tools: str | None, number: int, category: str | None, index: str | None, as_json: bool) -> None:
    """Find the APIs that a task needs."""
    if tools is None:
        raise OptionError("say whose APIs are searched: --tools DIR, or --tools starter for Proctor's own.")
    catalog = _loaded(tools, index)
    searching = ToolSearch(catalog, index=None if index is None else f"{index}.search")
    if searching.note:
        click.echo(f"proctor: {searching.note}", err=True)
    hits = searching.search(query, number, category=category)
    if as_json:
        _print_json([_found(hit, catalog) for hit in hits])
    elif hits:
        for hit in hits:
            click.echo(f"{hit.score:8.2f}  {hit.api}")
            for line in textwrap.wrap(_summary(hit.description), WIDTH - 10):
                click.echo(f"{'':10}{line}")
    else:
        click.echo("no API has a word of it.", err=True)


@command.command("list")
@_folder
@_category
@click.option("--tool", metavar="NAME", help="Only this tool.")
@_index
@_json
def list_tools(tools: str, category: str | None, tool: str | None, index: str | None, as_json: bool) -> None:
    """List the APIs, a line each."""
    catalog = _loaded(tools, index)
    chosen = catalog if category is None and tool is None else catalog.filtered(category=category, tool=tool)
    if as_json:
        _print_json([_identity(api.id, catalog) for api in chosen])
    else:
        for api in chosen:
            click.echo(str(api.id))


@command.command()
@_folder
@click.argument("name")
@_index
@_json
def show(tools: str, name: str, index: str | None, as_json: bool) -> None:
    """Show what is documented of an API."""
    catalog = _loaded(tools, index)
    api = catalog[_meant(catalog, name)]
    if as_json:
        tool = catalog.tool_of(api.id)
        _print_json({**_identity(api.id, catalog), "tool_description": tool.description, "documentation": api})
    else:
        click.echo("\n".join(_documentation(api, catalog)))


@command.command()
@_folder
@click.argument("name")
@click.option("--form", type=click.Choice(sorted(FORMS)), default="openai", show_default=True, help="Whose form.")
@_index
@click.option("--json", is_flag=True, expose_value=False, help="Print JSON, which a schema always is.")
def schema(tools: str, name: str, form: str, index: str | None) -> None:
    """Print the function schema of an API, as a model is shown it."""
    catalog = _loaded(tools, index)
    _print_json(catalog.schema(_meant(catalog, name), form))


@command.command()
@_folder
@_json
@click.pass_context
def check(ctx: click.Context, tools: str, as_json: bool) -> None:
    """Name the files that cannot be read, and why; exit with 1 if there are any."""
    report = load_catalog(shipped(tools, TOOLS)).report
    if as_json:
        _print_json(msgspec.to_builtins(report))
    else:
        for broken in report.broken:
            click.echo(str(broken))
        click.echo(
            f"{report.apis} APIs of {report.tools} tools in {report.files} files; {_problems(len(report.broken))}."
        )
    ctx.exit(ERROR if report.broken else 0)


def _problems(number: int) -> str:
    return {0: "all could be read", 1: "1 problem"}.get(number, f"{number} problems")


def _loaded(tools: str, index: str | None) -> Catalog:
    """The catalogue; what could not be read is said on standard error, in one line."""
    catalog = load_catalog(shipped(tools, TOOLS), index=index)
    if number := len(catalog.report.broken):
        click.echo(
            f"proctor: {_problems(number)} with files below {tools}: `proctor tools check` names them.", err=True
        )
    if catalog.report.note:
        click.echo(f"proctor: {catalog.report.note}", err=True)
    return catalog


def _meant(catalog: Catalog, name: str) -> ApiId:
    match = catalog.resolver.resolve(name)
    if match.api is not None:
        return match.api
    if match.candidates:
        raise OptionError(f"{name!r} may be {', '.join(map(str, match.candidates))}; name one of them in full.")
    known = {spelling: api.id for api in catalog for spelling in (plain_name(api.id), str(api.id))}
    close = close_to(name, known)
    hint = f"did you mean {close!r}?" if close else "`proctor tools list` and `proctor tools search` know the names."
    raise OptionError(f"there is no API {name!r}; {hint}")


def _identity(api: ApiId, catalog: Catalog) -> dict[str, Any]:
    return {"name": catalog.names[api], "category": api.category, "tool": api.tool, "api": api.api}


def _found(hit: Hit, catalog: Catalog) -> dict[str, Any]:
    return {**_identity(hit.api, catalog), "score": hit.score, "description": hit.description}


def _documentation(api: ApiSpec, catalog: Catalog) -> Iterator[str]:
    yield str(api.id)
    yield f"  function   {catalog.names[api.id]}"
    yield f"  request    {api.method} {api.url or ''}".rstrip()
    yield from _paragraph("tool", catalog.tool_of(api.id).description)
    yield from _paragraph("API", api.description)
    needed = {parameter.name for parameter in api.required}
    for parameter in api.parameters:
        yield from _paragraph("required" if parameter.name in needed else "optional", _parameter(parameter))
    if api.template_response is not None:
        yield from _paragraph("answers", _summary(msgspec.json.encode(api.template_response).decode(), 500))


def _parameter(parameter: Parameter) -> str:
    default = "" if parameter.default in (None, "") else f" (default {parameter.default!r})"
    said = f": {_summary(parameter.description)}" if parameter.description.strip() else ""
    return f"{parameter.name} {parameter.type}{default}{said}"


def _paragraph(title: str, text: str) -> list[str]:
    lines = textwrap.wrap(" ".join(text.split()), WIDTH - 13, break_on_hyphens=False)
    return [f"  {title if number == 0 else '':<11}{line}" for number, line in enumerate(lines)]


def _summary(text: str, limit: int = _SUMMARY) -> str:
    return textwrap.shorten(text, limit, placeholder="…")


def _print_json(value: Any) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())
