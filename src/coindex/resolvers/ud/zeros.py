"""Find dropped subjects and write them as empty nodes.

Predicates without a subject are found in the tree. The probability of a dropped subject was learned from corpora with
annotated zeros (`coindex.training.ud.run`), by features of the predicate. In a language without training data,
pronouns are dropped if most of the verbs without a subject are inflected for person.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...document import Document, Entity, Mention, Multiword, Token, Tokens
from ...document.heads import Trees
from ...errors import CoindexError
from ...formats.surface import without_zeros
from ..linguistics.languages import language_of

SUBJECTS = ("nsubj", "csubj")
AUXILIARIES = ("aux", "cop")
INFLECTION = ("Person", "Number", "Gender")
USED_FEATURES = ("Person", "Number", "Mood", "VerbForm", "Tense", "Voice")
"""Features of the inflected word that the model uses."""
COMPLEMENTS = ("obj", "iobj", "ccomp", "xcomp", "mark", "advmod", "obl")
"""Relations of dependents that the model uses."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A verb, or a word with a copula, by its position; `features` are the names of its features."""

    position: int
    copula: int | None
    inflection: Mapping[str, str]
    """Person, Number and Gender, of the verb or of its auxiliaries."""
    passive: bool
    features: tuple[str, ...]


def base(deprel: str) -> str:
    """Return the universal part of a relation."""
    return deprel.partition(":")[0]


def open_predicates(doc: Document, trees: Trees) -> list[Predicate]:
    """Return the predicates without an overt subject, in order."""
    tokens = doc.tokens
    subjects = [False] * len(tokens)
    for position, parent in enumerate(trees.parents):
        if parent is not None and not tokens[position].is_empty and base(tokens[position].deprel) in SUBJECTS:
            subjects[parent] = True
    return [
        _predicate(tokens, trees, position, subjects, persons)
        for sentence in doc.sentences
        for persons in [_persons(doc, sentence.start, sentence.end)]
        for position in range(sentence.start, sentence.end)
        if not subjects[position] and not tokens[position].is_empty and _is_predicate(tokens, trees, position)
    ]


def _persons(doc: Document, start: int, end: int) -> Counter[str]:
    """Count the words of a sentence by person; reflexives are counted separately."""
    persons: Counter[str] = Counter()
    for token in doc.tokens[start:end]:
        if not token.is_empty:
            if "Reflex=Yes" in token.feats:
                persons["reflexive"] += 1
            elif "Person=" in token.feats:
                persons[token.features.get("Person", "")] += 1
    return persons


def _is_predicate(tokens: Sequence[Token], trees: Trees, position: int) -> bool:
    token = tokens[position]
    if base(token.deprel) in AUXILIARIES:
        return False
    return token.upos in ("VERB", "AUX") or any(base(tokens[c].deprel) == "cop" for c in trees.children[position])


def _predicate(
    tokens: Sequence[Token], trees: Trees, position: int, subjects: Sequence[bool], persons: Counter[str]
) -> Predicate:
    token, children = tokens[position], trees.children[position]
    helpers = [child for child in children if base(tokens[child].deprel) in AUXILIARIES]
    copula = next((child for child in helpers if base(tokens[child].deprel) == "cop"), None)
    carriers = [token.features, *(tokens[helper].features for helper in helpers)]
    if copula is not None:  # the noun's own number and gender are not those of the subject
        carriers = [*carriers[1:], {"Gender": carriers[0].get("Gender", "")} if token.upos == "ADJ" else {}]
    carriers.sort(key=lambda feats: "Person" not in feats)
    inflected = {name: _first(carriers, name) for name in (*INFLECTION, *USED_FEATURES)}
    rels = [tokens[child].deprel for child in children]
    features = [
        "any",
        *(f"{name}={value}" for name, value in inflected.items() if value and name in USED_FEATURES),
        f"Person={inflected['Person'] or '-'} {inflected['VerbForm'] or '-'}",
        f"own {token.features.get('VerbForm', token.upos)} {'helped' if helpers else 'alone'}",
        f"rel={base(token.deprel)}",
        f"rel={token.deprel}",
        f"rel={base(token.deprel)} {'finite' if inflected['Person'] else 'open'}",
        *(f"has {rel}" for rel in dict.fromkeys(map(base, rels)) if rel in COMPLEMENTS),
        *(f"has {rel}" for rel in dict.fromkeys(rels) if base(rel) in ("expl", "aux", "cop")),
        *(f"mark={tokens[child].lemma.lower()}" for child in children if tokens[child].deprel == "mark"),
        *_coordination(tokens, trees, position, subjects),
        *_others(inflected["Person"], sum("Person" in feats for feats in carriers), persons),
        f"lemma={token.lemma.lower()}",
        *([f"cop lemma={tokens[copula].lemma.lower()}"] if copula is not None else ()),
    ]
    inflection = {name: inflected[name] for name in INFLECTION if inflected[name]}
    passive = inflected["Voice"] == "Pass" or any(rel.startswith(("aux:pass", "expl:pass")) for rel in rels)
    return Predicate(position, copula, inflection, passive, tuple(dict.fromkeys(features)))


