"""What a rollout hands in with its last call (`submit(answer=42)`), where such calls end rollouts of many tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from blade.diagnosis.cases import Case
from blade.extract.check_arguments import numbers_of
from blade.late_regex import late_regex

FEWEST_TASKS = 5
_QUOTED = late_regex(r"\\\"[^\"\\]*\\\"|'[^'\\]*'")
_NUMBER = late_regex(r"-?\d+(?:[.,]\d+)*")


def last_words(case: Case) -> str:
    """The answer that the row holds, else the numbers in the last call, else what that call is made with."""
    arguments = _arguments(case)
    return case.answer or " ".join(numbers_of(arguments)) or arguments


def agreeing(cases: Iterable[Case], words_of: Callable[[Case], str], fewest: int) -> list[Case]:
    """The failures of several runs, at least so many, that give or hand in the same."""
    groups: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.failing and (words := words_of(case)):
            groups[words].append(case)
    shared = (group for group in groups.values() if len(group) >= fewest and len({case.run for case in group}) > 1)
    return [case for group in shared for case in group]


def submissions(cases: Iterable[Case]) -> dict[int, str]:
    """The value that each rollout hands in with a last call whose form ends rollouts of several tasks, by identity."""
    values: dict[int, str] = {}
    tasks: dict[str, set[str]] = {}
    forms: dict[int, str] = {}
    for case in cases:
        arguments = _arguments(case)
        numbers = _NUMBER.findall(arguments)
        if len(numbers) == 1:
            forms[id(case)] = f"{case.observed['closing'][0]} {_QUOTED.sub('…', _NUMBER.sub('#', arguments))}"
            values[id(case)] = numbers[0].replace(",", "")
            tasks.setdefault(forms[id(case)], set()).add(case.key)
    return {place: value for place, value in values.items() if len(tasks[forms[place]]) >= FEWEST_TASKS}


def _arguments(case: Case) -> str:
    return str(case.observed.get("closing", ("", ""))[1])
