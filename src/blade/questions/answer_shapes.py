"""What do failing answers look like: unread, refused, of another kind than the key, a default, off by a factor?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from blade.diagnosis.answer_groups import Given, task_answers
from blade.diagnosis.cases import RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, Table, say
from blade.extract.answer_kind import CHOICE, NUMBER
from blade.extract.equivalent import value_of
from blade.extract.given_answer import SHORT
from blade.extract.same_answer import bare, normal
from blade.questions import SURE, in_order, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact

TITLE = "What failing answers look like"
ORDER = 79
FEWEST = 2
FEWEST_TASKS = 3
LONG = 200
LONGER = 5
"""An answer is too long if it is so many times as long as the longest passing one."""
MOST_SHAPES = 6
MOST_POWER = 12
UNREAD, HELD, REFUSED, DEFAULT, KIND, LENGTH = "unread", "held", "refused", "default", "kind", "long"
FACTOR, SIGN, INVERSE = "factor", "sign", "inverse"
_WORDS = {
    HELD: "no answer was read although the final message states the expected one",
    UNREAD: "no answer was read",
    REFUSED: "a refusal",
    DEFAULT: "one and the same answer in several tasks",
    LENGTH: "far longer than any passing answer",
    FACTOR: "the expected number times a power of ten",
    SIGN: "the expected number with the other sign",
    INVERSE: "one divided by the expected number",
}
_KINDS = {
    "number": "a number",
    "choice": "a choice",
    "list": "a list",
    "none": "'none'",
    "text": "words",
}
_BY_THE_KEY = {HELD, FACTOR, SIGN, INVERSE}
"""Shapes that are measured at the key itself: one that no pass has needs no test."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The shapes that failures have and passes do not, with their counts in both, per run."""
    tasks = task_answers(case for run in runs for case in judged(run))
    rows = [one for task in tasks.values() for one in task.rows]
    failures = [one for one in rows if not one.case.passed]
    if not failures:
        return None
    shapes = _shapes(rows)
    names = list(dict.fromkeys(run.run.name for run in runs))
    holders = {
        shape: {id(one.case) for one in rows if shape in shapes[id(one.case)]}
        for shape in sorted(set().union(*shapes.values()))
    }
    chances = {shape: _chance(shape, rows, here, names) for shape, here in holders.items()}
    tested = {shape: p for shape, p in chances.items() if p is not None}
    corrected = dict(zip(tested, benjamini_hochberg(list(tested.values())), strict=True))
    found = []
    for shape, here in holders.items():
        failed = [one for one in failures if id(one.case) in here]
        if len(failed) >= FEWEST and corrected.get(shape, 0.0) <= SURE:
            found.append(_entry(shape, failed, rows, here, names))
    found.sort(key=lambda one: (-one["failures"], one["shape"]))
    if not found:
        return None
    return {"runs": names, "failures": _per_run(failures, names), "shapes": found[:MOST_SHAPES]}


def _shapes(rows: Sequence[Given]) -> dict[int, set[str]]:
    """The shapes of every rollout; one that was not read has no other."""
    defaults = _defaults(rows)
    longest = max((one.seen["length"] for one in rows if one.case.passed and one.text), default=0)
    rules: dict[str, Callable[[Given], bool]] = {
        REFUSED: lambda one: "over_refusal" in one.case.fired(),
        DEFAULT: lambda one: _whole(one) in defaults,
        LENGTH: lambda one: bool(longest) and one.seen["length"] > max(LONG, LONGER * longest),
    }
    found = {}
    for one in rows:
        if one.empty:
            shapes = {HELD if one.seen.get("stated_meets") else UNREAD}
            shapes |= {REFUSED} if "over_refusal" in one.case.fired() else set()
        elif one.text:
            shapes = {name for name, rule in rules.items() if rule(one)} | set(_off(one)) | set(_other_kind(one))
        else:
            shapes = set()
        found[id(one.case)] = shapes
    return found


def _other_kind(one: Given) -> Iterator[str]:
    """Such as `kind none number`: no answer is expected, and a number was given."""
    if one.key and not one.meets and one.seen["kind"] != one.seen["key_kind"]:
        yield f"{KIND} {one.seen['key_kind']} {one.seen['kind']}"


def _whole(one: Given) -> str | int:
    """What stands for all of an answer: of a long one only the beginning is kept, and its digest."""
    return normal(one.text) if one.seen["length"] <= SHORT else int(one.seen.get("digest", id(one)))


def _defaults(rows: Sequence[Given]) -> set[str | int]:
    """Answers that failures of several tasks share while the keys of those tasks differ; a letter is no default."""
    tasks: defaultdict[str | int, set[str]] = defaultdict(set)
    keys: defaultdict[str | int, set[str]] = defaultdict(set)
    for one in rows:
        if not one.case.passed and one.text and one.seen["kind"] not in {CHOICE, NUMBER}:
            tasks[_whole(one)].add(one.case.key)
            keys[_whole(one)].add(one.key[0] if one.key else one.case.key)
    return {text for text, many in tasks.items() if len(many) >= FEWEST_TASKS and len(keys[text]) >= FEWEST_TASKS}


