"""The line at which a chat is typed, at the end of the terminal; what is printed goes above it.

prompt_toolkit edits and draws it (docs/decisions/0074). One application runs as long as the chat,
so keys have an effect at any time: while an answer is written, and while a question waits.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import sys
import termios
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    ExitStack,
    asynccontextmanager,
    contextmanager,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from prompt_toolkit.application import Application, in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.cursor_shapes import ModalCursorShapeConfig
from prompt_toolkit.data_structures import Size
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition, completion_is_selected, has_completions, is_searching
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, StyleAndTextTuples
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    CompletionsMenu,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    VerticalAlign,
    Window,
)
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.search import stop_search
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import SearchToolbar
from rich.console import Console, RenderableType
from rich.spinner import Spinner
from rich.text import Text

from glossator.cli.asking import Beside, Command
from glossator.cli.completing import LineCompleter, LineHistory
from glossator.cli.messages import PROMPT
from glossator.cli.render import printable
from glossator.core.wire import Json

_FRAME_SECONDS = 0.1  # between two pictures of the status line
_MENU_LINES = 8
_ESCAPE_SECONDS = 0.05  # that vi keys wait for what a key sends after Escape
_LEAVING = "Press Ctrl-C again to end the chat."
_EDITING_MODE = re.compile(r"^\s*set\s+editing-mode\s+(vi|emacs)\s*$", re.MULTILINE)
_STYLE = Style(
    [
        ("completion-menu", "bg:default"),
        ("completion-menu.completion", "bg:default fg:default"),
        ("completion-menu.completion.current", "bg:default fg:default reverse"),
        ("completion-menu.meta.completion", "bg:default fg:default dim"),
        ("completion-menu.meta.completion.current", "bg:default fg:default dim"),
        ("scrollbar.background", "bg:default"),
        ("scrollbar.button", "reverse dim"),
    ]
)


class LineEditor:
    """A `Keyboard`, and what stands at the end of the terminal, within the `async with`.

    The status line is drawn as rich's `Status` draws it, and has its methods. Answers are typed in
    a line of their own, so the one that was under way is as it was when they are given.
    """

    def __init__(self, roots: tuple[Path, ...]) -> None:
        self._beside: Beside | None = None
        self._lines: deque[str] = deque()  # that were entered
        self._entered = asyncio.Event()
        self._is_lent = False
        self._answers = False  # what is typed is an answer
        self._is_prompted = False  # the user is expected to type, so what is entered stays in sight
        self._hint = ""
        self._ends = False  # with another Ctrl-C
        self._console = Console(highlight=False)
        self._spinner = Spinner("dots", "Starting…", style="dim")
        self._ticking: asyncio.Task[None] | None = None  # while the status line is shown
        self._running: asyncio.Task[None] | None = None
        self._unprinted = ""
        self._output = _HeldOutput(sys.stdout)
        self._line = Buffer(
            history=LineHistory(roots),
            completer=LineCompleter(self._complete),
            complete_while_typing=True,
            multiline=True,
            accept_handler=self._accept,
            on_text_changed=self._changed,
        )
        self._answer = Buffer(history=DummyHistory(), multiline=True, accept_handler=self._accept)
        self._app = self._application()

    async def __aenter__(self) -> Self:
        run = self._app.run_async(handle_sigint=False, set_exception_handler=False)
        self._running = asyncio.create_task(run)
        self._running.add_done_callback(lambda _: self._enter(""))
        self._redirected = ExitStack()
        above = _Above(sys.stdout, self._print)
        self._redirected.enter_context(redirect_stdout(above))
        if sys.stderr.isatty():
            self._redirected.enter_context(redirect_stderr(above))
        asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, self._go_on)
        self.start()
        await asyncio.sleep(0)  # it is running from here on
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Leave the terminal as it was found; what was printed stays."""
        if self._running is None:
            return
        running, self._running = self._running, None
        asyncio.get_running_loop().remove_signal_handler(signal.SIGCONT)
        self.stop()
        if not running.done():
            self._app.exit()
        with suppress(EOFError):  # the terminal is gone
            await running
        self._redirected.close()
        print(end=self._unprinted, flush=True)

    def connect(self, beside: Beside) -> None:
        """Complete words with this server, and leave Ctrl-C to what it does."""
        self._beside = beside

    def forget(self) -> None:
        """Like a `Keyboard`'s: what was typed ahead is no answer."""
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        self._lines.clear()
        self._answer.reset()

    async def line(self) -> str:
        """Like a `Keyboard`'s."""
        while not self._lines:
            self._entered.clear()
            await self._entered.wait()
        return self._lines.popleft()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Like a `Keyboard`'s."""
        self.forget()
        self._focus(answers=True)
        try:
            yield
        finally:
            self._focus(answers=False)

    def put(self, text: str) -> bool:
        """Like a `Keyboard`'s."""
        self._line.text = text
        self._line.cursor_position = len(text)
        return True

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[None]:
        """Like a `Keyboard`'s; what is printed meanwhile is seen afterwards."""
        self._is_lent = True
        try:
            async with in_terminal():
                yield
        finally:
            self._is_lent = False

    def update(self, drawn: RenderableType) -> None:
        """Show it in the status line."""
        self._spinner.update(text=drawn)

    def start(self) -> None:
        """Show the status line."""
        self._is_prompted = False
        self._hint = ""
        if self._ticking is None and self._running is not None:
            self._ticking = asyncio.create_task(self._tick())

    def stop(self) -> None:
        """Remove the status line."""
        if self._ticking is not None:
            self._ticking.cancel()
            self._ticking = None
        self._app.invalidate()

    def prompt(self, hint: str) -> None:
        """The user is expected to type; the hint stands above the line until then."""
        self._is_prompted, self._hint = True, hint
        self._app.invalidate()

    def _go_on(self) -> None:
        """After a stop that was no key, the shell has changed the terminal's modes."""
        if not self._is_lent:
            self._app.input.raw_mode().__enter__()
            self._app.renderer.reset()
            self._app.invalidate()

    async def _tick(self) -> None:
        while True:
            self._app.invalidate()
            await asyncio.sleep(_FRAME_SECONDS)

    def _focus(self, *, answers: bool) -> None:
        if self._app.layout.is_searching:
            stop_search()
        self._answers = answers
        self._app.vi_state.reset()
        self._app.layout.focus(self._answer if answers else self._line)

    def _enter(self, line: str) -> None:
        self._lines.append(line)
        self._entered.set()

    def _accept(self, buffer: Buffer) -> bool:
        if self._is_prompted and (self._answers or buffer.text.strip()):
            shown = printable(buffer.text).replace("\n", f"\n{' ' * len(PROMPT)}")
            self._print(f"\x1b[1m{PROMPT}\x1b[0m{shown}\n")
            self._is_prompted = False
        self._enter(f"{buffer.text}\n")
        self._app.vi_state.reset()  # the next line is typed, not commanded
        return False

    def _changed(self, _buffer: Buffer) -> None:
        self._ends = False

    def _interrupt(self, event: KeyPressEvent) -> None:
        """Ctrl-C stops what goes on, else clears the line, else ends the chat the second time."""
        if self._beside is None or self._beside.waits:
            signal.raise_signal(signal.SIGINT)
        elif self._answers:
            self._enter("\n")  # no answer
        elif event.current_buffer.text:
            event.current_buffer.reset()
            event.app.vi_state.reset()
        elif self._ends:
            self._enter("")
        else:
            self._ends = True

    async def _complete(self, word: str) -> Json:
        if self._beside is None:
            return {"items": [], "incomplete": True}
        return await self._beside.ask(Command("glossator.complete", {"text": word}))

    def _print(self, text: str) -> None:
        """Print above the line, when it is drawn next."""
        self._unprinted += text
        self._app.invalidate()

    def _before_render(self, _app: object) -> None:
        """Print whole lines in the place of what is drawn; that follows in the same write."""
        whole = self._unprinted.rfind("\n") + 1
        if whole:
            self._output.is_held = True
            self._app.renderer.erase()
            self._output.write_raw(self._unprinted[:whole])
            self._unprinted = self._unprinted[whole:]

    def _after_render(self, _app: object) -> None:
        self._output.is_held = False
        self._output.flush()

    def _above(self) -> AnyFormattedText:
        """The hint, or the status line."""
        hint = _LEAVING if self._ends else self._hint
        with self._console.capture() as drawn:
            above = Text(hint, "dim") if hint else self._spinner
            self._console.print(above, end="", width=self._output.get_size().columns)
        return ANSI(drawn.get().removesuffix("\n"))

    def _application(self) -> Application[None]:
        search = SearchToolbar(ignore_case=True)

        def rows(part: int) -> Dimension:
            return Dimension(max=max(self._output.get_size().rows // part, 1))

        def field(buffer: Buffer, *, answers: bool) -> ConditionalContainer:
            control = BufferControl(
                buffer, search_buffer_control=search.control, preview_search=True
            )
            window = Window(
                control,
                height=lambda: rows(2),
                get_line_prefix=_prefix,
                wrap_lines=True,
                dont_extend_height=True,
            )
            return ConditionalContainer(window, Condition(lambda: self._answers == answers))

        above = Window(
            FormattedTextControl(self._above), height=lambda: rows(3), dont_extend_height=True
        )
        has_above = Condition(lambda: bool(self._ticking or self._hint or self._ends))
        screen = HSplit(
            [
                ConditionalContainer(above, has_above),
                field(self._line, answers=False),
                field(self._answer, answers=True),
                search,
                CompletionsMenu(_MENU_LINES, scroll_offset=1),
            ],
            align=VerticalAlign.TOP,
        )
        has_vi_keys = wants_vi_keys()
        app: Application[None] = Application(
            Layout(screen, self._line),
            style=_STYLE,
            key_bindings=self._keys(),
            editing_mode=EditingMode.VI if has_vi_keys else EditingMode.EMACS,
            cursor=ModalCursorShapeConfig() if has_vi_keys else None,
            reverse_vi_search_direction=True,
            erase_when_done=True,
            output=self._output,
            before_render=self._before_render,
            after_render=self._after_render,
        )
        if has_vi_keys:
            app.ttimeoutlen = app.timeoutlen = _ESCAPE_SECONDS
        return app

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        is_empty = Condition(lambda: not self._app.current_buffer.text)

        @keys.add("enter", filter=~is_searching & ~completion_is_selected)
        def _send(event: KeyPressEvent) -> None:
            event.current_buffer.validate_and_handle()

        @keys.add("escape", "enter", filter=~is_searching)
        def _break(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("enter", filter=completion_is_selected)
        @keys.add("tab", filter=has_completions)
        def _take(event: KeyPressEvent) -> None:
            state = event.current_buffer.complete_state
            if state is not None:
                event.current_buffer.apply_completion(
                    state.current_completion or state.completions[0]
                )

        @keys.add("tab", filter=~has_completions & ~is_searching)
        def _offer(event: KeyPressEvent) -> None:
            event.current_buffer.start_completion()

        @keys.add("c-d", filter=is_empty)
        def _end(_event: KeyPressEvent) -> None:
            self._enter("")

        @keys.add("c-z")
        def _suspend(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        keys.add("c-c", filter=~is_searching)(self._interrupt)
        return keys


class _HeldOutput(Vt100_Output):
    """A terminal whose output can be held, so that it is erased and drawn again without a flicker.

    It is never asked where its cursor is: an answer that comes late would be taken for keys.
    """

    def __init__(self, stream: TextIO) -> None:
        self.is_held = False

        def size() -> Size:
            columns, rows = os.get_terminal_size(stream.fileno())
            return Size(rows or 24, columns or 80)

        term, colours = os.environ.get("TERM"), ColorDepth.from_env()
        super().__init__(stream, size, term, colours, enable_cpr=False)

    def flush(self) -> None:
        """Write what is not held."""
        if not self.is_held:
            super().flush()


class _Above(io.TextIOBase):
    """The stream in whose place what is written goes above the line."""

    def __init__(self, stream: TextIO, write: Callable[[str], None]) -> None:
        self._stream = stream
        self._write = write

    def write(self, text: str) -> int:
        self._write(text)
        return len(text)

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._stream.fileno()


def _prefix(line: int, wrapped: int) -> StyleAndTextTuples:
    return [("bold", PROMPT)] if line == wrapped == 0 else [("", " " * len(PROMPT))]


def wants_vi_keys() -> bool:
    """What readline's own file says, as for shells and debuggers."""
    try:
        inputrc = Path(os.environ.get("INPUTRC") or "~/.inputrc").expanduser().read_text("utf-8")
    except (OSError, ValueError):
        return False
    return _EDITING_MODE.findall(inputrc)[-1:] == ["vi"]
