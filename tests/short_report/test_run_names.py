"""Long names of runs are cut to what tells them apart, and the table of runs says what they stand for."""

from __future__ import annotations

import pytest

from blade.document import Bullets, Fact, Paragraph, Report, Section, Table, say
from blade.errors import NotFound
from blade.queries.conditions import with_whole_names
from blade.renderers import markdown
from blade.run_names import run_named, short_names
from blade.short_report import first_screen

LONG = ["openhands__claude-4-sonnet", "cursor-cli__claude-4-sonnet"]


@pytest.mark.parametrize(
    ("runs", "short"),
    [
        (LONG, {LONG[0]: "openhands", LONG[1]: "cursor-cli"}),
        (["baseline", "candidate"], {}),
        (["the-only-run-of-this-report__a"], {}),
        (["long_model_name_step_100", "long_model_name_step_200"], {"step_100", "step_200"}),
        (["flash__act__0605165341", "flash__calls__0605165399", "mini__calls__0605165341"],
         {"flash__act", "flash__calls", "mini"}),
        (["a-very-long-name-without-x", "short"], {}),
        (["agent-model_2025-06-22T17-03-11", "agent-model_2025-06-22T18-40-09"],
         {"agent-model_2025-06-22T17-03-11": "2025-06-22T17-03-11",
          "agent-model_2025-06-22T18-40-09": "2025-06-22T18-40-09"}),
        (["quiz:subject=art,method=choice_joint,model=a_small", "quiz:subject=art,method=choice_joint,model=b_large"],
         {"model=a_small", "model=b_large"}),
        (["quiz-subject=art_and_law-model=a_small", "quiz-subject=art_and_law-model=b_large"], {}),
        (["chat-model-4-1-instruct", "chat-model-4-5-instruct"], {"model-4-1", "model-4-5"}),
        (["O1-Mini-2024-09-12", "O1-Preview-2024-09-12"], {"Mini", "Preview"}),
        (["opus-4-5-thinking-very-high", "gpt-5-low", "grok-4"], {"opus"}),
    ],
)  # fmt: skip
def test_names_are_cut_to_the_parts_that_differ(runs: list[str], short: dict[str, str] | set[str]) -> None:
    found = short_names(runs)
    assert (set(found.values()) if isinstance(short, set) else found) == short


def test_the_first_screen_has_short_names_and_says_what_they_stand_for() -> None:
    table = Table(("Run", ">Score"), tuple((Fact(run, "id"), "1") for run in LONG))
    told = say(f"{LONG[0]} fails 3 tasks; see runs/{LONG[0]}.jsonl and “{LONG[1]}”: {{command}}",
               command=Fact(f"blade show {LONG[0]}", "id"))  # fmt: skip
    summary = Section("executive_summary", "Executive Summary", (table, Bullets((Paragraph((told,)),))))
    blocks = first_screen(Report("two", (summary,)), LONG)
    text = markdown.section(Section("s", "S", blocks))
    assert "| `openhands` | 1 | openhands__claude-4-sonnet |" in text
    assert f"- openhands fails 3 tasks; see runs/{LONG[0]}.jsonl and “{LONG[1]}”: `blade show {LONG[0]}`" in text


def test_a_claim_of_the_first_screen_has_counts_and_no_lists_of_tasks() -> None:
    told = say("So 9 failures say: a 5 (1, 2, 3 and 2 more), b 3 (7, 8 and 9) and c 1 (4); 33 of 50 (66.0%) pass.")
    summary = Section("executive_summary", "Executive Summary", (Bullets((Paragraph((told,)),)),))
    (bullets,) = first_screen(Report("three", (summary,)), ["a", "b", "c"])
    assert isinstance(bullets, Bullets)
    assert markdown.paragraph(bullets.items[0]) == "So 9 failures say: a 5, b 3 and c 1; 33 of 50 (66.0%) pass."


@pytest.mark.parametrize("name", ["openhands__claude-4-sonnet", "openhands", "OpenHands"])
def test_a_run_is_known_by_its_whole_name_its_short_one_or_a_part_that_no_other_has(name: str) -> None:
    assert run_named(name, LONG) == "openhands__claude-4-sonnet"


def test_a_part_of_two_names_is_refused_with_both() -> None:
    with pytest.raises(NotFound, match=r"'sonnet' may mean 2 runs\. Give more of the name: openhands__claude-4-sonn"):
        run_named("sonnet", LONG)


@pytest.mark.parametrize("name", ["open", "hands__claude", ""])
def test_letters_inside_a_word_name_no_run(name: str) -> None:
    with pytest.raises(NotFound, match=f"No run is named '{name}'"):
        run_named(name, LONG)


def test_the_nearest_name_is_said() -> None:
    with pytest.raises(NotFound, match=r"No run is named 'openhads__claude-4-sonet'\. Nearest: openhands__claude"):
        run_named("openhads__claude-4-sonet", LONG)


@pytest.mark.parametrize(
    ("condition", "whole"),
    [
        ("run = 'openhands' and failed", "run = 'openhands__claude-4-sonnet' and failed"),
        ("run != 'cursor-cli'", "run != 'cursor-cli__claude-4-sonnet'"),
        (
            "not void and run in ('openhands', 'cursor-cli')",
            "not void and run in ('openhands__claude-4-sonnet', 'cursor-cli__claude-4-sonnet')",
        ),
        ("grep('run = ''openhands''')", "grep('run = ''openhands''')"),
        ("task = 'openhands'", "task = 'openhands'"),
    ],
)
def test_conditions_name_runs_in_the_same_way(condition: str, whole: str) -> None:
    assert with_whole_names(condition, LONG) == whole


def test_a_condition_on_a_run_that_does_not_exist_is_no_zero() -> None:
    with pytest.raises(NotFound, match="No run is named 'nobody'"):
        with_whole_names("run = 'nobody'", LONG)
