"""Writes a transcript item by item, counts tokens, and stops at the cap of each model call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from blade.simulate.simulated_row import Json, SimulatedTranscript

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

__all__ = ["OutOfTokensError", "TranscriptWriter", "final_text", "tokens"]


class OutOfTokensError(Exception):
    """The model call reached its token cap: nothing more is written."""


def tokens(text: str) -> int:
    """A rough count: four characters a token."""
    return (len(text) + 3) // 4


class TranscriptWriter:
    """Writes Responses-API items. A tool's answer ends one model call and begins the next."""

    def __init__(self, rng: random.Random, prompt_tokens: int, cap: int) -> None:
        self._rng = rng
        self._cap = cap
        self._left = cap
        self._context = prompt_tokens
        self._items: list[Json] = []
        self._input = prompt_tokens
        self._output = 0
        self._reasoning = 0
        self._seconds = 0.4
        self._cut = False

    def think(self, text: str) -> None:
        spent_text = self._spend(text)
        self._reasoning += tokens(spent_text)
        summary = [{"text": spent_text, "type": "summary_text"}]
        body = {"summary": summary, "type": "reasoning", "encrypted_content": None, "content": None}
        self._items.append({"id": self._id("rs"), **body})
        self._stop_if_cut()

    def say(self, text: str) -> None:
        spent_text = self._spend(text)
        content: list[Json] = [{"annotations": [], "text": spent_text, "type": "output_text", "logprobs": None}]
        status = "incomplete" if self._cut else "completed"
        body = {"content": content, "role": "assistant", "status": status, "type": "message"}
        self._items.append({"id": self._id("msg"), **body})
        self._stop_if_cut()

    def call(self, name: str, arguments: Json) -> None:
        """A tool call; one that does not fit under the cap is never made."""
        text = json.dumps(arguments)
        self._spend(name + text)
        self._stop_if_cut()
        body = {"arguments": text, "call_id": self._id("call"), "name": name, "type": "function_call"}
        self._items.append({**body, "id": self._id("fc"), "status": "completed"})

    def answer(self, output: str) -> None:
        """The tool's answer to the last call; the model is then asked again, with all that went before."""
        call_id = self._items[-1]["call_id"]
        body = {"call_id": call_id, "output": output, "type": "function_call_output", "id": None, "status": None}
        self._items.append(body)
        self._context += tokens(output)
        self._input += self._context
        self._left = self._cap
        self._seconds += 0.3 + self._rng.random()

    def transcript(self) -> SimulatedTranscript:
        return SimulatedTranscript(
            items=tuple(self._items),
            input_tokens=self._input,
            output_tokens=self._output,
            reasoning_tokens=self._reasoning,
            seconds=self._seconds,
            cut=self._cut,
        )

    def _spend(self, text: str) -> str:
        cost = tokens(text)
        if cost > self._left:
            text, cost, self._cut = text[: self._left * 4], self._left, True
        self._left -= cost
        self._output += cost
        self._context += cost
        self._seconds += cost / 60
        return text

    def _stop_if_cut(self) -> None:
        if self._cut:
            raise OutOfTokensError

    def _id(self, kind: str) -> str:
        return f"{kind}_{self._rng.getrandbits(64):016x}"


def final_text(items: Sequence[Json]) -> str:
    """The text of the last assistant message, or an empty string."""
    for item in reversed(items):
        if item["type"] == "message":
            return "".join(part["text"] for part in item["content"])
    return ""
