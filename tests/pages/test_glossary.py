"""Words of the field are explained where they stand, in the words of the glossary."""

from __future__ import annotations

from pathlib import Path

import pytest

from blade.pages.glossary import TERMS, term, terms

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"


@pytest.mark.parametrize("word", TERMS)
def test_the_pages_and_the_glossary_say_the_same(word: str) -> None:
    assert f"| **{word}** | {TERMS[word]} |" in GLOSSARY.read_text(encoding="utf-8")


def test_the_head_of_a_column_is_explained_in_the_singular_and_the_plural() -> None:
    assert term("Rollouts") == f'<abbr title="{TERMS["rollout"]}">Rollouts</abbr>'
    assert term("Anything <else>") == "Anything &lt;else&gt;"


def test_a_sentence_explains_its_rarer_words_only() -> None:
    sentence = terms("The minimum detectable effect of 40 common tasks <b> on rollouts; twinned.")
    assert sentence.count("<abbr") == 2
    assert f'<abbr title="{TERMS["common task"]}">common tasks</abbr>' in sentence
    assert "&lt;b&gt; on rollouts; twinned." in sentence


def test_pass_at_a_number_is_explained_as_pass_at_k() -> None:
    assert terms("pass@4 is 0.7") == f'<abbr title="{TERMS["pass@k"]}">pass@4</abbr> is 0.7'


@pytest.mark.parametrize("heading", ["Ledger", "Funnel", "Denominator", "Slices", "Twins"])
def test_the_headings_of_the_page_are_explained(heading: str) -> None:
    assert term(heading).startswith("<abbr title=")
    assert "<abbr" not in terms(f"see the {heading.lower()} of it") or heading == "Twins"
