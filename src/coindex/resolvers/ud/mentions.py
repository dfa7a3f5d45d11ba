"""Features of candidates, and labels of words, which mean the same in every language; lemmas and forms are not labels.

A model has the labels of its training data. Others are ignored, so that treebanks with unknown labels work too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..neural.detection import log_bucket
from ..neural.words import Ints
from ..sieves.attributes import pronoun_features
from ..sieves.candidates import NONE, PLUR, Candidate, TreeColumns
from ..sieves.resolver import SIEVES
from .candidates import Reading

MOST = 24
"""Maximum number of labels of a word."""
UNKNOWN = 0
"""The number for padding."""
SHAPES = ("empty", "mark", "digit", "upper", "title", "lower")
CHILDREN = frozenset({"det", "case", "cop", "nummod", "amod", "acl", "appos", "flat", "conj", "nmod", "nsubj", "aux"})
"""Relations of children that become labels of a word."""


def word_labels(words: TreeColumns, position: int) -> tuple[str, ...]:
    """Return the labels of a word: tag, features, relation, shape, and those of its parent and children."""
    parent = words.parents[position]
    base, relation = words.bases[position], words.relations[position]
    labels = [f"upos={words.upos[position]}", f"deprel={base}", f"shape={shape(words, position)}"]
    if relation != base:
        labels.append(f"deprel={relation}")
    labels += feature_labels(words, position)
    if parent != NONE:
        labels += (f"parent={words.upos[parent]}", f"above={words.bases[parent]}")
        labels.append("side=left" if position < parent else "side=right")
    children = {words.bases[child] for child in words.children[position][:MOST]} & CHILDREN
    labels += sorted(f"child={child_label}" for child_label in children)
    return tuple(labels[:MOST])


def feature_labels(words: TreeColumns, position: int) -> list[str]:
    """Return the features of a word; a dropped subject without features has those of its verb."""
    own = pronoun_features(words, position) if position in words.empty else words.features[position]
    return _feature_labels(tuple(own.items()))


@lru_cache(maxsize=1 << 14)
def _feature_labels(features: tuple[tuple[str, str], ...]) -> list[str]:
    """Return Name=Value labels; multiple values are split."""
    return [f"{name}={part}" for name, value in features for part in value.split(",")]


def shape(words: TreeColumns, position: int) -> str:
    """Return the shape of a word, one of `SHAPES`."""
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
    """The labels of a model, numbered from 1."""

    number: Mapping[str, int]

    @classmethod
    def of(cls, labels: Iterable[str]) -> LabelTable:
        return cls({label: number for number, label in enumerate(labels, 1)})

    @property
    def size(self) -> int:
        """The number of rows of the embedding table, including one for padding."""
        return len(self.number) + 1


@dataclass(frozen=True, slots=True)
class WordTypes:
    """The types of the words of a document, and the labels of each type; many words share a type."""

    of: Ints  # [words]
    labels: Ints  # [types, MOST], padded with UNKNOWN
    before: Ints  # [words]: the word before in the sentence; the number of all words where there is none
    after: Ints  # [words]
    parent: Ints  # [words]

    def __len__(self) -> int:
        return len(self.of)


def word_types(words: TreeColumns, table: LabelTable) -> WordTypes:
    """Return the types of the words of a document."""
    number: dict[tuple[str, ...], int] = {}
    of = [number.setdefault(word_labels(words, position), len(number)) for position in range(words.size)]
    labels = np.zeros((max(1, len(number)), MOST), dtype=np.int64)
    for row, names in enumerate(number):
        known = [table.number[name] for name in names if name in table.number]
        labels[row, : len(known)] = known
    return WordTypes(np.array(of, dtype=np.int64), labels, *neighbours(words))


def neighbours(words: TreeColumns) -> tuple[Ints, Ints, Ints]:
    """Return the previous word, the next word and the parent of each word; the number of words for none."""
    size = words.size
    before, after = np.arange(size) - 1, np.arange(size) + 1
    starts = [start for start, end in zip(words.starts, words.ends, strict=True) if start < end]
    ends = [end - 1 for start, end in zip(words.starts, words.ends, strict=True) if start < end]
    before[starts] = size
    after[ends] = size
    parent = np.array(words.parents, dtype=np.int64)
    return before, after, np.where(parent == NONE, size, parent)


CLASSES = (
    "zero12", "zero3", "first", "first-plural", "second", "third", "possessive", "reflexive", "relative",
    "demonstrative", "pronoun", "name", "definite", "demonstrated", "owned", "indefinite", "bare", "counted",
    "coordination", "clause", "adverb",
)  # fmt: skip
"""The classes of mentions."""
NUMBER_OF_CLASS = {name: number for number, name in enumerate(CLASSES)}
DETERMINED = {
    "def": "definite", "dem": "demonstrated", "poss": "owned", "indef": "indefinite", "neg": "indefinite",
    "quant": "counted", "num": "counted", "": "bare",
}  # fmt: skip
ROLES = (
    "none",
    "nsubj",
    "obj",
    "iobj",
    "obl",
    "nmod",
    "poss",
    "appos",
    "conj",
    "root",
    "vocative",
    "clause",
    "compound",
    "other",
)
ROLE_OF = {
    "nsubj": "nsubj", "csubj": "nsubj", "obj": "obj", "iobj": "iobj", "obl": "obl", "nmod": "nmod", "appos": "appos",
    "conj": "conj", "root": "root", "vocative": "vocative", "dislocated": "vocative", "ccomp": "clause",
    "xcomp": "clause", "advcl": "clause", "acl": "clause", "parataxis": "clause", "compound": "compound",
    "flat": "compound", "det": "poss",
}  # fmt: skip
NUMBER_OF_ROLE = {name: number for number, name in enumerate(ROLES)}
TAGS = ("_", "NOUN", "PROPN", "PRON", "DET", "NUM", "ADJ", "VERB", "ADV", "X")
NUMBER_OF_TAG = {name: number for number, name in enumerate(TAGS)}
BY = ("", *(sieve.name for sieve in SIEVES))
NUMBER_OF_BY = {name: number for number, name in enumerate(BY)}
BUCKETS = 7
LENGTHS = 8
VAGUE = ("none", "vague", "time", "speaks", "title", "group")

COLUMNS: Mapping[str, int] = {
    "class": len(CLASSES),
    "tag": len(TAGS),
    "role": len(ROLES),
    "number": 4,
    "gender": 8,
    "animacy": 4,
    "person": 4,
    "by": len(BY),
    "entity": BUCKETS,
    "first": 2,
    "before": BUCKETS,
    "after": BUCKETS,
    "same_before": BUCKETS,
    "same_after": BUCKETS,
    "length": LENGTHS,
    "optional": 2,
    "whole": 2,
    "sort": len(VAGUE),
    "clause": 2,
    "place": 4,
    "quoted": 2,
    "inside": 2,
    "zero": 2,
}
"""The features of a candidate with their numbers of values."""
OFFSETS = dict(zip(COLUMNS, np.cumsum([0, *COLUMNS.values()]).tolist(), strict=False))
WIDTH = sum(COLUMNS.values())


def describe_all(reading: Reading) -> dict[str, Ints]:
    """Return a column of numbers for each name in `COLUMNS`."""
    candidates, words = reading.candidates, reading.words
    heads = [
        candidate.lemma if not candidate.is_pronoun and candidate.kind != "clause" else "" for candidate in candidates
    ]
    texts = [candidate.text if not candidate.is_pronoun else "" for candidate in candidates]
    sizes = Counter(candidate.entity for candidate in candidates)
    before, after = _repeats(heads)
    same_before, same_after = _repeats(texts)
    columns: dict[str, Iterable[int]] = {
        "class": (NUMBER_OF_CLASS[class_of(candidate, words)] for candidate in candidates),
        "tag": (NUMBER_OF_TAG.get(words.upos[candidate.head], len(TAGS) - 1) for candidate in candidates),
        "role": (role_of(candidate, words) for candidate in candidates),
        "number": (candidate.number for candidate in candidates),
        "gender": (candidate.gender for candidate in candidates),
        "animacy": (candidate.animacy for candidate in candidates),
        "person": (candidate.person for candidate in candidates),
        "by": (NUMBER_OF_BY.get(candidate.by, 0) for candidate in candidates),
        "entity": _bucket(sizes[candidate.entity] for candidate in candidates),
        "first": _firsts(candidates),
        "before": _bucket(before),
        "after": _bucket(after),
        "same_before": _bucket(same_before),
        "same_after": _bucket(same_after),
        "length": (min(candidate.end - candidate.start, LENGTHS) - 1 for candidate in candidates),
        "optional": (int(candidate.optional) for candidate in candidates),
        "whole": (int(candidate.whole) for candidate in candidates),
        "sort": (_sort(candidate, words) for candidate in candidates),
        "clause": (int(words.has(candidate.head, "acl")) for candidate in candidates),
        "place": (min(3, words.sentences[candidate.head]) for candidate in candidates),
        "quoted": (int(reading.voices.quoted[candidate.head] != NONE) for candidate in candidates),
        "inside": (int(_is_inside(candidate, words)) for candidate in candidates),
        "zero": (int(candidate.head in words.empty) for candidate in candidates),
    }
    count = len(candidates)
    return {name: np.fromiter(column, dtype=np.int64, count=count) for name, column in columns.items()}


def class_of(candidate: Candidate, words: TreeColumns) -> str:
    """Return the class of a candidate, one of `CLASSES`."""
    if candidate.whole:
        return "coordination"
    if candidate.is_pronoun:
        return _pronoun_class(candidate)
    if candidate.kind == "clause":
        return "clause"
    if words.upos[candidate.head] == "ADV":
        return "adverb"
    return "name" if candidate.kind == "name" else DETERMINED.get(candidate.definite, "bare")


def _pronoun_class(candidate: Candidate) -> str:
    if candidate.kind == "zero":
        return "zero12" if candidate.person in (1, 2) else "zero3"
    plural = candidate.number == PLUR
    classes = (
        (candidate.is_relative, "relative"),
        (candidate.person == 2, "second"),
        (candidate.person == 1, "first-plural" if plural else "first"),
        (candidate.reflexive, "reflexive"),
        (candidate.possessive, "possessive"),
        (candidate.type == "Dem", "demonstrative"),
        (candidate.type == "Prs", "third"),
    )
    return next((name for holds, name in classes if holds), "pronoun")


def role_of(candidate: Candidate, words: TreeColumns) -> int:
    relation, base = words.relations[candidate.head], words.bases[candidate.head]
    if relation in ("nmod:poss", "det:poss"):
        return NUMBER_OF_ROLE["poss"]
    return NUMBER_OF_ROLE[ROLE_OF.get(base, "other")] if base != "_" else 0


def _bucket(counts: Iterable[int]) -> list[int]:
    buckets: list[int] = np.minimum(log_bucket(np.fromiter(counts, dtype=np.int64)), BUCKETS - 1).tolist()
    return buckets


def _repeats(keys: list[str]) -> tuple[list[int], list[int]]:
    """Return how often the key of each candidate occurs before and after it; empty keys are not counted."""
    total = Counter(keys)
    seen: Counter[str] = Counter()
    before, after = [], []
    for key in keys:
        before.append(seen[key] if key else 0)
        seen[key] += 1
        after.append(total[key] - seen[key] if key else 0)
    return before, after


def _firsts(candidates: list[Candidate]) -> list[int]:
    """Return whether each candidate is the first of its entity by the sieves."""
    seen: set[int] = set()
    firsts = []
    for candidate in candidates:
        firsts.append(int(candidate.entity not in seen))
        seen.add(candidate.entity)
    return firsts


def _sort(candidate: Candidate, words: TreeColumns) -> int:
    """Return the class of the head in the word lists of the language, as an index into `VAGUE`."""
    language, parent = words.language, words.parents[candidate.head]
    if candidate.lemma in language.times:
        return VAGUE.index("time")
    if candidate.lemma in language.vague:
        return VAGUE.index("vague")
    if candidate.lemma in language.titles:
        return VAGUE.index("title")
    if candidate.lemma in language.groups:
        return VAGUE.index("group")
    if parent != NONE and words.bases[candidate.head] == "nsubj" and words.lemmas[parent] in language.speech:
        return VAGUE.index("speaks")
    return 0


def _is_inside(candidate: Candidate, words: TreeColumns) -> bool:
    """Return whether the candidate modifies a noun."""
    parent = words.parents[candidate.head]
    return parent != NONE and words.upos[parent] in ("NOUN", "PROPN", "PRON")
