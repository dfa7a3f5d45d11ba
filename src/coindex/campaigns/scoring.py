"""Check and score the runs of a campaign, or load cached scores; a failed run does not stop the others."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ..api.scoring import score
from ..corpora.files import read_annotated
from ..document import Document
from ..errors import CoindexError, quote
from ..formats.registry import all_formats
from ..formats.sink import Sink
from ..scoring import Counts, MacroResult, Result, Settings, UnitCounts, macro_average
from ..scoring.profiles import signature
from ..scoring.result import package_version
from ..settings import parse_section
from .checking import count_errors
from .definition import Campaign, Track
from .files import (
    Inputs,
    Submission,
    answer_to,
    check_answer,
    digest,
    entries,
    find_datasets,
    find_part,
    hide_key,
    inside,
    unpack_submission,
)
from .setups import Disputes, check_disputes, switch_off

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of a team in a track: its results by dataset, or why it could not be scored."""

    team: str
    name: str = "1"
    track: str
    results: Mapping[str, Result] = field(default_factory=dict)
    failure: str = ""
    """Why the run could not be scored; failed runs are never ranked."""
    missing: tuple[str, ...] = ()
    """Datasets without a response."""
    order: int = 1
    """The number of the run; later ones have higher numbers."""

    notes: tuple[str, ...] = ()
    """Changes to the key for the signature, such as excluded chains."""

    @property
    def message(self) -> str:
        return self.failure

    def with_team(self, team: str, message: str) -> Run:
        """Return the run under another team name; the run name becomes its number, as it could reveal the team."""
        name = self.name if team == self.team else str(self.order)
        return replace(self, team=team, name=name, failure=message)

    @property
    def macro(self) -> MacroResult | None:
        """The mean over datasets; None if one is missing, so that omitting hard datasets has no advantage."""
        return None if self.failure or self.missing or not self.results else macro_average(self.results)

    def score(self, metric: str) -> float | None:
        """Return the mean F1 of a metric over datasets."""
        macro = self.macro
        return None if macro is None else value_of(macro, metric)

    @property
    def signature(self) -> str:
        """The signature of the means; empty if there are no results."""
        macro = [f"macro:{len(self.results)}"] if len(self.results) > 1 else []
        return self._make_signature(*macro) if self.results else ""

    @property
    def dataset_signature(self) -> str:
        """The signature of the scores of single datasets."""
        return self._make_signature() if self.results else ""

    def _make_signature(self, *more: str) -> str:
        settings = next(iter(self.results.values())).settings
        return signature(settings, package_version(), *more, *self.notes)


def value_of(result: Result | MacroResult, metric: str) -> float | None:
    """Return the score of a result by metric name."""
    return result.conll if metric == "conll" else result[metric].f1


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Checksums of the data that a score was computed from: response, key and excluded chains."""

    answer: str
    key: str
    switched_off: str = ""

    def name(self, signature: str) -> str:
        """Return the name of the record's file; it depends on everything that can change a score."""
        text = json.dumps([signature, self.answer, self.key, self.switched_off])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def to_record(result: Result, source: Source) -> dict[str, Any]:
    """Return a result as plain data, including its counts."""
    return {
        "version": VERSION,
        "signature": result.signature,
        "source": asdict(source),
        "settings": asdict(result.settings),
        "scores": result.to_dict(),
        "units": [
            {"id": unit.id, "counts": {name: list(counts.values) for name, counts in unit.counts.items()}}
            for unit in result.units
        ],
    }


def from_record(record: Mapping[str, Any], place: str) -> Result:
    """Return the exact result that a record was created from."""
    if record.get("version") != VERSION:
        raise CoindexError(
            f"{place}: the record has another version than {VERSION}; delete it to compute the score again",
            code="unknown-version",
        )
    try:
        settings: Settings = parse_section(Settings, record["settings"], place)
        units = [
            UnitCounts(unit["id"], {name: Counts(tuple(values)) for name, values in unit["counts"].items()})
            for unit in record["units"]
        ]
        return Result.of(settings, units)
    except (KeyError, TypeError, AttributeError) as error:
        raise CoindexError(
            f"{place}: invalid score record ({error}); delete it to compute the score again", code="broken-record"
        ) from error


RUN = "@"
"""Separates the team from the run in the name of a submission: mill@2.zip."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A submission in the organisers' folder."""

    team: str
    run: str
    order: int
    path: Path


