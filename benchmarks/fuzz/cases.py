"""Inputs to mutate: examples and test samples of the project, pieces of real corpora, generated documents."""

from __future__ import annotations

import gzip
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import coindex
from coindex.errors import CoindexError
from coindex.formats.registry import NAMES as FORMATS
from coindex.formats.registry import Format, get_format

from .documents import make_document
from .mutations import mutate

ROOT = Path(__file__).parents[2]
RESOLVERS = ("simple-rules + heads", "nearest-np", "are-baseline", "head-lemma", "sieves", "sieves + propn-merge")
"""Those that are quick."""
GENERATED = "generated"
PIECE = 6_000
"""How many bytes of a large file are taken."""
NAMES = ("d", "d.xml", "d.json", "d.txt", "d.conll", "D.CONLLU", "d.gz", "-d", ".d", "a b", "ü.conllu", "x" * 200)


@dataclass(frozen=True)
class Target:
    """A format to write in, with options of its writer."""

    format: str
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " ".join([self.format, *(f"{name}={value}" for name, value in self.options)])


@dataclass(frozen=True)
class Case:
    """Files by name, the one to read (or "" for the folder), how to read it, what to write it as and resolve it with.

    `reader` is the name of a format, or of another reader (see `readers.READERS`); `detected` leaves it to coindex to
    find the format out.
    """

    reader: str
    main: str
    files: dict[str, bytes]
    origin: str
    detected: bool = False
    targets: tuple[Target, ...] = ()
    resolver: str = ""

    def lay_out(self, folder: Path) -> Path:
        """Write the files, and return the path to read."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder / self.main


def make_case(seeds: list[Case], generated: bool, rng: Random) -> Case:
    """Return a case of a reader: one of its seeds or a generated document, usually mutated, sometimes unchanged."""
    seed = rng.choice(seeds)
    if generated and rng.random() < 0.4:
        seed = generated_case(seed.reader, rng) or seed
    is_whole = rng.random() < (0.3 if seed.origin == GENERATED else 0.05)
    case = seed if is_whole else _broken(seed, rng, rng.choice(seeds))
    resolver = rng.choice(RESOLVERS) if rng.random() < 0.04 else ""
    return replace(case, detected=rng.random() < 0.2, targets=_targets(case.reader, rng), resolver=resolver)


def _broken(seed: Case, rng: Random, other: Case) -> Case:
    files = dict(seed.files)
    main = seed.main
    donor = rng.choice(list(other.files.values()))
    for _ in range(rng.choice((1, 1, 1, 2))):
        name = rng.choice(sorted(files))
        files[name] = mutate(files[name], rng, donor)
    if len(files) > 1 and rng.random() < 0.05:  # a file beside the main one is missing
        del files[rng.choice([name for name in sorted(files) if name != main])]
    if rng.random() < 0.03 and main in files and seed.reader in FORMATS:
        new = rng.choice(NAMES)
        files[new] = files.pop(main)
        main = new
    is_folder = rng.random() < 0.05 and seed.reader in FORMATS
    return replace(seed, main="" if is_folder else main, files=files)


LOSSY = ("conllua",)
"""Formats that are not written: conllua leaves out zeros at the ends of mentions, which can make two mentions equal."""


def _targets(reader: str, rng: Random) -> tuple[Target, ...]:
    """Return some formats to write, including the one that was read."""
    writable = [found.name for found in coindex.formats() if found.write and found.name not in LOSSY]
    names = rng.sample(writable, 2)
    if reader in writable and reader not in names:
        names.append(reader)
    return tuple(Target(name, _options(get_format(name), rng)) for name in names)


def _options(chosen: Format, rng: Random) -> tuple[tuple[str, str], ...]:
    if rng.random() < 0.7:
        return ()
    return tuple((option.name, rng.choice(option.choices)) for option in chosen.write_options if option.choices)


# --- seeds

RUCOR = {
    "Tokens.txt": "doc_id\tshift\tlength\ttoken\tlemma\tgram\n1\t0\t4\tАнна\tанна\tNpfsny\n1\t5\t4\tушла\tуйти\tV\n"
    "1\t9\t1\t.\t.\tSENT\n1\t11\t3\tОна\tона\tP\n1\t15\t4\tпоёт\tпеть\tV\n1\t19\t1\t.\t.\tSENT\n",
    "Groups.txt": "doc_id\tvariant\tgroup_id\tchain_id\tlink\tshift\tlength\tcontent\ttk_shifts\tattributes\thead"
    "\thd_shifts\n"
    "1\t1\t1\t7\t0\t0\t4\tАнна\t0\tref:def|str:noun\tАнна\t0\n1\t1\t2\t7\t1\t11\t3\tОна\t11\tref:def|str:pron\tОна\t11\n",
}
PLUS = (
    "# global.columns = ID FORM MY:TYPE MISC\n# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    "1\tAnn\tname\tEntity=(e1)\n2\tleft\t_\t_\n\n1\tShe\t_\tEntity=(e1)\n\n"
)
ARE = {
    "d-input.xml": '<p><node id="1"/>Ann <node id="2"/>left <node id="3"/>. <node id="4"/>She <node id="5"/>sang</p>\n',
    "d-key.xml": '<chain id="c1"><node id="1"/><node id="4"/></chain>\n',
}


def seeds(data: Path | None) -> dict[str, list[Case]]:
    """Return the seeds of each readable format, with pieces of real corpora if their folder is given."""
    found: dict[str, list[Case]] = {chosen.name: [] for chosen in coindex.formats() if chosen.read}
    for case in (*_samples(), *_examples(), *(_real(data) if data else ())):
        found[case.reader].append(case)
        packed = {name: gzip.compress(content, mtime=0) for name, content in case.files.items()}
        if case.origin.startswith("sample"):  # a compressed one is recognised by its content
            found[case.reader].append(replace(case, files=packed, origin=f"{case.origin}, compressed"))
    return {name: cases for name, cases in found.items() if cases}  # a table is read only with the name of a column


def test_module(name: str) -> Any:
    """Import a module that the tests share."""
    tests = str(ROOT / "tests")
    if tests not in sys.path:
        sys.path.insert(0, tests)
    return import_module(name)


def _samples() -> Iterator[Case]:
    for name, sample in test_module("samples").SAMPLES.items():
        yield Case(name, sample.main, {file: text.encode() for file, text in sample.files.items()}, f"sample {name}")
    for name in ("parquet", "arrow"):
        yield _binary_sample(name)
    yield Case("corefud", "d.conllup", {"d.conllup": PLUS.encode()}, "CoNLL-U Plus")
    yield Case("rueval", "Groups.txt", {name: text.encode() for name, text in RUCOR.items()}, "tables as in RuCor")
    yield Case("are", "d-key.xml", {name: text.encode() for name, text in ARE.items()}, "key and input as ARE has them")


def _binary_sample(name: str) -> Case:
    """Return an example as a table, which is small enough to be damaged in many places."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"d.{name}"
        coindex.write(islice(coindex.read(ROOT / "examples" / "garden.conllu"), 1), path, compression="none")
        return Case(name, path.name, {path.name: path.read_bytes()}, f"sample {name}")


