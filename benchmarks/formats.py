"""Reading and writing CorefUD beside udapi, and other formats beside CorefUD; memory over a long stream; a novel."""

from __future__ import annotations

import logging
import tempfile
from functools import partial
from pathlib import Path

from udapi.core.coref import store_coref_to_misc
from udapi.core.document import Document as UdapiDocument

from coindex import Document, read, write

from .measuring import cpu_seconds, data_folder, peak_memory, save

STREAM = """
import sys, coindex
mentions = sum(len(e.mentions) for path in sys.argv[1:] for doc in coindex.read(path) for e in doc.entities)
"""
NOVEL_WORDS = 20_000
EXACT = {"corefud": ".conllu", "json": ".json", "parquet": ".parquet", "arrow": ".arrow"}
"""Formats that carry everything, with their extensions."""


def main() -> None:
    logging.disable(logging.WARNING)
    data = data_folder()
    rows: list[tuple[str, float, float | None]] = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        rows += _reading(data / "en_gum/en_gum-train.conllu")
        rows += _writing(data / "en_gum/en_gum-train.conllu", scratch)
        rows += _novel(data / "en_gum/en_gum-train.conllu", scratch)
        formats = _formats(data / "en_gum/en_gum-train.conllu", scratch)
        memory = _memory(data / "en_gum/en_gum-dev.conllu", scratch)
    table = ["| job | coindex, CPU s | udapi, CPU s | ratio |", "|---|---|---|---|"]
    for name, ours, theirs in rows:
        peer = f"{theirs:.2f} | {theirs / ours:.1f}" if theirs is not None else "– | –"
        table.append(f"| {name} | {ours:.3f} | {peer} |")
    table += ["", "| GUM train as | read, CPU s | write, CPU s | size, MB |", "|---|---|---|---|"]
    table += [f"| {name} | {row['read']:.2f} | {row['write']:.2f} | {row['mb']:.1f} |" for name, row in formats.items()]
    table += ["", "| streaming | peak memory, MB |", "|---|---|"]
    table += [f"| {name} | {megabytes:.0f} |" for name, megabytes in memory.items()]
    jobs = [
        {"job": name, "coindex": ours, "udapi": theirs, "ratio": None if theirs is None else theirs / ours}
        for name, ours, theirs in rows
    ]
    save("formats", {"jobs": jobs, "formats": formats, "peak_memory_mb": memory}, "\n".join(table))


def _mentions(path: Path) -> int:
    return sum(len(entity.mentions) for doc in read(path) for entity in doc.entities)


def _udapi(path: Path) -> UdapiDocument:
    doc = UdapiDocument()
    doc.load_conllu(str(path))
    return doc


def _udapi_mentions(path: Path) -> int:
    return sum(len(entity.mentions) for entity in _udapi(path).coref_entities)


def _reading(path: Path) -> list[tuple[str, float, float | None]]:
    assert _mentions(path) == _udapi_mentions(path)
    ours, theirs = cpu_seconds(lambda: _mentions(path), lambda: _udapi_mentions(path))
    with_columns = cpu_seconds(lambda: [token.lemma for doc in read(path) for token in doc.tokens], rounds=3)
    return [
        ("read GUM train with entities", ours, theirs),
        ("read GUM train, every column of every token", with_columns[0], None),
    ]


def _writing(path: Path, scratch: Path) -> list[tuple[str, float, float | None]]:
    docs = list(read(path))
    changed = [doc.replace(entities=doc.entities[1:], bridges=(), split_antecedents=()) for doc in docs]
    elsewhere = [doc.replace(origin=None) for doc in docs]
    theirs = _udapi(path)
    target = scratch / "ours.conllu"

    def udapi_write() -> None:
        store_coref_to_misc(theirs)
        theirs.store_conllu(str(scratch / "theirs.conllu"))

    assert theirs.coref_entities
    unchanged, some, all_anew, peer = cpu_seconds(
        lambda: write(docs, target),
        lambda: write(changed, target),
        lambda: write(elsewhere, target),
        udapi_write,
        rounds=3,
    )
    return [
        ("write GUM train, unchanged", unchanged, peer),
        ("write GUM train, an entity of each document changed", some, peer),
        ("write GUM train from the model alone", all_anew, peer),
    ]


def _formats(path: Path, scratch: Path) -> dict[str, dict[str, float]]:
    """Write the documents from the model alone in each format, and read all columns of every token again."""
    docs = [doc.replace(origin=None) for doc in read(path)]
    rows = {}
    for name, ending in EXACT.items():
        target = scratch / f"gum{ending}"
        writing, reading = cpu_seconds(partial(write, docs, target), partial(_lemmas, target), rounds=3)
        assert _lemmas(target) == sum(len(doc.tokens) for doc in docs)
        rows[name] = {"read": reading, "write": writing, "mb": target.stat().st_size / 1e6}
    return rows


def _lemmas(path: Path) -> int:
    return sum(1 for doc in read(path) for token in doc.tokens if token.lemma)


def _novel(path: Path, scratch: Path) -> list[tuple[str, float, float | None]]:
    """Join documents to one of 20,000 words."""
    lines: list[str] = []
    words = 0
    for doc in read(path):
        if words >= NOVEL_WORDS:
            break
        words += len(doc.tokens)
        lines += _as_one(doc, first=not lines)
    novel = scratch / "novel.conllu"
    novel.write_text("".join(lines), encoding="utf-8")
    (whole,) = read(novel)
    assert len(whole.tokens) >= NOVEL_WORDS
    ours, theirs = cpu_seconds(lambda: _mentions(novel), lambda: _udapi_mentions(novel))
    return [(f"read one document of {len(whole.tokens):,} words", ours, theirs)]


def _as_one(doc: Document, *, first: bool) -> list[str]:
    """Return the document's sentences without its `# newdoc`; a prefix makes ids unique."""
    plain = doc.replace(
        origin=None, bridges=(), split_antecedents=(), shared_ids=True, meta={}, genre=None,
        entities=tuple(
            type(entity)(f"{doc.id}_{entity.id}".replace("-", "_"), entity.mentions, entity.type)
            for entity in doc.entities
        ),
    )  # fmt: skip
    with tempfile.NamedTemporaryFile(suffix=".conllu") as file:
        write(plain, file.name)
        text = Path(file.name).read_text(encoding="utf-8")
    return [line for line in text.splitlines(keepends=True) if first or not line.startswith(("# newdoc", "# global."))]


def _memory(path: Path, scratch: Path) -> dict[str, float]:
    """Measure memory for GUM dev once, and one hundred times in one file."""
    raw = path.read_bytes()
    hundred = scratch / "hundred.conllu"
    with hundred.open("wb") as out:
        for number in range(100):
            out.write(raw.replace(b"# newdoc id = ", b"# newdoc id = %d_" % number))
    return {
        "GUM dev (28,131 tokens)": peak_memory(STREAM, str(path)),
        "GUM dev 100 times over (2,813,100 tokens)": peak_memory(STREAM, str(hundred)),
    }
