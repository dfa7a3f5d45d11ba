"""Run a spaCy pipeline on the tokens and sentences of a document, and convert spaCy documents."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, tee
from typing import TYPE_CHECKING, Literal

from ...document import Document, Entity, Mention, Token, Tokens
from ...errors import CoindexError, CoindexWarning, MissingExtraError, quote
from ...formats.registry import Option
from ...text.tokenizer import segment
from ..resolver import Resolver
from ..sharing import share_loaded
from .clearnlp import is_punctuation, to_ud
from .step import OPTIONS, ROOT, Parser, Piece, Word, fill_token, join_pieces

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span
    from spacy.tokens import Token as SpacyToken


Scheme = Literal["ud", "clear", "other"]

UD = frozenset(
    """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed
    flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)
CLEAR = frozenset(
    """
    acomp agent attr auxpass csubjpass dative dobj intj meta neg npadvmod nsubjpass oprd pcomp pobj poss preconj predet
    prep prt quantmod relcl
    """.split()  # noqa: SIM905
)
"""ClearNLP relations that UD does not have; the English pipelines of spaCy use them."""
UD_ONLY = frozenset({"cop", "discourse", "fixed", "flat", "iobj", "list", "obj", "obl"})
"""UD relations that ClearNLP does not have."""


def pipeline_language(code: str | None) -> str | None:
    """Return the language of a spaCy pipeline, or None for its multilingual code xx."""
    return None if code == "xx" else code or None


def scheme_of(labels: Iterable[str], language: str = "") -> Scheme:
    """Return the scheme of relations: UD, ClearNLP (English), or another one, such as TIGER for German.

    Relations of a short English text may occur in both; they count as ClearNLP, which spaCy's English pipelines use.
    """
    relations = {label for label in labels if label}
    base = {label.partition(":")[0] for label in relations} - {"ROOT"}
    if base & CLEAR and base <= CLEAR | UD:
        return "clear"
    if not base <= UD:
        return "other"
    return "clear" if language == "en" and base == relations - {"ROOT"} and not base & UD_ONLY else "ud"


CHUNK = 2000
"""Maximum number of words that are parsed as one spaCy document, which limits memory and context."""


class SpacyEngine:
    """A spaCy pipeline, used without its tokenizer and its sentence boundaries."""

    longest = CHUNK

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self.language = pipeline_language(nlp.lang)
        self.scheme = pipeline_scheme(nlp)
        if self.scheme == "other":
            warnings.warn(make_unconverted_warning(nlp.lang), stacklevel=2)

    def parse(self, parts: Iterable[Piece], *, batch_size: int) -> Iterator[list[Word]]:
        chunks, again = tee(_chunks(parts))
        docs = self.nlp.pipe((self._doc(chunk) for chunk in chunks), batch_size=batch_size)
        for chunk, doc in zip(again, docs, strict=True):
            ends = list(accumulate(len(part.forms) for part in chunk))
            for part, end in zip(chunk, ends, strict=True):
                yield doc_words(doc, range(end - len(part.forms), end), self.scheme)

    def _doc(self, chunk: list[Piece]) -> Doc:
        from spacy.tokens import Doc

        return Doc(
            self.nlp.vocab,
            words=[form.replace("’", "'") for part in chunk for form in part.forms],
            spaces=[space for part in chunk for space in part.spaces],
            sent_starts=[index == 0 for part in chunk for index in range(len(part.forms))],
        )


def _chunks(parts: Iterable[Piece]) -> Iterator[list[Piece]]:
    chunk: list[Piece] = []
    size = 0
    for part in parts:
        if chunk and size + len(part.forms) > CHUNK:
            yield chunk
            chunk, size = [], 0
        chunk.append(part)
        size += len(part.forms)
    if chunk:
        yield chunk


def doc_words(doc: Doc, indices: Sequence[int], scheme: Scheme) -> list[Word]:
    """Return the analyses of the words of a sentence in a spaCy document, converted to UD."""
    where = {index: number for number, index in enumerate(indices)}
    has_tree = doc.has_annotation("DEP")
    words = [
        Word(
            token.text,
            token.lemma_ or "_",
            _upos(token.pos_, token.text),
            token.tag_ or "_",
            str(token.morph) or "_",
            (ROOT if token.head.i == token.i else where.get(token.head.i, ROOT)) if has_tree else None,
            token.dep_ or "dep",
            _name(token),
        )
        for token in (doc[index] for index in indices)
    ]
    return to_ud(words) if has_tree and scheme == "clear" else _with_roots(words)


def _name(token: SpacyToken) -> str:
    """Return the BIO tag; the possessive ending is excluded from names, although taggers include it."""
    is_ending = token.tag_ == "POS" and (token.i + 1 == len(token.doc) or token.nbor().ent_iob_ != "I")
    return "O" if is_ending or not token.ent_type_ else f"{token.ent_iob_}-{token.ent_type_}"


def _upos(pos: str, form: str) -> str:
    if pos in ("X", "SPACE"):
        return "PUNCT" if is_punctuation(form) else "X"
    return pos or "_"


def _with_roots(words: list[Word]) -> list[Word]:
    return [word._replace(deprel="root") if word.head == ROOT else word for word in words]


