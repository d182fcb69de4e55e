"""Arithmetic: addition and subtraction, multiplication and division, expectation (STEER 1.1)."""

from __future__ import annotations

from rationale.surveys.steer.options import crossed, slips
from rationale.surveys.steer.questions import Draft, Draw, generator, keyed
from rationale.surveys.steer.wording import number

# Lowest and highest number of a grade.
RANGES = {0: (5, 60), 1: (101, 999), 2: (1001, 9999)}


@generator(
    "addition-subtraction",
    texts={
        "add": "start more",
        "subtract": "start less",
        "both": "start more less",
        "answer": "value",
    },
)
def addition_subtraction(draw: Draw) -> Draft | None:
    """A stock that grows, shrinks, or (grade 2) both; the key is what there is at the end."""
    low, high = RANGES[draw.grade]
    start, more, less = (draw.rng.randint(low, high) for _ in range(3))
    kind = "both" if draw.grade == 2 else draw.rng.choice(("add", "subtract"))
    signs = {"add": (1, 0), "subtract": (0, -1), "both": (1, -1)}[kind]
    total = start + signs[0] * more + signs[1] * less
    if total < 2 or (signs[1] and less >= start):
        return None
    swapped = start - signs[0] * more - signs[1] * less
    first = (swapped, "swaps adding and subtracting")
    if kind == "both":
        first = draw.rng.choice(
            ((start + more, "leaves out what went away"), (start - less, "leaves out what came in"))
        )
    step = 10 ** draw.rng.randrange(len(str(max(start, more, less))))
    second = draw.rng.choice(slips(total, (step,)))
    options = crossed(
        total, first, second, lambda value: draw.phrase("answer", value=number(value)), lowest=2
    )
    if options is None:
        return None
    terms = {"start": start, "more": more, "less": less}
    used = {name: terms[name] for name in ("start", "more", "less") if signs_of(name, kind)}
    text = draw.say(kind, **{name: number(value) for name, value in used.items()})
    sum_said = number(start) + "".join(
        f" {sign} {number(used[name])}"
        for name, sign in (("more", "+"), ("less", "-"))
        if name in used
    )
    return Draft(
        (keyed(text, *options, value=total),),
        {"kind": kind, **used},
        f"{sum_said} = {number(total)}",
    )


def signs_of(name: str, kind: str) -> bool:
    """Whether a question of this kind has that number."""
    return name == "start" or kind == "both" or (name == "more") == (kind == "add")
