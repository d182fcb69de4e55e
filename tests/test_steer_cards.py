"""Report cards: numbers, and how they are shown."""

from __future__ import annotations

from functools import lru_cache
from random import Random

import polars as pl
import pytest
import steer

from rationale.reporting.cards import Card, Score, card_of, scored_by
from rationale.reporting.cards_html import (
    Axis,
    beyond,
    card_html,
    cards_index_html,
    contrast,
    shade,
)
from rationale.reporting.cards_latex import card_latex
from rationale.reporting.cards_reading import as_shares, by_domain
from rationale.reporting.cards_table import card_csv
from rationale.surveys.steer.bank import draw_questions, question_table
from rationale.surveys.steer.behaviours import asked_of, shows
from rationale.surveys.steer.grading import GRADED
from rationale.surveys.steer.rubrics import read_rubric

FORMS = ("plain", "together", "none-correct", "free")
FORMED = {"form": pl.String, **GRADED, "none_places": pl.List(pl.Int64)}


@lru_cache
def bank(elements: tuple[str, ...] | None = None, per_cell: int = 1) -> pl.DataFrame:
    """Questions of some elements, or of all."""
    found = [steer.taxonomy().elements[slug] for slug in elements or steer.taxonomy().elements]
    return pl.concat(
        question_table(draw_questions(one, steer.stories(one.slug), seed=1, per_cell=per_cell))
        for one in found
    )


def answers(
    questions: pl.DataFrame, skill: dict[str, float], forms=("plain",), unread: float = 0.0
) -> pl.DataFrame:
    """What somebody answers who knows an element's answer with its skill and guesses else."""
    rng = Random(1)
    rows = []
    for _, parts in questions.group_by("question_id", maintain_order=True):
        parts = parts.to_dicts()
        rows += [
            _answer(rng, form, parts, skill.get(parts[0]["element"], 0.5), unread)
            for form in forms
            if _is_put(form, parts)
        ]
    return pl.DataFrame(rows, schema=FORMED)


def _is_put(form: str, parts: list[dict]) -> bool:
    if form == "free":
        return all(part["value"] is not None for part in parts)
    return form != "none-correct" or all(part["key"] is not None for part in parts)


def _answer(rng: Random, form: str, parts: list[dict], skill: float, unread: float) -> dict:
    asked = asked_of(parts)
    read, ways = rng.random() >= unread, [range(1, len(one) + 1) for one in asked.options]
    chosen = [rng.choice(way) for way in ways]
    while rng.random() < skill and not shows("rational", asked, chosen):
        chosen = [rng.choice(way) for way in ways]
    names = ("question_id", "element", "module", "setting", "domain", "grade", "template", "origin")
    return {
        "form": form,
        **{name: parts[0][name] for name in names},
        "status": "answered" if read else rng.choice(("refused", "invalid")),
        "chosen": [float(place) for place in chosen] if read else None,
        "right": shows("rational", asked, chosen) if read else None,
        "guess_rate": 0.0 if form == "free" else parts[0]["guess_rate"],
        "none_places": [1] * len(parts) if form == "none-correct" else None,
    }


def rubric(tmp_path, text: str, name: str = "mine"):
    path = tmp_path / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return read_rubric(path, steer.SCHEMAS / "rubric.schema.json", steer.taxonomy())


def card(tmp_path, text: str, graded: pl.DataFrame, questions: pl.DataFrame) -> Card:
    return card_of(
        "m", graded, questions, steer.taxonomy(), rubric(tmp_path, text), draws=200, seed=1
    )


def rows(*told: tuple[str, str, bool | None]) -> pl.DataFrame:
    """Answers to questions with four options: element, template, whether it was right."""
    return pl.DataFrame(
        [
            {
                "form": "plain",
                "question_id": f"{element}.{place}",
                "element": element,
                "module": steer.taxonomy().elements[element].module,
                "setting": steer.taxonomy().elements[element].setting,
                "domain": "finance",
                "grade": min(steer.taxonomy().elements[element].grades),
                "template": template,
                "status": "refused" if right is None else "answered",
                "right": right,
                "guess_rate": 0.25,
            }
            for place, (element, template, right) in enumerate(told)
        ],
        schema=FORMED,
    )


