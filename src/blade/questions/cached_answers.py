"""Are some answers out of a cache: the output of an earlier attempt in hardly any time, or a row that says so?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.counting.spending import tells_seconds
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.names import words
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact

TITLE = "Answers out of a cache"
ORDER = 14
OF_COPIES = True
FEWEST = 3
FEWEST_MADE = 5
HARDLY, NEARLY_ALL = 0.05, 0.9
"""Of the usual time of an answer that was made: whoever takes less than this made none."""
_CACHED, _NO_ANSWER = (
    frozenset({"cached", "cache"}),
    frozenset("token tokens cost input write creation control".split()),
)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the judged rollouts that say so, and those with a known output in a small part of the usual time."""
    earlier: dict[tuple[str, int], str] = {}
    entries = [entry for run in runs if (entry := _entry(run, earlier)) is not None]
    return {"runs": entries} if entries else None


def _entry(run: RunCases, earlier: dict[tuple[str, int], str]) -> dict[str, Any] | None:
    """What is cached in a run; its outputs join those of the runs before it."""
    judged_ids = {id(case) for case in judged(run)}
    rows = zip(run.cases, run.run.graded["output_hash"].to_list(), run.fields(), strict=True)
    rollouts = [(case, output, fields) for case, output, fields in rows if id(case) in judged_ids]
    flag_names = [name for name in run.field_names() if _tells(name)]
    flags = Counter(name for *_, fields in rollouts for name in flag_names if fields.get(name) is True)
    field = max(flags, key=lambda name: (flags[name], name), default="")
    repeated: list[tuple[Case, float]] = []
    made: list[float] = []
    time_names = [name for name in run.field_names() if tells_seconds(name)]
    for case, output, fields in rollouts:
        seconds = _seconds(fields, time_names)
        if seconds is not None and output is not None and (case.key, output) in earlier:
            repeated.append((case, seconds))
        elif seconds is not None:
            made.append(seconds)
        if output is not None:
            earlier.setdefault((case.key, output), run.run.name)
    usual = median(made) if len(made) >= FEWEST_MADE else 0.0
    quick = [case for case, seconds in repeated if seconds < HARDLY * usual]
    quickest = min(made) if len(made) >= FEWEST_MADE else 0.0
    all_quicker = [case for case, seconds in repeated if seconds < quickest]
    by_all = len(all_quicker) >= max(FEWEST, NEARLY_ALL * len(repeated)) and len(all_quicker) > len(quick)
    quick = all_quicker if by_all else quick
    flagged = [case for case, _, fields in rollouts if field and fields.get(field) is True]
    if len(flagged) < FEWEST and len(quick) < FEWEST:
        return None
    cached = flagged if len(flagged) >= len(quick) else quick
    return {
        "run": run.run.name,
        "rollouts": len(cached),
        "of": len(rollouts),
        "field": field if cached is flagged else "",
        "by_all": by_all and cached is quick,
        "usual_seconds": round(usual, 3),
        "tasks": in_order(case.label for case in cached),
    }


def _tells(name: str) -> bool:
    """Whether a flag says that the answer was cached; tokens of a prompt may be cached while the answer is made."""
    have = set(words(name))
    return not have.isdisjoint(_CACHED) and have.isdisjoint(_NO_ANSWER)


def _seconds(fields: Mapping[str, Any], names: Sequence[str]) -> float | None:
    """The time of a rollout by the fields that tell it, in one unit whichever it is; None where none does."""
    told = (fields.get(name) for name in names)
    values = [float(value) for value in told if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return max(values, default=None)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_words(place, entry))) for place, entry in enumerate(answer["runs"])))]


def _words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = ("investigation", "cached_answers", "runs", place)
    why = (
        f"“{entry['field']}” says so"
        if entry["field"]
        else "the same output as an attempt before, in less "
        + ("time than any that was made" if entry["by_all"] else "than a twentieth of the usual time")
    )
    yield say(
        "{rollouts} of {of} of {run} {are} out of a cache: {why} ({tasks}). They are no new attempts, and their times "
        "are not the model's.",
        rollouts=amount(entry["rollouts"], *path, "rollouts"),
        of=fact(count(entry["of"], "judged rollout"), entry["of"], *path, "of"),
        run=entry["run"],
        are="is" if entry["rollouts"] == 1 else "are",
        why=why,
        tasks=task_list(entry["tasks"]),
    )
