"""Where tables come from, whether they rest on enough replies, and whether they come out again."""

import asyncio
import csv
import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from helpers import ROOT, STEADY, planned, run, simulated, write_project
from server import LocalProvider, Response

from rationale.asking.ask import Place, Stopped
from rationale.asking.job import ask_block
from rationale.asking.prompts import Prompt, to_table
from rationale.reporting.check import check_table, explain
from rationale.reporting.provenance import (
    commit,
    files_of,
    rests_on,
    tables_of,
    versions,
    without_users,
)
from rationale.reporting.replies import SCHEMA, STATUSES, replies_of, replies_table
from rationale.respondents import priced
from rationale.respondents.offline import VARIABLE

THRESHOLDS = {
    **{"missing": 0.25, "refused": 0.25, "invalid": 0.1, "truncated": 0.02, "error": 0.02},
    "simulated": False,
}


def part(model="m", form="listed", prompts=100, study="psm", **counts):
    """What `replies_of` gives: all prompts but the counted ones are answered."""
    others = sum(counts.values())
    return {
        **{"model": model, "study": study, "form": form, "questions": prompts, "prompts": prompts},
        **{status: counts.get(status, 0) for status in STATUSES},
        **{"answered": prompts - others, "attempts": prompts},
        **{"first_asked": "2026-11-01T00:00:00Z", "last_asked": "2026-11-02T00:00:00Z"},
        **{"model_reported": ["m-1", "m-2"], "params_sent": ["{}"], "params_dropped": ["{}"]},
    }


def replies(*parts, kind="llm"):
    return replies_table(parts, {one["model"]: kind for one in parts})


def failed(*parts, kind="llm", **thresholds):
    """The causes beyond their thresholds."""
    checked = check_table(replies(*parts, kind=kind), {**THRESHOLDS, **thresholds})
    return checked.filter(~pl.col("passes"))["cause"].to_list()


# The table of replies


def test_counts_are_of_prompts_and_attempts_of_replies():
    statuses = pl.DataFrame({"question": [1, 2, 3], "status": ["answered", "refused", "answered"]})
    answers = pl.DataFrame(
        {
            "asked_at": ["2026-11-03T00:00:00Z", None, "2026-11-01T00:00:00Z", None],
            "model_reported": ["b", None, "a", "b"],
            "params_sent": ["{}"] * 4,
            "params_dropped": ["{}"] * 4,
        },
        schema_overrides={"asked_at": pl.String},
    )
    found = replies_of("psm", "m", "listed", statuses, answers)
    assert (found["questions"], found["prompts"], found["attempts"]) == (3, 3, 4)
    assert [found[status] for status in STATUSES] == [2, 1, 0, 0, 0]
    assert (found["first_asked"], found["last_asked"]) == (
        "2026-11-01T00:00:00Z",
        "2026-11-03T00:00:00Z",
    )
    assert found["model_reported"] == ["a", "b"]


def test_rows_stand_in_alphabetical_order_and_name_every_reported_version():
    table = replies(part("z"), part("a", "shuffled"), part("a", "listed"))
    assert table.select("model", "form").rows() == [
        ("a", "listed"),
        ("a", "shuffled"),
        ("z", "listed"),
    ]
    assert set(table["model_reported"]) == {"m-1; m-2"}


@pytest.mark.parametrize("kind", ["simulated", "recorded"])
def test_only_replies_of_a_provider_have_dates(kind):
    assert replies(part())["last_asked"].to_list() == ["2026-11-02T00:00:00Z"]
    assert replies(part(), kind=kind)["last_asked"].to_list() == [None]


def test_the_missing_share_of_no_prompts_is_unknown():
    assert replies(part(prompts=0))["missing_share"].to_list() == [None]
    assert replies(part(prompts=8, error=2))["missing_share"].to_list() == [0.25]


# The check


@pytest.mark.parametrize(("count", "causes"), [(24, []), (25, []), (26, ["missing", "refused"])])
def test_a_share_at_its_threshold_passes_and_one_above_fails(count, causes):
    assert failed(part(refused=count)) == causes


