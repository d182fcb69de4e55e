"""How ballots, rankings and results stand in a question's text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from rationale.surveys.steer.elements.voting import Profile, Ranking, all_rankings, random_profile
from rationale.surveys.steer.questions import Draw, Option
from rationale.surveys.steer.wording import capitalised, listing, number

# What every story of a vote must tell: the scene with its alternatives, and who votes.
VOTE = {"scene": "options", "who": "", "alternatives": ""}
MOST_TRIES = 400
Found = TypeVar("Found")


@dataclass(frozen=True)
class Vote:
    """Named alternatives and the ballots on them."""

    names: tuple[str, ...]
    profile: Profile
    who: str

    def lines(self) -> str:
        """A line for each group of voters, after a line break."""
        return "".join(
            f"\n- {number(count)} {self.who}: {self.order(ranking)}"
            for count, ranking in self.profile
        )

    def order(self, ranking: Ranking) -> str:
        """The names of a ranking, from best to worst."""
        return order(self.names, ranking)

    def instance(self, **more: Any) -> dict[str, Any]:
        """The ballots as JSON; every number of an alternative counts from 0 in ``alternatives``."""
        ballots = [[count, list(ranking)] for count, ranking in self.profile]
        return {"alternatives": list(self.names), "ballots": ballots, **more}

    def tally(self, points: Sequence[Any]) -> str:
        """Names with their points, most points first: ``Oslo 14, Rome 9``."""
        best_first = sorted(range(len(points)), key=lambda one: -points[one])
        return ", ".join(f"{self.names[one]} {said(points[one])}" for one in best_first)


def insist(attempt: Callable[[], Found | None]) -> Found | None:
    """What an attempt finds, tried again where it finds nothing.

    A truth drawn before is thus kept: draws that fail more often for one truth do not tilt the key.
    """
    for _ in range(MOST_TRIES):
        found = attempt()
        if found is not None:
            return found
    return None


def names_of(draw: Draw, size: int) -> tuple[str, ...]:
    """``size`` alternatives of the story, in the order in which the scene names them."""
    return tuple(draw.rng.sample(draw.phrase("alternatives").split(" / "), size))


def opened(draw: Draw, names: Sequence[str]) -> str:
    """The story's opening."""
    return draw.say("scene", options=listing(names))


def order(names: Sequence[str], ranking: Sequence[int]) -> str:
    """``Oslo, then Rome, then Porto``."""
    return capitalised(", then ".join(names[one] for one in ranking))


def named_options(
    names: Sequence[str], key: int, mistakes: dict[int, str], otherwise: str
) -> tuple[Option, list[Option]]:
    """One option an alternative; ``mistakes`` says which mistake leads to an alternative."""
    others = [
        Option(capitalised(name), mistakes.get(one, otherwise))
        for one, name in enumerate(names)
        if one != key
    ]
    return Option(capitalised(names[key])), others


def said(points: Any) -> str:
    """Points with a half written as people write it: 2½."""
    whole, rest = divmod(points, 1)
    return f"{number(whole) if whole or not rest else ''}{'½' if rest else ''}"


def counts(draw: Draw, number_of: int) -> list[int]:
    """Sizes of groups of voters within those of the story."""
    low, high = (int(bound) for bound in draw.story.sizes["ballots"][:2])
    return [draw.rng.randint(low, high) for _ in range(number_of)]


def cast(draw: Draw, size: int, groups: int) -> Vote:
    """Ballots of a story on ``size`` of its alternatives."""
    low, high = (int(bound) for bound in draw.story.sizes["ballots"][:2])
    profile = random_profile(draw.rng, size, groups, low, high)
    return Vote(names_of(draw, size), profile, draw.phrase("who"))


def asked(draw: Draw, vote: Vote, *sentences: str) -> str:
    """The scene, the ballots and what follows them."""
    return f"{opened(draw, vote.names)} The ballots:{vote.lines()}\n{' '.join(sentences)}"


def order_in(names: Sequence[str], ranking: Sequence[int]) -> str:
    """``Oslo first, then Rome, then Porto``, to stand within a sentence."""
    first, *rest = (names[one] for one in ranking)
    return ", then ".join([f"{first} first", *rest])


def best_first(names: Sequence[str], ranking: Sequence[int]) -> str:
    """``Oslo, Rome, Porto``, where the text says that the best comes first."""
    return capitalised(", ".join(names[one] for one in ranking))


def person_lines(people: Sequence[str], names: Sequence[str], rankings: Sequence[Ranking]) -> str:
    """A line a person, after a line break."""
    return "".join(
        f"\n- {capitalised(person)}: {best_first(names, ranking)}"
        for person, ranking in zip(people, rankings, strict=True)
    )


def unequal_profile(draw: Draw, size: int, groups: int) -> Profile:
    """Ballots of a story in groups of different sizes."""
    low, high = (int(bound) for bound in draw.story.sizes["ballots"][:2])
    counts_drawn = draw.rng.sample(range(low, high + 1), groups)
    return tuple(zip(counts_drawn, draw.rng.sample(all_rankings(size), groups), strict=True))
