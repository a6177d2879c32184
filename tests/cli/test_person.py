"""A person at the terminal, with keys and clock of the test's own."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from podium.cli.person import KEYS, Judging, Stopwatch
from podium.cli.screen import clean, page, wrap
from podium.labelling import Question, TopK
from podium.pool import Document, Pool

POOL = Pool("7", "wing flutter", tuple(Document(item, f"Title {item}", f"text of {item} " * 5) for item in "abcd"), "About wings.")


class Keyboard:
    """Keys one after the other, a clock that goes on by a second with each, and everything that was shown."""

    def __init__(self, keys: Iterable[str | None]) -> None:
        self.keys, self.now, self.shown = list(keys), 0.0, list[str]()

    def read(self, seconds: float) -> str | None:
        self.now += 1.0
        return self.keys.pop(0) if self.keys else "q"

    def clock(self) -> float:
        return self.now


def sit(task: TopK, keys: Iterable[str | None], pool: Pool = POOL) -> tuple[bool, Keyboard, Judging]:
    keyboard = Keyboard(keys)
    judging = Judging(task, pool, "ann", keyboard.read, keyboard.shown.append, lambda: (80, 24), keyboard.clock)
    return judging.run(), keyboard, judging


def test_one_key_answers_and_the_time_is_kept() -> None:
    task = TopK(POOL.items, k=2, strategy="insertion")
    done, keyboard, judging = sit(task, [None, None, "left", "right"])
    assert not done
    assert judging.given == 2
    assert [(event.answer, event.assessor, event.role, event.seconds, event.paused) for event in task.log] == [
        ("left", "ann", "person", 3.0, 0.0),
        ("right", "ann", "person", 1.0, 0.0),
    ]
    first = task.log[0].question
    assert f"Title {first.left}" in keyboard.shown[0].splitlines()[3]
    assert keyboard.shown[0].splitlines()[3].index(f"Title {first.left}") < keyboard.shown[0].splitlines()[3].index(f"Title {first.right}")


def test_a_pause_stops_the_clock_and_hides_the_documents() -> None:
    task = TopK(POOL.items, k=1, strategy="heap")
    _, keyboard, _ = sit(task, ["p", None, None, "z", "="])
    event = task.log[0]
    assert (event.answer, event.seconds, event.paused) == ("tie", 2.0, 3.0)
    assert "Title" not in keyboard.shown[1]
    assert "Paused" in keyboard.shown[1]


def test_undo_redo_and_skip_are_events_and_the_question_comes_back() -> None:
    task = TopK(POOL.items, k=2, strategy="adaptive")
    sit(task, ["a", "u", "a", "u", "r", "s"])
    assert [event.action for event in task.log] == ["answer", "undo", "answer", "undo", "redo", "skip"]
    assert task.log[0].question == task.log[2].question
    assert len(task.judgments) == 1


def test_what_cannot_be_done_is_said_and_the_question_stays() -> None:
    task = TopK(POOL.items, k=2, strategy="heap")
    _, keyboard, _ = sit(task, ["u", "x", "?", None])
    assert task.log == ()
    assert "ann has nothing to undo" in keyboard.shown[-1]
    assert "both bad" not in keyboard.shown[0]  # a heap does not take it


def test_every_pair_can_be_answered_to_the_end() -> None:
    task = TopK(POOL.items, k=4, strategy="adaptive")
    done, _, _ = sit(task, ["d"] * 20)
    assert done
    assert task.is_finished


def test_grades_have_digits() -> None:
    task = TopK(POOL.items, k=2, strategy="graded")
    done, keyboard, _ = sit(task, ["0", "6", "5", "1", "3", "2"])
    assert done
    assert [event.answer for event in task.log] == ["Perfect", "Bad", "Good", "Fair"]
    assert "5 Perfect" in keyboard.shown[0]


def test_keys_mean_one_thing_each() -> None:
    keys = [key for pressed, _ in KEYS.values() for key in pressed]
    assert len(keys) == len(set(keys))


def test_a_document_cannot_steer_the_terminal() -> None:
    pool = Pool("q", "a\x1b]0;owned\x07b", (Document("a", "\x1b[2J", "\x9b31m\x00\u202ereversed"), Document("b", text="plain")))
    text, _ = page(pool, Question("a", "b"), size=(60, 15))
    assert not [sign for sign in text if sign != "\n" and not sign.isprintable()]


@pytest.mark.parametrize("size", [(80, 24), (24, 10), (200, 60), (1, 1)])
def test_a_page_fits_the_screen(size: tuple[int, int]) -> None:
    long = Pool("q", "query " * 40, (Document("a", "標題" * 30, "很長的文字 " * 200), Document("b", "", "x" * 9000)), "why " * 100)
    text, beyond = page(long, Question("a", "b"), size=size, status="0:01", keys=["← left", "→ right"])
    lines = text.split("\n")
    assert len(lines) <= max(size[1], 10)
    assert all(len(wrap(line, max(size[0], 24))) == 1 for line in lines)
    assert beyond > 0
    last, _ = page(long, Question("a", "b"), size=size, scroll=beyond + 99, status="0:01", keys=["← left", "→ right"])
    assert last != text


def test_lines_are_broken_at_spaces_and_words_that_are_too_long_within() -> None:
    assert wrap("aa bb cc", 5) == ["aa bb", "cc"]
    assert wrap("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"]
    assert wrap("一二三", 4) == ["一二", "三"]
    assert wrap("a\n\nb", 9) == ["a", "", "b"]
    assert clean("a\tb") == "a b"


def test_lines_of_a_document_that_go_on_are_joined_and_paragraphs_and_lists_stay() -> None:
    pool = Pool("q", "", (Document("a", text="one\ntwo\n\nthree\n- four\n  five"),))
    text, _ = page(pool, Question("a"), size=(40, 14))
    assert text.split("\n")[2:7] == ["one two", "", "three", "- four", "five"]


def test_a_stopwatch_counts_what_runs_and_what_stands() -> None:
    now = [0.0]
    watch = Stopwatch(lambda: now[0])
    for moment in (2.0, 5.0, 6.0):
        now[0] = moment
        watch.toggle()
    now[0] = 10.0
    assert (watch.is_paused, watch.seconds, watch.paused) == (True, 2.0 + 1.0, 3.0 + 4.0)
