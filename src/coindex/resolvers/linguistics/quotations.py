"""Quotations of English text with their speakers, and turns of documents that have speakers.

Quotation marks are straight, curly, angular (guillemets) or single; an apostrophe closes nothing. A speaker is found
in the reporting clause next to a quotation (*"…," said Anna*; *Anna asked: "…"*), in an earlier part of the same
quotation, in the same paragraph, or by alternation where two people talk in paragraphs without other text. Quotations
without such evidence have no speaker, and words in quotation marks that are not speech, such as titles, are left out.
"""

# ruff: noqa: SIM905 - lists of words are easier to read than lists of strings

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, Literal

from ...document import Document, Entity, Mention, Sentence, Span, Tokens
from ...document.documents import addressee_of
from .languages import language
from .word_classes import ADVERBS, AUXILIARIES, CONJUNCTIONS, PREPOSITIONS

Evidence = Literal["turn", "verb", "continued", "paragraph", "alternation"]
EVIDENCE: dict[Evidence, str] = {
    "turn": "the text or the corpus names the speaker of the turn",
    "verb": "a verb of speech with its subject is next to the quotation",
    "continued": "the quotation continues after the reporting clause, or in the next paragraph",
    "paragraph": "another quotation of the paragraph has this speaker",
    "alternation": "two people talk in turn, in paragraphs without other text",
}


