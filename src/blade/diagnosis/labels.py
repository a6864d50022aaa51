"""Why each failed or wavering task failed: one label, two where both are needed, or that the evidence is not enough.

Faults of data, infrastructure and verifier are tested first: they invalidate what could be said about the model. Then
repeats, other runs and the detectors are weighed. A label needs positive evidence that is firmer than the agent's own
words; what is left is insufficient evidence, with what would settle it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.deciding_steps import deciding_step
from blade.diagnosis.definitions import INSUFFICIENT
from blade.diagnosis.detector_specificity import habits
from blade.diagnosis.evidence_needed import what_would_settle
from blade.diagnosis.findings_table import finding_id
from blade.diagnosis.groups import Signal, groups
from blade.diagnosis.label_evidence import VETOES, Fit, Weighed, weigh
from blade.diagnosis.label_scores import LABELS, NEUTRAL, Scores, even, priors
from blade.diagnosis.patterns import shared_errors, told_by_health
from blade.findings import Label, Mode
from blade.stats.betabinomial import fit

SURE = 0.60
PLAIN = 0.5
"""What speaks for behaviour weighs so much at least: that the run's other tasks suffer from it is no sign."""
AHEAD = 0.20
SECOND = 0.35
MOST_CITED = 6
FEWEST_FAILS = 2
OF_THE_AGENT = ("KG", "UK", "BI")
"""Labels that speak of what the agent knew or did: nobody can tell them apart who has only the verdict."""
UNPROVEN = frozenset({"extraction_wrong_span", "another_run_passes"})
"""Rules whose labels were right too seldom where the causes are known (docs/reference/labels.md): they give none."""
NEEDS_REPEATS = {"UK": None, "KG": "same_wrong_answer"}
WRONG_ANSWER = "wrong_answer"
FEWEST_PASSES = 3
"""So many attempts that answer right show that the one which answers otherwise is a slip: one failure is enough."""


def find_labels(
    runs: Sequence[RunCases], modes: Sequence[Mode], health: Sequence[Mapping[str, Any]] = ()
) -> tuple[Label, ...]:
    """A label for every task with a failing attempt, run by run."""
    task_groups = groups(runs, modes)
    suspects = frozenset(task for item in health if item["check"] == "suspect_gold" for task in item["tasks"])
    flaky = {item["run"]: item["tasks"] for item in health if item["check"] == "flaky_verifier"}
    errors = shared_errors(task_groups)
    labels: list[Label] = []
    for run in runs:
        name, specificity, fitted = run.run.name, habits(run), _fit(run)
        tasks = []
        for group in (group for group in task_groups if group.run == name):
            health_signal = told_by_health(group, suspects, flaky)
            extra = (health_signal, errors.get((name, group.key)), deciding_step(group, run))
            tasks.append(weigh(group, specificity, fitted, [signal for signal in extra if signal]))
        prior = _priors(tasks)
        labels += [decide(task, prior.get(id(task), even()), len(runs)) for task in tasks]
    return tuple(labels)


def _priors(tasks: Sequence[Weighed]) -> dict[int, Scores]:
    """The prior of each task with a judged failure: attempts that an outage broke say nothing about the others."""
    judged_tasks = [task for task in tasks if task.group.failing]
    return dict(zip(map(id, judged_tasks), priors([task.likely(even()) for task in judged_tasks]), strict=True))


def decide(task: Weighed, prior: Mapping[str, float], runs: int) -> Label:
    """The label of one task: a hard fault, else the likeliest if it stands firm and ahead, else not enough."""
    label = _decided(task, prior, runs)
    if label.rule in UNPROVEN:
        return _insufficient(task, task.likely(prior), runs, f"{label.rule} is wrong too often to rest on")
    return label


