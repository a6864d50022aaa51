"""Counts of tasks and rollouts that the words of a sentence bind: "32 of 80 tasks pass in no run"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product

from blade.checking.masked import MaskedSentence
from blade.checking.measures import Values
from blade.checking.outcome import Checked, CheckOutcome
from blade.checking.tokens import Token
from blade.model import TaskResult

_MANY = r"(?P<n>[NQ]\d+)"
_TASKS = rf"{_MANY} (?:of (?:the|its|all) )?(?:\w+ )?tasks?"
_SOLVE = r"(?:(?:are |were |is |was )?(?:solved|passed)|pass(?:es)?|solves?|succeed)"
_LOSE = r"(?:fail|fails|do not pass|does not pass|are not solved|never pass|not)"
_IN = r"(?:in|by)"
_ONCE = r"(?: at least once)?"
_R, _S = r"(?P<r>R\d+)", r"(?P<s>R\d+)"
_STATUSES = {
    "timed_out": re.compile(r"\btimed out\b|\btime-?outs?\b|\bout of time\b"),
    "missing": re.compile(r"\bmissing\b|\blacks?\b|\babsent\b"),
    "infrastructure": re.compile(r"\binfrastructure\b|\boutage\b"),
    "verifier_error": re.compile(r"\bverifier (?:errors?|failed|broke)\b"),
    "truncated": re.compile(r"\btruncated\b|\bcut off\b"),
    "malformed": re.compile(r"\bmalformed\b"),
    "ok": re.compile(r"\bstatus ok\b"),
}
_RATE_BEHIND = re.compile(r"(?:,? (?:i\.e\.|that is|which is|or)| =|,)? \(?P\d+\)?$")
"""A rate that says the count before it once more."""
_FILLERS = re.compile(r"\b(?:exactly|only|just|there are|in total|altogether|on paper) |(?<=runs) at all$")
_ROLLOUTS = re.compile(r"(?P<n>N\d+) (?:\w+ )?(?:rollouts|attempts|rows)\b")
Results = list[dict[str, TaskResult]]
Counter = Callable[[Results, str, str], set[int]]


def _once(result: TaskResult | None) -> bool:
    return bool(result and result.passes)


def _always(result: TaskResult | None) -> bool:
    return bool(result and result.attempts and result.passes == result.attempts)


def _never(result: TaskResult | None) -> bool:
    return bool(result and result.attempts and result.passes == 0)


def _not_once(result: TaskResult | None) -> bool:
    return not _once(result)


def _not_always(result: TaskResult | None) -> bool:
    return not _always(result)


def _in_no_run(results: Results, _: str, __: str) -> set[int]:
    return {sum(not any(map(_once, task.values())) for task in results)}


def _in_some_run(results: Results, _: str, __: str) -> set[int]:
    return {sum(any(map(_once, task.values())) for task in results)}


def _in_every_run(results: Results, _: str, __: str) -> set[int]:
    runs = {run for task in results for run in task}
    everywhere = [task for task in results if set(task) == runs]
    return {sum(all(map(test, task.values())) for task in everywhere) for test in (_once, _always)}


def _apart(results: Results, run: str, other: str) -> set[int]:
    """Tasks that pass in one run and not in another: in some or all attempts, and where the other tried it or not."""
    pairs = [(task.get(run), task.get(other)) for task in results]
    readings = product((_once, _always), (_never, _not_once, _not_always))
    return {sum(good(one) and bad(two) for one, two in pairs) for good, bad in readings}


def _of(test: Callable[[TaskResult | None], bool]) -> Counter:
    return lambda results, run, _: {sum(test(task.get(run)) for task in results)}


def _sometimes(result: TaskResult | None) -> bool:
    return _once(result) and not _always(result)


_FORMS: tuple[tuple[re.Pattern[str], Counter], ...] = tuple(
    (re.compile(pattern), counter)
    for pattern, counter in (
        (rf"^{_TASKS} {_SOLVE} {_IN} (?:no run|none of the(?: \w+)? (?:runs|agents|models)){_ONCE}$", _in_no_run),
        (rf"^no run {_SOLVE} {_TASKS}{_ONCE}$", _in_no_run),
        (rf"^{_TASKS} (?:fail|are unsolved) {_IN} (?:every run|all runs)$", _in_no_run),
        (rf"^{_TASKS} {_SOLVE} {_IN} (?:at least one|some|any) run{_ONCE}$", _in_some_run),
        (rf"^at least one run {_SOLVE} {_TASKS}{_ONCE}$", _in_some_run),
        (rf"^{_TASKS} {_SOLVE} {_IN} (?:every run|all runs|each run){_ONCE}$", _in_every_run),
        (rf"^(?:every run|all runs) {_SOLVE} {_TASKS}{_ONCE}$", _in_every_run),
        (
            rf"^{_TASKS} (?:that|which) {_R} {_SOLVE}{_ONCE} and {_S} (?:does not|doesn['’]t|never)(?: {_SOLVE})?$",
            _apart,
        ),
        (
            rf"^{_R} {_SOLVE} {_TASKS} (?:that|which) {_S} (?:does not|doesn['’]t|never|cannot|fails)(?: {_SOLVE})?$",
            _apart,
        ),
        (rf"^{_TASKS} {_SOLVE} {_IN} {_R} (?:and|but) {_LOSE} {_IN} {_S}$", _apart),
        (rf"^{_R} wins {_TASKS} (?:over|against|from) {_S}$", _apart),
        (rf"^{_R} always {_SOLVE} {_TASKS}$", _of(_always)),
        (rf"^{_TASKS} {_SOLVE} in (?:all|each)(?: of)?(?: its| the)?(?: N\d+)? attempts (?:of|in) {_R}$", _of(_always)),
        (rf"^{_TASKS} (?:always {_SOLVE}|{_SOLVE} (?:always|every time)) {_IN} {_R}$", _of(_always)),
        (rf"^{_R} (?:never {_SOLVE}|always fails) {_TASKS}$", _of(_never)),
        (rf"^{_TASKS} (?:never {_SOLVE}|always fail) {_IN} {_R}$", _of(_never)),
        (rf"^{_R} sometimes {_SOLVE} {_TASKS}$", _of(_sometimes)),
        (rf"^{_TASKS} sometimes {_SOLVE} {_IN} {_R}$", _of(_sometimes)),
    )
)
_RATIOS = (
    re.compile(
        rf"^{_R} (?P<what>pass(?:es|ed)|solve[sd]|fail(?:s|ed)) (?P<n>Q\d+)(?: of its)?"
        r"(?: rollouts| attempts| rows| tries| tasks)?$"
    ),
    re.compile(rf"^(?P<n>Q\d+) (?:rollouts|attempts|tries|rows) (?:of|in) {_R} (?P<what>pass|fail)(?:ed|s)?$"),
)


def count_claims(masked: MaskedSentence, values: Values) -> Iterator[tuple[Token, Checked]]:
    """Numbers whose meaning the words of the sentence settle, held against what they count."""
    for part in masked.text.rstrip(".! ").split("; "):
        yield from _counted(_FILLERS.sub("", _RATE_BEHIND.sub("", part)), masked, values)


def _counted(text: str, masked: MaskedSentence, values: Values) -> Iterator[tuple[Token, Checked]]:
    text = re.sub(r"^in (R\d+), (.*)$", r"\2 in \1", text)
    results = [dict(task.runs) for task in values.analysis.tasks]
    for pattern, counter in _FORMS:
        match = pattern.match(text)
        if match is not None:
            names = match.groupdict()
            run, other = (masked.behind(names[key])[0].text if names.get(key) else "" for key in "rs")
            yield _compared(masked, match["n"], counter(results, run, other), len(results))
            return
    for pattern in _RATIOS:
        match = pattern.match(text)
        if match is not None:
            yield from _ratio(masked, match, values)
            return
    yield from _status(text, masked, values)


def _compared(masked: MaskedSentence, mark: str, right: set[int], total: int) -> tuple[Token, Checked]:
    token = masked.behind(mark)[0]
    number = token.number
    assert number is not None  # noqa: S101 - such a mark is a number
    whole = number.of is None or number.of == total
    if number.value in right and whole:
        return token, masked.statement.say(CheckOutcome.RIGHT, token, path=("tasks",))
    value = " or ".join(f"{value:,}" for value in sorted(right)[:3])
    expected = value if number.of is None else f"{value} of {total:,}"
    outcome = CheckOutcome.WRONG if whole else CheckOutcome.UNVERIFIABLE
    return token, masked.statement.say(outcome, token, expected, ("tasks",))


def _ratio(masked: MaskedSentence, match: re.Match[str], values: Values) -> Iterator[tuple[Token, Checked]]:
    """How many rollouts of a run pass or fail: of all, or of those that were judged."""
    token, run = masked.behind(match["n"])[0], masked.behind(match["r"])[0].text
    number = token.number
    results = [task.runs[run] for task in values.analysis.tasks if run in task.runs]
    if number is None or any(result.passes is None and result.attempts for result in results):
        return
    passes, rows = sum(result.passes or 0 for result in results), sum(result.attempts for result in results)
    judged = sum(letter in "pf" for result in results for letter in result.outcomes)
    fails = match["what"].startswith("fail")
    right = {(total - passes if fails else passes, total) for total in (rows, judged)}
    if number.of not in {total for _, total in right}:
        return
    if (number.value, number.of) in right:
        yield token, masked.statement.say(CheckOutcome.RIGHT, token, path=("runs", run))
    else:
        expected = next(f"{value:,} of {total:,}" for value, total in right if total == number.of)
        yield token, masked.statement.say(CheckOutcome.WRONG, token, expected, ("runs", run))


def _status(text: str, masked: MaskedSentence, values: Values) -> Iterator[tuple[Token, Checked]]:
    """Rollouts of one status; another number may be counted otherwise, and is listed with what the statuses say."""
    match, runs = _ROLLOUTS.search(text), re.findall(r"R\d+", text)
    named = [status for status, pattern in _STATUSES.items() if pattern.search(text)]
    if match is None or len(runs) != 1 or len(named) != 1 or len(re.findall(r"[NQPD]\d+", text)) > 1:
        return
    token, run = masked.behind(match["n"])[0], masked.behind(runs[0])[0].text
    expected = values.runs[run].statuses.get(named[0], 0)
    path = ("runs", run, "statuses", named[0])
    if token.number is not None and token.number.value == expected:
        yield token, masked.statement.say(CheckOutcome.RIGHT, token, path=path)
    else:
        note = f"the status {named[0]} counts {expected:,}: blade count \"status = '{named[0]}'\" RUN… --run {run}"
        yield token, masked.statement.say(CheckOutcome.UNVERIFIABLE, token, path=path, note=note)
