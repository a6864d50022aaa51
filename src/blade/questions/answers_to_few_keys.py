"""Where only some tasks have keys out of a small set: which run gives one of them whatever the key is?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given, TaskAnswers, judged_answers
from blade.diagnosis.cases import RunCases
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.extract.answer_kind import CHOICE, TEXT
from blade.extract.given_answer import SHORT
from blade.extract.same_answer import normal
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.questions import SURE, in_order, task_list
from blade.stats.binomial import more_often_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "One answer whatever the key"
ORDER = 81
WEIGHT = 1.2
FEWEST_TASKS, FEWEST_OF_KEY = 5, 2
MOST_CLASSES = 6
SOME = 0.9
"""Where more of the tasks have such keys, `answer_classes` and `answer_shapes` ask the same of all of them."""
INSIDE = 0.75
"""So many of the answers at these tasks are one of their keys, whatever was right."""
FEWEST_WRONG, FEWEST_WRONG_TASKS = 3, 2
HALF = 0.5
NEARLY_ALWAYS = 0.8
LIKE_A_PROVEN_ONE = 0.05
"""Where one run surely leans to an answer, so much is enough for another that leans to the same."""
LONGEST_CLASS = 30
LIKELY = 0.3
PAIRS = (frozenset({"yes", "no"}), frozenset({"true", "false"}))
_DIGIT = late_regex(r"\d")
_LETTER = late_regex(r"[a-z]")
_PATH = ("investigation", "answers_to_few_keys")


@frozen
class _KeyedAnswer:
    """A judged rollout of a task whose key is one of few: its key and its answer; "" where that is none of them."""

    entry: Given
    key: str
    answer: str

    @property
    def task(self) -> str:
        return self.entry.case.key

    @property
    def passed(self) -> bool:
        return bool(self.entry.case.passed)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Answers that a run gives at tasks that expect another, more than other runs do or than its other mistakes."""
    tasks = judged_answers(runs)
    keyed = {name: task for name, task in tasks.items() if len(task.keys()) == 1}
    candidates: list[tuple[dict[str, Any], float]] = []
    for keys in _sets(keyed):
        rows = [row for task in keyed.values() if _key(task) in keys for row in _rows(task, keys)]
        if len({row.task for row in rows}) < SOME * len(keyed) and _from_the_set(rows):
            candidates += _biased(rows, sorted(keys), [run.run.name for run in runs])
    adjusted = benjamini_hochberg([p for _, p in candidates])
    entries = [entry | {"p": significant(p, WRITTEN)} for (entry, _), p in zip(candidates, adjusted, strict=True)]
    proven = {entry["answer"] for entry in entries if entry["p"] <= SURE}
    sure = [entry for entry in entries if entry["answer"] in proven and entry["p"] <= LIKE_A_PROVEN_ONE]
    if not sure:
        return None
    sure.sort(key=lambda entry: (-entry["wrong"] / entry["elsewhere"], -entry["wrong"], entry["run"]))
    return {"answers": sure}


def _key(task: TaskAnswers) -> str:
    return normal(task.keys()[0][0])


def _sets(tasks: Mapping[str, TaskAnswers]) -> Iterator[frozenset[str]]:
    """Keys that belong together: yes and no, true and false, letters, and the other labels that recur."""
    counts = Counter(_key(task) for task in tasks.values() if task.rows[0].seen.get("key_kind") in {CHOICE, TEXT})
    recurring = frozenset(
        key
        for key, tasks_of_key in counts.items()
        if tasks_of_key >= FEWEST_OF_KEY and len(key) <= LONGEST_CLASS and not _DIGIT.search(key)
    )
    letters = frozenset(key for key in recurring if _LETTER.fullmatch(key))
    labels = recurring - letters - frozenset().union(*PAIRS)
    for keys in (*(pair & recurring for pair in PAIRS), letters, labels):
        if 2 <= len(keys) <= MOST_CLASSES and sum(counts[key] for key in keys) >= FEWEST_TASKS:
            yield keys


