"""Whether the tasks that a rule joins are the same: what both runs show of them agrees, or nothing speaks against it.

Expected answers and texts speak first. Where they say nothing, a field that names tasks is believed; one that only
numbers them, and the index, need something else that agrees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from blade.counting.rules import Keys, Trust
from blade.counting.sketches import Sketch, Sketches, unique
from blade.frozen import frozen

AGREE = 0.95
CORRECTED, OWN = 0.25, 0.5
"""Keys that are equal on so many tasks were changed on the others, if so many are one task's own and none moved."""
Pairs = Sequence[tuple[int, int]]
FEWEST_KEYS = 10
FEWEST_TEXTS = 3
FEW_TEXTS = 0.05
"""Equal texts confirm an order of the tasks from this number and this share on."""


@frozen
class Agreement:
    """What came of a rule between two runs. `against` says why it does not hold; `alone` that nothing confirms it."""

    same: Mapping[str, str]
    contradictions: int = 0
    against: str = ""
    alone: bool = False

    @property
    def holds(self) -> bool:
        return bool(self.same) and not self.against

    @property
    def sound(self) -> int:
        """Tasks joined without a contradiction; at least one where the rule holds, for the user may insist on it."""
        return max(1, len(self.same) - self.contradictions) if self.holds else 0


@frozen
class _Joined:
    """Two runs joined by a rule, with the expected answers and the texts that both show."""

    base: Sketches
    other: Sketches
    same: Mapping[str, str]
    keys: Keys
    golds: Pairs
    texts: Pairs


def agreement(trust: Trust, base: Sketches, candidate: Sketches, keys: tuple[Keys | None, Keys | None]) -> Agreement:
    """Join two runs by their keys, and hold what they show of the joined tasks against each other."""
    base_keys, candidate_keys = keys
    back = {key: task for task, key in (base_keys or {}).items()}
    base_task_of = {task: back[key] for task, key in (candidate_keys or {}).items() if key in back}
    if not base_task_of:
        return Agreement({})
    joined_tasks = [
        (base_task, candidate_task)
        for candidate_task, base_task in base_task_of.items()
        if base_task in base.tasks and candidate_task in candidate.tasks
    ]
    pairs = [(base.tasks[base_task], candidate.tasks[candidate_task]) for base_task, candidate_task in joined_tasks]
    golds = [
        (base_sketch.gold, candidate_sketch.gold)
        for base_sketch, candidate_sketch in pairs
        if base_sketch.gold is not None and candidate_sketch.gold is not None
    ]
    texts = [
        (base_sketch.text, candidate_sketch.text)
        for base_sketch, candidate_sketch in pairs
        if base_sketch.text is not None and candidate_sketch.text is not None
    ]
    contradictions = sum(_contradict(base_sketch, candidate_sketch) for base_sketch, candidate_sketch in pairs)
    joined = _Joined(base, candidate, base_task_of, candidate_keys or {}, golds, texts)
    if trust > Trust.TEXT:
        contradictions += _other_texts(pairs, texts)
    covers_both = len(base_task_of) >= AGREE * max(len(base_keys or ()), len(candidate_keys or ()))
    against = _against(trust, joined) or ("" if covers_both else _other_openings(joined))
    if not against and (trust <= Trust.TEXT or _agree(golds) or _agree(texts) or _confirmed(joined)):
        return Agreement(base_task_of, contradictions)
    if against or trust is not Trust.NUMBER:
        return Agreement(base_task_of, contradictions, against or "nothing else in the rows confirms it")
    scene = _same_scene(base, candidate)
    if covers_both or scene:
        return Agreement(base_task_of, contradictions, alone=not scene)
    return Agreement(base_task_of, contradictions, "nothing else in the rows confirms it")


def _against(trust: Trust, joined: _Joined) -> str:
    """What speaks against a rule: other answers to other texts, or texts that stand under other tasks."""
    if _agree(joined.golds) or (_agree(joined.texts) and trust is not Trust.TEXT) or _corrected(joined):
        return ""
    if joined.golds:
        differ = sum(base_gold != candidate_gold for base_gold, candidate_gold in joined.golds)
        return f"expected answers differ on {differ:,} of them"
    moved = _moved(joined)
    if moved > (1 - AGREE) * len(joined.texts):
        return f"the texts of {moved:,} of them stand under other tasks"
    return ""


def _agree(pairs: Pairs) -> bool:
    return bool(pairs) and sum(first == second for first, second in pairs) >= AGREE * len(pairs)


