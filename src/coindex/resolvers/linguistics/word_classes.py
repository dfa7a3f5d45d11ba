"""The class of a word as UPOS has it, and the head word of a mention, with a tree or without."""

from __future__ import annotations

from ...document import Document, Mention, Token
from ...document.heads import Trees, find_head
from ...document.naming import is_pronoun
from .english import PREPOSITIONS
from .languages import Language

# Penn Treebank, STTS for German, and CGN for Dutch, which share no tag that means different things, but for NN.
TAGS = {
    **dict.fromkeys(("NN", "NNS"), "NOUN"),
    **dict.fromkeys(("NNP", "NNPS", "NE"), "PROPN"),
    **dict.fromkeys(("PRP", "PRP$", "WP", "WP$", "WDT"), "PRON"),
    **dict.fromkeys(("PPER", "PRF", "PPOSAT", "PPOSS", "PRELS", "PRELAT", "PDS", "PIS", "PWS"), "PRON"),
    **dict.fromkeys(("DT", "PDT", "ART", "PDAT", "PIAT", "PWAT", "LID"), "DET"),
    **dict.fromkeys(("JJ", "JJR", "JJS", "ADJA", "ADJ"), "ADJ"),
    **dict.fromkeys(("CD", "CARD", "TW"), "NUM"),
    "VNW": "PRON",
    "N": "NOUN",
}
# the kinds of pronouns that do not point back
OTHER_PRONOUNS = frozenset({"WP", "WP$", "WDT", "PDS", "PIS", "PWS"})
# KorKor's zeros have no tag and no DEPS, but a form that tells what was dropped; it also marks dropped verbs.
ZERO_RELATIONS = {"SUBJ": "nsubj", "OBJ": "obj", "POSS": "nmod:poss"}


def word_class(token: Token) -> str:
    """The UPOS tag, or what the language-specific tag amounts to; "_" where neither says it."""
    if token.upos != "_":
        return token.upos
    if token.xpos == "_":
        return "_"
    name, bracket, rest = token.xpos.partition("[")
    if bracket and name == "N":
        return "PROPN" if rest.startswith("eigen") else "NOUN"
    return TAGS.get(name, "X")


def has_classes(doc: Document) -> bool:
    """Whether some word tells its class."""
    return any(word_class(token) not in ("_", "X") for token in doc.tokens)


def _is_other(tag: str) -> bool:
    if tag.startswith("VNW["):  # Dutch: personal, possessive, reflexive or both, relative
        return not tag.startswith(("VNW[pers", "VNW[bez", "VNW[refl", "VNW[pr,", "VNW[betr"))
    return tag in OTHER_PRONOUNS


def is_zero_pronoun(token: Token) -> bool:
    """Whether an empty node stands for a pronoun: by its tag, else by what KorKor has for a form."""
    return token.is_empty and (token.upos == "PRON" or (token.upos == "_" and token.form in (*ZERO_RELATIONS, "_")))


def points_back(token: Token) -> bool:
    """Whether the word is a personal, possessive, reflexive or relative pronoun, by its tags.

    A pronoun of unsaid kind counts, and so does a dropped one. Possessives are determiners in many treebanks.
    """
    if token.is_empty and token.upos == "_":
        return is_zero_pronoun(token)
    kind = word_class(token)
    features = token.features
    if kind == "DET":
        return features.get("Poss") == "Yes"
    if kind != "PRON" or _is_other(token.xpos) or token.deprel.startswith("expl"):
        return False
    return any(name in ("Prs", "Rel", "") for name in features.get("PronType", "").split(","))


def is_pronominal(mention: Mention, language: Language) -> bool:
    """Whether the mention is a pronoun or zero: by its tags, also a corpus's own, else by the language's list."""
    if is_pronoun(mention) or mention.is_zero:
        return True
    if len(mention.positions) != 1:
        return False
    token = mention.layer[mention.start]
    return points_back(token) or (word_class(token) == "_" and token.form.lower() in language.pronouns)


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
