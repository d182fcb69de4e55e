"""Logic: syllogisms of classes, syllogisms of conditionals, and the contrapositive (STEER 1.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from random import Random

from rationale.surveys.steer.elements.phrases import opposites, phrases
from rationale.surveys.steer.questions import Draft, Draw, Option, Part, generator, keyed
from rationale.surveys.steer.wording import capitalised

# Form, subject, predicate: A all are, E none is, I some are, O some are not (Aristotle's four).
Statement = tuple[str, int, int]
# An atom and whether it is affirmed.
Literal = tuple[int, bool]
# What must hold when what holds.
Conditional = tuple[Literal, Literal]

DENIAL = {"A": "O", "O": "A", "E": "I", "I": "E"}
SAID = {
    "A": "All {0} are {1}.",
    "E": "No {0} are {1}.",
    "I": "Some {0} are {1}.",
    "O": "Some {0} are not {1}.",
}
# Without it "some" may be read as "some, but not all", by which other claims follow.
SOME = 'Here "some" means "at least one, perhaps all".'
VERDICTS = {
    "true": "It must be true",
    "false": "It must be false",
    "open": "It may be true or false",
}
ERRORS = {
    ("true", "false"): "draws the opposite of what follows",
    ("true", "open"): "misses that the statements settle it",
    ("false", "true"): "draws the opposite of what follows",
    ("false", "open"): "misses that the statements rule it out",
    ("open", "true"): "reads a statement backwards as well",
    ("open", "false"): "takes what is not said for untrue",
}


@generator("categorical-syllogism", texts={"frame": "premises claim", "classes": ""})
def categorical_syllogism(draw: Draw) -> Draft | None:
    """What two or three statements about classes say of a claim about the classes at the ends.

    Every class has a member: the story says so, because "all are" implies "some are" only then.
    """
    wanted = draw.rng.choice(list(VERDICTS))
    premises, claim = draw.rng.choice(class_patterns(draw.grade)[wanted])
    premises = draw.rng.sample(premises, len(premises))
    count = len(premises) + 1
    names = draw.rng.sample(phrases(draw, "classes"), count)
    said = [say_statement(one, names) for one in (*premises, claim)]
    text = draw.say("frame", premises=" ".join(said[:-1]), claim=f'"{said[-1]}"')
    if any(form in "IO" for form, *_ in (*premises, claim)):
        text += f" {SOME}"
    denied = say_statement((DENIAL[claim[0]], *claim[1:]), names)
    plain, contrary = said[-1].rstrip("."), denied.rstrip(".")
    reason = {
        "true": f'"{contrary}" cannot hold together with the statements.',
        "false": f'The statements imply "{denied}"',
        "open": f'Both "{plain}" and "{contrary}" fit the statements.',
    }
    instance = {
        "classes": names,
        "premises": [list(one) for one in premises],
        "claim": list(claim),
        "import": "every class has a member",
    }
    return Draft((judged(text, wanted, draw.rng),), instance, reason[wanted])


def say_statement(statement: Statement, names: Sequence[str]) -> str:
    """``All clerks are cyclists.``"""
    form, subject, predicate = statement
    return SAID[form].format(names[subject], names[predicate])


def verdict(premises: Sequence[Statement], claim: Statement, count: int) -> str:
    """Whether a claim about ``count`` classes, none empty, must be true, false, or is open."""
    if not possible([*premises, claim], count):
        return "false"
    denied = (DENIAL[claim[0]], *claim[1:])
    return "open" if possible([*premises, denied], count) else "true"


def possible(statements: Sequence[Statement], count: int) -> bool:
    """Whether statements can hold together when each of the classes has a member.

    Every statement empties some regions of the Venn diagram or asks for a member in one of some;
    they can hold together when each of the latter has a region left.
    """
    regions = range(2**count)
    emptied: set[int] = set()
    asked = [{region for region in regions if region >> one & 1} for one in range(count)]
    for form, subject, predicate in statements:
        inside = form in "EI"
        named = {r for r in asked[subject] if bool(r >> predicate & 1) == inside}
        if form in "AE":
            emptied |= named
        else:
            asked.append(named)
    return all(wanted - emptied for wanted in asked)


@lru_cache
def class_patterns(grade: int) -> dict[str, list[tuple[tuple[Statement, ...], Statement]]]:
    """Premises that link classes in a row, and a claim about the first and the last, by verdict.

    Where the claim is settled, it takes every premise to settle it.
    """
    found: dict[str, list] = {name: [] for name in VERDICTS}
    for forms in premise_forms(grade):
        count = len(forms) + 1
        ends = [(0, count - 1), (count - 1, 0)]
        links = [((place, place + 1), (place + 1, place)) for place in range(len(forms))]
        for chosen in product(*links):
            premises = tuple((form, *link) for form, link in zip(forms, chosen, strict=True))
            for form, link in product("AEIO", ends):
                claim = (form, *link)
                result = verdict(premises, claim, count)
                rests = [(*premises[:n], *premises[n + 1 :]) for n in range(len(premises))]
                if result == "open" or all(verdict(r, claim, count) == "open" for r in rests):
                    found[result].append((premises, claim))
    return found


def premise_forms(grade: int) -> Iterator[tuple[str, ...]]:
    """Forms of the premises: all "all" at grade 1; one of them another at 2; three at grade 3."""
    if grade == 1:
        yield ("A", "A")
        return
    number = grade
    others = "EIO" if grade == 2 else "AEIO"
    for form in others:
        for place in range(number):
            yield tuple(form if n == place else "A" for n in range(number))


def judged(text: str, key: str, rng: Random) -> Part:
    """A part that asks what is to be said of a claim."""
    others = [Option(said, ERRORS[key, name]) for name, said in VERDICTS.items() if name != key]
    return keyed(text, Option(VERDICTS[key]), rng.sample(others, len(others)))


@generator("conditional-syllogism", texts={"frame": "premises claim", "clauses": ""})
def conditional_syllogism(draw: Draw) -> Draft | None:
    """What conditionals, and at grades 2 and 3 a fact, say of a claim.

    At grade 1 the claim is a conditional too: either it must be true or it need not be.
    """
    patterns = conditional_patterns(draw.grade)
    wanted = draw.rng.choice(sorted(patterns))
    rules, fact, claim = draw.rng.choice(patterns[wanted])
    rules = draw.rng.sample(rules, len(rules))
    atoms = draw.rng.sample(opposites(draw, "clauses"), len(rules) + 1)
    said = [say_rule(rule, atoms) for rule in rules]
    if fact is not None:
        said.append(f"{capitalised(say_literal(fact, atoms))}.")
    claimed = say_claim(claim, atoms)
    text = draw.say("frame", premises=" ".join(said), claim=f'"{claimed}"')
    instance = {
        "clauses": [atom[0] for atom in atoms],
        "conditionals": [[list(side) for side in rule] for rule in rules],
        "fact": None if fact is None else list(fact),
        "claim": [list(side) for side in claim] if fact is None else list(claim),
    }
    if fact is None:
        part = followed(text, wanted, settled(rules, *claim) == "false")
    else:
        part = judged(text, wanted, draw.rng)
    return Draft((part,), instance, because(rules, fact, claim, atoms, wanted))


def followed(text: str, key: str, opposite: bool) -> Part:
    """A part that asks whether a conditional follows from others; ``opposite``: its denial does."""
    must, need_not = "It must be true", "It need not be true"
    if key == "true":
        return keyed(text, Option(must), [Option(need_not, "misses a step of the chain")])
    mistake = ERRORS["false" if opposite else "open", "true"]
    return keyed(text, Option(need_not), [Option(must, mistake)])


def say_literal(literal: Literal, atoms: Sequence[tuple[str, str]]) -> str:
    """The clause, or its denial."""
    return atoms[literal[0]][0 if literal[1] else 1]


def say_rule(rule: Conditional, atoms: Sequence[tuple[str, str]], word: str = "If") -> str:
    """``If the gate is open, then the lamp is on.``"""
    condition, result = (say_literal(side, atoms) for side in rule)
    return f"{word} {condition}, {'then ' if word == 'If' else ''}{result}."


def say_claim(claim: Conditional | Literal, atoms: Sequence[tuple[str, str]]) -> str:
    """A claim as a sentence: a conditional or a plain clause."""
    if isinstance(claim[0], tuple):
        return say_rule(claim, atoms)
    return f"{capitalised(say_literal(claim, atoms))}."


def denied(literal: Literal) -> Literal:
    """The opposite literal."""
    return (literal[0], not literal[1])


def path(rules: Sequence[Conditional], start: Literal, end: Literal) -> list[Literal] | None:
    """The steps from one literal to another along conditionals and their contrapositives."""
    steps = [*rules, *((denied(result), denied(condition)) for condition, result in rules)]
    reached: dict[Literal, list[Literal]] = {start: [start]}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for condition, result in steps:
            if condition == here and result not in reached:
                reached[result] = [*reached[here], result]
                waiting.append(result)
    return reached.get(end)


def settled(rules: Sequence[Conditional], fact: Literal, claim: Literal) -> str:
    """What rules over a row of atoms, none twice, and a fact about one end say of the other."""
    if path(rules, fact, claim):
        return "true"
    return "false" if path(rules, fact, denied(claim)) else "open"


@lru_cache
def conditional_patterns(grade: int) -> dict[str, list]:
    """(rules, fact or None, claim) by verdict: rules that link atoms in a row, few denials.

    An open claim is one that would be settled were one of the rules the other way round.
    """
    number = {1: 2, 2: 1, 3: 3}[grade]
    found: dict[str, list] = {"true": [], "open": []} if grade == 1 else {v: [] for v in VERDICTS}
    signs = (True, False)
    for directions in product((True, False), repeat=number):
        for polarity in product(signs, repeat=2 * number):
            if polarity.count(False) > (2 if grade == 3 else 1):
                continue
            rules = tuple(
                (left, right) if forwards else (right, left)
                for forwards, left, right in linked(directions, polarity)
            )
            for start, end in ((0, number), (number, 0)):
                for first, last in product(signs, signs):
                    result = settled(rules, (start, first), (end, last))
                    if result == "open" and not nearly(rules, (start, first), (end, last)):
                        continue
                    if grade == 1 and result == "false":
                        result = "open"
                    claim = ((start, first), (end, last)) if grade == 1 else (end, last)
                    fact = None if grade == 1 else (start, first)
                    found[result].append((rules, fact, claim))
    return found


def linked(
    directions: Sequence[bool], polarity: Sequence[bool]
) -> Iterator[tuple[bool, Literal, Literal]]:
    """The direction of each link and the literals at its ends."""
    for place, forwards in enumerate(directions):
        yield (
            forwards,
            (place, polarity[2 * place]),
            (place + 1, polarity[2 * place + 1]),
        )


def nearly(rules: Sequence[Conditional], fact: Literal, claim: Literal) -> bool:
    """Whether the claim is settled with one of the rules turned round."""
    return any(
        settled([*rules[:n], rules[n][::-1], *rules[n + 1 :]], fact, claim) != "open"
        for n in range(len(rules))
    )


def because(
    rules: Sequence[Conditional],
    fact: Literal | None,
    claim: Conditional | Literal,
    atoms: Sequence[tuple[str, str]],
    wanted: str,
) -> str:
    """The chain of steps that settles a claim, or that there is none."""
    start, end = claim if fact is None else (fact, claim)
    if wanted == "open":
        missing = "its denial fits the statements too" if fact is None else "both cases fit"
        return f"No chain of steps leads there: {missing}."
    steps = path(rules, start, end if wanted == "true" else denied(end))
    return capitalised(", hence ".join(say_literal(step, atoms) for step in steps)) + "."


@generator("contrapositive", texts={"frame": "rule", "ask": "", "clauses": ""})
def contrapositive(draw: Draw) -> Draft | None:
    """Which sentence says the same as a conditional: the contrapositive and no other.

    A story lists its clauses so that an earlier one may well be a condition of a later one.
    """
    clauses, count = opposites(draw, "clauses"), 3 if draw.grade == 4 else 2
    atoms = [clauses[place] for place in sorted(draw.rng.sample(range(len(clauses)), count))]
    return {2: plain_rule, 3: negated_rule, 4: double_rule}[draw.grade](draw, atoms)


def plain_rule(draw: Draw, atoms: Sequence[tuple[str, str]]) -> Draft:
    """Two other sentences: the first, the second, both or neither say the same as the rule."""
    p, q = (0, True), (1, True)
    alike = [(denied(q), denied(p), "If"), (p, q, "Whenever")]
    unlike = [
        (q, p, draw.rng.choice(("If", "Whenever"))),
        (denied(p), denied(q), draw.rng.choice(("If", "Whenever"))),
    ]
    wanted = draw.rng.choice(("first", "second", "both", "neither"))
    if wanted == "both":
        pair = draw.rng.sample(alike, 2)
    elif wanted == "neither":
        pair = draw.rng.sample(unlike, 2)
    else:
        pair = [draw.rng.choice(alike), draw.rng.choice(unlike)][:: 1 if wanted == "first" else -1]
    said = [say_rule(one[:2], atoms, one[2]) for one in pair]
    text = "\n\n".join(
        (
            draw.say("frame", rule=say_rule((p, q), atoms)),
            f"(1) {said[0]}\n(2) {said[1]}",
            "Which of these two sentences says exactly the same as the rule, no more and no less?",
        )
    )
    shown = {
        "first": "Only sentence 1",
        "second": "Only sentence 2",
        "both": "Both sentences",
        "neither": "Neither sentence",
    }
    missed = [
        (
            "does not see that the contrapositive says the same"
            if one == alike[0]
            else "takes 'whenever' for another rule"
        )
        if one in alike
        else None
        for one in pair
    ]
    others = [
        Option(option, plain_mistake(name, missed))
        for name, option in shown.items()
        if name != wanted
    ]
    instance = {
        "clauses": [atom[0] for atom in atoms],
        "rule": [list(p), list(q)],
        "sentences": [[list(one[0]), list(one[1])] for one in pair],
    }
    same = say_rule((denied(q), denied(p)), atoms)
    return Draft(
        (keyed(text, Option(shown[wanted]), others),), instance, f"The contrapositive: {same}"
    )


def plain_mistake(chosen: str, missed: Sequence[str | None]) -> str:
    """Why somebody takes a wrong one of first, second, both and neither.

    ``missed`` says for each sentence why one would not take it; None where it is another rule.
    """
    taken = (chosen in ("first", "both"), chosen in ("second", "both"))
    adds = any(took and why is None for took, why in zip(taken, missed, strict=True))
    reasons = ["takes the converse or the inverse for the rule"] * adds
    reasons += [why for took, why in zip(taken, missed, strict=True) if why and not took]
    return ", and ".join(reasons)


def negated_rule(draw: Draw, atoms: Sequence[tuple[str, str]]) -> Draft:
    """One sentence of each of the four kinds of conditional over two clauses; the rule is a kind's.

    Any of the four is the key equally often, so the sentences alone say nothing.
    """
    p, q = (0, True), (1, True)
    shown = [(p, q), (q, p)]
    for left, right in ((p, denied(q)), (denied(p), q)):
        shown.append(draw.rng.choice(((left, right), (denied(right), denied(left)))))
    key = draw.rng.choice(shown)
    rule = (denied(key[1]), denied(key[0]))
    others = [
        Option(say_rule(one, atoms), negated_mistake(rule, one)) for one in shown if one != key
    ]
    text = f"{draw.say('frame', rule=say_rule(rule, atoms))}\n\n{draw.say('ask')}"
    instance = {
        "clauses": [atom[0] for atom in atoms],
        "rule": [list(side) for side in rule],
        "same": [list(side) for side in key],
    }
    explanation = f"Turned round and both sides denied, the rule reads: {say_rule(key, atoms)}"
    return Draft((keyed(text, Option(say_rule(key, atoms)), others),), instance, explanation)


def negated_mistake(rule: Conditional, other: Conditional) -> str:
    """What somebody did to the rule who takes another conditional for it."""
    if other == rule[::-1]:
        return "turns the rule round"
    if other == (denied(rule[0]), denied(rule[1])):
        return "denies both sides without turning the rule round"
    if other[0][0] == rule[0][0]:
        return "denies one side alone"
    return "turns the rule round and denies one side alone"


def double_rule(draw: Draw, atoms: Sequence[tuple[str, str]]) -> Draft:
    """Two clauses joined by "and" or "or" on one side of the rule; the four keys are even."""
    shown = {(side, word): say_double(side, word, False, atoms) for side, word in DOUBLE}
    wanted = draw.rng.choice(DOUBLE)
    side, word = wanted
    rule = say_double("result" if side == "condition" else "condition", SWAP[word], True, atoms)
    others = [
        Option(said, double_mistake(wanted, kind)) for kind, said in shown.items() if kind != wanted
    ]
    text = f"{draw.say('frame', rule=rule)}\n\n{draw.say('ask')}"
    instance = {
        "clauses": [atom[0] for atom in atoms],
        "double": "result" if side == "condition" else "condition",
        "word": SWAP[word],
    }
    explanation = (
        f"Both sides denied and turned round, with '{SWAP[word]}' made '{word}': {shown[wanted]}"
    )
    return Draft((keyed(text, Option(shown[wanted]), others),), instance, explanation)


SWAP = {"and": "or", "or": "and"}
DOUBLE = tuple(product(("condition", "result"), ("and", "or")))


def say_double(side: str, word: str, affirmed: bool, atoms: Sequence[tuple[str, str]]) -> str:
    """A rule whose condition or result is two clauses joined; all affirmed or all denied."""
    first, second, single = (atom[0 if affirmed else 1] for atom in atoms)
    joined = f"{first} {word} {second}" + (" (or both)" if word == "or" else "")
    if side == "condition":
        return f"If {joined}, then {single}."
    return f"If {single}, then {joined}."


def double_mistake(wanted: tuple[str, str], other: tuple[str, str]) -> str:
    """What somebody did wrong who takes one of the four sentences for another."""
    reasons = ["denies the sides without turning the rule round"] * (wanted[0] != other[0])
    reasons += ["keeps 'and' and 'or' as they are"] * (wanted[1] != other[1])
    return ", and ".join(reasons)
