"""The overlap of a test corpus with training (PreCo, section 3.4): vocabulary, unknown and rare words.

The vocabulary of a training corpus (PreCo, section 3.4): its words, and how often each comes.

A word is a token that has no character but letters, with the marks that belong to them: numbers, punctuation and
*don't* are no words, nor are empty nodes. Forms are compared as they are written.

For a training corpus with the vocabulary V and a test corpus of n words, the OOV rate is the share of the n words that
are not in V. The rate of low-frequency words is the same with the words of V that come at least so often. A word counts
each time it comes; what a word is, `vocabulary` says. Beside all words of the test corpus, those are looked at that are
the head of a mention, and those that are part of a name; each is looked up among all words of the training corpus.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..document import Document
from ..document.naming import Telling, head_of, name_run, telling
from ..errors import CoindexError, MissingExtraError
from ..scoring.result import package_version
from .figures import Bars, Chart, can_draw
from .tables import Column, Row, Table, Value


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


BELOW = (2, 5, 10)
"""A word that comes less often than this in training is rare; PreCo's own level is 10 (section 4.2)."""
OOV = 1
"""A word that comes less often than this is unknown."""
RATES = "rate [%]"


def _all(doc: Document) -> Iterable[int]:
    return range(len(doc.tokens))


def _heads(doc: Document) -> Iterable[int]:
    """Words that are the head of some mention: as given, else of the tree, else where a noun phrase has it."""
    return {head_of(mention) for entity in doc.entities for mention in entity.mentions}


def _names(doc: Document) -> Iterable[int]:
    """Words of the names that mentions are: the head of each and the proper nouns next to it."""
    mentions = (mention for entity in doc.entities for mention in entity.mentions)
    names = (name_run(m, m.positions) for m in mentions if telling(m) is Telling.NAME)
    return {position for positions in names for position in positions}


KINDS: dict[str, tuple[str, Callable[[Document], Iterable[int]]]] = {
    "words": ("all words", _all),
    "heads": ("heads of mentions", _heads),
    "names": ("words of names", _names),
}
"""What is looked up: its title, and where it stands in a document. A position counts once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What a corpus has: documents, words, and how many of the words are different ones."""

    documents: int
    words: int
    types: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """How well words of one kind are known: `rare` has for each level how many of them come less often in training."""

    words: int
    types: int
    rare: Mapping[int, int]

    def rate(self, below: int = OOV) -> float | None:
        """The share of words that come less often than that; None where there are no words."""
        return self.rare[below] / self.words if self.words else None

    @property
    def oov(self) -> float | None:
        """The share of unknown words."""
        return self.rate(OOV)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The rates of a test corpus, by kind of words: "words", "heads" and "names"."""

    train: Size
    test: Size
    kinds: Mapping[str, Known]
    below: tuple[int, ...]
    ignore_case: bool
    repeated: int
    """Documents of the test corpus whose text is in the training corpus, word for word."""

    @property
    def oov(self) -> float | None:
        """The OOV rate of all words."""
        return self.kinds["words"].oov

    @property
    def signature(self) -> str:
        case = "ignored" if self.ignore_case else "kept"
        return f"coindex|overlap:preco@1|words:letters|case:{case}|v:{package_version()}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: fractions, not rounded."""
        return {
            "signature": self.signature,
            "train": asdict(self.train),
            "test": asdict(self.test),
            "repeated": self.repeated,
            "kinds": {name: dict(self._numbers(known)) for name, known in self.kinds.items()},
        }

    def to_frame(self) -> Any:
        """A pandas frame: a row for each kind of words."""
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
        """The rates, and the sizes of the corpora."""
        columns = [Column("words", "words", "number"), Column("types", "different", "number")]
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
        title = "Words of the test corpus that are unknown or rare in training"
        rates = Table(name="overlap", title=title, columns=columns, rows=rows, remarks=self._remarks())
        return [rates, self._sizes()]

    def _sizes(self) -> Table:
        names = {"documents": "documents", "words": "words", "types": "different"}
        rows = [
            Row(label=name, values=list(asdict(size).values()), keys={"corpus": name}, signature=self.signature)
            for name, size in (("train", self.train), ("test", self.test))
        ]
        columns = [Column(name, title, "number") for name, title in names.items()]
        return Table(name="corpora", title="The corpora", columns=columns, rows=rows)

    def _remarks(self) -> list[str]:
        if not self.repeated:
            return []
        return [f"{self.repeated} of {self.test.documents} documents of the test corpus are in training too."]

    def charts(self) -> list[Chart]:
        """The rates of each kind of words, side by side."""
        levels = (OOV, *self.below)
        rates = {KINDS[name][0]: [known.rate(level) for level in levels] for name, known in self.kinds.items()}
        series = {name: [None if rate is None else 100 * rate for rate in found] for name, found in rates.items()}
        labels = ["never", *(f"fewer than {level}" for level in self.below)]
        title = "Unknown and rare words of the test corpus"
        return [Bars(name="overlap", title=title, x="times in training", y="words [%]", labels=labels, series=series)]

    def render(self, form: str = "text") -> str:
        """Both tables as text, json, markdown, latex, csv or html, the last with a chart if matplotlib is there."""
        from .writers import render

        about = {"repeated": self.repeated, "signature": self.signature}
        return render(self.tables(), form, about=about, charts=self._drawable() if form == "html" else ())

    def _drawable(self) -> list[Chart]:
        return self.charts() if can_draw() else []

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from .page import fragment

        return fragment(self.tables(), self._drawable())


def check_levels(below: Sequence[int]) -> tuple[int, ...]:
    """The levels in order, each once; one at which no word or only unknown words would count is refused."""
    for level in below:
        if level <= OOV:
            raise CoindexError(
                f"rare words below {level}; expected a number over {OOV}, as words below {OOV} are the unknown ones; "
                "choose another",
                code="invalid-option",
            )
    return tuple(sorted(set(below)))


def measure_overlap(train: Vocabulary, test: Iterable[Document], *, below: Sequence[int] = BELOW) -> Overlap:
    """How well the words of test documents, which are read one by one, are known from training."""
    levels = check_levels(below)
    found: dict[str, Counter[str]] = {name: Counter() for name in KINDS}
    documents = repeated = 0
    for doc in test:
        documents += 1
        repeated += bool(len(doc.tokens)) and text_digest(doc) in train.texts
        for name, (_, places) in KINDS.items():
            found[name].update(words_at(doc, places(doc), ignore_case=train.ignore_case))
    words = found["words"]
    return Overlap(
        train=Size(documents=train.documents, words=train.words, types=len(train.counts)),
        test=Size(documents=documents, words=words.total(), types=len(words)),
        kinds={name: _known(counts, train, levels) for name, counts in found.items()},
        below=levels,
        ignore_case=train.ignore_case,
        repeated=repeated,
    )


def _known(counts: Counter[str], train: Vocabulary, levels: Sequence[int]) -> Known:
    rare = {
        level: sum(count for word, count in counts.items() if train.counts[word] < level) for level in (OOV, *levels)
    }
    return Known(words=counts.total(), types=len(counts), rare=rare)
