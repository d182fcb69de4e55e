"""The profile over the three studies: its table, its correlations and its figure."""

import numpy as np
import polars as pl
import pytest
from matplotlib import pyplot as plt
from scipy.stats import spearmanr

from rationale.figures.profile import profile_figure
from rationale.figures.style import save
from rationale.reporting.profile import (
    CORRELATIONS,
    MEASURES,
    SCHEMA,
    Tables,
    correlations_table,
    profile_table,
    rank_correlation,
)
from rationale.seeds import generator

COIN = {"low": (0.8, 0.86), "high": (0.9, 0.94)}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def spans(name, value):
    return {name: value, f"{name}_low": value - 0.1, f"{name}_high": value + 0.1}


def rationality(form="listed", **more):
    row = {"model": "a", "form": form, "ccei": 0.75, "p_value": 0.0, "p_plus": 0.001}
    return pl.DataFrame([{**row, "ceiling": 0.8, **more}])


def forms(*shares):
    rows = [{"model": "a", "share": share, "uniform": 0.01} for share in shares]
    ends = {"low": pl.col("share") - 0.1, "high": pl.col("share") + 0.1}
    return pl.DataFrame(rows).with_columns(**ends)


def moralchoice(decoding="study"):
    rows = [
        {
            "model": "a",
            "ambiguity": way,
            "decoding": decoding,
            **spans("qf_c", c),
            **spans("qf_e", e),
        }
        for way, c, e in (("low", 0.9, 0.2), ("high", 0.7, 0.6))
    ]
    return pl.DataFrame(rows)


def elements(form="plain"):
    rows = [
        {"model": "a", "form": form, "element": element, "guess_rate": 0.5, "answered": 9}
        | {**spans("accuracy", accuracy), **spans("normalised", 2 * accuracy - 1)}
        for element, accuracy in (
            ("transitivity", 0.9),
            ("lottery-transitivity", 0.1),
            ("independence", 0.2),
            ("lottery-independence", 0.8),
        )
    ]
    return pl.DataFrame(rows)


def row(**tables):
    return profile_table({"a": "llm"}, Tables(**tables)).row(0, named=True)


def profile(m, kinds=("llm", "recorded", "simulated")):
    """A value of each measure for each of m models; every seventh value is missing."""
    rows = []
    for place in range(m):
        rows.append({"model": f"m{place:02d}", "respondent": kinds[place % len(kinds)]})
        values = generator("profile", place).uniform(0.1, 0.9, len(MEASURES))
        for number, (measure, value) in enumerate(zip(MEASURES, values, strict=True)):
            if (place + number) % 7 != 6:
                rows[-1] |= spans(measure, value) if measure != "ccei" else {measure: value}
        rows[-1] |= {"ccei_p_plus": 0.02, "ceiling": 0.9, "same_answer_chance": 0.01}
    rows = [{name: found.get(name) for name in SCHEMA} for found in rows]
    return pl.DataFrame(rows, schema=SCHEMA)


def test_a_run_without_any_study_has_a_row_a_model_and_nothing_in_it():
    table = profile_table({"a": "llm", "b": "simulated"}, Tables())
    assert table.schema == pl.Schema(SCHEMA)
    assert table["respondent"].to_list() == ["llm", "simulated"]
    assert table.select(pl.exclude("model", "respondent")).null_count().sum_horizontal()[0] == 2 * (
        len(SCHEMA) - 2
    )


def test_the_form_listed_gives_the_ccei_wherever_it_stands():
    both = pl.concat([rationality("shuffled", ccei=0.1), rationality()])
    assert row(rationality=both)["ccei"] == 0.75


def test_without_the_form_listed_the_first_form_gives_the_ccei():
    both = pl.concat([rationality("reworded", ccei=0.1), rationality("shuffled")])
    assert row(rationality=both)["ccei"] == 0.1


def test_ps_and_ceiling_come_with_the_ccei():
    found = row(rationality=rationality())
    assert [found[name] for name in ("ccei_p", "ccei_p_plus", "ceiling")] == [0.0, 0.001, 0.8]


