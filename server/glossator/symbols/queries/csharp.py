"""Definitions in C#."""

from __future__ import annotations

CSHARP = """
(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace.rest
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(destructor_declaration "~" . name: (_) @name) @method
(operator_declaration operator: _ @name) @method
(local_function_statement name: (_) @name) @function
(property_declaration name: (_) @name accessors: (_) @body) @property
(property_declaration name: (_) @name value: (_) @body) @property
(indexer_declaration "this" @name accessors: (_) @body) @property
(indexer_declaration "this" @name value: (_) @body) @property
(event_declaration name: (_) @name accessors: (_) @body) @property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @property
(field_declaration (modifier "const")
  (variable_declaration (variable_declarator name: (_) @name))) @constant
(field_declaration (modifier "static") (modifier "readonly")
  (variable_declaration (variable_declarator name: (_) @name))) @constant
(attribute_list) @attribute
(comment) @comment
"""
