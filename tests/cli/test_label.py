"""``podium label`` and ``podium judgments``, as a user types them: with an oracle, with a model that fails, with a person who is killed."""

from __future__ import annotations

import json
import os
import pty
import random
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.assessors.llm_server import KEY, FaultyServer, mix
from tests.cli.typed import fails, run
from tests.databases import new_place, postgresql
from tests.kills import kills

from podium import read_letor, read_qrels
from podium.assessors import Oracle, label
from podium.sources.pools import read_pools
from podium.sources.preferences import read_preferences
from podium.store import open_store

__all__ = ["new_place", "postgresql"]  # fixtures


def write_pools(path: Path, queries: int, documents: int) -> dict[str, dict[str, float]]:
    """Pools whose documents say what they are worth; the truth."""
    chance, truth = random.Random(0), dict[str, dict[str, float]]()
    with path.open("w") as file:
        for query in range(queries):
            worths = chance.sample(range(10, 10 + documents), documents)
            for place, worth in enumerate(worths):
                record = {"query_id": f"q{query}", "query": "wing flutter", "id": f"d{place}", "text": f"text worth={worth} end"}
                file.write(json.dumps(record) + "\n")
            truth[f"q{query}"] = {f"d{place}": float(worth) for place, worth in enumerate(worths)}
    return truth


def best(worth: dict[str, float], k: int) -> list[str]:
    return sorted(worth, key=worth.__getitem__, reverse=True)[:k]


def by_model(server: FaultyServer) -> list[object]:
    return ["--by", "llm", "--base-url", server.base_url, "--model", "qwen"]


@pytest.fixture
def pools(tmp_path: Path) -> Path:
    truth = write_pools(tmp_path / "pools.jsonl", 3, 20)
    lines = (f"{query} 0 {item} {label:g}\n" for query, labels in truth.items() for item, label in labels.items())
    (tmp_path / "qrels.txt").write_text("".join(lines))
    return tmp_path / "pools.jsonl"


def truth_of(pools: Path) -> dict[str, dict[str, float]]:
    return read_qrels(pools.parent / "qrels.txt").labels


@pytest.mark.parametrize("strategy", ["heap", "tournament", "insertion", "adaptive"])
def test_an_oracle_labels_every_query_and_the_labels_can_be_exported(
    capsys: pytest.CaptureFixture[str], pools: Path, strategy: str
) -> None:
    folder, store = pools.parent, pools.parent / "labels.db"
    asked = ["--by", "oracle", "--truth", folder / "qrels.txt", "--store", store, "-k", 5, "--strategy", strategy]
    code, out, _ = run(capsys, "label", pools, *asked, "--json")
    assert code == 0
    truth = truth_of(pools)
    assert {fact["task"]: fact["top"] for fact in json.loads(out)} == {query: best(worth, 5) for query, worth in truth.items()}
    for kind in ("qrels", "letor", "prefs"):
        assert run(capsys, "judgments", store, "--export", kind, "--out", folder / kind)[0] == 0
    labels = {query: {item: 5.0 - place for place, item in enumerate(best(worth, 5))} for query, worth in truth.items()}
    for query, found in read_qrels(folder / "qrels").labels.items():
        assert found == {item: labels[query].get(item, 0.0) for item in truth[query]}
    data = read_letor(folder / "letor")
    assert dict(zip(data.document_ids.tolist()[:20], data.labels.tolist()[:20], strict=True)) == read_qrels(folder / "qrels").labels["q0"]
    levels = read_preferences(folder / "prefs").levels["q0"]["podium"]["1"]
    assert best(levels, 5) == best(truth["q0"], 5)


