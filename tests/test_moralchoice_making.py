"""Scenarios that a model writes: prompts that stay put, strict reading, nothing dropped unseen."""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rationale.asking.prompts import from_table, to_table
from rationale.schema import DocumentError
from rationale.surveys.moralchoice.making import PARTS, READINGS
from rationale.surveys.moralchoice.making.collecting import DROPPED, collect_scenarios
from rationale.surveys.moralchoice.making.prompts import (
    HAND_WRITTEN,
    making_prompts,
    read_template,
    scenario_reply,
)
from rationale.surveys.moralchoice.making.reading import read_making
from rationale.surveys.moralchoice.scenarios import LABELS, RULES, SCHEMA, read_scenarios

ROOT = Path(__file__).parent.parent
MAKING = ROOT / "resources" / "moralchoice" / "making"
SCHEMA_FILE = ROOT / "workflow" / "schemas" / "making.schema.json"
PUBLISHED = ROOT.parent / "shared" / "data" / "moralchoice"
SEED = (1, "making")
EXPECTED = scenario_reply("low", RULES[0])
CONTEXT = "You find a purse on the platform."
ACTION1 = "I hand it in at the office."
ACTION2 = "I keep the money."
VALUE = {"context": CONTEXT, "action1": ACTION1, "action2": ACTION2}
LINES = f"Context: {CONTEXT}\nAction 1: {ACTION1}\nAction 2: {ACTION2}"
EXPLAINED = dict.fromkeys(LABELS, "Explained.")
OWN = {
    "prompt": "{rule} {explanation} {setting}",
    "explanations": EXPLAINED,
    "settings": ["a farm", "a ship", "a bank"],
}


def scenarios(*rows):
    return pl.DataFrame([dict.fromkeys(SCHEMA) | row for row in rows], schema=SCHEMA)


def by_hand(count, rule=RULES[0], **other):
    slug = LABELS[RULES.index(rule)]
    return [
        {
            "scenario_id": f"{slug}_{number}",
            "ambiguity": "high",
            "generation_type": HAND_WRITTEN,
            "generation_rule": rule,
            "context": f"You are at {slug} {number}.",
            "action1": f"I stay {number}.",
            "action2": f"I leave {number}.",
            **other,
        }
        for number in range(count)
    ]


def shipped(ambiguity):
    return read_template(MAKING / f"{ambiguity}.yaml", ambiguity, SCHEMA_FILE)


def prompts(ambiguity="low", rules=RULES[:1], number=3, examples=(), **more):
    table = scenarios(*examples)
    return making_prompts(shipped(ambiguity), ambiguity, rules, number, table, names=SEED, **more)


def shown(prompt, pool):
    return [row["scenario_id"] for row in pool if f"Context: {row['context']}\n" in prompt.turns[0]]


@pytest.fixture
def read(tmp_path):
    def read(ambiguity="low", **keys):
        path = tmp_path / "own.yaml"
        path.write_text(yaml.safe_dump({**OWN, **keys}))
        return read_template(path, ambiguity, SCHEMA_FILE)

    return read


# Templates


@pytest.mark.parametrize("ambiguity", ["low", "high"])
@pytest.mark.parametrize("rule", RULES)
def test_a_shipped_template_names_the_rule_explains_it_and_fixes_the_layout(ambiguity, rule):
    (prompt,) = prompts(ambiguity, [rule], 1, by_hand(5, rule))
    words = prompt.turns[0]
    assert f'"{rule}"' in words
    assert shipped(ambiguity).explanations[LABELS[RULES.index(rule)]] in words
    assert words.endswith(
        "Context: the situation\nAction 1: the first action\nAction 2: the second action"
    )
    assert prompt.system


def test_both_shipped_templates_have_many_settings():
    assert all(len(shipped(ambiguity).settings) >= 40 for ambiguity in ("low", "high"))


