"""Which failures meet every check that the verifier records?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.counted_as_passes import by_run, counted_as_passes, run_counts
from blade.diagnosis.deciding_lists import deciding_lists
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.verdict import REWARD_FIELDS
from blade.questions import OF_THE_EVALUATION, in_order, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Failures that meet every check"
ORDER = 36
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_MET = 3, 20
NEARLY_ALL = 0.9
LIKELY = 0.7
_PATH = ("investigation", "denied_checks")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The judged failures that meet all recorded checks, where nearly all that meet them pass and nobody else does."""
    cases = [case for run in runs for case in run.observing("check_sets") if _sets(case)]
    full_cases = [case for case in cases if all(passed == total for passed, total in _sets(case))]
    listed = {id(case) for failing in deciding_lists(runs).values() for case in failing}
    full_cases = [case for case in full_cases if id(case) not in listed]
    denied = [case for case in full_cases if not case.passed]
    others_pass = sum(bool(case.passed) for case in cases) - (len(full_cases) - len(denied))
    decides = others_pass <= (1 - NEARLY_ALL) * len(full_cases)
    if (
        len(denied) < FEWEST
        or len(full_cases) < FEWEST_MET
        or len(denied) > (1 - NEARLY_ALL) * len(full_cases)
        or not decides
    ):
        return None
    first = denied[0]
    return {
        "rollouts": len(denied),
        "met": len(full_cases),
        "tasks": in_order(case.label for case in denied),
        "runs": run_counts(runs, denied),
        "fields": _shared_fields(runs, denied),
        "example": {"run": first.run, "task": first.label, "attempt": first.attempt},
    }


def _sets(case: Case) -> list[tuple[int, int]]:
    """How many checks of each recorded set a rollout meets, and how many there are."""
    return [(passed, total) for passed, total in case.observed["check_sets"].values() if total]


def _shared_fields(runs: Sequence[RunCases], denied: Sequence[Case]) -> list[list[Any]]:
    """Short values that all of these have and no pass has: what became of their verdict."""
    identities = {id(case) for case in denied}
    inside: Counter[tuple[str, str]] = Counter()
    of_passes: set[tuple[str, str]] = set()
    for run in runs:
        for case, fields in zip(run.cases, run.fields(), strict=True):
            known = ((name, value) for name, value in fields.items() if name not in REWARD_FIELDS)
            values = {(name, str(value)) for name, value in known if value is not None and value != ""}
            if id(case) in identities:
                inside.update(values)
            elif case.passed:
                of_passes |= values
    telling = [entry for entry, many in inside.items() if many == len(denied) and entry not in of_passes]
    return [list(entry) for entry in sorted(telling)][:2]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "{rollouts} of {tasks} ({runs}) are scored as failed although every check that is recorded was met; of the "
        "{met} that meet every check all others pass.",
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        runs=by_run(answer["runs"]),
        met=amount(answer["met"], *_PATH, "met"),
    )
    if answer["fields"]:
        fields = [f"{name} “{value}”" for name, value in answer["fields"]]
        yield say("All of them have {fields}, and no pass has.", fields=listed(fields))
    yield say(
        "Tasks: {tasks}; e.g. {task}, attempt {attempt} of {run}.", tasks=task_list(answer["tasks"]), **_example(answer)
    )
    yield counted_as_passes(answer["runs"])


def _example(answer: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in answer["example"].items()}


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What threw the verdict away is the verifier's or the harness's."""
    yield Advice(
        "verifier",
        "Find out why the verdict of rollouts that meet every check was lost, and grade them again",
        say(
            "{rollouts} meet every check and are scored as failed.",
            rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        ),
        answer["rollouts"],
        LIKELY,
        before_scores=True,
    )
