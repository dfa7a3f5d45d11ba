"""Dropped subjects: where they are inserted, how they are written, and what is learned from corpora with zeros."""

from __future__ import annotations

import json

import pytest

from coindex.document import Document, Multiword, Tokens
from coindex.document.validation import check
from coindex.errors import CoindexError
from coindex.formats.surface import without_zeros
from coindex.resolvers.ud.zeros import Habit, Node, ZeroTable, ignore_nodes, insert_nodes, predict_zeros
from coindex.training.ud.run import find_dropped_subjects, learn_zeros
from parsed_text import parsed, with_mentions

STORY = """
Marta Marta PROPN Number=Sing 2 nsubj
llegó llegar VERB Person=3|Number=Sing|VerbForm=Fin 0 root
. . PUNCT _ 2 punct

Luego luego ADV _ 4 advmod
no no ADV Polarity=Neg 4 advmod
lo lo PRON Person=3 4 obj
vio ver VERB Person=3|Number=Sing|VerbForm=Fin 0 root
. . PUNCT _ 4 punct

Cantaba cantar VERB Person=3|Number=Sing|VerbForm=Fin 0 root
. . PUNCT _ 1 punct
"""
FINITE = {"any": -1.0, "Person=3": 3.0}


def table(**habit: object) -> ZeroTable:
    return ZeroTable(FINITE, {"es": Habit(**habit), "fr": Habit(drops=False)})  # type: ignore[arg-type]


def story(language: str | None = "es") -> Document:
    return parsed(STORY, language=language)


def zeros(doc: Document) -> list[tuple[str, str, str, str]]:
    return [(token.id, token.form, token.feats, token.deps) for token in doc.tokens.empty_tokens.values()]


def test_a_verb_without_a_subject_gets_an_empty_node():
    found = predict_zeros(story(), table(features=False))
    assert zeros(found) == [("3.1", "_", "_", "4:nsubj"), ("0.1", "_", "_", "1:nsubj")]
    assert {token.upos for token in found.tokens.empty_tokens.values()} == {"PRON"}
    assert not [finding for finding in check(found) if finding.severity == "error"]
    assert found.text == story().text


def test_zeros_are_placed_as_in_the_corpus():
    def ids(place: str) -> list[str]:
        return [id for id, *_ in zeros(predict_zeros(story(), table(place=place)))]

    assert ids("before the verb") == ["3.1", "0.1"]
    assert ids("before the group") == ["1.1", "0.1"]
    assert ids("after the verb") == ["4.1", "1.1"]


def test_features_and_forms_come_from_the_verb():
    forms = {"": ("on", "#P"), "3 Sing": ("ona", "#P")}
    (one, _) = zeros(predict_zeros(story(), table(forms=forms)))
    assert one == ("3.1", "ona", "Case=Nom|Number=Sing|Person=3|PronType=Prs", "4:nsubj")


def test_the_copula_gives_the_person_and_may_be_the_parent_of_the_zero():
    text = "Es ser AUX Person=3|Number=Sing 2 cop\nmédica médico NOUN Gender=Fem|Number=Sing 0 root"
    for on_copula, deps in ((True, "1:nsubj"), (False, "2:nsubj")):
        found = predict_zeros(parsed(text, language="es"), table(on_copula=on_copula))
        assert [zero[3] for zero in zeros(found)] == [deps]


def test_documents_that_have_zeros_stay_as_they_are():
    doc = predict_zeros(story(), table())
    assert predict_zeros(doc, table()) is doc


def test_a_copied_predicate_is_not_a_zero():
    text = STORY.replace("Cantaba", "0.1 vio ver VERB _ _ _ 1:dep\nCantaba")
    assert [id for id, *_ in zeros(predict_zeros(parsed(text, language="es"), table()))] == ["3.1", "0.1", "0.2"]


@pytest.mark.parametrize("language", ["fr", "fr-CA"])
def test_a_language_that_drops_nothing(language):
    doc = story(language)
    assert predict_zeros(doc, table()) is doc


def test_an_unknown_language_is_judged_by_its_verbs():
    assert len(zeros(predict_zeros(story("xx"), table()))) == 2
    pronouns = "Yo yo PRON Person=1 2 nsubj\nvoy ir VERB Person=1|VerbForm=Fin 0 root\n\n" * 3
    assert zeros(predict_zeros(parsed(pronouns + STORY.lstrip(), language="xx"), table())) == []
    assert zeros(predict_zeros(parsed(STORY.replace("Person=3|", ""), language="xx"), table())) == []


