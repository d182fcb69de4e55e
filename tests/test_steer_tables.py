"""Score tables of STEER: a worked example by hand, plain loops on random data, and laws.

In the worked example ``mid`` builds on ``base``, with guess rates of 1/4 and 1/2. A question is named
element/domain/grade/story/number; its story is its cluster.
"""

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm, t

from rationale.inference import wilson
from rationale.reporting.index import Provenance, Steer, index_page
from rationale.reporting.replies import SCHEMA as REPLIES
from rationale.reporting.steer import ELEMENTS, PARTS, SCORES, elements_table, parts_table
from rationale.reporting.steer import scores_table as scores_of
from rationale.reporting.steer_across import (
    DIFFERENCES,
    EFFECTS,
    differences_table,
    form_effects_table,
)
from rationale.reporting.steer_latex import scores_latex
from rationale.reporting.steer_sheets import calibration_of, sheets_of
from rationale.surveys.steer.taxonomy import Element, Taxonomy

DRAWS = 60
GUESS = {"base": 0.5, "mid": 0.25, "top": 0.2}
SCHEMA = {
    **dict.fromkeys(
        ("form", "question_id", "element", "module", "setting", "domain", "template", "status"),
        pl.String,
    ),
    **dict.fromkeys(("grade", "key", "shots", "wanted"), pl.Int64),
    "right": pl.Boolean,
    "guess_rate": pl.Float64,
    "p_options": pl.List(pl.Float64),
}


def element(slug, module, *requires):
    return Element(slug, slug, "", "one" if module == "m1" else "two", module, {}, requires)


TAXONOMY = Taxonomy(
    {
        "base": element("base", "m1"),
        "mid": element("mid", "m1", "base"),
        "top": element("top", "m2", "mid"),
    },
    {"one": "One", "two": "Two"},
    {"m1": "Module 1", "m2": "Module 2"},
    {"finance": "Finance", "medicine": "Medicine"},
)
WORKED = {
    **{"base/finance/1/s1/0": 1, "base/finance/1/s1/1": 1},
    **{"base/finance/2/s2/0": 1, "base/finance/2/s2/1": 0},
    **{"base/medicine/1/s3/0": 1, "base/medicine/1/s3/1": 0},
    **{"base/medicine/2/s4/0": 1, "base/medicine/2/s4/1": None},
    **{"mid/finance/1/s5/0": 1, "mid/finance/1/s5/1": 1},
    **{"mid/medicine/2/s6/0": 0, "mid/medicine/2/s6/1": 1},
}


def graded(right, form="plain", p_options=None, **columns):
    """Rows of a graded table; ``p_options`` by question, whose key is option 1."""
    rows = []
    for name, value in right.items():
        slug, domain, grade, story, _ = name.split("/")
        known = TAXONOMY.elements.get(slug, element(slug, "m1"))
        given = (p_options or {}).get(name)
        rows.append(
            {
                **{"form": form, "question_id": name, "element": slug, "module": known.module},
                **{"setting": known.setting, "domain": domain, "grade": int(grade)},
                **{"template": story, "status": "invalid" if value is None else "answered"},
                **{"right": None if value is None else bool(value)},
                **{"guess_rate": GUESS.get(slug, 0.25), "p_options": given},
                **{"key": None if given is None else 1, "shots": 0, "wanted": 0},
                **columns,
            }
        )
    return pl.DataFrame(rows, schema=SCHEMA)


def sheets(kind="llm", **tables):
    found = {name: pl.concat(t) if isinstance(t, list) else t for name, t in tables.items()}
    kinds = {name: "simulated" if name.startswith("sim") else kind for name in found}
    return sheets_of(found, kinds, TAXONOMY, 1, DRAWS)


def score(right, **others):
    return scores_of(sheets(m=graded(right, **others))).row(0, named=True)


