"""Cost before asking: keys, what is left, tokens, prices, and the estimate beside what was spent."""

import json
import runpy
from collections import Counter
from dataclasses import replace

import polars as pl
import pytest
import yaml
from helpers import ROOT, Scripted, ask, run, simulated, write_project
from server import LocalProvider, Response
from test_http_graph import chance, words
from test_steer_http import KEY, answer, write_config
from test_steer_published import TABLES

from rationale.asking import estimate as estimates
from rationale.asking.prices import Prices, prices_of
from rationale.asking.prompts import Prompt
from rationale.asking.tokens import Span, prompt_tokens, tokens
from rationale.config import canonical
from rationale.reporting.cost import Costs, cost_row, cost_table, free_row, shown
from rationale.respondents.base import Asked, Call, Rejected, Reply
from rationale.respondents.llm import listed_prices, may_reason
from rationale.surveys.psm.reading import option_reply, scale_reply
from rationale.surveys.shortest import shortest_reply
from rationale.surveys.steer.reading import expected_reply

ASKED = Asked("test/model", None, {"temperature": 0})
PROMPTS = [Prompt(f"r{n:03d}", (f"Question {n}, für Ärzte?",), n % 2, "System.") for n in range(30)]


def status(expected, texts):
    return {"yes": "answered", "no": "refused"}.get(texts[-1], "invalid")


def part(prompts=PROMPTS, attempts=3, asked=ASKED):
    return estimates.Part(asked, estimates.questions(prompts, lambda _: "yes"), attempts, status)


def kept(folder):
    """What the journal that `helpers.ask` writes holds."""
    return {
        key: call
        for path in folder.glob("*/*.jsonl")
        for key, call in estimates.kept_calls(folder, path.name.split("-")[0]).items()
    }


def table_of(folder):
    return pl.read_csv(folder / "results/tables/cost.csv").to_dicts()


@pytest.mark.parametrize("attempt", [1, 3])
def test_keys_are_those_that_the_journal_uses(attempt):
    asked = Asked("openai/ü", "http://x/v1", {"b": [1.5, None], "a": {"z": True}})
    listed = estimates.questions(PROMPTS, lambda _: "1").listed
    expected = [
        Call(
            asked.model,
            asked.api_base,
            asked.params,
            (
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.turns[0]},
            ),
            prompt.sample,
            attempt,
        ).key()
        for prompt in PROMPTS
    ]
    assert list(estimates.keys(asked, listed, attempt)) == expected


def test_nothing_in_the_journal_leaves_everything():
    (found,) = estimates.count([part()], {})
    assert (found.questions, found.answered, found.paid) == (30, 0, [])
    assert found.left.calls.sum(axis=0).tolist() == [30, 90]


def test_what_the_journal_holds_is_settled_as_asking_settled_it(tmp_path):
    """Ten prompts: three never readable (3 calls each), one filtered (1), six answered (1 each)."""

    def script(call):
        number = int(call.prompt_id[1:])
        if number == 9:
            return Reply("", finish_reason="content_filter")
        return "hm" if number < 3 else "yes"

    ask(Scripted(script), tmp_path, PROMPTS[:10])
    (found,) = estimates.count([part()], kept(tmp_path))
    assert (found.answered, len(found.paid)) == (10, 3 * 3 + 1 + 6)
    assert found.left.calls.sum(axis=0).tolist() == [20, 60]


def test_an_unreadable_reply_leaves_one_attempt_less(tmp_path):
    ask(Scripted(lambda call: "hm"), tmp_path, PROMPTS[:1], attempts=1)
    (found,) = estimates.count([part(PROMPTS[:1])], kept(tmp_path))
    assert found.left.calls.tolist() == [[1, 2]]


