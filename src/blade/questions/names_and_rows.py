"""Do the names of the runs speak of a model or of a limit that their rows do not record?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.counting.columns import Column
from blade.diagnosis.cases import RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.names import turn_count
from blade.late_regex import late_regex
from blade.wording import count, fact, listed

TITLE = "Names of runs against their rows"
ORDER = 8
OF_COPIES = True
WEIGHT = 1.3
NEARLY_ALL = 0.95
MOST_STEMS = 3
MODEL, TURNS = "model", "turns"
_STEM = late_regex(r"[A-Za-z]{3,}")
_TURNS = late_regex(r"(?<![\d.])(\d{1,4})[-_ ]?(?:turn|step)s?(?![A-Za-z])", re.IGNORECASE)
_SIZE = late_regex(r"[\d.]*[bBmM](?![A-Za-z])")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Names that speak of another version of the recorded model, or of another number of turns than is allowed."""
    models = {run.run.name: _model(run) for run in runs}
    entries = []
    for run in runs:
        name = run.run.name
        if (model := models[name]) is not None:
            same_model = [
                run_name
                for run_name, recorded in models.items()
                if run_name != name and recorded and recorded[0] == model[0]
            ]
            entries += [
                {
                    "run": name,
                    "kind": MODEL,
                    "said": version_said,
                    "recorded": model[0],
                    "rows": model[1],
                    "same": same_model,
                }
                for version_said in _other_versions(run, model[0], [run_name.run.name for run_name in runs])
            ]
        entries += list(_other_limits(run))
    return {"runs": entries} if entries else None


def _model(run: RunCases) -> tuple[str, int] | None:
    """The one model that the rows of a run record, and on how many."""
    models = Counter(run.run.graded["model"].drop_nulls().to_list())
    return (str(next(iter(models))), models.total()) if len(models) == 1 else None


def _other_versions(run: RunCases, model: str, names: Sequence[str]) -> Iterator[str]:
    """What the name says of the model's family with another first number, which no field names as a model.

    Bare numbers that only count runs (`claude_1`, `claude_2`) and sizes (`8b`) are no versions.
    """
    model = model.rsplit("/", 1)[-1]
    stem = _STEM.match(model)
    if stem is None:
        return
    version = re.compile(
        rf"(?<![A-Za-z]){re.escape(stem.group())}([-_. ]?)(\d{{1,2}}(?!\d)[A-Za-z\d.]*)", re.IGNORECASE
    )
    recorded = {match[2] for value in (model, *_texts(run.run.columns)) if (match := version.match(value))}
    majors = {major for text in recorded if (major := _major(text)) is not None}
    if not majors:
        return
    for match in version.finditer(run.run.name):
        version_said = match[2].rstrip(".")
        counted = version_said.isdecimal() and match[1] == "_"
        in_all_names = len(names) > 1 and all(match[0] in name for name in names)
        if counted or in_all_names or _SIZE.match(version_said) or _major(version_said) in majors:
            continue
        yield match[0][: len(match[0]) - len(match[2])] + version_said


def _major(version: str) -> int | None:
    first = re.match(r"\d+", version)
    return int(first.group()) if first else None


def _texts(columns: Sequence[Column]) -> Iterator[str]:
    for column in columns:
        yield from (value.rsplit("/", 1)[-1] for value in column.values[:MOST_STEMS] if isinstance(value, str))


def _other_limits(run: RunCases) -> Iterator[dict[str, Any]]:
    """The number of turns in the name, where nearly all rows record one other limit."""
    version_said = {int(number) for number in _TURNS.findall(run.run.name)}
    limits = [column for column in run.run.columns if turn_count(column.name) == "limit" and len(column.values) == 1]
    if len(version_said) != 1 or len(limits) != 1:
        return
    (number,), (column,) = version_said, limits
    (value,), rows = column.values, len(column.rows)
    if isinstance(value, int) and value != number and rows >= NEARLY_ALL * run.run.facts.height:
        yield {
            "run": run.run.name,
            "kind": TURNS,
            "said": str(number),
            "recorded": str(value),
            "field": column.name,
            "rows": rows,
            "same": [],
        }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["runs"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The first name that its rows contradict."""
    yield _words(0, answer["runs"][0])


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    rows = fact(count(entry["rows"], "row"), entry["rows"], "investigation", "names_and_rows", "runs", place, "rows")
    if entry["kind"] == TURNS:
        return say(
            "The name of {run} speaks of {said} turns, but {field} is {recorded} in {rows}: the limit that counted is "
            "not the one in the name, or the field is wrong.",
            run=entry["run"],
            said=entry["said"],
            field=entry["field"],
            recorded=entry["recorded"],
            rows=rows,
        )
    same_words = f", as those of {listed(entry['same'])} do" if entry["same"] else ""
    return say(
        "The name of {run} speaks of {said}, but {rows} record the model {recorded}{same}: the name stands for "
        "something else (a prompt, a policy, another model's part), or the record is wrong. Settle which before the "
        "runs are compared as models.",
        run=entry["run"],
        said=entry["said"],
        rows=rows,
        recorded=entry["recorded"],
        same=same_words,
    )
