"""Texts on which a trained model and its exported form are compared where nobody gives others."""

from __future__ import annotations

from ..document import Document

STORY = """Clara Brandt had lent her bicycle to the boy next door. He rode it to the harbour, where his sister
was waiting for him. She asked whose bicycle that was. "It is Clara's," the boy said, "and I must bring it back to her
before she comes home." His sister laughed at him, for she had seen their neighbour on the ferry.
"""
REPORT = """The council of Marlow voted on Monday to close its old library. The mayor, Ivan Petrov, said that the town
could no longer pay for the building. He added that its books would go to the new school. Readers who had come to hear
him were angry: they called the plan a shame. "We built this library ourselves," one of them said.
"""
MESSY = "She—Ann—wrote:   “I'm  here!”\n\n\n<b>He</b> didn't answer her… 🙂 e-mail: x@example.org (it bounced)."
OTHER = "Анна купила книгу. Она прочитала её за ночь. Marie hat ihren Hund verloren; er kam von selbst zu ihr zurück."
SHORT = "Yes."
LONG = 12
"""So often are both stories told in one text, which is then longer than any window."""


def sample_documents() -> list[Document]:
    """Plain and messy texts, short and long, in several languages, and one without any word."""
    texts = (STORY, REPORT, MESSY, OTHER, (STORY + REPORT) * LONG, SHORT, "")
    return [Document.from_text(text, id=f"text-{number}") for number, text in enumerate(texts, 1)]
