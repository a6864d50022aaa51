"""Causes that are planted into a real candidate: each edits rows and says what is true.

The words of the plants come from several vocabularies that share nothing, and are none that a rule of the engine knows.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from real_bases import Halves, Row

__all__ = ["KINDS", "Impossible", "Truth"]

NOTICES = (
    "mirror gate {n} gave no reply; slot dropped",
    "Der Dienst blieb stumm (Kennung K-{n})",
    "ZX-{n}: lease withdrawn by the allocator",
    "husk returned, nothing inside [{n}]",
    "la passerelle {n} n'a rien rendu",
    "quorum lost before dispatch, ticket {n}",
)
COMPLAINTS = (
    "yardstick {n} snapped while weighing the piece",
    "Die Waage blieb leer (Zettel {n})",
    "rubric shard {n} went astray",
    "tally sheet {n} could not be squared",
)
TOOL_WORDS = (
    "shelf {n} is sealed; nothing was handed out",
    "Schalter {n} geschlossen, kein Eintrag",
    "ref {n}: the clerk sent an empty tray",
    "<<void {n}>>",
    '{{"status": 7, "detail": "drawer {n} jammed"}}',
)
WORK = ("metadata.turn_count", "metadata.n_messages", "metadata.n_turns")
"""Fields that count what was done."""
LEAST = 0.02
MOST_SHARE = 0.3
MOST_KEYS = 0.4


class Impossible(Exception):
    """This plant cannot be put into this base."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What was planted: the causes that name it rightly, where it is, and what it cost."""

    causes: tuple[str, ...]
    evidence: str
    where: Mapping[str, Any] = field(default_factory=dict)
    tasks: frozenset[str] = frozenset()
    points: float = 0.0
    second: float = 0.0
    """What the improvement under an outage is worth."""


@dataclass(slots=True)
class Ground:
    """The candidate that is being edited, and the dose as a share of the score."""

    pair: Halves
    dose: float
    rng: random.Random

    @property
    def rows(self) -> list[Row]:
        return self.pair.b

    def score(self) -> float:
        return mean_of_tasks(self.rows)

    def passes(self) -> list[Row]:
        return [row for row in self.rows if passed(row)]

    def worth(self, row: Row) -> float:
        tasks = Counter(one["_ng_task_index"] for one in self.rows)
        return float(row["reward"]) / tasks[row["_ng_task_index"]] / len(tasks)

    def until_dose(self, rows: list[Row]) -> list[Row]:
        """The first rows whose rewards are worth the dose."""
        tasks = Counter(one["_ng_task_index"] for one in self.rows)
        kept, lost = [], 0.0
        for row in rows:
            if lost >= self.dose:
                break
            kept.append(row)
            lost += row["reward"] / tasks[row["_ng_task_index"]] / len(tasks)
        if lost < 0.8 * self.dose:
            raise Impossible(f"only {lost:.3f} of {self.dose:.3f} can be lost")
        return kept


def mean_of_tasks(rows: list[Row]) -> float:
    found: defaultdict[int, list[float]] = defaultdict(list)
    for row in rows:
        found[row["_ng_task_index"]].append(row["reward"])
    return sum(sum(values) / len(values) for values in found.values()) / len(found)


def passed(row: Row) -> bool:
    return bool(row["reward"] > 0.99)


def read(row: Row, path: str) -> Any:
    value: Any = row
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def write(row: Row, path: str, value: Any) -> None:
    *folders, last = path.split(".")
    place = row
    for name in folders:
        if not isinstance(place.get(name), dict):
            place[name] = {}
        place = place[name]
    place[last] = value


def task_name(row: Row) -> str:
    return str(row.get("task_id") or row["_ng_task_index"])


def names(rows: list[Row]) -> frozenset[str]:
    return frozenset(task_name(row) for row in rows)


