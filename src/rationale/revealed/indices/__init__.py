"""How far a data set is from GARP: exact indices, each with what it removed and a check.

Cheap at any size: the money pump index (below a millisecond at 160 rounds). The others are NP-hard.
"""

from rationale.revealed.indices.houtman_maks import HoutmanMaks, check_houtman_maks, houtman_maks
from rationale.revealed.indices.minimum_cost import MinimumCost, check_minimum_cost, minimum_cost
from rationale.revealed.indices.money_pump import (
    MoneyPump,
    check_money_pump,
    money_pump,
    money_pump_of_choices,
)
from rationale.revealed.indices.together import Indices, all_indices, check_indices
from rationale.revealed.indices.varian import Varian, check_varian, varian

__all__ = [
    "HoutmanMaks",
    "Indices",
    "MinimumCost",
    "MoneyPump",
    "Varian",
    "all_indices",
    "check_houtman_maks",
    "check_indices",
    "check_minimum_cost",
    "check_money_pump",
    "check_varian",
    "houtman_maks",
    "minimum_cost",
    "money_pump",
    "money_pump_of_choices",
    "varian",
]
