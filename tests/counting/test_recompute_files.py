"""Files that agree, files that were tampered with, and files that are not what they should be."""

from __future__ import annotations

import copy
import dataclasses
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from blade.counting.recompute import (
    MOST_KEPT,
    Recomputed,
    ScoredRow,
    baseline,
    check_agent_metrics,
    check_aggregate,
    check_profile,
    passk,
)

AGENT = "solver"


def make_rows(tasks: int = 6, repeats: int = 4, seed: int = 1, agent: str | None = AGENT) -> list[ScoredRow]:
    """Binary rewards, tokens, an answer that is sometimes missing, a level per task; lines in completion order."""
    draw = random.Random(seed)
    places = [(task, attempt) for task in range(tasks) for attempt in range(repeats)]
    draw.shuffle(places)
    rows = []
    for line, (task, attempt) in enumerate(places, 1):
        reward = float(draw.random() < 0.5)
        numbers = {"reward": reward, "output_tokens": float(draw.randrange(50, 999))}
        numbers |= {"graded": float(draw.random() < 0.4), "wer": draw.random()}
        answer = draw.choice(["A", "B", None])
        fields: dict[str, object] = {"level": "hard" if task % 2 else "easy", "reward": reward}
        rows.append(
            ScoredRow(agent, task, attempt, line, reward, numbers, {"answer": answer, "gold_answer": "A"}, fields)
        )
    return rows


def family(tasks: list[list[ScoredRow]], score: str, values: list[passk.Scores]) -> dict[str, object]:
    longest = max(map(len, tasks))
    answers = [[row.answers["answer"] for row in task] for task in tasks]
    means = passk.run_means(values)
    metrics: dict[str, object] = {}
    for k in range(1, longest + 1):
        metrics[f"pass@{k}/{score}"] = passk.pass_at(values, k)
        metrics[f"pass@1[avg-of-{k}]/{score}"] = passk.average_of(values, k)
        metrics[f"majority@{k}/{score}"] = passk.majority_at(values, answers, k)
        if spread := passk.spread_of_runs(means, k):
            metrics[f"pass@1[avg-of-{k}]/{score}/std_dev_across_runs"] = spread[0]
            metrics[f"pass@1[avg-of-{k}]/{score}/std_err_across_runs"] = spread[1]
            metrics[f"pass@1[avg-of-{k}]/{score}/avg_sample_std_dev"] = passk.spread_within_tasks(values, k)
    return metrics


def grouped(rows: list[ScoredRow], *, by_file: bool = False) -> list[list[ScoredRow]]:
    return [
        sorted((row for row in rows if row.task == task), key=lambda row: row.line if by_file else row.attempt)
        for task in sorted({row.task for row in rows})
    ]


def make_group(task: list[ScoredRow]) -> dict[str, Any]:
    infos = [
        {"rollout_id": f"{row.task}:{row.attempt}", "_ng_task_index": row.task, "_ng_rollout_index": row.attempt}
        | dict(row.numbers)
        for row in task
    ]
    counts = {"num_rollouts": len(task), "expected_num_rollouts": len(task), "missing_num_rollouts": 0}
    described = baseline.describe(task).values
    completion = {"reward_profile_completion_pct": 100.0, "rollout_infos": infos}
    return {"_ng_task_index": task[0].task, **described, "sample": {}, **counts, **completion}


def make_entry(rows: list[ScoredRow], *, by_file: bool = False) -> dict[str, Any]:
    """An aggregate entry as the source would write it, with three scores and one subset level."""
    tasks = grouped(rows, by_file=by_file)
    scores: dict[str, list[passk.Scores]] = {
        "accuracy": [[row.reward for row in task] for task in tasks],
        "symbolic_accuracy": [[row.numbers["graded"] for row in task] for task in tasks],
        "no_answer": [[float(row.answers["answer"] is None) for row in task] for task in tasks],
    }
    metrics: dict[str, Any] = dict(baseline.describe(rows).values)
    for score, values in scores.items():
        metrics |= family(tasks, score, values)
    metrics["per_sample_aggregate"] = {score: passk.run_means(values) for score, values in scores.items()}
    easy = [task for task in tasks if task[0].fields["level"] == "easy"]
    part = family(easy, "accuracy", [[row.reward for row in task] for task in easy])
    metrics |= {f"easy/{key}": value for key, value in part.items()}
    return {
        "agent_ref": {"name": rows[0].agent},
        "agent_metrics": metrics,
        "key_metrics": {key: value for key, value in metrics.items() if key.startswith("mean/")},
        "group_level_metrics": [make_group(task) for task in tasks],
    }


