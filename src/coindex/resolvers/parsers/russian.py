"""What slovnet leaves unsaid of Russian pronouns: it was trained before UD marked their kinds."""

from __future__ import annotations

from collections.abc import Mapping

KINDS = {
    "я": "PronType=Prs",
    "ты": "PronType=Prs",
    "мы": "PronType=Prs",
    "вы": "PronType=Prs",
    "он": "PronType=Prs",
    "она": "PronType=Prs",
    "оно": "PronType=Prs",
    "они": "PronType=Prs",
    "себя": "PronType=Prs|Reflex=Yes",
    "мой": "Poss=Yes|PronType=Prs",
    "твой": "Poss=Yes|PronType=Prs",
    "наш": "Poss=Yes|PronType=Prs",
    "ваш": "Poss=Yes|PronType=Prs",
    "свой": "Poss=Yes|PronType=Prs|Reflex=Yes",
    "его": "Poss=Yes|PronType=Prs",
    "ее": "Poss=Yes|PronType=Prs",
    "их": "Poss=Yes|PronType=Prs",
    "который": "PronType=Rel",
    "кто": "PronType=Int,Rel",
    "что": "PronType=Int,Rel",
    "чей": "PronType=Int,Rel",
    "этот": "PronType=Dem",
    "это": "PronType=Dem",
    "тот": "PronType=Dem",
    "такой": "PronType=Dem",
    "весь": "PronType=Tot",
    "каждый": "PronType=Tot",
    "никто": "PronType=Neg",
    "ничто": "PronType=Neg",
}
"""By lemma, where the word is tagged a pronoun or determiner."""


def pronominal(lemma: str, upos: str, feats: Mapping[str, str], rel: str) -> tuple[str, dict[str, str]]:
    """The tag and features of a word with the kind of pronoun that it is; "его дом" has a possessive determiner."""
    told = dict(feats)
    if upos not in ("PRON", "DET") or lemma not in KINDS:
        return upos, told
    told |= dict(pair.split("=") for pair in KINDS[lemma].split("|"))
    if upos == "PRON" and rel == "det" and told.get("Person") == "3":
        told["Poss"] = "Yes"
        upos = "DET"
    return upos, told
