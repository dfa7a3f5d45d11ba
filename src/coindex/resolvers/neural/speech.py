"""Constraints on links from speakers and quotations: who *I* and *you* are.

A key identifies a person of a conversation: the mention that names the speaker or addressee of a quotation, the name of
the speaker of a turn, or the narrator. All mentions with the same key are one entity. If the mention that names the
speaker comes after the pronoun (*"I am tired," said Anna*), the pronoun begins a new entity, which is merged with that
of the speaker when it is known. An entity cannot contain mentions with different roles in the same speech, such as *I*
and *you*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import chain

from ...document import Document, Span
from ..linguistics.mention_kinds import KINDS
from ..linguistics.quotations import Quotation, find_quotations
from .detection import Mentions
from .words import DocumentWords, Ints

RULES = {
    "quotations": "*I* in a quotation is its speaker",
    "turns": "*I* is the speaker of the sentence, and speakers with different names are different people",
    "addressees": "*you* is the person who is addressed by name, or the other one in a question between two people",
    "narrator": "*I* outside of quotations is one person, who is not the speaker of quotations of others",
    "roles": "in what one person says, *I* and *you* are different people",
}
Key = tuple[str, int | str]
"""A person: the word where a mention of this person begins, a name, a quotation or the narrator."""
Role = tuple[Key, str]
"""A speech and who somebody is in it; mentions with two roles in the same speech are not one entity."""

PERSONS = {KINDS.index("i"): "i", KINDS.index("you"): "you"}
STRICT = frozenset({"name", "narrator", "clause"})
"""Roles that always exclude each other: people with different names, the narrator and others, *Anna* and *Ben* in
*Anna asked Ben*."""
SPEECH = STRICT | {"turn", "said"}
"""Roles that restrict pronouns; a mention that names the speaker is more certain than the links of *you* before it."""
IMPOSSIBLE = 1e-9
"""The share of a new entity if a rule requires a link."""
NARRATOR: Key = ("narrator", 0)
LEAST_NARRATED = 10
"""The least number of *I* outside of quotations for a narrator; fewer may be in quotations that were not found."""
FIRST_PERSON = frozenset("i me my mine myself".split())  # noqa: SIM905 - easier to read than a list of strings


class SpeechLinks:
    """The keys and roles of the mentions of a document, in the order in which they are linked."""

    def __init__(self, doc: Document, words: DocumentWords, rules: Collection[str]) -> None:
        self.words = words
        self.rules = rules
        self.quotations = find_quotations(doc)
        self._voice = self._find_voices()
        self._owners: dict[int, list[tuple[Key, int]]] = defaultdict(list)
        """By first word of a mention that names somebody: the key of this person, and where the words end."""
        self._owner_roles: dict[int, set[Role]] = defaultdict(set)
        self._names: set[str] = set()
        self._speakers = {quotation.speaker for quotation in self.quotations if quotation.evidence == "turn"}
        self._has_narrator = "narrator" in self.rules and self._is_narrated()
        self._find_owners()
        self._keys: dict[int, list[Key]] = {}
        self._named: dict[int, set[Key]] = {}
        """By mention: the keys of people whom it names."""
        self._roles: dict[int, list[Role]] = {}
        self._detected: set[Key] = set()
        """The people whom the mentions so far name."""
        self._waiting: set[int] = set()
        """The mentions that come before the one that names this person."""
        self._pending: dict[Key, int] = {}
        """By key of a person who is not named yet: a mention that waits for the name."""
        self._member: dict[Key, int] = {}
        """By key: a mention of this person."""
        self._entity_roles: dict[int, dict[Key, str]] = defaultdict(dict)

    @property
    def is_needed(self) -> bool:
        """Whether the document has speech, or a narrator."""
        return bool(self.quotations) or self._has_narrator

    def _find_voices(self) -> list[int]:
        """Return the innermost quotation of each word, -1 outside of quotations."""
        voices = [-1] * len(self.words)
        for number, quotation in enumerate(self.quotations):
            for position in range(quotation.start, quotation.end):
                if (word := self.words.word_at.get(position)) is not None:
                    voices[word] = number
        return voices

    def _find_owners(self) -> None:
        for voice, quotation in enumerate(self.quotations):
            is_turn = quotation.evidence == "turn"
            if is_turn and "turns" not in self.rules:
                continue
            places = (
                (quotation.speaker_span, quotation.speaker, "i"),
                (quotation.addressee_span, quotation.addressee, "you"),
            )
            for span, name, person in places:
                if is_turn and name is not None:
                    self._names.add(letters(name))
                if span is None or name is None or (start := self.words.word_at.get(span[0])) is None:
                    continue
                key: Key = ("name", letters(name)) if is_turn else ("words", start)
                if (key, start + span[1] - span[0]) not in self._owners[start]:
                    self._owners[start].append((key, start + span[1] - span[0]))
                if is_turn and "roles" in self.rules:
                    self._owner_roles[start].add((self._speech(voice), person))
                if not is_turn and "roles" in self.rules:
                    self._owner_roles[start].add((("clause", self._speech(voice)[1]), person))
                if person == "i" and self._is_other(quotation):
                    self._owner_roles[start].add((NARRATOR, "other"))

    def _is_narrated(self) -> bool:
        """Return whether most *I* are outside of quotations, and enough for a narrator."""
        pronouns = [word for word, form in enumerate(self.words.forms) if form.lower() in FIRST_PERSON]
        outside = sum(self._voice[word] < 0 for word in pronouns)
        return outside >= LEAST_NARRATED and 2 * outside > len(pronouns)

    def add(self, mentions: Mentions, heads: Ints, first: int) -> None:
        """Add the next mentions, of which the first has the number `first`."""
        columns = (mentions.start.tolist(), mentions.end.tolist(), mentions.kind.tolist(), heads.tolist())
        rows = list(enumerate(zip(*columns, strict=True), first))
        for number, (start, end, _, head) in rows:
            named = {key for key, stop in self._owners.get(start, ()) if head < stop <= end}
            name = letters("".join(self.words.forms[start:end]))
            if name in self._names and len(name) > 1:
                named.add(("name", name))
            self._named[number] = named
            self._detected |= named
        for number, (start, _, kind, _) in rows:
            self._describe(number, start, PERSONS.get(kind, ""))

    def _describe(self, number: int, start: int, person: str) -> None:
        """Set the keys and roles of a mention."""
        keys: list[Key] = list(self._named[number])
        roles: list[Role] = [(("name", ""), str(key[1])) for key in keys if key[0] == "name"]
        roles += self._owner_roles[start] if keys and start in self._owner_roles else ()
        voice = self._voice[start]
        if voice >= 0 and person:
            quotation = self.quotations[voice]
            if "roles" in self.rules and quotation.speaker is not None:
                roles.append((self._speech(voice), person))
            key = self._speaker(voice) if person == "i" else None
            if person == "you" and "addressees" in self.rules:
                heard = quotation.addressee or self._find_asked(quotation, start)
                key = self._person(quotation, heard, quotation.addressee_span)
            if key is not None:
                keys.append(key)
                if key[0] == "words" and int(key[1]) > start:
                    self._waiting.add(number)
                if key[0] == "name":
                    roles.append((("name", ""), str(key[1])))
            if person == "i" and self._is_other(quotation):
                roles.append((NARRATOR, "other"))
        elif person == "i" and self._has_narrator:
            keys.append(NARRATOR)
            roles.append((NARRATOR, "i"))
        self._keys[number], self._roles[number] = keys, roles

    def _speech(self, voice: int) -> Key:
        """Return the key of a speech: all turns of one person, or a quotation with its other parts."""
        quotation = self.quotations[voice]
        if quotation.evidence == "turn":
            return "turn", quotation.speaker or ""
        span = quotation.speaker_span
        return ("said", span[0]) if span is not None else ("quotation", voice)

    def _speaker(self, voice: int) -> Key | None:
        """Return the key of *I* in a quotation or turn."""
        quotation = self.quotations[voice]
        if ("turns" if quotation.evidence == "turn" else "quotations") not in self.rules:
            return None
        return self._person(quotation, quotation.speaker, quotation.speaker_span) or self._speech(voice)

    def _person(self, quotation: Quotation, name: str | None, span: Span | None) -> Key | None:
        """Return the key of a speaker or addressee if a mention has it."""
        if quotation.evidence == "turn":
            return ("name", letters(name)) if name is not None and "turns" in self.rules else None
        if span is None or (start := self.words.word_at.get(span[0])) is None:
            return None
        key: Key = ("words", start)
        return key if key in self._detected else None

    def _find_asked(self, quotation: Quotation, start: int) -> str | None:
        """Return the addressee of a question in a conversation between two people."""
        speakers = self._speakers - {quotation.speaker}
        end = self.words.sentences[int(self.words.sentence_of[start])][1]
        is_question = quotation.evidence == "turn" and self.words.forms[end - 1] == "?"
        return next(iter(speakers)) if is_question and len(self._speakers) == 2 else None

    def _is_other(self, quotation: Quotation) -> bool:
        """Return whether a quotation is known to be of somebody other than the narrator."""
        is_known = quotation.speaker is not None and quotation.evidence != "turn"
        return self._has_narrator and is_known and (quotation.speaker or "").lower() != "i"

    def restrict(
        self,
        number: int,
        candidates: Sequence[int],
        weights: Sequence[float],
        new: float,
        total: float,
        entity: Sequence[int],
    ) -> tuple[Sequence[int], Sequence[float], float]:
        """Return the candidates that a mention may be linked to, with the weight of a new entity."""
        named = self._named[number]
        for key in self._keys[number]:
            if key in self._member and not (key[0] == "words" and key in named):
                member = self._member[key]
                if self._allows(number, entity[member], STRICT):
                    return (member,), (total,), IMPOSSIBLE * total
        if number in self._waiting:
            return (), (), new
        barred = {entity[self._member[key]] for key in named if key in self._member}
        if named:
            barred.update(entity[member] for member in self._pending.values())
        kinds = STRICT if named else SPEECH
        free = [
            at
            for at, candidate in enumerate(candidates)
            if entity[candidate] not in barred and self._allows(number, entity[candidate], kinds)
        ]
        if len(free) == len(candidates):
            return candidates, weights, new
        return [candidates[at] for at in free], [weights[at] for at in free], new

    def _allows(self, number: int, entity: int, kinds: frozenset[str]) -> bool:
        """Return whether a mention has the roles of an entity in speech of these kinds."""
        known = self._entity_roles.get(entity)
        return known is None or all(
            known.get(speech, role) == role for speech, role in self._roles[number] if speech[0] in kinds
        )

    def place(self, number: int, entity: int, entities: Sequence[int]) -> list[int]:
        """Record the entity of a mention; return those that are the same person and have to be merged with it."""
        known = self._entity_roles[entity]
        for speech, role in self._roles[number]:
            known.setdefault(speech, role)
        same = {entities[self._member[key]] for key in self._keys[number] if key in self._member} - {entity}
        for key in self._keys[number]:
            self._member[key] = number
            if number in self._waiting and key[0] == "words" and key not in self._named[number]:
                self._pending[key] = number
            elif key in self._named[number]:
                self._pending.pop(key, None)
        return [other for other in same if self._agree(other, entity)]

    def _agree(self, first: int, second: int) -> bool:
        roles, others = self._entity_roles[first], self._entity_roles[second]
        return all(others.get(speech, role) == role for speech, role in roles.items() if speech[0] in STRICT)

    def merge(self, kept: int, gone: int) -> None:
        """Record that two entities are one."""
        self._entity_roles[kept] = dict(
            chain(self._entity_roles.pop(gone, {}).items(), self._entity_roles[kept].items())
        )


def find_speech(doc: Document, words: DocumentWords, rules: Collection[str]) -> SpeechLinks | None:
    """Return the constraints of a document; None if it has no speech or no rule applies."""
    chosen = frozenset(rules) & RULES.keys()
    speech = SpeechLinks(doc, words, chosen) if chosen else None
    return speech if speech is not None and speech.is_needed else None


def letters(name: str) -> str:
    """Return a name without spaces, punctuation and case, so that different spellings are equal."""
    return "".join(filter(str.isalnum, name)).lower()
