"""Games in extensive form with perfect information (STEER 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any

from rationale.surveys.steer.elements.games import steps
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, money, number

# A node is {"player": 0 or 1, "next": [node, node]}; an end is {"pay": [first's, second's]}.
Node = Mapping[str, Any]
MOVES = dict.fromkeys(
    ["intro", "unit", "first", "second", "f1", "f2", "s1", "s2", "l1", "l2", "z1", "z2"], ""
)
ENTRY = dict.fromkeys(
    ["intro", "unit", "first", "second", "out", "enter", "s1", "s2", "l1", "l2"], ""
)


def best_path(node: Node) -> tuple[list[int], list[int]]:
    """The moves and payoffs when everybody chooses best from the end on (Kuhn 1953)."""
    if "pay" in node:
        return [], node["pay"]
    found = [best_path(child) for child in node["next"]]
    best = max(range(len(found)), key=lambda move: found[move][1][node["player"]])
    return [best, *found[best][0]], found[best][1]


def best_plan(node: Node) -> list[int]:
    """The best move at every node, reached or not, a node before those behind it."""
    if "pay" in node:
        return []
    behind = [move for child in node["next"] for move in best_plan(child)]
    return [best_path(node)[0][0], *behind]


def nodes(node: Node) -> Iterator[Node]:
    """All nodes with a choice, a node before those behind it: the order of a plan."""
    if "next" in node:
        yield node
        for child in node["next"]:
            yield from nodes(child)


def outcome(node: Node, plan: Sequence[int]) -> list[int]:
    """The payoffs when all follow a plan."""
    moves = {id(one): move for one, move in zip(nodes(node), plan, strict=True)}
    while "next" in node:
        node = node["next"][moves[id(node)]]
    return node["pay"]


def is_nash(node: Node, plan: Sequence[int]) -> bool:
    """Whether neither player gains by another plan of their own."""
    owners = [one["player"] for one in nodes(node)]
    counts = [range(len(one["next"])) for one in nodes(node)]
    return all(
        outcome(node, other)[player] <= outcome(node, plan)[player]
        for player in (0, 1)
        for other in product(
            *(
                count if owner == player else (move,)
                for count, owner, move in zip(counts, owners, plan, strict=True)
            )
        )
    )


@generator("backward-induction", texts=MOVES, sizes="payoff")
def backward_induction(draw: Draw) -> Draft | None:
    """The first move, or the first two, when both choose best from the end of the game on.

    Both first moves lead on; afterwards one of two moves does, until the last. Payoffs differ, so
    that no choice is tied. Half of the time the highest number of the first mover lies elsewhere.
    """
    tree = _tree(draw.rng, {7: 2, 8: 3, 9: 4}[draw.grade], steps(draw))
    moves, _ = best_path(tree)
    tempting = max(_ends(tree, ()), key=lambda end: end[1][0])[0][0] == moves[0]
    if tempting != (draw.rng.random() < 0.5):
        return None
    names = (draw.phrase("first"), draw.phrase("second"))
    labels = [[draw.phrase(f"{letter}{n}") for n in (1, 2)] for letter in "fslz"]
    text = _told(draw, names, labels, tree)
    best = (
        "both of you choose as well as you can for yourselves"
        if names[0] == "you"
        else "both choose as well as they can for themselves"
    )
    both = draw.rng.random() < 0.6
    if both:
        first = "the two" if draw.grade == 7 else "the first two"
        ask = f"If {best}, what are {first} choices?"
        answers = [tuple(move) for move in product((0, 1), repeat=2)]
        key = tuple(moves[:2])
    else:
        ask = (f"If {best}, what does {names[0]} choose first?").replace("does you", "do you")
        answers, key = [(0,), (1,)], (moves[0],)
    replies = [best_path(child)[0][0] for child in tree["next"]]
    options = [
        Option(
            _moves(names, labels, one) if both else capitalised(labels[0][one[0]]),
            None if one == key else _path_mistake(one, key, replies),
        )
        for one in answers
    ]
    right = options[answers.index(key)]
    return Draft(
        (keyed(f"{text}\n\n{ask}", right, [one for one in options if one is not right]),),
        {"tree": tree, "asked": "two" if both else "one"},
        f"From the end on: {_line(names, labels, tuple(moves), best_path(tree)[1])}",
    )


@generator("subgame-perfection", texts={**ENTRY, "offer": "pie offers other"}, sizes="payoff gap")
def subgame_perfection(draw: Draw) -> Draft | None:
    """An offer under an empty threat (grade 8), or whole plans that are best at every turn.

    Subgame perfection is Selten's (1965). The first mover does well to enter half of the time; the
    second one would like best that nobody entered.
    """
    if draw.grade == 8:
        return _offer(draw)
    amounts = draw.rng.sample(steps(draw), 8)
    most = max((1, 3, 5, 7), key=amounts.__getitem__)
    amounts[1], amounts[most] = amounts[most], amounts[1]
    end = [{"pay": list(pair)} for pair in zip(amounts[::2], amounts[1::2], strict=True)]
    later = end[2] if draw.grade == 9 else {"player": 0, "next": [end[2], end[3]]}
    replies = [end[1], later]
    swapped = draw.grade == 10 and draw.rng.random() < 0.5
    if swapped:
        replies.reverse()
    tree = {"player": 0, "next": [end[0], {"player": 1, "next": replies}]}
    key = best_plan(tree)
    if key[0] != draw.rng.randrange(2):
        return None
    fixed = draw.rng.randrange(3) if draw.grade == 10 else None
    plans = [
        plan
        for plan in product((0, 1), repeat=len(key))
        if fixed is None or plan[fixed] == key[fixed]
    ]
    names = (draw.phrase("first"), draw.phrase("second"))
    labels = [
        [draw.phrase(name) for name in pair.split()] for pair in ("out enter", "s1 s2", "l1 l2")
    ]
    options = {
        plan: Option(
            _plan(names, labels, plan),
            None if list(plan) == key else _plan_mistake(tree, plan, key),
        )
        for plan in plans
    }
    right = options.pop(tuple(key))
    text = (
        f"{_told(draw, names, labels, tree)}\n\n"
        f"A plan says what somebody does at each of their turns, even one that never comes. With "
        f"which plans does each choose best at every turn, whether it comes or not?"
    )
    return Draft(
        (keyed(text, right, list(options.values())),),
        {"kind": "plans", "tree": tree},
        f"From the end on: {right.text}.",
    )


def _offer(draw: Draw) -> Draft | None:
    """The least of four offers that beats refusing, or the answer to one, whatever was announced."""
    gap = draw.size("gap")
    lowest = gap * draw.rng.randint(1, 4)
    offers = [lowest + gap * n for n in range(4)]
    pie = offers[-1] + gap * draw.rng.randint(2, 6)
    place = draw.rng.randrange(4)
    other = offers[place] - gap // 5 * draw.rng.randint(1, 4)
    announced = draw.rng.choice([offer for offer in offers if offer != offers[place]])
    names = (draw.phrase("first"), draw.phrase("second"))
    text = draw.say(
        "offer",
        pie=number(pie),
        offers=listing([money(offer) for offer in offers], "or"),
        other=number(other),
    )
    has = f"{capitalised(names[1])} {'have' if names[1] == 'you' else 'has'}"
    threat = (
        f"{has} threatened to refuse anything under {money(announced)}"
        if announced > other
        else f"{has} promised to accept anything from {money(announced)} up"
    )
    told = (
        f"{text} {threat}, but nothing binds {names[1]} to that. "
        f"{_both(names, 'want as much money as they can get')}."
    )
    instance = {"pie": pie, "offers": offers, "other": other}
    if draw.rng.random() < 0.5:
        return _answer(draw, names, told, instance, announced)
    ask = f"{told} Which offer should {names[0]} make?"
    options = [Option(money(offer), _offer_mistake(offer, announced, other)) for offer in offers]
    right = Option(money(offers[place]))
    return Draft(
        (keyed(ask, right, options[:place] + options[place + 1 :], offers[place]),),
        {"kind": "offer", **instance},
        f"{money(offers[place])} is the least that beats the {money(other)} from refusing.",
    )


def _answer(
    draw: Draw, names: Sequence[str], told: str, instance: dict[str, Any], announced: int
) -> Draft | None:
    if instance["other"] < instance["offers"][0]:
        return None  # There is nothing to refuse.
    accept = draw.rng.random() < 0.5
    fitting = [o for o in instance["offers"] if (o > instance["other"]) == accept]
    offer = draw.rng.choice(fitting)
    ask = f"{told} {capitalised(names[0])} {'offer' if names[0] == 'you' else 'offers'} {money(offer)}."
    ask += f" What should {names[1]} do?"
    misled = (offer >= announced) != accept
    wrong = "goes by what was announced" if misled else "forgets what refusing brings"
    if not misled and accept:
        wrong = "would rather punish a low offer"
    pair = [
        Option("Accept", None if accept else wrong),
        Option("Refuse", wrong if accept else None),
    ]
    key, rest = pair if accept else pair[::-1]
    sign = "more" if accept else "less"
    return Draft(
        (keyed(ask, key, (rest,)),),
        {"kind": "answer", **instance, "offer": offer},
        f"{money(offer)} is {sign} than the {money(instance['other'])} from refusing.",
    )


def _offer_mistake(offer: int, announced: int, other: int) -> str:
    if offer == announced:
        return "believes what was announced"
    if offer < other:
        return "offers less than refusing brings"
    return "offers more than is needed"


def _tree(rng: Random, depth: int, amounts: Sequence[int]) -> Node:
    """A tree in which both first moves lead on, and then one of two moves, until the last."""
    ends = 2 * depth
    mine, theirs = (rng.sample(amounts, ends) for _ in range(2))
    pays = [{"pay": list(pair)} for pair in zip(mine, theirs, strict=True)]

    def behind(level: int) -> Node:
        further = behind(level + 1) if level < depth - 1 else pays.pop()
        children = [pays.pop(), further]
        if rng.random() < 0.5:
            children.reverse()
        return {"player": level % 2, "next": children}

    return {"player": 0, "next": [behind(1), behind(1)]}


def _ends(node: Node, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    if "pay" in node:
        yield path, node["pay"]
    else:
        for move, child in enumerate(node["next"]):
            yield from _ends(child, (*path, move))


def _moves(names: Sequence[str], labels: Sequence[Sequence[str]], path: Sequence[int]) -> str:
    return capitalised(
        "; ".join(f"{names[n % 2]}: {labels[n][move]}" for n, move in enumerate(path))
    )


def _told(draw: Draw, names: Sequence[str], labels: Sequence[Sequence[str]], tree: Node) -> str:
    """The scene and the tree, a line a move, numbered like sections and their subsections."""
    return (
        f"{draw.say('intro')} {draw.say('unit')} Here is every way it can go: 1.2 is a choice after "
        f"1, and so on. {_both(names, 'know all this and see every choice made before their own')}.\n\n"
        + "\n".join(_outline(names, labels, tree, ()))
    )


def _both(names: Sequence[str], do: str) -> str:
    """``Both want all they can get``, ``Both of you want all you can get``."""
    if "you" not in names:
        return f"Both {do}"
    return f"Both of you {do.replace('they', 'you').replace('their', 'your')}"


def _outline(
    names: Sequence[str], labels: Sequence[Sequence[str]], node: Node, path: tuple[int, ...]
) -> Iterator[str]:
    depth = len(path)
    for place, (label, child) in enumerate(zip(labels[depth], node["next"], strict=True), start=1):
        here = (*path, place)
        line = f"- {'.'.join(map(str, here))} {capitalised(names[depth % 2])}: {label}"
        if "pay" in child:
            yield f"{line}. {_gains(names, child['pay'])}"
        else:
            yield line
            yield from _outline(names, labels, child, here)


def _gains(names: Sequence[str], pay: Sequence[int]) -> str:
    get = "get" if names[0] == "you" else "gets"
    return f"{capitalised(names[0])} {get} {number(pay[0])}, {names[1]} {number(pay[1])}."


def _line(
    names: Sequence[str],
    labels: Sequence[Sequence[str]],
    path: Sequence[int],
    pay: Sequence[int],
) -> str:
    return f"{_moves(names, labels, path)}. {_gains(names, pay)}"


def _path_mistake(one: tuple[int, ...], key: tuple[int, ...], replies: Sequence[int]) -> str:
    if one[0] == key[0]:
        return "takes the wrong reply"
    if len(one) == 1 or one[1] == replies[one[0]]:
        return "does not see what follows the first move"
    return "hopes that the other does not choose best"


def _plan(names: Sequence[str], labels: Sequence[Sequence[str]], plan: Sequence[int]) -> str:
    turns = [f"{names[0]}: {labels[0][plan[0]]}"]
    turns.append(f"{names[1]}, at the second turn: {labels[1][plan[1]]}")
    if len(plan) == 3:
        turns.append(f"{names[0]}, at the third turn: {labels[2][plan[2]]}")
    return capitalised("; ".join(turns))


def _plan_mistake(tree: Node, plan: Sequence[int], key: Sequence[int]) -> str:
    if is_nash(tree, plan):
        return "rests on an empty threat or promise"
    if plan[1] == key[1]:
        return "the first does not choose best at every turn"
    return "the second does not choose best"
