"""How do rollouts open, what do they repeat, and was the work complete where a limit cut them?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import effective_shape, refused_changes
from blade.diagnosis.first_lookups import first_lookups, known_everywhere
from blade.diagnosis.turn_limits import at_limit, turn_limits
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.failure_shape import RIGHT
from blade.health import Item, item
from blade.questions import SURE, judged, run_p, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p
from blade.wording import amount, count, fact, listed

TITLE = "Openings, loops and limits"
ORDER = 100
WEIGHT = 1.3
LONG = 10
"""So many calls of one tool in a row are a streak."""
FEWEST = 3
FEWEST_TASKS = 5
FEWEST_FAILING = 10
ONE_TOOL = 0.8
"""A run that makes nearly all of its calls with one tool has no streaks of it to tell."""
MOSTLY = 0.8
NOT_RARE = 0.05
UNRESOLVED = "invented_lookup"
"""The sign of a rollout whose look-ups of invented values all fail, to the last."""
PLACEHOLDER = "placeholder_arg"
MOST_OPENINGS = 3
MOST_STREAKS = 3

Row = tuple[str, Case, Mapping[str, Any]]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """First calls that fail, first arguments shared by many tasks, long streaks, and finished work cut at a limit."""
    rows: list[Row] = [(run.run.name, case, seen) for run in runs for case in judged(run) if (seen := case.observed)]
    limits = turn_limits((run, seen) for run, _, seen in rows)
    openings = _openings(rows)
    streaks = _streaks(rows, limits)
    invented, unanswered = _invented(rows), _unanswered(rows, refused_changes(runs))
    tested = [candidate for candidate in (openings, invented, unanswered, *streaks) if candidate is not None]
    flat = [(candidate, key) for candidate in tested for key in ("p", "p_runs") if candidate.get(key) is not None]
    for (candidate, key), p in zip(flat, benjamini_hochberg([candidate[key] for candidate, key in flat]), strict=True):
        candidate[key] = significant(p, WRITTEN)
    answer = {
        "openings": openings if openings and _sure(openings) else None,
        "invented": invented if invented and _sure(invented) else None,
        "unanswered": unanswered if unanswered and _sure(unanswered) else None,
        "same_opening": _same_openings(rows)[:MOST_OPENINGS],
        "streaks": [candidate for candidate in streaks if _sure(candidate)][:MOST_STREAKS],
        "cut": _cut(rows, limits, refused_changes(runs)),
    }
    return answer if any(answer.values()) else None


def _sure(candidate: Mapping[str, Any]) -> bool:
    return any(candidate.get(key) is not None and candidate[key] <= SURE for key in ("p", "p_runs"))


def _openings(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Rollouts whose first call fails, by run."""
    opened = [row for row in rows if "opening" in row[2]]
    failing = sum(row[2]["opening"][1] for row in opened)
    if failing < FEWEST_FAILING:
        return None
    return {
        "runs": _by_run(opened, lambda row: bool(row[2]["opening"][1])),
        "p": exact_p(_tables(opened, lambda row: bool(row[2]["opening"][1]))),
        "p_runs": _between_runs(opened, lambda row: bool(row[2]["opening"][1])),
    }


