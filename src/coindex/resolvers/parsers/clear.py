"""ClearNLP's English relations, which spaCy's English pipelines give, turned into Universal Dependencies.

The two differ in what is the head: ClearNLP has prepositions above their objects, the verb *be* above its predicate,
conjuncts in a chain. Each of the passes below turns one construction; the last renames what is left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .clear_tree import Tree
from .english import ASKING, FIXED, PLACES, WHAT
from .punctuation import attach_punctuation
from .words import ROOT, Word

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
"""UD relations whose word begins a clause with a verb of its own."""
FREE = {"ccomp": "dobj", "csubj": "nsubj", "csubjpass": "nsubjpass", "pcomp": "pobj"}
"""Relations of clauses, and what they are of the word with wh if it is taken to be above its clause."""
NUMERAL = re.compile(r"[IVX]+|[A-Z]|\d[\d-]*")
PERSON = ("PERSON", "PER")


def to_ud(words: Sequence[Word]) -> list[Word]:
    """The sentence with UD relations and heads; all else as it was."""
    tree = Tree(words)
    for turn in PASSES:
        turn(tree)
    attach_punctuation(tree)
    return [
        word._replace(head=head, deprel=rel, upos=_upos(word, rel), feats=_feats(tree, index))
        for index, (word, head, rel) in enumerate(zip(words, tree.heads, tree.rels, strict=True))
    ]


def _upos(word: Word, rel: str) -> str:
    """The tag that UD has where spaCy's differs."""
    if word.xpos == "WRB":
        return "ADV"
    if word.upos in ("ADP", "SCONJ") and word.xpos == "IN" and rel in ("mark", "case"):
        return "SCONJ" if rel == "mark" else "ADP"
    return word.upos


def _feats(tree: Tree, index: int) -> str:
    """The features; a word with wh is relative in a relative clause, else it asks, which spaCy says of few of them."""
    word = tree.words[index]
    if word.xpos not in ("WDT", "WP", "WP$"):
        return word.feats
    at, steps = index, 0
    while tree.rels[at] not in CLAUSAL and tree.heads[at] != ROOT and steps < len(tree):
        at, steps = tree.heads[at], steps + 1
    kind = "Rel" if tree.rels[at] == "acl:relcl" or tree.with_rel(index, "acl:relcl") else "Int"
    kept = [] if word.feats == "_" else [pair for pair in word.feats.split("|") if not pair.startswith("PronType=")]
    return "|".join(sorted([*kept, f"PronType={kind}"]))


def coordinate(tree: Tree) -> None:
    """Conjuncts hang on the first, not each on the one before; "and" and the comma on the conjunct that follows."""
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


def free(tree: Tree) -> None:
    """In "we know what you did" the word with wh is what is known, and the clause is relative to it."""
    for index in range(len(tree)):
        head = tree.heads[index]
        if tree.rels[index] not in FREE or head == ROOT or tree.words[head].lemma in ASKING:
            continue
        found = [child for child in tree.with_rel(index, "nsubj", "nsubjpass", "dobj") if tree.forms[child] in WHAT]
        if found and not tree.with_rel(index, "mark"):
            rel = "attr" if tree.words[head].lemma == "be" else FREE[tree.rels[index]]
            tree.attach(found[0], head, rel)
            tree.attach(index, found[0], "relcl")


def prepose(tree: Tree) -> None:
    """A preposition hangs on its object, which hangs where the preposition did; inner ones first ("out of it")."""
    for index in sorted(range(len(tree)), key=tree.depth, reverse=True):
        objects = tree.with_rel(index, "pobj") or tree.with_rel(index, "pcomp")
        if objects:
            _turn_preposition(tree, index, objects[0])
        elif tree.rels[index] in PREPOSITIONAL and tree.words[index].upos in ("ADP", "SCONJ", "ADV"):
            _strand(tree, index)


def _turn_preposition(tree: Tree, index: int, complement: int) -> None:
    head, rel = tree.heads[index], tree.rels[index]
    is_clause = tree.rels[complement] == "pcomp" and _is_clause(tree, complement)
    if rel in PREPOSITIONAL or rel in ("advmod", "npadvmod"):
        rel = _role(tree, head, rel, is_clause)
    tree.replace(index, complement, rel=rel, old_rel="mark" if is_clause else "case")


