"""Two instances with their evaluation beside them, and the older form of the issue resolver: lamps to be mended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"mended": 0.5, "issues": 1.0}


def history() -> list[dict[str, Any]]:
    call = {"id": "c1", "function": {"name": "execute_bash", "arguments": '{"command": "ls"}'}}
    response = {"id": "r1", "choices": [{"message": {"content": "I look around.", "tool_calls": [call]}}]}
    told = {"function_name": "execute_bash", "tool_call_id": "c1", "model_response": response}
    return [
        {"id": 0, "source": "agent", "action": "system", "args": {"content": "You mend lamps."}},
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Mend the lamp."}},
        {"id": 2, "source": "user", "action": "recall", "args": {"query": "lamp"}},
        {"id": 3, "source": "environment", "observation": "recall", "content": "context"},
        {"id": 4, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": told},
        {
            "id": 5,
            "source": "agent",
            "observation": "run",
            "content": "lamp.py",
            "cause": 4,
            "tool_call_metadata": told,
        },
        {"id": 6, "source": "agent", "action": "finish", "args": {"thought": "It is mended.", "outputs": {}}},
    ]


def row(instance: str, **more: Any) -> dict[str, Any]:
    return {
        "instance_id": instance,
        "test_result": {"git_patch": "diff --git a/lamp.py b/lamp.py"},
        "instruction": "Mend the lamp.",
        "metadata": {
            "agent_class": "CodeActAgent",
            "llm_config": {"model": "lamp-1", "temperature": 0.0, "api_key": "secret"},
            "max_iterations": 50,
        },
        "history": history(),
        "metrics": {"accumulated_token_usage": {"prompt_tokens": 90, "completion_tokens": 7}},
        "error": None,
        "instance": {"repo": "lamps/lamp", "instance_id": instance},
        **more,
    }


def issue() -> dict[str, Any]:
    events = [
        {"action": "message", "content": "Mend the lamp."},
        {"action": "run", "command": "ls", "thought": "I look around."},
        {"observation": "run", "content": "lamp.py", "command": "ls", "exit_code": 0},
        {"action": "finish", "thought": "It is mended.", "outputs": {}},
    ]
    return {
        "issue": {"owner": "lamps", "repo": "lamp", "number": 7},
        "instruction": "Mend the lamp.",
        "git_patch": "diff --git a/lamp.py b/lamp.py",
        "history": events,
        "success": True,
        "result_explanation": "The lamp is mended.",
        "error": None,
    }


def keep(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    return path


def evaluated(instance: str, **report: Any) -> dict[str, Any]:
    return row(instance, test_result={"git_patch": "", "report": report})


def write(folder: Path) -> list[Path]:
    mended = keep(folder / "mended/output.jsonl", row("lamp-1"), row("lamp-2")).parent
    keep(mended / "output.swebench_eval.jsonl", evaluated("lamp-1", resolved=True), evaluated("lamp-2", resolved=False))
    return [mended, keep(folder / "issues/output.jsonl", issue())]
