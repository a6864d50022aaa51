"""In how many rollouts does a call fail or get an empty answer, what do the tools answer, and anything else at all?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Fact, Paragraph, Sentence, Table, say
from blade.extract.sent_calls import loses_breaks
from blade.questions import SURE, in_order, outcome_p, task_list
from blade.signatures import common_words, quoted
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, printable

TITLE = "Calls that failed"
ORDER = 61
WEIGHT = 0.6
FEWEST = 3
FEWEST_ROLLOUTS = 2
FEWEST_SERVED = 5
MOST = 6
MOST_TASKS = 6
FEWEST_EMPTY = 2
EMPTY, COMMENT = "empty", "comment"
_SIGNS = {
    EMPTY: "{run}: at least two calls get an empty answer in",
    COMMENT: "{run}: a command is nothing but a comment, which runs nothing, in",
}
FEWEST_IDLE = 5
NEARLY_ALL = 0.95
_NO_STEPS = (0, 0, 0, 0, 0)
PAIR, MOST_DIFFERING = 2, 2
MOST_RUNS = 4
"""Tasks are named beside the counts of so few runs."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the rollouts with a failed call by outcome, the answers that most got, and what goes with failing."""
    calling = [(run.run.name, [case for case in run.observing("calls") if case.observed["calls"]]) for run in runs]
    calling = [(name, cases) for name, cases in calling if cases]
    only = [entry for name, cases in calling for entry in _only_answer(name, cases)]
    several = sum(bool(case.observed.get("errors")) for _, cases in calling for case in cases) >= FEWEST
    answers = _answers(calling)
    signs = _signs(calling)
    if not only and not several and not signs:
        return None
    return {
        "only": only,
        "runs": [_of_run(name, cases) for name, cases in calling] if several else [],
        "answers": answers[:MOST],
        "left_out": len(answers[MOST:]),
        "signs": signs,
    }


def _only_answer(name: str, cases: Sequence[Case]) -> Iterator[dict[str, Any]]:
    """The one answer that all calls of several tools get; figures are masked in what is kept, so it may hold none."""
    replies = [case.observed.get("replies", {}) for case in cases]
    numbers = {number for by_tool in replies for answers in by_tool.values() for number in answers}
    endings = {case.observed["closing"][2] for case in cases}
    tools = {tool for by_tool in replies for tool in by_tool}
    enough = len(cases) >= FEWEST_SERVED and len(tools) > 1 and len({case.key for case in cases}) >= FEWEST
    if not enough or len(numbers) != 1 or len(endings) != 1:
        return
    (quote,) = endings
    if quote and not any(letter.isdecimal() for letter in quote):
        yield {
            "run": name,
            "quote": quote,
            "calls": sum(case.observed["calls"][1] for case in cases),
            "tools": len(tools),
            "rollouts": len(cases),
            "passes": sum(bool(case.passed) for case in cases),
        }


def _signs(calling: Sequence[tuple[str, Sequence[Case]]]) -> list[dict[str, Any]]:
    """What goes with failing: answers that are empty, commands that are comments, steps that a field denies."""
    tested: list[tuple[dict[str, Any], float]] = []
    for name, cases in calling:
        kinds: dict[str, list[Case]] = {
            EMPTY: [case for case in cases if case.observed.get("empty", (0,))[0] >= FEWEST_EMPTY],
            COMMENT: [case for case in cases if case.observed.get("empty", (0, 0))[1]],
        }
        if loses_breaks((case.observed.get("sent", {}) for case in cases), _calls(cases)):
            del kinds[COMMENT]  # a comment swallows what stood in the next line: `sent_calls` tells that
        fields = {field for case in cases for field in _flags(case)}
        kinds |= {field: [case for case in cases if _flags(case).get(field, (0,))[0]] for field in sorted(fields)}
        for sign, having in kinds.items():
            recorded = [case for case in cases if sign in _flags(case)] if sign in fields else cases
            entry = _sign(name, sign, having, recorded)
            if entry["passes"] * entry["of_failures"] < entry["failures"] * entry["of_passes"]:
                p = outcome_p(recorded, {id(case) for case in having})
                tested += [(entry, p)] if p is not None else []
    adjusted = benjamini_hochberg([p for _, p in tested])
    return [entry | {"p": significant(p, WRITTEN)} for (entry, _), p in zip(tested, adjusted, strict=True) if p <= SURE]


def _calls(cases: Sequence[Case]) -> int:
    return sum(case.observed["calls"][1] for case in cases)


def _flags(case: Case) -> Mapping[str, Sequence[int]]:
    return (case.observed.get("verifier") or {}).get("flags") or {}


def _sign(run: str, sign: str, having: Sequence[Case], cases: Sequence[Case]) -> dict[str, Any]:
    failures = [case for case in cases if not case.passed]
    passes = [case for case in cases if case.passed]
    return {
        "run": run,
        "sign": sign,
        "failures": sum(not case.passed for case in having),
        "of_failures": len(failures),
        "passes": sum(bool(case.passed) for case in having),
        "of_passes": len(passes),
        "tasks": in_order({case.label for case in having if not case.passed}),
        "steps": [[sum(counts) for counts in _steps(some, sign)] for some in (failures, passes)],
        "idle": [
            sum(counts) for counts in zip(*(_flags(case).get(sign, _NO_STEPS)[2:] for case in cases), strict=True)
        ],
    }


