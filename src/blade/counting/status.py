"""What happened to each row. Claims of trouble are believed only after their field has been held against the score.

A field that claims trouble as often on good rows as on bad ones carries no signal (a constant flag, a label that every
row bears) and is set aside. A word for a time limit is believed all the same of a row whose own record stops before an
end, where the records of other rows with the word show that they had ended by themselves. Crashes and verifier errors
told by a benchmark's own fields are only believed on rows that did not score well: "a zero that is really a crash".
A limit of turns that the task itself sets cut nothing (`task_limits`), the agent's own kill is its own act, and a kill
of which no sender is recorded leaves a verdict as it is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import polars as pl

from blade.counting.task_limits import TaskLimit, task_limits
from blade.extract.error_claims import ENDED, SOURCE_STATUS
from blade.extract.own_kills import OWN, SAID, UNOWNED, UNOWNED_SAID
from blade.frozen import frozen
from blade.model import Flaw, Status

ORDER = (
    Status.MISSING,
    Status.SKIPPED,
    Status.INFRASTRUCTURE,
    Status.VERIFIER_ERROR,
    Status.TIMED_OUT,
    Status.TRUNCATED,
    Status.MALFORMED,
)
_RANK = {status.value: place for place, status in enumerate(ORDER)}
_A_HABIT = 0.05
"""A claim on a smaller share of the good rows is an exception there (a retry that worked), not a habit of the field."""
NOT_UNDERSTOOD = "not understood: no response and no score where they are looked for"
"""Nothing is known of such a row, least of all that something broke: its rollout is as good as missing."""
_SHAPES_KNOWN = {"there", "empty"}
_LATE = Status.TIMED_OUT.value
_ACTS = {OWN: SAID, UNOWNED: UNOWNED_SAID}
_ONLY_ON_ZEROS = {Status.INFRASTRUCTURE.value, Status.VERIFIER_ERROR.value, Status.MALFORMED.value}


@frozen
class StatusClaim:
    status: str
    hard: bool
    field: str
    value: str
    spent: bool = False  # a limit that was used up: says nothing of a row that did well
    act: str = ""  # how a kill came about that is no trouble, and the reason of an ordinary row


@frozen
class Judged:
    """`frame` gains `state` (the status) and `reason` (what said so); `ignored` lists fields that carry no signal."""

    frame: pl.DataFrame
    ignored: tuple[Flaw, ...]


def read_claim(text: str) -> StatusClaim:
    status, strength, field, value = text.split("|", 3)
    return StatusClaim(status, strength == "hard", field, value, spent=strength == "spent", act=_ACTS.get(strength, ""))


def in_time(text: str) -> bool:
    """Whether a claim is the word for a limit on a row that came to an end of its own."""
    return text.split("|", 2)[1] == ENDED


def of_source(text: str) -> bool:
    """Whether a claim is the source's own word for a limit that was used up, which a row may do and still pass."""
    claim = read_claim(text)
    return claim.spent and claim.field == SOURCE_STATUS


def judge_rows(frame: pl.DataFrame) -> Judged:
    """Give every row its status; the first that applies in the fixed order wins."""
    texts_by_row = [texts or () for texts in frame["signals"].to_list()]
    own_limits = _task_limits(texts_by_row, frame["acts"].to_list())
    claims = [
        [claim for text in texts if not in_time(text) and not _of_task(claim := read_claim(text), own_limits)]
        for texts in texts_by_row
    ]
    every_claim = [[read_claim(text) for text in texts] for texts in texts_by_row]
    good = _good_rows(frame["reward"].to_list())
    ignored = _without_signal(every_claim, good)
    ended = _ended_by_themselves(texts_by_row, frame["acts"].to_list())
    cut_short = [
        _is_cut(items, ended) and bool(recorded)
        for items, recorded in zip(claims, frame["items"].to_list(), strict=True)
    ]
    some_text = bool((frame["final_chars"] > 0).any())
    empty_pass = any(is_good and not items for is_good, items in zip(good, frame["items"].to_list(), strict=True))
    states_of_good = {state for state, is_good in zip(frame["answer_state"].to_list(), good, strict=True) if is_good}
    answers_vary = bool((frame["answer_state"] == "given").any()) and "null" not in states_of_good
    columns = (
        "skipped",
        "reward",
        "response_state",
        "items",
        "calls",
        "final_chars",
        "answer_state",
        "output_hash",
        "ends_on",
        "reward_problem",
    )
    settings = _truncated_by_usage(frame)
    states: list[str] = []
    reasons: list[str | None] = []
    for place, row in enumerate(frame.select(columns).iter_rows(named=True)):
        believed = [
            item
            for item in claims[place]
            if item.hard or (item.field, item.status) not in ignored or (cut_short[place] and item.status == _LATE)
        ]
        candidates = _candidates(row, believed, is_good=good[place])
        if settings[place]:
            candidates.append((Status.TRUNCATED.value, "output tokens reached max_output_tokens"))
        if not good[place]:
            candidates.extend(
                _silence(row, believed, some_text=some_text, empty_pass=empty_pass, answers_vary=answers_vary)
            )
        best = min(candidates, key=lambda pair: _RANK[pair[0]], default=(Status.OK.value, _own_act(claims[place])))
        states.append(best[0])
        reasons.append(best[1])
    judged_rows = frame.with_columns(pl.Series("state", states, pl.String), pl.Series("reason", reasons, pl.String))
    flaws = _ignored_flaws(ignored, every_claim, ended, sum(cut_short))
    return Judged(judged_rows, (*map(_own_limit_flaw, own_limits.values()), *flaws))


