"""What was planted in live runs is what the modes say; real references are found where attempts leave them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.diagnosis.cases import RunCases, all_cases
from blade.diagnosis.modes import find_modes
from blade.evidence import open_row, stands
from blade.findings import State
from blade.model import Source
from blade.options import Options
from blade.registry import plugins

pytestmark = pytest.mark.corpus

Record = Callable[..., None]
ENVIRONMENTS = ("mcqa", "reasoning_gym", "workplace_assistant")
FEWEST = 8
WANTED = 0.85
MOST_PASSES = 0.10


def cases_of(path: Path) -> list[RunCases]:
    """The cases of a path's runs, each with its mode."""
    made = [found for run in blade.read(path, options=Options(cache=False)) for found in all_cases([run], [])]
    find_modes(made)
    return made


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_each_planted_mode_is_a_mode_of_its_own(corpus: Path, record: Record, environment: str) -> None:
    truth = json.loads((corpus / "gym-live/TRUTH.json").read_text(encoding="utf-8"))[environment]
    pairs: Counter[tuple[str, str]] = Counter()
    for model in ("stub-weak", "stub-strong"):
        (run,) = cases_of(corpus / "gym-live" / environment / model)
        for case in run.failing:
            pairs[truth[model][f"{case.label}:{case.attempt}"]["mode"], case.mode or ""] += 1
    planted = {name: sum(many for (mode, _), many in pairs.items() if mode == name) for name, _ in pairs}
    taken: dict[str, str] = {}
    short = []
    for name, members in sorted(planted.items()):
        found, hits = max(((ours, many) for (mode, ours), many in pairs.items() if mode == name), key=lambda x: x[1])
        precision = hits / sum(many for (_, ours), many in pairs.items() if ours == found)
        recall = hits / members
        enough = members < FEWEST or min(precision, recall) >= WANTED
        told = f"precision {precision:.0%}, recall {recall:.0%}"
        record("modes", f"{environment}: {name} ({members} rollouts) is {found}", ">= 85 %", told, same=enough)
        if members >= FEWEST:
            if precision < WANTED or recall < WANTED or found in taken:
                short.append((name, found, round(precision, 2), round(recall, 2)))
            taken[found] = name
    assert not short, f"{short} of {dict(pairs)}"


def test_format_modes_are_recoverable_exactly(corpus: Path) -> None:
    made = blade.analyze(corpus / "gym-live/mcqa/stub-weak", options=Options(cache=False))
    formats = [mode for mode in made.modes if mode.kind == "format" and mode.recoverable["exact"]]
    assert formats
    for mode in formats:
        rollouts = mode.runs["stub-weak"]["rollouts"]
        assert mode.recoverable["points"] == pytest.approx(rollouts / 200)  # 50 tasks with 4 attempts each


def test_hardly_any_detector_fires_on_passes(corpus: Path, record: Record) -> None:
    fired: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for path in sorted((corpus / "nemo-gym").rglob("*.jsonl")):
        try:
            runs = cases_of(path)
        except blade.BladeError:
            continue
        for case in (case for run in runs for case in run.cases if not case.failing):
            for name, state in case.states().items():
                told[name] += state is not State.NOT_APPLICABLE
                fired[name] += state is State.FIRED and case.believes(name)
    often = {
        name: f"{many}/{told[name]}" for name, many in fired.items() if many > MOST_PASSES * told[name] and many > 3
    }
    record(
        "detectors",
        "fire on more than 10 % of the passes they apply to",
        "said why",
        ", ".join(often) or "none",
        same=True,
    )
    assert all("On passes:" in (plugins("detectors")[name].__doc__ or "") for name in often), often


def changing_calls(row: dict[str, Any], names: set[str]) -> list[tuple[str, Any]]:
    """The calls of a row that are of the tools some reference uses, read without BLADE."""
    output = row["response"]["output"]
    calls = [item for item in output if item.get("type") == "function_call" and item["name"] in names]
    return [(item["name"], json.loads(item["arguments"])) for item in calls]


def test_the_first_wrong_or_missing_action_of_tau_bench_is_found(corpus: Path, record: Record) -> None:
    """Truth: where the sequence of changing calls first leaves the reference. Reads are no part of the reference."""
    (path,) = (corpus / "real/tau_bench_airline").glob("*.jsonl")
    (run,) = cases_of(path)
    rows = {line: json.loads(text) for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)}
    changing = ("book_reservation", "cancel_reservation", "send_certificate")
    names = {
        action["name"]
        for row in rows.values()
        for action in row["verifier"]["expected_actions"]
        if action["name"] in changing or action["name"].startswith("update_")
    }
    wrong, located = 0, 0
    for case in run.failing:
        row = rows[case.place[1]]
        wanted = [(a["name"], a["kwargs"]) for a in row["verifier"]["expected_actions"] if a["name"] in names]
        made = changing_calls(row, names)
        if made == wanted:
            continue
        wrong += 1
        located += says_where(case, row, made, wanted)
    what = "tau-bench: first wrong or missing action located and quoted"
    record("modes", what, ">= 80 %", f"{located} of {wrong}", same=located >= 0.8 * wrong)
    assert located >= 0.8 * wrong


def says_where(case: Any, row: dict[str, Any], made: list[Any], wanted: list[Any]) -> bool:
    """Whether a finding about the reference quotes the first call that leaves it, or the action that is missing."""
    fired = case.fired()
    seen = [fired[name] for name in ("wrong_action", "missing_action", "extra_mutation") if name in fired]
    if not all(stands(row, cite) for sighting in seen for cite in sighting.cites):
        return False
    first = next((n for n, (a, b) in enumerate(zip(made, wanted, strict=False)) if a != b), min(len(made), len(wanted)))
    named = {made[first][0]} if first < len(made) else set()
    named |= {wanted[first][0]} if first < len(wanted) else set()
    return any(any(name in sighting.detail for name in named) for sighting in seen)


def test_every_finding_can_be_opened(corpus: Path) -> None:
    made = blade.analyze(corpus / "gym-live/workplace_assistant/stub-weak", options=Options(cache=False))
    assert made.findings
    for finding in made.findings:
        for proof in finding.evidence:
            assert stands(open_row(Source(proof.file, proof.line, proof.offset, proof.length)), proof), finding
