"""What every group of settings is: frozen, strict, camelCase outside, each field described."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from glossator.core.errors import DeclarationError


class Group(BaseModel):
    """Raises `DeclarationError` for a field without a description."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,  # an address may hold a password
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        for name, field in cls.model_fields.items():
            if not field.description:
                raise DeclarationError(
                    f"The setting {name} of {cls.__name__} needs a description, which editors show."
                )
