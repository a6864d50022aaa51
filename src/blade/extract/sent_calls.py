"""Commands as they were sent: what is missing from them, and whose words they hold.

A harness stands between the model's words and the environment. What it takes away on the way (line breaks, capital
letters, quotes) shows in what arrives, and where it does not stop the model, a command holds the environment's part.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.prefilter import holds_any
from blade.extract.task_text import task_text
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

LONGEST = 20_000
LONGEST_TASK = 4_000
LONGEST_ANSWER = 2_000
LONGEST_BLOCK = 4_000
LONGEST_NAME = 100
MOST_LABELS = 20
SHORTEST_NAME = 4
FEWEST_ROLLOUTS = 3
FEWEST_CALLS = 100
SWALLOWED, GLUED, UNCLOSED, LOWERED, ANSWERED = "swallowed", "glued", "unclosed", "lowered", "answered"
FENCED, FENCED_WELL, PROSE = "fenced", "fenced_well", "prose"
_PROGRAMS = frozenset(
    "ls cat echo cd python python3 bash sh gcc g++ javac java node perl ruby php go cargo grep egrep find xargs awk "
    "sed cut sort uniq head tail tr wc diff xxd strings unzip tar gzip gunzip curl wget nc ssh mkdir rmdir rm cp mv "
    "touch chmod chown ln tee pip pip3 apt apt-get npm git export printf openssl base64 docker kill ps sudo".split()
)
"""What the lines of a shell mostly begin with."""
_PROGRAM = late_regex(r"\.?/?[a-z][\w./+-]*")
_AFTER_SENTENCE = late_regex(
    r"(?:[.!?:;)\"'`]\s+|(?<!\s)\s{2,})(\.?/?[a-z][\w./+-]*|[A-Za-z_]\w*=\$\()(?=\s|$|(?<=\())"
)
_REDIRECTED = late_regex(r"(?:^|[\s\"'\d)])>{1,2}\s*[\w~-]*[./][\w./~-]*\w\s+(\.?/?[a-z][\w./+-]*)(?=\s)")
_BLOCK = late_regex(r"\b(?:then|do|else)\s[^;&\n]*\s(?:else|elif|fi|done)\b")
_UNMATCHED = late_regex(r"-c: line \d+: unexpected EOF while looking for matching|\bsh: \d+: .{0,20}nterminated quoted")
"""How a shell complains of a quote or bracket that is not closed in the command itself, and in no script."""
_STRAY = "syntax error near unexpected token"
_OWN_SHELL = late_regex(r"sh\s+-\w*c\b")
_UNMATCHED_HINTS = ("looking for matching", "nterminated quoted")
_WORD = late_regex(r"[A-Za-z0-9_./-]+")
_NAME = late_regex(r"[a-z0-9][A-Z]|[A-Z][A-Za-z0-9]*[._/][A-Za-z0-9]")
"""What stands in a name that a task writes with a capital letter inside, or in a file with one."""
_CAPITAL = late_regex(r"[A-Z]")
_PARTS = {
    "Observation": frozenset("Action Thought Step Answer Question Command".split()),
    "Output": frozenset("Reward Action Command".split()),
    "User": frozenset("Assistant AI".split()),
    "Human": frozenset("Assistant AI".split()),
}
"""What the environment's part is labelled with, and the labels of the model's part beside it."""
_LABEL = late_regex(
    r"(?<![\w\"'`#-])(Observation|Output|User|Human|Action|Thought|Step|Answer|Question|Command|Reward|Assistant|AI)"
    r"(?: ?\d+)?:(?=\s|$)"
)
_SENTENCE = late_regex(r"([A-Z][a-z']*),? [a-z']+,?(?: [^\s]+){3,}?[.!?:](?=\s|$)")
"""A sentence of five words or more, and its first word."""
_TAGS = ("<tool_response>", "</tool_call>", "<|im_")
"""How a chat's own marks begin."""
Oddity = tuple[str, int, list[Any]]
"""What is odd about a call, the place of the call, and what is told beside it."""
_HINTS = ("Observation", "Output:", "User:", "Human:", *_TAGS)


