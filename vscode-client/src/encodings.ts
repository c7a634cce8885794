// The encodings in which VS Code reads files that are not open, as the server takes them.

/** The encoding of the files in a folder that fit a glob. Of several that fit the last counts. */
export interface EncodingRule {
  readonly folder: string;
  readonly glob: string;
  readonly encoding: string;
}

/** What `files.encoding` and `files.associations` say of a folder; `ofLanguages` by language id. */
export interface FolderEncodings {
  readonly folder: string;
  readonly encoding: string;
  readonly ofLanguages: ReadonlyMap<string, string>;
  readonly associations: Readonly<Record<string, string>>;
}

/** A language, as the manifest of an extension has it. */
export interface Language {
  readonly id: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  readonly filenamePatterns?: readonly string[];
}

/** Nothing where all is UTF-8, which the server recognises. */
export function encodingRules(
  folders: readonly FolderEncodings[],
  languages: readonly Language[],
): EncodingRule[] {
  return folders.flatMap((each) => {
    const rules = [["**", each.encoding] as const, ...ofLanguages(each, languages)];
    return rules.every(([, encoding]) => encoding.startsWith("utf8"))
      ? []
      : rules.map(([glob, encoding]) => ({ folder: each.folder, glob, encoding }));
  });
}

/** The files of languages that have an encoding of their own, the most general globs first. */
function ofLanguages(
  { encoding, ofLanguages: own, associations }: FolderEncodings,
  languages: readonly Language[],
): ReadonlyArray<readonly [glob: string, encoding: string]> {
  if (own.size === 0) {
    return [];
  }
  const known = languages.map((each) => ({ ...each, encoding: own.get(each.id) ?? encoding }));
  const ends = known.flatMap((each) => (own.has(each.id) ? (each.extensions ?? []) : []));
  const matters = (id: string, name: string) =>
    own.has(id) || ends.some((end) => name.toLowerCase().endsWith(end.toLowerCase()));
  const globs = (pick: (language: Language) => readonly string[] | undefined) =>
    known
      .flatMap((each) => (pick(each) ?? []).map((name) => [each, name] as const))
      .filter(([{ id }, name]) => matters(id, name))
      .sort(([, one], [, other]) => one.length - other.length);
  return [
    ...globs(({ extensions }) => extensions).map(
      ([each, end]) => [`*${anyCase(end)}`, each.encoding] as const,
    ),
    ...globs(({ filenamePatterns }) => filenamePatterns).map(
      ([each, glob]) => [anyCase(glob), each.encoding] as const,
    ),
    ...globs(({ filenames }) => filenames).map(
      ([each, name]) => [anyCase(name), each.encoding] as const,
    ),
    ...Object.entries(associations)
      .sort(([one], [other]) => one.length - other.length)
      .map(([glob, id]) => [anyCase(glob), own.get(id) ?? encoding] as const),
  ];
}

/** VS Code finds the language of a file whatever the case of its name. */
function anyCase(glob: string): string {
  return glob.includes("[")
    ? glob
    : glob.replace(/\p{L}/gu, (letter) => {
        const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
        return lower.length + upper.length === 2 && lower !== upper ? `[${lower}${upper}]` : letter;
      });
}
