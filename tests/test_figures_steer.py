"""Figures of STEER: what is drawn where, that it fits, and that it can be drawn again."""

from itertools import combinations

import polars as pl
import pytest
from matplotlib import pyplot as plt

from rationale.figures.steer import (
    accuracy_figure,
    domains_figure,
    grades_figure,
    of_one_form,
)
from rationale.figures.steer_compared import form_effects_figure, wins_figure
from rationale.figures.steer_modules import module_effects_figure
from rationale.figures.style import BY_KIND, save
from rationale.seeds import generator

KINDS = ("llm", "recorded", "simulated")
ELEMENTS = ("bayes", "transitivity", "lottery-independence", "sunk-cost", "borda", "level-k")
FORMS = ("together", "apart", "shots-1", "shots-2", "shots-4", "shots-5", "none-correct", "free")
GUESS = 0.25


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def slugs(m):
    return [f"m{place:02d}" for place in range(m)]


def heads(m, form="plain"):
    return [
        {"model": slug, "respondent": KINDS[place % 3], "form": form}
        for place, slug in enumerate(slugs(m))
    ]


def spans(name, value, half=0.05):
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def scored(accuracy, half=0.05):
    """Accuracy over a guess rate of a quarter, and what it is normalised."""
    normalised = (accuracy - GUESS) / (1 - GUESS)
    return {
        **{"questions": 40, "answered": 40, "guess_rate": GUESS},
        **{"accuracy_worst": accuracy, "accuracy_best": accuracy},
        **spans("accuracy", accuracy, half),
        **spans("normalised", normalised, half / (1 - GUESS)),
    }


def steer(m):
    """Model k of m is right in k + 1 of m + 1 questions."""
    return pl.DataFrame([{**head, **scored((k + 1) / (m + 1))} for k, head in enumerate(heads(m))])


def parts(m, grades=range(14)):
    rows = []
    for k, head in enumerate(heads(m)):
        draw = generator("parts", k).normal(0, 0.06, len(grades))
        for grade, noise in zip(grades, draw, strict=True):
            accuracy = min(0.97, max(0.05, 1 - 0.05 * grade - 0.4 * k / m + noise))
            rows.append({**head, "by": "grade", "part": str(grade), **scored(accuracy, 0.1)})
        rows.append({**head, "by": "setting", "part": "foundations", **scored(0.6)})
    return pl.DataFrame(rows)


def elements(m, names=ELEMENTS):
    rows = []
    for k, head in enumerate(heads(m)):
        draw = generator("elements", k).beta(2.5 - 2 * k / m, 1 + k / m, (2, len(names)))
        for name, accuracy, worse in zip(names, *draw.round(2), strict=True):
            worst = scored(accuracy * (1 - 0.5 * worse))["normalised"]
            rows.append({**head, "element": name, **scored(accuracy), "worst_domain": "medicine"})
            rows[-1] |= {"worst_normalised": worst, "worst_accuracy": accuracy * (1 - 0.5 * worse)}
            rows[-1] |= {"worst_answered": 5}
    return pl.DataFrame(rows)


def differences(m):
    """Model i wins over a later model j in most elements; neighbours are not resolved."""
    rows = []
    for i, j in combinations(range(m), 2):
        share = min(1.0, 0.5 + 0.05 * (j - i))
        verdict = slugs(m)[i] if j - i > 2 else "not resolved"
        pair = {"form": "plain", "model_1": slugs(m)[i], "model_2": slugs(m)[j]}
        rows.append({**pair, "elements": 6, "win_share": share, "verdict": verdict})
    names = ("form", "model_1", "model_2", "verdict")
    schema = {**dict.fromkeys(names, pl.String), "elements": pl.Int64, "win_share": pl.Float64}
    return pl.DataFrame(rows, schema=schema)


def form_effects(m, forms=FORMS):
    rows = []
    for k, head in enumerate(heads(m)):
        draw = generator("forms", k).normal(0.05, 0.08, len(forms))
        for form, effect in zip(forms, draw, strict=True):
            ends = {"effect": effect, "low": effect - 0.09, "high": effect + 0.09}
            verdict = "not resolved" if abs(effect) < 0.09 else "better" if effect > 0 else "worse"
            rows.append({**head, "form": form, "by": "all", "part": "all", **ends})
            rows[-1] |= {"verdict": verdict}
    return pl.DataFrame(rows)


