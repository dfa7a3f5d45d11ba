"""Two short stories with trees, heads, nested mentions and singletons: `from tiny_stories import make_stories`."""

from __future__ import annotations

from pathlib import Path

import coindex
from coindex.document import Document, Entity, Token, Tokens

# A word: form, UPOS, id of its parent, relation, features.
KING = """
Anna PROPN 2 nsubj Number=Sing|Gender=Fem
met VERB 0 root _
the DET 5 det Definite=Def
old ADJ 5 amod _
king NOUN 2 obj Number=Sing|Gender=Masc
of ADP 7 case _
France PROPN 5 nmod Number=Sing
. PUNCT 2 punct _

She PRON 2 nsubj Number=Sing|Gender=Fem|Person=3|PronType=Prs
liked VERB 0 root _
his PRON 4 nmod:poss Gender=Masc|Poss=Yes|Person=3
dog NOUN 2 obj Number=Sing
. PUNCT 2 punct _

The DET 2 det Definite=Def
king NOUN 3 nsubj Number=Sing|Gender=Masc
thanked VERB 0 root _
her PRON 3 obj Number=Sing|Gender=Fem|Person=3|PronType=Prs
. PUNCT 3 punct _

The DET 2 det Definite=Def
dog NOUN 3 nsubj Number=Sing
slept VERB 0 root _
. PUNCT 3 punct _
"""
BOOK = """
Boris PROPN 2 nsubj Number=Sing|Gender=Masc
lost VERB 0 root _
the DET 5 det Definite=Def
red ADJ 5 amod _
book NOUN 2 obj Number=Sing
of ADP 7 case _
Clara PROPN 5 nmod Number=Sing|Gender=Fem
. PUNCT 2 punct _

He PRON 2 nsubj Number=Sing|Gender=Masc|Person=3|PronType=Prs
told VERB 0 root _
her PRON 4 nmod:poss Gender=Fem|Poss=Yes|Person=3
brothers NOUN 2 obj Number=Plur
. PUNCT 2 punct _

They PRON 2 nsubj Number=Plur|Person=3|PronType=Prs
found VERB 0 root _
it PRON 2 obj Number=Sing|Gender=Neut|Person=3|PronType=Prs
. PUNCT 2 punct _
"""
# Entities: their mentions as first word, last word and head, counted in the document.
STORIES = {
    "king": (KING, [[(0, 0, 0), (8, 8, 8), (16, 16, 16)], [(2, 6, 4), (10, 10, 10), (13, 14, 14)],
                    [(10, 11, 11), (18, 19, 19)], [(6, 6, 6)]]),
    "book": (BOOK, [[(0, 0, 0), (8, 8, 8)], [(2, 6, 4), (15, 15, 15)], [(6, 6, 6), (10, 10, 10)],
                    [(10, 11, 11), (13, 13, 13)]]),
}  # fmt: skip


def make_story(id: str) -> Document:
    """One of the stories."""
    text, entities = STORIES[id]
    sentences = [block.splitlines() for block in text.strip().split("\n\n")]
    tokens = []
    for lines in sentences:
        for number, line in enumerate(lines, 1):
            form, upos, head, deprel, feats = line.split()
            tokens.append(Token(str(number), form, upos=upos, head=head, deprel=deprel, feats=feats))
    doc = Document.from_sentences(Tokens(tokens), [len(lines) for lines in sentences], id=id)
    made = tuple(
        Entity(f"e{number}", tuple(doc.mention(range(first, last + 1), head=head) for first, last, head in mentions))
        for number, mentions in enumerate(entities)
    )
    return doc.replace(entities=made)


def make_stories(path: Path) -> str:
    """Both stories in a file."""
    coindex.write(map(make_story, STORIES), path)
    return str(path)
