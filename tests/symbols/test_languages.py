"""The expected outline of a small source in each language."""

from __future__ import annotations

import pytest

from glossator.core.file_kinds import language_of
from glossator.symbols.outline import outline

PYTHON = '''\
LIMIT = 3
@decorate
# why
class Shelf(Base):
    """Books in order.

    More.
    """
    @property
    def size(self) -> int:
        # remark
        "How many."
async def load(path: str,  # from here
               mode="r"): pass
if LIMIT:
    keep = load; RATE = 1
elif other: keep = None
else:
    if LIMIT: deep = 1
    def inner(): local = 1
try:
    import fast
except ImportError: fast = None
else: quick = 1
'''
JAVASCRIPT = """\
/** Adds. @ignored
 */
export function add(a, b) { function inner() {} }
export const twice = (x) => x * 2;
const api = { get() {} };
Old.prototype.run = function () {};
class View { #draw = () => 1; render() { return <p>hi</p>; } }
"""
TYPESCRIPT = """\
@Component()
export class Store<T> { @Input() find(key: string): T {} }
// How it looks.
export interface Shape { area(): number }
type Id = string; enum Side { Left }
declare module "lib" { function go(): void; }
"""
GO = """\
const ( A = 1
  B, C = 2, 3 )
// Stack is a stack.
type Stack[T any] struct { items []T }
type Reader interface { Read(p []byte) error }
// Push adds.
func (s *Stack[T]) Push(x T) { }
"""
RUST = """\
//! The crate.
/// A point.
#[derive(Debug)]
pub struct Point { x: u8 }
impl fmt::Display for Point { fn fmt(&self) {} }
trait Area { fn area(&self) -> f64; }
mod m { const K: u8 = 1; fn f() { const L: u8 = 2; } }
"""
RUST_MACROS = """\
cfg_if::cfg_if! {
    if #[cfg(unix)] {
        /// Opens it.
        #[inline]
        pub fn open(path: &str) -> File { imp::open(path) }
        impl Handle { fn close(&self) {} }
    } else {
        mod other;
    }
}
mod m { bitflags! { pub struct Flags: u32 { const A = 1; } } }
macro_rules! make {
    ($n:ident) => { pub fn $n() {} fn fixed() -> u8 { 2 } };
}
fn main() { println!("fn none() {}"); select! { fn local() {} } }
"""
C = """\
#define MAX(a, b) a
/* A pair. */
typedef struct { int a; } Pair;
typedef struct node_ { int a; } Node;
static const char *names[] = {"a"};
char *copy(const char *s);
int main(void) { int local = 1; return local; }
"""
CPP = """\
namespace a::b {
template <class T> class Box : Base { Box(); ~Box() {} T &get() const; };
}
void a::b::Box::put(int x) {}
extern "C" int plain(void) { return 1; }
using Id = int;
"""
JAVA = """\
/** A shelf. */
@Deprecated
public class Shelf<T> { static final int MAX = 1;
  @Override public int size() { return 1; } Shelf() {} }
record Pair(int a) {} interface Sized { int size(); }
"""
MARKDOWN = """\
---
title: x
---
# One #
```
# not
```
Two
lines
---
### Three
# Four
"""

