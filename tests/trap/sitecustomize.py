"""Registers the resolver `trap` in every process that has this folder in PYTHONPATH: workers of all engines.

A text with the word POISON kills the process. One with WAIT waits until the file that TRAP_GATE names exists.
"""

import os
import signal
import sys
import time
from types import ModuleType

from coindex.document import Document
from coindex.resolvers.registry import MODULES
from coindex.resolvers.resolver import Resolver, Step


def make() -> Step:
    return spring


def spring(doc: Document) -> Document:
    forms = set(doc.tokens.forms)
    if "POISON" in forms:
        os.kill(os.getpid(), signal.SIGKILL)
    if "WRONG" in forms:
        raise ValueError("a wrong word")
    while "WAIT" in forms and not os.path.exists(os.environ["TRAP_GATE"]):
        time.sleep(0.02)
    return doc


module = ModuleType("coindex.resolvers.trap")
module.RESOLVER = Resolver(name="trap", kind="parser", summary="dies or waits at some words", make=make)  # type: ignore[attr-defined]
sys.modules[module.__name__] = module
MODULES["trap"] = "trap"