def module_effects(m, forms=("apart", "free"), modules=("arithmetic", "normal-form")):
    """Model k gains k tenths by each form in each module."""
    rows = [
        {**head, "form": form, "by": "module", "part": module}
        | {"effect": k / 10, "low": k / 10 - 0.1, "high": k / 10 + 0.1, "verdict": "better"}
        for k, head in enumerate(heads(m))
        for form in forms
        for module in modules
    ]
    return pl.DataFrame(rows)


def long_labels(m):
    return {slug: f"some-provider/a-model-with-a-name-{slug}-chat" for slug in slugs(m)}


def drawn(m):
    labels = long_labels(m)
    yield accuracy_figure(steer(m), labels)
    yield grades_figure(parts(m), labels)
    yield domains_figure(elements(m), labels)
    yield wins_figure(differences(m), steer(m), labels)
    yield form_effects_figure(form_effects(m), labels)
    yield module_effects_figure(module_effects(m), labels)


def words(parent):
    found = [text for text in parent.findobj(plt.Text) if text.get_visible()]
    return [text.get_text() for text in found if text.get_text()]


def row_names(axes):
    return [tick.get_text() for tick in axes.get_yticklabels()]


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes if axes.get_visible()]


def marks(axes, marker="o"):
    """Positions of the marks of one shape, one a line."""
    lines = [line for line in axes.lines if line.get_marker() == marker]
    return [tuple(float(part[0]) for part in line.get_data()) for line in lines]


@pytest.mark.parametrize("m", [1, 3, pytest.param(40, marks=pytest.mark.slow)])
def test_everything_fits_inside_the_figure(m):
    for figure in drawn(m):
        figure.draw_without_rendering()
        width, height = figure.get_size_inches()
        whole = figure.get_tightbbox()
        assert min(whole.x0, whole.y0) >= -0.01
        assert whole.x1 <= width + 0.01
        assert whole.y1 <= height + 0.01


def test_the_most_accurate_model_is_on_top():
    """Models at 1/4, 2/4 and 3/4: the last is best."""
    figure = accuracy_figure(steer(3), {"m02": "best"})
    assert row_names(figure.axes[0]) == ["best", "m01", "m00"]


def test_normalised_accuracy_stands_beside_accuracy():
    """One model is right in 1/2: normalised (1/2 - 1/4)/(3/4) = 1/3."""
    left, right = accuracy_figure(steer(1), {}).axes
    assert marks(left) == [(pytest.approx(1 / 3), 0)]
    assert marks(right) == [(0.5, 0)]


def test_the_guess_rate_is_marked_in_each_row():
    assert marks(accuracy_figure(steer(2), {}).axes[1], "|") == [(0.25, 0), (0.25, 1)]


def test_questions_read_are_told_of_those_put():
    table = steer(1).with_columns(answered=pl.lit(31))
    assert "31 of 40" in words(accuracy_figure(table, {}).axes[1])


@pytest.mark.parametrize(("best", "bars"), [(0.5, []), (0.7, [(0.5, 0.2)])])
def test_what_unread_replies_leave_open_is_a_bar(best, bars):
    """From 0.5 with all of them wrong to 0.7 with all right; no bar where everything was read."""
    right = accuracy_figure(steer(1).with_columns(accuracy_best=best), {}).axes[1]
    found = [(patch.get_x(), pytest.approx(patch.get_width())) for patch in right.patches]
    assert found == bars


def test_a_model_without_an_answer_that_was_read_says_so():
    none = pl.lit(None, pl.String)  # what an empty column of a CSV file is read as
    empty = [f"{name}{end}" for name in ("accuracy", "normalised") for end in ("", "_low", "_high")]
    table = steer(1).with_columns(**dict.fromkeys([*empty, "guess_rate"], none), answered=pl.lit(0))
    figure = accuracy_figure(table, {})
    assert [words(axes).count("no answer read") for axes in figure.axes] == [1, 1]
    assert marks(figure.axes[1]) == []


def test_only_the_plain_form_is_drawn():
    free = steer(2).with_columns(form=pl.lit("free"), model=pl.lit("other"))
    assert row_names(accuracy_figure(pl.concat([steer(1), free]), {}).axes[0]) == ["m00"]