def test_accuracy_of_the_worked_example():
    """base: 5 of 7 read, mid: 3 of 4. 8/11; guessing (7/2 + 4/4)/11 = 9/22; (8 - 4.5)/(11 - 4.5) =
    7/13; as printed (8 - 4.5)/4.5 = 7/9; 1 of 12 unread, which was invalid."""
    row = score(WORKED)
    assert (row["questions"], row["answered"]) == (12, 11)
    expected = {"accuracy": 8 / 11, "guess_rate": 9 / 22, "normalised": 7 / 13, "printed": 7 / 9}
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert (row["unread"], row["invalid"], row["refused"]) == pytest.approx((1 / 12, 1 / 12, 0))


def test_unread_questions_bound_accuracy_of_all():
    """8 of 12 put were right, 1 was not read: 8/12 at worst, 9/12 at best."""
    row = score(WORKED)
    assert (row["accuracy_worst"], row["accuracy_best"]) == pytest.approx((8 / 12, 9 / 12))


def test_with_nothing_read_accuracy_may_be_anything():
    row = score(dict.fromkeys(WORKED))
    assert (row["accuracy_worst"], row["accuracy_best"]) == (0, 1)


def test_an_element_weighs_the_same_in_the_mean_over_elements():
    """base: (5 - 7/2)/(7 - 7/2) = 3/7; mid: (3 - 1)/(4 - 1) = 2/3; the mean is 23/42."""
    assert score(WORKED)["normalised_elements"] == pytest.approx(23 / 42)


def test_elements_without_an_answer_are_in_no_mean():
    right = {name: value if name.startswith("base") else None for name, value in WORKED.items()}
    assert score(right)["normalised_elements"] == pytest.approx(3 / 7)


def test_all_right_has_wilsons_interval_in_the_mean_over_elements():
    """w is Wilson's lower bound for 8 of 8 stories: the mean of (w - 1/2)/(1/2) and (w - 1/4)/(3/4)."""
    row = score({f"{slug}/finance/1/s{n}/0": 1 for slug in ("base", "mid") for n in range(4)})
    low = wilson(8, 8).low
    expected = ((low - 0.5) / 0.5 + (low - 0.25) / 0.75) / 2
    assert row["normalised_elements"] == 1
    assert row["normalised_elements_low"] == pytest.approx(expected)


def test_answers_read_in_the_worst_domain_are_counted():
    """base: 2/3 in medicine, of 3 read, against 3/4; mid: 1/2 in medicine, of 2 read."""
    table = elements_table(sheets(m=graded(WORKED)))
    assert table["worst_answered"].to_list() == [3, 2]


def test_of_equal_domains_the_worst_is_that_with_more_guessing():
    """Right in 1 of 2 in both: over a guess rate of 1/2 that is 0, over 1/4 it is 1/3."""
    rows = [
        graded({f"base/{domain}/1/{domain}{n}/0": n for n in range(2)}, guess_rate=guess)
        for domain, guess in (("finance", 0.25), ("medicine", 0.5))
    ]
    table = elements_table(sheets(m=rows))
    assert table["worst_domain"].to_list() == ["medicine"]
    assert table["worst_normalised"].to_list() == [0]


def test_robustness_of_the_worked_example():
    """Finance 3/4 and 2/2: 5/6. Medicine 2/3 and 1/2: 3/5. mid stands 3/4 - 1/4 above guessing, base
    5/7 - 1/2: 1/2 - 3/14 = 2/7."""
    row = score(WORKED)
    assert (row["worst_domain"], row["worst_accuracy"]) == ("medicine", pytest.approx(3 / 5))
    assert row["dependency"] == pytest.approx(2 / 7)


def test_every_interval_holds_its_estimate():
    p = {name: [0.7, 0.2, 0.1] for name in WORKED}
    row = score(WORKED, p_options=p)
    for name in (name.removesuffix("_low") for name in SCORES if name.endswith("_low")):
        assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"], name


