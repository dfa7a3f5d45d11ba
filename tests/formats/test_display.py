"""Formats that are only written: html, markdown, terminal, csv, resolved: files, options, what they cannot say."""

import gzip

import pytest

import coindex
from coindex.errors import CoindexError, LossWarning, UnknownNameError
from coindex.formats.detection import Head
from coindex.formats.registry import get_format
from coindex.render.html import page
from stories import story

NAMES = ("html", "markdown", "terminal", "csv", "resolved")


@pytest.fixture
def plain():
    """The story without what Markdown and the terminal cannot say."""
    doc = story()
    bare = [e.__class__(e.id, (doc.mention(e.mentions[0].positions),), kind=e.kind) for e in doc.entities]
    tokens = doc.tokens.__class__(token._replace(lemma="_") for token in doc.tokens)
    return doc.replace(tokens=tokens, entities=tuple(bare), bridges=(), split_antecedents=())


@pytest.mark.parametrize("name", NAMES)
def test_cannot_be_read(name, tmp_path):
    assert get_format(name).detect(Head(tmp_path / "x.html", "<html>")) == "no"
    path = tmp_path / "x.html"
    path.write_text("<html>", encoding="utf-8")
    with pytest.raises(CoindexError, match=f"{name} can be written but not read"):
        list(coindex.read(path, format=name))


@pytest.mark.parametrize(
    ("end", "begin"),
    [("html", "<!doctype html>"), ("md", "# story\n"), ("ansi", "story  26 tokens")],
)
def test_the_file_name_determines_the_format(end, begin, plain, tmp_path):
    coindex.write(plain, tmp_path / f"a.{end}")
    assert (tmp_path / f"a.{end}").read_text(encoding="utf-8").startswith(begin)


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("html", "html cannot represent: 1 tokens with UD columns"),
        (
            "markdown",
            "markdown cannot represent: 1 tokens with UD columns; 7 mention heads; 2 mentions with attributes",
        ),
        ("terminal", "terminal cannot represent: .*; 4 entity types"),
    ],
)
def test_losses_are_counted(name, lost, tmp_path):
    with pytest.warns(LossWarning, match=lost):
        coindex.write(story(), tmp_path / "a", format=name)


def test_html_is_the_page_with_a_title(plain, tmp_path):
    coindex.write(plain, tmp_path / "my.story.html")
    assert (tmp_path / "my.story.html").read_text(encoding="utf-8") == "".join(page([plain], title="my.story"))
    coindex.write(plain, tmp_path / "b.html.gz", title="A & B", singletons="hidden")
    with gzip.open(tmp_path / "b.html.gz", "rt", encoding="utf-8") as file:
        assert file.read() == "".join(page([plain], title="A & B", singletons=False))


def test_several_documents(plain, tmp_path):
    coindex.write([plain, plain], tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").count('<section class="doc" id=') == 2
    coindex.write([plain, plain], tmp_path / "a.md")
    assert (tmp_path / "a.md").read_text(encoding="utf-8").count("\n# story\n") == 1


def test_options_of_the_terminal(plain, tmp_path):
    path = tmp_path / "a.ansi"
    coindex.write(plain, path, colour="never", singletons="hidden", width="40")
    text = path.read_text(encoding="utf-8")
    assert "[" not in text
    assert max(map(len, text.splitlines()[1:])) <= 40
    coindex.write(plain, path, colour="always")
    assert "\x1b[" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", ["0", "-3", "many", "²", "1" * 30, "99999"])
def test_an_invalid_width_is_refused(width, plain, tmp_path):
    with pytest.raises(CoindexError, match="expected a number of columns"):
        coindex.write(plain, tmp_path / "a.ansi", width=width)
    assert list(tmp_path.iterdir()) == []


def test_unknown_choices_name_the_known(plain, tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean always"):
        coindex.write(plain, tmp_path / "a.ansi", colour="allways")


def test_real_corpora_are_drawn_whole(shared_data, tmp_path):
    path = shared_data / "cs_faust" / "cs_pdtc-ud-train-ft.conllu"
    docs = list(coindex.read(path, format="corefud"))
    markup = "".join(page(docs))
    zeros = sum(mention.is_zero for doc in docs for mention, _ in doc.mentions())
    torn = sum(len(mention.char_spans) > 1 for doc in docs for mention, _ in doc.mentions())
    assert (len(docs), zeros, torn) == (48, 1251, 5)
    assert markup.count('class="zero"') == zeros
    assert markup.count('class="gap"') == torn
