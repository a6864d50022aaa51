"""Labels by the worked examples of the decision procedure, and where the evidence is not enough."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.diagnosis.made import a_run, attempt, moded, only, rules, saw

from blade.diagnosis.cases import RunCases
from blade.diagnosis.findings_table import finding_id
from blade.diagnosis.label_scores import LABELS, priors
from blade.diagnosis.labels import count_labels, find_labels
from blade.findings import Label, guarded


@pytest.fixture(autouse=True)
def _rules() -> Iterator[None]:
    with rules():
        yield


def labelled(*runs: RunCases, **health: list[str]) -> tuple[Label, ...]:
    items = [{"check": check, "run": "a", "tasks": tasks} for check, tasks in health.items()]
    return find_labels(runs, moded(*runs), items)


def test_an_answer_that_the_verifier_cut_is_the_verifiers_fault_even_with_one_attempt() -> None:
    found = only(labelled(a_run(attempt(0, False, saw("zz_cut_bracket"), answer="sqrt{2"))))
    assert found.labels == ("TI",)
    assert found.confidence is not None
    assert found.confidence > 0.75
    assert found.calibrated is False
    assert found.missing == ""


def test_a_cited_finding_is_that_of_the_rule_on_that_attempt() -> None:
    case = attempt(0, False, saw("zz_cut_bracket"))
    assert only(labelled(a_run(case))).because == (finding_id("a", case, "zz_cut_bracket"),)


def test_content_that_is_right_now_and_then_is_unreliable_knowledge() -> None:
    cases = [attempt(i, i < 2, {} if i < 2 else saw("zz_wrong"), answer="7" if i < 2 else str(i)) for i in range(5)]
    found = only(labelled(a_run(*cases)))
    assert found.labels == ("UK",)
    assert found.why == "3 of 3 failing attempts: zz wrong"


def test_one_error_class_over_many_tasks_is_a_knowledge_gap() -> None:
    cases = [attempt(i, False, saw("zz_syntax", value="cast"), task=f"t{t}") for t in range(4) for i in range(4)]
    labels = labelled(a_run(*cases))
    assert {label.labels for label in labels} == {("KG",)}


def test_an_address_made_up_each_time_is_behaviour_although_the_task_never_passes() -> None:
    found = only(labelled(a_run(*(attempt(i, False, saw("zz_made_up_id")) for i in range(4)))))
    assert found.labels == ("BI",)
    assert found.why == "4 of 4 failing attempts: zz made up id"


def test_words_of_the_agent_alone_carry_no_label() -> None:
    found = only(labelled(a_run(*(attempt(i, i < 2, {} if i < 2 else saw("zz_by_hand")) for i in range(4)))))
    assert found.labels == ("IE",)
    assert "no firm sign of BI" in found.why


def test_a_faint_sign_carries_no_label_though_the_rest_of_the_run_goes_wrong_so() -> None:
    made_up = [attempt(0, False, saw("zz_made_up_id"), task=f"t{task}") for task in range(12)]
    labels = {label.task: label for label in labelled(a_run(*made_up, attempt(0, False, saw("zz_tool_fails"))))}
    faint = labels.pop("t")
    assert {label.labels for label in labels.values()} == {("BI",)}
    assert faint.labels == ("IE",)
    assert "only a faint sign of BI" in faint.why


def test_a_cue_that_separates_passing_from_failing_over_tasks_carries_one() -> None:
    cases = [
        attempt(i, i < 2, {} if i < 2 else saw("zz_by_hand"), task=f"t{task}") for task in range(12) for i in range(4)
    ]
    for case in cases:
        case.letters = "c" * 200
    assert {label.labels for label in labelled(a_run(*cases))} == {("BI",)}


def test_a_guarded_sign_is_no_sign() -> None:
    """The worked example: a failed installation that was made good, an edit without a new test."""
    recovered = {name: guarded(seen, "G1") for name, seen in saw("zz_no_service", "zz_syntax").items()}
    cases = [attempt(i, False, {**recovered, **saw("zz_no_retest")}) for i in range(3)]
    found = only(labelled(a_run(*cases)))
    assert found.labels == ("BI",)
    assert found.because == tuple(finding_id("a", case, "zz_no_retest") for case in cases)


def test_one_wrong_answer_without_anything_else_needs_repeats_and_a_second_model() -> None:
    found = only(labelled(a_run(attempt(0, False, saw("zz_wrong"), answer="12"))))
    assert found.labels == ("IE",)
    assert found.confidence is None
    assert found.missing == "needs at least 3 repeats (it has 1); a second model on this task"


def test_a_single_failure_of_many_attempts_is_no_pattern() -> None:
    cases = [attempt(i, i > 0, {} if i else saw("zz_wrong"), answer=str(i)) for i in range(4)]
    found = only(labelled(a_run(*cases)))
    assert found.labels == ("IE",)
    assert found.missing.startswith("needs more repeats: it failed once in 4 attempts")


def test_a_single_wrong_answer_beside_three_right_ones_is_unreliable_knowledge() -> None:
    def one_failure_in(attempts: int) -> Label:
        failure = attempt(0, False, saw("wrong_answer"), answer="9")
        return only(labelled(a_run(failure, *(attempt(i, True, answer="7") for i in range(1, attempts)))))

    assert one_failure_in(4).labels == ("UK",)
    assert one_failure_in(4).rule == "wrong_answer"
    assert one_failure_in(3).labels == ("IE",), "two passes may be luck"


def test_rows_without_transcripts_ask_for_them() -> None:
    found = only(labelled(a_run(*(attempt(i, False, items=0) for i in range(4)))))
    assert found.labels == ("IE",)
    assert "transcripts: the rows hold none" in found.missing


def test_what_infrastructure_broke_is_not_blamed_on_the_model() -> None:
    hurt = [attempt(i, False, saw("zz_no_service", "zz_made_up_id"), state="infrastructure") for i in range(2)]
    assert only(labelled(a_run(*hurt, attempt(2, False, saw("zz_made_up_id"))))).labels == ("IR",)


def test_an_outage_of_other_tasks_says_nothing_about_attempts_that_were_judged() -> None:
    broken = [attempt(0, False, saw("zz_no_service"), task=f"t{n}", state="infrastructure") for n in range(20)]
    judged = [attempt(0, False, saw("zz_tool_fails"), task=f"u{n}") for n in range(5)]
    found = {label.task: label.labels for label in labelled(a_run(*broken, *judged))}
    assert [found[f"t{n}"] for n in range(20)] == [("IR",)] * 20
    assert not any("IR" in found[f"u{n}"] for n in range(5))


def test_a_little_infrastructure_leaves_the_model_to_blame() -> None:
    hurt = attempt(0, False, saw("zz_no_service"), state="infrastructure")
    cases = [attempt(i, False, saw("zz_made_up_id")) for i in range(1, 5)]
    assert only(labelled(a_run(hurt, *cases))).labels == ("BI",)


def test_an_infrastructure_claim_on_a_row_that_is_well_is_not_believed() -> None:
    cases = [attempt(i, False, saw("zz_no_service")) for i in range(4)]
    assert only(labelled(a_run(*cases))).labels == ("IE",)


def test_rows_without_a_verdict_are_the_verifiers() -> None:
    assert only(labelled(a_run(*(attempt(i, False, state="verifier_error") for i in range(2))))).labels == ("TI",)


def test_data_comes_before_infrastructure_and_infrastructure_before_the_verifier() -> None:
    all_three = [attempt(i, False, saw("zz_bad_key", "zz_cut_bracket")) for i in range(2)]
    all_three += [attempt(i, False, saw("zz_no_service"), state="infrastructure") for i in range(2, 4)]
    assert only(labelled(a_run(*all_three))).labels == ("DA",)
    two = [attempt(0, False, saw("zz_cut_bracket")), attempt(1, False, saw("zz_no_service"), state="infrastructure")]
    assert only(labelled(a_run(*two))).labels == ("IR",)


def test_a_rule_that_fires_on_passes_alike_vetoes_nothing() -> None:
    cases = [attempt(i, i < 4, saw("zz_cut_bracket"), task=f"t{t}") for t in range(4) for i in range(6)]
    assert {label.labels for label in labelled(a_run(*cases))} == {("IE",)}


def test_two_labels_where_both_are_needed() -> None:
    cases = [attempt(0, False, saw("zz_cut_bracket"))]
    cases += [attempt(i, False, saw("zz_made_up_id")) for i in range(1, 5)]
    found = only(labelled(a_run(*cases)))
    assert set(found.labels) == {"TI", "BI"}
    assert len(found.because) == 5


def test_a_label_needs_a_sign_on_half_of_the_failures() -> None:
    cases = [attempt(i, False, saw("zz_made_up_id", "zz_no_retest") if i == 0 else {}) for i in range(4)]
    found = only(labelled(a_run(*cases)))
    assert found.labels == ("IE",)


def test_another_run_that_passes_cleanly_makes_it_a_gap() -> None:
    mine = [attempt(i, False, saw("zz_wrong"), answer="12") for i in range(4)]
    theirs = [attempt(i, True, answer="7") for i in range(4)]
    found = only(labelled(a_run(*mine), a_run(*theirs, name="b")))
    assert found.labels == ("KG",)


def test_an_answer_that_all_runs_share_is_no_gap_for_the_key_may_be_wrong() -> None:
    mine = [attempt(i, False, saw("zz_wrong"), answer="12") for i in range(3)]
    theirs = [attempt(i, False, saw("zz_wrong"), answer="12") for i in range(3)]
    runs = a_run(*mine), a_run(*theirs, name="b")
    plain, told = only(labelled(*runs)), only(labelled(*runs, suspect_gold=["t"]))
    assert plain.labels == ("IE",)
    assert told.labels == ("TI",)
    others = [attempt(i, False, saw("zz_wrong"), answer="13") for i in range(3)]
    assert only(labelled(runs[0], a_run(*others, name="b"))).labels == ("KG",)


def test_wrong_answers_that_calls_lead_to_show_nothing_of_what_is_known() -> None:
    def five(*calls: str) -> RunCases:
        right = [attempt(i, True, answer="7", actions=calls) for i in range(2)]
        return a_run(
            *right, *(attempt(i, False, saw("wrong_answer"), answer=str(i), actions=calls) for i in range(2, 5))
        )

    assert only(labelled(five())).labels == ("UK",)
    assert only(labelled(five("search(query)"))).labels == ("IE",)


def test_a_flaky_verifier_is_a_hard_fault() -> None:
    cases = [attempt(i, i < 2, {} if i < 2 else saw("zz_wrong"), answer="7") for i in range(4)]
    assert only(labelled(a_run(*cases), flaky_verifier=["t"])).labels == ("TI",)


def test_a_run_that_passes_everything_has_no_labels() -> None:
    assert labelled(a_run(*(attempt(i, True) for i in range(4)))) == ()


def test_priors_are_the_shares_of_the_other_tasks_with_a_floor() -> None:
    sure = {label: float(label == "BI") for label in LABELS}
    (first, *_) = made = priors([dict(sure) for _ in range(100)])
    assert first["BI"] == pytest.approx(100 / 105 / (100 / 105 + 5 * 0.03))
    assert min(first.values()) == pytest.approx(0.03 / (100 / 105 + 5 * 0.03))
    assert all(sum(prior.values()) == pytest.approx(1.0) for prior in made)
    (alone,) = priors([sure])
    assert all(share == pytest.approx(1 / 6) for share in alone.values())


def test_labels_are_counted_by_run() -> None:
    labels = labelled(
        a_run(*(attempt(i, False, saw("zz_made_up_id"), task=f"t{t}") for t in range(3) for i in range(2)))
    )
    assert count_labels(labels) == {"a": {"BI": 3}}


def test_a_rule_that_was_wrong_too_often_gives_no_label(monkeypatch: pytest.MonkeyPatch) -> None:
    run = a_run(*(attempt(i, False, saw("zz_made_up_id")) for i in range(4)))
    assert only(labelled(run)).rule == "zz_made_up_id"
    monkeypatch.setattr("blade.diagnosis.labels.UNPROVEN", frozenset({"zz_made_up_id"}))
    found = only(labelled(run))
    assert found.labels == ("IE",)
    assert found.why.endswith("zz_made_up_id is wrong too often to rest on")
    assert found.rule == ""
