"""JUnit: the gate of a comparison, or the tasks of runs, as test cases that a pipeline shows."""

from __future__ import annotations

import re

from blade.change.gate import GateResult
from blade.model import Analysis, Bucket, TaskResult
from blade.wording import UNKNOWN, count, plain, short_name

EXTENSION = "xml"
FILE = "junit.xml"
LONGEST = 600
_NOT_XML = re.compile("[\ufffe\uffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
Case = tuple[str, str, str]
"""The name of a test case; failure, skipped or nothing; and what is said of it."""


def render_change(analysis: Analysis, gate: GateResult | None = None) -> str:
    """One test case: the score. It fails where the gate is crossed."""
    (change,) = analysis.changes
    outcome = "failure" if gate and gate.crossed else "skipped" if change.verdict == "not_comparable" else ""
    words = gate.statement if gate else change.reason
    return _document([(f"{change.base} → {change.candidate}", [("score", outcome, words)])])


def render_analysis(analysis: Analysis) -> str:
    """A test case per task and run: it fails where no judged attempt passes, and is skipped where none was judged."""
    return _document(
        [
            (run.name, [_case(task.task, task.runs[run.name]) for task in analysis.tasks if run.name in task.runs])
            for run in analysis.runs
        ]
    )


def _case(task: str, result: TaskResult) -> Case:
    if result.judged_bucket is None:
        mean = UNKNOWN if result.mean is None else plain(result.mean)
        return task, "", f"mean {mean}; no pass threshold is declared"
    if result.judged_bucket is Bucket.MISSING:
        return task, "skipped", "no attempt was judged"
    passed = f"passes in {result.judged_passes:,} of {count(result.judged, 'judged attempt')}"
    return task, "failure" if result.judged_bucket is Bucket.NEVER else "", passed


def _document(suites: list[tuple[str, list[Case]]]) -> str:
    lines = [_HEAD, f"<testsuites {_counts([case for _, cases in suites for case in cases])}>"]
    for name, cases in suites:
        lines.append(f"  <testsuite name={_attribute(name)} {_counts(cases)}>")
        for case, outcome, words in cases:
            begin = f"    <testcase classname={_attribute(name)} name={_attribute(case)}>"
            said = (
                f"<{outcome} message={_attribute(words)}/>" if outcome else f"<system-out>{_text(words)}</system-out>"
            )
            lines.append(f"{begin}{said}</testcase>")
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _counts(cases: list[Case]) -> str:
    outcomes = [outcome for _, outcome, _ in cases]
    failures, skipped = outcomes.count("failure"), outcomes.count("skipped")
    return f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'


def _attribute(text: str) -> str:
    from xml.sax.saxutils import quoteattr  # noqa: PLC0415 - brings the web's modules with it, and few want this file

    return quoteattr(_allowed(text))


def _text(text: str) -> str:
    from xml.sax.saxutils import escape  # noqa: PLC0415 - as above

    return escape(_allowed(text))


def _allowed(text: str) -> str:
    """Without the characters that XML cannot hold at all."""
    return _NOT_XML.sub("", short_name(text, LONGEST))
