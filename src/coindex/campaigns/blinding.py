"""The blind input: what participants get of an annotated key.

What stays is named, all else goes: a corpus may say who is who in places that nobody thought of (columns of old formats
in MISC, comments such as `# meta::salientEntities`). The document is made anew, so that nothing of the file that it was
read from is copied. Two keys that differ only in their annotation give the same input, byte for byte.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from ..document import Document, Entity, Mention, Sentence, Token, Tokens
from ..document.documents import CONTEXT
from ..document.naming import antecedent, is_pronoun
from ..document.tokens import Extra
from ..formats.corefud.lines import STANDARD
from ..formats.surface import without_zeros
from .definition import Mentions, Zeros

MISC = frozenset(
    {"CorrectForm", "CorrectSpaceAfter", "Gloss", "LGloss", "LId", "LTranslit", "Lang", "MGloss", "MSeg", "Node"}
    | {"SpaceAfter", "SpacesAfter", "SpacesBefore", "Translit", "Typo", "XML"}
)
"""The fields of MISC that may stay: none of them is about reference."""
COMMENTS = frozenset({"newpar", "text_en", "translit", "addressee", "s_type", CONTEXT[2:]})
META = frozenset({"part", "track", "task", "doc_id", "title", "author", "sourceURL", "speakerList", "speakerCount"})
"""The names of comments and of what is said of a document that may stay."""
STANDOFF = frozenset({"brat", "rueval"})
"""Formats that know mentions by characters: words are cut at the borders of mentions, so words are found anew."""
ANAPHORIC = "anaphoric"
ECBPLUS = "ecbplus"


def blind(
    doc: Document,
    *,
    mentions: Mentions = "hidden",
    zeros: Zeros = "kept",
    task: int | None = None,
    format: str | None = None,
    keep: Collection[str] = (),
) -> Document:
    """The input made of a key document.

    With `mentions` given, each mention is an entity of its own, numbered in the order of the text, with its kind and
    without any attribute; the head of a mention is not told. `task` is a task of ARE 2007; `keep` names more fields of
    MISC, comments, metadata and columns of CoNLL-U Plus that may stay. An input made of an input is the same input.
    """
    if format in STANDOFF and mentions == "hidden" and task is None:
        about = {"topic": doc.topic, "subtopic": doc.subtopic, "genre": doc.genre, "meta": doc.meta}
        doc = Document.from_text(doc.text, id=doc.id, language=doc.language, markup="none").replace(**about)
    elif zeros == "stripped":
        doc = without_zeros(doc)
    tokens = Tokens(
        (_bare(token, keep, zeros) for token in doc.tokens),
        multiwords=(
            replace(multiword, misc=_kept_misc(multiword.misc, keep), extra=_kept_extra(multiword.extra, keep))
            for multiword in doc.tokens.multiwords
        ),
        prefix=doc.tokens.prefix,
    )
    given = list(_given(doc, task, mentions))
    return Document(
        tokens,
        tuple(_bare_sentence(tokens, sentence, keep) for sentence in doc.sentences),
        tuple(_alone(tokens, _ids(number, doc, format), *one) for number, one in enumerate(given, 1)),
        id=doc.id,
        shared_ids=format == ECBPLUS,
        topic=doc.topic,
        subtopic=doc.subtopic,
        genre=doc.genre,
        language=doc.language,
        meta=_kept_meta(doc, task, keep),
        columns=tuple(name for name in doc.columns if name in STANDARD or name in keep),
    )


def _given(doc: Document, task: int | None, mentions: Mentions) -> Iterator[tuple[Mention, Entity, bool]]:
    """The mentions that the input has, each once, with what kind of thing they are and whether they are to be resolved.

    Task 1 of ARE gives all candidates, and says which pronouns are anaphoric: those of which the key says so, else
    those with an antecedent. A pleonastic *it* is in no list. Task 2 gives the noun phrases of chains, and no others;
    tasks 3 and 4 give the text alone.
    """
    if mentions == "hidden" and task not in (1, 2):
        return
    pairs = doc.mentions()
    is_input = doc.meta.get("kind") == "input"
    said = any(ANAPHORIC in mention.attributes for mention, _ in pairs)
    seen: set[tuple[tuple[int, ...], str]] = set()
    for mention, entity in pairs:
        name = (mention.positions, entity.kind)
        if (task == 2 and len(entity) < 2 and not is_input) or name in seen:
            continue
        seen.add(name)
        if said:
            resolved = mention.attributes.get(ANAPHORIC) == "yes"
        else:
            resolved = is_pronoun(mention) and antecedent(mention, entity.mentions) is not None
        yield mention, entity, resolved and task == 1


def _ids(number: int, doc: Document, format: str | None) -> tuple[str, dict[str, str]]:
    """The id of an entity of one mention and the attribute that numbers the mention; ECB+ has a form for both."""
    if format == ECBPLUS:
        return f"{doc.id}:m{number}", {"m_id": str(number)}
    return f"e{number}", {"id": str(number)}


def _alone(tokens: Tokens, ids: tuple[str, dict[str, str]], mention: Mention, entity: Entity, resolved: bool) -> Entity:
    name, attributes = ids
    attributes |= {ANAPHORIC: "yes"} if resolved else {}
    return Entity(name, (Mention(tokens, mention.positions, None, attributes),), None, entity.kind)


def _bare(token: Token, keep: Collection[str], zeros: Zeros) -> Token:
    misc, deps = token.misc, token.deps
    if zeros == "stripped" and "." in deps:  # what hung on an empty node tells that there was one
        arcs = [arc for arc in deps.split("|") if "." not in arc.partition(":")[0]]
        deps = "|".join(arcs) or "_"
    return token._replace(misc=_kept_misc(misc, keep), deps=deps, extra=_kept_extra(token.extra, keep))


def _kept_extra(extra: Extra, keep: Collection[str]) -> Extra:
    return tuple((name, value) for name, value in extra if name in keep)


def _kept_misc(misc: str, keep: Collection[str]) -> str:
    if misc == "_":
        return misc
    pairs = [pair for pair in misc.split("|") if (name := pair.partition("=")[0]) in MISC or name in keep]
    return "|".join(pairs) or "_"


def _bare_sentence(tokens: Tokens, sentence: Sentence, keep: Collection[str]) -> Sentence:
    comments = tuple(comment for comment in sentence.comments if _is_kept(comment, keep))
    return Sentence(tokens, sentence.start, sentence.end, sentence.id, sentence.speaker, comments)


def _is_kept(comment: str, keep: Collection[str]) -> bool:
    text = comment[1:].strip()
    name = text.partition("=")[0].strip()
    return text in COMMENTS or name in COMMENTS or name in keep or name.split()[:1] == ["newpar"]


def _kept_meta(doc: Document, task: int | None, keep: Collection[str]) -> dict[str, str]:
    meta = {name: value for name, value in doc.meta.items() if name in META or name in keep}
    return meta | ({"task": str(task), "kind": "input"} if task is not None else {})


def write_options(task: int | None, format: str) -> dict[str, str]:
    """The options of a format's writer that an input needs: the scorers compare the ids of sentences with the key's."""
    if format == "corefud":
        return {"sent_ids": "kept"}
    return {"task": str(task), "kind": "input"} if task is not None and format == "are" else {}
