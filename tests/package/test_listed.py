"""What the seeds list for rows, skill, report and facts is looked at, and `ready` heeds it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, read, row, write
from tests.package.made_package import contents_of
from tests.package.test_validate import ANCHORS, GOLDEN, RUN_A, RUN_B, change_json, change_rows, change_text, without

from blade.package.layout import Layout
from blade.package.ready import ready
from blade.package.validate import CheckState, validate
from blade.package.validate.aggregates import Aggregates
from blade.package.validate.report import SECTIONS, check_report
from blade.package.validate.rollouts import check_fields
from blade.package.validate.skill import open_marks
from blade.skill.workflow import SECTIONS as TEMPLATE

SKILL = "skill/SKILL.md"
SECTIONS_OF_A_REPORT = [name for name, _ in TEMPLATE]


def lines_of(package: Path, phase: str, state: CheckState) -> list[str]:
    return [result.line for result in validate(contents_of(package, phase), phase) if result.state is state]


# ------------------------------------------------------------------------------------------------ the report


def test_the_eleven_sections_of_the_seeds_are_known() -> None:
    assert len(SECTIONS_OF_A_REPORT) == 11
    assert set(SECTIONS_OF_A_REPORT) == set(SECTIONS)


@pytest.mark.parametrize("section", ["Artifact Inventory", "Cross-Model Comparison", "Recommendations"])
def test_a_section_that_is_missing_is_named_and_keeps_the_package_from_ready(package: Path, section: str) -> None:
    change_text(package / GOLDEN, f"\n## {section}\n", "\n## Something else\n")
    (line,) = lines_of(package, "golden", CheckState.WARN)
    assert line.startswith(f"[WARN] sections of a report: {GOLDEN}: 1 of 11 are not there or say nothing: {section}.")
    evidence = next(point for point in ready(contents_of(package)) if point.item == "evidence")
    assert any(section in item.what for item in evidence.open)


def test_a_section_without_a_word_says_nothing(package: Path) -> None:
    text = (package / GOLDEN).read_text(encoding="utf-8")
    emptied = re.sub(r"(?s)(\n## Workflow Funnel\n).*?(?=\n## )", r"\1", text)
    assert emptied != text
    (package / GOLDEN).write_text(emptied, encoding="utf-8")
    (line,) = lines_of(package, "golden", CheckState.WARN)
    assert "say nothing: Workflow Funnel." in line


def test_headings_in_other_words_stand_for_their_sections(package: Path) -> None:
    text = (package / GOLDEN).read_text(encoding="utf-8")
    (package / GOLDEN).write_text("# Failure modes and results: a title is no section\n" + text, encoding="utf-8")
    for old, new in (
        ("Executive Summary", "1. Summary"),
        ("Artifact Inventory", "Artifacts"),
        ("Aggregate Results", "Overall results"),
        ("Workflow Funnel", "Pipeline"),
        ("Sometimes-Pass Deep Dives", "Flaky tasks"),
        ("Reproducibility Notes", "How to reproduce this"),
    ):
        change_text(package / GOLDEN, f"\n## {old}\n", f"\n## {new}\n")
    assert lines_of(package, "golden", CheckState.WARN) == []


def test_only_sections_that_a_draft_would_have_are_wanted(package: Path) -> None:
    """One run has nothing to be compared with; without rollouts, repeats are not known of."""
    (package / RUN_B).unlink()
    text = (package / GOLDEN).read_text(encoding="utf-8")
    (package / GOLDEN).write_text(re.sub(r"(?s)\n## Cross-Model.*?(?=\n## )", "", text), encoding="utf-8")
    assert "[PASS] sections of a report: golden_reports/model_a_golden_report.md: all 10" in [
        result.line for result in validate(contents_of(package), "golden")
    ]
    contents = contents_of(package, "skill")
    (golden,) = Layout(package).goldens
    lines = [result.line for result in check_report(contents, golden, None, "the rollouts were not read")]
    assert "[PASS] sections of a report: golden_reports/model_a_golden_report.md: all 9" in lines


# ------------------------------------------------------------------------------------------------ the skill


def test_an_open_question_of_the_draft_is_told_and_keeps_the_package_from_ready(package: Path) -> None:
    change_text(package / SKILL, "## Overview\n", "## Overview\n\nTarget capability: unknown: nobody says it.\n")
    assert lines_of(package, "skill", CheckState.FAIL) == []
    (line,) = lines_of(package, "skill", CheckState.WARN)
    assert line.startswith(f"[WARN] no open `unknown:` marks: {SKILL}: 1 question of the draft is open (line 10).")
    skill = next(point for point in ready(contents_of(package)) if point.item == "skill")
    assert not skill.met
    assert skill.open[0].mend == "Answer each in words of your own and take its `unknown:` away"


def test_marks_that_are_quoted_are_not_open() -> None:
    text = """\
