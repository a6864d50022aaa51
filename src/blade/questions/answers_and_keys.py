"""Is a failure equal to the key or to a pass, does the key look wrong, and are equal answers judged alike?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.akin_answers import is_akin, is_other_count
from blade.diagnosis.answer_groups import Given, TaskAnswers, grouped, hard_keys, judged_answers, passes_give_the_key
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.copies import independent_runs
from blade.diagnosis.shared_signs import NAMED, SharedSign, shared_sign
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, Table, say
from blade.extract.answer_kind import CHOICE
from blade.extract.same_answer import normal
from blade.health import Item, item
from blade.questions import ONE_MATCHER, OTHER_KEYS, cause, in_order, judged, task_list
from blade.stats.health import Vote, suspect_gold
from blade.wording import amount, count, fact, listed, percent

TITLE = "Answers and keys"
ORDER = 78
WEIGHT = 1.5
GOES_ON = "answer_marks"
MOST_SHOWN = 6
FEWEST_ROLLOUTS = 4
FEWEST_RUNS = 2
FEWEST_AGREEING = 3
FEWEST_ASKED = 4
HALF = 0.5
WORTH = 0.01
OF_PASSES = ("passes", "counts")
MOST_MOVED = 3
MOST_NAMED = 3
CERTAIN, DOUBTFUL = 0.9, 0.3

JUDGED_UNLIKE = (
    "{many} in {tasks} ({list}) {give} an answer that passes in another attempt at the same task: equal answers have "
    "two verdicts."
)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures that are right, suspect keys, passes that differ from the key, and keys that vary within a task."""
    cases = {run.run.name: judged(run) for run in runs}
    tasks = judged_answers(runs)
    if not tasks:
        return None
    comparable, with_key = passes_give_the_key(tasks)
    equal = [entry for task in tasks.values() for entry in task.rows if not entry.case.passed and entry.meets]
    records = [entry for entry in equal if entry.is_of_records]
    plain = [entry for entry in equal if not entry.is_of_records]
    to_key, denied = ([entry for entry in plain if bool(entry.judge) is judged_so] for judged_so in (False, True))
    to_pass = [pair for task in tasks.values() for pair in _equal_to_a_pass(task) if not pair[0].is_of_records]
    wrong = {id(entry.case) for entry in (*to_key, *(pair[0] for pair in to_pass if not pair[0].judge))}
    statement = {
        "to_key": _told(to_key, cases, [_example(entry, entry.key[0]) for entry in to_key]),
        "denied": _told(denied, cases, [_example(entry, entry.key[0]) for entry in denied]),
        "records": _told(records, cases, [_example(entry, entry.key[0]) for entry in records]),
        "to_pass": _told(
            [entry for entry, _ in to_pass], cases, [_example(first, other.text) for first, other in to_pass]
        ),
        "suspect_keys": _suspects(judged_answers(independent_runs(runs)), cases, wrong) if comparable else None,
        "passes": _passes_that_differ(tasks, cases, with_key) if comparable else None,
        "counts": _other_counts(tasks, cases) if comparable else None,
        "varying_keys": _varying(tasks, cases),
    }
    statement = {name: entries for name, entries in statement.items() if entries}
    if to_key and (sign := _sign_of(to_key, tasks)) is not None:
        statement["to_key"] |= {"sign": sign._asdict() | {"words": sign.words}}
    if not statement:
        return None
    agreeing = statement["suspect_keys"].pop("agreeing") if "suspect_keys" in statement else []
    causes = [cause("TI", "gives the answer that most rollouts of all runs find, and none the key", agreeing)]
    return {**statement, "runs": _rescored(cases, wrong), "causes": causes if agreeing else []}


def _equal_to_a_pass(task: TaskAnswers) -> Iterator[tuple[Given, Given]]:
    """Failures with the answer of a pass; not where the key speaks against both."""
    passes = [group[0] for group in grouped([entry for entry in task.answered if entry.case.passed])]
    for first in task.answered:
        if first.case.passed or first.meets:
            continue
        other = next((known for known in passes if first.is_one_with(known)), None)
        if other is not None and (not other.key or other.meets):
            yield first, other


