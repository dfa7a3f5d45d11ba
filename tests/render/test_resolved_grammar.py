"""The grammar of resolved English text: hand-written sentences with the text that a reader would expect."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Entity, Sentence, Tokens
from coindex.errors import CoindexError, LossWarning
from coindex.render.resolved_text import resolve_text, resolved_text
from coindex.text.turns import find_quotations
from marked_text import marked, tagged

REPLACED = [
    # plural possessives
    ("[The Smiths|s] moved. [Their|s] dog barked.", "The Smiths moved. The Smiths' dog barked."),
    ("We met [the Smiths|s]. [They|s] are kind.", "We met the Smiths. The Smiths are kind."),
    ("[The Joneses|j] left. Nobody fed [their|j] cat.", "The Joneses left. Nobody fed the Joneses' cat."),
    ("[The children|c] slept. [Their|c] toys broke.", "The children slept. The children's toys broke."),
    ("[The women|w] left. The idea was [theirs|w].", "The women left. The idea was the women's."),
    ("[The United States|u] voted. [Its|u] law changed.", "The United States voted. The United States' law changed."),
    ("[Charles|c] slept. [His|c] cat left.", "Charles slept. Charles's cat left."),
    ("[Tom and Ann|t] slept. Bob sold [their|t] car.", "Tom and Ann slept. Bob sold Tom and Ann's car."),
    # 's: is or has
    ("[Ann|a] ran. [She|a]'s late.", "Ann ran. Ann is late."),
    ("[Ann|a] ran. [She|a]’s late.", "Ann ran. Ann is late."),
    ("[Ann|a] ran. [She|a]'s got a dog.", "Ann ran. Ann has got a dog."),
    ("[Ann|a] ran. [She|a]'s been ill.", "Ann ran. Ann has been ill."),
    ("[Ann|a] ran. [She|a]'s never been ill.", "Ann ran. Ann has never been ill."),
    ("[Ann|a] ran. [She|a]'s taken the book.", "Ann ran. Ann has taken the book."),
    ("[Ann|a] ran. [She|a]'s lost her key.", "Ann ran. Ann has lost her key."),
    ("[Ann|a] ran. [She|a]'s probably lived here.", "Ann ran. Ann has probably lived here."),
    ("[The bank|b] closed. [It|b]'s owned by Bob.", "The bank closed. The bank is owned by Bob."),
    ("[The town|t] is old. [It|t]'s called Ulm.", "The town is old. The town is called Ulm."),
    ("[The town|t] is old. [It|t]'s not far.", "The town is old. The town is not far."),
    ("[Tom|t] ran. [He|t]'s going home.", "Tom ran. Tom is going home."),
    ("[Tom|t] ran. [He|t]'s gone home.", "Tom ran. Tom has gone home."),
    # 'd: had or would
    ("[Tom|t] ran. [He|t]'d seen a dog.", "Tom ran. Tom had seen a dog."),
    ("[Tom|t] ran. [He|t]'d already left.", "Tom ran. Tom had already left."),
    ("[Tom|t] ran. [He|t]'d like tea.", "Tom ran. Tom would like tea."),
    ("[Tom|t] ran. [He|t]'d have won.", "Tom ran. Tom would have won."),
    ("[Tom|t] ran. [He|t]'d rather walk.", "Tom ran. Tom would rather walk."),
    ("[Tom|t] ran. [He|t]'d better walk.", "Tom ran. Tom had better walk."),
    ("[Tom|t] ran. [He|t]'d need water.", "Tom ran. Tom would need water."),
    # 'll, 're, 've
    ("[Ann|a] ran. [She|a]'ll win.", "Ann ran. Ann will win."),
    ("[The girls|g] ran. [They|g]'re fast.", "The girls ran. The girls are fast."),
    ("[The girls|g] ran. [They|g]'ve won.", "The girls ran. The girls have won."),
    ("[The girls|g] ran. [They|g]'d won.", "The girls ran. The girls had won."),
    # whose words they are
    (
        '"Is [[your|a] dog|d] here?" asked Tom. [Ann|a] called [it|d].',
        '"Is your dog here?" asked Tom. Ann called Ann\'s dog.',
    ),
    ("[[My|n] dog|d] barks. Nobody likes [it|d].", "My dog barks. Nobody likes my dog."),
    # her
    ("[Ann|a] slept. Tom woke [her|a].", "Ann slept. Tom woke Ann."),
    ("[Ann|a] slept. Tom took [her|a] keys.", "Ann slept. Tom took Ann's keys."),
    ("[Ann|a] slept. Tom gave [her|a] the keys.", "Ann slept. Tom gave Ann the keys."),
    ("[Ann|a] slept. Tom told [her|a] that it rained.", "Ann slept. Tom told Ann that it rained."),
    ("[Ann|a] slept. Tom saw [[her|a] dog|d].", "Ann slept. Tom saw Ann's dog."),
    ("[Ann|a] slept. The keys were [hers|a].", "Ann slept. The keys were Ann's."),
    # capitals and articles
    ("[The firm|f] grew. Then [it|f] sank.", "The firm grew. Then the firm sank."),
    ("Bob runs [a company|c]. [It|c] is old.", "Bob runs a company. The company is old."),
    ("Bob has [a dog|d]. He likes [it|d].", "Bob has a dog. He likes the dog."),
    ("[An old man|m] came. We saw [him|m].", "An old man came. We saw the old man."),
    ("[Two men|m] came. [They|m] sat down.", "Two men came. The two men sat down."),
    ("We met [several men|m]. [They|m] sat down.", "We met several men. The men sat down."),
    ("“[The firm|f] grew,” he said. Later [it|f] sank.", "“The firm grew,” he said. Later the firm sank."),
    ("[Dogs|d] bark. Cats fear [them|d].", "Dogs bark. Cats fear dogs."),
    ("He bought [the iPhone|p]. [It|p] broke.", "He bought the iPhone. The iPhone broke."),
    # full stops
    ("[Acme Inc.|a] grew. Bob bought [it|a].", "Acme Inc. grew. Bob bought Acme Inc."),
    ("[Acme Inc.|a] grew. Bob bought [it|a], too.", "Acme Inc. grew. Bob bought Acme Inc., too."),
    ("[Acme Inc.|a] grew. Bob bought [it|a]...", "Acme Inc. grew. Bob bought Acme Inc...."),
    # genitives
    ("We ate at [McDonald's|m]. [Its|m] food was cold.", "We ate at McDonald's. McDonald's food was cold."),
    ("[Tom's|t] dog ran. [His|t] cat slept.", "Tom's dog ran. Tom's cat slept."),
    ("[Ann|a] left. Bob fed [the girl|a]'s cat.", "Ann left. Bob fed Ann's cat."),
    ("[Ann and Tom|a] left. Bob fed [the twins|a]' cat.", "Ann and Tom left. Bob fed Ann and Tom's cat."),
    # clauses
    ("[Ann|a] ran because [she|a] was late.", "Ann ran because Ann was late."),
    ("[Ann|a] said that [her|a] dog barked.", "Ann said that Ann's dog barked."),
    ("[Ann|a] ran, and [she|a] won.", "Ann ran, and Ann won."),
    ("[Mary|m] met [John|j]. [She|m] gave [him|j] [her|m] key.", "Mary met John. Mary gave John her key."),
    # names
    ("[Ann|a] ran. [Ann Lee|a] won. [She|a] left.", "Ann ran. Ann Lee won. Ann Lee left."),
    ("[Dr.|d] is in. [Dr. Ray|d] came. [He|d] left.", "Dr. is in. Dr. Ray came. Dr. Ray left."),
    ("[Bo|b] ran. [The tall one|b] won. Then [he|b] left.", "Bo ran. The tall one won. Then Bo left."),
    ("[The one in red|b] won. [A boy|b] cheered. [He|b] left.", "The one in red won. A boy cheered. The boy left."),
    ("[The man that came in|m] spoke. [He|m] left.", "The man that came in spoke. The man left."),
    ("[Acme (founded in 1990)|a] grew. [It|a] sank.", "Acme (founded in 1990) grew. Acme sank."),
    (
        "[The small house at the end of the road near the lake|h] burned. We saved [it|h].",
        "The small house at the end of the road near the lake burned. We saved the small house.",
    ),
]

STAY = [
    '"Is [[your|a] dog|d] here?" asked Tom. Nobody had seen [it|d].',
    # quotations and code
    "[Ann|a] left. Tom said “[she|a] is ill” again.",
    '[Ann|a] left. Tom said "[she|a] is ill" again.',
    "[Ann|a] left. Tom said «[she|a] is ill» again.",
    "[Ann|a] left. ‘[She|a] is ill,’ said Tom.",
    "[Ann|a] left. ``[She|a] is ill,'' said Tom.",
    "[Ann|a] left. “And [she|a] is ill.\n\n“[She|a] sleeps.”",
    "[Ann|a] left. Tom wrote:\n\n> [She|a] is ill.\n\nNothing more.",
    "[Ann|a] left. Type `[she|a] = 1` here.",
    # the same clause, or beside the name
    "[Ann|a] lost [[her|a] book|b].",
    "[Ann|a] and [[her|a] brother|b] left.",
    "[Ann|a] took the lamp, the book and [her|a] bag.",
    "[Her|a] mother called [Ann|a].",
    "[Ann|a] [herself|a] spoke.",
    "[The man|m] loves [his|m] dog.",
    # grammar
    "[Ann|a] hurt [herself|a].",
    "[Ann|a], [who|a] ran, won.",
    "The dog [that|d] barked left.",
    "[Ann|a] ran. [They|a]'re fast.",
    "[Ann|a] ran. [They|a] have won.",
    "[Tom|t] ran. [He|t]'d come home.",
    "[Ann|a] slept. Tom saw [her|a] duck.",
    "[Ann|a] slept. Tom gave [her|a] books.",
    "[I|a] ran. [I|a] won. You saw [me|a], said [Ann|a].",
    "[Ann|a] slept. We met. [You|a] and [we|b] left with [us|b].",
    "[Ann|a] met a girl. [A dog|d] barked. Later [a dog|d] slept.",
    # no name
    "[The one|o] left. [He|o] ran.",
    "[Mr.|m] left. [He|m] ran.",
    "[Someone|s] called. [They|s] left.",
    "[Most people|p] left. [They|p] ran.",
]


@pytest.mark.parametrize(("text", "expected"), REPLACED)
def test_replaced(text: str, expected: str) -> None:
    assert resolved_text(marked(text)) == expected


@pytest.mark.parametrize("text", STAY)
def test_stays(text: str) -> None:
    doc = marked(text)
    assert resolved_text(doc) == doc.text


@pytest.mark.parametrize(
    ("lemma", "expected"), [("have", "Ann ran Ann has finished"), ("be", "Ann ran Ann is finished")]
)
def test_the_lemma_of_a_contraction_decides(lemma: str, expected: str) -> None:
    rows = (
        "Ann PROPN 2 nsubj _ (a)\nran VERB 0 root _\n\nShe~ PRON 3 nsubj _ (a)\n's AUX 3 aux _\nfinished VERB 0 root _"
    )
    doc = tagged(rows)
    tokens = Tokens(token._replace(lemma=lemma) if token.form == "'s" else token for token in doc.tokens)
    sentences = tuple(Sentence(tokens, sentence.start, sentence.end) for sentence in doc.sentences)
    doc = Document(tokens, sentences, language="en")
    doc = doc.replace(entities=(Entity("a", (doc.mention([0]), doc.mention([2]))),))
    assert resolved_text(doc).strip() == expected


def test_a_possessive_in_the_clause_of_its_name_by_the_tree() -> None:
    rows = """\