def test_the_calls_that_asking_makes_lie_between_low_and_high(tmp_path):
    mumbles = Counter()

    def script(call):
        mumbles[call.prompt_id] += 1
        return "yes" if mumbles[call.prompt_id] > int(call.prompt_id[1:]) % 4 else "hm"

    ask(Scripted(script), tmp_path, PROMPTS[:7])
    (found,) = estimates.count([part()], kept(tmp_path))
    low, high = found.left.calls.sum(axis=0)
    respondent = Scripted(script)
    ask(respondent, tmp_path, PROMPTS)
    assert low <= len(respondent.calls) <= high
    (found,) = estimates.count([part()], kept(tmp_path))
    assert found.left.calls.sum() == 0


def test_a_call_that_two_parts_share_counts_once():
    found = estimates.count([part(PROMPTS[:20]), part(PROMPTS[10:])], {})
    assert [count.questions for count in found] == [20, 10]


# Conversations of several turns

TALKS = [Prompt(f"t{n}", (f"Think of {n}.", f"So, {n}?"), 0, "System.") for n in range(4)]


def talk(prompts=TALKS, attempts=2, **more):
    return part(prompts, attempts, **more)


def rows(left):
    """(turn, replies known, calls at the least, at the most), sorted."""
    return sorted(zip(left.turns, left.known, *left.calls.T, strict=True))


def test_keys_of_a_later_turn_hold_the_replies_before_it():
    listed = talk(TALKS[:1]).questions.listed
    messages = [("system", "System."), ("user", "Think of 0.")]
    messages += [("assistant", "hm"), ("user", "So, 0?")]
    said = tuple({"role": role, "content": text} for role, text in messages)
    call = Call(ASKED.model, None, ASKED.params, said, 0, 2)
    assert list(estimates.keys(ASKED, listed, 2, ["hm"])) == [call.key()]


def test_every_turn_is_a_call_of_every_attempt():
    (found,) = estimates.count([talk(TALKS[:1])], {})
    assert (found.questions, rows(found.left)) == (1, [(0, 0, 1, 2), (1, 0, 1, 2)])


def broken_off(call):
    """t0 is answered, t1 stops behind its first turn, t2 is never read, t3 never asked."""
    if call.prompt_id == "t1" and call.turn == 1:
        return Rejected("too long")
    return "hm" if call.turn == 0 or call.prompt_id == "t2" else "yes"


def test_turns_that_the_journal_holds_are_settled(tmp_path):
    """t1: the second turn now, and both once more if need be; t3: both, up to twice."""
    ask(Scripted(broken_off), tmp_path, TALKS[:3], attempts=2)
    (found,) = estimates.count([talk()], kept(tmp_path))
    assert (found.answered, len(found.paid)) == (2, 2 + 1 + 4)
    t1, t3 = [(0, 0, 0, 1), (1, 0, 0, 1), (1, 1, 1, 1)], [(0, 0, 1, 2), (1, 0, 1, 2)]
    assert rows(found.left) == sorted(t1 + t3)


def test_a_filtered_turn_ends_the_conversation(tmp_path):
    filtered = Scripted(lambda call: Reply("", finish_reason="content_filter"))
    ask(filtered, tmp_path, TALKS[:1], attempts=2)
    (found,) = estimates.count([talk(TALKS[:1])], kept(tmp_path))
    assert (found.answered, len(found.paid), len(found.left.calls)) == (1, 1, 0)


def test_a_first_turn_that_two_conversations_share_counts_once(tmp_path):
    other = [Prompt("other", (TALKS[0].turns[0], "And now?"), 0, "System.")]
    found = estimates.count([talk(TALKS[:1]), talk(other)], {})
    assert [rows(count.left) for count in found] == [
        [(0, 0, 1, 2), (1, 0, 1, 2)],
        [(1, 0, 1, 2)],
    ]
    ask(Scripted(lambda call: "yes"), tmp_path, [TALKS[0], *other])
    found = estimates.count([talk(TALKS[:1]), talk(other)], kept(tmp_path))
    assert [(count.answered, len(count.paid)) for count in found] == [(1, 2), (1, 1)]