@dataclass(frozen=True, slots=True)
class Quotation:
    """What somebody says: the tokens start..end, half-open and without quotation marks.

    `speaker` and `addressee` are names or other text, None if unknown; the spans are tokens, None if the text does not
    have these words. `depth` is 1 for a quotation inside another one.
    """

    layer: Tokens = field(repr=False, compare=False)
    start: int
    end: int
    speaker: str | None = None
    speaker_span: Span | None = None
    addressee: str | None = None
    addressee_span: Span | None = None
    evidence: Evidence | None = None
    depth: int = 0
    speaker_entity: str | None = None
    """The id of the speaker's entity, if the document is resolved."""
    addressee_entity: str | None = None

    @property
    def start_char(self) -> int:
        return self.layer.start_char(self.start)

    @property
    def end_char(self) -> int:
        return self.layer.end_char(self.end - 1)

    @property
    def text(self) -> str:
        return self.layer.text[self.start_char : self.end_char]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with the character offsets of the quotation, the speaker and the addressee."""
        return {
            "text": self.text,
            "start_char": self.start_char,
            "end_char": self.end_char,
            "depth": self.depth,
            "evidence": self.evidence,
            "speaker": self._describe(self.speaker, self.speaker_span, self.speaker_entity),
            "addressee": self._describe(self.addressee, self.addressee_span, self.addressee_entity),
        }

    def _describe(self, name: str | None, span: Span | None, entity: str | None) -> dict[str, Any] | None:
        if name is None:
            return None
        start, end = (self.layer.start_char(span[0]), self.layer.end_char(span[1] - 1)) if span else (None, None)
        return {"text": name, "start_char": start, "end_char": end, "entity": entity}


OPENING = {"“": "”", "„": "”", "‟": "”", "«": "»", "``": "''", "‘": "’"}
CLOSING = frozenset(OPENING.values())
STRAIGHT = {'"': '"', "'": "'"}
SINGLE = frozenset("’'")
LONGEST = 12
"""Maximum number of sentences of a quotation if paragraphs are unknown; a longer one is an unmatched mark."""
LONGEST_SINGLE = 4
REACH = 14
"""Maximum number of words between a verb of speech and the quotation."""
SPEECH_ENDS = frozenset(".,;!?…—–-")
"""The characters of the last token of what somebody says."""
STOPS = frozenset(".;!?…")
BREAK = re.compile(r"\n[ \t\r]*\n|\f")

VERBS = frozenset(
    """
    say says said ask asks asked reply replies replied answer answers answered cry cries cried exclaim exclaims
    exclaimed shout shouts shouted whisper whispers whispered mutter mutters muttered murmur murmurs murmured add adds
    added explain explains explained remark remarks remarked observe observes observed declare declares declared
    announce announces announced insist insists insisted respond responds responded yell yells yelled scream screams
    screamed demand demands demanded inquire inquires inquired enquire enquires enquired admit admits admitted protest
    protests protested repeat repeats repeated interrupt interrupts interrupted suggest suggests suggested warn warns
    warned promise promises promised tell tells told write writes wrote note notes noted state states stated argue
    argues argued claim claims claimed retort retorts retorted rejoin rejoined ejaculate ejaculated groan groaned sob
    sobbed stammer stammered grumble grumbled growl growled snap snapped plead pleaded beg begged urge urged concede
    conceded confess confessed recall recalled joke joked quip quipped bellow bellowed mumble mumbled hiss hissed gasp
    gasped call calls called proclaim proclaimed comment comments commented sigh sighed laugh laughed begin began
    continue continues continued return returned agree agrees agreed assure assures assured remind reminds reminded
    inform informed testify testifies testified report reports reported persist persisted venture ventured drawl drawled
    roar roared
    """.split()
)
"""Verbs of speech, in the forms that stories and news use."""
UNCERTAIN = frozenset(
    """
    sigh sighed laugh laughed begin began continue continues continued return returned agree agrees agreed call calls
    called groan groaned sob sobbed gasp gasped roar roared growl growled interrupt interrupts interrupted snap snapped
    """.split()
)
"""Verbs that are verbs of speech only between a comma of the quotation and the subject, or after both."""
THINGS = frozenset(
    """
    statement report letter note post e-mail email mail message sign book article story study paper newspaper website
    page banner headline voice caption review text poster card telegram announcement document label motto proverb
    saying song poem
    """.split()
)
"""What is said to say something, but is not the person who says *I*."""
WITH_OBJECT = frozenset(
    """
    tell tells told ask asks asked answer answers answered warn warns warned assure assures assured remind reminds
    reminded inform informed beg begged urge urged interrupt interrupts interrupted
    """.split()
)
"""Verbs of speech whose object is the addressee."""
SUBJECTS = frozenset("i he she we they you".split())
OBJECTS = frozenset("me him her us them you".split())
DETERMINERS = frozenset("the a an this that my his her our their your its another one some".split())
_INNER = frozenset("de van von der du la le bin al di".split())
_STOPPERS = (PREPOSITIONS | CONJUNCTIONS | ADVERBS | AUXILIARIES | VERBS | SUBJECTS | {"who", "which", "whom"}) - {
    "like"
}
_BEFORE_VERB = frozenset(
    "had has have would 'd then just also only finally again always never once often still even soon later".split()
)
_NO_NAMES = frozenset(
    """
    but and so then when while after before as if for at in on with from to what why how where there here yes no oh
    well now not never however it its these those all each both nobody nothing something everything someone mr
    """.split()
)


def find_quotations(doc: Document) -> list[Quotation]:
    """Return the turns and quotations of a document in reading order, outer ones before those inside."""
    words = _Words(doc)
    quotes = _attribute(words, _find_quotes(words))
    quotations = [_with_positions(words, quote) for quote in quotes]
    quotations += _turns(doc)
    if doc.entities:
        entities = _Entities(doc)
        quotations = [
            replace(
                quotation,
                speaker_entity=entities.at(quotation.speaker_span),
                addressee_entity=entities.at(quotation.addressee_span),
            )
            for quotation in quotations
        ]
    return sorted(quotations, key=lambda quotation: (quotation.start, -quotation.end, quotation.depth))


class _Entities:
    """The entities of mentions by their first token."""

    def __init__(self, doc: Document) -> None:
        self._starting: dict[int, list[tuple[Mention, Entity]]] = {}
        for mention, entity in doc.mentions():
            self._starting.setdefault(mention.positions[0], []).append((mention, entity))

    def at(self, span: Span | None) -> str | None:
        """Return the entity of the shortest mention that begins with the words of a span."""
        if span is None:
            return None
        near = [pair for pair in self._starting.get(span[0], ()) if pair[0].positions[-1] >= span[1] - 1]
        return min(near, key=lambda pair: len(pair[0]))[1].id if near else None


@dataclass(slots=True)
class _Quote:
    """A quotation as a span of words, without its marks."""

    start: int
    end: int
    depth: int
    continues: bool = False
    """Whether it goes on from the quotation in the paragraph before."""
    speaker: Span | None = None
    addressee: Span | None = None
    evidence: Evidence | None = None
    clause_end: int = -1
    """Where the reporting clause after it ends."""


def _consists_of(form: str, characters: frozenset[str]) -> bool:
    return set(form) <= characters


def _last_mark(form: str) -> str:
    """Return a form, but of several closing marks in one token only the last, which closes the others too."""
    return form[-1] if len(form) > 1 and form[-1] in '”»"' and not form.strip("”»\"’'") else form


class _Words:
    """The words of a document without empty nodes."""

    def __init__(self, doc: Document) -> None:
        empty = doc.tokens.empty_positions
        self.doc = doc
        self.positions = [at for at in range(len(doc.tokens)) if at not in empty]
        self.forms = [_last_mark(doc.tokens[at].form) for at in self.positions]
        self.lower = [form.lower() for form in self.forms]
        self.spaces = [doc.tokens[at].space for at in self.positions]
        self.size = len(self.forms)
        self.sentence = [doc.sentence_index(at) for at in self.positions] if doc.sentences else [0] * self.size

    def begins_sentence(self, at: int) -> bool:
        return at == 0 or self.sentence[at] != self.sentence[at - 1]

    def ends_sentence(self, at: int) -> bool:
        return at + 1 >= self.size or self.sentence[at] != self.sentence[at + 1]

    @cached_property
    def paragraph(self) -> list[int] | None:
        """The paragraph of each word; None if the text does not show paragraphs."""
        breaks = [at for at in range(1, self.size) if BREAK.search(self.spaces[at - 1])]
        if not any("\n" in space for space in self.spaces[:-1]):
            return [0] * self.size
        if not breaks:
            lines = [at for at in range(1, self.size) if "\n" in self.spaces[at - 1]]
            sentences = sum(map(self.begins_sentence, range(1, self.size)))
            if lines and len(lines) < sentences and all(map(self.begins_sentence, lines)):
                breaks = lines
        if not breaks:
            return None
        numbers, at = [], 0
        for word in range(self.size):
            if at < len(breaks) and breaks[at] == word:
                at += 1
            numbers.append(at)
        return numbers

    def is_same_paragraph(self, first: int, second: int) -> bool:
        """Return whether two words are in one paragraph; neighbouring sentences if paragraphs are unknown."""
        if self.paragraph is not None:
            return self.paragraph[first] == self.paragraph[second]
        return abs(self.sentence[first] - self.sentence[second]) <= 1


def _find_quotes(words: _Words) -> list[_Quote]:
    quotes: list[_Quote] = []
    stack: list[tuple[int, str, bool]] = []  # the first word, the closing mark, whether it continues a quotation
    for at, form in enumerate(words.forms):
        is_paragraph = words.paragraph is not None and at > 0 and words.paragraph[at] != words.paragraph[at - 1]
        if is_paragraph and stack:
            start, mark, continued = stack[0]
            stack = []
            if (OPENING.get(form) or STRAIGHT.get(form)) == mark:
                quotes.append(_Quote(start, at, 0, continued))
                stack = [(at + 1, mark, True)]
                continue
        stack = [entry for entry in stack if not _is_lost(words, entry, at)]
        closes = _find_closed(words, at, stack)
        if closes is not None:
            start, _, continued = stack[closes]
            if start < at:
                quotes.append(_Quote(start, at, closes, continued))
            stack = stack[:closes]
        elif (closing := _find_closing_mark(words, at, stack)) is not None:
            stack.append((at + 1, closing, False))
    return sorted(quotes, key=lambda quote: (quote.start, -quote.end))


def _is_lost(words: _Words, entry: tuple[int, str, bool], at: int) -> bool:
    start, mark, _ = entry
    length = words.sentence[at] - words.sentence[min(start, words.size - 1)]
    if mark in SINGLE and length > LONGEST_SINGLE:
        return True
    return words.paragraph is None and length > LONGEST


def _find_closed(words: _Words, at: int, stack: Sequence[tuple[int, str, bool]]) -> int | None:
    """Return the index of the open quotation that a word closes."""
    form = words.forms[at]
    if form not in CLOSING and form not in STRAIGHT:
        return None
    marks = [mark for _, mark, _ in stack]
    if form not in marks:
        return marks.index('"') if form == "”" and '"' in marks else None
    index = len(marks) - 1 - marks[::-1].index(form)
    if form in SINGLE and _is_apostrophe(words, at):
        return None
    opens_again = form == '"' and words.begins_sentence(at) and _spacing(words, at) == "open"
    return None if opens_again else index


def _is_apostrophe(words: _Words, at: int) -> bool:
    """Return whether a single mark does not close a quotation: *the dogs' food*."""
    before = words.forms[at - 1]
    if _consists_of(before, SPEECH_ENDS) or words.ends_sentence(at):
        return False
    return _spacing(words, at) != "close" or before.endswith(("s", "S", "in"))