def test_parts_of_the_worked_example():
    """Grade 1: 5 of 6; grade 2: 3 of 5 read of 6. Setting and module hold all."""
    table = parts_table(sheets(m=graded(WORKED)))
    found = {(row["by"], row["part"]): row for row in table.iter_rows(named=True)}
    assert list(found) == [
        *[("setting", "one"), ("module", "m1"), ("domain", "finance"), ("domain", "medicine")],
        *[("grade", "1"), ("grade", "2")],
    ]
    assert found["grade", "1"]["accuracy"] == pytest.approx(5 / 6)
    assert found["grade", "2"]["accuracy"] == pytest.approx(3 / 5)
    assert found["grade", "2"]["unread"] == pytest.approx(1 / 6)
    assert found["module", "m1"]["normalised"] == pytest.approx(7 / 13)


def test_elements_of_the_worked_example():
    """mid: worst in medicine, 1/2, which is (1/2 - 1/4)/(3/4) = 1/3 above guessing."""
    table = elements_table(sheets(m=graded(WORKED)))
    base, mid = table.iter_rows(named=True)
    assert (base["element"], base["dependency"], base["dependency_low"]) == ("base", None, None)
    assert (mid["worst_domain"], mid["worst_accuracy"]) == ("medicine", 0.5)
    assert mid["worst_normalised"] == pytest.approx(1 / 3)
    assert mid["dependency"] == pytest.approx(2 / 7)


def test_dependency_by_noise_alone():
    """Four stories of one question, half of them right, in base and mid. Residuals are 1/2: a pooled
    variance of 8/4/6 = 1/3, a standard error of sqrt(4/3)/4 each, of the gap s = sqrt(1/6). A normal
    number has a positive part of s / sqrt(2 pi) on average, 0.163."""
    right = {f"{slug}/finance/1/{slug}{n}/{n}": n % 2 for slug in ("base", "mid") for n in range(4)}
    found = sheets_of({"m": graded(right)}, {"m": "llm"}, TAXONOMY, 1, 4000)
    row = scores_of(found).row(0, named=True)
    assert row["dependency"] == pytest.approx(0.25)  # (1/2 - 1/4) - (1/2 - 1/2)
    assert row["dependency_chance"] == pytest.approx(np.sqrt(1 / 6) / np.sqrt(2 * np.pi), rel=0.05)
    assert row["dependency_low"] == 0
    assert row == scores_of(found).row(0, named=True)


def test_guessing_is_not_told_from_resting_on_prerequisites():
    """Of 60 respondents that guess, whose dependency is 0, at most 5 % may have an interval above 0;
    5 or more of 60 would be one chance in 6."""
    rng = np.random.default_rng(8)
    names = [f"{slug}/finance/1/{slug}{n}/{n}" for slug in GUESS for n in range(6)]
    above = 0
    for _ in range(60):
        right = {name: rng.random() < GUESS[name.split("/")[0]] for name in names}
        above += score(right)["dependency_low"] > 0
    assert above < 5


def test_a_single_story_of_each_element_says_nothing_of_noise():
    row = score({"base/finance/1/s1/0": 0, "mid/finance/1/s2/0": 1})
    assert row["dependency"] == pytest.approx(0.75 + 0.5)
    assert (row["dependency_chance"], row["dependency_low"]) == (None, 0)


def test_a_domain_of_few_elements_is_not_the_worst_of_all():
    """Three elements in finance, one in medicine: medicine has less than half as many."""
    right = {f"{slug}/finance/1/{slug}/0": 1 for slug in GUESS} | {"base/medicine/1/x/0": 0}
    row = score(right)
    assert (row["worst_domain"], row["worst_accuracy"]) == ("finance", 1)


def test_calibration_by_hand():
    """Top 0.9 right, 0.95 wrong (p of the key 0.05), 0.55 right; bins (0.9, 1], (0.8, 0.9], (0.5, 0.6].

    Gaps 0.1, 0.95, 0.45 over 3: 0.5. Brier 2·0.01, 2·0.9025, 2·0.2025: 2.23/3. p_key 1.5/3."""
    names = list(WORKED)[:3]
    p = dict(zip(names, ([0.9, 0.1], [0.05, 0.95], [0.55, 0.45]), strict=True))
    row = score(WORKED, p_options=p)
    assert row["calibrated"] == 3
    assert (row["ece"], row["brier"], row["p_key"]) == pytest.approx((0.5, 2.23 / 3, 0.5))


