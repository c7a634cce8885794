// How the folders of a workspace are called in front of paths, where there are several: as the server
// calls them (files/roots.py), whatever VS Code does. Nothing here knows of VS Code.

/** Unique name -> folder, in their order. */
export function namesOf(folders: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const folder of folders) {
    const base = folder.split(/[\\/]/).findLast(Boolean) ?? "root";
    let name = base;
    for (let number = 2; names.has(name); number++) {
      name = `${base}-${number}`;
    }
    names.set(name, folder);
  }
  return names;
}

/** A path as it is shown: without its folder, or with that one's name for it where there are several. */
export function shownIn(folders: readonly string[], path: string): string {
  const isIn = (folder: string) => path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
  const holders = [...namesOf(folders)].filter(([, folder]) => isIn(folder));
  const [holder] = holders.sort(([, one], [, other]) => other.length - one.length);
  if (!holder) {
    return path;
  }
  const [name, folder] = holder;
  const inner = path.slice(folder.length + 1);
  return folders.length > 1 ? `${name}/${inner}` : inner;
}

/**
 * Which of the user's folders a folder in a worktree was made of; -1 for none. Worktrees are in
 * `…/REPOSITORY-KEY/NAME` (application/worktree_git.py), and those of both end alike.
 */
export function folderOf(inWorktree: string, name: string, folders: readonly string[]): number {
  const parts = inWorktree.split("/");
  const at = parts.findIndex(
    (part, i) => part === name && /-[0-9a-f]{8}$/.test(parts[i - 1] ?? ""),
  );
  if (at < 0) {
    return -1;
  }
  const repository = (parts[at - 1] ?? "").slice(0, -"-01234567".length);
  const end = `/${[repository, ...parts.slice(at + 1)].join("/")}`;
  return folders.findIndex((folder) => folder.endsWith(end));
}
