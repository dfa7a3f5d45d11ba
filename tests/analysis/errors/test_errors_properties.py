"""What holds for the errors of all documents."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coindex
from coindex.analysis.errors.result import ErrorsFound
from coindex.document import Document, Entity
from scoring.test_properties import reassigned, unrepeated
from strategies import documents

MATCHES = st.sampled_from(["exact", "head", "partial", "lenient", "overlap"])
EXAMPLES = settings(max_examples=40, deadline=None)


def find(key: list[Document], response: list[Document], **options: object) -> ErrorsFound:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return coindex.find_errors(key, response, **options)  # type: ignore[arg-type]


def told(found: ErrorsFound) -> list[tuple[object, ...]]:
    """Everything but what entities are called, in an order of its own."""
    rows = [case.to_dict() for case in found.cases]
    return sorted((row["id"], row["kind"], row["type"], row["size"], str(row.get("distance"))) for row in rows)


def renamed(doc: Document, draw: random.Random) -> Document:
    """The same entities under other names and in another order."""
    entities = [Entity(f"n{draw.random()}", e.mentions, e.type, e.kind, e.attributes) for e in doc.entities]
    draw.shuffle(entities)
    return doc.replace(entities=tuple(entities), bridges=(), split_antecedents=())


def reheaded(doc: Document, draw: random.Random) -> Document:
    """Some mentions have another word for their head, or nobody says it."""
    entities = []
    for entity in doc.entities:
        mentions = [
            replace(one, head=draw.choice([None, *one.positions])) if draw.random() < 0.4 else one
            for one in entity.mentions
        ]
        entities.append(replace(entity, mentions=tuple(mentions)))
    return doc.replace(entities=tuple(entities))


@EXAMPLES
@given(documents(relations=False), MATCHES, st.booleans())
def test_a_key_against_itself_has_no_errors(doc: Document, match: str, singletons: bool) -> None:
    doc = unrepeated(doc).replace(id="d")
    assert find([doc], [doc], match=match, singletons=singletons).cases == ()


@EXAMPLES
@given(documents(relations=False), MATCHES, st.booleans(), st.randoms(use_true_random=False))
def test_names_of_entities_do_not_matter(doc: Document, match: str, singletons: bool, draw: random.Random) -> None:
    key = unrepeated(doc).replace(id="d")
    response = reassigned(key, draw)
    before = find([key], [response], match=match, singletons=singletons)
    after = find([renamed(key, draw)], [renamed(response, draw)], match=match, singletons=singletons)
    assert told(before) == told(after)


@EXAMPLES
@given(st.lists(documents(relations=False, max_sentences=2), min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(docs: list[Document], draw: random.Random) -> None:
    keys = [unrepeated(doc).replace(id=f"d{number}") for number, doc in enumerate(docs)]
    pairs = [(key, reassigned(key, draw)) for key in keys]
    before = find(*map(list, zip(*pairs, strict=True)))
    after = find(*map(list, zip(*reversed(pairs), strict=True)))
    assert told(before) == told(after)
    tables = [{t.name: sorted((r.label, tuple(r.values)) for r in t.rows) for t in f.tables()} for f in (before, after)]
    assert tables[0] == tables[1]


@EXAMPLES
@given(documents(relations=False), MATCHES, st.booleans(), st.randoms(use_true_random=False))
def test_mentions_are_counted_as_by_the_scorer(
    doc: Document, match: str, singletons: bool, draw: random.Random
) -> None:
    """What mention detection does not find is missed, or has other borders that the matching does not forgive."""
    key = unrepeated(doc).replace(id="d")
    response = reheaded(reassigned(key, draw), draw)
    found = find([key], [response], match=match, singletons=singletons)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score = coindex.score([key], [response], match=match, singletons=singletons, metrics=["mentions"])
    found_key, all_key, found_response, all_response = score.counts["mentions"].values[:4]
    unforgiven = sum(case.kind == "span" and not case.is_matched for case in found.cases)
    assert found.counts["missed"] + unforgiven == all_key - found_key
    assert found.counts["spurious"] + unforgiven == all_response - found_response
    assert found.tallies[0].mentions == all_key


@EXAMPLES
@given(documents(relations=False, zeros=False), st.booleans(), st.randoms(use_true_random=False))
def test_splits_and_missed_mentions_are_what_muc_lacks(doc: Document, singletons: bool, draw: random.Random) -> None:
    """A key entity in n parts lacks n - 1 links, each missed mention being a part, unless all of it is missed."""
    key = unrepeated(doc).replace(id="d")
    response = reassigned(key, draw)
    found = find([key], [response], match="exact", singletons=singletons)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score = coindex.score([key], [response], match="exact", singletons=singletons, metrics=["muc"])
    right, wanted, right_too, given_links = score.counts["muc"].values
    missed = sorted((case.mention.entity, case.size) for case in found.cases if case.kind in ("missed", "span"))
    whole = sum(len(list(group)) == size for (_, size), group in groupby(missed))
    parts = sum(len(case.parts) - 1 for case in found.only("split"))
    assert wanted - right == parts + len(missed) - whole
    mixed = sum(len(case.parts) - 1 for case in found.only("merged", "conflated"))
    assert given_links - right_too >= mixed


@EXAMPLES
@given(documents(relations=False), st.randoms(use_true_random=False))
def test_links_are_judged_once_a_mention(doc: Document, draw: random.Random) -> None:
    key = unrepeated(doc).replace(id="d")
    found = find([key], [reassigned(key, draw)], match="exact")
    judged = [case.mention.positions for case in found.only("false-new", "false-link", "wrong-link")]
    assert len(judged) == len(set(judged))
    assert len({case.id for case in found.cases}) == len(found.cases)


@EXAMPLES
@given(documents(relations=False), st.randoms(use_true_random=False))
def test_changes_part_the_errors_of_two_responses(doc: Document, draw: random.Random) -> None:
    key = unrepeated(doc).replace(id="d")
    first, second = reassigned(key, draw), reassigned(key, draw)
    found = find([key], [first], second=[second])
    assert found.second is not None
    ids = {change: {case.id for case in found.changed(change)} for change in ("both", "fixed", "broken")}  # type: ignore[arg-type]
    assert ids["both"] | ids["fixed"] == {case.id for case in found.cases}
    assert ids["both"] | ids["broken"] == {case.id for case in found.second.cases}
    again = find([key], [second], second=[first])
    assert {case.id for case in again.changed("fixed")} == ids["broken"]


@EXAMPLES
@given(documents(relations=False), st.randoms(use_true_random=False))
def test_every_document_can_be_explored(doc: Document, draw: random.Random) -> None:
    key = unrepeated(doc).replace(id="d")
    found = find([key], [reassigned(key, draw)], second=[reassigned(key, draw)], explorer=True)
    has_list = bool(found.changes)  # the index and the document are always there
    assert found.render("html").count('<script type="text/plain"') == 2 + has_list


def test_documents_without_ids_are_distinguished() -> None:
    texts = ["Ann slept.", "Bob slept.", "Ann slept."]
    keys = [Document.from_text(text) for text in texts]
    keys = [k.replace(entities=(Entity("a", (k.mention([0]), k.mention([1]))),)) for k in keys]
    found = find(keys, [key.replace(entities=()) for key in keys])
    ids = [case.id for case in found.cases]
    assert len(set(ids)) == 6
    assert ids[4] == f"{ids[0]}-2"


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_find_the_same(jobs: int) -> None:
    examples = "examples/garden.conllu", "examples/garden-response.conllu"
    root = __file__.rpartition("/tests/")[0]
    paths = [f"{root}/{name}" for name in examples]
    found = coindex.find_errors(paths[0], paths[1], jobs=jobs, explorer=True)
    assert found.counts["missed"] == 6
    assert found.shown is not None
