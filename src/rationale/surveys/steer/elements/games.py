"""Games in strategic form: dominance, best responses, pure equilibria, and how a game is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from rationale.surveys.steer.questions import Draw
from rationale.surveys.steer.wording import capitalised, listing, number

Profile = tuple[int, ...]


@dataclass(frozen=True)
class Game:
    """A finite game: the number of actions of each player, and all payoffs at each profile."""

    shape: tuple[int, ...]
    payoffs: Mapping[Profile, tuple[int, ...]]

    @property
    def players(self) -> range:
        """The players by number."""
        return range(len(self.shape))

    def instance(self) -> dict[str, Any]:
        """The game as JSON: payoffs by profile, the last player's action running fastest."""
        return {
            "shape": list(self.shape),
            "payoffs": [list(self.payoffs[one]) for one in profiles(self.shape)],
        }


def profiles(shape: Sequence[int]) -> list[Profile]:
    """All profiles of actions, the last player's running fastest."""
    return list(product(*map(range, shape)))


def random_game(rng: Random, shape: Sequence[int], amounts: Sequence[int]) -> Game:
    """A game whose payoffs are drawn evenly and on their own."""
    return Game(
        tuple(shape), {one: tuple(rng.choice(amounts) for _ in shape) for one in profiles(shape)}
    )


def turned(game: Game) -> Game:
    """A two-player game with the players' places exchanged."""
    return Game(game.shape[::-1], {one[::-1]: pay[::-1] for one, pay in game.payoffs.items()})


def relabelled(game: Game, rng: Random) -> Game:
    """The same game with every player's actions in a drawn order."""
    orders = [rng.sample(range(count), count) for count in game.shape]
    return Game(
        game.shape,
        {
            tuple(order[action] for order, action in zip(orders, one, strict=True)): pay
            for one, pay in game.payoffs.items()
        },
    )


def with_action(profile: Profile, player: int, action: int) -> Profile:
    """The profile in which one player does something else."""
    return (*profile[:player], action, *profile[player + 1 :])


def best_responses(game: Game, player: int, profile: Profile) -> set[int]:
    """The player's actions that pay most against what the others do in a profile."""
    pay = [
        game.payoffs[with_action(profile, player, action)][player]
        for action in range(game.shape[player])
    ]
    return {action for action, value in enumerate(pay) if value == max(pay)}


def dominates(
    game: Game, player: int, better: int, worse: int, left: Sequence[Iterable[int]] | None = None
) -> bool:
    """Whether an action pays strictly more than another whatever the others do.

    ``left`` holds the actions that each player may still take; all of them by default.
    """
    left = [range(count) for count in game.shape] if left is None else left
    return all(
        game.payoffs[with_action(one, player, better)][player]
        > game.payoffs[with_action(one, player, worse)][player]
        for one in product(*left)
    )


def dominated(
    game: Game, player: int, left: Sequence[Iterable[int]] | None = None
) -> dict[int, int]:
    """Each strictly dominated action of a player, with one that dominates it."""
    left = [range(count) for count in game.shape] if left is None else left
    return {
        worse: better
        for worse in left[player]
        for better in left[player]
        if better != worse and dominates(game, player, better, worse, left)
    }


def dominant(game: Game, player: int) -> int | None:
    """The action that strictly dominates all others of the player, if there is one."""
    for action in range(game.shape[player]):
        rest = [other for other in range(game.shape[player]) if other != action]
        if all(dominates(game, player, action, other) for other in rest):
            return action
    return None


def removals(game: Game) -> list[list[set[int]]]:
    """What is left for each player before and after each round of removal.

    A round takes away every strictly dominated action of every player; the order in which strictly
    dominated actions go does not matter (Osborne and Rubinstein 1994, section 4.2).
    """
    rounds = [[set(range(count)) for count in game.shape]]
    while True:
        left = rounds[-1]
        after = [left[player] - dominated(game, player, left).keys() for player in game.players]
        if after == left:
            return rounds
        rounds.append(after)


def equilibria(game: Game) -> list[Profile]:
    """The pure Nash equilibria (Nash 1951): every action a best response to the others."""
    return [
        one
        for one in profiles(game.shape)
        if all(one[player] in best_responses(game, player, one) for player in game.players)
    ]


