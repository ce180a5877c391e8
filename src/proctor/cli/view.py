"""`proctor view`: the runs of a folder in a browser, until somebody stops it."""

from __future__ import annotations

import click

from proctor.cli.serve import refuse_open_door
from proctor.server.viewing import serve
from proctor.wiring.shelves import Shelf


@click.command()
@click.argument("results", metavar="[DIR]", default="results")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8081, show_default=True, help="0 takes a free one.")
@click.option(
    "--token",
    envvar="PROCTOR_TOKEN",
    metavar="TEXT",
    help="What a browser has to give as the password; better set in the environment, as PROCTOR_TOKEN.",
)
def command(results: str, host: str, port: int, token: str | None) -> None:
    """Look at the runs of a folder in a browser.

    DIR is a folder of results; without it, results. A page is made anew when its run has grown, so that runs can be
    watched at work. An address that other machines reach needs a token.
    """
    refuse_open_door(host, token)
    shelf = Shelf(results)
    serve(shelf.reply, host, port, token or None, lambda url: click.echo(f"listening on {url}"))
