"""Which tasks two real runs have in common, and by what that is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.corpus

Analyse = Callable[..., dict[str, Any]]
Read = Callable[[Path], list[dict[str, Any]]]
Record = Callable[..., None]


def older(corpus: Path, name: str) -> Path:
    return next((corpus / "nemo-gym-history" / name).glob("*/example_rollouts.jsonl"))


def newer(corpus: Path, name: str) -> Path:
    return corpus / "nemo-gym" / name / "example_rollouts.jsonl"


def joined(analysed: Analyse, *paths: Path) -> list[dict[str, Any]]:
    made = analysed(*(f"run{place}={path}" for place, path in enumerate(paths)))
    both = [sum(name in task["runs"] and "run0" in task["runs"] for task in made["tasks"]) for name in names(made)[1:]]
    if made["totals"]["tasks"] == len(made["tasks"]):  # longer lists are cut
        assert both == [item["common"] for item in made["identity"]]
    return made["identity"]  # type: ignore[no-any-return]


def names(made: dict[str, Any]) -> list[str]:
    return [run["name"] for run in made["runs"]]


NOW_AND_HISTORY = {
    # now: (history, rule, tasks in common)
    "benchmark__flores200": ("flores200", "text", 5),
    "wmt_translation": ("wmt_translation", "text", 5),
    "labbench2_vlm": ("labbench2_vlm", "domain_id", 3),
    "terminus_judge": ("terminus_judge", "none", 0),
    "blackjack": ("blackjack", "text", 1),
    "graphwalks": ("graphwalks", "text", 4),
    "code_gen": ("comp_coding", "none", 0),
    "math_with_judge": ("library_judge_math", "none", 0),
    "workplace_assistant": ("workbench", "none", 0),
    # Only the words around the question changed here: id or index, and every expected answer, are the same.
    "text_to_sql": ("text_to_sql", "domain_id", 5),
    "finance_sec_search": ("finance_sec_search", "index", 5),
}


@pytest.mark.parametrize("name", sorted(NOW_AND_HISTORY))
def test_a_benchmark_is_joined_with_its_own_history(corpus: Path, analysed: Analyse, record: Record, name: str) -> None:
    past, rule, common = NOW_AND_HISTORY[name]
    (item,) = joined(analysed, older(corpus, past), newer(corpus, name))
    record("identity", f"{name}, now and then: rule, tasks in common", (rule, common), (item["rule"], item["common"]))
    assert (item["rule"], item["common"]) == (rule, common)


def test_three_questions_moved_to_other_indices(corpus: Path, analysed: Analyse, rows_of: Read) -> None:
    """labbench2_vlm: joining by the index would pair different questions."""
    places = {}
    for path in (older(corpus, "labbench2_vlm"), newer(corpus, "labbench2_vlm")):
        places[path] = {row["verifier_metadata"]["id"]: row["_ng_task_index"] for row in rows_of(path)}
    then, now = places.values()
    shared = set(then) & set(now)
    assert len(shared) == 3
    assert all(then[name] != now[name] for name in shared)
    made = analysed(*(f"run{place}={path}" for place, path in enumerate(places)))
    both = {task["task"] for task in made["tasks"] if len(task["runs"]) == 2}
    assert both == shared


@pytest.mark.parametrize(
    ("name", "key", "fields"),
    [
        ("text_to_sql", "uuid", ("sql", "sql_prompt", "sql_context")),
        ("finance_sec_search", "_ng_task_index", ("expected_answer",)),
    ],
)
def test_a_new_template_around_the_same_question_is_no_new_task(
    corpus: Path, rows_of: Read, name: str, key: str, fields: tuple[str, ...]
) -> None:
    """Why these two are joined: everything that makes the task is the same, the prompt around it is not."""
    then, now = ({row[key]: row for row in rows_of(path)} for path in (older(corpus, name), newer(corpus, name)))
    assert set(then) == set(now)
    for task, row in then.items():
        assert all(row[field] == now[task][field] for field in fields)
        texts = [item["responses_create_params"]["input"][-1]["content"] for item in (row, now[task])]
        assert texts[0] != texts[1]


def test_two_files_of_one_benchmark_are_joined_by_task_id(corpus: Path, analysed: Analyse, record: Record) -> None:
    folder = corpus / "nemo-gym/structeval"
    pair = (folder / "example_rollouts.jsonl", folder / "structeval_nonrenderable_example_rollouts.jsonl")
    (item,) = joined(analysed, *pair)
    record("identity", "structeval pair: tasks in common", 5, item["common"])
    assert (item["rule"], item["common"]) == ("domain_id", 5)


def test_four_harnesses_on_the_same_problems_are_joined_by_text(
    corpus: Path, analysed: Analyse, record: Record
) -> None:
    gym = corpus / "nemo-gym"
    found = joined(
        analysed,
        gym / "math_with_judge/example_rollouts.jsonl",
        gym / "agent__claude_code_agent/example_math_rollouts.jsonl",
        gym / "agent__hermes_agent/example_math_rollouts.jsonl",
        gym / "environment__prime_agent_math/example_rollouts.jsonl",
    )
    got = [item["common"] for item in found]
    record("identity", "math_with_judge and three harnesses: tasks in common", [5, 5, 5], got)
    assert got == [5, 5, 5]
    assert {item["rule"] for item in found} == {"text"}


def test_two_agents_on_the_same_problems_are_joined(corpus: Path, analysed: Analyse, record: Record) -> None:
    gym = corpus / "nemo-gym"
    (item,) = joined(
        analysed,
        gym / "agent__openclaw_agent/example_rollout.jsonl",
        gym / "agent__opencode_agent/example_rollout.jsonl",
    )
    record("identity", "openclaw and opencode: tasks in common", 5, item["common"])
    assert item["common"] == 5


@pytest.mark.parametrize(
    ("folder", "pattern", "common"),
    [
        ("real/bfcl", "nvidia_*.jsonl", [1700, 1700]),
        ("real/bfcl", "gpt-4-*.jsonl", [1700, 1700]),
        ("real/mcpmark", "gpt-5-*.jsonl", [127, 127]),
        ("real/terminal_bench", "*.jsonl", [80, 80, 80, 80]),
        ("real/mast_ag2_gsmplus", "*.jsonl", [200, 200]),
        ("real/livecodebench", "*.jsonl", [880]),
        ("nemo-gym/agent__anyswe_agent", "example_rollouts_*.jsonl", [1, 1, 1, 1]),
    ],
)
def test_runs_of_one_dataset_are_joined_by_its_ids(
    corpus: Path, analysed: Analyse, record: Record, folder: str, pattern: str, common: list[int]
) -> None:
    found = joined(analysed, *sorted((corpus / folder).glob(pattern)))
    got = [item["common"] for item in found]
    record("identity", f"{folder}/{pattern}: tasks in common", common, got)
    assert got == common
    assert {item["rule"] for item in found} == {"domain_id"}


def test_ids_of_two_datasets_that_share_no_task_join_nothing(corpus: Path, analysed: Analyse, rows_of: Read) -> None:
    pair = sorted((corpus / "real/intercode_ctf").glob("*.jsonl"))
    left, right = ({row["task_id"] for row in rows_of(path)} for path in pair)
    assert not left & right
    (item,) = joined(analysed, *pair)
    assert (item["rule"], item["common"]) == ("none", 0)


def test_numbered_tasks_of_a_simulated_user_are_one_set_in_seven_runs(
    corpus: Path, analysed: Analyse, record: Record
) -> None:
    """The openings are worded anew in every run, and the ids are the index: still every task is in every run."""
    paths = sorted((corpus.parent / "golden/tau_retail/data").glob("*.jsonl"))
    if not paths:
        pytest.skip("no folder of golden packages beside the corpus")
    made = analysed(*paths)
    got = [item["common"] for item in made["identity"]]
    record("identity", "seven runs of 115 numbered tasks: tasks, in common", (115, [115, 106, *[115] * 4]), (
        made["totals"]["tasks"], got))  # fmt: skip
    assert (made["totals"]["tasks"], got) == (115, [115, 106, 115, 115, 115, 115])
    assert not any(item["weak"] for item in made["identity"])
