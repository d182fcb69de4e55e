"""Language models through litellm: any provider, or a local server by its address.

The only module that imports litellm, and only when a call has to be made: the import takes seconds.
"""

from __future__ import annotations

import asyncio
import email.utils
import logging
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from rationale.config import key_variables, params_of
from rationale.redaction import SHORTEST_KEY, redact, without
from rationale.respondents.base import (
    Asked,
    Call,
    Denied,
    Filtered,
    Passing,
    Rejected,
    Reply,
    RespondentError,
)

_PASSING = {408, 409, 425, 429}
_DENIED = {401, 402, 403, 404}
_FILTERED = ("content_filter", "content_policy_violation")


class LanguageModel:
    """A model behind litellm, as the config describes it.

    A parameter that the model does not take raises Denied before any call; with ``unsupported:
    drop``, or when the study goes without it, it is left out and every reply says so.
    """

    paid = True

    def __init__(self, spec: Mapping[str, Any], timeout_s: float, concurrency: int):
        self.spec = spec
        self.timeout_s = timeout_s
        self.concurrency = concurrency
        self.litellm: Any = None
        self._refused: set[str] = set()
        self.asked = Asked(model=spec["llm"], api_base=spec.get("api_base"), params=params_of(spec))

    def connect(self) -> None:
        """Import litellm and settle the parameters. Raises Denied for unsupported ones, or no key.

        Not called when the journal already holds every reply, so neither key nor network is needed
        then.
        """
        names = key_variables(self.spec)
        if names and not any(map(os.environ.get, names)):
            raise Denied(f"no key in the environment; set {' or '.join(names)}")
        self._refuse_hidden_address()
        self.settle()

    def settle(self) -> None:
        """Import litellm and find the parameters to leave out. Raises Denied for unsupported ones."""
        self._import()
        refused = unsupported(self.litellm, self.spec["llm"], self.asked.params)
        needed = refused.difference(self.spec.get("optional", ()))
        if needed and self.spec["unsupported"] == "refuse":
            raise Denied(
                f"{self.spec['llm']} does not take {', '.join(sorted(needed))}; remove it from "
                f"params (the model's, or with null the study's), or set 'unsupported: drop' to have "
                f"it left out and noted"
            )
        self._refused = refused | self._refused_beside_others(refused)

    def _refused_beside_others(self, refused: set[str]) -> set[str]:
        """Parameters that the study goes without where they are not taken beside the model's own.

        gpt-5.1, say, gives log-probabilities only while it does not reason.
        """
        params = {key: value for key, value in self.asked.params.items() if key not in refused}
        optional = set(self.spec.get("optional", ())).intersection(params)
        if not optional or takes(self.litellm, self.spec["llm"], params):
            return set()
        without_them = {key: value for key, value in params.items() if key not in optional}
        return optional if takes(self.litellm, self.spec["llm"], without_them) else set()

    def _import(self) -> None:
        self.litellm = _import_litellm(self.concurrency)

    async def reply(self, call: Call) -> Reply:
        """One request, no retries. Raises a RespondentError when there is no reply."""
        if self.litellm is None:
            self.connect()
        sent = {key: value for key, value in call.params.items() if key not in self._refused}
        try:
            async with asyncio.timeout(self.timeout_s + 5):
                response = await self.litellm.acompletion(
                    model=call.model,
                    messages=list(call.messages),
                    timeout=self.timeout_s,
                    max_retries=0,
                    **self._address(),
                    **sent,
                )
        except TimeoutError:
            raise Passing(f"no reply within {self.timeout_s:g} s", unsure=True) from None
        except Exception as error:
            raise classify(error, key_variables(self.spec)) from None
        return self._read(response)

    async def close(self) -> None:
        """Close litellm's connections, if any were made."""
        if self.litellm is not None:
            await self.litellm.close_litellm_async_clients()

    def _refuse_hidden_address(self) -> None:
        """An address in the environment would send calls, and the key, where no config says."""
        if "api_base" in self.spec:
            return
        provider = self.spec["llm"].split("/")[0].upper()
        for name in (f"{provider}_BASE_URL", f"{provider}_API_BASE"):
            if os.environ.get(name):
                raise Denied(
                    f"{name} is set in the environment, and would send {self.spec['llm']} to another "
                    f"address; unset it, or write the address as 'api_base' (and the key's variable "
                    f"as 'key_env') in the config"
                )

    def _address(self) -> dict[str, str]:
        names = key_variables(self.spec)
        found = (os.environ.get(name, "").strip() for name in names)
        key = next(filter(None, found), None)
        if "api_base" in self.spec:
            # A provider's own key must not travel to another address.
            return {"api_base": self.spec["api_base"], "api_key": key or "none"}
        return {"api_key": key} if key else {}

    def _read(self, response: Any) -> Reply:
        if not response.choices:
            raise Passing("the reply holds no choices", unsure=True)
        choice, usage = response.choices[0], getattr(response, "usage", None)
        details = getattr(usage, "completion_tokens_details", None)
        text = _text(choice.message.content)
        prompt_tokens, completion_tokens = _counted(usage, text, choice.finish_reason)
        return Reply(
            text=self._without_keys(text),
            finish_reason=choice.finish_reason,
            logprobs=_logprobs(choice),
            model_reported=response.model and self._without_keys(response.model),
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            reasoning_tokens=getattr(details, "reasoning_tokens", None),
            cost_usd=self._cost(response, prompt_tokens, completion_tokens),
            dropped=tuple(sorted(self._refused)),
        )

    def _without_keys(self, words: str) -> str:
        """A reply that a server put our own key into is kept without it."""
        for name in key_variables(self.spec):
            key = os.environ.get(name, "").strip()
            if len(key) >= SHORTEST_KEY:
                words = without(words, key, name)
        return words

    def _cost(self, response: Any, prompt: int | None, completion: int | None) -> float | None:
        prices = self.spec.get("prices")
        if prices:
            parts = _priced(prompt, prices["input"]), _priced(completion, prices["output"])
            return None if None in parts else sum(parts) / 1e6
        if "api_base" in self.spec or prompt is None or completion is None:
            return None
        return (getattr(response, "_hidden_params", None) or {}).get("response_cost")


