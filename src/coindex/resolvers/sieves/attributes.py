"""Attributes of mentions: kind, person, number, gender, animacy.

Features of the tree take precedence over the word lists of the language.
"""

from __future__ import annotations

from ..linguistics.languages import Language
from .candidates import (
    ANIMACIES,
    ANY_ANIMACY,
    ANY_GENDER,
    ANY_NUMBER,
    FEM,
    GENDERS,
    MANY,
    MASC,
    NEUT,
    NONE,
    NUMBERS,
    PERSON,
    PLUR,
    THING,
    Candidate,
    Features,
    TreeColumns,
)

CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "VERB", "X", "SYM"})
CAPITALS = frozenset({"PROPN", "X", "ADJ", "NUM", "NOUN", "VERB"})
"""Parts of speech of words before the head of a name (United, New, Great)."""
LONGEST = 60
"""Maximum number of words of a phrase that are compared, so that nested phrases take linear time."""


def modifiers(words: TreeColumns, candidate: Candidate) -> frozenset[str]:
    """Return the content words beside the head, without relative clauses."""
    head, lemmas = candidate.head, []
    for at in range(candidate.start, min(candidate.end, candidate.start + LONGEST)):
        if words.bases[at] == "acl" and words.parents[at] == head:
            break
        if at != head and words.upos[at] in CONTENT:
            lemmas.append(words.lemmas[at])
    return frozenset(lemmas)


def plain_text(words: TreeColumns, candidate: Candidate) -> str:
    """Return the words in lower case without articles, possessive marks, punctuation and empty nodes."""
    return " ".join(
        words.lower[at]
        for at in range(candidate.start, min(candidate.end, candidate.start + LONGEST))
        if words.upos[at] not in ("PUNCT", "PART")
        and at not in words.empty
        and words.features[at].get("PronType") != "Art"
    )


def definiteness(words: TreeColumns, candidate: Candidate) -> str:
    """Return the kind of determiner: poss, dem, neg, def, indef, quant, num or ""."""
    determiner = ""
    for child in words.children[candidate.head]:
        base, features = words.bases[child], words.features[child]
        if words.relations[child] == "nmod:poss" or features.get("Poss") == "Yes":
            return "poss"
        if base == "nummod":
            determiner = determiner or "num"
        elif base == "det":
            kind = features.get("PronType")
            if kind in ("Dem", "Neg") and not features.get("Definite"):
                return kind.lower()
            determiner = {"Def": "def", "Ind": "indef"}.get(features.get("Definite", ""), determiner or "quant")
    return determiner or {"Def": "def", "Ind": "indef"}.get(words.features[candidate.head].get("Definite", ""), "")


def name_inside(words: TreeColumns, candidate: Candidate) -> tuple[str, ...]:
    """Return the name beside a noun in its phrase: Juan Mora in "el ministro Juan Mora"."""
    for child in words.children[candidate.head]:
        if words.upos[child] == "PROPN" and words.bases[child] in ("appos", "flat") and child < candidate.end:
            return name_words(words, candidate, child)
    return ()


def name_words(words: TreeColumns, candidate: Candidate, head: int) -> tuple[str, ...]:
    """Return the words of the name: the head with compounds, flat parts and "of ..." names, without titles."""
    start = head
    while start > max(candidate.start, head - LONGEST) and _begins_name(words, start - 1):
        start -= 1
    end = head
    for child in words.children[head]:
        if child > end and words.right[child] < candidate.end and _ends_name(words, child):
            end = words.right[child]
    end = min(end, head + LONGEST)
    inside = [words.lower[at] for at in range(start, end + 1) if words.upos[at] not in ("PUNCT", "DET", "PART")]
    bare = [word for word in inside if word not in words.language.titles]
    return tuple(bare or inside)


def _begins_name(words: TreeColumns, at: int) -> bool:
    return words.upos[at] in CAPITALS and words.forms[at][:1].isupper()


def _ends_name(words: TreeColumns, child: int) -> bool:
    """Return whether a part after the head belongs to the name: a family name, a number, or "of" and a name."""
    base = words.bases[child]
    if base in ("flat", "compound", "goeswith", "nummod"):
        return True
    is_next = words.left[child] - words.parents[child] == 1
    return base == "nmod" and words.upos[child] == "PROPN" and is_next and words.has(child, "case")


SUBJECTS = frozenset({"nsubj", "csubj"})
LEAST_STEM = 5
"""Minimum length of a noun with the ending of a person noun: "baker", but not "over"."""


def describe(candidate: Candidate, words: TreeColumns) -> None:
    """Set all attributes of a candidate."""
    candidate.sentence = words.sentences[candidate.head]
    candidate.lemma = words.lemmas[candidate.head]
    candidate.kind = kind_of(words, candidate)
    if candidate.is_pronoun:
        _describe_pronoun(candidate, words)
    elif candidate.kind != "clause":
        _describe_noun(candidate, words)


def kind_of(words: TreeColumns, candidate: Candidate) -> str:
    """Return the kind of mention: zero, pronoun, name, noun or clause."""
    head, is_word = candidate.head, candidate.end - candidate.start == 1
    upos = words.upos[head]
    if head in words.empty:
        return "zero" if is_word or upos in ("PRON", "DET", "_") else "noun"
    if candidate.whole:
        return "noun"
    if upos in ("PRON", "DET") or (upos == "ADJ" and words.features[head].get("Poss") == "Yes"):
        return "pronoun" if is_word else "noun"
    if upos == "PROPN":
        return "name"
    return "clause" if upos in ("VERB", "AUX") else "noun"


