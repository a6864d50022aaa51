"""Two logs of one task, three samples and two epochs each: an archive with packed members, and a document."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import zstandard

SCORES = {"errands/steady": 5 / 6, "errands/shaky": 0.5}
FAILING = {"2026-01-02_errands_steady": {("b", 2)}, "2026-01-03_errands_shaky": {("a", 1), ("b", 2), ("7", 1)}}
NOTE = "0123456789abcdef0123456789abcdef"


def write(folder: Path) -> list[Path]:
    logs = {name: log(name, failing, model=f"house/{name.rpartition('_')[2]}") for name, failing in FAILING.items()}
    packed, plain = (folder / f"{name}{end}" for name, end in zip(logs, (".eval", ".json"), strict=True))
    write_archive(packed, logs[packed.stem])
    plain.write_text(json.dumps(logs[plain.stem]))
    return [packed, plain]


def log(name: str, failing: set[tuple[str, int]] = frozenset(), *, model: str = "house/model") -> dict[str, Any]:  # type: ignore[assignment]
    samples = [sample(task, epoch, (str(task), epoch) not in failing) for epoch in (1, 2) for task in ("a", "b", 7)]
    accuracy = sum(one["scores"]["match"]["value"] == "C" for one in samples) / len(samples)
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "errands",
            "task_id": name,
            "created": "2026-01-02T03:04:05+00:00",
            "model": model,
            "dataset": {"name": "errands", "samples": 3, "sample_ids": ["a", "b", 7]},
            "config": {"epochs": 2, "epochs_reducer": ["mean"], "message_limit": 30},
            "model_generate_config": {"temperature": 0.5},
            "packages": {"inspect_ai": "0.3.200"},
        },
        "plan": {"steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": {
            "total_samples": 6,
            "completed_samples": 6,
            "scores": [
                {"name": "match", "scorer": "match", "metrics": {"accuracy": {"name": "accuracy", "value": accuracy}}},
                {"name": "style", "scorer": "style", "metrics": {"mean": {"name": "mean", "value": 0.25}}},
            ],
        },
        "samples": samples,
    }


def sample(task: str | int, epoch: int, right: bool) -> dict[str, Any]:
    call = {"id": "c1", "function": "look_up", "arguments": {"errand": str(task)}, "type": "function"}
    return {
        "id": task,
        "epoch": epoch,
        "input": f"Which shop has errand {task}?",
        "target": "the baker",
        "messages": [
            {"id": "m1", "role": "user", "content": f"Which shop has errand {task}?", "source": "input"},
            {"id": "m2", "role": "assistant", "content": "", "tool_calls": [call], "source": "generate"},
            {
                "id": "m3",
                "role": "tool",
                "content": f"attachment://{NOTE}",
                "tool_call_id": "c1",
                "function": "look_up",
            },
            {"id": "m4", "role": "assistant", "content": "the baker" if right else "the smith", "source": "generate"},
        ],
        "output": {"model": "house/model", "choices": [{"message": {"role": "assistant"}, "stop_reason": "stop"}]},
        "scores": {
            "match": {"value": "C" if right else "I", "answer": "the baker" if right else "the smith"},
            "style": {"value": 0.25, "explanation": "terse"},
        },
        "metadata": {"district": "north" if task == "a" else "south"},
        "events": [],
        "model_usage": {"house/model": {"input_tokens": 40, "output_tokens": 8, "total_tokens": 48}},
        "attachments": {NOTE: "The list on the wall names the baker for this errand."},
    }


def write_archive(path: Path, whole: dict[str, Any], *, header: bool = True, packed: bool = True) -> None:
    """The log as Inspect writes it: a member for each sample, the header last."""
    contents = {"_journal/start.json": {key: whole[key] for key in ("version", "eval", "plan")}}
    contents |= {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in whole["samples"]}
    if header:
        contents["header.json"] = {key: value for key, value in whole.items() if key != "samples"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            data = json.dumps(content).encode()
            if packed:
                add_packed(archive, name, data)
            else:
                archive.writestr(name, data)


def add_packed(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """A member packed with Zstandard, in two frames as writers of long members make them."""
    half = len(data) // 2
    content = b"".join(zstandard.ZstdCompressor().compress(part) for part in (data[:half], data[half:]))
    info = zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 4))
    info.compress_type = zipfile.ZIP_STORED
    archive.writestr(info, content)
    info.compress_type, info.file_size, info.CRC = 93, len(data), 0
    assert archive.fp is not None
    end = archive.fp.tell()
    archive.fp.seek(info.header_offset)
    archive.fp.write(info.FileHeader(zip64=False))
    archive.fp.seek(end)
