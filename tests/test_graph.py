"""The whole graph on simulated respondents: what it makes, and what it makes again."""

import copy
import json
import os
import re

import polars as pl
import pytest
from helpers import ROOT, STEADY, planned, run, simulated, write_project

MODELS = {
    "steady": STEADY,
    "anyhow": {"simulated": "random"},
    "mute": {"simulated": "refuser", "ideal": [2, 3], "share": 1},
}
AGGREGATES = {
    "tabulate_rationality": 1,
    "plot_null_ccei": 1,
    "plot_rationality": 1,
    "tabulate_utility": 1,
    "plot_utility": 1,
    "divide_psm_types": 2,
    "tabulate_similarity": 1,
    "tabulate_profile": 1,
    "plot_profile": 1,
    "write_provenance": 2,
    "write_index": 1,
    "all": 1,
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run; tests that change its config put it back."""
    folder = tmp_path_factory.mktemp("graph")
    write_project(folder, simulated(**MODELS))
    done = run(folder)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture
def changed(finished):
    """Change the config for one test."""

    def change(config):
        write_project(finished, config)
        return planned(finished)

    yield change
    write_project(finished, simulated(**MODELS))


def table(folder):
    return pl.read_csv(folder / "results/tables/rationality.csv")


def test_every_respondent_has_a_row(finished):
    assert sorted(table(finished)["model"]) == ["anyhow", "mute", "steady"]


def test_the_table_has_the_promised_columns(finished):
    promised = "model form respondent ccei p_value stars p_plus p_low p_high p_holm p_bh rounds"
    assert set(promised.split()) <= set(table(finished).columns)


def test_simulated_rows_say_so(finished):
    assert set(table(finished)["respondent"]) == {"simulated"}


def test_a_respondent_that_never_answers_stays_in_the_table_without_numbers(finished):
    (row,) = table(finished).filter(pl.col("model") == "mute").iter_rows(named=True)
    assert (row["ccei"], row["p_value"], row["rounds"], row["refused"]) == (None, None, 0, 12)
    assert row["opening"] == "refused"


def test_choices_have_a_row_for_every_round(finished):
    choices = pl.read_parquet(finished / "results/psm/mute/listed/choices.parquet")
    assert choices["round"].to_list() == list(range(13))
    assert set(choices["status"]) == {"refused"}
    assert set(choices["attempts"]) == {3}


def test_files_have_the_promised_columns(finished):
    here = finished / "results/psm/steady/listed"
    promised = {
        "prompts/opening.parquet": "prompt_id turns system sample",
        "prompts/r001-r008.parquet": "prompt_id turns system sample",
        "answers/r009-r012.parquet": "prompt_id sample attempt status text finish_reason logprobs "
        "model_reported params_sent params_dropped prompt_tokens completion_tokens "
        "reasoning_tokens cost_usd latency_s asked_at call_key",
        "rounds.parquet": "round corner prices flipped budget options",
        "choices.parquet": "round option answer status attempts",
        "null_ccei.parquet": "ccei",
    }
    tables = {
        "utility.csv": "model form estimator a_one b_one se_a_one noise loss",
        "similarity.csv": "model_1 model_2 similarity low high draws",
        "networks.csv": "alpha model degree component isolated",
        "rationality.csv": "ceiling p_position",
    }
    for file, columns in tables.items():
        assert set(columns.split()) <= set(pl.read_csv(finished / "results/tables" / file).columns)
    for file, columns in promised.items():
        assert set(columns.split()) <= set(pl.read_parquet_schema(here / file)), file


def test_the_chosen_answer_is_the_option_of_that_number(finished):
    here = finished / "results/psm/anyhow/listed"
    rounds = pl.read_parquet(here / "rounds.parquet")
    choices = pl.read_parquet(here / "choices.parquet").filter(pl.col("round") > 0)
    listed = dict(zip(rounds["round"], rounds["options"].to_list(), strict=True))
    for row in choices.iter_rows(named=True):
        assert row["answer"] == listed[row["round"]][row["option"] - 1]


def test_latex_and_page_and_figures_are_there(finished):
    results = finished / "results"
    assert r"\toprule" in (results / "tables/rationality.tex").read_text()
    page = (results / "index.html").read_text()
    for source in re.findall(r'(?:src|href)="([^"]+)"', page):
        inside = f'id="{source[1:]}"' in page
        assert inside if source.startswith("#") else (results / source.split("#")[0]).exists(), (
            source
        )


def test_a_finished_run_has_nothing_to_do(finished):
    assert planned(finished).jobs == {}


def test_adding_a_model_runs_its_jobs_and_the_aggregates_only(changed):
    plan = changed(simulated(**MODELS, third={"simulated": "position"}))
    assert plan.jobs == {
        "write_psm_opening": 1,
        "ask": 3,
        "draw_psm_rounds": 1,
        "write_psm_prompts": 1,
        "read_psm_choices": 1,
        "test_psm_rationality": 1,
        "estimate_psm_utility": 1,
        "tabulate_replies": 1,
        "write_explorer": 1,
        **AGGREGATES,
    }
    assert not [m for m in plan.messages if "steady" in m or "anyhow" in m or "mute" in m]


def test_editing_a_label_runs_nothing(changed):
    models = copy.deepcopy(MODELS)
    models["steady"]["label"] = "The steady one"
    assert changed(simulated(**models)).jobs == {}


def test_changing_how_a_model_is_asked_but_not_what_runs_nothing(changed):
    config = simulated(**MODELS)
    config["asking"] |= {"concurrency": 2, "timeout_s": 5, "tries": 2}
    assert changed(config).jobs == {}


def test_changing_one_respondent_runs_its_jobs_only(changed):
    models = copy.deepcopy(MODELS)
    models["steady"]["noise"] = 0.5
    plan = changed(simulated(**models))
    assert plan.jobs["ask"] == 3
    assert not [m for m in plan.messages if "anyhow" in m or "mute" in m]


def test_reordering_models_runs_nothing(changed):
    assert changed(simulated(**dict(reversed(MODELS.items())))).jobs == {}


def test_more_draws_run_tests_and_no_ask(changed):
    config = simulated(**MODELS)
    config["psm"]["null_draws"] = 150
    plan = changed(config)
    assert plan.jobs == {"test_psm_rationality": 3, **AGGREGATES}


def test_touching_every_source_asks_nobody(finished):
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("workflow/**/*.*"), finished / "small.yaml"]:
        os.utime(path)
    assert planned(finished).jobs == {}


@pytest.mark.slow
def test_forceall_makes_the_same_tables_and_no_call(finished):
    before = (finished / "results/tables/rationality.csv").read_bytes()
    journal = sorted((finished / "results/journal").rglob("*.jsonl"))
    assert run(finished, "--forceall").returncode == 0
    assert (finished / "results/tables/rationality.csv").read_bytes() == before
    assert sorted((finished / "results/journal").rglob("*.jsonl")) == journal


@pytest.mark.slow
def test_another_block_size_makes_no_call_and_the_same_choices(finished):
    config = simulated(**MODELS)
    config["asking"]["block_size"] = 1
    before = pl.read_parquet(finished / "results/psm/steady/listed/choices.parquet")
    journal = sorted((finished / "results/journal").rglob("*.jsonl"))
    write_project(finished, config)
    try:
        target = "results/psm/steady/listed/choices.parquet"
        done = run(finished, target)
        assert done.returncode == 0, done.stdout
        assert pl.read_parquet(finished / target).equals(before)
        assert sorted((finished / "results/journal").rglob("*.jsonl")) == journal
    finally:
        write_project(finished, simulated(**MODELS))
        assert run(finished).returncode == 0


def test_the_report_is_written_offline(finished):
    done = run(finished, "--report", "results/report.html")
    assert done.returncode == 0, done.stdout
    report = (finished / "results/report.html").read_text()
    assert "Rationality test" in report
    assert "CCEI against random choice" in report


@pytest.mark.slow
def test_forms_share_their_options_and_repeat_asks_again(tmp_path):
    config = simulated(steady={**STEADY, "noise": 1})
    config["psm"]["forms"] = ["listed", "shuffled", "repeat", "reworded"]
    write_project(tmp_path, config)
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    here = tmp_path / "results/psm/steady"
    options = {
        form: pl.read_parquet(here / form / "rounds.parquet")["options"].to_list()
        for form in config["psm"]["forms"]
    }
    assert options["repeat"] == options["listed"] == options["reworded"]
    assert options["shuffled"] != options["listed"]
    assert [sorted(o) for o in options["shuffled"]] == [sorted(o) for o in options["listed"]]
    chosen = [
        pl.read_parquet(here / form / "choices.parquet")["answer"].to_list()
        for form in ("listed", "repeat")
    ]
    assert chosen[0] != chosen[1]
    assert len(table(tmp_path)) == 4
    compared = pl.read_csv(tmp_path / "results/tables/forms.csv")
    assert compared["rounds"].to_list() == [12] * 6
    (retest,) = compared.filter(
        (pl.col("form_1") == "listed") & (pl.col("form_2") == "repeat")
    ).iter_rows(named=True)
    same = sum(a == b for a, b in zip(*(one[1:] for one in chosen), strict=True))
    assert retest["share"] == pytest.approx(same / 12)


@pytest.mark.slow
def test_nobody_passing_is_a_labelled_result_and_the_run_stays_green(tmp_path):
    write_project(tmp_path, simulated(mute=MODELS["mute"], anyhow={"simulated": "position"}))
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    (row,) = pl.read_csv(tmp_path / "results/tables/similarity.csv").iter_rows(named=True)
    assert row["status"] == "fewer than two models"
    assert (row["model_1"], row["similarity"], row["draws"]) == (None, None, 0)
    assert "No types: fewer than two models" in (tmp_path / "results/index.html").read_text()


@pytest.mark.slow
def test_indices_and_power_are_targets_of_their_own(finished):
    config = simulated(**MODELS)
    config["psm"]["power"] = {
        "noises": [0],
        "rounds": [8],
        "options": [4],
        "replicates": 4,
        "draws": 99,
    }
    write_project(finished, config)
    try:
        done = run(finished, "indices", "power")
        assert done.returncode == 0, done.stdout
        indices = pl.read_csv(finished / "results/tables/indices.csv")
        assert indices["model"].to_list() == ["anyhow", "mute", "steady"]
        assert indices.filter(pl.col("model") == "anyhow")["all_exact"].to_list() == [True]
        power = pl.read_csv(finished / "results/tables/power.csv")
        assert len(power) == 6
        assert (finished / "results/figures/power.svg").exists()
    finally:
        write_project(finished, simulated(**MODELS))


def test_the_test_of_a_respondent_names_the_cycle_that_sets_its_ccei(finished):
    test = json.loads((finished / "results/psm/anyhow/listed/rationality.json").read_text())
    assert test["ccei"] < 1
    assert max(step["ratio"] for step in test["critical_cycle"]) == test["ccei"]
    assert len({step["round"] for step in test["critical_cycle"]}) == len(test["critical_cycle"])
