"""The process that does tasks: it has everything loaded, and does each task in a child of its own within limits.

It reads requests as JSON lines and tells what happens as JSON lines; what came of a task is a file in its folder. It
knows no database. It ends with its input, also in the middle of a task: nothing goes on when a worker is killed.
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
from .checking import Finding, count_errors
from .definition import Campaign, Track, parse_campaign
from .files import (
    Inputs,
    Submission,
    answer_to,
    answered,
    check_all,
    find_datasets,
    find_part,
    gives,
    hide_key,
    inside,
    own_part,
    unpacked,
)
from .findings import draw_sample, make_findings, sampled
from .scoring import RUN, Scorer, Scores, Sent
from .setups import Chain, Disputes
from .visibility import Aliases

Tell = Callable[[int, int, str], None]
FORMS = ("html", "markdown", "csv", "latex", "json", "text")
FOLDER = "coindex-work-"
"""What the folder of a worker begins with."""
RESULT = "result.json"
"""The file in its folder that says what came of a task."""
MOST_FINDINGS = 1000
"""So many findings of a check are told; a submission in the wrong format has one for every word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be done: `folder` is for this task alone, `key` a folder with a key or an input."""

    kind: str
    folder: str
    definition: str
    key: str
    name: str = ""
    """The file of the submission in the folder."""
    chains: tuple[dict[str, str], ...] = ()
    chosen: dict[str, str] | None = None
    names: dict[str, str] | None = None
    """What teams are called that go by other names in files."""
    received: tuple[tuple[str, str, str], ...] = ()
    """Team, run and file in the folder of each submission, where a task is about many."""
    track: str = ""
    dataset: str = ""
    document: str = ""
    size: int = 0
    seed: int = 0
    seconds: int = 600
    memory: int = 4 << 30


class Prepared:
    """Inputs that were read once and serve many tasks, and all tracks that give the same."""

    MOST = 8

    def __init__(self) -> None:
        self._docs: LRUCache[str, dict[str, list[Document]]] = LRUCache(self.MOST)

    def clear(self) -> None:
        """Give the memory back."""
        self._docs.clear()

    def inputs(self, track: Track, paths: Mapping[str, Path]) -> Inputs:
        """The input of a track, all of it in memory."""
        name = json.dumps([gives(track), {dataset: str(path) for dataset, path in paths.items()}])
        if name not in self._docs:
            made = Inputs(track, paths)
            self._docs[name] = {dataset: made.docs(dataset) for dataset in paths}
        return Inputs(track, paths, self._docs[name])

    def read(self, request: Request) -> None:
        """Read what the task will need, so that those after it have it too."""
        if request.kind in ("check", "score"):
            for track in campaign_of(request).tracks:
                self.inputs(track, find_datasets(track, own_part(Path(request.key), track)))


def campaign_of(request: Request) -> Campaign:
    return parse_campaign(parse_toml(request.definition, "the campaign"), "the campaign")


def _disputes(request: Request) -> Disputes:
    return Disputes(chains=tuple(Chain(**chain) for chain in request.chains))


def perform(request: Request, prepared: Prepared, tell: Tell) -> dict[str, Any]:
    """Do it; what came of it as plain data."""
    task = {"check": _check, "score": _score, "findings": _findings, "sample": _sample, "errors": _errors}
    return task[request.kind](request, prepared, tell)


def _check(request: Request, prepared: Prepared, tell: Tell) -> dict[str, Any]:
    """The findings of the validator, and the tracks that there is an answer to."""
    campaign, key, path = campaign_of(request), Path(request.key), Path(request.folder) / request.name
    findings = check_all(campaign.tracks, campaign.tracks, key, path, inputs_of=prepared.inputs)
    tracks = []
    if not count_errors(findings):
        with unpacked(path) as opened:
            tracks = answered(campaign.tracks, key, opened)
    shown = [_without_folder(finding, request.folder) for finding in _first(findings)]
    return {"findings": shown, "tracks": tracks}


def _first(findings: Sequence[Finding]) -> list[Finding]:
    """Errors first, as many as are told."""
    ordered = sorted(findings, key=lambda finding: finding.severity != "error")
    return ordered[:MOST_FINDINGS]


def _without_folder(finding: Finding, folder: str) -> dict[str, Any]:
    return asdict(replace(finding, file=finding.file.removeprefix(f"{folder}/")))


def _score(request: Request, prepared: Prepared, tell: Tell) -> dict[str, Any]:
    """What the submission is worth in each track that it answers."""
    campaign, disputes, found = campaign_of(request), _disputes(request), Scores()
    path, kept = Path(request.folder) / request.name, Path(request.folder) / "scores"
    paths = {track.name: find_datasets(track, own_part(Path(request.key), track)) for track in campaign.tracks}
    total, done = sum(map(len, paths.values())), 0

    def tell_next(dataset: str) -> None:
        nonlocal done
        tell(done, total, dataset)
        done += 1

    runs = []
    with unpacked(path) as opened:
        opened = Submission(opened.path, request.name)
        for track in campaign.tracks:
            key, inputs = own_part(Path(request.key), track), prepared.inputs(track, paths[track.name])
            own = Disputes(chains=tuple(one for one in disputes.chains if one.dataset in ("", *paths[track.name])))
            scorer = Scorer(campaign, track, key, kept, own, found, inputs, tell_next)
            runs += list(scorer.run(Sent("team", "1", 1, path), opened))
    told = []
    for run in runs:
        score = run.score(campaign.track(run.track).primary)
        records = _records(kept / run.track) if not run.failure else {}
        one = {"track": run.track, "score": score, "failure": run.failure, "missing": run.missing, "records": records}
        told.append(one)
    return {"runs": told}


def _records(folder: Path) -> dict[str, Any]:
    """The records that were written, by dataset."""
    files = sorted(folder.glob("*/*.json"))
    return {file.stem.rpartition("-")[0]: json.loads(file.read_text(encoding="utf-8")) for file in files}


def _findings(request: Request, prepared: Prepared, tell: Tell) -> dict[str, Any]:
    """The tables of the findings in every form; teams by the names of the request."""
    tell(0, 1, "tables")
    folder, disputes = Path(request.folder), _disputes(request)
    made = make_findings(
        campaign_of(request),
        request.key,
        _received(request),
        kept=folder / "scores",
        disputes=disputes or None,
        tables=None,
        chosen=request.chosen or {},
        aliases_of=lambda teams: Aliases(request.names or {}),
    )
    return {"forms": {form: made.render(form) for form in FORMS}}


def _sample(request: Request, prepared: Prepared, tell: Tell) -> dict[str, Any]:
    """Matched groups, wrong and missed links, drawn by chance."""
    tell(0, 1, "sample")
    campaign = campaign_of(request)
    track = campaign.track(request.track)
    items, signature = sampled(campaign, track, request.key, _received(request))
    return {"sample": draw_sample(items, size=request.size, seed=request.seed, signature=signature).to_dict()}


def _errors(request: Request, prepared: Prepared, tell: Tell) -> dict[str, Any]:
    """What is wrong in one document."""
    from ..api.errors import find_errors

    campaign = campaign_of(request)
    track = campaign.track(request.track)
    key = own_part(Path(request.key), track)
    paths = find_datasets(track, key)
    if request.dataset not in paths:
        raise CoindexError(
            f"no dataset {request.dataset!r}; expected one of {', '.join(paths)}; choose one of them", code="not-found"
        )
    several = len({one.part_name for one in campaign.tracks}) > 1
    with unpacked(Path(request.folder) / request.name) as opened:
        whole = inside(opened, [track.part_name, *paths])
        part = find_part(whole.path, track, several=several)
        answer = None if part is None else answer_to(request.dataset, paths, inside(Submission(part, ""), list(paths)))
        if answer is None:
            raise CoindexError(f"no answer to {request.dataset}; choose another dataset", code="missing-dataset")
        both = [
            [doc for doc in read_annotated(path) if str(doc.id) == request.document]
            for path in (paths[request.dataset], answer)
        ]
    if not both[0]:
        raise CoindexError(
            f"no document {request.document!r} in {request.dataset}; choose one of its documents", code="not-found"
        )
    settings = track.settings
    found = find_errors(
        both[0], both[1], profile=track.profile, match=settings.match, singletons=settings.singletons, kind=track.kind
    )
    return {"errors": [case.to_dict() for case in found.cases], "signature": found.signature}


def _received(request: Request) -> Path:
    """The submissions as organisers have them who have no server: TEAM@RUN in a folder, unpacked."""
    folder = Path(request.folder)
    for team, run, file in request.received:
        target = folder / "received" / f"{team}{RUN}{run}"
        with unpacked(folder / file) as opened:
            if opened.path.is_dir():
                shutil.copytree(opened.path, target)
            else:
                target.mkdir(parents=True)
                shutil.copy(opened.path, target / opened.path.name)
    return folder / "received"


MOST_WRITTEN = 2 << 30
"""Bytes of one file that a task may write."""


def main() -> None:
    """Tasks one after the other."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # whatever prints does not speak to the worker
    prepared = Prepared()
    gc.freeze()  # children share what is loaded, and never look through it
    with suppress(BrokenPipeError):  # nobody listens any more
        say(out, {"ready": os.getpid()})
        for line in _lines():
            request = Request(**json.loads(line))
            say(out, {"ended": _attend(request, prepared, out)})
    _leave()


