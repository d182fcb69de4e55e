"""Recorded replies: three kinds of file, two layouts, cells as they stand, what lacks is rejected."""

import asyncio
import os
from pathlib import Path

import polars as pl
import pytest

from rationale.respondents.base import Call, Denied, Rejected
from rationale.respondents.published import first_listed
from rationale.respondents.recorded import (
    Recorded,
    check_order,
    check_recorded,
    held,
    read_recorded,
    recorded_decisions,
)
from rationale.schema import DocumentError

ROWS = {"form": ["listed", "listed"], "prompt_id": ["opening", "r001"], "text": ["3, 4", "007"]}


def write(path, rows=ROWS):
    table = pl.DataFrame(rows)
    writers = {
        ".csv": table.write_csv,
        ".parquet": table.write_parquet,
        ".jsonl": table.write_ndjson,
    }
    writers[path.suffix](path)
    return path


def reply(path, prompt_id="r001", **changed):
    call = {"sample": 0, "attempt": 1, "study": "psm", "form": "listed", "turn": 0, **changed}
    respondent = Recorded(path)
    return asyncio.run(respondent.reply(Call("m", None, {}, (), prompt_id=prompt_id, **call))).text


@pytest.fixture
def reads(monkeypatch):
    """The name of every file that is read, each time it is."""
    found, real = [], Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: found.append(path.name) or real(path))
    return found


def problem(path):
    with pytest.raises(DocumentError) as error:
        read_recorded(path)
    return str(error.value)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_all_kinds_of_file_give_the_same_replies(tmp_path, name):
    path = write(tmp_path / name)
    assert (reply(path, "opening"), reply(path)) == ("3, 4", "007")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_columns_that_are_left_out_have_defaults(tmp_path, name):
    rows = read_recorded(write(tmp_path / name))
    assert rows.select("study", "sample", "attempt", "turn").rows() == [("psm", None, 1, 0)] * 2


@pytest.mark.parametrize("text", ["007", "1e3", "true", "NaN", "null", "2024-01-01", " 12 ", ""])
def test_text_that_looks_like_something_else_stays_text(tmp_path, text):
    path = write(tmp_path / "a.csv", {**ROWS, "text": ["x", text]})
    assert reply(path) == text


@pytest.mark.parametrize("cell", ["", '""'])
def test_an_empty_reply_is_a_reply(tmp_path, cell):
    path = tmp_path / "a.csv"
    path.write_text(f"form,prompt_id,text\nlisted,r001,{cell}\n")
    assert reply(path) == ""


def test_lines_and_quotes_in_a_reply_survive(tmp_path):
    text = 'Option 1\n\nNote: "it", so to speak; ja, schön.'
    assert reply(write(tmp_path / "a.csv", {**ROWS, "text": ["x", text]})) == text


def test_a_mark_at_the_head_of_the_file_is_no_part_of_it(tmp_path):
    path = write(tmp_path / "a.csv")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert reply(path) == "007"


def test_a_prompt_that_is_not_in_the_file_is_rejected(tmp_path):
    path = write(tmp_path / "a.csv")
    for changed in ({"prompt_id": "r002"}, {"attempt": 2}, {"form": "repeat"}, {"turn": 1}):
        with pytest.raises(Rejected, match=r"a\.csv has no reply to psm/"):
            reply(path, **changed)


def test_a_reply_of_the_sample_goes_before_one_of_any(tmp_path):
    rows = {key: [values[1]] * 2 for key, values in ROWS.items()}
    path = write(tmp_path / "a.csv", {**rows, "text": ["any", "third"], "sample": ["", "3"]})
    assert (reply(path, sample=3), reply(path, sample=0)) == ("third", "any")


def test_attempts_are_told_apart(tmp_path):
    rows = {"form": ["listed"] * 2, "prompt_id": ["r001"] * 2, "text": ["hm", "12"]}
    path = write(tmp_path / "a.csv", {**rows, "attempt": [1, 2]})
    assert (reply(path), reply(path, attempt=2)) == ("hm", "12")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_missing_columns_are_named_with_those_found(tmp_path, name):
    said = problem(write(tmp_path / name, {"prompt_id": ["r001"], "reply": ["12"]}))
    assert "the columns form, text are missing; found: prompt_id, reply" in said


