"""Podium: the workbench for top-k learning to rank.

The face of the library. Names are loaded when they are first used, so that ``import podium`` is instant and pulls in neither the
compiler nor anything optional.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from podium.version import __version__

if TYPE_CHECKING:
    from podium import assessors, labelling, losses, measures, store
    from podium.dataset import Dataset
    from podium.errors import DataError, FileError, MissingDependency, PodiumError, UnknownName
    from podium.estimator import Ranker, load
    from podium.pool import Document, Pool
    from podium.ragged import set_threads
    from podium.results import Comparison, Results, compare
    from podium.sources import open_dataset, save_dataset
    from podium.sources.catalogue import Fold, read_folds
    from podium.sources.letor import read_letor
    from podium.sources.letor_writing import write_letor
    from podium.sources.pools import read_pools
    from podium.sources.synthetic import synthetic
    from podium.sources.tables import from_table, to_arrow, to_pandas, to_polars
    from podium.sources.trec import read_qrels, read_run, write_qrels, write_run

_HOMES = {
    "Comparison": "results",
    "DataError": "errors",
    "Dataset": "dataset",
    "Document": "pool",
    "FileError": "errors",
    "Fold": "sources.catalogue",
    "MissingDependency": "errors",
    "PodiumError": "errors",
    "Pool": "pool",
    "Ranker": "estimator",
    "Results": "results",
    "UnknownName": "errors",
    "assessors": "assessors",
    "compare": "results",
    "from_table": "sources.tables",
    "labelling": "labelling",
    "load": "estimator",
    "losses": "losses",
    "measures": "measures",
    "open_dataset": "sources",
    "read_folds": "sources.catalogue",
    "read_letor": "sources.letor",
    "read_pools": "sources.pools",
    "read_qrels": "sources.trec",
    "read_run": "sources.trec",
    "save_dataset": "sources",
    "set_threads": "ragged",
    "store": "store",
    "synthetic": "sources.synthetic",
    "to_arrow": "sources.tables",
    "to_pandas": "sources.tables",
    "to_polars": "sources.tables",
    "write_letor": "sources.letor_writing",
    "write_qrels": "sources.trec",
    "write_run": "sources.trec",
}

__all__ = [
    "Comparison", "DataError", "Dataset", "Document", "FileError", "Fold", "MissingDependency", "PodiumError", "Pool", "Ranker",
    "Results", "UnknownName", "__version__", "assessors", "compare", "from_table", "labelling", "load", "losses", "measures",
    "open_dataset", "read_folds", "read_letor", "read_pools", "read_qrels", "read_run", "save_dataset", "set_threads", "store",
    "synthetic", "to_arrow", "to_pandas", "to_polars", "write_letor", "write_qrels", "write_run",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'podium' has no attribute {name!r}")
    module = importlib.import_module(f"podium.{_HOMES[name]}")
    value = module if _HOMES[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
