"""Conditions call a field of the row by its dotted name, as reports do."""

from __future__ import annotations

import pytest
from tests.queries.conftest import Asker

from blade.errors import UsageError
from blade.queries.conditions import condition, field_column


def counts(text: str) -> dict[str, str]:
    """Run → how many of its rollouts meet the condition."""
    lines = text.partition("\n\n")[0].splitlines()[1:]
    return {line.split()[0]: line.split()[1] for line in lines if line.startswith(("early", "late"))}


@pytest.mark.parametrize(
    ("asked", "early", "late"),
    [
        ("verifier.note = 'all checks hold'", "4", "4"),
        ("verifier.note = 'the booking is missing' and not void", "4", "3"),
        ("verifier.seconds > 20", "3", "3"),
        ("verifier.seconds>20 or verifier.seconds<1", "4", "4"),
        ("(verifier.note is not null)", "8", "8"),
        ("verifier.seconds > 20.5 and score < 0.5", "3", "2"),
        ("verifier.note = 'verifier.note'", "0", "0"),
        ("grep('booking.is.missing') and verifier.seconds >= 30", "2", "2"),
    ],
)
def test_dotted_names_are_fields_of_the_row(ask: Asker, asked: str, early: str, late: str) -> None:
    done = ask("count", asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert counts(done.stdout) == {"early": early, "late": late}


def test_groups_take_them_too(ask: Asker) -> None:
    table = ask("count", "true", "--by", "run, verifier.note").stdout.splitlines()
    place = next(number for number, line in enumerate(table) if line.startswith("run") and "row_verifier_note" in line)
    assert [line.split() for line in table[place + 1 : place + 5]] == [
        [*"early all checks hold 4 2 4 0 0".split()],
        [*"early the booking is missing 4 2 0 4 0".split()],
        [*"late all checks hold 4 2 4 0 0".split()],
        [*"late the booking is missing 4 2 0 3 1".split()],
    ]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["verifier.notes = 'x'"], "blade: No column is named 'row_verifier_notes'."),
        (["true", "--by", "verifier.notes"], "blade: No column is named 'row_verifier_notes'."),
        (
            ["task is distinct from (select task from x)"],
            "blade: 'task is distinct from (select task from x)' is more than a condition.",
        ),
        (["task distinct from 'x'"], "blade: 'task distinct from 'x'' is more than a condition."),
        (["task is from 'x'"], "blade: 'task is from 'x'' is more than a condition."),
        (["task from x"], "blade: 'task from x' is more than a condition."),
    ],
)
def test_unknown_names_and_statements_are_refused(ask: Asker, words: list[str], error: str) -> None:
    done = ask("count", *words)
    assert (done.returncode, done.stdout, done.stderr.splitlines()[0]) == (2, "", error)


def test_an_unknown_name_comes_with_the_nearest_one(ask: Asker) -> None:
    assert "Nearest: row_verifier_note" in ask("count", "verifier.notes = 'x'").stderr


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("verifier.note", "row_verifier_note"),
        ("a.b.c", "row_a_b_c"),
        ("run", "run"),
        ("row_difficulty", "row_difficulty"),
    ],
)
def test_the_column_of_a_name(name: str, column: str) -> None:
    assert field_column(name) == column


@pytest.mark.parametrize(
    ("text", "names", "value"),
    [
        ("verifier.note = 'a.b'", ["row_verifier_note"], "a.b"),
        ("a.b.c > 1.5", ["row_a_b_c"], "1.5"),
        ("x.y = 'it''s p.q' and z", ["row_x_y", "z"], "it's p.q"),
        ("score > 0.5", ["score"], "0.5"),
    ],
)
def test_texts_and_numbers_with_a_point_are_no_names(text: str, names: list[str], value: str) -> None:
    expression = condition(text).expression
    assert sorted(expression.meta.root_names()) == sorted(names)
    assert value in str(expression)


def test_a_word_before_a_bracket_is_no_field() -> None:
    with pytest.raises(UsageError, match=r"'io\.read\('x'\)' is no condition \(unsupported function 'io'\)"):
        condition("io.read('x')")
