"""`coindex resolve --cross`: a collection as a whole."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

import click

from ..document import Document
from ..document.naming import count, entity_name
from ..errors import LossWarning
from ..formats.registry import format_for_output, get_format
from .folder_runs import finish_joint
from .progress import inform, with_progress

if TYPE_CHECKING:
    from ..api.cross_document import CollectionSettings
    from ..corpora.folders import Ways
    from ..corpora.resolving import ResolveSettings
    from ..resolvers.cross.topics import Topics

FOLDER_FORMAT = "ecbplus"
TOPICS = ("given", "predicted", "none")
MOST = 40


def cross_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--cross, --topics and --state."""
    command = click.option(
        "--state",
        type=click.Path(dir_okay=False),
        help="With --cross: a file that keeps the collection; documents are added to the one that is there.",
    )(command)
    command = click.option(
        "--topics",
        type=click.Choice(TOPICS),
        help="With --cross: the input's topics, found ones, or all documents as one; else given if all have one.",
    )(command)
    return click.option(
        "--cross", is_flag=True, help="Look at all documents together: entities and events over a collection."
    )(command)


def refuse_with_cross(*, keep_entities: bool, jobs: int, zeros: bool) -> None:
    """Options that mean nothing for a collection."""
    if keep_entities:
        raise click.UsageError("--cross finds entities over all documents anew, so nothing would be left of those kept")
    if jobs != 1:
        raise click.UsageError("--cross looks at all documents together, so they cannot be spread over processes")
    if zeros:
        raise click.UsageError("--cross takes the empty nodes of the documents as they are; leave --zeros out")


def cross_settings(settings: ResolveSettings, topics: str | None, state: str | None) -> CollectionSettings:
    """The same settings for a collection."""
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


def resolve_cross(inputs: tuple[str, ...], output: str | None, settings: CollectionSettings, ways: Ways) -> int:
    """Resolve all documents of the inputs together, and write or print what was found; the exit code."""
    from ..api import write
    from ..api.cross_document import resolve_collection
    from ..corpora.folders import open_inputs

    joint = open_inputs(inputs, ways)
    docs = with_progress(joint.read(ways, language=settings.language), f"reading {inputs[0]}")
    resolved = resolve_collection(docs, settings, on_chain=_tell)
    if output is None and ways.to is None:
        for line in summary(resolved):
            click.echo(line)
        return finish_joint(joint.files)
    to = ways.to
    if to is None and output is not None and (os.path.isdir(output) or output.endswith(("/", os.sep))):
        to = FOLDER_FORMAT
    if to is not None and get_format(to).read is None:
        warnings.simplefilter("ignore", LossWarning)  # a view need not carry everything
    if to is None and output is not None:
        to = format_for_output(output, joint.format).name
    write(resolved, "-" if output is None else output, to, **ways.write_options)
    inform(_facts(resolved))
    return finish_joint(joint.files)


def _tell(name: str) -> None:
    inform(f"resolver: {name}")


def _facts(docs: list[Document]) -> str:
    shared = shared_entities(docs)
    events = sum(kind == "event" for _, kind, _, _ in shared)
    return (
        f"{count(len(docs), 'document')}: {count(len(shared) - events, 'entity', 'entities')} and "
        f"{count(events, 'event')} in several documents"
    )


def shared_entities(docs: list[Document]) -> list[tuple[str, str, str, list[str]]]:
    """Id, kind, name and documents of what several documents mention, the most widespread first."""
    places: dict[str, list[str]] = {}
    about: dict[str, tuple[str, str]] = {}
    for number, doc in enumerate(docs, 1):
        if doc.shared_ids:
            for entity in doc.entities:
                places.setdefault(entity.id, []).append(doc.id or f"document {number}")
                about.setdefault(entity.id, (entity.kind, entity_name(entity)))
    rows = [(id, *about[id], names) for id, names in places.items() if len(names) > 1]
    return sorted(rows, key=lambda row: -len(row[3]))


def summary(docs: list[Document]) -> Iterator[str]:
    """What several documents mention, a line each."""
    yield _facts(docs)
    shared = shared_entities(docs)
    for id, kind, name, names in shared[:MOST]:
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4:,} more" if len(names) > 4 else "")
        yield f"  {id:>6}  {kind:<6}  {name}  ({shown})"
    if len(shared) > MOST:
        yield f"  … and {len(shared) - MOST:,} more; -o collection.html shows all"
