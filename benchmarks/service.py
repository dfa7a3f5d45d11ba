"""`coindex serve-api` under load: 64 clients at once, compared with `pipe` on the same texts in the same run.

Each client sends one text per request and waits for the answer before it sends the next. The server is a process of its
own; this process runs the clients and, in turn, `pipe`. `python -m benchmarks service 40` uses 40 texts.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import coindex
from coindex import Document

from .corpora import GUM
from .measuring import data_folder, save

RESOLVER = "en-small"
CLIENTS = 64
ROUNDS = 3
WORDS = 100
"""A text ends with the sentence that reaches so many words."""
LEAST = 0.8
"""The throughput of the service that is expected, as a part of that of `pipe`."""


def main(arguments: Sequence[str] = ()) -> None:
    most = int(arguments[0]) if arguments else None
    texts = [text for doc in coindex.read(data_folder() / GUM[0]) for text in split(doc)][:most]
    chain = coindex.load(RESOLVER)
    words = sum(len(chain.prepare(text).tokens) for text in texts)
    rounds: list[dict[str, Any]] = []
    with serving() as address:
        for number in range(ROUNDS + 1):
            began = time.perf_counter()
            docs = list(chain.pipe(texts))
            pipe = time.perf_counter() - began
            before = batches(address)
            began = time.perf_counter()
            answers = asyncio.run(send_all(address, texts))
            served = time.perf_counter() - began
            check(docs, [answer for answer, _ in answers])
            if number:  # the first round is for warming up
                sizes = [after - earlier for after, earlier in zip(batches(address), before, strict=True)]
                rounds.append(
                    {
                        "pipe": words / pipe,
                        "service": words / served,
                        "seconds": [seconds for _, seconds in answers],
                        "texts_per_batch": sizes[1] / sizes[0],
                    }
                )
    results = summarise(rounds) | {"resolver": RESOLVER, "clients": CLIENTS, "texts": len(texts), "words": words}
    save("service", results, page(results))


def split(doc: Document) -> Iterator[str]:
    """Yield parts of a document, which end with a sentence."""
    start = count = 0
    for sentence in doc.sentences:
        count += sentence.end - sentence.start
        if count >= WORDS:
            end = doc.tokens.end_char(sentence.end - 1)
            yield doc.text[start:end].strip()
            start, count = end, 0
    if rest := doc.text[start:].strip():
        yield rest


@contextmanager
def serving() -> Iterator[str]:
    """Give the address of a server, which ends with the block."""
    command = [sys.executable, "-m", "coindex", "serve-api", "--port", "0", "--resolver", RESOLVER, "--timeout", "600"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line.startswith("coindex is at "):
            sys.exit(f"the server did not start: {line}")
        try:
            yield line.split()[3].rstrip(";")
        finally:
            server.send_signal(signal.SIGTERM)


def batches(address: str) -> tuple[float, float]:
    """Return the numbers of batches and of texts that the server has resolved."""
    with urllib.request.urlopen(f"{address}/metrics") as response:
        lines = response.read().decode().splitlines()
    values = dict(line.rpartition(" ")[::2] for line in lines if not line.startswith("#"))
    return float(values["coindex_batch_texts_count"]), float(values["coindex_batch_texts_sum"])


async def send_all(address: str, texts: Sequence[str]) -> list[tuple[dict[str, Any], float]]:
    """Return the answer to each text, in order, with the seconds it took."""
    answers: list[tuple[dict[str, Any], float]] = [({}, 0.0)] * len(texts)
    waiting = iter(range(len(texts)))
    place = urlsplit(address)

    async def work() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        for number in waiting:
            body = json.dumps({"text": texts[number]}).encode()
            head = f"POST /v1/resolve HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
            began = time.perf_counter()
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
            content = await reader.readexactly(int(headers["content-length"]))
            if lines[0].split()[1] != "200":
                sys.exit(f"the service answered {lines[0]}: {content.decode()}")
            answers[number] = json.loads(content), time.perf_counter() - began
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(work() for _ in range(CLIENTS)))
    return answers


def check(docs: Sequence[Document], answers: Sequence[dict[str, Any]]) -> None:
    """Stop if the service found other entities than `pipe`."""
    for doc, answer in zip(docs, answers, strict=True):
        expected = [[(m.start_char, m.end_char, m.score) for m in entity.mentions] for entity in doc.entities]
        entities = answer["results"][0]["entities"]
        if [[(m["start"], m["end"], m["probability"]) for m in e["mentions"]] for e in entities] != expected:
            sys.exit(f"the service found other entities than pipe in: {doc.text[:80]}")


def summarise(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians over the rounds, and the percentiles of the times of all requests."""
    seconds = sorted(value for one in rounds for value in one["seconds"])
    return {
        "pipe_words_per_second": round(statistics.median(one["pipe"] for one in rounds), 1),
        "service_words_per_second": round(statistics.median(one["service"] for one in rounds), 1),
        "ratio": round(statistics.median(one["service"] / one["pipe"] for one in rounds), 3),
        "ratios": [round(one["service"] / one["pipe"], 3) for one in rounds],
        "least_ratio": LEAST,
        "p50_seconds": round(percentile(seconds, 0.5), 3),
        "p95_seconds": round(percentile(seconds, 0.95), 3),
        "texts_per_batch": round(statistics.mean(one["texts_per_batch"] for one in rounds), 1),
        "errors": 0,  # the benchmark ends at the first one
        "rounds": len(rounds),
    }


def percentile(ordered: Sequence[float], part: float) -> float:
    """Return the value below which this part of the values is."""
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def page(results: dict[str, Any]) -> str:
    rows = [
        ("`pipe`, words/s", f"{results['pipe_words_per_second']:,.0f}"),
        (f"service, {results['clients']} clients, words/s", f"{results['service_words_per_second']:,.0f}"),
        ("ratio (median of the rounds)", f"{results['ratio']:.2f}"),
        ("ratio of each round", ", ".join(f"{ratio:.2f}" for ratio in results["ratios"])),
        ("time of a request, median, s", f"{results['p50_seconds']:.2f}"),
        ("time of a request, 95th percentile, s", f"{results['p95_seconds']:.2f}"),
        ("texts resolved together, mean", f"{results['texts_per_batch']:.1f}"),
        ("errors", f"{results['errors']}"),
    ]
    facts = (
        f"`{results['resolver']}`, {results['texts']} texts of GUM dev with {results['words']:,} words, one per "
        f"request; {results['rounds']} rounds, in which `pipe` and the service take turns. All results are the same."
    )
    table = ["| | |", "|---|--:|", *(f"| {name} | {value} |" for name, value in rows)]
    return "\n".join([facts, "", *table, "", f"The ratio should be at least {results['least_ratio']}."])