def _find_closing_mark(words: _Words, at: int, stack: Sequence[tuple[int, str, bool]]) -> str | None:
    """Return the mark that closes the quotation which a word opens."""
    form = words.forms[at]
    if at + 1 >= words.size or len(stack) > 1 or (form not in OPENING and form not in STRAIGHT):
        return None
    after = words.forms[at + 1]
    if form in OPENING:
        opens = form != "‘" or after[:1].isalpha()
    else:
        opens = not words.ends_sentence(at) and _spacing(words, at) != "close"
    if form == "'":
        comes_after = words.begins_sentence(at) or words.forms[at - 1] in {",", ":", "—", "--", '"', "“", "("}
        opens = opens and (comes_after or _spacing(words, at) == "open") and after[:1].isupper()
    mark = OPENING.get(form, form)
    return mark if opens and mark not in (known for _, known, _ in stack) else None


def _spacing(words: _Words, at: int) -> str:
    """Return whether the spaces around a straight mark show that it opens or closes."""
    before = at == 0 or words.spaces[at - 1] != "" or words.forms[at - 1] in {"(", "[", "—", "--", "–", "“", "‘"}
    after = words.spaces[at] != "" or at + 1 == words.size
    if before == after:
        return ""
    return "open" if before else "close"


# Noun phrases


