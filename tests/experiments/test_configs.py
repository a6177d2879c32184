"""The configs of experiments/: all are read, what they print is what the papers print, and tables share their trials."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from podium.cli.report import report
from podium.experiments.config import config_from_dict, config_to_dict, read_config

FOLDER = Path(__file__).parents[2] / "experiments"
CONFIGS = {path.stem: read_config(path) for path in sorted(FOLDER.glob("*.toml"))}

PUBLISHER = "LETOR 2.0"
LETOR4 = ("ndcg@1[letor]", "ndcg@3[letor]", "ndcg@10[letor]", "p@1", "p@3", "p@10")  # columns of paper 004
LETOR2 = ("ndcg@1[letor]", "ndcg@3[letor]", "ndcg@5[letor]", "ndcg@10[letor]", "map")  # columns of paper 002

# rows as the papers have them, in thousandths; "-" where a cell is empty
PAPER_004 = {
    "004_table1_ohsumed": """
        ListMLE                      548 473 446 642 582 495
        ListMLE, ties broken         548 473 446 642 582 495
        top-1 ListMLE                529 482 447 652 595 499
        top-3 ListMLE                535 484 445 671 608 504
        top-10 ListMLE               558 473 444 672 601 509
        top-10 ListMLE, ties broken  558 473 444 672 601 509
    """,
    "004_table4_ohsumed": """
        RankBoost       497 472 435 604 586 495
        Ranking SVM     495 464 441 633 592 507
        ListNet         523 477 448 642 602 509
        RankCosine      523 475 437 642 589 493
        top-10 ListMLE  558 473 444 672 601 509
    """,
}
PAPER_002 = {
    "002_table1_ohsumed": """
        ListMLE        548 473 -   446 -
        CS-ListMLE@1   555 482 464 446 442
        CS-ListMLE@3   539 480 458 446 444
        CS-ListMLE@5   548 468 453 438 443
        CS-ListMLE@10  536 471 452 439 443
    """,
    "002_table4_ohsumed": """
        ListNet       523 478 466 449 450
        RankCosine    523 475 -   437 -
        AdaRank       514 462 442 437 442
        Ranking SVM   495 465 458 441 447
        CS-ListMLE@1  555 482 464 446 442
    """,
}
CLAIMS = {  # per cent, in the text of papers 001 and 003
    "001_table4_topk_mq2008": {
        ("FocusedBoost", "AdaRank", "k-ndcg@10"): 7.08, ("FocusedBoost", "RankBoost", "k-ndcg@10"): 0.87,
        ("FocusedBoost", "AdaRank", "k-err"): 9.76, ("FocusedBoost", "RankBoost", "k-err"): 0.91,
    },
    "003_table1_mq2008": {
        ("HOM-OG", "top-10 ListMLE", "k-ndcg@10"): 8.59, ("HOM-OG", "top-10 ListMLE", "k-err"): 7.46,
        ("HOM-OG", "top-10 CPS", "k-ndcg@10"): 16.2, ("HOM-OG", "top-10 CPS", "k-err"): 11.3,
    },
    "003_table1_ohsumed": {
        ("HOM-OG", "top-10 ListMLE", "k-ndcg@10"): 4.13, ("HOM-OG", "top-10 ListMLE", "k-err"): 3.85,
        ("HOM-OG", "top-10 CPS", "k-ndcg@10"): 15.5, ("HOM-OG", "top-10 CPS", "k-err"): 15.0,
    },
}  # fmt: skip


def table(text: str, columns: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Rows of a text above by name; figures by measure."""
    rows = {}
    for line in text.strip().splitlines():
        *name, figures = line.strip().split("  ", 1)
        cells = zip(columns, figures.split(), strict=True)
        rows[name[0]] = {column: int(cell) / 1000 for column, cell in cells if cell != "-"}
    return rows


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_survives_the_way_to_plain_values_and_back(name: str) -> None:
    assert config_from_dict(config_to_dict(CONFIGS[name])) == CONFIGS[name]
    assert CONFIGS[name].title
    assert CONFIGS[name].about


@pytest.mark.parametrize(("name", "text", "columns"), [
    *((name, text, LETOR4) for name, text in PAPER_004.items()),
    *((name, text, LETOR2) for name, text in PAPER_002.items()),
])  # fmt: skip
def test_printed_figures_are_those_of_the_paper(name: str, text: str, columns: tuple[str, ...]) -> None:
    paper, number = name[:3], name.split("_")[1].removeprefix("table")
    config = CONFIGS[name]
    assert config.measures == columns
    found = {
        ranker.name: dict(row.figures)
        for ranker in config.rankers
        for row in ranker.printed
        if (row.paper, row.where) == (paper, f"Table {number}")
    }
    assert found == table(text, columns)


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_with_a_number_are_those_of_the_papers_text(name: str) -> None:
    found = {(claim.better, claim.than, claim.measure): claim.percent for claim in CONFIGS[name].claims if claim.percent is not None}
    assert found == CLAIMS[name]