def _own_act(claims: Sequence[StatusClaim]) -> str | None:
    """Why a row is ordinary though a field tells of a kill."""
    return next((f"{claim.field}: {claim.value}, {claim.act}" for claim in claims if claim.act), None)


def _task_limits(texts_by_row: Sequence[Sequence[str]], turns: Sequence[int | None]) -> dict[str, TaskLimit]:
    """Limits of turns that the task sets, by the field whose word for a cut tells of them."""
    cuts = (
        [(claim.field, claim.value) for text in texts if (claim := read_claim(text)).status == Status.TRUNCATED.value]
        for texts in texts_by_row
    )
    return task_limits(cuts, turns)


def _of_task(claim: StatusClaim, own_limits: Mapping[str, TaskLimit]) -> bool:
    return claim.status == Status.TRUNCATED.value and claim.field in own_limits


def _own_limit_flaw(limit: TaskLimit) -> Flaw:
    return Flaw(
        "limit-of-the-task",
        f"'{limit.field}' says of {limit.rows:,} rows that they ran out of turns after {limit.fewest:,} to "
        f"{limit.most:,} turns of the model, and others took up to {limit.longest_other:,}: it is a limit that the "
        "task sets, such as the end of a game, and the harness cut none of them",
        rows=limit.rows,
    )


def _ended_by_themselves(texts_by_row: Sequence[Sequence[str]], turns: Sequence[int | None]) -> Counter[str]:
    """Field → rows that bear its word for a time limit and came to an end of their own.

    Where most such rows show turns of the model, one without any never began: a waiting shell is no end of its work.
    """
    late = [(texts, acts) for texts, acts in zip(texts_by_row, turns, strict=True) if any(map(in_time, texts))]
    acting = [texts for texts, acts in late if acts]
    late_texts = acting if 2 * len(acting) > len(late) else [texts for texts, _ in late]
    return Counter(read_claim(text).field for texts in late_texts for text in texts if in_time(text))


def _is_cut(claims: Sequence[StatusClaim], ended: Mapping[str, int]) -> bool:
    """Whether a row bears a word for a time limit that other rows bear which had ended."""
    return any(item.status == _LATE and item.field in ended for item in claims)


def _good_rows(rewards: Sequence[float | None]) -> list[bool]:
    """Rows at the best score that was reached, if scores differ at all or the best is a full point."""
    scores = [value for value in rewards if value is not None]
    if not scores:
        return [False] * len(rewards)
    top = max(scores)
    if top == min(scores) and top < 1 - 1e-9:
        return [False] * len(rewards)
    return [value is not None and value >= top - 1e-9 for value in rewards]


def _without_signal(claims: Sequence[Sequence[StatusClaim]], good: Sequence[bool]) -> dict[tuple[str, str], str]:
    """(field, status) pairs whose claims are a habit on good rows, at least as common there as on the others."""
    on_good: Counter[tuple[str, str]] = Counter()
    on_rest: Counter[tuple[str, str]] = Counter()
    for items, is_good in zip(claims, good, strict=True):
        claim_kinds = {(item.field, item.status) for item in items if not item.hard}
        (on_good if is_good else on_rest).update(claim_kinds)
    goods, other_rows = sum(good), len(good) - sum(good)
    ignored = {}
    for key in sorted({*on_good, *on_rest}):
        if not goods or on_good[key] / goods < _A_HABIT:
            continue
        if not other_rows or on_good[key] / goods >= on_rest[key] / other_rows:
            ignored[key] = f"{on_good[key]} of {goods} best-scored rows and {on_rest[key]} of {other_rows} others"
    return ignored


