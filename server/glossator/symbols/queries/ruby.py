"""Definitions in Ruby."""

from __future__ import annotations


def _definitions(body: str) -> str:
    """Classes, modules and methods; `body` is where their signature ends."""
    scoped = "(scope_resolution scope: (_) @scope name: (_) @name)"
    return f"""
(class name: (constant) @name {body}) @class
(class name: {scoped} {body}) @class
(module name: (constant) @name {body}) @module
(module name: {scoped} {body}) @module
(program (method name: (_) @name {body}) @function)
(method name: (_) @name {body}) @method
(singleton_method object: (constant) @scope name: (_) @name {body}) @method
(singleton_method name: (_) @name {body}) @method
"""


RUBY = f"""
{_definitions("body: (_) @body")}
{_definitions('"end" @body')}
(call method: (identifier) @_accessor arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_accessor "attr_accessor" "attr_reader" "attr_writer")) @property
(assignment left: (constant) @name) @constant.global
(assignment left: (scope_resolution scope: (_) @scope name: (_) @name)) @constant.global
(comment) @comment
"""
