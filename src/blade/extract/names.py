"""What a field is for, told from the words of its name. Names repeat on every row, so answers are remembered."""

from __future__ import annotations

import re
from functools import lru_cache

from blade.late_regex import late_regex

_WORDS = late_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

VERIFIER = frozenset(
    "judge verifier verification eval evaluation evaluator grader grading scorer checker test tests arbiter referee "
    "adjudicator assessor rater matcher".split()
)
JUDGES = frozenset("judge judges grader arbiter referee adjudicator assessor rater".split())
TRANSPORT = frozenset("http request connection connect network provider api transport socket".split())
_ERROR_TAILS = frozenset("error errors err errs exception exc traceback crash".split())
_ERROR_PAIRS = frozenset(
    (first, second)
    for first in ("error", "exception", "failure", "fail")
    for second in ("kind", "type", "class", "message", "msg", "detail", "details", "mode", "reason", "text", "name")
)
_REASONS = frozenset("finish stop end termination terminal exit abort invalid gate".split())
_ENDS = frozenset("stop stopped finish finished end ended termination terminated halt halted exit exited".split())
_ENDS_BY = frozenset("by on with cause why how".split())
_LIMITS = frozenset("turn turns step steps iteration iterations call calls budget cost".split())
_GOLD_NAMES = frozenset(
    "expected_answer expected_output expected_result expected ground_truth gold gold_answer gold_sql "
    "golden_answer answer answers target target_answer label reference reference_answer reference_solution "
    "solution correct_answer correct_index expected_actions expected_action expected_judgement expected_grade "
    "sql translation".split(),
)
_ANSWER_NAMES = (
    "extracted_answer",
    "predicted_answer",
    "parsed_answer",
    "parsed_option",
    "extracted_grade",
    "extracted_judgement",
    "extracted_sql",
    "extracted_model_code",
    "extracted_law",
    "extracted",
    "extracted_code",
    "predicted_label",
    "predicted_value",
    "predicted_output",
    "predicted_proof",
    "prediction",
    "final_answer",
    "model_answer",
)
_METADATA = frozenset(
    "category subcategory difficulty subject domain topic level subtopic type kind name language lang split "
    "subset setting dataset source tier band field subfield platform service hardness version system noise "
    "dimension bucket group section skill area occupation sector seed variant track perturbation number num "
    "count size length max min depth dim".split(),
)
_OUTCOME = frozenset(
    "extracted predicted prediction parsed judge judged judgement judgment verdict score scores scored reward "
    "rewards correct incorrect passed pass passing fail failed failure failures error errors exception status "
    "state output outputs generated generation response responses result results time times seconds latency "
    "duration tokens token cost usage turn turns used finished resolved patch match matched accuracy rating "
    "completed completion exit code stderr stdout trace trajectory success successful valid invalid similarity "
    "metric metrics attempt attempts retry retries rollout rollouts message messages transcript "
    "is no hit clicked wer per tp fp tn fn win "
    "loss tie f1 em bleu chrf rouge timeout timed truncated terminated skipped mask num_calls calls started "
    "ended finish end created run trial chars path commit log fpath dir thought answer".split(),
)


@lru_cache(maxsize=65536)
def words(name: str) -> tuple[str, ...]:
    """The lower-case words of the last part of a dotted name: `verifier.agentTimedOut` → agent, timed, out."""
    last = re.split(r"(?<!\\)\.", name)[-1]
    return tuple(word.lower() for word in _WORDS.findall(last))


def first_word(name: str) -> str:
    """The verb that a tool's name begins with; the name itself where it has no letter."""
    return next(iter(words(name)), name)


@lru_cache(maxsize=65536)
def is_error_text(name: str) -> bool:
    """A field whose string value tells of trouble: error, exception_type, failure_reason, stop_reason."""
    parts = words(name)
    if not parts:
        return False
    if parts[-2:] == ("std", "err"):
        return False
    if parts[-1] in _ERROR_TAILS or parts in {("gate", "failed"), ("failure", "labels")}:
        return True
    if len(parts) < 2:
        return False
    return parts[-2:] in _ERROR_PAIRS or (parts[-1] in {"reason", "state"} and parts[-2] in _REASONS)


@lru_cache(maxsize=65536)
def tells_the_end(name: str) -> bool:
    """A field that may say in a word of its own what ended the rollout: stop, ended_by, session.terminated_on."""
    parts = words(name)
    named = parts[:-1] if parts[-1:] and parts[-1] in _ENDS_BY else parts
    return bool(named) and named[-1] in _ENDS


