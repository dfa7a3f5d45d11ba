"""Which scheme the relations of a pipeline belong to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Scheme = Literal["ud", "clear", "other"]

UD = frozenset(
    """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed
    flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)
CLEAR = frozenset(
    """
    acomp agent attr auxpass csubjpass dative dobj intj meta neg npadvmod nsubjpass oprd pcomp pobj poss preconj predet
    prep prt quantmod relcl
    """.split()  # noqa: SIM905
)
"""Relations of ClearNLP's conversion, used by the English pipelines of spaCy, that UD does not have."""
UD_ALONE = frozenset({"cop", "discourse", "fixed", "flat", "iobj", "list", "obj", "obl"})
"""Relations of UD that ClearNLP does not have."""


def pipeline_language(code: str | None) -> str | None:
    """The language of a spaCy pipeline; xx is its code for no one language."""
    return None if code == "xx" else code or None


def scheme_of(labels: Iterable[str], language: str = "") -> Scheme:
    """Universal Dependencies, ClearNLP's English relations, or something else, such as TIGER's of German pipelines.

    A short English text may have only relations that both know; spaCy's English pipelines are ClearNLP's.
    """
    found = {label for label in labels if label}
    base = {label.partition(":")[0] for label in found} - {"ROOT"}
    if base & CLEAR and base <= CLEAR | UD:
        return "clear"
    if not base <= UD:
        return "other"
    return "clear" if language == "en" and base == found - {"ROOT"} and not base & UD_ALONE else "ud"
