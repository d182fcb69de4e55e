"""Who answers: language models, simulated respondents, and files of recorded replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rationale.respondents.base import (
    Asked,
    Call,
    Denied,
    Filtered,
    Passing,
    Rejected,
    Reply,
    Respondent,
    RespondentError,
)

__all__ = [
    "Asked",
    "Call",
    "Denied",
    "Filtered",
    "Passing",
    "Rejected",
    "Reply",
    "Respondent",
    "RespondentError",
    "build",
]


def build(
    slug: str,
    spec: Mapping[str, Any],
    seed: int,
    timeout_s: float,
    concurrency: int,
    scenarios: Mapping[str, tuple[str, str, str]] | None = None,
    questions: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> Respondent:
    """The respondent that a checked entry of ``models:`` describes.

    ``scenarios`` is what simulated respondents know of MoralChoice: (ambiguity, action 1, action 2)
    by scenario. ``questions`` is what they know of STEER: the parts of each question, in the columns of
    the question bank.
    """
    if "llm" in spec:
        from rationale.respondents.llm import LanguageModel

        return LanguageModel(spec, timeout_s, concurrency)
    if "recorded" in spec:
        from rationale.respondents.recorded import Recorded

        return Recorded(spec["recorded"])
    from rationale.respondents.simulated import Simulated

    return Simulated(slug, spec, seed, scenarios, questions)
