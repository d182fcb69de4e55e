"""Asking: attempts, statuses, turns, samples, and never twice for what the journal holds."""

import asyncio
import json

import pytest
from helpers import Scripted, ask, asking

from rationale.asking.answers import to_table
from rationale.asking.ask import Stopped
from rationale.asking.patience import Patience
from rationale.asking.prompts import Prompt, from_table
from rationale.asking.prompts import to_table as prompts_table
from rationale.respondents.base import Denied, Filtered, Passing, Rejected, Reply

ONE = Prompt("r001", ("hello",))


def statuses(answers):
    return [answer.status for answer in answers]


def test_an_answer_ends_the_attempts(tmp_path):
    assert statuses(ask(Scripted(lambda call: "yes"), tmp_path, [ONE])) == ["answered"]


def test_an_unreadable_reply_is_asked_for_again(tmp_path):
    second = Scripted(lambda call: "yes" if call.attempt == 2 else "hm")
    assert statuses(ask(second, tmp_path, [ONE])) == ["invalid", "answered"]


def test_three_attempts_in_all_by_default(tmp_path):
    answers = ask(Scripted(lambda call: "no"), tmp_path, [ONE])
    assert statuses(answers) == ["refused"] * 3
    assert [answer.attempt for answer in answers] == [1, 2, 3]


def test_a_reply_cut_off_by_length_is_truncated_even_when_readable(tmp_path):
    cut = Scripted(lambda call: Reply("yes", finish_reason="length"))
    assert statuses(ask(cut, tmp_path, [ONE], attempts=1)) == ["truncated"]


def test_a_content_filter_is_a_refusal_and_is_not_repeated(tmp_path):
    filtered = Scripted(lambda call: Filtered("policy"))
    (answer,) = ask(filtered, tmp_path, [ONE])
    assert (answer.status, answer.finish_reason) == ("refused", "content_filter")
    assert len(filtered.calls) == 1


def test_a_content_filter_is_kept_and_not_asked_again(tmp_path):
    ask(Scripted(lambda call: Filtered("policy")), tmp_path, [ONE])
    again = Scripted(lambda call: "yes")
    assert statuses(ask(again, tmp_path, [ONE])) == ["refused"]
    assert again.calls == []


def test_a_rejected_call_is_an_error_row_and_the_others_go_on(tmp_path):
    def script(call):
        return Rejected("too long") if call.prompt_id == "r001" else "yes"

    answers = ask(Scripted(script), tmp_path, [ONE, Prompt("r002", ("other",))])
    assert statuses(answers) == ["error", "answered"]
    assert answers[0].error == "too long"


def test_ten_rejections_in_a_row_stop_the_job(tmp_path):
    respondent = Scripted(lambda call: Rejected("bad parameter"))
    prompts = [Prompt(f"r{n:03d}", (str(n),)) for n in range(50)]
    with pytest.raises(Stopped, match="10 calls in a row were rejected; the last: bad parameter"):
        ask(respondent, tmp_path, prompts, concurrency=1)
    assert len(respondent.calls) == 10


def test_a_denied_call_stops_the_job_and_keeps_what_was_answered(tmp_path):
    def script(call):
        return Denied("wrong key") if call.prompt_id == "r002" else "yes"

    prompts = [Prompt(f"r{n:03d}", (str(n),)) for n in range(6)]
    with pytest.raises(Denied, match="wrong key"):
        ask(Scripted(script), tmp_path, prompts, concurrency=1)
    again = Scripted(lambda call: "yes")
    ask(again, tmp_path, prompts)
    assert sorted(call.prompt_id for call in again.calls) == ["r002", "r003", "r004", "r005"]


def test_a_second_run_asks_nothing(tmp_path):
    first = ask(Scripted(lambda call: "yes" if call.attempt == 3 else "hm"), tmp_path, [ONE])
    again = Scripted(lambda call: "other")
    second = ask(again, tmp_path, [ONE])
    assert again.calls == []
    assert to_table(first).equals(to_table(second))


def test_a_third_attempt_is_asked_when_attempts_grow(tmp_path):
    ask(Scripted(lambda call: "hm"), tmp_path, [ONE], attempts=2)
    more = Scripted(lambda call: "yes")
    assert statuses(ask(more, tmp_path, [ONE], attempts=3)) == ["invalid", "invalid", "answered"]
    assert [call.attempt for call in more.calls] == [3]


