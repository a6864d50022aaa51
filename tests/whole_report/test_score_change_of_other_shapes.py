"""What the section on the change says turns with what was found: a real comparison, varied by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.whole_report.reading import Told
from tests.whole_report.varying import changed, lines, named

from blade.model import Analysis, Part
from blade.sections import score_change


class TestScoreChange:
    def told(self, analysis: Analysis) -> list[str]:
        return lines(score_change.build(analysis))

    def parts(self, outage: Told, *parts: Part) -> list[str]:
        (change,) = outage.analysis.changes
        views = {**change.views, "pooled": {"interval": (-0.02, 0.03)}}
        return self.told(changed(outage.analysis, parts=parts, views=views))

    def test_named_parts_stand_alone_and_the_rest_is_pooled(self, outage: Told) -> None:
        rest = [replace(part, named=False) for part in named(8)]
        zero = replace(rest[0], points=0.0, cause="nothing")
        said = self.parts(outage, replace(named(1)[0], cause="infrastructure"), zero, *rest)
        assert "infrastructure | −1.0 pp |  | identified | yes | 1 | " in said
        assert "not significant (8 parts) | −36.0 pp | −2.0 pp to +3.0 pp |  | no |  | " in said
        assert sum(" | no | 1 | " in line for line in said) == 6
        assert not [line for line in said if line.startswith("nothing")]
        assert not [line for line in self.parts(outage, *named(2)) if line.startswith("not named")]

    def test_which_rows_are_counted_is_exact_and_not_significant(self, outage: Told) -> None:
        missing = replace(named(1)[0], cause="coverage", sub="task_missing", interval=(-0.05, 0.03))
        said = self.parts(outage, missing)
        assert (
            "missing rollouts (task missing) | −1.0 pp | −5.0 pp to +3.0 pp | identified | by counting | 1 | " in said
        )
        assert any(
            "and not how they went, accounts for −1.0 pp by missing rollouts (task missing)." in line for line in said
        )
        assert "Significant causes" not in " ".join(said)

    def test_a_part_that_moved_but_is_no_cause_is_not_called_chance(self, outage: Told) -> None:
        moved, still = (replace(part, named=False) for part in named(2))
        said = self.parts(outage, replace(moved, interval=(-0.05, -0.01)), replace(still, interval=(-0.02, 0.03)))
        assert any(line.startswith("not shown to be causes (2 parts) | ") for line in said), said
        assert sum(" | not shown | 1 | " in line for line in said) == 1
        assert "not significant" not in "\n".join(said)

    def test_where_a_part_sits(self, outage: Told) -> None:
        window = {"order": "file", "rows": [4, 9]}
        where = {"category": {"size": "large"}, "window": window, "message": "m" * 90}
        said = self.parts(outage, replace(named(1)[0], where=where))
        assert any(line.endswith(f"size large; rows 5 to 9 of the file; {'m' * 79}…") for line in said)

    def test_offsetting_tasks_are_told_only_beside_a_mean_that_stayed(self, outage: Told) -> None:
        words = "gains and losses offset"
        for p, churn, told in (
            (0.5, 0.01, True),
            (0.01, 0.01, False),
            (0.5, 0.2, False),
            (0.5, None, False),
            (None, 0.01, False),
        ):
            said = " ".join(self.told(changed(outage.analysis, p=p, churn_p=churn)))
            assert (words in said) is told

    def test_outputs_that_are_all_shared_leave_no_room_for_chance(self, outage: Told) -> None:
        def told(**shared: int) -> bool:
            (change,) = outage.analysis.changes
            made = changed(outage.analysis, shared_outputs={**change.shared_outputs, **shared})
            return "Minimum detectable effect" in " ".join(self.told(made))

        assert not told(pairs=5, identical=5, reward_differs=2)
        assert told(pairs=5, identical=4, reward_differs=2)
        assert told(pairs=5, identical=5, reward_differs=0)

    def test_flips_are_told_with_their_chance_where_they_are_tested(self, outage: Told) -> None:
        flip = {"task": "7", "base": [4, 4], "candidate": [1, 4], "lfdr": 0.034, "beyond_noise": True}
        flips = (flip, {**flip, "task": "8", "lfdr": 0.6, "beyond_noise": False})
        expected = {"counted": "passes", "controlled": True, "changed_by_chance": 0.25}
        expected |= {"tasks": 60, "tested": 58, "flips": 2, "beyond_noise": 1, "by_chance": 0.034, "alone": 0}
        said = self.told(changed(outage.analysis, flips=flips, flips_expected=expected))
        words = (
            "2 tasks changed their pass rate, 1 of them beyond noise (all tasks are judged together, and hardly any is "
            "expected to be chance; one at a time Fisher's exact test, p ≤ 0.05 and not corrected, shows 0); 2 tasks "
            "with one attempt in a run could not be tested. Chance alone would change about 25.0% of the tasks, "
            "judging by how attempts within a run "
            "differ."
        )
        assert words in said
        assert "7 | 4 of 4 | 1 of 4 | 3% | yes" in said
        assert "8 | 4 of 4 | 1 of 4 | 60% | no" in said
        many = self.told(changed(outage.analysis, flips=(flip,) * 14, flips_expected=expected))
        assert many.count("7 | 4 of 4 | 1 of 4 | 3% | yes") == 12

    def test_an_open_change_says_what_would_settle_it(self, outage: Told) -> None:
        def told(**fields: Any) -> str:
            made: dict[str, Any] = {"verdict": "inconclusive", "repeats_needed": 7, "tasks_needed": 1200} | fields
            return " ".join(self.told(changed(outage.analysis, **made)))

        assert "run about 7 attempts per task; on new tasks of this kind, about 1,200 tasks." in told()
        assert "run about 7 attempts per task." in told(tasks_needed=None)
        assert "To settle" not in told(verdict="real")
        assert "To settle" not in told(repeats_needed=None)

    def test_rollouts_lost_outside_the_model_are_told_beside_the_verdict(self, outage: Told) -> None:
        (change,) = outage.analysis.changes
        pair = {"runs": [change.base, change.candidate], "tasks": change.common_tasks - 4}
        pair |= {"passes": [22, 33], "rollouts": [80, 81]}
        investigation = {**outage.analysis.investigation, "like_for_like": {"pairs": [pair]}}
        said = " ".join(self.told(replace(outage.analysis, investigation=investigation)))
        assert (
            f"On the {pair['tasks']} tasks judged in both, {change.base} passes "
            f"22 of 80 and {change.candidate} 33 of 81." in said
        )
        whole = {"like_for_like": {"pairs": [pair | {"tasks": change.common_tasks}]}}
        assert "lost outside" not in " ".join(self.told(replace(outage.analysis, investigation=whole)))

    def test_what_all_pairs_share_is_told_once(self, outage: Told) -> None:
        (change,) = outage.analysis.changes
        diff = {"removed": ["Be brief."], "removed_lines": 1, "added": [], "added_lines": 0}
        item = {"field": "system prompt", "base": "a", "candidate": "b", "role": "unknown", "diff": diff}
        first = replace(change, passport=(item,), notes=("Of both.", "Of one."))
        second = replace(first, candidate="other", notes=("Of both.",))
        said = self.told(replace(outage.analysis, changes=(first, second)))
        assert sum("“Be brief.”" in line for line in said) == 1
        assert f"System prompt: the same difference as from {change.base} to {change.candidate}." in said
        assert [line for line in said if "Of both." in line] == ["Of every pair: Of both."]
        assert "Of one." in said

    def test_the_first_few_of_many_untested_tasks_are_no_table(self, outage: Told) -> None:
        def told(many: int) -> bool:
            flip = {"base": [1, 1], "candidate": [0, 1], "lfdr": None, "beyond_noise": False}
            flips = tuple({**flip, "task": f"t{n}"} for n in range(many))
            (change,) = outage.analysis.changes
            expected = {**(change.flips_expected or {}), "flips": many, "tested": 0, "changed_by_chance": None}
            return "not tested" in " ".join(self.told(changed(outage.analysis, flips=flips, flips_expected=expected)))

        assert told(12)
        assert not told(13)