def _steps(cases: Sequence[Case], sign: str) -> tuple[list[int], list[int]]:
    """The calls of rollouts that show a sign, and all their calls."""
    if sign in {EMPTY, COMMENT}:
        place = int(sign == COMMENT)
        return [case.observed.get("empty", (0, 0))[place] for case in cases], [
            case.observed["calls"][1] for case in cases
        ]
    counts = [_flags(case).get(sign, _NO_STEPS) for case in cases]
    return [denied for denied, *_ in counts], [every for _, every, *_ in counts]


def _of_run(name: str, cases: Sequence[Case]) -> dict[str, Any]:
    failed = [case for case in cases if case.observed.get("errors")]
    changes = [change for case in cases for change in case.observed.get("changes", ())]
    return {
        "run": name,
        "rollouts": len(failed),
        "of": len(cases),
        "calls": sum(entry[4] for case in failed for entry in case.observed["errors"]),
        "all_calls": sum(case.observed["calls"][1] for case in cases),
        "refused_changes": sum(not change[2] for change in changes),
        "changes": len(changes),
        "failures": sum(not case.passed for case in failed),
        "of_failures": sum(not case.passed for case in cases),
    }


def _answers(calling: Sequence[tuple[str, Sequence[Case]]]) -> list[dict[str, Any]]:
    """What tools answered to failed calls in several rollouts, the commonest first."""
    cases_by_answer: defaultdict[tuple[str, str], dict[str, list[Case]]] = defaultdict(dict)
    quotes: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    calls: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name, cases in calling:
        for case in cases:
            for entry in case.observed.get("errors", ()):
                key = entry[0], entry[1]
                quotes[key].append(entry[3])
                calls[key][name] += entry[4]
                cases_by_answer[key].setdefault(name, []).append(case)
    answers: list[dict[str, Any]] = [
        {
            "tool": key[0],
            "quote": quotes[key][0],
            "words": common_words(quotes[key]),
            "rollouts": sum(map(len, runs.values())),
            "runs": _by_run(runs, calls[key]),
        }
        for key, runs in cases_by_answer.items()
    ]
    several = [entry for entry in answers if entry["rollouts"] >= FEWEST_ROLLOUTS]
    return sorted(several, key=lambda entry: (-entry["rollouts"], entry["tool"], entry["quote"]))


def _by_run(runs: Mapping[str, Sequence[Case]], calls: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "rollouts": len(cases),
            "calls": calls[name],
            "failures": sum(not case.passed for case in cases),
            "tasks": in_order(case.label for case in cases),
        }
        for name, cases in runs.items()
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = [Paragraph((sentence,)) for sentence in brief(answer)]
    blocks += _counted(answer) if answer["runs"] else []
    if answer["signs"]:
        signs = enumerate(answer["signs"])
        items = [Paragraph((_sign_words(place, entry), *_status(place, entry))) for place, entry in signs]
        blocks.append(Bullets(tuple(items)))
    return blocks


