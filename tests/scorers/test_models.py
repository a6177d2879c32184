"""Model files: the same bits back, and anything else refused."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import time
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given

import podium
from podium import DataError, FileError
from podium.scaling import Lines
from podium.scorers import LinearScorer
from podium.scorers.models import Model, model_from_bytes, model_to_bytes, read_model, write_model

MARK = b',\n  "checksum": "'
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([-0.0, 0.0, 5e-324, -2.2e-308, 1e308, -1.7976931348623157e308, 0.1])
)
FIELDS = ["format", "version", "podium", "algorithm", "settings", "seed", "features", "names", "kind", "scorer", "training", "checksum"]


def small() -> Model:
    lines = Lines(np.array([[0.5, -1.0]]), np.array([[2.0, 0.1]]))
    settings = {"k": 5, "l2": 0.001, "patience": None}
    return Model(LinearScorer(np.array([1.5, -0.0]), "standard", lines), "hom-og", settings, 3, ("bm25", "größe"), {"stopped": "converged"})


def signed(content: dict[str, Any] | bytes) -> bytes:
    """A file with this content, whose checksum fits."""
    body = content if isinstance(content, bytes) else json.dumps(content, indent=2, ensure_ascii=False).encode().removesuffix(b"\n}")
    return body + MARK + hashlib.sha256(body).hexdigest().encode() + b'"\n}\n'


def content_of(model: Model) -> dict[str, Any]:
    content = json.loads(model_to_bytes(model))
    del content["checksum"]
    return content


def changed(**fields: Any) -> bytes:
    return signed({**content_of(small()), **fields})


def refusal(path: Path) -> str:
    """What the reader says against a file; it must be a FileError that names it."""
    with pytest.raises(FileError) as caught:
        read_model(path)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value).removeprefix(f"{path}: ")


def written(folder: Path, data: bytes) -> Path:
    path = folder / "model.json"
    path.write_bytes(data)
    return path


# ---- and back ----


@given(weights=st.lists(NUMBERS, min_size=1, max_size=4), data=st.data())
@example(weights=[-0.0, 5e-324, 1e308, -2.2250738585072014e-308], data=None)
def test_a_model_comes_back_to_the_bit(weights: list[float], data: st.DataObject | None) -> None:
    some = st.lists(NUMBERS, min_size=len(weights), max_size=len(weights))
    shift, factor = ([0.0] * len(weights), [1.0] * len(weights)) if data is None else (data.draw(some), data.draw(some))
    first = Model(LinearScorer(np.array(weights), "standard", Lines(np.array([shift]), np.array([factor]))), "listmle")
    again = model_from_bytes(model_to_bytes(first))
    assert isinstance(again.scorer, LinearScorer)
    assert again.scorer.lines is not None
    assert again.scorer.weights.tobytes() == np.array(weights).tobytes()
    assert again.scorer.lines.shift.tobytes() == np.array([shift]).tobytes()
    assert again.scorer.lines.factor.tobytes() == np.array([factor]).tobytes()
    rows = np.random.default_rng(0).normal(size=(5, len(weights))).astype(np.float32)
    offsets = np.array([0, 2, 5])
    assert again.scorer.scores(rows, offsets).tobytes() == first.scorer.scores(rows, offsets).tobytes()
    assert model_to_bytes(again) == model_to_bytes(first)


@pytest.mark.parametrize("scaling", ["minmax", "zscore", "standard", "none"])
def test_a_trained_model_predicts_the_same_bits_from_its_file(scaling: str, tmp_path: Path) -> None:
    data = podium.synthetic(4, 9, 3)
    from podium import algorithms

    model = algorithms.fit("listmle", data, {"scaling": scaling, "max_iter": 4}, seed=2)
    write_model(model, tmp_path / "m.json")
    again = read_model(tmp_path / "m.json")
    assert again.scores(data.features, data.offsets).tobytes() == model.scores(data.features, data.offsets).tobytes()
    told = ("algorithm", "settings", "seed", "feature_names", "training")
    assert [getattr(again, name) for name in told] == [getattr(model, name) for name in told]


@given(names=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=3))
@example(names=["größe", "日本\n", '"', ',\n  "checksum": "', "\u2028\0"])
def test_any_names_come_back(names: list[str]) -> None:
    model = Model(LinearScorer(np.ones(len(names)), "minmax"), "listmle", feature_names=tuple(names))
    assert model_from_bytes(model_to_bytes(model)).feature_names == tuple(names)


def test_equal_models_give_equal_bytes_and_a_difference_shows() -> None:
    assert model_to_bytes(small()) == model_to_bytes(small())
    plain = Model(LinearScorer(np.array([1.0]), "minmax"), "listmle")
    others = [
        Model(LinearScorer(np.array([np.nextafter(1.0, 2)]), "minmax"), "listmle"),
        Model(LinearScorer(np.array([1.0]), "zscore"), "listmle"),
        Model(LinearScorer(np.array([1.0]), "minmax"), "listnet"),
        Model(LinearScorer(np.array([1.0]), "minmax"), "listmle", {"l2": 0.1}),
        Model(LinearScorer(np.array([1.0]), "minmax"), "listmle", seed=1),
        Model(LinearScorer(np.array([1.0]), "minmax"), "listmle", feature_names=("a",)),
        Model(LinearScorer(np.array([1.0]), "minmax"), "listmle", training={"iterations": 1}),
    ]
    assert len({model_to_bytes(model) for model in [plain, *others]}) == 8


def test_a_file_is_readable_json_that_says_what_was_trained_and_not_when(tmp_path: Path) -> None:
    write_model(small(), tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    content = json.loads(text)
    assert list(content) == FIELDS
    assert content == {
        "format": "podium-model", "version": 1, "podium": podium.__version__, "algorithm": "hom-og",
        "settings": {"k": 5, "l2": 0.001, "patience": None}, "seed": 3, "features": 2, "names": ["bm25", "größe"], "kind": "linear",
        "scorer": {"weights": [1.5, 0.0], "scaling": "standard", "lines": {"shift": [0.5, -1.0], "factor": [2.0, 0.1]}},
        "training": {"stopped": "converged"}, "checksum": content["checksum"],
    }  # fmt: skip
    assert "größe" in text
    assert text.endswith("}\n")
    assert content["checksum"] == hashlib.sha256(text.encode().partition(MARK)[0]).hexdigest()
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]
    from podium import algorithms

    trained = model_to_bytes(algorithms.fit("listmle", podium.synthetic(3, 5, 2), {"max_iter": 2}))
    keys = re.findall(rb'"(\w+)":', trained)
    assert {b"weights", b"stopped"} <= set(keys)
    assert not [key for key in keys if re.search(rb"time|date|second|duration|host|user|path", key)]
    time.sleep(0.01)
    assert model_to_bytes(algorithms.fit("listmle", podium.synthetic(3, 5, 2), {"max_iter": 2})) == trained


def test_what_json_cannot_say_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    write_model(small(), path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        write_model(Model(LinearScorer(np.array([np.nan]), "minmax"), "listmle"), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["m.json"]


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(DataError, match="the model was trained on 2 features, these rows have 3"):
        small().scores(np.zeros((4, 3), np.float32), np.array([0, 4]))


def test_rows_with_missing_features_are_refused_with_a_way_out() -> None:
    rows = np.zeros((4, 2), np.float32)
    assert small().scores(rows, np.array([0, 4])).shape == (4,)
    rows[2, 1] = np.nan
    with pytest.raises(DataError, match=r"row 2 has missing features \(NaN\); fill them first: Dataset\.fill_missing\(\)"):
        small().scores(rows, np.array([0, 4]))


# ---- changed and cut ----


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    data = model_to_bytes(small())
    assert 400 < len(data) < 1500
    for place, byte in enumerate(data):
        for other in {byte ^ 1, byte ^ 0x80, ord("0"), ord(" "), ord('"'), 0} - {byte}:
            with pytest.raises(FileError):
                model_from_bytes(data[:place] + bytes([other]) + data[place + 1 :])
        message = refusal(written(tmp_path, data[:place] + bytes([byte ^ 1]) + data[place + 1 :]))
        assert re.match("was changed|has no checksum|is not a Podium model", message)


def test_every_cut_and_every_addition_is_noticed(tmp_path: Path) -> None:
    data = model_to_bytes(small())
    for length in range(len(data)):
        message = refusal(written(tmp_path, data[:length]))
        assert re.match("was changed after it was saved|has no checksum at its end; it was cut|is not a Podium model", message)
        with pytest.raises(FileError):
            model_from_bytes(data[:length])
        with pytest.raises(FileError):
            model_from_bytes(data[length + 1 :])
    for more in (b"\n", b" ", b"\0", data, b'"\n}\n'):
        assert refusal(written(tmp_path, data + more)).startswith("was changed after it was saved")
        with pytest.raises(FileError):
            model_from_bytes(more + data)
    assert refusal(written(tmp_path, data.replace(b"\n", b"\r\n"))).startswith("is not a Podium model")
    assert refusal(written(tmp_path, b"\xef\xbb\xbf" + data)).startswith("is not a Podium model")


# ---- signed, but not a model ----


@pytest.mark.parametrize("field", FIELDS[:-1])
def test_a_missing_field_is_named(field: str) -> None:
    content = content_of(small())
    assert model_from_bytes(signed(dict(content))).algorithm == "hom-og"  # signing itself is right
    del content[field]
    with pytest.raises(FileError, match=f"model: lacks the field '{field}'"):
        model_from_bytes(signed(content))


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(FileError, match="has an unknown field 'code'"):
        model_from_bytes(changed(code="import os"))


@pytest.mark.parametrize("field", FIELDS[:-1])
@pytest.mark.parametrize("value", [None, True, 1.5, "x", 7, [], {}])
def test_a_field_of_a_wrong_type_is_named(field: str, value: Any) -> None:
    right = {"version": int, "seed": int, "features": int, "names": list, "settings": dict, "scorer": dict, "training": dict}.get(
        field, str
    )
    if type(value) is right:
        value = None
    with pytest.raises(FileError, match=f"field '{field}' must be {right.__name__}, got"):
        model_from_bytes(changed(**{field: value}))


SCORER = {"weights": [1.5, 2.0], "scaling": "standard", "lines": {"shift": [0.5, -1.0], "factor": [2.0, 0.1]}}
NOT_MODELS: list[tuple[dict[str, Any], str]] = [
    ({"version": 2}, "has version 2; this release reads version 1: update Podium"),
    ({"version": 0}, "has version 0; this release reads version 1"),
    ({"kind": "forest"}, "is a model of an unknown kind; this release knows linear, weak, cps, got 'forest'"),
    ({"features": 3, "names": []}, "says 3 features, but has 2 weights"),
    ({"features": -2, "names": []}, "says -2 features, but has 2 weights"),
    ({"names": ["one"]}, r"2 features.*1 name"),
    ({"names": ["one", "two", "three"]}, r"2 features.*3 name"),
    ({"scorer": {**SCORER, "weights": [1.5]}}, "scorer: shift must have 1 numbers, one a weight, got 2"),
    ({"scorer": {**SCORER, "weights": [1.5, 2.0, 3.0]}}, "scorer: shift must have 3 numbers, one a weight, got 2"),
    ({"scorer": {**SCORER, "lines": {"shift": [1.0], "factor": [2.0, 0.1]}}}, "scorer: shift must have 2 numbers, one a weight, got 1"),
    ({"scorer": {**SCORER, "lines": {"shift": [1.0, 2.0], "factor": []}}}, "scorer: factor must have 2 numbers, one a weight, got 0"),
    ({"scorer": {"weights": [1.0, 2.0, 3.0], "scaling": "minmax", "lines": None}}, "says 2 features, but has 3 weights"),
    ({"scorer": {**SCORER, "weights": ["1", "2"]}}, "scorer: weights must be a list of numbers"),
    ({"scorer": {**SCORER, "scaling": "log"}}, "scorer: scaling must be one of"),
    ({"scorer": {**SCORER, "more": 1}}, "scorer: a linear scorer has weights, scaling and lines"),
    ({"scorer": {}}, "scorer: a linear scorer has weights, scaling and lines, got nothing"),
    ({"format": "podium-model-of-another-kind"}, "not a Podium model"),
]


@pytest.mark.parametrize(("fields", "message"), NOT_MODELS, ids=[message[:40] for _, message in NOT_MODELS])
def test_signed_content_that_does_not_fit_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(FileError, match=message):
        model_from_bytes(changed(**fields))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 400, "9" * 5000])
@pytest.mark.parametrize("place", ["weights", "shift", "factor"])
def test_numbers_that_are_not_finite_are_refused(number: str, place: str) -> None:
    body, _, _ = changed(scorer=SCORER).rpartition(MARK)
    old = {"weights": b"1.5", "shift": b"0.5", "factor": b"0.1"}[place]
    assert body.count(b" " + old) == 1
    with pytest.raises(FileError, match=f"is not a number|{place} must be finite numbers|not valid JSON"):
        model_from_bytes(signed(body.replace(old, number.encode())))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("field", ["settings", "training"])
def test_what_is_not_json_is_refused_in_every_field(field: str, number: str) -> None:
    body, _, _ = changed(**{field: {"l2": 0.123}}).rpartition(MARK)
    with pytest.raises(FileError, match=f"is not valid JSON: {number} is not a number"):
        model_from_bytes(signed(body.replace(b"0.123", number.encode())))


@pytest.mark.parametrize(
    "body",
    [b'{\n  "format": "podium-model",\n  "names": ' + b"[" * 100_000, b'{\n  "format": "podium-model",\n  "names": ' + b'{"a":' * 100_000],
    ids=["lists", "objects"],
)
@pytest.mark.parametrize("is_closed", [True, False])
def test_deep_nesting_is_refused(body: bytes, is_closed: bool, tmp_path: Path) -> None:
    close = b"]" * 100_000 if body.endswith(b"[") else b"1" + b"}" * 100_000
    assert refusal(written(tmp_path, signed(body + close * is_closed))).startswith("is not valid JSON")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1", b"\xff\xfe", b'{\n  "a": "\xff"', b'{\n  "format": "podium-model"\n} {', b'{"a": 1e5', b'"']
)
def test_signed_rubbish_is_refused(body: bytes) -> None:
    with pytest.raises(FileError):
        model_from_bytes(signed(body))


# ---- not even that ----


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_refused_and_nothing_of_it_runs(protocol: int, tmp_path: Path) -> None:
    sign = tmp_path / "it ran"

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(sign),)

    for content in ({"format": "podium-model"}, Evil(), [Evil()], {"weights": Evil()}):
        message = refusal(written(tmp_path, pickle.dumps(content, protocol)))
        assert re.match("is a pickle, not a Podium model; pickles can run code and are never loaded|is not a Podium model", message)
        if protocol >= 2:
            assert message.startswith("is a pickle")
    assert not sign.exists()
    pickle.loads(pickle.dumps(Evil(), protocol))
    assert sign.exists()  # it would have


def test_a_pickle_dressed_as_a_model_does_not_run_either(tmp_path: Path) -> None:
    sign = tmp_path / "it ran"
    for text in (f"cos\nmkdir\n(S'{sign}'\ntR.", f"__import__('os').mkdir({str(sign)!r})"):
        body = b'{\n  "format": "podium-model",\n  "names": ' + json.dumps([text]).encode()
        with pytest.raises(FileError):
            read_model(written(tmp_path, signed(body)))
        model = changed(names=[text, text], training={"__reduce__": text}, algorithm=text)
        assert read_model(written(tmp_path, model)).algorithm == text  # text, and nothing more
    assert not sign.exists()


@pytest.mark.parametrize("begin", [b"", b'{\n  "format": "podium-model",\n  "version": 1,\n'], ids=["zeros", "well begun"])
def test_a_huge_file_is_refused_at_once(begin: bytes, tmp_path: Path) -> None:
    import tracemalloc

    path = written(tmp_path, begin)
    os.truncate(path, 2**30)
    tracemalloc.start()
    try:
        message, (_, peak) = refusal(path), tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert message.startswith("is too large for a model: 1,073,741,824 bytes, at most 268,435,456" if begin else "is not a Podium model")
    assert peak < 2**20


def test_what_cannot_be_read_is_a_file_error(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "is not a file"
    assert refusal(tmp_path / "nowhere.json") == "cannot be read: No such file or directory"
    assert refusal(written(tmp_path, b"")).startswith("is not a Podium model")
    assert refusal(written(tmp_path, b"{}")).startswith("is not a Podium model")


def test_a_path_that_cannot_be_written_is_an_error_that_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises((OSError, FileError)):
        write_model(small(), tmp_path / "no" / "where.json")
    assert list(tmp_path.iterdir()) == []