def _examples() -> Iterator[Case]:
    examples = ROOT / "examples"
    for path in sorted(examples.iterdir()):
        name = "brat" if path.is_dir() else coindex_format(path)
        if name is not None and path.is_dir():
            (main,) = path.glob("*.ann")
            yield Case(name, main.name, {one.name: one.read_bytes() for one in path.iterdir()}, f"examples/{path.name}")
        elif name is not None and path.suffix != ".md":
            yield _piece(name, path, f"examples/{path.name}")


def coindex_format(path: Path) -> str | None:
    """Return the format of a file; None if it is unknown."""
    try:
        ((source, chosen),) = coindex.api.sources(path)
    except CoindexError:
        return None
    source.close()
    return chosen.name


REAL = (
    ("corefud", "cs_faust/*.conllu"),
    ("corefud", "en_gum/en_gum-corefud-dev.conllu"),
    ("corefud", "en_gum/en_gum-dev.conllu"),
    ("corefud", "es_ancora/*.conllu"),
    ("conll2012", "ru_rucoco/*.conll"),
    ("conll2012", "en_litbank/dev/*.conll"),
    ("conll2012", "fr_democrat/*.conll"),
    ("conll2012", "de_gerdracor/*.conll.gz"),
    ("korkor", "hu_korkor/dev/*.tsv"),
    ("ecbplus", "en_ecbplus/ECB+/1/*.xml"),
    ("jsonlines", "fr_democrat/*.jsonlines"),
    ("jsonlines", "ja_wac/ja_wac-dev.jsonl.gz"),
)


def _real(data: Path) -> Iterator[Case]:
    for name, pattern in REAL:
        found = sorted(data.glob(pattern), key=lambda path: (path.stat().st_size, path.name))
        if found:
            yield _piece(name, found[0], str(found[0].relative_to(data)))
    brat = sorted((data / "en_litbank/brat").glob("*.ann"), key=lambda path: path.stat().st_size)[:1]
    for path in brat:
        text, annotations = path.with_suffix(".txt").read_bytes()[:PIECE], _cut(path.read_bytes(), 2_000)
        yield Case("brat", "d.ann", {"d.ann": annotations, "d.txt": text}, path.name)
    projects = data / "de_potsdam_mmax/coreference"
    for path in sorted(projects.glob("*.mmax"), key=lambda path: path.stat().st_size)[:1]:
        levels = sorted(projects.glob(f"markables/{path.stem}_*_level.xml"))
        parts = (path, projects / "common_paths.xml", projects / f"basedata/{path.stem}_words.xml", *levels)
        files = {str(one.relative_to(projects)): one.read_bytes() for one in parts}
        yield Case("mmax2", path.name, files, path.name)


def _piece(name: str, path: Path, origin: str) -> Case:
    """Return the beginning of a file up to the end of a sentence, document or line; XML is kept whole."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    file = path.name.removesuffix(".gz")
    return Case(name, file, {file: content if content.startswith(b"<") else _cut(content, PIECE)}, origin)


def _cut(content: bytes, size: int) -> bytes:
    """Return the first bytes up to a blank line or the end of a line; at least one line."""
    if len(content) <= size:
        return content
    for end in (b"\n\n", b"\n"):
        if end in content[:size]:
            return content[: content.rindex(end, 0, size) + len(end)]
    return content[: content.find(b"\n", size) + 1] or content


def generated_case(name: str, rng: Random) -> Case | None:
    """Return generated documents written in the format; None if coindex cannot write them."""
    chosen = get_format(name)
    if chosen.write is None:
        return None
    docs = [make_document(rng) for _ in range(rng.choice((1, 1, 2)))]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "out"
        target = path if chosen.is_folder else path / f"d{chosen.extensions[0]}"
        try:
            coindex.write(docs, target, name, **dict(_options(chosen, rng)))
        except CoindexError:
            return None
        except Exception:  # a fault of the writer, which cases that are read from JSON show as well
            return None
        files = {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
    mains = sorted(file for file in files if file.endswith(chosen.extensions))
    return Case(name, rng.choice(mains), files, GENERATED) if mains else None
