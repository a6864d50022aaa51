"""Summary files: aggregates, profiles and sidecars that do not say what the rows say."""

from __future__ import annotations

from blade.health import Context, Item, Unchecked, item


def unchecked(context: Context) -> Unchecked:
    reasons = {}
    for measured in context.measured:
        run = measured.analysis
        if not run.checks:
            reasons[run.name] = "no summary file stands beside the rows"
        elif not any(entry["matched"] or entry["disagreements"] for entry in run.checks):
            reasons[run.name] = "the rows give no value of the summary files"
    return reasons


def check(context: Context) -> list[Item]:
    findings = []
    for measured in context.measured:
        run = measured.analysis
        for entry in run.checks:
            if entry["disagreements"]:
                first = entry["examples"][0]
                statement = (
                    f"{entry['disagreements']} values of {entry['file']} differ from the rows, first {first['key']}: "
                    f"{first['stored']} there, {first['recomputed']} from the rows; {first['likely_cause']}"
                )
                findings.append(item("summary_files", "high", statement, run=run.name))
    return findings
