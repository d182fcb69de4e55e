"""Tables of MoralChoice: a worked example by hand, missing numbers, and what LaTeX must not see.

Two scenarios in six forms of M = 4 replies; counts of action 1 in ab-0, ab-1, repeat-0, repeat-1,
compare-0, compare-1 are 4, 4, 4, 4, 4, 2 for A and 4, 0, 3, 1, 2, 2 for B.
"""

import numpy as np
import polars as pl
import pytest

from rationale.inference.bootstrap import PairedDifference
from rationale.reporting import moralchoice as reporting
from rationale.reporting.moralchoice import (
    Resampled,
    beliefs_of,
    beliefs_table,
    forms_table,
    likelihoods_table,
    rules_table,
    scenario_table,
)
from rationale.reporting.moralchoice_across import (
    _adjusted,
    agreement,
    correlations_table,
    decodings_table,
    differences_table,
    scenarios_table,
)
from rationale.reporting.moralchoice_latex import beliefs_latex, model_latex
from rationale.summary import summary
from rationale.surveys.moralchoice.scenarios import SCHEMA

FORMS = [(template, order) for template in ("ab", "repeat", "compare") for order in (0, 1)]
A, B = [4, 4, 4, 4, 4, 2], [4, 0, 3, 1, 2, 2]
SURE = [4] * 6
RESAMPLED = Resampled(1, 199)


