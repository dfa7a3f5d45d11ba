"""Documents to a folder: groups.xml and the texts in texts/."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TextIO

from ...document import Document
from ...errors import LossWarning
from ..names import file_name, xml_attributes
from ..sink import Sink
from ..surface import distinct_spans, main_characters, mention_ids, without_zeros
from ..text import has_words, text_beside
from ..xml import escape, writable
from .tables import GROUPS

_RESERVED = ("id", "chain", "offset", "length", "head_offset", "head_length")
_TRACK = "coreference"


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write texts as they are, and the groups with offsets into them."""
    track = None
    blank = 0
    with sink.file("groups.xml") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        for number, doc in enumerate(docs, 1):
            if track is None:
                track = doc.meta.get("track", _TRACK)
                out.write(f"<rueval{xml_attributes({'track': track})}>\n")
            name = file_name(doc.id, str(number))
            file = f"texts/{name}{'_' if name.endswith(GROUPS) else ''}.txt"
            with sink.file(file) as text_out:
                text_out.write(text_beside(doc))
            blank += _write_text(out, without_zeros(doc), doc.id or str(number), file, track)
        out.write("</rueval>\n" if track is not None else f'<rueval track="{_TRACK}">\n</rueval>\n')
    if blank:
        warnings.warn(LossWarning(f"rueval cannot say: {blank} mentions of white space alone"), stacklevel=2)


def _write_text(out: TextIO, doc: Document, id: str, file: str, track: str) -> int:
    """Write the groups of a text; how many had no words and are left out."""
    blank = 0
    values = {"id": id, "file": file}
    if doc.meta.get("track", _TRACK) != track:
        values["track"] = doc.meta.get("track", _TRACK)
    if doc.language not in (None, "ru"):
        values["language"] = doc.language
    out.write(f"<text{xml_attributes(values)}>\n")
    found = distinct_spans(doc, main_characters)
    groups = mention_ids([mention for mention, _, _ in found])
    for (mention, entity, (offset, stop)), group in zip(found, groups, strict=True):
        if not has_words(doc.text[offset:stop]):
            blank += 1
            continue
        own = {"id": group, "chain": entity.id, "offset": str(offset), "length": str(stop - offset)}
        if mention.head is not None and offset <= (begin := doc.tokens.start_char(mention.head)) < stop:
            own |= {
                "head_offset": str(begin),
                "head_length": str(doc.tokens.end_char(mention.head) - begin),
            }
        more = {name: value for name, value in mention.attributes.items() if name != "id"}
        expression = escape(writable(doc.text[offset:stop]), {"\r": "&#13;"})
        out.write(f"<group{xml_attributes(own)}{xml_attributes(more, reserved=_RESERVED)}>{expression}</group>\n")
    out.write("</text>\n")
    return blank
