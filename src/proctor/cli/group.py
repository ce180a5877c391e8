"""The command `proctor`: its verbs, and what becomes of an error.

Exit codes: 0 when all went well, 1 for an error (a sentence on standard error and no traceback), 100 when a gate
failed, 101 when a comparison did not decide it, 102 when there was nothing to decide it by, 130 when somebody stopped
it. A defect of Proctor's own keeps its traceback.
"""

from __future__ import annotations

import errno
import functools
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from proctor.errors import ProctorError, close_to

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ERROR = 1
GATE_FAILED = 100
NOT_DECISIVE = 101
UNDECIDED = 102
STOPPED = 130

VERBS = {
    "cache": "Keep recorded answers: import, export, verify, freeze, compare.",
    "compare": "Compare two runs: which is better, and whether that is decided.",
    "completion": "Print what a shell needs to finish commands and options.",
    "convert": "Convert recorded answers from one form to another.",
    "grade": "Grade answers that are there already; the agent is not asked.",
    "judge": "Find out how far a judge can be trusted.",
    "list": "List the runs that there are, the latest first.",
    "metrics": "List the metrics, and what each needs.",
    "report": "Write a run as one HTML file, which needs nothing else.",
    "run": "Set the exam: an agent, a benchmark, a result.",
    "score": "Score recorded conversations by metrics.",
    "selftest": "Test the exam itself: what its graders falsely accept and reject.",
    "serve": "Serve the virtual APIs over HTTP, or to an MCP client.",
    "show": "Read a run in the terminal: its figures, its trials, its traces.",
    "tools": "List, show, check and search the tools that there are.",
    "view": "Look at the runs of a folder in a browser.",
}
"""Each verb with the first sentence of its help: it stands in `proctor.cli.<verb>`, as `command`."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class Verbs(click.Group):
    """A group whose verbs are imported when they are used, so that help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, sorted."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, imported now."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"proctor.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs with their first sentences, and none of them imported."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(VERBS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The verbs that begin so, for a shell; none is imported for it."""
        from click.shell_completion import CompletionItem

        verbs = [CompletionItem(verb, help=said) for verb, said in sorted(VERBS.items()) if verb.startswith(incomplete)]
        return verbs if not incomplete.startswith("-") else click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is meant; a misspelt one is an error that names the nearest."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            close = close_to(args[0], VERBS)
            known = f"did you mean {close!r}?" if close else f"commands are {', '.join(sorted(VERBS))}."
            ctx.fail(f"there is no command {args[0]!r}; {known}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, standalone_mode: bool = True, **more: Any) -> Any:
        """Run, and leave with the exit code; without `standalone_mode` errors are raised instead."""
        run = functools.partial(super().main, *args, standalone_mode=False, **more)
        return run() if not standalone_mode else sys.exit(_exit_code(run))


def _exit_code(run: Callable[[], Any]) -> int:
    """What a command ends with; what the user did wrong is said in a sentence on standard error."""
    _open_streams()
    _take_any_name()
    try:
        ended = run()
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        ended = ERROR
    except click.ClickException as error:
        ended = _said(error.format_message())
    except click.Abort:
        click.echo("proctor: stopped.", err=True)
        ended = STOPPED
    except ProctorError as error:
        ended = _said(str(error))
    except OSError as error:
        ended = _not_written(error)
    return ended if isinstance(ended, int) else 0


def _not_written(error: OSError) -> int:
    """Standard output that nobody reads on ends in silence, a full one in a sentence; the rest is a defect."""
    if error.filename is not None or error.errno not in {errno.EPIPE, *_FULL}:
        raise error
    _close_output()
    return ERROR if error.errno == errno.EPIPE else _said(f"standard output cannot be written: {error.strerror}.")


def _said(sentence: str) -> int:
    click.echo(f"proctor: {sentence}", err=True)
    return ERROR


def _open_streams() -> None:
    """A standard stream that whoever began us has closed is an empty one: nothing to read, and nobody who reads.

    Opened in this order they also get their own numbers, so that no file that is opened later takes the place of one.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - it stays open to the end


def _take_any_name() -> None:
    """A file's name may hold bytes that are no text; they are printed as escapes."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _close_output() -> None:
    """Nobody reads on, or nothing more can be written: what is still in the buffer goes nowhere, in silence."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from proctor import __version__

        click.echo(f"proctor {__version__}")
        ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Say the version.")
def proctor() -> None:
    """Set the exam for agents that use tools: score what they did.

    Exit codes: 0 all went well, 1 an error, 100 a gate failed, 101 and 102 a gate could not decide, 130 stopped.
    """


def main() -> NoReturn:
    """The command `proctor`."""
    proctor()
    raise AssertionError  # the group leaves by itself
