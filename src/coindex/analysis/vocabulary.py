"""The vocabulary of a training corpus (PreCo, section 3.4): its words, and how often each comes.

A word is a token that has no character but letters, with the marks that belong to them: numbers, punctuation and
*don't* are no words, nor are empty nodes. Forms are compared as they are written.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..document import Document


def is_word(form: str) -> bool:
    """Whether a form is made of letters alone; a mark, such as a vowel sign of Hindi, belongs to its letter.

    >>> is_word("Zürich"), is_word("हिन्दी"), is_word("B2B"), is_word("don't"), is_word("")
    (True, True, False, False, False)
    """
    if form.isascii() or form.isalpha():
        return form.isalpha()
    return form[0].isalpha() and all(char.isalpha() or unicodedata.category(char)[0] == "M" for char in form)


def words_at(doc: Document, positions: Iterable[int], *, ignore_case: bool = False) -> list[str]:
    """The words at these positions, in order."""
    forms, empty = doc.tokens.forms, doc.tokens.empty_positions
    found = [forms[at] for at in positions if at not in empty and is_word(forms[at])]
    return [form.casefold() for form in found] if ignore_case else found


def words_of(doc: Document, *, ignore_case: bool = False) -> list[str]:
    """All words of a document, in order."""
    return words_at(doc, range(len(doc.tokens)), ignore_case=ignore_case)


@dataclass(slots=True)
class Vocabulary:
    """How often each word comes in documents, which are added one by one."""

    ignore_case: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    texts: set[bytes] = field(default_factory=set, repr=False)
    """Digests of the documents, by which one is known again."""

    @classmethod
    def of(cls, docs: Iterable[Document], *, ignore_case: bool = False) -> Vocabulary:
        """The vocabulary of documents, read one by one."""
        vocabulary = cls(ignore_case)
        for doc in docs:
            vocabulary.add(doc)
        return vocabulary

    def add(self, doc: Document) -> None:
        """Count the words of a document too."""
        self.counts.update(words_of(doc, ignore_case=self.ignore_case))
        self.documents += 1
        self.texts.add(text_digest(doc))

    @property
    def words(self) -> int:
        """All words, each as often as it comes."""
        return self.counts.total()

    def known(self, below: int = 1) -> frozenset[str]:
        """The words that come at least that often."""
        return frozenset(word for word, count in self.counts.items() if count >= below)


def text_digest(doc: Document) -> bytes:
    """What tells texts apart: that of a document is the same whatever its id, annotation and white space."""
    forms, empty = doc.tokens.forms, doc.tokens.empty_positions
    words = "\n".join(form for at, form in enumerate(forms) if at not in empty)
    return hashlib.blake2b(words.encode(errors="surrogatepass"), digest_size=16).digest()
