"""Documents with other names: a model that meets each name in one document alone learns the document by heart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..resolvers.linguistics.languages import language
from ..resolvers.linguistics.mention_kinds import KINDS, kind_of
from ..resolvers.neural.mentions import GENDERED_PRONOUNS
from .data import Example
from .syntax import NO_VALUE

NAME = KINDS.index("name")


class Role(NamedTuple):
    """What makes two names alike: only such are exchanged."""

    type: int
    """As `model.types` counts them."""
    gender: int
    """0 where no pronoun tells it."""
    is_first: bool
    """Of several words."""


class Names:
    """The names in annotated examples: words of mentions that are written with a capital wherever they occur.

    Titles are none: Captain is not what somebody is called instead of Anna.
    """

    def __init__(self, examples: Iterable[Example]) -> None:
        annotated = [example for example in examples if example.is_annotated]
        self._common = {form for example in annotated for form in example.words.forms if form[:1].islower()}
        self._common |= {title.rstrip(".") for title in language("en").titles}
        pools: dict[Role, dict[str, None]] = {}
        for example in annotated:
            for form, role in self.roles(example).items():
                pools.setdefault(role, {})[form] = None
        self._pools = {role: sorted(forms) for role, forms in pools.items()}

    def roles(self, example: Example) -> dict[str, Role]:
        """The names of a document that can be exchanged, with what each mostly is."""
        found: dict[str, Counter[Role]] = {}
        genders, kinds = _genders(example), example.types or [NO_VALUE] * len(example.spans)
        for (start, end), entity, kind in zip(example.spans, example.entities, kinds, strict=True):
            gender = genders.get(entity, 0)
            if (gender == 0 and kind == NO_VALUE) or not self._is_name(example, start, end):
                continue
            for at in range(start, end):
                if self._is_own(example.words.forms[at]):
                    role = Role(kind, gender, end - start > 1 and at == start)
                    found.setdefault(example.words.forms[at], Counter())[role] += 1
        return {form: counts.most_common(1)[0][0] for form, counts in found.items()}

    def exchanged(self, example: Example, rng: np.random.Generator) -> Example:
        """The document with other names, each the same everywhere; what teachers said of it is no longer known."""
        present = set(example.words.forms)
        new: dict[str, str] = {}
        for form, role in self.roles(example).items():
            others = [other for other in self._pools.get(role, ()) if other not in present]
            if others:
                new[form] = others[int(rng.integers(len(others)))]
                present.add(new[form])
        forms = [new.get(form, form) for form in example.words.forms]
        return replace(example, words=replace(example.words, forms=forms), labels=None)

    def _is_name(self, example: Example, start: int, end: int) -> bool:
        return kind_of(example.words.forms, (start, end), -1) == NAME

    def _is_own(self, form: str) -> bool:
        return form.istitle() and form.isalpha() and len(form) > 1 and form.lower() not in self._common


def _genders(example: Example) -> dict[int, int]:
    """Of the entities, by the pronouns that are used for them."""
    counts: dict[int, Counter[int]] = {}
    for entity, gender in _pronouns(example.words.forms, example):
        counts.setdefault(entity, Counter())[gender] += 1
    return {entity: count.most_common(1)[0][0] for entity, count in counts.items()}


def _pronouns(forms: Sequence[str], example: Example) -> Iterator[tuple[int, int]]:
    for span, entity in zip(example.spans, example.entities, strict=True):
        gender = GENDERED_PRONOUNS.get(kind_of(forms, span, -1))
        if gender is not None:
            yield entity, gender
