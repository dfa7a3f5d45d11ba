"""The metrics of the service for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector

from .. import __version__

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
WORDS = (64, 256, 1024, 2048, 4096, 8192, 16384)


class Metrics:
    """Counters of one service, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        Info("coindex", "Version of coindex", registry=registry).info({"version": __version__})
        self.requests = Counter(
            "coindex_http_requests", "HTTP requests", ["method", "path", "status"], registry=registry
        )
        self.request_seconds = Histogram(
            "coindex_http_request_seconds", "Time to answer a request", ["path"], buckets=SECONDS, registry=registry
        )
        self.in_progress = Gauge(
            "coindex_requests_in_progress", "Requests to resolve that are waiting or running", registry=registry
        )
        self.waiting_texts = Gauge("coindex_waiting_texts", "Texts that wait for a resolver", registry=registry)
        self.loaded = Gauge("coindex_loaded_resolvers", "Resolvers in memory", registry=registry)
        self.texts = Counter("coindex_resolved_texts", "Texts resolved", ["resolver"], registry=registry)
        self.words = Counter("coindex_resolved_words", "Words resolved", ["resolver"], registry=registry)
        self.batch_texts = Histogram("coindex_batch_texts", "Texts resolved together", buckets=TEXTS, registry=registry)
        self.batch_words = Histogram("coindex_batch_words", "Words resolved together", buckets=WORDS, registry=registry)
        self.batch_seconds = Histogram(
            "coindex_batch_seconds", "Time to resolve a batch", buckets=SECONDS, registry=registry
        )
