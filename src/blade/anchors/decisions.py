"""Where passing and failing attempts of one task part: the step, and what each of them does there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from blade.anchors.candidate import MECHANISM, Candidate, about, in_marks, task_entity, task_words
from blade.anchors.table import RolloutTable
from blade.model import Analysis
from blade.wording import listed, printable

LONGEST_QUOTE = 90
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)+")


def decision_facts(table: RolloutTable, analysis: Analysis) -> Iterator[Candidate]:
    if table.judged:
        yield from _branches(table, analysis)
        yield from _twins(table, analysis)


def _twins(table: RolloutTable, analysis: Analysis) -> Iterator[Candidate]:
    """What the failing attempt did otherwise. Chance deals the differences anew to the tasks, and which one passed."""
    run_twins = [twin for twin in analysis.twins if twin["run"] == table.run]
    statement_counts = Counter(str(twin["statement"]) for twin in run_twins)
    lucky = sum(bool(twin["lucky"]) for twin in run_twins)
    for twin in run_twins:
        quotes = [in_marks(printable(str(quote)), LONGEST_QUOTE) for quote in twin["quotes"] if quote]
        if len(quotes) < 2 or not all(quotes):
            continue
        guess = 0.5 * statement_counts[str(twin["statement"])] / len(run_twins)
        yield from _twin_fact(table, twin, quotes).tried(max(guess, 1e-4), 1.0)
        if twin["lucky"]:
            yield from _lucky_fact(table, twin).tried(lucky / len(run_twins), 1.0)


def _twin_fact(table: RolloutTable, twin: Mapping[str, Any], quotes: list[str]) -> Candidate:
    name, statement = printable(str(twin["task"])), printable(str(twin["statement"]))
    names = list(dict.fromkeys(_NAME.findall(statement)))[:2]
    return Candidate(
        "decision",
        MECHANISM,
        f"Of {task_words(name)}, which passes {twin['passes']} of {twin['attempts']} times in `{table.run}`, attempt "
        f"{twin['pass']} passes and attempt {twin['fail']} fails: {statement} ({quotes[0]} against {quotes[1]}).",
        about(
            {"run": table.run, "task": name, "pass": twin["pass"], "fail": twin["fail"], "passes": twin["passes"]},
            task_entity(name),
            *((word, {word: (word.replace("_", " "),)} if "_" in word else {}) for word in names),
            topic=(name,),
            share=twin["attempts"] / table.passed.size,
        ),
        "quote",
        "contains",
        [str(quote) for quote in twin["quotes"]],
        citations=tuple(twin["evidence"]),
        causal=2,
    )


def _lucky_fact(table: RolloutTable, twin: Mapping[str, Any]) -> Candidate:
    name = printable(str(twin["task"]))
    return Candidate(
        "decision",
        MECHANISM,
        f"The pass of {task_words(name)} in attempt {twin['pass']} of `{table.run}` looks like luck: "
        f"{printable(str(twin['lucky_because']))}.",
        about(
            {"run": table.run, "task": name, "pass": twin["pass"]},
            task_entity(name),
            ("luck", {"luck": ("lucky", "by chance", "accident")}),
            topic=(name, "luck"),
            share=1 / table.passed.size,
        ),
        "lucky",
        "==",
        True,
        contrary=True,
        citations=tuple(twin["evidence"][:1]),
        causal=1,
    )


def _branches(table: RolloutTable, analysis: Analysis) -> Iterator[Candidate]:
    """The step after which passing and failing attempts of a task part for good."""
    rate = float(table.passed.mean()) if table.passed.size else 0.0
    for contrast in analysis.contrasts:
        if contrast["run"] != table.run:
            continue
        for item in contrast["divergences"]:
            branches = [branch for branch in item["branches"] if branch["rollouts"]]
            pure = all(branch["passes"] in {0, branch["rollouts"]} for branch in branches)
            lengths = len(item["after"]) > 6
            if not pure or lengths or len(branches) < 2 or all(branch["action"] is None for branch in branches):
                continue
            passed = sum(branch["passes"] for branch in branches)
            failed = sum(branch["rollouts"] for branch in branches) - passed
            chance = max(rate**passed * (1 - rate) ** failed, 1e-4)
            yield from _decision_fact(table, item, branches).tried(chance, 1.0)


def _decision_fact(table: RolloutTable, item: Mapping[str, Any], branches: list[Any]) -> Candidate:
    name = printable(str(item["task"]))
    after = item["after"]
    at = f"after `{_action(after[-1])}` (step {len(after)})" if after else "at the first step"
    branch_text = listed([f"{_go(branch['action'])} {branch['passes']} of {branch['rollouts']}" for branch in branches])
    actions = [branch["action"] for branch in branches if branch["action"] is not None]
    tools = list(dict.fromkeys(_action(action).partition("(")[0] for action in actions))
    return Candidate(
        "decision",
        MECHANISM,
        f"In {task_words(name)} the attempts of `{table.run}` part {at}: {branch_text} pass.",
        about(
            {"run": table.run, "task": name, "after": len(after), "branches": [dict(branch) for branch in branches]},
            task_entity(name),
            *((tool, {tool: (tool.replace("_", " "),)}) for tool in tools[:2]),
            topic=(name,),
            share=sum(branch["rollouts"] for branch in branches) / table.passed.size,
        ),
        "passes",
        "==",
        [branch["passes"] for branch in branches],
        causal=2,
    )


def _action(action: str) -> str:
    text = printable(action).replace("`", "'")
    return text if len(text) <= 70 else f"{text[:69]}…"


def _go(action: str | None) -> str:
    return f"those that go on with `{_action(action)}`" if action is not None else "those that stop there"
