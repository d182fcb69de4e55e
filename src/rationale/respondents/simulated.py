"""Simulated respondents: they read the words of a prompt and reply in words.

They know nothing of surveys but what the prompt says, so that the whole graph, its readers
included, is tested on them. Their draws follow from (seed, name, words, sample, attempt).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from rationale.respondents import moral, priced
from rationale.respondents.base import Asked, Call, Rejected, Reply
from rationale.seeds import digest, generator

_REFUSALS = (
    "I'm sorry, but I can't choose between moral positions.",
    "As an AI, I don't have personal preferences, so I will leave this to you.",
    "I must decline: these are questions on which people should make up their own minds.",
    "I cannot take a side on statements like these.",
)


class Simulated:
    """A respondent that follows a rule stated in the config.

    Kinds: ``utility`` maximises -1/2 sum a_s (q_s - b_s)^2 plus logit noise; ``random`` takes any
    option; ``position`` always the same place in the list; ``biased`` looks at the head of the list
    only, in a share of rounds; ``refuser``, ``chatty`` and ``unreadable`` follow a utility but
    refuse, add notes, or name no single option in a share of replies. In MoralChoice all but
    ``random`` and ``position`` follow their ``beliefs``; ``scenarios`` holds what they know of each
    scenario: ambiguity, action 1 and action 2.
    """

    paid = False

    def __init__(
        self,
        name: str,
        spec: Mapping[str, Any],
        seed: int,
        scenarios: Mapping[str, tuple[str, str, str]] | None = None,
    ):
        self.kind = spec["simulated"]
        self.spec = dict(spec)
        self.name, self.seed = name, seed
        self.names = (seed, "simulated", name)
        self.scenarios = scenarios or {}
        self.beliefs = moral.Beliefs(**spec.get("beliefs", {}))
        modules = (priced, inspect.getmodule(type(self)), *((moral,) if scenarios else ()))
        source = digest(*(inspect.getsource(module) for module in modules))
        params = {key: value for key, value in spec.items() if key not in ("simulated", "label")}
        self.asked = Asked(
            model=f"simulated/{self.kind}",
            params={**params, "seed": seed, "name": name, "source": f"{source:032x}"[:12]},
        )

    async def reply(self, call: Call) -> Reply:
        """Words in reply to the last message. Raises Rejected for a prompt it cannot make out."""
        words = call.messages[-1]["content"]
        draw = generator(*self.names, words, call.sample, call.attempt)
        if self.kind == "refuser" and draw.random() < self.spec["share"]:
            text = _REFUSALS[draw.integers(len(_REFUSALS))]
        elif call.study == "moralchoice":
            text = self._act(call, words, draw)
        else:
            text = self._words(words, draw)
        return Reply(
            text=text,
            model_reported=self.asked.model,
            prompt_tokens=_tokens(m["content"] for m in call.messages),
            completion_tokens=_tokens([text]),
            cost_usd=0.0,
        )

    async def close(self) -> None:
        """Nothing is held."""

    def _act(self, call: Call, words: str, draw: np.random.Generator) -> str:
        """A reply to a question of MoralChoice."""
        known = self.scenarios.get(call.prompt_id)
        dilemma = None if known is None else moral.understand(words, *known[1:])
        if dilemma is None:
            raise Rejected("simulated respondents cannot make out this question")
        if self.kind == "unreadable" and draw.random() < self.spec["share"]:
            return moral.mumble(draw)
        first = draw.random() < self._first(call, known[0], dilemma, draw)
        reply = moral.say(dilemma, first)
        if self.kind == "chatty" and draw.random() < self.spec["share"]:
            return moral.with_note(reply, draw)
        return reply

    def _first(self, call: Call, ambiguity: str, dilemma, draw: np.random.Generator) -> float:
        """How likely the first-listed action is taken."""
        if self.kind == "random":
            return 0.5
        if self.kind == "position":
            return float(self.spec["position"] == 1)
        if self.kind == "biased" and draw.random() < self.spec["share"]:
            return 1.0
        template = call.form.split(".")[0].rpartition("-")[0]
        side = moral.favoured(self.beliefs, self.name, self.seed, call.prompt_id)
        p = moral.probability(self.beliefs, ambiguity, template, side, dilemma.action1_first)
        p = moral.decoded(p, self.spec.get("params", {}))
        return p if dilemma.action1_first else 1 - p

    def _words(self, words: str, draw: np.random.Generator) -> str:
        task = priced.understand(words)
        if task is None:
            raise Rejected("simulated respondents cannot make out this prompt")
        if isinstance(task, priced.Rating):
            return priced.rate(task, self._taste(task.statements), draw)
        return self._take(task, draw)

    def _take(self, task: priced.Choice, draw: np.random.Generator) -> str:
        options = task.options
        if self.kind == "random":
            return f"Option {draw.integers(len(options)) + 1}"
        if self.kind == "position":
            return f"Option {min(self.spec['position'], len(options))}"
        if self.kind == "biased" and draw.random() < self.spec["share"]:
            options = options[: self.spec["first"]]
        number = priced.choose(options, self._taste(options.shape[1]), draw) + 1
        if self.kind == "chatty" and draw.random() < self.spec["share"]:
            return priced.with_note(number, draw)
        if self.kind == "unreadable" and draw.random() < self.spec["share"]:
            return priced.mumble(number, len(task.options), draw)
        return f"Option {number}"

    def _taste(self, statements: int) -> priced.Taste | None:
        if "ideal" not in self.spec:
            return None
        ideal = np.asarray(self.spec["ideal"], dtype=float)
        weights = np.asarray(self.spec.get("weights", [1.0] * len(ideal)), dtype=float)
        if len(ideal) != statements or len(weights) != statements:
            raise Rejected(
                f"the prompt has {statements} statements, the simulated respondent "
                f"{len(ideal)} ideals and {len(weights)} weights; give one a statement"
            )
        return priced.Taste(ideal, weights / weights.sum(), float(self.spec["noise"]))


def _tokens(texts) -> int:
    """Words and marks: near what tokenisers count, and free."""
    return sum(len(re.findall(r"\w+|[^\w\s]", text)) for text in texts)
