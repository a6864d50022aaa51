"""The word that a run's own fields have for rows that are no attempts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from blade.counting.columns import Column
from blade.signatures import common_words, template

MOST_VALUES = 50
MOST_FIELDS = 3
SENTENCE = 2
"""So many spaces make a text a sentence."""
OWN_INSIDE, OWN_OUTSIDE = 0.2, 0.02
"""A value of a field is the word for some rows if so many of them have it, and no more of the others."""


def own_values(places: set[int], tasks: Sequence[str], columns: Iterable[Column]) -> tuple[tuple[str, str, int], ...]:
    """Values of short fields that many of these rows have and hardly any other: the run's own word for them.

    Sentences that differ in a number or an id are one value: the words that they share.
    """
    words: list[tuple[str, str, int]] = []
    if len(places) == len(tasks):
        return ()
    for column in columns:
        if len(column.values) > MOST_VALUES or _names_the_task(column, places, tasks):
            continue
        forms = [_form(value) for value in column.values]
        inside: Counter[Any] = Counter()
        outside: Counter[Any] = Counter()
        raw: Counter[int] = Counter()
        for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
            (inside if row in places else outside)[forms[code]] += 1
            raw[code] += row in places
        for form, many in inside.items():
            rare = outside[form] <= OWN_OUTSIDE * max(len(tasks) - len(places), 1)
            if isinstance(form, str) and form and many >= OWN_INSIDE * len(places) and rare:
                texts = [str(column.values[code]) for code in sorted(raw) if raw[code] and forms[code] == form]
                words.append((column.name, common_words(texts), many))
    return tuple(sorted(words, key=lambda entry: (-entry[2], entry[0]))[:MOST_FIELDS])


def _form(value: Any) -> Any:
    return template(value) if isinstance(value, str) and value.count(" ") >= SENTENCE else value


def _names_the_task(column: Column, places: set[int], tasks: Sequence[str]) -> bool:
    """Whether the field tells the tasks and not the rows.

    The other attempts at the tasks of these rows have the same values; or, where there are none, each of the other
    tasks has one value in all of its attempts, and not all of them the same, as a category has.
    """
    inside: defaultdict[str, set[int]] = defaultdict(set)
    outside: defaultdict[str, list[int]] = defaultdict(list)
    for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
        if row in places:
            inside[tasks[row]].add(code)
        else:
            outside[tasks[row]].append(code)
    both = [task for task in inside if task in outside]
    if both:
        return all(inside[task] == set(outside[task]) for task in both)
    repeated = [set(codes) for codes in outside.values() if len(codes) > 1]
    constant = all(len(codes) == 1 for codes in (*repeated, *inside.values()))
    return constant and len(set().union(*repeated)) > 1
