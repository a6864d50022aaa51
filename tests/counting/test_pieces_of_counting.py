"""The pieces that a count is put together from, each on a few numbers whose answer is known by hand."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from tests.gym_rows import message, read, request, response, row, write

from blade.counting.buckets import count_buckets, task_results
from blade.counting.find import find_rollout
from blade.counting.identity import hash_mix
from blade.counting.metrics import TaskRows, metrics, task_rows
from blade.counting.passing import PassRule
from blade.counting.provenance import provenance
from blade.counting.reasons import status_reasons
from blade.counting.recompute import passk
from blade.counting.recompute.causes import EntryEvidence, _prefixes, causes, rows_behind_means
from blade.counting.recompute.checks import counted_rows
from blade.counting.recompute.compare import Miss, Tally
from blade.counting.recompute.families import KeyReading, ScoreSource, _believed, check_families, split_key
from blade.counting.recompute.profiles import check_profile
from blade.counting.recompute.rows import ScoredRow
from blade.counting.slices import field_profile, slice_table
from blade.counting.split import split
from blade.counting.summary import summarize
from blade.counting.tasks import natural, task_table
from blade.counting.totals import add_unseen, per_task
from blade.errors import NotFound
from blade.extract.makers import family
from blade.model import Bucket
from blade.options import Options
from blade.stats import betabinomial

BINARY = PassRule(1.0, "binary rewards", "unit")


def tasks(*passes: int, n: int = 4) -> list[TaskRows]:
    return [
        TaskRows(f"t{place}", tuple([1.0] * good + [0.0] * (n - good)), good, (None,) * n)
        for place, good in enumerate(passes)
    ]


class TestBuckets:
    def test_a_task_that_never_passed_is_held_against_the_other_tasks(self) -> None:
        found = task_results(tasks(4, 4, 2, 1, 0, 0, *[4, 4, 2, 1, 0] * 3), {}, BINARY)
        fitted = betabinomial.fit(Counter({(4, 4): 8, (4, 2): 4, (4, 1): 4, (4, 0): 5}))
        assert fitted is not None
        assert found["t4"].rate_above == pytest.approx(betabinomial.prob_rate_above(4, 0, 0.1, fitted.a, fitted.b))

    def test_a_few_tasks_tell_nothing_of_one_that_never_passed(self) -> None:
        """Two of three that never pass and one that always does would make it nearly certain."""
        found = task_results(tasks(3, 0, 0, n=3), {}, BINARY)
        assert found["t1"].rate_above == pytest.approx(betabinomial.prob_rate_above(3, 0, 0.1, 0.5, 0.5))
        assert found["t1"].rate_above == pytest.approx(0.41, abs=0.01)

    def test_tasks_are_put_into_buckets(self) -> None:
        found = task_results(tasks(4, 4, 2, 1, 0, 0), {"gone": 4}, BINARY)
        assert found["t0"].rate_above is None
        assert [found[f"t{n}"].bucket for n in range(5)] == [
            *[Bucket.ALWAYS] * 2,
            *[Bucket.SOMETIMES] * 2,
            Bucket.NEVER,
        ]
        assert found["gone"].bucket is Bucket.MISSING
        assert count_buckets(found, BINARY) == {"always": 2, "sometimes": 2, "never": 2, "missing": 1}

    def test_rows_are_grouped_in_the_order_in_which_they_stand(self) -> None:
        names = [f"t{n:03}" for n in range(300)]
        frame = pl.DataFrame({"task": names, "reward": [1.0] * 300, "passed": [True] * 300, "answer": ["7"] * 300})
        assert [one.task for one in task_rows(frame)] == names


class TestMetrics:
    def test_missing_rollouts_are_counted_as_failed_or_as_passed(self) -> None:
        found = metrics(tasks(4, 2), {"t0": 4, "t1": 4, "gone": 4}, BINARY)
        assert found["score"] == 0.75
        assert found["coverage"] == pytest.approx(8 / 12)
        assert found["score_zero_fill"] == pytest.approx(0.5)
        assert found["bounds"] == pytest.approx((0.5, 2.5 / 3))

    def test_a_score_a_hair_above_one_has_an_interval_within_the_scale(self) -> None:
        made = [TaskRows(f"t{n}", (1.0 + 5e-10, 1.0), 2, (None, None)) for n in range(5)]
        low, high = metrics(made, None, BINARY)["score_interval"]
        assert 0.0 < low < high <= 1.0

    def test_the_changes_that_a_design_could_see_are_asked_in_points(self) -> None:
        assert [float(key) for key in metrics(tasks(4, 2, 1, 3), None, BINARY)["repeats_needed"]] == [
            0.01,
            0.02,
            0.05,
            0.1,
        ]


class TestSummary:
    @staticmethod
    def rows(*made: tuple[str, float]) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "task": [task for task, _ in made],
                "attempt_index": pl.Series([None] * len(made), dtype=pl.Int64),
                "created_at": pl.Series([None] * len(made), dtype=pl.Float64),
                "row_hash": pl.Series(range(len(made)), dtype=pl.UInt64),
                "output_hash": pl.Series(range(len(made)), dtype=pl.UInt64),
                "reward": [reward for _, reward in made],
                "skipped": [False] * len(made),
                "file": pl.Series([0] * len(made), dtype=pl.Int32),
                "line": list(range(len(made))),
                "broken": [False] * len(made),
            }
        )

    def test_passes_are_rewards_that_reach_the_threshold(self) -> None:
        found = per_task(self.rows(("a", 1.0), ("a", 0.0), ("b", 0.5)), 0.5).sort("task")
        assert found["passes"].to_list() == [1, 1]
        assert found["n"].to_list() == [2, 1]
        assert found["total"].to_list() == [1.0, 0.5]
        assert found["binary"].to_list() == [True, False]

    def test_tasks_that_only_a_limit_speaks_of_are_added(self) -> None:
        gathered = pl.DataFrame(
            {"rollouts": [2], "copies": [0], "n": [2], "total": [1.0], "passes": [1], "broken": [0]}
            | {"binary": [True], "unit": [True], "count": [3], "expected": pl.Series([2], dtype=pl.UInt32)}
        )
        found = add_unseen(gathered, 2, 5)
        assert found["count"].to_list() == [3, 2]
        assert found["n"].to_list() == [2, 0]
        assert add_unseen(gathered, 2, 3).height == add_unseen(gathered, None, 5).height == 1
        told = summarize(found, 1.0)
        assert (told.tasks, told.graded, told.expected) == (3, 6, 10)
        assert told.score == 0.5
        assert told.coverage == pytest.approx(0.6)
        assert told.bounds == pytest.approx((0.3, 0.7))
        assert told.interval is not None
        assert told.interval[0] < 0.5 < told.interval[1]
        assert told.buckets == {"always": 0, "sometimes": 3, "never": 0}


class TestSettings:
    def test_models_stand_by_their_rows_and_settings_say_whether_they_vary(self, tmp_path: Path) -> None:
        rows = [
            row(task, response=response(message("x"), model="b-model" if task < 3 else "a-model")) for task in range(12)
        ]
        rows[0]["responses_create_params"] = request("What is 0 and 0?") | {"temperature": 0.9, "top_p": 0.5}
        (run,) = read(write(tmp_path / "a.jsonl", rows))
        found = provenance(run, Options(cache=False))
        assert list(found.models.items()) == [("a-model", 9), ("b-model", 3)]
        assert found.sampling == {"temperature": 0.5, "top_p": 0.5}
        assert found.sampling_varies == ("temperature", "top_p")

    def test_settings_that_are_alike_everywhere_do_not_vary(self, tmp_path: Path) -> None:
        (run,) = read(write(tmp_path / "a.jsonl", [row(task) for task in range(4)]))
        assert provenance(run, Options(cache=False)).sampling_varies == ()

    def test_a_run_that_is_not_there_is_said_to_be_missing(self, tmp_path: Path) -> None:
        runs = read(write(tmp_path / "a.jsonl", [row(task) for task in range(4)]))
        assert find_rollout(runs, "2", run="a").rollout.task == "2"
        with pytest.raises(NotFound, match="No run is named 'b'"):
            find_rollout(runs, "2", run="b")

    @pytest.mark.parametrize("name", ["org/Model-A-2024-05-01", "model-a-20240501", "model-a-latest", "MODEL-A"])
    def test_versions_of_a_model_are_one_family(self, name: str) -> None:
        assert family(name) == "model-a"

    def test_numbers_stand_in_their_own_order_before_words(self) -> None:
        assert sorted(["10", "9", "b", "a"], key=natural) == ["9", "10", "a", "b"]

    def test_a_hash_knows_the_order_of_what_it_mixes(self) -> None:
        assert hash_mix(1, 2) != hash_mix(2, 1)
        assert hash_mix(None, 1) == hash_mix(0, 1)
        assert 0 <= hash_mix(2**64 - 1, 7) < 2**64


def test_a_shared_task_is_known_by_the_rule_that_joined_it(tmp_path: Path) -> None:
    from blade.counting.align import Alignment  # noqa: PLC0415 - only here
    from blade.counting.measure import measure  # noqa: PLC0415

    runs = [
        *read(write(tmp_path / "a.jsonl", [row(n) for n in range(3)])),
        *read(write(tmp_path / "b.jsonl", [row(n) for n in range(4)])),
    ]
    measured = [measure(run, Options(cache=False)) for run in runs]
    joined = Alignment("text", "", {str(n): str(n) for n in range(3)})
    found = task_table(runs, measured, [joined])
    assert [(task.task, task.key_source, sorted(task.runs)) for task in found] == [
        ("0", "text", ["a", "b"]),
        ("1", "text", ["a", "b"]),
        ("2", "text", ["a", "b"]),
        ("3", "index", ["b"]),
    ]


class TestTables:
    def test_slices_are_the_means_of_their_tasks(self) -> None:
        made = tasks(4, 2, 0)
        slices = {"t0": {"kind": "x"}, "t1": {"kind": "x"}, "t2": {"kind": "y"}}
        first, second = slice_table(made, slices, BINARY)
        assert (first["level"], first["tasks"], first["rollouts"], first["score"], first["passes"]) == (
            "x",
            2,
            8,
            0.75,
            6,
        )
        assert (second["level"], second["score"], second["passes"]) == ("y", 0.0, 0)
        assert "judged" not in first

    def test_a_slice_that_lost_rollouts_has_the_score_of_the_others_too(self) -> None:
        slices = {"t0": {"kind": "x"}, "t1": {"kind": "y"}, "t2": {"kind": "z"}}
        counted = [TaskRows("t0", (1.0, 0.0), 1, ()), TaskRows("t1", (1.0,), 1, ()), TaskRows("t2", (0.0,), 0, ())]
        judged = [TaskRows("t0", (1.0,), 1, ()), TaskRows("t1", (1.0,), 1, ())]
        first, second, third = slice_table(counted, slices, BINARY, judged_tasks=judged)
        assert (first["score"], first["judged"]["score"], first["judged"]["rollouts"]) == (0.5, 1.0, 1)
        assert "judged" not in second
        assert (third["score"], third["judged"]["score"]) == (0.0, None), "all of it was lost"

    def test_a_field_is_told_with_the_passes_of_its_values(self, tmp_path: Path) -> None:
        rows = [row(n, 0, float(n % 2), colour="red" if n < 3 else "blue") for n in range(4)]
        (run,) = read(write(tmp_path / "a.jsonl", rows))
        (found,) = [field for field in field_profile(run.facts, run.columns) if field["field"] == "colour"]
        assert found["common"] == [{"value": "red", "rows": 3, "passed": 1}, {"value": "blue", "rows": 1, "passed": 1}]
        assert (found["rows"], found["absent"], found["values"]) == (4, 0, 2)

    def test_reasons_leave_out_copies_and_rows_that_are_well(self) -> None:
        frame = pl.DataFrame(
            {
                "copy": [False, False, True, False],
                "state": ["infrastructure", "infrastructure", "infrastructure", "ok"],
                "reason": ["error 501", "error 502", "error 503", "fine"],
                "passed": [False, False, False, True],
                "signals": pl.Series([None, None, None, None], dtype=pl.List(pl.String)),
            }
        )
        (found,) = status_reasons(frame)
        assert (found["status"], found["rollouts"], found["passed"]) == ("infrastructure", 2, 0)
        assert found["reason"] == "error 501"


class TestPassAtK:
    def test_the_formulas_of_the_family(self) -> None:
        scores: list[passk.Scores] = [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]
        assert passk.pass_at(scores, 1) == pytest.approx(100 * (0.25 + 1 + 0) / 3)
        assert passk.pass_at(scores, 2) == pytest.approx(100 * (0.5 + 1 + 0) / 3)
        assert passk.pass_at(scores, 4) == pytest.approx(200 / 3)
        assert passk.pass_at(scores, 5) is None
        assert passk.pass_at([[0.2, 0.9, 0.5]], 2) == pytest.approx(90.0)
        assert passk.average_of(scores, 2) == pytest.approx(50.0)
        assert passk.majority_at([[1.0, 0.0, 1.0]], [["a", "b", "a"]], 3) == 100.0
        assert passk.majority_at([[1.0, 0.0]], [["a", "b"]], 2) == 50.0
        assert passk.majority_at([[1.0]], [[None]], 1) == 0.0
        assert passk.run_means(scores) == pytest.approx([200 / 3, 100 / 3, 100 / 3, 100 / 3])


def scored(*rewards: float | None, task: int = 0, agent: str | None = "a") -> list[ScoredRow]:
    made = []
    for place, reward in enumerate(rewards):
        fields: dict[str, Any] = {"task": task, "attempt": place, "agent": agent, "line": place, "reward": reward}
        made.append(ScoredRow(**fields, numbers={} if reward is None else {"reward": reward}, answers={}, fields={}))
    return made


class TestCauses:
    def test_how_many_rows_the_stored_means_fit(self) -> None:
        column = {"reward": [1.0, 0.0, 1.0, 0.0, 1.0]}
        assert rows_behind_means({"mean/reward": 0.75}, column, 5) == 4
        assert rows_behind_means({"mean/reward": 0.6}, column, 5) is None
        assert rows_behind_means({"mean/reward": math.inf}, column, 5) is None
        assert rows_behind_means({"mean/reward": 0.75}, {"reward": []}, 0) is None
        assert rows_behind_means({"mean/other": 0.75}, column, 5) is None
        assert rows_behind_means({"mean/reward": 1 / 3}, {"reward": [1.0, 0.0, 1.0]}, 3) is None

    def test_how_many_rollouts_the_tasks_count_together(self) -> None:
        assert counted_rows([{"num_rollouts": 4}, {"total_samples": 3.0}]) == 7
        assert counted_rows([{"num_rollouts": 4}, {}]) is None
        assert counted_rows([{"num_rollouts": 4.5}]) is None
        assert counted_rows([]) is None

    @staticmethod
    def sentence(miss: Miss, **more: Any) -> str:
        rows = scored(1.0, 0.0, 1.0)
        tally = Tally(1e-9)
        tally.tasks_off.update(more.pop("off", ()))
        tally.groups_checked = more.pop("groups", 0)
        tally.miss(miss)
        fields: dict[str, Any] = {"rows": rows, "all_rows": rows, "tally": tally, "fits": lambda _: True} | more
        return causes(EntryEvidence(**fields))(miss)

    def test_what_a_difference_looks_like(self) -> None:
        assert self.sentence(Miss("k", "many", 0.5)) == "The stored value is not a number."
        assert "a hundredth" in self.sentence(Miss("k", 0.005, 0.5))
        assert "a hundred times" in self.sentence(Miss("k", 50.0, 0.5))
        assert self.sentence(Miss("k", 0.667, 2 / 3)) == "The stored value is rounded."
        assert self.sentence(Miss("k", 0.4, 0.5)) == "Cause not visible in the files."
        assert self.sentence(Miss("k", None, 0.5)) == "Cause not visible in the files."
        assert self.sentence(Miss("k", 0.4, 0.5, hint="So it is.", certain=True)) == "So it is."

    def test_tasks_that_differ_are_named_up_to_five(self) -> None:
        few = self.sentence(Miss("k", 0.4, 0.5, 1), off={3, 1}, groups=4)
        assert "in task 1, 3: counts agree" in few
        many = self.sentence(Miss("k", 0.4, 0.5, 1), off=set(range(7)), groups=7)
        assert "in task 0, 1, 2, 3, 4, …: counts agree" in many
        assert "this value alone was changed" in self.sentence(Miss("k", 0.4, 0.5), groups=4)

    def test_other_numbers_of_rows(self) -> None:
        def never(_: object) -> bool:
            return False

        fewer = self.sentence(Miss("k", 0.4, 0.5), fits=never, stored_rows=2)
        assert fewer == "Rows appended after aggregation: the file counts 2 rollouts, 3 are there now."
        more = self.sentence(Miss("k", 0.4, 0.5), fits=never, fitting_rows=5)
        assert "its means fit 5 rollouts, 3 are there." in more

    def test_the_leading_rows_that_are_tried(self) -> None:
        rows = scored(*([1.0, 0.0] * 15))
        evidence: Any = SimpleNamespace(rows=rows, stored_rows=None, mean_reward=None)
        assert list(_prefixes(evidence)) == list(range(29, 9, -1))
        assert list(_prefixes(SimpleNamespace(rows=rows, stored_rows=7, mean_reward=None))) == [7]  # type: ignore[arg-type]
        assert list(_prefixes(SimpleNamespace(rows=rows, stored_rows=30, mean_reward=None))) == []  # type: ignore[arg-type]


class TestProfiles:
    def test_what_is_no_list_of_rows_is_a_problem(self) -> None:
        for content, kind in (({"a": 1}, "dict"), ("text", "str"), (5, "int")):
            problems = check_profile(content, scored(1.0)).problems
            assert f"The profile is not a list of rows but {kind}." in problems

    def test_the_oldest_profile_is_recomputed(self) -> None:
        stored = {"_ng_task_index": 0, "avg_reward": 0.5, "std_reward": 0.5, "min_reward": 0.0, "max_reward": 1.0}
        stored |= {
            "total_samples": 2,
            "pass_rate": 0.5,
            "pass_rate_total": 2,
            "pass_rate_passed": 1,
            "pass_threshold": 1.0,
        }
        found = check_profile([stored], scored(1.0, 0.0))
        assert (found.matched, len(found.disagreements)) == (8, 0)
        wrong = check_profile([stored | {"avg_reward": 0.75}], scored(1.0, 0.0))
        assert [item.key for item in wrong.disagreements] == ["avg_reward"]


class TestFamilies:
    @staticmethod
    def rows() -> list[ScoredRow]:
        made = []
        for task in range(2):
            for place, (reward, marks) in enumerate(((1.0, 0.5), (0.0, 0.0))):
                numbers = {"reward": reward, "marks": marks}
                made.append(ScoredRow("a", task, place, place, reward, numbers, {}, dict(numbers)))
        return made

    def checked(self, stored: dict[str, object], *, rows_agree: bool) -> Tally:
        tally = Tally(1e-9)
        keys = [(key, value) for text, value in stored.items() if (key := split_key(text)) is not None]
        assert len(keys) == len(stored)
        check_families(keys, self.rows(), tally, rows_agree=rows_agree)
        return tally

    def test_accuracy_is_the_reward_whether_rows_agree_or_not(self) -> None:
        assert self.checked({"pass@1/accuracy": 50.0}, rows_agree=False).matched == 1
        wrong = self.checked({"pass@1/accuracy": 40.0}, rows_agree=False)
        assert [(miss.key, miss.recomputed) for miss in wrong.misses] == [("pass@1/accuracy", 50.0)]

    def test_a_family_that_nothing_explains_is_left_and_the_next_is_read(self) -> None:
        found = self.checked({"pass@1/own": 12.5, "pass@1/accuracy": 50.0}, rows_agree=True)
        assert list(found.unknown) == ["pass@1/own"]
        assert (found.matched, found.missed) == (1, 0)

    def test_a_score_may_be_whether_a_field_is_above_zero(self) -> None:
        assert ScoreSource("marks", "positive").score(self.rows()[0]) == 1.0
        assert ScoreSource("marks", "positive").score(self.rows()[1]) == 0.0
        found = self.checked({"pass@1/solved": 50.0, "pass@2/solved": 100.0}, rows_agree=True)
        assert found.matched == 2

    @pytest.mark.parametrize(
        ("right", "size", "score", "preferred", "rows_agree", "believed"),
        [
            (4, 5, "own", False, True, True),  # four of five
            (3, 4, "own", False, True, False),  # too few keys to tell
            (3, 5, "own", False, True, False),
            (5, 5, "own", False, True, True),
            (0, 3, "accuracy", False, True, True),
            (1, 3, "own", True, True, True),
            (0, 3, "own", True, True, False),
            (0, 3, "own", True, False, True),
            (0, 3, "no_answer", True, True, False),
            (0, 3, "no_answer", True, False, True),
        ],
    )
    def test_when_wrong_keys_are_disagreements(
        self, right: int, size: int, score: str, preferred: bool, rows_agree: bool, believed: bool
    ) -> None:
        reading = KeyReading(ScoreSource("f"), preferred, {}, frozenset(f"k{n}" for n in range(right)))
        assert _believed(reading, size, score, rows_agree=rows_agree) is believed


@pytest.mark.parametrize(("both", "runs"), [(4, ["@a", "@b"]), (2, ["@a", "@b"]), (1, [""]), (0, [""])])
def test_models_are_runs_of_their_own_from_half_of_the_attempts_on(both: int, runs: list[str]) -> None:
    """Four attempts by one model, and as many of the same by another as `both` says."""
    places = [(0, n, "a") for n in range(4)] + [(0, n, "b") for n in range(both)]
    frame = pl.DataFrame(
        {
            "file": [file for file, _, _ in places],
            "task_index": [task for _, task, _ in places],
            "attempt_index": [0] * len(places),
            "model": [model for _, _, model in places],
            "agent": ["an_agent"] * len(places),
            "skills": pl.Series([None] * len(places), dtype=pl.String),
            "sampling": pl.Series([None] * len(places), dtype=pl.String),
        }
    )
    assert [suffix for suffix, _ in split(frame)] == runs
