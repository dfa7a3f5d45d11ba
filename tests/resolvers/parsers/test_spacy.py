"""The spaCy adapter, with a one-component pipeline that parses every sentence the same way, and with a trained one."""

from __future__ import annotations

import builtins
import pickle
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

import coindex
from coindex import Document, Entity, Mention, Sentence, Token
from coindex.document import Multiword, Tokens
from coindex.document.documents import with_columns
from coindex.document.heads import Trees
from coindex.errors import CoindexError, CoindexWarning, MissingExtraError
from coindex.resolvers.parsers import spacy as adapter
from coindex.resolvers.parsers.step import Parser
from pipelines import english

spacy = pytest.importorskip("spacy")
from spacy.language import Language  # noqa: E402 - after the test for the package
from spacy.tokens import Doc, Span  # noqa: E402

LABELS = "nsubj"


@Language.component("first_is_root")
def first_is_root(doc: Doc) -> Doc:
    """The first word of a sentence above all others; words in capitals are names."""
    starts = [token.is_sent_start for token in doc]
    root = 0
    for index, token in enumerate(doc):
        root = index if starts[index] else root
        token.head = doc[root]
        token.dep_ = "ROOT" if index == root else LABELS
        token.pos_ = "NOUN"
        token.lemma_ = token.lower_
        token.set_morph("Number=Sing")
    doc.set_ents([Span(doc, token.i, token.i + 1, label="ORG") for token in doc if token.is_upper])
    return doc


@pytest.fixture
def parser() -> Parser:
    nlp = spacy.blank("xx")
    nlp.add_pipe("first_is_root")
    return Parser(adapter.SpacyEngine(nlp))


def test_columns_are_filled(parser: Parser):
    doc = parser(Document.from_text("Ann saw Bob. He left."))
    assert [token.lemma for token in doc.tokens] == ["ann", "saw", "bob", ".", "he", "left", "."]
    assert [token.head for token in doc.tokens] == ["0", "1", "1", "1", "0", "1", "1"]
    assert doc.tokens[0].deprel == "root"
    assert doc.tokens[1].feats == "Number=Sing"
    assert Trees(doc).has_trees


def test_text_tokens_and_sentences_stay(parser: Parser):
    text = " \n Ann’s cat 😀 doesn't\n\tsleep.  שלום עולם.\n"
    before = Document.from_text(text)
    after = parser(before)
    assert after.text == text
    assert after.tokens.forms == before.tokens.forms
    assert after.sentences == before.sentences


def test_empty_nodes_multiword_tokens_and_mentions_stay(parser: Parser):
    zero = Token("0.1", "_", feats="Person=1", deps="1:nsubj")
    words = [zero, Token("1", "Voy"), Token("2", "a"), Token("3", "el"), Token("4", "río", space=""), Token("5", ".")]
    tokens = Tokens(words, multiwords=[Multiword(2, 4, "al")])
    river = Entity("e1", (Mention(tokens, (0,)), Mention(tokens, (3, 4), 4, {"by": "hand"})), "place")
    doc = parser(Document(tokens, (Sentence(tokens, 0, 6, "s1"),), (river,)))
    assert doc.tokens[0] == zero
    assert doc.tokens.multiwords == tokens.multiwords
    assert doc.entities == (river,)
    assert doc.entities[0].mentions[1].layer is doc.tokens
    assert [token.head for token in doc.tokens[1:]] == ["0", "1", "1", "1", "1"]


def test_existing_trees_are_kept_by_default(parser: Parser):
    tokens = Tokens([Token("1", "Go", "go", "VERB", head="0", deprel="root", deps="0:root", misc="Gloss=x")])
    doc = Document.from_sentences(tokens, [1])
    assert parser(doc) is doc
    again = Parser(parser.engine, overwrite="yes")(doc)
    assert (again.tokens[0].upos, again.tokens[0].deps, again.tokens[0].misc) == ("NOUN", "_", "Gloss=x")


def test_names_alone(parser: Parser):
    tokens = Tokens([Token("1", "NATO", "nato", "PROPN", head="0", deprel="root", misc="Gloss=x")])
    doc = Parser(parser.engine, columns="names")(Document.from_sentences(tokens, [1]))
    assert (doc.tokens[0].upos, doc.tokens[0].lemma) == ("PROPN", "nato")
    assert doc.tokens[0].misc == "Gloss=x|NE=B-ORG"


def test_batches_keep_the_order(parser: Parser):
    texts = ["One.", "", "Two three.", "Four. Five."]
    docs = list(parser.pipe(map(Document.from_text, texts), batch_size=3))
    assert [doc.text for doc in docs] == texts
    assert [len([t for t in doc.tokens if t.head == "0"]) for doc in docs] == [1, 0, 1, 2]


