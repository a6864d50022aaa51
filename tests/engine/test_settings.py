"""What the owner of a run says about it: config, notes, benchmark.toml, and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import analysed, flaws, only_run, row, write

from blade.engine.settings import load_benchmark, load_config
from blade.errors import ConfigError, NotFound


def scored(folder: Path, *rewards: float) -> Path:
    levels = ("easy", "hard")
    return write(folder / "a.jsonl", [row(n, 0, value, level=levels[n % 2]) for n, value in enumerate(rewards)])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.yaml", "num_repeats: 3\nmodel: m\n7: seven\nwhen: 2026-01-02\n"),
        ("config.json", '{"num_repeats": 3, "model": "m", "7": "seven", "when": "2026-01-02"}'),
        ("config.toml", 'num_repeats = 3\nmodel = "m"\n7 = "seven"\nwhen = 2026-01-02\n'),
    ],
)
def test_a_config_beside_the_run_is_read_in_any_of_its_forms(tmp_path: Path, name: str, text: str) -> None:
    path = scored(tmp_path, 1.0, 0.0)
    (tmp_path / name).write_text(text)
    run = only_run(path)
    assert run.provenance.config == {"num_repeats": 3, "model": "m", "7": "seven", "when": "2026-01-02"}
    assert run.denominator.expected == 6


def test_a_config_beside_the_run_that_cannot_be_read_is_a_flaw(tmp_path: Path) -> None:
    path = scored(tmp_path, 1.0, 0.0)
    (tmp_path / "config.yaml").write_text("a: [1, 2")
    analysis = analysed(path)
    assert "config-unreadable" in flaws(analysis)
    assert analysis.runs[0].metrics["score"] == 0.5


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    "text", ["a: [1", "when: 2026-99-99", "- a\n- b", "just text", "a: &x [*x]", BOMB, "a: !!python/name:os.system x"]
)
def test_a_config_that_the_user_names_must_be_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path / "c.yaml")
    assert caught.value.hint.startswith("Wanted: ")
    assert "c.yaml" in caught.value.message


def test_an_empty_config_says_nothing_and_a_missing_one_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("# nothing yet\n")
    assert load_config(tmp_path / "c.yaml") == {}
    with pytest.raises(NotFound):
        load_config(tmp_path / "none.yaml")


def test_notes_beside_the_run_or_named_are_kept(tmp_path: Path) -> None:
    path = scored(tmp_path, 1.0)
    (tmp_path / "NOTES").write_text("Two nodes died.\n")
    (tmp_path / "said.txt").write_text("Nothing happened.")
    assert only_run(path).provenance.notes == "Two nodes died."
    assert only_run(path, notes=tmp_path / "said.txt").provenance.notes == "Nothing happened."


def test_a_benchmark_file_says_what_a_pass_is_and_the_user_has_the_last_word(tmp_path: Path) -> None:
    path = scored(tmp_path / "rollouts", 0.2, 0.6, 0.9, 0.4)
    (tmp_path / "benchmark.toml").write_text('name = "b"\npass_threshold = 0.5\nslices = ["level"]\n')
    analysis = analysed(path)
    run = analysis.runs[0]
    assert (analysis.benchmark, run.score_threshold, run.pass_source) == ("b", 0.5, "benchmark.toml")
    assert {line["field"] for line in run.slices} == {"level"}
    assert only_run(path, pass_threshold=0.9).score_threshold == 0.9


def test_a_benchmark_file_can_name_the_reward(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(n, 0, 0.0, info={"rate": 1.0}) for n in range(2)])
    (tmp_path / "benchmark.toml").write_text('reward_field = "info.rate"\n')
    assert only_run(path).metrics["score"] == 1.0


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('pass_threshold = "high"', "pass_threshold"),
        ("pass_threshold = true", "pass_threshold"),
        ("pass_threshold = nan", "pass_threshold"),
        ("reward_field = 3", "reward_field"),
        ('slices = "level"', "slices"),
        ("slices = [1]", "slices"),
        ("name = []", "name"),
        ("pass_threshold", "not TOML"),
        (f"pass_threshold = {'9' * 5_000}", "not TOML"),
        (f"slices = {'[' * 3_000}", "not TOML"),
        (f"pass_threshold = 0x{'f' * 5_000}", "pass_threshold is a number of thousands of digits"),
        (f"pass_threshold = {10**400}", "pass_threshold is 1000"),
    ],
)
def test_a_benchmark_file_that_makes_no_sense_is_refused(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / "benchmark.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=key):
        load_benchmark(path)


def test_a_key_that_is_not_known_is_a_flaw(tmp_path: Path) -> None:
    path = tmp_path / "benchmark.toml"
    path.write_text("pass_treshold = 0.5\n")
    _, found = load_benchmark(path)
    assert [flaw.slug for flaw in found] == ["unknown-setting"]


@pytest.mark.parametrize(
    ("options", "expected"), [({}, 4), ({"repeats": 3}, 12), ({"repeats": 2, "limit": 10}, 20), ({"limit": 10}, 10)]
)
def test_declared_repeats_and_limits_make_the_denominator(
    tmp_path: Path, options: dict[str, Any], expected: int
) -> None:
    run = only_run(scored(tmp_path, 1.0, 0.0, 1.0, 1.0), **options)
    assert (run.denominator.expected, run.denominator.expected_source) == (expected, "inferred")
    assert run.statuses.get("missing", 0) == expected - 4