def _invented(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Rollouts that look up a value which nobody gave, by run, and those in which it stays so to the end."""
    opened = [row for row in rows if "opening" in row[2]]
    having = [row for row in opened if "invented_lookups" in row[2]]
    if len(having) < FEWEST_FAILING:
        return None
    unresolved = Counter(run for run, case, _ in having if UNRESOLVED in case.fired())
    return {
        "runs": [
            part | {"unresolved": unresolved[part["run"]]}
            for part in _by_run(opened, lambda row: "invented_lookups" in row[2])
        ],
        "p": exact_p(_tables(opened, lambda row: "invented_lookups" in row[2])),
        "p_runs": _between_runs(opened, lambda row: "invented_lookups" in row[2]),
    }


def _unanswered(rows: Sequence[Row], refused: Mapping[int, Any]) -> dict[str, Any] | None:
    """Rollouts that never get an answer from the tools with which nearly all passes begin, by run."""
    opened = [row for row in rows if "opening" in row[2]]
    passes = [seen.get("answered", []) for _, case, seen in opened if case.passed]
    first = first_lookups(passes)

    def lacks(row: Row) -> bool:
        return set(first).isdisjoint(row[2].get("answered", ()))

    if not first or sum(map(lacks, opened)) < FEWEST_FAILING or not known_everywhere(first, _called_tools(opened)):
        return None
    needing = [row for row in opened if any(digest not in refused for _, digest in row[2].get("expected", ()))]
    of_run = Counter(run for run, _, _ in needing)
    lacking = Counter(row[0] for row in needing if lacks(row))
    return {
        "tools": list(first),
        "passes": [sum(not set(first).isdisjoint(tools) for tools in passes), len(passes)],
        "runs": [part | {"needing": [lacking[part["run"]], of_run[part["run"]]]} for part in _by_run(opened, lacks)],
        "p": exact_p(_tables(opened, lacks)),
        "p_runs": _between_runs(opened, lacks),
    }


def _called_tools(rows: Sequence[Row]) -> dict[str, list[Sequence[str]]]:
    """Run → for each of its rollouts the tools that it calls."""
    called: dict[str, list[Sequence[str]]] = {}
    for run, case, _ in rows:
        called.setdefault(run, []).append(case.tools)
    return called


def _by_run(rows: Sequence[Row], has: Callable[[Row], bool]) -> list[dict[str, Any]]:
    entries = []
    for name in dict.fromkeys(run for run, _, _ in rows):
        own = [row for row in rows if row[0] == name]
        having = [row for row in own if has(row)]
        passes = sum(bool(case.passed) for _, case, _ in own)
        kept = sum(bool(case.passed) for _, case, _ in having)
        tools = Counter(seen["opening"][0] for _, _, seen in having)
        entries.append(
            {
                "run": name,
                "rollouts": len(own),
                "with": len(having),
                "passes_with": kept,
                "without": len(own) - len(having),
                "passes_without": passes - kept,
                "tool": tools.most_common(1)[0][0] if tools else "",
                "tasks": sorted({case.label for _, case, _ in having}),
            }
        )
    return sorted(entries, key=lambda candidate: (-candidate["with"] / candidate["rollouts"], candidate["run"]))


def _tables(rows: Sequence[Row], has: Callable[[Row], bool]) -> list[Table]:
    """Pass and fail, with it and without, inside runs or, where tasks are repeated, inside their tasks."""
    repeated = len({(run, case.key) for run, case, _ in rows}) < 0.75 * len(rows)
    groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        group = groups[(row[0], row[1].key) if repeated else (row[0],)]
        group[(not has(row)) * 2 + (not row[1].passed)] += 1
    return [(candidate[0], candidate[1], candidate[2], candidate[3]) for candidate in groups.values()]


def _between_runs(rows: Sequence[Row], has: Callable[[Row], bool]) -> float | None:
    return run_p([case for _, case, _ in rows], {id(row[1]) for row in rows if has(row)})


def _same_openings(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """First arguments that are the same in many different tasks of a run, and fail; whether nobody gave the value."""
    entries = []
    for name in dict.fromkeys(run for run, _, _ in rows):
        groups: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in rows:
            if row[0] == name and "opening" in row[2]:
                groups[row[2]["opening"][0], row[2]["opening"][2]].append(row)
        for (tool, arguments), having in groups.items():
            tasks = {case.label for _, case, _ in having}
            failed = sum(seen["opening"][1] for _, _, seen in having)
            if len(tasks) >= FEWEST_TASKS and failed >= MOSTLY * len(having):
                entries.append(
                    {
                        "run": name,
                        "tool": tool,
                        "arguments": arguments,
                        "rollouts": len(having),
                        "failed": failed,
                        "made_up": sum(map(_made_up, having)) >= MOSTLY * len(having),
                        "passes": sum(bool(case.passed) for _, case, _ in having),
                        "tasks": sorted(tasks),
                    }
                )
    return sorted(entries, key=lambda candidate: (-candidate["rollouts"], candidate["run"], candidate["arguments"]))


def _made_up(row: Row) -> bool:
    """Whether the rollout calls with a value that nobody gave: a placeholder, or one that it invented."""
    _, case, seen = row
    return "invented_lookups" in seen or PLACEHOLDER in case.fired()


def _streaks(rows: Sequence[Row], limits: Mapping[str, int]) -> list[dict[str, Any]]:
    """Tools called many times in a row, by run; not those with which a run makes nearly all of its calls."""
    streaks = [row for row in rows if row[2].get("streak", ("", 0))[1] >= LONG]
    if not streaks:
        return []
    calls: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for run, case, _ in rows:
        calls[run].update(case.tools)
    entries = []
    for tool in dict.fromkeys(row[2]["streak"][0] for row in streaks):
        users = [run for run in calls if calls[run][tool] < ONE_TOOL * calls[run].total()]
        having = {id(row[1]) for row in streaks if row[2]["streak"][0] == tool and row[0] in users}
        if len(having) < FEWEST:
            continue
        own = [row for row in rows if row[0] in users]
        parts = []
        for run in users:
            these = [row for row in own if row[0] == run and id(row[1]) in having]
            parts.append(_streaks_of(run, these, limits.get(run)) | {"calls": calls[run][tool]})
        p = exact_p(_tables(own, partial(_in, having)))
        entries.append({"tool": tool, "runs": parts, "p": p, "p_runs": _between_runs(own, partial(_in, having))})
    return sorted(entries, key=lambda candidate: -sum(part["rollouts"] for part in candidate["runs"]))


def _in(having: Collection[int], row: Row) -> bool:
    return id(row[1]) in having


def _streaks_of(run: str, rows: Sequence[Row], limit: int | None) -> dict[str, Any]:
    lengths = [seen["streak"][1] for _, _, seen in rows]
    return {
        "run": run,
        "rollouts": len(rows),
        "passes": sum(bool(case.passed) for _, case, _ in rows),
        "at_limit": sum(at_limit(seen, limit) for _, _, seen in rows),
        "tasks": sorted({case.label for _, case, _ in rows}),
        "lengths": [min(lengths), max(lengths)] if lengths else [],
    }


def _cut(rows: Sequence[Row], limits: Mapping[str, int], refused: Mapping[int, Any]) -> dict[str, Any] | None:
    """Failures at a limit of turns, and those whose changes were exactly the expected ones."""
    entries: list[dict[str, Any]] = []
    for name, limit in limits.items():
        there = [(case, seen) for run, case, seen in rows if run == name and at_limit(seen, limit)]
        lost = [(case, seen) for case, seen in there if not case.passed]
        right = [(case, seen) for case, seen in lost if _finished(seen, refused)]
        entries.append(
            {
                "run": name,
                "limit": limit,
                "rollouts": len(there),
                "failures": len(lost),
                "complete": sorted({case.label for case, _ in right}),
                "answer_expected": sorted({case.label for case, seen in right if seen.get("answers")}),
            }
        )
    if not any(entry["complete"] for entry in entries):
        return None
    return {"runs": entries, "complete": sum(len(entry["complete"]) for entry in entries)}


def _finished(seen: Mapping[str, Any], refused: Mapping[int, Any]) -> bool:
    """Whether all expected changes were made, of one at least: where none is expected, nothing shows an end."""
    expected = any(digest not in refused for _, digest in seen.get("expected", ()))
    return expected and effective_shape(seen, refused) == RIGHT


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Failures at a limit of turns, which may be too few for a heap over all rollouts."""
    for entry in answer["cut"]["runs"] if answer["cut"] else ():
        if entry["failures"]:
            fail = count(entry["failures"], "failure") + f" of {entry['run']}"
            ends = "ends" if entry["failures"] == 1 else "end"
            yield item("unnamed_limits", "low", f"{fail} {ends} at {entry['limit']:,} turns.", run=entry["run"])


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = []
    if answer["cut"] and answer["cut"]["complete"]:  # finished work that was failed weighs more than how it began
        items.append(Paragraph(tuple(_cut_words(answer["cut"]))))
    if answer["openings"]:
        items.append(Paragraph(tuple(_opening_words(answer["openings"]))))
    if answer["invented"]:
        items.append(Paragraph(tuple(_invented_words(answer["invented"]))))
    if answer["unanswered"]:
        items.append(Paragraph(tuple(_unanswered_words(answer["unanswered"]))))
    items += [Paragraph((_same_words(place, candidate),)) for place, candidate in enumerate(answer["same_opening"])]
    items += [Paragraph(tuple(_streak_words(place, candidate))) for place, candidate in enumerate(answer["streaks"])]
    if answer["cut"] and not answer["cut"]["complete"]:
        items.append(Paragraph(tuple(_cut_words(answer["cut"]))))
    return [Bullets(tuple(items))]


def _opening_words(openings: Mapping[str, Any]) -> Iterator[Sentence]:
    opening = [candidate for candidate in openings["runs"] if candidate["with"]]
    tools = {candidate["tool"] for candidate in opening}
    parts = [
        f"{candidate['run']} {candidate['with']:,} of {candidate['rollouts']:,} ("
        + (f"mostly {candidate['tool']}; " if len(tools) > 1 else "")
        + f"{candidate['passes_with']:,} pass, of the others {candidate['passes_without']:,} of "
        f"{candidate['without']:,})"
        for candidate in opening
    ]
    which = f", mostly {next(iter(tools))}" if len(tools) == 1 else ""
    yield say("Rollouts that open with a call that fails{which}: {parts}.", which=which, parts="; ".join(parts))
    if openings["p_runs"] is not None and openings["p_runs"] <= SURE:
        most = openings["runs"][0]
        words = "{run} opens so more often than the other runs ({tasks})."
        yield say(words, run=most["run"], tasks=task_list(most["tasks"]))
    if openings["p"] is not None and openings["p"] <= SURE:
        yield say("Opening so goes with the outcome (p = {p}, corrected).", p=_p(openings["p"], "openings", "p"))
    else:
        yield say("Within runs it is not shown to separate passes from failures.")


def _invented_words(invented: Mapping[str, Any]) -> Iterator[Sentence]:
    parts = [
        f"{part['run']} {part['with']:,} of {part['rollouts']:,} ({part['passes_with']:,} of {part['with']:,} pass, of "
        f"the others {part['passes_without']:,} of {part['without']:,}"
        + (f"; {many:,} never {'gets' if many == 1 else 'get'} past it)" if (many := part["unresolved"]) else ")")
        for part in invented["runs"]
        if part["with"]
    ]
    yield say("Rollouts that look up a value which nobody gave: {parts}.", parts="; ".join(parts))
    if invented["p"] is not None and invented["p"] <= SURE:
        yield say("It goes with the outcome (p = {p}, corrected).", p=_p(invented["p"], "invented", "p"))
    else:
        yield say("Within runs it is not shown to separate passes from failures.")


def _unanswered_words(unanswered: Mapping[str, Any]) -> Iterator[Sentence]:
    """The runs where it is not rare one by one, the others together."""
    often = [part for part in unanswered["runs"] if part["with"] >= max(FEWEST, NOT_RARE * part["rollouts"])]
    parts = [
        f"{part['run']} {part['with']:,} of {part['rollouts']:,} ({part['passes_with']:,} of {part['with']:,} pass, of "
        f"the others {part['passes_without']:,} of {part['without']:,}{_past(*part['needing'])})"
        for part in often
    ]
    if others := [part for part in unanswered["runs"] if part not in often]:
        lacking, rows = (sum(part[key] for part in others) for key in ("with", "rollouts"))
        past = _past(*(sum(part["needing"][side] for part in others) for side in (0, 1))).removeprefix("; ")
        told = f"{lacking:,} of {rows:,}" + (f" ({past})" if past else "")
        parts.append(f"{count(len(others), 'other run')} {told}")
    answered, passes = unanswered["passes"]
    yield say(
        "Rollouts without any answer from the first look-up ({tools}, which {answers} in {answered} of {passes}): "
        "{parts}.",
        tools=" or ".join(unanswered["tools"]),
        answers="answers" if len(unanswered["tools"]) == 1 else "answer",
        answered=fact(f"{answered:,}", answered, *_PATH, "unanswered", "passes", 0),
        passes=fact(count(passes, "pass", "passes"), passes, *_PATH, "unanswered", "passes", 1),
        parts="; ".join(parts),
    )
    if unanswered["p_runs"] is not None and unanswered["p_runs"] <= SURE:
        most = unanswered["runs"][0]
        words = "{run} lacks one more often than the other runs ({tasks})."
        yield say(words, run=most["run"], tasks=task_list(most["tasks"]))
    if unanswered["p"] is not None and unanswered["p"] <= SURE:
        yield say("It goes with the outcome (p = {p}, corrected).", p=_p(unanswered["p"], "unanswered", "p"))
    else:
        yield say("Within runs it is not shown to separate passes from failures.")


def _past(lacking: int, needing: int) -> str:
    """How many of the rollouts that need a change have one."""
    return f"; of {needing:,} that need a change {needing - lacking:,} have one" if needing else ""


def _same_words(place: int, candidate: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "same_opening", place)
    return say(
        "{run} opens with the same call, {tool} {arguments}, {kind}in {rollouts} of "
        "{tasks} ({names}); {failed} of these calls fail and {passes} of the rollouts pass.",
        run=candidate["run"],
        tool=candidate["tool"],
        arguments=candidate["arguments"],
        kind="a placeholder or an example, " if candidate["made_up"] else "",
        rollouts=fact(count(candidate["rollouts"], "rollout"), candidate["rollouts"], *path, "rollouts"),
        tasks=count(len(candidate["tasks"]), "different task"),
        failed=fact(f"{candidate['failed']:,}", candidate["failed"], *path, "failed"),
        passes=fact(f"{candidate['passes']:,}", candidate["passes"], *path, "passes"),
        names=task_list(candidate["tasks"]),
    )


def _streak_words(place: int, candidate: Mapping[str, Any]) -> Iterator[Sentence]:
    for at, part in enumerate(candidate["runs"]):
        if not part["rollouts"]:
            continue
        path = (*_PATH, "streaks", place, "runs", at)
        low, high = part["lengths"]
        yield say(
            "{run} calls {tool} {lengths} times in a row in {rollouts} ({tasks}); "
            + ("{limit} of them run into the turn limit and " if part["at_limit"] else "of them ")
            + "{passes} {pass_}.",
            run=part["run"],
            tool=candidate["tool"],
            lengths=f"{low:,}" if low == high else f"{low:,} to {high:,}",
            rollouts=fact(count(part["rollouts"], "rollout"), part["rollouts"], *path, "rollouts"),
            tasks=task_list(part["tasks"]),
            limit=amount(part["at_limit"], *path, "at_limit"),
            passes=fact(f"{part['passes']:,}" if part["passes"] else "none", part["passes"], *path, "passes"),
            pass_="passes" if part["passes"] < 2 else "pass",
        )
    calls = [f"{part['run']} {part['calls']:,}" for part in sorted(candidate["runs"], key=lambda part: -part["calls"])]
    if len(calls) > 1:
        yield say("Calls of {tool} in all: {calls}.", tool=candidate["tool"], calls=listed(calls))


def _cut_words(cut: Mapping[str, Any]) -> Iterator[Sentence]:
    same = len({candidate["limit"] for candidate in cut["runs"]}) == 1
    limits = [
        f"{candidate['run']} {candidate['failures']:,}" + ("" if same else f" at {candidate['limit']:,} turns")
        for candidate in cut["runs"]
    ]
    which = f" of {cut['runs'][0]['limit']:,} turns" if same else ""
    parts = [
        f"{candidate['run']}: {task_list(candidate['complete'])}" for candidate in cut["runs"] if candidate["complete"]
    ]
    yield say(
        "Failures that end exactly at the turn limit{which}, which no rollout exceeds: {limits}; in {complete} of "
        "them exactly the expected changes had been made when the limit cut the rollout, which was scored as a "
        "failure ({parts}).",
        which=which,
        limits=listed(limits),
        complete=fact(f"{cut['complete']:,}", cut["complete"], *_PATH, "cut", "complete"),
        parts="; ".join(parts),
    )
    answers = [
        f"{candidate['run']}: {task_list(candidate['answer_expected'])}"
        for candidate in cut["runs"]
        if candidate["answer_expected"]
    ]
    if answers:
        yield say("An answer was also expected in {answers}.", answers="; ".join(answers))


def _p(value: float, *path: str) -> Any:
    return fact(f"{value:.2g}", value, *_PATH, *path)


_PATH = ("investigation", "openings_and_loops")


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Raise or report a limit that cuts finished work."""
    cut = answer["cut"]
    if not cut:
        return
    limits = sorted({entry["limit"] for entry in cut["runs"]})
    yield Advice(
        "harness",
        f"Raise the limit of {listed([f'{limit:,}' for limit in limits])} turns, or report separately what it cuts",
        say(
            "It ends {many}, {complete} of them with all expected changes made: {runs}.",
            many=count(sum(entry["failures"] for entry in cut["runs"]), "failure"),
            complete=fact(f"{cut['complete']:,}", cut["complete"], *_PATH, "cut", "complete"),
            runs=listed([f"{entry['run']} {entry['failures']:,}" for entry in cut["runs"]]),
        ),
        sum(entry["failures"] for entry in cut["runs"]),
        0.2,
    )
