"""With which lines does a run begin or end its answers, and what do such lines cost?

Lines recur over tasks: a whole line, with its numbers and names masked, or the words with which several begin. Those
that hardly any other run writes are a manner of the run; they are told only where its answers with them fail more often
than those without, or a check of one name does, over all runs inside tasks and in the run itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import strata
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.questions import SURE, cause, in_order, judged, outcome_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed, p_value, printable

TITLE = "How answers begin and end"
ORDER = 77
WEIGHT = 1.3
LINE_TASKS, OPENING_TASKS = 3, 5
"""A line that recurs in so many tasks, or words with which lines of so many tasks begin."""
FEWEST = 5
SHORTEST, LONGEST = 2, 4
"""Words of a common beginning."""
OWN = 0.9
"""A line is a run's own where so many of the rollouts with it are of that run."""
MOST_SHARED = 40
FEWEST_CHECKED = 3
INSIDE = 0.05
"""How sure it must be in the run alone, where all runs together are sure."""
HARDLY = 1 / 3
MOST_QUOTED, MOST_CHECKS, MOST = 3, 4, 4
LIKELY = 0.3
SIDES = (0, -1)
LINE_END = "\n"
_NUMBER = late_regex(r"\d+(?:[.,:]\d+)*")
_PATH = ("investigation", "first_and_last_lines", "lines")


@frozen
class _Lines:
    """The rollouts that begin, or end, with lines of one kind: of a run, or one line that several runs write."""

    side: int
    run: str
    """Empty where several runs write it."""
    kinds: tuple[tuple[str, ...], ...]
    holding: frozenset[int]

    def holds(self, case: Case) -> bool:
        return id(case) in self.holding


