"""What an import would bring: documents, near-duplicates of each other and of those in the project, and cleaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from ..annotation.cleaning import RULES, Bags, Change, clean
from ..document import Document
from ..server import audit
from .layers import AnnotationStore
from .models import DocumentRow
from .projects import add_documents


@dataclass(frozen=True, slots=True)
class Near:
    """A near-duplicate of a new document: of another new one, or of one in the project."""

    dropped: str
    kept: str
    similarity: float
    new: int | None
    """The number of the new document that would be left out; None where the shorter one is in the project."""


@dataclass(frozen=True)
class Preview:
    """All that can be said of an import before it is done."""

    docs: Sequence[Document]
    names: Sequence[str]
    taken: frozenset[str]
    """Names that are in the project already."""
    near: Sequence[Near]
    changes: Sequence[tuple[str, Change]]
    """What cleaning would change, by the name of the document."""

    @property
    def repeated(self) -> list[str]:
        """The names that several of the new documents have."""
        return sorted(name for name, count in Counter(self.names).items() if count > 1)

    @property
    def dropped(self) -> list[int]:
        """The numbers of the new documents that are the shorter of two near-duplicates."""
        return sorted({near.new for near in self.near if near.new is not None})


def preview(store: AnnotationStore, project: int, docs: Sequence[Document]) -> Preview:
    """What these documents would bring to the project."""
    names = [doc.id or f"document {number}" for number, doc in enumerate(docs, 1)]
    bags, there = Bags(), []
    for doc in docs:
        bags.add_document(doc)
    with store.read() as session:
        query = select(DocumentRow.name, DocumentRow.content).where(DocumentRow.project_id == project)
        for name, content in session.execute(query.order_by(DocumentRow.id).execution_options(yield_per=100)):
            there.append(name)
            ids = content["ids"]
            bags.add(form for form, id in zip(content["forms"], ids, strict=True) if "." not in id)
    known = [*names, *there]
    near = []
    for pair in sorted(bags.duplicates(), key=lambda pair: (pair.dropped, pair.kept)):
        if min(pair.dropped, pair.kept) < len(docs):  # two that are in the project already are no news
            new = pair.dropped if pair.dropped < len(docs) else None
            near.append(Near(known[pair.dropped], known[pair.kept], pair.similarity, new))
    changes = [(name, change) for name, doc in zip(names, docs, strict=True) for change in clean(doc)[1]]
    return Preview(docs, names, frozenset(there) & frozenset(names), near, changes)


def take_in(
    store: AnnotationStore,
    project: int,
    docs: Sequence[Document],
    *,
    user: int,
    without: Collection[int] = (),
    rules: Collection[str] = (),
) -> int:
    """Bring the documents into the project, but for those numbers, cleaned by these rules; how many came."""
    wanted = [rule for rule in RULES if rule in rules]
    kept = [doc for number, doc in enumerate(docs) if number not in without]
    cleaned = [clean(doc, wanted)[0] for doc in kept] if wanted else kept
    with store.write() as session:
        ids = add_documents(session, project, cleaned)
        audit.record(
            session,
            "imported",
            user=user,
            project=project,
            documents=len(ids),
            left_out=len(docs) - len(kept),
            cleaned=wanted,
        )
    return len(ids)
