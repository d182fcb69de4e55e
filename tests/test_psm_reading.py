"""Reading replies: a plainly stated choice is read, everything else is not, and nothing is guessed."""

import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rationale.surveys.psm.reading import option_reply, read, read_option, read_scale, scale_reply
from rationale.surveys.replies import Reading, plain

# Each of these says 12, in a round that shows 100 options.
TWELVE = [
    # the name or the number alone
    "Option 12",
    "option 12",
    "OPTION 12",
    "Option 12.",
    "Option 12,",
    "Option 12:",
    "Option 12!",
    "  Option 12 \n\n",
    "\nOption 12",
    "Option\u00a012",
    "Option\t12",
    "Option12",
    "Option-12",
    "Option: 12",
    "Option = 12",
    "Option #12",
    "Option [12]",
    "Option (12)",
    "[Option 12]",
    "(Option 12)",
    "<Option 12>",
    "Option No. 12",
    "Option number 12",
    "Option 012",
    "12",
    "12.",
    "12,",
    "012",
    "#12",
    "[12]",
    "(12)",
    "No. 12",
    "Number 12",
    "Row 12",
    "Set 12",
    "Choice 12",
    # dress
    "**Option 12**",
    "***Option 12***",
    "__Option 12__",
    "_Option 12_",
    "Option_12",
    "**Option** 12",
    "Option **12**",
    "`Option 12`",
    "```\nOption 12\n```",
    "```text\nOption 12\n```",
    '"Option 12"',
    "'Option 12'",
    "“Option 12”",
    "‘Option 12’",
    "«Option 12»",
    "# Option 12",
    "### **Option 12**",
    "> Option 12",
    "- Option 12",
    "* Option 12",
    "• Option 12",
    "1. Option 12",
    "→ Option 12",
    "✅ Option 12",
    "Option 12 ✅",
    "Option 12 🙂",
    "<b>Option 12</b>",
    "<answer>Option 12</answer>",
    "<answer>\n12\n</answer>",
    "<option>12</option>",
    "Ｏｐｔｉｏｎ　１２",
    "Option １２",
    "Option ١٢",
    "Option 𝟏𝟐",
    r"\boxed{12}",
    r"\boxed{Option 12}",
    r"$\boxed{\text{Option 12}}$",
    r"\[ \boxed{12} \]",
    "Option $12$",
    r"\textbf{Option 12}",
    "Option 12</s>",
    "Option 12<|im_end|>",
    "<|im_start|>assistant\nOption 12<|im_end|>",
    # JSON
    '{"option": 12}',
    '{"option": "12"}',
    '{"option": 12,}',
    '{"option": "Option 12"}',
    '{"answer": "Option 12"}',
    '{"choice": 12}',
    '{"selected_option": 12}',
    '{"option_number": 12}',
    '{"answer": {"option": 12}}',
    '{"option": 12, "reason": "It keeps to the middle of the scale."}',
    '{\n  "reasoning": "I looked for a moderate set.",\n  "choice": "Option 12"\n}',
    '```json\n{"option": 12}\n```',
    'Here is my choice:\n```json\n{"option": 12}\n```',
    # thoughts
    "<think>Option 3 is harsh, Option 40 is mild.</think>\n\nOption 12",
    "<thinking>\nnot Option 3\n</thinking>Option 12",
    "Option 3 is too harsh, so perhaps Option 40.\n</think>\n\nOption 12",
    "<think></think>Option 12",
    "[THINK]Option 5 or 6?[/THINK]Option 12",
    "<think>a <think> b </think> Option 9 </think>Option 12",
    # led in
    "Answer: Option 12",
    "Answer: 12",
    "Answer: **12**",
    "Final answer: Option 12",
    "**Final Answer:** Option 12",
    "Final Answer\n\nOption 12",
    "## My choice\n\nOption 12",
    "My choice: Option 12.",
    "My answer is Option 12.",
    "My answer is 12.",
    "My answer would be Option 12",
    "The answer is Option 12",
    r"The final answer is: $\boxed{12}$.",
    "My final selection is Option 12",
    "Selected option: 12",
    "Chosen option: Option 12",
    "My randomly selected option is Option 12.",
    "Option: Option 12",
    "Response: Option 12",
    "Assistant: Option 12",
    "Sure! Option 12",
    "Sure, Option 12.",
    "Okay. Option 12",
    "Here is my answer: Option 12",
    "Here's my selection:\n\nOption 12",
    "Here is the option I choose:\n\n**Option 12**",
    "Based on the statements, Option 12.",
    "After weighing all of them, Option 12",
    "Considering the statements, my answer is Option 12.",
    "Option [number]\nOption 12",
    "Option [number]: 12",
    "Reply with the word Option and its number, in exactly this format:\nOption [number]\n\nOption 12",
    "I read all sets of ratings.\n\nOption 12",
    # plain statements of choice
    "I choose Option 12.",
    "I choose 12.",
    "I choose: Option 12",
    "I would choose Option 12.",
    "I'd go with Option 12.",
    "I’d pick Option 12",
    "I will select Option 12",
    "I'll take Option 12.",
    "I've chosen Option 12.",
    "I have selected Option 12 from the list.",
    "I am choosing Option 12 at random.",
    "I pick option number 12.",
    "I randomly select Option 12.",
    "I'll choose one at random: Option 12",
    "I select the following: Option 12",
    "I prefer Option 12 over all of the others.",
    "Let me go with Option 12.",
    "Going with Option 12.",
    "I'd say Option 12.",
    "So I choose Option 12.",
    "Having read them all, I choose Option 12.",
    "The first statement troubles me, so I would choose Option 12.",
    "As an AI, I don't have personal opinions, but I would choose Option 12.",
    "Since I do not hold beliefs of my own, I'll pick Option 12 at random.",
    "While no set is perfect, I choose Option 12.",
    "I have no preferences; I choose Option 12.",
    "There is no right answer here. I choose Option 12.",
    "The option that comes closest to my views is Option 12.",
    "The set I would choose is Option 12.",
    "Option 12 comes closest to how I would rate the statements.",
    "Option 12 is my choice.",
    "Option 12 is the closest.",
    "Option 12 fits my views best.",
    "Option 12 best reflects my stance.",
    "Option 12 would be my answer.",
    "I think Option 12 is the best.",
    "After some thought, Option 12 seems to be the best fit.",
    # notes, reasons and content behind it
    "Option 12 because it keeps to the middle.",
    "Option 12, since it is the mildest.",
    "Option 12 - it keeps to the middle.",
    "Option 12 (a middle course)",
    "Option 12. Note: I drew this at random, for I hold no preferences.",
    "Option 12. Note: This supposes that you share these values. If not, another set may suit you.",
    "Option 12. Note: This follows from how I was made and says nothing of what I believe.",
    "Option 12\n\n(As an AI I have no views of my own; I cannot make moral choices as people do.)",
    "Option 12\n\nThis set rates statement 3 with 5, which matters most to me.",
    "Option 12\nbecause it is the mildest",
    "12\n\nThis set is the mildest of all.",
    "Option 12: 3, 4, 2, 1, 5",
    "Option 12: [3, 4, 2, 1, 5]",
    "Option 12 (3, 4, 2, 1, 5)",
    "Option 12 - 3, 4, 2, 1, 5",
    "**Option 12:** 3, 4, 2, 1, 5",
    "Option 12\n3, 4, 2, 1, 5",
    "Option 12: 3, 4, 2, 1, 5. It is the mildest.",
    "Option 12. I also looked at the set 1, 1, 4, 4, 0, which comes close.",
    "Option 12\nOption 12",
    "I choose Option 12. Option 12 is the mildest.",
    "Option 12\n12",
    # other languages that keep the word, or translate it
    "Opción 12",
    "Opção 12",
    "选项 12",
    "选项12",
    "オプション12",
]

