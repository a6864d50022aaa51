"""Where answers come from a small set: which one is given too often, and which expected one is missed?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Fact, Paragraph, Sentence, say
from blade.extract.given_answer import SHORT
from blade.extract.same_answer import normal
from blade.frozen import frozen
from blade.questions import SURE, TASKS_PER_CLASS, in_order, judged, task_levels, task_list
from blade.stats.binomial import more_often_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.scipy_functions import special
from blade.wording import amount, count, fact, listed, percent

TITLE = "Answers from a small set"
ORDER = 80
MOST_CLASSES = 10
INSIDE = 0.9
FEWEST_PASSES = 10
AGREEING = 0.98
FEWEST_WRONG = 4
FEWEST_ALIKE = 2
MOST_SHOWN = 4
LONGEST_CLASS = 40


@frozen
class ClassifiedAnswer:
    """A judged rollout whose answer and whose key are one of few."""

    case: Case
    answer: str
    key: str

    @property
    def wrong(self) -> bool:
        return self.answer != self.key


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Confusions, answers that a run leans to or avoids, keys that fail more often; and the field of the keys."""
    given = [Given(case, seen) for run in runs for case in judged(run) if (seen := case.observed.get("answer"))]
    given = [entry for entry in given if entry.text and entry.seen["length"] <= SHORT]
    field = None if any(entry.key for entry in given) else _key_field(runs, given)
    rows = list(_classified(runs, given, field))
    if not _from_a_small_set(rows):
        return None
    wrong = [row for row in rows if row.wrong and not row.case.passed]
    if len(wrong) < FEWEST_WRONG:
        return None
    lettered = sum("letter" in entry.seen for entry in given) * 2 > len(given)
    answer = {
        "field": _field_answer(field, rows) if field else None,
        "wrong": len(wrong),
        "answers": len(rows),
        "confusions": [] if lettered else _confusions(rows, wrong),
        **_preferences(rows),
        "hard_keys": _hard_keys(rows),
        "constant": None if field else _constant(runs, {row.key for row in rows}),
    }
    parts = ("field", "confusions", "leanings", "avoided", "hard_keys", "constant")
    return answer if any(answer[part] for part in parts) else None


def _class_of(entry: Given) -> str:
    return str(entry.seen["letter"]) if "letter" in entry.seen else normal(entry.text)


def _key_class(entry: Given) -> str:
    if entry.meets:
        return _class_of(entry)
    key = normal(entry.key[0])
    if "letter" not in entry.seen:
        return key
    letter = key.strip("() .").upper()
    return letter if len(letter) == 1 and letter.isalpha() else ""


def _key_field(runs: Sequence[RunCases], given: Sequence[Given]) -> str | None:
    """A field of the tasks that says what the passes answer, in nearly all passes: it holds the key."""
    levels = {run.run.name: task_levels(run) for run in runs}
    passing = [entry for entry in given if entry.case.passed]
    passes = [(levels[entry.case.run].get(entry.case.key, {}), _class_of(entry)) for entry in passing]
    if len(passes) < FEWEST_PASSES or len({answer for _, answer in passes}) < 2:
        return None
    agreeing = Counter(name for of_task, answer in passes for name, level in of_task.items() if normal(level) == answer)
    best = min(agreeing, key=lambda name: (-agreeing[name], name), default=None)
    return best if best is not None and agreeing[best] >= AGREEING * len(passes) else None


def _classified(runs: Sequence[RunCases], given: Sequence[Given], field: str | None) -> Iterator[ClassifiedAnswer]:
    levels = {run.run.name: task_levels(run) for run in runs} if field else {}
    for entry in given:
        if field:
            key = normal(levels[entry.case.run].get(entry.case.key, {}).get(field, ""))
        else:
            key = _key_class(entry) if entry.key else ""
        if key:
            yield ClassifiedAnswer(entry.case, _class_of(entry), key)


def _from_a_small_set(rows: Sequence[ClassifiedAnswer]) -> bool:
    """Whether few keys recur in many tasks, nearly every answer is one of them, and passes give the key."""
    keys = {row.key for row in rows}
    tasks = {row.case.key for row in rows}
    if not 2 <= len(keys) <= MOST_CLASSES or len(tasks) < TASKS_PER_CLASS * len(keys):
        return False
    if any(len(key) > LONGEST_CLASS for key in keys):
        return False
    passes = [row for row in rows if row.case.passed]
    inside = sum(row.answer in keys for row in rows) >= INSIDE * len(rows)
    return inside and sum(not row.wrong for row in passes) >= AGREEING * len(passes)


