"""Markdown prints text as it stands and lets no text become markup."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from blade.document import Bullets, Fact, Heading, Paragraph, Quote, Report, Section, Table, say
from blade.renderers.markdown import code, escape, render
from blade.wording import amount, name

HOSTILE = "<script>alert(1)</script> | `x` [a](javascript:1) # *b* \x1b[31m"


def test_a_whole_small_report() -> None:
    blocks = (
        Paragraph((say("{run} has {n} tasks.", run=name("a_b"), n=amount(3, "x")), say("It ran."))),
        Bullets((Paragraph((say("one"),)), Paragraph((say("two"),)))),
        Heading("More"),
        Table(("name", ">n"), (("x", amount(1, "y")),), caption="Counts"),
        Quote("said", "file:3"),
    )
    assert render(Report("Title", (Section("s", "First", blocks),))) == (
        "# Title\n\n## First\n\n`a_b` has 3 tasks. It ran.\n\n- one\n- two\n\n### More\n\n"
        "Counts\n\n| name | n |\n|---|---:|\n| x | 1 |\n\n> said\n>\n> — file:3\n"
    )


def test_hostile_text_stays_text_in_every_block() -> None:
    hostile = name(HOSTILE)
    blocks = (
        Paragraph((say("{x} {y}", x=hostile, y=HOSTILE),)),
        Heading(HOSTILE),
        Table((HOSTILE,), ((hostile,), (HOSTILE,))),
        Quote(HOSTILE, HOSTILE),
    )
    text = render(Report(HOSTILE, (Section("s", HOSTILE, blocks),)))
    outside = re.sub(r"(`+).*?\1", "", text)
    assert "\x1b" not in text
    assert not re.search(r"(?<!\\)<script", outside)
    assert not re.search(r"(?<!\\)\[a", outside)
    for line in text.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 2, line


@given(st.text(min_size=1))
def test_a_code_span_holds_any_text(text: str) -> None:
    span = code(text)
    assert "\n" not in span
    if span != "(empty)":
        fence = re.match(r"`+", span)
        assert fence is not None
        inner = span[len(fence[0]) : -len(fence[0])]
        assert fence[0] not in re.findall(r"`+", inner)


def test_ordinary_words_are_not_littered_with_back_slashes() -> None:
    assert escape("snake_case names, 3.5 % and (brackets) - fine") == "snake_case names, 3.5 % and (brackets) - fine"
    assert escape("_emphasis_") == "\\_emphasis\\_"


def test_an_id_in_a_table_cannot_open_a_cell() -> None:
    table = Table(("a",), ((Fact("x|y", "id"),),))
    assert "| `x\\|y` |" in render(Report("r", (Section("s", "S", (table,)),)))
