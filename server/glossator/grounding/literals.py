"""Numbers as statements and code write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isclose

_LITERAL = re.compile(
    r"(?<![\w.])(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+"
    r"|(?:\d[\d_]*(?:,\d{3})*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?:[uif](?:8|16|32|64|size)|[lLnfFuU]+)?(?![\w])"
)
_POWER = re.compile(r"(\d+)\s*(<<|\*\*)\s*(\d+)")
_PRODUCT = re.compile(r"\d[\d_.]*(?:\s*\*\s*\d[\d_.]*)+")
_SCALES = (60.0, 3600.0, 86400.0, 100.0, 1e3, 1e6, 1e9, 1024.0, 1024.0**2, 1024.0**3)
_DIGITS = 9  # of a base or a power
_SUFFIX = re.compile(r"(?:[uif](?:8|16|32|64|size)|[lLnfFuU]+)$")


def value_of(text: str) -> float | None:
    """The value of a number as it is written; None for what is none."""
    plain = text.replace("_", "").replace(",", "")
    if not plain.lower().startswith(("0x", "-0x")):
        plain = _SUFFIX.sub("", plain)
    try:
        return float(int(plain, 0))
    except (OverflowError, ValueError):
        pass
    try:
        return float(plain)
    except (OverflowError, ValueError):
        return None


def numbers_in(text: str) -> Iterator[float]:
    """The numbers that a text holds, and the values of products and powers of such."""
    for match in _LITERAL.finditer(text):
        if (value := value_of(match[0])) is not None:
            yield value
            yield -value
    for match in _POWER.finditer(text):
        if len(match[1]) > _DIGITS or len(match[3]) > _DIGITS:
            continue
        base, power = int(match[1]), int(match[3])
        if power <= 64:
            yield float(base << power if match[2] == "<<" else base**power)
    for match in _PRODUCT.finditer(text):
        product = 1.0
        for factor in match[0].split("*"):
            product *= value_of(factor.strip()) or 0.0
        yield product


def is_among(value: float, numbers: frozenset[float]) -> bool:
    """Whether a number is there, in its unit or another: 5 MB is `5 * 1024 * 1024`."""
    if value in numbers:
        return True
    scaled = {value * scale for scale in _SCALES} | {value / scale for scale in _SCALES}
    return value != 0 and any(isclose(a, b) for a in scaled for b in numbers)