def test_the_same_command_again_goes_on_and_changes_nothing_that_is_done(capsys: pytest.CaptureFixture[str], pools: Path) -> None:
    store = pools.parent / "labels.db"
    asked = ["--by", "oracle", "--truth", pools.parent / "qrels.txt", "--store", store, "-k", 5]
    first = run(capsys, "label", pools, *asked, "--query", "q1", "--json")
    again = run(capsys, "label", pools, *asked, "--query", "q1", "--json")
    assert first == again
    code, out, _ = run(capsys, "label", pools, *asked, "--json")
    assert code == 0
    assert [fact["finished"] for fact in json.loads(out)] == [True] * 3
    assert "differs in k" in fails(capsys, "label", pools, *asked[:-1], 7)


def test_a_log_goes_to_another_store_and_says_the_same_there(capsys: pytest.CaptureFixture[str], pools: Path) -> None:
    folder = pools.parent
    run(capsys, "label", pools, "--by", "oracle", "--truth", folder / "qrels.txt", "--store", folder / "a.db", "-k", 3)
    assert run(capsys, "judgments", folder / "a.db", "--export", "jsonl", "--out", folder / "logs")[0] == 0
    logs = [argument for path in sorted((folder / "logs").iterdir()) for argument in ("--import", path)]
    assert len(logs) == 6
    for _ in range(2):
        assert run(capsys, "judgments", folder / "b.db", *logs)[0] == 0
    shown = [run(capsys, "judgments", folder / name, "--json") for name in ("a.db", "b.db")]
    assert shown[0] == shown[1]
    with open_store(folder / "a.db") as one, open_store(folder / "b.db") as other:
        assert [one.events(number) for number in (1, 2, 3)] == [other.events(number) for number in (1, 2, 3)]


def test_judgments_show_cost_certainty_and_agreement(capsys: pytest.CaptureFixture[str], pools: Path) -> None:
    folder = pools.parent
    run(capsys, "label", pools, "--by", "oracle", "--truth", folder / "qrels.txt", "--store", folder / "a.db", "-k", 3, "--noise", 2)
    overview = run(capsys, "judgments", folder / "a.db")[1]
    assert "least possible" in overview
    assert "oracle" in overview
    detail = run(capsys, "judgments", folder / "a.db", "--task", "q1")[1]
    assert "Top: " in detail
    assert "right as a set with probability" in detail
    assert "overall agreement" in run(capsys, "judgments", folder / "a.db", "--agreement")[1]
    assert json.loads(run(capsys, "judgments", folder / "a.db", "--agreement", "--json")[1])["Judgments of pairs"]["overall"]


def test_one_store_is_the_prior_of_another(capsys: pytest.CaptureFixture[str], pools: Path) -> None:
    folder, common = pools.parent, ["--by", "oracle", "--truth", pools.parent / "qrels.txt", "--strategy", "insertion", "-k", 5, "--json"]
    first = json.loads(run(capsys, "label", pools, *common, "--store", folder / "a.db")[1])
    second = json.loads(run(capsys, "label", pools, *common, "--store", folder / "b.db", "--prior", folder / "a.db")[1])
    assert [fact["top"] for fact in first] == [fact["top"] for fact in second]
    assert sum(fact["judgments"] for fact in second) < sum(fact["judgments"] for fact in first)


