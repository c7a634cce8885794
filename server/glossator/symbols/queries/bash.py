"""Definitions in shell scripts."""

from __future__ import annotations

BASH = """
(function_definition name: (_) @name) @function
(program (declaration_command "readonly"
  (variable_assignment name: (variable_name) @name)) @constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)
(program (variable_assignment name: (variable_name) @name) @variable)
(comment) @comment
"""