def test_no_tree_no_zeros():
    doc = Document.from_text("Llegó. Cantaba.", language="es")
    assert predict_zeros(doc, table()) is doc


def test_nothing_goes_inside_a_token_of_several_words():
    doc = parsed("dá dar VERB Person=3|Number=Sing 0 root\nme me PRON _ 1 obj\nlo lo PRON _ 1 obj", language="es")
    layer = Tokens(doc.tokens, multiwords=[Multiword(0, 3, "dámelo")])
    whole = Document.from_sentences(layer, [3], language="es")
    for place, id in (("after the verb", "3.1"), ("before the verb", "0.1")):
        found = predict_zeros(whole, table(place=place))
        assert [zero[0] for zero in zeros(found)] == [id]
        (multiword,) = found.tokens.multiwords
        assert [found.tokens[at].form for at in range(multiword.start, multiword.end)] == ["dá", "me", "lo"]


def test_mentions_move_with_the_words():
    doc = with_mentions(story(), [0], [3, 4, 5, 6], [8])
    found = predict_zeros(doc, table())
    assert [entity.mentions[0].text for entity in found.entities] == ["Marta", "Luego no lo vio", "Cantaba"]
    assert found.tokens[found.entities[1].mentions[0].positions[3]].id == "3.1"


def test_nodes_at_both_ends_of_a_sentence_belong_to_it():
    doc = story()
    node = predict_zeros(doc, table()).tokens[6]
    found = insert_nodes(doc, [Node(node, after=7), Node(node, before=8)])
    assert [token.id for token in found.sentences[1].tokens][-2:] == ["5", "5.1"]
    assert [token.id for token in found.sentences[2].tokens] == ["0.1", "1", "2"]


def test_a_resolver_that_is_blind_to_empty_nodes():
    doc = predict_zeros(story(), table())
    seen = []

    def resolve(given: Document) -> Document:
        seen.append(len(given.tokens.empty_positions))
        return with_mentions(given, [0], [3, 4, 5, 6])

    found = ignore_nodes(resolve)(doc)
    assert seen == [0]
    assert found.tokens is doc.tokens
    assert [entity.mentions[0].text for entity in found.entities] == ["Marta", "Luego no lo vio"]


# --- learning

GOLD = """
{name} {name} PROPN Number=Sing 2 nsubj
llegó llegar VERB Person=3|Number=Sing|VerbForm=Fin 0 root

Luego luego ADV _ 2 advmod
1.1 él yo PRON Person=3 _ _ 2:nsubj
habló hablar VERB Person=3|Number=Sing|VerbForm=Fin 0 root
para para ADP _ 4 mark
vivir vivir VERB VerbForm=Inf 2 advcl
"""
NONE = """
Ann Ann PROPN Number=Sing 2 nsubj
sang sing VERB Person=3|VerbForm=Fin 0 root
to to PART _ 4 mark
live live VERB VerbForm=Inf 2 advcl
"""


def corpus() -> list[Document]:
    return [
        *(parsed(GOLD.format(name=name), language="es") for name in ["Ana", "Luis"] * 10),
        *(parsed(NONE, language="en") for _ in range(25)),
    ]


def test_what_is_learned_finds_the_zeros_again():
    data = json.loads(json.dumps(learn_zeros(corpus())))
    assert data["languages"]["en"] == {"drops": False}
    assert data["languages"]["es"]["forms"] == {"": ["él", "yo"]}
    assert data["languages"]["es"]["features"]
    learned = ZeroTable.from_dict(data)
    for doc in corpus():
        found = predict_zeros(without_zeros(doc), learned)
        assert find_dropped_subjects(found) == find_dropped_subjects(doc)


def test_zeros_without_deps_are_recognised_by_their_form():
    doc = parsed("jött jön VERB Person=3 0 root\n1.1 SUBJ\nháza ház NOUN _ 1 obl\n2.1 POSS", language="hu")
    assert find_dropped_subjects(doc) == {0: 1}


@pytest.mark.parametrize("docs", [[], [Document()], [Document.from_text("Llegó.", language="es")]])
def test_nothing_to_learn_from(docs):
    assert learn_zeros(docs) == {"weights": {}, "languages": {}}


@pytest.mark.parametrize("data", [{}, {"weights": 1, "languages": {}}, {"weights": {}, "languages": {"es": {"x": 1}}}])
def test_a_broken_table(data):
    with pytest.raises(CoindexError, match=r"invalid zero table .* --zeros given"):
        ZeroTable.from_dict(data)
