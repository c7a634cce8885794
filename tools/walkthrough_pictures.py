"""The pictures of VS Code's walkthrough: `python -m tools.walkthrough_pictures`.

Screenshots that the tests in VS Code left, with fewer colours: they are in every package.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

_CLIENT = Path(__file__).parents[1] / "vscode-client"
_TAKEN = _CLIENT / "dist" / "pictures"
_COLOURS = 128


def main() -> None:
    """Take over those that the walkthrough has."""
    for path in (_CLIENT / "media" / "walkthrough").glob("*.png"):
        picture = Image.open(_TAKEN / path.name).convert("RGB")
        picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
