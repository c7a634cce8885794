"""Where names are used, and what texts import, in each language."""

from __future__ import annotations

import io
import keyword
import random
import tokenize
from pathlib import Path

import pytest

from glossator.symbols.imports import Import, imports
from glossator.symbols.references import is_name, references

SEED = 7


def _language(part: object) -> str:
    """What a test case is called."""
    return str(part[0]) if isinstance(part, tuple) else ""


PYTHON = '''\
from ..pack import (load as read, size)
class Box(load):
    @load
    def fill(self, load=size):  # load
        """load"""
        return self.load(f"{load(1)} load"), reload, load.x
def load(): pass
'''
ECMASCRIPT = """\
import { Box as B } from "./box"; export { Box } from './box';
/* Box */ function Box() { return "Box" + `${Box(1)}`; }
class Old extends Box { make() { return new ui.Box(); } }
const el = <Box a={Box}><i/></Box>; const { Box } = { Box };
"""
TYPESCRIPT = """\
import type { Id } from "./id"; let a: Id = Id<string>(1)!; x!.Id!(); export class Id<T> {}
"""
GO = """\
package run
import run "a/run"
// run
func (s *T) run() { go run(run.Sum("run")); run[int](1); s.run() }
"""
RUST = """\
use a::{go, b::go as c};
fn go() { x::go::<u8>(1); println!("go {}", go(2)); self.go(); go; go!(3) }
"""
C = """\
#include "max.h"
#define TWICE(x) max(x) + "max" /* max */
int max(int a) { return p->max(a) + (max)(a) + sizeof(max); }
"""
CPP = """\
using std::swap;
template <class T> void Box<T>::swap() { a::swap<int>(1); x->swap(); new swap(2); }
"""
JAVA = """\
import a.Box; import static a.Util.Box;
@Box class Box extends a.Box { Box() { new Box<T>(1); Box(); a.Box(2); Box::run; } }
"""
CSHARP = """\
using Box = A.Box;
[Box] class Box : IBox { Box() { Box<int>(1); this.Box(); a?.Box(); new A.Box(); nameof(Box); } }
"""
RUBY = """\
class Box < Base
  def box; Box.new.box(:box) { box }; "#{Box} box"; Box::Inner; x.Box(1); end
end
"""
PHP = """\
<?php
use A\\Box;
class Box extends \\B\\Box { function box() { new Box(1); $this->Box(); Box::Box(); "Box $Box"; } }
"""
BASH = """\
box() { local box=1; echo "$box" box $(box 1); }
box | ./box # box
"""

USES = {
    ("python", PYTHON, "load"): """\
1:20 import
2:10 reference Box
3:5 call Box.fill
4:19 reference Box.fill
6:20 call Box.fill
6:28 call Box.fill
6:53 reference Box.fill
7:4 definition""",
    ("tsx", ECMASCRIPT, "Box"): """\
1:9 import
1:43 import
2:19 definition
2:45 call Box
3:18 reference Old
3:47 call Old.make
4:12 call el
4:19 reference el
4:30 reference el
4:44 reference
4:54 reference""",
    ("typescript", TYPESCRIPT, "Id"): """\
1:14 import
1:39 reference a
1:44 call a
1:63 call
1:83 definition""",
    ("go", GO, "run"): """\
1:8 reference
2:7 import
4:12 definition T
4:23 call T.run
4:27 reference T.run
4:44 call T.run
4:59 call T.run""",
    ("rust", RUST, "go"): """\
1:8 import
1:15 import
2:3 definition
2:13 call go
2:44 call go
2:57 call go
2:63 reference go
2:67 call go""",
    ("c", C, "max"): """\
2:17 call TWICE
3:4 definition
3:27 call max
3:37 call max
3:54 reference max""",
    ("cpp", CPP, "swap"): """\
1:11 import
2:32 definition Box
2:44 call Box.swap
2:61 call Box.swap
2:73 call Box.swap""",
    ("java", JAVA, "Box"): """\
1:9 import
1:35 import
2:1 reference Box
2:11 definition
2:25 reference Box
2:31 definition Box
2:43 call Box.Box
2:54 call Box.Box
2:63 call Box.Box
2:71 reference Box.Box""",
    ("csharp", CSHARP, "Box"): """\
1:6 import
1:14 import
2:1 reference Box
2:12 definition
2:25 definition Box
2:33 call Box.Box
2:51 call Box.Box
2:61 call Box.Box
2:74 call Box.Box
2:88 reference Box.Box""",
    ("ruby", RUBY, "box"): """\
2:6 definition Box
2:19 call Box.box
2:24 reference Box.box
2:31 reference Box.box""",
    ("ruby", RUBY, "Box"): """\
1:6 definition
2:11 call Box.box
2:41 reference Box.box
2:52 reference Box.box
2:66 call Box.box""",
    ("php", PHP, "Box"): """\
2:6 import
3:6 definition
3:21 reference Box
3:48 call Box.box
3:63 call Box.box
3:70 reference Box.box
3:75 call Box.box
3:88 reference Box.box""",
    ("bash", BASH, "box"): """\
1:0 definition
1:14 reference box
1:28 reference box
1:33 reference box
1:39 call box
2:0 call""",
}


