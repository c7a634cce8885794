// What the user chose: the modes of sessions, which come back with them in another window, and the model, for
// as long as the window is open. The server forgets it when it ends, so one that restarts gets them
// before anything is asked of it.

import type { Commands, Mode, StatusAnswer } from "./wire.ts";

const MOST_MODES = 50; // that are kept, the newest

/** Where the modes of sessions outlive the window. */
export interface KeptModes {
  readonly modes: Readonly<Record<string, Mode>>;
  keep(modes: Readonly<Record<string, Mode>>): void;
}

/** How commands run; see `Connection.run`. */
export type Run = <K extends keyof Commands>(
  command: K,
  request: Commands[K]["request"],
) => Promise<Commands[K]["answer"]>;

/** What is done without asking in a session; in one that has not begun, what is in new ones. */
export function modeOf(status: StatusAnswer | undefined, sessionId: string | undefined): Mode {
  const own = status?.modes.find((each) => each.sessionId === sessionId);
  return own?.mode ?? status?.mode ?? "ask";
}

/** The modes and the model; what was not chosen is as the settings say. */
export class Choices {
  #mode: Mode | undefined; // of the next session
  readonly #modes: Map<string, Mode>; // of the others, the one that was set last at the end
  #model: string | undefined;

  /** `refused` is called with why the server does not take a model any more. */
  constructor(
    private readonly refused: (error: unknown) => void,
    private readonly kept: KeptModes = { modes: {}, keep: () => undefined },
  ) {
    this.#modes = new Map(Object.entries(kept.modes));
  }

  /** What is done without asking in a session; with none, in the next one. */
  choseMode(mode: Mode, sessionId: string | undefined): void {
    if (sessionId === undefined) {
      this.#mode = mode;
    } else {
      this.#set(sessionId, mode);
    }
  }

  /**
   * The server says which mode a session has: the one it began in, unless another was chosen. `ofNew` is that
   * of the next one: it is the usual again once a session began in the one that was chosen.
   */
  began(sessionId: string, mode: Mode, ofNew: Mode): void {
    if (!this.#modes.has(sessionId)) {
      this.#set(sessionId, mode);
      this.#mode = this.#mode === ofNew ? this.#mode : undefined;
    }
  }

  /** A session was deleted. */
  gone(sessionId: string): void {
    this.#modes.delete(sessionId);
    this.#keep();
  }

  /** Which model answers. */
  choseModel(model: string): void {
    this.#model = model;
  }

  /**
   * What the user set since counts more, for sessions to come; those that have a mode keep it.
   * `changed` is whether a setting is another one now.
   */
  forget(changed: (setting: string) => boolean): void {
    if (changed("glossator.permissions.mode")) {
      this.#mode = undefined;
    }
    this.#model = changed("glossator.models") ? undefined : this.#model;
  }

  /** Tell a server that has just begun. A model that it refuses is forgotten; modes must hold. */
  async tell(run: Run): Promise<void> {
    if (this.#mode !== undefined) {
      await run("glossator.setMode", { mode: this.#mode, once: true });
    }
    const modes = [...this.#modes];
    await Promise.all(
      modes.map(([sessionId, mode]) => run("glossator.setMode", { mode, sessionId })),
    );
    if (this.#model !== undefined) {
      try {
        await run("glossator.setModel", { model: this.#model });
      } catch (error) {
        this.#model = undefined;
        this.refused(error);
      }
    }
  }

  #set(sessionId: string, mode: Mode): void {
    this.#modes.delete(sessionId);
    this.#modes.set(sessionId, mode);
    this.#keep();
  }

  #keep(): void {
    this.kept.keep(Object.fromEntries([...this.#modes].slice(-MOST_MODES)));
  }
}
