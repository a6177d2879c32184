"""``podium experiment`` as a user types it."""

from __future__ import annotations

import importlib
import io
import itertools
import os
import re
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import fails, run
from tests.reports.experiment_runs import CURVE, made

from podium.experiments import running
from podium.experiments.files import read_run
from podium.measures import mean
from podium.reports.experiments.findings import findings

command = importlib.import_module("podium.cli.experiment")  # the package has the command itself under this name

TEXT = """
title = "Small"
about = "For tests."
measures = ["ndcg@5", "top-k-loss@3"]
choose = "ndcg@5"
baseline = "ListMLE"
[data.synthetic]
queries = 9
documents = 12
features = 3
folds = 3
[[rankers]]
name = "ListMLE"
algorithm = "listmle"
settings = { max_iter = 10 }
grid = { l2 = [0.0, 1.0] }
[[rankers]]
name = "RankNet"
algorithm = "ranknet"
settings = { max_iter = 2 }
grid = ""
"""
TRIALS = 3 * (2 + 1)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a config; trials run in this process."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(TEXT)
    return tmp_path


def mean_over_folds(folder: Path, name: str, measure: str, point: str = "") -> float:
    rows = read_run(folder).rows
    folds = [
        rows["value"][(rows["algorithm"] == name) & (rows["measure"] == measure) & (rows["fold"] == fold) & (rows["point"] == point)]
        for fold in ("Fold1", "Fold2", "Fold3")
    ]
    return sum(map(mean, folds)) / 3