def _noun_phrase(words: _Words, at: int, pronouns: frozenset[str], limit: int) -> Span | None:
    """Return the noun phrase that begins at a word: a pronoun, a name, or a determiner with a noun."""
    if at >= limit:
        return None
    low, form = words.lower[at], words.forms[at]
    if low in DETERMINERS:
        end = _nominal(words, at + 1, limit)
        if end > at + 1:
            return None if words.lower[end - 1] in THINGS else (at, end)
    if low in pronouns:
        return at, at + 1
    if not form[:1].isupper() or low in _NO_NAMES or low in DETERMINERS or not form[-1:].strip("'’"):
        return None
    end = at + 1
    while end < limit and (words.forms[end][:1].isupper() or _is_inner(words, end, limit)) and words.lower[end] != "i":
        end += 1
    if end + 1 < limit and words.forms[end] in ("'s", "’s") and words.forms[end + 1][:1].isalpha():
        owned = _nominal(words, end + 1, limit)
        end = owned if owned > end + 1 else end
    return at, end


def _is_inner(words: _Words, at: int, limit: int) -> bool:
    """Return whether a particle of a name is here: *Maria de la Cruz*."""
    while at < limit and words.forms[at] in _INNER:
        at += 1
    return at < limit and words.forms[at - 1] in _INNER and words.forms[at][:1].isupper()


