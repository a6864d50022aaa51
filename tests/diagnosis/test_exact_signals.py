"""Signals, weights and needs to the last figure: what a label rests on is worked out here with a pencil."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from tests.diagnosis.made import a_run, attempt, moded, rules, saw

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.detector_specificity import habits
from blade.diagnosis.evidence_needed import in_short, what_would_settle
from blade.diagnosis.groups import Group, Signal, agreement, groups, signature
from blade.diagnosis.label_evidence import weigh
from blade.diagnosis.label_scores import evidence, noticed, priors, scores
from blade.diagnosis.patterns import (
    all_runs_fail_alike,
    another_run_passes,
    missing_element,
    same_wrong_answer,
    scattered_wrong_answers,
    shared_errors,
    sometimes_right,
    told_by_health,
    unreliable_element,
)
from blade.diagnosis.transcript_summary import LONGEST_TEXT, Event, Track, track_of, widened
from blade.findings import Cite
from blade.model import StepKind


@pytest.fixture(autouse=True)
def _rules() -> Iterator[None]:
    with rules():
        yield


def answered(*given: str, name: str = "a") -> RunCases:
    """Attempts by their answers; 7 is right."""
    cases = [
        attempt(place, text == "7", {} if text == "7" else saw("zz_wrong"), answer=text)
        for place, text in enumerate(given)
    ]
    return a_run(*cases, name=name)


def acted(*given: tuple[bool, tuple[str, ...]], name: str = "a") -> RunCases:
    return a_run(*(attempt(i, passed, actions=actions) for i, (passed, actions) in enumerate(given)), name=name)


def group(*runs: RunCases) -> Group:
    return next(found for found in groups(runs, moded(*runs)) if found.run == "a")


def exact(signal: Signal | None) -> tuple[Any, ...]:
    assert signal is not None
    return signal.source, signal.family, dict(signal.supports), signal.reliability, len(signal.cases)


LOOK, ACT = "look(name)", "send(to)"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            lambda: same_wrong_answer(group(answered("12", "12", "13"))),
            ("same_wrong_answer", "content", {"KG": 1.6}, 0.8, 2),
        ),
        (
            lambda: scattered_wrong_answers(group(answered("1", "2", "3"))),
            ("scattered_wrong_answers", "content", {"UK": 0.8, "KG": 0.3}, 0.8, 3),
        ),
        (lambda: sometimes_right(group(answered("7", "1", "2"))), ("sometimes_right", "repeats", {"UK": 1.4}, 0.8, 2)),
        (
            lambda: another_run_passes(group(answered("1", "2"), answered("7", "7", name="b"))),
            ("another_run_passes", "others", {"KG": 1.0, "TI": -1.5}, 0.8, 2),
        ),
        (
            lambda: another_run_passes(group(answered("1", "2"), answered("7", "3", name="b"))),
            ("another_run_passes", "others", {"TI": -0.7}, 0.8, 0),
        ),
        (
            lambda: all_runs_fail_alike(group(answered(*"111"), answered(*"111", name="b"))),
            ("all_runs_fail_alike", "benchmark", {"TI": 1.2, "DA": 0.8, "KG": 0.4}, 0.8, 3),
        ),
        (
            lambda: missing_element(
                group(acted((False, (ACT,)), (False, (ACT,))), acted(*((True, (LOOK, ACT)),) * 3, name="b"))
            ),
            ("missing_element", "elements", {"KG": 1.2, "BI": 0.5}, 0.8, 2),
        ),
        (
            lambda: unreliable_element(
                group(acted(*((True, (LOOK, ACT)),) * 2, (False, (ACT,)), (False, (LOOK, ACT))))
            ),
            ("unreliable_element", "elements", {"UK": 1.6}, 0.6, 2),
        ),
        (
            lambda: told_by_health(group(answered("1", "2")), {"t"}, {}),
            ("suspect_gold", "benchmark", {"TI": 1.8, "DA": 1.0}, 0.8, 2),
        ),
        (
            lambda: told_by_health(group(answered("1", "2")), set(), {"a": ["t"]}),
            ("flaky_verifier", "benchmark", {"TI": 3.0, "IR": 0.5}, 1.0, 2),
        ),
    ],
)
def test_a_pattern_says_exactly_this(made: Any, expected: tuple[Any, ...]) -> None:
    assert exact(made()) == expected


def test_patterns_at_their_edges() -> None:
    assert same_wrong_answer(group(answered("12", "12", "13", "14"))) is None  # half
    assert same_wrong_answer(group(answered("12", "12", "12", "12", "13", "14"))) is not None  # two thirds
    assert same_wrong_answer(group(answered("12", "12"))) is None
    assert scattered_wrong_answers(group(answered("1", "1", "1"))) is None
    behaved = [attempt(place, False, saw("zz_made_up_id")) for place in (2, 3, 4)]
    one_of_four = a_run(attempt(0, True), attempt(1, False, saw("zz_wrong"), answer="1"), *behaved)
    assert sometimes_right(group(one_of_four)) is None
    one_of_two = a_run(attempt(0, True), attempt(1, False, saw("zz_wrong"), answer="1"), behaved[0])
    assert exact(sometimes_right(group(one_of_two)))[4] == 1
    four_of_five = acted(*((True, (LOOK, ACT)),) * 4, (True, (ACT,)), name="b")
    assert missing_element(group(acted((False, (ACT,)), (False, (ACT,))), four_of_five)) is not None
    three_of_five = acted(*((True, (LOOK, ACT)),) * 3, *((True, (ACT,)),) * 2, name="b")
    assert missing_element(group(acted((False, (ACT,)), (False, (ACT,))), three_of_five)) is None


def test_an_error_that_three_tasks_share_is_a_gap() -> None:
    cases = [attempt(place, False, saw("zz_syntax", value="E1"), task=f"t{place}") for place in range(3)]
    run = a_run(*cases)
    found = shared_errors(groups([run], moded(run)))
    assert sorted(found) == [("a", "t0"), ("a", "t1"), ("a", "t2")]
    assert exact(found["a", "t0"]) == ("shared_error", "pipeline", {"KG": 1.8}, 0.8, 1)
    assert found["a", "t0"].why == "E1, as in 3 tasks"


class TestBroken:
    @staticmethod
    def status(*states: str) -> Any:
        cases = [attempt(place, False, state=state) for place, state in enumerate(states)]
        found = weigh(group(a_run(*cases)), habits(a_run(*cases)))
        signals = [signal for signal in found.signals if signal.source == "status"]
        return (exact(signals[0])[2:], found.veto, signals[0].hard) if signals else None

    def test_half_of_the_failing_attempts_make_a_broken_task(self) -> None:
        assert self.status("infrastructure", "ok") == (({"IR": 3.0}, 1.0, 1), "IR", True)
        assert self.status("infrastructure", "ok", "ok") is None
        assert self.status("ok", "ok") is None

    def test_attempts_without_a_verdict_are_the_verifiers(self) -> None:
        assert self.status("verifier_error", "verifier_error") == (({"TI": 3.0}, 1.0, 2), "TI", True)
        assert self.status("verifier_error", "infrastructure") == (({"IR": 3.0}, 1.0, 2), "IR", True)


class TestWeights:
    def test_a_second_and_third_attempt_add_half_as_much_each(self) -> None:
        for attempts, again in ((1, 1.0), (2, 1.5), (3, 2.0), (4, 2.0)):
            made = group(a_run(*(attempt(place, False) for place in range(attempts))))
            signal = Signal("s", "f", {"KG": 1.0}, 0.5, tuple(made.failing), "")
            assert evidence(made, [signal])["KG"] == pytest.approx(0.5 * again)

    def test_the_strongest_of_a_family_counts_and_families_add_up(self) -> None:
        made = group(a_run(attempt(0, False), attempt(1, False)))
        one, two = (
            Signal(name, "f", {"KG": weight}, 1.0, tuple(made.failing[:1]), "")
            for name, weight in (("a", 1.0), ("b", 0.4))
        )
        other = Signal("c", "g", {"KG": 0.6, "TI": -0.5}, 1.0, tuple(made.failing), "")
        found = evidence(made, [one, two, other])
        assert found["KG"] == pytest.approx(1.0 / 2 + 0.6 * 1.5)
        assert found["TI"] == -0.5
        assert found["BI"] == 0.0
        hard = Signal("h", "f", {"IR": 3.0}, 1.0, tuple(made.failing[:1]), "", hard=True)
        assert evidence(made, [hard])["IR"] == 3.0

    def test_a_rule_that_fires_on_passes_too_loses_its_weight(self) -> None:
        noted = saw("zz_made_up_id")
        made = group(
            a_run(attempt(0, False, noted), attempt(1, False, noted), attempt(2, True, noted), attempt(3, True))
        )
        run = a_run(attempt(0, False, noted))
        (signal,) = noticed(made, habits(run))
        assert signal.supports == {"BI": pytest.approx(1.4 * 0.5)}  # on half of the passes and on all failures
        alone = group(a_run(attempt(0, False, noted), attempt(1, False)))
        (signal,) = noticed(alone, habits(run))
        assert signal.supports == {"BI": 1.4}
        assert signal.why == "1 of 2 failing attempts: zz made up id"

    def test_labels_without_a_sign_are_less_likely(self) -> None:
        made = group(a_run(attempt(0, False), attempt(1, False), attempt(2, True)))
        prior = dict.fromkeys(("KG", "UK", "BI", "TI", "IR", "DA"), 1 / 6)
        nothing = dict.fromkeys(prior, 0.0)
        found = scores(made, nothing, prior, (0.5, 0.5))
        even = math.log(1 / 6)
        assert found["TI"] == found["IR"] == found["DA"] == pytest.approx(even - 1.5)
        assert found["BI"] == pytest.approx(even - 1.0)
        assert found["UK"] > found["KG"]
        assert scores(made, {**nothing, "TI": 0.2}, prior, (0.5, 0.5))["TI"] == pytest.approx(even + 0.2)
        silent = group(a_run(attempt(0, False, items=0)))
        assert scores(silent, nothing, prior, (0.5, 0.5))["BI"] == pytest.approx(even)
        never = scores(group(a_run(*(attempt(n, False) for n in range(9)))), nothing, prior, (0.5, 0.5))
        assert never["KG"] > never["UK"] >= even - 3.0

    def test_a_task_adds_nothing_to_its_own_prior(self) -> None:
        sure = {"KG": 1.0, "UK": 0.0, "BI": 0.0, "TI": 0.0, "IR": 0.0, "DA": 0.0}
        first, second = priors([sure, {**sure, "KG": 0.0, "TI": 1.0}])
        assert first["TI"] == pytest.approx(2 / 7)
        assert first["KG"] == pytest.approx(1 / 7)
        assert second["KG"] == pytest.approx(2 / 7)


class TestHabits:
    def test_a_rule_that_fires_on_every_attempt_explains_nothing(self) -> None:
        noted = saw("zz_made_up_id")
        passes = [attempt(0, True, noted if place < 4 else {}, task=f"p{place}") for place in range(8)]
        fails = [attempt(0, False, noted, task=f"f{place}") for place in range(4)]
        assert habits(a_run(*passes, *fails)).weight("zz_made_up_id") == pytest.approx(0.5)
        assert habits(a_run(*passes, *fails)).is_habit("zz_made_up_id")
        assert habits(a_run(*passes[:7], *fails)).weight("zz_made_up_id") == 1.0
        assert habits(a_run(*passes)).weight("zz_made_up_id") == 0.0
        assert not habits(a_run(*passes[4:], *passes[4:], *fails)).is_habit("zz_made_up_id")


class TestGroups:
    def test_a_signature_is_the_answer_or_what_the_mode_groups_by(self) -> None:
        run = a_run(
            attempt(0, False, saw("zz_wrong"), answer=" Twelve  Men "),
            attempt(1, False, saw("zz_syntax", value="E1")),
            attempt(2, False, saw("zz_syntax")),
            attempt(3, False, saw("zz_made_up_id"), answer="12"),
        )
        found = group(run)
        told = [signature(case, found.modes) for case in found.failing]
        assert told[0] == "twelve men"
        assert told[1].endswith("\0E1")
        assert told[2:] == ["", ""]
        assert [case.attempt for case in found.unaccounted] == [0, 1, 2]

    def test_agreement_is_the_share_of_the_commonest(self) -> None:
        assert agreement(["a", "a", "b"]) == pytest.approx(2 / 3)
        assert agreement([]) == 0.0

    @pytest.mark.parametrize(
        ("reliability", "backed", "firm"),
        [(0.8, False, True), (1.0, False, True), (0.6, False, False), (0.6, True, True)],
    )
    def test_a_label_rests_on_firm_signs(self, reliability: float, backed: bool, firm: bool) -> None:
        assert Signal("s", "f", {}, reliability, (), "", backed=backed).firm is firm


class TestNeeds:
    @staticmethod
    def need(*cases: Case, first: str = "KG", second: str = "UK", runs: int = 1, others: bool = False) -> str:
        run = a_run(*cases)
        more = [a_run(attempt(0, False), name="b")] if others else []
        found = groups([run, *more], moded(run, *more))
        return what_would_settle(next(one for one in found if one.run == "a"), first, second, runs)

    def test_repeats_come_first(self) -> None:
        assert (
            self.need(attempt(0, False, reason="x"))
            == "needs at least 3 repeats (it has 1); a second model on this task"
        )
        once = [attempt(0, False, reason="x"), attempt(1, True), attempt(2, True)]
        assert self.need(*once) == "needs more repeats: it failed once in 3 attempts; a second model on this task"
        ways = [
            attempt(0, False, saw("zz_wrong")),
            attempt(1, False, saw("zz_syntax")),
            attempt(2, False, saw("zz_wrong")),
        ]
        assert self.need(*ways).startswith("needs more repeats: its 3 failing attempts went wrong in 2 ways")

    def test_what_the_row_holds_wants_a_reader_before_repeats(self) -> None:
        differs = attempt(0, False)
        differs.observed_json = '{"deviation": ["wrong_argument", "lend", "lend", "card", 1]}'
        needs = self.need(differs, second="TI", others=True)
        assert needs == (
            "needs a person who reads a failing attempt beside what was expected of it; at least 3 repeats (it has 1)"
        )

    def test_broken_attempts_are_run_again(self) -> None:
        broken = [attempt(0, False, state="infrastructure")]
        assert self.need(*broken).startswith("needs the attempts that infrastructure broke, run again")

    def test_transcripts_and_logs_that_are_not_there(self) -> None:
        silent = [attempt(place, False, items=0) for place in range(3)]
        assert "transcripts: the rows hold none" in self.need(*silent)
        mute = [attempt(place, False) for place in range(3)]
        assert "the verifier's log: no row says what it found wrong" in self.need(*mute, second="TI")
        assert "the verifier's log" not in self.need(*mute)
        told = [attempt(place, False, answer="12") for place in range(3)]
        assert "the verifier's log" not in self.need(*told, second="TI")

    def test_another_run_or_a_person(self) -> None:
        told = [attempt(place, False, answer="12") for place in range(3)]
        assert self.need(*told) == "needs a second model on this task"
        assert self.need(*told, runs=2) == "needs this task in a second run"
        assert self.need(*told, others=True) == "needs a person who reads one failing attempt"

    def test_many_needs_in_short(self) -> None:
        needs = [
            "needs at least 3 repeats (it has 1); a second model on this task",
            "needs a second model on this task",
        ]
        assert in_short(needs) == ["a second model", "at least 3 repeats"]
        silent = "needs transcripts: the rows hold none"
        assert in_short([silent, silent, ""]) == ["transcripts (their rows hold none)"]
        some = in_short([silent, silent, "needs a second model on this task"])
        assert some == ["transcripts where rows hold none", "a second model"], "a row of the third holds one"


class TestTracks:
    @staticmethod
    def event(kind: StepKind, text: str = "", item: int = 0, name: str = "") -> Event:
        return Event(kind, item, name, b"", None, changes=False, text=text)

    def test_what_an_attempt_did_and_how_it_ends(self) -> None:
        call, output, message = StepKind.CALL, StepKind.OUTPUT, StepKind.MESSAGE
        events = (self.event(call, "{}", 0, "look"), self.event(output, "x", 1), self.event(call, "{}", 2, "look"))
        track = Track(attempt(0, False), None, (*events, self.event(message, "Done.", 3)))
        assert [event.item for event in track.calls] == [0, 2]
        assert track.did == "look ×2"
        assert track.ends_on == "a message"
        assert track.last is not None
        assert track.last.text == "Done."
        many = tuple(self.event(call, "{}", n, f"tool{n}") for n in range(10))
        assert (
            Track(attempt(0, False), None, many).did
            == "tool0 → tool1 → tool2 → tool3 → … → tool6 → tool7 → tool8 → tool9"
        )
        assert Track(attempt(0, False), None, many).ends_on == "a call without an answer"

    def test_a_short_quote_is_given_what_stands_around_it(self) -> None:
        text = "a" * 100 + " before " + "17" + " after " + "b" * 100
        track = Track(attempt(0, False), None, (self.event(StepKind.MESSAGE, text, 2),))
        start = text.index("17")
        wide = widened(track, Cite(2, "text", start, start + 2, "17"))
        assert " before 17 after " in wide.quote
        assert wide.quote == text[wide.start : wide.end]
        assert wide.end == start + 2 + 70
        long = Cite(2, "text", 0, 40, "a" * 40)
        assert widened(track, long) is long
        field = Cite(None, "row.answer", 0, 2, "17")
        assert widened(track, field) is field
        first = widened(track, Cite(2, "text", 0, 5, "aaaaa"))
        assert (first.start, first.end) == (0, 75)

    def test_texts_are_kept_to_a_length(self) -> None:
        said = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "x" * (LONGEST_TEXT + 9)}],
        }
        row = {
            "response": {"output": [said]},
            "responses_create_params": {"input": [{"role": "user", "content": "Hi?"}]},
        }
        track = track_of(attempt(0, False), row)
        assert [len(event.text) for event in track.events] == [20_000]
        assert track.asked is not None
        assert track.asked.quote == "Hi?"
