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
        ("Next to the other runs", _other_runs(material, run)),
        ("What to do", _advice(material, run)),
    )
    lines = [f"# How {run.name} did, and why"]
    for title, sentences in parts:
        body = list(sentences)
        if body:
            lines += [f"## {title}", *body]
    return "\n\n".join(lines) + "\n"


def _percent(value: float, decimals: int = 0) -> str:
    return f"{100 * value:.{decimals}f} %"


def _failed(run: RunAnalysis, modes: Sequence[Mode]) -> int:
    return sum(int(mode.runs.get(run.name, {}).get("rollouts", 0)) for mode in modes)


def _headline(material: Material, run: RunAnalysis) -> Iterator[str]:
    score = run.metrics["score"]
    result = "has no score" if score is None else f"scored {_percent(score, 1)}"
    sentence = f"Across {run.tasks} problems and {run.rollouts} rollouts, {run.name} {result}."
    if run.buckets:
        sentence += (
            f" {run.buckets.get('always', 0)} tasks always pass and {run.buckets.get('never', 0)} never pass, whereas "
            f"{run.buckets.get('sometimes', 0)} sometimes pass, so luck decides there."
        )
    best = run.metrics["pass_at_k"].get(str(run.metrics["k"])) if run.metrics.get("k") else None
    if best is not None:
        sentence += (
            f" Picking the best of {run.metrics['k']} tries would lift it to {_percent(best, 1)} "
            f"(pass@{run.metrics['k']}), although a single try is what users get."
        )
    yield sentence
    for status, count in sorted(run.statuses.items()):
        if status != "ok" and count:
            yield (
                f"However, {count} of {run.rollouts} rollouts of {run.name} carry the status "
                f"{status.replace('_', ' ')}: they say little about skill."
            )
    for item in material.alone.health[:4]:
        yield f"A warning about the data, because it moves the result: {item['statement']}"


def _causes(material: Material, run: RunAnalysis) -> Iterator[str]:
    modes = [mode for mode in material.alone.modes if mode.runs.get(run.name, {}).get("rollouts")]
    failures = _failed(run, modes)
    for mode in modes[:MOST_MODES]:
        cell = mode.runs[run.name]
        examples = list(cell.get("examples", ()))[:3]
        sentence = (
            f"{cell['rollouts']} of {failures} failed rollouts ({_percent(cell['share_of_failures'])}) happen because "
            f"of `{mode.id}`, that is, {_other_words(mode)}; it touches {cell['tasks']} tasks."
        )
        if examples:
            sentence += f" Look at {', '.join(examples)} first."
        yield sentence
        finding = _example(material, mode)
        if finding is not None:
            yield (
                f"The clearest case of `{mode.id}` is task {finding.task}, attempt {finding.attempt}, since its own "
                "record shows it:"
            )
            yield f"> {_shortened(finding.evidence[0].quote)}\n>\n> — {finding.run}, task {finding.task}"


def _other_words(mode: Mode) -> str:
    return {
        "behaviour": "something the model does or leaves undone",
        "format": "an output in a shape nobody can use",
        "infrastructure": "machinery around the model that broke",
        "knowledge": "content that is simply not right",
        "verifier": "a grader that errs",
        "data": "a flaw of the data",
    }.get(mode.kind, "a pattern without a better name")


def _shortened(quote: str) -> str:
    return " ".join(quote.split())[:160]


def _example(material: Material, mode: Mode) -> Finding | None:
    run = material.alone.runs[0].name
    return next(
        (
            finding
            for finding in material.alone.findings
            if finding.run == run and finding.detector == mode.detector and not finding.passed
        ),
        None,
    )


