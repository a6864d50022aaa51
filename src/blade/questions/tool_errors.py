"""Which errors of tools go with failing, or with one run, and what followed them?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.refused_calls import FEWEST_ALIKE, Row, circumstances
from blade.diagnosis.turn_limits import at_limit, turn_limits
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.calls import changing_name
from blade.extract.tool_errors import HANDED_OVER, NO_CHANGE, OTHER_CHANGE, SWITCHED, TRIED_ON, WORKED_AGAIN
from blade.questions import SURE, judged, task_list
from blade.signatures import common_words, quoted
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p
from blade.wording import count, fact, listed

TITLE = "Errors of tools"
ORDER = 60
WEIGHT = 1.3
MOST = 6
FEWEST = 5
"""An error in fewer rollouts is not asked about."""
ALWAYS = 0.9
"""A tool of whose calls this share fails, whoever calls it, is at fault itself."""
MOST_RUNS = 3
LIKELY = 0.5
"""That a refused call is why its rollout fails, where the refusal follows a pattern."""

OWN_FAULTS = frozenset({"unknown_tool", "malformed_args", "schema_violation"})
"""Detectors of calls that the model itself makes wrongly."""
FAILING = "failing"
PASSED, CUT = "passed", "cut"
"""What followed an error that nothing mended, in a rollout that passes or that a limit of turns cut."""


@dataclass(slots=True)
class _Error:
    """The rollouts in which a tool answers with one message."""

    tool: str
    template: str
    rows: list[tuple[Row, list[Any]]] = field(default_factory=list)

    @property
    def failures(self) -> int:
        return sum(not row[1].passed for row, _ in self.rows)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Errors that go with failing or with one run, after correction for all that were asked about."""
    rows: list[Row] = [(run.run.name, case, case.observed) for run in runs for case in judged(run)]
    errors = _errors(rows)
    broken = _broken_tools(rows)
    asked = [item for item in errors if len(item.rows) >= FEWEST and item.tool not in broken]
    users = _users(rows)
    counted = cache(lambda names: _Rollouts([row for row in rows if row[0] in names]))
    tests = [(item, kind, p) for item in asked for kind, p in counted(users[item.tool]).tests(item) if p is not None]
    adjusted = benjamini_hochberg([p for *_, p in tests])
    sure: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for (item, kind, _), p in zip(tests, adjusted, strict=True):
        if p <= SURE:
            sure[id(item)][kind] = significant(p, WRITTEN)
    told = [item for item in asked if id(item) in sure]
    told.sort(key=lambda item: (FAILING not in sure[id(item)], -item.failures, item.tool, item.template))
    if not told and not broken:
        return None
    return {
        "errors": [_data(item, counted(users[item.tool]).rows, sure[id(item)]) for item in told[:MOST]],
        "left_out": len(told[MOST:]),
        "asked": len(asked),
        "broken": list(broken.values()),
    }


def _errors(rows: Sequence[Row]) -> list[_Error]:
    found: dict[tuple[str, str], _Error] = {}
    for row in rows:
        for entry in row[2].get("errors", ()):
            tool, template = entry[:2]
            found.setdefault((tool, template), _Error(tool, template)).rows.append((row, entry))
    return list(found.values())


def _users(rows: Sequence[Row]) -> dict[str, frozenset[str]]:
    """The runs in which each tool is called: in the others it may not exist."""
    tools_of_run: defaultdict[str, set[str]] = defaultdict(set)
    for run, case, seen in rows:
        tools_of_run[run].update(case.tools, [item[0] for item in seen.get("errors", ())])
    return {
        tool: frozenset(run for run, tools in tools_of_run.items() if tool in tools)
        for tool in set().union(*tools_of_run.values())
    }


def _mostly_failing(rows: Sequence[Row]) -> set[str]:
    """The tools of which no more than a few calls can have worked."""
    made = Counter(chain.from_iterable(case.tools for _, case, _ in rows))
    failed: Counter[str] = Counter()
    for *_, seen in rows:
        for entry in seen.get("errors", ()):
            failed[entry[0]] += entry[4]
    return {tool for tool, many in failed.items() if many >= ALWAYS * made[tool]}


