"""`coindex serve-api` as a process: results, its own description, signals, errors of the command line."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

import coindex
from coindex.service.requests import render_result
from command import run
from service_world import RULES, STORY, connect, head, is_listening, metric, post, process, read_all, resolve
from waiting import wait_until

TEXTS = (
    STORY,
    "The committee met on Monday. Its chair, Dr. Amara Okafor, said that it would publish the report.",
    "Tom and his sister Lena own a boat. They sail it every summer, but she prefers to stay in the harbour.",
    "“I will not sell the house,” said Mrs. Ortega. Her son looked at her. He had expected it.",
    "",
    "café 😀 Zoë lost her keys. She found them under the sofa.",
)
"""Texts of our own, with quotations, groups and characters outside the BMP."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with process("--resolver", "en-small", "--allow", RULES) as (address, _):
        yield address


def test_results_are_those_of_python(address: str) -> None:
    """Whatever is in the same batch: 24 requests at once."""
    chains = {name: coindex.load(name) for name in ("en-small", "en-small(litbank)", RULES)}
    wanted = [(name, form, text) for form in ("entities", "resolved") for text in TEXTS if text for name in chains]

    def ask(case: tuple[str, str, str]) -> dict[str, object]:
        name, form, text = case
        options = {"resolver": name.partition("(")[0], "scheme": "litbank" if "litbank" in name else None}
        answer = resolve(address, text=text, format=form, **options).json()
        assert answer["resolver"] == options["resolver"]
        (result,) = answer["results"]
        return result

    with ThreadPoolExecutor(24) as threads:
        results = list(threads.map(ask, wanted))
    for (name, form, text), result in zip(wanted, results, strict=True):
        doc = chains[name](text)
        assert result == json.loads(json.dumps(render_result(doc, form, 0.8, ()))), (name, form, text)  # type: ignore[arg-type]
    assert any(result.get("replacements") for result in results)
    resolved = [
        result["resolved"] for (name, _, text), result in zip(wanted, results, strict=True) if "resolved" in result
    ]
    assert resolved == [chains[name](text).resolved_text() for name, form, text in wanted if form == "resolved"]


def test_a_batch_of_texts_and_options(address: str) -> None:
    answer = resolve(address, texts=list(TEXTS), min_link=0.9, singletons=False, language="en").json()
    chain = coindex.load("en-small", min_link=0.9, singletons=False, language="en")
    for text, result in zip(TEXTS, answer["results"], strict=True):
        expected = [[m.text for m in entity.mentions] for entity in chain(text).entities] if text else []
        assert [[m["text"] for m in entity["mentions"]] for entity in result["entities"]] == expected
    assert (answer["resolver"], answer["scheme"]) == ("en-small", "gum")


def test_the_answer_of_the_documentation(address: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "scale" / "service.md").read_text(encoding="utf-8")
    body = re.search(r"--json '(.+)'", page)
    shown = re.search(r"```json\n(.+?)```", page, re.DOTALL)
    assert body
    assert shown
    assert _rounded(post(address, body[1].encode()).json()) == json.loads(shown[1])


