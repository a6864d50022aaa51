"""Tasks graded by several values: which parts are judged wrongly, which are left out, whose key looks wrong?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_parts import PartedCase, parted_cases
from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import independent_runs
from blade.diagnosis.part_patterns import agreed_values, by_key, exchanged_keys, one_sided_parts, rounded_keys
from blade.diagnosis.part_verdicts import equal_parts, parts_left_out
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.findings import OF_VERIFIER, TaskFault
from blade.questions import ONE_MATCHER, OTHER_KEYS, in_order, judged, order_if_passed, order_words, run_p, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import abridged, amount, count, fact, listed, p_value, percent

TITLE = "Answers in parts"
ORDER = 79
WEIGHT = 1.5
SURE = 0.01
NEARLY_ALL = 0.8
MOST_SHOWN = 6
CERTAIN, LIKELY, DOUBTFUL = 0.9, 0.5, 0.3
_AT = ("investigation", "part_answers")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Parts that are equal to the key, rounded, left out, exchanged, agreed on by most, or on one side of the key."""
    rows = parted_cases([case for run in runs for case in judged(run)])
    if not rows:
        return None
    witnesses = {run.run.name for run in independent_runs(runs)}
    tasks, own_tasks = by_key(rows), by_key([entry for entry in rows if entry.case.run in witnesses])
    exchanged = exchanged_keys(own_tasks)
    names = {(entry["task"], name) for entry in exchanged for name in entry["parts"]}
    answer = {
        "equal": _equal(runs, rows),
        "rounded": rounded_keys(tasks),
        "left_out": _left_out(runs, rows),
        "exchanged": exchanged,
        "agreed": agreed_values(own_tasks, names),
        "one_sided": one_sided_parts(tasks),
    }
    answer = {name: entries for name, entries in answer.items() if entries}
    return answer or None


def _equal(runs: Sequence[RunCases], rows: Sequence[PartedCase]) -> dict[str, Any] | None:
    """Failures with parts that are judged wrong though they equal the key, and what passes if these count."""
    entry, passing = equal_parts(rows)
    if entry is None:
        return None
    entry["tasks"] = in_order(entry["tasks"])
    would_pass = {id(case) for case in passing}
    order = order_if_passed(runs, would_pass)
    lines, several = _lines(runs, would_pass), sum(bool(judged(run)) for run in runs) > 1
    return {**entry, "lines": lines, "several_runs": several, **({"order": order} if order else {})}


def _lines(runs: Sequence[RunCases], passing: Collection[int]) -> list[dict[str, Any]]:
    """Each run of which some failures would pass: its passes now and then, of how many."""
    lines = []
    for run in runs:
        cases = judged(run)
        more = sum(id(case) in passing for case in cases)
        if more:
            passes = sum(bool(case.passed) for case in cases)
            lines.append({"run": run.run.name, "passes": passes, "after": passes + more, "rollouts": len(cases)})
    return lines


def _left_out(runs: Sequence[RunCases], rows: Sequence[PartedCase]) -> dict[str, Any] | None:
    """Rollouts that leave out parts while all that they hand in is right, by run, with the exact test."""
    entry, having = parts_left_out(rows)
    if entry is None:
        return None
    entry["tasks"] = in_order(entry["tasks"])
    p = run_p([one.case for one in rows], {id(case) for case in having})
    order = order_if_passed(runs, {id(case) for case in having})
    return {
        **entry,
        **({"p": significant(p, WRITTEN)} if p is not None else {}),
        **({"order": order} if order else {}),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(sentences)) for sentences in _findings(answer)))]


def _findings(answer: Mapping[str, Any]) -> Iterator[list[Sentence]]:
    if entry := answer.get("equal"):
        yield list(_equal_words(entry))
    if entry := answer.get("rounded"):
        yield [_rounded_words(entry)]
    if entry := answer.get("left_out"):
        yield list(_left_out_words(entry))
    for place, entry in enumerate(answer.get("exchanged", ())[:MOST_SHOWN]):
        yield [_exchanged_words(place, entry)]
    for place, entry in _simple(answer):
        yield [_simple_words(place, entry)]
    if entries := [entry for entry in answer.get("agreed", ()) if not entry["relation"]]:
        yield [_agreed_words(entries)]
    for place, entry in enumerate(answer.get("one_sided", ())[:MOST_SHOWN]):
        yield [_one_sided_words(place, entry)]


