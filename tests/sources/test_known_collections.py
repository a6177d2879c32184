"""The table of known collections."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import read_folds
from podium.sources.catalogue import known_titles
from podium.sources.known_collections import COLLECTIONS, Count


def test_a_count_is_exact_or_a_range_with_both_ends() -> None:
    assert [number in Count(5) for number in (4, 5, 6)] == [False, True, False]
    assert [number in Count(5, 7) for number in (4, 5, 7, 8)] == [False, True, True, False]
    assert (str(Count(1692)), str(Count(750, 800))) == ("1,692", "750 to 800")


def test_collections_are_listed_under_their_names_and_say_what_they_serve() -> None:
    for name, collection in COLLECTIONS.items():
        assert collection.name == name
        assert collection.serves
        assert collection.published.startswith("Microsoft Research")
        assert name.removesuffix("2") in collection.title
    assert {collection.truth for collection in COLLECTIONS.values()} == {"grades 0 1", "grades 0 1 2", "a total order"}


def test_every_collection_known_by_checksum_is_in_the_table() -> None:
    assert known_titles() <= {collection.title for collection in COLLECTIONS.values()}


@pytest.mark.parametrize("name", ["OHSUMED2", "MQ2008"])
def test_the_table_holds_of_the_published_files(benchmark_data: Path, name: str) -> None:
    collection, parts = COLLECTIONS[name], [fold.test() for fold in read_folds(benchmark_data / name)]
    assert len(parts) == collection.folds
    assert sum(part.n_queries for part in parts) in collection.queries
    assert sum(part.n_rows for part in parts) in collection.documents
    assert {part.n_features for part in parts} == {collection.features}
    assert {label for part in parts for label in part.labels.tolist()} == set(collection.grades)
