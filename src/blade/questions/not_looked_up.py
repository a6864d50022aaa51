"""What do failures never look up, and does the model deny what its own run's tools do?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.rollout_causes import Cause, rollout_causes
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.document import Table as Grid
from blade.questions import SURE, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p, risk_difference
from blade.wording import count, fact, listed

TITLE = "What was never looked up"
ORDER = 88
WEIGHT = 1.4
FEWEST = 3
MOST_RUNS = 7
FEW_RUNS = 2
"""So many runs are told in a sentence each, more in a table."""
DENIES = "denies_its_tools"
UNREAD = ("record_not_looked_up", "asks_instead_of_looking_up")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts whose model denies an ability, where that goes with failing; failures that never open a record."""
    causes = rollout_causes(runs)
    denials, denying = _denials(runs, causes)
    silent = sorted({run.run.name for run in runs if judged(run)} - {item["run"] for item in denials})
    unread, leaving = _all_unread(runs, causes, rollout_causes(runs, of_passes=True))
    p_denials, p_unread = benjamini_hochberg([_goes_with_failing(denying), _goes_with_failing(leaving)])
    answer: dict[str, Any] = {"denials": None, "unread": unread if p_unread <= SURE else []}
    if p_denials <= SURE and sum(item["rollouts"] for item in denials) >= FEWEST:
        answer["denials"] = {"runs": denials[:MOST_RUNS], "never": silent, "p": significant(p_denials, WRITTEN)}
    return answer if any(answer.values()) else None


def _denials(runs: Sequence[RunCases], causes: Mapping[int, Cause]) -> tuple[list[dict[str, Any]], list[Table]]:
    """Per run: rollouts in which the model denies an ability; and the tables that show whether those fail."""
    entries: list[dict[str, Any]] = []
    tables: list[Table] = []
    for run in runs:
        rows = judged(run)
        denying = run.observing("denies")
        passes, all_passes = (sum(bool(case.passed) for case in some) for some in (denying, rows))
        rest = len(rows) - len(denying)
        tables.append((passes, len(denying) - passes, all_passes - passes, rest - all_passes + passes))
        if denying:
            entries.append(_entry(run.run.name, rows, denying, causes))
    return sorted(entries, key=lambda item: (-item["rollouts"], item["run"])), tables


def _goes_with_failing(tables: Sequence[Table]) -> float:
    """The exact p value over the runs where a sign goes with failing; 1 where it does not."""
    p, effect = exact_p(tables), risk_difference(tables)
    return p if p is not None and effect is not None and effect < 0 else 1.0


def _entry(run: str, rows: Sequence[Case], denying: Sequence[Case], causes: Mapping[int, Cause]) -> dict[str, Any]:
    failing = [case for case in denying if not case.passed]
    denied_tools = {
        id(case): cause.tool for case in failing if (cause := causes.get(id(case))) and cause.rule == DENIES
    }
    tools = Counter(denied_tools.values())
    tool = max(tools, key=lambda name: (tools[name], name), default="")
    return {
        "run": run,
        "rollouts": len(denying),
        "failures": len(failing),
        "judged": len(rows),
        "tasks": sorted({case.label for case in failing}),
        "quote": next((case.observed["denies"][1] for case in (*failing, *denying)), ""),
        "tool": tool,
        "false": tools[tool],
        "false_tasks": sorted({case.label for case in failing if denied_tools.get(id(case)) == tool}),
        "tool_rollouts": sum(tool in case.tools for case in rows),
    }


def _all_unread(
    runs: Sequence[RunCases], causes: Mapping[int, Cause], in_passes: Mapping[int, Cause]
) -> tuple[list[dict[str, Any]], list[Table]]:
    """The runs with enough such failures; and the tables that show whether passes have the sign as often."""
    entries: list[dict[str, Any]] = []
    tables: list[Table] = []
    for run in runs:
        entry = _unread(run, causes)
        passing = [case for case in judged(run) if case.passed]
        passes = sum(_leaves_unread(in_passes.get(id(case))) for case in passing)
        tables.append((passes, entry["failures"], len(passing) - passes, entry["of"] - entry["failures"]))
        entries.append(entry | {"passes": passes, "passing": len(passing)})
    entries = [item for item in entries if item["failures"] >= FEWEST]
    return sorted(entries, key=lambda item: (-item["failures"], item["run"]))[:MOST_RUNS], tables


def _leaves_unread(cause: Cause | None) -> bool:
    """Whether a record was never opened; a value that an opened record needs is no record."""
    return cause is not None and cause.rule in UNREAD and not cause.record_opened


def _unread(run: RunCases, causes: Mapping[int, Cause]) -> dict[str, Any]:
    """Failures that leave out a change and never open the record that it concerns, though other rollouts do."""
    failing = [case for case in judged(run) if not case.passed]
    struck = [case for case in failing if _leaves_unread(causes.get(id(case)))]
    tools = Counter(causes[id(case)].tool for case in struck)
    asking = [case for case in struck if causes[id(case)].rule == UNREAD[1]]
    return {
        "run": run.run.name,
        "failures": len(struck),
        "of": len(failing),
        "asking": len(asking),
        "tasks": sorted({case.label for case in struck}),
        "tool": max(tools, key=lambda name: (tools[name], name), default=""),
        "example": [struck[0].label, causes[id(struck[0])].value] if struck else [],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_denial_words(answer["denials"])))] if answer["denials"] else []
    unread = answer["unread"]
    if len(unread) <= FEW_RUNS:
        items += [Paragraph((_unread_words(place, item),)) for place, item in enumerate(unread)]
    blocks: list[Block] = [Bullets(tuple(items))] if items else []
    return [*blocks, _unread_table(unread)] if len(unread) > FEW_RUNS else blocks


