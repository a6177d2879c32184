"""The drawings and curves of the documentation, as SVG: part of ``make docs``. A test fails when they are not what this would write.

Written by hand, as the charts of reports are: small files, the same bytes with any library, and colours that follow light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

IMAGES = Path(__file__).parent / "images"

STYLE = """
:root { --ink: #1d2733; --soft: #5d6b7a; --line: #c9d2dc; --box: #f5f7fa; --tint: #dbe8ff;
  --one: #1f6feb; --two: #b35900; --three: #1a7f4b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa7b4; --line: #46525f; --box: #1b232d; --tint: #1d3557;
    --one: #58a6ff; --two: #f0a45d; --three: #5fc98c; }
}
text { fill: var(--ink); font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; }
.soft { fill: var(--soft); font-size: 12px; } .head { font-weight: 600; }
.box { fill: var(--box); stroke: var(--line); stroke-width: 1.5; } .top { fill: var(--tint); stroke: var(--one); stroke-width: 1.5; }
.free { fill: none; stroke: var(--line); stroke-width: 1.5; stroke-dasharray: 5 4; }
.line { stroke: var(--line); stroke-width: 1.5; fill: none; } .grid { stroke: var(--line); stroke-width: 1; stroke-opacity: .6; }
.go { stroke: var(--ink); stroke-width: 1.8; fill: none; marker-end: url(#tip); } .tip { fill: var(--ink); }
.one { stroke: var(--one); } .two { stroke: var(--two); } .three { stroke: var(--three); } .plain { stroke: var(--soft); }
.curve { stroke-width: 2.5; fill: none; }
.one-text { fill: var(--one); } .two-text { fill: var(--two); } .three-text { fill: var(--three); } .dots { stroke-dasharray: 6 4; }
"""
TIP = (
    '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
    '<path class="tip" d="M0 0L10 5L0 10z"/></marker></defs>'
)


def svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">'
    return "\n".join([head, f"<style>{STYLE}</style>", TIP, *parts, "</svg>"]) + "\n"


def words(x: float, y: float, said: str, kind: str = "", anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(said)}</text>'


def box(x: float, y: float, width: float, height: float, kind: str = "box") -> str:
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="7"/>'


def card(x: float, y: float, said: str, kind: str = "box", width: float = 84, height: float = 30) -> str:
    """A document."""
    return box(x, y, width, height, kind) + words(x + width / 2, y + height / 2 + 5, said)


def disc(x: float, y: float, said: str, kind: str = "box") -> str:
    return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="20"/>' + words(x, y + 5, said)


def line(x: float, y: float, to_x: float, to_y: float, kind: str = "line") -> str:
    return f'<path class="{kind}" d="M{x:g} {y:g}L{to_x:g} {to_y:g}"/>'


# ---- drawings ----


def workbench() -> str:
    """Label, learn, measure."""
    steps = [
        ("Label", "which of two is better?", ["few judgments", "the ordered top k"]),
        ("Learn", "from exactly that truth", ["nineteen algorithms", "one ranker"]),
        ("Measure", "what matters at the top", ["κ-NDCG, ERR, MAP …", "a report"]),
    ]
    parts = []
    for place, (name, about, (first, last)) in enumerate(steps):
        x = 10 + 240 * place
        parts += [box(x, 20, 200, 150), words(x + 100, 48, name, "head"), words(x + 100, 70, about, "soft")]
        parts += [card(x + 20, 84, first, width=160), card(x + 20, 126, last, "top", 160)]
        parts += [line(x + 202, 95, x + 236, 95, "go")] if place < 2 else []
    return svg(700, 190, "Judgments give the ordered top k, rankers learn from it, measures tell how good they are", parts)


def truth() -> str:
    """One query's six documents under the three kinds of truth."""
    kinds = [
        ("graded", "many ties", [("a", 2), ("b", 1), ("c", 1), ("d", 0), ("e", 0), ("f", 0)]),
        ("full order", "n distinct labels", [("a", 6), ("b", 5), ("c", 4), ("d", 3), ("e", 2), ("f", 1)]),
        ("top-k, k = 2", "T in order, F below", [("a", 2), ("b", 1), ("c", 0), ("d", 0), ("e", 0), ("f", 0)]),
    ]
    parts = []
    for column, (name, about, documents) in enumerate(kinds):
        x = 30 + 220 * column
        parts += [words(x + 80, 24, name, "head"), words(x + 80, 43, about, "soft")]
        labels = [label for _, label in documents]
        for label in dict.fromkeys(labels):
            y, many = 56 + 36 * labels.index(label), labels.count(label)
            parts += [box(x - 6, y - 3, 172, 36 * many - 3, "free")] if many > 1 else []
        for row, (document, label) in enumerate(documents):
            kind = "top" if column == 2 and label else "box"
            parts += [card(x, 56 + 36 * row, document, kind, 90), words(x + 128, 76 + 36 * row, f"y = {label}")]
    parts.append(words(340, 294, "a dashed frame: equal labels, no preference between these", "soft"))
    return svg(680, 306, "Graded truth, full order and top-k truth of the same six documents", parts)


def heap() -> str:
    """The min-heap of k documents and a newcomer at its root."""
    places = {"e": (330, 60), "c": (270, 130), "d": (390, 130), "a": (235, 200), "b": (305, 200)}
    parents = {"c": "e", "d": "e", "a": "c", "b": "c"}
    parts = [line(*places[child], *places[parent]) for child, parent in parents.items()]
    parts += [disc(*place, name, "top") for name, place in places.items()]
    parts += [words(330, 28, "root: the k-th best so far", "soft"), words(270, 246, "heap of the k best", "head")]
    parts += [disc(70, 60, "x"), words(70, 28, "newcomer", "soft"), line(94, 60, 305, 60, "go"), words(200, 50, "better?", "head")]
    parts += [
        line(70, 84, 70, 196, "go"),
        words(82, 140, "no, or a tie:", "soft", "start"),
        words(82, 157, "one question, done", "soft", "start"),
    ]
    parts += [box(24, 202, 92, 30, "free"), words(70, 222, "the rest F", "soft")]
    parts += [words(430, 56, "yes: x takes the root's place", "soft", "start"), words(430, 74, "and sifts down, at most", "soft", "start")]
    parts += [words(430, 92, "two questions a level", "soft", "start")]
    return svg(640, 262, "A newcomer meets the root of a min-heap of the k best documents", parts)


def focused() -> str:
    """FocusedRank: a list loss inside T, a pair loss between T and F."""
    parts = [box(30, 30, 200, 190, "free"), words(130, 20, "T: the ordered top", "head")]
    parts += [box(420, 30, 220, 190, "free"), words(530, 20, "F: the rest", "head")]
    tops, rests = [(80, 50 + 56 * row) for row in range(3)], [(445 + 95 * (row % 2), 60 + 50 * (row // 2)) for row in range(6)]
    parts += [line(164, y + 15, x - 4, other + 15, "one grid") for _, y in tops for x, other in rests[::2]]
    parts += [card(*place, f"{row + 1}", "top") for row, place in enumerate(tops)] + [card(*place, "·", width=74) for place in rests]
    parts += [line(122, y + 31, 122, y + 54, "go") for _, y in tops[:2]]
    parts += [words(130, 244, "list loss, weight β", "one-text"), words(325, 244, "pair loss, weight 1 − β", "one-text")]
    parts += [words(530, 244, "no order, no loss", "soft")]
    return svg(670, 258, "FocusedRank: a list loss inside the top and a pair loss between the top and the rest", parts)


def hom() -> str:
    """The two layers of the hierarchical ordering models."""
    parts = []
    for column, (name, about) in enumerate(
        [("HOM-GG", "group before group"), ("HOM-OO", "one before one"), ("HOM-OG", "one before group")]
    ):
        x = 20 + 225 * column
        tops, rests = [(x + 5, 72 + 42 * row) for row in range(3)], [(x + 145, 72 + 42 * row) for row in range(3)]
        parts += [words(x + 95, 22, name, "head"), words(x + 95, 41, about, "soft")]
        parts += [card(*place, f"{row + 1}", "top", 50) for row, place in enumerate(tops)] + [
            card(*place, "·", width=44) for place in rests
        ]
        parts += [box(x - 3, 62, 66, 134, "free")] * (name == "HOM-GG") + [box(x + 137, 62, 60, 134, "free")] * (name != "HOM-OO")
        if name == "HOM-GG":
            parts.append(line(x + 66, 129, x + 133, 129, "go"))
        elif name == "HOM-OG":
            parts += [line(x + 57, y + 15, x + 133, y + 15, "go") for _, y in tops]
        else:
            parts += [line(x + 57, y + 15, x + 143, other + 15, "one") for _, y in tops for _, other in rests]
    parts.append(
        words(335, 226, "first layer, as drawn: T against F; second layer, the same in all: the order inside T by the Luce model", "soft")
    )
    return svg(670, 240, "Three hierarchical ordering models differ in how the top is set apart from the rest", parts)


# ---- curves ----

Curve = tuple[str, str, Callable[[float], float]]  # its name, its colour, and what it shows


def plot(title: str, across: str, xs: Sequence[float], x_ticks: Sequence[float], y_ticks: Sequence[float], curves: Sequence[Curve]) -> str:
    left, top, width, height = 56, 16, 400, 230

    def at(x: float, y: float) -> str:
        share, level = (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]), (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0])
        return f"{left + width * share:.1f} {top + height * (1 - level):.1f}"

    parts = [f'<path class="grid" d="M{at(x_ticks[0], y)}L{at(x_ticks[-1], y)}"/>' for y in y_ticks]
    parts += [words(left - 10, float(at(0, y).split()[1]) + 4, f"{y:g}", "soft", "end") for y in y_ticks]
    parts += [words(float(at(x, 0).split()[0]), top + height + 20, f"{x:g}".replace("-", "−"), "soft") for x in x_ticks]
    parts.append(words(left + width / 2, top + height + 42, across, "soft"))
    for row, (name, colour, shown) in enumerate(curves):
        points = [(x, shown(x)) for x in xs]
        path = "L".join(at(x, y) for x, y in points if y_ticks[0] <= y <= y_ticks[-1])
        parts.append(f'<path class="curve {colour}" d="M{path}"/>')
        parts += [line(476, 40 + 30 * row, 506, 40 + 30 * row, f"curve {colour}"), words(514, 45 + 30 * row, name, "", "start")]
    return svg(690, 300, title, parts)


def pair_losses() -> str:
    xs = sorted([*(round(-3 + 0.05 * step, 2) for step in range(121)), -1e-6])
    curves: list[Curve] = [
        ("hinge: max(0, 1 − d)", "one", lambda d: max(0.0, 1.0 - d)),
        ("exponential: exp(−d)", "two", lambda d: math.exp(-d)),
        ("logistic: ln(1 + exp(−d))", "three", lambda d: math.log1p(math.exp(-d))),
        ("mistake: d < 0 costs 1", "plain dots", lambda d: float(d < 0)),
    ]
    return plot("The three pairwise losses against the margin", "margin d of a pair", xs, range(-3, 4), range(5), curves)


def discounts() -> str:
    curves: list[Curve] = [
        ("log2: 1 / log2(1 + r)", "one", lambda rank: 1 / math.log2(1 + rank)),
        ("letor: 1, 1, 1 / log2(r)", "two", lambda rank: 1.0 if rank < 2 else 1 / math.log2(rank)),
        ("ERR's 1 / r", "plain dots", lambda rank: 1 / rank),
    ]
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    return plot("What a gain counts at each rank under two discounts", "rank r", range(1, 11), range(1, 11), ticks, curves)


PICTURES: dict[str, Callable[[], str]] = {
    "workbench": workbench, "truth": truth, "heap": heap, "focused": focused, "hom": hom,
    "pair-losses": pair_losses, "discounts": discounts,
}  # fmt: skip


def pages() -> dict[Path, str]:
    """Every picture, as it should be."""
    return {IMAGES / f"{name}.svg": draw() for name, draw in PICTURES.items()}
