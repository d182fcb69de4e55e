"""Power: what a simulated respondent does, which decisions it leads to, and how they add up."""

from itertools import product

import numpy as np
import pytest

from rationale.inference import clopper_pearson, wilson
from rationale.respondents.priced import Taste
from rationale.revealed import ccei_of_choices, costs
from rationale.revealed.power import LEVELS, PricedDesign, Setting, grid, passes, power, simulate
from rationale.seeds import generator


@pytest.fixture(scope="module")
def design():
    """Three statements on 0..5, budget 6, four prices at each of eight corners: 32 rounds."""
    scale = np.array(list(product(range(6), repeat=3)))
    corners = np.repeat(np.array(list(product((0, 5), repeat=3))), 4, axis=0)
    prices = np.tile([(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)], (8, 1))
    return PricedDesign(scale, corners, prices, 6, 5)


def test_every_round_knows_its_line_and_its_flipped_line(design):
    """The flipped cost of an answer is 5·sum(p) less the unflipped one."""
    assert design.costs.shape == (64, 216)
    total = 5 * design.prices.sum(axis=1, keepdims=True)
    assert np.array_equal(design.costs[32:], total - design.costs[:32])
    for row, line in zip(design.costs, design.lines, strict=True):
        assert (row[line] == 6).all()
        assert len(line) == np.count_nonzero(row == 6)


def test_without_noise_the_best_option_is_taken(design):
    """The utility is that of the project's simulated respondents."""
    ideal, weights = np.array([1.2, 3.4, 2.1]), np.array([0.5, 0.2, 0.3])
    found = simulate(design, Setting(0, 32, 7), generator("x"), ideal, weights * 3)
    utility = Taste(ideal, weights, 0.0).utility(design.answers)
    assert {len(listed) for listed in found.listed} == {7}
    for listed, chosen in zip(found.listed, found.chosen, strict=True):
        assert chosen in listed
        assert utility[chosen] == pytest.approx(utility[listed].max())


def test_rounds_are_flipped_by_the_open_answer(design):
    """Without noise that is the rounded ideal (1, 3, 2): flipped where it costs 6 or less."""
    found = simulate(design, Setting(0, 32, 7), generator("x"), [1.2, 3.4, 2.1])
    cheap = costs([(1, 3, 2)], design.corners, design.prices)[:, 0] <= 6
    assert np.array_equal(found.rows >= 32, cheap)
    assert np.array_equal(found.rows % 32, np.arange(32))


def test_options_are_on_the_line_and_short_lines_are_shown_whole(design):
    found = simulate(design, Setting(0.5, 20, 1000), generator("x"))
    assert len(np.unique(found.rows)) == 20
    for row, listed in zip(found.rows, found.listed, strict=True):
        assert sorted(listed) == design.lines[row].tolist()


def test_infinite_noise_takes_any_option(design):
    """32 rounds, 100 times, 4 options: each place within 4 deviations (24.5) of 800."""
    setting, places = Setting(np.inf, 32, 4), []
    for draw in map(generator, ["any"] * 100, range(100)):
        found = simulate(design, setting, draw)
        places += [
            int(np.flatnonzero(x == c)[0]) for x, c in zip(found.listed, found.chosen, strict=True)
        ]
    assert np.abs(np.bincount(places) - 800).max() < 4 * 24.5


def test_logit_noise_has_its_scale(design):
    """Two options on one line: the better is taken with chance 1/(1 + exp(-difference/noise))."""
    ideal, setting = np.array([1.2, 3.4, 2.1]), Setting(0.3, 32, 2)
    utility = Taste(ideal, np.ones(3) / 3, 0.0).utility(design.answers)
    better, expected = 0, 0.0
    for number in range(100):
        found = simulate(design, setting, generator("logit", number), ideal)
        for listed, chosen in zip(found.listed, found.chosen, strict=True):
            best = listed[np.argmax(utility[listed])]
            better += chosen == best
            expected += 1 / (1 + np.exp(-np.abs(np.diff(utility[listed])[0]) / 0.3))
    assert abs(better - expected) < 4 * np.sqrt(3200 / 4)