def test_probabilities_of_unread_replies_do_not_count():
    row = score(WORKED, p_options={"base/medicine/2/s4/1": [1.0, 0.0]})
    assert (row["calibrated"], row["ece"], row["p_key"]) == (0, None, None)


def one(p, key=1):
    table = graded({"base/finance/1/s/0": 1}, p_options={"base/finance/1/s/0": p}, key=key)
    return tuple(float(array[0]) for array in calibration_of(table))


def test_what_went_to_other_words_is_given_to_nothing():
    """0.6 on the key and 0.1: (1 - 0.6)² + 0.1² = 0.17."""
    assert one([0.6, 0.1]) == pytest.approx((0.6, 1, 0.17, 0.6))


def test_sums_above_1_are_scaled():
    assert one([0.9, 0.6]) == pytest.approx((0.6, 1, 0.32, 0.6))


def test_of_equal_options_the_first_is_on_top():
    assert one([0.5, 0.5], key=2)[:2] == (0.5, 0)


def test_no_probability_at_all_is_nothing_to_score():
    assert np.isnan(one([0.0, 0.0])).all()


def test_options_of_different_numbers_stand_side_by_side():
    names = list(WORKED)[:2]
    p = dict(zip(names, ([1.0], [0.25, 0.25, 0.5]), strict=True))
    found = calibration_of(graded(WORKED, p_options=p))
    assert found.brier[:2] == pytest.approx([0, 0.5625 + 0.0625 + 0.25])
    assert found.top_right[:2].tolist() == [1, 0]


def test_right_answers_miss_calibration_by_what_they_lack_in_confidence():
    """Everything right at confidences 0.75 and 0.85: ECE is the mean of 0.25 and 0.15."""
    names = [f"base/finance/1/s{n}/0" for n in range(6)]
    p = {name: [0.75, 0.25] if n % 2 else [0.85, 0.15] for n, name in enumerate(names)}
    row = score(dict.fromkeys(names, 1), p_options=p)
    assert row["ece"] == pytest.approx(0.2)
    assert row["p_key"] == pytest.approx(0.8)


def test_as_good_as_guessing_is_0():
    right = {f"base/finance/1/s{n}/0": n % 2 for n in range(8)}
    row = score(right)
    assert (row["normalised"], row["printed"]) == (0, 0)
    assert row["normalised_low"] < 0 < row["normalised_high"]


def test_all_right_has_wilsons_interval_also_when_normalised():
    """Guess rate 1/2 and w Wilson's lower bound for 8 of 8 clusters: (w - 1/2) / (1/2)."""
    row = score({f"base/finance/1/s{n}/0": 1 for n in range(8)})
    low = wilson(8, 8).low
    assert (row["accuracy"], row["accuracy_low"]) == pytest.approx((1, low))
    assert (row["normalised_low"], row["normalised_high"]) == pytest.approx(((low - 0.5) / 0.5, 1))
    assert (row["worst_accuracy_low"], row["worst_accuracy_high"]) == pytest.approx((low, 1))


def test_where_guessing_is_never_right_normalised_is_accuracy():
    row = score(WORKED, form="free", guess_rate=0.0)
    assert row["normalised"] == row["accuracy"]
    assert row["printed"] is None


def test_a_model_with_nothing_read_has_no_scores():
    found = sheets(m=graded(dict.fromkeys(WORKED)), other=graded(WORKED))
    row = scores_of(found).row(0, named=True)
    assert (row["questions"], row["answered"], row["unread"]) == (12, 0, 1)
    names = ("accuracy", "normalised", "guess_rate", "printed", "ece", "brier", "p_key")
    assert {row[name] for name in (*names, "worst_domain", "worst_accuracy", "dependency")} == {
        None
    }
    assert elements_table(found)["accuracy"].to_list()[:2] == [None, None]
    assert elements_table(found)["worst_domain"].to_list()[:2] == [None, None]
    pair = differences_table(found).row(0, named=True)
    assert (pair["questions"], pair["difference"], pair["win_share"]) == (0, None, None)
    assert "--" in scores_latex(scores_of(found), {})


