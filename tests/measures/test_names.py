"""Names of measures: read, printed, and refused with a message that says what would be right."""

from __future__ import annotations

import pytest
from tests.measures.strategies import variants

from podium import DataError, UnknownName
from podium.measures import MEASURES, Measure, evaluate, get
from podium.measures.names import options_of


@pytest.mark.parametrize("name", MEASURES)
def test_every_combination_of_options_prints_as_a_name_that_reads_back(name: str) -> None:
    assert len(variants(name)) > 1
    for measure in variants(name):
        assert get(str(measure)) == measure
        assert str(get(str(measure))) == str(measure)


@pytest.mark.parametrize("name", MEASURES)
def test_different_measures_print_differently(name: str) -> None:
    assert len({str(measure) for measure in variants(name)}) == len(variants(name))


@pytest.mark.parametrize("text", ["map[above=0.1234567]", "err[max=2000001]", "map[above=1e-07]", "err[max=1e+20]"])
def test_a_printed_number_keeps_all_its_digits(text: str) -> None:
    assert get(str(get(text))) == get(text)
    assert dict(get(str(get(text))).options) == {text[4:].partition("=")[0]: float(text.partition("=")[2][:-1])}


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("nDCG@10", "ndcg@10"),
        ("N@3", "ndcg@3"),
        ("κ-NDCG@5", "k-ndcg@5"),
        ("Κ-ndcg", "k-ndcg"),
        ("kappa-ndcg@5[k=10]", "k-ndcg@5[k=10]"),
        ("kappa-err", "k-err"),
        ("κ_ERR", "k-err"),
        ("AP", "map"),
        ("MAP", "map"),
        ("Precision@3", "p@3"),
        ("R@5", "recall@5"),
        ("RR", "mrr"),
        ("τ", "tau"),
        ("τ_AP", "tau-ap"),
        ("kendall-tau", "tau"),
        ("top_k_loss@3", "top-k-loss@3"),
        (" ndcg @10 [ letor , blank = skip ] ", "ndcg@10[letor,blank=skip]"),
        ("ndcg@10[]", "ndcg@10"),
    ],
)
def test_aliases_capitals_greek_letters_and_spaces_are_understood(text: str, printed: str) -> None:
    assert str(get(text)) == printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("ndcg[discount=letor]", "ndcg[letor]"),
        ("ndcg@5[discount=letor,short=zero]", "ndcg@5[letor4]"),
        ("ndcg@5[short=zero,letor]", "ndcg@5[letor4]"),
        ("ndcg@5[short=zero]", "ndcg@5[short=zero]"),
        ("ndcg@5[letor4,short=count]", "ndcg@5[letor]"),
        ("ndcg[letor4,gain=linear]", "ndcg[letor4,gain=linear]"),
        ("mean-ndcg[discount=letor]", "mean-ndcg[letor]"),
    ],
)
def test_presets_stand_for_their_options_and_the_last_word_counts(text: str, printed: str) -> None:
    assert str(get(text)) == printed


def test_options_at_their_defaults_are_not_printed_and_their_order_is_free() -> None:
    assert str(get("ndcg@5[blank=zero,gain=exponential,discount=log2,short=count]")) == "ndcg@5"
    assert get("ndcg[gain=linear,blank=skip]") == get("ndcg[blank=skip,gain=linear]")
    assert get("map[above=0]") == get("map")
    assert str(get("tau[blank=skip,ties=b]")) == "tau"
    assert str(get("map[above=1.0]")) == "map[above=1]"


def test_a_measure_is_its_own_name() -> None:
    measure = get("ndcg@5[letor]")
    assert get(measure) is measure
    assert isinstance(measure, Measure)
    assert (measure.name, measure.cutoff, dict(measure.options)) == ("ndcg", 5, {"discount": "letor"})


def test_an_unknown_measure_is_refused_with_every_known_one() -> None:
    with pytest.raises(UnknownName, match="unknown measure 'ndgc'; did you mean 'ndcg'") as refusal:
        get("ndgc@10")
    assert str(refusal.value).endswith(f"choose from {', '.join(sorted(MEASURES))}")


