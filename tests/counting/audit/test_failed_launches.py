"""A run that keeps screens alone shows by the shell's own complaint which agents could not be started."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.counting.audit.test_attempts import told
from tests.gym_rows import Json, analysed, message, only_run, request, row, write
from tests.questions.made_cases import words

from blade.sections import attempt_audit

ASKED = "Sort the jars of shelf {} by the day on which they were filled, and write the list to jars.txt"
LOG = "\n".join(f'09:4{n}:10 - helper:INFO: server.py:12 - "POST /work HTTP/1.1" 200 OK' for n in range(8))
COMPLAINTS = {
    "program": "/usr/bin/helper: line 2: /opt/helper/bin/python: No such file or directory",
    "module": "/opt/helper/bin/python: Error while finding module specification for 'helper.main' "
    "(ModuleNotFoundError: No module named 'helper')",
    "rights": "bash: /opt/helper/bin/helper: Permission denied",
}


def screen(task: int, attempt: int, behind: str, reward: float = 0.0, **fields: object) -> Json:
    asked = ASKED.format(task)
    wrapped = f"{asked[:50]}\n{asked[50:]}"
    shown = f"root@box{task}:/app# helper --task '{wrapped}'; wait done\n{behind}\nroot@box{task}:/app#"
    verdict = "passed" if reward else "failed"
    made = told(message(shown), tests={"test_jars": verdict, "test_day": "passed"}, **fields)
    return row(task, attempt, reward, responses_create_params=request(asked), **made)


def worked(many: int = 8) -> list[Json]:
    return [screen(task, attempt, LOG, float(task % 2)) for task in range(many) for attempt in range(2)]


@pytest.mark.parametrize("kind", list(COMPLAINTS))
def test_a_start_that_the_shell_refuses_is_no_attempt_of_the_model(kind: str, tmp_path: Path) -> None:
    rows = [*worked(), *(screen(9, attempt, COMPLAINTS[kind]) for attempt in range(2))]
    path = write(tmp_path / "rollouts.jsonl", rows)
    run = only_run(path)
    assert (run.audit["records_turns"], run.audit["not_started"], run.audit["judged_failures"]) == (False, 2, 8)
    assert run.audit["never_attempted"] == ["9"]
    assert run.metrics["evaluable"]["rollouts"] == 16
    said = words(attempt_audit.build(analysed(path)))
    assert "(1 task) never started the agent: their screens show only a failed" in said
    assert COMPLAINTS[kind][:40] in said


def test_an_agent_whose_own_work_ends_on_a_complaint_did_start(tmp_path: Path) -> None:
    """Behind a log of the agent a complaint is its own affair; so it is where rows that passed show it."""
    late = [screen(9, attempt, f"{LOG}\n{COMPLAINTS['rights']}") for attempt in range(2)]
    assert only_run(write(tmp_path / "late" / "rollouts.jsonl", [*worked(), *late])).audit["not_started"] == 0
    usual = [screen(task, 0, COMPLAINTS["rights"], float(task % 2)) for task in range(8)]
    assert only_run(write(tmp_path / "usual" / "rollouts.jsonl", usual)).audit["not_started"] == 0


def test_a_field_that_says_the_agent_was_not_installed_tells_of_no_start(tmp_path: Path) -> None:
    lost = [screen(9, attempt, COMPLAINTS["rights"]) for attempt in range(2)]
    for one in lost:
        one["response"]["output"] = [message(f"{LOG}\n{COMPLAINTS['rights']}\nroot@box:/app#")]
        one["verifier"]["failure_mode"] = "agent_installation_failed"
    audit = only_run(write(tmp_path / "rollouts.jsonl", [*worked(), *lost])).audit
    assert (audit["not_started"], audit["broken"]) == (2, 0)
    assert audit["groups"][0]["lines"][0]["line"] == COMPLAINTS["rights"]


def test_a_complaint_is_counted_in_every_row_that_shows_it(tmp_path: Path) -> None:
    """Of the rows whose start is refused each ends on one complaint; what stands above it counts, too."""
    both = f"{COMPLAINTS['rights']}\n{COMPLAINTS['program']}"
    lost = [
        *(screen(8, attempt, both) for attempt in range(3)),
        *(screen(9, attempt, COMPLAINTS["rights"]) for attempt in range(2)),
    ]
    (group,) = only_run(write(tmp_path / "rollouts.jsonl", [*worked(), *lost])).audit["groups"]
    counted = {line["line"]: line["rows"] for line in group["lines"]}
    assert counted == {COMPLAINTS["program"]: 3, COMPLAINTS["rights"]: 5}


REPORTS = {
    "frames": [
        *(f"  at Kettle.{part} (/opt/kettle/{part}.js:{{n}}1:7)" for part in "boil pour fill heat sing".split()),
        *("Kettle gave in: water never came", "    cause: tap {n} stays dry", "kettle: bye"),
    ],
    "words": [
        f"the {part} of wagon {{n}} would not turn" for part in "wheel axle spoke hub brake rim reins seat".split()
    ],
}


@pytest.mark.parametrize("kind", list(REPORTS))
def test_an_agent_that_crashes_before_it_does_anything_never_started(kind: str, tmp_path: Path) -> None:
    """Behind the command stands one report, in whatever words, which rows of another task show and no pass does."""
    crashed = [
        screen(task, attempt, "\n".join(REPORTS[kind]).format(n=f"{task}{attempt}"))
        for task in (9, 11)
        for attempt in range(2)
    ]
    audit = only_run(write(tmp_path / "rollouts.jsonl", [*worked(), *crashed])).audit
    assert (audit["not_started"], audit["judged_failures"]) == (4, 8)
    assert sorted(audit["never_attempted"]) == ["11", "9"]
    assert [line["rows"] for line in audit["groups"][0]["lines"]] == [4]


def test_a_crash_whose_command_is_off_the_screen_is_known_by_its_report(
    tmp_path: Path,
) -> None:
    """The report is that of other tasks but for its end; below the work of an agent it is no failed start."""
    report = REPORTS["frames"]
    rows = [*worked(), *(screen(task, 0, "\n".join(report).format(n=task)) for task in (9, 11, 13))]
    begun = '09:41:02 - helper:INFO: boot.py:3 - "GET /alive HTTP/1.1" 200 OK'
    for task, above in ((15, begun), (17, LOG)):
        lost = screen(task, 0, "")
        lines = (above, *report, "kettle: the lid is stuck", f"root@box{task}:/app#")
        lost["response"]["output"] = [message("\n".join(lines).format(n=task))]
        rows.append(lost)
    audit = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert (audit["not_started"], sorted(audit["never_attempted"])) == (4, ["11", "13", "15", "9"])


def test_a_report_behind_work_or_in_passes_is_no_failed_start(tmp_path: Path) -> None:
    def report(task: int, attempt: int, before: str = "", reward: float = 0.0) -> Json:
        return screen(task, attempt, before + "\n".join(REPORTS["words"]).format(n=attempt), reward)

    work = "".join(f"jar {name} of shelf {{}} goes to the left\n" for name in "abcdefghijkl")
    late = [report(task, attempt, work.replace("{}", "xyz"[task - 9])) for task in (9, 11) for attempt in range(2)]
    assert only_run(write(tmp_path / "late" / "rollouts.jsonl", [*worked(), *late])).audit["not_started"] == 0
    usual = [report(task, attempt, reward=float(task == 9)) for task in (9, 11, 13) for attempt in range(2)]
    assert only_run(write(tmp_path / "usual" / "rollouts.jsonl", [*worked(), *usual])).audit["not_started"] == 0
    one_task = [report(9, attempt) for attempt in range(4)]
    assert only_run(write(tmp_path / "one" / "rollouts.jsonl", [*worked(), *one_task])).audit["not_started"] == 0
