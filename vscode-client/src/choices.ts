// What the user chose for as long as the window is open. The server forgets it when it ends, so one
// that restarts gets them before anything is asked of it.

import type { Commands, Mode } from "./wire.ts";

/** How commands run; see `Connection.run`. */
export type Run = <K extends keyof Commands>(
  command: K,
  request: Commands[K]["request"],
) => Promise<Commands[K]["answer"]>;

/** The mode and the model; what was not chosen is as the settings say. */
export class Choices {
  #mode: Mode | undefined;
  #model: string | undefined;

  /** `refused` is called with why the server does not take the model any more. */
  constructor(private readonly refused: (error: unknown) => void) {}

  /** What is done without asking. */
  choseMode(mode: Mode): void {
    this.#mode = mode;
  }

  /** Which model answers. */
  choseModel(model: string): void {
    this.#model = model;
  }

  /** What the user set since counts more; `changed` is whether a setting is another one now. */
  forget(changed: (setting: string) => boolean): void {
    this.#mode = changed("glossator.permissions.mode") ? undefined : this.#mode;
    this.#model = changed("glossator.models") ? undefined : this.#model;
  }

  /** Tell a server that has just begun. A model that it refuses is forgotten; a mode must hold. */
  async tell(run: Run): Promise<void> {
    if (this.#mode !== undefined) {
      await run("glossator.setMode", { mode: this.#mode });
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
