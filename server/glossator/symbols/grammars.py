"""The grammar of each language, and what counts as a definition in it, as tree-sitter queries.

One pattern, one kind of definition. Captures:

@<kind>             the definition; `.global` after it: not when it stands inside a function;
                    `.rest`: contains what follows, up to the next of its sort
@name               its name; a `::` path is split into containers and name
@body               where the signature ends and contained symbols stand (default: field `body`);
                    given twice, from the first to the last
@scope              a container that is named but does not enclose (Go receiver, prototype)
@wrapper @wrapped   a node that stands around a definition and belongs to it (`export`, `template`)
@attribute          a decorator, annotation or attribute: part of the lines, not of the signature
@comment            documents what follows it; @remark is a comment that does not
@docstring          documents the @documented definition around it

A function directly inside a type is reported as a method. Where several patterns find the same
name, the first one of the list wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from tree_sitter import Language, Query

from glossator.core.errors import DeclarationError
from glossator.core.file_kinds import CODE, LANGUAGES, MARKDOWN


def _set_in_python(kind: str) -> str:
    """What a module assigns, also under a condition or in a `try`; not what stands in for it."""
    found = f"(expression_statement (assignment left: (identifier) @name) @{kind})"
    block, other = f"(block {found})", f"(else_clause (block {found}))"
    conditions = f"(if_statement [{block} (elif_clause {block}) {other}])"
    return f"(module [{found} {conditions} (try_statement [{block} {other}])]"


PYTHON = f"""
(class_definition name: (_) @name) @class
(function_definition name: (_) @name) @function
{_set_in_python("constant")}
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
{_set_in_python("variable")})
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type
(decorated_definition definition: (_) @wrapped) @wrapper
(decorator) @attribute
(comment) @remark
(_ body: (block . (comment)* . (expression_statement . (string) @docstring))) @documented
"""


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


JAVA = """
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
(field_declaration (modifiers "static" "final")
  declarator: (variable_declarator name: (_) @name)) @constant
(annotation) @attribute
(marker_annotation) @attribute
(line_comment) @comment
(block_comment) @comment
"""


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


def _ruby(body: str) -> str:
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
{_ruby("body: (_) @body")}
{_ruby('"end" @body')}
(call method: (identifier) @_accessor arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_accessor "attr_accessor" "attr_reader" "attr_writer")) @property
(assignment left: (constant) @name) @constant.global
(assignment left: (scope_resolution scope: (_) @scope name: (_) @name)) @constant.global
(comment) @comment
"""


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


BASH = """
(function_definition name: (_) @name) @function
(program (declaration_command "readonly"
  (variable_assignment name: (variable_name) @name)) @constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)
(program (variable_assignment name: (variable_name) @name) @variable)
(comment) @comment
"""


@dataclass(frozen=True, slots=True)
class _Source:
    """A grammar's source; `query` finds its definitions, "" if our own code does."""

    module: str
    query: str = ""
    function: str = "language"


_SOURCES = {
    "python": _Source("tree_sitter_python", PYTHON),
    "javascript": _Source("tree_sitter_javascript", JAVASCRIPT),
    "typescript": _Source("tree_sitter_typescript", TYPESCRIPT, "language_typescript"),
    "tsx": _Source("tree_sitter_typescript", TYPESCRIPT, "language_tsx"),
    "go": _Source("tree_sitter_go", GO),
    "rust": _Source("tree_sitter_rust", RUST),
    "c": _Source("tree_sitter_c", C),
    "cpp": _Source("tree_sitter_cpp", CPP),
    "java": _Source("tree_sitter_java", JAVA),
    "csharp": _Source("tree_sitter_c_sharp", CSHARP),
    "ruby": _Source("tree_sitter_ruby", RUBY),
    "php": _Source("tree_sitter_php", PHP, "language_php"),
    "bash": _Source("tree_sitter_bash", BASH),
    "json": _Source("tree_sitter_json"),
    "yaml": _Source("tree_sitter_yaml"),
    "toml": _Source("tree_sitter_toml"),
    "markdown": _Source("tree_sitter_markdown"),
}
_WITH_QUERY = {name for name, source in _SOURCES.items() if source.query}
if lacking := sorted((LANGUAGES - {MARKDOWN} - _SOURCES.keys()) | (CODE ^ _WITH_QUERY)):
    raise DeclarationError(
        f"{', '.join(lacking)}: give each language of core/file_kinds.py a grammar here, and one of"
        " code a query."
    )


@cache
def grammar_of(language: str) -> Language:
    """The grammar of `language`, imported when it is first asked for. Raises `KeyError`."""
    source = _SOURCES[language]
    return Language(getattr(import_module(source.module), source.function)())


@cache
def definitions_query(language: str) -> Query:
    """The query that finds definitions in a language of `CODE`."""
    return Query(grammar_of(language), _SOURCES[language].query)