def test_grades_have_a_panel_a_model_named_in_the_colour_of_its_kind():
    figure = grades_figure(parts(7), {})
    assert sorted(titles(figure)) == slugs(7)
    colours = {axes.get_title(loc="left"): axes._left_title.get_color() for axes in figure.axes}
    assert colours["m02"] == BY_KIND["simulated"]


def test_a_grade_without_questions_interrupts_the_line():
    """Grades 0, 1, 3 and 4: five places, the third empty."""
    axes = grades_figure(parts(1, (0, 1, 3, 4)), {}).axes[0]
    line = next(line for line in axes.lines if line.get_marker() == "o")
    assert list(line.get_xdata()) == [0, 1, 2, 3, 4]
    assert [value != value for value in line.get_ydata()] == [False, False, True, False, False]


def test_grades_carry_the_guess_line():
    axes = grades_figure(parts(1, range(3)), {}).axes[0]
    assert list(axes.lines[0].get_ydata()) == [GUESS] * 3


def test_a_missing_interval_of_a_grade_leaves_the_mark():
    table = parts(1, range(3)).with_columns(accuracy_low=pl.lit(None, pl.String))
    axes = grades_figure(table, {}).axes[0]
    assert len(axes.collections[0].get_segments()) == 0


def test_the_largest_gap_of_each_element_is_numbered():
    """Six elements and ten models: six numbers, each element once."""
    axes = domains_figure(elements(10), {}).axes[0]
    listed = [text for text in words(axes) if "medicine" in text]
    assert sorted(text.split(",")[0].replace(" ", "-") for text in listed) == sorted(ELEMENTS)
    assert words(axes).count("1") == 2


def test_gaps_are_numbered_from_the_largest():
    """Gaps 0.9 - 0.1 = 0.8 and 0.8 - 0.6 = 0.2."""
    table = elements(1, ("borda", "bayes")).with_columns(
        normalised=pl.Series([0.8, 0.9]), worst_normalised=pl.Series([0.6, 0.1])
    )
    listed = [text for text in words(domains_figure(table, {}).axes[0]) if "n = " in text]
    assert listed == [
        "bayes, m00: medicine (0.80, n = 5)",
        "borda, m00: medicine (0.20, n = 5)",
    ]


@pytest.mark.parametrize(("answered", "start"), [(4, "no gap is named"), (5, "largest gaps")])
def test_gaps_are_named_from_five_answers_on(answered, start):
    table = elements(2).with_columns(worst_answered=pl.lit(answered))
    found = words(domains_figure(table, {}).axes[0])
    assert any(text.startswith(start) for text in found)
    assert any("medicine" in text for text in found) == (answered == 5)


def test_elements_without_a_worst_domain_are_left_out():
    table = elements(1).with_columns(worst_normalised=pl.lit(None, pl.String))
    assert "No worst domain" in words(domains_figure(table, {}))[0]


def test_the_model_that_wins_most_stands_first():
    assert row_names(wins_figure(differences(3), steer(3), {}).axes[0]) == slugs(3)


def test_a_pair_is_drawn_from_both_sides():
    """Model 0 wins 0.6 of the elements, so model 1 wins 0.4."""
    table = differences(2).with_columns(win_share=pl.lit(0.6))
    figure = wins_figure(table, steer(2), {})
    assert [text for text in words(figure.axes[0]) if text[0] == "."] == [".60", ".40"]


@pytest.mark.parametrize(("verdict", "hatched"), [("not resolved", 2), ("m00", 0)])
def test_pairs_that_are_not_resolved_are_hatched(verdict, hatched):
    table = differences(2).with_columns(verdict=pl.lit(verdict))
    (boxes,) = wins_figure(table, steer(2), {}).axes[0].collections
    assert boxes.get_hatch()
    assert len(boxes.get_paths()) == hatched


def test_a_pair_without_a_common_element_is_a_dash():
    table = differences(2).with_columns(win_share=pl.lit(None, pl.String))
    assert words(wins_figure(table, steer(2), {}).axes[0]).count("–") == 2


@pytest.mark.parametrize(("m", "numbers"), [(14, 182), (15, 0)])
def test_cells_carry_numbers_up_to_14_models(m, numbers):
    assert len(wins_figure(differences(m), steer(m), {}).axes[0].texts) == numbers


