"""Figures of moral beliefs: what is drawn where, that it fits, and that it can be drawn again."""

import re

import numpy as np
import polars as pl
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import same_color
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from rationale.figures.agreement import agreement_figure
from rationale.figures.beliefs import decoding_figure, effects_figure, likelihood_figure
from rationale.figures.consistency import consistency_figure
from rationale.figures.labelling import spread_labels
from rationale.figures.rows import short_name
from rationale.figures.style import BY_KIND, save
from rationale.seeds import generator

WAYS = ("low", "high")
KINDS = ("llm", "recorded", "simulated")
HEAD = ["model", "respondent", "ambiguity"]
COIN = {"low": (0.8, 0.9), "high": (0.9, 0.95)}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def slugs(m):
    return [f"m{place:02d}" for place in range(m)]


def long_labels(m):
    return {slug: f"some-provider/a-model-with-a-name-{slug}-chat" for slug in slugs(m)}


def kinds(m):
    return {slug: KINDS[place % 3] for place, slug in enumerate(slugs(m))}


def heads(m, ways):
    return [(slug, kind, way) for slug, kind in kinds(m).items() for way in ways]


def spans(name, value):
    return {name: value, f"{name}_low": value - 0.02, f"{name}_high": value + 0.02}


def rows(m, ways, *names, **more):
    """A row a model and ambiguity, with an estimate and its interval under each name."""
    found = []
    for head in heads(m, ways):
        draw = generator("figures", *head).uniform(0.05, 0.6, len(names))
        estimates = [spans(name, value) for name, value in zip(names, draw, strict=True)]
        found.append(dict(zip(HEAD, head, strict=True)) | more)
        for estimate in estimates:
            found[-1] |= estimate
    return pl.DataFrame(found)


def beliefs(m, ways=WAYS):
    """Model k's likelihoods are k + 1 parts in m + 1, so the last model has the largest mean."""
    parts = [
        {**dict(zip(HEAD, head, strict=True)), "scenario_id": f"s{s}"}
        | {"p_action1": (slugs(m).index(head[0]) + 1) / (m + 1)}
        for head in heads(m, ways)
        for s in range(4)
    ]
    return pl.DataFrame(parts)


def consistency(m, ways=WAYS):
    return rows(m, ways, "qf_e", "qf_c")


def effects(m, ways=WAYS):
    templates = [rows(m, ways, "effect", template=name) for name in ("ab", "repeat", "compare")]
    return rows(m, ways, "order_effect"), pl.concat(templates)


def decodings(m, ways=WAYS, names=("study", "greedy")):
    return pl.concat([rows(m, ways, "entropy", "qf_e", "qf_c", decoding=name) for name in names])


def agreement(m, labels=None, left_out=()):
    beliefs = generator("figures", "agreement", m).normal(size=(m, 30))
    r = np.corrcoef(beliefs).reshape(m, m)
    merges = linkage(squareform(1 - r, checks=False), "average") if m > 1 else None
    order = leaves_list(merges) if m > 1 else range(m)
    return agreement_figure(r, slugs(m), merges, order, labels or {}, kinds(m), left_out)


def drawn(m, ways=WAYS):
    labels = long_labels(m)
    yield likelihood_figure(beliefs(m, ways), labels)
    yield consistency_figure(consistency(m, ways), COIN, labels)
    yield effects_figure(*effects(m, ways), labels)
    yield decoding_figure(decodings(m, ways), labels)
    yield agreement(m, labels, [("a", "not certain"), ("b", "not certain")])


def texts(parent):
    """Every text that a figure shows."""
    return [text for text in parent.findobj(plt.Text) if text.get_visible() and text.get_text()]


def words(parent):
    return [text.get_text() for text in texts(parent)]


def row_names(axes):
    return [tick.get_text() for tick in axes.get_yticklabels()]


def panel(figure, title):
    return next(axes for axes in figure.axes if axes.get_title(loc="left").startswith(title))


def marks(axes, marker="o"):
    """Positions of the marks of one shape."""
    lines = [line for line in axes.lines if line.get_marker() == marker]
    return [tuple(float(part[0]) for part in line.get_data()) for line in lines]


