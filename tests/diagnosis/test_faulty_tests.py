"""Faults that a test shows in its own log, beside the text of its task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, request, row, write
from tests.questions.made_cases import words

from blade.diagnosis.faulty_tests import Defect, row_defects
from blade.questions import unsolved_tasks

BREAD = 'Bake, and note the loaf in /oven/rye.dark.yaml as {"crust": 1, "weight": 2}; start it with ./bake --hot.'
OTHER_NAME = "cat: cannot open '/oven/dark.rye.yaml': No such file or directory"
REFUSED = (
    '    run("bake --slow" +\n        "-rise 30")\n>   assert loaf\nE   AssertionError: no loaf\n'
    "bake: unrecognized option '--slow-rise'"
)
UNNAMED = 'weight = loaf["weight"]\n>   c = loaf["c"]\nE   KeyError: \'c\''


def judged(log: str, task: str = BREAD, **fields: Any) -> Json:
    verifier = {"test_results": {"test_loaf": "failed"}, "log": f"session starts\n{log}\n1 failed"}
    texts = {"responses_create_params": request(task), "extracted_answer": None, "expected_answer": None}
    return row(fields.pop("task", 1), fields.pop("attempt", 0), 0.0, verifier=verifier, **texts, **fields)


@pytest.mark.parametrize(
    ("log", "defect"),
    [
        (OTHER_NAME, Defect("other_name", "dark.rye.yaml", "rye.dark.yaml")),
        (OTHER_NAME.replace("dark.rye", "rye_dark"), Defect("other_name", "rye_dark.yaml", "rye.dark.yaml")),
        (REFUSED, Defect("refused_option", "--slow-rise", "bake: unrecognized option '--slow-rise'")),
        (UNNAMED, Defect("unnamed_key", "c", "crust and weight")),
    ],
)
def test_what_nobody_could_do_right_is_the_tests_fault(log: str, defect: Defect) -> None:
    assert row_defects(judged(log)) == {defect}


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (OTHER_NAME.replace("dark.rye", "rye.dark"), "the task names that file"),
        (OTHER_NAME.replace("dark.rye", "wheat.dark"), "other words are another file"),
        ("note /oven/dark.rye.yaml is fine", "nothing is missed"),
        (REFUSED.replace("slow", "hot").replace("-rise", ""), "the task names that option"),
        ("bake: unrecognized option '--slow-rise'", "nothing shows that the test makes it"),
        ("def f():\n  x = 'sourdough'\nbake: unknown argument: sourdough", "a value is no option"),
        (UNNAMED.replace('"c"', '"crust"').replace("'c'", "'crust'"), "the task names that key"),
        (">   c = loaf[\"c\"]\nE   KeyError: 'c'", "no key that the task names is read beside it"),
        ("E   KeyError: 'c'", "nothing shows that the test reads it"),
    ],
)
def test_other_failures_are_not(log: str, why: str) -> None:
    assert row_defects(judged(log)) == set(), why


def test_a_row_without_a_log_or_a_task_shows_nothing() -> None:
    made = judged(OTHER_NAME)
    made["verifier"]["log"] = OTHER_NAME
    assert row_defects(made) == set(), "one line is no log"
    assert row_defects(judged(OTHER_NAME, "")) == set()


def runs(folder: Path, logs: list[str]) -> list[str]:
    """Two runs: task 0 passes, task 1 fails with these logs, one for each attempt."""

    def lines(agent: str) -> list[Json]:
        fields: Json = {"agent_ref": {"name": agent}}
        good = row(0, 0, 1.0, verifier={"test_results": {"test_a": "passed"}, "log": "session\nends"}, **fields)
        return [good, *(judged(log, attempt=attempt, **fields) for attempt, log in enumerate(logs))]

    return [f"{name}={write(folder / f'{name}.jsonl', lines(name))}" for name in ("one", "two")]


def test_a_test_whose_every_log_shows_the_fault_is_told_with_the_scores_without_it(tmp_path: Path) -> None:
    analysis = analysed(*runs(tmp_path, [f"{OTHER_NAME}\nE   AssertionError: no loaf"] * 2))
    answer = analysis.investigation["unsolved_tasks"]
    (task,) = answer["alike"]
    assert (task["suspect"], task["defect"]["found"]) == ("other_name", "dark.rye.yaml")
    assert answer["without"] == {"one": {"passes": 1, "judged": 1}, "two": {"passes": 1, "judged": 1}}
    told = words(unsolved_tasks.tell(answer))
    assert (
        "1: “test_loaf” fails in all 4 judged rollouts of 2 runs: the test opens dark.rye.yaml, and the task calls "
        "that file rye.dark.yaml." in told
    )
    assert (
        "Without the task whose test is at fault, the judged rollouts pass: one 1 of 1 (100.0%) and two 1 of 1 "
        "(100.0%)." in told
    )
    assert {label.labels for label in analysis.labels} == {("TI",)}
    (advice,) = unsolved_tasks.advise(answer)
    assert advice.change.startswith("Repair the test of 1,")


def test_one_log_without_the_fault_clears_the_test(tmp_path: Path) -> None:
    told = f"{OTHER_NAME}\nE   AssertionError: no loaf"
    analysis = analysed(*runs(tmp_path, [told, told, "E   AssertionError: the loaf is burnt"]))
    answer = analysis.investigation["unsolved_tasks"]
    assert [entry["suspect"] for entry in answer["alike"]] == [""]
    assert answer["without"] == {}
