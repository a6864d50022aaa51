"""In Markdown a term leads to the glossary at the end of the report, which explains the terms that were used."""

from __future__ import annotations

from blade.document import Bullets, Fact, Paragraph, Quote, Report, Section, Table, say
from blade.pages.glossary import TERMS
from blade.renderers import markdown
from blade.short_report import with_glossary


def text_of(*blocks: Paragraph | Bullets | Quote | Table) -> str:
    return markdown.render(with_glossary(Report("R", (Section("s", "S", tuple(blocks)),))))


def test_the_first_use_of_a_term_leads_to_its_meaning_and_later_ones_do_not() -> None:
    words = "The 95% interval is wide; a second 95% interval, and two common tasks. pass@4 is 0.5."
    text = text_of(Paragraph((say(words),)))
    assert "The [95% interval](#glossary) is wide; a second 95% interval, and two [common tasks](#glossary)." in text
    assert "[pass@4](#glossary) is 0.5." in text
    assert f"- 95% interval: {TERMS['95% interval']}." in text
    assert f"- common task: {TERMS['common task']}." in text
    assert "- ceiling:" not in text


def test_words_of_others_and_proved_words_are_not_terms_and_everyday_words_are_not_explained() -> None:
    said = say("It wrote “the ceiling” in {n} rollouts.", n=Fact("3 common tasks"))
    text = text_of(Bullets((Paragraph((said,)),)), Quote("no what-if", "task 1"), Table(("Run", ">Judged"), ()))
    assert "- It wrote “the ceiling” in 3 common tasks rollouts." in text
    assert f"- judged: {TERMS['judged']}." in text
    assert "- rollout: " not in text
    assert "what-if: " not in text
    assert "(#glossary)" not in text


def test_a_report_without_terms_has_no_glossary() -> None:
    assert text_of(Paragraph((say("All well."),))) == "# R\n\n## S\n\nAll well.\n"
