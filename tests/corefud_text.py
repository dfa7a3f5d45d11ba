"""Small CorefUD texts for tests: `from corefud_text import HEADER, document, sentence`."""

from __future__ import annotations

HEADER = "# global.Entity = eid-etype-head-other"


def sentence(*words: str, comments: tuple[str, ...] = ()) -> str:
    """Lines of words "FORM" or "FORM MISC", numbered from 1; "8.1 FORM MISC" and "2-3 FORM" have their own ids."""
    lines, number = list(comments), 0
    for word in words:
        cells = word.split(" ")
        if cells[0][0].isdigit() and len(cells) > 1:
            id = cells.pop(0)
        else:
            number += 1
            id = str(number)
        form, misc = cells[0], cells[1] if len(cells) > 1 else "_"
        head, deprel = ("0", "root") if id == "1" else ("1", "dep")
        if "-" in id or "." in id:
            head = deprel = "_"
        deps = "1:dep" if "." in id else "_"
        lines.append("\t".join([id, form, form.lower(), "X", "_", "_", head, deprel, deps, misc]))
        number = int(id) if id.isdigit() else number
    return "\n".join(lines) + "\n\n"


def document(*sentences: str, id: str = "d", header: str = HEADER) -> str:
    """The sentences with the two comments that begin a document; `sent_id`s are not added."""
    return f"# newdoc id = {id}\n{header}\n" + "".join(sentences)
