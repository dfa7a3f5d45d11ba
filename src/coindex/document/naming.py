"""Names of documents, entities and mentions for people: labels, facts, and the most informative mention of an entity.

A name is preferred to a noun, a noun to anything else, and a pronoun or zero comes last; *the one* and a title alone
(*Mr.*) count as pronouns. Of several names the fullest is chosen ("Ada Lovelace" rather than "Ada"), of equally full
ones the one whose words are most frequent in the names of the entity, then the shortest, then the first; of nouns the
first that is not very long. Descriptions of the referent are cut off: relative clauses, appositions after a comma,
brackets, a closing 's, and the last prepositional phrases of a very long noun phrase.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum

from ..text.spans import Span
from .documents import Document
from .entities import GAP, Entity, Mention, runs
from .tokens import Multiword, Token, Tokens

ENGLISH = frozenset(
    """
    i me my mine myself we us our ours ourselves
    you your yours yourself yourselves thou thee thy thine thyself
    he him his himself she her hers herself it its itself
    they them their theirs themselves themself one's oneself
    this that these those who whom whose which
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)


def is_pronoun(mention: Mention) -> bool:
    """Return whether the mention is a single pronoun, including possessives.

    Universal Dependencies tags *his* PRON in some corpora and DET in others, so a determiner with `Poss=Yes`
    or `PronType=Prs` counts. A longer mention is not a pronoun though its head may be one (*something new*).
    """
    words = [token for token in mention.tokens if not token.is_empty]
    if len(words) != 1:
        return False
    word = words[0]
    if word.upos == "_":
        return word.form.lower() in ENGLISH
    features = word.features
    possessive = features.get("Poss") == "Yes" or features.get("PronType") == "Prs"
    return word.upos == "PRON" or (word.upos == "DET" and possessive)


def antecedent(mention: Mention, mentions: Sequence[Mention]) -> Mention | None:
    """Return the mention that a pronoun is best resolved to: the nearest earlier one that is not a pronoun.

    If there are only pronouns before it, it is the nearest of those; None if there is nothing before it. A mention that
    contains the pronoun is not before it. The mentions are in reading order.
    """
    nearest = None
    for other in reversed(
        mentions[: bisect_left(mentions, mention.start, key=lambda other_mention: other_mention.start)]
    ):
        if other.end <= mention.start:
            if not is_pronoun(other):
                return other
            nearest = nearest or other
    return nearest


def is_punctuation(form: str) -> bool:
    """Return whether a token has no letter, digit or symbol; symbols such as & stand for words."""
    return bool(form) and all(unicodedata.category(char)[0] == "P" and char not in "&#%@*" for char in form)


def multiword_at(layer: Tokens, position: int) -> Multiword | None:
    """Return the multiword token that contains a position."""
    index = bisect_right(layer.multiwords, position, key=lambda multiword: multiword.start) - 1
    covering = layer.multiwords[index] if index >= 0 else None
    return covering if covering is not None and position < covering.end else None


def word_span(layer: Tokens, position: int) -> Span | None:
    """Return the characters of a word; None for a word without its own surface, such as *el* in Spanish *del*."""
    multiword = multiword_at(layer, position)
    if multiword is None:
        return layer.start_char(position), layer.end_char(position)
    at = layer.start_char(multiword.start)
    span = None
    rest = multiword.form
    for other in range(multiword.start, multiword.end):
        if other in layer.empty_positions:
            continue
        form = layer[other].form
        if rest[: len(form)].lower() != form.lower():
            return None
        if other == position:
            span = at, at + len(form)
        at, rest = at + len(form), rest[len(form) :]
    return None if rest else span


