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
from blade.wording import abridged, count, fact, name, points

TITLE = "Sometimes-Pass Deep Dives"
ORDER = 70
SHARE = 0.00
FEATURES_SHOWN = 8
FEATURES_TOLD = 3
HALF = 0.5
TASKS_SHOWN = 8
FEWEST_TESTED = 3


def build(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = []
    contrasts = {str(contrast["run"]): (place, contrast) for place, contrast in enumerate(analysis.contrasts)}
    for run in analysis.runs:
        stories = tell(analysis, stories_of(analysis, run.name, "sometimes"))
        tables = _tables(*contrasts[run.name]) if run.name in contrasts else []
        if stories or tables:
            blocks += [Heading(run.name), *tables, *stories]
    return blocks


def _tables(place: int, contrast: Mapping[str, Any]) -> list[Block]:
    """What separates passes from fails over all tasks, where that could be tested or a parting says something."""
    if not contrast["divergences"] and contrast["tested"] < FEWEST_TESTED:
        return []
    features = [item for item in contrast["features"] if item["p"] is not None]
    blocks: list[Block] = [_words(contrast, place)]
    if any(item["named"] for item in features[:FEATURES_SHOWN]):
        blocks.append(_first(_features(features[:FEATURES_SHOWN]), len(features), "features"))
    telling = [item for item in contrast["divergences"] if _tells(item)]
    if telling:
        blocks.append(_first(_divergences(telling[:TASKS_SHOWN]), len(telling), "tasks"))
    return blocks


def _first(table: Table, number: int, noun: str) -> Table:
    """A table that shows the first of many says so."""
    rows_shown = len(table.rows)
    if number <= rows_shown:
        return table
    shown = f"the first {rows_shown} of {number} {noun}"
    caption = f"{table.caption.rstrip(':')} ({shown}):" if table.caption else f"{shown.capitalize()}:"
    return replace(table, caption=caption)


def _tells(item: Mapping[str, Any]) -> bool:
    """A parting says something where more than one attempt went one of the ways."""
    return any(branch["rollouts"] > 1 for branch in item["branches"])


def _words(contrast: Mapping[str, Any], place: int) -> Paragraph:
    at = ("contrasts", place)
    named_features = [item for item in contrast["features"] if item["named"]]
    sentences = [
        say(
            "{tasks} ({rows}); {tested} compared with the outcome within each task.",
            tasks=fact(
                count(contrast["tasks"], "task sometimes passes", "tasks sometimes pass"),
                contrast["tasks"],
                *at,
                "tasks",
            ),
            rows=fact(count(contrast["rollouts"], "rollout"), contrast["rollouts"], *at, "rollouts"),
            tested=fact(count(contrast["tested"], "feature was", "features were"), contrast["tested"], *at, "tested"),
        ),
    ]
    if contrast["tested"]:
        separating = abridged([_directed(item) for item in named_features], FEATURES_TOLD, "more feature")
        verb = "separates" if len(named_features) < 2 else "separate"
        words = f"{separating or 'None of them'} {verb} passes from failures significantly."
        sentences.append(say("{words}", words=words[:1].upper() + words[1:]))
    elif not contrast["tested"]:
        sentences.append(_untested(contrast, at))
    return Paragraph(tuple(sentences))


def _untested(contrast: Mapping[str, Any], at: tuple[str | int, ...]) -> Sentence:
    """Why nothing was tested: too few tasks or rollouts, too few of them with a record, or nothing that differs."""
    needed = f"({FEWEST_TASKS} tasks and {FEWEST_ROWS} rollouts are needed)"
    best_known = contrast["best_known"]
    if contrast["tasks"] < FEWEST_TASKS or contrast["rollouts"] < FEWEST_ROWS:
        return say(f"Too few such rollouts to test anything {needed}.")
    if best_known is None or (best_known["tasks"] >= FEWEST_TASKS and best_known["rollouts"] >= FEWEST_ROWS):
        return say("No feature differs between the attempts at one task.")
    return say(
        f"What the attempts did is recorded in too few of them to test anything {needed}: the feature known most often "
        "is known in {rollouts} of {tasks} that sometimes "
        + ("passes" if best_known["tasks"] == 1 else "pass")
        + " there.",
        rollouts=fact(count(best_known["rollouts"], "rollout"), best_known["rollouts"], *at, "best_known", "rollouts"),
        tasks=fact(count(best_known["tasks"], "task"), best_known["tasks"], *at, "best_known", "tasks"),
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


def _directed(item: Mapping[str, Any]) -> str:
    """A feature and which way it points, without which it would be taken for what one expects."""
    feature, effect = _feature(item["feature"]), item["effect"]
    if effect is None:
        return feature
    if item["kind"] != "binary":
        direction = "more" if effect > 0 else "less"
        return f"{feature} ({direction} in the pass in {abs(effect) + HALF:.0%} of the pairs at one task)"
    (passes, rollouts), (other_passes, other_rollouts) = item["with"], item["without"]
    if (passes * other_rollouts - other_passes * rollouts) * effect <= 0:  # tasks that have it are harder or easier
        return f"{feature} ({points(effect)} pass rate with it, inside tasks)"
    return f"{feature} ({passes:,} of {rollouts:,} pass with it, {other_passes:,} of {other_rollouts:,} without)"


def _feature(feature: str) -> str:
    """A rule by what it says, everything else by its name."""
    rule = plugins("detectors").get(feature.removeprefix("rule ")) if feature.startswith("rule ") else None
    return f"{rule.TITLE} ({feature})" if rule else feature


def _divergences(divergences: list[Mapping[str, Any]]) -> Table:
    rows = tuple((name(item["task"]), _path(item["after"]), _branches(item["branches"])) for item in divergences)
    return Table(("Task", "After", "Next step (passes of attempts)"), rows, caption="Where attempts diverge:")


def _path(actions: list[str]) -> str:
    tools = [action.split("(", 1)[0] for action in actions]
    if not tools:
        return "the start"
    return ("… → " if len(tools) > 4 else "") + " → ".join(tools[-4:])


def _branches(branches: list[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{branch['action'] or 'stopped'}: {branch['passes']} of {branch['rollouts']}" for branch in branches
    )