def make_flat(rows: list[ScoredRow]) -> list[dict[str, Any]]:
    return [{**baseline.describe(rows).values, "agent_ref": {"name": rows[0].agent}}]


def the_causes(check: Recomputed) -> set[str]:
    return {found.likely_cause for found in check.disagreements}


def only_cause(check: Recomputed) -> str:
    (cause,) = the_causes(check)
    return cause


@pytest.mark.parametrize("by_file", [False, True])
def test_an_untouched_file_agrees_to_the_last_value(by_file: bool) -> None:
    rows = make_rows()
    entry = make_entry(rows, by_file=by_file)
    check = check_aggregate([entry], rows)
    assert check.disagreements == ()
    assert check.not_recomputed == ()
    assert check.problems == ()
    assert check.groups_matched == 6
    values = len(entry["agent_metrics"]) - 1 + 3 * 4 + len(entry["key_metrics"])
    per_task = sum(len(group) - 3 for group in entry["group_level_metrics"]) + 4 * len(rows)
    assert check.matched == values + per_task
    assert ("The first k rollouts of a task are taken in the order of the file" in str(check.notes)) == by_file


def test_a_score_is_read_from_the_field_that_explains_all_of_it() -> None:
    rows = make_rows()
    check = check_aggregate([make_entry(rows)], rows)
    assert "symbolic_accuracy is read as graded." in check.notes
    assert "no_answer is read as answer is null." in check.notes


def test_a_score_that_no_field_explains_belongs_to_the_benchmark() -> None:
    rows = make_rows()
    entry = make_entry(rows)
    entry["agent_metrics"] |= {
        "pass@1/elo": 12.3,
        "corpus_wer@k=1": 3.0,
        "direct": {"n": 1},
        "nobody/pass@1/accuracy": 1,
    }
    entry["agent_metrics"]["mean/reward_output_JSON"] = 0.25
    entry["key_metrics"]["wer"] = 3.0
    entry["repeat_level_metrics"] = []
    entry["group_level_metrics"][0]["instance_id"] = "x"
    check = check_aggregate([entry], rows)
    assert check.disagreements == ()
    assert set(check.not_recomputed) == {
        *("pass@1/elo", "corpus_wer@k=1", "direct", "nobody/pass@1/accuracy", "mean/reward_output_JSON"),
        *("key_metrics/wer", "group_level_metrics/instance_id", "repeat_level_metrics"),
    }


@pytest.mark.parametrize("value", [False, 0.0, [0.0, 100.0]])
def test_a_score_of_nothing_or_everything_is_not_read_from_whatever_field_gives_it(value: object) -> None:
    rows = make_rows(2, 2)
    entry = make_entry(rows)
    entry["agent_metrics"]["per_sample_aggregate"] = {"other": value}
    assert "per_sample_aggregate/other[0]" in check_aggregate([entry], rows).not_recomputed


def test_an_accuracy_that_no_field_gives_is_listed_with_a_careful_cause() -> None:
    rows = make_rows()
    flat = make_flat(rows)
    flat[0] |= {"pass@1/accuracy": 12.34, "pass@1[avg-of-1]/accuracy": 12.34}
    check = check_agent_metrics(flat, rows)
    assert [found.key for found in check.disagreements] == ["pass@1/accuracy", "pass@1[avg-of-1]/accuracy"]
    assert only_cause(check).startswith("The row numbers agree: the benchmark may take this score from something")


def test_an_empty_value_makes_no_subset_and_a_field_may_be_named_in_the_prefix() -> None:
    rows = [dataclasses.replace(row, fields={"needles": row.task % 2 * 8}) for row in make_rows()]
    tasks = grouped(rows)
    score = {needles: passk.pass_at([[r.reward for r in t] for t in tasks[needles > 0 :: 2]], 2) for needles in (0, 8)}
    flat = make_flat(rows)
    flat[0] |= {f"needles={needles}/pass@2/accuracy": value for needles, value in score.items()}
    flat[0] |= {"0/pass@2/accuracy": score[0], "8/pass@2/accuracy": score[8]}
    check = check_agent_metrics(flat, rows)
    assert check.disagreements == ()
    assert set(check.not_recomputed) == {"needles=0/pass@2/accuracy", "0/pass@2/accuracy"}


