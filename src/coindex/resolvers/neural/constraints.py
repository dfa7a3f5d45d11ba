"""Links that are impossible in English, and links that its grammar requires.

Each rule has a name and can be switched off:

- `nested`: a mention and a mention inside it are different entities (*her* and *her mother*).
- `coarguments`: an object of a verb is not the subject of that verb (*Peter thanked him*).
- `conjuncts`: the parts of a coordination are different entities (*Anna and I*).
- `reflexives`: a reflexive or reciprocal pronoun corefers with the subject of its clause (*Peter hurt himself*, *they
  met each other*).
- `gender`: an entity cannot contain both *he* and *she*, or *Mr.* and *Mrs.*
- `animacy`: an entity cannot contain both *it* and *he* or *she*.
- `number`: an entity cannot contain both *he*, *she* or *it* and a plural such as *the dogs*.
- `groups`: the parts of a coordination are one mention too if a plural mention refers to it (*Anna and Ben … they*).
- `types`: an entity cannot contain both *he*, *she* or a mention that is surely a person, and one that is surely a
  thing or a place.
- `names`: two full names that share one part and differ in the other are different people (*Anna Berg*, *Tom Berg*),
  and so are a full name and another first name (*Anna Berg*, *Tom*).
- `nicknames`: the short form of a first name refers to the person of that name (*William Berg … Bill*).
- `definitions`: a term that is defined in brackets refers to what it is defined for (*Delta Bank (the “Lender”) … the
  Lender*).
- `another`: *another X* and *a second X* are not the X mentioned before.
- `contrast`: *the first X* is not *the second X*, and *the old X* is not *the new X*.
- `expletives`: *it* without a referent is not linked (*it is raining*).

`coarguments`, `reflexives` and `expletives` need a dependency tree, which the model predicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...document import Span
from ...errors import UnknownNameError
from ..linguistics.languages import language
from ..linguistics.mention_kinds import KINDS, NUMBERS, PRONOUNS
from .detection import FEMININE, MASCULINE, UNKNOWN, Mentions, genders
from .speech import RULES as SPEECH_RULES
from .words import NUMBER, DocumentWords, Ints, in_reading_order

NEEDS_SYNTAX = frozenset(("coarguments", "reflexives", "expletives"))
RULES = (
    "nested",
    "coarguments",
    "conjuncts",
    "reflexives",
    "gender",
    "animacy",
    "number",
    "groups",
    "types",
    "names",
    "nicknames",
    "definitions",
    "another",
    "contrast",
    "expletives",
    *SPEECH_RULES,
)

REFLEXIVES = {
    "myself": "i",
    "yourself": "you",
    "yourselves": "you",
    "himself": "he",
    "herself": "she",
    "itself": "it",
    "ourselves": "we",
    "themselves": "they",
    "themself": "they",
    "each other": "they",
    "one another": "they",
}
SUBJECT_PRONOUNS = frozenset("i he she we they it".split())  # noqa: SIM905
MANY = 30
"""Longer mentions around a coordination are ignored: they are usually clauses."""
OBJECTS = frozenset("me you him her it us them".split())  # noqa: SIM905
PREPOSITIONS = frozenset("to for about at by of".split())  # noqa: SIM905
"""Before these, an oblique argument is not the subject; *behind him* and *with her* can be."""
CONTRASTS = {
    word: (group, value)
    for group, line in {
        "order": "first second third fourth fifth sixth seventh last",
        "age": "old new",
        "age of people": "elder|older|eldest|oldest younger|youngest",
        "side": "left right",
        "place": "upper lower",
        "direction": "northern|north southern|south eastern|east western|west",
        "others": "one|either other",
    }.items()
    for value, words in enumerate(line.split())
    for word in words.split("|")
}
"""Modifiers that exclude others of their group before the same noun."""
BOUNDARIES = frozenset(', ; : - – — ( ) “ ” " . ? !'.split())  # noqa: SIM905
DEFINING = frozenset(
    "the each a an any collectively together individually jointly hereinafter hereafter referred to as , or".split()  # noqa: SIM905
)
"""Words before a term that is defined in brackets."""
QUOTES = frozenset("\" “ ” „ ‘ ’ « » `` '' '".split())  # noqa: SIM905
ADDITIONAL = frozenset(("another",))
SECOND = frozenset("second third fourth fifth".split())  # noqa: SIM905
NAMING = frozenset(", ( - – — : as called named is was are were be became of".split())  # noqa: SIM905
"""Between a mention and another name of the same entity inside it: *a town called Marlow*, *the city of Marlow*."""
PERSON, THING = 1, 2
CLASS_OF_TYPE = {"person": PERSON, **dict.fromkeys(("object", "place", "plant", "substance", "time"), THING)}
"""Types that exclude each other. Organizations, animals and abstract things can be spoken of as people or places."""
SURE = 0.9
"""The least probability of a type that excludes links; 98 % of such types are right in GUM dev."""
PERSON_KINDS = frozenset(KINDS.index(kind) for kind in ("he", "she"))
THING_KIND = KINDS.index("it")
NAME_KINDS = frozenset(KINDS.index(kind) for kind in ("name", "initial"))
GROUP, INDIVIDUAL = 1, 2
INDIVIDUAL_KINDS = PERSON_KINDS | NAME_KINDS | {THING_KIND, KINDS.index("i")}
SINGULAR, PLURAL = NUMBERS.index("singular"), NUMBERS.index("plural")
DEFINITE_KINDS = frozenset(KINDS.index(kind) for kind in ("definite", "possessive"))
PLURAL_IN_FORM = frozenset("series species means news premises headquarters contents grounds".split())  # noqa: SIM905
"""Nouns that *it* can refer to although they look like plurals."""
KIND_NUMBER = {kind: KINDS.index(kind) for kind in ("i", "we", "you", "he", "she", "it", "they")}
RELATION = NUMBER["deprel"]
SUBJECTS = (RELATION["nsubj"],)
VERBAL = frozenset((RELATION["xcomp"], RELATION["conj"], RELATION["advcl"]))
ARGUMENTS = frozenset((RELATION["obj"], RELATION["iobj"]))


def parse_rules(text: str) -> frozenset[str]:
    """Return the rules of an option: `all`, `none`, names separated by slashes, or `-` and the names to leave out."""
    if text in ("all", "none"):
        return frozenset(RULES if text == "all" else ())
    names = text.removeprefix("-").split("/")
    for name in names:
        if name not in RULES:
            raise UnknownNameError("constraint", name, RULES)
    return frozenset(RULES) - frozenset(names) if text.startswith("-") else frozenset(names)


Trait = tuple[str, object]
"""The name and value of a property of an entity."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """Predicted trees: for each word, its parent (itself for a root) and its relation, as a number of `NUMBER`."""

    parents: list[int]
    relations: list[int]

    @classmethod
    def empty(cls, count: int) -> Syntax:
        """Return the syntax of words without trees."""
        return cls(list(range(count)), [0] * count)

    def put(self, start: int, parents: Ints, relations: Ints) -> None:
        """Set the tree of the sentence that begins at `start`; parents are counted from there."""
        self.parents[start : start + len(parents)] = (parents + start).tolist()
        self.relations[start : start + len(parents)] = relations.tolist()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known about the links of a mention."""

    barred: frozenset[int] = frozenset()
    """Earlier mentions that it cannot corefer with."""
    required: int | None = None
    """The earlier mention that it corefers with."""
    alone: bool = False
    """Whether it starts an entity."""
    traits: tuple[Trait, ...] = ()
    """Properties that all mentions of an entity share, where they are known."""


