"""What the stories of auctions and of projects that are paid for together need (STEER 4.3)."""

from __future__ import annotations

from rationale.surveys.steer.questions import Draw

COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
AUCTION = {"auction": "count", "item": "", "items": "", "bidder": ""}
PROJECT = {"project": "count", "good": "", "runs": "", "member": ""}
PEOPLE = {"p1": "", "p2": "", "p3": ""}


def round_step(draw: Draw, size: str) -> int:
    """A step of round amounts: a twentieth of the story's largest."""
    return max(1, int(draw.story.sizes[size][1]) // 20)