def _problems(material: Material, run: RunAnalysis) -> Iterator[str]:
    """Task by task: how often it passed, and what most of its failures come from."""
    by_task: dict[str, dict[str, int]] = {}
    for (name, task, mode), count in material.modes_of_tasks.items():
        if name == run.name:
            by_task.setdefault(task, {})[mode] = count
    results = {task.task: task.runs[run.name] for task in material.alone.tasks if run.name in task.runs}
    mode_names = {mode.id: mode.name for mode in material.alone.modes}
    order = sorted(by_task, key=lambda task: (-max(by_task[task].values()), task))
    for task in order[: 3 * MOST_TASKS]:
        result = results.get(task)
        if result is None or result.passes is None:
            continue
        largest, fails = max(by_task[task].values()), result.attempts - result.passes
        first, *equal = sorted((mode for mode, count in by_task[task].items() if count == largest), reverse=True)
        sentence = (
            f"- Task `{task}` passes {result.passes} of {result.attempts} times; the reason is `{first}` "
            f"({mode_names.get(first, first)}), which explains {largest} of {fails} failures."
        )
        for mode in equal:
            cause = f"`{mode}` ({mode_names.get(mode, mode)})"
            sentence += f" Just as often it is {cause}: {largest} of {fails} failures of `{task}`."
        yield sentence


def _luck(material: Material, run: RunAnalysis) -> Iterator[str]:
    for contrast in material.alone.contrasts:
        if contrast["run"] != run.name:
            continue
        for item in list(contrast.get("divergences", ()))[:MOST_TASKS]:
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
    statement = f" {twin['statement']}" if twin.get("statement") else ""
    yield (
        f"- Take `{twin['task']}`, won {result.passes} of {result.attempts} times: attempt {twin['pass']} passes while "
        f"attempt {twin['fail']} fails.{statement}"
    )


def _parting(run: str, item: object) -> Iterator[str]:
    """Where attempts at one task part ways, and how each way ends."""
    divergence = item if isinstance(item, dict) else {}
    branches = divergence.get("branches") or divergence.get("choices") or ()
    if not divergence.get("task") or not branches:
        return
    after = divergence.get("after") or divergence.get("prefix") or ""
    last = after[-1] if isinstance(after, (list, tuple)) and after else after
    parts = []
    for branch in branches:
        action = f"`{branch['action']}`" if branch.get("action") else "stopping there"
        parts.append(f"{action} ends well in {branch.get('passes')} of {branch.get('rollouts') or branch.get('of')}")
    if parts:
        yield f"- On `{divergence['task']}` the attempts of {run} split after `{last}`: {'; '.join(parts)}."


def _levels(run: RunAnalysis) -> Iterator[str]:
    by_field: dict[str, list[tuple[float, str, int]]] = {}
    for line in run.slices:
        if line.get("score") is not None:
            level_score = (float(line["score"]), str(line["level"]), int(line["tasks"]))
            by_field.setdefault(str(line["field"]), []).append(level_score)
    for field, levels in by_field.items():
        ranked = sorted(levels)
        if len(ranked) < 2:
            continue
        (low, worst, _), (high, best, tasks) = ranked[0], ranked[-1]
        yield (
            f"Of all levels of {field}, {worst} is the weakest for {run.name} with a pass rate of {_percent(low, 1)}, "
            f"but {field} {best} reaches {_percent(high, 1)} ({tasks} tasks), the highest."
        )
        for score, level, task_count in ranked[1:-1]:
            yield f"In between lies {field} {level} with {_percent(score, 1)} over {task_count} tasks."


def _other_runs(material: Material, run: RunAnalysis) -> Iterator[str]:
    for other_run in material.analysis.runs:
        if other_run.name == run.name:
            continue
        score, other_score = run.metrics["score"], other_run.metrics["score"]
        if score is not None and other_score is not None:
            yield (
                f"{other_run.name} scores {_percent(other_score, 1)}, {abs(100 * (score - other_score)):.1f} points "
                f"{'below' if score > other_score else 'above'} {run.name}."
            )
        for mode in material.analysis.modes[: 2 * MOST_MODES]:
            own_mode, other_mode = mode.runs.get(run.name), mode.runs.get(other_run.name)
            if own_mode and other_mode and own_mode["rollouts"] != other_mode["rollouts"]:
                yield (
                    f"`{mode.id}` ({mode.name}) accounts for {own_mode['rollouts']} rollouts in {run.name} but for "
                    f"{other_mode['rollouts']} in {other_run.name}, which explains part of the gap."
                )


def _advice(material: Material, run: RunAnalysis) -> Iterator[str]:
    for mode in [mode for mode in material.alone.modes if mode.runs.get(run.name, {}).get("rollouts")][:4]:
        cell = mode.runs[run.name]
        yield f"- Fix `{mode.id}` because it spoils {cell['rollouts']} rollouts on {cell['tasks']} tasks."
