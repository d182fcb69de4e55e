"""Keys of the properties of mechanisms against all reports and values on grids."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
import steer

from rationale.surveys.steer.elements.balanced_budgets import over_all, revenue
from rationale.surveys.steer.elements.dominant_truthfulness import (
    LARGER,
    PROJECTS,
    SIMPLE,
    gainers,
    truthful,
)
from rationale.surveys.steer.elements.participation import never_loses
from rationale.surveys.steer.elements.two_values import chances

TRUE, LIE = "Yes, nothing else is ever better than the truth", "No, something else is sometimes"


def fill(shape, **amounts):
    """A rule of a shape, as an instance holds it."""
    plain = {k: v for k, v in shape.items() if k not in ("reserve", "several")}
    return {**plain, "units": 1, "floor": 0, "posted": 0, "fee": 0, **amounts}


def bidder_gets(rule, mine, worth, others, first):
    """What bidder 0 gets; ``first`` says whether ties go to them."""
    fixed = {"entry": -rule["fee"], "gift": rule["fee"]}.get(rule.get("extra"), 0)
    if rule["price"] == "lottery":
        able = 1 + sum(bid >= rule["posted"] for bid in others)
        return Fraction(worth - rule["posted"], able) if mine >= rule["posted"] else 0
    above = sum(bid > mine or (bid == mine and not first) for bid in others)
    ranked = sorted([mine, *others], reverse=True)
    place = 1 if rule.get("wins") == "second" else None
    won = above == place if place is not None else above < rule["units"]
    if not won or mine < rule["floor"]:
        return fixed
    if rule["price"] == "own":
        price = mine
    elif rule["price"] == "mean":
        price = Fraction(ranked[0] + ranked[1], 2)
    elif rule["price"] == "lowest":
        price = min(bid for bid in ranked[: rule["units"]] if bid >= rule["floor"])
    elif rule["price"] == "next":
        price = ranked[rule["units"] + 1] if len(ranked) > rule["units"] + 1 else 0
    elif rule["price"] == "bare":
        price = ranked[1]
    else:
        price = max(ranked[rule["units"]], rule["floor"])
    return worth - price + fixed - (rule["fee"] if rule.get("extra") == "winner" else 0)


def truth_is_best(rule, rivals, levels):
    for others in combinations_with_replacement(levels, rivals):
        for worth, first in product(levels, (True, False)):
            truth = bidder_gets(rule, worth, worth, others, first)
            if any(bidder_gets(rule, bid, worth, others, first) > truth for bid in levels):
                return False
    return True


def levels_of(rule):
    """Bids of 0 to 12 fees or so, with those at and around the amounts of the rule."""
    size = max(rule["fee"], rule["floor"], rule["posted"], 8)
    found = {0, size // 2, size, size + size // 4, 2 * size}
    return sorted(found | {rule["floor"], rule["posted"], size + rule["fee"] // 2})


@pytest.fixture(scope="module")
def auctions():
    return steer.questions("dominant-strategy-truthfulness", 3000, seed=2)


def test_truthful_auctions_withstand_every_bid_on_a_grid(auctions):
    tried = {}
    for one in auctions:
        instance = one.draft.instance
        if instance["kind"] == "auction":
            rule = instance["rule"]
            name = str([rule.get(k) for k in ("price", "wins", "extra", "units")])
            name += " with a reserve" * (rule["floor"] > 0)
            tried[name] = tried.get(name, 0) + 1
            said = one.draft.parts[0].key.text == TRUE
            assert said == truthful(rule)
            if tried[name] <= 4:
                rivals = min(instance["count"] - 1, rule["units"] + 2)
                assert truth_is_best(rule, rivals, levels_of(rule)) == said, rule


@pytest.mark.parametrize("shape", [*SIMPLE, *LARGER], ids=str)
def test_every_shape_of_auction_is_what_it_is_said_to_be(shape):
    units, floor = (2, 0) if shape.get("several") else (1, 6 if shape.get("reserve") else 0)
    rule = fill(shape, units=units, floor=floor, fee=2, posted=6)
    assert truth_is_best(rule, units + 2, range(10)) == truthful(shape)


def test_those_who_gain_do_so_on_a_fine_grid_of_bids(auctions):
    for one in auctions:
        instance, part = one.draft.instance, one.draft.parts[0]
        if instance["kind"] == "who":
            values, rule = instance["values"], instance["rule"]
            names = [o.text for o in sorted(part.options, key=lambda o: one_place(one, o.text))]
            step = max(1, max(*values, rule["floor"]) // 40)
            found = []
            for k, worth in enumerate(values):
                others = [value for place, value in enumerate(values) if place != k]
                truth = bidder_gets(rule, worth, worth, others, True)
                bids = [Fraction(n * step, 2) for n in range(170)]
                if any(
                    min(bidder_gets(rule, b, worth, others, first) for first in (True, False))
                    > truth
                    for b in bids
                ):
                    found.append(names[k])
            assert (found or ["None of them"]) == [part.key.text]


def one_place(question, name):
    """Where a name stands in the list of worths; nobody comes last."""
    text = question.draft.parts[0].text
    listed = text[text.index("worth $") :]
    return 10**6 if name == "None of them" else listed.lower().index(f"to {name.lower()}")


def resident_gets(rule, mine, worth, others, share, votes):
    reports = [mine, *others]
    cost, total = share * len(reports), sum(reports)
    able = sum(report >= share for report in reports)
    runs = {
        "vote": able >= votes,
        "willing": able >= votes,
        "unanimous": able == len(reports),
        "regardless": True,
    }.get(rule, total >= cost)
    pays = {
        "own": mine,
        "half": Fraction(mine, 2),
        "proportional": Fraction(cost * mine, total or 1),
        "shortfall": max(0, cost - sum(others)),
        "willing": share if mine >= share else 0,
    }.get(rule, share)
    return worth - pays if runs else 0


@pytest.mark.parametrize("rule", PROJECTS)
@pytest.mark.parametrize(("count", "votes"), [(3, 2), (4, 2), (4, 3), (5, 4)])
def test_projects_withstand_every_report_on_a_grid(rule, count, votes):
    levels = range(0, 13, 1 if count == 3 else 2)
    gain = any(
        resident_gets(rule, report, worth, others, 4, votes)
        > resident_gets(rule, worth, worth, others, 4, votes)
        for others in combinations_with_replacement(levels, count - 1)
        for worth, report in product(levels, repeat=2)
    )
    assert gain != PROJECTS[rule]


def test_the_key_of_a_project_is_that_of_its_rule(auctions):
    for one in auctions:
        if one.draft.instance["kind"] == "project":
            holds = PROJECTS[one.draft.instance["rule"]]
            assert one.draft.parts[0].key.text.startswith(TRUE if holds else LIE)


def expected(game, worth, report, fee=0):
    """What one expects, summed over all types of the others; ties in an auction by lot."""
    high, low = game["worth"]
    chance, total = Fraction(game["chance"]), Fraction(0)
    for others in product((0, 1), repeat=game["count"] - 1):
        weight = Fraction(1)
        for t in others:
            weight *= chance if t == 0 else 1 - chance
        reports = [report, *others]
        if game["votes"] is None:
            gets = Fraction(report == min(reports), reports.count(min(reports)))
        else:
            gets = Fraction(reports.count(0) >= game["votes"])
        total += weight * gets * ((high, low)[worth] - game["pays"][report])
    return total - fee


def test_the_truth_is_best_in_expectation_where_the_key_says_so():
    for one in steer.questions("bayesian-truthfulness", 2000, seed=2):
        game, key = one.draft.instance, one.draft.parts[0].key.text
        lies = [t for t in (0, 1) if expected(game, t, 1 - t) > expected(game, t, t)]
        assert all(expected(game, t, 1 - t) != expected(game, t, t) for t in (0, 1))
        if not lies:
            assert key == "Yes, it is best with either worth"
        else:
            (t,) = lies
            assert key == f"No, somebody with a worth of ${game['worth'][t]:,} does better by lying"


@pytest.fixture(scope="module")
def taking_part():
    return steer.questions("individual-rationality", 3000, seed=2)


def test_those_who_stay_out_pay_more_than_they_get(taking_part):
    for one in taking_part:
        if one.grade == 7:
            game, part = one.draft.instance, one.draft.parts[0]
            losers = [
                k
                for k in range(3)
                if game["worths"][k] < game["fixed"] + game["price"] * game["uses"][k]
            ]
            year = part.text[part.text.index("coming year") :].lower()
            names = sorted(
                (o.text for o in part.options if o.text != "None of them"),
                key=lambda name: year.index(f" {name.lower()} expect"),
            )
            assert [names[k] for k in losers] == [n for n in [part.key.text] if n in names]


def member_pays(rule, game, reports, k):
    """What member k pays under a rule of participation; None where the service does not run."""
    count, share, fee, mine = game["count"], game["share"], game["fee"], reports[k]
    cost, total = count * share, sum(reports)
    runs = {
        "unanimous": min(reports) >= share,
        "vote": sum(report >= share for report in reports) >= game["votes"],
        "willing": sum(report >= fee for report in reports) >= game["votes"],
    }.get(rule, total >= cost)
    if not runs:
        return None
    return {
        "own": mine,
        "proportional": Fraction(cost * mine, total),
        "entry": Fraction(cost * mine, total),
        "shortfall": max(0, cost - total + mine),
        "discount": fee + Fraction(mine, 2),
        "half": Fraction(mine, 2),
        "fixed": fee,
        "willing": fee if mine >= fee else 0,
    }.get(rule, share)


def some_values(game):
    low, high, fee, share = (game[name] for name in ("low", "high", "fee", "share"))
    near = {low, low + 1, share - 1, share, share + 1, fee - 1, fee, 2 * fee, high - 1, high}
    return sorted(value for value in near if low <= value <= high)


def somebody_loses(rule, game):
    for values in combinations_with_replacement(some_values(game), game["count"]):
        before = game["fee"] if rule == "entry" else 0
        for k, worth in enumerate(values):
            pays = member_pays(rule, game, values, k)
            if (0 if pays is None else worth - pays) < before:
                return True
    return False


def test_nobody_loses_under_rules_that_are_said_to_be_safe(taking_part):
    for one in taking_part[::3]:
        if one.grade == 8:
            loses = somebody_loses(one.draft.instance["rule"], one.draft.instance)
            assert one.draft.parts[0].key.text.startswith("No" if loses else "Yes")


def test_those_who_expect_to_lose_by_the_entrance_fee(taking_part):
    for one in taking_part:
        if one.grade == 9:
            game, key = one.draft.instance, one.draft.parts[0].key.text
            values = [expected(game, t, t, game["fee"]) for t in (0, 1)]
            assert 0 not in values
            lose = [t for t in (0, 1) if values[t] < 0]
            words = {0: "With neither", 2: "With either"}
            assert key == words.get(len(lose), f"With ${game['worth'][(lose or [0])[0]]:,} only")


@pytest.fixture(scope="module")
def budgets():
    return steer.questions("budget-balance", 3000, seed=2)


def test_sums_in_and_out_compare_as_the_key_says(budgets):
    for one in budgets:
        game, key = one.draft.instance, one.draft.parts[0].key.text
        if one.grade == 7:
            surplus = sum(game["paid"]) - sum(game["out"])
        elif one.grade == 8:
            paid = [member_pays(game["rule"], game, game["reports"], k) for k in range(3)]
            surplus = sum(paid) - 3 * game["share"]
        else:
            continue
        word = "More" if surplus > 0 else "Less" if surplus < 0 else "Exactly"
        assert key.startswith(word)


def test_totals_for_all_reports_are_as_the_key_says(budgets):
    for one in budgets[::3]:
        if one.grade == 9:
            game, rule = one.draft.instance, one.draft.instance["rule"]
            cost, signs = game["count"] * game["share"], set()
            for reports in combinations_with_replacement(some_values(game), game["count"]):
                paid = [member_pays(rule, game, reports, k) for k in range(game["count"])]
                if None not in paid:
                    signs.add((sum(paid) > cost) - (sum(paid) < cost))
            more, less = 1 in signs, -1 in signs
            words = {
                (False, False): "It is exactly",
                (True, False): "It is never less",
                (False, True): "It is never more",
                (True, True): "It is sometimes more than the cost and",
            }
            assert one.draft.parts[0].key.text.startswith(words[more, less])


def test_the_illustration_of_dominant_strategies():
    """The second-highest wins and pays the own bid: with 9, 6 and 3 both first and second gain."""
    rule = fill({"price": "own", "wins": "second"})
    assert not truthful(rule)
    assert gainers(rule, [9, 6, 3]) == [0, 1]


def test_the_illustration_of_participation():
    """Each pays the reported worth: a truthful worth of 5 pays 5, so nobody loses."""
    assert never_loses("own", low=0, share=5, fee=0)


def test_paying_the_worth_when_it_exceeds_the_cost_leaves_money_over():
    """The same rule at reports 7 and 5 for a cost of 10 collects 12."""
    game = {"count": 2, "share": 5, "fee": 0, "votes": 2, "low": 1, "high": 9}
    assert revenue("own", game, (7, 5)) == 12
    assert over_all("own", game) == 1


def test_sharing_the_cost_in_proportion_is_balanced():
    """The illustration: shares in proportion to use of a cost of 10 are 10 in all."""
    game = {"count": 2, "share": 5, "fee": 0, "votes": 2, "low": 1, "high": 9}
    assert over_all("proportional", game) == 0


def test_chances_of_winning_with_two_values():
    """Two bidders, half high: high wins 1/2 + 1/4 = 3/4, low 1/4."""
    assert chances(2, Fraction(1, 2), None) == (Fraction(3, 4), Fraction(1, 4))


def test_chances_of_a_vote_with_two_values():
    """Three people, two votes: yes needs one of two others, 3/4; no needs both, 1/4."""
    assert chances(3, Fraction(1, 2), 2) == (Fraction(3, 4), Fraction(1, 4))
