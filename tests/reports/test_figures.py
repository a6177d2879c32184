"""Charts by matplotlib: the same bytes each time, colours by role, and words for those who do not see them."""

from __future__ import annotations

import dataclasses
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from podium.reports import figures
from podium.reports.chart_facts import CurveChart, Line, WinLossChart
from podium.reports.figures import CHART_STYLE, curve_svg, standalone, win_loss_svg

POINTS = ("1", "10", "100", "full")


def curve(key: str = "c", n_lines: int = 2) -> CurveChart:
    line = (0.3, 0.4, 0.5, 0.45)
    lines = tuple(
        Line(f"arm {place} <b>&$x$", POINTS, line, tuple(y - 0.05 for y in line), tuple(y + 0.05 for y in line)) for place in range(n_lines)
    )
    return CurveChart(key, "NDCG against <k>", "best 0.500 at 100 & so on", "k", "ndcg@10", POINTS, lines)


def win_loss(differences: tuple[float, ...] = (0.3, -0.1, 0.0, 0.2)) -> WinLossChart:
    return WinLossChart("w", "arm: 2 won, 1 tied, 1 lost", "mean +0.100", "difference", differences, 0.4)


@pytest.mark.parametrize("svg", [curve_svg(curve()), win_loss_svg(win_loss())])
def test_a_chart_is_well_formed_and_says_what_it_shows(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    title, description = (root.find(name) for name in ("title", "desc"))
    assert title is not None
    assert description is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text in ("NDCG against <k>", "arm: 2 won, 1 tied, 1 lost")
    assert description.text in ("best 0.500 at 100 & so on", "mean +0.100")


def test_names_are_shown_as_they_are_written() -> None:
    texts = [text.text for text in ElementTree.fromstring(curve_svg(curve())).iter("text")]
    assert {"arm 0 <b>&$x$", "arm 1 <b>&$x$", "full", "100", "ndcg@10"} <= set(texts)


def test_charts_with_the_same_limits_have_the_same_axis() -> None:
    def ticks(limits: tuple[float, float] | None) -> list[str]:
        svg = curve_svg(dataclasses.replace(curve(), limits=limits))
        return [text.text or "" for text in ElementTree.fromstring(svg).iter("text") if re.fullmatch(r"[\d.−]+", text.text or "")]

    assert "1.0" not in ticks(None)  # the lines and their bands end at 0.55
    assert "1.0" in ticks((0.0, 1.0))


def test_ticks_and_names_keep_all_their_digits_and_their_first_letter() -> None:
    at, names = ("0.0125", "0.025", "0.5"), ("_hidden", "l2=0.0001", 'id="x" #0a0b01 font-family: a; 1.2345')
    values = (0.5225, 0.525, 0.5275)
    lines = tuple(Line(name, at, values, values, values) for name in names)
    texts = [text.text or "" for text in ElementTree.fromstring(curve_svg(CurveChart("c", "", "", "x", "m", at, lines))).iter("text")]
    assert {*names, *at} <= set(texts)
    ticks = sorted(float(text) for text in texts if text.startswith("0.52"))
    steps = [round(second - first, 6) for first, second in pairwise(ticks)]
    assert len(ticks) > 3
    assert len(set(steps)) == 1  # rounded to two decimals they would not be evenly spaced


def test_the_same_chart_has_the_same_bytes_whatever_the_settings_of_the_user() -> None:
    import matplotlib

    first = curve_svg(curve()), win_loss_svg(win_loss())
    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.grid": False, "lines.linewidth": 9}):
        assert (curve_svg(curve()), win_loss_svg(win_loss())) == first


@pytest.mark.parametrize("svg", [curve_svg(curve(n_lines=9)), win_loss_svg(win_loss())])
def test_every_colour_is_a_variable_that_the_style_has_for_light_and_for_dark(svg: str) -> None:
    assert not re.search(r"#[0-9a-f]{6}\b", svg)
    used = set(re.findall(r"var\((--[\w-]+)\)", svg))
    assert "--chart-ink" in used
    light, dark = CHART_STYLE.split("@media")
    for variable in used:
        assert f"{variable}:" in light
        assert f"{variable}:" in dark


def contrast(first: str, second: str) -> float:
    """Of two colours, as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


def test_every_series_stands_out_from_its_ground() -> None:
    light, dark = CHART_STYLE.split("@media")
    for style in (light, dark):
        colours = dict(re.findall(r"(--[\w-]+): (#\w{6})", style))
        for name, colour in colours.items():
            if name.startswith("--series"):
                assert contrast(colour, colours["--chart-paper"]) >= 4.5, name


def test_lines_differ_in_dashes_and_markers_too() -> None:
    svg = curve_svg(curve(n_lines=10))
    styles = set(re.findall(r'style="(fill: none;[^"]*stroke: var\(--series-\d\)[^"]*)"', svg))
    assert len(styles) == 10  # two of them have the colour of another, with other dashes
    assert len({re.sub(r"stroke: var[^;]*", "", style) for style in styles}) == 4  # told apart without any colour


def test_ids_are_the_charts_own() -> None:
    first, second = (set(re.findall(r'\bid="([^"]+)"', curve_svg(curve(key)))) for key in ("one", "two"))
    assert first
    assert not first & second
    svg = curve_svg(curve("one"))
    assert set(re.findall(r'(?:url\(#|href="#)([^")]+)', svg)) <= first


def test_a_chart_names_no_place_on_the_web_and_no_date() -> None:
    for svg in (curve_svg(curve()), win_loss_svg(win_loss())):
        assert not re.search(r"https?:|<metadata|xlink|<script|20\d\d-", svg)


def test_a_chart_as_a_file_brings_its_style_and_its_ground() -> None:
    text = standalone(curve_svg(curve()))
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme: dark" in text
    assert text.index("<style>") < text.index('fill="var(--chart-paper)"') < text.index("<path")
    assert len(text.encode()) < 60_000


def test_full_stands_behind_the_last_number_and_large_spans_are_logarithmic() -> None:
    assert figures._positions(("1", "10", "100", "full")) == [0.0, 1.0, 2.0, pytest.approx(2.3)]
    assert figures._positions(("0", "0.5", "1")) == [0.0, 0.5, 1.0]
    assert figures._positions(("10", "20", "all")) == [10.0, 20.0, pytest.approx(21.5)]


def test_wins_stand_up_and_losses_down_a_step_a_query() -> None:
    x, y = figures._steps((0.3, -0.1, 0.0, 0.2), lambda value: value > 0)
    assert (x, y) == ([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], [0.0, 0.3, 0.3, 0.2, 0.2, 0.0])
    x, y = figures._steps((0.3, -0.1, 0.0, 0.2), lambda value: value < 0)
    assert (x, y) == ([3.0, 3.0, 4.0, 4.0], [0.0, -0.1, -0.1, 0.0])


def test_ten_thousand_queries_make_no_larger_chart_than_some_hundreds() -> None:
    many = tuple(place / 10_000 - 0.5 for place in range(10_000))
    assert len(win_loss_svg(win_loss(many))) < 20_000


def test_without_differences_there_is_still_a_chart() -> None:
    assert "<svg" in win_loss_svg(win_loss(()))
    assert "<svg" in win_loss_svg(win_loss((0.0, 0.0)))


def test_very_many_lines_are_thin_on_a_wide_sheet_with_a_small_legend() -> None:
    few, many = (ElementTree.fromstring(curve_svg(curve(n_lines=n))) for n in (8, 32))
    width, height = (float(size) for size in (many.get("viewBox") or "").split()[2:])
    assert width > 1.5 * float((few.get("viewBox") or "").split()[2])
    assert height < width  # 32 names in one or two columns would be higher than the chart
    widths = [{float(width) for width in re.findall(r"stroke-width: ([\d.]+)", curve_svg(curve(n_lines=n)))} for n in (8, 32)]
    assert 1.8 in widths[0]
    assert max(widths[1]) < 1.8
    assert len([text for text in many.iter("text") if (text.text or "").startswith("arm ")]) == 32


def test_a_line_without_a_band_is_drawn_without_one() -> None:
    def shapes(line: Line) -> int:
        return curve_svg(CurveChart("c", "", "", "k", "m", POINTS, (line,))).count("fill: var(--series-1)")

    values = (0.3, 0.4, 0.5, 0.45)
    assert shapes(Line("a", POINTS, values, values, values)) == shapes(Line("a", POINTS, values)) + 1
