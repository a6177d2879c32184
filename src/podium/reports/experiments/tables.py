"""A run's report as sections of tables, charts and sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from podium.measures import get
from podium.reports.experiments.cells import Cell, Section, Table, counted, decimal, percent, signed
from podium.reports.experiments.charts import curve_charts, win_loss_charts
from podium.reports.experiments.curves import AXIS_NAMES, HOW_FLAT
from podium.reports.experiments.findings import NEAR, Beside, Entry, Findings, source
from podium.reports.experiments.reruns import cost, rerun, settings
from podium.reports.experiments.sentences import (
    by_printed_row,
    claim_sentence,
    claimed,
    curve_sentence,
    data_words,
    disagreements,
    noted,
    p_words,
    percent_interval,
    truth_words,
    unmeasured,
)  # fmt: skip
from podium.reports.experiments.values import LEVEL, best_mean, fold_mean, is_larger_better

__all__ = ["asked", "beside_table", "claims", "curves", "papers", "queries", "results", "sections"]

_MOST_COLUMNS = 12  # of a curve's points


def sections(found: Findings, *, sums: Mapping[str, str] | None = None) -> tuple[Section, ...]:
    """Every part that the run has something for, in the order of reading. ``sums`` has the SHA-256 of the run's files."""
    parts = [asked(found), results(found), papers(found), claims(found), curves(found), queries(found), measures(found)]
    return tuple(part for part in (*parts, cost(found), settings(found), rerun(found, sums or {})) if part is not None)


def asked(found: Findings) -> Section:
    """What was asked, on which data with which truth."""
    config, values = found.config, found.values
    facts = [
        ("Data", data_words(config)),
        ("Truth", truth_words(config)),
        ("Test queries", f"{len(values.queries):,} in {counted(len(values.fold_names), 'fold')}"),
        ("Settings chosen by", f"{config.choose} on validation queries, anew for each fold and seed"),
        ("Seeds", ", ".join(map(str, config.seeds))),
        ("Baseline", found.baseline),
    ]
    if config.curve is not None:
        facts.append(("Curve", f"over {AXIS_NAMES[config.curve.over]}: {', '.join(values.points)}"))
    return Section("asked", "What was asked", config.about, tuple(facts), notes=noted(config))


# ---- the table ----


def results(found: Findings) -> Section:
    """Arms by measures: the best in bold, marks against the baseline; then changes and tests."""
    is_curve = len(found.values.points) > 1
    lead = (
        "Means over folds of the means over a fold's test queries, as LETOR's tables have them"
        f"{'; values of several seeds are averaged per query first' if len(found.config.seeds) > 1 else ''}. "
        "Beside them 95 % bootstrap intervals: queries drawn again within folds."
    )
    marks = (
        f"▲ and ▼: significantly better or worse than {found.baseline} (paired Fisher randomisation over queries, p < {LEVEL:g} after "
        "Holm's correction over the table)."
    )
    at = (_where_on_the_curve(found),) if is_curve else ()
    if len(found.values.arms) == 1:
        return Section("results", "Results", lead, tables=(_main_table(found, is_curve=is_curve),), notes=at)
    tables = _main_table(found, is_curve=is_curve), _change_table(found)
    return Section("results", "Results", lead, tables=tables, notes=(marks, *at))


def _where_on_the_curve(found: Findings) -> str:
    if found.config.curve is not None and found.config.curve.over in ("queries", "judgments"):
        return "Each ranker stands at the last point of the curve that all of them have."
    return "Each ranker stands at the point of the curve with the best mean on validation queries."


def _head(found: Findings) -> list[str]:
    return [measure if is_larger_better(measure) else f"{measure} ↓" for measure in found.values.measures]


def _main_table(found: Findings, *, is_curve: bool) -> Table:
    places = {measure: _decimals([found.entries[arm, measure].mean for arm in found.values.arms]) for measure in found.values.measures}
    rows = []
    for arm in found.values.arms:
        cells = [_mean(found.entries[arm, measure], places[measure]) for measure in found.values.measures]
        rows.append((Cell(arm), *([Cell(found.points[arm])] if is_curve else []), *cells))
    return Table("means", "Means", ("ranker", *(["at"] if is_curve else []), *_head(found)), tuple(rows))


def _decimals(means: Sequence[float]) -> int:
    """Three as in the papers; four where the best and another mean, which differ, would look the same.

    >>> _decimals([0.4441, 0.4444, 0.4]), _decimals([0.444, 0.444, 0.4]), _decimals([0.4, 0.4001, 0.5])  # of losses the least is best
    (4, 3, 4)
    """
    there = sorted({mean for mean in means if mean == mean})
    looks_equal = [round(first, 3) == round(second, 3) for first, second in pairwise(there)]
    return 4 if looks_equal and (looks_equal[0] or looks_equal[-1]) else 3


def _mean(entry: Entry, places: int) -> Cell:
    interval = f"{decimal(entry.low)} to {decimal(entry.high)}" if entry.low == entry.low else ""
    return Cell(decimal(entry.mean, places), interval, entry.mark, "best" if entry.is_best else "")


def _change_table(found: Findings) -> Table:
    rows = []
    for arm in found.values.arms:
        if arm != found.baseline:
            entries = [found.entries[arm, measure] for measure in found.values.measures]
            rows.append((Cell(arm), *(Cell(percent(one.change), _tested(one), one.mark) for one in entries)))
    caption = f"Change against {found.baseline}, in per cent of its mean; corrected p-value"
    return Table("changes", caption, ("ranker", *_head(found)), tuple(rows))


def _tested(entry: Entry) -> str:
    return "" if math.isnan(entry.p_value) else f"p {p_words(entry.p_value)}"


