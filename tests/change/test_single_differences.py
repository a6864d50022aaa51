"""Runs that differ in one setting alone are found from what each differs in from the baseline."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import blade
from tests.gym_rows import analysed, message, request, response, row, write

from blade.change.single_differences import Alike, alike_but_for_one
from blade.sections import cross_model_comparison


def stamp(field: str, base: str, candidate: str) -> dict[str, str]:
    return {"field": field, "base": base, "candidate": candidate}


def test_pairs_follow_from_what_each_run_differs_in_from_the_baseline() -> None:
    agent, tasks = stamp("agent", "act", "tools"), stamp("tasks", "9", "8")
    passports = [("b", [agent]), ("c", [agent, tasks]), ("d", [stamp("model", "m1", "m2"), agent])]
    assert alike_but_for_one(["a", "b", "c", "d"], passports) == [
        Alike("", ("b", "c"), ()),
        Alike("agent", ("a", "b", "c"), ("act", "tools", "tools")),
        Alike("model", ("b", "c", "d"), ("m1", "m1", "m2")),
    ]


def runs_of(folder: Path) -> list[Path]:
    """The first differs from the last in model and temperature, from the second in temperature alone."""
    made = {"cold": ("m1", 0.0), "warm": ("m1", 0.7), "other": ("m2", 0.7), "again": ("m2", 0.7)}
    return [
        write(
            folder / f"{name}.jsonl",
            [
                row(
                    task,
                    0,
                    float(task % 2 if name == "cold" else task % 3 == 0),
                    responses_create_params=request(f"Task {task}?", temperature=heat),
                    response={**response(message(f"{name} {task}")), "model": model},
                )
                for task in range(6)
            ],
        )
        for name, (model, heat) in made.items()
    ]


def test_the_report_and_the_command_name_them(tmp_path: Path) -> None:
    paths = runs_of(tmp_path)
    analysis = analysed(*paths)
    told = [
        sentence.text
        for block in cross_model_comparison.build(analysis)
        for sentence in getattr(block, "sentences", ())
    ]
    assert "other and again are repeats of one configuration: they differ by chance, or by lost rollouts." in told
    hint = "compare these (blade report RUN… --pair A B)."
    assert f"warm and (other or again) differ in the model alone, which those in brackets share: {hint}" in told
    assert f"cold and warm differ in the sampling.temperature alone: {hint}" in told
    lines = blade("report", *paths, "--pairs", "--no-cache", folder=tmp_path).stdout.splitlines()
    assert lines[0] == "one configuration repeated: other and again"
    cells = [line.split() for line in lines]
    assert ["sampling.temperature", "cold", "warm", "6", "3", "of", "6", "2", "of", "6", "2", "1"] in cells
    assert ["model", "warm", "other", "6", "2", "of", "6", "2", "of", "6", "0", "0"] in cells