def test_a_long_document_is_parsed_in_chunks(parser: Parser, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adapter, "CHUNK", 10)
    monkeypatch.setattr(adapter.SpacyEngine, "longest", 7)
    sizes = []
    make = adapter.SpacyEngine._doc

    def noted(self: adapter.SpacyEngine, chunk: list) -> Doc:
        made = make(self, chunk)
        sizes.append(len(made))
        return made

    monkeypatch.setattr(adapter.SpacyEngine, "_doc", noted)
    doc = parser(Document.from_text("A b c. " * 5 + "one two three " * 10))
    assert max(sizes) <= 10
    assert [t.head for t in doc.tokens].count("0") == len(doc.sentences)
    assert doc.tokens[-1].head != "_"


def test_an_unknown_scheme_is_reported(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adapter, "pipeline_scheme", lambda nlp: "other")
    with pytest.warns(CoindexWarning, match="'de' pipeline are neither Universal Dependencies nor"):
        adapter.SpacyEngine(spacy.blank("de"))


def test_a_pipeline_without_a_parser_leaves_no_tree():
    nlp = spacy.blank("en")
    doc = Parser(adapter.SpacyEngine(nlp))(Document.from_text("Ann left."))
    assert not Trees(doc).has_trees


def test_a_missing_package_is_reported(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == "spacy":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'coindex\[spacy\]'"):
        coindex.load("spacy(en_core_web_sm) + simple-rules")


def test_a_missing_pipeline_is_reported():
    with pytest.raises(CoindexError, match=r"no spaCy pipeline 'xx_none'; .* python -m spacy download xx_none"):
        coindex.load("spacy(xx_none) + simple-rules")


def test_the_pipeline_must_be_named():
    with pytest.raises(CoindexError, match="name or path of a pipeline"):
        coindex.load("spacy + simple-rules")


def test_a_folder_without_a_pipeline_is_reported(tmp_path: Path):
    with pytest.raises(CoindexError, match="cannot load the pipeline"):
        coindex.load(f"spacy({tmp_path}) + simple-rules")


@pytest.fixture(scope="module")
def real() -> Parser:
    return adapter.make(model=english())


def columns(doc: Document) -> Iterator[tuple[str, str, str]]:
    forms = {token.id: token.form for token in doc.tokens}
    return ((token.form, forms.get(token.head, ""), token.deprel) for token in doc.tokens)


def test_a_real_pipeline_gives_ud(real: Parser):
    doc = real(Document.from_text("The mayor of the town was in Paris with her old friend."))
    found = list(columns(doc))
    assert ("Paris", "", "root") in found
    assert ("was", "Paris", "cop") in found
    assert ("mayor", "Paris", "nsubj") in found
    assert ("town", "mayor", "nmod") in found
    assert ("her", "friend", "nmod:poss") in found
    paris = next(token for token in doc.tokens if token.form == "Paris")
    assert (paris.upos, paris.misc_values["NE"]) == ("PROPN", "B-GPE")


def test_a_name_does_not_hold_the_ending_of_the_possessive(real: Parser):
    doc = real(Document.from_text("Barack Obama's dog slept in London."))
    assert [token.misc_values.get("NE", "O") for token in doc.tokens][:3] == ["B-PERSON", "I-PERSON", "O"]


def test_a_parser_can_travel_to_another_process(real: Parser):
    again = pickle.loads(pickle.dumps(real))
    text = Document.from_text("Ann saw him.")
    assert again(text) == real(text)


def test_trees_fit_those_of_gum(real: Parser, shared_data: Path):
    """The columns of documents by hand, and the same parsed: most words have their head and relation."""
    keys = list(islice(coindex.read(shared_data / "en_gum" / "en_gum-corefud-dev.conllu"), 4))
    blank = dict.fromkeys(("lemma", "upos", "xpos", "feats", "head", "deprel", "deps"), "_")
    bare = [with_columns(key, [t if t.is_empty else t._replace(**blank) for t in key.tokens]) for key in keys]
    parsed = list(real.pipe(bare, batch_size=4))
    pairs = [
        (a, b)
        for key, doc in zip(keys, parsed, strict=True)
        for a, b in zip(key.tokens, doc.tokens, strict=True)
        if not a.is_empty
    ]
    assert sum((a.head, a.deprel) == (b.head, b.deprel) for a, b in pairs) / len(pairs) > 0.75
    assert sum(a.upos == b.upos for a, b in pairs) / len(pairs) > 0.9
    assert [doc.entities for doc in parsed] == [key.entities for key in keys]
