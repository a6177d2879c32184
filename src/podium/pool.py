"""Pools: the documents of one query that are to be labelled, with what a person or a model is shown of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from podium.errors import DataError

__all__ = ["Document", "Pool"]


@dataclass(frozen=True)
class Document:
    """A document as it is shown: its id, a title if it has one, its text."""

    id: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True)
class Pool:
    """A query with the documents to be judged for it.

    ``has_prior`` says that the documents stand in an order worth trusting, best first, as a run gives it.

    >>> pool = Pool("7", "wing flutter", (Document("d1", text="flutter of wings"), Document("d2", text="heat")))
    >>> pool.items
    ('d1', 'd2')
    >>> pool["d2"].text
    'heat'
    """

    query_id: str
    query: str
    documents: tuple[Document, ...]
    description: str = ""
    has_prior: bool = False
    _places: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for place, document in enumerate(self.documents):
            if self._places.setdefault(document.id, place) != place:
                raise DataError(f"document {document.id!r} occurs twice for query {self.query_id!r}; each may be judged once")

    @property
    def items(self) -> tuple[str, ...]:
        """The ids of the documents, in the pool's order."""
        return tuple(document.id for document in self.documents)

    def __getitem__(self, item: str) -> Document:
        try:
            return self.documents[self._places[item]]
        except KeyError:
            raise DataError(f"query {self.query_id!r} has no document {item!r} among its {len(self.documents)}") from None

    def ranked(self, order: Sequence[str]) -> Pool:
        """The same pool with its documents in this order, best first."""
        if sorted(order) != sorted(self.items):
            raise DataError(f"an order of query {self.query_id!r} must name each of its {len(self.documents)} documents once")
        return Pool(self.query_id, self.query, tuple(self[item] for item in order), self.description, has_prior=True)