def test_questions_with_fewer_examples_than_wanted_are_counted():
    assert score(WORKED, shots=1, wanted=4)["shortened"] == 12


def test_an_element_that_the_taxonomy_lacks_is_named():
    with pytest.raises(ValueError, match=r"m, form plain: found the element sunk"):
        elements_table(sheets(m=graded({"sunk/finance/1/s/0": 1})))


def test_published_questions_have_domains_of_their_own_and_need_no_story():
    """3 of 4 right in a domain of the authors, as a cluster without a name; all 12 in finance."""
    bank = {f"base/finance/1/s{n}/0": 1 for n in range(12)}
    own = {f"base/sport/1/-/{n}": int(n < 3) for n in range(4)}
    table = pl.concat([graded(bank), graded(own).with_columns(template=pl.lit(None, pl.String))])
    row = scores_of(sheets(m=table)).row(0, named=True)
    assert (row["questions"], row["accuracy"]) == (16, pytest.approx(15 / 16))
    assert (row["worst_domain"], row["worst_accuracy"]) == ("sport", pytest.approx(3 / 4))


def test_the_page_names_forms_in_which_nothing_could_be_put():
    found = sheets(m=graded(WORKED))
    forms = {"model": "m", "study": "steer", "form": ["plain", "free"], "respondent": "llm"}
    replies = pl.DataFrame(forms).select(
        *forms, *(pl.lit(0).alias(name) for name in REPLIES if name not in forms)
    )
    replies = replies.with_columns(pl.lit(None).alias(day) for day in ("first_asked", "last_asked"))
    where = Provenance(replies, {"steer": {"versions": {}, "git": None, "tables": {}}})
    tables = Steer(scores_of(found), elements_table(found))
    page = index_page(None, None, [], {}, 1, where, tables)
    assert "None of the questions can be put in: free." in page


def test_the_page_tells_what_unread_replies_leave_open():
    """8 of 12 right at worst, 9 of 12 at best."""
    found = sheets(m=graded(WORKED))
    page = index_page(None, None, [], {}, 1, None, Steer(scores_of(found), elements_table(found)))
    assert "<td>67 to 75 %</td>" in page


def test_tables_have_their_columns():
    found = sheets(m=graded(WORKED), n=graded(WORKED))
    assert scores_of(found).schema == SCORES
    assert parts_table(found).schema == PARTS
    assert elements_table(found).schema == ELEMENTS
    assert differences_table(found).schema == DIFFERENCES


# --- another way to the same numbers -------------------------------------------------------------


def random_tables(seed, models=2, forms=("plain", "free")):
    """Questions of three elements, told by stories of unequal sizes, with gaps and probabilities."""
    rng = np.random.default_rng(seed)
    names = [
        f"{slug}/{domain}/{1 + n % 3}/{slug}-{domain}-{n // 3}/{n}"
        for slug in GUESS
        for domain in ("finance", "medicine")
        for n in range(8)
    ]
    tables = {}
    for model in range(models):
        parts = []
        for form in forms:
            right = {name: [1, 1, 0, None][rng.integers(4)] for name in names if rng.random() < 0.9}
            p = {name: rng.dirichlet(np.ones(3)).tolist() for name in right if rng.random() < 0.7}
            parts.append(graded(right, form, p))
        tables[f"m{model}"] = pl.concat(parts)
    return tables


