"""What is still to be asked, and what it may cost; what the journal holds is paid and counted so.

No call is made. A prompt is looked up in the journal by the key that it would be asked under, so
that what is left is exact; only the tokens of calls to come are an estimate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rationale.asking.journal import entries
from rationale.asking.prompts import Prompt
from rationale.asking.tokens import NOTHING, Span, longest_reply, prompt_tokens, tokens
from rationale.config import canonical
from rationale.respondents.base import Asked

# With fewer replies a model's own tokens tell too little.
ENOUGH_CALLS = 20
_TAILS = (0.05, 0.95)


class Turn(NamedTuple):
    """A turn of a prompt: a ``name`` for all words up to it, and the tokens of those that are known.

    ``shortest`` are the tokens of the shortest reply.
    """

    name: bytes
    prompt: Span
    shortest: float


class Question(NamedTuple):
    """A prompt ready to be looked up and counted; ``first`` is its first call as in its key."""

    prompt: Prompt
    first: bytes
    sample: bytes
    turns: tuple[Turn, ...]


class Questions:
    """Questions, each call once; ``elsewhere`` names the turns that are counted in other questions.

    ``own`` are the places of the turns that are counted here, by question. ``sizes`` is (n, 3), a row
    such a turn: prompt low and high, shortest reply; tokens. ``turns`` (n,) are their places.
    """

    def __init__(self, found: Iterable[Question], elsewhere: Collection[bytes] = ()):
        self.names = set(elsewhere)
        self.listed: list[Question] = []
        self.own: list[tuple[int, ...]] = []
        for one in found:
            if one.turns[-1].name not in self.names:
                new = (turn.name not in self.names for turn in one.turns)
                self.own.append(tuple(place for place, is_new in enumerate(new) if is_new))
                self.listed.append(one)
                self.names.update(turn.name for turn in one.turns)
        rows = [
            (place, *_size(one.turns[place]))
            for one, places in zip(self.listed, self.own, strict=True)
            for place in places
        ]
        self.turns = np.array([row[0] for row in rows], dtype=int)
        self.sizes = np.array([row[1:] for row in rows], dtype=float).reshape(-1, 3)

    def without(self, names: Collection[bytes]) -> Questions:
        """Those with a turn that is not among ``names``."""
        if not names or self.names.isdisjoint(names):
            return self
        return Questions(self.listed, names)


def _size(turn: Turn) -> tuple[float, float | None, float]:
    return turn.prompt.low, turn.prompt.high, turn.shortest


class Part(NamedTuple):
    """Questions under one set of parameters. ``status`` reads replies: (expected, a text a turn)."""

    asked: Asked
    questions: Questions
    attempts: int
    status: Callable[[str, list[str]], str]


class Kept(NamedTuple):
    """What an estimate needs of a call in the journal; ``size`` is its prompt's high count."""

    study: str
    form: str
    turn: int
    params: str
    size: float
    text: str
    finish_reason: str | None
    filtered: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None


class Left(NamedTuple):
    """m turns to be put: their ``sizes`` (m, 3), and ``calls`` (m, 2) at the least and most.

    ``turns`` (m,) are their places in the conversation, ``known`` (m,) how many replies before them
    are known: the words of the others are not in ``sizes``.
    """

    sizes: np.ndarray
    calls: np.ndarray
    turns: np.ndarray
    known: np.ndarray


class Count(NamedTuple):
    """What of a part is settled (``answered`` questions by the calls ``paid``), and what is left."""

    questions: int
    answered: int
    paid: list[Kept]
    left: Left


class Observed(NamedTuple):
    """What a model's own replies show: prompt tokens by ``size``, completion tokens a call."""

    prompt: Span | None = None
    completion: Span | None = None
    reasoning: Span | None = None


class Estimate(NamedTuple):
    """Calls and tokens; ``reasoning`` is a part of ``completion``, None when nothing tells."""

    calls: Span
    prompt: Span
    completion: Span
    reasoning: Span | None


