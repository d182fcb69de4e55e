"""Bad input ends before any job, with a message that names the place and the cure."""

import copy

import pytest
from helpers import SMALL_SURVEY, STEADY, run, simulated, write_project


def refused(folder, config=None, survey=SMALL_SURVEY):
    """What a dry run says of a config that cannot be used."""
    write_project(folder, config or simulated(steady=STEADY), survey)
    done = run(folder, "--dry-run")
    assert done.returncode != 0
    assert "Traceback" not in done.stdout
    assert not (folder / "results").exists()
    return done.stdout


def test_an_unknown_key_is_named_with_the_nearest_valid_one(tmp_path):
    config = simulated(steady=STEADY)
    config["asking"]["atempts"] = 2
    said = refused(tmp_path, config)
    assert "config.yaml: asking: unknown key 'atempts'" in said
    assert "Did you mean 'attempts'?" in said


def test_an_unknown_slug_in_a_target_is_an_error(tmp_path):
    write_project(tmp_path, simulated(steady=STEADY))
    done = run(tmp_path, "--dry-run", "results/psm/nobody/listed/choices.parquet")
    assert done.returncode != 0


def test_two_models_with_one_slug_are_an_error_and_not_the_last_one(tmp_path):
    write_project(tmp_path, simulated(steady=STEADY))
    text = (tmp_path / "config.yaml").read_text()
    twice = text.replace("models:\n", "models:\n  steady: {simulated: random}\n")
    (tmp_path / "config.yaml").write_text(twice)
    done = run(tmp_path, "--dry-run")
    assert done.returncode != 0
    assert "the key 'steady' stands twice" in done.stdout


def test_a_budget_no_answer_can_meet_names_the_nearest_that_fits(tmp_path):
    survey = {**copy.deepcopy(SMALL_SURVEY), "budget": 4.5}
    said = refused(tmp_path, survey=survey)
    assert "small.yaml: budget: found 4.5" in said
    assert "The nearest that fits every price vector is 4." in said


def test_a_malformed_scale_is_named(tmp_path):
    survey = copy.deepcopy(SMALL_SURVEY)
    survey["scale"]["high"] = "five"
    assert 'small.yaml: scale.high: found "five"' in refused(tmp_path, survey=survey)


def test_a_recorded_file_that_lacks_columns_is_named(tmp_path):
    (tmp_path / "old.csv").write_text("prompt_id,reply\nr001,Option 1\n")
    said = refused(tmp_path, simulated(old={"recorded": "old.csv"}))
    assert "models.old: old.csv: the columns form, text are missing" in said


def test_a_recorded_file_that_has_no_study_of_the_config_is_named(tmp_path):
    (tmp_path / "old.csv").write_text("study,form,prompt_id,text\nsteer,plain,bayes.4.x.0001,A\n")
    said = refused(tmp_path, simulated(old={"recorded": "old.csv"}))
    assert "models.old: old.csv: found replies to steer alone; allowed: psm" in said


def test_ideals_that_do_not_fit_the_survey_are_named(tmp_path):
    said = refused(tmp_path, simulated(steady={**STEADY, "ideal": [1, 2, 3]}))
    assert "models.steady.ideal: found 3 numbers; allowed: 2" in said


def test_all_problems_are_told_at_once(tmp_path):
    config = simulated(steady={**STEADY, "noise": -1}, other={"simulatd": "random"})
    config["psm"]["options"] = 1
    said = refused(tmp_path, config)
    assert "models.steady.noise" in said
    assert "Did you mean 'simulated'?" in said
    assert "psm.options" in said


@pytest.mark.parametrize("form", ["listd", "reworded"])
def test_a_form_that_cannot_be_put_is_named(tmp_path, form):
    config = simulated(steady=STEADY)
    config["psm"]["forms"] = [form]
    survey = copy.deepcopy(SMALL_SURVEY)
    del survey["statements"][1]["reworded"]
    assert f"psm.forms: {form}:" in refused(tmp_path, config, survey)


def test_a_journal_line_changed_by_hand_stops_the_run_and_loses_nothing(tmp_path):
    write_project(tmp_path, simulated(steady=STEADY))
    target = "results/psm/steady/listed/answers/opening.parquet"
    assert run(tmp_path, target).returncode == 0
    (path,) = (tmp_path / "results/journal/steady").glob("*.jsonl")
    changed = path.read_text().replace('"text":"', '"text":"9')
    path.write_text(changed)
    done = run(tmp_path, "--forceall", target)
    assert done.returncode != 0
    assert "line 1: changed after it was written" in done.stdout
    assert path.read_text() == changed
