"""`nlp.add_pipe("coindex")`: found by its entry point, in a blank and in a trained pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex.errors import CoindexError
from coindex.resolvers.defaults import LanguageWarning
from pipelines import english

spacy = pytest.importorskip("spacy")
from spacy.language import Language  # noqa: E402 - after the test for the package
from spacy.tokens import Doc  # noqa: E402

TEXT = "Alice met Bob.  \n\nShe smiled at him. Then Alice left."


@Language.component("names_and_pronouns")
def names_and_pronouns(doc: Doc) -> Doc:
    words = {"Alice", "Bob", "She", "him"}
    doc.spans["sc"] = [doc[token.i : token.i + 1] for token in doc if token.text in words]
    return doc


def texts(doc: Doc) -> list[list[str]]:
    return [[doc.text[start:end] for start, end in cluster] for cluster in doc._.coref_clusters]


@pytest.fixture
def blank() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex")
    return nlp


def test_a_blank_pipeline(blank: Language):
    doc = blank(TEXT)
    assert texts(doc) == [["Alice", "She", "Alice"], ["Bob", "him"]]
    assert doc._.coref_clusters[1] == [(10, 13), (TEXT.index("him"), TEXT.index("him") + 3)]


def test_clusters_are_spans_too(blank: Language):
    doc = blank(TEXT)
    assert [span.text for span in doc.spans["coref_clusters_1"]] == ["Alice", "She", "Alice"]
    assert [span.text for span in doc.spans["coref_clusters_2"]] == ["Bob", "him"]
    assert len(doc.spans["coref_clusters_1"].attrs["by"]) == 3
    assert [span._.coref_cluster for span in doc.spans["coref_clusters_2"]] == [1, 1]
    assert doc[1:3]._.coref_cluster is None
    assert [token.text for token in doc if token._.coref_clusters == [0]] == ["Alice", "She", "Alice"]


def test_the_text_is_resolved_when_asked(blank: Language):
    assert blank(TEXT)._.resolved_text == "Alice met Bob.  \n\nAlice smiled at Bob. Then Alice left."


@pytest.mark.parametrize("text", ["", " \n ", "Alice", "😀", "שלום", "She"])
def test_little_text(blank: Language, text: str):
    doc = blank(text)
    assert doc._.coref_clusters == []
    assert doc._.resolved_text == text


def test_a_second_run_replaces_the_first(blank: Language):
    doc = blank(TEXT)
    doc.spans["coref_clusters_7"] = [doc[0:1]]
    doc.spans["coref_clusters_of_mine"] = [doc[0:1]]
    again = blank.get_pipe("coindex")(doc)
    assert sorted(again.spans) == ["coref_clusters_1", "coref_clusters_2", "coref_clusters_of_mine"]


def test_settings():
    nlp = spacy.blank("en")
    nlp.add_pipe("names_and_pronouns")
    nlp.add_pipe("coindex", config={"resolver": "singleton", "mentions": "sc", "singletons": True, "prefix": "m"})
    doc = nlp(TEXT)
    assert texts(doc) == [["Alice"], ["Bob"], ["She"], ["him"], ["Alice"]]
    assert [span.text for span in doc.spans["m_3"]] == ["She"]


def test_given_mentions_that_are_not_there():
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "singleton", "mentions": "sc"})
    with pytest.raises(CoindexError, match="no spans 'sc' in the document"):
        nlp(TEXT)


def test_a_wrong_resolver_is_reported_immediately():
    with pytest.raises(CoindexError, match="unknown resolver 'sieve'"):
        spacy.blank("en").add_pipe("coindex", config={"resolver": "sieve"})


def test_a_resolver_that_needs_trees_reports_it():
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "simple-rules"})
    with pytest.raises(CoindexError, match="spacy"):
        nlp(TEXT)


def test_batches(blank: Language):
    many = [TEXT, "", "Bob slept. He snored."] * 3
    docs = list(blank.pipe(many, batch_size=2))
    assert [doc.text for doc in docs] == many
    assert [texts(doc) for doc in docs] == [texts(blank(text)) for text in many]


def test_disk(blank: Language, tmp_path: Path):
    blank.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.get_pipe_meta("coindex").factory == "coindex"
    assert again(TEXT)._.coref_clusters == blank(TEXT)._.coref_clusters


def test_bytes(blank: Language):
    doc = blank(TEXT)
    again = Doc(blank.vocab).from_bytes(doc.to_bytes())
    assert again._.coref_clusters == doc._.coref_clusters
    assert again._.resolved_text == doc._.resolved_text


def test_sentences_of_the_pipeline_are_kept():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("coindex")
    assert texts(nlp(TEXT)) == [["Alice", "She", "Alice"], ["Bob", "him"]]


@pytest.fixture(scope="module")
def real() -> Language:
    nlp = spacy.load(english())
    nlp.add_pipe("coindex")
    return nlp


def test_a_real_pipeline(real: Language):
    found = texts(real(TEXT))
    assert ["Alice", "She", "Alice"] in found
    assert ["Bob", "him"] in found


def test_several_processes(real: Language):
    alone = [doc._.coref_clusters for doc in real.pipe([TEXT] * 4)]
    assert [doc._.coref_clusters for doc in real.pipe([TEXT] * 4, n_process=2, batch_size=2)] == alone


# --- settings: those of `coindex.load`, and messages that speak of the config


def test_scores_are_floats(blank: Language):
    doc = blank(TEXT)
    group = doc.spans["coref_clusters_1"]
    scores = group.attrs["score"]
    assert [type(score) for score in scores] == [float] * 3
    assert [span._.coref_score for span in group] == scores
    assert doc[1:3]._.coref_score is None
    again = Doc(blank.vocab).from_bytes(doc.to_bytes())
    assert [span._.coref_score for span in again.spans["coref_clusters_1"]] == scores


def test_a_resolver_without_scores_gives_none():
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "are-baseline"})
    doc = nlp(TEXT)
    assert "score" not in doc.spans["coref_clusters_1"].attrs
    assert doc.spans["coref_clusters_1"][0]._.coref_score is None


def test_every_option_of_load_is_a_setting():
    import inspect

    import coindex
    from coindex.integrations.spacy import CONFIG

    options = set(inspect.signature(coindex.load).parameters) - {"name"}
    assert options - {"keep_words"} <= set(CONFIG)


def test_links_below_a_probability_are_cut():
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "en-small", "min_link": 1.0})
    assert texts(nlp(TEXT)) == []


def test_entities_can_be_kept_and_changed():
    nlp = spacy.load(english())
    nlp.add_pipe("coindex")
    nlp.add_pipe("coindex", name="heads", config={"resolver": "heads", "keep_entities": True, "prefix": "head"})
    doc = nlp("The old man sat down. He slept.")
    assert texts(doc) == [["man", "He"]]


def test_a_parser_for_pipelines_without_one():
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "sieves", "parser": f"spacy({english()})"})
    assert ["Bob", "him"] in texts(nlp(TEXT))


def test_a_language_by_its_name():
    nlp = spacy.blank("xx")
    nlp.add_pipe("coindex", config={"resolver": "en-small", "language": "English"})
    assert ["Bob", "him"] in texts(nlp(TEXT))


@pytest.mark.parametrize(
    ("config", "kind", "message"),
    [
        ({"resolver": 5}, TypeError, "name: expected a resolver"),
        ({"min_link": "high"}, TypeError, "min_link: expected a number from 0 to 1, not 'high'"),
        ({"min_link": 2}, CoindexError, "min_link: expected a probability from 0 to 1, not 2"),
        ({"singletons": "yes"}, TypeError, "singletons: expected True"),
        ({"singletons": None}, TypeError, "singletons: expected True or False, not None"),
        ({"mentions": 5}, TypeError, r"mentions: expected a key in doc\.spans \(str\), not 5"),
        ({"prefix": None}, TypeError, "prefix: expected the prefix of keys"),
        ({"language": "xx"}, CoindexError, "language: unknown language 'xx'"),
        (
            {"zeros": "predict"},
            CoindexError,
            "zeros: 'predict' would add words, which is impossible in a spaCy document",
        ),
        ({"min_link": 0.5}, CoindexError, "min_link: needs a resolver that has this option"),
        (
            {"parser": "sieves", "resolver": "sieves"},
            CoindexError,
            r'is not a parser; .* config={"resolver": "sieves"}',
        ),
        (
            {"resolver": "heads"},
            CoindexError,
            r'heads changes entities, but there are none yet; .*config={"keep_entities": True}',
        ),
        ({"resolver": "head-lemma(x=1)"}, CoindexError, "unknown option of head-lemma 'x'"),
    ],
)
def test_wrong_settings(config: dict[str, object], kind: type[Exception], message: str):
    place = r'^nlp\.add_pipe\("coindex", config={…}\): '
    with pytest.raises(kind, match=place + ".*" + message):
        spacy.blank("en").add_pipe("coindex", config=config)


def test_the_error_for_a_language_without_a_model_names_the_config():
    nlp = spacy.blank("es")
    nlp.add_pipe("coindex")
    with pytest.raises(CoindexError, match=r'config={"parser": "spacy\(es_core_news_sm\)"}') as raised:
        nlp("Ana perdió la llave.")
    assert "--parser" not in str(raised.value)


def test_a_pipeline_of_another_language_gives_a_warning():
    nlp = spacy.blank("de")
    nlp.add_pipe("coindex", config={"resolver": "en-small"})
    with pytest.warns(LanguageWarning, match=r'the language is German; en-small is for English.*config={"parser"'):
        nlp("Anna schlief.")


def test_settings_survive_the_disk(tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "en-small", "min_link": 0.5, "singletons": True, "language": "English"})
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.get_pipe("coindex").settings == nlp.get_pipe("coindex").settings
    assert texts(again(TEXT)) == texts(nlp(TEXT))


def test_settings_reach_other_processes():
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "en-small(scheme=litbank)", "min_link": 0.2})
    alone = [doc._.coref_clusters for doc in nlp.pipe([TEXT] * 4)]
    assert [doc._.coref_clusters for doc in nlp.pipe([TEXT] * 4, n_process=2, batch_size=2)] == alone


def test_spacy_documents_become_documents(blank: Language):
    import coindex

    found = coindex.from_spacy(blank(TEXT), id="d")
    assert (found.text, found.id, found.language) == (TEXT, "d", "en")
    assert [[mention.text for mention in entity.mentions] for entity in found.entities] == texts(blank(TEXT))
    mention = found.entities[1].mentions[1]
    assert TEXT[mention.start_char : mention.end_char] == "him"
    bare = coindex.from_spacy(spacy.blank("en")(TEXT))
    assert bare.entities == ()
    assert ["Bob", "him"] in [[m.text for m in entity.mentions] for entity in coindex.load()(bare).entities]
    with pytest.raises(TypeError, match=r"not Doc; convert it first: coindex\.from_spacy\(doc\)"):
        coindex.load("are-baseline")(spacy.blank("en")(TEXT))
