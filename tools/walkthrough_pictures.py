"""The pictures of VS Code's walkthrough: `python -m tools.walkthrough_pictures`.

Screenshots that the tests in VS Code left, with fewer colours: they are in every package.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

_CLIENT = Path(__file__).parents[1] / "vscode-client"
_TAKEN = _CLIENT / "dist" / "pictures"
_COLOURS = 128
# What of them is shown, in pixels: VS Code draws them some 400 wide.
_PARTS = {
    "start": (48, 36, 428, 668),
    "ask": (48, 36, 688, 668),
    "key": (48, 0, 704, 420),
    "review": (48, 36, 776, 668),
}


def main() -> None:
    """Take over those that the walkthrough has."""
    for path in (_CLIENT / "media" / "walkthrough").glob("*.png"):
        part = _PARTS[path.stem.partition("-")[0]]
        picture = Image.open(_TAKEN / path.name).convert("RGB").crop(part)
        picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
