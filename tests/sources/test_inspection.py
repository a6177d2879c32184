"""Checking known collections: facts of files, and what they add up to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from podium.sources.findings import PartFacts, judge, judge_own
from podium.sources.inspection import inspect
from podium.sources.known_collections import COLLECTIONS, Collection, Count

TINY = Collection("TINY", "LETOR 9.9 TINY", Count(5), Count(10), 2, (0, 1), ("000 Table 0",), "nobody", folds=5)
ORDERED = replace(TINY, name="ORDERED", grades=())


def facts(queries: str = "abcde", folds: int = 5) -> list[PartFacts]:
    """Folds as LETOR turns them; a query a letter, two documents each."""
    found = []
    for first in range(folds):
        turned = queries[first:] + queries[:first]
        for part, held in (("train", turned[:-2]), ("vali", turned[-2]), ("test", turned[-1])):
            found.append(PartFacts(f"Fold{first + 1}", part, frozenset(held), 2 * len(held), 2, (0.0, 1.0), 0))
    return found


def changed(parts: list[PartFacts], fold: str, part: str, **values: object) -> list[PartFacts]:
    return [replace(each, **values) if (each.fold, each.part) == (fold, part) else each for each in parts]  # type: ignore[arg-type]


def lay_out(folder: Path, labels: tuple[int, int] = (1, 0)) -> None:
    for fold in range(1, 6):
        (folder / f"Fold{fold}").mkdir(parents=True)
    for part in facts():
        rows = [f"{label} qid:{query} 1:1 2:1\n" for query in sorted(part.queries) for label in labels]
        (folder / part.fold / f"{part.part}.txt").write_text("".join(rows))


def test_a_collection_as_it_should_be_has_no_problems() -> None:
    found = judge(TINY, facts())
    assert (found.status, found.problems, found.is_right) == ("present", (), True)
    assert (found.queries, found.documents, found.features, found.labels, found.files) == (5, 10, 2, (0, 1), 15)
    assert found.as_published is None, "no checksum of it is known"


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (changed(facts(), "Fold1", "train", queries=frozenset("abce")), "TINY/Fold1: 1 query (such as 'e') is in both train and test"),
        (changed(facts(), "Fold2", "train", queries=frozenset("bc")), "TINY/Fold2: 1 query (such as 'd') is in no part of it, but"),
        (changed(facts(), "Fold2", "train", queries=frozenset("b")), "TINY/Fold2: 2 queries (such as 'c') are in no part of it, but in"),
        ([replace(part, features=1) for part in facts()], "TINY: has 1 feature, expected 2"),
        (facts("abc", folds=1), "TINY: has 1 fold, expected 5"),
        (changed(facts(), "Fold2", "train", queries=frozenset("bc")), "TINY/Fold2: has 4 queries, expected 5"),
        (changed(facts(), "Fold2", "vali", queries=frozenset("a")), "TINY: the test queries of Fold1 are not"),
        (changed(facts(), "Fold5", "test", queries=frozenset("c")), "TINY: the test queries of Fold5 are not"),
        (changed(facts(), "Fold3", "vali", documents=3), "TINY: the test queries of Fold2 are not the validation queries of Fold3, as"),
        (changed(facts(), "Fold4", "train", documents=7), "TINY/Fold4: has 11 documents, expected 10"),
        (changed(facts(), "Fold4", "train", features=3), "TINY: has 3 features, expected 2"),
        (changed(facts(), "Fold4", "train", labels=(0.0, 1.0, 2.5)), "TINY: has the labels 0, 1, 2.5, expected grades 0 1"),
        ([replace(part, labels=(0.0,)) for part in facts()], "TINY: has the labels 0, expected grades 0 1"),
        (facts("abcdef", folds=6), "TINY: has 6 folds, expected 5"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(parts: list[PartFacts], problem: str) -> None:
    found = judge(TINY, parts)
    assert (found.status, found.is_right) == ("wrong", False)
    assert any(said.startswith(problem) for said in found.problems), found.problems


def test_a_total_order_has_no_ties_and_any_labels() -> None:
    assert judge(ORDERED, [replace(part, labels=(1.0, 7.0, 99.0)) for part in facts()]).status == "present"
    found = judge(ORDERED, changed(facts(), "Fold2", "vali", tied_queries=3))
    assert found.problems == ("ORDERED/Fold2: 3 queries of vali.txt have two documents of the same label, expected a total order",)


def test_of_one_query_it_is_said_as_of_one() -> None:
    found = judge(ORDERED, changed(facts(), "Fold2", "vali", tied_queries=1))
    assert found.problems == ("ORDERED/Fold2: 1 query of vali.txt has two documents of the same label, expected a total order",)


# ---- collections of one's own ----


def test_an_own_collection_need_not_turn_as_letor_does_nor_have_so_many_queries() -> None:
    parts = [
        PartFacts("Fold1", part, frozenset(sizes), sum(sizes.values()), 2, labels, 0, sizes=sizes)
        for part, sizes, labels in (("train", {"a": 3, "b": 1}, (0.0, 4.0)), ("vali", {"c": 2}, (0.0,)), ("test", {"d": 5}, (1.0,)))
    ]
    parts += [
        replace(part, fold="Fold2", queries=frozenset(sizes), sizes=sizes)
        for part, sizes in zip(parts, ({"d": 5}, {"c": 2}, {"b": 1}), strict=True)
    ]
    found = judge_own("Shop", parts)
    assert (found.name, found.collection, found.status, found.problems, found.remarks) == ("Shop", None, "present", (), ())
    assert (found.queries, found.documents) == (4, 3 + 1 + 2 + 5), "a query counts once, however many parts have it"
    assert (found.features, found.labels, found.files, found.parts) == (2, (0, 1, 4), 6, tuple(parts))


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (changed(facts(), "Fold1", "train", queries=frozenset("abcd")), "Shop/Fold1: 1 query (such as 'd') is in both train and vali"),
        ([replace(part, queries=frozenset("pq")) for part in facts()], "Shop: 2 queries (such as 'p') are in test of both Fold3 and Fold5"),
    ],
)
def test_what_is_wrong_with_an_own_collection_is_said(parts: list[PartFacts], problem: str) -> None:
    found = judge_own("Shop", parts)
    assert found.status == "wrong"
    assert problem in found.problems


def test_features_that_some_parts_leave_out_are_remarked_and_no_mistake() -> None:
    found = judge_own("Shop", changed(facts(), "Fold4", "vali", features=1))
    assert (found.status, found.features) == ("present", 2)
    assert found.remarks == ("Shop: its parts have 1 to 2 features; experiments take those left out for 0.",)


def test_own_collections_are_read_after_the_known_ones(tmp_path: Path) -> None:
    lay_out(tmp_path / "TINY")
    lay_out(tmp_path / "mine" / "Shop", labels=(7, 2))
    (tmp_path / "bare").mkdir()
    known, own, bare = inspect([TINY], tmp_path, own=["mine/Shop", "bare"])
    assert known.status == "present"
    assert (own.name, own.status, own.queries, own.documents, own.labels) == ("mine/Shop", "present", 5, 10, (2, 7))
    assert bare.problems == ("bare: has no folders Fold1, Fold2, …; expected FoldN/{train,vali,test}.txt",)
    (tmp_path / "mine" / "Shop" / "Fold2" / "test.txt").unlink()
    (tmp_path / "mine" / "Shop" / "Fold6").mkdir()
    (own,) = inspect([], tmp_path, own=["mine/Shop"])
    assert own.status == "incomplete"
    assert own.problems == ("mine/Shop: 4 of 18 files are missing: Fold2/test.txt, Fold6/train.txt, Fold6/vali.txt and 1 more",)


def test_files_are_counted_that_are_the_published_ones() -> None:
    known = replace(TINY, title="LETOR 4.0 MQ2008")
    parts = [replace(part, known="LETOR 4.0 MQ2008, Fold1, train") for part in facts()]
    assert judge(known, parts).as_published == 15
    parts = changed(parts, "Fold1", "vali", known=None)
    assert judge(known, changed(parts, "Fold2", "test", known="LETOR 2.0 OHSUMED, S1")).as_published == 13


def test_files_are_read_and_their_facts_judged(tmp_path: Path) -> None:
    lay_out(tmp_path / "TINY")
    lay_out(tmp_path / "ORDERED", labels=(3, 3))
    told: list[tuple[int, int]] = []
    right, wrong = inspect([TINY, ORDERED], tmp_path, progress=lambda *step: told.append(step))
    assert (right.status, right.queries, right.documents, right.features, right.labels) == ("present", 5, 10, 2, (0, 1))
    assert len(wrong.problems) == 15
    assert wrong.problems[0] == "ORDERED/Fold1: 3 queries of train.txt have two documents of the same label, expected a total order"
    size = sum(path.stat().st_size for path in tmp_path.rglob("*.txt"))
    assert told[-1] == (size, size)


def test_absent_and_incomplete_collections_are_told_apart_and_not_read(tmp_path: Path) -> None:
    lay_out(tmp_path / "TINY")
    (tmp_path / "TINY" / "Fold3" / "vali.txt").unlink()
    (tmp_path / "TINY" / "Fold5" / "test.txt").rename(tmp_path / "TINY" / "Fold5" / "testing.txt")
    (tmp_path / "TINY" / "Fold1" / "train.txt").write_text("not a row\n")
    (tmp_path / "EMPTY").mkdir()
    missing, absent, empty = inspect([TINY, ORDERED, replace(TINY, name="EMPTY")], tmp_path)
    assert (missing.status, missing.files, missing.is_right) == ("incomplete", 13, False)
    assert missing.problems == ("TINY: 2 of 15 files are missing: Fold3/vali.txt, Fold5/test.txt",)
    (tmp_path / "TINY" / "Fold5" / "testing.txt").rename(tmp_path / "TINY" / "Fold5" / "test.txt")
    assert inspect([TINY], tmp_path)[0].problems == ("TINY: 1 of 15 files is missing: Fold3/vali.txt",)
    assert (absent.status, absent.problems, absent.is_right) == ("absent", (), True)
    assert empty.problems == ("EMPTY: 15 of 15 files are missing: Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt and 12 more",)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((), "3 of 18 files are missing: Fold6/train.txt, Fold6/vali.txt, Fold6/test.txt"),
        (("train",), "2 of 18 files are missing: Fold6/vali.txt, Fold6/test.txt"),
    ],
)
def test_a_fold_too_many_that_is_not_whole_is_a_problem(tmp_path: Path, parts: tuple[str, ...], said: str) -> None:
    lay_out(tmp_path / "TINY")
    (tmp_path / "TINY" / "Fold6").mkdir()
    for part in parts:
        (tmp_path / "TINY" / "Fold6" / f"{part}.txt").write_text("1 qid:a 1:1 2:1\n")
    (found,) = inspect([TINY], tmp_path)
    assert found.status == "incomplete"
    assert found.problems == (f"TINY: {said}; it has 5 folds, and Fold6 is not one of them: move it away",)


def test_a_file_that_cannot_be_read_is_a_problem_of_its_collection_only(tmp_path: Path) -> None:
    lay_out(tmp_path / "TINY")
    lay_out(tmp_path / "OTHER")
    path = tmp_path / "TINY" / "Fold2" / "vali.txt"
    path.write_text("1 quid:3 1:1\n")
    broken, right = inspect([TINY, replace(TINY, name="OTHER")], tmp_path)
    assert broken.status == "wrong"
    (problem,) = broken.problems
    assert problem.startswith(f"{path}:1: second field must be 'qid:<id>'")
    assert right.status == "present"


def test_the_published_collections_are_right_byte_for_byte(benchmark_data: Path) -> None:
    for found in inspect([COLLECTIONS["OHSUMED2"], COLLECTIONS["MQ2008"]], benchmark_data):
        assert (found.status, found.problems, found.as_published, found.files) == ("present", (), 15, 15)