def sent_calls(attempt: Attempt) -> dict[str, Any]:
    """`sent`: whether line breaks and capital letters occur; per oddity `[calls, item of the shortest, its length, …]`.

    All arguments are looked through at once for characters without which nothing is odd: most rollouts have none.
    """
    calls = attempt.calls
    written = attempt.once(written_arguments)
    every = attempt.once(all_arguments)
    record: dict[str, Any] = {}
    if ("\\n" in every or "\n" in every) and any(map(_has_break, calls)):
        record["breaks"] = 1
    if _CAPITAL.search(every):
        record["capitals"] = 1
    elif name := _lowered_name(attempt, every):
        record[LOWERED] = name
    fenced = [place for place, call in enumerate(calls) if is_fenced(command_of(call))] if "`" in every else []
    if well := sum(not calls[place].failed for place in fenced):
        record[FENCED_WELL] = well
    oddities = (
        *_run_together(calls, written, every),
        *_unclosed(calls, written),
        *_answered(calls, every),
        *((FENCED, place, []) for place in fenced if calls[place].failed),
        *((PROSE, place, []) for place, call in enumerate(calls) if call.failed and _is_prose(call)),
    )
    for oddity, place, extra in oddities:
        shown = [calls[place].step.item, len(written[place]), *extra]
        many, *before = record.get(oddity) or (0, *shown)
        record[oddity] = [many + 1, *min(before, shown, key=itemgetter(1))]
    return {"sent": record} if record else {}


def written_arguments(attempt: Attempt) -> list[str]:
    """The arguments of each call as they stand, or as JSON."""
    return [arguments_text(call.step.arguments) for call in attempt.calls]


def all_arguments(attempt: Attempt) -> str:
    """The arguments of all calls, so that what none of them holds is looked for once."""
    return "\0".join(attempt.once(written_arguments))


def _has_break(call: Call) -> bool:
    return any("\n" in text and "\n" in text.strip() for text in texts_of(call))


def _run_together(calls: Sequence[Call], written: Sequence[str], every: str) -> Iterator[Oddity]:
    """Commands of one line that hold another one behind a comment, or behind the file that output goes to."""
    if ">" not in every and '"#' not in every and "#" not in every[:1]:
        return
    programs: Collection[str] = ()
    for place, text in enumerate(written):
        if ">" not in text and '"#' not in text and not text.startswith("#"):
            continue
        command = command_of(calls[place]).strip()
        if " " not in command or "\n" in command:
            continue
        programs = programs or _PROGRAMS | _own_programs(calls)
        if command.startswith("#"):
            if _holds_command(command, programs):
                yield SWALLOWED, place, []
        elif _is_glued(command, programs):
            yield GLUED, place, []


def _unclosed(calls: Sequence[Call], written: Sequence[str]) -> Iterator[Oddity]:
    """Commands of which the shell says that something is not closed: a block in one line, or quotes that are closed."""
    for place, text in enumerate(written):
        step = calls[place].answer
        if step is None or not ("'" in text or '\\"' in text or "; " in text):
            continue
        answer, command = step.text[:LONGEST_ANSWER], command_of(calls[place])
        if "syntax error" in answer and _is_half_a_block(command):
            yield GLUED, place, []
        if not holds_any(answer, _UNMATCHED_HINTS) or not _UNMATCHED.search(answer) or is_fenced(command):
            continue  # the marks of a fence are quotes to a shell: the fence is told of by itself
        if is_closed(command):
            yield UNCLOSED, place, []


def _answered(calls: Sequence[Call], every: str) -> Iterator[Oddity]:
    """Commands that hold the environment's part: the mark of it, and whether that is the first call."""
    if holds_any(every, _HINTS):
        for place, call in enumerate(calls):
            if mark := environment_mark(command_of(call)):
                yield ANSWERED, place, [mark, int(place == 0)]


def is_fenced(command: str) -> bool:
    """Whether a command stands inside the fence of a code block, or between two backticks."""
    text = command.strip()
    return text.startswith("```") or (len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1])


def _is_prose(call: Call) -> bool:
    """Whether a sentence was sent as a command: a shell finds no program of its first word, no end or a stray token."""
    sentence = _SENTENCE.match(command_of(call).strip())
    if sentence is None or call.answer is None:
        return False
    answer = call.answer.text[:LONGEST_ANSWER]
    word = sentence.group(1)
    bare = word.replace("'", "")  # a pair of apostrophes is a pair of quotes to a shell
    unknown = "not found" in answer and (f"{word}: " in answer or (bare != word and bare in answer))
    return unknown or _STRAY in answer or _UNMATCHED.search(answer) is not None


def command_of(call: Call) -> str:
    """The only text among the arguments of a call; nothing where it has none, several, or one that is very long."""
    texts = texts_of(call)
    return texts[0] if len(texts) == 1 and len(texts[0]) <= LONGEST else ""


