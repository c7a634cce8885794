"""A model at a server of one's own writes its calls into its text; they run all the same."""

from pathlib import Path

from glossator.core.events import Notice, TextDelta, TextDiscarded, ToolFinished
from tests.stage import stage
from tests.standin import Text, Turn

FILES = {"app.py": "one\ntwo\n"}
WRITTEN = '<tool_call>\n{"name": "Read", "arguments": {"path": "app.py"}}\n</tool_call>'
SETTINGS = {"models": {"profile": "ollama"}}


async def test_a_plain_call_in_the_text_is_run(tmp_path: Path) -> None:
    script = [Turn(Text(f"I look.\n{WRITTEN}")), Turn(Text("It has two lines."))]
    async with stage(tmp_path, FILES, script, SETTINGS) as s:
        answer = await s.ask("What is in app.py?")
        assert len(s.port.of(ToolFinished)) == 1
        assert answer.text == "It has two lines."
        (result,) = s.results(1).values()
        assert "2\ttwo" in result["content"]
        after = s.port.events[s.port.events.index(s.port.of(TextDiscarded)[0]) :]
        shown = "".join(event.text for event in after if isinstance(event, TextDelta))
        assert shown == "I look.It has two lines."


async def test_of_one_that_cannot_be_run_the_user_hears(tmp_path: Path) -> None:
    script = [Turn(Text("<tool_call>Read app.py</tool_call>"))]
    async with stage(tmp_path, FILES, script, SETTINGS) as s:
        await s.ask("What is in app.py?")
        told = [event.message for event in s.port.of(Notice)]
        assert any("writes tool calls as text that cannot be run" in each for each in told)


async def test_the_providers_own_models_are_taken_at_their_word(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(Text(WRITTEN))]) as s:
        answer = await s.ask("How do others write a call?")
        assert answer.text == WRITTEN
        assert s.port.of(ToolFinished) == []
