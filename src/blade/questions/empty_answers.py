"""Which rollouts end by themselves without a word where all others answer in words, and does the verifier pass them?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Fact, Paragraph, Sentence, say
from blade.extract.answer_kind import NONE
from blade.extract.names import words
from blade.model import Status
from blade.questions import OF_THE_EVALUATION, cause, in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Empty answers"
ORDER = 77
WEIGHT = OF_THE_EVALUATION
FEWEST = 3
SPOKEN = 0.8
"""So many of the rollouts answer in a message, and call nothing: then a message is what is judged."""
MOST_CHECKS = 6
CERTAIN = 0.95
LIKELY = 0.5
_PATH = ("investigation", "empty_answers")
_LIMITS = frozenset(
    """no not non never none without avoid avoids forbid forbids forbidden ban banned bans exclude excludes excluded
    excluding prohibit prohibited absent omit max maximum most less fewer under below limit within upto""".split()
)
"""Words of the names of checks that what is not there cannot break."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts whose final message is empty or absent: passes, the checks of those that pass, scores without them."""
    entries = [entry for run in runs if not _is_silent(run) for entry in _judged_with_states(run)]
    spoken = [case for case, _ in entries if case.observed.get("final", {}).get("words")]
    empty = [case for case, is_whole in entries if is_whole and _is_empty(case)]
    if len(empty) < FEWEST or len(spoken) < SPOKEN * len(entries):
        return None
    passes = [case for case in empty if case.passed]
    checks = Counter(name for case in passes for name in case.checks)
    failed = Counter(name for case in empty for name, passed in case.checks.items() if not passed)
    first = (passes or empty)[0]
    return {
        "rollouts": len(empty),
        "passes": len(passes),
        "tasks": in_order(case.label for case in empty),
        "pass_tasks": in_order(case.label for case in passes),
        "runs": [_of_run(run, empty) for run in runs if judged(run)],
        "checks": [[name, passing] for name, passing in checks.most_common(MOST_CHECKS)],
        "more_checks": len(checks) - len(checks.most_common(MOST_CHECKS)),
        "only_limits": bool(checks) and all(_only_limits(name) for name in checks),
        "broken": [[name, failing] for name, failing in failed.most_common(MOST_CHECKS)],
        "example": {"task": first.label, "attempt": str(first.attempt), "run": first.run},
        "causes": [cause("BI", "ends with an empty answer", empty)],
    }


def _is_silent(run: RunCases) -> bool:
    """Whether nobody speaks in the whole run, which another question tells (`silent_runs`)."""
    return all(_is_empty(case) and not case.passed for case in judged(run))


def _judged_with_states(run: RunCases) -> Iterator[tuple[Case, bool]]:
    """The judged rollouts, and whether each ended by itself: nothing cut it and no turn was left incomplete."""
    known = {id(case) for case in judged(run)}
    frame = run.run.graded
    incomplete = frame["incomplete"].to_list() if "incomplete" in frame.columns else [None] * len(run.cases)
    for case, reason in zip(run.cases, incomplete, strict=True):
        if id(case) in known:
            yield case, reason is None and case.state in {Status.OK.value, Status.MALFORMED.value}


def _is_empty(case: Case) -> bool:
    """Whether the rollout says nothing, no answer was read from anywhere else, and some answer was wanted."""
    record = case.observed
    return record.get("final", {}).get("words") == 0 and not case.answer and record.get("task", {}).get("kind") != NONE


def _only_limits(name: str) -> bool:
    return not _LIMITS.isdisjoint(words(name))


