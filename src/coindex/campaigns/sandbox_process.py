"""The sandbox process: it loads all modules once and runs each task in a child process with limits.

It reads requests and writes progress as JSON lines; the result of a task is a file in its folder. It has no access to
the database. It ends when its input is closed, even during a task, so nothing keeps running if a worker is killed.
"""

from __future__ import annotations

import gc
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from cachetools import LRUCache

from ..corpora import counting as _counting  # noqa: F401 - loaded once here, not in every child
from ..corpora.files import read_annotated
from ..document import Document
from ..errors import CoindexError
from ..settings import parse_toml
from .checking import SubmissionProblem, count_errors
from .definition import Campaign, Track, parse_campaign
from .files import (
    Inputs,
    Submission,
    answer_to,
    check_all,
    find_answered_tracks,
    find_datasets,
    find_part,
    gives,
    hide_key,
    inside,
    own_part,
    unpack_submission,
)
from .findings import collect_items, draw_sample, make_findings
from .scoring import RUN, Scorer, Scores, Sent
from .setups import DisputedEntity, Disputes
from .visibility import Aliases

Report = Callable[[int, int, str], None]
FORMS = ("html", "markdown", "csv", "latex", "json", "text")
FOLDER = "coindex-work-"
"""The prefix of a worker's folder."""
RESULT = "result.json"
"""The file with the result of a task."""
MOST_FINDINGS = 1000
"""The maximum number of reported findings; a submission in the wrong format has one per word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A task; `folder` is its working folder, `key` a folder with a key or an input."""

    kind: str
    folder: str
    definition: str
    key: str
    name: str = ""
    """The file of the submission in the folder."""
    chains: tuple[dict[str, str], ...] = ()
    chosen: dict[str, str] | None = None
    names: dict[str, str] | None = None
    """The displayed team names by the names used in files."""
    received: tuple[tuple[str, str, str], ...] = ()
    """Team, run and file of each submission, for tasks on several submissions."""
    track: str = ""
    dataset: str = ""
    document: str = ""
    size: int = 0
    seed: int = 0
    seconds: int = 600
    memory: int = 4 << 30


class Prepared:
    """A cache of inputs for several tasks, and for all tracks with the same input."""

    MOST = 8

    def __init__(self) -> None:
        self._docs: LRUCache[str, dict[str, list[Document]]] = LRUCache(self.MOST)

    def clear(self) -> None:
        """Free the memory."""
        self._docs.clear()

    def inputs(self, track: Track, paths: Mapping[str, Path]) -> Inputs:
        """Return the input of a track, loaded into memory."""
        name = json.dumps([gives(track), {dataset: str(path) for dataset, path in paths.items()}])
        if name not in self._docs:
            made = Inputs(track, paths)
            self._docs[name] = {dataset: made.docs(dataset) for dataset in paths}
        return Inputs(track, paths, self._docs[name])

    def read(self, request: Request) -> None:
        """Load the input of a task, so that later tasks can use it too."""
        if request.kind in ("check", "score"):
            for track in campaign_of(request).tracks:
                self.inputs(track, find_datasets(track, own_part(Path(request.key), track)))


def campaign_of(request: Request) -> Campaign:
    return parse_campaign(parse_toml(request.definition, "the campaign"), "the campaign")


def _disputes(request: Request) -> Disputes:
    return Disputes(chains=tuple(DisputedEntity(**disputed) for disputed in request.chains))


def perform(request: Request, prepared: Prepared, report: Report) -> dict[str, Any]:
    """Run a task and return the result as plain data."""
    task = {"check": _check, "score": _score, "findings": _findings, "sample": _sample, "errors": _errors}
    return task[request.kind](request, prepared, report)


def _check(request: Request, prepared: Prepared, report: Report) -> dict[str, Any]:
    """Return the findings of the check and the tracks with a response."""
    campaign, key, path = campaign_of(request), Path(request.key), Path(request.folder) / request.name
    findings = check_all(campaign.tracks, campaign.tracks, key, path, inputs_of=prepared.inputs)
    tracks = []
    if not count_errors(findings):
        with unpack_submission(path) as opened:
            tracks = find_answered_tracks(campaign.tracks, key, opened)
    shown = [_without_folder(finding, request.folder) for finding in _first(findings)]
    return {"findings": shown, "tracks": tracks}