def _off(one: Given) -> Iterator[str]:
    """Exact relations of a number to the expected one."""
    if not one.key or one.meets or one.seen["key_kind"] != NUMBER:
        return
    given, wanted = _number(one.text), _number(one.key[0])
    if not given or not wanted:
        return
    if given == -wanted:
        yield SIGN
    elif given / wanted in _POWERS:
        yield FACTOR
    elif given * wanted == 1:
        yield INVERSE


_POWERS = frozenset(Fraction(10) ** power for power in range(-MOST_POWER, MOST_POWER + 1) if power)


def _number(text: str) -> Fraction | None:
    value = value_of(text)
    return value if value is not None else value_of(bare(normal(text)) or "")


def _chance(shape: str, rows: Sequence[Given], here: set[int], names: Sequence[str]) -> float | None:
    """The exact p value of passes being without the shape, runs kept apart; None where there is nothing to test."""
    tables = []
    for name in names:
        own = [(id(one.case) in here, bool(one.case.passed)) for one in rows if one.case.run == name]
        tables.append(
            (own.count((True, True)), own.count((True, False)), own.count((False, True)), own.count((False, False)))
        )
    passed, failed, other_passed, other_failed = map(sum, zip(*tables, strict=True))
    if passed * (failed + other_failed) >= failed * (passed + other_passed):
        return 1.0 if passed or other_passed else None  # nothing passes: a plain description
    if shape in _BY_THE_KEY and not passed:
        return None
    p = exact_p(tables)
    return 1.0 if p is None else p


def _entry(
    shape: str, failed: Sequence[Given], rows: Sequence[Given], here: set[int], names: Sequence[str]
) -> dict[str, Any]:
    first = failed[0]
    passes = [one for one in rows if one.case.passed]
    return {
        "shape": shape,
        "failures": len(failed),
        "of_failures": len(rows) - len(passes),
        "passes": sum(id(one.case) in here for one in passes),
        "of_passes": len(passes),
        "runs": _per_run(failed, names),
        "tasks": in_order(one.case.label for one in failed),
        "of_tasks": len({one.case.key for one in failed}),
        "example": {
            "task": first.case.label,
            "run": first.case.run,
            "attempt": first.case.attempt,
            "answer": first.text or first.seen.get("stated", ""),
            "read": bool(first.text),
            "key": first.key[0] if first.key else "",
        },
    }


def _per_run(rows: Sequence[Given], names: Sequence[str]) -> list[int]:
    return [sum(one.case.run == name for one in rows) for name in names]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    shapes = answer["shapes"]
    items = [Paragraph((_told(place, one), *_quote(one))) for place, one in enumerate(shapes)]
    rows = [
        (_name(one["shape"]), *(_cell(answer, place, number) for number in range(len(answer["runs"]))))
        for place, one in enumerate(shapes)
    ]
    table = Table(
        ("Failures with", *(f">{name}" for name in answer["runs"])),
        tuple(rows),
        "of the judged failures of each run; a failure may show several",
    )
    return [Bullets(tuple(items)), table] if len(answer["runs"]) > 1 else [Bullets(tuple(items))]


def _told(place: int, one: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "answer_shapes", "shapes", place)
    return say(
        "{failures} of {all} and {passes} of {of_passes} show {shape}: {tasks} ({list}).",
        failures=amount(one["failures"], *at, "failures"),
        all=fact(count(one["of_failures"], "failure"), one["of_failures"], *at, "of_failures"),
        passes=amount(one["passes"], *at, "passes"),
        of_passes=fact(count(one["of_passes"], "pass", "passes"), one["of_passes"], *at, "of_passes"),
        shape=_shown(one["shape"]),
        tasks=fact(count(one["of_tasks"], "task"), one["of_tasks"], *at, "of_tasks"),
        list=task_list(one["tasks"]),
    )


def _name(shape: str) -> str:
    if shape in _WORDS:
        return _WORDS[shape]
    _, wanted, given = shape.split()
    return f"{_KINDS[given]} where the key says {_KINDS[wanted]}"


def _shown(shape: str) -> str:
    words = _name(shape)
    return f"that {words}" if shape in {UNREAD, HELD} else f"an answer {words}" if shape == LENGTH else words


def _quote(one: Mapping[str, Any]) -> Iterator[Sentence]:
    example = one["example"]
    if not example["answer"]:
        return
    key = f", the key '{example['key']}'" if example["key"] else ""
    said = "the answer is" if example["read"] else "the final message says"
    yield say(
        "In {task}, attempt {attempt} of {run}, " + said + " '{answer}'{key}.",
        task=example["task"],
        attempt=str(example["attempt"]),
        run=example["run"],
        answer=example["answer"],
        key=key,
    )


def _cell(answer: Mapping[str, Any], place: int, number: int) -> Any:
    many = answer["shapes"][place]["runs"][number]
    at = ("investigation", "answer_shapes", "shapes", place, "runs", number)
    return fact(f"{many:,} of {answer['failures'][number]:,}", many, *at)