def test_accuracy_may_be_reward_above_zero() -> None:
    rows = [dataclasses.replace(row, numbers={**row.numbers, "reward": row.reward or -1.0}) for row in make_rows()]
    metrics = {**baseline.describe(rows).values}
    tasks = grouped(rows)
    metrics["pass@2/accuracy"] = passk.pass_at([[row.reward for row in task] for task in tasks], 2) or 0.0
    check = check_agent_metrics([{"agent_ref": {"name": AGENT}, **metrics}], rows)
    assert check.disagreements == ()
    assert check.notes == ("accuracy is read as reward > 0.",)


@pytest.mark.parametrize(
    "key",
    ["mean/reward", "std/wer", "pass@3/accuracy", "majority@4/accuracy", "pass@2/symbolic_accuracy", "pass@1/no_answer",
     "pass@1[avg-of-3]/accuracy/std_err_across_runs", "easy/pass@2/accuracy"],
)  # fmt: skip
def test_one_changed_value_is_found_and_named(key: str) -> None:
    rows = make_rows()
    entry = make_entry(rows)
    true = entry["agent_metrics"][key]
    entry["agent_metrics"][key] = true + 0.123456789
    entry["key_metrics"].pop(key, None)
    check = check_aggregate([entry], rows)
    (found,) = check.disagreements
    assert (found.key, found.task, found.agent) == (key, None, AGENT)
    assert found.recomputed == pytest.approx(true)
    assert found.difference == pytest.approx(0.123456789)
    assert found.likely_cause.startswith("The file's own per-task values agree")


def test_a_changed_run_mean_is_found() -> None:
    rows = make_rows()
    entry = make_entry(rows)
    entry["agent_metrics"]["per_sample_aggregate"]["accuracy"][2] += 1
    assert [found.key for found in check_aggregate([entry], rows).disagreements] == ["per_sample_aggregate/accuracy[2]"]


def test_appended_rows_are_named_by_the_rows_that_still_fit() -> None:
    rows = make_rows()
    later = [dataclasses.replace(row, task=row.task + 6, line=row.line + 24) for row in make_rows(1, seed=9)]
    for check in (
        check_aggregate([make_entry(rows)], rows + later),
        check_agent_metrics(make_flat(rows), rows + later),
    ):
        assert only_cause(check) == "Rows appended after aggregation: the first 24 of 28 rows give the stored values."
    profile = check_profile([make_group(task) for task in grouped(rows)], rows + later)
    assert only_cause(profile) == "Rows appended after aggregation: the first 24 of 28 rows give the stored values."


def test_a_file_that_counts_more_rollouts_than_there_are() -> None:
    rows = make_rows()
    kept = [row for row in rows if (row.task, row.attempt) not in {(0, 1), (3, 2)}]
    assert only_cause(check_aggregate([make_entry(rows)], kept)).startswith(
        "A build before 0.5.0 counted rows that were never persisted, or rows were removed since: the file counts 24"
    )
    assert "its means fit 24 rollouts, 22 are there" in only_cause(check_agent_metrics(make_flat(rows), kept))


@pytest.mark.parametrize("which", ["first", "last"])
def test_duplicates_are_named_with_the_copy_that_counted(which: str) -> None:
    rows = make_rows()
    again = dataclasses.replace(rows[3], line=99, numbers={**rows[3].numbers, "output_tokens": 5000.0})
    read = [*rows, again]
    counted = rows if which == "first" else [row for row in read if row is not rows[3]]
    check = check_agent_metrics(make_flat(counted), read)
    assert only_cause(check) == f"1 rows repeat a (task, attempt) pair: with only the {which} of each the values agree."


def test_an_edited_row_is_named_by_its_task() -> None:
    rows = make_rows()
    edited = list(rows)
    flipped = {**rows[5].numbers, "reward": 1.0 - rows[5].numbers["reward"]}
    edited[5] = dataclasses.replace(
        rows[5], numbers=flipped, reward=flipped["reward"], fields={**rows[5].fields, "reward": flipped["reward"]}
    )
    check = check_aggregate([make_entry(rows)], edited)
    assert check.groups_matched == 5
    assert only_cause(check).startswith(f"Rows edited or verified again after aggregation, in task {rows[5].task}:")
    assert f"rollout_infos/{rows[5].task}:{rows[5].attempt}/reward" in {found.key for found in check.disagreements}


