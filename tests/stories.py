"""A small document with one of everything that is hard to draw: `from stories import story`."""

from __future__ import annotations

from coindex.document import Bridge, Document, Entity, Mention, Sentence, SplitAntecedent, Token, Tokens

HOSTILE = "</script><img src=x onerror=alert(1)>"


def story() -> Document:
    """Mentions three deep, crossing, torn, left out; an event, speakers, a bridge, a group, hostile text."""
    words = (
        "1 The|2 mayor|3 of|4 the|5 town|6 by|7 the|8 river|9 met|10 her|11 brother|12 .\n"
        f"|1 He|2 said|3 that|3.1 on|4 picked|5 it|6 up|7 &|8 left|9 {HOSTILE}|10 .\n"
        "|1 They|2 went|3 home|4 ."
    )
    tokens = Tokens(_token(word) for word in words.split("|"))

    def mention(first: int, last: int, head: int, **attributes: str) -> Mention:
        return Mention(tokens, tuple(range(first, last + 1)), head, attributes)

    river = mention(6, 7, 7)
    group = mention(23, 23, 23)
    entities = (
        Entity("e1", (mention(0, 7, 1, infstat="new"), mention(9, 9, 9)), "person", attributes={"gender": "f"}),
        Entity("e2", (mention(3, 7, 4), mention(25, 25, 25)), "place"),
        Entity("e3", (river,), "place"),
        Entity("e4", (mention(9, 10, 10), mention(12, 12, 12), mention(15, 15, 15, confidence="0.83")), "person"),
        Entity("e5", (mention(13, 13, 13), Mention(tokens, (16, 18), 16)), kind="event"),
        Entity("e6", (mention(18, 20, 20),)),
        Entity("e7", (mention(19, 21, 20),)),  # crosses the one before
        Entity("e8", (group,)),
    )
    return Document(
        tokens,
        (
            Sentence(tokens, 0, 12, "s1", "Ann"),
            Sentence(tokens, 12, 23, "s2", "Bob"),
            Sentence(tokens, 23, 27, "s3"),
        ),
        entities,
        id="story",
        bridges=(Bridge(river, "e3", "e2", "part"),),
        split_antecedents=(SplitAntecedent(group, "e8", ("e1", "e4")),),
        genre="fiction",
    )


def _token(word: str) -> Token:
    number, _, form = word.partition(" ")
    if "." in number:
        return Token(number, form, "#PersPron")
    return Token(number, form.rstrip("\n"), space="\n" if form.endswith("\n") else " ")


def scored() -> Document:
    """A text whose links have sources and scores, one of them weak and one without a score."""
    doc = Document.from_text("Ann met Eve in Ulm. She greeted her there. She smiled.", id="scored", language="en")

    def linked(at: int, **attributes: str) -> Mention:
        return doc.mention([at], head=at, attributes=attributes)

    entities = (
        Entity("e1", (linked(0), linked(6, by="sieves/pronouns", score="0.3100"), linked(11, by="sieves/pronouns"))),
        Entity("e2", (linked(2), linked(8, by="sieves/pronouns", score="0.8300", note="x"))),
        Entity("e3", (linked(4), linked(9, by="model", score="0.5000"))),
    )
    return doc.replace(entities=entities)
