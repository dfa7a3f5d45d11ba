"""Choose which anaphors to replace and by what: the best name of the entity, in the form that grammar requires.

An anaphor stays if a name might not fit: reflexives and relative pronouns, predicates and appositions, a *they* whose
verb would have to change, an anaphor whose clause already contains the name, and in languages other than English
anything that is not a subject or differs in case from the name.

If mentions have scores, the name is chosen for each anaphor: the nearest name before it, in its fullest form. The
confidence of the replacement is the probability that all links from that name to the anaphor are right, which is the
product of their scores: a single doubtful link makes all pronouns after it doubtful, up to the next name.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

from ..document.documents import Document
from ..document.entities import Entity, Mention, runs
from ..document.heads import Trees
from ..document.naming import (
    LONGEST,
    Informativeness,
    best_name,
    core_positions,
    head_of,
    is_punctuation,
    is_title,
    name_words,
    rate_informativeness,
    representative,
    word_text,
    words_span,
)
from ..document.tokens import Token
from ..text.spans import Span
from ..text.turns import find_quotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


PERSONAL = _words("he him she her it they them")
POSSESSIVE = _words("his her its their hers theirs")
DEMONSTRATIVE = _words("this that these those")
FIRST_AND_SECOND = _words("i me we us you")
FIRST_AND_SECOND_POSSESSIVE = _words("my mine our ours your yours")
PLURAL = _words("they these those")
SUBJECTS = _words("he she it this that i you we they")
RELATIVE = _words("who whom whose which what where when why how")
DEFINITE = _words("the this that these those his her its their")
INDEFINITE = _words("a an some several many")
NUMERALS = _words("two three four five six seven eight nine ten eleven twelve")
UNFIT = _words(
    "every each no any such another either neither what which other others enough much most few more less half how "
    "why whether if to"
)
"""A phrase that starts with one of these cannot be repeated to refer to the same thing."""
ARTICLES_AND_SUCH = DEFINITE | INDEFINITE | _words("my our your one two three both all many several every each no")
COPULAS = _words(
    "is are was were be been being am 's ’s 're ’re become became becomes remain remains remained as called"
)
PLURAL_FORMS = _words("people police men women children feet teeth mice geese cattle folk")
_UNCLEAR_BEFORE_HER = _words(
    "make makes made making let lets letting see sees saw seeing watch watched watching hear hears heard help helps "
    "helped give gives gave giving tell tells told show showed offer offered send sent teach taught ask asked call "
    "called buy bought bring brought pay paid have had"
)
"""Verbs after which *her* without tags may be an object with a verb or an object after it: *saw her duck*."""
_SAME_IN_ALL_PERSONS = _words("could would should might must will shall can may had did 'd ’d 'll ’ll")
_OF_ONE_PERSON = _words("am are were have do is was has does 'm ’m 're ’re 've ’ve 's ’s aren't weren't haven't don't")
# Words after "her" that show that it is not a possessive, for texts without tags.
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
    """Return whether a document is in English, by its language or by its share of frequent English words."""
    if doc.language is not None:
        return doc.language.lower().replace("_", "-").split("-")[0] in ("en", "eng")
    forms = doc.tokens.forms
    return 25 * sum(form.lower() in _EVIDENCE for form in forms) >= max(1, len(forms))


def is_possessive(token: Token, after: Token | None, *, opens_phrase: bool, before: str = "") -> bool | None:
    """Return whether a word such as *her* is a possessive: by its tags, by the phrase it opens, or by the next word.

    None if the words before and after it leave it open.
    """
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
    if not following[:1].isalnum() or following in _NO_NOUN or following.endswith("ly"):
        return False
    return None if before.lower() in _UNCLEAR_BEFORE_HER else True


def is_same_in_all_persons(verb: Token) -> bool:
    """Return whether a finite verb has the same form with any subject: "they left", but not "they leave"."""
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
    """Return a name with its 's: Alice's, James's, but the girls' and the Smiths'; McDonald's stays."""
    if name.endswith(("'s", "’s", "s'", "s’")):
        return name
    return name + apostrophe + ("" if is_plural_noun and name.endswith("s") else "s")


DEEPEST = 8
"""How deeply names can be nested: the name of "her brother's dog" contains the name of *her*."""
_INNER = frozenset({"DET", "ADJ", "PRON", "NUM", "ADV", "ADP"})


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is written inside a sentence."""

    text: str
    is_proper: bool
    is_plural: bool
    mention: Mention | None = None
    """The representative mention; None for a name that is composed of others."""

    @property
    def is_plural_noun(self) -> bool:
        """Whether its last word is a plural, as in "the girls" or "the Smiths", but not in "Ann and James"."""
        if self.mention is None:
            return False
        if self.is_proper and self.text[:4].lower() == "the ":  # the Smiths', the United States'
            return True
        last = self.mention.layer[core_positions(self.mention)[-1]]
        return self.is_plural and (last.features.get("Number") == "Plur" if last.upos != "_" else not self.is_proper)


