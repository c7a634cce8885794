"""The part of google-re2's interface that Glossator uses; the package ships no annotations."""

from collections.abc import Iterator
from typing import AnyStr, Generic

class error(Exception): ...

class Options:
    max_mem: int
    log_errors: bool
    case_sensitive: bool
    never_capture: bool
    never_nl: bool
    encoding: Encoding

    class Encoding:
        LATIN1: Options.Encoding
        UTF8: Options.Encoding

class Match(Generic[AnyStr]):
    def start(self) -> int: ...
    def end(self) -> int: ...

class Pattern(Generic[AnyStr]):
    def search(self, text: AnyStr, pos: int = ..., endpos: int = ...) -> Match[AnyStr] | None: ...
    def fullmatch(self, text: AnyStr) -> Match[AnyStr] | None: ...
    def finditer(self, text: AnyStr) -> Iterator[Match[AnyStr]]: ...
    def findall(self, text: AnyStr) -> list[AnyStr]: ...

def compile(pattern: AnyStr, options: Options | None = None) -> Pattern[AnyStr]: ...
def escape(pattern: AnyStr) -> AnyStr: ...