def test_an_unknown_placeholder_is_named_with_the_nearest(read):
    with pytest.raises(DocumentError, match=r"own\.yaml: prompt: unknown.*\{ruel\}.*'rule'\?"):
        read(prompt="{rule} {explanation} {setting} {ruel}")


def test_a_missing_placeholder_is_named(read):
    with pytest.raises(DocumentError, match=r"the placeholder \{examples\} is missing"):
        read("high")


def test_low_ambiguity_takes_no_examples(read):
    with pytest.raises(DocumentError, match=r"unknown placeholder \{examples\}"):
        read("low", prompt=OWN["prompt"] + " {examples}")


def test_a_system_text_takes_no_placeholder(read):
    with pytest.raises(DocumentError, match=r"own\.yaml: system: unknown placeholder \{rule\}"):
        read(system="Mind {rule}")


def test_an_unknown_key_is_named(read):
    with pytest.raises(DocumentError, match=r"unknown key 'setings'.*'settings'\?"):
        read(setings=["a farm"])


def test_a_rule_without_an_explanation_is_named(read):
    kept = {slug: text for slug, text in EXPLAINED.items() if slug != "duty"}
    with pytest.raises(DocumentError, match="explanations: the key 'duty' is missing"):
        read(explanations=kept)


def test_an_unknown_ambiguity_is_an_error(read):
    with pytest.raises(DocumentError, match=r"the ambiguity 'hihg'.*'high'\?"):
        read("hihg")


# Prompts


def test_prompts_are_named_for_ambiguity_rule_and_number():
    ids = [prompt.prompt_id for prompt in prompts(rules=[RULES[0], RULES[7]], number=2)]
    assert ids == [
        "low.death.001",
        "low.death.002",
        "low.break_promise.001",
        "low.break_promise.002",
    ]


def test_the_reply_says_what_was_asked():
    assert json.loads(prompts()[0].reply) == {
        "kind": "scenario",
        "ambiguity": "low",
        "rule": "Do not kill",
    }


def test_prompts_make_a_table_and_come_back():
    made = prompts("high", examples=by_hand(6))
    assert from_table(to_table(made)) == made


def test_more_prompts_leave_the_first_as_they_were():
    few = prompts("high", number=3, examples=by_hand(9))
    assert prompts("high", number=60, examples=by_hand(9))[:3] == few


def test_another_rule_leaves_prompts_as_they_were():
    assert prompts(rules=[RULES[4], RULES[0]])[3:] == prompts(rules=[RULES[0]])


def test_each_setting_has_its_turn_before_any_comes_again(read):
    template = read()
    made = making_prompts(template, "low", RULES[:1], 6, scenarios(), names=SEED)
    words = [prompt.turns[0] for prompt in made]
    assert len(set(words)) == 3
    assert words[:3] == words[3:]


def test_prompts_in_equal_words_are_askings_apart(read):
    """The journal knows a call by its words and its sample; equal in both would be one reply."""
    made = making_prompts(read(settings=["a farm"]), "low", RULES, 4, scenarios(), names=SEED)
    assert len({(prompt.turns, prompt.sample) for prompt in made}) == len(made) == 40


def test_no_prompts_a_rule_are_no_prompts():
    assert prompts(number=0) == []


def test_examples_are_hand_written_of_the_same_rule_and_of_high_ambiguity():
    pool = by_hand(7)
    others = [
        *by_hand(5, RULES[1]),
        *by_hand(2, ambiguity="low", context="You are low."),
        *by_hand(2, generation_type="Generated", context="You are made."),
    ]
    for prompt in prompts("high", number=5, examples=[*others, *pool]):
        assert len(shown(prompt, pool)) == 5
        assert shown(prompt, others) == []


def test_examples_differ_between_prompts():
    pool = by_hand(10)
    assert len({tuple(shown(one, pool)) for one in prompts("high", number=8, examples=pool)}) > 4


def test_the_order_of_the_scenario_table_does_not_matter():
    pool = by_hand(10)
    assert prompts("high", examples=pool) == prompts("high", examples=pool[::-1])


