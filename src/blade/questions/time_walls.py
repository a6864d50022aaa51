"""At which second do rollouts of many tasks end, with hardly any beside it, as a limit of time ends them?"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from blade.counting.audit import COUNTS
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Fact, Paragraph, Sentence, say
from blade.questions import judged
from blade.wording import amount, count, fact, listed

TITLE = "Seconds at which rollouts pile up"
ORDER = 101
WEIGHT = 0.15
FEWEST, FEWEST_TASKS, FEWEST_VALUES = 10, 3, 8
SHORTEST = 10.0
"""So few seconds many rollouts may take by chance alike."""
WIDTH, BESIDE = 1.0, 10.0
TIMES = 2
"""With so many times as many rollouts as all the seconds beside it, a second is a wall."""
HALF = 0.5
LESS = 0.6
"""Of the usual share of passes: at a wall of time fewer pass."""
NEARLY = 0.01
MOST_WALLS, MOST_RUNS = 5, 8
Timed = tuple[float, Case]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The walls with their rollouts, and of each run how many end there and how many of these pass."""
    timed = {run.run.name: _timed(run) for run in runs}
    rows = sorted((row for run_rows in timed.values() for row in run_rows), key=lambda row: row[0])
    limit_values = {limit.value for run in runs for limit, _ in run.run.reached_limits if limit.count not in COUNTS}
    walls = [wall for wall in _walls(rows) if not any(abs(wall - value) <= NEARLY * value for value in limit_values)]
    if not walls:
        return None
    walls = sorted(sorted(walls, key=lambda wall: -len(_near(rows, wall)))[:MOST_WALLS])
    entries: list[dict[str, Any]] = []
    for name, run_rows in timed.items():
        cases = _cases(run_rows, walls)
        if run_rows:
            passes = sum(bool(case.passed) for case in cases)
            entries.append({"run": name, "rollouts": len(cases), "passes": passes, "of": len(run_rows)})
    entries.sort(key=lambda entry: (-entry["rollouts"] / entry["of"], entry["run"]))
    at_walls = {id(case) for case in _cases(rows, walls)}
    others = [case for _, case in rows if id(case) not in at_walls]
    return {
        "walls": walls,
        "rollouts": len(at_walls),
        "tasks": len({case.key for case in _cases(rows, walls)}),
        "runs": entries,
        "others": len(others),
        "other_passes": sum(bool(case.passed) for case in others),
    }


def _timed(run: RunCases) -> list[Timed]:
    """The judged rollouts of a run with their seconds, where these were measured."""
    judged_ids = {id(case) for case in judged(run)}
    pairs = zip(run.agent_seconds(), run.cases, strict=True)
    rows = [(seconds, case) for seconds, case in pairs if seconds > 0 and id(case) in judged_ids]
    return rows if len({seconds for seconds, _ in rows}) >= FEWEST_VALUES else []


def _near(rows: Sequence[Timed], wall: float, width: float = WIDTH) -> Sequence[Timed]:
    """Of rows in the order of their seconds those about one."""
    first = bisect_left(rows, wall - width, key=itemgetter(0))
    return rows[first : bisect_right(rows, wall + width, key=itemgetter(0))]


def _cases(rows: Sequence[Timed], walls: Sequence[float]) -> list[Case]:
    return [case for seconds, case in rows if any(abs(seconds - wall) <= WIDTH for wall in walls)]


def _walls(rows: Sequence[Timed]) -> Iterator[int]:
    """The whole seconds about which rollouts of several tasks end, far more than beside them, and mostly fail.

    They fail mostly, and far more than others do: where as much passes as elsewhere nothing was cut.
    """
    most_passes = min(HALF, LESS * sum(bool(case.passed) for _, case in rows) / max(1, len(rows)))
    candidates = {round(seconds) for seconds, _ in rows if seconds >= SHORTEST}
    best: dict[int, int] = {}
    for second in sorted(candidates):
        near = _near(rows, second)
        neighbours = len(_near(rows, second, BESIDE + WIDTH)) - len(near)
        passes = sum(bool(case.passed) for _, case in near)
        tasks = len({case.key for _, case in near})
        if len(near) >= max(FEWEST, TIMES * neighbours) and tasks >= FEWEST_TASKS and passes <= most_passes * len(near):
            best[second] = len(near)
    for second, rollouts in best.items():
        rivals = [other for other in best if 0 < abs(other - second) <= 2 * WIDTH]
        if all((rollouts, -second) > (best[other], -other) for other in rivals):
            yield second


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer),))]


def _words(answer: Mapping[str, Any]) -> Sentence:
    facts: dict[str, Fact | str] = {}
    parts = []
    hit = [(place, entry) for place, entry in enumerate(answer["runs"]) if entry["rollouts"]]
    for place, entry in hit[:MOST_RUNS]:
        facts |= {
            f"run{place}": entry["run"],
            f"many{place}": amount(entry["rollouts"], *_AT, "runs", place, "rollouts"),
            f"of{place}": amount(entry["of"], *_AT, "runs", place, "of"),
            f"pass{place}": amount(entry["passes"], *_AT, "runs", place, "passes"),
        }
        passes = "passes" if entry["passes"] == 1 else "pass"
        parts.append(f"{{run{place}}} {{many{place}}} of {{of{place}}} judged ({{pass{place}}} {passes})")
    if len(hit) > MOST_RUNS:
        parts.append(f"{len(hit) - MOST_RUNS:,} more runs")
    return say(
        "{rollouts} of {tasks} end within a second of {walls} s, hardly any just before or after, as where time runs "
        "out. By run: " + listed(parts) + ". Of those that end at other times "
        "{other_passes} of {others} pass.",
        rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_AT, "rollouts"),
        tasks=fact(count(answer["tasks"], "task"), answer["tasks"], *_AT, "tasks"),
        walls=listed([f"{wall:,}" for wall in answer["walls"]], "or"),
        other_passes=amount(answer["other_passes"], *_AT, "other_passes"),
        others=amount(answer["others"], *_AT, "others"),
        **facts,
    )


_AT = ("investigation", "time_walls")
