"""Definitions in Rust."""

from __future__ import annotations

RUST = """
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (scoped_type_identifier name: (_) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (_) @name))]) @impl
(impl_item type: [(reference_type) (pointer_type) (tuple_type) (array_type) (function_type)
  (dynamic_type) (unit_type) (never_type) (macro_invocation)] @name) @impl
(mod_item name: (_) @name) @module
(macro_definition name: (_) @name) @macro
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(const_item name: (_) @name) @constant.global
(static_item name: (_) @name) @variable.global
(attribute_item) @attribute
(line_comment !inner) @comment
(block_comment !inner) @comment
(line_comment inner: (_)) @remark
(block_comment inner: (_)) @remark
"""
