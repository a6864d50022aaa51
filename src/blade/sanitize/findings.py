"""What a scan found, told without saying it: kinds, counts, files and lines, never a value."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import field
from typing import Any

from blade.frozen import frozen

SCHEMA = "blade.sanitize/1"
LINES_SHOWN = 20


@frozen
class RuleFinding:
    """One rule in one file. `lines` are the first of them; line 0 is the name of the file."""

    rule: str
    kind: str
    what: str
    file: str
    count: int
    lines: tuple[int, ...]


@frozen
class Closed:
    """A file that could not be looked into; `open` is false for pictures and the like."""

    file: str
    why: str
    open: bool


@frozen
class Findings:
    """The outcome of a scan. It is clean when nothing was found and nothing that may hold text was left unread."""

    items: tuple[RuleFinding, ...] = ()
    closed: tuple[Closed, ...] = ()
    files: int = 0
    values: dict[str, int] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        return not self.items and not any(file.open for file in self.closed)

    @property
    def total(self) -> int:
        return sum(item.count for item in self.items)

    def by_rule(self) -> dict[str, list[RuleFinding]]:
        items_by_rule: dict[str, list[RuleFinding]] = {}
        for item in self.items:
            items_by_rule.setdefault(item.rule, []).append(item)
        return items_by_rule


def as_json(findings: Findings, files_written: Iterable[str] | None = None, left: Findings | None = None) -> str:
    """The redaction report as data."""
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "clean": findings.is_clean if left is None else left.is_clean,
        "files": findings.files,
        "total": findings.total,
        "rules": {
            rule: {
                "kind": items[0].kind,
                "what": items[0].what,
                "count": sum(item.count for item in items),
                "values": findings.values.get(rule, 0),
                "files": [{"file": item.file, "count": item.count, "lines": list(item.lines)} for item in items],
            }
            for rule, items in findings.by_rule().items()
        },
        "unread": [{"file": file.file, "why": file.why, "open": file.open} for file in findings.closed],
    }
    if files_written is not None:
        data["written"] = list(files_written)
    if left is not None:
        data["left"] = {rule: sum(item.count for item in items) for rule, items in left.by_rule().items()}
    return json.dumps(data, indent=2, ensure_ascii=False)


def as_text(findings: Findings, left: Findings | None = None) -> str:
    """The redaction report for people."""
    lines = []
    for rule, items in findings.by_rule().items():
        count = sum(item.count for item in items)
        values = findings.values.get(rule, 0)
        lines.append(f"{rule}: {items[0].what}: {_times(count)}, {values} distinct")
        lines += [f"  {item.file}: {_times(item.count)}{_places(item)}" for item in items]
    lines += [
        f"unread: {file.file}: {file.why}" + ("" if file.open else " (a picture or the like)")
        for file in findings.closed
    ]
    open_findings = findings if left is None else left
    replaced = "" if left is None else f"{_times(findings.total)} replaced; "
    if open_findings.is_clean:
        lines.append(f"{replaced}clean: {findings.files} files, nothing open")
    else:
        open_files = sum(file.open for file in open_findings.closed)
        unread = f", {open_files} files unread" if open_files else ""
        lines.append(f"{replaced}not to be shared: {open_findings.total} open in {findings.files} files{unread}")
    return "\n".join(lines)


def _places(item: RuleFinding) -> str:
    if item.lines == (0,):
        return " (in its name)"
    line_list = ", ".join(str(line) for line in item.lines[:8])
    return f" (line {line_list}{', …' if item.count > len(item.lines[:8]) else ''})"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
