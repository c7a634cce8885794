// What goes over the wire; see docs/protocol.md. Made from the server's own types by
// `make wire`, and compared with them by a test. Lines are 1-based and inclusive.

/** The id of a hook that the workspace asks for; the user is asked, and shown all of it. */
export interface AdoptHookRequest {
  readonly id: string;
}

/** The name of a server that the workspace proposes; the user is asked, and shown all of it. */
export interface AdoptMcpServerRequest {
  readonly name: string;
}

/** A sub-agent ended; `summary` is its report as Markdown, with `citations` in their order. */
export interface AgentFinishedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "agent.finished";
  readonly agentId: string;
  readonly summary: string;
  readonly partial: string;
  readonly error: boolean;
  readonly citations: ReadonlyArray<Citation>;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly milliseconds: number;
}

/** A sub-agent of a run; `began_at` is ISO 8601. */
export interface AgentInfo {
  readonly agentId: string;
  readonly runId: string;
  readonly name: string;
  readonly task: string;
  readonly model: string;
  readonly beganAt: string;
  readonly running: boolean;
  readonly findings: number | null;
  readonly partial: string;
}

/** The sub-agents of a session's runs, oldest first. */
export interface AgentList {
  readonly agents: ReadonlyArray<AgentInfo>;
}

/** What a sub-agent does now; the counts are of all that it did so far. */
export interface AgentProgressEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "agent.progress";
  readonly agentId: string;
  readonly tool: string;
  readonly detail: string;
  readonly toolCalls: number;
  readonly tokens: number;
}

/** A sub-agent began; `call_id` is of the tool call that started it, if one did. */
export interface AgentStartedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "agent.started";
  readonly agentId: string;
  readonly callId: string | null;
  readonly name: string;
  readonly task: string;
  readonly model: string;
  readonly beganAt: string;
}

/** A sub-agent, its report if there is one, and all that was said in it, as Markdown. */
export interface AgentTranscript {
  readonly agent: AgentInfo;
  readonly report: Report | null;
  readonly text: string;
}

/** The end of a run; see `docs/protocol.md`. Dollars are None where a price is not known. */
export interface Answer {
  readonly runId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly citations: ReadonlyArray<Citation>;
  readonly changedFiles: ReadonlyArray<string>;
  readonly stop: string;
  readonly model: string;
  readonly offline: boolean;
  readonly turns: number;
  readonly milliseconds: number;
  readonly usage: Usage;
  readonly dollars: number | null;
  readonly sessionUsage: Usage;
  readonly sessionDollars: number | null;
  readonly uncited: ReadonlyArray<UncitedClaim>;
  readonly corrections: ReadonlyArray<Correction>;
  readonly unsaved: ReadonlyArray<string>;
}

/** A question; without `session_id` it begins a session, `run_id` lets the asker cancel it. */
export interface AskRequest {
  readonly question: string;
  readonly sessionId?: string | null;
  readonly runId?: string | null;
  readonly attachments?: ReadonlyArray<Attachment | Pasted>;
  readonly plan?: PlanChoice;
}

/** What the user attached: a document or lines of it (1-based), a folder, or an image. */
export interface AttachedItem {
  readonly name: string;
  readonly uri: string | null;
  readonly firstLine: number | null;
  readonly lastLine: number | null;
  readonly mediaType: string | null;
  readonly diagnostics: ReadonlyArray<Diagnostic>;
}

/** A document, lines of it (1-based, inclusive), an image or a folder the question is about. */
export interface Attachment {
  readonly uri: string;
  readonly firstLine?: number | null;
  readonly lastLine?: number | null;
}

/** A command in the background; `outcome` is how it ended, "" while it runs. */
export interface BackgroundJob {
  readonly job: string;
  readonly command: string;
  readonly beganAt: string;
  readonly outcome: string;
  readonly failed: boolean;
}

/** Who judged a sentence. */
export type Basis = "checks" | "model" | "server";

/** How many batches the provider was asked to end. */
export interface BatchesEnded {
  readonly count: number;
}

/** What the read cache did and holds; `bytes` is its memory. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly dedupes: number;
  readonly entries: number;
  readonly bytes: number;
}

/** The ids of runs and sub-agents that were ended; those already over are not among them. */
export interface CancelAnswer {
  readonly cancelled: ReadonlyArray<string>;
}

/** Which run to end, None means all; or which sub-agent, whose run then continues. */
export interface CancelRequest {
  readonly runId?: string | null;
  readonly agentId?: string | null;
}

/** A file that a turn changed, by its path in the workspace, and how many lines. */
export interface ChangedFile {
  readonly path: string;
  readonly uri: string;
  readonly change: FileChange;
  readonly added: number | null;
  readonly removed: number | null;
}

/** One thing that was looked at; `next_step` is empty when nothing needs doing. */
export interface Check {
  readonly name: string;
  readonly state: CheckState;
  readonly detail: string;
  readonly nextStep: string;
}

/** A text in Markdown whose sentences cite lines; `model`: the fast model is asked as well. */
export interface CheckRequest {
  readonly text: string;
  readonly model?: boolean;
}

/** How a check came out. */
export type CheckState = "ok" | "warning" | "failed";

/** A sentence of the text, which begins at `start` (characters). */
export interface CheckedSentence {
  readonly text: string;
  readonly start: number;
  readonly verdict: string;
  readonly basis: Basis | null;
  readonly reason: string;
  readonly citations: ReadonlyArray<Citation>;
}

/** The text, its citations in order, the claims without one, and its sentences that count. */
export interface CheckedText {
  readonly text: string;
  readonly citations: ReadonlyArray<Citation>;
  readonly uncited: ReadonlyArray<UncitedClaim>;
  readonly sentences: ReadonlyArray<CheckedSentence>;
  readonly notices: ReadonlyArray<string>;
}

/** What the user decided, and for how long. */
export type Choice = "once" | "session" | "always" | "deny";

/** The index for Search; `state` is in words, `files` are in it and `pending` ones not yet. */
export interface Chunks {
  readonly state: string;
  readonly files: number;
  readonly pending: number;
  readonly diskBytes: number;
  readonly embedding: string;
  readonly problem: string;
}

/** A citation as clients see it; without `uri` it could not be resolved. */
export interface Citation {
  readonly target: string;
  readonly status: CitationStatus;
  readonly reason: string;
  readonly uri: string | null;
  readonly firstLine: number | null;
  readonly lastLine: number | null;
  readonly basis: Basis | null;
  readonly at: number | null;
  readonly movedTo: number | null;
  readonly movedUntil: number | null;
  readonly cell: number | null;
}

/** A citation of the answer was checked, or checked anew; the newest for a place holds. */
export interface CitationCheckedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "citation";
  readonly citation: Citation;
}

/** What checking a citation found. */
export type CitationStatus = "verified" | "read" | "unsupported" | "contradicted" | "moved" | "stale";

/** All facts of the workspace and the memory of its sessions, or the `stale` facts alone. */
export interface ClearFactsRequest {
  readonly stale?: boolean;
}

/** What one server said; `by` is its name, for people and the model. */
export interface CodeAnswer {
  readonly by: string;
  readonly places?: ReadonlyArray<CodePlace>;
  readonly text?: string;
  readonly edits?: ReadonlyArray<CodeEdit>;
  readonly refused?: string;
  readonly filesToo?: boolean;
  readonly encoding?: "utf-8" | "utf-16" | "utf-32";
}

/** A text that is to replace that between two positions: 0-based lines, and characters. */
export interface CodeEdit {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

/** What is asked of the name at a place. */
export type CodeKind = "definitions" | "references" | "implementations" | "callers" | "callees" | "type" | "rename";

/** The 0-based line of a name; `name` is who calls, or is called, where that was asked. */
export interface CodePlace {
  readonly uri: string;
  readonly line: number;
  readonly name?: string;
  readonly calls?: ReadonlyArray<number>;
}

/** About how many tokens a request took before and takes now. */
export interface CompactAnswer {
  readonly before: number;
  readonly after: number;
  readonly byModel: boolean;
}

/** The session to compact. */
export interface CompactRequest {
  readonly sessionId: string;
}

/** The conversation goes on as a shorter one; both figures are estimated tokens of a request. */
export interface CompactionEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "compaction";
  readonly before: number;
  readonly after: number;
  readonly byModel: boolean;
}

/** The items, best first; `typed` is the end of the text that they are for, "" if none can be. */
export interface CompleteAnswer {
  readonly items: ReadonlyArray<CompletionItem>;
  readonly typed: string;
  readonly incomplete: boolean;
}

/** The question up to the cursor; `limit` is for mentions, commands are few. */
export interface CompleteRequest {
  readonly text: string;
  readonly limit?: number;
  readonly sessionId?: string | null;
}

/** `insert` replaces what was `typed`. */
export interface CompletionItem {
  readonly kind: CompletionKind;
  readonly label: string;
  readonly detail: string;
  readonly insert: string;
}

/** What an item completes to. */
export type CompletionKind = "file" | "folder" | "symbol" | "diagnostics" | "terminal" | "git" | "resource" | "command" | "custom" | "skill" | "prompt";

/** What can be done with it now. */
export type ContextAction = "turnOn" | "turnOff" | "adopt" | "forget" | "pin" | "unpin" | "login" | "logout" | "restart" | "rebuild" | "configure" | "open";

/** The window of a session in tokens: all that there is, what is in it, what is cached. */
export interface ContextAnswer {
  readonly sessionId: string | null;
  readonly title: string;
  readonly model: string;
  readonly offline: boolean;
  readonly window: number;
  readonly compactAt: number | null;
  readonly tokens: number;
  readonly cached: number;
  readonly cachedUntil: string | null;
  readonly counted: number | null;
  readonly estimated: number | null;
  readonly basis: string;
  readonly layers: ReadonlyArray<Layer>;
  readonly leftOut: ReadonlyArray<string>;
}

