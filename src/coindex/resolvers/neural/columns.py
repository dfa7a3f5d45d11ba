"""UD columns as features of words: parts of speech, relations, a few features, where the input has them.

The values are those of Universal Dependencies, so a model need not keep them. 0 is for what is not given or not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...document import Document, Token
from .words import Words

VALUES = {
    "upos": "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X",
    "deprel": "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated "
    "expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative "
    "xcomp",
    "Number": "Sing Plur Dual Coll Ptan",
    "Gender": "Masc Fem Neut Com",
    "Animacy": "Anim Inan Hum Nhum",
    "Person": "0 1 2 3 4",
    "Case": "Nom Acc Gen Dat Ins Loc Voc",
    "Definite": "Ind Def Spec Cons Com",
    "PronType": "Prs Art Dem Ind Int Rel Neg Tot Rcp Emp Exc",
    "Poss": "Yes",
    "Reflex": "Yes",
}
NUMBER = {name: {value: at for at, value in enumerate(values.split(), 1)} for name, values in VALUES.items()}
COLUMNS = {name: len(values) + 1 for name, values in NUMBER.items()}
"""The columns that a model may use, each with the number of its values, 0 among them."""


def with_columns(words: Words, doc: Document, names: Sequence[str]) -> Words:
    """The words with the values of the columns, which are 0 throughout for raw text."""
    if not names:
        return words
    numbers = np.zeros((len(words), len(names)), dtype=np.int64)
    for row, position in enumerate(words.positions):
        token = doc.tokens[position]
        for column, name in enumerate(names):
            numbers[row, column] = NUMBER[name].get(_value(token, name), 0)
    return replace(words, columns=numbers)


def without_columns(words: Words) -> Words:
    """The same words as if the text were raw."""
    return words if words.columns is None else replace(words, columns=np.zeros_like(words.columns))


def _value(token: Token, name: str) -> str:
    """The main part of a value: `nsubj` of `nsubj:pass`, `Masc` of `Masc,Neut`."""
    if name == "upos":
        return token.upos
    if name == "deprel":
        return token.deprel.partition(":")[0]
    return token.features.get(name, "_").partition(",")[0]