ADDING = "title: t\nelements: [addition-subtraction]\n"
NONE = pl.DataFrame(schema={"question_id": pl.String, "part": pl.Int64})


def test_normalised_accuracy_of_a_group(tmp_path):
    """2 of 4 read are right, guessing gives 1/4: (1/2 - 1/4)/(3/4) = 1/3; one of 5 is unread."""
    told = [
        ("addition-subtraction", t, right)
        for t, right in zip("aabbc", (1, 1, 0, 0, None), strict=True)
    ]
    found = card(tmp_path, ADDING, rows(*told), NONE)
    assert found.headline.score == pytest.approx(1 / 3)
    assert found.headline[:2] == (5, 4)
    assert found.unread == {"refused": 1, "invalid": 0, "truncated": 0, "error": 0}
    assert found.unread_rate.estimate == 1 / 5


@pytest.mark.parametrize(("metric", "score"), [("accuracy", 0.5), ("printed", 1.0)])
def test_other_metrics(tmp_path, metric, score):
    """Half are right: a = 0.5, and (0.5 - 0.25)/0.25 = 1."""
    told = [
        ("addition-subtraction", t, right) for t, right in zip("aabb", (1, 0, 1, 0), strict=True)
    ]
    found = card(tmp_path, f"{ADDING}metric: {metric}", rows(*told), NONE)
    assert found.headline.score == score


def test_one_cluster_has_no_interval(tmp_path):
    told = [("addition-subtraction", "a", True), ("addition-subtraction", "a", False)]
    found = card(tmp_path, ADDING, rows(*told), NONE)
    assert (found.headline.score, found.headline.low) == (pytest.approx(1 / 3), None)


def test_scores_that_differ_by_rounding_alone_are_not_lower(tmp_path):
    """2 of 4 is 6 of 12: sums of 0.1 give scores that differ in their last bit."""
    told = [("addition-subtraction", f"a{n}", n < 2) for n in range(4)]
    told += [("multiplication-division", f"m{n}", n < 6) for n in range(12)]
    graded = rows(*told).with_columns(guess_rate=pl.lit(0.1))
    found = card(tmp_path, "title: t\nmodules: [arithmetic]", graded, NONE)
    assert found.lower == ()


PAIR = [("addition-subtraction", f"a{n}", n < 4) for n in range(12)]
PAIR += [("multiplication-division", f"m{n}", n > 0) for n in range(12)]


def test_a_prerequisite_fails_under_the_threshold_where_what_builds_on_it_does_not(tmp_path):
    """4 of 12 right is (1/3 - 1/4)/(3/4) = 1/9, 11 of 12 is 8/9: 7/9 apart, on either side of 0.5."""
    found = card(tmp_path, "title: t\nmodules: [arithmetic]", rows(*PAIR), NONE)
    (one,) = found.lower
    assert (one.prerequisite, one.element) == ("addition-subtraction", "multiplication-division")
    assert one.difference == pytest.approx(7 / 9)
    assert one.failed
    assert one.resolved


def test_a_prerequisite_off_the_card_is_compared(tmp_path):
    found = card(tmp_path, "title: t\nelements: [multiplication-division]", rows(*PAIR), NONE)
    assert [one.prerequisite for one in found.lower] == ["addition-subtraction"]
    assert found.headline.questions == 12


def test_a_prerequisite_over_the_threshold_is_lower_and_does_not_fail(tmp_path):
    text = "title: t\nmodules: [arithmetic]\nthreshold: 0.1"
    (one,) = card(tmp_path, text, rows(*PAIR), NONE).lower
    assert one.finding == "lower, resolved"


