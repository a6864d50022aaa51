"""Pieces of a diagnosis that whole runs seldom reach: luck, partners of calls, faults that need no second sign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.diagnosis.made import a_run, attempt, moded, rules, saw
from tests.diagnosis.made_cases import case

from blade.diagnosis.detector_specificity import Habits
from blade.diagnosis.divergence import _agrees, _unmatched
from blade.diagnosis.groups import groups
from blade.diagnosis.label_evidence import weigh
from blade.diagnosis.labels import _prevails, find_labels
from blade.diagnosis.recovery import Rewards
from blade.diagnosis.stories import _also
from blade.diagnosis.transcript_summary import Event, Track, source_key
from blade.diagnosis.twins import _luck, sometimes, twin_of
from blade.model import StepKind


@pytest.fixture(autouse=True)
def _rules() -> Iterator[None]:
    with rules():
        yield


def call(name: str, **arguments: Any) -> Event:
    key = repr((name, sorted(arguments.items()))).encode()
    return Event(StepKind.CALL, 0, name, key, arguments, changes=True, text=str(arguments))


def words(kind: StepKind) -> Event:
    return Event(kind, 0, "", b"", None, changes=False, text="words")


class TestLuck:
    def told(self, *events: Event, ends_oddly: bool) -> str:
        run = a_run(attempt(0, True), attempt(1, False))
        return _luck(Track(run.cases[0], None, events), ends_oddly=ends_oddly)

    def test_a_pass_that_ends_on_an_output_is_luck_where_passes_hardly_do(self) -> None:
        output, message = words(StepKind.OUTPUT), words(StepKind.MESSAGE)
        assert self.told(output, ends_oddly=True) == "it ends on a tool's output, as passes here hardly ever do"
        assert self.told(output, ends_oddly=False) == ""
        assert self.told(message, ends_oddly=True) == ""
        assert self.told(ends_oddly=True) == ""

    @pytest.mark.parametrize(("noticed", "same_sign"), [("zz_made_up_id", "zz_made_up_id"), ("zz_by_hand", None)])
    def test_a_pass_that_shows_what_explains_the_failures_is_no_luck(self, noticed: str, same_sign: str | None) -> None:
        run = a_run(attempt(0, True, saw(noticed)), attempt(1, False, saw("zz_made_up_id")))
        modes = {mode.id: mode.detector for mode in moded(run)}
        tracks = {source_key(case): Track(case, None, (words(StepKind.MESSAGE),)) for case in run.cases}
        twin = twin_of(run.cases, tracks, modes)
        assert twin is not None
        assert (twin.same_sign, twin.lucky) == (same_sign, "")


def test_only_attempts_that_say_something_of_the_model_are_held_against_each_other() -> None:
    broken = a_run(attempt(0, True), attempt(1, False, state="infrastructure"))
    assert sometimes(broken) == {}
    mixed = a_run(attempt(0, True), attempt(1, False), attempt(2, False, state="infrastructure"))
    assert [case.attempt for case in sometimes(mixed)["t"]] == [0, 1]


class TestPartners:
    def test_calls_without_a_partner_stay_in_their_order(self) -> None:
        look, send, wait = call("look"), call("send", to="a"), call("wait")
        good, bad = _unmatched([look, send], [look, wait, call("book")])
        assert [event.name for event in good] == ["send"]
        assert [event.name for event in bad] == ["wait", "book"]
        good, bad = _unmatched([look], [look, look])
        assert (good, [event.name for event in bad]) == ([], ["look"])

    def test_a_record_told_in_more_detail_is_the_same(self) -> None:
        assert _agrees({"a": 1}, {"a": 1, "b": 2})
        assert _agrees({"a": 1, "b": 2}, {"a": 1})
        assert not _agrees({"a": 1, "c": 2}, {"a": 1, "b": 2})
        assert not _agrees({"a": 1}, {"b": 1})
        assert not _agrees({"a": 1}, {"a": 2, "b": 2})
        assert _agrees([{"a": 1}], [{"a": 1, "b": 2}])
        assert not _agrees([1], [1, 2])


def test_what_else_was_noticed_is_neither_the_cause_nor_on_the_pass() -> None:
    run = a_run(
        attempt(0, False, saw("zz_made_up_id", "zz_by_hand", "zz_no_retest")), attempt(1, True, saw("zz_by_hand"))
    )
    bad, good = (Track(case, None, ()) for case in run.cases)
    assert [name for name, _, _ in _also(bad, {"zz_made_up_id"}, good)] == ["zz_no_retest"]
    assert [name for name, _, _ in _also(bad, {None}, None)] == ["zz_no_retest", "zz_by_hand"]


def test_a_mode_could_bring_the_full_score_of_its_run() -> None:
    """Where two is a full score, a rollout that got none could have brought two."""
    cases = [case(f"t{n}", place, reward) for n in range(4) for place, reward in ((0, 0.0), (1, 2.0))]
    found = Rewards(cases).recovery(cases[::2], exact=True)
    assert found.points == 1.0
    nothing = [case("t", place, -1.0) for place in range(2)]
    assert Rewards(nothing).recovery(nothing[:1], exact=True).points == 0.0, "nobody reached more than -1"


@pytest.mark.parametrize(("hurt", "spared", "prevails"), [(1, 1, True), (2, 1, True), (1, 2, False), (3, 0, True)])
def test_a_hard_fault_prevails_on_half_of_the_failing_attempts(hurt: int, spared: int, prevails: bool) -> None:
    cases = [attempt(n, False, saw("zz_cut_bracket")) for n in range(hurt)]
    cases += [attempt(hurt + n, False, saw("zz_made_up_id")) for n in range(spared)]
    run = a_run(*cases)
    (group,) = groups([run], moded(run))
    task = weigh(group, Habits())
    assert task.veto == "TI"
    assert _prevails(task) is prevails


def test_without_transcripts_nothing_is_said_of_the_agent() -> None:
    silent = a_run(*(attempt(n, False, saw("zz_made_up_id"), items=0) for n in range(3)))
    (label,) = find_labels([silent], moded(silent))
    assert label.labels == ("IE",)
    assert "no failing attempt shows what the model did, so BI cannot be told from other causes" in label.why
    shown = a_run(*(attempt(n, False, saw("zz_made_up_id"), items=5) for n in range(3)))
    (label,) = find_labels([shown], moded(shown))
    assert label.labels == ("BI",)


def test_fifty_tasks_stand_for_a_mode_those_hit_most_first() -> None:
    cases = [attempt(0, False, saw("zz_made_up_id"), task=f"t{n:02}") for n in range(52)]
    cases += [attempt(1, False, saw("zz_made_up_id"), task="t40")]
    run = a_run(*cases)
    (mode,) = moded(run)
    examples = mode.runs["a"]["examples"]
    assert examples == ["t40", *(f"t{n:02}" for n in range(50) if n != 40)]
