"""Which tasks of the runs are the same task: one name for each over all runs of an analysis.

Every rule is tried (each id, bare numbers too; the text with and without its expected answer; the index), and the one
is taken that joins the most tasks of all runs with the baseline's without contradiction. A run that this rule leaves
mostly alone while another joins it, or that contradicts it, is joined by the best rule for itself; one that no rule
joins cannot be compared task by task, and is matched with the others that no rule joins. `--match-by` names the field
instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from blade.counting.agreement import Agreement, agreement
from blade.counting.rules import Rule, Trust, chosen_rule, every_rule
from blade.counting.run import Run
from blade.counting.sketches import Sketches
from blade.frozen import frozen

ELSEWHERE = "\0elsewhere:"
"""Prefix of a task that the baseline never names."""
MOSTLY = 0.8
"""Share of the smaller run's tasks below which a report begins with how few were matched."""
MOST_ALTERNATIVES = 4
NONE = "no domain id, text or index shows which tasks of the two runs are the same"


@frozen
class Alignment:
    """How a run is matched with the baseline. `rule` is domain_id, text, index or none.

    `same` maps a task of the run to the task of the baseline, `apart` the others to a name that all runs share.
    `tasks` are those of the smaller run, `joined` how many of them have a partner; `alternatives` are the other rules.
    """

    rule: str
    detail: str
    same: Mapping[str, str]
    apart: Mapping[str, str] = field(default_factory=dict)
    tasks: int = 0
    joined: int = 0
    contradictions: int = 0
    alone: bool = False
    alternatives: tuple[Mapping[str, Any], ...] = ()

    def key(self, task: str) -> str:
        """The name of a task over all runs."""
        return self.same.get(task) or self.apart.get(task, ELSEWHERE + task)

    @property
    def weak(self) -> bool:
        """Whether the reader must know before all else how few tasks were matched, or by how little."""
        return self.alone or self.joined < MOSTLY * self.tasks


def align(runs: Sequence[Run], match_by: str | None = None) -> list[Alignment]:
    """Match the tasks of every run with those of the first."""
    if len(runs) < 2:
        return []
    sketched = [Sketches(run) for run in runs]
    rules = every_rule(sketched)
    if match_by is not None:
        rules = [chosen_rule(sketched, match_by)]
    agreements = [[_agreement(rule, sketched, place) for rule in rules] for place in range(1, len(runs))]
    if match_by is not None:
        agreements = [
            [Agreement(agreement.same, agreement.contradictions) for agreement in run_agreements]
            for run_agreements in agreements
        ]
    best = _best([sum(run_agreements[number].sound for run_agreements in agreements) for number in range(len(rules))])
    alignments = [
        _alignment(rules, run_agreements, best, sketched, place) for place, run_agreements in enumerate(agreements, 1)
    ]
    return _matched_with_each_other(sketched, alignments, match_by)


def _matched_with_each_other(
    runs: Sequence[Sketches], alignments: Sequence[Alignment], match_by: str | None
) -> list[Alignment]:
    """The alignments, where runs that share no task with the first one, but some with each other, call those alike."""
    matched = list(alignments)
    leaders: list[int] = []
    for place, alignment in enumerate(alignments):
        if alignment.rule != "none":
            continue
        for leader in leaders:
            names = _names_shared_with(runs[leader + 1], runs[place + 1], matched[leader], match_by)
            if names:
                matched[place] = replace(alignment, apart={**alignment.apart, **names})
                break
        else:
            leaders.append(place)
    return matched


def _names_shared_with(leader: Sketches, run: Sketches, alignment: Alignment, match_by: str | None) -> dict[str, str]:
    """The tasks of a run that are tasks of another one, under the names that they have there."""
    pair = [leader, run]
    rules = every_rule(pair) if match_by is None else [chosen_rule(pair, match_by)]
    agreements = [_agreement(rule, pair, 1) for rule in rules]
    best = _best([agreement.sound for agreement in agreements])
    return {} if best is None else {task: alignment.key(base) for task, base in agreements[best].same.items()}


def _agreement(rule: Rule, runs: Sequence[Sketches], place: int) -> Agreement:
    return agreement(rule.trust, runs[0], runs[place], (rule.keys[0], rule.keys[place]))


def _best(sound: Sequence[int]) -> int | None:
    """The first of the rules that join the most; rules stand in order of trust."""
    return max(range(len(sound)), key=lambda number: (sound[number], -number)) if any(sound) else None


def _alignment(
    rules: Sequence[Rule], agreements: Sequence[Agreement], best: int | None, runs: Sequence[Sketches], place: int
) -> Alignment:
    own_best = _best([agreement.sound for agreement in agreements])
    tasks = min(len(runs[0].rows), len(runs[place].rows))
    if own_best is None:
        apart = _apart({}, place, runs[place], {})
        return Alignment(
            "none", _disjoint(rules, place) or NONE, {}, apart, tasks, alternatives=_alternatives(rules, agreements)
        )
    shared = best is not None and agreements[best].sound >= MOSTLY * agreements[own_best].sound
    rule_number = best if shared and best is not None else own_best
    rule, agreement = rules[rule_number], agreements[rule_number]
    joined = sum(task in runs[place].rows and base_task in runs[0].rows for task, base_task in agreement.same.items())
    return Alignment(
        rule.name,
        _detail(rule, agreement),
        agreement.same,
        _apart((rule.keys[place] or {}) if shared else {}, place, runs[place], agreement.same),
        tasks,
        joined,
        agreement.contradictions,
        agreement.alone,
        _alternatives(rules, agreements, rule_number),
    )


def _disjoint(rules: Sequence[Rule], place: int) -> str:
    """That both runs name their tasks and show their texts, and share neither, where it is so."""
    by_trust = {rule.trust: rule for rule in rules if rule.keys[0] and rule.keys[place]}
    if Trust.ID not in by_trust or Trust.TEXT not in by_trust:
        return ""
    return (
        f"both name their tasks by {by_trust[Trust.ID].detail}, and share no name and no text: they ran different tasks"
    )


def _detail(rule: Rule, agreement: Agreement) -> str:
    if agreement.alone:
        return f"{rule.detail}, which only numbers the tasks and which nothing else in the rows confirms"
    if rule.trust is Trust.INDEX:
        return "the index, which texts, expected answers or another field confirm"
    return rule.detail


def _apart(keys: Mapping[str, str], place: int, run: Sketches, base_task_of: Mapping[str, str]) -> dict[str, str]:
    """Tasks that the baseline lacks under the name that the shared rule gives them, else under the run's own."""
    names = [*run.tasks, *(task for task in run.run.expected.per_task if task not in run.tasks)]
    return {
        task: f"{ELSEWHERE}{keys[task]}" if task in keys else f"{ELSEWHERE}{place}\0{task}"
        for task in names
        if task not in base_task_of
    }


def _alternatives(
    rules: Sequence[Rule], agreements: Sequence[Agreement], rule_number: int | None = None
) -> tuple[dict[str, Any], ...]:
    """What other rules would join, and what speaks against them; the most tasks first."""
    alternatives = [
        {"rule": rule.name, "detail": rule.detail, "common": len(agreement.same), "against": agreement.against}
        for number, (rule, agreement) in enumerate(zip(rules, agreements, strict=True))
        if number != rule_number and agreement.same
    ]
    return tuple(sorted(alternatives, key=lambda item: -int(str(item["common"])))[:MOST_ALTERNATIVES])
