"""What sections leave out is counted, and what they say turns with what was found: a real analysis, varied by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.whole_report.reading import Told
from tests.whole_report.varying import changed, lines, more_runs, named, only

from blade import registry
from blade.document import Advice, Quote, Table, say
from blade.findings import Intervention, PartShare
from blade.model import Analysis, Bucket, Change, File, Flaw, Loss, Provenance, RunAnalysis, Task, TaskResult
from blade.sections import (
    aggregate_results,
    artifact_inventory,
    benchmark_health,
    cross_model_comparison,
    denominator,
    dominant_failure_modes,
    executive_summary,
    recommendations,
    reproducibility_notes,
    score_change,
    slices,
    task_outcome_buckets,
    workflow_funnel,
)
from blade.summary.advice import RETRY


def item(**fields: Any) -> Intervention:
    usual: dict[str, Any] = {
        "kind": "prompt",
        "summary": "s",
        "points": 0.05,
        "interval": (0.02, 0.09),
        "exact": False,
        "tasks": ("a", "b", "c", "d"),
        "because": (),
        "cheap_test": "Try it.",
        "prediction": "",
        "change": "Say it",
        "ways": (("one", 5),),
        "rollouts": 5,
        "tasks_total": 4,
        "of": 20,
        "within": 2,
        "most": 0.07,
    }
    return Intervention(**{**usual, **fields})


def change_line(analysis: Analysis) -> str:
    """What the summary says of the change; what was lost stands before it."""
    return next(
        line
        for line in lines(executive_summary.build(analysis))
        if " scores " in line and (" pp above " in line or " pp below " in line or " pp apart" in line)
    )


class TestExecutiveSummary:
    def test_three_named_causes_are_told_and_a_pair_of_equal_scores_names_none(self, outage: Told) -> None:
        first = change_line(changed(outage.analysis, parts=named(5)))
        assert "−5.0 pp from cause 0, −4.0 pp from cause 1, −3.0 pp from cause 2 and 2 more." in first
        assert "cause 3" not in first
        none = replace(named(1)[0], named=False)
        assert "No single cause is significant" in change_line(changed(outage.analysis, parts=(none,)))
        for fields in ({"parts": ()}, {"parts": (none,), "verdict": "noise"}):
            said = change_line(changed(outage.analysis, **fields))
            assert "No single cause stands out" not in said

    def test_parts_beyond_chance_by_themselves_are_told_where_none_is_shown_among_all(self, outage: Told) -> None:
        moved = replace(
            named(1)[0], named=False, cause="behaviour", blame="unexplained", where={"mode": "type error"},
            interval=(-0.08, -0.02),
        )  # fmt: skip
        may_be_chance = replace(moved, where={"mode": "value error"}, interval=(-0.08, 0.02))
        line = change_line(changed(outage.analysis, parts=(moved, may_be_chance), verdict="real"))
        assert (
            "No part is shown to be a cause among so many; beyond chance if each is taken by itself: type error "
            "(−1.0 pp)." in line
        )
        assert "No single cause is significant" not in line
        sure = replace(moved, p=0.001)
        corrected = change_line(changed(outage.analysis, parts=(sure, replace(may_be_chance, p=0.5)), verdict="real"))
        assert (
            "No cause is shown, but one part differs beyond chance, corrected for all parts: type error (−1.0 pp)."
            in corrected
        )

    def test_summary_and_score_change_agree_on_the_parts_beyond_chance(self, outage: Told) -> None:
        moved = replace(
            named(1)[0], named=False, cause="behaviour", blame="unexplained", where={"mode": "type error"},
            interval=(-0.08, -0.02), p=0.001,
        )  # fmt: skip
        may_be_chance = replace(moved, where={"mode": "value error"}, interval=(-0.08, 0.02), p=0.5)
        analysis = changed(outage.analysis, parts=(moved, may_be_chance), verdict="real")
        told = "\n".join(lines(score_change.build(analysis)))
        assert (
            "No part is shown to be a cause, but unexplained failures (type error) (−1.0 pp) differs beyond chance, "
            "corrected for all parts." in told
        )
        assert "significant by itself" not in told
        captions = [block.caption for block in score_change.build(analysis) if isinstance(block, Table)]
        assert any("(but for what is said above, each by itself may be chance" in (text or "") for text in captions)
        unsure = changed(outage.analysis, parts=(replace(moved, p=0.4), may_be_chance), verdict="real")
        told = "\n".join(lines(score_change.build(unsure)))
        assert "No part of the change is shown to be a cause among so many." in told
        nothing = changed(outage.analysis, parts=(may_be_chance,), verdict="real")
        assert "No part of the change is significant by itself." in "\n".join(lines(score_change.build(nothing)))

    def test_a_real_difference_without_a_cause_is_in_doubt_where_the_evaluation_is(self, outage: Told) -> None:
        entry = {
            "run": "after", "rollouts": 4, "failures": 3, "of_failures": 5, "passes": 0, "of_passes": 20, "p": 0.001,
            "calls": 30, "odd": {"fenced": 4}, "first": 0, "capitals": 0, "tasks": ["1"],
        }  # fmt: skip
        fault = {"sent_calls": {"losses": [{"kind": "fences", "runs": [entry], "examples": []}]}}
        doubt = "What is in doubt above may have a part in it."
        for parts, verdict, investigation, told in (
            ((), "real", fault, True),
            ((), "real", {}, False),
            ((), "noise", fault, False),
            (named(1), "real", fault, False),
        ):
            made = replace(changed(outage.analysis, parts=parts, verdict=verdict), investigation=investigation)
            assert (doubt in change_line(made)) is told

    def test_the_fault_whose_repair_concerns_the_most_rollouts_comes_first(
        self, outage: Told, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def question(order: int, *rollouts: int) -> SimpleNamespace:
            advice = [Advice("harness", "Mend it", say("why"), many, 0.5) for many in rollouts]
            return SimpleNamespace(
                ORDER=order, WEIGHT=1.5, TITLE=f"fault {order}", brief=lambda _: [say(f"fault {order}.")],
                advise=lambda _: advice,
            )  # fmt: skip

        made = {"few": question(1, 2), "none": question(2), "many": question(3, 1, 9)}
        monkeypatch.setattr(
            executive_summary, "plugins", lambda kind: made if kind == "questions" else registry.plugins(kind)
        )
        answers: dict[str, Any] = {name: {} for name in made}
        faults, findings = executive_summary._findings(replace(outage.analysis, investigation=answers))
        assert [fault.sentences[0].text for fault in faults] == [
            "In doubt: fault 3.", "In doubt: fault 1.", "In doubt: fault 2.",
        ]  # fmt: skip
        assert findings == []

    def test_what_goes_on_about_the_same_rollouts_stands_in_one_claim(
        self, outage: Told, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def question(order: int, rollouts: int, **more: str) -> SimpleNamespace:
            advice = [Advice("verifier", "Mend it", say("why"), rollouts, 0.5)]
            return SimpleNamespace(
                ORDER=order, WEIGHT=1.5, TITLE=f"fault {order}", brief=lambda _: [say(f"fault {order}.")],
                advise=lambda _: advice, **more,
            )  # fmt: skip

        for rollouts, expected in (
            (4, ["In doubt: fault 1. fault 2. (see fault 1)"]),
            (5, ["In doubt: fault 2. (see fault 2)", "In doubt: fault 1. (see fault 1)"]),
        ):
            made = {"form": question(1, 4), "score": question(2, rollouts, GOES_ON="form")}
            monkeypatch.setattr(
                executive_summary, "plugins", lambda kind, made=made: made if kind == "questions" else {}
            )
            answers: dict[str, Any] = {name: {} for name in made}
            faults, _ = executive_summary._findings(replace(outage.analysis, investigation=answers))
            assert [" ".join(sentence.text for sentence in fault.sentences) for fault in faults] == expected

    def test_tiny_parts_are_not_told(self, outage: Told) -> None:
        tiny = replace(named(1)[0], points=0.0004)
        assert "Named causes" not in change_line(changed(outage.analysis, parts=(tiny,)))

    def test_a_cause_is_inseparable_only_where_several_things_changed(self, outage: Told) -> None:
        words = "The cause cannot be isolated: model and prompt changed together."
        both = changed(outage.analysis, separable=False, confounded_with=("model", "prompt"))
        assert words in change_line(both)
        for separable, fields in ((True, ("model",)), (False, ())):
            made = changed(outage.analysis, separable=separable, confounded_with=fields)
            assert "cannot be isolated" not in change_line(made)
        silent = {"field": "model", "base": "loaf-5", "candidate": "not recorded", "role": "unknown"}
        one_sided = changed(
            outage.analysis, separable=False, confounded_with=("config.agent", "model"), passport=(silent,)
        )
        assert "isolated: config.agent changed, and the model of one run is not recorded." in change_line(one_sided)

    def test_what_a_harness_or_a_user_did_is_no_behaviour_of_the_model(self, outage: Told) -> None:
        def line(*blames: str) -> str:
            part = named(1)[0]
            parts = tuple(
                replace(part, cause="behaviour", sub=blame, blame=blame, points=0.1 / place, named=False)
                for place, blame in enumerate(blames, 1)
            )
            return change_line(changed(outage.analysis, parts=parts, views={"behaviour": 0.2}, verdict="real"))

        assert "Behaviour in total: +20.0 pp." in line("model", "unexplained")
        assert (
            "Failures of rollouts that ran, in total: +20.0 pp, made of +10.0 pp model behaviour, +5.0 pp limits of "
            "turns or time and +3.3 pp the simulated user."
        ) in line("model", "harness", "simulated user")
        assert (
            "made of +10.0 pp how it was judged and +5.0 pp unexplained failures; none of it is shown to be the "
            "model's behaviour."
        ) in line("verifier", "unexplained")

    def test_the_next_steps_of_many_runs_are_those_of_all(self, outage: Told) -> None:
        small = item(run="c", change="Mend the tool", most=0.1, rollouts=2)
        great = [item(run=run, change="Mend the key", most=0.08, rollouts=many) for run, many in (("a", 3), ("b", 1))]
        made = replace(outage.analysis, interventions=(small,), other_interventions=tuple(great))
        said = [line for line in lines(executive_summary.build(made)) if line.startswith("Next (")]
        assert [line.split("): ")[1] for line in said] == [
            "Mend the key. Rollouts: a 3 and b 1. (see Recommendations)",
            f"{RETRY}. Infrastructure broke 24 rollouts of after. (see Recommendations)",
            "Mend the tool. Rollouts: c 2. (see Recommendations)",
        ]

    def test_runs_are_ranked_by_what_was_judged(self, outage: Told) -> None:
        made = more_runs(outage.analysis, "abc")
        first, second, third = made.runs
        metrics = {**second.metrics, "score": 0.1, "evaluable": {**second.metrics["evaluable"], "score": 0.9}}
        said = lines(executive_summary.build(replace(made, runs=(first, replace(second, metrics=metrics), third))))
        assert [line[0] for line in said if " | 56 of 80 | " in line] == ["b", "a", "c"]

    def test_many_runs_are_a_leaderboard_and_two_are_described(self, outage: Told) -> None:
        for names in ("abc", "abcdefg"):
            said = lines(executive_summary.build(more_runs(outage.analysis, names)))
            assert [line.split(" | ")[0] for line in said if line.endswith(" | 56 of 80 | 40.0%")] == list(names)
            assert sum(line.startswith("a | 56.7% | ") and line.endswith(" | 56 of 80 | 40.0%") for line in said) == 1
            assert not [line for line in said if " always pass" in line]
            assert sum(line.startswith("Of the 48 failed") for line in said) == 2
        two = lines(executive_summary.build(more_runs(outage.analysis, "ab")))
        assert sum(" always pass" in line for line in two) == 2


class TestRecommendations:
    def told(self, outage: Told, *items: Intervention, **fields: Any) -> str:
        return "\n".join(lines(recommendations.build(replace(outage.analysis, interventions=items, **fields))))

    def test_ways_of_failing_beyond_the_third_are_counted(self, outage: Told) -> None:
        ways = tuple((f"way {n}", 9 - n) for n in range(5))
        assert "way 0 (9), way 1 (8), way 2 (7) and 2 other modes; first" in self.told(outage, item(ways=ways))
        assert "way 0 (9), way 1 (8), way 2 (7); first" in self.told(outage, item(ways=ways[:3]))
        assert "(one; first tasks a, b and c)." in self.told(outage, item())

    def test_what_a_change_is_worth_is_told_as_sure_as_it_is(self, outage: Told) -> None:
        assert "Worth about +5.0 pp, between +2.0 pp and +9.0 pp." in self.told(outage, item())
        assert "Worth +5.0 pp. Ceiling: +7.0 pp, certain once the stored outputs are scored again." in self.told(
            outage, item(interval=None, exact=True)
        )
        few = self.told(outage, item(points=None, interval=None, note="few tasks"))
        assert "No estimate of points (few tasks). Ceiling: +7.0 pp, if all of them had passed." in few
        assert (
            "If it works, at most 2 of 20 rollouts fail this way (5 now); with more, chance may explain the drop."
            in self.told(outage, item())
        )
        assert "If it works, none of 20 rollouts fail this way (5 now)." in self.told(outage, item(within=0))
        assert "none of 20 rollouts fails this way (5 now); chance alone" in self.told(outage, item(within=None))

    def test_where_runs_are_compared_the_points_are_those_of_the_ledger(self, outage: Told) -> None:
        (change,) = outage.analysis.changes
        all_of = PartShare(0, 0, "infrastructure", None, change.parts[0].points, 24, 24, whole=True)
        said = self.told(outage, item(base="before", parts=(all_of,), change_points=all_of.points))
        assert "It accounts for −16.5 pp of the change from before. Ceiling: +7.0 pp, if all" in said
        some = replace(all_of, rollouts=5, whole=False)
        said = self.told(outage, item(base="before", parts=(some,)))
        words = "Infrastructure: −16.5 pp of the change from before; 5 of its 24 failing rollouts are among these."
        assert words in said
        assert "1 | Say it | prompt | part of −16.5 pp | +7.0 pp | 5 | 4" in said
        assert "It plays no part in the change from before." in self.told(outage, item(base="before"))

    def test_only_the_first_six_changes_are_told(self, outage: Told) -> None:
        said = self.told(outage, *(item(change=f"change {n}") for n in range(8)))
        assert "6 | change 5 | prompt | +5.0 pp | +7.0 pp | 5 | 4" in said
        assert "change 6" not in said

    def test_a_plan_needs_changes_or_labels(self, outage: Told) -> None:
        heading = "What to change in after"
        assert heading in self.told(outage)
        assert "No change is proposed" in self.told(outage)
        assert heading in self.told(outage, item(), labels=())
        assert heading not in self.told(outage, labels=())
        assert "14 IR (infrastructure reliability)." in self.told(outage)

    def test_a_limit_is_named_where_more_than_a_twentieth_reach_it(self, outage: Told) -> None:
        def limits(many: int) -> list[str]:
            runs = tuple(replace(run, statuses={"truncated": many}) for run in outage.analysis.runs)
            said = self.told(outage, item(), runs=runs).splitlines()
            return [line for line in said if "limit" in line]

        assert limits(4) == []
        words = "Check whether the limit is too low for before: 5 rollouts reached a length or turn limit."
        assert limits(5) == [words]
        usual = "Nearly every failure of before ends this way: 36 rollouts reached a length or turn limit."
        assert limits(36) == [f"{usual} What else these rollouts did says more than the limit."]

    def test_transcripts_are_recommended_where_there_are_some(self, outage: Told) -> None:
        assert "Compare passing and failing attempts of before" in self.told(outage)
        silent = tuple(replace(run, endings={"nothing": {}}) for run in outage.analysis.runs)
        assert "Hold passing" not in self.told(outage, runs=silent)

    def test_an_open_change_asks_for_attempts_and_flips_for_readers(self, outage: Told) -> None:
        flip = {"task": "7", "beyond_noise": True, "lfdr": 0.01, "base": [4, 4], "candidate": [0, 4]}
        (change,) = outage.analysis.changes
        asked = replace(change, verdict="inconclusive", repeats_needed=9, tasks_needed=1200)
        asked = replace(asked, flips=(flip, {**flip, "beyond_noise": False}))
        said = self.told(outage, changes=(asked,))
        assert (
            "To settle the change from before to after for tasks of this kind, run about 1,200 tasks; for these tasks "
            "alone, about 9 attempts each would do." in said
        )
        alone = self.told(outage, changes=(replace(asked, tasks_needed=None),))
        assert "To settle the change from before to after, give each task about 9 attempts." in alone
        assert "Read the tasks whose change from before to after is beyond noise, first 7." in said
        few = self.told(outage, changes=(replace(asked, common_tasks=1),))
        assert "is judged: it rests on 1 common task, and attempts at so few tell nothing of others." in few
        assert "To settle" not in few
        assert "To settle" not in self.told(outage, changes=(replace(asked, verdict="real"),))
        assert "To settle" not in self.told(outage, changes=(replace(asked, repeats_needed=None),))


class TestSlices:
    @staticmethod
    def made(outage: Told, fields: int) -> list[str]:
        levels = [
            {"field": f"field {n}", "level": level, "score": score, "tasks": 9, "interval": None}
            for n in range(fields)
            for level, score in (("low", 0.5 - n / 20), ("high", 0.5 + n / 20))
        ]
        return lines(slices.build(only(outage.analysis, slices=tuple(levels))))

    def test_fields_beyond_the_sixth_are_named(self, outage: Told) -> None:
        assert "2 more fields in analysis.json: field 1, field 0." in self.made(outage, 8)
        assert not [line for line in self.made(outage, 6) if "analysis.json" in line]

    def test_the_field_that_parts_the_tasks_most_comes_first(self, outage: Told) -> None:
        said = self.made(outage, 4)
        assert [line for line in said if line.startswith("field")] == ["field 3", "field 2", "field 1", "field 0"]
        assert "Lowest on low (35.0%), highest on high (65.0%)." in said

    def test_named_slices_are_told_and_suggestive_ones_are_not(self, outage: Told) -> None:
        found = {"where": ["category even", "size large"], "named": True, "tasks": 9, "p_adjusted": 0.01}
        found |= {"inside": -0.2, "outside": 0.0, "excess": -0.2}
        beyond = (
            "From before to after this slice changed significantly more or less than the rest: "
            "category even with size large."
        )
        assert lines(slices.build(changed(outage.analysis, slices=(found,))))[0] == beyond
        none = "From before to after no slice changed significantly more or less than the rest."
        assert lines(slices.build(changed(outage.analysis, slices=({**found, "named": False},))))[0] == none
        rows = lines(score_change.build(changed(outage.analysis, slices=(found,))))
        assert "category even and size large | 9 | −20.0 pp | 0.0 pp | −20.0 pp | 0.01 | significant" in rows


class TestCounts:
    """Tables that are cut say by how much."""

    def test_findings_of_health_beyond_the_twentieth(self, outage: Told) -> None:
        finding = {"severity": "low", "check": "saturation", "statement": "Said.", "change_points": None}
        for many, more in (
            (20, []),
            (21, ["1 more finding is in analysis.json."]),
            (23, ["3 more findings are in analysis.json."]),
        ):
            said = lines(benchmark_health.build(replace(outage.analysis, health=(finding,) * many, health_checks=())))
            assert said.count("low | saturation | Said. | ") == 20
            assert said[21:] == more

    def test_flaws_values_and_levels_beyond_what_is_shown(self, outage: Told) -> None:
        flaws = tuple(Flaw(f"slug-{n}", "Said.", rows=1) for n in range(53))
        assert lines(artifact_inventory.build(replace(outage.analysis, flaws=flaws)))[-1] == (
            "3 more flaws are in analysis.json."
        )
        wrong = {"key": "k", "task": None, "stored": 1, "recomputed": 2, "likely_cause": "c"}
        check = {"file": "m.json", "matched": 3, "disagreements": 31, "not_recomputed": [], "examples": [wrong] * 20}
        said = lines(aggregate_results.build(only(outage.analysis, checks=(check,))))
        assert said.count("k |  | 1 | 2 | c") == 10
        assert said[-1] == "21 more values differ: see the checks of the runs in analysis.json."
        many = replace(outage.analysis, interventions=tuple(item() for _ in range(recommendations.MOST + 2)))
        assert "2 smaller changes are in analysis.json." in lines(recommendations.build(many))

    def test_faults_that_the_investigation_finds_are_named_beside_the_checks(self, outage: Told) -> None:
        entry = {
            "run": "after", "rollouts": 4, "failures": 3, "of_failures": 5, "passes": 0, "of_passes": 20, "p": 0.001,
            "calls": 30, "odd": {"fenced": 4}, "first": 0, "capitals": 0, "tasks": ["1"],
        }  # fmt: skip
        answer = {"losses": [{"kind": "fences", "runs": [entry], "examples": []}]}
        bare = replace(outage.analysis, health=(), health_checks=(), investigation={})
        assert benchmark_health.build(bare) == []
        (said,) = lines(benchmark_health.build(replace(bare, investigation={"sent_calls": answer})))
        assert said == "The investigation, too, puts the evaluation in doubt: “What reaches the environment”."
        silent = {"losses": [{"kind": "fences", "runs": [entry | {"p": 0.5}], "examples": []}]}
        assert benchmark_health.build(replace(bare, investigation={"sent_calls": silent})) == []

    def test_the_checks_that_looked_and_those_that_could_not_are_told_apart(self, outage: Told) -> None:
        ended = (
            {"check": "order_leak", "state": "clean", "why": "not in b: fewer than 40 rows"},
            {"check": "saturation", "state": "clean", "why": ""},
            {"check": "suspect_gold", "state": "not_checked", "why": "two runs are needed"},
            {"check": "flaky_verifier", "state": "found", "why": ""},
        )
        names, sought, reasons = lines(benchmark_health.build(replace(outage.analysis, health=(), health_checks=ended)))
        assert names == "Checked, no problem found: order leak and saturation. Not checked: suspect gold."
        assert sought == (
            "What the clean ones look for: order leak (scores that drift with the order in which rollouts finished, "
            "task difficulty aside; not in b: fewer than 40 rows); saturation (every run passes nearly all tasks, or "
            "half of them end alike in all attempts, and tell nothing)."
        )
        assert reasons == "Why others were not checked: suspect gold: two runs are needed."

    def test_the_gravest_finding_comes_first(self, outage: Told) -> None:
        found = [
            {"severity": s, "check": "c", "statement": s, "change_points": 0.1}
            for s in ("low", "odd", "high", "medium")
        ]
        said = lines(benchmark_health.build(replace(outage.analysis, health=tuple(found), health_checks=())))
        assert [line.split(" | ")[0] for line in said] == ["Problems found: c.", "high", "medium", "low", "odd"]
        assert said[1] == "high | c | high | +10.0 pp"

    def test_files_beyond_the_fiftieth(self, outage: Told) -> None:
        for many, more in ((50, 0), (52, 2)):
            files = (File(Path("a.jsonl"), "gym_rollouts", 10, 3),) * many
            said = lines(artifact_inventory.build(replace(only(outage.analysis, files=files), inventory=(), flaws=())))
            assert said.count("before | a.jsonl | rollouts | 3 | 10 B | ") == 50
            assert [line for line in said if "more file" in line] == (
                [f"{more} more files are in analysis.json."] if more else []
            )

    def test_tasks_of_a_bucket_beyond_what_is_shown(self, outage: Told) -> None:
        def tasks(many: int, k: int, bucket: Bucket) -> tuple[list[str], list[str]]:
            result = TaskResult(4, 4, 0, 0.0, bucket, 0.2)
            made = tuple(Task(f"t{n:02}", "index", {}, {"before": result}) for n in range(many))
            run = replace(outage.analysis.runs[0], metrics={**outage.analysis.runs[0].metrics, "k": k})
            blocks = task_outcome_buckets.build(replace(outage.analysis, runs=(run,), tasks=made))
            return lines(blocks), [block.caption for block in blocks if isinstance(block, Table)]

        for many, k, shown in ((15, 4, 15), (17, 4, 15), (8, 1, 8), (10, 1, 8)):
            for bucket in (Bucket.NEVER, Bucket.MISSING):
                said, captions = tasks(many, k, bucket)
                assert f"before: {bucket.value}" in said
                assert sum(line.startswith("t") for line in said) == shown
                more = [caption.rpartition("; ")[2] for caption in captions if "in this bucket" in caption]
                assert more == ([f"{many} tasks in this bucket, all of them in facts.parquet"] if many > shown else [])

    def test_the_most_balanced_task_stands_first(self, outage: Told) -> None:
        rates = {"a": 0.25, "b": 0.5, "c": 0.9}
        made = tuple(
            Task(task, "index", {}, {"before": TaskResult(4, 4, 1, rate, Bucket.SOMETIMES)})
            for task, rate in rates.items()
        )
        chances = {"d": 0.1, "e": 0.4}
        made += tuple(
            Task(task, "index", {}, {"before": TaskResult(4, 4, 0, 0.0, Bucket.NEVER, chance)})
            for task, chance in chances.items()
        )
        said = lines(task_outcome_buckets.build(replace(only(outage.analysis), tasks=made)))
        assert [line[0] for line in said if line[1:3] == " |"] == ["b", "a", "c", "e", "d"]
        assert "e | 0 of 4 | 40% | " in said

    def test_tasks_on_which_three_runs_differ(self, outage: Told) -> None:
        analysis = more_runs(outage.analysis, "abc")
        tasks = tuple(
            Task(
                f"t{n:02}",
                "index",
                {},
                {
                    run: TaskResult(4, 4, passes, passes / 4, Bucket.SOMETIMES)
                    for run, passes in zip("abc", (1, 1, 4 if n < 9 else 3), strict=True)
                },
            )
            for n in range(17)
        )
        said = lines(cross_model_comparison.build(replace(analysis, tasks=tasks)))
        assert said[0] == "Tasks on which the runs differ most"
        assert said[1:] == [f"t{n:02} | 1 of 4 | 1 of 4 | {4 if n < 9 else 3} of 4" for n in range(15)]

    def test_the_head_of_a_list_of_tasks_that_are_equally_far_apart_is_no_finding(self, outage: Told) -> None:
        def single(passes: tuple[int, ...]) -> dict[str, TaskResult]:
            pairs = zip("abc", passes, strict=True)
            return {run: TaskResult(1, 1, passed, float(passed), Bucket.NEVER) for run, passed in pairs}

        tasks = tuple(Task(f"t{n:02}", "index", {}, single((n % 2, 1 - n % 2, 0))) for n in range(17))
        said = lines(cross_model_comparison.build(replace(more_runs(outage.analysis, "abc"), tasks=tasks)))
        (sentence,) = said
        assert sentence == (
            "The runs differ on 17 shared tasks; on all of them one run passes every attempt and another none, so that "
            "no task stands out."
        )
        half = {run: TaskResult(2, 2, int(run == "a"), (run == "a") / 2, Bucket.NEVER) for run in "abc"}
        tasks = tuple(Task(f"t{n:02}", "index", {}, half) for n in range(17))
        said = lines(cross_model_comparison.build(replace(more_runs(outage.analysis, "abc"), tasks=tasks)))
        assert said == [
            "The runs differ on 17 shared tasks, and on all of them by the same amount: no task stands out."
        ]

    def test_two_runs_without_a_pass_rule_are_told_by_their_means(self, outage: Told) -> None:
        runs = tuple(replace(run, buckets=None) for run in outage.analysis.runs)
        said = lines(cross_model_comparison.build(replace(outage.analysis, runs=runs)))
        assert said[0] == "Tasks on which the runs differ most"
        assert "11 | 2 of 4 | 0 of 2" in said  # two of the four were lost

    def test_three_runs_are_ranked(self, outage: Told) -> None:
        ranking = {"runs": ["a", "b", "c"], "scores": [0.2, 0.6, 0.4], "tasks": 9}
        ranking |= {"ranks": [[3, 3], [1, 2], [1, 2]], "best": [0.0, 0.7, 0.3]}
        analysis = replace(more_runs(outage.analysis, "abc"), ranking=ranking)
        whole = tuple(replace(run, statuses={"ok": 80}) for run in analysis.runs)
        said = lines(cross_model_comparison.build(replace(analysis, runs=whole)))
        assert said[0].startswith("On 9 tasks that all runs share")
        assert said[1:4] == ["b | 60.0% | 1 to 2 | 70%", "c | 40.0% | 1 to 2 | 30%", "a | 20.0% | 3 | 0%"]

    def test_a_run_that_lost_much_has_no_rank(self, outage: Told) -> None:
        ranking = {"runs": ["a", "b", "c"], "scores": [0.2, 0.6, 0.4], "tasks": 9}
        ranking |= {"ranks": [[3, 3], [1, 2], [1, 2]], "best": [0.0, 0.7, 0.3]}
        analysis = more_runs(outage.analysis, "abc")
        lost = {"a": 0, "b": 24, "c": 0}
        runs = tuple(
            replace(run, statuses={"ok": 80 - lost[run.name], "infrastructure": lost[run.name]})
            for run in analysis.runs
        )
        said = lines(cross_model_comparison.build(replace(analysis, runs=runs, ranking=ranking)))
        assert "Ranks use the reported scores; b lost too many rollouts to be ranked." in said[0]
        assert said[1] == "b | 60.0% | 57.1% | not ranked | "
        assert said[2] == "c | 40.0% | 57.1% | 1 to 2 | 30%"


class TestFailureModes:
    def test_each_run_is_told_by_itself(self, outage: Told) -> None:
        def failing(*numbers: int) -> Analysis:
            mode = outage.analysis.modes[0]
            lines_of = {
                run.name: {**mode.runs[run.name], "rollouts": many, "without_sign": many}
                for run, many in zip(outage.analysis.runs, numbers, strict=True)
            }
            left = replace(
                mode,
                id="unexplained",
                name="no known pattern",
                runs={
                    run: {**line, "rollouts": int(line["rollouts"] > 0), "without_sign": int(line["rollouts"] > 0)}
                    for run, line in lines_of.items()
                },
            )
            return replace(
                outage.analysis,
                modes=(
                    replace(mode, runs=lines_of, shift=None, trend="persisting"),
                    replace(left, shift=None, trend=None),
                ),
            )

        first = lines(dominant_failure_modes.build(failing(0, 5)))[0]
        assert first.startswith(
            "No rollout of before failed. after has 6 failed rollouts; 1 of them shows no known failure mode. A "
            "failed rollout counts once, under the symptom nearest to a cause. Compare runs by"
        )
        first = lines(dominant_failure_modes.build(replace(outage.analysis, modes=outage.analysis.modes[:1])))[0]
        assert first.count("all classified.") == 2

    def test_tasks_beyond_the_fifth_and_modes_beyond_the_twelfth_are_counted(self, outage: Told) -> None:
        mode = next(mode for mode in outage.analysis.modes if mode.findings)
        for many, more in ((5, "a, a, a, a and a."), (7, "a, a, a, a, a and 2 more.")):
            runs = {run: {**line, "examples": ["a"] * many, "tasks": many} for run, line in mode.runs.items()}
            said = lines(dominant_failure_modes.build(replace(outage.analysis, modes=(replace(mode, runs=runs),))))
            assert any(line.endswith(more) for line in said)
        for many, more in (
            (12, "if every such rollout had passed:"),
            (14, "if every such rollout had passed (2 rarer modes are in analysis.json):"),
        ):
            table = next(
                block
                for block in dominant_failure_modes.build(replace(outage.analysis, modes=(mode,) * many))
                if isinstance(block, Table)
            )
            assert len(table.rows) == 12
            assert table.caption.startswith("Points: part of the change from before to after;")
            assert table.caption.endswith(more)

    def test_a_quote_is_proved_by_its_place(self, outage: Told) -> None:
        quotes = [block for block in dominant_failure_modes.build(outage.analysis) if isinstance(block, Quote)]
        assert quotes
        for quote in quotes:
            _, place, *rest = quote.proof["args"]["path"]
            assert rest == ["evidence", 0, "quote"]
            assert outage.analysis.findings[place].evidence[0].quote == quote.text


class TestSettings:
    def said(self, outage: Told, **fields: Any) -> list[str]:
        return lines(reproducibility_notes.build(only(outage.analysis, provenance=Provenance(**fields))))

    def test_sampling_is_told_without_what_every_provider_does(self, outage: Told) -> None:
        usual = {"tool_choice": "auto", "parallel_tool_calls": True}
        assert "Sampling | not recorded in the rows" in self.said(outage, sampling=usual)
        made = {"temperature": 0.5, "tool_choice": "required", "parallel_tool_calls": True}
        assert "Sampling | temperature 0.5, tool_choice required" in self.said(outage, sampling=made)
        varied = self.said(outage, sampling={"temperature": 0.5}, sampling_varies=("seed",))
        assert "Sampling | temperature 0.5; not the same on all rows: seed" in varied

    def test_models_are_told_one_or_mixed_or_unknown(self, outage: Told) -> None:
        assert "Model | not in the artifacts" in self.said(outage)
        assert "Model | one" in self.said(outage, models={"one": 5})
        assert "Model | mixed: one (1,005 rows) and two (7 rows)" in self.said(outage, models={"one": 1005, "two": 7})

    def test_notes_are_quoted_with_their_file(self, outage: Told) -> None:
        for file, source in (("NOTES.md", "NOTES.md"), (None, "notes")):
            run = replace(outage.analysis.runs[0], provenance=Provenance(notes="Hot day.", notes_file=file))
            blocks = reproducibility_notes.build(replace(outage.analysis, runs=(run,)))
            assert [(block.text, block.source) for block in blocks if isinstance(block, Quote)] == [
                ("Hot day.", source)
            ]


class TestAggregates:
    def test_what_a_pass_is(self, outage: Told) -> None:
        def rule(*runs: tuple[float | None, str]) -> list[str]:
            made = tuple(
                replace(outage.analysis.runs[0], score_threshold=cut, pass_source=source) for cut, source in runs
            )
            return lines(aggregate_results.build(replace(outage.analysis, runs=made)))

        assert "A rollout passes if its reward reaches 0.5 (asked)." in rule((0.5, "asked"), (0.5, "asked"))
        none = "No threshold was declared and the rewards are not binary: pass rates are not computed."
        assert none in rule((None, "nothing"), (None, "nothing"))
        differs = "The runs define a pass differently; see score_threshold and pass_source in analysis.json."
        assert differs in rule((0.5, "asked"), (1.0, "binary"))
        assert differs in rule((0.5, "asked"), (None, "nothing"))

    def test_tasks_with_too_few_attempts_are_told_beside_the_k(self, outage: Told) -> None:
        run = outage.analysis.runs[0]
        metrics = {**run.metrics, "tasks_used": {**run.metrics["tasks_used"], "4": 18}}
        said = lines(aggregate_results.build(only(outage.analysis, metrics=metrics)))
        assert "pass@4 | 70.0% (18 tasks)" in said
        assert "pass@3 | 70.0%" in said

    def test_the_metrics_that_every_run_lacks_are_left_out(self, outage: Told) -> None:
        run = outage.analysis.runs[0]
        said = lines(aggregate_results.build(only(outage.analysis, metrics={**run.metrics, "flakiness": None, "k": 1})))
        assert not [line for line in said if line.startswith(("Two attempts", "Tasks passed"))]

    def test_summary_files_are_told_with_what_differs(self, outage: Told) -> None:
        example = {"key": "mean", "task": None, "stored": 0.5, "recomputed": 0.4, "likely_cause": "copies"}
        check = {"file": "m.json", "matched": 3, "disagreements": 11, "not_recomputed": list("abcde")}
        said = lines(aggregate_results.build(only(outage.analysis, checks=({**check, "examples": [example] * 11},))))
        assert "m.json | 3 | 11 | a, b, c and 2 more keys" in said
        assert said.count("mean |  | 0.5 | 0.4 | copies") == 10


class TestDenominator:
    def told(self, outage: Told, **fields: Any) -> str:
        run = outage.analysis.runs[0]
        return "\n".join(
            lines(denominator.build(only(outage.analysis, denominator=replace(run.denominator, **fields))))
        )

    def test_bounds_are_told_where_something_was_lost(self, outage: Told) -> None:
        words = "If all lost rollouts failed, or all passed, the score would be 50.0% to 60.0%."
        lost = (Loss("missing without a trace", 5), Loss("no usable score", 2))
        said = self.told(outage, losses=lost, bounds=(0.5, 0.6))
        assert words in said
        assert "Lost on the way: 5 missing without a trace and 2 no usable score." in said
        assert words not in self.told(outage, losses=(), bounds=(0.5, 0.6))
        assert "Between all" not in self.told(outage, losses=lost, bounds=None)

    def test_an_inferred_number_is_said_to_be_one(self, outage: Told) -> None:
        said = self.told(outage, losses=(), expected_source="inferred", expected_note="from the rows")
        assert "the expected number is inferred (from the rows). As far as the rows show, no rollout was lost" in said
        said = self.told(outage, losses=(), expected=None, expected_source="unknown", expected_note="no inputs")
        assert "the expected number is unknown (no inputs)." in said
        assert "lost" not in said

    def test_copies_are_counted(self, outage: Told) -> None:
        run = outage.analysis.runs[0]
        for rollouts, words in ((83, "3 rows in the file repeat another row"), (80, "")):
            said = "\n".join(lines(denominator.build(only(outage.analysis, rollouts=rollouts))))
            assert ("repeat another row" in said) is bool(words)
            assert words in said
        assert run.denominator.finished == 80


class TestFunnel:
    def test_a_funnel_has_three_stages_at_least(self, outage: Told) -> None:
        needed = [stage for stage in outage.analysis.funnel if stage["necessary"]]
        assert workflow_funnel.build(replace(outage.analysis, funnel=tuple(needed[:2]))) == []
        assert workflow_funnel.build(replace(outage.analysis, funnel=tuple(needed[:3]))) != []


def test_shapes_are_made_from_what_the_engine_found(outage: Told) -> None:
    """The variations above rest on a real pair: a change with parts, flips and slices of two runs."""
    (change,) = outage.analysis.changes
    assert isinstance(change, Change)
    assert all(isinstance(run, RunAnalysis) for run in outage.analysis.runs)
    assert change.flips
    assert change.parts
