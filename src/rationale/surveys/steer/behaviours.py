"""Behaviours: what a report card counts in the answers to an element, right or not.

`rational` is what grading calls right. Every other behaviour names, element by element, the ways to
answer that show it; they are recognised from what the bank stores of a question: the mistakes and
meanings of its options, and the instance behind its text. A question in which no way to answer shows
a behaviour says nothing about it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import polars as pl

from rationale.schema import nearest
from rationale.surveys.steer.rules import consistent

RATIONAL = "rational"
# What is counted, in words.
SAYS = {
    RATIONAL: "the right answer, by key or rule",
    "human-like": "the human-like answer: the bias that the element is named for",
    "risk-averse": "the risk-averse answer",
    "risk-seeking": "the risk-seeking answer",
    "loss-averse": "the loss-averse answer",
}


class Asked(NamedTuple):
    """A question as behaviours see it: by part the options, what is behind each, and the key.

    ``key`` and the places of answers count from 1. What stands behind an option is its mistake or
    its meaning; None for the key and for an option whose text was taken away.
    """

    element: str
    options: Sequence[Sequence[str | None]]
    behind: Sequence[Sequence[str | None]]
    keys: Sequence[int | None]
    rule: str | None
    instance: Mapping[str, Any]


Shows = Callable[[Asked, Sequence[int]], bool]
BEHAVIOURS: dict[str, dict[str, Shows]] = {name: {} for name in SAYS if name != RATIONAL}


def behaviour(name: str, *elements: str) -> Callable[[Shows], Shows]:
    """Register what shows a behaviour in the questions of some elements."""

    def register(function: Shows) -> Shows:
        for element in elements:
            BEHAVIOURS[name][element] = function
        return function

    return register


def elements_of(name: str) -> set[str] | None:
    """The elements in which a behaviour is known; None for every one. Raises KeyError for no such."""
    return None if name == RATIONAL else set(BEHAVIOURS[name])


def unknown_behaviour(name: str) -> str | None:
    """What is wrong with a behaviour's name, or None."""
    if name in SAYS:
        return None
    return f"found '{name}'; allowed: {', '.join(SAYS)}.{nearest(name, list(SAYS))}"


def asked_of(
    parts: Sequence[Mapping[str, Any]], none_places: Sequence[int | None] | None = None
) -> Asked:
    """A question from its rows of bank.SCHEMA, in the order of its parts.

    ``none_places`` are the places, one a part, of options that a form replaced by one that reads
    that no other is correct: nothing stands behind those, and they are the key of no behaviour.
    """
    places = none_places or [None] * len(parts)
    options, behind = [], []
    for part, taken in zip(parts, places, strict=True):
        reasons = part["mistakes"] or part["meanings"] or [None] * len(part["options"])
        options.append(_without(part["options"], taken))
        behind.append(_without(reasons, taken))
    first = parts[0]
    instance = json.loads(first["instance"]) if first["instance"] else {}
    keys = [part["key"] for part in parts]
    return Asked(first["element"], options, behind, keys, first["rule"], instance)


def _without(texts: Sequence[str | None], taken: int | None) -> list[str | None]:
    return [None if place == taken else text for place, text in enumerate(texts, start=1)]


def shows(name: str, asked: Asked, chosen: Sequence[int]) -> bool:
    """Whether the options at these places, one a part, show a behaviour.

    Raises KeyError for a behaviour that is not known in the element.
    """
    if name == RATIONAL:
        return _right(asked, chosen)
    if not any(any(reasons) for reasons in asked.behind):
        return False
    return BEHAVIOURS[name][asked.element](asked, chosen)


def guess_rate(name: str, asked: Asked) -> Fraction:
    """The share of all ways to answer, one option a part, that show a behaviour; 0 where none can."""
    ways = list(product(*(range(1, len(options) + 1) for options in asked.options)))
    return Fraction(sum(shows(name, asked, way) for way in ways), len(ways))


def _right(asked: Asked, chosen: Sequence[int]) -> bool:
    if asked.rule is None:
        return list(asked.keys) == list(chosen)
    return consistent(asked.rule, _behind(asked, chosen))


def _behind(asked: Asked, chosen: Sequence[int]) -> list[str | None]:
    return [reasons[place - 1] for reasons, place in zip(asked.behind, chosen, strict=True)]


# What people are known to do in the elements named for a bias


def _names(asked: Asked, chosen: Sequence[int], wanted: Callable[[str], bool]) -> bool:
    mistake = _behind(asked, chosen)[0]
    return mistake is not None and wanted(mistake)


@behaviour("human-like", "sunk-cost")
def goes_on(asked: Asked, chosen: Sequence[int]) -> bool:
    """Goes on where stopping pays (Arkes and Blumer 1985); elsewhere going on is right."""
    return _names(asked, chosen, "clings to what is already spent".__eq__)


