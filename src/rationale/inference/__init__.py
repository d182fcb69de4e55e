"""Intervals and adjusted p-values, from counts and arrays."""

from rationale.inference.intervals import Interval, clopper_pearson, wilson
from rationale.inference.multiple import benjamini_hochberg, holm

__all__ = ["Interval", "benjamini_hochberg", "clopper_pearson", "holm", "wilson"]