def _first(carriers: Sequence[Mapping[str, str]], name: str) -> str:
    return next((feats[name] for feats in carriers if feats.get(name)), "")


def _others(person: str, own: int, persons: Counter[str]) -> Iterator[str]:
    """Yield whether the person occurs elsewhere in the sentence, because some corpora annotate only linked zeros."""
    yield f"Person={person or '-'} {'again' if persons[person or '3'] > own else 'once'}"
    if persons["reflexive"]:
        yield "reflexive"


def _coordination(tokens: Sequence[Token], trees: Trees, position: int, subjects: Sequence[bool]) -> Iterator[str]:
    """Yield features of a subject shared with the governing predicate: "she came and went"."""
    parent = trees.parents[position]
    if parent is None:
        return
    rel = base(tokens[position].deprel)
    yield f"{rel} under {'a subject' if subjects[parent] else 'none'}"
    if rel == "conj":
        agree = all(
            tokens[position].features.get(name) == tokens[parent].features.get(name) for name in ("Person", "Number")
        )
        yield f"conj {'agrees' if agree else 'differs'} {'subject' if subjects[parent] else 'none'}"


Resolve = Callable[[Document], Document]


@dataclass(frozen=True, slots=True)
class Node:
    """An empty node to insert before or after a word of its sentence; it gets its number then."""

    token: Token
    before: int | None = None
    after: int | None = None


def insert_nodes(doc: Document, nodes: Sequence[Node]) -> Document:
    """Return the document with the nodes, which are inserted after existing nodes.

    A mention that contains the words on both sides of a node also gets the node.
    """
    if not nodes:
        return doc
    starts = {sentence.start for sentence in doc.sentences}
    first, following = _places(nodes, starts)
    tokens: list[Token] = []
    new: list[int] = []
    for position, token in enumerate(doc.tokens):
        tokens += _number_nodes("0", 0, first.get(position, ()))
        new.append(len(tokens))
        tokens.append(token)
        word, _, number = token.id.partition(".")
        tokens += _number_nodes(word, int(number) if number.isdecimal() else 0, following.get(position, ()))
    starts_of_added = [position - len(first.get(old, ())) for old, position in enumerate(new)]
    layer = Tokens(tokens, multiwords=_multiwords(doc, new), prefix=doc.tokens.prefix)
    sentences = tuple(
        replace(
            sentence,
            layer=layer,
            start=starts_of_added[sentence.start] if sentence.start < len(new) else len(tokens),
            end=starts_of_added[sentence.end] if sentence.end < len(new) else len(tokens),
        )
        for sentence in doc.sentences
    )
    return with_positions(doc.replace(tokens=layer, sentences=sentences, origin=None), doc, layer, new)


def _places(nodes: Sequence[Node], starts: set[int]) -> tuple[dict[int, list[Token]], dict[int, list[Token]]]:
    """Return the nodes at the beginning of sentences, and those after words."""
    first: defaultdict[int, list[Token]] = defaultdict(list)
    following: defaultdict[int, list[Token]] = defaultdict(list)
    for node in nodes:
        if node.before is not None and node.before in starts:
            first[node.before].append(node.token)
        else:
            place = node.after if node.before is None else node.before - 1
            assert place is not None, "a node goes before or after a word"
            following[place].append(node.token)
    return first, following


