"""Words and conditions: who wrote them, how the rollouts ended, and ids that can be cited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import message, response, row, write
from tests.queries.conftest import Asker
from tests.queries.small_runs import attempt, call

from blade.index.observations import observation_names


def line_of(text: str, run: str) -> list[str]:
    """The cells of a run in the first table, without "of"."""
    return next(line for line in text.splitlines() if line.startswith(f"{run} ")).replace(" of ", "/").split()[1:]


def test_words_are_counted_by_run_outcome_and_void(ask: Asker) -> None:
    told = ask("grep", "no such room").stdout
    assert line_of(told, "early") == ["4/8", "2/4", "0/4", "4/4", "0/0"]
    assert line_of(told, "late") == ["3/8", "2/4", "0/4", "3/3", "0/1"]
    assert "early desk-2 #0 (fail), tool, item 1: 'Error: no such room'" in told
    assert "1 further rollout with a match" in told


@pytest.mark.parametrize(
    ("pattern", "actor", "rollouts"),
    [
        ("STOP", "user", "8/8"),
        ("STOP", "model", "0/8"),
        ("booked", "model", "4/8"),
        ("booked", "tool", "4/8"),
        ("room", "model", "8/8"),  # the arguments of a call are the model's words
        ("^A$", "call", "8/8"),  # and their values stand for themselves
        ('"', "model", "8/8"),
        ('room|"', "call", "0/8"),
        ("booking is missing", "verifier", "4/8"),
        ("booking is missing", "harness", "0/8"),
        ("no such guest", "verifier", "8/8"),  # the name of a check may be a sentence
        ("What is 2 and 2", "task", "2/8"),
        ("desk-2", "harness", "2/8"),
    ],
)
def test_words_belong_to_whoever_wrote_them(ask: Asker, pattern: str, actor: str, rollouts: str) -> None:
    assert line_of(ask("grep", pattern, "--actor", actor).stdout, "early")[0] == rollouts


def test_filters_leave_only_what_is_asked_for(ask: Asker) -> None:
    told = json.loads(ask("grep", "BOOKED", "-i", "--passed", "--run", "late", "--task", "desk-2", "--json").stdout)
    assert told["counts"]["late"]["rollouts"] == 2
    assert told["counts"]["late"]["of_rollouts"] == 2
    assert told["counts"]["late"]["matches"] == 4  # the tool says it, and the model
    assert {(one["task"], one["actor"], one["quote"]) for one in told["matches"]} == {("desk-2", "tool", "booked")}


def test_a_condition_joins_outcome_fields_lists_and_words(ask: Asker) -> None:
    asked = "failed and not void and verifier_note is not null".replace("verifier_note", "row_verifier_note")
    assert line_of(ask("count", asked).stdout, "late") == ["3/8", "2/4", "0/4", "3/3", "0/1"]
    assert line_of(ask("count", "has(tools, 'book') and task_difficulty = 'hard'").stdout, "late")[0] == "3/8"
    assert line_of(ask("count", "not grep('booked') and igrep('CANNOT', 'model')").stdout, "late")[0] == "3/8"
    told = ask("count", "grep('no such room') or void", "--tasks").stdout
    assert line_of(told, "late") == ["4/8", "2/4", "0/4", "3/3", "1/1"]
    assert "late, fails: desk-1, desk-3" in told
    assert "late, void: desk-3" in told


def test_groups_by_run_alone_do_not_repeat_the_table_of_runs(ask: Asker) -> None:
    assert ask("count", "true", "--by", "run").stdout.count("early") == 1
    assert ask("count", "true", "--by", "run", "--of", "calls").stdout.count("early") == 2


def test_groups_and_the_extent_of_a_number(ask: Asker) -> None:
    told = ask("count", "true", "--by", "run,bucket", "--of", "seconds_verifier_seconds").stdout.splitlines()
    head = next(line.split() for line in told if "bucket" in line)
    row = next(line.split() for line in told if line.startswith("early") and "never" in line)
    values = dict(zip(head, row, strict=True))
    assert (values["rollouts"], values["least"], values["most"], values["mean"]) == ("4", "20", "31", "25.5")


def test_columns_are_listed_with_what_they_hold(ask: Asker) -> None:
    told = ask("count", "--columns").stdout
    assert "void" in told
    assert "does not measure the model" in told
    assert any(line.split()[:4] == ["row_difficulty", "string", "easy,", "hard"] for line in told.splitlines())


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("call > 3", "No column is named 'call'."),
        ("calls + 1", "is no condition: it gives Int64"),
        ("calls > 'many'", "cannot be asked"),
        ("calls >", "is no condition"),
        ("task in (select task from x)", "is more than a condition"),
        ("true; drop table x", "is more than a condition"),
        ("read_csv('secret')", "is no condition"),
        ("grep('x', 'nobody')", "No actor is named 'nobody'."),
        ("has(findings, 'gave_upp')", "None of the findings is named 'gave_upp'."),
        ("has(findings, 'denies_ability')", "It is one of the observations: has(observations, 'denies_ability')."),
        ("has(observations, 'deny_ability')", "Nearest: denies_ability"),
        ("grep('(')", "is no regular expression"),
        ("grep(\"KeyError: 'A'\")", "The pattern of a grep cannot be read"),
    ],
)
def test_what_is_no_condition_is_refused_in_a_line(ask: Asker, condition: str, said: str) -> None:
    done = ask("count", condition)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_what_the_report_rests_on_is_counted_by_name(ask: Asker, tmp_path: Path) -> None:
    looked = call("find_guest", '{"name": "Ann"}', "guest 7", 0)
    said = message("I do not have the ability to search for rooms.")
    rows = [attempt(0, 0, good=False, steps=[*looked, said]), attempt(1, 0, good=True, steps=looked)]
    run = write(tmp_path / "denying.jsonl", rows)
    told = blade("count", "has(observations, 'denies_ability')", run, "--no-cache", folder=tmp_path).stdout
    assert line_of(told, "denying")[:4] == ["1/2", "1/2", "0/1", "1/1"]
    nothing = ask("count", "has(findings, 'reward_hack_signature')").stdout
    assert "what transcripts show beside the rules: blade list observations" in nothing


def test_an_id_is_asked_of_the_user_where_nothing_told_it() -> None:
    told = {"user_ids": [["A1", "", 0, 3, 1, "order", 1]], "unsaid": []}
    assert observation_names(told) == ["answer_unsaid"]
    assert observation_names({"user_ids": [["A1", "", 0, 3, 1, "order", 0]]}) == ["user_names_unknown_id"]


def test_a_rate_is_counted_among_the_rollouts_of_a_condition(ask: Asker) -> None:
    told = ask("count", "passed", "--of", "not void and task not in ('desk-3')").stdout
    assert told.splitlines()[0].split()[:3] == ["run", "rollouts", "rate"]
    assert line_of(told, "early")[:3] == ["4/6", "66.7%", "2/3"]
    assert line_of(told, "late")[:3] == ["4/6", "66.7%", "2/3"]
    groups = json.loads(ask("count", "passed", "--of", "not void", "--by", "run,task", "--json").stdout)["groups"]
    assert {group["counts"]["of_rollouts"] for group in groups} == {2}
    assert "The column 'task' holds no numbers." in ask("count", "passed", "--of", "task").stderr


def test_such_a_rate_can_be_cited(ask: Asker, pair: tuple[Path, Path], kept_index: Path, tmp_path: Path) -> None:
    cited = ask("count", "passed", "--of", "not void and task != 'desk-3'").stdout.splitlines()[-1][:12]
    report = tmp_path / "report.md"
    report.write_text(f"Without that task late passes 4 of 6 rollouts (66.7%) {cited}.\n")
    words = ("--runs", *pair, "--cache-dir", kept_index)
    assert blade("check", report, *words, folder=tmp_path).returncode == 0
    report.write_text(f"Without that task late passes 5 of 6 rollouts (83.3%) {cited}.\n")
    assert blade("check", report, *words, folder=tmp_path).returncode == 1


def test_a_user_whose_first_message_is_the_request_is_pointed_to(tmp_path: Path) -> None:
    said = {"responses_create_params": {"input": [{"role": "user", "content": "I want the old lamp."}]}}
    later = response(message("Which?"), message("The old lamp, please.", "user"), message("Done."))
    rows = [row(0, response=later), row(1, response=later) | said, row(2) | said]
    told = blade(
        "grep", "old lamp", write(tmp_path / "lamps.jsonl", rows), "--actor", "user", "--no-cache", "--no-keep"
    ).stdout
    assert "the first message of a user is the task's: 2 rollouts with --actor task" in told
    asked = blade("grep", "old lamp", tmp_path / "lamps.jsonl", "--actor", "task", "--no-cache", "--no-keep").stdout
    assert "first message" not in asked


def test_words_that_another_actor_says_are_pointed_to(ask: Asker) -> None:
    told = ask("grep", "502 Bad Gateway", "--actor", "tool").stdout
    assert line_of(told, "late")[0] == "0/8"
    assert "another actor says it: harness, in 1 rollout" in told


def test_every_text_of_the_verifier_is_searched(tmp_path: Path) -> None:
    trace = 'Traceback:\n  File "env/user.py", line 82, in step\nConnectionError: reset by peer'
    verifier = {"error": "reset by peer", "traceback": trace, "logs": [{"stderr": "no-p: unsupported option"}]}
    path = write(tmp_path / "one.jsonl", [row(task, verifier=verifier) for task in range(2)])
    for pattern in ("env/user.py", "reset by peer", "unsupported option", "user.py(.|\\n)*reset"):
        told = blade("grep", pattern, path, "--actor", "verifier", "--no-cache", folder=tmp_path).stdout
        assert line_of(told, "one")[0] == "2/2"


def test_an_id_stands_for_the_question_and_the_data(ask: Asker, pair: tuple[Path, Path], tmp_path: Path) -> None:
    first = ask("count", "failed").stdout.splitlines()[-1]
    assert first == ask("count", "failed").stdout.splitlines()[-1]
    assert first[:11] != ask("count", "passed").stdout.splitlines()[-1][:11]
    assert len((tmp_path / "queries.jsonl").read_text().splitlines()) == 2
    alone = blade("count", "failed", pair[0], "--no-cache", folder=tmp_path).stdout.splitlines()[-1]
    assert first[:11] != alone[:11]
    swapped = blade("count", "failed", *reversed(pair), "--no-cache", "--no-keep", folder=tmp_path)
    assert swapped.stdout.splitlines()[-1] == f"{first.split()[0]} not kept"


def test_a_question_is_kept_where_it_is_told(ask: Asker, tmp_path: Path) -> None:
    assert "kept in out/queries.jsonl" in ask("grep", "STOP", "-o", "out").stdout
    kept = json.loads((tmp_path / "out" / "queries.jsonl").read_text())
    assert (kept["kind"], kept["asked"], kept["counts"]["early"]["rollouts"]) == ("grep", {"pattern": "STOP"}, 8)


def test_words_that_a_pane_broke_at_its_width_are_found(tmp_path: Path) -> None:
    width = 80
    log = "$ pip install agent\n" + ("x" * 62 + " error: unsupported option in the config file") + "\n"
    log += "y" * 75 + " gave up at the edge of the pane here\nend\n"
    lines = [line[start : start + width] for line in log.splitlines() for start in range(0, max(1, len(line)), width)]
    assert "unsupported" not in "\n".join(lines)
    screen = message("\n".join(lines))
    other = message("unsup\nported option: two short lines are no pane")
    path = write(
        tmp_path / "runs.jsonl", [row(0, 0, 0.0, response=response(screen)), row(1, 0, 0.0, response=response(other))]
    )
    for words in ("unsupported option", "unsupported", "gave up at"):
        told = json.loads(blade("grep", words, path, "--json", "--no-keep", folder=tmp_path).stdout)
        assert [(one["task"], words in one["quote"]) for one in told["matches"]] == [("0", True)], words
    assert "terminal pane" in " ".join(blade("grep", "--help", folder=tmp_path).stdout.split())


def test_a_match_is_shown_whole_with_what_stands_around_it(tmp_path: Path) -> None:
    words = f"{'before ' * 60}the needle of a length {'x' * 150} of its own{' after' * 60}\nand the next line"
    path = write(tmp_path / "run.jsonl", [row(0, 0, 0.0, response=response(message(words)))])

    def quote(*options: str) -> str:
        answer = blade("grep", "needle .* own", path, "--no-cache", "--no-keep", *options, folder=tmp_path)
        assert "item 0: " in answer.stdout, answer
        return answer.stdout.split("item 0: ")[1]

    near = quote()
    assert f"the needle of a length {'x' * 150} of its own after" in near
    assert near.startswith("'…before ")
    assert "next line" not in near
    assert "and the next line" in quote("--context", "500")
    assert len(quote("--context", "20")) < len(near)


def test_groups_of_what_nobody_knows_are_told_in_a_line(ask: Asker) -> None:
    answer = ask("count", "failed and not void", "--by", "run,shape").stdout
    assert "no groups: shape is known of none of these rollouts" in answer
    assert "None" not in answer


@pytest.mark.parametrize("words", [("grep", ""), ("count", "grep('')"), ("count", "igrep('', 'tool')")])
def test_an_empty_pattern_is_refused(ask: Asker, words: tuple[str, str]) -> None:
    done = ask(*words)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        *(2, "blade: The pattern is empty: it would stand everywhere."),
    )
