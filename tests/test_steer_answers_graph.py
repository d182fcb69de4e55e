"""STEER through the whole graph: known abilities come out, and only what changed is asked."""

import copy

import polars as pl
import pytest
import yaml
from helpers import planned, run, write_project

KNOWN = {
    "pupil": {
        "simulated": "utility",
        "ideal": [1],
        "abilities": {
            "accuracy": {"0": 0.95, "4": 0.75, "8": 0.35},
            "forms": {"together": 0.15},
        },
    },
    "sure": {
        "simulated": "utility",
        "ideal": [1],
        "abilities": {
            "accuracy": 0.65,
            "overconfidence": 0.2,
            "bias": {"sunk-cost": 0.8, "certainty-effect": 0.7},
        },
    },
    "chance": {"simulated": "random"},
    "mute": {"simulated": "refuser", "ideal": [1], "share": 0.4},
}
ELEMENTS = {
    "addition-subtraction": "all",
    "discrete-optimum": "all",
    "expectation": "all",
    "sunk-cost": "all",
    "certainty-effect": "all",
}
RUBRIC = {"title": "Mine", "modules": ["arithmetic"], "metric": "accuracy"}
TARGETS = ("results/tables/steer.csv", "results/steer/cards/index.html")


def config(models=KNOWN, **section):
    wanted = {
        "elements": ELEMENTS,
        "per_cell": 12,
        "forms": ["plain", "together"],
        "bootstrap": 499,
        "rubrics": ["bias-human-like", "mine.yaml"],
    }
    return {
        "seed": 3,
        "studies": ["steer"],
        "models": copy.deepcopy(models),
        "steer": {**wanted, **section},
    }


def write_rubric(folder, rubric=RUBRIC):
    (folder / "mine.yaml").write_text(yaml.safe_dump(rubric), encoding="utf-8")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run; tests that change its config or rubric put it back."""
    folder = tmp_path_factory.mktemp("steer")
    write_project(folder, config())
    write_rubric(folder)
    done = run(folder, *TARGETS)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture
def changed(finished):
    """What would run after a change of the config or the rubric."""

    def change(document=None, rubric=RUBRIC):
        write_project(finished, document or config())
        write_rubric(finished, rubric)
        return planned(finished, *TARGETS)

    yield change
    write_project(finished, config())
    write_rubric(finished)


def row(folder, file, **wanted):
    """The one row of a CSV file under results/ with these cells."""
    table = pl.read_csv(folder / f"results/{file}.csv", infer_schema_length=None)
    found = table.filter(**wanted)
    assert len(found) == 1, found
    return found.row(0, named=True)


def holds(found, truth, measure=None):
    """Whether the interval, widened to 3.3 standard errors, holds the truth: a dozen intervals of
    95 % would miss once in every second seed."""
    low, high = ("low", "high") if measure is None else (f"{measure}_low", f"{measure}_high")
    middle, half = (found[low] + found[high]) / 2, (found[high] - found[low]) / 2
    return abs(truth - middle) <= 3.3 / 1.96 * half


@pytest.mark.parametrize(
    ("grade", "truth"), [("0", 0.95), ("2", 0.85), ("4", 0.75), ("5", 0.65), ("7", 0.45)]
)
def test_the_accuracy_of_each_grade_is_inside_its_interval(finished, grade, truth):
    """Accuracy is linear between the grades that are stated: 0.95 at 0, 0.75 at 4, 0.35 at 8."""
    found = row(finished, "tables/steer_parts", model="pupil", form="plain", by="grade", part=grade)
    assert holds(found, truth, "accuracy"), found


def test_overconfidence_is_the_calibration_error(finished):
    """Told 0.85 where 0.65 are right, and 0.2 more than its chance in the elements with a bias."""
    found = row(finished, "tables/steer", model="sure", form="plain")
    assert holds(found, 0.2, "ece"), found


@pytest.mark.parametrize(("element", "share"), [("sunk-cost", 0.8), ("certainty-effect", 0.7)])
def test_the_share_of_human_like_answers_is_on_the_card(finished, element, share):
    """A card's score is (a - r)/(1 - r), so that a share of 0.8 has this score at its guess rate."""
    found = row(finished, "steer/cards/sure/bias-human-like", section="element", name=element)
    guess = found["guess_rate"]
    assert holds(found, (share - guess) / (1 - guess)), found