def _nominal(words: _Words, at: int, limit: int) -> int:
    """Return the end of the words after a determiner that belong to a noun phrase."""
    end = at
    while end < limit and end - at < 6:
        low, form = words.lower[end], words.forms[end]
        if form in ("'s", "’s") and end > at:
            end += 1
            continue
        if not form[:1].isalpha() or low in _STOPPERS or low in OBJECTS or (end > at and low.endswith(("ly", "ing"))):
            break
        end += 1
    return end - 1 if end > at and words.forms[end - 1] in ("'s", "’s") else end


def _skip_adverbs(words: _Words, at: int, limit: int) -> int:
    skipped = 0
    while (
        at < limit
        and skipped < 2
        and (words.lower[at] in _BEFORE_VERB or (words.lower[at].endswith("ly") and words.forms[at].islower()))
    ):
        at += 1
        skipped += 1
    return at


# Reporting clauses


def _attribute(words: _Words, quotes: list[_Quote]) -> list[_Quote]:
    outer = [quote for quote in quotes if quote.depth == 0]
    level = [0] * words.size  # how many quotations each word is in; a mark is outside of its quotation
    for quote in quotes:
        level[quote.start : quote.end] = [quote.depth + 1] * (quote.end - quote.start)
    marks = {mark for quote in quotes for mark in (quote.start - 1, quote.end)}
    for quote in quotes:
        _read_after(words, quote, _limit_after(words, quote, level, marks))
        if quote.speaker is None:
            _read_before(words, quote, _begin_before(words, quote, level, marks))
    known = {text for quote in quotes if quote.speaker and (text := _text(words, quote.speaker))[0].isupper()}
    for quote in quotes:
        quote.addressee = quote.addressee or _vocative(words, quote, known)
    _continue(words, outer)
    speech = [quote for quote in quotes if quote.evidence or _consists_of(words.forms[quote.end - 1], SPEECH_ENDS)]
    speech = [quote for quote in speech if quote.depth == 0 or quote.evidence]
    main = [quote for quote in speech if quote.depth == 0]
    _share_paragraphs(words, main)
    _alternate(words, main)
    return speech


def _limit_after(words: _Words, quote: _Quote, level: Sequence[int], marks: set[int]) -> int:
    """Return where the words after a quotation end that may report it."""
    at = quote.end + 1
    while at < min(words.size, quote.end + 1 + REACH) and at not in marks and level[at] == quote.depth:
        if not words.is_same_paragraph(quote.end, at):
            break
        at += 1
    return at


def _begin_before(words: _Words, quote: _Quote, level: Sequence[int], marks: set[int]) -> int:
    """Return where the words before a quotation begin that may report it: in its sentence."""
    mark = at = quote.start - 1
    while at > 0 and mark - at < REACH and at - 1 not in marks and level[at - 1] == quote.depth:
        if _consists_of(words.forms[at - 1], STOPS) or not words.is_same_paragraph(at - 1, mark):
            break
        at -= 1
        if words.begins_sentence(at):
            break
    return at


