"""What the columns say of each word, as labels that mean the same in every language; lemmas and forms are no labels.

A model knows the labels of its training data. Others are left out, so a treebank with its own labels still works.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..neural.words import Ints
from ..sieves.attributes import pronoun_features
from ..sieves.words import NONE, Words

MOST = 24
"""Labels of a word that are looked at."""
UNKNOWN = 0
"""The number of no label at all."""
SHAPES = ("empty", "mark", "digit", "upper", "title", "lower")
CHILDREN = frozenset({"det", "case", "cop", "nummod", "amod", "acl", "appos", "flat", "conj", "nmod", "nsubj", "aux"})
"""Relations of children that are told of a word."""


def word_labels(words: Words, position: int) -> tuple[str, ...]:
    """The labels of a word: tag, features, relation, form of writing, those of its parent and of its children."""
    parent = words.parents[position]
    base, relation = words.bases[position], words.relations[position]
    found = [f"upos={words.upos[position]}", f"deprel={base}", f"shape={shape(words, position)}"]
    if relation != base:
        found.append(f"deprel={relation}")
    found += feature_labels(words, position)
    if parent != NONE:
        found += (f"parent={words.upos[parent]}", f"above={words.bases[parent]}")
        found.append("side=left" if position < parent else "side=right")
    children = {words.bases[child] for child in words.children[position][:MOST]} & CHILDREN
    found += sorted(f"child={one}" for one in children)
    return tuple(found[:MOST])


def feature_labels(words: Words, position: int) -> list[str]:
    """The features of a word; those of a dropped subject are told by its verb where it has none of its own."""
    own = pronoun_features(words, position) if position in words.empty else words.features[position]
    return _feature_labels(tuple(own.items()))


@lru_cache(maxsize=1 << 14)
def _feature_labels(features: tuple[tuple[str, str], ...]) -> list[str]:
    """Name=Value; a value of several is told one by one."""
    return [f"{name}={one}" for name, value in features for one in value.split(",")]


def shape(words: Words, position: int) -> str:
    """How a word is written."""
    if position in words.empty:
        return "empty"
    form = words.forms[position]
    if not any(map(str.isalnum, form)):
        return "mark"
    if not any(map(str.isalpha, form)):
        return "digit"
    if form[:1].isupper():
        return "upper" if len(form) > 1 and form.isupper() else "title"
    return "lower"


@dataclass(frozen=True, slots=True)
class LabelTable:
    """The labels that a model knows, numbered from 1."""

    number: Mapping[str, int]

    @classmethod
    def of(cls, labels: Iterable[str]) -> LabelTable:
        return cls({label: number for number, label in enumerate(labels, 1)})

    @property
    def size(self) -> int:
        """Rows of a table with one for each label and one for none."""
        return len(self.number) + 1


@dataclass(frozen=True, slots=True)
class WordTypes:
    """The words of a document as numbers of types, and the labels of each type: many words are of one type."""

    of: Ints  # [words]
    labels: Ints  # [types, MOST], padded with UNKNOWN
    before: Ints  # [words]: the word before in the sentence; the number of all words where there is none
    after: Ints  # [words]
    parent: Ints  # [words]

    def __len__(self) -> int:
        return len(self.of)


def word_types(words: Words, table: LabelTable) -> WordTypes:
    """The types of a document's words."""
    number: dict[tuple[str, ...], int] = {}
    of = [number.setdefault(word_labels(words, position), len(number)) for position in range(words.size)]
    labels = np.zeros((max(1, len(number)), MOST), dtype=np.int64)
    for row, names in enumerate(number):
        known = [table.number[name] for name in names if name in table.number]
        labels[row, : len(known)] = known
    return WordTypes(np.array(of, dtype=np.int64), labels, *neighbours(words))


def neighbours(words: Words) -> tuple[Ints, Ints, Ints]:
    """The word before each, the one after it, and its parent; the number of all words for none."""
    size = words.size
    before, after = np.arange(size) - 1, np.arange(size) + 1
    starts = [start for start, end in zip(words.starts, words.ends, strict=True) if start < end]
    ends = [end - 1 for start, end in zip(words.starts, words.ends, strict=True) if start < end]
    before[starts] = size
    after[ends] = size
    parent = np.array(words.parents, dtype=np.int64)
    return before, after, np.where(parent == NONE, size, parent)
