"""Runs that differ in one setting alone are found from what each differs in from the baseline."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import blade
from tests.gym_rows import analysed, message, request, response, row, write
from tests.questions.made_cases import words

from blade.change.single_differences import Alike, alike_but_for_one, only_setting, unnamed_settings
from blade.sections import cross_model_comparison, executive_summary, score_change


def stamp(field: str, base: str, candidate: str) -> dict[str, str]:
    return {"field": field, "base": base, "candidate": candidate}


def moved(field: str, base: object, candidate: object, role: str = "treatment") -> dict[str, object]:
    return {"field": field, "base": base, "candidate": candidate, "role": role}


def test_a_setting_that_the_names_of_the_runs_do_not_tell_is_found() -> None:
    model = moved("model", "bread-rye-4-5-20251001", "bread-oat-4-6")
    assert unnamed_settings([model], ("2026-05-10__01", "2026-05-12__13")) == [model]
    assert unnamed_settings([model], ("rye-run", "second")) == [model], "both names must tell it"
    assert unnamed_settings([model], ("rye-run", "bread_oat")) == []
    numbers = moved("model", "loaf-5", "loaf-6")
    assert unnamed_settings([numbers], ("loaf5", "loaf6")) == []
    assert unnamed_settings([numbers], ("a", "b")) == [numbers]
    mini = moved("model", "loaf-5", "loaf-5-mini")
    assert unnamed_settings([mini], ("loaf-5", "loaf-5-mini")) == []
    heat = moved("sampling.temperature", 0.0, 0.7)
    assert unnamed_settings([heat], ("cold", "warm")) == [heat]
    assert unnamed_settings([heat, model], ("cold", "warm")) == [model]
    assert unnamed_settings([moved("system prompt", "00ff", "11ee")], ("cold", "warm")) == []


def test_one_setting_alone_is_known_by_its_role() -> None:
    model, tasks = moved("model", "rye", "oat"), moved("tasks", "9", "8", "unknown")
    assert only_setting([model]) == only_setting([model, tasks]) == "model"
    assert only_setting([moved("model", "rye", "oat", "unknown"), moved("agent", "a", "b", "unknown")]) is None
    assert only_setting([model, moved("agent", "a", "b", "control_moved")]) is None
    assert only_setting([tasks]) is None
    assert only_setting([moved("reward scale", "unit", "other")]) is None


def _screens(folder: Path, *names: str) -> tuple[str, str]:
    paths = []
    for place, name in enumerate(names):
        model = ("bread-rye", "bread-oat")[place]
        rows = [
            row(task, 0, float(task < 20 + 30 * place), response=response(message(f"{name} {task}"), model=model))
            for task in range(60)
        ]
        paths.append(f"{name}={write(folder / f'{name}.jsonl', rows)}")
    analysis = analysed(*paths)
    return words(executive_summary.build(analysis)), words(score_change.build(analysis))


def test_the_model_stands_beside_names_that_do_not_tell_it(tmp_path: Path) -> None:
    first, section = _screens(tmp_path, "monday", "tuesday")
    for told in (first, section):
        assert "tuesday (model bread-oat) scores 50.0 pp above monday (model bread-rye)" in told, told
        assert "Of the recorded settings, the model alone changed; the agent (an_agent) did not." in told, told
    assert "tuesday | bread-oat | 83.3%" in first
    first, section = _screens(tmp_path, "rye", "oat")
    assert "(model" not in first + section
    assert "alone changed" not in first + section
    assert "oat | 83.3%" in first


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