@pytest.mark.parametrize(
    ("cause", "most"), [("invalid", 10), ("truncated", 2), ("error", 2), ("refused", 25)]
)
def test_every_cause_has_a_threshold_of_its_own(cause, most):
    assert cause not in failed(part(**{cause: most}))
    assert cause in failed(part(**{cause: most + 1}))


def test_causes_that_pass_alone_can_be_too_many_together():
    assert failed(part(refused=20, invalid=6)) == ["missing"]


def test_simulated_respondents_are_exempt_unless_the_config_says_otherwise():
    assert failed(part(refused=90), kind="simulated") == []
    assert failed(part(refused=90), kind="simulated", simulated=True) == ["missing", "refused"]
    assert failed(part(refused=90), kind="recorded") == ["missing", "refused"]


def test_a_respondent_that_was_put_no_prompt_fails_as_missing():
    assert failed(part(prompts=0)) == ["missing"]


def test_the_message_names_model_form_share_threshold_cure_and_tables():
    checked = check_table(replies(part("gpt", "shuffled", truncated=3)), THRESHOLDS)
    said = explain(checked, {"psm": ["results/tables/rationality.csv"], "moralchoice": ["no.csv"]})
    assert "gpt, psm, shuffled: 3 of 100 truncated, 3.0 %; allowed: 2.0 % (check.truncated)" in said
    assert "Raise params.max_tokens of models.gpt and run again" in said
    assert "  results/tables/rationality.csv" in said
    assert "no.csv" not in said


def test_what_a_recorded_file_lacks_is_not_cured_by_running_again():
    checked = check_table(replies(part(error=50), kind="recorded"), THRESHOLDS)
    said = explain(checked, {})
    assert "The recorded file holds no reply to them." in said
    assert "run again: only" not in said


def test_when_nothing_fails_the_message_says_how_much_was_checked():
    checked = check_table(replies(part("a"), part("b")), THRESHOLDS)
    assert "2 respondents x forms checked" in explain(checked, {})
    nobody = check_table(replies(part(), kind="simulated"), THRESHOLDS)
    assert "0 respondents x forms checked" in explain(nobody, {})


# Provenance


def test_versions_of_what_is_not_installed_are_none(monkeypatch):
    monkeypatch.setattr("rationale.reporting.provenance.PACKAGES", ("numpy", "no-such-package"))
    found = versions()
    assert found["no-such-package"] is None
    assert list(found) == ["rationale", "python", "numpy", "no-such-package"]


def test_a_folder_without_git_has_no_commit(tmp_path):
    assert commit(tmp_path) is None


