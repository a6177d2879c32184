"""The loop that puts questions to assessors, and recorded people in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.assessors.llm_server import FaultyServer, pool_of

from podium.assessors import Oracle, Recorded, label, label_by_model
from podium.assessors.llm import LanguageModel
from podium.errors import DataError
from podium.labelling import Event, Question, TopK
from podium.sources.recorded import RecordedPairs, read_image_preferences

ITEMS = [f"d{place}" for place in range(20)]
WORTH = {item: float(place % 7) + place / 100 for place, item in enumerate(ITEMS)}
BEST = sorted(ITEMS, key=WORTH.__getitem__, reverse=True)


def test_an_oracle_labels_a_whole_task_and_every_answer_is_told() -> None:
    task, told = TopK(ITEMS, k=5, strategy="heap"), list[Event]()
    given = label(task, Oracle(WORTH), on_answer=told.append)
    assert given == len(told) == len(task.judgments)
    assert {(event.assessor, event.role) for event in told} == {("oracle", "oracle")}
    assert list(task.result().top) == BEST[:5]


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_noisy_run_that_stops_anywhere_and_goes_on_gives_the_same_log(repeats: int) -> None:
    oracle = Oracle(WORTH, noise=2.0, seed=5, name="")  # nameless: may be asked again
    whole = TopK(ITEMS, k=5, strategy="insertion", repeats=repeats)
    label(whole, oracle)
    for stop in (0, 1, len(whole.log) // 2, len(whole.log) - 1):
        again = TopK(**whole.settings(), log=whole.log[:stop])
        label(again, oracle)
        assert again.log == whole.log


def test_stages_are_shared_between_assessors() -> None:
    task = TopK(ITEMS, k=4, strategy="adaptive")
    model, person = Oracle(WORTH, name="model"), Oracle(WORTH, name="person")
    while not task.is_finished:
        by_model = label(task, model, stages={"triage"})
        by_person = label(task, person, stages={"boundary", "order"})
        assert by_model + by_person > 0
    stages = {name: {event.stage for event in task.judgments if event.assessor == name} for name in ("model", "person")}
    assert stages["model"] == {"triage"}
    assert "triage" not in stages["person"]
    assert list(task.result().top) == BEST[:4]


def test_a_model_is_really_asked_again_where_a_strategy_repeats(tmp_path: Path) -> None:
    pool = pool_of(30, 20, 40)
    for runs in (1, 2):  # the second finds everything in the cache
        with FaultyServer() as server:
            model = LanguageModel(server.base_url, "qwen", key_variable=None, cache=tmp_path / "replies", concurrency=2)
            with model:
                task = TopK(pool.items, 1, strategy="active", budget=9, start="none")
                assert label_by_model(task, model, pool) == 9
            assert server.count == (9 if runs == 1 else 0)
        assert task.result().top == ("d2",)


def recorded() -> RecordedPairs:
    return RecordedPairs("q", ("a", "b", "c"), np.array([[0, 1], [1, 2], [0, 2]]), np.array([[-1, -1, 2], [0, 1, 1], [-2, 0, 1]], np.int8))


def test_recorded_people_say_it_again() -> None:
    asked = [Question("a", "b"), Question("b", "a"), Question("c", "b"), Question("a", "c")]
    assert [Recorded(recorded(), 0).answer(question) for question in asked] == ["left", "right", "tie", "left"]
    assert [Recorded(recorded(), 2).answer(question) for question in asked] == ["right", "left", "left", "right"]
    assert [Recorded(recorded(), "majority").answer(question) for question in asked] == ["left", "right", "left", "tie"]
    assert [Recorded(recorded(), "in turn").answer(Question("a", "c"), repeat=repeat) for repeat in range(4)] == [
        "left",
        "tie",
        "right",
        "left",
    ]


def test_what_was_not_recorded_is_refused() -> None:
    with pytest.raises(DataError, match="only pairs were recorded, and a grade of 'a' is asked"):
        Recorded(recorded()).answer(Question("a"))
    with pytest.raises(DataError, match="'majority', 'in turn' or a number below 3, got 3"):
        Recorded(recorded(), 3)


def test_a_transitive_recording_gives_its_own_order() -> None:
    pairs = np.array([(i, j) for i in range(6) for j in range(i)])
    ids = tuple("fbeacd")
    tags = np.array([[1 if ids[i] > ids[j] else -1] * 3 for i, j in pairs], np.int8)
    task = TopK(ids, k=3, strategy="tournament")
    label(task, Recorded(RecordedPairs("q", ids, pairs, tags)))
    assert task.result().top == ("a", "b", "c")


def test_real_people_can_be_replayed(benchmark_data: Path) -> None:
    queries = read_image_preferences(benchmark_data / "thu_image_search" / "image_pairs_annotation")
    pairs = min(queries, key=lambda query: len(query.items))
    task = TopK(pairs.items, k=5, strategy="adaptive")
    label(task, Recorded(pairs, 0))
    result = task.result()
    for event in result.judgments:
        assert event.right is not None
        assert event.answer == pairs.answer(str(event.left), event.right, 0)
    assert len(result.top) == 5