@pytest.mark.parametrize(("m", "ways"), [(1, WAYS), (3, WAYS), (40, ("high",))])
def test_everything_fits_inside_the_figure(m, ways):
    for figure in drawn(m, ways):
        figure.draw_without_rendering()
        width, height = figure.get_size_inches()
        whole = figure.get_tightbbox()
        assert min(whole.x0, whole.y0) >= -0.01
        assert whole.x1 <= width + 0.01
        assert whole.y1 <= height + 0.01


def test_likelihoods_put_the_largest_mean_on_top():
    """Four models at 1/5 ... 4/5: the last is best."""
    figure = likelihood_figure(beliefs(4), {"m03": "best"})
    assert row_names(panel(figure, "low ambiguity")) == ["best", "m02", "m01", "m00"]


def test_likelihoods_of_high_ambiguity_alone_are_ordered_by_it():
    figure = likelihood_figure(beliefs(2, ("high",)), {})
    assert [row_names(axes) for axes in figure.axes] == [["m01", "m00"]]


def test_the_median_stands_in_its_row():
    """Likelihoods 0, 0.2, 0.9 of a single model: median 0.2, quartiles 0.1 and 0.55."""
    table = beliefs(1, ("low",)).head(3).with_columns(p_action1=pl.Series([0.0, 0.2, 0.9]))
    (axes,) = likelihood_figure(table, {}).axes
    assert marks(axes) == [(pytest.approx(0.2), pytest.approx(0.36))]
    (quartiles,) = axes.collections[-1].get_segments()
    assert quartiles[:, 0] == pytest.approx([0.1, 0.55])


@pytest.mark.parametrize("absent", [None, float("nan")])
def test_a_missing_likelihood_is_not_counted(absent):
    table = beliefs(2).with_columns(
        p_action1=pl.when(pl.col("scenario_id") == "s0").then(absent).otherwise("p_action1")
    )
    assert words(likelihood_figure(table, {}).axes[0]).count("3") == 2


def test_a_model_without_likelihoods_says_so():
    gone = (pl.col("model") == "m01") & (pl.col("ambiguity") == "high")
    table = beliefs(2).with_columns(p_action1=pl.when(~gone).then("p_action1"))
    figure = likelihood_figure(table, {})
    assert [words(axes).count("no scenario answered") for axes in figure.axes] == [0, 1]


def test_thresholds_stand_at_an_80_20_split_and_at_0_4():
    for axes in consistency_figure(consistency(2), COIN, {}).axes:
        dotted = [line.get_data() for line in axes.lines if line.get_linestyle() == ":"]
        assert dotted == [([0.7, 0.7], [0, 1]), ([0, 1], [0.4, 0.4])]


def test_the_shaded_corner_ends_at_the_thresholds():
    axes = consistency_figure(consistency(2), COIN, {}).axes[0]
    (corner,) = axes.patches
    assert (corner.get_bbox().x1, corner.get_bbox().y1) == pytest.approx((0.7, 0.4))


def test_a_point_stands_at_one_minus_its_consistency():
    """QF-E 0.3 (0.2 to 0.5) and QF-C 0.8 (0.7 to 0.85): y 0.2, from 0.15 to 0.3."""
    table = consistency(1, ("low",)).with_columns(
        qf_e=0.3, qf_e_low=0.2, qf_e_high=0.5, qf_c=0.8, qf_c_low=0.7, qf_c_high=0.85
    )
    (axes,) = consistency_figure(table, {}, {}).axes
    assert marks(axes) == [pytest.approx((0.3, 0.2))]
    across, upward = (bars.get_segments()[0] for bars in axes.collections)
    assert across == pytest.approx(np.array([[0.2, 0.2], [0.5, 0.2]]))
    assert upward == pytest.approx(np.array([[0.3, 0.15], [0.3, 0.3]]))


def test_random_choice_is_a_black_dot_with_its_name():
    axes = panel(consistency_figure(consistency(1), COIN, {}), "high")
    black = [line for line in axes.lines if line.get_color() == "black"]
    assert [line.get_xydata()[0].tolist() for line in black] == [pytest.approx([0.9, 0.05])]
    assert "random choice" in words(axes)


