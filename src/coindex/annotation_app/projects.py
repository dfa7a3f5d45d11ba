"""Projects: settings, members, documents and their import, layers and their origins, shared entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from ..annotation.cleaning import RULES, Bags, Change, clean
from ..document import Document
from ..document.edits import canonical
from ..errors import CoindexError
from ..server import models
from ..server.accounts import clean_name, clean_text
from ..server.models import PROJECT_ROLES, Membership, Project, User
from .layers import AnnotationStore, add_layer
from .models import DocumentRow, Layer, LayerKind
from .packing import pack, unpack

MOST_DAYS = 3650
MOST_COPIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRules:
    """How documents are assigned: the number of annotators, and when assignments are returned."""

    copies: int = 1
    exceptions: tuple[tuple[str, int], ...] = ()
    """Beginnings of document names with another number of annotators; the first match counts."""
    idle_days: int | None = 30
    """Days without an edit after which an assignment is returned; None for never."""
    deadline_days: int | None = None
    """Days until the deadline of a document from the queue; None for no deadline."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "exceptions", tuple((str(start), int(copies)) for start, copies in self.exceptions))
        if not 1 <= self.copies <= MOST_COPIES:
            raise CoindexError(
                f"{self.copies} annotators per document; expected 1 to {MOST_COPIES}", code="invalid-input"
            )
        for start, copies in self.exceptions:
            if not start or not 0 <= copies <= MOST_COPIES:
                raise CoindexError(
                    f"{copies} annotators for documents {start!r}…; expected 0 to {MOST_COPIES}", code="invalid-input"
                )
        for days in (self.idle_days, self.deadline_days):
            if days is not None and not 1 <= days <= MOST_DAYS:
                raise CoindexError(f"{days} days; expected 1 to {MOST_DAYS}, or an empty field", code="invalid-input")

    def copies_of(self, name: str) -> int:
        """Return the number of annotators for a document of this name."""
        return next((copies for start, copies in self.exceptions if name.startswith(start)), self.copies)


def work_rules(project: Project) -> WorkRules:
    return WorkRules(**project.settings.get("work", {}))


def set_work_rules(session: Session, project: int, rules: WorkRules) -> None:
    set_setting(session, project, "work", asdict(rules))


def set_setting(session: Session, project: int, name: str, value: Any) -> None:
    """Store one setting of a project; concurrent changes of other settings are kept."""
    row = lock_project(session, project)
    row.settings = {**row.settings, name: value}
    session.flush()


def lock_project(session: Session, project: int) -> Project:
    """Lock the project until the transaction ends and return its current state."""
    query = select(Project).where(Project.id == project).with_for_update()
    row = session.scalar(query, execution_options={"populate_existing": True})
    if row is None:
        raise CoindexError(f"project {project} does not exist; it may have been deleted", code="not-found")
    return row


Method = Literal["adjudication", "vote", "resolver", "second pass"]


