"""What happened to real rows: crashes, cuts and clocks are told from ordinary failures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.options import Options

pytestmark = pytest.mark.corpus

Analyse = Callable[..., dict[str, Any]]
Read = Callable[[Path], list[dict[str, Any]]]
Record = Callable[..., None]

WHOLE_FILES = {
    "toolsandbox/example_rollouts.jsonl": {"infrastructure": 5},
    "ruler/example_rollouts.jsonl": {"truncated": 5},
    "gdpval/example_rollouts.jsonl": {"ok": 5},
    "structeval/structeval_nonrenderable_example_rollouts.jsonl": {"malformed": 1, "ok": 4},
    "swebench/example_rollouts.jsonl": {"verifier_error": 1, "ok": 4},
    "swerl_gen/example_rollouts.jsonl": {"truncated": 3, "ok": 2},
    "imo_proofbench_judge/example_rollouts.jsonl": {"truncated": 2, "ok": 3},
    "agent__harbor_agent/terminal_bench_daytona_output.jsonl": {"ok": 5},
    **{
        f"agent__anyswe_agent/example_rollouts_{harness}.jsonl": {"ok": 5}
        for harness in ("claude_code", "hermes", "openclaw", "opencode", "pi")
    },
}


@pytest.mark.parametrize("name", sorted(WHOLE_FILES))
def test_statuses_of_a_file(corpus: Path, analysed: Analyse, record: Record, name: str) -> None:
    got = analysed(corpus / "nemo-gym" / name)["runs"][0]["statuses"]
    record("statuses", name, WHOLE_FILES[name], got)
    assert got == WHOLE_FILES[name]


def lines_by_status(path: Path) -> dict[int, tuple[str, bool | None]]:
    run = blade.read(path, options=Options(cache=False))[0]
    return {line: (state, passed) for line, state, passed in run.facts.select("line", "state", "passed").iter_rows()}


def test_a_flag_that_every_row_bears_is_not_believed_and_this_is_said(corpus: Path, analysed: Analyse) -> None:
    made = analysed(corpus / "nemo-gym/gdpval/example_rollouts.jsonl")
    (flaw,) = [flaw for flaw in made["flaws"] if flaw["slug"] == "field-without-signal"]
    assert "'invalid_judge_response'" in flaw["statement"]
    assert flaw["rows"] == 5


def test_an_error_kind_that_says_other_on_every_row_claims_nothing(corpus: Path, rows_of: Read) -> None:
    for path in sorted((corpus / "nemo-gym/agent__anyswe_agent").glob("example_rollouts_*.jsonl")):
        assert {row["agent_error_kind"] for row in rows_of(path)} == {"other"}
        assert {state for state, _ in lines_by_status(path).values()} == {"ok"}


def test_an_evaluation_that_did_not_complete_is_the_verifiers(corpus: Path, rows_of: Read) -> None:
    path = corpus / "nemo-gym/swebench/example_rollouts.jsonl"
    states = lines_by_status(path)
    for line, row in enumerate(rows_of(path), 1):
        assert (states[line][0] == "verifier_error") is (row["evaluation_completed"] is False)


@pytest.mark.parametrize("agent", ["droid__claude-4-1-opus", "droid__gpt-5", "goose__claude-4-opus"])
def test_an_agent_that_ran_out_of_time_may_still_pass(corpus: Path, rows_of: Read, record: Record, agent: str) -> None:
    path = corpus / f"real/terminal_bench/{agent}.jsonl"
    rows = rows_of(path)
    states = lines_by_status(path)
    late = {line for line, row in enumerate(rows, 1) if row["verifier"]["failure_mode"] == "agent_timeout"}
    got = {line for line, (state, _) in states.items() if state == "timed_out"}
    passes = {line for line in late if rows[line - 1]["reward"] == 1}
    record(
        "statuses", f"{agent}: agent_timeout rows, passes among them", (len(late), len(passes)), outcome(got, states)
    )
    assert got == late
    assert passes
    assert {line for line in got if states[line][1]} == passes
    tests = {line for line, row in enumerate(rows, 1) if row["verifier"]["failure_mode"] == "test_timeout"}
    unjudged = {line for line, (state, _) in states.items() if state == "verifier_error"}
    assert tests <= unjudged
    assert all(not rows[line - 1]["verifier"]["parser_results"] for line in unjudged - tests)


def outcome(lines: set[int], states: dict[int, tuple[str, bool | None]]) -> tuple[int, int]:
    return len(lines), sum(bool(states[line][1]) for line in lines)


CONTEXT = re.compile(
    r"prompt is too long|maximum context length|Input tokens exceed|exceeded model token limit"
    r"|input token count .*exceeds the maximum|maximum prompt length|Range of input length"
)
PROVIDER = re.compile(
    r"Cannot connect to host|Provider returned error|Connection refused|RateLimitError|(Notion|Filesystem) Operation"
)
REFUSED = "BadRequestError"


def test_an_overrun_context_is_truncation_and_a_provider_that_fails_is_infrastructure(
    corpus: Path, rows_of: Read, record: Record
) -> None:
    expected: Counter[str] = Counter()
    got: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    for path in sorted((corpus / "real/mcpmark").glob("*.jsonl")):
        states = lines_by_status(path)
        for line, row in enumerate(rows_of(path), 1):
            message = row["verifier"].get("error_message") or ""
            if row["reward"] or not message:
                continue
            wanted = _status_by_words(message)
            if wanted:
                expected[wanted] += 1
                got[wanted] += states[line][0] == wanted
                if states[line][0] != wanted:
                    wrong[path.stem, message[:120]] += 1
    record("statuses", "mcpmark: context overrun, provider failure", dict(expected), dict(got))
    assert expected["truncated"] > 300
    assert expected["infrastructure"] > 10
    assert expected["ok"] == 4
    assert wrong == {}


def _status_by_words(message: str) -> str | None:
    """None where the words of an error do not decide. A request that the provider refused (400) is no outage."""
    if CONTEXT.search(message):
        return "truncated"
    if PROVIDER.search(message):
        return "ok" if REFUSED in message else "infrastructure"
    return None


def test_a_time_limit_verdict_is_an_ordinary_failure(corpus: Path, rows_of: Read, record: Record) -> None:
    wrong: Counter[str] = Counter()
    slow = 0
    for path in sorted((corpus / "real/livecodebench").glob("*.jsonl")):
        states = lines_by_status(path)
        for line, row in enumerate(rows_of(path), 1):
            message = (row["verifier"].get("metadata") or {}).get("error_message") or ""
            slow += message.startswith("Time Limit Exceeded")
            if states[line][0] not in {"ok", "malformed"}:
                wrong[message[:120]] += 1
            if states[line][0] == "malformed":
                assert row["verifier"]["no_code"] is True
    record("statuses", "livecodebench: failures taken for something else", 0, wrong.total())
    assert slow > 40
    assert wrong == {}


def test_the_error_field_of_bfcl_is_an_ordinary_failure_message(corpus: Path, rows_of: Read, record: Record) -> None:
    wrong: Counter[str] = Counter()
    for path in sorted((corpus / "real/bfcl").glob("*.jsonl")):
        states = lines_by_status(path)
        for line, row in enumerate(rows_of(path), 1):
            kind = row["verifier"].get("error_type") or ""
            expected = "malformed" if kind.endswith("decoder:decoder_failed") else "ok"
            if states[line][0] != expected:
                wrong[f"{kind}: {states[line][0]}"] += 1
    record("statuses", "bfcl: failures taken for something else", 0, wrong.total())
    assert wrong == {}