def pipeline_scheme(nlp: Language) -> Scheme:
    """Return the scheme of the relations that the parser of the pipeline was trained on."""
    labels = [label for name in nlp.pipe_names if name.endswith("parser") for label in nlp.pipe_labels.get(name, [])]
    return scheme_of(labels, nlp.lang or "")


def make_unconverted_warning(language: str | None) -> CoindexWarning:
    """Return the warning about a pipeline with relations that cannot be converted."""
    message = (
        f"the dependency relations of this {language!r} pipeline are neither Universal Dependencies nor ClearNLP and "
        "are not converted; resolvers that use trees will miss subjects, objects and names; use a pipeline trained "
        "on Universal Dependencies"
    )
    return CoindexWarning(message, code="unconverted-relations")


@share_loaded(keep=2)
def load_pipeline(model: str) -> Language:
    """Return the pipeline with that name or path; it is shared by the chains of this process."""
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy") from error
    try:
        return spacy.load(model)
    except OSError as error:
        if "E050" not in str(error):  # spaCy gives its error codes in the text only
            raise CoindexError(
                f"spaCy cannot load the pipeline {quote(model)}: {error}", code="invalid-pipeline"
            ) from error
        installed = ", ".join(spacy.util.get_installed_models()) or "none"
        raise CoindexError(
            f"no spaCy pipeline {quote(model)}; installed pipelines: {installed}; name one of them, give the path of a "
            f"pipeline, or install it with: python -m spacy download {model}",
            code="unknown-pipeline",
        ) from error


def make(*, model: str = "", **options: str) -> Parser:
    """Return the parser with a spaCy pipeline; `RESOLVER` describes the options."""
    if not model:
        raise CoindexError(
            "spacy needs the name or path of a pipeline, for example 'spacy(en_core_web_sm)'",
            code="invalid-option",
        )
    return Parser(SpacyEngine(load_pipeline(model)), **options)


RESOLVER = Resolver(
    name="spacy",
    kind="parser",
    summary="adds lemmas, tags, features, UD trees and named entities from a spaCy pipeline",
    make=make,
    licence="MIT; pipelines have their own",
    source="Honnibal et al. 2020",
    options=(Option("model", (), "name or path of the pipeline"), *OPTIONS),
)


class SpacyText:
    """A spaCy document with its coindex document, which has no tokens for white space."""

    def __init__(self, doc: Doc, scheme: Scheme, language: str | None = None) -> None:
        self.doc = doc
        self.indices = [token.i for token in doc if not token.is_space]
        """The index of the spaCy token for each position of the coindex document."""
        self.document = self._document(scheme, language or pipeline_language(doc.lang_))

    def span(self, mention: Mention) -> Span:
        """Return the spaCy span of a mention; for a discontinuous one, from its first to its last word."""
        return self.doc[self.indices[mention.start] : self.indices[mention.end - 1] + 1]

    def with_mentions(self, places: Iterable[tuple[int, int]]) -> SpacyText:
        """Set one entity per character range, and return the same object."""
        return self.with_clusters([place] for place in dict.fromkeys(places))

    def with_clusters(self, clusters: Iterable[Iterable[tuple[int, int]]]) -> SpacyText:
        """Set the entities, given as clusters of character ranges, and return the same object."""
        layer = self.document.tokens
        entities: list[Entity] = []
        for cluster in clusters:
            spans = [layer.positions_in(start, end) for start, end in cluster]
            mentions = tuple(Mention(layer, tuple(span)) for span in spans if span)
            if mentions:
                entities.append(Entity(f"e{len(entities) + 1}", mentions))
        self.document = self.document.replace(entities=tuple(entities))
        return self

    def _document(self, scheme: Scheme, language: str | None) -> Document:
        text = self.doc.text
        starts = [self.doc[index].idx for index in self.indices]
        tokens: list[Token] = []
        lengths = []
        for sentence in self._sentences(starts, language):
            words = join_pieces([doc_words(self.doc, sentence, scheme)])
            ids = [str(number) for number in range(1, len(words) + 1)]
            tokens += [fill_token(Token(id, word.form), word, ids) for id, word in zip(ids, words, strict=True)]
            lengths.append(len(words))
        following = [*starts[1:], len(text)]
        spaced = (
            (
                token._replace(space=text[start + len(token.form) : end])
                for token, start, end in zip(tokens, starts, following, strict=True)
            )
            if tokens
            else ()
        )
        layer = Tokens(spaced, prefix=text[: starts[0]] if starts else text)
        return Document.from_sentences(layer, lengths, language=language)

    def _sentences(self, starts: list[int], language: str | None) -> Iterator[list[int]]:
        """Yield the tokens of each sentence of the pipeline, or otherwise of the sentence splitter of coindex."""
        if self.doc.has_annotation("SENT_START"):
            first_chars = [sentence.start_char for sentence in self.doc.sents]
        else:
            first_chars = [spans[0][0] for spans in segment(self.doc.text, language=language) if spans]
        cuts = [0, *(bisect_left(starts, char) for char in first_chars), len(starts)]
        for start, end in pairwise(cuts):
            if start < end:
                yield self.indices[start:end]
