"""Odd and broken documents: a result or a clear message, never a traceback."""

from __future__ import annotations

import pytest

import coindex
from coindex import Document
from coindex.document import Entity, Token, Tokens
from coindex.document.validation import check
from coindex.errors import CoindexError, DataWarning
from coindex.resolvers.ud import xx_ud
from command import run
from parsed_text import chains, parsed

pytestmark = pytest.mark.skipif(not xx_ud.is_there(), reason="the weights of xx-ud are not installed")

PLAIN = """
Inés Inés PROPN Gender=Fem|Number=Sing 2 nsubj
vio ver VERB Mood=Ind|Number=Sing|Person=3|VerbForm=Fin 0 root
a a ADP _ 5 case
la el DET Gender=Fem|Number=Sing 5 det
vecina vecino NOUN Gender=Fem|Number=Sing 2 obj
. . PUNCT _ 2 punct

Llamó llamar VERB Mood=Ind|Number=Sing|Person=3|VerbForm=Fin 0 root
a a ADP _ 4 case
la el DET Gender=Fem|Number=Sing 4 det
vecina vecino NOUN Gender=Fem|Number=Sing 1 obj
. . PUNCT _ 1 punct

Ella él PRON Gender=Fem|Number=Sing|Person=3|PronType=Prs 2 nsubj
volvió volver VERB Mood=Ind|Number=Sing|Person=3|VerbForm=Fin 0 root
. . PUNCT _ 2 punct
"""
HEBREW = """
דינה דינה PROPN Gender=Fem|Number=Sing 2 nsubj
אמרה אמר VERB Gender=Fem|Number=Sing|Person=3 0 root
. . PUNCT _ 2 punct

דינה דינה PROPN Gender=Fem|Number=Sing 2 nsubj
הלכה הלך VERB Gender=Fem|Number=Sing|Person=3 0 root

היא הוא PRON Gender=Fem|Number=Sing|Person=3|PronType=Prs 2 nsubj
ישנה ישן VERB Gender=Fem|Number=Sing|Person=3 0 root
"""


def lines(change):
    """PLAIN with each row of columns changed."""
    blocks = PLAIN.strip().split("\n\n")
    return "\n\n".join("\n".join(" ".join(change(*row.split())) for row in block.splitlines()) for block in blocks)


def column(number, value):
    return lines(lambda *cells: [value if at == number else cell for at, cell in enumerate(cells)])


OWN_LABELS = {"nsubj": "SB", "obj": "OA", "root": "--", "det": "NK", "case": "AC", "punct": "$"}
TEXTS = {
    "plain": PLAIN,
    "a circle": PLAIN.replace("NOUN Gender=Fem|Number=Sing 2 obj", "NOUN Gender=Fem|Number=Sing 4 obj"),
    "all in a circle": "a a NOUN _ 2 nsubj\nb b NOUN _ 3 obj\nc c PRON Person=3|Number=Plur|PronType=Prs 1 obl",
    "its own parent": PLAIN.replace("0 root", "2 root"),
    "parents that are not there": column(4, "99"),
    "no parents but one": lines(lambda *c: [*c[:4], c[4] if c[5] == "root" else "_", c[5]]),
    "parents that are no numbers": column(4, "x"),
    "no features": column(3, "_"),
    "broken features": column(3, "Gender|=Sing||x=y=z"),
    "no tags": column(2, "_"),
    "no lemmas": column(1, "_"),
    "no relations": column(5, "_"),
    "labels of its own": lines(lambda *c: [*c[:2], c[2][:2].lower(), *c[3:5], OWN_LABELS[c[5]]]),
    "all roots": lines(lambda *c: [*c[:4], "0", "root"]),
    "all below the first": lines(lambda *c: [*c[:4], "1", "nsubj"]),
    "right to left": HEBREW,
    "one word": "Ella él PRON Person=3 0 root",
    "marks": ". . PUNCT _ 0 root\n\n! ! PUNCT _ 0 root",
}
EMPTY = ("99:nsubj", "nsubj", "2", "0.1:nsubj", ":", "|", "2:nsubj|", "x:y|2:nsubj:pass|7.7:obj", "_")


def is_sound(doc: Document) -> bool:
    """Every entity has mentions of the document, each once, with a head of its own."""
    mentions = [mention for mention, _ in doc.mentions()]
    inside = all(mention.start >= 0 and mention.end <= len(doc.tokens) for mention in mentions)
    headed = all(mention.head in mention.positions for mention in mentions)
    return inside and headed and len({mention.positions for mention in mentions}) == len(mentions)


