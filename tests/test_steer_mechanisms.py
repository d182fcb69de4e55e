"""Mechanisms: trading cycles against the core, auctions against models solved for their revenue."""

import re
from fractions import Fraction
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
import steer
from scipy.integrate import cumulative_trapezoid, trapezoid

from rationale.surveys.steer.elements.mechanisms import allotted, revenue_order, trading_cycles

FORMATS = {
    "first-price": "first",
    "second-price": "second",
    "English": "english",
    "Dutch": "dutch",
}


def told(text):
    """People, what each has, and rankings as numbers of things, from the text."""
    lines = re.findall(r"^- (.+?) \(now (.+?)\): (.+)$", text, re.M)
    things = [thing for _, thing, _ in lines]
    rankings = [[things.index(one) for one in ranked.split(", ")] for _, _, ranked in lines]
    return [person for person, _, _ in lines], things, rankings


def core(rankings):
    """Allocations that no group can better by trading what its members own (Roth 1982: one)."""
    people = range(len(rankings))
    rank = [{thing: n for n, thing in enumerate(ranking)} for ranking in rankings]
    groups = [
        (group, trade)
        for size in range(1, len(people) + 1)
        for group in combinations(people, size)
        for trade in permutations(group)
    ]

    def blocked(gets):
        for group, trade in groups:
            gains = [rank[p][gets[p]] - rank[p][t] for p, t in zip(group, trade, strict=True)]
            if min(gains) >= 0 and max(gains) > 0:
                return True
        return False

    return [gets for gets in permutations(people) if not blocked(gets)]


def by_networkx(rankings):
    """Top trading cycles by networkx's cycles of the graph of pointing."""
    left, gets = set(range(len(rankings))), {}
    while left:
        points = {p: next(t for t in rankings[p] if t in left) for p in left}
        for circle in nx.simple_cycles(nx.DiGraph(points.items())):
            gets |= {person: points[person] for person in circle}
        left -= gets.keys()
    return gets


def swaps():
    for one in steer.questions("top-trading-cycles"):
        yield one, one.draft.parts[0], *told(one.draft.parts[0].text)


def test_the_text_shows_the_rankings():
    for one, _, _, _, rankings in swaps():
        assert rankings == one.draft.instance["rankings"]


def answer(part, people, things, gets):
    """Who or what the text's last question asks for."""
    last = part.text.rsplit("\n", 1)[1]
    if thing := re.fullmatch(r"Who ends up with (.+)\?", last):
        wanted = things.index(thing[1])
        return next(people[p] for p, got in gets.items() if got == wanted)
    person = re.fullmatch(r"What do(?:es)? (.+) end up with\?", last)[1]
    return things[gets[[one.lower() for one in people].index(person.lower())]]


def test_trading_cycles_keys_by_networkx():
    for _, part, people, things, rankings in swaps():
        right = answer(part, people, things, by_networkx(rankings))
        assert part.key.text == right[:1].upper() + right[1:]


def test_trading_cycles_give_the_only_allocation_in_the_core():
    for _, _, _, _, rankings in list(swaps())[::4]:
        gets = allotted(trading_cycles(rankings))
        assert core(rankings) == [tuple(gets[p] for p in range(len(rankings)))]


def test_the_paper_s_house_1_goes_to_b():
    """A points at B (house 2), B at A (house 1): they trade, and C keeps house 3."""
    rounds = trading_cycles([[1, 2, 0], [0, 1, 2], [0, 2, 1]])
    assert allotted(rounds) == {0: 1, 1: 0, 2: 2}


def private_revenue(formats, curvature, bidders=3):
    """Revenue with values uniform on [0, 1] and utility x ** curvature.

    Where one pays the own bid, it is a share s = (n - 1) / (n - 1 + curvature) of the value, and
    the highest value is n / (n + 1) on average. Else the second-highest value is paid, on average
    (n - 1) / (n + 1).
    """
    n = Fraction(bidders)
    own = (n - 1) / (n - 1 + curvature) * n / (n + 1)
    return {name: own if name in ("first", "dutch") else (n - 1) / (n + 1) for name in formats}


CURVATURES = {"averse": Fraction(1, 2), "neutral": Fraction(1), "seeking": Fraction(2)}


@pytest.mark.parametrize("curvature", [0.5, 1, 2])
def test_the_bids_of_the_private_model_are_best_against_each_other(curvature):
    """A grid of bids of a bidder with value 0.6 against two others who bid a share s of theirs.

    The chance to win with b is (b / s) ** 2 up to b = s; the best b must be 0.6 s.
    """
    share = 2 / (2 + curvature)
    bids = np.linspace(0, min(share, 0.6), 60001)
    gain = (bids / share) ** 2 * (0.6 - bids) ** curvature
    assert bids[gain.argmax()] == pytest.approx(0.6 * share, abs=2e-5)


