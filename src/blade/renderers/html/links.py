"""Where the page leads: from a quote to its place, from a task to its line, from an attempt to what is shown of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from xxhash import xxh3_64_hexdigest

from blade.findings import Finding
from blade.model import Analysis, Source
from blade.pages import VIEWER_PORT
from blade.quoted_evidence import Exhibit, Exhibits

VIEWER = f"http://127.0.0.1:{VIEWER_PORT}"
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_ROLES = {"asked": "asked", "wrong": "wrong", "also": "also", "parts": "fail", "instead": "instead"}


class Links:
    """Anchors of one page. Without an analysis nothing leads anywhere, and all is text."""

    def __init__(self, analysis: Analysis | None = None, exhibits: Exhibits | None = None) -> None:
        self.exhibits = exhibits or Exhibits()
        self._stories = analysis.stories if analysis else ()
        self._findings = {finding.id: finding for finding in analysis.findings} if analysis else {}
        self._modes = {mode.name: mode for mode in analysis.modes} if analysis else {}
        self._listed = list(analysis.findings) if analysis else []
        self._lines = {task.task for task in analysis.tasks} if analysis else set()
        self._pairs = {(pair.run, pair.task): pair for pair in self.exhibits.pairs}
        self._inside: dict[tuple[str, int, int | None, str], str] = {
            (source.file, source.line, side.part.item, "arguments" if side.part.kind == "call" else "text"): side.anchor
            for pair in self.exhibits.pairs
            for source, sides in (
                (pair.sources[0], (row.good for row in (*pair.alike, *pair.rows))),
                (pair.sources[1], (row.bad for row in (*pair.alike, *pair.rows))),
            )
            for side in sides
            if side is not None and side.part.item is not None
        }
        self._attempts: dict[tuple[str, str, int | None], str] = {}
        for pair in self.exhibits.pairs:
            for attempt in (pair.good, pair.bad):
                self._attempts[pair.run, pair.task, attempt] = f"#{pair.id}"
        for exhibit in self.exhibits.quotes:
            self._attempts.setdefault((exhibit.run, exhibit.task, exhibit.attempt), f"#{exhibit.id}")

    def quote(self, proof: Mapping[str, Any]) -> Exhibit | None:
        """The exhibit behind the proof of a quote: of a story, or of a finding."""
        path = proof.get("args", {}).get("path", ())
        if path[:1] == ["stories"] and len(path) > 2:
            return self._of_story(path)
        if path[:1] == ["findings"] and path[1] < len(self._listed):
            return self.exhibits.of(self._listed[path[1]].evidence[path[3]])
        return None

    def _of_story(self, path: list[Any]) -> Exhibit | None:
        role = _ROLES.get(path[2])
        proofs = self._stories[path[1]]["evidence"] if path[1] < len(self._stories) else ()
        proof_of_role = next((proof for proof in proofs if proof["role"] == role), None)
        return self.exhibits.of(proof_of_role) if proof_of_role else None

    def of_mode(self, name: str) -> list[Exhibit]:
        """The places that show a failure mode: the first of each of its findings that is shown with words."""
        mode = self._modes.get(name)
        findings = [
            finding for finding_id in (mode.findings if mode else ()) if (finding := self._findings.get(finding_id))
        ]
        firsts = (next(filter(None, map(self.exhibits.of, finding.evidence)), None) for finding in findings)
        return distinct(exhibit for exhibit in firsts if exhibit is not None and exhibit.quote.strip())

    def finding(self, name: str) -> Finding | None:
        return self._findings.get(name)

    def inside(self, exhibit: Exhibit) -> str:
        """The item of a transcript on this page that the quote stands in; empty where no transcript shows it."""
        anchor = self._inside.get((exhibit.file, exhibit.line, exhibit.item, exhibit.field))
        return f"#{anchor}" if anchor else ""

    def item_of(self, source: Source, item: int) -> str:
        """A call of a transcript on this page; empty where the page does not show it."""
        anchor = self._inside.get((source.file, source.line, item, "arguments"))
        return f"#{anchor}" if anchor else ""

    def task(self, name: str) -> str:
        """The line of a task in the matrix; empty where it has none."""
        return f"#{task_anchor(name)}" if name in self._lines else ""

    def tasks(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Tasks and where they lead."""
        return [(name, self.task(name)) for name in names]

    def viewer(self, task: str, run: str = "", attempt: int | None = None, item: int | None = None) -> str:
        """The same place in `blade view` where it runs on this machine with its usual port."""
        if attempt is None:
            return f"{VIEWER}/task?{urlencode({'task': task}, errors='replace')}"
        place = {"of": run, "task": task, "attempt": attempt}
        at = {"at": item} if item is not None else {}
        return f"{VIEWER}/transcript?{urlencode({**place, **at}, errors='replace')}" + (
            f"#item-{item}" if item is not None else ""
        )

    def twin(self, run: str, task: str) -> str:
        pair = self._pairs.get((run, task))
        return f"#{pair.id}" if pair else ""

    def attempt(self, run: str, task: str, attempt: int) -> str:
        """What is shown of one attempt: its twin, else its first quote."""
        return self._attempts.get((run, task, attempt), "")


def distinct(exhibits: Iterable[Exhibit]) -> list[Exhibit]:
    """The first of those that say the same words."""
    return list({exhibit.quote: exhibit for exhibit in reversed(list(exhibits))}.values())[::-1]


def task_anchor(name: str) -> str:
    """A task's anchor: its own name where that is plain, else a hash of it."""
    plain = _PLAIN.fullmatch(name)
    return f"task-{name}" if plain else "task-" + xxh3_64_hexdigest(name.encode("utf-8", "replace"))[:12]
