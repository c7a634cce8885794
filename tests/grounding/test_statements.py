"""The statements of answers, and which citations each rests on."""

from __future__ import annotations

import pytest

from glossator.core.citations import without_citations
from glossator.grounding import statements_of

ANSWER = """## How it works

`foo` opens the file, e.g. `a.txt`. It then calls `bar()` [cite: doc, src/a.py, L1-L3].
The default is 3.5! [cite: doc, src/a.py, L5-L5] [cite: doc, b.py, L1-L2]
More of `x` stands nowhere.

It does three things [cite: doc, c.py, L1-L9]:

- reads `a`
- writes `b` [cite: doc, d.py, L2-L4]
  - and nested `c`.

| name | does |
|---|---|
| `a` | opens [cite: doc, t.py, L1-L1] |
| `b` | closes |

```python
x = 1
```
[cite: doc, t.py, L7-L7]

I did not find `z`. Would you like more?
"""


def test_each_statement_has_its_citations() -> None:
    found = statements_of(ANSWER)
    told = [
        (each.text, [mark.place for mark in each.marks], each.shared, each.is_claim)
        for each in found
    ]
    assert told == [
        ("`foo` opens the file, e.g. `a.txt`.", ["src/a.py:1-3"], True, True),
        ("It then calls `bar()`.", ["src/a.py:1-3"], False, True),
        ("The default is 3.5!", ["src/a.py:5", "b.py:1-2"], False, False),
        ("More of `x` stands nowhere.", [], False, True),
        ("It does three things:", ["c.py:1-9"], False, False),
        ("- reads `a`", ["c.py:1-9"], True, True),
        ("- writes `b`", ["d.py:2-4"], False, True),
        ("- and nested `c`.", ["c.py:1-9"], True, True),
        ("| `a` | opens  |", ["t.py:1"], False, True),
        ("| `b` | closes |", ["t.py:1"], True, True),
        ("```python\nx = 1\n```", ["t.py:7"], False, False),
        ("I did not find `z`.", [], False, False),
        ("Would you like more?", [], False, False),
    ]
    assert [each.is_code for each in found].count(True) == 1
    for each in found:
        assert ANSWER[each.start : each.end].strip()


CITE, OTHER = "[cite: doc, a.py, L1-L2]", "[cite: doc, b.py, L3-L4]"


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        (
            f"`f` opens it {CITE}, and `show` rounds it.",
            [("`f` opens it", 1, True), ("`show` rounds it.", 0, True)],
        ),
        (
            f"`f` opens it {CITE}, but it never closes `g`. It ends. {OTHER}",
            [("`f` opens it", 1, True), ("it never closes `g`.", 0, True), ("It ends.", 1, False)],
        ),
        (
            f"`f` opens it {CITE} and `g` reads it {OTHER}.",
            [("`f` opens it", 1, True), ("`g` reads it.", 1, True)],
        ),
        (
            f"`f` is {CITE}, and it has a {OTHER}, but `g` is b {CITE}, and `h` ends.",
            [
                ("`f` is", 1, True),
                ("it has a", 1, False),
                ("`g` is b", 1, True),
                ("`h` ends.", 0, True),
            ],
        ),
        # no clause of its own, or one of a condition
        (
            f"If `f` is a {CITE} and `g` is b {OTHER}, it ends.",
            [("If `f` is a  and `g` is b, it ends.", 2, True)],
        ),
        (
            f"There is no place where `f` is called {CITE} and `g` is called {OTHER}.",
            [("There is no place where `f` is called  and `g` is called.", 2, True)],
        ),
        (
            f"`f` returns 3 only if `a` is set {CITE} and `b` is empty {OTHER}.",
            [("`f` returns 3 only if `a` is set  and `b` is empty.", 2, True)],
        ),
        (f"`f` opens it {CITE}, which `g` reads.", [("`f` opens it, which `g` reads.", 1, True)]),
        (f"`f` opens it {CITE} and `g`.", [("`f` opens it  and `g`.", 1, True)]),
        (f"`f` {CITE}, and `g` are small.", [("`f`, and `g` are small.", 1, True)]),
        (
            f"`f` opens it {CITE} and reads `g` {OTHER}.",
            [("`f` opens it  and reads `g`.", 2, True)],
        ),
        # a pointer claims nothing
        (f"See {CITE} for `run`.", [("See  for `run`.", 1, False)]),
        ("See `x.go` for details.", [("See `x.go` for details.", 0, False)]),
        ("For the rest, see `x.go`.", [("For the rest, see `x.go`.", 0, False)]),
        ("See `x.go`, where `a` ends.", [("See `x.go`, where `a` ends.", 0, True)]),
        ("`f` sees `x.go`.", [("`f` sees `x.go`.", 0, True)]),
    ],
)
def test_clauses_and_pointers(answer: str, expect: list[tuple[str, int, bool]]) -> None:
    found = statements_of(answer)
    assert [(each.text, len(each.marks), each.is_claim) for each in found] == expect


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        (
            'It is now "A. B. C." instead of "Too many. At most 3." Before, it said "None."',
            ['It is now "A. B. C." instead of "Too many. At most 3."', 'Before, it said "None."'],
        ),
        (
            f'It says "Too many. Try less." {CITE}, which `f` logs. `g` says "No." `h` ends.',
            [
                'It says "Too many. Try less.", which `f` logs.',
                '`g` says "No."',
                "`h` ends.",
            ],
        ),
        (
            "The text (\u201cStop. Wait!\u201d) is shown. \u201eHalt. Ende.\u201c steht in `a`.",
            [
                "The text (\u201cStop. Wait!\u201d) is shown.",
                "\u201eHalt. Ende.\u201c steht in `a`.",
            ],
        ),
        (
            "`f` raises 'Don't. Stop now.' if `a` is set. It ends.",
            ["`f` raises 'Don't. Stop now.' if `a` is set.", "It ends."],
        ),
        # what is no pair
        ("The sign \" ends it. It is 3.5\" wide. The users' files stay. It's `x`.", 4),
        ('It begins with "a. It ends with `b`.', 2),
        (f'`f` says "{CITE}. It ends." {CITE}', 2),
    ],
)
def test_no_sentence_ends_inside_a_quotation(answer: str, expect: list[str] | int) -> None:
    found = [each.text for each in statements_of(answer)]
    assert (len(found) if isinstance(expect, int) else found) == expect


