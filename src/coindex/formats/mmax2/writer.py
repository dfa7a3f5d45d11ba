"""Writing MMAX2: entities as sets of the level `coref`, sentences as a level of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...document import Document, Entity, Mention, runs
from ..names import file_name, xml_attributes
from ..sink import Sink
from ..surface import all_sentences, ordered_mentions, without_zeros
from ..xml import escape, quoteattr, word_text, writable
from .reader import COMMON_PATHS, HEAD, KIND, OWN_LEVEL, POINTER, SET_PREFIX, SETS, SPEAKER, TYPE

PROLOGUE = '<?xml version="1.0" encoding="UTF-8"?>\n'
_RESERVED = ("id", "span", "mmax_level", HEAD, TYPE, KIND, POINTER, *SETS)
_PATHS = f"""{PROLOGUE}<common_paths>
<basedata_path>basedata/</basedata_path>
<scheme_path>schemes/</scheme_path>
<style_path>styles/</style_path>
<customization_path>customizations/</customization_path>
<markable_path>markables/</markable_path>
<annotations>
<level name="{OWN_LEVEL}" schemefile="{OWN_LEVEL}_scheme.xml">$_{OWN_LEVEL}_level.xml</level>
<level name="sentence" schemefile="sentence_scheme.xml">$_sentence_level.xml</level>
</annotations>
</common_paths>
"""


def write(docs: Iterable[Document], sink: Sink) -> None:
    for number, doc in enumerate(docs, 1):
        if number == 1:
            with sink.file(COMMON_PATHS) as out:
                out.write(_PATHS)
        name = file_name(doc.id, f"doc{number}")
        seen = without_zeros(doc)
        with sink.file(f"{name}.mmax") as out:
            id = "" if doc.id in (None, name) else f" doc_id={quoteattr(writable(doc.id or ''))}"
            words = escape(writable(f"{name}_words.xml"))
            out.write(f"{PROLOGUE}<mmax_project{id}>\n<words>{words}</words>\n</mmax_project>\n")
        with sink.file(f"basedata/{name}_words.xml") as out:
            out.write(f"{PROLOGUE}<words>\n")
            for index, token in enumerate(seen.tokens, 1):
                out.write(f'<word id="word_{index}">{word_text(token.form)}</word>\n')
            out.write("</words>\n")
        for level, lines in ((OWN_LEVEL, _mentions(seen)), ("sentence", _sentences(seen))):
            with sink.file(f"markables/{name}_{level}_level.xml") as out:
                out.write(f'{PROLOGUE}<markables xmlns="www.eml.org/NameSpaces/{level}">\n')
                out.writelines(f"{line}\n" for line in lines)
                out.write("</markables>\n")


def _mentions(doc: Document) -> Iterator[str]:
    mentions = ordered_mentions(doc)
    ids = {_address(entity, mention): f"markable_{i}" for i, (mention, entity) in enumerate(mentions, 1)}
    first = {entity.id: ids[_address(entity, entity.mentions[0])] for entity in doc.entities}
    splits = {}
    for split in doc.split_antecedents:
        targets = dict.fromkeys(first[id] for id in split.antecedents if id in first)
        if len(targets) > 1:  # a pointer to one markable would mean identity
            splits[split.entity, split.anaphor.positions] = ";".join(targets)
    for mention, entity in mentions:
        address = _address(entity, mention)
        about = {"id": ids[address], "span": _span(mention), SETS[0]: f"{SET_PREFIX}{entity.id}"}
        if address in splits:
            about[POINTER] = splits[address]
        if mention.head is not None:
            about[HEAD] = f"word_{mention.head + 1}"
        if entity.type is not None:
            about[TYPE] = entity.type
        if entity.kind != "entity":
            about[KIND] = entity.kind
        others = xml_attributes(mention.attributes, reserved=_RESERVED)
        yield f"<markable{xml_attributes(about)}{others}/>"


def _address(entity: Entity, mention: Mention) -> tuple[str, tuple[int, ...]]:
    return entity.id, mention.positions


def _span(mention: Mention) -> str:
    parts = []
    for start, end in runs(mention.positions):
        parts.append(f"word_{start + 1}" if end == start + 1 else f"word_{start + 1}..word_{end}")
    return ",".join(parts)


def _sentences(doc: Document) -> Iterator[str]:
    sentences = all_sentences(doc)
    taken = {sentence.id for sentence in sentences}
    written: set[str] = set()
    for number, sentence in enumerate(sentences, 1):
        id = sentence.id or ""
        if not id or id in written:
            id = f"sentence_{number}"
            while id in taken:
                id += "_"
        written.add(id)
        taken.add(id)
        span = f"word_{sentence.start + 1}..word_{sentence.end}"
        speaker = {SPEAKER: sentence.speaker} if sentence.speaker is not None else {}
        yield f"<markable{xml_attributes({'id': id, 'span': span, **speaker})}/>"
