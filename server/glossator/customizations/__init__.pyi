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
from .skill_tool import Skills, SkillTool

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
    "SkillTool",
    "Skills",
    "SlashCommand",
    "listing",
    "read_front_matter",
    "read_skill_file",
    "render",
    "skill_files",
]
