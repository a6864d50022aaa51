"""Conditions on rollouts: an SQL expression over the columns of the wide table, with `has` and `grep` added.

Only expressions are read (`polars.sql_expr`): there are no statements, no tables and no files to be named in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product

import polars as pl

from blade.errors import UsageError
from blade.index.observations import OBSERVATIONS
from blade.index.tables import Index
from blade.patterns import HINT, LinearPattern, PatternError
from blade.queries.texts import ACTORS, TextMatch, TextPattern, search
from blade.registry import plugins
from blade.run_names import run_named

COLUMNS = "The columns: blade count --columns RUN…"
MOST_GREPS = 4
_STRING = re.compile(r"'(?:[^']|'')*'")
_GREP = re.compile(r"\bi?grep\s*\(\s*('(?:[^']|'')*')\s*(?:,\s*'([^']*)'\s*)?\)", re.IGNORECASE)
_GREP_CALL = re.compile(r"\bi?grep\s*\(", re.IGNORECASE)
_HAS = re.compile(r"\bhas\s*\(", re.IGNORECASE)
_HAS_NAME = re.compile(r"\bhas\s*\(\s*(findings|observations)\s*,\s*'((?:[^']|'')*)'\s*\)", re.IGNORECASE)
_STATEMENT = re.compile(r";|\b(?:select|from|insert|update|delete|drop|create|copy|attach)\b", re.IGNORECASE)
_FOUND = "grep_{}"
_NO_WORD = re.compile(r"\W+")
_FIELD = re.compile(r"'(?:[^']|'')*'|(?<![\w.])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?![\w.]|\s*\()")
"""A text, or a field of the row by its dotted name."""


_RUNS = re.compile(
    r"'(?:[^']|'')*'|(?<![\w.])run\s*(?:=|==|!=|<>|\b(?:not\s+)?in\s*\()\s*(?:'(?:[^']|'')*'\s*,?\s*)+", re.IGNORECASE
)
"""A text, which is left alone, or the runs that a condition names."""


def with_whole_names(text: str, runs: Sequence[str]) -> str:
    """A condition with the whole names of the runs that it names; a run that does not exist would be counted as 0."""

    def whole_name(name: re.Match[str]) -> str:
        return quoted(run_named(name[0][1:-1].replace("''", "'"), runs))

    return _RUNS.sub(lambda part: part[0] if part[0][0] == "'" else _STRING.sub(whole_name, part[0]), text)


def quoted(text: str) -> str:
    """A text as conditions write it."""
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class Condition:
    """What is asked of rollouts: an expression, and the patterns that its `grep` calls look for."""

    text: str
    expression: pl.Expr
    patterns: tuple[TextPattern, ...]


def condition(text: str) -> Condition:
    """Read a condition; what is none is a usage error."""
    patterns: list[TextPattern] = []

    def remember(match: re.Match[str]) -> str:
        words, actors = match[1][1:-1].replace("''", "'"), match[2] or ""
        ignore = match[0].lower().startswith("igrep")
        patterns.append(
            pattern(words, [clause.strip() for clause in actors.split(",") if clause.strip()], ignore_case=ignore)
        )
        return _FOUND.format(len(patterns) - 1)

    for column, name in _HAS_NAME.findall(text):
        _refuse_unknown_name(column.lower(), name)
    sql = _with_columns(_HAS.sub("array_contains(", _GREP.sub(remember, text)))
    if _GREP_CALL.search(_STRING.sub("''", sql)):
        hint = "The pattern stands in '…', and a ' inside it is doubled: grep('KeyError: ''A''')."
        raise UsageError(f"The pattern of a grep cannot be read: {text}", hint)
    if _STATEMENT.search(_STRING.sub("''", sql)):
        raise UsageError(
            f"'{text}' is more than a condition.", "Give what follows WHERE, such as: failed and calls > 20"
        )
    if len(patterns) > MOST_GREPS:
        raise UsageError(f"A condition holds at most {MOST_GREPS} calls of grep.", "Join their patterns with |.")
    try:
        return Condition(text, pl.sql_expr(sql), tuple(patterns))
    except (pl.exceptions.PolarsError, ValueError) as error:
        hint = "Such as: failed and calls > 20 and grep('no such file', 'tool')"
        raise UsageError(f"'{text}' is no condition ({_first_line(error)}).", hint) from None


def field_column(name: str) -> str:
    """The column of a field of the row that is called by its dotted name, as reports write it."""
    return f"row_{_NO_WORD.sub('_', name).strip('_')}" if "." in name and "'" not in name else name


def _with_columns(sql: str) -> str:
    """A condition with dotted names of fields as the names of their columns; texts are left alone."""
    return _FIELD.sub(lambda part: field_column(part[1]) if part[1] else part[0], sql)


def _refuse_unknown_name(column: str, name: str) -> None:
    """A rule or an observation that does not exist would be counted as 0."""
    names = {"findings": sorted(plugins("detectors")), "observations": sorted(OBSERVATIONS)}
    if name in names[column]:
        return
    kind = "detectors" if column == "findings" else column
    near = get_close_matches(name, names[column], 3, 0.5)
    hint = f"Nearest: {', '.join(near)}. " if near else ""
    if name in {*names["findings"], *names["observations"]}:
        other = "observations" if column == "findings" else "findings"
        hint = f"It is one of the {other}: has({other}, '{name}'). "
    raise UsageError(f"None of the {column} is named '{name}'.", f"{hint}All of them: blade list {kind}")


def pattern(words: str, actors: Sequence[str] = (), *, ignore_case: bool = False) -> TextPattern:
    """A regular expression to be sought in the words of some actors."""
    unknown = [actor for actor in actors if actor not in ACTORS]
    if unknown:
        raise UsageError(f"No actor is named '{unknown[0]}'.", f"There are: {', '.join(ACTORS)}.")
    if not words:
        raise UsageError("The pattern is empty: it would stand everywhere.", "Give words, or a regular expression.")
    try:
        return TextPattern(LinearPattern(words, ignore_case), frozenset(actors))
    except PatternError as error:
        raise UsageError(f"'{words}' is no regular expression ({error}).", HINT) from None


@dataclass(frozen=True)
class Selected:
    """The rollouts of the wide table that are meant."""

    rows: pl.DataFrame
    matches: dict[int, TextMatch]
    """Place in `rows` → the first match of the condition's first pattern."""


