"""Resolved text: how many replacements are right at each confidence; and how often fiction is recognized."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import coindex
from coindex import Document, Entity, Mention
from coindex.document.documents import genre_of
from coindex.document.naming import core_text, head_of, is_pronoun
from coindex.render.replacements import Names
from coindex.render.resolved_text import resolve_text
from coindex.resolvers.linguistics.languages import is_fiction
from coindex.training.neural.data import strip_columns

from .measuring import data_folder, save

CORPORA = {"gum": "en_gum/en_gum-corefud-dev.conllu", "litbank": "en_litbank/dev"}
"""Development parts by annotation scheme."""
LEVELS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
FICTION = ("litbank", "fiction")
NOTES = """
Replacements of `en-base` in the development parts of GUM and LitBank, from words and sentences alone, with the scheme
of each corpus. *Right*: in the key, the mention corefers with the mention that gave the name, or its entity has a
mention with that name. Mentions are matched by span, otherwise by head.
""".strip()
RECOGNIZED = """
Documents that `is_fiction` takes for fiction. Its words and threshold were chosen on the training parts.
""".strip()


class Judged(NamedTuple):
    """A replacement with its confidence, whether it is right, and whether a pronoun was replaced."""

    confidence: float
    is_right: bool
    is_pronoun: bool


def judge(key: Document, resolved: Document) -> Iterable[Judged]:
    """Yield all replacements in a resolved document."""
    names = Names(resolved, english=True)
    entities = {entity.id: entity for entity in resolved.entities}
    find = make_finder(key)
    for replacement in resolve_text(resolved, confidence=0).replacements:
        chosen = names.name(entities[replacement.entity], replacement.mention)
        if chosen is None or chosen[0].mention is None or replacement.confidence is None:
            continue
        name = chosen[0].mention
        own, of_name = find(replacement.mention), find(name)
        is_right = any(
            entity in of_name or core_text(name).lower() in {core_text(mention).lower() for mention in entity.mentions}
            for entity in own
        )
        yield Judged(replacement.confidence, is_right, is_pronoun(replacement.mention))


def make_finder(key: Document) -> Callable[[Mention], list[Entity]]:
    """Return a function from a mention to the entities of the key with the same span, otherwise the same head."""
    spans: dict[tuple[int, ...], list[Entity]] = {}
    heads: dict[int, list[Entity]] = {}
    for mention, entity in key.mentions():
        spans.setdefault(mention.positions, []).append(entity)
        heads.setdefault(head_of(mention), []).append(entity)
    return lambda mention: spans.get(mention.positions) or heads.get(head_of(mention), [])


def main() -> None:
    curves: dict[str, Any] = {}
    hits: dict[str, list[bool]] = {}
    for scheme, path in CORPORA.items():
        keys = list(coindex.read(data_folder() / path))
        resolver = coindex.load(f"en-base(scheme={scheme})")
        results = resolver.pipe(map(strip_columns, keys))
        judged = [row for key, doc in zip(keys, results, strict=True) for row in judge(key, doc)]
        curves[scheme] = [_level(judged, least) for least in LEVELS]
        for doc in keys:
            kind = scheme if scheme != "gum" else (genre_of(doc) or "")
            hits.setdefault(kind if kind in FICTION else "other", []).append(is_fiction(doc))
    recognized = {kind: {"documents": len(values), "fiction": sum(values)} for kind, values in hits.items()}
    save("replacing", {"curves": curves, "fiction": recognized}, _table(curves, recognized))


def _level(judged: list[Judged], least: float) -> dict[str, float]:
    kept = [row for row in judged if row.confidence >= least]
    pronouns = [row for row in kept if row.is_pronoun]
    return {
        "confidence": least,
        "replacements": len(kept),
        "right": _percent(kept),
        "pronouns": len(pronouns),
        "pronouns_right": _percent(pronouns),
    }


def _percent(judged: list[Judged]) -> float:
    return round(100 * sum(row.is_right for row in judged) / max(1, len(judged)), 1)


def _table(curves: dict[str, Any], recognized: dict[str, Any]) -> str:
    lines = [
        NOTES,
        "",
        "| confidence | " + " | ".join(f"{name}: replaced | right | pronouns | right" for name in curves),
    ]
    lines[-1] += " |"
    lines.append("|---:" * (1 + 4 * len(curves)) + "|")
    for number, least in enumerate(LEVELS):
        cells = [f"{least:g}"]
        for rows in curves.values():
            row = rows[number]
            cells += [str(row[name]) for name in ("replacements", "right", "pronouns", "pronouns_right")]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", RECOGNIZED, "", "| documents | number | taken for fiction |", "|---|---:|---:|"]
    lines += [f"| {kind} | {row['documents']} | {row['fiction']} |" for kind, row in recognized.items()]
    return "\n".join(lines)
