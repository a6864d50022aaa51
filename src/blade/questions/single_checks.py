"""In which tasks that can be passed does the same single check, and nothing else, stop many failures?

What one check alone decides is worth reading: it may ask for more than the task says. Tasks that nobody passes are told
in `unsolved_tasks`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.names import words
from blade.extract.task_text import task_text
from blade.late_regex import late_regex
from blade.model import Source
from blade.questions import FEWEST_TASKS, by_task, judged
from blade.wording import amount, count, fact, listed

TITLE = "One check that decides"
ORDER = 36
WEIGHT = 1.3
FEWEST = 3
HALF = 0.5
MOST_SHOWN = 8
STEM = 5
"""Two words that begin with the same letters, so many, are taken for one."""
MESSAGE = " - "
"""What parts the name of a check from the message that some runners write behind it."""
ERROR = ": "
"""What parts the class of an error from its message: no task asks for these words."""
_WORD = late_regex(r"[a-z]{3,}")
_OF_TESTS = frozenset(
    "tests check checks correct correctly valid works working example success exists contains content contents error "
    "errors raises raise output outputs result results return returns running handling value values assert asserts "
    "submitted answer answers matches match total".split()
)
"""Words that name a kind of check, and nothing that a task might ask for."""
_COMMON = frozenset(
    "about above across after again against alone along already always another around before behind being below "
    "between beyond could doing during either every everything exactly first found further given gives having itself "
    "later least maybe might neither never nothing other others otherwise right second should since still taken their "
    "there these thing things third those through together under until using where whether which while whole whose "
    "within without would written built broken chosen".split()
)
"""Words that any sentence may have, or whose other forms begin otherwise: that a task lacks them says nothing."""
_ENDING = late_regex(r"(?<=[a-z]{3})(?:ies|ied|ing|ers|es|ed|er|s|y|e|d)$")
_DOUBLE = late_regex(r"([^aeiou])\1$")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The tasks by how many failures one check alone stops, with the words of its name that the task lacks."""
    cases = [case for run in runs for case in judged(run)]
    entries = [entry for rollouts in by_task(cases).values() if (entry := _of_task(rollouts)) is not None]
    usual = _usual_shares(cases)
    entries = [entry for entry in entries if not _is_usual(entry, *usual[entry["check"]])]
    if not entries:
        return None
    entries.sort(key=lambda entry: (-entry["alone"], entry["task"]))
    shown = entries[:MOST_SHOWN]
    texts = _texts(entry["place"] for entry in shown)
    general = _general_checks(cases)
    for entry in entries:
        place = entry.pop("place")
        asks = place in texts and entry["check"] not in general and ERROR not in entry["check"]
        entry["unsaid"] = _unsaid(entry["check"], texts[place]) if asks else []
    return {
        "tasks": len(entries),
        "failures": sum(entry["alone"] for entry in entries),
        "checks": shown,
    }


def _usual_shares(cases: Sequence[Case]) -> dict[str, tuple[int, int, int]]:
    """Check → the failures of all tasks in which it alone fails, those that have it among others, and their tasks."""
    alone: Counter[str] = Counter()
    every: Counter[str] = Counter()
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    for case in cases:
        if not case.passed and len(case.checks) > 1:
            names = {name.split(MESSAGE)[0] for name in case.checks}
            every.update(names)
            for name in names:
                tasks[name].add(case.key)
            missed = _missed(case.checks)
            alone.update(missed if len(missed) == 1 else ())
    return {check: (alone[check], many, len(tasks[check])) for check, many in every.items()}


def _is_usual(entry: Mapping[str, Any], alone: int, every: int, tasks: int) -> bool:
    """Whether the check alone stops half as many failures of many other tasks: it is what the benchmark asks for."""
    others = every - entry["failures"]
    return (
        tasks > FEWEST_TASKS
        and others >= FEWEST
        and (alone - entry["alone"]) / others >= HALF * entry["alone"] / entry["failures"]
    )