def _rows(task: TaskAnswers, keys: frozenset[str]) -> Iterator[_KeyedAnswer]:
    key = _key(task)
    for entry in task.rows:
        answer = normal(entry.text) if entry.text and entry.seen["length"] <= SHORT else ""
        if entry.meets:
            answer = key
        if answer not in keys and (letter := str(entry.seen.get("letter", "")).casefold()) in keys:
            answer = letter
        yield _KeyedAnswer(entry, key, answer if answer in keys else _first_word(answer, keys))


def _first_word(answer: str, keys: frozenset[str]) -> str:
    """The key that an answer begins with, such as "no, it is younger"; nothing where none is followed by a mark."""
    return next((key for key in sorted(keys) if answer.startswith((f"{key},", f"{key}.", f"{key};", f"{key}:"))), "")


def _from_the_set(rows: Sequence[_KeyedAnswer]) -> bool:
    """Whether nearly all answers are one of the keys; labels that stand for different questions are none of a set."""
    return sum(bool(row.answer) for row in rows) >= INSIDE * sum(bool(row.entry.text) for row in rows)


def _biased(
    rows: Sequence[_KeyedAnswer], keys: Sequence[str], runs: Sequence[str]
) -> Iterator[tuple[dict[str, Any], float]]:
    """Of each run the answer that it gives most at tasks with another key, with the chance of that."""
    for run in runs:
        run_rows = [row for row in rows if row.entry.case.run == run]
        wrong = {key: [row for row in run_rows if row.answer == key != row.key and not row.passed] for key in keys}
        value = max(keys, key=lambda key: len(wrong[key]))
        elsewhere = [row for row in run_rows if row.key != value]
        wrong_rows = len(wrong[value])
        several = len({row.task for row in wrong[value]}) >= FEWEST_WRONG_TASKS
        if wrong_rows < FEWEST_WRONG or not several or wrong_rows < HALF * len(elsewhere):
            continue
        rows_by_run = [
            [row for row in rows if row.entry.case.run == second_run] for second_run in runs if second_run != run
        ]
        chances = [_mix_p(run_rows, value), *(_between_p(run_rows, second_run, value) for second_run in rows_by_run)]
        yield _entry(rows, run_rows, value, keys, runs), min(1.0, min(chances) * len(chances))


def _mix_p(rows: Sequence[_KeyedAnswer], value: str) -> float:
    """The chance of so many tasks answered with a value against their key, if a run erred alike on all its tasks."""
    answers: defaultdict[str, list[_KeyedAnswer]] = defaultdict(list)
    for row in rows:
        answers[row.task].append(row)
    wrong = {
        task: 2 * sum((row.answer == value) != (row.key == value) for row in task_rows) > len(task_rows)
        for task, task_rows in answers.items()
    }
    errors_at_value = [wrong[task] for task, task_rows in answers.items() if task_rows[0].key == value]
    errors_elsewhere = [wrong[task] for task, task_rows in answers.items() if task_rows[0].key != value]
    return more_often_p(sum(errors_elsewhere), len(errors_elsewhere), sum(errors_at_value), len(errors_at_value))


def _between_p(run_rows: Sequence[_KeyedAnswer], second_rows: Sequence[_KeyedAnswer], value: str) -> float:
    """Whether two runs give the value alike at the tasks that expect another one, task by task."""
    tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for side, rows in enumerate((run_rows, second_rows)):
        for row in rows:
            if row.key != value:
                tables[row.task][2 * side + (row.answer != value)] += 1
    p = exact_p([(entry[0], entry[1], entry[2], entry[3]) for entry in tables.values()])
    times, second_times = (
        sum(row.answer == value for row in rows if row.key != value) for rows in (run_rows, second_rows)
    )
    return p if p is not None and times > second_times else 1.0


def _entry(
    rows: Sequence[_KeyedAnswer], run_rows: Sequence[_KeyedAnswer], value: str, keys: Sequence[str], runs: Sequence[str]
) -> dict[str, Any]:
    rows_by_run = [
        [row for row in rows if row.entry.case.run == run] for run in runs if run != run_rows[0].entry.case.run
    ]
    return {
        **_counts(run_rows, value),
        "answer": _spelled(rows, value),
        "keys": [_spelled(rows, key) for key in keys],
        "tasks": len({row.task for row in run_rows}),
        "tasks_elsewhere": in_order(row.entry.case.label for row in run_rows if row.key != value),
        "others": [_counts(second_rows, value) for second_rows in rows_by_run if second_rows],
    }


