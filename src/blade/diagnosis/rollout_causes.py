"""What a failing rollout shows of its own cause, beside the other rollouts: a positive sign each, or nothing.

A difference from the key is no cause. That all of it was done when a limit cut the work, that the user never asked for
what it was told to ask for, that a record was never opened which passes open, that a change was refused as it always is
in that order, that the work is claimed to be done and is not there: these are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.damaged_commands import damaged_commands
from blade.diagnosis.effective_key import effective_shape, refused_changes
from blade.diagnosis.refusals import refusals
from blade.diagnosis.turn_limits import at_limit, turn_limits
from blade.diagnosis.user_requests import silent_tasks, spoken_verbs
from blade.extract.agreed_changes import other_action
from blade.extract.calls import changing_name
from blade.extract.failure_shape import NOTHING, OMISSION, RIGHT
from blade.extract.lookups import CONDITIONAL, HEARD, OPENED, SHOWN, UNSEEN
from blade.extract.names import first_word, words
from blade.extract.refused_values import EQUAL, LEFT_OUT, WRONG_TYPE
from blade.extract.tool_errors import HANDED_OVER, NO_CHANGE, TRIED_ON
from blade.frozen import frozen
from blade.wording import count

LIMIT = "turn_limit"
FEWEST_ELSEWHERE = 3
NEARLY_ALWAYS = 0.9
ASKED_AGAIN = 2
GIVEN_UP = frozenset({NO_CHANGE, HANDED_OVER, TRIED_ON})
OUT_OF_ORDER = "refused_out_of_order"
KNOWN_FAILURE = "hands_in_known_failure"
HARDLY_EVER = 0.1
"""Where more of those that hand in after a failed test pass, that test is no sign."""
OVERFLOW = "context_overflow"
UNREACHED, UNMADE = "named_host_is_unreached", "claims_an_unmade_change"
SAME_VALUE, UNTOLD = "verifier_refuses_equal", "key_wants_what_is_untold"
SAME_COMPLAINT, OUTGROWN = "same_complaint_to_the_end", "outgrows_the_context"
GOING_ROUND, BARRED = "goes_round_to_the_limit", "own_change_bars_it"
OWN_END = "own_command_ends_it"
DOWN = "tools_were_down"
DAMAGED = "commands_arrive_damaged"
CUT_ALL, NO_PATCH = "token_limit_cuts_nearly_all", "hands_in_an_empty_patch"
TRUNCATED, TEXT_LOOPS = "truncated_max_tokens", ("text_loop", "text_loop_to_the_limit")
FEWEST_CUT = 5
FEWEST_FINDING = 2
FEWEST_RUNS = 3
ENDED_EARLY, UNSAID = "user_ends_early", "answer_not_said"
CAUSES = {
    DOWN: "tools that were down for a stretch of time",
    OWN_END: "own command that ended the agent's process",
    DAMAGED: "commands that arrive damaged",
    "limit_after_work": "cut-off after the work was done",
    "user_accepts_instead": "simulated user agrees where a hand-over to a person was expected",
    "user_never_asks": "request that the simulated user never makes",
    "denies_its_tools": "denial of what a tool does that the run calls elsewhere",
    OUT_OF_ORDER: "changes in an order in which one is always refused",
    CUT_ALL: "limit of output tokens that cuts nearly every rollout of the run",
    NO_PATCH: "empty patch handed in",
    BARRED: "expected change that its own earlier change made impossible",
    "unfit_for_state": "call that does not fit the state read before",
    "record_not_looked_up": "needed record never looked up",
    "asks_instead_of_looking_up": "repeated questions for what a tool shows",
    "claims_what_is_not_there": "claim of work that is not there",
    KNOWN_FAILURE: "work handed in although its own last test fails",
    "types_results": "results typed by hand instead of computed",
    SAME_VALUE: "value that the verifier refuses although it is the one that it wants",
    UNTOLD: "value that the key wants and the request does not contain",
    "leaves_out_what_is_asked": "value of the request that is left out of the call",
    "breaks_the_type": "value of another type than the tool declares",
    "named_path_is_missing": "path that the task names and the environment lacks",
    UNREACHED: "host that the task names and no call reaches",
    UNMADE: "claim of a change that no call made",
    SAME_COMPLAINT: "same complaint in every call to the last",
    GOING_ROUND: "same calls made again until a limit",
    OUTGROWN: "conversation that outgrows the context window",
}
"""The rules of this module in words."""
Seen = Mapping[str, Any]


@frozen
class Cause:
    """A label, the rule that gives it, and why, in words."""

    label: str
    rule: str
    why: str
    value: str = ""
    tool: str = ""
    record_opened: bool = False
    """Whether another identifier of the same change was opened: what was not looked up is a value of it."""


def rollout_causes(runs: Sequence[RunCases], *, of_passes: bool = False) -> dict[int, Cause]:
    """The causes of failing rollouts that ran and were judged, by the identity of the case.

    `of_passes` gives those that show the same sign and pass all the same: what a sign is held against.
    """
    memo_key = f"rollout causes {len(runs)}"
    if not runs:
        return {}
    if memo_key not in runs[0].known:
        runs[0].known[memo_key] = _all_causes(runs)
    failing, passing = runs[0].known[memo_key]
    return dict(passing if of_passes else failing)


def sole_acceptances(runs: Sequence[RunCases]) -> frozenset[int]:
    """Failures that a user ended by accepting, in which nothing else is known to be wrong."""
    rollout_causes(runs)
    return frozenset(runs[0].known[f"sole acceptances {len(runs)}"]) if runs else frozenset()


def _all_causes(runs: Sequence[RunCases]) -> tuple[dict[int, Cause], dict[int, Cause]]:
    """Of failing rollouts, and of passing ones; several parts of an analysis ask for them."""
    rows = [(case, case.observed) for run in runs for case in run.cases if case.evaluable and case.stage_lost is None]
    damaged = {case: reason for run in runs for case, reason in damaged_commands(run).items()}
    context = _RunContext(rows, refused_changes(runs), damaged)
    causes = [(case, cause) for case, observed in rows if (cause := context.cause(case, observed))]
    runs[0].known[f"sole acceptances {len(runs)}"] = {
        id(case) for case, observed in rows if context.only_ended(case, observed)
    }
    failing = {id(case): cause for case, cause in causes if case.failing}
    return failing, {id(case): cause for case, cause in causes if not case.failing}


class _RunContext:
    """What all rollouts together tell: limits, words that users say, which tool shows a value, who uses it."""

    def __init__(
        self, rows: Sequence[tuple[Case, Seen]], refused: Mapping[int, Any], damaged: Mapping[int, str]
    ) -> None:
        self.refused, self.damaged = refused, damaged
        self.limits = turn_limits((case.run, observed) for case, observed in rows)
        self.spoken = spoken_verbs(rows)
        self.silent = silent_tasks(rows)
        self.showing: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.opening: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.passes_open: set[tuple[str, str]] = set()
        self.uses: Counter[tuple[str, str]] = Counter()
        self.refusals = refusals(observed for _, observed in rows)
        self.accepted = Counter(
            (case.run, tool)
            for case, observed in rows
            for tool, refusal, *_ in observed.get("circumstances", ())
            if refusal is None
        )
        self.failed_tests: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.complaining: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.going_round: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.rollouts = Counter(case.run for case, _ in rows)
        self.token_cuts = Counter(case.run for case, _ in rows if TRUNCATED in case.fired())
        self.patching = {case.run for case, observed in rows if any((observed.get("patches") or {}).values())}
        self.paths_there: Counter[tuple[str, str]] = Counter()
        self.hosts_reached: Counter[str] = Counter()
        self.runs_of: defaultdict[str, set[str]] = defaultdict(set)
        self.outgrown: defaultdict[str, set[str]] = defaultdict(set)
        self.passed_tasks = {case.key for case, _ in rows if not case.failing}
        for case, observed in rows:
            self.runs_of[case.key].add(case.run)
            if OVERFLOW in case.fired():
                self.outgrown[case.key].add(case.run)
            if "same_complaint" in observed:
                self.complaining[case.run][0] += 1
                self.complaining[case.run][1] += not case.failing
            if "going_round" in observed and self._limited(case, observed):
                self.going_round[case.run][0] += 1
                self.going_round[case.run][1] += not case.failing
            self._note_named(case, observed)
            if "known_failure" in observed:
                self.failed_tests[case.run][0] += 1
                self.failed_tests[case.run][1] += not case.failing
            for tool in _tools(case):
                self.uses[case.run, tool] += 1
            for value, state, tool, _ in observed.get("key_values", ()):
                if state == OPENED:
                    self.opening[case.key, value][tool] += 1
                    if not case.failing:
                        self.passes_open.add((case.key, value))
                elif state == SHOWN:
                    self.showing[case.key, value][tool] += 1

    def _note_named(self, case: Case, observed: Seen) -> None:
        """Which hosts and paths that a task names some attempt reaches."""
        for host, reached in observed.get("named_hosts", ()):
            self.hosts_reached[host] += bool(reached)
        for path, there in observed.get("named_paths", ()):
            self.paths_there[case.key, path] += bool(there)

    def cause(self, case: Case, observed: Seen) -> Cause | None:
        if case.in_dead_stretch:
            return Cause("IR", DOWN, "its tools were down, as in the rollouts before and after it")
        cause = (
            _own_end(observed) or self._cut(case, observed) or self._cut_like_all(case) or _accepted_instead(observed)
        )
        cause = cause or self._denied(case, observed)
        cause = cause or self._not_asked_for(case, observed) or self._refused(case, observed) or self._barred(observed)
        if cause is None and not at_limit(observed, self.limits.get(case.run)):
            cause = self._not_looked_up(case, observed)
        cause = cause or _not_there(observed) or self._known_to_fail(case, observed) or _typed(observed)
        cause = cause or self._missing_path(case, observed) or self._unreached_host(case, observed)
        cause = cause or self._refused_value(case, observed) or _unmade(observed) or self._empty_patch(case, observed)
        cause = cause or self._damaged(case) or self._complaining(case, observed) or self._outgrown(case)
        return cause or self._going_round(case, observed)

    def _damaged(self, case: Case) -> Cause | None:
        """Much of what it sends arrives without line breaks, or with a fence, and runs nothing or something else."""
        reason = self.damaged.get(id(case))
        return Cause("TI", DAMAGED, reason) if reason else None

    def _limited(self, case: Case, observed: Seen) -> bool:
        return LIMIT in case.fired() or at_limit(observed, self.limits.get(case.run))

    def _missing_path(self, case: Case, observed: Seen) -> Cause | None:
        """The environment lacks what the task names, from the first look, and has it in other attempts at the task."""
        for path, there in observed.get("named_paths", ()):
            others = self.paths_there[case.key, path]
            if not there and others >= FEWEST_FINDING:
                reason = f"the task names {path}, and the environment lacks it from the first look"
                reason += f"; {count(others, 'other attempt')} find it"
                return Cause("TI", "named_path_is_missing", reason)
        return None

    def _unreached_host(self, case: Case, observed: Seen) -> Cause | None:
        """No call gets through to a host of the task: an outage where others reach it, else the task's fault."""
        for host, reached in observed.get("named_hosts", ()):
            if reached or case.key in self.passed_tasks:
                continue
            reason = f"the task needs {host}, and no call gets through to it"
            if self.hosts_reached[host]:
                others = self.hosts_reached[host]
                verb = "reaches" if others == 1 else "reach"
                return Cause("IR", UNREACHED, f"{reason}, while {count(others, 'other attempt')} {verb} it")
            return Cause("TI", UNREACHED, f"{reason}, here or elsewhere")
        return None

    def _refused_value(self, case: Case, observed: Seen) -> Cause | None:
        """What the verifier says of one value, beside the request; a key that a pass meets is not at fault."""
        if "refused" not in observed:
            return None
        kind, name, wanted, got = observed["refused"]
        if kind == LEFT_OUT:
            return Cause("BI", "leaves_out_what_is_asked", f"leaves out {name}, though the request says {wanted}")
        if kind == WRONG_TYPE:
            return Cause("BI", "breaks_the_type", f"gives {got} for {name}, where the tool declares {wanted}")
        if case.key in self.passed_tasks:
            return None
        if kind == EQUAL:
            of_name = f" for {name}" if name else ""
            return Cause("TI", SAME_VALUE, f"the verifier refuses {got}{of_name}, which is what it wants ({wanted})")
        instead = f", and refuses {got}, which it does" if got else ""
        return Cause("TI", UNTOLD, f"the key wants {wanted} for {name}, which the request does not say{instead}")

    def _complaining(self, case: Case, observed: Seen) -> Cause | None:
        """The last calls all get one complaint, whatever they try; those that end so fail."""
        showing, passes = self.complaining[case.run]
        if "same_complaint" not in observed or passes > HARDLY_EVER * showing:
            return None
        calls, words_said = observed["same_complaint"]
        return Cause("BI", SAME_COMPLAINT, f"its last {calls:,} calls all get the same complaint: “{words_said}”")

    def _going_round(self, case: Case, observed: Seen) -> Cause | None:
        """A limit cut it while most of its calls brought back what earlier ones had; those that do so fail."""
        showing, passes = self.going_round[case.run]
        if "going_round" not in observed or not self._limited(case, observed) or passes > HARDLY_EVER * showing:
            return None
        again, later = observed["going_round"]
        reason = f"{again:,} of its last {later:,} calls were made before and get the answer that they got then"
        return Cause("BI", GOING_ROUND, f"{reason}, until a limit stops it")

    def _known_to_fail(self, case: Case, observed: Seen) -> Cause | None:
        """The agent's own last test fails, and it hands in without another change; those that do it fail."""
        showing, passes = self.failed_tests[case.run]
        if "known_failure" not in observed or passes > HARDLY_EVER * showing:
            return None
        return Cause("BI", KNOWN_FAILURE, f"hands in though its own last test fails: “{observed['known_failure']}”")

    def _outgrown(self, case: Case) -> Cause | None:
        """The row itself says that the conversation no longer fitted; where most runs meet that, it is the task's."""
        if OVERFLOW not in case.fired():
            return None
        attempting, outgrown = self.runs_of[case.key], self.outgrown[case.key]
        if len(outgrown) >= FEWEST_RUNS and 2 * len(outgrown) > len(attempting) and case.key not in self.passed_tasks:
            reason = f"the task outgrows the context window in {len(outgrown):,} of {count(len(attempting), 'run')}"
            return Cause("TI", OUTGROWN, f"{reason}, and none passes it")
        return Cause("BI", OUTGROWN, "the conversation outgrew the context window before the work was done")

    def only_ended(self, case: Case, observed: Seen) -> bool:
        """Whether a user accepted what is missing and left; nothing was changed wrongly, unsaid or not looked up."""
        fired = case.fired()
        if ENDED_EARLY not in fired or UNSAID in fired or "agreed_otherwise" in observed:
            return False
        right = effective_shape(observed, self.refused) in {NOTHING, OMISSION} and not self._agreed_otherwise(observed)
        return right and not any(True for _ in self._lacking(case, observed))

    def _agreed_otherwise(self, observed: Seen) -> bool:
        """Whether the user agreed to another action than what is missing."""
        tools = {tool for _, tool in self.uses if changing_name(tool)}
        expected, missing = ([entry[0] for entry in observed.get(key, ())] for key in ("expected", "left_out"))
        return bool(other_action(observed.get("proposal", ""), tools, expected, missing))

    def _cut(self, case: Case, observed: Seen) -> Cause | None:
        limit = self.limits.get(case.run)
        if (
            not at_limit(observed, limit)
            or effective_shape(observed, self.refused) != RIGHT
            or not observed.get("expected")
        ):
            return None
        return Cause(
            "TI", "limit_after_work", f"all expected changes were made when the limit of {limit:,} turns cut it"
        )

    def _cut_like_all(self, case: Case) -> Cause | None:
        """A limit of tokens that cuts nearly every rollout was set too low, unless this one ran in circles."""
        fired, rollouts, cut = case.fired(), self.rollouts[case.run], self.token_cuts[case.run]
        if TRUNCATED not in fired or cut < FEWEST_CUT or cut < NEARLY_ALWAYS * rollouts:
            return None
        if any(loop in fired for loop in TEXT_LOOPS):
            return None
        reason = f"the limit of output tokens cuts {cut:,} of {count(rollouts, 'rollout')} of its run"
        return Cause("TI", CUT_ALL, f"{reason}: it is too low for this model")

    def _empty_patch(self, case: Case, observed: Seen) -> Cause | None:
        """It hands in, by itself, a patch that is empty, while others of its run hand in one with something in it."""
        patches = observed.get("patches") or {}
        if not patches or any(patches.values()) or "submitted" not in observed or case.run not in self.patching:
            return None
        return Cause("BI", NO_PATCH, f"hands in its work, and the patch is empty ({next(iter(patches))})")

    def _not_asked_for(self, case: Case, observed: Seen) -> Cause | None:
        """The user was told to ask for a change, names it nearly always where it passes, and never does here.

        Where such a change was made, of whatever object, somebody asked for it. What is to be asked for on a condition
        may never come up, unless no user of the task ever asks.
        """
        changed_verbs = {first_word(tool) for tool, _, accepted, *_ in observed.get("changes", ()) if accepted}
        left = {first_word(tool): tool for tool, _ in self._left_out(observed)}
        for verb, instructed, spoken in observed.get("requests", ()):
            if instructed == CONDITIONAL and (case.key, verb) not in self.silent:
                continue
            if instructed and not spoken and verb in left and verb not in changed_verbs and verb in self.spoken:
                contains = "contains under a condition" if instructed == CONDITIONAL else "contains"
                reason = f"the user never asks for {left[verb]}, which its instruction {contains} and the key expects"
                return Cause("TI", "user_never_asks", reason, tool=left[verb])
        return None

    def _denied(self, case: Case, observed: Seen) -> Cause | None:
        """The model denies what a tool does that its run calls elsewhere and this rollout never does."""
        have = _tools(case)
        for value, tool in self._lacking(case, observed, _denied_changes(observed)) if "denies" in observed else ():
            if tool not in have and self._elsewhere(case, tool) >= FEWEST_ELSEWHERE:
                others = count(self._elsewhere(case, tool), "other rollout")
                reason = f"says “{observed['denies'][1]}”, while {case.run} calls {tool} in {others}"
                return Cause("UK", "denies_its_tools", reason, value, tool)
        return None

    def _refused(self, case: Case, observed: Seen) -> Cause | None:
        """A change is left out that was refused as it always is then, while the run makes it rightly elsewhere.

        Either another change of the same object came first, or the tool does not fit the state that had been read and
        nothing was done instead.
        """
        left = [tool for tool, _ in self._left_out(observed)]
        followed = {(entry[0], entry[1]): entry[5] for entry in observed.get("errors", ())}
        for tool, refusal, before, fields in observed.get("circumstances", ()):
            if refusal is None or self.accepted[case.run, tool] < FEWEST_ELSEWHERE:
                continue
            for pattern in self.refusals.get((tool, refusal), ()):
                late = pattern.before and pattern.before == before and tool in left
                unfit = pattern.field and fields.get(pattern.field) == pattern.value and tool not in left
                if late or (unfit and len(left) == 1 and followed.get((tool, refusal)) in GIVEN_UP):
                    rule = OUT_OF_ORDER if late else "unfit_for_state"
                    return Cause("UK", rule, f"calls {tool} {pattern.words}", tool=tool)
        return None

    def _barred(self, observed: Seen) -> Cause | None:
        """The expected change itself is refused, after a change of the same object that nobody expected.

        The key makes that change with success, so that what came before it here is what bars it.
        """
        changes = observed.get("changes", ())
        made = {digest for _, digest, accepted, *_ in changes if accepted}
        wanted = {tool for tool, _, _, expected, *_ in changes if expected}
        for tool, digest, _, expected, *_ in changes:
            if not expected or digest in made or digest in self.refused:
                continue
            for refused_tool, refusal, before, _ in observed.get("circumstances", ()):
                if refused_tool == tool and refusal is not None and before and before not in wanted:
                    reason = f"calls {tool} just as the key does and is refused, after its own {before}"
                    return Cause("UK", BARRED, f"{reason}, which the key lacks, had changed the same object", tool=tool)
        return None

    def _not_looked_up(self, case: Case, observed: Seen) -> Cause | None:
        lacking = list(self._lacking(case, observed))
        have = _tools(case)
        for value, tool in lacking:
            if tool in have:
                reason = f"never looks up {value}, which the change left out needs, though it calls {tool} for others"
                return Cause("BI", "record_not_looked_up", reason, value, tool, self._record_opened(observed, value))
        for value, tool in lacking if observed.get("asked_for_id", 0) >= ASKED_AGAIN else ():
            if self.opening[case.key, value][tool] and self._elsewhere(case, tool) >= FEWEST_ELSEWHERE:
                others = count(self._elsewhere(case, tool), "other rollout")
                reason = f"asks the user again and again for what {tool} shows; {case.run} calls it in {others}"
                return Cause("BI", "asks_instead_of_looking_up", reason, value, tool)
        return None

    def _record_opened(self, observed: Seen, value: str) -> bool:
        opened = {item for item, state, *_ in observed.get("key_values", ()) if state == OPENED}
        return all(not opened.isdisjoint(values) for _, values in self._left_out(observed) if value in values)

    def _lacking(self, case: Case, observed: Seen, only: Collection[str] | None = None) -> Iterator[tuple[str, str]]:
        """Values of changes left out that were never seen, or never opened where the key or a pass opens them."""
        states = {value: (state, in_key) for value, state, _, in_key in observed.get("key_values", ())}
        for change, values in self._left_out(observed):
            for value in values if only is None or change in only else ():
                state, in_key = states.get(value, (OPENED, 0))
                place = case.key, value
                if state != OPENED and (in_key or place in self.passes_open) and self.opening[place]:
                    yield value, _commonest(self.opening[place])
                elif state in {HEARD, UNSEEN} and self.showing[place]:
                    yield value, _commonest(self.showing[place])

    def _left_out(self, observed: Seen) -> Iterator[tuple[str, Sequence[str]]]:
        """Tool and identifiers of the changes left out that the environment would have accepted."""
        for tool, values, *digest in observed.get("left_out", ()):
            if self.refused.keys().isdisjoint(digest):
                yield tool, values

    def _elsewhere(self, case: Case, tool: str) -> int:
        return self.uses[case.run, tool] - (tool in case.tools)


