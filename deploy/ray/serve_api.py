"""The API of `coindex serve-api` on Ray Serve: replicas on the nodes of a cluster behind one address.

    pip install 'coindex[service]' 'ray[serve]'
    serve run deploy.ray.serve_api:app                  # at http://127.0.0.1:8000/v1/resolve
    serve run deploy.ray.serve_api:app resolver=are-baseline replicas=4

Every replica has one loaded model and batches the requests that it gets. `/metrics` and `/readyz` are those of one
replica; Ray has metrics of its own.
"""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

from ray import serve
from starlette.applications import Starlette

CPUS = 2
"""CPUs of a replica, which are the threads of its model."""


def make_replica_app(resolver: str) -> Starlette:
    """Return the ASGI application of a replica, with its model loaded."""
    from coindex.service.app import Access, Service, make_app, read_keys
    from coindex.service.resolvers import Resolvers

    keys = read_keys(os.environ.get("COINDEX_API_KEY_FILE"))
    return make_app(Service(Resolvers(preload=[resolver], allow=[resolver]), access=Access(keys=keys)))


def app(arguments: dict[str, Any]) -> serve.Application:
    """Return the application for `serve run`; its arguments are `resolver` and `replicas`."""
    resolver = str(arguments.get("resolver", "en-small"))

    @serve.deployment(
        name="coindex",
        num_replicas=int(arguments.get("replicas", 1)),
        ray_actor_options={"num_cpus": CPUS, "runtime_env": {"env_vars": {"OMP_NUM_THREADS": str(CPUS)}}},
        max_ongoing_requests=256,
        graceful_shutdown_timeout_s=60,
        health_check_period_s=10,
    )
    @serve.ingress(lambda: make_replica_app(resolver))
    class Api:
        """A replica; the ASGI application answers all requests."""

    return Api.bind()
