"""`coindex campaign`."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from datetime import UTC, date, datetime
from types import FrameType
from typing import IO, Any

import click

from ..campaigns.definition import READY
from .options import Decorator, KnownName, NameValue
from .progress import is_quiet
from .report import FORMS, Names
from .scoring import ProfileName, bold_on, working
from .serve import DATABASE


@click.command("work")
@click.option(
    "--database",
    default=DATABASE,
    show_default=True,
    help="The database of the server: an SQLite file or postgresql://…",
)
@click.option("--seconds", type=click.IntRange(min=1), help="The most that one scoring may take; 1800 if not told.")
@click.option("--memory", type=click.IntRange(min=64), help="The most megabytes that one scoring may use; 4096.")
@click.option("--once", is_flag=True, help="End when nothing is left to do.")
def work_command(database: str, seconds: int | None, memory: int | None, once: bool) -> None:
    """Score submissions beside a server that has many: one more worker.

    `coindex serve` has a worker of its own; this is another one, on the same machine or, with PostgreSQL, on any.
    It can be stopped or killed at any time: what it was at is taken up by another. Needs coindex[web].
    """
    from ..annotation_app.layers import open_store
    from ..campaigns.rescoring import queue_outdated
    from ..campaigns.server import MEGABYTE, CampaignServer, Limits
    from ..campaigns.worker import Worker, run_all

    store = open_store(database)
    standard = Limits()
    limits = Limits(
        score_seconds=seconds or standard.score_seconds,
        memory=(memory * MEGABYTE) if memory else standard.memory,
        checkers=1,
    )
    server = CampaignServer(store, limits=limits)
    try:
        if once:
            queue_outdated(server)
            click.echo(f"{run_all(server)} done")
            return
        worker = Worker(server)

        def stop(number: int, frame: FrameType | None) -> None:
            worker.stop()

        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # unlike SIGINT under nohup
                signal.signal(number, stop)
        click.echo(f"working for {store.database.name}; stop it with Ctrl-C")
        worker.run()
    finally:
        server.close()
        store.close()


_CONTEXT = {"help_option_names": ["-h", "--help"]}


class Moment(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """A time in UTC: 2026-03-01T12:00:00Z."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            found = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r}: write it as 2026-03-01T12:00:00Z", param, ctx)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _all(*options: Decorator) -> Decorator:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_campaign = click.argument("campaign")
_keys = click.option("--keys", type=click.Path(exists=True), required=True, help="The key: a file or folder.")
_submissions = click.option(
    "--submissions",
    type=click.Path(exists=True, file_okay=False),
    required=True,
    help="A folder: TEAM or TEAM@RUN, a file, folder, zip or .gz each.",
)
_scores = click.option("--scores", type=click.Path(file_okay=False), help="A folder to keep scores and aliases in.")
_switched_off = click.option(
    "--switched-off", type=click.Path(exists=True, dir_okay=False), help="A TOML list of key chains that do not count."
)
_choose = click.option(
    "--choose", "chosen", type=NameValue(), multiple=True, help="TEAM=RUN: the run that counts; repeatable."
)
_anonymous = click.option("--anonymous", is_flag=True, help="Show aliases instead of teams; needs --scores.")
_output = _all(
    click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How to print."),
    click.option(
        "-o", "--output", type=click.File("w", encoding="utf-8", atomic=True), default="-", help="Where to write."
    ),
)


@click.group("campaign", context_settings=_CONTEXT)
def command() -> None:
    """Run a shared task: make the blind input, check submissions, print leaderboards and the tables of the findings.

    CAMPAIGN is a TOML file, or one of crac22, rueval14, are07, ecb-realistic.

    \b
    coindex campaign new mine --like crac22 -o mine.toml
    coindex campaign blind key/ -o input/ --campaign mine.toml
    coindex campaign check input/ answer.zip --campaign mine.toml
    coindex campaign score mine.toml --keys key/ --submissions received/ --scores scores/
    """