def test_pairs_that_do_not_differ_are_compared_and_counted(tmp_path):
    """Both elements half right: one pair compared, none resolved, 0.025 by chance."""
    told = [(slug, f"{slug}{n}", n % 2 == 0) for slug, _, _ in PAIR[::12] for n in range(12)]
    found = card(tmp_path, "title: t\nmodules: [arithmetic]", rows(*told), NONE)
    assert (found.compared, found.resolved, found.lower) == (1, 0, ())
    pairs = dict(card_csv(found).filter(section="pairs").select("name", "pairs").iter_rows())
    assert pairs == {"compared": 1, "resolved": 0}
    page = card_html(found, "m", "llm")
    assert (
        "Pairs compared: 1. Resolved: 0. By chance alone, if no pair differed: 0.0 (2.5 %" in page
    )


def test_domains_of_few_elements_come_last(tmp_path):
    """Finance has three elements, civic one, which is fewer than half, though it scores lowest."""
    slugs = ("addition-subtraction", "multiplication-division", "expectation")
    told = rows(*((slug, story, True) for slug in slugs for story in "ab"))
    wrong = told.head(2).with_columns(domain=pl.lit("civic"), right=pl.lit(False))
    found = card(tmp_path, "title: t\nmodules: [arithmetic]", pl.concat([told, wrong]), NONE)
    assert [(line.name, count) for line, count in by_domain(found)] == [
        ("finance", 3),
        ("civic", 1),
    ]


def test_elements_without_data_say_why(tmp_path):
    told = [("addition-subtraction", "a", True), ("expectation", "e", None)]
    text = "title: t\nmodules: [arithmetic]\ngrades: [1, 2]"
    found = card(tmp_path, text, rows(*told), NONE)
    assert [(one.name, one.reason) for one in found.without_data] == [
        ("addition-subtraction", "nothing was asked in the card's domains and grades"),
        ("multiplication-division", "not asked in the form plain"),
        ("expectation", "no reply could be read"),
    ]


def test_questions_that_cannot_show_the_behaviour_are_left_out(tmp_path):
    """Where to go on is right, nobody clings to what is spent: those are counted and named."""
    questions = bank(("sunk-cost",), 6)
    graded = answers(questions, {"sunk-cost": 0})
    text = "title: t\nelements: [sunk-cost]\npolarity: {sunk-cost: human-like}"
    found = card(tmp_path, text, graded, questions)
    told = questions["mistakes"].list.contains("clings to what is already spent")
    assert found.headline.questions == told.sum()
    assert [(one.name, one.questions) for one in found.left_out] == [("sunk-cost", (~told).sum())]


def test_who_is_always_right_is_never_human_like(tmp_path):
    questions = bank(("sunk-cost", "endowment"), 2)
    graded = answers(questions, {"sunk-cost": 1, "endowment": 1})
    text = "title: t\nmodules: [deterministic-biases]\npolarity: {deterministic-biases: human-like}"
    assert card(tmp_path, text, graded, questions).headline.share == 0


def test_who_is_always_right_is_not_told_to_be_below_guessing(tmp_path):
    """0 of the answers is human-like and 1 right, where the normalised score would be negative."""
    questions = bank(("sunk-cost", "endowment"), 2)
    graded = answers(questions, {"sunk-cost": 1, "endowment": 1})
    text = "title: t\nmodules: [deterministic-biases]\npolarity: {deterministic-biases: human-like}"
    found = card(tmp_path, text, graded, questions)
    shown = as_shares(found).headline
    assert (shown.score, shown.low, shown.right_share) == (0, 0, 1)
    assert found.headline.score < 0
    assert "guessing</strong>" not in card_html(found, "m", "llm")


