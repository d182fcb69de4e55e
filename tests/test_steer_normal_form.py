"""Games in strategic form: every key against gambit or brute force over the text as it is shown."""

import re
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pygambit
import pytest
import steer

from rationale.surveys.steer.elements import games
from rationale.surveys.steer.elements.normal_form import level_choices, level_guess

NAMES = ("row", "column", "third")


def game(rows):
    """A game from its bimatrix, row by row."""
    shape = (len(rows), len(rows[0]))
    return games.Game(shape, {(r, c): rows[r][c] for r, c in product(*map(range, shape))})


def tables(text):
    """Labels and payoffs read off the tables of a text: [(rows, columns, cells)]."""
    found = []
    for block in re.findall(r"(?:^\|.*\|$\n?)+", text, re.M):
        lines = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()
        ]
        cells = [[_numbers(cell) for cell in line[1:]] for line in lines[2:]]
        found.append(([line[0] for line in lines[2:]], lines[0][1:], cells))
    return found


def _numbers(cell):
    return tuple(int(number.replace(",", "")) for number in cell.split(", "))


SAID = re.compile(
    r"If (?:.+?) chooses? to (.+?) and (?:[^,]+?) to (.+?), .+? gets? ([\d,]+) and [^,]+? "
    r"([\d,]+)\."
)


def shown_game(text):
    """The labels of both players' (or all three's) actions and the payoff array, from the text."""
    if not (found := tables(text)):
        said = SAID.findall(text)
        rows, columns = (list(dict.fromkeys(one[n].capitalize() for one in said)) for n in (0, 1))
        pay = np.zeros((len(rows), len(columns), 2), int)
        for row, column, *numbers in said:
            pay[rows.index(row.capitalize()), columns.index(column.capitalize())] = [
                int(number.replace(",", "")) for number in numbers
            ]
        return [rows, columns], pay
    rows, columns, cells = found[0]
    if len(found) == 1:
        return [rows, columns], np.array(cells)
    third = re.findall(r"^If .+? chooses? to (.+?):$", text, re.M)
    labels = [rows, columns, [label[:1].upper() + label[1:] for label in third]]
    return labels, np.stack([np.array(one[2]) for one in found], axis=2)


def labelled(label, labels):
    return [one.lower() for one in labels].index(label.lower())


def profile(text, labels):
    return tuple(
        labelled(part.split(": ", 1)[1], own)
        for part, own in zip(text.split("; "), labels, strict=True)
    )


def cases(slug):
    for one in steer.questions(slug):
        part = one.draft.parts[0]
        if one.draft.instance.get("kind") != "contest":
            yield one, part, *shown_game(part.text)


def beaten(pay, player, action, left):
    """Whether some other action that is left pays strictly more in every case that is left."""
    own = np.moveaxis(pay[..., player], player, 0)
    rest = [sorted(kept) for p, kept in enumerate(left) if p != player]
    own = own[np.ix_(range(own.shape[0]), *rest)]
    return any((own[other] > own[action]).all() for other in left[player] if other != action)


def everything(pay):
    return [set(range(count)) for count in pay.shape[:-1]]


@pytest.mark.parametrize(
    "slug",
    [
        "interpret-games",
        "best-response",
        "dominant-strategies",
        "dominated-strategies",
        "iterated-removal",
        "pure-nash",
        "level-k",
    ],
)
def test_the_text_shows_the_instance(slug):
    for one, _, _, pay in cases(slug):
        assert pay.reshape(-1, pay.shape[-1]).tolist() == one.draft.instance["payoffs"]


def test_interpret_games_key_is_the_number_in_the_cell():
    for one, part, labels, pay in cases("interpret-games"):
        asked = one.draft.instance["asked"]
        said = part.text.rsplit("Suppose ", 1)[1]
        acts = [labelled(a, own) for a, own in zip(_chosen(said), labels, strict=True)]
        assert part.key.text == f"{pay[tuple(acts)][asked]:,}"
        assert part.key.text not in {option.text for option in part.options if option.mistake}


def _chosen(said):
    return re.match(r".+? chooses? to (.+?) and .+? to (.+?)\. ", said).groups()


