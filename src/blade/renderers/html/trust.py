"""The trust panel: every check stated either way, so that a clean one is seen and not only missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from blade.model import Analysis, RunAnalysis, Status
from blade.registry import plugins
from blade.run_summary import unchecked, unchecked_words
from blade.wording import abridged, count, listed, percent

SHOWN = 3
OWN_LINE = {"suspect_gold", "outage_window", "summary_files"}
"""Health checks that the panel tells of by themselves."""
SIGNS = {"well": ("✓", "well"), "look": ("!", "worth a look"), "bad": ("✕", "moves the score"), "open": ("–", "open")}
"""State → its sign and its word, as nothing is told by colour alone."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `state` is well, look (something to know), bad (it moves the score), or open (nothing to hold)."""

    name: str
    title: str
    state: str
    words: str
    view: str


def trust(analysis: Analysis) -> list[Check]:
    """All checks, in the order a reader doubts them."""
    made = [check(analysis) for check in _CHECKS]
    return [one for one in made if one is not None]


def _aggregates(analysis: Analysis) -> Check:
    checks = [check for run in analysis.runs for check in run.checks]
    agree, differ = sum(check["matched"] for check in checks), sum(check["disagreements"] for check in checks)
    if not checks:
        return Check("aggregates", "Aggregates", "open", "No summary file stands beside the rows.", "verdict")
    keys = [key for run in analysis.runs for key in unchecked(run)]
    rest = f"; {unchecked_words(keys)}: {abridged(keys, SHOWN)}" if keys else ""
    if differ:
        words = f"{count(differ, 'value')} of the runs' own summary files differ from the rows; {agree:,} agree{rest}."
        return Check("aggregates", "Aggregates", "bad", words, "verdict")
    if not agree:
        words = f"Not checked: the rows give no value of the runs' own summary files{rest}."
        return Check("aggregates", "Aggregates", "open", words, "verdict")
    words = f"{count(agree, 'value')} of the runs' own summary files, recomputed, agree with the rows{rest}."
    return Check("aggregates", "Aggregates", "well", words, "verdict")


def _coverage(analysis: Analysis) -> Check:
    told, states = [], set()
    for run in analysis.runs:
        chain = run.denominator
        if chain.expected is None:
            told.append(f"{run.name}: {chain.graded:,} graded, expected unknown")
            states.add("open")
        else:
            share = percent(chain.graded / chain.expected) if chain.expected else "none expected"
            told.append(f"{run.name}: {chain.graded:,} of {chain.expected:,} expected ({share})")
            states.add("well" if chain.graded >= chain.expected else "bad")
    state = next((state for state in ("bad", "open") if state in states), "well")
    return Check("coverage", "Coverage", state, _told(told), "health")


def _duplicates(analysis: Analysis) -> Check:
    copies = _flawed(analysis, "duplicate-rows")
    clashes = _flawed(analysis, "conflicting-rows")
    if clashes:
        words = f"{count(clashes, 'row')} share a task and attempt and say different things; all are counted."
        return Check("duplicates", "Duplicates", "bad", words, "method")
    if copies:
        words = f"{count(copies, 'row')} repeat another and were left out."
        return Check("duplicates", "Duplicates", "look", words, "method")
    return Check("duplicates", "Duplicates", "well", "No row stands twice.", "method")


def _foreign(analysis: Analysis) -> Check:
    many = _flawed(analysis, "foreign-rows")
    if many:
        words = f"{count(many, 'row')} of another model were left out."
        return Check("foreign", "Foreign rows", "look", words, "method")
    return Check("foreign", "Foreign rows", "well", "No row looks like another model's.", "method")


def _infrastructure(analysis: Analysis) -> Check:
    words, hit = _statuses(analysis.runs, (Status.INFRASTRUCTURE,), "broken by infrastructure")
    return Check("infrastructure", "Infrastructure", "bad" if hit else "well", words, "health")


def _verifier(analysis: Analysis) -> Check:
    words, hit = _statuses(analysis.runs, (Status.VERIFIER_ERROR, Status.SKIPPED), "without a verdict")
    return Check("verifier", "Verifier errors", "bad" if hit else "well", words, "health")


