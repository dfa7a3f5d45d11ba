"""Run campaigns with folders, without a server."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CoindexError

if TYPE_CHECKING:
    from ..analysis.reports import Report
    from ..analysis.tables import Table
    from .checking import SubmissionProblem
    from .definition import Campaign, Mentions, Track, Zeros
    from .findings import Sample
    from .scoring import Run
    from .setups import Disputes
    from .visibility import Aliases, Role

PathLike = str | os.PathLike[str]
ALIASES = "aliases.json"
TRACK = "coreference"


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboards of a campaign, one per track, with the scored runs and the log messages."""

    tables: Sequence[Table]
    runs: Sequence[Run]
    log: Sequence[str] = field(default_factory=list)
    about: Mapping[str, Any] = field(default_factory=dict)

    def render(self, form: str = "text", **options: Any) -> str:
        """Return all tables as text, json, csv, markdown, latex or html."""
        from ..analysis.writers import render

        return render(self.tables, form, about=self.about, **options)

    def __str__(self) -> str:
        return self.render()


def read_campaign(name: PathLike) -> Campaign:
    """Return the campaign in a TOML file, or a template: crac22, rueval14, are07, ecb-realistic."""
    from .definition import load_campaign

    return load_campaign(os.fspath(name))


def new_campaign(name: str, *, like: str = "crac22", opens: date) -> str:
    """Return the text of a new definition, based on the template `like`; its first phase opens on the day `opens`."""
    from .definition import new_definition

    return new_definition(name, like, opens)


def blind_key(
    key: PathLike,
    output: PathLike,
    *,
    campaign: PathLike | None = None,
    mentions: Mentions = "hidden",
    zeros: Zeros = "kept",
    task: int | None = None,
    keep: Sequence[str] = (),
) -> list[Path]:
    """Write the blind input of a key and return the written paths.

    The input has the same files as the key, in one folder per part if a campaign has several. Without a campaign,
    `mentions`, `zeros` and `task` specify the input as in the definition of a track. `keep` names MISC fields, comments
    and metadata to keep in addition to those known to be harmless.
    """
    from .files import write_inputs

    tracks = _tracks(campaign, mentions, zeros, task)
    return write_inputs(tracks, Path(key), Path(output), keep)


def check_submission(
    given: PathLike,
    submission: PathLike,
    *,
    campaign: PathLike | None = None,
    track: str | None = None,
    profile: str | None = None,
) -> list[SubmissionProblem]:
    """Return all problems in a submission, compared with the blind input or the key, as a server reports them.

    A submission is a file, a folder, a zip or a .gz. The result does not depend on the entities of the key.
    """
    from .files import check_all

    tracks = _tracks(campaign, "hidden", "kept", None, profile)
    chosen = [candidate for candidate in tracks if track is None or candidate.name == track]
    if track is not None and not chosen:
        assert campaign is not None, "without a campaign there is one track"
        read_campaign(campaign).track(track)  # raises an error that lists the known tracks
    return check_all(tracks, chosen, Path(given), submission)


def score_campaign(
    campaign: PathLike,
    keys: PathLike,
    submissions: PathLike,
    *,
    scores: PathLike | None = None,
    switched_off: PathLike | None = None,
    tracks: Sequence[str] = (),
    chosen: Mapping[str, str] | None = None,
    role: Role = "organiser",
    phase: str | None = None,
    now: datetime | None = None,
    anonymous: bool = False,
    rounds: int = 10_000,
    seed: int = 0,
) -> Board:
    """Score a folder of submissions and return the leaderboards.

    Each submission is a file, folder, zip or .gz named TEAM or TEAM@RUN. Scores are cached in the folder `scores`,
    together with `log.txt`. `role` and `phase` select the leaderboard as that role sees it at the time `now`: it is an
    error if the phase hides the scores. Aliases replace team names if the phase hides them or `anonymous` is set.
    """
    from .leaderboard import leaderboard
    from .scoring import append_log, score_runs

    definition = read_campaign(campaign)
    hide = _hides_names(definition, role, phase, now) or anonymous
    kept = None if scores is None else Path(scores)
    disputes = _disputes(switched_off)
    with score_runs(definition, keys, submissions, kept=kept, disputes=disputes, tracks=tracks) as all_scores:
        aliases = _aliases(definition, [run.team for run in all_scores.runs], kept, hide=hide)
        named = [definition.track(name) for name in tracks] or list(definition.tracks)
        tables = [
            leaderboard(definition, track, all_scores.runs, aliases=aliases, chosen=chosen, rounds=rounds, seed=seed)
            for track in named
            if any(run.track == track.name for run in all_scores.runs)
        ]
        if not tables:
            parts = dict.fromkeys(track.part_name for track in named)
            raise CoindexError(
                "no submission contains a file or folder for any track; "
                f"name them after their parts: {', '.join(parts)}",
                code="wrong-part-name",
                path=os.fspath(submissions),
            )
        log = [aliases.text(line) for line in dict.fromkeys(all_scores.log)]
        if kept is not None:
            append_log(kept, [f"scored {len(all_scores.runs)} runs of {definition.name}", *log])
        about = {"campaign": definition.name, "counts": definition.counts, "log": log}
        return Board(tables, aliases.apply(all_scores.runs), log, about)