@pytest.mark.parametrize("name", MEASURES)
def test_an_unknown_option_is_refused_with_every_known_one(name: str) -> None:
    cutoff = "@1" if "cutoff" in options_of(MEASURES[name].function) else ""
    with pytest.raises(UnknownName, match=f"unknown option of {name} 'taste'; choose from") as refusal:
        get(f"{name}{cutoff}[taste=sweet]")
    options = {f"{option}=" for option in options_of(MEASURES[name].function)} - {"cutoff="}
    assert set(refusal.value.known) == options | set(MEASURES[name].presets)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ndcg@10[gain=square]", "gain must be one of exponential, linear, got 'square'"),
        ("map[blank=maybe]", "blank must be one of zero, one, skip, got 'maybe'"),
        ("tau[ties=c]", "ties must be one of b, a, got 'c'"),
        ("map[above=much]", "above must be a number, got 'much'"),
        ("err[max=]", "max must be a number, got ''"),
        ("k-ndcg[k=0]", "k must be a whole number from 1 on, got '0'"),
        ("k-err[k=2.5]", "k must be a whole number from 1 on, got '2.5'"),
        ("ndcg@0", "the cutoff must be a whole number from 1 on, got '0'"),
        ("ndcg@-1", "the cutoff must be a whole number from 1 on, got '-1'"),
        ("ndcg@ten", "the cutoff must be a whole number from 1 on, got 'ten'"),
        ("ndcg@", "the cutoff must be a whole number from 1 on, got ''"),
        ("p", "p needs a cutoff, such as p@10"),
        ("bpref@10", "bpref takes no cutoff"),
        ("mean-ndcg@10[letor]", "mean-ndcg takes no cutoff"),
        ("", "must look like ndcg@10"),
        ("@10", "must look like ndcg@10"),
        ("ndcg@10[letor", "must look like ndcg@10"),
        ("ndcg@10]", "must look like ndcg@10"),
    ],
)
def test_a_name_that_cannot_be_read_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(DataError, match=r"measure ") as refusal:
        get(text)
    assert problem in str(refusal.value)
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize("text", ["ndcg[letor5]", "ndcg[gain]", "ndcg[cutoff=3]", "map[letor]"])
def test_a_word_that_is_no_option_is_refused(text: str) -> None:
    with pytest.raises(UnknownName, match=f"unknown option of {get(text[: text.index('[')]).name}"):
        get(text)


@pytest.mark.parametrize("text", ["err[max=nan]", "err[max=inf]", "map[above=nan]"])
def test_an_option_must_be_a_finite_number(text: str) -> None:
    with pytest.raises(DataError, match="must be a number, got"):
        get(text)


@pytest.mark.parametrize("text", ["p@10000000000000000000", "map@10000000000000000000", "k-ndcg[k=10000000000000000000]"])
def test_a_number_beyond_a_machine_word_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="must be a whole number from 1 on, got '10000000000000000000'"):
        get(text)


@pytest.mark.parametrize("name", [name for name in MEASURES if "cutoff" in options_of(MEASURES[name].function) and name != "p"])
def test_the_longest_cutoff_there_is_means_all_ranks(name: str) -> None:
    whole, cut = evaluate([name, f"{name}@99999999999999999"], [2, 1, 3], [1, 0, 2], [0, 3]).values()
    assert whole.tolist() == cut.tolist()


def test_a_convention_says_every_choice_in_words() -> None:
    choices = ["gain 2^y - 1", "discount 1 for ranks 1 and 2, then 1/log2(r)"]
    choices += ["a query with fewer documents than the cutoff counts like any other", "a query with nothing to measure counts 0"]
    assert get("ndcg@10[letor]").convention() == "; ".join([MEASURES["ndcg"].meaning, *choices, "equal scores in input order"])
    assert "relevant is a label above 1;" in get("map[above=1]").convention()
    assert "max = 4;" in get("err[max=4]").convention()
    assert "k = 3;" in get("k-err[k=3]").convention()


@pytest.mark.parametrize("name", MEASURES)
def test_different_options_have_different_conventions(name: str) -> None:
    without_cutoffs = {measure.options: measure.convention() for measure in variants(name)}
    assert len(set(without_cutoffs.values())) == len(without_cutoffs)


@pytest.mark.parametrize(
    ("name", "option", "spelling"),
    [
        ("ndcg", "gain", "exponential|linear"),
        ("tau", "blank", "skip|zero|one"),
        ("map", "above", "0"),
        ("err", "max", "<number>"),
        ("k-err", "k", "<number>"),
    ],
)
def test_an_option_spells_out_its_choices_with_the_default_first(name: str, option: str, spelling: str) -> None:
    assert options_of(MEASURES[name].function)[option].spelling() == spelling


@pytest.mark.parametrize(
    ("text", "depth"), [("ndcg@10", 10), ("ndcg", None), ("wkt@3", None), ("ppref@3", None), ("p@2", 2), ("bpref", None)]
)
def test_a_measure_knows_how_many_ranks_it_looks_at(text: str, depth: int | None) -> None:
    assert get(text).depth == depth
