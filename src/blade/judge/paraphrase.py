"""A true report in quite other words than BLADE's: the control that a judge of wording would fail.

It is written from the analysis by forms of its own, with its own order and rounding. It shares names, numbers and
quotes with the data, and little else with the golden report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blade.findings import Finding, Mode
from blade.judge.base import Material
from blade.model import Bucket, RunAnalysis

MOST_MODES = 6
MOST_TASKS = 12


def paraphrase(material: Material) -> str:
    """The whole report, as Markdown."""
    run = material.alone.runs[0]
    parts = (
        ("What happened", _headline(material, run)),
        ("Why attempts go wrong", _causes(material, run)),
        ("Problems worth opening", _problems(material, run)),
        ("Same problem, different luck", _luck(material, run)),
        ("Where it is weak and where it is not", _levels(run)),
        ("Next to the other runs", _others(material, run)),
        ("What to do", _advice(material, run)),
    )
    made = [f"# How {run.name} did, and why"]
    for title, told in parts:
        body = list(told)
        if body:
            made += [f"## {title}", *body]
    return "\n\n".join(made) + "\n"


def _percent(value: float, decimals: int = 0) -> str:
    return f"{100 * value:.{decimals}f} %"


def _failed(run: RunAnalysis, modes: Sequence[Mode]) -> int:
    return sum(int(mode.runs.get(run.name, {}).get("rollouts", 0)) for mode in modes)


def _headline(material: Material, run: RunAnalysis) -> Iterator[str]:
    score = run.metrics["score"]
    told = f"Across {run.tasks} problems and {run.rollouts} rollouts, {run.name} scored {_percent(score, 1)}."
    if run.buckets:
        told += (
            f" {run.buckets.get('always', 0)} tasks always pass and {run.buckets.get('never', 0)} never pass, whereas "
            f"{run.buckets.get('sometimes', 0)} sometimes pass, so luck decides there."
        )
    best = run.metrics["pass_at_k"].get(str(run.metrics["k"])) if run.metrics.get("k") else None
    if best is not None:
        told += (
            f" Picking the best of {run.metrics['k']} tries would lift it to {_percent(best, 1)} "
            f"(pass@{run.metrics['k']}), although a single try is what users get."
        )
    yield told
    for status, many in sorted(run.statuses.items()):
        if status != "ok" and many:
            yield (
                f"However, {many} of {run.rollouts} rollouts of {run.name} carry the status "
                f"{status.replace('_', ' ')}: they say little about skill."
            )
    for item in material.alone.health[:4]:
        yield f"A warning about the data, because it moves the result: {item['statement']}"


def _causes(material: Material, run: RunAnalysis) -> Iterator[str]:
    modes = [mode for mode in material.alone.modes if mode.runs.get(run.name, {}).get("rollouts")]
    whole = _failed(run, modes)
    for mode in modes[:MOST_MODES]:
        cell = mode.runs[run.name]
        examples = list(cell.get("examples", ()))[:3]
        told = (
            f"{cell['rollouts']} of {whole} failed rollouts ({_percent(cell['share_of_failures'])}) happen because of "
            f"`{mode.id}`, that is, {_other_words(mode)}; it touches {cell['tasks']} tasks."
        )
        if examples:
            told += f" Look at {', '.join(examples)} first."
        yield told
        finding = _example(material, mode)
        if finding is not None:
            yield (
                f"The clearest case of `{mode.id}` is task {finding.task}, attempt {finding.attempt}, since its own "
                "record shows it:"
            )
            yield f"> {_cut(finding.evidence[0].quote)}\n>\n> — {finding.run}, task {finding.task}"


def _other_words(mode: Mode) -> str:
    return {
        "behaviour": "something the model does or leaves undone",
        "format": "an output in a shape nobody can use",
        "infrastructure": "machinery around the model that broke",
        "knowledge": "content that is simply not right",
        "verifier": "a grader that errs",
        "data": "a flaw of the data",
    }.get(mode.kind, "a pattern without a better name")


def _cut(quote: str) -> str:
    return " ".join(quote.split())[:160]


def _example(material: Material, mode: Mode) -> Finding | None:
    run = material.alone.runs[0].name
    return next(
        (one for one in material.alone.findings if one.run == run and one.detector == mode.detector and not one.passed),
        None,
    )


def _problems(material: Material, run: RunAnalysis) -> Iterator[str]:
    """Task by task: how often it passed, and what most of its failures come from."""
    by_task: dict[str, dict[str, int]] = {}
    for (name, task, mode), many in material.modes_of_tasks.items():
        if name == run.name:
            by_task.setdefault(task, {})[mode] = many
    results = {task.task: task.runs[run.name] for task in material.alone.tasks if run.name in task.runs}
    named = {mode.id: mode.name for mode in material.alone.modes}
    order = sorted(by_task, key=lambda task: (-max(by_task[task].values()), task))
    for task in order[: 3 * MOST_TASKS]:
        result = results.get(task)
        if result is None or result.passes is None:
            continue
        most, fails = max(by_task[task].values()), result.attempts - result.passes
        first, *equal = sorted((mode for mode, many in by_task[task].items() if many == most), reverse=True)
        told = (
            f"- Task `{task}` passes {result.passes} of {result.attempts} times; the reason is `{first}` "
            f"({named.get(first, first)}), which explains {most} of {fails} failures."
        )
        for mode in equal:
            told += f" Just as often it is `{mode}` ({named.get(mode, mode)}): {most} of {fails} failures of `{task}`."
        yield told


def _luck(material: Material, run: RunAnalysis) -> Iterator[str]:
    for found in material.alone.contrasts:
        if found["run"] != run.name:
            continue
        for item in list(found.get("divergences", ()))[:MOST_TASKS]:
            yield from _parting(run.name, item)
    for twin in material.alone.twins[: 2 * MOST_TASKS]:
        yield from _twin(run, material, dict(twin))
    flaky = [
        task
        for task in material.alone.tasks
        if run.name in task.runs and task.runs[run.name].bucket is Bucket.SOMETIMES
    ]
    for task in flaky[:6]:
        result = task.runs[run.name]
        yield (
            f"- `{task.task}` is not beyond {run.name}: it passes {result.passes} of {result.attempts} tries, so the "
            "failing ones lack reliability rather than knowledge."
        )


def _twin(run: RunAnalysis, material: Material, twin: dict[str, object]) -> Iterator[str]:
    """A passing and a failing attempt of one task, and what tells them apart."""
    results = {task.task: task.runs.get(run.name) for task in material.alone.tasks}
    result = results.get(str(twin.get("task")))
    if twin.get("run") != run.name or result is None or result.passes is None:
        return
    told = f" {twin['statement']}" if twin.get("statement") else ""
    yield (
        f"- Take `{twin['task']}`, won {result.passes} of {result.attempts} times: attempt {twin['pass']} passes while "
        f"attempt {twin['fail']} fails.{told}"
    )


def _parting(run: str, item: object) -> Iterator[str]:
    """Where attempts at one task part ways, and how each way ends."""
    told = item if isinstance(item, dict) else {}
    ways = told.get("branches") or told.get("choices") or ()
    if not told.get("task") or not ways:
        return
    after = told.get("after") or told.get("prefix") or ""
    last = after[-1] if isinstance(after, (list, tuple)) and after else after
    parts = []
    for way in ways:
        action = f"`{way['action']}`" if way.get("action") else "stopping there"
        parts.append(f"{action} ends well in {way.get('passes')} of {way.get('rollouts') or way.get('of')}")
    if parts:
        yield f"- On `{told['task']}` the attempts of {run} split after `{last}`: {'; '.join(parts)}."


def _levels(run: RunAnalysis) -> Iterator[str]:
    by_field: dict[str, list[tuple[float, str, int]]] = {}
    for line in run.slices:
        if line.get("score") is not None:
            found = (float(line["score"]), str(line["level"]), int(line["tasks"]))
            by_field.setdefault(str(line["field"]), []).append(found)
    for field, levels in by_field.items():
        ranked = sorted(levels)
        if len(ranked) < 2:
            continue
        (low, worst, _), (high, best, tasks) = ranked[0], ranked[-1]
        yield (
            f"Of all levels of {field}, {worst} is the weakest for {run.name} with a pass rate of {_percent(low, 1)}, "
            f"but {field} {best} reaches {_percent(high, 1)} ({tasks} tasks), the highest."
        )
        for score, level, many in ranked[1:-1]:
            yield f"In between lies {field} {level} with {_percent(score, 1)} over {many} tasks."


def _others(material: Material, run: RunAnalysis) -> Iterator[str]:
    for other in material.analysis.runs:
        if other.name == run.name:
            continue
        gap = run.metrics["score"] - other.metrics["score"]
        yield (
            f"{other.name} scores {_percent(other.metrics['score'], 1)}, {abs(100 * gap):.1f} points "
            f"{'below' if gap > 0 else 'above'} {run.name}."
        )
        for mode in material.analysis.modes[: 2 * MOST_MODES]:
            mine, theirs = mode.runs.get(run.name), mode.runs.get(other.name)
            if mine and theirs and mine["rollouts"] != theirs["rollouts"]:
                yield (
                    f"`{mode.id}` ({mode.name}) accounts for {mine['rollouts']} rollouts in {run.name} but for "
                    f"{theirs['rollouts']} in {other.name}, which explains part of the gap."
                )


def _advice(material: Material, run: RunAnalysis) -> Iterator[str]:
    for mode in [mode for mode in material.alone.modes if mode.runs.get(run.name, {}).get("rollouts")][:4]:
        cell = mode.runs[run.name]
        yield f"- Fix `{mode.id}` because it spoils {cell['rollouts']} rollouts on {cell['tasks']} tasks."