def naive_scores(rows):
    """Scores of a list of rows, one loop at a time."""
    read = [row for row in rows if row["right"] is not None]
    right = sum(row["right"] for row in read)
    guess = sum(row["guess_rate"] for row in read)
    told = [row for row in read if row["p_options"] is not None]
    bins = {}
    for row in told:
        confidence = max(row["p_options"])
        gap = (row["p_options"].index(confidence) + 1 == row["key"]) - confidence
        bins.setdefault(int(np.ceil(confidence * 10)), []).append(gap)
    gaps, domains = {}, {}
    for row in read:
        gaps.setdefault(row["element"], []).append(row["right"] - row["guess_rate"])
        domains.setdefault(row["domain"], []).append(row["right"])
    gaps = {name: sum(values) / len(values) for name, values in gaps.items()}
    needed = {"mid": ["base"], "top": ["mid", "base"]}
    above = [
        sum(max(0, gaps[slug] - gaps[one]) for one in needed[slug] if one in gaps)
        for slug in needed
        if slug in gaps and any(one in gaps for one in needed[slug])
    ]
    return {
        "accuracy": right / len(read),
        "normalised_elements": np.mean(
            [mean_gap / (1 - GUESS[slug]) for slug, mean_gap in gaps.items()]
        ),
        "normalised": (right - guess) / (len(read) - guess),
        "ece": sum(abs(sum(values)) for values in bins.values()) / len(told),
        "brier": sum(
            sum((p - (n + 1 == row["key"])) ** 2 for n, p in enumerate(row["p_options"]))
            for row in told
        )
        / len(told),
        "p_key": sum(row["p_options"][row["key"] - 1] for row in told) / len(told),
        "worst_accuracy": min(sum(values) / len(values) for values in domains.values()),
        "dependency": sum(above) / len(above),
        "unread": 1 - len(read) / len(rows),
    }


SHIFTED = {"ece": (0, 1), "worst_accuracy": (0, 1), "dependency": (0, np.inf)}


def naive_interval(name, estimate, drawn, clusters):
    tail = norm.cdf(-np.sqrt(clusters / (clusters - 1)) * t.ppf(0.975, clusters - 1))
    low, high = np.quantile(drawn, [tail, 1 - tail])
    if name not in SHIFTED:
        return low, high
    low, high = np.clip(np.array([low, high]) - 2 * (np.mean(drawn) - estimate), *SHIFTED[name])
    return min(low, estimate), max(high, estimate)


def test_scores_equal_plain_loops_over_resampled_questions():
    """Each draw copies a story's questions as often as it is drawn and scores them from scratch."""
    found = sheets(**random_tables(3, models=1, forms=("plain",)))
    row, resampled = scores_of(found).row(0, named=True), found[0].resampled
    rows = found[0].rows.to_dicts()
    clusters = {name: [] for name in resampled.names}
    for one in rows:
        clusters[one["element"], one["template"]].append(one)
    drawn = [
        naive_scores([r for w, c in zip(draw, clusters.values(), strict=True) for r in c * int(w)])
        for draw in resampled.weights
    ]

    def count(fits):
        return sum(any(fits(one) for one in cluster) for cluster in clusters.values())

    told = count(lambda one: one["right"] is not None and one["p_options"] is not None)
    numbers = {
        **dict.fromkeys(SCORES, count(lambda one: one["right"] is not None)),
        **dict.fromkeys(("ece", "brier", "p_key"), told),
        "unread": count(lambda one: True),
        "worst_accuracy": count(
            lambda one: one["right"] is not None and one["domain"] == row["worst_domain"]
        ),
    }
    for name, estimate in naive_scores(rows).items():
        low, high = naive_interval(name, estimate, [one[name] for one in drawn], numbers[name])
        assert row[name] == pytest.approx(estimate), name
        if name == "dependency":  # whose lower end also allows for noise
            assert row["dependency_low"] <= low
            low = row["dependency_low"]
        assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx((low, high)), name


def test_elements_equal_scores_of_their_own_questions():
    """An element's row is the row of all in a table that holds no other element."""
    table = random_tables(4, models=1, forms=("plain",))["m0"]
    own = score_of_rows(table.filter(pl.col("element") == "top"))
    row = elements_table(sheets(m=table)).filter(element="top").row(0, named=True)
    for name in ("accuracy", "normalised", "worst_domain", "worst_accuracy", "unread"):
        assert row[name] == (own[name] if isinstance(own[name], str) else pytest.approx(own[name]))


def score_of_rows(table):
    return scores_of(sheets(m=table)).row(0, named=True)