def fail(row: Row, base: Any, *, flags: bool = True) -> None:
    """The row scores nothing; the verifier's other fields say so too, or keep what they said."""
    row["reward"] = 0.0
    for path in base.flags if flags else ():
        value = read(row, path)
        write(row, path, False if isinstance(value, bool) else 0.0)


def null(ground: Ground) -> Truth:
    del ground
    return Truth((), "nothing")


def decoy_labels(ground: Ground) -> Truth:
    """A version stands on half of the rows, and says nothing."""
    for row in ground.rows:
        write(row, "metadata.build", f"b{ground.rng.choice((3, 4))}")
    for row in ground.pair.a:
        write(row, "metadata.build", "b3")
    return Truth((), "version")


def decoy_complaints(ground: Ground) -> Truth:
    """Rows that failed anyway carry another complaint."""
    words = ground.rng.choice(COMPLAINTS)
    lost = [row for row in ground.rows if row["reward"] == 0]
    for row in ground.rng.sample(lost, min(len(lost), 12)):
        write(row, ground.pair.base.complaint or "note", words.format(n=ground.rng.randrange(999)))
    return Truth((), "complaint")


def decoy_tool(ground: Ground) -> Truth:
    """A tool answers strangely in rows that failed anyway."""
    if not ground.pair.base.tools:
        raise Impossible("no tools")
    words = ground.rng.choice(TOOL_WORDS)
    lost = [row for row in ground.rows if row["reward"] == 0 and tools_of(row)]
    tool = ground.rng.choice([name for name, _ in Counter(t for row in lost for t in tools_of(row)).most_common(3)])
    for row in lost:
        if tool in tools_of(row) and ground.rng.random() < 0.5:
            break_tool(row, tool, words, ground.rng)
    return Truth((), "tool")


