"""The page of algorithms, from the tables ALGORITHMS and LOSSES: a part of docs/build.py."""

from __future__ import annotations

import inspect
import re
from typing import Any

from podium.algorithms import ALGORITHMS, TRAINERS, Algorithm
from podium.losses import LOSSES

__all__ = ["algorithms_page"]

# What a row of the table does not say: the idea in a sentence, and where the equation stands if it is not that of a loss.
IDEAS = {
    "ranknet": "Every pair of documents with different labels is a coin that should fall on the better one's side.",
    "listnet": "Scores and labels each say how likely a document is to be first; make the two agree.",
    "listmle": "The true order should be the likeliest one to be drawn, place by place.",
    "rankcosine": "Scores should point where labels point; how long they are does not matter.",
    "top-k-listmle": "Draw the first k places only: the order of the rest is not asked for.",
    "top-k-listnet": "ListNet that is told the top k alone.",
    "top-k-rankcosine": "RankCosine that is told the top k alone.",
    "cs-listmle": "ListMLE that takes a mistake for as bad as it is in NDCG@k.",
    "hom-gg": "First the top as a group is drawn before the rest, then its order.",
    "hom-oo": "Each of the top beats each of the rest, one by one, and the top is ordered.",
    "hom-og": "Each of the top is drawn before all of the rest, and the top is ordered.",
    "focused-net": "A list loss where there is an order, a pair loss where there is none.",
    "ranksvm": "The better document of a pair should win by a margin, with small weights.",
    "svmmap": "No other order may come close to the true one by more than it is worse in average precision.",
    "focused-svm": "SVM-MAP where there is an order, Ranking SVM where there is none.",
    "rankboost": "Add step after step, each chosen for the pairs that are still wrong.",
    "adarank": "Add feature after feature, each chosen for the queries that are still bad.",
    "focused-boost": "AdaRank where there is an order, RankBoost where there is none, in one sum.",
    "top-k-cps": "Features vote which of the documents left comes next; learn how much each vote counts.",
}
MODELS = {  # where the models page tells more
    "bundle": "margins-the-svm-family", "rankboost": "boosting", "adarank": "boosting", "focused-boost": "boosting",
    "cps": "features-as-voters-top-k-cps",
}  # fmt: skip
EQUATIONS = {  # of those that do not minimise a loss of the table
    "rankboost": r"\text{pairs weigh } D(j, l) \propto e^{-(H_j - H_l)}, \qquad r = \sum_{j,l} D(j, l) \, (h_j - h_l), \qquad "
    r"H \leftarrow H + \frac12 \ln \frac{1 + r}{1 - r} \, h",
    "adarank": r"\text{queries weigh } W_i \propto e^{-E(H, q_i)}, \qquad "
    r"H \leftarrow H + \frac12 \ln \frac{\sum_i W_i (1 + E(h, q_i))}{\sum_i W_i (1 - E(h, q_i))} \, h",
    "focused-boost": r"g = \beta \sum_i W_i \, E(h, T_i) + (1 - \beta) \sum_{T \times F} D(u, v) \, (h_u - h_v), \qquad "
    r"H \leftarrow H + \frac12 \ln \frac{1 + g}{1 - g} \, h",
    "top-k-cps": r"P = \prod_{i=1}^{k} \frac{e^{-e_i(y(i))}}{\sum_{j \in \mathrm{left}(i)} e^{-e_i(j)}}, \qquad "
    r"e_i(j) = \sum_m \theta_m \cdot \big| \lbrace l \in \mathrm{left}(i) \; : \; m \text{ ranks } l \text{ above } j \rbrace \big|",
}
READINGS = {  # where a paper leaves open what the equation says
    "rankcosine": "At s = 0 the value is ½ and the slope 0 *(our reading)*.",
    "top-k-rankcosine": "At s = 0 the value is ½ and the slope 0 *(our reading)*.",
    "focused-net": 'The paper asks that both terms be "normalized to a comparable range". Each is divided by its own value at equal '
    "scores; a term whose divisor is 0 is dropped *(our reading)*.",
    "focused-svm": "T is an order, but average precision knows two grades. So the list term is the mean over j of $A_j$, SVM-MAP's loss "
    "on T with the first j relevant *(our reading)*.",
    "adarank": "Equal scores count in the worst order *(our reading)*.",
    "focused-boost": "Of Alg. 2 *(our reading)*: both distributions are kept at once, D is updated as RankBoost does it, W as AdaRank does "
    "it, and the weak ranker of either kind with the largest |g| is taken. Equal scores count in the worst order *(our reading)*.",
    "top-k-cps": "A tie of a feature counts ½. Where labels tie, a document competes with those strictly below it *(our reading)*.",
}

SHARED = {name: trainer.defaults for name, trainer in TRAINERS.items() if sum(one.trainer == name for one in ALGORITHMS.values()) > 1}

