"""`coindex formats`."""

from __future__ import annotations

import click

from .help import Command
from .options import FORMAT_NAME, json_option


@click.command("formats", cls=Command)
@click.argument("name", type=FORMAT_NAME, required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List file formats and what each can represent.

    With NAME, prints the details and options of one format.

    \b
    Examples:
      coindex formats
      coindex formats ecbplus
      coindex formats --json
    """
    from ..api import formats
    from ..formats.registry import get_format

    if as_json:
        import json

        chosen = [get_format(name)] if name else formats()
        click.echo(json.dumps([_to_dict(format) for format in chosen], indent=2))
    elif name:
        _print_format(name)
    else:
        _print_table()


def _to_dict(format: object) -> dict[str, object]:
    from ..formats.registry import Format

    assert isinstance(format, Format)
    return {
        "name": format.name,
        "summary": format.summary,
        "read": format.read is not None,
        "write": format.write is not None,
        "folder": format.is_folder,
        "extensions": list(format.extensions),
        "carries": sorted(format.carries),
        "read_options": {option.name: list(option.choices) for option in format.read_options},
        "write_options": {option.name: list(option.choices) for option in format.write_options},
    }


def _print_table() -> None:
    from ..api import formats

    for format in formats():
        ways = [way for way, function in (("read", format.read), ("write", format.write)) if function]
        layout = ", a folder of files" if format.is_folder else ""
        click.secho(f"{format.name:10}", bold=True, fg="cyan", nl=False)
        click.echo(f" {format.summary}")
        click.secho(f"{'':10} {' and '.join(ways)}{layout}; {_describe_features(format.carries)}", dim=True)


def _describe_features(carries: frozenset[str]) -> str:
    from ..formats.losses import FEATURES

    missing = [feature for feature in FEATURES if feature not in carries]
    if not missing:
        return "carries everything"
    if len(missing) * 2 < len(FEATURES):
        return "carries all but " + ", ".join(missing)
    return "carries " + ", ".join(feature for feature in FEATURES if feature in carries)


def _print_format(name: str) -> None:
    from ..formats.losses import FEATURES
    from ..formats.registry import get_format

    format = get_format(name)
    click.secho(format.name, bold=True, nl=False)
    click.echo(f": {format.summary}")
    ways = [way for way, function in (("read", format.read), ("written", format.write)) if function]
    click.echo(f"  is {' and '.join(ways)}, as {'a folder of files' if format.is_folder else 'one file'}")
    click.echo(f"  file names: {', '.join('*' + end for end in format.extensions) or 'any'}")
    click.echo("  carries:")
    for feature, (what, _) in FEATURES.items():
        click.echo(f"    {'yes' if feature in format.carries else ' no'}  {feature:18} {what}")
    for flag, options in (("-r", format.read_options), ("-w", format.write_options)):
        for option in options:
            choices = "|".join(option.choices) or "…"
            click.echo(f"  {flag} {option.name}={choices}\n      {option.help}")
