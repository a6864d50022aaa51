"""Lists of the verifier that part failures from passes: empty in these and filled in those, or the reverse.

What should not be there is listed where it is (`extra_changes`), what should be is missing where nothing was done
(`changed_files`): such a list decides a rollout, whether or not a check says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from blade.diagnosis.cases import Case, RunCases

FEWEST, FEWEST_PASSES = 3, 10
RARELY = 0.01
"""Of the passes: so many may be as these failures are."""
NEARLY_ALL = 0.9
"""So many passes have the list; one that is so in more of the failures says what the verdict says."""


def deciding_lists(runs: Sequence[RunCases]) -> dict[tuple[str, bool], list[Case]]:
    """By list, and whether it holds something, the failures in which it is so and hardly a pass is."""
    cases = [case for run in runs for case in run.observing("verifier_lists")]
    passes = sum(bool(case.passed) for case in cases)
    if passes < FEWEST_PASSES:
        return {}
    of_passes: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    failing: defaultdict[tuple[str, bool], list[Case]] = defaultdict(list)
    tasks: defaultdict[tuple[str, bool], set[str]] = defaultdict(set)
    for case in cases:
        for name, (entries, _) in case.observed["verifier_lists"].items():
            tasks[name, bool(entries)].add(case.key)
            if case.passed:
                of_passes[name][bool(entries)] += 1
            else:
                failing[name, bool(entries)].append(case)
    return {
        (name, filled): holding
        for (name, filled), holding in failing.items()
        if FEWEST <= len(holding) <= NEARLY_ALL * (len(cases) - passes)
        and of_passes[name][filled] <= RARELY * passes
        and sum(of_passes[name]) >= NEARLY_ALL * passes
        and not tasks[name, not filled].isdisjoint(case.key for case in holding)  # else it is a property of the task
    }