def texts_of(call: Call) -> list[str]:
    """The texts among the arguments of a call."""
    if isinstance(call.arguments, str):
        return [call.arguments]
    return [value for _, value in call.plain if isinstance(value, str)]


def is_comment(call: Call) -> bool:
    """Whether every line of the only text of a call begins as a comment of a shell: it runs nothing."""
    texts = texts_of(call)
    lines = [line.lstrip() for line in texts[0].split("\n") if line.strip()] if len(texts) == 1 else []
    return bool(lines) and all(line.startswith("#") for line in lines)


def is_idle(call: Call) -> bool:
    """Whether a call has one text and that runs nothing: it is empty, or nothing but a comment."""
    texts = texts_of(call)
    return len(texts) == 1 and (not texts[0].strip() or is_comment(call))


def loses_breaks(records: Iterable[Mapping[str, Any]], calls: int) -> bool:
    """Whether no call of a run has a line break, though commands stand behind comments or files in several rollouts."""
    sent = list(records)
    odd = sum(bool(record.get(SWALLOWED) or record.get(GLUED)) for record in sent)
    return odd >= FEWEST_ROLLOUTS and calls >= FEWEST_CALLS and not any(record.get("breaks") for record in sent)


def runs_fences(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether commands that come in the fence of a code block are run with it: more of them fail than go well."""
    fenced = [record[FENCED][0] for record in records if FENCED in record]
    return len(fenced) >= FEWEST_ROLLOUTS and sum(fenced) > sum(record.get(FENCED_WELL, 0) for record in records)


def _own_programs(calls: Sequence[Call]) -> set[str]:
    """The words that the rollout's own commands begin with."""
    heads = (command.split(None, 1)[0] for call in calls if (command := command_of(call)) and command.strip())
    return {head for head in heads if len(head) > 1 and _PROGRAM.fullmatch(head)}


def _holds_command(line: str, programs: Collection[str]) -> bool:
    """Whether a comment line goes on with a command: behind a sentence, or behind the name of the script's shell."""
    if line.startswith("#!"):
        return len(line.split(None, 3)) > 2
    return any(found in programs or found.endswith("(") for found in _AFTER_SENTENCE.findall(line))


def _is_glued(command: str, programs: Collection[str]) -> bool:
    """Whether the name of a file that output goes to is followed by another command with nothing between the two."""
    return any(head in programs or head.startswith("./") for head in _REDIRECTED.findall(command))


def _is_half_a_block(command: str) -> bool:
    """Whether the parts of a block stand in one line with nothing between them: the shell misses its end."""
    return "\n" not in command.strip() and command[:1] != "#" and _BLOCK.search(command[:LONGEST_BLOCK]) is not None


def is_closed(command: str) -> bool:
    """Whether every quote and every bracket of a command is closed, and it starts no shell of its own."""
    if _OWN_SHELL.search(command):
        return False
    try:
        shlex.split(command)
    except ValueError:
        return False
    return command.count("`") % 2 == 0 and command.count("(") == command.count(")")


def environment_mark(command: str) -> str:
    """The mark by which a command holds the environment's part: a label beside one of the model's, or a chat's tag.

    What stands inside quotes or in a here-document is text that somebody wanted to write.
    """
    if ":" in command and holds_any(command, _HINTS):
        labels = list(islice(_LABEL.finditer(command), MOST_LABELS))
        names = {label.group(1) for label in labels}
        for label in labels:
            if not names.isdisjoint(_PARTS.get(label.group(1), ())) and _is_bare(command[: label.start()]):
                return label.group()
    for tag in _TAGS:
        if tag in command and _is_bare(command[: command.find(tag)]):
            return tag
    return ""


def _is_bare(before: str) -> bool:
    """Whether what follows a text stands in no quotes and in no here-document."""
    return "<<" not in before and all(before.count(mark) % 2 == 0 for mark in "\"'`")


def _lowered_name(attempt: Attempt, every: str) -> list[Any]:
    """A name that the task writes with capitals and a call in small letters, and the item of that call."""
    task = task_text(attempt.row)[:LONGEST_TASK]
    words = (word.strip("./-_") for word in _WORD.findall(task)) if _CAPITAL.search(task) else ()
    names = (word for word in words if SHORTEST_NAME <= len(word) <= LONGEST_NAME and _NAME.search(word))
    for name in dict.fromkeys(name for name in names if name.lower() in every):
        for call in attempt.calls:
            if any(name.lower() in text for text in texts_of(call)):
                return [name, call.step.item]
    return []