@behaviour("human-like", "gamblers-fallacy")
def takes_for_due(asked: Asked, chosen: Sequence[int]) -> bool:
    """Takes the outcome that has come up less for due (Tversky and Kahneman 1971).

    Not where that outcome is the likelier one anyway, nor by expecting the run to go on. An answer
    that makes the draws to come make up for the past and swaps the two chances is counted too.
    """
    return _names(
        asked,
        chosen,
        lambda mistake: (
            mistake == "takes the other outcome to be due"
            or mistake.startswith("expects the draws to come to make up for those before")
            or mistake.endswith("the chance of the outcome that seems due")
        ),
    )


@behaviour("human-like", "endowment")
def asks_more_than_pays(asked: Asked, chosen: Sequence[int]) -> bool:
    """Keeps what it has both times, or asks more to give a thing up than it would pay for it.

    The price at which it would choose the thing or the money may be any (Kahneman, Knetsch and
    Thaler 1990).
    """
    held = _behind(asked, chosen)
    if "asked" not in asked.instance:
        return held == ["a", "b"]
    price = dict(zip(asked.instance["asked"], held, strict=True))
    return int(price["sell"]) > int(price["buy"])


@behaviour("human-like", "time-inconsistency")
def prefers_the_present(asked: Asked, chosen: Sequence[int]) -> bool:
    """Sooner when the rewards are near, later when both are far (Thaler 1981; Laibson 1997)."""
    near_first = asked.instance["near_first"]
    return _behind(asked, chosen) == (["sooner", "later"] if near_first else ["later", "sooner"])


@behaviour("human-like", "certainty-effect")
def follows_allais(asked: Asked, chosen: Sequence[int]) -> bool:
    """The safer prospect while it is sure, the riskier one afterwards (Allais 1953).

    Nothing shows it where the two prospects stay as they are behind a draw that comes first: there
    people isolate what differs, and do not reverse (Kahneman and Tversky 1979, problem 10).
    """
    staged = "counts" in asked.instance
    return not staged and _behind(asked, chosen) == ["safe", "risky"]


@behaviour("human-like", "reflection-effect")
def reflects(asked: Asked, chosen: Sequence[int]) -> bool:
    """Averse to risk in gains, seeking it in losses (Kahneman and Tversky 1979)."""
    return _behind(asked, chosen) == ["averse", "seeking"]


@behaviour("human-like", "ambiguity-aversion")
def avoids_the_unknown(asked: Asked, chosen: Sequence[int]) -> bool:
    """The bet with known chances in the first two parts, though no one belief explains both.

    An option's meaning is the range of the unknown number at which it is best. The known bet is
    best in the first part when that number is small, in the second when it is large (Ellsberg
    1961). Where the two ranges meet, to bet so follows from a belief and shows nothing.
    """
    ranges = [[_bounds(meaning) for meaning in reasons] for reasons in asked.behind[:2]]
    few, many = min(ranges[0]), max(ranges[1])
    known = ranges[0][chosen[0] - 1] == few and ranges[1][chosen[1] - 1] == many
    return known and few[1] < many[0]


def _bounds(meaning: str) -> tuple[int, int]:
    low, _, high = meaning.partition("-")
    return int(low), int(high or low)


# Attitudes to risk

Outcomes = Sequence[Sequence[int]]


def _mean(prospect: Outcomes) -> Fraction:
    return Fraction(sum(chance * value for chance, value in prospect), 100)


def _variance(prospect: Outcomes) -> Fraction:
    mean = _mean(prospect)
    return sum((chance * (value - mean) ** 2 for chance, value in prospect), Fraction(0)) / 100


def _wider_than_key(asked: Asked, chosen: Sequence[int]) -> Fraction | None:
    """How much more the chosen prospect varies than the one with the largest mean; None for none."""
    prospects = {name.casefold(): one for name, one in asked.instance["prospects"].items()}
    text = asked.options[0][chosen[0] - 1]
    best = max(prospects.values(), key=_mean)
    if text is None or chosen[0] == asked.keys[0]:
        return None
    return _variance(prospects[text.casefold()]) - _variance(best)


@behaviour("risk-averse", "risk-aversion", "risk-seeking", "maximize-expected-utility")
def gives_up_mean_for_lower_variance(asked: Asked, chosen: Sequence[int]) -> bool:
    """A prospect with a smaller mean and a smaller variance than the one with the largest mean."""
    wider = _wider_than_key(asked, chosen)
    return wider is not None and wider < 0


