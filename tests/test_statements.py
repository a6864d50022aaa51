"""Nothing is said that the rows do not show: in Markdown, in the page and on the screen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tests.detectors import attempts
from tests.gym_rows import analysed, given, message, response, row, write

from blade import api
from blade.detectors import unresolved_entity
from blade.findings import Sighting
from blade.model import Analysis
from blade.renderers import terminal
from blade.renderers.html.trust import TrustCheck, trust


def text(analysis: Analysis) -> str:
    """The Markdown report, white space folded and marks unescaped."""
    return " ".join(api.render(api.report(analysis), "markdown").replace("\\", "").split())


def line(analysis: Analysis, name: str) -> TrustCheck:
    """One line of the trust panel."""
    (found,) = [check for check in trust(analysis) if check.name == name]
    return found


def with_aggregate(folder: Path, rows: Sequence[Any], metrics: dict[str, Any]) -> Analysis:
    path = write(folder / "a.jsonl", rows)
    entry = {"agent_ref": {"name": "an_agent"}, "agent_metrics": metrics, "key_metrics": metrics}
    (folder / "a_aggregate_metrics.json").write_text(json.dumps([entry]), encoding="utf-8")
    return analysed(path)


def test_a_false_bare_pass_rate_is_said_to_differ_and_a_right_one_to_agree(tmp_path: Path) -> None:
    rows = [row(task, attempt, float(task % 2), note=attempt) for task in range(6) for attempt in range(2)]
    told = with_aggregate(tmp_path / "false", rows, {"pass@1": 0.9})
    assert line(told, "aggregates").state == "bad"
    assert "agree with its rows" not in text(told)
    assert "| `pass@1` |  | 0.9 | 0.5 |" in api.render(api.report(told), "markdown")
    assert "first pass@1: 0.9 there, 0.5 from the rows" in text(told)


def test_what_cannot_be_recomputed_is_said_to_be_unchecked(tmp_path: Path) -> None:
    rows = [row(task, reward=float(task % 2)) for task in range(6)]
    own = {"pass@1[by-elo]": 0.9, "elo": 1200}
    alone = with_aggregate(tmp_path / "alone", rows, own)
    assert "summary files could be recomputed from its rows: they are unchecked (pass@1[by-elo] and elo)." in text(
        alone
    )
    assert line(alone, "aggregates").state == "open"
    both = with_aggregate(tmp_path / "both", rows, own | {"pass@1": 0.5})
    assert "2 values could not be recomputed and are unchecked: pass@1[by-elo] and elo." in text(both)
    assert "2 values could not be recomputed and are unchecked" in line(both, "aggregates").words
    for told in (alone, both):
        assert "summary files agree with its rows" not in text(told)


def judged(task: int, attempt: int, reward: float, said: str, **fields: Any) -> dict[str, Any]:
    return row(task, attempt, reward, response=response(message(said)), **fields)


def bare(task: int, attempt: int, reward: float) -> dict[str, Any]:
    """A row that holds nothing but its place and its reward."""
    return {"_ng_task_index": task, "_ng_rollout_index": attempt, "reward": reward}


def pair(folder: Path, make: Any) -> Analysis:
    """Two runs of twelve tasks with two attempts each."""
    places = [(task, attempt) for task in range(12) for attempt in range(2)]
    return analysed(
        *(
            write(folder / f"{name}.jsonl", [make(*place, float(sum(place) % 3 > 0)) for place in places])
            for name in "ab"
        )
    )


def test_a_check_with_nothing_to_look_at_is_no_tick(tmp_path: Path) -> None:
    told = pair(tmp_path, bare)
    assert (line(told, "gold").state, line(told, "gold").words) == (
        "open",
        "Not checked: no row holds both the key and an answer that the verifier read out.",
    )
    assert line(told, "foreign").words == "Not checked: the rows of a name no model; the rows of b name no model."
    assert line(told, "passport").words == "Not checked: the rows record no settings."
    assert "Not checked: " in line(told, "others").words
    assert {"gold", "foreign", "passport", "coverage", "aggregates"} <= {
        check.name for check in trust(told) if check.state == "open"
    }
    assert "suspect gold: no row holds both the key and an answer that the verifier read out" in text(told)


def test_coverage_of_a_number_that_the_rows_gave_is_not_checked(tmp_path: Path) -> None:
    rows = [row(task, attempt, float(attempt)) for task in range(6) for attempt in range(2)]
    path = write(tmp_path / "a.jsonl", rows)
    inferred = analysed(path)
    check = line(inferred, "coverage")
    assert (check.state, check.words) == (
        "open",
        "a: not checked, 12 graded and the expected number inferred from them.",
    )
    assert "| Coverage of expected rollouts | 100.0% of an inferred number |" in text(inferred)
    write(tmp_path / "a_materialized_inputs.jsonl", [given(task, attempt) for task in range(6) for attempt in range(2)])
    known = analysed(path)
    assert (line(known, "coverage").state, line(known, "coverage").words) == ("well", "a: 12 of 12 expected (100.0%).")
    assert "inferred" not in text(known)


def test_rows_that_nobody_judged_are_not_said_to_be_whole(tmp_path: Path) -> None:
    broken = {"code": "x", "message": "503 Service Unavailable"}
    rows = [judged(task, 0, float(task % 2), f"It is {task}.") for task in range(40)]
    for one in rows[:15]:
        one["response"] |= {"error": broken}
        one["reward"] = 0.0
    path = write(tmp_path / "a.jsonl", rows)
    write(tmp_path / "a_materialized_inputs.jsonl", [given(task) for task in range(40)])
    told = text(analysed(path))
    assert "No rollout was lost" not in told
    assert "Every expected rollout has a row. 15 of 40 rollouts were not judged (15 broken by infrastructure)" in told


def test_a_run_whose_inputs_name_more_is_unfinished_and_one_without_an_aggregate_may_be(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(task, reward=float(task % 2)) for task in range(6)])
    nothing = analysed(path)
    may = (
        "The run may be unfinished: there is neither a file of materialized inputs nor one of aggregates "
        "beside its rows."
    )
    assert may in text(nothing)
    write(tmp_path / "a_materialized_inputs.jsonl", [given(task) for task in range(6)])
    whole = analysed(path)
    assert "The run may be unfinished: there is no file of aggregates beside its rows." in text(whole)
    assert "a may be unfinished: there is no file of aggregates beside its rows" in screen(whole)
    write(tmp_path / "a_materialized_inputs.jsonl", [given(task) for task in range(8)])
    short = analysed(path)
    words = "is unfinished: 2 of the 8 rollouts that its inputs name have no row and no failure, and no aggregate was"
    assert f"The run {words} written." in text(short)
    assert f"a {words}" in " ".join(screen(short).split())


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("120", "120", "neither makes a call; both end on the same words, and only the verdict differs"),
        ("It is 120.", "The answer: 120.", "neither makes a call; both answer '120', in other words"),
        ("It is 120.", "It is 7.", "neither makes a call; their answers differ"),
    ],
)
def test_equal_answers_are_not_said_to_differ(tmp_path: Path, good: str, bad: str, words: str) -> None:
    answers = {"It is 7.": "7"}
    rows = []
    for task in range(3):
        for attempt, (said, reward) in enumerate(((good, 1.0), (bad, 0.0))):
            rows.append(
                judged(task, attempt, reward, said, extracted_answer=answers.get(said, "120"), expected_answer="120")
            )
    (told, *_) = analysed(write(tmp_path / "a.jsonl", rows)).twins
    assert told["statement"] == words


def test_a_tool_that_was_asked_for_another_is_not_said_to_be_never_asked() -> None:
    told = [made_up(looked_up).detail for looked_up in (False, True)]
    assert told[0].endswith("'directory_find' was never asked")
    assert told[1].endswith("'directory_find' was asked for others, never for this name")


def made_up(looked_up: bool) -> Sighting:
    """An address made up from a name, with or without a look-up of somebody else before."""
    tools = [attempts.tool("directory_find", name="string"), attempts.tool("send_mail", recipient_email="string")]
    first = [attempts.call("directory_find", {"name": "Ada Kvist"}, "ada.kvist@yard.example")] if looked_up else []
    items = [item for group in first for item in group]
    items += attempts.call("send_mail", {"recipient_email": "maud.marsh@yard.example"}, "ok")
    asked = "Ask Ada Kvist, then mail Maud Marsh."
    return unresolved_entity.detect(attempts.attempt(*items, tools=tools, prompt=asked))


def screen(analysis: Analysis) -> str:
    stream = StringIO()
    terminal.summary(analysis, [Path("out/report.md")], stream)
    return stream.getvalue()


def test_flaws_come_before_the_claims_of_many_runs(tmp_path: Path) -> None:
    """Eight runs are told in one claim."""
    paths = []
    for run in range(8):
        rows = [
            judged(task, attempt, float((task + attempt + run) % 3 > 0), f"{run} {task} {attempt}")
            for task in range(6)
            for attempt in range(2)
        ]
        paths.append(write(tmp_path / f"r{run}.jsonl", [*rows, b"not json"] if run == 7 else rows))
    lines = screen(analysed(*paths)).splitlines()
    flaw = next(place for place, line in enumerate(lines) if "in the input" in line)
    claims = [place for place, line in enumerate(lines) if line.startswith("• ")]
    assert lines[flaw - 1].startswith("r")  # the last run of the table
    assert flaw < claims[0]
    assert len(claims) <= 10
    assert lines[claims[0]].startswith("• Difference: Inconclusive against r0 (chance may explain it): r1 0.0 pp, ")
    assert lines[-1] == "report: out/report.md"


def test_a_difference_that_counts_lost_rollouts_as_zero_says_so(tmp_path: Path) -> None:
    def rows(run: int) -> list[Any]:
        made = [judged(task, 0, float((task + run) % 3 > 0), f"{run} {task}") for task in range(12)]
        broken = {"reward": 0.0, "error_kind": "http_error", "error_message": "503 Service Unavailable"}
        return [one | broken if run == 2 and task < 3 else one for task, one in enumerate(made)]

    lines = screen(analysed(*(write(tmp_path / f"r{run}.jsonl", rows(run)) for run in range(3))))
    words = " ".join(lines.split())
    assert "Inconclusive against r0 (chance may explain it), lost as 0: r2 −16.7 pp" in words
    assert "r2 −16.7 pp" in words
