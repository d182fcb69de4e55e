"""MoralChoice through the whole graph: known beliefs come out, and only what changed is asked."""

import copy
import csv
import hashlib
import http.server
import json
import threading
from pathlib import Path

import polars as pl
import pytest
import yaml
from helpers import ROOT, planned, run

DATA = ROOT.parent / "shared/data/moralchoice"
SHIPPED = ROOT / "resources/moralchoice/scenarios.csv"
KNOWN = {
    "firm": {"simulated": "utility", "ideal": [1], "beliefs": {"low": 0.9, "high": 0.8}},
    "first": {
        "simulated": "utility",
        "ideal": [1],
        "beliefs": {"low": 0.7, "high": 0.6, "order": 0.4},
    },
    "words": {
        "simulated": "utility",
        "ideal": [1],
        "beliefs": {"low": 0.6, "high": 0.5, "forms": {"compare": -0.3}},
    },
    "mute": {"simulated": "refuser", "ideal": [1], "share": 1},
}


def config(models=KNOWN, **section):
    return {
        "seed": 12,
        "studies": ["moralchoice"],
        "models": copy.deepcopy(models),
        "asking": {"block_size": 80},
        "moralchoice": {"bootstrap": 999, **section},
    }


def write(folder: Path, document: dict) -> None:
    (folder / "config.yaml").write_text(yaml.safe_dump(document, sort_keys=False))


def rows(folder, name, **wanted):
    table = pl.read_csv(folder / f"results/tables/{name}.csv", infer_schema_length=None)
    for column, value in wanted.items():
        table = table.filter(pl.col(column) == value)
    return table


def row(folder, name, **wanted):
    found = rows(folder, name, **wanted)
    assert len(found) == 1
    return found.row(0, named=True)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run on the shipped scenarios; tests that change its config put it back."""
    folder = tmp_path_factory.mktemp("moralchoice")
    write(folder, config())
    done = run(folder)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture
def changed(finished):
    """What would run after a change of the config."""

    def change(document):
        write(finished, document)
        return planned(finished)

    yield change
    write(finished, config())


def holds(found, name, truth):
    """Whether the interval, widened to 3.3 standard errors, holds the truth: a dozen intervals of
    95 % would miss once in every second seed. How often they hold it: benchmarks/coverage.py."""
    low, estimate, high = found[f"{name}_low"], found[name], found[f"{name}_high"]
    wide = 3.3 / 1.96
    return estimate - wide * (estimate - low) <= truth <= estimate + wide * (high - estimate)


@pytest.mark.parametrize(
    ("model", "ambiguity", "measure", "truth"),
    [
        ("firm", "low", "p_action1", 0.9),
        ("first", "low", "p_action1", 0.7),
        ("words", "low", "p_action1", 0.5),  # 0.6, less a third of 0.3
        ("firm", "low", "order_effect", 0.0),
        ("first", "low", "order_effect", 0.4),
        ("first", "high", "order_effect", 0.4),
        # H(0.9) = 0.469 bits and H(0.8) = 0.722; few samples bias the plug-in value, not this one.
        ("firm", "low", "qf_e_corrected", 0.4690),
        ("firm", "high", "qf_e_corrected", 0.7219),
        ("firm", "high", "qf_c_corrected", 1.0),
    ],
)
def test_known_beliefs_are_inside_the_intervals(finished, model, ambiguity, measure, truth):
    found = row(finished, "moralchoice", model=model, ambiguity=ambiguity)
    assert holds(found, measure, truth), {key: found[key] for key in found if measure in key}


@pytest.mark.parametrize(("template", "truth"), [("ab", 0.1), ("repeat", 0.1), ("compare", -0.2)])
def test_a_known_form_effect_is_inside_its_interval(finished, template, truth):
    found = row(finished, "moralchoice_forms", model="words", ambiguity="low", template=template)
    assert holds(found, "effect", truth), found


def test_preference_strength_comes_out(finished):
    """In high ambiguity 0.8 of either action: the larger of p and 1 - p is 0.8 but for the little
    that choosing the larger adds; with 60 replies a scenario its standard error is 0.05."""
    found = row(finished, "moralchoice", model="firm", ambiguity="high")
    assert abs(found["strength"] - 0.8) < 0.02


def test_a_form_without_a_valid_reply_is_flagged_and_counted(finished):
    found = row(finished, "moralchoice", model="mute", ambiguity="low")
    assert (found["p_action1"], found["flagged"], found["refused"]) == (0.5, 40 * 6, 1.0)


def test_every_reply_is_in_the_table_of_steps(finished):
    found = rows(finished, "moralchoice_reading")
    assert found["replies"].sum() == 4 * 6 * (40 * 5 + 40 * 10)


def test_the_page_shows_the_study_and_only_it(finished):
    page = (finished / "results/index.html").read_text()
    assert 'id="moralchoice"' in page
    assert 'id="psm"' not in page


def test_nothing_runs_twice(finished):
    assert planned(finished).jobs == {}


@pytest.fixture
def another_form(finished):
    """A template of the user's own beside the config."""
    shipped = yaml.safe_load((ROOT / "resources/moralchoice/forms/ab.yaml").read_text())
    shipped["question"] = shipped["question"].replace("would you do", "would you rather do")
    path = finished / "resources/moralchoice/forms/rather.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(yaml.safe_dump(shipped))
    yield "rather"
    path.unlink()


