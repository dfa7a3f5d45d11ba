"""`cross` as a resolver: chains over documents, chains within them, events found, odd collections."""

from pathlib import Path

import numpy as np
import pytest

import coindex
from coindex.document import Document
from coindex.errors import CoindexError, UnknownNameError
from coindex.resolvers.cross.features import FeatureMaker
from coindex.resolvers.cross.resolver import CrossOptions, CrossResolver
from coindex.resolvers.cross.scorer import Logistic, save_scorer
from coindex.resolvers.cross.within import find_events
from news import documents, over_documents
from parsed_text import chains, parsed, with_mentions, words

DEV = ("2", "5", "12", "18", "21", "23", "34", "35")


def resolved(docs, chain="cross(topics=none)", **more):
    return list(coindex.load(chain, mentions="given", **more).pipe(docs))


def test_a_collection():
    shared = list(over_documents(resolved(documents())).values())
    assert ["a:storm", "b:storm"] in shared
    assert ["a:struck", "b:struck"] in shared
    assert ["a:died", "b:died"] in shared
    assert ["a:Port Alder", "b:Port Alder", "c:Port Alder"] in shared
    assert any({"a:Mayor Lena Brandt", "b:The mayor Lena Brandt", "c:Lena Brandt"} <= set(texts) for texts in shared)


def test_every_mention_stays_and_kinds_are_never_mixed():
    docs = documents()
    for doc, result in zip(docs, resolved(docs), strict=True):
        assert result.shared_ids
        before = {(mention.positions, entity.kind) for mention, entity in doc.mentions()}
        assert {(mention.positions, entity.kind) for mention, entity in result.mentions()} == before
        assert all(mention.attributes["by"].startswith("cross/") for mention, _ in result.mentions())


def test_topics_are_resolved_separately():
    docs = documents(topics={"a": "1", "b": "2", "c": "1"})
    shared = over_documents(resolved(docs, "cross(topics=given)"))
    assert shared
    assert all(text[0] in "ac" for texts in shared.values() for text in texts)
    assert resolved(docs, "cross") == resolved(docs, "cross(topics=given)")


def test_two_runs_are_the_same():
    assert resolved(documents()) == resolved(documents())


def test_min_link_is_the_required_score():
    assert over_documents(resolved(documents(), min_link=1.0)) == {}
    everything = over_documents(resolved(documents(), min_link=0.0))
    assert len(everything) == 2  # one of each kind


def test_singletons_are_those_of_the_whole_collection():
    docs = resolved(documents(), singletons=False)
    texts = [mention.text for doc in docs for mention, _ in doc.mentions()]
    assert texts.count("storm") == 2  # once in each document, twice in all
    assert "families" not in texts
    baseline = list(coindex.load("head-lemma(corpus)", mentions="given", singletons=False).pipe(documents()))
    assert "storm" in [mention.text for mention, _ in baseline[0].mentions()]


def test_odd_collections():
    assert resolved([]) == []
    (empty,) = resolved([Document(id="x")])
    assert (empty.entities, empty.shared_ids) == ((), True)
    (one,) = resolved(documents()[:1])
    assert any(len(entity) > 1 for entity in one.entities)  # Mayor Lena Brandt, Brandt
    twins = resolved([documents()[0], documents()[0].replace(id="twin")])
    assert [entity.id for entity in twins[0].entities] == [entity.id for entity in twins[1].entities]
    entities_only = [doc.replace(entities=tuple(e for e in doc.entities if e.kind == "entity")) for doc in documents()]
    shared = over_documents(resolved([*entities_only, Document(id="empty")], "cross(topics=predicted)"))
    assert ["a:Port Alder", "b:Port Alder", "c:Port Alder"] in shared.values()


def test_chains_of_another_resolver_stay_together():
    texts = {"a": "Lena left . / She waved .", "b": "Lena came ."}
    docs = [
        with_mentions(words(text, id=id, language="en"), [0], *([[3]] if id == "a" else []))
        for id, text in texts.items()
    ]
    assert [chains(doc) for doc in resolved(docs)] == [[["Lena"], ["She"]], [["Lena"]]]
    chained = resolved(docs, "cross(topics=none, chains=are-baseline, keep_chains=yes)")
    assert [chains(doc) for doc in chained] == [[["Lena", "She"]], [["Lena"]]]
    assert chained[0].entities[0].id == chained[1].entities[0].id


def test_events_do_not_disturb_chains():
    doc = with_mentions(
        words("Lena left . / She waved .", language="en"), [0], [1], [3], kinds=["entity", "event", "entity"]
    )
    (result,) = resolved([doc], "cross(chains=are-baseline, keep_chains=yes)")
    assert sorted(chains(result)) == [["Lena", "She"], ["left"]]
    assert [entity.kind for entity in result.entities if chains(result)] == ["entity", "event"]


