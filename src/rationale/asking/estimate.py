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


class Question(NamedTuple):
    """A prompt ready to be looked up and counted: ``messages`` and ``sample`` as in its key."""

    messages: bytes
    sample: bytes
    reply: str
    prompt: Span
    shortest: float


class Questions:
    """Questions, each call once. ``sizes`` is (n, 3): prompt low and high, shortest reply; tokens."""

    def __init__(self, found: Iterable[Question]):
        self.by_name = {one.sample + one.messages: one for one in found}
        self.listed = list(self.by_name.values())
        self.sizes = np.array(
            [(one.prompt.low, one.prompt.high, one.shortest) for one in self.listed]
        ).reshape(-1, 3)

    def without(self, names: Collection[bytes]) -> Questions:
        """Those that are not among ``names``."""
        if not names or self.by_name.keys().isdisjoint(names):
            return self
        return Questions(one for name, one in self.by_name.items() if name not in names)


class Part(NamedTuple):
    """Questions under one set of parameters. ``status`` reads a reply: (expected, text)."""

    asked: Asked
    questions: Questions
    attempts: int
    status: Callable[[str, str], str]


class Kept(NamedTuple):
    """What an estimate needs of a call in the journal; ``size`` is its prompt's high count."""

    study: str
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
    """m questions to be put: their ``sizes`` (m, 3), and ``calls`` (m, 2) at the least and most."""

    sizes: np.ndarray
    calls: np.ndarray


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

    Raises ValueError for a prompt of several turns: the later ones depend on replies.
    """
    return Questions(_question(prompt, shortest) for prompt in prompts)


def _question(prompt: Prompt, shortest: Callable[[str], str]) -> Question:
    if len(prompt.turns) != 1:
        raise ValueError(
            f"{prompt.prompt_id}: {len(prompt.turns)} turns; only one can be estimated"
        )
    words, size = _messages(prompt.system, prompt.turns[0])
    low = max(1.0, tokens(shortest(prompt.reply)).low)
    return Question(words, b"%d" % prompt.sample, prompt.reply, size, low)


@lru_cache(maxsize=65_536)
def _messages(system: str | None, words: str) -> tuple[bytes, Span]:
    messages = [] if system is None else [{"role": "system", "content": system}]
    messages.append({"role": "user", "content": words})
    return canonical(messages).encode(), prompt_tokens(messages)


def keys(asked: Asked, listed: Iterable[Question], attempt: int) -> Iterator[str]:
    """The key of each question at an attempt: that of `Call`, without building its JSON anew."""
    base, model, params = map(canonical, (asked.api_base, asked.model, dict(asked.params)))
    head = f'{{"api_base":{base},"attempt":{attempt},"messages":'.encode()
    middle = f',"model":{model},"params":{params},"sample":'.encode()
    for one in listed:
        whole = b"".join((head, one.messages, middle, one.sample, b"}"))
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
        before.update(new.questions.by_name)
        found.append(_count(new, kept) if kept else _untouched(new))
    return found


def _untouched(part: Part) -> Count:
    number = len(part.questions.listed)
    calls = np.tile([1.0, part.attempts], (number, 1))
    return Count(number, 0, [], Left(part.questions.sizes, calls))


def _count(part: Part, kept: Mapping[str, Kept]) -> Count:
    listed = part.questions.listed
    paid: list[Kept] = []
    places, calls = [], []
    for place, first in enumerate(keys(part.asked, listed, 1)):
        made, final = _made(part, listed[place], first, kept)
        paid += made
        if not final:
            places.append(place)
            calls.append((1.0, part.attempts - len(made)))
    left = Left(part.questions.sizes[places], np.array(calls).reshape(-1, 2))
    return Count(len(listed), len(listed) - len(places), paid, left)


def _made(
    part: Part, question: Question, first: str, kept: Mapping[str, Kept]
) -> tuple[list[Kept], bool]:
    """The attempts in the journal, and whether no other follows: as asking itself would go on."""
    made: list[Kept] = []
    for attempt in range(1, part.attempts + 1):
        key = first if attempt == 1 else next(keys(part.asked, [question], attempt))
        if key not in kept:
            return made, False
        made.append(kept[key])
        if attempt == part.attempts or _final(part, question, kept[key]):
            break
    return made, True


def _final(part: Part, question: Question, call: Kept) -> bool:
    if call.filtered or call.finish_reason == "content_filter":
        return True
    return call.finish_reason != "length" and part.status(question.reply, call.text) == "answered"


def readable(part: Part, question: Question, kept: Mapping[str, Kept]) -> str | None:
    """The reply in the journal that answers a question, or None."""
    made, _ = _made(part, question, next(keys(part.asked, [question], 1)), kept)
    for call in made:
        cut_off = call.filtered or call.finish_reason in ("content_filter", "length")
        if not cut_off and part.status(question.reply, call.text) == "answered":
            return call.text
    return None


def observe(kept: Iterable[Kept], study: str, params: Mapping[str, Any]) -> Observed:
    """What a model's calls in a study show, where there are ENOUGH_CALLS.

    5 % and 95 % quantiles. Completions count under the very same parameters only: they may say how
    long to think. The mean lies within, so that a few long replies are not left out of the sum.
    """
    calls, asked = [one for one in kept if one.study == study], canonical(dict(params))
    same = [one for one in calls if one.params == asked]
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


def estimate(
    left: Left, asked: Asked, may_reason: bool, observed: Observed | None = None
) -> Estimate:
    """Calls and tokens of what is left of a part.

    Without ``observed``: prompts by their words, completions from the shortest reply that is an
    answer to all that ``max_tokens`` allows, of which all but the answer may be reasoning.
    """
    if not len(left.calls):
        return NONE_LEFT
    observed, (sizes, calls) = observed or Observed(), left
    total = Span(*map(float, calls.sum(axis=0)))
    most = longest_reply(asked.params)
    prompt = Span(float(sizes[:, 0] @ calls[:, 0]), float(sizes[:, 1] @ calls[:, 1]))
    if observed.prompt is not None:
        prompt = observed.prompt.times(Span(float(sizes[:, 1] @ calls[:, 0]), prompt.high))
    shortest = float(sizes[:, 2] @ calls[:, 0])
    completion = Span(shortest, None if most is None else max(shortest, most * total.high))
    reasoning = Span(0.0, completion.high) if may_reason else NOTHING
    if observed.completion is not None:
        completion = observed.completion.times(total)
        reasoning = None if observed.reasoning is None else observed.reasoning.times(total)
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