def test_what_is_wrong_is_one_line(capsys: pytest.CaptureFixture[str], pools: Path) -> None:
    folder = pools.parent
    store = ["--store", folder / "labels.db"]
    truth = ["--by", "oracle", "--truth", folder / "qrels.txt"]
    assert "a person needs a terminal" in fails(capsys, "label", pools, *store)
    assert "an oracle must know something" in fails(capsys, "label", pools, *store, "--by", "oracle")
    assert "needs --base-url and --model" in fails(capsys, "label", pools, *store, "--by", "llm")
    assert "unknown strategy 'quick'" in fails(capsys, "label", pools, *store, *truth, "--strategy", "quick")
    assert "there is no such store; give a file of pools" in fails(capsys, "label", "--store", folder / "empty.db", *truth)
    assert not (folder / "empty.db").exists()
    assert "unknown option of heap 'k'" in fails(capsys, "label", pools, *store, *truth, "--strategy", "heap", "-s", "k=3")
    assert "written name=value" in fails(capsys, "label", pools, *store, *truth, "-s", "stop_after")
    assert "there is no such file or folder; --truth takes" in fails(
        capsys, "label", pools, *store, "--by", "oracle", "--truth", folder / "no"
    )
    assert "heap takes no prior order" in fails(capsys, "label", pools, *store, *truth, "--strategy", "heap", "--prior", folder / "x.db")
    assert "there is no such store to take a prior" in fails(capsys, "label", pools, *store, *truth, "--prior", folder / "x.db")
    (folder / "wrong.txt").write_text("q0 0 nobody 1\n")
    assert "judges none of the 20 documents of query 'q0'" in fails(capsys, "label", pools, *store, *truth[:-1], folder / "wrong.txt")
    run(capsys, "label", pools, *store, *truth)
    assert "-k, --strategy belong to new tasks" in fails(capsys, "label", *store, *truth, "-k", 3, "--strategy", "heap")
    assert "it goes with --by person" in fails(capsys, "label", pools, *store, "--by", "oracle", "--triage")
    assert "there is no such store" in fails(capsys, "judgments", folder / "nowhere.db")
    assert "give both" in fails(capsys, "judgments", folder / "labels.db", "--export", "qrels")
    with open_store(folder / "open.db") as opened:
        opened.add(read_pools(pools)[0])
    assert "there are no labels to write" in fails(capsys, "judgments", folder / "open.db", "--export", "qrels", "--out", folder / "x")
    assert not (folder / "x").exists()


def test_graded_labelling_has_grades_of_ones_own_and_several_tasks_of_a_query_fit_one_store(
    capsys: pytest.CaptureFixture[str], pools: Path
) -> None:
    folder = pools.parent
    (folder / "grades.txt").write_text("".join(f"q0 0 d{place} {place % 3}\n" for place in range(20)))
    asked = ["--by", "oracle", "--truth", folder / "grades.txt", "--store", folder / "a.db", "--query", "q0", "-k", 4]
    grades = ["--strategy", "graded", "--grades", "No, Maybe, Yes", "--name", "graded "]
    code, out, _ = run(capsys, "label", pools, *asked, *grades, "--json")
    assert code == 0
    assert [int(item[1:]) % 3 for item in json.loads(out)[0]["top"]] == [2, 2, 2, 2]
    assert run(capsys, "label", pools, *asked, "--strategy", "active", "-s", "budget=40")[0] == 0
    assert "has 2 tasks (graded q0, q0)" in fails(capsys, "judgments", folder / "a.db", "--export", "qrels", "--out", folder / "q")
    assert run(capsys, "judgments", folder / "a.db", "--task", "graded q0", "--export", "qrels", "--out", folder / "q")[0] == 0
    assert read_qrels(folder / "q").labels["q0"] == {f"d{place}": float(place % 3) for place in range(20)}
    both = json.loads(run(capsys, "judgments", folder / "a.db", "--agreement", "--json")[1])
    assert list(both) == ["Inferred from the grades No, Maybe, Yes", "Judgments of pairs"]


def test_repeats_wait_for_assessors_of_other_names(capsys: pytest.CaptureFixture[str], pools: Path) -> None:
    asked = [
        "--by",
        "oracle",
        "--truth",
        pools.parent / "qrels.txt",
        "--store",
        pools.parent / "a.db",
        "--query",
        "q0",
        "-k",
        3,
        "--repeats",
        2,
    ]
    states = [json.loads(run(capsys, "label", pools, *asked, "--assessor", name, "--json")[1])[0]["finished"] for name in ("ann", "ann")]
    assert states == [False, False]
    for _ in range(20):
        for name in ("bob", "ann"):
            out = run(capsys, "label", pools, *asked, "--assessor", name, "--json")[1]
        if json.loads(out)[0]["finished"]:
            break
    assert json.loads(out)[0]["top"] == best(truth_of(pools)["q0"], 3)
    shown = json.loads(run(capsys, "judgments", pools.parent / "a.db", "--agreement", "--json")[1])
    assert shown["Judgments of pairs"]["overall"]["value"] == 1.0


