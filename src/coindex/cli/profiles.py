"""`coindex profiles`."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from ..scoring.profiles import DEFAULT, PROFILES, find_profile
from .options import json_option
from .scoring import ProfileName


@click.command("profiles")
@click.argument("name", type=ProfileName(), required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the profiles: the settings under which campaigns published their scores. With NAME, only that one.

    A published number never moves: a profile that is mended gets a new number behind the @, and the old one stays. A
    name without a number means the newest.
    """
    chosen = {name: PROFILES[name]} if name else PROFILES
    if as_json:
        click.echo(json.dumps({full: asdict(profile) for full, profile in chosen.items()}, indent=2))
        return
    for full, profile in chosen.items():
        default = " (used where none is named)" if full == find_profile(DEFAULT) else ""
        click.secho(full, bold=True, nl=False)
        click.echo(f": {profile.source}{default}")
        click.echo(
            f"  match {profile.match}, singletons {'in' if profile.singletons else 'out'}, zeros {profile.zeros}, "
            f"unit {profile.unit}\n  metrics {', '.join(profile.metrics)}"
        )