class Links:
    """The mentions of an entity in reading order, with the probabilities of their links."""

    def __init__(self, entity: Entity) -> None:
        self.mentions = entity.mentions
        self.has_scores = any(mention.score is not None for mention in entity.mentions[1:])
        scores = [1.0 if mention.score is None else mention.score for mention in entity.mentions]
        self._logs = list(accumulate(math.log(min(max(score, 1e-9), 1.0)) for score in scores))
        kinds = list(map(rate_informativeness, entity.mentions))
        nouns = {
            mention.layer[head_of(mention)].form
            for mention, kind in zip(entity.mentions, kinds, strict=True)
            if kind in (Informativeness.NOUN, Informativeness.OTHER)
        }
        # "Subject: Invoice … the invoice" has no name
        self._kinds = [
            Informativeness.PRONOUN if kind is Informativeness.NAME and mention.text.lower() in nouns else kind
            for mention, kind in zip(entity.mentions, kinds, strict=True)
        ]
        self._index = {id(mention): index for index, mention in enumerate(entity.mentions)}
        self._before = {
            kind: self._last_before(kind)
            for kind in (Informativeness.NAME, Informativeness.NOUN, Informativeness.OTHER)
        }
        self._best: dict[tuple[frozenset[str], frozenset[str]], Mention] = {}

    def _last_before(self, kind: Informativeness) -> list[int]:
        """Return for each mention the index of the last one of a kind before it, -1 if there is none."""
        indices = (index if own is kind else -1 for index, own in enumerate(self._kinds))
        return [-1, *accumulate(indices, max)][:-1]

    def confidence(self, first: int, second: int) -> float:
        """Return the probability that all links between two mentions are right."""
        return math.exp(-abs(self._logs[second] - self._logs[first]))

    def name_of(self, mention: Mention) -> tuple[Mention, float] | None:
        """Return the name for a mention, and the confidence that it is right; None if there is no name.

        It is the fullest form of the nearest name before the mention, otherwise after it, otherwise of the nearest
        noun before it.
        """
        index = self._index[id(mention)]
        near = self._nearest(index, Informativeness.NAME)
        if near is None:
            return self._noun_of(index)
        return self._fullest(near), self.confidence(near, index)

    def _noun_of(self, index: int) -> tuple[Mention, float] | None:
        near = self._nearest(index, Informativeness.NOUN, before_only=True)
        if near is None:
            near = self._nearest(index, Informativeness.OTHER, before_only=True)
        return None if near is None else (self._fullest(near), self.confidence(near, index))

    def _nearest(self, index: int, kind: Informativeness, *, before_only: bool = False) -> int | None:
        before = self._before[kind]
        other = before[index]
        while other >= 0:
            if self.mentions[other].end <= self.mentions[index].start:
                return other
            other = before[other]
        if before_only:
            return None
        return next((n for n in range(index + 1, len(self.mentions)) if self._kinds[n] is kind), None)

    def _fullest(self, index: int) -> Mention:
        """Return the best form of a name: one with all its words and no other title; of a noun, one with its head."""
        words, titles = self._words(index)
        if (words, titles) not in self._best:
            mentions = [
                mention
                for other, mention in enumerate(self.mentions)
                if self._kinds[other] is self._kinds[index] and self._is_form_of(other, words, titles)
            ]
            self._best[words, titles] = mentions[best_name(mentions)]
        return self._best[words, titles]

    def _is_form_of(self, index: int, words: frozenset[str], titles: frozenset[str]) -> bool:
        own, own_titles = self._words(index)
        return words <= own and not (titles and own_titles and titles != own_titles)

    def _words(self, index: int) -> tuple[frozenset[str], frozenset[str]]:
        """Return the words and the titles of a name, or the head of a noun."""
        mention = self.mentions[index]
        if self._kinds[index] is not Informativeness.NAME:
            return frozenset((mention.layer[head_of(mention)].form.lower(),)), frozenset()
        titles = {token.form.lower().rstrip(".") for token in mention.tokens if is_title(token.form)}
        return frozenset(name_words(mention)), frozenset(titles)