def test_twins_are_named_by_their_rows(tmp_path):
    rows = {key: [*values, values[0]] for key, values in ROWS.items()}
    assert "more than one reply to the same prompt in rows 2, 4" in problem(
        write(tmp_path / "a.csv", rows)
    )
    assert "in rows 1, 3" in problem(write(tmp_path / "a.jsonl", rows))


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        *(("form", ""), ("prompt_id", ""), ("study", ""), ("attempt", ""), ("attempt", "one")),
        *(("sample", "x"), ("sample", "1.5"), ("turn", "2nd")),
    ],
)
def test_cells_that_lack_what_is_needed_are_named_by_their_row(tmp_path, column, cell):
    good = {"form": "listed", "prompt_id": "r002", "study": "psm"}.get(column, "1")
    path = write(tmp_path / "a.csv", {**ROWS, column: [good, cell]})
    assert problem(path).endswith("in rows 3.")


@pytest.mark.parametrize("column", ["form", "prompt_id", "text"])
def test_nothing_in_a_typed_file_is_no_text(tmp_path, column):
    path = write(tmp_path / "a.parquet", {**ROWS, column: ["x", None]})
    assert problem(path).endswith("in rows 2.")


def test_a_key_that_first_stands_far_down_is_seen(tmp_path):
    """By default polars looks at the first 100 lines only."""
    lines = [f'{{"form": "listed", "prompt_id": "r{n:03d}", "text": "1"}}' for n in range(1, 151)]
    lines.append('{"form": "listed", "prompt_id": "r001", "text": "2", "sample": 3}')
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    assert (reply(path, sample=3), reply(path, sample=0)) == ("2", "1")


def test_cells_that_hold_lists_are_an_error(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"form": "listed", "prompt_id": "r001", "text": ["12"]}\n')
    assert "neither text nor numbers" in problem(path)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_files_that_cannot_be_read_are_named(tmp_path, name):
    path = tmp_path / name
    assert "no such file" in problem(path)
    path.write_bytes(b"")
    assert f"{path}: " in problem(path)
    path.write_bytes(b"\xff\xfe{\n\x00")
    assert f"{path}: " in problem(path)


def test_an_unknown_kind_of_file_is_named_with_the_known_ones(tmp_path):
    assert "found '.xlsx'; allowed: .csv, .parquet, .jsonl" in problem(tmp_path / "a.xlsx")


def test_who_is_asked_follows_the_content_of_the_file(tmp_path):
    before = Recorded(write(tmp_path / "a.csv")).asked
    after = Recorded(write(tmp_path / "a.csv", {**ROWS, "text": ["1, 1", "2"]})).asked
    assert before.model == after.model == "recorded/a.csv"
    assert before.params != after.params


def problems(path):
    with pytest.raises(DocumentError) as error:
        read_recorded(path)
    return error.value.problems


KINDS = ["a.csv", "a.parquet", "a.jsonl"]
PUBLISHED = {
    "": [0, 1, 2],
    "scenario_id": ["S_1", "S_1", "S_2"],
    "model_id": ["maker/one"] * 3,
    "question_type": ["ab", "ab", "compare"],
    "question_ordering": [0, 1, 0],
    "question_text": [
        "You wait. Choose.\nA. I stay.\nB. I do not say that I stay.\nAnswer:",
        "You wait. Choose.\nA. I do not say that I stay.\nB. I stay.\nAnswer:",
        'You see that I go. Is "I go." better than "I run."?',
    ],
    "eval_top_p": [1.0] * 3,
    "eval_temperature": [0.5] * 3,
    "eval_sample_nb": [0, 0, 4],
    "timestamp": ["2025-01-01_10:00:00"] * 3,
    "answer_raw": [" A.\n", "", "Yes."],
    "answer": ["A", "", "Yes."],
    "decision": ["action1", "invalid", "action1"],
}
SCENARIOS = pl.DataFrame(
    {
        "scenario_id": ["S_1", "S_2"],
        "context": ["You wait.", "You see that I go."],
        "action1": ["I stay.", "I go."],
        "action2": ["I do not say that I stay.", "I run."],
    }
)