def test_a_ceiling_that_nobody_has_stays_missing():
    """A column that is empty throughout a CSV file is read as text."""
    table = rationality().with_columns(ceiling=pl.lit(None, pl.String))
    assert row(rationality=table)["ceiling"] is None


def test_same_answers_are_averaged_over_pairs_of_forms():
    """Shares 0.4, none and 0.8 of three pairs: mean 0.6 of those that have one, and no interval."""
    found = row(forms=forms(0.4, None, 0.8))
    assert found["same_answer"] == pytest.approx(0.6)
    assert found["same_answer_low"] is None
    assert found["same_answer_chance"] == 0.01


def test_a_single_pair_of_forms_keeps_its_interval():
    found = row(forms=forms(0.4))
    assert (found["same_answer_low"], found["same_answer_high"]) == pytest.approx((0.3, 0.5))


def test_consistency_and_certainty_stand_by_ambiguity():
    found = row(moralchoice=moralchoice())
    assert (found["qf_c_low_ambiguity"], found["qf_e_high_ambiguity"]) == (0.9, 0.6)
    assert found["qf_c_high_ambiguity_low"] == pytest.approx(0.6)


def test_other_decodings_are_no_part_of_the_profile():
    assert row(moralchoice=moralchoice("greedy"))["qf_c_low_ambiguity"] is None


def test_the_axioms_are_deterministic_transitivity_and_independence_over_lotteries():
    found = row(elements=elements())
    assert (found["transitivity"], found["independence"]) == (0.9, 0.8)
    assert found["independence_normalised_high"] == pytest.approx(0.7)
    assert (found["transitivity_guess_rate"], found["independence_answered"]) == (0.5, 9)


def test_other_forms_of_steer_are_no_part_of_the_profile():
    other = elements("free").with_columns(accuracy=pl.lit(0.1))
    assert row(elements=pl.concat([other, elements()]))["transitivity"] == 0.9


def test_where_plain_was_not_put_the_first_form_counts():
    assert row(elements=elements("free"))["transitivity"] == 0.9


def test_a_model_that_is_not_in_the_run_has_no_row():
    table = profile_table({"b": "llm"}, Tables(rationality=rationality()))
    assert table["model"].to_list() == ["b"]
    assert table["ccei"].to_list() == [None]


def test_rank_correlation_of_four_models():
    """Ranks 1 2 3 4 and 1 2 4 3: rho = 1 - 6·2/(4·15) = 0.8. Of 24 orders, 1 + 3 have rho 1 or 0.8
    and as many -1 or -0.8: p = 8/24."""
    x, y = np.array([0.1, 0.2, 0.3, 0.4]), np.array([5, 6, 8, 7])
    assert rank_correlation(x, y) == pytest.approx((0.8, 1 / 3))


@pytest.mark.parametrize("n", [9, 30])
def test_rank_correlation_of_many_models_agrees_with_scipy(n):
    x, y = generator("rho", n).integers(0, 6, (2, n))  # with ties
    assert rank_correlation(x, y) == pytest.approx(tuple(spearmanr(x, y)))


@pytest.mark.parametrize("y", [[1, 2, 3], [2, 2, 2, 2]])
def test_few_or_equal_values_have_no_correlation(y):
    assert rank_correlation(np.arange(len(y)), np.array(y)) == (None, None)


def test_a_perfect_order_of_nine_models():
    """Of 9! orders, that one and its reverse are as far from 0."""
    assert rank_correlation(np.arange(9), np.arange(9)) == pytest.approx((1, 2 / 362880), rel=1e-9)


def test_simulated_respondents_are_left_out_of_correlations():
    """Twelve models, every third of them simulated: eight, of which no pair is missing here."""
    table = profile(12).with_columns(ccei=pl.int_range(12) / 12.0)
    table = table.with_columns(same_answer=pl.col("ccei"))
    first = correlations_table(table).row(0, named=True)
    assert (first["measure_1"], first["measure_2"]) == ("ccei", "same_answer")
    assert (first["models"], first["rho"]) == (8, pytest.approx(1))


def test_every_pair_of_measures_has_a_row_and_too_few_models_no_rho():
    table = correlations_table(profile(3))
    assert table.schema == pl.Schema(CORRELATIONS)
    assert len(table) == len(MEASURES) * (len(MEASURES) - 1) // 2
    assert table["rho"].is_null().all()
    assert table["p_holm"].is_null().all()


