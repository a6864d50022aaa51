"""Two runs are compared on what both of them judged, and the scores on paper are corrected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import called, words

from blade.document import Table
from blade.model import Analysis
from blade.questions import like_for_like, lost_attempts, repeats


def scored(task: int, *, passed: bool, **fields: Any) -> Json:
    return row(task, 0, float(passed), **fields)


def broken(task: int) -> Json:
    """An attempt whose model was never reached."""
    return row(task, 0, 0.0, response=response(), extracted_answer=None, error="Connection reset by peer")


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Run a passes 0 to 9 of 20, b 5 to 11; c passes 8 of the first ten, and its last ten attempts are lost."""
    folder = tmp_path_factory.mktemp("pairs")
    other = {"agent_ref": {"name": "another_agent"}}
    paths = [
        write(folder / "a.jsonl", [scored(task, passed=task < 10) for task in range(20)]),
        write(folder / "b.jsonl", [scored(task, passed=5 <= task < 12, **other) for task in range(20)]),
        write(
            folder / "c.jsonl",
            [scored(task, passed=task < 8) for task in range(10)] + [broken(task) for task in range(10, 20)],
        ),
    ]
    return analysed(*(f"{path.stem}={path}" for path in paths))


def test_who_passes_what_adds_up(analysis: Analysis) -> None:
    first = analysis.investigation["like_for_like"]["pairs"][0]
    assert first["runs"] == ["a", "b"]
    assert [first[key] for key in ("tasks", "first", "second", "both", "neither")] == [20, 5, 2, 5, 8]
    assert first["first_tasks"] == ["0", "1", "2", "3", "4"]
    assert first["p"] == pytest.approx(2 * (1 + 7 + 21) / 2**7)  # the exact sign test of 5 against 2


def test_the_words_say_churn_and_name_the_tasks(analysis: Analysis) -> None:
    told = words(like_for_like.tell(analysis.investigation["like_for_like"]))
    assert (
        "Churn, no proven difference: a and b pass 10 of 20 and 7 of 20, 5 tasks only a (0, 1, 2 and 2 more) and 2 "
        "only b (10 and 11), p = 0.453; " in told
    )
    assert "Only a passes 5 tasks" not in told  # said once


def test_runs_that_pass_the_same_tasks_are_said_not_to_differ(tmp_path: Path) -> None:
    rows = [scored(task, passed=task < 4) for task in range(12)]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name in ("one", "two")]
    table = like_for_like.tell(analysed(*paths).investigation["like_for_like"])[0]
    assert isinstance(table, Table)
    assert table.rows[0][-1] == "none differ"


def test_tasks_that_all_go_one_way_are_no_churn(tmp_path: Path) -> None:
    other = {"agent_ref": {"name": "another_agent"}}
    one = write(tmp_path / "one.jsonl", [scored(task, passed=task < 9) for task in range(12)])
    two = write(tmp_path / "two.jsonl", [scored(task, passed=task < 4, **other) for task in range(12)])
    told = words(like_for_like.tell(analysed(f"one={one}", f"two={two}").investigation["like_for_like"]))
    assert "Only one passes 5 tasks (4, 5, 6, 7 and 8), only two 0 tasks, both 4" in told
    assert "(sign test p = 0.062): too few tasks differ to prove a difference." in told


def test_a_pair_among_many_needs_more_than_a_pair_alone(tmp_path: Path) -> None:
    """Run a passes six tasks that two others fail: p = 0.031 twice, and three pairs were compared."""
    paths = [
        write(
            tmp_path / f"{name}.jsonl",
            [scored(task, passed=name == "a" or task > 5, agent_ref={"name": name}) for task in range(12)],
        )
        for name in ("a", "b", "c")
    ]
    alone = like_for_like.tell(analysed(*paths[:2]).investigation["like_for_like"])
    assert "(sign test p = 0.031): beyond chance." in words(alone)
    answer = analysed(*paths).investigation["like_for_like"]
    assert answer["pairs"][0]["p_corrected"] == pytest.approx(2 / 32)
    told = words(like_for_like.tell(answer))
    assert "(sign test p = 0.031): within chance among so many pairs of runs." in told
    assert "beyond chance" not in told


def test_an_interval_that_barely_leaves_zero_out_is_not_beyond_chance(analysis: Analysis) -> None:
    answer = analysis.investigation["lost_attempts"]
    pair = answer["pairs"][0] | {"interval": [-0.3, -0.01]}
    for p, words_for_it in ((0.001, "that is beyond chance"), (0.03, "too near zero to be sure among all that is")):
        told = words(lost_attempts.tell({"pairs": [pair | {"p_corrected": p}], "left_out": 0}))
        assert f"−1.0 pp, by tasks): {words_for_it}" in told


