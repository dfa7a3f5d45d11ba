"""Add number, gender and animacy to entities where their mentions show it.

Each mention has the features of its head in the tree, or otherwise those of the word lists of the language: pronouns,
titles, first names and nouns for people. A value is used if all mentions that have one agree; a plural pronoun for a
singular noun (*the team … they*) leaves the number open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...document import Document, Entity, Mention
from ...document.naming import head_of, is_pronoun
from ..defaults import ASSUMED
from ..linguistics.languages import Language, language, language_of
from ..resolver import Resolver, Step

FEATURES = {"number": "Number", "gender": "Gender", "animacy": "Animacy"}
"""The UD features of attributes; their values are those of UD: Sing, Plur, Masc, Fem, Neut, Anim, Inan."""
FIRST_AND_SECOND = ("1", "2")


def make() -> Step:
    """Return the step."""

    def step(doc: Document) -> Document:
        words = language_of(doc)
        if not words.code:  # too short to guess
            words = language(ASSUMED)
        return doc.replace(entities=tuple(add_attributes(entity, words) for entity in doc.entities))

    return step


def add_attributes(entity: Entity, words: Language) -> Entity:
    """Return an entity with the attributes that its mentions agree on; given attributes are kept."""
    known = [mention_features(mention, words) for mention in entity.mentions]
    attributes = {}
    for attribute, feature in FEATURES.items():
        values = {features[feature] for features in known if features.get(feature)}
        if len(values) == 1:
            attributes[attribute] = values.pop()
    return replace(entity, attributes={**attributes, **entity.attributes}) if attributes else entity


def mention_features(mention: Mention, words: Language) -> Mapping[str, str]:
    """Return the features of a mention by its tags and by the word lists."""
    head = mention.layer[head_of(mention)]
    word = head.form.lower()
    features = dict(head.features)
    if not words.gendered and not is_pronoun(mention):
        features.pop("Gender", None)
    if is_pronoun(mention) or len(mention) == 1:
        features |= words.pronouns.get(word, {})
    if features.get("Person") in FIRST_AND_SECOND:
        features["Animacy"] = "Anim"
    gender = _person_gender(mention, words)
    if gender is not None:
        features["Animacy"] = "Anim"
        if gender and not words.gendered:
            features["Gender"] = gender
        if head.upos == "_" and not is_pronoun(mention):
            features["Number"] = "Sing"
    if any(token.form.lower() == "and" for token in mention.tokens[1:-1]):
        return {"Number": "Plur"} | {name: features[name] for name in ("Animacy",) if name in features}
    return features


def _person_gender(mention: Mention, words: Language) -> str | None:
    """Return Masc, Fem or "" if the head is a person by its noun, a title or a first name; None if it may not be."""
    head = mention.layer[head_of(mention)]
    lemma = head.lemma.lower() if head.lemma != "_" else head.form.lower()
    if lemma in words.persons:
        return words.persons[lemma]
    if not head.form[:1].isupper():
        return None
    forms = [token.form.lower() for token in mention.tokens if token.form[:1].isupper()]
    known = [table[form] for form in forms for table in (words.titles, words.names) if form in table]
    return next((gender for gender in known if gender), "" if known else None)


RESOLVER = Resolver(
    name="attributes",
    kind="step",
    summary="adds number, gender and animacy to entities where pronouns, tags or word lists show them",
    make=make,
    source="ours",
)
