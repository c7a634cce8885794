from .parser import TOO_MANY, parse
from .pipeline import FailedPart, PartCodes, part_codes
from .read_only import CommandContext, is_harmless, is_installed, read_only_commands
from .script import (
    Script,
    SimpleCommand,
    UncertainWord,
    UnclearScript,
    UnknownPart,
    possible_folders,
)

__all__ = [
    "TOO_MANY",
    "CommandContext",
    "FailedPart",
    "PartCodes",
    "Script",
    "SimpleCommand",
    "UncertainWord",
    "UnclearScript",
    "UnknownPart",
    "is_harmless",
    "is_installed",
    "parse",
    "part_codes",
    "possible_folders",
    "read_only_commands",
]