def _simple(answer: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """Values on which most agree and that come from the key in one step, with their places."""
    return [(place, entry) for place, entry in enumerate(answer.get("agreed", ())) if entry["relation"]]


def _by_run(entries: Sequence[Mapping[str, Any]]) -> str:
    return listed([f"{entry['run']} {entry['rollouts']:,}" for entry in entries])


def _equal_words(entry: Mapping[str, Any]) -> Iterator[Sentence]:
    example, at = entry["example"], (*_AT, "equal")
    yield say(
        "{failures} in {tasks} ({list}; {runs}) {have} {parts} judged wrong though the value handed in equals the "
        "expected one, as “{part}” of {task} (attempt {attempt} of {run}): {values}.",
        failures=fact(count(entry["failures"], "failure"), entry["failures"], *at, "failures"),
        tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *at, "of_tasks"),
        list=task_list(entry["tasks"]),
        runs=_by_run(entry["runs"]),
        have="has" if entry["failures"] == 1 else "have",
        parts=fact(count(entry["parts"], "part"), entry["parts"], *at, "parts"),
        values=_equal_values(example),
        **{name: str(example[name]) for name in ("part", "task", "attempt", "run")},
    )
    yield say("That is a fault of the verifier, not of the model.")
    if entry["passing"]:
        is_all = entry["passing"] == entry["failures"]
        yield say(
            "If such parts counted, {passing} would pass: {lines}.",
            passing=fact("it" if is_all and entry["passing"] == 1 else "all of them", entry["passing"], *at, "passing")
            if is_all
            else fact(f"{entry['passing']:,} of them", entry["passing"], *at, "passing"),
            lines=_passes_then(entry),
        )
        if "order" in entry:
            yield order_words("If they counted", (*at, "order"), entry["order"])
        elif entry["several_runs"]:
            yield say("The order of the runs would stay the same.")


def _equal_values(example: Mapping[str, Any]) -> str:
    reading = example["reading"]
    is_misread = reading and reading != example["expected"]
    return f"“{example['answer']}” against “{example['expected']}”" + (f", read as “{reading}”" if is_misread else "")


def _passes_then(entry: Mapping[str, Any]) -> str:
    return listed(
        [
            f"{line['run']} {line['after']:,} of {line['rollouts']:,} ({percent(line['after'] / line['rollouts'])}) "
            f"instead of {line['passes']:,}"
            for line in entry["lines"]
        ]
    )


def _rounded_words(entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "rounded")
    tasks = [
        f"{task['task']} ({task['rollouts']:,} of {count(task['failures'], 'failure')}, as "
        f"“{task['example']['answer']}” for “{task['example']['expected']}”; {_by_run(task['runs'])})"
        for task in entry["tasks"]
    ]
    return say(
        "{rollouts} in {tasks} {hand} in the key rounded to fewer decimals, and {passes}: the key is finer than the "
        "answer. By task: {list}.",
        rollouts=fact(count(entry["rollouts"], "failure"), entry["rollouts"], *at, "rollouts"),
        tasks=count(len(tasks), "task"),
        hand="hands" if entry["rollouts"] == 1 else "hand",
        passes=_finer_words(entry["passes"], entry["finer"]),
        list=abridged(tasks, MOST_SHOWN),
    )


def _finer_words(passes: int, finer: int) -> str:
    if not passes:
        return "no rollout passes there"
    if passes == 1:
        return "the only pass there gives more"
    return f"all {passes:,} passes there give more" if finer == passes else f"{finer:,} of {passes:,} passes give more"


