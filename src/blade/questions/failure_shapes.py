"""In what shape do failures differ from the expected changes: too little, something else, too much, or all right?"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import effective_shape, refused_changes
from blade.document import Block, Fact, Paragraph, Sentence, Table, say
from blade.extract.failure_shape import EXTRA, NOTHING, OMISSION, RIGHT, SUBSTITUTION
from blade.model import Status
from blade.questions import SURE, by_task, in_order, judged, task_list
from blade.stats.strata import exact_p
from blade.wording import abridged, amount, count, fact, listed

TITLE = "The shape of the failures"
ORDER = 40
SHAPES = {
    NOTHING: "nothing done (no change was accepted)",
    OMISSION: "omission only (something missing, nothing wrong)",
    SUBSTITUTION: "substitution (something missing, something else done)",
    EXTRA: "extra (all that was expected, and more)",
    RIGHT: "every change right (the answer or the verdict fails)",
}
WITHOUT_FAULT = {
    "right": "All changes are right but it still fails in",
    "untouched": "No change was expected and none was made, but it still fails in",
}
"""Whose failures differ from the key in no change: the expected ones were made, or there is nothing to make."""
FEWEST = 3
MUCH_MORE = 1.5
PAIR = 2
TOOLS_TOLD = 4
DOES_NOT_ACT = "mostly fails by not acting"
ACTS_WRONGLY = "mostly fails by acting wrongly"
BOTH = "fails both by not acting and by acting wrongly"
CUT = {Status.TIMED_OUT.value, Status.TRUNCATED.value}
"""How a rollout ends that a limit cut: what it left undone it may have been about to do."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: how its judged failures differ from the key, and how many tasks that need a change see one."""
    refused = refused_changes(runs)
    found = [entry for run in runs if (entry := _of_run(run, refused)) is not None]
    keys = {digest for run in runs for case in run.observing("expected") for _, digest in case.observed["expected"]}
    if not found:
        return None
    return {"runs": found, "refused": len(keys & refused.keys()), "reordered": _reordered(runs, refused)}


def _of_run(run: RunCases, refused: Mapping[int, Any]) -> dict[str, Any] | None:
    cases = [(case, case.observed) for case in judged(run)]
    keyed = [(case, seen) for case, seen in cases if "shape" in seen]
    failures = [(case, effective_shape(seen, refused) or "") for case, seen in keyed if not case.passed]
    if not failures:
        return None
    shapes = Counter(shape for _, shape in failures)
    needing = [(case, seen) for case, seen in keyed if any(item not in refused for _, item in seen["expected"])]
    needs = {id(case) for case, _ in needing}
    return {
        "run": run.run.name,
        "failures": len(failures),
        "shapes": {shape: shapes[shape] for shape in SHAPES},
        "cut": sum(shape in {NOTHING, OMISSION} and case.state in CUT for case, shape in failures),
        "needing": len(needing),
        "changed": sum(any(change[2] for change in seen["changes"]) for _, seen in needing),
        "right": _names([case for case, shape in failures if shape == RIGHT and id(case) in needs]),
        "untouched": _names([case for case, shape in failures if shape == RIGHT and id(case) not in needs]),
        "silent": _silent([case for case, _ in needing]),
        "outside": _outside([case for case, seen in keyed if not case.passed]),
        "unasked": _unasked([case for case, _ in keyed if id(case) not in needs]),
    }


def _reordered(runs: Sequence[RunCases], refused: Mapping[int, Any]) -> dict[str, Any]:
    """Failures with every expected change, and no other, in another order, in tasks that no rollout passes so.

    Changes that the verifier compares as a set may come in any order: then passes do so, too.
    """
    groups = by_task([case for run in runs for case in run.observing("shape")])
    failures: list[Case] = []
    passes = 0
    for cases in groups.values():
        other_order = [case for case in cases if _in_other_order(case.observed)]
        if any(case.passed for case in other_order):
            continue
        wronged = [case for case in other_order if effective_shape(case.observed, refused) == RIGHT]
        failures += wronged
        passes += sum(bool(case.passed) for case in cases) if wronged else 0
    return {
        "rollouts": len(failures),
        "runs": dict(Counter(case.run for case in failures)),
        "tasks": in_order(case.label for case in failures),
        "passes": passes,
    }


def _in_other_order(seen: Mapping[str, Any]) -> bool:
    expected = [digest for _, digest in seen["expected"]]
    made = [digest for _, digest, accepted, is_expected, *_ in seen["changes"] if accepted and is_expected]
    return sorted(made) == sorted(expected) and made != expected


def _silent(needing: Sequence[Case]) -> dict[str, Any]:
    """Rollouts that need a change and make no call at all."""
    cases = [case for case in needing if "calls" not in case.observed]
    return {
        "rollouts": len(cases),
        "passes": sum(bool(case.passed) for case in cases),
        "tasks": in_order(case.label for case in cases),
    }