def test_up_to_12_models_are_named_at_their_points():
    figure = consistency_figure(consistency(12), {}, {})
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "low ambiguity",
        "high ambiguity",
    ]
    for axes in figure.axes:
        assert {text.get_text() for text in axes.texts} == set(slugs(12))


def test_more_models_are_numbered_from_the_most_certain_and_listed():
    table = consistency(13)
    first = table.filter(pl.col("ambiguity") == "low").sort("qf_e")["model"]
    *panels, listed = consistency_figure(table, {}, {}).axes
    assert [text.get_text() for text in listed.texts][:4] == ["1", first[0], "2", first[1]]
    for axes in panels:
        assert {text.get_text() for text in axes.texts} == {str(n) for n in range(1, 14)}


def test_no_two_labels_of_40_points_overlap():
    figure = consistency_figure(consistency(40), COIN, {})
    figure.draw_without_rendering()
    for axes in figure.axes[:2]:
        labels = [plt.Text.get_window_extent(text) for text in axes.texts]
        assert len(labels) == 41
        assert not any(a.overlaps(b) for i, a in enumerate(labels) for b in labels[:i])


@pytest.mark.parametrize("absent", [None, float("nan")])
def test_a_model_without_estimate_is_named_below_and_not_drawn(absent):
    table = consistency(2, ("low",)).with_columns(
        qf_e=pl.when(pl.col("model") == "m01").then(absent).otherwise("qf_e")
    )
    figure = consistency_figure(table, {}, {})
    assert figure.get_supxlabel() == "No estimate, not shown: m01 (low)."
    assert len(marks(figure.axes[0])) == 1


def test_a_panel_without_any_estimate_is_empty():
    table = consistency(2).with_columns(
        pl.when(pl.col("ambiguity") == "low").then(pl.col("^qf_.*$")).name.keep()
    )
    low, high = consistency_figure(table, {}, {}).axes
    assert (len(marks(low)), len(marks(high))) == (2, 0)


def test_estimates_that_are_all_null_are_named_below():
    table = consistency(1).with_columns(pl.lit(None).alias(name) for name in ("qf_e", "qf_c"))
    figure = consistency_figure(table, {}, {})
    assert figure.get_supxlabel() == "No estimate, not shown: m00 (low), m00 (high)."


def test_a_missing_interval_leaves_the_mark_alone():
    ends = ["qf_e_low", "qf_e_high", "qf_c_low", "qf_c_high"]
    table = consistency(1, ("low",)).with_columns(
        pl.lit(None, pl.Float64).alias(end) for end in ends
    )
    (axes,) = consistency_figure(table, {}, {}).axes
    assert len(marks(axes)) == 1
    assert len(axes.collections) == 0


def test_axes_go_beyond_one_where_the_data_do():
    table = consistency(1).with_columns(qf_e=1.2, qf_e_high=1.3)
    assert [axes.get_xlim()[1] > 1.3 for axes in consistency_figure(table, {}, {}).axes] == [
        True
    ] * 2


def test_corrected_measures_say_so_on_the_axis():
    figure = consistency_figure(consistency(1), {}, {}, corrected=True)
    assert figure.axes[0].get_xlabel().endswith("corrected for few samples")


def heat(figure):
    return next(axes for axes in figure.axes if axes.images)


def test_the_map_stands_in_the_order_of_the_tree():
    """Models 0 and 2 agree at .9, 1 with neither: order 1, 0, 2 puts .9 in the last cell of row 0."""
    r = np.array([[1, 0.1, 0.9], [0.1, 1, -0.2], [0.9, -0.2, 1]])
    merges = np.array([[0, 2, 0.1, 2], [1, 3, 1.05, 3]])
    figure = agreement_figure(r, slugs(3), merges, [1, 0, 2], {}, kinds(3), [])
    axes = heat(figure)
    assert row_names(axes) == ["m01", "m00", "m02"]
    assert [text.get_text() for text in axes.texts] == [".10", "−.20", ".10", ".90", "−.20", ".90"]


