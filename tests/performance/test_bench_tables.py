"""The pure parts of the performance benchmark: ratios, targets, tables, and a page whose tables are filled in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks import variants
from benchmarks.at_size import slices_at_size, statistics_at_size
from benchmarks.baselines import FLOORS, OTHERS, gym_command, timed
from benchmarks.corpora import corpus
from benchmarks.measuring import Measured, Sample, measure
from benchmarks.ours import detectors_that_ran, facts_only
from benchmarks.performance_tables import filled, table, tables
from benchmarks.results import Part, Results, ratio, ratios, take
from benchmarks.sizing import duration, rates, sizing_rows
from benchmarks.targets import targets
from benchmarks.variants import Place, Variant, ingest

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"


def sample(name: str, *cores: float, peak: float = 100.0) -> Sample:
    return Sample(name, [Measured(core, core, peak, {"core": core, "seconds": core, "rows": 4}) for core in cores])


def part() -> Part:
    """Orjson takes 1 to 3 s, facts twice as long, the whole analysis three times as long."""
    made = [
        sample("orjson_parse", 1.0, 2.0, 3.0),
        sample("facts only", 2.0, 4.0, 6.0),
        sample("analyze", 3.0, 6.0, 9.0, peak=700.0),
        sample("read, cold into the cache", 2.0, 4.0, 6.0),
        Sample("gym_profile", note="not installed"),
    ]
    shape = {"bytes": 2e8, "rows": 6000, "p10": 7, "p50": 12, "p90": 126, "p99": 200, "longest": 399}
    facts = {"shape": shape, "longest": 0.399, "machine": "2 cores"}
    return Part("2026-01-31", 200, {one.name: one for one in made}, facts)


def test_ratios_are_taken_within_a_round() -> None:
    assert ratios([2.0, 30.0, 4.0], [1.0, 10.0, 2.0]) == [2.0, 3.0, 2.0]
    assert ratio(part(), ("facts only", "core"), ("orjson_parse", "core")) == 2.0


def test_without_a_partner_in_every_round_medians_are_compared() -> None:
    assert ratios([4.0, 5.0, 6.0], [2.0, 3.0]) == [2.0]
    assert ratios([], [1.0]) == []
    assert ratio(part(), ("gym_profile", "cpu"), ("analyze", "cpu")) is None
    assert ratio(part(), ("nobody", "cpu"), ("analyze", "cpu")) is None


def test_targets_say_what_is_met_and_what_was_not_measured() -> None:
    found = {one.name: one for one in targets(Results(ingest=part()))}
    facts, whole = found["facts only / orjson parse, CPU"], found["full analysis / orjson parse, CPU"]
    assert (facts.measured, facts.met) == (2.0, True)
    assert (whole.measured, whole.limit, whole.met) == (3.0, 6.0, True)
    assert found["reading with all detectors / orjson parse, CPU"].measured == 2.0
    memory = found["peak memory, ingest"]
    assert (memory.limit, memory.met) == (600.0, False)
    assert found["Gym's profile / full analysis, CPU"].met is None
    assert found["analysis of 160 rollouts, CPU"].met is None
    assert not any("large file" in name for name in found)


def test_an_earlier_version_small_runs_formats_and_tests_have_targets() -> None:
    ingested = part()
    ingested.samples[variants.EARLIER] = sample(variants.EARLIER, 2.0, 4.0, 6.0, peak=900.0)
    small = Part("2026-01-31", 200, {variants.SMALL: sample(variants.SMALL, 3.0, 3.5, 4.0)})
    formats = Part("2026-01-31", 200, facts={"taken": {"tau": {"times": 2.5}, "bfcl": {"times": 8.0}}, "note": ""})
    tests = Part("2026-01-31", 200, {variants.TESTS: sample(variants.TESTS, 420.0)})
    found = {one.name: one for one in targets(Results(ingest=ingested, small=small, formats=formats, tests=tests))}
    assert found["full analysis / before the questions, CPU"].measured == 1.5
    assert found["peak memory, ingest"].measured == 700.0
    assert found["analysis of 160 rollouts, CPU"].measured == 3.5
    assert found["reading the dearest foreign format / orjson parse, CPU"].measured == 8.0
    assert (found["the tests (`make test`), CPU"].measured, found["the tests (`make test`), CPU"].met) == (7.0, False)


def test_real_rows_and_an_earlier_version_are_named_from_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("BLADE_BENCH_REAL", raising=False)
    monkeypatch.delenv("BLADE_BENCH_BEFORE", raising=False)
    (alone,) = variants.real(Place(tmp_path), 1.0)
    assert alone.note == "BLADE_BENCH_REAL names no file of rollouts"
    source = corpus(tmp_path / "own.jsonl", 0.1, "small")
    monkeypatch.setenv("BLADE_BENCH_REAL", str(source))
    monkeypatch.setattr(variants, "REAL_MEGABYTES", 1.0)
    assert [one.name for one in variants.real(Place(tmp_path), 1.0)][:2] == ["orjson_parse", variants.READ]
    assert (tmp_path / "real-1" / "own.jsonl").stat().st_size > 0.9e6
    monkeypatch.setenv("BLADE_BENCH_BEFORE", str(tmp_path))
    made = {one.name: one.command for one in variants.small(Place(tmp_path), 1.0)}
    assert made[variants.EARLIER][:2] == ("env", f"PYTHONPATH={tmp_path.resolve()}")
    assert made[variants.EARLIER][2:8] == made[variants.PAIR][:6]


def grown() -> Part:
    taken = {"small": 1.0, "middle": 10.0, "large": 110.0}
    made = Part("2026-01-31", 200, {name: sample(name, seconds) for name, seconds in taken.items()})
    made.facts["sizes"] = [10.0, 200.0, 2000.0]
    return made


def test_larger_work_is_reckoned_with_a_start_a_shared_part_and_a_rest() -> None:
    known = Results(ingest=part(), growth=grown())
    found = rates(known)
    assert found is not None
    assert (found.once, found.reading) == pytest.approx((1.0 - 109.0 / 199, 20.0))
    assert found.reading + found.after == pytest.approx(109.0 / 1.99)
    assert found.seconds(10.0, 8) == pytest.approx(found.once + 25.0 + 10 * found.after)
    assert [row[0] for row in sizing_rows(known)] == ["10 GB", "1 TB", "10,000,000 rollouts (333 GB)"]


def test_growth_is_reckoned_per_megabyte() -> None:
    (found,) = (one for one in targets(Results(growth=grown())) if one.name.startswith("seconds per MB"))
    assert found.measured == pytest.approx(1.1)


def test_a_table_has_words_on_the_left_and_numbers_on_the_right() -> None:
    assert table(("a", "b"), [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"


def test_the_tables_hold_the_medians_and_the_notes() -> None:
    made = tables(Results(ingest=part()))
    assert "| **BLADE, facts only** | 4.00 (2.00–6.00) | 4.00 | 50 | 2.00 | 100 |" in made["ingest"]
    assert "Gym's `gym eval profile`: not installed" in made["ingest"]
    assert "cold into the cache" in made["cache"]
    assert "cold into the cache" not in made["ingest"]
    assert "| mixed | 200 | 6,000 | 7 / 12 / 126 / 200 / 399 |" in made["corpora"]
    assert made["machine"].startswith("Measured on 2026-01-31: 2 cores. Medians of 3 rounds")
    assert "sizing" not in made


def test_results_come_back_from_the_disk_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    kept = Results(ingest=part())
    kept.save(path)
    assert Results.load(path) == kept
    assert Results.load(tmp_path / "nothing.json") == {}


def test_the_page_has_a_marker_for_every_table_and_is_filled_between_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    files, others = "corpora ingest large rows real formats", "machine targets cache growth small start ray"
    names = f"{files} {others} slices statistics sizing".split()
    assert [name for name in names if f"<!-- bench: {name} -->\n" not in page] == []
    text = "a\n<!-- bench: one -->\nold\n<!-- /bench -->\nb\n<!-- bench: two -->\nkept\n<!-- /bench -->\n"
    done = filled(text, {"one": "new"})
    assert done == text.replace("old", "new")
    assert filled(done, {"one": "new"}) == done


def test_durations_are_round() -> None:
    assert [duration(seconds) for seconds in (7, 600, 9000, 864_000)] == ["7 s", "10 min", "2.5 h", "10.0 days"]


def test_detectors_are_counted_by_their_letters() -> None:
    assert detectors_that_ran(["fcx", "nxx"]) == {"detectors": 2, "crashed": 2}
    assert detectors_that_ran([]) == {"detectors": 0, "crashed": 0}


def test_a_command_is_measured_and_one_that_fails_says_why() -> None:
    good = measure((sys.executable, "-c", "print('talk'); print('{\"core\": 1.5}')"))
    assert good.said == {"core": 1.5}
    assert good.failed == ""
    bad = measure((sys.executable, "-c", "raise SystemExit('no such thing: /some/where/else.jsonl | 3')"))
    assert bad.failed == "no such thing: else.jsonl / 3"


def test_variants_take_turns_and_the_failing_one_stops() -> None:
    calls: list[int] = []
    good = Variant("good", (sys.executable, "-c", ""), before=lambda: calls.append(1))
    bad = Variant("bad", (sys.executable, "-c", "raise SystemExit(3)"))
    found = take([good, bad, Variant("none", note="not here")], rounds=2)
    assert len(calls) == 3
    assert len(found["good"].taken) == 2
    assert found["bad"].note == "failed: ended with 3"
    assert (found["none"].taken, found["none"].note) == ([], "not here")
    assert len(take([good], rounds=0)["good"].taken) == 1


def test_floors_and_facts_see_every_row(tmp_path: Path) -> None:
    path = corpus(tmp_path / "rows.jsonl", 0.5, "small")
    rows = len(path.read_bytes().splitlines())
    seen = {name: FLOORS[name](path)() for name in ("line_read", "orjson_parse", "parse_and_check")}
    assert seen == dict.fromkeys(seen, rows)
    assert FLOORS["block_read"](path)() == path.stat().st_size
    assert OTHERS["polars_two_columns"](path)() == OTHERS["polars_inferred"](path)() == rows
    assert timed(facts_only(path))["rows"] == rows


def test_gym_is_found_by_name_or_not_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BLADE_BENCH_GYM", raising=False)
    assert gym_command(Path("a.jsonl"), Path("b.jsonl")) is None
    made = {one.name: one for one in ingest(Place(tmp_path), 0.1)}
    assert made["gym_profile"].note.startswith("not installed")
    assert {"facts only", "analyze", "read, warm by content"} <= made.keys()
    monkeypatch.setenv("BLADE_BENCH_GYM", "some/gym")
    assert (gym_command(Path("a.jsonl"), Path("b.jsonl")) or [])[:3] == ["some/gym", "eval", "profile"]


def test_statistics_at_size_name_their_steps() -> None:
    assert len(slices_at_size(400, 3)) == 7
    assert len(statistics_at_size(30)) == 6


def test_one_worker_two_and_ray_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    made = (*variants.engine(Place(tmp_path), path), *variants.ray(Place(tmp_path), 0.1))
    assert [one.note for one in made] == [""] * 6
    assert made[3].command[-2:] == ("--workers", "2")
    assert made[5].command[-1] == "ray"