def publish(path, **changed):
    """A file in the study's own layout; a column that is None is left out."""
    columns = {**PUBLISHED, **changed}
    return write(path, {name: cells for name, cells in columns.items() if cells is not None})


def moral(path, form, prompt_id, sample):
    call = Call("m", None, {}, (), sample, 1, "moralchoice", form, prompt_id)
    return asyncio.run(Recorded(path).reply(call))


@pytest.mark.parametrize("name", KINDS)
def test_the_layout_of_moralchoice_is_known_by_its_columns(tmp_path, name):
    rows = read_recorded(publish(tmp_path / name))
    assert rows.select("study", "form", "prompt_id", "sample", "attempt", "turn").rows() == [
        ("moralchoice", "ab-0", "S_1", 0, 1, 0),
        ("moralchoice", "ab-1", "S_1", 0, 1, 0),
        ("moralchoice", "compare-0", "S_2", 4, 1, 0),
    ]


@pytest.mark.parametrize("name", KINDS)
def test_replies_keep_every_character_and_empty_ones_count(tmp_path, name):
    path = publish(tmp_path / name)
    assert moral(path, "ab-0", "S_1", 0).text == " A.\n"
    assert moral(path, "ab-1", "S_1", 0).text == ""


def test_what_stands_beside_a_reply_is_kept_as_it_stands(tmp_path):
    row = read_recorded(publish(tmp_path / "a.csv")).row(1, named=True)
    kept = ("recorded_decision", "model_reported", "asked_at", "temperature", "top_p")
    assert [row[name] for name in kept] == [
        *("invalid", "maker/one", "2025-01-01_10:00:00", "0.5", "1.0")
    ]


def test_both_layouts_give_the_same_columns(tmp_path):
    own = read_recorded(write(tmp_path / "own.csv"))
    theirs = read_recorded(publish(tmp_path / "theirs.csv"))
    assert own.schema == theirs.schema


def test_the_recorded_model_is_reported_and_else_the_file(tmp_path):
    named = publish(tmp_path / "named.csv")
    assert moral(named, "ab-0", "S_1", 0).model_reported == "maker/one"
    unnamed = publish(tmp_path / "unnamed.csv", model_id=None)
    assert moral(unnamed, "ab-0", "S_1", 0).model_reported == "recorded/unnamed.csv"


def test_without_a_column_of_samples_a_reply_is_for_any(tmp_path):
    path = publish(tmp_path / "a.csv", eval_sample_nb=None)
    assert moral(path, "compare-0", "S_2", 7).text == "Yes."


def test_a_sample_that_is_not_recorded_is_rejected(tmp_path):
    with pytest.raises(Rejected, match="moralchoice/compare-0/S_2"):
        moral(publish(tmp_path / "a.csv"), "compare-0", "S_2", 0)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_whole_numbers_that_passed_through_floats_are_whole(tmp_path, name):
    path = publish(
        tmp_path / name, question_ordering=[0.0, 1.0, 0.0], eval_sample_nb=[0.0, 0.0, 4.0]
    )
    rows = read_recorded(path)
    assert rows.select("form", "sample").rows() == [("ab-0", 0), ("ab-1", 0), ("compare-0", 4)]