def test_a_better_reader_costs_no_call(tmp_path):
    ask(Scripted(lambda call: "aye"), tmp_path, [ONE])
    again = Scripted(lambda call: "never asked")
    read = ask(again, tmp_path, [ONE], reader=lambda prompt, texts: "answered")
    assert statuses(read) == ["answered"]
    assert again.calls == []


def test_another_sample_of_the_same_words_is_another_call(tmp_path):
    respondent = Scripted(lambda call: "yes")
    ask(respondent, tmp_path, [ONE, Prompt("r001", ("hello",), sample=1)])
    assert len(respondent.calls) == 2


def test_equal_calls_under_way_at_once_are_made_once(tmp_path):
    respondent = Scripted(lambda call: "yes")
    answers = ask(respondent, tmp_path, [ONE, Prompt("r002", ("hello",))])
    assert statuses(answers) == ["answered", "answered"]
    assert len(respondent.calls) == 1


def test_turns_are_one_conversation_with_the_system_text_first(tmp_path):
    respondent = Scripted(lambda call: "thinking" if call.turn == 0 else "yes")
    (answer,) = ask(respondent, tmp_path, [Prompt("q", ("think", "choose"), system="be brief")])
    assert answer.text == ["thinking", "yes"]
    assert [m["content"] for m in respondent.calls[1].messages] == [
        "be brief",
        "think",
        "thinking",
        "choose",
    ]
    assert [m["role"] for m in respondent.calls[1].messages] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


def test_a_conversation_broken_off_goes_on_from_its_kept_turn(tmp_path):
    def script(call):
        return Denied("gone") if call.turn == 1 else "thinking"

    with pytest.raises(Denied):
        ask(Scripted(script), tmp_path, [Prompt("q", ("think", "choose"))])
    rest = Scripted(lambda call: "yes")
    ask(rest, tmp_path, [Prompt("q", ("think", "choose"))])
    assert [call.turn for call in rest.calls] == [1]


def test_tokens_and_cost_are_sums_over_turns(tmp_path):
    reply = Reply("yes", prompt_tokens=10, completion_tokens=2, cost_usd=0.5)
    (answer,) = ask(Scripted(lambda call: reply), tmp_path, [Prompt("q", ("a", "b"))])
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cost_usd) == (20, 4, 1.0)


def test_an_unknown_cost_stays_unknown(tmp_path):
    replies = iter([Reply("yes", cost_usd=0.5), Reply("yes", cost_usd=None)])
    (answer,) = ask(Scripted(lambda call: next(replies)), tmp_path, [Prompt("q", ("a", "b"))])
    assert answer.cost_usd is None


def test_log_probabilities_survive_the_journal_and_the_table(tmp_path):
    scored = [{"token": "A", "logprob": -0.1, "top": [{"token": "B", "logprob": -2.5}]}]
    respondent = Scripted(lambda call: Reply("yes", logprobs=scored))
    ask(respondent, tmp_path, [ONE])
    table = to_table(ask(respondent, tmp_path, [ONE]))
    assert table["logprobs"].to_list() == [[scored]]


def test_no_log_probabilities_are_null_and_not_zero(tmp_path):
    table = to_table(ask(Scripted(lambda call: "yes"), tmp_path, [ONE]))
    assert table["logprobs"].to_list() == [None]


def test_parameters_asked_sent_and_dropped_are_told_apart(tmp_path):
    respondent = Scripted(lambda call: Reply("yes", dropped=("temperature",)))
    (answer,) = ask(respondent, tmp_path, [ONE])
    assert json.loads(answer.params_asked) == {"temperature": 0}
    assert json.loads(answer.params_sent) == {}
    assert json.loads(answer.params_dropped) == {"temperature": 0}


def test_a_passing_error_is_sent_again_and_leaves_no_trace(tmp_path, no_wait):
    def script(call):
        return Passing("busy") if len(respondent.calls) < 3 else "yes"

    respondent = Scripted(script)
    (answer,) = ask(respondent, tmp_path, [ONE])
    assert (answer.status, len(respondent.calls)) == ("answered", 3)


def test_a_passing_error_that_stays_is_an_error_row(tmp_path, no_wait):
    respondent = Scripted(lambda call: Passing("out of reach"))
    (answer,) = ask(respondent, tmp_path, [ONE], patience=Patience(tries=4))
    assert answer.status == "error"
    assert answer.error.startswith("out of reach (sent 4 times")
    assert len(respondent.calls) == 4


def test_waiting_ends_when_its_time_is_up(tmp_path, no_wait):
    respondent = Scripted(lambda call: Passing("busy", retry_after=100))
    ask(respondent, tmp_path, [ONE], patience=Patience(tries=50, max_wait_s=350))
    assert len(respondent.calls) == 4


