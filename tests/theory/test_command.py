"""``podium theory``: tables, JSON, the page, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from tests.theory.wrong import bench_with, top_k_listmle

import podium.theory
from podium.cli.theory import theory
from podium.errors import DataError, FileError, UnknownName
from podium.reports.theory_text import BEGIN, END, _loss_table
from podium.theory import Bench, check_all


def run(*arguments: str) -> int:
    """The exit code, by the command alone: it need not stand in the program yet."""
    code: Any = theory.main(list(arguments), prog_name="theory", standalone_mode=False)
    return int(code)


def test_a_claim_that_is_known_to_fail_is_no_surprise(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--only", "000-theorem-2-2", "--only", "000-corrected", "--trials", "100") == 0
    said = capsys.readouterr()
    assert "fails, as known" in said.out
    assert "000-theorem-2-2: n = 3, k = 1, scores (0, 0.25, 0.25): 6 > 5.505" in said.out
    assert said.err == ""


def test_the_same_seed_prints_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for seed in ("1", "1", "2"):
        run("--only", "000-theorem-2-2", "--seed", seed, "--trials", "3000", "--json")
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2]
    assert json.loads(printed[0])["statements"][0]["verdict"] == "fails, as known"
    assert json.loads(printed[0])["statements"][0]["trials"] > 3000


def test_a_wrong_loss_gives_exit_code_1_and_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = bench_with("top-k-listmle", top_k_listmle, sign=1.0)
    monkeypatch.setattr(podium.theory, "Bench", lambda _seed, _trials: wrong)
    assert run("--only", "000-corrected", "--trials", "100") == 1
    said = capsys.readouterr()
    assert "podium: not as it is known: 000-corrected" in said.err
    assert "fails, though it is known to hold" in said.out


def test_tables_are_written_between_the_marks_of_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(podium.theory, "check_all", lambda bench, _only, progress: check_all(bench, ["003-gg"], progress))
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nbygone\n{END}\nafter\n")
    run("--trials", "100", "--write", str(page))
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "| `003-gg` | 003, Eq. 5 |" in text
    assert "bygone" not in text
    before = text
    run("--trials", "100", "--write", str(page))
    assert page.read_text() == before


def test_a_part_of_the_tables_cannot_be_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\nkept\n{END}\n")
    with pytest.raises(click.UsageError, match="--write writes all tables of the page anew"):
        run("--only", "003-gg", "--trials", "100", "--write", str(page))
    assert "kept" in page.read_text()


def test_mistakes_are_told_before_any_work(tmp_path: Path) -> None:
    bare = tmp_path / "bare.md"
    bare.write_text(f"{END}\nthe marks stand the wrong way round\n{BEGIN}\n")
    with pytest.raises(DataError, match=r"bare\.md has no place for the tables"):
        run("--write", str(bare))
    with pytest.raises(FileError, match="there is no such page"):
        run("--write", str(tmp_path / "none.md"))
    with pytest.raises(UnknownName, match="did you mean '000-theorem-1'"):
        run("--only", "000-theorem-11")
    with pytest.raises(click.UsageError):
        run("--trials", "1")


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    check_all(Bench(trials=100), ["000-theorem-1", "003-gg"], lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_words_of_a_loss_stand_by_the_length_of_the_list_and_counterexamples_below() -> None:
    words = [f"{n}{k}" for n in (2, 3, 4, 5) for k in range(1, n + 1)]
    table, _, told = _loss_table([["hom-og", "top-k", *words, "k = 3, …"]])
    assert table.splitlines()[-1] == "| `hom-og` | top-k | 21 22 | 31 32 33 | 41 42 43 44 | 51 52 53 54 55 |"
    assert told == "- `hom-og`, top-k labels: k = 3, …"
