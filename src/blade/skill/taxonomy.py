"""The sections Workflow funnel and Failure taxonomy: the stages with counts, and this benchmark's ways to fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from blade.counting.run import Run
from blade.diagnosis.definitions import meanings
from blade.diagnosis.funnel import recorded
from blade.findings import Mode
from blade.model import Analysis
from blade.registry import plugins
from blade.skill.cells import code, shown, table, words
from blade.wording import percent

MOST_MODES = 20
_STAGES = {
    "started": "a row is there",
    "first action": "the model did or said something",
    "core action": "it made the call that changes something, or gave what was asked for",
    "received feedback": "a tool or a user answered it",
    "checked itself": "it looked at its own result",
    "submitted": "it ended with a last word of its own",
    "verified": "the verifier gave a verdict on it",
    "passed": "the verdict is a pass",
}


def funnel_section(analysis: Analysis) -> list[str]:
    """The whole section Workflow funnel, without its heading."""
    if not analysis.funnel:
        return [
            (
                "unknown: without a rule for what a pass is there is no funnel. Say it with `--pass-threshold` or in "
                "benchmark.toml (`pass_threshold`, `stages`), then draft this skill again. Until then read "
                "how many rollouts were expected, started, finished and graded from the Denominator of the report."
            ),
            "",
        ]
    names = [run.name for run in analysis.runs]
    rows = []
    for stage in analysis.funnel:
        lines = [(run, stage["runs"][run.name]) for run in analysis.runs]
        counts = [
            f"{line['reached']:,} of {line['of']:,}" if recorded(stage, run) else "not recorded" for run, line in lines
        ]
        meaning = _STAGES.get(stage["stage"], "declared in benchmark.toml")
        rows.append((str(stage["stage"]), meaning, "yes" if stage["necessary"] else "no", *counts))
    return [
        (
            "Stages in order. A stage is necessary where nearly every pass went through it; passes can do without the "
            "others, so a rollout that skips one is not lost there. Other stages can be declared in benchmark.toml "
            "(`stages`: a name, and the field or the tool that tells)."
        ),
        "",
        *table(("Stage", "Reached when", "Necessary", *map(code, names)), rows),
    ]


def taxonomy_section(runs: Sequence[Run], analysis: Analysis) -> list[str]:
    """The whole section Failure taxonomy, without its heading."""
    lines = [
        (
            "Every failed rollout has one mode: of all rules that fired on it, the one nearest to the cause. Four "
            "questions stay apart: where it broke (stage), what it looks like (symptom), what the model did "
            "(behaviour), and why (label). Rules answer the first three; the label is a judgement that cites them."
        ),
        "",
    ]
    names = [run.name for run in analysis.runs]
    modes = [mode for mode in analysis.modes if any(mode.runs[name]["rollouts"] for name in names)]
    if modes:
        head = ("Mode", "Kind", "Rule", *(f"{code(name)} rollouts (tasks)" for name in names), "Speaks for")
        lines += table(head, (_row(mode, names) for mode in modes[:MOST_MODES]))
        for mode in modes[:MOST_MODES]:
            lines += [*_mode_lines(mode), ""]
    else:
        lines += ["No rollout of these runs fails, or no pass threshold is declared: no mode was seen yet.", ""]
    lines += [*_other_rules(runs), "", "### Labels", ""]
    return [*lines, *_labels(runs, analysis), *_rules_of_labels()]


def _labels(runs: Sequence[Run], analysis: Analysis) -> list[str]:
    """What the labels mean here, the benchmark's own words included, and how many tasks have each."""
    names = [run.name for run in analysis.runs]
    label_counts = Counter((item.run, label) for item in analysis.labels for label in item.labels)
    rows = [
        (
            label,
            words(f"{definition['name']}: {definition['meaning']}"),
            words(definition["intervention"]),
            *(f"{label_counts[name, label]:,}" for name in names),
        )
        for label, definition in meanings(run.raw.benchmark.values for run in runs).items()
    ]
    return table(("Label", "Means", "Usual intervention", *(f"{code(name)} tasks" for name in names)), rows)


def _row(mode: Mode, names: Sequence[str]) -> tuple[str, ...]:
    counts = (f"{mode.runs[name]['rollouts']:,} ({mode.runs[name]['tasks']:,})" for name in names)
    rule = code(mode.detector) if mode.detector else "none" if mode.id == "unexplained" else "status"
    return code(mode.id, 60), mode.kind, rule, *counts, _speaks(mode)


def _speaks(mode: Mode) -> str:
    """Labels that the mode's rule supports, the strongest first."""
    if mode.detector is None:
        return {"infrastructure": "IR", "verifier": "TI", "data": "DA"}.get(mode.kind, "none by itself")
    weights = plugins("detectors")[mode.detector].SUPPORTS
    return ", ".join(sorted(weights, key=lambda label: (-weights[label], label))) or "none by itself"


def _mode_lines(mode: Mode) -> Iterator[str]:
    yield f"#### {code(mode.id, 60)}: {code(mode.name, 100)[1:-1]}"
    yield ""
    if mode.detector is None:
        yield "- Detection: " + (
            "no rule fired; read these rollouts yourself, they are the first place where a new rule is needed."
            if mode.id == "unexplained"
            else "the status that BLADE gave the row from its fields, errors and limits; the report says from which."
        )
    else:
        first, *further_parts = (
            " ".join(part.split()) for part in (plugins("detectors")[mode.detector].__doc__ or "").split("\n\n")
        )
        yield f"- Detection: {code(mode.detector)} fires: {first}"
        yield from (f"- {part}" for part in further_parts if part.startswith("False alarms"))
    for name, counts in mode.runs.items():
        if counts["rollouts"]:
            share = percent(counts["share_of_failures"])
            tasks = shown(counts["examples"], 4)
            yield f"- In {code(name)}: {counts['rollouts']:,} rollouts, {share} of its failures; read {tasks}."


def _other_rules(runs: Sequence[Run]) -> Iterator[str]:
    """Rules that could have fired and did not, and how many have nothing to look at in this benchmark."""
    names = list(plugins("detectors"))
    letter_counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for run in runs:
        for marks in run.facts["detectors"].drop_nulls().to_list():
            for name, mark in zip(names, marks, strict=False):
                letter_counts[name][mark] += 1
    quiet = [name for name in names if letter_counts[name]["c"] and not letter_counts[name]["f"]]
    absent = [
        name
        for name in names
        if not letter_counts[name]["c"] and not letter_counts[name]["f"] and not letter_counts[name]["g"]
    ]
    yield "### Rules that stayed quiet"
    yield ""
    yield f"Applied and never fired ({len(quiet)}): {shown(quiet, 60) or 'none'}."
    yield ""
    yield f"Nothing to look at in these rows ({len(absent)}): {shown(absent, 60) or 'none'}."


def _rules_of_labels() -> list[str]:
    return [
        (
            "One primary label per failed or mixed task; two only if the evidence needs both. A mode speaks for "
            "a label, it does not decide it: a task that sometimes passes with the same knowledge is rarely KG, "
            "an error before the consequential action is not its cause, and a passed self-check is not a passed "
            "verifier. Where the evidence is not enough the label is IE, with what is missing."
        ),
        "",
    ]
