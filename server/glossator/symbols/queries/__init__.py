"""What counts as a definition in each language, as tree-sitter queries.

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
