"""Which checks take a part of another word for the word they look for?

A check whose argument is a word can be held against the answers: it may fail, or be met, where the word stands nowhere
by itself and only inside another one ("art" in "quarter"). That is the verifier's doing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.counted_as_passes import by_run, counted_as_passes, run_counts
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.check_arguments import ABSENT, INSIDE, STANDS
from blade.questions import OF_THE_EVALUATION, cause, fails_alone, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Words that a check finds inside other words"
ORDER = 80
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_TASKS = 4, 2
HARDLY, NEARLY_ALL = 0.1, 0.9
LIKELY = 0.8
MOST_EXAMPLES = 6
_PATH = ("investigation", "matched_inside")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Checks that judge a word inside another one as they judge the word itself, with the rollouts concerned."""
    rows_by_check: defaultdict[tuple[str, str], list[tuple[Case, int, int, str]]] = defaultdict(list)
    for case in (case for run in runs for case in judged(run)):
        for check, met, how, example in _of_checks(case.observed.get("check_arguments", ())):
            rows_by_check[check].append((case, met, how, example))
    entries = [entry for check, rows in rows_by_check.items() if (entry := _of_check(check[0], rows, runs)) is not None]
    entries.sort(key=lambda entry: (-entry["rollouts"], entry["check"]))
    if not entries:
        return None
    causes = [
        cause("TI", f"{entry['check']} finds its word inside another one", entry.pop("cases")) for entry in entries
    ]
    return {"checks": entries, "causes": causes}


def _of_checks(entries: Sequence[Sequence[Any]]) -> Iterator[tuple[tuple[str, str], int, int, str]]:
    """Per check and argument of a rollout: whether it is met, how the answer holds any of its words, and an example."""
    by_check: defaultdict[tuple[str, str], list[Sequence[Any]]] = defaultdict(list)
    for entry in entries:
        by_check[entry[0], entry[2]].append(entry)
    for check, values in by_check.items():
        how = max(entry[5] for entry in values)
        example = next((f"“{entry[3]}” in “{entry[6]}”" for entry in values if entry[5] == INSIDE), "")
        yield check, values[0][1], how, example


def _of_check(
    check: str, rows: Sequence[tuple[Case, int, int, str]], runs: Sequence[RunCases]
) -> dict[str, Any] | None:
    shares = {
        how: _share_met([met for _, met, holding, _ in rows if holding == how]) for how in (ABSENT, INSIDE, STANDS)
    }
    inner_rows = [(case, example) for case, _, how, example in rows if how == INSIDE]
    if len(inner_rows) < FEWEST or len({case.key for case, _ in inner_rows}) < FEWEST_TASKS:
        return None
    absent, inner, standing = (shares[how] for how in (ABSENT, INSIDE, STANDS))
    if absent is None or inner is None:
        return None
    forbids = absent >= NEARLY_ALL and inner <= HARDLY and (standing is None or standing <= HARDLY)
    asks = absent <= HARDLY and inner >= NEARLY_ALL and standing is not None and standing >= NEARLY_ALL
    if not forbids and not asks:
        return None
    misjudged = [case for case, met, how, _ in rows if how == INSIDE and bool(met) is asks]
    alone = [case for case in misjudged if not case.passed and fails_alone(case)]
    examples = Counter(example for _, example in inner_rows)
    return {
        "check": check,
        "forbids": forbids,
        "rollouts": len(misjudged),
        "of_tasks": sorted({case.label for case in misjudged}),
        "runs": run_counts(runs, misjudged),
        "alone": len(alone),
        "cases": alone if forbids else [],
        "runs_alone": run_counts(runs, alone),
        "passes": sum(bool(case.passed) for case in misjudged),
        "others": sum(how == ABSENT for _, _, how, _ in rows),
        "others_met": sum(bool(met) for _, met, how, _ in rows if how == ABSENT),
        "examples": [example for example, _ in examples.most_common(MOST_EXAMPLES)],
    }


def _share_met(verdicts: Sequence[int]) -> float | None:
    return sum(map(bool, verdicts)) / len(verdicts) if len(verdicts) >= FEWEST - 1 else None


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, entry in enumerate(answer["checks"]):
        scores = [counted_as_passes(entry["runs_alone"])] if entry["forbids"] and entry["alone"] else []
        blocks.append(Paragraph((_summary(place, entry), *scores)))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _summary(0, answer["checks"][0])


def _summary(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_PATH, "checks", place)
    facts = {
        "check": entry["check"],
        "rollouts": fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *at, "rollouts"),
        "tasks": fact(count(len(entry["of_tasks"]), "task"), len(entry["of_tasks"]), *at, "of_tasks"),
        "names": task_list(entry["of_tasks"]),
        "runs": by_run(entry["runs"]),
        "examples": listed(entry["examples"]),
    }
    if not entry["forbids"]:
        return say(
            "“{check}” is met in {rollouts} of {tasks} ({runs}; {names}) whose answer holds its word only inside other "
            "words ({examples}); {passes} of them pass.",
            **facts,
            passes=amount(entry["passes"], *at, "passes"),
        )
    return say(
        "“{check}” fails in {rollouts} of {tasks} ({runs}; {names}) whose answer has none of its words as a word, only "
        "inside other words ({examples}), in {alone} of them as the only check that fails; where the answer has none "
        "of them at all, {others_met} of {others} meet it.",
        **facts,
        alone=amount(entry["alone"], *at, "alone"),
        others_met=amount(entry["others_met"], *at, "others_met"),
        others=amount(entry["others"], *at, "others"),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Whole words are to be compared."""
    rollouts = sum(entry["rollouts"] for entry in answer["checks"])
    names = listed([f"“{entry['check']}”" for entry in answer["checks"]])
    yield Advice(
        "verifier",
        f"Let {names} compare whole words, and judge these answers again",
        say(
            "{rollouts} hold a word of the check only inside other words.",
            rollouts=fact(count(rollouts, "rollout"), rollouts, *_PATH, "checks"),
        ),
        sum(entry["alone"] for entry in answer["checks"]),
        LIKELY,
        before_scores=True,
    )
