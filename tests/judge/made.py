"""Packages of simulated benchmarks for the judge: runs, a golden report down to tasks, anchors, a shallow one."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import blade
from blade import api
from blade.anchors.anchor import Anchor, Anchors, Predicate
from blade.judge.base import Base, Material
from blade.judge.counted_facts import modes_of_tasks
from blade.judge.from_runs import from_runs
from blade.simulate import Scenario, cause, write_run

OPTIONS = blade.Options(cache=False)
MOST = 14
_NOTES = re.compile(rb"notes-3-0*(\d+)")


@dataclass(frozen=True)
class Package:
    name: str
    paths: tuple[str, ...]
    material: Material
    golden: str
    shallow: str
    anchors: Anchors
    base: Base


def scenarios(name: str) -> dict[str, Scenario]:
    """Two runs of a benchmark; the first is the one that the golden report is about."""
    if name == "front_desk":
        base = Scenario(seed=2, tasks=28, repeats=4, model="sim-medium-1", skill=0.55)
        causes = (cause("outage", start=0.3, length=0.12), cause("broken_tool", tool="shifts_search", start=0.55))
        return {"cedar": replace(base, model="sim-medium-2", skill=0.63, causes=causes), "willow": base}
    if name == "field_notes":
        base = Scenario(benchmark="field_notes", seed=3, tasks=28, repeats=4, model="sim-a", skill=0.55)
        return {
            "larch": base,
            "maple": replace(base, model="sim-b", skill=0.5, causes=(cause("lost_format", share=0.4),)),
        }
    base = Scenario(benchmark="patch_bench", seed=4, tasks=28, repeats=4, model="sim-a", skill=0.55)
    return {"birch": replace(base, model="sim-b", skill=0.5, causes=(cause("lower_token_cap"),)), "hazel": base}


def package(name: str, folder: Path) -> Package:
    scenario_of = scenarios(name)
    paths = tuple(f"{run}={write_run(scenario, folder / run)}" for run, scenario in scenario_of.items())
    for file in folder.rglob("*.json*"):  # as some benchmarks name their tasks
        file.write_bytes(_NOTES.sub(rb"Notes/\1", file.read_bytes()))
    subject = next(iter(scenario_of))
    material = material_of(paths, subject)
    anchors = anchors_of(material, name)
    golden = material.worded[0] + deep_dives(material)
    return Package(name, paths, material, golden, shallow_of(golden), anchors, from_runs(golden, anchors, material))


def material_of(paths: tuple[str, ...], subject: str) -> Material:
    runs = api.read(*paths, options=OPTIONS)
    together = api.analyze_runs(runs, OPTIONS)
    alone = {run.name: api.analyze_runs([run], OPTIONS) for run in runs}
    report_of = {name: api.render(api.report(analysis)) for name, analysis in alone.items()}
    return Material(
        tuple(runs),
        together,
        alone[subject],
        (report_of[subject], api.render(api.report(together))),
        subject,
        tuple((name, text) for name, text in report_of.items() if name != subject),
        modes_of_tasks(runs),
    )


def _facts(material: Material) -> list[tuple[str, str, int, int, int, int]]:
    """(task, mode, failures of that mode, failures, passes, attempts) of the tasks that one mode explains best."""
    results = {task.task: task.runs[material.subject] for task in material.alone.tasks}
    facts = []
    for (run, task, mode), count in material.modes_of_tasks.items():
        result = results.get(task)
        if run == material.subject and result is not None and result.passes is not None and mode != "unexplained":
            facts.append((task, mode, count, result.attempts - result.passes, result.passes, result.attempts))
    return sorted(facts, key=lambda fact: (-fact[2], fact[0], fact[1]))[:MOST]


def deep_dives(material: Material) -> str:
    """A section as a person would add it to the draft: task by task, what its failures come from."""
    names = {mode.id: mode.name for mode in material.alone.modes}
    findings = {(finding.task, finding.detector): finding for finding in material.alone.findings}
    detectors = {mode.id: mode.detector for mode in material.alone.modes}
    lines = ["## Never-Pass Deep Dives"]
    for task, mode, count, fails, passes, attempts in _facts(material):
        text = (
            f"`{task}` passes {passes} of {attempts} times in `{material.subject}`. "
            f"The failure mode is {names[mode]}: {count} of {fails} failures are of this mode."
        )
        finding = findings.get((task, detectors.get(mode) or ""))
        lines.append(f"### {task}")
        lines.append(text)
        if finding is not None and len(finding.evidence[0].quote) < 120:
            quote = " ".join(finding.evidence[0].quote.split())
            lines.append(f"> {quote}\n>\n> — {finding.run}, task {finding.task}, attempt {finding.attempt}")
    return "\n" + "\n\n".join(lines) + "\n"


def anchors_of(material: Material, benchmark: str) -> Anchors:
    names = {mode.id: mode.name for mode in material.alone.modes}
    run = material.subject
    records = [
        Anchor(
            f"B{place}",
            f"In `{run}`, task `{task}` passes {passes} of {attempts} times; "
            f'{count} of its {fails} failures are of mode "{names[mode]}".',
            "high",
            kind="task",
            predicate=Predicate({"run": run, "task": task, "mode": mode}, "count", "==", count),
            entities=(task, names[mode]),
            aliases={names[mode]: (mode, mode.replace("_", " "))},
        )
        for place, (task, mode, count, fails, passes, attempts) in enumerate(_facts(material), 1)
    ]
    for line in material.alone.runs[0].slices[:3]:
        fact = f"Tasks of {line['field']} {line['level']} have a pass rate of {line['score']:.1%} in `{run}`."
        predicate = Predicate(
            {"run": run, "field": line["field"], "level": line["level"]}, "rate", "==", line["score"], 0.005
        )
        records.append(
            Anchor(
                f"B{len(records) + 1}",
                fact,
                "medium",
                kind="extreme",
                predicate=predicate,
                entities=(str(line["level"]),),
            )
        )
    return Anchors(benchmark, run, "from-runs", "2026-01-01T00:00:00Z", tuple(records))


def shallow_of(golden: str) -> str:
    """Titles and the tables of the aggregate results and the funnel."""
    lines: list[str] = []
    in_section = False
    for line in golden.splitlines():
        if line.startswith("## "):
            in_section = any(word in line.lower() for word in ("aggregate", "metrics", "funnel"))
        if line.startswith(("# ", "## ")) or (line.startswith("|") and in_section):
            lines.append(line)
    return "\n".join(lines) + "\n"