def test_the_tree_joins_over_the_middle_of_what_it_joins():
    """Leaves stand at 0 (m01), 1 (m00), 2 (m02): 0 and 2 join at 1.5, then with m01's 0."""
    r = np.array([[1, 0.1, 0.9], [0.1, 1, -0.2], [0.9, -0.2, 1]])
    merges = np.array([[0, 2, 0.1, 2], [1, 3, 1.05, 3]])
    figure = agreement_figure(r, slugs(3), merges, [1, 0, 2], {}, kinds(3), [])
    tree = next(axes for axes in figure.axes if axes.get_ylabel() == "1 − r")
    joined = [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in tree.lines]
    assert joined == [
        ([1, 1, 2, 2], [0, 0.1, 0.1, 0]),
        ([0, 0, 1.5, 1.5], [0, 1.05, 1.05, 0.1]),
    ]


def test_the_tree_stands_exactly_over_the_columns_of_the_map():
    figure = agreement(5)
    tree, axes = next(a for a in figure.axes if a.get_ylabel() == "1 − r"), heat(figure)
    figure.draw_without_rendering()
    ends = [(a.bbox.x0, a.bbox.x1, *a.get_xlim()) for a in (tree, axes)]
    assert ends[0] == pytest.approx(ends[1])


@pytest.mark.parametrize(("m", "numbers"), [(2, 2), (14, 182), (15, 0)])
def test_cells_carry_numbers_up_to_14_models(m, numbers):
    assert len(heat(agreement(m)).texts) == numbers


def test_a_missing_correlation_is_a_dash():
    r = np.array([[1, np.nan], [np.nan, 1]])
    axes = heat(agreement_figure(r, slugs(2), None, [0, 1], {}, kinds(2), []))
    assert [text.get_text() for text in axes.texts] == ["–", "–"]


def test_those_left_out_are_named_once_a_reason():
    figure = agreement(2, left_out=[("a", "not certain"), ("b", "constant"), ("c", "not certain")])
    assert "Left out: a, c (not certain); b (constant)." in words(figure)


@pytest.mark.parametrize(("m", "said"), [(0, "no model is left"), (1, "only m00 is left")])
def test_too_few_models_to_correlate_is_said_in_words(m, said):
    (text,) = texts(agreement(m, left_out=[("b", "not certain")]))
    assert said in re.sub(r"\s+", " ", text.get_text())
    assert "b (not certain)" in text.get_text()


def test_an_order_that_misses_a_model_is_refused():
    with pytest.raises(ValueError, match=r"order of 0\.\.1"):
        agreement_figure(np.eye(2), slugs(2), None, [0, 0], {}, kinds(2), [])


def test_a_tree_of_other_size_is_refused():
    with pytest.raises(ValueError, match=r"need \(1, 4\) merges"):
        agreement_figure(np.eye(2), slugs(2), np.zeros((2, 4)), [0, 1], {}, kinds(2), [])


def test_effects_have_a_panel_for_order_and_one_a_template():
    figure = effects_figure(*effects(3), {})
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["order of actions", "template ab", "template compare", "template repeat"]
    assert [len(marks(axes)) for axes in figure.axes] == [6] * 4


def test_the_smallest_order_effect_is_on_top_whatever_its_sign():
    orders, forms = effects(3, ("low",))
    orders = orders.with_columns(order_effect=pl.Series([0.3, -0.1, 0.2]))
    assert row_names(effects_figure(orders, forms, {}).axes[0]) == ["m01", "m02", "m00"]


def test_low_ambiguity_is_filled_and_high_is_hollow():
    axes = effects_figure(*effects(1), {}).axes[0]
    low, high = [line for line in axes.lines if line.get_marker() == "o"]
    assert same_color(low.get_markerfacecolor(), BY_KIND["llm"])
    assert same_color(high.get_markerfacecolor(), "white")


def test_effects_stand_around_a_line_at_zero():
    for axes in effects_figure(*effects(2), {}).axes:
        assert axes.lines[0].get_xdata() == [0, 0]
        assert axes.get_xlim()[0] == -axes.get_xlim()[1]


