"""How many rollouts did an exception end, by its class, how many of these pass, and what is the score of the rest?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.extract.names import VERIFIER, words
from blade.late_regex import late_regex
from blade.questions import judged
from blade.wording import abridged, amount, count, fact, percent

TITLE = "Rollouts that an exception ended"
ORDER = 78
WEIGHT = 1.2
FEWEST = 5
MOST_CLASSES = 4
EXCEPTION = "exception"
_CLASS = late_regex(r"(?:[A-Za-z_]\w*\.)*[A-Z][A-Za-z0-9]*[a-z]\w*")
"""The name of a class as a traceback writes it."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the judged rollouts whose row names the class of an exception, and the others."""
    field = _field(runs)
    if field is None:
        return None
    entries = [_of_run(run, field) for run in runs]
    raised = sum(entry["raised"] for entry in entries)
    if raised < FEWEST or raised == sum(entry["judged"] for entry in entries):
        return None
    return {"field": field, "runs": [entry for entry in entries if entry["judged"]]}


def _field(runs: Sequence[RunCases]) -> str | None:
    """The field of most rows that is called an exception's, is not the verifier's and names nothing but classes."""
    rows: Counter[str] = Counter()
    unlike: set[str] = set()
    for run in runs:
        raising = [name for name in run.field_names() if EXCEPTION in name.lower() and _of_agent(name)]
        for fields in run.fields() if raising else ():
            for name in raising:
                if value := fields.get(name):
                    rows[name] += 1
                    if not (isinstance(value, str) and _CLASS.fullmatch(value)):
                        unlike.add(name)
    names = [name for name in rows if name not in unlike]
    return min(names, key=lambda name: (-rows[name], name), default=None)


def _of_agent(name: str) -> bool:
    return VERIFIER.isdisjoint(words(name))


def _of_run(run: RunCases, field: str) -> dict[str, Any]:
    judged_ids = {id(case) for case in judged(run)}
    cases: defaultdict[str, list[Case]] = defaultdict(list)
    for case, fields in zip(run.cases, run.fields(), strict=True):
        if id(case) in judged_ids:
            cases[str(fields.get(field) or "")].append(case)
    passes = {name: sum(bool(case.passed) for case in rows) for name, rows in cases.items()}
    other_rows, other_passes = len(cases.pop("", [])), passes.pop("", 0)
    return {
        "run": run.run.name,
        "judged": len(judged_ids),
        "raised": len(judged_ids) - other_rows,
        "passes": sum(passes.values()),
        "classes": {name: len(cases[name]) for name in sorted(cases, key=lambda name: (-len(cases[name]), name))},
        "rest": other_rows,
        "rest_passes": other_passes,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_words(answer)))]


def _words(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["runs"]):
        path = ("investigation", "raised_exceptions", "runs", place)
        if not entry["raised"]:
            yield say("No judged rollout of {run} names an exception.", run=entry["run"])
            continue
        classes = [f"{name} {rollouts:,}" for name, rollouts in entry["classes"].items()]
        score = "; of the others {rest_passes} of {rest} pass ({rate})" if entry["rest"] else ""
        yield say(
            "{raised} of the {judged} of {run} ended by an exception ({field}: {classes}), and {passes} of these "
            "{pass_}" + score + ".",
            run=entry["run"],
            field=answer["field"],
            classes=abridged(classes, MOST_CLASSES),
            raised=amount(entry["raised"], *path, "raised"),
            judged=fact(count(entry["judged"], "judged rollout"), entry["judged"], *path, "judged"),
            passes=amount(entry["passes"], *path, "passes"),
            pass_="passes" if entry["passes"] == 1 else "pass",
            rest=amount(entry["rest"], *path, "rest"),
            rest_passes=amount(entry["rest_passes"], *path, "rest_passes"),
            rate=percent(entry["rest_passes"] / max(entry["rest"], 1)),
        )