def test_found_mentions():
    texts = [
        "A storm struck Port Alder . / Mayor Lena Brandt said that fishermen died .",
        "Lena Brandt visited Port Alder after the storm . / The storm sank her boat .",
    ]
    docs = [words(text, id=id, language="en") for id, text in zip("ab", texts, strict=True)]
    found = list(coindex.load("cross(topics=none)", language="en").pipe(docs))
    shared = over_documents(found)
    assert ["a:Port Alder", "b:Port Alder"] in shared.values()
    storms = [entity for doc in found for entity in doc.entities if "storm" in entity.mentions[0].text]
    assert len({entity.id for entity in storms}) == 1
    assert [entity.kind for entity in storms] == ["event", "event"]
    every = list(coindex.load("cross(topics=none, singletons=yes)", language="en").pipe(docs))
    assert {"said", "died"} <= {mention.text for mention, entity in every[0].mentions() if entity.kind == "event"}
    assert "said" not in {mention.text for mention, _ in found[0].mentions()}
    spans = [mention.positions for mention, _ in every[0].mentions()]
    assert len(spans) == len(set(spans))


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("The attack began and people fled .", ["attack", "began", "fled"]),
        ("She was walking when police arrested him .", ["walking", "arrested"]),
        ("The building has red walls .", []),
        ("Mr Ring had a wedding .", ["wedding"]),
    ],
)
def test_events_in_raw_english(text, events):
    doc = words(text, language="en")
    assert [doc.tokens.forms[at] for at in find_events(doc)] == events


def test_events_by_tags_and_none_in_other_raw_text():
    doc = parsed("Bouře bouře NOUN\nzničila zničit VERB\nje být AUX\nválka war NOUN", language="cs")
    assert [doc.tokens.forms[at] for at in find_events(doc)] == ["zničila"]
    assert list(find_events(words("Bouře zničila domy", language="cs"))) == []


def test_vectors_that_a_scorer_asks_for():
    def vectors(collection, workers=1):
        assert isinstance(FeatureMaker(collection), FeatureMaker)
        rows = [[mention.text in ("storm", "opened"), mention.text == "struck", 0.1] for mention in collection.mentions]
        return {"x": np.array(rows, dtype=np.float32)}

    scorer = Logistic(("cosine:x",), np.array([20.0]), bias=-19.0)
    scorers = {"entity": Logistic(("head",), np.array([0.0]), bias=-9.0), "event": scorer}
    options = CrossOptions(topics="none", given=True)
    docs = list(CrossResolver(scorers, vectors=vectors, options=options).pipe(documents()))
    assert sorted(map(len, over_documents(docs).values())) == [2, 4, 5]  # struck; storm and opened; the others
    with pytest.raises(CoindexError, match="needs the vectors 'x'"):
        list(CrossResolver(scorers, options=options).pipe(documents()))


def test_a_model_in_a_folder(tmp_path):
    for kind in ("entity", "event"):
        save_scorer(Logistic(("string",), np.array([9.0]), bias=-5.0), tmp_path / f"{kind}.npz")
    shared = over_documents(resolved(documents(), f"cross(topics=none, model={tmp_path})"))
    assert ["a:Mayor Lena Brandt", "b:The mayor Lena Brandt"] in shared.values()
    (tmp_path / "event.npz").unlink()
    with pytest.raises(CoindexError, match=r"event\.npz: cannot read a pair scorer: No such file"):
        coindex.load(f"cross(model={tmp_path})")


def test_bad_options():
    with pytest.raises(UnknownNameError, match="did you mean given"):
        coindex.load("cross(topics=givn)")
    with pytest.raises(CoindexError, match="min_link: 'x' is not a probability"):
        coindex.load("cross(min_link=x)")
    with pytest.raises(CoindexError, match="chains=none needs given mentions"):
        list(coindex.load("cross(chains=none)").pipe(documents()))
    with pytest.raises(
        CoindexError, match="chains: cross resolves several documents together; choose a resolver for single"
    ):
        list(coindex.load("cross(chains=cross)").pipe(documents()))


@pytest.mark.parametrize("chain", ["head-lemma(predicted)", "cross(topics=predicted)"])
def test_predicted_topics(chain):
    quake = "quake shook coast villages tsunami magnitude rescue"
    vote = "quake of votes voters elected senator ballots parliament"
    texts = {"a": quake, "b": vote, "c": f"{quake} again", "d": f"{vote} again"}
    docs = [with_mentions(words(text, id=id, language="en"), [0], kinds=["event"]) for id, text in texts.items()]
    ids = [doc.entities[0].id for doc in resolved(docs, chain)]
    assert ids[0] == ids[2] != ids[1] == ids[3]


@pytest.mark.filterwarnings("ignore::coindex.errors.DataWarning")
def test_on_ecbplus_it_is_no_worse_than_its_baseline(shared_data: Path):
    docs = [doc for doc in coindex.read(shared_data / "en_ecbplus") if doc.topic in DEV[:3]]
    numbers = {}
    for chain in ("head-lemma(topic)", "cross(topics=given)"):
        response = resolved(docs, chain)
        numbers[chain] = coindex.score(docs, response, profile="ecb-topic", kind="event").conll
    assert numbers["cross(topics=given)"] > 0.5
    assert numbers["cross(topics=given)"] > numbers["head-lemma(topic)"] - 0.03
