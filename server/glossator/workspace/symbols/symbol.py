"""One named thing of a source file: what an outline is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition or a heading, and the lines it takes.

    `kind` is a plain word: class, function, method, property, interface, struct, enum, type,
    constant, variable, module, namespace, trait, impl, macro, key or heading. `signature` is one
    line up to the body, at most 200 characters. `documentation` is the first paragraph of the
    docstring or of the comment right above, without markers, "" if there is none. `container`
    names the enclosing symbols, outermost first; a Go receiver and a C++ `Class::` count as
    enclosing. Lines are 1-based and inclusive; decorators and attributes belong to the symbol,
    comments do not.
    """

    name: str
    kind: str
    signature: str
    documentation: str
    container: tuple[str, ...]
    first_line: int
    last_line: int
    name_line: int
