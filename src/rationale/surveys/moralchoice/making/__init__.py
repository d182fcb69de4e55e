"""Scenarios that a model writes: the prompts, the reading of the replies, and what is kept of them.

A prompt asks for one scenario about one rule. Low ambiguity is asked for without examples, high
ambiguity with a few drawn from those that were written by hand about the same rule. What comes
back is read strictly, and all of it is either kept or listed with the reason why not. No filter
replaces the review by people: coherence, and which action is the better one, are theirs to judge.
Source: Scherrer et al. (2023), section 3.2.
"""

import polars as pl

PARTS = ("context", "action1", "action2")
READINGS = dict.fromkeys(("prompt_id", "ambiguity", "rule", "status", *PARTS), pl.String)