def _broken_tools(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Tools of whose calls (nearly) all fail, in passes too. A call that the model makes wrongly says nothing here."""
    calls: defaultdict[str, list[Any]] = defaultdict(lambda: [0, 0, set(), 0, False])
    doubtful = _mostly_failing(rows)
    for _, case, seen in rows if doubtful else ():
        made = Counter([tool for tool in case.tools if tool in doubtful])
        if not made:
            continue
        failed: Counter[str] = Counter()
        for entry in seen.get("errors", ()):
            failed[entry[0]] += entry[4]
        for tool, many in made.items():
            known = calls[tool]
            known[0] += many
            known[1] += min(failed[tool], many)
            known[2].add(case.label)
            known[3] += bool(case.passed)
            known[4] = known[4] or not OWN_FAULTS.isdisjoint(case.fired())
    return {
        tool: {"tool": tool, "calls": many, "failed": failed, "tasks": sorted(tasks), "passes": passes}
        for tool, (many, failed, tasks, passes, own) in calls.items()
        if many >= FEWEST and failed >= ALWAYS * many and len(tasks) >= FEWEST_ALIKE and passes and not own
    }


class _Rollouts:
    """The rollouts of the runs in which a tool is called, counted once for all of its errors."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self._repeated = len({(run, case.key) for run, case, _ in rows}) < 0.75 * len(rows)
        self._outcomes = Counter((self._group(run, case), bool(case.passed)) for run, case, _ in rows)
        self._in_runs = Counter((run, case.key) for run, case, _ in rows)
        self._of_tasks = Counter(case.key for _, case, _ in rows)
        self._runs = sorted({run for run, _, _ in rows})

    def _group(self, run: str, case: Case) -> tuple[str, ...]:
        return (run, case.key) if self._repeated else (run,)

    def tests(self, error: _Error) -> Iterator[tuple[str, float | None]]:
        """Against passing, inside runs (inside tasks, where they are repeated); each run against the others, by task.

        A group or a task in which no rollout has the error adds nothing.
        """
        having = {id(row[1]): row for row, _ in error.rows}.values()
        outcomes = Counter((self._group(run, case), bool(case.passed)) for run, case, _ in having)
        yield FAILING, exact_p([self._by_outcome(group, outcomes) for group in {group for group, _ in outcomes}])
        with_it = Counter(case.key for _, case, _ in having)
        for name in self._runs:
            own = Counter(case.key for run, case, _ in having if run == name)
            yield name, exact_p([self._against(name, key, own[key], many) for key, many in with_it.items()])

    def _by_outcome(self, group: tuple[str, ...], outcomes: Mapping[tuple[tuple[str, ...], bool], int]) -> Table:
        passes, fails = outcomes[group, True], outcomes[group, False]
        return passes, fails, self._outcomes[group, True] - passes, self._outcomes[group, False] - fails

    def _against(self, run: str, key: str, own: int, many: int) -> Table:
        """The rollouts of one run at a task with and without the error, and those of the other runs."""
        rollouts = self._in_runs[run, key]
        return own, rollouts - own, many - own, self._of_tasks[key] - rollouts - (many - own)


def _data(error: _Error, rows: Sequence[Row], sure: Mapping[str, float]) -> dict[str, Any]:
    named = {row[0] for row, _ in error.rows}
    failing = sum(not case.passed for _, case, _ in rows)
    limits = turn_limits((run, seen) for run, _, seen in rows)
    per_run = [
        _of_run(name, [pair for pair in error.rows if pair[0][0] == name], limits.get(name)) for name in sorted(named)
    ]
    return {
        "tool": error.tool,
        "template": error.template,
        "values_differ": len({entry[3] for _, entry in error.rows}) > 1,
        "words": common_words(entry[3] for _, entry in error.rows),
        "quote": error.rows[0][1][3],
        "rollouts": len(error.rows),
        "failures": error.failures,
        "without": len(rows) - len(error.rows),
        "without_failures": failing - error.failures,
        "separates": sure.get(FAILING),
        "more_often": [name for name in sorted(sure) if name != FAILING and _more(name, error, rows)],
        "less_often": [name for name in sorted(sure) if name != FAILING and not _more(name, error, rows)],
        "runs": sorted(per_run, key=lambda item: -item["rollouts"]),
        **circumstances(error.tool, error.template, rows),
    }


def _more(name: str, error: _Error, rows: Sequence[Row]) -> bool:
    """Whether the error is more common in a run than in the others."""
    here, there = sum(row[0] == name for row, _ in error.rows), sum(row[0] != name for row, _ in error.rows)
    size = sum(run == name for run, _, _ in rows)
    return here * (len(rows) - size) > there * size


def _of_run(name: str, pairs: Sequence[tuple[Row, list[Any]]], limit: int | None) -> dict[str, Any]:
    followed: dict[str, Any] = {WORKED_AGAIN: [], SWITCHED: {}, OTHER_CHANGE: [], HANDED_OVER: []}
    followed |= {TRIED_ON: {}, CUT: [], NO_CHANGE: [], PASSED: []}
    for row, entry in pairs:
        after, tool = entry[5], entry[6]
        if after in {NO_CHANGE, TRIED_ON}:
            after = PASSED if row[1].passed else CUT if at_limit(row[2], limit) else after
        labels = followed[after].setdefault(tool, []) if after in {SWITCHED, TRIED_ON} else followed[after]
        labels.append(row[1].label)
    return {
        "run": name,
        "rollouts": len(pairs),
        "failures": sum(not row[1].passed for row, _ in pairs),
        "tasks": sorted({row[1].label for row, _ in pairs}),
        "followed": followed,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, item))) for place, item in enumerate(answer["errors"])]
    items += [Paragraph((_broken(place, item),)) for place, item in enumerate(answer["broken"])]
    blocks: list[Block] = [Bullets(tuple(items))]
    if answer["left_out"]:
        left = fact(count(answer["left_out"], "more error"), answer["left_out"], *_PATH, "left_out")
        blocks.append(Paragraph((say("Left out here: {left} that separate passes from failures.", left=left),)))
    return blocks


