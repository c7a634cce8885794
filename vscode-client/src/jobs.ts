// Commands in the background: told to the panel, shown in an editor, stopped.

import { type Disposable, ThemeIcon, window } from "vscode";
import { showGrowing } from "./editor/texts.ts";
import { inform } from "./notices.ts";
import type { Server } from "./server/server.ts";
import { labelled, shown } from "./shown.ts";
import type { Surfaces } from "./surfaces.ts";
import { ACTS, type BackgroundJob } from "./wire.ts";

const OUTPUT = { iconPath: new ThemeIcon("output"), tooltip: "Show its output" };
const STOP = { iconPath: new ThemeIcon("debug-stop"), tooltip: `${ACTS.stop} it` };

/** Knows the jobs of the server. */
export class Jobs implements Disposable {
  readonly #listening: Disposable[];
  #jobs: readonly BackgroundJob[] = [];

  constructor(
    private readonly server: Server,
    private readonly surfaces: Surfaces,
  ) {
    this.#listening = [
      server.onJobs((jobs) => this.#are(jobs)),
      server.onState(({ phase }) => phase !== "ready" && this.#are([])), // they end with the server
      surfaces.onMove(() => this.#are(this.#jobs)),
    ];
  }

  /** The user looks at one, or stops it. */
  async choose(): Promise<void> {
    const { jobs } = await this.server.run("glossator.listJobs", {});
    if (jobs.length === 0) {
      void inform("No command runs in the background.");
      return;
    }
    const picker = window.createQuickPick();
    const byItem = new Map(
      jobs.toReversed().map((job) => [
        {
          label: labelled(job.command),
          description: job.outcome || "running",
          detail: `job ${job.job}, since ${new Date(job.beganAt).toLocaleTimeString()}`,
          buttons: job.outcome ? [OUTPUT] : [OUTPUT, STOP],
        },
        job.job,
      ]),
    );
    const chosen = await new Promise<[string, boolean] | undefined>((resolve) => {
      const of = (item: unknown) => byItem.get(item as never) ?? "";
      picker.title = "Glossator: background jobs";
      picker.placeholder = "Choose one to see its output";
      picker.items = [...byItem.keys()];
      picker.onDidAccept(() => resolve([of(picker.activeItems[0]), false]));
      picker.onDidTriggerItemButton(({ item, button }) => resolve([of(item), button === STOP]));
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
    picker.dispose();
    if (chosen) {
      const [job, stops] = chosen;
      await (stops ? this.stop(job) : this.show(job));
    }
  }

  /** Show the output of one, as it grows. */
  async show(job: string): Promise<void> {
    await showGrowing(`Job ${job}.txt`, async () => {
      const found = await this.server.run("glossator.showJob", { job });
      const { command, outcome } = found.job;
      const state = outcome ? `[${outcome}]` : "[running]";
      return {
        text: `$ ${command}\n${found.text}\n${state}\n`,
        isOver: outcome !== "",
      };
    });
  }

  /** End one. */
  async stop(job: string): Promise<void> {
    const { job: ended } = await this.server.run("glossator.stopJob", { job });
    void inform(`Stopped: ${shown(ended.command)}`);
  }

  dispose(): void {
    for (const each of this.#listening) {
      each.dispose();
    }
  }

  #are(jobs: readonly BackgroundJob[]): void {
    this.#jobs = jobs;
    this.surfaces.post({ type: "jobs", jobs });
  }
}