def words_span(layer: Tokens, start: int, end: int) -> Span | None:
    """Return the span from the first to the last of some words; None if it begins or ends inside a multiword token."""
    visible = [position for position in range(start, end) if position not in layer.empty_positions]
    if not visible:
        return None
    first, last = word_span(layer, visible[0]), word_span(layer, visible[-1])
    if first is None:
        multiword = multiword_at(layer, visible[0])
        whole = multiword is not None and multiword.start == visible[0] and multiword.end <= end
        first = (layer.start_char(visible[0]), layer.end_char(visible[0])) if whole else None
    if last is None:
        multiword = multiword_at(layer, visible[-1])
        whole = multiword is not None and multiword.end == visible[-1] + 1 and multiword.start >= start
        last = (layer.start_char(visible[-1]), layer.end_char(visible[-1])) if whole else None
    return None if first is None or last is None else (first[0], last[1])


def word_text(layer: Tokens, start: int, end: int) -> str:
    """Return the text of words; their forms joined by spaces if it begins or ends inside a multiword token."""
    span = words_span(layer, start, end)
    if span is not None:
        return layer.text[span[0] : span[1]]
    return " ".join(layer[position].form for position in range(start, end) if position not in layer.empty_positions)


FULLEST = 3
LONGEST = 8
"""The most words that a noun phrase may have, after trimming, to be a good name."""

_CUT = ("acl", "parataxis", "discourse", "vocative", "dislocated", "advcl", "ccomp")
_AFTER_COMMA = ("appos", "nmod", "flat", "amod", "obl", "dep")
_ASIDE_MARKS = frozenset({",", "(", "[", "–", "—", "--", ";", ":", "،", "，", "、"})
_PAIRS = {"(": ")", ")": "(", "[": "]", "]": "[", "“": "”„", "”": "“", "„": "“", "«": "»", "»": "«", '"': '"', "‘": "’"}
_GENITIVE = frozenset({"'s", "’s", "'", "’"})


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# For texts without tags. A noun phrase ends before the first of these; names that contain one (Ludwig van
# Beethoven) still begin with a capital.
_AFTER_HEAD = _words(
    "of in on at by for from with to about who whom which that whose where de del di da du des van von 's ’s , ( – —"
)
_OPENS_AN_ASIDE = _words("who whom whose which where the a an his her its their my our your one")
# Third-person pronouns of some languages, which look like names when they begin a sentence.
_PRONOUNS = _words(
    "er sie es ihn ihm ihr ihnen hij zij ze hem haar hen hun il elle ils elles lui leur él ella ellos ellas le les lo "
    "la egli lei loro ele ela eles elas он она оно они его её ее ему ей им их on ona ono oni ő ők ez az"
)


_STAND_INS = _words(
    "one ones other others another former latter same someone somebody anyone anybody everyone everybody nobody none "
    "something anything everything nothing first second third last"
)
"""English heads that stand for a noun, so that their phrase names nothing: *the one*, *the other*."""
TITLES = _words(
    "mr mrs ms mx dr prof sir madam madame ma'am miss monsieur mme mlle rev hon capt col gen lt sgt sen rep gov st jr "
    "sr"
)
"""English titles that name nobody without a name, without their full stop."""
_EPITHETS = _words("old young little poor dear late great good new north south east west")
"""English adjectives that may precede a name without being part of it: *poor Miss Taylor*, *Old Athens*."""
_CLAUSES = _words("who whom whose which that where")
_PREPOSITIONS = _words("in on at by for from with to about into over under near behind between without")


class Informativeness(IntEnum):
    """How informative a mention is, the least informative first."""

    ZERO = 0
    PRONOUN = 1
    OTHER = 2
    NOUN = 3
    NAME = 4


def rate_informativeness(mention: Mention) -> Informativeness:
    """Return how informative a mention is; *the one* and a title alone say no more than a pronoun."""
    form = mention.layer[head_of(mention)].form
    if not mention.is_zero and (form.lower() in _STAND_INS or is_title(form)):
        return Informativeness.PRONOUN
    return rate_by_class(mention)


