"""Do outputs that break off inside a JSON string have one length, as a limit of output tokens leaves them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.undecoded import ends_in_a_string
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import SURE, judged, task_list
from blade.stats.binomial import more_often_p
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed

TITLE = "Output that breaks off inside a string"
ORDER = 77
WEIGHT = 1.0
FEWEST, FEWEST_TASKS = 4, 2
MOSTLY = 2 / 3
WIDTH = 1.1
"""Of a rollout the tokens of all turns are counted: those before the cut one differ a little."""
MAYBE = 0.5
MOST_TASKS = 6


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs whose rollouts that break off inside a string mostly wrote about equally much, as others seldom do."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    return {"runs": entries} if entries else None


def _of_run(run: RunCases) -> dict[str, Any] | None:
    judged_ids = {id(case) for case in judged(run)}
    tokens = zip(run.cases, run.run.graded["output_tokens"].to_list(), strict=True)
    rows = [(case, int(used)) for case, used in tokens if id(case) in judged_ids and used]
    broken = sorted(((used, case) for case, used in rows if ends_in_a_string(case)), key=lambda pair: pair[0])
    if len(broken) < FEWEST:
        return None
    heaps = [[(used, case) for used, case in broken if first <= used <= WIDTH * first] for first, _ in broken]
    heap = max(heaps, key=len)
    least, most = heap[0][0], heap[-1][0]
    tasks = {case.label for _, case in heap}
    others = [used for case, used in rows if not ends_in_a_string(case)]
    like = sum(least <= used <= most for used in others)
    p = min(1.0, len(broken) * more_often_p(len(heap), len(broken), like, len(others)))
    if len(heap) < max(FEWEST, MOSTLY * len(broken)) or len(tasks) < FEWEST_TASKS or p > SURE:
        return None
    return {
        "run": run.run.name,
        "rollouts": len(broken),
        "passes": sum(bool(case.passed) for _, case in broken),
        "alike": len(heap),
        "tasks": sorted(tasks),
        "least": least,
        "most": most,
        "others": len(others),
        "others_alike": like,
        "p": significant(p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_words(answer)))]


def _words(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["runs"]):
        path = ("investigation", "cut_json", "runs", place)
        yield say(
            "{rollouts} of {run} end with JSON that breaks off inside a string ({passes} of them pass). {alike} of "
            "them ({tasks}) wrote {least} to {most} output tokens in all, as {others_alike} of its {others} do: they "
            "were probably cut at a limit of output tokens a little below.",
            run=entry["run"],
            rollouts=fact(count(entry["rollouts"], "judged rollout"), entry["rollouts"], *path, "rollouts"),
            passes=amount(entry["passes"], *path, "passes"),
            alike=amount(entry["alike"], *path, "alike"),
            tasks=task_list(entry["tasks"], MOST_TASKS),
            least=amount(entry["least"], *path, "least"),
            most=amount(entry["most"], *path, "most"),
            others_alike=amount(entry["others_alike"], *path, "others_alike"),
            others=fact(count(entry["others"], "other judged rollout"), entry["others"], *path, "others"),
        )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Give one reply more room: what is cut inside a string was not done."""
    runs = answer["runs"]
    many = sum(entry["alike"] - entry["passes"] for entry in runs)
    if many > 0:
        yield Advice(
            "harness",
            "Raise the limit of output tokens for one reply, or record where a reply was cut",
            say(
                "Output breaks off inside a JSON string at one length: {runs}.",
                runs=listed([f"{entry['run']} {count(entry['alike'], 'rollout')}" for entry in runs]),
            ),
            many,
            MAYBE,
        )
