"""Sieves: a multi-pass resolver for UD trees in any language, its rules ranked by precision."""

from .resolver import RESOLVER

__all__ = ["RESOLVER"]
