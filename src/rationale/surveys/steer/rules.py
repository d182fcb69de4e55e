"""Rules by which the parts of one question are graded together, where no single option is right.

Every option of such a question carries a *meaning*; a rule says which meanings, one a part, agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

Rule = Callable[[Sequence[str]], bool]
RULES: dict[str, Rule] = {}


def rule(function: Rule) -> Rule:
    """Register a rule under its name, with hyphens."""
    RULES[function.__name__.replace("_", "-")] = function
    return function


@rule
def same(chosen: Sequence[str]) -> bool:
    """Every part is answered alike."""
    return len(set(chosen)) == 1


@rule
def decided_alike(chosen: Sequence[str]) -> bool:
    """Every part is answered alike, and not by ``none``: a preference or indifference is stated."""
    return same(chosen) and chosen[0] != "none"


@rule
def keeps_or_takes_new(chosen: Sequence[str]) -> bool:
    """From {a, b} and then {a, b, new}: the second choice is the first one or the new option.

    Property alpha (Sen 1971): an option chosen from a set is chosen from every subset that holds it.
    """
    return chosen[1] in (chosen[0], "new")


def consistent(name: str, chosen: Sequence[str]) -> bool:
    """Whether the meanings chosen, one a part, satisfy a rule. Raises KeyError for no such rule."""
    return RULES[name](chosen)


def guess_rate(name: str, meanings: Sequence[Sequence[str]]) -> Fraction:
    """The share of all ways to answer, one option a part, that satisfy the rule."""
    ways = list(product(*meanings))
    return Fraction(sum(consistent(name, way) for way in ways), len(ways))


@rule
def keeps(chosen: Sequence[str]) -> bool:
    """From {a, b} and then {a, b, new}, where new is worse than one of the two in every way.

    The second choice is the first one: a dominated option is never chosen, and it changes nothing
    between the other two (property alpha, Sen 1971; the decoy of Huber, Payne and Puto 1982).
    """
    return chosen[1] == chosen[0]


@rule
def best_of_each_pair(chosen: Sequence[str]) -> bool:
    """From {a, b}, then {a, b, new}, then one of a and b with new, put as ``a>new`` or ``new>a``.

    What is chosen from all three is chosen from both pairs, where they hold it (property alpha,
    Sen 1971): so one ranking of the three makes sense of every choice.
    """
    first, of_all, last = chosen
    return of_all in (first, "new") and of_all != last.split(">")[1]


@rule
def same_risk_attitude(chosen: Sequence[str]) -> bool:
    """The same of ``averse``, ``seeking`` and ``neutral`` in every part: gains, mirrored losses.

    Kahneman and Tversky (1979) call the change from averse in gains to seeking in losses the
    reflection effect; STEER's element 2.5.c takes the same attitude to risk for consistent. Of two
    prospects with one mean, ``averse`` takes the less spread one, ``seeking`` the other one.
    """
    return same(chosen)


@rule
def one_belief(chosen: Sequence[str]) -> bool:
    """Some whole number lies in every range chosen, ``30`` or ``0-29``: one belief explains all.

    After Ellsberg (1961): a range holds the unknown numbers of balls at which the option is best.
    """
    ranges = [[int(bound) for bound in one.split("-")] for one in chosen]
    return max(one[0] for one in ranges) <= min(one[-1] for one in ranges)


@rule
def acyclic(chosen: Sequence[str]) -> bool:
    """Choices between pairs, each ``a>b`` or ``a=b``, of which one ranking with ties can make sense.

    No way along them from an option back to itself holds a strict preference.
    """
    pairs = [(one[0], one[1:2], one[2:]) for one in chosen]
    better = {(left, right) for left, _, right in pairs}
    better |= {(right, left) for left, sign, right in pairs if sign == "="}
    options = {option for pair in better for option in pair}
    for through, start, end in product(options, repeat=3):
        if (start, through) in better and (through, end) in better:
            better.add((start, end))
    return all((right, left) not in better for left, sign, right in pairs if sign == ">")