def test_percent_against_fraction_is_named() -> None:
    rows = make_rows()
    entry = make_entry(rows)
    entry["agent_metrics"]["mean/reward"] *= 100
    entry["agent_metrics"]["pass@1/accuracy"] /= 100
    check = check_aggregate([entry], rows)
    said = {found.key: found.likely_cause for found in check.disagreements}
    assert said["mean/reward"].endswith("the stored value is a hundred times the recomputed one.")
    assert said["pass@1/accuracy"].endswith("the stored value is a hundredth of the recomputed one.")
    assert said["key_metrics/mean/reward"].startswith("key_metrics differs from agent_metrics")
    assert len(said) == 3


def test_rounding_is_named() -> None:
    rows = make_rows()
    entry = make_entry(rows)
    entry["agent_metrics"]["mean/wer"] = entry["key_metrics"]["mean/wer"] = round(entry["agent_metrics"]["mean/wer"], 4)
    assert only_cause(check_aggregate([entry], rows)) == "The stored value is rounded."


def test_agents_are_told_apart() -> None:
    one, two = make_rows(seed=1), make_rows(seed=2, agent="other")
    two = [dataclasses.replace(row, line=row.line + len(one)) for row in two]
    fine = check_aggregate([make_entry(one), make_entry(two)], one + two)
    assert (fine.disagreements, fine.problems) == ((), ())
    pooled = check_agent_metrics(make_flat(one + two), one + two)
    assert only_cause(pooled) == "The file pools the 2 agents of the rows under one name."
    strange = check_agent_metrics([{**make_flat(one)[0], "mean/wer": 0.9, "agent_ref": {"name": AGENT}}], one + two)
    assert only_cause(strange).startswith("The rows hold 2 agents; neither grouping by agent nor pooling")


def test_a_renamed_agent_is_a_problem_not_a_disagreement() -> None:
    rows = make_rows()
    entry = make_entry(rows) | {"agent_ref": {"name": "renamed"}}
    check = check_aggregate([entry], rows)
    assert check.disagreements == ()
    assert check.problems == ("No row names the agent 'renamed': the file was held against all rows.",)


def test_an_entry_without_rows_and_rows_without_an_entry() -> None:
    rows = make_rows()
    entries = [make_entry(rows), make_entry(make_rows(agent="ghost"))]
    check = check_aggregate(entries, [*rows, dataclasses.replace(rows[0], agent="third")])
    assert "No row belongs to the agent 'ghost' of the file." in check.problems
    assert "Agents with rows but no entry in the file: third." in check.problems


def test_other_tasks_are_named() -> None:
    rows = make_rows()
    moved = [dataclasses.replace(row, task=row.task + (10 if row.task == 2 else 0)) for row in rows]
    check = check_profile([make_group(task) for task in grouped(rows)], moved)
    assert only_cause(check) == "The task sets differ: 1 tasks only in the file, 1 only in the rows."


def test_a_column_that_the_file_lacks_is_a_disagreement() -> None:
    rows = make_rows()
    flat = make_flat([dataclasses.replace(row, numbers={"reward": row.numbers["reward"]}) for row in rows])
    check = check_agent_metrics(flat, rows)
    assert {found.key for found in check.disagreements} == {
        f"{stat}/{column}" for stat in baseline.STATS for column in ("wer", "graded", "output_tokens")
    }
    assert only_cause(check).startswith("The rows have this value, the file does not")


def test_the_profile_without_index_is_in_task_order_and_expects_what_it_says() -> None:
    rows = make_rows()
    profile = [make_group(task) for task in grouped(rows)]
    profile[1] |= {"expected_num_rollouts": 8, "missing_num_rollouts": 4, "reward_profile_completion_pct": 50.0}
    bare = [{key: value for key, value in group.items() if key != "_ng_task_index"} for group in profile]
    check = check_profile(bare, rows)
    assert (check.disagreements, check.groups_matched, check.file_kind) == ((), 6, "reward_profiling")
    bare[1]["missing_num_rollouts"] = 3
    (found,) = check_profile(bare, rows).disagreements
    assert (found.key, found.task, found.recomputed) == ("missing_num_rollouts", 1, 4.0)
    assert "cannot be put side by side" in check_profile(bare[:3], rows).problems[0]