def test_with_fewer_examples_than_shots_all_are_shown_and_none_of_another_rule():
    pool = by_hand(3)
    (prompt,) = prompts("high", number=1, examples=[*pool, *by_hand(9, RULES[1])])
    assert len(shown(prompt, pool)) == prompt.turns[0].count("Action 1: I stay") == 3


def test_examples_stand_in_the_layout_that_the_reader_reads():
    (prompt,) = prompts("high", number=1, examples=by_hand(1, context="You\nare here, now."))
    example = prompt.turns[0].split("\n\n")[3]
    assert read_making(EXPECTED, example).value["context"] == "You are here, now."


def test_a_rule_without_an_example_is_named():
    with pytest.raises(DocumentError, match="generation_rule 'Do not cheat'; write one or more"):
        prompts("high", rules=[RULES[0], "Do not cheat"], examples=by_hand(5))


def test_a_prompt_for_high_ambiguity_shows_at_least_one_example():
    with pytest.raises(DocumentError, match="shots: found 0; allowed: 1 or more"):
        prompts("high", examples=by_hand(5), shots=0)


def test_an_unknown_rule_is_named_with_the_nearest():
    with pytest.raises(DocumentError, match=r"found 'Do not kil'.*'Do not kill'\?"):
        prompts(rules=["Do not kil"])


def test_a_template_of_the_other_ambiguity_is_refused():
    with pytest.raises(DocumentError, match=r"unknown placeholder \{examples\}"):
        making_prompts(shipped("high"), "low", RULES, 1, scenarios(), names=SEED)


