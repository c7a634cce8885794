// What the user chose for as long as the window is open. The server forgets it when it ends, so one
// that restarts gets them before anything is asked of it.

import type { Commands, Mode, StatusAnswer } from "./wire.ts";

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
  #mode: Mode | undefined; // of sessions to come
  readonly #modes = new Map<string, Mode>(); // of the others
  #model: string | undefined;

  /** `refused` is called with why the server does not take a model any more. */
  constructor(private readonly refused: (error: unknown) => void) {}

  /** What is done without asking in a session; with none, in those to come. */
  choseMode(mode: Mode, sessionId: string | undefined): void {
    if (sessionId === undefined) {
      this.#mode = mode;
    } else {
      this.#modes.set(sessionId, mode);
    }
  }

  /** The server says which mode a session has: the one it began in, unless another was chosen. */
  began(sessionId: string, mode: Mode): void {
    if (!this.#modes.has(sessionId)) {
      this.#modes.set(sessionId, mode);
      if (mode === "plan" && this.#mode === "plan") {
        this.#mode = undefined; // it is for one session
      }
    }
  }

  /** A session was deleted. */
  gone(sessionId: string): void {
    this.#modes.delete(sessionId);
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
      await run("glossator.setMode", { mode: this.#mode });
    }
    for (const [sessionId, mode] of this.#modes) {
      await run("glossator.setMode", { mode, sessionId });
    }
    if (this.#model !== undefined) {
      try {
        await run("glossator.setModel", { model: this.#model });
      } catch (error) {
        this.#model = undefined;
        this.refused(error);
      }
    }
  }
}
