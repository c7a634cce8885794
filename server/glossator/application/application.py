"""The application: owns the workspace, the model, the tools, the sessions and the runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from glossator.anchors import AnchorIndex, GlossIndex, HoverCache
from glossator.application.acting import Acting, WorkspaceNow
from glossator.application.cited_answers import CitedAnswers
from glossator.application.editor_code import EditorCode
from glossator.application.git import Git
from glossator.application.permission_checker import check_tools
from glossator.application.search_support import (
    BuildProgress,
    TeamContexts,
    chosen_embedding,
    embedding_notice,
    rerank_by,
)
from glossator.application.seen_memories import session_memories
from glossator.application.session_handover import Handover
from glossator.application.session_summaries import Summaries
from glossator.application.session_titles import Titles
from glossator.application.start import (
    follow_context_files,
    kept_sessions,
    open_ledger,
    place_of,
    recover,
)
from glossator.application.toolbox import all_tools
from glossator.application.trees import Trees
from glossator.core.attached import EditorState
from glossator.core.code import CodeServers
from glossator.core.document import Document
from glossator.core.errors import EmbeddingFailed, ModelError, StoreUnavailable
from glossator.core.ports import EditorPort
from glossator.core.span import Statement
from glossator.core.text import PositionEncoding
from glossator.core.uri import to_path, to_uri
from glossator.customizations import CustomizationFiles
from glossator.hooks import Hooks
from glossator.language_servers import LanguageServers
from glossator.llm import Meter, Model, Models, options_of
from glossator.mcp import McpServers, News, ToolsWithMcp
from glossator.memory import Memories
from glossator.permissions import Approvals, Switches, ToldOnce, in_open_worktree, worktree_at
from glossator.retrieval import RankedRetriever, Rerank, Retriever, Stages, contexts_file
from glossator.sessions import Run, Runs, Session, Sessions
from glossator.settings import Settings
from glossator.store import Retention
from glossator.symbols import SymbolFinder
from glossator.tools import Registry, ToolContext, schema_of
from glossator.worker import JobFailed, Worker, WorkerGone
from glossator.workspace import (
    FolderFinder,
    Indexing,
    WorkspaceHost,
    WorkspaceSnapshot,
    begin_search,
    encoding_rules,
    is_inside,
    troubles_file,
)

if TYPE_CHECKING:
    from glossator.retrieval import (
        ContextStore,
        EmbedderChoice,
        Embedding,
        SharedContexts,
        VectorPlace,
    )

logger = logging.getLogger(__name__)

_INDEX_WAIT = 6.0  # seconds for a first search, where no later one would find it built
_HEAD_START = 1.5  # seconds for a first question to be sent


class Application:
    """Owns everything; made and closed by an edge. `trusted` is None if the edge does not know."""

    def __init__(  # noqa: PLR0913, PLR0915, PLR0917 - what an edge knows, and all it owns
        self,
        roots: tuple[str, ...],
        settings: Settings,
        port: EditorPort,
        encoding: PositionEncoding,
        environment: Mapping[str, str],
        problems: tuple[str, ...] = (),
        trusted: bool | None = None,
        encodings: object = None,
        within: Application | None = None,
    ) -> None:
        """`within` is the application of the workspace, where this is that of a worktree of it."""
        self.within = within
        self.settings = settings
        self.port = port
        self.problems = problems  # what is wrong with settings that were left out
        self.environment = environment
        self.worker: Worker = (
            within.worker if within else Worker(saved=lambda: troubles_file(self.host.folders))
        )
        progress = BuildProgress(port, "Glossator: building the index", self._cancel_build)
        indexing = Indexing(self.worker, port.tell, progress)
        rules = encoding_rules(settings.files.encodings, encodings)  # the editor's are unchecked
        self.host: WorkspaceHost = WorkspaceHost(
            roots, settings.workspace, indexing, encoding, rules
        )
        self.symbols = SymbolFinder(self.worker, settings.workspace)
        chunking = BuildProgress(port, "Glossator: indexing for Search", self._cancel_chunks)
        self.retriever = Retriever(
            self.host,
            self.worker,
            settings.workspace,
            chunking,
            notice=port.tell,
            embedding=self._embedding,
        )
        self.retriever.wait = _INDEX_WAIT if port.leaves else 0.0
        if settings.retrieval.contexts == "generated":
            self.retriever.index.contexts = contexts_file()
        self.retriever.stages = Stages(rerank=settings.retrieval.reranker != "none")
        self.hover_cache = HoverCache(self.host, self.symbols)
        self.folders = FolderFinder()
        self.memories: Memories = within.memories if within else Memories(lambda: self.host.roots)
        shared = within.acting if within else None
        self.acting: Acting = Acting(self.host, port, settings, environment, trusted, shared)
        self.language_servers = LanguageServers(
            self.host,
            settings.language_servers,
            environment,
            self.acting.limited,
            self.acting.trust.trusts,
            port.tell,
        )
        own = self.language_servers  # the editor's know the workspace's files, and no worktree's
        self.code: CodeServers = own if within else EditorCode(port, own)
        own_tools = all_tools(
            diagnostics=self.code.tells_diagnostics,
            agents=settings.agents.parallel > 0,
            memory=settings.memory.enabled,
            code=self.code.are_there,
        )
        check_tools(own_tools.values())
        disabled = settings.customizations.disabled
        self.customization_files = CustomizationFiles.of_user(environment, disabled, own_tools)
        self.exploring = asyncio.Semaphore(settings.agents.parallel)  # sub-agents at work
        self.trees: Trees[Application] = within.trees if within else Trees(self, self._worktree)
        self.models: Models
        self.sessions: Sessions
        self.runs: Runs
        if within:
            self.models, self.sessions, self.runs = within.models, within.sessions, within.runs
        else:
            options = options_of(settings.models)
            self.models = Models(settings.models, environment, options, self._statements)
            self.sessions = Sessions(
                lambda: self.host.roots,
                port.tell,
                kept_sessions(settings),
                let_go=self._let_go,
                who=place_of(port.editor),
                more_roots=self.trees.roots,
            )
            self.runs = Runs(port)
        self.anchors = AnchorIndex(self.host)
        self.cited = CitedAnswers(self.host, self.anchors, port)
        keep_glosses = Retention(**settings.glosses.model_dump())
        self.glosses = GlossIndex(self.host, self.anchors, keep_glosses, port.tell)
        self.approvals = Approvals(port.tell)
        self.switches = Switches(port.tell, lambda: self.host.roots)
        self.told_once = ToldOnce(port.tell, lambda: self.host.roots)
        self.hooks = Hooks(settings.hooks, self.approvals, self.switches)
        self.ledger = open_ledger(settings, environment, self.host, self.anchors, self.acting, port)
        self.summaries = Summaries(settings, self.models, self.ledger)
        self.titles = Titles(settings, self.models, port, self.sessions.settle)
        self.handover = Handover(self.sessions, self.runs, port, self.quiet)
        self.mcp = McpServers(
            settings=settings.mcp,
            environment=environment,
            roots=lambda: self.host.snapshot().roots,
            is_trusted=lambda: self.acting.trust.is_trusted,
            port=port,
            approvals=self.approvals,
            switches=self.switches,
        )
        self.tools: Registry = ToolsWithMcp(own_tools, self.mcp, port.begin)
        self._mcp_news: WeakKeyDictionary[Session, News] = WeakKeyDictionary()
        self.git = Git(self.host, self.acting, port.tell)
        self.editor_state: EditorState | None = None  # None: the editor does not tell it
        self._contexts: ContextStore | None = None
        self.team = TeamContexts(self)
        self.embedding_problem = ""  # why nothing is embedded, though it was asked for
        self._needed = asyncio.Event()  # somebody waits for the workspace to be scanned
        self._starting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to ready the model, then to scan and watch the workspace; returns at once."""
        self._starting = asyncio.create_task(self._start())
        if self.within is None:
            self.sessions.prune(in_open_worktree)
            self.handover.start()
        self.glosses.look_soon()
        self.ledger.look_soon()

    async def scanned(self) -> None:
        """Wait until the model is ready and the workspace has been scanned."""
        if self._starting:
            await asyncio.shield(self._starting)
        await self.host.ready()

    async def ready(self) -> None:
        """Like `scanned`, but begins the scan now if it is still held back."""
        self._needed.set()
        await self.scanned()

    def own_uri(self, uri: str) -> str:
        """In a worktree, its own file in place of the one that is open in the workspace."""
        path = to_path(uri)
        tree = worktree_at(self.host.roots[0]) if self.within else None
        if tree is None or path is None:
            return uri
        real = self.host.canonical(path)
        return to_uri(tree.mirrored(real)) if is_inside(real, tree.origin) else uri

    def renamed(self, names: Mapping[str, str]) -> None:
        """Follow a renaming that the editor reports: what cites the files goes with them."""
        real = self.host.canonical
        self.anchors.renamed({real(old): real(new) for old, new in names.items()})

    async def close(self) -> None:
        """End every run, then close everything; of a worktree what is its own."""
        if self.within is None:
            await self.handover.close()
            await self.runs.drain()
            await self.trees.close()
        if self._starting:
            self._starting.cancel()  # a scan that nobody will use is not begun
            await asyncio.wait({self._starting})
        await self.summaries.close()
        await self.titles.stop()
        await self.mcp.close()
        await self.language_servers.close()
        await self.git.close()
        await self.acting.close()
        if self.within is None:
            await self.sessions.close()
        await self.cited.close()
        await self.anchors.close()
        await self.glosses.close()
        await self.ledger.close()
        await self.hover_cache.close()
        await self.retriever.close()  # first, since what it indexes is looked up
        await self.team.close()
        if self._contexts is not None:
            await self._contexts.close()
        await self.host.close()
        if self.within is None:
            await self.worker.close()
            await self.models.close()

    @property
    def contexts(self) -> ContextStore:
        """Where generated contexts are kept, and shared if the settings say so."""
        if self._contexts is None:
            # rarely needed
            from glossator.application.context_source import open_contexts  # noqa: PLC0415

            url = self.settings.store.url
            self._contexts = open_contexts(url, self.environment, self.port.tell)
        return self._contexts

    @property
    def sharing(self) -> SharedContexts | None:
        """`contexts` where a team shares them; None if it does not."""
        if not self.settings.store.url:
            return None
        from glossator.retrieval import SharedContexts  # noqa: PLC0415 - rarely needed

        return self.contexts if isinstance(self.contexts, SharedContexts) else None

    async def describe_sharing(self) -> str:
        """Where a team shares generated contexts, and how many came from there; "" if nowhere."""
        try:
            return "" if self.sharing is None else await self.sharing.described()
        except StoreUnavailable as error:
            return str(error)

    @property
    def model(self) -> Model:
        """The model that runs use from now on."""
        return self.models.main

    def now(self) -> WorkspaceNow:
        """The workspace as it is now; look again after every await."""
        snapshot = self.host.snapshot()
        roots, acting = snapshot.roots, self.acting
        trusted, off = acting.trust.trusts(roots), self.switches.now()
        return WorkspaceNow(snapshot, trusted, acting.hidden_in(roots), off)

    async def tool_context(
        self,
        session: Session,
        run: Run,
        meter: Meter | None = None,
        abilities: tuple[object, ...] = (),
    ) -> ToolContext:
        """What a call outside of runs sees: the newest scanned workspace; costs count in `meter`.

        Tools get `abilities` in addition to the application's own.
        """
        await self.ready()
        acting, snapshot = self.acting.of(session), self.host.snapshot()
        hidden = self.acting.hidden_in(snapshot.roots)
        return ToolContext(
            snapshot=snapshot,
            reads=session.reads,
            abilities=(
                *self.reading_abilities(meter),
                acting.shell_of(run, hidden),
                session_memories(self.memories, session, self.port.context_changed, self.switches),
                *abilities,
            ),
            edits=acting.edits(run),
            todo=session.todo,
            runs=session.runs,
            findings=session.findings,
            ask_user=self.port.ask_user,
            diagnostics=self.code.diagnostics,
            hidden=hidden,
            waiting=run.clock.waiting,
            saving_first=acting.saving_first(run, hidden),
            look_first=None if self.port.tells_typing else self._with_typing,
        )

    async def _with_typing(self, paths: Sequence[str]) -> WorkspaceSnapshot:
        """The workspace with what is typed into these files now."""
        if paths:
            await self.port.take_typing(paths)
        return self.host.snapshot()

    def reading_abilities(self, meter: Meter | None) -> tuple[object, ...]:
        """The abilities for tools that only read; the costs of ranking count in `meter`."""
        return self.symbols, self.code, RankedRetriever(self.retriever, self.reranking(meter))

    def mcp_news(self, session: Session) -> tuple[str, ...]:
        """The news of MCP servers that a conversation was not told, also before it was resumed."""
        if not self.mcp.running:
            return ()
        news = self._mcp_news.setdefault(session, News(self.mcp, session.tools, session.system))
        return tuple(each for each in news.take() if not session.conversation.was_told(each))

    def tell_mcp_again(self, session: Session) -> None:
        """Tell the conversation of MCP servers again, since a compaction dropped it."""
        self._mcp_news.pop(session, None)

    def reranking(self, meter: Meter | None = None) -> Rerank | None:
        """What reranks the hits of a search, if the settings name something; see `rerank_by`."""
        return rerank_by(
            self.settings,
            lambda: self.models.fast,
            self.environment,
            self.acting.hidden,
            self.host.snapshot,
            lambda: self.acting.trust.said is not False,
            meter,
        )

    async def warm_up(self) -> None:
        """Load what the first search and listing need, while the model thinks."""
        await self.ready()
        await asyncio.to_thread(begin_search, self.host.snapshot())

    async def quiet(self, session_id: str) -> None:
        """End what goes on in a session beside its runs."""
        for each in self.trees.applications:
            await each.summaries.stop(session_id)
            await each.titles.stop(session_id)

    def _let_go(self, session_id: str) -> bool:
        """Forget what is held for a session, unless it is at work."""
        apps = self.trees.applications
        made = any(each.summaries.busy(session_id) or each.titles.busy(session_id) for each in apps)
        if made or self.runs.busy(session_id):
            return False
        if not all(each.acting.let_go(session_id) for each in apps):
            return False
        for each in apps:
            each.cited.forget(session_id)
        return True

    def _worktree(self, roots: tuple[str, ...]) -> Application:
        """The application of a worktree: a team shares nothing of it, and nothing is embedded."""
        alone = {
            "store": self.settings.store.model_copy(update={"url": None}),
            "retrieval": self.settings.retrieval.model_copy(update={"embedder": "none"}),
        }
        return Application(
            roots,
            self.settings.model_copy(update=alone),
            self.port,
            self.host.encoding,
            self.environment,
            within=self,
        )

    def choose_embedding(self) -> tuple[EmbedderChoice, VectorPlace] | None:
        """Choose what embeds chunks, and where vectors are kept; asks no server. Runs in a thread.

        None for nothing; then `embedding_problem` says why, if something was asked for.
        """
        self.embedding_problem = ""
        try:
            distrusted = self.acting.trust.said is False
            roots = self.host.folders
            return chosen_embedding(self.settings, self.environment, roots, distrusted=distrusted)
        except (EmbeddingFailed, OSError) as error:
            logger.warning("Search goes by words alone: %s", error)
            self.embedding_problem = str(error)
            return None

    def _embedding(self) -> Embedding | None:
        """What embeds the chunks; see `choose_embedding`."""
        from glossator.retrieval import Embedding  # noqa: PLC0415 - it needs numpy

        if (chosen := self.choose_embedding()) is None:
            return None
        choice, place = chosen
        progress = BuildProgress(
            self.port, "Glossator: embedding for Search", self._pause_embedding
        )

        def announce(chunks: int, tokens: int) -> None:
            self.port.tell(embedding_notice(self.settings.models, choice, chunks, tokens))

        return Embedding(choice, place, self.worker, progress, self.acting.hides, announce)

    def _cancel_build(self) -> None:  # of an index that is made after its progress bar
        self.host.index_manager.cancel_build()

    def _cancel_chunks(self) -> None:
        self.retriever.index.cancel_build()

    def _pause_embedding(self) -> None:
        if self.retriever.embedding is not None:
            self.retriever.embedding.pause()

    async def _start(self) -> None:
        # One after the other: importing and scanning at once take turns at the interpreter's lock,
        # and both end later. The model comes first because its answer takes longest, and a question
        # that came with the start is sent before the watcher's registration stalls the loop.
        await asyncio.to_thread(self.acting.shell.sweep, self.host.roots)
        self.git.start()
        try:
            await self.model.prepare()
        except ModelError as error:  # a question gets the same error
            logger.warning("%s", error)
        if self.runs.active():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._needed.wait(), _HEAD_START)
        await self.host.start()
        if self.sharing is not None:
            self.team.start(self.sharing)
        self.retriever.start()
        await self.mcp.refresh()
        # pydantic takes 20 ms for the schemas, which the first question would wait for
        await asyncio.to_thread(lambda: [schema_of(tool.args) for tool in self.tools.values()])
        await follow_context_files(self.host, self.port)
        await self.host.ready()
        await recover(self.acting, self.sessions, self.memories)

    async def _statements(
        self, path: str, first_line: int, last_line: int
    ) -> tuple[Statement, ...]:
        """The statements on these lines; if none are known, the offline model quotes paragraphs."""
        snapshot = self.trees.at(path).host.snapshot()
        document = await asyncio.to_thread(snapshot.read, path)
        if not isinstance(document, Document):
            return ()
        try:
            return await self.symbols.statements(snapshot, document, first_line, last_line)
        except (WorkerGone, JobFailed) as failure:
            logger.warning("Extracts of %s are cut at blank lines: %s", path, failure)
            return ()
