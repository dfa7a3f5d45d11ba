"""What en-base is worth with its encoder, as a user would have it: `python -m benchmarks base ENCODER`.

ENCODER is the folder of all-mpnet-base-v2, or its name where there is a network. Both are put together by `coindex
export`, with weights of 8 bits, and scored on the dev parts of GUM and LitBank by `coindex evaluate`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import coindex
from coindex.resolvers.resolver import find_shipped_folder

from .measuring import data_folder, save

DEVS = {
    "gum": ("GUM dev", "en_gum/en_gum-corefud-dev.conllu", "head"),
    "litbank": ("LitBank dev", "en_litbank/dev", "exact"),
}
METRICS = ("muc", "b3", "ceafe", "mentions")
NOTES = """
The input has words, sentences and speakers, no tags and no trees; singletons are not scored. Both dev parts were scored
after each epoch, and the `decode` settings in `model.json` were chosen on them, so the numbers are optimistic. No test
part was used.
""".strip()


def main(arguments: Sequence[str] = ()) -> None:
    if len(arguments) != 1:
        sys.exit("python -m benchmarks base ENCODER: expected the folder or the name of all-mpnet-base-v2")
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        target, agreement = coindex.export(
            find_shipped_folder("en-base"), Path(folder) / "en-base", encoder=arguments[0]
        )
        size = sum(file.stat().st_size for file in target.iterdir()) / 2**20
        for scheme, (name, path, match) in DEVS.items():
            found = coindex.evaluate(f"{target}(scheme={scheme})", [data_folder() / path], match=match, metrics=METRICS)
            result = found.total
            rows.append(
                {
                    "corpus": name,
                    "conll": result.conll,
                    "mentions": result["mentions"].f1,
                    "words_per_second": found.words_per_second,
                    "signature": result.signature,
                }
            )
    lines = ["| corpus | CoNLL | mentions | words/s | signature |", "|---|---|---|---|---|"]
    for row in rows:
        signature = row["signature"].replace("|", "&#124;")
        shown = f"{100 * row['conll']:.1f} | {100 * row['mentions']:.1f} | {row['words_per_second']:,}"
        lines.append(f"| {row['corpus']} | {shown} | <code>{signature}</code> |")
    rounded = f"{size:.0f} MB; {agreement.rounded} of {agreement.entities} entities of the check are due to rounding."
    save("base", {"scores": rows, "megabytes": size}, "\n".join([NOTES, "", *lines, "", rounded]))
