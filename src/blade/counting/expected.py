"""How many rollouts there should be: from the materialized inputs, from what the user declares, or inferred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import polars as pl

from blade.counting.identity import hash_mix
from blade.frozen import frozen
from blade.model import Flaw
from blade.wording import count

BELONGS = 0.5
USUAL_SHARE = 0.8
Key = tuple[str, int]


@frozen
class Expected:
    """`per_task` is empty when nothing is known; `keys` are known only from a manifest."""

    source: str  # manifest | inferred | unknown
    note: str
    per_task: Mapping[str, int] = field(default_factory=dict)
    keys: frozenset[Key] = frozenset()
    unnamed: tuple[int, ...] = ()  # expected rollouts of each task that no file names (a declared task limit)
    flaws: tuple[Flaw, ...] = ()
    usual: int | None = None  # attempts a task, where they were inferred

    @property
    def total(self) -> int | None:
        return None if self.source == "unknown" else sum(self.per_task.values()) + sum(self.unnamed)


def expected_rows(
    frame: pl.DataFrame,
    inputs: pl.DataFrame,
    failures: pl.DataFrame,
    *,
    repeats: int | None = None,
    limit: int | None = None,
) -> Expected:
    """The manifest where one belongs to these rows, else an inference that says what it rests on."""
    flaws: tuple[Flaw, ...] = ()
    if inputs.height:
        manifest = _from_manifest(frame, inputs)
        if manifest.source == "manifest":
            return manifest
        flaws = manifest.flaws
    inferred = _inferred(frame, failures, repeats, limit)
    return replace(inferred, flaws=(*flaws, *inferred.flaws))


def expected_of_source(frame: pl.DataFrame, attempts_by_task: Mapping[str, int]) -> Expected | None:
    """What the files of another program say should be there; None where they say nothing, or of other tasks."""
    tasks = set(frame["task"].to_list())
    if not attempts_by_task or len(tasks & attempts_by_task.keys()) < BELONGS * len(tasks):
        return None
    keys = frozenset((task, attempt) for task, attempts in attempts_by_task.items() for attempt in range(attempts))
    note = f"{len(keys)} rollouts, as the files of the run say"
    return Expected("manifest", note, dict(attempts_by_task), keys)


def _from_manifest(frame: pl.DataFrame, inputs: pl.DataFrame) -> Expected:
    keys = set(manifest_keys(frame, inputs))
    have = set(frame.select("task", "attempt").rows())
    tasks_have = {task for task, _ in have}
    manifest_tasks = {task for task, _ in keys}
    shared = len(tasks_have & manifest_tasks)
    if not keys or not have or shared / len(tasks_have) < BELONGS or _speak_of_others(frame, inputs):
        flaw = Flaw(
            "manifest-does-not-match",
            f"the materialized inputs name {shared} of the {len(tasks_have)} tasks that have rollouts"
            f"{'' if shared / len(tasks_have) < BELONGS else ', and their texts and expected answers are others'}; "
            "they were left aside (a file of another run, or inputs that were made anew)",
        )
        return Expected("unknown", "", flaws=(flaw,))
    extra = len(have - keys)
    flaws: tuple[Flaw, ...] = ()
    if extra:
        text = f"{extra} rollouts are not in the materialized inputs; they are counted"
        flaws = (Flaw("rows-not-in-manifest", text, rows=extra),)
    per_task = Counter(task for task, _ in keys)
    return Expected("manifest", f"{len(keys)} rows of the materialized inputs", per_task, frozenset(keys), flaws=flaws)


def manifest_keys(frame: pl.DataFrame, inputs: pl.DataFrame) -> list[Key]:
    """(task, attempt) of every input row, in the words of the rollouts: by index, else by the task's own text."""
    tasks = input_tasks(frame, inputs)
    attempt_counts: Counter[str] = Counter()
    keys: list[Key] = []
    for task, attempt in zip(tasks, inputs["attempt_index"].to_list(), strict=True):
        number = attempt_counts[task]
        attempt_counts[task] += 1
        keys.append((task, number if attempt is None else int(attempt)))
    return keys


