"""`coindex campaign`."""

from __future__ import annotations

import json
import signal
from datetime import UTC, date, datetime
from types import FrameType
from typing import IO, Any

import click

from ..campaigns.definition import READY
from .backup import database_option
from .help import Command, Decorator, Group, combine, option
from .options import KnownName, NameValue, format_option, json_option, new_file_option
from .progress import is_quiet
from .report import FORMS, Names, tables_option
from .scoring import ProfileName, choose_bold, show_spinner


@click.command("work", cls=Command)
@database_option
@option("--seconds", type=click.IntRange(min=1), help="Time limit for scoring a submission (default: 1800).")
@option("--memory", type=click.IntRange(min=64), help="Memory limit in MB for scoring a submission (default: 4096).")
@option("--once", is_flag=True, help="Exit when the queue is empty.")
def work_command(database: str, seconds: int | None, memory: int | None, once: bool) -> None:
    """Score queued submissions as an additional worker.

    'coindex serve' has its own worker. This command starts another one, on the same machine or, with PostgreSQL, on any
    machine. You can stop it at any time; another worker takes over its submission. Needs coindex[web].

    \b
    Examples:
      coindex campaign work
      coindex campaign work --database postgresql://coindex@db/coindex
      coindex campaign work --once
    """
    from ..annotation_app.layers import open_store
    from ..campaigns.key_review import queue_outdated
    from ..campaigns.server import MEGABYTE, CampaignServer, Limits
    from ..campaigns.worker import Worker, run_all

    store = open_store(database)
    defaults = Limits()
    limits = Limits(
        score_seconds=seconds or defaults.score_seconds,
        memory=(memory * MEGABYTE) if memory else defaults.memory,
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
        click.echo(f"worker is running (database {store.database.name}); stop it with Ctrl-C")
        worker.run()
    finally:
        server.close()
        store.close()


class UtcTime(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """A time in UTC: 2026-03-01T12:00:00Z."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            time = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r}: expected a time such as 2026-03-01T12:00:00Z", param, ctx)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


campaign_argument: Decorator = click.argument("campaign")
run_options: Decorator = combine(
    option("--keys", type=click.Path(exists=True), required=True, section="Submissions", help="Key: a file or folder."),
    option(
        "--submissions",
        type=click.Path(exists=True, file_okay=False),
        required=True,
        section="Submissions",
        help="Folder with a file, folder, .zip or .gz for each run, named TEAM or TEAM@RUN.",
    ),
)
board_options: Decorator = combine(
    option(
        "--scores",
        type=click.Path(file_okay=False),
        section="Submissions",
        help="Folder that stores scores and team aliases.",
    ),
    option(
        "--switched-off",
        type=click.Path(exists=True, dir_okay=False),
        section="Submissions",
        help="TOML list of key entities that are not scored.",
    ),
    option(
        "--choose",
        "chosen",
        type=NameValue(),
        metavar="TEAM=RUN",
        multiple=True,
        section="Submissions",
        help="Run that counts for a team. Repeatable.",
    ),
    option(
        "--anonymous",
        is_flag=True,
        section="Output",
        help="Show aliases instead of team names; needs --scores.",
    ),
)
now_option: Decorator = option(
    "--now", type=UtcTime(), section="Campaign", help="Show the state at this time in UTC (default: now)."
)
result_options: Decorator = combine(format_option(FORMS), new_file_option)


@click.group("campaign", cls=Group)
def command() -> None:
    """Run a shared task: blind input, submissions, leaderboards.

    CAMPAIGN is a TOML file, or one of crac22, rueval14, are07, ecb-realistic.

    \b
    Examples:
      coindex campaign new mine --like crac22 -o mine.toml
      coindex campaign blind key/ -o input/ --campaign mine.toml
      coindex campaign check input/ answer.zip --campaign mine.toml
      coindex campaign score mine.toml --keys key/ --submissions received/
    """


@command.command("new")
@click.argument("name")
@option("--like", type=KnownName("campaign", READY), default="crac22", help="Campaign to copy the definition from.")
@option(
    "--opens",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Day the first phase opens (default: today).",
)
@new_file_option
def new(name: str, like: str, opens: datetime | None, output: IO[str]) -> None:
    """Write a new campaign definition.

    The TOML file contains every setting with a comment.

    \b
    Examples:
      coindex campaign new mine -o mine.toml
      coindex campaign new mine --like rueval14 --opens 2027-01-15 -o mine.toml
    """
    from ..campaigns.offline import new_campaign

    day: date = datetime.now(UTC).date() if opens is None else opens.date()
    output.write(new_campaign(name, like=like, opens=day))


@command.command("show")
@campaign_argument
@now_option
def show(campaign: str, now: datetime | None) -> None:
    """Show the tracks and phases of a campaign.

    \b
    Examples:
      coindex campaign show crac22
      coindex campaign show mine.toml --now 2027-03-01T12:00:00Z
    """
    from ..campaigns.offline import read_campaign
    from ..campaigns.visibility import state

    definition = read_campaign(campaign)
    click.echo(definition.shown_title)
    for track in definition.tracks:
        click.echo(f"track {track.name}: {track.profile}, {', '.join((track.primary, *track.secondary))}")
    for phase in definition.phases:
        ends = "" if phase.closes is None else f" to {phase.closes:%Y-%m-%d %H:%M}"
        own = "" if phase.hours_from_download is None else f", {phase.hours_from_download:g} hours from download"
        where = state(now or datetime.now(UTC), phase)
        click.echo(f"phase {phase.name}: {phase.opens:%Y-%m-%d %H:%M}{ends} UTC{own}: {where}")


@command.command("blind")
@click.argument("key", type=click.Path(exists=True))
@option("-o", "--output", type=click.Path(), required=True, section="Output", help="New folder for the blind input.")
@option("--campaign", section="Campaign", help="Campaign whose tracks define what participants get.")
@option(
    "--mentions",
    type=click.Choice(["hidden", "given"]),
    default="hidden",
    section="Output",
    help="Remove mentions or keep them without entities.",
)
@option(
    "--zeros",
    type=click.Choice(["kept", "stripped"]),
    default="kept",
    section="Output",
    help="Keep or remove empty nodes.",
)
@option("--task", type=click.IntRange(1, 4), section="Campaign", help="Create the input of a task of ARE 2007.")
@option(
    "--keep",
    metavar="NAME",
    multiple=True,
    section="Output",
    help="MISC field, comment or metadata key to keep. Repeatable.",
)
def blind(key: str, output: str, **options: Any) -> None:
    """Create the blind input for participants.

    Removes the entities of KEY and keeps the text and its linguistic annotation. Only fields of MISC, comments and
    metadata that are known to be safe are kept. The format is that of the key.

    \b
    Examples:
      coindex campaign blind key/ -o input/ --campaign mine.toml
      coindex campaign blind key.conllu -o input/ --mentions given
    """
    from ..campaigns.offline import blind_key

    with show_spinner(f"reading {key}"):
        paths = blind_key(key, output, **options)
    for path in paths:
        click.echo(str(path))


@command.command("check")
@click.argument("reference", metavar="BLIND-OR-KEY", type=click.Path(exists=True))
@click.argument("submission", type=click.Path(exists=True))
@option("--campaign", help="Campaign of the submission; needed if it has several tracks or separate datasets.")
@option("--track", help="Check only this track.")
@option("--profile", type=ProfileName(), help="Scoring profile if there is no campaign (default: crac24).")
@json_option
@click.pass_context
def check(ctx: click.Context, /, reference: str, submission: str, as_json: bool, **options: Any) -> None:
    """Check a submission.

    SUBMISSION is a file, a folder, a .zip or a .gz, and is checked as on the server. Each line names the file, line and
    column, what was found, what was expected and what to do. The exit code is 0 if the submission is acceptable, also
    with warnings, and 2 otherwise.

    \b
    Examples:
      coindex campaign check input/ answer.zip --campaign mine.toml
      coindex campaign check key.conllu response.conllu --profile conll12 --json
    """
    from dataclasses import asdict

    from ..campaigns.offline import check_submission
    from ..document.naming import count

    with show_spinner(f"checking {submission}"):
        findings = check_submission(reference, submission, **options)
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
@campaign_argument
@run_options
@board_options
@option("--tracks", type=Names(), section="Campaign", help="Tracks, comma-separated (default: all).")
@option("--phase", section="Campaign", help="Phase of the submissions, for --for.")
@option(
    "--for",
    "role",
    type=click.Choice(["organiser", "team", "public"]),
    default="organiser",
    section="Campaign",
    help="Show what this role may see in the phase.",
)
@now_option
@option(
    "--rounds",
    type=click.IntRange(min=0),
    default=10_000,
    section="Statistics",
    help="Rounds of the permutation test (0 = no test).",
)
@option("--seed", type=int, default=0, section="Statistics", help="Seed of the permutation test.")
@result_options
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
    """Score submissions and print the leaderboards.

    Runs are ranked by the mean over datasets. Failed runs have no rank; runs without a score come last; ties are
    explained below the table. Scores are stored with their scorer and input, so scoring again only adds new ones. The
    exit code is 1 if a run could not be scored.

    \b
    Examples:
      coindex campaign score mine.toml --keys key/ --submissions received/
      coindex campaign score mine.toml --keys key/ --submissions received/ \\
        --scores scores/ --anonymous --for public --phase test
    """
    from ..campaigns.offline import score_campaign

    with show_spinner(f"scoring {submissions}"):
        board = score_campaign(campaign, keys, submissions, tracks=tracks or (), chosen=dict(chosen), **options)
    output.write(board.render(form, bold=choose_bold(output)))
    for line in board.log:
        click.secho(line, fg="yellow", err=True)
    ctx.exit(1 if any(run.failure for run in board.runs) else 0)


@command.command("findings")
@campaign_argument
@run_options
@board_options
@tables_option
@result_options
def findings(
    campaign: str,
    keys: str,
    submissions: str,
    form: str,
    output: IO[str],
    chosen: tuple[tuple[str, str], ...],
    **options: Any,
) -> None:
    """Print the tables of the findings paper.

    \b
    Examples:
      coindex campaign findings mine.toml --keys key/ --submissions received/
      coindex campaign findings mine.toml --keys key/ --submissions received/ \\
        --tables 4,6 --format latex -o tables.tex
    """
    from ..campaigns.offline import campaign_findings

    with show_spinner(f"scoring {submissions}"):
        report = campaign_findings(campaign, keys, submissions, chosen=dict(chosen), **options)
    output.write(report.render(form, bold=choose_bold(output)))


@command.command("sample")
@campaign_argument
@run_options
@option("--track", help="Track (default: the first one).")
@option("--size", type=click.IntRange(min=1), default=50, help="Number of items of each kind.")
@option("--seed", type=int, default=0, help="Random seed of the sample.")
@option("--earlier", type=click.Path(exists=True, dir_okay=False), help="Earlier sample whose verdicts are reused.")
@new_file_option
def sample(campaign: str, keys: str, submissions: str, output: IO[str], **options: Any) -> None:
    """Draw a sample for checking the key by hand.

    Writes matched groups, wrong links and missed links as JSON. Set the verdict of each item to key (the key is right),
    answer (the system is right) or disputed.

    \b
    Examples:
      coindex campaign sample mine.toml --keys key/ --submissions runs/ -o s.json
      coindex campaign sample mine.toml --keys key/ --submissions runs/ \\
        --size 100 --earlier s.json -o second.json
    """
    from ..campaigns.offline import sample_key

    with show_spinner(f"reading {submissions}"):
        drawn = sample_key(campaign, keys, submissions, **options)
    output.write(json.dumps(drawn.to_dict(), ensure_ascii=False, indent=1) + "\n")


@command.command("verdicts")
@click.argument("sample", type=click.Path(exists=True, dir_okay=False))
@result_options
def verdicts(sample: str, form: str, output: IO[str]) -> None:
    """Count the verdicts of a sample and list disputed entities.

    \b
    Examples:
      coindex campaign verdicts sample.json
      coindex campaign verdicts sample.json --format latex -o verdicts.tex
    """
    from ..analysis.writers import render
    from ..campaigns.findings import count_verdicts
    from ..campaigns.offline import read_sample

    output.write(render([count_verdicts(read_sample(sample))], form, bold=choose_bold(output)))


command.add_command(work_command)
