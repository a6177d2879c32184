"""How many judgments the ordered top k costs, beside the fewest possible; and how good it is when judges err.

No clock here: what is counted is judgments. Every figure is a mean over seeded trials. *Compared* is what the algorithm wants to know,
*asked* what is left of it when nothing known or implied is asked again, which is what an assessor has to answer.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import Report, Table, Target, progress
from podium.assessors import Oracle, label, noise_for_accuracy
from podium.labelling import Known, Question, TopK, how_sure, rescore
from podium.labelling.cost import average_bound, worst_case_bound
from podium.labelling.evidence import OUTCOMES, pair_of
from podium.labelling.strategies import Strategy
from podium.labelling.table import get

__all__ = ["run"]

_SHARES = (0.60, 0.20, 0.12, 0.06, 0.02)  # of the grades 0 to 4
_TAU = 0.8
_SORTING = ("heap", "tournament", "insertion", "adaptive")
Worth = Mapping[str, float]


@dataclass(frozen=True)
class Played:
    """What one labelling took and gave."""

    top: list[str]
    compared: int
    asked: int
    fresh: float  # documents per question that the question before did not show


def _play(run: Strategy, known: Known, oracle: Oracle, answers: tuple[str, ...]) -> Played:
    """Drive a strategy as TopK does, but count what it wants to know as well."""
    compared, asked, fresh, shown = 0, 0, 0, set[str]()
    try:
        compare = next(run)
        while True:
            assert compare.other is not None
            compared += 1
            outcome = known.outcome(compare.item, compare.other)
            if outcome is None:
                asked += 1
                pair = set(pair_of(compare))
                fresh, shown = fresh + len(pair - shown), pair
                outcome = OUTCOMES[oracle.answer(Question(compare.item, compare.other), answers=answers)]
                known.add(compare.item, compare.other, outcome)
            compare = run.send(outcome)
    except StopIteration as finished:
        return Played(finished.value, compared, asked, fresh / max(asked, 1))


def _ranks(n: int, _: np.random.Generator) -> np.ndarray[Any, Any]:
    return np.arange(n, dtype=float)


def _grades(n: int, _: np.random.Generator) -> np.ndarray[Any, Any]:
    ends = np.rint(np.cumsum(_SHARES) * n).astype(int)
    return np.searchsorted(ends, np.arange(n), side="right").astype(float)


def _prior(worth: np.ndarray[Any, Any], spread: float, chance: np.random.Generator) -> np.ndarray[Any, Any]:
    return np.argsort(-(worth + spread * chance.standard_normal(len(worth))), kind="stable")


@functools.cache
def _spread_for_tau(kind: Callable[..., np.ndarray[Any, Any]], n: int) -> float:
    """The spread of normal noise on the worth at which its order has τ = .8 with the truth (over pairs that differ), on average of 40."""
    low, high = 1e-3, 1e3
    for _ in range(40):
        middle = (low * high) ** 0.5
        taus = []
        for seed in range(40):
            chance = np.random.default_rng([seed, n])
            worth = chance.permutation(kind(n, chance))
            ordered = worth[_prior(worth, middle, chance)]
            signs = np.sign(ordered[:, None] - ordered)[np.triu_indices(n, 1)]
            taus.append(signs.sum() / np.abs(signs).sum())
        low, high = (middle, high) if np.mean(taus) > _TAU else (low, middle)
    return low


@dataclass(frozen=True)
class Setting:
    """A strategy on one kind of truth."""

    strategy: str
    n: int
    k: int
    kind: Callable[..., np.ndarray[Any, Any]] = _ranks
    has_prior: bool = False
    says_bad: bool = False
    ties_are_transitive: bool = True

    def play(self, seed: int) -> tuple[Played, Worth]:
        chance = np.random.default_rng([seed, self.n, self.k])
        worth = chance.permutation(self.kind(self.n, chance))
        items = [f"d{place}" for place in range(self.n)]
        order = _prior(worth, _spread_for_tau(self.kind, self.n), chance) if self.has_prior else np.arange(self.n)
        values = dict(zip(items, worth.tolist(), strict=True))
        told = {"has_prior": self.has_prior} if "has_prior" in get(self.strategy).given else {}
        run = get(self.strategy).run([items[place] for place in order], self.k, **told)
        answers = ("left", "right", "tie", "bad") if self.says_bad else ("left", "right", "tie")
        known = Known(items, ties_are_transitive=self.ties_are_transitive)
        return _play(run, known, Oracle(values, bad_below=1.0 if self.says_bad else None), answers), values

    def means(self, trials: int) -> Means:
        found = [self.play(seed) for seed in range(trials)]
        lost = [sum(sorted(values.values())[::-1][: self.k]) - sum(values[item] for item in played.top) for played, values in found]
        asked = np.array([played.asked for played, _ in found])
        return Means(
            float(asked.mean()),
            float(asked.std(ddof=1) / len(asked) ** 0.5),
            float(np.mean([played.compared for played, _ in found])),
            float(np.mean([played.fresh for played, _ in found])),
            max(lost),
        )


@dataclass(frozen=True)
class Means:
    """Means over trials."""

    asked: float
    error: float  # standard error of asked
    compared: float
    fresh: float
    lost: float  # the largest loss of top-k gain; 0 = every trial had the right top k


_COLUMNS = ("strategy", "n", "k", "asked", "± se", "compared", "fresh/question", "lost gain")


def _row(setting: Setting, means: Means) -> tuple[Any, ...]:
    return (setting.strategy, setting.n, setting.k, round(means.asked, 1), round(means.error, 2), round(means.compared, 1),
            round(means.fresh, 2), means.lost)  # fmt: skip


def _all_means(settings: Sequence[Setting], trials: int) -> dict[Setting, Means]:
    found = {}
    for setting in settings:
        progress(f"label: {setting.strategy} n={setting.n} k={setting.k}")
        found[setting] = setting.means(trials)
    return found


def _table(title: str, found: Mapping[Setting, Means]) -> Table:
    return Table(title, _COLUMNS, [_row(setting, means) for setting, means in found.items()])


def _bounds_table(sizes: Sequence[tuple[int, int]]) -> Table:
    rows = [(n, k, round(average_bound(n, k), 1), worst_case_bound(n, k)) for n, k in sizes]
    return Table("No strategy without prior knowledge can ask fewer", ("n", "k", "on average", "in the worst case"), rows)


def _tau_in_top(found: Sequence[str], best: Sequence[str]) -> float:
    """Kendall's τ of the true top k by the order found, in which what is not on top is tied below it."""
    place = {item: rank for rank, item in enumerate(found)}
    ranks = np.array([place.get(item, len(found)) for item in best])
    signs = np.sign(ranks[None, :] - ranks[:, None])[np.triu_indices(len(best), 1)]
    return float(signs.mean())