# ---- papers ----


def papers(found: Findings) -> Section | None:
    """Printed figures beside ours, and a sentence where they disagree."""
    if not found.besides and not found.missing:
        return None
    lead = f"Each printed row, ours, and the difference. A sentence follows where a difference is more than {NEAR:.3f}."
    tables = (beside_table(found),) if found.besides else ()
    return Section("papers", "Beside printed figures", lead, tables=tables, notes=(*disagreements(found), *unmeasured(found)))


def beside_table(found: Findings) -> Table:
    """Three lines for each printed row: the printed one, ours, the difference."""
    measures = [measure for measure in found.values.measures if any(one.ours.measure == measure for one in found.besides)]
    rows = []
    for row in by_printed_row(found.besides):
        by_measure = {one.ours.measure: one for one in row}
        name = f"{source(row[0].printed)}, {row[0].printed.where}"
        rows.append((Cell(row[0].ours.arm), Cell(name, kind="paper"), *(_of_paper(by_measure.get(measure)) for measure in measures)))
        rows.append((Cell(""), Cell("ours"), *(_of_ours(by_measure.get(measure)) for measure in measures)))
        rows.append((Cell(""), Cell("difference"), *(_of_both(by_measure.get(measure)) for measure in measures)))
    return Table("papers", "Printed figures and ours", ("ranker", "whose", *measures), tuple(rows), n_names=2)


def _of_paper(one: Beside | None) -> Cell:
    return Cell("") if one is None else Cell(decimal(one.figure), kind="paper")


def _of_ours(one: Beside | None) -> Cell:
    return Cell("") if one is None else Cell(decimal(one.ours.mean), f"{decimal(one.ours.low)} to {decimal(one.ours.high)}")


def _of_both(one: Beside | None) -> Cell:
    return Cell("") if one is None else Cell(signed(one.difference), kind="" if one.agrees else "far")


def claims(found: Findings) -> Section | None:
    """What papers say of one ranker against another, and what we find."""
    if not found.claims:
        return None
    rows = tuple(
        (
            Cell(f"{one.claim.better} over {one.claim.than}"), Cell(one.claim.measure), Cell(one.claim.paper),
            Cell(claimed(one.claim), one.claim.on and f"on {one.claim.on}", kind="paper"),
            Cell(percent(one.percent / 100, 2), percent_interval(one)),
            Cell(p_words(one.p_value).removeprefix("= ")),
            Cell(one.verdict, kind="words"),
        )
        for one in found.claims
    )  # fmt: skip
    head = ("claim", "measure", "paper", "the paper's", "ours", "p", "verdict")
    lead = (
        "Improvements in per cent of the other's mean, with 95 % bootstrap intervals; p-values of the paired Fisher randomisation test, "
        f"Holm's correction over the claims. Agrees: same sign and p < {LEVEL:g}. "
        "Where the other's mean is not positive there is no per cent of it."
    )
    notes = tuple(claim_sentence(one, found.config) for one in found.claims if one.verdict != "agrees" or one.claim.remark)
    return Section(
        "claims", "The papers' claims", lead, tables=(Table("claims", "Claims and findings", head, rows, n_names=3),), notes=notes
    )


# ---- curves and queries ----


def curves(found: Findings) -> Section | None:
    """Quality along the axis: charts with bands, what they show, and their numbers."""
    over = found.config.curve
    if not found.curves or over is None:
        return None
    sentences = tuple(curve_sentence(one, over.over) for one in found.curves)
    how = () if over.over == "balance" else (HOW_FLAT,)
    seeds = "; values of several seeds are averaged per query first" if len(found.config.seeds) > 1 else ""
    charts = curve_charts(found)
    is_crowded = any(not line.low for chart in charts for line in chart.lines)
    bands = "bands, where there are so many lines only of the best and of the baseline," if is_crowded else "bands"
    lead = f"Means over folds; {bands} are 95 % bootstrap intervals over queries{seeds}."
    tables = tuple(_curve_table(found, measure) for measure in found.values.measures)
    return Section("curves", f"Curves over {AXIS_NAMES[over.over]}", lead, charts=charts, tables=tables, notes=(*sentences, *how))


def _curve_table(found: Findings, measure: str) -> Table:
    """A line a ranker, or a line a point where there are too many points for a page."""
    means = fold_mean(found.values.of[:, :, found.values.measures.index(measure)], found.values.folds)
    cells = []
    for own in means:
        best = best_mean(own, measure)
        cells.append([Cell(decimal(float(mean)), kind="best" if mean == best else "") for mean in own])
    arms, points = found.values.arms, found.values.points
    key, caption = f"curve {measure}", f"{measure}: each ranker's best point in bold"
    if len(points) > _MOST_COLUMNS:
        assert found.config.curve is not None
        rows = tuple((Cell(point), *column) for point, column in zip(points, zip(*cells, strict=True), strict=True))
        return Table(key, caption, (AXIS_NAMES[found.config.curve.over], *arms), rows)
    return Table(key, caption, ("ranker", *points), tuple((Cell(arm), *own) for arm, own in zip(arms, cells, strict=True)))


def queries(found: Findings) -> Section | None:
    """Wins and losses over queries."""
    charts = win_loss_charts(found)
    if not charts:
        return None
    measure = found.main_measure
    lead = f"Differences to {found.baseline} in {measure}, a step a query, from the largest gain to the largest loss; upwards is better."
    return Section("queries", "Query by query", lead, charts=charts)


def measures(found: Findings) -> Section:
    """What every measure's name stands for."""
    facts = tuple((measure, get(measure).convention()) for measure in found.values.measures)
    return Section("measures", "What the measures mean here", facts=facts, is_folded=True)
