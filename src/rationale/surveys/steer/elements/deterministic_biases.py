"""Avoidance of cognitive biases in deterministic environments (STEER 2.2)."""

from __future__ import annotations

from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import number


@generator(
    "sunk-cost",
    texts={
        "four": "spent projected remainder",
        "five": "total spent projected",
        "six": "spent remainder first second",
        "go_on": "",
        "stop": "",
    },
    sizes="spent projected",
)
def sunk_cost(draw: Draw) -> Draft | None:
    """Go on exactly when what is still to gain exceeds what is still to pay; what is spent counts not.

    The two are drawn so that going on is right half of the time, and that weighing the whole cost
    against the gain, as the fallacy's opposite error does, often misleads.
    """
    spent, projected = draw.size("spent"), draw.size("projected")
    share = draw.rng.choice((40, 50, 60, 70, 80, 85, 115, 120, 130, 140, 150, 160))
    if projected * share % 100:
        return None
    remainder = projected * share // 100
    if remainder in (spent, projected) or spent == projected:
        return None
    right = remainder < projected
    go_on = Option(draw.say("go_on"), None if right else "counts what is already spent")
    stop = Option(
        draw.say("stop"), "counts what is already spent as a cost to come" if right else None
    )
    first = projected * draw.rng.choice((30, 40, 60, 70)) // 100
    values = {
        "spent": spent,
        "projected": projected,
        "remainder": remainder,
        "total": spent + remainder,
        "first": first,
        "second": projected - first,
    }
    text = draw.say(
        {4: "four", 5: "five", 6: "six"}[draw.grade],
        **{name: number(value) for name, value in values.items()},
    )
    key, other = (go_on, stop) if right else (stop, go_on)
    return Draft(
        (keyed(text, key, (other,)),),
        {"spent": spent, "remainder": remainder, "projected": projected},
        f"{number(remainder)} still to pay against {number(projected)} still to gain; "
        f"the {number(spent)} are spent either way.",
    )