def naive_pair(one, two, column="right"):
    """(mean difference, clustered p, questions) of two lists of rows matched by question."""
    others = {row["question_id"]: row for row in two}
    gaps = {}
    for row in one:
        other = others.get(row["question_id"])
        if other and row[column] is not None and other[column] is not None:
            cluster = gaps.setdefault((row["element"], row["template"]), [])
            cluster.append(int(row[column]) - int(other[column]))
    every = [gap for values in gaps.values() for gap in values]
    mean, C = sum(every) / len(every), len(gaps)
    residuals = sum(sum(gap - mean for gap in values) ** 2 for values in gaps.values())
    error = np.sqrt(C / (C - 1) * residuals) / len(every)
    return mean, 2 * t.sf(abs(mean / error), C - 1), len(every)


def test_differences_equal_plain_loops():
    tables = random_tables(5, models=3, forms=("plain",))
    for row in differences_table(sheets(**tables)).iter_rows(named=True):
        pair = (tables[row[name]].to_dicts() for name in ("model_1", "model_2"))
        found = row["difference"], row["p"], row["questions"]
        assert found == pytest.approx(naive_pair(*pair))


def test_effects_equal_plain_loops():
    table = random_tables(6, models=1)["m0"]
    row = form_effects_table(sheets(m0=table)).filter(by="all").row(0, named=True)
    free, plain = (table.filter(form=form).to_dicts() for form in ("free", "plain"))
    assert (row["effect"], row["p"], row["questions"]) == pytest.approx(naive_pair(free, plain))


# --- across models and forms ---------------------------------------------------------------------


def run(*values, slug="base", domain="finance"):
    """Questions of an element in stories of their own."""
    return {f"{slug}/{domain}/1/s{n}/0": value for n, value in enumerate(values)}


def test_differences_by_hand():
    """Read in both: 3 of base (1, 1, 0 against 0, 0, 0) and 1 of mid, right in both. Difference 2/4;
    one wins base 2 : 0 and mid is a tie, so that it wins 1.5 of 2."""
    first = run(1, 1, 0, 1) | run(1, slug="mid")
    second = run(0, 0, 0, None) | run(1, slug="mid")
    row = differences_table(sheets(a=graded(first), b=graded(second))).row(0, named=True)
    assert (row["questions"], row["difference"]) == (4, 0.5)
    assert (row["elements"], row["wins_1"], row["wins_2"], row["ties"]) == (2, 1, 0, 1)
    assert (row["win_share"], row["p_holm"], row["verdict"]) == (0.75, row["p"], "not resolved")


def test_the_better_one_is_named_on_either_side():
    """12 stories right against wrong: 2/2^12 < 0.05."""
    good, bad = graded(run(*[1] * 12)), graded(run(*[0] * 12))
    for tables in ({"good": good, "bad": bad}, {"bad": bad, "good": good}):
        row = differences_table(sheets(**tables)).row(0, named=True)
        assert (row["verdict"], row["p"]) == ("good", 2**-11)


def test_pairs_with_simulated_respondents_are_a_family_of_their_own():
    """a - b is the only hypothesis of models: Holm leaves it; sim's two pairs are doubled or 1."""
    tables = random_tables(7, models=3, forms=("plain",))
    named = dict(zip(("a", "b", "sim"), tables.values(), strict=True))
    table = differences_table(sheets(**named))
    p = dict(zip(table.select("model_1", "model_2").rows(), table["p"], strict=True))
    adjusted = dict(zip(table.select("model_1", "model_2").rows(), table["p_holm"], strict=True))
    assert adjusted["a", "b"] == p["a", "b"]
    smaller = min((("a", "sim"), ("b", "sim")), key=p.get)
    assert adjusted[smaller] == pytest.approx(min(1, 2 * p[smaller]))


def test_a_form_of_one_model_gives_no_pairs():
    found = sheets(a=[graded(WORKED), graded(WORKED, "free")], b=graded(WORKED))
    assert differences_table(found)["form"].to_list() == ["plain"]


