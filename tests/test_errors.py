"""What Podium raises: one family, messages that say what, where and what to do."""

from __future__ import annotations

import pickle

import pytest

import podium
from podium import errors
from podium.errors import DataError, FileError, MissingDependency, PodiumError, UnknownName

EXAMPLES = [
    PodiumError("broken"),
    DataError("labels must be finite; row 3 is nan"),
    FileError("train.txt", 17, "second field must be 'qid:<id>'", got="quid:3"),
    FileError("train.txt", None, "there is no such file"),
    UnknownName("measure", "ndgc", ["ndcg", "map"]),
    MissingDependency("pyarrow", "arrow", "read Parquet files"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_every_error_is_a_podium_error_and_survives_a_trip_between_processes(error: PodiumError) -> None:
    assert isinstance(error, PodiumError)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize(
    ("kind", "also"), [(DataError, ValueError), (FileError, DataError), (UnknownName, ValueError), (MissingDependency, ImportError)]
)
def test_errors_are_also_what_python_programs_expect(kind: type, also: type) -> None:
    assert issubclass(kind, also)


def test_all_errors_are_offered_by_the_package_itself() -> None:
    for name in errors.__all__:
        assert getattr(podium, name) is getattr(errors, name)
        assert name in podium.__all__


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FileError("a.txt", 3, "must be x", got="y"), "a.txt:3: must be x, got 'y'"),
        (FileError("a.txt", 3, "must be x", got=""), "a.txt:3: must be x, got ''"),
        (FileError("a.txt", 3, "must be x"), "a.txt:3: must be x"),
        (FileError("a.txt", None, "must be x", got="y"), "a.txt: must be x, got 'y'"),
        (FileError("a.txt", None, "must be x"), "a.txt: must be x"),
        (UnknownName("loss", "hinge", ["listmle", "pairwise_hinge"]), "unknown loss 'hinge'; choose from listmle, pairwise_hinge"),
        (
            UnknownName("loss", "lismle", ["listnet", "listmle"]),
            "unknown loss 'lismle'; did you mean 'listmle'? choose from listmle, listnet",
        ),
        (
            MissingDependency("polars", "polars", "make a table"),
            "polars is needed to make a table; install it with: pip install 'podium[polars]'",
        ),
    ],
)
def test_a_message_says_what_where_and_what_to_do(error: PodiumError, text: str) -> None:
    assert str(error) == text


def test_a_file_error_carries_its_place(tmp_path: object) -> None:
    error = FileError(tmp_path, 3, "must be x", got="y")
    assert (error.path, error.line, error.problem, error.field) == (str(tmp_path), 3, "must be x", "y")


def test_an_unknown_name_carries_the_known_ones_in_order() -> None:
    error = UnknownName("loss", "x", {"b": 1, "a": 2})
    assert (error.kind, error.name, error.known) == ("loss", "x", ["a", "b"])