def test_holm_adjusts_over_the_pairs_that_have_a_p():
    """Of 28 pairs, only ccei with same_answer has five models: p_holm = p."""
    others = [measure for measure in MEASURES if measure not in ("ccei", "same_answer")]
    values = pl.int_range(5) / 5.0
    table = profile(5, ("llm",)).with_columns(
        *(pl.lit(None, pl.Float64).alias(name) for name in others), ccei=values, same_answer=values
    )
    first = correlations_table(table).row(0, named=True)
    assert first["p"] == first["p_holm"] == pytest.approx(2 / 120)


def words(parent):
    found = [text for text in parent.findobj(plt.Text) if text.get_visible()]
    return [text.get_text() for text in found if text.get_text()]


def marks(axes, marker="o"):
    lines = [line for line in axes.lines if line.get_marker() == marker]
    return [tuple(float(part[0]) for part in line.get_data()) for line in lines]


@pytest.mark.parametrize("m", [1, 3, pytest.param(60, marks=pytest.mark.slow)])
def test_everything_fits_inside_the_figure(m):
    labels = {f"m{place:02d}": f"some-provider/a-model-{place}-with-a-name" for place in range(m)}
    figure = profile_figure(profile(m), labels, COIN)
    figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    whole = figure.get_tightbbox()
    assert min(whole.x0, whole.y0) >= -0.01
    assert whole.x1 <= width + 0.01
    assert whole.y1 <= height + 0.01


def test_the_figure_has_a_column_a_measure_and_names_the_studies():
    figure = profile_figure(profile(6), {})
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[:3] == ["rationality", "same answers", "consistency"]
    assert titles[3:] == ["uncertainty", "transitivity", "independence"]
    assert {"priced survey", "MoralChoice", "STEER"} <= set(words(figure))


def test_the_largest_ccei_is_on_top():
    table = profile(3).with_columns(ccei=pl.Series([0.2, None, 0.5]))
    figure = profile_figure(table, {})
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["m02", "m00", "m01"]


def test_the_ceiling_and_the_p_stand_beside_the_ccei():
    table = profile(1).with_columns(ccei=pl.lit(0.7))
    axes = profile_figure(table, {}).axes[0]
    assert (marks(axes), marks(axes, "|")) == ([(0.7, 0)], [(0.9, 0)])
    assert ".02" in words(axes)


def test_transitivity_and_independence_share_their_range():
    """Independence reaches down to -0.9, transitivity does not."""
    table = profile(1).with_columns(
        transitivity_normalised=pl.lit(0.5),
        independence_normalised=pl.lit(-0.9),
        independence_normalised_low=pl.lit(-0.95),
    )
    first, second = (axes.get_xlim() for axes in profile_figure(table, {}).axes[4:6])
    assert first == second
    assert first[0] <= -0.95


def test_a_measure_without_data_is_said_to_have_none():
    table = profile(2).with_columns(transitivity_normalised=pl.Series([0.5, None]))
    axes = profile_figure(table, {}).axes[4]
    assert words(axes).count("no data") == 1
    assert len(marks(axes)) == 1


def test_a_measure_that_no_model_has_is_named_below():
    table = profile(2).with_columns(same_answer=pl.lit(None, pl.String))
    figure = profile_figure(table, {})
    assert len(figure.axes) == 5
    assert figure.get_supxlabel() == "Not measured: same answers (priced survey)."


def test_choice_by_coin_is_marked_where_it_is_known():
    """QF-C of a coin: 0.86 in low ambiguity, a little above the middle of the row, 0.94 in high."""
    axes = profile_figure(profile(1), {}, COIN).axes[2]
    assert marks(axes, "|") == [(0.86, -0.17), (0.94, 0.17)]


def test_a_profile_without_measures_says_so():
    table = profile_table({"a": "llm"}, Tables())
    assert words(profile_figure(table, {}))[0].startswith("No profile")


def test_the_same_profile_gives_the_same_bytes(tmp_path):
    for turn in ("first", "second"):
        save(profile_figure(profile(3), {}, COIN), tmp_path / f"{turn}.svg")
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()
