"""Definitions in Python."""

from __future__ import annotations

PYTHON = """
(class_definition name: (_) @name) @class
(function_definition name: (_) @name) @function
(module (expression_statement (assignment left: (identifier) @name) @constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: (identifier) @name) @variable))
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type
(decorated_definition definition: (_) @wrapped) @wrapper
(decorator) @attribute
(comment) @remark
(_ body: (block . (comment)* . (expression_statement . (string) @docstring))) @documented
"""