def decoy_outage(ground: Ground) -> Truth:
    """Both runs have the same share of dead rows."""
    words = ground.rng.choice(NOTICES)
    how = ground.rng.choice(("message", "field"))
    for rows in (ground.pair.a, ground.pair.b):
        for row in ground.rng.sample(rows, max(4, len(rows) // 20)):
            kill(row, ground.pair, words, how, ground.rng)
    return Truth((), "outage in both")


def verifier_bug(ground: Ground) -> Truth:
    """Passes of one category (or of some tasks) score nothing, though the work is the same."""
    base = ground.pair.base
    ways = [way for way, there in (("flag", base.flags), ("key", base.answer), ("complaint", base.complaint)) if there]
    ways += [] if base.repeats else ["shared"]
    if not ways:
        raise Impossible("no evidence")
    way = ground.rng.choice(ways)
    rows, where = some_category(ground)
    hit = ground.until_dose(rows)
    before, words = ground.score(), ground.rng.choice(COMPLAINTS)
    for row in hit:
        fail(row, base, flags=way != "flag")
        if way == "complaint":
            write(row, base.complaint, words.format(n=ground.rng.randrange(999)))
    return Truth(("verifier",), way, where, names(hit), ground.score() - before)


def some_category(ground: Ground) -> tuple[list[Row], dict[str, Any]]:
    """Passing rows of one category that has the dose to lose, else of all, shuffled."""
    rows = ground.passes()
    ground.rng.shuffle(rows)
    path = ground.pair.base.category
    if path:
        worth: defaultdict[str, float] = defaultdict(float)
        for row in rows:
            worth[str(read(row, path))] += ground.worth(row)
        enough = sorted(name for name, value in worth.items() if value >= ground.dose)
        if enough and len(worth) > 1:
            chosen = ground.rng.choice(enough)
            return [row for row in rows if str(read(row, path)) == chosen], {"category": chosen}
    tasks = list({row["_ng_task_index"]: None for row in rows})
    return sorted(rows, key=lambda row: tasks.index(row["_ng_task_index"])), {}


def judge_drift(ground: Ground) -> Truth:
    """A judge's marks fall from some row on, below the bar for some."""
    base = ground.pair.base
    ways = ["named"] + ["key"] * bool(base.answer) + ["shared"] * (not base.repeats)
    way = ground.rng.choice(ways)
    field_name = ground.rng.choice(("judge", "assessor", "gutachter"))
    old, new = ground.rng.choice((("v1", "v2"), ("may", "june"), ("alt", "neu")))
    for row in (*ground.pair.a, *ground.rows):
        mark = ground.rng.uniform(0.7, 1.0) if passed(row) else ground.rng.uniform(0.0, 0.5)
        row[field_name] = {"mark": round(mark, 3), "edition": old}
    since = 0.5 if way == "named" else 0.3
    late = ground.rows[int(since * len(ground.rows)) :]
    hit = ground.until_dose([row for row in late if passed(row)])
    before, touched = ground.score(), {id(row) for row in hit}
    last = max(place for place, row in enumerate(late) if id(row) in touched)
    for row in late[: last + 1]:
        if way == "named":
            row[field_name]["edition"] = new
        row[field_name]["mark"] = round(max(0.0, row[field_name]["mark"] - 0.45), 3)
        if id(row) in touched:
            fail(row, base)
    window = (int(since * len(ground.rows)), int(since * len(ground.rows)) + last + 1)
    return Truth(("verifier",), way, {"window": window}, names(hit), ground.score() - before)


def flipped_keys(ground: Ground) -> Truth:
    """Some tasks have another expected answer, and are judged by it."""
    base = ground.pair.base
    if not base.key:
        raise Impossible("no key")
    tasks = set(tasks_at_random(ground, [row for row in ground.rows if read(row, base.key) not in (None, [])]))
    before, shown = ground.score(), not base.answer or ground.rng.random() < 0.6
    changed = []
    for task in sorted(tasks):
        of_task = [row for row in ground.rows if row["_ng_task_index"] == task]
        value = another_key(read(of_task[0], base.key), ground.rng)
        for row in of_task:
            write(row, base.key, copy.deepcopy(value))
            if passed(row):
                fail(row, base)
            elif base.answer and read(row, base.answer) == value:
                row["reward"] = 1.0
                for path in base.flags:
                    write(row, path, True)
        changed += of_task
    if not shown:
        for row in (*ground.pair.a, *ground.rows):
            write(row, base.key, None)
    return Truth(("verifier",), "key" if shown else "answers", {}, names(changed), ground.score() - before)


def tasks_at_random(ground: Ground, rows: list[Row]) -> list[int]:
    """So many tasks of these rows that their passes are worth the dose.

    They are drawn from all that pass in either run: chosen by the passes of the candidate alone, they would leave it
    the tasks in which it had no luck, and that looks like a loss.
    """
    passing = {row["_ng_task_index"] for row in (*ground.pair.a, *ground.rows) if passed(row)}
    rows = [row for row in rows if row["_ng_task_index"] in passing]
    order = list({row["_ng_task_index"]: None for row in rows})
    ground.rng.shuffle(order)
    ground.until_dose(sorted(rows, key=lambda row: order.index(row["_ng_task_index"])))
    worth: defaultdict[int, float] = defaultdict(float)
    for row in rows:
        worth[row["_ng_task_index"]] += ground.worth(row) if passed(row) else 0.0
    chosen, lost = [], 0.0
    for task in order:
        if lost >= ground.dose:
            break
        chosen.append(task)
        lost += worth[task]
    if len(chosen) > MOST_KEYS * len({row["_ng_task_index"] for row in ground.rows}):
        raise Impossible("a benchmark with so many other keys is another one")
    return chosen


def another_key(value: Any, rng: random.Random) -> Any:
    if isinstance(value, str) and len(value) == 1 and value.isalpha():
        return rng.choice([letter for letter in "ABCDE" if letter != value])
    if isinstance(value, str):
        digits = value.replace(".", "").lstrip("-").isdigit()
        return str(round(float(value) + rng.choice((1, 2, 10)), 3)).removesuffix(".0") if digits else value[::-1] + "s"
    text = json.dumps(value)
    spots = [place for place, letter in enumerate(text) if letter.isdigit()]
    if not spots:
        return json.loads(text.replace('": "', '": "x', 1)) if '": "' in text else [*value, value[0]]
    spot = rng.choice(spots)
    return json.loads(text[:spot] + str((int(text[spot]) + 3) % 9 + 1) + text[spot + 1 :])


def broken_tool(ground: Ground) -> Truth:
    """From some row on a tool answers nothing of use, and most rows that call it fail."""
    if not ground.pair.base.tools:
        raise Impossible("no tools")
    rows = ground.rows
    worth: Counter[str] = Counter()
    for row in rows:
        for tool in tools_of(row):
            worth[tool] += ground.worth(row)
    enough = sorted(tool for tool, value in worth.items() if 0.85 * value >= ground.dose)
    if not enough:
        raise Impossible("no tool has the dose to lose")
    tool, words = ground.rng.choice(enough), ground.rng.choice(TOOL_WORDS)
    before, hit = ground.score(), []
    for row in reversed(rows):
        if before - ground.score() >= ground.dose:
            break
        if tool in tools_of(row):
            break_tool(row, tool, words, ground.rng)
            hit.append(row)
            if ground.rng.random() < 0.9:
                fail(row, ground.pair.base)
    return Truth(("tool",), words[:12], {"tool": tool}, names(hit), ground.score() - before)


def tools_of(row: Row) -> set[str]:
    return {item["name"] for item in row["response"]["output"] if item.get("type") == "function_call"}


def break_tool(row: Row, tool: str, words: str, rng: random.Random) -> None:
    calls = {
        item["call_id"]
        for item in row["response"]["output"]
        if item.get("type") == "function_call" and item["name"] == tool
    }
    for item in row["response"]["output"]:
        if item.get("type") == "function_call_output" and item["call_id"] in calls:
            item["output"] = words.format(n=rng.randrange(999))


def foreign_rows(ground: Ground) -> Truth:
    """Rows of another model stand in the place of some."""
    donors, base = ground.pair.donors, ground.pair.base
    if not donors:
        raise Impossible("no other model")
    way = ground.rng.choice(("name", "trace", *(["maker"] if len(base.makers) > 1 else [])))
    order = list(range(len(ground.rows)))
    ground.rng.shuffle(order)
    own = ground.rows[0]
    before, hit = ground.score(), []
    for place in order:
        row = ground.rows[place]
        theirs = donors.get(row["_ng_task_index"])
        if before - ground.score() >= ground.dose or len(hit) > MOST_SHARE * len(order):
            break
        if not theirs:
            continue
        new = copy.deepcopy(ground.rng.choice(theirs))
        disguise(new, row, own, base, way)
        ground.rows[place] = new
        hit.append(new)
    if before - ground.score() < 0.7 * ground.dose:
        raise Impossible("the other model is too good")
    return Truth(("foreign_rows",), way, {"rows": len(hit)}, names(hit), ground.score() - before)


def disguise(new: Row, row: Row, own: Row, base: Any, way: str) -> None:
    """What still tells the row: its model's name, another field that names its maker, or the manner of its ids."""
    new["_ng_rollout_index"] = row["_ng_rollout_index"]
    if "created_at" in row["response"]:
        new["response"]["created_at"] = row["response"]["created_at"]
    if way == "name":
        return
    new["response"]["model"] = own["response"]["model"]
    if isinstance(new.get("metadata"), dict):
        new["metadata"].pop("source_path", None)
    if way == "trace":
        for path in base.makers:
            write(new, path, read(own, path))
        new["response"]["id"] = "gen-" + str(new["response"]["id"]).rpartition("_")[2]


def kill(row: Row, pair: Halves, words: str, how: str, rng: random.Random) -> None:
    """Nothing was done in this row; it says so in one message, in a field, or not at all."""
    fail(row, pair.base)
    response, text = row["response"], words.format(n=rng.randrange(999))
    response["output"] = []
    response["usage"] = (
        None if response.get("usage") is None else dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), 0)
    )
    if pair.base.answer:
        write(row, pair.base.answer, None)
    for path in WORK:
        if read(row, path) is not None:
            write(row, path, 0)
    if how == "message":
        content = [{"type": "output_text", "text": text, "annotations": []}]
        response["output"] = [
            {"id": "msg_0", "type": "message", "role": "assistant", "status": "completed", "content": content}
        ]
    if how == "field":
        write(row, pair.base.complaint or "note", text)


