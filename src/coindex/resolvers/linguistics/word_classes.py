"""English word lists, word classes (UPOS or equivalents), and the head word of a mention with or without a tree."""

# ruff: noqa: SIM905 - lists of words are easier to read than lists of strings

from __future__ import annotations

from ...document import Document, Mention, Token
from ...document.heads import Trees, find_head
from ...document.naming import is_pronoun
from .languages import Language

PERSONAL = frozenset(
    """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves thou thee thy thine thyself
    he him his himself she her hers herself it its itself they them their theirs themselves themself
    """.split()
)
RELATIVES = {
    "who": {"Animacy": "Anim"},
    "whom": {"Animacy": "Anim"},
    "which": {"Animacy": "Inan"},
    "whose": {},
}
POSSESSIVES = frozenset("my our your thy his her its their whose".split())
PLURALS = frozenset("people police men women children feet teeth mice cattle folk".split())
NO_PLURALS = frozenset("news politics physics mathematics economics series species lens".split())

DETERMINERS = frozenset(
    "the a an this that these those some any no every each either neither another all both half such".split()
)
PREPOSITIONS = frozenset(
    """
    of in on at by for with from to into onto upon over under above below between among through during before after
    about against toward towards across behind beside besides beyond near off out up down around along within without
    since until till despite except per via like as than inside outside throughout amid versus
    """.split()
)
CONJUNCTIONS = frozenset(
    """
    and or but nor so yet because although though while whereas if unless when where why how whether that lest once
    """.split()
)
ADVERBS = frozenset(
    """
    not n't never always often sometimes usually ever also only just even still already soon later now then there here
    again too very quite rather almost perhaps maybe however therefore thus instead away back together far well
    much more most less least today yesterday tomorrow tonight indeed else ago once twice home
    yes no oh ah uh um okay ok please hello hey
    """.split()
)
QUESTIONS = frozenset("what who whom whose which".split())
AUXILIARIES = frozenset(
    """
    am is are was were be been being 's 're 've 'll 'd 'm have has had having do does did doing done will would shall
    should can could may might must ought need dare
    """.split()
)
VERBS = frozenset(
    """
    say says said tell tells told ask asks asked go goes went gone come comes came get gets got gotten make makes made
    take takes took taken give gives gave given see sees saw seen know knows knew known think thinks thought find finds
    found leave leaves left feel feels felt become becomes became begin begins began begun keep keeps kept hold holds
    held bring brings brought write writes wrote written stand stands stood hear hears heard let lets mean means meant
    set meet meets met run runs ran pay pays paid sit sits sat speak speaks spoke spoken lie lies lay lead leads led
    read reads grow grows grew grown lose loses lost fall falls fell fallen send sends sent build builds built
    understand understands understood draw draws drew drawn break breaks broke broken spend spends spent cut cuts rise
    rises rose risen drive drives drove driven buy buys bought wear wears wore worn choose chooses chose chosen eat
    eats ate eaten win wins won catch catches caught teach teaches taught sell sells sold fight fights fought throw
    throws threw thrown show shows shown hit hits put puts shut hurt hurts sing sings sang sung sleep sleeps slept fly
    flies flew flown forget forgets forgot begged want wants seem seems seemed look looks looked like likes live lives
    believe believes happen happens include includes continue continues turn turns help helps play plays move moves
    try tries call calls use uses work works love loves remain remains appear appears walk walks smile smiles wait
    waits die dies stay stays open opens stop stops allow allows add adds kill kills reach reaches
    """.split()
)


# Penn Treebank, STTS (German) and CGN (Dutch). Their common tags have the same meaning, except NN.
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
# tags of pronouns that are not anaphoric
OTHER_PRONOUNS = frozenset({"WP", "WP$", "WDT", "PDS", "PIS", "PWS"})
# Zeros of KorKor have no tag and no DEPS, but a form for the role of the dropped word; verbs can be dropped too.
ZERO_RELATIONS = {"SUBJ": "nsubj", "OBJ": "obj", "POSS": "nmod:poss"}


def word_class(token: Token) -> str:
    """Return the UPOS tag, or the equivalent of the language-specific tag, or "_" without tags."""
    if token.upos != "_":
        return token.upos
    if token.xpos == "_":
        return "_"
    name, bracket, rest = token.xpos.partition("[")
    if bracket and name == "N":
        return "PROPN" if rest.startswith("eigen") else "NOUN"
    return TAGS.get(name, "X")


def has_classes(doc: Document) -> bool:
    """Return whether some word has a word class."""
    return any(word_class(token) not in ("_", "X") for token in doc.tokens)


def _is_other_pronoun(tag: str) -> bool:
    if tag.startswith("VNW["):  # Dutch: personal, possessive, reflexive or both, relative
        return not tag.startswith(("VNW[pers", "VNW[bez", "VNW[refl", "VNW[pr,", "VNW[betr"))
    return tag in OTHER_PRONOUNS


def is_zero_pronoun(token: Token) -> bool:
    """Return whether an empty node is a pronoun, by its tag or by its form in KorKor."""
    return token.is_empty and (token.upos == "PRON" or (token.upos == "_" and token.form in (*ZERO_RELATIONS, "_")))


def points_back(token: Token) -> bool:
    """Return whether the word is a personal, possessive, reflexive or relative pronoun, by its tags.

    Pronouns without a PronType and dropped pronouns are included. Possessives are determiners in many treebanks.
    """
    if token.is_empty and token.upos == "_":
        return is_zero_pronoun(token)
    kind = word_class(token)
    features = token.features
    if kind == "DET":
        return features.get("Poss") == "Yes"
    if kind != "PRON" or _is_other_pronoun(token.xpos) or token.deprel.startswith("expl"):
        return False
    return any(name in ("Prs", "Rel", "") for name in features.get("PronType", "").split(","))


def is_pronominal(mention: Mention, language: Language) -> bool:
    """Return whether the mention is a pronoun or zero, by its tags or by the word list of the language."""
    if is_pronoun(mention) or mention.is_zero:
        return True
    if len(mention.positions) != 1:
        return False
    token = mention.layer[mention.start]
    return points_back(token) or (word_class(token) == "_" and token.form.lower() in language.pronouns)


# The most common prepositions of other languages in which nouns precede their modifiers.
BREAKS = PREPOSITIONS | frozenset(("de", "du", "des", "del", "della", "von", "van", "z", "из", "в", "на", "о"))
SIGNS = frozenset((",", "(", "[", "-", "–", "—", ":", ";"))


def head_word(mention: Mention, trees: Trees) -> int:
    """Return the given head, that of the tree, or otherwise the last word before a preposition or a comma.

    The last rule is a guess for English (*the mayor of London* -> *mayor*, *turned in* -> *turned*).
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
