"""ARE 2007, tasks 1 and 3 (section 3.3): pronouns resolved to any of their antecedents.

Each pronoun to resolve scores

- 1 if it is resolved to a mention of its entity that is not a pronoun, or to a pronoun from which the resolutions of
  the response lead, all of them correct, to a mention that is not a pronoun;
- 0.5 if it is resolved to a pronoun of its entity from which they do not: one is wrong, missing, or they form a cycle;
- 0 otherwise.

Task 1, metric `success`: the sum divided by the number of pronouns to resolve. Recall, precision and F1 are all equal
to this rate.

Task 3, metric `antecedent`: the score of a pronoun is multiplied by the overlap of the antecedent with the mention of
the key entity that it overlaps most (`lenient.overlap`); recall divides the sum by the pronouns to resolve in the key,
precision by the pronouns that the response resolves. The paper specifies the factor separately from the scores ("the
score is 1 … 0.5 … 0"); as a factor it is consistent with task 1 if all overlaps are 1.

Choices where the paper is not specific:

- *Pronouns to resolve* are those with the attribute `anaphoric` = "yes" if any mention of the document has that
  attribute; otherwise every pronoun with an antecedent (`document.naming`).
- *The antecedent in the response* is given by the attribute `antecedent`: an id, or the first and last node as in
  "26-28". If no mention of a document has it, entities determine it: the nearest earlier mention that is not a pronoun,
  or otherwise the nearest pronoun. From a pronoun with no earlier mention, the next mention that is not a pronoun.
- *The pronoun of the response* is that of the key if it has the same words; only antecedents may overlap in part.
- *The mention of the key* is any of the pronoun's entity except the pronoun itself, including later ones. Of those with
  equal overlap, one that is not a pronoun is preferred, then the first.
- *Whether a mention is a pronoun*, to decide between 1 and 0.5, is determined by the key (including `anaphoric`). "No
  non-pronominal element in the chain" is understood as the chain of resolutions, as in task 1. Pronouns of an entity
  that has no other mentions therefore score at most 0.5, and a key with such entities does not score 1 against itself.
- With a matching other than overlap an antecedent is found if the two mentions match, and then counts in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...document import Document, Mention, mention_order
from ...document.naming import antecedent, is_pronoun
from ..alignment import Alignment, Counts
from ..lenient import overlap
from ..sides import Part
from ..token_alignment import Words, words_of
from .registry import Metric


@dataclass(slots=True)
class EntityWords:
    """The mentions of an entity by their words."""

    is_pronoun: dict[Words, bool] = field(default_factory=dict)
    with_word: dict[int, list[Words]] = field(default_factory=dict)

    def add(self, words: Words, *, pronoun: bool) -> None:
        """Add a mention."""
        if words not in self.is_pronoun:
            for word in words:
                self.with_word.setdefault(word, []).append(words)
        self.is_pronoun[words] = pronoun


@dataclass(slots=True)
class Resolutions:
    """The resolutions of the pronouns of a response."""

    tried: set[Words] = field(default_factory=set)
    """The pronouns to resolve."""
    steps: dict[Words, Words | None] = field(default_factory=dict)
    """The antecedent of each pronoun, whether to resolve or not; None if it is not in the text."""


def find_entities(parts: Iterable[Part]) -> dict[Words, EntityWords]:
    """Return the pronouns of the key to resolve, each with its entity; entities that share a pronoun are merged."""
    entities: dict[Words, EntityWords] = {}
    shared: dict[str, EntityWords] = {}
    for doc, codes in parts:
        given = _has_attribute(doc, "anaphoric")
        for id, mentions in _entities(doc):
            entity = shared.setdefault(id, EntityWords()) if doc.shared_ids else EntityWords()
            for mention in mentions:
                words = words_of(mention, codes)
                pronoun = _is_pronominal(mention)
                entity.add(words, pronoun=pronoun)
                if pronoun and _is_to_resolve(mention, antecedent(mention, mentions), given=given):
                    known = entities.setdefault(words, entity)
                    if known is not entity:
                        entities[words] = _merge(known, entity)
    return entities


def _merge(first: EntityWords, second: EntityWords) -> EntityWords:
    merged = EntityWords()
    for words, pronoun in (*first.is_pronoun.items(), *second.is_pronoun.items()):
        merged.add(words, pronoun=pronoun)
    return merged


def find_resolutions(parts: Iterable[Part]) -> Resolutions:
    """Return the pronouns that the response resolves, by its answers or otherwise by its entities."""
    resolutions = Resolutions()
    for doc, codes in parts:
        for mention, target, wanted in (
            _read_answers(doc) if _has_attribute(doc, "antecedent") else _derive_answers(doc)
        ):
            words = words_of(mention, codes)
            resolutions.steps.setdefault(words, None if target is None else words_of(target, codes))
            if wanted:
                resolutions.tried.add(words)
    return resolutions


Step = tuple[Mention, Mention | None, bool]
"""A pronoun, its antecedent, and whether it is to be resolved."""


def _read_answers(doc: Document) -> Iterator[Step]:
    mentions = [mention for entity in doc.entities for mention in entity.mentions]
    by_name = {_name_nodes(mention): mention for mention in reversed(mentions)}
    by_name |= {mention.attributes["id"]: mention for mention in reversed(mentions) if "id" in mention.attributes}
    for mention in mentions:
        name = mention.attributes.get("antecedent")
        if name is not None:
            yield mention, by_name.get(name), True


def _name_nodes(mention: Mention) -> str:
    """Return the first and the last node of a mention, its name in tasks 3 and 4."""
    ends = (mention.layer[position].misc_values.get("Node", "") for position in (mention.start, mention.end - 1))
    return "-".join(ends)


def _derive_answers(doc: Document) -> Iterator[Step]:
    given = _has_attribute(doc, "anaphoric")
    for _, mentions in _entities(doc):
        for mention in filter(_is_pronominal, mentions):
            before = antecedent(mention, mentions)
            target = before or _find_following(mention, mentions)
            if target is not None:
                yield mention, target, _is_to_resolve(mention, before, given=given)


def _find_following(mention: Mention, mentions: list[Mention]) -> Mention | None:
    return next((other for other in mentions if other.start >= mention.end and not _is_pronominal(other)), None)


def _entities(doc: Document) -> Iterator[tuple[str, list[Mention]]]:
    for entity in doc.entities:
        yield entity.id, sorted(entity.mentions, key=mention_order)


def _is_pronominal(mention: Mention) -> bool:
    return is_pronoun(mention) or mention.attributes.get("anaphoric") == "yes"


def _is_to_resolve(pronoun: Mention, before: Mention | None, *, given: bool) -> bool:
    return pronoun.attributes.get("anaphoric") == "yes" if given else before is not None


def _has_attribute(doc: Document, attribute: str) -> bool:
    return any(attribute in mention.attributes for entity in doc.entities for mention in entity.mentions)


def count_success(alignment: Alignment) -> Counts:
    """Count the scores of all pronouns of the key, and their number."""
    worth, wanted, _ = _sums(alignment)
    return Counts((worth, wanted, worth, wanted))


def count_antecedents(alignment: Alignment) -> Counts:
    """Count the scores of all pronouns of the key, their number, and the number that the response resolves."""
    worth, wanted, tried = _sums(alignment)
    return Counts((worth, wanted, worth, tried))


def _sums(alignment: Alignment) -> tuple[float, int, int]:
    resolutions = find_resolutions(alignment.response.parts)
    judge = _Judge(alignment, resolutions)
    entities = find_entities(alignment.key.parts)
    worth = sum(judge.score(pronoun, entity) for pronoun, entity in entities.items())
    return worth, len(entities), len(resolutions.tried)


class _Judge:
    """Scores the resolutions of the response."""

    def __init__(self, alignment: Alignment, resolutions: Resolutions) -> None:
        self.weighted = alignment.weighted
        self.steps = resolutions.steps
        self.tried = resolutions.tried
        words = alignment.key.table.words
        partners = ((k, alignment.partner(k)) for k in alignment.found_key)
        self.to_response = {words[k]: words[r] for k, r in partners if r is not None}
        self.to_key = {response: key for key, response in self.to_response.items()}

    def score(self, pronoun: Words, entity: EntityWords) -> float:
        """Return the score of the resolution of a pronoun of the key."""
        own = pronoun if self.weighted else self.to_response.get(pronoun, pronoun)
        closest = self._find_closest(self.steps.get(own), entity, pronoun) if own in self.tried else None
        if closest is None:
            return 0.0
        target, weight = closest
        return weight if self._leads_on(own, target, entity) else weight / 2

    def _leads_on(self, start: Words, target: Words, entity: EntityWords) -> bool:
        """Return whether following the resolutions ends at a mention that is not a pronoun."""
        here = self.steps[start]
        seen = {start}
        while entity.is_pronoun[target]:
            if here is None or here in seen:
                return False
            seen.add(here)
            here = self.steps.get(here)
            closest = self._find_closest(here, entity, target)
            if closest is None:
                return False
            target = closest[0]
        return True

    def _find_closest(self, response: Words | None, entity: EntityWords, but: Words) -> tuple[Words, float] | None:
        """Return the mention of an entity, except one, that a response mention overlaps most, and the overlap."""
        if response is None:
            return None
        weights = {
            words: self._weigh(words, response) for words in self._find_candidates(response, entity) if words != but
        }
        best = max(sorted(weights), key=lambda words: (weights[words], not entity.is_pronoun[words]), default=None)
        return None if best is None or not weights[best] else (best, weights[best])

    def _find_candidates(self, response: Words, entity: EntityWords) -> Iterable[Words]:
        if self.weighted:
            return {words for word in response for words in entity.with_word.get(word, ())}
        meant = self.to_key.get(response, response)
        return (meant,) if meant in entity.is_pronoun else ()

    def _weigh(self, key: Words, response: Words) -> float:
        return overlap(key, response) if self.weighted else float(self.to_response.get(key, key) == response)


SUCCESS = Metric("success", "success rate", count_success)
ANTECEDENT = Metric("antecedent", "antecedents of pronouns", count_antecedents)
