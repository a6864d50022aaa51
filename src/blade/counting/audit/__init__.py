"""Did the attempt happen: exists → started → ended by itself → judged, before anything is said about the model.

All evidence is learned from the run itself: what most of its rows have and some lack, lines that recur in rows without
a turn of the model, counts that heap at one value. Nothing is believed that also holds of rows that passed.
"""

from __future__ import annotations

from blade.counting.audit.attempts import Audit, VoidGroup, audit_rows
from blade.counting.audit.late_words import late_words
from blade.counting.audit.limits import COUNTS, Limit, reached_limits

__all__ = ["COUNTS", "Audit", "Limit", "VoidGroup", "audit_rows", "late_words", "reached_limits"]
