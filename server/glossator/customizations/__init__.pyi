from .agents import CustomAgent
from .answers import CustomizationKind, CustomizationList, CustomizationState, Owner
from .catalog import CustomizationFiles, Customizations
from .describing import listing
from .front_matter import FrontMatter, Malformed, read_front_matter
from .rendering import Rendered, render
from .skill_tool import Skills, SkillTool
from .skills import Skill, read_skill_file, skill_files
from .slash_commands import SlashCommand

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
