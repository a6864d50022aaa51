"""The judged answers of every task over all runs, and which of them are one answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.extract.answer_kind import NONE, is_record
from blade.extract.declined import may_decline
from blade.extract.equivalent import same_form
from blade.extract.given_answer import EMPTY, SHORT
from blade.extract.same_answer import normal
from blade.model import Status
from blade.stats.hard_classes import hard_classes

COMPARABLE = 0.8
"""In so many of the passes with a key the answer must equal it: else the verifier compares something else."""
MOST_KEPT = 50_000
"""Rollouts whose answers stay in memory: about a kilobyte each."""
CUT_SHORT = frozenset({Status.TIMED_OUT.value, Status.TRUNCATED.value})


@dataclass(slots=True)
class Given:
    """A judged rollout with what is known of its answer. What every question asks for is read once."""

    case: Case
    seen: Mapping[str, Any]
    text: str = field(init=False, compare=False, repr=False)
    key: tuple[str, ...] = field(init=False, compare=False, repr=False)
    meets: str = field(init=False, compare=False, repr=False)
    """How the answer says what the key says; empty where it does not."""
    option: str = field(default="", init=False, compare=False, repr=False)
    """The words of the option that it chooses, where the options of the task stand in another order elsewhere."""
    declines: bool = field(init=False, compare=False, repr=False)
    """Whether it says that nothing was found or is known, where every task asks for something that can be."""

    def __post_init__(self) -> None:
        seen = self.seen
        self.text, self.meets = str(seen.get("text", "")), str(seen.get("meets", ""))
        self.key = tuple(seen.get("key", ()))
        has_words = bool(self.text) and not self.meets and "letter" not in seen and seen.get("length", 0) <= SHORT
        self.declines = (has_words and may_decline(self.text)) or "declined" in seen

    def name_options(self) -> None:
        """Take the words of the options for the answer and the key: letters stand for something else elsewhere."""
        if option := str(self.seen.get("option", "")):
            self.text = self.option = option
        if "key_option" in self.seen:
            self.key = (str(self.seen["key_option"]),)

    @property
    def judge(self) -> str:
        """The field of a judge that reads and reasons and gave the answer less than all; empty where none did."""
        return str(self.seen.get("judge", ""))

    @property
    def is_of_records(self) -> bool:
        """Whether the key is a record of fields, or the answer where no key is known."""
        return is_record(self.key[0] if self.key else self.text)

    @property
    def empty(self) -> bool:
        return self.seen.get("source") == EMPTY

    @property
    def unfinished(self) -> bool:
        """Whether a limit cut the failed rollout before it gave the key: its last words are no answer to count."""
        return self.case.state in CUT_SHORT and not self.case.passed and not self.meets

    def is_one_with(self, second: Given) -> bool:
        """Whether two rollouts of a task give one answer, by option or letter, by their words, or as code."""
        if self.option and second.option:
            return normal(self.option) == normal(second.option)
        if "letter" in self.seen and "letter" in second.seen:
            return bool(self.seen["letter"] == second.seen["letter"])
        if self.seen["length"] > SHORT or second.seen["length"] > SHORT:
            return bool(self.seen.get("digest", 0) == second.seen.get("digest", 1))
        if self.seen.get("exact"):
            return self.text.strip() == second.text.strip()
        return same_form(self.text, second.text)


@dataclass(slots=True)
class TaskAnswers:
    """One task: its judged rollouts that have an answer or a key."""

    label: str
    rows: list[Given] = field(default_factory=list)
    _answered: list[Given] | None = field(default=None, init=False, compare=False, repr=False)
    _answering: list[Given] | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def answered(self) -> list[Given]:
        """The rollouts that state an answer and were not cut before they did. Many questions ask: worked out once."""
        if self._answered is None:
            self._answered = [answer for answer in self.rows if answer.text and not answer.unfinished]
        return self._answered

    @property
    def answering(self) -> list[Given]:
        """Those of them that do not decline: that many find nothing is no answer on which they agree."""
        if self._answering is None:
            self._answering = [answer for answer in self.answered if not answer.declines]
        return self._answering

    def is_reordered(self) -> bool:
        """Whether the options of the question stand in different orders."""
        orders = {
            tuple(choice[1].items())
            for entry in self.rows
            if (choice := entry.case.observed.get("task", {}).get("choice"))
        }
        return len(orders) > 1

    def keys(self) -> list[tuple[str, ...]]:
        return list(dict.fromkeys([answer.key for answer in self.rows if answer.key]))


def task_answers(cases: Iterable[Case]) -> dict[str, TaskAnswers]:
    """The tasks by the key that they have in all runs."""
    tasks: dict[str, TaskAnswers] = {}
    for case in cases:
        answer = case.observed.get("answer")
        if answer:
            tasks.setdefault(case.key, TaskAnswers(case.label)).rows.append(Given(case, answer))
    for task in tasks.values():
        if task.is_reordered():
            for entry in task.rows:
                entry.name_options()
    if any(_asks_to_decline(entry) for task in tasks.values() for entry in task.rows):
        for task in tasks.values():
            for entry in task.rows:
                entry.declines = False
    return tasks


def judged_answers(runs: Sequence[RunCases]) -> dict[str, TaskAnswers]:
    """The answers of all judged rollouts of some runs. Many questions ask: they stay, but of very many rollouts."""
    known = runs[0].known if runs else {}
    memo_key = f"answers of {tuple(run.run.name for run in runs)}"
    if memo_key in known:
        return known[memo_key]  # type: ignore[no-any-return]
    answers = task_answers(case for run in runs for case in run.judged())
    if sum(len(run.cases) for run in runs) <= MOST_KEPT:
        known[memo_key] = answers
    return answers


def _asks_to_decline(entry: Given) -> bool:
    """Whether the key itself says that there is no answer: such words are then one answer of several."""
    return entry.seen.get("key_kind") == NONE or any(map(may_decline, entry.key))


def grouped(rows: Sequence[Given]) -> list[list[Given]]:
    """Equal answers together, the largest group first."""
    groups: list[list[Given]] = []
    for row in rows:
        place = next((group for group in groups if row.is_one_with(group[0])), None)
        if place is None:
            groups.append([row])
        else:
            place.append(row)
    return sorted(groups, key=lambda group: -len(group))


def hard_keys(tasks: Mapping[str, TaskAnswers]) -> frozenset[str]:
    """Values of keys, as `normal` writes them, that most rollouts miss in most of the tasks which share them."""
    missed = {}
    for name, task in tasks.items():
        if task.answered and len(task.keys()) == 1:
            meeting = sum(bool(answer.meets) for answer in task.answered)
            missed[name] = (normal(task.keys()[0][0]), 2 * meeting < len(task.answered))
    return hard_classes(missed)


def passes_give_the_key(tasks: Mapping[str, TaskAnswers]) -> tuple[bool, int]:
    """Whether passes give the key, as far as can be read; and how many passes show both."""
    passes = [
        answer for task in tasks.values() for answer in task.rows if answer.case.passed and answer.key and answer.text
    ]
    return not passes or sum(bool(answer.meets) for answer in passes) >= COMPARABLE * len(passes), len(passes)
