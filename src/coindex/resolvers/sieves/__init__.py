"""A multi-pass sieve resolver for UD trees in any language, with rules ordered by precision."""

from .resolver import RESOLVER

__all__ = ["RESOLVER"]