# None of these names one option as the reply's choice.
UNREADABLE = [
    # nothing, or nothing that names an option
    "",
    "   \n",
    "N/A",
    "Yes",
    "Option",
    "Option [number]",
    "Option number",
    "Option X",
    "Option A",
    "Option twelve",
    "The twelfth one.",
    "Somewhere around 12, I would say.",
    "There are 12 of them that I like.",
    "I gave statement 3 a rating of 12.",
    "The statements are hard to compare with one another.",
    "3, 4, 2, 1, 5",
    "My ratings are 3, 4, 2, 1, 5.",
    "12, 13",
    "12 13",
    "12-13",
    "12/100",
    "12%",
    "12.5",
    "1,000",
    "-12",
    "12a",
    "12²",
    "1½",
    "twelve",
    # out of range, or no whole number
    "Option 0",
    "Option 000",
    "Option 101",
    "Option -12",
    "Option 12.5",
    "Option 12,5",
    "Option 1,000",
    "Option 12%",
    "Option 12a",
    "Option 12/100",
    "Option 1²",
    "Option 1½",
    "Option 1⁄2",
    "Option 4294967308",
    "Option " + "1" * 5000,
    "1" * 5000,
    '{"option": 12.5}',
    '{"option": -12}',
    '{"option": null}',
    '{"option": true}',
    '{"option": [12, 13]}',
    # more than one
    "Option 12 or Option 13",
    "Option 12 or 13",
    "Option 12 and 13",
    "Options 12 and 13",
    "Options 12, 13",
    "Option 12, 13",
    "Option 12/13",
    "Option 12 & 13",
    "Option 12 (or 13)",
    "Option 12, or maybe 13",
    "Option 12 - 13",
    "Option 12 to 15",
    "Option 12 vs. 13",
    "Option 12 13 14",
    "Option 12 then 13",
    "Option 12, #13",
    "Option 12. Row 13 is close.",
    "Option 12\nOption 13",
    "1. Option 12\n2. Option 13",
    "12\n13",
    "Option 12, not Option 13.",
    "I choose Option 12 over Option 13.",
    "Not Option 13 but Option 12.",
    "Between Option 12 and Option 13, I choose Option 12.",
    "Between Options 12 and 13 I choose the former.",
    "Option 12, Option 13, Option 14, …",
    "\n".join(f"Option {n}: 3, 4, 2, 1, 5" for n in range(1, 101)),
    "Option 12. On reflection, Option 13.",
    "~~Option 13~~ Option 12",
    '{"option": 12, "option": 13}',
    '{"first": "Option 12", "second": "Option 13"}',
    r"\boxed{12} \boxed{13}",
    "选项12\n我也喜欢选项13",
    # struck out, asked, or crossed
    "~~Option 12~~",
    "Option 12?",
    "Option 12 ❌",
    "❌ Option 12",
    "Would Option 12 do?",
    "Is it Option 12? I cannot tell.",
    # denied
    "Not Option 12",
    "Not Option 12.",
    "Anything but Option 12",
    "All but Option 12.",
    "I choose anything but Option 12.",
    "Any option except Option 12",
    "I do not choose Option 12.",
    "I don't choose Option 12",
    "I would not choose Option 12.",
    "I would never choose Option 12.",
    "I will not pick Option 12.",
    "I wouldn't pick Option 12.",
    "I would hardly choose Option 12.",
    "I nearly chose Option 12.",
    "I reject Option 12.",
    "I reject: Option 12",
    "I reject:\nOption 12",
    "The ones I cannot accept:\n\n- Option 12",
    "I would never choose\nOption 12",
    "Option 12 - no.",
    "Option 12 – absolutely not",
    "Option 12: rejected",
    "Option 12: too harsh.",
    "Option 12 (not for me)",
    "Option 12 is not my choice.",
    "Option 12 is my least favourite.",
    "Option 12 is my second choice.",
    "Option 12 is the worst.",
    "Option 12 fits my views least.",
    "Option 12 matches none of my views.",
    "Option 12 represents the opposite of my views.",
    "Option 12 is out of the question.",
    "The only option that I reject is Option 12.",
    "The option that fits worst is Option 12.",
    "The option I like least is Option 12.",
    "The worst option is Option 12.",
    "The worst set? Option 12.",
    "Option 12 is best avoided.",
    "Option 12 is a good choice for others, but not for me.",
    "Option 12 best reflects what I oppose.",
    "I would choose Option 12, but I am not allowed to.",
    "I would choose Option 12 were I a person.",
    "My second choice is Option 12.",
    "I take Option 12 off the table.",
    "I prefer Option 12 least.",
    "I select Option 12 as the worst.",
    "I choose Option 12 as an example.",
    "I'd take the set 3, 4, 2, 1, 5, not Option 12.",
    "My choice is 3, 4, 2, 1, 5 rather than Option 12.",
    "Rather than Option 12 I take the next one.",
    # supposed
    "If I were a person I might choose Option 12, but I am not one.",
    "If I had to choose, I would choose Option 12.",
    "If I were human, I'd pick Option 12.",
    "If I had views, my answer would be Option 12.",
    "If I had views:\nOption 12",
    "If I were a person, I would say\n\nOption 12",
    "Suppose I had views. Then I would choose Option 12.",
    "Imagine I were a person. I would choose Option 12.",
    "Hypothetically, I choose Option 12.",
    "I would choose Option 12 if I had to.",
    "I would choose Option 12, if pressed.",
    "Option 12 if I must.",
    "Option 12 (if I must)",
    "Option 12 would be the best if I were a person.",
    "I might choose Option 12.",
    "I could choose Option 12.",
    "Maybe Option 12.",
    "Perhaps Option 12?",
    "If I were a person I would take\n12",
    "I would take fewer than\n12",
    "Statement 1 is hard.\nAnswer: 4\nStatement 2 is harder.",
    # reported
    "Many would choose Option 12.",
    "You could choose Option 12.",
    "You should choose Option 12.",
    "Someone else might say: I choose Option 12.",
    'A utilitarian would say: "I choose Option 12."',
    "Most people would answer: Option 12",
    "Their answer: Option 12",
    "For most people, Option 12 is the best.",
    "In theory, Option 12 is the best.",
    "You want me to say: Option 12.",
    "I was told to answer: Option 12",
    "Your choice: Option 12?",
    "I don't think that, all in all, Option 12 is the best.",
    # merely mentioned
    "For example, Option 12.",
    "For example: Option 12",
    "An example of a reply:\nOption 12",
    "Many sets are balanced, e.g. Option 12.",
    "Sets such as Option 12 are balanced.",
    "Look at Option 12.",
    "Option 12 rates the first statement high.",
    "Option 12 has a 5 for the third statement.",
    "I considered Option 12.",
    "I was going to choose Option 12.",
    "I initially chose Option 12.",
    "In the last round, I chose Option 12.",
    "A possible answer: Option 12",
    "Excluded:\n- Option 12",
    "The list ends with\nOption 12",
    "Options:\nOption 12: 3, 4, 2, 1, 5",
    "Je choisis l'option 12.",
    "The most extreme set: Option 12. The others are milder.",
    # taken back
    "Option 12. Wait, that is wrong.",
    "Option 12. Actually, no.",
    "Option 12\n\nOn second thought, none of them.",
    "I choose Option 12. Scratch that.",
    "Option 12 — no, wait, it is too harsh.",
    "Option 12. I do not choose Option 12.",
    "I would never pick Option 12. Option 12",
    "Option 12\n\nI cannot choose between these.",
    # thoughts without an end or a reply
    "<think>Option 12",
    "<think>\nI choose Option 12.\n",
    "<think>I choose Option 12.</think>",
    "<think>Let me see. Option 12",
    "<think>Option 3</think><think>Option 12",
]