def _sentences(place: int, item: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "errors", place)
    numbers = {
        "rollouts": fact(count(item["rollouts"], "rollout"), item["rollouts"], *path, "rollouts"),
        "failures": fact(f"{item['failures']:,}", item["failures"], *path, "failures"),
        "without": fact(f"{item['without']:,}", item["without"], *path, "without"),
        "without_failures": fact(f"{item['without_failures']:,}", item["without_failures"], *path, "without_failures"),
    }
    yield say(
        "{tool} answers {words} in {rollouts}{runs}: {failures} of them {fail}, {without_failures} of "
        "{without} without it. " + _meaning(item),
        runs=_counts(item["runs"]),
        fail="fails" if item["failures"] == 1 else "fail",
        tool=item["tool"],
        words=quoted(item["words"], item["quote"]),
        **numbers,
    )
    if "state" in item:
        yield _state(item["tool"], item["state"], (*path, "state"))
    if "after_change" in item:
        same = "state" in item and item["state"]["runs"] == item["after_change"]["runs"]
        yield _after_change(item["tool"], item["after_change"], (*path, "after_change"), same=same)
    for at, run in enumerate(item["runs"]):
        if at == 0 or (at < MOST_RUNS and run["rollouts"] >= FEWEST_ALIKE):
            yield _run_sentence(run, (*path, "runs", at), changing=changing_name(item["tool"]))
    rest = [run for at, run in enumerate(item["runs"]) if at and (at >= MOST_RUNS or run["rollouts"] < FEWEST_ALIKE)]
    if rest:
        others = [f"{run['run']} {task_list(run['tasks'], 6)}" for run in rest]
        yield say("Tasks of the others: {rest}.", rest="; ".join(others))


def _counts(runs: Sequence[Mapping[str, Any]]) -> str:
    """How many rollouts of each run, where there are several."""
    counts = [f"{run['run']} {run['rollouts']:,}" for run in runs]
    return f" ({listed(counts)})" if len(runs) > 1 else ""


