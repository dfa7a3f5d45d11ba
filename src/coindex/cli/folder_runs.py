"""Runs that resolve or convert a folder file by file, with a summary and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from ..document.naming import count
from .progress import RunLog, inform, is_quiet, with_bar

if TYPE_CHECKING:
    from ..corpora.folders import FileOutcome, FolderPlan, Ways
    from ..corpora.resolving import ResolveSettings
    from ..corpora.shards import ShardPlan
    from ..engines import Workers
    from ..formats.discovery import InputFile

MOST_WARNINGS = 5
MOST_IGNORED = 5


def run_plan(
    plan: FolderPlan,
    settings: ResolveSettings | None,
    ways: Ways,
    workers: Workers | int = 1,
    *,
    on_chain: Callable[[str], None] = lambda name: None,
    on_fiction: Callable[[str], None] = lambda path: None,
    log_json: bool = False,
) -> int:
    """Write an output for each file of a plan, print a summary and return the exit code."""
    from ..corpora.folders import output_stamps, run_folder

    before = output_stamps(plan.todo)
    outcomes: list[FileOutcome] = []
    run = run_folder(plan.todo, settings, ways, workers)
    log = RunLog(as_json=True) if log_json else None
    try:
        for outcome in with_bar(run, "converting" if settings is None else "resolving", len(plan.todo)):
            for name in outcome.resolvers:
                on_chain(name)
            if outcome.fiction:
                on_fiction(outcome.job.input)
            outcomes.append(outcome)
            if log is not None:
                log.update(
                    documents=sum(done.documents for done in outcomes),
                    words=sum(done.tokens for done in outcomes),
                    failed=sum(done.problem is not None for done in outcomes),
                    share=len(outcomes) / len(plan.todo),
                    is_last=len(outcomes) == len(plan.todo),
                )
    except KeyboardInterrupt:
        run.close()  # worker processes finish the files they have started
        after = output_stamps(plan.todo)
        finished = sum(stamp != before.get(path) for path, stamp in after.items())
        _print_summary(plan, outcomes, finished, interrupted=True)
        raise
    finished = sum(outcome.problem is None for outcome in outcomes)
    is_whole = _print_summary(plan, outcomes, finished)
    if is_whole:
        return 0
    return 1 if finished or plan.done else 2


def run_sharded(
    plan: ShardPlan,
    workers: Workers,
    *,
    overwrite: bool,
    log_json: bool,
    on_chain: Callable[[str], None],
    on_fiction: Callable[[str], None],
) -> int:
    """Write the shards of a plan, print a summary and return the exit code."""
    from ..corpora.shards import ERRORS, ShardOutcome, ShardRun, run_shards

    with RunLog(as_json=log_json) as log:

        def show(outcome: ShardOutcome, run: ShardRun) -> None:
            for name in outcome.resolvers:
                on_chain(name)
            if outcome.fiction is not None:
                on_fiction(outcome.fiction)
            done = run.done
            log.update(documents=done.documents, words=done.words, failed=done.failed, share=run.share)

        run = run_shards(plan, workers, overwrite=overwrite, on_outcome=show)
        done = run.done
        log.update(documents=done.documents, words=done.words, failed=done.failed, share=1.0, is_last=True)
    for code, kept in run.warnings.items():
        for warning in kept:
            click.secho(f"warning: {warning}", fg="yellow", err=True)
        if run.warned[code] > len(kept):
            more = count(run.warned[code] - len(kept), "more warning")
            click.secho(f"warning: {more} like the last one", fg="yellow", err=True)
    skipped = finish_joint(plan.open().files)
    failed = run.done.failed + run.before.failed
    done_now = run.done.documents - run.done.failed
    numbers = [f"{count(done_now, 'document')} in {count(run.done.shards, 'shard')} done"]
    numbers += [f"{run.before.shards:,} done before (--overwrite repeats them)"] if run.before.shards else []
    numbers += [f"{failed:,} failed (see {ERRORS})"] if failed else []
    if failed or not is_quiet():
        click.secho(", ".join(numbers), fg="red" if failed else "green", err=True)
    if failed and failed == run.done.documents + run.before.documents:
        return 2
    return 1 if failed else skipped


def _print_summary(
    plan: FolderPlan, outcomes: Sequence[FileOutcome], finished: int, *, interrupted: bool = False
) -> bool:
    """Print warnings, then the files that failed with the reason, then counts; return whether all files are done."""
    _print_warnings(outcomes)
    report_ignored(plan.files)
    failed = {outcome.job.input: outcome.problem for outcome in outcomes if outcome.problem is not None}
    failed |= {str(file.path): str(file.error) for file in plan.files if file.error is not None}
    for _, problem in sorted(failed.items()):
        click.secho(f"error: {problem}", fg="red", err=True)
    skipped = report_skipped(plan.files)
    is_whole = not failed and not skipped
    numbers = [count(finished, "file") + " done"]
    numbers += [f"{len(plan.done):,} done before (--overwrite repeats them)"] if plan.done else []
    numbers += [f"{len(failed):,} failed"] if failed else []
    numbers += [f"{skipped:,} skipped"] if skipped else []
    broken = sum(outcome.problem is not None for outcome in outcomes)
    numbers += [f"{len(plan.todo) - finished - broken:,} not done"] if interrupted else []
    if not is_whole or interrupted or not is_quiet():
        click.secho(", ".join(numbers), fg="green" if is_whole and not interrupted else "red", err=True)
    return is_whole


def _print_warnings(outcomes: Sequence[FileOutcome]) -> None:
    """Print the first warnings of each kind and how many follow; warnings about languages are merged."""
    from ..resolvers.defaults import merge_warnings

    for merged in merge_warnings(warning for outcome in outcomes for warning in outcome.languages):
        click.secho(f"warning: {merged}", fg="yellow", err=True)
    kinds: dict[str, list[str]] = {}
    for outcome in outcomes:
        for warning in outcome.warnings:
            place = "" if warning.path == outcome.job.input else f"{outcome.job.input}: "
            kinds.setdefault(warning.code, []).append(f"{place}{warning}")
    for texts in kinds.values():
        for text in texts[:MOST_WARNINGS]:
            click.secho(f"warning: {text}", fg="yellow", err=True)
        if len(texts) > MOST_WARNINGS:
            more = count(len(texts) - MOST_WARNINGS, "more warning")
            click.secho(f"warning: {more} like the last one", fg="yellow", err=True)


def report_skipped(files: Sequence[InputFile]) -> int:
    """Print each file that no reader accepts, with the reason and the remedy; return their number."""
    skipped = [file for file in files if file.status == "skipped"]
    for file in skipped:
        remedy = f"; {file.remedy}" if file.remedy else ""
        click.secho(f"skipped: {file.path}: {file.reason}{remedy}", fg="yellow", err=True)
    return len(skipped)


def report_ignored(files: Sequence[InputFile]) -> None:
    """Print files that are ignored as expected, such as a README next to a corpus."""
    by_reason: dict[str, list[str]] = {}
    for file in files:
        if file.status == "ignored":
            by_reason.setdefault(file.reason, []).append(str(file.path))
    for reason, paths in by_reason.items():
        more = f" and {len(paths) - MOST_IGNORED:,} more" if len(paths) > MOST_IGNORED else ""
        inform(f"left out ({reason}): {', '.join(paths[:MOST_IGNORED])}{more}")


def finish_joint(files: Sequence[InputFile]) -> int:
    """Print which files are missing from a joint output and return the exit code."""
    report_ignored(files)
    if not (skipped := report_skipped(files)):
        return 0
    click.secho(f"the output is without {count(skipped, 'skipped file')}", fg="red", err=True)
    return 1