def test_what_explains_a_statement_is_known() -> None:
    answer = f"""`f` opens it. It then reads `g` {CITE}. `h` ends. {CITE}

This closes `g`.

| name | limit |
|---|---|
| `a` | 3 {CITE} |

It does two things:

- they open
- `x` ends
"""
    contexts = {each.text: each.context for each in statements_of(answer) if each.context}
    assert contexts == {
        "It then reads `g`.": "`f` opens it.",
        "This closes `g`.": "`h` ends.",
        "| `a` | 3  |": "| name | limit |",
        "- they open": "It does two things:",
        "- `x` ends": "It does two things:",
    }


LABELLED = f"""# Summary

`f` starts it. {CITE}

## When the disk is full

Nothing is kept. {CITE} It stops. {CITE}

**Locks.** `g` takes two. {CITE} `h` frees one. {CITE} Without it, `k` hangs. {CITE}

**Left out**:

- rows of yesterday {CITE}
- They are old. {CITE}

Every row is sent. {CITE}

## Steps

1. `f` waits. {CITE}
2. It then sends `a`. {CITE}
3. Once empty, it ends. {CITE}

- **Timeouts**: `t` is 3. {CITE} Another is 4. {CITE}

__In tests__

The clock stands. {CITE}
"""


def test_what_stands_under_a_label_or_a_heading_is_led_by_it() -> None:
    found = {each.text: (each.lead, each.context) for each in statements_of(LABELLED)}
    locks = "Locks:"
    assert found == {
        "`f` starts it.": ("", ""),
        "Nothing is kept.": ("When the disk is full:", "When the disk is full:"),
        "It stops.": ("When the disk is full:", "When the disk is full: Nothing is kept."),
        "**Locks.**": ("", ""),
        "`g` takes two.": (locks, locks),
        "`h` frees one.": (locks, locks),
        "Without it, `k` hangs.": (locks, "Locks: `h` frees one."),
        "**Left out**:": ("", ""),
        "- rows of yesterday": ("Left out:", "Left out:"),
        "- They are old.": ("Left out:", "Left out: rows of yesterday"),
        "Every row is sent.": ("", ""),
        "1. `f` waits.": ("", ""),
        "2. It then sends `a`.": ("", "`f` waits."),
        "3. Once empty, it ends.": ("", "`f` waits. It then sends `a`."),
        "- **Timeouts**: `t` is 3.": ("", ""),
        "Another is 4.": ("Timeouts:", "**Timeouts**: `t` is 3."),
        "__In tests__": ("", ""),
        "The clock stands.": ("In tests:", "In tests:"),
    }


FIRST = "`f` moved to `b.py`."


@pytest.mark.parametrize(
    ("said", "explains"),
    [
        # a pronoun further on
        ("`g` calls it twice.", FIRST),
        ("`c.py` imports it from there.", FIRST),
        ("The tests use it, too.", FIRST),
        ("`g` does, too.", FIRST),
        # the whole chain's beginning, and the sentence before
        ("It reads `a`.\n- It was called in `d.py`.", f"{FIRST} It reads `a`."),
        ("It reads `a`. It ends. Its body is `x`.", f"{FIRST} It ends."),
        ("`g` does, too. It ends.", f"{FIRST} `g` does, too."),
        ("Before, the class was `X`. `g` calls it.", f"{FIRST} Before, the class was `X`."),
        # it names what it means itself
        ("`g` closes the file when it fails.", ""),
        ("`h` ends. It waits.", "`h` ends."),
    ],
)
def test_the_last_sentence_that_names_something_explains_one_that_does_not(
    said: str, explains: str
) -> None:
    *_, last = statements_of(f"{FIRST} {CITE}\n\n- {said} {CITE}")
    assert last.context == explains