def test_examples_stand_at_their_number_and_plain_at_none():
    axes = form_effects_figure(form_effects(1, ("shots-4", "shots-1", "apart")), {}).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "1", "4", "apart"]
    assert list(axes.get_xticks()[:3]) == [0, 1, 4]


def test_few_shot_effects_are_joined_from_plain_on():
    table = form_effects(1, ("shots-4", "shots-1", "apart"))
    effects = dict(table.select("form", "effect").iter_rows())
    joined = form_effects_figure(table, {}).axes[0].lines[1]
    assert list(joined.get_xdata()) == [0, 1, 4]
    assert list(joined.get_ydata()) == [0, effects["shots-1"], effects["shots-4"]]


@pytest.mark.parametrize(
    ("verdict", "face"), [("not resolved", "white"), ("better", BY_KIND["llm"])]
)
def test_an_effect_that_is_not_resolved_is_hollow(verdict, face):
    table = form_effects(1, ("apart",)).with_columns(verdict=pl.lit(verdict))
    axes = form_effects_figure(table, {}).axes[0]
    assert [line.get_mfc() for line in axes.lines if line.get_marker() == "o"] == [face]


def test_effects_of_parts_are_not_drawn():
    part = form_effects(1, ("apart",)).with_columns(by=pl.lit("setting"), part=pl.lit("social"))
    table = pl.concat([form_effects(1, ("apart",)), part])
    assert len(marks(form_effects_figure(table, {}).axes[0])) == 1


def test_modules_are_rows_and_forms_are_panels():
    figure = module_effects_figure(module_effects(1), {})
    assert titles(figure) == ["apart", "free"]
    assert row_names(figure.axes[0]) == ["arithmetic", "normal form"]


def test_up_to_eight_models_have_a_mark_each():
    """Model 2 gains 0.2 and stands below model 1, by 0.8 / 3 of a row."""
    axes = module_effects_figure(module_effects(3, modules=("logic",)), {}).axes[0]
    places = [marks(axes, marker)[0] for marker in "os^"]
    assert [x for x, _ in places] == [0, 0.1, 0.2]
    assert [y for _, y in places] == pytest.approx([-0.8 / 3, 0, 0.8 / 3])


def test_of_more_models_the_median_and_range_of_each_kind_are_drawn():
    """Of nine, models 0, 3 and 6 are llm: median 0.3, from 0 to 0.6; the others follow."""
    axes = module_effects_figure(module_effects(9, modules=("logic",)), {}).axes[0]
    assert sorted(x for x, _ in marks(axes)) == pytest.approx([0.3, 0.4, 0.5])
    ranges = [line.get_segments()[0][:, 0].tolist() for line in axes.collections]
    assert ranges[0] == pytest.approx([0, 0.6])


def test_a_module_effect_that_is_not_resolved_is_hollow():
    table = module_effects(1, ("free",), ("logic",)).with_columns(verdict=pl.lit("not resolved"))
    (mark,) = [
        line for line in module_effects_figure(table, {}).axes[0].lines if line.get_marker() == "o"
    ]
    assert mark.get_mfc() == "white"


def test_empty_tables_say_so():
    figures = [
        accuracy_figure(steer(1).clear(), {}),
        grades_figure(parts(1).clear(), {}),
        domains_figure(elements(1).clear(), {}),
        wins_figure(differences(2).clear(), steer(1), {}),
        form_effects_figure(form_effects(1).clear(), {}),
        module_effects_figure(module_effects(1).clear(), {}),
    ]
    assert [words(figure)[0][:3] for figure in figures] == ["No "] * 6


def test_the_same_tables_give_the_same_bytes(tmp_path):
    for turn in ("first", "second"):
        for number, figure in enumerate(drawn(2)):
            save(figure, tmp_path / f"{turn}-{number}.svg")
    for number in range(6):
        first, second = (tmp_path / f"{turn}-{number}.svg" for turn in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


def test_where_plain_was_not_put_the_first_form_is_drawn():
    table = pl.DataFrame({"form": ["together", "together", "apart"], "n": [1, 2, 3]})
    assert of_one_form(table)["n"].to_list() == [1, 2]
    more = pl.concat([table, pl.DataFrame({"form": ["plain"], "n": [4]})])
    assert of_one_form(more)["n"].to_list() == [4]
