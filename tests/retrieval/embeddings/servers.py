"""A server on the loopback that makes embeddings, badly if it is told to, and small static ones."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from glossator.retrieval.embeddings.embedder import Access, EmbedderChoice

KEY = "vo-1234567890-secret"
WORDS = ["[UNK]", "parse", "config", "file", "http", "header"]


@dataclass
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        return list(self.body["input"])


@dataclass
class Reply:
    """What the server answers; without a body, vectors."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


def vector_of(text: str, dimension: int = 4) -> list[float]:
    """Different for different texts."""
    random = np.random.default_rng(sum(text.encode()))
    return [float(number) for number in random.normal(size=dimension)]


class EmbeddingServer:
    """Answers by `replies` one after another, then with vectors of `dimension` numbers.

    While `hold` returns an event, a request waits for it.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.replies: list[Reply] = []
        self.dimension = 4
        self.tokens: Any = None  # for each text, as the server counts them
        self.hold: Callable[[Asked], threading.Event | None] = lambda _: None
        self.url = ""

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if held := self.hold(asked):
            held.wait(30)
        reply = self.replies.pop(0) if self.replies else Reply()
        if reply.body is None and reply.status == 200:
            rows = [
                {"index": place, "embedding": vector_of(text, self.dimension)}
                for place, text in enumerate(asked.texts)
            ]
            body: dict[str, Any] = {"data": rows[::-1]}  # by the index, in any order
            if self.tokens is not None:
                body["usage"] = {"total_tokens": self.tokens * len(asked.texts)}
            reply = Reply(body=body)
        return reply

    def choice(self, kind: Any = "openai", key: str = KEY) -> EmbedderChoice:
        access = Access(self.url, "THE_KEY", key)
        return EmbedderChoice(kind, f"{kind}:test:small", model="small", access=access)


@contextmanager
def serving() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            body = json.loads(self.rfile.read(length))
            reply = server.answer(Asked(self.path, dict(self.headers), body))
            content = (
                reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            )
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except ConnectionError:
                pass  # the client was killed, or gave up

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        try:
            yield server
        finally:
            http.shutdown()


def static_files(
    folder: Path, rows: Sequence[Sequence[float]] | None = None, **more: np.ndarray
) -> Path:
    """A folder with a table for `WORDS`: by default each has an axis of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.eye(len(WORDS), dtype=np.float32) if rows is None else np.array(rows, np.float32)
    save_file({"embeddings": table, **more}, folder / "model.safetensors")
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