_ACCURACY, _BUDGET = 0.9, 200
_NOISY: dict[str, dict[str, Any]] = {
    "heap": {"strategy": "heap"},
    "heap, best of five": {"strategy": "heap", "repeats": 5},
    "insertion": {"strategy": "insertion"},
    "tournament": {"strategy": "tournament"},
    "adaptive": {"strategy": "adaptive"},
    f"active, {_BUDGET} from nothing": {"strategy": "active", "budget": _BUDGET, "start": "none"},
    f"active, {_BUDGET} after insertion": {"strategy": "active", "budget": _BUDGET, "start": "insertion"},
}


def _erring(seed: int) -> tuple[Oracle, list[str]]:
    """A judge who errs, over normal worths, and the true top ten."""
    chance = np.random.default_rng([seed, 50])
    values = dict(zip((f"d{place:02}" for place in range(50)), chance.standard_normal(50).tolist(), strict=True))
    noise = noise_for_accuracy(list(values.values()), _ACCURACY)
    return Oracle(values, noise=noise, seed=seed, name=""), sorted(values, key=values.__getitem__, reverse=True)[:10]


def _noisy_trial(seed: int) -> dict[str, tuple[float, ...]]:
    """Judgments, share of the true top ten found, τ in it, and how sure the fit is that the set is right (and whether it is)."""
    oracle, best = _erring(seed)

    def measured(top: Sequence[str], judgments: int, sure: float) -> tuple[float, ...]:
        return judgments, len(set(top) & set(best)) / 10, _tau_in_top(top, best), sure, float(set(top) == set(best))

    found = {}
    for name, settings in _NOISY.items():
        task = TopK(list(oracle.values), 10, seed=seed, **settings)
        judgments = label(task, oracle)
        fitted = rescore(task)
        sure = how_sure(fitted, 10).set_probability
        if settings["strategy"] == "active":
            found[name] = measured(fitted.order[:10], judgments, sure)
        else:
            found[name] = measured(task.result().top, judgments, float("nan"))
            found[f"{name}, rescored"] = measured(fitted.order[:10], judgments, sure)
    return found