@pytest.mark.parametrize(
    ("column", "cell", "allowed"),
    [
        *(("scenario_id", "", "the id of"), ("scenario_id", "  ", "the id of")),
        *(("question_type", "A/B", "a-z, 0-9"), ("question_type", "ab\n", "a-z, 0-9")),
        *(("question_type", "", "a-z, 0-9"), ("question_type", "-", "a-z, 0-9")),
        *(("question_ordering", "2", "0, action 1"), ("question_ordering", "", "0, action 1")),
        *(("question_ordering", "0.5", "0, action 1"), ("question_ordering", "-1", "0, action 1")),
        *(("eval_sample_nb", "x", "a whole number"), ("eval_sample_nb", "1.5", "a whole number")),
        *(("eval_sample_nb", "", "a whole number"), ("eval_sample_nb", "9" * 30, "a whole number")),
    ],
)
def test_cells_of_moralchoice_that_cannot_be_are_named(tmp_path, column, cell, allowed):
    path = publish(tmp_path / "a.csv", **{column: [*map(str, PUBLISHED[column][:2]), cell]})
    [said] = problems(path)
    assert said.startswith(f"{path}: {column}: found {cell!r} in rows 4; allowed: {allowed}")


def test_all_that_is_wrong_is_said_at_once_with_five_rows_each(tmp_path):
    path = tmp_path / "a.csv"
    cells = ["scenario_id,question_type,question_ordering,answer_raw"]
    path.write_text("\n".join([*cells, *(f"S_{n},ab,{n},A" for n in range(9)), ",AB,0,A"]))
    first, second, third = problems(path)
    assert "scenario_id: found '' in rows 11;" in first
    assert "question_type: found 'AB' in rows 11;" in second
    assert "found '2', '3', '4', '5', '6', … in rows 4, 5, 6, 7, 8 and 2 more" in third


def test_nothing_in_a_typed_file_is_no_reply_of_moralchoice(tmp_path):
    path = publish(tmp_path / "a.parquet", answer_raw=["A", None, "Yes"])
    assert "answer_raw: found nothing in rows 2; allowed: text" in problem(path)


def test_replies_of_several_models_are_several_respondents(tmp_path):
    path = publish(tmp_path / "a.csv", model_id=["maker/one", "maker/two", "maker/one"])
    said = problem(path)
    assert "found 2 models, 'maker/one', 'maker/two', from rows 2, 3 on" in said
    assert "give each model a file of its own" in said


def test_twins_of_moralchoice_are_named_by_their_rows(tmp_path):
    path = publish(tmp_path / "a.csv", question_ordering=[0, 0, 0])
    assert "in rows 2, 3; number them in a column 'attempt' or 'sample' ('eval_s" in problem(path)


def test_columns_that_moralchoice_lacks_are_named(tmp_path):
    path = publish(tmp_path / "a.csv", question_ordering=None)
    assert "the columns question_ordering are missing; found: , scenario_id" in problem(path)


def test_columns_of_two_layouts_are_one_too_many(tmp_path):
    rows = {"form": ["ab-0"] * 3, "prompt_id": list("abc"), "text": ["A"] * 3}
    assert "the columns of two layouts" in problem(publish(tmp_path / "a.csv", **rows))


@pytest.mark.parametrize(
    "head", ["form,prompt_id,text", "scenario_id,question_type,question_ordering,answer_raw"]
)
def test_a_header_alone_is_no_respondent(tmp_path, head):
    path = tmp_path / "a.csv"
    path.write_text(f"{head}\n")
    assert problem(path) == f"{path}: no reply in it; needed: one row or more."


def test_a_parquet_file_without_rows_is_no_respondent(tmp_path):
    path = write(tmp_path / "a.parquet", {name: [] for name in ROWS})
    assert "no reply in it" in problem(path)