@pytest.mark.parametrize(
    ("rows", "expect"),
    [
        # each shares the marks of the nearest row that has some
        (
            ["| `a` | 1 |", f"| `b` | 2 {CITE} |", "| `c` | 3 |", f"| `d` | 4 {OTHER} |"],
            ["a.py:1-2", "a.py:1-2", "a.py:1-2", "b.py:3-4"],
        ),
        (["| `a` | 1 |", "| `b` | 2 |"], ["", ""]),
    ],
)
def test_rows_of_a_table_share_marks(rows: list[str], expect: list[str]) -> None:
    table = "\n".join(["| name | is |", "|---|---|", *rows])
    found = statements_of(f"Some text.\n\n{table}\n\nMore of `x`.")
    places = [" ".join(mark.place for mark in each.marks) for each in found]
    assert places == ["", *expect, ""]
    assert [each.shared for each in found[1:-1]] == [
        bool(place) and "[cite" not in row for row, place in zip(rows, expect, strict=True)
    ]


def test_the_sentence_before_a_table_carries_its_rows() -> None:
    table = "| name | is |\n|---|---|\n| `a` | 1 |\n| `b` | 2 |"
    for before in (f"`f` has two. {CITE}", f"`f` has two {CITE}:"):
        found = statements_of(f"{before}\n\n{table}")
        assert [[mark.place for mark in each.marks] for each in found] == [["a.py:1-2"]] * 3
        assert [each.shared for each in found] == [False, True, True]


@pytest.mark.parametrize(
    "text",
    [
        "## How `send` works",
        "**How `send` works**",
        "**`send`**:",
        "- **Limits of `send`**",
        "[`client.py`](client.py)",
        "- [the docs of `send`](https://example.org/send).",
        "<https://example.org/send_all>",
        "- `client.py`",
        "- `client.py`: added the `close` method",
        "- `client.py` \u2014 edited",
        "See also `server.py`.",
        "More information: `docs/client.md`.",
        "1. Run `make test` again.",
        "- Rename `send` to `post`.",
        "- [ ] Extract `encode` from `send`.",
        "Added a docstring to `send`.",
        "- Replaced `open` by `connect` in `client.py`.",
        "Would you like me to change `send`, too?",
        "If you want, `send` can be made asynchronous.",
        "Happy to look at `close`.",
    ],
)
def test_what_is_no_claim(text: str) -> None:
    found = statements_of(f"{text}\n\nIt ends here. {CITE}")
    assert not any(each.is_claim for each in found if not each.marks), found


@pytest.mark.parametrize(
    "text",
    [
        "`send` opens the line.",
        "**`send`** opens the line.",
        "- `client.py`: it opens the line with `send`.",
        "[`send`](client.py) opens the line.",
        "Adding `close` fails.",
        "Setting `limit` to 3 stops it.",
        "`added` is called at the end.",
    ],
)
def test_what_is_a_claim(text: str) -> None:
    found = statements_of(f"{text}\n\nIt ends here. {CITE}")
    assert found[0].is_claim


PLAIN = "Tasks are retried in the retry method. It puts the task back on the queue."


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        (PLAIN, ["Tasks are retried in the retry method.", "It puts the task back on the queue."]),
        (f"Hello! {PLAIN}\n\nShall I go on?", PLAIN.replace(". It", ".|It").split("|")),
        ("- A worker takes each of them.\n- Done.", ["- A worker takes each of them."]),
        ("Thanks for asking!", []),
        ("I could not find it. Which folder is it in?", []),
        ("## Tasks are retried here\n\n**They can be stopped by a user**", []),
        # one that cites something is judged as ever
        (f"{PLAIN}\n\nSo it is. {CITE}", []),
        (f"{PLAIN} [cite: somewhere in the docs]", []),
    ],
)
def test_an_answer_that_cites_nothing_claims_all_that_it_says(
    answer: str, expect: list[str]
) -> None:
    found = statements_of(answer, is_whole=True)
    assert [each.text for each in found if each.is_claim] == expect
    if "[cite" not in answer:  # while it streams, marks may follow
        assert not any(each.is_claim for each in statements_of(answer))


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        (f"It opens {CITE}, {OTHER}.", "It opens."),
        (f"It opens {CITE} and {OTHER}.", "It opens."),
        (f"It opens {CITE}; {OTHER}, {CITE}.", "It opens."),
        (f"It opens, {CITE}, {OTHER}, and ends.", "It opens, and ends."),
        (f"It opens. {CITE}, {OTHER}", "It opens."),
        (f"It opens ({CITE}, {OTHER}).", "It opens."),
    ],
)
def test_a_list_of_marks_leaves_no_commas_behind(answer: str, expect: str) -> None:
    assert [each.text for each in statements_of(answer)] == [expect]
    assert without_citations(answer).rstrip() == expect
