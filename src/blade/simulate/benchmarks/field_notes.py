"""Questions over a small table of field notes; the answer must stand in an answer tag."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from blade.frozen import frozen
from blade.simulate.benchmark import SimulatedBenchmark, pick_mistake
from blade.simulate.prose import musing
from blade.simulate.rng import dice
from blade.simulate.simulated_row import Behaviour, Json, SimulatedTask
from blade.simulate.transcript_writer import TranscriptWriter, final_text

__all__ = ["BENCHMARK"]

SITES = (
    "Alder Ford",
    "Bracken Rise",
    "Cobble Weir",
    "Dunlin Flat",
    "Ember Hollow",
    "Fennel Gate",
    "Gorse Bank",
    "Hazel Step",
)
KINDS = ("heron", "otter", "newt", "curlew", "vole", "dragonfly", "toad", "wren")
RULE = "Think as long as you need, then give the answer alone inside <answer></answer>."
TAG = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)


@frozen
class FieldNote:
    day: int
    site: str
    kind: str
    count: int


@frozen
class Question:
    text: str
    answer: str
    near: tuple[str, ...]
    """Answers that a slip would give."""
    working: str


Asker = Callable[[random.Random, list[FieldNote]], Question]


def _lookup(rng: random.Random, notes: list[FieldNote]) -> Question:
    note = rng.choice(notes)
    near = (str(note.count + 1), *(str(other_note.count) for other_note in notes if other_note.count != note.count))
    text = f"How many of the kind '{note.kind}' were counted at {note.site} on day {note.day}?"
    return Question(text, str(note.count), near, f"The line of day {note.day} at {note.site} gives the count.")


def _total(rng: random.Random, notes: list[FieldNote]) -> Question:
    site = rng.choice(notes).site
    counts = [note.count for note in notes if note.site == site]
    total = sum(counts)
    near = (*(str(total - count) for count in counts), str(total + 10), str(total - 1))
    text = f"How many animals of every kind together were counted at {site}?"
    return Question(text, str(total), near, f"At {site} I add {' + '.join(map(str, counts))}.")


def _difference(rng: random.Random, notes: list[FieldNote]) -> Question:
    first, second = rng.sample(notes, 2)
    gap = abs(first.count - second.count)
    near = (str(first.count + second.count), str(gap + 1), str(max(first.count, second.count)))
    places = f"the {first.kind} note of day {first.day} and the {second.kind} note of day {second.day}"
    return Question(f"By how much do {places} differ?", str(gap), near, f"Between {first.count} and {second.count}.")


def _ranking(_: random.Random, notes: list[FieldNote]) -> Question:
    totals: dict[str, int] = {}
    for note in notes:
        totals[note.site] = totals.get(note.site, 0) + note.count
    order = sorted(totals, key=lambda site: (-totals[site], site))
    listing = ", ".join(f"{site} {totals[site]}" for site in order)
    text = "Which site has the largest total count? If two are equal, name the first in the alphabet."
    return Question(text, order[0], tuple(order[1:]), f"Totals: {listing}.")


ASKERS: dict[str, Asker] = {"lookup": _lookup, "total": _total, "difference": _difference, "ranking": _ranking}
LEVELS = (("easy", 5, 0.25), ("medium", 9, 0.55), ("hard", 14, 0.8))


def make_task(seed: int, number: int) -> SimulatedTask:
    rng = dice("field_notes", seed, number)
    category = list(ASKERS)[number % len(ASKERS)]
    level, lines, middle = rng.choice(LEVELS)
    days = rng.sample(range(1, 60), lines)
    notes = [FieldNote(day, rng.choice(SITES[:5]), rng.choice(KINDS), rng.randint(2, 97)) for day in sorted(days)]
    if len({note.site for note in notes}) == 1:
        notes[0] = FieldNote(notes[0].day, SITES[6], notes[0].kind, notes[0].count)
    question = ASKERS[category](rng, notes)
    table = "\n".join(f"{note.day} | {note.site} | {note.kind} | {note.count}" for note in notes)
    text = f"Notes (day | site | kind | count):\n{table}\n\n{question.text}\n{RULE}"
    task_id = f"notes-{seed}-{number:05d}"
    return SimulatedTask(
        number=number,
        task_id=task_id,
        category=category,
        difficulty=level,
        hardness=min(1.2, max(0.0, rng.gauss(middle, 0.22))),
        messages=({"role": "user", "content": text},),
        given={
            "task_id": task_id,
            "question": question.text,
            "expected_answer": question.answer,
            "category": category,
            "difficulty": level,
        },
        mistakes=("slip", "slip", "slip", "refusal", "no_tag"),
        detail=question,
    )


def attempt(task: SimulatedTask, behaviour: Behaviour, rng: random.Random, writer: TranscriptWriter) -> None:
    question: Question = task.detail
    mistake = pick_mistake(task, behaviour, rng)
    slip = rng.choice(question.near)
    length = 1 + int(rng.lognormvariate(1.2, 0.8))
    writer.think(musing(rng, length))
    if mistake == "refusal":
        writer.say("The notes do not settle this question, so I would rather not give a number.")
        return
    answer = slip if mistake == "slip" else question.answer
    tagged = behaviour.keeps_format and mistake != "no_tag"
    closing = f"<answer>{answer}</answer>" if tagged else f"So the answer is {answer}."
    writer.say(f"{question.working} {musing(rng, 1)}\n{closing}")


def verify(task: SimulatedTask, items: Sequence[Json]) -> Json:
    answers = TAG.findall(final_text(items))
    extracted = answers[-1].strip() if answers else None
    expected = task.given["expected_answer"]
    right = extracted is not None and extracted.lower() == expected.lower()
    return {
        "reward": float(right),
        "expected_answer": expected,
        "extracted_answer": extracted,
        "task_id": task.task_id,
        "category": task.category,
        "difficulty": task.difficulty,
    }


BENCHMARK = SimulatedBenchmark(
    name="field_notes",
    agent="field_notes_simple_agent",
    task=make_task,
    attempt=attempt,
    verify=verify,
    pass_metrics=True,
    answer_field="extracted_answer",
)