def test_best_response_key_alone_pays_most():
    for one, part, labels, pay in cases("best-response"):
        asked = one.draft.instance["asked"]
        belief = [Fraction(share) for share in one.draft.instance["belief"]]
        assert sum(belief) == 1
        own = pay[..., asked] if asked == 0 else pay[..., asked].T
        values = [sum(b * int(x) for b, x in zip(belief, row, strict=True)) for row in own]
        best = [n for n, value in enumerate(values) if value == max(values)]
        assert best == [labelled(part.key.text, labels[asked])]


def test_best_response_states_the_belief():
    for one, part, labels, _ in cases("best-response"):
        belief = [Fraction(share) for share in one.draft.instance["belief"]]
        other = labels[1 - one.draft.instance["asked"]]
        for share, label in zip(belief, other, strict=True):
            if share == 1:
                assert re.search(rf" chooses? to {label.lower()}\. ", part.text.lower())
            elif share:
                said = rf" to {label.lower()} with an? {int(share * 100)}% chance"
                assert re.search(said, part.text.lower())


def test_dominant_strategies_key_alone_is_dominant():
    for one, part, labels, pay in cases("dominant-strategies"):
        asked = one.draft.instance["asked"]
        own = np.moveaxis(pay[..., asked], asked, 0)
        best = [
            n
            for n in range(len(own))
            if all((own[n] > own[m]).all() for m in range(len(own)) if m != n)
        ]
        assert best == [labelled(part.key.text, labels[asked])]


def test_dominated_strategies_key_alone_is_never_best():
    """By pure dominance; and every distractor is the best response to something."""
    for one, part, labels, pay in cases("dominated-strategies"):
        asked = one.draft.instance["asked"]
        own = pay[..., asked] if asked == 0 else pay[..., asked].T
        key = labelled(part.key.text, labels[asked])
        assert beaten(pay, asked, key, everything(pay))
        assert set(own.argmax(axis=0)) == set(range(len(own))) - {key}


def one_by_one(pay, rng):
    """What is left when dominated actions go one at a time, in any order."""
    left = everything(pay)
    while found := [
        (p, own) for p, kept in enumerate(left) for own in kept if beaten(pay, p, own, left)
    ]:
        player, own = rng.choice(found)
        left[player].remove(own)
    return left


def test_iterated_removal_key_is_left_in_whatever_order_one_removes():
    rng = Random(7)
    for one, part, labels, pay in cases("iterated-removal"):
        left = one_by_one(pay, rng)
        assert [len(kept) for kept in left] == [1, 1]
        last = tuple(min(kept) for kept in left)
        if "pair of choices" in part.text:
            assert profile(part.key.text, labels) == last
        else:
            asked = one.draft.instance["asked"]
            assert labelled(part.key.text, labels[asked]) == last[asked]


def test_iterated_removal_takes_two_rounds_at_least():
    for one, _, _, pay in cases("iterated-removal"):
        asked = one.draft.instance["asked"]
        own = np.moveaxis(pay[..., asked], asked, 0)
        assert not any(
            all((own[n] > own[m]).all() for m in range(len(own)) if m != n) for n in range(len(own))
        )


def gambit_equilibria(pay):
    """The pure equilibria that gambit finds."""
    found = pygambit.Game.from_arrays(*np.moveaxis(pay, -1, 0))
    return [
        tuple(
            next(n for n, strategy in enumerate(player.strategies) if one[strategy] == 1)
            for player in found.players
        )
        for one in pygambit.nash.enumpure_solve(found).equilibria
    ]


def test_pure_nash_key_alone_is_an_equilibrium_to_gambit():
    for _, part, labels, pay in cases("pure-nash"):
        assert gambit_equilibria(pay) == [profile(part.key.text, labels)]
        assert len({profile(option.text, labels) for option in part.options}) == 4


def test_level_k_games_by_the_definition():
    """Level k is best against level k - 1; level 0 takes each of three actions equally often."""
    for one, part, labels, pay in cases("level-k"):
        asked, level = one.draft.instance["asked"], one.draft.instance["level"]

        def choice(player, k, pay=pay):
            own = pay[..., player] if player == 0 else pay[..., player].T
            against = own.sum(axis=1) if k == 1 else own[:, choice(1 - player, k - 1)]
            assert sorted(against)[-1] > sorted(against)[-2]
            return int(against.argmax())

        assert choice(asked, level) == labelled(part.key.text, labels[asked])


