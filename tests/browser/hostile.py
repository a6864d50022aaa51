"""A corpus that tries to run, load, hide or break out, for every place where text of a run is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.gym_rows import message, request, response, row

FLAG = "window.__ran=(window.__ran||0)+1"
FOREIGN = "https://foreign.example"
TEXTS = {
    "script": f"<script>{FLAG}</script>",
    "closing": f"</pre></div></main></script><script>{FLAG}</script>",
    "handler": f'<img src="{FOREIGN}/x.png" onerror="{FLAG}">',
    "attribute": f'" onmouseover="{FLAG}" autofocus onfocus="{FLAG}" x="',
    "quote": f"' onclick='{FLAG}' x='",
    "svg": f'<svg onload="{FLAG}"><animate onbegin="{FLAG}" attributeName="x" dur="1s"></svg>',
    "frame": f'<iframe src="javascript:{FLAG}"></iframe><object data="{FOREIGN}/o"></object>',
    "form": f'<form action="{FOREIGN}"><button formaction="javascript:{FLAG}">x</button></form>',
    "style": f"<style>@import url({FOREIGN}/a.css);*{{display:none!important}}</style>",
    "css": f'</style><div style="background:url({FOREIGN}/b.png);position:fixed;inset:0">',
    "link": f'<link rel="stylesheet" href="{FOREIGN}/c.css"><base href="{FOREIGN}/">',
    "meta": f'<meta http-equiv="refresh" content="0;url={FOREIGN}/d">',
    "javascript": f'[click](javascript:{FLAG}) <a href="javascript:{FLAG}">x</a>',
    "entity": f"[click](&#106;avascript:{FLAG}) &lt;script&gt;{FLAG}&lt;/script&gt;",
    "data": f"[click](data:text/html,<script>{FLAG}</script>) "
    "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)",
    "picture": f'![x]({FOREIGN}/e.png) ![y]({FOREIGN}/f.png "t")',
    "template": "{{ 7 * 7 }} {% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "bidi": "safe \u202egnp.exe\u202c \u2066isolated\u2069 \u200bzero\ufeff \u061c",
    "terminal": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \x08\x7f\x00",
    "tags": "hidden \U000e0041\U000e0042 words",
    "surrogate": "lone \ud83d surrogate",
    "lines": "one\u2028two\u2029three\r\rfour",
    "markdown": f"| a |\n|---|\n| <script>{FLAG}</script> |\n\n```html\n<script>{FLAG}</script>\n```"
    f"\n<!-- --><script>{FLAG}</script>",
}
HUGE = "word <b>bold</b> " * 300_000
"""Five million characters."""


def hostile_row(task: int, attempt: int, name: str, text: str, *, passed: bool) -> dict[str, Any]:
    call = {
        "type": "function_call",
        "name": text[:200],
        "arguments": json.dumps({text[:100]: text[:2000]}),
        "call_id": f"c{task}",
    }
    output = {"type": "function_call_output", "call_id": f"c{task}", "output": text}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}
    answer = response(message(text, "user"), thought, call, output, message(text))
    answer["model"] = text[:150]
    return row(
        task,
        attempt,
        1.0 if passed else 0.0,
        responses_create_params=request(f"{name}: {text}"),
        response=answer,
        expected_answer=text[:200],
        extracted_answer=text[:200],
        task_id=f"{name} {text[:80]}",
        category=text[:60],
        difficulty=["a", "b"][task % 2] + text[:20],
        error=text[:300],
        verifier={"message": text[:300]},
    )


def write_hostile(folder: Path, longest: int = len(HUGE)) -> Path:
    """Two attempts of each text, one passes and one fails; and one that is very long, or as long as is said."""
    folder.mkdir(parents=True)
    path = folder / "rollouts.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for task, (name, text) in enumerate([*TEXTS.items(), ("huge", HUGE[:longest])]):
            for attempt in range(2):
                made = hostile_row(task, attempt, name, text, passed=bool(attempt))
                stream.write(json.dumps(made) + "\n")
    return path
