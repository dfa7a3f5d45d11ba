"""`coindex vote`."""

from __future__ import annotations

import click

from .agreement import named_versions
from .options import from_option, to_option


@click.command("vote")
@click.argument("versions", metavar="[NAME=]FILE...", nargs=-1, required=True)
@click.option(
    "-o", "--output", type=click.Path(allow_dash=True), required=True, help="Where to write; - is standard output."
)
@click.option("--least", type=click.IntRange(min=1), help="How many have to mark a mention; a majority if left out.")
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
    """Make one annotation of several by votes: two or more annotations of the same text, as files or folders.

    A mention is kept by a majority. Entities are the groups of mentions that agree with most votes on pairs; where
    votes are equal, those of the better-agreeing annotators decide, and else mentions stay apart. Heads, attributes
    and kinds are voted on too. Words and sentences are those of the first file.

    \b
    coindex vote ada.conll ben.conll cleo.conll -o voted.conll
    coindex vote D=d.conllu E=e.conllu F=f.conllu -o - --to jsonlines
    """
    from ..api import write
    from ..api.voting import vote
    from .progress import inform, with_progress

    def tell(trust: dict[str, float]) -> None:
        ranked = sorted(trust.items(), key=lambda pair: -pair[1])
        told = ", ".join(f"{name} {100 * value:.1f}" for name, value in ranked)
        inform(f"mean agreement with the others (CoNLL): {told}", dim=False)

    voted = vote(
        named_versions(versions), least=least, format=from_format, read_options=dict(read_options), on_trust=tell
    )
    write(with_progress(voted, "voting"), output, to_format, **dict(write_options))
