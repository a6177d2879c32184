"""What the report says in words: the data, where a paper and we disagree, what became of a claim, what a curve shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from podium.experiments.facts import Claim, Config
from podium.reports.experiments.cells import counted, decimal, percent, signed
from podium.reports.experiments.claims import ClaimFinding
from podium.reports.experiments.curves import CurveFinding
from podium.reports.experiments.findings import Beside, Findings, has_same_queries, other_data, source
from podium.reports.experiments.values import is_larger_better

__all__ = [
    "by_printed_row",
    "claim_sentence",
    "claimed",
    "curve_sentence",
    "data_words",
    "disagreement",
    "disagreements",
    "ending",
    "noted",
    "p_words",
    "percent_interval",
    "shape_words",
    "truth_words",
    "unmeasured",
]

_SAME_QUERIES = (
    "The test queries are those of the printed figures: differences come from training, settings, ties or the script that measures, "
    "not from the draw of queries."
)
_TRUTHS = {"given": "labels as the data give them", "full": "a total order (ties broken by seed)", "top-k": "the order of the best {k}"}


def data_words(config: Config) -> str:
    """On which data.

    >>> from podium.experiments.facts import DataSpec, Synthetic, TruthSpec
    >>> config = Config("t", "", "", DataSpec(synthetic=Synthetic(queries=340)), TruthSpec(), (), (), "map", "")
    >>> data_words(config)
    'synthetic: 340 queries of 700 documents with 46 features, noise 0.25 growing by 1.6, interaction 0.3, seed 0, 5 folds'
    """
    data = config.data
    if data.synthetic is not None:
        drawn = data.synthetic
        return (
            f"synthetic: {drawn.queries:,} queries of {drawn.documents:,} documents with {drawn.features} features, noise {drawn.noise:g} "
            f"growing by {drawn.noise_growth:g}, interaction {drawn.interaction:g}, seed {drawn.seed}, {drawn.folds} folds"
        )
    only = f", only documents that {data.only_in} has too" if data.only_in else ""
    best = f", the best {data.best} documents of each query" if data.best else ""
    return f"{data.folder}{only}{best}"


def truth_words(config: Config) -> str:
    """With which truth.

    >>> from podium.experiments.facts import DataSpec, TruthSpec
    >>> truth_words(Config("t", "", "", DataSpec("MQ2008"), TruthSpec("top-k", "given", 10), (), (), "map", ""))
    'trained on the order of the best 10, measured on labels as the data give them'
    """
    truth = config.truth
    train, test = (_TRUTHS[kind].format(k=truth.k) for kind in (truth.train, truth.test))
    if config.curve is not None and config.curve.over == "k":
        train = "the order of the best k, as the curve has it (full: a total order)"
    if config.labelling is not None:
        train = f"the best {config.labelling.k} of each query as judgments found them"
    return f"trained and measured on {train}" if train == test else f"trained on {train}, measured on {test}"


def ending(text: str) -> str:
    """A sentence ends with a full stop."""
    text = text.strip()
    return text if not text or text[-1] in ".!?" else f"{text}."


def noted(config: Config) -> tuple[str, ...]:
    """What the paper says of its figure, then the config's own notes."""
    return (*([f"The paper: {ending(config.says)}"] if config.says.strip() else []), *config.notes)


def by_printed_row(besides: Sequence[Beside]) -> list[list[Beside]]:
    """Figures that are printed in one row."""
    return [list(group) for _, group in groupby(besides, key=lambda one: (one.ours.arm, id(one.printed)))]


def disagreements(found: Findings) -> tuple[str, ...]:
    """A sentence a ranker on the figures that ours do not agree with: the paper's, or of a ranker that it does not have, another's."""
    own = {id(one.printed) for one in found.of_paper}
    rows = by_printed_row(found.besides)
    in_paper = {row[0].ours.arm for row in rows if id(row[0].printed) in own}
    told = [row for row in rows if id(row[0].printed) in own or row[0].ours.arm not in in_paper]
    far = [row for row in told if not all(one.agrees for one in row)]
    is_same = bool(far) and has_same_queries(found.config)
    return (*(disagreement(row, found.config) for row in far), *([_SAME_QUERIES] if is_same else []))


def disagreement(row: Sequence[Beside], config: Config) -> str:
    """One honest sentence on a printed row from which ours differs by more than 0.010; empty where they agree.

    Chance is spoken of only where the data are not the same: on the same queries, their draw explains nothing.
    """
    far = [one for one in row if not one.agrees]
    if not far:
        return ""
    printed, other = row[0].printed, other_data(config)
    against = "" if source(printed).startswith("paper ") else f" against {source(printed)}"
    queries = counted(far[0].ours.n_queries, "query", "queries")
    chance = _chance(far) if other else ""
    elsewhere = f"The printed figures are of {other}, ours of {config.data.folder or 'synthetic data'}." if other else ""
    said = f"{row[0].ours.arm}{against}: {_said(far)}; the 95 % interval{_s(far)} in brackets, over {queries}, {_held(far)}{chance}."
    return " ".join(filter(None, [said, elsewhere, ending(printed.remark)]))


