from .answers import CustomizationKind, CustomizationList, CustomizationState, Owner
from .catalog import CustomizationFiles, Customizations
from .definitions import Rendered, Skill, listing, render
from .front_matter import FrontMatter, Malformed, read_front_matter
from .skill_tool import Skills, SkillTool, read_skill_file, skill_files

__all__ = [
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
    "listing",
    "read_front_matter",
    "read_skill_file",
    "render",
    "skill_files",
]
