"""Theory of mind: who believes what about the place of a thing that was moved (STEER 1.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product

from rationale.surveys.steer.elements.phrases import phrases
from rationale.surveys.steer.questions import Draft, Draw, Option, Part, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing

PEOPLE = (0, 1, 2)
# Every set of people that may be in the room when the thing is moved.
ROOMS = tuple(frozenset(room) for size in (1, 2, 3) for room in combinations(PEOPLE, size))


@dataclass(frozen=True)
class Course:
    """What happens: for each change who is in the room and who moves the thing.

    ``watcher`` looks on unnoticed whenever outside.
    """

    rooms: tuple[frozenset[int], ...]
    movers: tuple[int, ...]
    watcher: int | None = None

    def sees(self, person: int, change: int) -> bool:
        """Whether somebody sees a change, in the room or unnoticed from outside."""
        return person in self.rooms[change] or person == self.watcher

    def belief(self, person: int) -> int:
        """After which change somebody thinks that the thing was last moved; -1 for never."""
        return max((n for n in range(len(self.rooms)) if self.sees(person, n)), default=-1)

    def belief_about(self, person: int, other: int) -> int:
        """The same for what somebody thinks that another thinks.

        It is the last change that the first one saw with the other in the room: of changes that
        they missed they know nothing, and of the rest that the other was away.
        """
        shared = (n for n in range(len(self.rooms)) if self.sees(person, n))
        return max((n for n in shared if other in self.rooms[n]), default=-1)

    def baffles(self, person: int, other: int) -> bool:
        """Whether somebody could guess that the other saw a change that they missed themselves.

        They could after seeing, without the other, that the thing is no longer where it was.
        """
        since = self.belief_about(person, other) + 1
        seen = [self.sees(person, n) for n in range(since, len(self.rooms))]
        return any(not early and late for early, late in combinations(seen, 2))


@lru_cache
def courses(changes: int, watched: bool = False) -> tuple[Course, ...]:
    """Every course of so many changes in which whoever moves the thing knows where it is."""
    found = []
    for rooms in product(ROOMS, repeat=changes):
        for movers in product(*rooms):
            for watcher in PEOPLE if watched else (None,):
                course = Course(rooms, movers, watcher)
                if watched and all(watcher in room for room in rooms):
                    continue
                if all(knows(course, mover, n) for n, mover in enumerate(movers)):
                    found.append(course)
    return tuple(found)


def knows(course: Course, person: int, change: int) -> bool:
    """Whether somebody knows, just before a change, where the thing is."""
    return change == 0 or course.sees(person, change - 1)


@lru_cache
def first_order(grade: int) -> dict[bool, list[tuple[Course, int]]]:
    """Courses and whom to ask, by whether the one asked is right. Nobody asked moves it last.

    At grade 2 they see one of the two changes; at grade 3 one or two of the three, and somebody
    else sees all three.
    """
    found: dict[bool, list[tuple[Course, int]]] = {True: [], False: []}
    for course, asked in product(courses(grade), PEOPLE):
        seen = sum(course.sees(asked, n) for n in range(grade))
        witnesses = [
            person
            for person in PEOPLE
            if person != asked and all(course.sees(person, n) for n in range(grade))
        ]
        fits = {1: True, 2: seen == 1, 3: 0 < seen < 3 and bool(witnesses)}[grade]
        if fits and course.movers[-1] != asked:
            found[course.belief(asked) == grade - 1].append((course, asked))
    return found


@lru_cache
def second_order(grade: int) -> dict[bool, list[tuple[Course, int, int]]]:
    """Courses with whom to ask about whose belief, by whether the answer is where the thing is.

    Of two changes at least one of the two misses one; at grade 5 one of them looks on unnoticed
    from outside.
    """
    changes = 1 if grade == 3 else 2
    found: dict[bool, list[tuple[Course, int, int]]] = {True: [], False: []}
    for course in courses(changes, watched=grade == 5):
        for one, other in permutations(PEOPLE, 2):
            if grade == 5 and course.watcher not in (one, other):
                continue
            together = all({one, other} <= room for room in course.rooms)
            if not course.baffles(one, other) and (changes == 1 or not together):
                now = course.belief_about(one, other) == changes - 1
                found[now].append((course, one, other))
    return found


FIRST = {
    "start": "a b c places place",
    "leave": "name",
    "back": "name",
    "move": "name place",
    "places": "",
}


@generator("first-order-belief", texts={**FIRST, "ask": "name"})
def first_order_belief(draw: Draw) -> Draft | None:
    """Where somebody thinks that a thing is: where they saw it put last."""
    right = draw.rng.random() < 0.4
    course, asked = draw.rng.choice(first_order(draw.grade)[right])
    told = Told(draw, course)
    believed = course.belief(asked)
    reasons = {
        len(course.rooms) - 1: "tells where it is, not where it is thought to be",
        -1: "holds on to where it was at first",
    }
    part = told.part(draw.say("ask", name=told.names[asked]), believed, reasons)
    return Draft(
        (part,),
        {**told.instance(), "asked": told.names[asked]},
        f"The last place that {told.names[asked]} has seen: {told.spot(believed)}.",
    )


@generator("second-order-belief", texts={**FIRST, "ask": "name other", "peek": "name"})
def second_order_belief(draw: Draw) -> Draft | None:
    """Where somebody thinks that another thinks that a thing is."""
    right = draw.rng.random() < 0.3
    course, one, other = draw.rng.choice(second_order(draw.grade)[right])
    told = Told(draw, course)
    believed = course.belief_about(one, other)
    reasons = {
        -1: "holds on to where it was at first",
        len(course.rooms) - 1: "tells where it is",
        course.belief(other): "tells where the second one believes it to be",
        course.belief(one): "tells where the first one believes it to be",
    }
    names = (told.names[one], told.names[other])
    part = told.part(draw.say("ask", name=names[0], other=names[1]), believed, reasons)
    return Draft(
        (part,),
        {**told.instance(), "asked": names[0], "about": names[1]},
        f"The last place that {names[0]} knows {names[1]} to have seen: {told.spot(believed)}.",
    )


class Told:
    """A course told in the words of a story, with names and places drawn."""

    def __init__(self, draw: Draw, course: Course):
        self.draw, self.course = draw, course
        self.names = [draw.words[name] for name in ("a", "b", "c")]
        draw.rng.shuffle(self.names)
        places = phrases(draw, "places")
        self.listed = draw.rng.sample(places, len(places))
        self.spots = draw.rng.sample(places, len(places))
        self.events = list(happenings(course))

    def spot(self, change: int) -> str:
        """Where the thing is after a change; -1 is before the first."""
        return self.spots[change + 1]

    def part(self, ask: str, key: int, reasons: dict[int, str]) -> Part:
        """The story and the question, with the places as options."""
        others = [
            Option(capitalised(self.spot(n)), reasons.get(n, self.other_reason(n)))
            for n in range(-1, len(self.spots) - 1)
            if n != key
        ]
        text = f"{self.text()}\n\n{ask}"
        return keyed(text, Option(capitalised(self.spot(key))), others)

    def other_reason(self, change: int) -> str:
        """Why somebody names a place that nobody's belief leads to."""
        if change < len(self.course.rooms):
            return "stops at an earlier place"
        return "names a place where it never was"

    def text(self) -> str:
        """The whole course in words."""
        a, b, c = self.names
        start = self.draw.say(
            "start", a=a, b=b, c=c, places=listing(self.listed, "or"), place=self.spot(-1)
        )
        return f"{start} {' '.join(self.sentences())}"

    def sentences(self) -> Iterator[str]:
        """A sentence an event; no wording twice before all were used."""
        wordings: dict[str, list[str]] = {}
        for kind, person, *change in self.events:
            left = wordings.get(kind) or self.wordings(kind)
            wordings[kind] = left[1:]
            place = self.spot(change[0]) if change else ""
            yield capitalised(left[0].format(name=self.names[person], place=place)) + "."

    def wordings(self, kind: str) -> list[str]:
        """The story's phrases for a kind of event, in drawn order, names and places left open."""
        text = self.draw.phrase(kind, name="{name}", place="{place}")
        found = [phrase.strip() for phrase in text.split(";")]
        return self.draw.rng.sample(found, len(found))

    def instance(self) -> dict:
        """Who and where, and the events in their order."""
        told = [
            [kind, self.names[person], *(self.spot(n) for n in change)]
            for kind, person, *change in self.events
        ]
        return {"people": self.names, "start": self.spot(-1), "events": told}


def happenings(course: Course) -> Iterator[Sequence]:
    """("back", who), ("leave", who), ("peek", who) and ("move", who, change), in their order.

    Whoever comes back sees the next change, so that it does not matter whether the thing can be
    seen where it was put meanwhile.
    """
    inside = set(PEOPLE)
    for change, (room, mover) in enumerate(zip(course.rooms, course.movers, strict=True)):
        for person in sorted(room - inside):
            yield "back", person
        for person in sorted(inside - room):
            yield "leave", person
            if person == course.watcher:
                yield "peek", person
        yield "move", mover, change
        inside = set(room)
