"""Topics that are given, predicted, or none."""

import warnings

import numpy as np
import pytest

from coindex.document import Document
from coindex.errors import CoindexError, CoindexWarning
from coindex.resolvers.cross import topics as module
from coindex.resolvers.cross.terms import document_terms, tf_idf
from coindex.resolvers.cross.topics import assign_topics, find_topics, predict_topics
from parsed_text import words

QUAKE = "quake shook coast villages tsunami rescue magnitude survivors"
VOTE = "voters elected senator ballots campaign parliament turnout majority"


def docs(*texts):
    return [words(text, id=f"d{number}", language="en") for number, text in enumerate(texts)]


def test_predicted_topics_find_their_number():
    texts = [f"{QUAKE} north", f"{VOTE} north", f"{QUAKE} south", f"{VOTE} south", "recipe butter flour oven bread"]
    assert find_topics(docs(*texts), "predicted").tolist() == [0, 1, 0, 1, 2]


def test_one_topic_comes_out_as_one():
    texts = [f"{QUAKE} one", f"{QUAKE} two", f"{QUAKE} three"]
    assert find_topics(docs(*texts), "predicted").tolist() == [0, 0, 0]


@pytest.mark.parametrize("texts", [[], [""], ["", ""], [QUAKE], ["the of and", "the of and"]])
def test_little_to_go_by(texts):
    found = find_topics(docs(*texts), "predicted").tolist()
    assert found == list(range(len(texts)))  # without words each stays alone


def test_duplicates_are_of_one_topic():
    assert find_topics(docs(QUAKE, VOTE, QUAKE, QUAKE), "predicted").tolist() == [0, 1, 0, 0]


def test_none_is_one_topic():
    assert find_topics(docs(QUAKE, VOTE), "none").tolist() == [0, 0]


def test_given_topics_and_subtopics():
    four = [Document(topic=topic, subtopic=sub) for topic, sub in (("2", "2a"), ("1", None), ("2", "2b"), ("1", "1a"))]
    assert find_topics(four, "given").tolist() == [0, 1, 0, 1]
    assert find_topics(four, "subtopic").tolist() == [0, 1, 2, 3]
    assert find_topics(four, "auto").tolist() == [0, 1, 0, 1]


def test_documents_without_a_topic_stand_alone_with_a_warning():
    three = [Document(topic="1"), Document(id="odd"), Document(topic="1")]
    with pytest.warns(CoindexWarning, match=r"1 of 3 documents without a topic \(the first: odd\)"):
        assert find_topics(three, "given").tolist() == [0, 1, 0]


def test_no_topic_at_all_is_an_error_but_for_one_document():
    with pytest.raises(CoindexError, match=r"none of 2 documents has a topic \(the first: d0\).*--topics predicted"):
        find_topics(docs(QUAKE, VOTE), "given")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_topics(docs(QUAKE), "given").tolist() == [0]


def test_auto_predicts_where_a_topic_is_missing():
    two = [words(QUAKE, topic="1", language="en"), words(QUAKE, language="en")]
    assert find_topics(two, "auto").tolist() == [0, 0]


def test_many_documents_are_joined_in_chunks(monkeypatch):
    rows = tf_idf([document_terms(doc) for doc in docs(*[QUAKE, VOTE] * 20)])
    whole = predict_topics(rows)
    monkeypatch.setattr(module, "CHUNK", 8)
    assert predict_topics(rows).tolist() == whole.tolist() == [0, 1] * 20


def test_new_documents_join_topics_or_make_new_ones():
    texts = docs(QUAKE, VOTE, f"{VOTE} again", "recipe butter flour oven", "recipe butter oven bread", "")
    rows = tf_idf([document_terms(doc) for doc in texts])
    assert assign_topics(rows, np.array([0, 1])).tolist() == [0, 1, 1, 2, 2, 3]
    assert assign_topics(rows[:2], np.array([0, 1])).tolist() == [0, 1]