def _is_clause(tree: Tree, index: int) -> bool:
    return tree.is_verbal(index) or bool(tree.with_rel(index, *SUBJECTS))


def _role(tree: Tree, head: int, rel: str, is_clause: bool) -> str:
    """What the object of a preposition, or the clause after one, is to the word that the preposition hung on."""
    if head != ROOT and tree.rels[head] in (*PREPOSITIONAL, "pcomp") and not tree.is_verbal(head):
        return "pcomp" if is_clause else "pobj"  # a preposition before a preposition, which is turned next
    if is_clause:
        return "advcl" if tree.takes_obliques(head) else "acl"
    if rel == "agent":
        return "obl:agent"
    return "obl" if tree.takes_obliques(head) else "nmod"


def _strand(tree: Tree, index: int) -> None:
    """A preposition whose object is elsewhere ("the house we live in") or unsaid ("he came in")."""
    head = tree.heads[index]
    inner = tree.with_rel(index, "prep")
    if inner:
        return
    in_clause = head != ROOT and tree.rels[head] in ("relcl", "acl", "xcomp", "advcl")
    tree.rels[index] = "obl" if in_clause and tree.words[index].upos == "ADP" else "advmod"


def lower(tree: Tree) -> None:
    """The subject of what has no tense is the object of the verb above ("let him go", "it made her sad")."""
    for index in range(len(tree)):
        if tree.rels[index] not in ("ccomp", "xcomp") or tree.heads[index] == ROOT:
            continue
        head = tree.heads[index]
        subjects = tree.with_rel(index, "nsubj", "nsubjpass")
        if subjects and head < subjects[0] and tree.is_verbal(head) and _is_bare(tree, index):
            tree.attach(subjects[0], head, "obj")
            tree.rels[index] = "xcomp"


def _is_bare(tree: Tree, index: int) -> bool:
    """Whether the verb has neither tense nor conjunction: an infinitive or a participle."""
    if tree.with_rel(index, "mark"):
        return False
    auxiliaries = tree.with_rel(index, "aux", "auxpass")
    tags = {tree.words[word].xpos for word in (index, *auxiliaries)}
    return not tags & {"VBD", "VBZ", "VBP", "MD"}


def predicate(tree: Tree) -> None:
    """What *be* says of its subject is above it; with *there* the noun is the subject of *be*."""
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
        elif (found := _predicate(tree, index)) is not None:
            _raise_predicate(tree, index, found)


def _predicate(tree: Tree, index: int) -> int | None:
    children = tree.children[index]
    for rels in (("attr",), ("acomp",)):
        found = tree.with_rel(index, *rels)
        if found:
            return found[0] if tree.with_rel(index, *SUBJECTS) or len(found) == 1 else found[-1]
    places = [child for child in children if tree.rels[child] == "advmod" and tree.forms[child] in PLACES]
    obliques = [child for child in children if tree.rels[child] in ("obl", "oprd") and child > index]
    clauses = [child for child in children if tree.rels[child] in CLAUSES and child > index]
    return next(iter([*places[:1], *obliques, *clauses]), None)


def _raise_predicate(tree: Tree, index: int, found: int) -> None:
    if tree.rels[found] in CLAUSES:
        for subject in tree.with_rel(index, *SUBJECTS):
            tree.rels[subject] = f"{tree.rels[subject]}:outer"
    tree.replace(index, found, rel=tree.rels[index], old_rel="cop")


def name(tree: Tree) -> None:
    """The words of a person's name hang on its first, a title on the name, a number after a name on the name."""
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


def fix(tree: Tree) -> None:
    """Expressions of several words that work as one: the first is above the others."""
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


def rename(tree: Tree) -> None:
    """What differs in name alone, or by the word above."""
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
    """Whether "to" comes before the verb and nothing relative does ("a way to think")."""
    return any(tree.words[child].xpos == "TO" for child in tree.children[index]) and not any(
        tree.words[child].xpos in ("WDT", "WP", "WRB") for child in tree.children[index]
    )


PASSES = (coordinate, free, prepose, lower, predicate, name, fix, rename)
