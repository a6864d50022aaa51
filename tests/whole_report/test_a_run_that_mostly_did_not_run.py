"""Three runs, one of which mostly never started: what is compared, what is advised, and what is said of the clock."""

from __future__ import annotations

import pytest
from tests.counting.audit.test_attempts import VOCABULARIES, acted, never_started
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import words

from blade.model import Analysis
from blade.sections import executive_summary, recommendations, score_change
from blade.summary.advice import advised
from blade.summary.run_summary import leaderboard

TASKS = 16


def mostly_void() -> list[Json]:
    """Two attempts of four tasks worked; twelve tasks never started; two more attempts got no verdict."""
    rows = [acted(task, attempt, float(task % 2)) for task in range(4) for attempt in range(2)]
    rows += [never_started(task, attempt, VOCABULARIES["shell"]) for task in range(4, TASKS) for attempt in range(2)]
    for task in range(2):
        late = acted(task, 2, 0.0)
        del late["response"]["output"][-1]
        late["verifier"] = {"test_results": None, "error": "evaluation timed out"}
        rows.append(late)
    return rows


def good(machine: str, passing: int) -> list[Json]:
    rows = [acted(task, attempt, float(task < passing)) for task in range(TASKS) for attempt in range(3)]
    for one in rows:
        one["response"]["output"][1]["output"] += f"\nLinux box 6.1.0 {machine} GNU/Linux"
    return rows


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = tmp_path_factory.mktemp("void")
    runs = (("a", good("x86_64", 6)), ("b", good("aarch64", 14)), ("c", mostly_void()))
    return analysed(*(f"{run}={write(folder / f'{run}.jsonl', rows)}" for run, rows in runs))


def test_its_score_is_compared_on_paper_only(analysis: Analysis) -> None:
    summary = words(executive_summary.build(analysis))
    assert "c scores" in summary
    line = next(line for line in summary.split("\n") if line.startswith("Difference: As reported, c scores"))
    assert "but lost rollouts make that no fair comparison" in line
    assert "real difference" not in line
    assert (
        "On the 4 tasks judged in both, a passes 12 of 12 and c 4 of 8; a is ahead in 2 tasks and c in 0 (p = 0.5: "
        "within chance)." in line
    )
    changes = words(score_change.build(analysis)).split("\n")
    on_paper = next(line for line in changes if line.startswith("c scores"))
    assert (
        "as reported, but lost rollouts make that no fair comparison: the score of c does not measure the model."
        in on_paper
    )
    assert ": real" not in on_paper


def test_the_first_claim_says_where_all_of_the_lost_rollouts_were_lost(analysis: Analysis) -> None:
    (broken,) = [line for line in words(executive_summary.build(analysis)).split("\n") if line.startswith("Broken")]
    assert broken.startswith(
        "Broken: c lost 26 of 34 rollouts (24 never started and 2 got no verdict); 8 ran and were judged. Its reported "
        "score of 10.4% does not measure the model; over judged rollouts it is 50.0%."
    )


def test_a_run_that_is_not_ranked_stands_below_those_that_are(analysis: Analysis) -> None:
    """Run c scores 50.0% over what was judged, more than a: that is no second place."""
    lines = words([leaderboard(analysis)]).split("\n")
    assert [line.split(" | ")[0] for line in lines[-3:]] == ["b", "a", "c"]
    assert " | not ranked | " in lines[-1]


def test_the_machines_stand_beside_the_settings(analysis: Analysis) -> None:
    told = "b on arm64"
    assert f"Besides the settings, the machine may differ: a on x86_64 and {told}." in words(
        score_change.build(analysis)
    )
    assert "The runs used different machines" in words(executive_summary.build(analysis))


def test_the_score_is_told_without_each_kind_of_lost_rows_and_without_all(analysis: Analysis) -> None:
    told = words(recommendations.build(analysis))
    assert "Run again 24 rollouts of c that infrastructure broke, once the agent can start" in told
    assert "changes nothing (with only these left out the mean reward is 40.0%, 4 of 10)." in told
    assert "2 rollouts of c got no verdict: run them again, as the rows keep nothing that could be graded" in told
    assert "nothing that could be graded (with only these left out the mean reward is 12.5%, 4 of 32)." in told
    assert "Without all of these rows the score of c is 50.0%." in told


def test_work_that_is_not_in_the_row_is_run_again_and_not_graded_again(analysis: Analysis) -> None:
    changes = {item.change: item for item in analysis.interventions}
    (again,) = [item for change, item in changes.items() if change.startswith("Run these again with a verifier")]
    assert (again.rollouts, again.kind) == (2, "verifier")
    assert not any(change.startswith("Repair the verifier") for change in changes)


def test_what_keeps_most_rollouts_from_running_is_the_first_step(analysis: Analysis) -> None:
    steps = [line for line in words(executive_summary.build(analysis)).split("\n") if line.startswith("Next (")]
    assert steps[0].startswith("Next (environment): Fix what keeps the agent from starting")


def test_what_was_lost_in_every_attempt_is_told_apart_from_what_may_be_retried(analysis: Analysis) -> None:
    first, *others = advised(analysis)
    assert first.change.startswith("Fix what keeps the agent from starting on these tasks")
    assert first.because.text == "In 12 tasks no attempt of a run starts its agent: c 24."
    (again,) = [item for item in others if item.change.startswith("Run these again with a verifier")]
    assert again.because.text == "2 rollouts of c got no verdict."
    assert not any(item.change.startswith("Repair or retry") for item in others), "nothing else was broken"
