"""The schemas that come with the program: free, RU-EVAL's markables, PreCo's rules."""

from __future__ import annotations

from ..errors import UnknownNameError
from .schemas import Attribute, Schema

FREE = Schema("free", "Free: any type, any attribute")

RUEVAL = Schema(
    "rueval",
    "RU-EVAL 2014: markables of Russian",
    attributes=(
        Attribute("func", "Function", ("def", "indef", "pred", "appo", "ds", "misc", "meton")),
        Attribute("str", "Structure", ("noun", "pers", "poss", "refl", "dem", "rel", "other")),
        Attribute("markable", "Markable", ("primary", "secondary")),
    ),
    heads=True,
    rules=(
        "Markables are noun phrases, as long as possible, but without relative clauses and participle constructions "
        "that follow the noun.",
        "Primary markables are always annotated: third person pronouns, demonstratives, reflexives, possessives, "
        "definite and possessive descriptions, proper names and titles; a first person pronoun only if it is the "
        "narrator.",
        "Secondary markables are annotated only if a primary one could refer back to them: the first mention if it is "
        "indefinite (func: indef), appositions (appo), predicates (pred), first and second person pronouns in direct "
        "speech (ds). “Markable” need be set only where the function says otherwise.",
        "Function: def for what refers to an entity, misc for doubtful cases such as near-identity, meton for "
        "metonymy.",
        "Structure: noun for every phrase without a pronoun, else the kind of the pronoun.",
        "An apposition is a markable of its own.",
        "Every markable longer than a word has a semantic head.",
        "No events, no bridging, no split antecedents, no mentions with gaps; only identity, widened to near-identity.",
    ),
)

PRECO = Schema(
    "preco",
    "PreCo: singletons, and rules that are easy to follow",
    rules=(
        "Mark every mention, also of entities that are mentioned only once.",
        "Verbs are usually not linked; certain gerunds can be.",
        "Generic mentions are linked to each other directly: [Cats] sleep a lot. [Cats] need a warm place.",
        "Modifiers that are no names are linked as generic mentions: [Rice] is cheap. The [rice] harvest begins.",
        "In copular structures the subject and what is said of it are linked: [Ann] is [a good doctor].",
        "The parts of an apposition are linked with the whole: [[Ann], [a doctor whom I know]].",
        "Short forms of nations and all job titles are linked: a [U.S.] ship; [mayor] [Ann Hill].",
        "Read the whole text again before handing it in: most mistakes are mentions that were overlooked.",
    ),
)

READY: dict[str, Schema] = {schema.name: schema for schema in (FREE, RUEVAL, PRECO)}


def ready_schema(name: str) -> Schema:
    """The schema of that name."""
    if name not in READY:
        raise UnknownNameError("schema", name, READY)
    return READY[name]