/** What something is that goes into the window, or changes what does. */
export type ContextKind = "instructions" | "memory" | "fact" | "skill" | "command" | "agent" | "hook" | "mcp" | "rule" | "index";

/** Something that goes into the window, or would. */
export interface ContextSource {
  readonly kind: ContextKind;
  readonly id: string;
  readonly name: string;
  readonly source: "user" | "project";
  readonly state: ContextState;
  readonly why: string;
  readonly detail: string;
  readonly uri: string;
  readonly actions: ReadonlyArray<ContextAction>;
}

/** All of it, by kind, as the kinds are listed; `problems` are sentences about what is not. */
export interface ContextSourceList {
  readonly sources: ReadonlyArray<ContextSource>;
  readonly problems: ReadonlyArray<string>;
}

/** Whether it counts now. */
export type ContextState = "on" | "off" | "stale" | "proposed" | "changed" | "untrusted" | "waiting" | "needs login" | "problem";

/** What came of making contexts; `stopped` says why it ended before all were made, or "". */
export interface ContextsAnswer {
  readonly estimate: ContextsEstimate;
  readonly made: number;
  readonly failed: number;
  readonly problems: ReadonlyArray<string>;
  readonly stopped: string;
  readonly dollars: number | null;
  readonly cost: string;
}

/** What the generated contexts that are missing would take, about; nothing was sent. */
export interface ContextsEstimate {
  readonly model: string;
  readonly files: number;
  readonly chunks: number;
  readonly kept: number;
  readonly underWay: number;
  readonly leftOut: number;
  readonly documentTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly dollars: number | null;
  readonly batchDollars: number | null;
  readonly batchMost: number | null;
  readonly takesBatches: boolean;
  readonly limit: number | null;
  readonly inWords: string;
  readonly sharing: string;
}

/** The contexts of this workspace as JSON lines, and how many they are. */
export interface ContextsExported {
  readonly text: string;
  readonly count: number;
}

/** How many contexts were taken in; those that were there already stay. */
export interface ContextsImported {
  readonly count: number;
}

/** What was done with a sentence that its lines do not carry. */
export type Correcting = "rewritten" | "marked" | "dropped";

/** A sentence of the answer was changed; `after` is "" for one that was dropped. */
export interface Correction {
  readonly what: Correcting;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/** A sentence of the answer was changed; `after` is "" for one that was dropped. */
export interface CorrectionEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "correction";
  readonly what: Correcting;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/** One that a file describes; `why` says why it is not on, or what of it has no effect. */
export interface Customization {
  readonly kind: CustomizationKind;
  readonly name: string;
  readonly source: "user" | "project";
  readonly path: string;
  readonly uri: string;
  readonly state: CustomizationState;
  readonly why: string;
  readonly description: string;
  readonly hint: string;
}

/** What a file describes. */
export type CustomizationKind = "agent" | "skill" | "command";

/** What files describe, the user's own first; `left_out` counts what takes trust. */
export interface CustomizationList {
  readonly items: ReadonlyArray<Customization>;
  readonly leftOut: ReadonlyArray<string>;
}

/** Whether it is used: switched off or hidden (`off`), of a folder that is not trusted, wrong. */
export type CustomizationState = "on" | "off" | "untrusted" | "problem";

/** What is left out of a detail that is too long to be sent: so many bytes before `tail`. */
export interface Cut {
  readonly bytes: number;
  readonly tail: string;
}

/** The session to delete for good. */
export interface DeleteSessionRequest {
  readonly sessionId: string;
}

/** The session that was deleted. */
export interface DeletedSession {
  readonly id: string;
}

/** One finding; `line` is 1-based, `source` names who found it. */
export interface Diagnostic {
  readonly line: number;
  readonly severity: Severity;
  readonly message: string;
  readonly source?: string;
}

/** Why a reply is void. */
export type DiscardReason = "broke off" | "citations" | "plan" | "hook";

/** The session whose worktree is thrown away; if something would be lost, only `anyway`. */
export interface DiscardWorktreeRequest {
  readonly sessionId: string;
  readonly anyway?: boolean;
}

/** A session's worktree that was thrown away; with `lost` it was not: that would be lost. */
export interface DiscardedWorktree {
  readonly sessionId: string;
  readonly branch: string;
  readonly lost: string;
}

/** All checks, in the order to read them. */
export interface DoctorAnswer {
  readonly checks: ReadonlyArray<Check>;
}

/** Takes nothing. */
export type DoctorRequest = object;

/** A run that the conversation knows nothing of any more, and what was asked. */
export interface DroppedRun {
  readonly runId: string;
  readonly question: string;
}

/** A plan as clients see it: what a tool wants to change. */
export interface EditPlan {
  readonly id: string;
  readonly label: string;
  readonly hunks: ReadonlyArray<Hunk>;
  readonly asOne: boolean;
}

/** A tool wants to change files; the plan is shown before it is applied. */
export interface EditProposedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "edit.proposed";
  readonly plan: EditPlan;
}

/** What became of a plan: applied, perhaps in part as `note` says, or not at all. */
export interface EditSettledEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "edit.settled";
  readonly planId: string;
  readonly applied: boolean;
  readonly note: string;
  readonly leftOut: ReadonlyArray<string>;
}

/** The active document and what is visible and selected of it; `tabs` are open documents. */
export interface EditorState {
  readonly active?: string | null;
  readonly visible?: ShownLines | null;
  readonly selected?: ShownLines | null;
  readonly tabs?: ReadonlyArray<string>;
}

/** With `forget` the batches are given up as well, and what they made is lost. */
export interface EndBatchesRequest {
  readonly forget?: boolean;
}

/** The files are those of the workspace, or those below `path` that match `glob`. */
export interface EstimateContextsRequest {
  readonly path?: string | null;
  readonly glob?: string | null;
}

/** What to find out, how far to go, and the paths to look in, all of them if none is named. */
export interface ExploreRequest {
  readonly task: string;
  readonly thoroughness?: Thoroughness;
  readonly paths?: ReadonlyArray<string>;
  readonly agent?: string;
  readonly attachments?: ReadonlyArray<Attachment | Pasted>;
  readonly sessionId?: string | null;
  readonly runId?: string | null;
}

/** The answer, whose text is the report's Markdown; it stands in the session's conversation. */
export interface Explored {
  readonly runId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly citations: ReadonlyArray<Citation>;
  readonly changedFiles: ReadonlyArray<string>;
  readonly stop: string;
  readonly model: string;
  readonly offline: boolean;
  readonly turns: number;
  readonly milliseconds: number;
  readonly usage: Usage;
  readonly dollars: number | null;
  readonly sessionUsage: Usage;
  readonly sessionDollars: number | null;
  readonly uncited: ReadonlyArray<UncitedClaim>;
  readonly corrections: ReadonlyArray<Correction>;
  readonly unsaved: ReadonlyArray<string>;
  readonly report: Report;
  readonly document: string | null;
}

/** The facts of the workspace as JSON, or the memory core of a session. */
export interface ExportFactsRequest {
  readonly sessionId?: string | null;
}

/** Markdown is for reading; JSON has everything. */
export type ExportFormat = "markdown" | "json";

/** The session to export, and the format. */
export interface ExportSessionRequest {
  readonly sessionId: string;
  readonly format?: ExportFormat;
}

/** The text of a session, and a name for a file to put it in. */
export interface ExportedSession {
  readonly fileName: string;
  readonly text: string;
}

/** A fact as clients see it; the lines are where they stand now, if it is fresh. */
export interface Fact {
  readonly id: string;
  readonly statement: string;
  readonly path: string;
  readonly uri: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly state: FactState;
  readonly confidence: number;
  readonly createdAt: string;
  readonly sessionId: string;
  readonly pinned: boolean;
}

/** A fact was added to the ledger, or is another one now. */
export interface FactChangedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "fact";
  readonly fact: Fact;
}

/** The facts of the workspace: pinned ones first, then the newest; `problems` are sentences. */
export interface FactList {
  readonly facts: ReadonlyArray<Fact>;
  readonly problems: ReadonlyArray<string>;
}

/** Whether the lines of a fact are as they were when it was judged. */
export type FactState = "fresh" | "stale";

/** A file that a turn changed, and its text before, "" for a new one. */
export interface FileBefore {
  readonly file: ChangedFile;
  readonly before: string | null;
}

/** A turn of a session, and a file that it changed: its path as events or plans name it. */
export interface FileBeforeRequest {
  readonly sessionId: string;
  readonly turn: string;
  readonly path: string;
}

/** What became of a file. */
export type FileChange = "created" | "changed" | "deleted";

/** The findings for one document; `pending`: those for the version wanted did not come yet. */
export interface FileDiagnostics {
  readonly uri: string;
  readonly items: ReadonlyArray<Diagnostic>;
  readonly pending?: boolean;
}

/** The files that the run changed, by edits and by commands; before the run's end. */
export interface FilesChangedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "files.changed";
  readonly files: ReadonlyArray<ChangedFile>;
  readonly more: number;
  readonly unsaved: ReadonlyArray<string>;
}

/** Takes nothing. */
export type FindLocalServersRequest = object;

/** A block of Markdown as it was written, and what checking its citations found, in order. */
export interface Finding {
  readonly text: string;
  readonly citations: ReadonlyArray<Citation>;
}

/** The facts to forget, by their ids. */
export interface ForgetFactRequest {
  readonly ids: ReadonlyArray<string>;
}

