"""D2: rollouts that parse, are scored, name their tasks and attempts, and can be compared with each other.

Rows say why they were given their reward, and what kind of task they are: without that nothing can be sliced.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from blade.counting.align import align
from blade.counting.run import Run
from blade.counting.slices import task_slices
from blade.engine.classify import classify, describe
from blade.files.remote_paths import real_path
from blade.frozen import frozen
from blade.package.contents import Contents
from blade.package.validate.result import Item, Result, failed, passed, skipped, some, warned
from blade.skill.reading import read_fields
from blade.skill.roles import ANSWER, JUDGE, METADATA, SLICE, TROUBLE, VERIFIER
from blade.skill.schema import Schema, find_schema


def check_fields(runs: tuple[Run, ...]) -> Iterator[Result]:
    """Fields by the role that a drafted skill gives them; those of the materialized inputs count as the task's."""
    declared = runs[0].raw.benchmark.values
    slices = {
        field
        for run in runs
        for levels in task_slices(run, tuple(declared.get("slices", ()))).values()
        for field in levels
    }
    schema = find_schema(read_fields(runs), runs, slices, declared.get("reward_field"))
    yield _result(
        "verifier output in the rows",
        schema.named(VERIFIER, ANSWER, JUDGE, TROUBLE),
        "no field beside the reward tells why a rollout was given it",
        "Have the verifier write what it found into the row, and say in the skill what its reward rests on",
    )
    yield _result(
        "task metadata for slices",
        sorted({*schema.named(SLICE, METADATA), *_of_inputs(schema)}),
        "no field tells kinds of tasks apart",
        "Keep category, difficulty or the like in the rows, or the materialized inputs in artifacts/",
    )


def _of_inputs(schema: Schema) -> list[str]:
    return [field.name for field, role in schema.inputs if role.kind in {SLICE, METADATA} and not field.listed]


def _result(check: str, names: list[str], warning: str, fix: str) -> Result:
    if names:
        return passed(Item.ROLLOUTS, check, some(names, 3))
    return warned(Item.ROLLOUTS, check, warning, fix)


TASK_IDS = ("_ng_task_index", "_task_index", "task_id", "task_name", "task_index")
ROLLOUT_IDS = ("_ng_rollout_index", "_rollout_index", "rollout_index", "rollout_id")
BROKEN = ("row-unreadable", "row-not-object", "file-unreadable")
FEWEST_COMMON = 0.5

TWO = "At least two scored rollout files"
TASK = "task id field present"
SCORE = "reward or score present"
OUTPUT = "model or agent output present"


@frozen
class FileSeen:
    """What the rows of one file show."""

    where: str
    rows: int
    scored: int
    broken: int
    no_task: int
    no_attempt: int
    no_output: int
    content: tuple[int, ...]


def check_rollouts(contents: Contents) -> Iterator[Result]:
    files = contents.layout.rollouts
    if not files:
        yield failed(
            Item.ROLLOUTS,
            "D2 rollouts missing",
            "no rollouts/*.jsonl and no data/*rollout*.jsonl",
            "Copy the rollout files of the runs in with `blade init NAME --runs …`",
        )
    if contents.problem and files:
        fix = "Copy the rollout files themselves, not their inputs or metrics"
        yield failed(Item.ROLLOUTS, "rollouts readable", contents.problem, fix)
    files_seen = []
    for file in files:
        file_seen = _file_seen(contents, file)
        if file_seen is None:
            kind = describe(classify(file))
            fix = "Keep only rollouts here; what goes with a run belongs in artifacts/"
            yield failed(Item.ROLLOUTS, SCORE, f"the file is {kind}", fix, contents.layout.inside(file))
            continue
        files_seen.append(file_seen)
        yield from _of_file(file_seen)
    yield _two(files_seen)
    yield from _comparable(contents.runs)
    if contents.runs:
        yield from check_fields(contents.runs)


def _file_seen(contents: Contents, file: Path) -> FileSeen | None:
    """The rows of one file, over all the runs that were read from it."""
    place = str(real_path(file))
    frames: list[pl.DataFrame] = []
    no_task = no_attempt = 0
    for run in contents.runs:
        if place not in run.raw.sources:
            continue
        rows = run.facts["file"] == run.raw.sources.index(place)
        own_rows = run.facts.filter(rows)
        if own_rows.height:
            frames.append(own_rows)
            no_task += _without_task(run, rows)
            no_attempt += _without_attempt(run, rows)
    if not frames:
        return None
    facts = pl.concat(frames)
    flaws = {flaw for run in contents.runs for flaw in run.raw.flaws if flaw.file == place}
    return FileSeen(
        where=contents.layout.inside(file),
        rows=facts.height,
        scored=facts["reward"].drop_nulls().len(),
        broken=sum(max(flaw.rows, 1) for flaw in flaws if flaw.slug in BROKEN),
        no_task=no_task,
        no_attempt=no_attempt,
        no_output=_without_output(facts),
        content=tuple(sorted(facts["row_hash"].to_list())),
    )


