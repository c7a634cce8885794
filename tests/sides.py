"""Side questions that judge an answer: what they ask, and how the stand-in replies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.standin import Script as Turns
from tests.standin import Text, Turn

Body = Mapping[str, Any]
Script = Callable[[Body], Turn]


def asked(body: Body) -> str:
    """What a side question asks about: "verify", "correct" or "" for the conversation."""
    text = first_text(body)
    if "Judge each statement" in text:
        return "verify"
    return "correct" if "sentences of an answer that the lines" in text else ""


def first_text(body: Body) -> str:
    """The text that a request begins with."""
    return str(body["messages"][0]["content"][0].get("text"))


def statements(body: Body) -> list[str]:
    """The statements that a side question is about, in order."""
    found = re.finditer(r"^\d+\. \(about [^)]*\) (.*)$", first_text(body), re.MULTILINE)
    return [match[1] for match in found]


def answering(**says: tuple[str, str]) -> Script:
    """For statements that hold a word: the answer and the words that decide; else UNRELATED."""

    def turn(body: Body) -> Turn:
        answers = []
        for number, statement in enumerate(statements(body), 1):
            found = (each for word, each in says.items() if word in statement)
            answer, words = next(found, ("UNRELATED", ""))
            answers.append({"statement": number, "answer": answer, "words": words})
        return Turn(Text(json.dumps({"answers": answers})))

    return turn


JUDGED = {"grounding": {"entailment": True}}  # the settings for it


def judging(turns: Turns, **says: tuple[str, str]) -> Script:
    """A conversation whose sentences a model judges as `answering` does."""
    left = iter(() if callable(turns) else turns)
    verify = answering(**says)

    def turn(body: Body) -> Turn:
        if asked(body) == "verify":
            return verify(body)
        return turns(dict(body)) if callable(turns) else next(left)

    return turn


def rewriting(**texts: str) -> Script:
    """For sentences that hold a word: another text; else none."""

    def turn(body: Body) -> Turn:
        sentences = []
        for number, sentence in enumerate(statements(body), 1):
            text = next((each for word, each in texts.items() if word in sentence), "")
            sentences.append({"sentence": number, "text": text, "lines": []})
        return Turn(Text(json.dumps({"sentences": sentences})))

    return turn
