"""Run natasha on Russian tokens and sentences: slovnet taggers for morphology, syntax and names, dictionary lemmas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from ...errors import MissingExtraError
from ..resolver import Resolver
from .step import OPTIONS, ROOT, Parser, Piece, Word

PRONOUN_FEATURES = {
    "я": "PronType=Prs",
    "ты": "PronType=Prs",
    "мы": "PronType=Prs",
    "вы": "PronType=Prs",
    "он": "PronType=Prs",
    "она": "PronType=Prs",
    "оно": "PronType=Prs",
    "они": "PronType=Prs",
    "себя": "PronType=Prs|Reflex=Yes",
    "мой": "Poss=Yes|PronType=Prs",
    "твой": "Poss=Yes|PronType=Prs",
    "наш": "Poss=Yes|PronType=Prs",
    "ваш": "Poss=Yes|PronType=Prs",
    "свой": "Poss=Yes|PronType=Prs|Reflex=Yes",
    "его": "Poss=Yes|PronType=Prs",
    "ее": "Poss=Yes|PronType=Prs",
    "их": "Poss=Yes|PronType=Prs",
    "который": "PronType=Rel",
    "кто": "PronType=Int,Rel",
    "что": "PronType=Int,Rel",
    "чей": "PronType=Int,Rel",
    "этот": "PronType=Dem",
    "это": "PronType=Dem",
    "тот": "PronType=Dem",
    "такой": "PronType=Dem",
    "весь": "PronType=Tot",
    "каждый": "PronType=Tot",
    "никто": "PronType=Neg",
    "ничто": "PronType=Neg",
}
"""Features of words tagged as pronouns or determiners, by lemma."""


def add_pronoun_features(lemma: str, upos: str, feats: Mapping[str, str], rel: str) -> tuple[str, dict[str, str]]:
    """Return the tag and the features of a word, completed for pronouns; "его дом" has a possessive determiner."""
    features = dict(feats)
    if upos not in ("PRON", "DET") or lemma not in PRONOUN_FEATURES:
        return upos, features
    features |= dict(pair.split("=") for pair in PRONOUN_FEATURES[lemma].split("|"))
    if upos == "PRON" and rel == "det" and features.get("Person") == "3":
        features["Poss"] = "Yes"
        upos = "DET"
    return upos, features


LONGEST = 128
"""Maximum length of a piece, because the run time of the parser is quadratic; real sentences are rarely longer."""


class NatashaEngine:
    """The slovnet taggers of natasha; they take words, so that natasha's tokenizer is not used."""

    longest = LONGEST
    language: str | None = "ru"

    def __init__(self) -> None:
        try:
            from natasha import NewsEmbedding, NewsMorphTagger, NewsNERTagger, NewsSyntaxParser
        except ImportError as error:
            raise MissingExtraError("natasha", "natasha") from error
        embedding = NewsEmbedding()
        self.morphology = NewsMorphTagger(embedding)
        self.syntax = NewsSyntaxParser(embedding)
        self.names = NewsNERTagger(embedding)
        self.vocabulary = _vocabulary()

    def parse(self, parts: Iterable[Piece], *, batch_size: int) -> Iterator[list[Word]]:
        stream = iter(parts)
        while batch := [part.forms for part in islice(stream, batch_size)]:
            tagged = zip(self.morphology.map(batch), self.syntax.map(batch), self._tag_names(batch), strict=True)
            for morphology, syntax, names in tagged:
                yield [
                    self._word(form, tree, name)
                    for form, tree, name in zip(morphology.tokens, syntax.tokens, names, strict=True)
                ]

    def _tag_names(self, batch: list[list[str]]) -> Iterator[list[str]]:
        """Yield the BIO tags of the words; called with a text, the tagger would tokenize it itself."""
        infer = self.names.infer
        return iter(infer.decoder(infer.process(infer.encoder(batch))))

    def _word(self, form: Any, tree: Any, name: str) -> Word:
        head = int(tree.head_id) - 1
        lemma = self.vocabulary.lemmatize(form.text, form.pos, form.feats)
        upos, feats = add_pronoun_features(lemma, form.pos, form.feats, tree.rel)
        column = "|".join(f"{key}={feats[key]}" for key in sorted(feats, key=str.lower))
        return Word(form.text, lemma, upos, "_", column or "_", head, "root" if head == ROOT else tree.rel, name)


def _vocabulary() -> Any:
    """Return natasha's dictionary with an explicit path, because pymorphy2 needs pkg_resources to find it."""
    from natasha.morph.vocab import MorphForm, MorphVocab
    from pymorphy2 import MorphAnalyzer
    from pymorphy2_dicts_ru import get_path

    vocabulary = MorphVocab.__new__(MorphVocab)
    MorphAnalyzer.__init__(vocabulary, path=get_path(), result_type=MorphForm)
    return vocabulary


@cache
def _engine() -> NatashaEngine:
    """Return the taggers, which the chains of this process share."""
    return NatashaEngine()


def make(**options: str) -> Parser:
    """Return the parser; `RESOLVER` describes the options."""
    return Parser(_engine(), **options)


RESOLVER = Resolver(
    name="natasha",
    kind="parser",
    summary="adds lemmas, tags, features, UD trees and named entities to Russian text with natasha",
    make=make,
    languages=("ru",),
    licence="MIT",
    source="Kukushkin 2020",
    options=OPTIONS,
)