def test_what_a_form_adds_is_inside_its_interval(finished):
    found = row(finished, "tables/steer_forms", model="pupil", form="together", by="all")
    assert holds(found, 0.15), found
    assert found["verdict"] == "better"


def test_guessing_closes_no_gap(finished):
    found = row(finished, "tables/steer", model="chance", form="plain")
    assert holds(found, 0.0, "normalised"), found
    assert holds(found, found["guess_rate"], "accuracy"), found


def test_unread_replies_are_a_column_and_no_wrong_answers(finished):
    """It refuses 0.4 of its replies; a question of two parts is lost with either of them."""
    found = row(finished, "tables/steer", model="mute", form="plain")
    assert found["answered"] < found["questions"]
    assert found["unread"] == pytest.approx(1 - found["answered"] / found["questions"])
    assert found["refused"] == found["unread"]


def test_cards_and_tables_have_the_same_numbers(finished):
    """Both resample the same stories in the same draws."""
    card = row(finished, "steer/cards/pupil/mine", section="card")
    part = row(finished, "tables/steer_parts", model="pupil", form="plain", part="arithmetic")
    assert card["score"] == pytest.approx(part["accuracy"])
    assert card["low"] == pytest.approx(part["accuracy_low"])
    assert card["high"] == pytest.approx(part["accuracy_high"])


def test_who_is_better_is_resolved(finished):
    found = row(
        finished, "tables/steer_differences", form="plain", model_1="chance", model_2="pupil"
    )
    assert found["verdict"] == "pupil"


def test_nothing_is_left_to_do(changed):
    assert changed().jobs == {}


def test_another_rubric_asks_nobody(changed):
    """Four models' cards are written anew, and the list of them; nothing else runs."""
    again = changed(rubric={**RUBRIC, "metric": "normalised"})
    assert again.jobs == {"write_report_cards": 4, "list_report_cards": 1}


def test_a_rubric_more_asks_nobody(changed):
    again = changed(config(rubrics=["bias-human-like", "mine.yaml", "whole"]))
    assert again.jobs == {"write_report_cards": 4, "list_report_cards": 1}


def test_a_model_more_runs_its_own_jobs(changed):
    more = {**KNOWN, "late": {"simulated": "position", "position": 2}}
    again = changed(config(models=more))
    assert again.jobs == {
        "ask": 2,
        "grade_steer_replies": 1,
        "tabulate_steer": 1,
        "write_report_cards": 1,
        "list_report_cards": 1,
    }


def test_a_form_more_is_asked_alone(changed):
    again = changed(config(forms=["plain", "together", "free"]))
    assert again.jobs["write_steer_prompts"] == again.jobs["ask"] / 4
    assert "write_questions" not in again.jobs


def test_examples_are_never_questions_that_are_asked(finished):
    shots = config(forms=["plain", "together", "shots-2"])
    write_project(finished, shots)
    prompts = "results/steer/prompts/shots-2/all.parquet"
    asked = "results/steer/questions/foundations.parquet"
    try:
        done = run(finished, prompts)
        assert done.returncode == 0, done.stdout
        write_project(finished, config(forms=["plain", "together", "shots-2", "shots-5"]))
        assert planned(finished, prompts).jobs == {}, "another form draws other examples"
    finally:
        write_project(finished, config())
    drawn = pl.read_parquet(finished / "results/steer/examples/foundations.parquet")
    own = pl.read_parquet(finished / asked)
    assert not set(drawn["text"]) & set(own["text"])
    beside = pl.read_parquet(finished / prompts.replace(".parquet", ".keys.parquet"))
    assert set(beside["shots"]) == {2}
