"""Detect the format of a file by its name and first characters, without importing the readers.

`FORMATS` is the table of all formats in the order of detection: the most specific first, raw text last.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, NamedTuple

from .foreign import is_binary
from .remote import as_path

Role = Literal["main", "part", "no"]
"""Whether a file is to be read, belongs to one that is (a text beside its annotations), or neither."""


@dataclass(frozen=True, slots=True)
class Head:
    """The input of detection: the file's name and its first characters."""

    path: PurePath
    text: str


# --- CoNLL

_COLUMNS_LINE = re.compile(r"#\s*global\.columns\b")
_BEGIN = re.compile(r"#\s{0,9}begin document\b")
CONLLU = (".conllu", ".conllup")
CONLLUA = (".conllua", ".CONLLUA")
CONLL2012 = (".conll", "_conll", ".conll2012")


def is_columns_line(line: str) -> bool:
    """Return whether this is a comment that names the columns of CoNLL-U Plus."""
    return _COLUMNS_LINE.match(line) is not None


def _is_corefud(head: Head) -> Role:
    """Detect CoNLL-U: comment lines, then a line of ten tab-separated columns that begins with a word id.

    CoNLL-U Plus: a first line that names the columns.
    """
    if _is_conllua(head) == "main":
        return "no"
    if is_columns_line(head.text):
        return "main"
    for line in head.text.split("\n"):
        line = line.rstrip("\r")
        if line.startswith(("#begin document", "# begin document")):
            return "no"
        if not line or line.startswith("#"):
            if line.startswith(("# global.Entity", "# global.columns", "# newdoc", "# sent_id", "# text =")):
                return "main"
            continue
        columns = line.split("\t")
        looks_right = len(columns) == 10 and columns[0].replace("-", "").replace(".", "").isdigit()
        return "main" if looks_right or head.path.suffix in CONLLU else "no"
    return "main" if head.path.suffix in CONLLU else "no"


UA_COLUMNS = ("IDENTITY", "BRIDGING", "DISCOURSE_DEIXIS")
"""The columns with the annotation of Universal Anaphora."""


def _is_conllua(head: Head) -> Role:
    """Detect a line that names the column IDENTITY among the first comments, or the extension."""
    if head.path.suffix in CONLLUA:
        return "main" if head.text.strip() else "no"
    for line in head.text.split("\n"):
        if is_columns_line(line):
            return "main" if UA_COLUMNS[0] in line.partition("=")[2].upper().split() else "no"
        if line and not line.startswith("#"):
            return "no"
    return "no"


def _is_conll2012(head: Head) -> Role:
    """Detect a `#begin document` line before any row; without it, this extension and brackets at the end."""
    for line in head.text.split("\n"):
        row = line.rstrip("\r")
        if _BEGIN.match(row):
            return "main"
        if row and not row.isspace() and not row.startswith("#"):
            if not head.path.name.endswith(CONLL2012):
                return "no"
            from .conll2012.reader import is_bracket_cell

            last = row.split("\t")[-1] if "\t" in row else row.split()[-1]
            return "main" if is_bracket_cell(last) else "no"
    return "no"


KORKOR_COLUMNS = frozenset({"id", "form"})
_KORKOR_MARKERS = (frozenset({"corefhead", "coreftype"}), frozenset({"xpostag", "upostag"}))


def _is_korkor(head: Head) -> Role:
    """Detect a header row with the column names of this corpus."""
    names = set(head.text.partition("\n")[0].rstrip("\r").split("\t"))
    return "main" if names >= KORKOR_COLUMNS and any(names >= telling for telling in _KORKOR_MARKERS) else "no"


# --- XML and standoff

_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)([^>]*)")
ECB_SENTENCES = "ECBplus_coreference_sentences.csv"


def _is_ecbplus(head: Head) -> Role:
    if head.path.name == ECB_SENTENCES:
        return "part"
    root = _ROOT.search(head.text)
    if root and root[1] == "Document" and ("doc_name=" in root[2] or "<token t_id=" in head.text):
        return "main"
    return "no"


_ARE = re.compile(r"<are[\s>]")
_ARE_PARAGRAPH = re.compile(r"<p[\s>]", re.IGNORECASE)
_ARE_MARKS = re.compile(r"<(entity\s+id|node\s+id|anaphoric_pronouns|coref|ucoref)\b", re.IGNORECASE)
_ARE_LIST = re.compile(r"<anaphoric_pronouns\b")
_ARE_KEY = re.compile(r"<chain\s+id\s*=[^>]*>\s*<(node|member)\s")


