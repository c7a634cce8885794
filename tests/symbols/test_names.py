"""Names as they are asked for, and which files an import may mean."""

from __future__ import annotations

import pytest

from glossator.core.errors import UsageError
from glossator.symbols.candidates import module_ends, module_of
from glossator.symbols.find import Name
from glossator.symbols.imports import Import
from glossator.symbols.symbol import Symbol


@pytest.mark.parametrize(
    ("asked", "last", "scope"),
    [
        ("swim", "swim", ()),
        (" swim() ", "swim", ()),
        ("Fish.swim", "swim", ("Fish",)),
        ("zoo::Fish::swim", "swim", ("zoo", "Fish")),
        ("this->swim", "swim", ("this",)),
        ("Fish#swim", "swim", ("Fish",)),
        ("#swim", "swim", ()),
        ("größe", "größe", ()),
        ("Getting  started", "Getting started", ()),
        ("log!", "log", ()),
        ('log!("x")', "log", ()),
        ("swim(3)", "swim", ()),
        ("swim(at(3), 4)", "swim", ()),
        ("Tank<T>", "Tank", ()),
        ("Tank<Vec<T>, U>::fill(f(1), 2)", "fill", ("Tank",)),
        ("Tank::fill::<T>()", "fill", ("Tank",)),
        ("fish(a).swim()", "swim", ("fish",)),
        ("#priv", "priv", ()),
        ("zoo::r#type", "type", ("zoo",)),
        ("Fish::operator()(3)", "operator()", ("Fish",)),
        ("operator<=>", "operator<=>", ()),
        ("operator<", "operator<", ()),
    ],
)
def test_parts(asked: str, last: str, scope: tuple[str, ...]) -> None:
    name = Name.parse(asked)
    assert (name.last, name.scope) == (last, scope)


@pytest.mark.parametrize("asked", ["", "  ", "()", "::", "a.?", "!", ">", "(", "x" * 301])
def test_no_names(asked: str) -> None:
    with pytest.raises(UsageError, match=r"is no name of a symbol\.\nGive an identifier"):
        Name.parse(asked)


@pytest.mark.parametrize(
    ("asked", "path", "fits"),
    [
        ("swim", "/w/zoo/fish.py", True),
        ("Fish.swim", "/w/zoo/fish.py", True),
        ("fish.Fish.swim", "/w/zoo/fish.py", True),
        ("zoo.fish.Fish.swim", "/w/zoo/fish.py", True),
        ("zoo.Fish.swim", "/w/zoo/fish.py", True),  # a package, whatever the file
        ("Bird.swim", "/w/zoo/fish.py", False),
        ("fish.swim", "/w/zoo/fish.py", False),  # the class is left out
        ("Swim", "/w/zoo/fish.py", False),
        ("a.b.c.d.e.f.swim", "swim.py", False),
    ],
)
def test_fits(asked: str, path: str, fits: bool) -> None:
    symbol = Symbol("swim", "method", "", "", ("Fish",), 1, 1, 1, 8)
    assert Name.parse(asked).fits(symbol, path) is fits


def test_a_name_with_dots_of_its_own() -> None:
    heading = Symbol("3.1 Water", "heading", "", "", (), 1, 1, 1, 3)
    assert Name.parse("3.1 Water").fits(heading, "/w/a.md")
    private = Symbol("#x", "method", "", "", ("A",), 1, 1, 1, 2)
    assert Name.parse("A.x").fits(private, "/w/a.js")
    assert Name.parse("A.#x").fits(private, "/w/a.js")


@pytest.mark.parametrize(
    ("asked", "symbol", "fits"),
    [
        ("log!", "log", True),  # a macro of Rust
        ("save!", "save!", True),  # a method of Ruby
        ("save", "save!", False),
        ("r#type", "r#type", True),
        ("type", "r#type", True),
        ("Water (deep)", "Water (deep)", True),  # a heading
        ("operator()", "operator()", True),
    ],
)
def test_what_belongs_to_a_name_and_what_does_not(asked: str, symbol: str, fits: bool) -> None:
    assert Name.parse(asked).fits(Symbol(symbol, "", "", "", (), 1, 1, 1, 0), "/w/a") is fits


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("/w/zoo/water.py", "/w/zoo/water"),
        ("/w/zoo/__init__.py", "/w/zoo"),
        ("/w/lib/index.ts", "/w/lib"),
        ("/w/pkg/pod/manager.go", "/w/pkg/pod"),
        ("/w/Makefile", "/w/Makefile"),
    ],
)
def test_module_of(path: str, module: str) -> None:
    assert module_of(path) == module


@pytest.mark.parametrize(
    ("module", "names", "ends"),
    [
        ("zoo.water", ("press",), {"/zoo/water", "/water/press"}),
        (".", ("press",), {"/press"}),
        ("..lib", ("press",), {"/lib", "/lib/press"}),
        ("./press", ("press",), {"/press", "/press/press"}),
        ("../a/b/press.js", (), {"/b/press"}),
        ("zoo/fish.hpp", (), {"/zoo/fish"}),
        ("crate::water", ("press",), {"/water", "/water/press"}),
        ("com.zoo", ("press",), {"/com/zoo", "/zoo/press"}),
        ("k8s.io/kubernetes/pkg/pod", (), {"/pkg/pod"}),
        ("App\\Water", (), {"/App/Water"}),
    ],
)
def test_module_ends(module: str, names: tuple[str, ...], ends: set[str]) -> None:
    assert module_ends([Import(module, names, 1)], "press") == ends


def test_an_import_of_the_very_name_counts_alone() -> None:
    imports = [Import("a", ("x",), 1), Import("b", ("press",), 2), Import("c", (), 3)]
    assert module_ends(imports, "press") == {"/b", "/b/press"}
    assert module_ends(imports, "other") == {"/a", "/a/x", "/b", "/b/press", "/c"}
    assert module_ends([], "press") == frozenset()
