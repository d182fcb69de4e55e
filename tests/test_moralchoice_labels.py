"""Annotators' labels: majorities and agreement counted by hand, files that cannot be used."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationale.schema import DocumentError
from rationale.surveys.moralchoice.labels import (
    AGREEMENT,
    merge_labels,
    read_annotations,
)
from rationale.surveys.moralchoice.scenarios import LABEL_COLUMNS, SCHEMA, read_scenarios

PUBLISHED = Path(__file__).parents[2] / "shared" / "data" / "moralchoice"


def scenarios(*rows, count=3):
    rows = rows or [{} for _ in range(count)]
    return pl.DataFrame(
        [
            {
                "scenario_id": f"S_{number}",
                "ambiguity": "high",
                "context": f"You are here, {number}.",
                "action1": f"I stay, {number}.",
                "action2": f"I leave, {number}.",
                **row,
            }
            for number, row in enumerate(rows, start=1)
        ],
        schema=SCHEMA,
    )


def says(**columns):
    """What an annotator says of S_1, S_2, … in each column; None is not judged."""
    count = len(next(iter(columns.values())))
    ids = [f"S_{number}" for number in range(1, count + 1)]
    return pl.DataFrame(
        {"scenario_id": ids, **columns}, schema=dict.fromkeys(("scenario_id", *columns), pl.String)
    )


def merge(*annotators, of=None):
    names = ["ada", "ben", "cem", "dee"]
    return merge_labels(
        scenarios() if of is None else of, dict(zip(names, annotators, strict=False))
    )


def votes(column, *annotators, of=None):
    """Merge what annotators say in one column, a word a scenario: Y, N, 1, 2, 0 or -."""
    words = {"Y": "Yes", "N": "No", "1": "action1", "2": "action2", "0": "neither", "-": None}
    return merge(*(says(**{column: [words[one] for one in said]}) for said in annotators), of=of)


def agreement(column, *annotators, of=None):
    return votes(column, *annotators, of=of).agreement.row(0, named=True)


# Majorities


def test_a_label_is_what_more_than_half_say():
    """S_1: Yes 2 of 3. S_2: No 2 of 3. S_3: Yes 3 of 3."""
    merged = votes("a1_death", "YYY", "YNY", "NNY")
    assert merged.scenarios["a1_death"].to_list() == ["Yes", "No", "Yes"]


def test_half_is_no_majority():
    assert votes("a2_duty", "YY-", "NY-").scenarios["a2_duty"].to_list()[0] == "No Agreement"


def test_those_who_did_not_judge_do_not_count():
    """S_1: Yes 1 of 1. S_2: 1 and 1. S_3: Yes 2 of 3."""
    merged = votes("a1_pain", "YY-", "-NY", "--Y", "--N")
    assert merged.scenarios["a1_pain"].to_list() == ["Yes", "No Agreement", "Yes"]


def test_what_nobody_judged_stays_as_it_was():
    old = scenarios({"a1_pain": "No"}, {}, {"a1_duty": "Yes", "a1_pain": "No"})
    merged = votes("a1_pain", "--Y", "--Y", of=old).scenarios
    assert merged["a1_pain"].to_list() == ["No", None, "Yes"]
    assert merged["a1_duty"].to_list() == [None, None, "Yes"]


def test_scenarios_keep_their_order_and_columns():
    old = scenarios(count=9)
    merged = votes("a1_cheat", "YNYNYNYNY", "YYNNYYNNY", of=old).scenarios
    assert merged.schema == pl.Schema(SCHEMA)
    assert merged.drop("a1_cheat").equals(old.drop("a1_cheat"))


def test_annotators_may_judge_different_columns_and_scenarios():
    merged = merge(says(a1_death=["Yes"]), says(a2_death=["No", "Yes"]), of=scenarios(count=2))
    assert merged.scenarios["a1_death"].to_list() == ["Yes", None]
    assert merged.scenarios["a2_death"].to_list() == ["No", "Yes"]


@given(
    st.lists(
        st.lists(st.sampled_from("YN-"), min_size=4, max_size=4).map("".join),
        min_size=2,
        max_size=4,
    )
)
def test_labels_are_a_plain_count(annotators):
    def verdict(said):
        counts = Counter(said) - Counter({"-": len(said)})
        winners = [word for word, count in counts.items() if 2 * count > counts.total()]
        words = {"Y": "Yes", "N": "No"}
        return (words[winners[0]] if winners else "No Agreement") if counts else None

    merged = votes("a1_freedom", *annotators, of=scenarios(count=4)).scenarios
    expected = [verdict([said[place] for said in annotators]) for place in range(4)]
    assert merged["a1_freedom"].to_list() == expected


# The preferred action


def test_a_majority_for_an_action_makes_low_ambiguity_and_anything_else_high():
    """S_1: action 1, 2 of 3. S_2: neither, 2 of 3. S_3: one each. S_4: nobody, stays low."""
    old = scenarios({}, {"ambiguity": "low"}, {"ambiguity": "low"}, {"ambiguity": "low"})
    merged = votes("preferred", "101-", "102-", "210-", of=old)
    assert merged.scenarios["ambiguity"].to_list() == ["low", "high", "high", "low"]
    assert merged.swapped == ()


def test_without_anybody_asked_ambiguity_stays():
    assert votes("a1_death", "YYY", "YYY").scenarios["ambiguity"].to_list() == ["high"] * 3


def test_where_action_2_is_preferred_the_actions_trade_places_with_their_labels():
    old = scenarios({"a1_duty": "Yes", "a2_duty": "No", "a2_pain": "Yes"}, {"a1_duty": "Yes"})
    judged = [says(preferred=["action2", "action1"], a1_death=["Yes", "No"]) for _ in range(2)]
    merged = merge(*judged, of=old)
    first, second = merged.scenarios.to_dicts()
    assert merged.swapped == ("S_1",)
    assert (first["action1"], first["action2"]) == ("I leave, 1.", "I stay, 1.")
    assert (first["a1_death"], first["a2_death"]) == (None, "Yes")
    assert (first["a1_duty"], first["a2_duty"]) == ("No", "Yes")
    assert (first["a1_pain"], first["a2_pain"]) == ("Yes", None)
    assert (second["action1"], second["a1_death"], second["a1_duty"]) == ("I stay, 2.", "No", "Yes")


def test_agreement_is_about_the_actions_as_they_were_judged():
    judged = [says(preferred=["action2"], a1_death=["Yes"]) for _ in range(2)]
    assert merge(*judged).agreement["column"].to_list() == ["a1_death", "preferred"]


# Agreement


def test_agreement_counted_by_hand():
    """Three annotators: S_1 YYY, S_2 YYN, S_3 NNN.

    Pairs that agree: 3/3, 1/3, 3/3: mean 7/9. Shares: Yes 5/9, No 4/9; by chance 41/81.
    Kappa = (63/81 - 41/81) / (40/81) = 22/40. Alpha: observed disagreement 2/9, expected
    2·5·4/(9·8) = 5/9: 1 - 2/5 = 0.6.
    """
    row = agreement("a1_death", "YYN", "YYN", "YNN")
    assert row == pytest.approx(
        {
            "column": "a1_death",
            "annotators": 3,
            "scenarios": 3,
            "paired": 3,
            "agreement": 7 / 9,
            "fleiss_kappa": 22 / 40,
            "krippendorff_alpha": 0.6,
            "majority": 1.0,
            "unanimous": 2 / 3,
        }
    )


def test_scenarios_with_one_judgement_have_no_pair():
    """S_1 YN, S_2 YY, S_3 only Y: 3 judged, 2 paired; of these one agrees and has a majority."""
    row = agreement("a1_death", "YYY", "NY-")
    assert (row["scenarios"], row["paired"]) == (3, 2)
    assert (row["agreement"], row["majority"], row["unanimous"]) == (0.5, 0.5, 0.5)
    assert row["fleiss_kappa"] is None
    # Observed: S_1 has both ordered pairs apart, 2 of 4. Expected: 2·3·1/(4·3) = 1/2.
    assert row["krippendorff_alpha"] == pytest.approx(0.0)


def test_where_all_say_the_same_chance_corrected_agreement_is_not_defined():
    row = agreement("a1_death", "NNN", "NNN")
    assert row["agreement"] == 1
    assert (row["fleiss_kappa"], row["krippendorff_alpha"]) == (None, None)


def test_a_column_that_nobody_filled_has_a_row_of_its_own():
    row = agreement("a1_death", "---", "---")
    assert (row["annotators"], row["scenarios"], row["paired"]) == (0, 0, 0)
    assert row["agreement"] is None


def test_agreement_on_the_preferred_action_has_three_values():
    """1 2 0 against 1 2 2: pairs agree in 2 of 3."""
    row = agreement("preferred", "120", "122")
    assert row["agreement"] == pytest.approx(2 / 3)


def test_agreement_has_its_columns_in_the_order_of_the_labels():
    table = merge(*[says(a2_duty=["No"], preferred=["neither"], a1_death=["No"])] * 2).agreement
    assert table.schema == pl.Schema(AGREEMENT)
    assert table["column"].to_list() == ["a1_death", "a2_duty", "preferred"]


# Files


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "ada.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_a_file_is_read_as_it_stands(write):
    found = read_annotations(write("scenario_id,a1_death,preferred\nS_1,Yes,\nS_2, No ,neither\n"))
    assert found.rows() == [("S_1", "Yes", None), ("S_2", "No", "neither")]


def test_a_byte_order_mark_and_empty_lines_are_no_content(write):
    found = read_annotations(write("\ufeffscenario_id,a1_death\r\n\r\nS_1,Yes\r\n"))
    assert found.rows() == [("S_1", "Yes")]


def test_the_texts_may_stand_beside_the_judgements(write):
    text = 'scenario_id,context,a1_death\nS_1,"You are here, 1.",Yes\n'
    one = read_annotations(write(text))
    assert merge(one, one).scenarios["a1_death"].to_list() == ["Yes", None, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scenario_id,a1_deth\n", r"ada\.csv: unknown column 'a1_deth'.*'a1_death'\?"),
        ("scenario_id,a1_pain,a1_pain\n", "the column 'a1_pain' is there twice"),
        ("id,a1_pain\n", "the column 'scenario_id' is missing; found: id, a1_pain"),
        ("scenario_id,context\n", "no judgement column; allowed: preferred, a1_death to a2_duty"),
        ("", "the column 'scenario_id' is missing; found: nothing"),
        ("scenario_id,a1_pain\nS_1,yes\n", r"row 2 .*a1_pain: found 'yes'; .*'Yes'\?"),
        ("scenario_id,preferred\nS_1,action 2\n", r"row 2 .*found 'action 2'.*'action2'\?"),
        ("scenario_id,a1_pain\nS_1,No Agreement\n", "allowed: Yes, No, or an empty cell"),
        ("scenario_id,a1_pain\n\nS_1,No\nS_1,No\n", r"row 4 \(scenario_id 'S_1'\).* row 3 too"),
        ("scenario_id,a1_pain\n,No\n", "row 2 .*scenario_id is empty"),
        ("scenario_id,a1_pain\nS_1,No,No\n", "row 2: found 3 cells; allowed: 2"),
        ('scenario_id,a1_pain\nS_1,"No\n', "not valid CSV"),
    ],
)
def test_a_broken_file_is_named_with_place_and_cure(write, text, message):
    with pytest.raises(DocumentError, match=message):
        read_annotations(write(text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DocumentError, match=r"ada\.csv: no such file"):
        read_annotations(tmp_path / "ada.csv")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(DocumentError, match="cannot be read"):
        read_annotations(tmp_path)


def test_another_encoding_is_named(write):
    with pytest.raises(DocumentError, match="not UTF-8"):
        read_annotations(write("scenario_id,a1_pain\né,No\n", "latin-1"))


def test_the_first_twenty_problems_are_shown_and_the_rest_counted(write):
    rows = "".join(f"S_{number},maybe\n" for number in range(23))
    with pytest.raises(DocumentError) as error:
        read_annotations(write(f"scenario_id,a1_pain\n{rows}"))
    assert len(error.value.problems) == 21
    assert error.value.problems[-1] == "and 3 more"


# What does not fit together


def test_one_annotator_is_too_few():
    with pytest.raises(DocumentError, match="found ada; allowed: 2 annotators or more"):
        merge(says(a1_pain=["Yes"]))


def test_an_unknown_scenario_is_named_with_the_nearest():
    wrong = says(a1_pain=["Yes"]).with_columns(scenario_id=pl.lit("S_33"))
    with pytest.raises(DocumentError, match=r"annotations of ben: row 2 .*'S_33'.*'S_3'\?"):
        merge(says(a1_pain=["Yes"]), wrong)


def test_a_scenario_judged_twice_by_one_annotator_is_an_error():
    twice = pl.concat([says(a1_pain=["Yes"])] * 2)
    with pytest.raises(DocumentError, match=r"annotations of ada: row 3 .*judged in row 2 too"):
        merge(twice, says(a1_pain=["Yes"]))


def test_an_unknown_value_and_column_are_errors_in_tables_too():
    with pytest.raises(DocumentError) as error:
        merge(says(a1_pain=["Ja"]), says(a1_pane=["Yes"]))
    assert "annotations of ada: row 2" in error.value.problems[0]
    assert "unknown column 'a1_pane'" in error.value.problems[1]


def test_judgements_of_other_words_are_refused():
    """Actions in the other order would turn every verdict round."""
    other = says(preferred=["action1"]).with_columns(action1=pl.lit("I leave, 1."))
    with pytest.raises(DocumentError, match=r"action1: found 'I leave, 1\.'.*'I stay, 1\.'"):
        merge(other, says(preferred=["action1"]))


@pytest.mark.parametrize("name", ["low", "high"])
def test_unanimous_annotators_give_the_published_labels_back(name):
    path = PUBLISHED / f"moralchoice_{name}_ambiguity.csv"
    if not path.exists():
        pytest.skip(f"the published scenarios are not here: {path}")
    published = read_scenarios([path], ["G_530"] if name == "high" else [])
    said = published.select(
        "scenario_id",
        "context",
        *(pl.when(pl.col(name) != "No Agreement").then(name) for name in LABEL_COLUMNS),
    )
    empty = published.with_columns(pl.lit(None, pl.String).alias(name) for name in LABEL_COLUMNS)
    judged = published.select("scenario_id", *LABEL_COLUMNS).unpivot(index="scenario_id")
    merged = merge_labels(empty, dict.fromkeys(("ada", "ben", "cem"), said)).scenarios
    found = merged.select("scenario_id", *LABEL_COLUMNS).unpivot(index="scenario_id")
    decided = judged["value"] != "No Agreement"
    assert found.filter(decided).equals(judged.filter(decided))
    assert found.filter(~decided)["value"].null_count() == (~decided).sum()