def test_a_provider_that_is_away_for_a_minute_is_sat_out(tmp_path, no_wait):
    """Seven waits of at most 1, 2, 4, 8, 16, 32 and 60 s, none under half of that: 61.5 to 123 s."""
    ask(Scripted(lambda call: Passing("out of reach")), tmp_path, [ONE])
    assert 61.5 <= sum(no_wait) <= 123


def test_retry_after_is_waited_for(tmp_path, no_wait):
    def script(call):
        return Passing("busy", retry_after=7) if len(respondent.calls) < 2 else "yes"

    respondent = Scripted(script)
    ask(respondent, tmp_path, [ONE])
    assert 7 <= sum(no_wait) <= 9


def test_no_more_calls_are_in_flight_than_allowed(tmp_path):
    class Slow(Scripted):
        now = most = 0

        async def reply(self, call):
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.002)
            self.now -= 1
            return Reply("yes")

    respondent = Slow(lambda call: "yes")
    ask(respondent, tmp_path, [Prompt(f"r{n}", (str(n),)) for n in range(40)], concurrency=5)
    assert respondent.most == 5


def test_answers_come_in_the_order_of_the_prompts(tmp_path):
    class Uneven(Scripted):
        async def reply(self, call):
            await asyncio.sleep(0.01 if call.prompt_id == "r0" else 0)
            return Reply("yes")

    prompts = [Prompt(f"r{n}", (str(n),)) for n in range(5)]
    answers = ask(Uneven(lambda call: "yes"), tmp_path, prompts)
    assert [answer.prompt_id for answer in answers] == ["r0", "r1", "r2", "r3", "r4"]


def test_a_finish_reason_of_the_content_filter_is_not_repeated_either(tmp_path):
    filtered = Scripted(lambda call: Reply("", finish_reason="content_filter"))
    assert statuses(ask(filtered, tmp_path, [ONE])) == ["refused"]


def test_once_stopped_nothing_more_is_sent(tmp_path, no_wait):
    """One worker is denied while the others wait for their second try: they do not make it."""

    def script(call):
        return Denied("wrong key") if call.prompt_id == "r3" else Passing("busy")

    respondent = Scripted(script)
    prompts = [Prompt(f"r{n}", (str(n),)) for n in range(4)]
    with pytest.raises(Denied):
        ask(respondent, tmp_path, prompts, concurrency=4)
    assert len(respondent.calls) == 4


def test_a_log_that_cannot_be_written_abandons_no_call_in_flight(tmp_path):
    respondent = Scripted(lambda call: "yes")
    job = asking(respondent, tmp_path, concurrency=4)
    told = iter([OSError(28, "No space left on device")])

    def full():
        for error in told:
            raise error

    job.progress.prompt = full
    with pytest.raises(OSError, match="No space left"):
        asyncio.run(job.ask([Prompt(f"r{n}", (str(n),)) for n in range(4)]))
    assert len(job.journal) == len(respondent.calls)


def test_a_journal_that_cannot_be_opened_stops_before_a_paid_call(tmp_path):
    respondent = Scripted(lambda call: "yes")
    (tmp_path / "someone").write_text("a file where the folder should be")
    with pytest.raises(RuntimeError, match="no journal can be written there"):
        ask(respondent, tmp_path, [ONE])
    assert respondent.calls == []


def test_a_full_disk_stops_asking_before_the_next_call(tmp_path):
    respondent = Scripted(lambda call: "yes")
    job = asking(respondent, tmp_path)
    job.journal.min_free = 1e18
    with pytest.raises(RuntimeError, match="min_free_mb"):
        asyncio.run(job.ask([ONE]))
    assert respondent.calls == []


def test_an_unexpected_error_is_not_swallowed(tmp_path):
    with pytest.raises(ZeroDivisionError):
        ask(Scripted(lambda call: 1 / 0), tmp_path, [ONE])


def test_prompts_survive_the_table():
    prompts = [Prompt("a", ("x", "y"), 2, "sys", '{"kind": "option"}'), Prompt("b", ("z",))]
    assert from_table(prompts_table(prompts)) == prompts


def test_twin_prompts_are_refused():
    with pytest.raises(ValueError, match=r"stand twice: \[\('r001', 0\)\]"):
        from_table(prompts_table([ONE, ONE]))


def test_a_prompt_without_a_turn_is_refused():
    with pytest.raises(ValueError, match="without a turn: q"):
        from_table(prompts_table([Prompt("q", ())]))