def _read_after(words: _Words, quote: _Quote, limit: int) -> None:
    """Find *said Anna* or *Anna said* after a quotation."""
    at = quote.end + 1
    if at < limit and words.forms[at] in (",", "—", "--", "–"):
        at += 1
    if at >= limit:
        return
    last = words.forms[quote.end - 1]
    if words.lower[at] in VERBS and words.forms[at][0].islower():
        subject = _noun_phrase(words, at + 1, SUBJECTS, limit)
        if subject is not None:
            _report(words, quote, subject, verb=at, after=subject[1], limit=limit)
        return
    if last == "." and not (words.forms[at][0].islower() or words.forms[at] == "I"):
        return  # *"I am tired." Anna said nothing.*
    subject = _noun_phrase(words, at, SUBJECTS, limit)
    if subject is None:
        return
    verb = _skip_adverbs(words, subject[1], limit)
    if verb < limit and words.lower[verb] in VERBS and not (last != "," and words.lower[verb] in UNCERTAIN):
        after = words.lower[verb + 1] if verb + 1 < words.size else "."
        has_other_object = after in SUBJECTS | {"nothing", "that", "something", "a", "the", "n't"}
        if not has_other_object or (words.lower[verb] in WITH_OBJECT and after not in SUBJECTS):
            _report(words, quote, subject, verb=verb, after=verb + 1, limit=limit)


def _report(words: _Words, quote: _Quote, subject: Span, *, verb: int, after: int, limit: int) -> None:
    quote.speaker, quote.evidence = subject, "verb"
    quote.addressee = _object(words, verb, after, limit)
    end = after
    while end < limit and not _consists_of(words.forms[end], STOPS):
        end += 1
    quote.clause_end = end


def _object(words: _Words, verb: int, after: int, limit: int) -> Span | None:
    """Return the addressee: *asked Ben*, *said … to Ben*."""
    if after < limit and words.lower[after] == "to":
        return _noun_phrase(words, after + 1, OBJECTS, limit)
    if words.lower[verb] in WITH_OBJECT and after == verb + 1:
        return _noun_phrase(words, after, OBJECTS, limit)
    return None


def _read_before(words: _Words, quote: _Quote, begin: int) -> None:
    """Find *Anna said:* before a quotation."""
    at = quote.start - 2
    if at < begin or (words.forms[at] not in (",", ":", "—", "--", "–") and words.lower[at] not in VERBS):
        return
    verbs = [place for place in range(begin, at + 1) if words.lower[place] in VERBS - UNCERTAIN]
    if not verbs or at - verbs[-1] > 8:
        return
    verb = verbs[-1]
    subject = _subject_before(words, begin, verb)
    if subject is None:
        return
    quote.speaker, quote.evidence = subject, "verb"
    quote.addressee = _object(words, verb, verb + 1, at + 1)


def _subject_before(words: _Words, begin: int, verb: int) -> Span | None:
    """Return the subject of a verb: directly before it, or at the beginning of its clause for *and said*."""
    for start in range(max(begin, verb - 9), verb):
        subject = _noun_phrase(words, start, SUBJECTS, verb)
        if subject is not None and _skip_adverbs(words, subject[1], verb) == verb and _is_free(words, begin, start):
            return subject
    subject = _noun_phrase(words, begin, SUBJECTS, verb)
    if subject is None or words.lower[subject[1]] in ("and", "or", ","):
        return None
    if words.lower[subject[1]] in PREPOSITIONS:  # *Mr. Smith of Hull said*
        place = _noun_phrase(words, subject[1] + 1, frozenset(), verb)
        if place is not None and place[1] == verb:
            return subject
    if words.lower[verb - 1] not in ("and", ",", "then") and not words.lower[verb - 1].endswith("ly"):
        return None
    inner = words.lower[subject[1] : verb]
    return None if any(word in SUBJECTS or word in ("who", "which", "that") for word in inner) else subject


def _is_free(words: _Words, begin: int, start: int) -> bool:
    """Return whether a noun phrase begins here that no preposition or other noun phrase governs."""
    if start <= begin:
        return True
    before = words.lower[start - 1]
    if before in PREPOSITIONS or before in DETERMINERS or before in ("'s", "’s"):
        return False
    return words.forms[start][:1].isupper() is False or not words.forms[start - 1][:1].isupper()


