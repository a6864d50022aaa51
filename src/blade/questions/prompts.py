"""Can every prompt and transcript be read: are some missing from the record, are some prompts damaged?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Prompts and transcripts that cannot be read"
ORDER = 12
OF_COPIES = True
FEWEST = 3
SHOWN = 6
MOST_LEVELS = 50


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: rollouts without a word of a prompt where others have one, and prompts with control characters."""
    missing = [entry for run in runs if (entry := _missing(run)) is not None]
    damaged = [entry for run in runs if (entry := _damaged(run)) is not None]
    empty = [entry for run in runs if (entry := _without_transcript(run)) is not None]
    if not missing and not damaged and not empty:
        return None
    return {"missing": missing, "damaged": damaged, "without_transcript": empty}


def _without_transcript(run: RunCases) -> dict[str, Any] | None:
    """Judged rollouts without any output, where others have some."""
    items = dict(zip(map(id, run.cases), run.run.graded["items"].to_list(), strict=True))
    rows = judged(run)
    empty = [case for case in rows if not items[id(case)]]
    if not FEWEST <= len(empty) < len(rows):
        return None
    passes = sum(bool(case.passed) for case in empty)
    return {"run": run.run.name, "rows": len(empty), "of": len(rows), "passes": passes, "failures": len(empty) - passes}


def _task(case: Case) -> Mapping[str, Any]:
    return case.observed.get("task") or {}


def _missing(run: RunCases) -> dict[str, Any] | None:
    rows = judged(run)
    silent = [case for case in rows if not _task(case).get("prompt")]
    if not FEWEST <= len(silent) < len(rows):
        return None
    return {
        "run": run.run.name,
        "rows": len(silent),
        "of": len(rows),
        "passes": sum(bool(case.passed) for case in silent),
        "of_passes": sum(bool(case.passed) for case in rows),
        "tasks": in_order(case.label for case in silent)[:SHOWN],
        "of_tasks": len({case.key for case in silent}),
        "slice": _slice(run, {id(case) for case in silent}),
    }


def _slice(run: RunCases, silent: set[int]) -> str:
    """The level of a field that holds exactly these rollouts: they have a name."""
    told = run.fields()
    inside: Counter[tuple[str, str]] = Counter()
    outside: Counter[tuple[str, str]] = Counter()
    levels: dict[str, set[str]] = {}
    for case, fields in zip(run.cases, told, strict=True):
        for name, value in fields.items():
            if isinstance(value, str) and value:
                levels.setdefault(name, set()).add(value)
                (inside if id(case) in silent else outside)[name, value] += 1
    exact = [
        f"{name} = {value}"
        for (name, value), many in inside.items()
        if many == len(silent) and not outside[name, value] and len(levels[name]) <= MOST_LEVELS
    ]
    return min(exact, key=lambda words: (len(words), words), default="")


def _damaged(run: RunCases) -> dict[str, Any] | None:
    rows = judged(run)
    found = [(case, str(_task(case)["control"])) for case in rows if _task(case).get("control")]
    if len(found) < FEWEST:
        return None
    words = Counter(text for _, text in found)
    return {
        "run": run.run.name,
        "rows": len(found),
        "of": len(rows),
        "words": [text for text, _ in sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:FEWEST]],
        "of_tasks": len({case.key for case, _ in found}),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    sentences = [*_told_missing(answer["missing"]), *_told_empty(answer["without_transcript"])]
    return [Paragraph((*sentences, *_told_damaged(answer["damaged"])))]


def _told_empty(empty: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    for place, entry in enumerate(empty):
        at = ("investigation", "prompts", "without_transcript", place)
        yield say(
            "{rows} of {of} judged rollouts of {run} have no transcript ({passes} and {failures}), unlike its "
            "others: what the model did is known in those only.",
            run=entry["run"],
            rows=amount(entry["rows"], *at, "rows"),
            of=amount(entry["of"], *at, "of"),
            passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *at, "passes"),
            failures=fact(count(entry["failures"], "failure"), entry["failures"], *at, "failures"),
        )


def _told_missing(missing: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    for place, entry in enumerate(missing):
        if place and _same(entry, missing[0]):
            continue
        at = ("investigation", "prompts", "missing", place)
        name = f", all of {entry['slice']}" if entry["slice"] else ""
        others = [other for other in missing if _same(entry, other)]
        passes = [f"{other['passes']:,} in {other['run']}" for other in others]
        yield say(
            "{rows} of {of} judged rollouts of {runs} show no prompt ({tasks}, first {first}{name}): what was "
            "asked is unknown. Passes among them: {passes}.",
            runs=_whose(others),
            rows=amount(entry["rows"], *at, "rows"),
            of=amount(entry["of"], *at, "of"),
            tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *at, "of_tasks"),
            first=task_list(entry["tasks"][:FEWEST]),
            name=name,
            passes=listed(passes),
        )


def _same(entry: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(entry[key] == other[key] for key in ("rows", "of", "of_tasks", "tasks", "slice"))


def _whose(others: Sequence[Mapping[str, Any]]) -> str:
    return others[0]["run"] if len(others) == 1 else f"each of {listed([other['run'] for other in others])}"


def _told_damaged(damaged: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    for place, entry in enumerate(damaged):
        at = ("investigation", "prompts", "damaged", place)
        yield say(
            "The prompts of {rows} of {of} judged rollouts of {run} contain a stray control character ({words}): "
            "an escape was lost, and the model got another text than intended.",
            run=entry["run"],
            rows=amount(entry["rows"], *at, "rows"),
            of=amount(entry["of"], *at, "of"),
            words=listed([f"“{text}”" for text in entry["words"]]),
        )
