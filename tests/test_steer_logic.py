"""Logic of STEER: keys against every model of two or three statements and against truth tables."""

from functools import cache
from itertools import product

import numpy as np
import pytest
import steer

from rationale.surveys.steer.elements.logic import settled, verdict

DRAWN = 2000


def meets(worlds, region):
    """Which worlds, whole numbers with a bit for each kind inhabited, have a member there."""
    return (worlds & region) != 0


@cache
def by_models(premises, claim, count):
    """The verdict by trying every world: 2^8 for three classes, 2^16 for four, none empty."""
    kinds = list(product((False, True), repeat=count))
    worlds = np.arange(2 ** len(kinds))
    for one in range(count):
        worlds = worlds[meets(worlds, sum(1 << n for n, kind in enumerate(kinds) if kind[one]))]

    def holds(statement):
        form, subject, predicate = statement
        both = sum(1 << n for n, kind in enumerate(kinds) if kind[subject] and kind[predicate])
        rest = sum(1 << n for n, kind in enumerate(kinds) if kind[subject] and not kind[predicate])
        return meets(worlds, both if form in "EI" else rest) == (form in "IO")

    told = holds(claim)[np.logical_and.reduce([holds(premise) for premise in premises])]
    return "true" if told.all() else "open" if told.any() else "false"


SAYS = {
    "It must be true": "true",
    "It must be false": "false",
    "It may be true or false": "open",
    "It need not be true": "open",
}


def test_categorical_keys_agree_with_every_world():
    for one in steer.questions("categorical-syllogism", DRAWN):
        premises = tuple(tuple(premise) for premise in one.draft.instance["premises"])
        claim = tuple(one.draft.instance["claim"])
        expected = by_models(premises, claim, len(premises) + 1)
        assert SAYS[one.draft.parts[0].key.text] == expected, one.question_id


def test_some_is_explained_where_it_is_said_and_only_there():
    for one in steer.questions("categorical-syllogism", 500):
        instance, text = one.draft.instance, one.draft.parts[0].text
        said = any(form in "IO" for form, *_ in (*instance["premises"], instance["claim"]))
        assert ('Here "some" means' in text) == said, one.question_id


def test_the_text_states_the_premises_and_the_claim():
    words = {"A": "All {} are {}.", "E": "No {} are {}.", "I": "Some {} are {}."}
    words["O"] = "Some {} are not {}."
    for one in steer.questions("categorical-syllogism"):
        instance, text = one.draft.instance, one.draft.parts[0].text
        for form, subject, predicate in (*instance["premises"], instance["claim"]):
            names = instance["classes"]
            assert words[form].format(names[subject], names[predicate]) in text


@pytest.mark.parametrize(
    ("premises", "claim", "expected"),
    [
        ([("A", 0, 1), ("A", 1, 2)], ("A", 0, 2), "true"),
        ([("A", 0, 1), ("A", 1, 2)], ("A", 2, 0), "open"),
        ([("A", 0, 1), ("A", 2, 1)], ("A", 0, 2), "open"),
        ([("A", 1, 0), ("A", 1, 2)], ("I", 0, 2), "true"),
        ([("A", 0, 1), ("E", 1, 2)], ("I", 0, 2), "false"),
        ([("I", 0, 1), ("A", 1, 2)], ("I", 0, 2), "true"),
        ([("I", 0, 1), ("I", 1, 2)], ("I", 0, 2), "open"),
    ],
)
def test_syllogisms_known_by_name(premises, claim, expected):
    """Barbara; its converse; the undistributed middle; Darapti; Celarent; Darii; two particulars.

    The study's 1.4.a (dolphins, mammals, live birth) is Barbara, the first.
    """
    assert verdict(premises, claim, 3) == expected


def test_all_needs_a_member_to_mean_some():
    """Darapti holds here because no class is empty; a world with no member would deny it."""
    assert verdict([("A", 0, 1), ("A", 1, 2)], ("I", 2, 0), 3) == "true"


def by_table(rules, fact, claim, count):
    """The verdict by a truth table over the clauses."""
    seen = set()
    for row in product((False, True), repeat=count):
        true = {(atom, row[atom]) for atom in range(count)}
        if all(condition not in true or result in true for condition, result in rules):
            if fact is not None and fact in true:
                seen.add(claim in true)
            elif fact is None:
                seen.add(claim[0] not in true or claim[1] in true)
    return {(True,): "true", (False,): "false"}.get(tuple(seen), "open")


def tuples(found):
    return tuple(tuples(one) for one in found) if isinstance(found, (list, tuple)) else found


def test_conditional_keys_agree_with_truth_tables():
    for one in steer.questions("conditional-syllogism", DRAWN):
        instance = one.draft.instance
        rules, claim = tuples(instance["conditionals"]), tuples(instance["claim"])
        fact = tuples(instance["fact"])
        expected = by_table(rules, fact, claim, len(instance["clauses"]))
        assert SAYS[one.draft.parts[0].key.text] == expected, one.question_id


