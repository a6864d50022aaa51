"""Which failures end with an error long before any pass did: did the agent work there at all?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.names import VERIFIER, is_exit_code, words
from blade.extract.row_texts import row_texts
from blade.extract.text import clip
from blade.late_regex import late_regex
from blade.model import Source
from blade.questions import in_order, judged, task_list
from blade.signatures import template
from blade.wording import count, fact, listed

TITLE = "Failures that end before any work"
ORDER = 69
FEWEST_PASSES = 10
HALF = 0.5
"""So much of the shortest pass, and no pass of its kind is known."""
MOST_SHOWN = 6
LONGEST = 160
_EXCEPTION = frozenset({"exception", "error", "crash"})
_ERROR = late_regex(r"(?:[A-Z]\w*(?:Error|Exception)|\b(?:error|fatal|panic))\b: \S.*", re.IGNORECASE)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged failures that took less than half of the shortest pass of all runs, and whose rows name an error."""
    timed = [(case, seconds, error) for run in runs for case, seconds, error in _timed(run)]
    passes = [seconds for case, seconds, _ in timed if case.passed]
    if len(passes) < FEWEST_PASSES:
        return None
    shortest = min(passes)
    early = [
        (case, seconds) for case, seconds, error in timed if not case.passed and error and seconds < HALF * shortest
    ]
    if not early:
        return None
    lines = _lines([case for case, _ in early])
    groups: dict[str, list[tuple[Case, float]]] = {}
    for case, seconds in early:
        groups.setdefault(template(lines.get(case.place, "")), []).append((case, seconds))
    return {
        "passes": len(passes),
        "shortest": round(shortest),
        "failures": len(early),
        "groups": [
            _group(some, lines) for _, some in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        ],
    }


def _timed(run: RunCases) -> Iterator[tuple[Case, float, bool]]:
    """The judged rollouts whose time is known, and whether their rows name an error that is not the verifier's."""
    good = {id(case) for case in judged(run)}
    for case, fields, seconds in zip(run.cases, run.fields(), run.agent_seconds(), strict=True):
        if id(case) in good and seconds > 0:
            yield case, seconds, any(_is_error(name, value) for name, value in fields.items())


def _is_error(name: str, value: Any) -> bool:
    parts = set(words(name))
    if VERIFIER & parts or value in (None, "", 0, False):
        return False
    return is_exit_code(name) or (isinstance(value, str) and bool(parts & _EXCEPTION))


def _lines(cases: Sequence[Case]) -> dict[tuple[str, int, int, int], str]:
    """Per row the first error that its own texts name."""
    found = {}
    for source, row in open_rows(Source(*case.place) for case in cases):
        texts = (text.text for text in row_texts(row) if not VERIFIER & set(words(text.name)))
        errors = (match.group() for text in texts for match in _ERROR.finditer(text))
        line = next(errors, "")
        if line:
            found[source.file, source.line, source.offset, source.length] = clip(" ".join(line.split()), LONGEST)
    return found


def _group(some: Sequence[tuple[Case, float]], lines: Mapping[tuple[str, int, int, int], str]) -> dict[str, Any]:
    seconds = sorted(round(spent) for _, spent in some)
    by_run: dict[str, int] = {}
    for case, _ in some:
        by_run[case.run] = by_run.get(case.run, 0) + 1
    return {
        "rollouts": len(some),
        "seconds": [seconds[0], seconds[-1]],
        "runs": by_run,
        "tasks": in_order(case.label for case, _ in some),
        "line": lines.get(some[0][0].place, ""),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_group_words(place, entry))) for place, entry in enumerate(answer["groups"][:MOST_SHOWN])]
    return [Paragraph((_lead(answer),)), Bullets(tuple(items))]


def _lead(answer: Mapping[str, Any]) -> Sentence:
    many = answer["failures"]
    return say(
        "{failures} {end} with an error after less than half of the time that the shortest of {passes} took "
        "({shortest} of the agent). {they} as {failure} of the model, which hardly worked there: check how "
        "the agent is started.",
        failures=fact(count(many, "judged failure"), many, *_AT, "failures"),
        end="ends" if many == 1 else "end",
        passes=fact(count(answer["passes"], "pass", "passes"), answer["passes"], *_AT, "passes"),
        shortest=fact(count(answer["shortest"], "second"), answer["shortest"], *_AT, "shortest"),
        they="It counts" if many == 1 else "They count",
        failure="a failure" if many == 1 else "failures",
    )


def _group_words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    low, high = entry["seconds"]
    span = count(low, "second") if low == high else f"{low:,} to {high:,} seconds"
    yield say(
        "{rollouts} ({runs}), after {span}, in {tasks}" + (": “{line}”." if entry["line"] else "."),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *_AT, "groups", place, "rollouts"),
        runs=listed([f"{run} {many:,}" for run, many in entry["runs"].items()]),
        span=span,
        tasks=task_list(entry["tasks"]),
        line=entry["line"],
    )


_AT = ("investigation", "early_ends")