def _continue(words: _Words, quotes: Sequence[_Quote]) -> None:
    """Give parts of one quotation the same speaker."""
    for before, quote in pairwise(quotes):
        if before.speaker is None and quote.continues and quote.speaker is not None:
            before.speaker, before.addressee, before.evidence = quote.speaker, quote.addressee, "continued"
        if quote.speaker is not None or before.speaker is None:
            continue
        between = words.forms[before.end + 1 : quote.start - 1]
        goes_on = (
            before.clause_end >= quote.start - 2
            and between
            and (words.paragraph is not None or not _consists_of(between[-1], STOPS))
            and words.is_same_paragraph(before.end, quote.start)
        )
        if quote.continues or goes_on:
            quote.speaker, quote.evidence = before.speaker, "continued"
            quote.addressee = quote.addressee or before.addressee


def _share_paragraphs(words: _Words, quotes: Sequence[_Quote]) -> None:
    """Give quotations the speaker of the others in their paragraph if it has only one."""
    paragraph = words.paragraph
    if paragraph is None:
        return
    for _, run in groupby(quotes, key=lambda quote: paragraph[quote.start]):
        own = list(run)
        known = [quote for quote in own if quote.speaker is not None]
        if known and len({_key(words, quote.speaker) for quote in known}) == 1:
            for quote in own:
                if quote.speaker is None:
                    quote.speaker, quote.evidence = known[0].speaker, "paragraph"
                    quote.addressee = quote.addressee or known[0].addressee


def _alternate(words: _Words, quotes: Sequence[_Quote]) -> None:
    """Give paragraphs that are only quotations the speaker of the paragraph before the last, if two people talk."""
    paragraph = words.paragraph
    if paragraph is None:
        return
    spoken = {number: list(run) for number, run in groupby(quotes, key=lambda quote: paragraph[quote.start])}
    sizes: dict[int, int] = {}
    for number in paragraph:
        sizes[number] = sizes.get(number, 0) + 1
    for number, own in spoken.items():
        is_bare = sum(quote.end - quote.start + 2 for quote in own) >= sizes[number]
        if any(quote.speaker for quote in own) or not is_bare:
            continue
        first, second = (_only_speaker(words, spoken.get(number - back, [])) for back in (2, 1))
        if first is None or second is None or _may_be_same(words, first, second):
            continue
        for quote in own:
            quote.speaker, quote.evidence = first, "alternation"


def _only_speaker(words: _Words, quotes: Sequence[_Quote]) -> Span | None:
    keys = {_key(words, quote.speaker) for quote in quotes}
    return quotes[0].speaker if len(keys) == 1 else None


def _may_be_same(words: _Words, first: Span, second: Span) -> bool:
    """Return whether two speakers may be one person: not if both are names, or *he* and *she*."""
    names = [_text(words, span) for span in (first, second)]
    if {name.lower() for name in names} == {"he", "she"}:
        return False
    are_names = all(name[0].isupper() and name != "I" for name in names)
    return not are_names or not set(names[0].split()).isdisjoint(names[1].split())


def _key(words: _Words, span: Span | None) -> str:
    return _text(words, span).lower() if span is not None else ""


def _text(words: _Words, span: Span) -> str:
    return " ".join(words.forms[span[0] : span[1]])


def _vocative(words: _Words, quote: _Quote, known: set[str]) -> Span | None:
    """Return the name of a person who is addressed at the beginning or end of a quotation."""
    english = language("en")

    def is_person(span: Span) -> bool:
        first = words.lower[span[0]]
        text = _text(words, span)
        return first in english.names or (span[1] - span[0] > 1 and first in english.titles) or text in known

    places: list[Span | None] = []
    end = quote.end - 1 if _consists_of(words.forms[quote.end - 1], SPEECH_ENDS) else quote.end
    first = _noun_phrase(words, quote.start, frozenset(), end)
    if first is not None and first[1] == end:
        places.append(first)
    elif first is not None and words.forms[first[1]] in (",", "!"):
        after = words.forms[first[1] + 1] if first[1] + 1 < end else "."
        if not after[:1].isupper() or after == "I":
            places.append(first)
    for start in range(max(quote.start + 1, end - 3), end):
        last = _noun_phrase(words, start, frozenset(), end)
        is_last = words.forms[start - 1] == "," and last is not None and last[1] == end
        if is_last and (start - 2 <= quote.start or not words.forms[start - 2][:1].isupper()):
            places.append(last)
    speaker = _key(words, quote.speaker)
    people = [span for span in places if span is not None and is_person(span) and _key(words, span) != speaker]
    return people[0] if people else None


