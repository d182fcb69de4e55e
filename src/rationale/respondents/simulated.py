"""Simulated respondents: they read the words of a prompt and reply in words.

They know nothing of surveys but what the prompt says, so that the whole graph, its readers
included, is tested on them. Their draws follow from (seed, name, words, sample, attempt); in STEER the
words are those of the conversation so far.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rationale.respondents import moral, priced, pupil
from rationale.respondents.base import Asked, Call, Rejected, Reply
from rationale.seeds import digest, generator
from rationale.surveys.steer import behaviours, rules

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
    scenario: ambiguity, action 1 and action 2. In STEER all but these two follow their ``abilities``;
    ``questions`` holds the parts of each question, in the columns of the question bank.
    """

    paid = False

    def __init__(
        self,
        name: str,
        spec: Mapping[str, Any],
        seed: int,
        scenarios: Mapping[str, tuple[str, str, str]] | None = None,
        questions: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    ):
        self.kind = spec["simulated"]
        self.spec = dict(spec)
        self.name, self.seed = name, seed
        self.names = (seed, "simulated", name)
        self.scenarios = scenarios or {}
        self.beliefs = moral.Beliefs(**spec.get("beliefs", {}))
        self.questions = questions or {}
        self.abilities = pupil.Abilities(**spec.get("abilities", {}))
        modules = [priced, inspect.getmodule(type(self))]
        modules += [moral] if scenarios else []
        modules += [pupil, rules, behaviours] if questions else []
        source = digest(*(inspect.getsource(module) for module in modules))
        params = {key: value for key, value in spec.items() if key not in ("simulated", "label")}
        self.asked = Asked(
            model=f"simulated/{self.kind}",
            params={**params, "seed": seed, "name": name, "source": f"{source:032x}"[:12]},
        )

    async def reply(self, call: Call) -> Reply:
        """Words in reply to the last message. Raises Rejected for a prompt it cannot make out."""
        words = call.messages[-1]["content"]
        heard = [words] if call.study != "steer" else [one["content"] for one in call.messages]
        draw = generator(*self.names, *heard, call.sample, call.attempt)
        logprobs = None
        if self.kind == "refuser" and draw.random() < self.spec["share"]:
            text = _REFUSALS[draw.integers(len(_REFUSALS))]
        elif call.study == "moralchoice":
            text = self._act(call, words, draw)
        elif call.study == "steer":
            text, logprobs = self._answer(call, words, draw)
        else:
            text = self._words(words, draw)
        return Reply(
            text=text,
            logprobs=logprobs,
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

    def _answer(
        self, call: Call, words: str, draw: np.random.Generator
    ) -> tuple[str, list[dict[str, Any]] | None]:
        """A reply to a question of STEER, and what its letter's token tells."""
        parts = self.questions.get(call.prompt_id)
        shown = None if parts is None else pupil.understand(words, parts, call.turn)
        if shown is None:
            raise Rejected("simulated respondents cannot make out this question")
        if shown.asks == "reasons":
            return pupil.reasons(draw), None
        if self.kind == "unreadable" and draw.random() < self.spec["share"]:
            return pupil.mumble(draw), None
        if shown.asks == "number":
            return self._number(call, parts, shown, draw), None
        place, p = self._option(call, parts, shown, draw)
        note = self.kind == "chatty" and draw.random() < self.spec["share"]
        reply = pupil.say(shown, place, draw, note)
        if p is None:
            return reply, None
        return reply, pupil.letter_logprobs(shown, place, p, reply)

    def _option(
        self, call: Call, parts: Sequence[Mapping], shown: pupil.Shown, draw: np.random.Generator
    ) -> tuple[int, float | None]:
        """The place shown (from 0) that is taken, and the probability given to it."""
        if self.kind == "random":
            return int(draw.integers(len(shown.options))), 1 / len(shown.options)
        if self.kind == "position":
            return min(self.spec["position"], len(shown.options)) - 1, None
        solved = self._solved(call, parts)
        place = shown.places.index(solved.chosen[shown.part])
        if self.kind == "biased" and draw.random() < self.spec["share"]:
            place = 0
        if not self.abilities.probabilities:
            return place, None
        return place, pupil.confidence(self.abilities, solved.chance, len(shown.options))

    def _number(
        self, call: Call, parts: Sequence[Mapping], shown: pupil.Shown, draw: np.random.Generator
    ) -> str:
        if self.kind == "random":
            return f"{10 ** draw.uniform(0, 4):.4g}"
        if self.kind == "position":
            return str(self.spec["position"])
        right = self._solved(call, parts).right
        reply = pupil.number_said(parts[shown.part]["value"], right)
        if self.kind == "chatty" and draw.random() < self.spec["share"]:
            return pupil.with_note(reply, draw)
        return reply

    def _solved(self, call: Call, parts: Sequence[Mapping]) -> pupil.Solved:
        """The same in every turn: drawn from the words that open the conversation."""
        roles = [one["role"] for one in call.messages]
        opening = [one["content"] for one in call.messages[: roles.index("user") + 1]]
        names = (*self.names, "steer", call.prompt_id, *opening, call.sample, call.attempt)
        form = pupil.form_shown(call.form, opening[-1], parts)
        return pupil.solve(self.abilities, parts, form, generator(*names))

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
