"""Small CorefUD texts for tests: `from corefud_text import HEADER, document, sentence`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import coindex
from coindex.document import Document

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


# GUM's own fields, an entity of three mentions, a bridge, a group, nested and single words, a multiword token.
GUM = document(
    sentence(
        "The Entity=(1-person-new-2-coref(2-place-new-1-sgl)",
        "2-3 del SpaceAfter=No",
        "mayor",
        "2.1 on Entity=(3)",
        "town Entity=1)|Gloss=t",
        ". SpacesAfter=\\s\\s\\n",
        comments=("# sent_id = d-1", "# speaker = Ann", "# text = The mayor del."),
    ),
    sentence(
        "She Bridge=2<1:part|Entity=(1-person-giv-1-ana)|Gloss=she",
        "and Entity=(4-person-acc-1-sgl)|SplitAnte=1<4,2<4",
        "he",
        comments=("# sent_id = d-2", "# newpar"),
    ),
    header="# global.Entity = GRP-etype-infstat-minspan-link",
)


def save(tmp_path: Path, text: str, name: str = "in.conllu") -> Path:
    """The text as a file."""
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def written(docs: Document | Iterable[Document], tmp_path: Path) -> str:
    """What the documents are as CorefUD; it stays in out.conllu."""
    coindex.write(docs, tmp_path / "out.conllu")
    return (tmp_path / "out.conllu").read_bytes().decode()


def only(path: Path) -> Document:
    """The one document of a file."""
    (doc,) = coindex.read(path)
    return doc


def difference(before: str, after: str) -> list[tuple[str, str]]:
    """The lines that are not the same."""
    return [(a, b) for a, b in zip(before.split("\n"), after.split("\n"), strict=True) if a != b]


# The CorefUD files of the shared folder.
CORPORA = [
    "cs_faust/cs_pdtc-ud-train-ft.conllu",
    "en_gum/en_gum-corefud-dev.conllu",
    "en_gum/en_gum-dev.conllu",
    "en_gum/en_gum-train.conllu",
    "en_parcorfull/en_parcorfull-dev.conllu",
    "en_parcorfull/en_parcorfull-train.conllu",
    "es_ancora/es_ancora-dev.conllu",
]