@dataclass(frozen=True, slots=True)
class Source:
    """A layer at one of its revisions, whose document never changes."""

    layer: int
    revision: int
    name: str
    """The name of the layer at that time."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a layer was created; `options` are those of the method."""

    method: Method
    sources: tuple[Source, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        sources = [[source.layer, source.revision, source.name] for source in self.sources]
        return {"method": self.method, "sources": sources, "options": dict(self.options)}

    @classmethod
    def of(cls, layer: Layer) -> Origin | None:
        """Return the origin of a layer; None for one that was annotated from scratch."""
        if layer.origin is None:
            return None
        sources = tuple(Source(*source) for source in layer.origin["sources"])
        return cls(layer.origin["method"], sources, layer.origin["options"])


def add_derived(
    session: Session, document: int, start: Document, origin: Origin, *, name: str, owner: int, kind: LayerKind
) -> Layer:
    """Create a layer with a record of its origin; its first revision is the result of the method."""
    layer = add_layer(session, document, start, name=clean_name(name), owner=owner, kind=kind)
    layer.origin = origin.to_json()
    session.flush()
    return layer


SHARED = "shared_entities"
"""The setting of a project."""
UNSHARED: tuple[LayerKind, ...] = ("assessment", "key", "suggestion")
"""Kinds of layers that never share entities."""


def shares_entities(project: Project) -> bool:
    return project.settings.get(SHARED) is True


def share_ids(doc: Document, name: str) -> Document:
    """Return the document with entity ids that are unique in the project: local ids get its name as a prefix."""
    if doc.shared_ids:
        return doc
    ids = {entity.id: f"{doc.id or name}_{entity.id}" for entity in doc.entities}
    return doc.replace(
        id=doc.id or name,
        entities=tuple(replace(entity, id=ids[entity.id]) for entity in doc.entities),
        bridges=tuple(
            replace(relation, entity=ids[relation.entity], antecedent=ids.get(relation.antecedent, relation.antecedent))
            for relation in doc.bridges
        ),
        split_antecedents=tuple(
            replace(
                relation, entity=ids[relation.entity], antecedents=tuple(ids.get(id, id) for id in relation.antecedents)
            )
            for relation in doc.split_antecedents
        ),
        shared_ids=True,
    )


def add_project(session: Session, name: str, description: str = "", *, manager: int | None = None) -> Project:
    """Create a project, managed by its creator."""
    shown = clean_name(name)
    if session.scalar(select(Project.id).where(Project.name == shown)) is not None:
        raise CoindexError(f"a project {shown!r} already exists; choose another name", code="name-taken")
    project = Project(name=shown, description=clean_text(description))
    session.add(project)
    session.flush()
    if manager is not None:
        set_role(session, project.id, manager, "manager")
    return project


def projects_of(session: Session, user: User) -> list[tuple[Project, str]]:
    """Return the projects that a user can see, with their role in each."""
    if user.is_administrator:
        projects = session.scalars(select(Project).order_by(Project.name))
        return [(project, "administrator") for project in projects]
    query = (
        select(Project, Membership.role)
        .join(Membership, Membership.project_id == Project.id)
        .where(Membership.user_id == user.id)
        .order_by(Project.name)
    )
    return [(project, role) for project, role in session.execute(query)]


def set_role(session: Session, project: int, user: int, role: str | None) -> None:
    """Set the role of a user in a project; None removes the user but keeps their layers."""
    if role is not None and role not in PROJECT_ROLES:
        raise CoindexError(f"{role!r} is not a role; choose one of {', '.join(PROJECT_ROLES)}", code="invalid-input")
    membership = session.get(Membership, (project, user))
    if role is None:
        if membership is not None:
            session.delete(membership)
    elif membership is None:
        session.add(Membership(project_id=project, user_id=user, role=role))
    else:
        membership.role = role
    session.flush()


def members(session: Session, project: int) -> list[tuple[User, str]]:
    query = (
        select(User, Membership.role)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.project_id == project)
        .order_by(User.key)
    )
    return [(user, role) for user, role in session.execute(query)]