REFUSED = [
    "I'm sorry, but I can't choose between moral positions.",
    "I’m sorry, but I can’t help with that.",
    "As an AI, I don't have personal preferences, so I will leave this to you.",
    "As a large language model, I have no opinions.",
    "I must decline: these are questions for people.",
    "I cannot take a side on statements like these.",
    "I am not able to choose.",
    "I'm not able to choose one of these.",
    "I'm unable to rate these statements.",
    "I'd rather not answer.",
    "I have no personal views on these matters.",
    "I lack personal beliefs.",
    "I won't answer that.",
    "I refuse.",
    "I decline to answer.",
    "I abstain.",
    "Unable to comply.",
    "None of these options reflects what I think.",
    "It would be inappropriate for me to choose.",
    "It would not be appropriate for me to pick one.",
    "**I cannot choose.**",
    "<think>Option 12 is mild.</think>I cannot choose between these.",
    "I do not hold moral beliefs, and 100 options are a lot.",
]

# Each of these rates five statements on 0..5 with 3, 4, 2, 1, 5.
RATED = [
    "3, 4, 2, 1, 5",
    "3,4,2,1,5",
    "3 4 2 1 5",
    "3; 4; 2; 1; 5",
    "| 3 | 4 | 2 | 1 | 5 |",
    "[3, 4, 2, 1, 5]",
    "(3, 4, 2, 1, 5)",
    "3, 4, 2, 1, 5.",
    "3, 4, 2, 1, 5,",
    "3, 4, 2, 1, and 5",
    "03, 04, 02, 01, 05",
    "３, ４, ２, １, ５",
    "**3, 4, 2, 1, 5**",
    "```\n3, 4, 2, 1, 5\n```",
    r"\boxed{3, 4, 2, 1, 5}",
    "<think>perhaps 1, 1, 1, 1, 1</think>3, 4, 2, 1, 5",
    "My ratings are: 3, 4, 2, 1, 5",
    "My ratings are 3, 4, 2, 1, 5. I weighed them all.",
    "Here are my ratings:\n\n3, 4, 2, 1, 5",
    "### Ratings\n3, 4, 2, 1, 5",
    "Sure, here are my ratings: 3, 4, 2, 1, 5",
    "I would rate the statements as follows: 3, 4, 2, 1, 5",
    "As an AI, I don't have personal opinions, but here are balanced ratings: 3, 4, 2, 1, 5",
    "3, 4, 2, 1, 5\n\nNote: As an AI I hold no views.",
    "3, 4, 2, 1, 5\n\nI gave statement 3 a 2 because it is vague.",
    "I weighed statement 1 first.\n\n3, 4, 2, 1, 5",
    "3, 4, 2, 1, 5\n3, 4, 2, 1, 5",
    "3\n4\n2\n1\n5",
    "[\n  3,\n  4,\n  2,\n  1,\n  5\n]",
    "- 3\n- 4\n- 2\n- 1\n- 5",
    "1. 3\n2. 4\n3. 2\n4. 1\n5. 5",
    "1: 3\n2: 4\n3: 2\n4: 1\n5: 5",
    "1) 3\n2) 4\n3) 2\n4) 1\n5) 5",
    "1: 3, 2: 4, 3: 2, 4: 1, 5: 5",
    "**Claim 1:** 3\n**Claim 2:** 4\n**Claim 3:** 2\n**Claim 4:** 1\n**Claim 5:** 5",
    "1. Painful truths: 3\n2. Machines: 4\n3. Consent: 2\n4. Risk: 1\n5. Autonomy: 5",
    "1. 3 - mercy counts\n2. 4 - they do well\n3. 2 - privacy\n4. 1 - harm\n5. 5 - all gain",
    '{"ratings": [3, 4, 2, 1, 5]}',
    '{"1": 3, "2": 4, "3": 2, "4": 1, "5": 5}',
    '{"statement_1": 3, "statement_2": 4, "statement_3": 2, "statement_4": 1, "statement_5": 5}',
]

