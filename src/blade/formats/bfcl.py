"""Berkeley Function Calling Leaderboard: `result/<model>/…_result.json` joined with `score/<model>/…_score.json`.

A score file lists the ids that failed and no others: an id of the result file that is not among them passed, and
nothing is known of it where no score file stands beside. The question is known of failed ids only, so it is kept with
the verdict and never as the prompt, where it would tell failures from passes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.errors import NoRuns
from blade.files.sniff import Head, mostly, peek, plain_name
from blade.frozen import frozen
from blade.model import Status
from blade.translate.bfcl_overall import stated_and_counted
from blade.translate.chat import Item, call_item, content_words, text_item, thought_item
from blade.translate.documents import as_mapping, as_rows, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of
from blade.translate.usage import usage_of

VERSION = 1
RESULT, SCORE = "_result.json", "_score.json"
TOTALS = {"accuracy", "correct_count", "total_count"}
NO_CALL = "Error during inference"
"""How the result begins where the model could not be asked."""
_NAME = re.compile(r"^(?:BFCL_v\d+_|gorilla_openfunctions_v\d+_test_)?(?P<category>.+?)_(?:result|score)\.json$")
_CURRENT = re.compile(r"^BFCL_v4_")
_DEEPEST = 6
_MOST_PEEKED = 20


def recognises(head: Head) -> bool:
    name = plain_name(head.path)
    if head.shape != "rows" or not name.endswith((RESULT, SCORE)):
        return False
    if name.endswith(SCORE):
        return head.rows[0].keys() >= TOTALS
    return mostly(head, lambda row: "result" in row and ("id" in row or "idx" in row))


def recognises_folder(folder: Path) -> bool:
    """Whether one of the first result files is one: a damaged file among them does not part the others."""
    return any(recognises(peek(file)) for file in _result_files(folder)[:_MOST_PEEKED])


def _result_files(folder: Path) -> list[Path]:
    """The result files of a folder that holds `result/`, or that stands in one."""
    base = folder / "result"
    if not base.is_dir():
        base = folder
        if "result" not in {folder.name, folder.parent.name, folder.parent.parent.name}:
            return []
    return sorted(file for file in base.rglob(f"*{RESULT}") if file.is_file())


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """One run per model: all categories that were evaluated."""
    models: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        for file in _result_files(path) if path.is_dir() else [_twin(path, RESULT)]:
            models.setdefault(_model(file), []).append(file)
    files = {key: [file for file in dict.fromkeys(results) if file.is_file()] for key, results in models.items()}
    if not any(files.values()):
        raise NoRuns(
            f"{paths[0]}: scores of BFCL without the results they were made of.",
            "A score file names failures only: give the folder that holds result/ and score/.",
        )
    several = len(files) > 1
    for (root, model), results in files.items():
        if results:
            scores = [score for file in results if (score := _twin(file, SCORE)).is_file()]
            tables = sorted((root / "score").glob("data_*.csv"))
            figures: dict[str, tuple[float, float]] = {}
            yield ForeignRun(
                (root if paths[0].is_dir() else results[0], *results, *scores, *tables),
                partial(_rows, results, model, figures, root / "score"),
                name=f"@{model}" if several else "",
                settings={"model": model, "categories": sorted(map(_category, results))},
                reported=_reported(results),
                figures=figures,
            )


def _model(file: Path) -> tuple[Path, str]:
    """The folder that holds `result/` and the model's folder in it; where there is none, the file's own folder."""
    parts = file.parts
    for place in range(len(parts) - 2, 0, -1):
        if parts[place] == "result" and place + 2 < len(parts):
            return Path(*parts[:place]), parts[place + 1]
    return file.parent, file.parent.name


def _twin(file: Path, end: str) -> Path:
    """The score file of a result file, or the other way round: the same place in the other tree, or beside it."""
    name = re.sub(r"_(?:result|score)\.json", end, file.name)
    tree, own_tree = ("score", "result") if end == SCORE else ("result", "score")
    neighbour = file.with_name(name)
    if neighbour.is_file():
        return neighbour
    parts = list(file.parent.parts)
    for place in range(len(parts) - 1, 0, -1):
        if parts[place] == own_tree:
            return Path(*parts[:place], tree, *parts[place + 1 :], name)
    return neighbour


def _category(file: Path) -> str:
    match = _NAME.match(plain_name(file))
    return match["category"] if match else file.name


def _totals(file: Path) -> Mapping[str, Any]:
    score = _twin(file, SCORE)
    first = next((row for _, row in rows_of(score)), None) if score.is_file() else None
    return first if isinstance(first, dict) and first.keys() >= TOTALS else {}


def _reported(files: Sequence[Path]) -> float | None:
    """All stated passes of all stated rows; None as soon as a category has no score file."""
    totals = [_totals(file) for file in files]
    passes = [score_of(header.get("correct_count")) for header in totals]
    rows = [score_of(header.get("total_count")) for header in totals]
    if None in passes or None in rows or not sum(filter(None, rows)):
        return None
    return sum(filter(None, passes)) / sum(filter(None, rows))


def _rows(
    files: Sequence[Path], model: str, figures: dict[str, tuple[float, float]], tables: Path
) -> Iterator[dict[str, Any] | BadRecord]:
    """The rows, and in `figures` what the tables of the score folder state, with what the rows give for it."""
    passes: Counter[str] = Counter()
    graded_rows: Counter[str] = Counter()
    for row in _all_rows(files, model):
        if isinstance(row, dict) and row["reward"] is not None:
            passes[row["metadata"]["category"]] += row["reward"] == 1
            graded_rows[row["metadata"]["category"]] += 1
        yield row
    if all(_CURRENT.match(file.name) for file in files):
        counts = {category: (passes[category], rows) for category, rows in graded_rows.items()}
        figures.update(stated_and_counted(tables, model, counts))


def _all_rows(files: Sequence[Path], model: str) -> Iterator[dict[str, Any] | BadRecord]:
    for file in files:
        results = _Results(f"{file.parent.name}/{file.name}", file.parent.name, _category(file), model)
        graded = bool(_totals(file))
        failures = {
            str(row.get("id")): _verifier(row)
            for _, row in (rows_of(_twin(file, SCORE)) if graded else ())
            if isinstance(row, dict) and "id" in row
        }
        for number, row in rows_of(file):
            if isinstance(row, BadRecord):
                yield row
                continue
            identifier = row.get("id", row.get("idx"))
            if not isinstance(identifier, (str, int)):
                yield BadRecord("it has no id", f"line {number}")
                continue
            yield _row(row, identifier, number, results, failures.get(str(identifier)), graded=graded)


@frozen
class _Results:
    """What the rows of a result file have in common."""

    file: str
    group: str
    category: str
    model: str


def _row(
    row: Mapping[str, Any],
    identifier: str | int,
    number: int,
    results: _Results,
    failure: dict[str, Any] | None,
    *,
    graded: bool,
) -> dict[str, Any]:
    result = row.get("result")
    broken = isinstance(result, str) and result.startswith(NO_CALL)
    return rollout_row(
        identifier if isinstance(identifier, str) else f"{results.category}_{identifier}",
        0,
        _verdict(str(result)[:200] if broken else "", failed=failure is not None, graded=graded),
        Place(results.file, f"line {number}"),
        output=[] if broken else [*_thoughts(row.get("reasoning_content")), *_items(result)],
        model=results.model,
        usage=usage_of(_tokens(row)),
        verifier=failure,
        metadata={"category": results.category, "group": results.group},
        timing={"seconds": _sum(row.get("latency"))},
    )


def _verdict(broken: str, *, failed: bool, graded: bool) -> SourceVerdict:
    """`broken` is what stands for the result where the model could not be asked."""
    reward = (0.0 if failed else 1.0) if graded else None
    if broken:
        return SourceVerdict(reward, Status.INFRASTRUCTURE, broken)
    if graded:
        return SourceVerdict(reward)
    return SourceVerdict(None, Status.SKIPPED, "no score file stands beside the results")


def _tokens(row: Mapping[str, Any]) -> dict[str, float | None]:
    return {"input_tokens": _sum(row.get("input_token_count")), "output_tokens": _sum(row.get("output_token_count"))}


def _flat(value: Any, depth: int = 0) -> list[Any]:
    """The leaves of nested lists: turns, steps, calls."""
    if not isinstance(value, list) or depth > _DEEPEST:
        return [] if value is None else [value]
    return [leaf for inner in value for leaf in _flat(inner, depth + 1)]


def _sum(value: Any) -> float | None:
    if not isinstance(value, list):
        return score_of(value)
    numbers = [number for leaf in _flat(value) if (number := score_of(leaf)) is not None]
    return sum(numbers) if numbers else None


def _thoughts(reasoning: Any) -> list[Item]:
    if not reasoning:
        return []
    return [thought_item(text) for text in _flat(reasoning) if isinstance(text, str) and text.strip()]


def _items(result: Any) -> list[Item]:
    """Calls and texts; the turns of a conversation follow each other, as its user's messages are not in the file.

    A model that called nothing has answered all the same: with nothing.
    """
    items: list[Item] = []
    for leaf in _flat(result):
        if isinstance(leaf, dict):
            items += [call_item(str(name), arguments, f"call_{len(items)}_{name}") for name, arguments in leaf.items()]
        elif (text := content_words(leaf)).strip():
            items.append(text_item("assistant", text))
    return items or [text_item("assistant", "")]


def _verifier(failure: Mapping[str, Any]) -> dict[str, Any]:
    """What the checker says of a failed id."""
    error = failure.get("error")
    details = as_mapping(error)
    message = details.get("error_message", error)
    prompt = as_mapping(failure.get("prompt"))
    verifier = {
        "error": "\n".join(content_words(text) for text in _flat(message)) or None,
        "error_type": failure.get("error_type", details.get("error_type")),
        "possible_answer": failure.get("possible_answer"),
        "question": "\n".join(content_words(turn) for turn in as_rows(_flat(prompt.get("question")))) or None,
        "functions": prompt.get("function"),
    }
    return {name: value for name, value in verifier.items() if value is not None}
