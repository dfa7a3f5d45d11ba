"""Writing CorefUD: what did not change is copied from where it was read, the rest is made anew."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...document import Document, Multiword, Sentence
from ..sink import Sink
from .annotation import Annotation, annotate, changed_positions, entity_names, header_for
from .header import GLOBAL, Header
from .reader import Origin

_OURS = ("Bridge", "Entity", "SplitAnte")
_UNESCAPED = re.compile(r"[ \t\n\r|\\]")
_ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
_BREAKS = re.compile(r"[\t\n\r]+")


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write documents one after the other."""
    in_force: Header | None = None
    for number, doc in enumerate(docs, 1):
        origin = doc.origin if isinstance(doc.origin, Origin) else None
        if origin is not None and _is_unchanged(doc, origin) and in_force in (None, origin.header):
            text = "\n\n".join(origin.raw) + origin.end
            in_force = origin.header
        else:
            text, in_force = _rewritten(doc, origin, number, in_force)
        if origin is not None and origin.newline != "\n":
            text = text.replace("\n", origin.newline)
        sink.stream.write(text)


def _is_unchanged(doc: Document, origin: Origin) -> bool:
    was = origin.document
    same = doc.tokens is was.tokens and doc.sentences is was.sentences
    same = same and (doc.id, doc.topic, doc.subtopic) == (was.id, was.topic, was.subtopic)
    if same and doc.entities is was.entities:
        return doc.bridges is was.bridges and doc.split_antecedents is was.split_antecedents
    return same and (doc.entities, doc.bridges, doc.split_antecedents, doc.shared_ids) == (
        was.entities,
        was.bridges,
        was.split_antecedents,
        was.shared_ids,
    )


def _rewritten(doc: Document, origin: Origin | None, number: int, in_force: Header | None) -> tuple[str, Header | None]:
    old_header = origin.header if origin is not None else None
    header = header_for(doc, old_header)
    names = entity_names(doc, header, number)
    if origin is None or len(origin.raw) != len(doc.sentences):
        return _made(doc, header, annotate(doc, header, names), number), header
    was = origin.document
    only = None
    if doc.tokens is was.tokens and header == old_header and all(id == name for id, name in names.items()):
        only = changed_positions(was, doc)
    new = annotate(doc, header, names, only)
    old = {}
    if old_header is not None:
        old = annotate(was, old_header, {entity.id: entity.id for entity in was.entities}, only)
    touched = None if only is None else {doc.sentence_index(position) for position in only}
    blocks = []
    for index, (raw, sentence, before) in enumerate(zip(origin.raw, doc.sentences, was.sentences, strict=True)):
        if index > 0 and touched is not None and index not in touched:
            blocks.append(raw)
            continue
        lines = raw.split("\n")
        comments = [line for line in lines if line.startswith("#") or not line]
        if index == 0:
            comments = _first_comments(comments, doc, was, header if doc.entities else old_header, in_force)
        if doc.tokens is was.tokens or sentence.tokens == before.tokens:
            words = _patched(lines[-_count_words(lines) :], sentence, before, new, old)
        else:
            words = _lines(doc, sentence, new)
        blocks.append("\n".join(comments + words))
    return "\n\n".join(blocks) + origin.end, header


def _made(doc: Document, header: Header, new: Mapping[int, Annotation], number: int) -> str:
    blocks = []
    for index, sentence in enumerate(doc.sentences):
        blocks.append("\n".join(_comments(doc, index, header, number) + _lines(doc, sentence, new)) + "\n\n")
    return "".join(blocks)


def _count_words(lines: list[str]) -> int:
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _first_comments(
    comments: list[str], doc: Document, was: Document, header: Header | None, in_force: Header | None
) -> list[str]:
    """The comments of a document's first sentence, with its new id and fields where they changed."""
    if doc.id != was.id and doc.id is not None:
        comments = [line for line in comments if not line.startswith("# newdoc")]
        comments.insert(0, f"# newdoc id = {_one_line(doc.id)}")
    for name, now, before in (("topic", doc.topic, was.topic), ("subtopic", doc.subtopic, was.subtopic)):
        if now != before:
            comments = [line for line in comments if not line.startswith(f"# meta::{name} =")]
            comments += [f"# meta::{name} = {_one_line(now)}"] if now is not None else []
    if header is None:
        return comments
    line = GLOBAL + "-".join(header.fields)
    for index, comment in enumerate(comments):
        if comment.startswith(GLOBAL.rstrip("= ")):
            return comments if _spelt(comment) == header.fields else [*comments[:index], line, *comments[index + 1 :]]
    if in_force == header:
        return comments
    after = next((i + 1 for i, c in enumerate(comments) if c.startswith("# newdoc")), 0)
    return [*comments[:after], line, *comments[after:]]


