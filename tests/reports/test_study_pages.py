"""The report of a study as HTML: whole, harmless, and with every number of its charts in a table."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser

import pytest
from tests.labelling.studies import QUICK, said, tiny, tiny_study

from podium.labelling.study import JudgedTask, StudyReport, study_report
from podium.reports.charts import Box, Dot, box_chart, dot_chart
from podium.reports.frame import REPORT_STYLE
from podium.reports.study_pages import study_html, study_page

ATTACK = "<script>alert(1)</script>\"' onload=x"


class Page(HTMLParser):
    """Checks that every tag is closed in its place, and keeps the tags with their attributes."""

    VOID = ("meta", "line", "rect", "circle", "path")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def hostile() -> StudyReport:
    """The same with names, a title and instructions that are HTML."""
    tasks = [JudgedTask("p", "pairs", said(name, "a>b", "a>c"), name, is_finished=True, top=("a",)) for name in (ATTACK, "bob")]
    model = JudgedTask("p", "pairs", said(f"m{ATTACK}", "a>b", role="model"), f"m{ATTACK}", role="model", is_finished=True, top=("a",))
    return study_report([*tasks, model], title=ATTACK, about=[("Instructions", ATTACK)], gold={ATTACK: (1, 1)}, bootstrap=QUICK)


@pytest.mark.parametrize("report", [tiny(), hostile(), study_report([], bootstrap=QUICK), study_report(tiny_study()[:1], bootstrap=QUICK)])
def test_the_fragment_is_whole_and_keeps_to_a_strict_policy(report: StudyReport) -> None:
    page = Page(study_html(report))
    assert not {tag for tag, _ in page.tags} & {"script", "style", "link", "img", "iframe"}
    names = {name for _, attributes in page.tags for name in attributes}
    assert "style" not in names
    assert not [name for name in names if name.startswith("on")]
    assert not re.search(r"https?://|src=|url\(", study_html(report))


def test_a_page_of_its_own_has_title_and_style_and_loads_nothing() -> None:
    text = study_page(hostile())
    tags = [tag for tag, _ in Page(text).tags]
    assert tags.count("style") == 1
    assert tags.count("h1") == 1
    assert "script" not in tags
    assert not re.search(r"https?://|src=|@import|url\(", text)


def test_every_table_has_a_caption_and_every_row_and_column_a_head() -> None:
    page = Page(study_html(tiny()))
    counts = {tag: sum(found == tag for found, _ in page.tags) for tag in ("table", "caption", "thead", "tbody")}
    assert counts["table"] == counts["caption"] == counts["thead"] == counts["tbody"] > 5
    heads = [attributes for tag, attributes in page.tags if tag == "th"]
    assert {attributes.get("scope") for attributes in heads} == {"col", "row"}
    regions = [attributes for _, attributes in page.tags if attributes.get("role") == "region"]
    labels = [attributes["aria-label"] for attributes in regions]
    assert all(attributes.get("tabindex") == "0" for attributes in regions)
    assert len(set(labels)) == len(labels) == counts["table"]


def test_every_chart_is_an_image_with_a_name_and_its_numbers_are_in_a_table() -> None:
    text = study_html(tiny())
    charts = [attributes for tag, attributes in Page(text).tags if tag == "svg"]
    assert len(charts) == 6  # minutes, seconds, agreement with and without ties, and assessors by tool
    assert all(attributes.get("role") == "img" and attributes.get("aria-label") for attributes in charts)
    assert text.count("<desc>") == len(charts)
    tables = "".join(re.findall(r"<table.*?</table>", text))
    for value in re.findall(r'<text class="value"[^>]*>([^<]*)</text>', text):
        assert value in tables


def test_the_papers_are_drawn_as_anothers() -> None:
    text = study_html(tiny())
    assert text.count('class="other"') == 5  # minutes of grades, and two agreements of two tools
    assert text.count('class="paper"') == 9  # seconds, judgments and minutes of grades, four agreements, two χ²


def test_classes_of_the_fragment_have_a_style() -> None:
    classes = {name for _, attributes in Page(study_html(tiny())).tags for name in (attributes.get("class") or "").split()}
    unstyled = {name for name in classes if not re.search(rf"\.{re.escape(name)}\b", REPORT_STYLE)}
    assert unstyled <= {"name", "value"}  # text of charts, which has one style


def test_a_dot_without_an_interval_has_no_bar_and_one_without_a_value_says_so() -> None:
    chart = dot_chart("shares", [Dot("sure", 0.5, 0.4, 0.6), Dot("bare", 0.5), Dot("none", math.nan)])
    Page(chart)
    assert chart.count('class="interval"') == 1
    assert chart.count('class="dot"') == 2
    assert chart.count("no value") == 1
    assert "nan" not in chart


def test_a_box_stands_where_its_percentiles_are() -> None:
    chart = box_chart("seconds", [Box("pairs", (0, 5, 10, 15, 20)), Box("nothing", ())], label=100)
    Page(chart)
    # The plot is 250 wide, from 100 on, for 0 to 20: 12.5 each.
    assert '<line class="whisker" x1="100.0" y1="22.0" x2="350.0" y2="22.0"/>' in chart
    assert '<rect class="box" x="162.5" y="14.0" width="125.0"' in chart
    assert '<line class="middle" x1="225.0"' in chart
    assert chart.count("no value") == 1


def test_a_chart_in_per_cent_has_ticks_in_per_cent() -> None:
    text = study_html(tiny())
    for name in ("Overall agreement", "Agreement with people, pairs (T1)"):
        chart = text[text.index(f'aria-label="{name}"') :].partition("</svg>")[0]
        ticks = re.findall(r'class="tick"[^>]*>([^<]*)<', chart)
        assert ticks == ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]
    minutes = text[text.index('aria-label="Active minutes per query"') :].partition("</svg>")[0]
    assert not [tick for tick in re.findall(r'class="tick"[^>]*>([^<]*)<', minutes) if "%" in tick]


def test_row_heads_are_words() -> None:
    heads = re.findall(r'<th scope="row">([^<]*)', study_html(tiny()))
    assert heads
    assert not [head for head in heads if not re.search(r"[A-Za-z]", head)]
