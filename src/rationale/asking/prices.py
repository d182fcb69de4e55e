"""What a token costs: from the config, else from litellm's own table; unknown is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

MILLION = 1e6


class Prices(NamedTuple):
    """US dollars a million tokens, and where the numbers come from: config or litellm."""

    input: float
    output: float
    source: str

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """US dollars for so many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION


def prices_of(spec: Mapping[str, Any]) -> Prices | None:
    """The prices of a checked entry of ``models:``; None when they are not known.

    Recorded and simulated respondents cost nothing. With an ``api_base`` only the config's prices
    count: litellm's table is by name, and another server may charge otherwise, or nothing.
    """
    if "llm" not in spec:
        return Prices(0.0, 0.0, "free")
    if "prices" in spec:
        return Prices(float(spec["prices"]["input"]), float(spec["prices"]["output"]), "config")
    if "api_base" in spec:
        return None
    from rationale.respondents.llm import listed_prices

    listed = listed_prices(spec["llm"])
    return None if listed is None else Prices(*listed, "litellm")
