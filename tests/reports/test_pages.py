"""Tables, charts and pages."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np

from podium.reports.charts import Dot, _ticks, dot_chart
from podium.reports.pages import evaluation_page
from podium.reports.text import text_table
from podium.results import Results, compare_runs


class Tags(HTMLParser):
    """Checks that every tag is closed in its place."""

    VOID = ("meta", "line", "rect", "circle")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def results() -> Results:
    table, generator = Results(), np.random.default_rng(0)
    for number, run in enumerate(("bm25", "<script>alert(1)</script>")):
        values = {"map": generator.random(20) / 4 + number / 2, "wkt": generator.random(20) + number, "tau": np.full(20, np.nan)}
        table.add(run, [str(query) for query in range(20)], values)
    return table


def page() -> str:
    table = results()
    both = Results(row for row in table if row.measure != "tau")
    return evaluation_page(table, title="A & B", lead="seed 0", comparisons=compare_runs(both, "bm25"), baseline="bm25")


def test_a_page_is_whole_and_loads_nothing() -> None:
    tags = Tags(page())
    assert tags.seen.count("svg") == 3
    assert "script" not in tags.seen
    assert not re.search(r"https?://|src=|@import|url\(", page())


def test_names_are_escaped() -> None:
    assert "&lt;script&gt;" in page()
    assert "A &amp; B" in page()


def test_the_best_run_of_each_measure_is_marked_whichever_way_is_better() -> None:
    rows = re.findall(r"<tr><td>(.*?)</tr>", page())
    assert ["class=best" in cell for cell in rows[0].split("<td")[1:]] == [False, True, False]  # the smaller wkt
    assert ["class=best" in cell for cell in rows[1].split("<td")[1:]] == [True, False, False]  # the larger map; nobody has a tau


def test_a_clear_difference_is_starred_and_explained() -> None:
    assert page().count("✱</sup>") == 2
    assert "Fisher randomisation" in page()


def test_conventions_are_printed() -> None:
    assert "relevant is a label above 0" in page()


def test_dots_lie_in_the_order_of_their_values() -> None:
    chart = dot_chart("t", [Dot("a", 0.1, 0.0, 0.2), Dot("b", 0.4, 0.3, 0.5), Dot("none", float("nan"), 0, 0)])
    centres = [float(x) for x in re.findall(r'class="dot" cx="([\d.]+)"', chart)]
    assert len(centres) == 2
    assert centres[0] < centres[1]
    assert "no value" in chart


def test_ticks_cover_the_range() -> None:
    for low, high in ((0.0, 1.0), (-0.3, 0.1), (0.0, 0.0), (0.0, 1e6), (0.0, 3e-5)):
        ticks = _ticks(low, high)
        assert ticks[0] <= low
        assert ticks[-1] >= high
        assert 2 <= len(ticks) <= 8


def test_columns_stand_in_line() -> None:
    lines = text_table(["run", "a"], [["x", "1"], ["long", "22"]]).split("\n")
    assert lines == ["run    a", "----  --", "x      1", "long  22"]
