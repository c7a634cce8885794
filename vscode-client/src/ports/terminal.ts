// `glossator/terminal`: the last commands of the active terminal, and what they printed.
//
// VS Code gives no extension the text or the selection of a terminal. With shell integration it
// tells of each command as it begins, and what it prints from then on: that is kept, in memory.

import { type Disposable, type Terminal, type TerminalShellExecution, window } from "vscode";
import type { TerminalTold } from "../wire.ts";
import { COMMANDS, Recorded } from "./recorded.ts";

/** Listens to the commands of all terminals as they come. */
export class TerminalPort implements Disposable {
  readonly #commands = new WeakMap<Terminal, Recorded[]>();
  readonly #running = new WeakMap<TerminalShellExecution, Recorded>();
  readonly #listening = [
    window.onDidStartTerminalShellExecution(
      ({ terminal, execution }) => void this.#record(terminal, execution),
    ),
    window.onDidEndTerminalShellExecution(({ execution, exitCode }) =>
      this.#running.get(execution)?.end(exitCode),
    ),
  ];

  /** Null where nothing is known of the active terminal. */
  answer(): Promise<TerminalTold | null> {
    const terminal = window.activeTerminal;
    const commands = terminal && this.#commands.get(terminal);
    const text = commands?.map((each) => each.text).join("\n\n");
    return Promise.resolve(terminal && text ? { name: terminal.name, text } : null);
  }

  dispose(): void {
    for (const each of this.#listening) {
      each.dispose();
    }
  }

  async #record(terminal: Terminal, execution: TerminalShellExecution): Promise<void> {
    const recorded = new Recorded(execution.commandLine.value);
    this.#running.set(execution, recorded);
    const earlier = this.#commands.get(terminal) ?? [];
    this.#commands.set(terminal, [...earlier, recorded].slice(-COMMANDS));
    for await (const data of execution.read()) {
      recorded.add(data);
    }
  }
}
