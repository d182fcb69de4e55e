"""Never more than ``max_usd``: every call reserves the most that it can cost before it is sent.

What counts is all that the journal has ever paid for the models that share an amount, whatever run,
slug or study paid it, and what is in flight.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rationale.asking.journal import Journal
from rationale.asking.ledger import FOLDER, Allowance, Books, Ledger, Short
from rationale.asking.prices import Prices, prices_of
from rationale.asking.tokens import longest_reply
from rationale.config import identity_of
from rationale.respondents.base import Call, Denied, Passing, Reply

_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.05, 1.0
_LOOK_EVERY_S = 2.0
# What chat templates add, generously; it costs a fraction of a cent.
_TOKENS_A_MESSAGE, _TOKENS_A_CALL = 16, 128
_STOPS = "stops.txt"


class Reached(RuntimeError):
    """The next call may not fit what is left of an allowance (``short``); ``usd`` is its most."""

    def __init__(self, short: Short, usd: float):
        self.short, self.usd = short, usd
        allowance = short.allowance
        flight = f" ({money(short.reserved)} more in flight)" if short.reserved else ""
        super().__init__(
            f"the budget is reached: {allowance.setting} allows {allowance.max_usd:g} USD, "
            f"{money(short.paid)} are spent{flight}, and the next call may cost up to {money(usd)}"
        )


@dataclass(frozen=True)
class Stop:
    """A job that ended for its budget; ``usd`` is the call that did not fit, ``left`` its prompts."""

    model: str
    setting: str
    max_usd: float
    spent: float
    usd: float
    left: int


class Budget:
    """What one job may spend. It is opened at the first call: a full journal needs no price."""

    def __init__(
        self,
        slug: str,
        allowances: list[Allowance],
        models: Mapping[str, Mapping[str, Any]],
        journal: Journal,
    ):
        self._slug, self._spec, self._journal = slug, models[slug], journal
        self._allowances = allowances
        self._by_identity = {_identity(one): one for one in models.values()}
        self._folder = journal.folder.parent
        self._ledger: Ledger | None = None
        self._worse, self._looked = 1.0, float("-inf")

    async def pay(
        self, call: Call, ask: Callable[[Call], Awaitable[Reply]], stopped: Callable[[], bool]
    ) -> Reply | None:
        """The reply to a call that fits; None, and nothing sent, once ``stopped`` says so.

        Waits while calls in flight may turn out cheaper than what they reserved. Raises Reached when
        the call fits no more even so, Denied when prices are unknown, and what ``ask`` raises.
        """
        if self._ledger is None:
            self._open()
        usd, wait = self._most(call), _FIRST_WAIT_S
        while (short := self._ledger.reserve(usd)) is not None:
            if short.paid + usd > short.allowance.max_usd:
                raise Reached(short, usd)
            self._look_for_dead()
            await asyncio.sleep(wait * (0.5 + random.random()))
            wait = min(1.5 * wait, _LONGEST_WAIT_S)
            if stopped():
                return None
        paid = unsure = 0.0
        try:
            reply = await ask(call)
            paid = self._cost(reply, usd)
        except Passing as error:
            unsure = usd if error.unsure else 0.0
            raise
        finally:
            self._ledger.settle(usd, paid, unsure)
        return reply

    def note(self, reached: Reached, left: int) -> None:
        """Keep that a job stopped with so many prompts left, for other jobs and the run's end."""
        allowance, spent, _ = reached.short
        stop = Stop(self._slug, allowance.setting, allowance.max_usd, spent, reached.usd, left)
        line = json.dumps(asdict(stop)) + "\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        fd = os.open(self._folder / FOLDER / _STOPS, flags, 0o644)
        try:
            os.write(fd, line.encode())
        finally:
            os.close(fd)

    def close(self) -> None:
        """Give the row in the ledger back."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _open(self) -> None:
        books = Books(self._folder, recorded_cost, self._assumed)
        own = self._journal.path.relative_to(self._folder).as_posix()
        self._ledger = Ledger(self._folder / FOLDER, self._allowances, books.paid, own)
        self._end_like_others()
        self._prices = self._known_prices(self._spec, "No call was made.")

    def _end_like_others(self) -> None:
        """End at once where another job of the model did: litellm's prices take seconds to load."""
        for stop in _stops(self._folder):
            if stop.model == self._slug:
                short = self._ledger.reserve(stop.usd)
                if short is None:
                    self._ledger.settle(stop.usd, 0.0)
                elif short.paid + stop.usd > short.allowance.max_usd:
                    raise Reached(short, stop.usd)

    def _look_for_dead(self) -> None:
        """Every row is tried for this, so not in every turn of every call that waits."""
        if time.monotonic() > self._looked + _LOOK_EVERY_S:
            self._ledger.release_dead()
            self._looked = time.monotonic()

    def _known_prices(self, spec: Mapping[str, Any], happened: str) -> Prices:
        prices = prices_of(spec)
        if prices is None:
            settings = " and ".join(one.setting for one in self._allowances)
            raise Denied(
                f"the prices of {spec['llm']} are unknown, so that {settings} cannot be kept. "
                f"{happened} Write 'prices: {{input: …, output: …}}' beside 'llm' in the config, in "
                f"US dollars a million tokens (0 and 0 when it costs nothing), and run again."
            )
        return prices

    def _most(self, call: Call) -> float:
        """The most that a call can cost; more, once one cost more than it should."""
        return self._worse * most(call.messages, call.params, self._prices)

    def _cost(self, reply: Reply, most: float) -> float:
        said = cost_of(reply.cost_usd, reply.prompt_tokens, reply.completion_tokens, self._prices)
        cost = most if said is None else said
        if cost > most > 0:
            self._worse *= cost / most
        return cost

    def _assumed(self, call: Mapping[str, Any]) -> float:
        """The cost of a line of the journal that does not say it."""
        request = call["request"]
        spec = self._by_identity[identity_of(request["model"], request["api_base"])]
        prices = self._known_prices(spec, "The journal holds calls of it without their cost.")
        reply = call["reply"]
        said = cost_of(
            reply["cost_usd"], reply["prompt_tokens"], reply["completion_tokens"], prices
        )
        return most(request["messages"], request["params"], prices) if said is None else said


