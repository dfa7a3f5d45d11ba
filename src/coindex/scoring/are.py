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
  pronoun.
- *The response's pronoun is the key's* if it has the same words; only antecedents may overlap in part.
- *The key's mention* is any of the pronoun's entity but the pronoun itself, also one that follows. Of those that
  overlap equally it is one that is no pronoun, then the first.
- *A pronoun*, to decide between 1 and 0.5, is what the key has for one (also by `anaphoric`). "No non-pronominal
  element in the chain" is read as the chain of resolutions, as in task 1: the pronoun leads nowhere.
- Under another matching than overlap an antecedent counts as found where the two mentions match, and then in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..document import Document, Mention, mention_order
from ..document.pronouns import antecedent, is_pronoun
from .alignment import Alignment
from .counts import Counts
from .metric import Metric
from .overlap import overlap
from .sides import Part
from .words import Codes, Words, words_of

Answers = dict[Words, Words | None]
"""The pronouns that are resolved, each with its antecedent; None where that is nothing in the text."""
Weigh = Callable[[Words, Words], float]
"""How much of a key mention a response mention is."""


def count_success(alignment: Alignment) -> Counts:
    """What all pronouns of the key are worth, of their number."""
    score, wanted, _ = _resolved(alignment)
    return Counts((score, wanted, score, wanted))


def count_antecedents(alignment: Alignment) -> Counts:
    """What all pronouns of the key are worth, of their number and of the number that the response resolves."""
    score, wanted, tried = _resolved(alignment)
    return Counts((score, wanted, score, tried))


def _resolved(alignment: Alignment) -> tuple[float, int, int]:
    spans = alignment.key.table.words
    partners = ((k, alignment.partner(k)) for k in alignment.found_key)
    matched = {spans[k]: spans[r] for k, r in partners if r is not None}

    def match(key: Words, response: Words) -> float:
        return float(matched.get(key, key) == response)

    weigh: Weigh = overlap if alignment.weighted else match
    own = {} if alignment.weighted else matched
    answers: Answers = {}
    for words, found in _answers(alignment.response.parts):
        answers.setdefault(words, found)
    pronouns = list(_pronouns(alignment.key.parts))
    score = sum(_worth(own.get(p.words, p.words), p, answers, weigh) for p in pronouns)
    return score, len(pronouns), len(answers)


@dataclass(frozen=True, slots=True)
class _Pronoun:
    """A pronoun to resolve, and the mentions of its entity with whether they are pronouns."""

    words: Words
    chain: dict[Words, bool]


def _worth(start: Words, pronoun: _Pronoun, answers: Answers, weigh: Weigh) -> float:
    """What the resolution of a pronoun is worth; `start` are the words that it has in the response."""
    found = _closest(answers.get(start), pronoun, pronoun.words, weigh)
    if found is None:
        return 0.0
    target, weight = found
    return weight if _leads_on(start, target, pronoun, answers, weigh) else weight / 2


def _leads_on(start: Words, target: Words, pronoun: _Pronoun, answers: Answers, weigh: Weigh) -> bool:
    """Whether resolution after resolution ends at a mention that is no pronoun."""
    seen = {start}
    here = answers[start]
    while pronoun.chain[target]:
        if here is None or here in seen:
            return False
        seen.add(here)
        here = answers.get(here)
        found = _closest(here, pronoun, target, weigh)
        if found is None:
            return False
        target = found[0]
    return True


def _closest(response: Words | None, pronoun: _Pronoun, but: Words, weigh: Weigh) -> tuple[Words, float] | None:
    """The mention of the pronoun's entity that a response mention stands for, and how much of it that is."""
    if response is None:
        return None
    weights = {words: weigh(words, response) for words in pronoun.chain if words != but}
    best = max(weights, key=lambda words: (weights[words], not pronoun.chain[words]), default=None)
    return (best, weights[best]) if best is not None and weights[best] else None


def _pronouns(parts: Iterable[Part]) -> Iterator[_Pronoun]:
    """The pronouns to resolve in the key, each once."""
    chains: dict[Words, dict[Words, bool]] = {}
    for chain, wanted in _chains(parts):
        for words in wanted:
            chains.setdefault(words, {}).update(chain)
    for words, chain in chains.items():
        yield _Pronoun(words, dict(sorted(chain.items())))


def _chains(parts: Iterable[Part]) -> Iterator[tuple[dict[Words, bool], list[Words]]]:
    """The entities of the key: their mentions with whether they are pronouns, and which are to be resolved."""
    shared: dict[str, tuple[dict[Words, bool], list[Words]]] = {}
    for doc, codes in parts:
        given = _says(doc, "anaphoric")
        for entity in doc.entities:
            chain, wanted = shared.setdefault(entity.id, ({}, [])) if doc.shared_ids else ({}, [])
            mentions = sorted(entity.mentions, key=mention_order)
            for mention in mentions:
                words = words_of(mention, codes)
                chain[words] = is_pronoun(mention) or mention.attributes.get("anaphoric") == "yes"
                if _is_to_resolve(mention, mentions, given=given):
                    wanted.append(words)
            if not doc.shared_ids:
                yield chain, wanted
    yield from shared.values()


def _is_to_resolve(mention: Mention, chain: list[Mention], *, given: bool) -> bool:
    if given:
        return mention.attributes.get("anaphoric") == "yes"
    return is_pronoun(mention) and antecedent(mention, chain) is not None


def _says(doc: Document, attribute: str) -> bool:
    return any(attribute in mention.attributes for entity in doc.entities for mention in entity.mentions)


def _answers(parts: Iterable[Part]) -> Iterator[tuple[Words, Words | None]]:
    """The pronouns that the response resolves, with their antecedents."""
    for doc, codes in parts:
        if _says(doc, "antecedent"):
            yield from _named(doc, codes)
            continue
        given = _says(doc, "anaphoric")
        for entity in doc.entities:
            mentions = sorted(entity.mentions, key=mention_order)
            for mention in mentions:
                if _is_to_resolve(mention, mentions, given=given):
                    found = antecedent(mention, mentions)
                    if found is not None:
                        yield words_of(mention, codes), words_of(found, codes)


def _named(doc: Document, codes: Codes) -> Iterator[tuple[Words, Words | None]]:
    mentions = [mention for entity in doc.entities for mention in entity.mentions]
    by_name = {_nodes(mention): mention for mention in reversed(mentions)}
    by_name |= {mention.attributes["id"]: mention for mention in reversed(mentions) if "id" in mention.attributes}
    for mention in mentions:
        said = mention.attributes.get("antecedent")
        if said is not None:
            found = by_name.get(said)
            yield words_of(mention, codes), None if found is None else words_of(found, codes)


def _nodes(mention: Mention) -> str:
    """The first and the last node of a mention, as tasks 3 and 4 name it."""
    ends = (mention.layer[position].misc_values.get("Node", "") for position in (mention.start, mention.end - 1))
    return "-".join(ends)


SUCCESS = Metric("success", "success rate", count_success)
ANTECEDENT = Metric("antecedent", "antecedents of pronouns", count_antecedents)
