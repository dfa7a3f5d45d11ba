"""A progress bar on the terminal for work that takes over a second; nothing when piped."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from ..document import Document

PATIENCE = 1.0
Item = TypeVar("Item")


def with_progress(docs: Iterable[Document], what: str) -> Iterator[Document]:
    """Pass documents through, and show how many there were once a second has gone by."""
    if not sys.stderr.isatty():
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
    """Pass results of files through, and show how many of all there were once a second has gone by."""
    if not sys.stderr.isatty():
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
