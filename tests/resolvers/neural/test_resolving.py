"""Linking, and a document resolved with a scorer whose answers are known."""

import numpy as np
import pytest

from coindex import Document
from coindex.resolvers.clusters import with_clusters
from coindex.resolvers.neural.constraints import NOTHING_KNOWN, Verdict
from coindex.resolvers.neural.detection import FEMININE, MASCULINE, UNKNOWN, TagSet
from coindex.resolvers.neural.pairs import BASIC, Memory, Pairs
from coindex.resolvers.neural.resolving import EntityLinker, LinkOptions, NeuralResolver, ResolveOptions
from coindex.resolvers.neural.runtime import MentionScores
from coindex.resolvers.neural.words import Pieces


def pairs(*rows):
    anaphor, candidate = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Pairs(anaphor, candidate, np.zeros((len(rows), 1), dtype=np.int64))


THREE = pairs((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2))
# 1 joins 0; 2 is new; 3 likes 2 best, but 0 and 1 together more
SCORES = np.log(np.array([8, 0.1, 0.1, 2, 2, 3], dtype=np.float32))
NEW = np.zeros(4, dtype=np.float32)


def with_genders(*genders):
    return [Verdict(traits=(("gender", gender),)) if gender else NOTHING_KNOWN for gender in genders]


def link(**options):
    linker = EntityLinker(LinkOptions(**options))
    linker.add(THREE, SCORES, NEW)
    return linker


def test_the_best_antecedent_decides():
    linker = link(decoding="antecedent")
    assert linker.entity == [0, 0, 2, 2]
    assert linker.probability[3] == pytest.approx(3 / 8)


def test_the_probabilities_of_an_entity_add_up():
    linker = link(decoding="entity")
    assert linker.entity == [0, 0, 2, 0]
    assert linker.probability[1] == pytest.approx(8 / 9)
    assert linker.probability[3] == pytest.approx(4 / 8)
    assert linker.is_link == [False, True, False, True]


def test_a_crowd_attracts_less_than_the_sum_of_its_mentions():
    # 4 for the two together, 3 for the one alone: 4 / 2**0.5 is less than 3
    linker = link(decoding="entity", crowd=0.5)
    assert linker.entity == [0, 0, 2, 2]
    assert linker.probability[3] == pytest.approx(3 / 8), "the probability is what it was"
    assert link(decoding="entity", crowd=0.2).entity == [0, 0, 2, 0]


def test_a_crowd_may_attract_less_than_a_new_entity():
    linker = EntityLinker(LinkOptions(crowd=2.0))
    linker.add(pairs((1, 0), (2, 0), (2, 1)), np.log(np.array([8, 1, 1], dtype=np.float32)), np.zeros(3, np.float32))
    assert linker.entity == [0, 0, 2], "2 / 2**2 is less than 1"


def test_a_weak_link_is_none():
    assert link(decoding="entity", min_link=0.6).entity == [0, 0, 2, 3]


def test_a_bias_makes_entities_more_likely():
    assert link(decoding="entity", new_bias=5.0).entity == [0, 1, 2, 3]


@pytest.mark.parametrize("last", [FEMININE, MASCULINE])
def test_an_entity_cannot_contain_both_he_and_she(last):
    linker = EntityLinker(LinkOptions())
    linker.add(THREE, SCORES, NEW, with_genders(UNKNOWN, MASCULINE, UNKNOWN, last))
    # the entity of 0 and 1 is the most probable for 3, and has a "he"
    assert linker.entity == [0, 0, 2, 2 if last == FEMININE else 0]


def test_a_crowd_of_antecedents_is_none():
    assert link(decoding="antecedent", crowd=5.0).entity == link(decoding="antecedent").entity
    linker = EntityLinker(LinkOptions(decoding="antecedent", crowd=5.0))
    linker.add(pairs((1, 0), (2, 0), (2, 1)), np.log(np.array([8, 1, 2], dtype=np.float32)), np.zeros(3, np.float32))
    assert linker.entity == [0, 0, 0], "2 is more than 1, however many mentions the entity has"


@pytest.mark.parametrize(
    ("last", "entity", "weight"), [(MASCULINE, 2, 3 / 4), (FEMININE, 0, 2 / 5), (UNKNOWN, 2, 3 / 8)]
)
def test_the_next_best_antecedent_is_tried_where_the_best_is_barred(last, entity, weight):
    linker = EntityLinker(LinkOptions(decoding="antecedent"))
    linker.add(THREE, SCORES, NEW, with_genders(UNKNOWN, FEMININE, MASCULINE, last))
    assert linker.entity == [0, 0, 2, entity]
    assert linker.probability[3] == pytest.approx(weight)


def test_excluded_mentions_rule_out_their_whole_entity():
    linker = EntityLinker(LinkOptions())
    verdicts = [NOTHING_KNOWN, NOTHING_KNOWN, NOTHING_KNOWN, Verdict(barred=frozenset([1]))]
    linker.add(THREE, SCORES, NEW, verdicts)
    assert linker.entity == [0, 0, 2, 2], "0 and 1 are one entity"
    assert linker.probability[3] == pytest.approx(3 / 4), "of what remains: 3 for the link, 1 for a new entity"


def test_a_mention_without_antecedent_starts_an_entity():
    linker = EntityLinker(LinkOptions())
    linker.add(THREE, SCORES, NEW, [NOTHING_KNOWN] * 3 + [Verdict(alone=True)])
    assert linker.entity == [0, 0, 2, 3]
    assert linker.probability[3] == pytest.approx(1.0)