def _meaning(item: Mapping[str, Any]) -> str:
    words = []
    if item["separates"] is not None:
        more = item["failures"] * item["without"] > item["without_failures"] * item["rollouts"]
        words.append(f"It goes with {'failing' if more else 'passing'} (p = {item['separates']:.2g}, corrected)")
    if item["more_often"]:
        words.append(f"{'it' if words else 'It'} is more common in {listed(item['more_often'])} than elsewhere")
    if item["less_often"] and not item["more_often"]:
        words.append(f"{'it' if words else 'It'} is less common in {listed(item['less_often'])} than elsewhere")
    return f"{'; '.join(words)}."


def _state(tool: str, state: Mapping[str, Any], path: tuple[str | int, ...]) -> Sentence:
    return say(
        "In {many} the model had read {field} “{value}” of the same object before the call ({runs}); none of the "
        "{accepted} accepted calls of {tool} with a known {field} had that ({usual_calls} had “{usual}”).",
        many=fact(count(state["rollouts"], "rollout"), state["rollouts"], *path, "rollouts"),
        accepted=fact(f"{state['accepted']:,}", state["accepted"], *path, "accepted"),
        usual_calls=fact(f"{state['usual_calls']:,}", state["usual_calls"], *path, "usual_calls"),
        usual=state["usual"],
        field=state["field"],
        value=state["value"],
        runs=_who(state["runs"]),
        tool=tool,
    )


def _after_change(tool: str, change: Mapping[str, Any], path: tuple[str | int, ...], *, same: bool = False) -> Sentence:
    """What came before the refused calls; `same` where the rollouts were named just before."""
    return say(
        ("Order of operations: in these {many}" if same else "Order of operations: in {many}")
        + " {before} had changed the same object first"
        + ("" if same else " ({runs})")
        + "; none of the {accepted} accepted calls of {tool} came after it.",
        many=fact(count(change["rollouts"], "rollout"), change["rollouts"], *path, "rollouts"),
        accepted=fact(f"{change['accepted']:,}", change["accepted"], *path, "accepted"),
        before=change["tool"],
        tool=tool,
        runs=_who(change["runs"]),
    )


