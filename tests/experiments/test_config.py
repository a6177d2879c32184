"""Configs: what a file says is what comes out, and every mistake is one line that names the file, the key, and what would do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from podium.errors import FileError
from podium.experiments.config import config_from_dict, config_from_text, config_to_dict, read_config
from podium.experiments.facts import (
    Axis,
    Claim,
    Config,
    DataSpec,
    Labelling,
    Printed,
    RankerSpec,
    Synthetic,
    TruthSpec,
)  # fmt: skip

CONFIGS = sorted((Path(__file__).parents[2] / "experiments").glob("*.toml"))

TEXT = """
title = "Table 4"
about = "Two rankers."
measures = ["ndcg@10[letor]", "p@1"]
choose = "ndcg@10[letor]"
baseline = "top-10 ListMLE"
seeds = [0, 3]
notes = ["A note."]

[data]
folder = "OHSUMED2"

[truth]
train = "top-k"
test = "given"
k = 5

[[rankers]]
name = "top-10 ListMLE"
algorithm = "top-k-listmle"
scorer = "linear"
settings = { k = 10, scaling = "minmax" }
grid = "default"

[[rankers.printed]]
paper = "004"
where = "Table 4"
figures = { "ndcg@10[letor]" = 0.444, "p@1" = 1 }

[[rankers]]
name = "RankNet"
algorithm = "ranknet"
grid = { l2 = [0, 0.1] }

[[claims]]
paper = "004"
better = "top-10 ListMLE"
than = "RankNet"
measure = "p@1"
percent = 4
"""

CURVE = """
[curve]
over = "judgments"
points = [100, 1000]

