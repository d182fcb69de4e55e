"""Properties of mechanisms: truthfulness, participation, balanced budgets (STEER 4.3).

Everybody's utility is the worth of what they get less what they pay. An element a file.
"""

from rationale.surveys.steer.elements import (  # noqa: F401
    balanced_budgets,
    dominant_truthfulness,
    participation,
    two_values,
)