def _left_out_words(entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at, example = (*_AT, "left_out"), entry["example"]
    fewest, most = entry["fewest"], entry["most"]
    number = count(most, "part") if fewest == most else f"{fewest} {'or' if most == fewest + 1 else 'to'} {most} parts"
    yield say(
        "{failures} in {tasks} ({list}) leave out {number}{last}, while everything handed in is right, as {names} of "
        "{task} (attempt {attempt} of {run}).",
        failures=fact(count(entry["failures"], "failure"), entry["failures"], *at, "failures"),
        tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *at, "of_tasks"),
        list=task_list(entry["tasks"]),
        number=number,
        last=_last_words(entry["last"], entry["failures"], most),
        names=listed([f"“{name}”" for name in example["names"]]),
        task=example["task"],
        attempt=str(example["attempt"]),
        run=example["run"],
    )
    if entry["fewest_parts"] > entry["fewest_of_all"]:
        yield say("All of them are tasks of {fewest} or more parts.", fewest=str(entry["fewest_parts"]))
    if entry["passes"]:
        passes = fact(count(entry["passes"], "pass", "passes"), entry["passes"], *at, "passes")
        yield say("{passes} {do} so, too.", passes=passes, do="does" if entry["passes"] == 1 else "do")
    runs = [f"{run['run']} {run['left_out']:,} of {count(run['failures'], 'failure')}" for run in entry["runs"]]
    if entry.get("p", 1.0) <= SURE:
        yield say("By run: {runs} (exact test by task p {p}).", runs=listed(runs), p=p_value(entry["p"], *at, "p"))
    else:
        yield say("By run: {runs}.", runs=listed(runs))
    if "order" in entry:
        yield order_words("If what is missing were right", (*at, "order"), entry["order"])


def _last_words(last: int, failures: int, most: int) -> str:
    if last == failures:
        return ", always the last one" if most == 1 else ", always the last"
    return f", in {last:,} of them the last" if last else ""


def _exchanged_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "exchanged", place)
    return say(
        "The keys of “{first}” ({first_key}) and “{second}” ({second_key}) of {task} may be exchanged: {rollouts} of "
        "{of} hand in each one's value for the other ({runs}), and {passes}.",
        first=entry["parts"][0],
        second=entry["parts"][1],
        first_key=entry["keys"][0],
        second_key=entry["keys"][1],
        task=entry["task"],
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        of=fact(count(entry["of"], "rollout"), entry["of"], *at, "of"),
        runs=_by_run(entry["runs"]),
        passes=_passing(entry["passes"]),
    )


def _passing(passes: int) -> str:
    return f"{passes:,} {'passes' if passes == 1 else 'pass'}" if passes else "none passes"


def _simple_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "agreed", place)
    return say(
        "The key of “{part}” of {task} may be wrong: it says {expected}, and {rollouts} of {of} hand in {answer}, "
        "{relation} ({runs}); {passes}.",
        part=entry["part"],
        task=entry["task"],
        expected=entry["expected"],
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        of=fact(count(entry["of"], "rollout"), entry["of"], *at, "of"),
        answer=entry["answer"],
        relation=entry["relation"],
        runs=_by_run(entry["runs"]),
        passes=_passing(entry["passes"]),
    )


def _agreed_words(entries: Sequence[Mapping[str, Any]]) -> Sentence:
    first_parts = {entry["task"]: entry for entry in reversed(entries)}
    ordered = [entry for entry in entries if first_parts[entry["task"]] is entry]
    values = [
        f"{entry['task']} “{entry['part']}” {entry['answer']} for {entry['expected']} in {entry['rollouts']:,} of "
        f"{count(entry['of'], 'rollout')} ({count(entry['of_runs'], 'run')}; {_passing(entry['passes'])}"
        f"{_sole_words(entry)})"
        for entry in ordered
    ]
    return say(
        "In {tasks} most rollouts agree on a value that is not the key, and a wrong key and a trap look alike: "
        "{values}. Read {them}.",
        tasks=count(len(ordered), "task"),
        values=abridged(values, MOST_SHOWN),
        them="the task" if len(ordered) == 1 else "the tasks",
    )


def _sole_words(entry: Mapping[str, Any]) -> str:
    """That nothing else is wrong speaks against the key: who falls into a trap errs in other parts as well."""
    return f"; {entry['sole']:,} have all else right" if entry["sole"] > 1 else ""