@command.command("new")
@click.argument("name")
@click.option("--like", type=KnownName("campaign", READY), default="crac22", help="The ready definition to begin with.")
@click.option("--opens", type=click.DateTime(["%Y-%m-%d"]), help="The day the first phase opens; today if not told.")
@click.option(
    "-o", "--output", type=click.File("w", encoding="utf-8", atomic=True), default="-", help="Where to write."
)
def new(name: str, like: str, opens: datetime | None, output: IO[str]) -> None:
    """Write the definition of a campaign, NAME, with every key and a comment to it."""
    from ..campaigns.offline import new_campaign

    day: date = datetime.now(UTC).date() if opens is None else opens.date()
    output.write(new_campaign(name, like=like, opens=day))


@command.command("show")
@_campaign
@click.option("--now", type=Moment(), help="The time to look at it; the clock's if not told.")
def show(campaign: str, now: datetime | None) -> None:
    """Print what a campaign is made of, and which of its phases are open."""
    from ..campaigns.offline import read_campaign
    from ..campaigns.visibility import state

    found = read_campaign(campaign)
    click.echo(found.shown_title)
    for track in found.tracks:
        click.echo(f"track {track.name}: {track.profile}, {', '.join((track.primary, *track.secondary))}")
    for phase in found.phases:
        ends = "" if phase.closes is None else f" to {phase.closes:%Y-%m-%d %H:%M}"
        own = "" if phase.hours_from_download is None else f", {phase.hours_from_download:g} hours from the download"
        where = state(now or datetime.now(UTC), phase)
        click.echo(f"phase {phase.name}: {phase.opens:%Y-%m-%d %H:%M}{ends} UTC{own}: {where}")


@command.command("blind")
@click.argument("key", type=click.Path(exists=True))
@click.option("-o", "--output", type=click.Path(), required=True, help="A new folder to write the input to.")
@click.option("--campaign", help="What is given is what its tracks say.")
@click.option("--mentions", type=click.Choice(["hidden", "given"]), default="hidden", help="Give mentions alone.")
@click.option("--zeros", type=click.Choice(["kept", "stripped"]), default="kept", help="Keep or strip empty nodes.")
@click.option("--task", type=click.IntRange(1, 4), help="The input of a task of ARE 2007.")
@click.option("--keep", multiple=True, help="A field of MISC, a comment or metadata that may stay; repeatable.")
def blind(key: str, output: str, **options: Any) -> None:
    """Make the input that participants get of KEY: the text and its analysis, nothing of its entities.

    Of MISC, comments and metadata only what is known to be harmless stays. Formats are those of the key.
    """
    from ..campaigns.offline import blind_key

    with working(f"reading {key}"):
        written = blind_key(key, output, **options)
    for path in written:
        click.echo(str(path))


