"""Information and progress bars on standard error; nothing with --quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

from ..document import Document

PATIENCE = 1.0
QUIET = f"{__package__}.quiet"
Item = TypeVar("Item")


def is_quiet() -> bool:
    """Return whether --quiet was given, before or after the command."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def shows_progress() -> bool:
    """Return whether to show bars and spinners: on a terminal, without --quiet."""
    return sys.stderr.isatty() and not is_quiet()


def inform(text: str, *, dim: bool = True) -> None:
    """Print a line that is neither a result nor a warning."""
    if not is_quiet():
        click.secho(text, dim=dim, err=True)


def with_progress(docs: Iterable[Document], what: str) -> Iterator[Document]:
    """Pass documents through and show their number if the work takes longer than a second."""
    if not shows_progress():
        yield from docs
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.fields[counts]}"))
    began = time.monotonic()
    number = words = 0
    with Progress(
        *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True, disable=False
    ) as progress:
        task = progress.add_task(what, total=None, counts="", visible=False)
        for doc in docs:
            yield doc
            number += 1
            words += len(doc.tokens)
            progress.update(
                task,
                counts=f"{number:,} documents, {words:,} tokens",
                visible=time.monotonic() - began > PATIENCE,
            )


def with_bar(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    """Pass results of files through and show a bar if the work takes longer than a second."""
    if not shows_progress():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("files"))
    began = time.monotonic()
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total, visible=False)
        for item in items:
            yield item
            progress.update(task, advance=1, visible=time.monotonic() - began > PATIENCE)