def test_the_share_that_counts_leads_where_it_is_not_the_right_answer(tmp_path):
    """The page and the index show the share beside that by chance; the table keeps the score."""
    questions, graded = biased()
    found = card(tmp_path, BIASES, graded, questions)
    share, chance = f"{found.headline.share:.2f}", f"by chance {found.headline.guess_rate:.2f}"
    page = card_html(found, "m", "llm")
    assert f'<div class="big">{share}</div>' in page
    assert f"<dt>Right answers</dt><dd>{found.headline.right_share:.2f}, 95" in page
    index = cards_index_html([card_csv(found)], {}, {"m": "llm"})
    for shown in (page, index):
        assert chance in shown
    assert f"<b>{share}</b>" in index
    assert f"{found.headline.share:.2f} [" in card_latex(found, "m", "llm")


def test_the_share_and_its_interval_are_in_any_metric(tmp_path):
    """Right answers count: share and right share are one; in accuracy they are the score as well."""
    told, text = rows(*PAIR), "title: t\nmodules: [arithmetic]"
    normalised = card(tmp_path, text, told, NONE).headline
    accuracy = card(tmp_path, f"{text}\nmetric: accuracy", told, NONE).headline
    assert accuracy[4:7] == (accuracy.share, *accuracy[7:9]) == accuracy[9:]
    assert normalised[7:] == accuracy[7:]


@pytest.mark.parametrize(
    ("low", "high", "ends"), [(-2, 0.5, "left"), (-1, 1, ""), (-2, 1.5, "left and right")]
)
def test_an_interval_beyond_the_scale_is_marked(low, high, ends):
    score = Score(1, 1, 0.2, 0.2, 0.0, low, high)
    assert beyond(score, Axis(-1, 1, 0)) == ends


def test_a_strip_that_is_cut_says_so(tmp_path):
    """All wrong where guessing is right in 3 of 4: the score is -3."""
    told = rows(*[("addition-subtraction", f"a{n}", False) for n in range(4)])
    cut = card(tmp_path, ADDING, told.with_columns(guess_rate=0.75), NONE)
    assert "Goes on beyond the left of the scale" in card_html(cut, "m", "llm")
    whole = card(tmp_path, ADDING, rows(*PAIR), NONE)
    assert "Goes on beyond" not in card_html(whole, "m", "llm")


def test_a_replaced_option_shows_nothing(tmp_path):
    """In none-correct, the place of the replaced option is no answer that clings to what is spent."""
    questions = bank(("sunk-cost",), 2).filter(
        pl.col("mistakes").list.contains("clings to what is already spent")
    )
    clings = questions["mistakes"].list.eval(pl.element().is_not_null()).list.arg_max() + 1
    graded = answers(questions, {"sunk-cost": 0}, ("none-correct",)).with_columns(
        chosen=clings.cast(pl.Float64).reshape((-1, 1)).arr.to_list(),
        none_places=clings.cast(pl.Int64).reshape((-1, 1)).arr.to_list(),
    )
    text = "title: t\nelements: [sunk-cost]\nform: none-correct\npolarity: {sunk-cost: human-like}"
    found = card(tmp_path, text, graded, questions)
    assert found.headline.questions == 0
    assert [one.reason for one in found.without_data] == ["none of its questions can tell"]


@lru_cache
def biased() -> tuple[pl.DataFrame, pl.DataFrame]:
    questions = bank(("sunk-cost", "endowment", "gamblers-fallacy", "probability"), 2)
    return questions, answers(questions, {}, FORMS, 0.1)


BIASES = (
    "title: Biases & more\nmodules: [deterministic-biases, stochastic-biases]\n"
    "polarity: {deterministic-biases: human-like, stochastic-biases: human-like}"
)


def test_the_page_asks_for_nothing_and_names_all(tmp_path):
    questions, graded = biased()
    page = card_html(card(tmp_path, BIASES, graded, questions), "A <model>", "simulated")
    assert "A &lt;model&gt;: Biases &amp; more" in page
    for word in ("human-like answer", "simulated", "no data", "not asked in the form plain"):
        assert word in page
    for request in ("http:", "https:", "src=", "@import", "url("):
        assert request not in page