def test_the_prompt_of_a_later_turn_holds_the_reply_before_it():
    """Two calls; the second repeats the first's words, and a reply of up to max_tokens."""
    (found,) = estimates.count([talk(TALKS[:1], 1)], {})
    got = estimates.estimate(found.left, Asked("m", None, {"max_tokens": 50}), False)
    system, first, second = ({"content": text} for text in ("System.", *TALKS[0].turns))
    one = prompt_tokens([system, first])
    two = prompt_tokens([system, first, {"content": ""}, second])
    assert got.calls == Span(2, 2)
    assert got.prompt == Span(one.low + two.low, one.high + two.high + 50)
    assert got.completion == Span(2, 100)


def test_a_reply_that_is_known_is_counted_as_it_is(tmp_path):
    ask(Scripted(broken_off), tmp_path, TALKS[1:2], attempts=1)
    (found,) = estimates.count([talk(TALKS[1:2], 1)], kept(tmp_path))
    got = estimates.estimate(found.left, Asked("m", None, {"max_tokens": 50}), False)
    words = ("System.", TALKS[1].turns[0], "hm", TALKS[1].turns[1])
    assert got.prompt == prompt_tokens([{"content": text} for text in words])
    assert got.completion == Span(1, 50)


def test_each_turn_is_as_long_as_such_turns_were():
    """Reasons of 200 tokens, letters of one: 2 calls, 201 tokens, and the reasons sent once more."""
    same = [replies(20, completion=200), replies(20, completion=1)]
    told = [one._replace(turn=turn) for turn, calls in enumerate(same) for one in calls]
    told += [one._replace(form="plain") for one in replies(30, completion=9)]
    seen = [estimates.observe(told, "psm", ASKED.params, ["listed"], turn) for turn in (0, 1)]
    (found,) = estimates.count([talk(TALKS[:1], 1)], {})
    got = estimates.estimate(found.left, ASKED, False, *seen)
    assert got.completion == Span(201, 201)
    high = found.left.sizes[:, 1].sum() / 2
    assert got.prompt == Span(high + 200, high + 200)


def test_without_replies_the_tokens_follow_from_words_and_max_tokens():
    asked = Asked("m", None, {"max_tokens": 50})
    (found,) = estimates.count([part(PROMPTS[:2], attempts=3)], {})
    got = estimates.estimate(found.left, asked, may_reason=True)
    size = prompt_tokens([{"content": "System."}, {"content": PROMPTS[0].turns[0]}])
    assert got.calls == Span(2, 6)
    assert got.prompt == Span(2 * size.low, 6 * size.high)
    assert got.completion == Span(2, 300)
    assert got.reasoning == Span(0, 300)
    assert estimates.estimate(found.left, asked, may_reason=False).reasoning == Span(0, 0)


def test_without_a_limit_the_high_end_is_unknown():
    (found,) = estimates.count([part()], {})
    got = estimates.estimate(found.left, Asked("m", None, {"max_tokens": None}), False)
    assert got.completion.high is None
    row = cost_row("m", "psm", "llm", Costs([found], got, got, ""), Prices(1, 1, "config"))
    assert (row["usd_high"], row["completion_tokens_high"]) == (None, None)
    assert row["usd_low"] > 0


def replies(number, prompt=100, completion=5, study="psm"):
    params = canonical(dict(ASKED.params))
    return [
        estimates.Kept(
            study, "listed", 0, params, 200.0, "yes", "stop", False, prompt, completion, None, 0.1
        )
        for _ in range(number)
    ]


def test_twenty_replies_of_the_model_stand_in_for_the_assumptions():
    seen = estimates.observe(replies(20), "psm", ASKED.params)
    assert seen == estimates.Observed(Span(0.5, 0.5), Span(5, 5), None)
    (found,) = estimates.count([part(PROMPTS[:2])], {})
    got = estimates.estimate(found.left, ASKED, True, seen)
    assert got.completion == Span(10, 30)
    assert got.reasoning is None


