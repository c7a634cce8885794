"""The commands about outputs, background jobs and changed files; a part of `declared.py`."""

from __future__ import annotations

from glossator.commands.declaration import Chat, CommandDeclaration, Menu, Palette

OF_OUTPUT = (
    CommandDeclaration(
        "glossator.toolOutput",
        "Output of a call",
        "outputs:tool_output",
    ),
    CommandDeclaration(
        "glossator.listJobs",
        "List background jobs",
        "outputs:list_jobs",
        chat=(Chat("jobs", "Commands in the background: look at one, or stop it"),),
        palette=Palette(
            "Background Jobs…",
            "server-process",
            menus=(Menu("view/title", "3_server@0", "view == glossator.chat"),),
        ),
    ),
    CommandDeclaration("glossator.showJob", "Output of a background job", "outputs:show_job"),
    CommandDeclaration("glossator.stopJob", "Stop background job", "outputs:stop_job"),
    CommandDeclaration("glossator.fileBefore", "File before a turn", "outputs:file_before"),
)