def _rescored_heap(trials: int) -> Target:
    """The gain in τ by rescoring the heap's log, less twice its standard error: above 0 it is no chance."""
    progress("label: the heap's log rescored")
    gains = []
    for seed in range(trials):
        oracle, best = _erring(seed)
        task = TopK(list(oracle.values), 10, strategy="heap", seed=seed)
        label(task, oracle)
        gains.append(_tau_in_top(rescore(task).order[:10], best) - _tau_in_top(task.result().top, best))
    mean, error = float(np.mean(gains)), float(np.std(gains, ddof=1) / trials**0.5)
    claim = f"heap's log rescored: gain in τ {mean:.4f} ± {error:.4f} ({trials:,} trials), less 2 se"
    return Target(claim, round(mean - 2 * error, 4), 0.0, "at least", unit="")


def _noisy(trials: int) -> tuple[Table, list[Target]]:
    found = []
    for seed in range(trials):
        if seed % 50 == 0:
            progress(f"label: judges who err, trial {seed} of {trials}")
        found.append(_noisy_trial(seed))
    rows, gains = [], {}
    for name in found[0]:
        judged, right, tau, sure, is_right = np.array([trial[name] for trial in found]).T
        shares = [f"{values.mean():.3f} ± {values.std(ddof=1) / trials**0.5:.3f}" for values in (right, tau)]
        stated = "" if np.isnan(sure).any() else f"{sure.mean():.2f}"
        rows.append((name, round(float(judged.mean()), 1), *shares, stated, f"{is_right.mean():.2f}"))
        gains[name] = float(right.mean())
    title = f"A Bradley-Terry judge right in {_ACCURACY:.0%} of all pairs, (50, 10), {trials} trials"
    targets = [
        Target(f"{name}: precision of the top ten", round(gains[name], 3), 0.88, "at least", unit="") for name in gains if "active" in name
    ]
    columns = ("how", "judgments", "right in top 10 ± se", "τ in top 10 ± se", "set right: stated", "seen")
    return Table(title, columns, rows), targets


def _crew_questions(strategy: str, crew: int, seed: int) -> int:
    """Questions asked if so many assessors have one open each, and answer in rounds."""
    worth = dict(zip((f"d{place}" for place in range(50)), np.random.default_rng(seed).random(50).tolist(), strict=True))
    task, names = TopK(list(worth), 10, strategy=strategy, seed=seed), [f"assessor {number}" for number in range(crew)]
    oracle = Oracle(worth)
    while not task.is_finished:
        open_ones = {name: question for name in names if (question := task.ask(name)) is not None}
        for name, question in open_ones.items():
            task.answer(oracle.answer(question), assessor=name, question=question)
    return len(task.judgments)


def _crews(trials: int) -> Table:
    progress("label: several assessors at once")
    rows = []
    for name in _SORTING:
        means = [float(np.mean([_crew_questions(name, crew, seed) for seed in range(trials)])) for crew in (1, 2, 4, 8)]
        rows.append((name, *(round(mean, 1) for mean in means), f"{means[2] / means[0] - 1:+.0%}", f"{means[3] / means[0] - 1:+.0%}"))
    columns = ("strategy", "1", "2", "4", "8 assessors", "4 against 1", "8 against 1")
    return Table(f"Questions in all, several assessors at once, (50, 10), random order, no ties, {trials} trials", columns, rows)


def _most(claim: str, measured: float, bound: float) -> Target:
    return Target(claim, round(measured, 2), bound, "at most", unit="")


def _near(claim: str, measured: float, expected: float, off: float) -> Target:
    return Target(f"{claim} is {expected:g} ± {off:g}: off by", round(abs(measured - expected), 2), off, "at most", unit="")


