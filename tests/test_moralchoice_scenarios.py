"""Scenarios: our own set, and a reader that names every row it cannot take as it stands."""

import csv
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationale.schema import MOST_PROBLEMS, DocumentError
from rationale.surveys.moralchoice.scenarios import (
    COLUMNS,
    LABEL_COLUMNS,
    LABELS,
    NEEDED,
    RULES,
    SCHEMA,
    VERDICTS,
    read_scenarios,
    violations,
)

ROOT = Path(__file__).parent.parent
OURS = ROOT / "resources" / "moralchoice" / "scenarios.csv"
PUBLISHED = ROOT.parent / "shared" / "data" / "moralchoice"
ROW = {
    "scenario_id": "S_1",
    "ambiguity": "low",
    "context": "You stand at a kerb.",
    "action1": "I wait.",
    "action2": "I run.",
}


def row(number=1, **cells):
    return {**ROW, "scenario_id": f"S_{number}", **cells}


def published(name):
    path = PUBLISHED / f"moralchoice_{name}_ambiguity.csv"
    if not path.exists():
        pytest.skip(f"the published scenarios are not here: {path}")
    return path


@pytest.fixture
def write(tmp_path):
    """Write rows of cells to a CSV file whose columns are those of its first row."""

    def write(*rows, name="own.csv"):
        path = tmp_path / name
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return path

    return write


@pytest.fixture
def problems(write, tmp_path):
    """What the reader says about a file of these rows."""

    def problems(*rows, leave_out=()):
        with pytest.raises(DocumentError) as caught:
            read_scenarios([write(*rows)], leave_out)
        return [text.replace(f"{tmp_path}/", "") for text in caught.value.problems]

    return problems


def test_columns_a_file_does_not_have_are_null(write):
    table = read_scenarios([write(ROW)])
    assert dict(table.schema) == SCHEMA
    assert table.row(0, named=True) == {**dict.fromkeys(COLUMNS), **ROW}


def test_rows_keep_the_order_of_files_and_rows(write):
    later, earlier = write(row(3), row(1), name="b.csv"), write(row(2), name="a.csv")
    assert read_scenarios([later, earlier])["scenario_id"].to_list() == ["S_3", "S_1", "S_2"]


def test_files_with_and_without_labels_make_one_table(write):
    labelled, plain = write(row(1, a1_duty="Yes"), name="a.csv"), write(row(2), name="b.csv")
    assert read_scenarios([labelled, plain])["a1_duty"].to_list() == ["Yes", None]


def test_ends_of_cells_and_column_names_are_stripped(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(
        " scenario_id,ambiguity ,context,action1,action2\n S_1 , low,You  wait.\t,I a., I b. \n"
    )
    assert read_scenarios([path]).row(0)[:2] == ("S_1", "low")
    assert read_scenarios([path])["context"].to_list() == ["You  wait."]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_context_is_read_as_it_was_written(tmp_path_factory, context):
    path = tmp_path_factory.mktemp("any") / "own.csv"
    context = f"You {context}."
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(ROW))
        writer.writeheader()
        writer.writerow({**ROW, "context": context})
    assert read_scenarios([path])["context"].to_list() == [context]


def test_a_byte_order_mark_is_no_part_of_the_first_column(write):
    path = write(ROW)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_scenarios([path])["scenario_id"].to_list() == ["S_1"]


@pytest.mark.parametrize(
    ("misspelt", "rule"),
    [("Do cause pain", RULES[1]), ("Do not break promise", RULES[7]), ("Do your duty", RULES[9])],
)
def test_the_misspelt_rules_of_the_published_file_are_corrected(write, misspelt, rule):
    table = read_scenarios([write(row(generation_rule=misspelt))])
    assert table["generation_rule"].to_list() == [rule]


def test_left_out_rows_are_not_read(write):
    broken = {key: "" for key in ROW} | {"scenario_id": "S_1"}
    assert read_scenarios([write(broken, row(2))], ["S_1"])["scenario_id"].to_list() == ["S_2"]


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_column_is_named(problems, name):
    cells = {key: text for key, text in ROW.items() if key != name}
    assert problems(cells) == [
        f"own.csv: row 1: needed columns are missing: {name}; found: {', '.join(cells)}; "
        f"separate columns by commas."
    ]


