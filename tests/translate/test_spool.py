"""Translated rows are kept, made anew when their files change, and opened like a file of rollouts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import blade
from tests.formats.samples import attempts

from blade.engine.discover import discover
from blade.errors import InputError
from blade.files.remote_paths import TranslatedPath, place, translated_file
from blade.model import Status
from blade.translate.chat import split_chat
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of
from blade.translate.spool import spool


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def run_of(path: Path, *rows: dict[str, object] | BadRecord, **fields: object) -> ForeignRun:
    return ForeignRun((path,), lambda: iter(rows), **fields)  # type: ignore[arg-type]


def row_of(task: str, reward: float | None = 1.0) -> dict[str, object]:
    return rollout_row(task, 0, SourceVerdict(reward), Place("log.bin", task))


def test_the_path_is_the_originals_with_the_format_behind_it(tmp_path: Path) -> None:
    log = tmp_path / "log.bin"
    log.write_bytes(b"1")
    kept = spool(run_of(log, row_of("a"), name="second run"), "some_format", 1)
    assert str(kept.path) == f"{log}!some_format:second run"
    opened = place(str(kept.path))
    assert isinstance(opened, TranslatedPath)
    assert opened.original == log
    assert opened.parent == tmp_path
    assert opened.read_bytes().count(b"\n") == 1


def test_rows_are_made_anew_when_the_file_or_the_format_changes(tmp_path: Path) -> None:
    log = tmp_path / "log.bin"
    log.write_bytes(b"1")
    assert spool(run_of(log, row_of("a")), "some_format", 1).rows == 1
    assert spool(run_of(log, row_of("a"), row_of("b")), "some_format", 1).rows == 1  # nothing has changed
    assert spool(run_of(log, row_of("a"), row_of("b")), "some_format", 2).rows == 2
    log.write_bytes(b"12")
    assert spool(run_of(log), "some_format", 2).rows == 0


def test_records_without_a_row_are_flaws_with_their_reason(tmp_path: Path) -> None:
    log = tmp_path / "log.bin"
    log.write_bytes(b"1")
    kept = spool(run_of(log, BadRecord("it has no id"), row_of("a"), BadRecord("it has no id")), "some_format", 1)
    assert [(flaw.statement, flaw.rows) for flaw in kept.flaws] == [("a record that gives no rollout: it has no id", 2)]
    assert kept.rows == 1


def test_what_the_files_say_of_the_run_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "log.bin"
    log.write_bytes(b"1")
    given = run_of(log, row_of("a"), settings={"model": "m"}, reported=0.5, expected={"a": 2})
    spool(given, "some_format", 1)
    kept = spool(given, "some_format", 1)
    assert (kept.settings, kept.reported, kept.expected) == ({"model": "m"}, 0.5, {"a": 2})


def test_a_cache_that_cannot_be_written_is_an_error_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.bin"
    log.write_bytes(b"1")
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(InputError, match="BLADE_CACHE_DIR"):
        spool(run_of(log, row_of("a")), "some_format", 1)


def test_a_status_of_the_source_is_believed_and_a_spent_limit_is_not_on_a_pass(tmp_path: Path) -> None:
    from blade.extract.error_claims import row_claims  # noqa: PLC0415 - beside what it is held against

    broken = rollout_row("a", 0, SourceVerdict(0.0, Status.INFRASTRUCTURE, "sandbox: gone"), Place("log"))
    spent = rollout_row("a", 0, SourceVerdict(1.0, Status.TIMED_OUT, "message limit"), Place("log"))
    assert row_claims(broken, {}) == ["infrastructure|hard|the source's own status|sandbox: gone"]
    assert row_claims(spent, {}) == ["timed_out|spent|the source's own status|message limit"]


def test_scores_in_letters_and_words_are_numbers_and_others_are_none() -> None:
    assert [score_of(value) for value in ("C", "P", "I", "N", "yes", "0.25", True)] == [1, 0.5, 0, 0, 1, 0.25, 1]
    others: list[object] = ["perhaps", None, [], float("nan"), "inf"]
    assert [score_of(value) for value in others] == [None] * 5


def test_the_prompt_ends_where_the_model_first_speaks() -> None:
    prompt, output = split_chat(
        [
            {"role": "system", "content": "rules"},
            {"role": "user", "content": [{"type": "text", "text": "hello"}]},
            {"role": "assistant", "reasoning_content": "hm", "content": "", "tool_calls": ['{"name": "f", "id": "1"}']},
            {"role": "tool", "tool_call_id": "1", "content": "done"},
            {"role": "user", "content": "and now?"},
        ]
    )
    assert [item["content"] for item in prompt] == ["rules", "hello"]
    assert [item["type"] for item in output] == ["reasoning", "function_call", "function_call_output", "message"]
    assert output[1]["name"] == "f"
    assert output[3]["role"] == "user"


def test_convert_writes_one_file_a_run_and_refuses_rollouts(tmp_path: Path) -> None:
    paths = attempts.write(tmp_path)
    done = blade("convert", *paths, "-o", tmp_path / "out")
    assert done.stdout.splitlines() == [
        f"{tmp_path}/out/steady_rollouts.jsonl: 6 rollouts",
        f"{tmp_path}/out/shaky_rollouts.jsonl: 6 rollouts",
    ]
    again = blade("convert", tmp_path / "out" / "steady_rollouts.jsonl", "-o", tmp_path / "more")
    assert again.returncode == 2
    assert "these are rollouts already" in again.stderr


def test_clearing_the_cache_removes_translated_rows(tmp_path: Path) -> None:
    (plan,) = discover(attempts.write(tmp_path)[:1])
    assert translated_file(str(plan.rollouts[0].path)).exists()
    blade("cache", "clear")
    assert not translated_file(str(plan.rollouts[0].path)).exists()


def test_a_reported_score_that_the_rows_do_not_give_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from blade import api  # noqa: PLC0415 - heavy
    from blade.formats import attempts as format_of_attempts  # noqa: PLC0415 - as above

    path = attempts.write(tmp_path)[0]
    (run,) = format_of_attempts.runs([path])
    monkeypatch.setattr(format_of_attempts, "runs", lambda _: [ForeignRun(run.files, run.rows, reported=0.5)])
    (said,) = (entry for entry in api.analyze(path).health if entry["check"] == "summary_files")
    assert said["statement"] == "The files of steady state a score of 50.0%; the rows give 83.3%."