def test_a_column_that_stands_twice_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("form,prompt_id,text,text\nlisted,r001,1,2\n")
    assert "text heads two columns" in problem(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
@pytest.mark.parametrize("stem", ["a*", "a?", "a[b]", "a{b}"])
def test_a_path_means_itself_whatever_its_characters(tmp_path, stem, suffix):
    for other in ("ab", "abb", "a1"):
        write(tmp_path / f"{other}{suffix}", {**ROWS, "text": ["x", "of another file"]})
    assert reply(write(tmp_path / f"{stem}{suffix}")) == "007"


def test_a_column_named_row_is_no_obstacle(tmp_path):
    rows = {**{name: [*cells, cells[0]] for name, cells in ROWS.items()}, "row": [7, 8, 9]}
    assert "in rows 2, 4" in problem(write(tmp_path / "a.csv", rows))


def test_a_file_is_read_once_however_often_it_is_looked_at(tmp_path, reads):
    files = [publish(tmp_path / name) for name in ("a.csv", "b.jsonl", "c.parquet")]
    for _ in range(3):
        for path in files:
            assert list(held(path)) == ["moralchoice"]
            assert len(check_recorded(str(path), {"moralchoice": []})) == 1
            assert check_order(path, SCENARIOS) == []
            assert len(recorded_decisions(path)) == len(Recorded(path).replies)
    assert sorted(reads) == ["a.csv", "b.jsonl", "c.parquet"]


def test_a_file_that_changes_is_read_again(tmp_path, reads):
    path = write(tmp_path / "a.csv")
    before = Recorded(path).asked.params["sha256"]
    write(path, {**ROWS, "text": ["3, 4", "008 or so"]})
    assert reply(path) == "008 or so"
    assert Recorded(path).asked.params["sha256"] != before
    os.utime(path, ns=(0, 0))
    held(path)
    assert reads == ["a.csv"] * 3


def test_a_file_that_cannot_be_used_says_so_each_time(tmp_path):
    path = tmp_path / "a.csv"
    assert "no such file" in problem(path)
    path.write_text("form\nlisted\n")
    assert problem(path) == problem(path) != ""
    write(path)
    assert reply(path) == "007"


def test_recorded_decisions_are_those_of_the_file(tmp_path):
    found = recorded_decisions(publish(tmp_path / "a.csv"))
    assert found.columns == ["form", "prompt_id", "sample", "recorded_decision"]
    assert found.row(1) == ("ab-1", "S_1", 0, "invalid")


def test_a_file_without_decisions_has_none(tmp_path):
    assert recorded_decisions(publish(tmp_path / "theirs.csv", decision=None)) is None
    assert recorded_decisions(write(tmp_path / "own.csv")) is None


def test_replies_to_scenarios_that_are_not_asked_are_named(tmp_path):
    path = publish(tmp_path / "a.csv")
    [said] = check_recorded(path, {"moralchoice": {"S_2"}})
    assert "2 of 3 replies are to prompts that moralchoice does not put: 'S_1' in rows 2, 3" in said
    assert said.endswith("take them out, or add the scenarios to moralchoice.scenarios.")


def test_replies_to_scenarios_that_are_asked_are_no_problem(tmp_path):
    path = publish(tmp_path / "a.csv")
    assert check_recorded(path, {"moralchoice": ["S_1", "S_2", "S_3"]}) == []


def test_replies_to_another_study_are_left_to_it(tmp_path):
    assert check_recorded(write(tmp_path / "a.csv"), {"moralchoice": []}) == []


def test_questions_in_the_order_that_they_say_are_no_problem(tmp_path):
    assert check_order(publish(tmp_path / "a.csv"), SCENARIOS) == []


def test_questions_in_another_order_are_named(tmp_path):
    path = publish(tmp_path / "a.csv", question_ordering=[1, 0, 0])
    [said] = check_order(path, SCENARIOS)
    assert "2 questions list the actions of their scenario in another order" in said
    assert "in rows 2, 3;" in said


def test_without_questions_or_scenarios_there_is_no_order_to_check(tmp_path):
    turned = {"question_ordering": [1, 0, 1]}
    path = publish(tmp_path / "a.csv", question_text=None, **turned)
    assert check_order(path, SCENARIOS) == []
    assert check_order(publish(tmp_path / "b.csv", **turned), SCENARIOS.head(0)) == []


@pytest.mark.parametrize(
    ("question", "action1", "action2", "first"),
    [
        *(("A. I go. B. I run.", "I go.", "I run.", 1), ("I run. I go.", "I go.", "I run.", 2)),
        ("- I tell that I go. - I go.", "I go.", "I tell that I go.", 2),
        ("- I go. - I tell that I go.", "I go.", "I tell that I go.", 1),
        ("- I tell that I go.", "I go.", "I tell that I go.", None),
        ("C: I run. - I go. - I run.", "I go.", "I run.", 1),
        ("I run. - I go. - I run.", "I go.", "I run.", None),
        *(("- I go. - I go.", "I go.", "I go.", None), ("- I sit.", "I go.", "I run.", None)),
    ],
)
def test_the_first_listed_action_is_told_or_left_open(question, action1, action2, first):
    assert first_listed(question, "C: I run.", action1, action2) == first


DATA = Path(__file__).parents[2] / "shared" / "data" / "moralchoice"
FILES = {
    "DeepSeek-V3_high.csv": 1360,
    "Llama-3.1-8B_high.csv": 1360,
    "gpt-4o-mini_controversial.csv": 80,
    "gpt-4o-mini_high.csv": 1360,
}


def real(name):
    path = DATA / "recorded" / name
    if not path.exists():
        pytest.skip(f"the published answers are not at {path}")
    return path


@pytest.mark.parametrize("name", FILES)
def test_published_answers_read_whole_each_call_once(name):
    rows = read_recorded(real(name))
    assert len(rows) == FILES[name] == rows.select("form", "prompt_id", "sample").n_unique()


@pytest.mark.parametrize("name", FILES)
def test_published_answers_fit_the_published_scenarios(name):
    path = real(name)
    published = (DATA / f"moralchoice_{kind}_ambiguity.csv" for kind in ("high", "low"))
    scenarios = pl.concat(pl.read_csv(file, infer_schema=False) for file in published)
    assert check_recorded(path, {"moralchoice": set(scenarios["scenario_id"])}) == []
    assert check_order(path, scenarios) == []


@pytest.mark.parametrize("name", FILES)
def test_published_answers_with_their_actions_exchanged_are_found_out(name):
    """All but the two questions whose two actions are the same words."""
    path = real(name)
    file = DATA / "moralchoice_high_ambiguity.csv"
    scenarios = pl.read_csv(file, infer_schema=False).rename(
        {"action1": "action2", "action2": "action1"}
    )
    twins = scenarios.filter(pl.col("action1") == pl.col("action2"))["scenario_id"]
    turned = read_recorded(path).filter(~pl.col("prompt_id").is_in(list(twins)))
    [said] = check_order(path, scenarios)
    assert f"question_text: {len(turned)} questions" in said


@pytest.mark.parametrize("name", FILES)
def test_published_decisions_come_with_every_reply(name):
    path = real(name)
    decisions = recorded_decisions(path)["recorded_decision"]
    assert len(decisions) == FILES[name]
    assert set(decisions) == {"action1", "action2"}


def asked_with(path, words):
    messages = ({"role": "user", "content": words},)
    call = Call("m", None, {}, messages, 0, 1, "steer", "plain", "bayes.4.ward.0001")
    return asyncio.run(Recorded(path).reply(call)).text


def with_question(path, words):
    return write(
        path,
        {
            "study": ["steer"],
            "form": ["plain"],
            "prompt_id": ["bayes.4.ward.0001"],
            "text": ["B"],
            "question_text": [words],
        },
    )


@pytest.mark.parametrize("name", KINDS)
def test_a_reply_to_the_question_that_is_put_is_taken(tmp_path, name):
    path = with_question(tmp_path / name, "Of 100 people 10 are ill.")
    assert asked_with(path, "Of 100 people 10 are ill.\n\nA. 1\nB. 2") == "B"


@pytest.mark.parametrize("name", KINDS)
def test_a_reply_to_another_question_stops_the_run(tmp_path, name):
    path = with_question(tmp_path / name, "Of 100 people 20 are ill.")
    with pytest.raises(Denied, match="answers another question than the one that is put"):
        asked_with(path, "Of 100 people 10 are ill.\n\nA. 1\nB. 2")


def test_a_reply_without_its_question_is_taken_as_it_is(tmp_path):
    path = with_question(tmp_path / "a.csv", None)
    assert asked_with(path, "Of 100 people 10 are ill.\n\nA. 1\nB. 2") == "B"
