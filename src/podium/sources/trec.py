"""TREC files: judgments (qrels: ``query 0 document label``) and rankings (runs: ``query Q0 document rank score tag``), both ways.

As in trec_eval, a run is ordered by its scores and not by its rank column; unlike there, equal scores keep the order of the file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from podium.dataset import Dataset
from podium.errors import DataError, FileError
from podium.ragged import Floats, Ints, offsets_of
from podium.sorting import rank_rows
from podium.sources.lines import finite_number, one_word, plain_number, text_lines
from podium.sources.streams import atomic_file

__all__ = ["Judged", "Qrels", "Run", "judge", "qrels_of", "read_qrels", "read_run", "run_of", "write_qrels", "write_run"]


@dataclass(frozen=True)
class Qrels:
    """Judgments: the label of each judged document of each query."""

    labels: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Run:
    """A ranking: the score of each retrieved document of each query, in the order of the file."""

    scores: dict[str, dict[str, float]]
    tag: str = "podium"


@dataclass(frozen=True)
class Judged:
    """A run beside its judgments, row by row, as measures want it: NaN = not judged, minus infinity = not retrieved."""

    scores: Floats
    labels: Floats
    offsets: Ints
    query_ids: list[str]
    without_run: list[str]  # judged queries for which the run has nothing; they count, with nothing retrieved
    without_judgments: list[str]  # queries of the run that nobody judged; they are left out


def _enter(path: str | os.PathLike[str], line: int, table: dict[str, dict[str, float]], query: str, document: str, value: float) -> None:
    values = table.setdefault(query, {})
    if document in values:
        raise FileError(path, line, f"document occurs twice for query {query!r}", got=document)
    values[document] = value


def read_qrels(path: str | os.PathLike[str]) -> Qrels:
    """Read judgments: four fields a line, query, anything, document, label."""
    labels: dict[str, dict[str, float]] = {}
    for line, text in text_lines(path):
        if not (fields := text.split()):
            continue
        if len(fields) != 4:
            raise FileError(
                path,
                line,
                f"a line of judgments has 4 fields (query 0 document label), this one has {len(fields)}",
                got=" ".join(fields)[:60],
            )
        _enter(path, line, labels, fields[0], fields[2], finite_number(path, line, "label, the fourth field,", fields[3]))
    if not labels:
        raise FileError(path, None, "has no judgments; expected lines such as 'query1 0 documentA 2'")
    return Qrels(labels)


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read a ranking: six fields a line, query, Q0, document, rank, score, tag."""
    scores: dict[str, dict[str, float]] = {}
    tag = "podium"
    for line, text in text_lines(path):
        if not (fields := text.split()):
            continue
        if len(fields) != 6:
            raise FileError(
                path,
                line,
                f"a line of a run has 6 fields (query Q0 document rank score tag), this one has {len(fields)}",
                got=" ".join(fields)[:60],
            )
        _enter(path, line, scores, fields[0], fields[2], finite_number(path, line, "score, the fifth field,", fields[4]))
        tag = fields[5]
    if not scores:
        raise FileError(path, None, "has no rows; expected lines such as 'query1 Q0 documentA 1 0.93 mytag'")
    return Run(scores, tag)


def write_qrels(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    """Write judgments; the file appears whole or not at all."""
    with atomic_file(path) as file:
        for query, labels in qrels.labels.items():
            head = one_word("query id", query)
            lines = (f"{head} 0 {one_word('document id', document)} {plain_number(label)}\n" for document, label in labels.items())
            file.write("".join(lines).encode())


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a ranking, best first; the file appears whole or not at all."""
    tag = one_word("tag", run.tag)
    with atomic_file(path) as file:
        for query, scores in run.scores.items():
            head = one_word("query id", query)
            ranked = sorted(scores.items(), key=lambda item: -item[1])
            lines = (
                f"{head} Q0 {one_word('document id', document)} {rank} {score!r} {tag}\n"
                for rank, (document, score) in enumerate(ranked, 1)
            )
            file.write("".join(lines).encode())


def _by_query(data: Dataset, values: Sequence[float]) -> dict[str, dict[str, float]]:
    documents, edges = data.document_ids.tolist(), data.offsets.tolist()
    table = {}
    for query, begin, end in zip(data.query_ids, edges[:-1], edges[1:], strict=True):
        table[query] = dict(zip(documents[begin:end], values[begin:end], strict=True))
        if len(table[query]) < end - begin:
            raise DataError(f"query {query!r} has two documents of the same id; TREC files need different ones")
    return table


def qrels_of(data: Dataset) -> Qrels:
    """The labels of a dataset as judgments."""
    return Qrels(_by_query(data, data.labels.tolist()))


def run_of(data: Dataset, scores: ArrayLike, tag: str = "podium") -> Run:
    """Scores of a dataset's rows as a ranking, best first."""
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (data.n_rows,) or not np.isfinite(values).all():
        raise DataError(f"scores must be {data.n_rows} finite numbers, one a row, got shape {values.shape}")
    table = _by_query(data, values.tolist())
    order = rank_rows(values, data.offsets)
    documents = data.document_ids[order].tolist()
    edges = zip(data.query_ids, data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True)
    return Run({query: {document: table[query][document] for document in documents[begin:end]} for query, begin, end in edges}, tag)


def judge(run: Run, qrels: Qrels) -> Judged:
    """Put a run beside its judgments. Every judged query counts; one that the run leaves out has nothing retrieved."""
    scores: list[float] = []
    labels: list[float] = []
    sizes = []
    for query, judged in qrels.labels.items():
        retrieved = run.scores.get(query, {})
        missed = [document for document in judged if document not in retrieved]
        scores += [*retrieved.values(), *([-math.inf] * len(missed))]
        labels += [*(judged.get(document, math.nan) for document in retrieved), *(judged[document] for document in missed)]
        sizes.append(len(retrieved) + len(missed))
    return Judged(
        np.array(scores), np.array(labels), offsets_of(sizes), list(qrels.labels),
        without_run=[query for query in qrels.labels if query not in run.scores],
        without_judgments=[query for query in run.scores if query not in qrels.labels],
    )  # fmt: skip