def scenarios(names="AB", ambiguity="low", **labels):
    rows = [
        {
            **dict.fromkeys(SCHEMA),
            **{"scenario_id": name, "ambiguity": ambiguity, "context": f"It is {name}."},
            **{"action1": "I go.", "action2": "I stay."},
            **{key: values[place] for key, values in labels.items()},
        }
        for place, name in enumerate(names)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def counts(found, ambiguity="low", decoding=None, **others):
    """Rows of `count_replies` by scenario: action-1 counts of four valid replies a form."""
    rows = [
        {
            **{"scenario_id": name, "ambiguity": ambiguity, "rule": None, "form": template},
            **{"order": order, "decoding": decoding, "asked": 4, "action1": k, "valid": 4},
            **{"refused": 0, "invalid": 0, "truncated": 0, "missing": 0},
            **others,
        }
        for name, row in found.items()
        for (template, order), k in zip(FORMS, row, strict=False)
    ]
    return pl.DataFrame(rows, schema_overrides={"decoding": pl.String, "rule": pl.String})


SILENT = {"asked": 0, "valid": 0, "missing": 4}


def of(found, model="m", survey=None, **others):
    ambiguity = others.get("ambiguity", "low")
    survey = scenarios(list(found), ambiguity) if survey is None else survey
    return beliefs_of(model, "llm", counts(found, **others), survey)


def only(table):
    assert len(table) == 1
    return table.row(0, named=True)


@pytest.mark.parametrize(
    ("measure", "a", "b"),
    [
        ("p_action1", 0.916667, 0.5),
        ("entropy", 0.413817, 1.0),
        ("qf_e", 0.166667, 0.603759),
        ("qf_c", 0.752850, 0.603759),
        ("order_effect", 1 / 6, 1 / 2),
    ],
)
def test_measures_by_hand(measure, a, b):
    """A: p = 1, 1, 1, 1, 1, 1/2: mean 11/12, H(11/12) = .4138; QF-E = H(1/2)/6; QF-C = 1 - (.4138 -
    .1667); first less second is 0, 0, 1/2. B: p = 1, 0, 3/4, 1/4, 1/2, 1/2: mean 1/2, QF-E =
    (2 x .811278 + 2 x 1)/6 = .603759, QF-C = 1 - (1 - .603759); orders 1, 1/2, 0.
    """
    table = scenario_table(of({"A": A, "B": B}))
    assert table[measure].to_list() == pytest.approx([a, b], abs=1e-6)
    mean = only(beliefs_table(of({"A": A, "B": B}), RESAMPLED))[measure]
    assert mean == pytest.approx((a + b) / 2, abs=1e-6)


def test_all_tables_share_measures_that_are_computed_once(monkeypatch):
    computed, real = [], reporting.corrected_qf_c
    monkeypatch.setattr(reporting, "corrected_qf_c", lambda *n: computed.append(1) or real(*n))
    beliefs = [*of({"A": A, "B": B}, "one"), *of({"A": B, "B": SURE}, "two")]
    table = beliefs_table(beliefs, RESAMPLED)
    for tabulate in (differences_table, beliefs_table):
        tabulate(beliefs, RESAMPLED)
    decodings_table(beliefs, table, RESAMPLED)
    scenario_table(beliefs)
    scenarios_table(beliefs, scenarios())
    assert len(computed) == 2


def test_a_measure_that_tables_share_cannot_be_changed_by_one_of_them():
    [one] = of({"A": A, "B": B})
    with pytest.raises(ValueError, match="read-only"):
        one.measures["qf_c"][0] = 2
    with pytest.raises(ValueError, match="read-only"):
        one.p[0] = 2


def test_effects_of_forms_by_hand():
    """A: templates 1, 1, 3/4, mean 11/12: effects 1/12, 1/12, -1/6; B: all 1/2, effects 0. Means
    over the two scenarios are half of A's."""
    table = forms_table(of({"A": A, "B": B}), RESAMPLED)
    assert table["template"].to_list() == ["ab", "repeat", "compare"]
    assert table["effect"].to_list() == pytest.approx([1 / 24, 1 / 24, -1 / 12])
    assert table["order_effect"].to_list() == pytest.approx([1 / 2, 1 / 4, 1 / 4])
    assert table["replies"].to_list() == [16, 16, 16]


def test_orders_of_rows_do_not_matter():
    survey, rows = scenarios(), counts({"A": A, "B": B})
    one = scenario_table(beliefs_of("m", "llm", rows, survey))
    other = scenario_table(beliefs_of("m", "llm", rows.reverse(), survey))
    columns = ["p_action1", "entropy", "qf_e", "qf_c", "order_effect"]
    np.testing.assert_allclose(one[columns].to_numpy(), other[columns].to_numpy())


def test_one_order_only_has_no_order_effect_and_no_form_effect():
    rows = counts({"A": A, "B": B}).filter(pl.col("order") == 0)
    found = beliefs_of("m", "llm", rows, scenarios())
    assert only(beliefs_table(found, RESAMPLED))["order_effect"] is None
    assert forms_table(found, RESAMPLED)["effect"].to_list() == [None] * 3


def test_a_single_form_is_consistent_and_has_no_effect():
    rows = counts({"A": A, "B": B}).filter(form="ab")
    found = beliefs_of("m", "llm", rows, scenarios())
    assert only(beliefs_table(found, RESAMPLED))["forms"] == 2
    assert only(forms_table(found, RESAMPLED))["effect"] is None


def test_one_sample_has_no_corrected_measures():
    """One reply a form shows no spread; plug-in QF-E is 0."""
    row = only(beliefs_table(of({"A": [1, 1, 1, 0, 1, 1]}, asked=1, valid=1), RESAMPLED))
    assert (row["qf_e"], row["qf_e_corrected"], row["qf_c_corrected"]) == (0, None, None)


def test_refusals_are_a_share_of_the_replies_that_came():
    """A: 4 replies a form, 1 refused, so 6 of 24. B: none came. 24 of 48 are missing."""
    rows = pl.concat(
        [
            counts({"A": [3] * 6}, valid=3, refused=1),
            counts({"B": [0] * 6}, **SILENT),
        ]
    )
    row = only(beliefs_table(beliefs_of("m", "llm", rows, scenarios()), RESAMPLED))
    assert (row["refused"], row["missing"], row["scenarios"]) == (0.25, 0.5, 1)


def test_no_valid_reply_is_a_flagged_half():
    table = likelihoods_table(counts({"A": [0] * 6}, valid=0, invalid=4))
    assert table["p_action1"].to_list() == [0.5] * 6
    assert table["flagged"].all()
    row = only(beliefs_table(of({"A": [0] * 6}, valid=0, invalid=4), RESAMPLED))
    assert (row["flagged"], row["invalid"]) == (6, 1.0)


def test_a_share_of_one_over_few_scenarios_is_not_certain():
    """All of two scenarios prefer action 1: Wilson's lower bound at 2 of 2 is 1/(1 + 1.96²/2)."""
    row = only(beliefs_table(of({"A": SURE, "B": SURE}), RESAMPLED))
    assert row["prefers_action1"] == 1
    assert row["prefers_action1_low"] == pytest.approx(1 / (1 + 1.959964**2 / 2), abs=1e-6)


def test_a_respondent_without_answers_has_nulls_and_no_nan(tmp_path):
    found = of({"A": [0] * 6, "B": [0] * 6}, **SILENT)
    table = beliefs_table(found, RESAMPLED)
    tables = [table, forms_table(found, RESAMPLED), scenario_table(found)]
    tables += [decodings_table(found, table, RESAMPLED), scenarios_table(found, scenarios())]
    for one in tables:
        assert "NaN" not in one.write_csv()
    row = only(table)
    assert (row["p_action1"], row["refused"], row["missing"], row["scenarios"]) == (
        None,
        None,
        1,
        0,
    )
    assert row["certain_and_consistent"] is None
    assert "--" in beliefs_latex(table, {})


def test_rules_by_hand():
    """p of A is 11/12, of B 1/2. A breaks the law by action 2 alone: 1/12; B by both: not counted."""
    labels = {"a1_break_law": ["No", "Yes"], "a2_break_law": ["Yes", "Yes"]}
    survey = scenarios(generation_rule=["Do not kill", "Do your duty"], **labels)
    table = rules_table(of({"A": A, "B": B}, survey=survey), survey, RESAMPLED)
    found = {row["rule"]: row["likelihood"] for row in table.iter_rows(named=True)}
    expected = {"Do not kill": 11 / 12, "Do your duty": 1 / 2, "break_law": 1 / 12}
    assert found == pytest.approx(expected)
    assert table["scenarios"].to_list() == [1, 1, 1]


def test_no_rule_gives_an_empty_table_with_all_columns():
    empty = rules_table(of({"A": A, "B": B}), scenarios(), RESAMPLED)
    survey = scenarios(generation_rule=["Do not kill"] * 2)
    full = rules_table(of({"A": A, "B": B}, survey=survey), survey, RESAMPLED)
    assert empty.is_empty()
    assert empty.schema == full.schema


def test_differences_by_hand():
    """One minus other: 11/12 - 1/2 and 1/2 - 1/2; mean 5/24. A single pair: Holm changes nothing."""
    pair = [*of({"A": A, "B": B}, "one"), *of({"A": B, "B": B}, "other")]
    row = only(differences_table(pair, RESAMPLED).filter(measure="p_action1"))
    assert row["difference"] == pytest.approx(5 / 24)
    assert (row["scenarios"], row["p_holm"]) == (2, row["p"])


def test_one_model_has_no_differences_and_no_correlations():
    found = of({"A": SURE, "B": SURE}, ambiguity="high")
    assert differences_table(found, RESAMPLED).is_empty()
    together = agreement(found, beliefs_table(found, RESAMPLED))
    assert together.models == ["m"]
    assert correlations_table(together).is_empty()


def ordered(name, *ks):
    """A sure respondent in high ambiguity: action 1 in all forms or in none."""
    return of({f"S{i}": [k] * 6 for i, k in enumerate(ks)}, name, ambiguity="high")


def test_correlations_by_hand():
    """(1, 0, 1, 0) against (1, 0, 0, 1): deviations +-1/2, products +, +, -, -: r = 0; against itself
    turned over: -1."""
    found = [
        *ordered("a", 4, 0, 4, 0),
        *ordered("b", 4, 0, 0, 4),
        *ordered("c", 0, 4, 0, 4),
    ]
    table = correlations_table(agreement(found, beliefs_table(found, RESAMPLED)))
    assert table.select("model_1", "model_2").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    assert table["r"].to_list() == pytest.approx([0, -1, 0])


def test_who_is_left_out_of_agreement_is_told_why():
    torn = {f"S{i}": [2] * 6 for i in range(4)}
    turned = {f"S{i}": [4, 0] * 3 for i in range(4)}
    found = [
        *ordered("a", 4, 0, 4, 0),
        *ordered("b", 4, 0, 0, 4),
        *ordered("same", 4, 4, 4, 4),
        *of(torn, "torn", ambiguity="high"),
        *of(turned, "turned", ambiguity="high"),
        *of({f"S{i}": [0] * 6 for i in range(4)}, "silent", ambiguity="high", **SILENT),
    ]
    together = agreement(found, beliefs_table(found, RESAMPLED))
    reasons = dict(together.left_out)
    assert together.models == ["a", "b"]
    assert reasons.pop("same").startswith("no correlation")
    assert reasons == {"torn": "uncertain", "turned": "inconsistent", "silent": "no answers"}


def test_scenarios_by_hand():
    """Four models; on A one of four prefers action 2: just a quarter. On B all prefer action 1."""
    against = [*of({"A": [0] * 6, "B": SURE}, "m0")]
    found = against + [one for n in (1, 2, 3) for one in of({"A": SURE, "B": SURE}, f"m{n}")]
    table = scenarios_table(found, scenarios())
    assert table["share_action2"].to_list() == [0.25, 0]
    assert table["unfavourable"].to_list() == [True, False]
    assert table["agreed_action"].to_list() == [None, 1]
    assert table["p_action1"].to_list() == [0.75, 1]


def test_an_ambiguity_without_answers_stays_in_the_table_of_scenarios():
    survey = pl.concat([scenarios("AB"), scenarios("CD", "high")])
    found = beliefs_of("m", "llm", counts({"A": A, "B": B}), survey)
    table = scenarios_table(found, survey)
    assert table["models"].to_list() == [1, 1, 0, 0]
    assert table["p_action1"].to_list()[2:] == [None, None]
    assert not table["agreed"].any()


def test_changes_under_a_decoding_are_paired():
    """A, B under the study have p 11/12 and 1/2; cold 1 and 1: mean change (1/12 + 1/2)/2 = 7/24."""
    rows = pl.concat([counts({"A": A, "B": B}), counts({"A": SURE, "B": SURE}, decoding="cold")])
    found = beliefs_of("m", "llm", rows, scenarios())
    table = decodings_table(found, beliefs_table(found, RESAMPLED), RESAMPLED)
    assert table["decoding"].to_list() == ["study", "cold"]
    assert table["p_action1_change"].to_list() == pytest.approx([0, 7 / 24])


def test_latex_escapes_what_users_write():
    found = of({"A": A, "B": B})
    table = beliefs_table(found, RESAMPLED)
    assert r"50\% \& more\_" in beliefs_latex(table, {"m": "50% & more_"})
    assert r"50\% \& more\_" in model_latex(forms_table(found, RESAMPLED), "m", "50% & more_")


def test_a_model_called_by_a_number_is_in_the_summary(tmp_path):
    (tmp_path / "tables").mkdir()
    table = beliefs_table(of({"A": A, "B": B}, "7"), RESAMPLED)
    table.write_csv(tmp_path / "tables/moralchoice.csv")
    assert "\n7 " in summary(tmp_path)


def test_simulated_pairs_are_a_family_of_their_own():
    """p = 0.01 between two models stays 0.01; the pair with a simulated one is adjusted apart."""
    pairs = [
        PairedDifference(0, 1, 9, 0.1, 0.0, 0.2, 0.01, 0.03),
        PairedDifference(0, 2, 9, 0.1, 0.0, 0.2, 0.02, 0.04),
        PairedDifference(1, 2, 9, 0.1, 0.0, 0.2, 0.03, 0.04),
    ]
    assert _adjusted(pairs, [False, False, True]).tolist() == pytest.approx([0.01, 0.04, 0.04])
