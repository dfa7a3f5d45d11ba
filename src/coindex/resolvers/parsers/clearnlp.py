"""Convert the ClearNLP relations of spaCy's English pipelines to Universal Dependencies.

The schemes differ in their heads: in ClearNLP, prepositions govern their objects, the verb *be* governs its predicate,
and conjuncts form a chain. Each pass below converts one construction; the last one renames the remaining relations.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from .step import ROOT, Word

VERBAL = frozenset({"VERB", "AUX"})
PREDICATES = VERBAL | {"ADJ", "ADV"}


class Tree:
    """The words of a sentence with the tree that the passes convert to UD."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.forms = [word.form.lower() for word in words]
        self.heads = [ROOT if word.head is None else word.head for word in words]
        self.rels = [word.deprel for word in words]
        self.children: list[list[int]] = [[] for _ in words]
        for index, head in enumerate(self.heads):
            if head != ROOT:
                self.children[head].append(index)

    def __len__(self) -> int:
        return len(self.words)

    def attach(self, index: int, head: int, rel: str) -> None:
        """Attach a word with its subtree to another head."""
        if self.heads[index] != ROOT:
            self.children[self.heads[index]].remove(index)
        self.heads[index] = head
        self.rels[index] = rel
        if head != ROOT:
            self.children[head].append(index)
            self.children[head].sort()

    def replace(self, old: int, new: int, *, rel: str, old_rel: str) -> None:
        """Replace a head by its child, with the relation `rel`; attach the old head and its other children to it."""
        head = self.heads[old]
        self.attach(new, head, rel)
        for child in list(self.children[old]):
            self.attach(child, new, self.rels[child])
        self.attach(old, new, old_rel)

    def with_rel(self, index: int, *rels: str) -> list[int]:
        """Return the children of a word with one of these relations."""
        return [child for child in self.children[index] if self.rels[child] in rels]

    def depth(self, index: int) -> int:
        depth = 0
        while index != ROOT and depth <= len(self.words):
            index = self.heads[index]
            depth += 1
        return depth

    def is_verbal(self, index: int) -> bool:
        return self.words[index].upos in VERBAL

    def takes_obliques(self, index: int) -> bool:
        """Return whether prepositional phrases below the word are obliques and not modifiers of a noun."""
        if index == ROOT:
            return False
        if self.words[index].upos in PREDICATES:
            return True
        return any(self.rels[child] in ("cop", "nsubj") for child in self.children[index])


PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "«": "»", "-lrb-": "-rrb-", "``": "''"}
STRAIGHT = ('"', "'")


def is_punctuation(form: str) -> bool:
    return bool(form) and all(unicodedata.category(char).startswith("P") for char in form)


def attach_punctuation(tree: Tree) -> None:
    """Attach punctuation as UD does; final punctuation is attached to the root."""
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
            head = _find_separated_phrase(tree, index, silent)
        if head is None:
            head = root
        if head is not None and head != index:
            tree.attach(index, head, "punct")


def _pairs(tree: Tree, marks: list[int]) -> list[tuple[int, int]]:
    """Return matching brackets and quotation marks, each with the topmost word between them."""
    attachments: list[tuple[int, int]] = []
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
                attachments += [(closes, top), (index, top)]
        elif form in PAIRS or form in STRAIGHT:
            opened.append(index)
    return attachments


def _find_separated_phrase(tree: Tree, index: int, silent: set[int]) -> int | None:
    """Return the head of the phrase that the mark separates: the one that starts after it or ends before it."""
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
    """Return the topmost word of the path below the common one, or None if the common one is next to the mark."""
    at = path.index(common) if common in path else len(path)
    return path[at - 1] if at else None


def _path(tree: Tree, index: int) -> list[int]:
    path = [index]
    while tree.heads[path[-1]] != ROOT and len(path) <= len(tree):
        path.append(tree.heads[path[-1]])
    return path


