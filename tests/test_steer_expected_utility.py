"""Risk-neutral expected utility: keys against sums over a hundred equally likely tickets."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
import steer

from rationale.surveys.steer.elements.expected_utility import AVERSE, SEEKING, prize_chance, tilted
from rationale.surveys.steer.elements.prospects import (
    average,
    best,
    clear_winner,
    expected,
    likeliest,
    spread,
    winner,
    with_losses_times,
    worst,
)

CHOICES = ("maximize-expected-utility", "risk-aversion", "risk-seeking")
SEEDS = (1, 2, 3)


def many(slug):
    return [one for seed in SEEDS for one in steer.questions(slug, seed=seed)]


def mean_over_tickets(outcomes) -> Fraction:
    """A prospect as 100 tickets, one drawn blindly: the tickets' plain average."""
    tickets = [value for chance, value in outcomes for _ in range(chance)]
    assert len(tickets) == 100
    return Fraction(sum(tickets), 100)


def net_means(instance) -> dict[str, Fraction]:
    """What each prospect of an instance is worth, after its fee, by the name shown."""
    if "gamble" in instance:
        return {"gamble": mean_over_tickets(instance["gamble"])}
    found = instance.get("prospects") or instance["gambles"]
    fees = instance.get("fees", {})
    return {name: mean_over_tickets(one) - fees.get(name, 0) for name, one in found.items()}


@pytest.mark.parametrize("slug", CHOICES)
def test_the_key_is_the_only_prospect_with_the_largest_mean(slug):
    for one in many(slug):
        means, part = net_means(one.draft.instance), one.draft.parts[0]
        largest = [name for name, mean in means.items() if mean == max(means.values())]
        assert [part.key.text.casefold()] == [name.casefold() for name in largest]
        assert {o.text.casefold() for o in part.options} == {name.casefold() for name in means}


def test_gambles_with_fees_and_offers_are_keyed_by_their_net_mean():
    for one in many("loss-aversion"):
        means, part, story = net_means(one.draft.instance), one.draft.parts[0], one.story
        if one.grade == 4:
            mean = means["gamble"]
            assert mean != 0
            assert part.key.text == story.texts["accept" if mean > 0 else "decline"]
            continue
        largest = [name for name, mean in means.items() if mean == max(means.values())]
        assert [part.key.text.casefold()] == [name.casefold() for name in largest]


def test_expected_utility_is_computed_right_and_every_distractor_is_another_number():
    for one in many("compute-expected-utility"):
        part = one.draft.parts[0]
        mean = mean_over_tickets(one.draft.instance["prospect"])
        assert part.value == mean
        assert part.key.text.replace(",", "") == str(mean)
        assert sum(o.text == part.key.text for o in part.options) == 1
        for _, value in one.draft.instance["prospect"]:
            assert f"{abs(value):,}" in part.text


@pytest.mark.parametrize("slug", [*CHOICES, "loss-aversion"])
def test_the_text_tells_every_chance_value_and_fee(slug):
    for one in steer.questions(slug):
        instance, text = one.draft.instance, one.draft.parts[0].text
        found = instance.get("prospects") or instance.get("gambles") or {"": instance["gamble"]}
        for outcomes in found.values():
            for chance, value in outcomes:
                assert chance == 100 or f" {chance}% chance" in text
                assert value == 0 or f"{abs(value):,}" in text
        for fee in instance.get("fees", {}).values():
            assert f"{fee:,}" in text


def places(slug, grade, value) -> tuple[int, int]:
    """How often the prospect with the largest value is right, of how many questions."""
    hits = total = 0
    for one in many(slug):
        if one.grade == grade:
            found = one.draft.instance["prospects"]
            chosen = winner([tuple(map(tuple, p)) for p in found.values()], value)
            if chosen is not None:
                total += 1
                hits += list(found)[chosen].casefold() == one.draft.parts[0].key.text.casefold()
    return hits, total


