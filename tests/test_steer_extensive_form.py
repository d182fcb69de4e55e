"""Games in extensive form: every key against brute force over all plans, and against the text."""

import re
from itertools import product

import pygambit
import steer

from rationale.surveys.steer.elements.extensive_form import best_path, best_plan, is_nash


def ends_shown(text):
    """The ways a game can go, as outlined: [([(who, action), …], (first's, second's))]."""
    found, path = [], []
    for place, line in re.findall(r"^- ([\d.]+) (.+)$", text, re.M):
        said = re.fullmatch(r"(.+?): (.+?)(?:\. .+? gets? ([\d,]+), .+? ([\d,]+)\.)?", line)
        who, action, *pay = said.groups()
        path[place.count(".") :] = [(who, action)]
        if pay[0]:
            found.append((list(path), tuple(int(number.replace(",", "")) for number in pay)))
    return found


def tree_shown(ends, depth=0):
    """The tree behind a list of ways: (place of the mover, {action: tree}) or payoffs."""
    if len(ends[0][0]) == depth:
        assert len(ends) == 1
        return ends[0][1]
    actions = dict.fromkeys(steps[depth][1] for steps, _ in ends)
    assert len({steps[depth][0].lower() for steps, _ in ends}) == 1
    return depth % 2, {
        action: tree_shown([end for end in ends if end[0][depth][1] == action], depth + 1)
        for action in actions
    }


def histories(tree, path=()):
    """Every history at which somebody moves."""
    if isinstance(tree[1], dict):
        yield path
        for action, child in tree[1].items():
            yield from histories(child, (*path, action))


def at(tree, path):
    for action in path:
        tree = tree[1][action]
    return tree


def played(tree, plan, path=()):
    while isinstance(tree[1], dict):
        tree, path = tree[1][plan[path]], (*path, plan[path])
    return tree, path


def perfect_plans(tree):
    """All plans from which no player gains in any subgame by any other plan of their own there."""
    places = list(histories(tree))
    everything = [
        dict(zip(places, acts, strict=True))
        for acts in product(*(at(tree, place)[1] for place in places))
    ]
    return [plan for plan in everything if all(steady(tree, plan, p, everything) for p in places)]


def steady(tree, plan, place, everything):
    here = at(tree, place)
    before = played(here, sub(plan, place))[0]
    for other in everything:
        for player in (0, 1):
            mixed = {path: (other if len(path) % 2 == player else plan)[path] for path in plan}
            if played(here, sub(mixed, place))[0][player] > before[player]:
                return False
    return True


def sub(plan, place):
    return {path[len(place) :]: act for path, act in plan.items() if path[: len(place)] == place}


def as_node(tree):
    if not isinstance(tree[1], dict):
        return {"pay": list(tree)}
    return {"player": tree[0], "next": [as_node(child) for child in tree[1].values()]}


