"""The shallow baseline keeps titles and two kinds of tables, and nothing that explains."""

from __future__ import annotations

from pathlib import Path

from blade.package.shallow import shallow

REPORT = """\
# A report

Some prose with `code`.

## 1. Executive Summary

- a bullet
| loose | table |
|---|---|
| 1 | 2 |

## 2. Aggregate Results

Said before the table.

| a | b |
|---|---:|
| 1 | 2 |

### Tokens

| c | d |
|---|---|
| 3 | 4 |

```text
| not | a table |
|---|---|
## no heading
```

> a quote

## Metrics

| e |
|---|
| 5 |

## Workflow Funnel

| Stage | n |
|---|---|
| started | 9 |

1. a numbered line

## Dominant Failure Modes

| mode | n |
|---|---|
| x | 3 |
"""


def test_titles_and_the_tables_of_metrics_and_funnel_are_kept_and_nothing_else() -> None:
    assert shallow(REPORT) == (
        "# A report\n\n## 1. Executive Summary\n\n## 2. Aggregate Results\n\n| a | b |\n|---|---:|\n| 1 | 2 |\n\n"
        "| c | d |\n|---|---|\n| 3 | 4 |\n\n## Metrics\n\n| e |\n|---|\n| 5 |\n\n## Workflow Funnel\n\n"
        "| Stage | n |\n|---|---|\n| started | 9 |\n\n## Dominant Failure Modes\n"
    )


def test_a_shallow_report_made_shallow_is_the_same() -> None:
    once = shallow(REPORT)
    assert shallow(once) == once


def test_the_shallow_baseline_of_a_golden_report_explains_nothing(whole: Path) -> None:
    golden = (whole / "golden_reports" / "model_a_golden_report.md").read_text(encoding="utf-8")
    text = (whole / "golden_reports" / "model_a_shallow.md").read_text(encoding="utf-8")
    assert 0 < len(text.split()) < len(golden.split()) / 3
    assert all(not line or line.startswith(("#", "|")) for line in text.splitlines())
    assert "desk-" not in text
