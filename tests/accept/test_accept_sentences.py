"""`blade check` on sentences as people write them: true ones pass, false ones are caught or listed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from tests.accept.report_sentences import Package, Saying, corpus_of, page_of, read_run

import blade
from blade import toolkit
from blade.index.build_index import build
from blade.options import Options
from blade.queries.asking import ask
from blade.queries.question_file import Query, keep

pytestmark = pytest.mark.corpus
GOLDEN = Path(__file__).parents[2] / "../shared/golden"
CONDITION = "calls_failed = 0 and not void"


@pytest.mark.parametrize("name", ["tau_retail", "terminal"])
def test_true_sentences_pass_and_false_ones_do_not(name: str, tmp_path: Path) -> None:
    if not GOLDEN.exists():
        pytest.skip("../shared/golden is not there")
    data = GOLDEN / name / "data"
    sayings = corpus_of(package_of(data, tmp_path))
    assert Counter(saying[0] for saying in sayings) == {True: 200, False: 200}
    outcomes = checked(sayings, data, tmp_path)
    true = [outcome for saying, outcome in zip(sayings, outcomes, strict=True) if saying[0]]
    false = [outcome for saying, outcome in zip(sayings, outcomes, strict=True) if not saying[0]]
    assert true.count("wrong") <= 0.02 * len(true)
    assert false.count("right") <= 0.05 * len(false)


def package_of(data: Path, folder: Path) -> Package:
    runs = blade.read(data, options=Options())
    analysis = blade.analyze_runs(runs)
    index = build(runs, analysis)
    rollouts = index.rollouts.collect()
    query = Query("count", {"where": CONDITION})
    answer = ask(index, query)
    cited = keep(query, index.facts["digests"], answer.counts, folder / "queries.jsonl")
    package_runs = []
    for run, told in zip(runs, analysis.runs, strict=True):
        own = rollouts.filter(pl.col("run") == run.name)
        void = set(own.filter(pl.col("void"))["task"].to_list())
        facts = read_run(Path(run.raw.sources[0]), run.name, next(iter(told.provenance.models)), void, told.statuses)
        counts = answer.counts[run.name]
        facts.cited = (cited, int(counts["rollouts"]), int(counts["tasks"]))
        package_runs.append(facts)
    verdicts = {(change.base, change.candidate): change.verdict for change in analysis.changes}
    numbers = all(task.isdecimal() for task in package_runs[0].rewards)
    return Package(package_runs, verdicts, (lambda task: f"task {task}") if numbers else (lambda task: f"`{task}`"))


def checked(sayings: list[Saying], data: Path, folder: Path) -> list[str]:
    """For every sentence: wrong, listed (nothing could be held against it), or right."""
    text, places = page_of(sayings)
    (folder / "report.md").write_text(text, encoding="utf-8")
    outcomes = ["right"] * len(sayings)
    report = toolkit.check(folder / "report.md", data, options=Options())
    for check in sorted(report.things, key=lambda check: check.outcome.value == "wrong"):
        if check.line in places and check.outcome.value != "right":
            outcomes[places[check.line]] = "wrong" if check.outcome.value == "wrong" else "listed"
    return outcomes
