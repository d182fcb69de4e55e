"""The explorer in Chromium: every control does what it says, by mouse and by key, and stays at home."""

import base64
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import polars as pl
import pytest
from explorer_page import (
    CHROMIUM,
    ELEMENTS,
    EVIL,
    LABELS,
    MODELS,
    all_studies,
    browser,
    page_of_all,
    steer_study,
)

from rationale.reporting.explorer import Steer, explorer_page

WORDS = "it.innerText.replace(/\\s+/g, ' ').trim()"
VIEWS = {
    "overview": "#/",
    "scores": "#/steer/scores",
    "elements": "#/steer/elements",
    "element": "#/steer/elements/completeness",
    "questions": "#/steer/questions",
    "question": "#/steer/questions/completeness/{question}",
    "respondents": "#/psm",
    "rounds": "#/psm/random/listed",
    "round": "#/psm/random/listed/17",
    "open round": "#/psm/gpt-large/listed/0",
    "scenarios": "#/moralchoice",
    "scenario": "#/moralchoice/H_001",
}
CUTS = ("element", "module", "setting", "domain", "grade", "form", "model")


@pytest.fixture(scope="module")
def studies():
    return all_studies()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of all three studies, opened once for the tests in Chromium."""
    path = tmp_path_factory.mktemp("explorer") / "index.html"
    path.write_text(page_of_all(), encoding="utf-8")
    with browser() as found:
        found.address = path.as_uri()
        found.open(found.address)
        yield found


def in_chromium(test):
    return pytest.mark.slow(
        pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")(test)
    )


@pytest.fixture(scope="module")
def answers(studies):
    """Every answer of STEER, with its model."""
    tables = [rows.with_columns(model=pl.lit(model)) for model, rows in studies[0].graded.items()]
    return pl.concat(tables)


def views(studies):
    """Each view with its address."""
    questions = studies[0].questions
    question = questions.filter(element="completeness")["question_id"][0]
    return {name: address.format(question=question) for name, address in VIEWS.items()}


def rows_of(page, label):
    """The texts of a table's body, a list a row; the table must be short enough to be drawn whole."""
    return page.all(
        f'table[aria-label="{label}"] tbody:not([aria-hidden]) tr',
        f"[...one.children].map(it => {WORDS})",
    )


def heads_of(page, label):
    return page.all(f'table[aria-label="{label}"] thead th', WORDS.replace("it", "one"))


def share(value):
    return "–" if value is None else f"{100 * value:.1f} %"


def measures(rows):
    """What the table of all measures says of some answers, in its order."""
    read = rows.filter(pl.col("right").is_not_null())
    accuracy, guess = read["right"].mean(), read["guess_rate"].mean()
    normalised = None if guess in (None, 1.0) else (accuracy - guess) / (1 - guess)
    unread = 1 - len(read) / len(rows)
    return [*map(share, (accuracy, normalised, guess, unread)), str(len(read)), f"{len(rows):,}"]


def close(found, expected):
    """Equal texts, shares within the last digit shown."""
    for one, other in zip(found, expected, strict=True):
        if one.endswith("%") and other.endswith("%"):
            assert float(one[:-2]) == pytest.approx(float(other[:-2]), abs=0.101)
        else:
            assert one.replace(",", "") == other.replace(",", "")


def name_of(cut, value, studies):
    taxonomy = studies[0].taxonomy
    names = {
        "element": lambda: taxonomy.elements[value].name,
        "module": lambda: taxonomy.modules[value],
        "setting": lambda: taxonomy.settings[value],
        "domain": lambda: taxonomy.domains[value],
        "grade": lambda: f"Grade {value}",
        "form": lambda: value,
        "model": lambda: named(value),
    }
    return names[cut]()


def named(model):
    """A model as the page names it: its label, and its kind unless it is a language model."""
    kind = MODELS[model]
    return LABELS.get(model, model) + ("" if kind == "llm" else f" {kind}")


