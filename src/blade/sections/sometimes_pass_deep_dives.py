"""Sometimes-Pass Deep Dives: what passing attempts did and failing ones did not, over all such tasks and one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from blade.diagnosis.story_words import stories_of, tell
from blade.document import Block, Fact, Heading, Paragraph, Sentence, Table, say
from blade.model import Analysis
from blade.registry import plugins
from blade.stats.contrast import FEWEST_ROWS, FEWEST_TASKS
from blade.wording import count, fact, name, points

TITLE = "Sometimes-Pass Deep Dives"
ORDER = 70
SHARE = 0.00
FEATURES_SHOWN = 8
TASKS_SHOWN = 8
FEWEST_TESTED = 3


def build(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = []
    contrasts = {str(found["run"]): (place, found) for place, found in enumerate(analysis.contrasts)}
    for run in analysis.runs:
        stories = tell(analysis, stories_of(analysis, run.name, "sometimes"))
        tables = _tables(*contrasts[run.name]) if run.name in contrasts else []
        if stories or tables:
            blocks += [Heading(run.name), *tables, *stories]
    return blocks


def _tables(place: int, found: Mapping[str, Any]) -> list[Block]:
    """What separates passes from fails over all tasks, where that could be tested or a parting says something."""
    if not found["divergences"] and found["tested"] < FEWEST_TESTED:
        return []
    features = [item for item in found["features"] if item["p"] is not None]
    blocks: list[Block] = [_words(found, place)]
    if any(item["named"] for item in features[:FEATURES_SHOWN]):
        blocks.append(_first(_features(features[:FEATURES_SHOWN]), len(features), "features"))
    telling = [item for item in found["divergences"] if _tells(item)]
    if telling:
        blocks.append(_first(_divergences(telling[:TASKS_SHOWN]), len(telling), "tasks"))
    return blocks


def _first(table: Table, many: int, things: str) -> Table:
    """A table that shows the first of many says so."""
    shown = len(table.rows)
    if many <= shown:
        return table
    return replace(table, caption=f"{table.caption.rstrip(':')} (the first {shown} of {many} {things}):".strip())


def _tells(item: Mapping[str, Any]) -> bool:
    """A parting says something where more than one attempt went one of the ways."""
    return any(branch["rollouts"] > 1 for branch in item["branches"])


def _words(found: Mapping[str, Any], place: int) -> Paragraph:
    at = ("contrasts", place)
    named = [item["feature"] for item in found["features"] if item["named"]]
    told = [
        say(
            "{tasks} sometimes pass ({rows}); {tested} compared with the outcome within each task.",
            tasks=fact(count(found["tasks"], "task"), found["tasks"], *at, "tasks"),
            rows=fact(count(found["rollouts"], "rollout"), found["rollouts"], *at, "rollouts"),
            tested=fact(count(found["tested"], "feature was", "features were"), found["tested"], *at, "tested"),
        ),
    ]
    if not named and found["tested"]:
        told.append(say("None of them separates passes from failures significantly."))
    elif not found["tested"]:
        told.append(_untested(found, at))
    return Paragraph(tuple(told))


def _untested(found: Mapping[str, Any], at: tuple[str | int, ...]) -> Sentence:
    """Why nothing was tested: too few tasks or rollouts, too few of them with a record, or nothing that differs."""
    needed = f"({FEWEST_TASKS} tasks and {FEWEST_ROWS} rollouts are needed)"
    known = found["best_known"]
    if found["tasks"] < FEWEST_TASKS or found["rollouts"] < FEWEST_ROWS:
        return say(f"Too few such rollouts to test anything {needed}.")
    if known is None or (known["tasks"] >= FEWEST_TASKS and known["rollouts"] >= FEWEST_ROWS):
        return say("No feature differs between the attempts at one task.")
    return say(
        f"What the attempts did is recorded in too few of them to test anything {needed}: the feature known most often "
        "is known in {rollouts} of {tasks} that sometimes " + ("passes" if known["tasks"] == 1 else "pass") + " there.",
        rollouts=fact(count(known["rollouts"], "rollout"), known["rollouts"], *at, "best_known", "rollouts"),
        tasks=fact(count(known["tasks"], "task"), known["tasks"], *at, "best_known", "tasks"),
    )


def _features(features: list[Mapping[str, Any]]) -> Table:
    rows: list[tuple[str | Fact, ...]] = []
    for item in features:
        effect = item["effect"]
        if effect is None:
            text = ""
        elif item["kind"] == "binary":
            text = f"{points(effect)} pass rate"
        else:
            text = f"{'more' if effect > 0 else 'less'} in passes ({abs(effect) + 0.5:.2f})"
        when = "restates the outcome" if item["when"] == "after" else "candidate cause" if item["named"] else ""
        rows.append((_feature(item["feature"]), text, f"{item['q']:.2g}", "yes" if item["named"] else "no", when))
    return Table(("Feature", ">Effect inside tasks", ">False discovery rate", "Beyond chance", ""), tuple(rows))


def _feature(feature: str) -> str:
    """A rule by what it says, everything else by its name."""
    rule = plugins("detectors").get(feature.removeprefix("rule ")) if feature.startswith("rule ") else None
    return f"{rule.TITLE} ({feature})" if rule else feature


def _divergences(found: list[Mapping[str, Any]]) -> Table:
    rows = tuple((name(item["task"]), _path(item["after"]), _branches(item["branches"])) for item in found)
    return Table(("Task", "After", "Next step (passes of attempts)"), rows, caption="Where attempts diverge:")


def _path(actions: list[str]) -> str:
    shown = [action.split("(", 1)[0] for action in actions]
    if not shown:
        return "the start"
    return ("… → " if len(shown) > 4 else "") + " → ".join(shown[-4:])


def _branches(branches: list[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{branch['action'] or 'stopped'}: {branch['passes']} of {branch['rollouts']}" for branch in branches
    )
