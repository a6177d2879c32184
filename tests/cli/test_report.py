"""``podium report``, on runs as experiments write them."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.reports.experiment_runs import curve_run as curve
from tests.reports.experiment_runs import table_run

from podium.cli.report import report
from podium.errors import DataError, FileError, UnknownName
from podium.experiments.files import write_run


def written(folder: Path, name: str, *, is_curve: bool = False) -> Path:
    """A run's folder, by the function that experiments write theirs with."""
    import numpy as np

    run = curve() if is_curve else table_run()
    size = len(run.trials["fold"])
    texts = np.array([""] * size, dtype=object)
    trials = {"run": texts, **run.trials, "iterations": np.ones(size, int), "judgments": np.full(size, -1), "key": texts}
    costs = {name: trials[name] for name in ("fold", "point", "seed", "setting", "key")} | run.costs
    facts = {key: value for key, value in run.facts.items() if key != "format"}
    facts["config"] = {**facts["config"], "name": name}
    write_run(folder / name, facts=facts, rows=run.rows, trials=trials, costs=costs)
    return folder / name


def said(*arguments: object) -> str:
    done = CliRunner().invoke(report, [str(argument) for argument in arguments], catch_exceptions=False, standalone_mode=False)
    assert done.exception is None
    return done.output


def test_a_report_of_a_run_is_a_page_beside_it(tmp_path: Path) -> None:
    run = written(tmp_path, "one")
    assert said(run) == f"written: {run / 'report.html'}\n"
    text = (run / "report.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "rows.parquet" in text  # of SHA256SUMS
    assert said(run, "--out", tmp_path / "again.html") == f"written: {tmp_path / 'again.html'}\n"
    assert (tmp_path / "again.html").read_text() == text


def test_a_run_may_be_named_by_its_file(tmp_path: Path) -> None:
    run = written(tmp_path, "one")
    assert said(run / "run.json") == f"written: {run / 'report.html'}\n"
    assert said(run / "run.json", "--format", "csv") == said(run, "--format", "csv")
    with pytest.raises(FileError, match="is not a finished run"):
        said(tmp_path / "none" / "run.json")


def test_the_form_is_that_of_the_ending_or_the_one_asked_for(tmp_path: Path) -> None:
    run = written(tmp_path, "one")
    said(run, "--out", tmp_path / "t.tex")
    assert r"\toprule" in (tmp_path / "t.tex").read_text()
    assert said(run, "--format", "csv").startswith("run,part,ranker,")
    assert said(run, "--format", "md", "--baseline", "Rank_Net <x>").count("Change against Rank\\_Net") == 1


def test_documentation_comes_with_its_pictures_and_those_of_the_page_before_go(tmp_path: Path) -> None:
    runs = [written(tmp_path, "one"), written(tmp_path, "two", is_curve=True)]
    images = tmp_path / "images" / "reproduction"
    said(runs[0], written(tmp_path, "old", is_curve=True), "--format", "docs", "--out", tmp_path / "page.md")
    assert [path.name for path in images.iterdir()] == ["old-ndcg-10.svg"]
    for name in ("drawn by hand.svg", "old.svg"):
        (images / name).write_text("")
    said(*runs, "--format", "docs", "--out", tmp_path / "page.md")
    assert sorted(path.name for path in images.iterdir()) == ["drawn by hand.svg", "old.svg", "two-ndcg-10.svg"]
    first = (tmp_path / "page.md").read_bytes(), (images / "two-ndcg-10.svg").read_bytes()
    said(*runs, "--format", "docs", "--out", tmp_path / "page.md")
    assert first == ((tmp_path / "page.md").read_bytes(), (images / "two-ndcg-10.svg").read_bytes())


def test_a_link_stays_and_a_pipe_gets_the_report(tmp_path: Path) -> None:
    run = written(tmp_path, "one")
    (tmp_path / "link.csv").symlink_to("target.csv")
    said(run, "--out", tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    text = (tmp_path / "target.csv").read_text()
    assert text == said(run, "--format", "csv")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    said(run, "--format", "csv", "--out", tmp_path / "pipe")
    assert os.read(reader, 1 << 20).decode() == text
    assert (tmp_path / "pipe").is_fifo()
    os.close(reader)
    (tmp_path / "nowhere.csv").symlink_to(tmp_path / "gone" / "t.csv")
    with pytest.raises(FileError, match=f"nowhere.csv: there is no folder {tmp_path / 'gone'}; make it first"):
        said(run, "--out", tmp_path / "nowhere.csv")


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    run = written(tmp_path, "one")
    with pytest.raises(FileError, match="is not a finished run"):
        said(tmp_path / "none")
    with pytest.raises(UnknownName, match="unknown ranker 'BM25'"):
        said(run, "--baseline", "BM25")
    with pytest.raises(DataError, match="two runs are called 'one'"):
        said(run, run)
    with pytest.raises(click.UsageError, match="give --out"):
        said(run, "--format", "docs")
    with pytest.raises(FileError, match="is a folder; give a file"):
        said(run, "--out", tmp_path)


def test_help_has_an_example() -> None:
    assert "Examples: podium report runs/" in said("--help")