class Names:
    """The names of the entities of a document.

    Names with less than the least `confidence` are not used, unless mentions have no scores.
    """

    def __init__(self, doc: Document, *, english: bool, confidence: float = 0.0) -> None:
        self.doc = doc
        self.english = english
        self.least = confidence
        self.apostrophe = "’" if "’" in doc.text and "'" not in doc.text else "'"
        self._entities: Mapping[str, Entity] = {entity.id: entity for entity in doc.entities}
        self._groups = {split.entity: split.antecedents for split in doc.split_antecedents}
        self._pronouns = {
            mention.start: (entity, mention)
            for mention, entity in doc.mentions()
            if len(mention) == 1 and rate_informativeness(mention) is Informativeness.PRONOUN
        }
        self._links: dict[str, Links] = {}
        self._made: dict[tuple[str, int, bool], Name | None] = {}

    def name(self, entity: Entity, mention: Mention) -> tuple[Name, float | None] | None:
        """Return the name of an entity in place of a mention, and the confidence that it is right.

        The result is None if there is no suitable name or the confidence is too low. Without scores, the confidence is
        None.
        """
        return self._choose(entity, mention, ())

    def _choose(self, entity: Entity, mention: Mention, inside: tuple[str, ...]) -> tuple[Name, float | None] | None:
        if entity.id not in self._links:
            self._links[entity.id] = Links(entity)
        links = self._links[entity.id]
        best, confidence = entity.mentions[representative(entity)], None
        if links.has_scores:
            chosen = links.name_of(mention)
            if chosen is None or chosen[1] < self.least:
                return None
            best, confidence = chosen
        reported = self.english and self._voice(best) != self._voice(mention)
        key = entity.id, id(best), reported
        if inside:
            name = self._make(entity, best, inside, reported=reported)
        else:
            if key not in self._made:
                self._made[key] = self._make(entity, best, (), reported=reported)
            name = self._made[key]
        return None if name is None else (name, confidence)

    def _voice(self, mention: Mention) -> tuple[str | None, Span | None]:
        """Return whose words a mention is part of: the speaker of the sentence, and the quotation around it."""
        speaker = self.doc.sentence_at(mention.start).speaker if self.doc.sentences else None
        span = words_span(mention.layer, mention.start, mention.start + 1)
        if span is None or not self._quotations:
            return speaker, None
        index = bisect_right(self._quotations, span[0], key=lambda quotation: quotation[0]) - 1
        inside = index >= 0 and span[0] < self._quotations[index][1]
        return speaker, self._quotations[index] if inside else None

    @cached_property
    def _quotations(self) -> list[Span]:
        return find_quotations(self.doc.text)

    def _make(
        self, entity: Entity, mention: Mention, inside: tuple[str, ...], *, reported: bool = False
    ) -> Name | None:
        if not entity.mentions or entity.id in inside or len(inside) > DEEPEST:
            return None
        kind = rate_informativeness(mention)
        if kind >= Informativeness.NOUN or (kind is Informativeness.OTHER and _is_untagged(mention)):
            is_proper = kind is Informativeness.NAME
            return self._of_mention(entity, mention, (*inside, entity.id), is_proper=is_proper, reported=reported)
        return self._of_group(entity, (*inside, entity.id))

    def _of_mention(
        self, entity: Entity, mention: Mention, inside: tuple[str, ...], *, is_proper: bool, reported: bool
    ) -> Name | None:
        words = core_positions(mention)
        if len(words) > LONGEST or words_span(mention.layer, words[0], words[-1] + 1) is None:
            return None
        if self.english and self._is_unfit(words):
            return None
        replaced = POSSESSIVE | FIRST_AND_SECOND_POSSESSIVE if reported else POSSESSIVE
        owners = {at: owner for at in words if (owner := self._owner(at, words[-1] + 1, replaced, inside))}
        if reported and any(self._is_of_speaker(at) for at in words if at not in owners):
            return None  # "my keys", said by somebody else
        text = " ".join(self._resolve_possessives(start, end, owners) for start, end in runs(words))
        plural = is_plural(mention)
        if self.english and _is_untagged(mention) and is_proper and _is_plural_form(mention):
            # The Smiths … they; Dogs bark. They bite.
            plural = _is_plural_by_pronouns(entity)
            if plural and len(words) == 1 and self.starts_sentence(words[0]):
                is_proper, text = False, text[:1].lower() + text[1:]
        return Name(" ".join(text.split()), is_proper, plural, mention)

    def _is_unfit(self, words: tuple[int, ...]) -> bool:
        """Return whether a phrase cannot be repeated: *every dog*, or a clause such as *that the dog barked*."""
        first, second = (*(self.doc.tokens.forms[at].lower() for at in words[:2]), "")[:2]
        return first in UNFIT or (first == "that" and second in ARTICLES_AND_SUCH | PERSONAL | FIRST_AND_SECOND)

    def _of_group(self, entity: Entity, inside: tuple[str, ...]) -> Name | None:
        """Return "Ann and Bob" for a *they* with split antecedents."""
        members = [self._entities.get(id) for id in self._groups.get(entity.id, ())]
        if not self.english or len(members) < 2:
            return None
        texts = []
        for member in members:
            best = None if member is None else member.mentions[representative(member)]
            name = None if member is None or best is None else self._make(member, best, inside)
            if member is None or name is None:
                return None
            texts.append(name.text)
            inside = (*inside, member.id)  # "Ann and her brother", not "Ann and Ann's brother"
        return Name(f"{', '.join(texts[:-1])} and {texts[-1]}", True, True)

    def _is_of_speaker(self, position: int) -> bool:
        """Return whether a word means whoever speaks or listens: *I*, *your*."""
        return self.doc.tokens.forms[position].lower() in FIRST_AND_SECOND | FIRST_AND_SECOND_POSSESSIVE

    def _resolve_possessives(self, start: int, end: int, owners: Mapping[int, str]) -> str:
        """Return the words of a name with possessives resolved: "her brother" -> "Alice's brother"."""
        layer = self.doc.tokens
        pieces, at = [], start
        for position in range(start, end):
            if position in owners:
                if position > at:
                    pieces.append(self._first_lowered(at, word_text(layer, at, position)))
                pieces.append(owners[position])
                at = position + 1
        if at < end:
            pieces.append(self._first_lowered(at, word_text(layer, at, end)))
        return " ".join(pieces)

    def _owner(self, position: int, end: int, replaced: frozenset[str], inside: tuple[str, ...]) -> str | None:
        entity, mention = self._pronouns.get(position, (None, None))
        token = self.doc.tokens[position]
        if not self.english or entity is None or mention is None or entity.id in inside or position + 1 >= end:
            return None
        if token.form.lower() not in replaced:
            return None
        if not is_possessive(token, self.doc.tokens[position + 1], opens_phrase=True):
            return None
        chosen = self._choose(entity, mention, inside)
        if chosen is None:
            return None
        name, _ = chosen
        return genitive(name.text, is_plural_noun=name.is_plural_noun, apostrophe=self.apostrophe)

    def _first_lowered(self, position: int, text: str) -> str:
        """Return the text without the capital of a sentence start, and with a definite article."""
        token = self.doc.tokens[position]
        word = token.form.lower()
        if self.starts_sentence(position) and self._is_only_first(token):
            text = text[:1].lower() + text[1:]
        if self.english and word in INDEFINITE and len(text) > len(word):
            return "the" + text[len(word) :]
        if (
            self.english
            and (word in NUMERALS or word.isdigit())
            and len(text) > len(word)
            and not self._follows(position)
        ):
            return "the " + text
        return text

    def _follows(self, position: int) -> bool:
        """Return whether a determiner or possessive precedes a word."""
        before = self.doc.tokens.forms[position - 1].lower() if position else ""
        return before in DEFINITE or before in _GENITIVE

    def starts_sentence(self, position: int) -> bool:
        """Return whether no word precedes in the sentence, only punctuation such as a quotation mark."""
        start = self.doc.sentence_at(position).start
        return all(is_punctuation(self.doc.tokens.forms[at]) for at in range(start, position))

    def _is_only_first(self, token: Token) -> bool:
        """Return whether a word is capitalized only because it starts the sentence."""
        if token.upos == "_":
            return token.form.lower() in ARTICLES_AND_SUCH
        # German nouns have capitals everywhere
        return token.upos in _INNER or (self.english and token.upos == "NOUN" and not token.form.isupper())


