"""Calls that the model writes as text, read as calls and outputs.

Some harnesses offer no tool interface: the model writes its call into a message (a JSON object, a tag, a fenced
command) and the answer comes back under the role of the user. The style is learned from the rollout itself: at least
two messages of it, or half of them, are such a call. A fenced command, a name before an object and a line of code,
which a model also shows to people, must be in half of the messages. Where no style fits, the transcript stays as it is.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from json import JSONDecodeError, JSONDecoder
from typing import Any

import orjson

from blade.extract.names import words
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Step, StepKind
from blade.wording import LONGEST_NAME

FEWEST_MESSAGES = 2
HEAD = 6
"""So many letters of an answer tell the harness that begins them all alike."""
MOST_CALLS = 500
MOST_OBJECTS = 4
"""So many objects of a message are looked at for a call."""
OF_TEXT = "text-"
"""So the id of a call begins that was written as text."""
LONGEST = 100_000
"""A longer message is no call."""
NAME_KEYS = ("name", "tool", "tool_name", "function", "action")
ARGUMENT_KEYS = ("arguments", "args", "parameters", "kwargs", "action_input", "tool_input", "input")
_TEXT_KEYS = ("content", "message", "text", "response", "answer", "question")
_SPEAKING = frozenset("respond reply say talk tell message ask answer speak communicate".split())
_SHELLS = frozenset("bash sh shell console zsh".split())
_MARKUP = frozenset("think thinking thought reasoning answer solution code pre b i p ul li em strong div span".split())
_NAME = late_regex(r"[A-Za-z_][\w.-]{0,79}")
_FENCE = late_regex(r"```[ \t]*([\w+-]*)[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_TAG = late_regex(r"<(?:function=)?([A-Za-z_][\w.-]{1,39})>(.*?)</(?:\1|function)>", re.DOTALL)
_PARAMETER = late_regex(r"<(?:parameter=)?([A-Za-z_]\w{0,39})>(.*?)</(?:\1|parameter)>", re.DOTALL)
_NAMED_ACTION = late_regex(
    r"^Action:[ \t]*([A-Za-z_][\w.-]{0,79})[ \t]*(?:\[([^\n]*)\][ \t]*$|\n+Action Input:[ \t]*(.*))",
    re.DOTALL | re.MULTILINE,
)
_NAME_BEFORE = late_regex(r"([A-Za-z_][\w.-]{1,79})[\"'>:(\[ \t]{1,4}$")
_CALL_LINE = late_regex(r"^([A-Za-z_][\w.]{1,79})\(\w+ ?=[^\n]{1,2000}\)[ \t]*$", re.MULTILINE)
_FENCE_LINE = late_regex(r"^[ \t]*```[\w+-]*[ \t]*\n$", re.MULTILINE)
_COINED = late_regex(r"[a-z0-9][_.][A-Za-z0-9]|[a-z][A-Z]")
"""A name that is no word of a sentence: made of several words."""
_ANSWERING = frozenset({StepKind.USER, StepKind.ENVIRONMENT})
_DECODER = JSONDecoder(strict=False)


@frozen
class TextCall:
    """A call as a message writes it: the tool, its arguments, and where the words before it end."""

    name: str
    arguments: Any
    start: int
    others: tuple[TextCall, ...] = ()
    """Calls that the same message makes after it."""


def _json_call(text: str) -> TextCall | None:
    """The first JSON object that names a tool and holds its arguments; others may be shown before it."""
    start = text.find("{")
    for _ in range(MOST_OBJECTS):
        if start < 0:
            return None
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (JSONDecodeError, RecursionError):
            value, end = None, start + 1
        name = next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), "") if value else ""
        key = next((key for key in ARGUMENT_KEYS if isinstance(value.get(key), dict)), None) if value else None
        if value and key is not None and _NAME.fullmatch(name):
            return TextCall(name, _as_written(text, start, key, value[key]), start)
        start = text.find("{", end)
    return None


def _as_written(text: str, start: int, key: str, value: dict[str, Any]) -> Any:
    """The arguments in the words of the message, so that a quote from them stands in the row; else their value."""
    begin = re.compile(rf'"{key}"\s*:\s*(?=\{{)').search(text, start)
    if begin is None:
        return value
    try:
        parsed, end = _DECODER.raw_decode(text, begin.end())
        return text[begin.end() : end] if parsed == orjson.loads(text[begin.end() : end]) == value else value
    except (JSONDecodeError, RecursionError):
        return value


def _tagged_call(text: str) -> TextCall | None:
    """A tag whose name is the tool, or whose content is a JSON call; `<parameter=…>` inside are its arguments."""
    for tag in _TAG.finditer(text):
        name, content = tag.group(1), tag.group(2)
        if name.lower() in _MARKUP:
            continue
        inner = _json_call(content)
        if inner is not None:
            return TextCall(inner.name, inner.arguments, tag.start())
        parameters = {match.group(1): match.group(2).strip() for match in _PARAMETER.finditer(content)}
        return TextCall(name, parameters or {"content": content.strip()}, tag.start())
    return None


def _fenced_command(text: str) -> TextCall | None:
    """One fenced shell command, and no other fence beside it."""
    fences = [fence for fence in _FENCE.finditer(text) if fence.group(1).lower() in _SHELLS]
    if len(fences) != 1:
        return None
    return TextCall("bash", {"command": fences[0].group(2)}, fences[0].start())


def _named_action(text: str) -> TextCall | None:
    """`Action: name[argument]`, or `Action: name` with its input on the next line."""
    match = _NAMED_ACTION.search(text)
    if match is None:
        return None
    return TextCall(match.group(1), {"input": (match.group(2) or match.group(3) or "").strip()}, match.start())


def _framed_call(text: str) -> TextCall | None:
    """The name of a tool right before a JSON object, in whatever brackets: `<use tool="name">{…}`, `name({…})`."""
    start = text.find("{")
    match = _NAME_BEFORE.search(text, max(0, text.rfind("\n", 0, start) + 1), start) if start > 0 else None
    if match is None or not _COINED.search(match.group(1)):
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (JSONDecodeError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return TextCall(match.group(1), text[start:end], _line_or_fence(text, start))


def _written_call(text: str) -> TextCall | None:
    """A line that is a call with named arguments and nothing else: `name(key="value", other=3)`."""
    match = _CALL_LINE.search(text)
    if match is None or not _COINED.search(match.group(1)):
        return None
    try:
        expression = ast.parse(match.group(0).strip(), mode="eval").body
        keywords = expression.keywords if isinstance(expression, ast.Call) and not expression.args else []
        arguments = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return TextCall(match.group(1), arguments, _line_or_fence(text, match.start())) if arguments else None


def _listed_calls(text: str) -> TextCall | None:
    """A message that is a list of calls and nothing else: `[name(key="value"), other()]`."""
    fence = _FENCE.fullmatch(text.strip())
    listed = (fence.group(2) if fence else text).strip()
    if not (listed.startswith("[") and listed.endswith(")]")):
        return None
    try:
        expression = ast.parse(listed, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    calls = expression.elts if isinstance(expression, ast.List) else []
    if not calls or not all(isinstance(item, ast.Call) for item in calls):
        return None
    first, *further_calls = (_of_code(item) for item in calls if isinstance(item, ast.Call))
    return replace(first, others=tuple(further_calls))


def _of_code(call: ast.Call) -> TextCall:
    values = [(str(place), value) for place, value in enumerate(call.args)]
    values += [(str(keyword.arg), keyword.value) for keyword in call.keywords]
    return TextCall(ast.unparse(call.func), {name: _value(value) for name, value in values}, 0)


def _value(expression: ast.expr) -> Any:
    """A value as written; as code where it is no plain value."""
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ast.unparse(expression)


def _line_or_fence(text: str, start: int) -> int:
    """Where the line begins, or the fence right before it."""
    line = text.rfind("\n", 0, start) + 1
    fence = _FENCE_LINE.search(text, 0, line)
    return fence.start() if fence else line


STYLES: tuple[Callable[[str], TextCall | None], ...] = (
    _named_action,
    _json_call,
    _tagged_call,
    _framed_call,
    _listed_calls,
    _written_call,
    _fenced_command,
)
_SHOWN_TO_PEOPLE = (_framed_call, _written_call, _fenced_command)
"""Styles that are calls only where half of the messages fit them."""
_FOR_MACHINES = tuple(style for style in STYLES if style not in {*_SHOWN_TO_PEOPLE, _listed_calls})
"""Styles in which a call that nothing answers went to nobody; a list of calls may be the answer itself."""
_MARKS = ("{", "<", "```", "Action:", "=", ")]")
"""A call in any of the styles holds one of these."""


def with_text_calls(steps: list[Step]) -> list[Step]:
    """The steps with calls written as text made calls, and what answers them made outputs or turns of the user."""
    messages = [place for place, step in enumerate(steps) if step.kind is StepKind.MESSAGE]
    if len(messages) < FEWEST_MESSAGES:
        return steps
    steps_of_item = Counter([step.item for step in steps])
    spoken = [place for place in messages if steps_of_item[steps[place].item] == 1]
    if len(spoken) < FEWEST_MESSAGES or not any(step.kind in _ANSWERING for step in steps):
        return steps
    texts = {place: steps[place].text for place in spoken}
    if not any(mark in text for mark in _MARKS for text in texts.values()):
        return steps
    calls = _learned(texts)
    return _rewritten(steps, calls) if calls else steps


def with_lone_calls(steps: list[Step]) -> list[Step]:
    """The steps with the calls of the one message made calls: asked where calls are what a rollout is to answer with.

    Every object of the message that names a tool and holds its arguments is one, and so is a list of calls as code.
    """
    messages = [place for place, step in enumerate(steps) if step.kind is StepKind.MESSAGE]
    if len(messages) != 1 or len(steps[messages[0]].text) > LONGEST:
        return steps
    place = messages[0]
    text = steps[place].text
    calls = list(_json_calls(text))
    if not calls and (listed := _listed_calls(text)) is not None:
        calls = [replace(listed, others=()), *listed.others]
    if not calls:
        return steps
    made = _as_calls(steps[place], replace(calls[0], others=tuple(calls[1:])), f"{OF_TEXT}{place}")
    return [*steps[:place], *made, *steps[place + 1 :]]


def _json_calls(text: str) -> Iterator[TextCall]:
    """All JSON objects of a text that name a tool and hold its arguments, in order."""
    place = 0
    for _ in range(MOST_CALLS):
        call = _json_call(text[place:])
        if call is None:
            return
        start = place + call.start
        yield replace(call, start=start)
        try:
            _, place = _DECODER.raw_decode(text, start)
        except (JSONDecodeError, RecursionError):
            return


def _learned(texts: dict[int, str]) -> dict[int, TextCall]:
    """The calls by the style that most messages fit, where enough of them fit it."""
    best: dict[int, TextCall] = {}
    for style in STYLES:
        fitting = {
            place: call for place, text in texts.items() if len(text) <= LONGEST and (call := style(text)) is not None
        }
        half = 2 * len(fitting) >= len(texts)
        if len(fitting) > len(best) and (half or (style not in _SHOWN_TO_PEOPLE and len(fitting) >= FEWEST_MESSAGES)):
            best = fitting
    return best


def _rewritten(steps: Sequence[Step], calls: dict[int, TextCall]) -> list[Step]:
    prefix = _answer_prefix(steps, calls)
    ignored = _ignored(steps, calls, prefix) if prefix else set()
    result: list[Step] = []
    open_call: tuple[str, TextCall] | None = None
    for place, step in enumerate(steps):
        call = calls.get(place)
        if call is not None and place not in ignored:
            open_call = (f"{OF_TEXT}{place}", call)
            result.extend(_called(step, call, open_call[0]))
        elif step.kind in _ANSWERING and open_call is not None and _answers(step.text, open_call[1], prefix):
            ids = _ids(open_call[1], open_call[0])  # one answer may be that of several calls
            result.extend(replace(step, kind=StepKind.OUTPUT, call_id=call_id) for call_id in ids)
            open_call = None
        else:
            open_call = None
            result.append(step)
    return result


def spoken_calls(steps: Sequence[Step]) -> list[tuple[Step, TextCall]]:
    """Calls that stayed words, of steps that were rewritten already: followed by a user's words and no answer."""
    calls_said = []
    for place, step in enumerate(steps):
        if step.kind is not StepKind.MESSAGE or not any(mark in step.text for mark in _MARKS):
            continue
        after = steps[place + 1].kind if place + 1 < len(steps) else StepKind.USER
        call = next((call for style in _FOR_MACHINES if (call := style(step.text)) is not None), None)
        if call is not None and after is StepKind.USER and _speech(call) is None:
            calls_said.append((step, call))
    return calls_said


