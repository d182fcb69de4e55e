"""Theory of mind of STEER: keys against a play of the events that keeps who saw what."""

import steer

from rationale.surveys.steer.elements.theory_of_mind import Course
from rationale.surveys.steer.wording import capitalised

DRAWN = 3000


def play(instance):
    """Beliefs, and beliefs about beliefs, after the events: {who: place}, {(who, of whom): place}.

    A move is seen by those in the room and by whoever watches in secret; all who see it see who is
    in the room, and nobody sees the watcher.
    """
    people, start = instance["people"], instance["start"]
    inside, watching = set(people), set()
    belief = dict.fromkeys(people, start)
    about = {(one, other): start for one in people for other in people}
    for kind, who, *place in instance["events"]:
        if kind == "leave":
            inside.remove(who)
        elif kind == "peek":
            assert who not in inside
            watching.add(who)
        elif kind == "back":
            inside.add(who)
            watching.discard(who)
        else:
            assert who in inside
            for one in inside | watching:
                belief[one] = place[0]
                about.update({(one, other): place[0] for other in inside})
    return belief, about


def test_a_belief_is_the_place_seen_last():
    for one in steer.questions("first-order-belief", DRAWN):
        instance, part = one.draft.instance, one.draft.parts[0]
        belief, _ = play(instance)
        assert part.key.text == capitalised(belief[instance["asked"]]), one.question_id
        assert len({option.text for option in part.options}) == 4


def test_a_belief_about_a_belief_is_the_place_last_seen_together():
    for one in steer.questions("second-order-belief", DRAWN):
        instance, part = one.draft.instance, one.draft.parts[0]
        _, about = play(instance)
        expected = about[instance["asked"], instance["about"]]
        assert part.key.text == capitalised(expected), one.question_id


def test_the_belief_asked_for_is_false_more_often_than_not():
    for element in ("first-order-belief", "second-order-belief"):
        drawn = steer.questions(element, DRAWN)
        moves = [[e for e in one.draft.instance["events"] if e[0] == "move"] for one in drawn]
        false = [
            one.draft.parts[0].key.text != capitalised(last[-1][2])
            for one, last in zip(drawn, moves, strict=True)
        ]
        assert 0.5 < sum(false) / len(false) < 0.8


def test_changes_by_grade():
    counts = {"first-order-belief": {1: 1, 2: 2, 3: 3}, "second-order-belief": {3: 1, 4: 2, 5: 2}}
    for element, by_grade in counts.items():
        for one in steer.questions(element, DRAWN):
            kinds = [event[0] for event in one.draft.instance["events"]]
            assert kinds.count("move") == by_grade[one.grade]
            assert kinds.count("peek") == (element, one.grade).count(5)


def test_the_story_tells_the_events_in_their_order():
    for element in ("first-order-belief", "second-order-belief"):
        for one in steer.questions(element):
            told = one.draft.parts[0].text.split("\n\n")[0]
            events = one.draft.instance["events"]
            sentences = told.rstrip(".").split(". ")[-len(events) :]
            for (_, who, *spot), sentence in zip(events, sentences, strict=True):
                assert all(word in sentence for word in (who, *spot))


def test_nobody_could_guess_a_change_that_they_missed():
    """Where X sees a change without Y after missing one, X might guess that Y saw the missed one."""
    for one in steer.questions("second-order-belief", DRAWN):
        instance = one.draft.instance
        x, y = instance["asked"], instance["about"]
        inside, watching, missed = set(instance["people"]), set(), False
        for kind, who, *_ in instance["events"]:
            {"leave": inside.discard, "back": inside.add}.get(kind, lambda _: None)(who)
            {"peek": watching.add, "back": watching.discard}.get(kind, lambda _: None)(who)
            if kind == "move":
                seen = x in inside or x in watching
                assert not (missed and seen and y not in inside), one.question_id
                missed = not seen or (missed and y not in inside)


def test_sam_and_anne():
    """The study's 1.5.a: Sam is away while Anne moves the ball; he looks where he left it (-1)."""
    assert Course((frozenset({1}),), (1,)).belief(0) == -1


def test_julia_and_her_bike():
    """The study's 1.5.b: the friend moves the bike unseen, and so thinks that Julia expects it at
    its old place (-1), although the friend knows where it is (change 0)."""
    course = Course((frozenset({1}),), (1,))
    assert course.belief_about(1, 0) == -1
    assert course.belief(1) == 0


def test_a_secret_watcher_knows_but_is_thought_not_to():
    course = Course((frozenset({1}),), (1,), watcher=0)
    assert course.belief(0) == 0
    assert course.belief_about(1, 0) == -1
    assert course.belief_about(0, 1) == 0