@pytest.mark.parametrize(
    ("source", "expected"),
    USES.items(),
    ids=lambda part: part[0] if isinstance(part, tuple) else "",
)
def test_references(source: tuple[str, str, str], expected: str) -> None:
    language, text, name = source
    found = references(text, language, name)
    shown = [f"{r.line}:{r.start} {r.kind} {'.'.join(r.within)}".rstrip() for r in found]
    assert "\n".join(shown) == expected
    lines = text.splitlines()
    assert {lines[r.line - 1][r.start : r.end] for r in found} == {name}


@pytest.mark.parametrize(
    ("language", "text", "name", "expected"),
    [
        (
            "rust",
            "fn r#type() {}\nfn f() { r#type(); m::r#type() }",
            "type",
            "definition call call",
        ),
        ("tsx", "class A { #go() { this.#go(); } }", "go", "definition call"),
        (
            "rust",
            "macro_rules! log { () => {} }\nfn f() { log!(); x.log }",
            "log!",
            "definition call reference",
        ),
        ("ruby", "def save!; end\nsave!\nsave", "save!", "definition call reference"),
        ("ruby", "def save!; end\nsave!\nsave", "save", "reference"),
        ("typescript", "export { go };\nexport { go as on };", "go", "import import"),
        ("typescript", "export default go;\nexport = go;", "go", "import import"),
        ("typescript", "export const a = go;\nexport default go();", "go", "reference call"),
        ("javascript", "module.exports = { go };\nmodule.exports = go;", "go", "import import"),
        ("javascript", "exports.a = go;\nexportsOf.a = go;", "go", "import reference"),
    ],
)
def test_what_stands_around_a_name(language: str, text: str, name: str, expected: str) -> None:
    assert " ".join(use.kind for use in references(text, language, name)) == expected


@pytest.mark.parametrize(
    ("language", "text", "held"),
    [
        ("typescript", "function f() { const { a, b } = go(); }", "f a b"),
        ("typescript", "f({ run: async () => { await go(); } })", "run"),
        ("typescript", "this.on.open = () => go();", "this on open"),
        ("typescript", "run(() => go());", ""),
        ("python", "hooks['run'] = lambda: go()", "hooks run"),
        ("python", "f(x, run=lambda: go())", "run"),
    ],
)
def test_what_holds_a_use(language: str, text: str, held: str) -> None:
    (use,) = references(text, language, "go")
    assert use.held == set(held.split())


