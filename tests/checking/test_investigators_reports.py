"""Reports as investigators write them: lead-ins, several tasks in one paragraph, pasted sections, escapes, advice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.gym_rows import message, read, response, row, write

from blade import api
from blade.checking import CitedCounts, ReportCheck, check_text
from blade.checking.markdown_blocks import markdown_blocks
from blade.checking.printed_forms import PrintedForms
from blade.checking.tokens import plain
from blade.document import Report
from blade.renderers import markdown
from blade.short_report import shortened

TASKS = ("fix-door", "open-gate", "paint-wall", "sweep-yard", "mend-roof", "dig-well", "lay-path", "cut-hedge")
PASSED = {"north": 6, "south": 3, "east": 1}
WORDS = {
    "fix-door": "bash: hinge: command not found at the front door",
    "open-gate": "KeyError: the gate has no lock to be opened",
    "paint-wall": "Pay with paypal\\_949 or with credit\\_card\\_31 before the wall is painted",
    "sweep-yard": "\n".join(("$ sweep" + "-" * 66 + " broom", "stick not found", "." * 79, "d" * 79)),
}
Checker = Callable[[str], ReportCheck]


def attempt(run: str, place: int) -> dict[str, Any]:
    task = TASKS[place]
    said = message(WORDS.get(task, f"Nothing to be said of {task} by {run}."))
    pane = {"has_transcript": False, "pane_chars": place}
    return row(place, 0, float(place < PASSED[run]), task_id=task, response=response(said), metadata=pane)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checker, Report, Report]:
    folder = tmp_path_factory.mktemp("three")
    left_out = {"east": {6, 7}}
    runs = read(
        *(
            write(
                folder / f"{run}.jsonl", [attempt(run, p) for p in range(len(TASKS)) if p not in left_out.get(run, ())]
            )
            for run in PASSED
        )
    )
    analysis = api.analyze_runs(runs)
    report = api.report(analysis)
    cited = {
        "0a1b2c3d": CitedCounts({"": {"rollouts": 3.0, "tasks": 1.0}}),
        "4d5e6f70": CitedCounts({"south": {"rollouts": 2.0, "failures": 2.0, "of_failures": 5.0}}),
    }
    check = partial(check_text, report=report, analysis=analysis, runs=runs, cited=cited)
    return check, report, shortened(report, list(PASSED))


@pytest.fixture(scope="module")
def check(material: tuple[Checker, Report, Report]) -> Checker:
    return material[0]


def outcome(result: ReportCheck) -> str:
    return "wrong" if result.wrong else "listed" if result.unverifiable else "right"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("1. **The number of north is not real.** north passes 6 of 8 rollouts.", "passes 5 of 8"),
        ("- **No measure of the model, and not a fair one:** north passes 6 of 8 rollouts.", "did not pass 6 of 8"),
        ("**Nothing here is not the harness.** north passes 6 of 8 rollouts.", "does not pass 6 of 8"),
    ],
)
def test_a_lead_in_denies_nothing_that_follows(check: Checker, true: str, false: str) -> None:
    assert outcome(check(true)) == "right"
    assert outcome(check(true.replace("passes 6 of 8", false))) == "wrong"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("While north solves `mend-roof`, south never does.", "While south solves `mend-roof`, north never does."),
        ("**`mend-roof` is not broken.** It passes in north.", "**`mend-roof` is not broken.** It passes in south."),
        ("The best run is north; the reason is not recorded.", "The best run is south; the reason is not recorded."),
    ],
)
def test_a_clause_speaks_of_what_was_named_before(check: Checker, true: str, false: str) -> None:
    assert outcome(check(true)) == "right"
    assert outcome(check(false)) == "wrong"


def test_a_total_of_a_question_is_no_count_of_what_it_found(check: Checker) -> None:
    assert outcome(check("5 rollouts of south hold the word [q:4d5e6f70].")) == "wrong"  # it has 5 failures in all
    assert not check("All 5 failures of south were searched, 2 rollouts hold the word [q:4d5e6f70].").wrong


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("`open-gate` passes, and “hinge: command not found” is what stops `fix-door`.", "listed"),
        ("`fix-door` shows “hinge: command not found”, `open-gate` “the gate has no lock”.", "right"),
        ("`open-gate` shows “hinge: command not found”, `fix-door` passes.", "wrong"),
        ("`fix-door` passes. “hinge: command not found at the” stands in 3 rollouts [q:0a1b2c3d].", "right"),
        ("north passes `open-gate`. “hinge: command not found at the” stands in 3 rollouts [q:0a1b2c3d].", "right"),
        ("`open-gate` passes in north. It says “hinge: command not found at the front door”.", "wrong"),
        ("In `open-gate` north says “hinge: command not found at the front door”.", "wrong"),
    ],
)
def test_a_quote_belongs_to_the_task_in_its_clause(check: Checker, sentence: str, expected: str) -> None:
    assert outcome(check(sentence)) == expected


@pytest.mark.parametrize(
    "quote", ["paypal_949 or with credit_card_31", r"paypal\_949 or with credit\_card\_31", r"paypal\_949 or with cred"]
)
def test_escapes_are_no_part_of_a_quote(check: Checker, quote: str) -> None:
    assert outcome(check(f"In `paint-wall` north says “Pay with {quote}”.")) == "right"
    assert outcome(check(f"In `paint-wall` north says “Pay with {quote.replace('949', '994')}”.")) == "wrong"
    assert outcome(check(f"### `paint-wall`\n\n> Pay with {quote}\n")) == "right"


def test_words_that_a_pane_broke_can_be_quoted(check: Checker) -> None:
    assert outcome(check("In `sweep-yard` north says “broomstick not found”.")) == "right"
    assert outcome(check("In `sweep-yard` north says “broomhandle not found”.")) == "wrong"


def test_a_section_of_the_whole_report_may_stand_in_the_short_one(material: tuple[Checker, Report, Report]) -> None:
    check, whole, short = material
    sections = {section.name: markdown.section(section) for section in whole.sections}
    pasted = sections["cross_model_comparison"]
    table = "\n".join(line for line in pasted.splitlines() if line.startswith("|"))
    assert table not in markdown.render(short)
    row_of_north = next(line for line in table.splitlines() if line.startswith("| `north`"))
    changed = row_of_north.replace("%", "7%", 1)
    for text in (f"{markdown.render(short)}\n{pasted}", f"# Mine\n\n## Ranks\n\n{table}\n\n{markdown.render(short)}"):
        assert not check(text).wrong
        assert [thing.said for thing in check(text.replace(row_of_north, changed)).wrong]


def test_an_appendix_under_a_heading_of_its_own_is_the_reports(material: tuple[Checker, Report, Report]) -> None:
    """The printed report leads to its glossary where a term stands first; a section that is printed alone does not."""
    check, whole, short = material
    appendix = "\n".join(markdown.section(section) for section in whole.sections).replace("## ", "### ")
    text = f"{markdown.render(short)}\n\n## Appendix: all of it\n\n{appendix}"
    blocks = markdown_blocks(text)
    counterparts = PrintedForms(text, whole, ()).counterparts(blocks)
    terms = {plain(block.text) for block in markdown_blocks(markdown.render(short)) if "(#glossary)" in block.text}
    assert terms
    repeated = [place for place, block in enumerate(blocks) if "Appendix" in block.section and block.text in terms]
    assert repeated
    assert all(plain(counterparts[place].block.text) == blocks[place].text for place in repeated)
    assert not check(text).wrong


def test_a_pair_of_its_own_is_not_held_against_another_pair(material: tuple[Checker, Report, Report]) -> None:
    check, whole, _ = material
    text = markdown.render(whole)
    assert "### north → east" in text
    assert "### south → east" not in text
    body = "`east` scores less than `south`.\n\n| What differs | south | east |\n| --- | --- | --- |\n| model | a | b |"
    added = text.replace("### north → east", f"### south → east\n\n{body}\n\n### north → east")
    assert not [thing for thing in check(added).wrong if thing.kind.value in {"run", "word"}]


@pytest.mark.parametrize(
    ("advice", "claim"),
    [
        (
            "Have the harness say so to the agent (“this was done before; its result was the same”).",
            "The harness says to the agent “this was done before; its result was the same”.",
        ),
        (
            "The prompt should say “open the gate before you paint the fence behind it”.",
            "The prompt says “open the gate before you paint the fence behind it”.",
        ),
        (
            "Label BI; to do: “look up the orders of a guest before you ask for a number” in the prompt.",
            "Label BI; it says “look up the orders of a guest before you ask for a number” in the prompt.",
        ),
    ],
)
def test_words_that_are_proposed_need_not_stand_anywhere(check: Checker, advice: str, claim: str) -> None:
    assert outcome(check(advice)) == "listed"
    assert outcome(check(claim)) == "wrong"


def test_how_much_the_short_report_left_out_is_no_claim_about_runs(material: tuple[Checker, Report, Report]) -> None:
    check, _, short = material
    text = markdown.render(short)
    line = next((line for line in text.splitlines() if line.startswith("Left out: ")), None)
    assert line is not None
    number = line.split()[2]
    assert not check(text.replace(line, line.replace(number, str(int(number) + 2), 1))).wrong


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("`fix-door` of north has `metadata.has_transcript: false`.", "right"),
        ("`open-gate` has `metadata.pane_chars: 1`.", "right"),
        ("`open-gate` has `metadata.has_transcript: true`.", "wrong"),
        (
            "In `fix-door` the log ends on “bash: hinge: command not found”; plain `bash: hammer: command` would do.",
            "listed",
        ),
        ("In `fix-door` the log ends on `bash: hammer: command not found`.", "wrong"),
        ("Cheapest test of `fix-door`: `type hammer; echo done` in its shell.", "listed"),
    ],
)
def test_fields_are_quoted_as_they_are_shown_and_code_may_be_supposed(
    check: Checker, sentence: str, expected: str
) -> None:
    assert outcome(check(sentence)) == expected
