"""ARE 2007, tasks 1 and 3 (section 3.3): pronouns resolved to any of their antecedents.

Each pronoun to resolve is worth

- 1, if it is resolved to a mention of its entity that is no pronoun, or to a pronoun from which the response's own
  resolutions lead on, all of them right, to a mention that is no pronoun;
- 0.5, if it is resolved to a pronoun of its entity from which they do not: one is wrong, missing, or they go in a
  circle;
- 0 otherwise.

Task 1, metric `success`: the sum over the number of pronouns to resolve. Recall, precision and F1 are all this rate.

Task 3, metric `antecedent`: what a pronoun is worth is multiplied by the overlap of the antecedent with the mention of
the key's entity that it overlaps most (`overlap`); recall divides the sum by the pronouns to resolve in the key,
precision by the pronouns that the response resolves. The paper gives the factor in a sentence of its own ("the score
is 1 … 0.5 … 0"); as a factor it agrees with task 1 where all overlaps are 1.

Where the paper leaves a choice open:

- *Pronouns to resolve*: those with the attribute `anaphoric` = "yes", if some mention of the document has that
  attribute; else every pronoun with an antecedent (`document.pronouns`).
- *Antecedent in the response*: what the attribute `antecedent` names, an id or the first and last node as in "26-28".
  If no mention of a document has it, chains say it: the nearest mention before that is no pronoun, else the nearest
  pronoun. From a pronoun that nothing goes before, chains lead on to the next mention that is no pronoun.
- *The response's pronoun is the key's* if it has the same words; only antecedents may overlap in part.
- *The key's mention* is any of the pronoun's entity but the pronoun itself, also one that follows. Of those that
  overlap equally it is one that is no pronoun, then the first.
- *A pronoun*, to decide between 1 and 0.5, is what the key has for one (also by `anaphoric`). "No non-pronominal
  element in the chain" is read as the chain of resolutions, as in task 1: the pronoun leads nowhere. So pronouns of an
  entity that has nothing else are worth 0.5 at best, and a key with such entities does not get 1 against itself.
- Under another matching than overlap an antecedent counts as found where the two mentions match, and then in full.
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
class Chain:
    """The mentions of an entity by their words."""

    is_pronoun: dict[Words, bool] = field(default_factory=dict)
    with_word: dict[int, list[Words]] = field(default_factory=dict)

    def add(self, words: Words, *, pronoun: bool) -> None:
        if words not in self.is_pronoun:
            for word in words:
                self.with_word.setdefault(word, []).append(words)
        self.is_pronoun[words] = pronoun


@dataclass(slots=True)
class Resolutions:
    """What a response makes of its pronouns."""

    tried: set[Words] = field(default_factory=set)
    """The pronouns that it was asked for."""
    steps: dict[Words, Words | None] = field(default_factory=dict)
    """Where a pronoun leads, asked for or not; None where that is nothing in the text."""


def find_chains(parts: Iterable[Part]) -> dict[Words, Chain]:
    """The pronouns of the key that are to be resolved, each with its entity; entities that share one are joined."""
    chains: dict[Words, Chain] = {}
    shared: dict[str, Chain] = {}
    for doc, codes in parts:
        given = _says(doc, "anaphoric")
        for id, mentions in _entities(doc):
            chain = shared.setdefault(id, Chain()) if doc.shared_ids else Chain()
            for mention in mentions:
                words = words_of(mention, codes)
                pronoun = _is_pronominal(mention)
                chain.add(words, pronoun=pronoun)
                if pronoun and _is_to_resolve(mention, antecedent(mention, mentions), given=given):
                    known = chains.setdefault(words, chain)
                    if known is not chain:
                        chains[words] = _joined(known, chain)
    return chains


def _joined(one: Chain, other: Chain) -> Chain:
    both = Chain()
    for words, pronoun in (*one.is_pronoun.items(), *other.is_pronoun.items()):
        both.add(words, pronoun=pronoun)
    return both


def find_resolutions(parts: Iterable[Part]) -> Resolutions:
    """The pronouns that the response resolves, by its answers or else by its chains."""
    found = Resolutions()
    for doc, codes in parts:
        for mention, target, asked in _answers(doc) if _says(doc, "antecedent") else _from_chains(doc):
            words = words_of(mention, codes)
            found.steps.setdefault(words, None if target is None else words_of(target, codes))
            if asked:
                found.tried.add(words)
    return found


Step = tuple[Mention, Mention | None, bool]
"""A pronoun, where it leads, and whether it was asked for."""


def _answers(doc: Document) -> Iterator[Step]:
    mentions = [mention for entity in doc.entities for mention in entity.mentions]
    by_name = {_nodes(mention): mention for mention in reversed(mentions)}
    by_name |= {mention.attributes["id"]: mention for mention in reversed(mentions) if "id" in mention.attributes}
    for mention in mentions:
        said = mention.attributes.get("antecedent")
        if said is not None:
            yield mention, by_name.get(said), True


def _nodes(mention: Mention) -> str:
    """The first and the last node of a mention, as tasks 3 and 4 name it."""
    ends = (mention.layer[position].misc_values.get("Node", "") for position in (mention.start, mention.end - 1))
    return "-".join(ends)


def _from_chains(doc: Document) -> Iterator[Step]:
    given = _says(doc, "anaphoric")
    for _, mentions in _entities(doc):
        for mention in filter(_is_pronominal, mentions):
            before = antecedent(mention, mentions)
            target = before or _following(mention, mentions)
            if target is not None:
                yield mention, target, _is_to_resolve(mention, before, given=given)


def _following(mention: Mention, chain: list[Mention]) -> Mention | None:
    return next((other for other in chain if other.start >= mention.end and not _is_pronominal(other)), None)


def _entities(doc: Document) -> Iterator[tuple[str, list[Mention]]]:
    for entity in doc.entities:
        yield entity.id, sorted(entity.mentions, key=mention_order)


def _is_pronominal(mention: Mention) -> bool:
    return is_pronoun(mention) or mention.attributes.get("anaphoric") == "yes"


def _is_to_resolve(pronoun: Mention, before: Mention | None, *, given: bool) -> bool:
    return pronoun.attributes.get("anaphoric") == "yes" if given else before is not None


def _says(doc: Document, attribute: str) -> bool:
    return any(attribute in mention.attributes for entity in doc.entities for mention in entity.mentions)


def count_success(alignment: Alignment) -> Counts:
    """What all pronouns of the key are worth, of their number."""
    worth, wanted, _ = _sums(alignment)
    return Counts((worth, wanted, worth, wanted))


def count_antecedents(alignment: Alignment) -> Counts:
    """What all pronouns of the key are worth, of their number and of the number that the response resolves."""
    worth, wanted, tried = _sums(alignment)
    return Counts((worth, wanted, worth, tried))


def _sums(alignment: Alignment) -> tuple[float, int, int]:
    resolutions = find_resolutions(alignment.response.parts)
    judge = _Judge(alignment, resolutions)
    chains = find_chains(alignment.key.parts)
    worth = sum(judge.worth(pronoun, chain) for pronoun, chain in chains.items())
    return worth, len(chains), len(resolutions.tried)


class _Judge:
    """Decides what the response's resolutions are worth."""

    def __init__(self, alignment: Alignment, resolutions: Resolutions) -> None:
        self.weighted = alignment.weighted
        self.steps = resolutions.steps
        self.tried = resolutions.tried
        words = alignment.key.table.words
        partners = ((k, alignment.partner(k)) for k in alignment.found_key)
        self.to_response = {words[k]: words[r] for k, r in partners if r is not None}
        self.to_key = {response: key for key, response in self.to_response.items()}

    def worth(self, pronoun: Words, chain: Chain) -> float:
        """What the resolution of a pronoun of the key is worth."""
        own = pronoun if self.weighted else self.to_response.get(pronoun, pronoun)
        found = self._closest(self.steps.get(own), chain, pronoun) if own in self.tried else None
        if found is None:
            return 0.0
        target, weight = found
        return weight if self._leads_on(own, target, chain) else weight / 2

    def _leads_on(self, start: Words, target: Words, chain: Chain) -> bool:
        """Whether resolution after resolution ends at a mention that is no pronoun."""
        here = self.steps[start]
        seen = {start}
        while chain.is_pronoun[target]:
            if here is None or here in seen:
                return False
            seen.add(here)
            here = self.steps.get(here)
            found = self._closest(here, chain, target)
            if found is None:
                return False
            target = found[0]
        return True

    def _closest(self, response: Words | None, chain: Chain, but: Words) -> tuple[Words, float] | None:
        """The mention of an entity, but for one, that a response mention stands for, and how much of it that is."""
        if response is None:
            return None
        weights = {words: self._weigh(words, response) for words in self._candidates(response, chain) if words != but}
        best = max(sorted(weights), key=lambda words: (weights[words], not chain.is_pronoun[words]), default=None)
        return None if best is None or not weights[best] else (best, weights[best])

    def _candidates(self, response: Words, chain: Chain) -> Iterable[Words]:
        if self.weighted:
            return {words for word in response for words in chain.with_word.get(word, ())}
        meant = self.to_key.get(response, response)
        return (meant,) if meant in chain.is_pronoun else ()

    def _weigh(self, key: Words, response: Words) -> float:
        return overlap(key, response) if self.weighted else float(self.to_response.get(key, key) == response)


SUCCESS = Metric("success", "success rate", count_success)
ANTECEDENT = Metric("antecedent", "antecedents of pronouns", count_antecedents)
