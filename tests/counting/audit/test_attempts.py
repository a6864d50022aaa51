"""Rows that are no attempt of the model are known by what recurs in them, whatever the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, only_run, read, response, row, write
from tests.questions.made_cases import words

from blade.counting.audit import recurring
from blade.model import Step
from blade.sections import attempt_audit

VOCABULARIES = {
    "shell": ("Collecting helper", "error: this place is managed by others", "bash: helper: command not found"),
    "queue": (
        "[sched] slot 4 of 9 given back",
        "[sched] the lease of worker w-88121 ran out",
        "[sched] job 77 returned",
    ),
    "german": ("Der Dienst nimmt heute nichts an", "Auftrag 5512 liegt zu lange", "Sitzung 9 beendet"),
}
TASKS = 12


def acted(task: int, attempt: int, reward: float) -> Json:
    call = {"type": "function_call", "name": "look", "arguments": f'{{"at": {task}}}', "call_id": f"c{attempt}"}
    answer = {"type": "function_call_output", "call_id": f"c{attempt}", "output": f"shelf {task} holds {task * 7} jars"}
    return row(task, attempt, reward, **told(call, answer, message(f"There are {task * 7} jars on shelf {task}.")))


def told(*output: Any, tests: dict[str, str] | None = None, **fields: Any) -> Json:
    """The fields of a row whose usage nobody counted, with results of a verifier where there are some."""
    verifier = {"test_results": tests} if tests is not None else {"test_results": {"test_jars": "failed"}}
    silent = response(*output, usage={"input_tokens": 0, "output_tokens": 0, "total_tokens": 0})
    return {"response": silent, "verifier": verifier, "extracted_answer": ABSENT, **fields}


def never_started(task: int, attempt: int, lines: tuple[str, ...]) -> Json:
    text = "\n".join(line.replace("5512", str(5500 + task)) for line in lines)
    return row(task, attempt, 0.0, **told(message(text)))


def half_void(lines: tuple[str, ...]) -> list[Json]:
    rows = [acted(task, attempt, float(task % 2)) for task in range(TASKS // 2) for attempt in range(2)]
    return rows + [never_started(task, attempt, lines) for task in range(TASKS // 2, TASKS) for attempt in range(2)]


@pytest.mark.parametrize("words", list(VOCABULARIES))
def test_rows_whose_agent_never_started_are_void_in_any_vocabulary(words: str, tmp_path: Path) -> None:
    lines = VOCABULARIES[words]
    run = only_run(write(tmp_path / "rollouts.jsonl", half_void(lines)))
    audit = run.audit
    assert (audit["rows"], audit["not_started"], audit["no_trial"], audit["not_judged"]) == (24, 12, 0, 0)
    (group,) = audit["groups"]
    assert (group["stage"], group["rows"], group["tasks"]) == ("not_started", 12, 6)
    (shown,) = group["lines"]  # all lines stand in the same rows, so one is enough
    assert shown["rows"] == 12
    assert shown["line"].split()[0] in {line.split()[0] for line in lines}
    assert run.statuses["infrastructure"] == 12
    assert audit["scores"]["all"]["mean"] == 0.25
    assert audit["scores"]["started"] == {"rows": 12, "points": 6.0, "mean": 0.5}
    assert run.metrics["evaluable"]["score"] == 0.5
    assert audit["failures"] == 18
    assert audit["judged_failures"] == 6
    assert len(audit["never_attempted"]) == 6


def test_only_a_row_without_any_text_is_inferred_from_the_other_attempts(tmp_path: Path) -> None:
    """A row with a text of its own shows by itself that no model took a turn."""
    rows = half_void(VOCABULARIES["queue"])
    rows += [row(TASKS - 1, 2, 0.0, **told()), row(TASKS - 1, 3, 0.0, **told(message("the wick of hall is wet")))]
    path = write(tmp_path / "rollouts.jsonl", rows)
    (group,) = only_run(path).audit["groups"]
    assert (group["rows"], group["inferred"]) == (14, 1)
    shown = words(attempt_audit.build(analysed(path)))
    assert "1 of them holds no text at all; as no other attempt of its task started, that is inferred." in shown


def test_a_category_of_the_tasks_is_no_word_for_the_rows(tmp_path: Path) -> None:
    """Every attempt of some tasks is void: their category says nothing of that, a status does."""
    rows = half_void(VOCABULARIES["queue"])
    for place, entry in enumerate(rows):
        task = place // 2
        entry["metadata"] = {"category": "jars" if task >= TASKS // 2 else "abc"[task % 3]}
    categories = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert categories["groups"][0]["fields"] == []
    for place, entry in enumerate(rows):
        entry["metadata"]["state"] = "lost" if place // 2 >= TASKS // 2 else "ran"
    states = only_run(write(tmp_path / "again" / "rollouts.jsonl", rows)).audit
    assert states["groups"][0]["fields"] == [{"field": "metadata.state", "value": "lost", "rows": 12}]


def test_a_task_whose_own_words_keep_the_agent_from_starting_in_every_attempt_is_void_too(tmp_path: Path) -> None:
    own = [
        f"the jar of lamp oil broke in round {n}\nnothing burns in hall {n}\nthe wick of hall is wet" for n in "abcd"
    ]
    rows = half_void(VOCABULARIES["queue"])
    rows += [row(TASKS, attempt, 0.0, **told(message(text))) for attempt, text in enumerate(own)]
    audit = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert (audit["not_started"], audit["judged_failures"]) == (16, 6)
    once = [row(TASKS, 4, 1.0, **told(message("Now it burns."), tests={"test_lamp": "passed"}))]
    audit = only_run(write(tmp_path / "again" / "rollouts.jsonl", rows + once)).audit
    assert audit["not_started"] == 12, "one attempt passes, so the agent does start there"


def test_an_unjudged_row_that_begins_as_those_that_never_started_is_one_of_them(tmp_path: Path) -> None:
    lines = VOCABULARIES["queue"]
    parcels = "\n".join(f"parcel {word} is on its way" for word in "ash oak elm fir yew box bay fig ivy may".split())
    begun = "\n".join(lines) + "\n" + parcels
    late = row(0, 2, 0.0, **told(message(begun)))
    late["verifier"] = {"test_results": None, "error": "evaluation timed out"}
    judged = row(1, 2, 0.0, **told(message(begun)))
    audit = only_run(write(tmp_path / "rollouts.jsonl", [*half_void(lines), late, judged])).audit
    assert (audit["not_started"], audit["not_judged"], audit["silent"]) == (13, 0, 1)


def test_a_claim_of_success_in_rows_that_never_started_is_told(tmp_path: Path) -> None:
    lines = (*VOCABULARIES["shell"], "helper: installed with SUCCESS")
    audit = only_run(write(tmp_path / "rollouts.jsonl", half_void(lines))).audit
    claim = audit["groups"][0]["claim"]
    assert (claim["line"], claim["rows"]) == ("helper: installed with SUCCESS", 12)
    assert audit["highest"] == audit["scores"]["started"]["mean"] == 0.5


def test_a_shared_line_is_quoted_as_it_stands(tmp_path: Path) -> None:
    run = only_run(write(tmp_path / "rollouts.jsonl", half_void(VOCABULARIES["shell"])))
    first = run.audit["groups"][0]["lines"][0]
    proof = first["evidence"]
    assert first["line"] == proof["quote"]
    row_bytes = Path(proof["file"]).read_bytes()[proof["offset"] : proof["offset"] + proof["length"]]
    assert proof["quote"].encode() in row_bytes


def test_texts_of_their_own_are_not_void(tmp_path: Path) -> None:
    rows = [acted(task, 0, 1.0) for task in range(8)]
    words = ("jars", "tins", "sacks", "bins", "racks", "crates")
    texts = [f"No {word} stand here\nI looked for {word}\nSome {word} may be lost" for word in words]
    rows += [row(task, 0, 0.0, **told(message(text))) for task, text in enumerate(texts, 8)]
    audit = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert (audit["not_started"], audit["silent"]) == (0, 6)


def test_a_row_with_words_of_its_own_is_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nouns = ("jars of plums", "crates of slate", "reels of yarn", "sacks of oats", "rolls of felt", "kegs of salt")
    own = [
        row(task, 2, 0.0, **told(message(f"All the {noun} stand here.\nNobody asked for {noun}.")))
        for task, noun in enumerate(nouns)
    ]
    looked: Counter[int] = Counter()
    lines_of = recurring._lines_of

    def counted(steps: Sequence[Step]) -> recurring.Lines:
        looked[hash(steps[0].text)] += 1
        return lines_of(steps)

    monkeypatch.setattr(recurring, "_lines_of", counted)
    run = only_run(write(tmp_path / "rollouts.jsonl", [*half_void(VOCABULARIES["shell"]), *own]))
    assert run.audit["not_started"] == 12
    texts = [one["response"]["output"][0]["content"][0]["text"] for one in own]
    assert [looked[hash(text)] for text in texts] == [1] * len(texts)


def test_a_row_that_passed_is_never_void(tmp_path: Path) -> None:
    rows = half_void(VOCABULARIES["shell"])
    for one in rows[-6:]:
        one["reward"] = 1.0
    (run,) = read(write(tmp_path / "rollouts.jsonl", rows))
    void = run.facts.filter(run.facts["stage_lost"].is_not_null())
    assert not any(void["passed"].to_list())


def test_rows_whose_usage_says_that_the_model_wrote_are_not_void(tmp_path: Path) -> None:
    rows = half_void(VOCABULARIES["shell"])
    for one in rows:
        one["response"]["usage"] = {"input_tokens": 9, "output_tokens": 40, "total_tokens": 49}
    assert only_run(write(tmp_path / "rollouts.jsonl", rows)).audit["not_started"] == 0


def test_a_run_that_records_no_turns_says_so_and_calls_nothing_void(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task % 2), **told()) for task in range(12)]
    audit = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert not audit["records_turns"]
    assert (audit["no_trial"], audit["not_started"], audit["not_judged"], audit["silent"]) == (0, 0, 0, 0)


def timed(one: Json, start: str | None) -> Json:
    return one | {"metadata": {"started_at": start}}


def test_rows_that_tell_of_a_broken_connection_are_no_judged_attempts(tmp_path: Path) -> None:
    lost = {"error": "APIConnectionError: [Errno 54] Connection reset by peer", "test_results": None}
    rows = [acted(task, 0, float(task % 2)) for task in range(8)]
    rows += [row(task, 0, 0.0, response=response(), extracted_answer=ABSENT, verifier=lost) for task in range(8, 12)]
    run = only_run(write(tmp_path / "rollouts.jsonl", rows))
    audit = run.audit
    assert (audit["broken"], audit["not_started"], audit["not_judged"]) == (4, 0, 0)
    assert (audit["failures"], audit["judged_failures"]) == (8, 4)
    assert (audit["scores"]["judged"]["rows"], audit["scores"]["judged"]["mean"]) == (8, 0.5)
    (group,) = audit["groups"]
    assert (group["stage"], group["rows"], group["tasks"]) == ("broken", 4, 4)
    assert "Connection reset by peer" in group["lines"][0]["line"]


def test_rows_without_output_time_and_results_never_ran(tmp_path: Path) -> None:
    rows = [timed(acted(task, 0, 1.0), f"2026-03-0{task % 9 + 1}T10:00:00Z") for task in range(12)]
    rows += [timed(row(task, 1, 0.0, **told(tests={}, note="lost_trial")), None) for task in range(4)]
    rows += [timed(acted(task, 1, 1.0), "2026-03-02T11:00:00Z") for task in range(4, 12)]
    audit = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert audit["no_trial"] == 4
    assert audit["groups"][0]["fields"] == [{"field": "note", "value": "lost_trial", "rows": 4}]
    assert audit["by_attempt"][1] == {
        "attempt": 1,
        "rows": 12,
        "no_trial": 4,
        "not_started": 0,
        "broken": 0,
        "not_ended": 0,
        "not_judged": 0,
        "last_start": "2026-03-02T11:00:00Z",
    }
    assert audit["groups"][0]["attempts"] == {"1": 4}
    assert audit["groups"][0]["status"] == {"field": "note", "values": {"lost_trial": 4}}


def test_an_empty_output_with_a_start_time_is_not_called_a_trial_that_never_ran(tmp_path: Path) -> None:
    rows = [timed(acted(task, 0, 1.0), "2026-03-01T10:00:00Z") for task in range(12)]
    rows += [timed(row(task, 1, 0.0, **told(tests={})), "2026-03-01T12:00:00Z") for task in range(4)]
    audit = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert (audit["no_trial"], audit["not_started"], audit["silent"]) == (0, 4, 0)


def test_rows_that_the_verifier_left_without_results_were_not_judged(tmp_path: Path) -> None:
    log = "unpacking wheels\nfetching part 3 of 9 from mirror"
    rows = [acted(task, 0, 1.0) for task in range(10)]
    for task in range(10, 14):
        late = acted(task, 0, 0.0)
        late["verifier"] = {"test_results": None, "log": log, "error": "evaluation timed out"}
        rows.append(late)
    run = only_run(write(tmp_path / "rollouts.jsonl", rows))
    assert run.audit["not_judged"] == 4
    assert run.statuses["verifier_error"] == 4
    (group,) = run.audit["groups"]
    assert group["lines"][0]["line"] == "fetching part 3 of 9 from mirror"
    assert run.audit["scores"]["judged"] == {"rows": 10, "points": 10.0, "mean": 1.0}


def test_each_row_tells_the_line_at_which_its_own_log_stops(tmp_path: Path) -> None:
    rows = [acted(task, 0, 1.0) for task in range(12)]
    endings = ("fetching part 3 of 9 from mirror", "waiting for the lock of another package manager")
    for task in range(12, 20):
        late = acted(task, 0, 0.0)
        log = f"unpacking wheels\n{endings[task % 2]}"
        late["verifier"] = {"test_results": None, "log": log, "failure_mode": "parse_error"}
        rows.append(late)
    (run,) = read(write(tmp_path / "rollouts.jsonl", rows))
    told = {label: reason for label, reason in run.facts.select("label", "reason").rows() if reason}
    assert len(told) == 8
    for label, reason in told.items():
        assert endings[int(label) % 2] in reason


def test_rows_without_results_and_without_a_sign_of_trouble_stay_attempts(tmp_path: Path) -> None:
    rows = [acted(task, 0, 1.0) for task in range(10)]
    rows += [acted(task, 0, 0.0) | {"verifier": {"test_results": None}} for task in range(10, 14)]
    audit = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert (audit["not_judged"], audit["unjudged"]) == (0, 4)


def test_an_agent_that_never_started_is_infrastructure_even_where_the_verifier_ran_out_of_time(tmp_path: Path) -> None:
    lost = [
        row(task, attempt, 0.0, **told(message("\n".join(VOCABULARIES["shell"])), failure_mode="test_timeout"))
        for task in range(TASKS // 2, TASKS)
        for attempt in range(2)
    ]
    attempts = [acted(task, attempt, float(task % 2)) for task in range(TASKS // 2) for attempt in range(2)]
    ran = [acted(task, attempt, 1.0) for task in range(TASKS) for attempt in range(2)]
    analysis = analysed(write(tmp_path / "lost.jsonl", attempts + lost), write(tmp_path / "ran.jsonl", ran))
    run = analysis.runs[0]
    assert run.audit["not_started"] == 12
    assert (run.statuses["infrastructure"], run.statuses.get("verifier_error", 0)) == (12, 0)
    modes = {mode.id: mode.runs["lost"]["rollouts"] for mode in analysis.modes}
    assert modes["status_infrastructure"] == 12
    assert not {"eval_timeout", "status_verifier_error"} & modes.keys()
    (change,) = analysis.changes
    assert {flip["task"] for flip in change.flips} == {"0", "2", "4"}, "a task never attempted moves nowhere"


def test_a_shared_line_is_counted_in_rows_that_hold_much_else(tmp_path: Path) -> None:
    lines = VOCABULARIES["shell"]
    own = [f"Unpacking layer {letter * 5} of an image that nobody else has" for letter in "abcdefgh"]
    more = [row(90, attempt, 0.0, **told(message("\n".join([*own, lines[-1]])))) for attempt in range(4)]
    audit = only_run(write(tmp_path / "rollouts.jsonl", half_void(lines) + more)).audit
    assert audit["not_started"] == 16
    (shown,) = [line for line in audit["groups"][0]["lines"] if line["line"] == lines[-1]]
    assert (shown["rows"], shown["tasks"]) == (16, 7)


def test_rows_without_output_are_not_void_where_such_rows_pass_too(tmp_path: Path) -> None:
    """Most transcripts were left out: a line that the patches of some failures share is no log of a start."""
    settings = (
        "diff --git a/t.ini b/t.ini\n--- a/t.ini\n+++ b/t.ini\n@@ -1,1 +1,2 @@\n keep this line\n+base python three\n"
    )
    rows = [acted(task, 0, 1.0) for task in range(4)]
    rows += [row(task, 0, 1.0, **told()) for task in range(4, 16)]
    rows += [row(task, 0, 0.0, **told(), metadata={"model_patch": settings}) for task in range(16, 22)]
    audit = only_run(write(tmp_path / "rollouts.jsonl", rows)).audit
    assert (audit["not_started"], audit["judged_failures"]) == (0, 6)
    log = "fetching parts\nthe place is managed by others"
    for one in rows[-6:]:
        one["metadata"] = {"log": log}
    audit = only_run(write(tmp_path / "with_log" / "rollouts.jsonl", rows)).audit
    assert audit["not_started"] == 0, "as many rows without output pass"
    audit = only_run(write(tmp_path / "only_log" / "rollouts.jsonl", rows[:4] + rows[-6:])).audit
    assert audit["not_started"] == 6
    for one in rows[-6:]:
        one["metadata"] = {"model_patch": settings}
    audit = only_run(write(tmp_path / "only_patch" / "rollouts.jsonl", rows[:4] + rows[-6:])).audit
    assert audit["not_started"] == 0, "a patch is no log"


@pytest.mark.parametrize(("passes", "void"), [(False, 4), (True, 0)])
def test_rows_without_a_token_never_started_where_only_tokens_show_the_work(
    tmp_path: Path, passes: bool, void: int
) -> None:
    """No turn is recorded and nearly every row counts tokens. Were one of the blank rows a pass, none would be void."""
    unused = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    rows = [row(task, 0, float(task % 2), response=response()) for task in range(20)]
    for task in range(4):  # far from each other, so that they are no dead stretch
        rows.insert(6 * task, row(task, 1, float(passes and task == 0), response=response(usage=unused)))
    run = only_run(write(tmp_path / "rollouts.jsonl", rows))
    assert run.audit["not_started"] == void


def test_the_first_error_of_a_starved_log_is_told_and_not_what_follows_from_it(tmp_path: Path) -> None:
    """Later steps fail because the first did; what judged logs say as well is harmless."""
    harmless = "front end: unable to open a dialog"
    rows = [acted(task, 0, 1.0) for task in range(12)]
    for one in rows:
        one["verifier"]["log"] = f"unpacking wheels\n{harmless}\n3 passed"
    for task, holder in enumerate(("packer", "updater", "packer", "updater"), 12):
        late = acted(task, 0, 0.0)
        lock = f"E: Could not get lock of the shelf. It is held by process {task}7 ({holder})"
        log = f"{harmless}\n{lock}\nrun.sh: line 3: fetch: command not found"
        late["verifier"] = {"test_results": None, "log": log, "failure_mode": "parse_error"}
        rows.append(late)
    path = write(tmp_path / "rollouts.jsonl", rows)
    (run,) = read(path)
    reasons = {reason for reason in run.facts["reason"].to_list() if reason}
    assert len(reasons) == 1
    assert all("Could not get lock" in reason and "not found" not in reason for reason in reasons)
    said = words(attempt_audit.build(analysed(path)))
    assert "came to no verdict: its log reports “E: Could not get lock of the shelf." in said
    assert "its log stops at" not in said


def test_a_field_of_the_task_is_no_word_for_what_became_of_its_rows(tmp_path: Path) -> None:
    """The other attempts at the same tasks have it, too: it tells which tasks, not what happened."""
    rows = [counted(task, attempt, float((task + attempt) % 2)) for task in range(40) for attempt in range(3)]
    for entry in rows:
        entry["metadata"] = {"ward": f"ward {entry['_ng_task_index'] // 2}"}
        if entry["_ng_task_index"] in {3, 8, 21} and entry["_ng_rollout_index"] == 2:
            entry["response"]["usage"] = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
            entry["reward"] = 0.0
    path = write(tmp_path / "rollouts.jsonl", rows)
    (group,) = only_run(path).audit["groups"]
    assert (group["stage"], group["rows"], group["status"]) == ("not_started", 3, None)
    shown = words(attempt_audit.build(analysed(path)))
    assert "(3 tasks) never started the agent: no output, and not one token is counted." in shown
    assert "recurs in other tasks" not in shown


def counted(task: int, attempt: int, reward: float) -> Json:
    """A row of which only the tokens and the score are kept."""
    usage = {"input_tokens": 900, "output_tokens": 40, "total_tokens": 940}
    return row(task, attempt, reward, response=response(usage=usage), extracted_answer=ABSENT)


@pytest.mark.parametrize(("turns", "started"), [(0, True), (3, False), (None, False)])
def test_a_row_without_turn_or_token_never_started_whatever_its_error_says(
    turns: int | None, started: bool, tmp_path: Path
) -> None:
    """Where a turn was taken, or nobody counted the turns, the error may have come while the agent worked."""
    rows = [counted(task, 0, float(task % 2)) | {"metadata": {"turn_count": 4 + task}} for task in range(12)]
    rows[4]["response"]["usage"] = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    rows[4] |= {"metadata": {"turn_count": turns}, "verifier": {"error_message": "Cannot connect to host shelf:443"}}
    path = write(tmp_path / "rollouts.jsonl", rows)
    audit = only_run(path).audit
    shown = words(attempt_audit.build(analysed(path)))
    if started:
        assert (audit["not_started"], audit["broken"]) == (1, 0)
        assert "(1 task) never started the agent: no output, and not one token is counted." in shown
        assert "Its text has “verifier.error_message: Cannot connect to host shelf:443”" in shown
    else:
        assert (audit["not_started"], audit["broken"]) == (0, 1)
        assert "(1 task) was broken off by infrastructure" in shown


@pytest.mark.parametrize("near", [True, False])
def test_an_error_near_the_end_of_a_single_starved_log_is_told_before_its_last_line(
    tmp_path: Path, *, near: bool
) -> None:
    rows = [acted(task, 0, 1.0) for task in range(12)]
    for one in rows:
        one["verifier"]["log"] = "unpacking wheels\n3 passed"
    late = acted(12, 0, 0.0)
    steps = "".join(f"shelf number {word} is dusted\n" for word in "one two three four five six seven".split())
    log = f"unpacking wheels\nE: Unable to acquire the lock of the shelf\n{'' if near else steps}fetching the hammer"
    late["verifier"] = {"test_results": None, "log": log, "failure_mode": "parse_error"}
    said = words(attempt_audit.build(analysed(write(tmp_path / "rollouts.jsonl", [*rows, late]))))
    assert ("its log reports “E: Unable to acquire the lock of the shelf”" in said) == near
    assert ("its log stops at “fetching the hammer”" in said) != near