@frozen
class _Verdicts:
    """Rollouts and whether each meets a check; of the empty name, whether it passes."""

    check: str
    rows: tuple[tuple[Case, bool], ...]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Lines whose answers fail more often, or fail a check more often, with counts by run and the surest checks."""
    cases = [case for run in runs for case in judged(run) if case.observed.get("final", {}).get("lines")]
    lines = [group for side in SIDES for group in _groups(cases, side, len(runs))]
    verdicts = _verdicts(cases) if lines else []
    kept_apart = strata(cases) if lines else []
    worse: defaultdict[int, list[tuple[_Verdicts, float]]] = defaultdict(list)
    for pairs in (
        [(group, verdict) for group in lines for verdict in verdicts[:1]],
        [(group, verdict) for group in lines if group.run for verdict in verdicts[1:]],
    ):
        for group, verdict, p in _sure(pairs, kept_apart):
            worse[id(group)].append((verdict, p))
    entries = [_entry(group, cases, worse[id(group)]) for group in lines if id(group) in worse]
    entries.sort(key=lambda entry: (not entry["run"], -entry["failures"], entry["side"], entry["quotes"]))
    if not entries:
        return None
    causes = [cause("BI", *_cause(group, cases, worse[id(group)])) for group in lines if id(group) in worse]
    return {"lines": entries[:MOST], "left_out": len(entries[MOST:]), "causes": causes}


def _cause(group: _Lines, cases: Sequence[Case], worse: Sequence[tuple[_Verdicts, float]]) -> tuple[str, list[Case]]:
    """The answers with such a line that fail a check at which such answers do worse, or hardly ever pass."""
    failed = {id(case) for verdict, _ in worse if verdict.check for case, good in verdict.rows if not good}
    passes, rollouts, *_ = _numbers(group, [(case, bool(case.passed)) for case in cases])
    hardly = any(not verdict.check for verdict, _ in worse) and passes <= HARDLY * rollouts
    concerned = [case for case in cases if group.holds(case) and (hardly or id(case) in failed)]
    side = "begins" if group.side == 0 else "ends"
    return f"{side} with a line of its own around the answer, which the verifier judges with it", concerned


def _sure(
    pairs: Iterable[tuple[_Lines, _Verdicts]], kept_apart: Sequence[Hashable]
) -> Iterator[tuple[_Lines, _Verdicts, float]]:
    """Lines with what they do worse at, beyond chance: outcomes and checks are corrected each for all of their kind."""
    tested = [(group, verdict, p) for group, verdict in pairs if (p := _chance(group, verdict, kept_apart)) is not None]
    for (group, verdict, _), p in zip(tested, benjamini_hochberg([p for *_, p in tested]), strict=True):
        if p <= SURE and _is_worse(group, verdict):
            yield group, verdict, p


def _groups(cases: Sequence[Case], side: int, runs: int) -> Iterator[_Lines]:
    """The lines of each run that hardly another writes, all together, and each line that several runs write."""
    by_kind: defaultdict[tuple[str, ...], list[Case]] = defaultdict(list)
    for case in cases:
        lines = case.observed["final"]["lines"]
        if side == 0 or len(lines) > 1:
            for kind in _kinds(lines[side]):
                by_kind[kind].append(case)
    own: defaultdict[str, dict[tuple[str, ...], list[Case]]] = defaultdict(dict)
    shared: dict[frozenset[int], tuple[str, ...]] = {}
    for kind, holding in by_kind.items():
        if len(holding) < FEWEST or len({case.key for case in holding}) < _fewest_tasks(kind):
            continue
        run, rollouts = Counter(case.run for case in holding).most_common(1)[0]
        if runs > 1 and rollouts >= OWN * len(holding):
            own[run][kind] = holding
        elif len(holding) < OWN * len(cases):
            identities = frozenset(map(id, holding))
            shared[identities] = max(kind, shared.get(identities, ()), key=len)
    for run, kinds in sorted(own.items()):
        identities = frozenset(id(case) for holding in kinds.values() for case in holding)
        yield _Lines(side, run, _quotable(kinds), identities)
    ranked = sorted(shared.items(), key=lambda entry: (-len(entry[0]), entry[1]))
    for identities, kind in ranked[:MOST_SHARED]:
        yield _Lines(side, "", (kind,), identities)


def _kinds(line: str) -> list[tuple[str, ...]]:
    """The words of a line with numbers and names masked, a break behind them, and beginnings of two words or more."""
    masked: list[str] = []
    for word in line.split():
        inside = masked and not masked[-1].endswith((".", "!", "?", ":", "！", "？", "。"))
        masked.append("…" if inside and word[:1].isupper() and word != "I" else _NUMBER.sub("#", word))
    beginnings = [tuple(masked[:size]) for size in range(SHORTEST, LONGEST + 1) if len(masked) > size]
    return [*beginnings, (*masked, LINE_END)]


def _fewest_tasks(kind: tuple[str, ...]) -> int:
    return LINE_TASKS if kind[-1] == LINE_END else OPENING_TASKS


def _quotable(kinds: Mapping[tuple[str, ...], Sequence[Case]]) -> tuple[tuple[str, ...], ...]:
    """The kinds that name most rollouts, each adding some of its own; of equal ones that with the most words."""
    quoted: list[tuple[str, ...]] = []
    known: set[int] = set()
    for kind, holding in sorted(kinds.items(), key=lambda entry: (-len(entry[1]), -len(entry[0]), entry[0])):
        identities = set(map(id, holding))
        if 2 * len(identities - known) > len(identities):
            quoted.append(kind)
            known |= identities
    return tuple(quoted)


def _verdicts(cases: Sequence[Case]) -> list[_Verdicts]:
    """The outcome first, then every check by its name."""
    by_name: defaultdict[str, list[tuple[Case, bool]]] = defaultdict(list)
    for case in cases:
        for name, passed in case.checks.items():
            by_name[name].append((case, bool(passed)))
    outcomes = tuple((case, bool(case.passed)) for case in cases)
    return [_Verdicts("", outcomes), *(_Verdicts(name, tuple(by_name[name])) for name in sorted(by_name))]


def _chance(group: _Lines, verdict: _Verdicts, kept_apart: Sequence[Hashable]) -> float | None:
    """The exact test inside tasks over all runs; of a line that several runs write inside the tasks of each."""
    rows = verdict.rows
    if verdict.check and sum(group.holds(case) for case, _ in rows) < FEWEST_CHECKED:
        return None
    return _p(group, rows) if group.run else outcome_p([case for case, _ in rows], group.holding, kept_apart)


def _p(group: _Lines, rows: Collection[tuple[Case, bool]]) -> float | None:
    tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case, good in rows:
        tables[case.key][(not group.holds(case)) * 2 + (not good)] += 1
    return exact_p([(a, b, c, d) for a, b, c, d in tables.values()])


def _is_worse(group: _Lines, verdict: _Verdicts) -> bool:
    """Whether such answers do worse than all others, and than the others of the same run, too."""
    met, total, other_met, other_total = _numbers(group, verdict.rows)
    if met * other_total >= other_met * total:
        return False
    own = [(case, good) for case, good in verdict.rows if case.run == group.run]
    met, total, other_met, other_total = _numbers(group, own)
    if not group.run or not total or not other_total:
        return not group.run
    p = _p(group, own)
    return met * other_total < other_met * total and (bool(verdict.check) or (p is not None and p <= INSIDE))


def _numbers(group: _Lines, rows: Collection[tuple[Case, bool]]) -> tuple[int, int, int, int]:
    """Rollouts with such a line that are good, and all of them; the same of the others."""
    counts = Counter((group.holds(case), good) for case, good in rows)
    with_it, without = (counts[holds, True] + counts[holds, False] for holds in (True, False))
    return counts[True, True], with_it, counts[False, True], without


def _entry(group: _Lines, cases: Sequence[Case], worse: Sequence[tuple[_Verdicts, float]]) -> dict[str, Any]:
    holding = [case for case in cases if group.holds(case)]
    of_run = [case for case in cases if case.run == group.run]
    first = next((case for case in holding if not case.passed and case.run == (group.run or case.run)), holding[0])
    passes, _, other_passes, others = _numbers(group, [(case, bool(case.passed)) for case in cases])
    own_passes, own, own_other_passes, own_others = _numbers(group, [(case, bool(case.passed)) for case in of_run])
    checks = sorted(((p, verdict) for verdict, p in worse if verdict.check), key=lambda pair: (pair[0], pair[1].check))
    return {
        "side": "begin" if group.side == 0 else "end",
        "run": group.run,
        "runs": dict(Counter(case.run for case in holding)),
        "tasks": len({case.key for case in holding}),
        "quotes": _quotes(group, cases),
        "rollouts": len(holding),
        "failures": len(holding) - passes,
        "passes": passes,
        "others": others,
        "other_passes": other_passes,
        "own": own,
        "own_passes": own_passes,
        "own_others": own_others,
        "own_other_passes": own_other_passes,
        "p": next((significant(p, WRITTEN) for verdict, p in worse if not verdict.check), None),
        "checks": [_check(group, verdict, p) for p, verdict in checks[:MOST_CHECKS]],
        "left_out": len(checks[MOST_CHECKS:]),
        "example": {"task": first.label, "attempt": str(first.attempt), "run": first.run},
        "line": first.observed["final"]["lines"][group.side],
        "of_tasks": in_order(case.label for case in holding),
    }


def _check(group: _Lines, verdict: _Verdicts, p: float) -> dict[str, Any]:
    met, total, other_met, others = _numbers(group, verdict.rows)
    return {
        "check": verdict.check,
        "met": met,
        "rollouts": total,
        "other_met": other_met,
        "others": others,
        "p": significant(p, WRITTEN),
    }


def _quotes(group: _Lines, cases: Sequence[Case]) -> list[list[Any]]:
    """The commonest of these lines, dots for words that vary, and how many rollouts have each."""
    quotes: list[list[Any]] = []
    lines = [case.observed["final"]["lines"][group.side] for case in cases if group.holds(case)]
    for kind in group.kinds[:MOST_QUOTED]:
        alike = [line.split() for line in lines if kind in _kinds(line)]
        size = len(alike[0]) if kind[-1] == LINE_END else len(kind)
        columns = zip(*(line[:size] for line in alike), strict=True)
        text = " ".join(column[0] if len(set(column)) == 1 else "…" for column in columns)
        quotes.append([printable(text if kind[-1] == LINE_END else f"{text} …"), len(alike)])
    return quotes


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["lines"])]
    if answer["left_out"]:
        more = count(answer["left_out"], "more kind of line is", "more kinds of lines are")
        items.append(Paragraph((say("{more} left out.", more=more),)))
    return [Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What a manner of one run costs."""
    if answer["lines"][0]["run"]:
        sentences = list(_sentences(0, answer["lines"][0]))[:-1]
        yield Sentence(
            tuple(part for place, one in enumerate(sentences) for part in (*((" ",) if place else ()), *one.parts))
        )


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_PATH, place)
    quotes = [f"“{text}” in {rollouts:,}" for text, rollouts in entry["quotes"]]
    begins = entry["side"] == "begin"
    if entry["run"]:
        elsewhere = entry["rollouts"] - entry["own"]
        yield say(
            "{run} {verb} {own} of {answers} with a line that hardly any other run writes ({quotes}{elsewhere}).",
            run=entry["run"],
            verb="begins" if begins else "ends",
            own=amount(entry["own"], *at, "own"),
            answers=count(entry["own"] + entry["own_others"], "answer"),
            quotes=listed(quotes),
            elsewhere=f"; {elsewhere:,} in other runs" if elsewhere else "",
        )
    else:
        runs = listed([f"{run} {rollouts:,}" for run, rollouts in entry["runs"].items()])
        yield say(
            "{rollouts} of {tasks} {verb} with {line} ({runs}).",
            rollouts=fact(count(entry["rollouts"], "answer"), entry["rollouts"], *at, "rollouts"),
            tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *at, "tasks"),
            verb=("begin" if begins else "end") + ("s" if entry["rollouts"] == 1 else ""),
            line=f"“{entry['quotes'][0][0]}”",
            runs=runs,
        )
    if entry["p"] is not None:
        yield _outcome_words(entry, at)
    if entry["checks"]:
        yield _check_words(entry, at)
    yield say(
        "For example task {task}, attempt {attempt} of {run}: “{line}”.",
        line=printable(entry["line"]),
        **entry["example"],
    )


