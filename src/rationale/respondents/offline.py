"""A language model that is not to be called: what the journal does not hold stays unanswered."""

from __future__ import annotations

import os

from rationale.respondents.base import Asked, Call, Rejected, Reply

VARIABLE = "RATIONALE_OFFLINE"


def is_offline() -> bool:
    """Whether the environment forbids calls."""
    return bool(os.environ.get(VARIABLE))


class Offline:
    """Stands in for a model whose kept replies alone count: needs no key and makes no call."""

    paid = False

    def __init__(self, asked: Asked):
        self.asked = asked

    async def reply(self, call: Call) -> Reply:
        """Raises Rejected: nothing is asked."""
        raise Rejected(f"not in the journal, and no call is made while {VARIABLE} is set")

    async def close(self) -> None:
        """Nothing is held."""
