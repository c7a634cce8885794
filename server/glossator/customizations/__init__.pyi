from .agents import CustomAgent, agents_listing, custom_agents
from .front_matter import FrontMatter, Malformed, read_front_matter

__all__ = [
    "CustomAgent",
    "FrontMatter",
    "Malformed",
    "agents_listing",
    "custom_agents",
    "read_front_matter",
]
