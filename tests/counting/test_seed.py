"""What is drawn at random is drawn alike for the same rewards, whatever the words of the rows are."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import read, row, write

from blade.counting.run import Run
from blade.counting.seed import seed_of

REWARDS = (1.0, 0.0, 0.5, 1.0)


def run_of(folder: Path, name: str, rewards: tuple[float, ...] = REWARDS, **fields: str) -> Run:
    rows = [row(task, 0, reward, **fields) for task, reward in enumerate(rewards)]
    (run,) = read(write(folder / name / "rollouts.jsonl", rows))
    return run


def test_only_the_rewards_and_the_users_number_make_the_seed(tmp_path: Path) -> None:
    plain = run_of(tmp_path, "plain", note="ask ann@some.place")
    cleaned = run_of(tmp_path, "cleaned", note="ask <EMAIL_1>")
    other = run_of(tmp_path, "other", (1.0, 0.0, 0.0, 1.0))
    shorter = run_of(tmp_path, "shorter", REWARDS[:3])
    assert plain.files[0].fingerprint != cleaned.files[0].fingerprint
    assert seed_of([plain], 0) == seed_of([cleaned], 0)
    assert seed_of([plain, other], 0) == seed_of([other, cleaned], 0)
    assert len({seed_of([plain], 0), seed_of([plain], 1), seed_of([other], 0), seed_of([shorter], 0)}) == 4


def test_a_row_without_a_reward_is_another_sample(tmp_path: Path) -> None:
    rows = [*(row(task, 0, reward) for task, reward in enumerate(REWARDS)), row(4, 0, None)]
    lost = write(tmp_path / "lost" / "rollouts.jsonl", rows)
    assert seed_of(read(lost), 0) != seed_of([run_of(tmp_path, "whole")], 0)


def test_rows_in_another_order_give_the_same(tmp_path: Path) -> None:
    turned = write(tmp_path / "turned" / "rollouts.jsonl", [row(n, 0, r) for n, r in enumerate(REWARDS[::-1])])
    assert seed_of(read(turned), 0) == seed_of([run_of(tmp_path, "whole")], 0)
