"""The planted-cause benchmark, small. The full table is made in benchmarks/.

One plant of each kind of evidence and one null are marked in every run of the tests; fifty of each in `make test-all`.
Single stories with their causes stand in test_story.py.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.planted import Job, make_jobs, run_job
from benchmarks.planted_suite.kinds import kinds
from benchmarks.planted_suite.scoring import PlantSummary, mark, summarise

QUIET = [name for name, kind in kinds().items() if kind.group in {"null", "decoy"}]
LOUD = {
    "facts from 1 pp: named": ("tasks_missing", "tasks_swapped", "duplicated_rows"),
    "row evidence from 1 MDE: named": ("outage_in_rows", "verifier_bug_shared"),
}


def marked(jobs: list[Job]) -> PlantSummary:
    marks = []
    for job in jobs:
        said = run_job(job)
        assert not said.error, (job, said.error)
        assert said.change is not None
        marks.append(mark(said.truth, said.change, said.health))
    return summarise(marks)


@pytest.mark.slow
def test_one_plant_of_each_kind_is_named_and_a_null_names_nothing() -> None:
    for measure, (kind, *_) in LOUD.items():
        job = next(job for job in make_jobs(60, [kind]) if job.level == "E2" and job.dose >= 5)
        line = marked([replace(job, tasks=60, repeats=4, dose=12.0)]).line(measure)
        assert (line.n, line.hits) == (1, 1), measure
    line = marked([replace(make_jobs(1, ["null"])[0], tasks=30, repeats=2)]).line("null: a cause is named")
    assert (line.n, line.hits) == (1, 0)


@pytest.mark.slow
def test_fifty_nulls_and_decoys_name_hardly_anything() -> None:
    summary = marked(make_jobs(8, QUIET)[:50])
    assert summary.line("parts add up to the change").value == 1.0
    alarms = [summary.line(measure) for measure in ("null: a cause is named", "decoy: a cause is named")]
    assert sum(line.n for line in alarms) == 50
    assert sum(line.hits for line in alarms) <= 5


@pytest.mark.slow
@pytest.mark.parametrize("measure", LOUD)
def test_fifty_plants_are_named(measure: str) -> None:
    jobs = [job for job in make_jobs(60, LOUD[measure]) if job.level == "E2" and job.dose >= 5]
    chosen = [job for kind in LOUD[measure] for job in [one for one in jobs if one.kind == kind][:10]]
    summary = marked([replace(job, tasks=min(job.tasks, 100)) for job in chosen])
    assert summary.line("parts add up to the change").value == 1.0
    line = summary.line(measure)
    assert line.n >= 5
    assert (line.value or 0.0) >= 0.9, line
