"""Runs in short: for each table or figure what the paper says, what we found, and a verdict over all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from podium.reports.experiments.cells import Cell, Table, decimal, percent, signed
from podium.reports.experiments.claims import ClaimFinding
from podium.reports.experiments.curves import CurveFinding
from podium.reports.experiments.findings import NEAR, Beside, Findings, other_data, source
from podium.reports.experiments.sentences import claimed, p_words
from podium.reports.experiments.values import is_larger_better

__all__ = ["summary_table"]

_MOST_TOLD = 5  # curves in a line


def summary_table(found: Sequence[Findings], links: Sequence[str] = ()) -> Table:
    """A line for the printed figures of a run, one for its claims, one for its curves; ``links`` are the ids of the runs' own places."""
    rows = []
    for one, link in zip(found, links or [""] * len(found), strict=True):
        for title, *told in _lines(one):
            rows.append((Cell(title, kind="words", link=link), *(Cell(text, kind="words") for text in told)))
    return Table("summary", "", ("table or figure", "the paper says", "we found", "verdict"), tuple(rows))


def _lines(found: Findings) -> Iterator[tuple[str, ...]]:
    title = found.config.title
    if found.besides:
        yield (title, *_printed(found))
    if found.claims:
        yield (title, *_claimed(found))
    if found.curves and found.config.curve is not None:
        yield (title, *_curved(found))
    if not (found.besides or found.claims or found.curves):
        yield title, "no figures" if found.config.paper else "nothing", f"{found.main_measure}: {_best(found)}", "ours only"


def _best(found: Findings) -> str:
    best = max((one for one in found.entries.values() if one.measure == found.main_measure), key=lambda one: one.is_best)
    return f"best is {best.arm}, {decimal(best.mean)}"


# ---- figures ----


def _printed(found: Findings) -> tuple[str, str, str]:
    """What a table of a paper says by one measure, what we found, and the verdict over it and over all figures."""
    told = found.of_paper or found.besides
    measures = [one.ours.measure for one in told]
    measure = found.main_measure if found.main_measure in measures else measures[0]
    shown = [one for one in told if one.ours.measure == measure]
    said, ours = _span([one.figure for one in shown]), _span([one.ours.mean for one in shown])
    rankers = list(dict.fromkeys(one.ours.arm for one in shown))
    many = f" ({len(rankers)} rankers)" if len(rankers) > 1 else f" ({rankers[0]})"
    who = "" if found.of_paper else f"no paper; {', '.join(dict.fromkeys(source(one.printed) for one in told))}, "
    best = "" if found.of_paper else f"; of all rankers, by {found.main_measure}, {_best(found)}"
    return f"{who}{measure}: {said}{many}", f"{measure}: {ours}{best}", _verdict(found, told, shown)


def _span(values: Sequence[float]) -> str:
    low, high = decimal(min(values)), decimal(max(values))
    return low if low == high else f"{low} to {high}"


def _verdict(found: Findings, told: Sequence[Beside], shown: Sequence[Beside]) -> str:
    other = other_data(found.config)
    if other:
        return f"different data ({other})"
    n_near = sum(one.agrees for one in told)
    if n_near == len(told):
        return f"agrees: all {len(told)} figures within {NEAR:.3f}"
    lowest, highest = min(shown, key=lambda one: one.difference), max(shown, key=lambda one: one.difference)
    far = []
    if lowest.difference < 0 and not lowest.agrees:
        far.append(f"lower by {decimal(-lowest.difference)}{_at(lowest, shown)}")
    if highest.difference > 0 and not highest.agrees:
        far.append(f"higher by {decimal(highest.difference)}{_at(highest, shown)}")
    within = f"within {NEAR:.3f}"
    return f"{shown[0].ours.measure}: {', '.join(far) or f'all {within}'}; over all measures {n_near} of {len(told)} {within}"


def _at(one: Beside, shown: Sequence[Beside]) -> str:
    return f" at most ({one.ours.arm})" if len(shown) > 1 else ""


# ---- claims ----

_PAIRS = 3  # a summary that shows more is not one


