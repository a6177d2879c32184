"""What RankBoost is compared with: LightGBM's stumps on the exponential loss of pairs, which it takes as a loss of its user."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import podium
from benchmarks.learn_peers import THREADS
from podium import losses

__all__ = ["Rounds", "lightgbm_rounds"]


@dataclass(frozen=True)
class Rounds:
    """How a boosting spent its time, and the mean loss of a query that it reached."""

    n_rounds: int
    whole: float
    bins: float  # making bins, alone
    a_round: float
    reached: float
    in_loss: float | None = None  # the share of a round that is gradient and curvature, where it is known


def lightgbm_rounds(data: podium.Dataset, n_rounds: int) -> Rounds:
    """LightGBM's stumps; gradient and curvature come from our compiled loss, labels sorted before."""
    import lightgbm

    loss = losses.get("pairwise-exponential")
    ordered = loss.prepare(data.labels, data.offsets)
    stamps: list[float] = []
    in_loss = 0.0

    def objective(scores: Any, _data: Any) -> tuple[Any, Any]:
        nonlocal in_loss
        begun = time.perf_counter()
        found = loss.of(scores, ordered)
        in_loss += time.perf_counter() - begun
        return found.gradient, found.curvature

    settings = {
        "num_leaves": 2, "max_bin": 255, "learning_rate": 0.1, "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0, "num_threads": THREADS, "verbose": -1,
    }  # fmt: skip
    start = time.perf_counter()
    binned = lightgbm.Dataset(data.features, data.labels, params=settings).construct()
    bins = time.perf_counter() - start
    model = lightgbm.train({**settings, "objective": objective}, binned, n_rounds, callbacks=[lambda _: stamps.append(time.perf_counter())])
    whole = time.perf_counter() - start
    a_round = (stamps[-1] - stamps[0]) / max(len(stamps) - 1, 1)
    reached = float(loss.of(model.predict(data.features, num_threads=THREADS), ordered, curvature=False).per_query.mean())
    return Rounds(n_rounds, whole, bins, a_round, reached, in_loss / n_rounds / a_round)
