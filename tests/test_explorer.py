"""The explorer: what is packed, and how the graph is laid out. test_explorer_page.py opens it."""

import base64
import gzip
import json
import re
import runpy
import struct
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import steer
from explorer_page import (
    CHROMIUM,
    EVIL,
    LABELS,
    MODELS,
    all_studies,
    browser,
    moral_study,
    page_of_all,
    psm_study,
    steer_study,
)

from rationale.reporting.explorer import Moral, Psm, Respondent, Steer, explorer_page
from rationale.reporting.explorer.layout import NODE, crossings, draw, layers_of, spread
from rationale.reporting.explorer.moralchoice import moral_blocks
from rationale.reporting.explorer.packing import Block, coded, length_that_fits, texts_once
from rationale.reporting.explorer.psm import psm_blocks
from rationale.reporting.explorer.steer import steer_blocks

TYPES = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32, "f8": np.float64}


def unpacked(text):
    """Facts and columns of a block as the page reads it."""
    whole = gzip.decompress(base64.b64decode(text))
    (size,) = struct.unpack("<I", whole[:4])
    header = json.loads(whole[4 : 4 + size])
    columns = {
        name: np.frombuffer(whole, TYPES[kind], length, 4 + size + offset)
        for name, (kind, offset, length) in header["columns"].items()
    }
    return header["facts"], columns


def texts(columns, name):
    """The texts of a column."""
    ends = np.cumsum(columns[f"{name}.n"], dtype=int)
    whole = columns[name].tobytes()
    return [
        whole[end - size : end].decode()
        for end, size in zip(ends, columns[f"{name}.n"], strict=True)
    ]


def block_of(**columns):
    made = Block({})
    for name, values in columns.items():
        made.column(name, values)
    return unpacked(made.encoded())[1]


@pytest.mark.parametrize(
    ("most", "kind"), [(255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.uint32)]
)
def test_whole_numbers_take_the_smallest_type(most, kind):
    found = block_of(some=[0, most])["some"]
    assert found.dtype == kind
    assert found.tolist() == [0, most]


def test_columns_of_any_length_start_where_they_may_be_read():
    found = block_of(a=[1, 2, 3], b=[0.5, 2.25], c=[])
    assert [found[name].tolist() for name in "abc"] == [[1, 2, 3], [0.5, 2.25], []]


def test_a_negative_number_is_refused():
    with pytest.raises(ValueError, match="below 0"):
        block_of(some=[-1])


def test_texts_come_back_in_any_script():
    made = Block({})
    made.texts("word", ["è", None, "</script>", "日本"])
    found = unpacked(made.encoded())[1]
    assert texts(found, "word") == ["è", "", "</script>", "日本"]


def test_lists_keep_their_lengths_and_are_scaled():
    made = Block({})
    made.lists("p", pl.Series([[0.25, 0.75], None, [], [1.0]]), scale=100)
    found = unpacked(made.encoded())[1]
    assert found["p.n"].tolist() == [2, 0, 0, 1]
    assert found["p"].tolist() == [25, 75, 100]


def test_a_text_that_repeats_is_kept_once_and_a_long_one_loses_its_middle():
    made = Block({})
    texts_once(made, "said", pl.Series(["yes", "abcdefgh", "yes"]), longest=6)
    found = unpacked(made.encoded())[1]
    assert found["said.code"].tolist() == [0, 1, 0]
    assert texts(found, "said") == ["yes", "abcd\0gh"]
    assert found["said.left"].tolist() == [0, 2]


@pytest.mark.parametrize(("budget", "length"), [(16, 10), (12, 6), (9, 3), (3, 1), (2, 0)])
def test_the_longest_texts_give_way_to_a_budget(budget, length):
    """Lengths 2, 4, 10: at 6 they take 2 + 4 + 6 = 12, at 3 they take 2 + 3 + 3 = 8, at 1 each 1."""
    assert length_that_fits(np.array([10, 2, 4]), budget) == length


def test_codes_follow_the_order_given_then_that_of_the_rows():
    names, codes = coded(pl.Series(["z", None, "plain", "z"]), ("plain", "absent"))
    assert names == ["plain", "z", ""]
    assert codes.tolist() == [1, 2, 0, 1]


def test_layers_are_longest_paths():
    """a, b on a, c on a and b: c is two steps from a."""
    assert layers_of({"a": [], "b": ["a"], "c": ["a", "b"]}) == {"a": 0, "b": 1, "c": 2}