def rate_by_class(mention: Mention) -> Informativeness:
    """Return the word class of a mention, from its tags or otherwise from capitals and the number of its words."""
    if mention.is_zero:
        return Informativeness.ZERO
    if is_pronoun(mention):
        return Informativeness.PRONOUN
    head = mention.layer[head_of(mention)]
    if head.upos == "_":
        return _rate_by_form(mention, head)
    return {"PROPN": Informativeness.NAME, "NOUN": Informativeness.NOUN, "PRON": Informativeness.PRONOUN}.get(
        head.upos, Informativeness.OTHER
    )


def is_title(form: str) -> bool:
    """Return whether a word is a title that needs a name after it."""
    return form[:1].isupper() and form.lower().rstrip(".") in TITLES


def _rate_by_form(mention: Mention, head: Token) -> Informativeness:
    """Classify by form: a capital marks a name; at the start of a sentence only if the word is never in lower case."""
    if head.form.lower() in _PRONOUNS and len(mention) == 1:
        return Informativeness.OTHER
    if head.form[:1].isupper() and (head.id != "1" or head.form.lower() not in mention.layer.vocabulary):
        return Informativeness.NAME
    return Informativeness.NOUN if len(mention) > 1 else Informativeness.OTHER


def head_of(mention: Mention) -> int:
    """Return the position of the head: the given one, otherwise by the tree, otherwise by the form."""
    if mention.head is not None:
        return mention.head
    if len(mention.positions) == 1:
        return mention.start
    words = [at for at in mention.positions if at not in mention.layer.empty_positions] or list(mention.positions)
    parents = _parents(mention)
    tops = [at for at in words if parents.get(at) is None and mention.layer[at].head != "_"]
    if tops:
        return tops[0]
    last = next((n for n, at in enumerate(words) if n and mention.layer[at].form.lower() in _AFTER_HEAD), len(words))
    return words[last - 1]


def _parents(mention: Mention) -> dict[int, int]:
    """Return the parents inside the mention of its words; none if the mention crosses a sentence boundary."""
    tokens = mention.tokens
    where = {token.id: at for token, at in zip(tokens, mention.positions, strict=True)}
    if len(where) < len(tokens):
        return {}
    parents = {
        at: where[token.head] for token, at in zip(tokens, mention.positions, strict=True) if token.head in where
    }
    return {at: parent for at, parent in parents.items() if parent != at}


def representative(entity: Entity) -> int:
    """Return the index of the mention that names the entity best; the entity must have at least one mention."""
    if entity.is_singleton:
        return 0
    return best_name(entity.mentions)


def best_name(mentions: Sequence[Mention]) -> int:
    """Return the index of the mention that names best what all these mentions refer to."""
    frequencies = Counter(word for mention in mentions for word in name_words(mention))
    return max(range(len(mentions)), key=lambda index: (_quality(mentions[index], frequencies), -index))


def _quality(mention: Mention, frequencies: Mapping[str, int]) -> tuple[float, int, int, int]:
    kind = rate_informativeness(mention)
    if kind is Informativeness.NAME:
        words = core_positions(mention)
        support = max((frequencies[word] for word in name_words(mention)), default=0)
        run = [mention.layer[at].form.lower() for at in name_run(mention, words)]
        fullness = len(run) - (len(run) > 1 and run[0] in _EPITHETS)
        return kind, min(fullness, FULLEST), support, -len(words)
    if kind is Informativeness.NOUN and len(_without_descriptions(mention)) > LONGEST:
        return kind - 0.5, 0, 0, 0
    return kind, 0, 0, 0


def name_words(mention: Mention) -> set[str]:
    """Return the words of a proper name without titles, in lower case; none for other mentions."""
    if rate_informativeness(mention) is not Informativeness.NAME:
        return set()
    forms = [mention.layer[at].form for at in name_run(mention, core_positions(mention))]
    return {form.lower() for form in forms if not is_title(form)}


