"""STEER's question bank through the whole graph: drawn, reviewed, retold."""

import json
import re

import polars as pl
import pytest
import steer
from helpers import planned, run, write_project
from server import LocalProvider, Response

from rationale.schema import DocumentError, check, read_schema
from rationale.surveys.steer.bank import draw_questions, question_table
from rationale.surveys.steer.check import check_steer
from rationale.surveys.steer.review import fingerprints

MODELS = {"any": {"simulated": "random"}}


def config(section, models=MODELS):
    return {"seed": 7, "models": models, "steer": section}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Two elements in one domain, with a page to review."""
    folder = tmp_path_factory.mktemp("steer")
    section = {
        "elements": {"sunk-cost": [4, 5], "addition-subtraction": "all"},
        "domains": ["finance"],
        "per_cell": 6,
    }
    write_project(folder, config(section))
    done = run(folder, "questions", "review")
    assert done.returncode == 0, done.stdout
    return folder, section


def test_only_what_is_asked_for_is_drawn(drawn):
    folder, _ = drawn
    table = pl.read_csv(folder / "results/tables/questions.csv")
    assert set(table.select("element", "grade").rows()) == {
        ("sunk-cost", 4),
        ("sunk-cost", 5),
        *(("addition-subtraction", grade) for grade in (0, 1, 2)),
    }
    assert set(table["questions"]) == {6}
    assert set(table["domain"]) == {"finance"}


def test_the_files_hold_what_a_draw_in_process_gives(drawn):
    folder, _ = drawn
    table = pl.read_parquet(folder / "results/steer/questions/single-agent.parquet")
    element = steer.taxonomy().elements["sunk-cost"]
    again = draw_questions(
        element, steer.stories("sunk-cost"), seed=7, per_cell=6, grades=[4, 5], domains=["finance"]
    )
    assert table.equals(question_table(again))


def test_nothing_is_left_to_do(drawn):
    folder, section = drawn
    write_project(folder, config(section))
    assert planned(folder, "questions", "review").jobs == {}


def test_another_element_draws_its_setting_only(drawn):
    folder, section = drawn
    more = {**section, "elements": {**section["elements"], "sunk-cost": [4]}}
    write_project(folder, config(more))
    jobs = planned(folder, "questions").jobs
    assert jobs == {"write_questions": 1, "tabulate_questions": 1, "questions": 1}


def test_reviewers_files_become_a_table(drawn):
    folder, section = drawn
    marks = fingerprints(pl.read_parquet(folder / "results/steer/review/sample.parquet"))
    rows = [
        {"question_id": name, "fingerprint": mark, "verdict": "accept"}
        for name, mark in marks.items()
    ]
    rows[0].update(verdict="reject", reason="the sum is odd")
    (folder / "ana.json").write_text(json.dumps({"reviewer": "Ana", "judgements": rows}))
    write_project(folder, config({**section, "review": {"files": {"ana": "ana.json"}}}))
    done = run(folder, "validity")
    assert done.returncode == 0, done.stdout
    total = pl.read_csv(folder / "results/tables/validity.csv").row(0, named=True)
    assert (total["reviewed"], total["accepted"]) == (len(marks), len(marks) - 1)
    assert pl.read_csv(folder / "results/tables/rejected.csv")["reason"][0] == "the sum is odd"


def storyteller(request):
    """Retells well, but makes billions of the millions of one story."""
    start = re.search(r"^\[\w+\]$", request.words, re.MULTILINE).start()
    texts = request.words[start:]
    told = re.sub(r"^(\[\w+\]\n)", r"\1So: ", texts, flags=re.MULTILINE)
    changed = "the building of {site}" in told
    return Response(told.replace("million", "billion") if changed else told)


@pytest.mark.slow
def test_a_model_retells_stories_and_questions_are_drawn_from_them(tmp_path):
    with LocalProvider(storyteller) as provider:
        models = {
            "teller": {"llm": "openai/teller", "api_base": provider.base, "key_env": "TELLER_KEY"}
        }
        section = {
            "elements": ["sunk-cost"],
            "storyteller": {"model": "teller", "number": 1},
            "per_cell": 30,
        }
        write_project(tmp_path, config(section, models))
        done = run(
            tmp_path, "retell", env={"TELLER_KEY": "key-of-the-teller", "NO_PROXY": "127.0.0.1"}
        )
        assert done.returncode == 0, done.stdout
        assert len(provider.requests) == len(steer.stories("sunk-cost"))
    folder = "results/retelling/teller/single-agent"
    dropped = pl.read_csv(tmp_path / folder / "dropped.csv")
    assert set(dropped["template"]) == {"finance-warehouse"}
    assert "the number 'billion' stands" in dropped["reason"][0]
    write_project(tmp_path, config({**section, "stories": [f"{folder}/stories"]}, models))
    done = run(tmp_path, "questions")
    assert done.returncode == 0, done.stdout
    table = pl.read_csv(tmp_path / "results/tables/questions.csv")
    assert set(table["origin"]) == {"written", "teller"}


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"elements": ["sunk-costs"]}, "unknown element 'sunk-costs'"),
        ({"elements": ["sunk-costs"]}, "Did you mean 'sunk-cost'?"),
        (
            {"elements": {"sunk-cost": [9]}},
            "steer.elements.sunk-cost: there is no grade 9; allowed",
        ),
        ({"domains": ["finanze"]}, "unknown domain 'finanze'"),
        ({"stories": ["nowhere"]}, "steer.stories: no such folder, 'nowhere'"),
        ({"published": "nowhere"}, "steer.published: no such folder"),
        ({"storyteller": {"model": "any"}}, "is simulated and cannot write"),
        ({"storyteller": {"model": "nobody"}}, "allowed: a slug of models"),
        ({"review": {"files": {"ana": "ana.json"}}}, "steer.review.files.ana: no such file"),
        ({"per_cel": 3}, "Did you mean 'per_cell'?"),
        ({"domains": "medicine"}, 'found "medicine"; allowed: "all", or a list (all, or'),
        ({"elements": {"bayes": 4}}, 'allowed: "all", or a list, or in bayes "all", or a list'),
    ],
)
def test_a_broken_section_is_named_before_anything_runs(section, said):
    with pytest.raises(DocumentError) as caught:
        checked(section)
    assert said in "\n".join(caught.value.problems)


def checked(section, models=MODELS):
    schema = read_schema(steer.SCHEMAS / "steer.schema.json")
    whole = check(section, schema, "config.yaml: steer")
    return check_steer(whole, models, models, lambda path: str(steer.HOME / path), steer.SCHEMAS)


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ({"forms": ["plian"]}, "steer.forms: unknown form 'plian'; allowed: apart, free"),
        ({"forms": ["shot-4"]}, "Did you mean 'shots-4'?"),
        (
            {"rubrics": ["medicin"]},
            "steer.rubrics: found 'medicin', and no such file; allowed: the path",
        ),
        ({"params": {"api_key": "x"}}, "steer.params.api_key: keys come from the environment"),
    ],
)
def test_what_is_asked_for_wrongly_is_named(section, named):
    with pytest.raises(DocumentError) as refused:
        checked(section)
    assert named in str(refused.value)


@pytest.mark.parametrize(
    ("abilities", "named"),
    [
        ({"bias": {"sunk-costs": 1}}, "models.pupil.abilities.bias: found 'sunk-costs'"),
        ({"forms": {"togeter": 0.1}}, "Did you mean 'together'?"),
    ],
)
def test_abilities_in_what_there_is_none_of_are_named(abilities, named):
    pupil = {"simulated": "utility", "ideal": [1], "abilities": abilities}
    with pytest.raises(DocumentError) as refused:
        checked({}, {"pupil": pupil})
    assert named in str(refused.value)


def test_a_recorded_file_without_an_asked_form_is_named(tmp_path):
    path = tmp_path / "replies.csv"
    path.write_text("study,form,prompt_id,text\nsteer,apart,q,A\n", encoding="utf-8")
    with pytest.raises(DocumentError, match="forms in it: apart"):
        checked({}, {"lab": {"recorded": str(path)}})


def test_a_recorded_form_that_is_none_is_named(tmp_path):
    """Its replies would be left aside without a word, since the other form is asked."""
    path = tmp_path / "replies.csv"
    rows = ("study,form,prompt_id,text", "steer,plain,q,A", "steer,shot-4,q,A")
    path.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(DocumentError, match=r"in the form 'shot-4'.*Did you mean 'shots-4'"):
        checked({}, {"lab": {"recorded": str(path)}})


def test_a_rubric_with_a_wrong_element_is_named(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("title: Mine\nelements: [sunk-costs]\n", encoding="utf-8")
    with pytest.raises(DocumentError, match="Did you mean 'sunk-cost'"):
        checked({"rubrics": [str(path)]})


@pytest.mark.parametrize("key", ["form: plian", "forms: [together, plian]"])
def test_a_rubric_with_a_form_that_is_none_is_named(tmp_path, key):
    path = tmp_path / "mine.yaml"
    path.write_text(f"title: Mine\n{key}\n", encoding="utf-8")
    with pytest.raises(DocumentError, match=r"unknown form 'plian'.*Did you mean 'plain'"):
        checked({"rubrics": [str(path)]})


def test_a_target_without_its_section_says_what_to_set(tmp_path):
    write_project(tmp_path, config({"elements": ["sunk-cost"]}))
    for target, key in (("validity", "steer.review.files"), ("retell", "steer.storyteller.model")):
        done = run(tmp_path, "--dry-run", target)
        assert done.returncode != 0
        assert key in done.stdout


def test_a_broken_story_fails_with_its_place(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    text = (steer.RESOURCES / "stories/sunk-cost.yaml").read_text()
    (own / "sunk-cost.yaml").write_text(
        text.replace("{spent}", "{spend}", 1).replace("slug: ", "slug: my-")
    )
    write_project(tmp_path, config({"elements": ["sunk-cost"], "stories": ["own"]}))
    done = run(tmp_path, "questions")
    assert done.returncode != 0
    assert "unknown placeholder {spend}" in done.stdout
    assert "sunk-cost.yaml: my-" in done.stdout
