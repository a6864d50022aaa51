"""Two runs with everything that somebody writes beside runs: notes on rollouts, settings, a report, its questions."""

from __future__ import annotations

import json
from pathlib import Path

from tests import gym_rows
from tests.command_line import blade
from tests.test_mutations import ROWS

_BENCHMARK = """\
name = "front desk"
pass_threshold = 0.5
reward_field = "reward"
slices = ["metadata.category"]
mutating_tools = ["look"]
reference_actions = "expected"
private_names = ["ada"]
private_fields = ["metadata.owner"]
sanitize_allow = ["^t[0-9]+$"]
sanitize_keep = ["email"]
stages = [{ name = "looked", tool = "look" }, { name = "judged", field = "exit_code" }]
[labels.BI]
name = "Behaviour"
meaning = "It stops before it has looked."
intervention = "Let it look twice."
"""
_SETTINGS = """\
seed = 3
missing = "zero"
allow-unrelated = true
slices = "metadata.category"
[compare]
max-drop = 60.5
[analyze]
notes = ["base=NOTES.md"]
[grep]
quotes = 3
actor = ["model", "tool"]
[count]
by = "run"
"""
_CONFIG = {"model": "a-model", "temperature": 0.7, "limits": {"turns": 9, "names": ["a", "b"]}, "date": "2026-01-02"}
_REPORT = """\
# What changed

`base` passes 5 of 10 rollouts, `second` 4 of 9 (50.0 % against 44.4 %) [q:{passed}].
Task `t1` fails in 1 of 2 attempts.

- In 10 of 19 rollouts `look` says "nothing" [q:{words}]; no rollout of `second` passes `t2` twice [q:{table}].
- The difference of 5.6 points is not real: 2 tasks went up, 3 went down, and `t4` was lost to a 502.

| task | base | second |
|---|---:|---:|
| t0 | 1/2 | 1/2 |
| t2 | 1/2 | 1/2 |

> Question 1: "Be brief." Nobody asks twice; every attempt but one ends within 3 turns, most in `plain`.
"""


def write(folder: Path) -> list[Path]:
    base = gym_rows.write(folder / "base.jsonl", ROWS)
    second = [row | {"reward": 1.0 - row["reward"]} if row["_ng_task_index"] == 2 else row for row in ROWS[:-1]]
    runs = [base, gym_rows.write(folder / "second.jsonl", second)]

    def asked(*words: str) -> str:
        return blade(*words, *runs, "--no-cache", folder=folder).stdout.split("[q:")[1][:8]

    ids = {"passed": asked("count", "passed"), "words": asked("grep", "nothing"), "table": asked("tasks")}
    (folder / "report.md").write_text(_REPORT.format(**ids), encoding="utf-8")
    for task, author in (("t0", "me"), ("t1", "me"), ("t0", "you")):
        label = (
            "--label",
            "BI",
            "--mechanism",
            "stops early",
            "--blame",
            "model",
            "--quote",
            "nothing",
            "--read-fully",
        )
        blade("note", base, task, "--author", author, *label, "--no-cache")
    fields = {"task": "t2", "attempt": 1, "author": "they", "label": "TI", "quote": "hm", "verdict_wrong": True}
    (folder / "entries.jsonl").write_text(json.dumps(fields) + "\n", encoding="utf-8")
    (folder / "config.yaml").write_text(json.dumps(_CONFIG), encoding="utf-8")
    (folder / "NOTES.md").write_text("The second run has another prompt.\n", encoding="utf-8")
    (folder / "benchmark.toml").write_text(_BENCHMARK, encoding="utf-8")
    (folder / "blade.toml").write_text(_SETTINGS, encoding="utf-8")
    return runs
