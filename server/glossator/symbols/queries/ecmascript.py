"""Definitions in JavaScript and TypeScript."""

from __future__ import annotations

_ECMASCRIPT = """
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(assignment_expression
  left: (member_expression
    object: (member_expression
      object: (identifier) @scope
      property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#eq? @_prototype "prototype")) @method.global
(assignment_expression
  left: [(identifier) @name (member_expression property: (property_identifier) @name)]
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function.global
(pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method.global
(program (lexical_declaration kind: "const"
  (variable_declarator name: (identifier) @name value: (object)? @body) @constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(export_statement declaration: (lexical_declaration kind: "const"
  (variable_declarator name: (identifier) @name value: (object)? @body) @constant))
(export_statement declaration: (lexical_declaration kind: "let"
  (variable_declarator name: (identifier) @name) @variable))
(lexical_declaration . (variable_declarator) @wrapped .) @wrapper
(variable_declaration . (variable_declarator) @wrapped .) @wrapper
(export_statement declaration: (_) @wrapped) @wrapper
(export_statement value: (_) @wrapped) @wrapper
(expression_statement . (assignment_expression) @wrapped .) @wrapper
(decorator) @attribute
(comment) @comment
"""

JAVASCRIPT = f"""
{_ECMASCRIPT}
(field_definition property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
"""

TYPESCRIPT = f"""
{_ECMASCRIPT}
(public_field_definition name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(type_alias_declaration name: (_) @name) @type
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(module name: (_) @name) @module
(internal_module name: (_) @name) @namespace
(ambient_declaration
  (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(ambient_declaration
  (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(ambient_declaration (_) @wrapped) @wrapper
(expression_statement . (internal_module) @wrapped .) @wrapper
"""
