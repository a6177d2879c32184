"""Losses: (scores, labels, offsets) to a value per query, a slope and a curvature per row. LOSSES is the table; nothing else lists them.

Shared by all: query ``q`` owns the rows ``offsets[q]:offsets[q + 1]``; labels are larger for better documents, equal labels state no
preference; a query without any preference (one document, or all labels equal) costs 0 and has no slope. A loss sees scores and labels
only, so any ranker can learn from any loss. Finite for all finite scores. Queries are served on every core, and any number of
threads gives the same bits.

>>> loss = get("top-k-listmle", k=2)
>>> out = loss(scores=[0.0, 0.0, 0.0], labels=[1, 0, 2], offsets=[0, 3])
>>> out.per_query.round(6).tolist(), out.gradient.round(6).tolist()
([1.791759], [-0.166667, 0.833333, -0.666667])
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from numpy.typing import ArrayLike

from podium.errors import DataError, UnknownName
from podium.losses import cost_sensitive, focused, hierarchical, listwise, pairwise, structural
from podium.losses.ordered import LossOutput, Ordered, Rule, check_settings, evaluate_ordered, prepare

__all__ = ["LOSSES", "Entry", "Loss", "LossOutput", "Ordered", "get"]


@dataclass(frozen=True)
class Entry:
    """One row of the table of losses. Settings and their defaults are the keyword arguments of the function."""

    function: Callable[..., LossOutput]
    rule: Rule
    meaning: str
    source: str
    is_flat_at_zero: bool = False  # whether equal scores have no slope, so that learning must begin elsewhere
    resembles: str = ""  # of a piecewise linear loss: the smooth one whose curvature stands in for its own, which is 0
    is_summed: bool = False  # of those: whether C weighs its sum over queries, not its mean

    @functools.cached_property
    def settings(self) -> dict[str, Any]:
        """Names and defaults."""
        parameters = inspect.signature(self.function).parameters.values()
        return {one.name: one.default for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}


LOSSES: dict[str, Entry] = {
    "pairwise-hinge": Entry(pairwise.pairwise_hinge, pairwise.HINGE, "how far margins between pairs fall short of 1 (Ranking SVM)", "paper 000, Eq. 2", resembles="pairwise-exponential", is_summed=True),
    "pairwise-exponential": Entry(pairwise.pairwise_exponential, pairwise.EXPONENTIAL, "e to the minus margin of every pair (RankBoost)", "paper 000, Eq. 3"),
    "pairwise-logistic": Entry(pairwise.pairwise_logistic, pairwise.LOGISTIC, "negative log-likelihood of every pair (RankNet)", "paper 000, Eq. 4"),
    "listmle": Entry(listwise.listmle, listwise.LISTMLE, "negative log-likelihood of the whole order under the Luce model", "paper 004, Eq. 9"),
    "top-k-listmle": Entry(listwise.top_k_listmle, listwise.TOP_K_LISTMLE, "the same for drawing the top k, best first", "paper 004, Eq. 10"),
    "listnet": Entry(listwise.listnet, listwise.LISTNET, "cross entropy of the chances to be first", "Cao et al. 2007"),
    "listnet-exact": Entry(listwise.listnet_exact, listwise.LISTNET_EXACT, "cross entropy of the chances of all orders; up to 12 documents", "Cao et al. 2007"),
    "top-k-listnet": Entry(listwise.top_k_listnet, listwise.TOP_K_LISTNET, "top-one ListNet on top-k labels", "paper 004, 4.3.3"),
    "rankcosine": Entry(listwise.rankcosine, listwise.RANKCOSINE, "one minus the cosine between scores and labels, halved", "paper 004, Eq. 11", is_flat_at_zero=True),
    "top-k-rankcosine": Entry(listwise.top_k_rankcosine, listwise.TOP_K_RANKCOSINE, "the same on top-k labels", "paper 004, 4.3.2", is_flat_at_zero=True),
    "cs-listmle": Entry(cost_sensitive.cs_listmle, cost_sensitive.CS_LISTMLE, "ListMLE in which pairs weigh what they cost in NDCG@k", "paper 002, Eq. 11"),
    "hom-gg": Entry(hierarchical.hom_gg, hierarchical.HOM_GG, "the top as a group before the rest, then its order", "paper 003"),
    "hom-oo": Entry(hierarchical.hom_oo, hierarchical.HOM_OO, "each of the top before each of the rest, and its order", "paper 003"),
    "hom-og": Entry(hierarchical.hom_og, hierarchical.HOM_OG, "each of the top before the rest as a group, and its order", "paper 003"),
    "focused-net": Entry(focused.focused_net, focused.FOCUSED_NET, "ListNet inside the top, RankNet between the top and the rest", "paper 001"),
    "map-hinge": Entry(structural.map_hinge, structural.MAP_HINGE, "how far the true order falls short of the one that threatens AP most (SVM-MAP)", "Yue et al. 2007", resembles="listnet"),
    "focused-hinge": Entry(focused.focused_hinge, focused.FOCUSED_HINGE, "SVM-MAP inside the top, Ranking SVM between the top and the rest (FocusedSVM)", "paper 001", resembles="listnet"),
}  # fmt: skip


@final
@dataclass(frozen=True)
class Loss:
    """A loss with its settings fixed: call it, or order the labels once and call :meth:`of` for every new scores."""

    name: str
    entry: Entry = field(repr=False, compare=False)
    settings: tuple[tuple[str, Any], ...] = ()

    def __call__(self, scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
        return self.of(scores, self.prepare(labels, offsets))

    @property
    def numbers(self) -> tuple[float, ...]:
        """The settings as kernels take them."""
        return tuple(float(value) for _, value in self.settings)

    def prepare(self, labels: ArrayLike, offsets: ArrayLike) -> Ordered:
        """What depends on labels alone."""
        return prepare(self.entry.rule, labels, offsets, self.numbers)

    def of(self, scores: ArrayLike, ordered: Ordered, *, curvature: bool = True) -> LossOutput:
        """The loss of some scores; without curvature it is a little faster, and that array is empty."""
        return evaluate_ordered(self.entry.rule, scores, ordered, self.numbers, curvature=curvature)


def get(name: str | Loss, **settings: Any) -> Loss:
    """The loss of a name, with settings; those not given have their defaults.

    >>> get("hom-og", k=5)
    Loss(name='hom-og', settings=(('k', 5),))
    >>> get("listmel")
    Traceback (most recent call last):
    podium.errors.UnknownName: unknown loss 'listmel'; did you mean 'listmle'? choose from cs-listmle, ...
    >>> get("listmle", k=5)
    Traceback (most recent call last):
    podium.errors.UnknownName: unknown setting of listmle 'k'; it has none
    """
    if isinstance(name, Loss):
        if settings:
            raise DataError(f"{name.name} has its settings already; give its name instead")
        return name
    if name not in LOSSES:
        raise UnknownName("loss", name, LOSSES)
    entry = LOSSES[name]
    known = entry.settings
    for setting in settings:
        if setting not in known:
            raise UnknownName(f"setting of {name}", setting, known)
    chosen = {**known, **settings}
    check_settings(**chosen)
    return Loss(name, entry, tuple(chosen.items()))