def test_an_unknown_column_is_named_with_the_nearest(problems):
    [problem] = problems(row(a1_dutty="No"))
    assert re.match(r"own\.csv: row 1: unknown column 'a1_dutty'; allowed: scenario_id,", problem)
    assert problem.endswith("rename or remove it. Did you mean 'a1_duty'?")


def test_a_column_that_is_there_twice_is_named(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("scenario_id,ambiguity,context,action1,action2,context\nS_1,low,a,b,c,d\n")
    with pytest.raises(DocumentError, match="row 1: the column 'context' is there twice; remove"):
        read_scenarios([path])


@pytest.mark.parametrize("name", ["ambiguity", "context", "action1", "action2"])
def test_an_empty_cell_is_named_with_its_row(problems, name):
    found = problems(ROW, row(2, **{name: "  "}))
    assert found == [f"own.csv: row 3 (scenario_id 'S_2'): {name} is empty; fill it in."]


def test_an_empty_id_is_named_with_its_row(problems):
    found = problems(row(1), row(scenario_id=""), row(scenario_id=""))
    assert found == [
        "own.csv: row 3 (scenario_id ''): scenario_id is empty; fill it in.",
        "own.csv: row 4 (scenario_id ''): scenario_id is empty; fill it in.",
    ]


@pytest.mark.parametrize("bad", ["S 1", "S/1", "é", "S_1,", "x" * 101])
def test_an_id_of_other_characters_or_too_long_is_named(problems, bad):
    [problem] = problems(row(scenario_id=bad))
    assert problem.startswith(f"own.csv: row 2 (scenario_id '{bad[:100]}'): found a scenario_id of")
    assert problem.endswith(
        "allowed: A-Z, a-z, 0-9, '_', '.' and '-', at most 100 of them; rename it."
    )


def test_the_longest_id_is_read(write):
    assert len(read_scenarios([write(row(scenario_id="x" * 100))])) == 1


def test_an_id_twice_names_both_places(problems):
    assert problems(row(1), row(2), row(1)) == [
        "own.csv: row 4 (scenario_id 'S_1'): the same scenario_id is in own.csv: row 2; give each "
        "scenario an id of its own, or remove one of the rows."
    ]


def test_an_id_in_two_files_names_both_files(write):
    first, second = write(row(1), name="a.csv"), write(row(2), row(1), name="b.csv")
    with pytest.raises(DocumentError) as caught:
        read_scenarios([first, second])
    assert f"{second}: row 3 (scenario_id 'S_1')" in str(caught.value)
    assert f"is in {first}: row 2; give each" in str(caught.value)


def test_an_id_twice_is_named_even_where_it_is_left_out(problems):
    assert len(problems(row(1), row(1), row(2), leave_out=["S_1"])) == 1


def test_an_ambiguity_that_is_neither_low_nor_high_is_named(problems):
    assert problems(row(ambiguity="High")) == [
        "own.csv: row 2 (scenario_id 'S_1'): ambiguity: found 'High'; allowed: low, high. "
        "Did you mean 'high'?"
    ]


@pytest.mark.parametrize("same", ["I wait.", "i  WAIT", "I wait!? ", "I\nwait …"])
def test_two_actions_that_are_the_same_are_named_with_the_cure(problems, same):
    assert problems(row(action2=same)) == [
        "own.csv: row 2 (scenario_id 'S_1'): its two actions are the same; correct the row, or "
        "list the id under moralchoice.leave_out."
    ]


@pytest.mark.parametrize("other", ["I do wait.", "I wait. I go.", "I 'wait'."])
def test_two_actions_that_differ_inside_are_read(write, other):
    assert read_scenarios([write(row(action2=other))])["action2"].to_list() == [other]


def test_an_unknown_label_is_named(problems):
    assert problems(row(a2_pain="yes")) == [
        "own.csv: row 2 (scenario_id 'S_1'): a2_pain: found 'yes'; allowed: Yes, No, No Agreement, "
        "or an empty cell. Did you mean 'Yes'?"
    ]


def test_an_unknown_rule_is_named_with_the_nearest(problems):
    [problem] = problems(row(generation_rule="Do not kil"))
    assert problem.startswith(
        "own.csv: row 2 (scenario_id 'S_1'): generation_rule: found 'Do not kil'"
    )
    assert problem.endswith("Do your duty, or an empty cell. Did you mean 'Do not kill'?")
    assert "Do cause pain" not in problem


def test_line_breaks_in_cells_do_not_shift_the_rows_below(problems):
    broken = row(1, context="You wait.\n\nYou wait on.\r\n")
    assert problems(broken, row(2, action1=""))[0].startswith("own.csv: row 3 (scenario_id 'S_2')")


def test_an_empty_line_counts_but_is_no_row(write):
    path = write(row(1), row(2, action1=""))
    path.write_text(path.read_text().replace("\nS_1", "\n\nS_1"))
    with pytest.raises(DocumentError, match=r"own\.csv: row 4 \(scenario_id 'S_2'\)"):
        read_scenarios([path])


def test_a_row_of_commas_alone_is_not_dropped(write):
    path = write(ROW)
    path.write_text(path.read_text() + ",,,,\n")
    with pytest.raises(DocumentError, match=r"row 3 .*context is empty"):
        read_scenarios([path])


@pytest.mark.parametrize(("line", "cells"), [("S_1,low,a", 3), ("S_1,low,Well, a,b,c", 6)])
def test_a_row_with_other_cells_than_the_header_is_named(write, line, cells):
    path = write(ROW)
    path.write_text(",".join(ROW) + f"\n{line}\n")
    with pytest.raises(
        DocumentError, match=rf"row 2 .*found {cells} cells; allowed: 5, as in row 1"
    ):
        read_scenarios([path])


def test_every_problem_of_every_row_is_named(problems):
    found = problems(row(1, context="", ambiguity="hi"), row(2, action1=""))
    assert [text.partition("): ")[2].split()[0] for text in found] == [
        "context",
        "ambiguity:",
        "action1",
    ]


def test_more_problems_than_a_screen_holds_are_counted(problems):
    found = problems(*(row(number, context="") for number in range(MOST_PROBLEMS + 7)))
    assert len(found) == MOST_PROBLEMS + 1
    assert found[-1] == "and 7 more"


def test_a_file_that_cannot_be_read_does_not_hide_the_problems_of_another(write, tmp_path):
    with pytest.raises(DocumentError) as caught:
        read_scenarios([tmp_path / "none.csv", write(row(1, context=""))])
    assert len(caught.value.problems) == 2


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(
        DocumentError, match=r"none\.csv: no such file; check moralchoice\.scenarios"
    ):
        read_scenarios([tmp_path / "none.csv"])


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(DocumentError, match=r"cannot be read: .*; name a CSV file"):
        read_scenarios([tmp_path])


def test_text_that_is_not_utf8_is_named_with_its_line(write):
    path = write(row(1), row(2, context="You see an é."))
    path.write_text(path.read_text(encoding="utf-8"), encoding="latin-1")
    with pytest.raises(
        DocumentError, match=r"not UTF-8 text in line 3 .*; save it as CSV in UTF-8"
    ):
        read_scenarios([path])


@pytest.mark.parametrize("line", ['S_1,low,"You wait.,a,b\n', 'S_1,low,"a"b,c,d\n'])
def test_quotes_that_do_not_match_are_no_csv(write, line):
    path = write(ROW)
    path.write_text(",".join(ROW) + "\n" + line)
    with pytest.raises(DocumentError, match=r"own\.csv: not valid CSV: .*in double quotes"):
        read_scenarios([path])


def test_an_empty_file_lacks_every_needed_column(tmp_path):
    (tmp_path / "own.csv").touch()
    with pytest.raises(DocumentError, match=r"missing: scenario_id, .* found: nothing"):
        read_scenarios([tmp_path / "own.csv"])


def test_a_file_without_a_row_is_named(tmp_path):
    (tmp_path / "own.csv").write_text(",".join(NEEDED) + "\n")
    with pytest.raises(DocumentError, match="no row below the header; add scenarios or drop"):
        read_scenarios([tmp_path / "own.csv"])


def test_a_file_listed_twice_is_named_once(write):
    path = write(row(1), row(2))
    with pytest.raises(DocumentError) as caught:
        read_scenarios([path, path.parent / "." / ".." / path.parent.name / path.name])
    assert caught.value.problems[0].endswith("own.csv: listed twice; list each file once.")
    assert len(caught.value.problems) == 1


def test_ids_to_leave_out_that_no_file_has_are_named(problems):
    assert problems(row(1), row(2), leave_out=["S_2", "S_22"]) == [
        "moralchoice.leave_out: no scenario has the id 'S_22'; remove it or correct it. "
        "Did you mean 'S_2'?"
    ]


def test_leaving_out_every_scenario_is_an_error(problems):
    assert problems(row(1), row(2), leave_out={"S_1", "S_2"}) == [
        "moralchoice.leave_out: all 2 scenarios are left out; keep at least one of them."
    ]


def test_no_file_at_all_is_an_error():
    with pytest.raises(DocumentError, match="found no file; name at least one CSV file"):
        read_scenarios([])


def test_violations_have_a_row_for_each_scenario_and_labelled_rule(write):
    labels = {"a1_pain": "No", "a2_pain": "Yes", "a1_death": "", "a2_death": "No Agreement"}
    table = violations(
        read_scenarios([write(row(2, **labels), row(1, **dict.fromkeys(labels, "")))])
    )
    assert table.rows() == [("S_2", "death", None, "No Agreement"), ("S_2", "pain", "No", "Yes")]
    assert table.columns == ["scenario_id", "rule", "action1", "action2"]


def test_violations_keep_the_order_of_scenarios_and_labels():
    scenarios = read_scenarios([OURS])
    table = violations(scenarios.reverse())
    assert table["rule"].to_list() == list(LABELS) * len(scenarios)
    assert table["scenario_id"].unique(maintain_order=True).to_list()[0] == "H_040"


def test_violations_without_labels_are_an_empty_table(write):
    table = violations(read_scenarios([write(ROW)]))
    assert table.shape == (0, 4)


@pytest.mark.parametrize(
    ("name", "leave_out", "rows"), [("low", [], 687), ("high", ["G_530"], 679)]
)
def test_the_published_files_are_read_whole(name, leave_out, rows):
    """680 high-ambiguity scenarios were published; one has the same action twice."""
    table = read_scenarios([published(name)], leave_out)
    assert table.height == rows
    assert table["ambiguity"].unique().to_list() == [name]
    assert set(table["generation_rule"]) == set(RULES)
    assert table.null_count().sum_horizontal().item() == 0


def test_the_published_row_with_equal_actions_is_named():
    with pytest.raises(
        DocumentError, match=r"row 608 \(scenario_id 'G_530'\): its two actions"
    ) as caught:
        read_scenarios([published("high")])
    assert len(caught.value.problems) == 1


def test_published_violations_agree_with_a_count_of_cells():
    """An independent way: count 'Yes' in the file's own cells, without the reader."""
    with published("low").open(newline="", encoding="utf-8") as file:
        cells = [row[f"a2_{label}"] for row in csv.DictReader(file) for label in LABELS]
    table = violations(read_scenarios([published("low")]))
    assert (table["action2"] == "Yes").sum() == cells.count("Yes")


@pytest.fixture(scope="module")
def ours():
    return read_scenarios([OURS])


def labelled(scenario, action):
    """Slugs of the rules that an action violates beyond doubt."""
    return {label for label in LABELS if scenario[f"a{action}_{label}"] == "Yes"}


def generation_label(scenario):
    return LABELS[RULES.index(scenario["generation_rule"])]


@pytest.mark.parametrize("ambiguity", ["low", "high"])
def test_ours_have_at_least_three_scenarios_for_each_rule(ours, ambiguity):
    counts = ours.filter(ambiguity=ambiguity)["generation_rule"].value_counts()
    assert dict(counts.iter_rows()).keys() == set(RULES)
    assert counts["count"].min() >= 3
    assert counts["count"].sum() >= 36


def test_our_ids_tell_the_ambiguity_and_number_the_rows(ours):
    for ambiguity, letter in (("low", "L"), ("high", "H")):
        ids = ours.filter(ambiguity=ambiguity)["scenario_id"].to_list()
        assert ids == [f"{letter}_{number:03d}" for number in range(1, len(ids) + 1)]


def test_our_labels_are_complete_and_seldom_undecided(ours):
    cells = ours.select(LABEL_COLUMNS).unpivot()["value"]
    assert set(cells) == set(VERDICTS)
    assert (cells == "No Agreement").mean() < 0.05


def test_action_1_of_our_low_scenarios_violates_nothing_and_action_2_the_rule(ours):
    for scenario in ours.filter(ambiguity="low").iter_rows(named=True):
        assert {scenario[f"a1_{label}"] for label in LABELS} == {"No"}
        assert generation_label(scenario) in labelled(scenario, 2), scenario["scenario_id"]


def test_an_action_of_each_of_our_high_scenarios_violates_the_rule(ours):
    for scenario in ours.filter(ambiguity="high").iter_rows(named=True):
        both = labelled(scenario, 1) | labelled(scenario, 2)
        assert generation_label(scenario) in both, scenario["scenario_id"]


def test_both_actions_of_our_high_scenarios_have_a_cost(ours):
    """Each action is labelled Yes or No Agreement for at least one rule."""
    for scenario in ours.filter(ambiguity="high").iter_rows(named=True):
        for action in (1, 2):
            costs = {scenario[f"a{action}_{label}"] for label in LABELS} - {"No"}
            assert costs, f"{scenario['scenario_id']}, action {action}"


def test_the_violating_action_of_our_high_scenarios_stands_first_as_often_as_second(ours):
    places = [
        generation_label(scenario) in labelled(scenario, 1)
        for scenario in ours.filter(ambiguity="high").iter_rows(named=True)
    ]
    assert abs(sum(places) / len(places) - 0.5) <= 0.1


def lengths(scenarios):
    return scenarios.select(
        first=pl.col("action1").str.len_chars(),
        second=pl.col("action2").str.len_chars(),
    )


def test_the_longer_action_of_our_high_scenarios_is_as_often_the_first_as_the_second(ours):
    both = lengths(ours.filter(ambiguity="high")).filter(pl.col("first") != pl.col("second"))
    assert abs((both["first"] > both["second"]).mean() - 0.5) <= 0.1


def test_the_longer_action_of_our_high_scenarios_is_as_often_the_violating_one(ours):
    longer = []
    for scenario in ours.filter(ambiguity="high").iter_rows(named=True):
        first = generation_label(scenario) in labelled(scenario, 1)
        surplus = len(scenario["action1"]) - len(scenario["action2"])
        longer += [(surplus > 0) == first] if surplus else []
    assert abs(sum(longer) / len(longer) - 0.5) <= 0.1


@pytest.mark.parametrize(("ambiguity", "most"), [("high", 1.25), ("low", 1.4)])
def test_our_actions_are_of_similar_length(ours, ambiguity, most):
    both = lengths(ours.filter(ambiguity=ambiguity))
    ratio = both.max_horizontal() / both.min_horizontal()
    assert ratio.max() <= most


def test_our_contexts_address_the_reader_in_one_to_three_sentences(ours):
    for context in ours["context"]:
        assert context.startswith("You ")
        assert context.endswith(".")
        assert 1 <= len(re.findall(r"[.?](?: |$)", context)) <= 3, context
        assert len(context.split()) <= 50, context


def test_our_actions_are_one_sentence_in_the_first_person(ours):
    for action in [*ours["action1"], *ours["action2"]]:
        assert re.fullmatch(r"I [^.?!\n]+\.", action), action


def test_no_two_of_our_scenarios_share_a_context_or_an_action(ours):
    assert ours["context"].n_unique() == len(ours)
    assert pl.concat([ours["action1"], ours["action2"]]).n_unique() == 2 * len(ours)


def test_our_file_has_plain_line_ends():
    content = OURS.read_bytes()
    assert b"\r" not in content
    assert content.endswith(b"\n")


def runs(text, words=8):
    """Every run of eight words of a text."""
    found = re.findall(r"[a-z0-9']+", text.lower())
    return {tuple(found[start : start + words]) for start in range(len(found) - words + 1)}


@pytest.mark.parametrize("name", ["low", "high"])
def test_our_words_are_our_own(ours, name):
    table = read_scenarios([published(name)], ["G_530"] if name == "high" else [])
    texts = ["context", "action1", "action2"]
    theirs = set().union(*map(runs, table.select(texts).unpivot()["value"]))
    assert not theirs & set().union(*map(runs, ours.select(texts).unpivot()["value"]))
