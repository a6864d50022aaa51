"""Two groups against each other: the counts in both, what separates them, and what is not tried."""

from __future__ import annotations

import json

from tests.made_demo import Demo
from tests.queries.conftest import Asker

from blade.index.build_index import build
from blade.queries.contrast import GroupContrast, contrast, separating_words


def contrasted(demo: Demo, first: str, second: str) -> GroupContrast:
    return contrast(build(demo.runs, demo.analysis), {"first": first, "second": second})


def test_what_failures_do_and_passes_do_not_is_found_within_tasks(demo: Demo) -> None:
    found = contrasted(demo, "failed and not void", "passed")
    assert (found.first.height, found.second.height, found.overlap) == (121, 176, 0)
    assert found.within_tasks == 21
    told = {one.name: (one.first, one.of_first, one.second, one.of_second) for one in found.features}
    assert told.get("rule missing_action") == (83, 121, 0, 176)
    assert not [name for name in ("passed", "failed", "score", "bucket = never") if name in told]
    assert all(one.q <= 0.05 for one in found.features)
    words = separating_words(demo.runs, found, 3)
    assert [(one.actor, one.first > 0, one.second) for one in words] == [("model", True, 0)]


def test_columns_that_a_condition_names_are_not_tried(demo: Demo) -> None:
    found = contrasted(demo, "calls_failed > 0", "calls_failed = 0 and model is not null")
    assert not [one.name for one in found.features if one.name.startswith(("calls_failed", "model"))]


def test_the_command_prints_counts_and_says_how_it_compared(ask: Asker) -> None:
    told = ask("contrast", "run = 'early'", "true").stdout
    assert "8 rollouts meet both conditions: left out" not in told
    done = ask("contrast", "run = 'early'", "run = 'late' or task = 'desk-0'").stdout
    assert "2 rollouts meet both conditions: left out" in done
    assert "too few tasks have rollouts of both groups" in done


def test_an_empty_group_is_said(ask: Asker) -> None:
    done = ask("contrast", "run = 'early'", "true")
    assert (done.returncode, "No rollout is in group A alone." in done.stderr) == (2, True)


def test_json_holds_the_features_and_the_counts(ask: Asker) -> None:
    told = json.loads(ask("contrast", "failed", "passed", "--json").stdout)
    assert (told["counts"]["A: rollouts"], told["counts"]["B: rollouts"]) == (8, 8)
    names = {one["name"]: (one["first"], one["second"]) for one in told["features"]}
    assert names["row_verifier_note = all checks hold"] == (0, 8)
