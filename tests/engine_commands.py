"""Every command that takes an engine, run in a folder with relative paths, and what each of them prints and writes.

Run as a script with options of the engine. Ray then connects to its cluster once, and not in the process of the tests,
where its warnings would be errors.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import coindex
from command import run
from news import documents

EXAMPLES = Path(__file__).parents[1] / "examples"
JSON = ("--format", "json")
RULES = ("-r", "are-baseline")
CROSS = ("--cross", "-r", "cross", "--topics", "none", "--mentions", "given")
COMMANDS = (
    ("score", "key", "response", *JSON),
    ("stats", "key", *JSON),
    ("errors", "key", "response", *JSON),
    ("report", "documents", "key", "first=response", "second=key", *JSON),
    ("compare", "key", "response", "again", *JSON),
    ("agreement", "key", "response", *JSON),
    ("quality", "--once", "A=response", "--once", "B=again", "--final", "C=key", *JSON),
    ("dedup", "key", *JSON, "-o", "kept.json"),
    ("convert", "key", "converted/", "--to", "jsonlines"),
    ("convert", "key", "tables/", "--to", "parquet"),
    ("evaluate", "are-baseline", "key/garden.conllu", "-o", "evaluation.json"),
    ("experiment", "mentions", "are-baseline", "key/garden.conllu", "-o", "experiment"),
    ("resolve", "key", *RULES, "-o", "resolved/", "--to", "json"),
    ("resolve", "key", *RULES, "-o", "resolved.json"),
    ("resolve", "key", *RULES, "-o", "shards/", "--to", "json", "--shard-words", "100"),
    ("resolve", "news.json", *CROSS, "-o", "collection.json", "--state", "state"),
    ("resolve", "more.json", *CROSS, "-o", "more-collection.json", "--state", "state"),
)
TIMES = re.compile(r'"(?:seconds|words_per_second|jobs)": [\d.]+|[\d,]+ words/s')
"""What `evaluate` prints and writes about speed, which differs from run to run."""


def write_corpora(folder: Path) -> None:
    """Write the corpora that the commands read."""
    for name in ("key", "response", "again"):
        (folder / name).mkdir(parents=True)
    for name in ("garden.conllu", "cartero.conllu"):
        shutil.copy(EXAMPLES / name, folder / "key")
        shutil.copy(EXAMPLES / name, folder / "response")
        shutil.copy(EXAMPLES / name, folder / "again")
    shutil.copy(EXAMPLES / "garden-response.conllu", folder / "response" / "garden.conllu")
    *first, last = documents()
    coindex.write(first, folder / "news.json")
    coindex.write([last], folder / "more.json")


def run_commands(folder: Path, *engine: str) -> dict[str, str]:
    """Run the commands in a folder; return what each prints, by its arguments, and the content of all files by name."""
    before = os.getcwd()
    os.chdir(folder)
    printed = {}
    try:
        for command in COMMANDS:
            done = run(*command, *engine)
            printed[" ".join(command)] = f"{done.code}\n{done.err}\n{done.out.decode()}"
    finally:
        os.chdir(before)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {str(path.relative_to(folder)): path.read_bytes().decode("latin-1") for path in paths}
    return {name: TIMES.sub("", text) for name, text in (printed | files).items()}


if __name__ == "__main__":
    json.dump(run_commands(Path(sys.argv[1]), *sys.argv[2:]), sys.stdout)