def test_an_answer_that_cannot_be_read_stops_neither_other_pairs_nor_a_rerun(capsys: pytest.CaptureFixture[str], pools: Path) -> None:
    with FaultyServer(["unsure"] * 3) as server:
        asked = [*by_model(server), "--store", pools.parent / "a.db", "-k", 3, "--concurrency", 1]
        assert "no reply could be read" in fails(capsys, "label", pools, *asked, "--strategy", "tournament")
        with open_store(pools.parent / "a.db") as store:
            assert [task.is_finished for task in store.tasks()] == [False, True, True]
        assert run(capsys, "label", pools, *asked, "--strategy", "tournament")[0] == 0


def test_a_password_is_never_printed(capsys: pytest.CaptureFixture[str], pools: Path, new_place: Callable[[str], str]) -> None:
    place = new_place("postgresql").replace("postgres:@", "postgres:geheim@")
    assert "geheim" in place
    code, out, err = run(capsys, "label", pools, "--by", "oracle", "--truth", pools.parent / "qrels.txt", "--store", place, "-k", 2)
    assert code == 0
    assert "geheim" not in out + err


def test_whoever_stops_gives_the_question_back(capsys: pytest.CaptureFixture[str], pools: Path) -> None:
    store = pools.parent / "labels.db"
    sit(["label", str(pools), "--store", str(store), "-k", "3", "--assessor", "ann", "--strategy", "heap"], [b"a", b"q"])
    code, out, _ = run(capsys, "label", "--store", store, "--by", "oracle", "--truth", pools.parent / "qrels.txt", "--json")
    assert code == 0
    assert all(fact["finished"] for fact in json.loads(out))


FAULTS = ("429", "500", "503", "silence", "garbage", "truncated", "drip", "reset", "unsure", "schema", "401 echo")


