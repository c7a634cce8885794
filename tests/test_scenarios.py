"""Every scenario in `tests/scenarios/` is played."""

from pathlib import Path

import pytest

from tests.sandboxed import SANDBOXED
from tests.scenario import load_steps
from tests.scenario_player import playing

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.md"))
DEEP = {"two-hundred-turns"}
SCENARIOS = [
    pytest.param(
        path,
        marks=[
            *([SANDBOXED] if "Bash" in path.read_text("utf-8") else []),
            *([pytest.mark.deep] if path.stem in DEEP else []),
        ],
    )
    for path in FILES
]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
async def test_scenario(path: Path, tmp_path: Path) -> None:
    steps = load_steps(path)
    async with playing(tmp_path, steps) as player:
        for step in steps:
            await player.play(step)
        await player.end()
