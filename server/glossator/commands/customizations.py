"""What files describe: sub-agents, skills and slash commands, used or not."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.customizations import CustomizationList
from glossator.turn import customizations_now


@dataclass(frozen=True, slots=True)
class ListCustomizationsRequest:
    """Takes nothing."""


async def list_customizations(
    app: Application, _request: ListCustomizationsRequest
) -> CustomizationList:
    """All that there is, with the reasons why something is not used; switched off in settings."""
    found = await customizations_now(app, app.now())
    return CustomizationList(tuple(found.listed), found.left_out)