def shown(slug, count=400):
    for one in steer.questions(slug)[:: max(1, len(steer.questions(slug)) // count)]:
        if one.draft.instance.get("kind", "plans") == "plans":
            yield one, one.draft.parts[0], tree_shown(ends_shown(one.draft.parts[0].text))


def test_the_list_shows_the_instance():
    for slug in ("backward-induction", "subgame-perfection"):
        for one, _, tree in shown(slug, 2000):
            assert strip(as_node(tree)) == strip(one.draft.instance["tree"])


def strip(node):
    """A tree as pairs of mover and moves, or as payoffs."""
    if "pay" in node:
        return tuple(node["pay"])
    return node["player"], [strip(child) for child in node["next"]]


def test_backward_induction_key_is_what_the_only_perfect_plan_plays():
    for one, part, tree in shown("backward-induction", 150):
        (plan,) = perfect_plans(tree)
        _, path = played(tree, plan)
        key = [step.rsplit(": ", 1)[-1].lower() for step in part.key.text.split("; ")]
        assert key == [action.lower() for action in path[: len(key)]]
        assert len(key) == (2 if one.draft.instance["asked"] == "two" else 1)
        assert len(part.options) == 2 * len(key)


def test_subgame_perfection_key_is_the_only_perfect_plan():
    for _, part, tree in shown("subgame-perfection"):
        (plan,) = perfect_plans(tree)
        acts = list(plan.values())
        turns = [step.rsplit(": ", 1)[1] for step in part.key.text.split("; ")]
        assert turns == acts
        assert {option.text for option in part.options if option.mistake is None} == {part.key.text}


def test_an_empty_threat_is_an_equilibrium_all_the_same():
    """Distractors that are said to rest on a threat are Nash to gambit, others are not."""
    for one, part, tree in list(shown("subgame-perfection"))[:60]:
        strategic, order = strategic_form(tree)
        found = {
            tuple(
                next(n for n, strategy in enumerate(player.strategies) if one[strategy] == 1)
                for player in strategic.players
            )
            for one in pygambit.nash.enumpure_solve(strategic).equilibria
        }
        for option in part.options:
            turns = [step.rsplit(": ", 1)[1] for step in option.text.split("; ")]
            places = tuple(order[p].index(tuple(turns[p::2])) for p in (0, 1))
            nash = option.mistake is None or "threat" in option.mistake
            assert (places in found) == nash, one.question_id


def strategic_form(tree):
    """The game as gambit's strategic form, and the strategies of each player in its order."""
    places = list(histories(tree))
    own = [[place for place in places if len(place) % 2 == p] for p in (0, 1)]
    order = [list(product(*(at(tree, place)[1] for place in own[p]))) for p in (0, 1)]
    pay = [
        [
            played(
                tree,
                {**dict(zip(own[0], a, strict=True)), **dict(zip(own[1], b, strict=True))},
            )[0]
            for b in order[1]
        ]
        for a in order[0]
    ]
    arrays = [[[cell[p] for cell in row] for row in pay] for p in (0, 1)]
    return pygambit.Game.from_arrays(*arrays), order


def offers():
    for one in steer.questions("subgame-perfection"):
        if one.draft.instance.get("kind") != "plans":
            yield one, one.draft.parts[0], one.draft.instance


def test_the_offer_made_is_the_best_of_four_given_the_best_answers():
    for _, part, found in offers():
        if found["kind"] == "offer":
            gain = {
                offer: found["pie"] - offer if offer > found["other"] else 0
                for offer in found["offers"]
            }
            assert part.key.text == f"${max(gain, key=gain.get):,}"
            assert sorted(gain.values())[-1] > sorted(gain.values())[-2]


def test_an_offer_is_accepted_exactly_when_it_beats_refusing():
    for _, part, found in offers():
        if found["kind"] == "answer":
            assert part.key.text == ("Accept" if found["offer"] > found["other"] else "Refuse")
            assert found["offer"] != found["other"]


def test_accepting_is_right_as_often_as_refusing():
    """Each within 4 deviations of a half."""
    right = [
        one.draft.parts[0].key.text == "Accept"
        for one in steer.questions("subgame-perfection", 3000)
        if one.draft.instance["kind"] == "answer"
    ]
    assert abs(sum(right) - len(right) / 2) < 2 * len(right) ** 0.5


def test_the_offers_in_the_text_are_those_of_the_instance():
    for _, part, found in offers():
        numbers = {int(n.replace(",", "")) for n in re.findall(r"\$([\d,]*\d)", part.text)}
        assert {found["pie"], found["other"], *found["offers"]} <= numbers


def node(player, *children):
    return {"player": player, "next": list(children)}


def test_the_paper_s_tree():
    """Alice takes G (6 > 3) after D and I (5 > 1) after E; Bob then C (3 > 2) and F (5 > 4).

    At the start Alice compares 4 with 2 and takes A.
    """
    end = [{"pay": list(pay)} for pay in ((4, 3), (6, 2), (3, 6), (5, 4), (1, 7), (2, 5))]
    tree = node(
        0, node(1, end[0], node(0, end[1], end[2])), node(1, node(0, end[3], end[4]), end[5])
    )
    assert best_plan(tree) == [0, 0, 0, 1, 0]
    assert best_path(tree) == ([0, 0], [4, 3])


def test_the_paper_s_split_of_a_hundred_is_accepted():
    """30 beats the 0 from refusing."""
    assert best_path(node(1, {"pay": [70, 30]}, {"pay": [0, 0]}))[0] == [0]


def test_the_entry_game_has_an_equilibrium_that_is_not_perfect():
    """Out 0, 2; fought -1, -1; shared 1, 1: (out, fight) is Nash, (in, share) alone is perfect."""
    tree = node(0, {"pay": [0, 2]}, node(1, {"pay": [-1, -1]}, {"pay": [1, 1]}))
    assert is_nash(tree, [0, 0])
    assert best_plan(tree) == [1, 1]
