"""Training and ranking on the command line, as a user types it."""

from __future__ import annotations

import contextlib
import importlib
import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.cli.typed import fails, run

from podium import Dataset, Ranker, algorithms, load, open_dataset, read_run, save_dataset, synthetic, write_letor
from podium.algorithms import ALGORITHMS, SETTINGS
from podium.scorers.models import Model
from podium.training.watching import Step


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """train.txt, vali.txt and test.txt with top-10 truth."""
    place = tmp_path_factory.mktemp("collection")
    for name, part in zip(("train", "vali", "test"), synthetic(24, 30, 5, seed=0).top_k(10).split(0.5, 0.25, 0.25), strict=True):
        write_letor(part, place / f"{name}.txt")
    return place


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("folds")
    parts = synthetic(18, 20, 4, seed=1).top_k(5).split(0.3, 0.3, 0.3)
    for number in range(3):
        (place / f"Fold{number + 1}").mkdir()
        for shift, name in enumerate(("train", "vali", "test")):
            write_letor(parts[(number + shift) % 3], place / f"Fold{number + 1}" / f"{name}.txt")
    return place


def test_train_writes_the_model_that_the_library_trains(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    code, told, err = run(capsys, "train", folder / "train.txt", "-a", "hom-og", "-s", "k=5", "-s", "l2=0.1", "--seed", 3, "--out", out)
    assert (code, err) == (0, "")
    assert "hom-og: 12 queries" in told
    assert f"written: {out}" in told
    Ranker("hom-og", k=5, l2=0.1, seed=3).fit(open_dataset(folder / "train.txt")).save(tmp_path / "other.json")
    assert out.read_bytes() == (tmp_path / "other.json").read_bytes()


def test_train_can_make_top_k_truth_first(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    data = open_dataset(folder / "train.txt")
    run(capsys, "train", folder / "train.txt", "-a", "listnet", "--top-k", 3, "--seed", 2, "--out", tmp_path / "a.json")
    Ranker("listnet", seed=2).fit(data.top_k(3, seed=2)).save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_grid_keeps_the_best_on_validation(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    out, valid = tmp_path / "model.json", folder / "vali.txt"
    command = ["train", folder / "train.txt", "--validation", valid, "-a", "listmle", "--try", "l2=0,0.1,100", "-m", "map", "--out", out]
    code, told, _ = run(capsys, *command, "--json")
    facts = json.loads(told)
    assert code == 0
    assert [trial["settings"]["l2"] for trial in facts["trials"]] == [0, 0.1, 100]
    best = max(facts["trials"], key=lambda trial: trial["validation"])
    assert facts["settings"]["l2"] == best["settings"]["l2"]
    ranker = load(out).set_params(measure="map")
    assert ranker.score(open_dataset(valid)) == pytest.approx(best["validation"], abs=1e-12)
    table = run(capsys, *command)[1].splitlines()
    assert table[0].split() == ["l2", "map", "iterations", "kept"]
    assert sum(line.endswith("*") for line in table) == 1


def test_a_preset_grid_is_the_algorithms_own(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    command = ["train", folder / "train.txt", "--validation", folder / "vali.txt", "-a", "listnet", "--grid", "--json"]
    trials = json.loads(run(capsys, *command)[1])["trials"]
    assert [trial["settings"]["l2"] for trial in trials] == ALGORITHMS["listnet"].grids["default"]["l2"]


def test_folds_give_a_table_of_means_over_their_test_queries(capsys: pytest.CaptureFixture[str], folds: Path, tmp_path: Path) -> None:
    command = [
        "train",
        folds,
        "-a",
        "listnet",
        "-a",
        "hom-og",
        "-s",
        "k=5",
        "--try",
        "l2=0,1",
        "--test",
        "p@5",
        "--out",
        tmp_path / "models",
    ]
    facts = json.loads(run(capsys, *command, "--json")[1])
    assert list(facts["algorithms"]) == ["listnet", "hom-og"]
    values = []
    for fold, fact in facts["algorithms"]["hom-og"]["folds"].items():
        ranker = load(tmp_path / "models" / f"{fold}-hom-og.json").set_params(measure="p@5")
        assert fact["settings"] == {"k": 5, "l2": ranker.l2}
        values.append(ranker.score(open_dataset(folds / fold / "test.txt")))
        assert fact["test"]["p@5"] == pytest.approx(values[-1])
    assert facts["algorithms"]["hom-og"]["mean"]["p@5"] == pytest.approx(np.mean(values))
    assert run(capsys, *command)[1].splitlines()[0].split() == ["algorithm", "p@5"]


def test_training_goes_on_from_a_model(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    run(capsys, "train", folder / "train.txt", "--out", first)
    told = run(capsys, "train", folder / "train.txt", "--start", first, "--out", second, "--json")[1]
    assert json.loads(told)["training"]["iterations"] == 0


def test_an_interrupt_leaves_the_best_model_so_far_on_disk(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def interrupting(_label: str, _most: int) -> Iterator[Callable[[Step], None]]:
        yield lambda step: signal.raise_signal(signal.SIGINT) if step.iteration == 3 else None

    monkeypatch.setattr(importlib.import_module("podium.cli.train"), "training_bar", interrupting)
    out = tmp_path / "model.json"
    code, told, err = run(capsys, "train", folder / "train.txt", "-s", "tol=0", "--out", out)
    assert code == 130
    assert "interrupted" in err
    assert f"written: {out}" in told
    ranker = load(out)
    assert ranker.model_.training["stopped"] == "interrupt"
    assert ranker.model_.training["chosen_iteration"] == 3
    assert np.abs(ranker.coef_).max() > 0


def test_rank_writes_scores_that_evaluate_reads(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    model, scores, test = tmp_path / "model.json", tmp_path / "scores.txt", folder / "test.txt"
    run(capsys, "train", folder / "train.txt", "--out", model)
    assert run(capsys, "rank", model, test, "--out", scores)[0] == 0
    data = open_dataset(test)
    np.testing.assert_array_equal(data.from_input_order(np.loadtxt(scores)), load(model).predict(data))
    means = json.loads(run(capsys, "evaluate", test, "--scores", scores, "-m", "ndcg@10", "--json")[1])["means"]
    assert means["scores.txt"]["ndcg@10"] == pytest.approx(load(model).score(data))


def test_rank_writes_runs_and_orders(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    model, test = tmp_path / "model.json", folder / "test.txt"
    run(capsys, "train", folder / "train.txt", "--out", model)
    run(capsys, "rank", model, test, "--form", "trec", "--top", 4, "--tag", "mine", "--out", tmp_path / "mine.run")
    found, data = read_run(tmp_path / "mine.run"), open_dataset(test)
    assert found.tag == "mine"
    order = [data.document_ids[int(row)] for row in load(model).rank(data.select_queries(slice(0, 1)))]
    assert list(found.scores[data.query_ids[0]]) == order[:4]
    lines = run(capsys, "rank", model, test, "--form", "order", "--top", 1)[1].splitlines()
    assert lines[0] == "query\trank\tdocument\tscore"
    assert len(lines) == 1 + data.n_queries
    assert lines[1].split("\t")[:3] == [data.query_ids[0], "1", order[0]]


def test_algorithms_lists_every_one_with_what_it_can_be_set_to(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "algorithms")[1]
    for name, algorithm in ALGORITHMS.items():
        assert any(line.startswith(f"{name} ") and algorithm.paper in line for line in out.splitlines())
    details = run(capsys, "algorithms", "focused-net")[1]
    for setting in ALGORITHMS["focused-net"].settings:
        assert SETTINGS[setting].meaning in details
    assert json.loads(run(capsys, "algorithms", "--json")[1])["hom-og"]["settings"]["k"] == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-a", "listmel"], "unknown algorithm 'listmel'; did you mean 'listmle'?"),
        (["-a", "listnet", "-s", "k=3"], "unknown setting of listnet 'k'"),
        (["-s", "l2"], "a setting is written name=value, such as l2=0.01, got 'l2'"),
        (["-s", "l2=much"], "l2 must be a number from 0 on, got 'much'"),
        (["-s", "l2=-1"], "l2 must be a number from 0 on, got '-1'"),
        (["-s", "lambda=1"], "unknown setting 'lambda'"),
        (["--grid"], "a grid is chosen from by --validation"),
        (["--try", "l2=0", "--try", "l2=1", "--validation", "x"], "l2 is tried twice"),
        (["-a", "top-k-rankcosine", "-s", "rest=50"], "rest must be a number from 0 on and below 1"),
        (["--grid", "papers", "--validation", "x"], "unknown grid of top-k-listmle 'papers'; did you mean 'paper'?"),
        (["--try", "l2"], "values to try are written name=v1,v2"),
        (["--grid", "--try", "l2=1"], "give --grid or --try, not both"),
        (["-a", "listnet", "-a", "listmle"], "several algorithms at once can be trained on folds only"),
        (["--start", "nowhere.json"], "nowhere.json: cannot be read"),
        (["-m", "ndgc"], "unknown measure 'ndgc'; did you mean 'ndcg'?"),
        (["-s", "patience=3"], "patience needs validation data"),
        (["-s", "ties=resample"], "which lbfgs cannot follow"),
    ],
)  # fmt: skip
def test_a_wrong_command_says_what_would_be_right(
    capsys: pytest.CaptureFixture[str], folder: Path, arguments: list[str], message: str
) -> None:
    assert message in fails(capsys, "train", folder / "train.txt", *arguments)


def test_a_model_for_other_features_is_refused(capsys: pytest.CaptureFixture[str], folder: Path, folds: Path, tmp_path: Path) -> None:
    run(capsys, "train", folds / "Fold1" / "train.txt", "--out", tmp_path / "model.json")
    assert "the model was trained on 4 features, these rows have 5" in fails(capsys, "rank", tmp_path / "model.json", folder / "test.txt")
    assert "is not a Podium model" in fails(capsys, "rank", folder / "train.txt", folder / "test.txt")


def test_a_letor_file_that_ends_before_the_last_feature_has_zeros_there(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short.txt"
    short.write_text("".join(line.split(" 5:")[0] + "\n" for line in (folder / "test.txt").read_text().splitlines()))
    out = tmp_path / "model.json"
    assert run(capsys, "train", folder / "train.txt", "--validation", short, "--out", out)[0] == 0
    assert run(capsys, "rank", out, short, "--out", tmp_path / "scores.txt")[0] == 0
    data = open_dataset(folder / "test.txt")
    features = data.features.copy()
    features[:, 4] = 0
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "scores.txt"), data.in_input_order(load(out).predict(features)))


def test_features_in_another_order_are_refused(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    data = open_dataset(folder / "train.txt")
    names = [f"c{number}" for number in range(5)]
    straight = Dataset.from_arrays(data.features, data.labels, offsets=data.offsets, feature_names=names)
    save_dataset(straight, tmp_path / "a.parquet")
    save_dataset(straight.select_features([4, 3, 2, 1, 0]), tmp_path / "b.parquet")
    assert run(capsys, "train", tmp_path / "a.parquet", "--out", tmp_path / "m.json")[0] == 0
    said = "feature 1 was 'c0' in training, here it is 'c4'; they are the same in another order"
    assert said in fails(capsys, "rank", tmp_path / "m.json", tmp_path / "b.parquet")
    assert said in fails(capsys, "train", tmp_path / "a.parquet", "--validation", tmp_path / "b.parquet")
    assert load(tmp_path / "m.json").feature_names_in_.tolist() == names


@pytest.mark.parametrize("place", ["missing/model.json", "."])
def test_a_place_that_cannot_be_written_is_refused_before_training(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr("podium.algorithms.fit", lambda *_: pytest.fail("trained"))
    said = fails(capsys, "train", folder / "train.txt", "--out", tmp_path / place)
    assert "there is no folder" in said or "is a folder; give a file" in said


def test_a_file_where_a_folder_should_be_is_refused(capsys: pytest.CaptureFixture[str], folds: Path, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("")
    assert "is a file; give a folder" in fails(capsys, "train", folds, "--out", tmp_path / "models")
    assert "is a file; give a folder" in fails(capsys, "demo", "--out", tmp_path / "models")


def test_nothing_to_learn_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "flat.txt").write_text("1 qid:1 1:0.5\n1 qid:1 1:0.25\n")
    code, _, err = run(capsys, "train", tmp_path / "flat.txt")
    assert code == 0
    assert "no query states a preference" in err


def test_an_interrupted_search_says_so(
    capsys: pytest.CaptureFixture[str], folder: Path, folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = algorithms.fit

    def cut_short(name: str, data: Dataset, settings: dict[str, float], **more: object) -> Model:
        if settings["l2"] == 7:
            raise KeyboardInterrupt
        return train(name, data, settings, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("podium.algorithms.fit", cut_short)
    command = ["train", folder / "train.txt", "--validation", folder / "vali.txt", "--try", "l2=0,7,1", "--out", tmp_path / "m.json"]
    code, told, err = run(capsys, *command)
    assert code == 130
    assert "interrupted" in err
    assert "written" in told
    code, told, err = run(capsys, "train", folds, "-a", "listnet", "-a", "hom-og", "--try", "l2=7,1")
    assert code == 130