def _field_answer(field: str, rows: Sequence[ClassifiedAnswer]) -> dict[str, Any]:
    passes = [row for row in rows if row.case.passed]
    equal = [row.case for row in rows if not row.case.passed and not row.wrong]
    return {
        "name": field,
        "passes": sum(not row.wrong for row in passes),
        "of_passes": len(passes),
        "equal_failures": len(equal),
        "equal_tasks": in_order(case.label for case in equal),
    }


def _by_run(rows: Sequence[ClassifiedAnswer]) -> list[list[Any]]:
    """Runs with their rollouts, the most first."""
    return [[run, many] for run, many in Counter(row.case.run for row in rows).most_common()]


def _confusions(rows: Sequence[ClassifiedAnswer], wrong: Sequence[ClassifiedAnswer]) -> list[dict[str, Any]]:
    pairs: defaultdict[tuple[str, str], list[ClassifiedAnswer]] = defaultdict(list)
    for row in wrong:
        pairs[row.key, row.answer].append(row)
    expected = Counter(row.key for row in rows)
    common = [pair for pair in pairs.items() if len(pair[1]) >= FEWEST_ALIKE]
    common.sort(key=lambda pair: (-len(pair[1]), pair[0]))
    return [
        {
            "key": key,
            "answer": answer,
            "rollouts": len(some),
            "of": expected[key],
            "runs": _by_run(some),
            "tasks": in_order(row.case.label for row in some),
        }
        for (key, answer), some in common[:MOST_SHOWN]
    ]


def _first_of_each_task(rows: Sequence[ClassifiedAnswer]) -> list[ClassifiedAnswer]:
    """One rollout of each task: repeats of a task are no independent draws."""
    return list({row.case.key: row for row in reversed(rows)}.values())


def _preferences(rows: Sequence[ClassifiedAnswer]) -> dict[str, list[dict[str, Any]]]:
    """Answers that a run gives too often where others are expected, and too seldom where it leans to none."""
    keys = sorted({row.key for row in rows})
    candidates: list[tuple[float, float, str, str, list[ClassifiedAnswer]]] = []
    for run in dict.fromkeys(row.case.run for row in rows):
        run_rows = [row for row in rows if row.case.run == run]
        if len({row.answer for row in run_rows}) == 1:
            continue  # one answer whatever is asked: `answer_shapes` tells it
        tested = _first_of_each_task(run_rows)
        candidates += [
            (_leaning_p(tested, key, keys), _avoiding_p(tested, key, keys), run, key, run_rows) for key in keys
        ]
    adjusted = benjamini_hochberg([p for candidate in candidates for p in candidate[:2]])
    preferences: dict[str, list[dict[str, Any]]] = {"leanings": [], "avoided": []}
    for place, (*_, run, answer, run_rows) in enumerate(candidates):
        for name, p in zip(preferences, adjusted[2 * place : 2 * place + 2], strict=True):
            if p <= SURE:
                preferences[name].append({"run": run, "answer": answer, **_preference(run_rows, answer), "p": p})
                preferences[name][-1]["overused"] = _overused(run_rows, keys) if name == "avoided" else None
    leaning = {entry["run"] for entry in preferences["leanings"]}
    preferences["avoided"] = [entry for entry in preferences["avoided"] if entry["run"] not in leaning]
    return {
        name: sorted(entries, key=lambda entry: (entry["p"], entry["run"], entry["answer"]))[:MOST_SHOWN]
        for name, entries in preferences.items()
    }


def _preference(rows: Sequence[ClassifiedAnswer], answer: str) -> dict[str, int]:
    """How often a run gives an answer, where it is expected and where it is not."""
    wrong = [row for row in rows if row.wrong]
    return {
        "wrong": sum(row.answer == answer for row in wrong),
        "of_wrong": len(wrong),
        "wrong_elsewhere": sum(row.key != answer for row in wrong),
        "given": sum(row.answer == answer for row in rows),
        "expected": sum(row.key == answer for row in rows),
        "answers": len(rows),
        "passes_where_expected": sum(bool(row.case.passed) for row in rows if row.key == answer),
        "passes_elsewhere": sum(bool(row.case.passed) for row in rows if row.key != answer),
        "passes": sum(bool(row.case.passed) for row in rows),
    }


def _overused(rows: Sequence[ClassifiedAnswer], keys: Sequence[str]) -> dict[str, Any]:
    """The answer that a run gives most above what is expected: what it says in place of the one that it avoids."""
    given, expected = Counter(row.answer for row in rows), Counter(row.key for row in rows)
    answer = max(keys, key=lambda key: given[key] - expected[key])
    return {"answer": answer, "given": given[answer], "expected": expected[answer]}


