"""A simple stemmer for English texts without lemmas, good enough to compare words.

Irregular forms of common verbs and nouns are looked up. From other words, -s, -ed and -ing are removed; doubled
consonants and silent e are treated the same in all forms (*stopped*, *stops* -> *stop*; *making*, *makes* -> *mak*).
Stems are not dictionary forms, and a few different words share a stem (*planed*, *planned*).

The Snowball stemmer is not better: without the irregular forms, the head-lemma baseline of `coindex report
ecb-realistic` has 63.9 instead of 64.2 CoNLL for events (dev topics of ECB+, gold mentions, no singletons); with them
it has 64.6, but 64.5 instead of 64.7 for entities.
"""

from __future__ import annotations

from functools import lru_cache

from ...document import Document

# base: other forms
_IRREGULAR = """
be: am is are was were been being
have: has had having
do: does did done doing
go: goes went gone going
say: said
make: made
take: took taken
get: got gotten
give: gave given
find: found
tell: told
become: became
leave: left
feel: felt
bring: brought
begin: began begun beginning
keep: kept
hold: held
write: wrote written
stand: stood
hear: heard
mean: meant
meet: met
run: ran running
pay: paid
sit: sat
speak: spoke spoken
lead: led
grow: grew grown
lose: lost
fall: fell fallen
send: sent
build: built
understand: understood
draw: drew drawn
break: broke broken
spend: spent
rise: rose risen
drive: drove driven
buy: bought
wear: wore worn
choose: chose chosen
come: came
see: saw seen
know: knew known
think: thought
win: won winning
catch: caught
teach: taught
sell: sold
fight: fought
throw: threw thrown
show: shown
steal: stole stolen
shoot: shot
strike: struck stricken
seek: sought
flee: fled
fly: flew flown
hide: hid hidden
eat: ate eaten
sing: sang sung
swim: swam swum
bite: bit bitten
ride: rode ridden
freeze: froze frozen
shake: shook shaken
sink: sank sunk
swear: swore sworn
tear: tore torn
wake: woke woken
bind: bound
feed: fed
lay: laid
light: lit
slide: slid
sleep: slept
sweep: swept
deal: dealt
agree: agreed
free: freed
guarantee: guaranteed
lend: lent
die: died dying dies
lie: lied lying lies
man: men
woman: women
child: children
person: people
foot: feet
tooth: teeth
mouse: mice
life: lives
wife: wives
knife: knives
leaf: leaves
"""
IRREGULAR = {
    form: base
    for line in _IRREGULAR.strip().splitlines()
    for base, _, forms in [line.partition(":")]
    for form in forms.split()
}
KEPT = ("ss", "us", "is", "news", "series", "species", "texas", "kansas", "'s")
VOWELS = frozenset("aeiouy")
DOUBLED = frozenset("bdfgklmnprtvz")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    word = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    word = IRREGULAR.get(word, word)
    return _normalize_stem(_remove_ending(word))


def _remove_ending(word: str) -> str:
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(KEPT):
        return word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 1 and not VOWELS.isdisjoint(rest):
            return _remove_doubling(rest)
    return word


def _remove_doubling(rest: str) -> str:
    return rest[:-1] if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] in DOUBLED else rest


def _normalize_stem(word: str) -> str:
    """Remove a final e and a doubled final consonant, which the endings -ing and -ed change."""
    if len(word) > 3 and word.endswith("e") and not word.endswith("ee"):
        word = word[:-1]
    return _remove_doubling(word)


def lemma(doc: Document, position: int) -> str:
    """Return the lemma of a word in lower case, or its stem where it has none."""
    token = doc.tokens[position]
    return stem(token.form) if token.lemma in ("_", "") else token.lemma.lower()
