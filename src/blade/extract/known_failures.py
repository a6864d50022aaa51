"""Work that is handed in although the agent's own last test of it fails: that tells how it was handed in."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.prefilter import may_hold
from blade.extract.raised_errors import error_lines
from blade.extract.stages import handed_in
from blade.extract.text import clip, squeeze
from blade.extract.workspace_actions import check_problem
from blade.late_regex import late_regex

LONGEST = 160
_ALL_WELL = late_regex(
    r"(?<!\d)(?:0|no) (?:failed|failures|fails|failing|errors)\b|"
    r"\ball (?:of the |the |\d+ )?(?:\w+ ){0,2}(?:pass|passed|passing|succeeded)\b",
    re.IGNORECASE,
)
"""What a later run says whose command is not known for a test: no failure is left in what it looked at."""
_WELL_HINTS = ("0 fail", "no fail", "0 errors", "no errors", " pass", " succeeded")
_TAIL = 2_000


def known_failure(attempt: Attempt) -> dict[str, Any]:
    """Under `known_failure` what the last test says that the agent ran, where it fails and no code was edited since."""
    works = attempt.works
    tests = [place for place, work in works.items() if any(deed.kind == "test" for deed in work.deeds)]
    if not tests or not (attempt.ends_by_itself or handed_in(attempt)):
        return {}
    for call in reversed(attempt.calls):
        if call.place == tests[-1]:
            span = check_problem(call)
            if span is None or call.answer is None:
                return {}
            message = next(iter(error_lines(call.answer.text)), call.answer.text[slice(*span)])
            return {"known_failure": clip(squeeze(message), LONGEST)}
        work = works.get(call.place)
        if (work and any(deed.on_code for deed in work.deeds)) or _is_well(call):
            return {}
    return {}


def _is_well(call: Call) -> bool:
    """Whether its answer ends on the word that nothing fails."""
    tail = call.answer.text[-_TAIL:] if call.answer is not None else ""
    return may_hold(tail, _WELL_HINTS) and _ALL_WELL.search(tail) is not None
