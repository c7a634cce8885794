"""Definitions in PHP."""

from __future__ import annotations

PHP = """
(namespace_definition name: (_) @name body: (_)) @namespace
(namespace_definition name: (_) @name) @namespace.rest
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(const_declaration (const_element . (name) @name)) @constant
(attribute_list) @attribute
(comment) @comment
"""
