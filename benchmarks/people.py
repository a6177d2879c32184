"""``python -m benchmarks.people FOLDER [--write] [--quick]``: labelling strategies asked of recorded people, who tie and disagree.

FOLDER holds thu_image_search: for each query every pair of its images, judged by three persons. So any question that a strategy asks has
an answer, and what all pairs together say is known. ``--write`` puts the tables into docs/people.md and the picture beside it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from benchmarks.people_chart import picture
from benchmarks.people_text import DIFFERENCE, Exchanges, Line, Measured, Spread, tables
from benchmarks.people_truth import Quality, copeland, quality
from podium.assessors import Recorded, label
from podium.labelling import STRATEGIES, Event, TopK
from podium.labelling.agreement import Agreement, agreement
from podium.labelling.bradley_terry import fit, prior_scores
from podium.labelling.cost import average_bound, cost_of, worst_case_bound
from podium.labelling.ratings import Rating, Ratings
from podium.ragged import Floats
from podium.sources.recorded import RecordedPairs, read_image_preferences, read_image_relevance

PAGE = Path(__file__).parents[1] / "docs" / "people.md"
TOPS = (5, 10)
SORTING = tuple(name for name, entry in STRATEGIES.items() if not (entry.is_repeating or entry.asks_grades))
N_ANSWERS = 3
SEEDS = range(3)
SPREAD = 1.5  # of the prior means that the fit is given where there is a prior order; the same as in the strategy active
Judge = Literal["one", "majority", "in turn"]


# One query, one strategy, one judge.


@dataclass(frozen=True)
class Query:
    """A query with what all pairs say of it."""

    said: RecordedPairs
    truth: dict[str, float]  # Copeland's scores by the majority of the three
    relevance: dict[str, float]

    def shuffled(self, seed: int) -> list[str]:
        """The items in an order that says nothing: the file's might."""
        places = np.random.default_rng([seed, len(self.said.items)]).permutation(len(self.said.items))
        return [self.said.items[place] for place in places]


@dataclass(frozen=True)
class Setting:
    """What is asked of whom."""

    strategy: str
    k: int
    judge: Judge
    ties_are_transitive: bool = True
    has_prior: bool = False

    def task(self, query: Query, seed: int) -> TopK:
        return TopK(
            query.shuffled(seed), self.k, strategy=self.strategy, seed=seed, ties_are_transitive=self.ties_are_transitive,
            prior=query.relevance if self.has_prior else None, repeats=N_ANSWERS if self.judge == "in turn" else 1,
        )  # fmt: skip

    def assessors(self, query: Query) -> list[Recorded]:
        if self.judge == "one":
            return [Recorded(query.said, column) for column in range(N_ANSWERS)]
        return [Recorded(query.said, self.judge, name="")]  # without a name, the same one may be asked a pair again


class Played(NamedTuple):
    """What a labelling took and gave."""

    questions: float
    answers: float  # of single persons: a majority at once has three
    fresh: float
    raw: Quality
    rescored: Quality


def play(query: Query, setting: Setting, seed: int, assessor: Recorded) -> Played:
    """Label one query to the end; raw is the strategy's own top, rescored that of the Bradley-Terry fit to all of its judgments."""
    task = setting.task(query, seed)
    label(task, assessor)
    return _played(query, setting, task, len(task.judgments), task.result().top)


def _played(query: Query, setting: Setting, task: TopK, n_judgments: int, top: Sequence[str]) -> Played:
    judgments = task.judgments[:n_judgments]
    fitted = fit(judgments, task.items, prior=prior_scores(task.prior, SPREAD) if task.prior else None).order[: setting.k]
    raw, rescored = (quality(found, query.truth, setting.k) for found in (top or fitted, fitted))
    n_questions = len({event.question.pair for event in judgments}) if setting.judge == "in turn" else len(judgments)
    n_answers = len(judgments) * (N_ANSWERS if setting.judge == "majority" else 1)
    return Played(n_questions, n_answers, cost_of({"q": list(_as_persons(judgments))}).fresh_per_judgment, raw, rescored)


def _as_persons(judgments: Sequence[Event]) -> Iterator[Event]:
    """The second answer to a pair is another person's, who has to read both documents."""
    times: Counter[tuple[str, str]] = Counter()
    for event in judgments:
        yield replace(event, assessor=f"{event.assessor} {times[event.question.pair]}")
        times[event.question.pair] += 1


def play_active(query: Query, setting: Setting, budget: int, assessor: Recorded, seed: int = 0) -> tuple[Played, Played]:
    """What the strategy active has after its budget, and after twice the budget: the budget only says when to stop."""
    task = TopK(query.shuffled(seed), setting.k, strategy="active", seed=seed, budget=2 * budget)
    label(task, assessor)
    return _played(query, setting, task, budget, ()), _played(query, setting, task, 2 * budget, ())


