"""Do rollouts go on where a tool says that there is more, and what does it cost to stop there?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, cause, counted_with_passes, in_order, outcome_p, pass_rate, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed

TITLE = "Answers of tools that say there is more"
ORDER = 60
WEIGHT = 1.3
FEWEST, FEWEST_TASKS = 5, 2
APART = 0.3
LIKELY = 0.6
HARDLY = 1 / 3
_PATH = ("investigation", "unread_pages", "tools")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per tool the rollouts that stop at such an answer, against those that fetch more of it."""
    cases: defaultdict[str, list[Case]] = defaultdict(list)
    for run in runs:
        for case in run.observing("unread_pages"):
            for tool in case.observed["unread_pages"]:
                cases[tool].append(case)
    tested = []
    for tool, rows in sorted(cases.items()):
        stopping = [case for case in rows if not case.observed["unread_pages"][tool]]
        fetching = [case for case in rows if case.observed["unread_pages"][tool]]
        if min(len(stopping), len(fetching)) >= FEWEST and len({case.key for case in stopping}) >= FEWEST_TASKS:
            p = outcome_p(rows, {id(case) for case in stopping})
            if p is not None and pass_rate(fetching) - pass_rate(stopping) >= APART:
                tested.append((tool, stopping, fetching, p))
    adjusted = benjamini_hochberg([p for *_, p in tested])
    sure = [(*entry[:3], p) for entry, p in zip(tested, adjusted, strict=True) if p <= SURE]
    if not sure:
        return None
    causes = [
        cause("BI", f"stops where {tool} says that there is more", stopping)
        for tool, stopping, _, _ in sure
        if pass_rate(stopping) <= HARDLY
    ]
    return {
        "tools": [_entry(tool, stopping, fetching, p, runs) for tool, stopping, fetching, p in sure],
        "causes": causes,
    }


def _entry(
    tool: str, stopping: Sequence[Case], fetching: Sequence[Case], p: float, runs: Sequence[RunCases]
) -> dict[str, Any]:
    return {
        "tool": tool,
        **counted_with_passes("stopping", stopping),
        **counted_with_passes("others", fetching),
        "tasks": in_order(case.label for case in stopping),
        "runs": [[run.run.name, sum(case.run == run.run.name for case in stopping)] for run in runs],
        "p": significant(p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["tools"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(0, answer["tools"][0])


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_PATH, place)
    return say(
        "{tool} says that there is more, and {stopping} go on without it: {passes} of them {verb} ({runs}; {tasks}), "
        "{other_passes} of the {others} that fetch more (exact test: p = {p}).",
        tool=entry["tool"],
        stopping=fact(count(entry["stopping"], "rollout"), entry["stopping"], *at, "stopping"),
        verb="passes" if entry["stopping_passes"] == 1 else "pass",
        passes=amount(entry["stopping_passes"], *at, "stopping_passes"),
        runs=listed([f"{run} {rollouts:,}" for run, rollouts in entry["runs"]]),
        tasks=task_list(entry["tasks"]),
        other_passes=amount(entry["others_passes"], *at, "others_passes"),
        others=amount(entry["others"], *at, "others"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p"),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The rest is to be fetched, or to come at once."""
    for place, entry in enumerate(answer["tools"]):
        failures = entry["stopping"] - entry["stopping_passes"]
        yield Advice(
            "prompt",
            f"Say in the prompt or in what {entry['tool']} answers that the rest is to be fetched before the list is "
            "used, or have it give more at once",
            say(
                "{failures} stop at the first part.",
                failures=fact(count(failures, "failure"), entry["stopping_passes"], *_PATH, place, "stopping_passes"),
            ),
            failures,
            LIKELY,
        )
