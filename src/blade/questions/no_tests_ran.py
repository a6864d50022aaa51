"""Which verdicts stand where the verifier's log says that no test ran?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.health import Item, item
from blade.questions import OF_THE_EVALUATION, in_order, judged, task_list
from blade.wording import count, fact, listed, percent

TITLE = "Verdicts though no test ran"
ORDER = 77
WEIGHT = OF_THE_EVALUATION
LIKELY = 0.5
_PATH = ("investigation", "no_tests_ran")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the judged rollouts whose verifier says that it ran no test, and how they ended."""
    entries = [entry for run in runs if (entry := _of_run(run.run.name, judged(run))) is not None]
    if not entries:
        return None
    lines = Counter(line for entry in entries for line in entry.pop("lines"))
    ((field, line), _) = min(lines.items(), key=lambda pair: (-pair[1], pair[0]))
    return {
        "field": field,
        "line": line,
        "rollouts": sum(entry["rollouts"] for entry in entries),
        "failures": sum(entry["failures"] for entry in entries),
        "runs": entries,
    }


def _of_run(run: str, cases: Sequence[Case]) -> dict[str, Any] | None:
    silent = [case for case in cases if "no_tests" in case.observed]
    if not silent:
        return None
    passes = sum(bool(case.passed) for case in silent)
    return {
        "run": run,
        "rollouts": len(silent),
        "failures": len(silent) - passes,
        "passes": passes,
        "judged": len(cases),
        "other_passes": sum(bool(case.passed) for case in cases) - passes,
        "tasks": in_order(case.label for case in silent),
        "lines": [tuple(case.observed["no_tests"]) for case in silent],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    entries = answer["runs"]
    rollouts, failures = answer["rollouts"], answer["failures"]
    passes = rollouts - failures
    shown = [
        f"{entry['run']} {count(entry['failures'], 'failure')} and {count(entry['passes'], 'pass', 'passes')} "
        f"({task_list(entry['tasks'])})"
        for entry in entries
    ]
    yield say(
        "In {rollouts} the verifier's log says that no test ran (“{line}” in {field}): {runs}.",
        rollouts=fact(count(rollouts, "judged rollout"), rollouts, *_PATH, "rollouts"),
        line=answer["line"],
        field=answer["field"],
        runs="; ".join(shown),
    )
    if failures:
        yield say(
            "{failures} there {tell} nothing of the work.",
            failures=fact(count(failures, "failure"), answer["failures"], *_PATH, "failures"),
            tell="tells" if failures == 1 else "tell",
        )
    if passes:
        yield say(
            "{passes} there {are} not earned.",
            passes=count(passes, "pass", "passes"),
            are="is" if passes == 1 else "are",
        )
    left = [
        f"{entry['run']} passes {entry['other_passes']:,} of {others:,} ({percent(entry['other_passes'] / others)})"
        for entry in entries
        if (others := entry["judged"] - entry["rollouts"])
    ]
    if left:
        yield say("Without {them} {left}.", them="it" if rollouts == 1 else "them", left=listed(left))


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Rollouts that were never checked, though they have a score."""
    for entry in answer["runs"]:
        words = f"In {count(entry['rollouts'], 'judged rollout')} of {entry['run']} the verifier ran no test."
        yield item("void_attempts", "medium", words, tasks=entry["tasks"], run=entry["run"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    yield Advice(
        "verifier",
        "Let the verifier give no verdict where no test runs, and judge these rollouts again",
        say(
            "{rollouts} got a verdict where no test ran.",
            rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
        ),
        answer["failures"],
        LIKELY,
        before_scores=True,
    )