[labelling]
strategies = ["heap"]
accuracies = [1, 0.9]
k = 7
"""

EXPECTED = Config(
    name="table",
    title="Table 4",
    about="Two rankers.",
    data=DataSpec(folder="OHSUMED2"),
    truth=TruthSpec("top-k", "given", 5),
    rankers=(
        RankerSpec(
            "top-10 ListMLE", "top-k-listmle", "linear", {"k": 10, "scaling": "minmax"}, "default",
            (Printed("004", "Table 4", {"ndcg@10[letor]": 0.444, "p@1": 1.0}),),
        ),
        RankerSpec("RankNet", "ranknet", grid={"l2": [0, 0.1]}),
    ),
    measures=("ndcg@10[letor]", "p@1"),
    choose="ndcg@10[letor]",
    baseline="top-10 ListMLE",
    seeds=(0, 3),
    claims=(Claim("004", "top-10 ListMLE", "RankNet", "p@1", 4.0),),
    notes=("A note.",),
)  # fmt: skip


def test_a_config_is_what_its_file_says_and_is_named_after_it(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(TEXT)
    assert read_config(tmp_path / "table.toml") == EXPECTED
    assert config_from_text(TEXT, "table") == EXPECTED


def test_a_curve_over_judgments_comes_with_its_labelling() -> None:
    config = config_from_text(TEXT + CURVE, "curve")
    assert config.curve == Axis("judgments", (100, 1000))
    assert config.labelling == Labelling(("heap",), (1.0, 0.9), 7)


def test_a_config_says_of_which_paper_it_is_what_that_says_and_whose_place_the_data_take() -> None:
    text = TEXT.replace("notes =", 'paper = "004"\nsays = "it is flat"\nnotes =').replace("[truth]", 'in_place_of = "MQ2007"\n[truth]')
    config = config_from_text(text, "t")
    assert (config.paper, config.says, config.data) == ("004", "it is flat", DataSpec("OHSUMED2", in_place_of="MQ2007"))
    assert (EXPECTED.paper, EXPECTED.says, EXPECTED.data.in_place_of) == ("", "", "")


def test_what_an_older_release_wrote_without_the_keys_of_a_paper_is_read() -> None:
    plain = config_to_dict(EXPECTED)
    del plain["paper"], plain["says"], plain["data"]["in_place_of"]
    assert config_from_dict(plain) == EXPECTED


def test_synthetic_data_and_what_may_be_left_out() -> None:
    text = TEXT.replace('folder = "OHSUMED2"', "[data.synthetic]\nqueries = 40").replace(
        '[truth]\ntrain = "top-k"\ntest = "given"\nk = 5', ""
    )
    config = config_from_text(text, "made-up")
    assert config.data == DataSpec(synthetic=Synthetic(queries=40))
    assert config.truth == TruthSpec()


def test_an_empty_grid_is_none_and_measures_are_spelled_as_their_table_does() -> None:
    text = TEXT.replace('grid = "default"', 'grid = ""').replace('"p@1"', '"P@1"')
    config = config_from_text(text, "t")
    assert config.rankers[0].grid is None
    assert config.measures == EXPECTED.measures
    assert config.claims[0].measure == "p@1"
    assert dict(config.rankers[0].printed[0].figures) == {"ndcg@10[letor]": 0.444, "p@1": 1.0}


@pytest.mark.parametrize("text", [TEXT, TEXT + CURVE, TEXT.replace('grid = "default"', 'grid = ""')])
def test_a_config_survives_json(text: str) -> None:
    config = config_from_text(text, "t")
    plain = config_to_dict(config)
    assert plain["claims"][0] == {
        "paper": "004", "better": "top-10 ListMLE", "than": "RankNet", "measure": "p@1", "percent": 4.0, "on": "", "remark": "",
    }  # fmt: skip
    assert config_from_dict(json.loads(json.dumps(plain))) == config


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_every_config_of_the_repository_is_read_and_survives_json(path: Path) -> None:
    config = read_config(path)
    assert config_from_dict(json.loads(json.dumps(config_to_dict(config)))) == config


MISTAKES = [  # what is replaced, by what, and what must be said
    ("notes =", "note =", "note: unknown key 'note'; did you mean 'notes'? choose from about, baseline"),
    ("notes =", 'says = "flat"\nnotes =', "says tells what a paper says of its figure: give paper too, or leave it out"),
    (
        '"OHSUMED2"',
        '"OHSUMED2"\nin_place_of = "OHSUMED2"',
        "data.in_place_of names the collection of the paper, where ours is another; leave",
    ),
    ('title = "Table 4"', "", "title is missing; a config has the keys title, about, data"),
    ('title = "Table 4"', "title = 4", "title must be a text, got 4"),
    ('title = "Table 4"', 'title = "a"\nname = "b"', "name: an experiment is named after its file"),
    ('title = "Table 4"', "title = ", "is not valid TOML"),
    ('title = "Table 4"', 'title = " "', "title must not be empty"),
    ("seeds = [0, 3]", "seeds = 0", "seeds must be a list, got 0"),
    ("seeds = [0, 3]", "seeds = []", "seeds must not be empty"),
    ("seeds = [0, 3]", "seeds = [0, 0]", "seeds has 0 twice"),
    ("seeds = [0, 3]", "seeds = [-1]", "seeds must be 0 or more, got -1"),
    ("seeds = [0, 3]", f"seeds = [{2**63}]", f"seeds[1] must be a number below 2^63 in size, got {2**63}"),
    ("seeds = [0, 3]", f"seeds = [{'9' * 5000}]", "is not valid TOML"),
    ("percent = 4", f"percent = {10**400}", "claims[1].percent must be a number below 2^63 in size"),
    ("l2 = [0, 0.1]", f"l2 = [{10**400}]", "rankers[2].grid.l2[1] must be a number below 2^63 in size"),
    ("seeds = [0, 3]", "seeds = [0.5]", "seeds[1] must be a whole number, got 0.5"),
    ("seeds = [0, 3]", "seeds = [true]", "seeds[1] must be a whole number, got True"),
    ('folder = "OHSUMED2"', "", "data must have either folder"),
    ('folder = "OHSUMED2"', 'folder = "A"\n[data.synthetic]', "data must have either folder"),
    ('folder = "OHSUMED2"', "[data.synthetic]\nquerys = 3", "data.synthetic.querys: unknown key 'querys'; did you mean 'queries'?"),
    ('folder = "OHSUMED2"', "[data.synthetic]\nqueries = 4", "data.synthetic.folds must be at most the number of queries, got 5"),
    ('folder = "OHSUMED2"', "[data.synthetic]\nfolds = 2", "data.synthetic.folds must be 3 or more, got 2"),
    ('folder = "OHSUMED2"', "[data.synthetic]\nqueries = 0", "data.synthetic.queries must be 1 or more, got 0"),
    ('folder = "OHSUMED2"', "[data.synthetic]\nnoise = -1", "data.synthetic.noise must be above 0, got -1.0"),
    ('folder = "OHSUMED2"', "[data.synthetic]\nnoise_growth = 0.5", "data.synthetic.noise_growth must be 1 or more, got 0.5"),
    ('folder = "OHSUMED2"', "[data.synthetic]\ninteraction = 5", "data.synthetic.interaction must be within 0..1, got 5.0"),
    (
        'folder = "OHSUMED2"',
        "[data.synthetic]\nqueries = 1048576\ndocuments = 1024\nfeatures = 9",
        "features must be at most 8,589,934,592",
    ),
    ('folder = "OHSUMED2"', 'only_in = "A"\n[data.synthetic]', "data.only_in goes with data.folder"),
    ('folder = "OHSUMED2"', 'folder = "A"\nbest = -1', "data.best must be 0 or more, got -1"),
    ('train = "top-k"', 'train = "topk"', "truth.train: unknown truth 'topk'; did you mean 'top-k'? choose from full, given, top-k"),
    ("k = 5", "k = 0", "truth.k must be 1 or more, got 0"),
    ('choose = "ndcg', 'choose = "ndgc', "choose: unknown measure 'ndgc'; did you mean 'ndcg'?"),
    ('"p@1"]', '"q@1"]', "measures: unknown measure 'q'"),
    ('"p@1"]', '"p@1", "P@1"]', "measures has 'p@1' twice"),
    ('baseline = "top-10 ListMLE"', 'baseline = "ListMLE"', "baseline: unknown ranker 'ListMLE'"),
    ('name = "RankNet"', 'name = "top-10 ListMLE"', "rankers has 'top-10 ListMLE' twice"),
    ('name = "RankNet"', 'name = ""', "rankers: a name must be text of one line that can be seen, got ''"),
    ('name = "RankNet"', 'name = "Rank\\nNet"', r"rankers: a name must be text of one line that can be seen, got 'Rank\nNet'"),
    ('name = "RankNet"', 'name = "Rank\\u001b[31mNet"', "rankers: a name must be text of one line that can be seen"),
    ('algorithm = "ranknet"', 'algorithm = "ranket"', "ranker 'RankNet': algorithm: unknown algorithm 'ranket'; did you mean 'ranknet'?"),
    ('algorithm = "ranknet"', 'algorithm = "ranknet"\nsettings = { k = 3 }', "ranker 'RankNet': unknown setting of ranknet 'k'"),
    ('algorithm = "ranknet"', 'algorithm = "ranknet"\nsettings = { l2 = 0.1 }', "ranker 'RankNet': l2 is in the grid and fixed"),
    ('scaling = "minmax"', 'scaling = "max"', "ranker 'top-10 ListMLE': scaling must be one of"),
    ('scorer = "linear"', 'scorer = "weak"', "makes a scorer of kind 'linear'; leave the key out, got 'weak'"),
    ('grid = "default"', 'grid = "defualt"', "unknown grid of top-k-listmle 'defualt'; did you mean 'default'?"),
    ('grid = "default"', "grid = 5", "rankers[1].grid must be a text or a table, got 5"),
    ('{ k = 10, scaling = "minmax" }\ngrid = "default"', '{ k = -3 }\ngrid = ""', "ranker 'top-10 ListMLE': k must be"),
    ("grid = { l2 = [0, 0.1] }", 'settings = { l2 = nan }\ngrid = ""', "ranker 'RankNet': l2 must be"),
    ("grid = { l2 = [0, 0.1] }", 'settings = { k = 3 }\ngrid = ""', "ranker 'RankNet': unknown setting of ranknet 'k'"),
    ("l2 = [0, 0.1]", "l2 = [0.1, 0, 0.1]", "ranker 'RankNet': grid.l2 has 0.1 twice"),
    ("l2 = [0, 0.1]", "l2 = [0, 0.0]", "ranker 'RankNet': grid.l2 has 0.0 twice"),
    ("l2 = [0, 0.1]", "l2 = []", "ranker 'RankNet': grid: a setting has no values"),
    ("l2 = [0, 0.1]", "l2 = 0.1", "rankers[2].grid.l2 must be a list, got 0.1"),
    ('"p@1" = 1', '"p@2" = 1', "'p@2' is not measured here; add it to measures (ndcg@10[letor], p@1)"),
    ('"p@1" = 1', '"p@1" = 1, "P@1" = 2', "ranker 'top-10 ListMLE': printed: figures has 'p@1' twice"),
    ('{ "ndcg@10[letor]" = 0.444, "p@1" = 1 }', "{}", "ranker 'top-10 ListMLE': printed: figures must not be empty"),
    ('"p@1" = 1', '"p@1" = nan', "rankers[1].printed[1].figures.p@1 must be a number, got nan"),
    ('than = "RankNet"', 'than = "Ranknet"', "claims[1].than: unknown ranker 'Ranknet'; did you mean 'RankNet'?"),
    ('than = "RankNet"', 'than = "top-10 ListMLE"', "claims[1]: better and than must name two rankers, got 'top-10 ListMLE' for both"),
    ('measure = "p@1"', 'measure = "map"', "claims[1].measure: 'map' is not measured here"),
    ("percent = 4", 'percent = "4"', "claims[1].percent must be a number, got '4'"),
    ('over = "judgments"', 'over = "judgements"', "labelling goes with a curve over judgments"),
    ("points = [100, 1000]", "points = [100, 100]", "curve.points has 100 twice"),
    ("points = [100, 1000]", "points = [100, 1000, 500]", "curve.points must rise, got 500 after 1000"),
    ("points = [100, 1000]", 'points = ["all"]', "curve.points over judgments must be whole numbers from 1 on, got 'all'"),
    ("points = [100, 1000]", "points = [true]", "curve.points[1] must be a whole number or a number or a text, got True"),
    ('strategies = ["heap"]', 'strategies = ["heep"]', "labelling.strategies: unknown strategy 'heep'; did you mean 'heap'?"),
    ('strategies = ["heap"]', 'strategies = ["graded"]', "labelling.strategies: unknown strategy 'graded'"),
    ("accuracies = [1, 0.9]", "accuracies = [0.5]", "labelling.accuracies must be above 0.5"),
    ("accuracies = [1, 0.9]", "accuracies = [0.9, 0.90000001]", "labelling.accuracies: two are so close that both are named"),
    ("k = 7", "k = 0", "labelling.k must be 1 or more, got 0"),
]


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES, ids=lambda value: str(value)[:30])
def test_a_mistake_is_one_line_that_names_the_file_and_says_what_would_do(old: str, new: str, said: str) -> None:
    text = TEXT + CURVE
    assert old in text
    with pytest.raises(FileError) as caught:
        config_from_text(text.replace(old, new, 1), "table")
    assert str(caught.value).startswith("table.toml: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("over", "points", "is_right"),
    [
        ("k", '[1, 10, "full"]', True),
        ("k", '["full", 1]', False),
        ("k", "[1.5]", False),
        ("k", "[0]", False),
        ("queries", '[10, "all"]', True),
        ("queries", '["full"]', False),
        ("queries", '[10, 5, "all"]', False),
        ("balance", "[0, 1, 0.5]", False),
        ("balance", "[0, 0.05, 1]", True),
        ("balance", "[-0.0, 1]", False),
        ("balance", "[0.12345671, 0.12345672]", False),
        ("balance", "[0.3, 0.30000000000000004]", False),
        ("balance", "[1.05]", False),
        ("balance", '["full"]', False),
        ("depth", "[1]", False),
    ],
)
def test_points_fit_their_axis(over: str, points: str, is_right: bool) -> None:
    text = TEXT.replace("ranknet", "focused-net").replace("grid = { l2 = [0, 0.1] }", 'grid = ""')
    text += f'[curve]\nover = "{over}"\npoints = {points}\n'
    if is_right:
        assert len(config_from_text(text, "t").curve.points) == points.count(",") + 1  # type: ignore[union-attr]
    else:
        with pytest.raises(FileError, match="curve"):
            config_from_text(text, "t")


@pytest.mark.parametrize("curve", ['[labelling]\nstrategies = ["heap"]', '[curve]\nover = "judgments"\npoints = [10]'])
def test_labelling_and_a_curve_over_judgments_go_together(curve: str) -> None:
    with pytest.raises(FileError, match="give both or neither"):
        config_from_text(TEXT + curve, "t")


def test_settings_are_checked_at_every_point_of_a_curve() -> None:
    text = TEXT.replace("settings = { k = 10,", "settings = {").replace('grid = "default"', "grid = { k = [3, 5] }")
    assert config_from_text(text, "t").rankers[0].grid == {"k": [3, 5]}
    with pytest.raises(FileError, match="ranker 'top-10 ListMLE': k is in the grid and fixed"):
        config_from_text(text + '[curve]\nover = "k"\npoints = [1]', "t")


@pytest.mark.parametrize("settings", ["", "settings = { balance = 0.5 }"])
def test_a_curve_that_no_ranker_follows_is_refused(settings: str) -> None:
    text = TEXT.replace("ranknet", "focused-net").replace("grid = { l2 = [0, 0.1] }", f'{settings}\ngrid = ""')
    text = text if settings else TEXT
    with pytest.raises(FileError, match=r"curve\.over: no ranker has a setting balance that is not fixed"):
        config_from_text(text + '[curve]\nover = "balance"\npoints = [0.1, 0.2]\n', "t")


def test_a_mark_that_editors_put_before_a_text_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    assert read_config(tmp_path / "table.toml") == EXPECTED


def test_the_size_of_made_up_data_has_a_limit_that_is_allowed() -> None:
    text = TEXT.replace('folder = "OHSUMED2"', "[data.synthetic]\nqueries = 1048576\ndocuments = 1024\nfeatures = 8")  # 2**33
    assert config_from_text(text, "t").data.synthetic == Synthetic(queries=1048576, documents=1024, features=8)


@pytest.mark.parametrize("name", ["cache", "", " ", ".hidden", "-v", "a/b", "a\\b", "a\nb", "a\0", "a\udcff", "a" * 201, "é" * 101])
def test_a_name_that_cannot_be_a_folder_of_its_own_is_refused(name: str) -> None:
    with pytest.raises(FileError, match="rename the file"):
        config_from_text(TEXT, name)
