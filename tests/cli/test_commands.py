"""The command line, as a user types it."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tests.cli.typed import fails, run

from podium import Results, open_dataset, read_qrels, synthetic, write_letor, write_run
from podium.cli import COMMANDS, main, program
from podium.cli.convert import SCALING_NAMES
from podium.cli.evaluate import _CORRECTIONS
from podium.cli.label import STRATEGY_NAMES
from podium.labelling import STRATEGIES
from podium.results import CORRECTIONS
from podium.scaling import SCALINGS
from podium.sources.trec import qrels_of, run_of, write_qrels


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    path = tmp_path / "collection.txt"
    write_letor(synthetic(12, 30, 5, seed=0).top_k(10), path)
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help_with_an_example(command: object) -> None:
    shown = CliRunner().invoke(program, [command.name, "--help"]).output  # type: ignore[attr-defined]
    assert f"podium {command.name}" in shown.split("Example")[1]  # type: ignore[attr-defined]


def test_lists_written_for_speed_equal_their_tables() -> None:
    assert set(SCALING_NAMES) == set(SCALINGS)
    assert _CORRECTIONS == CORRECTIONS
    assert list(STRATEGY_NAMES) == list(STRATEGIES)


def test_describe_says_what_a_file_holds(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    code, out, err = run(capsys, "describe", collection)
    assert (code, err) == (0, "")  # no bar: standard error is not a terminal
    assert "queries                                 12\n" in out
    assert "top-10" in out


def test_describe_as_json(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    facts = json.loads(run(capsys, "describe", collection, "--json")[1])
    assert (facts["queries"], facts["documents"], facts["features"], facts["known_as"]) == (12, 360, 5, None)


@pytest.mark.parametrize("target", ["out.txt.gz", "out.podium", "out.parquet", "out.letor"])
def test_convert_keeps_everything(capsys: pytest.CaptureFixture[str], collection: Path, target: str) -> None:
    place = collection.with_name(target)
    code, out, _ = run(capsys, "convert", collection, place)
    assert code == 0
    assert f"{place}: 12 queries, 360 documents, 5 features\n" == out
    assert open_dataset(place).equals(open_dataset(collection))


def test_convert_changes_labels_and_features_on_request(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    place = collection.with_name("out.podium")
    assert run(capsys, "convert", collection, place, "--normalise", "zscore", "--top-k", "3", "--seed", "1")[0] == 0
    assert open_dataset(place).equals(open_dataset(collection).normalise("zscore").top_k(3, seed=1))


def test_convert_writes_judgments(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    place = collection.with_name("qrels.txt")
    assert run(capsys, "convert", collection, place, "--to", "qrels")[0] == 0
    assert read_qrels(place) == qrels_of(open_dataset(collection))


def test_several_files_become_one(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    data = open_dataset(collection)
    for name, queries in (("a.txt", slice(0, 5)), ("b.txt", slice(5, 12))):
        write_letor(data.select_queries(queries), collection.with_name(name))
    place = collection.with_name("both.podium")
    assert run(capsys, "convert", collection.with_name("a.txt"), collection.with_name("b.txt"), place)[0] == 0
    assert open_dataset(place).equals(data)


def test_evaluate_compares_score_files_in_the_order_of_the_data(
    capsys: pytest.CaptureFixture[str], collection: Path, tmp_path: Path
) -> None:
    data = open_dataset(collection)
    np.savetxt(tmp_path / "good.txt", data.in_input_order(data.labels))
    np.savetxt(tmp_path / "bad.txt", data.in_input_order(-data.labels))
    arguments = ["--scores", tmp_path / "good.txt", "--scores", tmp_path / "bad.txt", "-m", "k-ndcg@10", "-m", "top-k-loss", "--json"]
    answer = json.loads(run(capsys, "evaluate", collection, *arguments, "--per-query", tmp_path / "all.csv")[1])
    assert answer["means"]["good.txt"] == {"k-ndcg@10": 1.0, "top-k-loss": 0.0}
    assert answer["means"]["bad.txt"] == {"k-ndcg@10": 0.0, "top-k-loss": 1.0}
    assert answer["baseline"] == "good.txt"
    assert [row["losses"] for row in answer["comparisons"]] == [12, 0]
    assert "labels taken as top-k labels" in answer["conventions"]["k-ndcg@10"]
    rows = Results.from_csv((tmp_path / "all.csv").read_text())
    assert rows.values("good.txt", "k-ndcg@10").tolist() == [1.0] * 12


def test_evaluate_ranks_by_features_and_writes_a_page(capsys: pytest.CaptureFixture[str], collection: Path, tmp_path: Path) -> None:
    code, out, err = run(capsys, "evaluate", collection, "--feature", 1, "--feature", 2, "--report", tmp_path / "page.html")
    assert (code, err) == (0, "")
    assert "against feature 1" in out
    assert f"written: {tmp_path / 'page.html'}" in out
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_evaluate_reads_trec_files_and_says_what_is_missing(capsys: pytest.CaptureFixture[str], collection: Path, tmp_path: Path) -> None:
    data = open_dataset(collection)
    write_qrels(qrels_of(data), tmp_path / "qrels")
    write_run(run_of(data.select_queries(slice(0, 11)), data.labels[: 11 * 30]), tmp_path / "run")
    code, out, err = run(capsys, "evaluate", "--qrels", tmp_path / "qrels", "--run", tmp_path / "run", "-m", "map", "--json")
    assert code == 0
    assert json.loads(out)["means"]["run"]["map"] == pytest.approx(11 / 12)
    assert "1 queries have no documents in it" in err


def test_evaluate_lists_every_measure(capsys: pytest.CaptureFixture[str]) -> None:
    from podium.measures import MEASURES

    listed = run(capsys, "evaluate", "--list")[1].splitlines()[2:]
    assert [line.split()[0].split("@")[0].rstrip("[") for line in listed] == list(MEASURES)


def test_demo_ends_with_a_table_and_a_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, "demo", "--queries", 10, "--documents", 20, "--out", tmp_path / "demo")
    assert code == 0
    assert "k-ndcg@10" in out
    assert str(tmp_path / "demo" / "report.html") in out
    assert "What next" in out
    first = (tmp_path / "demo" / "report.html").read_bytes()
    run(capsys, "demo", "--queries", 10, "--documents", 20, "--out", tmp_path / "demo")
    assert (tmp_path / "demo" / "report.html").read_bytes() == first


def test_user_errors_are_one_line(capsys: pytest.CaptureFixture[str], collection: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("1 quid:1 1:0.5\n")
    (tmp_path / "short.txt").write_text("0.5\n")
    (tmp_path / "words.txt").write_text("\n".join(["0.5"] * 359 + ["high"]))
    assert "bad.txt:1: second field must be 'qid:<id>', got 'quid:1'" in fails(capsys, "describe", tmp_path / "bad.txt")
    assert "there is no such file" in fails(capsys, "describe", tmp_path / "nothing.txt")
    assert "must have 360 scores" in fails(capsys, "evaluate", collection, "--scores", tmp_path / "short.txt")
    assert "words.txt:360: a score must be a finite number, got 'high'" in fails(
        capsys, "evaluate", collection, "--scores", tmp_path / "words.txt"
    )
    assert "there is no feature 6" in fails(capsys, "evaluate", collection, "--feature", 6)
    assert "did you mean 'ndcg'" in fails(capsys, "evaluate", collection, "--feature", 1, "-m", "ndgc@5")
    assert "give DATA with --scores" in fails(capsys, "evaluate", collection)
    assert "with --qrels give one --run" in fails(capsys, "evaluate", "--qrels", tmp_path / "short.txt")
    assert "No such command" in fails(capsys, "evaluat")
    assert "unknown ending" in fails(capsys, "convert", collection, tmp_path / "out.docx")
    assert "unknown run 'best'" in fails(capsys, "evaluate", collection, "--feature", 1, "--feature", 2, "--baseline", "best")


class _Full(io.RawIOBase):
    """A file on a disk that takes no more."""

    def __init__(self, behind: int) -> None:
        self._behind = behind

    def writable(self) -> bool:
        return True

    def write(self, _: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def fileno(self) -> int:
        return self._behind


@pytest.mark.parametrize("arguments", [("--version",), *((command.name, "--help") for command in COMMANDS), ("algorithms",)])
def test_a_full_standard_output_is_one_line_and_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    with (tmp_path / "behind").open("wb") as behind:
        output = io.TextIOWrapper(io.BufferedWriter(_Full(behind.fileno())))  # type: ignore[arg-type,type-var]
        monkeypatch.setattr("sys.stdout", output)
        code = main(list(arguments))
        monkeypatch.undo()
    assert (code, capsys.readouterr().err) == (2, "podium: standard output cannot be written: no space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_a_redirection_leaves_no_traceback(unbuffered: str) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-c", "from podium.cli import entry; entry()", "--version"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": unbuffered}, check=False)
    assert (done.returncode, done.stderr) == (2, b"podium: standard output cannot be written: no space left on device\n")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "secret.txt"), "secret.txt: permission denied"),
        (OSError(errno.EIO, "Input/output error"), "reading or writing failed: input/output error"),
    ],
)
def test_what_the_system_refuses_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, collection: Path, error: OSError, said: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("podium.sources.open_dataset", refuse)
    assert fails(capsys, "describe", collection) == f"podium: {said}\n"


def test_an_interrupt_leaves_quietly(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, collection: Path) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("podium.sources.open_dataset", interrupt)
    assert run(capsys, "describe", collection)[0] == 130