# Reading


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        LINES.replace("\n", "\n\n"),
        LINES.replace("\n", "\r\n"),
        LINES.upper()
        .replace(CONTEXT.upper(), CONTEXT)
        .replace(ACTION1.upper(), ACTION1)
        .replace(ACTION2.upper(), ACTION2),
        f"Sure! Here is a scenario about a railway:\n\n{LINES}",
        f"<think>Context: no\nAction 1: I think.</think>\n{LINES}",
        f"```\n{LINES}\n```",
        f"```text\n{LINES}\n```\n",
        f"**Context:** {CONTEXT}\n**Action 1:** {ACTION1}\n**Action 2:** {ACTION2}",
        f"**Context**: {CONTEXT}\n**Action 1**: {ACTION1}\n**Action 2**: {ACTION2}",
        f"**Context: {CONTEXT}**\n*Action 1: {ACTION1}*\n__Action 2: {ACTION2}__",
        f"- Context: {CONTEXT}\n- Action 1: {ACTION1}\n* **Action 2:** {ACTION2}",
        f"1. Context: {CONTEXT}\n2. Action 1: {ACTION1}\n3. Action 2: {ACTION2}",
        f"### Context\n{CONTEXT}\n\n### Action 1\n{ACTION1}\n\n### Action 2\n{ACTION2}",
        f"Context:\n- {CONTEXT}\nAction 1:\n- {ACTION1}\nAction 2:\n- {ACTION2}",
        f"Scenario: {CONTEXT}\nAction A: {ACTION1}\nAction B: {ACTION2}",
        f"Scenario 7\n{LINES}",
        f"**Scenario:**\n\n{LINES}",
        f"Situation: {CONTEXT}\nOption (1): {ACTION1}\nOption (2): {ACTION2}",
        f"Context: {CONTEXT}\nAction One: {ACTION1}\nAction Two: {ACTION2}",
        f"Context: {CONTEXT}\nAction 1) {ACTION1}\nAction 2) {ACTION2}",
        f"Context – {CONTEXT}\nAction 1 – {ACTION1}\nAction 2 – {ACTION2}",
        f"Context：{CONTEXT}\nAction 1：{ACTION1}\nAction 2：{ACTION2}",
        f"Context: {CONTEXT}\n\nActions:\nAction 1: {ACTION1}\nAction 2: {ACTION2}",
        f"Context: {CONTEXT}\nAction 1 (kind): {ACTION1}\n**Action 2 (unkind):** {ACTION2}",
        f'Context: "{CONTEXT}"\nAction 1: “{ACTION1}”\nAction 2: [{ACTION2}]',
        f"Context:   {CONTEXT}  \nAction 1: {ACTION1}\t\nAction 2: {ACTION2}\n---\n",
        json.dumps(VALUE),
        json.dumps({"Scenario": CONTEXT, "action_1": ACTION1, "Action 2": ACTION2}, indent=2),
        f"Here you are:\n```json\n{json.dumps(VALUE)}\n```",
    ],
)
def test_three_parts_in_their_usual_dress_are_read(text):
    reading = read_making(EXPECTED, text)
    assert (reading.status, reading.value) == ("answered", VALUE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Context",
        "Context: the situation",
        CONTEXT,
        f"Context: {CONTEXT}\nAction 1: {ACTION1}",
        f"Context: {CONTEXT}\nAction 1: {ACTION1}\nAction 2:",
        f"Context: {CONTEXT}\nAction 1: {ACTION1}\nAction 1: {ACTION2}",
        f"{LINES}\nAction 3: I wait.",
        f"{LINES}\n{LINES}",
        f"{LINES}\n\nNote: both actions have a cost.",
        f"{LINES}\nWould you like another one?",
        f"Context: {CONTEXT}\nIt is late.\nAction 1: {ACTION1}\nAction 2: {ACTION2}",
        f"Context: {CONTEXT} Action 1: {ACTION1} Action 2: {ACTION2}",
        LINES.replace("purse", "[object]"),
        LINES.replace("purse", "**purse**"),
        f"{LINES}<|im_end|>",
        f"<think>{LINES}",
        json.dumps({**VALUE, "rule": "Do not cheat"}),
        json.dumps({**VALUE, "action2": 3}),
        json.dumps({**VALUE, "action2": [ACTION2]}),
        json.dumps({**VALUE, "context": "You are here.\nIt is late."}),
        json.dumps({**VALUE, "context": "You are \ud800 here."}),
        json.dumps([VALUE]),
        json.dumps(VALUE)[:-1],
        json.dumps(VALUE)[:-1] + ', "context": "You wait."}',
        "{" * 5000,
    ],
)
def test_anything_but_three_clean_parts_is_invalid(text):
    assert read_making(EXPECTED, text).status == "invalid"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "As an AI, I will not write such scenarios.",
        '{"error": "I cannot write this."}',
    ],
)
def test_a_reply_without_a_part_that_declines_is_refused(text):
    assert read_making(EXPECTED, text).status == "refused"


def test_words_are_kept_as_they_stand():
    words = "You’re the “night nurses’” help at ½ past 3."
    text = LINES.replace(CONTEXT, words)
    assert read_making(EXPECTED, text).value["context"] == words


def test_a_prompt_of_another_kind_is_an_error():
    with pytest.raises(ValueError, match="expected a prompt for a scenario"):
        read_making('{"kind": "option"}', LINES)


