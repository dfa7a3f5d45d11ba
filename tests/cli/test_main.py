"""The command as a whole: help, versions, exit codes, pipes and interrupts; what it loads and what it leaves behind."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
from coindex.cli.main import VERBS
from command import run
from corefud_text import document, sentence
from waiting import wait_until

COMMAND = [sys.executable, "-m", "coindex"]
TEXT = document(sentence("The Entity=(e1-person-2", "mayor Entity=e1)", "left"), sentence("She Entity=(e1--1)", "sang"))


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.conllu"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def long_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some seconds of work for `convert`."""
    path = tmp_path_factory.mktemp("long") / "long.conllu"
    with path.open("w", encoding="utf-8") as out:
        for number in range(15_000):
            out.write(TEXT.replace("id = d\n", f"id = d{number}\n"))
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- what is loaded

HEAVY = {
    *("numpy", "scipy", "rich", "torch", "pandas", "udapi", "matplotlib"),
    *("sqlalchemy", "alembic", "sqlite3", "psycopg", "fastapi", "starlette", "uvicorn", "flask", "jinja2", "http"),
    *("asyncio", "multiprocessing", "ssl"),
}


def loaded(code: str) -> set[str]:
    program = f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded("import coindex") & (HEAVY | {"click"}) == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["convert", "--help"], ["completion", "fish"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
import sys; sys.argv = {["coindex", *arguments]!r}
from coindex.cli.main import main
try: main()
except SystemExit: pass"""
    found = loaded(code)
    assert "click" in found
    assert found & HEAVY == set()


def test_reading_and_writing_load_nothing_heavy(story: Path) -> None:
    code = f"import coindex; coindex.write(coindex.read({str(story)!r}), {str(story) + '.out'!r}, 'corefud')"
    assert loaded(code) & (HEAVY | {"click"}) == set()


# --- help and usage


def test_the_module_is_the_command() -> None:
    for command in (COMMAND, [str(Path(sys.executable).with_name("coindex"))]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"coindex {coindex.__version__}\n", "")


def test_help_names_every_verb_and_the_exit_codes() -> None:
    done = run("--help")
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.decode().split())
    for verb, about in VERBS.items():
        assert f" {verb} {about}" in text
    assert "Exit codes: 0 success; 1 finished, but some inputs failed; 2 invalid input or usage; " in text
    assert "130 interrupted; 143 terminated." in text


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str) -> None:
    done = run(verb, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().startswith(f"Usage: coindex {verb} ")
    assert run(verb, "-h").out == done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convrt"], "No such command 'convrt'. Did you mean convert?"),
        (["xyz"], "No such command 'xyz'. Try 'coindex --help'."),
        (["convert"], "Missing argument 'INPUTS...'."),
        (["convert", "-"], "Missing argument"),
        (["convert", "/no/such", "x"], "Path '/no/such' does not exist."),
        (["convert", "-", "-", "--to", "corefd"], "unknown format 'corefd'; did you mean corefud?"),
        (["convert", "-", "-", "--from", "x2012"], "unknown format 'x2012'; did you mean conll2012?"),
        (["convert", "-", "-", "-r", "language"], "'language': write it as NAME=VALUE"),
        (["info"], "Missing argument 'INPUTS...'."),
        (["--nope"], "No such option"),
        (["heads", "-", "--reduce", "some"], "'some' is not one of 'all', 'merge', 'smaller'."),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'."),
        (["formats", "corefd"], "unknown format 'corefd'; did you mean corefud?"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, b"")
    assert message in done.err
    assert "Traceback" not in done.err


def test_errors_and_warnings_go_to_standard_error(story: Path) -> None:
    done = run("convert", story, "-", "--to", "jsonlines")
    assert (done.code, json.loads(done.out)["clusters"]) == (0, [[[0, 1], [3, 3]]])
    assert done.err.startswith("warning: jsonlines cannot represent: ")
    done = run("convert", "-", "-", "--to", "corefud", input=b"# newdoc\n1\tx\n\n")
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("error: <stdin>:2: 2 columns")


# --- pipes


def shell(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": sys.executable, **variables}
    script = f'coindex() {{ "$PYTHON" -m coindex "$@"; }}; {script}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize(
    "arguments",
    ['convert "$IN" - --to corefud', 'show "$IN"', 'heads "$IN"', 'convert "$IN" - --to terminal'],
)
def test_a_closed_pipe_is_not_an_error(arguments: str, long_corpus: Path) -> None:
    """As `head` does, long before all is written."""
    done = shell(f"coindex {arguments} | head -1; exit ${{PIPESTATUS[0]}}", IN=str(long_corpus))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_is_an_error_without_a_traceback(story: Path) -> None:
    for arguments in ('convert "$IN" - --to corefud', 'show "$IN"', 'info "$IN"', "formats"):
        done = shell(f"coindex {arguments} > /dev/full", IN=str(story))
        assert (done.returncode, done.stderr) == (2, "error: <stdout>: cannot be written: No space left on device\n")


def test_no_progress_and_no_colour_when_piped(long_corpus: Path, tmp_path: Path) -> None:
    done = shell('coindex convert "$IN" "$OUT"', IN=str(long_corpus), OUT=str(tmp_path / "out.conllu"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = shell('coindex show "$IN" | head -5', IN=str(long_corpus))
    assert "\x1b" not in done.stdout
    assert done.stdout.startswith("d0 ")


def in_terminal(folder: Path, patience: float, *arguments: str) -> tuple[int, str]:
    """What the command shows where standard error is a terminal, and progress after so many seconds."""
    ours, theirs = pty.openpty()
    program = (
        f"import sys; import coindex.cli.progress as progress; progress.PATIENCE = {patience}\n"
        f"from coindex.cli.main import main; sys.argv = {['coindex', *arguments]!r}; main()"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                data = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not data:
                break
            shown += data
    os.close(ours)
    return process.returncode, shown.decode(errors="replace")


def test_progress_is_shown_in_a_terminal_after_a_while(tmp_path: Path) -> None:
    path = tmp_path / "many.conllu"
    path.write_text("".join(TEXT.replace("id = d\n", f"id = d{n}\n") for n in range(3000)), encoding="utf-8")
    code, shown = in_terminal(tmp_path, 0, "convert", path.name, "out.conllu")
    assert (code, "converting" in shown, "documents" in shown) == (0, True, True)
    code, shown = in_terminal(tmp_path, 60, "convert", path.name, "out.conllu")
    assert (code, "converting" in shown, "documents" in shown) == (0, False, False)


# --- interrupts


def interrupted(corpus: Path, folder: Path, *arguments: str, by: int = signal.SIGINT) -> tuple[int, str]:
    """The exit code and the messages of a conversion that is interrupted while it writes and waits for more input."""
    there = len(names(folder))
    command = [*COMMAND, "convert", "-", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        process.stdin.write(corpus.read_bytes()[:500_000])
        process.stdin.flush()  # and not closed: it cannot come to its end
        wait_until(lambda: len(names(folder)) > there, process)
        assert any(name.startswith(".") for name in names(folder))  # under its temporary name
        process.send_signal(by)
        _, err = process.communicate()
    return process.returncode, err.decode()


@pytest.mark.parametrize(
    ("by", "code", "message"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, -signal.SIGTERM, "terminated")]
)
@pytest.mark.parametrize(("target", "format"), [("out.jsonlines", "jsonlines"), ("folder", "brat")])
def test_an_interrupt_leaves_nothing_half_written(
    target: str, format: str, by: int, code: int, message: str, long_corpus: Path, tmp_path: Path
) -> None:
    ended, err = interrupted(long_corpus, tmp_path, str(tmp_path / target), "--to", format, by=by)
    assert ended == code
    assert err.strip().endswith(message)
    assert "Traceback" not in err
    assert names(tmp_path) == []


def test_an_interrupt_leaves_the_old_file(long_corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonlines"
    path.write_text("old", encoding="utf-8")
    code, _ = interrupted(long_corpus, tmp_path, str(path))
    assert (code, names(tmp_path), path.read_text(encoding="utf-8")) == (130, ["out.jsonlines"], "old")


# --- completion


@pytest.mark.parametrize(
    ("name", "mark"), [("bash", "complete -o nosort"), ("zsh", "#compdef coindex"), ("fish", "complete ")]
)
def test_completion_scripts(name: str, mark: str) -> None:
    done = run("completion", name)
    assert (done.code, done.err) == (0, "")
    assert mark in done.out.decode()
    assert "_COINDEX_COMPLETE=" in done.out.decode()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("coindex con", {"convert"}),
        ("coindex convert a b --to co", {"corefud", "conllua", "conll2012"}),
        ("coindex heads a --red", {"--reduce"}),
        ("coindex formats pr", {"preco"}),
    ],
)
def test_completion(line: str, expected: set[str]) -> None:
    words = line.split(" ")
    environment = {
        **os.environ,
        "_COINDEX_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    command = str(Path(sys.executable).with_name("coindex"))
    done = subprocess.run([command], capture_output=True, text=True, check=False, env=environment)
    assert {row.partition(",")[2] for row in done.stdout.split()} == expected
