"""The fields stand in one order, whatever order a set of names has."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.gym_rows import row, write
from tests.questions.made_cases import called, said, task_row

import blade
from blade.document import Heading, Paragraph, Table
from blade.sections import slices


def test_fields_that_part_the_tasks_alike_stand_by_name() -> None:
    names = [f"field_{number}" for number in (4, 2, 5, 1, 3)]
    lines = [
        {"field": name, "level": level, "score": score, "tasks": 3, "interval": None}
        for name in names
        for level, score in (("x", 0.0), ("y", 1.0))
    ]
    run = SimpleNamespace(name="a", slices=tuple(lines), scale=None)
    made = slices.build(SimpleNamespace(runs=(run,), changes=()))  # type: ignore[arg-type]
    titles = [block.text for block in made if isinstance(block, Heading)]
    assert titles == sorted(names)


def test_every_table_says_what_it_shows(tmp_path: Path) -> None:
    """Lowest and highest of one run, what moved most between two, and a warning where the levels are tiny."""
    rows = [
        row(task, attempt, float(task % 2 or attempt > 1), category=("even", "odd")[task % 2], topic=f"t{task // 2}")
        for task in range(12)
        for attempt in range(4)
    ]  # fmt: skip
    better = [{**one, "reward": 1.0} for one in rows]
    a, b = write(tmp_path / "a.jsonl", rows), write(tmp_path / "b.jsonl", better)
    one, two = (
        blade.render(blade.report(blade.analyze(*paths, options=blade.Options(cache=False)))) for paths in ([a], [a, b])
    )
    assert "Lowest on even (50.0%), highest on odd (100.0%)." in one
    assert "Few levels have 5 tasks: no single row says much." in one
    assert "even moved most: 50.0% in `a`, 100.0% in `b`; odd (100.0% to 100.0%)." in two
    assert "no slice changed significantly more or less than the rest." in two
    assert "Of 12 tasks tried in both runs, 6 moved up a bucket from `a` to `b` and 0 down." in two


def test_the_levels_that_moved_stand_first_and_are_told_with_the_one_that_stayed() -> None:
    before = {"hall": 0.2, "attic": 0.5, "cellar": 0.3, "porch": 0.4, "tiny": 0.0}
    after = {"hall": 0.3, "attic": 0.9, "cellar": 0.5, "porch": 0.4, "tiny": 1.0}
    runs = [
        SimpleNamespace(
            name=run,
            scale="unit",
            slices=tuple(
                {"field": "room", "level": level, "score": score, "tasks": 1 + 5 * (level != "tiny"), "interval": None}
                for level, score in scores.items()
            ),
        )
        for run, scores in (("a", before), ("b", after))
    ]
    _, meaning, table = slices.build(SimpleNamespace(runs=tuple(runs), changes=(), investigation={}, tasks=()))  # type: ignore[arg-type]
    assert isinstance(meaning, Paragraph)
    assert meaning.sentences[0].text == (
        "attic moved most: 50.0% in a, 90.0% in b; then cellar (30.0% to 50.0%) and hall (20.0% to 30.0%); least porch "
        "(40.0% to 40.0%)."
    )
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["attic", "cellar", "hall", "porch", "tiny"]
    assert table.ranked


def test_of_many_runs_the_hardest_level_is_told_and_the_one_that_parts_them() -> None:
    scores = {"a": {"yes": 0.1, "no": 0.6}, "b": {"yes": 0.2, "no": 0.5}, "c": {"yes": 0.9, "no": 0.4}}
    runs = [
        SimpleNamespace(
            name=run,
            scale="unit",
            slices=tuple(
                {"field": "paid", "level": level, "score": score, "tasks": 7, "interval": None}
                for level, score in levels.items()
            ),
        )
        for run, levels in scores.items()
    ]
    _, meaning, table = slices.build(SimpleNamespace(runs=tuple(runs), changes=(), investigation={}, tasks=()))  # type: ignore[arg-type]
    assert isinstance(meaning, Paragraph)
    assert meaning.sentences[0].text == (
        "Over all 3 runs “no” scores highest (50.0%, the mean of the runs) and “yes” lowest (40.0%); the runs lie "
        "furthest apart on “yes”: 10.0% in a, 90.0% in c."
    )
    assert isinstance(table, Table)
    assert table.columns == ("Level", ">Tasks", ">a", ">b", ">c")
    texts = [[cell if isinstance(cell, str) else cell.text for cell in cells] for cells in table.rows]
    assert texts == [["yes", "7", "10.0%", "20.0%", "90.0%"], ["no", "7", "60.0%", "50.0%", "40.0%"]]


def test_levels_are_ranked_by_the_tasks_that_moved_and_not_by_points() -> None:
    def run(name: str, **scores: tuple[float, int]) -> SimpleNamespace:
        lines = ({"field": "room", "level": level, "score": score, "tasks": tasks, "interval": None}
                 for level, (score, tasks) in scores.items())  # fmt: skip
        return SimpleNamespace(name=name, scale="unit", slices=tuple(lines))

    runs = (
        run("a", hall=(0.6, 300), attic=(0.7, 300), shed=(0.8, 9)),
        run("b", hall=(0.4, 300), attic=(0.7, 300), shed=(0.4, 9)),
    )
    _, meaning, table = slices.build(SimpleNamespace(runs=runs, changes=(), investigation={}, tasks=()))  # type: ignore[arg-type]
    assert isinstance(meaning, Paragraph)
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["hall", "shed", "attic"]
    assert (
        meaning.sentences[0].text
        == "Weighed by tasks, hall moved most: 60.0% in a, 40.0% in b; then shed (80.0% to 40.0%); least attic "
        "(70.0% to 70.0%)."
    )


def test_a_slice_of_two_fields_is_told_as_one() -> None:
    found = [{"where": ["room=hall"], "named": True}, {"where": ["lid=red", "room=attic"], "named": True}]
    change = SimpleNamespace(verdict="real", base="a", candidate="b", slices=found)
    (sentence,) = slices._beyond_chance(SimpleNamespace(changes=[change]))  # type: ignore[arg-type]
    assert sentence.text.endswith(
        "these slices changed significantly more or less than the rest: room=hall and lid=red with room=attic."
    )


def test_a_level_is_told_without_its_tasks_that_pass_unchanged(tmp_path: Path) -> None:
    def rows(passing: range, idle: bool) -> list[dict[str, Any]]:
        made = []
        for task in range(14):
            book = {"book": f"book-{task}"}
            call = called("lend_book" if task < 12 or not idle else "get_book", book, {"ok": True})
            key = {"expected_actions": [{"name": "lend_book", "arguments": book}]}
            passed = task in passing or (idle and task >= 12)
            made.append(
                task_row(task, call, said("Done."), passed=passed, verifier=key, category=("hall", "attic")[task % 2])
            )
        return made

    a, b = write(tmp_path / "a.jsonl", rows(range(3), True)), write(tmp_path / "b.jsonl", rows(range(9), False))
    told = blade.render(blade.report(blade.analyze(a, b, options=blade.Options(cache=False))))
    assert "Without task 12, where passes make no change, hall is at 33.3% in `a` and 83.3% in `b`." in told
    assert "Without task 13, where passes make no change, attic is at 16.7% in `a` and 66.7% in `b`." in told


def test_a_field_that_names_the_benchmark_comes_first() -> None:
    lines = [
        {"field": field, "level": level, "score": score, "tasks": 9, "interval": None}
        for field, scores in (("metadata.colour", (0.0, 1.0)), ("metadata.dataset", (0.4, 0.5)))
        for level, score in zip("xy", scores, strict=True)
    ]
    run = SimpleNamespace(name="a", slices=tuple(lines), scale=None)
    made = slices.build(SimpleNamespace(runs=(run,), changes=()))  # type: ignore[arg-type]
    assert [block.text for block in made if isinstance(block, Heading)] == ["metadata.dataset", "metadata.colour"]


def test_levels_are_told_over_judged_rollouts_where_some_were_lost() -> None:
    def line(level: str, score: float, judged: float | None = None) -> dict[str, object]:
        made = {"field": "room", "level": level, "score": score, "tasks": 6, "rollouts": 12, "interval": None}
        kept = {"tasks": 6, "rollouts": 8, "score": judged, "interval": None, "passes": 4}
        return made if judged is None else made | {"judged": kept}

    runs = (
        SimpleNamespace(name="a", scale="unit", slices=(line("attic", 0.3, 0.6), line("hall", 0.5))),
        SimpleNamespace(name="b", scale="unit", slices=(line("attic", 0.6), line("hall", 0.8))),
    )
    made = slices.build(SimpleNamespace(runs=runs, changes=(), investigation={}, tasks=()))  # type: ignore[arg-type]
    texts = [sentence.text for block in made if isinstance(block, Paragraph) for sentence in block.sentences]
    assert texts == [
        "Scores are over judged rollouts, here and in the tables.",
        "Over judged rollouts, hall moved most: 50.0% in a, 80.0% in b; attic (60.0% to 60.0%).",
    ], "as reported the attic would have moved as far as the hall"
    (table,) = (block for block in made if isinstance(block, Table))
    assert [str(row[1].text) for row in table.rows if not isinstance(row[1], str)] == ["50.0%", "60.0%"]