@dataclass(slots=True)
class Scores:
    """Scored runs and log messages; the paths in `where` and `keys` are valid while `score_runs` is active."""

    runs: list[Run] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    where: dict[tuple[str, str, str], Path] = field(default_factory=dict)
    """The path of the response by track, team and run."""
    keys: dict[str, Path] = field(default_factory=dict)
    """The path of the key by track."""


def list_submissions(folder: str | os.PathLike[str]) -> list[Sent]:
    """Return the submissions in a folder, named TEAM or TEAM@RUN; the runs of a team are numbered in name order."""
    path = Path(folder)
    if not path.is_dir():
        raise CoindexError(
            "not a folder; pass a folder with one file or folder per submission",
            code="not-a-folder",
            path=path,
        )
    submissions_by_team: dict[str, list[tuple[str, Path]]] = {}
    for entry in entries(path):
        team, _, run = _submission_name(entry).partition(RUN)
        if not team.strip():
            raise CoindexError(
                f"the submission has no team name; name it TEAM or TEAM{RUN}RUN",
                code="invalid-name",
                path=entry,
            )
        submissions_by_team.setdefault(team, []).append((run or "1", entry))
    if not submissions_by_team:
        raise CoindexError(
            f"the folder contains no submissions; name them TEAM or TEAM{RUN}RUN",
            code="nothing-to-read",
            path=path,
        )
    sent = []
    for team, runs in submissions_by_team.items():
        names = [run for run, _ in runs]
        twice = next((run for run in names if names.count(run) > 1), None)
        if twice is not None:
            raise CoindexError(
                f"two runs {quote(twice)} of {quote(team)}; rename one of them",
                code="duplicate-input",
                path=path,
            )
        runs.sort(key=lambda pair: (not pair[0].isdecimal(), int(pair[0]) if pair[0].isdecimal() else 0, pair[0]))
        sent += [Sent(team, run, number, entry) for number, (run, entry) in enumerate(runs, 1)]
    return sent


def _submission_name(path: Path) -> str:
    """Return the name of a submission without file extensions; other dots belong to the name."""
    if path.is_dir():
        return path.name
    name = path.name.removesuffix(".zip").removesuffix(".gz")
    endings = [end for format in all_formats() for end in format.extensions if end.startswith(".")]
    longest = max((end for end in endings if name.endswith(end)), key=len, default="")
    return name.removesuffix(longest) or name


@contextmanager
def score_runs(
    campaign: Campaign,
    keys: str | os.PathLike[str],
    submissions: str | os.PathLike[str],
    *,
    kept: Path | None = None,
    disputes: Disputes | None = None,
    tracks: Sequence[str] = (),
) -> Iterator[Scores]:
    """Score all runs in all tracks; archives stay unpacked until the context ends."""
    disputes = disputes or Disputes()
    scores = Scores()
    chosen = [campaign.track(name) for name in tracks] or list(campaign.tracks)
    sent = list_submissions(submissions)
    with ExitStack() as stack:
        opened: dict[Path, Submission | CoindexError] = {}
        for run in sent:
            try:
                opened[run.path] = stack.enter_context(unpack_submission(run.path))
            except CoindexError as error:
                opened[run.path] = error
        for track in chosen:
            key = _key(campaign, track, Path(keys))
            scores.keys[track.name] = key
            scorer = Scorer(campaign, track, key, kept, disputes, scores)
            for run in sent:
                scores.runs += scorer.run(run, opened[run.path])
        if disputes:
            scores.log += map(str, disputes.chains)
        yield scores


def _key(campaign: Campaign, track: Track, path: Path) -> Path:
    """Return the key of a track: its part of the folder, or the whole folder if tracks share one key."""
    if not path.exists():
        raise CoindexError("no such file or folder; pass the path of the key", code="unreadable-file", path=path)
    return find_part(path, track, several=False) or path