def test_the_oldest_profile_divides_by_n() -> None:
    rewards = [1.0, 0.0, 0.5, 1.0]
    rows = [
        ScoredRow(None, 3, place, place, reward, {"reward": reward}, {}, {}) for place, reward in enumerate(rewards)
    ]
    stored = {"_task_index": 3, "avg_reward": 0.625, "std_reward": math.sqrt(0.171875), "min_reward": 0.0}
    stored |= {"max_reward": 1.0, "total_samples": 4, "pass_rate": 0.75, "pass_rate_total": 4, "pass_rate_passed": 3}
    check = check_profile([stored | {"pass_threshold": 0.5}], rows)
    assert (check.matched, check.groups_matched, check.disagreements) == (8, 1, ())
    assert check.file_kind.endswith("(before 2026-02-25)")
    assert set(check_profile([stored], rows).not_recomputed) == {"pass_rate", "pass_rate_total", "pass_rate_passed"}
    wrong = check_profile([stored | {"std_reward": 0.4787135538781691}], rows)
    assert [found.key for found in wrong.disagreements] == ["std_reward"]
    assert check_profile([stored], []).disagreements_total > 0


def test_in_the_rollout_list_the_row_wins_over_usage() -> None:
    rows = [dataclasses.replace(row, fields={**row.fields, "output_tokens": 7}) for row in make_rows()]
    groups = [make_group(task) for task in grouped(rows)]
    wrong = check_profile(groups, rows)
    assert wrong.disagreements_total == len(rows)
    for info in (info for group in groups for info in group["rollout_infos"]):
        info["output_tokens"] = 7
    assert check_profile(groups, rows).disagreements == ()


def test_at_most_a_thousand_disagreements_are_kept_and_all_are_counted() -> None:
    rows = make_rows(60, 4)
    groups = [make_group(task) for task in grouped(rows)]
    changed = [dataclasses.replace(row, numbers={key: v + 1 for key, v in row.numbers.items()}) for row in rows]
    check = check_profile(groups, changed)
    assert len(check.disagreements) == MOST_KEPT
    assert check.disagreements_total > MOST_KEPT


def test_without_rows_nothing_is_recomputed_and_it_is_said() -> None:
    check = check_aggregate([make_entry(make_rows())], [])
    assert check.problems == ("There are no rollouts to recompute from.",)
    assert check.disagreements_total > 0


def test_an_empty_entry_is_said_to_be_empty() -> None:
    check = check_aggregate([{"agent_ref": {"name": AGENT}, "agent_metrics": {}, "key_metrics": {}}], make_rows())
    assert (check.matched, check.disagreements) == (0, ())
    assert check.notes == ("The metrics are empty: verification was skipped, or nothing was aggregated.",)


@pytest.mark.parametrize("stored", ["0.5", [0.5], {"a": 1}, None, math.nan, math.inf])
def test_a_stored_value_that_is_no_number_is_a_disagreement(stored: object) -> None:
    rows = make_rows()
    flat = make_flat(rows)
    flat[0]["mean/reward"] = stored
    (found,) = check_agent_metrics(flat, rows).disagreements
    assert found.key == "mean/reward"
    if isinstance(stored, str | list | dict):
        assert found.likely_cause == "The stored value is not a number."


@pytest.mark.parametrize("entries", [None, 3, "text", [3], {"agent_metrics": 1}, [{"agent_metrics": {}}], [[]]])
def test_what_is_no_aggregate_is_a_problem(entries: object) -> None:
    check = check_aggregate(entries, make_rows())
    assert check.problems
    assert check.matched == 0


@pytest.mark.parametrize("profile", [None, 3, "text", {"mean/reward": 1}, [3], [{"_ng_task_index": "x"}]])
def test_what_is_no_profile_is_a_problem(profile: object) -> None:
    check = check_profile(profile, make_rows())
    assert check.problems
    assert check.matched == 0


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))


@examples(300)
@given(st.data())
def test_hostile_content_never_raises_and_never_goes_unnoticed(data: st.DataObject) -> None:
    rows = make_rows(2, 2, seed=3)
    entry = copy.deepcopy(make_entry(rows))
    assert check_aggregate([entry], rows).not_recomputed == ()
    places: list[tuple[Any, Any]] = [(entry, key) for key in ("agent_metrics", "group_level_metrics", "agent_ref")]
    places += [(entry["agent_metrics"], key) for key in entry["agent_metrics"]]
    for group in entry["group_level_metrics"]:
        places += [(group, key) for key in group if key != "sample"]
        places += [(info, key) for info in group["rollout_infos"] for key in info if key != "rollout_id"]
    where, key = data.draw(st.sampled_from(places))
    before, where[key] = where[key], data.draw(JSON)
    check = check_aggregate([entry], rows)
    check_agent_metrics([entry["agent_metrics"]], rows)
    check_profile(entry["group_level_metrics"], rows)
    number = isinstance(before, int | float) and isinstance(where[key], int | float)
    same = math.isclose(before, where[key], abs_tol=1e-6) if number else where[key] == before
    if not same and key != "agent_ref":
        assert check.disagreements or check.problems or check.not_recomputed or "metrics are empty" in str(check.notes)


