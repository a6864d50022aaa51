"""Tools that break, rows of another model and outages, put into rows in other ways than in `real_plants`."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from real_bases import Row
from real_plants import (
    COMPLAINTS,
    NOTICES,
    TOOL_WORDS,
    WORK,
    Ground,
    Impossible,
    Truth,
    break_tool,
    disguise,
    fail,
    gain,
    kill,
    names,
    passed,
    read,
    tools_of,
    write,
)
from real_variants import RECORDS, Way, one_of, truth_of

__all__ = ["OUTSIDE"]


# a tool that breaks


def broken_tool(ground: Ground) -> Truth:
    return one_of(ground, _now_and_then, _empty_answers, _half_of_the_calls, _in_some_tasks)


def _tool_with_dose(ground: Ground, share: float) -> str:
    if not ground.pair.base.tools:
        raise Impossible("no tools")
    worth: Counter[str] = Counter()
    for row in ground.rows:
        for tool in tools_of(row):
            worth[tool] += ground.worth(row)
    enough = sorted(tool for tool, value in worth.items() if share * value >= ground.dose)
    if not enough:
        raise Impossible("no tool has the dose to lose")
    return ground.rng.choice(enough)


def _broken(ground: Ground, tool: str, rows: list[Row], words: str, way: str, lost: float) -> Truth:
    before, hit = ground.score(), []
    for row in rows:
        if before - ground.score() >= ground.dose:
            break
        if tool in tools_of(row):
            break_tool(row, tool, words, ground.rng)
            hit.append(row)
            if ground.rng.random() < lost:
                fail(row, ground.pair.base)
    if before - ground.score() < 0.8 * ground.dose:
        raise Impossible("too little to lose")
    return truth_of(ground, "tool", way, hit, before, tool=tool)


def _now_and_then(ground: Ground) -> Truth:
    """Any row may meet it, all over the run."""
    tool = _tool_with_dose(ground, 0.6)
    rows = [row for row in ground.rows if ground.rng.random() < 0.75]
    return _broken(ground, tool, rows, ground.rng.choice(TOOL_WORDS), "now and then", 0.85)


def _empty_answers(ground: Ground) -> Truth:
    """It answers nothing at all."""
    words = ground.rng.choice(("", "[]", "{{}}", "null"))
    return _broken(ground, _tool_with_dose(ground, 0.85), ground.rows, words, f"answers {words or 'nothing'}", 0.9)


def _in_some_tasks(ground: Ground) -> Truth:
    """In some tasks always, in the others never."""
    tool = _tool_with_dose(ground, 0.85)
    tasks = list({row["_ng_task_index"]: None for row in ground.rows})
    ground.rng.shuffle(tasks)
    rows = sorted(ground.rows, key=lambda row: tasks.index(row["_ng_task_index"]))
    return _broken(ground, tool, rows, ground.rng.choice(TOOL_WORDS), "some tasks", 0.95)


def _half_of_the_calls(ground: Ground) -> Truth:
    """Half of its calls go wrong, the others do not."""
    tool, words = _tool_with_dose(ground, 0.7), ground.rng.choice(TOOL_WORDS)
    before, hit = ground.score(), []
    for row in ground.rows:
        if before - ground.score() >= ground.dose:
            break
        calls = [
            item["call_id"]
            for item in row["response"]["output"]
            if item.get("type") == "function_call" and item["name"] == tool
        ]
        gone = {call for call in calls if ground.rng.random() < 0.5}
        for item in row["response"]["output"]:
            if item.get("type") == "function_call_output" and item["call_id"] in gone:
                item["output"] = words.format(n=ground.rng.randrange(999))
        if gone:
            hit.append(row)
            if ground.rng.random() < 0.85:
                fail(row, ground.pair.base)
    if before - ground.score() < 0.8 * ground.dose:
        raise Impossible("too little to lose")
    return truth_of(ground, "tool", "half of the calls", hit, before, tool=tool)


# rows of another model


def foreign_rows(ground: Ground) -> Truth:
    return one_of(ground, _in_a_stretch, _of_some_tasks, _by_agent)


def _foreign(ground: Ground, order: list[int], way: str, mark: Callable[[Row, Row, Row], None]) -> Truth:
    donors, own = ground.pair.donors, ground.rows[0]
    if not donors:
        raise Impossible("no other model")
    before, hit = ground.score(), []
    for place in order:
        row = ground.rows[place]
        theirs = donors.get(row["_ng_task_index"])
        if before - ground.score() >= ground.dose or len(hit) > 0.3 * len(ground.rows):
            break
        if theirs:
            new = copy.deepcopy(ground.rng.choice(theirs))
            mark(new, row, own)
            ground.rows[place] = new
            hit.append(new)
    if before - ground.score() < 0.7 * ground.dose:
        raise Impossible("the other model is too good")
    return truth_of(ground, "foreign_rows", way, hit, before)


def _in_a_stretch(ground: Ground) -> Truth:
    start = ground.rng.randrange(len(ground.rows))
    order = [(start + n) % len(ground.rows) for n in range(len(ground.rows))]
    way = ground.rng.choice(("name", "trace"))
    base = ground.pair.base
    return _foreign(ground, order, f"stretch, {way}", lambda new, row, own: disguise(new, row, own, base, way))


def _of_some_tasks(ground: Ground) -> Truth:
    tasks = list({row["_ng_task_index"]: None for row in ground.rows})
    ground.rng.shuffle(tasks)
    order = sorted(range(len(ground.rows)), key=lambda place: tasks.index(ground.rows[place]["_ng_task_index"]))
    way, base = ground.rng.choice(("name", "trace")), ground.pair.base
    return _foreign(ground, order, f"tasks, {way}", lambda new, row, own: disguise(new, row, own, base, way))


def _by_agent(ground: Ground) -> Truth:
    """Only a field of the harness tells whose rows they are."""
    for row in (*ground.pair.a, *ground.rows):
        write(row, "harness.checkpoint", "step_4000")

    def mark(new: Row, row: Row, own: Row) -> None:
        disguise(new, row, own, ground.pair.base, "trace")
        new["response"]["id"] = row["response"]["id"]
        write(new, "harness.checkpoint", "step_250")

    order = list(range(len(ground.rows)))
    ground.rng.shuffle(order)
    return _foreign(ground, order, "checkpoint", mark)


# an outage


def outage(ground: Ground) -> Truth:
    before = ground.score()
    where, hit, way = _some_outage(ground, ground.dose)
    return truth_of(ground, "infrastructure", way, hit, before, **where)


def gain_and_outage(ground: Ground) -> Truth:
    gained = gain(ground, 1.3 * ground.dose)
    before = ground.score()
    where, hit, way = _some_outage(ground, ground.dose)
    return Truth(("infrastructure",), way, where, names(hit), ground.score() - before, gained)


def _some_outage(ground: Ground, dose: float) -> tuple[dict[str, Any], list[Row], str]:
    """In one stretch or all over the run; an error of the response, an unfinished attempt, or a dead category."""
    how = ground.rng.choice(("error", "broken off", "scattered", "category"))
    if how == "broken off" and not ground.pair.base.transcripts:
        how = "error"
    path = ground.pair.base.category
    if how == "category" and not path:
        how = "scattered"
    rows, density = list(enumerate(ground.rows)), 0.85
    start = ground.rng.randrange(len(rows) // 2)
    if how in {"error", "broken off"}:
        rows = rows[start:]
    elif how == "scattered":
        ground.rng.shuffle(rows)
    else:
        chosen = ground.rng.choice(sorted({str(read(row, path)) for _, row in rows}))
        rows = [(place, row) for place, row in rows if str(read(row, path)) == chosen]
    words, before, hit, end = ground.rng.choice(NOTICES), ground.score(), [], start
    for place, row in rows:
        if before - ground.score() >= dose:
            break
        end = place + 1
        if ground.rng.random() < density:
            _lose(ground, row, words, how)
            hit.append(row)
    if before - ground.score() < 0.8 * dose:
        raise Impossible("too little to lose")
    where: dict[str, Any] = {"window": (start, end)} if how in {"error", "broken off"} else {}
    return where | ({"category": chosen} if how == "category" else {}), hit, how


def _lose(ground: Ground, row: Row, words: str, how: str) -> None:
    text = words.format(n=ground.rng.randrange(999))
    if how == "broken off":
        output = row["response"]["output"]
        fail(row, ground.pair.base)
        row["response"]["output"] = output[: ground.rng.randrange(1, max(2, len(output) // 3))]
        row["response"]["error"] = {"code": "backend", "message": text}
        row["response"]["status"] = "failed"
        if ground.pair.base.answer:
            write(row, ground.pair.base.answer, None)
        return
    kill(row, ground.pair, words, "silent" if how == "error" else "field", ground.rng)
    if how == "error":
        row["response"]["error"] = {"code": ground.rng.choice((17, 503)), "message": text}


# nothing at all


def decoys(ground: Ground) -> Truth:
    """Records, marks and complaints that say nothing: both runs alike, or rows that failed anyway."""
    name, rng = ground.rng.choice(RECORDS), ground.rng
    how = rng.choice(("marks", "words", "notes", "usage"))
    for row in (*ground.pair.a, *ground.rows):
        if how == "marks":
            row[name] = {"mark": round(_near(row, rng), 3), "by": rng.choice(("reviewer-1", "reviewer-2"))}
        elif how == "words":
            row[name] = {"outcome": rng.choice(("ok", "nok"))}
    if how == "notes":
        words = rng.choice(COMPLAINTS)
        for row in ground.rows:
            if rng.random() < 0.2:
                row["note"] = words.format(n=rng.randrange(999))
    if how == "usage":
        for row in ground.rows:
            for path in WORK:
                if isinstance(read(row, path), int):
                    write(row, path, read(row, path) + rng.randrange(3))
    return Truth((), how)


def _near(row: Row, rng: random.Random) -> float:
    """A mark that leans to the verdict and does not tell it."""
    return min(1.0, max(0.0, 0.35 + 0.3 * float(passed(row)) + rng.gauss(0, 0.15)))


OUTSIDE: Mapping[str, Way] = {
    "decoys_varied": decoys,
    "broken_tool_varied": broken_tool,
    "foreign_rows_varied": foreign_rows,
    "outage_varied": outage,
    "gain_and_outage_varied": gain_and_outage,
}