def _of_run(run: RunCases, empty: Sequence[Case]) -> dict[str, Any]:
    rows = judged(run)
    of_run = [case for case in empty if case.run == run.run.name]
    empty_passes = sum(bool(case.passed) for case in of_run)
    passes = sum(bool(case.passed) for case in rows)
    return {
        "run": run.run.name,
        "empty": len(of_run),
        "empty_passes": empty_passes,
        "passes": passes,
        "left": passes - empty_passes,
        "rollouts": len(rows),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What silence earns; that some rollouts say nothing and fail is no fault of the evaluation."""
    if answer["passes"]:
        yield _empty_words(answer)


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _empty_words(answer)
    if answer["checks"]:
        yield _check_words(answer)
    if answer["broken"]:
        broken = [f"“{name}” in {failing:,}" for name, failing in answer["broken"]]
        yield say("What the others fail is {broken}.", broken=listed(broken))
    yield say(
        "For example task {task}, attempt {attempt} of {run}; all are in {tasks}.",
        tasks=task_list(answer["tasks"]),
        **answer["example"],
    )


def _empty_words(answer: Mapping[str, Any]) -> Sentence:
    of_runs = [(place, entry) for place, entry in enumerate(answer["runs"]) if entry["empty"]]
    spoken_runs = [entry["run"] for entry in answer["runs"] if not entry["empty"]]
    silent = answer["rollouts"]
    parts: list[str | Fact] = []
    for number, (place, entry) in enumerate(of_runs):
        parts += ["" if not number else " and " if number == len(of_runs) - 1 else ", ", f"{entry['run']} "]
        parts += [amount(entry["empty"], *_PATH, "runs", place, "empty"), " of "]
        parts.append(amount(entry["rollouts"], *_PATH, "runs", place, "rollouts"))
    return Sentence(
        (
            fact(count(silent, "rollout"), silent, *_PATH, "rollouts"),
            " of ",
            fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
            f" {'ends' if silent == 1 else 'end'} with an empty answer and without a sign of a cut (",
            *parts,
            f"; none of {listed(spoken_runs)}" if spoken_runs else "",
            *_passes_words(answer),
        )
    )


def _passes_words(answer: Mapping[str, Any]) -> Iterator[str | Fact]:
    """How many of them pass, and what their runs pass without these."""
    passes = answer["passes"]
    if not passes:
        yield "), and none passes."
        return
    yield "), and "
    yield fact(f"{passes:,} of them {'passes' if passes == 1 else 'pass'}", passes, *_PATH, "passes")
    yield f": the verifier rewards silence. Without {'this pass' if passes == 1 else 'these passes'} "
    of_runs = [(place, entry) for place, entry in enumerate(answer["runs"]) if entry["empty_passes"]]
    for number, (place, entry) in enumerate(of_runs):
        path = (*_PATH, "runs", place)
        yield "" if not number else " and " if number == len(of_runs) - 1 else ", "
        yield f"{entry['run']} passes "
        yield amount(entry["left"], *path, "left")
        yield " of "
        yield amount(entry["rollouts"], *path, "rollouts")
        yield " and not "
        yield amount(entry["passes"], *path, "passes")
    yield "."


def _check_words(answer: Mapping[str, Any]) -> Sentence:
    names = [f"“{name}” ({passing:,})" for name, passing in answer["checks"]]
    remainder = [f"{answer['more_checks']:,} more"] if answer["more_checks"] else []
    return say(
        "The checks of those that pass are {names}{limits}.",
        names=listed([*names, *remainder]),
        limits=": all of them only forbid or limit something, which an empty answer cannot break"
        if answer["only_limits"]
        else "",
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """An empty answer is to be failed before any check is asked, and why nothing is said is to be found."""
    if answer["passes"]:
        yield Advice(
            "verifier",
            "Fail empty answers before any check is asked, and judge these again",
            say(
                "{passes} without a word.",
                passes=fact(
                    count(answer["passes"], "rollout passes", "rollouts pass"), answer["passes"], *_PATH, "passes"
                ),
            ),
            answer["passes"],
            CERTAIN,
            before_scores=True,
        )
    if failures := answer["rollouts"] - answer["passes"]:
        yield Advice(
            "harness",
            "Find out why the final message of these rollouts is empty (a chat template, a parser of the reasoning, a "
            "stop string), and run them again",
            say("{failures} without a word.", failures=count(failures, "rollout fails", "rollouts fail")),
            failures,
            LIKELY,
        )
