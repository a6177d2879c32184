"""The report of runs as a page, as Markdown, CSV and LaTeX, and as a page of the documentation."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from html.parser import HTMLParser

import pytest
from tests.reports.experiment_runs import CURVE, JUDGMENTS, TABLE, Run, curve_run, made, table_run

from podium.experiments.config import config_from_text
from podium.reports.experiments.cells import Cell, Section, Table
from podium.reports.experiments.charts import curve_charts
from podium.reports.experiments.findings import findings
from podium.reports.experiments.latex import experiment_latex, latex
from podium.reports.experiments.pages import experiment_page
from podium.reports.experiments.reproduction import anchors, reproduction
from podium.reports.experiments.reruns import toml_text
from podium.reports.experiments.summary import summary_table
from podium.reports.experiments.tables import curves, sections
from podium.reports.experiments.text import experiment_csv, experiment_markdown, markdown_table


def told(*runs: Run) -> list[tuple[str, str, tuple[Section, ...]]]:
    found = [findings(run) for run in runs]
    return [(one.config.name, one.config.title, sections(one, sums={"rows.parquet": "5um"})) for one in found]


@pytest.fixture(scope="module")
def parts() -> list[tuple[str, str, tuple[Section, ...]]]:
    return told(table_run(), curve_run(name="curve"))


class Page(HTMLParser):
    """Checks that every tag is closed in its place, and keeps ids, links and tables' cells."""

    VOID = ("meta", "path", "use")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if tag == "a" else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_is_whole_loads_nothing_and_runs_nothing(parts: list[tuple[str, str, tuple[Section, ...]]]) -> None:
    text = experiment_page(parts, found=[findings(table_run()), findings(curve_run(name="curve"))])
    page = Page(text)
    assert "script" not in page.seen
    assert not re.search(r"https?://|src=|@import|url\((?!#)| on\w+=", text)
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert page.seen.count("svg") == 1 + 2  # wins of one ranker; a curve, and wins of one ranker


def test_a_page_of_several_runs_begins_in_short_with_links_to_runs_and_their_sections() -> None:
    found = [findings(table_run()), findings(curve_run(name="curve"))]
    text = experiment_page(told(table_run(), curve_run(name="curve")), found=found)
    contents, rest = text.split("</nav>")
    assert Page(contents.split("<main>")[1] + "</nav>").links == ["#top", "#run-t", "#run-curve"]
    short, first, second = re.split(r'<header class="report-run">', rest)
    assert "<h2>In short</h2>" in short
    assert re.findall(r'<th scope="row"><a href="#([^"]+)">', short) == ["run-t", "run-t", "run-curve"]  # figures, claims; a curve
    for run, own in (("t", first), ("curve", second)):
        assert f'<h1 class="run-title" id="run-{run}">' in own
        assert f'<a class="to-top" href="#top">Contents</a><a href="#run-{run}-asked">What was asked</a>' in own
        for key in re.findall(rf'href="#run-{run}-(\w+)"', own):
            assert f'id="run-{run}-{key}"' in own


def test_among_several_runs_what_is_long_is_folded_and_all_of_it_is_there() -> None:
    table = Table("t", "First", ("a",), ((Cell("x"),),))
    many = Section("claims", "S", tables=(table, Table("u", "Second", ("a",), ((Cell("y"),),))), notes=tuple(f"note {n}" for n in range(4)))
    few = Section("claims", "S", tables=(table,), notes=("note 0", "note 1", "note 2"))
    text = experiment_page([("one", "One", (many,)), ("two", "Two", (few, Section("cost", "Time", notes=("an hour",))))])
    first, second = text.split('id="run-two"')
    shown, *folded = first.split("<details")
    assert "First" in shown
    assert "Second" not in shown
    assert [re.findall(r"<summary>(.*?)</summary>", part) for part in folded] == [["Second"], ["4 notes"]]
    assert first.count("<li>note ") == 4
    assert second.split("<details")[0].count("<li>note ") == 3
    assert re.search(r'<details><summary>Time</summary><div id="run-two-cost">.*an hour', second)  # the link to it opens it
    alone = experiment_page([("one", "One", (many,))])
    assert "<details" not in alone.split("<main>")[1]


def test_wide_tables_are_printed_on_their_side_and_long_titles_wrap() -> None:
    def printed(columns: int) -> str:
        row = tuple(Cell("0.5") for _ in range(columns))
        return experiment_page([("one", "One", (Section("s", "S", tables=(Table("t", "T", ("a",) * columns, (row,)),)),))])

    assert "is-broad" not in printed(13).split("<main>")[1]
    wide = printed(14)
    assert 'class="report-table is-wide is-broad"' in wide
    assert re.search(r"@page broad \{ size: A4 landscape; \}", wide)
    assert "h1, h2 { overflow-wrap: anywhere; }" in wide