def test_both_answers_of_a_conditional_claim_are_keys_half_of_the_time():
    keys = [
        one.draft.parts[0].key.text
        for one in steer.questions("conditional-syllogism", DRAWN)
        if one.grade == 1
    ]
    wide = 3.5 * 0.5 / len(keys) ** 0.5
    assert abs(keys.count("It must be true") / len(keys) - 0.5) < wide


def test_karen_and_her_college():
    """The study's 1.4.b: smart -> good grades -> college, asked of a *good* college.

    With "college" alone the chain settles it; "a good college" is a fourth clause that no
    statement reaches, so read to the letter nothing follows.
    """
    rules = [((0, True), (1, True)), ((1, True), (2, True))]
    assert settled(rules, (0, True), (2, True)) == "true"
    assert settled(rules, (0, True), (3, True)) == "open"


def same_table(one, other, count):
    return all(one(row) == other(row) for row in product((False, True), repeat=count))


def conditional(rule):
    (p, p_sign), (q, q_sign) = rule
    return lambda row: row[p] != p_sign or row[q] == q_sign


def read_conditional(text, clauses):
    """A sentence "If …, then …." or "Whenever …, …." as (literal, literal), by its words."""
    body = text.removeprefix("If ").removeprefix("Whenever ").rstrip(".")
    condition, result = body.replace(", then ", ", ").split(", ")
    return (clauses[condition], clauses[result])


def clauses_of(one):
    """Each clause and each denial of a question's story: its literal."""
    pairs = [p.split("|") for p in one.story.texts["clauses"].split(";")]
    by_clause = {clause.strip(): denial.strip() for clause, denial in pairs}
    found = {}
    for number, clause in enumerate(one.draft.instance["clauses"]):
        found[clause] = (number, True)
        found[by_clause[clause]] = (number, False)
    return found


def test_only_the_key_has_the_truth_table_of_a_negated_rule():
    for one in steer.questions("contrapositive", DRAWN):
        if one.grade == 3:
            rule = conditional(tuples(one.draft.instance["rule"]))
            part = one.draft.parts[0]
            read = {o: read_conditional(o.text, clauses_of(one)) for o in part.options}
            alike = [o for o, found in read.items() if same_table(rule, conditional(found), 2)]
            assert alike == [part.key], one.question_id


def test_first_second_both_or_neither_by_truth_tables():
    names = {(True, False): "Only sentence 1", (False, True): "Only sentence 2"}
    names |= {(True, True): "Both sentences", (False, False): "Neither sentence"}
    for one in steer.questions("contrapositive", DRAWN):
        if one.grade == 2:
            instance, part = one.draft.instance, one.draft.parts[0]
            rule = conditional(tuples(instance["rule"]))
            alike = tuple(
                same_table(rule, conditional(tuples(sentence)), 2)
                for sentence in instance["sentences"]
            )
            assert part.key.text == names[alike], one.question_id
            shown = [line[4:] for line in part.text.split("\n") if line[:1] == "("]
            read = [read_conditional(line, clauses_of(one)) for line in shown]
            assert read == [tuples(sentence) for sentence in instance["sentences"]]


def read_side(text, clauses):
    """One side of a rule, by its words: a test of a row of truth values."""
    for word, rule in ((" and ", all), (" or ", any)):
        parts = text.removesuffix(" (or both)").split(word)
        if len(parts) == 2 and all(part in clauses for part in parts):
            found = [clauses[part] for part in parts]
            return lambda row: rule(row[atom] == sign for atom, sign in found)
    atom, sign = clauses[text]
    return lambda row: row[atom] == sign


def read_double(text, clauses):
    condition, result = text.removeprefix("If ").rstrip(".").split(", then ")
    first, second = read_side(condition, clauses), read_side(result, clauses)
    return lambda row: not first(row) or second(row)


def test_only_the_key_has_the_truth_table_of_a_rule_with_and_or_or():
    for one in steer.questions("contrapositive", DRAWN):
        if one.grade == 4:
            part, clauses = one.draft.parts[0], clauses_of(one)
            rule = read_double(part.text.split('"')[1], clauses)
            alike = [o for o in part.options if same_table(rule, read_double(o.text, clauses), 3)]
            assert alike == [part.key], one.question_id


def test_true_false_and_open_are_keys_alike():
    for element in ("categorical-syllogism", "conditional-syllogism"):
        keys = [
            SAYS[one.draft.parts[0].key.text]
            for one in steer.questions(element, DRAWN)
            if one.grade > 1 or element == "categorical-syllogism"
        ]
        for name in ("true", "false", "open"):
            assert 0.28 < keys.count(name) / len(keys) < 0.39
