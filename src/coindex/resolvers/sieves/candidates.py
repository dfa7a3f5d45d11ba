"""Mention candidates of the sieves: words, head, kind, person, number, gender, animacy; and the speakers of a document.

Number, gender and animacy are bit masks of the possible values, so that agreement is a single `&`, and the values of a
group of mentions are the `&` of their values.

Every position has a voice: a speaker given by the format, a quotation, or the text itself. First-person mentions with
the same voice refer to the same person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...document import Document, Mention
from ...document.documents import addressee_of
from ...document.tokens import Token
from ..linguistics.languages import Language
from ..linguistics.word_classes import ZERO_RELATIONS

NONE = -1
"""The position of a missing word."""
MANY = 100
"""Maximum number of children of a word that are considered, which limits the run time on broken trees."""
Features = dict[str, str]


class TreeColumns:
    """The columns of a document as lists, including empty nodes, which are attached by DEPS or to the preceding word.

    Invalid trees are repaired: parents outside of the sentence are ignored, and words in cycles have no parent.
    """

    def __init__(self, doc: Document, language: Language) -> None:
        self.language = language
        self.size = len(doc.tokens)
        tokens = doc.tokens[:]
        self.forms = [token.form for token in tokens]
        self.lower = [form.lower() for form in self.forms]
        self.lemmas = [
            low if token.lemma == "_" else token.lemma.lower() for token, low in zip(tokens, self.lower, strict=True)
        ]
        self.upos = [token.upos for token in tokens]
        self.features = [features_of(token.feats) for token in tokens]
        self.has_articles = any(features.get("PronType") == "Art" for features in self.features)
        self.empty = doc.tokens.empty_positions
        self.relations = ["_"] * self.size
        self.parents = [NONE] * self.size
        self.sentences = [0] * self.size
        self.starts = [sentence.start for sentence in doc.sentences] or [0]
        self.ends = [sentence.end for sentence in doc.sentences] or [self.size]
        for number, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            self._attach(tokens[start:end], start)
            self.sentences[start:end] = [number] * (end - start)
        self.bases = [relation.partition(":")[0] for relation in self.relations]
        self.children: list[list[int]] = [[] for _ in range(self.size)]
        for position, parent in enumerate(self.parents):
            if parent != NONE:
                self.children[parent].append(position)
        self.left = list(range(self.size))
        self.right = list(range(self.size))
        self._measure()

    def _attach(self, tokens: tuple[Token, ...], start: int) -> None:
        """Set the parents and relations of a sentence."""
        where = {token.id: start + offset for offset, token in enumerate(tokens)}
        last = NONE
        for position, token in enumerate(tokens, start):
            if token.is_empty:
                parent, relation = empty_parent(token, where, last)
            else:
                parent, relation = where.get(token.head, NONE), token.deprel
                last = position
            self.parents[position] = NONE if parent == position else parent
            self.relations[position] = relation

    def _measure(self) -> None:
        """Compute the first and last word of each subtree, from the leaves up."""
        order = [position for position, parent in enumerate(self.parents) if parent == NONE]
        for position in order:
            order += self.children[position]
        for position in reversed(order):
            parent = self.parents[position]
            if parent != NONE:
                self.left[parent] = min(self.left[parent], self.left[position])
                self.right[parent] = max(self.right[parent], self.right[position])

    def child(self, position: int, *bases: str) -> int:
        """Return the first child with one of these relations, or NONE."""
        for child in self.children[position][:MANY]:
            if self.bases[child] in bases:
                return child
        return NONE

    def has(self, position: int, *bases: str) -> bool:
        """Return whether a word has a child with one of these relations."""
        return self.child(position, *bases) != NONE


@lru_cache(maxsize=1 << 16)
def features_of(column: str) -> Features:
    """Return the FEATS column as a dictionary, which is shared between words and must not be changed."""
    if column in ("_", ""):
        return {}
    return {name: value for name, _, value in (pair.partition("=") for pair in column.split("|"))}


def empty_parent(token: Token, where: dict[str, int], last: int) -> tuple[int, str]:
    """Return the parent of an empty node by DEPS, or otherwise the preceding word."""
    for item in token.deps.split("|"):
        parent, _, relation = item.partition(":")
        if parent in where:
            return where[parent], relation
    return last, ZERO_RELATIONS.get(token.form, "dep")


SING, PLUR = 1, 2
MASC, FEM, NEUT = 1, 2, 4
PERSON, THING = 1, 2
ANY_NUMBER, ANY_GENDER, ANY_ANIMACY = 3, 7, 3

NUMBERS: Mapping[str, int] = {"Sing": SING, "Plur": PLUR, "Dual": PLUR, "Ptan": ANY_NUMBER, "Coll": ANY_NUMBER}
GENDERS: Mapping[str, int] = {
    "Masc": MASC,
    "Fem": FEM,
    "Neut": NEUT,
    "Com": MASC | FEM,
    "Masc,Neut": MASC | NEUT,
    "Fem,Masc": MASC | FEM,
    "Fem,Neut": FEM | NEUT,
}
ANIMACIES: Mapping[str, int] = {"Anim": PERSON, "Hum": PERSON, "Inan": THING, "Nhum": ANY_ANIMACY}


class Candidate:
    """A mention. `kind` is zero, pronoun, name, noun or clause; `type` is the PronType of a pronoun."""

    __slots__ = (
        "animacy",
        "by",
        "definite",
        "end",
        "entity",
        "gender",
        "head",
        "index",
        "kind",
        "lemma",
        "mention",
        "modifiers",
        "name",
        "number",
        "optional",
        "person",
        "possessive",
        "reflexive",
        "sentence",
        "start",
        "text",
        "type",
        "whole",
    )

    def __init__(self, start: int, end: int, head: int) -> None:
        self.start = start
        self.end = end
        self.head = head
        self.index = -1
        self.sentence = -1
        self.kind = "noun"
        self.type = ""
        self.person = 3
        """1, 2 or 3; 0 for a zero of unknown person."""
        self.number = ANY_NUMBER
        self.gender = ANY_GENDER
        self.animacy = ANY_ANIMACY
        self.definite = ""
        """The kind of determiner: def, dem, poss, indef, neg, quant, num or ""."""
        self.lemma = ""
        self.text = ""
        """The words in lower case without articles, to compare."""
        self.modifiers: frozenset[str] = frozenset()
        """The content words beside the head."""
        self.name: tuple[str, ...] = ()
        """The words of a proper name without titles."""
        self.possessive = False
        self.reflexive = False
        self.whole = False
        """Whether this is a coordination as a whole."""
        self.optional = False
        """Whether it is a mention only if it is linked."""
        self.entity = -1
        self.by = ""
        self.mention: Mention | None = None

    @property
    def is_pronoun(self) -> bool:
        return self.kind in ("pronoun", "zero")

    @property
    def is_relative(self) -> bool:
        return self.type.endswith("Rel")  # "Rel", or "Int,Rel" for a form that can be both

    def __repr__(self) -> str:
        return f"<Candidate {self.kind} {self.text!r} {self.start}-{self.end}>"


OPENING = frozenset("“«„‟")
CLOSING = frozenset("”»")
STRAIGHT = frozenset(('"', "``", "''"))
LONGEST = 12
"""Maximum number of sentences of a quotation; a longer one is an unmatched quotation mark."""


@dataclass(slots=True)
class ReportedSpeech:
    """The words between quotation marks; `speech_verb` is the verb of speech that they belong to."""

    start: int
    end: int
    speech_verb: int = NONE


class Voices:
    """The voice of each position: the name of a speaker, the number of a quotation, or the text."""

    def __init__(self, doc: Document, words: TreeColumns) -> None:
        self.words = words
        self.speakers = [sentence.speaker or "" for sentence in doc.sentences] or [""]
        self.addressees = [addressee_of(sentence) or "" for sentence in doc.sentences] or [""]
        self.names = {name for name in self.speakers if name}
        if len(self.names) == 2:
            first, two = self.names
            other = {first: two, two: first}
            self.addressees = [
                heard or other.get(name, "") for heard, name in zip(self.addressees, self.speakers, strict=True)
            ]
        self.quotations = list(find_quotations(words))
        self.quoted = [NONE] * words.size
        for number, quotation in enumerate(self.quotations):
            quotation.speech_verb = find_speech_verb(words, quotation)
            self.quoted[quotation.start : quotation.end] = [number] * (quotation.end - quotation.start)

    def at(self, position: int) -> str:
        """Return the voice at a position."""
        quotation = self.quoted[position]
        speaker = self.speakers[self.words.sentences[position]]
        return speaker if quotation == NONE else f"{speaker}\n{quotation}"

    def addressee(self, position: int) -> str:
        """Return the voice of the addressee at a position, or "" if it is unknown."""
        return self.addressees[self.words.sentences[position]] if self.quoted[position] == NONE else ""


def find_quotations(words: TreeColumns) -> list[ReportedSpeech]:
    """Return the quotations; nested ones belong to the outer one."""
    quotations = []
    start = NONE
    for at, form in enumerate(words.forms):
        if start != NONE and words.sentences[at] - words.sentences[start] > LONGEST:
            start = NONE
        if start == NONE:
            if form in OPENING or form in STRAIGHT:
                start = at
        elif form in CLOSING or form in STRAIGHT:
            if at - start > 2:
                quotations.append(ReportedSpeech(start + 1, at))
            start = NONE
    return quotations


def find_speech_verb(words: TreeColumns, quotation: ReportedSpeech) -> int:
    """Return the nearest verb of speech outside of a quotation, in its first or last sentence."""
    for sentence in dict.fromkeys((words.sentences[quotation.end - 1], words.sentences[quotation.start])):
        after = range(quotation.end, min(words.ends[sentence], quotation.end + 12))
        before = range(quotation.start - 1, max(words.starts[sentence], quotation.start - 12) - 1, -1)
        for near in (after, before):
            for at in near:
                if words.upos[at] == "VERB" and words.lemmas[at] in words.language.speech:
                    return at
    return NONE