def _outage(ground: Ground, dose: float) -> tuple[dict[str, Any], list[Row], str]:
    ways = ["field", "message", "silent"] if ground.pair.base.transcripts else ["field"]
    way, words = ground.rng.choice(ways), ground.rng.choice(NOTICES)
    density, start = ground.rng.uniform(0.7, 1.0), ground.rng.randrange(int(0.5 * len(ground.rows)))
    before, hit, end = ground.score(), [], start
    for end in range(start, len(ground.rows)):
        if before - ground.score() >= dose:
            break
        if ground.rng.random() < density:
            kill(ground.rows[end], ground.pair, words, way, ground.rng)
            hit.append(ground.rows[end])
    if before - ground.score() < 0.8 * dose:
        raise Impossible("too little to lose")
    return {"window": (start, end)}, hit, way


def outage(ground: Ground) -> Truth:
    before = ground.score()
    where, hit, way = _outage(ground, ground.dose)
    return Truth(("infrastructure",), way, where, names(hit), ground.score() - before)


def gain_and_outage(ground: Ground) -> Truth:
    """Some tasks got better while a stretch of the run was dead."""
    gained = gain(ground, 1.3 * ground.dose)
    before = ground.score()
    where, hit, way = _outage(ground, ground.dose)
    return Truth(("infrastructure",), way, where, names(hit), ground.score() - before, gained)


