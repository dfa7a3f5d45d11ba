"""`coindex completion`."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL; put it where your shell looks, for example:

    \b
    bash: coindex completion bash > ~/.local/share/bash-completion/completions/coindex
    zsh:  coindex completion zsh > ~/.zfunc/_coindex
    fish: coindex completion fish > ~/.config/fish/completions/coindex.fish
    """
    from click.shell_completion import get_completion_class

    from .main import cli

    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(cli, {}, "coindex", "_COINDEX_COMPLETE").source())
