"""Scoring: every number is made by pairing documents, aligning mentions, counting, summing and finishing."""

from .checking import Locate, MismatchError, describe_place
from .comparison import Comparison
from .corpus import count_unit, score_documents
from .counts import Counts, Score
from .macro import MacroResult, macro_average
from .pairing import Unit
from .profiles import PROFILES, Profile, Settings, make_settings
from .registry import METRICS, get_metric
from .result import Result, UnitCounts
from .significance import compare
from .singletons import SideBySide, score_side_by_side
from .upos import score_by_upos

__all__ = [
    "METRICS",
    "PROFILES",
    "Comparison",
    "Counts",
    "Locate",
    "MacroResult",
    "MismatchError",
    "Profile",
    "Result",
    "Score",
    "Settings",
    "SideBySide",
    "Unit",
    "UnitCounts",
    "compare",
    "count_unit",
    "describe_place",
    "get_metric",
    "macro_average",
    "make_settings",
    "score_by_upos",
    "score_documents",
    "score_side_by_side",
]
