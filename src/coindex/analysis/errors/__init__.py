"""Errors of a response: error cases, counted by kind, type, distance, size, genre and document."""

from .cases import KINDS, LINKS, ErrorCase, Kind, Place, Tally
from .result import UnitErrors, distinct, examine

__all__ = ["KINDS", "LINKS", "ErrorCase", "Kind", "Place", "Tally", "UnitErrors", "distinct", "examine"]
