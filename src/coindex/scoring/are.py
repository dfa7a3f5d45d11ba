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

from collections.abc import Iterable

from .alignment import Alignment
from .counts import Counts
from .metric import Metric
from .overlap import overlap
from .resolutions import Chain, Resolutions, find_chains, find_resolutions
from .words import Words


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