def affiliated_revenue(points):
    """Revenue of the formats in a model of three bidders and one common value, by quadrature.

    The value v is even on [0, 1], and the signals have density 1 + (2x - 1)(2v - 1) given v, which
    is affiliated. Equilibrium bids are those of Milgrom and Weber (1982), sections 5 to 7.
    """
    x, v = np.linspace(0, 1, points), np.linspace(0, 1, 101)[:, None]
    f = 1 + (2 * x - 1) * (2 * v - 1)
    F = x + (x**2 - x) * (2 * v - 1)

    def over_v(values):
        return trapezoid(values, v[:, 0], axis=0)

    # E[v | own signal x, highest rival signal x]; at x = 0 the rivals' F vanishes: its limit.
    meet, base = over_v(v * f**2 * F)[1:], over_v(f**2 * F)[1:]
    worth = np.concatenate([[meet[0] / base[0]], meet / base])
    second = trapezoid(worth * over_v(6 * f * F * (1 - F)), x)
    hazard = over_v(2 * f**2 * F)[1:] / over_v(f * F**2)[1:]
    grown = cumulative_trapezoid(hazard, x[1:], initial=0)
    bids = [
        trapezoid(worth[1 : n + 1] * hazard[:n] * np.exp(grown[:n] - grown[n - 1]), x[1 : n + 1])
        + worth[1] * np.exp(grown[0] - grown[n - 1])
        for n in range(1, len(x))
    ]
    first = trapezoid(np.array(bids) * over_v(3 * f * F**2)[1:], x[1:])
    english = 0.0
    for place in range(1, len(x)):
        low = slice(0, place + 1)
        at = f[:, [place]] ** 2 * f[:, low]
        price = over_v(v * at) / over_v(at)
        weight = over_v(6 * f[:, [place]] * f[:, low] * (1 - F[:, [place]]))
        english += trapezoid(price * weight, x[low]) * (x[1] - x[0])
    return {"english": english, "second": second, "first": first, "dutch": first}


AFFILIATED = affiliated_revenue(401)


def test_affiliated_revenues_are_apart_by_more_than_the_grid_s_error():
    """The gaps are above 0.001; half as many points move no revenue by more than 0.0001."""
    coarse = affiliated_revenue(201)
    assert max(abs(coarse[name] - AFFILIATED[name]) for name in coarse) < 1e-4
    assert AFFILIATED["english"] - AFFILIATED["second"] > 1e-3
    assert AFFILIATED["second"] - AFFILIATED["first"] > 1e-3


def revenue(found):
    if found["values"] == "affiliated":
        assert found["attitude"] == "neutral"
        return {name: AFFILIATED[name] for name in found["formats"]}
    return private_revenue(found["formats"], CURVATURES[found["attitude"]])


def told_auction(text):
    """Formats, kind of values and attitude, from the text."""
    formats = {
        FORMATS[name] for name in re.findall(r"(?:an?) (\S+?)(?: sealed-bid)? auction,", text)
    }
    attitude = next(
        taste
        for said, taste in (
            ("dislike risk", "averse"),
            ("bidders like risk", "seeking"),
            ("Risk means nothing", "neutral"),
        )
        if said in text
    )
    return (
        formats,
        "affiliated" if "likelier" in text else "private",
        attitude,
    )


@pytest.mark.parametrize("slug", ["risk-attitude-auctions", "affiliated-auctions"])
def test_the_text_shows_what_the_instance_says(slug):
    for one in steer.questions(slug):
        found = one.draft.instance
        said = set(found["formats"]), found["values"], found["attitude"]
        assert told_auction(one.draft.parts[0].text) == said


def named(text):
    return next(key for name, key in FORMATS.items() if name in text)


def test_the_format_that_earns_more_or_less_by_the_models():
    for one in steer.questions("risk-attitude-auctions"):
        found, part = one.draft.instance, one.draft.parts[0]
        by = revenue(found)
        if len(set(by.values())) == 1:
            assert part.key.text == "Neither: they earn the same"
        else:
            sign = max if "earn more" in part.text else min
            assert named(part.key.text) == sign(by, key=by.get)


def test_the_payment_is_the_own_or_the_second_highest_bid():
    for one in steer.questions("risk-attitude-auctions"):
        found, part = one.draft.instance, one.draft.parts[0]
        if "bids" in found:
            bids = sorted(found["bids"])
            pays = bids[-1] if "first-price" in part.key.text else bids[-2]
            assert part.key.text.endswith(f"pays ${pays:,}")
            assert all(f"${bid:,}" in part.text for bid in bids)
            assert len({option.text for option in part.options}) == 4


def test_the_format_of_a_rank_by_the_models():
    for one in steer.questions("affiliated-auctions"):
        found, part = one.draft.instance, one.draft.parts[0]
        if one.grade == 10:
            by = revenue(found)
            ranked = sorted(by, key=by.get, reverse=True)
            if len(set(by.values())) == 1:
                assert "they earn the same" in part.key.text
                continue
            place = {"more": 0, "less": -1, "the most": 0, "the second most": 1, "the least": -1}
            asked = re.search(r"expected to earn (.+)\?", part.text)[1]
            assert named(part.key.text) == ranked[place[asked]]


def said_order(text):
    return [
        {FORMATS[name] for name in FORMATS if name.lower() in group.lower()}
        for group in text.split(", then ")
    ]


def order_of(by, upward):
    return [
        {name for name in by if by[name] == value}
        for value in sorted(set(by.values()), reverse=not upward)
    ]


def test_the_ranking_by_the_models_and_no_other_option():
    for one in steer.questions("affiliated-auctions"):
        if one.grade == 11:
            part = one.draft.parts[0]
            right = order_of(revenue(one.draft.instance), "from the lowest" in part.text)
            fitting = [option for option in part.options if said_order(option.text) == right]
            assert fitting == [part.key]


def test_the_order_is_right_for_any_number_of_bidders():
    """First-price over second-price exactly when n / (n - 1 + c) > 1, that is c < 1, for all n."""
    for bidders in range(2, 12):
        for attitude, curvature in CURVATURES.items():
            by = private_revenue(["first", "english"], curvature, bidders)
            assert order_of(by, False) == revenue_order(["first", "english"], "private", attitude)


def test_the_paper_s_vase_goes_to_an_english_auction():
    formats = ["english", "second", "first"]
    assert revenue_order(formats, "affiliated", "neutral") == [{"english"}, {"second"}, {"first"}]
