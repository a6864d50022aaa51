"""Which checks want a value that the prompt of their task does not say, though other prompts say theirs?

Prompts mostly state what the arguments of the verifier's checks hold: the phrase to end with, the number of bullets.
Where one does not, and hardly any rollout meets the check, prompt and verifier may ask for different things.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.counted_as_passes import run_counts
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.check_arguments import numbers_of
from blade.extract.text import clip
from blade.findings import TaskFault
from blade.late_regex import late_regex
from blade.model import Source
from blade.questions import OF_THE_EVALUATION, fails_alone, judged, task_list
from blade.wording import amount, count, fact, listed, percent

TITLE = "Checks that want what the prompt does not say"
ORDER = 80
WEIGHT = OF_THE_EVALUATION
USUALLY = 0.5
"""So large a share of the tasks with an argument say it in their prompts."""
FEWEST_TASKS, MOSTLY = 10, 0.8
"""So many tasks have arguments, and prompts say so large a share of all of them."""
HARDLY_MET, OFTEN_MET = 0.25, 0.6
FEWEST = 2
LIKELY = 0.8
MOST, MOST_READ = 8, 8
LONGEST = 160
_PATH = ("investigation", "unstated_arguments")
_SENTENCE = late_regex(r"\n+|(?<=[.!?])\s+")
_WORD = late_regex(r"[^\W\d_]+")

_Argument = tuple[str, str]
"""The check and its argument."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks whose prompt does not say an argument that others say, where the check is hardly ever met."""
    by_argument = _by_argument([case for run in runs for case in judged(run)])
    statements = [all(cases_said(rows)) for tasks in by_argument.values() for rows in tasks.values()]
    tasks_with_any = {task for tasks in by_argument.values() for task in tasks}
    if len(tasks_with_any) < FEWEST_TASKS or sum(statements) < MOSTLY * len(statements):
        return None
    unstated = [entry for argument, tasks in by_argument.items() for entry in _of_argument(argument, tasks)]
    if not unstated:
        return None
    unstated.sort(key=lambda entry: (-entry["failing"], entry["task"]))
    cases = _each_once(case for entry in unstated for case in entry["cases"])
    failures = [case for case in cases if not case.passed]
    sentences = _prompt_sentences(unstated[:MOST], by_argument)
    shown = [
        {name: value for name, value in entry.items() if name != "cases"} | {"prompt": sentences[place]}
        for place, entry in enumerate(unstated[:MOST])
    ]
    return {
        "tasks": list(dict.fromkeys(entry["task"] for entry in unstated)),
        "rollouts": len(cases),
        "passes": len(cases) - len(failures),
        "alone": sum(entry["alone"] for entry in unstated),
        "arguments": shown,
        "runs": run_counts(runs, failures),
    }


def cases_said(rows: Sequence[tuple[Case, Sequence[Any]]]) -> Iterator[bool]:
    """Whether the prompt says the values of an argument, one after the other."""
    return (bool(entry[4]) for _, entry in rows)


def _by_argument(cases: Sequence[Case]) -> dict[_Argument, dict[str, list[tuple[Case, Sequence[Any]]]]]:
    """Check and argument → task → its rollouts, with what is recorded; of tasks whose rollouts have the same values."""
    grouped: defaultdict[_Argument, defaultdict[str, list[tuple[Case, Sequence[Any]]]]]
    grouped = defaultdict(lambda: defaultdict(list))
    for case in cases:
        for entry in case.observed.get("check_arguments", ()):
            grouped[entry[0], entry[2]][case.key].append((case, entry))
    return {
        argument: {task: rows for task, rows in tasks.items() if _is_one_value(rows)}
        for argument, tasks in grouped.items()
    }


def _is_one_value(rows: Sequence[tuple[Case, Sequence[Any]]]) -> bool:
    values: defaultdict[int, list[str]] = defaultdict(list)
    for case, entry in rows:
        values[id(case)].append(entry[3])
    return len({tuple(sorted(of_case)) for of_case in values.values()}) == 1


def _of_argument(
    argument: _Argument, tasks: Mapping[str, Sequence[tuple[Case, Sequence[Any]]]]
) -> Iterator[dict[str, Any]]:
    stating = [rows for rows in tasks.values() if all(cases_said(rows))]
    verdicts = [bool(entry[1]) for rows in stating for _, entry in rows]
    if not stating or len(stating) < USUALLY * len(tasks) or sum(verdicts) < OFTEN_MET * len(verdicts):
        return
    for rows in tasks.values():
        unsaid = [(case, entry) for case, entry in rows if not entry[4]]
        cases = _each_once(case for case, _ in unsaid)
        failing = _each_once(case for case, entry in unsaid if not entry[1])
        if len(failing) < FEWEST or len(cases) - len(failing) > HARDLY_MET * len(cases):
            continue
        yield {
            "task": rows[0][0].label,
            "check": argument[0],
            "argument": argument[1],
            "values": sorted({entry[3] for _, entry in unsaid}),
            "rollouts": len(cases),
            "failing": len(failing),
            "alone": sum(fails_alone(case) for case in failing),
            "passes": sum(bool(case.passed) for case in cases),
            "cases": cases,
        }


