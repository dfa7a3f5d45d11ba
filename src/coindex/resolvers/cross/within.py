"""Mentions and chains inside each document, before documents are compared.

Events found without a model: verbs that are no auxiliaries, and nouns of a list. One word each.

Verbs by their tags where there are any; else English, by word lists and endings: *-ed*, *-ing* after no article,
irregular forms. What happens is often said by a noun (*the attack*), and nouns are many, so this finds far from all
events.

Given mentions are taken as they are, and entities among them may be chained by any resolver. Where mentions are to be
found and there is a learned tagger, its mentions of both kinds are taken, and a resolver that is named says which
entities among them belong together. Without a tagger a resolver finds chains, and events are found by `events`: a chain
with a head that tells of an event is one, and so is every other word that does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from ...document import Document, Kind, Mention
from ...document.heads import Trees
from ...errors import CoindexError
from ..chain import Chain, load_chain
from ..clusters import with_clusters
from ..defaults import choose
from ..linguistics.english import AUXILIARIES, DETERMINERS, POSSESSIVES, VERBS
from ..linguistics.languages import language_of
from ..linguistics.stems import IRREGULAR, stem
from ..linguistics.word_classes import has_classes, head_word, word_class
from ..resolver import Mentions
from .tagger import Tagger

_NOUNS = """
accident acquisition arrest assault assassination attack award battle birth blast bombing bid campaign ceremony charge
clash collapse collision concert conference conflict confession construction conviction coup crash crime crisis death
deal debate debut defeat delay demonstration departure discovery dispute drought earthquake election eruption escape
eviction evacuation event execution explosion festival fight fire flood funeral game genocide hearing homicide hurricane
hunt injury inquiry invasion investigation journey kidnapping killing landslide launch lawsuit loss marriage massacre
match meeting merger mission murder negotiation nomination operation outbreak outage parade performance poll protest
purchase quake raid rally rape referendum release rescue resignation retirement revolution riot robbery sale scandal
search sentence shooting siege speech storm strike suicide summit surgery takeover talks theft thunderstorm tornado
tournament tragedy transaction trial trip tsunami verdict victory violence visit vote war wedding win withdrawal wreck
"""
NOUNS = frozenset(stem(word) for word in _NOUNS.split())
BASES = frozenset(IRREGULAR.values()) - {
    "be",
    "have",
    "do",
    "man",
    "woman",
    "child",
    "person",
    "foot",
    "tooth",
    "mouse",
}
NO_VERBS = frozenset(
    stem(word)
    for word in "life wife knife leaf thing morning evening king ring spring hundred red bed need".split()  # noqa: SIM905 - a list of words
)
BEFORE_NOUNS = DETERMINERS | POSSESSIVES


def find_events(doc: Document) -> Iterator[int]:
    """The positions of words that tell of events, in order."""
    if has_classes(doc):
        for position, token in enumerate(doc.tokens):
            kind = word_class(token)
            if kind == "VERB" or (kind == "NOUN" and stem(token.form) in NOUNS):
                yield position
    elif language_of(doc).code in ("", "en"):
        yield from _english(doc)


def _english(doc: Document) -> Iterator[int]:
    forms = doc.tokens.forms
    for position, form in enumerate(forms):
        if not form.isalpha():
            continue
        word = form.lower()
        base = stem(word)
        if base in NOUNS:
            yield position
        elif word not in AUXILIARIES and base not in NO_VERBS and not (form[:1].isupper() and position):
            before = forms[position - 1].lower() if position else ""
            irregular = IRREGULAR.get(word) in BASES or word in VERBS
            regular = len(word) > 4 and base != word and word.endswith(("ed", "ing"))
            if (irregular or regular) and before not in BEFORE_NOUNS:
                yield position


AUTO, NONE = "auto", "none"
Clusters = list[tuple[list[Mention], Kind]]


def add_chains(
    docs: Iterable[Document], resolver: str, *, given: bool, tagger: Tagger | None = None
) -> Iterator[Document]:
    """The documents with mentions, chained by a resolver: by name, `auto` for one that fits, `none` for none.

    With given mentions `auto` chains nothing, for what is given is known better than what a resolver would find. Nor
    does it with those of a tagger: pairs across documents tell more of them than chains of another scheme.
    """
    if not given and tagger is not None:
        tagged = tagger.pipe(docs)
        yield from tagged if resolver in (AUTO, NONE) else (_join_tagged(doc, resolver) for doc in tagged)
        return
    if not given and resolver == NONE:
        raise CoindexError(
            "mentions are to be found, but chains=none leaves nobody to find those of entities; expected the name of a "
            "resolver; leave the option out, or take the mentions of the input with --mentions given",
            code="invalid-option",
        )
    for doc in docs:
        if given:
            yield doc if resolver in (AUTO, NONE) else _chain_given(doc, resolver)
        else:
            yield _detect_chains(doc, resolver)


def _chain_given(doc: Document, resolver: str) -> Document:
    """The given mentions of entities chained; events stay alone."""
    events: Clusters = [(list(e.mentions), e.kind) for e in doc.entities if e.kind == "event"]
    rest = doc.replace(entities=tuple(entity for entity in doc.entities if entity.kind != "event"))
    chained = _load_chain(resolver, "given", None)(rest)
    return _assemble(doc, [*((list(e.mentions), e.kind) for e in chained.entities), *events])


def _join_tagged(doc: Document, resolver: str) -> Document:
    """The entities of a tagger joined where a resolver finds their mentions in one chain: the same span, or head."""
    if not len(doc.tokens):
        return doc
    chained = _load_chain(resolver, "detected", None)(doc.replace(entities=()))
    trees = Trees(doc)
    chain_of: dict[tuple[int, ...] | int, str] = {}
    for mention, entity in chained.mentions():
        chain_of.setdefault(mention.positions, entity.id)
        chain_of.setdefault(head_word(mention, trees), entity.id)
    clusters: dict[tuple[str, str], tuple[list[Mention], Kind]] = {}
    for mention, entity in doc.mentions():
        chain = chain_of.get(mention.positions) or chain_of.get(head_word(mention, trees))
        name = ("alone", entity.id) if entity.kind == "event" or chain is None else ("chain", chain)
        clusters.setdefault(name, ([], entity.kind))[0].append(mention)
    return _assemble(doc, list(clusters.values()))


def _detect_chains(doc: Document, resolver: str) -> Document:
    if not len(doc.tokens):
        return doc.replace(entities=())
    name, language = choose(doc) if resolver == AUTO else (resolver, None)
    chained = _load_chain(name, "detected", language)(doc)
    events = set(find_events(doc))
    trees = Trees(doc)
    clusters: Clusters = []
    for entity in chained.entities:
        heads = [head_word(mention, trees) for mention in entity.mentions]
        is_event = any(head in events for head in heads)
        clusters.append((list(entity.mentions), "event" if is_event else "entity"))
        events.difference_update(heads)
    clusters += [([doc.mention([at], head=at)], "event") for at in sorted(events)]
    return _assemble(doc, clusters)


def _assemble(doc: Document, clusters: Clusters) -> Document:
    return with_clusters(doc, (mentions for mentions, _ in clusters), kinds=(kind for _, kind in clusters))


@lru_cache(maxsize=4)
def _load_chain(name: str, mentions: str, language: str | None) -> Chain:
    how: Mentions = "given" if mentions == "given" else "detected"
    chain = load_chain(name, mentions=how, language=language, keep_words=True)
    if chain.collects:
        raise CoindexError(
            f"{name} looks at several documents together; expected a resolver of single documents for their chains; "
            "choose another, or use it without cross",
            code="invalid-chain",
        )
    return chain
