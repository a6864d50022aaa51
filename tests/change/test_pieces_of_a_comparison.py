"""The pieces that a comparison is put together from, each on a few rows whose answer is known by hand."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from tests.gym_rows import Json, message, read, request, response, row, write

from blade.change.compare import _needed, _span
from blade.change.config_diff import ConfigDiff, _values, passport
from blade.change.contrasts import _features, _when
from blade.change.flips import counted
from blade.change.gold import changed_keys
from blade.change.localize import category, evidence
from blade.change.pair import make_pair
from blade.change.parts import _migration, _touched
from blade.change.ranking import ranking
from blade.change.scores import Scores, clean_scores
from blade.change.shared_outputs import SharedOutputs, shared_outputs
from blade.counting.align import Alignment, align
from blade.model import TaskResult
from blade.options import Options
from blade.stats import ledger, paired, power


def rows(tasks: int = 6, **fields: Any) -> list[Json]:
    return [row(task, attempt, float(attempt), **fields) for task in range(tasks) for attempt in range(2)]


def moved(folder: Path, base: list[Json], candidate: list[Json]) -> dict[str, tuple[Any, Any]]:
    """What differs between two runs, as the passport has it."""
    (one,), (two,) = (read(write(folder / name, made)) for name, made in (("a.jsonl", base), ("b.jsonl", candidate)))
    config_diff = passport(one, two, align([one, two])[0])
    return {stamp.field: (stamp.base, stamp.candidate) for stamp in config_diff.moved}


def config_diff_of(folder: Path, base: Json, candidate: Json) -> ConfigDiff:
    """The passport of two runs that differ in their configs alone."""
    (one,), (two,) = (read(write(folder / name, rows())) for name in ("a.jsonl", "b.jsonl"))
    one.raw.config, two.raw.config = base, candidate
    return passport(one, two, align([one, two])[0])


class TestPassport:
    def test_equal_runs_differ_in_nothing(self, tmp_path: Path) -> None:
        assert moved(tmp_path, rows(), rows()) == {}

    def test_a_skill_that_only_one_run_had(self, tmp_path: Path) -> None:
        skilled = rows(skills_ref={"path": "skills/a", "hash": "0123456789ab"})
        found = moved(tmp_path, rows(), skilled)
        assert found["skills"][0] == "none"
        assert "0123456789ab" in str(found["skills"][1])

    def test_one_setting_is_not_the_only_difference_where_one_run_tells_no_model(self, tmp_path: Path) -> None:
        unnamed = [{**made, "response": {**made["response"], "model": None}} for made in rows()]
        (one,), (two,) = (read(write(tmp_path / name, unnamed)) for name in ("a.jsonl", "b.jsonl"))
        configs = ({"scaffold": "rye", "model": "loaf-5"}, {"scaffold": "oat"}, {"scaffold": "rye"})
        alignment = align([one, two])[0]

        def compared(base: Json, candidate: Json, *treatment: str) -> ConfigDiff:
            one.raw.config, two.raw.config = base, candidate
            return passport(one, two, alignment, treatment)

        mixed = compared(configs[0], configs[1])
        assert [(item.field, item.base, item.candidate, item.role) for item in mixed.moved] == [
            ("config.scaffold", "rye", "oat", "unknown"),
            ("model", "loaf-5", "not recorded", "unknown"),
        ]
        assert mixed.confounded_with == ("config.scaffold", "model")
        meant = compared(configs[0], configs[1], "scaffold")
        assert [item.role for item in meant.moved] == ["treatment", "unknown"]
        assert compared(configs[0], configs[2]).moved == (), "nothing else differs"
        assert [item.role for item in compared(configs[2], configs[1]).moved] == ["treatment"], "nobody tells a model"
        judged_by = {"scaffold": "oat", "judge": {"model": "loaf-6"}}
        assert [item.field for item in compared(configs[2], judged_by).moved] == ["config.scaffold"]

    def test_another_prompt_around_the_same_task(self, tmp_path: Path) -> None:
        again = rows()
        for one in again[:4]:
            one["responses_create_params"] = request(
                f"What is {one['_ng_task_index']} and {one['_ng_task_index']}?", instructions="Be brief."
            )
        found = moved(tmp_path, rows(), again)
        assert found["prompt"] == ("of 6 common tasks", "2 have another prompt")

    def test_another_verifier_writes_other_fields(self, tmp_path: Path) -> None:
        found = moved(tmp_path, rows(exact_match=1), rows(judge_score=0.5))
        assert found["verifier fields"] == ("exact_match", "judge_score")

    def test_tasks_that_only_one_run_has(self, tmp_path: Path) -> None:
        assert moved(tmp_path, rows(6), rows(8))["tasks"] == ("6 (0 only here)", "8 (2 only here)")

    def test_a_setting_is_the_one_that_most_rows_have(self, tmp_path: Path) -> None:
        hotter = rows()
        for one in hotter[:3]:
            one["responses_create_params"] = {**one["responses_create_params"], "temperature": 1.0}
        assert moved(tmp_path, rows(), hotter) == {}
        for one in hotter:
            one["responses_create_params"] = {**one["responses_create_params"], "temperature": 1.0}
        assert moved(tmp_path, rows(), hotter) == {"sampling.temperature": (0.5, 1.0)}

    def test_a_setting_deep_in_the_request(self, tmp_path: Path) -> None:
        def asked(*, thinks: bool, effort: str) -> list[Json]:
            made = rows()
            for one in made:
                settings = {"extra_body": json.dumps({"chat_template_kwargs": {"enable_thinking": thinks}})}
                one["responses_create_params"] |= {"metadata": settings, "reasoning": {"effort": effort}}
            return made

        found = moved(tmp_path, asked(thinks=True, effort="low"), asked(thinks=False, effort="high"))
        assert found == {
            "sampling.extra_body.chat_template_kwargs.enable_thinking": (True, False),
            "sampling.reasoning.effort": ("low", "high"),
        }

    def test_other_names_of_the_agent_and_of_the_run_are_no_further_change(self, tmp_path: Path) -> None:
        def made(agent: str, called: str, effort: str) -> list[Json]:
            names = {"agent_class": f"{agent}Agent", "setup": called, "effort": effort}
            return rows(agent_ref={"name": agent}, info=names)

        found = moved(tmp_path, made("maid", "a", "low"), made("butler", "b", "low"))
        assert found == {"agent": ("maid", "butler")}
        both = moved(tmp_path, made("maid", "a", "low"), made("butler", "b", "high"))
        assert both == {"agent": ("maid", "butler"), "info.effort": ("low", "high")}
        alone = moved(tmp_path, made("maid", "a", "low"), made("maid", "b", "low"))
        assert alone == {"info.setup": ("a", "b")}

    def test_a_setting_deep_in_the_config(self, tmp_path: Path) -> None:
        found = config_diff_of(
            tmp_path,
            {"agent": {"loop": {"max_steps": 30, "output_dir": "a"}}, "judge": {"prompt": "p"}, "seeds": [1, 2]},
            {"agent": {"loop": {"max_steps": 50, "output_dir": "b"}}, "judge": {"prompt": "p"}, "seeds": [1, 3]},
        )
        assert {stamp.field: (stamp.base, stamp.candidate, stamp.role) for stamp in found.moved} == {
            "config.seeds": ("[1,2]", "[1,3]", "unknown"),
            "config.agent.loop.max_steps": (30, 50, "unknown"),
            "config.agent.loop.output_dir": ("a", "b", "unknown"),
        }
        assert found.confounded_with == ("config.seeds", "config.agent.loop.max_steps")

    def test_where_a_run_wrote_its_rows_is_no_treatment(self, tmp_path: Path) -> None:
        one = {"agent": {"max_steps": 30}, "wandb": {"run": "a"}, "output_jsonl_fpath": "a.jsonl"}
        two = {"agent": {"max_steps": 50}, "wandb": {"run": "b"}, "output_jsonl_fpath": "b.jsonl"}
        found = config_diff_of(tmp_path, one, two)
        assert [stamp.field for stamp in found.moved if stamp.role == "treatment"] == ["config.agent.max_steps"]
        assert found.separable

    def test_what_one_config_lacks_is_unknown_and_what_stands_twice_is_told_once(self, tmp_path: Path) -> None:
        one = {"steps": 30, "agent": {"limits": {"steps": 30}}, "only_here": 1}
        two = {"steps": 50, "agent": {"limits": {"steps": 50}}}
        assert [stamp.field for stamp in config_diff_of(tmp_path, one, two).moved] == ["config.steps"]

    def test_a_checkpoint_deep_in_the_config(self, tmp_path: Path) -> None:
        one, two = ({"policy": {"checkpoint": name}} for name in ("step-100", "step-200"))
        found = config_diff_of(tmp_path, one, two)
        assert [(stamp.field, stamp.role) for stamp in found.moved] == [("checkpoint", "treatment")]


class TestPower:
    def test_what_is_needed_follows_from_the_spread_inside_tasks(self) -> None:
        tasks = 10
        scores: Scores = ([(0.0, 1.0, 0.0, 1.0)] * tasks, [(0.0, 1.0, 1.0, 1.0)] * tasks)
        within = (1 / 3 + 1 / 4) / 2  # the variances of an attempt in the two runs, on average
        found = _needed(scores, 0.25)
        assert found["repeats_needed"] == int(power.repeats_needed(0.25, tasks, (within, within)))
        assert found["tasks_needed"] == int(power.tasks_needed(0.25, (within, within), (4.0, 4.0)))

    def test_new_tasks_bring_changes_of_their_own(self) -> None:
        scores: Scores = ([(0.0, 1.0, 0.0, 1.0)] * 12, [(1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.0)] * 6)
        within = (1 / 3 + 1 / 8) / 2
        omega2 = paired.omega2(*scores)
        assert omega2 is not None
        assert omega2 > 0.01
        expected = power.tasks_needed(0.1, (within, within), (4.0, 4.0), omega2)
        assert _needed(scores, 0.1)["tasks_needed"] == int(expected)
        assert expected > power.tasks_needed(0.1, (within, within), (4.0, 4.0))

    def test_nothing_is_needed_where_nothing_moved(self) -> None:
        nothing = {"repeats_needed": None, "tasks_needed": None}
        assert _needed(([(0.0, 1.0)] * 4, [(0.0, 1.0)] * 4), 0.0) == nothing
        assert _needed(([], []), 0.5) == nothing

    @pytest.mark.parametrize(
        ("rewards", "span"), [([0.0, 1.0], 1.0), ([0.2, 0.4], 1.0), ([-1.0, 1.0], 2.0), ([0.0, 100.0], 100.0)]
    )
    def test_the_span_of_the_rewards(self, rewards: list[float], span: float) -> None:
        books = SimpleNamespace(
            base=ledger.LedgerRun([ledger.LedgerRow("t", rewards[0])], None),
            candidate=ledger.LedgerRun([ledger.LedgerRow("t", rewards[1])], None),
        )
        assert _span(books) == span  # type: ignore[arg-type]


SLICES = {f"t{n}": {"kind": "odd" if n % 2 else "even", "size": "large" if n < 12 else "small"} for n in range(20)}


class TestWhere:
    def test_the_property_that_parts_touched_tasks_best_is_told(self) -> None:
        assert category({"t1", "t3", "t5"}, set(SLICES), SLICES) == {"category": {"kind": "odd"}}
        mixed = {"t0", "t1", "t3", "t5", "t7"}  # four of five are odd as half of all are; all are large as 12 of 20 are
        assert category(mixed, set(SLICES), SLICES) == {"category": {"size": "large"}}

    def test_too_few_tasks_or_a_common_property_tell_nothing(self) -> None:
        assert category({"t1", "t3"}, set(SLICES), SLICES) == {}
        same = {task: {"kind": "odd"} for task in SLICES}
        assert category({"t1", "t3", "t5"}, set(same), same) == {}

    def test_behaviour_is_quoted_by_what_the_tool_said_and_all_else_by_the_row(self) -> None:
        frame = pl.DataFrame(
            {
                "key": ["t"],
                "label": ["t"],
                "attempt": [0],
                "file": [0],
                "line": [3],
                "offset": [9],
                "length": [7],
                "state": ["infrastructure"],
                "mode": ["broken_tool"],
                "reason": ["503"],
                "tool_message": ["no such room"],
            }
        )
        (of_tool,) = evidence("behaviour", "broken_tool", frame, "a", ["a.jsonl"])
        (of_row,) = evidence("infrastructure", None, frame, "a", ["a.jsonl"])
        assert (of_tool["quote"], of_row["quote"]) == ("no such room", "503")
        assert of_row | {"quote": ""} == {
            "kind": "row",
            "run": "a",
            "task": "t",
            "attempt": 0,
            "file": "a.jsonl",
            "line": 3,
            "offset": 9,
            "length": 7,
            "quote": "",
        }


class TestCounting:
    @staticmethod
    def pair(tops: tuple[float, float], cuts: tuple[float | None, float | None]) -> Any:
        frames = [pl.DataFrame({"reward": [0.0, top]}) for top in tops]
        one, two = (SimpleNamespace(rule=SimpleNamespace(threshold=cut)) for cut in cuts)
        return SimpleNamespace(base=one, candidate=two, a=frames[0], b=frames[1])

    def test_flips_are_of_passes_or_of_full_scores(self) -> None:
        assert counted(self.pair((1.0, 1.0), (1.0, 0.5))) == "passes"
        assert counted(self.pair((1.0, 1.0), (None, 0.5))) == "full scores"
        assert counted(self.pair((0.9, 1.0), (None, None))) == ""
        assert counted(self.pair((1.0, 0.9), (None, None))) == ""
        assert counted(self.pair((0.9, 0.9), (None, None))) == ""

    def test_clean_scores_need_rows_on_both_sides(self) -> None:
        base = ledger.LedgerRun(
            [ledger.LedgerRow("a", 1.0), ledger.LedgerRow("b", 1.0, "infrastructure"), ledger.LedgerRow("c", 0.5)], None
        )
        other = ledger.LedgerRun(
            [ledger.LedgerRow("a", 0.0), ledger.LedgerRow("b", 1.0), ledger.LedgerRow("c", 0.0, "truncated")], None
        )
        books: Any = SimpleNamespace(base=base, candidate=other)
        assert clean_scores(books, ["a", "b", "c"]) == (([(1.0,)], [(0.0,)]), ["a"])
        assert clean_scores(books, ["a", "b", "c"], failing=("truncated",)) == (
            ([(1.0,), (0.5,)], [(0.0,), (0.0,)]),
            ["a", "c"],
        )

    def test_all_attempts_are_shared_or_they_are_not(self) -> None:
        made = {"reward_differs": 0, "rescored_a": (), "rescored_b": (), "level": "output", "flaky": 0}
        assert SharedOutputs(pairs=5, identical=5, **made).complete  # type: ignore[arg-type]
        assert not SharedOutputs(pairs=5, identical=4, **made).complete  # type: ignore[arg-type]
        assert not SharedOutputs(pairs=0, identical=0, **made).complete  # type: ignore[arg-type]

    def test_a_changed_verifier_is_excluded_by_enough_passes_that_stayed(self) -> None:
        made: Any = {"reward_differs": 0, "rescored_a": (), "rescored_b": (), "level": "output", "flaky": 0}
        few, many = (
            SharedOutputs(pairs=9, identical=4, upheld=frozenset(f"t{n}" for n in range(tasks)), **made)
            for tasks in (4, 5)
        )
        assert not few.excludes(0.5)  # 1/16
        assert many.excludes(0.5)  # 1/32
        assert not many.excludes(0.1)
        assert few.excludes(3.0)


class TestChangedKeys:
    @staticmethod
    def pair(rows_each: int) -> Any:
        def frame(gold: str) -> pl.DataFrame:
            answers = ["7", "8"] * (rows_each // 2)
            return pl.DataFrame(
                {
                    "key": ["t"] * rows_each,
                    "gold": [gold] * rows_each,
                    "gold_hash": [int(gold)] * rows_each,
                    "observed": [None] * rows_each,
                    "answer": answers,
                    "passed": [answer == gold for answer in answers],
                    "reward": [float(answer == gold) for answer in answers],
                }
            )

        return SimpleNamespace(a=frame("7"), b=frame("8"))

    def test_rows_are_scored_under_the_other_runs_key(self) -> None:
        found = changed_keys(self.pair(20))
        assert found is not None
        assert found.tasks == {"t"}
        assert found.rescored_a == (0.0, 1.0) * 10
        assert found.rescored_b == (1.0, 0.0) * 10

    def test_fewer_than_twenty_rows_do_not_show_that_answers_are_compared(self) -> None:
        """The only task has another key: it may as well be another benchmark."""
        assert changed_keys(self.pair(18)) is None

    def test_a_key_that_no_row_is_compared_with_is_held_to_what_its_task_scored_before(self) -> None:
        def frame(keys: tuple[int, int], rewards: tuple[float, ...]) -> pl.DataFrame:
            return pl.DataFrame(
                {
                    "key": ["s", "s", "t", "t"],
                    "gold": None,
                    "answer": None,
                    "gold_hash": [keys[0], keys[0], keys[1], keys[1]],
                    "observed": pl.Series([None] * 4, dtype=pl.String),
                    "passed": [reward == 1.0 for reward in rewards],
                    "reward": rewards,
                }
            )

        pair: Any = SimpleNamespace(a=frame((1, 2), (1.0, 0.0, 1.0, 1.0)), b=frame((1, 3), (0.0, 0.0, 0.0, 0.0)))
        found = changed_keys(pair)
        assert found is not None
        assert found.tasks == {"t"}
        assert found.rescored_a == (None,) * 4
        assert found.rescored_b == (0.0, 0.0, 1.0, 1.0)
        assert found.p is not None
        assert found.p > 0.1


class TestManyRuns:
    def test_runs_are_ranked_on_the_tasks_that_all_of_them_have(self) -> None:
        def measured(means: dict[str, float | None]) -> Any:
            results = {task: TaskResult(2, 2, None, mean, None) for task, mean in means.items()}
            return SimpleNamespace(results=results)

        tasks = [f"t{n}" for n in range(9)]
        made = [
            measured({**dict.fromkeys(tasks, 0.25), "only": 1.0}),
            measured({**dict.fromkeys(tasks, 0.75), "t0": None}),
            measured({f"x{n}": 0.5 for n in range(9)}),
        ]
        same = [Alignment("text", "", {task: task for task in tasks})]
        same.append(Alignment("text", "", {f"x{n}": f"t{n}" for n in range(9)}))
        runs: Any = [SimpleNamespace(name=name, facts=pl.DataFrame({"reward": [0.5]})) for name in "abc"]
        found = ranking(runs, made, same, Options(cache=False))
        assert found is not None
        assert found["tasks"] == 8
        assert found["scores"] == [0.25, 0.75, 0.5]
        assert found["runs"] == ["a", "b", "c"]


class TestContrasts:
    def test_what_describes_the_outcome_is_told_from_what_may_cause_it(self) -> None:
        assert _when("ends on a tool's output") == "after"
        assert _when("output tokens") == "after"
        assert _when("calls look") == "during"
        assert _when("a call failed") == "during"

    def test_features_that_are_alike_in_all_rows_are_left_out(self) -> None:
        frame = pl.DataFrame(
            {
                "tools_called": [["look"], None, ["look", "book"]],
                "calls_failed": [0, 0, 2],
                "last_call_failed": [False, False, False],
                "ends_on": ["message", "output", "message"],
                "answer_state": ["given", "none", "null"],
                "state": ["ok", "ok", "truncated"],
                "detectors": pl.Series([None, None, None], dtype=pl.String),
                "calls": [1, 0, 2],
                "output_tokens": [5, 0, 9],
                "usage_is_partial": [False, False, False],
                "final_chars": [10, 10, 10],
            }
        )
        found = _features(frame)
        assert found["calls look"] == [True, False, True]
        assert found["calls book"] == [False, False, True]
        assert found["a call failed"] == [False, False, True]
        assert found["ends on a tool's output"] == [False, True, False]
        assert found["an answer was given"] == [True, None, False]
        assert found["cut off"] == [False, False, True]
        assert found["output tokens"] == [5, None, 9]
        assert "the last call failed" not in found
        assert "length of the last message" not in found


def test_an_output_under_another_reward_is_matched_inside_its_task(tmp_path: Path) -> None:
    """Rows without an output match nothing."""
    base = [row(task, 0, 1.0, response=response(message(f"same {task}"))) for task in range(4)]
    other = [row(task, 0, float(task % 2), response=response(message(f"same {task}"))) for task in range(4)]
    other[3] |= {"response": None, "extracted_answer": None}
    (one,), (two,) = (read(write(tmp_path / name, made)) for name, made in (("a.jsonl", base), ("b.jsonl", other)))
    found = shared_outputs(make_pair(one, two, align([one, two])[0]))
    assert (found.pairs, found.identical, found.reward_differs, found.level) == (4, 3, 2, "output")
    assert found.rescored_a == (0.0, 1.0, 0.0, None)
    assert found.rescored_b == (1.0, 1.0, 1.0, None)
    assert found.upheld == {"1"}


class TestTouched:
    """How many of the better run's passes a verifier must have turned."""

    def touched(self, points: float, base: list[float], candidate: list[float]) -> float:
        keys = [str(place) for place in range(len(base))]
        a, b = (pl.DataFrame({"key": keys, "reward": rewards}) for rewards in (base, candidate))
        pair: Any = SimpleNamespace(a=a, b=b, common=keys)
        found: Any = SimpleNamespace(behaviour=SimpleNamespace(points=points))
        return _touched(found, pair)

    def test_a_loss_is_held_against_the_passes_of_the_base(self) -> None:
        assert self.touched(-0.5, [1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]) == pytest.approx(2 / 3)

    def test_a_gain_is_held_against_the_passes_of_the_candidate(self) -> None:
        assert self.touched(0.5, [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]) == pytest.approx(2 / 3)

    def test_a_wider_scale_makes_a_smaller_share(self) -> None:
        assert self.touched(-0.5, [3.0, 3.0, 3.0, 0.0], [3.0, 0.0, 0.0, 0.0]) == pytest.approx(2 / 9)


class TestUsualValue:
    @pytest.mark.parametrize(
        ("values", "told"),
        [
            (["a"] * 4 + ["b"] * 2, "a"),
            (["a"] * 3 + ["b"] * 2, ["a", "b"]),
            (["a", None], "a"),
        ],
    )
    def test_two_thirds_of_the_rows_stand_for_the_run(self, values: list[str | None], told: Any) -> None:
        assert _values(pl.Series(values)) == told


def test_a_mode_takes_losses_over_only_where_it_became_more_common() -> None:
    common = {"gone": False, "kept": None, "more": True, "fewer": False}
    modes: Any = SimpleNamespace(more_common=lambda mode, _: common[mode])
    found = ledger.Migration(0.1, 0.0, ("gone", "more"), ("more", "fewer", "kept"))
    told = _migration(found, make_no_pair(), modes)
    assert told is not None
    assert (told["less"], told["more"]) == (["gone"], ["more", "kept"])
    nothing = ledger.Migration(0.1, 0.0, ("gone",), ("fewer",))
    assert _migration(nothing, make_no_pair(), modes) is None


def make_no_pair() -> Any:
    return SimpleNamespace()