def _first(findings: Sequence[SubmissionProblem]) -> list[SubmissionProblem]:
    """Return the findings to report, errors first."""
    ordered = sorted(findings, key=lambda finding: finding.severity != "error")
    return ordered[:MOST_FINDINGS]


def _without_folder(finding: SubmissionProblem, folder: str) -> dict[str, Any]:
    return asdict(replace(finding, file=finding.file.removeprefix(f"{folder}/")))


def _score(request: Request, prepared: Prepared, report: Report) -> dict[str, Any]:
    """Return the scores of the submission in each track."""
    campaign, disputes, all_scores = campaign_of(request), _disputes(request), Scores()
    path, kept = Path(request.folder) / request.name, Path(request.folder) / "scores"
    paths = {track.name: find_datasets(track, own_part(Path(request.key), track)) for track in campaign.tracks}
    total, done = sum(map(len, paths.values())), 0

    def report_next(dataset: str) -> None:
        nonlocal done
        report(done, total, dataset)
        done += 1

    runs = []
    with unpack_submission(path) as opened:
        opened = Submission(opened.path, request.name)
        for track in campaign.tracks:
            key, inputs = own_part(Path(request.key), track), prepared.inputs(track, paths[track.name])
            own = Disputes(
                chains=tuple(entity for entity in disputes.chains if entity.dataset in ("", *paths[track.name]))
            )
            scorer = Scorer(campaign, track, key, kept, own, all_scores, inputs, report_next)
            runs += list(scorer.run(Sent("team", "1", 1, path), opened))
    scores = []
    for run in runs:
        score = run.score(campaign.track(run.track).primary)
        records = _records(kept / run.track) if not run.failure else {}
        score_data = {
            "track": run.track,
            "score": score,
            "failure": run.failure,
            "missing": run.missing,
            "records": records,
        }
        scores.append(score_data)
    return {"runs": scores}


def _records(folder: Path) -> dict[str, Any]:
    """Return the written records by dataset."""
    files = sorted(folder.glob("*/*.json"))
    return {file.stem.rpartition("-")[0]: json.loads(file.read_text(encoding="utf-8")) for file in files}


def _findings(request: Request, prepared: Prepared, report: Report) -> dict[str, Any]:
    """Return the result tables in all formats, with the team names of the request."""
    report(0, 1, "tables")
    folder, disputes = Path(request.folder), _disputes(request)
    made = make_findings(
        campaign_of(request),
        request.key,
        _unpack_submissions(request),
        kept=folder / "scores",
        disputes=disputes or None,
        tables=None,
        chosen=request.chosen or {},
        aliases_of=lambda teams: Aliases(request.names or {}),
    )
    return {"forms": {form: made.render(form) for form in FORMS}}


def _sample(request: Request, prepared: Prepared, report: Report) -> dict[str, Any]:
    """Return a random sample of matched groups, wrong links and missed links."""
    report(0, 1, "sample")
    campaign = campaign_of(request)
    track = campaign.track(request.track)
    items, signature = collect_items(campaign, track, request.key, _unpack_submissions(request))
    return {"sample": draw_sample(items, size=request.size, seed=request.seed, signature=signature).to_dict()}


def _errors(request: Request, prepared: Prepared, report: Report) -> dict[str, Any]:
    """Return the errors in a document."""
    from ..api.errors import find_errors

    campaign = campaign_of(request)
    track = campaign.track(request.track)
    key = own_part(Path(request.key), track)
    paths = find_datasets(track, key)
    if request.dataset not in paths:
        raise CoindexError(f"unknown dataset {request.dataset!r}; choose one of {', '.join(paths)}", code="not-found")
    several = len({other.part_name for other in campaign.tracks}) > 1
    with unpack_submission(Path(request.folder) / request.name) as opened:
        whole = inside(opened, [track.part_name, *paths])
        part = find_part(whole.path, track, several=several)
        answer = None if part is None else answer_to(request.dataset, paths, inside(Submission(part, ""), list(paths)))
        if answer is None:
            raise CoindexError(
                f"the submission has no response to {request.dataset}; choose another dataset", code="missing-dataset"
            )
        both = [
            [doc for doc in read_annotated(path) if str(doc.id) == request.document]
            for path in (paths[request.dataset], answer)
        ]
    if not both[0]:
        raise CoindexError(f"no document {request.document!r} in {request.dataset}", code="not-found")
    settings = track.settings
    errors = find_errors(
        both[0], both[1], profile=track.profile, match=settings.match, singletons=settings.singletons, kind=track.kind
    )
    return {"errors": [case.to_dict() for case in errors.cases], "signature": errors.signature}


