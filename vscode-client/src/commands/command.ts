// A command, and a table of them.

/** A command of the palette; what it throws is shown to the user. */
export type Command = (...given: readonly unknown[]) => Promise<void>;

/** Commands by their names. */
export type CommandTable = Readonly<Record<string, Command>>;
