"""Agreement with prefgraph on random data of the moral survey's design."""

from itertools import product

import numpy as np
import pytest

from rationale.revealed import costs, garp, random_ccei, uniform_picks

HIGH, BUDGET, DATA_SETS = 5, 12, 200


@pytest.fixture(scope="module")
def survey():
    """Corners (160, 5), prices (160, 5) and the 521 points on each round's line."""
    scale = np.array(list(product(range(HIGH + 1), repeat=5)))
    corners = np.repeat(np.array(list(product((0, HIGH), repeat=5))), 5, axis=0)
    prices = np.tile(np.ones((5, 5)) + np.eye(5), (32, 1))
    on_line = costs(scale, corners, prices) == BUDGET
    return corners, prices, [scale[row] for row in on_line]


def test_the_design_has_521_points_on_every_line(survey):
    assert {len(line) for line in survey[2]} == {521}


def test_ccei_and_garp_agree_with_prefgraph(survey):
    """As ten goods, q and 5 - q; prefgraph wants positive prices, so 1e-10 stands for none.

    That moves a cost by at most 5·5·1e-10 of 12; prefgraph's own search stops at 1e-10.
    """
    prefgraph = pytest.importorskip("prefgraph")
    corners, prices, options = survey
    picks = uniform_picks([521] * 160, DATA_SETS, ("parity",))
    answers = np.array([[o[i] for o, i in zip(options, row, strict=True)] for row in picks])
    priced = np.hstack([corners == 0, corners == HIGH])
    ten_prices = np.where(priced, np.hstack([prices, prices]), 1e-10)
    goods = np.concatenate([answers, HIGH - answers], axis=2).astype(float)
    theirs = prefgraph.Engine(metrics=["ccei"]).analyze_arrays([(ten_prices, x) for x in goods])
    ours = random_ccei(options, corners, prices, picks)
    assert np.abs(ours - [result.ccei for result in theirs]).max() < 1e-6
    holds = [garp(costs(x, corners, prices)).holds for x in answers]
    assert holds == [result.is_garp for result in theirs]
