"""Resolution over HTTP: `coindex serve-api`.

Starlette serves it, with a description in OpenAPI 3.1 that is written by hand (`description.py`) and tested with
schemathesis against the running service. FastAPI would generate the description, but it adds pydantic (about 10 MB and
100 ms to import) for one request with nine fields, reports errors in its own shape instead of the codes of coindex, and
its models would repeat the limits and the checks of `settings.py`.
"""

from __future__ import annotations

from ..errors import MissingExtraError

for _name in ("starlette", "uvicorn", "prometheus_client"):
    try:
        __import__(_name)
    except ImportError as error:  # pragma: no cover - an environment without the extra
        raise MissingExtraError(_name, "service") from error
