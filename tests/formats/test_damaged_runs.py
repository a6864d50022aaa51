"""Damaged and hostile files, each the smallest form of a case that `benchmarks/fuzz_formats.py` once found."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fuzz_commands import package_commands, run_commands, sidecar_commands
from benchmarks.fuzz_formats import NAMES, PACKAGE, fuzz, line_of
from tests.command_line import blade as command
from tests.formats.samples.inspect import log, write_archive

import blade
from blade.engine.discover import discover
from blade.engine.plan import RunPlan

DEEP = "<deep>"
HUGE = 10**400


def written(name: str, folder: Path) -> list[Path]:
    paths: list[Path] = import_module(f"tests.formats.samples.{name}").write(folder)
    return paths


def put(file: Path, path: tuple[Any, ...], value: Any, line: int | None = None) -> None:
    """Write another value at a place of a JSON document, or of one line of a file."""
    lines = file.read_text().splitlines() if line is not None else [file.read_text()]
    whole = json.loads(lines[line or 0])
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    if value is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    text = json.dumps(whole).replace(f'"{DEEP}"', "[" * 20_000 + "]" * 20_000)
    lines[line or 0] = text
    file.write_text("\n".join(lines) + "\n")


def found(folder: Path, pattern: str) -> Path:
    return min(folder.rglob(pattern))


def records(plans: list[RunPlan]) -> tuple[int, int]:
    """Rows, and records that are named as giving none."""
    kept = [plan for plan in plans if plan.translated]
    rows = sum(plan.translated.rows for plan in kept if plan.translated)
    return rows, sum(flaw.rows for plan in kept for flaw in plan.flaws)


CASES: list[tuple[str, str, tuple[Any, ...], Any, int | None, tuple[int, int]]] = [
    ("bfcl", "*simple_score.json", ("total_count",), HUGE, 0, (5, 0)),
    ("terminal_bench", "second_results.json", ("results", 2, "is_resolved"), HUGE, None, (9, 0)),
    ("helm", "per_instance_stats.json", (5,), "no statistics", None, (8, 3)),
    ("lm_eval", "results_*.json", ("results", "sums", "exact_match,strict"), KeyError, None, (8, 0)),
    ("promptfoo", "both.json", ("results", "results", 3), 7, None, (5, 2)),
    ("promptfoo", "lines.jsonl", ("provider",), KeyError, 1, (6, 0)),
    ("swe_bench", "preds.json", ("lanterns__lamp-2", "instance_id"), [[]], None, (13, 0)),
    ("swe_bench", "preds.json", ("lanterns__lamp-2", "model_patch"), KeyError, None, (12, 1)),
    ("swe_bench", "preds.json", ("lanterns__lamp-2", "instance_id"), "lanterns__lamp-3", None, (12, 1)),
    ("attempts", "shaky.jsonl", ("task_id",), KeyError, 0, (11, 1)),
    ("verifiers", "*train/results.jsonl", ("prompt",), KeyError, 1, (8, 0)),
]


@pytest.mark.parametrize(("name", "pattern", "path", "value", "line", "wanted"), CASES)
def test_every_record_is_a_row_or_is_named(
    name: str,
    pattern: str,
    path: tuple[Any, ...],
    value: Any,
    line: int | None,
    wanted: tuple[int, int],
    tmp_path: Path,
) -> None:
    paths = written(name, tmp_path)
    put(found(tmp_path, pattern), path, value, line)
    assert records(discover(paths)) == wanted


def test_a_file_that_cannot_be_read_is_named_beside_those_that_can(tmp_path: Path) -> None:
    paths = written("terminal_bench", tmp_path)
    put(tmp_path / "board" / "first_results.json", ("results", 1, "trial_name"), DEEP)
    flaws = [flaw for run in blade.read(*paths, options=blade.Options(cache=False)) for flaw in run.raw.flaws]
    assert [Path(flaw.file).name for flaw in flaws if flaw.slug == "file-unreadable"] == ["first_results.json"]


def test_a_damaged_folder_is_named_beside_those_that_can_be_read(tmp_path: Path) -> None:
    for name in ("good", "cut"):
        (tmp_path / name).mkdir()
        write_archive(tmp_path / name / "a.eval", log("one"))
    cut = tmp_path / "cut" / "a.eval"
    cut.write_bytes(cut.read_bytes()[:-200])
    (run,) = blade.read(tmp_path, options=blade.Options(cache=False))
    assert any(flaw.slug == "file-unreadable" and "cut off or damaged" in flaw.statement for flaw in run.raw.flaws)


def test_a_nesting_that_can_be_parsed_and_not_written_is_cut(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    paths = written("attempts", tmp_path)
    put(tmp_path / "steady.jsonl", ("metadata",), {"deep": deep}, 0)
    put(tmp_path / "steady.jsonl", ("messages", 1, "content"), deep, 1)
    assert records(discover(paths)) == (12, 0)


def test_two_runs_that_are_called_alike_keep_their_own_rows(tmp_path: Path) -> None:
    paths = written("promptfoo", tmp_path)
    whole = json.loads((tmp_path / "both.json").read_text())
    for row in whole["results"]["results"]:
        row["provider"]["label"] = "Lamp"
    (tmp_path / "both.json").write_text(json.dumps(whole))
    runs = blade.read(paths[0], options=blade.Options(cache=False))
    assert [(run.name, [one.score for one in run.rollouts()]) for run in runs] == [
        ("both@Lamp", [0.5, 1.0]),
        ("both@Lamp 2", [1.0, 1.0]),
    ]


def test_results_under_another_name_do_not_take_the_place_of_the_trajectories(tmp_path: Path) -> None:
    (folder,) = written("nemo_evaluator", tmp_path)
    (folder / "results.jsonl").rename(folder / "metrics.json")
    plans = discover([folder])
    assert len({str(plan.rollouts[0].path) for plan in plans}) == len(plans) == 2


def test_records_of_many_reasons_are_all_counted(tmp_path: Path) -> None:
    rows = [json.dumps({"task_id": str(number), "success": True, "messages": []}) for number in range(40)]
    broken = [f'{{"task_id": {"[" * number}' for number in range(30)]
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([*rows, *broken, '{"a"', "{]", "7", "[]", "x"]) + "\n")
    assert records(discover([file])) == (40, 35)


def test_a_run_without_a_row_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"task_id": None, "success": True, "messages": []}) + "\n")
    page = blade.render(blade.report(blade.analyze(file, options=blade.Options(cache=False))), "markdown")
    assert "a record that gives no rollout: it has no task_id" in page


def test_files_of_another_program_beside_rollouts_are_named(tmp_path: Path) -> None:
    write_archive(tmp_path / "a.eval", log("one"))
    row = {"_ng_task_index": 0, "reward": 1.0, "response": {"output": []}, "responses_create_params": {"input": []}}
    (tmp_path / "rollouts.jsonl").write_text(json.dumps(row) + "\n")
    (plan,) = discover([tmp_path])
    (flaw,) = [flaw for flaw in plan.flaws if flaw.slug == "other-program"]
    assert flaw.statement.startswith("1 file of another program (inspect) beside the rollouts: not read")


def test_a_few_fuzzed_cases_of_every_format(tmp_path: Path) -> None:
    tallies = fuzz([name for name in NAMES if name != PACKAGE], range(1, 5), tmp_path)
    for name, tally in tallies.items():
        assert not tally.faults, line_of(name, tally)


@pytest.mark.slow
def test_a_few_fuzzed_packages(tmp_path: Path) -> None:
    tally = fuzz([PACKAGE], range(1, 5), tmp_path)[PACKAGE]
    assert (tally.cases, sum(tally.faults.values())) == (4, 0), line_of(PACKAGE, tally)


@pytest.mark.slow
def test_the_commands_of_the_fuzzer_are_typed_right(tmp_path: Path) -> None:
    """On what is whole none is refused: a command that is refused always would find nothing."""
    for place in ("runs", "package", "out"):
        (tmp_path / place).mkdir()
    commands = run_commands(written("gym", tmp_path / "runs"), tmp_path / "out")
    commands += package_commands(written("package", tmp_path / "package")[0], tmp_path / "out")
    (tmp_path / "sidecars").mkdir()
    beside = sidecar_commands(written("sidecars", tmp_path / "sidecars"), tmp_path / "out" / "beside")
    for folder, group in ((tmp_path, commands), (tmp_path / "sidecars", beside)):
        for words in group:
            done = command(*words, folder=folder)
            assert done.returncode in {0, 1}, (words, done.stderr)


def test_a_pointer_whose_data_was_not_fetched_is_named_from_above(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    pointer = "version https://git-lfs\noid sha256:1234\nsize 99\n"
    (tmp_path / "run" / "results.jsonl").write_text(pointer)
    with pytest.raises(blade.BladeError, match=r"results\.jsonl is a placeholder without data"):
        blade.read(tmp_path)


def test_a_file_that_was_read_with_the_rows_is_not_listed_as_unknown(tmp_path: Path) -> None:
    paths = written("verifiers", tmp_path)
    assert not [item.path.name for plan in discover(paths) for item in plan.listed if item.path.name == "metadata.json"]


def test_a_broken_line_of_a_training_is_counted_once_and_not_for_every_step(tmp_path: Path) -> None:
    rows = [
        {"problem_id": number, "step": step, "prompt": "Which?", "completion": "This.", "reward": 1.0}
        for step in range(3)
        for number in range(2)
    ]
    file = tmp_path / "rollouts.jsonl"
    file.write_text("\n".join([*map(json.dumps, rows), '{"cut', ""]))
    plans = discover([file])
    assert [plan.translated.rows for plan in plans if plan.translated] == [2, 2, 2]
    assert records(plans) == (6, 1)


def test_an_expected_call_without_a_letter_in_its_name_is_reported(tmp_path: Path) -> None:
    paths = written("tau", tmp_path)
    put(found(tmp_path, "first.json"), (0, "info", "task", "actions", 0, "name"), "/")
    runs = blade.read(*paths, options=blade.Options(cache=False))
    assert blade.report(blade.analyze_runs(runs, blade.Options()))
