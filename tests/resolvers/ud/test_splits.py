"""Split antecedents: "Ann and Bob … they"."""

from __future__ import annotations

import coindex
from coindex.document import Document, Entity
from coindex.document.validation import check
from coindex.resolvers.ud.split_antecedents import link_splits
from parsed_text import chains, parsed

TEXT = """
Ann Ann PROPN Number=Sing 4 nsubj
and and CCONJ _ 3 cc
Bob Bob PROPN Number=Sing 1 conj
met meet VERB _ 0 root

They they PRON Number=Plur|Person=3|PronType=Prs 2 nsubj
left leave VERB _ 0 root
"""


def groups(doc: Document) -> list[tuple[str, list[str]]]:
    names = {entity.id: entity.mentions[0].text for entity in doc.entities}
    return [(split.anaphor.text, [names[id] for id in split.antecedents]) for split in doc.split_antecedents]


def test_they_takes_up_both():
    found = link_splits(parsed(TEXT), "xx-ud")
    assert groups(found) == [("They", ["Ann", "Bob"])]
    assert chains(found) == [["Ann"], ["Bob"], ["They"]]
    assert not [finding for finding in check(found) if finding.severity == "error"]


def test_entities_that_are_there_are_taken():
    doc = parsed(TEXT)
    doc = doc.replace(entities=(Entity("a", (doc.mention([0], head=0),)), Entity("t", (doc.mention([4], head=4),))))
    (split,) = link_splits(doc, "xx-ud").split_antecedents
    assert (split.entity, split.antecedents) == ("t", ("a", "e1"))


def test_it_is_written_as_corefud_has_it(tmp_path):
    coindex.write([link_splits(parsed(TEXT, id="d"), "xx-ud")], tmp_path / "out.conllu")
    assert "SplitAnte=" in (tmp_path / "out.conllu").read_text(encoding="utf-8")
    (again,) = coindex.read(tmp_path / "out.conllu")
    assert groups(again) == [("They", ["Ann", "Bob"])]


def test_a_pronoun_with_an_antecedent_stays():
    doc = parsed(TEXT)
    they = Entity("t", (doc.mention([0, 1, 2], head=0), doc.mention([4], head=4)))
    assert not link_splits(doc.replace(entities=(they,)), "xx-ud").split_antecedents


def test_phrases_that_are_not_split_antecedents():
    for text in (
        TEXT.replace("and and", "or or"),
        TEXT.replace("Bob Bob PROPN Number=Sing", "Bobs Bob PROPN Number=Plur"),
        TEXT.replace("Person=3", "Person=1"),
        TEXT.replace("Number=Plur|Person=3", "Number=Sing|Person=3"),
        TEXT.replace("They they", "rain rain NOUN _ 0 root\n\nsun sun NOUN _ 0 root\n\nThey they"),
    ):
        doc = parsed(text)
        assert link_splits(doc, "xx-ud") is doc or not link_splits(doc, "xx-ud").split_antecedents


def test_words_that_depend_on_each_other_in_a_circle():
    text = TEXT.replace("Number=Sing 4 nsubj", "Number=Sing 3 conj")
    assert link_splits(parsed(text), "xx-ud")
