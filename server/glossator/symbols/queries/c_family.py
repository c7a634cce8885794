"""Definitions in C and C++."""

from __future__ import annotations


def _c_family(name: str, references: str = "") -> str:
    """The queries that C and C++ share; `name` is what a function's name may be."""
    function = f"(function_declarator declarator: {name} @name)"
    pointer = f"(pointer_declarator declarator: {function})"
    functions = f"[{function} {pointer} (pointer_declarator declarator: {pointer}) {references}]"
    plain = "(identifier) @name"
    shaped = f"""[{plain}
      (pointer_declarator declarator: {plain})
      (array_declarator declarator: {plain})
      (pointer_declarator declarator: (array_declarator declarator: {plain}))]"""
    return f"""
(function_definition declarator: {functions}
  (#not-any-of? @name "if" "else" "for" "while" "switch" "do" "return")) @function.global
(declaration declarator: {functions}) @function.global
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(type_definition type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @struct
(type_definition type: (union_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @struct
(type_definition type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @enum
(type_definition type: (_ name: (_) @_tag body: (_)) declarator: (type_identifier) @name
  (#not-eq? @name @_tag)) @type
(type_definition type: (_ !body) declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (type_identifier) @name)))]) @type
(declaration declarator: [{shaped} (init_declarator declarator: {shaped})]) @variable.global
(preproc_def name: (_) @name value: (_)) @macro.global
(preproc_function_def name: (_) @name) @macro.global
(type_definition type: (_ name: (_) @_tag body: (_)) @wrapped declarator: (type_identifier) @_alias
  (#eq? @_tag @_alias)) @wrapper
(comment) @comment
"""


C = _c_family("(identifier)")

_CPP_NAME = """[(identifier) (field_identifier) (qualified_identifier) (destructor_name)
  (operator_name) (template_function)]"""
_CPP_REFERENCE = f"(reference_declarator (function_declarator declarator: {_CPP_NAME} @name))"
CPP = f"""
{_c_family(_CPP_NAME, _CPP_REFERENCE)}
(field_declaration declarator: [
  (function_declarator declarator: {_CPP_NAME} @name)
  (pointer_declarator declarator: (function_declarator declarator: {_CPP_NAME} @name))
  {_CPP_REFERENCE}]) @function.global
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @namespace
(alias_declaration name: (_) @name) @type.global
(concept_definition name: (_) @name) @type
(template_declaration (_) @wrapped) @wrapper
(linkage_specification body: (function_definition) @wrapped) @wrapper
(linkage_specification body: (declaration) @wrapped) @wrapper
(attribute_declaration) @attribute
"""