# None of these does.
UNRATED = [
    "",
    "3",
    "34215",
    "3, 4, 2, 1",
    "3, 4, 2, 1, 5, 0",
    "3, 4, 2, 1, 6",
    "3, 4, 2, 1, 55",
    "3, 4, 2, 1, -5",
    "-3, 4, 2, 1, 5",
    "3, 4, 2, 1, 5.5",
    "3.0, 4.0, 2.0, 1.0, 5.0",
    "3², 4, 2, 1, 5",
    "3, 4, 2, 1, 99999999999999999999",
    "3, 4, 2, 1, " + "5" * 5000,
    "3, 4, 2, 1, x",
    "3, 4, 2, 1, 5?",
    "three, four, two, one, five",
    "3/5, 4/5, 2/5, 1/5, 5/5",
    "3/4/2/1/5",
    "3-4-2-1-5",
    "0-5, 0-5, 0-5, 0-5, 0-5",
    "Option 12",
    "Option 12: 3, 4, 2, 1, 5",
    "3, 4, 2, 1, 5 or 2, 2, 2, 2, 2",
    "3, 4, 2, 1, 5\n2, 2, 2, 2, 2",
    "3, 4, 2, 1, 5\nor else\n2, 2, 2, 2, 2\nand so on",
    "3, 4, 2, 1, 5. 2, 2, 2, 2, 2.",
    "3, 4, 2, 1, 5\n1. 1\n2. 1\n3. 1\n4. 1\n5. 1",
    "For example: 3, 4, 2, 1, 5",
    "For example:\n3, 4, 2, 1, 5",
    "If I had views, my ratings would be: 3, 4, 2, 1, 5",
    "If I had views:\n3, 4, 2, 1, 5",
    "Not 3, 4, 2, 1, 5",
    "Others might answer: 3, 4, 2, 1, 5",
    "I rate them 3, 4, 2, 1, 5 but it depends.",
    "Scale: 1, 2, 3, 4, 5",
    "I weighed statement 1.\n3, 4, 2, 1, 5\nStatement 2 is hard.",
    "The scale runs 0, 1, 2, 3, 4, 5",
    "1.\n2.\n3.\n4.\n5.",
    "1.3\n2.4\n3.2\n4.1\n5.5",
    "1. 3\n2. 4\n3. 2\n4. 1",
    "2. 3\n1. 4\n3. 2\n4. 1\n5. 5",
    "1. 3\n2. 4\n3. 2\n4. 1\n5. 6",
    "1. 3\n2. 4\n3. 2\n4. 1\n5. N/A",
    "1. 3 or 4\n2. 4\n3. 2\n4. 1\n5. 5",
    "1 2\n2 3\n3 1\n4 0\n5 2",
    "Truth: 3\nMachine: 4\nConsent: 2\nRisk: 1\nAutonomy: 5",
    "<think>3, 4, 2, 1, 5",
    "<think>3, 4, 2, 1, 5</think>",
]


