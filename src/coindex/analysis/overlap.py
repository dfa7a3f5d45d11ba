"""The lexical overlap of a test corpus with training (PreCo, section 3.4): unknown and rare words.

A word is a token that consists of letters and their combining marks: numbers, punctuation, *don't* and empty nodes are
not words. Forms are compared as they are written.

For a training corpus with the vocabulary V and a test corpus of n words, the OOV rate is the share of the n words that
are not in V. The rate of low-frequency words is the share of words that are not among the words of V with a minimum
frequency. Each occurrence of a word counts. The rates are computed for all words of the test corpus, for the heads of
mentions, and for the words of names; each is looked up among all words of the training corpus.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..document import Document
from ..document.naming import Informativeness, head_of, name_run, rate_by_class
from ..errors import CoindexError, MissingExtraError
from ..scoring.result import package_version
from .figures import Bars, Chart, can_draw
from .tables import Column, Row, Table, Value


def is_word(form: str) -> bool:
    """Return whether a form consists of letters; combining marks, such as vowel signs of Hindi, belong to letters.

    >>> is_word("Zürich"), is_word("हिन्दी"), is_word("B2B"), is_word("don't"), is_word("")
    (True, True, False, False, False)
    """
    if form.isascii() or form.isalpha():
        return form.isalpha()
    return form[0].isalpha() and all(char.isalpha() or unicodedata.category(char)[0] == "M" for char in form)


def words_at(doc: Document, positions: Iterable[int], *, ignore_case: bool = False) -> list[str]:
    """Return the words at these positions, in order."""
    forms, empty = doc.tokens.forms, doc.tokens.empty_positions
    words = [forms[at] for at in positions if at not in empty and is_word(forms[at])]
    return [word.casefold() for word in words] if ignore_case else words


def words_of(doc: Document, *, ignore_case: bool = False) -> list[str]:
    """Return all words of a document, in order."""
    return words_at(doc, range(len(doc.tokens)), ignore_case=ignore_case)


@dataclass(slots=True)
class Vocabulary:
    """The frequencies of words in documents, which are added one by one."""

    ignore_case: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    texts: set[bytes] = field(default_factory=set, repr=False)
    """Digests of the documents, to recognise them in a test corpus."""

    @classmethod
    def of(cls, docs: Iterable[Document], *, ignore_case: bool = False) -> Vocabulary:
        """Return the vocabulary of documents, read one by one."""
        vocabulary = cls(ignore_case)
        for doc in docs:
            vocabulary.add(doc)
        return vocabulary

    def add(self, doc: Document) -> None:
        """Add the words of a document."""
        self.counts.update(words_of(doc, ignore_case=self.ignore_case))
        self.documents += 1
        self.texts.add(text_digest(doc))

    @property
    def words(self) -> int:
        """The number of words, including repeated ones."""
        return self.counts.total()

    def find_frequent(self, below: int = 1) -> frozenset[str]:
        """Return the words with at least this frequency."""
        return frozenset(word for word, count in self.counts.items() if count >= below)


def text_digest(doc: Document) -> bytes:
    """Return a digest of the words of a document, which does not depend on its id, annotation and white space."""
    forms, empty = doc.tokens.forms, doc.tokens.empty_positions
    words = "\n".join(form for at, form in enumerate(forms) if at not in empty)
    return hashlib.blake2b(words.encode(errors="surrogatepass"), digest_size=16).digest()


BELOW = (2, 5, 10)
"""Words with a lower frequency in training are rare; PreCo uses 10 (section 4.2)."""
OOV = 1
"""Words with a lower frequency are unknown."""
RATES = "rate [%]"


def _all(doc: Document) -> Iterable[int]:
    return range(len(doc.tokens))


def _heads(doc: Document) -> Iterable[int]:
    """Return the positions of the heads of mentions: as annotated, by the tree, or by the shape of a noun phrase."""
    return {head_of(mention) for entity in doc.entities for mention in entity.mentions}


def _names(doc: Document) -> Iterable[int]:
    """Return the positions of the words of names: the heads of mentions that are names, and adjacent proper nouns."""
    mentions = (mention for entity in doc.entities for mention in entity.mentions)
    names = (name_run(m, m.positions) for m in mentions if rate_by_class(m) is Informativeness.NAME)
    return {position for positions in names for position in positions}


KINDS: dict[str, tuple[str, Callable[[Document], Iterable[int]]]] = {
    "words": ("all words", _all),
    "heads": ("heads of mentions", _heads),
    "names": ("words of names", _names),
}
"""The kinds of words that are looked up: their title and their positions in a document. A position counts once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of a corpus: documents, words, and distinct words."""

    documents: int
    words: int
    types: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """How many words of a kind are known: `rare` has for each level the number of words with a lower frequency."""

    words: int
    types: int
    rare: Mapping[int, int]

    def rate(self, below: int = OOV) -> float | None:
        """Return the share of words with a lower frequency than `below`, or None if there are no words."""
        return self.rare[below] / self.words if self.words else None

    @property
    def oov(self) -> float | None:
        """The share of unknown words."""
        return self.rate(OOV)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The rates of a test corpus by kind of words: "words", "heads" and "names"."""

    train: Size
    test: Size
    kinds: Mapping[str, Known]
    below: tuple[int, ...]
    ignore_case: bool
    repeated: int
    """The number of test documents whose text is also in the training corpus."""

    @property
    def oov(self) -> float | None:
        """The OOV rate of all words."""
        return self.kinds["words"].oov

    @property
    def signature(self) -> str:
        """How the rates were computed, to print with them."""
        case = "ignored" if self.ignore_case else "kept"
        return f"coindex|overlap:preco@1|words:letters|case:{case}|v:{package_version()}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with fractions that are not rounded."""
        return {
            "signature": self.signature,
            "train": asdict(self.train),
            "test": asdict(self.test),
            "repeated": self.repeated,
            "kinds": {name: dict(self._numbers(known)) for name, known in self.kinds.items()},
        }

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each kind of words."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("pandas", "pandas") from error
        rows = {name: dict(self._numbers(known)) for name, known in self.kinds.items()}
        frame = pandas.DataFrame.from_dict(rows, orient="index")
        frame = frame.astype({name: "float64" for name in frame if name not in ("words", "types")})
        frame.index.name = "kind"
        frame.attrs["signature"] = self.signature
        return frame

    def _numbers(self, known: Known) -> Iterator[tuple[str, Value]]:
        yield from (("words", known.words), ("types", known.types), ("oov", known.oov))
        yield from ((f"below_{level}", known.rate(level)) for level in self.below)

    def tables(self) -> list[Table]:
        """Return the table of the rates and the table of the sizes of the corpora."""
        columns = [Column("words", "words", "number"), Column("types", "distinct", "number")]
        columns += [Column("oov", "OOV", group=RATES)]
        columns += [Column(f"below_{level}", f"<{level}", group=RATES) for level in self.below]
        rows = [
            Row(
                label=KINDS[name][0],
                values=[value for _, value in self._numbers(known)],
                keys={"kind": name},
                signature=self.signature,
            )
            for name, known in self.kinds.items()
        ]
        title = "Unknown and rare words of the test corpus"
        rates = Table(name="overlap", title=title, columns=columns, rows=rows, remarks=self._make_remarks())
        return [rates, self._make_sizes()]

    def _make_sizes(self) -> Table:
        names = {"documents": "documents", "words": "words", "types": "distinct"}
        rows = [
            Row(label=name, values=list(asdict(size).values()), keys={"corpus": name}, signature=self.signature)
            for name, size in (("train", self.train), ("test", self.test))
        ]
        columns = [Column(name, title, "number") for name, title in names.items()]
        return Table(name="corpora", title="Sizes of the corpora", columns=columns, rows=rows)

    def _make_remarks(self) -> list[str]:
        if not self.repeated:
            return []
        return [
            f"{self.repeated} of {self.test.documents} documents of the test corpus are also in the training corpus."
        ]

    def charts(self) -> list[Chart]:
        """Return a chart of the rates of each kind of words."""
        levels = (OOV, *self.below)
        rates = {KINDS[name][0]: [known.rate(level) for level in levels] for name, known in self.kinds.items()}
        series = {name: [None if rate is None else 100 * rate for rate in values] for name, values in rates.items()}
        labels = ["never", *(f"fewer than {level}" for level in self.below)]
        title = "Unknown and rare words of the test corpus"
        return [
            Bars(name="overlap", title=title, x="occurrences in training", y="words [%]", labels=labels, series=series)
        ]

    def render(self, form: str = "text") -> str:
        """Return both tables as text, json, markdown, latex, csv or html (with a chart if matplotlib is installed)."""
        from .writers import render

        about = {"repeated": self.repeated, "signature": self.signature}
        return render(self.tables(), form, about=about, charts=self._make_charts() if form == "html" else ())

    def _make_charts(self) -> list[Chart]:
        return self.charts() if can_draw() else []

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from .figures import fragment

        return fragment(self.tables(), self._make_charts())