def _ignored(steps: Sequence[Step], calls: dict[int, TextCall], prefix: str) -> set[int]:
    """Calls that the harness passed on to the user as words.

    It begins every answer of a tool alike, but not what follows these; and they are fenced where those that it took are
    not, or the other way round.
    """
    followed = [
        place
        for place, call in calls.items()
        if _speech(call) is None and place + 1 < len(steps) and steps[place + 1].kind in _ANSWERING
    ]
    answered_texts = {_fenced(steps[place].text) for place in followed if steps[place + 1].text.startswith(prefix)}
    return {
        place
        for place in followed
        if not steps[place + 1].text.startswith(prefix) and _fenced(steps[place].text) not in answered_texts
    }


def _fenced(text: str) -> bool:
    return "```" in text


def _called(step: Step, call: TextCall, call_id: str) -> list[Step]:
    """A message as its words and its call; a call that speaks to the user is a message."""
    speech = _speech(call)
    return [replace(step, text=speech)] if speech is not None else _as_calls(step, call, call_id)


def _as_calls(step: Step, call: TextCall, call_id: str) -> list[Step]:
    """A message as its words and its calls, whatever these do: where calls are the answer, none of them is speech."""
    before = step.text[: call.start].removesuffix("\n")
    words_before = [replace(step, text=before)] if before.strip(" \n:#*").lower() not in {"", "action"} else []
    calls = zip(_ids(call, call_id), (call, *call.others), strict=True)
    return [
        *words_before,
        *(
            Step(StepKind.CALL, step.item, "", text_call.name[:LONGEST_NAME], text_call.arguments, own_id)
            for own_id, text_call in calls
        ),
    ]