def bare_keys(rows: list[ScoredRow], unit: float) -> dict[str, Any]:
    """The pass@k family as a file writes it that names no score; `unit` is 1 for percentages, 0.01 for shares."""
    tasks = grouped(rows)
    values: list[passk.Scores] = [[row.reward for row in task] for task in tasks]
    exact = {f"pass@{k}": passk.pass_at(values, k) for k in (1, 2, 4)}
    exact |= {"pass@1[avg-of-2]": passk.average_of(values, 2), "pass^2": passk.all_of(values, 2)}
    exact |= {"pass_at_k": passk.pass_at(values, 4)}
    return {key: value * unit for key, value in exact.items() if value is not None}


@pytest.mark.parametrize("unit", [1.0, 0.01], ids=["percentages", "shares"])
def test_a_key_that_names_no_score_is_recomputed_from_the_reward(unit: float) -> None:
    rows = make_rows()
    metrics = bare_keys(rows, unit)
    flat = [{**baseline.describe(rows).values, **metrics, "agent_ref": {"name": AGENT}}]
    check = check_agent_metrics(flat, rows)
    assert (check.disagreements, check.not_recomputed) == ((), ())
    assert check.matched == len(flat[0]) - 1
    for key in metrics:
        wrong = check_agent_metrics([flat[0] | {key: metrics[key] + 0.03 * unit}], rows)
        assert [found.key for found in wrong.disagreements] == [key]
        assert wrong.disagreements[0].recomputed == pytest.approx(metrics[key])
        assert wrong.matched == check.matched - 1


def test_a_false_bare_pass_rate_differs_where_it_is_the_only_value_and_in_the_headline() -> None:
    rows = make_rows()
    right = bare_keys(rows, 0.01)["pass@1"]
    entry = make_entry(rows)
    entry["agent_metrics"] = {"pass@1": right + 0.2}
    entry["key_metrics"] = {"pass@1": right + 0.2}
    entry["group_level_metrics"] = []
    check = check_aggregate([entry], rows)
    (differs,) = [found for found in check.disagreements if found.stored is not None]
    assert differs.key == "pass@1"
    assert differs.recomputed == pytest.approx(right)
    assert check.matched == 0, "a headline that repeats a wrong value does not agree with the rows"


def test_a_bare_pass_rate_may_be_the_mean_over_rollouts_or_the_first_attempts() -> None:
    rows = [row for row in make_rows() if row.task or not row.attempt]
    values: list[passk.Scores] = [[row.reward for row in task] for task in grouped(rows)]
    ways = {
        "the mean over all rollouts": passk.mean_of_rollouts(values),
        "the first k attempts of each task": passk.best_of_first(values, 1),
    }
    assert len({passk.pass_at(values, 1), *ways.values()}) == 3
    for words, value in ways.items():
        check = check_agent_metrics([{**baseline.describe(rows).values, "pass@1": value}], rows)
        assert check.disagreements == ()
        assert f"pass@1 is read as {words}." in check.notes


def test_a_bare_pass_rate_over_graded_rewards_is_unchecked_unless_a_reading_gives_it() -> None:
    rows = [
        dataclasses.replace(row, reward=row.numbers["wer"], numbers={**row.numbers, "reward": row.numbers["wer"]})
        for row in make_rows()
    ]
    metrics = baseline.describe(rows).values
    assert check_agent_metrics([{**metrics, "pass@1": 0.0}], rows).not_recomputed == ()
    unknown = check_agent_metrics([{**metrics, "pass@1": 0.37, "pass@1[mean]": 0.4}], rows)
    assert set(unknown.not_recomputed) == {"pass@1", "pass@1[mean]"}
    assert unknown.disagreements == ()


def test_without_task_indices_only_pass_at_one_can_be_recomputed() -> None:
    rows = [dataclasses.replace(row, task=0, attempt=0) for row in make_rows()]
    share = sum(row.reward or 0.0 for row in rows) / len(rows)
    check = check_agent_metrics([{**baseline.describe(rows).values, "pass@1": share, "pass@4": 0.9}], rows)
    assert check.not_recomputed == ("pass@4",)
    assert check.disagreements == ()
