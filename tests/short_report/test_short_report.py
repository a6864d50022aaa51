"""The report that is read is short, keeps what weighs most, and says what it leaves out and where that stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.made_demo import Demo

from blade import api
from blade.document import (
    Block,
    Bullets,
    Fact,
    Heading,
    Paragraph,
    Picture,
    Quote,
    Report,
    Section,
    Sentence,
    Table,
    say,
)
from blade.renderers import markdown
from blade.short_report import shortened
from blade.short_report.length import words_of
from blade.short_report.pieces import pieces_of
from blade.short_report.worth import worth

RUNS = [f"run-{letter}" for letter in "abcdefg"]
VERBS = ("opens", "drops", "renames", "forgets", "doubles")
NOUNS = ("file", "order", "seat", "index", "answer", "letter", "ledger")


def words(report: Report) -> int:
    return len(markdown.render(report).split())


@pytest.fixture(scope="module")
def whole(demo: Demo) -> Report:
    return api.report(demo.analysis, pictures=True)


@pytest.fixture(scope="module")
def short(demo: Demo, whole: Report) -> Report:
    return api.shorten(whole, demo.analysis)


def many_runs(sentences: Callable[[int, int, str], str]) -> Report:
    """A report of seven runs, as long as those of real benchmarks: twenty findings, each told of every run."""
    blocks: list[Paragraph | Heading | Table | Bullets] = []
    for number in range(20):
        blocks.append(Heading(f"Finding {number}"))
        for place, run in enumerate(RUNS * 3):
            where = say("It does so in task {task}.", task=f"{number}-{place}")
            blocks.append(Paragraph((say(sentences(number, place, run)), where)))
        blocks.append(Table(("Run", ">Failures"), tuple((run, str(number + place)) for place, run in enumerate(RUNS))))
    summary = Section("executive_summary", "Executive Summary", (Bullets((Paragraph((say("All is told."),)),)),))
    return Report("many", (summary, Section("investigation", "Investigation", tuple(blocks))))


def one_wording(number: int, place: int, run: str) -> str:
    return f"{run} fails {number * 7 + place} of 115 rollouts in step {number}."


def many_wordings(number: int, place: int, run: str) -> str:
    noun, verb = NOUNS[(number + place) % 7], VERBS[(number + place // 5) % 5]
    deed = f"{VERBS[place % 5]} the {noun} that {verb} a step"
    return f"{run} fails {number * 7 + place} of 115 rollouts where it {deed} of part {chr(97 + number)}."


def test_two_runs_have_at_most_three_thousand_words(whole: Report, short: Report) -> None:
    assert words(whole) > 10_000
    assert 2_600 < words(short) <= 3_000


def test_many_runs_have_at_most_five_thousand_words() -> None:
    whole = many_runs(many_wordings)
    assert words(whole) > 6_000
    assert 4_000 < words(shortened(whole, RUNS)) <= 5_000


def test_what_stands_around_the_statements_is_counted_too() -> None:
    """Forty sections with nothing in them but a heading and what they leave out take words from the statements."""
    whole = many_runs(many_wordings)
    rows = tuple((f"task-{number}", "a text of some length") for number in range(400))
    headings = [
        Section(
            f"part_{number}",
            f"Part {number} of so many",
            (Paragraph((say(f"Part {number} has a word."),)), Table(("A", "B"), rows)),
        )
        for number in range(40)
    ]
    short = shortened(Report("many", (*whole.sections, *headings)), RUNS)
    assert len(short.sections) > 20
    assert 4_000 < words(short) <= 5_000


def test_words_are_counted_as_markdown_prints_them(whole: Report, short: Report) -> None:
    for report in (whole, short):
        pictures = [block.alt for one in report.sections for block in one.blocks if isinstance(block, Picture)]
        printed = words(report) - sum(len(alt.split()) for alt in pictures)
        assert abs(words_of(report) - printed) <= max(5, 0.002 * printed)


def test_the_same_statements_are_chosen_whether_pictures_are_drawn_or_not() -> None:
    """A report is checked against one that is made anew without pictures."""
    plain = many_runs(many_wordings)
    picture = Picture("waterfall", "Parts", "one part after another " * 12, Table(("A",), ()), "<svg/>")
    summary, *others = plain.sections
    drawn = Report("many", (replace(summary, blocks=(*summary.blocks, picture)), *others))
    text = markdown.render(shortened(plain, RUNS))
    drawn_text = markdown.render(shortened(drawn, RUNS))
    assert re.sub(r"!\[[^\n]*\n\n", "", drawn_text) == text


def test_the_name_of_a_place_is_no_word_for_the_glossary() -> None:
    claim = Paragraph(
        (say("Failures: all. (see {evidence})", evidence=Fact("Dominant Failure Modes", "section", "modes")),)
    )
    summary = Section("executive_summary", "Executive Summary", (Bullets((claim,)),))
    text = markdown.render(shortened(Report("many", (summary,)), RUNS))
    assert "(see Dominant Failure Modes in report.html)" in text


def test_a_row_or_two_of_a_big_table_are_not_shown() -> None:
    rows = tuple((f"task-{number}", str(number)) for number in range(400))
    claims = [Paragraph((say(f"run-a fails {number} of 115 rollouts in step {number}."),)) for number in range(500)]
    section = Section("investigation", "Investigation", (Table(("Task", ">Rollouts"), rows), *claims))
    kept = shortened(Report("one", (section,)), RUNS)
    tables = [block for block in kept.sections[0].blocks if isinstance(block, Table)]
    assert all(len(table.rows) >= 3 for table in tables)


def test_a_table_of_a_single_row_is_whole() -> None:
    row = ("medium", "repeated tasks", "50 tasks share their prompt with another task")
    section = Section("benchmark_health", "Benchmark Health", (Table(("Severity", "Check", "Statement"), (row,)),))
    kept = shortened(Report("one", (section,)), RUNS)
    assert [block.rows for block in kept.sections[0].blocks if isinstance(block, Table)] == [(row,)]


def test_what_only_counts_what_is_left_out_is_not_repeated() -> None:
    left = Paragraph((say("8 more pairs with smaller gaps can be compared the same way."),))
    section = Section("investigation", "Investigation", (Paragraph((say("run-a fails 7 of 9 tasks."),)), left))
    text = markdown.render(shortened(Report("one", (section,)), RUNS))
    assert "7 of 9" in text
    assert "smaller gaps" not in text


def test_the_first_steps_of_the_advice_stand_in_their_order() -> None:
    steps = [
        Paragraph((say(f"Mend part {number} (harness)."), say(f"It ends {9 - number} rollouts.")))
        for number in range(8)
    ]
    filler = tuple(
        Paragraph((say(f"run-a fails {number} of 115 rollouts in step {number}."),)) for number in range(900)
    )
    advice = (Heading("What to do first, over all runs"), Bullets(tuple(steps)))
    report = Report("one", (Section("investigation", "Investigation", filler), Section("recommendations", "R", advice)))
    text = markdown.render(shortened(report, RUNS))
    assert [number for number in range(8) if f"Mend part {number}" in text] == [0, 1, 2, 3, 4, 5]


def test_the_first_screen_makes_at_most_ten_claims_and_each_names_its_evidence(short: Report) -> None:
    first = short.sections[0]
    claims = next(block for block in first.blocks if isinstance(block, Bullets))
    assert 3 <= len(claims.items) <= 10
    anchors = {markdown.anchor(title) for title in re.findall(r"^##+ (.+)$", markdown.render(short), re.MULTILINE)}
    for claim in claims.items:
        link = re.search(r"\(see \[[^\]]+\]\(#([^)]+)\)\)$", markdown.paragraph(claim))
        assert link is not None, claim
        assert link[1] in anchors


def test_nothing_is_reworded(whole: Report, short: Report) -> None:
    """Every sentence that is kept stands in the whole report, but for cut lists and quotes, and a colon before one."""
    known = plain(markdown.render(whole))
    kept = [sentence.text for section in short.sections[:-2] for sentence in sentences(section)]
    kept = [text for text in kept if not text.startswith(("(see ", "Left out: ")) and not re.search(r" more\b|…", text)]
    assert len(kept) > 50
    assert not [text for text in kept if plain(markdown.escape(text.rstrip("."))) not in known]


def plain(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def sentences(section: Section) -> list[Sentence]:
    paragraphs = [block for block in section.blocks if isinstance(block, Paragraph)]
    paragraphs += [item for block in section.blocks if isinstance(block, Bullets) for item in block.items]
    return [sentence for paragraph in paragraphs for sentence in paragraph.sentences]


def test_what_is_left_out_is_counted_with_the_command_that_shows_it(whole: Report, short: Report) -> None:
    text = markdown.render(short)
    line = r"^Left out: \d+ statements and \d+ rows \(`--section recommendations`\)\.$"
    assert re.search(line, text, re.MULTILINE)
    last, glossary = short.sections[-2:]
    assert glossary.title == "Glossary"
    told = markdown.section(last)
    assert last.title == "What This Report Leaves Out"
    assert "`blade analyze RUN... --full`" in told
    shown = {section.name for section in short.sections}
    absent = [section for section in whole.sections if section.name not in shown]
    assert absent
    assert all(section.name in told for section in absent)


def test_the_same_finding_of_many_runs_is_told_of_few() -> None:
    kept = shortened(many_runs(one_wording), RUNS)
    text = markdown.render(kept)
    assert text.count("of 115 rollouts in step 3.") <= 5
    assert "in step 3." in text
    assert "in step 19." in text


def test_a_caveat_stays_with_its_claim() -> None:
    claim = Paragraph((say("run-a passes 12 of 22 and run-b 6 of 22. That may be chance (p = 1)."),))
    filler = [Paragraph((say(f"run-c repeats {number} of 115 calls in task {number}."),)) for number in range(900)]
    section = Section("investigation", "Investigation", (claim, *filler))
    text = markdown.render(shortened(Report("one", (section,)), ["run-a", "run-b", "run-c"]))
    assert ("12 of 22" in text) == ("That may be chance" in text)


def test_report_md_is_short_unless_all_of_it_is_asked_for(
    demo: Demo, whole: Report, short: Report, tmp_path: Path
) -> None:
    assert (demo.folder / "report.md").read_text(encoding="utf-8") == markdown.render(short)
    api.write(tmp_path, demo.runs, demo.analysis, full=True)
    written = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert all(f"## {section.title}\n" in written for section in whole.sections)
    assert len(written.split()) > 10_000


@pytest.mark.parametrize(("ranked", "kept"), [(True, [0, 1, 2, 3]), (False, [3])])
def test_a_row_of_a_ranked_table_brings_those_before_it(*, ranked: bool, kept: list[int]) -> None:
    table = Table(("Task", ">points"), tuple((f"lamp {place}", str(90 - place)) for place in range(12)), ranked=ranked)
    rows = [piece for piece in pieces_of(Section("slices", "Slices", (table,)), RUNS) if piece.kind == "row"]
    brought = set(rows[3].closure())
    assert [place for place, row in enumerate(rows) if row in brought] == kept


def test_a_turned_table_leaves_out_no_run() -> None:
    rows = (*((f"run-{place}", str(place), "0") for place in range(11)), ("passes", "4", "1"))
    for first, pieces in (("", 1), ("Run", 12)):
        table = Table((first, ">too long", ">too late"), rows, "Failures by what ends them")
        section = Section("slices", "Slices", (table,))
        assert sum(piece.kind == "row" for piece in pieces_of(section, RUNS)) == pieces


def test_a_table_that_costs_much_at_once_is_kept_where_words_are_left() -> None:
    """Its heading has a small share of the words, and the others have not used theirs."""
    cells = tuple(f"{number} ({number} passes, none judged twice)" for number in range(12))
    table = Table(("Word", *(f">{run}" for run in RUNS)), tuple(("ended", *cells[place:][:7]) for place in range(3)))
    problems = Section("artifact_inventory", "Artifact Inventory", (Heading("Problems in the input"), table))
    summary = Section("executive_summary", "Executive Summary", (Bullets((Paragraph((say("All is told."),)),)),))
    short = shortened(Report("few", (summary, problems)), RUNS)
    assert "Problems in the input" in markdown.render(short)
    assert words(short) < 1_000


def test_what_only_leads_to_a_list_is_not_shown_without_it() -> None:
    intro = Paragraph((say("Ranked by what each may mend."),))
    table = Table(("Change", ">Failures"), tuple((f"change {number}", str(number)) for number in range(9)))
    pieces = pieces_of(Section("x", "X", (Heading("First"), intro, table)), RUNS)
    (led,) = (piece for piece in pieces if piece.text.startswith("Ranked"))
    assert led.kind == "frame"
    assert all(led in piece.needs or led in piece.needs[0].needs for piece in pieces if piece.kind == "row")
    told = pieces_of(Section("x", "X", (Heading("First"), Paragraph((say("run-a fails most."),)), table)), RUNS)
    assert next(piece for piece in told if piece.text == "run-a fails most.").kind == "statement"


def test_a_story_is_told_with_its_beginning_or_not_at_all() -> None:
    """A quote of the task, or how many attempts fail this way, says nothing without what went wrong."""
    story = (
        Heading("task-1: missing expected action"),
        Quote("Move the booking of 12 guests.", "the task, the prompt", {}),
        Paragraph((say("It fails in all 4 attempts."), say("Attempt 0 makes 2 calls."), say("It never books."))),
        Paragraph((say("3 of 4 failing attempts go wrong this way."),)),
    )
    for piece in pieces_of(Section("never_pass_deep_dives", "Stories", story), RUNS):
        texts = {part.text for part in piece.closure()}
        assert piece.kind == "frame" or {"It fails in all 4 attempts.", "It never books."} <= texts


def test_what_leads_to_the_stories_of_a_run_stands_with_one_of_them_alone() -> None:
    lead = "56 tasks are passed in no attempt; 2 are described here."
    blocks: list[Block] = [Heading("run-a"), Paragraph((say(lead),))]
    for task in ("task-1", "task-2"):
        blocks += [Heading(f"{task}: wrong answer"), Paragraph((say(f"{task} fails in all 4 attempts."),))]
    pieces = pieces_of(Section("never_pass_deep_dives", "Stories", tuple(blocks)), RUNS)
    assert [piece.text for piece in pieces if piece.kind == "statement"] == [
        "task-1 fails in all 4 attempts.",
        "task-2 fails in all 4 attempts.",
    ]
    for piece in pieces:
        if piece.kind == "statement":
            assert {lead, "run-a"} <= {part.text for part in piece.closure()}


@pytest.mark.parametrize(("source", "shown"), [("run-a, task 3, item 2", "run-a"), ("task 3, item 2", "run-b")])
def test_a_quote_stands_with_the_item_on_its_run(source: str, shown: str) -> None:
    items = tuple(Paragraph((say(f"{run}: 9 of 40 calls are sentences."),)) for run in ("run-a", "run-b"))
    section = Section("x", "X", (Heading("Calls"), Bullets(items), Quote("Now the next step.", source, {})))
    (quote,) = (piece for piece in pieces_of(section, RUNS) if piece.kind == "quote")
    assert [piece.text[:5] for piece in quote.closure() if piece.item] == [shown]


def test_of_a_ranked_list_no_item_stands_without_those_before_it() -> None:
    items = tuple(Paragraph((say(f"{many} rollouts lack call {many}."),)) for many in (25, 14, 6))
    for ranked, kept in ((True, ["25", "14", "6"]), (False, ["6"])):
        pieces = pieces_of(Section("x", "X", (Heading("Ways"), Bullets(items, ranked))), RUNS)
        closure = [piece.text.split()[0] for piece in pieces if piece in list(pieces[-1].closure()) and piece.item]
        assert closure == kept


def test_what_the_first_screen_says_is_not_said_again_word_for_word() -> None:
    claim = "run-a has 114 passes more than run-b."
    summary = Section("executive_summary", "Executive Summary", (Bullets((Paragraph((say(claim),)),)),))
    finding = (Heading("The gap"), Paragraph((say(claim),)), Paragraph((say("run-c fails 7 of 115 rollouts."),)))
    text = markdown.render(
        shortened(Report("one", (summary, Section("investigation", "Investigation", finding))), RUNS)
    )
    assert text.count("has 114 passes more") == 1
    assert "run-c fails 7 of 115 rollouts." in text


def test_a_prompt_that_differs_covers_all_rollouts_though_it_counts_lines() -> None:
    differs = worth("System prompt: 1 line stands only in the first: “Read the bill again until it is paid.”.")
    assert differs > worth("In 40 of 80 rollouts 1 line of the bill is “Read the bill again until it is paid.”.")
    assert differs > 2 * worth("Tool descriptions: 1 line stands in the first: “Read the bill again.”.")
