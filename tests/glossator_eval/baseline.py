"""A retriever to try the evaluation with: BM25 over plain windows of 60 lines, or given chunks."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from glossator.core.text import split_lines
from glossator_eval import Result, SourceText, Stages

WINDOW = 60  # lines
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[a-z]+|\d+")


class Bm25:
    """The stage `lexical` alone; `spent` counts a cent a search, to be seen in reports."""

    available = Stages.named(["lexical"])

    def __init__(self, dollars: float = 0.0) -> None:
        self._chunks: list[Result] = []
        self._holding: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        self._dollars = dollars
        self._spent = 0.0
        self.closed = False

    def index(self, documents: Sequence[SourceText]) -> int:
        for document in documents:
            lines = split_lines(document.text)
            windows = tuple(
                (at + 1, min(at + WINDOW, len(lines))) for at in range(0, len(lines), WINDOW)
            )
            for first, last in document.chunks or windows:
                text = "\n".join(lines[first - 1 : last])
                self._chunks.append(Result(document.path, first, last, text))
        counted = [Counter(_words(f"{each.path} {each.text}")) for each in self._chunks]
        lengths = [count.total() for count in counted]
        average = sum(lengths) / len(lengths)
        for number, (count, length) in enumerate(zip(counted, lengths, strict=True)):
            for word, times in count.items():
                damped = times + _K1 * (1 - _B + _B * length / average)
                self._holding[word].append((number, times * (_K1 + 1) / damped))
        return len(self._chunks)

    def search(self, question: str, limit: int, stages: Stages) -> Sequence[Result]:
        assert stages == self.available
        self._spent += self._dollars
        scores: Counter[int] = Counter()
        for word in dict.fromkeys(_words(question)):
            holding = self._holding.get(word, ())
            weight = math.log(1 + (len(self._chunks) - len(holding) + 0.5) / (len(holding) + 0.5))
            for number, part in holding:
                scores[number] += weight * part  # type: ignore[assignment]  # floats count, too
        return [self._chunks[number] for number, _ in scores.most_common(limit)]

    def spent(self) -> float:
        return self._spent

    def close(self) -> None:
        self.closed = True


def _words(text: str) -> list[str]:
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return _WORD.findall(split.lower())