def _with_positions(words: _Words, quote: _Quote) -> Quotation:
    tokens = words.doc.tokens

    def place(span: Span | None) -> tuple[str | None, Span | None]:
        if span is None:
            return None, None
        first, last = words.positions[span[0]], words.positions[span[1] - 1]
        return tokens.text[tokens.start_char(first) : tokens.end_char(last)], (first, last + 1)

    speaker, speaker_span = place(quote.speaker)
    addressee, addressee_span = place(quote.addressee)
    return Quotation(
        tokens,
        words.positions[quote.start],
        words.positions[quote.end - 1] + 1,
        speaker,
        speaker_span,
        addressee,
        addressee_span,
        quote.evidence,
        quote.depth,
    )


# Turns

LABEL_REACH = 8
"""The sentences before a turn that may name its speaker, such as the header of an e-mail."""
SIGNATURE_REACH = 3


def _turns(doc: Document) -> Iterator[Quotation]:
    """Return what the speakers of sentences say."""
    at = 0
    speakers = dict.fromkeys(sentence.speaker for sentence in doc.sentences if sentence.speaker is not None)
    for (speaker, heard), run in groupby(doc.sentences, key=lambda s: (s.speaker, addressee_of(s))):
        turn = list(run)
        before, at = doc.sentences[max(0, at - LABEL_REACH) : at], at + len(turn)
        if speaker is None:
            continue
        label = _name_in(doc, [s for s in reversed(before) if s.speaker is None], speaker)
        signature = _name_in(doc, turn[-1 : -1 - SIGNATURE_REACH : -1], speaker) if label is None else None
        greeting = next((span for name in _names(heard) if (span := _name_in(doc, turn[:1], name))), None)
        if heard is None:
            called = {other: span for other in speakers if other != speaker and (span := _called(doc, turn, other))}
            heard, greeting = next(iter(called.items())) if len(called) == 1 else (None, None)
        yield Quotation(
            doc.tokens, turn[0].start, turn[-1].end, speaker, label or signature, heard, greeting, evidence="turn"
        )


def _called(doc: Document, turn: Sequence[Sentence], name: str) -> Span | None:
    """Return where a turn addresses somebody by name, set off by punctuation: *of course, Omar.*"""
    for part in _names(name):
        for sentence in turn:
            if (span := _name_in(doc, [sentence], part)) is None:
                continue
            before = doc.tokens.forms[span[0] - 1] if span[0] > sentence.start else ","
            after = doc.tokens.forms[span[1]] if span[1] < sentence.end else "."
            if before in (",", "@", "-", "–", "—") and after in (",", ".", "!", "?", "-", "–", "—", "…"):
                return span
    return None


def _name_in(doc: Document, sentences: Sequence[Sentence], name: str) -> Span | None:
    """Return where one of the sentences contains a name."""
    letters = _letters(name)
    for sentence in sentences:
        forms = [doc.tokens[at].form for at in range(sentence.start, sentence.end)]
        for start in range(len(forms)):
            joined = ""
            for end in range(start, min(start + 8, len(forms))):
                joined += _letters(forms[end])
                if not joined:
                    break
                if joined == letters:
                    return sentence.start + start, sentence.start + end + 1
    return None


def _names(name: str | None) -> list[str]:
    """Return a name, and its parts of at least two letters."""
    return [name, *(part for part in name.split() if len(_letters(part)) > 1)] if name is not None else []


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()
