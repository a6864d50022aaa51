"""The expected answer in a sentence of the model, where the verifier read no answer: it was there before the end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from blade.extract.answer_candidates import matches_at, places_of
from blade.extract.attempt import Attempt
from blade.extract.given_answer import EMPTY, SHORT, given_answer, key_met
from blade.extract.prefilter import has_odd_letters
from blade.extract.text import clip
from blade.late_regex import late_regex
from blade.model import StepKind

READ = 60_000
MOST = 40
_SAID = late_regex(
    r"\b(?:answer|result)\b[^.\n]{0,30}?\b(?:is|be|equals)\b\s*:?\s*[*$\"'(]{0,3}(\S[^\n,;*$]{0,40})", re.IGNORECASE
)
_OWN = frozenset({StepKind.MESSAGE, StepKind.THOUGHT})


def said_answer(attempt: Attempt) -> dict[str, Any]:
    """`said_key`: the sentence in which the model says the key's answer, of a failure of which no answer was read."""
    if attempt.key is None or not attempt.lost or given_answer(attempt)[1] != EMPTY:
        return {}
    for step in attempt.steps:
        if step.kind in _OWN:
            for match in islice(_sentences(step.text, attempt.low(step)), MOST):
                text = match[1].split(". ")[0].rstrip(" .!?)\"'")
                if text and (key_met(attempt, text) or key_met(attempt, text.split()[0])):
                    return {"said_key": clip(" ".join(match[0].split()), SHORT)}
    return {}


def _sentences(text: str, low: str) -> Iterator[re.Match[str]]:
    """Where `_SAID` stands in the end of a text; it is tried at its first words alone, which are found far sooner."""
    start = max(0, len(text) - READ)
    if has_odd_letters(text) or len(low) != len(text):
        return _SAID.finditer(text, start)
    return matches_at(_SAID, text, [at for at in sorted(places_of(low, ("answer", "result"))) if at >= start])