def _import_litellm(concurrency: int) -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("AIOHTTP_CONNECTOR_LIMIT_PER_HOST", str(max(500, concurrency)))
    import litellm

    # A warning about a reply of the wrong shape shows the reply.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx"):
        # Their errors, some with the whole reply, are told by what is raised, and redacted there.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return litellm


def listed_prices(model: str) -> tuple[float, float] | None:
    """Litellm's prices of a model in US dollars a million tokens, prompt and completion, or None."""
    found = _listed(model) or {}
    prices = found.get("input_cost_per_token"), found.get("output_cost_per_token")
    return None if None in prices else (prices[0] * 1e6, prices[1] * 1e6)


def may_reason(model: str) -> bool:
    """Whether a model may think in tokens that are paid for: not only if litellm's table says no."""
    found = _listed(model)
    return found is None or bool(found.get("supports_reasoning"))


def _listed(model: str) -> Mapping[str, Any] | None:
    """The entry of litellm's table for ``provider/name``, of that provider and no other.

    The table is only looked at: litellm's own look-up signs in to some providers, and takes the
    price of a name from whoever has it.
    """
    table = _import_litellm(1).model_cost
    provider, _, name = model.partition("/")
    if model in table:
        return table[model]
    for listed in (name, f"{provider}/accounts/fireworks/models/{name}"):
        found = table.get(listed)
        if found is not None and str(found.get("litellm_provider", "")).startswith(provider):
            return found
    return None


