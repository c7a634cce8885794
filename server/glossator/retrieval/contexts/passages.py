"""What the fast model is shown to situate a chunk: the whole document first, then the chunk.

All chunks of a document share the beginning of the prompt, which the provider caches. A document
that is too long is shown in parts: its beginning, then the lines of as many chunks as fit. Foreign
text stands in tags that are named after a hash of it, so that it cannot hold its own end.
Source: Anthropic, "Introducing Contextual Retrieval" (2024).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from glossator.core.prompts import load_prompt
from glossator.core.text import split_lines
from glossator.core.tokens import BYTES_PER_TOKEN, estimate_tokens
from glossator.llm import ModelRequest, user_message

DOCUMENT_TOKENS = 32_000  # shown at most: each chunk reads them again, so costs grow by the square
CHUNK_TOKENS = 4_000  # of a chunk; a usual one has 800
MAX_OUTPUT_TOKENS = 200  # twice what is asked for
THINKING_TOKENS = 1_000  # room beside it for a model that cannot do without thinking

_HEAD_SHARE = 1 / 8  # of the tokens shown, for the beginning of the document
_LEFT_OUT = "\n[…]\n"
_PROMPTS = tuple(f"retrieval/context_{part}" for part in ("document", "glossary", "chunk"))


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """A chunk as it stands in its document; lines are 1-based and inclusive."""

    first_line: int
    last_line: int
    text: str


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document and its chunks. The path is for the user; the model is not told."""

    path: str
    text: str
    chunks: tuple[SourceChunk, ...]


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A context to be made; `key` is the hash of all that it follows from."""

    key: bytes
    chunk: str  # the prompt's last block


@dataclass(frozen=True, slots=True)
class Passage:
    """Contexts that share what the model is shown first, the blocks in `shared`."""

    path: str
    shared: tuple[str, ...]
    requests: tuple[ContextRequest, ...]

    @property
    def shared_tokens(self) -> int:
        """About how many tokens all requests have in common."""
        return sum(map(estimate_tokens, self.shared))


@dataclass(frozen=True, slots=True)
class PassageMaker:
    """Makes passages for one model; `glossary` holds the project's terms, or ""."""

    model: str
    glossary: str = ""
    document_tokens: int = DOCUMENT_TOKENS

    def passages(self, document: SourceDocument) -> Iterator[Passage]:
        """What is to be asked about a document. Blank chunks get no context."""
        chunks = sorted(
            (chunk for chunk in document.chunks if chunk.text.strip()),
            key=lambda chunk: (chunk.first_line, chunk.last_line),
        )
        for text, part in _parts(document.text, chunks, self.document_tokens):
            base = self._base(text)
            made = (self._request(base, chunk) for chunk in part)
            requests = {request.key: request for request in made}
            yield Passage(document.path, self._shared(text), tuple(requests.values()))

    def keys(self, document: SourceDocument) -> dict[SourceChunk, bytes]:
        """The key of each chunk's context; blank chunks have none."""
        chunks = [chunk for chunk in document.chunks if chunk.text.strip()]
        ordered = sorted(chunks, key=lambda chunk: (chunk.first_line, chunk.last_line))
        keys: dict[SourceChunk, bytes] = {}
        for text, part in _parts(document.text, ordered, self.document_tokens):
            base = self._base(text)
            keys.update((chunk, _hash(base, chunk.text)) for chunk in part)
        return keys

    def _request(self, base: str, chunk: SourceChunk) -> ContextRequest:
        text = cut(chunk.text, CHUNK_TOKENS)
        prompt = load_prompt("retrieval/context_chunk")
        block = prompt.render(tag=tag_of("chunk", text), chunk=text)
        return ContextRequest(_hash(base, chunk.text), block)

    def _shared(self, text: str) -> tuple[str, ...]:
        prompt = load_prompt("retrieval/context_document")
        document = prompt.render(tag=tag_of("document", text), document=text)
        if not self.glossary.strip():
            return (document,)
        prompt = load_prompt("retrieval/context_glossary")
        tag = tag_of("glossary", self.glossary)
        return (prompt.render(tag=tag, glossary=self.glossary), document)

    def _base(self, document: str) -> str:
        """A hash of what all keys of a passage follow from: model, prompts, glossary, document."""
        prompts = (load_prompt(name).sha256 for name in _PROMPTS)
        return _hash(self.model, *prompts, self.glossary, document).hex()


def _hash(*parts: str) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(content))
        digest.update(content)
    return digest.digest()


def model_request(
    shared: tuple[str, ...], chunk: str, max_output_tokens: int, *, cached: bool
) -> ModelRequest:
    """The request for one context; the cache's mark stands after the document if it is `cached`."""
    return ModelRequest(
        system=(),
        tools=(),
        messages=(user_message(*shared, chunk),),
        max_output_tokens=max_output_tokens,
        shared_blocks=len(shared) if cached else 0,
        thinks=False,
    )


def tag_of(name: str, content: str) -> str:
    """A tag for `content`, which cannot hold it: it would have to hold its own hash."""
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name}-{digest[:16]}"


def _parts(
    text: str, chunks: list[SourceChunk], most: int
) -> Iterator[tuple[str, list[SourceChunk]]]:
    """The document, or what of it is shown to situate these chunks, of about `most` tokens."""
    if not chunks:
        return
    if estimate_tokens(text) <= most:
        yield text, chunks
        return
    lines = [f"{line}\n" for line in split_lines(text)]
    sizes = [estimate_tokens(line) for line in lines]
    head_lines = _fitting(sizes, int(most * _HEAD_SHARE))
    head = "".join(lines[:head_lines])
    room = most - estimate_tokens(head)
    for part in _runs(chunks, sizes, room):
        first = part[0].first_line - 1
        last = max(chunk.last_line for chunk in part)
        body = cut("".join(lines[max(first, head_lines) : last]), room)
        before = head if first <= head_lines else head + _LEFT_OUT
        yield before + body + (_LEFT_OUT if last < len(lines) else ""), part


def _runs(chunks: list[SourceChunk], sizes: list[int], room: int) -> Iterator[list[SourceChunk]]:
    """Neighbouring chunks whose lines, from the first to the last, fit; at least one in each."""
    run: list[SourceChunk] = []
    for chunk in chunks:
        first = (run[0] if run else chunk).first_line - 1
        if run and sum(sizes[first : chunk.last_line]) > room:
            yield run
            run = []
        run.append(chunk)
    yield run


def _fitting(sizes: Iterable[int], room: int) -> int:
    """How many lines from the first on fit."""
    count = total = 0
    for size in sizes:
        total += size
        if total > room:
            break
        count += 1
    return count


def cut(text: str, tokens: int) -> str:
    """The text, or its beginning; in bytes, since a line may have any length."""
    if estimate_tokens(text) <= tokens:
        return text
    content = text.encode("utf-8", "surrogatepass")[: round(tokens * BYTES_PER_TOKEN)]
    return content.decode("utf-8", "ignore") + _LEFT_OUT