def test_null_effects_are_not_drawn_and_null_intervals_leave_the_mark():
    orders, forms = effects(2, ("low",))
    orders = orders.with_columns(
        order_effect=pl.Series([0.1, None]), order_effect_low=pl.lit(None, pl.Float64)
    )
    axes = effects_figure(orders, forms, {}).axes[0]
    assert len(marks(axes)) == 1
    assert len(axes.collections) == 0


def test_each_decoding_has_its_mark_and_the_study_is_filled():
    figure = decoding_figure(decodings(2), {})
    titles = [(axes.get_title(loc="left"), axes.get_xlabel()) for axes in figure.axes]
    assert titles == [(f"{way} ambiguity", name) for name in ("QF-E", "QF-C") for way in WAYS]
    for axes in figure.axes:
        assert (len(marks(axes, "D")), len(marks(axes, "o"))) == (2, 2)
        assert {line.get_markerfacecolor() for line in axes.lines if line.get_marker() == "o"} == {
            "white"
        }


def test_decodings_of_a_model_are_joined_from_the_study_on():
    table = decodings(1, ("low",), ("warm", "study"))
    study = table.filter(pl.col("decoding") == "study")["qf_e"][0]
    axes = decoding_figure(table, {}).axes[0]
    joined = axes.lines[0].get_xdata()
    assert len(joined) == 2
    assert joined[0] == study


def test_empty_tables_say_so():
    assert "no scenario was answered" in words(likelihood_figure(beliefs(1).clear(), {}))[0]
    assert (
        "no scenario was answered" in words(consistency_figure(consistency(1).clear(), {}, {}))[0]
    )
    assert "no scenario was answered" in words(decoding_figure(decodings(1).clear(), {}))[0]
    cleared = [table.clear() for table in effects(1)]
    assert "no scenario was answered" in words(effects_figure(*cleared, {}))[0]


def test_the_same_tables_give_the_same_bytes(tmp_path):
    for turn in ("first", "second"):
        for number, figure in enumerate(drawn(2, ("low",))):
            save(figure, tmp_path / f"{turn}-{number}.svg")
    for number in range(5):
        first, second = (tmp_path / f"{turn}-{number}.svg" for turn in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


def test_the_same_table_gives_the_same_pdf(tmp_path):
    paths = [tmp_path / "first.pdf", tmp_path / "second.pdf"]
    for path in paths:
        save(consistency_figure(consistency(2, ("low",)), COIN, {}), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_order_of_rows_in_the_table_does_not_move_the_labels():
    def places(table):
        (axes,) = consistency_figure(table, COIN, {}).axes
        return {text.get_text(): pytest.approx(text.xyann) for text in axes.texts}

    table = consistency(6, ("low",))
    assert places(table) == {
        name: place.expected for name, place in places(table.reverse()).items()
    }


def test_long_names_keep_what_tells_versions_apart():
    names = [f"meta-llama/Meta-Llama-3.1-{size}-Instruct" for size in ("8B", "70B")]
    short = [short_name("m", {"m": name}) for name in names]
    assert short == ["meta-llama/Me…1-8B-Instruct", "meta-llama/Me…1-70B-Instruct"]
    assert short_name("m", {}) == "m"


def test_labels_of_points_in_one_place_spread_inside_the_frame():
    points, sizes = np.full((8, 2), 20.0), np.full((8, 2), (30.0, 8.0))
    frame = np.array([0.0, 0.0, 200.0, 150.0])
    centres = spread_labels(points, sizes, frame, np.empty((0, 4)))
    gaps = np.abs(centres[:, None] - centres)[np.triu_indices(8, 1)]
    assert ((gaps >= sizes[0]).any(axis=1)).all()
    assert (centres >= sizes / 2).all()
    assert (centres + sizes / 2 <= frame[2:]).all()


def test_a_label_keeps_off_a_bar():
    """A level bar through the point: the label stands above or below it, not on it."""
    bars = np.array([[-100.0, 50.0, 200.0, 50.0]])
    size = np.array([[30.0, 8.0]])
    frame = np.array([0.0, 0.0, 100.0, 100.0])
    ((_, y),) = spread_labels(np.array([[50.0, 50.0]]), size, frame, bars)
    assert abs(y - 50) >= 4