def test_replicates_do_not_depend_on_one_another(design):
    setting = Setting(0.3, 20, 8)
    whole = passes(design, setting, range(6), 7)
    parts = [passes(design, setting, numbers, 7) for numbers in (range(3), [3], [4, 5])]
    assert np.array_equal(whole, np.concatenate(parts))
    assert np.array_equal(whole, passes(design, Setting(0.3, np.int64(20), 8), range(6), 7))


def test_stopping_early_changes_no_decision(design):
    """A fourth level near 1 makes every test take all its draws."""
    setting = Setting(0.6, 20, 8)
    early = passes(design, setting, range(30), 7)
    late = passes(design, setting, range(30), 7, levels=(*LEVELS, 0.999))
    assert np.array_equal(early, late[:, :3])
    assert not early.all()
    assert early.any()


def test_a_test_counts_the_random_data_sets_that_reach_the_respondent(design):
    """With 19 draws, 5 % is met by none of them at or above, 10 % by at most one."""
    setting, levels = Setting(0.6, 20, 8), (0.01, 0.05, 0.10)
    for number in range(20):
        draw = generator(7, "power", 0.6, 20, 8, number)
        found = simulate(design, setting, draw)
        cost, sizes = design.costs[found.rows], np.full(20, 8)
        picks = draw.integers(0, sizes, (19, 20))
        random = np.array([[x[i] for x, i in zip(found.listed, row, strict=True)] for row in picks])
        own = ccei_of_choices(cost, found.chosen[None])[0]
        count = np.count_nonzero(ccei_of_choices(cost, random) >= own)
        expected = [False, count == 0, count <= 1]
        assert passes(design, setting, [number], 7, draws=19, levels=levels).tolist() == [expected]


def test_random_respondents_pass_no_more_often_than_the_level_says(design):
    passed = passes(design, Setting(np.inf, 32, 8), range(300), 7, draws=199)
    for level, count in zip(LEVELS, passed.sum(axis=0), strict=True):
        assert clopper_pearson(int(count), 300, 0.99).low <= level


def test_less_noise_and_more_rounds_pass_more_often(design):
    shares = {
        (noise, rounds): passes(design, Setting(noise, rounds, 8), range(60), 7, draws=199).mean()
        for noise, rounds in ((0, 32), (0.5, 32), (4, 32), (0.5, 8))
    }
    assert shares[0, 32] > shares[0.5, 32] > shares[4, 32]
    assert shares[0.5, 32] > shares[0.5, 8]
    assert shares[0, 32] > 0.9


def test_the_summary_by_hand():
    """Of four, one passes at 1 %, two at 5 % and three at 10 %."""
    found = power([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert (found.replicates, found.share) == (4, (0.25, 0.5, 0.75))
    assert (found.low[1], found.high[1]) == wilson(2, 4)


def test_the_grid_holds_every_combination():
    assert grid([0, 1], [20], [10, 25]) == [(0, 20, 10), (0, 20, 25), (1, 20, 10), (1, 20, 25)]


@pytest.mark.parametrize(
    ("setting", "weights", "message"),
    [
        (Setting(0, 33, 5), None, r"rounds: expected 1 to 32; found 33"),
        (Setting(0, 0, 5), None, r"rounds: .*found 0"),
        (Setting(0, 5, 0), None, r"options: .*found 0"),
        (Setting(-1, 5, 5), None, r"noise: .*found -1"),
        (Setting(np.nan, 5, 5), None, r"noise: .*found nan"),
        (Setting(0, 5, 5), [1, 0, 1], r"weights: .*found 0.0 at 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(design, setting, weights, message):
    with pytest.raises(ValueError, match=message):
        passes(design, setting, [0], 7, weights=weights)


def test_a_summary_of_nothing_is_refused():
    with pytest.raises(ValueError, match=r"expected \(N, 3\).*found shape \(0,\)"):
        power([])
    with pytest.raises(ValueError, match="total: expected at least 1"):
        power(np.empty((0, 3)))
