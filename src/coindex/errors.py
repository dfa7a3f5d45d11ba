"""Errors, warnings and problems: a code and a place for programs, a message for people.

The code of an error never changes; its wording may. Program logic reads codes and fields, never messages. `CODES` in
`error_codes.py` lists all codes.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

MAX_QUOTE = 60
CODES_ONLY = os.environ.get("COINDEX_MESSAGES") == "codes"
"""Whether every message is replaced by its code: tests run in this mode to prove that no logic reads messages."""
ShowPath = Callable[[str], str]
"""Returns the text that a message shows instead of a path: a server hides the location of its files."""
Caller = Literal["python", "command", "spacy", "service"]
"""Where an option was set: by an argument, on the command line, in the config of spaCy, or in an HTTP request."""
_caller: ContextVar[Caller] = ContextVar("caller", default="python")


@contextmanager
def use_caller(caller: Caller) -> Iterator[None]:
    """Within the context, let messages name options as the caller sets them."""
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
    """Return the current caller."""
    return _caller.get()


def setting(name: str, value: str | bool = True) -> str:
    """Return how the caller sets an option of a resolver: `--parser X`, `parser='X'`, `config={"parser": "X"}`."""
    import json
    import shlex

    match _caller.get():
        case "command":
            flag = "-r" if name == "resolver" else f"--{name.replace('_', '-')}"
            return f"{flag} {shlex.quote(value)}" if isinstance(value, str) else flag
        case "spacy":
            return f'config={{"{name}": {json.dumps(value) if isinstance(value, str) else value}}}'
        case "service":  # parsers are chosen by the operator, not by requests
            return f"{value} in the --resolver of the service" if name == "parser" else f'"{name}": {json.dumps(value)}'
        case _:
            return f"coindex.load({value!r})" if name == "resolver" else f"{name}={value!r}"


def place_text(path: str | None, line: int | None, column: int | None = None) -> str:
    """Return `PATH:LINE:COLUMN` without the parts that are not known."""
    return ":".join(str(part) for part in (path, line, column) if part is not None)


class Coded:
    """The base of errors and warnings: a code, a place, details, and a message.

    The place is put before the message, and the remedy after it: `PATH:LINE: MESSAGE; REMEDY`. A message with a path
    inside it is a tuple of its parts, texts and `Path`s, so that `text` can hide the path.
    """

    code: str
    default_code: ClassVar[str] = "error"

    def __init__(
        self,
        message: object | tuple[str | Path, ...] = "",
        *,
        code: str | None = None,
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
        column: int | None = None,
        remedy: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        self.code = code or self.default_code
        self.path = None if path is None else os.fspath(path)
        self.line = line
        self.column = column
        self.details = dict(details or {})
        self.remedy = "" if CODES_ONLY else remedy
        self._parts = message if isinstance(message, tuple) else (str(message),)
        if CODES_ONLY:
            self._parts = (self.code,)
        self.found = "".join(map(str, self._parts))
        self.args: tuple[object, ...] = (self.found,)

    def __str__(self) -> str:
        return self.text()

    @property
    def message(self) -> str:
        """The message without the place before it."""
        return self._message(str)

    def text(self, show: ShowPath = str) -> str:
        """Return the message with its place; `show` returns what is shown instead of a path."""
        message = self._message(show)
        return message if self.path is None else f"{place_text(show(self.path), self.line)}: {message}"

    def _message(self, show: ShowPath) -> str:
        text = "".join(show(str(part)) if isinstance(part, Path) else part for part in self._parts)
        return f"{text}; {self.remedy}" if self.remedy else text

    def __reduce__(self) -> tuple[object, ...]:
        """Keep all fields, whatever the constructor takes: errors travel between processes."""
        return _restore, (type(self), self.args, vars(self))


def _restore(kind: type[Any], args: tuple[object, ...], fields: dict[str, object]) -> object:
    revived: object = kind.__new__(kind, *args)
    vars(revived).update(fields)
    return revived


class CoindexError(Coded, Exception):
    """Every error that this package raises on purpose; the command line shows it without a traceback."""

    exit_code = 2
    http_status = 422
    """The HTTP status of the server's response."""

    def json_fields(self) -> dict[str, object]:
        """Return the fields of the server's JSON response besides the message and the code."""
        return {}