def test_a_page_of_one_run_has_no_contents_and_its_title_once(parts: list[tuple[str, str, tuple[Section, ...]]]) -> None:
    page = Page(experiment_page(parts[:1]))
    assert page.links == []
    assert page.seen.count("h1") == 1


def test_everything_from_a_config_is_escaped(parts: list[tuple[str, str, tuple[Section, ...]]]) -> None:
    text = experiment_page(parts)
    assert "<b>" not in text
    assert "<i>" not in text
    assert "<x>" not in text
    assert "Rank_Net &lt;x&gt;" in text
    assert "Ours &lt;i&gt;differs&lt;/i&gt;." in text
    assert "podium experiment &lt;t&gt;.toml" in text


def test_the_best_is_bold_and_marked_and_the_paper_stands_beside(parts: list[tuple[str, str, tuple[Section, ...]]]) -> None:
    text = experiment_page(parts[:1])
    row = re.search(r'<th scope="row">Rank_Net &lt;x&gt;</th>(.*?)</tr>', text)
    assert row is not None
    mark, interval = '<sup title="significantly better than the baseline">▲</sup>', r'<span class="aside">0\.\d{3} to 0\.\d{3}</span>'
    assert re.match(f'<td class="best">0.550{mark}{interval}</td>', row[1])
    assert '<td class="paper">0.500</td>' in text
    assert '<td class="far">+0.050</td>' in text  # 0.550 less 0.500
    assert "30 won, 0 tied" not in text
    assert "60 won, 0 tied, 0 lost" in text


def test_time_memory_settings_and_all_that_a_rerun_needs_are_there(parts: list[tuple[str, str, tuple[Section, ...]]]) -> None:
    text = experiment_page(parts[:1])
    for word in ("peak MiB", "l2=0.1", "c0de", "abc", "d1gest  Fold1/train", "5um  rows.parquet", "podium 0.1"):
        assert word in text
    assert "<td>4</td><td>18.0</td><td>3.50</td><td>5</td>" in text  # of 1, 2, 5 and 10 seconds, and of 2 to 5 MiB
    assert "<td>4</td><td>36.0</td><td>7.00</td><td>5</td>" in text  # of the second ranker


def test_a_resolved_config_as_toml_is_the_same_config() -> None:
    for run in (table_run(), curve_run()):
        text = toml_text(run.facts["config"])
        tomllib.loads(text)
        assert config_from_text(text, "t") == run.config


def test_markdown_shows_the_same_numbers_and_no_name_can_break_a_table(parts: list[tuple[str, str, tuple[Section, ...]]]) -> None:
    text = experiment_markdown(parts)
    assert "| Rank\\_Net \\<x\\> | **0.550**▲ (" in text
    assert "# Paper 004, Table 4: \\<b\\>&amp;\\</b\\> rankers \\| \\$x\\$" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_a_table_of_markdown_has_words_left_and_numbers_right() -> None:
    table = Table("t", "", ("a", "b", "c"), ((Cell("x"), Cell("1", "0 to 2", "▼", "best"), Cell("so", kind="words")),))
    assert markdown_table(table) == "| a | b | c |\n| :--- | ---: | :--- |\n| x | **1**▼ (0 to 2) | so |"


def test_csv_has_every_figure_with_all_its_digits() -> None:
    found = findings(table_run())
    rows = list(csv.DictReader(io.StringIO(experiment_csv([found]))))
    best = next(row for row in rows if row["part"] == "results" and row["ranker"] == "Rank_Net <x>" and row["measure"] == "ndcg@10")
    assert float(best["value"]) == found.entries["Rank_Net <x>", "ndcg@10"].mean
    assert (best["is_best"], best["against"]) == ("true", "ListMLE")
    paper = [row for row in rows if row["part"] == "printed"]
    assert [(row["printed"], row["verdict"]) for row in paper] == [("0.5", "lower"), ("0.5", "higher")]
    assert [row["printed"] for row in rows if row["part"] == "claim"] == ["4.13"]
    curve = list(csv.DictReader(io.StringIO(experiment_csv([findings(curve_run())]))))
    assert [row["point"] for row in curve if row["part"] == "curve" and row["is_best"] == "true"] == ["10", "full"]


