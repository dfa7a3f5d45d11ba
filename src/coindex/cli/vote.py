"""`coindex vote`."""

from __future__ import annotations

import click

from .agreement import parse_versions
from .help import Command, option
from .options import from_option, to_option


@click.command("vote", cls=Command)
@click.argument("versions", metavar="[NAME=]FILE...", nargs=-1, required=True)
@option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True),
    required=True,
    section="Output",
    help="File to write (- = standard output).",
)
@option(
    "--least",
    type=click.IntRange(min=1),
    section="Annotation",
    help="Minimum number of annotators who marked a mention (default: a majority).",
)
@from_option
@to_option
def command(
    versions: tuple[str, ...],
    output: str,
    least: int | None,
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
) -> None:
    """Combine several annotations by majority vote.

    Takes two or more annotations of the same text, as files or folders. A mention is kept if a majority marked it.
    Entities are the groups of mentions that agree with most votes on pairs; ties are decided by the annotators who
    agree best with the others; otherwise mentions stay separate. Heads, attributes and kinds are voted on too. Words
    and sentences come from the first file.

    \b
    Examples:
      coindex vote ada.conll ben.conll cleo.conll -o voted.conll
      coindex vote D=d.conllu E=e.conllu F=f.conllu -o - --to jsonlines
    """
    from ..api import write
    from ..api.agreement import vote
    from .progress import inform, with_progress

    def print_trust(trust: dict[str, float]) -> None:
        ranked = sorted(trust.items(), key=lambda pair: -pair[1])
        text = ", ".join(f"{name} {100 * value:.1f}" for name, value in ranked)
        inform(f"mean agreement with the others (CoNLL): {text}", dim=False)

    voted = vote(
        parse_versions(versions), least=least, format=from_format, read_options=dict(read_options), on_trust=print_trust
    )
    write(with_progress(voted, "voting"), output, to_format, **dict(write_options))
