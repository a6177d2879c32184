"""Query-grouped arrays: offsets, spans, threads."""

from __future__ import annotations

import functools
import itertools
import operator
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from podium import DataError
from podium.ragged import check_offsets, in_parallel, kernel, offsets_of, over_queries, set_threads, spans, threads

SIZES = st.lists(st.one_of(st.integers(0, 5), st.integers(0, 1000)), max_size=40)


@pytest.fixture(autouse=True)
def _default_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("PODIUM_THREADS", raising=False)
    yield
    set_threads(None)


# ---- offsets ----


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([1, 5], "offsets must begin at 0, got 1"),
        ([-1, 5], "offsets must begin at 0, got -1"),
        ([0, 4], "offsets must end at the number of rows, 5, got 4"),
        ([0, 6], "offsets must end at the number of rows, 5, got 6"),
        ([0], "offsets must end at the number of rows, 5, got 0"),
        ([0, 3, 2, 5], "offsets must not descend; they do after query 1"),
        ([0, 9, 5], "offsets must not descend; they do after query 1"),
        ([0, 2, 3, 4, 1, 5], "offsets must not descend; they do after query 3"),
        ([], "offsets must be whole numbers, got dtype float64"),
        (np.empty(0, np.int64), r"offsets must be a line of one number more than queries, got shape \(0,\)"),
        ([[0, 5]], r"offsets must be a line of one number more than queries, got shape \(1, 2\)"),
        ([0.0, 5.0], "offsets must be whole numbers, got dtype float64"),
        ([False, True], "offsets must be whole numbers, got dtype bool"),
        (["0", "5"], "offsets must be whole numbers, got dtype <U1"),
    ],
)
def test_offsets_that_do_not_fit_are_refused_with_the_reason(offsets: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_offsets(offsets, 5)  # type: ignore[arg-type]


@given(sizes=SIZES)
def test_offsets_of_sizes_fit_and_give_the_sizes_back(sizes: list[int]) -> None:
    for given_sizes in (sizes, iter(sizes), np.array(sizes, dtype=np.int32)):
        offsets = offsets_of(given_sizes)  # type: ignore[arg-type]
        assert offsets.dtype == np.int64
        assert np.diff(offsets).tolist() == sizes
        assert check_offsets(offsets, sum(sizes)) is offsets


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.uint64, np.int64])
def test_offsets_of_any_whole_type_become_int64(dtype: type) -> None:
    checked = check_offsets(np.array([0, 2, 5], dtype), 5)
    assert checked.dtype == np.int64
    assert checked.tolist() == [0, 2, 5]
    assert check_offsets(np.array([0, 9, 2, 9, 5, 9], dtype)[::2], 5).flags.c_contiguous


# ---- spans ----


@given(sizes=SIZES, number=st.integers(1, 9), grain=st.sampled_from([1, 7, 100, 100_000]))
def test_every_query_is_served_exactly_once(sizes: list[int], number: int, grain: int) -> None:
    set_threads(number)
    offsets, served = offsets_of(sizes), []
    over_queries(lambda first, last, where, extra: served.append((first, last, where is offsets, extra)), offsets, "extra", grain=grain)
    assert all(is_same and extra == "extra" for _, _, is_same, extra in served)
    assert sorted(query for first, last, _, _ in served for query in range(first, last)) == list(range(len(sizes)))
    assert len(served) <= number
    assert [(first, last) for first, last, _, _ in sorted(served)] == spans(offsets, grain)


def test_spans_have_about_equal_rows_and_small_work_is_one_span() -> None:
    set_threads(4)
    offsets = offsets_of([100] * 1000)
    pieces = spans(offsets, grain=1000)
    assert len(pieces) == 4
    assert all(abs(offsets[last] - offsets[first] - 25_000) <= 100 for first, last in pieces)
    assert spans(offsets, grain=200_000) == [(0, 1000)]
    assert spans(offsets_of([10**9]), grain=1) == [(0, 1)]
    assert spans(offsets_of([]), grain=1) == [(0, 0)]


