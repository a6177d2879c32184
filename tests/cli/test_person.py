"""A person at the terminal, with keys and clock of the test's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from podium.cli import screen
from podium.cli.person import GRADE_KEYS, KEYS, Judging, Stopwatch
from podium.cli.screen import MOST_SHOWN, clean, cut, page, wrap
from podium.errors import DataError
from podium.labelling import Event, Question, TopK
from podium.pool import Document, Pool

POOL = Pool("7", "wing flutter", tuple(Document(item, f"Title {item}", f"text of {item} " * 5) for item in "abcd"), "About wings.")


class Keyboard:
    """Keys one after the other, a clock that goes on by a second with each, everything that was shown and each new last line."""

    def __init__(self, keys: Iterable[str | None]) -> None:
        self.keys, self.now, self.shown, self.ticks = list(keys), 0.0, list[str](), list[str]()

    def read(self, seconds: float) -> str | None:
        self.now += 1.0
        return self.keys.pop(0) if self.keys else "q"

    def clock(self) -> float:
        return self.now


def sit(task: TopK, keys: Iterable[str | None], pool: Pool = POOL) -> tuple[bool, Keyboard, Judging]:
    keyboard = Keyboard(keys)
    judging = Judging(task, pool, "ann", keyboard.read, keyboard.shown.append, keyboard.ticks.append, lambda: (80, 24), keyboard.clock)
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
    assert "Paused. The clock stands at 0:01; q quits, any other key goes on." in keyboard.shown[1]


def test_q_in_a_pause_quits_and_records_nothing() -> None:
    task = TopK(POOL.items, k=1, strategy="heap")
    done, keyboard, _ = sit(task, ["p", "q", "a"])
    assert not done
    assert keyboard.keys == ["a"]
    assert task.log == ()


def test_time_away_while_the_program_was_suspended_counts_as_paused_and_the_page_is_drawn_anew() -> None:
    task = TopK(POOL.items, k=1, strategy="heap")
    _, keyboard, _ = sit(task, [None, "continue", "="])
    assert (task.log[0].seconds, task.log[0].paused) == (2.0, 1.0)
    assert keyboard.shown[1].splitlines()[:-1] == keyboard.shown[0].splitlines()[:-1]


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
    assert "ann has nothing to undo" in keyboard.ticks[-1]
    assert len(keyboard.shown) == 1
    assert "both bad" not in keyboard.shown[0]  # a heap does not take it


def test_every_pair_can_be_answered_to_the_end() -> None:
    task = TopK(POOL.items, k=4, strategy="adaptive")
    done, _, _ = sit(task, ["d"] * 20)
    assert done
    assert task.is_finished


def test_grades_have_digits() -> None:
    task = TopK(POOL.items, k=2, strategy="graded")
    done, keyboard, _ = sit(task, ["0", "6", "²", "٣", "5", "1", "3", "2"])
    assert done
    assert [event.answer for event in task.log] == ["Perfect", "Bad", "Good", "Fair"]
    assert "5 Perfect" in keyboard.shown[0]


@pytest.mark.parametrize("grades", [("bad", "left"), ("quit", "skip", "undo"), ("tie", "right", "left", "bad")])
def test_grades_may_be_named_like_answers_and_commands(grades: tuple[str, ...]) -> None:
    task = TopK(POOL.items, k=2, strategy="graded", grades=grades)
    sit(task, ["left", "=", "x", "2", "1", "s"])
    assert [(event.action, event.answer) for event in task.log] == [("answer", grades[1]), ("answer", grades[0]), ("skip", None)]


def test_grades_beyond_nine_have_letters_that_are_no_commands() -> None:
    names = [f"g{number}" for number in range(1, 14)]
    task = TopK(POOL.items, k=2, strategy="graded", grades=names)
    _, keyboard, _ = sit(task, ["9", "a", "d"])
    assert [event.answer for event in task.log] == ["g9", "g10", "g13"]
    assert not set(GRADE_KEYS) & {key for action in ("skip", "undo", "redo", "pause", "down", "up", "quit") for key in KEYS[action][0]}
    assert "9 g9 · a g10 · b g11 · c g12 · d g13 · s skip" in " ".join(keyboard.shown[0].split())


def test_more_grades_than_keys_are_refused_at_the_first_question() -> None:
    task = TopK(POOL.items, k=2, strategy="graded", grades=[f"g{number}" for number in range(len(GRADE_KEYS) + 1)])
    with pytest.raises(DataError, match=f"at most {len(GRADE_KEYS)} grades have a key"):
        sit(task, [])


def test_the_last_answer_of_a_query_can_be_undone() -> None:
    task = TopK(POOL.items[:2], k=1, strategy="heap")
    done, keyboard, _ = sit(task, ["a", None, "u", "d", "z", "a"])
    assert done
    assert [(event.action, event.answer) for event in task.log] == [("answer", "left"), ("undo", None), ("answer", "right")]
    assert "Query 7 is finished: 1 judgment. u undo, any other key goes on." in keyboard.shown[1]
    assert keyboard.keys == ["a"]


def test_nothing_is_asked_at_the_end_of_a_sitting_without_an_answer() -> None:
    task = TopK(POOL.items[:2], k=1, strategy="heap")
    sit(task, ["a"])
    done, keyboard, _ = sit(task, [])
    assert done
    assert keyboard.shown == []


def test_an_end_that_waits_for_others_does_not_claim_to_be_finished() -> None:
    task = TopK(POOL.items[:2], k=1, strategy="heap", repeats=3)
    _, keyboard, _ = sit(task, ["a"])
    assert "Query 7 is waiting for others: 1 judgment so far." in keyboard.shown[-1]


class Refusing:
    """A task that refuses the first answer or skip, as a store does whose token was used elsewhere; then it asks another question."""

    def __init__(self, task: TopK) -> None:
        self._task, self.asked, self.refusals = task, list[Question | None](), 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

    def ask(self, assessor: str = "", **limits: Any) -> Question | None:
        self.asked.append(self._task.ask(assessor, **limits))
        return self.asked[-1]

    def _refuse(self, assessor: str) -> None:
        if self.refusals:
            self.refusals -= 1
            self._task.answer("left", assessor=assessor)
            raise DataError("token 'f00' was used to say 'left', now something else")

    def answer(self, answer: str, *, assessor: str = "", **details: Any) -> Event:
        self._refuse(assessor)
        return self._task.answer(answer, assessor=assessor, **details)

    def skip(self, *, assessor: str = "", **details: Any) -> Event:
        self._refuse(assessor)
        return self._task.skip(assessor=assessor, **details)


@pytest.mark.parametrize("key", ["d", "s"])
def test_after_a_refused_answer_the_next_question_is_asked_and_the_refusal_is_said(key: str) -> None:
    task = Refusing(TopK(POOL.items, k=2, strategy="insertion"))
    _, keyboard, judging = sit(task, [key, None, "d"])  # type: ignore[arg-type]
    assert len(task.asked) == 3
    assert task.asked[0] != task.asked[1]
    assert "token 'f00' was used to say 'left'" in keyboard.shown[1].splitlines()[-1]
    assert "1 judged now" in keyboard.shown[2].splitlines()[-1]
    assert judging.given == 1
    assert [event.answer for event in task.log] == ["left", "right"]


def test_a_tick_rewrites_the_status_only_and_documents_are_wrapped_once(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped, real = list[str](), wrap
    monkeypatch.setattr(screen, "wrap", lambda text, width: (wrapped.append(text), real(text, width))[1])
    pool = Pool("8", "q", tuple(Document(item, text=f"long {item} " * 900) for item in "ab"))
    _, keyboard, _ = sit(TopK(["a", "b"], k=1, strategy="heap"), [None, "space", None, "up", None], pool)
    assert len(keyboard.shown) == 3  # the first page, down, up
    assert [line[:4] for line in keyboard.ticks] == ["0:01", "0:03", "0:05"]
    assert sum(text.startswith("long") for text in wrapped) == 2


def test_a_long_document_costs_a_look_at_each_of_its_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, real = [0], screen._cells_of

    def counted(sign: str) -> int:
        looks[0] += 1
        return real(sign)

    monkeypatch.setattr(screen, "_cells_of", counted)
    for text in ("語" * 20_000, "語 é" * 7_000, "e" + "\u0301" * 20_000):
        looks[0] = 0
        wrap(text, 5_000)
        assert looks[0] <= 4 * len(text)
        assert max(map(len, screen._signs(text))) <= 32  # what is kept together is copied with each sign that joins


def test_what_is_left_out_of_a_very_long_document_is_said() -> None:
    pool = Pool("q", "", (Document("a", text="x" * (MOST_SHOWN + 1_234)),))
    _, beyond = page(pool, Question("a"), size=(100, 20))
    text, _ = page(pool, Question("a"), size=(100, 20), scroll=beyond)
    assert "(1,234 more characters are not shown)" in text
    assert f" of {MOST_SHOWN // 100 + 2} lines" in text


def test_keys_mean_one_thing_each() -> None:
    keys = [key for pressed, _ in KEYS.values() for key in pressed]
    assert len(keys) == len(set(keys))


def test_a_document_cannot_steer_the_terminal() -> None:
    pool = Pool("q", "a\x1b]0;owned\x07b", (Document("a", "\x1b[2J", "\x9b31m\x00\u202ereversed"), Document("b", text="plain")))
    text, _ = page(pool, Question("a", "b"), size=(60, 15))
    assert not [sign for sign in text if sign != "\n" and not sign.isprintable()]


@pytest.mark.parametrize("size", [(80, 24), (24, 10), (20, 24), (31, 12), (5, 10), (200, 60), (80, 4), (2, 3), (1, 1)])
def test_a_page_fits_the_screen(size: tuple[int, int]) -> None:
    long = Pool("q", "query " * 40, (Document("a", "標題" * 30, "很長的文字 " * 200), Document("b", "", "x" * 9000)), "why " * 100)
    shown = {"size": size, "status": "0:01 · a status that says a lot " * 9, "keys": ["← left is better", "→ right is better"] * 4}
    text, beyond = page(long, Question("a", "b"), **shown)  # type: ignore[arg-type]
    lines = text.split("\n")
    assert len(lines) == size[1]
    assert all(sum(2 if sign in "很長的文字標題" else 1 for sign in line) <= size[0] for line in lines)
    assert lines[-1] == cut("0:01 · a status that says a lot " * 9, size[0])
    assert beyond > 0
    last, _ = page(long, Question("a", "b"), **shown, scroll=beyond + 99)  # type: ignore[arg-type]
    assert (last != text) is (size[1] > 3)


def test_on_a_narrow_screen_the_documents_stand_one_under_the_other() -> None:
    pool = Pool("q", "", (Document("a", text="first"), Document("b", text="second")))
    text, _ = page(pool, Question("a", "b"), size=(20, 14))
    assert text.split("\n")[2:7] == ["left:", "first", "", "right:", "second"]
    wide, _ = page(pool, Question("a", "b"), size=(40, 14))
    assert wide.split("\n")[2] == "first" + " " * 13 + " │ second"


def test_joined_emoji_stay_together_and_take_two_cells() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # man, woman, girl
    heart, thumb = "\u2764\ufe0f", "\U0001f44d\U0001f3fd"
    assert clean(family + heart) == family + heart
    assert wrap(family + heart + thumb, 4) == [family + heart, thumb]
    assert wrap(family + heart, 3) == [family, heart]
    assert wrap("ae\u0301e\u0301", 2) == ["ae\u0301", "e\u0301"]
    assert clean("a\u202eb\u2066c\u200bd") == "a b c d"


def test_a_line_that_is_too_long_is_cut_and_says_so() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"
    assert cut("a\nb\x1b[2J", 80) == "a b [2J"
    assert cut("一二三", 5) == "一二…"


def test_lines_are_broken_at_spaces_and_words_that_are_too_long_within() -> None:
    assert wrap("aa bb cc", 5) == ["aa bb", "cc"]
    assert wrap("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"]
    assert wrap("一二三", 4) == ["一二", "三"]
    assert wrap("a一", 1) == ["a", "?"]
    assert wrap("a\n\nb", 9) == ["a", "", "b"]
    assert clean("a\tb") == "a b"


def test_lines_of_a_document_that_go_on_are_joined_and_paragraphs_and_lists_stay() -> None:
    pool = Pool("q", "", (Document("a", text="one\ntwo\n\nthree\n- four\n  five"),))
    text, _ = page(pool, Question("a"), size=(40, 14))
    assert text.split("\n")[2:7] == ["one two", "", "three", "- four", "five"]


@pytest.mark.parametrize(("document", "lines"), [
    (Document("a", text="<h1>one</h1>two <i>three</i><script>no", kind="html"), ["one", "two three"]),
    (Document("a", text="<script>no", kind="html"), ["(of this html there is no text)"]),
    (Document("a", "T", "a wing", kind="image", url="data:image/png;base64,iVBORw0KGgo="),
     ["T", "", "a wing", "", "(image/png: a terminal does not show it,", "podium serve does)"]),
    (Document("a", text="says", kind="link", url="https://example.org/a"), ["says", "", "https://example.org/a"]),
])  # fmt: skip
def test_pages_are_shown_as_text_and_images_and_links_by_what_is_said_of_them(document: Document, lines: list[str]) -> None:
    text, _ = page(Pool("q", "", (document,)), Question("a"), size=(40, 14))
    assert text.split("\n")[2:9] == lines + [""] * (7 - len(lines))


def test_a_stopwatch_counts_what_runs_and_what_stands() -> None:
    now = [0.0]
    watch = Stopwatch(lambda: now[0])
    for moment in (2.0, 5.0, 6.0):
        now[0] = moment
        watch.toggle()
    now[0] = 10.0
    assert (watch.is_paused, watch.seconds, watch.paused) == (True, 2.0 + 1.0, 3.0 + 4.0)
