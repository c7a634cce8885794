// A conversation as this window knows it.

import type { Asked } from "../panel/messages.ts";
import type { SessionInfo } from "../wire.ts";
import { Transcript } from "./transcript.ts";

/** It has an `id` from its first run on. */
export class Conversation {
  transcript: Transcript;
  readonly asked: Asked[] = [];

  constructor(
    public id: string | undefined = undefined,
    public info: SessionInfo | null = null,
    transcript: Transcript = new Transcript(),
  ) {
    this.transcript = transcript;
  }

  /** Whether a run is under way: it takes one at a time. */
  get busy(): boolean {
    return this.transcript.running.length > 0;
  }
}
