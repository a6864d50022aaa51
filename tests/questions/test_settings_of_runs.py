"""Which runs have one configuration, as far as their rows and their names tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, read, request, row, write

from blade.diagnosis.cases import RunCases
from blade.questions import settings


def _rows() -> list[Json]:
    system = {"role": "system", "type": "message", "content": "Answer with a number."}
    asked = [request(f"What is {task} and {task}?") for task in range(12)]
    for one in asked:
        one["input"].insert(0, system)
    return [row(task, 0, float(task % 3 > 0), responses_create_params=asked[task]) for task in range(12)]


@pytest.mark.parametrize(
    ("names", "alike"),
    [
        (("model-run1", "model-run2"), True),
        (("model__0605", "model__0607"), True),
        (("hawser-0.9__marlin", "hawser-1.1__marlin"), False),
        (("marlin_step0420", "marlin_step0980"), False),
        (("marlin_step0420_a", "marlin_step0420_b"), True),
        (("agent_dk0.9", "agent_dk1.1"), False),
        (("gemini-2.0__a", "gemini-2.0__b"), True),
    ],
)
def test_runs_whose_names_speak_of_two_versions_have_two_configurations(
    names: tuple[str, str], alike: bool, tmp_path: Path
) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", _rows()) for name in names]
    first, second = (settings(RunCases(run, ())) for run in read(*paths))
    assert first is not None
    assert (first == second) is alike