def _one_sided_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at, example = (*_AT, "one_sided", place), entry["example"]
    all_tasks = entry["tasks"] == entry["of_tasks"]
    tasks = f"all {entry['tasks']:,} tasks" if all_tasks else f"{entry['tasks']:,} of {entry['of_tasks']:,} tasks"
    return say(
        "Where {run} has “{part}” wrong, the number lies {side} the key in {tasks} ({rollouts} of {of}, median {ratio} "
        "the key; sign test p = {sign_p}; {labels}), and the other runs are right in {right} of {of_others} there "
        "(exact test by task p {p}): one cause may stand behind it, as {answer} for {expected} in {task}.",
        run=entry["run"],
        part=entry["part"],
        side=entry["side"],
        tasks=fact(tasks, entry["tasks"], *at, "tasks"),
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        of=fact(count(entry["of"], "wrong number"), entry["of"], *at, "of"),
        ratio=fact(f"{entry['ratio']:.3g} times", entry["ratio"], *at, "ratio"),
        sign_p=fact(f"{entry['sign_p']:.2g}", entry["sign_p"], *at, "sign_p"),
        labels=task_list(entry["labels"]),
        right=amount(entry["other_right"], *at, "other_right"),
        of_others=fact(count(entry["others"], "rollout"), entry["others"], *at, "others"),
        p=p_value(entry["p"], *at, "p"),
        task=example["task"],
        answer=example["answer"],
        expected=example["expected"],
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Equal values that are judged wrong, and of the other patterns the one that most rollouts show."""
    if entry := answer.get("equal"):
        then = f"; with these counted the passes are {_passes_then(entry)}" if entry["passing"] else ""
        yield say(
            "{failures} {have} a part judged wrong though its value equals the expected one ({values}){then}.",
            failures=fact(count(entry["failures"], "failure"), entry["failures"], *_AT, "equal", "failures"),
            have="has" if entry["failures"] == 1 else "have",
            values=_equal_values(entry["example"]),
            then=then,
        )
    sentences = [
        (entry["rollouts"], _exchanged_words(place, entry)) for place, entry in enumerate(answer.get("exchanged", ()))
    ]
    sentences += [(entry["rollouts"], _simple_words(place, entry)) for place, entry in _simple(answer)]
    if entry := answer.get("left_out"):
        sentences.append((entry["failures"], next(_left_out_words(entry))))
    if sentences:
        yield max(sentences, key=lambda pair: pair[0])[1]


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Tasks whose failures, all or nearly all, are the key's or the verifier's."""
    doubtful = [*answer.get("exchanged", ()), *(entry for _, entry in _simple(answer))]
    by_task = {
        entry["task"]: TaskFault("most rollouts agree on other values, and the key looks exchanged or reversed")
        for entry in doubtful
        if entry["rollouts"] >= NEARLY_ALL * entry["failures"]
    }
    if entry := answer.get("rounded"):
        finer = TaskFault("the failures hand in the key, rounded to fewer decimals than it has", OF_VERIFIER)
        by_task |= {task["task"]: finer for task in entry["tasks"] if task["rollouts"] == task["failures"]}
    if entry := answer.get("equal"):
        equal = TaskFault("every part that is judged wrong equals the key", OF_VERIFIER)
        by_task |= dict.fromkeys(entry["always"], equal)
    return by_task


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """One matcher for equal values, a look at keys that most contradict, and keys no finer than what is asked for."""
    if entry := answer.get("equal"):
        failures = fact(count(entry["failures"], "failure"), entry["failures"], *_AT, "equal", "failures")
        yield Advice(
            "verifier",
            ONE_MATCHER,
            say(
                "{failures} {hand} in a value that equals the expected one and is judged wrong ({values}).",
                failures=failures,
                hand="hands" if entry["failures"] == 1 else "hand",
                values=_equal_values(entry["example"]),
            ),
            entry["passing"] or entry["failures"],
            CERTAIN,
            before_scores=True,
        )
    if entry := answer.get("rounded"):
        yield Advice(
            "verifier",
            f"Compare {task_list(task['task'] for task in entry['tasks'])} in as many decimals as the task asks for, "
            "and judge again",
            say(
                "{rollouts} {hand} in the key rounded.",
                rollouts=fact(count(entry["rollouts"], "failure"), entry["rollouts"], *_AT, "rounded", "rollouts"),
                hand="hands" if entry["rollouts"] == 1 else "hand",
            ),
            entry["rollouts"],
            LIKELY,
        )
    doubtful = [*answer.get("exchanged", ()), *(entry for _, entry in _simple(answer))]
    if doubtful:
        tasks = {entry["task"] for entry in doubtful}
        yield Advice(
            "data",
            OTHER_KEYS,
            say(
                "Keys of {tasks} look exchanged or reversed ({list}).",
                tasks=count(len(tasks), "task"),
                list=task_list(tasks),
            ),
            sum(entry["rollouts"] for entry in doubtful),
            LIKELY,
        )