def _is_are(head: Head) -> Role:
    """Detect our root element, paragraphs with the exercise's elements, or its keys; a list of pronouns is a part."""
    text = head.text
    if not text.lstrip().startswith("<"):
        return "no"
    if _ARE.search(text) or (_ARE_PARAGRAPH.search(text) and _ARE_MARKS.search(text)) or _ARE_KEY.search(text):
        return "main"
    return "part" if _ARE_LIST.search(text) else "no"


_RUEVAL = re.compile(r"<rueval[\s>/]")
RUCOR_TOKENS = "doc_id\tshift\tlength\ttoken"
RUCOR_GROUPS = "doc_id\tvariant\tgroup_id\tchain_id"


def _is_rueval(head: Head) -> Role:
    """Detect our root element, or RuCor's column names; the table of tokens is a part of that of groups."""
    text = head.text.lstrip()
    if text.startswith("<") and _RUEVAL.search(text):
        return "main"
    if text.startswith(RUCOR_GROUPS):
        return "main"
    return "part" if text.startswith(RUCOR_TOKENS) else "no"


_MMAX2_PARTS = frozenset({"words", "markables", "common_paths", "annotationscheme", "customization"})


def _is_mmax2(head: Head) -> Role:
    root = _ROOT.search(head.text)
    if root is None or not head.text.lstrip().startswith("<"):
        return "no"
    if root[1] == "mmax_project":
        return "main"
    return "part" if root[1] in _MMAX2_PARTS else "no"


_BRAT_SETTINGS = frozenset({"annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf"})
_SPAN_LINE = re.compile(r"^T[0-9]+\t\S+ [0-9]+ [0-9]+(;[0-9]+ [0-9]+)*\t", re.MULTILINE)
_OTHER_LINE = re.compile(r"^([REAMN][0-9]+|#[0-9]*|\*)\t\S", re.MULTILINE)


def _is_brat(head: Head) -> Role:
    suffix = head.path.suffix
    if head.path.name in _BRAT_SETTINGS:
        return "part"
    if suffix == ".ann":
        is_blank = not head.text.strip()  # a text without annotations
        return "main" if is_blank or _SPAN_LINE.search(head.text) or _OTHER_LINE.match(head.text) else "no"
    if _SPAN_LINE.match(head.text):
        return "main"
    if suffix != ".txt":
        return "no"
    path = as_path(head.path)
    return "part" if any(path.with_suffix(end).is_file() for end in (".ann", ".ann.gz")) else "no"


# --- JSON

_KEY = re.compile(r'(?<!\\)"(\w{1,40})"\s{0,9}:')
JSON_VERSION = "coindex"
"""The first key of an object in our own JSON."""
JSONLINES = (".jsonlines", ".jsonl", ".json")


def top_keys(text: str) -> list[str]:
    """Return the keys at the beginning of a JSON object, which may be incomplete; empty for other text."""
    start = text.lstrip()
    return _KEY.findall(start.partition("\n")[0]) if start.startswith("{") else []


def _is_json(head: Head) -> Role:
    """Detect an object whose first key is `coindex`, the version of the schema."""
    return "main" if top_keys(head.text)[:1] == [JSON_VERSION] else "no"


def _is_preco(head: Head) -> Role:
    """Detect an object with `mention_clusters`, or one that begins with an id and sentences."""
    keys = top_keys(head.text)
    known = "mention_clusters" in keys or (keys[:2] == ["id", "sentences"] and "clusters" not in keys)
    return "main" if known else "no"


def _is_jsonlines(head: Head) -> Role:
    """Detect an object with `clusters` or a `doc_key`, or any object in a file with this extension."""
    keys = top_keys(head.text)
    if "doc_key" in keys or ("clusters" in keys and ("sentences" in keys or "text" in keys)):
        return "main"
    if keys and keys[0] in ("sentences", "text") and head.path.suffix in JSONLINES:
        return "main"  # a long document whose clusters come after the characters that detection reads
    return "main" if head.path.suffix == ".jsonlines" and head.text.lstrip().startswith("{") else "no"