HEAD = """# Algorithms

All that can be trained, each with its paper, idea, equation, settings and grids. Which one to begin with is in
[learning](learning.md#which-algorithm); how each does beside what the papers printed is in [reproduction](reproduction.md). What
the symbols mean is in [losses](losses.md#the-equations). *(our reading)* marks what we
chose where a paper leaves it open; what losses make of ties is in [what holds for all](losses.md#what-holds-for-all).

```python
>>> import podium
>>> data = podium.synthetic(queries=20, documents=30, features=5, seed=0).top_k(5)
>>> ranker = podium.Ranker("hom-og", k=5, l2=0.01).fit(data)         # the name, and settings by name

```

`podium algorithms hom-og` prints what its settings mean. This page is written by `make docs` from the table of algorithms."""

PAPERS = """## The papers

| short | paper |
| --- | --- |
| 000 | Lan, Niu, Guo, Cheng: Is Top-k Sufficient for Ranking? CIKM 2013 |
| 001 | Niu, Guo, Lan, Cheng: Top-k Learning to Rank: Labeling, Ranking and Evaluation. SIGIR 2012 |
| 002 | Lu, Xie, Wang, Liu, Huang: Cost-Sensitive Listwise Ranking Approach. PAKDD 2010 |
| 003 | Niu, Lan, Guo, Cheng: A New Probabilistic Model for Top-k Ranking Problem. CIKM 2012 |
| 004 | Xia, Liu, Li: Statistical Consistency of Top-k Ranking. NIPS 2009 |
| Cao et al. | Cao, Qin, Liu, Tsai, Li: Learning to Rank: From Pairwise Approach to Listwise Approach. ICML 2007 |
| Freund et al. | Freund, Iyer, Schapire, Singer: An Efficient Boosting Algorithm for Combining Preferences. JMLR 2003 |
| Qin et al. | Qin, Geng, Liu: A New Probabilistic Model for Rank Aggregation. NIPS 2010 |
| Xu & Li | Xu, Li: AdaRank: A Boosting Algorithm for Information Retrieval. SIGIR 2007 |
| Yue et al. | Yue, Finley, Radlinski, Joachims: A Support Vector Method for Optimizing Average Precision. SIGIR 2007 |"""


def _equation(name: str, one: Algorithm) -> str:
    """That of its loss, as the docstring has it; margins have ½ ‖w‖² beside it."""
    if not TRAINERS[one.trainer].takes_loss:
        return EQUATIONS[name]
    found = re.search(r"\.\. math:: (.+)", inspect.getdoc(LOSSES[one.loss].function) or "")
    assert found, f"the docstring of {one.loss} has no equation"
    return found[1].replace("…", r"\ldots")


def _settings(name: str, one: Algorithm) -> str:
    """Its own, and those it shares with others where its default is another."""
    shared = SHARED.get(one.trainer, {})
    own = [f"`{key}={_shown(value)}`" for key, value in one.settings.items() if key not in shared or shared[key] != value]
    without = [f"without `{key}`" for key in one.without]
    return ", ".join([*own, *(["[shared ones](#settings-that-several-share)"] if shared else []), *without])


def _shown(value: Any) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _section(name: str, one: Algorithm) -> str:
    trainer, entry = TRAINERS[one.trainer], LOSSES.get(one.loss)
    grids = [
        f"- Grid `{preset}`: " + "; ".join(f"`{key}` {', '.join(map(_shown, values))}" for key, values in grid.items())
        for preset, grid in one.grids.items()
    ]
    where = f"[more](models.md#{MODELS[one.trainer]})" if one.trainer in MODELS else f"loss [`{one.loss}`](losses.md#the-equations)"
    objective = {"bundle": f"Minimises ½ ‖w‖² + C · {'sum' if entry and entry.is_summed else 'mean'} over queries of"}.get(one.trainer)
    lines = [
        f"## {name}",
        f"{IDEAS[name]} In short: {one.meaning}.",
        *([objective] if objective else []),
        f"$$\n{_equation(name, one)}\n$$",
        *([READINGS[name]] if name in READINGS else []),
    ]
    facts = [f"- Source: {one.paper}; {where}", f"- Gives: a {trainer.meaning} model", f"- Settings: {_settings(name, one)}", *grids]
    return "\n\n".join([*lines, "\n".join(facts)])


def _shared() -> str:
    rows = ["| of | settings and defaults |", "| --- | --- |"]
    for trainer, settings in SHARED.items():
        shown = " ".join(f"`{key}={_shown(value)}`" for key, value in settings.items())
        rows.append(f"| {', '.join(f'`{name}`' for name, one in ALGORITHMS.items() if one.trainer == trainer)} | {shown} |")
    lead = "What they mean is in [learning](learning.md#settings). Below, an algorithm lists its own, and those whose default differs."
    return f"## Settings that several share\n\n{lead}\n\n" + "\n".join(rows)


def algorithms_page() -> str:
    assert IDEAS.keys() == ALGORITHMS.keys(), "every algorithm has an idea in docs/algorithms_page.py"
    return "\n\n".join([HEAD, PAPERS, _shared(), *(_section(name, one) for name, one in ALGORITHMS.items())]) + "\n"
