"""What do failing answers look like: unread, refused, of another kind than the key, a default, one for all keys?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given, judged_answers
from blade.diagnosis.cases import RunCases
from blade.diagnosis.number_forms import form_change, form_words, has_number_in_words, number_form, number_of
from blade.diagnosis.unread_messages import NOTHING, PROGRAM, unread_messages
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, Table, say
from blade.extract.answer_kind import CHOICE, NUMBER
from blade.extract.given_answer import SHORT
from blade.extract.same_answer import normal
from blade.model import Status
from blade.questions import SURE, TASKS_PER_CLASS, in_order, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "What failing answers look like"
ORDER = 79
FEWEST = 2
FEWEST_ANSWERS = 10
SURE_OF_FEW = 0.001
"""The chance that answers drawn from the keys are all one, up to which fewer answers than that will do."""
MOST_KEYS = 10
NEARLY_ALL = 0.9
MOST_OF_ONE_KEY = 0.8
"""Where more of the keys are one value, giving it nearly always may be right."""
FEWEST_TASKS = 3
CONFIDENCE = 0.5
"""That an answer which never varies is the harness's doing, or can be mended in the prompt."""
SURE_OF_FORM = 0.9
"""That an answer which no pass has and which holds the expected number fails by its form."""
LONG = 200
LONGER = 5
"""An answer is too long if it is so many times as long as the longest passing one."""
MOST_SHAPES = 6
MOST_POWER = 12
FEWEST_CHARACTERS = 3
WORTH = 0.05
"""So many of the failures make a shape one for the first screen."""
UNREAD, HELD, REFUSED, DEFAULT, KIND, LENGTH = "unread", "held", "refused", "default", "kind", "long"
FACTOR, SIGN, INVERSE, IN_WORDS = "factor", "sign", "inverse", "in words"
REORDERED, LONGER_BY_ONE, SHORTER_BY_ONE = "reordered", "one more", "one less"
_WORDS = {
    HELD: "no answer was read although the final message states the expected one",
    UNREAD: "no answer was read",
    REFUSED: "a refusal",
    DEFAULT: "the same answer in several tasks",
    LENGTH: "far longer than any passing answer",
    FACTOR: "the expected number times a power of ten",
    SIGN: "the expected number with the other sign",
    INVERSE: "one divided by the expected number",
    IN_WORDS: "the expected number, and no other, inside other words",
    REORDERED: "the characters of the expected answer in another order",
    LONGER_BY_ONE: "the expected answer with one character more",
    SHORTER_BY_ONE: "the expected answer with one character less",
}
_KINDS = {
    "number": "a number",
    "choice": "a choice",
    "list": "a list",
    "none": "'none'",
    "text": "words",
}
_MISSPELT = {REORDERED, LONGER_BY_ONE, SHORTER_BY_ONE}
_BROKEN_OFF = (Status.TRUNCATED.value, Status.TIMED_OUT.value)
_BY_THE_KEY = {HELD, FACTOR, SIGN, INVERSE, IN_WORDS, *_MISSPELT}
"""Shapes that are measured at the key itself: one that no pass has needs no test."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The shapes that failures have and passes do not, with their counts in both, per run."""
    cases = [case for run in runs for case in judged(run)]
    rows = [entry for task in judged_answers(runs).values() for entry in task.rows if "raw" not in entry.seen]
    failures = [entry for entry in rows if not entry.case.passed]
    if not failures:
        return None
    shapes = _shapes(rows)
    names = list(dict.fromkeys(run.run.name for run in runs))
    holders = {
        shape: {id(entry.case) for entry in rows if shape in shapes[id(entry.case)]}
        for shape in sorted(set().union(*shapes.values()))
    }
    chances = {shape: _chance(shape, rows, here, names) for shape, here in holders.items()}
    tested = {shape: p for shape, p in chances.items() if p is not None}
    corrected = dict(zip(tested, benjamini_hochberg(list(tested.values())), strict=True))
    entries = []
    for shape, here in holders.items():
        failed = [entry for entry in failures if id(entry.case) in here]
        several = shape not in _MISSPELT or len({entry.case.key for entry in failed}) >= FEWEST_TASKS
        if len(failed) >= FEWEST and several and corrected.get(shape, 0.0) <= SURE:
            form = {"form": number_form(failed, cases, names)} if shape == IN_WORDS else {}
            entries.append(_entry(shape, failed, rows, here, names) | form)
    entries.sort(key=lambda entry: (-entry["failures"], entry["shape"]))
    constant = [entry for name in names for entry in _one_for_all(name, rows)]
    if not entries and not constant:
        return None
    shown = {"shapes": entries[:MOST_SHAPES], "constant": constant}
    return {"runs": names, "failures": _per_run(failures, names), **shown}


