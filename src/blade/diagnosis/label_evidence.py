"""Everything that speaks for or against a label of a task, and the hard faults that give one without weighing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from blade.diagnosis.cases import Case
from blade.diagnosis.detector_specificity import Habits
from blade.diagnosis.groups import Group, Signal, read_answer
from blade.diagnosis.label_scores import NEUTRAL, Scores, evidence, likely, noticed, scores
from blade.diagnosis.patterns import PATTERNS
from blade.diagnosis.submissions import agreeing
from blade.frozen import frozen
from blade.model import Status
from blade.registry import plugins

HARD = 2.0
FEWEST_AGREEING = 4
FIRM = 0.8
STATUS = "status"
CUT = "truncated_max_tokens"
KNOWLEDGE = frozenset({"KG", "UK"})
TASK_FAULTS = {"flaky_verifier": "TI", "suspect_gold": "TI"}
"""What the health checks found for a task, and the label that it gives without weighing."""
VETOES = {"DA": "data", "IR": STATUS, "TI": "verifier"}
"""Label → family of the rules that give it without weighing, in the order in which they are tried."""
OF_ANSWERS = frozenset({"wrong_answer", "same_wrong_answer", "scattered_wrong_answers", "states_the_answer"})
"""What compares answers alone. Where calls lead to the answer, it shows what came out of them, and nothing known."""
ALIKE = "all_runs_fail_alike"
Fit = tuple[float, float]


@frozen
class Weighed:
    """One task with its signals, and the label that a hard fault gives it before anything is weighed."""

    group: Group
    signals: tuple[Signal, ...]
    veto: str | None
    fit: Fit
    known: dict[str | None, Scores] = field(default_factory=dict, compare=False, repr=False)
    """The evidence without what speaks for a label, worked out once."""

    def likely(self, prior: Mapping[str, float], without: str | None = None) -> Scores:
        """How likely each label is; `without` leaves out all that speaks for one of them."""
        if without not in self.known:
            signals = [signal for signal in self.signals if without is None or signal.supports.get(without, 0.0) <= 0]
            self.known[without] = evidence(self.group, signals)
        return likely(scores(self.group, self.known[without], prior, self.fit))


def weigh(group: Group, specificity: Habits, fitted: Fit = NEUTRAL, extra: Iterable[Signal] = ()) -> Weighed:
    """Everything that speaks for or against a label of this task."""
    signals = [signal for signal in noticed(group, specificity) if signal.source != CUT or _fits_the_limit(group)]
    signals += [signal for pattern in PATTERNS if (signal := pattern(group)) is not None]
    signals += extra
    if by_habit(group):
        signals = [replace(signal, supports=_without_knowledge(signal)) for signal in signals]
    elif by_agreement(group):
        signals = [signal for signal in signals if signal.source not in {*OF_ANSWERS, ALIKE}]
    elif by_calls(group):
        signals = [
            replace(signal, supports=_without_knowledge(signal)) if signal.source in OF_ANSWERS else signal
            for signal in signals
        ]
    broken = _broken(group)
    signals += [broken] if broken else []
    veto = _veto(signals, specificity)
    hardened = (replace(signal, hard=True) if _hard(signal, veto, specificity) else signal for signal in signals)
    return Weighed(group, tuple(hardened), veto, fitted)


def _fits_the_limit(group: Group) -> bool:
    """Whether some attempt at the task passes: only then does it show that the limit leaves room for an answer."""
    return any(not case.failing for cases in (group.cases, *group.others.values()) for case in cases)


def by_habit(group: Group) -> bool:
    """Whether every failing attempt gives the answer that its run gives whatever is asked.

    It may know better or not: that it is wrong here shows neither a gap nor a skill that comes and goes.
    """
    return group.default is not None and all(read_answer(case) == group.default for case in group.failing)


def by_calls(group: Group) -> bool:
    """Whether most failing attempts worked over calls."""
    return 2 * sum(bool(case.actions) for case in group.failing) > len(group.failing)


def by_agreement(group: Group) -> bool:
    """Whether most failing attempts give the answer of most rollouts at the task, in several runs.

    It may be right, or all of them lack the same: that they agree tells neither.
    """
    cases = [*group.cases, *(case for cases in group.others.values() for case in cases)]
    alike = {id(case) for case in agreeing(cases, read_answer, max(FEWEST_AGREEING, len(cases) // 2 + 1))}
    return 2 * sum(id(case) in alike for case in group.failing) > len(group.failing)


def _without_knowledge(signal: Signal) -> dict[str, float]:
    return {label: weight for label, weight in signal.supports.items() if label not in KNOWLEDGE}


def _veto(signals: Sequence[Signal], specificity: Habits) -> str | None:
    """Data, then infrastructure, then verifier: the first with a hard fault."""
    return next((label for label in VETOES if any(_hard(signal, label, specificity) for signal in signals)), None)


def _hard(signal: Signal, label: str | None, specificity: Habits) -> bool:
    """A fault that needs no second sign: a strong, structured rule that does not fire on passes alike."""
    if signal.source in TASK_FAULTS:
        return TASK_FAULTS[signal.source] == label and signal.supports.get(label, 0.0) > 0
    if signal.source == STATUS:
        return label in signal.supports
    rule = plugins("detectors").get(signal.source)
    return (
        rule is not None
        and label in VETOES
        and VETOES[label] == rule.FAMILY
        and rule.EXPLAINS > 0
        and rule.SUPPORTS.get(label, 0.0) >= HARD
        and rule.RELIABILITY >= FIRM
        and not specificity.is_habit(signal.source)
    )


def _broken(group: Group) -> Signal | None:
    """At least half of the failing attempts were broken from outside: by infrastructure, or left without a verdict."""
    hurt = [case for case in group.failed if not case.evaluable]
    if not hurt or 2 * len(hurt) < len(group.failed):
        return None
    ungraded = [case for case in hurt if case.state == Status.VERIFIER_ERROR.value and not _speaks_of("IR", case)]
    label = "TI" if 2 * len(ungraded) > len(hurt) else "IR"
    fate = "got no verdict" if label == "TI" else "were broken by infrastructure"
    reason = f"{len(hurt)} of {len(group.failed)} failing attempts {fate}"
    return Signal(STATUS, STATUS, {label: 3.0}, 1.0, tuple(hurt), reason)


def _speaks_of(label: str, case: Case) -> bool:
    rules = (plugins("detectors")[name].SUPPORTS for name in case.fired())
    return any(max(supports, key=lambda code: supports[code]) == label for supports in rules if supports)