EXPECTED = {
    ("python", PYTHON): """\
1-1 constant LIMIT | LIMIT = 3 |
2-12 class Shelf | class Shelf(Base) | Books in order.
9-12 method Shelf.size | def size(self) -> int | How many.
13-14 function load | async def load(path: str, mode="r") |
16-16 variable keep | keep = load |
16-16 constant RATE | RATE = 1 |
17-17 variable keep | keep = None |
20-20 function inner | def inner() |
24-24 variable quick | quick = 1 |""",
    ("javascript", JAVASCRIPT): """\
3-3 function add | export function add(a, b) | Adds. @ignored
3-3 function add.inner | function inner() |
4-4 function twice | export const twice = (x) => |
5-5 constant api | const api |
5-5 method api.get | get() |
6-6 method Old.run | Old.prototype.run = function () |
7-7 class View | class View |
7-7 method View.#draw | #draw = () => |
7-7 method View.render | render() |""",
    ("typescript", TYPESCRIPT): """\
1-2 class Store | export class Store<T> |
2-2 method Store.find | find(key: string): T |
4-4 interface Shape | export interface Shape | How it looks.
4-4 method Shape.area | area(): number |
5-5 type Id | type Id = string |
5-5 enum Side | enum Side |
6-6 module lib | declare module "lib" |
6-6 function lib.go | function go(): void |""",
    ("go", GO): """\
1-1 constant A | A = 1 |
2-2 constant B | B, C = 2, 3 |
2-2 constant C | B, C = 2, 3 |
4-4 struct Stack | type Stack[T any] struct | Stack is a stack.
5-5 interface Reader | type Reader interface |
5-5 method Reader.Read | Read(p []byte) error |
7-7 method Stack.Push | func (s *Stack[T]) Push(x T) | Push adds.""",
    ("rust", RUST): """\
3-4 struct Point | pub struct Point | A point.
5-5 impl Point | impl fmt::Display for Point |
5-5 method Point.fmt | fn fmt(&self) |
6-6 trait Area | trait Area |
6-6 method Area.area | fn area(&self) -> f64 |
7-7 module m | mod m |
7-7 constant m.K | const K: u8 = 1 |
7-7 function m.f | fn f() |""",
    ("rust", RUST_MACROS): """\
4-5 function open | pub fn open(path: &str) -> File | Opens it.
6-6 impl Handle | impl Handle |
6-6 method Handle.close | fn close(&self) |
8-8 module other | mod other |
11-11 module m | mod m |
11-11 struct m.Flags | pub struct Flags: u32 { const A = 1 |
12-14 macro make | macro_rules! make { ($n:ident) => { pub fn $n() {} fn fixed() -> u8 { 2 } }; } |
13-13 function fixed | fn fixed() -> u8 |
15-15 function main | fn main() |""",
    ("c", C): """\
1-1 macro MAX | #define MAX(a, b) a |
3-3 struct Pair | typedef struct | A pair.
4-4 type Node | typedef struct node_ { int a; } Node |
4-4 struct node_ | struct node_ |
5-5 variable names | static const char *names[] = {"a"} |
6-6 function copy | char *copy(const char *s) |
7-7 function main | int main(void) |""",
    ("cpp", CPP): """\
1-3 namespace a::b | namespace a::b |
2-2 class a.b.Box | template <class T> class Box : Base |
2-2 method a.b.Box.Box | Box() |
2-2 method a.b.Box.~Box | ~Box() |
2-2 method a.b.Box.get | T &get() const |
4-4 method a.b.Box.put | void a::b::Box::put(int x) |
5-5 function plain | extern "C" int plain(void) |
6-6 type Id | using Id = int |""",
    ("java", JAVA): """\
2-4 class Shelf | public class Shelf<T> | A shelf.
3-3 constant Shelf.MAX | static final int MAX = 1 |
4-4 method Shelf.size | public int size() |
4-4 method Shelf.Shelf | Shelf() |
5-5 class Pair | record Pair(int a) |
5-5 interface Sized | interface Sized |
5-5 method Sized.size | int size() |""",
    ("markdown", MARKDOWN): """\
4-11 heading One | # One |
8-11 heading One.Two lines | ## Two lines |
11-11 heading One.Two lines.Three | ### Three |
12-12 heading Four | # Four |""",
}


@pytest.mark.parametrize(("source", "expected"), EXPECTED.items(), ids=lambda part: part[0])
def test_outline(source: tuple[str, str], expected: str) -> None:
    language, text = source
    shown = [
        f"{s.first_line}-{s.last_line} {s.kind} {'.'.join((*s.container, s.name))}"
        f" | {s.signature} | {s.documentation}".rstrip()
        for s in outline(text, language)
    ]
    assert "\n".join(shown) == expected
    lines = text.split("\n")
    for symbol in outline(text, language):
        word = symbol.name.partition(" ")[0]  # a heading may take two lines
        assert lines[symbol.name_line - 1].startswith(word, symbol.name_column), symbol


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.PY", "python"), ("x.jsx", "javascript"), ("x.d.ts", "typescript"), ("x.tsx", "tsx"),
        ("x.h", "cpp"), ("x.c", "c"), ("C:\\x\\README.md", "markdown"), ("SConstruct", "python"),
        ("a.cs", "csharp"), ("Rakefile", "ruby"), ("x.php", "php"), (".bashrc", "bash"),
        ("package.json", "json"), ("a.yml", "yaml"), ("Cargo.toml", "toml"),
        (".py", None), ("py", None), ("a.py/data", None), ("x.txt", None), ("", None),
    ],
)  # fmt: skip
def test_language_of(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.h", "int f(void);\n", "c"),
        ("a.h", '#ifdef __cplusplus\nextern "C" {\n#endif\nstruct class_info;\n', "c"),
        ("a.h", "#include <stdio.h>\n/* a::b is in x.cc */ int class;\n", "cpp"),
        ("a.h", "  class Box : public Base {\n", "cpp"),
        ("a.h", "#include <vector>\n", "cpp"),
        ("a.h", "template<class T>\nvoid f();\n", "cpp"),
        ("a.h", "namespace a {\n", "cpp"),
        ("run", "#!/usr/bin/env -S python3.11 -u\n", "python"),
        ("run", "#!/bin/sh -e\n", "bash"),
        ("run", "#! /usr/bin/env node\n", "javascript"),
        ("run", "#!/usr/bin/perl\n", None),
        ("run", "plain", None),
        ("run.txt", "#!/bin/sh\n", None),
        ("a.py", "#!/bin/sh\n", "python"),
    ],
)
def test_the_text_decides_where_the_name_does_not(
    path: str, text: str, language: str | None
) -> None:
    assert language_of(path, text) == language
