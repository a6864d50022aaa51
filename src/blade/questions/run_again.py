"""Were rollouts run again after an end that did not count, and how much of the score rests on that?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import abridged, amount, count, fact

TITLE = "Rollouts that were run again"
ORDER = 29
WEIGHT = 0.6
FEWEST = 3
MOST_WORDS = 3
LARGE = 0.02
"""So many of a run's rollouts, and the first screen says so."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the rollouts that replace an earlier end, how those ended, and the passes with and without them."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    return {"runs": entries} if entries else None


def _of_run(run: RunCases) -> dict[str, Any] | None:
    cases = judged(run)
    second_tries = [case for case in cases if "earlier_end" in case.observed]
    if len(second_tries) < FEWEST or len(second_tries) == len(cases):
        return None
    ends = Counter(case.observed["earlier_end"] for case in second_tries if case.observed["earlier_end"])
    return {
        "run": run.run.name,
        "rollouts": len(second_tries),
        "judged": len(cases),
        "passes": sum(bool(case.passed) for case in second_tries),
        "all_passes": sum(bool(case.passed) for case in cases),
        "ends": dict(ends.most_common()),
        "tasks": in_order({case.label for case in second_tries}),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["runs"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """That a part of the score rests on second tries."""
    for place, entry in enumerate(answer["runs"]):
        if entry["passes"] and entry["rollouts"] >= LARGE * entry["judged"]:
            yield _words(place, entry)


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = ("investigation", "run_again", "runs", place)
    ends = abridged([f"{word} {times:,}" for word, times in entry["ends"].items()], MOST_WORDS, "more kind")
    other_passes = entry["all_passes"] - entry["passes"]
    return say(
        "{rollouts} of {run} were run again after a first end that does not count{ends}; {passes} ({tasks}). With that "
        "end counted as a failure, {other_passes} of {judged} would pass instead of {all_passes}.",
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        run=entry["run"],
        ends=f" ({ends})" if ends else "",
        passes=fact(count(entry["passes"], "of them passes", "of them pass"), entry["passes"], *path, "passes"),
        tasks=task_list(entry["tasks"]),
        other_passes=f"{other_passes:,}",
        judged=fact(count(entry["judged"], "judged rollout"), entry["judged"], *path, "judged"),
        all_passes=amount(entry["all_passes"], *path, "all_passes"),
    )
