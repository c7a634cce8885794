from .answers import CustomizationKind, CustomizationList, CustomizationState, Owner
from .catalog import CustomizationFiles, Customizations
from .front_matter import FrontMatter, Malformed, read_front_matter
from .kinds import (
    CustomAgent,
    Rendered,
    Skill,
    SlashCommand,
    listing,
    read_skill_file,
    render,
    skill_files,
)

__all__ = [
    "CustomAgent",
    "CustomizationFiles",
    "CustomizationKind",
    "CustomizationList",
    "CustomizationState",
    "Customizations",
    "FrontMatter",
    "Malformed",
    "Owner",
    "Rendered",
    "Skill",
    "SlashCommand",
    "listing",
    "read_front_matter",
    "read_skill_file",
    "render",
    "skill_files",
]