def test_lost_attempts_do_not_count_and_the_paper_is_corrected(analysis: Analysis) -> None:
    pairs = {tuple(pair["runs"]): pair for pair in analysis.investigation["like_for_like"]["pairs"]}
    pair = pairs["a", "c"]
    assert (pair["tasks"], pair["passes"], pair["paper"]) == (10, [10, 8], [[10, 20], [8, 20]])
    told = words(like_for_like.tell(analysis.investigation["like_for_like"]))
    assert (
        "As reported, b passes 7 of 20 (35.0%) and c 8 of 20 (40.0%); on the 10 tasks that both really ran it is 5 "
        "of 10 against 8 of 10." in told
    )


def test_the_gap_is_split_into_what_was_lost_and_what_was_judged(analysis: Analysis) -> None:
    pairs = analysis.investigation["lost_attempts"]["pairs"]
    by_other = {pair["other"]: pair for pair in pairs}
    pair = by_other["a"]
    assert (pair["lost"], pair["gap"], pair["never_tasks"], pair["on_never"], pair["rest"]) == ("c", 2, 10, 0, 2)
    assert (pair["rate"], pair["other_rate"], pair["tasks"]) == (0.8, 1.0, 10)
    pair = by_other["b"]
    assert (pair["gap"], pair["on_never"], pair["rest"]) == (-1, 2, -3)
    told = words(lost_attempts.tell(analysis.investigation["lost_attempts"]))
    assert (
        "a has 2 passes more than c: 0 on the 10 tasks where c was broken from outside in every attempt, and 2 on "
        "attempts that were judged." in told
    )
    assert (
        "Matched on the mix of tasks that c had judged (10 attempts of 10 tasks), it is 80.0% against 100.0% for a "
        "(−20.0 pp" in told
    )
    assert (
        "b has 1 pass fewer than c: 2 more on the 10 tasks where c was broken from outside in every attempt, and 3 "
        "fewer on attempts that were judged." in told
    )
    assert "got no verdict" not in told


def test_the_other_run_is_matched_as_scored_and_as_judged(tmp_path: Path) -> None:
    """Run b lost the second attempt of every task, a that of two tasks: both its rates are told."""
    lost = write(
        tmp_path / "b.jsonl",
        [scored(task, passed=task < 4) for task in range(8)]
        + [broken(task) | {"_ng_rollout_index": 1} for task in range(8)],
    )
    other = write(
        tmp_path / "a.jsonl",
        [scored(task, passed=task < 6) for task in range(8)]
        + [broken(task) | {"_ng_rollout_index": 1} for task in range(2)]
        + [scored(task, passed=task < 6) | {"_ng_rollout_index": 1} for task in range(2, 8)],
    )
    answer = analysed(f"a={other}", f"b={lost}").investigation["lost_attempts"]
    (pair,) = answer["pairs"]
    assert (pair["judged"], pair["other_unjudged"]) == (8, 2)
    assert (pair["rate"], pair["other_rate"], pair["other_judged_rate"]) == (0.5, 0.625, 0.75)
    assert pair["gap"] == pair["on_never"] + pair["on_lost"] + pair["rest"] == 6
    assert pair["rest"] == (pair["other_rate"] - pair["rate"]) * pair["judged"], "both tell of the same attempts"
    told = words(lost_attempts.tell(answer))
    assert (
        "it is 50.0% against 62.5% for a, whose 2 attempts there that did not run or got no verdict count as failed "
        "(−12.5 pp" in told
    )
    assert "; without these a comes to 75.0%." in told
    (short,) = lost_attempts.brief({"pairs": [pair | {"lost_share": 0.6}]})
    assert short.text == (
        "a has 6 passes more than b: about 5 on its lost or unjudged attempts of other tasks, and 1 on attempts that "
        "were judged. On the tasks where b was judged, in the same mix, it passes 50.0% and a 62.5% (75.0% without its "
        "own lost attempts): −12.5 pp, 95% interval −61.2 pp to +36.2 pp, within chance."
    )
    assert not list(lost_attempts.brief(answer)), "half of it was lost, not most"


def test_runs_of_one_configuration_are_repeats(analysis: Analysis) -> None:
    assert "repeats" not in analysis.investigation, "no row shows a system prompt, so nothing tells"