/** The id of a hook that was adopted; it runs no more. */
export interface ForgetHookRequest {
  readonly id: string;
}

/** The name of a server that was adopted; it is ended. */
export interface ForgetMcpServerRequest {
  readonly name: string;
}

/** The facts that were removed, and how many are left here. */
export interface ForgottenFacts {
  readonly facts: ReadonlyArray<Fact>;
  readonly sessions: ReadonlyArray<string>;
  readonly left: number;
}

/** The name of the memory whose file was deleted, and how many are left here. */
export interface ForgottenMemory {
  readonly name: string;
  readonly left: number;
}

/** Lines (1-based, inclusive) that a call found, for people to open. */
export interface FoundPlace {
  readonly path: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly context: string;
}

/** At most `dollars` are spent, which must not exceed `retrieval.contextDollars`. */
export interface GenerateContextsRequest {
  readonly confirmed?: boolean;
  readonly dollars?: number | null;
  readonly batched?: boolean;
  readonly path?: string | null;
  readonly glob?: string | null;
}

/** A file, a folder, a line of a file (1-based), or a symbol by its `name`, perhaps below `uri`. */
export interface GlossRequest {
  readonly uri?: string | null;
  readonly line?: number | null;
  readonly name?: string | null;
  readonly thoroughness?: Thoroughness;
  readonly sessionId?: string | null;
  readonly runId?: string | null;
}

/** A part; `uri` and the lines are where it comes from, `tokens` is null where it is not known. */
export interface Going {
  readonly kind: GoingKind;
  readonly name: string;
  readonly why: string;
  readonly tokens: number | null;
  readonly uri: string | null;
  readonly firstLine: number | null;
  readonly lastLine: number | null;
}

/** What goes with a question. */
export type GoingKind = "attached" | "mentioned" | "instructions" | "memory" | "fact" | "editor" | "git" | "workspace";

/** A hook as it is listed; `name` is the moment, as the settings or a file name it. */
export interface Hook {
  readonly id: string;
  readonly name: string;
  readonly matcher: string;
  readonly command: string;
  readonly timeout: number | null;
  readonly source: "user" | "project";
  readonly state: "on" | "off" | "untrusted" | "unavailable" | "proposed" | "changed" | "problem";
  readonly why: string;
  readonly description: string;
  readonly path: string;
  readonly uri: string;
  readonly adopted: boolean;
}

/** The hooks, the user's own first; `problems` are sentences about files that were not read. */
export interface HookList {
  readonly hooks: ReadonlyArray<Hook>;
  readonly problems: ReadonlyArray<string>;
}

/** A hunk as clients see it: changed lines, or a whole file. */
export interface Hunk {
  readonly id: string;
  readonly kind: HunkKind;
  readonly path: string;
  readonly firstLine: number;
  readonly before: string;
  readonly after: string;
}

/** What accepting a hunk does. */
export type HunkKind = "edit" | "create" | "delete" | "rename";

/** What `glossator.exportContexts` gave, here or elsewhere. */
export interface ImportContextsRequest {
  readonly text: string;
}

/** The text index; `state` is in words, `documents` and `delta` count files in it. */
export interface Index {
  readonly state: string;
  readonly documents: number;
  readonly pending: number;
  readonly delta: number;
  readonly segments: number;
  readonly diskBytes: number;
  readonly memoryBytes: number;
  readonly problems: ReadonlyArray<string>;
}

/** How the index stands afterwards; `problems` are sentences, each with a next step. */
export interface IndexAnswer {
  readonly files: number;
  readonly indexed: number;
  readonly pending: number;
  readonly segments: number;
  readonly chunkFiles: number;
  readonly diskBytes: number;
  readonly milliseconds: number;
  readonly embedding: string;
  readonly problems: ReadonlyArray<string>;
  readonly sharing: string;
}

/** What is done to the index. */
export type IndexMode = "update" | "rebuild" | "check";

/** By default everything is built again; `check` changes nothing. */
export interface IndexRequest {
  readonly mode?: IndexMode;
}

/** The jobs of this server, oldest first: those that run, and the last that ended. */
export interface JobList {
  readonly jobs: ReadonlyArray<BackgroundJob>;
}

/** A job, and the end of all its output; a line in brackets says how much came before. */
export interface JobOutput {
  readonly job: BackgroundJob;
  readonly text: string;
}

/** A background job, as the list names it. */
export interface JobRequest {
  readonly job: string;
}

/** All background jobs as they are now, oldest first. It is no event of a run. */
export interface JobsChanged {
  readonly jobs: ReadonlyArray<BackgroundJob>;
}

/** What a part of the window is. */
export type Kind = "shared" | "session" | "tool" | "summary" | "kept" | "state" | "question" | "attachment" | "memory" | "fact" | "reminder" | "instructions" | "reply" | "thinking" | "call" | "result" | "image" | "other";

/** Parts that stand together, in the order of the window: system, tools or conversation. */
export interface Layer {
  readonly name: string;
  readonly tokens: number;
  readonly cached: number;
  readonly parts: ReadonlyArray<Part>;
}

/** Lines of a document, 1-based and inclusive (None: from its start, to its end). */
export interface LinesRequest {
  readonly uri: string;
  readonly firstLine?: number | null;
  readonly lastLine?: number | null;
  readonly instruction?: string;
  readonly diagnostics?: ReadonlyArray<Diagnostic>;
  readonly review?: boolean;
  readonly sessionId?: string | null;
  readonly runId?: string | null;
  readonly definition?: boolean;
  readonly inPlace?: boolean;
}

/** The session whose sub-agents to list. */
export interface ListAgentsRequest {
  readonly sessionId: string;
}

/** Of one `kind`, or of all; with a session, what was allowed in it is listed, too. */
export interface ListContextRequest {
  readonly kind?: ContextKind | null;
  readonly sessionId?: string | null;
}

/** Takes nothing. */
export type ListCustomizationsRequest = object;

/** All facts of the workspace, or the fresh ones that bear on a question, the best first. */
export interface ListFactsRequest {
  readonly question?: string | null;
}

/** Takes nothing. */
export type ListHooksRequest = object;

/** Takes nothing. */
export type ListJobsRequest = object;

/** With `wait`, the answer comes once each server is connected or has failed to. */
export interface ListMcpServersRequest {
  readonly wait?: boolean;
}

/** All memories that count in the workspace. */
export type ListMemoriesRequest = object;

/** Takes nothing. */
export type ListModelsRequest = object;

/** With a session, what was allowed in it is listed, too. */
export interface ListRulesRequest {
  readonly sessionId?: string | null;
}

/** Of all sessions those whose title, or one question, holds each of the `words`. */
export interface ListSessionsRequest {
  readonly words?: string;
}

/** The session whose turns to list. */
export interface ListTurnsRequest {
  readonly sessionId: string;
}

/** A rule and where it is from. */
export interface ListedRule {
  readonly text: string;
  readonly effect: "allow" | "ask" | "deny";
  readonly source: "settings" | "session" | "always";
  readonly removable: boolean;
}

/** A server of models on this machine; `name` is the program's, `profile` as in the settings. */
export interface LocalServer {
  readonly name: string;
  readonly profile: string;
  readonly url: string;
  readonly models: ReadonlyArray<string>;
  readonly problem: string;
}

/** Those that were found; `model` says in words which models answer now, or why none does. */
export interface LocalServerList {
  readonly servers: ReadonlyArray<LocalServer>;
  readonly model: string;
  readonly offline: boolean;
}

/** The name of a server at an address; the user's browser is opened, and waited for. */
export interface LoginMcpServerRequest {
  readonly name: string;
}

/** The name or the address of a server that the user logged in to; what was kept is deleted. */
export interface LogoutMcpServerRequest {
  readonly name: string;
}

/** A server of the Model Context Protocol. */
export interface McpServer {
  readonly name: string;
  readonly source: string;
  readonly uri: string | null;
  readonly state: McpState;
  readonly why: string;
  readonly description: string;
  readonly variables: ReadonlyArray<string>;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly version: string;
  readonly sha256: string;
  readonly adopted: boolean;
  readonly loggedIn: boolean;
}

/** The servers, by name, and what is wrong with the files that propose some. */
export interface McpServerList {
  readonly servers: ReadonlyArray<McpServer>;
  readonly problems: ReadonlyArray<string>;
}

/** What a server does now. */
export type McpState = "off" | "proposed" | "changed" | "untrusted" | "wrong" | "connecting" | "ready" | "needs login" | "waiting";

/** A memory as it is listed; `created` and `updated` are ISO 8601. */
export interface Memory {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly source: "user" | "project";
  readonly state: "on" | "off" | "stale";
  readonly why: string;
  readonly origin: string;
  readonly uri: string;
  readonly path: string;
  readonly created: string;
  readonly updated: string;
  readonly about: ReadonlyArray<string>;
}

/** The memories that count here, those of this workspace first; `problems` are sentences. */
export interface MemoryList {
  readonly memories: ReadonlyArray<Memory>;
  readonly problems: ReadonlyArray<string>;
}

/** A memory by name; `everywhere` tells two of one name apart: whether it counts everywhere. */
export interface MemoryRequest {
  readonly name: string;
  readonly everywhere?: boolean | null;
}

/** A memory, and all that it says. */
export interface MemoryText {
  readonly memory: Memory;
  readonly text: string;
}

/** The session whose worktree is merged into the user's branch. */
export interface MergeWorktreeRequest {
  readonly sessionId: string;
  readonly into?: string;
}

/** The branch `into` which a session's worktree was merged, as `commit`, and the files. */
export interface MergedWorktree {
  readonly sessionId: string;
  readonly branch: string;
  readonly into: string;
  readonly before: string;
  readonly commit: string;
  readonly files: ReadonlyArray<string>;
}

