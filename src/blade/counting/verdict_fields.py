"""What the rows' own verdicts are: the pass itself, a check on the way to it, or a contradiction of it.

No single row can tell. A flag without which no rollout passes, and which some failures reach, is a stage: those
failures passed one check and failed a further one, and nobody is to blame for the difference. A flag contradicts the
reward where the rows show that it is the verdict: it equals the pass in another run of the analysis, or nearly
everywhere while some rollout passes against it. Where another field equals the pass on every row, that one is the
verdict and the others are other checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from blade.counting.run import Run, VerdictFields
from blade.detectors import names, read_sightings, write_sightings
from blade.extract.verdict_flags import ALMOST_ONE, all_met, claims_the_pass, is_verdict_flag
from blade.findings import Sighting

CONFLICT, FURTHER = "score_field_conflict", "further_check_failed"
FEWEST_ROWS = 10
MOSTLY = 0.9
BY_CHANCE = 0.05
SURELY_EQUAL = 0.01
ALL = " (all)"
"""Marks a count of which all were met, as against a flag of that name."""
Outcomes = Counter[tuple[bool, bool]]
"""(passed, flag) → rows."""


def settle_verdict_fields(runs: Sequence[Run]) -> list[Run]:
    """The runs with what their verdict fields are, and with the sightings about them that may be believed."""
    if not any(_asks(run) for run in runs):
        return list(runs)
    outcomes_by_run = [_outcomes(run) for run in runs]
    together: dict[str, Outcomes] = {}
    for outcomes in outcomes_by_run:
        for name, table in outcomes.items():
            together.setdefault(name, Counter()).update(table)
    stages = [name for name in together if is_verdict_flag(name) and _is_stage(together[name])]
    stages.sort(key=lambda name: (-_true(together[name]), name))
    settled_runs = []
    for run, run_outcomes in zip(runs, outcomes_by_run, strict=True):
        other_outcomes = [outcomes for outcomes in outcomes_by_run if outcomes is not run_outcomes]
        verdicts = _verdict_fields(run_outcomes, together, other_outcomes, stages)
        settled_runs.append(
            replace(run, verdicts=verdicts, facts=_believed(run.facts, verdicts)) if run_outcomes else run
        )
    return settled_runs


def met_check(fields: Mapping[str, Any], name: str) -> bool:
    """Whether a row says that it met a check: a stage by its name."""
    if name.endswith(ALL):
        return all_met(fields).get(name.removesuffix(ALL), False)
    return fields.get(name) is True


def _asks(run: Run) -> bool:
    """Whether a rule fired that one row alone cannot settle."""
    sightings = run.facts["sightings"]
    return bool((sightings.str.contains(CONFLICT, literal=True) | sightings.str.contains(FURTHER, literal=True)).any())


def _outcomes(run: Run) -> dict[str, Outcomes]:
    """Every boolean of the counted rows, and every count of which all may be met, against the pass."""
    if run.rule.threshold is None:
        return {}
    outcomes: dict[str, Outcomes] = {}
    for fields, is_counted, passed in zip(run.fields(), run.facts["counted"], run.facts["passed"], strict=True):
        if not is_counted:
            continue
        flags = {name: value for name, value in fields.items() if value is True or value is False}
        for name, value in (
            flags | {f"{name}{ALL}": all_passed for name, all_passed in all_met(fields).items()}
        ).items():
            outcomes.setdefault(name, Counter())[bool(passed), value] += 1
    return outcomes


def _verdict_fields(
    run_outcomes: Mapping[str, Outcomes],
    together: Mapping[str, Outcomes],
    other_outcomes: Sequence[Mapping[str, Outcomes]],
    stages: Sequence[str],
) -> VerdictFields:
    rows = max((table.total() for table in run_outcomes.values()), default=0)
    equal = sorted(name for name, table in run_outcomes.items() if table.total() == rows and _equals(table))
    verdict = next(iter(sorted(equal, key=lambda name: (not is_verdict_flag(name), len(name), name))), "")
    proven = {
        name
        for name, table in run_outcomes.items()
        if is_verdict_flag(name) and any(_surely_verdict(table, other_run.get(name)) for other_run in other_outcomes)
    }
    disputed = {
        name
        for name, table in run_outcomes.items()
        if (claims_the_pass(name) or name.endswith(ALL))
        and not set(equal) - {name}
        and (name in proven or (_against_a_pass(together[name]) and _nearly_equals(table)))
    }
    later_stages = tuple(name for name in stages if name in run_outcomes and name not in proven and name != verdict)
    return VerdictFields(verdict, later_stages, frozenset(disputed))


def _true(table: Outcomes) -> int:
    return table[True, True] + table[False, True]


def _equals(table: Outcomes) -> bool:
    wrong = table[True, False] + table[False, True]
    return not wrong and bool(table[True, True]) and bool(table[False, False])


def _nearly_equals(table: Outcomes) -> bool:
    wrong = table[True, False] + table[False, True]
    return table.total() >= FEWEST_ROWS and wrong <= (1 - MOSTLY) * table.total()


def _against_a_pass(table: Outcomes) -> bool:
    return table[True, False] > 0


def _is_stage(table: Outcomes) -> bool:
    """True on every pass and on some failures, and more often on passes than by chance."""
    reached, stopped = table[False, True], table[False, False]
    if _against_a_pass(table) or not reached or not stopped:
        return False
    return bool((reached / (reached + stopped)) ** table[True, True] < BY_CHANCE)


def _surely_verdict(run_table: Outcomes, other_table: Outcomes | None) -> bool:
    """Whether a flag equals the pass in another run so often that it is no stage that all failures there missed."""
    if other_table is None or not _equals(other_table):
        return False
    failed = run_table[False, True] + run_table[False, False]
    share = run_table[False, True] / failed if failed else 0.0
    return bool((1 - share) ** other_table[False, False] < SURELY_EQUAL)


def _believed(facts: pl.DataFrame, verdicts: VerdictFields) -> pl.DataFrame:
    """The facts without sightings that the rows of the runs do not bear out; those of a stage say which it is."""
    places = {name: place for place, name in enumerate(names())}
    sightings, letters = facts["sightings"].to_list(), facts["detectors"].to_list()
    for row, passed in enumerate(facts["passed"].to_list()):
        text = sightings[row]
        if not text or (CONFLICT not in text and FURTHER not in text):
            continue
        row_sightings = read_sightings(text)
        believed_sightings = dict(_believed_sightings(row_sightings, verdicts, passed=bool(passed)))
        sightings[row] = write_sightings(believed_sightings)
        dropped = {places[name] for name in row_sightings.keys() - believed_sightings.keys()}
        letters[row] = "".join("c" if place in dropped else letter for place, letter in enumerate(letters[row]))
    return facts.with_columns(pl.Series("sightings", sightings, pl.String), pl.Series("detectors", letters, pl.String))


def _believed_sightings(
    sightings: Mapping[str, Sighting], verdicts: VerdictFields, *, passed: bool
) -> Iterator[tuple[str, Sighting]]:
    for name, sighting in sightings.items():
        if (
            name == CONFLICT
            and sighting.value != ALMOST_ONE
            and not verdicts.disputed & {sighting.value, sighting.value + ALL}
        ):
            continue
        if name != FURTHER:
            yield name, sighting
        elif not passed and (stage_sighting := _stage(sighting, verdicts)) is not None:
            yield name, stage_sighting


def _stage(sighting: Sighting, verdicts: VerdictFields) -> Sighting | None:
    """The last stage that a failed rollout reached, and the check after it that it failed."""
    cites = {cite.field.removeprefix("row."): cite for cite in sighting.cites}
    passed = {name for name, cite in cites.items() if cite.quote != "false"}
    reached = [name for name in verdicts.stages if name.removesuffix(ALL) in passed]
    if not reached:
        return None
    last = reached[-1]
    later = (*verdicts.stages[verdicts.stages.index(last) + 1 :], verdicts.verdict)
    further = next((name for name in later if name in cites.keys() - passed), "")
    value = f"{last}, not {further}" if further else last
    detail = f"passes {last} and fails {further or 'what comes after it'}"
    cites_shown = tuple(cites[name.removesuffix(ALL)] for name in (last, further) if name)
    return replace(sighting, cites=cites_shown, detail=detail, value=value)