def _describe_pronoun(candidate: Candidate, words: TreeColumns) -> None:
    head = candidate.head
    features = pronoun_features(words, head)
    candidate.person = _person(features)
    if candidate.kind == "zero" and "Person" not in features and words.bases[head] not in SUBJECTS:
        candidate.person = 0
    is_personal = "Person" in features or candidate.kind == "zero" or words.lower[head] in words.language.pronouns
    candidate.type = features.get("PronType", "Prs" if is_personal else "")
    candidate.possessive = features.get("Poss") == "Yes" or words.relations[head] == "nmod:poss"
    candidate.reflexive = features.get("Reflex") == "Yes"
    candidate.text = words.lower[head]
    candidate.number = NUMBERS.get(features.get("Number", ""), ANY_NUMBER)
    candidate.gender = GENDERS.get(features.get("Gender", ""), ANY_GENDER)
    candidate.animacy = ANIMACIES.get(features.get("Animacy", ""), ANY_ANIMACY)
    if candidate.person in (1, 2):
        candidate.animacy, candidate.gender = PERSON, MASC | FEM
    elif candidate.possessive and candidate.kind == "pronoun" and words.language.gendered:
        _describe_owner(candidate, features, words)


def _person(features: Features) -> int:
    return {"1": 1, "2": 2}.get(features.get("Person", ""), 3)


def pronoun_features(words: TreeColumns, position: int) -> Features:
    """Return the features of a pronoun from the tree, the word list, or the verb of a dropped subject."""
    features = {**words.language.pronouns.get(words.lower[position], {}), **words.features[position]}
    if position in words.empty:
        return {**_features_of_parent(words, position), **features}
    return features


def _features_of_parent(words: TreeColumns, position: int) -> Features:
    """Return the features of a dropped subject from its verb, or of a possessor from the possessed noun."""
    parent = words.parents[position]
    if parent == NONE:
        return {}
    if words.bases[position] not in SUBJECTS:
        own = words.features[parent]
        return {name: own[f"{name}[psor]"] for name in ("Person", "Number") if f"{name}[psor]" in own}
    features: Features = {}
    for word in [parent, *words.children[parent][:MANY]]:
        if word == parent or words.bases[word] in ("aux", "cop"):
            for name in ("Person", "Number", "Gender", "Animacy"):
                if name in words.features[word]:
                    features.setdefault(name, words.features[word][name])
    return features


def _describe_owner(candidate: Candidate, features: Features, words: TreeColumns) -> None:
    """Set the features of the possessor, which are separate features or in the word list."""
    listed = words.language.pronouns.get(words.lower[candidate.head], {})
    number = features.get("Number[psor]", listed.get("Number", ""))
    gender = features.get("Gender[psor]", listed.get("Gender", ""))
    candidate.number = NUMBERS.get(number, ANY_NUMBER)
    candidate.gender = GENDERS.get(gender, ANY_GENDER)
    candidate.animacy = ANY_ANIMACY


def _describe_noun(candidate: Candidate, words: TreeColumns) -> None:
    head = candidate.head
    candidate.text = plain_text(words, candidate)
    candidate.modifiers = modifiers(words, candidate)
    candidate.definite = definiteness(words, candidate)
    if candidate.whole:
        candidate.number = PLUR
        return
    candidate.number = NUMBERS.get(words.features[head].get("Number", ""), ANY_NUMBER)
    if words.lemmas[head] in words.language.groups:
        candidate.number = ANY_NUMBER
    if words.upos[head] == "PRON":  # "we all", "something new"
        candidate.person = _person(pronoun_features(words, head))
    if candidate.kind == "name" or words.upos[head] == "X":
        candidate.name = name_words(words, candidate, head)
    elif not words.language.appositions:
        candidate.name = name_inside(words, candidate)
    _person_or_thing(candidate, words)


def _person_or_thing(candidate: Candidate, words: TreeColumns) -> None:
    """Set gender and animacy; without grammatical gender, by the word lists of people."""
    language, features = words.language, words.features[candidate.head]
    grammatical = GENDERS.get(features.get("Gender", ""), ANY_GENDER)
    candidate.gender = grammatical
    candidate.animacy = ANIMACIES.get(features.get("Animacy", ""), ANY_ANIMACY)
    if candidate.kind == "name":
        gender = _gender_of_name(words, candidate)
    else:
        gender = gender_of_noun(language, candidate.lemma)
        if gender is None and candidate.animacy == ANY_ANIMACY and _is_thing(language, candidate.lemma):
            candidate.animacy = THING
    if gender is not None:
        candidate.animacy = PERSON
        if not language.gendered:
            candidate.gender = GENDERS.get(gender, MASC | FEM)
        elif gender and grammatical == ANY_GENDER:
            candidate.gender = GENDERS[gender]
    elif candidate.animacy == THING and not language.gendered:
        candidate.gender = NEUT


def gender_of_noun(language: Language, lemma: str) -> str | None:
    """Return Masc, Fem or "" for a noun that denotes a person, None for others."""
    if lemma in language.persons:
        return language.persons[lemma]
    if language.person_endings and len(lemma) > LEAST_STEM and lemma.endswith(language.person_endings):
        return None if lemma in language.things else ""
    return None


def _is_thing(language: Language, lemma: str) -> bool:
    """Return whether a noun denotes a thing, in a language whose pronouns distinguish people and things."""
    return not language.gendered and bool(language.persons) and not lemma.endswith(language.perhaps_endings)


def _gender_of_name(words: TreeColumns, candidate: Candidate) -> str | None:
    """Return the gender of a name by its title or by the first name."""
    language = words.language
    by_name = language.names.get(candidate.name[0]) if candidate.name else None
    for at in range(candidate.start, min(candidate.head + 1, candidate.end - 1)):
        title = language.titles.get(words.lower[at])
        if title is not None:
            return title or by_name or ""
    return by_name
