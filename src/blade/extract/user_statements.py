"""What a rollout is told on the way, by a user or by what stands in for one: fixed words, and errors of what it ran.

Harnesses that run code or ask again write as the user. Their words come back in other tasks; a user's own do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from xxhash import xxh3_64_intdigest

from blade.extract.attempt import Attempt
from blade.extract.text import clip
from blade.late_regex import late_regex
from blade.signatures import template

MOST = 20
SHORTEST = 30
LONGEST = 200
END = 400
_ERROR = late_regex(r"^\s*(?:[a-z_]\w*\.)*([A-Z]\w*(?:Error|Exception))(?::|$)", re.MULTILINE)


def heard(attempt: Attempt) -> dict[str, Any]:
    """`heard`: per message its number and how often; `heard_errors`: per class of error how often."""
    if not attempt.users:
        return {}
    messages: Counter[int] = Counter()
    errors: Counter[str] = Counter()
    for number, _, error in told(attempt):
        if number:
            messages[number] += 1
        if error:
            errors[error] += 1
    record: dict[str, Any] = {"heard": [list(pair) for pair in messages.most_common(MOST)]} if messages else {}
    return record | ({"heard_errors": dict(errors.most_common(MOST))} if errors else {})


def told(attempt: Attempt) -> Iterator[tuple[int, str, str]]:
    """Every message on the way: the number of its first line, 0 for a short one, that line, the error it ends on."""
    for _, step in attempt.users:
        if step.text.strip():
            line = clip(step.text.strip().split("\n", 1)[0], LONGEST)
            number = xxh3_64_intdigest(template(line).encode("utf-8", "replace")) if len(line) >= SHORTEST else 0
            tail = step.text[-END:]
            errors = _ERROR.findall(tail) if "Error" in tail or "Exception" in tail else []
            yield number, line, errors[-1] if errors else ""
