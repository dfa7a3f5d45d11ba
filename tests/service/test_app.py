"""The service under load: batching, limits, timeouts, disconnects, shutdown; the gate decides when a batch ends."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import httpx2
import pytest

from coindex.errors import CoindexError
from coindex.service.app import Access, check_origins, read_keys
from coindex.service.batching import Batcher
from coindex.service.metrics import Metrics
from coindex.service.requests import ChainOptions
from coindex.service.resolvers import Resolvers
from service_world import (
    RULES,
    STORY,
    GatedResolvers,
    connect,
    head,
    is_listening,
    metric,
    post,
    read_all,
    resolve,
    running,
)
from waiting import wait_until


def code(response: httpx2.Response) -> tuple[int, str]:
    body = response.json()
    assert set(body) == {"error", "code"}, "one shape of errors"
    assert body["error"]
    return response.status_code, body["code"]


def test_requests_that_wait_become_one_batch() -> None:
    resolvers = GatedResolvers()
    with running(resolvers) as run:
        first = run.start("Ann left. She waved.")
        wait_until(lambda: resolvers.batches)
        others = [run.start(f"Text {number}. Bob left. He waved.") for number in range(12)]
        run.wait_for_requests(13)
        run.wait_for_texts(12)
        resolvers.gate.set()
        assert {future.result().status_code for future in (first, *others)} == {200}
        assert list(map(len, resolvers.batches)) == [1, 12]
        assert metric(run.address, "coindex_batch_texts_count") == 2
        assert metric(run.address, "coindex_resolved_texts_total") == 13
        assert metric(run.address, "coindex_requests_in_progress") == 0
        for number, future in enumerate(others):
            (result,) = future.result().json()["results"]
            assert result["words"] == 9, number


def test_batches_have_one_chain_and_a_number_of_words() -> None:
    async def take() -> list[list[str]]:
        metrics = Metrics()
        batcher = Batcher(batch_words=10, metrics=metrics)
        resolvers = Resolvers(preload=[RULES], allow=[RULES])
        plain, english = resolvers.load(ChainOptions()), resolvers.load(ChainOptions(language="en"))
        jobs = []
        for chain, text in (
            (plain, "a b c d"),
            (english, "e f"),
            (plain, "g h i j k"),
            (plain, "l m n"),
            (plain, "o"),
            (plain, "p " * 30),
        ):
            jobs.append(batcher.submit(chain, chain.prepare(text), RULES))
        jobs[4].future.cancel()
        batches = []
        while batch := batcher._take():
            assert all(job.is_running for job in batch)
            batches.append([job.doc.text for job in batch])
        return batches

    assert asyncio.run(take()) == [["a b c d", "g h i j k"], ["e f"], ["l m n"], ["p " * 30]]


def test_a_failure_belongs_to_its_text() -> None:
    resolvers = GatedResolvers()
    with running(resolvers) as run:
        first = run.start()
        wait_until(lambda: resolvers.batches)
        good, broken, crash = run.start(), run.start("broken"), run.start("crash")
        run.wait_for_texts(3)
        resolvers.gate.set()
        assert first.result().status_code == good.result().status_code == 200
        assert code(broken.result()) == (422, "missing-layer")
        assert broken.result().json()["error"] == "text: no tree"
        assert code(crash.result()) == (500, "server-error")
        assert "a bug" not in crash.result().text
        several = resolve(run.address, texts=["fine", "broken"])
        assert several.json()["error"] == "texts[1]: no tree"
        assert run.resolve().status_code == 200


def test_a_full_queue_is_reported() -> None:
    resolvers = GatedResolvers()
    with running(resolvers, requests=2) as run:
        waiting = [run.start(), run.start()]
        run.wait_for_requests(2)
        refused = run.resolve()
        assert code(refused) == (429, "server-busy")
        assert int(refused.headers["retry-after"]) >= 1
        assert httpx2.get(f"{run.address}/readyz").status_code == 200
        resolvers.gate.set()
        assert [future.result().status_code for future in waiting] == [200, 200]
        assert run.resolve().status_code == 200


def test_late_requests() -> None:
    """One runs too long, the other waits too long; the service then goes on."""
    resolvers = GatedResolvers()
    with running(resolvers, seconds=0.5) as run:
        runs = run.start()
        wait_until(lambda: resolvers.batches)
        waits = run.start()
        assert code(runs.result()) == (504, "time-limit")
        assert code(waits.result()) == (503, "time-limit")
        assert int(waits.result().headers["retry-after"]) >= 1
        run.wait_for_requests(0)
        resolvers.gate.set()
        wait_until(lambda: metric(run.address, "coindex_batch_texts_count") == 1)
        assert metric(run.address, "coindex_resolved_texts_total") == 1, "the request that waited was dropped"


def test_a_body_that_does_not_arrive() -> None:
    with running(Resolvers(preload=[RULES]), seconds=0.2) as run, connect(run.address) as client:
        client.sendall(head(100) + b'{"text"')
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "time-limit"


def test_a_client_that_leaves_is_not_served() -> None:
    resolvers = GatedResolvers()
    with running(resolvers) as run:
        first = run.start()
        wait_until(lambda: resolvers.batches)
        body = json.dumps({"text": "Nobody waits for this."}).encode()
        with connect(run.address) as client:
            client.sendall(head(len(body)) + body)
            run.wait_for_texts(1)
        run.wait_for_requests(1)
        resolvers.gate.set()
        assert first.result().status_code == run.resolve("Another.").status_code == 200
        assert resolvers.batches == [[STORY], ["Another."]]


def test_limits_of_size() -> None:
    with running(Resolvers(preload=[RULES]), body_bytes=200, texts=2, words=8) as run:
        assert code(post(run.address, b'{"text": "' + b"a" * 200 + b'"}')) == (413, "limit-exceeded")
        assert code(resolve(run.address, texts=["a", "b", "c"])) == (413, "limit-exceeded")
        assert code(resolve(run.address, text="a b c d e f g h i")) == (413, "limit-exceeded")
        assert code(resolve(run.address, text="a,b,c,d,e")) == (413, "limit-exceeded"), "tokens count, not spaces"
        assert resolve(run.address, texts=["a b c d", "e f g h"]).status_code == 200
        chunks = (b'{"text": "', *[b"a" * 50] * 5, b'"}')
        refused = httpx2.post(
            f"{run.address}/v1/resolve", content=iter(chunks), headers={"content-type": "application/json"}
        )
        assert code(refused) == (413, "limit-exceeded")


def test_only_json_is_accepted() -> None:
    with running(Resolvers(preload=[RULES])) as run:
        body = json.dumps({"text": STORY}).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            assert code(post(run.address, body, **{"content-type": kind})) == (415, "invalid-request")
        assert post(run.address, body, **{"content-type": "application/json; charset=utf-8"}).status_code == 200
        assert code(post(run.address, b"{")) == (400, "invalid-request")


def test_unknown_paths_and_methods() -> None:
    with running(Resolvers(preload=[RULES])) as run:
        assert code(httpx2.get(f"{run.address}/nothing")) == (404, "not-found")
        assert code(httpx2.get(f"{run.address}/v1/resolve/")) == (404, "not-found")
        assert code(httpx2.delete(f"{run.address}/v1/resolve")) == (405, "invalid-request")
        assert httpx2.get(f"{run.address}/v1/resolve").headers["allow"] == "POST"
        assert httpx2.head(f"{run.address}/healthz").status_code == 200
        text = httpx2.get(f"{run.address}/metrics").text
        assert 'coindex_http_requests_total{method="GET",path="other",status="404"} 2.0' in text


def test_keys_protect_everything_but_health(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "keys"
    file.write_text("# one for each client\nfirst-key\n\nsecond-key\n", encoding="utf-8")
    monkeypatch.setenv("COINDEX_API_KEY", "third-key")
    access = Access(keys=read_keys(file))
    assert len(access.keys) == 3
    body = json.dumps({"text": STORY}).encode()
    with running(Resolvers(preload=[RULES]), access=access) as run:
        for key in ("first-key", "second-key", "third-key"):
            assert post(run.address, body, authorization=f"Bearer {key}").status_code == 200
        for header in ("", "Bearer", "Bearer wrong", "Basic first-key", "Bearer first-key2", "first-key"):
            refused = post(run.address, body, authorization=header)
            assert code(refused) == (401, "wrong-api-key")
            assert refused.headers["www-authenticate"] == "Bearer"
        refused = httpx2.post(f"{run.address}/v1/resolve", content=b"", headers={"authorization": "Bearer é".encode()})
        assert code(refused) == (401, "wrong-api-key")
        assert code(httpx2.get(f"{run.address}/v1/resolvers")) == (401, "wrong-api-key")
        assert code(httpx2.get(f"{run.address}/metrics")) == (401, "wrong-api-key")
        assert httpx2.get(f"{run.address}/healthz").status_code == 200
        assert httpx2.get(f"{run.address}/readyz").status_code == 200
        assert httpx2.get(f"{run.address}/openapi.json").json()["components"]["securitySchemes"]


def test_files_without_keys_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COINDEX_API_KEY", raising=False)
    assert read_keys() == ()
    (tmp_path / "empty").write_text("# none\n", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for name, expected in (("empty", "invalid-option"), ("binary", "unreadable-file"), ("none", "unreadable-file")):
        with pytest.raises(CoindexError) as raised:
            read_keys(tmp_path / name)
        assert raised.value.code == expected


def test_pages_of_other_sites_need_permission() -> None:
    site = {"origin": "https://example.org"}
    ask = {**site, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    with running(Resolvers(preload=[RULES])) as run:
        assert "access-control-allow-origin" not in httpx2.get(f"{run.address}/healthz", headers=site).headers
        assert code(httpx2.options(f"{run.address}/v1/resolve", headers=ask)) == (405, "invalid-request")
    with running(Resolvers(preload=[RULES]), access=Access(origins=check_origins(["https://example.org"]))) as run:
        answer = httpx2.options(f"{run.address}/v1/resolve", headers=ask)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "https://example.org")
        other = httpx2.get(f"{run.address}/healthz", headers={"origin": "https://other.org"})
        assert "access-control-allow-origin" not in other.headers
    for wrong in ("example.org", "https://example.org/page", "file://", ""):
        with pytest.raises(CoindexError):
            check_origins([wrong])


def test_warnings_belong_to_their_texts() -> None:
    spanish = "Juan vive en Madrid y tiene un perro. Le gusta mucho pasear con él por el parque todos los días."
    endless = "the dog and " * 800
    with running(Resolvers(preload=["en-small"])) as run:
        futures = [run.start(text) for text in (STORY, spanish, endless, "", STORY)]
        warned = [[w["code"] for w in future.result().json()["results"][0]["warnings"]] for future in futures]
        assert warned == [[], ["other-language"], ["long-sentence"], ["no-document"], []]
        results = resolve(run.address, texts=["", STORY, endless]).json()["results"]
        assert [[w["code"] for w in result["warnings"]] for result in results] == [
            ["no-document"],
            [],
            ["long-sentence"],
        ]
        assert not any(w["message"].startswith("text ") for result in results for w in result["warnings"])


def test_shutdown_finishes_what_runs() -> None:
    resolvers = GatedResolvers()
    with running(resolvers) as run:
        runs = run.start()
        wait_until(lambda: resolvers.batches)
        waits = run.start("Another.")
        run.wait_for_texts(1)
        assert httpx2.get(f"{run.address}/readyz").status_code == 200
        run.server.handle_exit(signal.SIGTERM, None)
        wait_until(lambda: httpx2.get(f"{run.address}/readyz").status_code == 503)
        assert code(httpx2.get(f"{run.address}/readyz")) == (503, "shutting-down")
        assert httpx2.get(f"{run.address}/healthz").status_code == 200
        refused = run.resolve()
        assert code(refused) == (503, "shutting-down")
        assert refused.headers["connection"] == "close"
        resolvers.gate.set()
        assert runs.result().status_code == waits.result().status_code == 200
        wait_until(lambda: not is_listening(run.address))


def test_shutdown_does_not_wait_longer_than_allowed() -> None:
    resolvers = GatedResolvers()
    with running(resolvers, grace=0.2) as run:
        runs = run.start()
        wait_until(lambda: resolvers.batches)
        run.server.handle_exit(signal.SIGTERM, None)
        assert code(runs.result()) == (503, "shutting-down")
        wait_until(lambda: not is_listening(run.address))
