"""What `coindex score` takes beside reading and scoring: the start of Python, imports, options, tables.

Both are CPU time of processes, user and system. Reading and scoring are measured in a process that has scored the pair
before, so that it has loaded everything. The process takes turns with the command, and of each the best round counts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from coindex import read, write

from .measuring import command_seconds, data_folder, save
from .responses import disturb

CORPUS = "es_ancora/es_ancora-dev.conllu"
ROUNDS = 15
LIMIT = 0.25
"""In CPU seconds."""
INSIDE = """
import sys, time, coindex
coindex.score(sys.argv[1], sys.argv[2])
began = time.process_time()
coindex.score(sys.argv[1], sys.argv[2])
print(time.process_time() - began)
"""


def main() -> None:
    docs = list(read(data_folder() / CORPUS))
    words = sum(len(doc.tokens) for doc in docs)
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/key.conllu", f"{folder}/response.conllu"]
        write(docs, files[0])
        write(disturb(docs), files[1])
        whole, inside, start = [], [], []
        for _ in range(ROUNDS):
            whole.append(command_seconds([sys.executable, "-m", "coindex", "score", *files]))
            inside.append(float(subprocess.check_output([sys.executable, "-c", INSIDE, *files], text=True)))
            start.append(command_seconds([sys.executable, "-c", "pass"]))
    seconds = {"command": min(whole), "reading and scoring": min(inside), "Python alone": min(start)}
    outside = seconds["command"] - seconds["reading and scoring"]
    rows = [f"| {name} | {value:.3f} |" for name, value in {**seconds, "outside reading and scoring": outside}.items()]
    facts = f"`coindex score` on {Path(CORPUS).name}, {words:,} words, with a disturbed response; best of {ROUNDS}."
    table = "\n".join([facts, "", "| | CPU s |", "|---|---|", *rows, "", f"The limit is {LIMIT} outside."])
    save("overhead", {"corpus": CORPUS, "words": words, "seconds": seconds, "outside": outside, "limit": LIMIT}, table)
