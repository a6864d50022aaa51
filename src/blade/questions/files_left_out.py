"""Does the patch leave out files that the agent wrote, so that the verifier misses them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.health import Item, item
from blade.questions import OF_THE_EVALUATION, in_order, judged, task_list
from blade.wording import count, fact, listed, percent

TITLE = "Files that were written and not handed in"
ORDER = 76
WEIGHT = OF_THE_EVALUATION
FEWEST = 3
MOST_PASSES = 0.1
LIKELY = 0.8
_PATH = ("investigation", "files_left_out")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the judged rollouts whose patch lacks a file of theirs that the verifier misses by its name."""
    lacking = [case for run in runs for case in run.observing("missed_file")]
    passes = sum(bool(case.passed) for case in lacking)
    if len(lacking) < FEWEST or passes > MOST_PASSES * len(lacking):
        return None
    example = min(lacking, key=lambda case: (bool(case.passed), case.run, case.label, case.attempt))
    path, line = example.observed["missed_file"]
    return {
        "rollouts": len(lacking),
        "passes": passes,
        "example": {"run": example.run, "task": example.label, "attempt": example.attempt, "path": path, "line": line},
        "runs": [entry for run in runs if (entry := _of_run(run.run.name, judged(run))) is not None],
    }


def _of_run(run: str, cases: Sequence[Case]) -> dict[str, Any] | None:
    lacking = [case for case in cases if "missed_file" in case.observed]
    if not lacking:
        return None
    own_passes = sum(bool(case.passed) for case in lacking)
    return {
        "run": run,
        "rollouts": len(lacking),
        "judged": len(cases),
        "other_passes": sum(bool(case.passed) for case in cases) - own_passes,
        "tasks": in_order(case.label for case in lacking),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    example = answer["example"]
    yield say(
        "In {rollouts} the agent wrote a new file that its patch lacks, and the verifier misses it ({runs}; e.g. "
        "{path} in task {task}, attempt {attempt} of {run}: “{line}”): {passes}.",
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        runs=listed([f"{entry['run']} {entry['rollouts']:,}" for entry in answer["runs"]]),
        path=example["path"],
        task=example["task"],
        attempt=fact(f"{example['attempt']:,}", example["attempt"], *_PATH, "example", "attempt"),
        run=example["run"],
        line=example["line"],
        passes=fact(
            count(answer["passes"], "pass", "passes") if answer["passes"] else "none passes",
            answer["passes"],
            *_PATH,
            "passes",
        ),
    )
    yield say(
        "What is handed in leaves out files that are new: the work of these rollouts was not judged. Tasks: {tasks}.",
        tasks="; ".join(f"{entry['run']} {task_list(entry['tasks'])}" for entry in answer["runs"]),
    )
    left = [
        f"{entry['run']} passes {entry['other_passes']:,} of {others:,} ({percent(entry['other_passes'] / others)})"
        for entry in answer["runs"]
        if (others := entry["judged"] - entry["rollouts"])
    ]
    if left:
        yield say("Without them {left}.", left=listed(left))


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Rollouts whose work was not judged, though they have a score."""
    for entry in answer["runs"]:
        words = (
            f"In {count(entry['rollouts'], 'judged rollout')} of {entry['run']} the patch lacks a file of the agent's."
        )
        yield item("void_attempts", "medium", words, tasks=entry["tasks"], run=entry["run"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    yield Advice(
        "harness",
        "Hand in files that are new, too (`git add -A` before the diff), and judge these rollouts again",
        say(
            "The patches of {rollouts} lack a file that the agent wrote.",
            rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
        ),
        answer["rollouts"] - answer["passes"],
        LIKELY,
        before_scores=True,
    )