def _claimed(found: Findings) -> tuple[str, str, str]:
    """By one measure, what is claimed of the first pairs and what we found; and how many of all comparisons have which verdict."""
    measures = [one.claim.measure for one in found.claims]
    measure = found.main_measure if found.main_measure in measures else measures[0]
    groups: dict[str, list[ClaimFinding]] = {}
    for one in found.claims:
        if one.claim.measure == measure:
            groups.setdefault(f"{one.claim.better} over {one.claim.than}", []).append(one)
    shown = dict(list(groups.items())[:_PAIRS])
    others = dict.fromkeys(name for one in found.claims if one.claim.on for name in one.claim.on.split(" and "))
    said = [f"{name} {', '.join(_said(one, with_data=len(others) > 1) for one in group)}" for name, group in shown.items()]
    ours = [f"{name} {_gain(group[0])}" for name, group in shown.items()]  # a paper may claim it of several collections
    distinct = {(one.claim.better, one.claim.than, one.claim.measure): one.verdict for one in found.claims}
    more = len(distinct) - len(shown)
    rest = [f"and {more} more below"] if more else []
    counts, size = Counter(distinct.values()), f"{'all ' if more else ''}{len(distinct)}"
    verdicts = [verdict if len(distinct) == 1 else f"{count} of {size}: {verdict}" for verdict, count in counts.items()]
    where = f"; different data ({', '.join(others)})" if others else ""
    return f"{measure}: {'; '.join([*said, *rest])}", f"{measure}: {'; '.join([*ours, *rest])}", "; ".join(verdicts) + where


def _said(one: ClaimFinding, *, with_data: bool) -> str:
    return f"{claimed(one.claim)} on {one.claim.on}" if with_data and one.claim.on else claimed(one.claim)


def _gain(one: ClaimFinding) -> str:
    gain = signed(one.difference) if one.percent != one.percent else percent(one.percent / 100, 2)
    return f"{gain} (p {p_words(one.p_value)})"


# ---- curves ----


def _curved(found: Findings) -> tuple[str, str, str]:
    """What the paper says of its chart, what ours shows by the main measure, and how many curves by all measures are so."""
    assert found.config.curve is not None
    over, is_ours = found.config.curve.over, not found.config.paper
    other = "" if is_ours else other_data(found.config)
    verdict = [_counted_peaks(found.curves) if over == "balance" else _counted_shapes(found.curves)]
    verdict += ["ours only"] if is_ours else [f"different data ({other})"] if other else []
    return found.config.says or ("nothing" if is_ours else "a chart, no numbers"), _curve_words(found, over), "; ".join(verdict)


def _counted_peaks(curves: Sequence[CurveFinding]) -> str:
    inside = sum(one.peak not in (one.points[0], one.points[-1]) for one in curves)
    spreads = _span([one.spread for one in curves])
    return f"over all measures {inside} of {len(curves)} curves peak inside; spread {spreads}"


def _counted_shapes(curves: Sequence[CurveFinding]) -> str:
    flat, falling = sum(one.is_flat for one in curves), sum(one.is_falling for one in curves)
    return f"over all measures {flat} of {len(curves)} curves as good as their best to the end, {falling} worse there"


def _curve_words(found: Findings, over: str) -> str:
    """What the curves by the main measure show, each in a few words; of very many, the best one."""
    measure = found.main_measure
    own = [one for one in found.curves if one.measure == measure]
    if len(own) > _MOST_TOLD:
        best = (max if is_larger_better(measure) else min)(own, key=lambda one: one.best)
        return f"{measure}, the best of {len(own)} curves: {_few_words(best, over)}"
    return f"{measure}: " + "; ".join(_few_words(one, over) for one in own)


def _few_words(one: CurveFinding, over: str) -> str:
    """The peak and what comes after it; the sentences below the chart say more."""
    best = f"{one.arm} best at {one.peak} ({decimal(one.best)})"
    if over == "balance":
        return f"{best}, spread {decimal(one.spread)}"
    if one.is_flat:
        return best if one.good_from == one.points[-1] else f"{best}, flat from {one.good_from}"
    after = signed(one.means[-1] - one.best) if one.is_falling else "but not at the end"
    return f"{best}, worse after {one.good_to} ({after})"
