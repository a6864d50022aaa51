"""What do tools print in one stretch of time alone, where hardly a rollout passes: a service that was down?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.dead_stretches import DeadStretch, dead_stretches
from blade.document import Advice, Block, Paragraph, Quote, Sentence, say
from blade.health import Item, item
from blade.questions import OF_THE_EVALUATION, in_order, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, at, count, fact, percent, printable

TITLE = "What tools print in one stretch of time"
ORDER = 77
WEIGHT = OF_THE_EVALUATION
MOST = 3
LIKELY = 0.7


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Stretches of time in which rollouts print what no other rollout of their tasks prints, and fail."""
    entries = [_entry(stretch) for stretch in dead_stretches(runs)]
    entries.sort(key=lambda entry: (-entry["failures"], entry["run"]))
    return {"stretches": entries[:MOST]} if entries else None


def _entry(stretch: DeadStretch) -> dict[str, Any]:
    cases, between = stretch.cases, stretch.between
    passes = sum(bool(case.passed) for case in cases)
    entry = {
        "run": stretch.run,
        "words": printable(stretch.words),
        "tool": stretch.tool,
        "from": between[0][0],
        "to": between[-1][0],
        "rollouts": len(cases),
        "passes": passes,
        "failures": len(cases) - passes,
        "tasks": in_order(Counter(case.label for case in cases)),
        "passed": in_order(case.label for case in cases if case.passed),
        "between": len(between),
        "others": len(stretch.other_cases),
        "other_passes": sum(bool(case.passed) for case in stretch.other_cases),
        "judged": len(stretch.everyone),
        "run_passes": sum(bool(case.passed) for case in stretch.everyone),
        "p": significant(stretch.p, WRITTEN),
    }
    if stretch.tool:
        ids = {id(case) for case in cases}
        entry["else"] = sum(
            stretch.tool in case.observed.get("replies", ()) for _, case in between if id(case) not in ids
        )
    return {**entry, **stretch.quote}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, entry in enumerate(answer["stretches"]):
        blocks.append(Paragraph(tuple(_sentences(place, entry))))
        if entry.get("quote"):
            blocks.append(Quote(entry["quote"], entry["place"], at(*_at(place), "quote")))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["stretches"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = _at(place)
    printed, hardly = ("tools print", "hardly any meets it")
    if entry["tool"]:
        printed, hardly = "{tool} answers nothing but", "hardly any gets nothing else"
    yield say(
        "Between {start} and {end} "
        + printed
        + " “{words}” in {rollouts} of {run} ({tasks}), {passes} of which {verb}; of the {others} other rollouts of "
        "these tasks {other_passes} pass, and " + hardly + ": it came from outside.",
        tool=entry["tool"],
        start=_clock(entry["from"]),
        end=_clock(entry["to"]),
        words=entry["words"],
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        run=entry["run"],
        tasks=task_list(entry["tasks"]),
        passes=fact(f"{entry['passes']:,}" if entry["passes"] else "none", entry["passes"], *path, "passes"),
        verb="passes" if entry["passes"] < 2 else "pass",
        others=amount(entry["others"], *path, "others"),
        other_passes=amount(entry["other_passes"], *path, "other_passes"),
    )
    sign = "get nothing else" if entry["tool"] else "print it"
    left, left_passes = entry["judged"] - entry["rollouts"], entry["run_passes"] - entry["passes"]
    if left:
        yield say(
            "{between} of the run lie in that time" + _answered_otherwise(entry) + ". Without those that " + sign + " "
            "{run} passes {left_passes} of {left} ({rate}).",
            between=fact(count(entry["between"], "rollout"), entry["between"], *path, "between"),
            run=entry["run"],
            left_passes=f"{left_passes:,}",
            left=f"{left:,}",
            rate=percent(left_passes / left),
        )
    if entry["passed"]:
        yield say(
            "Passes there may be unearned ({tasks}).",
            tasks=task_list(entry["passed"]),
        )


def _answered_otherwise(entry: Mapping[str, Any]) -> str:
    """That the tool was down for everybody who called it in that time, where that is so."""
    return f", and whoever calls {entry['tool']} then gets nothing else" if entry.get("else") == 0 else ""


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Rollouts of a stretch of time that something from outside stopped."""
    for place, entry in enumerate(answer["stretches"]):
        sentence = next(_sentences(place, entry))
        yield item("outage_window", "high", sentence.text, tasks=entry["tasks"], run=entry["run"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    for place, entry in enumerate(answer["stretches"]):
        yield Advice(
            "environment",
            f"Run the rollouts of {entry['run']} again that met “{entry['words']}”, and leave them out of the score "
            "until then",
            say(
                "{failures} of them failed.",
                failures=fact(f"{entry['failures']:,}", entry["failures"], *_at(place), "failures"),
            ),
            entry["failures"],
            LIKELY,
            before_scores=True,
        )


def _at(place: int) -> tuple[str | int, ...]:
    return "investigation", "printed_in_time", "stretches", place