class UnknownNameError(CoindexError):
    """A format, option or resolver that does not exist."""

    default_code = "unknown-name"

    def __init__(self, kind: str, name: str, known: Iterable[str], *, place: str = "") -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names) or 'none'}"
        details = {"kind": kind, "name": name, "known": names, "place": place}
        super().__init__(f"unknown {kind} {quote(name)}; {hint}", details=details)


class MissingExtraError(CoindexError):
    """A feature whose packages are not installed."""

    default_code = "missing-extra"

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package!r}, which is not installed; install it with: "
            f"pip install 'coindex[{extra}]'",
            details={"package": package, "extra": extra},
        )


class MissingPackageError(CoindexError):
    """A dependency of coindex that is not installed, for example because it was never built for this platform."""

    default_code = "missing-package"

    def __init__(self, package: str) -> None:
        super().__init__(
            f"this needs the package {package!r}, a dependency of coindex that is not installed; install it with: "
            f"pip install {package}",
            details={"package": package},
        )


class EditError(CoindexError):
    """A named edit that does not fit the document."""

    default_code = "edit-refused"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in an input: a path and a line, or a description of the document, sentence and word (`where`)."""

    path: str = ""
    line: int | None = None
    where: str = ""

    def text(self, show: ShowPath = str) -> str:
        """Return the place as shown in messages."""
        named = place_text(show(self.path) if self.path else None, self.line)
        return ", ".join(part for part in (named, self.where) if part)

    def __str__(self) -> str:
        return self.text()


def leave_codes(problem: Any) -> None:
    """Replace the texts of a problem by its code if `CODES_ONLY` is set."""
    if CODES_ONLY:
        for name, text in (("found", problem.code), ("expected", ""), ("remedy", "")):
            object.__setattr__(problem, name, text)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of an input, with its place.

    `line` and `column` count from 1; they are None if the format has no lines or the column is not known. `fragment`
    is the wrong part of the line, `where` describes the place, `side` names the input if there are several.
    """

    path: str
    line: int | None
    found: str
    expected: str
    remedy: str
    severity: str = "error"
    _: KW_ONLY
    code: str
    column: int | None = None
    fragment: str = ""
    where: str = ""
    side: str = ""

    def __post_init__(self) -> None:
        leave_codes(self)

    @property
    def message(self) -> str:
        """The message without the place before it."""
        return self.found if CODES_ONLY else f"{self.found}; expected {self.expected}; {self.remedy}"

    def text(self, show: ShowPath = str) -> str:
        """Return the message with its place; `show` returns what is shown instead of the path."""
        place = Place(self.path, self.line, self.where).text(show)
        return ": ".join(part for part in (self.side, place, self.message) if part)

    def __str__(self) -> str:
        return self.text()


class ProblemError(CoindexError):
    """An error for a single problem, with its place and remedy as fields."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(
            problem.message,
            code=problem.code,
            path=problem.path or None,
            line=problem.line,
            column=problem.column,
        )

    def text(self, show: ShowPath = str) -> str:
        """Return the problem's message with its place."""
        return self.problem.text(show)


class FormatError(ProblemError):
    """Bad input: a problem that stops reading."""


class CoindexWarning(Coded, UserWarning):
    """Something the user should know that does not stop the command."""

    default_code = "warning"


class DataWarning(CoindexWarning):
    """An oddity of the input that the reader ignored, with the number of occurrences."""

    default_code = "data"


class LossWarning(CoindexWarning):
    """Something the output format cannot represent, with the number of occurrences."""

    default_code = "loss"


def warning_about(name: str, warning: Warning | str) -> CoindexWarning:
    """Return a warning with the name of its subject before its text."""
    kind = type(warning) if isinstance(warning, DataWarning | LossWarning) else CoindexWarning
    code, details = (warning.code, warning.details) if isinstance(warning, CoindexWarning) else (None, None)
    return kind(f"{name}: {warning}", code=code, details=details)


def quote(text: str, limit: int = MAX_QUOTE) -> str:
    """Return a short, printable quotation of input for messages, however long or unusual the input is."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return repr(shown)
