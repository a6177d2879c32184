"""The configs of experiments/ for collections that users bring: they run as they are on files laid out as the official ones."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from podium.experiments.config import read_config
from podium.experiments.facts import Config
from podium.experiments.running import compute
from podium.sources.known_collections import COLLECTIONS, Collection

FOLDER = Path(__file__).parents[2] / "experiments"
BROUGHT = ("TD2003", "TD2004", "MQ2007", "MQ2007-list", "MQ2008-list")
CONFIGS = {
    path.stem: read_config(path)
    for path in sorted(FOLDER.glob("*.toml"))
    if tomllib.loads(path.read_text())["data"].get("folder") in BROUGHT
}

QUERIES, DOCUMENTS = 2, 12  # of a part S1..S5, and of a query: two more than the top 10


def part(collection: Collection, number: int, generator: np.random.Generator) -> str:
    """The text of one of S1..S5: grades that all occur in each query, or a total order."""
    extra = 0 if collection.grades else 3  # an ordered collection has documents that its graded sister has not
    lines = []
    for query in range(QUERIES):
        labels = generator.permutation(np.resize(collection.grades or np.arange(1, DOCUMENTS + extra + 1), DOCUMENTS + extra))
        for document, label in enumerate(labels):
            values = " ".join(f"{feature}:{value:.4f}" for feature, value in enumerate(generator.random(collection.features), start=1))
            lines.append(f"{label:g} qid:{number}{query} {values} #docid = D{document}\n")
    return "".join(lines)


def lay_out(folder: Path, collection: Collection) -> None:
    """As the publisher does: LETOR 2.0 has other names of files than 4.0, below a folder Data."""
    is_old = collection.title.startswith("LETOR 2.0")
    names = ("trainingset", "validationset", "testset") if is_old else ("train", "vali", "test")
    parts = [part(collection, number, np.random.default_rng([7, number])) for number in range(1, 6)]
    for first in range(5):
        *train, vali, test = parts[first:] + parts[:first]
        fold = folder / collection.name / ("Data" if is_old else "") / f"Fold{first + 1}"
        fold.mkdir(parents=True)
        for name, text in zip(names, ("".join(train), vali, test), strict=True):
            (fold / f"{name}.txt").write_text(text)


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("official")
    for name in BROUGHT:
        lay_out(folder, COLLECTIONS[name])
    return folder


def cut_down(config: Config) -> Config:
    """The same with a few iterations instead of grids, and the two ends of a curve."""
    rankers = tuple(replace(ranker, grid=None, settings={**ranker.settings, "max_iter": 3}) for ranker in config.rankers)
    curve = config.curve and replace(config.curve, points=(config.curve.points[0], config.curve.points[-1]))
    return replace(config, rankers=rankers, curve=curve)


def test_every_collection_that_users_bring_has_its_configs() -> None:
    assert {config.data.folder for config in CONFIGS.values()} == set(BROUGHT)
    assert {name.split("_")[0] for name in CONFIGS} == {"000", "001", "002", "003", "004"}
    tables = {f"{name[:3]} {name.split('_')[1].capitalize()}" for name in CONFIGS}
    for name in BROUGHT:
        served = {f"{said[:3]} {kind}{number}" for said in COLLECTIONS[name].serves for kind, number in kinds(said)}
        assert served <= tables, f"{name} is said to serve what has no config"


def kinds(said: str) -> list[tuple[str, str]]:
    """``002 Tables 2, 5`` as (Table, 2) and (Table, 5)."""
    _, kind, numbers = said.split(" ", 2)
    return [(kind.removesuffix("s"), number) for number in numbers.split(", ")]


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_runs_on_files_laid_out_as_the_official_ones(name: str, brought: Path, tmp_path: Path) -> None:
    config = cut_down(CONFIGS[name])
    rows = compute(config, data=brought, out=tmp_path, jobs=1).rows
    points = 1 if config.curve is None else 2
    assert len(rows["value"]) == 5 * QUERIES * len(config.rankers) * len(config.measures) * points
    assert set(rows["algorithm"]) == {ranker.name for ranker in config.rankers}
    assert set(rows["measure"]) == set(config.measures)
    assert set(rows["fold"]) == {f"Fold{number}" for number in range(1, 6)}
    assert len(set(rows["query"])) == 5 * QUERIES
    values = rows["value"].astype(float)
    assert ((values >= 0) & (values <= 1)).all()
    assert values.std() > 0


@pytest.mark.parametrize("name", CONFIGS)
def test_figures_of_a_paper_are_shares_and_belong_to_the_papers_table(name: str) -> None:
    paper, table = name.split("_")[:2]
    for ranker in CONFIGS[name].rankers:
        assert bool(ranker.printed) == (paper in ("002", "004"))
        for printed in ranker.printed:
            assert printed.paper == paper
            assert printed.where == f"Table {table.removeprefix('table')}"
            assert all(0 < figure < 1 for figure in printed.figures.values())
