"""A draft from a text keeps sentences whole; a golden report's own windows decide what it states."""

from __future__ import annotations

from dataclasses import replace

from blade.anchors import Anchor, Predicate, from_report
from blade.anchors.matching import match, same_number_text
from blade.anchors.text import units

REPORT = """# Report

## Failure Modes

**Key finding**: 26 of 29 syntax errors (89.7%) concentrate in cid007, because the model declares variables inside
blocks. The tool rejects them with an error, and no other category shows it (6.6% vs. 2.6% elsewhere).

| Mode | cid002 | cid007 |
| --- | --- | --- |
| SYNTAX_ERROR | 0 | 26 |
| **Total** | 371 | 150 |

### Example

**Task**: `sorter_0009` (cid002, 0/5 pass)

The sort itself is right, but the output bus is packed in reverse order, so every assertion fails.

```
26 of 29 this is code and never a fact of the report at all
```

## Recommendations

We recommend that somebody should consider training the model with more data of this kind.
"""

FACT = Anchor(
    "B1",
    '26 of 29 (89.7%) failed rollouts that fail by mode "syntax error" are in `cid007`.',
    kind="concentration",
    predicate=Predicate({"count": 26, "of": 29}, "share", "==", 26 / 29, 0.02),
    entities=("syntax error", "cid007"),
    aliases={"syntax error": ("syntax errors",)},
)


def test_sentences_stay_whole_with_their_numbers_and_ids() -> None:
    facts = [fact.fact for fact in from_report(REPORT, 10)]
    assert any("26 of 29 syntax errors (89.7%)" in text and "because" in text for text in facts)
    assert any("(6.6% vs. 2.6% elsewhere)" in text for text in facts)
    assert any(text.startswith("sorter_0009: The sort itself is right") for text in facts)
    assert not any("this is code" in text for text in facts)


def test_table_rows_are_facts_and_totals_are_not() -> None:
    rows = [unit.text for unit in units(REPORT) if unit.row]
    assert rows == ["Failure Modes: Mode SYNTAX_ERROR: cid002 0, cid007 26."]


def test_advice_comes_last() -> None:
    assert "recommend" in from_report(REPORT, 20)[-1].fact


def test_a_fact_is_stated_where_names_and_numbers_stand_together() -> None:
    (matched,) = match(REPORT, [FACT]).facts
    assert matched.stated is True
    changed_fact = replace(FACT, predicate=Predicate({"count": 21}, "share", "==", 0.5), fact="21 of 42 (50.0%) are.")
    assert match(REPORT, [changed_fact]).facts[0].stated is False
    elsewhere = replace(FACT, entities=("syntax error", "cid016"))
    assert match(REPORT, [elsewhere]).facts[0].stated is False
    apart = REPORT.replace("in cid007, because", "somewhere, because").replace("| cid007 |", "| other |")
    assert match(apart, [FACT]).facts[0].stated is False


def test_claims_that_no_fact_covers_wait_for_a_person() -> None:
    manual = match(REPORT, [FACT]).manual
    assert any("sorter_0009" in fact.fact for fact in manual)
    assert all(fact.kind == "manual" and fact.predicate is None and fact.review is None for fact in manual)
    assert not any("26 of 29" in fact.fact for fact in manual)


def test_numbers_may_be_rounded_but_counts_may_not() -> None:
    assert same_number_text("89.7", "90")
    assert same_number_text("89.7", "89.66")
    assert not same_number_text("26", "27")


def test_an_empty_report_has_no_facts() -> None:
    assert from_report("") == ()
    assert from_report("# Title\n\n```\ncode\n```\n") == ()