def test_one_model_gives_an_empty_table_with_all_columns():
    table = differences_table(sheets(a=graded(WORKED)))
    assert (len(table), table.schema) == (0, DIFFERENCES)
    empty = form_effects_table(sheets(a=graded(WORKED)))
    assert (len(empty), empty.schema) == (0, EFFECTS)


def test_two_that_answer_alike_do_not_differ():
    row = differences_table(sheets(a=graded(WORKED), b=graded(WORKED))).row(0, named=True)
    assert (row["difference"], row["low"], row["high"], row["p"]) == (0, 0, 0, 1)
    assert row["win_share"] == 0.5


def test_effects_of_a_form_by_hand():
    """Read in both: 3. Plain 1, 0, 0 and free 1, 1, 1: 1/3 against 1, an effect of 2/3."""
    table = [graded(run(1, 0, 0, None)), graded(run(1, 1, 1, 1), "free")]
    row = form_effects_table(sheets(m=table)).row(0, named=True)
    assert (row["by"], row["part"], row["questions"]) == ("all", "all", 3)
    found = row["plain"], row["accuracy"], row["effect"]
    assert found == pytest.approx((1 / 3, 1, 2 / 3))
    assert (row["p_key_effect"], row["verdict"]) == (None, "not resolved")


def test_effects_on_probabilities_are_over_those_told_in_both():
    """0.5 to 0.7 and 0.4 to 0.8: 0.3; the third question has none in plain."""
    names = list(run(1, 1, 1))
    plain = dict(zip(names, ([0.5, 0.5], [0.4, 0.6]), strict=False))
    shots = dict(zip(names, ([0.7, 0.3], [0.8, 0.2], [1.0, 0.0]), strict=True))
    table = [graded(run(1, 1, 1), "plain", plain), graded(run(1, 1, 1), "shots-1", shots)]
    row = form_effects_table(sheets(m=table)).row(0, named=True)
    assert row["p_key_effect"] == pytest.approx(0.3)


def test_effects_of_parts_have_families_of_their_own():
    """Two settings of 8 stories: one turns right (2/2^8, doubled), the other stays (p = 1)."""
    before = run(*[0] * 8) | run(*[1] * 8, slug="top")
    after = dict.fromkeys(before, 1)
    table = form_effects_table(sheets(m=[graded(before), graded(after, "together")]))
    found = {row["part"]: row for row in table.filter(by="setting").iter_rows(named=True)}
    assert found["one"]["p_holm"] == pytest.approx(2 * 2**-7)
    assert (found["one"]["verdict"], found["two"]["verdict"]) == ("better", "not resolved")
    parts = ["setting", "setting", "module", "module", "element", "element", "grade"]
    assert table["by"].to_list() == ["all", *parts]


def test_comparisons_say_how_many_questions_were_put():
    """One of 12 is unread in plain, so that 11 are compared, of all 12 or of the 6 of grade 2: 5."""
    other = dict.fromkeys(WORKED, 1)
    table = form_effects_table(sheets(m=[graded(WORKED), graded(other, "together")]))
    found = {(row["by"], row["part"]): row for row in table.iter_rows(named=True)}
    assert [found["all", "all"][name] for name in ("put", "questions")] == [12, 11]
    assert [found["grade", "2"][name] for name in ("put", "questions")] == [6, 5]
    table = differences_table(sheets(a=graded(WORKED), b=graded(other)))
    assert table.select("put", "questions").row(0) == (12, 11)


def test_without_plain_there_are_no_effects():
    assert form_effects_table(sheets(m=graded(WORKED, "free"))).is_empty()


def test_plain_comes_first_of_the_forms():
    found = scores_of(sheets(m=[graded(WORKED, "free"), graded(WORKED)]))
    assert found["form"].to_list() == ["plain", "free"]


def test_latex_marks_simulated_respondents_and_escapes_names():
    found = scores_of(sheets(sim=graded(WORKED), m=graded(WORKED)))
    text = scores_latex(found, {"m": "50% & more_"})
    assert r"sim$^\dagger$ & 0.73" in text
    assert r"50\% \& more\_ & 0.73" in text
