"""Prompts that the record lacks, and prompts that were damaged on the way."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, request, row, write
from tests.questions.made_cases import words

from blade.questions import prompts


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
