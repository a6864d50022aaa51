"""Health checks fire on what they are for and stay quiet on a healthy run."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.counting.audit.test_attempts import VOCABULARIES, acted, half_void, timed, told
from tests.gym_rows import ABSENT, analysed, given, message, request, response, row, write

import blade
from blade.registry import plugins, summary

CHECKS = plugins("health")


def found(tmp_path: Path, *runs: list[Any]) -> set[str]:
    paths = [write(tmp_path / f"run{number}.jsonl", rows) for number, rows in enumerate(runs)]
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    for item in analysis.health:
        assert item["severity"] in {"high", "medium", "low"}
        assert item["statement"].endswith(".") or "(" in item["statement"]
    return {item["check"] for item in analysis.health}


def items(tmp_path: Path, name: str, *runs: list[Any]) -> list[Any]:
    """What one check finds."""
    paths = [write(tmp_path / f"run{number}.jsonl", rows) for number, rows in enumerate(runs)]
    return [item for item in analysed(*paths).health if item["check"] == name]


def healthy(tasks: int = 20, seed: int = 0) -> list[Any]:
    dice = Random(seed)
    rows = []
    for task in range(tasks):
        for attempt in range(4):
            reward = float(dice.random() < (0.2, 0.5, 0.8)[task % 3])
            answer_response = response(message(f"{task} {attempt} {seed}"), created_at=1000.0 + 60 * attempt + task)
            answer = str(2 * task) if reward else f"{task} or {attempt}"
            rows.append(row(task, attempt, reward, response=answer_response, extracted_answer=answer))
    return rows


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_in_one_line_what_it_is(name: str) -> None:
    assert summary(CHECKS[name]).lower().startswith(name.replace("_", " "))


def test_healthy_runs_give_nothing(tmp_path: Path, front_desk: Path, uncached: blade.Options) -> None:
    assert not found(tmp_path, healthy(), healthy(seed=1))
    assert not [item for item in blade.analyze(front_desk, options=uncached).health if item["severity"] == "high"]


def test_one_output_scored_in_two_ways(tmp_path: Path) -> None:
    rows = healthy()
    shared_response = response(message("the very same words"))
    rows[0] |= {"response": shared_response, "reward": 1.0}
    rows[1] |= {"response": shared_response, "reward": 0.0}
    assert "flaky_verifier" in found(tmp_path, rows)


def test_a_verdict_field_that_contradicts_the_reward(tmp_path: Path) -> None:
    rows = [rollout | {"resolved": rollout["reward"] == 1.0} for rollout in healthy()]
    assert not found(tmp_path, rows)
    passing = next(rollout for rollout in rows if rollout["reward"] == 1.0)
    passing["resolved"] = False
    assert "contradictory_fields" in found(tmp_path, rows)


def test_a_check_that_could_not_look_says_why(tmp_path: Path) -> None:
    bare = [{"_ng_task_index": task, "_ng_rollout_index": 0, "reward": float(task % 2)} for task in range(4)]
    paths = [write(tmp_path / f"{name}.jsonl", bare) for name in ("one", "two")]
    ended = {item["check"]: item for item in analysed(*paths).health_checks}
    assert ended.keys() == CHECKS.keys()
    assert {name: item["why"] for name, item in ended.items() if item["state"] == "not_checked"} == {
        "check_never_judged": "most rows share no group of named checks",
        "check_never_passes": "no row names the checks behind its verdict",
        "contradictory_fields": "no field of the rows was learned as a verdict that may differ from the reward",
        "flaky_verifier": "no task has two identical outputs in one run",
        "lost_attempt_index": "every task has one attempt",
        "machines_differ": "no row names a processor",
        "misleading_users": "no simulated user ends a rollout with a mark of its own",
        "negative_discrimination": "no task is common to all runs",
        "order_leak": "fewer than 40 rollouts were judged",
        "repeated_tasks": "the rows hold no prompt",
        "saturation": "fewer than 10 tasks",
        "summary_files": "no summary file that BLADE knows lies beside the rows",
        "suspect_gold": "no row holds both the key and an answer that the verifier read out",
    }
    alone = {item["check"]: item for item in analysed(paths[0]).health_checks}
    assert alone["suspect_gold"]["why"] == "two runs are needed"


def test_a_check_that_could_look_at_one_run_only_says_at_which_it_could_not(tmp_path: Path) -> None:
    paths = write(tmp_path / "long.jsonl", healthy()), write(tmp_path / "short.jsonl", healthy(5, seed=1))
    ended = {item["check"]: item for item in analysed(*paths).health_checks}
    reason = "not in short: fewer than 40 rollouts were judged"
    assert ended["order_leak"] == {"check": "order_leak", "state": "clean", "why": reason}


def test_runs_that_agree_against_the_key(tmp_path: Path) -> None:
    def run(salt: int) -> list[Any]:
        rollouts = []
        for task in range(30):
            for attempt in range(4):
                right = task != 7 and (task + attempt + salt) % 6 != 0
                answer = str(2 * task) if right else ("99" if task == 7 else f"w{attempt}{task}")
                rollouts.append(row(task, attempt, float(right), extracted_answer=answer))
        return rollouts

    assert "suspect_gold" in found(tmp_path, run(0), run(1), run(2))


def test_runs_that_miss_a_whole_class_of_keys_speak_against_none_of_them(tmp_path: Path) -> None:
    """Tasks 3 to 8 have the key 'None', and every run answers them with a number of its own but for task 7."""

    def run(salt: int) -> list[Any]:
        rollouts = []
        for task in range(30):
            for attempt in range(4):
                right = not 3 <= task <= 8 and (task + attempt + salt) % 6 != 0
                key = "None" if 3 <= task <= 8 else str(2 * task)
                answer = key if right else ("99" if task == 7 else f"{salt}{attempt}{task}")
                rollouts.append(row(task, attempt, float(right), expected_answer=key, extracted_answer=answer))
        return rollouts

    assert "suspect_gold" not in found(tmp_path, run(0), run(1), run(2))


def test_an_outage_in_a_stretch_of_time(tmp_path: Path) -> None:
    rows = healthy()
    rows.sort(key=lambda rollout: rollout["response"]["created_at"])
    for rollout in rows[30:45]:
        rollout["reward"] = 0.0
        rollout["response"]["error"] = {"code": "x", "message": "503 Service Unavailable"}
    assert "outage_window" in found(tmp_path, rows)


def test_an_outage_of_rollouts_that_got_no_reward(tmp_path: Path) -> None:
    rows = healthy()
    rows.sort(key=lambda rollout: rollout["response"]["created_at"])
    for rollout in rows[30:45]:
        rollout["reward"] = None
        rollout["response"]["error"] = {"code": "x", "message": "503 Service Unavailable"}
    assert "outage_window" in found(tmp_path, rows)


def test_a_task_that_stands_twice(tmp_path: Path) -> None:
    rows = healthy()
    twin = [rollout | {"_ng_task_index": 99} for rollout in rows if rollout["_ng_task_index"] == 3]
    assert "repeated_tasks" in found(tmp_path, rows + twin)


def test_a_task_that_stands_twice_in_another_run_than_the_first(tmp_path: Path) -> None:
    rows = healthy()
    twin = [rollout | {"_ng_task_index": 99} for rollout in rows if rollout["_ng_task_index"] == 3]
    paths = write(tmp_path / "one.jsonl", healthy()), write(tmp_path / "two.jsonl", rows + twin)
    assert "2 tasks of two share their prompt and expected answer" in " ".join(
        item["statement"] for item in analysed(*paths).health if item["check"] == "repeated_tasks"
    )


def test_the_same_instruction_of_a_simulated_user_twice(tmp_path: Path) -> None:
    """Every attempt opens with other words; what the user was told is the same."""
    rows = [
        rollout | {"metadata": {"user_instruction": f"You want to change the order of shelf {max(task, 1)}."}}
        for rollout in healthy()
        if (task := rollout["_ng_task_index"]) is not None
    ]
    rows = [rollout | {"expected_answer": "7"} for rollout in rows]
    (item,) = items(tmp_path / "twice", "repeated_tasks", rows)
    assert item["tasks"] == ["0", "1"]
    assert item["statement"] == (
        "2 tasks of run0 share their instruction and expected answer with another task (1 group: 0 and 1): "
        "they are one task counted several times."
    )
    apart = [rollout | {"expected_answer": str(rollout["_ng_task_index"])} for rollout in rows]
    assert not items(tmp_path / "apart", "repeated_tasks", apart)


def test_one_request_under_tasks_that_offer_other_tools(tmp_path: Path) -> None:
    """Tasks 0 to 3 ask two things, each with two lists of tools, and stand in two parts of the set."""
    rows = [
        row(
            task,
            responses_create_params=request(
                f"Count shelf {task // 2 if task < 4 else task}.",
                tools=[{"type": "function", "name": name} for name in ("count", "weigh")[: 1 + task % 2]],
            ),
            metadata={"category": "short" if task % 2 else "long"},
            expected_answer=ABSENT,
            extracted_answer=ABSENT,
        )
        for task in range(12)
    ]
    (item,) = items(tmp_path / "tools", "repeated_tasks", rows)
    assert item["statement"] == (
        "4 tasks of run0 have a request that another task words alike with other tools (2 groups: 0, 1, 2 and 3): "
        "they hardly count as independent."
    )
    alike = [rollout | {"metadata": {"category": "short"}} for rollout in rows]
    (item,) = items(tmp_path / "alike", "repeated_tasks", alike)
    assert item["statement"].endswith(
        "Whatever tools they offer, 4 have a request that another task words alike (2 groups)."
    )


def test_scores_that_sink_with_time(tmp_path: Path) -> None:
    rows = [
        row(
            task,
            attempt,
            float(attempt < 2),
            response=response(message(f"{task} {attempt}"), created_at=1000.0 + 500 * attempt + task),
        )
        for task in range(30)
        for attempt in range(4)
    ]
    assert "order_leak" in found(tmp_path, rows)


def test_a_benchmark_at_its_ceiling(tmp_path: Path) -> None:
    rows = [
        row(task, attempt, 1.0, response=response(message(f"{task} {attempt}")))
        for task in range(12)
        for attempt in range(30)
    ]
    assert "saturation" in found(tmp_path, rows)


def test_runs_that_pass_nearly_every_task_in_one_attempt_each(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{name}.jsonl", [row(task, 0, float(task >= failing)) for task in range(40)])
        for name, failing in (("good", 2), ("best", 0))
    ]
    (saturated,) = (item for item in analysed(*paths).health if item["check"] == "saturation")
    assert saturated["statement"] == (
        "Every run passes nearly all its tasks (good 38 of 40 and best 40 of 40): little is left that could tell a "
        "better run apart."
    )
    write(paths[0], [row(task, 0, float(task >= 3)) for task in range(40)])
    assert "saturation" not in {item["check"] for item in analysed(*paths).health}


def test_a_summary_file_that_says_something_else(tmp_path: Path) -> None:
    rows = healthy()
    path = write(tmp_path / "x.jsonl", rows)
    (tmp_path / "x_aggregate_metrics.json").write_text(
        '[{"agent_ref": {"name": "an_agent"}, "agent_metrics": {"mean/reward": 0.123}, "key_metrics": {}}]',
        encoding="utf-8",
    )
    write(
        tmp_path / "x_materialized_inputs.jsonl", [given(task, attempt) for task in range(20) for attempt in range(4)]
    )
    analysis = blade.analyze(path, options=blade.Options(cache=False))
    assert "summary_files" in {item["check"] for item in analysis.health}


def test_tasks_that_the_better_attempts_fail(tmp_path: Path) -> None:
    runs = []
    for strength in range(3):
        rows = []
        for task in range(30):
            for attempt in range(4):
                level = 10 * strength + attempt * 3
                reward = float(level < 12) if task == 0 else float((task * 13) % 30 < level)
                rows.append(row(task, attempt, reward, response=response(message(f"{strength} {task} {attempt}"))))
        runs.append(rows)
    assert "negative_discrimination" in found(tmp_path, *runs)


def test_one_attempt_index_that_was_mostly_void(tmp_path: Path) -> None:
    def with_lost_attempt(lost_attempt: int) -> list[Any]:
        rows = [timed(acted(task, attempt, 1.0), "2026-03-01T10:00:00Z") for task in range(12) for attempt in (0, 1)]
        rows += [timed(row(task, 2, 0.0, **told(tests={})), None) for task in range(lost_attempt)]
        return rows + [timed(acted(task, 2, 1.0), "2026-03-01T10:00:00Z") for task in range(lost_attempt, 12)]

    (item,) = items(tmp_path / "lost", "lost_attempt_index", with_lost_attempt(9))
    assert item["statement"] == (
        "Attempt 2 of run0 was mostly lost: 9 of its 12 rollouts were no attempt of the model or not judged. The mean "
        "reward is 75.0% over all rollouts and 100.0% over the other attempts."
    )
    assert not items(tmp_path / "kept", "lost_attempt_index", with_lost_attempt(3))


def test_void_rollouts_are_told_with_the_score_without_them(tmp_path: Path) -> None:
    (item,) = items(tmp_path, "void_attempts", half_void(VOCABULARIES["queue"]))
    assert item["statement"].endswith("The mean reward is 25.0% with the 12 void rollouts of this run, 50.0% without.")


def test_machines_that_differ_between_runs_or_inside_one(tmp_path: Path) -> None:
    def on(machine: str, rows: list[Any]) -> list[Any]:
        return [
            rollout | {"verifier": {"log": f"Linux box 6.1.0 {machine} GNU/Linux\nrow {n}"}}
            for n, rollout in enumerate(rows)
        ]

    (item,) = items(tmp_path / "two", "machines_differ", on("x86_64", healthy()), on("aarch64", healthy(seed=1)))
    assert item["statement"].startswith("The runs used different machines: run0 on x86_64; run1 on arm64.")
    mixed = on("x86_64", healthy()[:40]) + on("aarch64", healthy()[40:])
    (item,) = items(tmp_path / "one", "machines_differ", mixed)
    assert "40 rollouts on arm64 and 40 rollouts on x86_64. No task ran on both" in item["statement"]
    assert not items(tmp_path / "same", "machines_differ", on("x86_64", healthy()), on("x86_64", healthy(seed=1)))


def test_a_check_that_no_row_was_judged_on(tmp_path: Path) -> None:
    def judged_rows(**extra: Any) -> list[Any]:
        return [
            rollout
            | {"verifier": {"tests": {"a": "passed", "b": "passed" if rollout["reward"] else "failed", **extra}}}
            for rollout in healthy()
        ]

    (item,) = items(tmp_path / "null", "check_never_judged", judged_rows(c="skipped", d=None))
    assert item["statement"] == (
        "2 checks of run0 have a name in the rows and a verdict in none of them: “c” and “d”. The score says nothing "
        "about them."
    )
    assert not items(tmp_path / "all", "check_never_judged", judged_rows(c="failed"))
    assert not items(tmp_path / "kind", "check_never_judged", judged_rows(c="unit_tests"))


def test_a_limit_that_no_field_names_is_told_with_what_it_may_cost(tmp_path: Path) -> None:
    def timed_rows(*, cut: bool) -> list[Any]:
        rows = [rollout | {"harness": {"took": 20.0 + 7.3 * n % 300}} for n, rollout in enumerate(healthy())]
        for n, rollout in enumerate(rows[::5]):
            rollout["reward"] = 0.0
            rollout["harness"]["took"] = 600.1 + n / 50
            if cut:
                rollout["response"] |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        return rows

    (item,) = items(tmp_path / "limit", "unnamed_limits", timed_rows(cut=False))
    passes = sum(rollout["reward"] for rollout in timed_rows(cut=False))
    assert item["statement"].startswith(
        f"16 rollouts of run0 stop at 600.1 “harness.took”, the largest value there is: a limit that no field names. 0 "
        f"of them passed (0.0%), of the 64 others {passes:g} ("
    )
    assert item["statement"].endswith("%).")  # what more room may bring is told once, by the question about it
    assert not items(tmp_path / "named", "unnamed_limits", timed_rows(cut=True))
    slow = [rollout | {"harness": {"took": 20.0 + 7.3 * n % 300}} for n, rollout in enumerate(healthy())]
    assert not items(tmp_path / "none", "unnamed_limits", slow)


@pytest.mark.parametrize(("same", "state"), [(True, "not_checked"), (False, "clean")])
def test_an_outage_is_not_looked_for_where_every_row_bears_the_same_time(
    tmp_path: Path, *, same: bool, state: str
) -> None:
    rows = healthy()
    for place, line in enumerate(rows):
        line["response"].pop("created_at", None)
        line["timing"] = {"started": f"2025-01-01T00:{0 if same else place % 60:02}:00"}
    ended = {item["check"]: item for item in analysed(write(tmp_path / "run.jsonl", rows)).health_checks}
    assert ended["outage_window"]["state"] == state
    assert ended["outage_window"]["why"] == ("every row bears the same time" if same else "")


def test_one_prompt_under_most_tasks_tells_no_task_from_another(tmp_path: Path) -> None:
    """What tells them apart, a picture or a file, is not in the rows: that two keys are equal proves nothing."""
    rows = [row(task, responses_create_params=request("Name the food.")) for task in range(12)]
    assert not items(tmp_path / "same", "repeated_tasks", rows)
    checks = {check["check"]: check for check in analysed(write(tmp_path / "same.jsonl", rows)).health_checks}
    assert checks["repeated_tasks"]["state"] == "not_checked"
    assert checks["repeated_tasks"]["why"] == "most tasks have the same prompt"


def test_equal_prompts_with_other_expected_actions_are_two_tasks(tmp_path: Path) -> None:
    def expecting(*books: str) -> list[dict[str, Any]]:
        rows = []
        for rollout in healthy():
            task = rollout["_ng_task_index"]
            actions = [{"name": "lend_book", "arguments": {"book": books[task] if task < 2 else f"book {task}"}}]
            instruction = f"You want to change the order of shelf {max(task, 1)}."
            made = {key: value for key, value in rollout.items() if key != "expected_answer"}
            rows.append(made | {"expected_actions": actions, "metadata": {"user_instruction": instruction}})
        return rows

    (item,) = items(tmp_path / "same", "repeated_tasks", expecting("a", "a"))
    assert "share their instruction and expected answer" in item["statement"]
    assert not items(tmp_path / "apart", "repeated_tasks", expecting("a", "b"))
