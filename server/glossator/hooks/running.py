"""Runs one hook in the sandbox, within its time; its output is bounded."""

from __future__ import annotations

import secrets
import shlex

from glossator.core.errors import UsageError
from glossator.core.shown import shown_text
from glossator.hooks.hook import HookEvent
from glossator.hooks.printed import HookAnswer, answer_of
from glossator.sandbox import LimitedShell, ShellCommand
from glossator.settings import Hook

MOST_BYTES = 10_000  # of what a hook prints
_MOST_ERRORS = 4_000  # bytes of its standard error
_RUN = """export CLAUDE_PROJECT_DIR={folder}
exec 3>&1
errors=$(
    set -o pipefail
    "$BASH" -c {command} 2>&1 >&3 3>&- | {{ head -c {most}; cat >/dev/null; }}
)
code=$?
printf '%s%s' {apart} "$errors"
exit $code"""


async def run_hook(
    shell: LimitedShell, event: HookEvent, hook: Hook, folder: str, given: bytes
) -> HookAnswer | str:
    """What a hook answers that is run in a folder of the workspace and `given` JSON.

    A sentence part says how it failed.
    """
    apart = secrets.token_hex(16)  # before its standard error, which comes last
    words = {"folder": shlex.quote(folder), "command": shlex.quote(hook.command)}
    text = _RUN.format(**words, most=_MOST_ERRORS, apart=apart)
    try:
        finished = await shell.run(ShellCommand(text, folder, input=given), hook.timeout)
    except (UsageError, OSError) as error:
        return f"could not be run: {error}"
    if finished.timed_out:
        return f"was ended after {hook.timeout:g} seconds"
    output = finished.output
    out, _, err = (output.head + output.tail).rpartition(apart.encode())
    said = shown_text(err.decode("utf-8", "replace"))
    code = finished.exit.code
    if code == 0 and (output.omitted_bytes or len(out) > MOST_BYTES):
        return f"printed more than {MOST_BYTES:,} bytes"
    return answer_of(event, code, out.decode("utf-8", "replace"), said)
