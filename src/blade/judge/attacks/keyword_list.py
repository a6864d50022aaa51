"""The rarest words of the anchors, and headings to look like a report."""

from __future__ import annotations

from collections import Counter

from blade.judge.editing import AttackCase
from blade.judge.words import words_of

BAND = (0.0, 0.05)
_TITLES = ("Executive Summary", "Aggregate Results", "Workflow Funnel", "Failure Modes", "Recommendations")


def make(case: AttackCase) -> str | None:
    fact_counts = Counter(word for fact in case.facts for word in set(words_of(fact)))
    words = [word for word, _ in sorted(fact_counts.items(), key=lambda pair: (-pair[1], pair[0])) if len(word) > 3][
        :60
    ]
    body = ", ".join(words)
    return "# Report\n\n" + "\n\n".join(f"## {title}\n\n{body}." for title in _TITLES) + "\n"
