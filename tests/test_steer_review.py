"""People's review of questions: the sample, the page, the files, and what they add up to."""

import json
import re
import shutil
import subprocess
from collections import Counter

import polars as pl
import pytest
import steer

from rationale.reporting.review import render_review
from rationale.schema import DocumentError
from rationale.surveys.steer.bank import question_table
from rationale.surveys.steer.review import (
    fingerprints,
    read_judgements,
    rejections,
    review_sample,
    validity,
)

SCHEMA = steer.SCHEMAS / "review.schema.json"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def table():
    return question_table(
        [
            *steer.questions("sunk-cost", total=60),
            *steer.questions("addition-subtraction", total=60),
        ]
    )


@pytest.fixture(scope="module")
def sample(table):
    return review_sample(table, 2, seed=5)


@pytest.fixture
def judged(tmp_path, sample):
    """Write a file of judgements and read it again; a judgement is (place, verdict, reason)."""
    marks = fingerprints(sample)
    names = list(marks)

    def write(*judgements, **changes):
        rows = [
            {
                "question_id": names[place],
                "fingerprint": marks[names[place]],
                "verdict": verdict,
                "reason": reason,
                **changes,
            }
            for place, verdict, reason in judgements
        ]
        path = tmp_path / "review.json"
        path.write_text(json.dumps({"reviewer": "Ana", "judgements": rows}))
        return read_judgements(path, sample, SCHEMA)

    return write


def overall(sample, judgements):
    return validity(sample, judgements, steer.taxonomy()).row(0, named=True)


def test_every_cell_has_as_many_questions_as_asked_for(sample):
    questions = sample.unique("question_id")
    assert set(questions.group_by("element", "domain", "grade").len()["len"]) == {2}


def test_a_larger_sample_holds_a_smaller_one(table, sample):
    larger = review_sample(table, 4, seed=5)
    assert set(sample["question_id"]) <= set(larger["question_id"])


def test_another_seed_draws_another_sample(table, sample):
    assert set(review_sample(table, 2, seed=6)["question_id"]) != set(sample["question_id"])


def test_one_rejection_of_four_is_three_quarters(judged, sample):
    """3 of 4: Wilson's 95 % interval is 0.301 to 0.954."""
    ana = judged((0, "accept", ""), (1, "accept", ""), (2, "reject", "odd"), (3, "accept", ""))
    row = overall(sample, {"Ana": ana})
    assert (row["reviewed"], row["accepted"], row["rate"]) == (4, 3, 0.75)
    assert (row["low"], row["high"]) == pytest.approx((0.3006, 0.9544), abs=1e-4)


def test_a_question_that_one_of_two_rejects_is_not_accepted(judged, sample):
    ana = judged((0, "accept", ""), (1, "accept", ""))
    ben = judged((0, "accept", ""), (1, "reject", "no"))
    row = overall(sample, {"Ana": ana, "Ben": ben})
    assert (row["accepted"], row["reviewers"], row["judged_twice"]) == (1, 2, 2)


def test_agreement_and_alpha_of_two_reviewers(judged, sample):
    """Units (a,a), (a,a), (r,r), (a,r): 3 of 4 pairs agree.

    Of 8 values 5 are a and 3 r: expected disagreement 2 * 5 * 3 / (8 * 7) = 30/56, observed 1/4,
    so alpha = 1 - (1/4) / (30/56) = 1 - 14/30 = 0.5333.
    """
    ana = judged(*((n, v, "x") for n, v in enumerate(["accept", "accept", "reject", "accept"])))
    ben = judged(*((n, v, "x") for n, v in enumerate(["accept", "accept", "reject", "reject"])))
    row = overall(sample, {"Ana": ana, "Ben": ben})
    assert row["agreement"] == 0.75
    assert row["alpha"] == pytest.approx(1 - 14 / 30)


def test_an_element_that_nobody_judged_has_no_rate(judged, sample):
    ana = judged((0, "accept", ""))
    rows = validity(sample, {"Ana": ana}, steer.taxonomy()).filter(scope="element")
    untouched = rows.filter(reviewed=0).row(0, named=True)
    assert (untouched["rate"], untouched["low"], untouched["agreement"]) == (None, None, None)


