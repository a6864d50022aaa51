"""Do second looks help: how many right answers are talked away, and how many wrong ones are mended?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact, listed, printable

TITLE = "Answers changed after a second look"
ORDER = 47
WEIGHT = 1.2
FEWEST = 5
FEWEST_TASKS = 3
MUCH = 0.03
"""A run that loses so many of its judged rollouts so, more than it gains, is told first."""
_PATH = ("investigation", "changed_answers")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the failures that give up a stated right answer, the passes that mend a wrong one, and an example."""
    rows = {run.run.name: list(run.observing("changed")) for run in runs}
    lost = [case for cases in rows.values() for case in cases if _is_lost(case)]
    if len(lost) < FEWEST or len({case.key for case in lost}) < FEWEST_TASKS:
        return None
    entries = []
    for run in runs:
        cases = rows[run.run.name]
        entries.append(
            {
                "run": run.run.name,
                "lost": sum(map(_is_lost, cases)),
                "mended": sum(bool(case.passed) and case.observed["changed"][3] for case in cases),
                "failures": sum(not case.passed for case in judged(run)),
                "passes": sum(bool(case.passed) for case in judged(run)),
            }
        )
    example = lost[0]
    return {
        "runs": entries,
        "lost": len(lost),
        "mended": sum(entry["mended"] for entry in entries),
        "tasks": in_order(case.label for case in lost),
        "example": {
            "run": example.run,
            "task": example.label,
            "attempt": example.attempt,
            "had": example.observed["changed"][0],
            "gave": example.observed["changed"][1],
        },
    }


def _is_lost(case: Case) -> bool:
    """Whether a failure had the right answer, doubted it, and gave another one."""
    _, _, had_it, gives_it = case.observed["changed"]
    return not case.passed and had_it and not gives_it


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets((Paragraph(tuple(_sentences(answer))),))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    if any(run["lost"] - run["mended"] >= MUCH * (run["failures"] + run["passes"]) for run in answer["runs"]):
        yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    shown = [
        f"{run['run']} {run['lost']:,} of {count(run['failures'], 'failure')} and {run['mended']:,} of "
        f"{count(run['passes'], 'pass', 'passes')}"
        for run in answer["runs"]
        if run["lost"] or run["mended"]
    ]
    yield say(
        "{lost} state the right answer, doubt it, and give another one; {mended} {turn} a wrong one into the right "
        "one so: {runs}.",
        lost=fact(count(answer["lost"], "failure"), answer["lost"], *_PATH, "lost"),
        mended=fact(count(answer["mended"], "pass", "passes"), answer["mended"], *_PATH, "mended"),
        turn="turns" if answer["mended"] == 1 else "turn",
        runs=listed(shown),
    )
    example = answer["example"]
    yield say(
        "Such as {task}, attempt {attempt} of {run}: first {had}, in the end {gave} ({tasks} in all: {list}).",
        task=example["task"],
        attempt=f"{example['attempt']}",
        run=example["run"],
        had=printable(example["had"]),
        gave=printable(example["gave"]),
        tasks=count(len(answer["tasks"]), "task"),
        list=task_list(answer["tasks"]),
    )
    if answer["mended"] < answer["lost"]:
        yield say(
            "Second looks cost {net} more than they gain.",
            net=amount(answer["lost"] - answer["mended"], *_PATH, "lost"),
        )
