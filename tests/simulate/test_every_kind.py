"""Promises that every kind of planted case keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import orjson
import pytest
from benchmarks.planted_suite.evidence_level import LEVELS, Level
from benchmarks.planted_suite.kinds import kinds, load
from benchmarks.planted_suite.planted_case import PlantedCase, case
from benchmarks.planted_suite.planter import Group
from benchmarks.planted_suite.transformed import TRANSFORMS

from blade.simulate.error_texts import OUTAGES, TOOL_ERRORS, filled, fixed_part
from blade.simulate.rng import dice
from blade.simulate.run import score

EVERY = pytest.mark.parametrize(
    ("kind", "level"), [(kind.name, level) for kind in kinds().values() for level in kind.knowable]
)
DOSED = ("outage_in_rows", "cap_lowered", "malformed", "verifier_bug_fresh", "broken_tool", "slice_regression")
RESCALED = ("reward_times_100", "reward_signed")
CAUSES = set(
    "duplicate_rows foreign_rows reward_rescaled composition coverage infrastructure verifier truncation malformed "
    "behaviour".split()
)


def rows(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def macro(path: Path) -> float:
    """The score as anybody would count it from the file."""
    by_task: dict[int, list[float]] = {}
    for row in rows(path):
        by_task.setdefault(row["_ng_task_index"], []).append(row["reward"])
    return sum(sum(rewards) / len(rewards) for rewards in by_task.values()) / len(by_task)


def small(kind: str, level: Level, folder: Path, **settings: Any) -> PlantedCase:
    return case(kind, level, 2, folder, **{"tasks": 24, "repeats": 2, "dose": 8.0, **settings})


def test_the_table_of_kinds_is_complete() -> None:
    assert {kind.number for kind in kinds().values()} == {None, *range(19)}
    assert {kind.group for kind in kinds().values()} <= set(get_args(Group))
    causes_named = {expected_cause.cause for kind in kinds().values() for expected_cause in kind.wanted.values()}
    assert causes_named == CAUSES
    assert all(set(kind.knowable) <= set(LEVELS) for kind in kinds().values())


def test_an_unknown_kind_or_level_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="outage_in_rows"):
        load("outrage")
    with pytest.raises(KeyError, match="E2, E1"):
        case("null", "E0", 0, tmp_path)


@pytest.mark.slow
@EVERY
def test_the_truth_agrees_with_the_files(kind: str, level: Level, tmp_path: Path) -> None:
    planted = small(kind, level, tmp_path)
    truth = planted.truth
    assert macro(planted.candidate) - macro(planted.base) == pytest.approx(truth.delta)
    assert (truth.knowable == "nothing") is not bool(truth.parts)
    assert truth.mde == 0 if truth.shared else truth.mde > 0
    for part in truth.parts:
        assert part.cause in CAUSES
        assert part.rollouts
    has_manifest = load(kind).manifest == "always" or level == "E2"
    assert (planted.base.parent / "rollouts_materialized_inputs.jsonl").exists() is has_manifest


@pytest.mark.slow
@EVERY
def test_a_mirrored_case_turns_the_signs(kind: str, level: Level, tmp_path: Path) -> None:
    plain, turned = small(kind, level, tmp_path / "one"), small(kind, level, tmp_path / "two", mirrored=True)
    assert turned.truth.delta == pytest.approx(-plain.truth.delta)
    assert [part.realised for part in turned.truth.parts] == [-part.realised for part in plain.truth.parts]
    assert plain.base.read_bytes() == turned.candidate.read_bytes()


@pytest.mark.parametrize("kind", DOSED)
def test_the_dose_is_reached_on_average(kind: str, tmp_path: Path) -> None:
    planted = case(kind, "E2", 4, tmp_path, tasks=60, repeats=3, dose=6.0)
    (part,) = planted.truth.parts
    assert part.expected is not None
    assert -0.095 < part.expected < -0.03


def test_the_same_case_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (small("outage_in_failures", "E2", tmp_path / name) for name in ("one", "two"))
    assert first.truth == second.truth
    for file in sorted(first.candidate.parent.iterdir()):
        assert file.read_bytes() == (second.candidate.parent / file.name).read_bytes()
    assert (first.candidate.parent / "rollouts_failures.jsonl").exists()


def test_shared_outputs_are_the_same_word_for_word(tmp_path: Path) -> None:
    planted = small("verifier_bug_shared", "E2", tmp_path)
    outputs = [[row["response"]["output"] for row in rows(path)] for path in (planted.base, planted.candidate)]
    assert outputs[0] == outputs[1]
    fresh = small("verifier_bug_fresh", "E2", tmp_path)
    outputs = [[row["response"]["output"] for row in rows(path)] for path in (fresh.base, fresh.candidate)]
    assert not any(base_output == candidate_output for base_output, candidate_output in zip(*outputs, strict=True))


def test_error_texts_differ_from_seed_to_seed_and_from_row_to_row() -> None:
    assert len({fixed_part(message) for _, message in OUTAGES} | set(map(fixed_part, TOOL_ERRORS))) >= 20
    texts = {filled("lost {id} at {host} after {ms}", dice(number)) for number in range(20)}
    assert len(texts) == 20
    assert not any("{" in text for text in texts)


def test_partial_evidence_leaves_the_error_in_the_text_only(tmp_path: Path) -> None:
    full, part = small("outage_in_rows", "E2", tmp_path / "2"), small("outage_in_rows", "E1", tmp_path / "1")
    hit = [row for row in rows(full.candidate) if row["response"]["error"]]
    assert len(hit) == full.truth.parts[0].rollouts
    assert all(row["error_message"] == row["response"]["error"]["message"] for row in hit)
    message = fixed_part(part.truth.parts[0].where["message"])
    error_count = 0
    for row in rows(part.candidate):
        response = row["response"]
        assert row["error_kind"] is row["error_message"] is response["error"] is response["status"] is None
        assert "created_at" not in response
        error_count += message in orjson.dumps(response["output"][-1:]).decode()
    assert error_count == part.truth.parts[0].rollouts


def test_partial_evidence_shows_a_cut_text_without_a_reason(tmp_path: Path) -> None:
    planted = small("cap_lowered", "E1", tmp_path)
    cut_rows = [
        row
        for row in rows(planted.candidate)
        if row["response"]["usage"]["output_tokens"] == row["responses_create_params"]["max_output_tokens"]
    ]
    assert len(cut_rows) >= planted.truth.parts[0].rollouts > 0
    assert all(row["response"]["incomplete_details"] is None for row in cut_rows)


def test_without_evidence_only_rewards_differ(tmp_path: Path) -> None:
    for kind in ("outage_in_rows", "cap_lowered", "malformed", "gold_flipped", "wrong_model_rows", "broken_tool"):
        planted = small(kind, "E0", tmp_path / kind, dose=5.0)
        for row in rows(planted.candidate):
            assert row["response"]["output"]
            assert not {"state_match", "extracted_answer", "status"} & row.keys()
            assert row["response"]["model"] == "sim-case"
            assert row["responses_create_params"]["max_output_tokens"] == 2048


def test_hidden_rows_of_another_model_leave_their_form_of_ids(tmp_path: Path) -> None:
    open_case, hidden = (small("wrong_model_rows", level, tmp_path / level) for level in LEVELS[:2])
    assert {row["response"]["model"] for row in rows(open_case.candidate)} == {"sim-case", "sim-other"}
    assert {row["response"]["model"] for row in rows(hidden.candidate)} == {"sim-case"}
    assert {row["response"]["id"].split("_")[0].split("-")[0] for row in rows(hidden.candidate)} == {"resp", "chatcmpl"}


@pytest.mark.parametrize("name", list(TRANSFORMS))
def test_a_transform_keeps_the_scores(name: str, tmp_path: Path) -> None:
    planted = small("tasks_missing", "E2", tmp_path / "plain")
    transformed = TRANSFORMS[name](planted, tmp_path / name)
    sign = -1 if name == "swapped" else 1
    assert sign * (macro(transformed.candidate) - macro(transformed.base)) == pytest.approx(planted.truth.delta)
    keys = [(row["_ng_task_index"], row["_ng_rollout_index"]) for row in rows(transformed.candidate)]
    assert len(set(keys)) == len(keys)
    assert len({row["task_id"] for row in rows(transformed.candidate)}) == len({key[0] for key in keys})


def test_the_score_is_no_part_of_a_row_that_left() -> None:
    assert score(()) == 0.0
