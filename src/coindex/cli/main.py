"""The command `coindex`: imports each command when it is used and prints errors without a traceback."""

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

from ..errors import CoindexError, CoindexWarning, use_caller
from .help import Group, option, write_sections
from .progress import QUIET

# section of `coindex --help` -> its commands with their summaries; the module of the same name defines `command`.
COMMANDS = {
    "Resolve": {
        "resolve": "Resolve coreference in text.",
        "quotes": "Find quotations and their speakers.",
        "show": "Show texts with their entities in the terminal or as HTML.",
        "resolvers": "List resolvers with their requirements and scores.",
        "serve-api": "Serve resolution over HTTP.",
        "demo": "Resolve, show and score example texts.",
    },
    "Score and compare": {
        "score": "Score a response against a key.",
        "compare": "Compare responses to one key with significance tests.",
        "evaluate": "Resolve corpora with a model and score the result.",
        "report": "Print the result tables of a paper for your systems.",
        "profiles": "List scoring profiles of shared tasks and papers.",
    },
    "Analyse": {
        "errors": "Analyse the errors of a response.",
        "stats": "Print corpus statistics.",
        "overlap": "Measure how much of the test vocabulary training data covers.",
    },
    "Corpora and files": {
        "convert": "Convert corpora to another format.",
        "validate": "Check files and report every problem.",
        "info": "Count the documents, words, mentions and entities of files.",
        "formats": "List file formats and what each can represent.",
        "heads": "Find the syntactic head of each mention.",
        "clean": "Fix missing spaces and misplaced quotation marks.",
        "dedup": "Find and remove near-duplicate documents.",
    },
    "Annotate": {
        "serve": "Start the web app for annotation and shared tasks.",
        "backup": "Back up the database of the web app.",
        "restore": "Restore a database from a backup.",
        "agreement": "Measure inter-annotator agreement.",
        "vote": "Combine several annotations by majority vote.",
        "quality": "Measure the quality of single, merged and voted annotations.",
    },
    "Shared tasks": {
        "campaign": "Run a shared task: blind input, submissions, leaderboards.",
    },
    "Train and models": {
        "train": "Train a model.",
        "export": "Export a trained model to ONNX.",
        "experiment": "Measure how scores depend on the training data or mentions.",
    },
    "Other": {
        "completion": "Print the completion script for a shell.",
    },
}
VERBS = {name: summary for commands in COMMANDS.values() for name, summary in commands.items()}

EXIT_CODES = {
    0: "success",
    1: "finished, but some inputs failed",
    2: "invalid input or usage",
    130: "interrupted",
    143: "terminated",
}
EPILOG = (
    "Run 'coindex COMMAND --help' for the options and examples of a command. "
    f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in EXIT_CODES.items())}."
)

_warned: set[str] = set()


class Verbs(Group):
    """A group that imports the module of a command only when that command is called."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            with use_caller("command"):
                result: object = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (BrokenPipeError, SystemExit):  # the reader closed the pipe, as `head` does; rich exits then
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
        command: click.Command = import_module(f"{__package__}.{cmd_name.replace('-', '_')}").command
        _add_quiet(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_sections(formatter, [(title, list(commands.items())) for title, commands in COMMANDS.items()])

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
    if value:  # --quiet before the command stays in force
        ctx.meta[QUIET] = True


quiet_option = option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_set_quiet,
    help="Print only results, warnings and errors.",
)


def _add_quiet(command: click.Command) -> None:
    """Add --quiet to a command and its subcommands, so that it works in any position."""
    if not any(param.name == "quiet" for param in command.params):
        quiet_option(command)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _add_quiet(inner)


@click.command(
    cls=Verbs,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(package_name="coindex", message="coindex %(version)s")
@quiet_option
def cli() -> None:
    """Read, resolve, score, annotate and analyse coreference.

    Input is a file, a folder or "-" (standard input), plain or gzipped. The format is detected.

    \b
    Examples:
      coindex demo
      coindex resolve story.txt
      coindex score key.conllu response.conllu
    """


def main() -> NoReturn:
    """Run the command line; turn exceptions into a message and an exit code."""
    gc.set_threshold(200_000, 20, 100)  # documents have no reference cycles, so frequent collection only costs time
    _warned.clear()
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", CoindexWarning)
    termination = _Termination()
    try:
        code = cli.main(prog_name="coindex", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _print_message("terminated" if termination.is_requested else "interrupted", "red")
        sys.exit(128 + (signal.SIGTERM if termination.is_requested else signal.SIGINT))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except CoindexError as error:
        _print_message(f"error: {error}", "red")
        sys.exit(error.exit_code)
    finally:
        termination.finish()


class _Termination:
    """Handle SIGTERM like Ctrl-C, so that no partial output stays behind; a second SIGTERM ends the process at once.

    Commands in the background are stopped with `kill`, which sends SIGTERM: shells make them ignore Ctrl-C.
    """

    def __init__(self) -> None:
        self.is_requested = False
        self._is_handled = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        if self._is_handled:
            signal.signal(signal.SIGTERM, self._request)
            atexit.register(self._die)  # registered first, so it runs after the exit handlers of other modules

    def _request(self, number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.is_requested = True
        raise KeyboardInterrupt

    def _die(self) -> None:
        """Die from the signal: service managers count that as success, unlike an exit code."""
        with suppress(OSError, ValueError):  # the pipe is broken or closed
            sys.stdout.flush()
        signal.raise_signal(signal.SIGTERM)

    def finish(self) -> None:
        if self._is_handled:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if not self.is_requested:
            atexit.unregister(self._die)


def _drop_output() -> None:
    """Discard the rest of the output, so that Python does not fail again when it flushes at exit."""
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
        _print_message(f"warning: {message}", "yellow")


def _print_message(text: str, colour: str) -> None:
    click.secho(text, fg=colour, err=True)