def is_plural(mention: Mention) -> bool:
    """Return whether a mention is plural, by its features or as a coordination."""
    layer = mention.layer
    words = [layer[position] for position in core_positions(mention)]
    if any(word.form.lower() in ("and", "&") for word in words):
        return True
    head = layer[head_of(mention)]
    if head.upos == "_":
        ends = head.form.endswith("s") and not head.form.endswith(("ss", "us", "is"))
        return head.form.lower() in PLURAL_FORMS or (ends and rate_informativeness(mention) is not Informativeness.NAME)
    return head.features.get("Number") == "Plur"


def _is_plural_form(mention: Mention) -> bool:
    form = mention.layer[core_positions(mention)[-1]].form
    return form.endswith("s") and not form.endswith(("ss", "us", "is"))


def _is_plural_by_pronouns(entity: Entity) -> bool:
    """Return whether plural pronouns refer to an entity, and no singular ones."""
    words = {mention.text.lower() for mention in entity.mentions if len(mention) == 1}
    return bool(words & _words("they them their theirs themselves")) and not words & _words(
        "he him his she her hers it its himself herself itself"
    )


def _is_untagged(mention: Mention) -> bool:
    return mention.layer[head_of(mention)].upos == "_"


Form = Literal["plain", "genitive"]
MOST_WORDS = 4
"""A longer description ("the girl who had lost her shoe") is more informative than a name."""
_GENITIVE = ("'s", "’s", "'", "’")
_NOT_REPLACED = ("appos", "vocative", "parataxis", "dislocated", "xcomp", "expl", "compound", "flat", "discourse")