Ann PROPN 2 nsubj _ (a)
said VERB 0 root Tense=Past
he PRON 4 nsubj _
sold VERB 2 ccomp Tense=Past
her PRON 6 nmod:poss Poss=Yes (a)
car NOUN 4 obj _
and CCONJ 8 cc _
kept VERB 2 conj Tense=Past
her PRON 10 nmod:poss Poss=Yes (a)
keys NOUN 8 obj _"""
    assert resolved_text(tagged(rows)).strip() == "Ann said he sold Ann's car and kept Ann's keys"
    assert resolved_text(tagged("Ann PROPN 2 nsubj _ (a)\nsold VERB 0 root _\nher PRON 4 nmod:poss Poss=Yes (a)\n"
        "car NOUN 2 obj _")).strip() == "Ann sold her car"  # fmt: skip


# --- confidence


def scored(text: str, **scores: list[float]) -> Document:
    """Return a marked document with the scores of the mentions of some entities, in reading order."""
    doc = marked(text)
    entities = []
    for entity in doc.entities:
        values = scores.get(entity.id, [])
        mentions = tuple(
            replace(mention, attributes={"score": f"{value:.4f}"})
            for mention, value in zip(entity.mentions, values, strict=True)
        )
        entities.append(replace(entity, mentions=mentions or entity.mentions))
    return doc.replace(entities=tuple(entities))


CHAIN = "[Ann|a] ran. [She|a] won. Then [she|a] slept. Then [Ann|a] woke. Later [she|a] ate."


@pytest.mark.parametrize(
    ("least", "expected"),
    [
        (0.0, "Ann ran. Ann won. Then Ann slept. Then Ann woke. Later Ann ate."),
        (0.5, "Ann ran. Ann won. Then she slept. Then Ann woke. Later Ann ate."),
        (0.8, "Ann ran. Ann won. Then she slept. Then Ann woke. Later she ate."),
        (1.0, "Ann ran. She won. Then she slept. Then Ann woke. Later she ate."),
    ],
)
def test_doubtful_links_are_not_replaced(least: float, expected: str) -> None:
    """A doubtful link makes the pronouns after it doubtful, up to the next name; the first score is not a link."""
    doc = scored(CHAIN, a=[0.1, 0.9, 0.5, 0.95, 0.7])
    assert resolved_text(doc, confidence=least) == expected


def test_confidence_is_the_product_of_the_links_from_the_name() -> None:
    doc = scored(CHAIN, a=[0.1, 0.9, 0.5, 0.95, 0.7])
    found = [replacement.confidence for replacement in resolve_text(doc, confidence=0).replacements]
    assert found == pytest.approx([0.9, 0.45, 0.7])
    assert [replacement.confidence for replacement in resolve_text(marked(CHAIN), confidence=1).replacements] == [
        None
    ] * 3


def test_the_default_confidence() -> None:
    doc = scored("[Ann|a] ran. [She|a] won.", a=[1, 0.69])
    assert resolved_text(doc) == doc.text
    assert resolved_text(scored("[Ann|a] ran. [She|a] won.", a=[1, 0.71])) == "Ann ran. Ann won."


def test_descriptions_need_more() -> None:
    text = "[Ann|a] ran. [The girl|a] won."
    assert resolved_text(scored(text, a=[1, 0.82])) == "Ann ran. The girl won."
    assert resolved_text(scored(text, a=[1, 0.85])) == "Ann ran. Ann won."


def test_the_nearest_name_in_its_fullest_form() -> None:
    """Bob was put into the entity by mistake; what follows is named by the nearest name."""
    text = "[Ann Lee|a] ran. [Ann|a] won. [She|a] slept. [Bob|a] came. [He|a] sat."
    assert resolved_text(scored(text, a=[1, 1, 1, 1, 1])) == "Ann Lee ran. Ann won. Ann Lee slept. Bob came. Bob sat."
    titles = "[Mrs. Ray|a] ran. [Mr. Ray|a] won. [He|a] slept."
    assert resolved_text(scored(titles, a=[1, 1, 1])) == "Mrs. Ray ran. Mr. Ray won. Mr. Ray slept."


def test_a_noun_with_a_capital_is_no_name() -> None:
    doc = scored("Subject: [Invoice|i]. Ann sent [the invoice|i]. Tom paid [it|i].", i=[1, 1, 1])
    assert resolve_text(doc).text == "Subject: Invoice. Ann sent the invoice. Tom paid the invoice."


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_confidence_is_a_probability(least: float) -> None:
    with pytest.raises(CoindexError) as raised:
        resolved_text(marked(CHAIN), confidence=least)
    assert raised.value.code == "invalid-option"


# --- the table of replacements

PIECES = st.sampled_from(
    (
        *("[Ann|a]", "[she|a]", "[Her|a]", "[the girl|a]", "[She|a]'d", "[The Smiths|s]", "[their|s]", "[they|s]'re"),
        *("[it|f]'s", "[Acme Inc.|f]", "[its|f]", "and", "late", "said", "come", "gone", "“", "”", '"', ".", ",", "`"),
        *("\n\n", "’"),
    )
)


@given(
    st.lists(PIECES, max_size=30), st.sampled_from([0.0, 0.5, 0.9]), st.lists(st.floats(0, 1), min_size=30, max_size=30)
)
def test_offsets_fit_both_texts(pieces: list[str], least: float, values: list[float]) -> None:
    doc = marked(" ".join(pieces))
    scores = iter(values)
    doc = doc.replace(
        entities=tuple(
            replace(e, mentions=tuple(replace(m, attributes={"score": f"{next(scores):.4f}"}) for m in e.mentions))
            for e in doc.entities
        )
    )
    result = resolve_text(doc, confidence=least)
    rebuilt, at = "", 0
    for record in (replacement.record() for replacement in result.replacements):
        assert doc.text[record["start"] : record["end"]] == record["old"] != record["new"]
        assert result.text[record["start_new"] : record["end_new"]] == record["new"]
        assert record["confidence"] >= round(least, 4)
        rebuilt += result.text[at : record["start_new"]] + record["old"]
        at = record["end_new"]
    assert rebuilt + result.text[at:] == doc.text
    quoted = find_quotations(doc.text)
    for replacement in result.replacements:
        assert not any(start < replacement.end and replacement.start < end for start, end in quoted)


def test_replacements_as_json(tmp_path: Path) -> None:
    doc = scored("[Ann|a] ran. [She|a]'s late.", a=[1, 0.9])
    path = tmp_path / "story.replacements.json"
    with pytest.warns(LossWarning):
        coindex.write(doc, path)
    record = json.loads(path.read_text(encoding="utf-8"))
    assert (record["text"], record["resolved"]) == ("Ann ran. She's late.", "Ann ran. Ann is late.")
    assert record["replacements"] == [
        {"start": 9, "end": 14, "start_new": 9, "end_new": 15, "old": "She's", "new": "Ann is", "entity": "a",
         "tokens": [3], "confidence": 0.9}
    ]  # fmt: skip
    with pytest.raises(CoindexError) as raised:
        coindex.write(doc, tmp_path / "other.resolved.txt", confidence="much")
    assert raised.value.code == "invalid-option"
    assert not (tmp_path / "other.resolved.txt").exists()
