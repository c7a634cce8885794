"""Symbols of source files: pure functions on text, jobs that call them, and `SymbolFinder`."""
