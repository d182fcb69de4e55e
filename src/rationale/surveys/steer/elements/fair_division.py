"""Questions of fair division: lots, pieces trimmed, sealed bids, and items without envy."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

from rationale.surveys.steer.elements import sharing
from rationale.surveys.steer.elements.ballots import insist, named_options
from rationale.surveys.steer.elements.voting import highest
from rationale.surveys.steer.options import crossed
from rationale.surveys.steer.questions import Draft, Draw, Option, keyed
from rationale.surveys.steer.wording import capitalised, listing, money


def people_of(draw: Draw, count: int) -> list[str]:
    """Some of those who share, in random order."""
    return draw.rng.sample(draw.phrase("people").split(" / "), count)


def told(draw: Draw, text: str, people: Sequence[str]) -> str:
    """A scene of the story with the names of those who share."""
    return draw.say(text, names=listing(people))


def value_lines(things: Sequence[str], people: Sequence[str], values: sharing.Values) -> str:
    """A line a thing with what it is worth to everybody, after a line break."""
    return "".join(
        f"\n- {capitalised(thing)}: "
        + listing([f"{mine[n]} to {person}" for person, mine in zip(people, values, strict=True)])
        for n, thing in enumerate(things)
    )


def lots(draw: Draw) -> tuple[list[str], list[str], list[list[int]], str]:
    """Two people, four parts and their values, and the text that tells them."""
    people = people_of(draw, 2)
    parts = draw.rng.sample(draw.phrase("parts").split(" / "), 4)
    values = [sharing.drawn_values(draw.rng, 4) for _ in people]
    text = (
        f"{told(draw, 'cut', people)} It has four parts. Each of the two has spread 100 points "
        f"over these to say what each part is worth:{value_lines(parts, people, values)}\n"
    )
    return people, parts, values, text


def lot_value(draw: Draw) -> Draft | None:
    """What a lot is worth to one of the two, after the other has taken the better one.

    Either lot, in the eyes of either person: the four answers, each the right one equally often.
    """
    people, parts, values, text = lots(draw)
    lot = sorted(draw.rng.sample(range(4), draw.rng.choice((1, 2))))
    takes = sharing.chosen_lot(values[1], lot)
    if takes is None:
        return None
    rest = [part for part in range(4) if part not in lot]
    owned = [rest, lot] if takes else [lot, rest]
    owner, eyes = draw.rng.randrange(2), draw.rng.randrange(2)
    key, otherwise, other_lot = (
        sharing.worth(values[who], owned[whose])
        for who, whose in ((eyes, owner), (1 - eyes, owner), (eyes, 1 - owner))
    )
    options = crossed(
        key,
        (otherwise, f"uses the points of {people[1 - eyes]}"),
        (other_lot, "takes the wrong lot"),
        lambda points: f"{points} points",
        both=100 - otherwise,
    )
    if options is None:
        return None
    first, second = people
    mine, his = people[owner], people[eyes]
    text += (
        f"{capitalised(first)} makes two lots: {listing([parts[n] for n in lot])} in one, "
        f"{listing([parts[n] for n in rest])} in the other. {capitalised(second)} then takes the lot "
        f"with more of {second}'s points, and {first} keeps the other. How many of {his}'s points "
        f"are in the lot that {mine} ends up with?"
    )
    instance = {
        "procedure": "divide and choose",
        "values": values,
        "lot": lot,
        "owner": owner,
        "eyes": eyes,
    }
    said_lot = listing([parts[n] for n in owned[owner]])
    return Draft(
        (keyed(text, *options, value=key),),
        instance,
        f"{capitalised(mine)} ends up with {said_lot}: {key} of {his}'s points.",
    )


def even_split(draw: Draw) -> Draft | None:
    """The only division shown whose halves are worth the same to the one who divides."""
    people, parts, values, text = lots(draw)
    divider = draw.rng.randrange(2)
    splits = [
        lot for size in (1, 2) for lot in combinations(range(4), size) if size == 1 or 0 in lot
    ]
    even = [lot for lot in splits if sharing.chosen_lot(values[divider], lot) is None]
    tempting = [lot for lot in splits if sharing.chosen_lot(values[1 - divider], lot) is None]
    if len(even) != 1 or even[0] in tempting:
        return None
    plain = [lot for lot in splits if lot not in (*even, *tempting)]
    wrong = [*tempting, *draw.rng.sample(plain, len(plain))][:3]
    first, second = people[divider], people[1 - divider]

    def show(lot: Sequence[int]) -> str:
        sides = [[parts[n] for n in range(4) if (n in lot) == inside] for inside in (True, False)]
        return capitalised(f"{listing(sides[0])} against {listing(sides[1])}")

    text += (
        f"{capitalised(first)} divides the parts into two lots, and {second} takes one of them; "
        f"nobody knows beforehand which. Which division makes sure that {first} ends up with half "
        f"of {first}'s points, whichever lot is left?"
    )
    others = [
        Option(
            show(lot),
            f"is even for {second}" if lot in tempting else f"can leave {first} the smaller lot",
        )
        for lot in wrong
    ]
    instance = {
        "procedure": "divide and choose",
        "values": values,
        "divider": divider,
        "parts": parts,
        "shown": [list(lot) for lot in (*even, *wrong)],
    }
    points = " + ".join(str(values[divider][n]) for n in even[0])
    total = " = 50" if "+" in points else ""
    explanation = f"{first}'s points in one of the lots: {points}{total}."
    return Draft((keyed(text, Option(show(even[0])), others),), instance, explanation)


def trimmed_piece(draw: Draw) -> Draft | None:
    """Who takes the first piece under the last diminisher; the cutter does where nobody trims."""
    people = people_of(draw, 4)
    target = draw.rng.randrange(4)
    more, less = (26, 28, 29, 30, 32, 33, 35, 38, 40), (15, 18, 20, 21, 22, 23, 24)
    seen: list[int] = []
    for place in range(1, 4):
        trims = place == target or (place < target and draw.rng.random() < 0.6)
        shares = [share for share in (more if trims else less) if share not in seen]
        seen.append(draw.rng.choice(shares))
    taker = sharing.last_diminisher(seen, 4)
    top = 1 + seen.index(max(seen))
    mistakes = {
        one: "has it trimmed by one who sees less than a quarter in it"
        if share < 25
        else f"overlooks that {people[taker]} trims it later"
        for one, share in enumerate(seen, start=1)
    }
    mistakes |= {3: "gives it to whoever looks at it last", 0: "leaves it to the one who cut it"}
    if taker:
        mistakes[top] = "gives it to whoever sees most in it"
    options = named_options(people, taker, mistakes, "")
    views = listing(
        [
            f"{person} {'puts it ' if n == 0 else ''}at {share}%{' of the whole' if n == 0 else ''}"
            for n, (person, share) in enumerate(zip(people[1:], seen, strict=True))
        ]
    )
    text = (
        f"{told(draw, 'cut', people)} {capitalised(people[0])} cuts off a piece and calls it exactly "
        f"a quarter of the whole. The others look at it in turn. Whoever finds that it is worth more "
        f"than a quarter has to trim it to what looks like a quarter, and hands it on; what is "
        f"trimmed off goes back to the rest. Whoever cut or trimmed the piece last must take it. "
        f"When it reaches them, {views}. Who takes the piece?"
    )
    instance = {"procedure": "last diminisher", "people": list(people), "seen": seen}
    cut_last = "nobody trims it" if taker == 0 else "the last to see more than 25% in it"
    return Draft((keyed(text, *options),), instance, f"{capitalised(people[taker])}: {cut_last}.")


def bid_share(draw: Draw) -> Draft | None:
    """What one of three ends up with under sealed bids; what is left is shared or given away."""
    people = people_of(draw, 3)
    bids = [draw.size("bid") for _ in people]
    if len(set(bids)) < 3 or any(bid % 9 for bid in bids):
        return None
    divided = draw.rng.random() < 0.5
    winner = highest(bids)
    one = (
        winner if draw.rng.random() < 0.5 else draw.rng.choice([n for n in range(3) if n != winner])
    )
    other = winner if one != winner else highest([b if b < max(bids) else 0 for b in bids])
    left = {split: sharing.sealed_bids(bids, split) for split in (True, False)}
    options = crossed(
        left[divided][one],
        (left[divided][other], f"takes a third of the bid of {people[other]}"),
        (
            left[not divided][one],
            "forgets what is left over" if divided else "divides what is left over",
        ),
        money,
    )
    if options is None:
        return None
    thing = draw.phrase("object")
    offers = listing(
        [
            f"{p} {'bids ' if n == 0 else ''}{money(b)}"
            for n, (p, b) in enumerate(zip(people, bids, strict=True))
        ]
    )
    leftover = "is divided equally among the three" if divided else "goes to charity"
    text = (
        f"{told(draw, 'bid', people)} They make sealed bids: {offers}. The highest bidder takes "
        f"{thing} and pays two thirds of that bid into a pot. Each of the others gets a third of "
        f"their own bid out of the pot, and what is left in it {leftover}. If {thing} counts at the "
        f"highest bid, by how much is {people[one]} better off in the end?"
    )
    instance = {"procedure": "sealed bids", "bids": bids, "person": one, "divided": divided}
    share = f"{money(bids[one])} / 3 = {money(Fraction(bids[one], 3))}"
    extra = money(left[True][one] - left[False][one])
    return Draft(
        (keyed(text, *options, value=left[divided][one]),),
        instance,
        f"{share}, and {extra if divided else 'nothing'} of what is left.",
    )


PROCEDURES = {
    "divide and choose": "One divides it into two parts, and the other takes the part they prefer",
    "last diminisher": "One cuts off a fair third, the others may trim it, and who cut last takes it",
    "sealed bids": "Each makes a sealed bid, and the highest takes it and pays something to the others",
    "taking turns": "They draw lots for the order and then take turns in picking one thing each time",
}


def fitting_procedure(draw: Draw) -> Draft | None:
    """Which procedure fits: by how many share, what can be divided, and whether money may be paid."""
    right = draw.rng.choice(list(PROCEDURES))
    people = people_of(draw, 2 if right == "divide and choose" else 3)
    scene = {"sealed bids": "bid", "taking turns": "items"}.get(right, "cut")
    goods = draw.rng.sample(draw.phrase("goods").split(" / "), 6) if scene == "items" else []
    thing = capitalised(draw.phrase("object"))
    fact = {
        "cut": "It can be cut anywhere, and no money is to change hands.",
        "bid": f"{thing} cannot be divided, and all three could pay the others for it.",
        "items": f"The things are {listing(goods)}. None of them can be cut up, and nobody is to pay.",
    }[scene]
    question = draw.rng.choice(
        (
            "Which of these procedures of fair division can they follow?",
            "To share fairly, which of these procedures can they use as it stands?",
            "Which of these ways to share fairly works in their case?",
        )
    )
    others = [
        Option(procedure, f"does not see that it takes {PRECONDITIONS[name]}")
        for name, procedure in PROCEDURES.items()
        if name != right
    ]
    instance = {
        "procedure": "which",
        "people": len(people),
        "things": len(goods) or 1,
        "divisible": scene == "cut",
        "money": scene == "bid",
    }
    text = f"{told(draw, scene, people)} {fact} {question}"
    why = f"{capitalised(right)}: for {PRECONDITIONS[right]}."
    return Draft((keyed(text, Option(PROCEDURES[right]), others),), instance, why)


PRECONDITIONS = {
    "divide and choose": "two people and something that can be split in two",
    "last diminisher": "three people and something that can be cut",
    "sealed bids": "a single thing, and money to pay for it",
    "taking turns": "several things",
}


def shared_items(draw: Draw) -> tuple[list[str], list[str], list[list[int]], str]:
    """Three people, four things and their values, and the text that tells them."""
    people = people_of(draw, 3)
    goods = draw.rng.sample(draw.phrase("goods").split(" / "), 4)
    values = [sharing.drawn_values(draw.rng, 4) for _ in people]
    text = (
        f"{told(draw, 'items', people)} To say what each thing is worth to them, they have "
        f"spread 100 points each:{value_lines(goods, people, values)}\n"
    )
    return people, goods, values, text


def allocation_choice(draw: Draw) -> Draft | None:
    """The one allocation of four without envy, or with a fair share for everybody.

    The other three swap two people's bundles, two things, or both, so that none stands out.
    """
    people, goods, values, text = shared_items(draw)
    ask = draw.rng.choice(("envy", "share"))
    test = sharing.envies if ask == "envy" else sharing.below_share
    found = []
    for right in everybody_served(3, 4):
        if not test(values, right):
            found.append(right)
    if not found:
        return None
    right = draw.rng.choice(found)
    wrong = corners(draw.rng, right)
    if len({right, *wrong}) < 4 or not all(test(values, one) for one in wrong):
        return None
    text += {
        "envy": (
            "Which of these divisions leaves nobody envious? (Nobody is, if each has given at least "
            "as many points to their own lot as to the lot of anybody else.)"
        ),
        "share": (
            "Which of these divisions gives each of them things worth at least a third of their own "
            "points?"
        ),
    }[ask]
    options = [
        Option(shown_allocation(people, goods, one), envy_said(people, values, one, ask))
        for one in wrong
    ]
    instance = {
        "procedure": "items",
        "ask": ask,
        "values": values,
        "people": list(people),
        "goods": list(goods),
        "shown": [list(one) for one in (right, *wrong)],
    }
    owned = sharing.bundles(right, 3)
    points = listing([f"{p} {sharing.worth(values[n], owned[n])}" for n, p in enumerate(people)])
    why = "nobody sees more in another lot" if ask == "envy" else "each at least 33⅓"
    return Draft(
        (keyed(text, Option(shown_allocation(people, goods, right)), options),),
        instance,
        f"Own points: {points}; {why}.",
    )


def allocation_check(draw: Draw) -> Draft | None:
    """Whether an allocation is free of envy; where it is not, everybody has a fair share at times."""
    free = draw.rng.random() < 0.5
    found = insist(lambda: settled_on(draw, free))
    if found is None:
        return None
    people, goods, values, text, one = found
    envious = sharing.envies(values, one)
    settled = "".join(f"\n- {part}" for part in shown_allocation(people, goods, one).split("; "))
    text += (
        f"They settle on this division:{settled}\nIs there anybody to whom the lot of someone else "
        f"is worth more than their own?"
    )
    yes, no = Option("Yes"), Option("No")
    if envious:
        one_who, other_one = sharing.envies(values, one)[0]
        no = Option("No", f"does not see that {people[one_who]} envies {people[other_one]}")
        key, other = yes, no
    else:
        yes = Option("Yes", "takes unequal lots for envy")
        key, other = no, yes
    why = envy_said(people, values, one, "envy") if envious else "nobody sees more in another lot"
    instance = {
        "procedure": "items",
        "ask": "check",
        "values": values,
        "shown": [list(one)],
    }
    return Draft((keyed(text, key, (other,)),), instance, f"{capitalised(why)}.")


def settled_on(
    draw: Draw, free: bool
) -> tuple[list[str], list[str], list[list[int]], str, tuple[int, ...]] | None:
    """Three people, their values and an allocation that is, or is not, free of envy."""
    people, goods, values, text = shared_items(draw)
    found = [
        one
        for one in everybody_served(3, 4)
        if bool(sharing.envies(values, one)) != free and len(sharing.below_share(values, one)) < 2
    ]
    return (people, goods, values, text, draw.rng.choice(found)) if found else None


def everybody_served(people: int, things: int) -> list[tuple[int, ...]]:
    """All allocations that give everybody something."""
    found: list[tuple[int, ...]] = [()]
    for _ in range(things):
        found = [(*start, person) for start in found for person in range(people)]
    return [one for one in found if len(set(one)) == people]


def corners(rng: Random, allocation: Sequence[int]) -> list[tuple[int, ...]]:
    """The allocation with two people's lots swapped, with two things swapped, and with both."""
    one, other = rng.sample(range(3), 2)
    first, second = rng.sample(range(len(allocation)), 2)
    swap = {one: other, other: one}
    things = list(allocation)
    things[first], things[second] = things[second], things[first]
    return [
        tuple(swap.get(owner, owner) for owner in allocation),
        tuple(things),
        tuple(swap.get(owner, owner) for owner in things),
    ]


def shown_allocation(people: Sequence[str], goods: Sequence[str], allocation: Sequence[int]) -> str:
    """``Ada: the boat; Bruno: the car; Carla: the piano and the lamp``."""
    owned = sharing.bundles(allocation, len(people))
    return capitalised(
        "; ".join(
            f"{person}: {listing([goods[n] for n in lot])}"
            for person, lot in zip(people, owned, strict=True)
        )
    )


def envy_said(
    people: Sequence[str], values: sharing.Values, allocation: Sequence[int], ask: str
) -> str:
    """What is wrong with an allocation."""
    if ask == "share":
        return f"gives {people[sharing.below_share(values, allocation)[0]]} less than a third"
    one, other = sharing.envies(values, allocation)[0]
    fair = "" if sharing.below_share(values, allocation) else ", though each has a third"
    return f"{people[one]} envies {people[other]}{fair}"