@pytest.mark.parametrize("zeros", ["predict", "given", "ignore"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_broken_trees(text, zeros):
    for language in ("es", None):
        doc = parsed(text, language=language)
        found = coindex.load("xx-ud", zeros=zeros)(doc)
        assert is_sound(found)
        assert found.text == doc.text
        words = [token for token in found.tokens if not token.is_empty]
        assert words == list(doc.tokens)


def test_a_plain_text_is_resolved():
    found = coindex.load("xx-ud", language="es")(parsed(PLAIN))
    assert ["la vecina", "la vecina"] in [[text for text in chain if text == "la vecina"] for chain in chains(found)]
    assert not [finding for finding in check(found) if finding.severity == "error"]
    assert all("score" in mention.attributes for mention, _ in found.mentions())


@pytest.mark.parametrize("language", ["sw", "zu", "qaa-x-own"])
def test_a_language_never_seen(language):
    assert is_sound(coindex.load("xx-ud")(parsed(PLAIN, language=language)))


@pytest.mark.parametrize("language", ["xx", "not a language"])
def test_a_language_that_does_not_exist(language):
    with pytest.warns(DataWarning, match=f"unknown language '{language}'"):
        assert is_sound(coindex.load("xx-ud")(parsed(PLAIN, language=language)))


@pytest.mark.parametrize("zeros", ["predict", "given", "ignore"])
@pytest.mark.parametrize("deps", EMPTY)
def test_empty_nodes_with_broken_deps(deps, zeros):
    text = PLAIN.replace("Llamó", f"0.1 _ _ PRON _ _ _ {deps}\nLlamó")
    doc = parsed(text, language="es")
    found = coindex.load("xx-ud", zeros=zeros)(doc)
    assert is_sound(found)
    assert list(found.tokens) == list(doc.tokens)
    if zeros == "ignore":
        assert not any(mention.is_zero for mention, _ in found.mentions())


def test_a_sentence_of_empty_nodes_alone():
    layer = Tokens([Token("0.1", "_", upos="PRON", deps="0:root"), Token("1", "Sí", head="0", deprel="root")])
    assert is_sound(coindex.load("xx-ud")(Document.from_sentences(layer, [1, 1], language="es")))


@pytest.mark.parametrize("doc", [Document(), Document.from_text(" \n")])
def test_nothing_at_all(doc):
    assert coindex.load("xx-ud", language="es")(doc).entities == ()


def test_a_missing_tree_is_reported():
    with pytest.raises(CoindexError, match="no dependency tree"):
        coindex.load("xx-ud")(Document.from_text("Inés llegó.", language="es"))


def test_mentions_that_are_given_stay():
    doc = parsed(PLAIN, language="es")
    spans = ([0], [3, 4], [8, 9], [11])
    doc = doc.replace(entities=tuple(Entity(f"m{n}", (doc.mention(span),)) for n, span in enumerate(spans)))
    found = coindex.load("xx-ud", mentions="given")(doc)
    assert sorted(mention.positions for mention, _ in found.mentions()) == [tuple(span) for span in spans]
    assert not found.tokens.empty_positions


def test_a_long_document():
    """As many zeros as verbs without a subject, none of them lost on the way."""
    doc = parsed("\n\n".join([PLAIN.strip()] * 400), language="es")
    found = coindex.load("xx-ud")(doc)
    assert is_sound(found)
    assert len(found.tokens.empty_positions) == 400


def test_one_endless_sentence():
    rows = ["a a NOUN Number=Sing 0 root", *(["b b PROPN Number=Sing 1 conj"] * 3000)]
    assert is_sound(coindex.load("xx-ud")(parsed("\n".join(rows), language="es")))


def test_the_command_on_a_broken_file(tmp_path):
    file = tmp_path / "bad.conllu"
    rows = [f"{n}\tw{n}\tw{n}\tNOUN\t_\t_\t{n % 3 + 1}\tobj\t{n}:x|y\t_" for n in range(1, 4)]
    file.write_text("\n".join([*rows, "3.1\t_\t_\tPRON\t_\t_\t_\t_\t9:nsubj\t_", "", ""]), encoding="utf-8")
    done = run("resolve", file, "--language", "cs", "-o", tmp_path / "out.conllu")
    assert "Traceback" not in done.err
    assert done.code == 0, done.err
    assert (tmp_path / "out.conllu").exists()