def _outcome_words(entry: Mapping[str, Any], at: tuple[str | int, ...]) -> Sentence:
    words = {name: amount(entry[name], *at, name) for name in ("passes", "rollouts", "other_passes", "others")}
    in_run = " and {own_other_passes} of the run's own {own_others} others" if entry["run"] else ""
    return say(
        "{passes} of {rollouts} such answers {verb}, {other_passes} of {others} others"
        + in_run
        + " (exact test within tasks, corrected: p {p}).",
        verb="passes" if entry["passes"] == 1 else "pass",
        own_other_passes=amount(entry["own_other_passes"], *at, "own_other_passes"),
        own_others=amount(entry["own_others"], *at, "own_others"),
        p=p_value(entry["p"], *at, "p"),
        **words,
    )


def _check_words(entry: Mapping[str, Any], at: tuple[str | int, ...]) -> Sentence:
    parts: list[str | Fact] = []
    for number, check in enumerate(entry["checks"]):
        path = (*at, "checks", number)
        parts += ["" if not number else " and " if number == len(entry["checks"]) - 1 else ", "]
        parts += [f"“{check['check']}” in ", amount(check["met"], *path, "met"), " of "]
        parts += [amount(check["rollouts"], *path, "rollouts"), " (the others in "]
        parts += [amount(check["other_met"], *path, "other_met"), " of ", amount(check["others"], *path, "others"), ")"]
    return Sentence(("With it they meet ", *parts, ": the line seems to be judged as a part of the answer."))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What stands around an answer is to be left out, or to be read over."""
    for place, entry in enumerate(answer["lines"]):
        if entry["run"]:
            yield Advice(
                "prompt",
                "Say in the prompt that the answer is to stand alone, without a word before or behind it, or have the "
                "verifier read over such lines",
                say(
                    "{failures} of {run} {verb} with lines of its own.",
                    failures=fact(count(entry["failures"], "failure"), entry["failures"], *_PATH, place, "failures"),
                    run=entry["run"],
                    verb=entry["side"] if entry["failures"] != 1 else entry["side"] + "s",
                ),
                entry["failures"],
                LIKELY,
            )
