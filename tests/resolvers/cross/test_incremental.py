"""Documents that come later: old entities keep their ids and mentions, and the state survives in a file."""

import numpy as np
import pytest

from coindex.document import Document
from coindex.errors import CoindexError
from coindex.resolvers.cross.resolver import CrossOptions, CrossResolver, State, add_documents, load_state, save_state
from coindex.resolvers.cross.scorer import Logistic, lexical_scorers
from news import documents, over_documents
from parsed_text import with_mentions, words


def resolver(topics="none", **more):
    return CrossResolver(lexical_scorers(), options=CrossOptions(topics=topics, given=True), **more)


def ids(doc):
    return [(entity.id, [mention.positions for mention in entity.mentions]) for entity in doc.entities]


def test_new_documents_find_their_entities():
    a, b, c = documents()
    first = add_documents(State(), [a, c], resolver())
    then = add_documents(first, [b], resolver())
    assert [doc.id for doc in then.documents] == ["a", "c", "b"]
    assert then.documents[:2] == first.documents
    shared = over_documents(list(then.documents))
    place = next(entity.id for entity in first.documents[0].entities if entity.mentions[0].text == "Port Alder")
    assert "b:Port Alder" in shared[place]
    storm = next(entity.id for entity in first.documents[0].entities if entity.mentions[0].text == "storm")
    assert shared[storm] == ["a:storm", "b:storm"]
    old = {entity.id for doc in first.documents for entity in doc.entities}
    new = {entity.id for entity in then.documents[2].entities} - old
    assert new
    assert min(int(id[1:]) for id in new) > max(int(id[1:]) for id in old)


def test_an_empty_state_makes_a_first_run_like_any_other():
    together = list(resolver().pipe(documents()))
    assert list(map(ids, add_documents(State(), documents(), resolver()).documents)) == list(map(ids, together))


def test_two_old_entities_are_never_joined():
    def doc(id, text):
        return with_mentions(words(text, id=id, language="en"), [0])

    always = {kind: Logistic(("head",), np.array([0.0]), bias=5.0) for kind in ("entity", "event")}
    never = {kind: Logistic(("head",), np.array([0.0]), bias=-5.0) for kind in ("entity", "event")}
    options = CrossOptions(topics="none", given=True)
    first = add_documents(State(), [doc("a", "one"), doc("b", "two")], CrossResolver(never, options=options))
    then = add_documents(first, [doc("c", "three")], CrossResolver(always, options=options))
    assert [doc.entities[0].id for doc in then.documents] == ["e1", "e2", "e1"]


@pytest.mark.parametrize("topics", ["none", "predicted", "given"])
def test_the_state_survives_in_a_file(topics, tmp_path):
    a, b, c = documents(topics={"a": "1", "b": "1", "c": "2"})
    state = add_documents(State(), [a, c, Document(id="empty", topic="1")], resolver(topics))
    save_state(state, tmp_path / "state.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]
    again = load_state(tmp_path / "state.npz")
    assert again.documents == state.documents
    assert (again.how, again.resolver, again.topics.tolist()) == (topics, "cross", state.topics.tolist())
    later = add_documents(again, [b], resolver(topics))
    assert list(map(ids, later.documents)) == list(map(ids, add_documents(state, [b], resolver(topics)).documents))


def vectors(collection, workers=1):
    """Mentions of one head are alike."""
    rows = [[mention.text.endswith("Brandt"), 1] for mention in collection.mentions]
    return {"m": np.array(rows, dtype=np.float32).reshape(-1, 2)}


def test_vectors_are_kept():
    a, b, c = documents()
    state = add_documents(State(), [a], resolver(vectors=vectors))
    then = add_documents(state, [b, c], resolver(vectors=vectors))
    assert then.vectors["m"].shape == (26, 2)
    with pytest.raises(CoindexError, match=r"the state has the vectors \['m'\], but the resolver computes none"):
        add_documents(state, [b], resolver())


def test_documents_and_resolvers_that_do_not_fit_the_state():
    a, b, _ = documents()
    state = add_documents(State(), [a], resolver())
    with pytest.raises(CoindexError, match="a: already in the state; remove the documents"):
        add_documents(state, [a, b], resolver())
    with pytest.raises(CoindexError, match="created by cross, but the resolver is now other"):
        add_documents(state, [b], resolver(name="other"))
    with pytest.raises(CoindexError, match="created with --topics none, but now --topics is predicted"):
        add_documents(state, [b], resolver("predicted"))


def test_files_that_are_no_state(tmp_path):
    path = tmp_path / "state.npz"
    path.write_text("no", encoding="utf-8")
    with pytest.raises(CoindexError, match="cannot read a state of a collection"):
        load_state(path)
    save_state(add_documents(State(), documents(), resolver()), path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays["topic"] = arrays["topic"][:1]
    np.savez(path, **arrays)
    with pytest.raises(CoindexError, match="1 topics for 3 documents"):
        load_state(path)
    arrays["documents"] = np.frombuffer(b'{"text": 3}', dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(CoindexError, match="cannot use a state of a collection"):
        load_state(path)
