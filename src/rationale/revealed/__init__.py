"""Revealed preference: arrays in, numbers out."""

from rationale.revealed.ccei import Cycle, ccei, ccei_of_choices, critical_cycle
from rationale.revealed.costs import checked_costs, cost_ratios, costs, costs_of_consumption
from rationale.revealed.garp import Garp, check_witness, garp
from rationale.revealed.null import RationalityTest, random_ccei, rationality_test, uniform_picks

__all__ = [
    "Cycle",
    "Garp",
    "RationalityTest",
    "ccei",
    "ccei_of_choices",
    "check_witness",
    "checked_costs",
    "cost_ratios",
    "costs",
    "costs_of_consumption",
    "critical_cycle",
    "garp",
    "random_ccei",
    "rationality_test",
    "uniform_picks",
]