def test_fewer_replies_or_those_of_another_study_tell_nothing():
    few = [*replies(19), *replies(20, study="moralchoice")]
    assert estimates.observe(few, "psm", ASKED.params) == estimates.Observed()


def test_other_parameters_tell_of_prompts_but_not_of_completions():
    seen = estimates.observe(replies(20), "psm", {"reasoning_effort": "high"})
    assert (seen.prompt, seen.completion) == (Span(0.5, 0.5), None)


def test_the_mean_lies_within_what_was_observed():
    """95 of 100 replies have 5 tokens and five 1,000: the quantile alone would miss the sum."""
    mixed = [*replies(96), *replies(4, completion=1000)]
    seen = estimates.observe(mixed, "psm", ASKED.params)
    assert seen.completion.high == pytest.approx(0.96 * 5 + 0.04 * 1000)


@pytest.mark.parametrize(
    ("expected", "shortest"),
    [
        (option_reply(100), "1"),
        (scale_reply(3, 5), "0, 0, 0"),
        (json.dumps({"kind": "letter"}), "1"),
        (json.dumps({"kind": "action", "first": "I stay.", "second": "I go."}), "I go."),
        (expected_reply([{"turn": 0, "first": 0, "options": ["tea", "coffee"]}]), "1"),
    ],
)
def test_the_shortest_answer(expected, shortest):
    assert shortest_reply(expected) == shortest


@pytest.mark.parametrize("name", ["o200k", "cl100k", "claude"])
@pytest.mark.parametrize(
    "text",
    [
        "Option 12: 1, 3, 0, 2, 4\nOption 13: 4, 4, 4, 4, 4\nOption 14: 0, 1, 2, 3, 4",
        "You run the night shift in a hospital pharmacy, and a ward orders a drug.",
        "Donaudampfschifffahrtsgesellschaftskapitäne grüßen höflich zurück.",
        "你会选择哪一个选项？请只回答数字。",
        "Какой вариант вам ближе всего? Ответьте одним числом.",
    ],
)
def test_real_tokenizers_count_within_the_estimate(name, text):
    pytest.importorskip("tiktoken")
    counted = runpy.run_path(str(ROOT / "benchmarks/tokens.py"))["tokenizers"]()[name](text)
    assert tokens(text).low <= counted <= tokens(text).high


COMMON = """openai/gpt-4o openai/gpt-4o-mini openai/o3 anthropic/claude-sonnet-4-5
gemini/gemini-2.5-pro vertex_ai/gemini-2.5-pro deepseek/deepseek-chat mistral/mistral-large-latest
together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo cohere/command-a-03-2025 azure/gpt-4o"""


@pytest.mark.parametrize("model", COMMON.split())
def test_common_models_have_prices(model):
    assert min(listed_prices(model)) > 0


@pytest.mark.parametrize("model", ["hosted_vllm/gpt-4o", "nosuch/whatever", "openai/gpt-nosuch"])
def test_a_name_of_another_provider_has_no_price(model):
    assert listed_prices(model) is None


def test_what_is_known_to_reason():
    assert may_reason("openai/o3")
    assert not may_reason("openai/gpt-4o")
    assert may_reason("openai/gpt-nosuch")


def test_another_address_has_no_listed_price():
    assert prices_of({"llm": "openai/gpt-4o", "api_base": "http://127.0.0.1:9"}) is None


