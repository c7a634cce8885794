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

/** What is done without asking in a session; in one that has not begun, what is in the next one. */
export function modeOf(status: StatusAnswer | undefined, sessionId: string | undefined): Mode {
  if (sessionId === undefined) {
    return status?.mode ?? "ask";
  }
  const own = status?.modes.find((each) => each.sessionId === sessionId);
  return own?.mode ?? status?.usualMode ?? "ask";
}

/** The modes and the model; what was not chosen is as the settings say. */
export class Choices {
  #mode: Mode | undefined; // of the next session
  readonly #modes: Map<string, Mode>; // of the others, the one that was set last at the end
  readonly #chosen: Set<string>; // those of them that have the mode because the user chose it
  #model: string | undefined;

  /** `refused` is called with why the server does not take a model any more. */
  constructor(
    private readonly refused: (error: unknown) => void,
    private readonly kept: KeptModes = { modes: {}, keep: () => undefined },
  ) {
    this.#modes = new Map(Object.entries(kept.modes).filter(outlivesWindow));
    this.#chosen = new Set(this.#modes.keys());
  }

  /** What is done without asking in a session; with none, in the next one. */
  choseMode(mode: Mode, sessionId: string | undefined): void {
    if (sessionId === undefined) {
      this.#mode = mode;
    } else {
      this.#set(sessionId, mode);
      this.#chosen.add(sessionId);
      this.#keep();
    }
  }

  /**
   * The server says which mode each session has: the one it began in, unless another was chosen.
   * `ofNext` is that of the next one: it is the usual again once a session began in the one that was chosen.
   */
  began({ modes, mode: ofNext }: Pick<StatusAnswer, "modes" | "mode">): void {
    const before = this.#chosen.size;
    for (const { sessionId, mode } of modes) {
      if (!this.#modes.has(sessionId)) {
        this.#set(sessionId, mode);
        if (mode === this.#mode && mode !== ofNext) {
          this.#chosen.add(sessionId);
        }
      }
    }
    this.#mode = this.#mode === ofNext ? this.#mode : undefined;
    if (this.#chosen.size > before) {
      this.#keep();
    }
  }

  /** A session was deleted. */
  gone(sessionId: string): void {
    this.#modes.delete(sessionId);
    this.#chosen.delete(sessionId);
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
  }

  #keep(): void {
    const chosen = [...this.#modes].filter(([sessionId]) => this.#chosen.has(sessionId));
    this.kept.keep(Object.fromEntries(chosen.filter(outlivesWindow).slice(-MOST_MODES)));
  }
}

/** In another window nothing is done unasked that the settings do not allow: auto is for this one. */
function outlivesWindow([, mode]: readonly [string, Mode]): boolean {
  return mode !== "auto";
}
