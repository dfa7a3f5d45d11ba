"""A candidate is a mention as sieves see it: its words, its head and what is known of the thing it means.

Number, gender and animacy are bit masks of what is possible, so agreement is one `&`, and what a group of mentions
knows together is the `&` of what each knows.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...document import Mention

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
    """One mention. `kind` is zero, pronoun, name, noun or clause; `type` that of a pronoun as UD's PronType says it."""

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
        """1, 2 or 3; 0 for a zero that may be any."""
        self.number = ANY_NUMBER
        self.gender = ANY_GENDER
        self.animacy = ANY_ANIMACY
        self.definite = ""
        """How the phrase is determined: def, dem, poss, indef, neg, quant or nothing at all."""
        self.lemma = ""
        self.text = ""
        """The words in lower case without articles, to compare."""
        self.modifiers: frozenset[str] = frozenset()
        """What the words of content beside the head say."""
        self.name: tuple[str, ...] = ()
        """The words of a proper name without titles."""
        self.possessive = False
        self.reflexive = False
        self.whole = False
        """Whether this is a coordination as a whole."""
        self.optional = False
        """Whether it is no mention if nothing refers to it."""
        self.entity = -1
        self.by = ""
        self.mention: Mention | None = None

    @property
    def is_pronoun(self) -> bool:
        return self.kind in ("pronoun", "zero")

    @property
    def is_relative(self) -> bool:
        return self.type.endswith("Rel")  # "Rel", and "Int,Rel" where a form may be both

    def __repr__(self) -> str:
        return f"<Candidate {self.kind} {self.text!r} {self.start}-{self.end}>"