def select(index: Index, conditions: Sequence[Condition]) -> Selected:
    """The rollouts that meet every condition; words are sought only where the rest leaves it open."""
    rows = index.rollouts.collect()
    matches: dict[int, TextMatch] = {}
    for clause in conditions:
        mask, hits = _mask(rows, clause)
        places = mask.arg_true().to_list()
        earlier = hits or matches
        matches = {new: earlier[old] for new, old in enumerate(places) if old in earlier}
        rows = rows.filter(mask)
    return Selected(rows, matches)


def _mask(rows: pl.DataFrame, clause: Condition) -> tuple[pl.Series, dict[int, TextMatch]]:
    matches: dict[int, TextMatch] = {}
    if not clause.patterns:
        return _evaluated(rows, clause), matches
    names = [_FOUND.format(place) for place in range(len(clause.patterns))]
    evaluations = [
        _evaluated(
            rows.with_columns(pl.lit(value).alias(name) for name, value in zip(names, truth, strict=True)), clause
        )
        for truth in product((False, True), repeat=len(names))
    ]
    open_rows = pl.Series([len(set(answers)) > 1 for answers in zip(*evaluations, strict=True)], dtype=pl.Boolean)
    columns = [[False] * rows.height for _ in names]
    places = open_rows.arg_true().to_list()
    for place, hits in search(rows.filter(open_rows), clause.patterns):
        for column, match in zip(columns, hits, strict=True):
            column[places[place]] = match is not None
        if hits[0] is not None:
            matches[places[place]] = hits[0]
    extended = rows.with_columns(pl.Series(name, column) for name, column in zip(names, columns, strict=True))
    return _evaluated(extended, clause), matches


def _evaluated(rows: pl.DataFrame, clause: Condition) -> pl.Series:
    """Whether each rollout meets it; where a value is not known it does not."""
    try:
        hits = rows.select(pl.all().exclude("met"), clause.expression.alias("met"))["met"]
    except pl.exceptions.ColumnNotFoundError as error:
        name = next(iter(re.findall(r'column "([^"]*)"', str(error))), str(error).split("\n", 1)[0])
        near = get_close_matches(name, rows.columns, 3, 0.5)
        hint = f"Nearest: {', '.join(near)}. {COLUMNS}" if near else f"Text stands in '…'. {COLUMNS}"
        raise UsageError(f"No column is named '{name}'.", hint) from None
    except pl.exceptions.PolarsError as error:
        raise UsageError(f"'{clause.text}' cannot be asked ({_first_line(error)}).", COLUMNS) from None
    if hits.dtype != pl.Boolean:
        raise UsageError(f"'{clause.text}' is no condition: it gives {hits.dtype}, not true or false.", COLUMNS)
    return hits.fill_null(value=False)


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0].rstrip(".")


def columns(index: Index) -> Iterator[tuple[str, str, str]]:
    """Every column with its type and what it holds, or some of its values."""
    from blade.index.rollouts import KNOWN, PLACE  # noqa: PLC0415 - heavy: only where columns are listed

    rows = index.rollouts.collect()
    for name, kind in rows.schema.items():
        if name in PLACE:
            continue
        type_name = "list of texts" if kind == pl.List(pl.String) else str(kind).lower().removesuffix("64")
        yield name, type_name, KNOWN[name][1] if name in KNOWN else _values(rows[name])


def _values(values: pl.Series) -> str:
    present = values.drop_nulls()
    if present.dtype.is_numeric() and len(present):
        numbers = sorted(set(map(float, present.to_list())))
        return f"{numbers[0]:g} to {numbers[-1]:g}" if len(numbers) > 1 else f"{numbers[0]:g}"
    counts = present.value_counts().sort("count", values.name, descending=[True, False])
    common = counts[values.name].head(4).to_list()
    distinct = present.n_unique()
    return ", ".join(str(value)[:40] for value in common) + (f" and {distinct - 4:,} more" if distinct > 4 else "")