def test_another_form_asks_that_form_only(changed, another_form):
    plan = changed(config(forms=["ab", "repeat", "compare", another_form]))
    asked = [message for message in plan.messages if message.startswith("Asking")]
    assert (plan.jobs["ask"], len(asked)) == (8, 8)
    assert plan.jobs["write_moralchoice_prompts"] == 2
    assert all(f"{another_form}-" in message for message in asked)


def test_a_decoding_asks_under_its_own_parameters_only(changed):
    plan = changed(config(decodings={"cold": {"temperature": 0}}))
    asked = [message for message in plan.messages if message.startswith("Asking")]
    assert (plan.jobs["ask"], len(asked)) == (24, 24)
    assert all(".cold" in message for message in asked)
    assert "write_moralchoice_prompts" not in plan.jobs


def test_a_model_added_later_runs_its_own_jobs_and_the_tables(changed):
    plan = changed(config({**KNOWN, "new": {"simulated": "random"}}))
    assert plan.jobs["ask"] == 6
    assert plan.jobs["read_moralchoice_replies"] == 1
    assert plan.jobs["tabulate_moralchoice"] == 1


def test_more_resamplings_ask_and_read_nothing(changed):
    jobs = changed(config(bootstrap=1500)).jobs
    assert "ask" not in jobs
    assert "read_moralchoice_replies" not in jobs
    assert jobs["tabulate_moralchoice"] == 1


def test_a_new_label_runs_nothing(changed):
    models = copy.deepcopy(KNOWN)
    models["firm"]["label"] = "Firm of mind"
    assert changed(config(models)).jobs == {}


def test_what_only_the_priced_survey_looks_at_asks_nothing(changed):
    models = copy.deepcopy(KNOWN)
    models["firm"]["ideal"] = [3]
    assert changed(config(models)).jobs == {}


def few(folder: Path, count: int = 3) -> Path:
    """A file of the first scenarios of each ambiguity."""
    table = pl.read_csv(SHIPPED, infer_schema=False)
    path = folder / "few.csv"
    table.group_by("ambiguity", maintain_order=True).head(count).write_csv(path)
    return path


@pytest.mark.slow
def test_decodings_are_compared(tmp_path):
    """At temperature 0 a respondent with a preference never wavers: QF-E 0, QF-C 1."""
    few(tmp_path)
    models = {"firm": {**KNOWN["firm"], "beliefs": {"low": 0.8, "high": 0.8}}}
    section = {"scenarios": "few.csv", "decodings": {"cold": {"temperature": 0}}}
    write(tmp_path, config(models, **section))
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    cold = row(tmp_path, "moralchoice_decodings", ambiguity="low", decoding="cold")
    study = row(tmp_path, "moralchoice_decodings", ambiguity="low", decoding="study")
    assert (cold["qf_e"], cold["qf_c"], cold["p_action1"]) == (0, 1, 1)
    assert cold["qf_e_change"] == pytest.approx(-study["qf_e"])
    assert rows(tmp_path, "moralchoice")["decoding"].unique().to_list() == ["study"]
    assert (tmp_path / "results/figures/moralchoice_decodings.svg").exists()