/** What is done without asking; each allows what the one before does. */
export type Mode = "plan" | "ask" | "acceptEdits" | "auto";

/** The mode, and the one before. */
export interface ModeAnswer {
  readonly mode: Mode;
  readonly before: Mode;
}

/** A model; window and output in tokens, None where there is no limit or none is known. */
export interface Model {
  readonly id: string;
  readonly current: boolean;
  readonly offline: boolean;
  readonly window: number | null;
  readonly maxOutput: number | null;
  readonly effort: string | null;
  readonly efforts: ReadonlyArray<string> | null;
  readonly price: Price | null;
}

/** The model and its effort, and the model before. */
export interface ModelAnswer {
  readonly model: string;
  readonly effort: string | null;
  readonly before: string;
}

/** The model that runs use now and the effort it is asked with, None for its own. */
export interface ModelList {
  readonly model: string;
  readonly effort: string | null;
  readonly models: ReadonlyArray<Model>;
  readonly problem: string;
}

/** The title shown in lists; by default the first question. */
export interface NewSessionRequest {
  readonly title?: string | null;
  readonly worktree?: string | null;
}

/** Something the user should know while the run goes on (a retry's wait, a budget's end). */
export interface NoticeEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "notice";
  readonly message: string;
  readonly about: "" | "adoptions";
}

/** Where the file of a memory is, for an editor to open. */
export interface OpenedMemory {
  readonly uri: string;
  readonly path: string;
}

/** One of the answers on offer; `detail` says what choosing it means. */
export interface Option {
  readonly label: string;
  readonly detail: string;
}

/** The outlines of files that are kept on disk. */
export interface Outlines {
  readonly entries: number;
  readonly bytes: number;
}

/** How far to go; the overview is kept as the gloss of the workspace. */
export interface OverviewRequest {
  readonly thoroughness?: Thoroughness;
  readonly sessionId?: string | null;
  readonly runId?: string | null;
}

/** Things of one kind and name, and why they are there; `cached` are those of the tokens. */
export interface Part {
  readonly kind: Kind;
  readonly name: string;
  readonly why: string;
  readonly count: number;
  readonly tokens: number;
  readonly cached: number;
  readonly deferred: boolean;
  readonly cut: string;
}

/** An image that is no file: its bytes in base64, and what the user knows it by. */
export interface Pasted {
  readonly mediaType: string;
  readonly data: string;
  readonly name: string;
}

/** The user's answer; `message` is what the model reads of what is denied, if anything. */
export interface PermissionAnswer {
  readonly choice: Choice;
  readonly message?: string;
  readonly asked?: boolean;
  readonly rules?: ReadonlyArray<string> | null;
  readonly parts?: ReadonlyArray<string> | null;
}

/** A question to the user; nothing runs before it is answered. */
export interface PermissionRequest {
  readonly tool: string;
  readonly title: string;
  readonly detail: string;
  readonly reasons: ReadonlyArray<string>;
  readonly suggestions: ReadonlyArray<string>;
  readonly cut: Cut | null;
  readonly plan: EditPlan | null;
  readonly choices: ReadonlyArray<Choice>;
  readonly sessionId: string;
  readonly sessionTitle: string;
}

/** A fact to pin, or not any more: a pinned one goes with every question, and stays. */
export interface PinFactRequest {
  readonly id: string;
  readonly on?: boolean;
}

/** A fact that was pinned, or is not any more. */
export interface PinnedFact {
  readonly fact: Fact;
}

/** The plan in Markdown, with places such as `a.py:3-7`; empty if there is none. */
export interface PlanAnswer {
  readonly plan: string;
}

/** The plan, whole, when it was made or changed. */
export interface PlanChangedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "plan";
  readonly tasks: ReadonlyArray<PlannedTask>;
}

/** Whether a question is answered by a plan; auto: what the dispatcher says. */
export type PlanChoice = "auto" | "plan" | "direct";

/** A part of a plan; `dependencies` are the ids of those that it builds on. */
export interface PlannedTask {
  readonly id: string;
  readonly description: string;
  readonly dependencies: ReadonlyArray<string>;
  readonly state: TaskState;
  readonly result: string;
}

/** The user's and the project's parts, the tokens of those that are known, and problems. */
export interface PreviewAnswer {
  readonly parts: ReadonlyArray<Going>;
  readonly tokens: number;
  readonly problems: ReadonlyArray<string>;
}

/** A question as it is being written, as `glossator.ask` takes it. */
export interface PreviewRequest {
  readonly question: string;
  readonly sessionId?: string | null;
  readonly attachments?: ReadonlyArray<Attachment | Pasted>;
}

/** US dollars per million tokens; prompts of more than `up_to` tokens cost as `above` says. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly upTo: number | null;
  readonly above: Price | null;
}

/** What is asked; `several` of the options may be chosen, and words of one's own be given. */
export interface Question {
  readonly text: string;
  readonly options: ReadonlyArray<Option>;
  readonly several: boolean;
  readonly draft: string;
  readonly refusal: string;
  readonly sessionId: string;
  readonly sessionTitle: string;
}

/** The labels of the options chosen, and the user's own words; both may be empty. */
export interface QuestionAnswer {
  readonly chosen?: ReadonlyArray<string>;
  readonly words?: string;
  readonly draft?: string;
}

/** An undone turn of a session, by default the one that was undone last. */
export interface RedoRequest {
  readonly sessionId: string;
  readonly turn?: string | null;
  readonly overwrite?: boolean;
}

/** A rule as it is listed, and where it is from; one of a session takes the session. */
export interface RemoveRuleRequest {
  readonly text: string;
  readonly source: "settings" | "session" | "always";
  readonly sessionId?: string | null;
}

/** A session's new title. */
export interface RenameSessionRequest {
  readonly sessionId: string;
  readonly title: string;
}

/** The report of the sub-agent `agent` on its `task`. */
export interface Report {
  readonly agent: string;
  readonly task: string;
  readonly findings: ReadonlyArray<Finding>;
  readonly searched: ReadonlyArray<string>;
  readonly open: ReadonlyArray<string>;
  readonly partial: string;
}

/** The name of a server that runs, or failed to. */
export interface RestartMcpServerRequest {
  readonly name: string;
}

/** The session to continue. */
export interface ResumeSessionRequest {
  readonly sessionId: string;
}

/** A session, and the events to show it again by; a reply's text is one `text.delta`. */
export interface ResumedSession {
  readonly session: SessionInfo;
  readonly events: ReadonlyArray<Event>;
  readonly undone: ReadonlyArray<UndoneTurn>;
  readonly figures: ReadonlyArray<RunFigures>;
  readonly unsaved: ReadonlyArray<UnsavedFile>;
}

/** An answer, and what took place before it as `rewind` tells it. */
export interface RetryAnswer {
  readonly runId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly citations: ReadonlyArray<Citation>;
  readonly changedFiles: ReadonlyArray<string>;
  readonly stop: string;
  readonly model: string;
  readonly offline: boolean;
  readonly turns: number;
  readonly milliseconds: number;
  readonly usage: Usage;
  readonly dollars: number | null;
  readonly sessionUsage: Usage;
  readonly sessionDollars: number | null;
  readonly uncited: ReadonlyArray<UncitedClaim>;
  readonly corrections: ReadonlyArray<Correction>;
  readonly unsaved: ReadonlyArray<string>;
  readonly runs: ReadonlyArray<DroppedRun>;
  readonly changed: ReadonlyArray<Turn>;
  readonly report: Report | null;
  readonly document: string | null;
}

/** The question of a turn of a session, by default the last; later turns are dropped, too. */
export interface RetryRequest {
  readonly sessionId: string;
  readonly turn?: string | null;
  readonly question?: string | null;
  readonly attachments?: ReadonlyArray<Attachment | Pasted> | null;
  readonly runId?: string | null;
}

/** What the user made of a plan: the ids of the hunks to apply, and words for the model. */
export interface Review {
  readonly accepted: ReadonlyArray<string>;
  readonly message?: string;
  readonly asked?: boolean;
}

/** A plan as clients see it: what a tool wants to change. */
export interface ReviewRequest {
  readonly id: string;
  readonly label: string;
  readonly hunks: ReadonlyArray<Hunk>;
  readonly asOne: boolean;
  readonly sessionId: string;
  readonly sessionTitle: string;
}

/** The runs that were dropped, oldest first; of these, the turns whose changes still stand. */
export interface RewindAnswer {
  readonly runs: ReadonlyArray<DroppedRun>;
  readonly changed: ReadonlyArray<Turn>;
}

/** A session goes back to before the question of this run, by default the last. */
export interface RewindRequest {
  readonly sessionId: string;
  readonly runId?: string | null;
}

/** The rules that hold now: those that deny first, then those that ask, and that allow. */
export interface RuleList {
  readonly rules: ReadonlyArray<ListedRule>;
}

/** The user or the client ended the run, or went on with its session in `elsewhere`. */
export interface RunCancelledEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "run.cancelled";
  readonly elsewhere: string;
}

/** The run ended without an answer; `message` says what to do. */
export interface RunFailedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "run.failed";
  readonly message: string;
}

/** What a run took: wall time, model replies, tokens and dollars, sub-agents included. */
export interface RunFigures {
  readonly runId: string;
  readonly milliseconds: number;
  readonly turns: number;
  readonly usage: Usage;
  readonly dollars: number | null;
  readonly sessionDollars: number | null;
}

/** The run ended with an answer. */
export interface RunFinishedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "run.finished";
  readonly stop: string;
}