# All queries.


def _rows(played: Sequence[Played]) -> Floats:
    return np.array([[one.questions, one.answers, one.fresh, *one.raw, *one.rescored] for one in played])


def _line(name: str, k: int, judge: str, per_query: Floats) -> Line:
    """Means over queries, with their standard errors; a query without a τ is left out of τ's."""
    return Line(name, k, judge, *(Spread.of(column) for column in per_query.T))


def _mean(values: Floats) -> Floats:
    counts = (~np.isnan(values)).sum(axis=0)
    return np.where(counts > 0, np.nansum(values, axis=0) / np.maximum(counts, 1), np.nan)


def measure(setting: Setting, queries: Sequence[Query], seeds: Sequence[int]) -> Floats:
    """A row a query: the mean over seeds, and over the three persons if one is asked alone."""
    return np.array(
        [
            _mean(_rows([play(query, setting, seed, assessor) for seed in seeds for assessor in setting.assessors(query)]))
            for query in queries
        ]
    )


def measure_active(setting: Setting, queries: Sequence[Query], budgets: Floats) -> tuple[Floats, Floats]:
    """The same of the strategy active, one seed; if one person is asked alone, a query has one of the three, in turn."""
    found = []
    for number, (query, budget) in enumerate(zip(queries, budgets, strict=True)):
        assessors = setting.assessors(query)
        found.append(play_active(query, setting, round(budget), assessors[number % len(assessors)]))
    return _rows([once for once, _ in found]), _rows([twice for _, twice in found])


def sorted_lines(queries: Sequence[Query], seeds: Sequence[int]) -> tuple[list[Line], list[Line], list[Line]]:
    """The main table; the effect of transitive ties; the effect of a prior."""
    main, ties, priors = [], [], []
    for k in TOPS:
        asked: dict[str, Floats] = {}
        for judge in ("one", "majority", "in turn"):
            for strategy in SORTING:
                per_query = measure(Setting(strategy, k, judge), queries, seeds)
                if strategy == "heap":
                    asked[judge] = per_query[:, 0]
                main.append(_line(strategy, k, judge, per_query))
                if judge == "majority" or (judge == "one" and strategy == "adaptive"):
                    apart = measure(Setting(strategy, k, judge, ties_are_transitive=False), queries, seeds)
                    ties.append(_line(f"{strategy}, ties transitive", k, judge, per_query))
                    ties.append(_line(f"{strategy}, each tie for itself", k, judge, apart))
                    ties.append(_line(DIFFERENCE, k, judge, apart - per_query))
            budgets = asked["one" if judge == "in turn" else judge]
            for name, per_query in zip(
                ("active", "active, twice"), measure_active(Setting("active", k, judge), queries, budgets), strict=True
            ):
                main.append(_line(name, k, judge, per_query))
            _progress(f"k = {k}, {judge}")
        for strategy in ("insertion", "adaptive"):
            per_query = measure(Setting(strategy, k, "one", has_prior=True), queries, seeds)
            priors.append(_line(f"{strategy}, by relevance", k, "one", per_query))
    return main, ties, priors


def exchanges(queries: Sequence[Query]) -> list[Exchanges]:
    """What the majority says of each image wrongly left out against each wrongly in the strategy's own top, asked of the majority."""
    found = []
    for k in TOPS:
        for strategy in SORTING:
            setting, counts = Setting(strategy, k, "majority"), Counter[str]()
            for query in queries:
                task = setting.task(query, 0)
                label(task, *setting.assessors(query))
                counts.update(_exchanges(query, task.result().top, k))
            found.append(Exchanges(strategy, k, counts["left"], counts["tie"], counts["right"]))
    return found


def _exchanges(query: Query, top: Sequence[str], k: int) -> list[str]:
    border = sorted(query.truth.values(), reverse=True)[k - 1]
    missed = [item for item, score in query.truth.items() if score > border and item not in top]
    wrong = [item for item in top if query.truth[item] < border]
    return [query.said.majority(out, inside) for out in missed for inside in wrong]


def limits(queries: Sequence[Query]) -> list[Line]:
    """What no strategy can be measured without: chance, one person's own complete pairs, all three persons' pairs, relevance."""
    makers: dict[str, tuple[Callable[[Query, int], list[Quality]], Callable[[int], float]]] = {
        "random order": (_by_chance, lambda n: 0),
        "relevance scores (0–100)": (_by_relevance, lambda n: 0),
        "one person, all pairs": (_by_one, lambda n: n * (n - 1) / 2),
        "one person, all pairs, against the other two": (_by_one_against_two, lambda n: n * (n - 1) / 2),
        "all three, all pairs, Bradley-Terry": (_by_fit, lambda n: N_ANSWERS * n * (n - 1) / 2),
    }
    lines = []
    for k in TOPS:
        for name, (maker, cost) in makers.items():
            rows = [_mean(np.array(maker(query, k))).tolist() for query in queries]
            costs = [cost(len(query.said.items)) for query in queries]
            lines.append(_line(name, k, "", np.array([[each, each, np.nan, *row, *row] for each, row in zip(costs, rows, strict=True)])))
    return lines