def _held(far: Sequence[Beside]) -> str:
    missed = [one.ours.measure for one in far if not one.is_inside]
    if not missed:
        return f"hold{'' if _s(far) else 's'} the printed figure{_s(far)}"
    if len(missed) == len(far):
        return f"do{'' if _s(far) else 'es'} not hold the printed figure{_s(far)}"
    return f"hold the printed figures but at {_listed(missed)}"


def _chance(far: Sequence[Beside]) -> str:
    n_inside = sum(one.is_inside for one in far)
    if n_inside == len(far):
        return ", so chance can explain it"
    return ", where chance alone hardly explains it" if n_inside else ", so chance alone hardly explains it"


def _said(far: Sequence[Beside]) -> str:
    """Differences by direction, each with its measure and our interval."""
    told = []
    for word, side in (("lower", [one for one in far if one.difference < 0]), ("higher", [one for one in far if one.difference >= 0])):
        told += [f"{word} by {_listed([_difference(one) for one in side])}"] if side else []
    return f"ours is {', and '.join(told)}"


def _difference(one: Beside) -> str:
    return f"{decimal(abs(one.difference))} at {one.ours.measure} ({decimal(one.ours.low)} to {decimal(one.ours.high)})"


def _s(many: Sequence[object]) -> str:
    return "s" if len(many) > 1 else ""


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def claimed(claim: Claim) -> str:
    """What a paper says of the better one: by how many per cent, if it prints that."""
    return "better" if claim.percent is None else percent(claim.percent / 100, 2)


def p_words(p_value: float) -> str:
    """A p-value with its sign of relation.

    >>> p_words(0.0312), p_words(0.0002)
    ('= 0.031', '< 0.001')
    """
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.3f}"


def percent_interval(found: ClaimFinding) -> str:
    """The interval of an improvement; empty where it has none."""
    return "" if math.isnan(found.low) else f"{percent(found.low / 100)} to {percent(found.high / 100)}"


def claim_sentence(found: ClaimFinding, config: Config) -> str:
    """What a paper claims, what we find, and whether that agrees."""
    claim = found.claim
    said = "is better" if claim.percent is None else f"is better by {claim.percent:g} %"
    on = f" on {claim.on}" if claim.on else ""
    interval = percent_interval(found)
    gain = signed(found.difference) if math.isnan(found.percent) else percent(found.percent / 100)
    ours = f"{gain}{f' ({interval})' if interval else ''}, p {p_words(found.p_value)}"
    return " ".join(filter(None, [
        f"Paper {claim.paper}: {claim.better} {said} than {claim.than} by {claim.measure}{on}.",
        f"Ours, on {config.data.folder or 'synthetic data'} over {counted(found.n_queries, 'query', 'queries')}: {ours}: {found.verdict}.",
        ending(claim.remark),
    ]))  # fmt: skip


def curve_sentence(found: CurveFinding, over: str) -> str:
    """Where the peak is, and how flat the curve is or how it spreads."""
    peak = f"{found.arm}, {found.measure}: best at {found.peak} ({decimal(found.best)})"
    if over == "balance":
        return (
            f"{peak}; from {decimal(min(found.means))} to {decimal(max(found.means))}, a spread of {decimal(found.spread)}; the standard "
            f"deviation over points is {100 * found.variation:.1f} % of their mean."
        )
    return f"{peak}; {shape_words(found)}."


def shape_words(found: CurveFinding) -> str:
    """From where on a curve is as good as its best point, and what it falls to where it does not stay so (see HOW_FLAT)."""
    last = found.points[-1]
    if found.is_flat:
        return "no other point is as good" if found.good_from == last else f"flat from {found.good_from} on"
    alone = found.good_from == found.good_to
    stretch = "no point beside it is as good" if alone else f"as good from {found.good_from} to {found.good_to}"
    worse = "falls" if is_larger_better(found.measure) else "gets worse,"
    low = len(found.points) - 1 if found.is_falling else found.points.index(found.good_to) + 1
    fall = f"then it {worse} to {decimal(found.means[low])} at {found.points[low]} ({signed(found.means[low] - found.best)})"
    return f"{stretch}, {fall}" + ("" if found.is_falling else f"; the end is as good again ({decimal(found.means[-1])} at {last})")


def unmeasured(found: Findings) -> tuple[str, ...]:
    """What the config names and the rows do not have, as sentences."""
    return tuple(ending(text[:1].upper() + text[1:]) for text in found.missing)
