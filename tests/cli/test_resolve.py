"""`coindex resolve` into one place, `coindex resolvers`, `coindex demo`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import coindex
from coindex.errors import DataWarning
from coindex.resolvers import registry
from coindex.resolvers.defaults import default_for, with_trees
from command import run
from corefud_text import document, sentence

SENTENCES = sentence("Ann Entity=(e1--1)", "met", "Bob Entity=(e2--1)"), sentence("She Entity=(e1--1)", "left")
TEXT = document(*SENTENCES)
DEFAULT = default_for("en")
GIVEN = ("-r", "singleton", "--mentions", "given")


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.conllu"
    path.write_text(TEXT, encoding="utf-8")
    return path


def sizes(path: Path) -> list[int]:
    return [len(entity.mentions) for doc in coindex.read(path) for entity in doc.entities]


# --- where the result goes


def test_the_result_is_shown(story: Path) -> None:
    done = run("resolve", story, *GIVEN)
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().startswith("d  5 tokens · 2 sentences · 3 mentions · 3 entities")
    assert "[Ann]ₑ₁ met [Bob]ₑ₂" in done.out.decode()


def test_into_a_file(story: Path, tmp_path: Path) -> None:
    done = run("resolve", story, *GIVEN, "-o", tmp_path / "out.conllu")
    assert (done.code, done.out, done.err) == (0, b"", "")
    assert sizes(tmp_path / "out.conllu") == [1, 1, 1]
    assert "by:singleton" in (tmp_path / "out.conllu").read_text(encoding="utf-8")


def test_all_inputs_into_one_file(story: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    other.write_text(TEXT.replace("id = d\n", "id = other\n"), encoding="utf-8")
    assert run("resolve", story, other, *GIVEN, "-o", tmp_path / "all.conllu").code == 0
    assert [doc.id for doc in coindex.read(tmp_path / "all.conllu")] == ["d", "other"]


def test_from_standard_input_to_standard_output() -> None:
    done = run("resolve", "-", *GIVEN, "--to", "corefud", input=TEXT.encode())
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().count("singleton") == 3
    done = run("resolve", "-", *GIVEN, "-o", "-", "--to", "jsonlines", input=TEXT.encode())
    assert json.loads(done.out)["clusters"] == [[[0, 0]], [[2, 2]], [[3, 3]]]


def test_packed_input(tmp_path: Path) -> None:
    path = tmp_path / "story.conllu.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert run("resolve", path, *GIVEN, "-o", tmp_path / "out.conllu").code == 0
    assert sizes(tmp_path / "out.conllu") == [1, 1, 1]


def test_options_of_reader_and_writer(story: Path, tmp_path: Path) -> None:
    done = run("resolve", story, *GIVEN, "-w", "width=30", "-w", "singletons=hidden")
    assert (done.code, "[Ann]" in done.out.decode()) == (0, False)
    done = run("resolve", story, *GIVEN, "-w", "colr=x")
    assert (done.code, done.err) == (2, "error: unknown option of terminal 'colr'; did you mean colour?\n")
    done = run("resolve", story, *GIVEN, "--read-option", "x=y")
    assert (done.code, "unknown option of corefud 'x'" in done.err) == (2, True)


# --- what is resolved


def test_mentions_of_entities_with_several(story: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    assert run("resolve", story, "-r", "singleton", "--mentions", "given-nonsingleton", "-o", out).code == 0
    (doc,) = coindex.read(out)
    assert [mention.text for mention, _ in doc.mentions()] == ["Ann", "She"]


def test_entities_can_be_kept(story: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    assert run("resolve", story, "-r", "heads", "--keep-entities", "-o", out).code == 0
    assert sizes(out) == [2, 1]


def test_the_same_on_two_processes(tmp_path: Path) -> None:
    many = tmp_path / "many.conllu"
    many.write_text("".join(document(*SENTENCES, id=f"d{number}") for number in range(30)), encoding="utf-8")
    outs = [run("resolve", many, *GIVEN, "--to", "corefud", "--jobs", jobs) for jobs in (1, 2)]
    assert outs[0].code == outs[1].code == 0
    assert outs[0].out == outs[1].out
    assert outs[0].out.count(b"# newdoc") == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-r", "sngleton"], "error: unknown resolver 'sngleton'; did you mean singleton?\n"),
        (["-r", "singleton"], "error: singleton works with given mentions only"),
        (["-r", "heads"], "error: heads changes entities, but there are none yet"),
        (["-r", "heads(al)", "--keep-entities"], "error: unknown value of heads option how 'al'; did you mean all"),
        (["-r", "heads +", "--keep-entities"], "error: resolver 'heads +': syntax error at character 8"),
        ([*GIVEN, "--mentions", "some"], "'some' is not one of 'detected', 'given', 'given-nonsingleton'"),
        ([*GIVEN, "--jobs", "-1"], "-1 is not in the range x>=0"),
        ([*GIVEN, "--parser", "heads"], "error: parser 'heads': heads is not a parser"),
        ([*GIVEN, "--parser", "spcy(x)"], "unknown resolver 'spcy'"),
        ([*GIVEN, "--to", "corefd"], "unknown format 'corefd'; did you mean corefud?"),
        (
            [*GIVEN, "-o", "out.unknown"],
            "error: out.unknown: the name does not identify the format; name the format with",
        ),
        ([*GIVEN, "--keep", "Ann", "--to", "corefud"], "unknown option of corefud 'keep'"),
        ([*GIVEN, "--confidence", "0.5", "--to", "corefud"], "unknown option of corefud 'confidence'"),
        ([*GIVEN, "--confidence", "0.5"], "--confidence applies to resolved text only; add --to resolved"),
        ([*GIVEN, "--confidence", "2", "--to", "resolved"], "2.0 is not in the range 0<=x<=1"),
        ([*GIVEN, "-w", "confidence=x", "--to", "resolved"], "error: confidence: 'x' is not a number"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, story: Path) -> None:
    done = run("resolve", story, *arguments)
    assert (done.code, done.out) == (2, b"")
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("data", [b"", b" \n"], ids=["nothing", "white-space"])
def test_an_empty_text_gives_an_empty_result(data: bytes, tmp_path: Path) -> None:
    """The same from a file, a folder, standard input and Python: no words, and a warning."""
    path = tmp_path / "texts/nothing.txt"
    path.parent.mkdir()
    path.write_bytes(data)
    out = tmp_path / "out.json"
    for given, name in ((path, path), (path.parent, path), ("-", "<stdin>")):
        done = run("resolve", given, "-o", out, "-q", input=data)
        assert (done.code, done.err) == (0, f"warning: {name}: an empty text; expected at least one word; it is read "
            "as a document without words; remove the file if that is not intended\n")  # fmt: skip
        (doc,) = coindex.read(out)
        assert (len(doc.tokens), len(doc.entities)) == (0, 0)
    done = run("resolve", path.parent, "-o", tmp_path / "folder", "-q")
    assert (done.code, done.err.startswith(f"warning: {path}: an empty text")) == (0, True)
    (doc,) = coindex.read(tmp_path / "folder/nothing.conllu")
    assert (doc.id, len(doc.tokens)) == ("nothing", 0)
    with pytest.warns(DataWarning, match="an empty text gives a document without words"):
        assert len(coindex.load()(data.decode()).tokens) == 0


def test_an_empty_corpus_is_an_error_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "corpus/cut.conllu"
    path.parent.mkdir()
    path.write_bytes(b"")
    for arguments in ([path], [path.parent], [path.parent, "-o", f"{tmp_path}/out/"], ["-", "--from", "corefud"]):
        done = run("resolve", *arguments)
        assert (done.code, ":1: an empty file; expected a document; check how" in done.err) == (2, True)


# --- raw text


RAW = b"Mary Lee met John. She gave him her key."


def test_raw_text_needs_neither_parser_nor_resolver() -> None:
    done = run("resolve", "-", input=RAW)
    assert done.code == 0
    assert done.err == f"resolver: {DEFAULT}, scheme gum (choose another with -r, see 'coindex resolvers')\n"
    assert "[She]" in done.out.decode()


# --- the annotation scheme

NOVEL = (
    "Nora stood at the door and looked into the dark room. Her eyes passed over the lamp, and her heart felt heavy. "
    "She heard a voice. Tom came in and held her hands. For a moment he seemed afraid, and his face turned white. "
) * 6
REPORT = "The council met on Monday. It approved the budget, and its members thanked the staff for their work. " * 15
HINT = "hint: {} looks like fiction; the scheme for novels may fit better: -r '{}({})'\n"


def test_a_hint_for_fiction(tmp_path: Path) -> None:
    novel, report = tmp_path / "novel.txt", tmp_path / "report.txt"
    novel.write_text(NOVEL, encoding="utf-8")
    report.write_text(REPORT, encoding="utf-8")
    chosen = f"resolver: {DEFAULT}, scheme gum (choose another with -r, see 'coindex resolvers')\n"
    assert run("resolve", novel, "--to", "json").err == chosen + HINT.format("novel", DEFAULT, "litbank")
    assert run("resolve", report, "--to", "json").err == chosen
    done = run("resolve", report, novel, "-o", f"{tmp_path}/out/")
    assert (done.code, done.err) == (0, f"{chosen}2 files done\n" + HINT.format(novel, DEFAULT, "litbank"))
    assert run("resolve", novel, "--to", "json", "-q").err == ""


def test_the_scheme_of_a_named_resolver(tmp_path: Path) -> None:
    novel = tmp_path / "novel.txt"
    novel.write_text(NOVEL, encoding="utf-8")
    default = "resolver: en-small, scheme gum (others: litbank, parcorfull)\n"
    done = run("resolve", novel, "--to", "json", "-r", "en-small")
    assert done.err == default + HINT.format("novel", "en-small", "litbank")
    done = run("resolve", novel, "--to", "json", "-r", "en-small", "--min-link", "0.5")
    assert done.err.endswith(HINT.format("novel", "en-small", "litbank, min_link=0.5"))
    for scheme in ("litbank", "scheme=gum", "scheme=none"):
        assert run("resolve", novel, "--to", "json", "-r", f"en-small({scheme})").err == ""
    assert run("resolve", novel, "--to", "json", "-r", "are-baseline").err == ""


# --- resolved text

LETTER = "Mary Lee met John. She gave him her key. “She is kind,” he said. It's in `her.key` now.\n"


def test_resolved_text_of_raw_text() -> None:
    done = run("resolve", "-", "--to", "resolved", "-q", input=LETTER.encode())
    assert done.code == 0
    assert done.out.decode().startswith("Mary Lee met John. Mary Lee gave John her key. “She is kind,” John said.")
    assert "`her.key` now.\n" in done.out.decode()


def test_confidence_decides_what_is_replaced() -> None:
    def resolved(*options: str) -> str:
        return run(
            "resolve", "-", "-r", "en-small", "--to", "resolved", "-q", *options, input=LETTER.encode()
        ).out.decode()

    assert resolved("--confidence", "1") == LETTER
    assert resolved("--confidence", "0").startswith("Mary Lee met John. Mary Lee gave John her key.")
    assert resolved("-w", "confidence=1") == LETTER


def test_replacements_of_raw_text() -> None:
    done = run("resolve", "-", "--to", "replacements", "-q", "--confidence", "0.5", input=LETTER.encode())
    record = json.loads(done.out)
    assert record["text"] == LETTER
    assert [row["new"] for row in record["replacements"]][:2] == ["Mary Lee", "John"]
    for row in record["replacements"]:
        assert record["text"][row["start"] : row["end"]] == row["old"]
        assert record["resolved"][row["start_new"] : row["end_new"]] == row["new"]
        assert 0.5 <= row["confidence"] <= 1


@pytest.mark.parametrize("text", ["\n", "Word", "🙂", "👩‍👩‍👧 met 🙂", "ذهبت.", "דינה."])
def test_odd_texts(text: str) -> None:
    done = run("resolve", "-", "--to", "text", input=text.encode())
    assert (done.code, done.out.decode()) == (0, text)


def test_a_text_in_other_letters_is_not_called_english() -> None:
    done = run("resolve", "-", "--to", "json", input="דינה ישנה.".encode())
    assert done.code == 0
    assert "language" not in json.loads(done.out)
    assert done.err.startswith(
        "warning: stdin: the language is unknown and the script is not Latin, so are-baseline is"
    )


@pytest.mark.parametrize("language", [(), ("--language", "ar")])
def test_raw_text_in_a_language_without_a_model(language: tuple[str, ...]) -> None:
    done = run("resolve", "-", *language, input="ذهبت ليلى إلى بيتها، وكانت متعبة جدا.".encode())
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith(
        "error: stdin: the language is Arabic (ar) and there is no dependency tree; only English "
    )


def test_a_language_is_guessed_only_from_enough_words() -> None:
    """The word *met* alone may be English or Dutch."""
    assert run("resolve", "-", input=b"Nora met Tom.").code == 0
    dutch = (
        "Nora is met haar broer naar het huis van de buurman gegaan, maar hij was er niet en zij ging weer naar huis."
    )
    done = run("resolve", "-", input=dutch.encode())
    assert (done.code, "stdin: the language is Dutch (nl) and there is no" in done.err) == (2, True)
    assert run("resolve", "-", "--language", "en", input=dutch.encode()).code == 0


def test_the_language_is_known_when_words_are_cut() -> None:
    done = run("resolve", "-", *GIVEN, "--language", "fr", "--to", "jsonlines", input=b"L'ami part.")
    assert json.loads(done.out)["sentences"] == [["L'", "ami", "part", "."]]


def test_each_document_gets_a_resolver_that_fits(story: Path, tmp_path: Path) -> None:
    raw, more = tmp_path / "raw.txt", tmp_path / "more.txt"
    raw.write_bytes(RAW)
    more.write_bytes(RAW)
    done = run("resolve", raw, story, more, "-o", tmp_path / "all.conllu")
    assert (done.code, [line.split()[1] for line in done.err.splitlines()]) == (0, [f"{DEFAULT},", with_trees()])
    assert [doc.id for doc in coindex.read(tmp_path / "all.conllu")] == ["raw", "d", "more"]


def test_a_parser_for_texts_without_trees(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    from spacy.util import get_installed_models

    models = [name for name in get_installed_models() if name.startswith("en_")]
    if not models:
        pytest.skip("no English pipeline of spaCy is installed")
    done = run("resolve", "-", "--parser", f"spacy({models[0]})", "-o", tmp_path / "out.conllu", input=RAW)
    assert done.code == 0
    assert done.err.startswith(f"resolver: spacy(model={models[0]}) + {with_trees()} (")
    (doc,) = coindex.read(tmp_path / "out.conllu")
    assert all(token.upos != "_" for token in doc.tokens)


def test_resolved_text_with_spans_that_stay() -> None:
    plain = run("resolve", "-", "-r", "are-baseline", "--to", "resolved", input=RAW)
    kept = run("resolve", "-", "-r", "are-baseline", "--to", "resolved", "--keep", "She", "--keep", "him", input=RAW)
    assert (plain.code, kept.code) == (0, 0)
    assert b"She" not in plain.out
    assert b"She" in kept.out
    assert b" him " in kept.out


# --- the list of resolvers


def test_resolvers_are_listed() -> None:
    done = run("resolvers")
    assert (done.code, done.err) == (0, "")
    lines = done.out.decode().splitlines()
    assert [line.split()[0] for line in lines[::2]] == list(registry.resolver_names())
    row = lines[2 * list(registry.resolver_names()).index("singleton") + 1]
    assert row.strip().startswith("rules; any language; needs mentions; Apache-2.0; ")


def test_all_about_a_resolver() -> None:
    text = run("resolvers", "heads").out.decode()
    for line in (
        "heads: reduces mention spans to their heads",
        "  kind       step",
        "  option     how=all|merge|smaller",
    ):
        assert line in text
    assert "  source     Straka" in text
    assert "  mentions   " not in text  # that is for those who find entities
    assert "  mentions   given\n" in run("resolvers", "singleton").out.decode()


def test_resolvers_as_data() -> None:
    rows = json.loads(run("resolvers", "--json").out)
    assert [row["name"] for row in rows] == list(registry.resolver_names())
    (row,) = json.loads(run("resolvers", "heads", "--json").out)
    assert row["options"] == {"how": ["all", "merge", "smaller"]}
    assert {"kind", "languages", "needs", "licence", "scores", "source", "mentions", "collects"} <= row.keys()


def test_an_unknown_resolver() -> None:
    done = run("resolvers", "haeds")
    assert (done.code, "unknown resolver 'haeds'; did you mean heads?" in done.err) == (2, True)


# --- the demo


def test_demo(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("demo", "-o", page)
    assert (done.code, done.err) == (0, "")
    text = done.out.decode()
    for piece in ("$ coindex resolve story.txt", "$ coindex resolve cartero.conllu", "CoNLL", f"wrote {page}"):
        assert piece in text
    assert "coindex|crac24@1|" in text
    assert "Nora" in page.read_text(encoding="utf-8")


def test_texts_of_the_demo_are_in_the_package() -> None:
    """A wheel holds them under coindex/examples; in a clone they are in examples/."""
    import tomllib

    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    from coindex.cli.demo import KEY, RAW, ZEROS

    names = {example.file for example in (KEY, RAW, ZEROS)}
    assert included == {f"examples/{name}": f"coindex/examples/{name}" for name in names}
    assert all((root / "examples" / name).is_file() for name in names)