def averages(game: Game, player: int, belief: Sequence[Fraction]) -> list[Fraction]:
    """The expected payoff of each action against a belief on the other of two players' actions."""
    return [
        sum(
            (
                share * game.payoffs[(own, other) if player == 0 else (other, own)][player]
                for other, share in enumerate(belief)
            ),
            Fraction(0),
        )
        for own in range(game.shape[player])
    ]


def single_best(values: Sequence[int | Fraction]) -> int | None:
    """The place of the one highest value; None for a tie."""
    places = [place for place, value in enumerate(values) if value == max(values)]
    return places[0] if len(places) == 1 else None


@dataclass(frozen=True)
class Cast:
    """Who plays, as named within a sentence, and what each may do, as a verb without ``to``."""

    players: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]

    def does(self, player: int, base: str, third: str) -> str:
        """Name and verb: ``you get``, ``Ada gets``."""
        name = self.players[player]
        return f"{name} {base if name == 'you' else third}"

    def action(self, player: int, action: int) -> str:
        """An action as an option shows it: ``Cut prices``."""
        return capitalised(self.actions[player][action])

    def profile(self, profile: Profile) -> str:
        """``You: cut prices; Bruno: keep prices``."""
        return capitalised(
            "; ".join(
                f"{name}: {self.actions[player][profile[player]]}"
                for player, name in enumerate(self.players)
            )
        )

    def choosing(self, profile: Profile, players: Iterable[int]) -> str:
        """``you choose to cut prices and Bruno to keep prices``."""
        return listing(
            [
                f"{self.players[player] if place else self.does(player, 'choose', 'chooses')} to "
                f"{self.actions[player][profile[player]]}"
                for place, player in enumerate(players)
            ]
        )


def cast(draw: Draw, shape: Sequence[int]) -> Cast:
    """The players of a story, each with as many of its actions as the game has, in a drawn order."""
    names = [draw.phrase(name) for name in ("row", "column", "third")[: len(shape)]]
    named = []
    for letter, count in zip("abb", shape, strict=False):
        numbers = draw.rng.sample(range(1, 5), count)
        named.append(tuple(draw.phrase(f"{letter}{place}") for place in numbers))
    if len(shape) == 3:
        named[2] = named[1]
    return Cast(tuple(names), tuple(named))


def told(game: Game, who: Cast, in_words: bool) -> str:
    """The game in words or as a table (one a choice of the third player, where there is one)."""
    if in_words:
        return sentences(game, who)
    if len(game.shape) == 2:
        return f"{_legend(who)}\n\n{_table(game, who, ())}"
    tables = [
        f"If {who.does(2, 'choose', 'chooses')} to {who.actions[2][last]}:\n\n"
        f"{_table(game, who, (last,))}"
        for last in range(game.shape[2])
    ]
    return "\n\n".join((_legend(who), *tables))


def sentences(game: Game, who: Cast) -> str:
    """A sentence a profile: ``If you choose to … and Bruno to …, you get 3 and Bruno 5.``"""
    return " ".join(
        f"If {who.choosing(one, game.players)}, {who.does(0, 'get', 'gets')} "
        f"{number(game.payoffs[one][0])} and {who.players[1]} {number(game.payoffs[one][1])}."
        for one in profiles(game.shape)
    )


def _legend(who: Cast) -> str:
    places = ("first", "second", "third")
    numbers = listing(
        [
            f"the {place} is {_owned(who.players[player])}"
            for player, place in enumerate(places[: len(who.players)])
        ]
    )
    first, second = (_owned(name) for name in who.players[:2])
    first = "your" if first == "yours" else first
    return f"Rows are {first} choices, columns {second}. Of the numbers in a cell, {numbers}."


def _owned(name: str) -> str:
    """``yours``, ``Carlos's``, ``Corvida Labs'``."""
    if name == "you":
        return "yours"
    return f"{name}'" if " " in name and name.endswith("s") else f"{name}'s"


def _table(game: Game, who: Cast, last: tuple[int, ...]) -> str:
    rows, columns = game.shape[:2]
    lines = [
        ["", *(who.action(1, column) for column in range(columns))],
        ["---"] * (columns + 1),
    ]
    for row in range(rows):
        cells = [
            ", ".join(number(pay) for pay in game.payoffs[(row, column, *last)])
            for column in range(columns)
        ]
        lines.append([who.action(0, row), *cells])
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def steps(draw: Draw, size: str = "payoff") -> range:
    """All whole amounts that the story's payoffs may take."""
    low, high, *step = draw.story.sizes[size]
    return range(low, high + 1, *step)
