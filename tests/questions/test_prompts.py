"""Prompts that the record lacks, and prompts that were damaged on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import called, words

from blade.questions import prompts
from blade.sections import executive_summary


def rows(asked: str, *, missing: int = 0) -> list[Json]:
    return [
        row(
            task,
            reward=float(task % 2),
            responses_create_params=request("" if task < missing else f"{asked} {task}"),
            metadata={"category": "lost" if task < missing else "plain", "note": "same"},
        )
        for task in range(8)
    ]


def test_rows_without_a_prompt_are_named_by_their_slice(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "one" / "one.jsonl", rows("Count to", missing=4))).investigation["prompts"]
    (one,) = answer["missing"]
    assert (one["rows"], one["of"], one["passes"], one["slice"]) == (4, 8, 2, "metadata.category = lost")
    assert words(prompts.tell(answer)) == (
        "4 of 8 judged rollouts of one show no prompt (4 tasks, first 0, 1 and 2, all of metadata.category = "
        "lost): what was asked is unknown. Passes among them: 2 in one."
    )


def test_a_lost_escape_is_shown(tmp_path: Path) -> None:
    answer = analysed(
        write(tmp_path / "one" / "one.jsonl", rows("Put it in \boxed{} and\x1b[0m count to"))
    ).investigation
    (one,) = answer["prompts"]["damaged"]
    assert (one["rows"], one["words"]) == (8, ["\\x08oxed{}"])
    assert "8 of 8 judged rollouts of one contain a stray control character (“\\x08oxed{}”)" in words(
        prompts.tell(answer["prompts"])
    )


def test_plain_prompts_and_records_without_any_are_no_matter(tmp_path: Path) -> None:
    for name, made in (("plain", rows("Tabs\tand\r\nlines of \x1b[1mcolour\x1b[0m")), ("none", rows("x", missing=8))):
        assert "prompts" not in analysed(write(tmp_path / f"{name}.jsonl", made)).investigation


def test_rollouts_without_a_transcript_are_counted_by_outcome(tmp_path: Path) -> None:
    told = rows("Count to")
    for one in told[:5]:
        one["response"]["output"] = []
    answer = analysed(write(tmp_path / "one.jsonl", told)).investigation["prompts"]
    assert words(prompts.tell(answer)) == (
        "5 of 8 judged rollouts of one have no transcript (2 passes and 3 failures), unlike its others: what the "
        "model did is known in those only."
    )
    for one in told:
        one["response"]["output"] = []
    assert "prompts" not in analysed(write(tmp_path / "all" / "one.jsonl", told)).investigation


def _kept(passes: int, failures: int, *, of_passes: int, of_failures: int) -> list[Json]:
    """So many passes and failures with a transcript, of so many."""
    told: list[Json] = []
    for outcome, kept, number in ((1.0, passes, of_passes), (0.0, failures, of_failures)):
        for place in range(number):
            one = row(len(told), reward=outcome, responses_create_params=request(f"Count to {len(told)}"))
            if place >= kept:
                one["response"]["output"] = []
            told.append(one)
    return told


@pytest.mark.parametrize(
    ("passes", "failures", "told"),
    [
        (
            18,
            2,
            (
                "Rollouts with a transcript pass in 18 of 20, those without in 12 of 40 (exact test, p = 1.9e-05): "
                "transcripts were kept mostly where it went well, so that what they show is no fair sample of all "
                "rollouts."
            ),
        ),
        (
            3,
            27,
            (
                "Rollouts with a transcript pass in 3 of 30, those without in 27 of 30 (exact test, p = 2.8e-10): "
                "transcripts were kept mostly where it went badly, so that what they show is no fair sample of all "
                "rollouts."
            ),
        ),
        (10, 10, ""),
    ],
)
def test_transcripts_that_were_kept_of_one_outcome_are_no_fair_sample(
    tmp_path: Path, passes: int, failures: int, told: str
) -> None:
    made = _kept(passes, failures, of_passes=30, of_failures=30)
    answer = analysed(write(tmp_path / "one.jsonl", made)).investigation["prompts"]
    assert words(prompts.tell(answer)).partition("known in those only.")[2].strip() == told


def test_the_outcomes_of_several_runs_are_kept_apart(tmp_path: Path) -> None:
    """The run with most transcripts passes most: inside each run they tell nothing of the outcome."""
    good = write(tmp_path / "good.jsonl", _kept(36, 4, of_passes=45, of_failures=5))
    bad = write(tmp_path / "bad.jsonl", _kept(1, 9, of_passes=5, of_failures=45))
    answer = analysed(good, bad).investigation["prompts"]
    assert len(answer["without_transcript"]) == 2
    assert answer["sample"] is None
    both = [write(tmp_path / f"{name}.jsonl", _kept(12, 1, of_passes=20, of_failures=20)) for name in ("one", "two")]
    assert (
        "Rollouts with a transcript pass in 24 of 26, those without in 16 of 54 (exact test, runs kept apart, p = "
        in words(prompts.tell(analysed(*both).investigation["prompts"]))
    )


def test_a_damaged_template_is_told_first_and_is_to_be_repaired_before_its_run_is_compared(tmp_path: Path) -> None:
    well = write(tmp_path / "well.jsonl", rows("Put it in boxed and count to"))
    damaged = write(tmp_path / "damaged.jsonl", rows("Put it in \boxed{} and count to"))
    analysis = analysed(well, damaged)
    answer = analysis.investigation["prompts"]
    (told,) = prompts.brief(answer)
    assert told.text.startswith("The prompts of 8 of 8 judged rollouts of damaged contain a stray control character")
    (step,) = prompts.advise(answer)
    assert step.change == (
        "Repair the prompt template of damaged (an escape was lost: “\\x08oxed{}”), and run it again before it is "
        "compared"
    )
    assert step.because.text == "All 8 rollouts that were judged got the damaged text."
    assert (step.kind, step.before_scores) == ("prompt", True)
    first, *others = executive_summary.build(analysis)[1].items  # type: ignore[union-attr]
    assert words([first]).startswith("In doubt: The prompts of 8 of 8 judged rollouts of damaged")
    assert any(words([item]).startswith("Next (prompt): Repair the prompt template of damaged") for item in others)


def test_odd_characters_of_a_few_tasks_are_no_damaged_template(tmp_path: Path) -> None:
    some = rows("Count to")
    for made in some[:4]:
        made["responses_create_params"] = request("Decode \x01\x02abc")
    answer = analysed(write(tmp_path / "one.jsonl", some)).investigation["prompts"]
    assert answer["damaged"][0]["rows"] == 4
    assert (list(prompts.brief(answer)), list(prompts.advise(answer))) == ([], [])


def same_prompt(text: str = "placeholder", *, many: int = 6, **fields: Any) -> list[Json]:
    return [row(task, reward=1.0, responses_create_params=request(text), **fields) for task in range(many)]


def test_one_text_for_tasks_that_another_run_asks_each_in_its_words(tmp_path: Path) -> None:
    silent, plain = same_prompt(), rows("Count to")[:6]
    for number, made in enumerate(silent):
        made["metadata"] = {"description": f"Count from one to {number} in words."}
    paths = [write(tmp_path / "lost.jsonl", silent), write(tmp_path / "plain.jsonl", plain)]
    found = analysed(*paths)
    answer = found.investigation["prompts"]
    expected = (
        "The prompts of all 6 tasks of lost are the same text (“placeholder”): the rows do not show what was asked "
        "(the tasks are described in metadata.description)."
    )
    assert words(prompts.tell(answer)) == expected
    assert [sentence.text for sentence in prompts.brief(answer)] == [expected]


def test_one_text_for_tasks_with_several_keys_and_nothing_else_to_tell_them_apart(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "lost.jsonl", same_prompt())).investigation["prompts"]
    assert words(prompts.tell(answer)) == (
        "The prompts of all 6 tasks of lost are the same text (“placeholder”): the rows do not show what was asked."
    )


@pytest.mark.parametrize(
    "lone",
    [
        pytest.param(same_prompt(many=4), id="few tasks"),
        pytest.param(same_prompt(expected_answer="4"), id="one key"),
        pytest.param([made | {"grid": [[task]]} for task, made in enumerate(same_prompt())], id="a field tells"),
        pytest.param(
            [
                made | {"metadata": {"problem": f"What comes after {task}?"}}
                for task, made in enumerate(same_prompt("Solve the problem."))
            ],
            id="a field states the problem",
        ),
        pytest.param(
            same_prompt("Help the user.", response=response(message("Hello, I want tea.", "user"), message("Tea."))),
            id="a user asks",
        ),
        pytest.param(
            same_prompt("Do what the file says.", response=response(*called("read", {"path": "task"}, "Sum 2 and 3."))),
            id="a tool tells",
        ),
    ],
)
def test_a_fixed_prompt_is_right_where_the_task_comes_otherwise(tmp_path: Path, lone: list[Json]) -> None:
    answer = analysed(write(tmp_path / "run.jsonl", lone)).investigation.get("prompts") or {}
    assert not answer.get("one_text")


def test_a_fixed_question_about_pictures_is_the_question(tmp_path: Path) -> None:
    made = same_prompt("How many circles are there?")
    for number, entry in enumerate(made):
        picture = {"type": "input_image", "image_url": f"data:image/png;base64,{number}"}
        words_part = {"type": "input_text", "text": "How many circles are there?"}
        entry["responses_create_params"]["input"] = [{"role": "user", "content": [words_part, picture]}]
    answer = analysed(write(tmp_path / "run.jsonl", made)).investigation.get("prompts") or {}
    assert not answer.get("one_text")


def test_tasks_that_all_runs_ask_alike_are_not_lost_in_one(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", same_prompt(expected_answer="4")) for name in ("one", "two")]
    assert not (analysed(*paths).investigation.get("prompts") or {}).get("one_text")