def _unpack_submissions(request: Request) -> Path:
    """Unpack the submissions as TEAM@RUN into a folder, as for scoring without a server, and return it."""
    folder = Path(request.folder)
    for team, run, file in request.received:
        target = folder / "received" / f"{team}{RUN}{run}"
        with unpack_submission(folder / file) as opened:
            if opened.path.is_dir():
                shutil.copytree(opened.path, target)
            else:
                target.mkdir(parents=True)
                shutil.copy(opened.path, target / opened.path.name)
    return folder / "received"


MOST_WRITTEN = 2 << 30
"""The maximum size of a file that a task writes, in bytes."""


def main() -> None:
    """Run tasks one after the other."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # print output must not mix with messages to the worker
    prepared = Prepared()
    gc.freeze()  # children share the loaded modules without garbage collection
    with suppress(BrokenPipeError):  # the parent has ended
        send(out, {"ready": os.getpid()})
        for line in _lines():
            request = Request(**json.loads(line))
            send(out, {"ended": _run_task(request, prepared, out)})
    _leave()


def send(out: IO[str], message: dict[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def _lines() -> Iterator[bytes]:
    """Yield the requests, unbuffered because `_run_task` also waits for the end of the input."""
    waiting = b""
    while piece := os.read(0, 1 << 16):
        waiting += piece
        while b"\n" in waiting:
            line, _, waiting = waiting.partition(b"\n")
            yield line


def _run_task(request: Request, prepared: Prepared, out: IO[str]) -> int:
    """Run a task in a child process and return its exit code as in `os.waitstatus_to_exitcode`."""
    try:
        prepared.read(request)
    except CoindexError as error:
        _write_error(request, error)
        return 0
    gc.freeze()
    ended, alive = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ended)
        _in_child(request, prepared, out)
    os.close(alive)
    try:
        while True:
            ready, _, _ = select.select([ended, 0], [], [])
            if ended in ready:
                return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            # There is one task at a time: what can be read now is the end of the input.
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            _leave()
    finally:
        os.close(ended)


def _leave() -> None:
    """Remove the folder with keys and submissions, and exit."""
    if Path.cwd().name.startswith(FOLDER):
        shutil.rmtree(Path.cwd(), ignore_errors=True)
    os._exit(0)


def _in_child(request: Request, prepared: Prepared, out: IO[str]) -> None:
    """Run the task in the child process; never return."""
    code = 1
    try:
        _limit(request)
        tempfile.tempdir = request.folder  # removed by the parent even if the child is killed
        result = perform(request, prepared, lambda *step: send(out, {"step": step}))
        _write(request, {"result": result})
        code = 0
    except CoindexError as error:
        _write_error(request, error)
        code = 0
    except MemoryError:
        prepared.clear()
        _write(request, {"limit": "memory"})
        code = 0
    except BaseException as error:
        # No message: it can contain a file name, and thus a team name.
        sys.stderr.write("".join(traceback.format_tb(error.__traceback__)) + type(error).__name__ + "\n")
    finally:
        os._exit(code)


def _limit(request: Request) -> None:
    """Limit the CPU time, memory and file size of the process; disable core dumps."""
    import resource  # not available on every system

    for what, most in (
        (resource.RLIMIT_CPU, request.seconds),
        (resource.RLIMIT_AS, request.memory),
        (resource.RLIMIT_FSIZE, MOST_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (value, hard))


def _write_error(request: Request, error: CoindexError) -> None:
    """Write an error without the paths of the key and the working folder."""

    def show(path: str) -> str:
        return hide_key(path, [request.key]).removeprefix(f"{request.folder}/")

    _write(request, {"error": error.text(show), "code": error.code})


def _write(request: Request, answer: dict[str, Any]) -> None:
    """Write the result atomically."""
    path = Path(request.folder) / RESULT
    staged = path.with_suffix(".part")
    staged.write_text(json.dumps(answer), encoding="utf-8")
    staged.rename(path)


if __name__ == "__main__":
    main()
