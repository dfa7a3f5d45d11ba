"""Spans are 0-based and half-open everywhere; these functions convert other conventions at the boundary."""

from __future__ import annotations

Span = tuple[int, int]


def from_inclusive(first: int, last: int) -> Span:
    """Convert 0-based inclusive to half-open, as in e2e-coref's jsonlines: (3, 5) -> (3, 6)."""
    return first, last + 1


def to_inclusive(start: int, end: int) -> Span:
    """Convert half-open to 0-based inclusive: (3, 6) -> (3, 5)."""
    return start, end - 1


def from_one_based(first: int, last: int) -> Span:
    """Convert 1-based inclusive to half-open, as CoNLL-U numbers words: (4, 6) -> (3, 6)."""
    return first - 1, last


def to_one_based(start: int, end: int) -> Span:
    """Convert half-open to 1-based inclusive: (3, 6) -> (4, 6)."""
    return start + 1, end