@lru_cache(maxsize=65536)
def flag_status(name: str) -> tuple[str, bool] | None:
    """For a boolean-like field: the status it claims, and the value that claims it. None for other fields."""
    parts = words(name)
    have = set(parts)
    if ("timed" in have and "out" in have) or ("timeout" in have and parts[-1] in {"timeout", "error", "exceeded"}):
        return timeout_status(parts), True
    if "context" in have and have & {"exceeded", "overflow", "error"}:
        return "truncated", True
    if "oom" in have or ("memory" in have and have & {"exceeded", "error"}):
        return "infrastructure", True
    return _verifier_flag(parts, have) or _output_flag(parts, have) or _limit_flag(parts, have)


def timeout_status(parts: tuple[str, ...]) -> str:
    """Whose clock ran out: the verifier's, a transport's, or else the agent's budget."""
    have = set(parts)
    if have & VERIFIER:
        return "verifier_error"
    return "infrastructure" if have & TRANSPORT else "timed_out"


def _verifier_flag(parts: tuple[str, ...], have: set[str]) -> tuple[str, bool] | None:
    if "judge" in have and have & {"invalid", "error", "failed"} and not have & {"evaluation"}:
        return "verifier_error", True
    if parts == ("no", "judge", "score"):
        return "verifier_error", True
    if have & VERIFIER and parts[-1] in {"completed", "finished", "ran"}:
        return "verifier_error", False
    if have & {"sandbox", "container", "harness", "infra", "infrastructure", "environment", "agent"} and have & {
        "crashed",
        "died",
        "crash",
    }:
        return "infrastructure", True
    if have & {"sandbox", "infra", "infrastructure", "harness"} and have & {"error", "failed", "failure"}:
        return "infrastructure", True
    return None


def _output_flag(parts: tuple[str, ...], have: set[str]) -> tuple[str, bool] | None:
    reading = have & {"parse", "parsing", "extraction", "extract", "decode", "decoding", "format"}
    if reading and have & {"failed", "fail", "failure", "error", "invalid"}:
        return "malformed", True
    if have & {"parse", "parsing", "extraction", "parsed"} and have & {"successful", "success", "ok", "succeeded"}:
        return "malformed", False
    if parts == ("parsed",):
        return "malformed", False
    if parts in {("no", "answer"), ("no", "code"), ("empty", "response"), ("no", "output"), ("invalid", "output")}:
        return "malformed", True
    return None


def _limit_flag(parts: tuple[str, ...], have: set[str]) -> tuple[str, bool] | None:
    if parts == ("truncated",):
        return "truncated", True
    if parts == ("finished", "naturally"):
        return "truncated", False
    if have & _LIMITS and have & {"limit", "max"} and have & {"reached", "exceeded", "hit"}:
        return "truncated", True
    return None


@lru_cache(maxsize=65536)
def is_exit_code(name: str) -> bool:
    """A field that holds the exit code of a process."""
    return words(name)[-2:] in {("exit", "code"), ("return", "code")} or words(name)[-1:] == ("returncode",)


@lru_cache(maxsize=65536)
def turn_count(name: str) -> str:
    """`limit` for a field that tells how many turns or steps are allowed, `used` for one that counts them."""
    have = set(words(name))
    if not have & {"turn", "turns", "step", "steps"}:
        return ""
    if have & {"max", "limit"}:
        return "limit"
    return "used" if have & {"used", "taken", "num", "count", "n"} else ""


@lru_cache(maxsize=65536)
def is_gold(name: str) -> bool:
    """A field that holds the expected answer."""
    last = name.rsplit(".", 1)[-1]
    return last in _GOLD_NAMES


@lru_cache(maxsize=65536)
def answer_rank(name: str) -> int | None:
    """How likely a field holds what the verifier extracted: 0 is best, None is not at all."""
    last = name.rsplit(".", 1)[-1]
    return _ANSWER_NAMES.index(last) if last in _ANSWER_NAMES else None


@lru_cache(maxsize=65536)
def is_outcome(name: str) -> bool:
    """A field made by the run (never a property of the task)."""
    return bool(set(words(name)) & _OUTCOME) or answer_rank(name) is not None


@lru_cache(maxsize=65536)
def is_metadata(name: str) -> bool:
    """A field that looks like a property of the task: category, difficulty, task_name, law_version."""
    have = set(words(name))
    return bool(have & _METADATA) and not is_outcome(name) and not is_gold(name)


PASS_NAMES = frozenset(
    "is_correct correct resolved is_resolved passed success succeeded solved is_solved accuracy "
    "symbolic_equivalent all_passed execution_match follow_all_instructions hit exact valid rubric_all_pass "
    "problem_accuracy judge_passed acc".split(),
)


@lru_cache(maxsize=65536)
def is_pass_flag(name: str) -> bool:
    """A native boolean that says whether the attempt succeeded; `_solved_metric` is `solved`."""
    return name.rsplit(".", 1)[-1].lstrip("_").removesuffix("_metric") in PASS_NAMES