def test_latex_escapes_what_latex_reads_and_sets_marks_high(parts: list[tuple[str, str, tuple[Section, ...]]]) -> None:
    text = experiment_latex(parts[:1])
    assert r"Rank\_Net \textless{}x\textgreater{} & \textbf{0.550}\textsuperscript{$\uparrow$} {\scriptsize (" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 5  # means, changes, papers, claims, costs
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 5
    for row in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, flags=re.DOTALL):
        cells = [line for line in row[1].splitlines() if line.endswith(r"\\")]
        assert {len(re.findall(r"(?<!\\)&", line)) + 1 for line in cells} == {len(row[0])}
    assert latex("[*] a\\b^2_{~}") == r"{[}{*}{]} a\textbackslash{}b\textasciicircum{}2\_\{\textasciitilde{}\}"


def test_the_page_of_the_documentation_is_the_same_each_time_and_has_no_times() -> None:
    runs = [table_run(), curve_run()]
    text, images = reproduction(runs)
    for run in runs:  # what differs from run to run
        run.costs["seconds"] += 9
        run.facts["commit"] = "another"
    seen: list[tuple[int, int]] = []
    assert (text, images) == reproduction(runs, progress=lambda *place: seen.append(place))
    assert seen == [(1, 2), (2, 2)]
    assert "seconds" not in text
    assert set(re.findall(r"\(images/reproduction/([^)]+)\)", text)) == set(images) == {"t-ndcg-10.svg"}
    assert all(len(svg.encode()) < 60_000 for svg in images.values())


def test_the_documentation_begins_with_a_line_for_each_table_figure_and_claim() -> None:
    text = reproduction([table_run(), curve_run()])[0]
    short = text.split("## In short\n\n")[1].split("\n\n")[0].splitlines()[2:]
    assert len(short) == 3
    assert "| ndcg@10: 0.500 (2 rankers) | ndcg@10: 0.450 to 0.550 |" in short[0]
    assert (
        "lower by 0.050 at most (ListMLE), higher by 0.050 at most (Rank\\_Net \\<x\\>); over all measures 0 of 2 within 0.010" in short[0]
    )
    assert (
        "| ndcg@10: Rank\\_Net \\<x\\> over ListMLE +4.13 % | ndcg@10: Rank\\_Net \\<x\\> over ListMLE +22.22 % (p \\< 0.001) | agrees; "
        "different data (MQ2007-list)" in short[1]
    )
    assert "| ndcg@10: ListMLE best at 10 (0.500), worse after 100 (−0.100); RankNet best at full (0.450) | over all" in short[2]
    assert "Rank\\_Net \\<x\\>: ours is higher by 0.050 at ndcg@10 (0." in text
    assert "It stops early." in text


def test_many_ways_of_labelling_have_a_chart_for_each_accuracy_on_one_scale() -> None:
    ways = ("heap", "insertion", "tournament", "adaptive")
    names = [f"ListMLE · {way} · {share} %" for share in (100, 80) for way in ways]
    more = {"1": 0.1, "10": 0.2}
    cells = {(name, at, "ndcg@10"): ([0.1 * place + more[at], 0.2 + 2 * more[at]],) for place, name in enumerate(names) for at in more}
    text = JUDGMENTS.replace('["heap"]', '["heap", "insertion", "tournament", "adaptive"]\naccuracies = [1.0, 0.8]')
    found = findings(made(text, cells))
    charts = curve_charts(found)
    assert [chart.key for chart in charts] == ["t-ndcg-10-100", "t-ndcg-10-80"]
    assert [line.name for line in charts[1].lines] == [f"ListMLE · {way}" for way in ways]
    assert charts[0].limits == charts[1].limits
    assert set(reproduction([found.run])[1]) == {"t-ndcg-10-100.svg", "t-ndcg-10-80.svg"}


def test_a_curve_of_many_points_has_a_line_a_point() -> None:
    cells = {("ListMLE", str(k), "ndcg@10"): ([0.01 * k, 0.02 * k],) for k in range(1, 15)}
    table = curves(findings(made(CURVE, cells)))
    assert table is not None
    assert (table.tables[0].head, len(table.tables[0].rows)) == (("k of the training truth", "ListMLE"), 14)
    assert table.tables[0].rows[-1] == (Cell("14"), Cell("0.210", kind="best"))  # (0.14 + 0.28) / 2


def test_figures_of_other_data_are_not_called_lower_or_higher() -> None:
    run = made(TABLE.replace('"OHSUMED2"', '"OHSUMED2"\nin_place_of = "MQ2007"'), {("ListMLE", "", "ndcg@10"): ([0.1, 0.2],)})
    text = reproduction([run])[0]
    assert "different data (MQ2007) |" in text
    assert "The printed figures are of MQ2007, ours of OHSUMED2." in text