def name_run(mention: Mention, words: Sequence[int]) -> list[int]:
    """Return the uninterrupted run of proper nouns around the head of a name."""
    head, layer = head_of(mention), mention.layer
    if head not in words:
        return []
    at = words.index(head)
    first, last = at, at
    while first > 0 and words[first - 1] == words[first] - 1 and _is_name_word(layer[words[first - 1]]):
        first -= 1
    while last + 1 < len(words) and words[last + 1] == words[last] + 1 and _is_name_word(layer[words[last + 1]]):
        last += 1
    return list(words[first : last + 1])


def _is_name_word(token: Token) -> bool:
    if token.upos == "_":
        return token.form[:1].isupper() and (token.id != "1" or token.form.lower() not in _OPENS_AN_ASIDE)
    return token.upos == "PROPN"


def core_positions(mention: Mention) -> tuple[int, ...]:
    """Return the words of a mention that name its entity; all of them if nothing can be trimmed."""
    kept = _without_descriptions(mention)
    if len(kept) > LONGEST:
        is_name = rate_informativeness(mention) is Informativeness.NAME
        kept = (name_run(mention, kept) if is_name else _cut_phrases(mention, kept)) or kept
    return tuple(kept)


def _without_descriptions(mention: Mention) -> list[int]:
    """Return the words without clauses, appositions, brackets, a closing 's and punctuation at the ends."""
    layer, empty = mention.layer, mention.layer.empty_positions
    words = [at for at in mention.positions if at not in empty]
    if not words:
        return list(mention.positions)
    head, parents = head_of(mention), _parents(mention)
    kept = _without_asides(mention, words, parents) if parents else _cut_by_form(mention, words)
    while len(kept) > 1 and kept[-1] != head and layer[kept[-1]].form in _GENITIVE:
        kept = kept[:-1]
    return _trim_punctuation(mention, _without_brackets(mention, kept)) or words


def _without_brackets(mention: Mention, words: list[int]) -> list[int]:
    """Drop what stands in brackets, unless the head does."""
    head = head_of(mention)
    kept: list[int] = []
    depth = 0
    for at in words:
        form = mention.layer[at].form
        depth += form in ("(", "[")
        if not depth:
            kept.append(at)
        depth -= depth > 0 and form in (")", "]")
    return kept if head in kept and not depth else words


def _cut_phrases(mention: Mention, words: list[int]) -> list[int]:
    """Cut a long noun phrase before its last prepositions until it is short enough; *the end* keeps its *of*."""
    head = head_of(mention)
    for index in range(min(len(words) - 1, LONGEST), 0, -1):
        if words[index] > head and mention.layer[words[index]].form.lower() in _PREPOSITIONS:
            return words[:index]
    return words


def _without_asides(mention: Mention, words: list[int], parents: dict[int, int]) -> list[int]:
    """Drop clauses that depend on the head, and appositions that punctuation sets off."""
    head = head_of(mention)
    cut = {at for at in words if parents.get(at) == head and _is_aside(mention, at, parents)}
    kept = []
    for at in words:
        above, steps = at, 0
        while above not in cut and above in parents and steps <= len(words):
            above, steps = parents[above], steps + 1
        if above not in cut:
            kept.append(at)
    return kept if head in kept else words


def _is_aside(mention: Mention, at: int, parents: dict[int, int]) -> bool:
    relation = mention.layer[at].deprel.partition(":")[0]
    if relation in _CUT:
        return True
    if relation not in _AFTER_COMMA or at < head_of(mention):
        return False
    below = {at}
    for position in mention.positions:  # the words before it that depend on it
        if parents.get(position) in below:
            below.add(position)
    first = min((p for p in below if not is_punctuation(mention.layer[p].form)), default=at)
    return first > mention.start and _sets_off(mention.layer[first - 1])


def _sets_off(token: Token) -> bool:
    """Return whether a token sets off what follows; a hyphen or a dot inside a name does not."""
    return token.form in _ASIDE_MARKS