def _one_for_all(name: str, rows: Sequence[Given]) -> Iterator[dict[str, Any]]:
    """The answer that a run gives nearly always although its keys are several; passes for that key and for the rest."""
    own = [entry for entry in rows if entry.case.run == name and entry.key]
    answers = Counter(normal(entry.text) for entry in own if entry.text)
    keys = Counter(normal(entry.key[0]) for entry in own)
    tasks = len({entry.case.key for entry in own})
    never_varies = len(answers) == 1 and len(keys) ** (1.0 - tasks) <= SURE_OF_FEW
    if not answers or not 1 < len(keys) <= MOST_KEYS:
        return
    if not never_varies and (answers.total() < FEWEST_ANSWERS or tasks >= TASKS_PER_CLASS * len(keys)):
        return  # with so many tasks, `answer_classes` tests answers that vary
    (answer, times), *_ = answers.most_common(1)
    if times < NEARLY_ALL * answers.total() or not 0 < keys[answer] <= MOST_OF_ONE_KEY * len(own):
        return
    same, other = ([entry for entry in own if (normal(entry.key[0]) == answer) is alike] for alike in (True, False))
    yield {
        "run": name,
        "answer": next(entry.text for entry in own if normal(entry.text) == answer),
        "times": times,
        "answers": answers.total(),
        "same": {"passes": sum(bool(entry.case.passed) for entry in same), "rows": len(same)},
        "other": {"passes": sum(bool(entry.case.passed) for entry in other), "rows": len(other)},
        "tasks": in_order({entry.case.label for entry in other}),
    }


def _shapes(rows: Sequence[Given]) -> dict[int, set[str]]:
    """The shapes of every rollout; one that was not read has no other."""
    defaults = _defaults(rows)
    longest = max((entry.seen["length"] for entry in rows if entry.case.passed and entry.text), default=0)
    rules: dict[str, Callable[[Given], bool]] = {
        REFUSED: lambda entry: "over_refusal" in entry.case.fired(),
        DEFAULT: lambda entry: _whole(entry) in defaults,
        LENGTH: lambda entry: bool(longest) and entry.seen["length"] > max(LONG, LONGER * longest),
    }
    by_case = {}
    for entry in rows:
        if entry.case.state in _BROKEN_OFF:
            shapes = {UNREAD} if entry.empty else set()  # what was cut short has no form of its own
        elif entry.empty:
            shapes = {HELD if entry.seen.get("stated_meets") else UNREAD}
            shapes |= {REFUSED} if "over_refusal" in entry.case.fired() else set()
        elif entry.text:
            shapes = {name for name, rule in rules.items() if rule(entry)} | set(_off(entry)) | set(_misspelt(entry))
            shapes |= {IN_WORDS} if has_number_in_words(entry) else set()
            shapes |= set(_other_kind(entry)) if shapes.isdisjoint(_MISSPELT | {IN_WORDS}) else set()
        else:
            shapes = set()
        by_case[id(entry.case)] = shapes
    return by_case


def _other_kind(entry: Given) -> Iterator[str]:
    """Such as `kind none number`: no answer is expected, and a number was given."""
    if entry.key and not entry.meets and entry.seen["kind"] != entry.seen["key_kind"]:
        yield f"{KIND} {entry.seen['key_kind']} {entry.seen['kind']}"