_OBJECTS = ("obj", "iobj", "obl", "nmod")


@dataclass(frozen=True)
class Grammar:
    """The grammar of one document."""

    doc: Document
    is_english: bool
    all_persons: bool = False
    nominals: bool = True

    @cached_property
    def _trees(self) -> Trees:
        return Trees(self.doc)

    def form(self, mention: Mention, name: Name, *, opens_phrase: bool) -> Form | None:
        """Return the form of the name in place of the mention, or None if the mention stays."""
        kind = rate_informativeness(mention)
        if kind is Informativeness.PRONOUN and len(mention) == 1:
            if self.is_english:
                return self._english_pronoun(mention, name, opens_phrase=opens_phrase)
            return "plain" if self._fits_pronoun(mention, name) else None
        if kind is Informativeness.NOUN and name.is_proper and self.nominals and self._is_plain_description(mention):
            return self._description(mention, name)
        return None

    def is_subject(self, mention: Mention) -> bool:
        """Return whether a zero is a subject that can be named: no imperative and, by default, no *I* or *you*."""
        for position in mention.positions:
            if self.doc.tokens[position].features.get("Person", "3") != "3" and not self.all_persons:
                return False
            for parent, relation in self._trees.enhanced(position):
                if relation.startswith("nsubj") and parent is not None:
                    return self.doc.tokens[parent].features.get("Mood") != "Imp"
        return False

    def _english_pronoun(self, mention: Mention, name: Name, *, opens_phrase: bool) -> Form | None:
        token = self.doc.tokens[mention.start]
        word = token.form.lower()
        if word in RELATIVE or token.features.get("PronType") in ("Rel", "Int"):
            return None
        if word in FIRST_AND_SECOND | FIRST_AND_SECOND_POSSESSIVE and not self.all_persons:
            return None
        before = self.doc.tokens.forms[mention.start - 1] if mention.start else ""
        possessive = is_possessive(token, self._word_after(mention), opens_phrase=opens_phrase, before=before)
        if possessive:
            return "genitive"
        if possessive is None or word not in PERSONAL | DEMONSTRATIVE | FIRST_AND_SECOND:
            return None
        if word == "that" and token.upos == "_":
            return None  # usually a conjunction or relative pronoun
        return "plain" if self._agrees(mention, word, name) else None

    def _agrees(self, mention: Mention, word: str, name: Name) -> bool:
        """Return whether the verb of a subject pronoun has the same form with the name as its subject."""
        is_plural = word in PLURAL | {"we", "you"}
        if (is_plural == name.is_plural and word != "i") or word in ("him", "her", "them", "me", "us"):
            return True
        token = self.doc.tokens[mention.start]
        if token.head == "_":
            after = self._word_after(mention)
            return after is None or is_same_in_all_persons(after)
        if not token.deprel.startswith("nsubj"):
            return True
        return all(is_same_in_all_persons(verb) for verb in self._finite_verbs(mention.start))

    def _finite_verbs(self, subject: int) -> list[Token]:
        """Return the first auxiliary or copula of the predicate of a subject, or otherwise the predicate itself."""
        parent = self._trees.parents[subject]
        if parent is None:
            return []
        helpers = [
            at for at in self._trees.children[parent] if self.doc.tokens[at].deprel.partition(":")[0] in ("aux", "cop")
        ]
        return [self.doc.tokens[helpers[0] if helpers else parent]]

    def _fits_pronoun(self, mention: Mention, name: Name) -> bool:
        """Return whether a name can replace a pronoun of another language than English.

        It must be a personal or demonstrative pronoun that is a subject or has the case of the name.
        """
        token = self.doc.tokens[mention.start]
        features = token.features
        if features.get("PronType") not in ("Prs", "Dem") or "Yes" in (features.get("Poss"), features.get("Reflex")):
            return False
        if features.get("Person", "3") != "3" and not self.all_persons:
            return False
        return self._fits_case(mention, name)

    def _fits_case(self, mention: Mention, name: Name) -> bool:
        if name.mention is None or self._is_bound(mention) or not self._is_known(name):
            return False
        token, wanted = self.doc.tokens[head_of(mention)], self.doc.tokens[head_of(name.mention)]
        if not _agree(token, wanted, "Number"):
            return False
        case, relation = self._case(token), token.deprel.partition(":")[0]
        if relation == "nsubj":
            return {case, self._case(wanted)} <= {None, "Nom"} or case == self._case(wanted)
        return relation in _OBJECTS and case is not None and case == self._case(wanted)

    def _is_bound(self, mention: Mention) -> bool:
        """Return whether its form depends on a neighbour: the French *qu'elle*, *est-il*."""
        before = self.doc.tokens.forms[mention.start - 1] if mention.start else ""
        return before.endswith(("'", "’", "-")) or mention.text.startswith("-")

    def _is_known(self, name: Name) -> bool:
        """Return whether the name can be repeated as it is: a proper name, or a definite noun if there are articles."""
        if name.is_proper or not self._has_articles or name.mention is None:
            return True
        return self._is_definite(name.mention.tokens[0]) or name.mention.tokens[0].features.get("Poss") == "Yes"

    @cached_property
    def _has_articles(self) -> bool:
        return any("PronType=Art" in token.feats or "Definite=" in token.feats for token in self.doc.tokens)

    @staticmethod
    def _case(token: Token) -> str | None:
        return token.features.get("Case")

    def _is_plain_description(self, mention: Mention) -> bool:
        """Return whether it is a short definite noun phrase in a place where a name is possible."""
        words = mention.tokens
        head = self.doc.tokens[head_of(mention)]
        relation = head.deprel.partition(":")[0]
        if not 1 < len(words) <= MOST_WORDS or not self._is_definite(words[0]) or relation in _NOT_REPLACED:
            return False
        if head.head != "_":
            children = self._trees.children[head_of(mention)]
            return all(self.doc.tokens[at].deprel.partition(":")[0] not in ("cop", "acl", "appos") for at in children)
        before = self.doc.tokens[mention.start - 1] if mention.start else None
        return before is None or words[0].id == "1" or before.form.lower() not in COPULAS

    def _is_definite(self, token: Token) -> bool:
        if self.is_english:
            return token.form.lower() in DEFINITE
        return token.upos == "DET" and (
            token.features.get("Definite") == "Def" or token.features.get("PronType") == "Dem"
        )

    def _description(self, mention: Mention, name: Name) -> Form | None:
        if is_plural(mention) != name.is_plural:
            return None
        if not self.is_english:
            return "plain" if self._fits_case(mention, name) else None
        return "genitive" if mention.tokens[-1].form in _GENITIVE else "plain"

    def _word_after(self, mention: Mention) -> Token | None:
        empty = self.doc.tokens.empty_positions
        end = self.doc.sentence_at(mention.start).end if self.doc.sentences else len(self.doc.tokens)
        return next((self.doc.tokens[at] for at in range(mention.end, end) if at not in empty), None)


