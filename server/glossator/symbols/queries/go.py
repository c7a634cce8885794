"""Definitions in Go."""

from __future__ import annotations

GO = """
(function_declaration name: (_) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope
    (generic_type type: (_) @scope)
    (pointer_type (type_identifier) @scope)
    (pointer_type (generic_type type: (_) @scope))]))
  name: (_) @name) @method
(type_spec name: (_) @name type: (struct_type (_) @body)) @struct
(type_spec name: (_) @name type: (interface_type "{" @body "}" @body)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(method_elem name: (_) @name) @method
(const_spec (identifier) @name) @constant.global
(var_spec name: (identifier) @name) @variable.global
(type_declaration . [(type_spec) (type_alias)] @wrapped .) @wrapper
(const_declaration . (const_spec) @wrapped .) @wrapper
(var_declaration . (var_spec) @wrapped .) @wrapper
(comment) @comment
"""
