"""Tables and pages: families of hypotheses, missing numbers, and what LaTeX must not see."""

import numpy as np
import polars as pl
import pytest

from rationale.reporting import latex, numbers
from rationale.reporting.latex import escape, number
from rationale.reporting.rationality import Part, rationality_table
from rationale.reporting.rationality_latex import rationality_latex
from rationale.reporting.types import load_similarity, network_table, passing, save_similarity
from rationale.reporting.utility import utility_table
from rationale.revealed import random_ccei
from rationale.revealed.estimates import estimate_utility
from rationale.revealed.measure import measure_rationality
from rationale.revealed.types import similarity
from rationale.surveys.psm.tables import Answered


def part(model, p, respondent="llm", form="listed"):
    test = {"ccei": None if p is None else 0.5, "p_value": p, "p_plus": p, "stars": "", "draws": 99}
    choices = pl.DataFrame(
        {"round": [0, 1, 2], "status": ["refused", "answered", "invalid"]},
    )
    rounds = pl.DataFrame({"flipped": [True, False]})
    return Part(
        model, form, respondent, test, {"ceiling": None, "ceiling_from": None}, choices, rounds
    )


def column(table, name):
    return dict(zip(table["model"], table[name], strict=True))


def test_holm_is_over_the_respondents_of_a_form():
    """Two hypotheses at 0.01 and 0.04: 2 x 0.01 = 0.02, then 1 x 0.04."""
    table = rationality_table([part("a", 0.01), part("b", 0.04)])
    assert column(table, "p_holm") == pytest.approx({"a": 0.02, "b": 0.04})


def test_simulated_respondents_are_a_family_of_their_own():
    table = rationality_table(
        [part("a", 0.04), *(part(f"s{n}", 0.5, "simulated") for n in range(9))]
    )
    assert column(table, "p_holm")["a"] == pytest.approx(0.04)


def test_other_forms_are_a_family_of_their_own():
    table = rationality_table([part("a", 0.04), part("a", 0.04, form="repeat")])
    assert table["p_holm"].to_list() == pytest.approx([0.04, 0.04])


def test_a_respondent_without_a_test_stays_and_is_no_hypothesis():
    table = rationality_table([part("a", 0.04), part("mute", None)])
    assert column(table, "p_holm") == {"a": pytest.approx(0.04), "mute": None}


def test_missing_rounds_are_counted_by_reason():
    (row,) = rationality_table([part("a", 0.04)]).iter_rows(named=True)
    assert (row["rounds"], row["missing"], row["invalid"], row["refused"]) == (1, 1, 1, 0)
    assert (row["opening"], row["flipped"]) == ("refused", 1)


def test_latex_of_names_and_missing_numbers():
    table = rationality_table([part("a", None)])
    latex = rationality_latex(table, {"a": "50% of_A & B"})
    assert r"50\% of\_A \& B" in latex
    assert number(None) == "--"


def test_numbers_are_written_alike_everywhere_but_for_the_dash():
    """0.0004 and its negative are 0.000, never -0.000."""
    for value in (0.0004, -0.0004, 1 / 3, -12.3456, 7):
        assert (
            latex.number(value)
            == numbers.number(value)
            == f"{value:.3f}".replace("-0.000", "0.000")
        )
    assert (numbers.number(None), numbers.number(2 / 3, 1)) == ("–", "0.7")


def test_escape_leaves_nothing_for_latex():
    assert escape(r"\a{b}$c#d~e^f") == (
        r"\textbackslash{}a\{b\}\$c\#d\textasciitilde{}e\textasciicircum{}f"
    )


def test_who_passes_and_at_which_efficiency():
    table = pl.DataFrame(
        {
            "model": ["a", "b", "c"],
            "form": ["listed"] * 3,
            "p_value": [0.05, 0.06, None],
            "ccei": [0.4, 0.9, None],
        }
    )
    assert passing(table, "listed") == (["a"], 0.4)
    assert passing(table, "repeat") == ([], 1.0)


def some_rounds(seed, rounds=12, options=6):
    """Two statements on 0..5 and lines of cost 4 from corners: arrays as the tables give them."""
    draw = np.random.default_rng(seed)
    corners = draw.integers(0, 2, (rounds, 2)) * 5
    prices = np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 1.0]])[draw.integers(0, 3, rounds)]
    points = np.indices((6, 6)).reshape(2, -1).T
    listed = [
        points[(np.abs(points - o) * p).sum(axis=1) == 4][:options]
        for o, p in zip(corners, prices, strict=True)
    ]
    places = np.array([draw.integers(len(one)) for one in listed])
    answers = np.array([one[place] for one, place in zip(listed, places, strict=True)])
    return Answered(np.arange(1, rounds + 1), answers, corners, prices, listed, places)


def test_a_chunk_of_draws_survives_its_file(tmp_path):
    models = [some_rounds(seed) for seed in range(3)]
    found = similarity(models, 0.5, 3, 5, ("test",))
    save_similarity(tmp_path / "chunk.npz", found, ["a", "b", "c"])
    again, names = load_similarity(tmp_path / "chunk.npz")
    assert names == ["a", "b", "c"]
    assert np.array_equal(again.labels, found.labels)
    assert (again.status, again.rho, again.efficiency) == (found.status, found.rho, 0.5)


def test_networks_without_draws_are_an_empty_table():
    found = similarity([], 1.0, 20, 5, ("test",))
    assert network_table(found, [], "listed", [0.65]).is_empty()


def test_the_measure_of_a_data_set_is_that_of_the_kernel():
    answered = some_rounds(5)
    picks = np.tile(answered.positions, (3, 1))
    test, null = measure_rationality(answered, picks, picks)
    assert null.tolist() == [test["ccei"]] * 3
    assert (test["p_value"], test["p_position"]) == (1.0, 1.0)
    assert (
        random_ccei(answered.options, answered.corners, answered.prices, picks)[0] == test["ccei"]
    )


def test_one_answered_round_is_nothing_to_test():
    answered = some_rounds(5, rounds=1)
    test, null = measure_rationality(answered, answered.positions[None])
    assert (test["ccei"], test["rounds"], len(null)) == (None, 1, 0)


def test_estimates_of_nobody_are_missing_and_not_zero():
    nobody = Answered(*(np.empty((0, 2)),) * 4, [], np.empty(0))
    found = estimate_utility(nobody, ("test",))
    assert found == {"rounds": 0, "fits": [], "ceiling": None, "ceiling_from": None}


def test_every_estimator_has_a_row_with_its_status():
    found = estimate_utility(some_rounds(1), ("test",))
    rationality = rationality_table([part("a", 0.01)])
    table = utility_table([("a", "listed", found)], rationality, ["one", "two"])
    assert table["estimator"].to_list() == ["least squares", "least squares, as printed", "logit"]
    assert table["passes"].to_list() == [True] * 3
    assert table["status"].null_count() == 0