`unknown:` marks what the data cannot tell.
- unknown: no row has a reward.
A task begins: `an unknown: thing`
```
unknown: in a block
```
| a | `x` | unknown: always null |
Unknown: none, and the_unknown: neither.
"""
    assert open_marks(text) == [2, 7]


# ------------------------------------------------------------------------------------------------ the rows


def test_rows_without_an_output_fail_where_none_has_one(package: Path) -> None:
    change_rows(package / RUN_B, without("response"))
    (line,) = [line for line in lines_of(package, "rollouts", CheckState.FAIL) if "output" in line]
    assert line.startswith(
        f"[FAIL] model or agent output present: {RUN_B}: 30 of 30 rows have none. Fix: Keep `response`"
    )


def test_a_few_rows_without_an_output_are_counted(package: Path) -> None:
    rows = [json.loads(line) for line in (package / RUN_B).read_bytes().splitlines()]
    for rollout in rows[:2]:
        rollout["response"]["output"] = []
    (package / RUN_B).write_text("".join(json.dumps(rollout) + "\n" for rollout in rows), encoding="utf-8")
    assert f"[PASS] model or agent output present: {RUN_B}: 2 of 30 rows have none" in lines_of(
        package, "rollouts", CheckState.PASS
    )


def told_of(folder: Path, **fields: Any) -> list[str]:
    """What is said of rows with a task, an attempt, a reward, a response, and these fields."""
    row_fields = {"extracted_answer": ABSENT, **fields}
    rows = [row(task, attempt, float(task % 2), **row_fields) for task in range(3) for attempt in range(2)]
    return [result.line for result in check_fields(tuple(read(write(folder / "rollouts.jsonl", rows))))]


def test_rows_that_hold_a_reward_alone_are_told(tmp_path: Path) -> None:
    verifier, metadata = told_of(tmp_path)
    assert verifier.startswith("[WARN] verifier output in the rows: no field beside the reward tells why")
    assert metadata.startswith("[WARN] task metadata for slices: no field tells kinds of tasks apart.")
    assert told_of(tmp_path, judge_said="no", category="a")[0] == "[PASS] verifier output in the rows: judge_said"


def test_what_rows_lack_does_not_keep_a_package_from_ready(package: Path) -> None:
    """A verifier that wrote nothing cannot be asked again; its skill says what the reward rests on."""
    fields_kept = {"_ng_task_index", "_ng_rollout_index", "task_id", "reward", "response", "responses_create_params"}

    def strip(rollout: dict[str, Any]) -> None:
        for name in set(rollout) - fields_kept:
            rollout.pop(name)

    for name in (RUN_A, RUN_B):
        change_rows(package / name, strip)
    assert [line.split(":")[0] for line in lines_of(package, "rollouts", CheckState.WARN)] == [
        "[WARN] verifier output in the rows"
    ]
    rollouts = next(point for point in ready(contents_of(package)) if point.item == "rollouts")
    assert rollouts.met


def test_fields_of_verifier_and_task_are_named(whole: Path) -> None:
    lines = lines_of(whole, "rollouts", CheckState.PASS)
    assert any(line.startswith("[PASS] verifier output in the rows: ") for line in lines)
    assert "[PASS] task metadata for slices: category, difficulty" in lines


# ------------------------------------------------------------------------------------------------ anchor facts

SCORES = Aggregates((0.42, 0.58, 164.0, 656.0, 4.0, 61.0), ("model_a", "evalplus"))


@pytest.mark.parametrize(
    "text",
    [
        "model_a reaches a pass@1 of 0.42 and a pass@k of 0.58 on evalplus.",
        "Overall the model passes 42% of 656 rollouts over 164 tasks with 4 attempts each.",
        "The total score is 42.0%, and 61 tasks always pass.",
    ],
)
def test_a_fact_that_any_table_of_scores_tells_is_an_aggregate(text: str) -> None:
    assert SCORES.only({"fact": text}, text)


@pytest.mark.parametrize(
    "text",
    [
        "Task 61 passes in 4 of 4 attempts.",
        "42% of the failures are syntax errors in generated declarations.",
        "61 tasks pass on 43% of the attempts.",
        "Of 656 rollouts 61 end in `max_output_tokens`.",
        "Bug fixing has the highest pass rate, 58%.",
        "The gap between best and average suggests instability.",
    ],
)
def test_a_fact_that_needs_reading_is_none(text: str) -> None:
    assert not SCORES.only({"fact": text}, text)


def test_a_fact_with_citations_is_none() -> None:
    text = "The total score is 42.0%."
    assert not SCORES.only({"fact": text, "citations": [{"task": "a"}]}, text)


def test_facts_that_only_repeat_aggregates_fail(package: Path) -> None:
    text = "Over all 10 tasks and 30 rollouts the run model_a has 10 tasks of 3 attempts each."
    change_json(package / ANCHORS, lambda document: document["anchor_facts"][2].update(fact=text))
    (line,) = lines_of(package, "golden", CheckState.FAIL)
    assert line.startswith(f"[FAIL] anchor facts beyond aggregates: {ANCHORS}: not so: B3. Fix: Say which tasks")
