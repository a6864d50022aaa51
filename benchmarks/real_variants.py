"""A verifier, a judge or keys that change, put into rows in other ways than in `real_plants`.

Nobody plants as the rules were written for. Other fields, other doses and other places are planted here, in ways that
no rule of the engine was written for, so that what is measured is the principle and not the plant.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from real_bases import Row
from real_plants import (
    Ground,
    Impossible,
    Truth,
    another_key,
    fail,
    names,
    passed,
    read,
    some_category,
    tasks_at_random,
    write,
)

__all__ = ["RECORDS", "VERDICTS", "Way", "one_of", "truth_of"]

RECORDS = ("report", "inspection", "befund")
Way = Callable[[Ground], Truth]


def one_of(ground: Ground, *ways: Way) -> Truth:
    """The first way, in an order of the dice, that this base takes."""
    order = list(ways)
    ground.rng.shuffle(order)
    for way in order:
        try:
            return way(ground)
        except Impossible:
            continue
    raise Impossible("in no way")


def truth_of(ground: Ground, cause: str, way: str, hit: list[Row], before: float, **where: Any) -> Truth:
    return Truth((cause,), way, where, names(hit), ground.score() - before)


# a bug of the verifier


def verifier_bug(ground: Ground) -> Truth:
    return one_of(ground, _nested_verdict, _checks_all_right, _half_marks, _bug_since, _lenient, _same_answer)


def _nested_verdict(ground: Ground) -> Truth:
    """A record beside the reward keeps the verdict, as a word."""
    name, (good, bad) = ground.rng.choice(RECORDS), ground.rng.choice((("ok", "nok"), ("pass", "fail"), ("ja", "nein")))
    for row in (*ground.pair.a, *ground.rows):
        row[name] = {"outcome": good if passed(row) else bad}
    rows, where = some_category(ground)
    hit, before = ground.until_dose(rows), ground.score()
    for row in hit:
        fail(row, ground.pair.base)
    return truth_of(ground, "verifier", "nested verdict", hit, before, **where)


def _checks_all_right(ground: Ground) -> Truth:
    """A list of checks, of which failures miss some, is complete where the reward is nothing."""
    name, many = ground.rng.choice(RECORDS), ground.rng.randrange(3, 6)
    for row in (*ground.pair.a, *ground.rows):
        broken = set() if passed(row) else {ground.rng.randrange(many)}
        row[name] = {"checks": [{"name": f"part {n}", "passed": n not in broken} for n in range(many)]}
    rows, where = some_category(ground)
    hit, before = ground.until_dose(rows), ground.score()
    for row in hit:
        fail(row, ground.pair.base)
    return truth_of(ground, "verifier", "checks", hit, before, **where)


def _half_marks(ground: Ground) -> Truth:
    """Half of the reward is gone where the verdict stands."""
    if not ground.pair.base.flags:
        raise Impossible("no verdict")
    rows, where = some_category(ground)
    ground.dose *= 2
    try:
        hit = ground.until_dose(rows)
    finally:
        ground.dose /= 2
    before = ground.score()
    for row in hit:
        row["reward"] = 0.5
    return truth_of(ground, "verifier", "half marks", hit, before, **where)


def _bug_since(ground: Ground) -> Truth:
    """From some row on, whatever the category; the verifier's other fields keep the verdict."""
    if not ground.pair.base.flags:
        raise Impossible("no verdict")
    start = ground.rng.randrange(len(ground.rows) // 2)
    hit = ground.until_dose([row for row in ground.rows[start:] if passed(row)])
    before, touched = ground.score(), {id(row) for row in hit}
    last = max(place for place, row in enumerate(ground.rows) if id(row) in touched)
    for row in hit:
        fail(row, ground.pair.base, flags=False)
    return truth_of(ground, "verifier", "since", hit, before, window=(start, last + 1))


def _lenient(ground: Ground) -> Truth:
    """Failures pass; the verifier's other fields keep the verdict."""
    if not ground.pair.base.flags:
        raise Impossible("no verdict")
    lost = [row for row in ground.rows if row["reward"] == 0]
    ground.rng.shuffle(lost)
    before, hit = ground.score(), []
    for row in lost:
        if ground.score() - before >= ground.dose:
            break
        row["reward"] = 1.0
        hit.append(row)
    if ground.score() - before < 0.8 * ground.dose:
        raise Impossible("too little to gain")
    return truth_of(ground, "verifier", "lenient", hit, before)


def _same_answer(ground: Ground) -> Truth:
    """No key is shown; answers that passed in the base do not pass any more."""
    base = ground.pair.base
    if not base.answer or not base.repeats:
        raise Impossible("no answers")
    rows, where = some_category(ground)
    known = {(row["_ng_task_index"], read(row, base.answer)) for row in ground.pair.a if passed(row)}
    hit = ground.until_dose([row for row in rows if (row["_ng_task_index"], read(row, base.answer)) in known])
    before = ground.score()
    tasks = {row["_ng_task_index"] for row in hit}
    hit = [row for row in ground.rows if row["_ng_task_index"] in tasks and passed(row)]
    for row in hit:
        fail(row, base)
    for row in (*ground.pair.a, *ground.rows):
        write(row, base.key, None)
    return truth_of(ground, "verifier", "same answer", hit, before, **where)


# a judge that drifts


def judge_drift(ground: Ground) -> Truth:
    return one_of(ground, _bar_raised, _marks_fall, _new_judge, _two_judges)


def _marked(ground: Ground, scale: float) -> str:
    """Every row has a mark of a judge, and passes from six tenths of the scale on."""
    name = ground.rng.choice(RECORDS)
    for row in (*ground.pair.a, *ground.rows):
        mark = ground.rng.uniform(0.6, 1.0) if passed(row) else ground.rng.uniform(0.0, 0.59)
        row[name] = {"mark": round(mark * scale, 3), "by": "reviewer-1"}
    return name


def _bar_raised(ground: Ground) -> Truth:
    """The marks stay; rows pass from a higher one on."""
    scale = ground.rng.choice((1.0, 5.0, 100.0))
    name = _marked(ground, scale)
    rows = sorted((row for row in ground.rows if passed(row)), key=lambda row: float(row[name]["mark"]))
    hit, before = ground.until_dose(rows), ground.score()
    for row in hit:
        fail(row, ground.pair.base)
    return truth_of(ground, "verifier", "bar raised", hit, before)


def _marks_fall(ground: Ground) -> Truth:
    """One half of the run has another judge, whose marks are lower."""
    scale = ground.rng.choice((1.0, 10.0))
    name = _marked(ground, scale)
    start = int(ground.rng.uniform(0.0, 0.4) * len(ground.rows))
    late = ground.rows[start:]
    hit = ground.until_dose([row for row in late if passed(row)])
    before, touched = ground.score(), {id(row) for row in hit}
    last = max(place for place, row in enumerate(late) if id(row) in touched)
    for row in late[: last + 1]:
        row[name]["by"] = "reviewer-2"
        if id(row) in touched:
            row[name]["mark"] = round(float(row[name]["mark"]) * 0.55, 3)
            fail(row, ground.pair.base)
    return truth_of(ground, "verifier", "marks fall", hit, before, window=(start, start + last + 1))


def _new_judge(ground: Ground) -> Truth:
    """The whole candidate has another judge, and answers that met the key fail."""
    base = ground.pair.base
    if not base.answer:
        raise Impossible("no answers")
    name = _marked(ground, 1.0)
    rows = ground.passes()
    ground.rng.shuffle(rows)
    hit, before = ground.until_dose(rows), ground.score()
    for row in ground.rows:
        row[name]["by"] = "reviewer-2"
    for row in hit:
        row[name]["mark"] = round(ground.rng.uniform(0.2, 0.55), 3)
        fail(row, base)
    return truth_of(ground, "verifier", "new judge", hit, before)


def _two_judges(ground: Ground) -> Truth:
    """Now and then, all over the run, another judge judges, and more harshly."""
    name = _marked(ground, 10.0)
    base, before, hit = ground.pair.base, ground.score(), []
    rows = list(ground.rows)
    ground.rng.shuffle(rows)
    for row in rows[: int(0.7 * len(rows))]:
        if before - ground.score() >= ground.dose:
            break
        row[name]["by"] = "reviewer-2"
        if passed(row) and ground.rng.random() < 0.8:
            row[name]["mark"] = round(float(row[name]["mark"]) * 0.55, 3)
            fail(row, base)
            hit.append(row)
    if before - ground.score() < 0.8 * ground.dose:
        raise Impossible("too little to lose")
    return truth_of(ground, "verifier", "two judges", hit, before)


# keys that are flipped


def flipped_keys(ground: Ground) -> Truth:
    return one_of(ground, _swapped_keys, _keys_elsewhere, _keys_since)


def _keyed(ground: Ground, rows: list[Row]) -> list[Row]:
    """Of these rows those of tasks that show a key, chosen at random until they hold the dose."""
    if not ground.pair.base.key:
        raise Impossible("no key")
    keyed = [row for row in rows if read(row, ground.pair.base.key) not in (None, [], "")]
    chosen = set(tasks_at_random(ground, keyed))
    return [row for row in keyed if row["_ng_task_index"] in chosen]


def _flip(ground: Ground, rows: list[Row], keys: Mapping[int, Any]) -> None:
    base = ground.pair.base
    for row in rows:
        value = keys[row["_ng_task_index"]]
        write(row, base.key, copy.deepcopy(value))
        if passed(row):
            fail(row, base)
        elif base.answer and read(row, base.answer) == value:
            row["reward"] = 1.0
            for path in base.flags:
                write(row, path, True)


def _swapped_keys(ground: Ground) -> Truth:
    """Tasks have each other's keys."""
    rows = _keyed(ground, ground.rows)
    keys = {row["_ng_task_index"]: copy.deepcopy(read(row, ground.pair.base.key)) for row in rows}
    order = list(keys)
    turned = {task: keys[order[place - 1]] for place, task in enumerate(order)}
    changed = [task for task in order if turned[task] != keys[task]]
    if len(changed) < 0.8 * len(order) or len(order) < 2:
        raise Impossible("the keys are alike")
    hit = [row for row in ground.rows if row["_ng_task_index"] in set(changed)]
    before = ground.score()
    _flip(ground, hit, turned)
    return truth_of(ground, "verifier", "swapped", hit, before)


def _keys_elsewhere(ground: Ground) -> Truth:
    """The key stands in another place, in both runs."""
    path = ground.rng.choice(("extra.ground_truth", "reference", "verifier_metadata.expected"))
    base, rows = ground.pair.base, _keyed(ground, ground.rows)
    tasks = sorted({row["_ng_task_index"] for row in rows})
    keys = {
        task: another_key(next(read(row, base.key) for row in rows if row["_ng_task_index"] == task), ground.rng)
        for task in tasks
    }
    hit = [row for row in ground.rows if row["_ng_task_index"] in keys]
    before = ground.score()
    _flip(ground, hit, keys)
    for row in (*ground.pair.a, *ground.rows):
        write(row, path, copy.deepcopy(read(row, base.key)))
        write(row, base.key, None)
    return truth_of(ground, "verifier", "elsewhere", hit, before)


def _keys_since(ground: Ground) -> Truth:
    """The keys changed while the run was under way: earlier attempts of the tasks keep the old ones."""
    if not ground.pair.base.repeats:
        raise Impossible("one attempt")
    start = int(ground.rng.uniform(0.1, 0.4) * len(ground.rows))
    rows = _keyed(ground, ground.rows[start:])
    keys = {row["_ng_task_index"]: another_key(read(row, ground.pair.base.key), ground.rng) for row in rows}
    hit = [row for row in ground.rows[start:] if row["_ng_task_index"] in keys]
    before = ground.score()
    _flip(ground, hit, keys)
    return truth_of(ground, "verifier", "since", hit, before)


VERDICTS: Mapping[str, Way] = {
    "verifier_bug_varied": verifier_bug,
    "judge_drift_varied": judge_drift,
    "flipped_keys_varied": flipped_keys,
}