def _whole(entry: Given) -> str | int:
    """What stands for all of an answer: of a long one only the beginning is kept, and its digest."""
    return normal(entry.text) if entry.seen["length"] <= SHORT else int(entry.seen.get("digest", id(entry)))


def _defaults(rows: Sequence[Given]) -> set[str | int]:
    """Answers that failures of several tasks share while the keys of those tasks differ; a letter is no default.

    Nor is an answer that is right in more tasks than it is wrong in: it is one of the classes that the tasks ask for.
    """
    tasks: defaultdict[str | int, set[str]] = defaultdict(set)
    right: defaultdict[str | int, set[str]] = defaultdict(set)
    keys: defaultdict[str | int, set[str]] = defaultdict(set)
    for entry in rows:
        if entry.case.passed and entry.text:
            right[_whole(entry)].add(entry.case.key)
        elif entry.text and entry.seen["kind"] not in {CHOICE, NUMBER}:
            tasks[_whole(entry)].add(entry.case.key)
            keys[_whole(entry)].add(entry.key[0] if entry.key else entry.case.key)
    return {
        text
        for text, many in tasks.items()
        if min(len(many), len(keys[text])) >= FEWEST_TASKS and len(many) >= len(right[text])
    }


def _misspelt(entry: Given) -> Iterator[str]:
    """How the characters of a short answer come near those of the key; a letter that was chosen is none."""
    if not entry.key or entry.meets or CHOICE in (entry.seen["key_kind"], entry.seen["kind"]):
        return
    given, wanted = ("".join(text.split()).casefold() for text in (entry.text, entry.key[0]))
    if entry.seen["length"] > SHORT or given == wanted or any(_off(entry)):
        return
    if min(len(given), len(wanted)) < FEWEST_CHARACTERS:
        return  # two numbers of one or two digits come so near by chance
    if sorted(given) == sorted(wanted):
        yield REORDERED
    elif _without_one(given, wanted):
        yield LONGER_BY_ONE
    elif _without_one(wanted, given):
        yield SHORTER_BY_ONE


def _without_one(longer: str, shorter: str) -> bool:
    """Whether one text is the other with a character taken out."""
    if len(longer) != len(shorter) + 1 or not shorter:
        return False
    place = next((place for place, pair in enumerate(zip(longer, shorter, strict=False)) if pair[0] != pair[1]), -1)
    return longer[place + 1 :] == shorter[place:] if place >= 0 else True


def _off(entry: Given) -> Iterator[str]:
    """Exact relations of a number to the expected one."""
    if not entry.key or entry.meets or entry.seen["key_kind"] != NUMBER:
        return
    given, wanted = number_of(entry.text), number_of(entry.key[0])
    if not given or not wanted:
        return
    (above, below), (key_above, key_below) = given.as_integer_ratio(), wanted.as_integer_ratio()
    smaller, larger = sorted((above * key_below, below * key_above), key=abs)
    if above == -key_above and below == key_below:
        yield SIGN
    elif larger % smaller == 0 and larger // smaller in _POWERS:
        yield FACTOR
    elif above * key_above == below * key_below:
        yield INVERSE


_POWERS = frozenset(10**power for power in range(1, MOST_POWER + 1))


def _chance(shape: str, rows: Sequence[Given], here: set[int], names: Sequence[str]) -> float | None:
    """The exact p value of passes being without the shape, runs kept apart; None where there is nothing to test."""
    tables = []
    for name in names:
        own = [(id(entry.case) in here, bool(entry.case.passed)) for entry in rows if entry.case.run == name]
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
    passes = [entry for entry in rows if entry.case.passed]
    return {
        "shape": shape,
        "name": _shape_name(shape),
        "failures": len(failed),
        "of_failures": len(rows) - len(passes),
        "passes": sum(id(entry.case) in here for entry in passes),
        "of_passes": len(passes),
        "runs": _per_run(failed, names),
        "tasks": in_order(entry.case.label for entry in failed),
        "of_tasks": len({entry.case.key for entry in failed}),
        "kept_to": _keeping(shape, rows, names),
        "messages": unread_messages([entry.case for entry in failed]) if shape == UNREAD else None,
        "example": {
            "task": first.case.label,
            "run": first.case.run,
            "attempt": first.case.attempt,
            "answer": first.text or first.seen.get("stated", ""),
            "read": bool(first.text),
            "key": first.key[0] if first.key else "",
        },
    }