def _best(scores: dict[str, float], order: Sequence[str], k: int) -> list[str]:
    return sorted(order, key=lambda item: -scores[item])[:k]


def _by_chance(query: Query, k: int) -> list[Quality]:
    return [quality(query.shuffled(seed)[:k], query.truth, k) for seed in range(50)]


def _by_relevance(query: Query, k: int) -> list[Quality]:
    return [quality(_best(query.relevance, query.shuffled(0), k), query.truth, k)]


def _signs(query: Query, column: int) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    return np.sign(query.said.tags[:, column])


def _by_one(query: Query, k: int) -> list[Quality]:
    own = [copeland(query.said, _signs(query, column)) for column in range(N_ANSWERS)]
    return [quality(_best(scores, query.shuffled(column), k), query.truth, k) for column, scores in enumerate(own)]


def _by_one_against_two(query: Query, k: int) -> list[Quality]:
    found = []
    for column in range(N_ANSWERS):
        others = np.sign(sum(_signs(query, other).astype(int) for other in range(N_ANSWERS) if other != column))
        top = _best(copeland(query.said, _signs(query, column)), query.shuffled(column), k)
        found.append(quality(top, copeland(query.said, others), k))
    return found


def _by_fit(query: Query, k: int) -> list[Quality]:
    items, sides = query.said.items, {-1: "left", 0: "tie", 1: "right"}
    events = [
        Event(left=items[left], right=items[right], answer=sides[(tag > 0) - (tag < 0)], role="recorded")
        for (left, right), tags in zip(query.said.pairs.tolist(), query.said.tags.tolist(), strict=True)
        for tag in tags
    ]
    return [quality(fit(events, query.shuffled(0)).order[:k], query.truth, k)]


def agreement_of(queries: Sequence[Query]) -> Agreement:
    """Agreement among the three answers to each pair."""
    return agreement(
        Ratings.of(
            Rating(query.said.query_id, query.said.items[left], query.said.items[right], f"answer {column + 1}", (tag < 0) - (tag > 0))
            for query in queries
            for (left, right), tags in zip(query.said.pairs.tolist(), query.said.tags.tolist(), strict=True)
            for column, tag in enumerate(tags)
        )
    )


def read_queries(folder: Path) -> list[Query]:
    """The queries, each with its truth."""
    relevance = read_image_relevance(folder / "thu_image_search" / "relevance_data")
    return [
        Query(said, copeland(said, said.majorities), {item: relevance[said.query_id][item] for item in said.items})
        for said in read_image_preferences(folder / "thu_image_search" / "image_pairs_annotation")
    ]


def study(queries: Sequence[Query], seeds: Sequence[int]) -> Measured:
    """Everything that the page shows."""
    main, ties, priors = sorted_lines(queries, seeds)
    sizes = [len(query.said.items) for query in queries]
    bounds = {
        k: (float(np.mean([average_bound(n, k) for n in sizes])), float(np.mean([worst_case_bound(n, k) for n in sizes]))) for k in TOPS
    }
    n_pairs = float(np.mean([n * (n - 1) / 2 for n in sizes]))
    return Measured(
        len(queries),
        len(seeds),
        min(sizes),
        max(sizes),
        n_pairs,
        bounds,
        main,
        ties,
        priors,
        limits(queries),
        exchanges(queries),
        agreement_of(queries),
    )


def _progress(text: str) -> None:
    print(f"people: {text}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.people", description="Labelling strategies asked of recorded people.")
    parser.add_argument("folder", type=Path, help="with thu_image_search inside")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/people.md, and the picture beside it")
    parser.add_argument("--quick", action="store_true", help="a few queries, one seed; to see that it runs")
    asked = parser.parse_args()
    if asked.quick and asked.write:
        parser.error("--write needs the whole study; leave out --quick")
    queries = read_queries(asked.folder)
    found = study(queries[:4] if asked.quick else queries, SEEDS[:1] if asked.quick else SEEDS)
    text = tables(found)
    print(text)
    if asked.write:
        part = f"<!-- measured -->\n{text}\n<!-- end -->"
        PAGE.write_text(re.sub(r"<!-- measured -->.*?<!-- end -->", lambda _: part, PAGE.read_text(), flags=re.DOTALL))
        PAGE.with_suffix(".svg").write_text(picture(found))


if __name__ == "__main__":
    main()
