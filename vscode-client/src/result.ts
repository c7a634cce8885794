// Failures that are shown to the user.

/** Which button helps: each is a command of the palette, or a setting to open. */
export type Remedy = "key" | "output" | "python" | "restart" | "takeOver";

/** Something the user can mend; the message says how. */
export class UserError extends Error {
  override readonly name = "UserError";

  constructor(
    message: string,
    readonly remedy?: Remedy,
  ) {
    super(message);
  }
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