def _without_task(run: Run, rows: pl.Series) -> int:
    """Rows without an index, one of upstream's names or a domain id that BLADE took for the task."""
    has_index = run.facts["key_source"].is_in(["index", "domain_id"])
    has_id = [any(row.get(name) is not None for name in TASK_IDS) for row in run.fields()]
    return int((rows & ~has_index & ~pl.Series(has_id, dtype=pl.Boolean)).sum())


def _without_attempt(run: Run, rows: pl.Series) -> int:
    """Rows that name no attempt although their task has more than one row."""
    is_repeated = run.facts["task"].is_duplicated()
    index = run.facts["attempt_index"].is_null()
    has_id = [any(row.get(name) is not None for name in ROLLOUT_IDS) for row in run.fields()]
    return int((rows & is_repeated & index & ~pl.Series(has_id, dtype=pl.Boolean)).sum())


def _without_output(facts: pl.DataFrame) -> int:
    """Rows that show nothing the model or agent did or said; an output of a shape that is not read is one."""
    has_output = (
        (pl.col("items").fill_null(0) > 0)
        | (pl.col("acts").fill_null(0) > 0)
        | (pl.col("answer_state") == "given").fill_null(value=False)
        | (pl.col("response_state") == "unknown").fill_null(value=False)
    )
    return facts.filter(~has_output).height


def _of_file(file: FileSeen) -> Iterator[Result]:
    checks = (
        ("rows parse", file.broken, f"{file.broken} of {file.rows + file.broken} rows cannot be read",
         "Copy the file anew, or take the broken lines out"),
        (SCORE, file.rows - file.scored, f"{file.rows - file.scored} of {file.rows} rows have none",
         "Add `reward` or `score` to each row, or name the field in benchmark.toml (`reward_field`)"),
        (TASK, file.no_task, f"{file.no_task} of {file.rows} rows do not expose a stable task identifier",
         "Preserve _ng_task_index, task_id, or an equivalent field"),
        ("rollout id or one row per task", file.no_attempt, f"{file.no_attempt} of {file.rows} rows name no attempt",
         "Preserve _ng_rollout_index, rollout_id, or an equivalent field"),
        (OUTPUT, file.no_output, f"{file.no_output} of {file.rows} rows have none",
         "Keep `response` in the rows: without what the model did, no failure can be explained"),
    )  # fmt: skip
    some_suffice = {SCORE: file.rows - file.scored, OUTPUT: file.no_output}
    for check, count, detail, fix in checks:
        if count and some_suffice.get(check, file.rows) == file.rows:
            yield failed(Item.ROLLOUTS, check, detail, fix, file.where)
        else:
            yield passed(Item.ROLLOUTS, check, detail if count else f"{file.rows} rows", file.where)


def _two(files_seen: list[FileSeen]) -> Result:
    """Two files with the very same rows are one run, however often it is copied."""
    scored = [file_seen for file_seen in files_seen if file_seen.scored]
    distinct = len({file_seen.content for file_seen in scored})
    if distinct >= 2:
        return passed(Item.ROLLOUTS, TWO, f"{distinct}")
    copies = f" ({len(scored)} files hold the same rows)" if len(scored) > 1 else ""
    complaint = "only one rollout file has reward or score" if distinct else "no rollout file has reward or score"
    return failed(Item.ROLLOUTS, TWO, f"{complaint}{copies}", "Add another comparable model or agent run")


def _comparable(runs: tuple[Run, ...]) -> Iterator[Result]:
    check = "comparable task sets"
    if len(runs) < 2:
        yield skipped(Item.ROLLOUTS, check, "there are no two runs to compare")
    for run, alignment in zip(runs[1:], align(runs), strict=True):
        common = len(set(alignment.same) & set(run.facts["task"].to_list()))
        fewest = min(runs[0].facts["task"].n_unique(), run.facts["task"].n_unique())
        pair = f"{runs[0].name} and {run.name}"
        if alignment.rule == "none":
            fix = "Keep the task's id, or its text and expected answer, in the rows of both runs"
            yield failed(Item.ROLLOUTS, check, alignment.detail, fix, pair)
        elif common < FEWEST_COMMON * fewest:
            detail = f"{common} common tasks, of {fewest} in the smaller run"
            yield failed(Item.ROLLOUTS, check, detail, "Add runs on the same tasks", pair)
        else:
            yield passed(Item.ROLLOUTS, check, f"{common} common tasks, by {alignment.detail}", pair)
