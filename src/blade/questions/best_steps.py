"""Is the reward that of the best step and not of the last: does it pay what the model had and gave up again?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.step_scores import SAME
from blade.questions import in_order, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact

TITLE = "The best step counts"
ORDER = 36
FEWEST = 8
FEWEST_WORSE = 3
MOST_NAMED = 6


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: rows whose reward is the best of their steps' scores, and those whose last step scores less."""
    entries = [entry for run in runs if (entry := _entry(run)) is not None]
    return {"runs": entries} if entries else None


def _entry(run: RunCases) -> dict[str, Any] | None:
    rows = [
        (case, case.observed["step_scores"])
        for case in run.cases
        if case.evaluable and case.stage_lost is None and "step_scores" in case.observed
    ]
    if len(rows) < FEWEST:
        return None
    field = Counter(record[0] for _, record in rows).most_common(1)[0][0]
    rows = [(case, record) for case, record in rows if record[0] == field]
    worse = [(case, record) for case, record in rows if record[3] < record[2] - SAME]
    if len(rows) < FEWEST or len(worse) < FEWEST_WORSE or not all(_is_best(case, record) for case, record in rows):
        return None
    return {
        "run": run.run.name,
        "field": field,
        "rollouts": len(rows),
        "worse": len(worse),
        "passes": sum(bool(case.passed) for case, _ in worse),
        "tasks": in_order(case.label for case, _ in worse),
        "mean": _mean([case.reward for case, _ in rows]),
        "mean_last": _mean([record[3] for _, record in rows]),
    }


def _is_best(case: Case, record: Sequence[Any]) -> bool:
    return abs(case.reward - float(record[2])) <= SAME


def _mean(values: Sequence[float]) -> float:
    return significant(fsum(values) / len(values), WRITTEN)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["runs"])))]


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = ("investigation", "best_steps", "runs", place)
    return say(
        "In {run} the reward is that of the best step: it equals the largest of “{field}” in all {rollouts} that list "
        "it. In {worse} of them ({tasks}) the last step scores less: the work got worse again and was still "
        "paid for its best{passes}. If the last step counted, the mean reward would be {last} instead of {mean}.",
        run=entry["run"],
        field=entry["field"],
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        worse=amount(entry["worse"], *path, "worse"),
        tasks=task_list(entry["tasks"], MOST_NAMED),
        passes=f" ({entry['passes']:,} of these pass)" if entry["passes"] else "",
        last=fact(f"{entry['mean_last']:.4g}", entry["mean_last"], *path, "mean_last"),
        mean=fact(f"{entry['mean']:.4g}", entry["mean"], *path, "mean"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The run in which it moves the mean most."""
    place, entry = max(enumerate(answer["runs"]), key=lambda pair: pair[1]["mean"] - pair[1]["mean_last"])
    path = ("investigation", "best_steps", "runs", place)
    yield say(
        "The reward is that of the best step, not of the last: {worse} of {rollouts} of {run} end below it, and the "
        "mean would be {last} instead of {mean} if the last step counted.",
        worse=amount(entry["worse"], *path, "worse"),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        run=entry["run"],
        last=fact(f"{entry['mean_last']:.4g}", entry["mean_last"], *path, "mean_last"),
        mean=fact(f"{entry['mean']:.4g}", entry["mean"], *path, "mean"),
    )