def run(quick: bool) -> Report:
    """Count judgments for consistent judges, with and without ties, and measure what erring judges do to the result."""
    trials = 40 if quick else 1000
    sizes = [(50, 10), (100, 10)] if quick else [(50, 10), (100, 10), (1000, 10), (1000, 100)]
    wanted = [Setting(name, n, k) for n, k in sizes for name in _SORTING if k < 100 or name == "tournament"]  # others take minutes there
    strict = _all_means(wanted, trials)
    prior = _all_means([Setting(name, n, 10, has_prior=True) for n in (50, 100) for name in ("insertion", "adaptive")], trials)
    tied = _all_means(
        [Setting("heap", 100, 10, _grades), Setting("tournament", 100, 10, _grades), Setting("insertion", 100, 10, _grades),
         Setting("adaptive", 100, 10, _grades)], trials)  # fmt: skip
    apart = _all_means(
        [Setting(name, 100, 10, _grades, ties_are_transitive=False) for name in _SORTING], trials
    )  # fmt: skip
    bad = _all_means([Setting("adaptive", 100, 10, _grades, says_bad=True)], trials)
    bad_prior = _all_means([Setting("adaptive", 100, 10, _grades, has_prior=True, says_bad=True)], trials)
    noisy, noise_targets = _noisy(20 if quick else 300)
    return Report(
        "Judgments to the ordered top k",
        facts=[
            f"Means over {trials:,} seeded trials. 'compared' is what the algorithm wants to know, 'asked' what was not known or implied."
        ],
        tables=[
            _bounds_table(sizes),
            _table("Random order, no ties", strict),
            _table(f"By a prior order of τ = {_TAU}, no ties", prior),
            _table("Grades of 60/20/12/6/2 %, random order, left/right/tie", tied),
            _table("The same, ties not taken to be transitive", apart),
            _table("Ties transitive again, and 'both bad' of two documents of grade 0", bad),
            _table(f"The same, by a prior order of τ = {_TAU}", bad_prior),
            _crews(5 if quick else 100),
            noisy,
        ],
        targets=[*_targets(strict, prior, tied, bad, bad_prior), _rescored_heap(20 if quick else 2000), *noise_targets],
    )


def _targets(*found: Mapping[Setting, Means]) -> list[Target]:
    strict, prior, tied, bad, bad_prior = found
    targets = []
    for (n, k), expected, off in (((50, 10), 151, 3), ((100, 10), 233, 4)):
        targets.append(_near(f"heap ({n}, {k}) compared", strict[Setting("heap", n, k)].compared, expected, off))
    for n, k, name, most in ((50, 10, "tournament", 93), (100, 10, "tournament", 153), (1000, 10, "tournament", 1081),
                             (1000, 100, "tournament", 1890), (50, 10, "insertion", 117), (100, 10, "insertion", 191)):  # fmt: skip
        if (setting := Setting(name, n, k)) in strict:
            targets.append(_most(f"{name} ({n}, {k}) asked", strict[setting].asked, most))
    for n, most in ((50, 71), (100, 130)):
        targets.append(_most(f"insertion ({n}, 10) by a prior", prior[Setting("insertion", n, 10, has_prior=True)].asked, most))
    pairs = [
        (Setting("adaptive", s.n, s.k, has_prior=s.has_prior), s, table)
        for table in (strict, prior)
        for s in table
        if s.strategy == "insertion"
    ]
    worst = max(table[ours].asked / table[theirs].asked for ours, theirs, table in pairs)
    targets.append(Target("adaptive / insertion, no ties, worst of the sizes", round(worst, 3), 1.03, "at most"))
    targets.append(_near("heap (100, 10) with ties compared", tied[Setting("heap", 100, 10, _grades)].compared, 192, 4))
    for claim, table, most in (("adaptive with ties", tied, 127), ("… and both bad", bad, 108), ("… and a prior", bad_prior, 95)):
        mean = next(means for setting, means in table.items() if setting.strategy == "adaptive")
        targets.append(_most(f"{claim} (100, 10) asked", mean.asked, most))
    targets.append(_most("largest loss of top-k gain, all tables", max(means.lost for table in found for means in table.values()), 0))
    return targets
