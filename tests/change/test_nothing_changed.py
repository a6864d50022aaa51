"""Runs without a difference, in the words of every surface: the same rows, the same scores, too few tasks to tell."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write

from blade import api
from blade.document import Bullets, Paragraph
from blade.model import Analysis
from blade.renderers import terminal
from blade.renderers.html.verdict import verdict
from blade.sections import executive_summary, score_change


def rows(tasks: int, said: str = "", model: str = "a-model") -> list[Json]:
    """Two attempts a task; every other task passes."""
    return [
        row(task, attempt, float(task % 2), response=response(message(f"{said}{task} {attempt}"), model=model))
        for task in range(tasks)
        for attempt in range(2)
    ]


def pair(folder: Path, base: list[Json], candidate: list[Json]) -> Analysis:
    return analysed(write(folder / "base.jsonl", base), write(folder / "candidate.jsonl", candidate))


def words(analysis: Analysis) -> dict[str, str]:
    """What each surface says of the change."""
    screen = StringIO()
    terminal.summary(analysis, [], screen)
    (card,) = verdict(analysis)
    claims = " ".join(screen.getvalue().split()).split("• ")
    told = {"terminal": next(claim.strip() for claim in claims if claim.startswith("Difference: candidate "))}
    told["html"] = f"{card.delta} {card.interval} {card.words} {card.reason}"
    for section in (score_change, executive_summary):
        first = next(block for block in section.build(analysis) if isinstance(block, Bullets | Paragraph))
        paragraph = first.items[0] if isinstance(first, Bullets) else first
        assert isinstance(paragraph, Paragraph)
        told[section.TITLE] = " ".join(sentence.text for sentence in paragraph.sentences)
    return told


def test_a_run_against_itself_is_called_identical(tmp_path: Path) -> None:
    analysis = pair(tmp_path, rows(8), rows(8))
    (change,) = analysis.changes
    assert (change.verdict, change.interval, change.shared_outputs["same_runs"]) == ("noise", (0.0, 0.0), True)
    told = words(analysis)
    assert told == {
        "terminal": "Difference: candidate scores the same as base (0.0 pp apart): identical. (see Score Change)",
        "html": "0.0 pp  identical On every common task both runs have the same outputs with the same scores: nothing "
        "changed. There is nothing to explain.",
        "Score Change": "candidate scores the same as base (0.0 pp apart). On the 8 common tasks the difference is "
        "0.0 pp: identical. On every common task both runs have the same outputs with the same scores: "
        "nothing changed. There is nothing to explain.",
        "Executive Summary": "Difference: candidate scores the same as base (0.0 pp apart): identical. "
        "(see Score Change)",
    }


def test_the_same_outputs_under_other_ids_are_the_same_run(tmp_path: Path) -> None:
    again = [one | {"response": one["response"] | {"id": f"resp_{place}"}} for place, one in enumerate(rows(8))]
    (change,) = pair(tmp_path, rows(8), again).changes
    assert change.shared_outputs["same_runs"]


def test_two_models_with_the_same_outputs_are_said_to_have_them(tmp_path: Path) -> None:
    analysis = pair(tmp_path, rows(8), rows(8, model="another-model"))
    told = words(analysis)
    assert "Both runs give the same output, word for word, in all 16 pairs of attempts." in told["Score Change"]
    assert "every output is the same" in told["Executive Summary"]
    assert told["Score Change"].startswith("candidate (model another-model) scores the same as base (model ")
    other = words(pair(tmp_path, rows(8), [*rows(7, model="another-model"), *rows(8, said="Well: ")[14:]]))
    assert "word for word" not in other["Score Change"]


def test_few_outputs_that_are_scored_otherwise_are_never_called_noise(tmp_path: Path) -> None:
    """Three of thirty outputs are the same and pass only in one run: too few for a test, yet nobody sampled them."""

    def answers(passing: int) -> list[Json]:
        made = [row(task, 0, float(task < passing), response=response(message(f"answer {task}"))) for task in range(30)]
        return [*made[:28], *rows(30, said=f"with {passing}: ")[56::2]]

    told = words(pair(tmp_path, answers(0), answers(3)))["Score Change"]
    assert "inconclusive" in told
    report = api.render(api.report(pair(tmp_path, answers(0), answers(3))))
    assert (
        "3 outputs stand in both runs word for word and are scored otherwise: that is the verifier's doing, and no "
        "sampling noise." in report
    )
    assert "all of it may be sampling noise" not in report


@pytest.mark.parametrize(
    "other",
    [
        rows(8, model="another-model"),  # two models may give the same short answers
        rows(8, said="In other words: "),
        rows(8)[:-1],
    ],
)
def test_equal_scores_alone_do_not_make_the_same_run(tmp_path: Path, other: list[Json]) -> None:
    (change,) = pair(tmp_path, rows(8), other).changes
    assert not change.shared_outputs["same_runs"]
    assert change.verdict == "inconclusive"


def test_five_equal_tasks_leave_open_what_others_would_do(tmp_path: Path) -> None:
    analysis = pair(tmp_path, rows(5), rows(5, said="In other words: "))
    (change,) = analysis.changes
    assert change.verdict == "inconclusive"
    assert change.interval == pytest.approx((-0.4507, 0.4507), abs=1e-4)
    told = words(analysis)
    assert "95% interval −45.1 pp to +45.1 pp" in told["Score Change"]
    assert "The mean did not move (p = 1), but other tasks may" in told["Score Change"]
    assert "no change on these tasks; others may show one" in told["Executive Summary"]
    assert "no change on these tasks; others may show one" in told["terminal"]
    assert "no change on these tasks; others may show one" in told["html"]
    assert not any(claim in text for text in told.values() for claim in ("within noise", "hance", "0.0 pp to"))


def test_no_number_of_attempts_is_asked_for_where_no_attempt_ever_differed(tmp_path: Path) -> None:
    better = [one | {"reward": 1.0} if one["_ng_task_index"] == 0 else one for one in rows(6, said="Now ")]
    (change,) = pair(tmp_path, rows(6), better).changes
    assert change.verdict == "inconclusive"
    assert (change.repeats_needed, change.tasks_needed) == (None, None)


def test_scores_alike_on_an_open_scale_have_no_interval(tmp_path: Path) -> None:
    high = [one | {"reward": 37.0} for one in rows(6)]
    analysis = pair(tmp_path, high, [one | {"reward": 37.0} for one in rows(6, said="Now ")])
    assert [run.metrics["score_interval"] for run in analysis.runs] == [None, None]
    (change,) = analysis.changes
    assert (change.interval, change.verdict) == (None, "inconclusive")
    summary = " ".join(str(block) for block in executive_summary.build(analysis))
    assert "tasks that all score alike give no interval" in summary