def _leaning_p(rows: Sequence[ClassifiedAnswer], answer: str, keys: Sequence[str]) -> float:
    """The chance of so many wrong answers of one kind if each wrong answer were any of the others alike."""
    open_to_it = [row for row in rows if row.key != answer]
    hits = sum(row.answer == answer for row in open_to_it)
    if len(keys) == 2:  # a wrong answer can only be the other one: compare how often each is given wrongly
        others = [row for row in rows if row.key == answer]
        return more_often_p(hits, len(open_to_it), sum(row.wrong for row in others), len(others))
    wrong = sum(row.wrong for row in open_to_it)
    return float(special.bdtrc(hits - 1, wrong, 1 / (len(keys) - 1))) if hits else 1.0


def _avoiding_p(rows: Sequence[ClassifiedAnswer], answer: str, keys: Sequence[str]) -> float:
    """The chance of so few wrong answers of one kind; of two answers the leaning to the other says it."""
    wrong = [row for row in rows if row.wrong and row.key != answer]
    if len(keys) == 2 or not wrong:
        return 1.0
    return float(special.bdtr(sum(row.answer == answer for row in wrong), len(wrong), 1 / (len(keys) - 1)))


def _hard_keys(rows: Sequence[ClassifiedAnswer]) -> list[dict[str, Any]]:
    """Expected answers that are missed more often than the others, over all runs; of two the leaning says it."""
    keys = sorted({row.key for row in rows})
    if len(keys) == 2:
        return []
    tested = _first_of_each_task(rows)
    chances = []
    for key in keys:
        own = [not row.case.passed for row in tested if row.key == key]
        rest = [not row.case.passed for row in tested if row.key != key]
        chances.append(more_often_p(sum(own), len(own), sum(rest), len(rest)))
    hard = [key for key, p in zip(keys, benjamini_hochberg(chances), strict=True) if p <= SURE]
    return [
        {
            "key": key,
            "passes": sum(bool(row.case.passed) for row in rows if row.key == key),
            "of": sum(row.key == key for row in rows),
            "other_passes": sum(bool(row.case.passed) for row in rows if row.key != key),
            "other_of": sum(row.key != key for row in rows),
            "tasks": in_order(row.case.label for row in rows if row.key == key and not row.case.passed),
        }
        for key in hard[:MOST_SHOWN]
    ]


def _constant(runs: Sequence[RunCases], keys: set[str]) -> dict[str, Any] | None:
    """The expected answer that, given always, would pass at least as often as some run does; unread answers count."""
    rollouts: list[tuple[Case, str]] = []
    for run in runs:
        for case in judged(run):
            key = case.observed.get("answer", {}).get("key")
            if key and normal(key[0]) in keys:
                rollouts.append((case, normal(key[0])))
    if not rollouts:
        return None
    key = Counter(key for _, key in rollouts).most_common(1)[0][0]
    entries = []
    for run in runs:
        own = [(case, expected) for case, expected in rollouts if case.run == run.run.name]
        right, passes = sum(expected == key for _, expected in own), sum(bool(case.passed) for case, _ in own)
        if own and right >= passes:
            entries.append({"run": run.run.name, "constant": right, "passes": passes, "rollouts": len(own)})
    return {"answer": key, "runs": entries} if entries else None


def _constant_words(entry: Mapping[str, Any]) -> Sentence:
    """What answering the same always would pass, beside what the runs do."""
    parts: list[str | Fact] = [f"Answering '{entry['answer']}' always would pass "]
    for place, run in enumerate(entry["runs"][:MOST_SHOWN]):
        at = ("investigation", "answer_classes", "constant", "runs", place)
        parts += [
            "; " if place else "",
            amount(run["constant"], *at, "constant"),
            f" of {run['rollouts']:,} ({percent(run['constant'] / run['rollouts'])}) of {run['run']}, which passes ",
            amount(run["passes"], *at, "passes"),
        ]
    return Sentence((*parts, "."))


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [_field_words(answer["field"])] if answer["field"] else []
    items += [_constant_words(answer["constant"])] if answer["constant"] else []
    items += [_confusion_words(place, entry) for place, entry in enumerate(answer["confusions"])]
    items += [_leaning_words(place, entry) for place, entry in enumerate(answer["leanings"])]
    items += [_avoided_words(place, entry) for place, entry in enumerate(answer["avoided"])]
    items += [_hard_key_words(place, entry) for place, entry in enumerate(answer["hard_keys"])]
    return [Bullets(tuple(Paragraph((sentence,)) for sentence in items))]