def _counts(rows: Sequence[_KeyedAnswer], value: str) -> dict[str, Any]:
    """How often a run gives the value, and what it passes where that is the key and where another is."""
    expected = [row for row in rows if row.key == value]
    elsewhere = [row for row in rows if row.key != value]
    return {
        "run": rows[0].entry.case.run,
        "given": sum(row.answer == value for row in rows),
        "rollouts": len(rows),
        "wrong": sum(row.answer == value for row in elsewhere),
        "elsewhere": len(elsewhere),
        "passes_elsewhere": sum(row.passed for row in elsewhere),
        "failures_elsewhere": sum(not row.passed for row in elsewhere),
        "expected": len(expected),
        "passes_expected": sum(row.passed for row in expected),
    }


def _spelled(rows: Sequence[_KeyedAnswer], value: str) -> str:
    """A value as keys write it."""
    spellings = Counter(row.entry.key[0].strip() for row in rows if row.key == value and row.entry.key)
    return max(sorted(spellings), key=lambda text: spellings[text])


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["answers"])]
    return [Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The run that is bound most to one answer, and the others that are."""
    entries = answer["answers"]
    yield next(_sentences(0, entries[0]))
    if len(entries) > 1 and entries[1]["answer"] == entries[0]["answer"]:
        parts: list[str | Fact] = []
        for place, entry in enumerate(entries[1:], start=1):
            at = (*_PATH, "answers", place)
            parts += ["; " if parts else "So ", f"{entry['run']} in ", amount(entry["given"], *at, "given"), " of "]
            parts += [amount(entry["rollouts"], *at, "rollouts"), " (passes "]
            parts += [amount(entry["passes_elsewhere"], *at, "passes_elsewhere"), " of "]
            parts += [amount(entry["elsewhere"], *at, "elsewhere"), " keyed otherwise)"]
        yield Sentence((*parts, "."))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "answers", place)
    two = len(entry["keys"]) == 2
    second_key = next((key for key in entry["keys"] if key != entry["answer"]), "")
    yield say(
        "{run} answers '{answer}' in {given} of {rollouts} of the {tasks} whose key is {keys}, and passes {passes} of "
        "{elsewhere} keyed {otherwise} ({list}) against {right} of {expected} keyed {answer} (p = {p}, by tasks).",
        run=entry["run"],
        answer=entry["answer"],
        given=amount(entry["given"], *path, "given"),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *path, "tasks"),
        keys=listed(sorted(entry["keys"], key=lambda key: key != entry["answer"]), "or"),
        passes=amount(entry["passes_elsewhere"], *path, "passes_elsewhere"),
        elsewhere=amount(entry["elsewhere"], *path, "elsewhere"),
        otherwise=second_key if two else "otherwise",
        list=task_list(entry["tasks_elsewhere"]),
        right=amount(entry["passes_expected"], *path, "passes_expected"),
        expected=amount(entry["expected"], *path, "expected"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
    )
    if entry["given"] >= NEARLY_ALWAYS * entry["rollouts"]:
        yield say("Its passes there follow from the key, and show little of what the model knows.")
    if entry["others"]:
        parts = [
            f"{run['run']} gives it in {run['given']:,} of {run['rollouts']:,} and passes {run['passes_elsewhere']:,} "
            f"of {run['elsewhere']:,} keyed {second_key if two else 'otherwise'}"
            for run in entry["others"]
        ]
        yield say("{runs}.", runs="; ".join(parts))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """An answer that does not depend on the question is no look at the question."""
    for place, entry in enumerate(answer["answers"]):
        yield Advice(
            "prompt",
            f"Have {entry['run']} say what speaks for and against before it answers '{entry['answer']}', and score the "
            "tasks of each key by themselves",
            say(
                "It gives '{answer}' in {wrong} of {elsewhere} that expect another answer.",
                answer=entry["answer"],
                wrong=amount(entry["wrong"], *_PATH, "answers", place, "wrong"),
                elsewhere=fact(
                    count(entry["elsewhere"], "rollout"), entry["elsewhere"], *_PATH, "answers", place, "elsewhere"
                ),
            ),
            entry["failures_elsewhere"],
            LIKELY,
        )
