"""Paper 004, "Statistical Consistency of Top-k Ranking", section 4: order-sensitive losses on order-preserving spaces."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator

import numpy as np

from podium.ragged import Floats
from podium.theory.facts import Batch, Bench, Flags, Outcome, numbers, outcome
from podium.theory.orders import labels_of
from podium.theory.risks import Risk, risk_of, smallest_risk
from podium.theory.spaces import coarser, is_order_preserving, pair_space, spread_over_orders
from podium.theory.survey import Cell, Key, look

__all__ = [
    "Cells",
    "footnote_4",
    "permutation_level",
    "proposition_4",
    "proposition_5",
    "proposition_8",
    "proposition_9",
    "proposition_10",
    "proposition_10_always",
    "section_4_3",
    "theorem_6",
    "theorem_7",
]  # fmt: skip

Cells = tuple[Cell, ...]
_APART = 1e-6
_JUST_LIKELIER = 0.334  # p1 of Proposition 10; p2 is 0.333
_TAKEN_OVER = ("top-k-listmle", "top-k-rankcosine", "top-k-listnet", "listnet-exact")  # by section 4.3; all on top-k labels
_WHOLE = ("listmle", "rankcosine", "listnet-exact")  # the losses that section 4.3 says are permutation-level order sensitive


def named(key: Key) -> str:
    """A question in words."""
    return f"{key.loss} on {key.kind} labels, n = {key.n}, k = {key.k}"


def _over(cells: Iterable[Cell], broken: Callable[[Cell], str], trials: Callable[[Cell], int] = lambda cell: cell.trials) -> Outcome:
    """A claim about every one of these cells; ``broken`` says how a cell breaks it, or nothing."""
    told = [(trials(cell), broken(cell)) for cell in sorted(cells, key=lambda cell: (cell.key.n, cell.key.k))]
    return Outcome(sum(count for count, _ in told), next((text for _, text in told if text), ""))


def proposition_4(_bench: Bench, cells: Cells) -> Outcome:
    """Orders of one top-k subgroup cost the same under an order-sensitive loss."""
    return _over(
        (cell for cell in cells if cell.failure is None),
        lambda cell: "" if cell.is_equal_in_subgroups else named(cell.key),
        lambda cell: cell.values,
    )


def proposition_5(_bench: Bench, cells: Cells) -> Outcome:
    """Slopes at equal scores follow the order of the truth under an order-sensitive loss."""
    return _over(
        (cell for cell in cells if cell.is_sensitive),
        lambda cell: "" if cell.do_slopes_follow else named(cell.key),
        lambda cell: cell.tied_trials,
    )


def proposition_9(_bench: Bench, cells: Cells) -> Outcome:
    """Top-k' order sensitive implies top-(k' + 1) order sensitive, for every loss and every k', whatever k the loss was given."""

    def broken(cell: Cell) -> str:
        for k, (own, after) in enumerate(itertools.pairwise(cell.failures), start=1):
            if own is None and after is not None:
                return f"{named(cell.key)}: top-{k}, but not top-{k + 1}, by condition {after.clause}: {after.example}"
        return ""

    return _over(cells, broken)


def theorem_6(_bench: Bench, cells: Cells) -> Outcome:
    """The risk of an order-sensitive loss is least at the Bayes ranker, on spaces that preserve the order of the theorem's n - 1 pairs."""
    return _over(
        (cell for cell in cells if cell.is_sensitive),
        lambda cell: "" if cell.mistake is None else f"{named(cell.key)}: {cell.mistake.text}",
        lambda cell: cell.spaces,
    )


def theorem_7(bench: Bench, cells: Cells) -> Outcome:
    """The same pair by pair: a space that is order preserving for i and j only has g_i > g_j at the least risk."""

    def batches() -> Iterator[Batch]:
        for cell, again in itertools.product(cells, range(3)):
            key = cell.key
            if cell.is_sensitive:
                random = bench.random(f"theorem 7 {key} {again}")
                i, j = (int(one) for one in random.permutation(key.n)[:2])
                chances = spread_over_orders(pair_space(key.n, key.k, (i, j), random), key.n, key.k, random)
                least = smallest_risk(risk_of(key.make(bench), key.labels, chances), is_scale_free=key.is_scale_free)
                is_wrong = np.array([least.scores[i] - least.scores[j] < _APART])
                text = f"{named(key)}: minimiser {numbers(least.scores.round(6))} has g{i + 1} ≤ g{j + 1}"
                yield Batch(is_wrong, lambda _row, text=text: text)  # type: ignore[misc]

    return outcome(batches())


def section_4_3(_bench: Bench, cells: Cells) -> Outcome:
    """Top-k ListMLE, RankCosine and cross entropy on top-k labels are top-k subgroup order sensitive."""
    kept = (cell for cell in cells if cell.key.loss in _TAKEN_OVER and cell.key.kind == "top-k")
    return _over(kept, lambda cell: "" if cell.is_sensitive else f"{named(cell.key)}: {cell.failure}")