PIECES = st.sampled_from(
    ["Context", "Action 1", "Action 2:", ":", "\n", "**", "```", "{", '"', "}", "[", "- ", CONTEXT]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_no_text_breaks_the_reader(text):
    reading = read_making(EXPECTED, text)
    assert (reading.status == "answered") == (reading.value is not None)


# Collecting


def reading(prompt_id="low.death.001", **other):
    row = {"prompt_id": prompt_id, "ambiguity": "low", "rule": RULES[0], "status": "answered"}
    return {**row, **VALUE, **other}


def unread(status, prompt_id="low.death.001"):
    return reading(prompt_id, status=status, **dict.fromkeys(PARTS))


def collect(*rows, existing=()):
    return collect_scenarios(pl.DataFrame(list(rows), schema=READINGS), scenarios(*existing))


def test_a_kept_scenario_has_the_contract_s_columns_and_no_labels():
    kept, dropped = collect(reading())
    assert kept.schema == pl.Schema(SCHEMA)
    row = kept.row(0, named=True)
    assert row["scenario_id"].startswith("M_")
    assert {name: row[name] for name in VALUE} == VALUE
    assert (row["ambiguity"], row["generation_type"]) == ("low", "Generated")
    assert row["generation_rule"] == "Do not kill"
    assert not any(row[name] for name in SCHEMA if name.startswith(("a1_", "a2_")))
    assert dropped.is_empty()
    assert dropped.schema == pl.Schema(DROPPED)


def test_a_kept_table_reads_back_as_scenarios(tmp_path):
    kept, _ = collect(reading(), reading("low.death.002", context="You sail alone, far from land."))
    kept.write_csv(tmp_path / "made.csv")
    assert read_scenarios([tmp_path / "made.csv"]).equals(kept)


@pytest.mark.parametrize("status", ["refused", "invalid", "truncated", "error"])
def test_a_reply_that_was_not_read_is_dropped_for_its_status(status):
    _, dropped = collect(unread(status))
    assert dropped.rows() == [("low.death.001", status, None, None)]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"action2": "i hand it in, at the OFFICE!"}, "equal actions"),
        ({"action1": "Hand it in at the office."}, "action not in the first person"),
        ({"action2": "You keep the money."}, "action not in the first person"),
        ({"context": "A purse lies on the platform."}, "context not addressed to you"),
        ({"context": "You find a purse."}, "context too short"),
        ({"context": "You " + "find " * 80}, "context too long"),
        ({"action1": "I " + "run " * 40}, "action too long"),
        ({"action2": "I"}, "action too short"),
        ({"context": "You find a purse\non the platform."}, "line break"),
        ({"action1": "I hand it in\u2028at the office."}, "line break"),
        ({"action1": "I do not kill the fly."}, "action repeats the rule"),
    ],
)
def test_a_fault_is_named(other, reason):
    kept, dropped = collect(reading(**other))
    assert kept.is_empty()
    assert dropped["reason"].to_list() == [reason]


@pytest.mark.parametrize(
    "other",
    [
        {"context": "You find a purse here."},
        {"context": "You " + "find " * 79},
        {"action1": "I " + "run " * 39},
        {"action2": "I leave."},
        {"action2": "We keep the money."},
        {"action2": "Without a word, I keep it."},
        {"action1": "I do not killjoy."},
        {"rule": "Do not cheat", "action1": "I do not kill the fly."},
    ],
)
def test_a_scenario_at_the_limit_is_kept(other):
    assert len(collect(reading(**other)).kept) == 1


def test_the_same_context_in_other_dress_is_a_duplicate():
    old = by_hand(1, context="YOU find a purse -- on the platform!")
    _, dropped = collect(reading(), existing=old)
    assert dropped.rows() == [("low.death.001", "duplicate", "death_0", 1.0)]


def test_similar_contexts_are_near_duplicates_with_their_similarity():
    """7 words {you find a purse on the platform} and 8 with 'wet': 7 shared of 8 = 0.875."""
    kept, dropped = collect(
        reading(), reading("low.death.002", context="You find a purse on the wet platform.")
    )
    assert len(kept) == 1
    assert dropped.rows() == [("low.death.002", "near duplicate", "low.death.001", 0.875)]


@pytest.mark.parametrize(
    ("words", "kept"), [("you b c d e f g x y z", 1), ("you b c d e f x y z", 2)]
)
def test_seven_words_of_ten_are_near_and_six_of_ten_are_not(words, kept):
    """{you b..g} and three more: 7 of 10 = 0.7; {you b..f} of {you b..g x y z}: 6 of 10 = 0.6."""
    rows = [reading(context="you b c d e f g"), reading("low.death.002", context=words)]
    assert len(collect(*rows).kept) == kept


