"""Reading the question files that the study's authors publish."""

import pickle
from shutil import copytree

import polars as pl
import pytest
import steer

from rationale.schema import DocumentError
from rationale.surveys.steer.bank import SCHEMA
from rationale.surveys.steer.published import FOLDERS, read_published

QUESTIONS = {
    "question_id": ["7_1", "7_2", "8_1"],
    "question_text": ["What is 1 + 1?", "And 2 + 2?", "Which do you prefer?"],
    "explanation": ["one and one", "False", "False"],
}
OPTIONS = {
    "question_id": ["7_1", "7_1", "7_2", "7_2", "8_1", "8_1"],
    "option_id": [0, 1, 0, 1, 0, 1],
    "option_text": ["1", "2", "4", "5", "tea", "coffee"],
}
ANSWERS = {
    "question_id": ["7_1", "7_1", "7_2", "7_2"],
    "option_id": [0, 1, 0, 1],
    "correct": [False, True, True, False],
}
METADATA = {
    "question_id": ["7_1", "7_2", "8_1"],
    "domain": ["finance"] * 3,
    "difficulty_level": [1, 1, 2],
    "type": ["a", "a", "b"],
    "tags": ["first_person;asked", "", ""],
}
TABLES = {
    "questions": QUESTIONS,
    "options": OPTIONS,
    "answers": ANSWERS,
    "questions_metadata": METADATA,
}


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "add_sub"
    found.mkdir()
    for name, table in TABLES.items():
        pl.DataFrame(table).write_csv(found / f"{name}.csv")
    return found


def read(folder):
    return read_published(folder, steer.taxonomy())


def problem(folder):
    with pytest.raises(DocumentError) as caught:
        read(folder)
    return "\n".join(caught.value.problems)


def test_the_parts_of_a_question_have_its_id_and_their_number(folder):
    table = read(folder)
    assert dict(table.schema) == SCHEMA
    name = "addition-subtraction.published"
    asked = [(f"{name}.7", 1), (f"{name}.7", 2), (f"{name}.8", 1)]
    assert table.select("question_id", "part").rows() == asked


def test_questions_of_two_elements_keep_apart(folder):
    """Each published element counts its questions from the first number on."""
    other = folder.rename(folder.with_name("mult_div"))
    again = folder.with_name("add_sub")
    copytree(other, again)
    assert not set(read(other)["question_id"]) & set(read(again)["question_id"])


def test_the_chance_of_guessing_follows_from_the_options(folder):
    """Two keyed parts of two options: 1/2 · 1/2; without a key it is unknown."""
    assert read(folder)["guess_rate"].to_list() == [0.25, 0.25, None]


def test_the_key_is_the_place_of_the_right_option(folder):
    assert read(folder)["key"].to_list() == [2, 1, None]


def test_an_explanation_that_says_false_is_none(folder):
    assert read(folder)["explanation"].to_list() == ["one and one", None, None]


def test_the_element_is_ours(folder):
    table = read(folder)
    assert set(table["element"]) == {"addition-subtraction"}
    assert set(table["module"]) == {"arithmetic"}
    assert set(table["origin"]) == {"published"}


def test_parquet_says_the_same_as_csv(folder):
    from_csv = read(folder)
    for name, table in TABLES.items():
        (folder / f"{name}.csv").unlink()
        pl.DataFrame(table).write_parquet(folder / f"{name}.parquet")
    assert read(folder).equals(from_csv)


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickled_pandas_says_the_same_as_csv(folder, protocol):
    pandas = pytest.importorskip("pandas", reason="pandas writes the pickles")
    from_csv = read(folder)
    for name, table in TABLES.items():
        (folder / f"{name}.csv").unlink()
        pandas.DataFrame(table).to_pickle(folder / f"{name}.pkl", protocol=protocol)
    assert read(folder).equals(from_csv)


def test_a_pickle_that_would_run_code_is_not_loaded(folder, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "owned"), "w"))

    (folder / "answers.csv").unlink()
    (folder / "answers.pkl").write_bytes(pickle.dumps(Evil()))
    assert "open, which is no part of a table" in problem(folder)
    assert not (tmp_path / "owned").exists()


def test_a_pointer_is_not_the_data(folder):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 45655805\n"
    (folder / "options.csv").unlink()
    (folder / "options.pkl").write_text(pointer)
    said = problem(folder)
    assert "options.pkl: a pointer of Git LFS and not the data; run 'git lfs pull'" in said


def test_a_missing_table_is_named(folder):
    (folder / "answers.csv").unlink()
    assert "no table 'answers'" in problem(folder)


def test_a_folder_of_no_element_is_named(tmp_path):
    (tmp_path / "ad_sub").mkdir()
    assert "Did you mean 'add_sub'?" in problem(tmp_path / "ad_sub")


def test_missing_columns_are_named(folder):
    pl.DataFrame(METADATA).drop("tags").write_csv(folder / "questions_metadata.csv")
    assert "missing columns: tags" in problem(folder)


def test_two_right_options_are_refused(folder):
    pl.DataFrame({**ANSWERS, "correct": [True] * 4}).write_csv(folder / "answers.csv")
    assert "question 7_1 has 2 right options" in problem(folder)


def test_options_of_an_unknown_question_are_refused(folder):
    more = {"question_id": ["9_1"], "option_id": [0], "option_text": ["?"]}
    pl.concat([pl.DataFrame(OPTIONS), pl.DataFrame(more)]).write_csv(folder / "options.csv")
    assert "the question 9_1 is in no row of questions" in problem(folder)


def test_a_question_without_options_is_refused(folder):
    pl.DataFrame(OPTIONS).head(4).write_csv(folder / "options.csv")
    assert "options: nothing about question 8_1" in problem(folder)


def test_every_folder_stands_for_an_element_of_the_taxonomy():
    assert set(FOLDERS.values()) <= set(steer.taxonomy().elements)
    assert len(set(FOLDERS.values())) == len(FOLDERS)
