"""Information and progress bars on standard error; nothing with --quiet."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import click

from ..document import Document

PATIENCE = 1.0
QUIET = f"{__package__}.quiet"
LOG_INTERVAL = 5.0
"""Seconds between lines of --log-json."""
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


class RunLog:
    """The progress of a long run: a line on a terminal, or with --log-json a line of JSON every few seconds."""

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self._began = self._logged = time.monotonic()
        self._status: Any = None

    def __enter__(self) -> RunLog:
        return self

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self, *, documents: int, words: int, failed: int, share: float, is_last: bool = False) -> None:
        """Show numbers of this run; `share` is how much of all work is done, from 0 to 1."""
        from ..engines.scheduling import count_running

        now = time.monotonic()
        seconds = now - self._began
        left = seconds * (1 - share) / share if share else None
        numbers = {
            "documents": documents,
            "words": words,
            "words_per_second": round(words / seconds) if seconds else 0,
            "failed": failed,
            "workers": count_running() or 1,
            "seconds": round(seconds, 1),
            "seconds_left": None if left is None else round(left),
        }
        if self._as_json:
            if is_last or now - self._logged >= LOG_INTERVAL:
                self._logged = now
                click.echo(json.dumps(numbers | {"finished": is_last}), err=True)
        elif shows_progress() and seconds > PATIENCE:
            self._show(numbers)

    def _show(self, numbers: dict[str, Any]) -> None:
        from rich.console import Console

        text = (
            f"{numbers['documents']:,} documents, {numbers['words_per_second']:,} words/s, "
            f"{numbers['failed']:,} failed, {numbers['workers']} workers"
        )
        if numbers["seconds_left"] is not None:
            text += f", ends about {time.strftime('%H:%M', time.localtime(time.time() + numbers['seconds_left']))}"
        if self._status is None:
            self._status = Console(stderr=True).status(text)
            self._status.start()
        self._status.update(text)