def test_unknown_is_not_zero_and_is_named_in_the_total():
    (found,) = estimates.count([part()], {})
    left = estimates.estimate(found.left, Asked("m", None, {"max_tokens": 10}), False)
    costs = Costs([found], left, left, "words and max_tokens")
    table = cost_table(
        [
            cost_row("priced", "psm", "llm", costs, Prices(1, 4, "config")),
            cost_row("strange", "psm", "llm", costs, None),
            free_row("random", "psm", "simulated", 161),
        ]
    )
    strange = table.row(by_predicate=pl.col("model") == "strange", named=True)
    assert (strange["usd_low"], strange["usd_high"], strange["price_source"]) == (
        None,
        None,
        "unknown",
    )
    text = shown(table)
    assert "something of theirs is unknown: strange." in text
    assert "1 simulated or recorded respondents cost nothing." in text


def test_a_kept_reply_of_unknown_cost_leaves_what_is_spent_unknown():
    paid = [*replies(2), replies(1)[0]._replace(cost_usd=None)]
    found = estimates.Count(3, 3, paid, None)
    costs = Costs([found], estimates.NONE_LEFT, estimates.NONE_LEFT, "")
    row = cost_row("m", "psm", "llm", costs, Prices(1, 1, "config"))
    assert (row["paid_calls"], row["spent_known_calls"], row["spent_usd"]) == (3, 2, None)


def local(provider, name, **more):
    return {
        "llm": f"openai/{name}",
        "api_base": provider.base,
        "params": {"temperature": 1, "max_tokens": 32},
        "prices": {"input": 1, "output": 4},
        "key_env": "RATIONALE_TEST_KEY",
        **more,
    }


def test_the_target_makes_no_call_and_needs_no_key(tmp_path):
    with LocalProvider(lambda request: Response("Option 1")) as provider:
        config = simulated(one=local(provider, "one"), random={"simulated": "random"})
        write_project(tmp_path, config)
        done = run(tmp_path, "--", "cost")
    assert done.returncode == 0, done.stdout
    assert provider.requests == []
    one, free = table_of(tmp_path)
    # Two statements: four corners at three prices, and the open round.
    assert (one["prompts"], one["calls_low"], one["calls_high"]) == (13, 13, 39)
    assert one["spent_usd"] == 0 < one["usd_low"] < one["usd_high"]
    assert (free["respondent"], free["usd_high"]) == ("simulated", 0)
    assert "USD left" in done.stdout


def tokenized(request, text):
    """What a provider would count, by a tokenizer of OpenAI's."""
    count = tokenized.count
    return {
        "prompt_tokens": sum(count(m["content"]) + 4 for m in request.messages) + 3,
        "completion_tokens": count(text) + 1,
    }


def moral_words(request):
    """Always the first action, in the form that is asked for."""
    if "letter A or B" in request.words:
        return "A"
    if "yes or no" in request.words:
        return "Yes"
    return next(line[2:] for line in request.words.splitlines() if line.startswith("- "))


def provider_script(seen):
    """Replies of a steady respondent, 5 % of the priced survey's unreadable, with real counts."""
    names = {"one": "one", "two": "two"}

    def script(request):
        if "Option" not in request.words and "statements" not in request.words:
            text = moral_words(request)
        else:
            seen[request.digest] += 1
            mumbled = chance("mumble", request.digest, seen[request.digest]) < 0.05
            text = "It depends: Option 3 or 8." if mumbled else words(request, names)
        return Response(text, usage=tokenized(request, text))

    return script