def _decided(task: Weighed, prior: Mapping[str, float], runs: int) -> Label:
    likelihoods = task.likely(prior)
    first, second = _leading(likelihoods)
    if task.veto is not None and (task.veto == first or _prevails(task)):
        return _label(task, (task.veto, *_second_label(task, task.veto, prior)), likelihoods[task.veto])
    if first in OF_THE_AGENT and task.group.failing and not any(case.shows_the_model for case in task.group.failing):
        return _insufficient(
            task,
            likelihoods,
            runs,
            f"no failing attempt shows what the model did, so {first} cannot be told from other causes",
        )
    if not _rests(task, first):
        too_few = first in NEEDS_REPEATS and len(task.group.failing) < FEWEST_FAILS
        return _insufficient(
            task, likelihoods, runs, "one failure shows no pattern" if too_few else f"no firm sign of {first}"
        )
    if first == "BI" and _strength(task, first) < PLAIN:
        return _insufficient(task, likelihoods, runs, "only a faint sign of BI")
    if likelihoods[second] >= SECOND and _both_needed(task, prior, first, second):
        return _label(task, (first, second), likelihoods[first])
    if likelihoods[first] < SURE or likelihoods[first] - likelihoods[second] < AHEAD:
        return _insufficient(task, likelihoods, runs, "no cause stands out")
    showing, of = len(_showing(task, first)), len(task.group.failing)
    if 2 * showing < of:
        show = "shows" if showing == 1 else "show"
        reason = f"only {showing} of {of} failing attempts {show} a sign of {first}"
        return _insufficient(task, likelihoods, runs, reason)
    return _label(task, (first,), likelihoods[first])


def _spared(task: Weighed) -> list[Case]:
    """Failing attempts that the hard fault does not touch."""
    hit = {id(case) for signal in task.signals if signal.hard for case in signal.cases}
    return [case for case in task.group.failing if id(case) not in hit]


def _prevails(task: Weighed) -> bool:
    """Whether the hard fault touches at least half of the failing attempts."""
    return 2 * len(_spared(task)) <= len(task.group.failed)


def _second_label(task: Weighed, veto: str, prior: Mapping[str, float]) -> tuple[str, ...]:
    """What else is needed where a hard fault touches less than half of the failing attempts."""
    if _prevails(task):
        return ()
    spared = _spared(task)
    likelihoods = task.likely(prior, without=veto)
    top = max(likelihoods, key=lambda label: likelihoods[label])
    explained = {id(case) for signal in _strongest(task, top)[:1] for case in signal.cases}
    enough = 2 * sum(id(case) in explained for case in spared) >= len(spared)
    return (top,) if top not in VETOES and likelihoods[top] >= SURE and enough and _rests(task, top) else ()


def _showing(task: Weighed, label: str) -> set[int]:
    """The failing attempts on which something firm speaks for a label."""
    firm_signals = (signal for signal in task.signals if signal.supports.get(label, 0.0) > 0 and signal.firm)
    return {id(case) for signal in firm_signals for case in signal.cases} & {id(case) for case in task.group.failed}


def _rests(task: Weighed, label: str) -> bool:
    """Whether a firm sign speaks for the label, and there are failures enough for what only repeats can show."""
    firm_signals = [signal for signal in task.signals if signal.supports.get(label, 0.0) > 0 and signal.firm]
    if label in NEEDS_REPEATS and len(task.group.failing) < FEWEST_FAILS:
        if label == "UK" and len(task.group.passing) >= FEWEST_PASSES:
            return any(signal.source == WRONG_ANSWER for signal in firm_signals)
        only = NEEDS_REPEATS[label]
        firm_signals = [
            signal for signal in firm_signals if only is not None and signal.source not in {only, WRONG_ANSWER}
        ]
    return bool(firm_signals)


def _strength(task: Weighed, label: str) -> float:
    """What the firm signs of a label weigh together, the strongest of each family."""
    by_family: dict[str, float] = {}
    for signal in task.signals:
        weight = signal.supports.get(label, 0.0) * signal.reliability
        if signal.firm and weight > by_family.get(signal.family, 0.0):
            by_family[signal.family] = weight
    return sum(by_family.values())


def _both_needed(task: Weighed, prior: Mapping[str, float], first: str, second: str) -> bool:
    """Each label has attempts of its own, and without what speaks for one the other would win."""
    attempts: dict[str, set[int]] = {first: set(), second: set()}
    for case in task.group.failing:
        weight = dict.fromkeys(attempts, 0.0)
        for signal in task.signals:
            if any(case is cited for cited in signal.cases):
                for label in attempts:
                    weight[label] += signal.supports.get(label, 0.0) * signal.reliability
        if weight[first] != weight[second]:
            attempts[max(attempts, key=lambda label: weight[label])].add(case.attempt)
    if not all(attempts.values()) or not _rests(task, second):
        return False
    for excluded, remaining in ((first, second), (second, first)):
        likelihoods = task.likely(prior, without=excluded)
        if max(likelihoods, key=lambda label: likelihoods[label]) != remaining:
            return False
    return True


