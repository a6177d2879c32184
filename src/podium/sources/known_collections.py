"""The collections that the papers use: what their files hold, and who publishes them. COLLECTIONS is the table.

A count is exact where the publisher's files or papers state it; elsewhere it is a range wide enough to be sure of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

__all__ = ["COLLECTIONS", "Collection", "Count"]


@final
@dataclass(frozen=True)
class Count:
    """How many there must be: exactly, or within a range.

    >>> str(Count(784)), str(Count(45_000, 50_000)), 784 in Count(784), 50_001 in Count(45_000, 50_000)
    ('784', '45,000 to 50,000', True, False)
    """

    least: int
    most: int = 0  # 0: exactly so many as the least

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= max(self.least, self.most)

    def __str__(self) -> str:
        return f"{self.least:,}" if self.most <= self.least else f"{self.least:,} to {self.most:,}"


@final
@dataclass(frozen=True)
class Collection:
    """One collection, kept in a folder of its name as FoldN/{train,vali,test}.txt."""

    name: str  # of the folder, in configs too
    title: str  # as checksums call it (podium.sources.catalogue)
    queries: Count
    documents: Count  # of all queries
    features: int
    grades: tuple[float, ...]  # every label that occurs; none: the labels of a query are a total order
    serves: tuple[str, ...]  # tables and figures of the papers
    published: str  # where, in words
    folds: int = 5

    @property
    def truth(self) -> str:
        """What the labels are, in words."""
        return f"grades {' '.join(f'{grade:g}' for grade in self.grades)}" if self.grades else "a total order"


_LETOR_2 = "Microsoft Research, the LETOR page, version 2.0 (December 2007): folder {}/Data of the download"
_LETOR_4 = "Microsoft Research, the LETOR page, version 4.0 (July 2009): {}"
_LISTED = _LETOR_4.format("listwise ranking, {}")

COLLECTIONS: dict[str, Collection] = {
    collection.name: collection
    for collection in (
        Collection(
            "OHSUMED2", "LETOR 2.0 OHSUMED", Count(106), Count(16_140), 25, (0, 1, 2),
            ("002 Tables 1, 4", "004 Tables 1, 4"), _LETOR_2.format("OHSUMED"),
        ),
        Collection(  # paper 002, section 5.1: each query of TD2003 and TD2004 has 1000 documents; a few have less
            "TD2003", "LETOR 2.0 TD2003", Count(50), Count(45_000, 50_000), 44, (0, 1),
            ("002 Tables 2, 5", "004 Tables 2, 5"), _LETOR_2.format("TREC/TD2003"),
        ),
        Collection(
            "TD2004", "LETOR 2.0 TD2004", Count(75), Count(70_000, 75_000), 44, (0, 1),
            ("002 Tables 3, 6", "004 Tables 3, 6"), _LETOR_2.format("TREC/TD2004"),
        ),
        Collection(
            "MQ2007", "LETOR 4.0 MQ2007", Count(1_692), Count(69_623), 46, (0, 1, 2),
            ("001 Table 4", "001 Figure 1"), _LETOR_4.format("supervised ranking, MQ2007, QueryLevelNorm"),
        ),
        Collection(
            "MQ2008", "LETOR 4.0 MQ2008", Count(784), Count(15_211), 46, (0, 1, 2),
            ("001 Table 4 in place of MQ2007",), _LETOR_4.format("supervised ranking, MQ2008, QueryLevelNorm"),
        ),
        Collection(  # the queries of MQ2007 (paper 001, section 5.2.1), 700 documents a query on average (paper 000, section 4.2)
            "MQ2007-list", "LETOR 4.0 MQ2007-list", Count(1_692), Count(1_000_000, 1_500_000), 46, (),
            ("000 Figure 1", "001 Table 4", "001 Figure 1", "003 Table 1"), _LISTED.format("MQ2007-list"),
        ),
        Collection(  # no paper prints its counts; the publisher says about 800 queries
            "MQ2008-list", "LETOR 4.0 MQ2008-list", Count(750, 800), Count(400_000, 1_500_000), 46, (),
            ("000 Figure 2", "003 Table 1"), _LISTED.format("MQ2008-list"),
        ),
    )
}  # fmt: skip