@behaviour("risk-seeking", "risk-aversion", "risk-seeking", "maximize-expected-utility")
def gives_up_mean_for_higher_variance(asked: Asked, chosen: Sequence[int]) -> bool:
    """A prospect with a smaller mean and a larger variance than the one with the largest mean."""
    wider = _wider_than_key(asked, chosen)
    return wider is not None and wider > 0


@behaviour("risk-averse", "certainty-effect")
def safe_both_times(asked: Asked, chosen: Sequence[int]) -> bool:
    """The safer prospect both times, whose mean is never larger.

    Its opposite shows no taste for risk: the riskier one is what neutrality to risk takes as well.
    """
    pairs = [[_mean(one) for one in pair] for pair in asked.instance["pairs"]]
    costs = all(safe < risky for safe, risky in pairs)
    return costs and _behind(asked, chosen) == ["safe", "safe"]


def _both(meaning: str, asked: Asked, chosen: Sequence[int]) -> bool:
    return _behind(asked, chosen) == [meaning, meaning]


# Of two prospects with one mean: that of lower variance in gains and in losses, or the other one.
behaviour("risk-averse", "reflection-effect")(partial(_both, "averse"))
behaviour("risk-seeking", "reflection-effect")(partial(_both, "seeking"))


@behaviour("loss-averse", "loss-aversion")
def weighs_losses_twice(asked: Asked, chosen: Sequence[int]) -> bool:
    """What is best when each loss counts twice and is not best when it counts once.

    Tversky and Kahneman (1992) estimate that losses weigh 2.25 times as much as gains.
    """
    if "gambles" not in asked.instance:
        return _names(asked, chosen, "weighs the loss twice".__eq__)
    text = asked.options[0][chosen[0] - 1]
    fees = asked.instance["fees"]
    worth = {
        name.casefold(): _mean([(c, v * (2 if v < 0 else 1)) for c, v in gamble]) - fees[name]
        for name, gamble in asked.instance["gambles"].items()
    }
    if text is None or chosen[0] == asked.keys[0]:
        return False
    top = max(worth.values())
    return worth[text.casefold()] == top and list(worth.values()).count(top) == 1


# The answers of a model

COUNTED = {"hit": pl.Boolean, "chance": pl.Float64, "tells": pl.Boolean}


def count_behaviours(
    graded: pl.DataFrame, questions: pl.DataFrame, polarity: Mapping[str, str]
) -> pl.DataFrame:
    """Graded answers with what was counted in each.

    Parameters
    ----------
    graded : a row a form and question, the columns of grading.GRADED and ``form``.
    questions : the columns of bank.SCHEMA, a row a part.
    polarity : the behaviour counted, by element; `rational` where an element is not named.

    Adds ``hit`` (null where nothing was read), ``chance`` (that of guessing evenly; null where it
    is unknown) and ``tells``, false where no answer could show the behaviour: there ``hit`` and
    ``chance`` are null. Answers that are a number show no behaviour but the rational one.
    Raises KeyError for a behaviour that is not known in its element, and for a question without rows.
    """
    named = {slug for slug, name in polarity.items() if name != RATIONAL}
    plain = graded.with_columns(
        hit=pl.col("right"),
        chance=pl.col("guess_rate"),
        tells=pl.col("guess_rate").is_not_null(),
    )
    other = pl.col("element").is_in(sorted(named))
    rows = graded.filter(other)
    parts = _parts(questions, rows["question_id"].unique().to_list())
    counted = pl.DataFrame(list(_counted(rows, parts, polarity)), schema=COUNTED, orient="row")
    return pl.concat([plain.filter(~other), pl.concat([rows, counted], how="horizontal")])


def _parts(questions: pl.DataFrame, wanted: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    rows = questions.filter(pl.col("question_id").is_in(wanted)).sort("question_id", "part")
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows.iter_rows(named=True):
        found.setdefault(row["question_id"], []).append(row)
    return found


def _counted(
    rows: pl.DataFrame, parts: Mapping[str, Sequence[Mapping]], polarity: Mapping[str, str]
) -> Iterator[tuple[bool | None, float | None, bool]]:
    """Hit, chance and whether it can be told, a row after the other."""
    known: dict[tuple, tuple[Asked, float]] = {}
    for row in rows.iter_rows(named=True):
        name, places = polarity[row["element"]], row.get("none_places")
        which = row["question_id"], None if places is None else tuple(places)
        if which not in known:
            asked = asked_of(parts[row["question_id"]], places)
            known[which] = asked, float(guess_rate(name, asked))
        asked, chance = known[which]
        if row["form"] == "free" or not chance:
            yield None, None, False
        elif row["right"] is None:
            yield None, chance, True
        else:
            yield shows(name, asked, [int(place) for place in row["chosen"]]), chance, True
