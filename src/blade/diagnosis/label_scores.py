"""From what was noticed about a task to how likely each label is.

The score of a label is the log of its prior, plus, for every family of signals, the strongest one: weight times
reliability, by the share of failing attempts that show it, a second and third attempt adding half as much again each.
A label without any sign in its favour is less likely than one: verifier, infrastructure and data most of all, because
rules looked for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from blade.diagnosis.detector_specificity import Habits
from blade.diagnosis.groups import Group, Signal
from blade.registry import plugins
from blade.stats.betabinomial import prob_rate_above

LABELS = ("KG", "UK", "BI", "TI", "IR", "DA")
ABSENT = {"TI": -1.5, "IR": -1.5, "DA": -1.5, "BI": -1.0}
LOWEST = -3.0
RARELY = 0.1
REPEATED = 0.5
MOST_REPEATED = 2.0
BACKED = 0.5
NEUTRAL = (0.5, 0.5)
FLOOR = 0.03
Scores = dict[str, float]


def noticed(group: Group, habits: Habits) -> list[Signal]:
    """What the detectors say of the failing attempts, one signal per rule."""
    signals = []
    hits: dict[str, list[int]] = {}
    for place, case in enumerate(group.failing):
        fired_names = case.fired()
        for name in fired_names:
            if not any(other in fired_names for other in getattr(plugins("detectors")[name], "YIELDS_TO", ())):
                hits.setdefault(name, []).append(place)
    for name, places in sorted(hits.items()):
        rule = plugins("detectors")[name]
        left = habits.weight(name) * _rate_in_task(group, name, len(places))
        backed = name in habits.separates
        weights = {label: (weight + BACKED * backed) * left for label, weight in rule.SUPPORTS.items()}
        if any(weights.values()):
            cases = tuple(group.failing[place] for place in places)
            failures = len(group.failing)
            reason = f"{len(cases)} of {failures} failing attempts: {rule.TITLE}" if failures > 1 else rule.TITLE
            signals.append(Signal(name, rule.FAMILY, weights, rule.RELIABILITY, cases, reason, backed))
    return signals


def _rate_in_task(group: Group, name: str, hits: int) -> float:
    """What is left of a rule once its fires on this task's own passes are held against it."""
    if not group.passing:
        return 1.0
    on_pass = sum(name in case.fired() for case in group.passing) / len(group.passing)
    return max(0.0, 1.0 - on_pass / (hits / len(group.failing)))


def evidence(group: Group, signals: Iterable[Signal]) -> Scores:
    """Label → log evidence: families add up, and inside a family each attempt brings its strongest sign."""
    total = dict.fromkeys(LABELS, 0.0)
    by_family: dict[str, list[Signal]] = {}
    for signal in signals:
        by_family.setdefault(signal.family, []).append(signal)
    for members in by_family.values():
        spoken_of = {label for signal in members for label in signal.supports}
        for label in LABELS:
            if label in spoken_of:
                total[label] += _family(group, members, label)
    return total


def _family(group: Group, members: Sequence[Signal], label: str) -> float:
    against = min((signal.supports.get(label, 0.0) * signal.reliability for signal in members), default=0.0)
    best: dict[int, float] = {}
    for signal in members:
        weight = signal.supports.get(label, 0.0) * signal.reliability
        for case in signal.cases if weight > 0 else ():
            best[id(case)] = max(best.get(id(case), 0.0), weight)
    failures = max(len(group.failing), 1)
    again = min(1 + REPEATED * (len(best) - 1), MOST_REPEATED)
    strength = sum(best.values()) / failures * again
    full = max((signal.supports.get(label, 0.0) * signal.reliability for signal in members if signal.hard), default=0.0)
    return min(against, 0.0) + max(strength, full)


def scores(group: Group, evidence_scores: Scores, prior: Mapping[str, float], fit: tuple[float, float]) -> Scores:
    """Label → score: prior, evidence, how often the task passes, and what no sign points to."""
    rate = prob_rate_above(group.evaluable, group.evaluable - len(group.failing), RARELY, *fit)
    shows_model = any(case.shows_the_model for case in group.failing)
    label_scores = {}
    for label in LABELS:
        score = math.log(prior[label]) + evidence_scores[label]
        if evidence_scores[label] <= 0 and (label != "BI" or shows_model):
            score += ABSENT.get(label, 0.0)
        if label in {"KG", "UK"}:
            share = rate if label == "UK" else 1 - rate
            score += max(math.log(max(share, 1e-9)), LOWEST)
        label_scores[label] = score
    return label_scores


def likely(label_scores: Scores) -> Scores:
    """Softmax: label → probability."""
    top = max(label_scores.values())
    raised = {label: math.exp(score - top) for label, score in label_scores.items()}
    total = sum(raised.values())
    return {label: value / total for label, value in raised.items()}


def even() -> Scores:
    return dict.fromkeys(LABELS, 1 / len(LABELS))


def priors(first: Sequence[Scores]) -> list[Scores]:
    """One pass of expectation and maximisation: each task's prior is the share of each label among the run's others.

    A task never adds to its own prior, and every label has a pseudo-count of one and a floor.
    """
    sums = {label: math.fsum(likelihoods[label] for likelihoods in first) for label in LABELS}
    task_priors = []
    for likelihoods in first:
        shares = {label: (sums[label] - likelihoods[label] + 1) / (len(first) - 1 + len(LABELS)) for label in LABELS}
        floored = {label: max(share, FLOOR) for label, share in shares.items()}
        total = sum(floored.values())
        task_priors.append({label: share / total for label, share in floored.items()})
    return task_priors