def test_the_page_says_beside_an_element_that_its_bias_is_counted(tmp_path):
    """The element is named for avoiding the bias: a high score is not one of avoiding it."""
    questions, graded = biased()
    page = card_html(card(tmp_path, BIASES, graded, questions), "m", "llm")
    assert "Avoidance of the sunk cost fallacy (human-like)</span>" in page
    rational = card_html(card(tmp_path, "title: t", graded, questions), "m", "llm")
    assert "Avoidance of the sunk cost fallacy</span>" in rational


def test_the_table_says_what_the_page_says(tmp_path):
    questions, graded = biased()
    found = card(tmp_path, BIASES, graded, questions)
    table = card_csv(found)
    (head,) = table.filter(section="card").to_dicts()
    assert (head["score"], head["counts"]) == (found.headline.score, "human-like")
    assert table.filter(section="element")["name"].to_list() == list(found.rubric.elements)
    assert table.filter(section="form")["name"].to_list() == ["plain", "together", "none-correct"]


def test_latex_escapes_and_has_every_element(tmp_path):
    questions, graded = biased()
    text = card_latex(card(tmp_path, BIASES, graded, questions), "A_1 & co", "simulated")
    assert r"A\_1 \& co$^\dagger$" in text
    assert text.count(r"\quad ") == 7
    for line in text.splitlines():
        assert not line.endswith(r"\\") or line.count("&") - line.count(r"\&") in (0, 5)


def test_the_index_links_every_card(tmp_path):
    questions, graded = biased()
    table = card_csv(card(tmp_path, BIASES, graded, questions))
    page = cards_index_html([table], {"m": "The model"}, {"m": "llm", "other": "llm"})
    assert 'href="m/mine.html"' in page
    assert "The model" in page
    assert "other" not in page


def test_colours_can_be_read():
    """Every ground and its text: at least 4.5 to 1, the least that WCAG asks for."""
    assert min(contrast(*shade(n / 50)) for n in range(-100, 51)) >= 4.5


def test_an_interval_does_not_depend_on_the_rows_order():
    data = rows(*PAIR).with_columns(hit="right", chance="guess_rate")
    one, other = (scored_by("normalised", rows, 100, 1) for rows in (data, data.reverse()))
    assert one.of(one.placed(data)) == other.of(other.placed(data.reverse()))


@pytest.mark.parametrize("metric", ["normalised", "accuracy", "printed"])
@pytest.mark.parametrize("form", ["plain", "free"])
def test_a_card_without_any_answer_is_shown(tmp_path, metric, form):
    questions, graded = biased()
    text = f"title: t\nmodules: [logic]\nmetric: {metric}\nform: {form}"
    found = card(tmp_path, text, graded, questions)
    assert found.headline == Score(0, 0)
    assert "no data" in card_html(found, "m", "llm")
    assert "--" in card_latex(found, "m", "llm")
    assert card_csv(found).filter(section="without-data").height == 3


@pytest.mark.parametrize("metric", ["accuracy", "printed"])
def test_every_metric_is_shown(tmp_path, metric):
    questions, graded = biased()
    found = card(
        tmp_path, f"title: t\nelements: [probability]\nmetric: {metric}", graded, questions
    )
    assert found.headline.low < found.headline.score < found.headline.high
    assert f"{found.headline.score:.2f}" in card_html(found, "m", "llm")


def test_numbers_asked_for_have_no_printed_score(tmp_path):
    """In the form free guessing is never right, and (a - 0)/0 has no value."""
    questions, graded = biased()
    text = "title: t\nelements: [probability]\nmetric: printed\nform: free"
    found = card(tmp_path, text, graded, questions)
    assert found.headline.share is not None
    assert found.headline.score is None
    assert card_html(found, "m", "llm")