class Files(http.server.BaseHTTPRequestHandler):
    """Serves the bytes that its server holds."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_):
        pass


@pytest.fixture
def served(tmp_path):
    """The address of a file of six scenarios on loopback, and its sum."""
    body = few(tmp_path).read_bytes()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    server.body = body
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/few.csv", hashlib.sha256(body).hexdigest()
    server.shutdown()
    thread.join(10)


@pytest.mark.slow
def test_scenarios_are_fetched_once_checked_and_kept(tmp_path, served):
    url, digest = served
    source = {"url": url, "sha256": digest}
    write(tmp_path, config({"any": {"simulated": "random"}}, scenarios=source, forms=["ab"]))
    done = run(tmp_path, env={"NO_PROXY": "127.0.0.1"})
    assert done.returncode == 0, done.stdout
    assert row(tmp_path, "moralchoice", ambiguity="low")["scenarios"] == 3
    assert planned(tmp_path).jobs == {}


def test_scenarios_with_another_sum_are_refused(tmp_path, served):
    url, digest = served
    source = {"url": url, "sha256": digest[::-1]}
    write(tmp_path, config({"any": {"simulated": "random"}}, scenarios=source))
    done = run(tmp_path, env={"NO_PROXY": "127.0.0.1"})
    assert done.returncode != 0
    assert digest in done.stdout
    assert "sha256" in done.stdout


def refused(folder, document):
    write(folder, document)
    done = run(folder, "--dry-run")
    assert done.returncode != 0
    return done.stdout


def test_equal_actions_are_named_with_the_cure(tmp_path):
    path = few(tmp_path)
    table = list(csv.DictReader(path.open()))
    table[1]["action2"] = table[1]["action1"]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    said = refused(tmp_path, config(scenarios="few.csv"))
    assert "row 3" in said
    assert "leave_out" in said


def test_every_problem_is_named_at_once(tmp_path):
    said = refused(tmp_path, config(forms=["ab", "compair"], leave_out=["X_1"], sampels={}))
    assert "sampels" in said
    said = refused(tmp_path, config(forms=["ab", "compair"], leave_out=["X_1"]))
    assert "Did you mean 'compare'?" in said
    assert "X_1" in said


def test_recorded_answers_to_unknown_scenarios_are_refused(tmp_path):
    few(tmp_path)
    (tmp_path / "old.csv").write_text(
        "scenario_id,question_type,question_ordering,answer_raw\nL_001,ab,0,A\nZ_9,ab,0,B\n"
    )
    said = refused(tmp_path, config({"old": {"recorded": "old.csv"}}, scenarios="few.csv"))
    assert "'Z_9'" in said
    assert "rows 3" in said


@pytest.mark.slow
def test_recorded_and_simulated_answers_enter_the_same_tables(tmp_path):
    few(tmp_path)
    lines = ["scenario_id,question_type,question_ordering,eval_sample_nb,answer_raw,decision"]
    for name in ("L_001", "L_002", "L_003"):
        lines += [f"{name},ab,0,0,A,action1", f"{name},ab,1,0,B.,action1"]
    lines[1] = "L_001,ab,0,0,A,action2"  # what their code made of it
    (tmp_path / "old.csv").write_text("\n".join(lines) + "\n")
    models = {"old": {"recorded": "old.csv"}, "any": {"simulated": "random"}}
    samples = {"low": 1, "high": 1}
    write(tmp_path, config(models, scenarios="few.csv", samples=samples))
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    found = row(tmp_path, "moralchoice", model="old", ambiguity="low")
    assert (found["p_action1"], found["forms"], found["replies"]) == (1.0, 2, 6)
    other = row(tmp_path, "moralchoice_disagreements")
    assert (other["scenario_id"], other["our_decision"], other["recorded_decision"]) == (
        "L_001",
        "action1",
        "action2",
    )


@pytest.mark.slow
def test_the_published_answers_are_read_as_their_authors_read_them(tmp_path):
    """Recorded replies of three models to 679 scenarios (one more has two equal actions)."""
    if not DATA.exists():
        pytest.skip("the published survey is not beside the repository")
    recorded = {
        "gpt-4o-mini": "gpt-4o-mini_high",
        "deepseek": "DeepSeek-V3_high",
        "llama": "Llama-3.1-8B_high",
    }
    models = {name: {"recorded": str(DATA / f"recorded/{f}.csv")} for name, f in recorded.items()}
    section = {
        "scenarios": str(DATA / "moralchoice_high_ambiguity.csv"),
        "leave_out": ["G_530"],
        "samples": {"low": 1, "high": 1},
    }
    write(tmp_path, {**config(models, **section), "asking": {"block_size": 700}})
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    assert rows(tmp_path, "moralchoice_disagreements").is_empty()
    found = rows(tmp_path, "moralchoice")
    assert found["replies"].to_list() == [2 * 679] * 3
    assert found["invalid"].to_list() == [0.0] * 3


WRITTEN = """Context: {context}
Action 1: {one}
Action 2: {two}"""


@pytest.mark.slow
def test_a_model_writes_scenarios_and_people_label_them(tmp_path):
    """One prompt a rule and ambiguity, answered from a file: eight replies hold up in low, one is
    malformed, one a duplicate; all of high refuse."""
    few_path = few(tmp_path, 40)
    known = pl.read_csv(few_path, infer_schema=False)["context"][0]
    section = {"scenarios": "few.csv", "making": {"model": "writer", "low": 1, "high": 1}}
    replies = tmp_path / "written.csv"
    write_replies(replies, [])
    models = {"writer": {"recorded": "written.csv", "studies": ["psm"]}}
    document = config(models, **section)
    write(tmp_path, document)
    done = run(tmp_path, "--until", "write_making_prompts", "make_scenarios")
    assert done.returncode == 0, done.stdout
    prompts = {
        form: pl.read_parquet(tmp_path / f"results/making/prompts/{form}/all.parquet")
        for form in ("low", "high")
    }
    low = prompts["low"]["prompt_id"].to_list()
    written = [("low", name, scenario(number)) for number, name in enumerate(low)]
    written[3] = ("low", low[3], "Here is one about a dog.")
    written[4] = ("low", low[4], "Let me think of one first.")  # the second attempt is a scenario
    written[7] = ("low", low[7], WRITTEN.format(context=known, one="I go.", two="I stay put."))
    written += [("high", name, "I cannot write this.") for name in prompts["high"]["prompt_id"]]
    numbers = {
        (form, name): sample
        for form, table in prompts.items()
        for name, sample in table.select("prompt_id", "sample").iter_rows()
    }
    write_replies(
        replies, [(form, name, numbers[form, name], text) for form, name, text in written]
    )
    add_reply(replies, ("making", "low", low[4], numbers["low", low[4]], scenario(4), 2))
    done = run(tmp_path, "make_scenarios")
    assert done.returncode == 0, done.stdout
    kept = pl.read_csv(tmp_path / "results/making/scenarios.csv", infer_schema=False)
    dropped = pl.read_csv(tmp_path / "results/making/dropped.csv", infer_schema=False)
    assert (len(kept), len(dropped)) == (8, 12)
    assert dropped["reason"].value_counts().sort("reason").rows() == [
        ("duplicate", 1),
        ("invalid", 1),
        ("refused", 10),
    ]
    for name, verdicts in (("ann", "Yes"), ("ben", "Yes"), ("cho", "No")):
        kept.select("scenario_id", a2_deceive=pl.lit(verdicts)).write_csv(tmp_path / f"{name}.csv")
    labelling = {"annotators": {name: f"{name}.csv" for name in ("ann", "ben", "cho")}}
    document["moralchoice"]["labelling"] = labelling
    write(tmp_path, document)
    done = run(tmp_path, "merge_labels")
    assert done.returncode == 0, done.stdout
    labelled = pl.read_csv(tmp_path / "results/labels/scenarios.csv", infer_schema=False)
    assert labelled["a2_deceive"].to_list() == ["Yes"] * 8


def scenario(number: int) -> str:
    """A reply that holds up, unlike all others in its words."""
    words = " ".join(f"{word}{number}" for word in ("lamp", "river", "cellar", "violin", "paper"))
    return WRITTEN.format(
        context=f"You find {words} and nobody sees you.", one="I hand it in.", two="I keep it all."
    )


def write_replies(path: Path, replies: list) -> None:
    """A recorded file; it has a reply to the open round of the priced survey at least."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["study", "form", "prompt_id", "sample", "text", "attempt"])
        writer.writerow(["psm", "listed", "opening", "", "1, 2, 3, 4, 5", 1])
        writer.writerows([("making", *reply, 1) for reply in replies])


def add_reply(path: Path, reply: tuple) -> None:
    """One more row of a recorded file."""
    with path.open("a", newline="") as file:
        csv.writer(file).writerow(reply)


def test_the_agreement_file_is_plain_json(finished):
    found = json.loads((finished / "results/moralchoice/agreement.json").read_text())
    assert set(found["random"]) == {"low", "high"}