def input_tasks(frame: pl.DataFrame, inputs: pl.DataFrame) -> list[str]:
    """The task each input row speaks of, in the words of the rollouts: by index, else by the task's own text."""
    if frame["key_source"].eq("index").all() and inputs["task_index"].null_count() == 0:
        return [str(value) for value in inputs["task_index"].to_list()]
    return tasks_by_text(frame, inputs)


def tasks_by_text(frame: pl.DataFrame, inputs: pl.DataFrame) -> list[str]:
    """The task each input row speaks of, found by text and gold, then by text alone where that is enough."""
    exact: dict[int, str] = {}
    by_text: dict[int | None, set[str]] = {}
    for task, text, gold in frame.select("task", "text_hash", "gold_hash").rows():
        exact.setdefault(hash_mix(text, gold), task)
        by_text.setdefault(text, set()).add(task)
    tasks = []
    for place, (text, gold) in enumerate(inputs.select("text_hash", "gold_hash").rows()):
        only = by_text.get(text, set())
        task = exact.get(hash_mix(text, gold)) or (next(iter(only)) if len(only) == 1 and text is not None else None)
        tasks.append(task or f"input:{text or place}")
    return tasks


def _speak_of_others(frame: pl.DataFrame, inputs: pl.DataFrame) -> bool:
    """Under the same indices most texts and most expected answers differ; one alone may (a game adds to its text)."""
    columns = ("task_index", "text_hash", "gold_hash")
    rows = frame.select(columns).unique("task_index", keep="first", maintain_order=True)
    common_rows = rows.join(
        inputs.select(columns).unique("task_index", keep="first", maintain_order=True), on="task_index"
    )
    texts = common_rows.filter(pl.col("text_hash").is_not_null() & pl.col("text_hash_right").is_not_null())
    golds = common_rows.filter(pl.col("gold_hash").is_not_null() & pl.col("gold_hash_right").is_not_null())
    if not texts.height or not golds.height:
        return False
    same_text = texts.filter(pl.col("text_hash") == pl.col("text_hash_right")).height / texts.height
    same_gold = golds.filter(pl.col("gold_hash") == pl.col("gold_hash_right")).height / golds.height
    return max(same_text, same_gold) < BELONGS


def _inferred(frame: pl.DataFrame, failures: pl.DataFrame, repeats: int | None, limit: int | None) -> Expected:
    counts = Counter(frame["task"].to_list())
    have = set(frame.select("task", "attempt").rows())
    failed = {
        (str(task), int(attempt or 0))
        for task, attempt in failures.select("task_index", "attempt_index").rows()
        if task is not None
    }
    counts.update(task for task, _ in failed - have)
    usual = repeats or _usual(frame, counts)
    if usual is None:
        return Expected("unknown", "no materialized inputs, and the attempts per task follow no pattern")
    per_task = {task: max(usual, count) if repeats is None else usual for task, count in counts.items()}
    unnamed = (usual,) * (limit - len(counts)) if limit else ()
    basis = "declared" if repeats else "usual"
    note = f"no materialized inputs: {count(len(counts), 'task')} seen × {count(usual, 'attempt')} ({basis})"
    if limit and unnamed:
        note += f", and {count(limit, 'task')} declared"
    return Expected("inferred", note, per_task, unnamed=unnamed, usual=usual)


def _usual(frame: pl.DataFrame, counts: Mapping[str, int]) -> int | None:
    """Attempts that are usual for a task: the stamped numbers most tasks have, else the count most tasks share."""
    tasks = len(counts)
    if not tasks or (frame["key_source"] == "line").any():
        return None
    if frame["attempt_index"].null_count() == 0:
        common = frame.group_by("attempt").agg(pl.col("task").n_unique().alias("n")).filter(pl.col("n") * 2 > tasks)
        if common.height:
            return common.height
    value, share = _commonest(list(counts.values()))
    return value if share >= USUAL_SHARE else None


def _commonest(values: Sequence[int]) -> tuple[int, float]:
    value, times = max(Counter(values).items(), key=lambda pair: (pair[1], pair[0]))
    return value, times / len(values)