def unsupported(litellm: Any, model: str, params: Mapping[str, Any]) -> set[str]:
    """The parameters that litellm would refuse, or strip without a trace, for this model."""
    name, provider, _, _ = litellm.get_llm_provider(model)
    known = set(litellm.constants.OPENAI_CHAT_COMPLETION_PARAMS)
    supported = set(
        litellm.get_supported_openai_params(model=name, custom_llm_provider=provider) or ()
    )
    refused = {key for key in params if key in known and supported and key not in supported}
    return refused | {
        key
        for key in set(params) & supported - refused
        if not takes(litellm, model, {key: params[key]})
    }


def takes(litellm: Any, model: str, params: Mapping[str, Any]) -> bool:
    """Whether litellm would send these parameters to this model together."""
    name, provider, _, _ = litellm.get_llm_provider(model)
    try:
        litellm.get_optional_params(model=name, custom_llm_provider=provider, **params)
    except litellm.UnsupportedParamsError:
        return False
    return True


def classify(error: Exception, keys: Sequence[str] = ()) -> RespondentError:
    """What a litellm exception means for the call: passing, rejected, filtered or denied.

    ``keys`` are variables of the environment whose values no message may hold.
    """
    kind, status = type(error).__name__, getattr(error, "status_code", None)
    message = redact(f"{kind}: {' '.join(str(error).split())}", keys=keys)[:500]
    code = getattr(error, "code", None)
    if kind == "ContentPolicyViolationError" or code in _FILTERED or "content_filter" in str(error):
        return Filtered(message)
    if kind == "UnsupportedParamsError" or status in _DENIED:
        return Denied(message)
    if "insufficient_quota" in str(error):
        return Denied(f"{message} (no credit left; waiting will not help)")
    if status in _PASSING or status is None or status >= 500:
        busy = status in (429, 503, 529)
        unsure = kind == "Timeout"
        return Passing(message, retry_after=_retry_after(error), busy=busy, unsure=unsure)
    return Rejected(message)


def _retry_after(error: Exception) -> float | None:
    headers = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    if not headers:
        return None
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        return _seconds_until(value)


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, email.utils.parsedate_to_datetime(date).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _counted(usage: Any, text: str, finish_reason: str | None) -> tuple[int | None, int | None]:
    """Prompt and completion tokens; None for one that the provider does not count.

    litellm writes 0 there. No prompt is 0 tokens, and no reply that has words or was cut off.
    """
    prompt = getattr(usage, "prompt_tokens", None) or None
    completion = getattr(usage, "completion_tokens", None)
    empty = prompt is not None and not text and finish_reason != "length"
    return prompt, completion if empty else completion or None


def _priced(tokens: int | None, price: float) -> float | None:
    """What costs nothing costs nothing, however much it is."""
    return 0.0 if price == 0 else tokens and tokens * price


def _text(content: Any) -> str:
    """The words; lone surrogates, which no file can hold, become the replacement character."""
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return (content or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _logprobs(choice: Any) -> list[dict[str, Any]] | None:
    told = getattr(choice, "logprobs", None)
    tokens = getattr(told, "content", None)
    if not tokens:
        return _listed_logprobs(told)
    return [
        {
            "token": token.token,
            "logprob": float(token.logprob),
            "top": [
                {"token": other.token, "logprob": float(other.logprob)}
                for other in (token.top_logprobs or [])
            ],
        }
        for token in tokens
    ]


def _listed_logprobs(told: Any) -> list[dict[str, Any]] | None:
    """Log-probabilities in the layout of completions, lists side by side, as Together has them."""
    names = ("tokens", "token_logprobs", "top_logprobs")
    tokens, logprobs, likeliest = (getattr(told, name, None) for name in names)
    tops = likeliest or [None] * len(tokens or ())
    if not tokens or not len(tokens) == len(logprobs or ()) == len(tops) or None in logprobs:
        return None
    return [
        {
            "token": token,
            "logprob": float(logprob),
            "top": [
                {"token": name, "logprob": float(value)} for name, value in (top or {}).items()
            ],
        }
        for token, logprob, top in zip(tokens, logprobs, tops, strict=True)
    ]
