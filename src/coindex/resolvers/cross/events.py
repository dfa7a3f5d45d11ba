"""Events found without a model: verbs that are no auxiliaries, and nouns of a list. One word each.

Verbs by their tags where there are any; else English, by word lists and endings: *-ed*, *-ing* after no article,
irregular forms. What happens is often said by a noun (*the attack*), and nouns are many, so this finds far from all
events.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...document import Document
from ..languages import language_of
from ..rules.english import AUXILIARIES, DETERMINERS, POSSESSIVES, VERBS
from ..rules.stems import IRREGULAR, stem
from ..rules.word_classes import has_classes, word_class

_NOUNS = """
accident acquisition arrest assault assassination attack award battle birth blast bombing bid campaign ceremony charge
clash collapse collision concert conference conflict confession construction conviction coup crash crime crisis death
deal debate debut defeat delay demonstration departure discovery dispute drought earthquake election eruption escape
eviction evacuation event execution explosion festival fight fire flood funeral game genocide hearing homicide hurricane
hunt injury inquiry invasion investigation journey kidnapping killing landslide launch lawsuit loss marriage massacre
match meeting merger mission murder negotiation nomination operation outbreak outage parade performance poll protest
purchase quake raid rally rape referendum release rescue resignation retirement revolution riot robbery sale scandal
search sentence shooting siege speech storm strike suicide summit surgery takeover talks theft thunderstorm tornado
tournament tragedy transaction trial trip tsunami verdict victory violence visit vote war wedding win withdrawal wreck
"""
NOUNS = frozenset(stem(word) for word in _NOUNS.split())
BASES = frozenset(IRREGULAR.values()) - {
    "be",
    "have",
    "do",
    "man",
    "woman",
    "child",
    "person",
    "foot",
    "tooth",
    "mouse",
}
NO_VERBS = frozenset(
    stem(word)
    for word in "life wife knife leaf thing morning evening king ring spring hundred red bed need".split()  # noqa: SIM905 - a list of words
)
BEFORE_NOUNS = DETERMINERS | POSSESSIVES


def find_events(doc: Document) -> Iterator[int]:
    """The positions of words that tell of events, in order."""
    if has_classes(doc):
        for position, token in enumerate(doc.tokens):
            kind = word_class(token)
            if kind == "VERB" or (kind == "NOUN" and stem(token.form) in NOUNS):
                yield position
    elif language_of(doc).code in ("", "en"):
        yield from _english(doc)


def _english(doc: Document) -> Iterator[int]:
    forms = doc.tokens.forms
    for position, form in enumerate(forms):
        if not form.isalpha():
            continue
        word = form.lower()
        base = stem(word)
        if base in NOUNS:
            yield position
        elif word not in AUXILIARIES and base not in NO_VERBS and not (form[:1].isupper() and position):
            before = forms[position - 1].lower() if position else ""
            irregular = IRREGULAR.get(word) in BASES or word in VERBS
            regular = len(word) > 4 and base != word and word.endswith(("ed", "ing"))
            if (irregular or regular) and before not in BEFORE_NOUNS:
                yield position
