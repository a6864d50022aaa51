"""Names of runs that speak of another model or limit than their rows record."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import names_and_rows


def rows(model: str, **metadata: object) -> list[Json]:
    return [
        row(
            task,
            reward=float(task % 2),
            response=response(message(f"Said {model} {task}."), model=model),
            metadata=dict(metadata),
        )
        for task in range(8)
    ]


def told(tmp_path: Path, **files: list[Json]) -> str:
    paths = [write(tmp_path / f"{name}.jsonl", some) for name, some in files.items()]
    answer = analysed(*paths).investigation.get("names_and_rows")
    return words(names_and_rows.tell(answer)) if answer else ""


def test_a_name_that_speaks_of_another_model_than_all_rows(tmp_path: Path) -> None:
    same = rows("org/talk-4o-2024")
    assert told(tmp_path, **{"talk5mini-policy": same, "talk4o-policy": rows("org/talk-4o-2024", day="later")}) == (
        "The name of talk5mini-policy speaks of talk5mini, but 8 rows record the model org/talk-4o-2024, as those of "
        "talk4o-policy do: the name stands for something else (a prompt, a policy, another model's part), or the "
        "record is wrong. Settle which before the runs are compared as models."
    )


@pytest.mark.parametrize(
    "name",
    [
        "talk-4",
        "talk4.1-run",
        "talk_2",
        "talk-70b",
        "talk-8b-tuned",
        "plain",
        "talk-2024-05",
        "small-talkative9",
    ],
)
def test_names_that_agree_or_only_count_or_tell_a_size_are_left_alone(tmp_path: Path, name: str) -> None:
    assert told(tmp_path, **{name: rows("talk-4o-2024")}) == ""


def test_a_version_that_another_field_names_is_no_contradiction(tmp_path: Path) -> None:
    assert told(tmp_path, **{"talk-5-as-user": rows("talk-4o", user_model="talk-5-mini")}) == ""
    assert "speaks of talk-5" in told(tmp_path, **{"talk-5-as-user": rows("talk-4o", user_model="other-5")})


def test_a_part_that_all_names_share_tells_no_run_apart(tmp_path: Path) -> None:
    files = {"talk-5-one": rows("talk-4o"), "talk-5-two": rows("talk-4o", day="later")}
    assert told(tmp_path, **files) == ""


def test_a_name_with_another_number_of_turns_than_the_limit_of_the_rows(tmp_path: Path) -> None:
    files = {"search_25_turns": rows("m", turns_max=15), "search_10_turns": rows("m", turns_max=10)}
    assert told(tmp_path, **files) == (
        "The name of search_25_turns speaks of 25 turns, but metadata.turns_max is 15 in 8 rows: the limit that "
        "counted is not the one in the name, or the field is wrong."
    )