NONE_LEFT = Estimate(NOTHING, NOTHING, NOTHING, NOTHING)


def questions(prompts: Iterable[Prompt], shortest: Callable[[str], str]) -> Questions:
    """Prompts ready to be counted; ``shortest`` gives the shortest reply that answers one.

    Before the last turn any word may be a reply. The words of replies are no part of a later
    turn's size.
    """
    return Questions(_question(prompt, shortest) for prompt in prompts)


def _question(prompt: Prompt, shortest: Callable[[str], str]) -> Question:
    first, size = _messages(prompt.system, prompt.turns[0])
    sample, last = b"%d" % prompt.sample, max(1.0, tokens(shortest(prompt.reply)).low)
    if len(prompt.turns) == 1:
        return Question(prompt, first, sample, (Turn(sample + first, size, last),))
    turns = []
    for place in range(len(prompt.turns)):
        messages = _conversation(prompt, [""] * place)
        size = prompt_tokens(messages)
        name = sample + canonical(messages).encode()
        turns.append(Turn(name, size, last if place + 1 == len(prompt.turns) else 1.0))
    return Question(prompt, first, sample, tuple(turns))


@lru_cache(maxsize=65_536)
def _messages(system: str | None, words: str) -> tuple[bytes, Span]:
    messages = _conversation(Prompt("", (words,), system=system), [])
    return canonical(messages).encode(), prompt_tokens(messages)


def _conversation(prompt: Prompt, texts: Sequence[str]) -> list[dict[str, str]]:
    """The messages of the call that follows these replies."""
    messages = [] if prompt.system is None else [{"role": "system", "content": prompt.system}]
    for words, text in zip(prompt.turns, texts, strict=False):
        messages.append({"role": "user", "content": words})
        messages.append({"role": "assistant", "content": text})
    return [*messages, {"role": "user", "content": prompt.turns[len(texts)]}]


def keys(
    asked: Asked, listed: Iterable[Question], attempt: int, texts: Sequence[str] = ()
) -> Iterator[str]:
    """The key of each question at an attempt, after these replies: that of `Call`, made faster."""
    base, model, params = map(canonical, (asked.api_base, asked.model, dict(asked.params)))
    head = f'{{"api_base":{base},"attempt":{attempt},"messages":'.encode()
    middle = f',"model":{model},"params":{params},"sample":'.encode()
    for one in listed:
        messages = one.first
        if texts:
            messages = canonical(_conversation(one.prompt, texts)).encode()
        whole = b"".join((head, messages, middle, one.sample, b"}"))
        yield hashlib.sha256(whole).hexdigest()


def kept_calls(journals: Path, identity: str) -> dict[str, Kept]:
    """Every call in the journal of a model, under whatever slug, by its key.

    Raises JournalError for a line that was changed after it was written.
    """
    found: dict[str, Kept] = {}
    for path in sorted(journals.glob(f"*/{identity}-*.jsonl")):
        for key, call in entries(path):
            found.setdefault(key, _kept(call))
    return found


def _kept(call: Mapping[str, Any]) -> Kept:
    reply, request = call["reply"], call["request"]
    return Kept(
        call["study"],
        call["form"],
        call["turn"],
        canonical(request["params"]),
        prompt_tokens(request["messages"]).high,
        reply["text"],
        reply["finish_reason"],
        call["filtered"],
        reply["prompt_tokens"],
        reply["completion_tokens"],
        reply["reasoning_tokens"],
        reply["cost_usd"],
    )


def count(parts: Iterable[Part], kept: Mapping[str, Kept]) -> list[Count]:
    """For each part what is settled and what is left; a call that two parts share counts once."""
    seen: dict[str, set[bytes]] = {}
    found = []
    for part in parts:
        asked = canonical([part.asked.api_base, part.asked.model, dict(part.asked.params)])
        before = seen.setdefault(asked, set())
        new = part._replace(questions=part.questions.without(before))
        before.update(new.questions.names)
        found.append(_count(new, kept) if kept else _untouched(new))
    return found