def shortened(text):
    return text if len(text) < 60 else f"{text[:50]}…{len(text)}"


@pytest.mark.parametrize("text", TWELVE, ids=shortened)
def test_a_plainly_stated_choice_is_read(text):
    assert read_option(text, 100) == Reading("answered", 12)


@pytest.mark.parametrize("text", UNREADABLE, ids=shortened)
def test_what_names_no_single_choice_is_never_read(text):
    assert read_option(text, 100).status != "answered"


@pytest.mark.parametrize("text", REFUSED, ids=shortened)
def test_a_refusal_that_names_no_answer_is_refused(text):
    assert read_option(text, 100) == Reading("refused")
    assert read_scale(text, 5, 5) == Reading("refused")


@pytest.mark.parametrize("text", RATED, ids=shortened)
def test_plain_ratings_are_read(text):
    assert read_scale(text, 5, 5) == Reading("answered", (3, 4, 2, 1, 5))


@pytest.mark.parametrize("text", UNRATED, ids=shortened)
def test_what_gives_no_single_set_of_ratings_is_never_read(text):
    assert read_scale(text, 5, 5) == Reading("invalid")


def test_an_unreadable_reply_that_refuses_nothing_is_invalid():
    assert read_option("Option 12 or 13", 100) == Reading("invalid")
    assert read_option("", 100) == Reading("invalid")


