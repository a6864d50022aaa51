"""Does trying the work before it is handed in separate passes from failures?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.verdict_words import verdict_word_fields
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, outcome_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, percent

TITLE = "Work that is tried before it is handed in"
ORDER = 59
WEIGHT = 1.2
FEWEST, FEWEST_TASKS = 10, 5
LIKELY = 0.4
_PATH = ("investigation", "tried_work")
EDIT, TEXT = "edited", "tried_text"
"""What is observed of a rollout that edits code, and of one that hands in a text: whether it was tried."""
_TRIED = {
    EDIT: "that run something after their last edit",
    TEXT: "that had run the very text they hand in, and it went well,",
}
_UNTRIED = {EDIT: "that run nothing after it", TEXT: "that hand in a text they had not run"}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """By kind of work the passes of rollouts that tried it and of those that did not, where that separates them."""
    words = verdict_word_fields(runs)
    classes = {
        id(case): {(name, fields[name]) for name in words if isinstance(fields.get(name), str)}
        for run in runs
        for case, fields in (zip(run.cases, run.fields(), strict=True) if words else ())
    }
    names = [run.run.name for run in runs]
    tested: list[tuple[dict[str, Any], float]] = []
    for kind in _TRIED:
        cases = [case for run in runs for case in _able(kind, run)]
        scopes = [names, *([name] for name in names if len(names) > 1)]
        tested += [
            tried
            for scope in scopes
            if (tried := _tested(kind, [case for case in cases if case.run in scope], classes, scope))
        ]
    adjusted = benjamini_hochberg([p for _, p in tested])
    sure = [entry | {"p": significant(p, WRITTEN)} for (entry, _), p in zip(tested, adjusted, strict=True) if p <= SURE]
    pooled = {entry["kind"] for entry in sure if len(entry["runs"]) == len(names)}
    kinds = [entry for entry in sure if len(entry["runs"]) == len(names) or entry["kind"] not in pooled]
    return {"kinds": kinds} if kinds else None


def _able(kind: str, run: RunCases) -> Sequence[Case]:
    """The rollouts of a run with that kind of work; none where nobody tries any: perhaps nobody can."""
    working = run.observing(kind)
    return working if any(case.observed[kind] for case in working) else ()


def _tested(
    kind: str, cases: Sequence[Case], classes: Mapping[int, set[tuple[str, str]]], names: Sequence[str]
) -> tuple[dict[str, Any], float] | None:
    """What some runs show of one kind of work, with p; None where too few tried or did not, or these pass more."""
    untried = [case for case in cases if not case.observed[kind]]
    if min(len(untried), len(cases) - len(untried)) < FEWEST or len({case.key for case in untried}) < FEWEST_TASKS:
        return None
    p = outcome_p(cases, {id(case) for case in untried})
    entry = _entry(kind, cases, classes, names)
    is_better = entry["untried_passes"] * entry["tried"] < entry["tried_passes"] * entry["untried"]
    return (entry, p) if p is not None and is_better else None


def _entry(
    kind: str, cases: Sequence[Case], classes: Mapping[int, set[tuple[str, str]]], names: Sequence[str]
) -> dict[str, Any]:
    tried = [case for case in cases if case.observed[kind]]
    untried = [case for case in cases if not case.observed[kind]]
    return {
        "kind": kind,
        "tried": len(tried),
        "tried_passes": _passes(tried),
        "untried": len(untried),
        "untried_passes": _passes(untried),
        "runs": [
            {
                "run": name,
                **_counts("tried", [case for case in tried if case.run == name]),
                **_counts("untried", [case for case in untried if case.run == name]),
            }
            for name in names
        ],
        "classes": _telling_classes(tried, untried, classes),
    }


def _counts(name: str, cases: Sequence[Case]) -> dict[str, int]:
    return {name: len(cases), f"{name}_passes": _passes(cases)}


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def _telling_classes(
    tried: Sequence[Case], untried: Sequence[Case], classes: Mapping[int, set[tuple[str, str]]]
) -> list[dict[str, Any]]:
    """What the verifier calls failures of untried work alone, nearly: how trying would have shown it."""
    without, with_trial = (
        Counter(entry for case in cases if not case.passed for entry in classes.get(id(case), ()))
        for cases in (untried, tried)
    )
    return [
        {"field": field, "word": word, "untried": many, "tried": with_trial[field, word]}
        for (field, word), many in sorted(without.items(), key=lambda pair: (-pair[1], pair[0]))
        if many >= FEWEST and with_trial[field, word] * len(untried) * 4 <= many * len(tried)
    ][:2]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["kinds"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["kinds"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "kinds", place)
    whose = f" of {entry['runs'][0]['run']}" if len(entry["runs"]) == 1 else ""
    yield say(
        f"Judged rollouts{whose} "
        + _TRIED[entry["kind"]]
        + " pass {tried_passes} of {tried} ({tried_rate}), those "
        + _UNTRIED[entry["kind"]]
        + " {untried_passes} of {untried} ({untried_rate}; p = {p}, tasks of similar difficulty compared).",
        tried_passes=amount(entry["tried_passes"], *path, "tried_passes"),
        tried=amount(entry["tried"], *path, "tried"),
        tried_rate=percent(entry["tried_passes"] / entry["tried"]),
        untried_passes=amount(entry["untried_passes"], *path, "untried_passes"),
        untried=amount(entry["untried"], *path, "untried"),
        untried_rate=percent(entry["untried_passes"] / entry["untried"]),
        p=f"{entry['p']:.2g}",
    )
    runs = [run for run in entry["runs"] if run["tried"] + run["untried"]]
    if len(runs) > 1:
        rates = [
            f"{run['run']} {run['tried_passes']:,} of {run['tried']:,} and {run['untried_passes']:,} of "
            f"{run['untried']:,}"
            for run in runs
        ]
        yield say("By run: {rates}.", rates=listed(rates))
    for number, word in enumerate(entry["classes"]):
        yield say(
            "The verifier says {word} ({field}) in {untried} of the untried and in {tried} of the tried.",
            word=f"“{word['word']}”",
            field=word["field"],
            untried=amount(word["untried"], *path, "classes", number, "untried"),
            tried=amount(word["tried"], *path, "classes", number, "tried"),
        )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Have the work tried, as the passes do."""
    for place, entry in enumerate(answer["kinds"]):
        failures = entry["untried"] - entry["untried_passes"]
        path = (*_PATH, "kinds", place)
        change = (
            "Have the agent run or test its work after the last edit, before it hands it in"
            if entry["kind"] == EDIT
            else "Have the agent run the very text that it hands in, or let the tool that takes it refuse what fails"
        )
        yield Advice(
            "prompt",
            change,
            say(
                "{passes} of {untried} pass without, {tried_passes} of {tried} with it.",
                passes=amount(entry["untried_passes"], *path, "untried_passes"),
                untried=fact(count(entry["untried"], "rollout"), entry["untried"], *path, "untried"),
                tried_passes=amount(entry["tried_passes"], *path, "tried_passes"),
                tried=amount(entry["tried"], *path, "tried"),
            ),
            failures,
            LIKELY,
        )
