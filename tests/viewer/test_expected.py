"""The panel of what was expected against what was done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.gym_rows import ABSENT, message, response, row, write
from tests.viewer.asking import Client

from blade import api
from blade.index.build_index import gather
from blade.options import Options
from blade.quoted_evidence.expected import word_diff
from blade.viewer import server
from blade.viewer.guard import rules_for


def call(number: int, name: str, answer: str, **arguments: Any) -> list[dict[str, Any]]:
    return [
        {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": f"c{number}"},
        {"type": "function_call_output", "call_id": f"c{number}", "output": answer},
    ]


def transcript(folder: Path, row_data: dict[str, Any]) -> str:
    index = gather([f"bare={write(folder / 'rollouts.jsonl', [row_data])}"], Options(cache=False))
    client = Client(server.application(index, rules_for("127.0.0.1", None)))
    return client.get(f"/transcript?of=bare&task={index.tasks['task'][0]}&attempt=0").text


def test_each_expected_call_stands_beside_the_nearest_that_was_made(tmp_path: Path) -> None:
    steps = [*call(0, "set_plan", "ok", member="M1", plan="half"), *call(1, "close_ticket", "ok", ticket="T1")]
    expected = [
        {"name": "set_plan", "arguments": {"member": "M1", "plan": "full"}},
        {"name": "close_ticket", "arguments": {"ticket": "T1"}},
        {"name": "send_mail", "arguments": {"to": "M1"}},
    ]
    page = transcript(tmp_path, row(0, 0, 0.0, response=response(*steps, message("Done.")), expected_actions=expected))
    panel = page.partition("Expected against done")[2].partition("</details>")[0]
    assert panel.index("expected-differs") < panel.index("expected-done") < panel.index("expected-missing")
    assert '<del title="expected">full</del><ins title="done">half</ins>' in panel
    assert "item 2" in panel
    assert page.index("Expected against done") < page.index('class="chunk"'), "the panel stands above the prompt"


def test_the_report_shows_it_of_the_failing_attempt_of_a_twin(tmp_path: Path) -> None:
    expected = [{"name": "set_plan", "arguments": {"member": "M1", "plan": "full"}}]
    rows = [
        row(0, attempt, float(attempt), expected_actions=expected, expected_answer=ABSENT, extracted_answer=ABSENT,
            response=response(*call(0, "set_plan", "ok", member="M1", plan=plan), message("Done.")))
        for attempt, plan in enumerate(("half", "full"))
    ]  # fmt: skip
    options = Options(cache=False)
    runs = api.read(f"bare={write(tmp_path / 'rollouts.jsonl', rows)}", options=options)
    api.write(tmp_path / "out", runs, api.analyze_runs(runs, options))
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    panel = page.partition("Expected against done in attempt 0")[2].partition("</details>")[0]
    assert '<del title="expected">full</del><ins title="done">half</ins>' in panel
    href = panel.partition('<a href="#')[2].partition('"')[0]
    assert f'id="{href}"' in page, "the item that it names stands on the page"


def test_an_answer_is_compared_word_by_word(tmp_path: Path) -> None:
    page = transcript(tmp_path, row(0, 0, 0.0, expected_answer="the red door", extracted_answer="the blue door"))
    assert '<del title="expected">red</del><ins title="done">blue</ins>' in page


def test_an_answer_in_other_words_that_passed_is_not_called_different(tmp_path: Path) -> None:
    page = transcript(tmp_path, row(0, 0, 1.0, expected_answer="the red door", extracted_answer="red door"))
    assert "in other words, and accepted" in page
    assert "expected-differs" not in page


def test_a_row_that_lists_nothing_expected_has_no_panel(tmp_path: Path) -> None:
    assert "Expected against done" not in transcript(tmp_path, row(0, 0, 0.0, expected_answer=ABSENT))


def test_texts_too_long_to_compare_stand_one_after_the_other() -> None:
    assert [kind for kind, _ in word_diff("a " * 3000, "b")] == ["expected", "actual"]