PLACES = frozenset(
    """
    abroad ahead around away back down downstairs here home how in indoors nearby off on out outside over there up
    upstairs where
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)
"""Adverbs that can be predicates ("she is here")."""

WHAT = frozenset({"what", "whatever", "whoever", "whichever"})
"""Words that can head a free relative clause."""
ASKING = frozenset({"ask", "wonder", "idea", "question", "sure", "clear", "matter", "depend"})
"""Words after which "what" is interrogative."""

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
"""Fixed expressions with the relation of the first word; "" keeps the relation of the parser."""


RENAMED = {
    "ROOT": "root",
    "acomp": "xcomp",
    "agent": "obl:agent",
    "attr": "xcomp",
    "auxpass": "aux:pass",
    "csubjpass": "csubj:pass",
    "dative": "iobj",
    "dobj": "obj",
    "intj": "discourse",
    "meta": "dep",
    "neg": "advmod",
    "nsubjpass": "nsubj:pass",
    "oprd": "xcomp",
    "pcomp": "advcl",
    "pobj": "obl",
    "poss": "nmod:poss",
    "preconj": "cc:preconj",
    "predet": "det:predet",
    "prt": "compound:prt",
    "quantmod": "advmod",
    "relcl": "acl:relcl",
}
PREPOSITIONAL = ("prep", "agent", "dative")
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
CLAUSES = ("ccomp", "xcomp", "advcl")
CLAUSAL = ("acl", "acl:relcl", "advcl", "ccomp", "csubj", "parataxis")
"""UD relations of the heads of clauses."""
FREE = {"ccomp": "dobj", "csubj": "nsubj", "csubjpass": "nsubjpass", "pcomp": "pobj"}
"""Relations of clauses, and those of the wh-word if it heads a free relative clause."""
NUMERAL = re.compile(r"[IVX]+|[A-Z]|\d[\d-]*")
PERSON = ("PERSON", "PER")


def to_ud(words: Sequence[Word]) -> list[Word]:
    """Return the sentence with UD heads, relations and tags."""
    tree = Tree(words)
    for convert in PASSES:
        convert(tree)
    attach_punctuation(tree)
    return [
        word._replace(head=head, deprel=rel, upos=_upos(word, rel), feats=_feats(tree, index))
        for index, (word, head, rel) in enumerate(zip(words, tree.heads, tree.rels, strict=True))
    ]


def _upos(word: Word, rel: str) -> str:
    """Return the UD tag where that of spaCy differs."""
    if word.xpos == "WRB":
        return "ADV"
    if word.upos in ("ADP", "SCONJ") and word.xpos == "IN" and rel in ("mark", "case"):
        return "SCONJ" if rel == "mark" else "ADP"
    return word.upos


def _feats(tree: Tree, index: int) -> str:
    """Return the features with the PronType of wh-words, which spaCy rarely has: Rel in relative clauses, or Int."""
    word = tree.words[index]
    if word.xpos not in ("WDT", "WP", "WP$"):
        return word.feats
    at, steps = index, 0
    while tree.rels[at] not in CLAUSAL and tree.heads[at] != ROOT and steps < len(tree):
        at, steps = tree.heads[at], steps + 1
    kind = "Rel" if tree.rels[at] == "acl:relcl" or tree.with_rel(index, "acl:relcl") else "Int"
    kept = [] if word.feats == "_" else [pair for pair in word.feats.split("|") if not pair.startswith("PronType=")]
    return "|".join(sorted([*kept, f"PronType={kind}"]))


def convert_coordination(tree: Tree) -> None:
    """Attach conjuncts to the first one, and "and" and commas to the next conjunct."""
    for index in range(len(tree)):
        conjuncts = [child for child in tree.with_rel(index, "conj") if child > index]
        for child in list(tree.children[index]):
            following = next((conjunct for conjunct in conjuncts if conjunct > child), None)
            if (
                following is not None
                and child > index
                and (tree.rels[child] == "cc" or tree.forms[child] in (",", ";"))
            ):
                tree.attach(child, following, tree.rels[child])
    for index in range(len(tree)):
        first = index
        while tree.rels[first] == "conj" and tree.heads[first] != ROOT:
            first = tree.heads[first]
        if first != index and tree.heads[index] != first:
            tree.attach(index, first, "conj")


def convert_free_relatives(tree: Tree) -> None:
    """Make the wh-word the head of a free relative clause ("we know what you did")."""
    for index in range(len(tree)):
        head = tree.heads[index]
        if tree.rels[index] not in FREE or head == ROOT or tree.words[head].lemma in ASKING:
            continue
        pronouns = [child for child in tree.with_rel(index, "nsubj", "nsubjpass", "dobj") if tree.forms[child] in WHAT]
        if pronouns and not tree.with_rel(index, "mark"):
            rel = "attr" if tree.words[head].lemma == "be" else FREE[tree.rels[index]]
            tree.attach(pronouns[0], head, rel)
            tree.attach(index, pronouns[0], "relcl")


def convert_prepositions(tree: Tree) -> None:
    """Attach prepositions to their objects, and the objects to the former heads; inner ones first ("out of it")."""
    for index in sorted(range(len(tree)), key=tree.depth, reverse=True):
        objects = tree.with_rel(index, "pobj") or tree.with_rel(index, "pcomp")
        if objects:
            _convert_preposition(tree, index, objects[0])
        elif tree.rels[index] in PREPOSITIONAL and tree.words[index].upos in ("ADP", "SCONJ", "ADV"):
            _strand(tree, index)


def _convert_preposition(tree: Tree, index: int, complement: int) -> None:
    head, rel = tree.heads[index], tree.rels[index]
    is_clause = tree.rels[complement] == "pcomp" and _is_clause(tree, complement)
    if rel in PREPOSITIONAL or rel in ("advmod", "npadvmod"):
        rel = _role(tree, head, rel, is_clause)
    tree.replace(index, complement, rel=rel, old_rel="mark" if is_clause else "case")


def _is_clause(tree: Tree, index: int) -> bool:
    return tree.is_verbal(index) or bool(tree.with_rel(index, *SUBJECTS))


def _role(tree: Tree, head: int, rel: str, is_clause: bool) -> str:
    """Return the relation of the object or clause of a preposition to the former head of the preposition."""
    if head != ROOT and tree.rels[head] in (*PREPOSITIONAL, "pcomp") and not tree.is_verbal(head):
        return "pcomp" if is_clause else "pobj"  # a preposition before a preposition, which is converted next
    if is_clause:
        return "advcl" if tree.takes_obliques(head) else "acl"
    if rel == "agent":
        return "obl:agent"
    return "obl" if tree.takes_obliques(head) else "nmod"


def _strand(tree: Tree, index: int) -> None:
    """Convert a preposition without an object ("the house we live in", "he came in")."""
    head = tree.heads[index]
    inner = tree.with_rel(index, "prep")
    if inner:
        return
    in_clause = head != ROOT and tree.rels[head] in ("relcl", "acl", "xcomp", "advcl")
    tree.rels[index] = "obl" if in_clause and tree.words[index].upos == "ADP" else "advmod"


def convert_infinitive_subjects(tree: Tree) -> None:
    """Make the subject of an infinite clause the object of the governing verb ("let him go", "it made her sad")."""
    for index in range(len(tree)):
        if tree.rels[index] not in ("ccomp", "xcomp") or tree.heads[index] == ROOT:
            continue
        head = tree.heads[index]
        subjects = tree.with_rel(index, "nsubj", "nsubjpass")
        if subjects and head < subjects[0] and tree.is_verbal(head) and _is_bare(tree, index):
            tree.attach(subjects[0], head, "obj")
            tree.rels[index] = "xcomp"


def _is_bare(tree: Tree, index: int) -> bool:
    """Return whether the verb is an infinitive or participle without a conjunction."""
    if tree.with_rel(index, "mark"):
        return False
    auxiliaries = tree.with_rel(index, "aux", "auxpass")
    tags = {tree.words[word].xpos for word in (index, *auxiliaries)}
    return not tags & {"VBD", "VBZ", "VBP", "MD"}


def convert_predicates(tree: Tree) -> None:
    """Make the predicate the head of *be*; after *there*, make the noun the subject of *be*."""
    for index in sorted(range(len(tree)), key=tree.depth, reverse=True):
        if (
            tree.words[index].lemma not in ("be", "'s")
            or not tree.is_verbal(index)
            or tree.rels[index] in ("aux", "auxpass")
        ):
            continue
        if tree.with_rel(index, "expl"):
            for child in tree.with_rel(index, "attr"):
                tree.rels[child] = "nsubj"
        elif (raised := _predicate(tree, index)) is not None:
            _raise_predicate(tree, index, raised)


def _predicate(tree: Tree, index: int) -> int | None:
    children = tree.children[index]
    for rels in (("attr",), ("acomp",)):
        predicates = tree.with_rel(index, *rels)
        if predicates:
            return predicates[0] if tree.with_rel(index, *SUBJECTS) or len(predicates) == 1 else predicates[-1]
    places = [child for child in children if tree.rels[child] == "advmod" and tree.forms[child] in PLACES]
    obliques = [child for child in children if tree.rels[child] in ("obl", "oprd") and child > index]
    clauses = [child for child in children if tree.rels[child] in CLAUSES and child > index]
    return next(iter([*places[:1], *obliques, *clauses]), None)


def _raise_predicate(tree: Tree, index: int, raised: int) -> None:
    if tree.rels[raised] in CLAUSES:
        for subject in tree.with_rel(index, *SUBJECTS):
            tree.rels[subject] = f"{tree.rels[subject]}:outer"
    tree.replace(index, raised, rel=tree.rels[index], old_rel="cop")


def convert_names(tree: Tree) -> None:
    """Attach the words of a person's name to the first one, and titles and numbers to the name."""
    for index, word in enumerate(tree.words):
        if word.upos not in ("PROPN", "NUM"):
            continue
        parts = [child for child in tree.with_rel(index, "compound") if child < index]
        parts = [part for part in parts if tree.words[part].upos == "PROPN"]
        own = [part for part in parts if _is_person(tree, part)] if _is_person(tree, index) else []
        if own:
            tree.replace(index, own[0], rel=tree.rels[index], old_rel="flat")
            for part in parts:
                if part != own[0]:
                    tree.rels[part] = "flat" if part in own else "nmod:desc"
        elif parts and NUMERAL.fullmatch(word.form) and parts[-1] == index - 1:
            tree.replace(index, parts[-1], rel=tree.rels[index], old_rel="nummod" if word.upos == "NUM" else "flat")


def _is_person(tree: Tree, index: int) -> bool:
    return tree.words[index].name.partition("-")[2] in PERSON


def convert_fixed(tree: Tree) -> None:
    """Make the first word of a fixed expression the head of the others."""
    at = 0
    while at < len(tree):
        keys = (tuple(tree.forms[at : at + length]) for length in (3, 2))
        key = next((key for key in keys if key in FIXED), ("",))
        if key in FIXED:
            _fix(tree, range(at, at + len(key)), FIXED[key])
        at += len(key)


def _fix(tree: Tree, words: range, rel: str) -> None:
    outside = [word for word in words if tree.heads[word] not in words]
    if len({tree.heads[word] for word in outside}) != 1 or tree.heads[outside[0]] == ROOT:
        return
    if any(child not in words for word in words for child in tree.children[word]):
        return
    first = words.start
    was = tree.rels[outside[0]]
    tree.attach(first, tree.heads[outside[0]], rel or (tree.rels[first] if first in outside else was))
    for word in words[1:]:
        tree.attach(word, first, "fixed")


def rename_relations(tree: Tree) -> None:
    """Rename relations that differ only by name or by the head."""
    for index, rel in enumerate(tree.rels):
        head = tree.heads[index]
        if rel == "aux" and tree.words[index].xpos == "TO":
            tree.rels[index] = "mark"
        elif rel == "relcl" and _is_infinitive(tree, index):
            tree.rels[index] = "acl"
        elif rel == "npadvmod":
            tree.rels[index] = "obl:unmarked" if tree.takes_obliques(head) else "nmod:unmarked"
        elif rel == "nmod":
            tree.rels[index] = (
                "nmod" if tree.with_rel(index, "case") else "compound" if index < head else "nmod:unmarked"
            )
        elif rel == "prep":
            tree.rels[index] = "advmod" if tree.takes_obliques(head) else "case"
        elif rel.endswith(":outer"):
            tree.rels[index] = rel.removesuffix(":outer").removesuffix("pass") + ":outer"
        else:
            tree.rels[index] = RENAMED.get(rel, rel)


def _is_infinitive(tree: Tree, index: int) -> bool:
    """Return whether the clause has "to" and no relative word ("a way to think")."""
    return any(tree.words[child].xpos == "TO" for child in tree.children[index]) and not any(
        tree.words[child].xpos in ("WDT", "WP", "WRB") for child in tree.children[index]
    )


PASSES = (
    convert_coordination,
    convert_free_relatives,
    convert_prepositions,
    convert_infinitive_subjects,
    convert_predicates,
    convert_names,
    convert_fixed,
    rename_relations,
)
