"""`proctor completion`: what a shell needs to finish commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from proctor.errors import OptionError

SHELLS = {
    "bash": 'eval "$(proctor completion bash)"',
    "zsh": 'eval "$(proctor completion zsh)"',
    "fish": "proctor completion fish | source",
}
"""Each shell with the line for its start-up file."""


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
def command(shell: str) -> None:
    """Print what a shell needs to finish commands and options.

    \b
    bash, in ~/.bashrc:                   eval "$(proctor completion bash)"
    zsh, in ~/.zshrc:                     eval "$(proctor completion zsh)"
    fish, in ~/.config/fish/config.fish:  proctor completion fish | source
    """  # noqa: D301 - click is told by it to keep the lines
    kind = get_completion_class(shell)
    if kind is None:
        raise OptionError(f"there is no completion for {shell!r}.")
    group = click.get_current_context().find_root().command
    click.echo(kind(group, {}, "proctor", "_PROCTOR_COMPLETE").source())
