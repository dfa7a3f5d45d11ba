"""Documents scored together: topics, subtopics, events, singletons (Cattan et al. 2021)."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex import __version__
from coindex.document import Document, Entity
from coindex.errors import CoindexError, DataWarning, UnknownNameError
from coindex.scoring import MismatchError, make_settings, score_documents, score_side_by_side
from scoring.texts import doc, expect, score
from strategies import documents
from wording import says


def at(topic: str | None, subtopic: str | None, *texts: str, id: str) -> Document:
    return doc(*texts, id=id).replace(topic=topic, subtopic=subtopic)


def corpus(*texts: str) -> list[Document]:
    """Four documents of one topic, two in each of its subtopics."""
    places = zip(("1a", "1a", "1b", "1b"), texts, strict=True)
    return [at("1", subtopic, text, id=f"d{n}") for n, (subtopic, text) in enumerate(places)]


# The example of the paper's section 3.1 in other words: five singletons, an entity of two and one of three mentions.
KEY = corpus(
    "(n) Word that Ann may (x) hire (u Hill College )u staff",
    "bosses (c) agreed (y) today she was (x) asked",
    "Bob will (z) pick Eve at the (w) gala",
    "he (z) chooses Eve and his (z) choice stands",
)
# S1 finds all mentions and puts all of x, z and w together.
S1 = corpus(
    "(n) Word that Ann may (m) hire (u Hill College )u staff",
    "bosses (c) agreed (y) today she was (m) asked",
    "Bob will (m) pick Eve at the (m) gala",
    "he (m) chooses Eve and his (m) choice stands",
)
# S2 has two singletons with wrong borders and two not at all; it puts only w and x together.
S2 = corpus(
    "(n Word that )n Ann may (m) hire (u) Hill College staff",
    "bosses agreed today she was (m) asked",
    "Bob will (z) pick Eve at the (m) gala",
    "he (z) chooses Eve and his (z) choice stands",
)


def f1(recall: Fraction, precision: Fraction) -> Fraction:
    return 2 * recall * precision / (recall + precision)


def test_table_2_without_singletons() -> None:
    """Printed: S1 75.0 53.1 44.4 42.1 57.5, S2 85.7 83.9 90.0 80.0 86.5."""
    one, two = (score(KEY, response, "ecb-topic") for response in (S1, S2))
    best = Fraction(2 * 3, 3 + 6)
    muc, b3 = (Fraction(1 + 2, 1 + 2), Fraction(6 - 1 - 2, 5)), (Fraction(2 + 3, 5), Fraction(2 * 2 + 3 * 3, 6) / 6)
    expect(one, muc=muc, b3=b3, ceafe=(best / 2, best / 1), lea=(Fraction(2 + 3, 5), 6 * Fraction(1 + 3, 15) / 6))
    assert one.conll == pytest.approx(float(f1(*muc) + f1(*b3) + f1(best / 2, best)) / 3)
    assert [round(100 * one[name].f1, 1) for name in ("muc", "b3", "ceafe", "lea")] == [75.0, 53.1, 44.4, 42.1]
    assert round(100 * one.conll, 1) == 57.5
    best = Fraction(2 * 2, 2 + 3) + 1
    muc, b3 = (Fraction(1 + 2, 1 + 2), Fraction(1 + 2, 2 + 2)), (Fraction(2 + 3, 5), (Fraction(2 * 2, 3) + 3) / 6)
    expect(two, muc=muc, b3=b3, ceafe=best / 2, lea=(Fraction(2 + 3, 5), (3 * Fraction(1, 3) + 3) / 6))
    assert [round(100 * two[name].f1, 1) for name in ("muc", "b3", "ceafe", "lea")] == [85.7, 83.9, 90.0, 80.0]
    assert round(100 * two.conll, 1) == 86.5


def test_table_2_with_singletons() -> None:
    """Printed: S1 75.0 77.6 77.8 69.0 76.8, S2 85.7 59.2 32.7 50.0 59.2."""
    one, two = (score(KEY, response, "ecb-topic", singletons=True) for response in (S1, S2))
    best = 4 + Fraction(2 * 3, 3 + 6)
    expect(
        one,
        muc=(Fraction(3, 3), Fraction(3, 5)),
        # w is found, so its entity is whole; in m it sees one of six mentions
        b3=(Fraction(4 + 1 + 2 + 3, 10), (4 + Fraction(2 * 2 + 3 * 3 + 1, 6)) / 10),
        ceafe=(best / 7, best / 5),
        lea=(Fraction(4 + 2 + 3, 10), (4 + 6 * Fraction(1 + 3, 15)) / 10),
    )
    assert [round(100 * one[name].f1, 1) for name in ("muc", "b3", "ceafe", "lea")] == [75.0, 77.6, 77.8, 69.0]
    assert round(100 * one.conll, 1) == 76.8
    best = Fraction(2 * 2, 2 + 3) + 1
    expect(
        two,
        muc=(Fraction(3, 3), Fraction(3, 4)),
        b3=(Fraction(1 + 2 + 3, 10), (Fraction(2 * 2 + 1, 3) + 3) / 8),
        ceafe=(best / 7, best / 4),
        lea=(Fraction(2 + 3, 10), (3 * Fraction(1, 3) + 3) / 8),
    )
    assert [round(100 * two[name].f1, 1) for name in ("muc", "b3", "ceafe", "lea")] == [85.7, 59.2, 32.7, 50.0]
    assert round(100 * two.conll, 1) == 59.2


@pytest.mark.parametrize("singletons", [False, True])
@pytest.mark.parametrize("profile", ["ecb-topic", "ecb-subtopic"])
def test_mention_detection_is_separate(profile: str, singletons: bool) -> None:
    """Printed: S1 100, S2 66.7 (R 60, P 75), whatever is done with singletons in coreference."""
    expect(score(KEY, S1, profile, singletons=singletons), mentions=1)
    expect(score(KEY, S2, profile, singletons=singletons), mentions=(Fraction(6, 10), Fraction(6, 8)))


def test_other_profiles_count_mentions_as_they_count_entities() -> None:
    """Without singletons: x, x, z, z, z, of which all are found, with w too many."""
    expect(
        score(KEY, S2, "crac24", match="exact", unit="topic", metrics=["mentions"]),
        mentions=(Fraction(5, 5), Fraction(5, 6)),
    )


def test_entities_are_cut_at_the_border_of_subtopics() -> None:
    """1a: x against m, which has the same two there. 1b: z against m with w beside it."""
    best = 1 + Fraction(2 * 3, 3 + 4)
    result = score(KEY, S1, "ecb-subtopic")
    expect(
        result,
        muc=(Fraction(1 + 2, 1 + 2), Fraction(1 + 2, 1 + 3)),
        b3=(Fraction(2 + 3, 5), (2 + Fraction(3 * 3, 4)) / 6),
        ceafe=best / 2,
        lea=(Fraction(2 + 3, 5), (2 + 4 * Fraction(3, 6)) / 6),
    )
    assert [unit.id for unit in result.units] == ["1a", "1b"]


def test_what_is_cut_off_is_a_singleton() -> None:
    """S2 links w with x of another subtopic: there nothing is wrong with x, and w alone is what it should be."""
    expect(score(KEY, S2, "ecb-subtopic"), muc=1, b3=1, ceafe=1, lea=1)
    found = Fraction(2 + 1 + 3)
    expect(
        score(KEY, S2, "ecb-subtopic", singletons=True),
        b3=(found / 10, found / 8),
        ceafe=(Fraction(3, 7), Fraction(3, 5)),
        lea=(found / 10, found / 8),
    )


def test_units_of_all_sizes() -> None:
    key = [*KEY, at("2", "2a", "(x) they (x) hired", id="d4")]
    names = {"document": ["d0", "d1", "d2", "d3", "d4"], "topic": ["1", "2"], "subtopic": ["1a", "1b", "2a"]}
    names["corpus"] = ["corpus"]
    for unit, ids in names.items():
        result = score(key, key, "ecb-topic", unit=unit)
        assert [found.id for found in result.units] == ids
        expect(result, muc=1, b3=1, ceafe=1, lea=1, mentions=1)
    links = {unit: score(key, key, "ecb-topic", unit=unit).counts["muc"].values[1] for unit in names}
    # in documents z has a link in d3 and x one in d4; the subtopics add x of d0 and d1 and z of d2; the corpus joins x
    assert links == {"document": 1 + 1, "subtopic": 2 + 1 + 1, "topic": 2 + 1 + 1, "corpus": 2 + 3}


def test_documents_of_a_unit_need_not_stand_together() -> None:
    order = [2, 0, 3, 1]
    mixed = [[docs[n] for n in order] for docs in (KEY, S1)]
    for profile in ("ecb-topic", "ecb-subtopic"):
        assert score(*mixed, profile).counts == score(KEY, S1, profile).counts
    assert [unit.id for unit in score(*mixed, "ecb-subtopic").units] == ["1b", "1a"]


def test_topics_are_the_keys() -> None:
    bare = [one.replace(topic=None, subtopic=None) for one in S1]
    assert score(KEY, bare, "ecb-subtopic").counts == score(KEY, S1, "ecb-subtopic").counts


def test_subtopics_with_the_same_name_are_distinguished() -> None:
    key = [at(topic, "ecb", "(a) w (a) w", id=f"d{topic}") for topic in "12"]
    result = score(key, key, "ecb-subtopic")
    assert [unit.id for unit in result.units] == ["1/ecb", "2/ecb"]
    assert result.counts["muc"].values == (2, 2, 2, 2)


def test_a_document_without_a_subtopic_counts_under_its_topic() -> None:
    key = [at("1", None, "(a) w (a) w", id="d1"), at("1", "1a", "(a) w (a) w", id="d2")]
    assert [unit.id for unit in score(key, key, "ecb-subtopic").units] == ["1", "1a"]


def test_ids_may_be_local() -> None:
    """The x of two documents are two entities in the response: no link of the key's x is found, two of z's are one."""
    local = [one.replace(shared_ids=False) for one in KEY]
    with pytest.warns(DataWarning, match="4 documents of the response have entity ids that are local.*ecbplus"):
        result = score_documents(KEY, local, make_settings("ecb-topic"))
    expect(result, muc=(Fraction(0 + 1, 1 + 2), Fraction(1, 1)), mentions=1)
    key_links = score(local, KEY, "ecb-topic").counts["muc"].values[1]
    assert key_links == 1


def test_local_ids_are_no_matter_for_documents() -> None:
    """No warning, which would be an error here."""
    result = score_documents(KEY, [one.replace(shared_ids=False) for one in KEY], make_settings("conll12"))
    expect(result, muc=1, b3=1)


@pytest.mark.parametrize("unit", ["topic", "subtopic"])
def test_a_key_without_topics(unit: str) -> None:
    message = f"key: document 'd', sentence 's1', word 1: a document without a {unit}; expected .* corpus"
    with pytest.raises(CoindexError, match=message):
        score(doc("(a) w (a) w"), doc("(a) w (a) w"), unit=unit)


def kinds(docs: list[Document], events: str) -> list[Document]:
    """The same with the entities of these names as events."""
    return [
        one.replace(
            entities=tuple(
                Entity(e.id, e.mentions, kind="event" if e.id in events.split() else "entity") for e in one.entities
            )
        )
        for one in docs
    ]


def test_events_and_entities() -> None:
    """Of S2's m two mentions are the key's x and one is w; u and n are entities, with wrong borders."""
    key, response = kinds(KEY, "x z w c"), kinds(S2, "m z")
    events = score(key, response, "ecb-topic", kind="event")
    expect(events, muc=(1, Fraction(3, 4)), mentions=(Fraction(6, 7), Fraction(6, 6)))
    entities = score(key, response, "ecb-topic", kind="entity", singletons=True)
    expect(entities, b3=0, mentions=0)
    assert entities.counts["mentions"].values[:4] == (0, 3, 0, 2)
    assert score(key, response, "ecb-topic").counts == score(KEY, S2, "ecb-topic").counts


def test_kinds_without_entities_are_refused() -> None:
    """Events of a response in a format without events would all be lost in silence."""
    key = kinds(KEY, "x z w c")
    with pytest.raises(MismatchError, match=r"^response: 4 entities, none of the kind event; .*--no-strict"):
        score(key, [S2[0].replace(entities=()), *S2[1:]], "ecb-topic", kind="event")
    with pytest.raises(MismatchError, match=r"^key: 9 entities, none of the kind event"):
        score(KEY, S2, "ecb-topic", kind="event")
    lenient = score(key, S2, "ecb-topic", kind="event", strict=False)
    expect(lenient, muc=0, mentions=0)
    nothing = [one.replace(entities=()) for one in S2]
    expect(score(key, nothing, "ecb-topic", kind="event"), muc=0, mentions=0)
    expect(score([one.replace(entities=()) for one in KEY], S2, "ecb-topic", kind="event"), muc=0, mentions=0)


def test_with_and_without_singletons_side_by_side() -> None:
    both = score_side_by_side(iter(KEY), iter(S1), make_settings("ecb-topic"))
    assert both.without_singletons.counts == score(KEY, S1, "ecb-topic").counts
    assert both.with_singletons.counts == score(KEY, S1, "ecb-topic", singletons=True).counts
    assert [result.signature for result in both] == [
        f"coindex|ecb-topic@1|match:exact|sing:{sing}|zeros:lin|unit:topic|v:{__version__}" for sing in ("no", "yes")
    ]


def test_side_by_side_warns_once() -> None:
    repeated = [doc("(a) w (a) w (b) w", id="d"), doc("w", id="e")]
    repeated[0] = repeated[0].replace(entities=(*repeated[0].entities, Entity("c", repeated[0].entities[1].mentions)))
    with pytest.warns(DataWarning) as caught:
        score_side_by_side(repeated, repeated, make_settings("ecb-topic", unit="corpus"))
    assert len(caught) == 2  # one for the key, one for the response
    assert says(caught[0].message, "1 mentions of the key occur more than once")


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"kind": "event"}, "unit:topic|kind:event"),
        ({"unit": "subtopic"}, "unit:subtopic"),
        ({"unit": "document", "kind": "entity", "strict": False}, "kind:entity|strict:no"),
    ],
)
def test_signatures(options: dict[str, object], wanted: str) -> None:
    result = score(kinds(KEY, "x"), kinds(S1, "m"), "ecb-topic", **options)
    assert result.signature == f"coindex|ecb-topic@1|match:exact|sing:no|zeros:lin|{wanted}|v:{__version__}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "topics"}, "unknown unit 'topics'; did you mean topic"),
        ({"kind": "events"}, "unknown kind 'events'; did you mean event"),
        ({"match": "head"}, "unknown matching of the rules cross-document 'head'; known: exact"),
    ],
)
def test_unknown_names(options: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        make_settings("ecb-topic", **options)  # type: ignore[arg-type]


@settings(max_examples=40)
@given(st.lists(documents(relations=False), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_where_all_ids_are_local_units_do_not_matter(docs: list[Document], draw: random.Random) -> None:
    key = [one.replace(id=f"d{n}", shared_ids=False) for n, one in enumerate(docs)]
    response = []
    for one in key:
        groups: dict[str, list] = {}
        for mention in {m.positions: m for e in one.entities for m in e.mentions}.values():
            groups.setdefault(f"r{draw.randrange(3)}", []).append(mention)
        response.append(one.replace(entities=tuple(Entity(name, tuple(found)) for name, found in groups.items())))
    apart, together = (score(key, response, "ecb-topic", unit=unit) for unit in ("document", "corpus"))
    for name, counts in apart.counts.items():
        assert together.counts[name].values == pytest.approx(counts.values), name
