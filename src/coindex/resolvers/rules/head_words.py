"""The head word of a mention, with a tree or without."""

from __future__ import annotations

from ...document import Mention
from ...document.heads import find_head
from ...document.trees import Trees
from .english import PREPOSITIONS

# A few of the commonest in other languages whose nouns come before what modifies them.
BREAKS = PREPOSITIONS | frozenset(("de", "du", "des", "del", "della", "von", "van", "z", "из", "в", "на", "о"))
SIGNS = frozenset((",", "(", "[", "-", "–", "—", ":", ";"))


def head_word(mention: Mention, trees: Trees) -> int:
    """The head that is given, else that of the tree, else the last word before a preposition or a comma.

    The last is a guess made for English (*the mayor of London* -> *mayor*, *turned in* -> *turned*).
    """
    if mention.head is not None:
        return mention.head
    if len(mention.positions) == 1:
        return mention.start
    if trees.has_trees:
        return find_head(mention, trees)
    forms = mention.layer.forms
    head = None
    for position in mention.positions:
        word = forms[position].lower()
        if head is not None and (word in BREAKS or word in SIGNS):
            break
        if word not in BREAKS and any(map(str.isalnum, word)) and not word.startswith("'"):
            head = position
    return mention.positions[-1] if head is None else head
