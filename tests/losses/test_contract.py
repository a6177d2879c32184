"""What every loss of the table must keep; a new member is tested the moment it is listed (and has its plain twin in plain.py)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.losses import plain
from tests.losses.strategies import losses, queries
from tests.measures.strategies import Lists

import podium
from podium.losses import LOSSES, Loss, LossOutput, get
from podium.ragged import Floats, offsets_of

over_the_table = pytest.mark.parametrize("name", LOSSES)
SEES_CONSTANTS = {"rankcosine", "top-k-rankcosine"}  # the losses that a constant added to all scores changes
PIECEWISE_LINEAR = {"pairwise-hinge", "map-hinge", "focused-hinge"}  # which have no slope at their kinks


def same(a: LossOutput, b: LossOutput) -> bool:
    """To the bit, up to the sign of zero."""
    return all(np.array_equal(getattr(a, part), getattr(b, part)) for part in ("per_query", "gradient", "curvature"))


def assert_close(found: Floats, expected: Floats, tolerance: float = 1e-9, least: float = 1e-13) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=least + tolerance * np.abs(expected).max(initial=0.0))


def assert_same_up_to_rounding(a: LossOutput, b: LossOutput) -> None:
    for part in ("per_query", "gradient", "curvature"):
        assert_close(getattr(a, part), getattr(b, part))


def joined(outputs: list[LossOutput]) -> LossOutput:
    return LossOutput(*(np.concatenate([getattr(out, part) for out in outputs]) for part in ("per_query", "gradient", "curvature")))


def has_preference(query: Lists) -> bool:
    return len(set(query.labels)) > 1


def has_slope(loss: Loss, query: Lists) -> bool:
    """Whether there is but one slope here: the loss is smooth, or no kink is near."""
    if loss.name not in PIECEWISE_LINEAR:
        return True
    return plain.is_linear_nearby(loss.name, query.scores.tolist(), query.labels.tolist(), **dict(loss.settings))


def many_rows(sizes: list[int], seed: int) -> Lists:
    random, n = np.random.default_rng(seed), sum(sizes)
    return Lists(random.normal(size=n) * 3, random.integers(0, 5, n).astype(float), offsets_of(sizes))


def test_every_loss_has_a_plain_twin() -> None:
    assert set(plain.PLAIN) == set(LOSSES)


@over_the_table
@given(data=st.data(), lists=queries())
@settings(max_examples=60)
def test_the_value_agrees_with_the_plain_twin(name: str, data: st.DataObject, lists: Lists) -> None:
    loss = data.draw(losses(name))
    expected = [plain.value(name, query.scores.tolist(), query.labels.tolist(), **dict(loss.settings)) for query in lists.queries()]
    np.testing.assert_allclose(loss(*lists).per_query, expected, rtol=1e-9, atol=1e-13)


@over_the_table
@pytest.mark.parametrize("kind", ["grades", "full order"])
def test_long_lists_agree_with_the_plain_twin(name: str, kind: str) -> None:
    n = 7 if name == "listnet-exact" else 120
    random = np.random.default_rng(n)
    labels = random.integers(0, 5, n).astype(float) if kind == "grades" else random.permutation(n) / 8
    scores = random.normal(size=n) * 4
    for k in [1, 9, n + 1] if "k" in LOSSES[name].settings else [None]:
        loss = get(name) if k is None else get(name, k=k)
        expected = plain.value(name, scores.tolist(), labels.tolist(), **dict(loss.settings))
        assert loss(scores, labels, [0, n]).per_query[0] == pytest.approx(expected, rel=1e-10)


@over_the_table
@given(data=st.data(), lists=queries(max_queries=2, max_documents=5))
@settings(max_examples=40)
def test_the_gradient_is_the_slope_and_the_curvature_the_second_derivative(name: str, data: st.DataObject, lists: Lists) -> None:
    loss = data.draw(losses(name))
    out = loss(*lists)
    assert (out.curvature >= 0).all()
    for query, begin, end in zip(lists.queries(), lists.offsets[:-1], lists.offsets[1:], strict=True):
        assume(has_slope(loss, query))
        exact = plain.slopes(name, query.scores.tolist(), query.labels.tolist(), **dict(loss.settings))
        gradient, curvature = np.array(exact.gradient, float), np.array(exact.curvature, float)
        if name in SEES_CONSTANTS and not query.scores.any():
            gradient, curvature = gradient * 0, curvature * 0  # our reading at s = 0
        assert_close(out.gradient[begin:end], gradient)
        assert_curvature(loss, out.curvature[begin:end], curvature)


def assert_curvature(loss: Loss, found: Floats, exact: Floats) -> None:
    """Exact, or what the docstring says in place of it."""
    if loss.name in SEES_CONSTANTS | {"hom-gg"}:
        exact = np.maximum(exact, 0.0)
    assert_close(found, exact, least=1e-12)


@over_the_table
@given(data=st.data(), lists=queries())
@settings(max_examples=30)
def test_the_order_of_documents_in_the_input_does_not_matter(name: str, data: st.DataObject, lists: Lists) -> None:
    loss, out = data.draw(losses(name)), None
    places = [data.draw(st.permutations(range(begin, end))) for begin, end in zip(lists.offsets[:-1], lists.offsets[1:], strict=True)]
    order = np.array([place for query in places for place in query], dtype=np.int64)
    out = loss(*lists)
    permuted = loss(lists.scores[order], lists.labels[order], lists.offsets)
    assert_same_up_to_rounding(permuted, LossOutput(out.per_query, out.gradient[order], out.curvature[order]))


@over_the_table
@given(data=st.data(), lists=queries(max_queries=5))
@settings(max_examples=30)
def test_queries_do_not_influence_one_another(name: str, data: st.DataObject, lists: Lists) -> None:
    loss = data.draw(losses(name))
    assert same(loss(*lists), joined([loss(*query) for query in lists.queries()]))


@pytest.mark.parametrize("name", [name for name in LOSSES if name not in SEES_CONSTANTS])
@given(data=st.data(), lists=queries(), constant=st.sampled_from([-64.0, 3.5, 1000.0]))
@settings(max_examples=30)
def test_a_constant_added_to_the_scores_of_a_query_changes_nothing(name: str, data: st.DataObject, lists: Lists, constant: float) -> None:
    loss = data.draw(losses(name))
    assume(all(has_slope(loss, query) for query in lists.queries()))
    raised = lists.scores + np.repeat(constant * np.arange(len(lists.offsets) - 1), np.diff(lists.offsets))
    assert_same_up_to_rounding(loss(raised, lists.labels, lists.offsets), loss(*lists))


@pytest.mark.parametrize("name", [name for name, entry in LOSSES.items() if "k" in entry.settings])
@given(data=st.data(), lists=queries())
@settings(max_examples=60)
def test_how_labels_order_what_is_below_the_top_does_not_matter(name: str, data: st.DataObject, lists: Lists) -> None:
    loss = data.draw(losses(name))
    k, others = dict(loss.settings)["k"], []
    for query in lists.queries():
        top = plain.on_top(query.labels.tolist(), k)
        lowest_on_top = min((query.labels[row] for row in top), default=0.0)
        shares = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=len(query.labels), max_size=len(query.labels)))
        others.append([query.labels[row] if row in top else share * lowest_on_top for row, share in enumerate(shares)])
    changed = np.array([label for query in others for label in query], float)
    assert_same_up_to_rounding(loss(lists.scores, changed, lists.offsets), loss(*lists))


@over_the_table
@given(data=st.data(), lists=queries(max_queries=5))
@settings(max_examples=40)
def test_a_query_without_preference_costs_nothing_and_has_no_slope(name: str, data: st.DataObject, lists: Lists) -> None:
    loss = data.draw(losses(name))
    flat = Lists.of([(query.scores.tolist(), [2.0] * len(query.labels)) for query in lists.queries()])
    joint = Lists(np.concatenate([lists.scores, flat.scores]), np.concatenate([lists.labels, flat.labels]),
                  np.concatenate([lists.offsets, lists.offsets[-1] + flat.offsets[1:]]))  # fmt: skip
    out = loss(*joint)
    assert not out.per_query[len(lists.offsets) - 1 :].any()
    assert not out.gradient[len(lists.scores) :].any()
    assert not out.curvature[len(lists.scores) :].any()


@over_the_table
def test_no_query_at_all_gives_nothing(name: str) -> None:
    out = get(name)([], [], [0])
    assert len(out.per_query) == len(out.gradient) == len(out.curvature) == 0


@over_the_table
@given(data=st.data(), lists=queries())
@settings(max_examples=30)
def test_without_curvature_values_and_slopes_are_the_same_bits(name: str, data: st.DataObject, lists: Lists) -> None:
    loss = data.draw(losses(name))
    full, short = loss(*lists), loss.of(lists.scores, loss.prepare(lists.labels, lists.offsets), curvature=False)
    assert len(short.curvature) == 0
    assert same(short, LossOutput(full.per_query, full.gradient, np.empty(0)))


@over_the_table
def test_without_curvature_long_and_wide_lists_are_the_same_bits(name: str) -> None:
    lists = many_rows([11] * 40 if name == "listnet-exact" else [700, 3, 64, 33], seed=5)
    for factor in (1.0, 200.0):  # 200: spreads beyond the switch to logarithms
        full = get(name)(lists.scores * factor, lists.labels, lists.offsets)
        short = get(name).of(lists.scores * factor, get(name).prepare(lists.labels, lists.offsets), curvature=False)
        assert same(short, LossOutput(full.per_query, full.gradient, np.empty(0)))


@over_the_table
@given(data=st.data(), lists=queries())
@settings(max_examples=10)
def test_the_function_of_the_table_is_the_loss_of_that_name(name: str, data: st.DataObject, lists: Lists) -> None:
    loss = data.draw(losses(name))
    assert same(LOSSES[name].function(*lists, **dict(loss.settings)), loss(*lists))


@over_the_table
@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_changes_no_bit(name: str) -> None:
    sizes = [7] * 5000 if name == "listnet-exact" else [1, 0, 40, 3000, 17, 200] * 11
    lists, outputs = many_rows(sizes, seed=6), []
    for number in (1, 2, 3):
        podium.set_threads(number)
        outputs.append(get(name)(*lists))
    assert same(outputs[0], outputs[1])
    assert same(outputs[0], outputs[2])