/** A run began; `model` is the model's id, and "offline" is true when none is asked. */
export interface RunStartedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "run.started";
  readonly sessionId: string;
  readonly question: string;
  readonly model: string;
  readonly offline: boolean;
  readonly attachments: ReadonlyArray<AttachedItem>;
  readonly onlyReads: boolean;
  readonly plan: string;
  readonly beganAt: string;
  readonly shown: string;
  readonly folders: ReadonlyArray<string>;
}

/** The states of the orchestrator; `turn/orchestrator.py` has the table. */
export type RunState = "IDLE" | "ANALYSING" | "CLARIFYING" | "RETRIEVING" | "PLANNING" | "EXECUTING" | "SYNTHESISING" | "VERIFYING" | "CORRECTING" | "MEMORISING" | "DONE" | "FAILED" | "CANCELLED";

/** The best chunks first; `searched` says how much was looked at. */
export interface SearchAnswer {
  readonly hits: ReadonlyArray<SearchHit>;
  readonly searched: string;
  readonly absent: ReadonlyArray<string>;
}

/** A chunk: where it is (lines 1-based, inclusive), what encloses it, and its text. */
export interface SearchHit {
  readonly path: string;
  readonly uri: string;
  readonly sha256: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly context: string;
  readonly text: string;
  readonly score: number;
  readonly lines: ReadonlyArray<number>;
  readonly words: ReadonlyArray<string>;
  readonly stages: ReadonlyArray<StagePlace>;
  readonly reasons: ReadonlyArray<SearchReason>;
}

/** How far a feature of the reranker put a hit above (or below) the average candidate. */
export interface SearchReason {
  readonly feature: string;
  readonly value: number;
  readonly weight: number;
}

/** A question or terms, and how many chunks to give at most. */
export interface SearchRequest {
  readonly query: string;
  readonly limit?: number;
  readonly path?: string | null;
  readonly glob?: string | null;
  readonly without?: ReadonlyArray<SearchStage>;
  readonly explain?: boolean;
  readonly report?: boolean;
  readonly forModel?: boolean;
}

/** A stage of a search that can be switched off. */
export type SearchStage = "lexical" | "vectors" | "rerank";

/** A session as lists show it; times are ISO 8601, `turns` counts model replies. */
export interface SessionInfo {
  readonly id: string;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly turns: number;
  readonly running: boolean;
  readonly found: string;
  readonly elsewhere: string;
  readonly waits: boolean;
  readonly worktree: SessionWorktree | null;
}

/** The sessions of this workspace, those in which something happened last first. */
export interface SessionList {
  readonly sessions: ReadonlyArray<SessionInfo>;
}

/** The mode of a session that had a run here, or was given one. */
export interface SessionMode {
  readonly sessionId: string;
  readonly mode: Mode;
}

/** A session that is called something else now, or that another server has taken over. */
export interface SessionNow {
  readonly sessionId: string;
  readonly title: string;
  readonly elsewhere: string;
}

/** The worktree that a session works in, its branch, and what of the workspace is where in it. */
export interface SessionWorktree {
  readonly name: string;
  readonly branch: string;
  readonly folders: ReadonlyArray<string>;
  readonly state: string;
  readonly changed: number | null;
  readonly into: string;
}

/** The mode of a session, from its next tool call until the server ends. */
export interface SetModeRequest {
  readonly mode: Mode;
  readonly sessionId?: string | null;
  readonly once?: boolean;
}

/** The model from the next run on, until the server ends; without an effort the model's own. */
export interface SetModelRequest {
  readonly model: string;
  readonly effort?: "low" | "medium" | "high" | "xhigh" | "max" | null;
}

/** How bad it is, worst first. */
export type Severity = "error" | "warning" | "information" | "hint";

/** A session and one of its sub-agents. */
export interface ShowAgentRequest {
  readonly sessionId: string;
  readonly agentId: string;
}

/** A session; without one, the answer is about a new session's first request. */
export interface ShowContextRequest {
  readonly sessionId?: string | null;
}

/** The gloss of the subject with this key. */
export interface ShowGlossRequest {
  readonly key: string;
}

/** A session whose last run ended with a plan. */
export interface ShowPlanRequest {
  readonly sessionId: string;
}

/** A gloss as a document of Markdown; `state` says whether the lines it cites changed. */
export interface ShownGloss {
  readonly uri: string;
  readonly title: string;
  readonly state: string;
  readonly text: string;
}

/** Lines of a document, 1-based and inclusive. */
export interface ShownLines {
  readonly firstLine: number;
  readonly lastLine: number;
}

/** `count` paths left out by one rule or for one reason; a directory counts once. */
export interface Skipped {
  readonly rule: string;
  readonly count: number;
  readonly example: string;
}

/** What a session has taken; `last` is its conversation's newest request. */
export interface Spending {
  readonly sessionId: string;
  readonly title: string;
  readonly replies: number;
  readonly brokenOff: number;
  readonly usage: Usage;
  readonly last: Usage;
  readonly dollars: number | null;
}

/** Where a stage of a search put a hit, from 1 on, and its score there. */
export interface StagePlace {
  readonly stage: string;
  readonly rank: number;
  readonly score: number;
}

/** The plan that a session's last run ended with; the session has `mode` from then on. */
export interface StartPlanRequest {
  readonly sessionId: string;
  readonly mode: Mode;
  readonly runId?: string | null;
  readonly plan?: string;
}

/** The orchestrator went over to another state; `detail` is one line or empty. */
export interface StateChangedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "state";
  readonly state: RunState;
  readonly detail: string;
}

/** See `docs/protocol.md`; None where there is nothing to say, or nothing is known. */
export interface StatusAnswer {
  readonly version: string;
  readonly model: string;
  readonly offline: boolean;
  readonly mode: Mode;
  readonly usualMode: Mode;
  readonly modes: ReadonlyArray<SessionMode>;
  readonly roots: ReadonlyArray<string>;
  readonly files: number;
  readonly openDocuments: number;
  readonly revision: number;
  readonly scanning: boolean;
  readonly watcher: string;
  readonly lastSweep: Sweep | null;
  readonly index: Index;
  readonly chunks: Chunks;
  readonly outlines: Outlines | null;
  readonly worker: string;
  readonly workerMemoryBytes: number | null;
  readonly ripgrep: string;
  readonly memoryBytes: number;
  readonly cache: CacheStatistics;
  readonly skipped: ReadonlyArray<Skipped>;
  readonly sessions: number;
  readonly spending: ReadonlyArray<Spending>;
  readonly runs: ReadonlyArray<string>;
  readonly sharing: string;
  readonly mcpServers: string;
  readonly failed: ReadonlyArray<string>;
}

/** With `wait`, the answer comes once the workspace has been scanned. */
export interface StatusRequest {
  readonly wait?: boolean;
}

/** Whether the model was told. If not, nothing was kept: ask it as the next question. */
export interface SteerAnswer {
  readonly steered: boolean;
}

/** Words for the run of this id or in this session; without either for the only one that is on. */
export interface SteerRequest {
  readonly text: string;
  readonly runId?: string | null;
  readonly sessionId?: string | null;
  readonly attachments?: ReadonlyArray<Attachment | Pasted>;
}

/** The model is told what the user said during the run; its replies from here on know it. */
export interface SteeredEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "steered";
  readonly text: string;
  readonly attachments: ReadonlyArray<AttachedItem>;
}

/** The session to summarise. */
export interface SummariseRequest {
  readonly sessionId: string;
}

/** What a session was about so far, in sentences; `by_model` is false for an extracted one. */
export interface SummaryAnswer {
  readonly sessionId: string;
  readonly mainTopics: ReadonlyArray<string>;
  readonly keyConclusions: ReadonlyArray<string>;
  readonly unresolvedQuestions: ReadonlyArray<string>;
  readonly byModel: boolean;
}

/** The last look at the whole disk: why, how long ago it began, how long it took. */
export interface Sweep {
  readonly cause: string;
  readonly secondsAgo: number;
  readonly milliseconds: number;
  readonly differences: number;
}

/** Turn something `on`, or off, in this workspace, by its id; or by its name. */
export interface SwitchContextRequest {
  readonly kind: ContextKind;
  readonly id: string;
  readonly on: boolean;
}

/** The session to take over from where it is open. */
export interface TakeOverRequest {
  readonly sessionId: string;
}

/** The session that is open here now. */
export interface TakenSession {
  readonly id: string;
  readonly title: string;
}

/** How far a task of a plan is. */
export type TaskState = "pending" | "active" | "done" | "failed";

/** The active terminal's name, and its last commands with their output, without escapes. */
export interface TerminalTold {
  readonly name: string;
  readonly text: string;
}

/** More of the answer's text. */
export interface TextDeltaEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "text.delta";
  readonly text: string;
}

/** The reply under way is void, with every delta of it so far; another takes its place. */
export interface TextDiscardedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "text.discarded";
  readonly reason: DiscardReason;
}

/** More of the model's summarised thinking. */
export interface ThinkingDeltaEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "thinking.delta";
  readonly text: string;
}

/** How far a question is followed up; each has a budget in the settings. */
export type Thoroughness = "quick" | "medium" | "very";

/** One step. */
export interface Todo {
  readonly text: string;
  readonly state: TodoState;
}

/** The list of steps is another one now. */
export interface TodoChangedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "todo";
  readonly steps: ReadonlyArray<Todo>;
}

/** How far a step is. */
export type TodoState = "pending" | "active" | "done";

/** The result as the model sees it, and how long it took (wall time). */
export interface ToolAnswer {
  readonly text: string;
  readonly error: boolean;
  readonly omitted: number;
  readonly milliseconds: number;
}

