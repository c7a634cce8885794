"""Imports the Anthropic SDK without 2,000 modules that a conversation never uses.

The SDK's packages re-export all that is below them, so `import anthropic` runs 3,300 modules. Here
a package whose `__init__` only re-exports gets a `__getattr__` (PEP 562) that imports a name at its
first use. Python's own loader loads every other package: slower, with the same result.

Two modules of the SDK's client import 850 others, and are for traces and refusals: they run when
their function is called.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, NamedTuple

_SDK = "anthropic"
# The first names classes for a hundred errors, the second reads messages for a span; no request of
# ours has one.
_CALLED_LATE = {
    "anthropic._error_classes": "make_status_error",
    "anthropic.lib._tracing._api_call": "finish_api_call_span",
}
# The other code of the SDK's own `__init__`; its loop only renames classes for error messages.
_SDK_CODE = """\
import typing as _t
if not _t.TYPE_CHECKING:
    from ._utils._resources_proxy import resources as resources
_setup_logging()
__locals = locals()
for __name in __all__:
    if not __name.startswith('__'):
        try:
            __locals[__name].__module__ = 'anthropic'
        except (TypeError, AttributeError):
            pass"""


def import_sdk() -> ModuleType:
    """The `anthropic` package; blocks for some 0.3 s the first time."""
    if _SDK not in sys.modules and not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    return importlib.import_module(_SDK)


class _Finder:
    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != _SDK:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec and type(spec.loader) is SourceFileLoader:
            if spec.submodule_search_locations:
                spec.loader = _LazyLoader(spec.loader.name, spec.loader.path)
            elif name in _CALLED_LATE:
                spec.loader = _LateLoader(spec.loader.name, spec.loader.path)
        return spec


class _LazyLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        submodules = {path.stem for path in Path(self.path).parent.iterdir()}
        exports, code = _read(ast.parse(self.get_data(self.path)), submodules)
        is_sdk = module.__name__ == _SDK and code == _SDK_CODE
        if (code and not is_sdk) or not _is_plain(exports):
            super().exec_module(module)
            return
        if is_sdk:
            exports.names["resources"] = (".resources", "")
            importlib.import_module("._utils._logs", _SDK).setup_logging()
        module.__dict__.update(__all__=exports.public, __getattr__=_resolver(module, exports))


class _LateLoader(SourceFileLoader):
    """Runs a module when its function is called, or another of its names is asked for."""

    def exec_module(self, module: ModuleType) -> None:
        function = _CALLED_LATE[module.__name__]
        if f"\ndef {function}(".encode() not in self.get_data(self.path):
            super().exec_module(module)
            return

        lock = RLock()

        def run() -> None:
            with lock, ExitStack() as again:
                if vars(module).pop("__getattr__", None):
                    again.callback(vars(module).update, late)  # if it fails
                    super(_LateLoader, self).exec_module(module)
                    again.pop_all()

        def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - what the function takes and gives
            run()
            return getattr(module, function)(*given, **named)

        def __getattr__(name: str) -> object:  # noqa: N807 - the hook's own name
            if name.startswith("__"):  # such as `__path__`, which each import asks for
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            run()
            return getattr(module, name)

        late = {function: call, "__getattr__": __getattr__}
        vars(module).update(late)


class _Exports(NamedTuple):
    names: dict[str, tuple[str, str]]  # export -> relative module, name in it ("": the module)
    stars: list[str]  # relative modules whose public names are exported
    public: list[str]  # `__all__`
    aliases: dict[str, ast.expr]  # type aliases, evaluated at their first use
    submodules: set[str]


def _read(tree: ast.Module, submodules: set[str]) -> tuple[_Exports, str]:
    """The names that an `__init__` re-exports, and the source of its other code."""
    exports, code = _Exports({}, [], [], {}, submodules - {"__init__", "__pycache__"}), []
    for node in tree.body:
        match node:
            case ast.Expr(ast.Constant()) | ast.ImportFrom(module="__future__"):
                pass
            case ast.ImportFrom(module="typing_extensions", names=[ast.alias("TypeAlias", None)]):
                exports.names["TypeAlias"] = ("typing_extensions", "TypeAlias")
            case ast.AnnAssign(ast.Name(name), ast.Name("TypeAlias"), ast.expr() as value):
                exports.aliases[name] = value
            case ast.ImportFrom(level=level, module=module) if level == 1 or (level and module):
                source = "." * level + (module or "")
                for name, export in ((each.name, each.asname or each.name) for each in node.names):
                    if name == "*":
                        exports.stars.append(source)
                    else:
                        exports.names[export] = (source, name) if module else (f".{name}", "")
            case ast.Assign([ast.Name("__all__")], ast.List([*names])) if all(
                isinstance(name, ast.Constant) for name in names
            ):
                exports.public.extend(ast.literal_eval(node.value))
            case _:
                code.append(ast.unparse(node))
    if not exports.public and not exports.stars:
        exports.public.extend(
            export for export in (*exports.names, *exports.aliases) if not export.startswith("_")
        )
    return exports, "\n".join(code)


def _is_plain(exports: _Exports) -> bool:
    """Whether all exports are known, and none has a submodule's name without being it."""
    return bool(exports.public) and all(
        (export in exports.submodules) == (not name and source == f".{export}")
        for export, (source, name) in exports.names.items()
    )


def _resolver(module: ModuleType, exports: _Exports) -> Callable[[str], object]:
    def __getattr__(name: str) -> object:  # noqa: N807 - the hook's own name
        places = [(source, name) for source in reversed(exports.stars) if name[0] != "_"]
        if alias := exports.aliases.get(name):
            setattr(module, name, _evaluate(alias, module))
            return getattr(module, name)
        if name in exports.names or name in exports.submodules:
            places = [exports.names.get(name, (f".{name}", ""))]
        for source, attribute in places:
            found = importlib.import_module(source, module.__name__)
            if not attribute or hasattr(found, attribute):
                value = getattr(found, attribute) if attribute else found
                setattr(module, name, value)
                return value
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name)

    return __getattr__


def _evaluate(alias: ast.expr, module: ModuleType) -> object:
    names = {node.id for node in ast.walk(alias) if isinstance(node, ast.Name)}
    known = {name: getattr(module, name) for name in names if not hasattr(builtins, name)}
    code = compile(ast.Expression(alias), str(module.__file__), "eval")
    return eval(code, known)  # noqa: S307 - the SDK's own source
