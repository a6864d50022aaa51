"""One word for one thing on every surface; the terms of the first screen are explained."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.whole_report.reading import Told

from blade import api
from blade.diagnosis.modes import _STATUS, SPENT, UNKNOWN
from blade.diagnosis.rollout_causes import CAUSES
from blade.document import Bullets, Paragraph, Table, say
from blade.pages.glossary import TERMS
from blade.registry import plugins
from blade.renderers import markdown
from blade.sections import executive_summary

SOURCE = Path(__file__).parents[2] / "src" / "blade"
SCENES = ("clean", "outage", "foreign_and_copies", "changed_verifier", "other_tasks")
INSTEAD = {
    "nothing about the model": "does not measure the model",
    "no measure of": "does not measure",
    "no rank is told": "not ranked",
    "no points are told": "no estimate of points",
    "not proven": "inconclusive",
    "way of failing": "failure mode",
    "ways of failing": "failure modes",
    "no rule knows": "unclassified",
    "the rows do not tell": "unclassified",
    "evaluable rollouts": "judged rollouts",
    "nothing says what a pass is": "no pass threshold is declared",
    "all the same": "still",
    "somebody else": "another party",
    "now and then": "sometimes",
    "one and the same": "the same",
    "the very same": "the same",
    "as readily": "as often",
    "mend it": "fix it",
    "may mend": "may fix",
    "hold these against": "compare these",
    "held against the outcome": "compared with the outcome",
    "looked for and not found": "checked, no problem found",
    "bear the word": "are labelled",
    "tells of the error": "records the error",
    "nobody else": "no other",
    "speak of": "cover",
    "the books": "the counts",
    "no plain attempt": "no normal attempt",
    "if things were otherwise": "what-if",
    "stands twice": "is a duplicate",
    "nobody can say": "it is unknown",
    "nobody passes": "no run passes",
    "what is seen of it": "what the record shows",
    "passes that bear": "passes that have",
    "stand beside": "are beside",
    "stands beside": "is beside",
    "what the model did (no known mode)": "unclassified",
}
"""What the report must not say, and what it says in its place."""
WORDING = (
    *("sections", "short_report", "renderers", "questions", "health", "charts", "viewer", "quoted_evidence", "summary"),
    *(
        "diagnosis/remedies.py",
        "diagnosis/interventions.py",
        "diagnosis/story_words.py",
        "diagnosis/counterfactuals.py",
    ),
)
"""The modules and folders whose literals reach a reader."""
VERB = re.compile(
    r"(?:the \w+ )?(?:is|was|has|had|gives|gave|makes|calls|uses|says|leaves|edits|ends|runs|answers|repeats|claims|"
    r"does|goes|stops|states|writes|works|passes|loses|refuses|breaks|concludes|never|announces)\b"
)
FIRST_SCREEN_TERMS = (
    "95% interval",
    "judged",
    "score, lost as 0",
    "significant",
    "unclassified",
    "baseline",
    "pass@k",
    "rollout",
)


def sentences() -> Iterator[tuple[str, str]]:
    """Every literal of the modules that word the report, docstrings aside, and every template."""
    for place in WORDING:
        path = SOURCE / place
        for module in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            tree = ast.parse(module.read_text(encoding="utf-8"))
            notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
                    yield f"{module.relative_to(SOURCE)}:{node.lineno}", node.value
        for page in sorted(path.rglob("*.html")) if path.is_dir() else []:
            yield (
                str(page.relative_to(SOURCE)),
                re.sub(r"\{#.*?#\}", "", page.read_text(encoding="utf-8"), flags=re.DOTALL),
            )


def worded_wrongly(text: str) -> list[str]:
    plain = " ".join(text.lower().split())
    return [phrase for phrase in INSTEAD if re.search(rf"\b{re.escape(phrase)}(?!\w)", plain)]


def test_a_phrase_is_recognised_whatever_its_case_and_lines() -> None:
    assert worded_wrongly("Rows that say\n  NOTHING about the model") == ["nothing about the model"]
    assert worded_wrongly("They do not measure the model, not that nobody elsewhere speaks") == []


def test_the_literals_of_the_report_use_one_vocabulary() -> None:
    found = [f"{place}: {phrase} → {INSTEAD[phrase]}" for place, text in sentences() for phrase in worded_wrongly(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("scene", SCENES)
def test_markdown_page_and_screen_use_one_vocabulary(scene: str, request: pytest.FixtureRequest) -> None:
    told: Told = request.getfixturevalue(scene)
    for surface in (told.markdown, told.text, told.screen):
        assert worded_wrongly(surface) == []
    assert not re.search(r"\b1 (?:rollouts|tasks|rows|attempts|runs|failures)\b", told.markdown)
    assert not re.search(r"[ \t]$", told.screen, re.MULTILINE)


def test_every_failure_mode_has_a_noun_form() -> None:
    names = [module.TITLE for module in plugins("detectors").values()]
    names += [words for words, _ in _STATUS.values()] + [UNKNOWN.name, SPENT.name, *CAUSES.values()]
    assert not [words for words in names if VERB.match(words)]


@pytest.mark.parametrize("scene", SCENES)
def test_the_first_screen_makes_at_most_ten_claims_with_their_leads(scene: str, request: pytest.FixtureRequest) -> None:
    told: Told = request.getfixturevalue(scene)
    short = api.shorten(api.report(told.analysis), told.analysis)
    claims = next(block for block in short.sections[0].blocks if isinstance(block, Bullets))
    assert len(claims.items) <= 10
    leads = [claim.sentences[0].text.partition(":")[0] for claim in claims.items]
    assert "Difference" in leads
    assert len(markdown.render(short).split()) <= 3_000


def test_of_more_than_ten_claims_the_first_screen_makes_ten(outage: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Paragraph((say(f"Finding {number}."),)) for number in range(executive_summary.FINDINGS_TOLD)]
    monkeypatch.setattr(executive_summary, "_findings", lambda _: (findings[:2], findings))
    first, *later = (block for block in executive_summary.build(outage.analysis) if isinstance(block, Bullets))
    assert len(first.items) == 10
    assert first.items[-1].sentences[0].text.startswith("Next"), "what to do is not crowded out"
    assert any("Finding 5." in item.sentences[0].text for block in later for item in block.items), "nothing is lost"


@pytest.mark.parametrize("word", FIRST_SCREEN_TERMS)
def test_terms_of_the_first_screen_are_in_the_glossary(word: str) -> None:
    assert word in TERMS


def test_the_short_report_links_the_glossary(outage: Told) -> None:
    short = api.shorten(api.report(outage.analysis), outage.analysis)
    text = markdown.render(short)
    assert short.sections[-1].title == "Glossary"
    assert "[95% interval](#glossary)" in text.split("## Glossary")[0]
    assert f"- 95% interval: {TERMS['95% interval']}." in text.split("## Glossary")[1]
    table = next(block for block in short.sections[0].blocks if isinstance(block, Table))
    assert [column.lstrip(">").lower() for column in table.columns][1:3] == ["score", "95% interval"]
