"""What goes wrong, said so that a person can mend it: the place, what was found, what was expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

MAX_QUOTE = 60
Caller = Literal["python", "command", "spacy"]
"""Where an option was set: by an argument of a function, on the command line, or in the config of a spaCy component."""
_caller: ContextVar[Caller] = ContextVar("caller", default="python")


@contextmanager
def called_from(caller: Caller) -> Iterator[None]:
    """Let messages name options as the caller sets them."""
    before = _caller.get()
    set_caller(caller)
    try:
        yield
    finally:
        set_caller(before)


def set_caller(caller: Caller) -> None:
    """Let all messages from now on name options as the caller sets them."""
    _caller.set(caller)


def current_caller() -> Caller:
    """Return who is served now."""
    return _caller.get()


def setting(name: str, value: str | bool = True) -> str:
    """Return how the caller sets an option of a resolver: `--parser X`, `parser='X'` or `config={"parser": "X"}`."""
    import json
    import shlex

    match _caller.get():
        case "command":
            flag = "-r" if name == "resolver" else f"--{name.replace('_', '-')}"
            return f"{flag} {shlex.quote(value)}" if isinstance(value, str) else flag
        case "spacy":
            return f'config={{"{name}": {json.dumps(value) if isinstance(value, str) else value}}}'
        case _:
            return f"coindex.load({value!r})" if name == "resolver" else f"{name}={value!r}"


class CoindexError(Exception):
    """Every error that this package raises on purpose; the command line shows it without a traceback."""

    exit_code = 2
    http_status = 422
    """The status with which the server answers."""

    def json_fields(self) -> dict[str, object]:
        """What the server's JSON says beside the message."""
        return {}

    def __reduce__(self) -> tuple[object, ...]:
        """As it is, whatever the constructor takes: errors travel between processes."""
        return _revive, (type(self), self.args, self.__dict__)


def _revive(kind: type[CoindexError], args: tuple[object, ...], fields: dict[str, object]) -> CoindexError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class UnknownNameError(CoindexError):
    """A format, option or resolver that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names) or 'none'}"
        super().__init__(f"unknown {kind} {quote(name)}; {hint}")


class MissingExtraError(CoindexError):
    """A feature whose packages are not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package!r}, which is not installed; install it with: "
            f"pip install 'coindex[{extra}]'"
        )


class MissingPackageError(CoindexError):
    """A package that comes with coindex, but is not there: taken away, or never built for this machine."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"this needs the package {package!r}, which is not installed though coindex asks for it; install it with: "
            f"pip install {package}"
        )


class EditError(CoindexError):
    """A named edit that does not fit the document."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with an input, with its place; `line` is 1-based, None where the format has no lines."""

    path: str
    line: int | None
    found: str
    expected: str
    remedy: str
    severity: str = "error"

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.found}; expected {self.expected}; {self.remedy}"


class FormatError(CoindexError):
    """Bad input: one problem that stops the reading."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class CoindexWarning(UserWarning):
    """Something the user should know, though the work goes on."""


class DataWarning(CoindexWarning):
    """An oddity of the input that the reader could pass over; says how many."""


class LossWarning(CoindexWarning):
    """Something the output format cannot say; says how many."""


def quote(text: str, limit: int = MAX_QUOTE) -> str:
    """A short, printable quotation of input for messages, however long or odd the input is."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return repr(shown)