@in_chromium
@pytest.mark.parametrize("cut", CUTS)
def test_scores_by_any_cut_are_those_of_the_answers(page, answers, studies, cut):
    page.go(f"#/steer/scores?rows={cut}&columns=measures")
    found = {row[0]: row[1:] for row in rows_of(page, "Scores")}
    groups = {value: rows for (value,), rows in answers.group_by(cut)}
    assert set(found) == {name_of(cut, value, studies) for value in groups}
    for value, rows in groups.items():
        close(found[name_of(cut, value, studies)], measures(rows))


@in_chromium
def test_two_cuts_make_a_row_a_pair(page, answers, studies):
    page.go("#/steer/scores?rows=model&then=setting&columns=measures")
    found = {tuple(row[:2]): row[2:] for row in rows_of(page, "Scores")}
    for (model, setting), rows in answers.group_by("model", "setting"):
        close(found[named(model), name_of("setting", setting, studies)], measures(rows))


@in_chromium
@pytest.mark.parametrize("measure", ["accuracy", "normalised", "guess", "unread", "read", "put"])
def test_a_measure_by_element_and_model(page, answers, studies, measure):
    page.go(f"#/steer/scores?measure={measure}")
    place = ("accuracy", "normalised", "guess", "unread", "read", "put").index(measure)
    heads = heads_of(page, "Scores")
    for row in rows_of(page, "Scores"):
        for model in studies[0].graded:
            rows = answers.filter(
                pl.col("model") == model,
                pl.col("element").replace_strict(
                    {one: name_of("element", one, studies) for one in ELEMENTS}
                )
                == row[0],
            )
            close([row[heads.index(named(model))]], [measures(rows)[place]])


@in_chromium
@pytest.mark.parametrize("key", CUTS)
def test_a_picker_picks(page, answers, key):
    """The box of the second value, and then that of the first as well."""
    page.go("#/steer/scores?rows=origin&columns=measures")
    page.run("document.querySelector('.reset').click()")
    page.click(f"[data-key={key}] > button")
    boxes = page.run(
        f"[...document.querySelectorAll('[data-key={key}] .boxes input')].map(one => one.value)"
    )
    there = [one for one in boxes if one in set(answers[key].cast(pl.String))]
    picked = []
    for value in there[1::-1]:
        page.click(f"[data-key={key}] .boxes input[value='{value}']")
        picked.append(value)
        rows = answers.filter(pl.col(key).cast(pl.String).is_in(picked))
        close(rows_of(page, "Scores")[0][1:], measures(rows))
        assert f"{key}={value}" in page.run("location.hash")
    page.press("Escape")
    assert page.run(f"document.querySelector('[data-key={key}] .panel').hidden")
    page.click(".reset")
    close(rows_of(page, "Scores")[0][1:], measures(answers))


@in_chromium
def test_words_pick_the_questions_that_hold_them(page, answers, studies):
    page.go("#/steer/scores?rows=origin&columns=measures")
    page.focus("[data-key=q] input")
    page.type("Invoice")
    parts = studies[0].questions.filter(
        pl.concat_str("question_id", "text", pl.col("options").list.join("\n"), separator="\n")
        .str.to_lowercase()
        .str.contains("invoice", literal=True)
    )
    rows = answers.filter(pl.col("question_id").is_in(parts["question_id"].implode()))
    assert 0 < len(rows) < len(answers)
    close(rows_of(page, "Scores")[0][1:], measures(rows))
    page.run("document.querySelector('.reset').click()")


@in_chromium
def test_rows_are_found_by_name(page):
    page.go("#/steer/scores?named=SUBTR")
    assert [row[0] for row in rows_of(page, "Scores")] == ["Addition and subtraction"]