def _keeping(shape: str, rows: Sequence[Given], names: Sequence[str]) -> dict[str, Any] | None:
    """Where the answer is of another kind than the key: by run who answers in the kind of such keys, and its rollouts.

    None where the key is of the usual kind, or nearly every run keeps to it or none does.
    """
    if not shape.startswith(KIND):
        return None
    key_kind = shape.split()[1]
    rare = [entry for entry in rows if entry.key and entry.seen["key_kind"] == key_kind]
    keeping = [entry for entry in rare if entry.text and (entry.meets or entry.seen["kind"] == key_kind)]
    if 2 * len(rare) > len(rows) or not keeping:
        return None
    return {
        "tasks": len({entry.case.key for entry in rare}),
        "answers": _per_run(keeping, names),
        "rollouts": _per_run(rare, names),
        "passes": _per_run([entry for entry in rare if entry.case.passed], names),
    }


def _per_run(rows: Sequence[Given], names: Sequence[str]) -> list[int]:
    return [sum(entry.case.run == name for entry in rows) for name in names]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    shapes = answer["shapes"]
    items = [
        Paragraph(
            (
                _told(place, entry),
                *_quote(entry),
                *_form(place, entry),
                *_told_messages(place, entry),
                *_told_keeping(place, entry, answer["runs"]),
            )
        )
        for place, entry in enumerate(shapes)
    ]
    rows = [
        (_shape_name(entry["shape"]), *(_cell(answer, place, number) for number in range(len(answer["runs"]))))
        for place, entry in enumerate(shapes)
    ]
    table = Table(
        ("Failures with", *(f">{name}" for name in answer["runs"])),
        tuple(rows),
        "Of the judged failures of each run; a failure may show several",
    )
    blocks = [Paragraph((_told_constant(place, entry),)) for place, entry in enumerate(answer.get("constant", ()))]
    return [
        *blocks,
        *([Bullets(tuple(items))] if items else []),
        *([table] if items and len(answer["runs"]) > 1 else []),
    ]


def _told_constant(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "answer_shapes", "constant", place)
    same, other = entry["same"], entry["other"]
    return say(
        "{run} answers '{answer}' in {times} of the {answers} that can be read, whatever is asked: {passes} of {rows} "
        "pass where that is the key, {other_passes} of {other_rows} where the key is another ({tasks}).",
        run=entry["run"],
        answer=entry["answer"],
        times=amount(entry["times"], *at, "times"),
        answers=fact(count(entry["answers"], "answer"), entry["answers"], *at, "answers"),
        passes=amount(same["passes"], *at, "same", "passes"),
        rows=amount(same["rows"], *at, "same", "rows"),
        other_passes=amount(other["passes"], *at, "other", "passes"),
        other_rows=amount(other["rows"], *at, "other", "rows"),
        tasks=task_list(entry["tasks"]),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """An answer that does not depend on the task says more than any failure by itself."""
    yield from (_told_constant(place, entry) for place, entry in enumerate(answer.get("constant", ())))
    for place, entry in enumerate(answer["shapes"]):
        if entry["shape"] == IN_WORDS and entry["failures"] >= WORTH * entry["of_failures"]:
            quotes = [part for sentence in _quote(entry) for part in (" ", *sentence.parts)]
            forms = [part for sentence in _form(place, entry) for part in (" ", *sentence.parts)]
            yield Sentence((*_told(place, entry).parts, *quotes, *forms))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Look at the way to the model and back before its knowledge is blamed."""
    constant = answer.get("constant", ())
    failures = sum(entry["other"]["rows"] - entry["other"]["passes"] for entry in constant)
    if failures:
        runs = [
            f"{entry['run']} '{entry['answer']}' in {entry['times']:,} of {entry['answers']:,}" for entry in constant
        ]
        yield Advice(
            "harness",
            "Check that the question and its choices reach the model whole, and that its answer is read where it gives "
            "it; if both are so, the score shows how often one answer is the key, and nothing of what the model knows",
            say("One answer is given whatever is asked: {runs}.", runs=listed(runs)),
            failures,
            CONFIDENCE,
        )
    yield from _settle_form(answer)


def _settle_form(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What is right but for the words around it needs no better model."""
    for entry in answer["shapes"]:
        if entry["shape"] == IN_WORDS and entry["failures"] >= WORTH * entry["of_failures"]:
            by_run = zip(answer["runs"], entry["runs"], answer["failures"], strict=True)
            yield Advice(
                "harness",
                form_change(entry["form"]),
                say(
                    "These failures give the expected number, and no other, inside other words: {runs}.",
                    runs=listed([f"{run} {own:,} of its {failures:,}" for run, own, failures in by_run if own]),
                ),
                entry["failures"],
                SURE_OF_FORM if not entry["passes"] else CONFIDENCE,
                before_scores=not entry["passes"],
            )


def _told(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "answer_shapes", "shapes", place)
    return say(
        "{failures} of {all} and {passes} of {of_passes} show {shape}: {tasks} ({list}).",
        failures=amount(entry["failures"], *at, "failures"),
        all=fact(count(entry["of_failures"], "failure"), entry["of_failures"], *at, "of_failures"),
        passes=amount(entry["passes"], *at, "passes"),
        of_passes=fact(count(entry["of_passes"], "pass", "passes"), entry["of_passes"], *at, "of_passes"),
        shape=_shown(entry["shape"]),
        tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *at, "of_tasks"),
        list=task_list(entry["tasks"]),
    )


