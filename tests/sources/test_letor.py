"""What the LETOR reader makes of good files."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given
from tests.sources.letor_strategies import assert_agrees, cut_small, decimal_texts, float32, midpoint_texts, plain_letor

from podium import FileError, read_letor


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("letor")


def read(folder: Path, text: str | bytes, **options: object):  # type: ignore[no-untyped-def]
    path = folder / "data.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_letor(path, **options)


# ---- numbers ----


def check_numbers(folder: Path, texts: list[str]) -> None:
    """Each text as a label and, if it fits into a float32, as the second of three features."""
    fits = [text if np.isfinite(float32(text)) else "7" for text in texts]
    data = read(folder, "".join(f"{text} qid:1 1:1 2:{fit} 3:{fit}\n" for text, fit in zip(texts, fits, strict=True)))
    assert data.labels.tobytes() == np.array([float(text) for text in texts]).tobytes()
    expected = np.array([float32(text) for text in fits])
    for column in (1, 2):
        wrong = data.features[:, column].view(np.uint32) != expected.view(np.uint32)
        assert not wrong.any(), [text for text, is_wrong in zip(fits, wrong, strict=True) if is_wrong][:5]


@given(texts=st.lists(st.one_of(decimal_texts(), midpoint_texts()), min_size=1, max_size=30))
@example(
    texts=["+1", ".5", "5.", "-.5e-3", "1E5", "1e+05", "-0", "0e999", "00012", "0.30000001192092896", "9007199254740993", "1e22", "1e23"]
)
@example(
    texts=["3.4028235677973362e38", "3.4028234e38", "1e-45", "7.006492321624085e-46", "7.006492321624086e-46", "1e-400", "1.17549435e-38"]
)
@example(texts=["12345678901234567890123456789", "0." + "0" * 60 + "1", "1" + "0" * 38, "16777217", "16777217.00000000000000001", "1e-300"])
def test_a_number_is_the_nearest_double_and_then_the_nearest_float32(folder: Path, texts: list[str]) -> None:
    check_numbers(folder, texts)


def test_a_hundred_thousand_numbers_of_every_length_are_exact(folder: Path) -> None:
    random = np.random.default_rng(1)
    values = random.standard_normal(100_000) * 10.0 ** random.integers(-12, 12, 100_000)
    styles = [f"{{:.{digits}{kind}}}" for digits in range(21) for kind in "fge"]
    check_numbers(folder, [styles[i % len(styles)].format(value) for i, value in enumerate(values.tolist())])


def test_tens_of_thousands_of_numbers_where_rounding_turns_are_exact(folder: Path) -> None:
    ends = np.array([1e-30, 1e30], np.float32).view(np.uint32)
    low = np.random.default_rng(2).integers(*ends, 20_000, dtype=np.uint32).view(np.float32)
    middle = (low.astype(np.float64) + np.nextafter(low, np.float32(np.inf))) / 2
    check_numbers(folder, [f"{Decimal(value):e}" for value in middle.tolist()])
    check_numbers(folder, [f"{value:.18e}" for value in middle.tolist()])
    for beside in (-np.inf, np.inf):
        check_numbers(folder, [repr(value) for value in np.nextafter(middle, beside).tolist()])


LONG = {
    "point": "1." + "0" * 400 + "e5",
    "whole": "1" + "0" * 450 + "e-450",
    "exponent": "1" + "0" * 397 + "e-450",
    "hundreds": "1" + "0" * 320 + "e-320",
    "fraction": "0." + "0" * 420 + "1e420",
    "zeros": "0" * 500 + "1",
    "a hundred thousand": "1" + "0" * 100_010 + "e-100010",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_number_of_hundreds_of_digits_is_still_exact(folder: Path, text: str) -> None:
    check_numbers(folder, [text])


def test_hundreds_of_numbers_that_are_hard_to_round_fit_into_one_piece(folder: Path) -> None:
    text = "".join(f"0.1000000000000000055511151231257827{n} qid:1 1:16777217.{'0' * 20}{n} 2:16777219\n" for n in range(1000))
    assert_agrees(read(folder, text), plain_letor(text.encode()))


# ---- features ----


def test_a_feature_left_out_is_0_and_null_is_missing(folder: Path) -> None:
    data = read(folder, "1 qid:1 2:NULL 4:5\n0 qid:1\n2 qid:1 1:3 2:4\n")
    np.testing.assert_array_equal(data.features, [[0, np.nan, 0, 5], [0, 0, 0, 0], [3, 4, 0, 0]])


def test_a_file_without_any_feature_is_a_table_without_columns(folder: Path) -> None:
    assert read(folder, "1 qid:1\n0 qid:2 # a\n").features.shape == (2, 0)


def test_the_table_grows_with_the_largest_feature_number(folder: Path) -> None:
    text = "".join(f"{n % 3} qid:{n // 7} {n}:{n}.5\n" for n in range(1, 200))
    expected = np.zeros((199, 199), np.float32)
    np.fill_diagonal(expected, np.arange(1, 200) + 0.5)
    for block in (64, 1000, 8 << 20):
        with cut_small(block):
            np.testing.assert_array_equal(read(folder, text).features, expected)


def test_rows_without_features_have_zeros_when_a_later_file_has_features(folder: Path) -> None:
    first, second = folder / "first.txt", folder / "second.txt"
    first.write_text("1 qid:1\n" * 3)
    second.write_text("1 qid:1 2:5\n")
    for _ in range(20):
        for size in (1, 2, 3, 4, 8):
            _ = [np.full(size, 7, np.float32) for _ in range(8)]  # leaves sevens where fresh memory comes from
        assert read_letor(first, second).features.tolist() == [[0, 0], [0, 0], [0, 0], [0, 5]]


def test_the_largest_feature_number_can_be_raised(folder: Path) -> None:
    assert read(folder, "1 qid:1 16384:1\n").n_features == 16_384
    assert read(folder, "1 qid:1 20000:1\n", max_features=20_000).n_features == 20_000
    with pytest.raises(FileError, match=r"at most 3 .*max_features="):
        read(folder, "1 qid:1 4:1\n", max_features=3)


def test_a_table_of_a_million_features_is_read_in_the_plain_way(folder: Path) -> None:
    data = read(folder, "1 qid:1 999999:2 1000000:3 1000001:4\n", max_features=1_000_001)
    assert data.features[0, -3:].tolist() == [2, 3, 4]
    assert np.count_nonzero(data.features) == 3


# ---- queries ----


def test_rows_of_a_query_are_brought_together_in_order_of_first_appearance(folder: Path) -> None:
    data = read(folder, "1 qid:b 1:1\n2 qid:a 1:2\n3 qid:b 1:3\n4 qid:c 1:4\n5 qid:a 1:5\n")
    assert data.query_ids.tolist() == ["b", "a", "c"]
    assert data.offsets.tolist() == [0, 2, 4, 5]
    assert data.labels.tolist() == [1, 3, 2, 5, 4]
    assert data.features[:, 0].tolist() == [1, 3, 2, 5, 4]
    assert data.in_input_order(data.labels).tolist() == [1, 2, 3, 4, 5]


def test_a_query_id_is_text_so_01_is_not_1(folder: Path) -> None:
    assert read(folder, "1 qid:1 1:1\n1 qid:01 1:1\n1 qid:Zürich:7 1:1\n").query_ids.tolist() == ["1", "01", "Zürich:7"]


# ---- comments ----


@pytest.mark.parametrize(
    ("comment", "document", "note"),
    [
        ("#docid = GX1 inc = 1 prob = 0.08", "GX1", "inc = 1 prob = 0.08"),
        ("# docid=GX1\tinc = 1 \t", "GX1", "inc = 1"),
        ("# 1A", "1A", ""),
        ("#1A the rest # of it", "1A", "the rest # of it"),
        ("#docid", "docid", ""),
        ("#docids = 3", "docids", "= 3"),
        ("#docid = ", "", ""),
        ("#", "", ""),
        ("", "", ""),
        ("#Zürich 北京", "Zürich", "北京"),
    ],
)
def test_a_comment_is_a_document_id_and_a_note(folder: Path, comment: str, document: str, note: str) -> None:
    for end in ("\n", "\r\n"):
        for before in ("1 qid:1 1:1 ", "1 qid:1 1:1", "1 qid:1"):
            data = read(folder, f"{before}{comment}{end}2 qid:1 1:1 #docid = other x = y{end}")
            assert data.document_ids.tolist() == [document, "other"]
            assert data.notes is not None
            assert data.notes.tolist() == [note, "x = y"]


def test_notes_are_taken_apart_as_attributes(folder: Path) -> None:
    data = read(folder, "1 qid:1 1:1 #docid = A inc = 1 prob = 0.08\n0 qid:1 1:2 #docid = B prob=0.5\n0 qid:1 1:2\n")
    assert data.attributes() == {"inc": ["1", "", ""], "prob": ["0.08", "0.5", ""]}


def test_without_comments_document_ids_are_places_within_the_query(folder: Path) -> None:
    data = read(folder, "1 qid:1 1:1\n1 qid:2 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n# only a comment line, not a row's\n")
    assert data.given_ids is None
    assert data.notes is None
    assert data.document_ids.tolist() == ["1", "2", "1", "2"]


def test_ids_without_any_note_have_no_notes(folder: Path) -> None:
    data = read(folder, "1 qid:1 1:1 #a\n1 qid:1 1:1\n")
    assert data.document_ids.tolist() == ["a", ""]
    assert data.notes is None


# ---- lines ----

ROWS = ["2 qid:1 1:0.5 2:1 #docid = a n = 1", "0 qid:1 2:0.25 #docid = b n = 2", "1 qid:2 1:3 #docid = c n = 3"]


@pytest.mark.parametrize(
    "text",
    [
        "{}\r\n{}\r\n{}\r\n",
        "{}\n{}\r\n{}\n",
        "{}\n{}\n{}",
        "{}\r\n{}\r\n{}\r",
        "\n\n{}\n\r\n \t\n{}\n# said in passing\n  #\n{}\n\n",
        "#\xff not UTF-8, not a row\n{}\n{}\n{}\n",
        " \t{} \n\t{}\t\n{}  \n",
    ],
    ids=["crlf", "mixed", "no last newline", "last line ends in a return", "empty lines", "odd comment", "blanks around"],
)
def test_line_ends_empty_lines_and_comment_lines_change_nothing(folder: Path, text: str) -> None:
    expected = read(folder, "\n".join(ROWS))
    assert read(folder, text.format(*ROWS).encode("latin-1")).equals(expected)


def test_fields_may_be_parted_by_several_blanks_and_tabs(folder: Path) -> None:
    expected = read(folder, "\n".join(ROWS))
    for blanks in ("\t", "  ", " \t \t "):
        assert read(folder, "\n".join(row.replace(" ", blanks, 3).replace(f"{blanks}#", f"{blanks}{blanks}#") for row in ROWS)).equals(
            expected
        )


def test_several_files_are_one_dataset(folder: Path) -> None:
    paths = [folder / f"part{n}.txt" for n in range(3)]
    for path, text in zip(paths, ["1 qid:a 1:1 # x\n2 qid:b 1:2", "3 qid:b 2:3\n", "\n4 qid:a 3:4 # y z\n"], strict=True):
        path.write_text(text)
    data = read_letor(*paths)
    assert data.query_ids.tolist() == ["a", "b"]
    assert data.labels.tolist() == [1, 4, 2, 3]
    assert data.features.tolist() == [[1, 0, 0], [0, 0, 4], [2, 0, 0], [0, 3, 0]]
    assert data.document_ids.tolist() == ["x", "y", "", ""]
    assert data.notes is not None
    assert data.notes.tolist() == ["", "z", "", ""]
    assert data.in_input_order(data.labels).tolist() == [1, 2, 3, 4]


def test_progress_counts_all_files_as_one_whole(folder: Path) -> None:
    paths = [folder / "one.txt", folder / "two.txt"]
    for path, lines in zip(paths, (50, 30), strict=True):
        path.write_text("1 qid:1 1:1\n" * lines)
    calls: list[tuple[int, int]] = []
    with cut_small(64):
        read_letor(*paths, progress=lambda done, total: calls.append((done, total)))
    assert {total for _, total in calls} == {80 * 12}
    assert calls == sorted(calls)
    assert calls[-1] == (80 * 12, 80 * 12)
    assert len({done for done, _ in calls}) > 10