@in_chromium
@pytest.mark.parametrize("columns", ["model", "form", "domain", "grade", "setting", "measures"])
def test_columns_are_those_asked_for(page, answers, columns, studies):
    page.go(f"#/steer/scores?columns={columns}")
    heads = heads_of(page, "Scores")
    if columns == "measures":
        expected = ["Accuracy", "Normalised", "Guess rate", "Unread", "Read", "Put"]
        assert heads[1:] == expected
        assert page.run("document.querySelector('[data-key=measure] select').disabled")
    else:
        values = set(answers[columns].to_list())
        assert set(heads[2:-1]) == {name_of(columns, value, studies) for value in values}


@in_chromium
def test_a_head_sorts_both_ways(page):
    page.go("#/steer/scores?rows=element&columns=measures")
    head = "table[aria-label=Scores] thead th:nth-child(2)"
    seen = []
    for order in ("descending", "ascending"):
        page.click(f"{head} button")
        assert page.run(f"document.querySelector('{head}').ariaSort") == order
        seen.append([float(row[1][:-2]) for row in rows_of(page, "Scores")])
    assert seen[0] == sorted(seen[0], reverse=True)
    assert seen[1] == sorted(seen[1])
    assert "sort=accuracy" in page.run("location.hash")


@in_chromium
def test_a_row_of_scores_leads_to_its_questions(page, studies):
    page.go("#/steer/scores?model=random")
    page.focus("table[aria-label=Scores]")
    page.press("ArrowDown")
    page.press("Enter")
    page.until("document.documentElement.dataset.view === 'questions'")
    count = studies[0].questions.filter(element="multiplication-division")
    total = studies[0].questions["question_id"].n_unique()
    assert f"{count['question_id'].n_unique()} questions of {total}." in page.text()
    assert page.run("location.hash").count("model=random") == 1


