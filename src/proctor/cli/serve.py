"""`proctor serve`: the virtual APIs over HTTP, or to one MCP client, until somebody stops it."""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Any

import click

from proctor.catalog.index import Catalog
from proctor.catalog.loader import load_catalog
from proctor.config import Benchmark
from proctor.errors import OptionError
from proctor.gateway.canned import FunctionSource
from proctor.gateway.faults import FAULTS
from proctor.gateway.gateway import Gateway, GatewayOptions
from proctor.gateway.policy import DEFAULT, POLICIES
from proctor.gateway.source import AnswerSource
from proctor.server import stdio
from proctor.server.http import MAX_BODY, Application
from proctor.server.listening import run
from proctor.server.lookup import ToolDoor
from proctor.server.mcp import McpTools
from proctor.wiring.benchmarks import open_benchmark
from proctor.wiring.gateways import MirrorForm, faults_of, index_beside, live_of, opened_store, simulators_of


@click.command()
@click.option("--tools", metavar="DIR", help="The tools: a folder of tool files, or one file.")
@click.option("--starter", is_flag=True, help="The starter's tools, whose APIs are functions that really answer.")
@click.option(
    "--index",
    metavar="FILE",
    help="Keep an index of the tools in this file, and another beside it for search: a later start is fast.  "
    "[default: beside the file that is --cache]",
)
@click.option("--cache", metavar="STORE", help="The recorded answers; new ones are stored there.")
@click.option(
    "--policy", type=click.Choice(sorted(POLICIES)), default=DEFAULT.name, show_default=True, help="Who answers a call."
)
@click.option(
    "--simulator",
    metavar="KIND",
    help="Who plays the APIs: template, model:NAME for any model, or mirror:NAME for a MirrorAPI.",
)
@click.option("--model-url", metavar="URL", help="Where the simulator's model is; needed for one of your own.")
@click.option("--simulator-thought", is_flag=True, help="The MirrorAPI is one that reasons first.")
@click.option("--simulator-system", metavar="FILE", help="The instructions that the MirrorAPI was trained on.")
@click.option(
    "--live",
    metavar="KIND",
    help="Who the live API is: rapidapi (its key in RAPIDAPI_KEY), or the URL of a ToolBench backend (TOOLBENCH_KEY).",
)
@click.option("--faults", type=click.FloatRange(0, 1), metavar="SHARE", help="Spoil this share of the answers.")
@click.option(
    "--fault", "kinds", type=click.Choice(list(FAULTS)), multiple=True, help="How to spoil them; may be given again."
)
@click.option(
    "--faults-by",
    type=click.Choice(["call", "tool"]),
    default="call",
    show_default=True,
    help="A share of the calls, or of the tools.",
)
@click.option("--seed", default=0, show_default=True, help="Which answers are spoilt.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 takes a free one.")
@click.option(
    "--token",
    envvar="PROCTOR_TOKEN",
    metavar="TEXT",
    help="What clients have to know; better set in the environment, as PROCTOR_TOKEN.",
)
@click.option(
    "--max-body", type=click.IntRange(min=1000), default=MAX_BODY, show_default=True, help="Bytes of a request."
)
@click.option("--stdio", is_flag=True, help="Serve one MCP client over standard input and output, and no HTTP.")
def command(**options: Any) -> None:
    """Serve the virtual APIs over HTTP, or to an MCP client.

    POST /virtual answers calls in StableToolBench's protocol, /mcp those of MCP clients; /tools lists and searches,
    /health and /metrics are for machines. An address that other machines reach needs a token.
    """
    if not options["stdio"]:
        refuse_open_door(options["host"], options["token"])
    elif options["tools"] is None and not options["starter"]:
        raise OptionError("--stdio offers tools by their names; name --tools DIR, or --starter.")
    if options["tools"] is not None:
        options["index"] = index_beside(options["index"], options["cache"])
    catalog, functions = _tools(options)
    with opened_store(options["cache"], read_only=options["policy"] == "frozen") as store:
        if catalog is None and store is None:
            raise OptionError("there is nothing to serve; name --tools DIR, --cache STORE or both, or --starter.")
        mirror = MirrorForm(options["simulator_thought"], options["simulator_system"])
        simulators = functions + simulators_of(options["simulator"], options["model_url"], store, mirror=mirror)
        faults = faults_of(options["faults"], options["kinds"], options["seed"], options["faults_by"])
        known = GatewayOptions(faults=faults)
        live = live_of(options["live"])
        gateway = Gateway(
            catalog, store=store, policy=options["policy"], simulators=simulators, live=live, options=known
        )
        _report(catalog, err=options["stdio"])
        _serve(gateway, options)


def _tools(options: dict[str, Any]) -> tuple[Catalog | None, list[AnswerSource]]:
    """The tools that are named, and the functions that play them where they are the starter's."""
    where = options["tools"]
    if not options["starter"]:
        return None if where is None else load_catalog(where, index=options["index"]), []
    if where is not None:
        raise OptionError("--starter serves tools of its own; leave --tools out, or serve them by another process.")
    opened = open_benchmark(Benchmark("starter", index=options["index"]))
    return opened.catalog, [FunctionSource(opened.functions, name="starter")]


def _serve(gateway: Gateway, options: dict[str, Any]) -> None:
    index = f"{options['index']}.search" if options["index"] else None
    if options["stdio"]:
        tools = McpTools(gateway, ToolDoor(gateway.catalog, index))
        asyncio.run(_to_one_client(gateway, tools, options["max_body"]))
    else:
        application = Application(gateway, token=options["token"], max_body=options["max_body"], index=index)
        run(application, options["host"], options["port"], lambda url: click.echo(f"listening on {url}"))


async def _to_one_client(gateway: Gateway, tools: McpTools, max_line: int) -> None:
    try:
        await stdio.serve(tools, max_line=max_line)
    finally:
        await gateway.aclose()


def refuse_open_door(host: str, token: str | None) -> None:
    """OptionError for an address that other machines reach, without a token; a blank one is none."""
    if token is not None and not token.strip():
        raise OptionError("the token is blank; set one that nobody guesses, or leave PROCTOR_TOKEN out.")
    try:
        alone = ipaddress.ip_address(host).is_loopback
    except ValueError:
        alone = host == "localhost"
    if not alone and not token:
        raise OptionError(f"--host {host} can be reached by other machines; set a token in PROCTOR_TOKEN.")


def _report(catalog: Catalog | None, *, err: bool) -> None:
    if catalog is not None:
        report = catalog.report
        click.echo(f"{report.apis} APIs of {report.tools} tools", err=err)
        if report.broken:
            click.echo(f"proctor: {len(report.broken)} documents could not be read: proctor tools check.", err=True)
