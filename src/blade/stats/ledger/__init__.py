"""Why a score changed, as parts that add up to the change: `decompose`.

Pure functions of numbers: rows of two runs in, parts with intervals, bounds and statuses out.
"""

from blade.stats.ledger.behaviour import Capability, Migration, capability, mode_migration
from blade.stats.ledger.corrections import Correction, corrections, shapley, shares
from blade.stats.ledger.parts import Ledger, LedgerPart, Pooled, Settings
from blade.stats.ledger.rows import LedgerRow, LedgerRun
from blade.stats.ledger.table import decompose
from blade.stats.ledger.theta import Theta

__all__ = [
    "Capability",
    "Correction",
    "Ledger",
    "LedgerPart",
    "LedgerRow",
    "LedgerRun",
    "Migration",
    "Pooled",
    "Settings",
    "Theta",
    "capability",
    "corrections",
    "decompose",
    "mode_migration",
    "shapley",
    "shares",
]
