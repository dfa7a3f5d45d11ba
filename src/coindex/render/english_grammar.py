"""English grammar needed to replace anaphors: pronouns, possessives, agreement, short forms."""

from __future__ import annotations

from ..document.documents import Document
from ..document.tokens import Token


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


PERSONAL = _words("he him she her it they them")
POSSESSIVE = _words("his her its their hers theirs")
DEMONSTRATIVE = _words("this that these those")
FIRST_AND_SECOND = _words("i me we us you")
FIRST_AND_SECOND_POSSESSIVE = _words("my mine our ours your yours")
PLURAL = _words("they these those")
SINGULAR = _words("he she it this that")
RELATIVE = _words("who whom whose which what where when why how")
DEFINITE = _words("the this that these those his her its their")
INDEFINITE = _words("a an some")
UNFIT = _words("every each no any such another either neither what which other others enough much")
"""A phrase that begins with one of these cannot be said again of the same thing."""
ARTICLES_AND_SUCH = DEFINITE | INDEFINITE | _words("my our your one two three both all many several every each no")
COPULAS = _words(
    "is are was were be been being am 's ’s 're ’re become became becomes remain remains remained as called"
)

# After these forms, what was "they will" is written out: "Ann and Bob'll" cannot be read.
EXPANDED = {"'re": "are", "’re": "are", "'ve": "have", "’ve": "have", "'ll": "will", "’ll": "will"}
_SAME_IN_ALL_PERSONS = _words("could would should might must will shall can may had did 'd ’d 'll ’ll")
_OF_ONE_PERSON = _words("am are were have do is was has does 'm ’m 're ’re 've ’ve 's ’s aren't weren't haven't don't")
# Words after "her" that show it is no possessive, for texts without tags.
_NO_NOUN = _words(
    "a an the and or but nor so if as at by for from in into of off on onto out over past to up upon with without "
    "since until till during between through under near around across along against within behind beside like than "
    "about after before because when while where who which that this these those he she it they we you i not is was "
    "are were had has have did does do will would can could should again away back down here now then there today "
    "tomorrow yesterday soon too very alone all nothing something anything everything nobody somebody anybody "
    "everybody no some any every each what how why whether his my your our their its"
)
_EVIDENCE = _words("the and with that were been this his her she he they would have it")


def is_english(doc: Document) -> bool:
    """By its language, else by its small words: one in twenty-five words at least."""
    if doc.language is not None:
        return doc.language.lower().replace("_", "-").split("-")[0] in ("en", "eng")
    forms = doc.tokens.forms
    return 25 * sum(form.lower() in _EVIDENCE for form in forms) >= max(1, len(forms))


def is_possessive(token: Token, after: Token | None, *, opens_phrase: bool) -> bool:
    """Whether a word such as *her* says whose something is: by tags, by a phrase that it opens, or by what follows."""
    word = token.form.lower()
    if word not in POSSESSIVE | FIRST_AND_SECOND_POSSESSIVE:
        return False
    if word != "her":
        return True
    if token.upos != "_" or token.xpos != "_":
        return token.features.get("Poss") == "Yes" or token.xpos == "PRP$" or token.deprel.endswith(":poss")
    if opens_phrase:
        return True
    following = after.form.lower() if after is not None and token.space else ""
    return following[:1].isalnum() and following not in _NO_NOUN and not following.endswith("ly")


def is_same_in_all_persons(verb: Token) -> bool:
    """Whether a finite verb would be the same with another subject: "they left", but not "they leave"."""
    word = verb.form.lower()
    if word in _SAME_IN_ALL_PERSONS or verb.xpos == "MD":
        return True
    if word in _OF_ONE_PERSON:
        return False
    if verb.upos == "_":
        return word.endswith("ed")
    features = verb.features
    return features.get("Tense") == "Past" or features.get("VerbForm") == "Inf"


def genitive(name: str, *, is_plural_noun: bool, apostrophe: str = "'") -> str:
    """A name with its 's: Alice's, James's, but the girls'."""
    return name + apostrophe + ("" if is_plural_noun and name.endswith("s") else "s")