def _rounded(value: Any) -> Any:
    """The same JSON with two decimals."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, 2) if isinstance(value, float) else value


def test_the_resolvers_are_listed(address: str) -> None:
    listed = httpx2.get(f"{address}/v1/resolvers").json()["resolvers"]
    assert [(one["name"], one["is_default"]) for one in listed] == [("en-small", True), (RULES, False)]
    assert {"gum", "litbank"} <= set(listed[0]["schemes"])


def test_the_description_fits_the_service(tmp_path: Path) -> None:
    """Schemathesis sends valid and invalid requests and checks statuses, bodies and headers of the answers."""
    config = tmp_path / "schemathesis.toml"
    accepted = ["400", "401", "404", "405", "413", "415", "422"]  # too long is 413, which it does not expect
    config.write_text(
        f"[checks.negative_data_rejection]\nexpected-statuses = {json.dumps(accepted)}\n", encoding="utf-8"
    )
    # with this resolver alone, every request that fits the description is accepted
    options = ("--resolver", "en-small", "--allow", "en-small", "--max-bytes", "2000", "--max-texts", "5")
    with process(*options) as (address, server):
        command = [Path(sys.executable).with_name("schemathesis"), "--config-file", config, "run"]
        command += ["--checks", "all", "--max-examples", "25", "--generation-deterministic", "--no-color"]
        command += [f"{address}/openapi.json"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
        assert "Open API 3.1" in done.stdout
        counts = httpx2.get(f"{address}/metrics").text
        assert 'path="/v1/resolve",status="200"' in counts, "valid requests were sent"
        assert 'path="/v1/resolve",status="422"' in counts, "invalid requests were sent"
        assert 'status="500"' not in counts
        assert server.poll() is None


def test_sigterm_finishes_a_request_in_flight() -> None:
    body = json.dumps({"text": STORY}).encode()
    with process("--resolver", RULES) as (address, server), connect(address) as client:
        client.sendall(head(len(body)) + body[:10])
        wait_until(lambda: metric(address, "coindex_requests_in_progress") == 1, server)
        server.send_signal(signal.SIGTERM)
        wait_until(lambda: httpx2.get(f"{address}/readyz").status_code == 503, server)
        assert resolve(address, text=STORY).json()["code"] == "shutting-down"
        client.sendall(body[10:])
        answer = read_all(client)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["results"][0]["entities"]
        _, err = server.communicate()
        assert server.returncode == -signal.SIGTERM
        assert "Traceback" not in err
        assert not is_listening(address)


def test_sigterm_waits_no_longer_than_allowed() -> None:
    """A long text and an upload that does not end are answered; the process ends in the middle of the batch."""
    text = "The old captain told his crew that they would reach the island before its harbour froze. " * 500
    with (
        process("--resolver", "en-small", "--grace", "0") as (address, server),
        connect(address) as client,
        ThreadPoolExecutor(1) as thread,
    ):
        client.sendall(head(100) + b"{")
        wait_until(lambda: metric(address, "coindex_requests_in_progress") == 1, server)
        future = thread.submit(resolve, address, text=text)
        wait_until(lambda: metric(address, "coindex_requests_in_progress") == 2, server)
        server.send_signal(signal.SIGTERM)
        assert future.result().json()["code"] == "shutting-down"
        assert b'"shutting-down"' in read_all(client)
        server.communicate()
        assert server.returncode in (143, -signal.SIGTERM)  # a batch was running, or had not begun yet


def test_a_second_signal_ends_the_wait() -> None:
    with process("--resolver", RULES, "--drain", "3600") as (address, server):
        server.send_signal(signal.SIGTERM)
        wait_until(lambda: httpx2.get(f"{address}/readyz").status_code == 503, server)
        server.send_signal(signal.SIGTERM)
        server.communicate()
        assert server.returncode == -signal.SIGTERM


def test_ctrl_c_stops_the_service() -> None:
    with process("--resolver", RULES) as (address, server):
        assert resolve(address, text=STORY).status_code == 200
        server.send_signal(signal.SIGINT)
        _, err = server.communicate()
        assert (server.returncode, "Traceback" in err) == (130, False)


def test_a_key_comes_from_the_environment_or_a_file(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("from-the-file\n", encoding="utf-8")
    variables = {"COINDEX_API_KEY": "from-the-environment"}
    with process("--resolver", RULES, "--api-key-file", str(key), environment=variables) as (address, _):
        statuses = [
            httpx2.get(f"{address}/v1/resolvers", headers={"authorization": f"Bearer {key}"}).status_code
            for key in ("from-the-file", "from-the-environment", "other")
        ]
    assert statuses == [200, 200, 401]


def test_other_machines_are_mentioned() -> None:
    with process("--resolver", RULES, "--host", "0.0.0.0") as (_, server):
        server.send_signal(signal.SIGTERM)
        assert "without an API key" in server.communicate()[1]


def test_errors_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for options in (
        ("--resolver", "nothing"),
        ("--resolver", "cross"),
        ("--api-key-file", tmp_path / "empty"),
        ("--cors-origin", "example.org"),
        ("--timeout", "0"),
        ("--host", "not a host"),
    ):
        done = run("serve-api", "--port", "0", *options)
        assert done.code == 2, options
        assert done.out == b""
        assert "error" in done.err.casefold()
