"""A failure mode says what it is made of, on the first screen, in its section and in what is advised."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.model import Analysis
from blade.sections import dominant_failure_modes, executive_summary, recommendations


def built(task: int, option: str) -> Json:
    log = f"TypeError: Kiln.fire() got an unexpected keyword argument '{option}'"
    answer = response(message(f"Pot {task} goes in.\nfire(pots={task}, {option}=7)"))
    return row(task, reward=0.0, response=answer, log=log, expected_answer=None, extracted_answer=None)


def analysis(folder: Path, *runs: str) -> Analysis:
    """One run for each list of options that do not exist, beside twelve passes."""
    paths = []
    for name, options in zip("abc", runs, strict=False):
        rows = [built(task, option) for task, option in enumerate(options.split())]
        rows += [row(task, expected_answer=None, extracted_answer=None) for task in range(60, 72)]
        paths.append(f"{name}={write(folder / f'{name}.jsonl', rows)}")
    return analysed(*paths)


OPTIONS = "tint coats until until until glow until glow glow depth"


def test_the_commonest_value_is_counted_and_is_the_example(tmp_path: Path) -> None:
    result = analysis(tmp_path, OPTIONS)
    summary = words(executive_summary.build(result))
    assert "in 10 of 10 failed rollouts of a, most often until (4), e.g. a, task" in summary, summary
    assert "uses 'until', which does not exist" in summary
    assert "uses 'tint'" not in summary
    section = words(dominant_failure_modes.build(result))
    assert "Commonest names: until in 4 of 10 (tasks 2, 3, 4 and 1 more), glow in 3; 3 others once each." in section, (
        section
    )


def test_where_nothing_recurs_the_first_is_the_example_and_nothing_is_counted(tmp_path: Path) -> None:
    result = analysis(tmp_path, "tint coats until until glow depth")
    summary = words(executive_summary.build(result))
    assert "uses 'tint', which does not exist" in summary, summary
    assert "most often" not in summary
    assert "Commonest" not in words(dominant_failure_modes.build(result))


def test_what_all_name_is_said_so(tmp_path: Path) -> None:
    result = analysis(tmp_path, "until until until until")
    assert "failed rollouts of a, each time until, e.g." in words(executive_summary.build(result))
    assert "Commonest name: until in all 4 (tasks 0, 1, 2 and 1 more)." in words(dominant_failure_modes.build(result))


def test_a_value_that_stands_alone_is_counted_beside_the_commonest(tmp_path: Path) -> None:
    section = words(dominant_failure_modes.build(analysis(tmp_path, "until until tint until tint")))
    assert "Commonest names: until in 3 of 5 (tasks 0, 1 and 3); 1 other in 2." in section, section


def test_over_several_runs_the_values_are_added_up_also_where_a_run_has_one_alone(tmp_path: Path) -> None:
    second = "until tint coats dusk rim slip lid foot neck ash"
    result = analysis(tmp_path, OPTIONS, second, "glow until until glow rib fin cone jar pan mug")
    section = words(dominant_failure_modes.build(result))
    assert (
        "Commonest names: until in 7 of 30 (a 4, c 2 and b 1; tasks 2, 0, 1 and 3 more), glow in 5; "
        "16 others in at most 2 each." in section
    ), section
    summary = words(executive_summary.build(result))
    assert "most often until (7)" in summary, summary
    advice = words(recommendations.build(result))
    assert "do not exist there; commonest names: 'until' (7) and 'glow' (5). Rollouts of this mode:" in advice, advice
    assert "do not exist there; commonest names: 'until' (7) and 'glow' (5). Rollouts: a 10" in summary, summary
