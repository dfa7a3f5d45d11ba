"""English words that the conversion to UD has to know."""

from __future__ import annotations

PLACES = frozenset(
    """
    abroad ahead around away back down downstairs here home how in indoors nearby off on out outside over there up
    upstairs where
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)
"""Adverbs that can be what *be* says of its subject ("she is here")."""

WHAT = frozenset({"what", "whatever", "whoever", "whichever"})
"""Words that can stand for a thing and begin the clause about it."""
ASKING = frozenset({"ask", "wonder", "idea", "question", "sure", "clear", "matter", "depend"})
"""Words after which "what" asks."""

FIXED: dict[tuple[str, ...], str] = {
    ("according", "to"): "case",
    ("as", "for"): "case",
    ("as", "if"): "mark",
    ("as", "of"): "case",
    ("as", "opposed", "to"): "case",
    ("as", "though"): "mark",
    ("as", "to"): "case",
    ("as", "well"): "advmod",
    ("as", "well", "as"): "cc",
    ("at", "all"): "advmod",
    ("because", "of"): "case",
    ("depending", "on"): "case",
    ("due", "to"): "case",
    ("in", "case"): "mark",
    ("in", "order"): "mark",
    ("instead", "of"): "",
    ("kind", "of"): "",
    ("let", "alone"): "cc",
    ("next", "to"): "case",
    ("of", "course"): "advmod",
    ("off", "of"): "case",
    ("out", "of"): "case",
    ("prior", "to"): "case",
    ("rather", "than"): "",
    ("so", "that"): "mark",
    ("sort", "of"): "",
    ("such", "as"): "case",
    ("up", "to"): "",
}
"""Fixed expressions with the relation of the first word; "" where it is the one that the parser gave."""
