"""The first steps of the first screen: their order, and what is not said twice in other words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write

from blade.diagnosis.remedies import BENCHMARK, LIMIT, UNSETTLED
from blade.document import Advice, say
from blade.findings import Intervention, MoreRoom
from blade.model import Analysis
from blade.summary.next_steps import next_steps


def step(kind: str, change: str, rollouts: int, run: str = "a", **more: object) -> Intervention:
    made = Intervention(
        kind, f"{change}: {rollouts} rollouts.", None, None, exact=False, tasks=(), because=(), cheap_test="",
        prediction="", run=run, rollouts=rollouts, change=change, most=rollouts / 100,
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def advice(kind: str, change: str, rollouts: int, *, first: bool = False) -> Advice:
    return Advice(kind, change, say("It is so."), rollouts, 0.5, before_scores=first)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = Path(tmp_path_factory.mktemp("runs"))
    rows = [row(task, reward=float(task % 2)) for task in range(6)]
    return replace(analysed(*(write(folder / f"{name}.jsonl", rows) for name in "ab")), interventions=())


@pytest.fixture
def many(few: Analysis) -> Analysis:
    return replace(few, runs=(*few.runs, few.runs[0]), other_interventions=(step("prompt", "Say more", 4, "b"),))


def told(analysis: Analysis, *advised: Advice) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blade.summary.next_steps.advised", lambda _: list(advised))
        return [sentence.text for sentence in next_steps(analysis)]


def test_doubts_come_first_then_changes_then_what_is_only_to_be_read(few: Analysis) -> None:
    plan = (step("data", UNSETTLED.change, 90), step("harness", "Check", 9))
    doubt = advice("verifier", "Regrade", 2, first=True)
    found = told(replace(few, interventions=plan), doubt, advice("prompt", "Ask", 5))
    assert [text.split(".")[0] for text in found] == [
        "Next (verifier): Regrade",
        "Next (harness): Check: 9 rollouts",
        "Next (prompt): Ask",
    ]
    assert told(replace(few, interventions=plan[:1])) == [f"Next (data): {UNSETTLED.change}: 90 rollouts."]


def test_a_change_for_a_few_comes_after_the_failures_that_are_to_be_read(few: Analysis) -> None:
    plan = (step("harness", "Check", 8), step("data", UNSETTLED.change, 90))
    found = told(replace(few, interventions=plan), advice("prompt", "Ask", 5))
    assert [text.partition(":")[0] for text in found] == ["Next (prompt)", "Next (data)", "Next (harness)"]


def test_lost_rollouts_come_before_a_doubt_that_concerns_fewer(few: Analysis) -> None:
    plan = replace(few, interventions=(step("environment", "Retry", 23),))
    small, large = (advice("environment", "Give it the same tool", count, first=True) for count in (11, 23))
    assert [text.split(":")[1].strip() for text in told(plan, small)] == ["Retry", "Give it the same tool. It is so."]
    assert [text.split(":")[1].strip() for text in told(plan, large)] == ["Give it the same tool. It is so."]


def test_a_kind_is_not_named_twice_but_for_the_harness(few: Analysis) -> None:
    plan = (step("verifier", "Check the keys", 3), step("harness", "Check", 9))
    found = told(
        replace(few, interventions=plan), advice("data", "Read the key of 7", 3), advice("harness", "Go on", 2)
    )
    assert [text[:22] for text in found] == [
        "Next (verifier): Check",
        "Next (harness): Check:",
        "Next (harness): Go on.",
    ]


def test_of_many_runs_a_change_for_far_more_failures_goes_before_small_advice(many: Analysis) -> None:
    plan = (step("harness", "Shorten outputs", 50),)
    small, large = advice("environment", "Retry", 2), advice("environment", "Retry", 8)
    assert told(replace(many, interventions=plan), small)[0].startswith("Next (harness): Shorten outputs")
    assert told(replace(many, interventions=plan), large)[0].startswith("Next (environment): Retry")


def test_of_many_runs_a_change_of_some_tasks_names_them_and_is_not_said_twice(many: Analysis) -> None:
    steps = [
        step("verifier", BENCHMARK.change, rollouts, run, tasks=tasks)
        for rollouts, run, tasks in ((20, "a", ("t1", "t2")), (10, "b", ("t2", "t3")))
    ]
    plan = replace(many, interventions=(steps[0],), other_interventions=(steps[1],))
    (alone,) = told(plan)
    assert alone.endswith(", and quarantine what is wrong. Rollouts: a 20 and b 10; tasks: t1, t2 and t3.")
    assert len(told(plan, advice("verifier", "Read the test of t1", 23))) == 2
    assert len(told(plan, advice("verifier", "Read the test of t1", 24))) == 1


def test_a_limit_is_raised_with_its_estimate_and_ranked_by_it(few: Analysis, many: Analysis) -> None:
    room = MoreRoom(cut=45, looping=21, working=52, later=8, points=0.073)
    limit = step("harness", LIMIT.change, 23, more_room=room)
    (alone,) = told(replace(few, interventions=(limit,)))
    assert alone.endswith(
        "By what this run shows, twice the limit would bring about +7.3 pp, an estimate (of 52 rollouts still at work "
        "halfway to it 8 passed later; 21 of 45 that it cut repeat themselves)."
    )
    first, second, _ = told(replace(many, interventions=(limit, step("harness", "Check", 9))))
    assert first.startswith("Next (harness): Check")
    assert second.endswith("Rollouts: a 23. Twice the limit would bring about a +7.3 pp.")


def test_a_change_for_one_rollout_or_a_handful_of_a_small_run_is_named_only_alone(tmp_path: Path) -> None:
    large = write(tmp_path / "large.jsonl", [row(task, reward=float(task % 2)) for task in range(12)])
    small = write(tmp_path / "small.jsonl", [row(task, reward=float(task % 2)) for task in range(4)])
    both = analysed(f"large={large}", f"small={small}")
    for weak in (step("harness", "Check", 1, "large"), step("harness", "Check", 3, "small")):
        analysis = replace(both, interventions=(weak,))
        assert told(analysis, advice("prompt", "Ask", 5)) == ["Next (prompt): Ask. It is so."]
        assert told(analysis)[0].startswith("Next (harness): Check")
    strong = step("harness", "Check", 2, "large")
    assert len(told(replace(both, interventions=(strong,)), advice("prompt", "Ask", 5))) == 2


def test_a_limit_says_how_many_that_it_cut_are_left_out(many: Analysis) -> None:
    limit = step("harness", LIMIT.change, 5, own_errors=11)
    assert told(replace(many, interventions=(limit,)))[0].endswith(
        "Rollouts: a 5. 11 more rollouts that it cut are left out: their tests show a failing assertion, which more "
        "room may not mend."
    )


def test_where_nothing_is_to_be_changed_it_says_what_would_tell_why(tmp_path: Path) -> None:
    rows = [row(task, reward=float(task % 2)) for task in range(12)]
    analysis = replace(analysed(write(tmp_path / "a.jsonl", rows)), interventions=())
    (sentence,) = told(analysis)
    assert sentence == (
        "Next (evidence): Get at least 3 repeats and a second model, and read these failures against their keys "
        "(blade reading-list): for 6 failing tasks of a nothing recorded tells whether the model, the key or "
        "the task is at fault."
    )


def test_where_nothing_says_what_a_pass_is_no_task_is_called_failing(tmp_path: Path) -> None:
    rows = [row(task, reward=0.3 + task / 100, expected_answer=None, extracted_answer=None) for task in range(12)]
    analysis = replace(analysed(write(tmp_path / "a.jsonl", rows)), interventions=())
    (sentence,) = told(analysis)
    assert sentence.startswith("Next (evidence): Get ")
    assert sentence.endswith(
        "and read the rollouts with the lowest rewards (blade reading-list): for 12 tasks of a nothing that BLADE "
        "reads tells what keeps the reward below a full score."
    )
    moved = {"reward_parts": {"runs": [{"run": "a"}]}}
    assert told(replace(analysis, investigation=moved)) == []
    rows = [row(task, reward=0.0, expected_answer=None, extracted_answer=None) for task in range(12)]
    nothing = replace(analysed(write(tmp_path / "b.jsonl", rows)), interventions=())
    assert "12 failing tasks of b" in told(nothing)[0], "where all is zero, all fails"


def _heads(*paths: str | Path) -> list[str]:
    return [sentence.text for sentence in next_steps(analysed(*paths))]


def test_where_all_pass_harder_tasks_are_asked_for(tmp_path: Path) -> None:
    def run_of(tasks: int) -> Path:
        rows = [row(task, attempt, 1.0) for task in range(tasks) for attempt in range(2)]
        return write(tmp_path / f"{tasks}" / "run.jsonl", rows)

    texts = {tasks: _heads(run_of(tasks)) for tasks in (1, 6, 12)}
    more = "Next (data): Take more and harder tasks: every rollout of "
    rest = "so that these tell no model from another."
    assert texts == {
        1: [f"{more}1 task passes, so that it tells no model from another."],
        6: [f"{more}6 tasks passes, {rest}"],
        12: [f"Next (data): Take harder tasks: every rollout of 12 tasks passes, {rest}"],
    }  # fmt: skip


def test_rewards_on_a_scale_of_their_own_are_no_passes(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task % 5)) for task in range(12)]
    assert not [head for head in _heads(write(tmp_path / "run.jsonl", rows)) if "passes" in head]


def test_where_tasks_are_too_few_for_a_comparison_more_are_asked_for_but_not_of_repeats(tmp_path: Path) -> None:
    def rows(reward_of_last: float, model: str) -> list[Json]:
        made = [row(task, attempt, 1.0) for task in range(5) for attempt in range(3)]
        if not reward_of_last:
            made[-1] = row(4, 2, 0.0, response=response(message("It is 99.")), extracted_answer="99")
        return [entry | {"response": {**entry["response"], "model": model}} for entry in made]

    paths = [
        write(tmp_path / name / "run.jsonl", rows(reward, model))
        for name, reward, model in (("old", 0.0, "m1"), ("again", 1.0, "m1"), ("new", 1.0, "m2"))
    ]
    steps = _heads(*(f"{path.parent.name}={path}" for path in (paths[0], paths[2])))
    sentence = "Next (data): To tell new from old, run about 40 tasks of this kind: these are too few for a difference "
    assert steps == [f"{sentence}of this size."]
    assert _heads(*(f"{path.parent.name}={path}" for path in paths[:2])) == []


def test_where_hardly_a_task_is_common_more_of_the_same_tasks_are_asked_for(tmp_path: Path) -> None:
    def run(name: str, tasks: int, failing: int) -> str:
        answers = [response(message(f"It is {name} {task}.")) for task in range(tasks)]
        made = [row(task, 0, float(task >= failing), response=answer) for task, answer in enumerate(answers)]
        rows = [entry | {"response": {**entry["response"], "model": name}} for entry in made]
        return f"{name}={write(tmp_path / name / 'run.jsonl', rows)}"

    assert _heads(run("old", 3, 1), run("new", 9, 0))[-1] == (
        "Next (data): Give old and new more of the same tasks: 3 tasks in common are too few for any verdict."
    )