def _cut_by_form(mention: Mention, words: list[int]) -> list[int]:
    """Cut before a relative pronoun, or a comma or bracket with an aside after it: "Ann, the mayor", "Ann (1990)"."""
    layer, head = mention.layer, head_of(mention)
    for index, at in enumerate(words):
        if at <= head or not index:
            continue
        form = layer[at].form.lower()
        after = layer[words[index + 1]].form.lower() if index + 1 < len(words) else ""
        if form in _CLAUSES or form == "(" or (form == "," and (after in _OPENS_AN_ASIDE or not after)):
            return words[:index]
    return words


def _trim_punctuation(mention: Mention, words: list[int]) -> list[int]:
    """Drop punctuation at the ends, except quotation marks and brackets whose other half is inside."""
    forms = [mention.layer[at].form for at in words]
    first, last = 0, len(words)
    while first < last and is_punctuation(forms[first]) and not _is_pair(forms[first], forms[first + 1 : last]):
        first += 1
    while last > first and is_punctuation(forms[last - 1]) and not _is_pair(forms[last - 1], forms[first : last - 1]):
        last -= 1
    return words[first:last] or words


def _is_pair(mark: str, others: list[str]) -> bool:
    return any(other in others for other in _PAIRS.get(mark, ""))


def core_text(mention: Mention, *, gap: str = " ") -> str:
    """Return the text of the core words on one line; `gap` replaces other words between them."""
    text, before = "", -1
    empty, inside = mention.layer.empty_positions, set(mention.positions)
    for start, end in runs(core_positions(mention)):
        if text:
            text += " " if all(at in inside or at in empty for at in range(before, start)) else gap
        text += word_text(mention.layer, start, end)
        before = end
    return " ".join(text.split())


LONGEST_LABEL = 4
LONGEST_NAME = 60
ZERO = "∅"


def labels(doc: Document) -> list[str]:
    """Return a label for each entity: its id if all ids of the document are short, otherwise its number from 1."""
    ids = [entity.id for entity in doc.entities]
    if all(0 < len(id) <= LONGEST_LABEL and id.isprintable() for id in ids):
        return ids
    return [str(number) for number in range(1, len(ids) + 1)]


def entity_name(entity: Entity) -> str:
    """Return the trimmed text of the most informative mention of an entity (see `representative`)."""
    if not entity.mentions:
        return ""
    best = entity.mentions[representative(entity)]
    return mention_name(best) if best.is_zero else short(core_text(best, gap=GAP))


def mention_name(mention: Mention) -> str:
    """Return the text of a mention on one short line; for a zero "∅" and its form or lemma."""
    return short(mention_line(mention))


def mention_line(mention: Mention) -> str:
    """Return the text of a mention on one line, however long."""
    return f"{ZERO} {zero_hint(mention)}".rstrip() if mention.is_zero else " ".join(mention.text.split())


def short(text: str) -> str:
    """Return the text, truncated if it is long."""
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def zero_hint(mention: Mention) -> str:
    """Return the forms of a zero's empty nodes, or their lemmas, if they are given."""
    return " ".join(hint for token in mention.tokens if (hint := parse_column(token.form) or parse_column(token.lemma)))


def parse_column(column: str) -> str:
    """Return the value of a CoNLL-U column, "" if it is not given."""
    return "" if column == "_" else column


def summarise_document(doc: Document) -> str:
    """Return a one-line summary of the document: its sizes, and its topic and genre."""
    singletons = sum(entity.is_singleton for entity in doc.entities)
    sizes = [
        count(len(doc.tokens) - len(doc.tokens.empty_positions), "token"),
        count(len(doc.sentences), "sentence"),
        count(sum(map(len, doc.entities)), "mention"),
        count(len(doc.entities), "entity", "entities") + (f", {singletons:,} of one mention" if singletons else ""),
    ]
    named = {"genre": doc.genre, "topic": doc.topic, "subtopic": doc.subtopic}
    return " · ".join(sizes + [f"{name} {value}" for name, value in named.items() if value])


def count(number: int, singular: str, many: str | None = None) -> str:
    """Return a number with its noun: "1 token", "1,204 tokens"."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"