def _unasked(unchanged: Sequence[Case]) -> dict[str, Any]:
    """Failures of tasks that expect no change, those that make one all the same, and the tools they do it with."""
    failures = [case for case in unchanged if not case.passed]
    tools = [{change[0] for change in case.observed["changes"] if change[2]} for case in failures]
    counts = Counter(tool for some in tools for tool in some)
    return {
        "failures": len(failures),
        "changing": sum(map(bool, tools)),
        "tools": dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
        "tasks": in_order(case.label for case, some in zip(failures, tools, strict=True) if some),
    }


def _outside(failures: Sequence[Case]) -> list[dict[str, Any]]:
    """The tools with which failures make a change that the key lacks, those of the most failures first."""
    tools: defaultdict[str, list[Case]] = defaultdict(list)
    for case in failures:
        for tool in {tool for tool, _, accepted, expected, *_ in case.observed["changes"] if accepted and not expected}:
            tools[tool].append(case)
    ranked = sorted(tools.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [
        {"tool": tool, "rollouts": len(cases), "tasks": in_order(case.label for case in cases)}
        for tool, cases in ranked
    ]


def _names(cases: Sequence[Case]) -> list[str]:
    return sorted({case.label for case in cases})


def tell(answer: Mapping[str, Any]) -> list[Block]:
    runs = answer["runs"]
    rows: list[tuple[Any, ...]] = [
        (words, *(amount(run["shapes"][shape], *_at(place), "shapes", shape) for place, run in enumerate(runs)))
        for shape, words in SHAPES.items()
    ]
    rows.append(
        ("judged failures", *(amount(run["failures"], *_at(place), "failures") for place, run in enumerate(runs)))
    )
    note = "How the work differs from the key. This is not a cause: the key, the user or the model may be at fault."
    if answer["refused"]:
        note += " Expected changes that the environment refuses are not counted."
    return [
        Table(("Shape", *(f">{run['run']}" for run in runs)), tuple(rows), note),
        *(
            [Paragraph(tuple(_of_many(runs)))]
            if len(runs) > PAIR
            else [Paragraph(tuple(_sentences(place, run))) for place, run in enumerate(runs)]
        ),
        *(Paragraph((sentence,)) for sentence in _order_words(answer["reordered"])),
    ]


def _of_many(runs: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    """The same of more than two runs, in a sentence for each way of failing."""
    told = False
    for way in (DOES_NOT_ACT, ACTS_WRONGLY, BOTH):
        facts: dict[str, Fact | str] = {}
        parts = []
        for place, run in enumerate(runs):
            if _way(run) != way or run["failures"] < FEWEST:
                continue
            little, wrong = _sides(run)
            facts |= {
                f"little{place}": fact(f"{little:,}", little, *_at(place), "shapes"),
                f"wrong{place}": fact(f"{wrong:,}", wrong, *_at(place), "shapes"),
                f"all{place}": amount(run["failures"], *_at(place), "failures"),
            }
            words = (
                f"{{little{place}}} of {{all{place}}}; {{wrong{place}}}"
                if told
                else f"pure omissions (nothing done, or no wrong change): {{little{place}}} of {{all{place}}} "
                f"failures; wrong or extra changes: {{wrong{place}}}"
            )
            parts.append(f"{run['run']} ({words})")
            told = True
        if parts:
            yield say(f"{way[0].upper()}{way[1:]}: {listed(parts)}.", **facts)
    needing = [(place, run) for place, run in enumerate(runs) if run["needing"]]
    if needing:
        facts = {f"changed{place}": amount(run["changed"], *_at(place), "changed") for place, run in needing}
        changed = listed([f"{run['run']} {{changed{place}}} of {run['needing']:,}" for place, run in needing])
        yield say(f"Rollouts whose key lists a change and that get one accepted: {changed}.", **facts)
    for which, words in WITHOUT_FAULT.items():
        tasks = [f"{run['run']} {task_list(run[which])}" for run in runs if run[which]]
        if tasks:
            yield say(words + ": {tasks}.", tasks="; ".join(tasks))


def _order_words(entry: Mapping[str, Any]) -> Iterator[Sentence]:
    """Said where several failures are in another order than the key, and passes of their tasks are not."""
    if entry["rollouts"] < FEWEST or not entry["passes"]:
        return
    path = ("investigation", "failure_shapes", "reordered")
    yield say(
        "{rollouts} make the right changes in another order than the key ({runs}; {tasks}); the {passes} of these "
        "tasks keep to the order: read whether the task asks for it.",
        rollouts=fact(count(entry["rollouts"], "failure"), entry["rollouts"], *path, "rollouts"),
        runs=listed([f"{run} {many:,}" for run, many in entry["runs"].items()]),
        tasks=task_list(entry["tasks"]),
        passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *path, "passes"),
    )


def _sentences(place: int, run: Mapping[str, Any]) -> Iterator[Sentence]:
    shapes = run["shapes"]
    little, wrong = _sides(run)
    yield say(
        "{run}"
        + (f" {_way(run)}" if run["failures"] >= FEWEST else "")
        + ": {little} of its {failures} "
        + ("is a pure omission" if little == 1 else "are pure omissions")
        + " (nothing done, or no wrong change), {wrong} "
        + ("holds" if wrong == 1 else "hold")
        + " a wrong or an extra change ({substitutions}).",
        run=run["run"],
        little=fact(f"{little:,}", little, *_at(place), "shapes"),
        failures=fact(count(run["failures"], "failure"), run["failures"], *_at(place), "failures"),
        wrong=fact(f"{wrong:,}", wrong, *_at(place), "shapes"),
        substitutions=fact(
            count(shapes[SUBSTITUTION], "substitution"), shapes[SUBSTITUTION], *_at(place), "shapes", SUBSTITUTION
        ),
    )
    if run["cut"]:
        yield say(
            "{cut} of the omissions {were} cut off by a limit, and may have gone on.",
            cut=amount(run["cut"], *_at(place), "cut"),
            were="was" if run["cut"] == 1 else "were",
        )
    if run["needing"]:
        yield say(
            "In {changed} of its {needing} some change was accepted.",
            needing=fact(
                count(run["needing"], "rollout whose key lists a change", "rollouts whose key lists a change"),
                run["needing"],
                *_at(place),
                "needing",
            ),
            changed=amount(run["changed"], *_at(place), "changed"),
        )
    for which, words in WITHOUT_FAULT.items():
        if run[which]:
            yield say(words + ": {tasks}.", tasks=task_list(run[which]))
    silent, unasked = run["silent"], run["unasked"]
    if silent["rollouts"] >= FEWEST:
        yield say(
            "{rollouts} whose key lists a change make no call at all, and {passes} of them {pass_} ({tasks}).",
            rollouts=fact(count(silent["rollouts"], "rollout"), silent["rollouts"], *_at(place), "silent", "rollouts"),
            passes=amount(silent["passes"], *_at(place), "silent", "passes"),
            pass_="passes" if silent["passes"] == 1 else "pass",
            tasks=task_list(silent["tasks"]),
        )
    if unasked["changing"] >= FEWEST:
        path = (*_at(place), "unasked")
        yield say(
            "Of its {failures} in tasks that expect no change, {changing} still make one: {tools} ({tasks}).",
            failures=fact(count(unasked["failures"], "failure"), unasked["failures"], *path, "failures"),
            changing=amount(unasked["changing"], *path, "changing"),
            tools=listed([f"{tool} in {rollouts:,}" for tool, rollouts in unasked["tools"].items()]),
            tasks=task_list(unasked["tasks"]),
        )

    if _has_outside(run):
        entries = run["outside"]
        tools = [f"{entry['tool']} {entry['rollouts']:,} ({count(len(entry['tasks']), 'task')})" for entry in entries]
        yield say("Its failures with a change that the key lacks, by tool: {tools}.", tools=abridged(tools, TOOLS_TOLD))


def _has_outside(run: Mapping[str, Any]) -> bool:
    """Whether changes that the key lacks say more than those of tasks that expect none."""
    return bool(run["outside"]) and run["outside"][0]["rollouts"] >= max(FEWEST, run["unasked"]["changing"] + 1)


def _way(run: Mapping[str, Any]) -> str:
    """Whether a run fails by doing too little or by doing something else."""
    little, wrong = _sides(run)
    if little > wrong and little >= MUCH_MORE * wrong:
        return DOES_NOT_ACT
    return ACTS_WRONGLY if wrong > little and wrong >= MUCH_MORE * little else BOTH


def _sides(run: Mapping[str, Any]) -> tuple[int, int]:
    """Failures that do too little, and failures that do something else or too much."""
    shapes = run["shapes"]
    return shapes[NOTHING] + shapes[OMISSION], shapes[SUBSTITUTION] + shapes[EXTRA]


def _at(place: int) -> tuple[str | int, ...]:
    return ("investigation", "failure_shapes", "runs", place)


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Runs that fail in opposite ways beyond chance, corrected for all pairs of runs."""
    runs = answer["runs"]
    pairs = [
        (first["run"], other["run"])
        for first in runs
        for other in runs
        if _way(first) == DOES_NOT_ACT and _way(other) == ACTS_WRONGLY
        if (exact_p([(*_sides(first), *_sides(other))]) or 0.0) * math.comb(len(runs), 2) <= SURE
    ]
    idle, acting = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
    if acting and idle:
        yield say(
            "{idle} mostly {fail} by not acting, {acting} by acting wrongly.",
            idle=listed(idle),
            fail="fails" if len(idle) == 1 else "fail",
            acting=listed(acting),
        )
