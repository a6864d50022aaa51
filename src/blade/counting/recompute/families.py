"""Finds the row field behind each score of the pass@k family, then recomputes its keys.

A key that names no score (`pass@1`, `pass^4`, `pass_at_k`) speaks of the reward. Its unit, a share or a percentage, and
its definition are those that give most of its kind; where the rewards are graded and none gives all, it is unchecked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from blade.counting.recompute import passk
from blade.counting.recompute.compare import Miss, Tally, agree
from blade.counting.recompute.rows import ScoredRow, as_number
from blade.frozen import frozen
from blade.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Tasks = list[list[ScoredRow]]
_KEY = late_regex(
    r"(?:(?P<subset>.+?)/)?"
    r"(?:pass(?:@|_at_)(?P<pass>\d+|k)|pass@1\[avg-of-(?P<avg>\d+)\]|pass(?:\^|_hat_)(?P<all>\d+|k)"
    r"|majority@(?P<majority>\d+|k))"
    r"(?:/(?P<score>.+?))??"
    r"(?:/(?P<spread>std_dev_across_runs|std_err_across_runs|avg_sample_std_dev))?",
    re.DOTALL,
)
_EVERY = -1
"""The k of `pass@k` spelt with the letter: as many as the task that was tried most often has."""
ANY_DRAW = "the chance that k drawn attempts hold a pass"
FIRST_ATTEMPTS = "the first k attempts of each task"
ALL_ROLLOUTS = "the mean over all rollouts"
_FORMULAS: Mapping[str, Callable[[Sequence[passk.Scores], int], float | None]] = {
    "pass": passk.pass_at,
    "avg": passk.average_of,
    "all": passk.all_of,
    "avg_sample_std_dev": passk.spread_within_tasks,
}
_PERCENT = 100.0
_PROBES = 3
_OTHERWISE = "The row numbers agree: the benchmark may take this score from something that the rows do not show."


@frozen
class FamilyKey:
    """One key taken apart; `kind` is pass, avg, all, majority, run or the name of a spread.

    `score` is empty where the key names none; `share` says that the value is a fraction of one, not a percentage.
    """

    text: str
    subset: str | None
    kind: str
    k: int
    score: str
    share: bool = False


@frozen
class ScoreSource:
    """A guess at the score function: a field as it is, as "above zero", as "all of one", or as "no answer here"."""

    field: str
    how: str = "value"

    def __str__(self) -> str:
        marks = {"value": "", "positive": " > 0", "whole": " ≥ 1", "absent": " is null"}
        return self.field + marks[self.how]

    def score(self, row: ScoredRow) -> float | None:
        if self.how == "absent":
            return 1.0 if row.answers.get(self.field) is None else 0.0
        value = row.numbers.get(self.field)
        if value is None:
            value = as_number(row.fields.get(self.field))
        if value is None or self.how == "value":
            return value
        return 1.0 if (value >= 1 if self.how == "whole" else value > 0) else 0.0


@frozen
class ScoreTable:
    """The scores of one source, task by task, with the answers of one answer field and one definition of pass@k."""

    scores: list[passk.Scores]
    answers: list[list[str | None]]
    means: list[float]
    definition: str = ANY_DRAW

    def value(self, key: FamilyKey) -> float | None:
        stored_value = self._value(key)
        return (
            stored_value / _PERCENT
            if key.share and stored_value is not None and key.kind != "avg_sample_std_dev"
            else stored_value
        )

    def _value(self, key: FamilyKey) -> float | None:
        k = key.k if key.k != _EVERY else max(map(len, self.scores), default=0)
        if key.kind == "pass" and self.definition == FIRST_ATTEMPTS:
            return passk.best_of_first(self.scores, k)
        if key.kind == "pass" and self.definition == ALL_ROLLOUTS and k == 1:
            return passk.mean_of_rollouts(self.scores)
        if key.kind in _FORMULAS:
            return _FORMULAS[key.kind](self.scores, k)
        if key.kind == "majority":
            return passk.majority_at(self.scores, self.answers, k)
        if key.kind == "run":
            return self.means[k] if k < len(self.means) else None
        spread = passk.spread_of_runs(self.means, k)
        return None if spread is None else spread[key.kind == "std_err_across_runs"]


@frozen
class KeyReading:
    """One way to read a family of keys, with the keys that come out right."""

    source: ScoreSource
    preferred: bool
    values: Mapping[str, float | None]
    right: frozenset[str]
    definition: str = ANY_DRAW
    binary: bool = True


def split_key(text: str) -> FamilyKey | None:
    """The parts of `<subset>/<mode>/<score>/<spread>`, or nothing for any other key."""
    match = _KEY.fullmatch(text)
    if match is None:
        return None
    kind = next(kind for kind in ("pass", "avg", "all", "majority") if match[kind])
    k = _EVERY if match[kind] == "k" else int(match[kind][:9])
    if match["spread"] and kind != "avg":
        return None
    return FamilyKey(text, match["subset"], match["spread"] or kind, k, match["score"] or "")


def split_run_means(stored: object) -> Iterator[tuple[FamilyKey, object]]:
    """The entries of `per_sample_aggregate`, each as a key of its own."""
    if not isinstance(stored, dict):
        return
    for score, means in stored.items():
        for place, value in enumerate(means if isinstance(means, list) else [means]):
            yield FamilyKey(f"per_sample_aggregate/{score}[{place}]", None, "run", place, str(score)), value


def check_families(
    stored: Sequence[tuple[FamilyKey, object]], rows: Sequence[ScoredRow], tally: Tally, *, rows_agree: bool
) -> None:
    """Recomputes the keys in the order that explains most: rollout index first, else the order of the file.

    `rows_agree` says that the baseline gives the same rows; then a score that no field explains is the benchmark's.
    Rows that bear no index cannot be told apart by task: what a key means that names no score is open there.
    """
    unnamed = len(rows) != 1 and len({(row.task, row.attempt) for row in rows}) < 2
    for key, _ in stored:
        if unnamed and (not rows or (not key.score and key.k != 1)):
            tally.leave(key.text)
    stored = [pair for pair in stored if pair[0].text not in tally.unknown]
    if not stored:
        return
    best: tuple[str, Tally] | None = None
    for order in ("rollout index", "file") if rows_agree else ("rollout index",):
        attempt = Tally(tally.tolerance)
        _check_in_order(stored, group(rows, order), attempt, rows_agree=rows_agree)
        if best is None or attempt.matched > best[1].matched:
            best = (order, attempt)
        if attempt.matched == len(stored):
            break
    order, best_tally = best or ("", Tally(tally.tolerance))
    tally.matched += best_tally.matched
    for miss in best_tally.misses:
        tally.miss(miss)
    tally.unknown |= best_tally.unknown
    tally.notes += best_tally.notes
    if order == "file":
        tally.notes.append("The first k rollouts of a task are taken in the order of the file, not by rollout index.")


def group(rows: Iterable[ScoredRow], order: str) -> Tasks:
    """The rollouts of each task, tasks by index."""
    tasks: defaultdict[int, list[ScoredRow]] = defaultdict(list)
    for row in rows:
        tasks[row.task].append(row)
    if order == "rollout index":
        for task in tasks.values():
            task.sort(key=lambda row: row.attempt)
    return [tasks[index] for index in sorted(tasks)]


def _check_in_order(
    stored: Sequence[tuple[FamilyKey, object]], tasks: Tasks, tally: Tally, *, rows_agree: bool
) -> None:
    families: defaultdict[tuple[str | None, str], list[tuple[FamilyKey, object]]] = defaultdict(list)
    for key, value in stored:
        families[key.subset, key.score].append((key, value))
    for (subset, score), keys in families.items():
        readings = [
            _read(unit_keys, task_subset, score, tally.tolerance, search=rows_agree)
            for task_subset in ([tasks] if subset is None else _subsets(tasks, subset))
            for unit_keys in _units(keys, score)
        ]
        best_reading = max(
            (reading for reading in readings if reading), key=lambda reading: len(reading.right), default=None
        )
        if best_reading is None or not _believed(best_reading, len(keys), score, rows_agree=rows_agree):
            for key, _ in keys:
                tally.leave(key.text)
            continue
        _count(keys, best_reading, tally, rows_agree=rows_agree)


def _units(keys: Sequence[tuple[FamilyKey, object]], score: str) -> Iterator[Sequence[tuple[FamilyKey, object]]]:
    """The keys as percentages; without a score's name also as shares of one, and first so where none is above one."""
    if score:
        yield keys
        return
    shares = [(replace(key, share=True), value) for key, value in keys]
    above_one = any(abs(as_number(value) or 0.0) > 1 for _, value in keys)
    yield from (keys, shares) if above_one else (shares, keys)