def test_figures_of_the_publisher_are_those_of_his_tables(benchmark_data: Path) -> None:
    files = {"RankBoost": "RankBoost", "Ranking SVM": "RankSVM", "ListNet": "ListNet"}
    files |= {"AdaRank": "AdaRank.NDCG", "AdaRank, NDCG": "AdaRank.NDCG", "AdaRank, MAP": "AdaRank.MAP"}
    seen = set()
    for config in CONFIGS.values():
        for ranker in config.rankers:
            for row in ranker.printed:
                if row.paper == PUBLISHER:
                    his = averages(benchmark_data / "measures" / "OHSUMED2" / f"ReferenceAlgs_OHSUMED__{files[ranker.name]}.csv")
                    assert dict(row.figures) == {measure: round(his[measure], 4) for measure in row.figures}
                    seen.add(ranker.name)
    assert seen == set(files)


def averages(path: Path) -> dict[str, float]:
    """The lines ``Average`` of the test queries, which come first, by our names of measures."""
    found: dict[str, float] = {}
    head: list[str] = []
    for line in path.read_text().splitlines():
        first, *cells = line.split(",")
        if first == "Trials":
            head = [_measure(cell) for cell in cells]
        elif first == "Average":
            found = {**{name: float(cell) for name, cell in zip(head, cells, strict=False) if cell}, **found}
    return found


def _measure(column: str) -> str:
    return f"{column.lower()}[letor]" if column.startswith("NDCG") else column.lower()


def test_an_algorithm_has_the_same_settings_in_every_table_of_a_collection() -> None:
    """Trials are kept by content: a ranker that is the same in two tables is trained once."""
    ohsumed = [config for name, config in CONFIGS.items() if name in {*PAPER_002, *PAPER_004, "ours_best_ohsumed"}]
    assert {config.choose for config in ohsumed} == {"ndcg@10[letor]"}
    seen: dict[str, object] = {}
    for config in ohsumed:
        for ranker in config.rankers:
            assert seen.setdefault(ranker.name, (ranker.algorithm, ranker.settings, ranker.grid)) == (
                ranker.algorithm, ranker.settings, ranker.grid,
            ), ranker.name  # fmt: skip


BALANCES = [  # a curve, and the table whose grid has the same balances
    ("001_figure1_mq2008", "001_table4_topk_mq2008"), ("001_figure1_graded_mq2008", "001_table4_graded_mq2008"),
    ("001_figure1_mq2007", "001_table4_topk_mq2007"),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "table_4"), BALANCES)
def test_the_balances_of_figure_1_are_the_grid_of_table_4(figure: str, table_4: str) -> None:
    curve, rankers = CONFIGS[figure], {ranker.name: ranker for ranker in CONFIGS[table_4].rankers}
    assert curve.curve is not None
    assert curve.curve.points == tuple(step / 20 for step in range(21))
    for ranker in curve.rankers:
        assert ranker.settings == rankers[ranker.name].settings
        if isinstance(ranker.grid, dict):
            assert rankers[ranker.name].grid == {"balance": list(curve.curve.points), **ranker.grid}


@pytest.mark.parametrize("half", ["graded", "topk"])
def test_rankers_are_the_same_on_the_data_of_the_paper_and_on_what_stands_in_for_it(half: str) -> None:
    assert CONFIGS[f"001_table4_{half}_mq2007"].rankers == CONFIGS[f"001_table4_{half}_mq2008"].rankers


# ---- notes ----

COLLECTIONS = {  # that a paper has
    "000": {"MQ2007-list", "MQ2008-list"}, "001": {"MQ2007", "MQ2007-list", "TD2003"}, "002": {"OHSUMED2", "TD2003", "TD2004"},
    "003": {"MQ2007-list", "MQ2008-list"}, "004": {"OHSUMED2", "TD2003", "TD2004"},
}  # fmt: skip
SAID = [  # begin and end of configs' names, and how a note of each begins
    ("003", "", "The paper fits by gradient descent, with its learning rate and stopping precision tuned on validation queries"),
    ("001_table4", "", "The paper tunes the number of iterations of RankNet and ListNet"),
    ("002", "", "Only CS-ListMLE was treated to gradient descent, z-scores and four tries"),
    ("002", "ohsumed", "Z-scores, as CS-ListMLE has them in the tables of paper 002, were seen on test queries for other rankers too"),
    ("004", "ohsumed", "Z-scores, as CS-ListMLE has them in the tables of paper 002, were seen on test queries for other rankers too"),
]


@pytest.mark.parametrize("name", [name for name, config in CONFIGS.items() if config.paper])
def test_a_config_on_data_that_its_paper_does_not_have_says_so(name: str) -> None:
    config = CONFIGS[name]
    is_theirs = config.data.synthetic is None and config.data.folder in COLLECTIONS[config.paper]
    assert config.title.startswith(f"Paper {config.paper}, ")
    assert bool(config.data.in_place_of) != is_theirs
    assert set(filter(None, config.data.in_place_of.split(" and "))) <= COLLECTIONS[config.paper]
    assert config.notes[0].startswith("Not the data of the paper: ") != is_theirs
    for claim in config.claims:
        assert bool(claim.on) != is_theirs, claim


@pytest.mark.parametrize(("begin", "end", "note"), SAID)
def test_what_all_configs_of_a_paper_must_admit_is_said_in_each(begin: str, end: str, note: str) -> None:
    configs = [config for name, config in CONFIGS.items() if name.startswith(begin) and name.endswith(end)]
    assert configs
    for config in configs:
        assert any(one.startswith(note) for one in config.notes), config.name


def test_the_help_of_reports_names_runs_that_a_config_makes() -> None:
    named = re.findall(r"runs/(\w+)", report.epilog or "")
    assert named
    assert set(named) <= set(CONFIGS)
