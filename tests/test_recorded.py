"""Recorded replies: three kinds of file, cells as they stand, and what is missing is rejected."""

import asyncio

import polars as pl
import pytest

from rationale.respondents.base import Call, Rejected
from rationale.respondents.recorded import Recorded, read_recorded
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