def test_lines_in_short_lead_to_the_headings_by_the_ids_that_the_site_gives_them() -> None:
    slugs = pytest.importorskip("myst_parser.slugs")
    titles = ["Paper 004, Table 4: <b>&</b> rankers | $x$", "In short", "β-curve 日本_x (top-10)", "In short"]
    seen = ["reproduction", "in-short"]
    for title in titles:
        seen.append(slugs.unique_slug(slugs.github_slugify(title), seen))
    assert anchors(titles, taken=("reproduction", "in-short")) == seen[2:]
    text = reproduction([table_run(), curve_run()])[0]
    headings = [re.sub(r"\\(.)", r"\1", line[3:]).replace("&amp;", "&") for line in text.splitlines() if line.startswith("## ")]
    assert re.findall(r"^\| \[.*?\]\(#(\S+)\) \|", text, flags=re.MULTILINE) == [
        slugs.github_slugify(headings[place]) for place in (1, 1, 2)
    ]


def test_the_page_says_reproduction_only_of_runs_of_the_papers_and_how_each_was_run() -> None:
    theirs = curve_run(name="a b")
    theirs.facts["command"] = "podium experiment 'a b.toml' --data DIR"
    text = reproduction([theirs])[0]
    assert text.startswith("# Reproduction\n")
    assert "Run it: `podium experiment experiments/'a b.toml' --data DIR`." in text
    assert "`DIR` is the folder that holds the collections" in text
    own = type(theirs)(
        config_from_text(CURVE.replace('paper = "000"\n', ""), "a b"), theirs.facts, theirs.rows, theirs.trials, theirs.costs
    )
    text = reproduction([own])[0]
    assert text.startswith("# Experiments\n")
    assert "Run it: `podium experiment 'a b.toml' --data DIR`." in text
    assert "papers that" not in text
    assert "make reproduce" not in text
    assert summary_table([findings(own)]).rows[0][1] == Cell("nothing", kind="words")  # no paper, no chart of a paper


def test_one_fold_and_one_query_are_not_many() -> None:
    run = made(TABLE, {("ListMLE", "", "ndcg@10"): ([0.1],)})
    facts = {name: text for _, _, parts in told(run) for name, text in parts[0].facts}
    assert facts["Test queries"] == "1 in 1 fold"
    assert "; 1 test query in 1 fold; " in reproduction([run])[0]


def test_no_text_of_the_csv_is_a_formula() -> None:
    text = TABLE.replace("Rank_Net <x>", "=1+1").replace('where = "Table 4"', 'where = "@x"')
    cells = {(arm, "", "ndcg@10"): ([value, value],) for arm, value in (("ListMLE", 0.45), ("=1+1", -0.25))}
    rows = list(csv.DictReader(io.StringIO(experiment_csv([findings(made(text, cells, name="@run"))]))))
    assert {row["ranker"] for row in rows} == {"ListMLE", "'=1+1"}
    assert {row["run"] for row in rows} == {"'@run"}
    assert {row["where"] for row in rows if row["part"] == "printed"} == {"'@x"}
    assert {row["value"] for row in rows if row["part"] == "results"} == {"0.45", "-0.25"}  # a number stays one


def test_of_very_many_lines_only_the_best_and_the_baseline_have_a_band() -> None:
    def charted(n_rankers: int) -> tuple[list[str], str, str]:
        names = ["ListMLE", *(f"R{number}" for number in range(n_rankers - 1))]
        rankers = "".join(f'[[rankers]]\nname = "{name}"\nalgorithm = "listnet"\n' for name in names[1:])
        text = CURVE.split('[[rankers]]\nname = "RankNet"')[0] + rankers + "[curve]" + CURVE.split("[curve]")[1]
        values = {name: 0.9 if name == "R3" else 0.1 * place / n_rankers for place, name in enumerate(names)}
        cells = {(name, at, "ndcg@10"): ([value, value + 0.05],) for name, value in values.items() for at in ("1", "10")}
        part = curves(findings(made(text, cells)))
        assert part is not None
        (chart,) = part.charts
        return [line.name for line in chart.lines if line.low], chart.description, part.lead

    assert len(charted(8)[0]) == 8
    banded, description, lead = charted(9)
    assert banded == ["ListMLE", "R3"]
    assert description.endswith("Bands (of the best line and of the baseline) are 95 % bootstrap intervals over queries.")
    assert "only of the best and of the baseline" in lead
