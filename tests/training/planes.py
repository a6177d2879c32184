"""The SVM family a second time: every constraint spelled out, and an exact minimum that brings its own proof.

A problem is ½ |w|² + Σ mass · max(0, slopes · w + heights) over groups of planes. One pair is a group of one plane; one list a group of as
many as it has orders.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from tests.losses.plain import top_and_rest
from tests.training.explicit import scaled

from podium import Dataset
from podium.ragged import Floats


class Group(NamedTuple):
    mass: float
    slopes: Floats
    heights: Floats

    def at(self, weights: Floats) -> float:
        return self.mass * max(0.0, float((self.slopes @ weights + self.heights).max()))


# ---- what each algorithm asks ----


def pairs(rows: Floats, better: Sequence[int], worse: Sequence[int], mass: float) -> list[Group]:
    """A margin of 1 for every pair."""
    return [Group(mass, (rows[j] - rows[i])[None], np.ones(1)) for i in better for j in worse]


def orders(rows: Floats, relevant: Sequence[int], others: Sequence[int], mass: float) -> list[Group]:
    """1 - AP of every order of the rows, less 2/(|R||N|) Σ w·(x_i - x_j) over its wrong pairs."""
    if not relevant or not others:
        return []
    slopes, heights, share = [], [], 2 / (len(relevant) * len(others))
    for order in itertools.permutations([*relevant, *others]):
        above: list[int] = []
        slope, precisions = np.zeros(rows.shape[1]), []
        for place, row in enumerate(order, 1):
            if row in relevant:
                slope += sum((rows[j] - rows[row] for j in above), np.zeros(rows.shape[1]))
                precisions.append((len(precisions) + 1) / place)
            else:
                above.append(row)
        slopes.append(share * slope)
        heights.append(1 - sum(precisions) / len(relevant))
    planes = np.unique(np.column_stack([slopes, heights]), axis=0)
    return [Group(mass, planes[:, :-1], planes[:, -1])]


def groups_of(data: Dataset, algorithm: str, C: float, scaling: str = "none", k: int = 10, balance: float = 0.5) -> list[Group]:
    table, found = scaled(data.features, data.offsets, scaling), []
    for begin, end in itertools.pairwise(data.offsets.tolist()):
        rows, labels = table[begin:end], data.labels[begin:end].tolist()
        share = C / data.n_queries
        places = range(len(labels))
        if algorithm == "ranksvm":
            found += [group for i in places for group in pairs(rows, [i], [j for j in places if labels[j] < labels[i]], C)]
        elif algorithm == "svmmap":
            found += orders(rows, [i for i in places if labels[i] > 0], [i for i in places if labels[i] <= 0], share)
        else:
            top, rest = top_and_rest(labels, k)
            cuts = sorted({labels[i] for i in top})[1:]
            for cut in cuts if balance > 0 else []:
                first, last = [i for i in top if labels[i] >= cut], [i for i in top if labels[i] < cut]
                found += orders(rows, first, last, balance * share / len(cuts))
            found += pairs(rows, top, rest, (1 - balance) * share / max(len(top) * len(rest), 1)) if balance < 1 else []
    return found


# ---- its minimum ----


def objective(groups: list[Group], weights: Floats) -> float:
    return 0.5 * float(weights @ weights) + sum(group.at(weights) for group in groups)


def minimum(groups: list[Group]) -> tuple[float, Floats]:
    """The least objective to 8 digits, and its weights, by an interior-point method; a feasible dual of the same value proves it."""
    width, count = groups[0].slopes.shape[1], len(groups)
    slopes, heights = np.vstack([group.slopes for group in groups]), np.concatenate([group.heights for group in groups])
    owner = np.repeat(np.arange(count), [len(group.heights) for group in groups])
    masses = np.array([group.mass for group in groups])
    # x = (w, ξ): ½ w·w + masses·ξ, where A x ≤ b: each plane below its ξ, each ξ from 0 on
    A = np.vstack([np.hstack([slopes, -np.eye(count)[owner]]), np.hstack([np.zeros((count, width)), -np.eye(count)])])
    b = np.concatenate([-heights, np.zeros(count)])
    square, linear = np.diag(np.repeat([1.0, 0.0], [width, count])), np.concatenate([np.zeros(width), masses])
    x = np.concatenate([np.zeros(width), np.full(count, np.abs(heights).max() + 1.0)])
    s, z = np.maximum(b - A @ x, 1.0), np.full(len(b), masses.mean())
    for _ in range(200):
        dual, primal, product = square @ x + linear + A.T @ z, A @ x + s - b, s * z
        weights, value = x[:width], objective(groups, x[:width])
        shares = z[: len(owner)] * np.minimum(1.0, masses / np.maximum(np.bincount(owner, z[: len(owner)], count), 1e-300))[owner]
        pulled = shares @ slopes
        bound = float(shares @ heights - 0.5 * (pulled @ pulled))
        if value - bound <= 1e-8 * value:
            return value, weights
        matrix = square + A.T @ (A * (z / s)[:, None])
        steps, centre = (np.zeros_like(x), np.zeros_like(s), np.zeros_like(z)), 0.0
        for is_last in (False, True):  # a look ahead, then the step, centred as much as the look says
            wanted = product + (steps[1] * steps[2] - centre if is_last else 0.0)
            dx = np.linalg.solve(matrix, -dual - A.T @ ((z * primal - wanted) / s))
            ds = -primal - A @ dx
            dz = -(wanted + z * ds) / s
            length = min(1.0, *(0.995 / max(float((-step / now).max()), 1e-300) for now, step in ((s, ds), (z, dz))))
            steps, ahead = (dx, ds, dz), float(((s + length * ds) * (z + length * dz)).mean())
            centre = product.mean() * (ahead / product.mean()) ** 3
        x, s, z = x + length * dx, s + length * ds, z + length * dz
    raise AssertionError(f"no proof of a minimum: {value} against {bound}")