/** A tool call ended; `summary` is one line. */
export interface ToolFinishedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "tool.finished";
  readonly callId: string;
  readonly tool: string;
  readonly summary: string;
  readonly error: boolean;
  readonly milliseconds: number;
  readonly unsuccessful: boolean;
  readonly places: ReadonlyArray<FoundPlace>;
  readonly answer: string | null;
}

/** What the model read of a call of a tool: a text, which is data, and how many images. */
export interface ToolOutputAnswer {
  readonly text: string;
  readonly images: number;
  readonly callId: string;
  readonly tool: string;
}

/** What a tool call gives; a later one of the same call takes its place. */
export interface ToolOutputEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "tool.output";
  readonly callId: string;
  readonly text: string;
  readonly live: boolean;
}

/** A session and one of its tool calls, by the id that its events have; else its newest. */
export interface ToolOutputRequest {
  readonly sessionId: string;
  readonly callId?: string | null;
}

/** A tool's name and its arguments, as the model would give them. */
export interface ToolRequest {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A tool call began; `arguments` is the model's input, `about` what to show in its place. */
export interface ToolStartedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "tool.started";
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly about: string;
}

/** A turn that changed files, and what was asked; `undoes` are the turns it took back. */
export interface Turn {
  readonly turn: string;
  readonly question: string;
  readonly paths: ReadonlyArray<string>;
  readonly undoes: ReadonlyArray<string>;
  readonly undoneBy: string | null;
}

/** Oldest first. */
export interface TurnList {
  readonly turns: ReadonlyArray<Turn>;
}

/** All turns of a session that are undone now, oldest first; what is not named is not undone. */
export interface TurnsUndone {
  readonly sessionId: string;
  readonly turns: ReadonlyArray<UndoneTurn>;
}

/** `answer[start:end]` claims something about the workspace and cites nothing. */
export interface UncitedClaim {
  readonly statement: string;
  readonly start: number;
  readonly end: number;
}

/** `answer[start:end]` claims something about the workspace and cites nothing. */
export interface UncitedClaimEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "uncited";
  readonly statement: string;
  readonly start: number;
  readonly end: number;
}

/** What was brought back; `turn` undoes the undo, None if nothing was changed. */
export interface UndoAnswer {
  readonly turn: string | null;
  readonly restored: ReadonlyArray<string>;
  readonly removed: ReadonlyArray<string>;
  readonly conflicts: ReadonlyArray<UndoProblem>;
  readonly failed: ReadonlyArray<UndoProblem>;
  readonly incomplete: boolean;
  readonly jobs: ReadonlyArray<string>;
  readonly undid: ReadonlyArray<string>;
  readonly redid: ReadonlyArray<string>;
  readonly undone: ReadonlyArray<UndoneTurn>;
  readonly unsaved: ReadonlyArray<string>;
}

/** A file that is not as it was, and why. */
export interface UndoProblem {
  readonly path: string;
  readonly reason: string;
}

/** One turn of a session (by default the last not undone), or with `since` all from it on. */
export interface UndoRequest {
  readonly sessionId: string;
  readonly turn?: string | null;
  readonly since?: boolean;
  readonly overwrite?: boolean;
  readonly paths?: ReadonlyArray<string>;
}

/** A turn whose changes are not in the files now: the undo `by` took them back. */
export interface UndoneTurn {
  readonly turn: string;
  readonly by: string;
}

/** A file that a run edited, by its path in the workspace, whose edit is not on disk. */
export interface UnsavedFile {
  readonly runId: string;
  readonly path: string;
  readonly uri: string;
  readonly gone: boolean;
}

/** All such files of a session as they are now. It is no event of a run. */
export interface UnsavedFiles {
  readonly sessionId: string;
  readonly files: ReadonlyArray<UnsavedFile>;
}