def test_spread_moves_as_little_as_it_must():
    """Wanted 0, 0 and 10 with distances 4, 4: the first two give way by 2 each."""
    assert spread([0, 0, 10], [4, 4]) == [-2, 2, 10]


def test_crossings_are_counted_in_pairs():
    """a-d crosses b-c."""
    assert crossings([["a", "b"], ["c", "d"]], {"a": ["d"], "b": ["c"]}) == 1


def test_the_drawing_keeps_nodes_apart_and_points_every_edge_down():
    requires = {slug: one.requires for slug, one in steer.taxonomy().elements.items()}
    drawing = draw(requires)
    places = sorted((y, x) for x, y in drawing.nodes.values())
    assert all(a[0] != b[0] or b[1] - a[1] >= NODE[0] for a, b in pairwise(places))
    assert len(drawing.edges) == sum(map(len, requires.values()))
    for _, _, points in drawing.edges:
        assert all(a[1] < b[1] for a, b in pairwise(points))


def test_a_graph_of_nothing_is_drawn():
    assert draw({}).nodes == {}


@pytest.fixture(scope="module")
def small():
    """Two elements and two models, six questions and more each."""
    return steer_study(("addition-subtraction", "completeness"), ("gpt-large", "random"), 6)


def test_answers_lie_behind_their_questions_in_order(small):
    """Each question's answers: by form, plain first, then by model."""
    facts, found = unpacked(steer_blocks(small)["steer"].encoded())
    assert facts["forms"][0] == "plain"
    ids = texts(found, "q.id")
    start = 0
    for name, size in zip(ids, found["q.answers"], strict=True):
        rows = slice(start, start + size)
        seen = [
            (facts["forms"][form], facts["models"][model])
            for form, model in zip(found["a.form"][rows], found["a.model"][rows], strict=True)
        ]
        expected = {
            (form, model)
            for model, table in small.graded.items()
            for form in table.filter(question_id=name)["form"]
        }
        assert set(seen) == expected
        keys = list(zip(found["a.form"][rows], found["a.model"][rows], strict=True))
        assert keys == sorted(keys)
        start += size


def test_right_wrong_and_unread_are_told_apart(small):
    _, found = unpacked(steer_blocks(small)["steer"].encoded())
    graded_rows = pl.concat(small.graded.values())
    counts = np.bincount(found["a.right"], minlength=3).tolist()
    right = graded_rows["right"]
    assert counts == [int((~right).sum()), int(right.sum()), right.null_count()]


def test_an_unknown_guess_rate_stays_unknown(small):
    bare = {"random": small.graded["random"].with_columns(guess_rate=pl.lit(None, pl.Float64))}
    facts, found = unpacked(
        steer_blocks(Steer(small.questions, bare, small.taxonomy))["steer"].encoded()
    )
    assert facts["guesses"] == [None]
    assert set(found["a.guess"].tolist()) == {0}


def test_answers_to_unknown_questions_are_refused(small):
    lost = small.questions.filter(pl.col("element") != "completeness")
    with pytest.raises(ValueError, match="answers to questions that are not given: completeness"):
        steer_blocks(Steer(lost, small.graded, small.taxonomy))


def test_questions_without_answers_are_packed(small):
    facts, found = unpacked(
        steer_blocks(Steer(small.questions, {}, small.taxonomy))["steer"].encoded()
    )
    assert facts["models"] == []
    assert found["q.answers"].sum() == 0


def test_equal_sheets_of_options_are_kept_once():
    """Two respondents with one open answer see the same 160 sheets."""
    study = psm_study({"a": (3, 3, 0, 2, 3), "b": (3, 3, 0, 2, 3)})
    _, found = unpacked(psm_blocks(study)["psm"].encoded())
    assert len(found["s.round"]) == 160
    assert found["sheet"].tolist() == [*range(160), *range(160)]


def test_other_flips_and_orders_are_sheets_of_their_own():
    """q0 = 0 lies under the line of few corners, q0 = 5 5 5 5 5 under those of the others."""
    study = psm_study({"a": (0,) * 5, "b": (5,) * 5}, ("listed", "shuffled"))
    _, found = unpacked(psm_blocks(study)["psm"].encoded())
    assert len(found["rounds.n"]) == 4
    shown = found["s.options"].reshape(-1, 5)
    starts = np.concatenate([[0], np.cumsum(found["s.shown"], dtype=int)])
    for number, one in enumerate(study.respondents):
        for row, options in enumerate(one.rounds["options"].to_list()):
            sheet = found["sheet"][number * 160 + row]
            assert shown[starts[sheet] : starts[sheet + 1]].tolist() == options


