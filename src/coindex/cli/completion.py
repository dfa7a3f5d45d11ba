"""`coindex completion`."""

from __future__ import annotations

import click

from .help import Command


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    Write the script to the folder from which your shell loads completions.

    \b
    Examples:
      coindex completion bash > ~/.local/share/bash-completion/completions/coindex
      coindex completion zsh > ~/.zfunc/_coindex
      coindex completion fish > ~/.config/fish/completions/coindex.fish
    """
    from click.shell_completion import get_completion_class

    from .main import cli

    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(cli, {}, "coindex", "_COINDEX_COMPLETE").source())