def test_a_required_link_is_made_unless_it_is_impossible():
    def link_last(first, last):
        linker = EntityLinker(LinkOptions())
        linker.add(THREE, SCORES, NEW, [NOTHING_KNOWN, NOTHING_KNOWN, Verdict(traits=first), last])
        return linker.entity[3]

    assert link_last((), Verdict(required=2)) == 2
    male = (("gender", MASCULINE),)
    assert link_last(male, Verdict(required=2, traits=male)) == 2
    assert link_last(male, Verdict(required=2, traits=(("gender", FEMININE),))) == 0


def test_memory_keeps_rows():
    memory = Memory()
    rows = np.arange(20, dtype=np.float32).reshape(10, 2)
    for at in range(0, 10, 3):
        memory.add(rows[at : at + 3])
    assert (memory[np.array([0, 4, 9])] == rows[[0, 4, 9]]).all()


class Words:
    class Encoding:
        def __init__(self, number):
            self.ids = [number]

    def encode(self, form, *, add_special_tokens):
        return self.Encoding(100 + sum(map(ord, form)))

    def token_to_id(self, token):
        return None


class CapitalsAreMentions:
    """Every capital word is a mention, and two of one form corefer; the vectors are the ids of the pieces."""

    def words(self, batch, corpus):
        vectors = batch.ids.reshape(-1)[batch.piece_index[:, 0]][:, None].astype(np.float32)
        tags = np.zeros((len(vectors), 2), dtype=np.float32)
        tags[:, 1] = np.where(batch.word_shapes == 1, 5, -5)
        return vectors, tags

    def mentions(self, vectors, mentions):
        rows = vectors[mentions.start]
        count = len(rows)
        return MentionScores(mentions.start, rows, rows, np.zeros(count, np.float32), np.full(count, 0.9, np.float32))

    def links(self, query, key, pairs):
        same = query[pairs.anaphor, 0] == key[pairs.candidate, 0]
        return np.where(same, 4, -4).astype(np.float32)


def resolver(*, scorer=None, features=BASIC, given=False, **options):
    pieces = Pieces(Words(), begin=1, end=2, pad=0, unknown=3)
    tags = TagSet(("", "PUSH,POP:1"))
    made = ResolveOptions(**options)
    scorer = scorer or CapitalsAreMentions()
    return NeuralResolver(scorer, pieces, tags, name="toy", features=features, given=given, options=made)


TEXT = "Anna saw Bo .  Then Anna 😀 left\n\nBo ! Bo slept , Anna wept ."


def texts(doc):
    return [[mention.text for mention in entity.mentions] for entity in doc.entities]


def test_resolves_a_text():
    found = resolver()(Document.from_text(TEXT))
    assert texts(found) == [["Anna", "Anna", "Anna"], ["Bo", "Bo", "Bo"], ["Then"]]
    first, second = found.entities[0].mentions[:2]
    assert (first.attributes["by"], second.attributes["by"]) == ("toy/new", "toy/link")
    assert 0.98 < float(second.attributes["score"]) <= 1
    assert second.attributes["mention"] == "0.9000"
    assert TEXT[second.start_char : second.end_char] == "Anna"


def test_windows_and_blocks_change_nothing():
    doc = Document.from_text(TEXT)
    assert texts(resolver(window=8, block=1)(doc)) == texts(resolver()(doc))


def test_singletons_can_be_left_out():
    assert texts(resolver(singletons=False)(Document.from_text(TEXT))) == [["Anna"] * 3, ["Bo"] * 3]


def test_doubtful_mentions_can_be_left_out():
    assert texts(resolver(min_mention=0.95)(Document.from_text(TEXT))) == []


@pytest.mark.parametrize(("bias", "words"), [(-6.0, 0), (0.0, 7), (4.9, 7), (5.1, 16)])
def test_a_bias_finds_more_mentions_or_fewer(bias, words):
    # capitals are 5 better than no mention, other words 5 worse
    found = resolver(mention_bias=bias)(Document.from_text(TEXT))
    assert sum(len(entity.mentions) for entity in found.entities) == words


@pytest.mark.parametrize("text", ["", " \n ", "word", "😀"])
def test_texts_without_mentions(text):
    assert resolver()(Document.from_text(text)).entities == ()


class AllAreOne(CapitalsAreMentions):
    """The same, and all corefer."""

    def links(self, query, key, pairs):
        return np.full(len(pairs), 4, dtype=np.float32)


@pytest.mark.parametrize("features", [BASIC, ()])
@pytest.mark.parametrize(("rules", "entities"), [((), [["She", "He", "Her"]]), (["gender"], [["She", "Her"], ["He"]])])
def test_rules_exclude_links(features, rules, entities):
    made = resolver(scorer=AllAreOne(), features=features, constraints=frozenset(rules))
    assert texts(made(Document.from_text("She saw He . Her slept ."))) == entities


def test_given_mentions_are_used_as_they_are():
    doc = Document.from_text("Anna saw Anna and the dog with the long old tail")
    wanted = [doc.mention([0]), doc.mention([2]), doc.mention([4, 5]), doc.mention([7, 10])]
    found = resolver(given=True)(with_clusters(doc, ([mention] for mention in wanted)))
    assert sorted(m.positions for m, _ in found.mentions()) == sorted(m.positions for m in wanted)
    assert ["Anna", "Anna"] in texts(found)