def _denied_changes(observed: Seen) -> set[str]:
    """The expected changes that the words of a denial may concern: those whose name has one of them, else all."""
    denial_words = {word.rstrip("s") for word in words(observed["denies"][1])}
    changes = {entry[0] for key in ("expected", "left_out") for entry in observed.get(key, ())}
    named_changes = {
        change for change in changes if not denial_words.isdisjoint(word.rstrip("s") for word in words(change))
    }
    return named_changes or changes


def _own_end(observed: Seen) -> Cause | None:
    """The last call, which got no answer, sent the signal that ended the process: the work stopped there."""
    if "own_end" not in observed:
        return None
    return Cause("BI", OWN_END, f"its own last command ended its process: “{observed['own_end']}”")


def _accepted_instead(observed: Seen) -> Cause | None:
    """The key hands the user over to a person, and the user agrees to changes."""
    if not observed.get("accepted_instead"):
        return None
    reason = "the key expects that the user is handed over to a person, and the user agrees to changes instead"
    return Cause("TI", "user_accepts_instead", reason)


def _not_there(observed: Seen) -> Cause | None:
    if "absent" not in observed:
        return None
    reason = (
        f"claims success and hands in, while the verifier finds that there is nothing to judge: “{observed['absent']}”"
    )
    return Cause("BI", "claims_what_is_not_there", reason)


def _unmade(observed: Seen) -> Cause | None:
    """The model says that it changed something, not after a user who said so first, and no call changed it."""
    claims = [claim for claim in observed.get("unmade", ()) if claim[3] is None]
    return Cause("BI", UNMADE, f"says “{claims[0][1]}”, and no call did it") if claims else None


def _typed(observed: Seen) -> Cause | None:
    if "typed_results" not in observed:
        return None
    values = ", ".join(observed["typed_results"][1])
    return Cause(
        "BI", "types_results", f"types results by hand that nothing had shown ({values}), after a call was cut"
    )


def _tools(case: Case) -> set[str]:
    return set(case.tools)


def _commonest(tools: Counter[str]) -> str:
    return max(tools, key=lambda tool: (tools[tool], tool))
