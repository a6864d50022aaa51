"""Long names of runs are cut to what tells them apart, and the table of runs says what they stand for."""

from __future__ import annotations

import pytest

from blade.document import Bullets, Fact, Paragraph, Report, Section, Table, say
from blade.renderers import markdown
from blade.short_report import first_screen
from blade.short_report.run_names import short_names

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
