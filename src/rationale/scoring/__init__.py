"""Scores of answers with keys: accuracy, calibration, robustness. Arrays in, numbers out."""

from rationale.scoring.accuracy import normalised_accuracy, printed_accuracy
from rationale.scoring.calibration import bin_places, brier_score, calibration_error
from rationale.scoring.intervals import normalised_interval
from rationale.scoring.robustness import dependency_gap, dependency_gaps, worst_domain

__all__ = [
    "bin_places",
    "brier_score",
    "calibration_error",
    "dependency_gap",
    "dependency_gaps",
    "normalised_accuracy",
    "normalised_interval",
    "printed_accuracy",
    "worst_domain",
]
