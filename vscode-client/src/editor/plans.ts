// Plans as documents: changed and decided about in an editor.

import {
  CodeLens,
  type CodeLensProvider,
  Disposable,
  EventEmitter,
  type FileChangeEvent,
  FileChangeType,
  FilePermission,
  type FileStat,
  FileSystemError,
  type FileSystemProvider,
  FileType,
  languages,
  type Memento,
  Range,
  type TextDocument,
  Uri,
  window,
  workspace,
} from "vscode";
import { UserError } from "../result.ts";
import { shownProse } from "../shown.ts";
import type { Event } from "../wire.ts";
import { besideChat } from "./columns.ts";
import { PlanMarks } from "./plan-marks.ts";

const SCHEME = "glossator-plan"; // the manifest has it, too
const KEPT = "glossator.plans";
const LEFT = "glossator.plansLeft";
const MOST = 20; // plans that are kept
const DECIDED = "This plan was decided about.";
const NOT_SHOWN =
  'Show a plan that waits for your answer with "Glossator: Edit Plan", then decide.';

/** A way to decide about a plan. */
export interface Way {
  readonly label: string;
  readonly icon: string;
  readonly take: () => Promise<void> | void;
}

/** A plan in the workspace's state. */
interface KeptPlan {
  readonly path: string;
  readonly sessionId: string;
  readonly first: string;
  readonly text: string;
  readonly waits: boolean;
}

interface Plan {
  readonly uri: Uri;
  readonly sessionId: string;
  readonly first: string;
  text: string;
  changedAt: number;
  /** Whether it can be changed: nobody has decided about it yet. */
  waits: boolean;
  /** None before it is shown again after the window was reloaded. */
  ways: readonly Way[];
}

