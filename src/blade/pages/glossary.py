"""Words of the field that a page explains where they stand; docs/glossary.md holds the same and more."""

from __future__ import annotations

import re

from markupsafe import Markup

from blade.pages.markup import text

TERMS = {
    "baseline": "the run that the others are compared with: the first, unless named",
    "judged": "of a rollout: it ran, and the verifier gave a verdict",
    "score, lost as 0": "the score with every rollout that was not judged counted as 0",
    "95% interval": "the range that would hold the true value in 95 of 100 such evaluations",
    "minimum detectable effect": "the smallest difference that a comparison of this size finds four times in five",
    "significant": "of a difference: larger than chance alone would usually make it",
    "false discovery rate": "the share of such results that would be there by chance alone",
    "ceiling": "the most that a change could win: every rollout that fails in this way would pass",
    "what-if": "the score with one thing changed on paper and all else as it was",
    "abnormal rollout": "a rollout that did not end as it should: cut off, hit by infrastructure, or without verdict",
    "unclassified": "of a failure: no rule knows what went wrong",
    "failure mode": "a kind of failure that several rollouts share",
    "common task": "a task with counted rows in both runs",
    "pass@k": "the chance that at least one of k attempts at a task passes",
    "pass^k": "the chance that all of k attempts at a task pass",
    "bucket": "how a task came out: always, sometimes, never, missing",
    "slice": "the tasks that share a property: category = booking",
    "twin": "a passing and a failing attempt at the same task, side by side",
    "rollout": "the record of one attempt: a row of the rollouts file",
    "label": "the root cause that a task's failure is put down to",
    "ledger": "a change of score taken apart into parts that add up to it",
    "denominator": "the way from expected to counted, every loss named",
    "funnel": "how many rollouts come to each stage of the work",
}
COMMON = {
    *("rollout", "label", "significant", "bucket", "slice", "baseline", "judged", "ledger", "denominator", "funnel"),
}
"""Explained at the head of a column or as a heading alone: marked in every sentence they would be noise."""
_FORMS = {form: words for term, words in TERMS.items() for form in (term, f"{term}s")}


def term(words: str) -> Markup:
    """The head of a column or a heading, explained where it is a known word."""
    meaning = _FORMS.get(words.lower())
    return _explained(words, meaning) if meaning else text(words)


def terms(words: str) -> Markup:
    """A sentence with its rarer words explained."""
    pieces = _IN_SENTENCES.split(words)
    return Markup("").join(
        _explained(piece, _meaning(piece)) if at % 2 else text(piece) for at, piece in enumerate(pieces)
    )


def _meaning(words: str) -> str:
    """What a word means that stands in a sentence: `pass@4` is `pass@k`."""
    return _FORMS[_AT_K.sub(r"\1k", words.lower())]


def _explained(words: str, meaning: str) -> Markup:
    return Markup('<abbr title="{}">{}</abbr>').format(meaning, text(words))


_AT_K = re.compile(r"(pass[@^])\d+")
_IN_SENTENCES = re.compile(
    r"(?<![\w@^-])(pass[@^]\d+|"
    + "|".join(
        re.escape(form) for form in sorted(_FORMS, key=len, reverse=True) if form.removesuffix("s") not in COMMON
    )
    + r")(?![\w@^-])",
    re.IGNORECASE,
)