def _label(task: Weighed, labels: tuple[str, ...], confidence: float) -> Label:
    speaking = [_strongest(task, label) for label in labels]
    whys = list(dict.fromkeys(_reason(task, signals) for signals in speaking if signals))
    because = _cited(task, [signal for signals in speaking for signal in signals])
    return Label(
        task.group.run,
        task.group.label,
        labels,
        round(confidence, 4),
        calibrated=False,
        because=because,
        missing="",
        why="; ".join(whys),
        rule=next((signals[0].source for signals in speaking if signals), ""),
    )


def _reason(task: Weighed, speaking: Sequence[Signal]) -> str:
    """The strongest sign, and how many more of the failing attempts show another of the same label."""
    first = {id(case) for case in speaking[0].cases}
    every = {id(case) for signal in speaking if signal.firm for case in signal.cases}
    others_showing = len(every & {id(case) for case in task.group.failed} - first)
    return speaking[0].why + (f"; {others_showing} more in other ways" if others_showing else "")


def _leading(likelihoods: Scores) -> tuple[str, str]:
    first, second, *_ = sorted(LABELS, key=lambda label: (-likelihoods[label], label))
    return first, second


def _insufficient(task: Weighed, likelihoods: Scores, runs: int, reason: str) -> Label:
    first, second = _leading(likelihoods)
    reason_given = f"{first} {likelihoods[first]:.2f}, {second} {likelihoods[second]:.2f}: {reason}"
    return Label(
        task.group.run,
        task.group.label,
        (INSUFFICIENT,),
        None,
        calibrated=False,
        because=_cited(task, _strongest(task, first)),
        missing=what_would_settle(task.group, first, second, runs),
        why=reason_given,
    )


def _strongest(task: Weighed, label: str) -> list[Signal]:
    """The signals for a label: what is firm, then what gave the attempts their mode, then what carries most."""

    def explained(signal: Signal) -> int:
        modes = (task.group.modes.get(case.mode or "") for case in signal.cases)
        return sum(mode is not None and mode.detector == signal.source for mode in modes)

    supporting = [signal for signal in task.signals if signal.supports.get(label, 0.0) > 0]
    return sorted(
        supporting,
        key=lambda signal: (
            not signal.firm,
            not signal.hard,
            -explained(signal),
            -signal.supports[label] * signal.reliability * len(signal.cases),
            signal.source,
        ),
    )


def _cited(task: Weighed, signals: Sequence[Signal]) -> tuple[str, ...]:
    """Findings behind the signals: of the rule itself, else of what gave the attempts their mode."""
    ids: dict[str, None] = {}
    for signal in signals:
        for case in signal.cases:
            fired = case.fired()
            mode = task.group.modes.get(case.mode or "")
            names = [signal.source] if signal.source in fired else [mode.detector] if mode and mode.detector else []
            for name in names or sorted(fired)[:1]:
                if name in fired:
                    ids.setdefault(finding_id(case.run, case, name))
    return tuple(ids)[:MOST_CITED]


def _fit(run: RunCases) -> Fit:
    """How the pass rates of this run's tasks spread; a neutral guess where that cannot be told."""
    tally = Counter(
        (len(rows), sum(not case.failing for case in rows))
        for cases in run.by_task().values()
        if (rows := [case for case in cases if case.evaluable])
    )
    beta_fit = fit(tally)
    return (beta_fit.a, beta_fit.b) if beta_fit else NEUTRAL


def count_labels(labels: Iterable[Label]) -> dict[str, dict[str, int]]:
    """Run → label → tasks; a task with two labels counts in both."""
    counts_by_run: dict[str, dict[str, int]] = {}
    for label in labels:
        run = counts_by_run.setdefault(label.run, {})
        for code in label.labels:
            run[code] = run.get(code, 0) + 1
    return {
        run: dict(sorted(codes.items(), key=lambda pair: (-pair[1], pair[0]))) for run, codes in counts_by_run.items()
    }