def _ids(call: TextCall, call_id: str) -> list[str]:
    """One id for each call of a message."""
    return [call_id, *(f"{call_id}-{place}" for place, _ in enumerate(call.others, 2))]


def _speech(call: TextCall) -> str | None:
    """What a call says to the user, where that is what it does."""
    if _SPEAKING.isdisjoint(words(call.name)):
        return None
    arguments = orjson.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments
    texts = [arguments[key] for key in _TEXT_KEYS if isinstance(arguments.get(key), str)]
    return texts[0] if len(texts) == 1 == len(arguments) else None


def _answer_prefix(steps: Sequence[Step], calls: dict[int, TextCall]) -> str:
    """The words with which the harness begins every answer of a tool, where it has such words."""
    answers = [
        steps[place + 1].text
        for place, call in calls.items()
        if _speech(call) is None and place + 1 < len(steps) and steps[place + 1].kind in _ANSWERING
    ]
    heads = Counter(text[:HEAD] for text in answers if len(text) >= HEAD)
    head, times = heads.most_common(1)[0] if heads else ("", 0)
    return head if len(answers) >= FEWEST_MESSAGES and 2 * times > len(answers) else ""


def _answers(text: str, call: TextCall, prefix: str) -> bool:
    """Whether a turn after a call is the tool's answer and not the user's."""
    if prefix:
        return text.startswith(prefix)
    return _speech(call) is None
