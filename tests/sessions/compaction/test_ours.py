"""Which texts in user messages are the user's words."""

from __future__ import annotations

from pathlib import Path

from glossator.core.prompts import load_prompt
from glossator.llm.conversation import user_message
from glossator.sessions.compaction.kept import KeptTools, collect
from glossator.sessions.compaction.own_texts import TEXTS, prompt_of
from glossator.sessions.session import Reminders

# Prompts of `prompts/user` that never begin a text of ours in the main conversation: the words of
# a command that the user gave, tasks of sub-agents, and parts of results.
_NOT_OURS = frozenset(
    "user/calls user/cut_off user/document user/explain user/explore_medium user/explore_quick"
    " user/explore_usage user/explore_very user/fix user/fork user/gloss user/interrupted"
    " user/not_run user/overview user/edit user/plan_steps user/refactor user/repeated"
    " user/start_changed_plan user/start_plan user/unseen user/write_tests".split()
)


def test_every_prompt_is_known_to_be_the_users_or_ours() -> None:
    folder = Path(__file__).parents[3] / "prompts" / "user"
    names = {f"user/{path.stem}" for path in folder.glob("*.md")}
    assert names == {name for name in TEXTS if name.startswith("user/")} | _NOT_OURS


def test_each_is_known_by_how_it_begins() -> None:
    """But for a folder, whose listing is sent or was."""
    openings = [load_prompt(name).opening for name in TEXTS if name != "user/folder_again"]
    assert len(set(openings)) == len(openings)


def test_what_glossator_lists_is_not_what_the_user_said() -> None:
    agents = load_prompt("user/agents").render(listing="- law: Knows the law.")
    changed = load_prompt("user/changed").render(files="a.py")
    assert prompt_of(agents) == "user/agents"
    assert collect([user_message(agents, changed, "Go on.")], KeptTools()).said == ("Go on.",)


def test_what_the_user_named_is_kept_as_their_words_are() -> None:
    command = load_prompt("user/command").render(name="fix", owner="user's own", text="Fix it.")
    skill = load_prompt("user/skill").render(name="a", owner="user's own", text="Do.", files="")
    assert [prompt_of(command), prompt_of(skill)] == ["user/command", "user/skill"]
    said = collect([user_message(command, skill, "/fix")], KeptTools()).said
    assert said == (command, skill, "/fix")


def test_a_reminder_waits_once_until_it_is_told() -> None:
    reminders = Reminders()
    for text in ("one", "two", "one", ""):
        reminders.add(text)
    told: list[str] = []
    reminders.add("three", sent=lambda: told.append("three"))
    assert told == []
    assert reminders.take() == ("one", "two", "three")
    assert reminders.take() == ()
    assert told == ["three"]