def campaign_findings(
    campaign: PathLike,
    keys: PathLike,
    submissions: PathLike,
    *,
    scores: PathLike | None = None,
    switched_off: PathLike | None = None,
    tables: Sequence[str] | None = None,
    chosen: Mapping[str, str] | None = None,
    anonymous: bool = False,
) -> Report:
    """Return the result tables for the ranked run of each team; `tables` selects tables by name or number."""
    from .findings import make_findings

    definition = read_campaign(campaign)
    kept = None if scores is None else Path(scores)
    return make_findings(
        definition,
        keys,
        submissions,
        kept=kept,
        disputes=_disputes(switched_off),
        tables=tables,
        chosen=chosen or {},
        aliases_of=lambda teams: _aliases(definition, teams, kept, hide=anonymous),
    )


def sample_key(
    campaign: PathLike,
    keys: PathLike,
    submissions: PathLike,
    *,
    track: str | None = None,
    size: int = 50,
    seed: int = 0,
    earlier: PathLike | None = None,
) -> Sample:
    """Draw a random sample of matched groups, wrong links and missed links from all scored runs.

    `earlier` is a previous sample whose verdicts are reused.
    """
    from .findings import collect_items, draw_sample, with_verdicts

    definition = read_campaign(campaign)
    chosen = definition.track(track) if track is not None else definition.tracks[0]
    items, signature = collect_items(definition, chosen, keys, submissions)
    sample = draw_sample(items, size=size, seed=seed, signature=signature)
    return sample if earlier is None else with_verdicts(sample, read_sample(earlier))


def read_sample(path: PathLike) -> Sample:
    """Read a sample with its verdicts."""
    from .findings import parse_sample

    return parse_sample(_read_json(Path(path)), os.fspath(path))


def _tracks(
    campaign: PathLike | None, mentions: Mentions, zeros: Zeros, task: int | None, profile: str | None = None
) -> list[Track]:
    from ..scoring import make_settings
    from ..scoring.profiles import CONLL
    from .definition import Track

    if campaign is not None:
        if (mentions, zeros, task, profile) != ("hidden", "kept", None, None):
            raise CoindexError(
                "the campaign already specifies the input; omit the options mentions, zeros, task and profile",
                code="invalid-option",
            )
        return list(read_campaign(campaign).tracks)
    name = profile or (f"are07-task{task}" if task in (1, 2, 3, 4) else "crac24")
    metrics = make_settings(name).metrics
    primary = "conll" if set(CONLL) <= set(metrics) else metrics[0]
    return [Track(name=TRACK, profile=name, primary=primary, mentions=mentions, blind_zeros=zeros, task=task)]


def _disputes(path: PathLike | None) -> Disputes | None:
    from .setups import read_disputes

    return None if path is None else read_disputes(Path(path))


def _hides_names(campaign: Campaign, role: Role, phase: str | None, now: datetime | None) -> bool:
    """Return whether team names are hidden from a role; raise an error if the scores are hidden."""
    from datetime import UTC

    from .visibility import visible

    if role == "organiser" and phase is None:
        return False
    if phase is None:
        raise CoindexError(
            "no phase given; name the phase of the submissions, for example --phase evaluation",
            code="nothing-given",
        )
    chosen, at = campaign.phase(phase), now or datetime.now(UTC)
    if not visible(at, role, "scores", campaign, chosen):
        hidden = f"the scores of {phase} are hidden from this role at {at:%Y-%m-%d %H:%M} UTC"
        raise CoindexError(f"{hidden}; choose a later time or the role organiser", code="not-shown")
    return not visible(at, role, "team_names", campaign, chosen)


def _aliases(campaign: Campaign, teams: Sequence[str], kept: Path | None, *, hide: bool) -> Aliases:
    """Return the aliases of the teams, none if names are shown; new aliases are saved in the folder of scores."""
    from ..formats.sink import Sink
    from .visibility import Aliases, draw_aliases

    if not hide:
        return Aliases()
    if kept is None:
        raise CoindexError(
            "aliases need a folder in which they are saved; name one with --scores",
            code="invalid-option",
        )
    file = kept / ALIASES
    known = _read_json(file) if file.exists() else {}
    given = {str(team): str(alias) for team, alias in known.items()}
    aliases = draw_aliases(teams, prefix=campaign.alias, seed=secrets.randbits(64), given=given)
    if aliases.names != given:
        with Sink(file) as sink:
            sink.stream.write(json.dumps(dict(aliases.names), ensure_ascii=False, indent=1) + "\n")
    return aliases


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CoindexError(
            f"cannot read the file: {error.strerror}; check the path", code="unreadable-file", path=path
        ) from error
    except ValueError as error:
        raise CoindexError(f"not valid JSON: {error}", code="invalid-json", path=path) from error
    if not isinstance(data, dict):
        raise CoindexError(
            "not a file written by coindex: expected a JSON object", code="invalid-json-value", path=path
        )
    return data