/** Tokens of one or more model requests; total input is the sum of the first three. */
export interface Usage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** Tokens of one or more model requests; total input is the sum of the first three. */
export interface UsageEvent {
  readonly runId: string;
  readonly seq: number;
  readonly kind: "usage";
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** A document, and the version its findings must be of at least; None: any. */
export interface Wanted {
  readonly uri: string;
  readonly version: number | null;
}

/** All that a run tells while it goes on. */
export type Event = RunStartedEvent | TextDeltaEvent | ThinkingDeltaEvent | TextDiscardedEvent | ToolStartedEvent | ToolOutputEvent | ToolFinishedEvent | FilesChangedEvent | TodoChangedEvent | EditProposedEvent | EditSettledEvent | AgentStartedEvent | AgentProgressEvent | AgentFinishedEvent | CitationCheckedEvent | UncitedClaimEvent | CorrectionEvent | StateChangedEvent | PlanChangedEvent | FactChangedEvent | UsageEvent | CompactionEvent | NoticeEvent | SteeredEvent | RunFinishedEvent | RunFailedEvent | RunCancelledEvent;

/** What each command takes and answers. */
export interface Commands {
  readonly "glossator.ask": { readonly request: AskRequest; readonly answer: Answer };
  readonly "glossator.newSession": { readonly request: NewSessionRequest; readonly answer: SessionInfo };
  readonly "glossator.listSessions": { readonly request: ListSessionsRequest; readonly answer: SessionList };
  readonly "glossator.resumeSession": { readonly request: ResumeSessionRequest; readonly answer: ResumedSession };
  readonly "glossator.takeOver": { readonly request: TakeOverRequest; readonly answer: TakenSession };
  readonly "glossator.renameSession": { readonly request: RenameSessionRequest; readonly answer: SessionInfo };
  readonly "glossator.deleteSession": { readonly request: DeleteSessionRequest; readonly answer: DeletedSession };
  readonly "glossator.mergeWorktree": { readonly request: MergeWorktreeRequest; readonly answer: MergedWorktree };
  readonly "glossator.discardWorktree": { readonly request: DiscardWorktreeRequest; readonly answer: DiscardedWorktree };
  readonly "glossator.exportSession": { readonly request: ExportSessionRequest; readonly answer: ExportedSession };
  readonly "glossator.compact": { readonly request: CompactRequest; readonly answer: CompactAnswer };
  readonly "glossator.rewind": { readonly request: RewindRequest; readonly answer: RewindAnswer };
  readonly "glossator.retry": { readonly request: RetryRequest; readonly answer: RetryAnswer };
  readonly "glossator.undoTurn": { readonly request: UndoRequest; readonly answer: UndoAnswer };
  readonly "glossator.redoTurn": { readonly request: RedoRequest; readonly answer: UndoAnswer };
  readonly "glossator.listTurns": { readonly request: ListTurnsRequest; readonly answer: TurnList };
  readonly "glossator.showPlan": { readonly request: ShowPlanRequest; readonly answer: PlanAnswer };
  readonly "glossator.startPlan": { readonly request: StartPlanRequest; readonly answer: Answer };
  readonly "glossator.setMode": { readonly request: SetModeRequest; readonly answer: ModeAnswer };
  readonly "glossator.listModels": { readonly request: ListModelsRequest; readonly answer: ModelList };
  readonly "glossator.findLocalServers": { readonly request: FindLocalServersRequest; readonly answer: LocalServerList };
  readonly "glossator.setModel": { readonly request: SetModelRequest; readonly answer: ModelAnswer };
  readonly "glossator.explain": { readonly request: LinesRequest; readonly answer: Answer };
  readonly "glossator.fix": { readonly request: LinesRequest; readonly answer: Answer };
  readonly "glossator.edit": { readonly request: LinesRequest; readonly answer: Answer };
  readonly "glossator.refactor": { readonly request: LinesRequest; readonly answer: Answer };
  readonly "glossator.document": { readonly request: LinesRequest; readonly answer: Answer };
  readonly "glossator.writeTests": { readonly request: LinesRequest; readonly answer: Answer };
  readonly "glossator.exploreUsage": { readonly request: LinesRequest; readonly answer: Explored };
  readonly "glossator.gloss": { readonly request: GlossRequest; readonly answer: Explored };
  readonly "glossator.showGloss": { readonly request: ShowGlossRequest; readonly answer: ShownGloss };
  readonly "glossator.exploreWorkspace": { readonly request: OverviewRequest; readonly answer: Explored };
  readonly "glossator.explore": { readonly request: ExploreRequest; readonly answer: Explored };
  readonly "glossator.listAgents": { readonly request: ListAgentsRequest; readonly answer: AgentList };
  readonly "glossator.showAgent": { readonly request: ShowAgentRequest; readonly answer: AgentTranscript };
  readonly "glossator.search": { readonly request: SearchRequest; readonly answer: SearchAnswer };
  readonly "glossator.generateContexts": { readonly request: GenerateContextsRequest; readonly answer: ContextsAnswer };
  readonly "glossator.estimateContexts": { readonly request: EstimateContextsRequest; readonly answer: ContextsEstimate };
  readonly "glossator.exportContexts": { readonly request: EstimateContextsRequest; readonly answer: ContextsExported };
  readonly "glossator.importContexts": { readonly request: ImportContextsRequest; readonly answer: ContextsImported };
  readonly "glossator.endBatches": { readonly request: EndBatchesRequest; readonly answer: BatchesEnded };
  readonly "glossator.listCustomizations": { readonly request: ListCustomizationsRequest; readonly answer: CustomizationList };
  readonly "glossator.showContext": { readonly request: ShowContextRequest; readonly answer: ContextAnswer };
  readonly "glossator.preview": { readonly request: PreviewRequest; readonly answer: PreviewAnswer };
  readonly "glossator.listContext": { readonly request: ListContextRequest; readonly answer: ContextSourceList };
  readonly "glossator.switchContext": { readonly request: SwitchContextRequest; readonly answer: ContextSourceList };
  readonly "glossator.listHooks": { readonly request: ListHooksRequest; readonly answer: HookList };
  readonly "glossator.adoptHook": { readonly request: AdoptHookRequest; readonly answer: HookList };
  readonly "glossator.forgetHook": { readonly request: ForgetHookRequest; readonly answer: HookList };
  readonly "glossator.listMemories": { readonly request: ListMemoriesRequest; readonly answer: MemoryList };
  readonly "glossator.showMemory": { readonly request: MemoryRequest; readonly answer: MemoryText };
  readonly "glossator.openMemory": { readonly request: MemoryRequest; readonly answer: OpenedMemory };
  readonly "glossator.forgetMemory": { readonly request: MemoryRequest; readonly answer: ForgottenMemory };
  readonly "glossator.summarise": { readonly request: SummariseRequest; readonly answer: SummaryAnswer };
  readonly "glossator.listFacts": { readonly request: ListFactsRequest; readonly answer: FactList };
  readonly "glossator.forgetFact": { readonly request: ForgetFactRequest; readonly answer: ForgottenFacts };
  readonly "glossator.pinFact": { readonly request: PinFactRequest; readonly answer: PinnedFact };
  readonly "glossator.clearFacts": { readonly request: ClearFactsRequest; readonly answer: ForgottenFacts };
  readonly "glossator.exportFacts": { readonly request: ExportFactsRequest; readonly answer: ExportedSession };
  readonly "glossator.listMcpServers": { readonly request: ListMcpServersRequest; readonly answer: McpServerList };
  readonly "glossator.adoptMcpServer": { readonly request: AdoptMcpServerRequest; readonly answer: McpServerList };
  readonly "glossator.forgetMcpServer": { readonly request: ForgetMcpServerRequest; readonly answer: McpServerList };
  readonly "glossator.loginMcpServer": { readonly request: LoginMcpServerRequest; readonly answer: McpServerList };
  readonly "glossator.logoutMcpServer": { readonly request: LogoutMcpServerRequest; readonly answer: McpServerList };
  readonly "glossator.restartMcpServer": { readonly request: RestartMcpServerRequest; readonly answer: McpServerList };
  readonly "glossator.toolOutput": { readonly request: ToolOutputRequest; readonly answer: ToolOutputAnswer };
  readonly "glossator.listJobs": { readonly request: ListJobsRequest; readonly answer: JobList };
  readonly "glossator.showJob": { readonly request: JobRequest; readonly answer: JobOutput };
  readonly "glossator.stopJob": { readonly request: JobRequest; readonly answer: JobOutput };
  readonly "glossator.fileBefore": { readonly request: FileBeforeRequest; readonly answer: FileBefore };
  readonly "glossator.complete": { readonly request: CompleteRequest; readonly answer: CompleteAnswer };
  readonly "glossator.check": { readonly request: CheckRequest; readonly answer: CheckedText };
  readonly "glossator.tool": { readonly request: ToolRequest; readonly answer: ToolAnswer };
  readonly "glossator.cancel": { readonly request: CancelRequest; readonly answer: CancelAnswer };
  readonly "glossator.steer": { readonly request: SteerRequest; readonly answer: SteerAnswer };
  readonly "glossator.listRules": { readonly request: ListRulesRequest; readonly answer: RuleList };
  readonly "glossator.removeRule": { readonly request: RemoveRuleRequest; readonly answer: RuleList };
  readonly "glossator.rebuildIndex": { readonly request: IndexRequest; readonly answer: IndexAnswer };
  readonly "glossator.status": { readonly request: StatusRequest; readonly answer: StatusAnswer };
  readonly "glossator.doctor": { readonly request: DoctorRequest; readonly answer: DoctorAnswer };
}

/** Those of them that VS Code offers; package.json has their titles. */
export type Offered =
  | "glossator.ask"
  | "glossator.newSession"
  | "glossator.resumeSession"
  | "glossator.takeOver"
  | "glossator.renameSession"
  | "glossator.deleteSession"
  | "glossator.mergeWorktree"
  | "glossator.discardWorktree"
  | "glossator.exportSession"
  | "glossator.compact"
  | "glossator.retry"
  | "glossator.undoTurn"
  | "glossator.redoTurn"
  | "glossator.showPlan"
  | "glossator.setMode"
  | "glossator.setModel"
  | "glossator.explain"
  | "glossator.fix"
  | "glossator.edit"
  | "glossator.refactor"
  | "glossator.document"
  | "glossator.writeTests"
  | "glossator.exploreUsage"
  | "glossator.gloss"
  | "glossator.showGloss"
  | "glossator.exploreWorkspace"
  | "glossator.explore"
  | "glossator.search"
  | "glossator.generateContexts"
  | "glossator.exportContexts"
  | "glossator.importContexts"
  | "glossator.endBatches"
  | "glossator.showContext"
  | "glossator.openMemory"
  | "glossator.forgetMemory"
  | "glossator.summarise"
  | "glossator.listFacts"
  | "glossator.forgetFact"
  | "glossator.pinFact"
  | "glossator.clearFacts"
  | "glossator.listJobs"
  | "glossator.cancel"
  | "glossator.rebuildIndex"
  | "glossator.status"
  | "glossator.doctor";

/** What a question that begins with `/` does instead. */
export const CHAT_COMMANDS = {
  "new": "glossator.newSession",
  "resume": "glossator.resumeSession",
  "takeover": "glossator.takeOver",
  "rename": "glossator.renameSession",
  "merge": "glossator.mergeWorktree",
  "discard": "glossator.discardWorktree",
  "export": "glossator.exportSession",
  "compact": "glossator.compact",
  "retry": "glossator.retry",
  "undo": "glossator.undoTurn",
  "redo": "glossator.redoTurn",
  "plan": "glossator.setMode",
  "mode": "glossator.setMode",
  "model": "glossator.setModel",
  "explain": "glossator.explain",
  "fix": "glossator.fix",
  "edit": "glossator.edit",
  "refactor": "glossator.refactor",
  "document": "glossator.document",
  "write-tests": "glossator.writeTests",
  "explore-usage": "glossator.exploreUsage",
  "explore": "glossator.explore",
  "search": "glossator.search",
  "context": "glossator.showContext",
  "memory": "glossator.openMemory",
  "summary": "glossator.summarise",
  "facts": "glossator.listFacts",
  "jobs": "glossator.listJobs",
  "index": "glossator.rebuildIndex",
  "status": "glossator.status",
  "doctor": "glossator.doctor",
} as const;

/** How citations are written: regular expressions, without regard to case. */
export const CITATIONS = {
  text: "^ *(?<fence>`{3,}|~{3,})(?![`~])[^\\n]*\\n[\\s\\S]*?(?:^ *\\k<fence>[`~]* *(?=\\n|(?![\\s\\S]))|(?![\\s\\S]))|(?<!`)(?<tick>`+)(?<code>[^`\\n](?:[^\\n]*?[^`\\n])??)\\k<tick>(?!`)|\\[\\s*(?:cit(?:e|es|ation)\\s*:|(?=doc\\s*,|runs?\\s+#?[0-9]|fact\\s*,[^\\],\\n]{1,70},\\s*null\\s*\\]|task\\s*,\\s*#?[0-9]{1,9}\\s*\\]))(?<body>(?:[^\\][\\n]|\\[(?:[^\\][\\n]|\\[[^\\][\\n]*\\])*\\]){1,1000})\\](?:\\((?!\\[)[^()\\s]{1,300}\\))?|(?<![^\\s`'\\\"()\\[\\]{}<>|*,;!?])(?<!\\]\\()(?:\\./)*(?<path>(?:[^\\s`'\\\"()\\[\\]{}<>|*,;:!?#\\\\]|\\[(?:[^\\s`'\\\"()\\[\\]{}<>|*,;:!?#\\\\]|\\[[^\\s`'\\\"()\\[\\]{}<>|*,;:!?#\\\\]{0,80}\\]){0,80}\\]){1,250})(?::l?|#l|,?\\s(?:lines?\\s|l))(?<lines>[0-9]{1,7}(?:[-\\u2010-\\u2015]l?[0-9]{1,7})?(?:,\\s?l?[0-9]{1,7}[-\\u2010-\\u2015]l?[0-9]{1,7}(?![0-9]))*)(?::[0-9]{1,5})?(?![A-Za-z0-9_/]|[.,:-][0-9]|`?\\]\\()",
  mention: "(?<![^\\s`'\\\"()\\[\\]{}<>|*,;!?])(?<!\\]\\()(?:\\./)*(?<path>(?:[^\\s`'\\\"()\\[\\]{}<>|*,;:!?#\\\\]|\\[(?:[^\\s`'\\\"()\\[\\]{}<>|*,;:!?#\\\\]|\\[[^\\s`'\\\"()\\[\\]{}<>|*,;:!?#\\\\]{0,80}\\]){0,80}\\]){1,250})(?::l?|#l|,?\\s(?:lines?\\s|l))(?<lines>[0-9]{1,7}(?:[-\\u2010-\\u2015]l?[0-9]{1,7})?(?:,\\s?l?[0-9]{1,7}[-\\u2010-\\u2015]l?[0-9]{1,7}(?![0-9]))*)(?::[0-9]{1,5})?(?![A-Za-z0-9_/]|[.,:-][0-9]|`?\\]\\()",
  cite: "\\[\\s*(?:cit(?:e|es|ation)\\s*:|(?=doc\\s*,|runs?\\s+#?[0-9]|fact\\s*,[^\\],\\n]{1,70},\\s*null\\s*\\]|task\\s*,\\s*#?[0-9]{1,9}\\s*\\]))(?<body>(?:[^\\][\\n]|\\[(?:[^\\][\\n]|\\[[^\\][\\n]*\\])*\\]){1,1000})\\](?:\\((?!\\[)[^()\\s]{1,300}\\))?",
  between: ";|(?<=[0-9])[`\\\"']?\\s*,(?!\\s*(?:null\\b|(?:lines?\\s*|l\\.?\\s*)?[0-9]))|,(?=\\s*(?:doc|runs?|facts?|tasks?)\\s*[,:])",
  item: "\\s*(?:runs?\\s*[,:]?\\s*(?<runs>#?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*#?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?(?:(?:\\s*(?:,(?![0-9]{3}(?![0-9]))|&)\\s*|\\s+and\\s+)#?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*#?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?)*)(?:\\s*,?\\s*(?:lines?|l).*)?|tasks?\\s*[,:]?\\s*(?<tasks>#?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*#?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?(?:(?:\\s*(?:,(?![0-9]{3}(?![0-9]))|&)\\s*|\\s+and\\s+)#?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*#?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?)*)|facts?(?:\\s*[,:]\\s*|\\s+)[`\\\"']?#?(?<fact>(?!null\\b)[A-Za-z0-9][A-Za-z0-9_-]{0,63})[`\\\"']?|(?:doc\\s*[,:]\\s*|(?!(?:doc|fact|task|run)\\s*,))[`\\\"']?(?:\\./)*(?<path>[^\\s,`\\\"'](?:.*?[^\\s,`\\\"'])??)[`\\\"']?(?:\\s*[,:#]\\s*|\\s+(?=l))(?<lines>(?:lines?\\s*|l\\.?\\s*)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*(?:lines?\\s*|l\\.?\\s*)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?(?:(?:\\s*(?:,(?![0-9]{3}(?![0-9]))|&)\\s*|\\s+and\\s+)(?:lines?\\s*|l\\.?\\s*)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*(?:lines?\\s*|l\\.?\\s*)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?)*)(?:\\s+of\\s+(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?[`\\\"']?)(?:\\s*,\\s*null)?\\s*",
  lines: "\\s*(?<lines>(?:lines?\\s*|l\\.?\\s*)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*(?:lines?\\s*|l\\.?\\s*)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?(?:(?:\\s*(?:,(?![0-9]{3}(?![0-9]))|&)\\s*|\\s+and\\s+)(?:lines?\\s*|l\\.?\\s*)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*(?:lines?\\s*|l\\.?\\s*)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))?)*)\\s*",
  span: "(?<first>(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9}))(?:\\s*(?:[-\\u2010-\\u2015\\u2212]|\\.\\.|to|through)\\s*(?:lines?\\s*|l\\.?\\s*)?(?<last>(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})))?",
} as const;

/** What checking a citation found, the gravest first. */
export const GRAVEST: readonly CitationStatus[] = ["contradicted", "unsupported", "stale", "moved", "read", "verified"];

/** What is said of a run in a state. */
export const DOING: Partial<Record<RunState, string>> = {
  ANALYSING: "Looking at the question…",
  CLARIFYING: "Asking you…",
  RETRIEVING: "Searching…",
  PLANNING: "Planning…",
  EXECUTING: "Working on the tasks…",
  SYNTHESISING: "Writing the answer…",
  VERIFYING: "Checking the answer…",
  CORRECTING: "Correcting the answer…",
  MEMORISING: "Keeping what was verified…",
};

/** The modes as they are called, and what each does without asking. */
export const MODES: readonly ({ readonly id: Mode; readonly label: string; readonly detail: string })[] = [
  { id: "plan", label: "Plan", detail: "Reads only, and changes nothing" },
  { id: "ask", label: "Ask", detail: "Asks before each edit and command" },
  { id: "acceptEdits", label: "Accept edits", detail: "Edits files; asks before commands" },
  { id: "auto", label: "Auto", detail: "Edits files, runs commands in the sandbox" },
];

/** What the answers to a permission are called. */
export const CHOICES: Readonly<Record<Choice, string>> = {
  once: "Allow once",
  session: "Allow for this session",
  always: "Always allow here",
  deny: "Refuse",
};

/** What buttons, keys and commands do, as it is called. */
export const ACTS = {
  accept: "Accept",
  reject: "Reject",
  keep: "Keep",
  undo: "Undo",
  redo: "Redo",
  start: "Start in",
  leave: "No, leave it",
  merge: "Merge",
  discard: "Throw away",
  takeOver: "Take over",
  stop: "Stop",
  queue: "Ask next",
  steer: "Tell it now",
} as const;

/** What has become of edits, runs and worktrees. */
export const BECAME = {
  accepted: "accepted",
  rejected: "rejected",
  inPart: "applied in part",
  notApplied: "not applied",
  restored: "restored",
  removed: "removed",
  undone: "undone",
  redone: "redone",
  stopped: "Stopped.",
  continued: "Continued in {}.",
  kept: "What was done so far is kept.",
  merged: "merged",
  discarded: "thrown away",
  gone: "removed",
} as const;

/** Tools that people see under another name than the model's. */
export const TOOLS: Readonly<Record<string, string>> = {
  AskUser: "Question",
  Bash: "Run",
  Diagnostics: "Problems",
  Glob: "Find files",
  Grep: "Find text",
  MultiEdit: "Edit",
  NotebookEdit: "Edit cells",
  Symbols: "Find names",
  Todo: "Steps",
};

/** What of a text is shown escaped: see core/shown.py. Regular expressions. */
export const SHOWN = {
  unseen: "(?!(?<=[\\u00a9\\u00ae\\u2122\\u2139\\u2190-\\u21ff\\u2300-\\u2bff\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}])[\\ufe0e\\ufe0f]|(?<=[#*0-9])\\ufe0f(?=\\u20e3)|(?<=[\\u00a9\\u00ae\\u2122\\u2139\\u2190-\\u21ff\\u2300-\\u2bff\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}\\ufe0f])\\u200d(?=[\\u00a9\\u00ae\\u2122\\u2139\\u2190-\\u21ff\\u2300-\\u2bff\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}])|(?<=[\\u0620-\\u0dff])[\\u200c\\u200d](?=[\\u0620-\\u0dff]))[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  posing: "[\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800\\u3000\\uff0d-\\uff19\\uff21-\\uff3a\\uff3c\\uff3f\\uff41-\\uff5a\\u{1d400}-\\u{1d7ff}\\u2010\\u2011\\u2024\\u2044\\u2215\\u29f5\\u29f8\\u2236\\ua789\\u037e]",
  latin: "[A-Za-z\\u00c0-\\u024f\\u1e00-\\u1eff]",
  alike: "[\\u0391\\u0392\\u0395\\u0396\\u0397\\u0399\\u039a\\u039c\\u039d\\u039f\\u03a1\\u03a4\\u03a5\\u03a7\\u03bd\\u03bf\\u03c1\\u03c5\\u03f2\\u03f3\\u037f\\u0430\\u0441\\u0435\\u04bb\\u0456\\u0458\\u043e\\u0440\\u0455\\u0443\\u0445\\u0475\\u04af\\u04cf\\u0501\\u051b\\u051d\\u0410\\u0412\\u0415\\u041a\\u041c\\u041d\\u041e\\u0420\\u0421\\u0422\\u0423\\u0425\\u0406\\u0408\\u0405\\u0474\\u04ae\\u04ba\\u04c0\\u050c\\u051a\\u051c\\u0555\\u054d\\u053c\\u0585\\u057d\\u0570\\u0578\\u0581\\u13a0-\\u13ff\\uab70-\\uabbf\\u2c80-\\u2cff\\ua4d0-\\ua4ff\\u0251\\u0261]",
  allAlike: "[\\u0391\\u0392\\u0395\\u0396\\u0397\\u0399\\u039a\\u039c\\u039d\\u039f\\u03a1\\u03a4\\u03a5\\u03a7\\u03bd\\u03bf\\u03c1\\u03c5\\u03f2\\u03f3\\u037f\\u0430\\u0441\\u0435\\u04bb\\u0456\\u0458\\u043e\\u0440\\u0455\\u0443\\u0445\\u0475\\u04af\\u04cf\\u0501\\u051b\\u051d\\u0410\\u0412\\u0415\\u041a\\u041c\\u041d\\u041e\\u0420\\u0421\\u0422\\u0423\\u0425\\u0406\\u0408\\u0405\\u0474\\u04ae\\u04ba\\u04c0\\u050c\\u051a\\u051c\\u0555\\u054d\\u053c\\u0585\\u057d\\u0570\\u0578\\u0581]{2,}",
  ownLetter: "(?![\\u0391\\u0392\\u0395\\u0396\\u0397\\u0399\\u039a\\u039c\\u039d\\u039f\\u03a1\\u03a4\\u03a5\\u03a7\\u03bd\\u03bf\\u03c1\\u03c5\\u03f2\\u03f3\\u037f\\u0430\\u0441\\u0435\\u04bb\\u0456\\u0458\\u043e\\u0440\\u0455\\u0443\\u0445\\u0475\\u04af\\u04cf\\u0501\\u051b\\u051d\\u0410\\u0412\\u0415\\u041a\\u041c\\u041d\\u041e\\u0420\\u0421\\u0422\\u0423\\u0425\\u0406\\u0408\\u0405\\u0474\\u04ae\\u04ba\\u04c0\\u050c\\u051a\\u051c\\u0555\\u054d\\u053c\\u0585\\u057d\\u0570\\u0578\\u0581])[\\u0370-\\u0373\\u0376-\\u037d\\u0386-\\u0587]",
} as const;
