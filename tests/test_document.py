"""A report is data: sentences with facts that can be proved."""

from __future__ import annotations

import pytest

from blade.document import Bullets, Fact, Paragraph, Report, Section, Table, say
from blade.wording import amount, name, rate

SENTENCE = say("{run} passes {share} of {tasks} tasks.", run=name("a{b}"), share=rate(0.5, "x"), tasks=amount(4, "y"))


def test_a_sentence_reads_as_its_template_with_its_facts() -> None:
    assert SENTENCE.text == "a{b} passes 50.0% of 4 tasks."
    assert [fact.value for fact in SENTENCE.facts] == ["a{b}", 0.5, 4]


def test_a_template_without_its_fact_is_refused() -> None:
    with pytest.raises(KeyError):
        say("{missing}")


def test_every_proved_fact_of_every_block_is_a_claim() -> None:
    table = Table(("", ">n"), (("row", amount(7, "runs", "n")), ("other", "7")))
    section = Section("s", "S", (Paragraph((SENTENCE,)), Bullets((Paragraph((SENTENCE,)),)), table))
    claims = list(Report("r", (section,)).claims())
    assert [claim.value for claim in claims] == [0.5, 4, 0.5, 4, 7]
    assert [claim.id for claim in claims] == [f"s-{number}" for number in range(1, 6)]
    assert claims[-1].proof == {"query": "analysis", "args": {"path": ["runs", "n"]}}
    assert claims[-1].text == "row | 7"


def test_an_unproved_fact_is_no_claim() -> None:
    section = Section("s", "S", (Paragraph((say("{x}", x=Fact("5", "number", 5)),)),))
    assert not list(Report("r", (section,)).claims())


def test_a_report_shows_itself_in_a_notebook_and_escapes_what_it_shows() -> None:
    hostile = say("{x}", x=name("<script>"))
    shown = Report("<b>", (Section("s", "S", (Paragraph((hostile,)),)), Section("t", "T", ())))._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "T" in shown
    assert Report("empty", ())._repr_html_() == "<b>empty</b>"
