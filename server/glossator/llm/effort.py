"""Whether a model takes the effort it is to be asked with, as far as that is known beforehand."""

from __future__ import annotations

from typing import get_args

from glossator.llm.catalog import ModelFacts, facts_of
from glossator.llm.profiles import ProviderProfile, profile_of
from glossator.settings import Effort, ModelSettings

EFFORTS: tuple[Effort, ...] = get_args(Effort)


def efforts_of(facts: ModelFacts, profile: ProviderProfile) -> tuple[Effort, ...] | None:
    """The efforts that a model can be asked with; None if that is not known."""
    if not profile.effort:
        return ()
    known = facts.efforts
    return None if known is None else tuple(level for level in EFFORTS if level in known)


def effort_problem(
    effort: str | None, role: str, facts: ModelFacts, profile: ProviderProfile
) -> str:
    """What is wrong with asking a role's model with this effort, and what to do; "" if nothing."""
    if effort is None:
        return ""
    setting = f"models.{role}.effort"
    if not profile.effort:
        return (
            f"{setting} is {effort}, but a server with the profile {profile.name} takes no effort."
            " Leave it out."
        )
    taken = efforts_of(facts, profile)
    if taken is None or effort in taken:
        return ""
    if not taken:
        return f"{setting} is {effort}, but {facts.id} takes no effort. Leave it out."
    return (
        f"{setting} is {effort}, which {facts.id} does not take. Set it to one of"
        f" {', '.join(taken)}, or leave it out."
    )


def effort_problems(settings: ModelSettings) -> tuple[str, ...]:
    """What is wrong with the efforts of all roles."""
    profile = profile_of(settings)
    roles = {"main": settings.main, "fast": settings.fast}
    problems = (
        effort_problem(chosen.effort, role, facts_of(chosen.model), profile)
        for role, chosen in roles.items()
    )
    return tuple(filter(None, problems))


def told_efforts(capabilities: object) -> frozenset[str] | None:
    """The efforts in the capabilities that a provider tells of a model; None if it tells none."""
    effort = getattr(capabilities, "effort", None)
    supported = getattr(effort, "supported", None)
    if not isinstance(supported, bool):
        return None
    levels = (level for level in EFFORTS if supported)
    return frozenset(
        level for level in levels if getattr(getattr(effort, level, None), "supported", False)
    )