def _untouched(part: Part) -> Count:
    turns, sizes = part.questions.turns, part.questions.sizes
    calls = np.tile([1.0, part.attempts], (len(turns), 1))
    left = Left(sizes, calls, turns, np.zeros(len(turns), dtype=int))
    return Count(len(part.questions.listed), 0, [], left)


def _count(part: Part, kept: Mapping[str, Kept]) -> Count:
    listed = part.questions.listed
    paid: list[Kept] = []
    rows: list[tuple] = []
    answered = 0
    firsts = keys(part.asked, listed, 1)
    for one, own, first in zip(listed, part.questions.own, firsts, strict=True):
        made, final = _made(part, one, first, kept)
        paid += [attempt[place] for attempt in made for place in own if place < len(attempt)]
        answered += final
        if not final:
            rows += _rows(one, own, made, part.attempts)
    return Count(len(listed), answered, paid, _left(rows))


def _rows(
    question: Question, own: Sequence[int], made: Sequence[Sequence[Kept]], attempts: int
) -> Iterator[tuple]:
    """What is left of a question: sizes, calls, turn, known replies. Attempts to come know none."""
    under_way = made and len(made[-1]) < len(question.turns)
    known = len(made[-1]) if under_way else 0
    more = attempts - len(made) if under_way else attempts - len(made) - 1
    texts = [call.text for call in made[-1]] if under_way else []
    for place in own:
        low, high, shortest = _size(question.turns[place])
        if place >= known:
            said = [tokens(text) for text in texts]
            low, high = low + sum(one.low for one in said), high + sum(one.high for one in said)
            yield low, high, shortest, 1.0, 1.0 if known else 1.0 + more, place, known
        if known and more:
            yield *_size(question.turns[place]), 0.0, float(more), place, 0


def _left(rows: Sequence[tuple]) -> Left:
    table = np.array(rows, dtype=float).reshape(-1, 7)
    turns, known = table[:, 5].astype(int), table[:, 6].astype(int)
    return Left(table[:, :3], table[:, 3:5], turns, known)


def _made(
    part: Part, question: Question, first: str, kept: Mapping[str, Kept]
) -> tuple[list[list[Kept]], bool]:
    """The attempts in the journal, a call a turn, and whether no other call follows.

    As asking itself goes on: the last attempt may lack turns.
    """
    made: list[list[Kept]] = []
    for attempt in range(1, part.attempts + 1):
        calls: list[Kept] = []
        while len(calls) < len(question.turns) and not (calls and _filtered(calls[-1])):
            key = first
            if attempt > 1 or calls:
                texts = [call.text for call in calls]
                key = next(keys(part.asked, [question], attempt, texts))
            if key not in kept:
                return [*made, calls] if calls else made, False
            calls.append(kept[key])
        made.append(calls)
        if attempt == part.attempts or _final(part, question, calls):
            break
    return made, True


def _filtered(call: Kept) -> bool:
    return call.filtered or call.finish_reason == "content_filter"


def _final(part: Part, question: Question, calls: Sequence[Kept]) -> bool:
    return _filtered(calls[-1]) or _answers(part, question, calls)


def _answers(part: Part, question: Question, calls: Sequence[Kept]) -> bool:
    if any(_filtered(call) or call.finish_reason == "length" for call in calls):
        return False
    return part.status(question.prompt.reply, [call.text for call in calls]) == "answered"


def readable(part: Part, question: Question, kept: Mapping[str, Kept]) -> str | None:
    """The last words of the attempt in the journal that answers a question, or None."""
    made, _ = _made(part, question, next(keys(part.asked, [question], 1)), kept)
    for calls in made:
        if len(calls) == len(question.turns) and _answers(part, question, calls):
            return calls[-1].text
    return None


