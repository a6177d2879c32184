"""The lists that everyone learns from, and how a competent user of PyTorch or JAX would learn from them.

Peers are given what they need in the form that suits them best: rows best first, features in float32, one table of scores
(queries x documents). That takes a copy of the features in the order of the labels, which is not in their times.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import podium
from benchmarks.timing import Call

__all__ = ["FORMULAS", "L2", "THREADS", "TOL", "K", "Lists", "Outcome", "jax_fit", "rax_pass", "torch_fit", "torch_pass"]

K = 10
L2, TOL = 1e-3, 1e-4
THREADS = 2
_EPS = 1e-10  # what allRank adds before it takes a logarithm
_MOST_STEPS, _MEMORY = 1000, 20


@dataclass(frozen=True)
class Outcome:
    """Where a fit ended, and how often it went over the data."""

    weights: Any
    passes: int


@dataclass(frozen=True)
class Lists:
    """Queries of equally many documents, ordered completely by their labels."""

    data: podium.Dataset
    outcomes: dict[str, Outcome] = field(default_factory=dict)  # of fits, by contender

    @classmethod
    def drawn(cls, n_queries: int, n_documents: int) -> Lists:
        return cls(podium.synthetic(n_queries, n_documents))

    def first(self, n_queries: int) -> Lists:
        """The first few of them."""
        rows = self.data.offsets[n_queries]
        part = podium.Dataset.from_arrays(self.data.features[:rows], self.data.labels[:rows], offsets=self.data.offsets[: n_queries + 1])
        return Lists(part)

    @property
    def shape(self) -> tuple[int, int]:
        return self.data.n_queries, self.data.n_rows // self.data.n_queries

    @functools.cached_property
    def weights(self) -> Any:
        """Any weights, such that scores of a query are a few units apart, as in the middle of a training."""
        drawn = np.random.default_rng(0).normal(size=self.data.n_features)
        return drawn / (self.data.features[:10_000] @ drawn).std()

    @functools.cached_property
    def best_first(self) -> Any:
        return self.sorted_rows()

    def sorted_rows(self) -> Any:
        """The features, every query's rows in the order of their labels."""
        order = np.argsort(-self.data.labels.reshape(self.shape), axis=1, kind="stable")
        return self.data.features[(order + self.data.offsets[:-1, None]).ravel()]

    @functools.cached_property
    def costs(self) -> tuple[Any, Any]:
        """c and β of CS-ListMLE for the first K rows of each query (paper 002, Eq. 11), c divided by DCG@K and ln 2."""
        best = -np.sort(-self.data.labels.reshape(self.shape), axis=1)[:, :K]
        places = 1.0 + np.arange(1, K + 1)
        gains = np.exp2(best - best[:, :1]) - np.exp2(-best[:, :1])
        dcg = (gains / np.log2(places)).sum(axis=1, keepdims=True)
        c = gains / (places * np.log(places) ** 2) / dcg
        below = c[:, ::-1].cumsum(axis=1)[:, ::-1] - c
        return c, below + (self.shape[1] - np.arange(1, K + 1)) * c


# ---- PyTorch: the loss of every query, from a table of scores, best row first ----


def _listmle(torch: Any, scores: Any, _costs: Any) -> Any:
    worst_first = scores.flip(1)
    return (torch.logcumsumexp(worst_first, 1) - worst_first).sum(1)


def _listmle_of_allrank(torch: Any, scores: Any, _costs: Any, k: int | None = None) -> Any:
    """Sums of exponentials after a shift by the list's maximum; where one is 0, ``_EPS`` keeps its logarithm finite."""
    shifted = scores - scores.max(1, keepdim=True).values
    left = shifted.exp().flip(1).cumsum(1).flip(1)
    return ((left + _EPS).log() - shifted)[:, :k].sum(1)


def _top_listmle_of_allrank(torch: Any, scores: Any, costs: Any) -> Any:
    return _listmle_of_allrank(torch, scores, costs, K)


def _top_listmle(torch: Any, scores: Any, _costs: Any) -> Any:
    top = scores[:, :K].flip(1)
    rest = scores[:, K:].logsumexp(1, keepdim=True)
    return (torch.logcumsumexp(torch.cat([rest, top], 1), 1)[:, 1:] - top).sum(1)


def _hom_og(torch: Any, scores: Any, _costs: Any) -> Any:
    top = scores[:, :K].flip(1)
    rest = scores[:, K:].logsumexp(1, keepdim=True)
    return (torch.logaddexp(top, rest) + torch.logcumsumexp(top, 1) - 2 * top).sum(1)


def _exponential(_torch: Any, scores: Any, _costs: Any) -> Any:
    worst_first = scores.flip(1)
    e = (worst_first - scores.detach().max(1, keepdim=True).values).exp()
    return (e.cumsum(1)[:, :-1] / e[:, 1:]).sum(1)


def _cs_listmle(_torch: Any, scores: Any, costs: Any) -> Any:
    c, beta = costs
    e = (scores - scores.detach().max(1, keepdim=True).values).exp()
    top, rest = e[:, :K], e[:, K:].sum(1, keepdim=True)
    below = top.flip(1).cumsum(1).flip(1) - top + rest
    weighed = (c * top).flip(1).cumsum(1).flip(1) - c * top
    return (beta * ((c * below + weighed) / (beta * top)).log1p()).sum(1)


def _logistic(torch: Any, scores: Any, _costs: Any) -> Any:
    """Each of the top against all of the rest, and against those of the top that are below it."""
    softplus = torch.nn.functional.softplus
    top, rest = scores[:, :K, None], scores[:, None, K:]
    inside = softplus(scores[:, None, :K] - top).triu(1)
    return softplus(rest - top).sum((1, 2)) + inside.sum((1, 2))