def test_it_prints_means_marks_the_best_and_says_where_the_files_are(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    code, out, err = run(capsys, "experiment", "small.toml", "--jobs", 1)
    assert code == 0
    assert err.startswith(f"podium: small: {TRIALS} trials, ")
    assert err.count("\n") == 1  # in a pipe, nothing but this
    lines = [line.split() for line in out.splitlines()]
    assert lines[:3] == [["Small"], [], ["ranker", "ndcg@5", "top-k-loss@3"]]
    table = {line[0]: line[1:] for line in lines[4:6]}
    means = {
        name: [mean_over_folds(place / "runs" / "small", name, measure) for measure in ("ndcg@5", "top-k-loss@3")]
        for name in ("ListMLE", "RankNet")
    }
    best = (max(values[0] for values in means.values()), min(values[1] for values in means.values()))  # less of a loss is better
    for name, values in means.items():
        assert table[name] == [f"{value:.4f}{'*' if value == top else ''}" for value, top in zip(values, best, strict=True)]
    assert "means over 3 folds; settings chosen by ndcg@5 on validation queries; * the best of its column\nwritten: " in out
    assert out.splitlines()[-1] == "written: runs/small; make a page of it with: podium report runs/small"
    assert read_run(place / "runs" / "small").facts["config_text"] == TEXT


def test_a_curve_is_shown_by_its_points(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    (place / "curve.toml").write_text(TEXT + '[curve]\nover = "k"\npoints = [1, "full"]\n')
    _, out, _ = run(capsys, "experiment", "curve.toml", "--jobs", 1)
    lines = [line.split() for line in out.splitlines()]
    assert lines[2] == ["ranker", "1", "full"]
    expected = [f"{mean_over_folds(place / 'runs' / 'curve', 'RankNet', 'ndcg@5', point):.4f}" for point in ("1", "full")]
    assert [cell.rstrip("*") for cell in lines[5][1:]] == expected
    assert "ndcg@5 over k; means over 3 folds" in out


def test_a_curve_is_shown_by_the_measure_that_the_report_shows_first() -> None:
    text = CURVE.replace('measures = ["ndcg@10"]', 'measures = ["map", "wkt"]').replace('choose = "ndcg@10"', 'choose = "wkt"')
    means = {"map": (0.1, 0.2), "wkt": (0.3, 0.4)}
    cells = {
        (arm, at, measure): ([mean + more] * 2,)
        for measure, own in means.items()
        for at, mean in zip(("1", "full"), own, strict=True)
        for arm, more in (("RankNet", 0.05), ("ListMLE", 0.0))
    }
    found = made(text, cells)
    lines = command.summary(found).splitlines()
    assert [line.split() for line in lines[2:6] if not line.startswith("-")] == [
        ["ranker", "1", "full"], ["ListMLE", "0.3000*", "0.4000*"], ["RankNet", "0.3500", "0.4500"],
    ]  # fmt: skip
    assert lines[-1].startswith("wkt over k; means over 1 fold and 2 seeds; settings chosen by wkt")
    assert findings(found).main_measure == "wkt"


def test_means_are_those_of_the_report_also_where_a_seed_has_no_value_of_a_query() -> None:
    """Of seeds that a query has: (0.2 + 0.4) / 2 and 0.8, which is 0.55; over queries first it would be (0.2 + 0.6) / 2."""
    found = made(CURVE.split("[curve]")[0], {("ListMLE", "", "ndcg@10"): ([0.2, 0.6],)}, seeds={0: 0.0, 1: 0.2})
    found.rows["value"][1] = float("nan")
    assert findings(found).entries["ListMLE", "ndcg@10"].mean == pytest.approx(0.55)
    assert "0.5500*" in command.summary(found)


def test_a_second_run_says_what_was_kept(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    _, first, _ = run(capsys, "experiment", "small.toml", "--jobs", 1)
    _, second, err = run(capsys, "experiment", "small.toml", "--jobs", 1)
    assert second == first
    assert f"{TRIALS} trials, {TRIALS} of them kept from before" in err


def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(
    capsys: pytest.CaptureFixture[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, begun = running.train, 0

    def interrupted(*arguments: Any) -> Any:
        nonlocal begun
        begun += 1
        if begun == 5:
            raise KeyboardInterrupt
        return train(*arguments)

    monkeypatch.setattr(running, "train", interrupted)
    code, out, err = run(capsys, "experiment", "small.toml", "--jobs", 1)
    assert (code, out) == (130, "")
    assert err == f"podium: small interrupted; 4 of {TRIALS} trials are kept in runs/cache; give the same command to go on\n"
    assert list((place / "runs" / "small").iterdir()) == []
    code, _, err = run(capsys, "experiment", "small.toml", "--jobs", 1)
    assert code == 0
    assert f"{TRIALS} trials, 4 of them kept from before" in err


def test_sigterm_ends_as_ctrl_c_does_and_its_handler_is_put_back(
    capsys: pytest.CaptureFixture[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, begun = running.train, 0

    def ended(*arguments: Any) -> Any:
        nonlocal begun
        begun += 1
        if begun == 5:
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL, "it would end the tests"
            os.kill(os.getpid(), signal.SIGTERM)
        return train(*arguments)

    monkeypatch.setattr(running, "train", ended)
    code, out, err = run(capsys, "experiment", "small.toml", "--jobs", 1)
    assert (code, out) == (143, "")
    assert err == f"podium: small interrupted; 4 of {TRIALS} trials are kept in runs/cache; give the same command to go on\n"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_handler_of_sigterm_that_is_there_is_left_alone(
    capsys: pytest.CaptureFixture[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    train = running.train
    monkeypatch.setattr(running, "train", lambda *arguments: seen.append(signal.getsignal(signal.SIGTERM)) or train(*arguments))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert run(capsys, "experiment", "small.toml", "--jobs", 1)[0] == 0
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    assert seen == [signal.SIG_IGN] * TRIALS


def test_it_runs_in_a_thread_too_where_no_handler_can_be_set(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(run(capsys, "experiment", "small.toml", "--jobs", 1)[0]))
    thread.start()
    thread.join()
    assert codes == [0]


def test_one_fold_one_trial_and_equal_settings_are_told_as_they_are(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    parts = {"train": "1 qid:1 1:1\n0 qid:1 1:0\n", "vali": "0 qid:2 1:1\n0 qid:2 1:0\n", "test": "1 qid:3 1:1\n0 qid:3 1:0\n"}
    (place / "SET" / "Fold1").mkdir(parents=True)
    for name, text in parts.items():  # no validation document is relevant: every setting has an NDCG of 0
        (place / "SET" / "Fold1" / f"{name}.txt").write_text(text)
    text = TEXT.replace("[data.synthetic]\nqueries = 9\ndocuments = 12\nfeatures = 3\nfolds = 3", '[data]\nfolder = "SET"')
    (place / "own.toml").write_text(text)
    _, out, _ = run(capsys, "experiment", "own.toml", "--data", place, "--jobs", 1)
    assert "\nmeans over 1 fold; settings chosen by ndcg@5" in out
    assert "\nall settings were equal on validation queries, and the first was taken: ListMLE (always)\nwritten: " in out
    (place / "single.toml").write_text(
        text[: text.index('[[rankers]]\nname = "RankNet"')].replace("grid = { l2 = [0.0, 1.0] }", 'grid = ""')
    )
    _, out, err = run(capsys, "experiment", "single.toml", "--data", place, "--jobs", 1)
    assert err.startswith("podium: single: 1 trial, ")
    assert "all settings" not in out


def test_missing_collections_are_skipped_if_asked_and_said_in_a_line_each(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    text = TEXT.replace("[data.synthetic]\nqueries = 9\ndocuments = 12\nfeatures = 3\nfolds = 3", '[data]\nfolder = "TD2003"')
    (place / "official.toml").write_text(text)
    code, out, err = run(capsys, "experiment", "official.toml", "small.toml", "--data", place, "--skip-missing", "--jobs", 1)
    assert code == 0
    skipped, done = err.splitlines()
    assert skipped == f"podium: official is skipped: it needs TD2003, which is not in {place}"
    assert done.startswith("podium: small: ")
    assert "written: runs/small" in out
    assert "TD2003" in fails(capsys, "experiment", "official.toml", "--data", place, "--jobs", 1)
    assert "--data" in fails(capsys, "experiment", "official.toml", "--jobs", 1)


def test_a_mistake_in_any_config_is_one_line_before_anything_runs(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    (place / "wrong.toml").write_text(TEXT.replace("ranknet", "ranket"))
    assert "wrong.toml: ranker 'RankNet': algorithm: unknown algorithm 'ranket'" in fails(capsys, "experiment", "small.toml", "wrong.toml")
    assert not (place / "runs").exists()
    (place / "sub").mkdir()
    (place / "sub" / "small.toml").write_text(TEXT)
    assert "two configs are named small" in fails(capsys, "experiment", "small.toml", "sub/small.toml")
    assert "nowhere.toml" in fails(capsys, "experiment", "nowhere.toml")
    assert "jobs must be 1 or more" in fails(capsys, "experiment", "small.toml", "--jobs", 0)
    (place / "file").touch()
    assert "is a file; give a folder" in fails(capsys, "experiment", "small.toml", "--out", "file")


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_one_line_tells_how_far_it_is_what_ended_last_and_the_time_left(
    capsys: pytest.CaptureFixture[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(command.sys, "stderr", terminal)
    monkeypatch.setattr(command, "_terminal_width", lambda: 61)
    assert run(capsys, "experiment", "small.toml", "--jobs", 1)[0] == 0
    lines = [line.removesuffix("\x1b[K") for line in terminal.getvalue().split("\r")[1:]]
    assert lines[:2] == ["small: reading", f"small: 0 of {TRIALS} trials"]  # at once, and no guess of the time
    assert [line.split()[1] for line in lines[1:-1]] == [str(done) for done in range(TRIALS + 1)]
    assert f"small: {TRIALS} of {TRIALS} trials, about 0 s left; last: RankNet, Fold3, seed 0"[:59] + "…" == lines[-2]
    assert max(map(len, lines)) == 60  # a line of 61 would move the terminal on
    assert lines[-1].startswith(f"\x1b[Kpodium: small: {TRIALS} trials, ")  # it is wiped away for what came out


def test_in_a_pipe_a_line_a_minute_tells_how_far_it_is(
    capsys: pytest.CaptureFixture[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count(0, 25)  # asked for at the beginning, and after every trial at least once
    monkeypatch.setattr(command.time, "monotonic", lambda: next(seconds))
    code, _, err = run(capsys, "experiment", "small.toml", "--jobs", 1)
    assert code == 0
    *told, last = err.splitlines()
    assert 1 <= len(told) <= TRIALS // 2
    assert all(re.fullmatch(rf"podium: small: \d of {TRIALS} trials, about \d+ s left; last: .*Fold\d, seed 0.*", line) for line in told)
    assert last.startswith(f"podium: small: {TRIALS} trials")


def test_what_is_recorded_is_the_text_that_was_run_though_the_file_was_changed_meanwhile(
    capsys: pytest.CaptureFixture[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = running.train

    def changing(*arguments: Any) -> Any:
        (place / "next.toml").write_text("changed")
        return train(*arguments)

    (place / "next.toml").write_text(TEXT)
    monkeypatch.setattr(running, "train", changing)
    assert run(capsys, "experiment", "small.toml", "next.toml", "--jobs", 1)[0] == 0
    assert read_run(place / "runs" / "next").facts["config_text"] == TEXT


def test_what_is_printed_is_what_was_run_though_another_process_put_its_own_run_there(
    capsys: pytest.CaptureFixture[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run = running.write_run

    def writing(folder: Path, **tables: Any) -> None:
        write_run(folder, **tables)
        (folder / "rows.parquet").write_bytes(b"of another")

    monkeypatch.setattr(running, "write_run", writing)
    code, out, _ = run(capsys, "experiment", "small.toml", "--jobs", 1)
    assert code == 0
    assert out.startswith("Small\n")


def test_a_folder_of_data_that_is_a_collection_or_not_there_is_said(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    text = TEXT.replace("[data.synthetic]\nqueries = 9\ndocuments = 12\nfeatures = 3\nfolds = 3", '[data]\nfolder = "TD2003"')
    (place / "official.toml").write_text(text)
    (place / "TD2003" / "Fold1").mkdir(parents=True)
    assert "that is a collection itself: give the folder above it" in fails(capsys, "experiment", "official.toml", "--data", "TD2003")
    assert "nowhere; there is no such folder" in fails(capsys, "experiment", "official.toml", "--data", "nowhere")
    _, _, err = run(capsys, "experiment", "official.toml", "--data", "TD2003", "--skip-missing")
    assert "it needs TD2003, which is not in TD2003; that is a collection itself: give the folder above it" in err
    _, _, err = run(capsys, "experiment", "official.toml", "--data", "nowhere", "--skip-missing")
    assert "it needs TD2003, which is not in nowhere; there is no such folder" in err


def test_damaged_costs_stop_no_report_that_does_not_show_them_and_others_say_what_to_do(
    capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    run(capsys, "experiment", "small.toml", "--jobs", 1)
    before = run(capsys, "report", "runs/small", "--format", "csv")
    assert before[0] == 0
    (place / "runs" / "small" / "costs.parquet").write_bytes(b"PAR1 and so on")
    assert run(capsys, "report", "runs/small", "--format", "csv") == before
    assert "costs.parquet: is not a Parquet file" in (said := fails(capsys, "report", "runs/small", "--format", "md"))
    assert said.endswith(": run the experiment again\n")