@kernel
def _sums(first, last, offsets, values, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        out[query] = 0.0
        for row in range(offsets[query], offsets[query + 1]):
            out[query] += values[row]


def test_a_compiled_kernel_gives_the_same_bits_on_any_number_of_threads() -> None:
    random = np.random.default_rng(0)
    sizes = random.integers(0, 50, 2000)
    values, offsets = random.random(sizes.sum()), offsets_of(sizes)
    expected = [functools.reduce(operator.add, values[a:b].tolist(), 0.0) for a, b in itertools.pairwise(offsets)]  # sum() compensates
    for number in (1, 2, 3, 8):
        set_threads(number)
        out = np.full(2000, np.nan)
        over_queries(_sums, offsets, values, out, grain=10)
        assert out.tolist() == expected


# ---- threads ----


def test_jobs_run_on_several_threads_and_answer_in_order() -> None:
    set_threads(3)
    barrier = threading.Barrier(3, timeout=20)  # passes only if three run at the same time
    assert in_parallel([lambda n=n: (barrier.wait(), n)[1] for n in range(3)]) == [0, 1, 2]
    assert in_parallel([lambda n=n: (time.sleep(0.01 * (3 - n)), n)[1] for n in range(3)]) == [0, 1, 2]
    names = in_parallel([lambda: threading.current_thread().name] * 3)
    assert names[0] == threading.current_thread().name
    assert all(name.startswith("podium") for name in names[1:])


def test_another_number_of_threads_holds_from_now_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.ragged._pool", None)  # whatever other tests left behind
    for number in (2, 5):
        set_threads(number)
        barrier = threading.Barrier(number, timeout=10)
        assert len(in_parallel([barrier.wait] * number)) == number


def test_one_thread_means_this_thread() -> None:
    set_threads(1)
    here = threading.get_ident()
    assert in_parallel([threading.get_ident] * 4) == [here] * 4


def test_what_a_job_raises_is_raised() -> None:
    set_threads(2)
    for bad in range(3):
        with pytest.raises(ZeroDivisionError):
            in_parallel([lambda n=n, bad=bad: 1 // (n != bad) for n in range(3)])


def test_the_pool_can_be_entered_from_several_threads_at_once() -> None:
    set_threads(2)
    answers: dict[int, list[int]] = {}

    def work(caller: int) -> None:
        for _ in range(50):
            answers[caller] = in_parallel([lambda n=n: caller * 10 + n for n in range(4)])

    callers = [threading.Thread(target=work, args=(caller,)) for caller in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(timeout=20)
    assert answers == {caller: [caller * 10 + n for n in range(4)] for caller in range(6)}


NESTED = """
import threading
from podium.ragged import in_parallel, offsets_of, set_threads, spans
def inner():
    return threading.get_ident(), in_parallel([threading.get_ident] * 3), spans(offsets_of([5, 5]), grain=1)
set_threads(2)
for thread, inside, cut in in_parallel([inner] * 8):
    assert inside == [thread] * 3
    assert cut == [(0, 2)]
assert len(spans(offsets_of([5, 5]), grain=1)) == 2  # afterwards everything is as before
"""

FORK = """
import multiprocessing, os
import numpy as np
from podium.ragged import in_parallel, set_threads
def work(answers):
    answers.put(sum(in_parallel([lambda n=n: n for n in range(8)])))
set_threads(3)
assert sum(in_parallel([lambda n=n: n for n in range(8)])) == 28  # the parent's pool has threads now
context = multiprocessing.get_context("fork")
answers = context.SimpleQueue()
child = context.Process(target=work, args=(answers,))
child.start()
child.join(20)
assert child.exitcode == 0, child.exitcode
assert answers.get() == 28
"""


def run_alone(script: str) -> None:
    """In a process of its own: it may hang, and Python 3.12 warns of a fork with threads, which is what is tried here."""
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_what_a_job_starts_runs_in_line_so_that_workers_never_wait_for_each_other() -> None:
    run_alone(NESTED)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_pool_works_in_a_forked_child() -> None:
    run_alone(FORK)


def test_the_number_of_threads_is_what_was_set_else_the_environment_else_every_core(monkeypatch: pytest.MonkeyPatch) -> None:
    every_core = threads()
    assert every_core >= 1
    monkeypatch.setenv("PODIUM_THREADS", "3")
    assert threads() == 3
    set_threads(5)
    assert threads() == 5
    set_threads(None)
    assert threads() == 3
    monkeypatch.setenv("PODIUM_THREADS", "")
    assert threads() == every_core


@pytest.mark.parametrize("number", [0, -1, 1.5])
def test_a_number_of_threads_that_is_none_is_refused_and_changes_nothing(number: object) -> None:
    set_threads(2)
    with pytest.raises(DataError, match=r"number of threads must be .*got"):
        set_threads(number)  # type: ignore[arg-type]
    assert threads() == 2


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", " ", "²"])
def test_an_environment_that_says_no_number_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODIUM_THREADS", text)
    with pytest.raises(DataError, match=f"PODIUM_THREADS must be a whole number from 1 on, got '{text}'"):
        threads()