@pytest.mark.parametrize("seed", range(4))
def test_a_model_that_fails_ends_with_the_right_top_or_with_an_error_that_can_be_resumed(
    capsys: pytest.CaptureFixture[str], pools: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    folder, budget, errors = pools.parent, 60, []
    with FaultyServer(mix(seed, FAULTS, 0.25)) as server:
        asked = [*by_model(server), "--key-variable", "TEST_KEY", "--timeout", 0.1]
        asked += ["--max-requests", budget, "-k", 5, "--store", folder / "labels.db", "--concurrency", 3, "--query", "q0"]
        for _ in range(30):
            before = server.count
            code, out, err = run(capsys, "label", pools, *asked)
            assert server.count - before <= budget
            assert KEY not in out + err
            if code == 0:
                break
            errors.append(err)
    assert code == 0, errors
    with open_store(folder / "labels.db") as store:
        assert list(store.result(1).top) == best(truth_of(pools)["q0"], 5)
        events = store.events(1)
    assert {(event.role, event.assessor, event.model, event.prompt) for event in events} == {("model", "llm:qwen", "oracle-2026", "pair/1")}
    assert all(event.prompt_hash for event in events)
    assert len({event.question.pair for event in events}) == len(events)
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


def test_a_rerun_costs_nothing(capsys: pytest.CaptureFixture[str], pools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder, counts = pools.parent, []
    for store in ("first.db", "second.db"):
        with FaultyServer() as server:
            asked = [*by_model(server), "--cache", folder / "replies", "--store", folder / store]
            code, out, _ = run(capsys, "label", pools, *asked, "-k", 4, "--strategy", "tournament", "--json")
            assert code == 0
            assert [fact["top"] for fact in json.loads(out)] == [best(worth, 4) for worth in truth_of(pools).values()]
            counts.append(server.count)
    assert counts[0] > 0
    assert counts[1] == 0


def sit(arguments: list[str], keys: list[bytes]) -> str:
    """Run the command at a pseudo-terminal, press a key whenever a new question is shown, and return everything that was seen."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(COLUMNS="100", LINES="30", TERM="xterm")
        os.execv(sys.executable, [sys.executable, "-m", "podium", *arguments])
    seen, end, answered, screen = "", time.monotonic() + 60, 0, "\x1b[H\x1b[2J"
    pending = list(keys)
    try:
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 1.0)[0]:
                continue
            try:
                said = os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
            if not said:
                break
            seen += said
            if pending and seen.count(screen) > answered and "to go" in seen.rpartition(screen)[2]:  # not at a tick of the clock
                answered = seen.count(screen)
                os.write(terminal, pending.pop(0))
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    return seen


def test_a_person_at_a_terminal_sees_two_documents_and_answers_with_one_key(pools: Path) -> None:
    store = pools.parent / "labels.db"
    seen = sit(["label", str(pools), "--store", str(store), "-k", "3", "--assessor", "ann"], [b"a", b"\x1b[C", b"=", b"u", b"s", b"q"])
    assert "wing flutter" in seen
    assert seen.count("worth=") >= 10
    assert "go on with: podium label" in seen
    assert seen.rstrip().endswith(f"podium label --store {store}")
    with open_store(store) as opened:
        events = opened.events(1)
    assert [(event.action, event.answer) for event in events] == [
        ("answer", "left"), ("answer", "right"), ("answer", "tie"), ("undo", None), ("skip", None)
    ]  # fmt: skip
    assert all(event.assessor == "ann" and event.role == "person" and event.at for event in events)
    assert all(event.seconds is not None and event.seconds >= 0 for event in events if event.action == "answer")


def test_a_model_does_the_triage_and_a_person_the_rest(pools: Path) -> None:
    store = pools.parent / "labels.db"
    with FaultyServer() as server:
        model = ["--triage", "--base-url", server.base_url, "--model", "qwen", "--key-variable", "NO_KEY"]
        seen = sit(
            ["label", str(pools), "--store", str(store), "-k", "3", "--assessor", "ann", "--query", "q0", *model], [b"a"] * 4 + [b"q"]
        )
    assert "qwen: " in seen  # what the model cost
    with open_store(store) as opened:
        events = opened.events(1)
    by_stage = {(event.stage, event.role) for event in events}
    assert ("triage", "model") in by_stage
    assert ("triage", "person") not in by_stage
    assert {role for stage, role in by_stage if stage != "triage"} == {"person"}


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_person_killed_many_times_loses_nothing(tmp_path: Path, new_place: Callable[[str], str], database: str) -> None:
    number = kills(200)
    truth = write_pools(tmp_path / "pools.jsonl", number + 40, 40)  # more than the fastest machine can judge meanwhile
    place = new_place(database)
    with open_store(place) as store:
        for pool in read_pools(tmp_path / "pools.jsonl"):
            store.add(pool, k=5)
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.terminals", place, str(number), "1"], capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout)
    assert said["kills"] == number
    assert said["ended"] == 0
    assert said["mid_work"] >= number - -(-number // 5)  # all but each fifth sitting waited for an acknowledgment
    acknowledged = Counter(map(tuple, said["acknowledged"]))
    with open_store(place) as store:
        logs = {task.name: store.events(task.number) for task in store.tasks()}
        recorded = Counter[tuple[str, float, float, str]]()
        for name, events in logs.items():
            assert len({event.question.pair for event in events}) == len(events)  # none twice
            worth = truth[name]
            for event in events:
                assert event.right is not None
                assert event.answer == ("left" if worth[str(event.left)] > worth[event.right] else "right")
                recorded[name, worth[str(event.left)], worth[event.right], "a" if event.answer == "left" else "d"] += 1
        assert acknowledged - recorded == Counter()  # a worth is one document's in its query, so each judgment is looked up
        assert (recorded - acknowledged).total() <= number  # each kill leaves at most one answer unacknowledged
        number = next(task.number for task in store.tasks() if not task.is_finished)
        name = store.info(number).name
        label(store.desk(number), Oracle(truth[name], name="ann"))
        assert list(store.result(number).top) == best(truth[name], 5)
