// Failures that a person is told of.

/** Something the user can mend; the message says how. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