def _believed(reading: KeyReading, size: int, score: str, *, rows_agree: bool) -> bool:
    """Whether the keys that come out wrong are disagreements, or the source is not the benchmark's."""
    right = len(reading.right)
    if not score:
        return right == size or reading.binary
    if right and not reading.preferred and all(reading.values.get(key) in (0.0, _PERCENT) for key in reading.right):
        return False  # nothing and everything are what many fields give
    if right == size or score == "accuracy" or (size >= 5 and right * 5 >= size * 4):
        return True
    if score == "no_answer":
        return reading.preferred and not rows_agree
    return reading.preferred and (right > 0 or not rows_agree)


def _count(keys: Sequence[tuple[FamilyKey, object]], reading: KeyReading, tally: Tally, *, rows_agree: bool) -> None:
    votes = [key.text for key, _ in keys if key.kind == "majority"]
    votes_right = sum(text in reading.right for text in votes)
    votes_known = votes_right * 2 >= len(votes) or (not rows_agree and votes_right > 0)
    for key, value in keys:
        if key.text in reading.right:
            tally.matched += 1
        elif key.kind == "majority" and not votes_known:
            tally.leave(key.text)
        else:
            hint = _OTHERWISE if rows_agree and not reading.right and key.score else None
            tally.miss(Miss(key.text, value, reading.values[key.text], hint=hint))
    score_name = keys[0][0].score or keys[0][0].text
    if str(reading.source) not in (score_name, "reward"):
        tally.notes.append(f"{score_name} is read as {reading.source}.")
    if reading.definition != ANY_DRAW:
        tally.notes.append(f"{score_name} is read as {reading.definition}.")


