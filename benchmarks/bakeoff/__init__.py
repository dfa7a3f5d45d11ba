"""Compare encoders by a short training run: `python -m benchmarks bakeoff FOLDER … [--runs RUNS] [--rate RATE]`.

Each FOLDER is a Hugging Face folder, such as those that the scripts in tools/encoders write. All are trained with
recipe.toml. Interrupt it at any time; the same command continues. The table contains all runs in RUNS.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import coindex
from coindex.cli.training import Interrupts
from coindex.errors import CoindexError
from coindex.training.run import Stopped

from ..measuring import data_folder, save

RECIPE = Path(__file__).with_name("recipe.toml")
EXCLUDED = ("GUM_fiction_", "GUM_whow_")
"""Documents of GUM whose licences forbid commercial use."""
DATA, FACTS = "data", "encoder.json"
"""The folder of corpora in RUNS, and a file beside the log of each run."""
CORPORA = ("gum", "litbank")
NOTES = """
All encoders are trained with `benchmarks/bakeoff/recipe.toml` on GUM without fiction and whow; LitBank is only scored.
CoNLL F1 on dev after each epoch; no singletons, head match for GUM and exact match for LitBank. Rate is the peak
learning rate of the encoder. Words per second are those of GUM dev after the last epoch, with torch; they depend on
the other work of the machine.
""".strip()


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks bakeoff", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="Hugging Face folder of an encoder")
    parser.add_argument("--runs", type=Path, default=Path("runs/bakeoff"), help="folder of runs (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=8e-5, help="learning rate of the encoders (default: %(default)s)")
    options = parser.parse_args(arguments)
    for folder in options.folders:
        if not (folder / "model.safetensors").is_file():
            sys.exit(f"{folder}: no model.safetensors; give the Hugging Face folder of an encoder")
    copy_corpora(data_folder(), options.runs / DATA)
    for folder in options.folders:
        train(folder, options.runs, options.rate)
        rows = list(read_runs(options.runs))
        save("bakeoff", {"recipe": RECIPE.read_text(encoding="utf-8"), "runs": rows}, page(rows))


def copy_corpora(source: Path, target: Path) -> None:
    """Write the corpora as the recipe names them."""
    target.mkdir(parents=True, exist_ok=True)
    with (source / "en_gum/en_gum-train.conllu").open(encoding="utf-8") as lines:
        (target / "gum-train.conllu").write_text("".join(open_documents(lines)), encoding="utf-8")
    shutil.copy(source / "en_gum/en_gum-corefud-dev.conllu", target / "gum-dev.conllu")
    shutil.copytree(source / "en_litbank/dev", target / "litbank-dev", dirs_exist_ok=True)


def open_documents(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of documents that are not excluded."""
    is_open = True
    for line in lines:
        if line.startswith("# newdoc id = "):
            is_open = not line.removeprefix("# newdoc id = ").startswith(EXCLUDED)
        if is_open:
            yield line


def train(folder: Path, runs: Path, rate: float) -> None:
    """Train with an encoder, or continue an earlier run."""
    run = runs / f"{folder.resolve().name}-{rate:g}"
    print(f"{run.name} …", flush=True)
    changes = {"model.encoder": str(folder.resolve()), "train.encoder_rate": rate}
    try:
        with Interrupts() as interrupts:
            coindex.train(
                RECIPE,
                run,
                data=runs / DATA,
                changes=changes,
                report=lambda row: print(json.dumps(row), flush=True),
                tick=lambda progress: interrupts.check(),
            )
    except (KeyboardInterrupt, Stopped):
        sys.exit(f"stopped; run the same command to continue {run.name}")
    except CoindexError as error:
        sys.exit(str(error))
    facts = {"encoder": folder.resolve().name, "rate": rate, "parameters": count_parameters(folder)}
    (run / FACTS).write_text(json.dumps(facts) + "\n", encoding="utf-8")


def count_parameters(folder: Path) -> int:
    """Return the number of weights in model.safetensors, from its header."""
    with (folder / "model.safetensors").open("rb") as stream:
        header = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
    return sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")


def read_runs(runs: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for each finished run in a folder."""
    for path in sorted(runs.glob(f"*/{FACTS}")):
        scores: dict[int, dict[str, Any]] = {}
        for line in (path.parent / "log.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "scores" in row:
                scores[row["epoch"]] = row["scores"]
        by_corpus = {name: [scores[epoch][name]["conll"] for epoch in sorted(scores)] for name in CORPORA}
        speed = scores[max(scores)]["gum"]["words_per_second"]
        yield {**json.loads(path.read_text(encoding="utf-8")), **by_corpus, "words_per_second": speed}


def page(rows: Iterable[dict[str, Any]]) -> str:
    """Return the table, the best encoder on GUM first."""
    lines = [NOTES, "", "| encoder | parameters, M | rate | GUM dev by epoch | LitBank dev by epoch | words/s |"]
    lines += ["|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: -row["gum"][-1]):
        scores = " | ".join(" / ".join(f"{score:.1f}" for score in row[name]) for name in CORPORA)
        first = f"{row['encoder']} | {row['parameters'] / 1e6:.1f} | {row['rate']:g}"
        lines.append(f"| {first} | {scores} | {row['words_per_second']:,} |")
    return "\n".join(lines)
