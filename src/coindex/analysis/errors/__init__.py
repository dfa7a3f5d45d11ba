"""What a response gets wrong: error cases, counted by kind, type, distance, size, genre and document."""

from .cases import ErrorCase, Place, Tally
from .examining import UnitErrors, distinct, examine
from .kinds import KINDS, LINKS, Kind

__all__ = ["KINDS", "LINKS", "ErrorCase", "Kind", "Place", "Tally", "UnitErrors", "distinct", "examine"]