def test_the_scopes_add_up(judged, sample):
    ana = judged(*((n, "accept", "") for n in range(12)))
    counts = (
        validity(sample, {"Ana": ana}, steer.taxonomy())
        .group_by("scope")
        .agg(pl.col("questions", "reviewed").sum())
    )
    assert set(counts["questions"]) == {sample["question_id"].n_unique()}
    assert set(counts["reviewed"]) == {12}


def test_rejections_are_listed_with_their_reasons(judged, sample):
    found = rejections(sample, {"Ana": judged((0, "accept", ""), (1, "reject", "two right"))})
    assert found.select("reviewer", "reason").rows() == [("Ana", "two right")]


@pytest.mark.parametrize(
    ("judgements", "changes", "said"),
    [
        ([(0, "accept", "")], {"question_id": "nothing.1"}, "is not in the sample"),
        ([(0, "accept", "")], {"fingerprint": "00000000"}, "has changed since it was judged"),
        ([(0, "accept", ""), (0, "accept", "")], {}, "is judged twice"),
        ([(0, "reject", " ")], {}, "is rejected without a reason"),
        ([(0, "acept", "")], {}, "allowed: accept, reject"),
    ],
)
def test_a_broken_file_is_named(judged, judgements, changes, said):
    with pytest.raises(DocumentError) as caught:
        judged(*judgements, **changes)
    assert said in "\n".join(caught.value.problems)


def test_a_file_that_is_not_json_is_named(tmp_path, sample):
    path = tmp_path / "review.json"
    path.write_text("{")
    with pytest.raises(DocumentError, match="not JSON"):
        read_judgements(path, sample, SCHEMA)


def test_the_page_asks_nothing_of_the_network(sample):
    page = render_review(sample, steer.taxonomy())
    assert not re.findall(r"""(?:src|href)=["']?(?!#)[^"'>\s]""", page)
    assert "http" not in page.split('<script id="questions"')[0]


def test_no_text_of_a_question_can_end_the_script(sample):
    evil = sample.with_columns(pl.lit("</script><b>x").alias("text"))
    page = render_review(evil, steer.taxonomy())
    assert page.count("</script>") == 2


DRIVE = """
<script>
window.onerror = text => { document.body.dataset.error = text; };
URL.createObjectURL = blob => { blob.text().then(text => {
  const found = document.createElement("pre"); found.id = "saved"; found.textContent = text;
  document.body.appendChild(found); }); return "#"; };
const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
at("reviewer").value = "Ana B.";
press("a");                                   // accepts the first, goes to the second
press("r");                                   // no reason: not rejected
document.body.dataset.asked = at("status").textContent;
at("reason").value = "two right options"; at("reject").click();
press("ArrowRight"); press("a");              // passes over the third, accepts the fourth
at("show").value = "reject"; at("show").dispatchEvent(new Event("change"));
document.body.dataset.rejected = at("card").className;
press("s");
</script>
"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_reviewer_works_by_keyboard_and_saves_a_file(tmp_path, sample):
    page = tmp_path / "index.html"
    page.write_text(render_review(sample, steer.taxonomy()).replace("</body>", DRIVE + "</body>"))
    seen = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}"),
            *("--virtual-time-budget=5000", "--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert "data-error" not in seen
    assert 'data-asked="Say why it is rejected' in seen
    assert 'data-rejected="reject"' in seen
    saved = re.search(r'<pre id="saved">(.*?)</pre>', seen, re.DOTALL)[1]
    (tmp_path / "ana.json").write_text(saved)
    table = read_judgements(tmp_path / "ana.json", sample, SCHEMA)
    assert Counter(table["verdict"]) == {"accept": 2, "reject": 1}
    assert table.filter(verdict="reject")["reason"].to_list() == ["two right options"]
    assert table["question_id"].to_list() == [list(fingerprints(sample))[n] for n in (0, 1, 3)]
