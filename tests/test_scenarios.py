from pathlib import Path

import pytest

from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.uri import to_uri
from glossator.workspace.change import Opened
from tests.scenario import load_scenario, matches
from tests.stage import stage

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.md"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
async def test_scenario(path: Path, tmp_path: Path) -> None:
    scenario = load_scenario(path)
    async with stage(tmp_path, scenario.files, scenario.turns, scenario.settings) as s:
        s.port.permitted = [PermissionAnswer(Choice(choice)) for _, choice in scenario.permissions]
        for name, text in scenario.unsaved.items():
            s.app.host.apply(Opened(to_uri(str(tmp_path / name)), 1, text))
        answer = await s.ask(scenario.question)

        assert len(s.api.requests) == len(scenario.turns)
        for number, expected in enumerate(scenario.results, start=1):
            actual = [result["content"] for result in s.results(number).values()]
            assert len(actual) == len(expected)
            for one, other in zip(expected, actual, strict=True):
                assert matches(one, other), f"request {number}:\n{other}"
        assert answer.text == scenario.answer
        cited = [f"{c.target}:{c.first_line}-{c.last_line} {c.status}" for c in answer.citations]
        assert cited == list(scenario.citations)
        asked = [request.tool for request in s.port.permissions]
        assert asked == [tool for tool, _ in scenario.permissions]
        for name, text in scenario.after.items():
            assert (tmp_path / name).read_text("utf-8") == text
