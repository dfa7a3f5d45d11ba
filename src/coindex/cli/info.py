"""`coindex info`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import click

from ..document import Document
from .help import Command
from .options import from_option, inputs_argument, json_option

COUNTS = (
    "documents",
    "sentences",
    "words",
    "empty nodes",
    "entities",
    "singletons",
    "mentions",
    "zero mentions",
)


@click.command("info", cls=Command)
@inputs_argument
@from_option
@json_option
def command(
    inputs: tuple[str, ...],
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    as_json: bool,
) -> None:
    """Count the documents, words, mentions and entities of files.

    \b
    Examples:
      coindex info corpus.conllu
      coindex info train/ dev/ --json
    """
    from ..api import read_source, sources
    from .progress import with_progress

    rows: list[dict[str, object]] = []
    for path in inputs:
        per_format: dict[str, Counter[str]] = {}
        for source, format in sources(path, from_format):
            docs = with_progress(read_source(source, format, dict(read_options)), f"reading {path}")
            per_format.setdefault(format.name, Counter()).update(count(docs))
        rows += [{"path": path, "format": name, **counts} for name, counts in per_format.items()]
    if as_json:
        import json

        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        click.secho(f"{row['path']}: {row['format']}", bold=True)
        for name, number in row.items():
            if name not in ("path", "format") and number:
                click.echo(f"  {number:>10,}  {name}")


def count(docs: Iterable[Document]) -> Counter[str]:
    """Count documents, sentences, words, entities, mentions and relations."""
    counts = Counter(dict.fromkeys(COUNTS, 0))
    for doc in docs:
        mentions = [mention for entity in doc.entities for mention in entity.mentions]
        empty = len(doc.tokens.empty_positions)
        counts["documents"] += 1
        counts["sentences"] += len(doc.sentences)
        counts["words"] += len(doc.tokens) - empty
        counts["empty nodes"] += empty
        counts["multiword tokens"] += len(doc.tokens.multiwords)
        counts["entities"] += len(doc.entities)
        counts["events"] += sum(entity.kind == "event" for entity in doc.entities)
        counts["singletons"] += sum(entity.is_singleton for entity in doc.entities)
        counts["mentions"] += len(mentions)
        counts["zero mentions"] += sum(mention.is_zero for mention in mentions) if empty else 0
        counts["discontinuous mentions"] += sum(not mention.is_contiguous for mention in mentions)
        counts["mentions with a head"] += sum(mention.head is not None for mention in mentions)
        counts["bridging relations"] += len(doc.bridges)
        counts["split antecedents"] += len(doc.split_antecedents)
        counts["sentences with a speaker"] += sum(s.speaker is not None for s in doc.sentences)
    return counts