IMPORTS = {
    ("python", "import a.b as c, d\nfrom . import x\nfrom ..y import (m as n,\n  o)\n"): """\
1 a.b
1 d
2 . x
3 ..y m o""",
    ("python", "from __future__ import annotations\ndef f():\n  from z import *\n"): """\
1 __future__ annotations
3 z *""",
    (
        "javascript",
        "import d, {a as b, 'c' as e} from 'x'\nimport * as n from 'y'; import 's'",
    ): """\
1 x default a c
2 y *
2 s""",
    (
        "javascript",
        "export {q as r} from 'q'; export * from 'p'\nexport let z = require(`z`)",
    ): """\
1 q q
1 p *""",
    (
        "tsx",
        "import fs = require('fs'); import type {T} from 't'\nimport('d'); f('x', require)",
    ): """\
1 fs
1 t T
2 d""",
    ("go", 'import "fmt"\nimport (\n  x "a/b"\n  . "c"\n)'): "1 fmt\n3 a/b\n4 c",
    ("rust", "use a::b::{self, c, d as e, f::{g, h}, k::*};\nextern crate x; pub use r::s;"): """\
1 a::b self c d
1 a::b::f g h
1 a::b::k *
2 x
2 r s""",
    ("rust", "use {a::b, c}; use crate::d as e; use f::*;"): "1 a b\n1 c\n1 crate d\n1 f *",
    ("c", '#include "a.h"\n#  include <sys/b.h>\n'): "1 a.h\n2 sys/b.h",
    ("java", "import a.b.C;\nimport static a.B.c;\nimport a.b.*;"): "1 a.b C\n2 a.B c\n3 a.b *",
    ("csharp", "using A.B;\nusing static C.D;\nglobal using E = F.G;\n"): "1 A.B\n2 C.D\n3 F.G",
    ("ruby", "require 'a'\nrequire_relative './b'\nautoload :C, 'c'\nx.require 'd'"): """\
1 a
2 ./b
3 c C""",
    (
        "php",
        "<?php\nuse A\\B as C, D;\nuse function E\\{f, g as h};\nrequire D . '/i.php';",
    ): """\
2 A B
2 D
3 E f
3 E g
4 /i.php""",
    ("bash", 'source ./a.sh\n. "$DIR/b.sh"\necho . c\n'): "1 ./a.sh\n2 $DIR/b.sh",
    ("markdown", "import a"): "",
    ("json", '{"import": "a"}'): "",
}


@pytest.mark.parametrize(
    ("source", "expected"),
    IMPORTS.items(),
    ids=lambda part: part[0] if isinstance(part, tuple) else "",
)
def test_imports(source: tuple[str, str], expected: str) -> None:
    language, text = source
    shown = [f"{i.line} {i.module} {' '.join(i.names)}".rstrip() for i in imports(text, language)]
    assert "\n".join(shown) == expected


def test_columns_are_characters_and_lines_those_of_lsp() -> None:
    (use,) = references("\ufeffä = 1\r\n'\U0001d4b3\u2028'; größe(1)\rb\r", "python", "größe")
    assert (use.line, use.start, use.end, use.kind) == (2, 6, 11, "call")


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("f = 1", "python", ""),
        ("ff f_ éf", "python", "f"),
        ("f", "markdown", "f"),
        ('{"f": 1}', "json", "f"),
        ("a.b", "python", "a.b"),
    ],
)
def test_no_references(text: str, language: str, name: str) -> None:
    assert references(text, language, name) == ()


def test_an_unknown_language_has_nothing() -> None:
    assert references("f", "cobol", "f") == ()
    assert imports("f", "cobol") == ()


def test_python_references_are_its_name_tokens() -> None:
    files = sorted(Path(tokenize.__file__).parent.glob("*.py"))
    for path in random.Random(SEED).sample(files, 15):
        text = path.read_text("utf-8")
        names: dict[str, set[tuple[int, int]]] = {}
        formatted = []  # f-strings, each a single token in Python 3.11
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                names.setdefault(token.string, set()).add(token.start)
            elif token.type == tokenize.STRING and "f" in token.string[:2].lower():
                formatted.append((token.start, token.end))
        for name in random.Random(SEED).sample(sorted(names), min(10, len(names))):
            found = {(use.line, use.start) for use in references(text, "python", name)}
            inside = {at for at in found if any(start < at < end for start, end in formatted)}
            assert found - inside == names[name], f"{path.name} {name}, seed {SEED}"


def test_an_import_is_a_plain_value() -> None:
    assert imports("import a", "python") == (Import("a", (), 1),)


@pytest.mark.parametrize(
    ("language", "text", "is_one"),
    [
        ("python", "é = @load(1)", True),
        ("python", "x = f'{@load}'", True),
        ("python", "x = '@load'", False),
        ("python", "# é @load", False),
        ("python", "@return 1", False),
        ("typescript", "@const a = 1", False),
        ("typescript", "const @load = 1", True),
        ("ruby", "x = :@load", True),
        ("c", "#define TWICE(x) @max(x)", True),
        ("c", "/* @max */ int a;", False),
        ("json", '{"@load": 1}', False),
    ],
)
def test_what_is_a_name_of_code(language: str, text: str, is_one: bool) -> None:
    before, _, after = text.partition("@")
    assert is_name(before + after, language, len(before)) is is_one