/** The newest plan of each session, and the sessions whose plan the user would rather not start. */
export class Plans implements FileSystemProvider, CodeLensProvider, Disposable {
  readonly #plans = new Map<string, Plan>(); // by the path of its document
  readonly #sessions = new Map<string, string>(); // by run
  readonly #fileChanged = new EventEmitter<FileChangeEvent[]>();
  readonly #lensesChanged = new EventEmitter<void>();
  readonly #leftChanged = new EventEmitter<void>();
  readonly #left: Set<string>; // sessions
  readonly #marks = new PlanMarks(({ document: { uri } }) =>
    uri.scheme === SCHEME ? this.#plans.get(uri.path)?.sessionId : undefined,
  );
  readonly #parts: Disposable;
  readonly onDidChangeFile = this.#fileChanged.event;
  readonly onDidChangeCodeLenses = this.#lensesChanged.event;
  /** A plan was left, or waits again after all. */
  readonly onLeft = this.#leftChanged.event;
  #number = 0;

  constructor(
    private readonly kept: Memento,
    private readonly failed: (error: unknown) => void,
  ) {
    for (const { path, ...plan } of kept.get<readonly KeptPlan[]>(KEPT, [])) {
      const uri = Uri.from({ scheme: SCHEME, path });
      this.#plans.set(path, { ...plan, uri, changedAt: Date.now(), ways: [] });
      this.#number = Math.max(this.#number, Number(path.split("/")[1]));
    }
    this.#left = new Set(kept.get<readonly string[]>(LEFT, []));
    this.#parts = Disposable.from(
      this.#fileChanged,
      this.#lensesChanged,
      this.#leftChanged,
      this.#marks,
      workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true }),
      languages.registerCodeLensProvider({ scheme: SCHEME }, this),
    );
  }

  /** Keep a plan of a session's that can be decided about; one with the same text stays as it is. */
  offer(sessionId: string, text: string, ways: readonly Way[]): void {
    const shown = shownProse(text);
    const before = this.#planOf(sessionId);
    this.#putLeft(sessionId, false);
    if (before && (before.first === shown || textOf(before) === shown.trim())) {
      before.waits = true;
      before.ways = ways;
      this.#touch(before); // it can be changed again
    } else {
      this.#number += 1;
      const uri = Uri.from({ scheme: SCHEME, path: `/${this.#number}/Plan.md` });
      const texts = { first: shown, text: shown };
      const plan = { uri, sessionId, ...texts, changedAt: Date.now(), waits: true, ways };
      this.#plans.delete(before?.uri.path ?? "");
      this.#plans.set(uri.path, plan);
      this.#marks.forget(sessionId);
      this.#keep();
    }
    this.#lensesChanged.fire();
  }

  /** Show the plan of a session's. */
  async open(sessionId: string): Promise<void> {
    const plan = this.#planOf(sessionId);
    if (!plan) {
      throw new UserError("There is no plan in this session. Ask for one in the mode Plan.");
    }
    await window.showTextDocument(plan.uri, { preview: false, viewColumn: besideChat() });
  }

  /** The plan as the user changed it, whether saved or not; "" if they did not. */
  changed(sessionId: string): string {
    const plan = this.#planOf(sessionId);
    if (!plan?.waits) {
      return "";
    }
    const text = textOf(plan);
    return text === plan.first.trim() ? "" : text;
  }

  /** It was decided about, here or elsewhere: it is kept as it is, and can be read. */
  decided(sessionId: string): void {
    const plan = this.#planOf(sessionId);
    if (plan?.waits) {
      this.#settle(plan).catch(this.failed);
    }
  }

  /** The user would rather not start the plan of a session's last run. */
  leave(sessionId: string): void {
    this.decided(sessionId);
    this.#putLeft(sessionId, true);
  }

  /** Whether nothing is to be asked about the plan of a session's last run. */
  isLeft(sessionId: string): boolean {
    return this.#left.has(sessionId);
  }

  /** Decide about a plan: the way with this number, or one that the user chooses. */
  async decide(given: unknown, at: unknown): Promise<void> {
    const uri = given instanceof Uri ? given : window.activeTextEditor?.document.uri;
    const plan = uri?.scheme === SCHEME ? this.#plans.get(uri.path) : undefined;
    if (!plan || plan.ways.length === 0) {
      throw new UserError(plan && !plan.waits ? DECIDED : NOT_SHOWN);
    }
    const way = typeof at === "number" ? plan.ways[at] : await chosen(plan.ways);
    await way?.take();
  }

  /** An event of a run: steps that are done are ticked off. */
  told(event: Event): void {
    const { runId } = event;
    const sessionId = this.#sessions.get(runId) ?? "";
    switch (event.kind) {
      case "run.started":
        this.#sessions.set(runId, event.sessionId);
        this.decided(event.sessionId); // the session goes on with it, or without
        this.#putLeft(event.sessionId, false);
        break;
      case "todo":
        this.#marks.put(sessionId, event.steps);
        break;
      case "plan":
        this.#marks.put(
          sessionId,
          event.tasks.map(({ description, state }) => ({ text: description, state })),
        );
        break;
      case "run.finished":
      case "run.failed":
      case "run.cancelled":
        this.#sessions.delete(runId);
        break;
    }
  }

  provideCodeLenses({ uri }: TextDocument): CodeLens[] {
    const ways = this.#plans.get(uri.path)?.ways ?? [];
    return ways.map(
      ({ label, icon }, at) =>
        new CodeLens(new Range(0, 0, 0, 0), {
          title: `$(${icon}) ${label}`,
          command: "glossator.decidePlan",
          arguments: [uri, at],
        }),
    );
  }

  watch(): Disposable {
    return new Disposable(() => undefined);
  }

  stat(uri: Uri): FileStat {
    const { text, changedAt, waits } = this.#known(uri);
    return {
      type: FileType.File,
      ctime: 0,
      mtime: changedAt,
      size: Buffer.byteLength(text),
      ...(!waits && { permissions: FilePermission.Readonly }),
    };
  }

  readFile(uri: Uri): Uint8Array {
    return Buffer.from(this.#known(uri).text);
  }

  writeFile(uri: Uri, content: Uint8Array): void {
    const plan = this.#known(uri);
    if (!plan.waits) {
      throw FileSystemError.NoPermissions(DECIDED);
    }
    plan.text = Buffer.from(content).toString();
    this.#touch(plan);
  }

  readDirectory(uri: Uri): never {
    throw FileSystemError.FileNotFound(uri);
  }

  createDirectory(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  delete(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  rename(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #planOf(sessionId: string): Plan | undefined {
    return [...this.#plans.values()].find((plan) => plan.sessionId === sessionId);
  }

  #known(uri: Uri): Plan {
    const plan = this.#plans.get(uri.path);
    if (!plan) {
      throw FileSystemError.FileNotFound(uri);
    }
    return plan;
  }

  async #settle(plan: Plan): Promise<void> {
    await documentOf(plan.uri)?.save(); // else closing it would ask
    plan.waits = false;
    plan.ways = [];
    this.#touch(plan);
    this.#lensesChanged.fire();
  }

  #touch(plan: Plan): void {
    plan.changedAt = Math.max(plan.changedAt + 1, Date.now());
    this.#fileChanged.fire([{ type: FileChangeType.Changed, uri: plan.uri }]);
    this.#keep();
  }

  /** So that what was changed is there after the window was reloaded. */
  #keep(): void {
    const newest = [...this.#plans.values()].slice(-MOST);
    const plans = newest.map(({ uri, sessionId, first, text, waits }): KeptPlan => {
      return { path: uri.path, sessionId, first, text, waits };
    });
    this.kept.update(KEPT, plans).then(undefined, this.failed);
  }

  #putLeft(sessionId: string, isLeft: boolean): void {
    if (this.#left.has(sessionId) !== isLeft) {
      if (isLeft) {
        this.#left.add(sessionId);
      } else {
        this.#left.delete(sessionId);
      }
      this.kept.update(LEFT, [...this.#left].slice(-MOST)).then(undefined, this.failed);
      this.#leftChanged.fire();
    }
  }
}

function textOf({ uri, text }: Plan): string {
  return (documentOf(uri)?.getText() ?? text).trim();
}

function documentOf(uri: Uri): TextDocument | undefined {
  return workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

async function chosen(ways: readonly Way[]): Promise<Way | undefined> {
  const items = ways.map((way) => ({ label: `$(${way.icon}) ${way.label}`, way }));
  const picked = await window.showQuickPick(items, { title: "Glossator: the plan" });
  return picked?.way;
}