def test_a_commit_tells_whether_files_were_changed_since(tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "file").write_text("one")
    for arguments in (["init", "-q"], ["add", "file"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    clean = commit(tmp_path)
    (tmp_path / "file").write_text("two")
    assert (len(clean["commit"]), clean["changed"]) == (40, False)
    assert commit(tmp_path) == {**clean, "changed": True}


def test_users_and_passwords_in_addresses_are_left_out():
    config = {"models": {"m": {"api_base": "https://me:secret@host/v1"}}, "some": ["a@b", 1, None]}
    assert without_users(config) == {
        "models": {"m": {"api_base": "https://host/v1"}},
        "some": ["a@b", 1, None],
    }


def test_files_of_the_project_are_named_from_there(tmp_path):
    inside, home = tmp_path / "home/resources/a.yaml", tmp_path / "home"
    inside.parent.mkdir(parents=True)
    inside.write_bytes(b"a")
    outside = tmp_path / "b.yaml"
    outside.write_bytes(b"b")
    found = files_of([inside, str(outside), str(inside)], home)
    assert found == {
        "resources/a.yaml": hashlib.sha256(b"a").hexdigest(),
        str(outside): hashlib.sha256(b"b").hexdigest(),
    }


def test_a_table_rests_on_the_respondents_and_forms_that_it_names(tmp_path):
    table = replies(part("a"), part("b", refused=40), part("b", "shuffled"))
    (tmp_path / "one.csv").write_text("model,form,x\nb,listed,1\n")
    (tmp_path / "pair.csv").write_text("model_1,model_2\na,b\n")
    (tmp_path / "none.csv").write_text("x\n1\n2\n")
    found = tables_of([tmp_path / f"{name}.csv" for name in ("one", "pair", "none")], table)
    assert found["one.csv"]["rests_on"] == {
        **{"respondents": 1, "forms": 1, "questions": 100, "prompts": 100, "answered": 60}
    }
    assert found["pair.csv"]["rests_on"]["prompts"] == 300
    assert (found["none.csv"]["rows"], found["none.csv"]["rests_on"]["answered"]) == (2, 260)


def test_a_model_that_is_called_by_a_number_keeps_its_name(tmp_path):
    """Of a pair of 7 and b: the column of the first ones alone would be read as numbers."""
    table = replies(part("7", prompts=100), part("b", prompts=200), part("c", prompts=400))
    (tmp_path / "pair.csv").write_text("model_1,model_2\n7,b\n")
    found = tables_of([tmp_path / "pair.csv"], table)
    assert found["pair.csv"]["rests_on"]["prompts"] == 300


def test_power_rests_on_nobody():
    assert rests_on(pl.DataFrame(schema=SCHEMA)) == dict.fromkeys(
        ("respondents", "forms", "questions", "prompts", "answered"), 0
    )


# Offline

MODEL = {
    "llm": "openai/some",
    "api_base": "http://127.0.0.1:9/v1",
    "params": {"max_tokens": 8},
    "key_env": "RATIONALE_TEST_KEY",
    "prices": {"input": 1, "output": 1},
    "unsupported": "refuse",
    "limits": {},
}
ASKING = {
    **{"attempts": 1, "concurrency": 2, "timeout_s": 1, "tries": 1, "max_wait_s": 1},
    **{"min_free_mb": 0, "on_error": "fail"},
}


def ask_offline(folder, monkeypatch, count, **asking):
    monkeypatch.setenv(VARIABLE, "1")
    prompts = to_table([Prompt(f"r{n:03d}", (f"Say {n}.",)) for n in range(count)])
    with open(folder / "log", "w", encoding="utf-8") as log:
        made = ask_block(
            prompts,
            Place("psm", "some", "listed", "block"),
            MODEL,
            1,
            {**ASKING, **asking},
            folder / "journal",
            lambda reply, texts: None,
            log,
        )
        return asyncio.run(made)


def test_offline_a_prompt_that_the_journal_lacks_fails_the_job(tmp_path, monkeypatch):
    with pytest.raises(Stopped, match=f"no call is made while {VARIABLE} is set"):
        ask_offline(tmp_path, monkeypatch, 1)


def test_offline_recorded_errors_stay_errors_however_many(tmp_path, monkeypatch):
    made = ask_offline(tmp_path, monkeypatch, 30, on_error="record")
    assert made["status"].to_list() == ["error"] * 30
    assert list(tmp_path.rglob("*.jsonl")) == []


# The graph

MUTE = {"simulated": "refuser", "ideal": [2, 3], "share": 0.9}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of a steady respondent and one that often declines."""
    folder = tmp_path_factory.mktemp("provenance")
    write_project(folder, simulated(steady=STEADY, mute=MUTE))
    done = run(folder)
    assert done.returncode == 0, done.stdout
    return folder


def provenance(folder, study="psm"):
    return json.loads((folder / f"results/provenance/{study}.json").read_text())


def test_only_studies_that_ran_have_provenance(finished):
    made = {path.name for path in (finished / "results/provenance").iterdir()}
    assert made == {"psm.json", "profile.json"}


def test_provenance_names_the_sum_of_each_table(finished):
    tables = {**provenance(finished)["tables"], **provenance(finished, "profile")["tables"]}
    made = {path.name: path for path in (finished / "results/tables").iterdir()}
    assert set(tables) == set(made) - {"replies.csv"}
    for name, about in tables.items():
        assert about["sha256"] == hashlib.sha256(made[name].read_bytes()).hexdigest(), name


def test_provenance_holds_versions_seed_files_and_the_config_with_its_defaults(finished):
    found = provenance(finished)
    assert found["versions"]["snakemake"]
    assert found["seed"] == 7
    assert found["config"]["asking"]["timeout_s"] == 120
    assert found["config"]["models"]["steady"]["noise"] == 0.1
    survey = hashlib.sha256((finished / "small.yaml").read_bytes()).hexdigest()
    assert found["files"]["small.yaml"] == survey


def test_provenance_holds_what_the_table_of_replies_holds(finished):
    table = pl.read_csv(finished / "results/tables/replies.csv", schema_overrides=SCHEMA)
    assert provenance(finished)["replies"] == table.to_dicts()


def test_the_page_shows_where_it_comes_from(finished):
    page = (finished / "results/index.html").read_text()
    assert 'id="provenance"' in page
    assert provenance(finished)["tables"]["rationality.csv"]["sha256"][:16] in page


def test_check_passes_where_only_simulated_respondents_decline(finished):
    done = run(finished, "check")
    assert done.returncode == 0, done.stdout
    assert "Every share is within the thresholds of 'check' in the config" in done.stdout


def test_check_is_no_part_of_all(finished):
    assert "check" not in planned(finished, "--forceall").jobs


def test_check_fails_with_a_message_and_keeps_every_table(finished):
    config = simulated(steady=STEADY, mute=MUTE)
    before = (finished / "results/tables/rationality.csv").read_bytes()
    write_project(finished, {**config, "check": {"simulated": True}})
    try:
        assert planned(finished).jobs == {}
        done = run(finished, "check")
    finally:
        write_project(finished, config)
    assert done.returncode != 0
    shares = pl.read_csv(finished / "results/check.csv").filter(~pl.col("passes"))
    assert set(shares["model"]) == {"mute"}
    (refused,) = shares.filter(pl.col("cause") == "refused").iter_rows(named=True)
    said = (
        f"mute, psm, listed: {refused['count']} of 12 refused, {100 * refused['share']:.1f} %; "
        "allowed: 25.0 % (check.refused). Read the words in results/psm/mute/listed/answers/"
    )
    assert said in done.stdout
    assert "results/tables/rationality.csv" in done.stdout
    assert (finished / "results/tables/rationality.csv").read_bytes() == before


# Whole runs


def few_scenarios(folder: Path, count: int = 4) -> None:
    table = pl.read_csv(ROOT / "resources/moralchoice/scenarios.csv", infer_schema=False)
    some = table.group_by("ambiguity", maintain_order=True).head(count)
    some.write_csv(folder / "few.csv")


def both_studies(models, block_size=8):
    """A small config with both studies."""
    config = simulated(**models)
    return {
        **config,
        "studies": ["psm", "moralchoice"],
        "asking": {"block_size": block_size},
        "moralchoice": {"scenarios": "few.csv", "bootstrap": 99, "samples": {"low": 1, "high": 2}},
    }


def whims(request):
    """Replies that no one could foresee: what comes again can only come from the journal."""
    draw = random.random()
    if draw < 0.05:
        return Response("I cannot answer that.")
    if draw < 0.1:
        return Response("Well, it", finish_reason="length")
    words = request.words
    if "letter A or B" in words:
        return Response(random.choice("AB"))
    if "yes or no only" in words:
        return Response(random.choice(["yes", "no"]))
    task = priced.understand(words)
    if isinstance(task, priced.Choice):
        return Response(f"Option {random.randrange(len(task.options)) + 1}")
    if isinstance(task, priced.Rating):
        return Response("2, 3")
    return Response(random.choice([line[2:] for line in words.split("\n") if line[:2] == "- "]))


KEY = {"RATIONALE_TEST_KEY": "marked-1234567890"}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A finished run of a language model, a recorded and a simulated one; the server is gone."""
    folder = tmp_path_factory.mktemp("asked")
    few_scenarios(folder)
    with open(folder / "notes.csv", "w", newline="", encoding="utf-8") as file:
        rows = [("listed", f"r{n:03d}", f"Option {n % 3 + 1}") for n in range(1, 10)]
        csv.writer(file).writerows([("form", "prompt_id", "text"), *rows])
    with LocalProvider(whims) as provider:
        live = {**MODEL, "api_base": provider.base}
        models = {"live": live, "notes": {"recorded": "notes.csv"}, "steady": STEADY}
        write_project(folder, both_studies(models))
        done = run(folder, env=KEY)
    assert done.returncode == 0, done.stdout
    return folder


def reproduce(folder, *arguments):
    script = [sys.executable, str(ROOT / "benchmarks/reproduce.py"), "--folder", str(folder)]
    return subprocess.run(
        [*script, *arguments], capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.slow
def test_everything_comes_again_from_config_and_journal_alone(asked):
    done = reproduce(asked)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "RATIONALE_TEST_KEY" not in done.stdout
    made = [p for part in ("tables", "figures") for p in (asked / "results" / part).iterdir()]
    assert (
        f"{len(made)} of {len(made)} tables and figures are the same byte for byte" in done.stdout
    )


@pytest.mark.slow
def test_a_table_that_was_changed_is_found(asked):
    """And a stale table of another target is named, not counted."""
    tables = asked / "results/tables"
    before = (tables / "replies.csv").read_bytes()
    (tables / "replies.csv").write_bytes(before + b"\n")
    (tables / "cost.csv").write_text("stale\n")
    try:
        done = reproduce(asked)
    finally:
        (tables / "replies.csv").write_bytes(before)
        (tables / "cost.csv").unlink()
    assert done.returncode == 1, done.stdout
    found = [line.split() for line in done.stdout.splitlines()]
    assert [line[-1] for line in found if line[0] == "DIFFERENT"] == ["tables/replies.csv"]
    assert [line[-1] for line in found if line[:2] == ["left", "out"]] == ["tables/cost.csv"]


@pytest.mark.slow
def test_the_versions_that_a_provider_reports_are_told(asked):
    live = [row for row in provenance(asked)["replies"] if row["model"] == "live"]
    assert {row["model_reported"] for row in live} == {"some-2026-11-01"}
    assert all(row["first_asked"] <= row["last_asked"] for row in live)


@pytest.mark.slow
def test_no_table_or_provenance_holds_the_key(asked):
    files = [p for p in (asked / "results").rglob("*") if p.is_file()]
    assert [p for p in files if KEY["RATIONALE_TEST_KEY"].encode() in p.read_bytes()] == []


@pytest.mark.slow
def test_cores_and_block_size_change_no_table_and_no_figure(tmp_path):
    models = {
        "steady": STEADY,
        "anyhow": {"simulated": "random"},
        "mute": {**MUTE, "beliefs": {"low": 0.9, "high": 0.6}},
        "mumbler": {"simulated": "unreadable", "ideal": [4, 1], "share": 0.3},
    }
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
    found = []
    for cores, block_size in ((1, 7), (2, 80)):
        folder = tmp_path / f"cores-{cores}"
        folder.mkdir()
        few_scenarios(folder)
        write_project(folder, both_studies(models, block_size))
        done = run(folder, cores=cores, env=dict.fromkeys(threads, str(cores)))
        assert done.returncode == 0, done.stdout
        found.append(results(folder / "results"))
    assert found[0] == found[1]
    print(f"\n{len(found[0])} files are the same")


def results(folder: Path) -> dict[str, object]:
    """Every file that a reader is shown, but for the block size and what git says of the code."""
    sums = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("tables", "figures")
        for path in (folder / part).iterdir()
    }
    for path in (folder / "provenance").iterdir():
        sums[path.name] = without_what_differs(json.loads(path.read_text(encoding="utf-8")))
    page = (folder / "index.html").read_text(encoding="utf-8").splitlines()
    return {**sums, "index.html": [line for line in page if not line.startswith("commit ")]}


def without_what_differs(found: dict) -> dict:
    """Provenance without the setting that differs, and without git: code may be edited meanwhile."""
    del found["config"]["asking"]["block_size"], found["git"]
    return found
