"""Who is who inside a run: the key of each row's task, where that key came from, and the attempt's number.

The index that Gym stamps comes first. Without it a domain id is used if it names one task and only one; then the task's
own text with its expected answer and echoed metadata; then the line. A key that was not stamped is marked as inferred.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from blade.counting.fields import Fields, names
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.task_names import ID_FIELDS, is_random_id

_NAME_WORDS = frozenset(
    "id ids ref slug key code name uid no number task case ticket problem question puzzle scenario exercise item "
    "sample example job quest challenge".split()
)
"""One of these words ends the name of a field that names tasks, whatever the author calls a task."""
_OF_ATTEMPTS = frozenset(
    "trace run session conversation thread sandbox container host machine request response rollout episode attempt "
    "trial call message worker agent model seed commit".split()
)
_WORD = late_regex(r"[A-Za-z][a-z]*")
_NAME = late_regex(r"(?=.*[A-Za-z])[\w][\w.:/#@+-]{1,79}")
HALF, NEARLY_ALL = 0.5, 0.8
FEWEST_NAMED = 10
"""So many tasks at least: in fewer a category may have a value of its own for each."""


@frozen
class Identified:
    """`frame` gains `task`, `key_source`, `label` and `attempt`; `id_field` is the domain id that names its tasks."""

    frame: pl.DataFrame
    id_field: str | None
    inferred: bool


def identify(facts: pl.DataFrame, rows: Sequence[Fields], match_by: str | None = None) -> Identified:
    """Give every row of one run (one agent, one skill variant) its task and its attempt.

    `match_by` is the field that names the tasks where the user says so; a stamped index still goes first.
    """
    content = [_content_key(*values) for values in _content(facts)]
    index = facts["task_index"].to_list()
    stamped = all(value is not None for value in index)
    keys: list[str] = []
    sources: list[str] = []
    if stamped:
        keys, sources = [str(value) for value in index], ["index"] * facts.height
    else:
        golds = [None if gold is None else f"{gold:x}" for gold in facts["gold_hash"].to_list()]
        field = (
            _usable_id(rows, golds if spoken(facts) else content)
            or _named_like_texts(rows, facts)
            or _named_beside_texts(rows, facts)
        )
        if any(row.get(match_by or "") is not None for row in rows):
            field = match_by
        for place, value in enumerate(index):
            key, source = _fallback_key(place, value, rows, field, content, facts)
            keys.append(key)
            sources.append(source)
    frame = facts.with_columns(pl.Series("task", keys, pl.String), pl.Series("key_source", sources, pl.String))
    labels, label_field = _labels(keys, rows)
    frame = frame.with_columns(pl.Series("label", labels, pl.String))
    return Identified(number_attempts(frame), label_field, not stamped)


def _fallback_key(
    place: int,
    index: int | None,
    rows: Sequence[Fields],
    field: str | None,
    content: Sequence[str | None],
    facts: pl.DataFrame,
) -> tuple[str, str]:
    if index is not None:
        return str(index), "index"
    if field is not None and rows[place].get(field) is not None:
        return str(rows[place][field]), "domain_id"
    key = content[place]
    if key is not None:
        return f"text:{key}", "text"
    return f"line:{facts['file'][place]}:{facts['line'][place]}", "line"


def _content(facts: pl.DataFrame) -> list[tuple[Any, ...]]:
    return facts.select("text_hash", "gold_hash", "meta_hash").rows()


def _content_key(text: int | None, gold: int | None, meta: int | None) -> str | None:
    if text is None and gold is None:
        return None
    return f"{hash_mix(text, gold, meta):016x}"


def hash_mix(*values: int | None) -> int:
    """One 64-bit number from several, order included."""
    mixed = 0x9E3779B97F4A7C15
    for value in values:
        mixed = ((mixed ^ ((value or 0) + 0x9E3779B97F4A7C15)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed ^= mixed >> 29
    return mixed


def _usable_id(rows: Sequence[Fields], content: Sequence[str | None]) -> str | None:
    """The first domain id that is on every row and never names two different contents."""
    for field, values in _complete_ids(rows):
        if _names_one_content(values, content) and (len(set(values)) > 1 or len(rows) == 1):
            return field
    return None


def _named_like_texts(rows: Sequence[Fields], facts: pl.DataFrame) -> str | None:
    """The first domain id with one value for each text, and one text for each value, in rows that repeat both.

    What is taken for the key, or for a property of the task, may differ between attempts, and is then none.
    """
    texts = [str(text) for text in facts["text_hash"].to_list() if text is not None]
    several = 1 < len(set(texts)) <= len(texts) / 2
    if spoken(facts) or not several or len(texts) < len(rows):
        return None
    return next((field for field, values in _complete_ids(rows) if _one_to_one(texts, values)), None)


def _named_beside_texts(rows: Sequence[Fields], facts: pl.DataFrame) -> str | None:
    """The first domain id whose tasks open otherwise in each attempt, while another field says what each asks for.

    A page or a screen that stands in the prompt differs from attempt to attempt: such a text is none of the task. A
    number of the attempt has few values with many rows each, and no field goes with it.
    """
    texts = facts["text_hash"].to_list()
    for field, values in _complete_ids(rows) if None not in texts else ():
        by_value: dict[str, set[int]] = {}
        rows_of: Counter[str] = Counter(values)
        for value, text in zip(values, texts, strict=True):
            by_value.setdefault(value, set()).add(text)
        repeated = [value for value, rows_with in rows_of.items() if rows_with > 1]
        apart = sum(len(by_value[value]) > 1 for value in repeated)
        mostly_one_each = len(repeated) < HALF * len(rows_of) or max(rows_of.values()) > len(rows_of)
        if not mostly_one_each and apart >= NEARLY_ALL * len(repeated) and _goes_with_a_text(rows, values, field):
            return field
    return None


def _goes_with_a_text(rows: Sequence[Fields], values: Sequence[str], field: str) -> bool:
    """Whether a field of words has one value for each id, and hardly any value stands under two."""
    for name in names(rows):
        texts = [row.get(name) for row in rows]
        if name == field or not all(isinstance(text, str) and " " in text for text in texts):
            continue
        pairs = set(zip(values, texts, strict=True))
        if len(pairs) == len(set(values)) and len(set(texts)) >= HALF * len(pairs):
            return True
    return False


def spoken(facts: pl.DataFrame) -> bool:
    """Whether somebody else spoke in most rollouts: the opening is then theirs, and differs between attempts."""
    return facts.height > 0 and (facts["user_turns"].fill_null(0) > 0).sum() * 2 >= facts.height


def _complete_ids(rows: Sequence[Fields]) -> Iterator[tuple[str, list[str]]]:
    """Domain ids that stand on every row, likeliest first, with their values as text."""
    present = set(names(rows))
    for field in ID_FIELDS:
        if field in present:
            values = [row.get(field) for row in rows]
            if not any(value is None or isinstance(value, (bool, float)) for value in values):
                yield field, [str(value) for value in values]


def _names_one_content(values: Sequence[str], content: Sequence[str | None]) -> bool:
    content_of: dict[str, str] = {}
    pairs = zip(values, content, strict=True)
    return all(content_of.setdefault(value, key) == key for value, key in pairs if key is not None)


def _labels(keys: Sequence[str], rows: Sequence[Fields]) -> tuple[list[str], str | None]:
    """What people call the tasks: a domain id that stands one to one with the key, else the key itself."""
    for field, values in _complete_ids(rows):
        if _one_to_one(keys, values):
            return values, field
    return _names_by_shape(keys, rows) or (list(keys), None)


def _names_by_shape(keys: Sequence[str], rows: Sequence[Fields]) -> tuple[list[str], str] | None:
    """The names that the author of a benchmark gives its tasks in a field with a name of his own, and that field.

    A value without blanks stands on every row, one to one with the task. Where each task has one attempt that holds of
    what names the attempt, too: there the field's last word must be one for names.
    """
    several = len(set(keys)) < len(keys)
    candidates = []
    for field in names(rows) if len(set(keys)) >= FEWEST_NAMED else ():
        words = [word.lower() for word in _WORD.findall(field)]
        named = bool(words) and words[-1] in _NAME_WORDS
        if field.startswith("response.") or not (several or (named and _OF_ATTEMPTS.isdisjoint(words))):
            continue
        values = [row.get(field) for row in rows]
        if all(isinstance(value, str) and _NAME.fullmatch(value) for value in values):
            texts = [str(value) for value in values]
            if _one_to_one(keys, texts) and not any(map(is_random_id, texts)):
                candidates.append((not named, sum(map(len, texts)), field, texts))
    if not candidates:
        return None
    _, _, field, texts = min(candidates)
    return texts, field


def _one_to_one(left: Sequence[str], right: Sequence[str]) -> bool:
    right_of: dict[str, str] = {}
    back: dict[str, str] = {}
    return all(
        right_of.setdefault(left_value, right_value) == right_value
        and back.setdefault(right_value, left_value) == left_value
        for left_value, right_value in zip(left, right, strict=True)
    )


def number_attempts(frame: pl.DataFrame) -> pl.DataFrame:
    """Attempt numbers: as stamped; without a stamp, counted in an order that rows' places cannot change.

    Two rows with the same bytes and the same time stamp of the response are one attempt written twice; a stamp of zero
    is none.
    """
    order = frame.with_row_index("_place").sort("task", "created_at", "row_hash", "_place", nulls_last=True)
    copy = pl.struct("task", "row_hash").is_first_distinct().not_() & (pl.col("created_at").fill_null(0) > 0)
    numbered = order.with_columns((copy.not_().cast(pl.Int64).cum_sum().over("task") - 1).alias("_counted")).sort(
        "_place"
    )
    return frame.with_columns(pl.coalesce(frame["attempt_index"], numbered["_counted"]).alias("attempt"))