class Clauses:
    """The clauses of a document, numbered: by its trees, otherwise by punctuation and conjunctions.

    Without trees, a comma, *and* and *or* begin a clause for a subject or object but not for a possessive, because
    they also separate the items of a list: "Ann took the lamp, the book and her bag".
    """

    def __init__(self, doc: Document) -> None:
        self._doc = doc
        self._trees = Trees(doc)

    def number(self, position: int, *, possessive: bool) -> int:
        """Return the number of the clause of a word; equal numbers mean the same clause."""
        if self._trees.has_trees:
            return self._head(position)
        return (self._long if possessive else self._short)[position]

    def _head(self, position: int) -> int:
        path = self._trees.path_to_root(position)
        tokens = self._doc.tokens
        for at in path:
            relation = tokens[at].deprel.partition(":")[0]
            if relation in _CLAUSE_RELATIONS or (relation == "conj" and tokens[at].upos in ("VERB", "AUX")):
                return at
        return path[-1]

    @cached_property
    def _short(self) -> list[int]:
        return self._count(_BORDERS | _LIST_BORDERS)

    @cached_property
    def _long(self) -> list[int]:
        return self._count(_BORDERS)

    def _count(self, borders: frozenset[str]) -> list[int]:
        starts = {sentence.start for sentence in self._doc.sentences}
        begins = (at in starts or form.lower() in borders for at, form in enumerate(self._doc.tokens.forms))
        return list(accumulate(begins))


_CLAUSE_RELATIONS = ("root", "ccomp", "advcl", "acl", "csubj", "parataxis")
_LIST_BORDERS = _words(", and or nor")
_BORDERS = _words(
    "; : ( ) – — -- but so yet because although though while whereas when whenever if unless until that who whom whose "
    "which where why how what whether as since before after"
)


def _agree(first: Token, second: Token, feature: str) -> bool:
    values = {first.features.get(feature), second.features.get(feature)} - {None}
    return len(values) <= 1