def budget_of(
    slug: str,
    spec: Mapping[str, Any],
    run_usd: float | None,
    models: Mapping[str, Mapping[str, Any]],
    journal: Journal,
) -> Budget | None:
    """The budget of a model's job; None when nothing limits what is spent.

    ``models`` are all language models of the run by slug, and ``run_usd`` what they may cost together.
    """
    if "llm" not in spec:
        return None
    models = {**models, slug: {**models.get(slug, {}), **spec}}
    found = allowances(slug, run_usd, models)
    return Budget(slug, found, models, journal) if found else None


def allowances(
    slug: str, run_usd: float | None, models: Mapping[str, Mapping[str, Any]]
) -> list[Allowance]:
    """What limits a model's spending: its own amount, shared with its twins, and the run's."""
    mine, found = _identity(models[slug]), []
    twins = [one for one in models.values() if _identity(one) == mine]
    if any("max_usd" in one.get("limits", {}) for one in twins):
        own = models[slug].get("limits", {}).get("max_usd", math.inf)
        found.append(
            Allowance(mine, f"models.{slug}.limits.max_usd", float(own), frozenset([mine]))
        )
    if run_usd is not None:
        everybody = frozenset(_identity(one) for one in models.values())
        found.append(Allowance("run", "asking.max_usd", float(run_usd), everybody))
    return found


def most(messages: Any, params: Mapping[str, Any], prices: Prices) -> float:
    """US dollars that a call can cost at most, if the provider keeps to the limit on the reply.

    A tokeniser makes no more tokens of a text than it has bytes; fewer cannot be promised: a priced
    round with its columns of figures has 1.6 characters a token. Raises Denied without a limit.
    """
    texts = sum(len(one["content"].encode()) + _TOKENS_A_MESSAGE for one in messages)
    return prices.cost(texts + _TOKENS_A_CALL, _longest_reply(params))


def _longest_reply(params: Mapping[str, Any]) -> int:
    longest = longest_reply(params)
    if longest is None:
        raise Denied(
            "a reply without max_tokens can cost any amount, so that max_usd cannot be kept; set "
            "params.max_tokens"
        )
    return longest


def cost_of(
    cost_usd: float | None,
    prompt_tokens: int | None,
    completion_tokens: int | None,
    prices: Prices,
) -> float | None:
    """What a reply cost: as it says, else by its tokens; None when it says neither."""
    if cost_usd is not None:
        return cost_usd
    if prompt_tokens is None or completion_tokens is None:
        return None
    return prices.cost(prompt_tokens, completion_tokens)


def recorded_cost(call: Mapping[str, Any]) -> float | None:
    """What a line of the journal says that it cost; a call that a filter refused cost nothing."""
    return 0.0 if call["filtered"] else call["reply"]["cost_usd"]


def explain(reached: Reached, what: str, left: int, total: int) -> str:
    """The message of a job that ends for its budget."""
    return (
        f"{reached}.\n"
        f"  {what}: prompts left undone: {left} of {total}; every reply so far is kept.\n"
        f"  To go on, raise {reached.short.allowance.setting} in the config and run again: only "
        f"what is left is asked, nothing is paid for twice.\n"
        f"  What counts is all that results/journal has ever paid, not this run alone."
    )


def forget_stops(journals: str | Path) -> None:
    """A new run begins: what the last one stopped for is told no more."""
    (Path(journals) / FOLDER / _STOPS).unlink(missing_ok=True)


def explain_stops(journals: str | Path) -> str:
    """Which models stopped for their budget, one line each; empty when none did."""
    stops = _stops(Path(journals))
    if not stops:
        return ""
    lines = ["Stopped because a budget is reached:"]
    for model in sorted({one.model for one in stops}):
        own = [one for one in stops if one.model == model]
        last = max(own, key=lambda one: one.spent)
        lines.append(
            f"  {model}: {money(last.spent)} of the {last.max_usd:g} USD of {last.setting} are spent; "
            f"jobs ended: {len(own)}, prompts left undone in them: {sum(one.left for one in own)}"
        )
    settings = ", ".join(sorted({one.setting for one in stops}))
    lines.append(f"To go on, raise {settings} and run again: only what is left is asked.")
    return "\n".join(lines)


def _stops(journals: Path) -> list[Stop]:
    file = journals / FOLDER / _STOPS
    if not file.exists():
        return []
    return [Stop(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def money(usd: float) -> str:
    """An amount for people."""
    return f"{usd:.4f} USD" if usd >= 0.01 or usd == 0 else f"{usd:.2g} USD"


def _identity(spec: Mapping[str, Any]) -> str:
    return identity_of(spec["llm"], spec.get("api_base"))
