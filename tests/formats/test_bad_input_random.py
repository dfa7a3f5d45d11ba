"""Readers fed with broken and random input: whatever the bytes are, only CoindexError comes out, and reading ends."""

from __future__ import annotations

import gzip
import os
import re
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import coindex
from coindex.errors import CoindexError, CoindexWarning, Problem
from coindex.formats.registry import get_format
from samples import SAMPLES, Sample, lay_out

EXAMPLES = int(os.environ.get("COINDEX_FUZZ", "60"))
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
FUZZ = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=CHECKS)

# What readers may stumble over when it stands where it does not belong.
ODD = [
    *(b"\t", b"\n", b"\n\n", b"\r", b"\r\n", b" ", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1b[0m"),
    *(
        "²".encode(),
        "٣".encode(),
        "\u2028".encode(),
        "\x85".encode(),
        "\u00a0".encode(),
        "İ".encode(),
        "\ufeff".encode(),
    ),
    *(
        b"(",
        b")",
        b"()",
        b"[",
        b"]",
        b"{",
        b"}",
        b"<",
        b">",
        b"&",
        b"&x;",
        b"&#0;",
        b"&#55296;",
        b'"',
        b"'",
        b"%",
        b"%2",
    ),
    *(b"-", b"--", b"_", b"|", b"=", b",", b":", b";", b"#", b"*", b".", b"..", b"/", b"\\", b"\\ud800", b"\\u0000"),
    *(b"0", b"-1", b"1.5", b"1e999", b"9" * 30, b"9" * 5000, b"NaN", b"null", b"true", b"[]", b"{}", b'""'),
    *(b"[1/2]", b"[2/1]", b"[0/0]", b"(e1", b"e1)", b"(e1)", b"1-2", b"2-1", b"1.1", b"0.1", b"Entity=", b"Entity=("),
    *(b"# newdoc", b"# newdoc id = d", b"# global.Entity = GRP", b"# sent_id = s1", b"# newpar", b"#begin document"),
    *(b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x?>", b"<!DOCTYPE a>", b"</p>", b"<p>", b"<node id='1'>", b"<entity>"),
]

Mutation = tuple[str, int, int, int]
WAYS = ["flip", "delete", "repeat", "cut", "swap", "odd", "odd", "line", "line out", *["value"] * 4, *["number"] * 4]
# Values that break no markup around them, so that what they mean is looked at, and not only whether it is XML or JSON.
VALUES = [
    b"",
    b"0",
    b"1",
    b"2",
    b"3",
    b"7",
    b"-1",
    b"9" * 30,
    b"1.5",
    "²".encode(),
    b"x",
    b"word_1..word_3",
    b"e1",
    b" ",
]
VALUES += [b"word_3..word_1", b"..", b",", b"empty", b"../x", b"/etc/passwd", b"T1", b"1e3", b"null", b"a" * 3000]
QUOTED = re.compile(rb'(?<=")[^"\n]*(?=")')
NUMBER = re.compile(rb"[0-9]+")


@st.composite
def mutations(draw: st.DrawFn) -> list[tuple[str, int, int, int]]:
    """Where to break a text, as fractions of it, so that the same breaks fit texts of any length."""
    step = st.tuples(st.sampled_from(WAYS), *[st.integers(0, 65535)] * 3)
    return draw(st.lists(step, min_size=1, max_size=4))


def mutated(data: bytes, steps: list[Mutation]) -> bytes:
    for way, first, second, third in steps:
        start, stop = sorted((first * len(data) >> 16, second * len(data) >> 16))
        stop = min(stop, start + 1 + third % 40)
        piece = data[start:stop]
        if way == "flip" and data:
            data = data[:start] + bytes([data[start] ^ (1 << third % 8)]) + data[start + 1 :]
        elif way == "delete":
            data = data[:start] + data[stop:]
        elif way == "repeat":
            data = data[:start] + piece * (1 + third % 4) + data[start:]
        elif way == "cut":
            data = data[: max(1, first * len(data) >> 16)]
        elif way == "swap":
            other = third * len(data) >> 16
            data = data[:start] + data[stop:other] + piece + data[max(stop, other) :]
        elif way == "odd":
            data = data[:start] + ODD[third % len(ODD)] + data[start + second % 3 :]
        elif way in ("value", "number"):
            places = [match.span() for match in (QUOTED if way == "value" else NUMBER).finditer(data)]
            if places:
                at, end = places[first * len(places) >> 16]
                other = data[slice(*places[second * len(places) >> 16])]
                data = data[:at] + (VALUES[third % len(VALUES)] if third % 3 else other) + data[end:]
        elif way.startswith("line"):
            lines = data.split(b"\n")
            line = lines.pop(first * len(lines) >> 16)
            if way == "line":
                lines.insert(second * len(lines) >> 16, line)
                lines.insert(third * len(lines) >> 16, line)
            data = b"\n".join(lines)
    return data


def look_at(docs: list[coindex.Document], folder: Path) -> None:
    """What readers put off is done when somebody looks, and must not fail either."""
    for doc in docs:
        assert len(doc.tokens) == len(list(doc.tokens)) == len(doc.tokens.forms)
        assert [sentence.start for sentence in doc.sentences[:1]] in ([], [0])
        assert isinstance(doc.text, str)
        for mention, entity in doc.mentions():
            assert mention.positions == tuple(sorted(set(mention.positions)))
            assert 0 <= mention.start < mention.end <= len(doc.tokens)
            assert mention.head is None or mention.head in mention.positions
            assert isinstance(mention.text, str)
            assert dict(mention.attributes) is not None
            assert entity.kind in ("entity", "event")
        for relation in (*doc.bridges, *doc.split_antecedents):
            assert relation.anaphor.positions
    for name in ("corefud", "jsonlines"):
        coindex.write(docs, folder / "again", name)
    if docs:
        assert [len(doc.tokens) for doc in coindex.read(folder / "again", "jsonlines")]


def assert_survived(name: str | None, path: Path) -> None:
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore", CoindexWarning)
        problems: list[Problem] = []
        is_fine = False
        with suppress(CoindexError):
            docs = list(coindex.read(path, name))
            is_fine = True
            look_at(docs, Path(folder))
        with suppress(CoindexError):
            look_at(list(coindex.read(path, name, on_problem=problems.append)), Path(folder))
        if is_fine:
            assert [problem for problem in problems if problem.severity == "error"] == []


def broken(name: str, sample: Sample, file: int, steps: list[Mutation], *, packed: bool = False) -> None:
    with tempfile.TemporaryDirectory() as folder:
        chosen = sorted(sample.files)[file % len(sample.files)]
        data = mutated(sample.files[chosen].encode(errors="surrogateescape"), steps)
        path = lay_out(sample, Path(folder), {chosen: gzip.compress(data)[:-3] if packed else data})
        assert_survived(name, path)


@pytest.mark.parametrize("name", SAMPLES)
@FUZZ
@given(file=st.integers(0, 5), steps=mutations())
@example(file=0, steps=[("cut", 30000, 0, 0)])
def test_broken_samples(name: str, file: int, steps: list[Mutation]) -> None:
    broken(name, SAMPLES[name], file, steps)


@pytest.mark.parametrize("name", SAMPLES)
@settings(FUZZ, max_examples=max(10, EXAMPLES // 4))
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="surrogatepass")))
@example(data=b"\x1f\x8b")
@example(data=b"\0")
def test_random_bytes(name: str, data: bytes) -> None:
    sample = SAMPLES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = lay_out(sample, Path(folder), {sample.main: data})
        assert_survived(name, path)
        assert_survived(None, path)


@pytest.mark.parametrize("name", SAMPLES)
@settings(FUZZ, max_examples=max(10, EXAMPLES // 4))
@given(
    pieces=st.lists(st.sampled_from(ODD) | st.sampled_from([b"1\t", b"a\t_\t", b"\t" * 9 + b"\n", b"a b"]), max_size=25)
)
def test_random_pieces(name: str, pieces: list[bytes]) -> None:
    """Behind a good beginning, so that more than the first check is reached."""
    sample = SAMPLES[name]
    half = sample.text.encode()[: len(sample.text) // 2]
    with tempfile.TemporaryDirectory() as folder:
        assert_survived(name, lay_out(sample, Path(folder), {sample.main: half + b"".join(pieces)}))


# --- slices of real corpora


@cache
def real(name: str, data: Path) -> Sample:
    """A small part of a real corpus, whole where a part would not be one."""

    def text(path: str, size: int | None = None) -> str:
        content = (data / path).read_bytes()
        if size is not None and len(content) > size:
            end = b"\n\n" if b"\n\n" in content[:size] else b"\n"
            content = content[: content.rindex(end, 0, size) + len(end)]
        return content.decode(errors="surrogateescape")

    def smallest(pattern: str) -> str:
        return str(min(data.glob(pattern), key=lambda path: path.stat().st_size).relative_to(data))

    folder = data / "de_potsdam_mmax/coreference"
    stem = Path(smallest("de_potsdam_mmax/coreference/*.mmax")).stem
    levels = [str(path.relative_to(folder)) for path in folder.glob(f"markables/{stem}_*_level.xml")]
    mmax2 = [f"{stem}.mmax", "common_paths.xml", f"basedata/{stem}_words.xml", *levels]
    brat = smallest("en_litbank/brat/*.ann")
    return {
        "corefud": Sample("d.conllu", {"d.conllu": text("cs_faust/cs_pdtc-ud-train-ft.conllu", 12_000)}),
        "conll2012": Sample("d.conll", {"d.conll": text(smallest("ru_rucoco/*.conll"))}),
        "korkor": Sample("d.tsv", {"d.tsv": text("hu_korkor/dev/huwiki_64.tsv", 8_000)}),
        "ecbplus": Sample("1_1.xml", {"1_1.xml": text(smallest("en_ecbplus/ECB+/1/*.xml"))}),
        "mmax2": Sample(f"{stem}.mmax", {file: text(f"de_potsdam_mmax/coreference/{file}") for file in mmax2}),
        "brat": Sample("d.ann", {"d.ann": text(brat, 4_000), "d.txt": text(brat.replace(".ann", ".txt"))}),
        "jsonlines": Sample(
            "d.jsonlines", {"d.jsonlines": text("fr_democrat/dem1921_sg_cut2000.dev.jsonlines", 60_000)}
        ),
    }[name]


REAL = ["corefud", "conll2012", "korkor", "ecbplus", "mmax2", "brat", "jsonlines"]


@pytest.mark.parametrize("name", REAL)
def test_the_real_slices_are_good(name: str, shared_data: Path, tmp_path: Path) -> None:
    assert get_format(name).read
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoindexWarning)
        docs = list(coindex.read(lay_out(real(name, shared_data), tmp_path), name))
    assert sum(len(doc.tokens) for doc in docs) > 20


@pytest.mark.parametrize("name", REAL)
@settings(FUZZ, max_examples=max(10, EXAMPLES // 3))
@given(file=st.integers(0, 5), steps=mutations())
def test_broken_real_input(name: str, shared_data: Path, file: int, steps: list[Mutation]) -> None:
    broken(name, real(name, shared_data), file, steps)


@pytest.mark.parametrize("name", SAMPLES)
@settings(FUZZ, max_examples=10)
@given(file=st.integers(0, 5), steps=mutations())
def test_broken_gz(name: str, file: int, steps: list[Mutation]) -> None:
    broken(name, SAMPLES[name], file, steps, packed=True)