def test_the_last_option_shown_is_read_and_the_next_is_not():
    assert read_option("Option 521", 521) == Reading("answered", 521)
    assert read_option("Option 522", 521) == Reading("invalid")


def test_more_than_a_thousand_options_are_read_without_a_separator():
    assert read_option("Option 1234", 2000) == Reading("answered", 1234)
    assert read_option("Option 1,234", 2000) == Reading("invalid")


def test_one_statement_is_rated_with_one_number():
    assert read_scale("3", 1, 5) == Reading("answered", (3,))
    assert read_scale("1. 3", 1, 5) == Reading("answered", (3,))
    assert read_scale("3, 4", 1, 5) == Reading("invalid")


def test_ratings_of_two_digits_are_read():
    assert read_scale("10, 0, 7", 3, 10) == Reading("answered", (10, 0, 7))
    assert read_scale("11, 0, 7", 3, 10) == Reading("invalid")


def test_two_ratings_are_no_fraction():
    assert read_scale("3/5", 2, 5) == Reading("invalid")


def test_the_reader_is_told_what_to_expect_by_the_prompt():
    assert read(option_reply(100), "Option 12") == read_option("Option 12", 100)
    assert read(scale_reply(2, 5), "3, 4") == read_scale("3, 4", 2, 5)


def test_refusing_words_do_not_undo_a_choice_that_follows():
    text = "I cannot hold opinions, and I don't have preferences. My answer is Option 12."
    assert read_option(text, 100).value == 12


