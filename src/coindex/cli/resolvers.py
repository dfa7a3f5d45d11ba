"""`coindex resolvers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .help import Command
from .options import RESOLVER_NAME, json_option

if TYPE_CHECKING:
    from ..resolvers.resolver import Resolver


@click.command("resolvers", cls=Command)
@click.argument("name", type=RESOLVER_NAME, required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List resolvers with their requirements and scores.

    With NAME, prints the details of one resolver.

    \b
    Examples:
      coindex resolvers
      coindex resolvers en-small
      coindex resolvers --json
    """
    from ..resolvers.registry import all_resolvers, get_resolver

    if as_json:
        import json

        chosen = [get_resolver(name)] if name else all_resolvers()
        click.echo(json.dumps([_to_dict(resolver) for resolver in chosen], indent=2, ensure_ascii=False))
    elif name:
        _print_details(get_resolver(name))
    else:
        for resolver in all_resolvers():
            _print_row(resolver)


def _to_dict(resolver: Resolver) -> dict[str, Any]:
    from ..resolvers.chain import scores_of

    return {
        "name": resolver.name,
        "kind": resolver.kind,
        "summary": resolver.summary,
        "languages": list(resolver.languages),
        "needs": list(resolver.needs),
        "mentions": list(resolver.mentions),
        "collects": resolver.collects,
        "licence": resolver.licence,
        "installed": not resolver.install,
        "install": resolver.install or None,
        "source": resolver.source,
        "options": {option.name: list(option.choices) for option in resolver.options},
        "scores": [score.to_dict() for score in scores_of(resolver.name)],
    }


def _print_row(resolver: Resolver) -> None:
    from ..resolvers.chain import find_main_score

    click.secho(f"{resolver.name:13}", bold=True, fg="cyan", nl=False)
    click.echo(f" {resolver.summary}")
    facts = [
        resolver.kind,
        _format_languages(resolver),
        f"needs {', '.join(resolver.needs)}" if resolver.needs else "needs nothing",
        resolver.licence,
        str(find_main_score(resolver.name) or "not scored"),
        *_describe_missing(resolver),
    ]
    click.secho(f"{'':13} {'; '.join(facts)}", dim=True)


def _describe_missing(resolver: Resolver) -> list[str]:
    return [f"not installed: {resolver.install}"] if resolver.install else []


def _format_languages(resolver: Resolver) -> str:
    return ", ".join(resolver.languages) or "any language"


def _print_details(resolver: Resolver) -> None:
    from ..resolvers.chain import scores_of

    click.secho(resolver.name, bold=True, nl=False)
    click.echo(f": {resolver.summary}")
    click.echo(f"  kind       {resolver.kind}")
    click.echo(f"  languages  {_format_languages(resolver)}")
    click.echo(f"  needs      {', '.join(resolver.needs) or 'nothing'}")
    if resolver.kind in ("rules", "learned"):
        click.echo(f"  mentions   {' or '.join(resolver.mentions)}")
    if resolver.collects:
        click.echo("  resolves several documents together")
    click.echo(f"  licence    {resolver.licence}")
    if resolver.install:
        click.echo(f"  installed  no; install it with: {resolver.install}")
    if resolver.source:
        click.echo(f"  source     {resolver.source}")
    for option in resolver.options:
        click.echo(f"  option     {option.name}={'|'.join(option.choices) or '…'}\n             {option.help}")
    for score in scores_of(resolver.name):
        click.echo(f"  scored at  {score}\n             {score.signature}")
