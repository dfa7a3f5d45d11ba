"""Skip without the extra coindex[web]; hash passwords cheaply."""

import pytest

pytest.importorskip("sqlalchemy", reason="the server needs the extra coindex[web]")


@pytest.fixture(autouse=True, scope="session")
def _quick_hashing(quick_hashing: None) -> None:
    pass
