"""Each pronoun to the nearest noun before it of the same gender, then names by lemma: CRAC 2022, *simple-rule-based*.

"… linking each pronoun to the nearest previous noun of the same gender (as annotated in the provided CoNLL-U files) and
then applies the *berulasek* post-processing", which is `propn-merge` here: a few lines that use no training data.

Where the paper is silent:

- a pronoun is a word with UPOS=PRON. Its table of mentions by tag has no determiners, so possessives tagged DET are
  not resolved, and no zeros;
- a noun is a word with UPOS=NOUN or PROPN (`nouns=common` leaves names out);
- a gender that is not annotated equals another that is not (`unknown=same`): that is what comparing the two values
  does, and without it the system could say nothing of Hungarian, nor much of English. `unknown=any` lets it equal
  every gender, `unknown=none` no other;
- "nearest previous" goes back over sentences, to the beginning of the document;
- all pronouns of one noun are one entity with it.

With given mentions these are linked by their heads, and keep their spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...document import Document, Mention, Token
from ...document.disjoint_sets import Groups
from ...document.heads import Trees
from ...formats.registry import Option
from ..clusters import linked, with_clusters
from ..linguistics.word_classes import head_word
from ..resolver import Resolver, Step
from . import propn_merge

NAME = "simple-rules"
NOUNS = {"all": ("NOUN", "PROPN"), "common": ("NOUN",)}
ANY = ""


def make(*, mentions: str, unknown: str = "same", nouns: str = "all", languages: str = propn_merge.LANGUAGES) -> Step:
    after = propn_merge.make(languages=languages)
    chosen = propn_merge.parse_languages(languages)
    tags = NOUNS[nouns]

    def detected(doc: Document) -> Document:
        heads = range(len(doc.tokens))
        groups: Groups[int] = Groups()
        for pronoun, noun in links(doc, heads, unknown, tags):
            groups.join(noun, pronoun)
        clusters = ([_mention(doc, head) for head in group] for group in groups)
        return after(with_clusters(doc, clusters))

    def given(doc: Document) -> Document:
        pairs = [mention for mention, _ in doc.mentions()]
        trees = Trees(doc)
        heads = [head_word(mention, trees) for mention in pairs]
        groups: Groups[int] = Groups(range(len(pairs)))
        for pronoun, noun in links(doc, heads, unknown, tags):
            groups.join(noun, pronoun)
        if propn_merge.applies(doc, chosen):
            _join_names(doc, heads, groups)
        return with_clusters(doc, ([linked(pairs[number], NAME) for number in group] for group in groups))

    return given if mentions == "given" else detected


def _mention(doc: Document, position: int) -> Mention:
    return linked(doc.mention([position], head=position), NAME)


def links(doc: Document, heads: Sequence[int], unknown: str, nouns: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Pronouns with nouns, as numbers of heads; heads are in reading order."""
    tokens = doc.tokens
    last: dict[str, int] = {}
    latest: int | None = None
    for number, head in enumerate(heads):
        token = tokens[head]
        if token.is_empty:
            continue
        if token.upos == "PRON":
            found = _FIND[unknown](last, latest, _gender(token))
            if found is not None:
                yield number, found
        elif token.upos in nouns:
            last[_gender(token)] = latest = number


def _gender(token: Token) -> str:
    return token.features.get("Gender", ANY)


def _same(last: dict[str, int], latest: int | None, gender: str) -> int | None:
    return last.get(gender)


def _any(last: dict[str, int], latest: int | None, gender: str) -> int | None:
    if gender == ANY:
        return latest
    return max((last[known] for known in (gender, ANY) if known in last), default=None)


def _none(last: dict[str, int], latest: int | None, gender: str) -> int | None:
    return last.get(gender) if gender != ANY else None


_FIND: dict[str, Callable[[dict[str, int], int | None, str], int | None]] = {
    "same": _same,
    "any": _any,
    "none": _none,
}


def _join_names(doc: Document, heads: Sequence[int], groups: Groups[int]) -> None:
    first: dict[str, int] = {}
    for number, head in enumerate(heads):
        token = doc.tokens[head]
        if token.upos == "PROPN" and not token.is_empty:
            lemma = token.form if token.lemma == "_" else token.lemma
            groups.join(first.setdefault(lemma, number), number)


RESOLVER = Resolver(
    name=NAME,
    kind="rules",
    summary="each pronoun to the nearest noun before it of the same gender, then proper nouns with one lemma",
    make=make,
    needs=("tags",),
    source="simple-rule-based in Žabokrtský et al. 2022 (CRAC 2022), section 4.2",
    options=(
        Option("unknown", ("same", "any", "none"), "what a gender that is not annotated equals"),
        Option("nouns", ("all", "common"), "whether names count as nouns"),
        Option("languages", (), "the languages where names are merged, as in propn-merge"),
    ),
)