@command.command("check")
@click.argument("given", metavar="BLIND-OR-KEY", type=click.Path(exists=True))
@click.argument("submission", type=click.Path(exists=True))
@click.option("--campaign", help="The campaign that it is for; needed where it has several tracks or datasets apart.")
@click.option("--track", help="Look at this track alone.")
@click.option("--profile", type=ProfileName(), help="Without a campaign: what the scorer compares; crac24 if not told.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.pass_context
def check(ctx: click.Context, /, given: str, submission: str, as_json: bool, **options: Any) -> None:
    """Check a SUBMISSION as the organisers do: a file, a folder, a zip or a .gz.

    Every problem is a line: file, line and column, what was found, what was expected, what to do. Exit code 0 if it
    would be taken, perhaps with warnings; 2 if not.
    """
    from dataclasses import asdict

    from ..campaigns.offline import check_submission
    from ..document.naming import count

    with working(f"checking {submission}"):
        findings = check_submission(given, submission, **options)
    errors = sum(finding.severity == "error" for finding in findings)
    for finding in findings:
        if as_json:
            click.echo(json.dumps(asdict(finding), ensure_ascii=False))
        else:
            colour = "red" if finding.severity == "error" else "yellow"
            click.echo(f"{click.style(finding.severity, fg=colour)}: {finding}")
    if not as_json and (errors or not is_quiet()):
        verdict = f"{submission}: {count(errors, 'error')}, {count(len(findings) - errors, 'warning')}"
        click.secho(verdict, fg="red" if errors else "green", err=True)
    ctx.exit(2 if errors else 0)


@command.command("score")
@_campaign
@_keys
@_submissions
@_scores
@_switched_off
@_choose
@click.option("--tracks", type=Names(), help="Tracks, parted by commas; all if left out.")
@click.option("--phase", help="The phase that the submissions are of, for --for.")
@click.option(
    "--for",
    "role",
    type=click.Choice(["organiser", "team", "public"]),
    default="organiser",
    help="Show what this role may see of the phase.",
)
@click.option("--now", type=Moment(), help="The time to look at it; the clock's if not told.")
@_anonymous
@click.option("--rounds", type=click.IntRange(min=0), default=10_000, help="Of the permutation test; 0 for none.")
@click.option("--seed", type=int, default=0, help="Of the permutation test.")
@_output
@click.pass_context
def score(
    ctx: click.Context,
    /,
    campaign: str,
    keys: str,
    submissions: str,
    form: str,
    output: IO[str],
    tracks: tuple[str, ...] | None,
    chosen: tuple[tuple[str, str], ...],
    **options: Any,
) -> None:
    """Score a folder of submissions and print the leaderboard of each track.

    The mean over datasets decides. Runs that fail have no rank and never count; missing scores come last; ties are
    explained below the table. Scores are kept by what they were computed by and from: scoring again adds to them, and
    takes nothing away. Exit code 1 if some run could not be scored.
    """
    from ..campaigns.offline import score_campaign

    with working(f"scoring {submissions}"):
        board = score_campaign(campaign, keys, submissions, tracks=tracks or (), chosen=dict(chosen), **options)
    output.write(board.render(form, bold=bold_on(output)))
    for line in board.log:
        click.secho(line, fg="yellow", err=True)
    ctx.exit(1 if any(run.failure for run in board.runs) else 0)


@command.command("findings")
@_campaign
@_keys
@_submissions
@_scores
@_switched_off
@_choose
@_anonymous
@click.option("--tables", type=Names(), help="The tables to make, by name or number, as in 4,6; all if left out.")
@_output
def findings(
    campaign: str,
    keys: str,
    submissions: str,
    form: str,
    output: IO[str],
    chosen: tuple[tuple[str, str], ...],
    **options: Any,
) -> None:
    """Print the tables of the findings paper over the runs that count: those of the campaign's report."""
    from ..campaigns.offline import campaign_findings

    with working(f"scoring {submissions}"):
        found = campaign_findings(campaign, keys, submissions, chosen=dict(chosen), **options)
    output.write(found.render(form, bold=bold_on(output)))


@command.command("sample")
@_campaign
@_keys
@_submissions
@click.option("--track", help="The track; the first if not told.")
@click.option("--size", type=click.IntRange(min=1), default=50, help="How many of each kind.")
@click.option("--seed", type=int, default=0, help="Another seed draws others.")
@click.option("--earlier", type=click.Path(exists=True, dir_okay=False), help="A sample whose verdicts are taken over.")
@click.option(
    "-o", "--output", type=click.File("w", encoding="utf-8", atomic=True), default="-", help="Where to write."
)
def sample(campaign: str, keys: str, submissions: str, output: IO[str], **options: Any) -> None:
    """Draw matched groups, wrong links and missed links to check the key by hand.

    The sample is JSON. Write a verdict at each item: key (the key is right), answer (the system is), or disputed.
    """
    from ..campaigns.offline import sample_key

    with working(f"reading {submissions}"):
        found = sample_key(campaign, keys, submissions, **options)
    output.write(json.dumps(found.to_dict(), ensure_ascii=False, indent=1) + "\n")


@command.command("verdicts")
@click.argument("sample", type=click.Path(exists=True, dir_okay=False))
@_output
def verdicts(sample: str, form: str, output: IO[str]) -> None:
    """Count the verdicts in a SAMPLE, and list disputed chains."""
    from ..analysis.writers import render
    from ..campaigns.findings import count_verdicts
    from ..campaigns.offline import read_sample

    output.write(render([count_verdicts(read_sample(sample))], form, bold=bold_on(output)))


command.add_command(work_command)
