"""Single sections of the report, and twins across two runs."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line import blade
from tests.queries.conftest import Asker


def test_without_a_name_the_first_section_is_printed(ask: Asker) -> None:
    told = ask("report").stdout
    assert told.startswith("## Executive Summary")
    assert "## Score Change" not in told


def test_a_section_is_chosen_by_name_or_by_title(ask: Asker) -> None:
    by_name, by_title = (ask("report", "--section", name).stdout for name in ("score_change", "Score Change"))
    assert by_name == by_title
    assert by_name.startswith("## Score Change")
    assert by_name.count("\n## ") == 0


def test_the_list_names_every_section_with_its_length(ask: Asker) -> None:
    lines = ask("report", "--list").stdout.splitlines()
    assert lines[0].split() == ["section", "tokens"]
    assert {"executive_summary", "score_change", "benchmark_health"} <= {line.split()[0] for line in lines[1:]}
    assert all(line.split()[1].replace(",", "").isdigit() for line in lines[1:])


def test_a_pair_is_compared_alone_and_in_the_order_that_is_asked(ask: Asker) -> None:
    told = ask("report", "--pair", "late", "early").stdout
    assert "## Score Change" in told
    assert "Executive Summary" not in told
    assert "`early` scores the same as `late`" in told
    assert "`late` scores the same as `early`" in ask("report", "--pair", "early", "late").stdout
    data = json.loads(ask("report", "--pair", "late", "early", "--json").stdout)
    assert data["runs"] == ["late", "early"]


def test_a_long_section_says_what_it_left_out_and_the_way_to_it(ask: Asker) -> None:
    told = ask("report", "--section", "reproducibility_notes", "--tokens", "200").stdout
    assert len(told) < 1_200
    assert "left out: --section reproducibility_notes --tokens " in told
    tokens = told.split("--tokens ")[1].split()[0]
    assert "left out:" not in ask("report", "--section", "reproducibility_notes", "--tokens", tokens).stdout


def test_an_unknown_section_or_run_names_those_there_are(ask: Asker) -> None:
    section, run = ask("report", "--section", "weather"), ask("report", "--pair", "early", "noon")
    assert section.returncode == run.returncode == 2
    assert "There are: executive_summary" in section.stderr
    assert "No run is named 'noon'." in run.stderr
    assert "Runs here: early, late." in run.stderr
    assert "cannot be compared with itself" in ask("report", "--pair", "early", "early").stderr


def test_a_twin_may_be_of_two_runs(pair: tuple[Path, Path], tmp_path: Path) -> None:
    early, late = pair
    done = blade("show", late, "desk-1", "--twin", "--against", early, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "passes in 2 of 2 attempts of early and in 0 of 2 attempts of late" in done.stdout
    assert "passing: early, attempt 0" in done.stdout
    assert "failing: late, attempt 0" in done.stdout
    swapped = blade("show", late, "desk-2", "--against", early, "--attempt", "1", folder=tmp_path)
    assert "passing: late, attempt 1" in swapped.stdout


def test_twins_of_a_folder_with_both_runs_are_found_by_name(pair: tuple[Path, Path], tmp_path: Path) -> None:
    done = blade("show", pair[0].parent, "desk-1", "--run", "late", "--against", "early", folder=tmp_path)
    assert "passing: early, attempt 0" in done.stdout


def test_a_task_with_one_outcome_in_both_runs_has_no_twin(pair: tuple[Path, Path], tmp_path: Path) -> None:
    same = blade("show", pair[0], "desk-0", "--against", pair[1], folder=tmp_path)
    void = blade("show", pair[1], "desk-3", "--attempt", "1", "--against", pair[0], folder=tmp_path)
    assert same.returncode == void.returncode == 2
    assert "passes in neither of early and late while it fails in the other" in same.stderr
    assert "no such attempt in late that ran and was judged" in void.stderr


def test_a_heading_inside_a_section_is_chosen_by_its_words(ask: Asker) -> None:
    whole = ask("report", "--section", "investigation", "--tokens", "20000").stdout
    heading = next(line.removeprefix("### ") for line in whole.splitlines() if line.startswith("### "))
    part = ask("report", "--section", heading).stdout
    assert part.startswith(f"### {heading}")
    assert part.count("### ") == 1
    assert len(part) < len(whole)
