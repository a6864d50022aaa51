"""What the last message says of the work: that it is done, without a reservation. The verifier is not asked."""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.own_claims import SUCCESS, TROUBLE, said


def own_verdict(attempt: Attempt) -> dict[str, Any]:
    """Under `claims_done` 1 where the closing message says so and speaks of no trouble, else 0; nothing without one."""
    final = attempt.closing
    if final is None:
        return {}
    return {"claims_done": int(said(final, SUCCESS) is not None and said(final, TROUBLE) is None)}