def gain(ground: Ground, dose: float) -> float:
    """Failed attempts do what a passing attempt of the task did, of this model or else of another."""
    passes: defaultdict[int, list[Row]] = defaultdict(list)
    for rows in (*ground.pair.donors.values(), ground.pair.a, ground.rows):
        for row in rows:
            if passed(row):
                passes[row["_ng_task_index"]].insert(0, row)
    lost = [row for row in ground.rows if row["reward"] == 0 and passes[row["_ng_task_index"]]]
    ground.rng.shuffle(lost)
    lost.sort(key=lambda row: row["_ng_task_index"])
    first = ground.score()
    for row in lost:
        if ground.score() - first >= dose:
            break
        _do_as(row, ground.rng.choice(passes[row["_ng_task_index"]][:3]), ground.pair.base)
    gained = ground.score() - first
    if gained < 0.75 * dose:
        raise Impossible("too little to gain")
    return gained


def _do_as(row: Row, model: Row, base: Any) -> None:
    """What was done and how it was judged; whose row it is and when it ran stay."""
    row["reward"] = model["reward"]
    for name in ("output", "usage", "status", "incomplete_details"):
        if name in model["response"]:
            row["response"][name] = copy.deepcopy(model["response"][name])
    for path in {"verifier", "score", *WORK, *base.flags, *filter(None, (base.answer,))}:
        if read(model, path) is not None:
            write(row, path, copy.deepcopy(read(model, path)))


KINDS: Mapping[str, Callable[[Ground], Truth]] = {
    "null": null,
    "decoy_labels": decoy_labels,
    "decoy_complaints": decoy_complaints,
    "decoy_tool": decoy_tool,
    "decoy_outage": decoy_outage,
    "verifier_bug": verifier_bug,
    "judge_drift": judge_drift,
    "flipped_keys": flipped_keys,
    "broken_tool": broken_tool,
    "foreign_rows": foreign_rows,
    "outage": outage,
    "gain_and_outage": gain_and_outage,
}
