"""Does the pass rate rise or fall with a value of the tasks: a date, a number, the length of the prompt?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.task_values import DATE, LENGTH, task_values, written_value
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.questions import by_task, judged, pass_rate, task_levels
from blade.stats.health import order_trend
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rate_trends import RateTrend, is_explained, mean_rates, rate_trend, third_rates
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact, percent

TITLE = "What the pass rate rises or falls with"
ORDER = 28
WEIGHT = 0.9
FEWEST_TASKS = 40
COVERS = 0.8
"""A run counts where it judged so large a share of the tasks with a value."""
SURE = 0.005
ALIKE = 0.9
"""Two fields that put the tasks in so much the same order tell one thing."""
MOST = 3
RUNS_TOLD = 4


@frozen
class _FieldTrend:
    """A field, its value for each task in their order, the pass rates of each run there, and their trend."""

    field: str
    kind: str
    values: Mapping[str, float]
    rates: Mapping[str, Sequence[float]]
    trend: RateTrend

    def means(self) -> list[float]:
        return mean_rates(list(self.rates.values()))


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Dates, numbers and lengths that the pass rate follows: of each third of the tasks, and of each run."""
    run_tasks = {run.run.name: by_task(judged(run)) for run in runs}
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    followed = list(_followed(runs, run_tasks))
    adjusted = benjamini_hochberg([field_trend.trend.p for field_trend in followed])
    clear = [
        field_trend
        for field_trend, p in zip(followed, adjusted, strict=True)
        if p <= SURE and field_trend.trend.is_apart() and not _tells_no_more(field_trend, levels)
    ]
    clear.sort(key=lambda entry: (entry.kind == LENGTH, -abs(entry.trend.correlation), entry.field))
    different = list(_different(clear))
    return {"fields": [_entry(field_trend) for field_trend in different[:MOST]]} if different else None


def _tells_no_more(followed: _FieldTrend, levels: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether another field of the tasks tells as much as this one."""
    other_levels = {
        key: {field: level for field, level in levels.get(key, {}).items() if field != followed.field}
        for key in followed.values
    }
    return is_explained(dict(zip(followed.values, followed.means(), strict=True)), followed.values, other_levels)


def _followed(runs: Sequence[RunCases], run_tasks: Mapping[str, Mapping[str, Sequence[Case]]]) -> Iterator[_FieldTrend]:
    for (kind, field), values in sorted(task_values(runs).items()):
        keys = sorted(values, key=lambda key: (values[key], key))
        names = [run for run, tasks in run_tasks.items() if sum(key in tasks for key in keys) >= COVERS * len(keys)]
        keys = [key for key in keys if all(key in run_tasks[run] for run in names)]
        if not names or len(keys) < FEWEST_TASKS:
            continue
        rates = {run: [pass_rate(run_tasks[run][key]) for key in keys] for run in names}
        trend = rate_trend([values[key] for key in keys], list(rates.values()))
        if trend is not None:
            yield _FieldTrend(field, kind, {key: values[key] for key in keys}, rates, trend)


def _different(followed: Sequence[_FieldTrend]) -> Iterator[_FieldTrend]:
    """Of fields that put the same tasks in much the same order the first."""
    earlier: list[_FieldTrend] = []
    for one in followed:
        if not any(_same_order(one.values, first.values) for first in earlier):
            earlier.append(one)
            yield one


def _same_order(values: Mapping[str, float], other_values: Mapping[str, float]) -> bool:
    keys = [key for key in values if key in other_values]
    trend = order_trend([values[key] for key in keys], [other_values[key] for key in keys])
    return trend is not None and abs(trend.correlation) >= ALIKE


def _entry(followed: _FieldTrend) -> dict[str, Any]:
    values, trend = list(followed.values.values()), followed.trend
    return {
        "field": followed.field,
        "kind": followed.kind,
        "tasks": len(values),
        "alike": trend.alike,
        "r": significant(trend.correlation, WRITTEN),
        "p": significant(trend.p, WRITTEN),
        "thirds": [
            {
                "first": written_value(values[start], followed.kind),
                "last": written_value(values[end - 1], followed.kind),
                "tasks": end - start,
                "pass_rate": significant(rate, WRITTEN),
            }
            for (start, end), rate in zip(trend.bounds, trend.thirds, strict=True)
        ],
        "runs": [
            {"run": run, "pass_rates": [significant(rate, WRITTEN) for rate in third_rates(rates, trend.bounds)]}
            for run, rates in followed.rates.items()
        ],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, one))) for place, one in enumerate(answer["fields"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The field that the pass rate follows most."""
    yield _where(0, answer["fields"][0])


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _where(place, entry)
    if len(entry["runs"]) > 1:
        shown = [
            f"{one['run']} {', '.join(map(percent, one['pass_rates'][:-1]))} and {percent(one['pass_rates'][-1])}"
            for one in entry["runs"][:RUNS_TOLD]
        ]
        more = count(len(entry["runs"]) - RUNS_TOLD, "more run") if len(entry["runs"]) > RUNS_TOLD else ""
        yield say("By run: {shown}.", shown="; ".join([*shown, more] if more else shown))
    if entry["kind"] == DATE:
        earlier_pass = entry["r"] < 0
        yield say(
            "Later tasks may be harder, or tasks of an earlier date known to the model from its training: a model "
            "trained at another time tells which."
            if earlier_pass
            else "What changed with the date is not recorded: read tasks of both ends."
        )


def _where(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = ("investigation", "task_values", "fields", place)
    first, middle, last = entry["thirds"]
    rates = [
        fact(percent(third["pass_rate"]), third["pass_rate"], *path, "thirds", number, "pass_rate")
        for number, third in enumerate((first, middle, last))
    ]
    unit = " characters" if entry["kind"] == LENGTH else ""
    runs = (
        f", in the same direction in {entry['alike']:,} of {count(len(entry['runs']), 'run')}"
        if len(entry["runs"]) > 1
        else ""
    )
    return say(
        "The pass rate {moves} with {field}: {first} in the third of {tasks} with the {least} "
        "({start} to {end}{unit}), {middle} in the second, {last} in the last (from {begins}{unit} on; "
        "rank correlation {r}, p = {p}{runs}).",
        moves="falls" if entry["r"] < 0 else "rises",
        field=entry["field"],
        first=rates[0],
        tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *path, "tasks"),
        least={DATE: "earliest dates", LENGTH: "shortest prompts"}.get(entry["kind"], "lowest values"),
        start=first["first"],
        end=first["last"],
        unit=unit,
        middle=rates[1],
        last=rates[2],
        begins=last["first"],
        r=fact(f"{entry['r']:.2f}".replace("-", "−"), entry["r"], *path, "r"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        runs=runs,
    )
