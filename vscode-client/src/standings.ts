// How things stand, told to the status bar and to all panels whenever something changes.

import {
  type Disposable,
  type LogOutputChannel,
  type SecretStorage,
  type TextEditor,
  window,
  workspace,
} from "vscode";
import type { Conversations } from "./chat/conversations.ts";
import { type Choices, modeOf } from "./choices.ts";
import { describeModel } from "./commands/models.ts";
import type { Changes } from "./editor/changes.ts";
import { selectionChip } from "./editor/chips.ts";
import { isChatActive } from "./editor/columns.ts";
import type { Plans } from "./editor/plans.ts";
import { hasKey } from "./key.ts";
import type { Chip, ModelChoice, Situation } from "./panel/messages.ts";
import { messageOf } from "./result.ts";
import type { Server, ServerState } from "./server/server.ts";
import { isOfflineWanted } from "./settings.ts";
import { StatusItem } from "./status.ts";
import type { Surface, Surfaces } from "./surfaces.ts";
import type { ContextAnswer, Mode, Model, StatusAnswer } from "./wire.ts";

const SELECTION_MILLISECONDS = 100; // after which a selection is taken to be one
const STATUS_MILLISECONDS = 50; // several changes at once are one question to the server

/** Asks the server for its status when that may have changed. */
export class Standings implements Disposable {
  readonly #item = new StatusItem();
  readonly #listening: Disposable[];
  #status: StatusAnswer | undefined;
  #models: readonly Model[] = [];
  #contexts: readonly ContextAnswer[] = []; // of the sessions that are shown
  #hasKey = false;
  #waiting: readonly string[] = [];
  #chip: Chip | null = null;
  #editor: TextEditor | undefined; // whose selection the chip is
  #selectionTimer: NodeJS.Timeout | undefined;
  #statusTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly conversations: Conversations,
    private readonly surfaces: Surfaces,
    private readonly changes: Changes,
    private readonly plans: Plans,
    private readonly choices: Choices,
    private readonly secrets: SecretStorage,
    private readonly log: LogOutputChannel,
  ) {
    this.#listening = [
      this.#item,
      server.onState((state) => this.#serverIs(state)),
      conversations.onChange(() => this.#soon()),
      surfaces.onTurn(() => this.#show()),
      surfaces.onMove(() => this.#soon()),
      changes.onChange(() => this.post()),
      plans.onLeft(() => this.post()),
      secrets.onDidChange(() => this.#soon()),
      window.onDidChangeActiveTextEditor((editor) => this.#selected(editor)),
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.#selected(textEditor)),
    ];
    this.#selected(window.activeTextEditor);
    this.#show();
  }

  /** What is done without asking in a session; see `modeOf`. */
  modeOf(sessionId: string | undefined): Mode {
    return modeOf(this.#status, sessionId);
  }

  /** Ask the server how it is, and tell everybody. */
  async refresh(): Promise<void> {
    this.#hasKey = await hasKey(this.secrets);
    if (this.server.state.phase === "ready") {
      try {
        this.#status = await this.server.run("glossator.status", {});
        this.choices.began(this.#status);
        this.#show(); // a provider may take its time over the list
        this.#models = await this.#listed(this.#status.model);
        this.#contexts = await Promise.all(
          this.#sessions.map((sessionId) =>
            this.server.run("glossator.showContext", { sessionId }),
          ),
        );
      } catch (error) {
        this.log.warn(`The server reported no status: ${messageOf(error)}`);
      }
    }
    this.#show();
  }

  /** What waits for the user's answer now, each in a line. */
  waits(waiting: readonly string[]): void {
    this.#waiting = waiting;
    this.surfaces.badge(waiting.length);
    this.#show();
  }

  /** Tell each panel. */
  post(): void {
    for (const surface of this.surfaces.all) {
      surface.panel.post({ type: "situation", situation: this.#situation(surface) });
    }
  }

  dispose(): void {
    clearTimeout(this.#selectionTimer);
    clearTimeout(this.#statusTimer);
    for (const each of this.#listening) {
      each.dispose();
    }
  }

  /** Those that somebody can see. */
  get #sessions(): string[] {
    const seen = this.surfaces.all.filter(({ panel }) => panel.visible);
    return [...new Set(seen.flatMap(({ chat }) => chat.sessionId ?? []))];
  }

  /** Asked for when another model answers: the provider may be asked for its list. */
  async #listed(current: string): Promise<readonly Model[]> {
    const known = this.#models.find((each) => each.current)?.id === current;
    return known ? this.#models : (await this.server.run("glossator.listModels", {})).models;
  }

  /** Another server may offer other models. */
  #serverIs({ phase }: ServerState): void {
    if (phase === "starting") {
      this.#models = [];
    }
    this.#soon();
  }

  #soon(): void {
    this.#show();
    clearTimeout(this.#statusTimer);
    this.#statusTimer = setTimeout(() => void this.refresh(), STATUS_MILLISECONDS);
  }

  #show(): void {
    this.#item.show({
      state: this.server.state,
      status: this.#status,
      running: this.conversations.running.length,
      waiting: this.#waiting,
      sessionId: this.surfaces.current.chat.sessionId,
      lacksKey: !this.#hasKey && !isOfflineWanted(),
    });
    this.post();
  }

  /** A chat in an editor tab takes the place of the editor: what was selected there stays. */
  #selected(editor: TextEditor | undefined): void {
    clearTimeout(this.#selectionTimer);
    this.#editor = editor ?? this.#editor; // a selection of just now may not be a chip yet
    this.#selectionTimer = setTimeout(() => {
      if (editor === undefined && !isChatActive()) {
        this.#editor = undefined;
      }
      const chip = selectionChip(this.#editor);
      if (JSON.stringify(chip) !== JSON.stringify(this.#chip)) {
        this.#chip = chip;
        this.post();
      }
    }, SELECTION_MILLISECONDS);
  }

  #situation({ chat }: Surface): Situation {
    const { state } = this.server;
    const context = this.#contexts.find(({ sessionId }) => sessionId === chat.sessionId);
    const detail =
      state.phase === "starting"
        ? state.step
        : state.phase === "waiting" || state.phase === "failed"
          ? state.problem
          : "";
    return {
      server: { phase: state.phase, detail },
      trusted: workspace.isTrusted,
      hasKey: this.#hasKey,
      mode: this.modeOf(chat.sessionId),
      model: this.#status?.model ?? "",
      offline: this.#status?.offline ?? false,
      session: chat.session,
      sessionId: chat.sessionId ?? null,
      selection: this.#chip,
      ...(this.#models.length > 0 ? { models: this.#models.map(choiceOf) } : {}),
      contextWindow: this.#models.find((each) => each.current)?.window ?? null,
      ...(context ? { layers: context.layers.map(({ name, tokens }) => ({ name, tokens })) } : {}),
      roots: chat.session?.worktree?.folders ?? this.#status?.roots ?? [],
      waiting: this.changes.runs,
      remaining: this.changes.remaining.filter((each) => each.sessionId === chat.sessionId),
      running: this.conversations.running.length,
      planLeft: this.plans.isLeft(chat.sessionId ?? ""),
    };
  }
}

function choiceOf(model: Model): ModelChoice {
  return { id: model.id, label: model.id, detail: describeModel(model) };
}