def say(out: IO[str], message: dict[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def _lines() -> Iterator[bytes]:
    """The requests. Read without a buffer of Python's, as the end of the input is waited for elsewhere too."""
    waiting = b""
    while piece := os.read(0, 1 << 16):
        waiting += piece
        while b"\n" in waiting:
            line, _, waiting = waiting.partition(b"\n")
            yield line


def _attend(request: Request, prepared: Prepared, out: IO[str]) -> int:
    """Do a task in a child; how it ended, as `os.waitstatus_to_exitcode` tells."""
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
    """End, as the worker has: keys and submissions are not left lying about."""
    if Path.cwd().name.startswith(FOLDER):
        shutil.rmtree(Path.cwd(), ignore_errors=True)
    os._exit(0)


def _in_child(request: Request, prepared: Prepared, out: IO[str]) -> None:
    """Does not come back."""
    code = 1
    try:
        _limit(request)
        tempfile.tempdir = request.folder  # which is removed even after a kill
        result = perform(request, prepared, lambda *step: say(out, {"step": step}))
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
        # Where, but not the message: it may have the name of a file, and that the name of a team.
        sys.stderr.write("".join(traceback.format_tb(error.__traceback__)) + type(error).__name__ + "\n")
    finally:
        os._exit(code)


def _limit(request: Request) -> None:
    """What a task may use: seconds of the processor, memory, the size of a file; it leaves no core."""
    import resource  # not on every system, though tests import this module on every one

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
    """The error without the places of the key and of the folder where the task was done."""

    def show(path: str) -> str:
        return hide_key(path, [request.key]).removeprefix(f"{request.folder}/")

    _write(request, {"error": error.text(show), "code": error.code})


def _write(request: Request, answer: dict[str, Any]) -> None:
    """All of it or nothing."""
    path = Path(request.folder) / RESULT
    staged = path.with_suffix(".part")
    staged.write_text(json.dumps(answer), encoding="utf-8")
    staged.rename(path)


if __name__ == "__main__":
    main()
