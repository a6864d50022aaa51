"""Fields that name the verdict in a word: one word on passes, others on failures, whatever the field is called."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from blade.diagnosis.cases import RunCases
from blade.late_regex import late_regex

FEWEST_PASSES = 5
FEWEST = 3
"""Failures that have a word, for at least two words."""
MOST_WORDS = 24
NEARLY_ALL, HALF = 0.95, 0.5
SELDOM = 0.05
_WORD = late_regex(r"[A-Za-z][\w.:/()-]{1,59}(?: [\w.:/()-]{1,59}){0,2}")


def verdict_word_fields(runs: Sequence[RunCases]) -> frozenset[str]:
    """The fields of which some run shows that they name the verdict: its class or its reason."""
    return frozenset[str]().union(*map(_fields_of, runs))


def _fields_of(run: RunCases) -> frozenset[str]:
    if "verdict word fields" not in run.known:
        run.known["verdict word fields"] = _found_in(run)
    fields: frozenset[str] = run.known["verdict word fields"]
    return fields


def _found_in(run: RunCases) -> frozenset[str]:
    passes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    failures: defaultdict[str, Counter[str]] = defaultdict(Counter)
    passed = 0
    for case, fields in zip(run.cases, run.fields(), strict=True):
        if case.passed is None:
            continue
        passed += case.passed
        counts = passes if case.passed else failures
        for name, value in fields.items():
            if isinstance(value, str) and value:
                counts[name][value] += 1
    return frozenset(
        name
        for name, words in passes.items()
        if words.total() >= max(FEWEST_PASSES, HALF * passed) and _tells(words, failures[name])
    )


def _tells(passes: Counter[str], failures: Counter[str]) -> bool:
    """Whether one word stands on nearly all passes and on hardly any failure, and failures have several others.

    Of the rows that have the field: tasks of another kind may be judged otherwise.
    """
    word, number = passes.most_common(1)[0]
    others = [other for other, times in failures.items() if other != word and times >= FEWEST]
    return (
        number >= NEARLY_ALL * passes.total()
        and failures[word] <= SELDOM * failures.total()
        and len(others) > 1
        and len(failures) <= MOST_WORDS
        and all(_WORD.fullmatch(other) for other in failures)
    )
