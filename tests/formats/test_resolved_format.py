"""Resolved text as a format: files, options, several documents."""

import pytest

import coindex
from coindex.errors import CoindexError, UnknownNameError
from command import run
from marked_text import marked

pytestmark = pytest.mark.filterwarnings("ignore::coindex.errors.LossWarning")
TEXT = "[Alice|a] ran. [The girl|a] won. “[I|a] waited,” [she|a] said.\n"


def written(doc, tmp_path, **options):
    coindex.write(doc, tmp_path / "a.resolved.txt", **options)
    return (tmp_path / "a.resolved.txt").read_text(encoding="utf-8")


def test_options(tmp_path):
    doc = marked(TEXT)
    assert written(doc, tmp_path) == "Alice ran. Alice won. “I waited,” Alice said.\n"
    assert written(doc, tmp_path, descriptions="kept") == "Alice ran. The girl won. “I waited,” Alice said.\n"
    assert written(doc, tmp_path, persons="all") == "Alice ran. Alice won. “I waited,” Alice said.\n"
    everywhere = written(doc, tmp_path, persons="all", quotations="replaced")
    assert everywhere == "Alice ran. Alice won. “Alice waited,” Alice said.\n"
    assert written(doc, tmp_path, keep="The girl") == "Alice ran. The girl won. “I waited,” Alice said.\n"
    assert written(doc, tmp_path, keep="11-19;she") == "Alice ran. The girl won. “I waited,” she said.\n"
    with pytest.raises(CoindexError, match="keep 5-1: invalid range"):
        written(doc, tmp_path, keep="5-1")
    with pytest.raises(UnknownNameError, match="persons"):
        written(doc, tmp_path, persons="first")


def test_several_documents_are_apart(tmp_path):
    text = "Alice ran. Alice won. “I waited,” Alice said.\n"
    assert written([marked(TEXT)] * 2, tmp_path) == text + "\n" + text


def test_from_the_command_line(tmp_path):
    coindex.write(marked(TEXT, id="d"), tmp_path / "a.json")
    done = run("convert", tmp_path / "a.json", "-", "--to", "resolved", "-w", "keep=The girl")
    assert (done.code, done.out.decode()) == (0, "Alice ran. The girl won. “I waited,” Alice said.\n")