FORMULAS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "listmle": _listmle,
    "listmle, allRank": _listmle_of_allrank,
    "top-k-listmle": _top_listmle,
    "top-k-listmle, allRank": _top_listmle_of_allrank,
    "hom-og": _hom_og,
    "pairwise-exponential": _exponential,
    "cs-listmle": _cs_listmle,
    "pairwise-logistic": _logistic,
}


def _torch_loss(name: str, lists: Lists, dtype: str) -> Callable[[Any], Any]:
    """The mean loss as a function of weights: products with features are in ``dtype``, what follows is in the type of the weights."""
    import torch

    torch.set_num_threads(THREADS)
    kind = getattr(torch, dtype)
    features = torch.from_numpy(lists.best_first).to(kind)
    costs = [torch.from_numpy(each.copy()).to(kind) for each in lists.costs] if name == "cs-listmle" else None
    formula = FORMULAS[name]
    return lambda weights: formula(torch, (features @ weights.to(kind)).view(lists.shape).to(weights.dtype), costs).mean()


def torch_pass(name: str, *, dtype: str = "float32") -> Callable[[Lists], Call]:
    """One of FORMULAS and its slope by weight."""

    def prepare(lists: Lists) -> Call:
        import torch

        loss = _torch_loss(name, lists, dtype)
        weights = torch.tensor(lists.weights, dtype=getattr(torch, dtype), requires_grad=True)

        def call() -> tuple[float, Any]:
            value = loss(weights)
            (gradient,) = torch.autograd.grad(value, weights)
            return value.item(), gradient.numpy()

        return call

    return prepare


class _Reached(Exception):
    """The gradient is small enough."""


def torch_fit(name: str, contender: str, dtype: str = "float32") -> Callable[[Lists], Call]:
    """PyTorch's own L-BFGS, until the gradient is small at any point that it looks at; ``dtype`` is that of scores and weights."""

    def prepare(lists: Lists) -> Call:
        import torch

        loss = _torch_loss(name, lists, "float32")
        start = torch.zeros(lists.data.n_features, dtype=getattr(torch, dtype))
        loss(start)

        def fit() -> None:
            weights = start.clone().requires_grad_()
            passes = 0

            def closure() -> Any:
                nonlocal passes
                passes += 1
                value = loss(weights) + L2 / 2 * (weights @ weights)
                (weights.grad,) = torch.autograd.grad(value, weights)
                if weights.grad.norm() <= TOL:
                    raise _Reached
                return value

            optimizer = torch.optim.LBFGS(
                [weights], max_iter=_MOST_STEPS, tolerance_grad=0.0, history_size=_MEMORY, line_search_fn="strong_wolfe"
            )
            with contextlib.suppress(_Reached):
                optimizer.step(closure)
            lists.outcomes[contender] = Outcome(weights.detach().numpy().astype(np.float64), passes)

        return fit

    return prepare


# ---- JAX ----


def rax_pass(lists: Lists) -> Call:
    """Rax's ListMLE and its slope by weight, compiled; it sorts by label in every call."""
    import jax
    import rax

    features = jax.numpy.asarray(lists.best_first)
    labels = jax.numpy.asarray(-np.sort(-lists.data.labels.reshape(lists.shape), axis=1), dtype="float32")
    weights = jax.numpy.asarray(lists.weights, dtype="float32")

    @jax.jit
    @jax.value_and_grad
    def both(weights: Any, features: Any, labels: Any) -> Any:
        return rax.listmle_loss((features @ weights).reshape(lists.shape), labels)

    def call() -> tuple[float, Any]:
        value, gradient = both(weights, features, labels)
        return float(value), np.asarray(gradient)

    return call


def jax_fit(contender: str, dtype: str = "float32") -> Callable[[Lists], Call]:
    """Top-k ListMLE in JAX, compiled, under SciPy's L-BFGS-B, until the gradient is small at any point that it looks at."""

    def prepare(lists: Lists) -> Call:
        import jax
        from scipy.optimize import minimize

        features = jax.numpy.asarray(lists.best_first)

        @jax.jit
        @jax.value_and_grad
        def both(weights: Any, features: Any) -> Any:
            scores = (features @ weights.astype("float32")).reshape(lists.shape).astype(dtype)
            top = scores[:, :K][:, ::-1]
            rest = jax.nn.logsumexp(scores[:, K:], axis=1, keepdims=True)
            left = jax.lax.cumlogsumexp(jax.numpy.concatenate([rest, top], axis=1), axis=1)[:, 1:]
            return (left - top).sum(axis=1).mean() + L2 / 2 * (weights @ weights)

        def found(weights: Any) -> tuple[float, Any]:
            with jax.enable_x64(dtype == "float64"):
                value, gradient = both(weights.astype(dtype), features)
                return float(value), np.asarray(gradient, dtype=np.float64)

        found(np.zeros(lists.data.n_features))

        def fit() -> None:
            passes, last = 0, np.zeros(lists.data.n_features)

            def evaluate(weights: Any) -> tuple[float, Any]:
                nonlocal passes, last
                passes, last = passes + 1, weights.copy()
                value, gradient = found(weights)
                if np.linalg.norm(gradient) <= TOL:
                    raise _Reached
                return value, gradient

            options = {"maxiter": _MOST_STEPS, "maxfun": 20 * _MOST_STEPS, "ftol": 0.0, "gtol": 0.0, "maxcor": _MEMORY}
            with contextlib.suppress(_Reached):
                last = minimize(evaluate, last, jac=True, method="L-BFGS-B", options=options).x
            lists.outcomes[contender] = Outcome(last, passes)

        return fit

    return prepare