def _each_once(cases: Iterator[Case]) -> list[Case]:
    return list({id(case): case for case in cases}.values())


def _prompt_sentences(
    entries: Sequence[Mapping[str, Any]], by_argument: Mapping[_Argument, Mapping[str, Sequence[tuple[Case, Any]]]]
) -> list[str]:
    """What each prompt says in place of the argument: the sentence most like those in which others say theirs."""
    examples = {
        (entry["check"], entry["argument"]): _examples(by_argument[entry["check"], entry["argument"]])
        for entry in entries
    }
    asked = {Source(*entry["cases"][0].place) for entry in entries}
    asked |= {Source(*case.place) for rows in examples.values() for case, _ in rows}
    prompts = {source: Attempt(row).task_text for source, row in open_rows(asked)}
    usual = {
        argument: Counter(
            word for case, value in rows for word in _words(_with_value(prompts.get(Source(*case.place), ""), value))
        )
        for argument, rows in examples.items()
    }
    return [
        _most_alike(prompts.get(Source(*entry["cases"][0].place), ""), usual[entry["check"], entry["argument"]])
        for entry in entries
    ]


def _examples(tasks: Mapping[str, Sequence[tuple[Case, Any]]]) -> list[tuple[Case, str]]:
    stating = [rows[0] for rows in tasks.values() if all(cases_said(rows))]
    return [(case, entry[3]) for case, entry in stating[:MOST_READ]]


def _sentences_of(prompt: str) -> list[str]:
    return [sentence.strip(" -*•") for sentence in _SENTENCE.split(prompt) if sentence.strip(" -*•")]


def _with_value(prompt: str, value: str) -> str:
    wanted = value.casefold()
    sentences = ((sentence, sentence.casefold()) for sentence in _sentences_of(prompt))
    return next((sentence for sentence, plain in sentences if wanted in plain or wanted in numbers_of(plain)), "")


def _words(sentence: str) -> set[str]:
    return set(_WORD.findall(sentence.casefold()))


def _most_alike(prompt: str, usual: Mapping[str, int]) -> str:
    """The sentence whose words stand most often in those of others; nothing where none of them does."""
    rated = [(sum(usual.get(word, 0) for word in _words(sentence)), sentence) for sentence in _sentences_of(prompt)]
    best, sentence = max(rated, key=lambda entry: entry[0], default=(0, ""))
    return clip(sentence, LONGEST) if best else ""


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Task → why its failures may not be the model's."""
    return {entry["task"]: TaskFault(_reason(entry)) for entry in answer["arguments"] if entry["alone"]}


def _reason(entry: Mapping[str, Any]) -> str:
    return f"its check {entry['check']} wants {_wanted(entry)}, which its prompt does not say"


def _wanted(entry: Mapping[str, Any]) -> str:
    return f"{entry['argument']} {listed([f'“{value}”' for value in entry['values']])}"


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = (Paragraph(tuple(_words_of(place, entry))) for place, entry in enumerate(answer["arguments"]))
    return [Paragraph((_summary(answer), _scores(answer))), Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _summary(answer)


def _summary(answer: Mapping[str, Any]) -> Sentence:
    tasks = answer["tasks"]
    return say(
        "In {tasks} ({names}) a check of the verifier wants a value that the prompt does not say, while the prompts of "
        "other tasks say theirs: {passes} of {rollouts} {verb}, and in {alone} that check alone fails.",
        tasks=fact(count(len(tasks), "task"), len(tasks), *_PATH, "tasks"),
        names=task_list(tasks),
        passes=amount(answer["passes"], *_PATH, "passes"),
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        verb="passes" if answer["passes"] == 1 else "pass",
        alone=amount(answer["alone"], *_PATH, "alone"),
    )


def _scores(answer: Mapping[str, Any]) -> Sentence:
    without = [
        f"{run['run']} {run['passes']:,} of {run['judged'] - run['rollouts']:,} "
        f"({percent(run['passes'] / (run['judged'] - run['rollouts']))})"
        for run in answer["runs"]
        if run["judged"] > run["rollouts"]
    ]
    return say("Without their failures the runs pass {runs}.", runs=listed(without))


def _words_of(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_PATH, "arguments", place)
    yield say(
        "{task}: “{check}” wants {wanted} and fails in {failing} of {rollouts}, in {alone} of them alone.",
        task=entry["task"],
        check=entry["check"],
        wanted=_wanted(entry),
        failing=amount(entry["failing"], *at, "failing"),
        rollouts=fact(count(entry["rollouts"], "judged rollout"), entry["rollouts"], *at, "rollouts"),
        alone=amount(entry["alone"], *at, "alone"),
    )
    if entry["prompt"]:
        yield say("The prompt says “{prompt}”.", prompt=entry["prompt"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Prompt and verifier are to want the same."""
    names = task_list(answer["tasks"])
    yield Advice(
        "verifier",
        f"Hold the arguments of the checks against the prompts of {names}, make them say the same, and judge these "
        "answers again",
        say(
            "Their check wants what the prompt does not say, and fails alone in {alone}.",
            alone=fact(count(answer["alone"], "rollout"), answer["alone"], *_PATH, "alone"),
        ),
        answer["alone"],
        LIKELY,
        before_scores=True,
    )
