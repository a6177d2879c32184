"""A labelling task: items, a strategy, and the log of judgments, which is all its state."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from podium.errors import DataError
from podium.labelling.ahead import look_ahead
from podium.labelling.doors import best_first, check_settings, checked_options
from podium.labelling.evidence import Evidence, Pair, pair_of
from podium.labelling.log import Log, standing
from podium.labelling.questions import GRADES, Event, Question
from podium.labelling.rescoring import called_bad
from podium.labelling.result import Result, tied_by_grade
from podium.labelling.strategies import Compare, Strategy
from podium.labelling.table import get

__all__ = ["TopK"]


class TopK:
    """Finds the ordered top k of some items by asking which of two is better.

    ``items`` are ids. They are taken in an order drawn with the ``seed``, or by ``prior``: items best first, or a score for each.
    ``sides`` is another seed for what is shown on the left, so that two tasks may ask the same pairs on sides of their own.
    ``repeats`` puts every question to so many assessors and goes by the majority. The ``log`` holds everything that was answered; a task
    made anew from the same items, settings and log goes on with the same question. The strategies, and the options that some of them take
    as further keywords, are in :data:`podium.labelling.STRATEGIES`.

    >>> task = TopK(["a", "b", "c", "d"], k=2, strategy="heap", seed=0)
    >>> while (question := task.ask()) is not None:
    ...     event = task.answer("left" if question.left < question.right else "right")
    >>> task.result().top
    ('a', 'b')
    """

    def __init__(
        self,
        items: Sequence[str],
        k: int = 10,
        *,
        strategy: str = "adaptive",
        seed: int = 0,
        sides: int | None = None,
        prior: Sequence[str] | Mapping[str, float] | None = None,
        ties_are_transitive: bool = True,
        repeats: int = 1,
        grades: Sequence[str] = GRADES,
        log: Iterable[Event] = (),
        **options: Any,
    ) -> None:
        self.entry = get(strategy)
        if isinstance(items, str):
            raise DataError(f"items must be a list of ids, got the one text {items[:60]!r}")
        self.items, self.k, self.strategy, self.seed, self.sides = tuple(items), k, strategy, seed, sides
        self.grades, self.repeats, self.ties_are_transitive = tuple(grades), repeats, ties_are_transitive
        check_settings(self)
        self.options = checked_options(strategy, self.entry, options)
        self.prior = None if prior is None else best_first(prior, self.items)
        if prior is not None and not self.entry.takes_prior:
            raise DataError(f"{strategy} takes no prior order, it draws one with the seed; leave prior out or choose another strategy")
        self.order = self._drawn_after(self.prior or ())  # in which the strategy takes the items
        self._log = Log()
        self._held: dict[tuple[str, int], Question] = {}  # the open questions, by assessor and seat; not part of the log
        self._replay()
        for event in log:
            self.record(event)

    @property
    def answers(self) -> tuple[str, ...]:
        """What may be answered: of a pair left, right, tie and perhaps bad; of one document a grade."""
        return self.grades if self.entry.asks_grades else self.entry.answers

    def settings(self) -> dict[str, Any]:
        """Everything but the log, as JSON can hold it: ``TopK(**settings, log=events)`` is this task again."""
        return {
            "items": list(self.items), "k": self.k, "strategy": self.strategy, "seed": self.seed,
            "prior": None if self.prior is None else list(self.prior), "ties_are_transitive": self.ties_are_transitive,
            "repeats": self.repeats, "grades": list(self.grades), **self.options,
            **({} if self.sides is None else {"sides": self.sides}),
        }  # fmt: skip

    # Chance is a function of the seed and the items: the same on every machine and after every restart.

    def _draw(self, *words: str, seed: int | None = None) -> bytes:
        return hashlib.blake2b(repr((self.seed if seed is None else seed, *words)).encode(), digest_size=16).digest()

    def _drawn_after(self, first: Sequence[str]) -> tuple[str, ...]:
        return (*first, *sorted(set(self.items) - set(first), key=self._draw))

    def _shown(self, compare: Compare) -> Question:
        """Which document stands on which side: drawn for a pair's first question, turned with each repetition."""
        if compare.other is None:
            return Question(compare.item, None, compare.stage)
        first, second = pair = pair_of(compare)
        turns = self._draw("side", first, second, seed=self.sides)[0] + self._evidence.answers[pair] + self._holders(pair)
        return Question(second, first, compare.stage) if turns % 2 else Question(first, second, compare.stage)

    # Asking.

    def ask(
        self,
        assessor: str = "",
        *,
        seat: int = 0,
        stages: Collection[str] | None = None,
        first: Pair | None = None,
        with_skipped: bool = True,
    ) -> Question | None:
        """The next question for this assessor, the same until it is answered or skipped; ``None`` if there is nothing to ask (now).

        Several assessors get different questions, as far as several can be asked at once; with repeats, one question goes to so many.
        A model that answers many at once has several seats, each with a question of its own. ``stages`` limits what this assessor is asked,
        so that a model may do the triage and people the boundary. ``first`` is a pair that comes before others, if it can be asked now.
        Without ``with_skipped``, what this assessor set aside is not put again.
        """
        held = self._held.get((assessor, seat))
        if held is not None and (stages is None or held.stage in stages) and self._is_open(held):
            return held
        self.release(assessor, seat)
        if self.entry.is_repeating and len(self._held) >= self.about_left():
            return None  # the open questions spend the rest of the budget
        skipped = self._evidence.skipped(assessor)
        put_off: dict[Pair, Compare] = {}
        for compare in self._with_first(first):
            if not self._is_free(compare, assessor) or not (stages is None or compare.stage in stages):
                continue
            if pair_of(compare) not in skipped:
                return self.hold(self._shown(compare), assessor, seat)
            put_off[pair_of(compare)] = compare
        longest_ago = next((put_off[pair] for pair in skipped if pair in put_off), None)
        return None if longest_ago is None or not with_skipped else self.hold(self._shown(longest_ago), assessor, seat)

    def _with_first(self, first: Pair | None) -> Iterator[Compare]:
        """What can be asked at once, beginning with this pair if it is among it."""
        if first is None:
            return self.open_comparisons()
        return iter(sorted(self.open_comparisons(), key=lambda compare: pair_of(compare) != first))

    def hold(self, question: Question, assessor: str = "", seat: int = 0) -> Question:
        """Mark a question as open with an assessor, so that nobody else gets it."""
        self._held[assessor, seat] = question
        return question

    def release(self, assessor: str = "", seat: int = 0) -> None:
        """Take an open question back unanswered, as when its assessor has gone."""
        self._held.pop((assessor, seat), None)

    def release_all(self) -> None:
        """Take every open question back."""
        self._held.clear()

    def open_comparisons(self) -> Iterator[Compare]:
        """What can be asked at once: the next comparison, and those behind it that do not hang on its outcome."""
        current = self._current()
        if current is not None:
            yield current
            yield from (compare for compare, can_be_asked in islice(look_ahead(self._start(), self._outcome), 1, None) if can_be_asked)

    def about_left(self) -> int:
        """About how many judgments are still to come, if the likeliest answers are given."""
        if self.is_finished:
            return 0
        if self.entry.is_repeating:
            return max(int(self.options["budget"]) - len(self.judgments), 1)
        return sum(
            self.repeats - len(self._evidence.votes.get(pair_of(compare), ())) for compare, _ in look_ahead(self._start(), self._outcome)
        )

    def has_answered(self, assessor: str, question: Question) -> bool:
        """Whether an answer of this assessor to this question stands, of which a second one would be no second opinion."""
        if self.entry.is_repeating or not assessor:
            return False
        return any(who == assessor for who, _ in self._evidence.votes.get(question.pair, ()))

    def _holders(self, pair: Pair) -> int:
        return sum(question.pair == pair for question in self._held.values())

    def _is_free(self, compare: Compare, assessor: str) -> bool:
        pair = pair_of(compare)
        votes = [] if self.entry.is_repeating else self._evidence.votes.get(pair, [])
        same_eyes = [who for who, _ in votes] + [who for (who, _), question in self._held.items() if question.pair == pair]
        is_second_opinion = not assessor or assessor not in same_eyes
        return is_second_opinion and self._holders(pair) < self.repeats - len(votes)

    def _is_open(self, question: Question) -> bool:
        if self.entry.is_repeating:
            return not self.is_finished
        return self._evidence.outcome(Compare(question.left, question.right)) is None

    # Answering.

    def answer(self, answer: str, *, assessor: str = "", question: Question | None = None, **details: Any) -> Event:
        """Answer the open question of the assessor's first seat, or the one named; ``details`` are further fields of the :class:`Event`."""
        return self._respond("answer", assessor, question, answer=answer, **details)

    def skip(self, *, assessor: str = "", question: Question | None = None, **details: Any) -> Event:
        """Set the open question aside: others may get it, and it comes back to this assessor when nothing else is left to ask."""
        return self._respond("skip", assessor, question, **details)

    def _respond(self, action: str, assessor: str, question: Question | None, **details: Any) -> Event:
        asked = question or self._held.get((assessor, 0))
        if asked is None:
            raise DataError(f"nothing is open with {assessor or 'this assessor'}; call ask() first, or say which question is meant")
        details = {"stage": asked.stage, "strategy": self.version, **details}
        return self._log.events[self.record(Event(action, asked.left, asked.right, assessor=assessor, **details)) - 1]

    def undo(self, *, assessor: str = "", target: int | None = None, **details: Any) -> Event:
        """Take back the assessor's last answer, skip or correction that stands, or the one with number ``target``: an event that names it.

        The log keeps both. An answer that another has corrected stays.
        """
        return self._take_back("undo", assessor, self._log.undoable(assessor) if target is None else [target], details)

    def redo(self, *, assessor: str = "", **details: Any) -> Event:
        """Take back the assessor's last undo, if they have neither answered nor skipped since."""
        return self._take_back("redo", assessor, self._log.redoable(assessor), details)

    def correct(self, number: int, answer: str, *, assessor: str = "", **details: Any) -> Event:
        """Put another answer in the place of the one that is event ``number``, whoever gave it; the log keeps both.

        What the strategy learnt from it is learnt anew, so that a finished task may have questions again.
        """
        if not 0 < number <= len(self._log):
            raise DataError(f"there is no event {number} to correct; the log has {len(self._log)}")
        corrected = self._log.events[number - 1]
        about = {"left": corrected.left, "right": corrected.right, "stage": corrected.stage, "strategy": self.version, **details}
        event = Event("correct", answer=answer, target=number, assessor=assessor, **about)
        return self._log.events[self.record(event) - 1]

    def _take_back(self, action: str, assessor: str, numbers: Sequence[int], details: Mapping[str, Any]) -> Event:
        recorded = self._log.number_of_key(details.get("key", ""))
        if not numbers and recorded is None:
            raise DataError(f"{assessor or 'this assessor'} has nothing to {action}")
        target = numbers[-1] if recorded is None else self._log.events[recorded - 1].target
        event = Event(action, target=target, assessor=assessor, **{"strategy": self.version, **details})
        return self._log.events[self.record(event) - 1]

    def recorded(self, key: str) -> Event | None:
        """The event of this key, if there is one."""
        number = self._log.number_of_key(key)
        return None if number is None else self._log.events[number - 1]

    def copy(self) -> TopK:
        """The same task apart: what is done to the one is not done to the other. Much faster than to replay the log."""
        other = copy.copy(self)
        other._log, other._evidence, other._held, other._run = self._log.copy(), copy.deepcopy(self._evidence), dict(self._held), None
        return other

    def if_answered(self, answer: str, *, question: Question, assessor: str = "") -> Question | None:
        """What the assessor would be asked next if they answered this question so, and nobody else did anything."""
        then = self.copy()
        then.answer(answer, question=question, assessor=assessor)
        return then.ask(assessor)

    @property
    def version(self) -> str:
        """The strategy and the version of its rules, as every event says them."""
        return f"{self.strategy}/{self.entry.version}"

    def record(self, event: Event) -> int:
        """Append an event, wherever it comes from, and return its number. A key that is in the log is not recorded again."""
        if (number := self._log.number_of(event)) is not None:
            return number
        if event.action in ("undo", "redo"):
            self._log.check_target(event)
            number = self._log.append(event)
            self._release_where(event.assessor, None)
            self._replay()
            return number
        if event.action == "correct":
            self._log.check_correction(event)
            self._check_answer(event)
            number = self._log.append(event)
            self._replay()
            return number
        self._check_event(event)
        self._release_where(event.assessor, event.question.pair)
        self._take_in(event)
        return self._log.append(event)

    def _would_mix(self, role: str) -> bool:
        """Whether an answer of this role would be weighed together with answers of the other kind, unasked."""
        if self.repeats == 1 and not (self.entry.is_repeating and self.options["count"] is None):
            return False
        others = {"model": ("person", "recorded"), "person": ("model",), "recorded": ("model",)}.get(role, ())
        return any(event.role in others for event in self.judgments)

    def _release_where(self, assessor: str, pair: Pair | None) -> None:
        for (who, seat), question in list(self._held.items()):
            if who == assessor and (pair is None or question.pair == pair):
                self.release(who, seat)

    def _check_event(self, event: Event) -> None:
        number = len(self._log) + 1
        for item in (event.left, event.right):
            if item is not None and item not in self._known_items:
                raise DataError(f"event {number} is about {item!r}, no item of this task; were the items changed after labelling began?")
        if event.left is None or event.left == event.right or (event.right is None) != self.entry.asks_grades:
            what = "one document" if self.entry.asks_grades else "two different documents"
            raise DataError(f"event {number} must be about {what}, got {event.left!r} and {event.right!r}")
        if event.action == "answer" and self._would_mix(event.role):
            raise DataError(
                f"event {number} is by a {event.role}, and others have answered before: people's and models' answers are not put together "
                "by majority or in a fit unless that is said (count= of active); give each a task of their own"
            )
        if event.action == "answer":
            self._check_answer(event)

    def _check_answer(self, event: Event) -> None:
        if event.answer not in self.answers:
            raise DataError(f"{event.answer!r} does not answer a question of {self.strategy}; say one of {', '.join(self.answers)}")

    # What the log says.

    @property
    def log(self) -> tuple[Event, ...]:
        """Every event, in order."""
        return tuple(self._log.events)

    @property
    def judgments(self) -> tuple[Event, ...]:
        """The answers that stand."""
        return tuple(event for event in standing(self._log.events) if event.action == "answer")

    @property
    def bad(self) -> tuple[str, ...]:
        """The items that are out as bad: of pairs that were decided to be both bad or, where judges may err, by :func:`called_bad`."""
        found = called_bad(self.judgments) if self.entry.is_repeating else self._evidence.bad
        return tuple(item for item in self.items if item in found)

    @property
    def is_finished(self) -> bool:
        """Whether everything is known that the strategy wants to know."""
        return self._current() is None

    def result(self) -> Result:
        """The ordered top k and what else was learnt; refused while questions are open."""
        if not self.is_finished:
            raise DataError(f"the task is not finished after {len(self.judgments)} judgments; ask() has more questions")
        evidence = self._evidence
        bad = set(self.bad)
        top = tuple(item for item in self._ranking if item not in bad)  # perhaps called bad when several were asked at once
        return Result(
            top=top,
            rest=tuple(item for item in self.items if item not in set(top)),
            ties=()
            if self.entry.is_repeating
            else tied_by_grade(evidence.grades)
            if self.entry.asks_grades
            else tuple(evidence.known.ties()),
            judgments=self.judgments,
            k=self.k,
            bad=self.bad,
            grades={item: self.grades[grade] for item, grade in evidence.grades.items()},
        )

    def _replay(self) -> None:
        self._known_items = frozenset(self.items)
        self._evidence = Evidence(
            self.order, grades=self.grades, repeats=self.repeats, ties_are_transitive=self.ties_are_transitive
        )  # fmt: skip
        self._run: Strategy | None = None
        for event in standing(self._log.events):
            self._take_in(event)

    def _take_in(self, event: Event) -> None:
        self._evidence.take_in(event)
        if self.entry.is_repeating:
            self._run = None  # such a strategy weighs all judgments anew

    # Running the strategy: what is known is never asked.

    def _start(self) -> Strategy:
        given: dict[str, Any] = {}
        if "has_prior" in self.entry.given:
            given["has_prior"] = self.prior is not None
        if "judgments" in self.entry.given:
            given["judgments"] = self.judgments
        return self.entry.run(self.order, self.k, **given, **self.options)

    def _outcome(self, compare: Compare) -> int | None:
        return None if compare.stage == "repeat" else self._evidence.outcome(compare)

    def _current(self) -> Compare | None:
        """The comparison that the strategy waits for, after it was told all that is known."""
        try:
            if self._run is None:
                self._run, self._ranking = self._start(), list[str]()
                self._waits_for: Compare | None = next(self._run)
            while self._waits_for is not None and (outcome := self._outcome(self._waits_for)) is not None:
                self._waits_for = self._run.send(outcome)
        except StopIteration as finished:
            self._waits_for, self._ranking = None, finished.value
        return self._waits_for
