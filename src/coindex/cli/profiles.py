"""`coindex profiles`."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from ..scoring.profiles import DEFAULT, PROFILES, find_profile
from .help import Command
from .options import json_option
from .scoring import ProfileName


@click.command("profiles", cls=Command)
@click.argument("name", type=ProfileName(), required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List scoring profiles of shared tasks and papers.

    A profile contains the settings with which scores were published. Profiles never change: a corrected profile gets a
    new number after the @, and a name without a number means the newest version.

    \b
    Examples:
      coindex profiles
      coindex profiles conll12
      coindex profiles --json
    """
    chosen = {name: PROFILES[name]} if name else PROFILES
    if as_json:
        click.echo(json.dumps({full: asdict(profile) for full, profile in chosen.items()}, indent=2))
        return
    for full, profile in chosen.items():
        default = " (default)" if full == find_profile(DEFAULT) else ""
        click.secho(full, bold=True, nl=False)
        click.echo(f": {profile.source}{default}")
        click.echo(
            f"  match {profile.match}, singletons {'in' if profile.singletons else 'out'}, zeros {profile.zeros}, "
            f"unit {profile.unit}\n  metrics {', '.join(profile.metrics)}"
        )