def _told(rows: Sequence[Given], cases: Mapping[str, Sequence[Case]], examples: Sequence[Mapping[str, Any]]) -> Any:
    if not rows:
        return None
    return {
        "rollouts": len(rows),
        "tasks": in_order(entry.case.label for entry in rows),
        "of_tasks": len({entry.case.key for entry in rows}),
        "examples": _different(examples),
        "without": _without(cases, rows={id(entry.case) for entry in rows}),
    }


def _different(examples: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One example a task, those first whose two writings differ."""
    entries: dict[str, Mapping[str, Any]] = {}
    for entry in sorted(examples, key=lambda entry: entry["answer"] == entry["against"]):
        entries.setdefault(entry["task"], entry)
    return list(entries.values())[:3]


def _example(entry: Given, against: str) -> dict[str, Any]:
    return {
        "task": entry.case.label,
        "run": entry.case.run,
        "attempt": entry.case.attempt,
        "answer": _with_option(entry.text, entry.seen.get("option")) if entry.meets == "option" else entry.text,
        "against": _with_option(against, entry.seen.get("key_option")) if entry.meets == "option" else against,
        "how": entry.meets,
    }


def _with_option(letter: str, option: Any) -> str:
    """A letter with the words of its option: two letters may stand for the same."""
    return f"{letter}: {option}" if option and str(option) != letter else letter


def _habits(tasks: Mapping[str, TaskAnswers]) -> dict[str, str]:
    """Run → the answer that it gives in more than half of its tasks: such an answer speaks against no key."""
    given: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
    for name, task in tasks.items():
        for entry in task.answered:
            given[entry.case.run].setdefault(name, set()).add(_words(entry))
    habits = {}
    for run, answers in given.items():
        text, times = Counter(text for texts in answers.values() for text in sorted(texts)).most_common(1)[0]
        if len(answers) >= FEWEST_ASKED and times > HALF * len(answers):
            habits[run] = text
    return habits


def _words(entry: Given) -> str:
    return " ".join(entry.text.casefold().split())


def _suspects(
    tasks: Mapping[str, TaskAnswers], cases: Mapping[str, Sequence[Case]], wrong: set[int]
) -> dict[str, Any] | None:
    """Tasks in which most rollouts agree on an answer that is not the key, and none gives the key."""
    entries: list[dict[str, Any]] = []
    agreeing: list[Case] = []
    keys: set[str] = set()
    habits, hard = _habits(tasks), hard_keys(tasks)
    accuracy = {run: sum(bool(entry.passed) for entry in rows) / len(rows) for run, rows in cases.items() if rows}
    for name, task in tasks.items():
        rows = task.answering
        if len(task.keys()) != 1 or normal(task.keys()[0][0]) in hard:
            continue
        if any(entry.case.passed or entry.meets or id(entry.case) in wrong for entry in task.rows):
            continue
        top = [entry for entry in grouped(rows)[0] if _words(entry) != habits.get(entry.case.run)] if rows else []
        runs = {entry.case.run for entry in top}
        share = len(top) / len(task.rows)
        enough = (len(runs) >= FEWEST_RUNS and len(top) >= FEWEST_AGREEING) or len(top) >= FEWEST_ROLLOUTS
        if not enough or share < HALF or not _beyond_guessing(task, top, accuracy):
            continue
        keys.add(name)
        agreeing += [entry.case for entry in top if entry.case.actions]
        entries.append(
            {
                "task": task.label,
                "key": rows[0].key[0],
                "answer": top[0].text,
                "rollouts": len(top),
                "of": len(task.rows),
                "runs": sorted(runs),
                "of_runs": len({entry.case.run for entry in task.rows}),
            }
        )
    if not entries:
        return None
    entries.sort(
        key=lambda entry: (-entry["of_runs"], -entry["rollouts"] / entry["of"], -entry["rollouts"], entry["task"])
    )
    return {
        "agreeing": agreeing,
        "tasks": len(entries),
        "rollouts": sum(entry["of"] for entry in entries),
        "shown": entries[:MOST_SHOWN],
        "others": in_order(entry["task"] for entry in entries[MOST_SHOWN:]),
        "without": _without(cases, tasks=keys),
    }


def _beyond_guessing(task: TaskAnswers, top: Sequence[Given], accuracy: Mapping[str, float]) -> bool:
    """Whether runs that are right elsewhere agree; options are so few that runs that guess agree as well."""
    if task.rows[0].seen.get("key_kind") != CHOICE:
        return True
    rollouts = Counter(entry.case.run for entry in task.rows)
    agreeing = Counter(entry.case.run for entry in top)
    votes = [Vote(accuracy[run], agreeing[run] / many, 0.0) for run, many in rollouts.items()]
    judged_key = suspect_gold(votes)
    return judged_key is not None and judged_key.flagged


def _passes_that_differ(
    tasks: Mapping[str, TaskAnswers], cases: Mapping[str, Sequence[Case]], with_key: int
) -> dict[str, Any] | None:
    passes = (entry for task in tasks.values() for entry in task.answered if entry.case.passed and entry.key)
    rows = [entry for entry in passes if not entry.meets and not is_akin(entry) and "several" not in entry.seen]
    statement = _told(rows, cases, [_example(entry, entry.key[0]) for entry in rows])
    return {**statement, "passes": with_key} if statement else None


def _other_counts(tasks: Mapping[str, TaskAnswers], cases: Mapping[str, Sequence[Case]]) -> dict[str, Any] | None:
    """Passes with another whole number than the key, nearly as large: a tolerance for measures lets counts through."""
    passes = (entry for task in tasks.values() for entry in task.answered if entry.case.passed and entry.key)
    rows = [entry for entry in passes if not entry.meets and is_other_count(entry)]
    if len(rows) < FEWEST_AGREEING:
        return None
    return _told(rows, cases, [_example(entry, entry.key[0]) for entry in rows])  # type: ignore[no-any-return]


def _sign_of(refused: Sequence[Given], tasks: Mapping[str, TaskAnswers]) -> SharedSign | None:
    """What is written in right answers that are refused, and not in those that pass."""
    accepted = [entry for task in tasks.values() for entry in task.answered if entry.case.passed and entry.meets]
    return shared_sign(*([(entry.text, entry.key[0]) for entry in rows] for rows in (refused, accepted)))


def _varying(tasks: Mapping[str, TaskAnswers], cases: Mapping[str, Sequence[Case]]) -> dict[str, Any] | None:
    varying = {name: task for name, task in tasks.items() if len(task.keys()) > 1}
    if not varying:
        return None
    shown = [
        {"task": task.label, "keys": [key[0] for key in task.keys()[:3]]}
        for task in list(varying.values())[:MOST_SHOWN]
    ]
    return {
        "tasks": in_order(task.label for task in varying.values()),
        "of_tasks": len(varying),
        "rollouts": sum(len(task.rows) for task in varying.values()),
        "shown": shown,
        "only_in": _only_in(list(varying.values())),
        "without": _without(cases, tasks=set(varying)),
    }


def _only_in(tasks: Sequence[TaskAnswers]) -> dict[str, Any] | None:
    """The one attempt of one run in which the rarer keys stand; None where they stand in several, or none is rarer."""
    rarer: list[Given] = []
    for task in tasks:
        keyed = [entry for entry in task.rows if entry.key]
        (key, rows), *_ = Counter(entry.key for entry in keyed).most_common(1)
        if 2 * rows <= len(keyed):
            return None
        rarer += [entry for entry in keyed if entry.key != key]
    places = {(entry.case.run, entry.case.attempt) for entry in rarer}
    if len(places) != 1:
        return None
    ((run, attempt),) = places
    return {"run": run, "attempt": attempt, "rollouts": len(rarer), "passes": sum(bool(e.case.passed) for e in rarer)}


def _without(
    cases: Mapping[str, Sequence[Case]], *, rows: set[int] | None = None, tasks: set[str] | None = None
) -> list[dict[str, Any]]:
    """Passes and judged rollouts of every run without some rows or tasks."""
    entries = []
    for run, judged_rows in cases.items():
        left = [entry for entry in judged_rows if id(entry) not in (rows or ()) and entry.key not in (tasks or ())]
        if judged_rows:
            passes = sum(bool(entry.passed) for entry in left)
            entries.append({"run": run, "passes": passes, "rollouts": len(left), "out": len(judged_rows) - len(left)})
    return entries


def _rescored(cases: Mapping[str, Sequence[Case]], wrong: set[int]) -> dict[str, Any] | None:
    """Every run with its failures that are right counted as passes, and whether that changes the order of the runs."""
    if not wrong:
        return None
    lines = []
    for run, rows in cases.items():
        if rows:
            passes = sum(bool(entry.passed) for entry in rows)
            more = sum(id(entry) in wrong for entry in rows)
            lines.append({"run": run, "rollouts": len(rows), "passes": passes, "after": passes + more, "more": more})
    return {"lines": lines, "order": _order(lines, "passes"), "order_after": _order(lines, "after")}


def _order(lines: Sequence[Mapping[str, Any]], name: str) -> list[list[str]]:
    """The runs from the best to the worst; equal ones stand together."""
    scores: dict[float, list[str]] = {}
    for line in lines:
        scores.setdefault(line[name] / line["rollouts"], []).append(line["run"])
    return [sorted(scores[score]) for score in sorted(scores, reverse=True)]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(sentences)) for sentences in _findings(answer) if sentences]
    blocks: list[Block] = [Bullets(tuple(items))]
    return [*blocks, *_scores(answer["runs"])] if answer["runs"] else blocks


def _findings(answer: Mapping[str, Any]) -> Iterator[list[Sentence]]:
    words = {
        "to_key": (
            "{many} in {tasks} ({list}) {give} an answer that equals the key but {is_are} scored as wrong: a fault "
            "of the verifier, not of the model."
        ),
        "denied": (
            "{many} in {tasks} ({list}) {give} an answer that equals the key, and a judge denies {it_them}. It may "
            "have had other grounds than the answer: read its words before calling it wrong. No score is changed "
            "for this."
        ),
        "records": (
            "{many} in {tasks} ({list}) {leave} the records that the key wants and still {fail}: something else "
            "is judged, too, such as what is said or another check. Read what the verdict misses there. No score is "
            "changed for this."
        ),
        "to_pass": JUDGED_UNLIKE,
        "passes": (
            "{many} in {tasks} ({list}) {give} an answer that differs from the key, of {passes} that show both."
        ),
        "counts": (
            "{many} in {tasks} ({list}) {give} another whole number than the key, nearly as large: a tolerance that "
            "suits measured values lets wrong counts pass."
        ),
    }
    for name, sentence in words.items():
        if name in answer:
            examples = [] if name == "records" else [_examples(answer[name], name)]
            yield [_many(answer, name, sentence), *_sign_words(answer[name]), *examples, *_left(answer, name)]
    if "suspect_keys" in answer:
        yield [_suspect_tasks(answer["suspect_keys"])]
        for place, entry in enumerate(answer["suspect_keys"]["shown"]):
            yield [_suspect(place, entry)]
    if "varying_keys" in answer:
        yield [_varying_words(answer["varying_keys"]), *_left(answer, "varying_keys")]


def _many(answer: Mapping[str, Any], name: str, sentence: str) -> Sentence:
    statement = answer[name]
    entry = statement["rollouts"] == 1
    noun = ("pass", "passes") if name in OF_PASSES else ("failure", "failures")
    return say(
        sentence,
        many=fact(count(statement["rollouts"], *noun), statement["rollouts"], *_AT, name, "rollouts"),
        tasks=fact(count(statement["of_tasks"], "task"), statement["of_tasks"], *_AT, name, "of_tasks"),
        list=task_list(statement["tasks"]),
        give="gives" if entry else "give",
        is_are="is" if entry else "are",
        leave="leaves" if entry else "leave",
        fail="fails" if entry else "fail",
        it_them="it" if entry else "them",
        passes=f"{statement.get('passes', 0):,}",
    )


def _sign_words(statement: Mapping[str, Any]) -> Iterator[Sentence]:
    if sign := statement.get("sign"):
        at = (*_AT, "to_key", "sign")
        yield say(
            "{sign} stands in {refused} of them, where the key has none, and in {accepted} of {of_accepted} that give "
            "the key and pass.",
            sign=sign["words"][:1].upper() + sign["words"][1:],
            refused=amount(sign["refused"], *at, "refused"),
            accepted=fact(f"{sign['accepted']:,}" if sign["accepted"] else "none", sign["accepted"], *at, "accepted"),
            of_accepted=amount(sign["of_accepted"], *at, "of_accepted"),
        )


def _examples(statement: Mapping[str, Any], name: str) -> Sentence:
    against = "the passing" if name == "to_pass" else "the key"
    quotes = [
        f"{entry['task']} (attempt {entry['attempt']} of {entry['run']}): '{entry['answer']}' against {against} "
        f"'{entry['against']}'"
        for entry in statement["examples"]
    ]
    return say("{quotes}.", quotes="; ".join(quotes))


def _left(answer: Mapping[str, Any], name: str) -> Iterator[Sentence]:
    parts = [
        f"{entry['run']} {entry['passes']:,} of {entry['rollouts']:,}"
        + (f" ({percent(entry['passes'] / entry['rollouts'])})" if entry["rollouts"] else "")
        for entry in answer[name]["without"]
        if entry["out"]
    ]
    if parts:
        yield say("Without them: {runs}.", runs=listed(parts))


def _suspect_tasks(statement: Mapping[str, Any]) -> Sentence:
    others = f" (also {task_list(statement['others'])})" if statement["others"] else ""
    runs = [
        f"{entry['run']} {entry['passes']:,} of {entry['rollouts']:,}" for entry in statement["without"] if entry["out"]
    ]
    return say(
        "Suspect keys: in {tasks} most rollouts agree on one answer, the key has another, and no run gives the "
        "key{others}. Check these by hand: a wrong key and a trap look alike. Without {them}: {runs}.",
        tasks=fact(count(statement["tasks"], "task"), statement["tasks"], *_AT, "suspect_keys", "tasks"),
        others=others,
        them="it" if statement["tasks"] == 1 else "them",
        runs=listed(runs),
    )


def _suspect(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "suspect_keys", "shown", place)
    return say(
        "Task {task}: the key says '{key}'; {rollouts} of {of} in {runs} answer '{answer}'.",
        task=entry["task"],
        key=entry["key"],
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        of=fact(count(entry["of"], "judged rollout"), entry["of"], *at, "of"),
        runs=count(len(entry["runs"]), "run"),
        answer=entry["answer"],
    )


def _varying_words(statement: Mapping[str, Any]) -> Sentence:
    shown = [f"{entry['task']}: {' / '.join(repr(key) for key in entry['keys'])}" for entry in statement["shown"]]
    if only_in := statement["only_in"]:
        return say(
            "The key of {tasks} differs between rows ({shown}): the rarer key stands in attempt {attempt} of {run} "
            "alone, {rows} that {were} not judged like the others ({passes} of them {verb}).",
            tasks=fact(count(statement["of_tasks"], "task"), statement["of_tasks"], *_AT, "varying_keys", "of_tasks"),
            shown="; ".join(shown),
            attempt=str(only_in["attempt"]),
            run=only_in["run"],
            rows=fact(
                count(only_in["rollouts"], "rollout"), only_in["rollouts"], *_AT, "varying_keys", "only_in", "rollouts"
            ),
            were="was" if only_in["rollouts"] == 1 else "were",
            passes=amount(only_in["passes"], *_AT, "varying_keys", "only_in", "passes"),
            verb="passes" if only_in["passes"] == 1 else "pass",
        )
    return say(
        "The key of {tasks} differs between rows ({shown}): their {rows} were not judged alike.",
        tasks=fact(count(statement["of_tasks"], "task"), statement["of_tasks"], *_AT, "varying_keys", "of_tasks"),
        shown="; ".join(shown),
        rows=fact(count(statement["rollouts"], "rollout"), statement["rollouts"], *_AT, "varying_keys", "rollouts"),
    )


def _scores(statement: Mapping[str, Any]) -> list[Block]:
    rows = []
    for place, line in enumerate(statement["lines"]):
        at = (*_AT, "runs", "lines", place)
        before, after = line["passes"] / line["rollouts"], line["after"] / line["rollouts"]
        rows.append(
            (
                line["run"],
                amount(line["rollouts"], *at, "rollouts"),
                fact(f"{line['passes']:,} ({percent(before)})", line["passes"], *at, "passes"),
                fact(f"{line['after']:,} ({percent(after)})", line["after"], *at, "after"),
                f"{100 * (after - before):+.1f}",
            )
        )
    table = Table(
        ("Run", ">judged", ">passes", ">passes if equal answers pass", ">points"),
        tuple(rows),
        "Every failure whose answer equals the key, or a pass of its task that the key does not contradict, as a pass; "
        "not what a judge denied",
    )
    return [table, Paragraph((_ranking(statement),))] if len(rows) > 1 else [table]


def _ranking(statement: Mapping[str, Any]) -> Sentence:
    before, after = (" > ".join(" = ".join(group) for group in statement[name]) for name in ("order", "order_after"))
    if before == after:
        return say("The order of the runs stays the same: {before}.", before=before)
    return say("The order of the runs changes: {before} becomes {after}.", before=before, after=after)


_AT = ("investigation", "answers_and_keys")


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Equal answers that were judged unlike, and keys that look wrong."""
    if statement := answer.get("to_pass"):
        sentence = _many(answer, "to_pass", JUDGED_UNLIKE)
        yield item("flaky_verifier", "medium", sentence.text, tasks=statement["tasks"])
    if statement := answer.get("suspect_keys"):
        yield item(
            "suspect_gold",
            "medium",
            _suspect_tasks(statement).text,
            tasks=[entry["task"] for entry in statement["shown"]],
        )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What the scores would be if equal answers passed, where some run moves by a point or more."""
    if (denied := answer.get("denied")) and _is_worth_it(denied):
        yield say(
            "A judge denies {many} that {equal} the key (first task {task}): read its words before using these "
            "verdicts.",
            many=fact(count(denied["rollouts"], "answer"), denied["rollouts"], *_AT, "denied", "rollouts"),
            equal="equals" if denied["rollouts"] == 1 else "equal",
            task=denied["tasks"][0],
        )
    yield from _passes_told(answer.get("passes"))
    if (counts := answer.get("counts")) and _is_worth_it(counts):
        example = counts["examples"][0]
        yield say(
            "{many} of {tasks} {give} another whole number than the key, nearly as large (e.g. task {task}: "
            "'{answer}', key '{key}').",
            many=fact(count(counts["rollouts"], "pass", "passes"), counts["rollouts"], *_AT, "counts", "rollouts"),
            tasks=fact(count(counts["of_tasks"], "task"), counts["of_tasks"], *_AT, "counts", "of_tasks"),
            give="gives" if counts["rollouts"] == 1 else "give",
            task=example["task"],
            answer=example["answer"],
            key=example["against"],
        )
    statement = answer["runs"]
    moved = [line for line in statement["lines"] if line["more"] >= WORTH * line["rollouts"]] if statement else []
    if not moved:
        return
    parts = [
        f"{line['run']} {percent(line['passes'] / line['rollouts'])} → {percent(line['after'] / line['rollouts'])}"
        for line in sorted(moved, key=lambda line: -line["more"] / line["rollouts"])[:MOST_MOVED]
    ]
    many = sum(line["more"] for line in statement["lines"])
    is_named = answer.get("to_key", {}).get("sign", {}).get("sign") in NAMED
    sign = next(_sign_words(answer["to_key"])) if is_named else None
    yield say(
        "{many} {equal} the key or an answer that passes: counted as passes, {parts}{order}."
        + (" {sign}" if sign is not None else ""),
        many=count(many, "failure"),
        equal="equals" if many == 1 else "equal",
        parts=listed(parts),
        order=", and the order of the runs changes" if statement["order"] != statement["order_after"] else "",
        sign=sign.text if sign is not None else "",
    )


def _passes_told(differing: Mapping[str, Any] | None) -> Iterator[Sentence]:
    """Passes that the key contradicts, where they are a point or more of some run."""
    if differing and _is_worth_it(differing):
        example, rollouts = differing["examples"][0], differing["rollouts"]
        yield say(
            "{many} of {tasks} {give} an answer that differs from the key, of {passes} that show both (e.g. task "
            "{task}: '{answer}', key '{key}').",
            many=fact(count(rollouts, "pass", "passes"), rollouts, *_AT, "passes", "rollouts"),
            tasks=fact(count(differing["of_tasks"], "task"), differing["of_tasks"], *_AT, "passes", "of_tasks"),
            give="gives" if rollouts == 1 else "give",
            passes=amount(differing["passes"], *_AT, "passes", "passes"),
            task=example["task"],
            answer=example["answer"],
            key=example["against"],
        )


def _is_worth_it(statement: Mapping[str, Any]) -> bool:
    """Whether these rollouts are a point or more of what some run was judged on."""
    return any(run["out"] >= WORTH * (run["rollouts"] + run["out"]) for run in statement["without"] if run["out"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """One matcher where verdicts contradict the answers; a look at keys that no rollout gives."""
    contradicted = {
        "to_key": "{many} {give} an answer that equals the key ({tasks}).",
        "to_pass": "{many} {give} an answer that passes elsewhere ({tasks}).",
        "passes": "{many} {give} an answer that differs from the key ({tasks}).",
        "counts": "{many} {give} another whole number than the key, nearly as large ({tasks}).",
    }
    for name, words in contradicted.items():
        statement = answer.get(name)
        if statement and (name not in OF_PASSES or _is_worth_it(statement)):
            noun = ("pass", "passes") if name in OF_PASSES else ("failure", "failures")
            yield Advice(
                "verifier",
                ONE_MATCHER,
                say(
                    words,
                    many=fact(count(statement["rollouts"], *noun), statement["rollouts"], *_AT, name, "rollouts"),
                    give="gives" if statement["rollouts"] == 1 else "give",
                    tasks=task_list(statement["tasks"], MOST_NAMED),
                ),
                statement["rollouts"],
                CERTAIN,
                before_scores=statement["rollouts"] >= FEWEST_AGREEING or _is_worth_it(statement),
            )
    suspects = answer.get("suspect_keys")
    if suspects:
        yield Advice(
            "data",
            OTHER_KEYS,
            say(
                "In {many} most rollouts agree, and none gives the key ({tasks}).",
                many=fact(count(suspects["tasks"], "task"), suspects["tasks"], *_AT, "suspect_keys", "tasks"),
                tasks=task_list([entry["task"] for entry in suspects["shown"]] + suspects["others"], MOST_NAMED),
            ),
            suspects["rollouts"],
            DOUBTFUL,
        )
