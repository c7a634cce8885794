"""The expected outline of a small source in each of the later languages, and of data files."""

from __future__ import annotations

import pytest

from glossator.symbols.outline import outline

CSHARP = """\
using System;
namespace Shop.Core;
/// <summary>A <see cref="Book"/> shelf.</summary>
/// <param name="x">no</param>
[Serializable]
public sealed class Shelf<T> : Base, IShelf where T : class {
  public const int Max = 3; static readonly int[] Sizes = {1}; private int x;
  public event EventHandler Changed;
  [Key] public int Size { get; set; }
  public int Twice => Size * 2;
  public Shelf(int a) : base(a) { }
  // Loads.
  public async Task<int> Load<U>(string p) where U : new() => await p.Read();
  public int this[int i] => i;
  void IShelf.Put() { void Local() {} }
}
public record Pair(int A); enum Side { Left }
delegate void Callback(int x);
struct S {} interface I { void M(); }
"""
RUBY = """\
#!/usr/bin/env ruby
# A shelf.
#
# More.
class Shop::Shelf < Base
  LIMIT = 3
  attr_accessor :name, :size
  def initialize(a, b: 1) = nil
  def self.make(x)
    new(x)
  end
  class << self
    def two; end
  end
  # Names.
  def name=(v); end
  private def hidden; end
end
module M; def in; 1; end end
=begin
Block.
=end
def top; end
"""
PHP = """\
<?php
namespace App\\Models;
const TOP = 1;
/**
 * A shelf.
 * @property int $x
 */
#[Entity]
final class Shelf extends Base implements I {
  const MAX = 1, MIN = 2; public int $x = 1;
  public function __construct(private int $a) { }
  public static function make(): self {}
}
interface I { public function m(); } trait T { function t() {} }
enum Suit: string { case A = 'a'; const X = 1; }
# Top.
function top(int $x): int { return fn($q) => $q; }
"""
BASH = """\
#!/bin/bash
set -e
NAME=1
readonly LIMIT=3
declare -a ARR=(1)

# Runs.
run() {
  local x=1
}
function go { run; }
"""
JSON = """\
{"name": "x", "scripts": {
   "build": "tsc -p .", "deep": {"a": {"b": 1}}},
 "files": [{"c": 2}], "": 1}
"""
YAML = """\
# top
on: [push]
"jobs":
  # Build it.
  build:
    runs-on: x
    steps:
      - name: a
        run: |
          x
  {a: b}: 3
flow: {a: {b: 1}}

---
second: &x
  k: *y
"""
TOML = """\
top = 1
a.b = 2
# Tool.
[tool.ruff]
line = 1
"q x" = {a = 1}

[[tool.mypy.overrides]]
list = [
 1,
]
"""

