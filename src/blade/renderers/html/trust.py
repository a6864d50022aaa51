"""The trust panel: every check stated either way, so that a clean one is seen and not only missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from blade.change.mixed_settings import mixed_settings
from blade.counting.foreign import FEWEST_ROWS
from blade.frozen import frozen
from blade.health import ELSEWHERE
from blade.model import Analysis, RunAnalysis, Status
from blade.registry import plugins
from blade.summary.run_summary import unchecked, unchecked_words
from blade.wording import abridged, count, listed, percent

SHOWN = 3
OWN_LINE = {"suspect_gold", "outage_window", "summary_files"}
"""Health checks that the panel tells of by themselves."""
SIGNS = {"well": ("✓", "well"), "look": ("!", "worth a look"), "bad": ("✕", "moves the score"), "open": ("–", "open")}
"""State → its sign and its word, as nothing is told by colour alone."""


@frozen
class TrustCheck:
    """One check. `state` is well, look (something to know), bad (it moves the score), or open (nothing to hold)."""

    name: str
    title: str
    state: str
    words: str
    view: str


def trust(analysis: Analysis) -> list[TrustCheck]:
    """All checks, in the order a reader doubts them."""
    checks = [check(analysis) for check in _CHECKS]
    return [check for check in checks if check is not None]


def _aggregates(analysis: Analysis) -> TrustCheck:
    checks = [check for run in analysis.runs for check in run.checks]
    agree, differ = sum(check["matched"] for check in checks), sum(check["disagreements"] for check in checks)
    if not checks:
        return TrustCheck("aggregates", "Aggregates", "open", "The run has no summary file.", "verdict")
    keys = [key for run in analysis.runs for key in unchecked(run)]
    remainder = f"; {unchecked_words(keys)}: {abridged(keys, SHOWN)}" if keys else ""
    if differ:
        words = (
            f"{count(differ, 'value')} of the runs' own summary files differ from the rows; {agree:,} agree{remainder}."
        )
        return TrustCheck("aggregates", "Aggregates", "bad", words, "verdict")
    if not agree:
        words = f"Not checked: the rows give no value of the runs' own summary files{remainder}."
        return TrustCheck("aggregates", "Aggregates", "open", words, "verdict")
    words = f"{count(agree, 'value')} of the runs' own summary files, recomputed, agree with the rows{remainder}."
    return TrustCheck("aggregates", "Aggregates", "well", words, "verdict")


def _coverage(analysis: Analysis) -> TrustCheck:
    """Rows that make up their own expected number prove nothing by reaching it; by missing it, they do."""
    lines, states = [], set()
    for run in analysis.runs:
        chain = run.denominator
        short = chain.expected is not None and chain.graded < chain.expected
        if chain.expected is None:
            lines.append(f"{run.name}: not checked, {chain.graded:,} graded and expected unknown")
        elif chain.from_rows and not short:
            lines.append(f"{run.name}: not checked, {chain.graded:,} graded and the expected number inferred from them")
        else:
            share = percent(chain.graded / chain.expected) if chain.expected else "none expected"
            source = ", a number inferred from the rows" if chain.from_rows else ""
            lines.append(f"{run.name}: {chain.graded:,} of {chain.expected:,} expected ({share}{source})")
        states.add("bad" if short else "open" if chain.from_rows or chain.expected is None else "well")
    state = next((state for state in ("bad", "open") if state in states), "well")
    return TrustCheck("coverage", "Coverage", state, _lines_text(lines), "health")


def _duplicates(analysis: Analysis) -> TrustCheck:
    copies = _flawed(analysis, "duplicate-rows")
    clashes = _flawed(analysis, "conflicting-rows")
    if clashes:
        words = f"{count(clashes, 'row')} share a task and attempt and say different things; all are counted."
        return TrustCheck("duplicates", "Duplicates", "bad", words, "method")
    if copies:
        words = f"{count(copies, 'row')} repeat another and were left out."
        return TrustCheck("duplicates", "Duplicates", "look", words, "method")
    return TrustCheck("duplicates", "Duplicates", "well", "No duplicate rows.", "method")


def _foreign(analysis: Analysis) -> TrustCheck:
    rows = _flawed(analysis, "foreign-rows")
    if rows:
        words = f"{count(rows, 'row')} of another model were left out."
        return TrustCheck("foreign", "Foreign rows", "look", words, "method")
    blind = [reason for run in analysis.runs if (reason := _nothing_to_tell_models_by(run))]
    if blind:
        return TrustCheck("foreign", "Foreign rows", "open", f"Not checked: {_lines_text(blind)}", "method")
    return TrustCheck("foreign", "Foreign rows", "well", "No row looks like another model's.", "method")


def _nothing_to_tell_models_by(run: RunAnalysis) -> str:
    if run.rollouts < FEWEST_ROWS:
        return f"{run.name} has fewer than {FEWEST_ROWS} rows"
    return "" if run.provenance.models else f"the rows of {run.name} name no model"


def _infrastructure(analysis: Analysis) -> TrustCheck:
    words, hit = _statuses(analysis.runs, (Status.INFRASTRUCTURE,), "broken by infrastructure")
    return TrustCheck("infrastructure", "Infrastructure", "bad" if hit else "well", words, "health")


def _verifier(analysis: Analysis) -> TrustCheck:
    words, hit = _statuses(analysis.runs, (Status.VERIFIER_ERROR, Status.SKIPPED), "without a verdict")
    return TrustCheck("verifier", "Verifier errors", "bad" if hit else "well", words, "health")


def _gold(analysis: Analysis) -> TrustCheck:
    tasks = {task for item in analysis.health if item["check"] == "suspect_gold" for task in item["tasks"]}
    if tasks:
        words = f"The key of {count(len(tasks), 'task')} looks wrong: the runs agree on another answer."
        return TrustCheck("gold", "Suspect gold", "look", words, "health")
    words = "On no task do the runs agree against the answer key."
    return _ended(analysis, "suspect_gold", TrustCheck("gold", "Suspect gold", "well", words, "health"))


def _outage(analysis: Analysis) -> TrustCheck:
    statements = [item["statement"] for item in analysis.health if item["check"] == "outage_window"]
    if statements:
        return TrustCheck("outage", "Outage", "bad", statements[0], "health")
    words = "No stretch of a run is broken more than chance allows."
    return _ended(analysis, "outage_window", TrustCheck("outage", "Outage", "well", words, "health"))


def _ended(analysis: Analysis, name: str, clean: TrustCheck) -> TrustCheck:
    """A check that found nothing: clean only where it could look."""
    ended = next((check for check in analysis.health_checks if check["check"] == name), None)
    if ended is not None and ended["state"] == "clean":
        return clean
    if ended is not None and ended["state"] == ELSEWHERE:
        return replace(clean, state="look", words=f"The report tells of it elsewhere: {ended['why']}.")
    return replace(clean, state="open", words=f"Not checked: {ended['why'] if ended else 'it was not run'}.")


def _other_checks(analysis: Analysis) -> TrustCheck:
    """The health checks that have no line of their own."""
    other_names = [name for name in plugins("health") if name not in OWN_LINE]
    found_names = sorted({item["check"] for item in analysis.health} & set(other_names))
    ended = [
        check for check in analysis.health_checks if check["check"] in other_names and check["check"] not in found_names
    ]
    clean = [_plain(check["check"]) for check in ended if check["state"] == "clean"]
    missed = [f"{_plain(check['check'])} ({check['why']})" for check in ended if check["state"] == "not_checked"]
    moved = [f"{_plain(check['check'])} ({check['why']})" for check in ended if check["state"] == ELSEWHERE]
    parts = [("Told elsewhere: ", moved), ("Nothing found: ", clean), ("Not checked: ", missed)]
    if found_names:  # the view of the health has the others, one by one
        names = [_plain(name) for name in found_names]
        parts = [(f"{len(found_names)} of {len(other_names)} found something: ", names)]
    words = ". ".join(start + listed(names) for start, names in parts if names) or "Not checked: none was run"
    bad = any(item["severity"] == "high" for item in analysis.health if item["check"] in found_names)
    state = ("bad" if bad else "look") if found_names else "look" if moved else "well" if clean else "open"
    return TrustCheck("others", "Other health checks", state, f"{words}.", "health")


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _identity(analysis: Analysis) -> TrustCheck | None:
    if not analysis.identity:
        return None
    unmatched = [item for item in analysis.identity if item["rule"] == "none"]
    if unmatched:
        base, candidate, detail = (unmatched[0][key] for key in ("base", "candidate", "detail"))
        words = f"Tasks of {base} and {candidate} could not be matched: {detail}."
        return TrustCheck("identity", "Same tasks", "bad", words, "method")
    lines = [f"{item['candidate']}: {item['common']:,} in common, by {item['detail']}" for item in analysis.identity]
    doubtful = any(item["weak"] or item["rule"] == "index" for item in analysis.identity)
    return TrustCheck("identity", "Same tasks", "look" if doubtful else "well", _lines_text(lines), "method")


def _passport(analysis: Analysis) -> TrustCheck | None:
    if not analysis.changes:
        return None
    mixed = [change for change in analysis.changes if not change.separable and change.confounded_with]
    if mixed:
        words = f"Effects cannot be separated: {mixed_settings(mixed[0])}."
        return TrustCheck("passport", "Same settings", "bad", words, "ledger")
    differ = sorted({str(item["field"]) for change in analysis.changes for item in change.passport})
    if differ:
        return TrustCheck("passport", "Same settings", "well", f"Differs: {listed(differ)}.", "ledger")
    has_settings = all(run.provenance.sampling or run.provenance.config for run in analysis.runs)
    words = "No recorded setting differs." if has_settings else "Not checked: the rows record no settings."
    return TrustCheck("passport", "Same settings", "well" if has_settings else "open", words, "ledger")


def _readable(analysis: Analysis) -> TrustCheck:
    if not analysis.flaws:
        return TrustCheck("readable", "Readable input", "well", "Every row could be read.", "method")
    words = f"{count(len(analysis.flaws), 'thing')} could not be read as expected: {analysis.flaws[0].statement}"
    return TrustCheck("readable", "Readable input", "look", words.rstrip(".") + ".", "method")


def _flawed(analysis: Analysis, slug: str) -> int:
    return sum(flaw.rows for flaw in analysis.flaws if flaw.slug == slug)


def _statuses(runs: Sequence[RunAnalysis], statuses: Sequence[Status], words: str) -> tuple[str, bool]:
    def hit() -> Iterator[str]:
        for run in runs:
            rollouts = sum(run.statuses.get(status.value, 0) for status in statuses)
            if rollouts:
                yield f"{run.name}: {rollouts:,} of {sum(run.statuses.values()):,} rollouts {words}"

    lines = list(hit())
    return (_lines_text(lines), True) if lines else (f"No rollout is {words}.", False)


def _lines_text(lines: Sequence[str]) -> str:
    remainder = f"; and {count(len(lines) - SHOWN, 'more run')}" if len(lines) > SHOWN else ""
    return "; ".join(lines[:SHOWN]) + remainder + "."


_CHECKS: tuple[Callable[[Analysis], TrustCheck | None], ...] = (
    _aggregates,
    _coverage,
    _duplicates,
    _foreign,
    _infrastructure,
    _verifier,
    _gold,
    _outage,
    _other_checks,
    _identity,
    _passport,
    _readable,
)
