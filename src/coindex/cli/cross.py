"""`coindex resolve --cross`: cross-document coreference."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import click

from ..document import Document
from ..document.naming import count, entity_name
from ..errors import LossWarning
from ..formats.registry import format_for_output, get_format
from .folder_runs import finish_joint
from .help import Decorator, combine, option
from .progress import inform, with_progress

if TYPE_CHECKING:
    from ..api.cross_document import CollectionSettings
    from ..corpora.folders import Ways
    from ..corpora.resolving import ResolveSettings
    from ..engines import Workers
    from ..resolvers.cross.topics import Topics

FOLDER_FORMAT = "ecbplus"
TOPICS = ("given", "predicted", "none")
MOST_SHOWN = 40


cross_options: Decorator = combine(
    option(
        "--cross",
        is_flag=True,
        section="Collections",
        help="Resolve all documents together: entities and events across a collection.",
    ),
    option(
        "--topics",
        type=click.Choice(TOPICS),
        section="Collections",
        help="With --cross: use the topics of the input, predict them, or treat all documents as one topic "
        "(default: given if all documents have one).",
    ),
    option(
        "--state",
        type=click.Path(dir_okay=False),
        section="Collections",
        help="With --cross: file that stores the collection; later runs add documents to it.",
    ),
)


def check_cross_options(*, keep_entities: bool, zeros: bool) -> None:
    """Reject options that do not apply to a collection."""
    if keep_entities:
        raise click.UsageError("--keep-entities cannot be combined with --cross, which resolves entities from scratch")
    if zeros:
        raise click.UsageError("--zeros cannot be combined with --cross, which uses the empty nodes of the input")


def make_cross_settings(settings: ResolveSettings, topics: str | None, state: str | None) -> CollectionSettings:
    """Return the settings for a collection."""
    from ..api.cross_document import CollectionSettings

    return CollectionSettings(
        resolver=settings.resolver,
        topics=cast("Topics", topics or "auto"),
        mentions=settings.mentions,
        language=settings.language,
        parser=settings.parser,
        min_link=settings.min_link,
        singletons=settings.singletons,
        state=state,
    )


def resolve_cross(
    inputs: tuple[str, ...], output: str | None, settings: CollectionSettings, ways: Ways, workers: Workers
) -> int:
    """Resolve all documents together, write or print the result, and return the exit code."""
    from ..api import write
    from ..api.cross_document import resolve_collection
    from ..corpora.folders import open_inputs

    joint = open_inputs(inputs, ways)
    docs = with_progress(joint.read(ways, language=settings.language), f"reading {inputs[0]}")
    resolved = resolve_collection(docs, settings, workers, on_chain=_print_resolver)
    if output is None and ways.to is None:
        for line in summarize(resolved):
            click.echo(line)
        return finish_joint(joint.files)
    to = ways.to
    if to is None and output is not None and (os.path.isdir(output) or output.endswith(("/", os.sep))):
        to = FOLDER_FORMAT
    if to is not None and get_format(to).read is None:
        warnings.simplefilter("ignore", LossWarning)  # a view may drop information
    if to is None and output is not None:
        to = format_for_output(output, joint.format).name
    write(resolved, "-" if output is None else output, to, **ways.write_options)
    inform(_describe_collection(resolved))
    return finish_joint(joint.files)


def _print_resolver(name: str) -> None:
    inform(f"resolver: {name}")


def _describe_collection(docs: list[Document]) -> str:
    shared = find_shared_entities(docs)
    events = sum(kind == "event" for _, kind, _, _ in shared)
    return (
        f"{count(len(docs), 'document')}: {count(len(shared) - events, 'entity', 'entities')} and "
        f"{count(events, 'event')} in several documents"
    )


def find_shared_entities(docs: list[Document]) -> list[tuple[str, str, str, list[str]]]:
    """Return id, kind, name and documents of the entities in several documents, most documents first."""
    places: dict[str, list[str]] = {}
    about: dict[str, tuple[str, str]] = {}
    for number, doc in enumerate(docs, 1):
        if doc.shared_ids:
            for entity in doc.entities:
                places.setdefault(entity.id, []).append(doc.id or f"document {number}")
                about.setdefault(entity.id, (entity.kind, entity_name(entity)))
    rows = [(id, *about[id], names) for id, names in places.items() if len(names) > 1]
    return sorted(rows, key=lambda row: -len(row[3]))


def summarize(docs: list[Document]) -> Iterator[str]:
    """Yield a line for each entity that occurs in several documents."""
    yield _describe_collection(docs)
    shared = find_shared_entities(docs)
    for id, kind, name, names in shared[:MOST_SHOWN]:
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4:,} more" if len(names) > 4 else "")
        yield f"  {id:>6}  {kind:<6}  {name}  ({shown})"
    if len(shared) > MOST_SHOWN:
        yield f"  … and {len(shared) - MOST_SHOWN:,} more; write all of them with -o collection.html"
