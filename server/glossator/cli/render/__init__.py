"""How answers look: for a terminal, for a pipe, for a program."""
