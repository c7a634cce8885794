"""Small labelled sets in both formats, written to a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FILES = {
    "src/cart.py": "class Cart:\n    def add(self, item):\n        return item\n",
    "src/refund.py": "x = 1\n\n\ndef refund(order):\n    return order.total\n",
    "src/util/refund.py": "def other():\n    return 'order'\n",
    "README.md": "# Shop\n",
}


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def write_lines(file: Path, records: Iterable[Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(each)}\n" for each in records), "utf-8")
    return file


def annotation(query: str, *relevant: Any, repo: str = "shop", **more: Any) -> dict[str, Any]:
    return {"repo": repo, "query": query, "relevant": list(relevant), **more}


def line_set(folder: Path, *records: dict[str, Any]) -> Path:
    """A set about the repository `shop`, whose sources lie beside it."""
    write_files(folder / "shop", FILES)
    write_lines(folder / "annotations.jsonl", records)
    return folder


def chunk_set(folder: Path) -> Path:
    """Two documents in five chunks, of which two have the same content; two questions."""
    documents = {"a": ["one\ntwo\n", "\nsame\n", "cut in"], "b": ["same\n\n", "last"]}
    folder.mkdir(parents=True, exist_ok=True)
    chunks = [
        {
            "doc_id": name,
            "original_uuid": name,
            "content": "".join(contents),
            "chunks": [
                {"chunk_id": "", "original_index": at, "content": content}
                for at, content in enumerate(contents)
            ],
        }
        for name, contents in documents.items()
    ]
    (folder / "codebase_chunks.json").write_text(json.dumps(chunks), "utf-8")
    golden = [[["a", 1], ["b", 0]], [["b", 1]]]
    write_lines(
        folder / "evaluation_set.jsonl",
        [
            {
                "query": f"question {number}",
                "golden_chunk_uuids": keys,
                "golden_documents": [
                    {
                        "uuid": keys[-1][0],
                        "meta": {"repo_name": "o/r", "relative_path": f"/{keys[-1][0]}.rs"},
                    }
                ],
            }
            for number, keys in enumerate(golden)
        ],
    )
    return folder