def test_repeats_are_pooled_with_their_scores(tmp_path: Path) -> None:
    def prompted(task: int, *, passed: bool) -> Json:
        made = scored(task, passed=passed)
        made["responses_create_params"] = made["responses_create_params"] | {"instructions": "Be brief."}
        return made

    one = write(tmp_path / "one.jsonl", [prompted(task, passed=task < 4) for task in range(8)])
    two = write(tmp_path / "two.jsonl", [prompted(task, passed=2 <= task < 6) for task in range(7)])
    analysis = analysed(f"one={one}", f"two={two}")
    (group,) = analysis.investigation["repeats"]["groups"]
    assert (group["common"], group["passes"]) == (7, [4, 4])
    assert (group["always"], group["sometimes"], group["never"]) == (2, 4, 1)
    told = words(repeats.tell(analysis.investigation["repeats"]))
    assert "one and two are repeats of one configuration" in told
    assert "They are not full reproductions of each other: two has no row of 1 task (7)." in told
    assert "On the 7 tasks that are judged in all of them they pass 4 and 4; 2 always, 4 sometimes, 1 never" in told
    assert "(pass@1 57.1%, pass@2 85.7%)" in told


def test_runs_without_a_common_task_repeat_nothing(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", [_set_up(task) for task in range(12)])
    two = write(tmp_path / "two.jsonl", [_set_up(task) for task in range(20, 32)])
    assert "repeats" not in analysed(f"one={one}", f"two={two}").investigation


def test_repeats_of_several_attempts_are_pooled_by_rollouts(tmp_path: Path) -> None:
    def rows(lost: int) -> list[Json]:
        made = [scored(task, passed=(task, attempt) != (lost, 1)) for task in range(5) for attempt in range(3)]
        for place, one in enumerate(made):
            one["_ng_rollout_index"] = place % 3
            one["responses_create_params"] = one["responses_create_params"] | {"instructions": "Be brief."}
        return made

    one, two = (write(tmp_path / f"{name}.jsonl", rows(lost)) for name, lost in (("one", 1), ("two", 9)))
    answer = analysed(f"one={one}", f"two={two}").investigation["repeats"]
    (group,) = answer["groups"]
    assert (group["always"], group["sometimes"], group["never"]) == (4, 1, 0)
    assert (
        "they pass 14 of 15 and 15 of 15 rollouts; 4 always, 1 sometimes, 0 never (pass@1 96.7%, passed at least once "
        "100.0%)." in words(repeats.tell(answer))
    )


def _set_up(task: int, *, tokens: int = 1000, **metadata: Any) -> Json:
    made = scored(task, passed=task < 6)
    made["response"]["output"] = [message(f"Task {task} is done by {metadata.get('run_id')}.")]
    made["responses_create_params"] = made["responses_create_params"] | {"instructions": "Be brief."}
    made["response"]["usage"] = {"input_tokens": tokens, "output_tokens": 5, "total_tokens": tokens + 5}
    return made | {"metadata": metadata}


def test_runs_whose_rows_name_another_setting_are_no_repeats(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", [_set_up(task, rules="short", run_id="a81") for task in range(12)])
    two = write(tmp_path / "two.jsonl", [_set_up(task, rules="long", run_id="b92") for task in range(12)])
    analysis = analysed(f"one={one}", f"two={two}")
    assert "repeats" not in analysis.investigation
    stamps = analysis.changes[0].passport
    moved = {stamp["field"]: (stamp["base"], stamp["candidate"]) for stamp in stamps if stamp["role"]}
    assert moved == {"metadata.rules": ("short", "long")}, "the id of a run sets nothing"
    again = write(tmp_path / "again.jsonl", [_set_up(task, rules="short", run_id="c14") for task in range(12)])
    assert analysed(f"one={one}", f"again={again}").investigation["repeats"]["groups"][0]["runs"] == ["one", "again"]


def test_runs_that_read_far_more_than_their_rows_record_are_no_repeats(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", [_set_up(task) for task in range(12)])
    two = write(tmp_path / "two.jsonl", [_set_up(task, tokens=2100) for task in range(12)])
    answer = analysed(f"one={one}", f"two={two}").investigation["repeats"]
    assert not answer["groups"]
    assert (
        "two and one are not repeats of one configuration, although their rows record the same model, agent, "
        "system prompt, tools and sampling: a turn of the model reads a median of 2,100 input tokens in two and "
        "1,000 in one. The rows do not record everything the model was given." in words(repeats.tell(answer))
    )
    (head,) = repeats.brief(answer)
    assert head.text.startswith("two and one are not repeats of one configuration")
    (advice,) = repeats.advise(answer)
    assert advice.change == (
        "Record what the model is really given in two and one (the system prompt and the policy as sent), and say what "
        "the two compare"
    )
    assert advice.because.text == "Their rows record the same, but a turn reads 2,100 and 1,000 input tokens."
    assert advice.before_scores


def test_several_runs_are_ranked_by_what_they_pass_of_the_tasks_judged_in_all(analysis: Analysis) -> None:
    (head,) = like_for_like.brief(analysis.investigation["like_for_like"])
    assert head.text == "Passes on the 10 tasks judged in all 3 runs: a 10 of 10, c 8 of 10, b 5 of 10."


def test_tasks_that_one_run_always_passes_and_another_never_are_named(tmp_path: Path) -> None:
    """Run a passes tasks 0 to 3 three times and b tasks 2 to 5; of task 1 b has two attempts only."""

    def repeated(passed: range, short: int | None = None) -> list[Json]:
        return [
            scored(task, passed=task in passed) | {"_ng_rollout_index": attempt}
            for task in range(8)
            for attempt in range(2 if task == short else 3)
        ]

    paths = [write(tmp_path / "a.jsonl", repeated(range(4))), write(tmp_path / "b.jsonl", repeated(range(2, 6), 1))]
    answer = analysed(*(f"{path.stem}={path}" for path in paths)).investigation["like_for_like"]
    (pair,) = answer["pairs"]
    assert pair["opposite"] == [["0"], ["4", "5"]]
    told = words(like_for_like.tell(answer))
    assert "a passes every attempt of 0, b none (at least 3 attempts each). b passes every attempt of 4 and 5, " in told


def test_a_tie_on_paper_that_comes_of_lost_rollouts_is_told_first(tmp_path: Path) -> None:
    """Ten tasks each; the second run lost four of them, and passes all that it ran."""
    lost: Json = {"error": "503 Service Unavailable", "response": response()}
    one = write(tmp_path / "one.jsonl", [row(task, reward=float(task < 6)) for task in range(10)])
    two = write(
        tmp_path / "two.jsonl",
        [row(task, reward=float(2 <= task < 8), **(lost if not 2 <= task < 8 else {})) for task in range(10)],
    )
    answer = analysed(one, two).investigation["like_for_like"]
    told = words(like_for_like.tell(answer))
    tie = (
        "As reported, one passes 6 of 10 (60.0%) and two 6 of 10 (60.0%), a tie only because 4 rollouts of two "
        "never ran or were not judged; on the 6 tasks that both really ran it is 4 of 6 against 6 of 6."
    )
    assert tie in told
    assert next(iter(like_for_like.brief(answer))).text == tie


def test_repeats_of_one_configuration_have_nothing_to_tie_for(tmp_path: Path) -> None:
    """The same as above, of one agent with one prompt."""
    system = {"input": [{"role": "system", "content": "Sort the post."}, {"role": "user", "content": "Now."}]}
    same: Json = {"responses_create_params": system | {"temperature": 0.5}}
    lost: Json = {"error": "503 Service Unavailable", "response": response()}
    one = write(tmp_path / "one.jsonl", [row(task, reward=float(task < 6), **same) for task in range(10)])
    two = write(
        tmp_path / "two.jsonl",
        [row(task, reward=float(2 <= task < 8), **same, **(lost if not 2 <= task < 8 else {})) for task in range(10)],
    )
    answer = analysed(one, two).investigation["like_for_like"]
    told = words(like_for_like.tell(answer))
    assert "As reported" not in told
    assert "4 of 6 | 6 of 6" in told
    assert list(like_for_like.brief(answer)) == []


def test_a_difference_that_chance_seldom_does_is_no_churn(tmp_path: Path) -> None:
    """Six tasks one way and fifteen the other."""
    one = write(tmp_path / "one.jsonl", [row(task, reward=float(task < 6)) for task in range(30)])
    two = write(tmp_path / "two.jsonl", [row(task, reward=float(6 <= task < 21)) for task in range(30)])
    told = words(like_for_like.tell(analysed(one, two).investigation["like_for_like"]))
    assert "(sign test p = 0.078): inconclusive, though unlikely by chance alone." in told


def cut(task: int) -> Json:
    """A failure that a limit of time ended, and that was judged."""
    return row(task, 0, 0.0, status="timed_out", error="AgentTimeoutError: timed out after 900 seconds")


def ended(tmp_path: Path, *cut_tasks: int) -> str:
    """Run one passes 0 to 8 of 14, two passes 0 to 3 and 9; a limit ends two at some tasks."""
    other = {"agent_ref": {"name": "another_agent"}}
    one = write(tmp_path / "one.jsonl", [scored(task, passed=task < 9) for task in range(14)])
    rows = [scored(task, passed=task < 4 or task == 9, **other) for task in range(14)]
    rows = [cut(task) | other if task in cut_tasks else entry for task, entry in enumerate(rows)]
    two = write(tmp_path / "two.jsonl", rows)
    return words(like_for_like.tell(analysed(f"one={one}", f"two={two}").investigation["like_for_like"]))


def test_tasks_at_which_the_other_run_was_cut_short_are_told(tmp_path: Path) -> None:
    assert (
        "At 3 of the 5 tasks that only one passes (4, 5 and 6) a limit or a signal ended the rollout of two, at none "
        "of the 1 task that only two passes that of one. Of the rollouts at common tasks that nothing of this kind "
        "ended one passes 9 of 14 and two 5 of 10." in ended(tmp_path, 4, 5, 6, 13)
    )


def test_runs_that_call_their_tasks_otherwise_and_repeat_others_are_compared_on_the_common_ones(tmp_path: Path) -> None:
    """By their text: one run has further tasks, with two attempts each."""
    prompts = {task: {"responses_create_params": request(f"Count to {task} and further.")} for task in range(20)}
    one = [scored(task, passed=task < 9, id=f"one-{task}", **prompts[task]) for task in range(14)]
    one += [row(task, attempt, 1.0, id=f"one-{task}", **prompts[task]) for task in range(14, 20) for attempt in (0, 1)]
    two = [
        cut(task) | prompts[task] if 4 <= task < 7 else scored(task, passed=task < 4, **prompts[task])
        for task in range(14)
    ]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name, rows in (("one", one), ("two", two))]
    told = words(like_for_like.tell(analysed(*paths).investigation["like_for_like"]))
    assert "At 3 of the 5 tasks that only one passes (one-4, one-5 and one-6) a limit or a signal ended the" in told
    assert told.endswith("that nothing of this kind ended one passes 9 of 14 and two 4 of 11.")


def test_a_rollout_that_its_own_last_command_ended_is_cut_short_too(tmp_path: Path) -> None:
    kill = {"type": "function_call", "name": "bash", "call_id": "last", "arguments": '{"command": "pkill -f press"}'}
    look = called("bash", {"command": "ps aux"}, "press 7")

    def ended_row(task: int) -> Json:
        if task in {4, 5}:
            return cut(task)
        own_end = {"response": response(*look, kill), "agent_exit_code": 143} if task == 6 else {"agent_exit_code": 0}
        return scored(task, passed=task < 4 or task == 9, **own_end)

    first = write(tmp_path / "one.jsonl", [scored(task, passed=task < 9) for task in range(14)])
    second = write(
        tmp_path / "two.jsonl", [ended_row(task) | {"agent_ref": {"name": "another_agent"}} for task in range(14)]
    )
    text = words(like_for_like.tell(analysed(f"one={first}", f"two={second}").investigation["like_for_like"]))
    assert "At 3 of the 5 tasks that only one passes (4, 5 and 6) a limit or a signal ended the rollout of two" in text


@pytest.mark.parametrize("cut_tasks", [(4, 5), (), (10, 11, 12, 13)])
def test_few_of_them_or_others_are_not_told(tmp_path: Path, cut_tasks: tuple[int, ...]) -> None:
    assert "a limit or a signal ended" not in ended(tmp_path, *cut_tasks)


def test_copies_of_runs_are_no_further_comparisons(tmp_path: Path) -> None:
    """Two runs, each held twice: one pair is compared, and not six."""

    def rows(model: str, passing: range) -> list[Json]:
        return [
            row(
                task,
                0,
                float(task in passing),
                response=response(message(f"{model} thinks of number {task} and says so."), model=model),
                expected_answer=None,
                extracted_answer=None,
            )
            for task in range(80)
        ]

    made = {"rye": rows("rye", range(50)), "oat": rows("oat", range(30, 64))}
    paths = [
        f"{name}{copy}={write(tmp_path / f'{name}{copy}.jsonl', made[name])}"
        for name in made
        for copy in ("", "_again")
    ]
    (pair,) = [
        pair
        for pair in analysed(*paths).investigation["like_for_like"]["pairs"]
        if sorted(pair["runs"]) == ["oat", "rye"]
    ]
    assert (pair["first"] + pair["second"], pair["p_corrected"]) == (44, pair["p"])
