"""Campaigns in folders, without a server."""

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
    from .checking import Finding
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
    """The leaderboards of a campaign, one for each track, and what there is to tell of the scoring."""

    tables: Sequence[Table]
    runs: Sequence[Run]
    log: Sequence[str] = field(default_factory=list)
    about: Mapping[str, Any] = field(default_factory=dict)

    def render(self, form: str = "text", **options: Any) -> str:
        """All tables as text, json, csv, markdown, latex or html."""
        from ..analysis.writers import render

        return render(self.tables, form, about=self.about, **options)

    def __str__(self) -> str:
        return self.render()


def read_campaign(name: PathLike) -> Campaign:
    """The campaign of a TOML file, or a ready one: crac22, rueval14, are07, ecb-realistic."""
    from .definition import load_campaign

    return load_campaign(os.fspath(name))


def new_campaign(name: str, *, like: str = "crac22", opens: date) -> str:
    """The text of a definition to begin with; its first phase opens on that day."""
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
    """Write the input that participants get of a key: the same files, for each part where a campaign has several.

    `mentions`, `zeros` and `task` are what a campaign says in its tracks. `keep` names fields of MISC, comments and
    metadata that may stay beside those that are known to be harmless.
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
) -> list[Finding]:
    """All that is wrong with a submission, compared with the blind input or the key: what a server says of it.

    A submission is a file, a folder, a zip or a .gz. Nothing depends on the key's entities.
    """
    from .files import check_all

    tracks = _tracks(campaign, "hidden", "kept", None, profile)
    chosen = [one for one in tracks if track is None or one.name == track]
    if track is not None and not chosen:
        assert campaign is not None, "without a campaign there is one track"
        read_campaign(campaign).track(track)  # says which there are
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
    """Score a folder of submissions: TEAM or TEAM@RUN, a file, folder, zip or .gz each.

    Scores are kept in the folder `scores` by what they were computed by and from; there `log.txt` says what was done.
    `role` and `phase` ask for the board as somebody sees it at the time `now`: what the phase hides is an error, and
    teams go by aliases where it hides their names, or where `anonymous` says so.
    """
    from .leaderboard import leaderboard
    from .scoring import append_log, scored

    definition = read_campaign(campaign)
    hide = _may_see(definition, role, phase, now) or anonymous
    kept = None if scores is None else Path(scores)
    disputes = _disputes(switched_off)
    with scored(definition, keys, submissions, kept=kept, disputes=disputes, tracks=tracks) as found:
        aliases = _aliases(definition, [run.team for run in found.runs], kept, hide=hide)
        named = [definition.track(name) for name in tracks] or list(definition.tracks)
        tables = [
            leaderboard(definition, track, found.runs, aliases=aliases, chosen=chosen, rounds=rounds, seed=seed)
            for track in named
            if any(run.track == track.name for run in found.runs)
        ]
        if not tables:
            parts = dict.fromkeys(track.part_name for track in named)
            raise CoindexError(
                f"nothing for any track; expected files or folders called "
                f"{' or '.join(parts)} in the submissions; name them so",
                code="wrong-part-name",
                path=os.fspath(submissions),
            )
        log = [aliases.text(line) for line in dict.fromkeys(found.log)]
        if kept is not None:
            append_log(kept, [f"scored {len(found.runs)} runs of {definition.name}", *log])
        about = {"campaign": definition.name, "counts": definition.counts, "log": log}
        return Board(tables, aliases.apply(found.runs), log, about)


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
    """The tables of the findings paper over the runs that count; `tables` chooses some by name or number."""
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
    """A random sample of matched groups, wrong links and missed links of all runs that could be scored.

    `earlier` is a sample whose verdicts are taken over.
    """
    from .findings import draw_sample, sampled, with_verdicts

    definition = read_campaign(campaign)
    one = definition.track(track) if track is not None else definition.tracks[0]
    items, signature = sampled(definition, one, keys, submissions)
    found = draw_sample(items, size=size, seed=seed, signature=signature)
    return found if earlier is None else with_verdicts(found, read_sample(earlier))


def read_sample(path: PathLike) -> Sample:
    """A sample with its verdicts."""
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
                "the campaign says what is given; leave the options mentions, zeros, task, profile out",
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


def _may_see(campaign: Campaign, role: Role, phase: str | None, now: datetime | None) -> bool:
    """Whether names are hidden from somebody; an error where even scores are."""
    from datetime import UTC

    from .visibility import visible

    if role == "organiser" and phase is None:
        return False
    if phase is None:
        raise CoindexError(
            "no phase; expected the one that the submissions are of; name it, as in --phase evaluation",
            code="nothing-given",
        )
    one, at = campaign.phase(phase), now or datetime.now(UTC)
    if not visible(at, role, "scores", campaign, one):
        hidden = f"{phase}: its scores are hidden from this role at {at:%Y-%m-%d %H:%M} UTC"
        raise CoindexError(
            f"{hidden}; expected a time when a phase shows them; wait, or look as organiser", code="not-shown"
        )
    return not visible(at, role, "team_names", campaign, one)


def _aliases(campaign: Campaign, teams: Sequence[str], kept: Path | None, *, hide: bool) -> Aliases:
    """The aliases of the teams: those kept, and new ones, which are kept then; none where names are shown."""
    from ..formats.sink import Sink
    from .visibility import Aliases, draw_aliases

    if not hide:
        return Aliases()
    if kept is None:
        raise CoindexError(
            "no folder to keep aliases in, so they would change each time; name one with --scores",
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
            f"{error.strerror}; expected a JSON file; check the path", code="unreadable-file", path=path
        ) from error
    except ValueError as error:
        raise CoindexError(f"{error}; expected JSON; mend the file", code="invalid-json", path=path) from error
    if not isinstance(data, dict):
        raise CoindexError(
            "no object; expected what coindex wrote; check the path", code="invalid-json-value", path=path
        )
    return data