def _spelt(comment: str) -> tuple[str, ...]:
    return tuple(comment.partition("=")[2].strip().split("-"))


def _patched(
    lines: list[str],
    sentence: Sentence,
    before: Sentence,
    new: Mapping[int, Annotation],
    old: Mapping[int, Annotation],
) -> list[str]:
    """The lines as they were, but for the words whose annotation is another now."""
    result = []
    offset = 0
    for line in lines:
        name, _, _ = line.partition("\t")
        if "-" in name:
            result.append(line)
            continue
        now, then = new.get(sentence.start + offset, {}), old.get(before.start + offset, {})
        offset += 1
        if now != then:
            columns, _, misc = line.rpartition("\t")
            line = f"{columns}\t{_with_annotation(misc, now, then)}"
        result.append(line)
    return result


def _with_annotation(misc: str, now: Annotation, then: Annotation) -> str:
    pairs = [] if misc == "_" else misc.split("|")
    for name in _OURS:
        if now.get(name) == then.get(name):
            continue
        places = [i for i, pair in enumerate(pairs) if pair.startswith(name + "=")]
        if name not in now:
            pairs = [pair for i, pair in enumerate(pairs) if i not in places]
        elif places:
            pairs[places[0]] = f"{name}={now[name]}"
        else:  # CorefUD sorts the names in MISC
            at = next((i for i, pair in enumerate(pairs) if pair.casefold() > name.casefold()), len(pairs))
            pairs.insert(at, f"{name}={now[name]}")
    return "|".join(pairs) or "_"


def _comments(doc: Document, index: int, header: Header, number: int) -> list[str]:
    """The comments of a sentence that was not read from CorefUD."""
    sentence = doc.sentences[index]
    name = _one_line(doc.id) if doc.id is not None else f"document{number}"
    lines = []
    if index == 0:
        lines += [f"# newdoc id = {name}", GLOBAL + "-".join(header.fields)]
        meta = dict(doc.meta) | {"genre": doc.genre, "topic": doc.topic, "subtopic": doc.subtopic}
        lines += [f"# meta::{key} = {_one_line(value)}" for key, value in meta.items() if value is not None]
    lines += sentence.comments
    lines.append(f"# sent_id = {_one_line(sentence.id) if sentence.id is not None else f'{name}-{index + 1}'}")
    if sentence.speaker is not None:
        lines.append(f"# speaker = {_one_line(sentence.speaker)}")
    lines.append(f"# text = {_one_line(sentence.text)}")
    return lines


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _lines(doc: Document, sentence: Sentence, new: Mapping[int, Annotation]) -> list[str]:
    """The words of a sentence from the model alone."""
    multiwords = {}
    if doc.tokens.multiwords:
        multiwords = {m.start: m for m in doc.tokens.multiwords if sentence.start <= m.start < sentence.end}
    covered = {p for m in multiwords.values() for p in range(m.start, m.end)}
    last = len(doc.tokens) - 1
    lines = []
    for position, token in enumerate(sentence.tokens, sentence.start):
        if position in multiwords:
            lines.append(_multiword_line(doc, multiwords[position], last))
        misc = token.misc
        unsaid = (token.space == " " and position != last) or position in covered or token.is_empty
        if not unsaid or position in new:
            space = "" if unsaid else _space(token.space, position == last)
            misc = _misc(misc, new.get(position, {}), space)
        cells = "\t".join(token[:9])
        if "" in token[:9] or cells.count("\t") != 8 or "\n" in cells or "\r" in cells:
            cells = "\t".join(_BREAKS.sub(" ", cell) or "_" for cell in token[:9])
        lines.append(f"{cells}\t{misc}")
    return lines


def _multiword_line(doc: Document, multiword: Multiword, last: int) -> str:
    words = [token.id for token in doc.tokens[multiword.start : multiword.end] if not token.is_empty]
    misc = _misc(multiword.misc, {}, _space(multiword.space, multiword.end - 1 == last))
    return "\t".join([f"{words[0]}-{words[-1]}", multiword.form, *["_"] * 7, misc])


def _space(space: str, is_last: bool) -> str:
    """How MISC says what stands after a word; nothing for one blank, and at the end for nothing."""
    if space == ("" if is_last else " "):
        return ""
    if not space:
        return "SpaceAfter=No"
    return "SpacesAfter=" + _UNESCAPED.sub(lambda match: _ESCAPES[match.group()], space)


def _misc(misc: str, annotation: Annotation, space: str) -> str:
    pairs = [] if misc == "_" else misc.split("|")
    pairs += [f"{name}={value}" for name, value in annotation.items()]
    if space:
        pairs.append(space)
    return "|".join(sorted(pairs, key=str.casefold)) or "_"
