"""Display and interruption of a training run."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from contextlib import ExitStack
from types import FrameType, TracebackType
from typing import Any

import click

from ..training.run import Progress, Stopped
from .progress import inform, is_quiet, shows_progress

COLUMNS = {
    "conll": "CoNLL",
    "muc_f1": "MUC",
    "b3_f1": "B³",
    "ceafe_f1": "CEAF-e",
    "mentions_f1": "mentions",
    "words_per_second": "words/s",
}
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Let the first Ctrl-C save a checkpoint after the current step, and the second one end the run at once."""

    def __init__(self) -> None:
        self.is_requested = False
        self.is_running = False

    def __enter__(self) -> Interrupts:
        numbers = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # unlike under nohup
        self._before = {number: signal.signal(number, self._request_stop) for number in numbers}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _request_stop(self, number: int, frame: FrameType | None) -> None:
        self._restore()
        if not self.is_running:  # nothing to save yet
            raise KeyboardInterrupt
        self.is_requested = True
        click.echo("saving a checkpoint … (press Ctrl-C again to stop at once)", err=True)

    def check(self) -> None:
        """Stop the run here if it was interrupted."""
        self.is_running = True
        if self.is_requested:
            raise Stopped("stopped")


class Display:
    """The output of a run: a bar and tables on standard error, plain lines in a pipe, JSON on standard output."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._bar: Any = None
        self._task: Any = None
        self._stack = ExitStack()

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def tick(self, progress: Progress) -> None:
        """Show that a step or a development document is done."""
        if not shows_progress():
            return
        if self._bar is None:
            self._bar, self._task = self._start()
        if progress.dev is not None:
            place = f"epoch {progress.epoch}/{progress.epochs}, " if progress.epoch else ""
            text = f"{place}{progress.dev}: {progress.step}/{progress.steps} documents"
            self._bar.update(self._task, description=text)
            return
        losses = " ".join(f"{name} {value:.3f}" for name, value in progress.losses.items())
        self._bar.update(
            self._task,
            description=f"epoch {progress.epoch}/{progress.epochs}, step {progress.step}/{progress.steps}",
            losses=losses,
            total=progress.epochs * progress.steps,
            completed=(progress.epoch - 1) * progress.steps + progress.step,
        )

    def _start(self) -> tuple[Any, Any]:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[losses]}"),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
        )
        bar = self._stack.enter_context(Bar(*columns, console=Console(stderr=True), transient=True))
        return bar, bar.add_task("training", losses="")

    def row(self, row: Mapping[str, Any]) -> None:
        """Print a row of the log."""
        if self.as_json:
            click.echo(json.dumps(row, ensure_ascii=False))
        if "scores" in row and "best" in row:
            self._print_scores(row)
        elif "labelled" in row:
            if self._bar is None:
                self._print_line(f"teachers labelled {row['labelled']} of {row['of']} documents")
        elif row.get("resumed"):
            self._print_line(f"resumed in epoch {row['epoch']} after step {row['step']}")
        elif self._bar is None:
            self._print_line(_format_row(row))

    def _print_line(self, text: str) -> None:
        inform(text, dim=False)

    def _print_scores(self, row: Mapping[str, Any]) -> None:
        from rich.console import Console
        from rich.table import Table

        best = ", the best so far" if row["best"] else ""
        title = f"epoch {row['epoch']}, {row['minutes']} minutes of training{best}"
        if not row["scores"]:
            self._print_line(f"{title}; no development data to score")
            return
        table = Table("dev", *COLUMNS.values(), title=title, title_justify="left", box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for name, scores in row["scores"].items():
            numbers = (scores[key] for key in COLUMNS)
            table.add_row(name, *(f"{value:.2f}" if isinstance(value, float) else f"{value:,}" for value in numbers))
        if is_quiet():
            return
        console = self._bar.console if self._bar is not None else Console(stderr=True)
        console.print(table)
        for signature in dict.fromkeys(scores["signature"] for scores in row["scores"].values()):
            console.print(signature, style="dim", highlight=False, soft_wrap=True)


def _format_row(row: Mapping[str, Any]) -> str:
    """Format any other row of the log as a line."""
    if "step" not in row:
        return ", ".join(f"{name}: {_format_value(value)}" for name, value in row.items())
    losses = ", ".join(f"{name} {value:.3f}" for name, value in row.items() if isinstance(value, float))
    which = f"{row['tagger']} {row['member']}, " if "tagger" in row else ""
    return f"{which}epoch {row['epoch']}, step {row['step']} of {row['of']}: {losses}"


def _format_value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
