"""Report files: Markdown reports, golden reports with their sidecars, anchor facts. Listed, not read as data."""

from __future__ import annotations

from blade.files.sniff import Head, plain_name, stem

ROLE = "listed"
_ENDS = ("_golden_report_metrics", "_anchor_facts", "_golden_report", "-golden-report", "_shallow")
_KEYS = ({"pass_at_1"}, {"anchor_facts"}, {"golden_vs_self"}, {"final_score"})


def recognises(head: Head) -> bool:
    name = plain_name(head.path).lower()
    if name.endswith(".md") and not name.startswith("notes"):
        return head.shape == "text"
    first = head.document if isinstance(head.document, dict) else (head.rows[0] if head.rows else {})
    return (
        bool(first)
        and name.endswith(".json")
        and (stem(head.path).endswith(_ENDS) or any(keys <= set(first) for keys in _KEYS))
    )