def _number_nodes(word: str, last: int, nodes: Sequence[Token]) -> list[Token]:
    return [node._replace(id=f"{word}.{number}") for number, node in enumerate(nodes, last + 1)]


def _multiwords(doc: Document, new: Sequence[int]) -> list[Multiword]:
    return [
        replace(multiword, start=new[multiword.start], end=new[multiword.end - 1] + 1)
        for multiword in doc.tokens.multiwords
    ]


def with_positions(target: Document, doc: Document, layer: Tokens, new: Sequence[int]) -> Document:
    """Return `target` with the entities and relations of `doc`, whose positions are mapped by `new` to the layer."""
    empty = layer.empty_positions

    def move(mention: Mention) -> Mention:
        positions = [new[position] for position in mention.positions]
        if len(positions) < positions[-1] - positions[0] + 1:
            positions = _close_gaps(positions, empty)
        head = None if mention.head is None else new[mention.head]
        return Mention(layer, tuple(positions), head, mention.attributes)

    return target.replace(
        entities=tuple(
            Entity(entity.id, tuple(map(move, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=tuple(replace(bridge, anaphor=move(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(split, anaphor=move(split.anaphor)) for split in doc.split_antecedents),
    )


def _close_gaps(positions: Sequence[int], empty: frozenset[int]) -> list[int]:
    """Return the positions with gaps of only empty nodes filled."""
    filled = [positions[0]]
    for position in positions[1:]:
        between = range(filled[-1] + 1, position)
        if all(between_position in empty for between_position in between):
            filled += between
        filled.append(position)
    return filled


def ignore_nodes(resolve: Resolve) -> Resolve:
    """Return a resolver that ignores empty nodes, which stay in the document."""

    def step(doc: Document) -> Document:
        empty = doc.tokens.empty_positions
        if not empty:
            return resolve(doc)
        words = [position for position in range(len(doc.tokens)) if position not in empty]
        return with_positions(doc, resolve(without_zeros(doc)), doc.tokens, words)

    return step


Zeros = Literal["predict", "given", "ignore"]
ZEROS: dict[Zeros, str] = {
    "predict": "use the empty nodes of the input; if it has none, predict dropped subjects",
    "given": "use only the empty nodes of the input",
    "ignore": "ignore empty nodes",
}
Place = Literal["before the verb", "before the group", "after the verb"]
LEAST_VERBS = 2
"""Minimum number of verbs inflected for person to decide whether a language drops pronouns."""
DROPPED = 1
"""Minimum ratio of verbs without a subject to pronoun subjects in such a language; 0.1 in French and English."""
CLITICS = ("expl", "obj", "iobj", "aux", "cop")
"""Relations of the function words before a verb that belong to its group."""


@dataclass(frozen=True, slots=True)
class Habit:
    """The conventions of the corpora of a language: whether subjects are dropped, and how zeros are annotated."""

    drops: bool = True
    least: float = 0.5
    """Lowest probability of a predicted zero."""
    place: Place = "before the verb"
    on_copula: bool = False
    """Whether a zero depends on the copula instead of the predicate."""
    features: bool = True
    """Whether zeros have the features of a pronoun."""
    forms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Form and lemma of a zero by person, number and gender ("1 Sing")."""


UNSEEN = Habit(least=0.2)
"""The conventions for languages without training data, whose probabilities are lower without own weights."""


@dataclass(frozen=True, slots=True)
class ZeroTable:
    """The learned weights of a logistic regression by feature, and the conventions by language."""

    weights: Mapping[str, float]
    habits: Mapping[str, Habit]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ZeroTable:
        """Return the table from the description of a model."""
        try:
            habits = {
                code: Habit(**habit | {"forms": {key: tuple(pair) for key, pair in habit.get("forms", {}).items()}})
                for code, habit in data["languages"].items()
            }
            return cls({name: float(weight) for name, weight in data["weights"].items()}, habits)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise CoindexError(
                f"invalid zero table in the model ({error}); expected weights and languages, as `coindex train` writes "
                "them; train the model again, or choose --zeros given",
                code="invalid-model",
            ) from error

    def probability(self, predicate: Predicate, code: str) -> float:
        """Return the probability that the predicate has a dropped subject."""
        total = sum(self.weights.get(name, 0.0) for name in predicate.features)
        if code in self.habits:
            total += sum(self.weights.get(f"{code}:{name}", 0.0) for name in predicate.features)
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))


def predict_zeros(doc: Document, table: ZeroTable) -> Document:
    """Return the document with an empty node for each dropped subject.

    A document that already has zeros, or whose language does not drop pronouns, is returned unchanged.
    """
    if has_zeros(doc):
        return doc
    trees = Trees(doc)
    if not trees.has_trees or len(trees.parents) != len(doc.tokens):
        return doc
    code = language_of(doc).code
    habit = table.habits.get(code)
    if habit is not None and not habit.drops:
        return doc
    predicates = open_predicates(doc, trees)
    if habit is None:
        if not drops_pronouns(doc, trees, predicates):
            return doc
        habit = UNSEEN
        predicates = [predicate for predicate in predicates if "Person" in predicate.inflection]
    chosen = [predicate for predicate in predicates if table.probability(predicate, code) >= habit.least]
    return insert_nodes(doc, list(map(_Writer(doc, trees, habit).node, chosen)))


def has_zeros(doc: Document) -> bool:
    """Return whether some empty node can be an argument, other than copied predicates of enhanced graphs."""
    return any(token.upos not in ("VERB", "AUX") for token in doc.tokens.empty_tokens.values())


def drops_pronouns(doc: Document, trees: Trees, predicates: Sequence[Predicate]) -> bool:
    """Return whether most verbs are inflected for person and have no pronoun."""
    bare = sum(
        "Person" in predicate.inflection and _stands_alone(doc.tokens[predicate.position]) for predicate in predicates
    )
    pronouns = sum(
        token.upos == "PRON" and base(token.deprel) == "nsubj" and "Rel" not in token.feats for token in doc.tokens
    )
    return bare >= LEAST_VERBS and bare >= DROPPED * pronouns


def _stands_alone(token: Token) -> bool:
    """Return whether the verb is not an imperative and cannot share the subject of another verb."""
    return base(token.deprel) not in ("conj", "xcomp") and "Mood=Imp" not in token.feats


class _Writer:
    """Creates empty nodes that follow the conventions of the language."""

    def __init__(self, doc: Document, trees: Trees, habit: Habit) -> None:
        self.doc, self.trees, self.habit = doc, trees, habit
        self.inside = {
            at: multiword for multiword in doc.tokens.multiwords for at in range(multiword.start, multiword.end)
        }

    def node(self, predicate: Predicate) -> Node:
        doc, habit = self.doc, self.habit
        governor = predicate.copula if habit.on_copula and predicate.copula is not None else predicate.position
        relation = "nsubj:pass" if predicate.passive and habit.features else "nsubj"
        form, lemma = _form(predicate, habit)
        feats = _feats(predicate) if habit.features else "_"
        token = Token("", form, lemma, "PRON", feats=feats, deps=f"{doc.tokens[governor].id}:{relation}")
        if habit.place == "after the verb":
            last = self.inside[governor].end - 1 if governor in self.inside else governor
            return Node(token, after=last)
        at = governor if habit.place == "before the verb" else _group_start(doc, self.trees, predicate)
        return Node(token, before=self.inside[at].start if at in self.inside else at)


def _form(predicate: Predicate, habit: Habit) -> tuple[str, str]:
    values = [predicate.inflection.get(name, "") for name in ("Person", "Number", "Gender")]
    for many in (3, 2, 1, 0):
        pair = habit.forms.get(" ".join(value or "-" for value in values[:many]))
        if pair is not None:
            return pair
    return "_", "_"


def _feats(predicate: Predicate) -> str:
    return "|".join(sorted(["Case=Nom", "PronType=Prs", *(f"{k}={v}" for k, v in predicate.inflection.items())]))


def _group_start(doc: Document, trees: Trees, predicate: Predicate) -> int:
    """Return the first of the clitics, auxiliaries and negations directly before the verb."""
    at = predicate.position
    first = doc.sentence_at(at).start
    while at > first and trees.parents[at - 1] == predicate.position and _is_small(doc.tokens[at - 1]):
        at -= 1
    return at


def _is_small(token: Token) -> bool:
    rel = base(token.deprel)
    if rel == "advmod":
        return "Polarity=Neg" in token.feats
    return rel in CLITICS and token.upos in ("PRON", "AUX")