def _general_checks(cases: Sequence[Case]) -> set[str]:
    """Checks of most tasks: their names speak of the benchmark ("agrees with the reference"), not of one task."""
    tasks = by_task(cases)
    fewest = max(FEWEST_TASKS, HALF * len(tasks))
    checks = Counter(
        check
        for rollouts in tasks.values()
        for check in {name.split(MESSAGE)[0] for case in rollouts for name in case.checks}
    )
    return {check for check, many in checks.items() if many >= fewest}


def _of_task(rollouts: Sequence[Case]) -> dict[str, Any] | None:
    failures = [case for case in rollouts if not case.passed and len(case.checks) > 1]
    passes = sum(bool(case.passed) for case in rollouts)
    if len(failures) < FEWEST or not passes:
        return None
    alone = [(case, missed[0]) for case in failures if len(missed := _missed(case.checks)) == 1]
    counts = Counter(check for _, check in alone)
    check, many = max(counts.items(), key=lambda entry: (entry[1], entry[0]), default=("", 0))
    every = sum(not case.passed for case in rollouts)
    if many < max(FEWEST, HALF * every):
        return None
    return {
        "task": rollouts[0].label,
        "check": check,
        "alone": many,
        "failures": every,
        "passes": passes,
        "runs": dict(Counter(case.run for case, missed in alone if missed == check)),
        "place": rollouts[0].place,
    }


def _missed(checks: Mapping[str, Any]) -> list[str]:
    return [name.split(MESSAGE)[0] for name, passed in checks.items() if not passed]


def _texts(places: Iterator[tuple[str, int, int, int]]) -> dict[tuple[str, int, int, int], str]:
    rows = open_rows(Source(*place) for place in places)
    texts = {(at.file, at.line, at.offset, at.length): task_text(row) for at, row in rows}
    return {place: text for place, text in texts.items() if text}


def _unsaid(check: str, text: str) -> list[str]:
    """The words of a check's name that carry meaning and of which the task's text has none that begins alike."""
    task_words = set(_WORD.findall(text.lower()))
    known = {word[:STEM] for word in task_words} | set(map(_root, task_words))
    name = re.split(r"::|\[", check.rsplit("::", 1)[-1])[0]
    meaningful = [word for word in words(name) if len(word) >= STEM and word not in _OF_TESTS | _COMMON]
    return [word for word in dict.fromkeys(meaningful) if word.isalpha() and not {word[:STEM], _root(word)} & known]


def _root(word: str) -> str:
    """A word without its ending, as its forms in a sentence share it."""
    return _DOUBLE.sub(r"\1", _ENDING.sub("", word))


def tell(answer: Mapping[str, Any]) -> list[Block]:
    head = say(
        "In {tasks} that some rollout passes, the same check, and no other, stops half of the failures or "
        "more, at least {fewest} ({failures} in all): read whether the task asks for it.",
        tasks=fact(count(answer["tasks"], "task"), answer["tasks"], *_AT, "tasks"),
        fewest=str(FEWEST),
        failures=amount(answer["failures"], *_AT, "failures"),
    )
    items = (Paragraph(tuple(_words(place, entry))) for place, entry in enumerate(answer["checks"]))
    return [Paragraph((head,)), Bullets(tuple(items))]


def _words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_AT, "checks", place)
    yield say(
        "{task}: “{check}” alone fails in {alone} of {failures} ({runs}), while {passes}.",
        task=entry["task"],
        check=entry["check"],
        alone=amount(entry["alone"], *at, "alone"),
        failures=fact(count(entry["failures"], "judged failure"), entry["failures"], *at, "failures"),
        runs=listed([f"{run} {many:,}" for run, many in entry["runs"].items()]),
        passes=fact(_passes(entry["passes"]), entry["passes"], *at, "passes"),
    )
    if entry["unsaid"]:
        unsaid = listed([f"“{word}”" for word in entry["unsaid"]])
        yield say("The text of the task has no word like {unsaid}.", unsaid=unsaid)


def _passes(many: int) -> str:
    return f"{count(many, 'rollout')} {'passes' if many == 1 else 'pass'}"


_AT = ("investigation", "single_checks")
