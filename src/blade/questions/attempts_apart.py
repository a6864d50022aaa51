"""Do the attempts of a run differ: what they pass, what was cut or not judged, and how many ran at once?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from blade.counting.durations import spans
from blade.diagnosis.cases import RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import by_task, judged
from blade.wording import amount, count, fact, listed

TITLE = "The attempts side by side"
ORDER = 69
OF_COPIES = True
FEWEST_ROWS = 10
MOST_ATTEMPTS = 10
NOT_JUDGED = "not_judged"
CUT = "timed_out"
TIMES = 2
"""Attempts differ in how many ran at once if the most are so many times the fewest."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run with several whole attempts: passes, judged, cut and unjudged rollouts of each, and the most at once."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    return {"runs": entries} if entries else None


def _of_run(run: RunCases) -> dict[str, Any] | None:
    facts = run.run.facts.filter(~run.run.facts["copy"])
    rows: defaultdict[int, list[tuple[bool | None, str | None, str]]] = defaultdict(list)
    times: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    columns = facts.select("attempt", "passed", "stage_lost", "state", "file", "line").iter_rows()
    outcomes = {case.place[:2]: case.passed for case in run.cases}
    for (attempt, passed, stage, state, file, line), fields in zip(columns, run.fields_of(facts), strict=True):
        outcome = outcomes.get((run.run.raw.sources[file], line), passed)  # a full score may stand for a pass
        rows[attempt].append((outcome, stage, state))
        if parts := [span for _, span in spans(fields)]:
            times[attempt].append(max(parts, key=lambda span: span[1] - span[0]))
    if not 1 < len(rows) <= MOST_ATTEMPTS or min(map(len, rows.values())) < FEWEST_ROWS:
        return None
    if all(passed is None for own in rows.values() for passed, _, _ in own):
        return None
    rates = [sum(bool(case.passed) for case in cases) / len(cases) for cases in by_task(judged(run)).values()]
    return {
        "run": run.run.name,
        "tasks": {
            "every": sum(rate == 1.0 for rate in rates),
            "some": sum(0.0 < rate < 1.0 for rate in rates),
            "none": sum(rate == 0.0 for rate in rates),
        },
        "attempts": [
            {
                "attempt": attempt,
                "passes": sum(passed is True for passed, _, _ in rows[attempt]),
                "judged": sum(stage is None and passed is not None for passed, stage, _ in rows[attempt]),
                "cut": sum(state == CUT and passed is not True for passed, _, state in rows[attempt]),
                "not_judged": sum(stage == NOT_JUDGED for _, stage, _ in rows[attempt]),
                "at_once": _at_once(times[attempt]) if len(times[attempt]) == len(rows[attempt]) else None,
            }
            for attempt in sorted(rows)
        ],
    }


def _at_once(times: Iterable[tuple[float, float]]) -> int:
    """The most rollouts under way at one moment; one that ends as another starts is over."""
    moments = sorted([(start, 1) for start, _ in times] + [(end, -1) for _, end in times])
    under_way = most = 0
    for _, change in moments:
        under_way += change
        most = max(most, under_way)
    return most


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = (Paragraph(tuple(_words(place, entry))) for place, entry in enumerate(answer["runs"]))
    return [Bullets(tuple(items))]


def _words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    attempts = entry["attempts"]
    parts = [f"{{passes{n}}} of {attempt['judged']:,}" for n, attempt in enumerate(attempts)]
    yield say(
        "Judged rollouts that pass in attempts {first} to {last} of {run}: "
        + listed(parts)
        + "; of its {tasks}, every judged attempt passes in {every}, some in {some} and none in {none}.",
        run=entry["run"],
        tasks=count(sum(entry["tasks"].values()), "task"),
        first=str(attempts[0]["attempt"]),
        last=str(attempts[-1]["attempt"]),
        **{
            f"passes{n}": fact(
                f"{attempt['passes']:,}", attempt["passes"], *_AT, "runs", place, "attempts", n, "passes"
            )
            for n, attempt in enumerate(attempts)
        },
        **{name: amount(many, *_AT, "runs", place, "tasks", name) for name, many in entry["tasks"].items()},
    )
    timed = [attempt for attempt in attempts if attempt["at_once"]]
    if len(timed) < len(attempts):
        return
    fewest, most = (pick(timed, key=lambda entry: (entry["at_once"], entry["attempt"])) for pick in (min, max))
    if most["at_once"] >= TIMES * fewest["at_once"] and (most["cut"] or most["not_judged"]):
        yield say(
            "They ran under different load: {most} rollouts at once in attempt {busy} (failures out of "
            "time {cut}, without a verdict {lost}), {fewest} in attempt {calm} ({calm_cut} and {calm_lost}).",
            most=f"{most['at_once']:,}",
            busy=str(most["attempt"]),
            cut=f"{most['cut']:,}",
            lost=f"{most['not_judged']:,}",
            fewest=f"{fewest['at_once']:,}",
            calm=str(fewest["attempt"]),
            calm_cut=f"{fewest['cut']:,}",
            calm_lost=f"{fewest['not_judged']:,}",
        )


_AT = ("investigation", "attempts_apart")