NOTHING_KNOWN = Verdict()


@dataclass(slots=True)
class _Seen:
    """A mention of the current sentence."""

    index: int
    span: Span
    head: int
    kind: int
    number: int
    """Index into `NUMBERS`."""


@dataclass(slots=True)
class Constraints:
    """The constraints on the mentions of one document, which are added in reading order."""

    words: DocumentWords
    rules: frozenset[str]
    _count: int = 0
    _sentence: int = -1
    _seen: list[_Seen] = field(default_factory=list)
    _by_head: dict[str, list[int]] = field(default_factory=dict)
    """All mentions by the lowercase form of their head."""
    groups: dict[Span, str] = field(default_factory=dict)
    """Coordinations that `complete` proposed, with their words."""
    _group_texts: set[str] = field(default_factory=set)
    """The words of the groups so far."""
    _people: list[tuple[int, str, str]] = field(default_factory=list)
    """Mentions that begin with a first name: index, first name, and last name if there is one."""
    _terms: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Defined terms, with the mention that they are defined for and its end."""

    def complete(self, spans: Sequence[Span]) -> list[Span]:
        """Return the mentions of a part together with reciprocals and those that are coordinations of two of them."""
        forms, known = self.words.forms, set(spans)
        if "reflexives" in self.rules and spans:
            places = range(spans[0][0], max(end for _, end in spans))
            pairs = {(at, at + 2) for at in places if _phrase(forms, (at, at + 2)) in REFLEXIVES}
            known = (known | pairs) - {(at, at + 1) for start, _ in pairs for at in (start, start + 1)}
        if "groups" not in self.rules:
            return in_reading_order(known)
        widest = dict(sorted(known))  # the longest mention that begins at a word
        for end in {end for _, end in known if end < len(forms) and forms[end].lower() == "and"}:
            last = widest.get(end + 1)
            first = min(start for start, stop in known if stop == end)
            if last is None or any(start < first and stop >= last for start, stop in known if stop - start < MANY):
                continue
            span = (first, last)
            if span not in known and not self._has_pronoun(span):
                self.groups[span] = " ".join(forms[first:last]).lower()
        return in_reading_order((*known, *(span for span in self.groups if spans and span[0] >= spans[0][0])))

    def _has_pronoun(self, span: Span) -> bool:
        """Return whether a part of a coordination is a subject pronoun, which usually begins a clause."""
        return any(self.words.forms[at].lower() in SUBJECT_PRONOUNS for at in range(*span))

    def add(
        self, mentions: Mentions, heads: Ints, syntax: Syntax | None = None, types: Sequence[str] = ()
    ) -> list[Verdict]:
        """Return the verdicts on the next mentions.

        The syntax covers the document up to their sentences. `types` are their entity types, empty where unsure.
        """
        known = genders(self.words, mentions, heads).tolist()
        columns = (mentions.start, mentions.end, heads, mentions.kind, mentions.number, mentions.sentence)
        verdicts: list[Verdict] = []
        for gender, start, end, head, kind, number, sentence in zip(known, *(c.tolist() for c in columns), strict=True):
            if sentence != self._sentence:
                self._sentence, self._seen = sentence, []
            mention = _Seen(self._count, (start, end), head, kind, number)
            type = types[len(verdicts)] if types else ""
            verdicts.append(self._judge(mention, gender, type, syntax))
            self._seen.append(mention)
            self._by_head.setdefault(self.words.forms[head].lower(), []).append(self._count)
            self._count += 1
        return verdicts

    def _judge(self, mention: _Seen, gender: int, type: str, syntax: Syntax | None) -> Verdict:
        forms, (start, end) = self.words.forms, mention.span
        required = None
        barred: set[int] = set()
        if "nested" in self.rules:
            barred |= {other.index for other in self._seen if self._is_part(mention, other)}
        if "conjuncts" in self.rules and self._is_conjunct(mention):
            barred |= {other.index for other in self._seen if other.span[1] == start - 1}
        alone = self._is_new_group(mention.span)
        if "another" in self.rules and _is_additional(forms, start, end):
            barred.update(self._by_head.get(forms[mention.head].lower(), ()))
        word = forms[start].lower() if end - start == 1 else ""
        if "nicknames" in self.rules and mention.kind in NAME_KINDS:
            required = self._person(mention, barred)
        if "definitions" in self.rules and mention.kind not in PRONOUNS:
            required = self._defined(mention, barred, required)
        if syntax is not None:
            if _phrase(forms, mention.span) in REFLEXIVES:
                required = self._binder(mention, syntax) if "reflexives" in self.rules else None
            elif (word in OBJECTS or mention.kind not in PRONOUNS) and "coarguments" in self.rules:
                barred |= self._coarguments(mention, syntax)
        if word == "it" and "expletives" in self.rules and syntax is not None:
            alone = alone or syntax.relations[start] == RELATION["expl"]
        if required is not None:
            barred.discard(required)
        traits = tuple(self._traits(mention, gender, type))
        known = barred or alone or traits or required is not None
        return Verdict(frozenset(barred), required, alone, traits) if known else NOTHING_KNOWN

    def _person(self, mention: _Seen, barred: set[int]) -> int | None:
        """Return the last mention of the person whose first name the mention shortens, if there is only one."""
        forms = self.words.forms[slice(*mention.span)]
        name = full_name(forms)
        single = first_name(forms)
        found = []
        if single and all(single != first for _, first, _ in self._people):
            found = [person for person in self._people if is_short_form(single, person[1])]
        if name is not None or single:
            self._people.append((mention.index, *(name or (single, ""))))
        if len({first for _, first, _ in found}) != 1 or len({last for _, _, last in found if last}) > 1:
            return None
        return found[-1][0] if found[-1][0] not in barred else None

    def _defined(self, mention: _Seen, barred: set[int], required: int | None) -> int | None:
        """Return the mention that a defined term stands for, and note the term that is defined after the mention."""
        forms, (start, end) = self.words.forms, mention.span
        term = _bare_term(forms[start:end])
        known = self._terms.get(term) if term else None
        defined = _definition(forms, end)
        if defined and not (defined.endswith("s") and start and forms[start - 1].lower() == "and"):
            before = self._terms.get(defined)
            if before is None or (before[1] == end and mention.kind in NAME_KINDS):
                self._terms[defined] = (mention.index, end)
        if known is None or known[0] in barred or defined == term:
            return required
        return known[0]

    def _is_new_group(self, span: Span) -> bool:
        """Return whether a mention is a coordination that was added, and has not been mentioned in the same words."""
        text = self.groups.get(span)
        if text is None or text in self._group_texts:
            return False
        self._group_texts.add(text)
        return True

    def _is_part(self, mention: _Seen, other: _Seen) -> bool:
        """Return whether a mention is a part of an earlier one that denotes something else.

        A pronoun behind the head can refer to the whole (*the man who lost his hat*), and so can another name.
        """
        (start, end), (_, other_end) = mention.span, other.span
        if other_end < end:
            return False
        if mention.head <= other.head:
            return True
        if end - start == 1 and mention.kind in PRONOUNS:
            return False
        return not (mention.kind in NAME_KINDS and self.words.forms[start - 1].lower() in NAMING)

    def _traits(self, mention: _Seen, gender: int, type: str) -> Iterable[Trait]:
        if gender != UNKNOWN and "gender" in self.rules:
            yield "gender", gender
        if "animacy" in self.rules:
            if mention.kind in PERSON_KINDS or gender in (MASCULINE, FEMININE):
                yield "animacy", PERSON
            elif mention.kind == THING_KIND:
                yield "animacy", THING
        yield from self._numbers(mention)
        if "types" in self.rules:
            if mention.kind in PERSON_KINDS:
                yield "class", PERSON
            elif mention.kind not in PRONOUNS and type in CLASS_OF_TYPE:
                yield "class", CLASS_OF_TYPE[type]
        if "contrast" in self.rules and mention.kind not in PRONOUNS:
            yield from self._contrasts(mention)
        if "names" in self.rules and mention.kind in NAME_KINDS:
            yield from _name_traits(self.words.forms[slice(*mention.span)])
        if self._terms and mention.kind not in PRONOUNS:
            term = _bare_term(self.words.forms[slice(*mention.span)])
            yield from (
                ("term", own) for own, (index, _) in self._terms.items() if own == term or index == mention.index
            )

    def _numbers(self, mention: _Seen) -> Iterable[Trait]:
        is_pronoun = mention.kind in PRONOUNS
        if REFLEXIVES.get(_phrase(self.words.forms, mention.span)) == "they":
            return
        if "number" in self.rules:
            if mention.kind in PERSON_KINDS or mention.kind == THING_KIND:
                yield "number", SINGULAR
            elif self._is_plural(mention):
                yield "number", PLURAL
        if mention.span in self.groups:
            yield "group", GROUP
        elif self._group_texts and (
            mention.kind in INDIVIDUAL_KINDS or (not is_pronoun and mention.number == SINGULAR)
        ):
            yield "group", INDIVIDUAL

    def _is_plural(self, mention: _Seen) -> bool:
        """Return whether a mention is surely plural: a short noun phrase with a determiner whose head is a plural."""
        first, *others = (form.lower() for form in self.words.forms[mention.span[0] : mention.head + 1])
        return (
            mention.number == PLURAL
            and (mention.kind in DEFINITE_KINDS or first in ("these", "those"))
            and 1 <= len(others) <= 4
            and others[-1] not in PLURAL_IN_FORM
            and not others[-1].endswith("ics")
            and not {"and", "a", "an"} & {first, *others}
        )

    def _is_conjunct(self, mention: _Seen) -> bool:
        """Return whether a mention follows *and* inside a coordination; other pronouns often begin a clause."""
        start = mention.span[0]
        if start == 0 or self.words.forms[start - 1].lower() != "and":
            return False
        return mention.kind not in PRONOUNS or self.words.forms[start].lower() in ("i", "me", "you")

    def _contrasts(self, mention: _Seen) -> Iterable[Trait]:
        """Yield the groups of contrasting modifiers of which the mention has exactly one."""
        forms = [form.lower() for form in self.words.forms[mention.span[0] : mention.head]]
        values = [CONTRASTS[form] for form in forms if form in CONTRASTS]
        head = self.words.forms[mention.head].lower()
        for group, value in values:
            if [name for name, _ in values].count(group) == 1:
                yield f"{head}/{group}", value

    def _coarguments(self, mention: _Seen, syntax: Syntax) -> set[int]:
        """Return the mentions that are other arguments of the verb of a pronoun."""
        verb = self._verb(mention.head, syntax)
        if verb is None:
            return set()
        subject = _subject(verb, syntax, self.words, self._sentence)
        heads = {subject} if subject is not None else set()
        for other in self._seen:
            head = other.head
            if syntax.parents[head] == verb and syntax.relations[head] in ARGUMENTS:
                heads.add(head)
        return {
            other.index
            for other in self._seen
            if other.head in heads and self._is_one_clause(other.span[1], mention.span[0], syntax)
        }

    def _is_one_clause(self, start: int, end: int, syntax: Syntax) -> bool:
        """Return whether no clause begins between two words: predicted trees are unreliable across clauses."""
        between = range(start, end)
        return not any(syntax.relations[at] in SUBJECTS or self.words.forms[at] in BOUNDARIES for at in between)

    def _verb(self, word: int, syntax: Syntax) -> int | None:
        """Return the verb of which a word is an object, also with some prepositions."""
        parent, relation = syntax.parents[word], syntax.relations[word]
        if relation in ARGUMENTS:
            return parent
        if relation == RELATION["obl"] and word and self.words.forms[word - 1].lower() in PREPOSITIONS:
            return parent
        return None

    def _binder(self, mention: _Seen, syntax: Syntax) -> int | None:
        """Return the mention that a reflexive pronoun refers to, if it agrees with it."""
        parent = syntax.parents[mention.head]
        subject = _subject(parent, syntax, self.words, self._sentence)
        heads = {word for word in (subject, parent) if word is not None}
        candidates = [
            other
            for other in self._seen
            if other.span[1] <= mention.span[0]
            and (other.head in heads or (other.span in self.groups and heads.intersection(range(*other.span))))
        ]
        if not candidates:
            return None
        best = max(candidates, key=lambda other: (other.span[1] - other.span[0], other.index))
        return best.index if self._agrees(mention, best) else None

    def _agrees(self, mention: _Seen, other: _Seen) -> bool:
        family = REFLEXIVES[_phrase(self.words.forms, mention.span)]
        if other.kind in KIND_NUMBER.values():
            return other.kind == KIND_NUMBER[family]
        if family in ("i", "we", "you"):
            return False
        if family == "they":
            return True
        coordinated = any(self.words.forms[at].lower() == "and" for at in range(*other.span))
        return not coordinated


def _subject(verb: int, syntax: Syntax, words: DocumentWords, sentence: int) -> int | None:
    """Return the subject of a verb, which an open complement or a conjunct shares with the verb above it.

    The subject of an open complement is the object of the verb above, if there is one (*Ann asked Ben to help her*).
    """
    first, last = words.sentences[sentence]
    for _ in range(4):
        children = [word for word in range(first, min(last, len(syntax.parents))) if syntax.parents[word] == verb]
        for word in children:
            if syntax.relations[word] in SUBJECTS and word != verb:
                return word
        relation, above = syntax.relations[verb], syntax.parents[verb]
        if relation not in VERBAL or above == verb:
            return None
        if relation == RELATION["xcomp"]:
            for word in range(first, min(last, len(syntax.parents))):
                if syntax.parents[word] == above and syntax.relations[word] in ARGUMENTS:
                    return word
        verb = above
    return None


def _is_additional(forms: Sequence[str], start: int, end: int) -> bool:
    """Return whether a mention introduces a further entity: *another man*, *a second letter*."""
    if end - start < 2:
        return False
    first, second = forms[start].lower(), forms[start + 1].lower()
    return first in ADDITIONAL or (first in ("a", "an") and second in SECOND)


def _phrase(forms: Sequence[str], span: Span) -> str:
    return " ".join(forms[slice(*span)]).lower()


def _definition(forms: Sequence[str], end: int) -> str:
    """Return the term that is defined in brackets after a mention, as in *(the "Lender")*, or an empty string."""
    if end >= len(forms) or forms[end] != "(":
        return ""
    at = end + 1
    while at < len(forms) and forms[at].lower() in DEFINING:
        at += 1
    if at >= len(forms) or forms[at] not in QUOTES:
        return ""
    last = next((stop for stop in range(at + 1, min(at + 7, len(forms))) if forms[stop] in QUOTES), at)
    return _bare_term(forms[at + 1 : last])


def _bare_term(forms: Sequence[str]) -> str:
    """Return the words of a mention without determiners and marks if each has a capital, as terms do."""
    words = [form for form in forms if form[:1].isalnum()]
    if words and words[0].lower() in ("the", "this", "each", "such"):
        words = words[1:]
    return " ".join(words) if all(word[:1].isupper() for word in words) else ""


def _name_traits(forms: Sequence[str]) -> Iterable[Trait]:
    name = full_name(forms)
    if name is not None:
        yield "name", name
        yield "full", tuple(form.lower() for form in forms)
    elif first := first_name(forms):
        yield "first", first


def first_name(forms: Sequence[str]) -> str:
    """Return the first name that a mention consists of, in lower case; an empty string for other mentions."""
    return forms[0].lower() if len(forms) == 1 and forms[0].istitle() and is_first_name(forms[0].lower()) else ""


def is_first_name(form: str) -> bool:
    """Return whether a word in lower case is a common first name or a short form of one."""
    return form in language("en").names or form in language("en").nicknames


def is_same_first_name(one: str, other: str) -> bool:
    """Return whether two first names can be those of one person: *Robert* and *Bob*, *Bob* and *Bobby*."""
    known = language("en").nicknames
    return one == other or bool(known.get(one, frozenset((one,))) & known.get(other, frozenset((other,))))


def is_short_form(short: str, name: str) -> bool:
    """Return whether a word is a short form of a first name, and rarely a name of its own."""
    known = language("en")
    return short in known.short_forms and short != name and name in known.nicknames.get(short, frozenset())


def full_name(forms: Sequence[str]) -> tuple[str, str] | None:
    """Return the first and last part of the full name of a person, without titles; None for other mentions."""
    titles = language("en").titles
    parts = [form for form in forms if form.lower() not in titles and form not in ("'s", "’s", "’", "'")]
    if not 2 <= len(parts) <= 3 or not all(part[:1].isupper() and part.isalpha() for part in parts):
        return None
    first, last = parts[0].lower(), parts[-1].lower()
    return (first, last) if len(first) > 1 and is_first_name(first) else None


def is_conflict(own: Trait, other: Trait) -> bool:
    """Return whether two mentions with these properties cannot corefer."""
    (kind, value), (other_kind, known) = sorted((own, other), key=lambda trait: trait[0])
    if (kind, other_kind) == ("first", "full"):
        assert isinstance(value, str)
        assert isinstance(known, tuple)
        return not any(is_same_first_name(value, part) for part in known)
    if kind != other_kind or kind in ("first", "full"):
        return False
    if kind != "name":
        return value != known
    assert isinstance(value, tuple)
    assert isinstance(known, tuple)
    return is_same_first_name(value[0], known[0]) is not bool(value[1] == known[1])