def _who(runs: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{run}: {task_list(tasks)}" for run, tasks in runs.items())


def _run_sentence(run: Mapping[str, Any], path: tuple[str | int, ...], *, changing: bool | None) -> Sentence:
    parts = _reading(run) if changing is False else _aftermath(run["followed"], sure=changing is True)
    return say(
        "{run}: {rollouts}, {failures} of which {fail} ({tasks}); afterwards it " + listed(parts) + ".",
        run=run["run"],
        rollouts=fact(count(run["rollouts"], "rollout"), run["rollouts"], *path, "rollouts"),
        failures=fact(f"{run['failures']:,}", run["failures"], *path, "failures"),
        fail="fails" if run["failures"] == 1 else "fail",
        tasks=task_list(run["tasks"]),
    )


def _aftermath(followed: Mapping[str, Any], *, sure: bool) -> list[str]:
    """What a rollout does after a change was refused; `sure` where the tool is known to change something."""
    again = "recovers with the same tool" if sure else "makes a call of the same tool that goes well"
    parts = [f"{again} in {task_list(followed[WORKED_AGAIN])}"] if followed[WORKED_AGAIN] else []
    parts += [f"switches to {tool} in {task_list(tasks)}" for tool, tasks in followed[SWITCHED].items()]
    if followed[OTHER_CHANGE]:
        parts.append(f"changes something else in {task_list(followed[OTHER_CHANGE])}")
    if followed[HANDED_OVER]:
        parts.append(f"hands over to a person in {task_list(followed[HANDED_OVER])}")
    parts += [f"tries {tool} without success in {task_list(tasks)}" for tool, tasks in followed[TRIED_ON].items()]
    if followed[CUT]:
        parts.append(f"is cut by the turn limit before anything more is done in {task_list(followed[CUT])}")
    if followed[NO_CHANGE]:
        words = "gives up in {tasks} (no further change)" if sure else "gets nothing more done in {tasks}"
        parts.append(words.format(tasks=task_list(followed[NO_CHANGE])))
    if followed[PASSED]:
        parts.append(f"passes with nothing more done in {task_list(followed[PASSED])}")
    return parts


def _reading(run: Mapping[str, Any]) -> list[str]:
    """After a tool that only reads: whether it worked later."""
    worked = len(run["followed"][WORKED_AGAIN])
    return [f"gets an answer from the same tool in {worked:,} of {run['rollouts']:,}"]


def _broken(place: int, item: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "broken", place)
    return say(
        "{tool} fails in {failed} of {calls}, whichever run makes them ({passes} of the rollouts that call it pass; "
        "tasks: {tasks}): a fault of the tool or its environment, not of a model.",
        tool=item["tool"],
        failed=fact(f"{item['failed']:,}", item["failed"], *path, "failed"),
        calls=fact(count(item["calls"], "call"), item["calls"], *path, "calls"),
        passes=fact(f"{item['passes']:,}", item["passes"], *path, "passes"),
        tasks=task_list(item["tasks"]),
    )


_PATH = ("investigation", "tool_errors")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The error that goes with failing most clearly."""
    for place, item in enumerate(answer["errors"]):
        if (
            item["separates"] is not None
            and item["failures"] * item["without"] > item["without_failures"] * item["rollouts"]
        ):
            path = (*_PATH, "errors", place)
            order = item.get("after_change")
            after = ""
            if order:
                after = f"; in {order['rollouts']:,} of them {order['tool']} had changed the same object first"
            yield say(
                "{tool} answers {words} in {rollouts}, of which {failures} fail{after}.",
                after=after,
                tool=item["tool"],
                words=quoted(item["words"], item["quote"]),
                rollouts=fact(count(item["rollouts"], "rollout"), item["rollouts"], *path, "rollouts"),
                failures=fact(f"{item['failures']:,}", item["failures"], *path, "failures"),
            )
            return


def _order_words(tool: str, order: Mapping[str, Any]) -> str:
    """What to say of two calls: which comes first, or that only one can be made; nothing where that was never tried."""
    if order["other_order_accepted"]:
        return (
            f"Say in the prompt, or in the description of {tool}, that it comes before {order['tool']} where both "
            "concern the same object"
        )
    if order["tool"] == tool:
        return f"Say in the prompt, or in the description of {tool}, that it can be made once for one object"
    if order["other_order_refused"]:
        return f"Say in the prompt that only one of {tool} and {order['tool']} can be made for one object"
    return ""


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Where refused calls follow a pattern: which call comes first, or which state a tool needs."""
    for place, item in enumerate(answer["errors"]):
        path = (*_PATH, "errors", place)
        order, state, tool = item.get("after_change"), item.get("state"), item["tool"]
        change = _order_words(tool, order) if order else ""
        if order and change:
            yield Advice(
                "prompt",
                change,
                say(
                    "{tool} is refused after it in {many} ({runs}); none of {accepted} accepted calls came after it.",
                    tool=tool,
                    many=fact(
                        count(order["rollouts"], "rollout"), order["rollouts"], *path, "after_change", "rollouts"
                    ),
                    runs=_who(order["runs"]),
                    accepted=fact(f"{order['accepted']:,}", order["accepted"], *path, "after_change", "accepted"),
                ),
                order["rollouts"],
                LIKELY,
            )
        if state and (order is None or state["rollouts"] > order["rollouts"]):
            yield Advice(
                "prompt",
                f"Say in the prompt, or in the description of {tool}, that it needs {state['field']} “{state['usual']}”"
                + _instead(item, state),
                say(
                    "{tool} is called on “{value}”, which had been read, in {many} ({runs}), and is refused.",
                    tool=tool,
                    value=state["value"],
                    many=fact(count(state["rollouts"], "rollout"), state["rollouts"], *path, "state", "rollouts"),
                    runs=_who(state["runs"]),
                ),
                state["rollouts"],
                LIKELY,
            )


def _instead(item: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """The tool that most rollouts turned to with success after the refusal."""
    turned: Counter[str] = Counter()
    for run in item["runs"]:
        for tool, tasks in run["followed"][SWITCHED].items() if run["run"] in state["runs"] else ():
            turned[tool] += len(tasks)
    if not turned:
        return ""
    tool = max(sorted(turned), key=lambda name: turned[name])
    return f"; for “{state['value']}” rollouts that go on use {tool}"
