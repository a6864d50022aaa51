"""Can every prompt and transcript be read: is any missing, is a prompt damaged, do all tasks have one text?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.one_prompt import one_prompt
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import SURE, in_order, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "Prompts and transcripts that cannot be read"
ORDER = 12
WEIGHT = 1.5
OF_COPIES = True
FEWEST = 3
SHOWN = 6
MOST_LEVELS = 50
MOSTLY = 0.9
"""Of a run's prompts: what damages so many stands in what they share, and is no odd text of a task."""
SELDOM = 0.3


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: rollouts without a word of a prompt where others have one, and prompts with control characters.

    Also runs whose different tasks have one prompt text, so that what was asked is lost.
    """
    missing = [entry for run in runs if (entry := _missing(run)) is not None]
    damaged = [entry for run in runs if (entry := _damaged(run)) is not None]
    empty = [entry for run in runs if (entry := _without_transcript(run)) is not None]
    same = [asdict(text) for run in runs if (text := one_prompt(run, runs)) is not None]
    if not missing and not damaged and not empty and not same:
        return None
    sample = _sample(empty)
    return {"missing": missing, "damaged": damaged, "without_transcript": empty, "sample": sample, "one_text": same}


def _without_transcript(run: RunCases) -> dict[str, Any] | None:
    """Judged rollouts without any output, where others have some."""
    items = dict(zip(map(id, run.cases), run.run.graded["items"].to_list(), strict=True))
    rows = judged(run)
    empty = [case for case in rows if not items[id(case)]]
    if not FEWEST <= len(empty) < len(rows):
        return None
    passes = sum(bool(case.passed) for case in empty)
    other_passes = sum(bool(case.passed) for case in rows) - passes
    return {
        "run": run.run.name,
        "rows": len(empty),
        "of": len(rows),
        "passes": passes,
        "failures": len(empty) - passes,
        "other_passes": other_passes,
        "other_failures": len(rows) - len(empty) - other_passes,
    }


def _sample(empty: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Whether rollouts with a transcript pass more or less often than those without, runs kept apart."""
    tables = [(entry["other_passes"], entry["other_failures"], entry["passes"], entry["failures"]) for entry in empty]
    p = exact_p(tables)
    if p is None or p > SURE:
        return None
    outcomes = [sum(cells) for cells in zip(*tables, strict=True)]
    return {"runs": len(tables), "outcomes": outcomes, "p": significant(p, WRITTEN)}


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
    if answer["sample"]:
        sentences.append(_told_sample(answer["sample"]))
    return [Paragraph((*sentences, *_told_damaged(answer["damaged"]), *_told_same(answer["one_text"])))]


def _told_same(same: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    for place, entry in enumerate(same):
        at = ("investigation", "prompts", "one_text", place)
        described = f" (the tasks are described in {entry['described']})" if entry["described"] else ""
        uncounted = ", and count no tokens" if entry["uncounted"] else ""
        yield say(
            "The prompts of " + ("all {of}" if entry["tasks"] == entry["of"] else "{tasks} of {of}") + " of {run} are "
            "the same text (“{text}”): the rows do not show what was asked{described}{uncounted}.",
            run=entry["run"],
            tasks=f"{entry['tasks']:,}",
            of=fact(count(entry["of"], "task"), entry["of"], *at, "of"),
            text=entry["text"],
            described=described,
            uncounted=uncounted,
        )


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


def _told_sample(sample: Mapping[str, Any]) -> Sentence:
    """That transcripts were kept of the easier rollouts, or of the harder ones."""
    at = ("investigation", "prompts", "sample")
    passes, failures, other_passes, other_failures = sample["outcomes"]
    more = passes * (other_passes + other_failures) > other_passes * (passes + failures)
    return say(
        "Rollouts with a transcript pass in {passes} of {rollouts}, those without in {other_passes} of "
        "{other_rollouts} (exact test{apart}, p = {p}): transcripts were kept mostly where it went {well}, so that "
        "what they show is no fair sample of all rollouts.",
        passes=amount(passes, *at, "outcomes", 0),
        rollouts=f"{passes + failures:,}",
        other_passes=amount(other_passes, *at, "outcomes", 2),
        other_rollouts=f"{other_passes + other_failures:,}",
        p=fact(f"{sample['p']:.2g}", sample["p"], *at, "p"),
        apart=", runs kept apart" if sample["runs"] > 1 else "",
        well="well" if more else "badly",
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
        yield _damage_words(place, entry)


def _damage_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "prompts", "damaged", place)
    return say(
        "The prompts of {rows} of {of} judged rollouts of {run} contain a stray control character ({words}): "
        "an escape was lost, and the model got another text than intended.",
        run=entry["run"],
        rows=amount(entry["rows"], *at, "rows"),
        of=amount(entry["of"], *at, "of"),
        words=_quoted(entry),
    )


def _quoted(entry: Mapping[str, Any]) -> str:
    return listed([f"“{text}”" for text in entry["words"]])


def _of_templates(answer: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """Runs in which nearly all prompts are damaged, so that it is no text of a few tasks."""
    return [(place, entry) for place, entry in enumerate(answer["damaged"]) if entry["rows"] >= MOSTLY * entry["of"]]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Runs that were asked something else than was meant, or nobody knows what."""
    for place, entry in _of_templates(answer):
        yield _damage_words(place, entry)
    yield from _told_same(answer["one_text"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Repair a damaged template before its run is compared: what it costs is known only after another run."""
    for place, entry in _of_templates(answer):
        yield Advice(
            "prompt",
            f"Repair the prompt template of {entry['run']} (an escape was lost: {_quoted(entry)}), and run it again "
            "before it is compared",
            say(
                "All {rows} that were judged got the damaged text."
                if entry["rows"] == entry["of"]
                else "{rows} of {of} that were judged got the damaged text.",
                rows=fact(
                    count(entry["rows"], "rollout"), entry["rows"], "investigation", "prompts", "damaged", place, "rows"
                ),
                of=f"{entry['of']:,}",
            ),
            entry["rows"],
            SELDOM,
            before_scores=True,
        )