@pytest.mark.parametrize("slug", CHOICES)
@pytest.mark.parametrize("step", [0, 1, 2])
def test_the_largest_prize_is_right_no_more_often_than_chance(slug, step):
    """Nor the prospect that an averse respondent takes: keys are drawn before the numbers."""
    grade = sorted(many(slug)[0].element.grades)[step]
    chance = 1 / (3 if step == 2 else 2)
    hits, total = places(slug, grade, best)
    assert abs(hits / total - chance) < 4 * (chance * (1 - chance) / total) ** 0.5


@pytest.mark.parametrize("grade", [4, 5, 6])
def test_avoiding_every_risk_scores_at_chance(grade):
    chance = 1 / (3 if grade == 6 else 2)
    hits, total = places("risk-aversion", grade, worst)
    assert abs(hits / total - chance) < 4 * (chance * (1 - chance) / total) ** 0.5


@pytest.mark.parametrize("grade", [4, 5, 6])
def test_the_likeliest_prize_is_right_no_more_often_than_chance(grade):
    chance = 1 / (3 if grade == 6 else 2)
    hits, total = places("risk-seeking", grade, prize_chance)
    assert abs(hits / total - chance) < 4 * (chance * (1 - chance) / total) ** 0.5


@pytest.mark.parametrize("grade", [5, 6])
def test_the_gamble_without_loss_is_right_no_more_often_than_chance(grade):
    chance, hits, total = 1 / (grade - 3), 0, 0
    for one in many("loss-aversion"):
        if one.grade == grade:
            (lossless,) = (
                name
                for name, gamble in one.draft.instance["gambles"].items()
                if min(value for _, value in gamble) >= 0
            )
            total += 1
            hits += lossless.casefold() == one.draft.parts[0].key.text.casefold()
    assert abs(hits / total - chance) < 4 * (chance * (1 - chance) / total) ** 0.5


def test_offers_are_right_to_accept_half_of_the_time():
    found = Counter(
        one.draft.parts[0].key.text == one.story.texts["accept"]
        for one in many("loss-aversion")
        if one.grade == 4
    )
    assert abs(found[True] - found[False]) < 4 * found.total() ** 0.5


LEADING = {
    "overvalues the certain prospect": AVERSE,
    "overvalues the safer prospect": AVERSE,
    "overvalues the larger prize": SEEKING,
    "is drawn to the rarer and larger prize": [best, *(tilted(best, n) for n in range(1, 21))],
    "is drawn to the likelier prize": [
        prize_chance,
        *(tilted(prize_chance, n) for n in range(1, 21)),
    ],
    "looks at the largest outcome alone": [best],
    "looks at the worst outcome alone": [worst],
    "averages the outcomes and leaves out their chances": [average],
    "looks at the likeliest outcome alone": [likeliest],
}


@pytest.mark.parametrize("slug", CHOICES)
def test_every_mistake_leads_to_its_distractor(slug):
    for one in steer.questions(slug):
        called = [name.casefold() for name in one.draft.instance["prospects"]]
        found = [tuple(map(tuple, p)) for p in one.draft.instance["prospects"].values()]
        for option in one.draft.parts[0].options:
            if option.mistake:
                place = called.index(option.text.casefold())
                assert any(winner(found, value) == place for value in LEADING[option.mistake])


def test_whoever_weighs_losses_twice_takes_the_distractor_that_says_so():
    for one in steer.questions("loss-aversion"):
        instance = one.draft.instance
        for option in one.draft.parts[0].options:
            if option.mistake != "weighs the loss twice":
                continue
            if one.grade == 4:
                weighed = sum(c * v * (2 if v < 0 else 1) for c, v in instance["gamble"])
                assert weighed < 0 < sum(c * v for c, v in instance["gamble"])
                continue
            weighed = {
                name.casefold(): sum(c * v * (2 if v < 0 else 1) for c, v in gamble)
                - 100 * instance["fees"][name]
                for name, gamble in instance["gambles"].items()
            }
            assert max(weighed, key=weighed.get) == option.text.casefold()


