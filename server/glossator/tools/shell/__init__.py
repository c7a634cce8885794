"""The shell: what a command says, what it may touch, and how it is run and ended."""