# --- text

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd"})
TEXT_ENDINGS = frozenset({".txt", ".text", ".rst", ".asc", *MARKDOWN})
# A file with this extension is a corpus; if no format matched, it is damaged, and its markup is not words.
_CORPUS_ENDING = re.compile(
    r"\.(?:\w*conllu?[ap]?|x?tsv|csv|tab|ann|mmax|xml|sgml?|xmi|tei|x?html?|svg|json\w*|ndjson|ya?ml|toml|ipynb|rtf)"
)
_MARKUP = re.compile(
    r"""\s*(?:
        <[?!/A-Za-z]                    # XML, HTML, SGML
        | \{\s*(?:"|\}\s*\Z)            # a JSON object
        | \[\s*(?:[{\["]|\]\s*\Z)       # a JSON array
        | \#\ ?(?:begin\ document|newdoc|newpar|global\.|sent_id|text\ *=)   # CoNLL
        | (?:[^\t\n]+\t){3}[^\t\n]*\t  # a table
    )""",
    re.VERBOSE,
)


def _is_text(head: Head) -> Role:
    """Accept any text, unless it looks like a corpus in an unknown format."""
    suffix = head.path.suffix.lower()
    is_other = _CORPUS_ENDING.fullmatch(suffix) or _MARKUP.match(head.text)
    return "no" if is_other or is_binary(head.text, is_named_text=suffix in TEXT_ENDINGS) else "main"


# --- binary tables


def _is_parquet(head: Head) -> Role:
    return "main" if head.text.startswith("PAR1") and is_binary(head.text) else "no"


def _is_arrow(head: Head) -> Role:
    """Detect a file, or a stream, whose first four bytes cannot be decoded."""
    is_table = head.text.startswith(("ARROW1\0\0", "\ufffd" * 4)) and is_binary(head.text)
    return "main" if is_table else "no"


# --- the table


class Detection(NamedTuple):
    """The properties of a format that are known before its module is imported."""

    extensions: tuple[str, ...]
    detect: Callable[[Head], Role] | None
    """None for formats that are not detected: they can only be written, or have to be named."""
    is_written: bool = True


FORMATS: dict[str, Detection] = {
    "corefud": Detection(CONLLU, _is_corefud),
    "conllua": Detection(CONLLUA, _is_conllua),
    "conll2012": Detection(CONLL2012, _is_conll2012),
    "korkor": Detection((".tsv", ".xtsv"), _is_korkor, is_written=False),
    "ecbplus": Detection((".xml",), _is_ecbplus),
    "are": Detection((".are.xml", ".xml"), _is_are),
    "rueval": Detection((".xml", "Groups.txt"), _is_rueval),
    "mmax2": Detection((".mmax",), _is_mmax2),
    "brat": Detection((".ann",), _is_brat),
    "json": Detection((".json", ".jsonl"), _is_json),
    "preco": Detection((".jsonl", ".json"), _is_preco),
    "jsonlines": Detection(JSONLINES, _is_jsonlines),
    "parquet": Detection((".parquet", ".pq"), _is_parquet),
    "arrow": Detection((".arrow", ".feather", ".ipc"), _is_arrow),
    "table": Detection(
        (".parquet", ".pq", ".arrow", ".feather", ".jsonl", ".ndjson", ".csv", ".tsv", ".tab"), None, is_written=False
    ),
    "html": Detection((".html", ".htm"), None),
    "markdown": Detection((".md", ".markdown"), None),
    "terminal": Detection((".ansi",), None),
    "csv": Detection((".csv",), None),
    "resolved": Detection((".resolved.txt",), None),
    "replacements": Detection((".replacements.json", ".replacements.jsonl"), None),
    "text": Detection((".txt", ".text"), _is_text),
}


def detect_format(head: Head) -> tuple[str, Role] | None:
    """Return the name of the first format that matches the file, and the role of the file; None if none does."""
    for name in FORMATS:
        role = is_format(name, head)
        if role != "no":
            return name, role
    return None


def is_format(name: str, head: Head) -> Role:
    """Return the role of a file in the format with this name."""
    detect = FORMATS[name].detect
    return "no" if detect is None else detect(head)


def output_formats(path: str) -> list[str]:
    """Return the names of the formats that fit the name of an output best."""
    name = PurePath(path.removesuffix(".gz")).name
    endings = {
        format: max((len(ending) for ending in known.extensions if name.endswith(ending)), default=0)
        for format, known in FORMATS.items()
        if known.is_written
    }
    longest = max(endings.values())
    fitting = [format for format, length in endings.items() if length == longest and length]
    return [
        format for format in fitting if name.endswith(f".{format}")
    ] or fitting  # .json means the format json, though other formats use it too