def _denial_words(denials: Mapping[str, Any]) -> Iterator[Sentence]:
    runs = denials["runs"]
    yield say(
        "The model says that it cannot search, look up or compare something, and such rollouts fail more often "
        "({p}, corrected): {runs}. For instance “{quote}”. They are counted by their wording, so the number is "
        "approximate.",
        p=fact(f"p = {denials['p']:.2g}", denials["p"], *_PATH, "denials", "p"),
        runs="; ".join(
            f"{item['run']} in {item['rollouts']:,} of {count(item['judged'], 'rollout')}, {item['failures']:,} of "
            f"which {'fails' if item['failures'] == 1 else 'fail'}"
            + (f" ({task_list(item['tasks'])})" if item["tasks"] else "")
            for item in runs
        )
        + (f"; never in {listed(denials['never'])}" if denials["never"] else ""),
        quote=runs[0]["quote"],
    )
    known = [item for item in runs if item["false"] >= FEWEST]
    if known:
        yield say(
            "The same runs call the tool that shows it elsewhere, so the knowledge is there but unreliable: {runs}.",
            runs="; ".join(
                f"{item['run']} calls {item['tool']} in {count(item['tool_rollouts'], 'rollout')}" for item in known
            ),
        )


def _unread_table(unread: Sequence[Mapping[str, Any]]) -> Grid:
    """The same of many runs, one to a line."""
    rows: list[tuple[str | Fact, ...]] = []
    for place, item in enumerate(unread):
        path = (*_PATH, "unread", place)
        task, value = item["example"]
        rows.append(
            (
                item["run"],
                fact(f"{item['failures']:,} of {item['of']:,}", item["failures"], *path, "failures"),
                fact(f"{item['asking']:,}", item["asking"], *path, "asking"),
                item["tool"],
                f"{task_list(item['tasks'])}; e.g. {value} in task {task}",
            )
        )
    caption = (
        "Judged failures that leave out a change whose record was never looked up, though the key or passes open it "
        "with a tool that the run calls for others:"
    )
    columns = ("Run", ">failures", ">ask the user for it again and again", "mostly with", "tasks")
    return Grid(columns, tuple(rows), caption)


def _unread_words(place: int, item: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "unread", place)
    verb = "asks" if item["asking"] == 1 else "ask"
    asking = f"; {item['asking']:,} of them {verb} the user for it again and again" if item["asking"] else ""
    return say(
        "In {failures} of the {of} of {run}, and in {passes} of its {passing}, a change is left out whose record was "
        "never looked up, though the key or passes open it with a tool that the run calls for others, mostly {tool} "
        "({tasks}; e.g. {value} in task {task})" + asking + ".",
        failures=fact(f"{item['failures']:,}", item["failures"], *path, "failures"),
        of=fact(count(item["of"], "judged failure"), item["of"], *path, "of"),
        passes=fact(f"{item['passes']:,}" if item["passes"] else "none", item["passes"], *path, "passes"),
        passing=fact(count(item["passing"], "pass", "passes"), item["passing"], *path, "passing"),
        run=item["run"],
        tool=item["tool"],
        tasks=task_list(item["tasks"]),
        task=item["example"][0],
        value=item["example"][1],
    )


_PATH = ("investigation", "not_looked_up")


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Name the tool that is denied, and have the records opened that failures never open."""
    denials = answer["denials"]
    known = [item for item in denials["runs"] if item["false"] >= FEWEST] if denials else []
    tools = Counter[str]()
    for item in known:
        tools[item["tool"]] += item["false"]
    for tool, many in sorted(tools.items(), key=lambda entry: (-entry[1], entry[0]))[:1]:
        yield Advice(
            "prompt",
            f"Say in the prompt what {tool} shows: the model tells its user that it cannot look this up",
            say(
                "It is the nearest cause known of {many}, and their runs call it elsewhere: {runs}.",
                many=count(many, "failure"),
                runs=listed(
                    [
                        f"{item['run']} {item['false']:,} ({task_list(item['false_tasks'], 6)})"
                        for item in known
                        if item["tool"] == tool
                    ]
                ),
            ),
            many,
            0.4,
        )
    unread = answer["unread"]
    if unread:
        many = sum(item["failures"] for item in unread)
        yield Advice(
            "prompt",
            f"Have the agent open every record that a request may concern ({unread[0]['tool']}) before it acts, asks "
            "or gives up",
            say(
                "In {many} a change is left out whose record was never opened: {runs}.",
                many=count(many, "failure"),
                runs=listed([f"{item['run']} {item['failures']:,}" for item in unread]),
            ),
            many,
            0.2,
        )
