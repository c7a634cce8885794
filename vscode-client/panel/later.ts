// Events that the server does not send yet, as docs/protocol.md says; the panel shows them already,
// and the kinds move to the wire's own types when the server has them.

import type { Citation, Event } from "../src/wire.ts";

/** What checking a citation finds: the lines were read; or they say so, say otherwise, or do not say. */
export type CitationState =
  | "read"
  | "verified"
  | "contradicted"
  | "unsupported"
  | "moved"
  | "stale";

/** A citation in any of the states; `target` is a path, or `fact ID` or `task N`. */
export type CheckedCitation = Omit<Citation, "status"> & { readonly status: CitationState };

interface Envelope {
  readonly runId: string;
  readonly seq: number;
}

/** A citation was checked, or checked anew: the newest for the same target and lines holds. */
export interface CitationEvent extends Envelope {
  readonly kind: "citation";
  readonly citation: CheckedCitation;
}

/** A line about a tool call that still runs, such as how far it is; the newest one is shown. */
export interface ToolProgressEvent extends Envelope {
  readonly kind: "tool.progress";
  readonly callId: string;
  readonly message: string;
}

/** The states of the orchestrator. */
export type OrchestratorState =
  | "IDLE"
  | "ANALYSING"
  | "CLARIFYING"
  | "RETRIEVING"
  | "PLANNING"
  | "EXECUTING"
  | "SYNTHESISING"
  | "VERIFYING"
  | "CORRECTING"
  | "MEMORISING"
  | "DONE"
  | "FAILED"
  | "CANCELLED";

/** The orchestrator went over to another state; `detail` is one line or empty. */
export interface StateEvent extends Envelope {
  readonly kind: "state";
  readonly state: OrchestratorState;
  readonly detail: string;
}

/** A part of a plan; `after` names those that it builds on. */
export interface Task {
  readonly id: string;
  readonly text: string;
  readonly after: readonly string[];
  readonly state: "pending" | "active" | "done" | "failed";
  readonly result: string;
}

/** The plan, whole, when it was made or changed. */
export interface PlanEvent extends Envelope {
  readonly kind: "plan";
  readonly tasks: readonly Task[];
}

/** Something the ledger holds; `state` is stale once the lines have changed. */
export interface Fact {
  readonly id: string;
  readonly statement: string;
  readonly path: string;
  readonly uri: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly state: "fresh" | "stale";
}

/** A fact was added to the ledger, or is another one now. */
export interface FactEvent extends Envelope {
  readonly kind: "fact";
  readonly fact: Fact;
}

/** Those of this file. */
export type LaterEvent = CitationEvent | ToolProgressEvent | StateEvent | PlanEvent | FactEvent;

/** All that the panel can show of a run. */
export type AnyEvent = Exclude<Event, { kind: "citation" }> | LaterEvent;
