"""RU-EVAL 2014, the anaphora track (section 4.1): pronouns that are linked only to their own entity.

The pronouns (section 3.5) are third person, possessive, reflexive, demonstrative, and the relative *kotoryj*. The first
of these properties that is available decides whether a mention is such a pronoun:

1. the attribute `str`, its structure: `refl` and `dem` are such pronouns, `pron`, `pers` and `poss` unless they are of
   the first or second person, `rel` if it is *kotoryj*; anything else, such as `noun`, is not;
2. part of speech and features: PRON or DET that is demonstrative, reflexive or of the third person;
3. the lemma;
4. the form, by a list of Russian words.

Without the attribute, only a mention of one word can be a pronoun. The metric counts

- S: the pronouns of the response with a link, that is, in a chain with another mention;
- G: the pronouns of the key with an antecedent, defined in the same way, so that a key scores 1 against itself;
- M: the pronouns of S that match one of G and whose chain is a subset of the key chain: every other mention matches one
  of the key chain.

Precision is M / S, recall M / G. Mentions are matched by `lenient`.

Choices where the paper is not specific:

- *Pairs and chains.* The data of the campaign for this track have a chain of two mentions for each pronoun, so an
  antecedent is in many chains. Key chains that share a mention are merged: "the antecedent established by a system
  should be a member of the corresponding coreference chain". Response chains are separate: a pronoun in several chains
  is judged by those in which a mention precedes it, as it is an antecedent in the others, and all of them must be
  correct. Complete chains work too; each of their pronouns is judged. If a document declares the anaphora track, only
  the last pronoun of a chain is judged: in a pair of pronouns the first is the antecedent.
- *An antecedent may follow*, as in "in his book Ivanov writes": a link counts in both directions.
- *Pronouns of the response.* A response mention that matches a key mention is a pronoun if the key mention is one;
  otherwise it is judged by its own properties.
- *Secondary markables* (see `lenient`) are valid antecedents: a pronoun linked to one of its chain is correct. One
  outside its chain is ignored, and a pronoun linked to nothing else is not in S. A secondary pronoun is
  neither in G nor in S.
- A pronoun of the key counts as found once, although several response mentions may match it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...document import Mention, Token
from ...document.disjoint_sets import Groups
from ..alignment import Alignment, Counts
from ..lenient import MarkedAlignment
from ..sides import Side
from .registry import Metric

STRUCTURE = "str"


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


_KOTORYJ = _split(
    "который которая которое которые которого которой которому которую которым котором которых которыми которою"
)
_THIRD = _split("он она оно они его него ему нему им ним нем ее нее ей ней ею нею их них ими ними")
_REFLEXIVE = _split("себя себе собой собою свой своя свое свои своего своей своему свою своим своем своих своими своею")
_DEMONSTRATIVE = _split(
    "этот эта это эти этого этой этому эту этим этом этих этими этою "
    "тот та то те того той тому ту тем том тех теми тою "
    "такой такая такое такие такого такому такую таким таком таких такими такою"
)
FORMS = _THIRD | _REFLEXIVE | _DEMONSTRATIVE | _KOTORYJ
LEMMAS = _split("он она оно они его ее их себя свой этот это тот то такой который")
_FIRST_AND_SECOND = _split(
    "я меня мне мной мною мы нас нам нами ты тебя тебе тобой тобою вы вас вам вами "
    "мой моя мое мои моего моей моему мою моим моем моих моими моею "
    "твой твоя твое твои твоего твоей твоему твою твоим твоем твоих твоими твоею "
    "наш наша наше наши нашего нашей нашему нашу нашим нашем наших нашими нашею "
    "ваш ваша ваше ваши вашего вашей вашему вашу вашим вашем ваших вашими вашею"
)


def is_listed_pronoun(mention: Mention) -> bool:
    """Return whether a mention is a pronoun that the anaphora track asks for."""
    words = [token for token in mention.tokens if not token.is_empty]
    structures = mention.attributes.get(STRUCTURE, "").strip()
    if structures:
        return any(_is_pronoun_by_structure(structure, words) for structure in structures.split(","))
    return len(words) == 1 and _is_pronoun_by_word(words[0])


def _is_pronoun_by_structure(structure: str, words: list[Token]) -> bool:
    if structure in ("refl", "dem"):
        return True
    if structure == "rel":
        return any(_is_kotoryj(word) for word in words)
    return structure in ("pron", "pers", "poss") and not any(_is_first_or_second(word) for word in words)


def _is_pronoun_by_word(word: Token) -> bool:
    if word.upos not in ("_", "PRON", "DET"):
        return False
    features = word.features
    kinds = set(features.get("PronType", "").split(","))
    if "Dem" in kinds or features.get("Reflex") == "Yes":
        return True
    if "Person" in features:
        return features["Person"] == "3"
    if word.lemma != "_":
        return _normalise(word.lemma) in LEMMAS
    return _normalise(word.form) in FORMS


def _is_kotoryj(word: Token) -> bool:
    return _normalise(word.form) in _KOTORYJ or _normalise(word.lemma) == "который"


def _is_first_or_second(word: Token) -> bool:
    return word.features.get("Person") in ("1", "2") or _normalise(word.form) in _FIRST_AND_SECOND


def _normalise(word: str) -> str:
    return word.lower().replace("ё", "е")


def count(alignment: Alignment) -> Counts:
    """Count M and G for recall, M and S for precision."""
    track = _Track(alignment)
    wanted = {mention for mention, _ in track.find_judged(track.key)} - track.secondary
    linked = right = 0
    clusters_of: dict[int, list[list[int]]] = {}
    for mention, cluster in track.find_judged(track.response):
        clusters_of.setdefault(mention, []).append(cluster)
    for mention, clusters in clusters_of.items():
        links = track.find_links(mention, clusters)
        if links and track.meaning.get(mention) not in track.secondary:
            linked += 1
            right += track.to_key.get(mention) in wanted and track.is_right(mention, links)
    return Counts((right, len(wanted), right, linked))


class _Track:
    """Both sides of the anaphora track: with secondary markables, and with merged key entities."""

    def __init__(self, alignment: Alignment) -> None:
        whole = alignment
        self.secondary: frozenset[int] = frozenset()
        self.meaning: dict[int, int] = {}
        if isinstance(alignment, MarkedAlignment) and alignment.whole is not None:
            whole, self.secondary, self.meaning = alignment.whole, alignment.secondary, alignment.meaning
        self.key, self.response = whole.key, whole.response
        self.to_key = {r: k for k in self.key.cluster_of if (r := whole.partner(k)) is not None}
        self.meaning = self.meaning or self.to_key
        self.entity_of = _merge_clusters(self.key.clusters)

    def find_judged(self, side: Side) -> Iterator[tuple[int, list[int]]]:
        """Yield pronouns with the cluster by which they are judged."""
        clusters = [side.table.in_order(cluster) for cluster in side.clusters if len(cluster) > 1]
        later = {mention for cluster in clusters for mention in cluster[1:]}
        for cluster in clusters:
            pronouns = [mention for mention in cluster if self._is_pronoun(mention, side)]
            if _is_pair(side, cluster):
                pronouns = pronouns[-1:]
            for mention in pronouns:
                if mention != cluster[0] or mention not in later:
                    yield mention, cluster

    def _is_pronoun(self, mention: int, side: Side) -> bool:
        meant = self.meaning.get(mention) if side is self.response else mention
        if meant is None:
            return is_listed_pronoun(self.response.mentions[mention])
        return is_listed_pronoun(self.key.mentions[meant])

    def find_links(self, mention: int, clusters: list[list[int]]) -> set[int]:
        """Return the mentions that a response pronoun is linked to, without secondary markables outside its entity."""
        entity = self._entity(mention)
        return {
            other
            for cluster in clusters
            for other in cluster
            if other != mention and (self.meaning.get(other) not in self.secondary or self._entity(other) == entity)
        }

    def is_right(self, mention: int, links: set[int]) -> bool:
        """Return whether a pronoun is linked only to mentions of its entity, and not only to itself."""
        entity = self._entity(mention)
        return all(self._entity(other) == entity for other in links) and any(
            self.meaning[other] != self.meaning[mention] for other in links
        )

    def _entity(self, mention: int) -> int | None:
        """Return the key entity of a response mention."""
        meant = self.meaning.get(mention)
        return None if meant is None else self.entity_of[meant]


def _is_pair(side: Side, cluster: list[int]) -> bool:
    return side.spot(side.mentions[cluster[-1]]).doc.meta.get("track") == "anaphora"


def _merge_clusters(clusters: list[list[int]]) -> dict[int, int]:
    """Return the entity of each mention; clusters that share a mention are one entity."""
    groups: Groups[int] = Groups()
    first: dict[int, int] = {}
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            groups.join(first.setdefault(mention, number), number)
    return {mention: groups.find(number) for mention, number in first.items()}


METRIC = Metric("anaphora", "anaphora of RU-EVAL", count, takes_repeated=True)
