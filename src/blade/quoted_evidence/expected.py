"""What was expected against what was done: each expected call beside the nearest made, and the answers word by word.

Only what the row itself lists is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from blade.extract.calls import Call, calls_of
from blade.extract.reference import Action, reference_actions
from blade.extract.text import canonical
from blade.extract.transcript import row_steps
from blade.extract.verdict import answer_field, gold_fields
from blade.frozen import frozen

MOST_WORDS = 2_000
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
Stretch = tuple[str, str]
"""Whether the words stand in both texts ("same"), in the expected only ("expected") or in the other ("actual")."""


@frozen
class ExpectedLine:
    """One thing that was expected, and what became of it.

    `state` is done, failed (answered with an error), differs, missing, or accepted (in other words, and passed).
    """

    name: str
    expected: str
    state: str
    item: int | None
    stretches: tuple[Stretch, ...] = ()


def expected_lines(row: dict[str, Any], *, passed: bool) -> list[ExpectedLine]:
    """The expected calls in their order, then the expected answer; none where the row lists neither."""
    reference = reference_actions(row)
    lines = _action_lines(reference[1], calls_of(row_steps(row))) if reference else []
    return lines + _answer_lines(row, passed=passed)


def _action_lines(actions: Sequence[Action], calls: Sequence[Call]) -> list[ExpectedLine]:
    """Calls as expected are taken first, so that a call near to two actions stays with the one it equals."""
    left = list(calls)
    lines: dict[int, ExpectedLine] = {}
    for place, (name, arguments) in enumerate(actions):
        equal = [call for call in left if call.name == name and canonical(call.arguments) == canonical(arguments)]
        if equal:
            call = next((call for call in equal if not call.failed), equal[-1])
            left.remove(call)
            lines[place] = ExpectedLine(name, _words(arguments), "failed" if call.failed else "done", call.step.item)
    for place, (name, arguments) in enumerate(actions):
        if place not in lines:
            lines[place] = _unequal_line(name, _words(arguments), left)
    return [lines[place] for place in sorted(lines)]


def _unequal_line(name: str, expected: str, left: list[Call]) -> ExpectedLine:
    """The action beside the call of the same tool that is nearest to it."""
    diffs = [(call, word_diff(expected, _words(call.arguments))) for call in left if call.name == name]
    if not diffs:
        return ExpectedLine(name, expected, "missing", None)
    call, stretches = max(diffs, key=lambda diff: sum(len(words) for kind, words in diff[1] if kind == "same"))
    left.remove(call)
    return ExpectedLine(name, expected, "differs", call.step.item, stretches)


def _answer_lines(row: dict[str, Any], *, passed: bool) -> list[ExpectedLine]:
    """The expected answer where it is one value, and the row holds the answer that the verifier took."""
    actual = answer_field(row)
    golds = [value for value in gold_fields(row).values() if isinstance(value, str | int | float)]
    if len(golds) != 1 or actual is None or not isinstance(actual[1], str | int | float):
        return []
    expected, answer = str(golds[0]), str(actual[1])
    state = "done" if expected.strip() == answer.strip() else "accepted" if passed else "differs"
    stretches = () if state == "done" else word_diff(expected, answer)
    return [ExpectedLine("answer", expected, state, None, stretches)]


def word_diff(expected: str, actual: str) -> tuple[Stretch, ...]:
    """Both texts as one, word by word; texts too long to compare stand one after the other."""
    left, right = _WORDS.findall(expected), _WORDS.findall(actual)
    if len(left) + len(right) > MOST_WORDS:
        return ("expected", expected), ("actual", actual)
    stretches: list[Stretch] = []
    for kind, begin, end, first, last in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            stretches.append(("same", "".join(left[begin:end])))
            continue
        stretches += [("expected", "".join(left[begin:end]))] if end > begin else []
        stretches += [("actual", "".join(right[first:last]))] if last > first else []
    return tuple(stretches)


def _words(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else canonical(arguments).decode()
