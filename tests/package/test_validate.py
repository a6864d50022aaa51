"""A good package passes; broken in one way, it fails with the message that names that way."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import blade
from tests.package.made_package import contents_of

from blade import api
from blade.package.validate import CheckState, Result, summary, validate
from blade.package.validate.report import speaks_of

GOLDEN = "golden_reports/model_a_golden_report.md"
SIDECAR = "golden_reports/model_a_golden_report_metrics.json"
ANCHORS = "golden_reports/model_a_anchor_facts.json"
SHALLOW = "golden_reports/model_a_shallow.md"
RUN_A = "rollouts/model_a_rollouts.jsonl"
RUN_B = "rollouts/model_b_rollouts.jsonl"


def failures(package: Path, phase: str = "all", fewest: int = 8) -> list[str]:
    return [result.line for result in of_state(package, CheckState.FAIL, phase, fewest)]


def of_state(package: Path, state: CheckState, phase: str = "all", fewest: int = 8) -> list[Result]:
    return [result for result in validate(contents_of(package, phase), phase, fewest) if result.state is state]


def change_rows(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    rows = [json.loads(line) for line in file.read_bytes().splitlines()]
    for row in rows:
        change(row)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def change_json(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(file.read_bytes())
    change(document)
    file.write_text(json.dumps(document), encoding="utf-8")


def change_text(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def without(*names: str) -> Callable[[dict[str, Any]], None]:
    def change(row: dict[str, Any]) -> None:
        for name in names:
            row.pop(name, None)

    return change


def test_the_good_package_passes_every_check(whole: Path) -> None:
    results = validate(contents_of(whole))
    assert [result.line for result in results if result.state is not CheckState.PASS] == [
        "[SKIP] sanitization clean: not checked: this build has no sanitizer"
    ] or all(result.state is CheckState.PASS for result in results)
    passed = sum(result.state is CheckState.PASS for result in results)
    assert summary(results).startswith(f"Summary: {passed}/{passed} checks passed")


# ------------------------------------------------------------------ the seeds' table of failures, row by row

TABLE: dict[str, tuple[Callable[[Path], None], str]] = {
    "D1 skill missing": (
        lambda package: (package / "skill" / "SKILL.md").unlink(),
        "Add skill/SKILL.md or SKILL.md",
    ),
    "At least two scored rollout files": (
        lambda package: (package / RUN_B).unlink(),
        "Add another comparable model or agent run",
    ),
    "task id field present": (
        lambda package: change_rows(package / RUN_B, without("_ng_task_index", "task_id")),
        "Preserve _ng_task_index, task_id, or an equivalent field",
    ),
    "missing metrics sidecar": (
        lambda package: (package / SIDECAR).unlink(),
        "Add model_a_golden_report_metrics.json",
    ),
    "missing anchor facts": (
        lambda package: (package / ANCHORS).unlink(),
        "Generate and review model_a_anchor_facts.json",
    ),
}


@pytest.mark.parametrize("failure", TABLE)
def test_each_row_of_the_table_of_failures_is_printed_word_for_word_with_its_fix(failure: str, package: Path) -> None:
    """By the command line, in words and as JSON: the same break gives the same failure and exit code 1."""
    break_it, fix = TABLE[failure]
    break_it(package)
    asked = ["validate", "--benchmark-dir", str(package), "--no-cache"]
    spoken = blade(*asked)
    lines = spoken.stdout.splitlines()
    assert spoken.returncode == 1
    (line,) = [line for line in lines if line.startswith(f"[FAIL] {failure}: ")]
    assert f" Fix: {fix}" in line
    passed, held = map(int, lines[-1].split()[1].split("/"))
    assert passed < held
    written = blade(*asked, "--json")
    told = json.loads(written.stdout)
    assert (written.returncode, told["passed"], told["summary"]) == (1, False, lines[-1])
    (one,) = [check for check in told["checks"] if (check["state"], check["check"]) == ("fail", failure)]
    assert one["fix"].startswith(fix)


def test_what_the_fix_of_a_missing_sidecar_says_mends_it(package: Path) -> None:
    before = (package / GOLDEN).read_bytes()
    (package / SIDECAR).unlink()
    mended = blade("analyze", package, "--golden", "model_a", "--no-cache")
    assert mended.returncode == 0, mended.stderr
    assert mended.stdout == f"{package / SIDECAR}\n"
    assert (package / GOLDEN).read_bytes() == before
    assert failures(package, "golden") == []


def test_one_rollout_file_is_enough_to_draft_skill_and_report(package: Path) -> None:
    shutil.rmtree(package / "golden_reports")
    (package / "skill" / "SKILL.md").unlink()
    (package / RUN_B).unlink()
    for asked in (
        ["skill", "draft", str(package / "rollouts"), "-o", str(package / "skill" / "SKILL.md"), "--no-cache"],
        ["analyze", str(package), "--golden", "model_a", "--no-cache"],
    ):
        ended = blade(*asked)
        assert ended.returncode == 0, ended.stderr
    assert failures(package, "skill") == []
    (line,) = failures(package, "rollouts")
    assert line.startswith("[FAIL] At least two scored rollout files: only one rollout file has reward or score.")


def test_a_second_file_without_scores_does_not_count(package: Path) -> None:
    change_rows(package / RUN_B, without("reward"))
    found = "\n".join(failures(package, "rollouts"))
    assert "At least two scored rollout files: only one" in found
    assert f"reward or score present: {RUN_B}" in found


def test_the_same_rows_twice_are_one_run(package: Path) -> None:
    shutil.copyfile(package / RUN_A, package / RUN_B)
    assert any("2 files hold the same rows" in line for line in failures(package, "rollouts"))


@pytest.mark.parametrize("name", ["_task_index", "task_id", "task_name", "task_index"])
def test_upstream_names_of_a_task_id_are_enough(package: Path, name: str) -> None:
    def rename(row: dict[str, Any]) -> None:
        number = row.pop("_ng_task_index")
        row.pop("task_id")
        row[name] = number if name.endswith("index") else f"item-{number}"

    change_rows(package / RUN_A, rename)
    assert not any("task id field" in line for line in failures(package, "rollouts"))


# ------------------------------------------------------------------------------------------------ D1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\nname", "name", "there is no frontmatter"),
        ("name: front-desk-analysis\n", "", "no text under name"),
        ("description: Analyzes", "description: [Analyzes", "is not YAML"),
        ("name: front-desk-analysis", "name: {a: 1}", "no text under name"),
        ("name: front-desk-analysis", "name: &a [x]\nother: *a", "uses YAML aliases"),
        ("name: front-desk-analysis", f"name: {'[' * 1000}", "is not YAML"),
    ],
)
def test_the_frontmatter_has_to_hold_name_and_description(package: Path, old: str, new: str, said: str) -> None:
    change_text(package / "skill" / "SKILL.md", old, new)
    (line,) = failures(package, "skill")
    assert "YAML frontmatter with name and description" in line
    assert said in line


@pytest.mark.parametrize(
    "section",
    ["Overview", "Input schema", "Workflow funnel", "Failure taxonomy", "Analysis workflow", "Report template"],
)
def test_each_of_the_six_sections_has_to_be_there(package: Path, section: str) -> None:
    change_text(package / "skill" / "SKILL.md", f"## {section}\n", "## Something else\n")
    assert [line.split(":")[0] for line in failures(package, "skill")] == [f"[FAIL] section {section}"]


@pytest.mark.parametrize("filler", ["TODO", "To be written: <describe the stages here>. TBD …", ""])
def test_a_section_of_placeholders_says_nothing(package: Path, filler: str) -> None:
    path = package / "skill" / "SKILL.md"
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?s)(## Workflow funnel\n\n).*?(?=## Failure)", lambda match: match[1] + f"{filler}\n" * 9, text)
    path.write_text(text, encoding="utf-8")
    assert any("section Workflow funnel" in line and "words that say something" in line for line in failures(package))


def test_headings_are_matched_by_their_words(package: Path) -> None:
    path = package / "skill" / "SKILL.md"
    for old, new in (
        ("## Overview", "## 1. Benchmark Overview"),
        ("## Input schema", "## 2) Rollout Schema"),
        ("## Workflow funnel", "## The *Funnel*"),
        ("## Failure taxonomy", "## Failure Taxonomy and Detection Rules"),
        ("## Analysis workflow", "## Workflow"),
        ("## Report template", "## Expected report structure ##"),
    ):
        change_text(path, old, new)
    assert failures(package, "skill") == []


def test_a_heading_in_a_code_block_is_no_section(package: Path) -> None:
    change_text(package / "skill" / "SKILL.md", "## Overview\n", "## Else\n\n```\n## Overview\n```\n")
    assert any("section Overview" in line for line in failures(package, "skill"))


def test_a_short_skill_fails(package: Path) -> None:
    (package / "skill" / "SKILL.md").write_text("---\nname: a\ndescription: b\n---\n# Short\n", encoding="utf-8")
    assert any("at least 50 lines" in line for line in failures(package, "skill"))


# ------------------------------------------------------------------------------------------------ D2


def test_broken_lines_are_counted(package: Path) -> None:
    with (package / RUN_B).open("a", encoding="utf-8") as file:
        file.write('{"cut": \n')
    (line,) = failures(package, "rollouts")
    assert line.startswith(f"[FAIL] rows parse: {RUN_B}: 1 of 31 rows")


def test_repeats_have_to_be_numbered(package: Path) -> None:
    change_rows(package / RUN_B, without("_ng_rollout_index"))
    assert any("rollout id or one row per task" in line for line in failures(package, "rollouts"))


def test_one_row_per_task_needs_no_rollout_id(package: Path) -> None:
    for name in (RUN_A, RUN_B):
        rows = [json.loads(line) for line in (package / name).read_bytes().splitlines()]
        kept = [row for row in rows if row.pop("_ng_rollout_index") == 0]
        (package / name).write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    assert failures(package, "rollouts") == []


def test_runs_on_other_tasks_cannot_be_compared(package: Path) -> None:
    shutil.rmtree(package / "artifacts")

    def rename(row: dict[str, Any]) -> None:
        row["task_id"] = f"other-{row['task_id']}"
        row["responses_create_params"] = {"input": f"Something else: {row['task_id']}"}
        row["expected_actions"] = [{"name": row["task_id"], "arguments": {}}]

    change_rows(package / RUN_B, rename)
    assert any("comparable task sets" in line for line in failures(package, "rollouts"))


def test_a_file_of_inputs_among_the_rollouts_is_told(package: Path) -> None:
    (package / "rollouts" / "extra.jsonl").write_text('{"responses_create_params": {"input": "x"}}\n', encoding="utf-8")
    assert any("rollouts/extra.jsonl: the file is input rows" in line for line in failures(package, "rollouts"))


# ------------------------------------------------------------------------------------------------ D3


@pytest.mark.parametrize(
    ("key", "value"),
    [("pass_at_1", 0.99), ("total_tasks", 11), ("total_rollouts", 29), ("consistency", 0.01), ("failed_rollouts", 0)],
)
def test_a_wrong_number_in_the_sidecar_is_found(package: Path, key: str, value: float) -> None:
    change_json(package / SIDECAR, lambda told: told.update({key: value}))
    found = "\n".join(failures(package))
    assert f"every number of the sidecar recomputed: {SIDECAR}: {key} is {value}, the rollouts give " in found


def test_a_wrong_number_deep_in_the_sidecar_is_found(package: Path) -> None:
    change_json(package / SIDECAR, lambda told: told["pipeline"]["started"].update(reached=7))
    assert any("pipeline.started.reached is 7" in line for line in failures(package))


def test_the_seeds_own_sidecar_is_enough(package: Path) -> None:
    """Six keys, rounded, and other names for known numbers."""
    full = json.loads((package / SIDECAR).read_bytes())
    told = {key: full[key] for key in ("benchmark", "total_tasks", "total_rollouts")}
    told |= {
        "model_name": "model_a",
        "pass_at_1": round(full["pass_at_1"], 4),
        "pass_at_k": round(full["pass_at_k"], 2),
    }
    told |= {"num_tasks": 10, "always_fail_tasks": full["buckets"]["never"], "weird": 3}
    (package / SIDECAR).write_text(json.dumps(told), encoding="utf-8")
    assert failures(package) == []
    assert [result.detail for result in of_state(package, CheckState.SKIP) if result.item == "sidecars"] == [
        "not checked: weird"
    ]
    change_json(package / SIDECAR, lambda told: told.update(always_fail_tasks=13))
    assert any("always_fail_tasks is 13" in line for line in failures(package))


def test_a_sidecar_without_known_keys_fails(package: Path) -> None:
    (package / SIDECAR).write_text('{"benchmark": "x"}', encoding="utf-8")
    assert any("at least 3 of" in line for line in failures(package))


def test_a_sidecar_of_a_run_that_is_not_there_cannot_be_recomputed(package: Path) -> None:
    (package / RUN_A).rename(package / "rollouts" / "model_c_rollouts.jsonl")
    change_rows(package / "rollouts" / "model_c_rollouts.jsonl", lambda row: row["response"].update(model="sim-c"))
    change_json(package / SIDECAR, lambda told: told.update(run="model_a", model="sim-a"))
    found = "\n".join(failures(package, "golden"))
    assert "no run is named 'model_a'; there are: model_b" in found


def test_the_run_is_found_by_its_model_too(package: Path) -> None:
    (package / RUN_A).rename(package / "rollouts" / "first_rollouts.jsonl")
    change_json(package / SIDECAR, lambda told: told.update(run="first"))
    assert not any("no run is named" in line for line in failures(package, "golden"))


def test_a_headline_that_only_the_sidecar_has_is_told(package: Path) -> None:
    text = (package / GOLDEN).read_text(encoding="utf-8")
    rate = f"{json.loads((package / SIDECAR).read_bytes())['pass_at_1']:.1%}"
    assert rate in text
    (package / GOLDEN).write_text(text.replace(rate, "many"), encoding="utf-8")
    assert any("sidecar matches the report" in line and "pass_at_1" in line for line in failures(package))


def test_altered_numbers_in_the_report_are_found(package: Path) -> None:
    text = (package / GOLDEN).read_text(encoding="utf-8")
    score = re.search(r"\| pass@1 \| (\d+\.\d)% \|", text)
    assert score is not None
    change_text(package / GOLDEN, score[0], score[0].replace(score[1], "12.3"))
    (line,) = failures(package)
    assert "numbers, ids and quotes of the report" in line
    assert "1 wrong: line" in line
    assert "12.3" in line


def test_a_fabricated_id_in_the_report_is_found(package: Path) -> None:
    text = (package / GOLDEN).read_text(encoding="utf-8")
    task = re.search(r"`(desk-7-\d+)`", text)
    assert task is not None
    change_text(package / GOLDEN, task[0], "`desk-7-99999`")
    assert any("desk-7-99999" in line for line in failures(package))


def test_a_fabricated_quote_in_the_report_is_found(package: Path) -> None:
    path = package / GOLDEN
    path.write_text(
        path.read_text(encoding="utf-8") + '\nIt said "the printer is on fire and nobody will come today".\n',
        encoding="utf-8",
    )
    assert any("quote" in line for line in failures(package))


def test_files_that_the_report_lists_and_that_are_gone_are_told(package: Path) -> None:
    (package / "artifacts" / "model_a_rollouts_materialized_inputs.jsonl").unlink()
    found = "\n".join(failures(package, "golden"))
    assert "files that the report lists" in found
    assert "artifacts/model_a_rollouts_materialized_inputs.jsonl" in found


def test_a_report_of_tables_alone_cites_no_evidence(package: Path) -> None:
    shutil.copyfile(package / SHALLOW, package / GOLDEN)
    found = "\n".join(failures(package))
    assert "cites task-level evidence" in found


def test_no_golden_report_is_told(package: Path) -> None:
    shutil.rmtree(package / "golden_reports")
    (line,) = failures(package)
    assert line.startswith("[FAIL] D3 golden report missing: no golden_reports/*_golden_report.md")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda facts: facts.__delitem__(slice(7, None)), "at least 8 anchor facts"),
        (lambda facts: facts[0].update(difficulty="fierce"), "anchor facts known difficulty"),
        (lambda facts: facts[0].update(difficulty=["high"]), "anchor facts known difficulty"),
        (lambda facts: facts[1].update(fact=facts[0]["fact"].upper()), "anchor facts distinct"),
        (lambda facts: facts[1].update(id=facts[0]["id"]), "anchor facts distinct"),
        (lambda facts: facts[2].update(fact="The model often fails on the harder requests."), "anchor facts concrete"),
        (lambda facts: facts[2].update(guessability=0.4), "anchor facts not guessable"),
    ],
)
def test_weak_anchor_facts_fail(package: Path, change: Callable[[Any], None], said: str) -> None:
    change_json(package / ANCHORS, lambda told: change(told["anchor_facts"]))
    assert [line.split(":")[0] for line in failures(package)] in (
        [f"[FAIL] {said}"],
        [f"[FAIL] {said} of 20 characters or more"],
    )


def test_fewer_anchor_facts_are_enough_if_fewer_are_wanted(package: Path) -> None:
    change_json(package / ANCHORS, lambda told: told["anchor_facts"].__delitem__(slice(3, None)))
    assert failures(package, "golden", fewest=3) == []


def test_facts_known_to_be_hard_to_guess_pass(package: Path) -> None:
    def judge(told: dict[str, Any]) -> None:
        for fact in told["anchor_facts"]:
            fact["guessability"] = 0.02

    change_json(package / ANCHORS, judge)
    assert failures(package) == []


def test_a_missing_shallow_baseline_is_recommended_and_fails_nothing(package: Path) -> None:
    (package / SHALLOW).unlink()
    assert failures(package) == []
    (result,) = of_state(package, CheckState.WARN)
    assert result.line.startswith("[WARN] shallow baseline present (recommended)")
    assert "blade make-shallow --input" in result.fix


def test_a_copy_of_the_golden_report_is_no_shallow_baseline(package: Path) -> None:
    shutil.copyfile(package / GOLDEN, package / SHALLOW)
    assert any("no negative control" in line for line in failures(package))


@pytest.mark.parametrize("name", ["model_a_vs_model_b_golden_report.md", "model-a_vs_model-b-golden-report.md"])
def test_a_comparison_needs_neither_sidecar_nor_anchors(package: Path, name: str) -> None:
    contents = contents_of(package)
    text = api.render(api.report(api.analyze_runs(contents.runs)))
    (package / "golden_reports" / name).write_text(text, encoding="utf-8")
    assert failures(package) == []
    change_text(package / "golden_reports" / name, "of 10 tasks", "of 11 tasks")
    assert any("numbers, ids and quotes" in line for line in failures(package))


@pytest.mark.parametrize(
    ("text", "task", "spoken"),
    [
        ("In task 3 the agent stops.", "3", True),
        ("Tasks `3` and 4 fail.", "3", True),
        ("It fails 3 times.", "3", False),
        ("See task 31.", "3", False),
        ("It is desk-7-00001 that fails.", "desk-7-00001", True),
        ("It is desk-7-000012 that fails.", "desk-7-00001", False),
        ("Look at (c++) here.", "(c++)", True),
    ],
)
def test_a_short_id_is_spoken_of_only_where_it_is_called_a_task(text: str, task: str, spoken: bool) -> None:
    assert speaks_of(text, task) is spoken
