"""Which lines are code, and which only comments, docstrings or imports."""

from __future__ import annotations

import pytest

from glossator.core.code_lines import code_lines, comment_lines, import_lines

# Before each line: `#` a comment, `i` an import, `c` code, ` ` neither.
CASES = {
    "string.py": """\
i import re
# # why
c sql = \"\"\"
c     SELECT *
c     # no comment
  \"\"\"
c run(sql)
""",
    "argument.py": """\
c run(
  \"\"\"
c     SELECT 1
  \"\"\"
  )
c def run(sql):
#     \"\"\"Runs it.
#
#     At once.
#     \"\"\"
c     return f\"\"\"{sql}
c     LIMIT 1\"\"\"
""",
    "within.py": """\
# The end of a docstring.
#
#     \"\"\"
c run(1)
# # uses \"\"\"
c     *args,
c QUOTES = ('\"\"\"', "'''")
# # the end
""",
    "ends.py": """\
# The end of
# a docstring.\"\"\"
c run(1)
""",
    "module.py": """\
# r\"\"\"Says
# much.\"\"\"
i from a import (
i     b,
i )
c x = 1
""",
    "Text.java": """\
i import java.util.List;
# /** Says
#  * much.
# more */
c String text = \"\"\"
c     SELECT 1
  \"\"\";
c run(text);
""",
    "Files.cs": """\
i using System;
c using (var file = Open(path)) {
c     Read(file);
  }
c using var other = Open(path);
c #region Reading
""",
    "pointer.c": """\
i #include <stdio.h>
c #define LENGTH 3
# /* Sets
#    it. */
#  * more
#  */
c *p = 3;
""",
    "private.ts": """\
i import {
i   a,
i } from "a";
i export * from "b";
c import("c").then((c) => {
c   c.run();
  });
c #count = 0;
c #inc() {
c   this.#count++;
  }
""",
    "use.rs": """\
i use std::{
i     fmt,
i };
c #[derive(Debug)]
# // why
c struct A;
""",
    "open.php": """\
# # why
c #[Route("/")]
# // and
c run();
""",
    "run.sh": """\
# # why
c /*/run
""",
    "notes.md": """\
c # Title
""",
}


@pytest.mark.parametrize("path", CASES)
def test_lines(path: str) -> None:
    marks, lines = zip(
        *((line[:1], line[2:]) for line in CASES[path].split("\n")[:-1]), strict=True
    )
    comments, imports = comment_lines(path, lines), import_lines(lines)
    code = code_lines(path, lines)
    found = [
        "#" if comment else "i" if imported else "c" if does else " "
        for comment, imported, does in zip(comments, imports, code, strict=True)
    ]
    assert [*zip(found, lines, strict=True)] == [*zip(marks, lines, strict=True)]