class Scorer:
    """Scores runs in one track."""

    def __init__(
        self,
        campaign: Campaign,
        track: Track,
        key: Path,
        kept: Path | None,
        disputes: Disputes,
        all_scores: Scores,
        inputs: Inputs | None = None,
        on_dataset: Callable[[str], None] | None = None,
    ) -> None:
        """Prepare the track; `on_dataset` is called with the name of each dataset before it is scored."""
        self.several = len({other.part_name for other in campaign.tracks}) > 1
        self.track, self.kept, self.disputes, self.all_scores = track, kept, disputes, all_scores
        self.paths = find_datasets(track, key)
        self.inputs = inputs or Inputs(track, self.paths)
        self.on_dataset = on_dataset
        self.digests = {name: digest(path) for name, path in self.paths.items()}
        self.keys: dict[str, list[Document]] = {}
        if disputes:
            self.keys = {name: list(read_annotated(path)) for name, path in self.paths.items()}
            check_disputes(disputes, self.keys)

    def run(self, sent: Sent, opened: Submission | CoindexError) -> Iterator[Run]:
        """Score a submission in this track; yield nothing if it has no part for the track."""
        results: dict[str, Result] = {}
        missing: list[str] = []
        failure = ""
        answer = None
        try:
            if isinstance(opened, CoindexError):
                raise opened
            part = find_part(inside(opened, self._names()).path, self.track, several=self.several)
            if part is None:
                return
            answer = inside(Submission(part, opened.show_path(str(part))), list(self.paths))
            self.all_scores.where[self.track.name, sent.team, sent.run] = answer.path
            for name in self.paths:
                if self.on_dataset is not None:
                    self.on_dataset(name)
                path = answer_to(name, self.paths, answer)
                if path is None:
                    missing.append(name)
                else:
                    results[name] = self._result(sent, name, path, answer)
            if not results:
                raise CoindexError(
                    f"{answer.name}: no response to any dataset of {', '.join(self.paths)}", code="missing-dataset"
                )
        except CoindexError as error:
            failure, results, missing = error.text(partial(self._show_path, answer)), {}, []
        yield Run(
            team=sent.team,
            name=sent.run,
            track=self.track.name,
            results=results,
            failure=failure,
            missing=tuple(missing),
            order=sent.order,
            notes=self.disputes.note(),
        )

    def _show_path(self, answer: Submission | None, path: str) -> str:
        """Return a path without the location of keys and unpacked archives."""
        if answer is not None and Path(path).is_relative_to(answer.path):
            return answer.show_path(path)
        return hide_key(path, map(str, self.paths.values()))

    def _names(self) -> list[str]:
        return [self.track.part_name, *self.paths]

    def _result(self, sent: Sent, name: str, path: Path, answer: Submission) -> Result:
        """Return the scores of a response, from the cache or newly computed."""
        source = Source(answer=digest(path), key=self.digests[name], switched_off=self.disputes.digest(name))
        signature = Result.of(self.track.settings, []).signature
        file = None
        if self.kept is not None:
            file = self.kept / self.track.name / f"{sent.team}{RUN}{sent.run}" / f"{name}-{source.name(signature)}.json"
            if file.is_file():
                return from_record(_read_json(file), str(file))
        findings = list(check_answer(self.inputs, name, path, answer))
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors:
            more = f" (and {count_errors(findings) - 1} more)" if len(errors) > 1 else ""
            raise CoindexError(f"{errors[0]}{more}", code=errors[0].code)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = self._score(name, path)
        label = f"{sent.team}, run {sent.run}, {self.track.name}"
        self.all_scores.log += [f"{label}: {warning.message}" for warning in caught]
        if file is not None:
            with Sink(file) as sink:
                sink.stream.write(json.dumps(to_record(result, source), ensure_ascii=False, indent=1) + "\n")
        return result

    def _score(self, name: str, path: Path) -> Result:
        track = self.track
        from ..scoring import score_documents

        if self.disputes.of(name):
            both = switch_off(self.keys[name], read_annotated(path), self.disputes.of(name), track.settings)
            return score_documents(*both, track.settings)
        if track.one_dataset:  # file names do not matter
            return score_documents(list(read_annotated(self.paths[name])), list(read_annotated(path)), track.settings)
        return score(
            self.paths[name],
            path,
            profile=track.profile,
            match=track.match,
            singletons=track.singletons,
            zeros=track.zeros,
            unit=track.unit,
            kind=track.kind,
        )


def _read_json(file: Path) -> dict[str, object]:
    try:
        data: dict[str, object] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CoindexError(
            f"cannot read the score record ({error}); delete it to compute the score again",
            code="broken-record",
            path=file,
        ) from error
    return data


def append_log(kept: Path, lines: Sequence[str]) -> None:
    """Append timestamped lines to the log in the folder of scores."""
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / "log.txt").open("a", encoding="utf-8") as out:
        out.writelines(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {line}\n" for line in lines)
