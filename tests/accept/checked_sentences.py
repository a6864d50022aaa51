"""How often `blade check` is right about sentences that people may write on the golden packages.

`python -m tests.accept.checked_sentences` prints the rates: true sentences that are called wrong, and false ones that
are caught (called wrong) or listed (nothing could be held against them).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from tests.accept.natural_sentences import natural
from tests.accept.report_sentences import Package, Saying, corpus_of, page_of, read_run

import blade
from blade import toolkit
from blade.index.build_index import build
from blade.options import Options
from blade.queries.asking import ask
from blade.queries.question_file import Query, keep

GOLDEN = Path(__file__).parents[2] / "../shared/golden"
PACKAGES = ("tau_retail", "terminal")
CONDITION = "calls_failed = 0 and not void"
MOST_TRUE_CALLED_WRONG = 0.02
FEWEST_FALSE_NOTICED = 0.95


@dataclass(frozen=True)
class Rates:
    """What became of the true and of the false sentences of one corpus."""

    corpus: str
    true: int
    called_wrong: int
    false: int
    caught: int
    listed: int

    @property
    def called_wrong_share(self) -> float:
        return self.called_wrong / self.true

    @property
    def noticed_share(self) -> float:
        return (self.caught + self.listed) / self.false


def corpora_of(name: str, folder: Path) -> dict[str, tuple[list[Saying], list[str]]]:
    """Both corpora of a golden package with the outcome of every sentence."""
    data = GOLDEN / name / "data"
    package = package_of(data, folder)
    made, written = corpus_of(package), list(natural(package))
    outcomes = checked([*made, *written], data, folder)
    return {"templates": (made, outcomes[: len(made)]), "by hand": (written, outcomes[len(made) :])}


def rates_of(corpus: str, sayings: Sequence[Saying], outcomes: Sequence[str]) -> Rates:
    true = [outcome for saying, outcome in zip(sayings, outcomes, strict=True) if saying[0]]
    false = [outcome for saying, outcome in zip(sayings, outcomes, strict=True) if not saying[0]]
    return Rates(corpus, len(true), true.count("wrong"), len(false), false.count("wrong"), false.count("listed"))


def missed(sayings: Sequence[Saying], outcomes: Sequence[str]) -> Iterator[str]:
    """The sentences that the check is wrong about."""
    for (truth, kind, text), outcome in zip(sayings, outcomes, strict=True):
        if outcome == ("wrong" if truth else "right"):
            yield f"{'true, called wrong' if truth else 'false, not noticed'} ({kind}): {text}"


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
        facts.judged = own.filter(~pl.col("void")).height
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


def main(names: Sequence[str]) -> None:
    """Print a line for each corpus, and with -v the sentences that the check is wrong about."""
    sys.stdout.write("| package | sentences | true | called wrong | false | caught | listed | caught or listed |\n")
    sys.stdout.write("|---|---|---:|---:|---:|---:|---:|---:|\n")
    for name in [name for name in names if name in PACKAGES] or PACKAGES:
        with TemporaryDirectory() as folder:
            for corpus, (sayings, outcomes) in corpora_of(name, Path(folder)).items():
                rates = rates_of(corpus, sayings, outcomes)
                wrong, noticed = f"{rates.called_wrong_share:.1%}", f"{rates.noticed_share:.1%}"
                cells = (name, corpus, rates.true, f"{rates.called_wrong} ({wrong})", rates.false)
                sys.stdout.write(f"| {' | '.join(map(str, (*cells, rates.caught, rates.listed, noticed)))} |\n")
                if "-v" in names:
                    sys.stdout.write("".join(f"{line}\n" for line in missed(sayings, outcomes)))


if __name__ == "__main__":
    main(sys.argv[1:])