def test_swapped_chances_give_the_distractor_that_says_so():
    for one in steer.questions("compute-expected-utility"):
        prospect = one.draft.instance["prospect"]
        swapped = set()
        for first, second in combinations(range(len(prospect)), 2):
            chances = [chance for chance, _ in prospect]
            chances[first], chances[second] = chances[second], chances[first]
            swapped.add(sum(c * v for c, (_, v) in zip(chances, prospect, strict=True)) // 100)
        for option in one.draft.parts[0].options:
            if option.mistake == "gives two gains each other's chance":
                assert int(option.text.replace(",", "")) in swapped


def test_a_slip_with_the_loss_gives_the_distractor_that_says_so():
    for one in steer.questions("compute-expected-utility"):
        prospect = one.draft.instance["prospect"]
        gains = sum(c * v for c, v in prospect if v > 0) // 100
        doubled = one.draft.parts[0].value * 2 - gains
        for option in one.draft.parts[0].options:
            if option.mistake in ("leaves out the loss", "weighs the loss twice"):
                assert int(option.text.replace(",", "")) == (
                    gains if option.mistake == "leaves out the loss" else doubled
                )


def misread(gamble, fee, mistake):
    """What a gamble is worth to somebody who makes this mistake."""
    if mistake == "leaves the fees out":
        return Fraction(sum(c * v for c, v in gamble), 100)
    if mistake == "leaves the losses out":
        return Fraction(sum(c * v for c, v in gamble if v > 0), 100) - fee
    if mistake == "looks at the largest prize alone":
        return max(v for _, v in gamble)
    return Fraction(sum(v for _, v in gamble), len(gamble)) - fee


def test_careless_mistakes_over_gambles_lead_where_they_are_said_to():
    for one in steer.questions("loss-aversion"):
        if one.grade == 4:
            continue
        instance = one.draft.instance
        for option in one.draft.parts[0].options:
            if option.mistake and option.mistake != "weighs the loss twice":
                worth = {
                    name.casefold(): misread(gamble, instance["fees"][name], option.mistake)
                    for name, gamble in instance["gambles"].items()
                }
                assert max(worth, key=worth.get) == option.text.casefold()


# The study's illustrations and hand-computed cases


def test_utility_of_a_treatment():
    """Illustration 2.4.a: 40% × 50 + 60% × 15 = 20 + 9 = 29."""
    assert expected(((40, 50), (60, 15))) == 29


def test_a_bonus_on_a_smaller_salary():
    """Illustration 2.4.b: 69,183 + 55.34% × 15,882 = 77,972.1 against 75,972: job Q."""
    assert Fraction(69183) + Fraction(5534, 10000) * 15882 > 75972


def test_a_certain_return():
    """Illustration 2.4.c: 50% × 25,000 = 12,500 against 10,000: investment B."""
    assert winner([((100, 10000),), ((50, 25000), (50, 0))], expected) == 1


def test_a_treatment_with_a_large_prize():
    """Illustration 2.4.d: 80% × 56 = 44.8 against 30% × 124 - 70% × 18 = 24.6: treatment A."""
    assert winner([((80, 56), (20, 0)), ((30, 124), (70, -18))], expected) == 0


def test_two_games_with_fees():
    """Illustration 2.4.e: 50% × 10 - 50% × 5 - 5 = -2.5; 40% × 15 + 60% × 3 - 10 = -2.2: BETA."""
    alpha, beta = ((50, 10), (50, -5)), ((40, 15), (60, 3))
    assert expected(alpha) - 5 == Fraction(-5, 2)
    assert expected(beta) - 10 == Fraction(-11, 5)


def test_a_loss_counted_twice():
    """50% × 30 - 2 × 50% × 20 = 15 - 20 = -5, where the mean is 15 - 10 = 5."""
    gamble = ((50, 30), (50, -20))
    assert (expected(gamble), with_losses_times(2)(gamble)) == (5, -5)


def test_near_ties_are_no_winners():
    """100 against 99: the second comes within a fiftieth."""
    assert clear_winner([((100, 100),), ((100, 99),)]) is None
    assert clear_winner([((100, 100),), ((100, 97),)]) == 0


def test_a_spread_has_nearly_the_mean_asked_for():
    """Mean 100, 25% for the prize and 75% for 40: the prize is (100 - 30) / 0.25 = 280."""

    class Kept:
        def shuffle(self, found):
            pass

    assert spread(Kept(), 100, (25, 75), [Fraction(2, 5)], 10) == ((25, 280), (75, 40))