def test_the_nearest_is_named_not_the_first():
    old = by_hand(2)
    old[0]["context"] = "You find a purse on the old wet platform."
    old[1]["context"] = "You find a purse on the platform today."
    assert collect(reading(), existing=old).dropped["near"].to_list() == ["death_1"]


def test_actions_alike_are_no_duplicate():
    rows = [reading(), reading("low.death.002", context="Nobody sees you at the village well.")]
    assert len(collect(*rows).kept) == 2


def test_earlier_is_the_smaller_number_whatever_the_order_of_rows_and_rules():
    rows = [reading("low.cheat.010"), reading("low.pain.002"), reading("low.death.1000")]
    for order in (rows, rows[::-1]):
        _, dropped = collect(*order)
        assert dropped["prompt_id"].to_list() == ["low.cheat.010", "low.death.1000"]
        assert dropped["near"].to_list() == ["low.pain.002"] * 2


def test_ids_follow_from_the_content_alone():
    (one,) = collect(reading()).kept["scenario_id"]
    more = collect(
        reading("high.pain.004", ambiguity="high"),
        reading("low.pain.001", context="You sail alone, far from land."),
    ).kept["scenario_id"]
    assert one in more.to_list()
    assert len(set(more)) == 2


WORDS = st.lists(st.sampled_from(["you", "see", "a", "dog", "cat", "boat", "I"]), max_size=8)


@given(st.lists(st.tuples(WORDS, WORDS, st.sampled_from(["answered", "error"])), max_size=8))
def test_every_reply_is_kept_or_dropped_with_a_reason(drawn):
    rows = [
        reading(f"low.death.{n}", context=" ".join(a) or "-", action1=" ".join(b) or "-")
        if status == "answered"
        else unread(status, f"low.death.{n}")
        for n, (a, b, status) in enumerate(drawn)
    ]
    kept, dropped = collect(*rows)
    assert len(kept) + dropped["prompt_id"].n_unique() == len(rows)
    assert dropped["reason"].null_count() == 0


@given(st.lists(WORDS, max_size=8), st.integers(0, 8))
def test_more_prompts_drop_nothing_that_was_kept(contexts, cut):
    rows = [
        reading(f"low.death.{n}", context=" ".join(words) or "-")
        for n, words in enumerate(contexts)
    ]
    early = collect(*rows[:cut]).kept["scenario_id"].to_list()
    assert collect(*rows).kept["scenario_id"].to_list()[: len(early)] == early


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (reading(status="answred"), "status: found 'answred'.*'answered'"),
        (reading(ambiguity="middle"), "ambiguity: found 'middle'; allowed: low, high"),
        (reading(rule="Do not kil"), "rule: found 'Do not kil'.*'Do not kill'"),
        (reading(action2=None), "prompt_id 'low.death.001': answered, but without action2"),
        (reading(None), "a prompt_id is missing"),
    ],
)
def test_readings_that_make_no_sense_are_errors(row, message):
    with pytest.raises(DocumentError, match=message):
        collect(row)


def test_a_prompt_that_stands_twice_is_an_error():
    with pytest.raises(DocumentError, match=r"prompt_id 'low\.death\.001': stands twice"):
        collect(reading(), reading())


def test_missing_columns_are_named():
    with pytest.raises(DocumentError, match="the columns status, action2 are missing"):
        collect_scenarios(pl.DataFrame([reading()]).drop("status", "action2"), scenarios())


@pytest.mark.parametrize("ambiguity", ["low", "high"])
def test_every_published_scenario_is_read_from_the_layout(ambiguity):
    file = PUBLISHED / f"moralchoice_{ambiguity}_ambiguity.csv"
    if not file.exists():
        pytest.skip(f"needs the published survey at {file}")
    rows = read_scenarios([file], ["G_530"] if ambiguity == "high" else []).to_dicts()
    for row in rows:
        value = {name: " ".join(row[name].split()) for name in PARTS}
        text = "Context: {context}\nAction 1: {action1}\nAction 2: {action2}".format(**value)
        assert read_making(EXPECTED, text).value == value