@pytest.mark.slow
def test_what_is_spent_lies_within_the_estimate(tmp_path):
    """Estimate, ask, estimate again with a form more, ask: each time within the printed range."""
    pytest.importorskip("tiktoken")
    tokenized.count = runpy.run_path(str(ROOT / "benchmarks/tokens.py"))["tokenizers"]()["o200k"]
    scenarios = pl.read_csv(ROOT / "resources/moralchoice/scenarios.csv")
    pl.concat([scenarios.head(3), scenarios.tail(3)]).write_csv(tmp_path / "six.csv")

    def project(provider, forms):
        config = {
            "seed": 3,
            "studies": ["psm", "moralchoice"],
            "models": {"one": local(provider, "one")},
            "asking": {"block_size": 160},
            "psm": {"forms": forms, "null_draws": 99},
            "moralchoice": {
                "scenarios": "six.csv",
                "forms": ["ab"],
                "samples": {"low": 1, "high": 2},
                "bootstrap": 99,
            },
        }
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")

    def asks(forms):
        """The targets that need every reply, and none of the analysis."""
        priced = [f"results/psm/one/{form}/choices.parquet" for form in forms]
        return ["--", *priced, "results/moralchoice/one/readings.parquet"]

    def cost():
        done = run(tmp_path, "--", "cost")
        assert done.returncode == 0, done.stdout
        print(done.stdout[done.stdout.index("model   ") :].split("\n[")[0])
        return {(row["model"], row["study"]): row for row in table_of(tmp_path)}

    with LocalProvider(provider_script(Counter())) as provider:
        spent = Counter()
        for forms in (["listed"], ["listed", "shuffled"]):
            project(provider, forms)
            before, calls = cost(), len(provider.requests)
            done = run(tmp_path, *asks(forms), env={"RATIONALE_TEST_KEY": "marked-1234567890"})
            assert done.returncode == 0, done.stdout
            made, after = len(provider.requests) - calls, cost()
            assert sum(row["calls_low"] for row in before.values()) <= made
            assert made <= sum(row["calls_high"] for row in before.values())
            for name, row in after.items():
                paid = row["spent_usd"] - spent[name]
                assert before[name]["usd_low"] <= paid <= before[name]["usd_high"], (name, paid)
                assert row["whole_usd_low"] <= row["spent_usd"] <= row["whole_usd_high"]
                assert (row["calls_high"], row["usd_high"]) == (0, 0)
                spent[name] = row["spent_usd"]
    assert before["one", "psm"]["tokens_from"] == "its own prompts and its own replies"
    assert sum(row["paid_calls"] for row in after.values()) == len(provider.requests)


@pytest.mark.slow
def test_what_steer_spends_lies_within_the_estimate(tmp_path):
    """A form of letters; then, behind its replies, reasons in a turn of their own, and examples.

    Drawn and published questions, in several blocks, for a model whose context is soon full.
    """
    pytest.importorskip("tiktoken")
    tokenized.count = runpy.run_path(str(ROOT / "benchmarks/tokens.py"))["tokenizers"]()["o200k"]

    def script(request):
        found = answer(request)
        return replace(found, usage=tokenized(request, found.text))

    def cost():
        done = run(tmp_path, "--", "cost")
        assert done.returncode == 0, done.stdout
        print(done.stdout[done.stdout.index("model   ") :].split("\n[")[0])
        return table_of(tmp_path)[0]

    spent = 0
    (tmp_path / "elements/add_sub").mkdir(parents=True)
    for name, table in TABLES.items():
        pl.DataFrame(table).write_csv(tmp_path / f"elements/add_sub/{name}.csv")
    with LocalProvider(script) as provider:
        for forms in (["plain"], ["plain", "apart", "shots-2"]):
            one = local(provider, "one", params={"max_tokens": 64}, context_tokens=300)
            write_config(tmp_path, {"one": one}, forms, published="elements")
            before, calls = cost(), len(provider.requests)
            done = run(tmp_path, "results/steer/one/graded.parquet", env=KEY)
            assert done.returncode == 0, done.stdout
            made, after = len(provider.requests) - calls, cost()
            assert before["calls_low"] == made == before["calls_high"]
            assert before["usd_low"] <= after["spent_usd"] - spent <= before["usd_high"]
            assert (after["calls_high"], after["answered"]) == (0, after["prompts"])
            spent = after["spent_usd"]
            print(f"{made} calls, {spent:.6f} USD spent")
    assert before["calls_low"] > before["prompts"] - before["answered"]
    assert (after["paid_calls"], provider.finished.total()) == (len(provider.requests),) * 2
    assert after["whole_usd_low"] <= spent <= after["whole_usd_high"]
