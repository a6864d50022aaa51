"""github, csv and junit: what a pipeline takes, with foreign text that nobody runs, follows or is called by."""

from __future__ import annotations

import csv
import re
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.gym_rows import message, response, row, write

import blade
from blade import api
from blade.change.gate import GateRule
from blade.document import Bullets, Fact, Paragraph, Report, Section, Table, say
from blade.model import Analysis
from blade.renderers import csv as csv_form
from blade.renderers import github, junit
from blade.wording import LONGEST_NAME

HOSTILE = (
    '=HYPERLINK("http://evil.example","x")',
    "@octo-team see #12 and GH-7 at https://evil.example and www.evil.example",
    "<img src=x onerror=alert(1)></details><script>",
    "![x](http://evil.example/p.png) [a](javascript:b) `code` ```",
    "a|b|c\n## heading\n- item",
    "\x1b]52;c;aGk=\x07\x1b[31mred\x1b[0m",
    "right\u202eleft\u2066",
    "\ufffe\uffff&amp;]]>",
    "x" * 5_000,
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Tasks with hostile names; their tool carries one, too."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = []
    for place, text in enumerate(HOSTILE):
        call = {"type": "function_call", "name": text, "arguments": "{}", "call_id": "1"}
        answer = {"type": "function_call_output", "call_id": "1", "output": f"Error: {text}"}
        for attempt in range(2):
            output = response(call, answer, message(text))
            rows.append(row(place, attempt, 0.0, task_id=text[:200], category=text[:20], response=output))
    base = write(folder / "base.jsonl", [one | {"reward": 1.0} for one in rows])
    return api.compare_paths(base, write(folder / "candidate.jsonl", rows), blade.Options(cache=False))


ALIVE = re.compile(r"@(?!&#8203;)|(?<!&)#(?!&#8203;|## |# )|:(?=//)|www(?=\.)|GH(?=-\d)")
"""What GitHub makes a mention, a reference or a link of, where it stands in no code."""


def test_words_of_a_run_in_a_sentence_call_nobody() -> None:
    """Names stand in code; what a tool or a verifier wrote may stand in a sentence or a cell."""
    for words in HOSTILE:
        table = Table(("Task", "Words"), ((Fact("1", "id"), words),))
        blocks = (Paragraph((say("{words}.", words=Fact(words, "text")),)), table)
        text = github.render(Report("t", (Section("s", "S", blocks),))).partition("\n")[2]
        assert not ALIVE.search(text.replace("`1`", "")), words
        assert "<img" not in text


def test_a_comment_calls_nobody_and_leads_nowhere(hostile: Analysis) -> None:
    text = api.render_change(hostile, "github", api.gate_of(hostile, GateRule()))
    assert text.startswith("### base → candidate\n\nThe gate is crossed: ")
    assert len(text) < 65_536
    bare = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert not ALIVE.search(bare.partition("\n")[2])
    assert "<img" not in bare
    assert "<script" not in bare
    assert bare.count("<details>") == bare.count("</details>") == bare.count("<summary>")
    assert not re.search(r"(?<!\\)!?\[[^\]]*\]\(", bare)
    assert_plain(text)


def test_a_comment_says_what_it_leaves_out() -> None:
    lines = tuple((Fact(f"task {number}", "id"), "x") for number in range(30))
    table = Table(("Task", ">Passes"), lines)
    words = Paragraph((say("{one} is {two}.", one="A_b", two=Fact("3", "number")),))
    report = Report("a → b", (Section("s", "S", (words, Bullets((words,)), table, table)),))
    text = github.render(report)
    assert text.startswith(
        "### a → b\n\nA\\_b is 3.\n\n- A\\_b is 3.\n\n| Task | Passes |\n| --- | ---: |\n| `task 0` | x |"
    )
    assert "\n\n18 more rows\n\n<details><summary>30 rows: Task, Passes</summary>" in text
    long = Report("t", (Section("s", "S", (Paragraph((say("word " * 3_000),)),) * 3),))
    assert github.render(long).endswith("\n\n2 more parts: `blade analyze` writes the whole report.\n")


def test_a_comment_is_the_claims_and_folds_the_rest() -> None:
    claims = Section("executive_summary", "S", (Bullets((Paragraph((say("Broken: nothing."),)),)),))
    detail = Section("recommendations", "R", (Paragraph((say("Mend the harness."),)),))
    text = github.render(Report("one", (claims, detail)))
    assert text.index("Broken: nothing.") < text.index("<details>") < text.index("Mend the harness.")
    assert text.rstrip().endswith("</details>")
    assert "<details>" not in github.render(Report("one", (detail,)))


def test_no_cell_is_a_formula(hostile: Analysis) -> None:
    for text in (csv_form.render_change(hostile), csv_form.render_analysis(hostile)):
        rows = list(csv.DictReader(StringIO(text)))
        assert len(rows) >= len(HOSTILE)
        for line in rows:
            for name, cell in line.items():
                assert cell[:1] not in {"=", "+", "@", "|"}, name
                assert cell[:1] != "-" or re.fullmatch(r"-[\d.]+", cell), name
                assert len(cell) <= LONGEST_NAME + 1
        assert_plain(text)


def test_numbers_stay_numbers_and_names_that_look_like_formulas_are_marked() -> None:
    rows: list[list[object]] = [["-2+3", -0.1 - 0.2], ["+x", None], ["plain", True], ["＝a", 3], ["::error::x", 4]]
    text = csv_form.table(["task", "difference"], rows)
    assert text == "task,difference\n'-2+3,-0.3\n'+x,\nplain,yes\n'＝a,3\n'::error::x,4\n"


def test_junit_of_a_comparison_fails_with_its_gate(hostile: Analysis) -> None:
    crossed = parsed(junit.render_change(hostile, api.gate_of(hostile, GateRule())))
    assert crossed.attrib == {"tests": "1", "failures": "1", "errors": "0", "skipped": "0"}
    failure = crossed.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("The gate is crossed: the score fell by 100.0 pp")
    held = parsed(junit.render_change(hostile, api.gate_of(hostile, GateRule(100.0))))
    assert held.attrib["failures"] == "0"


def test_junit_of_runs_has_a_case_per_task(tmp_path: Path) -> None:
    void = row(2, reward=None, error="sandbox: connection refused by the container host")
    rows = [row(0), row(0, 1, 0.0), row(1, reward=0.0), row(1, 1, 0.0), void, *(row(task) for task in range(3, 9))]
    analysis = blade.analyze(write(tmp_path / "night.jsonl", rows), options=blade.Options(cache=False))
    (suite,) = parsed(api.render_analysis(analysis, "junit"))
    assert (suite.attrib["name"], suite.attrib["failures"], suite.attrib["skipped"]) == ("night", "1", "1")
    said = {case.attrib["name"]: case[0] for case in suite}
    assert (said["0"].tag, said["0"].text) == ("system-out", "passes in 1 of 2 judged attempts")
    assert (said["1"].tag, said["1"].attrib["message"]) == ("failure", "passes in 0 of 2 judged attempts")
    assert (said["2"].tag, said["2"].attrib["message"]) == ("skipped", "no attempt was judged")


def test_junit_holds_hostile_names(hostile: Analysis) -> None:
    text = api.render_analysis(hostile, "junit")
    names = {case.attrib["name"] for case in parsed(text).iter("testcase")}
    assert len(names) == len(HOSTILE)
    assert '=HYPERLINK("http://evil.example","x")' in names
    assert_plain(text)


def assert_plain(text: str) -> None:
    """No control character but line ends, no turned writing direction, no endless word."""
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)
    assert not re.search("x{1000}", text)


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - made by the line before