def permutation_level(_bench: Bench, cells: Cells) -> Outcome:
    """ListMLE, RankCosine and ListNet on full orders are top-n order sensitive; below n - 1 they are not."""
    return _only_for_whole_orders(cells, _WHOLE)


def _only_for_whole_orders(cells: Cells, losses: Collection[str]) -> Outcome:
    def broken(cell: Cell) -> str:
        return "" if cell.is_sensitive == (cell.key.k >= cell.key.n - 1) else f"{named(cell.key)}: {cell.failure}"

    return _over((cell for cell in cells if cell.key.loss in losses and cell.key.kind == "full"), broken)


def footnote_4(_bench: Bench, cells: Cells) -> Outcome:
    """Cross entropy of the chances to be first, on full orders, is permutation-level order sensitive and not top-1 order sensitive."""
    return _only_for_whole_orders(cells, ("listnet",))


def proposition_8(bench: Bench, _cells: Cells) -> Outcome:
    """A top-k space that is order preserving for i and j gives a top-(k - 1) space that is so too."""

    def batches() -> Iterator[Batch]:
        random = bench.random("proposition 8")
        sizes = [(n, k) for n in range(2, 6) for k in range(2, n + 1)]
        for n, k in sizes:
            is_broken = []
            for _ in range(bench.trials // len(sizes) // 4 + 1):
                i, j = (int(one) for one in random.permutation(n)[:2])
                chances = pair_space(n, k, (i, j), random)
                assert is_order_preserving(chances, n, k, (i, j))
                is_broken.append(not is_order_preserving(coarser(chances, n, k), n, k - 1, (i, j)))
            yield Batch(np.array(is_broken), lambda row, n=n, k=k: f"n = {n}, k = {k}, trial {row}")  # type: ignore[misc]

    return outcome(batches())


# ---- Proposition 10 ----


def space_10(first: float) -> Floats:
    """Its chances of the orders 123, 132, 213, 231, 312, 321: p1, 0, p2, 0, 0, p2."""
    second = (1.0 - first) / 2.0
    return np.array([first, 0.0, second, 0.0, 0.0, second])


def risk_10(bench: Bench, key: Key, first: float) -> Risk:
    return risk_of(key.make(bench), labels_of(3, 3, "full"), space_10(first))


def _meets_premise(bench: Bench, key: Key) -> bool:
    """Whether φ(g, (3 1 2)) < φ(g, (3 2 1)) wherever g_1 > g_2; these are the last two orders."""
    on = look(bench, key)
    values = on.values[on.scores[:, 0] > on.scores[:, 1]]
    return bool((values[:, 4] < values[:, 5]).all())


def _top_3_sensitive(bench: Bench, cells: Cells) -> list[Key]:
    found = [cell.key for cell in cells if cell.is_sensitive and cell.key.kind == "full" and (cell.key.n, cell.key.k) == (3, 3)]
    return [key for key in found if _meets_premise(bench, key)]


def _is_first(bench: Bench, key: Key, first: float) -> tuple[bool, Floats, float]:
    """Whether the risk is least with document 1 on top, which is the top-1 Bayes ranker; those scores, and the risk."""
    least = smallest_risk(risk_10(bench, key, first), is_scale_free=key.is_scale_free)
    return bool(least.scores[0] > least.scores[1:].max() + _APART), least.scores, least.risk


def proposition_10(bench: Bench, cells: Cells) -> Outcome:
    """On this space with p1 = 0.334 > p2 = 0.333 every top-3 order-sensitive loss of ours puts another document first."""
    told, remarks = [], []
    for key in _top_3_sensitive(bench, cells):
        right, scores, risk = _is_first(bench, key, _JUST_LIKELIER)
        exchanged, _ = risk_10(bench, key, _JUST_LIKELIER)(scores[[1, 0, 2]])
        told.append(f"{named(key)}: minimiser {numbers(scores)}" if right else "")
        if key.loss == "listmle":
            remarks.append(f"ListMLE: risk {risk:.5f} at g = {numbers(scores)}, {exchanged:.5f} with documents 1 and 2 exchanged")
    return Outcome(len(told), next(filter(None, told), ""), "; ".join(remarks))


def proposition_10_always(bench: Bench, cells: Cells) -> Outcome:
    """The same for every p1 > p2, which the wording could mean: false, a p1 that is large enough puts document 1 first."""
    tried, keys = [round(0.34 + 0.02 * step, 2) for step in range(33)], _top_3_sensitive(bench, cells)

    def batches() -> Iterator[Batch]:
        for first in tried:
            found = [_is_first(bench, key, first) for key in keys]
            is_broken: Flags = np.array([right for right, _, _ in found], dtype=bool)
            texts = [
                f"p1 = {first:g}, {key.loss}: risk {risk:.5f} is least at {numbers(scores)}"
                for key, (_, scores, risk) in zip(keys, found, strict=True)
            ]
            yield Batch(is_broken, texts.__getitem__)

    return outcome(batches())
