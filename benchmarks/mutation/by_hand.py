"""Mutants written by hand: lies that a report could tell and that no library thinks of. All of them must be noticed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutation.folders import SOURCE, WHOLE_REPORTS
from benchmarks.mutation.mutant import Mutant


@dataclass(frozen=True, slots=True)
class Lie:
    """What the mutant makes of the report, and how: `old` stands once in the file."""

    words: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...] = (WHOLE_REPORTS,)


LIES = (
    Lie("rows of another model are counted", "counting/run.py", ' & ~pl.col("foreign")', ""),
    Lie("copies are counted", "counting/run.py", ' & ~pl.col("copy")', ""),
    Lie("tasks are the same if half of their answers are", "counting/agreement.py", "AGREE = 0.95", "AGREE = 0.5"),
    Lie(
        "rows that infrastructure broke count as the model's",
        "counting/run.py",
        "self.graded.filter(~mute) if mute.any() else self.graded",
        "self.graded",
    ),
    Lie("a task that passes once always passes", "counting/buckets.py", "if passes == n else", "if passes >= 1 else"),
    Lie(
        "what another model made is lost without a word",
        "counting/denominator.py",
        "if counted_rows < graded:",
        "if counted_rows > graded:",
    ),
    Lie(
        "any scattered errors are an outage",
        "change/localize.py",
        "WINDOW_P = 0.01",
        "WINDOW_P = 0.9",
        ("tests/change/test_localize.py",),
    ),
    Lie(
        "offsetting tasks are told where there are none",
        "sections/score_change.py",
        "change.churn_p < 0.05 and",
        "change.churn_p >= 0.05 and",
    ),
    Lie(
        "every row is a copy",
        "sections/denominator.py",
        "copies = run.rollouts - chain.finished if",
        "copies = run.rollouts if",
    ),
    Lie(
        "losses are not told",
        "sections/denominator.py",
        "    if chain.losses:\n        loss_list",
        "    if not chain.losses:\n        loss_list",
    ),
    Lie(
        "tasks that went up are told to have gone down",
        "sections/cross_model_comparison.py",
        "{better} moved up a bucket from {base} to {candidate} and {worse} down",
        "{worse} moved up a bucket from {base} to {candidate} and {better} down",
    ),
    Lie(
        "the summary swaps real and noise",
        "summary/change_words.py",
        '"real": "a real difference"',
        '"real": "within noise"',
    ),
    Lie(
        "the summary swaps always and never",
        "summary/run_summary.py",
        "{{always}} always {passes}, {{sometimes}} sometimes {sometimes}, {{never}} never {never}.",
        "{{never}} always {passes}, {{sometimes}} sometimes {sometimes}, {{always}} never {never}.",
    ),
    Lie(
        "the verifier's points are the model's",
        "summary/change_words.py",
        '"verifier": "the verifier",\n    "truncation"',
        '"verifier": "what the model did",\n    "truncation"',
    ),
    Lie(
        "the arrow points up where the score fell",
        "renderers/html/verdict.py",
        '"up" if (delta or 0.0) > 5e-4 else "down" if (delta or 0.0) < -5e-4',
        '"down" if (delta or 0.0) > 5e-4 else "up" if (delta or 0.0) < -5e-4',
    ),
    Lie(
        "parts of the ledger point the other way",
        "renderers/html/ledger.py",
        '"up" if part.points >= 0 else "down"',
        '"down" if part.points >= 0 else "up"',
    ),
    Lie(
        "the trust panel calls an outage well",
        "renderers/html/trust.py",
        '"Infrastructure", "bad" if hit else "well"',
        '"Infrastructure", "well" if hit else "bad"',
    ),
    Lie(
        "losses are painted as gains",
        "charts/waterfall.py",
        '(GAIN if step["points"] >= 0 else LOSS)',
        '(LOSS if step["points"] >= 0 else GAIN)',
    ),
    Lie(
        "tasks that were lost are painted as won",
        "charts/flips.py",
        '(GAIN if row["gain"] else LOSS)',
        '(LOSS if row["gain"] else GAIN)',
    ),
    Lie("broken attempts are drawn as failures of the model", "pages/colours.py", 'return "broken"', 'return "fail"'),
    Lie(
        "the screen leaves out what was flawed",
        "renderers/terminal.py",
        "    if analysis.flaws:\n",
        "    if not analysis.flaws:\n",
    ),
    Lie(
        "the screen leaves the claims out",
        "renderers/terminal.py",
        "            for claim in block.items:\n",
        "            for claim in block.items[:0]:\n",
    ),
    Lie(
        "the first screen makes more than ten claims",
        "sections/executive_summary.py",
        "\nCLAIMS = 10\n",
        "\nCLAIMS = 11\n",
        ("tests/whole_report/test_one_vocabulary.py",),
    ),
    Lie(
        "what a fault of the benchmark moved has the other sign",
        "health/__init__.py",
        '"change_points": worth[0] if worth else None',
        '"change_points": -worth[0] if worth else None',
    ),
    Lie(
        "nobody is told to run broken rows again",
        "summary/repair_advice.py",
        "that infrastructure broke",
        "that the model broke",
    ),
)


def by_hand(root: Path) -> list[Mutant]:
    return [_mutant(root, lie) for lie in LIES]


def _mutant(root: Path, lie: Lie) -> Mutant:
    file = f"{SOURCE}/{lie.file}"
    text = (root / file).read_text(encoding="utf-8")
    if text.count(lie.old) != 1:
        raise SystemExit(f"{file}: {lie.old!r} stands there {text.count(lie.old)} times, wanted: once")
    line = text[: text.index(lie.old)].count("\n") + 1
    return Mutant("", lie.words, file, line, lie.old, lie.new, text.replace(lie.old, lie.new), lie.tests)