def test_level_k_contests_step_by_step():
    for one in steer.questions("level-k"):
        found = one.draft.instance
        if found["kind"] == "contest":
            guess = Fraction(found["start"])
            for _ in range(found["level"]):
                guess *= Fraction(found["share"])
            part = one.draft.parts[0]
            near = [o for o in part.options if abs(Fraction(o.text) - guess) < Fraction(1, 200)]
            assert near == [part.key]
            assert f"they guess {found['start']}" in part.text


def test_a_level_k_contest_hides_the_key_s_rank():
    """Either mistake leads up as often as down: each of four ranks within 5 deviations of 1/4."""
    ranks = [0] * 4
    for one in steer.questions("level-k", 3000):
        if one.draft.instance["kind"] == "contest":
            part = one.draft.parts[0]
            values = sorted(Fraction(option.text) for option in part.options)
            ranks[values.index(Fraction(part.key.text))] += 1
    total = sum(ranks)
    assert max(abs(rank - total / 4) for rank in ranks) < 5 * (total * 3 / 16) ** 0.5


def test_the_level_k_contest_of_the_literature():
    """Two thirds of the average from 50 (Nagel 1995): 50 * 2/3 = 33 1/3; * 2/3 = 22 2/9."""
    assert [level_guess(Fraction(2, 3), 50, k) for k in (1, 2)] == [
        Fraction(100, 3),
        Fraction(200, 9),
    ]


def test_level_k_by_hand():
    """Row: 9 + 0 against 4 + 4 gives level 1 the first row; column: 1 + 2 against 3 + 1 the second.

    Level 2's row is best against the second column: 0 against 4, the second row.
    """
    found = level_choices(game([[(9, 1), (0, 3)], [(4, 2), (4, 1)]]), 2)
    assert found == [(0, 1), (1, 1)]


def test_the_paper_reads_odds_against_evens():
    """Scaled by 1000: the row player of odds against evens gets 10.032."""
    found = game([[(12132, -1931435), (10032, -432938)], [(842313, -74257), (-3049, 43982)]])
    assert found.payoffs[0, 1][0] == 10032


def test_the_paper_spends_when_the_competitor_does_not():
    """Against 'do not spend', spending pays 10 and not spending 3."""
    spending = game([[(5, 5), (10, 0)], [(0, 10), (3, 3)]])
    assert games.best_responses(spending, 0, (0, 1)) == {0}


def test_the_paper_column_player_has_a_dominant_action():
    """10 > 5 and 3 > -3: the first column."""
    assert games.dominant(game([[(5, 10), (4, 5)], [(0, 3), (8, -3)]]), 1) == 0


def test_the_paper_row_player_has_a_dominated_action():
    """93.08 > 0.34 and 74.93 > -75.94: never the second row."""
    found = game([[(9308, 3113), (7493, 400)], [(34, 8331), (-7594, 2488)]])
    assert games.dominated(found, 0) == {1: 0}


PAPER = [[(13, 12), (5, 3), (11, 1)], [(2, 3), (6, 12), (15, 1)], [(3, 2), (9, 9), (17, 4)]]


def test_the_paper_s_iterated_removal_with_the_row_player_s_number_first():
    """Row M beats L (3 > 2, 9 > 6, 17 > 15), column L beats M (3 > 1, 12 > 1, 9 > 4); no more goes."""
    assert games.removals(game(PAPER))[1:] == [[{0, 2}, {0, 1}]]


def test_the_paper_s_iterated_removal_as_printed_ends_in_a_tie():
    """The column player's number first: column M beats L (11 > 5, 15 > 6, 17 > 9).

    Then row K beats L by 12 > 3 and ties 1 = 1: only weakly, so that nothing more goes.
    """
    printed = game([[pay[::-1] for pay in row] for row in PAPER])
    assert games.removals(printed)[1:] == [[{0, 1, 2}, {0, 2}]]


def test_the_paper_s_two_drivers_have_two_equilibria():
    """Both left or both right: 20 each; else -20 each. The paper accepts either."""
    drivers = game([[(20, 20), (-20, -20)], [(-20, -20), (20, 20)]])
    assert games.equilibria(drivers) == [(0, 0), (1, 1)]


def test_removal_by_hand():
    """Column 2 beats column 1 (2 > 1, 3 > 0); then row 2 beats row 1 (4 > 3): (row 2, column 2)."""
    found = game([[(9, 1), (3, 2)], [(5, 0), (4, 3)]])
    assert games.removals(found)[-1] == [{1}, {1}]
