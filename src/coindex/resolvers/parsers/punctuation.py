"""Where punctuation hangs in UD: brackets and quotation marks on what they enclose, commas on what they set apart."""

from __future__ import annotations

import unicodedata

from .clear_tree import Tree
from .words import ROOT

PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "«": "»", "-lrb-": "-rrb-", "``": "''"}
STRAIGHT = ('"', "'")


def is_punctuation(form: str) -> bool:
    return bool(form) and all(unicodedata.category(char).startswith("P") for char in form)


def attach_punctuation(tree: Tree) -> None:
    """Every mark that says nothing else, moved to its place; final marks go to the root."""
    marks = [
        index
        for index in range(len(tree))
        if is_punctuation(tree.forms[index])
        and not tree.children[index]
        and tree.heads[index] != ROOT
        and (tree.rels[index] in ("punct", "dep") or tree.words[index].upos == "PUNCT")
    ]
    paired = dict(_pairs(tree, marks))
    silent = set(marks)
    root = next((index for index in range(len(tree)) if tree.heads[index] == ROOT), None)
    for index in marks:
        head = paired.get(index)
        if head is None:
            head = _set_apart(tree, index, silent)
        if head is None:
            head = root
        if head is not None and head != index:
            tree.attach(index, head, "punct")


def _pairs(tree: Tree, marks: list[int]) -> list[tuple[int, int]]:
    """Brackets and quotation marks that belong together, each with the highest word between them."""
    found: list[tuple[int, int]] = []
    silent = set(marks)
    opened: list[int] = []
    for index in marks:
        form = tree.forms[index]
        closes = next((o for o in reversed(opened) if PAIRS.get(tree.forms[o], tree.forms[o]) == form), None)
        if closes is not None:
            del opened[opened.index(closes) :]
            inside = range(closes + 1, index)
            top = next((i for i in inside if i not in silent and tree.heads[i] not in inside), None)
            if top is not None:
                found += [(closes, top), (index, top)]
        elif form in PAIRS or form in STRAIGHT:
            opened.append(index)
    return found


def _set_apart(tree: Tree, index: int, silent: set[int]) -> int | None:
    """The phrase that the mark parts from the rest: the one that begins after it, or ends before it."""
    left = next((i for i in range(index - 1, -1, -1) if i not in silent), None)
    right = next((i for i in range(index + 1, len(tree)) if i not in silent), None)
    if left is None or right is None:
        return None
    ups, downs = _path(tree, left), _path(tree, right)
    above = set(downs)
    common = next((word for word in ups if word in above), None)
    before = _below(ups, common)
    after = _below(downs, common)
    if before is None:
        return after
    if after is None or tree.rels[after] != "conj":
        return before
    return after


def _below(path: list[int], common: int | None) -> int | None:
    """The highest word of the path under the common one; None where the common one itself is next to the mark."""
    at = path.index(common) if common in path else len(path)
    return path[at - 1] if at else None


def _path(tree: Tree, index: int) -> list[int]:
    path = [index]
    while tree.heads[path[-1]] != ROOT and len(path) <= len(tree):
        path.append(tree.heads[path[-1]])
    return path
