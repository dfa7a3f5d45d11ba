"""Made prose: words without sense, always the same ones for the same seed."""

from __future__ import annotations

import random

_TEXT = "the old house river was where they had once met nobody knew why she left"
_WORDS = _TEXT.split()


def word(chance: random.Random) -> str:
    return chance.choice(_WORDS)


def words(chance: random.Random, number: int, *, sentence: int) -> list[str]:
    """Return this many words; each sentence ends with a full stop."""
    return [word(chance) if at % sentence else "." for at in range(1, number + 1)]