def _field_words(field: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "answer_classes", "field")
    equal = field["equal_failures"]
    equals = "equals" if equal == 1 else "equal"
    contradiction = f" ({task_list(field['equal_tasks'])}): that verdict contradicts the others" if equal else ""
    return say(
        "No field is named as the key, but {name} equals the answer in {passes} of {of_passes}, so it holds the key; "
        "{failures} {equals} it as well{contradiction}.",
        name=field["name"],
        passes=amount(field["passes"], *at, "passes"),
        of_passes=fact(count(field["of_passes"], "pass", "passes"), field["of_passes"], *at, "of_passes"),
        failures=fact(count(equal, "failure") if equal else "no failure", equal, *at, "equal_failures"),
        equals=equals if equal else "equals",
        contradiction=contradiction,
    )


def _confusion_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "answer_classes", "confusions", place)
    runs = listed([f"{run} {many:,}" for run, many in entry["runs"]])
    return say(
        "Where '{key}' is expected, '{answer}' is answered in {rollouts} of {of}: {runs} ({tasks}).",
        key=entry["key"],
        answer=entry["answer"],
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        of=fact(count(entry["of"], "rollout"), entry["of"], *at, "of"),
        runs=runs,
        tasks=task_list(entry["tasks"]),
    )


def _leaning_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "answer_classes", "leanings", place)
    elsewhere = entry["answers"] - entry["expected"]
    return say(
        "{run} leans to '{answer}': it gives it in {given} of {answers} and passes {right} of the {expected} that "
        "expect it, but {other} of the {elsewhere} that expect another; {wrong} of its {of_wrong} say '{answer}'. "
        "Answering '{answer}' always would pass {constant} of {all}; it passes {passes}.",
        run=entry["run"],
        answer=entry["answer"],
        given=amount(entry["given"], *at, "given"),
        answers=fact(count(entry["answers"], "answer"), entry["answers"], *at, "answers"),
        right=amount(entry["passes_where_expected"], *at, "passes_where_expected"),
        expected=amount(entry["expected"], *at, "expected"),
        other=amount(entry["passes_elsewhere"], *at, "passes_elsewhere"),
        elsewhere=str(elsewhere),
        wrong=amount(entry["wrong"], *at, "wrong"),
        of_wrong=fact(count(entry["of_wrong"], "wrong answer"), entry["of_wrong"], *at, "of_wrong"),
        constant=amount(entry["expected"], *at, "expected"),
        all=amount(entry["answers"], *at, "answers"),
        passes=amount(entry["passes"], *at, "passes"),
    )


def _avoided_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "answer_classes", "avoided", place)
    return say(
        "{run} avoids '{answer}': it gives it in {given} of {answers}, while {expected} expect it (it passes {right} "
        "of those); of its {elsewhere} where another is expected {wrong} {say} '{answer}'. Most above what is expected "
        "it gives '{overused}': {overgiven} times, {overkeyed} expected.",
        overused=entry["overused"]["answer"],
        overgiven=amount(entry["overused"]["given"], *at, "overused", "given"),
        overkeyed=amount(entry["overused"]["expected"], *at, "overused", "expected"),
        run=entry["run"],
        answer=entry["answer"],
        given=amount(entry["given"], *at, "given"),
        answers=fact(count(entry["answers"], "answer"), entry["answers"], *at, "answers"),
        expected=amount(entry["expected"], *at, "expected"),
        right=amount(entry["passes_where_expected"], *at, "passes_where_expected"),
        elsewhere=fact(
            count(entry["wrong_elsewhere"], "wrong answer"), entry["wrong_elsewhere"], *at, "wrong_elsewhere"
        ),
        wrong=fact(f"{entry['wrong']:,}" if entry["wrong"] else "none", entry["wrong"], *at, "wrong"),
        say="says" if entry["wrong"] < 2 else "say",
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The answer that a run leans to most, or avoids."""
    yield from (_leaning_words(place, entry) for place, entry in enumerate(answer["leanings"][:1]))
    if answer["constant"] and not answer["leanings"]:
        yield _constant_words(answer["constant"])
    if not answer["leanings"]:
        yield from (_avoided_words(place, entry) for place, entry in enumerate(answer["avoided"][:1]))


def _hard_key_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "answer_classes", "hard_keys", place)
    return say(
        "Where '{key}' is expected, {passes} of {of} pass, elsewhere {other} of {other_of} (failing: {tasks}).",
        key=entry["key"],
        passes=amount(entry["passes"], *at, "passes"),
        of=fact(count(entry["of"], "rollout"), entry["of"], *at, "of"),
        other=amount(entry["other_passes"], *at, "other_passes"),
        other_of=amount(entry["other_of"], *at, "other_of"),
        tasks=task_list(entry["tasks"]),
    )
