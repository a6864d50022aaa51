"""One written form of the values of a declared type against the other forms, inside the runs that write both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case
from blade.stats.strata import exact_p

MOSTLY = 0.5
"""A task is solved where so many of its rollouts pass."""

Forms = Mapping[str, Mapping[str, int]]


def written_forms(case: Case) -> Forms:
    """Per declared type, how often the calls of a rollout write a value of it in which form."""
    forms: Forms = case.observed["argument_types"]
    return forms


def pass_counts(cases: Sequence[Case]) -> dict[str, int]:
    """Rollouts, and those that pass."""
    return {"passes": sum(bool(case.passed) for case in cases), "rollouts": len(cases)}


def counts_of_form(form: str, cases: Sequence[Case]) -> dict[str, Any]:
    """The same of rollouts with a form, for all runs and for each."""
    runs = list(dict.fromkeys(case.run for case in cases))
    by_run = [{"run": run, **pass_counts([case for case in cases if case.run == run])} for run in runs]
    return {"form": form, **pass_counts(cases), "runs": by_run}


def pass_rate(cases: Sequence[Case]) -> float:
    """The share of passes; 0 of nothing."""
    return sum(bool(case.passed) for case in cases) / len(cases) if cases else 0.0


def exact_of_groups(groups: Iterable[Sequence[int]]) -> float:
    """The exact test of tables of four counts, kept apart; 1 where they say nothing."""
    p = exact_p([(cells[0], cells[1], cells[2], cells[3]) for cells in groups])
    return 1.0 if p is None else p


def _alone(table: Sequence[int]) -> float:
    return exact_of_groups([table])


class FormContrast:
    """One form of a type against the others, in the runs that write both: one trial for each task of a run."""

    def __init__(self, name: str, form: str, filling: Sequence[Case]) -> None:
        self.type, self.form = name, form
        having = [case for case in filling if form in written_forms(case)[name]]
        lacking = [case for case in filling if form not in written_forms(case)[name]]
        writers = {case.run for case in having}
        both = writers & {case.run for case in lacking}
        self.having = [case for case in having if case.run in both]
        self.lacking = [case for case in lacking if case.run in both]
        keys = {case.key for case in self.having}
        self.elsewhere = [case for case in lacking if case.run not in writers and case.key in keys]
        """Rollouts of runs that never write it so, at the tasks in which others do."""

    @property
    def tasks(self) -> tuple[int, int]:
        """How many tasks have rollouts with the form and with others."""
        return len({case.key for case in self.having}), len({case.key for case in self.lacking})

    @property
    def gap(self) -> float:
        """By how much the form passes less often."""
        return pass_rate(self.lacking) - pass_rate(self.having)

    def p(self, sure: float) -> float:
        """Of all runs together; 1 where no run is as sure as this alone: runs share their tasks."""
        tables = list(self._tables().values())
        return exact_of_groups(tables) if min(map(_alone, tables), default=1.0) <= sure else 1.0

    def _tables(self) -> Mapping[str, list[int]]:
        tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for start, cases in ((0, self.having), (2, self.lacking)):
            trials: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
            for case in cases:
                trials[case.run, case.key].append(case)
            for (run, _), rollouts in trials.items():
                tables[run][start + (pass_rate(rollouts) < MOSTLY)] += 1
        return tables

    def entry(self) -> dict[str, Any]:
        """The counts of the form, of the other forms of the same runs, and of the other runs."""
        contrast_forms = sorted({form for case in self.lacking for form in written_forms(case)[self.type]})
        return {
            "type": self.type,
            "form": self.form,
            **pass_counts(self.having),
            "runs": counts_of_form(self.form, self.having)["runs"],
            "other_forms": [
                counts_of_form(form, [case for case in self.lacking if form in written_forms(case)[self.type]])
                for form in contrast_forms
            ],
            "elsewhere": pass_counts(self.elsewhere),
        }