EXPECTED = {
    ("csharp", CSHARP): """\
2-2 namespace Shop.Core | namespace Shop.Core |
5-16 class Shop.Core.Shelf | public sealed class Shelf<T> : Base, IShelf where T : class\
 | A Book shelf.
7-7 constant Shop.Core.Shelf.Max | public const int Max = 3 |
7-7 constant Shop.Core.Shelf.Sizes | static readonly int[] Sizes = {1} |
8-8 property Shop.Core.Shelf.Changed | public event EventHandler Changed |
9-9 property Shop.Core.Shelf.Size | public int Size |
10-10 property Shop.Core.Shelf.Twice | public int Twice |
11-11 method Shop.Core.Shelf.Shelf | public Shelf(int a) : base(a) |
13-13 method Shop.Core.Shelf.Load | public async Task<int> Load<U>(string p) where U : new()\
 | Loads.
14-14 property Shop.Core.Shelf.this | public int this[int i] |
15-15 method Shop.Core.Shelf.Put | void IShelf.Put() |
15-15 function Shop.Core.Shelf.Put.Local | void Local() |
17-17 class Shop.Core.Pair | public record Pair(int A) |
17-17 enum Shop.Core.Side | enum Side |
18-18 type Shop.Core.Callback | delegate void Callback(int x) |
19-19 struct Shop.Core.S | struct S |
19-19 interface Shop.Core.I | interface I |
19-19 method Shop.Core.I.M | void M() |""",
    ("ruby", RUBY): """\
5-18 class Shop.Shelf | class Shop::Shelf < Base | A shelf.
6-6 constant Shop.Shelf.LIMIT | LIMIT = 3 |
7-7 property Shop.Shelf.name | attr_accessor :name, :size |
7-7 property Shop.Shelf.size | attr_accessor :name, :size |
8-8 method Shop.Shelf.initialize | def initialize(a, b: 1) |
9-11 method Shop.Shelf.make | def self.make(x) |
13-13 method Shop.Shelf.two | def two |
16-16 method Shop.Shelf.name= | def name=(v) | Names.
17-17 method Shop.Shelf.hidden | def hidden |
19-19 module M | module M |
19-19 method M.in | def in |
23-23 function top | def top | Block.""",
    ("php", PHP): """\
2-2 namespace App\\Models | namespace App\\Models |
3-3 constant App\\Models.TOP | const TOP = 1 |
8-13 class App\\Models.Shelf | final class Shelf extends Base implements I | A shelf.
10-10 constant App\\Models.Shelf.MAX | const MAX = 1, MIN = 2 |
10-10 constant App\\Models.Shelf.MIN | const MAX = 1, MIN = 2 |
11-11 method App\\Models.Shelf.__construct | public function __construct(private int $a) |
12-12 method App\\Models.Shelf.make | public static function make(): self |
14-14 interface App\\Models.I | interface I |
14-14 method App\\Models.I.m | public function m() |
14-14 trait App\\Models.T | trait T |
14-14 method App\\Models.T.t | function t() |
15-15 enum App\\Models.Suit | enum Suit: string |
15-15 constant App\\Models.Suit.X | const X = 1 |
17-17 function App\\Models.top | function top(int $x): int | Top.""",
    ("bash", BASH): """\
3-3 variable NAME | NAME=1 |
4-4 constant LIMIT | readonly LIMIT=3 |
5-5 variable ARR | declare -a ARR=(1) |
8-10 function run | run() | Runs.
11-11 function go | function go |""",
    ("json", JSON): """\
1-1 key name | "name": "x" |
1-2 key scripts | "scripts" |
2-2 key scripts.build | "build": "tsc -p ." |
2-2 key scripts.deep | "deep": {"a": {"b": 1}} |
2-2 key scripts.deep.a | "a": {"b": 1} |
3-3 key files | "files": [{"c": 2}] |""",
    ("yaml", YAML): """\
2-2 key on | on: [push] | top
3-11 key jobs | "jobs" |
5-10 key jobs.build | build | Build it.
6-6 key jobs.build.runs-on | runs-on: x |
7-10 key jobs.build.steps | steps |
12-12 key flow | flow: {a: {b: 1}} |
12-12 key flow.a | a: {b: 1} |
12-12 key flow.a.b | b: 1 |
15-16 key second | second |
16-16 key second.k | k: *y |""",
    ("toml", TOML): """\
1-1 key top | top = 1 |
2-2 key a.b | a.b = 2 |
4-6 key tool.ruff | [tool.ruff] | Tool.
5-5 key tool.ruff.line | line = 1 |
6-6 key tool.ruff.q x | "q x" = {a = 1} |
6-6 key tool.ruff.q x.a | a = 1 |
8-11 key tool.mypy.overrides | [[tool.mypy.overrides]] |
9-11 key tool.mypy.overrides.list | list |""",
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


def test_two_namespaces_in_one_file_do_not_nest() -> None:
    found = outline("<?php\nnamespace A;\nclass X {}\nnamespace B;\nclass Y {}\n", "php")
    assert [(*s.container, s.name) for s in found] == [("A",), ("A", "X"), ("B",), ("B", "Y")]


@pytest.mark.parametrize(
    ("tops", "inner", "kept"),
    [(10, 10, 10 + 10 + 100), (20, 30, 20 + 20), (600, 1, 500)],
)
def test_a_large_data_file_shows_the_levels_that_fit(tops: int, inner: int, kept: int) -> None:
    leaves = "".join(f"    c{n}: 1\n" for n in range(inner))
    text = "".join(f"a{n}:\n  b:\n{leaves}" for n in range(tops))
    assert len(outline(text, "yaml")) == kept