def _corrected(joined: _Joined) -> bool:
    """Whether keys changed and no task moved: many keys are equal, and the others stand under no other task.

    No text may speak, for it would tell; another field of words must tell the tasks apart and agree. Tasks may have
    each other's keys if such a field repeats from task to task: a mere numbering, which stays behind, does not.
    """
    pairs = joined.golds
    agreeing = [name for name in _common_fields(joined) if not joined.texts and _field_agrees(name, joined)]
    if not agreeing:
        return False
    base_golds = Counter(base_gold for base_gold, _ in pairs)
    equal = sum(base_gold == candidate_gold for base_gold, candidate_gold in pairs)
    if equal < max(FEWEST_KEYS, CORRECTED * len(pairs)) or len(base_golds) < OWN * len(pairs):
        return False
    moved = sum(base_gold != candidate_gold and candidate_gold in base_golds for base_gold, candidate_gold in pairs)
    return moved <= (1 - AGREE) * len(pairs) or any(_repeats(name, joined) for name in agreeing)


def _repeats(name: str, joined: _Joined) -> bool:
    """Whether tasks share values of a field."""
    values = [value for task_values in joined.base.values(name).values() for value in task_values]
    return len(set(values)) < AGREE * len(values)


def _contradict(first: Sketch, second: Sketch) -> bool:
    """Both show an expected answer, and it differs, and no equal text says that only the key was corrected."""
    if first.gold is None or second.gold is None or first.gold == second.gold:
        return False
    return first.text is None or first.text != second.text


def _other_texts(sketches: Sequence[tuple[Sketch, Sketch]], texts: Pairs) -> int:
    """Pairs without expected answers whose texts differ while those of most others are equal: other tasks.

    Where most texts differ the prompt around the tasks may have changed, and nothing follows.
    """
    if 2 * sum(base_text == candidate_text for base_text, candidate_text in texts) <= len(texts):
        return 0
    return sum(
        None not in (base.text, candidate.text) and base.text != candidate.text and None in (base.gold, candidate.gold)
        for base, candidate in sketches
    )


def _moved(joined: _Joined) -> int:
    """Joined tasks whose text the other run has too, but under another task."""
    base, candidate = joined.base.tasks, joined.other.tasks
    base_texts, candidate_texts = (
        {text: task for task, text in unique(_texts(tasks)).items()} for tasks in (base, candidate)
    )
    moved = 0
    for candidate_task, base_task in joined.same.items():
        texts = [sketch.text for sketch in (base.get(base_task), candidate.get(candidate_task)) if sketch is not None]
        if len(texts) == 2 and None not in texts and texts[0] != texts[1]:
            moved += (
                base_texts.get(texts[1] or 0, base_task) != base_task
                or candidate_texts.get(texts[0] or 0, candidate_task) != candidate_task
            )
    return moved


def _texts(tasks: Mapping[str, Sketch]) -> list[tuple[str, int]]:
    return [(task, sketch.text) for task, sketch in tasks.items() if sketch.text is not None]


def _confirmed(joined: _Joined) -> bool:
    """Some texts agree (and none of them elsewhere), or a field that tells most of the tasks apart does."""
    equal = sum(base_text == candidate_text for base_text, candidate_text in joined.texts)
    if equal >= max(FEWEST_TEXTS, FEW_TEXTS * len(joined.same)):
        return True
    return any(_field_agrees(name, joined) for name in _common_fields(joined))


def _common_fields(joined: _Joined) -> list[str]:
    base_names, candidate_names = ({column.name for column in run.run.columns} for run in (joined.base, joined.other))
    return sorted(base_names & candidate_names)


def _field_agrees(name: str, joined: _Joined) -> bool:
    """A field of words that most joined tasks have, that tells half of them apart, and that is equal on nearly all."""
    base_task_of, base_values, candidate_values = joined.same, joined.base.values(name), joined.other.values(name)
    pairs = [
        (base_values[base_task], candidate_values[task])
        for task, base_task in base_task_of.items()
        if base_task in base_values and task in candidate_values
    ]
    if all(candidate_values.get(task) == {joined.keys[task]} for task in base_task_of):
        return False  # the key itself
    single = [
        (base_side, candidate_side) for base_side, candidate_side in pairs if len(base_side) == len(candidate_side) == 1
    ]
    values = {value for base_side, _ in single for value in base_side if not value.isdecimal()}
    if len(single) < AGREE * len(base_task_of) or len(values) < max(2, len(base_task_of) / 2):
        return False
    return sum(base_side == candidate_side for base_side, candidate_side in single) >= AGREE * len(single)


def _other_openings(joined: _Joined) -> str:
    """Bare numbers say little: openings that stay the same over the attempts at a task may not differ on all tasks."""
    stay = joined.base.text_stays or joined.other.text_stays
    if not stay or not joined.texts or any(one == two for one, two in joined.texts):
        return ""
    numbers = all(key.isdecimal() for key in joined.keys.values())
    return f"they only number the tasks, and the texts of all {len(joined.texts):,} differ" if numbers else ""


def _same_scene(base: Sketches, candidate: Sketches) -> bool:
    """The openings are somebody's words of the moment, and the system prompt or the tools are the same."""
    sampled = any(run.text_varies or run.spoken for run in (base, candidate))
    return sampled and bool(base.setting & candidate.setting)
