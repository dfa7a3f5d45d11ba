"""The command `coindex`. Verbs are imported when they are used; errors are shown without a traceback."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import NoReturn, TextIO

import click

from ..errors import CoindexError, CoindexWarning, called_from
from .progress import QUIET

# verb -> what `coindex --help` says of it; the module of the same name defines `command`.
VERBS = {
    "agreement": "Tell how far annotators of one text agree: scores of each pair, and alpha.",
    "backup": "Write all of a database of `coindex serve` to one file.",
    "campaign": "Run a shared task: blind input, checks of submissions, leaderboards, findings.",
    "clean": "Show and mend missing blanks after sentences, and quotes on the wrong side of a border.",
    "compare": "Compare responses to one key: differences, intervals, p-values.",
    "completion": "Print the shell completion script for bash, zsh or fish.",
    "convert": "Convert a corpus from one format to another.",
    "dedup": "Find documents that are nearly the same, and leave the shorter ones out.",
    "demo": "Resolve example texts, show them, and score one against its key.",
    "errors": "Tell what a response gets wrong, error by error; compare two responses; the error explorer.",
    "evaluate": "Resolve corpora with a resolver or model, score the result, measure the speed.",
    "experiment": "Train or run resolvers on parts of the data, versions of it, or gold mentions, and compare.",
    "export": "Turn a trained model into one that runs without torch, and check that both are alike.",
    "formats": "List the formats and what each can carry.",
    "heads": "Find the head of each mention in its dependency tree, or reduce spans to heads.",
    "info": "Tell what files hold: format, documents, words, mentions, entities.",
    "overlap": "Tell how many words of a test corpus are unknown or rare in training.",
    "profiles": "List the settings under which campaigns published their scores.",
    "quality": "Tell how good annotating once, voting and merging are, as PreCo's table does.",
    "report": "Print the result tables of papers over any systems, baselines beside them.",
    "resolve": "Find who and what texts speak of: raw text or any format in, entities out.",
    "resolvers": "List the resolvers: what each needs, and what it was scored at.",
    "restore": "Fill a new database from the file of `coindex backup`.",
    "score": "Score responses against keys, with the numbers of the official scorers.",
    "serve": "Start the web app in which a team annotates.",
    "show": "Show texts with their entities, in the terminal or as an HTML page.",
    "stats": "Print what corpora are made of: tables of papers, charts, a page to look through.",
    "train": "Train a model on corpora, as a TOML file says.",
    "validate": "Report every problem of files, not only the first.",
    "vote": "Make one annotation of several by votes.",
}

_warned: set[str] = set()
EPILOG = (
    "Exit codes: 0 done; 1 done, but part of the work failed; 2 bad input or usage; 130 interrupted; 143 terminated."
)


class Verbs(click.Group):
    """A group that imports a verb's module only when that verb is called."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            with called_from("command"):
                result: object = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (BrokenPipeError, SystemExit):  # the reader of our output went away, as `head` does; rich exits then
            _drop_output()
            return 0
        except OSError as error:  # a full disk
            if error.filename is not None:
                raise
            _drop_output()
            raise CoindexError(
                f"<stdout>: cannot be written: {error.strerror or error}", code="unwritable-file"
            ) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"{__package__}.{cmd_name}").command
        _add_quiet(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in VERBS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, VERBS, n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else " Try 'coindex --help'."
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def _set_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:  # given before the verb, it stays
        ctx.meta[QUIET] = True


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_set_quiet,
    help="Print no progress or information, only results, warnings and errors.",
)


def _add_quiet(command: click.Command) -> None:
    """Let a verb and its subcommands take --quiet too, so that it may stand anywhere."""
    if not any(param.name == "quiet" for param in command.params):
        quiet_option(command)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _add_quiet(inner)


@click.command(
    cls=Verbs,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="coindex", message="coindex %(version)s")
@quiet_option
def cli() -> None:
    """One toolkit for the whole life of coreference.

    Input is a file, a folder or "-" (standard input), plain or .gz; its format is detected.
    """


def main() -> NoReturn:
    """Run the command line and turn what went wrong into a message and an exit code."""
    gc.set_threshold(200_000, 20, 100)  # documents hold no cycles, so looking for them often only costs time
    _warned.clear()
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", CoindexWarning)
    termination = _Termination()
    try:
        code = cli.main(prog_name="coindex", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _say("terminated" if termination.is_asked else "interrupted", "red")
        sys.exit(128 + (signal.SIGTERM if termination.is_asked else signal.SIGINT))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except CoindexError as error:
        _say(f"error: {error}", "red")
        sys.exit(error.exit_code)
    finally:
        termination.finish()


class _Termination:
    """Let SIGTERM end a command as Ctrl-C does, with nothing half-written left behind; the second one ends it at once.

    A command in the background is stopped with `kill`, which sends SIGTERM: there the shell lets Ctrl-C be ignored.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._is_handled = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        if self._is_handled:
            signal.signal(signal.SIGTERM, self._ask)
            atexit.register(self._die)  # before all modules that a command imports, so that it comes after their exits

    def _ask(self, number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.is_asked = True
        raise KeyboardInterrupt

    def _die(self) -> None:
        """Die of the signal: service managers count that as a success, in contrast to an exit code."""
        with suppress(OSError, ValueError):  # nobody reads it, or it is closed
            sys.stdout.flush()
        signal.raise_signal(signal.SIGTERM)

    def finish(self) -> None:
        if self._is_handled:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if not self.is_asked:
            atexit.unregister(self._die)


def _drop_output() -> None:
    """Let what is left of the output go nowhere, so that Python does not fail on it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if str(message) not in _warned:  # a folder may be read more than once
        _warned.add(str(message))
        _say(f"warning: {message}", "yellow")


def _say(text: str, colour: str) -> None:
    click.secho(text, fg=colour, err=True)