def test_a_respondent_without_rounds_is_packed():
    study = psm_study({"a": None})
    bare = [
        Respondent("a", "listed", one.rounds.head(0), one.choices.head(1))
        for one in study.respondents
    ]
    facts, found = unpacked(psm_blocks(Psm(study.survey, bare))["psm"].encoded())
    assert facts["respondents"] == [["a", "listed"]]
    assert found["rounds.n"].tolist() == [0]


def test_the_most_frequent_replies_are_the_samples():
    """Four A, two B and one each of C, D: A and B with their counts, then C; D is left out."""
    study = moral_study(["m"], 1)
    said = [*"AAAABBCD"]
    rows = pl.DataFrame(
        {
            "scenario_id": "L_001", "form": "ab", "order": 0, "decoding": None, "sample": range(8),
            "status": "answered", "action": 1, "step": "exact", "text": said,
        },
        schema_overrides={"decoding": pl.String},
    )  # fmt: skip
    one = Moral(study.scenarios, study.likelihoods, {"m": rows}, study.prompts)
    _, found = unpacked(moral_blocks(one)["moral-words"].encoded())
    kept = found["kept"].tolist()
    assert kept[0] == 3
    assert sum(kept) == 3
    assert found["different"][0] == 4
    names = texts(found, "reply")
    shown = [
        (names[code], int(n)) for code, n in zip(found["reply.code"], found["count"], strict=True)
    ]
    assert shown == [("A", 4), ("B", 2), ("C", 1)]


@pytest.fixture(scope="module")
def html():
    return page_of_all()


def test_nothing_said_can_end_a_script(html):
    assert html.count("</script>") == html.count("<script") == 8
    assert EVIL not in html


def test_the_page_names_nothing_outside_itself(html):
    written = re.sub(r'<script type="text/plain".*?</script>', "", html, flags=re.DOTALL)
    named = set(re.findall(r"https?://[^\s\"'`)]+", written))
    assert named == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in html


def test_the_same_data_give_the_same_page(html):
    assert explorer_page(*all_studies(), LABELS, MODELS) == html


def test_the_script_writes_the_page_of_the_studies_it_is_given(tmp_path):
    """MoralChoice alone: the inputs and parameters of the other studies are not there."""
    _, _, study = all_studies()
    made = {"likelihoods": [], "readings": [], "prompts": []}
    for name in ("likelihoods", "readings"):
        for model, table in getattr(study, name).items():
            table.write_parquet(tmp_path / f"{name}-{model}.parquet")
            made[name].append(tmp_path / f"{name}-{model}.parquet")
    for form, (table,) in study.prompts.items():
        (tmp_path / form).mkdir()
        table.write_parquet(tmp_path / form / "s0001.parquet")
        made["prompts"].append(tmp_path / form / "s0001.parquet")
    made["scenarios"] = [steer.HOME / "resources/moralchoice/scenarios.csv"]
    given = SimpleNamespace(
        input=SimpleNamespace(**made),
        params=SimpleNamespace(
            moral_models=list(study.likelihoods),
            leave_out=[],
            labels=SimpleNamespace(value=LABELS),
            kinds=MODELS,
        ),
        output=[tmp_path / "index.html"],
        log=[tmp_path / "log"],
    )
    script = steer.HOME / "workflow/scripts/write_explorer.py"
    runpy.run_path(script, init_globals={"snakemake": given})
    html = (tmp_path / "index.html").read_text()
    blocks = re.findall(r'id="block-([a-z-]+)">([^<]*)<', html)
    assert [name for name, _ in blocks] == ["moralchoice", "moral-words"]
    assert unpacked(blocks[0][1])[0]["models"] == list(study.likelihoods)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_page_of_one_study_opens_without_a_complaint(tmp_path):
    path = tmp_path / "index.html"
    path.write_text(explorer_page(None, None, all_studies()[2], LABELS, MODELS), encoding="utf-8")
    with browser() as page:
        page.open(path.as_uri() + "#/moralchoice")
        assert page.run("document.querySelectorAll('[role=tab]').length") == 2
        assert "12 scenarios of 12." in page.text()
        assert page.complaints == []