def _sign_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "signs", place)
    failing, passing = entry["steps"]
    return say(
        _SIGNS.get(entry["sign"], "{run}: {field} is false for a step of") + " {failures} of {all_failures} and "
        "{passes} of {all_passes} (exact test p = {p}): {failing} of the {all_failing} of failures and {passing} "
        "of the {all_passing} of passes ({tasks}).",
        run=entry["run"],
        field=entry["sign"],
        failures=amount(entry["failures"], *path, "failures"),
        all_failures=fact(count(entry["of_failures"], "failure"), entry["of_failures"], *path, "of_failures"),
        passes=amount(entry["passes"], *path, "passes"),
        all_passes=fact(count(entry["of_passes"], "pass", "passes"), entry["of_passes"], *path, "of_passes"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        failing=amount(failing[0], *path, "steps", 0, 0),
        all_failing=fact(count(failing[1], "call"), failing[1], *path, "steps", 0, 1),
        passing=amount(passing[0], *path, "steps", 1, 0),
        all_passing=amount(passing[1], *path, "steps", 1, 1),
        tasks=task_list(entry["tasks"]),
    )


def _status(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    """A field that affirms nearly every step that runs nothing does not tell whether a step does anything."""
    path = (*_AT, "signs", place, "idle")
    affirmed, idle, denied = entry["idle"]
    if idle < FEWEST_IDLE or affirmed < NEARLY_ALL * idle:
        return
    silent = ", and false for {denied} with an empty answer" if denied else ""
    yield say(
        "It is true for {affirmed} of {idle} that run nothing, being empty or a comment" + silent + ": like an exit "
        "status, it does not tell whether a step does anything.",
        affirmed=amount(affirmed, *path, 0),
        idle=fact(count(idle, "call"), idle, *path, 1),
        denied=amount(denied, *path, 2),
    )


def _counted(answer: Mapping[str, Any]) -> list[Block]:
    runs = [_run_words(place, entry) for place, entry in enumerate(answer["runs"])]
    holes = " and ".join(f"{{run{place}}}" for place, _ in enumerate(runs)) if len(runs) < 3 else None
    text = holes or ", ".join(f"{{run{place}}}" for place, _ in enumerate(runs))
    facts = {f"run{place}": words for place, words in enumerate(runs)}
    head = Paragraph((say(f"Rollouts in which a call fails: {text}.", **facts), *_contrast(answer)))
    return [head, _table(answer)] if answer["answers"] else [head]


def _contrast(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Of two runs: the share of calls that fail, of changes that are refused, and the answers in which they differ."""
    if len(answer["runs"]) != PAIR:
        return
    first, other = answer["runs"]
    changes = ""
    if first["changes"] and other["changes"] and first["refused_changes"] + other["refused_changes"]:
        changes = "; of calls that change something " + " and ".join(
            f"{entry['refused_changes']:,} of {entry['changes']:,}" for entry in (first, other)
        )
    yield say(
        "By calls, {failed} of {all} of {first} and {other_failed} of {other_all} of {other} fail{changes}.",
        failed=amount(first["calls"], *_AT, "runs", 0, "calls"),
        all=amount(first["all_calls"], *_AT, "runs", 0, "all_calls"),
        other_failed=amount(other["calls"], *_AT, "runs", 1, "calls"),
        other_all=amount(other["all_calls"], *_AT, "runs", 1, "all_calls"),
        first=first["run"],
        other=other["run"],
        changes=changes,
    )
    differing = sorted(answer["answers"], key=lambda entry: -abs(_more_calls(entry, first["run"], other["run"])))
    answers = [
        f"{_said(entry)} ({_failed_calls(entry, first['run']):,} and {_failed_calls(entry, other['run']):,})"
        for entry in differing[:MOST_DIFFERING]
        if abs(_more_calls(entry, first["run"], other["run"])) >= FEWEST
    ]
    if answers:
        yield say(
            "{lead}, in calls of each: {answers}.",
            lead="The answer in which they differ most"
            if len(answers) == 1
            else "The answers in which they differ most",
            answers="; ".join(answers),
        )


def _more_calls(entry: Mapping[str, Any], first: str, other: str) -> int:
    return _failed_calls(entry, first) - _failed_calls(entry, other)


def _failed_calls(entry: Mapping[str, Any], run: str) -> int:
    return int(entry["runs"].get(run, {}).get("calls", 0))


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Tools that say one thing whatever they are asked."""
    for place, entry in enumerate(answer.get("only", ())):
        path = (*_AT, "only", place)
        yield say(
            "Every call in {run} is answered “{quote}”, whatever is called: {calls} of {tools} in {rollouts}, of which "
            "{passes} pass. The tools told the model nothing, so what it does after a call says little of it.",
            run=entry["run"],
            quote=printable(entry["quote"]),
            calls=fact(count(entry["calls"], "call"), entry["calls"], *path, "calls"),
            tools=fact(count(entry["tools"], "tool"), entry["tools"], *path, "tools"),
            rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
            passes=amount(entry["passes"], *path, "passes"),
        )


def _run_words(place: int, entry: Mapping[str, Any]) -> Fact:
    passes, of_passes = entry["rollouts"] - entry["failures"], entry["of"] - entry["of_failures"]
    words = (
        f"{entry['rollouts']:,} of {entry['of']:,} of {entry['run']} ({entry['failures']:,} of "
        f"{count(entry['of_failures'], 'failure')}, "
        f"{passes:,} of {count(of_passes, 'pass', 'passes')}; {count(entry['calls'], 'call')})"
    )
    return fact(words, entry["rollouts"], *_AT, "runs", place, "rollouts")


def _table(answer: Mapping[str, Any]) -> Table:
    names = [entry["run"] for entry in answer["runs"]]
    rows = [
        (_said(entry), *(_cell(place, name, entry, len(names)) for name in names))
        for place, entry in enumerate(answer["answers"])
    ]
    more = f"; {count(answer['left_out'], 'more answer')} in several rollouts" if answer["left_out"] else ""
    caption = f"What tools answer to failed calls, in how many rollouts, and how many of these fail{more}"
    return Table(("Tool and answer", *names), tuple(rows), caption)


def _said(entry: Mapping[str, Any]) -> str:
    """What a tool answers; where the answers differ, what they have in common and one of them."""
    return f"{entry['tool']}: {quoted(printable(entry['words']), printable(entry['quote']))}"


def _cell(place: int, name: str, entry: Mapping[str, Any], runs: int) -> str | Fact:
    counts = entry["runs"].get(name)
    if counts is None:
        return "0"
    fails = "fails" if counts["failures"] == 1 else "fail"
    tasks = f": {task_list(counts['tasks'], MOST_TASKS)}" if runs <= MOST_RUNS else ""
    words = f"{counts['rollouts']:,} ({counts['failures']:,} {fails}){tasks}"
    return fact(words, counts["rollouts"], *_AT, "answers", place, "runs", name, "rollouts")


_AT = ("investigation", "failed_calls")
