"""A CSV of two models with a field map beside it."""

from __future__ import annotations

from pathlib import Path

SCORES = {"amber": 0.75, "basalt": 0.25}
MAP = """\
run: model
task: question_id
score: grade
scale: [0, 10]
prompt: question
output: reply
expected: key
slices: [topic]
status:
  truncated: stop == "length"
"""
PASSING = {"amber": {"001", "002", "003"}, "basalt": {"002"}}


def write(folder: Path) -> list[Path]:
    place = folder / "study"
    place.mkdir()
    (place / "blade-map.yaml").write_text(MAP)
    lines = ["question_id,model,topic,question,reply,key,grade,stop"]
    for model, passing in PASSING.items():
        for task in ("001", "002", "003", "004"):
            good = task in passing
            lines.append(f"{task},{model},plants,Which tree {task}?,{'oak' if good else 'elm'},oak,{10 * good},end")
    (place / "answers.csv").write_text("\n".join(lines) + "\n")
    return [place]