def observe(
    kept: Iterable[Kept],
    study: str,
    params: Mapping[str, Any],
    forms: Collection[str] | None = None,
    turn: int = 0,
) -> Observed:
    """What a model's calls in a study show, where there are ENOUGH_CALLS.

    5 % and 95 % quantiles. Completions count under the very same parameters only: they may say how
    long to think; and, where ``forms`` are named, of this turn in one of them. The mean lies within,
    so that a few long replies are not left out of the sum.
    """
    calls, asked = [one for one in kept if one.study == study], canonical(dict(params))
    same = [one for one in calls if one.params == asked]
    if forms is not None:
        same = [one for one in same if one.form in forms and one.turn == turn]
    ratios = [one.prompt_tokens / one.size for one in calls if one.prompt_tokens is not None]
    return Observed(
        _quantiles(ratios),
        _quantiles([one.completion_tokens for one in same]),
        _quantiles([one.reasoning_tokens for one in same]),
    )


def _quantiles(values: Sequence[float | None]) -> Span | None:
    known = [value for value in values if value is not None]
    if len(known) < ENOUGH_CALLS:
        return None
    low, high = np.quantile(known, _TAILS)
    mean = float(np.mean(known))
    return Span(min(float(low), mean), max(float(high), mean))


def estimate(left: Left, asked: Asked, may_reason: bool, *observed: Observed) -> Estimate:
    """Calls and tokens of what is left of a part; ``observed`` is what was seen of each turn.

    Without it: prompts by their words, completions from the shortest reply that is an answer to all
    that ``max_tokens`` allows, of which all but the answer may be reasoning. The prompt of a later
    turn holds the replies before it: as long as what is known of them, else as completions are.
    """
    most = longest_reply(asked.params)
    found, replies = [], []
    for turn in range(int(left.turns.max(initial=-1)) + 1):
        seen = observed[turn] if turn < len(observed) else Observed()
        rows = left.turns == turn
        found.append(
            _of_turn(Left(*(values[rows] for values in left)), replies, most, may_reason, seen)
        )
        replies.append(_repeated(seen, most, may_reason))
    return together(found)


def _repeated(seen: Observed, most: int | None, may_reason: bool) -> Span:
    """The tokens of a reply as a later prompt holds it: thoughts are not among them."""
    if seen.completion is None:
        return Span(0.0, most)
    return Span(0.0 if may_reason else seen.completion.low, seen.completion.high)


def _of_turn(
    left: Left, replies: Sequence[Span], most: int | None, may_reason: bool, seen: Observed
) -> Estimate:
    if not len(left.calls):
        return NONE_LEFT
    sizes, calls = left.sizes, left.calls
    total = Span(*map(float, calls.sum(axis=0)))
    prompt = Span(float(sizes[:, 0] @ calls[:, 0]), float(sizes[:, 1] @ calls[:, 1]))
    if seen.prompt is not None:
        prompt = seen.prompt.times(Span(float(sizes[:, 1] @ calls[:, 0]), prompt.high))
    for place, reply in enumerate(replies):
        unknown = calls[left.known <= place].sum(axis=0)
        prompt = prompt.plus(reply.times(Span(*map(float, unknown))))
    shortest = float(sizes[:, 2] @ calls[:, 0])
    completion = Span(shortest, None if most is None else max(shortest, most * total.high))
    reasoning = Span(0.0, completion.high) if may_reason else NOTHING
    if seen.completion is not None:
        completion = seen.completion.times(total)
        reasoning = None if seen.reasoning is None else seen.reasoning.times(total)
    return Estimate(total, prompt, completion, reasoning)


def together(estimates: Iterable[Estimate]) -> Estimate:
    """The sum of estimates."""
    whole = NONE_LEFT
    for one in estimates:
        known = whole.reasoning is not None and one.reasoning is not None
        whole = Estimate(
            whole.calls.plus(one.calls),
            whole.prompt.plus(one.prompt),
            whole.completion.plus(one.completion),
            whole.reasoning.plus(one.reasoning) if known else None,
        )
    return whole