@in_chromium
def test_an_element_tells_what_it_builds_on(page, studies):
    taxonomy = studies[0].taxonomy
    page.go("#/steer/elements")
    page.run(
        "document.querySelector('[data-slug=multiplication-division]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.until("location.hash.startsWith('#/steer/elements/multiplication-division')")
    page.until("document.querySelector('.details h2')")
    lists = page.run(
        "[...document.querySelectorAll('.details .pair > div')]"
        ".map(one => [...one.querySelectorAll('a')].map(a => a.textContent))"
    )
    after = {
        one.name
        for one in taxonomy.elements.values()
        if "multiplication-division" in taxonomy.prerequisites(one.slug)
    }
    assert lists[0] == ["Addition and subtraction"]
    assert set(lists[1]) == after
    marked = "document.querySelectorAll('.node.{}').length"
    assert [page.run(marked.format(one)) for one in ("before", "after", "chosen")] == [
        1,
        len(after),
        1,
    ]


@in_chromium
def test_scores_stand_on_the_nodes_and_in_the_details(page, answers, studies):
    page.go("#/steer/elements/completeness")
    told = page.all("[data-slug=completeness] .score")
    rows = {row[0]: row[1:] for row in rows_of(page, "Scores on Completeness")}
    for number, model in enumerate(studies[0].graded):
        mine = answers.filter(pl.col("model") == model, pl.col("element") == "completeness")
        assert float(told[number]) == pytest.approx(100 * mine["right"].mean(), abs=0.501)
        close(rows[named(model)], measures(mine))


@in_chromium
def test_the_graph_is_walked_by_keys(page):
    page.go("#/steer/elements")
    page.focus("[data-slug=addition-subtraction]")
    page.press("ArrowDown")
    page.press("ArrowRight")
    one = page.run("document.activeElement.dataset.slug")
    assert one not in (None, "addition-subtraction")
    page.press("Enter")
    assert page.run("location.hash").startswith(f"#/steer/elements/{one}")


@in_chromium
def test_the_tree_is_walked_by_keys(page):
    page.go("#/steer/elements")
    page.focus("[role=treeitem]")
    page.press("ArrowLeft")
    assert page.run("document.activeElement.ariaExpanded") == "false"
    page.press("ArrowRight")
    for _ in range(2):
        page.press("ArrowDown")
    assert "Addition and subtraction" in page.focused()
    page.press("Enter")
    assert page.run("location.hash") == "#/steer/elements/addition-subtraction"


@in_chromium
@pytest.mark.parametrize(("show", "fewer"), [("near", True), ("all", False)])
def test_only_relatives_are_drawn_when_asked(page, show, fewer):
    page.go(f"#/steer/elements/sunk-cost?show={show}")
    seen = page.all(".node", "one.style.display !== 'none'")
    assert (sum(seen) < len(seen)) == fewer


@in_chromium
@pytest.mark.parametrize("outcome", ["right", "wrong", "unread", "unasked"])
def test_questions_are_picked_by_outcome(page, answers, studies, outcome):
    page.go("#/steer/questions?form=free&model=random")
    page.run(f"""(() => {{ const it = document.querySelector('[data-key=outcome] select');
        it.value = '{outcome}'; it.dispatchEvent(new Event('change')); }})()""")
    page.settle()
    rows = answers.filter(pl.col("form") == "free", pl.col("model") == "random")
    put = set(rows["question_id"])
    expected = {
        "right": set(rows.filter("right")["question_id"]),
        "wrong": set(rows.filter(~pl.col("right"))["question_id"]),
        "unread": set(rows.filter(pl.col("right").is_null())["question_id"]),
        "unasked": set(studies[0].questions["question_id"]) - put,
    }[outcome]
    assert page.text().count(f"{len(expected)} question") == 1


@in_chromium
def test_a_question_is_shown_whole(page, studies):
    """Two parts of four options: the letters go on, A to H."""
    question = studies[0].questions.filter(element="completeness")
    name = question["question_id"][0]
    parts = question.filter(question_id=name)
    page.go(f"#/steer/questions/completeness/{name}")
    shown = page.all(".part .asked")
    assert shown == parts["text"].to_list()
    options = page.all(
        ".options li", "[...one.querySelectorAll('b, .words')].map(it => it.textContent)"
    )
    flat = [text for part in parts["options"].to_list() for text in part]
    assert options == [[f"{letter}.", text] for letter, text in zip("ABCDEFGH", flat, strict=True)]
    assert parts["explanation"][0] in page.text()
    assert "Graded by the rule “decided-alike”" in page.text()


@in_chromium
def test_the_key_is_marked_alone(page, studies):
    row = studies[0].questions.filter(element="sunk-cost").row(0, named=True)
    page.go(f"#/steer/questions/sunk-cost/{row['question_id']}")
    keys = page.all(".options li.key .words")
    assert keys == [row["options"][row["key"] - 1]]


def replies_of(page):
    """Model, form, outcome and texts of each reply shown."""
    texts = "[...one.querySelectorAll('.verbatim')].map(it => it.textContent)"
    return page.all(".reply", f"[one.dataset.model, one.dataset.form, one.classList[1], {texts}]")


@in_chromium
@pytest.mark.parametrize("element", ["addition-subtraction", "completeness"])
def test_every_reply_is_shown_as_it_came(page, answers, studies, element):
    name = answers.filter(element=element)["question_id"][0]
    page.go(f"#/steer/questions/{element}/{name}?at=all")
    mine = answers.filter(question_id=name)
    words = {True: "right", False: "wrong", None: "unread"}
    expected = {
        (row["model"], row["form"]): (words[row["right"]], row["texts"])
        for row in mine.iter_rows(named=True)
    }
    assert {(m, f): (o, t) for m, f, o, t in replies_of(page)} == expected
    matrix = rows_of(page, "Answers by model and form")
    assert [row[0] for row in matrix] == [named(model) for model in studies[0].graded]


@in_chromium
def test_a_hostile_reply_is_only_text(page, answers):
    row = answers.filter(pl.col("right").is_null()).row(0, named=True)
    page.go(f"#/steer/questions/{row['element']}/{row['question_id']}?at=all")
    assert EVIL in page.text()
    assert page.run("document.title") != "taken"
    assert page.run("document.querySelectorAll('#view script, #view img').length") == 0


@in_chromium
def test_probabilities_of_letters_are_told(page, answers):
    row = answers.filter(pl.col("p_options").is_not_null()).row(0, named=True)
    page.go(
        f"#/steer/questions/{row['element']}/{row['question_id']}?model={row['model']}&form=plain"
    )
    told = page.run(
        "[...document.querySelectorAll('.bars .p')].map(one => Number(one.textContent))"
    )
    assert told == pytest.approx(row["p_options"], abs=0.00051)
    key = page.run("document.querySelector('.bars .key b').textContent")
    assert key == "ABCDEFGH"[row["key"] - 1]


@in_chromium
def test_the_matrix_leads_to_a_reply(page, answers):
    name = answers.filter(element="completeness")["question_id"][0]
    page.go(f"#/steer/questions/completeness/{name}")
    page.click("[data-row=random] td:nth-child(3) button")
    page.run("new Promise(done => setTimeout(done, 150))")
    where = page.run("[document.activeElement.dataset.model, document.activeElement.dataset.form]")
    assert where == ["random", "together"]


@in_chromium
def test_choosing_a_form_keeps_the_focus_where_it_is(page, answers):
    name = answers.filter(element="completeness")["question_id"][0]
    page.go(f"#/steer/questions/completeness/{name}")
    page.focus("label.choice select")
    page.press("ArrowDown")
    assert page.run("document.activeElement.tagName") == "SELECT"
    assert {form for _, form, _, _ in replies_of(page)} == {"together"}


@in_chromium
@pytest.mark.parametrize("view", ["question", "round", "scenario"])
def test_several_models_are_picked_without_the_list_closing(page, studies, view):
    page.go(views(studies)[view])
    page.click("[data-key=model] > button")
    for model in ("gpt-large", "random"):
        page.click(f"[data-key=model] input[value={model}]")
        assert not page.run("document.querySelector('[data-key=model] .panel').hidden")
    assert page.run("new URLSearchParams(location.hash.split('?')[1]).getAll('model').length") == 2
    label = {
        "question": "Answers by model and form",
        "round": "Choices in this round",
        "scenario": "Likelihood of action 1 by model and form",
    }[view]
    assert [row[0] for row in rows_of(page, label)] == [named("gpt-large"), named("random")]


@in_chromium
def test_keys_step_through_questions_and_back_to_the_list(page, studies):
    page.go("#/steer/questions?element=sunk-cost&sort=-id")
    ids = page.all("table[aria-label=Questions] a")
    page.focus("table[aria-label=Questions]")
    page.press("Enter")
    page.until("document.querySelector('h1.id')")
    seen = [page.text("h1").split("sunk-cost.")[1]]
    for key in ("]", "]", "["):
        before = page.run("document.documentElement.dataset.drawn")
        page.press(key)
        page.until(f"document.documentElement.dataset.drawn !== '{before}'")
        seen.append(page.text("h1").split("sunk-cost.")[1])
    assert seen == [ids[0], ids[1], ids[2], ids[1]]
    page.press("Escape")
    page.until("document.documentElement.dataset.view === 'questions'")
    assert "element=sunk-cost" in page.run("location.hash")


@in_chromium
def test_rounds_and_choices_are_those_of_the_files(page, studies):
    page.go("#/psm")
    rows = {row[0]: row for row in rows_of(page, "Respondents")}
    for one in studies[1].respondents:
        rounds = one.choices.filter(pl.col("round") > 0)
        answered = rounds.filter(status="answered")
        row = rows[named(one.model)]
        assert row[2:4] == [str(len(rounds)), str(len(answered))]
        assert float(row[-2]) == pytest.approx(answered["option"].mean(), abs=0.0501)


@in_chromium
def test_a_priced_round_shows_its_options_and_who_chose(page, studies):
    one = next(one for one in studies[1].respondents if one.model == "random")
    chosen = one.choices.filter(pl.col("round") > 0, status="answered").row(4, named=True)
    shown = one.rounds.filter(round=chosen["round"]).row(0, named=True)
    page.go(f"#/psm/random/listed/{chosen['round']}")
    rows = rows_of(page, "Options in the order shown")
    assert [list(map(int, row[1:6])) for row in rows] == shown["options"]
    marked = [int(row[0]) for row in rows if row[6].startswith("chosen")]
    assert marked == [chosen["option"]]
    assert page.all(".sheet tr.here th") == [str(chosen["option"])]
    facts = page.text("dl.facts")
    assert " ".join(map(str, shown["corner"])) in facts
    assert ("yes: put from" in facts) == shown["flipped"]
    others = {row[0]: row for row in rows_of(page, "Choices in this round")}
    for other in studies[1].respondents:
        own = other.choices.filter(round=chosen["round"]).row(0, named=True)
        flip = other.rounds.filter(round=chosen["round"])["flipped"][0]
        assert others[named(other.model)][2:4] == [
            "yes" if flip else "no",
            str(own["option"] or "–"),
        ]


@in_chromium
@pytest.mark.parametrize(("query", "keep"), [("status=invalid", "invalid"), ("flip=yes", "flip")])
def test_rounds_are_picked(page, studies, query, keep):
    one = next(one for one in studies[1].respondents if one.model == "random")
    page.go(f"#/psm/random/listed?{query}")
    expected = (
        one.rounds.filter("flipped") if keep == "flip" else one.choices.filter(status="invalid")
    )
    assert f"{len(expected)} round" in page.text()


@in_chromium
def test_likelihoods_are_means_over_the_picked_forms(page, studies):
    page.go("#/moralchoice")
    rows, heads = rows_of(page, "Scenarios"), heads_of(page, "Scenarios")
    for row in rows:
        for model in studies[0].graded:
            mine = studies[2].likelihoods[model].filter(scenario_id=row[0])
            found = float(row[heads.index(named(model))])
            assert found == pytest.approx(mine["p_action1"].mean(), abs=0.00501)
    page.go("#/moralchoice?form=ab-1&ambiguity=high&rule=Do+not+kill")
    for row in rows_of(page, "Scenarios"):
        mine = studies[2].likelihoods["random"].filter(scenario_id=row[0], order=1)
        found = float(row[heads.index(named("random"))])
        assert found == pytest.approx(mine["p_action1"][0], abs=0.00501)
        assert row[1:3] == ["high", "Do not kill"]


@in_chromium
@pytest.mark.parametrize("scenario", ["H_001", "L_001"])
def test_a_scenario_is_shown_as_put_with_its_counts(page, studies, scenario):
    page.go(f"#/moralchoice/{scenario}")
    for order in (0, 1):
        prompt = studies[2].prompts[f"ab-{order}"][0].filter(prompt_id=scenario).row(0, named=True)
        put = page.all(f"[data-form=ab-{order}] .turn .verbatim")
        assert put[:2] == [prompt["system"], prompt["turns"][0]]
        rows = {row[0]: row for row in rows_of(page, f"Replies in form ab-{order}")}
        for model in studies[0].graded:
            one = studies[2].likelihoods[model].filter(scenario_id=scenario, order=order)
            one = one.row(0, named=True)
            names = ("action1", "valid", "refused", "invalid", "truncated", "missing", "asked")
            assert rows[named(model)][2:9] == [str(one[name]) for name in names]
            said = studies[2].readings[model].filter(scenario_id=scenario, order=order)["text"]
            top = f"× {said.value_counts(sort=True)['count'][0]}" if len(said) else "–"
            assert top in rows[named(model)][9]
            likelihood = "–" if one["p_action1"] is None else f"{one['p_action1']:.2f}"
            assert rows[named(model)][1].removesuffix(" *") == likelihood
            assert rows[named(model)][1].endswith("*") == one["flagged"]


@in_chromium
def test_every_view_opens_by_its_address(page, studies):
    for name, address in views(studies).items():
        page.open(page.address + address)
        assert page.run("document.querySelectorAll('main h1').length") == 1, name
        assert "cannot be shown" not in page.text(), name
        assert page.run("document.querySelectorAll('[role=tab][aria-selected=true]').length") == 1
    assert page.complaints == []


@in_chromium
@pytest.mark.parametrize(
    "address",
    [
        "#/steer/questions/nothing/x",
        "#/steer/elements/x",
        "#/psm/a/b",
        "#/psm/a/b/1",
        "#/moralchoice/x",
        "#/nowhere",
        "#/%E0%A4%A",
    ],
)
def test_a_broken_address_breaks_nothing(page, address):
    page.open(page.address + address)
    assert page.run("document.querySelectorAll('main h1').length") == 1
    assert "cannot be shown" not in page.text()


@in_chromium
def test_nothing_is_asked_of_the_network(page, studies):
    page.requests.clear()
    page.open(page.address)
    for address in views(studies).values():
        page.go(address)
    assert {url for url in page.requests if url != "about:blank"} == {page.address}
    assert page.complaints == []


@in_chromium
def test_every_text_stands_out_from_its_ground(page, studies):
    """WCAG 2 AA: a contrast of 4.5 to 1."""
    for name, address in views(studies).items():
        page.go(address)
        page.settle()
        assert page.run("checks.contrast()") == [], name


@in_chromium
def test_every_control_has_a_name(page, studies):
    for name, address in views(studies).items():
        page.go(address)
        assert page.run("checks.nameless()") == [], name


@in_chromium
@pytest.mark.parametrize(
    "address", ["#/steer/scores", "#/steer/elements/sunk-cost", "#/psm/random/listed/17"]
)
def test_tab_reaches_every_control_and_the_focus_is_seen(page, address):
    page.open(page.address + address)
    wanted, reached = page.run("checks.reachable()"), set()
    for _ in range(wanted + 20):
        page.press("Tab")
        assert page.run("checks.focusSeen()"), page.focused()
        reached.add(page.run("checks.place()"))
    assert len(reached - {-1}) == wanted


@in_chromium
def test_tabs_are_walked_by_arrows(page):
    page.go("#/")
    page.focus("[role=tab][aria-selected=true]")
    page.press("ArrowRight")
    page.until("document.documentElement.dataset.view === 'scores'")
    assert page.run("document.activeElement.ariaSelected") == "true"
    page.press("End")
    page.until("document.documentElement.dataset.view === 'moral'")
    page.press("ArrowRight")
    page.until("document.documentElement.dataset.view === 'overview'")


@in_chromium
def test_question_mark_shows_the_keys(page):
    page.go("#/psm")
    page.focus("h1")
    page.press("?")
    assert page.run("document.querySelector('dialog').open")
    page.press("Escape")
    assert not page.run("document.querySelector('dialog').open")


@in_chromium
def test_a_number_goes_to_a_tab_and_a_slash_to_the_search(page):
    page.go("#/")
    page.focus("h1")
    page.press("4")
    page.until("document.documentElement.dataset.view === 'questions'")
    page.press("/")
    assert page.run("document.activeElement.closest('[data-key]').dataset.key") == "q"


@in_chromium
def test_a_picker_works_by_keys(page):
    """Down opens it, typing narrows it, down goes to a box, space picks, escape goes back."""
    page.go("#/steer/scores")
    page.focus("[data-key=element] > button")
    page.press("ArrowDown")
    page.type("sunk")
    page.press("ArrowDown")
    page.press(" ")
    assert "element=sunk-cost" in page.run("location.hash")
    page.press("Escape")
    assert page.run(
        "document.activeElement === document.querySelector('[data-key=element] > button')"
    )
    page.click(".reset")


@in_chromium
@pytest.mark.parametrize("size", [(400, 800), (1400, 900)])
def test_no_view_is_wider_than_the_window(page, studies, size):
    page.size(*size)
    try:
        for name, address in views(studies).items():
            page.open(page.address + address)
            over = page.run("document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, (name, over)
    finally:
        page.size(1400, 900)


@in_chromium
def test_a_long_list_draws_what_is_in_sight_and_all_of_it_by_scrolling(page, studies):
    page.go("#/steer/questions")
    total = studies[0].questions["question_id"].n_unique()
    lines = "document.querySelectorAll('table[aria-label=Questions] tr[data-place]').length"
    assert page.run(lines) < total
    page.focus("table[aria-label=Questions]")
    page.press("End")
    page.settle()
    last = "document.querySelector('table[aria-label=Questions] tr.active').dataset.place"
    assert page.run(last) == str(total - 1)
    assert page.all("[aria-label=Questions]", "one.ariaRowCount") == [str(total + 1)]


@in_chromium
def test_it_prints_without_its_controls(page):
    page.go("#/steer/questions")
    found = page.send("Page.printToPDF")
    assert len(base64.b64decode(found["data"])) > 10_000
    page.send("Emulation.setEmulatedMedia", media="print")
    hidden = page.run("getComputedStyle(document.querySelector('.filters')).display")
    page.send("Emulation.setEmulatedMedia", media="")
    assert hidden == "none"


@in_chromium
def test_an_old_browser_is_told_so(page):
    made = page.send(
        "Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream"
    )
    try:
        page.send("Page.navigate", url="about:blank")
        page.send("Page.navigate", url=page.address)
        page.until("document.querySelector('main h1')")
        assert "too old" in page.text()
    finally:
        page.send("Page.removeScriptToEvaluateOnNewDocument", identifier=made["identifier"])
        page.open(page.address)


def other_page(tmp_path, change):
    """The address of a page of one model in one element, its answers changed."""
    study = steer_study(("sunk-cost",), ("random",), 6)
    table = change(study.graded["random"])
    path = tmp_path / "other.html"
    path.write_text(
        explorer_page(
            Steer(study.questions, {"random": table}, study.taxonomy), None, None, {}, MODELS
        ),
        encoding="utf-8",
    )
    return path.as_uri(), table


@in_chromium
def test_a_reply_too_long_for_the_page_keeps_its_ends(page, tmp_path):
    """25,000 characters, of which 20,000 are kept: 13,334 of the beginning, 6,666 of the end."""
    long = "a" * 15_000 + "b" * 10_000
    address, table = other_page(
        tmp_path, lambda rows: rows.with_columns(texts=pl.concat_list(pl.lit(long)))
    )
    page.open(f"{address}#/steer/questions/sunk-cost/{table['question_id'][0]}?at=plain")
    assert replies_of(page)[0][3] == ["a" * 13_334, "b" * 6_666]
    assert page.text(".gap").startswith(
        "… 5,000 characters left out here; the whole is in results/"
    )


@in_chromium
def test_without_a_guess_rate_nothing_is_normalised(page, tmp_path):
    address, table = other_page(
        tmp_path, lambda rows: rows.with_columns(guess_rate=pl.lit(None, pl.Float64))
    )
    page.open(f"{address}#/steer/scores?columns=measures")
    (row,) = rows_of(page, "Scores")
    close(row[1:], measures(table))
    assert row[2:4] == ["–", "–"]


@in_chromium
def test_a_server_is_asked_for_the_page_alone(page, tmp_path):
    (tmp_path / "index.html").write_text(page_of_all(), encoding="utf-8")
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, form, *arguments):
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=tmp_path))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        page.open(f"http://127.0.0.1:{server.server_port}/index.html#/psm")
        page.go("#/steer/questions")
    finally:
        server.shutdown()
        server.server_close()
    assert asked == ["/index.html"]
