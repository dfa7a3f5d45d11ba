"""The *simple-rule-based* system of CRAC 2022: nearest noun of the same gender, then names by lemma.

"… linking each pronoun to the nearest previous noun of the same gender (as annotated in the provided CoNLL-U files) and
then applies the *berulasek* post-processing", which is `propn-merge` here. It uses no training data.

The paper does not specify some details. Here:

- A pronoun is a word with UPOS=PRON. Possessives tagged DET and zeros are not resolved, because the paper's table of
  mentions by tag contains no determiners.
- A noun is a word with UPOS=NOUN or PROPN; `nouns=common` excludes names.
- A missing gender equals another missing gender (`unknown=same`), as in a plain comparison of the two values. Otherwise
  hardly anything could be resolved in Hungarian and English. With `unknown=any` a missing gender equals every gender,
  with `unknown=none` it equals none.
- "Nearest previous" searches back across sentences to the beginning of the document.
- A noun and all pronouns linked to it form one entity.

Given mentions are linked by their heads and keep their spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...document import Document, Mention, Token
from ...document.disjoint_sets import Groups
from ...document.heads import Trees
from ...formats.registry import Option
from ..clusters import add_provenance, with_clusters
from ..linguistics.word_classes import head_word
from ..resolver import Resolver, Step
from . import propn_merge

NAME = "simple-rules"
NOUNS = {"all": ("NOUN", "PROPN"), "common": ("NOUN",)}
ANY = ""


def make(*, mentions: str, unknown: str = "same", nouns: str = "all", languages: str = propn_merge.LANGUAGES) -> Step:
    """Return the step; `RESOLVER` describes the options."""
    after = propn_merge.make(languages=languages)
    chosen = propn_merge.parse_languages(languages)
    tags = NOUNS[nouns]

    def resolve_detected(doc: Document) -> Document:
        heads = range(len(doc.tokens))
        groups: Groups[int] = Groups()
        for pronoun, noun in find_links(doc, heads, unknown, tags):
            groups.join(noun, pronoun)
        clusters = ([_mention(doc, head) for head in group] for group in groups)
        return after(with_clusters(doc, clusters))

    def resolve_given(doc: Document) -> Document:
        members = [mention for mention, _ in doc.mentions()]
        trees = Trees(doc)
        heads = [head_word(mention, trees) for mention in members]
        groups: Groups[int] = Groups(range(len(members)))
        for pronoun, noun in find_links(doc, heads, unknown, tags):
            groups.join(noun, pronoun)
        if propn_merge.applies(doc, chosen):
            _join_names(doc, heads, groups)
        return with_clusters(doc, ([add_provenance(members[number], NAME) for number in group] for group in groups))

    return resolve_given if mentions == "given" else resolve_detected


def _mention(doc: Document, position: int) -> Mention:
    return add_provenance(doc.mention([position], head=position), NAME)


def find_links(doc: Document, heads: Sequence[int], unknown: str, nouns: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield pairs of pronoun and noun as indices into `heads`, which are in reading order."""
    tokens = doc.tokens
    last: dict[str, int] = {}
    latest: int | None = None
    for number, head in enumerate(heads):
        token = tokens[head]
        if token.is_empty:
            continue
        if token.upos == "PRON":
            noun = _FIND[unknown](last, latest, _gender(token))
            if noun is not None:
                yield number, noun
        elif token.upos in nouns:
            last[_gender(token)] = latest = number


def _gender(token: Token) -> str:
    return token.features.get("Gender", ANY)


def _find_same(last: dict[str, int], latest: int | None, gender: str) -> int | None:
    return last.get(gender)


def _find_any(last: dict[str, int], latest: int | None, gender: str) -> int | None:
    if gender == ANY:
        return latest
    return max((last[known] for known in (gender, ANY) if known in last), default=None)


def _find_none(last: dict[str, int], latest: int | None, gender: str) -> int | None:
    return last.get(gender) if gender != ANY else None


_FIND: dict[str, Callable[[dict[str, int], int | None, str], int | None]] = {
    "same": _find_same,
    "any": _find_any,
    "none": _find_none,
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
    summary="links each pronoun to the nearest preceding noun of the same gender, then proper nouns by lemma",
    make=make,
    needs=("tags",),
    source="simple-rule-based in Žabokrtský et al. 2022 (CRAC 2022), section 4.2",
    options=(
        Option("unknown", ("same", "any", "none"), "which genders an unannotated gender matches"),
        Option("nouns", ("all", "common"), "which nouns can be antecedents: all, or common nouns only"),
        Option("languages", (), "languages in which names are merged, as in propn-merge"),
    ),
)
