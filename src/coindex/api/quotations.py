"""Find quotations with their speakers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arguments import check_document
from ..document import Document

if TYPE_CHECKING:
    from ..resolvers.linguistics.quotations import Quotation


def quotations(doc: str | Document) -> list[Quotation]:
    """Return the quotations and turns of English text with their speakers, in reading order.

    Speakers are found in reporting clauses (*said Anna*), and in the turns of transcripts, chats, screenplays and
    e-mails. A quotation without clear evidence has no speaker.

    Parameters:

    - `doc`: a text or a document. If it is resolved, `speaker_entity` is the id of the speaker's entity.

    Returns a list of `Quotation`: `speaker` and `addressee` (None if unknown), their token spans, and the `evidence`.

    >>> [(said.text, said.speaker) for said in quotations('"I am tired," said Anna.')]
    [('I am tired,', 'Anna')]
    """
    from ..resolvers.linguistics.quotations import find_quotations

    if isinstance(doc, str):
        doc = Document.from_text(doc)
    check_document(doc)
    return find_quotations(doc)