def _form(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    if entry.get("form"):
        yield from form_words(entry["form"], ("investigation", "answer_shapes", "shapes", place, "form"))


def _told_messages(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    """Whether there was something to read."""
    if not (messages := entry["messages"]):
        return
    at = ("investigation", "answer_shapes", "shapes", place, "messages")
    programs, blank = messages[PROGRAM], messages[NOTHING]
    empty = f"; {len(blank):,} {'is' if len(blank) == 1 else 'are'} empty ({task_list(blank)})" if blank else ""
    yield say(
        "Of the {opened} {programs} whole {noun} ({tasks}), which the reader of answers missed{empty}.",
        opened=fact(count(messages["opened"], "last message"), messages["opened"], *at, "opened"),
        programs=fact(f"{len(programs):,} {'holds a' if len(programs) == 1 else 'hold'}", programs, *at, PROGRAM),
        noun="program" if len(programs) == 1 else "programs",
        tasks=task_list(programs),
        empty=empty,
    )


def _told_keeping(place: int, entry: Mapping[str, Any], names: Sequence[str]) -> Iterator[Sentence]:
    """Who answers in the kind of the key at all, where most keys are of another kind."""
    if not entry["kept_to"]:
        return
    at = ("investigation", "answer_shapes", "shapes", place, "kept_to")
    counts = zip(names, *(entry["kept_to"][name] for name in ("answers", "rollouts", "passes")), strict=True)
    runs = [
        f"{run} in {answers:,} of {rollouts:,} ({count(passes, 'passes', 'pass')})"
        for run, answers, rollouts, passes in counts
        if rollouts
    ]
    tasks = entry["kept_to"]["tasks"]
    yield say(
        "At the {tasks} whose key says {kind}, that is answered by {runs}.",
        tasks=fact(count(tasks, "task"), tasks, *at, "tasks"),
        kind=_KINDS[entry["shape"].split()[1]],
        runs=listed(runs),
    )


def _shape_name(shape: str) -> str:
    """What an answer of this shape is, in words."""
    if shape in _WORDS:
        return _WORDS[shape]
    _, wanted, given = shape.split()
    return f"{_KINDS[given]} where the key says {_KINDS[wanted]}"


def _shown(shape: str) -> str:
    words = _shape_name(shape)
    return f"that {words}" if shape in {UNREAD, HELD} else f"an answer {words}" if shape == LENGTH else words


def _quote(entry: Mapping[str, Any]) -> Iterator[Sentence]:
    example = entry["example"]
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