# --- documents


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document in a list."""

    id: int
    name: str
    tokens: int
    mentions: int


def add_documents(session: Session, project: int, docs: Iterable[Document], *, stem: str = "document") -> list[int]:
    """Add documents to a project, named by their ids; refuse duplicate names."""
    used = set(session.scalars(select(DocumentRow.name).where(DocumentRow.project_id == project)))
    ids = []
    for number, doc in enumerate(docs, 1):
        name = clean_name(doc.id or f"{stem} {number}", "document id")
        if name in used:
            raise CoindexError(
                f"the project already has a document {name!r}; rename one of them or delete the old one",
                code="name-taken",
            )
        used.add(name)
        row = DocumentRow(
            project_id=project,
            name=name,
            content=pack(canonical(doc)),
            tokens=len(doc.tokens),
            mentions=sum(map(len, doc.entities)),
        )
        session.add(row)
        session.flush()
        ids.append(row.id)
    return ids


def documents(
    session: Session, project: int, *, named: str = "", first: int = 0, most: int | None = None
) -> list[DocumentInfo]:
    """Return documents in the order of their names: those whose name contains `named`, and `most` from `first` on."""
    columns = (DocumentRow.id, DocumentRow.name, DocumentRow.tokens, DocumentRow.mentions)
    query = select(*columns).where(*_make_filter(project, named)).order_by(DocumentRow.name).offset(first).limit(most)
    return [DocumentInfo(*row) for row in session.execute(query)]


def count_documents(session: Session, project: int, *, named: str = "") -> int:
    return session.scalar(select(func.count()).select_from(DocumentRow).where(*_make_filter(project, named))) or 0


def _make_filter(project: int, named: str) -> list[ColumnElement[bool]]:
    name = DocumentRow.name.icontains(named, autoescape=True)
    return [DocumentRow.project_id == project, *([name] if named else [])]


def load_imported_document(session: Session, document: int) -> Document:
    """Return the document as it was imported."""
    content = session.scalar(select(DocumentRow.content).where(DocumentRow.id == document))
    if content is None:
        raise CoindexError(f"document {document} does not exist; it may have been deleted", code="not-found")
    return unpack(content)


# --- layers


def start_layer(
    session: Session,
    document: int,
    *,
    name: str,
    owner: int | None = None,
    kind: LayerKind = "annotation",
    with_entities: bool = False,
) -> Layer:
    """Create a layer that starts from the bare text, or from the imported entities."""
    doc = load_imported_document(session, document)
    if not with_entities:
        doc = doc.replace(entities=(), bridges=(), split_antecedents=())
    row = session.get_one(DocumentRow, document)
    if kind not in UNSHARED and shares_entities(session.get_one(Project, row.project_id)):
        doc = share_ids(doc, row.name)
    return add_layer(session, document, doc, name=name, owner=owner, kind=kind)


def layers(session: Session, document: int) -> list[tuple[Layer, str | None]]:
    """Return the layers of a document with the names of their owners."""
    query = (
        select(Layer, User.name)
        .outerjoin(User, User.id == Layer.owner_id)
        .where(Layer.document_id == document)
        .order_by(Layer.id)
    )
    return [(layer, name) for layer, name in session.execute(query)]


def layers_of_project(
    session: Session, project: int, *, documents: Collection[int] | None = None
) -> list[tuple[Layer, str | None]]:
    """Return the layers of a project, or of some of its documents, with the names of their owners."""
    query = (
        select(Layer, User.name)
        .join(DocumentRow, DocumentRow.id == Layer.document_id)
        .outerjoin(User, User.id == Layer.owner_id)
        .where(DocumentRow.project_id == project)
        .order_by(Layer.document_id, Layer.id)
    )
    if documents is not None:
        query = query.where(Layer.document_id.in_(documents))
    return [(layer, name) for layer, name in session.execute(query)]


@dataclass(frozen=True, slots=True)
class Near:
    """A new document that is a near-duplicate of another new one or of one in the project."""

    dropped: str
    kept: str
    similarity: float
    new: int | None
    """The number of the new document to exclude; None if the shorter one is already in the project."""


@dataclass(frozen=True)
class Preview:
    """The preview of an import."""

    docs: Sequence[Document]
    names: Sequence[str]
    taken: frozenset[str]
    """Names that the project already has."""
    near: Sequence[Near]
    changes: Sequence[tuple[str, Change]]
    """Changes that cleaning would make, with the names of the documents."""

    @property
    def repeated(self) -> list[str]:
        """Return the names that several new documents have."""
        return sorted(name for name, count in Counter(self.names).items() if count > 1)

    @property
    def dropped(self) -> list[int]:
        """Return the numbers of the new documents that are the shorter of two near-duplicates."""
        return sorted({near.new for near in self.near if near.new is not None})


def preview(store: AnnotationStore, project: int, docs: Sequence[Document]) -> Preview:
    """Preview the import of documents into a project."""
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
        if min(pair.dropped, pair.kept) < len(docs):  # pairs that are both in the project are not new
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
    """Import documents except those numbered in `without`, cleaned by `rules`; return how many were imported."""
    wanted = [rule for rule in RULES if rule in rules]
    kept = [doc for number, doc in enumerate(docs) if number not in without]
    cleaned = [clean(doc, wanted)[0] for doc in kept] if wanted else kept
    with store.write() as session:
        ids = add_documents(session, project, cleaned)
        models.record(
            session,
            "imported",
            user=user,
            project=project,
            documents=len(ids),
            left_out=len(docs) - len(kept),
            cleaned=wanted,
        )
    return len(ids)