def _gold(analysis: Analysis) -> Check:
    tasks = {task for item in analysis.health if item["check"] == "suspect_gold" for task in item["tasks"]}
    if tasks:
        words = f"The key of {count(len(tasks), 'task')} looks wrong: the runs agree on another answer."
        return Check("gold", "Suspect gold", "look", words, "health")
    if len(analysis.runs) < 2:
        return Check("gold", "Suspect gold", "open", "Two runs are needed to doubt an answer key.", "health")
    return Check("gold", "Suspect gold", "well", "On no task do the runs agree against the answer key.", "health")


def _outage(analysis: Analysis) -> Check:
    found = [item["statement"] for item in analysis.health if item["check"] == "outage_window"]
    if found:
        return Check("outage", "Outage", "bad", found[0], "health")
    return Check("outage", "Outage", "well", "No stretch of a run is broken beyond chance.", "health")


def _others(analysis: Analysis) -> Check:
    """The health checks that have no line of their own."""
    rest = [name for name in plugins("health") if name not in OWN_LINE]
    found = sorted({item["check"] for item in analysis.health} & set(rest))
    told = listed([name.replace("_", " ") for name in found or rest])
    if not found:
        return Check("others", "Other health checks", "well", f"Nothing found: {told}.", "health")
    bad = any(item["severity"] == "high" for item in analysis.health if item["check"] in found)
    words = f"{len(found)} of {len(rest)} found something: {told}."
    return Check("others", "Other health checks", "bad" if bad else "look", words, "health")


def _identity(analysis: Analysis) -> Check | None:
    if not analysis.identity:
        return None
    lost = [item for item in analysis.identity if item["rule"] == "none"]
    if lost:
        words = f"Tasks of {lost[0]['base']} and {lost[0]['candidate']} could not be matched: {lost[0]['detail']}."
        return Check("identity", "Same tasks", "bad", words, "method")
    told = [f"{item['candidate']}: {item['common']:,} in common, by {item['detail']}" for item in analysis.identity]
    by_index = any(item["rule"] == "index" for item in analysis.identity)
    return Check("identity", "Same tasks", "look" if by_index else "well", _told(told), "method")


def _passport(analysis: Analysis) -> Check | None:
    if not analysis.changes:
        return None
    mixed = [change for change in analysis.changes if not change.separable and change.confounded_with]
    if mixed:
        fields = listed(list(mixed[0].confounded_with))
        words = f"Several settings differ at once ({fields}): their effects cannot be told apart."
        return Check("passport", "Same settings", "bad", words, "ledger")
    differ = sorted({str(item["field"]) for change in analysis.changes for item in change.passport})
    words = f"Differs: {listed(differ)}." if differ else "No setting that the rows tell of differs."
    return Check("passport", "Same settings", "well", words, "ledger")


def _readable(analysis: Analysis) -> Check:
    if not analysis.flaws:
        return Check("readable", "Readable input", "well", "Every row could be taken as it stood.", "method")
    words = f"{count(len(analysis.flaws), 'thing')} could not be taken as it stood: {analysis.flaws[0].statement}"
    return Check("readable", "Readable input", "look", words.rstrip(".") + ".", "method")


def _flawed(analysis: Analysis, slug: str) -> int:
    return sum(flaw.rows for flaw in analysis.flaws if flaw.slug == slug)


def _statuses(runs: Sequence[RunAnalysis], statuses: Sequence[Status], words: str) -> tuple[str, bool]:
    def hit() -> Iterator[str]:
        for run in runs:
            many = sum(run.statuses.get(status.value, 0) for status in statuses)
            if many:
                yield f"{run.name}: {many:,} of {sum(run.statuses.values()):,} rollouts {words}"

    found = list(hit())
    return (_told(found), True) if found else (f"No rollout is {words}.", False)


def _told(lines: Sequence[str]) -> str:
    more = f"; and {count(len(lines) - SHOWN, 'more run')}" if len(lines) > SHOWN else ""
    return "; ".join(lines[:SHOWN]) + more + "."


_CHECKS: tuple[Callable[[Analysis], Check | None], ...] = (
    _aggregates,
    _coverage,
    _duplicates,
    _foreign,
    _infrastructure,
    _verifier,
    _gold,
    _outage,
    _others,
    _identity,
    _passport,
    _readable,
)