def _read(
    keys: Sequence[tuple[FamilyKey, object]], tasks: Tasks, score: str, tolerance: float, *, search: bool
) -> KeyReading | None:
    """The source that gets most keys right; the likelier one where several do.

    Without `search` only those that the name suggests are tried: other rows cannot tell one source from another.
    """
    best: KeyReading | None = None
    for source, preferred in _sources(tasks, score):
        if not preferred and not search:
            break
        for definition in (ANY_DRAW,) if score else (ANY_DRAW, ALL_ROLLOUTS, FIRST_ATTEMPTS):
            reading = _try(keys, tasks, source, definition, preferred=preferred, tolerance=tolerance)
            if best is None or len(reading.right) > len(best.right):
                best = reading
            if len(best.right) == len(keys):
                return best
    return best


def _try(
    keys: Sequence[tuple[FamilyKey, object]],
    tasks: Tasks,
    source: ScoreSource,
    definition: str,
    *,
    preferred: bool,
    tolerance: float,
) -> KeyReading:
    scores: list[passk.Scores] = [[source.score(row) for row in task] for task in tasks]
    means = passk.run_means(scores)
    plain = [pair for pair in keys if pair[0].kind != "majority"]
    votes = [pair for pair in keys if pair[0].kind == "majority"]
    bare = ScoreTable(scores, [], means, definition)
    if not preferred and plain and not _evaluate(plain[:_PROBES], bare, tolerance)[1]:
        return KeyReading(source, preferred, dict.fromkeys(key.text for key, _ in keys), frozenset())
    values, right = _evaluate(plain, bare, tolerance)
    best: tuple[dict[str, float | None], set[str]] = {key.text: None for key, _ in votes}, set()
    names = [source.field] if source.how == "absent" else _names(row.answers for task in tasks for row in task)
    for name in names if votes else []:
        answers = [[row.answers.get(name) for row in task] for task in tasks]
        evaluated = _evaluate(votes, ScoreTable(scores, answers, means, definition), tolerance)
        if len(evaluated[1]) > len(best[1]) or name == names[0]:
            best = evaluated
        if len(best[1]) == len(votes):
            break
    binary = source.how == "value" and all(score in (None, 0, 1) for task in scores for score in task)
    return KeyReading(source, preferred, values | best[0], frozenset(right | best[1]), definition, binary)


def _evaluate(
    keys: Sequence[tuple[FamilyKey, object]], table: ScoreTable, tolerance: float
) -> tuple[dict[str, float | None], set[str]]:
    values = {key.text: table.value(key) for key, _ in keys}
    right = {
        key.text
        for key, stored in keys
        if agree(as_number(stored), values[key.text], _PERCENT, tolerance) and as_number(stored) is not None
    }
    return values, right


def _sources(tasks: Tasks, score: str) -> Iterator[tuple[ScoreSource, bool]]:
    """The guesses at a score function, likeliest first; the flag marks those that the name itself suggests."""
    if not score:
        yield from ((ScoreSource("reward", transform), True) for transform in ("value", "whole", "positive"))
        return
    rows = [row for task in tasks for row in task]
    columns = _names(row.numbers for row in rows)
    likely_names = ["reward"] if score == "accuracy" else []
    if score == "no_answer":
        yield from ((ScoreSource(name, "absent"), True) for name in _names(row.answers for row in rows))
    likely_names += [name for name in (score,) if name in columns]
    yield from ((ScoreSource(name), True) for name in likely_names)
    nested = [
        name
        for name in _names(row.fields for row in rows)
        if any(as_number(row.fields.get(name)) is not None for row in rows)
    ]
    other_names = [name for name in dict.fromkeys(["reward", *columns, *nested]) if name not in likely_names]
    yield from ((ScoreSource(name), False) for name in other_names)
    yield from ((ScoreSource(name, "positive"), False) for name in [*likely_names, *other_names])


def _names(mappings: Iterable[Mapping[str, object]]) -> list[str]:
    return sorted({name for mapping in mappings for name in mapping})


def _subsets(tasks: Tasks, subset: str) -> Iterator[Tasks]:
    """The tasks whose first rollout has this value, for every field that has it; empty values make no subset."""
    first = [task[0].fields for task in tasks]
    for name in _names(first):
        subset_tasks = [
            task
            for task, fields in zip(tasks, first, strict=True)
            if fields.get(name) and subset in (str(fields[name]), f"{name}={fields[name]}")
        ]
        if subset_tasks:
            yield subset_tasks