def _candidates(row: dict[str, object], believed: Sequence[StatusClaim], *, is_good: bool) -> list[tuple[str, str]]:
    candidates: list[tuple[str, str]] = []
    if row["skipped"]:
        candidates.append((Status.SKIPPED.value, "verification_skipped"))
    for item in believed:
        if item.status == "error" or (is_good and not item.hard and (item.spent or item.status in _ONLY_ON_ZEROS)):
            continue
        candidates.append((item.status, f"{item.field}: {item.value}"))
    told_by_source = any(item.field == SOURCE_STATUS for item in believed)
    if row["reward"] is None and not row["skipped"] and not told_by_source:
        without_score = _without_score(row)
        if without_score[0] != Status.MISSING.value or not candidates:
            candidates.append(without_score)
    return candidates


def _without_score(row: dict[str, object]) -> tuple[str, str]:
    """What a row without a score tells: an output that was not graded, no output at all, or nothing we understand."""
    if row["response_state"] == "there" or row["output_hash"] is not None:
        return Status.VERIFIER_ERROR.value, "no usable score"
    response_empty = row["response_state"] == "empty" or (
        row["response_state"] == "absent" and row["reward_problem"] != "absent"
    )
    return (
        (Status.INFRASTRUCTURE.value, "no response and no score")
        if response_empty
        else (Status.MISSING.value, NOT_UNDERSTOOD)
    )


def _silence(
    row: dict[str, object],
    believed: Sequence[StatusClaim],
    *,
    some_text: bool,
    empty_pass: bool,
    answers_vary: bool,
) -> list[tuple[str, str]]:
    """What an absence says: no output with an error is a crash; no answer where others gave one is malformed."""
    candidates: list[tuple[str, str]] = []
    error = next((item for item in believed if item.status == "error"), None)
    silent = not row["items"] and row["output_hash"] is None and row["response_state"] in _SHAPES_KNOWN
    if silent and error is not None and not empty_pass:
        candidates.append((Status.INFRASTRUCTURE.value, f"no output, {error.field}: {error.value}"))
    if answers_vary and row["answer_state"] == "null":
        candidates.append((Status.MALFORMED.value, "no answer could be extracted"))
    blank = row["items"] and not row["calls"] and not row["final_chars"] and row["ends_on"] != "environment"
    if blank and some_text and row["answer_state"] != "given":
        candidates.append((Status.MALFORMED.value, "the final message is blank"))
    return candidates


def _truncated_by_usage(frame: pl.DataFrame) -> list[bool]:
    """One model call that used up its token limit, where no status says that it completed."""
    limit = frame["sampling"].str.json_path_match("$.max_output_tokens").cast(pl.Float64, strict=False)
    hit = (frame["output_tokens"] >= limit) & (frame["calls"] == 0) & (limit > 0) & (frame["user_turns"] == 0)
    completed = (frame["status"] == "completed").fill_null(value=False)
    return (hit & ~completed).fill_null(value=False).to_list()


def _ignored_flaws(
    ignored: dict[tuple[str, str], str],
    claims: Sequence[Sequence[StatusClaim]],
    ended: Mapping[str, int],
    cut_rows: int,
) -> tuple[Flaw, ...]:
    rows: defaultdict[tuple[str, str], int] = defaultdict(int)
    for items in claims:
        for key in {(item.field, item.status) for item in items}:
            rows[key] += 1
    return tuple(
        Flaw(
            "field-without-signal",
            f"the field '{field}' claims {status} on {extent}; it does not tell good from bad and was "
            + _believed(ended[field] if status == _LATE and field in ended else 0, cut_rows),
            rows=rows[(field, status)],
        )
        for (field, status), extent in ignored.items()
        if status != "error"
    )


def _believed(ended: int, cut_rows: int) -> str:
    """How far a word without signal was believed: not at all, or of the rows that were seen to be cut."""
    if not ended:
        return "not believed"
    return f"believed only of {cut_rows:,} whose own record stops before an end ({ended:,} had ended by themselves)"
