"""The attempts at one task in one run, with those of the other runs beside them: what a label is decided on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from blade.diagnosis.cases import Case, RunCases
from blade.findings import Mode
from blade.frozen import frozen

FEWEST_ANSWERS, FEWEST_TASKS, NEARLY_ALL = 10, 3, 0.9
CONTENT = ("knowledge", "unknown")
"""Kinds of modes that speak of what was answered, not of how the attempt went about it."""
FEWEST_CALLING = 5


@dataclass(frozen=True, eq=False)
class Group:
    """One task in one run. Only evaluable attempts say something about the model."""

    run: str
    cases: tuple[Case, ...]
    others: Mapping[str, tuple[Case, ...]] = field(default_factory=dict)
    modes: Mapping[str, Mode] = field(default_factory=dict)
    default: str | None = None
    """The answer that the run gives to nearly every task, whatever is asked."""
    tools: frozenset[str] | None = None
    """The tools that the run calls in any task; None where nobody looked."""

    @property
    def label(self) -> str:
        return self.cases[0].label

    @property
    def key(self) -> str:
        return self.cases[0].key

    @cached_property
    def failed(self) -> list[Case]:
        """Every failing attempt, those that infrastructure broke too."""
        return [case for case in self.cases if case.failing]

    @cached_property
    def failing(self) -> list[Case]:
        return [case for case in self.failed if case.evaluable]

    @cached_property
    def passing(self) -> list[Case]:
        return [case for case in self.cases if not case.failing]

    @cached_property
    def evaluable(self) -> int:
        return len(self.failing) + sum(case.evaluable for case in self.passing)

    @cached_property
    def content(self) -> list[Case]:
        """Failing attempts that gave an answer, or reached a check of one, and were wrong in it."""
        return [case for case in self.failing if signature(case, self.modes)]

    @cached_property
    def answering(self) -> list[Case]:
        """Those that show what the model did, where any attempt does: one that crashed first answers nothing."""
        showing = [case for case in self.content if case.shows_the_model]
        return showing if any(case.shows_the_model for case in self.cases) else self.content

    @cached_property
    def unaccounted(self) -> list[Case]:
        """Failing attempts that no rule about behaviour, format or machinery accounts for."""
        case_modes = ((case, self.modes.get(case.mode or "")) for case in self.failing)
        return [case for case, mode in case_modes if mode is None or mode.kind in CONTENT]


@frozen
class Signal:
    """Something that speaks for or against labels, and the attempts that show it."""

    source: str
    """The detector or pattern it comes from."""
    family: str
    """Signals of one family are not independent: only the strongest counts."""
    supports: Mapping[str, float]
    reliability: float
    cases: tuple[Case, ...]
    why: str
    backed: bool = False
    """A contrast inside tasks bears it out, whatever its own reliability."""
    hard: bool = False
    """A fault that counts in full, however few attempts show it."""

    @property
    def firm(self) -> bool:
        """Whether a label may rest on it: words of the agent alone carry none."""
        return self.backed or self.reliability >= 0.8


def groups(runs: Sequence[RunCases], modes: Sequence[Mode]) -> list[Group]:
    """Every task of every run in which an attempt failed, in the order of the runs."""
    modes_by_id = {mode.id: mode for mode in modes}
    by_task = [(run.run.name, run.by_task()) for run in runs]
    task_groups = []
    for name, tasks in by_task:
        default = default_answer(tasks.values())
        tools = _tools(tasks.values())
        for key, cases in tasks.items():
            if any(case.failing for case in cases):
                other_runs = {
                    other_name: tuple(other_tasks[key])
                    for other_name, other_tasks in by_task
                    if other_name != name and key in other_tasks
                }
                task_groups.append(Group(name, tuple(cases), other_runs, modes_by_id, default, tools))
    return task_groups


def _tools(tasks: Iterable[Sequence[Case]]) -> frozenset[str] | None:
    """The tools that a run calls; None where calls are made in so few tasks that the others may have needed more."""
    by_task = [{tool_of(action) for case in cases for action in case.actions} for cases in tasks]
    calling = [tools for tools in by_task if tools]
    return frozenset[str]().union(*calling) if len(calling) >= FEWEST_CALLING else None


def tool_of(action: str) -> str:
    """The tool of a call that is told with the names of its arguments."""
    return action.partition("(")[0]


def default_answer(tasks: Iterable[Sequence[Case]]) -> str | None:
    """The one answer that nearly all answering attempts at several tasks give, and that some of these want.

    That it is wrong where the key is another shows a habit, and nothing of what is known of that task.
    """
    answering = [(task, case) for task, cases in enumerate(tasks) for case in cases if read_answer(case)]
    answers = Counter(read_answer(case) for _, case in answering)
    if len(answering) < FEWEST_ANSWERS or len({task for task, _ in answering}) < FEWEST_TASKS:
        return None
    text, times = answers.most_common(1)[0]
    wanted = any(case.passed for _, case in answering if read_answer(case) == text)
    return text if wanted and times >= NEARLY_ALL * len(answering) else None


def signature(case: Case, modes: Mapping[str, Mode]) -> str:
    """How the content of a failing attempt was wrong: its answer, else what its mode groups it by; "" if unknown."""
    mode = modes.get(case.mode or "")
    if mode is not None and mode.kind not in CONTENT:
        return ""
    if case.answer and case.answer.strip():
        return answer(case)
    sighting = case.fired().get(mode.detector or "") if mode else None
    return f"{case.mode}\0{sighting.value}" if sighting and sighting.value else ""


def answer(case: Case) -> str:
    """The answer given, case and blanks folded."""
    return " ".join((case.answer or "").casefold().split())


def read_answer(case: Case) -> str:
    """The answer that the verifier read, else the one that stands in the last message, folded."""
    shown = case.observed.get("answer", {}).get("text", "")
    return answer(case) or " ".join(str(shown).casefold().split())


def agreement(signatures: Sequence[str]) -> float:
    """The share of the commonest signature."""
    return max(Counter(signatures).values()) / len(signatures) if signatures else 0.0