def check_levels(below: Sequence[int]) -> tuple[int, ...]:
    """Return the distinct levels in ascending order; raise an error if a level is too low."""
    for level in below:
        if level <= OOV:
            raise CoindexError(
                f"invalid frequency for rare words: {level}; expected a number above {OOV}",
                code="invalid-option",
            )
    return tuple(sorted(set(below)))


def measure_overlap(train: Vocabulary, test: Iterable[Document], *, below: Sequence[int] = BELOW) -> Overlap:
    """Return the rates of unknown and rare words of test documents.

    Parameters:
        train: The vocabulary of the training corpus.
        test: The test documents, read one by one.
        below: Words with a lower frequency in training are rare.
    """
    levels = check_levels(below)
    frequencies: dict[str, Counter[str]] = {name: Counter() for name in KINDS}
    documents = repeated = 0
    for doc in test:
        documents += 1
        repeated += bool(len(doc.tokens)) and text_digest(doc) in train.texts
        for name, (_, places) in KINDS.items():
            frequencies[name].update(words_at(doc, places(doc), ignore_case=train.ignore_case))
    words = frequencies["words"]
    return Overlap(
        train=Size(documents=train.documents, words=train.words, types=len(train.counts)),
        test=Size(documents=documents, words=words.total(), types=len(words)),
        kinds={name: _count_known(counts, train, levels) for name, counts in frequencies.items()},
        below=levels,
        ignore_case=train.ignore_case,
        repeated=repeated,
    )


def _count_known(counts: Counter[str], train: Vocabulary, levels: Sequence[int]) -> Known:
    rare = {
        level: sum(count for word, count in counts.items() if train.counts[word] < level) for level in (OOV, *levels)
    }
    return Known(words=counts.total(), types=len(counts), rare=rare)
