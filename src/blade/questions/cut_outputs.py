"""Are the answers of tools cut at one length in a run, and does it lose there what the other runs win?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.observed import NEARLY_AS_LONG
from blade.questions import OF_THE_EVALUATION, by_task, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, percent

TITLE = "Answers of tools that are cut"
ORDER = 76
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_TASKS, FEWEST_OUTPUTS = 8, 3, 20
SHARE = 0.2
"""So large a part of a run's rollouts has its longest answer at nearly one length, and of the others a longer one."""
SELDOM = 0.01
FAR_LONGER = 1.2
LIKELY = 0.5
SURE = 0.05
_LENGTH, _TIMES = 0, 1


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the length at which answers of tools end, how many do, and how rollouts that meet one end."""
    cases = {run.run.name: [case for case in judged(run) if case.actions] for run in runs}
    entries = [entry for run, rows in cases.items() if (entry := _entry(run, rows, cases)) is not None]
    return {"runs": entries} if entries else None


def _entry(run: str, rows: Sequence[Case], cases: Mapping[str, Sequence[Case]]) -> dict[str, Any] | None:
    longest = sorted(length for case in rows if (length := _longest(case)))
    if len(longest) < FEWEST:
        return None
    length = longest[len(longest) - 1 - int(SELDOM * len(longest))]
    cut = [case for case in rows if NEARLY_AS_LONG * length <= _longest(case) <= length]
    outputs = sum(case.observed["longest_output"][_TIMES] for case in cut)
    other_cases = [case for name, other_rows in cases.items() if name != run for case in other_rows]
    longer = [case for case in other_cases if _longest(case) > FAR_LONGER * length]
    if len(cut) < max(FEWEST, SHARE * len(rows)) or outputs < FEWEST_OUTPUTS or len(longer) < SHARE * len(other_cases):
        return None
    if not other_cases or len(cut) == len(rows):  # answers of one length in every rollout are the tool's usual ones
        return None
    keys = {case.key for case in cut}
    return {
        "run": run,
        "length": length,
        "outputs": outputs,
        **_outcome_counts("cut", cut),
        **_outcome_counts("whole", [case for case in rows if _longest(case) < NEARLY_AS_LONG * length]),
        **_outcome_counts("others", [case for case in other_cases if case.key in keys]),
        "others_longer": len(longer),
        "others_longest": max(map(_longest, other_cases)),
        "never": _never(rows, other_cases, cut),
        "p": _p(cut, [case for case in other_cases if case.key in keys]),
    }


def _longest(case: Case) -> int:
    return int(case.observed.get("longest_output", (0, 0))[_LENGTH])


def _outcome_counts(name: str, cases: Sequence[Case]) -> dict[str, int]:
    return {name: len(cases), f"{name}_passes": sum(bool(case.passed) for case in cases)}


def _never(rows: Sequence[Case], other_cases: Sequence[Case], cut: Sequence[Case]) -> list[str]:
    """Tasks with a cut answer that the run never passes and the others mostly do."""
    own, other_tasks = by_task(rows), by_task(other_cases)
    keys = dict.fromkeys(case.key for case in cut)
    return [
        own[key][0].label
        for key in keys
        if not any(case.passed for case in own[key])
        and 2 * sum(bool(case.passed) for case in other_tasks.get(key, ())) > len(other_tasks.get(key, ()))
    ]


def _p(cut: Sequence[Case], other_cases: Sequence[Case]) -> float | None:
    """The exact test of rollouts with a cut answer against the other runs at the same tasks."""
    tasks, other_tasks = by_task(cut), by_task(other_cases)
    p = exact_p([(*_outcomes(cases), *_outcomes(other_tasks.get(key, ()))) for key, cases in tasks.items()])
    return None if p is None else significant(p, WRITTEN)


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The run that loses most where its answers are cut."""
    losing = [
        (place, entry)
        for place, entry in enumerate(answer["runs"])
        if _loses(entry) or len(entry["never"]) >= FEWEST_TASKS
    ]
    if losing:
        place, entry = max(losing, key=lambda pair: (pair[1]["cut"] - pair[1]["cut_passes"], -pair[0]))
        yield _where(place, entry)


def _loses(entry: Mapping[str, Any]) -> bool:
    """Whether rollouts with a cut answer pass less often than the other runs there, beyond chance."""
    if not entry["others"] or entry["p"] is None or entry["p"] > SURE:
        return False
    return bool(entry["cut_passes"] * entry["others"] < entry["others_passes"] * entry["cut"])


def _where(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = _at(place)
    return say(
        "Answers of tools in {run} end at {length} characters: {outputs} in {cut} come within 5% of that, and hardly "
        "any is longer; in {longer} of the other runs some are, up to {longest}.",
        run=entry["run"],
        length=amount(entry["length"], *path, "length"),
        outputs=amount(entry["outputs"], *path, "outputs"),
        cut=fact(count(entry["cut"], "rollout"), entry["cut"], *path, "cut"),
        longer=fact(count(entry["others_longer"], "rollout"), entry["others_longer"], *path, "others_longer"),
        longest=amount(entry["others_longest"], *path, "others_longest"),
    )


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = _at(place)
    yield _where(place, entry)
    whole = f", of its {entry['whole']:,} others {entry['whole_passes']:,}" if entry["whole"] else ""
    yield say(
        "Of the rollouts that meet such an answer {passes} pass{whole}{others}.",
        passes=amount(entry["cut_passes"], *path, "cut_passes"),
        whole=whole,
        others=(
            f"; the other runs pass {entry['others_passes']:,} of {entry['others']:,} "
            f"({percent(entry['others_passes'] / entry['others'])}) at these tasks"
            if entry["others"]
            else ""
        ),
    )
    if len(entry["never"]) >= FEWEST_TASKS:
        yield say(
            "It never passes {tasks} with such an answer that the other runs mostly pass ({names}): read whether what "
            "is needed there lies beyond the cut.",
            tasks=count(len(entry["never"]), "task"),
            names=task_list(entry["never"]),
        )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    for place, entry in enumerate(answer["runs"]):
        if _loses(entry):
            failures = entry["cut"] - entry["cut_passes"]
            yield Advice(
                "harness",
                f"Let {entry['run']} see whole answers of its tools, or page through them, and run these tasks again",
                say(
                    "Its answers end at {length} characters, in {cut} that fail more often than the others there.",
                    length=amount(entry["length"], *_at(place), "length"),
                    cut=fact(count(entry["cut"], "rollout"), entry["cut"], *_at(place), "cut"),
                ),
                failures,
                LIKELY,
            )


def _at(place: int) -> tuple[str | int, ...]:
    return "investigation", "cut_outputs", "runs", place