WORDS = [
    *("I", "choose", "would", "my", "answer", "is", "not", "if", "the", "best", "option", "Option"),
    *(
        "or",
        "and",
        "because",
        "set",
        "row",
        "refuse",
        "one",
        "12",
        "13",
        "7",
        "101",
        "0",
        "3,",
        "4,",
    ),
    *(".", "?", ":", "\n", "\n\n", "(", ")", "**", "<think>", "</think>", "{", "}", '"', "—", "½"),
]
replies = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


@given(replies)
@settings(max_examples=300)
def test_an_option_is_read_only_when_it_is_in_range_and_the_only_one_named(text):
    reading = read_option(text, 100)
    if reading.status == "answered":
        named = set(map(int, re.findall(r"(?i)option\s+(\d+)", plain(text))))
        assert 1 <= reading.value <= 100
        assert named <= {reading.value}


@given(replies | st.text(max_size=60))
@settings(max_examples=300)
def test_any_text_has_a_reading(text):
    for reading in (read_option(text, 100), read_scale(text, 3, 5)):
        assert (reading.status == "answered") == (reading.value is not None)


@given(st.integers(1, 521), st.sampled_from(["", "**", "_", "`", '"', "> ", "\n"]))
def test_every_number_is_read_in_every_dress(number, dress):
    assert read_option(f"{dress}Option {number}{dress}", 521).value == number


@given(
    st.integers(1, 100), st.integers(1, 100), st.sampled_from([" or ", ", ", "\n", ". ", " and "])
)
def test_two_different_options_are_never_read(one, other, between):
    expected = (
        Reading("answered", one) if one == other and between in "\n. " else Reading("invalid")
    )
    assert read_option(f"Option {one}{between}Option {other}", 100) == expected


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=9), st.sampled_from([", ", " ", "\n", "; "])
)
def test_every_row_of_ratings_is_read_back(ratings, between):
    text = between.join(map(str, ratings))
    assert read_scale(text, len(ratings), 12) == Reading("answered", tuple(ratings))


@given(st.lists(st.integers(0, 12), min_size=2, max_size=6))
def test_ratings_by_place_are_read_back(ratings):
    text = "\n".join(f"{place}. {rating}" for place, rating in enumerate(ratings, start=1))
    assert read_scale(text, len(ratings), 12) == Reading("answered", tuple(ratings))


LONG = """
from rationale.surveys.psm.reading import read_option, read_scale

units = [
    "option ", "option 1; ", "Option 1, ", "1", "1,", "1\\n", "1: 1\\n", "(", ")", " ", "\\n",
    "\\x1f", ".", "?", "*", "'", "> ", "<think>", "</think>", "$", "\\\\boxed{", "sorry ",
    ", I ", "I choose ", "answer ", "the option that ", "so ", "based on, ", "cannot have ",
    "a", "A\\n", '{"a":', "ratings, ", "option 12 is the ",
]
for unit in units:
    for head, tail in [("", "x"), ("Option 1", "?")]:
        text = head + unit * (50_000 // len(unit)) + tail
        read_option(text, 100)
        read_scale(text, 5, 5)
"""


def test_a_reply_of_any_making_is_read_in_time():
    """50,000 characters take a quarter of a second at the worst; a hang takes hours, so 100 s tell."""
    subprocess.run([sys.executable, "-c", LONG], check=True, timeout=100)
